// SPDX-License-Identifier: Apache-2.0
// Mechanisms of files and built-in ones, on the heap.

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "file/chains.h"
#include "loop/mechanism.h"

// ---- lines -------------------------------------------------------------------------------------

static const char *part_name(const ap_robot *robot, int part, int i) {
  const ap_mechanism_def *d = &robot->chains->def;
  switch (part) {
    case AP__CHAIN_CLOSURE: return i < d->nclosure ? d->closures[i].name : NULL;
    case AP__CHAIN_COORDINATE: return i < d->ncoordinate ? d->coordinates[i].name : NULL;
    case AP__CHAIN_BRANCH: return i < d->nbranch ? d->branches[i].name : NULL;
    default: break;
  }
  if (i >= d->nactuated || d->actuated[i] > robot->nbody) return NULL;
  if (d->actuated[i] < 1) return "";
  return ap__joint_name(&robot->bodies[d->actuated[i] - 1]);
}

// The line of what a message of ap_mechanism_init() is about, 0 where it is about none. The longest
// match wins: a name may contain quotes.
static int line_of_message(const ap_robot *robot, const char *text) {
  static const char *const kind[] = {"closure", "coordinate", "actuator", "branch"};
  size_t best = 0;
  int line = 0;
  for (int part = 0; part < AP__CHAIN_PARTS; part++) {
    const char *name;
    for (int i = 0; (name = part_name(robot, part, i)); i++) {
      size_t match = ap__starts_with_name(text, kind[part], name);
      if (match <= best) continue;
      best = match;
      line = robot->chains->lines[part][i];
    }
  }
  if (best) return line;
  if (strncmp(text, "the guess", 9) == 0) return robot->chains->guess_line;
  line = ap_robot_message_line(robot, text);
  return line ? line : robot->chains->line;
}

// ---- the heap ----------------------------------------------------------------------------------

// Aligned as the arena wants it, so that what is built starts where the memory does and can be
// freed.
static void *room(size_t size) {
  return aligned_alloc(AP_ARENA_ALIGN,
                       (size + AP_ARENA_ALIGN - 1) / AP_ARENA_ALIGN * AP_ARENA_ALIGN);
}

ap_status ap_mechanism_make(const ap_robot *robot, ap_mechanism **mechanism, ap_error *error) {
  *mechanism = NULL;
  const ap_mechanism_def *def = ap_robot_mechanism(robot);
  if (!def)
    return AP__REFUSE(error, AP_E_MODEL, 0,
                      "the robot is a tree (a mechanism has closures or coordinates)");
  size_t size = ap_mechanism_size(def);
  if (size == 0) {
    ap_error why = {AP_E_MODEL, 0, ""};
    ap_mechanism_init(def, NULL, 0, &why);
    if (error) *error = why;
    return why.status;
  }
  void *memory = room(size);
  if (!memory) return ap__no_memory(error);
  ap_error own = {AP_E_MODEL, 0, ""};
  *mechanism = ap_mechanism_init(def, memory, size, &own);
  assert(!*mechanism || (void *)*mechanism == memory);
  if (*mechanism) return AP_OK;
  free(memory);
  own.line = line_of_message(robot, own.text);
  if (error) *error = own;
  return own.status;
}

void ap_mechanism_free(ap_mechanism *m) { free(m); }

ap_loop *ap_loop_make(const ap_mechanism *m) {
  size_t size = ap_loop_size(m);
  void *memory = room(size);
  return memory ? ap_loop_init(m, memory, size) : NULL;
}

void ap_loop_free(ap_loop *l) { free(l); }

ap_status ap_mechanism_read(const char *model, ap_mechanism **mechanism, ap_robot **robot,
                            ap_error *error) {
  ap_robot *read;
  const ap_mechanism_def *builtin = ap_mechanism_builtin(model);
  *mechanism = NULL;
  if (robot) *robot = NULL;
  if (!builtin && ap_builtin(model))
    return AP__REFUSE(error, AP_E_MODEL, 0,
                      "%s is a tree (a mechanism has closures or coordinates)", model);
  ap_status status = builtin ? ap_robot_from_mechanism(builtin, &read, error)
                             : ap_robot_read(model, NULL, &read, error);
  if (status) return status;
  status = ap_mechanism_make(read, mechanism, error);
  if (!status && robot)
    *robot = read;
  else
    ap_robot_free(read);
  return status;
}
