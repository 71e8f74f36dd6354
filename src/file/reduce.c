// SPDX-License-Identifier: Apache-2.0
// A robot of a file with fewer joints: lines, shapes and closed chains follow its bodies.

#include <stdlib.h>
#include <string.h>

#include "file/chains.h"

// ---- closed chains -----------------------------------------------------------------------------

// Before a robot's bodies are replaced: the old ones with the new.
typedef struct change {
  ap_robot *robot; // still the old bodies
  const ap_reduced *to;
  ap_error *error;
} change;

// Its new number. What is no body stays what it is, for ap_mechanism_make() to refuse.
static int number(const change *c, int body) {
  return body >= 0 && body <= c->robot->nbody ? c->to->number[body] : body;
}

static bool is_cut(const change *c, int body) { return number(c, body) < 0; }

// The joint is there no more: cut off, or locked.
static bool is_gone(const change *c, int body) {
  const int k = number(c, body);
  return k < 0 ||
         (k > 0 && k <= c->to->robot.nbody && c->to->robot.bodies[k - 1].joint == AP_FIXED);
}

static bool is_coordinate(const change *c, int body) {
  const ap_mechanism_def *d = &c->robot->chains->def;
  for (int i = 0; i < d->ncoordinate; i++)
    if (d->coordinates[i].kind == AP_COORDINATE_JOINT && d->coordinates[i].body == body)
      return true;
  return false;
}

static ap_status refuse_joint(const change *c, int body, const char *reason) {
  const char *name = ap__joint_name(&c->robot->bodies[body - 1]);
  return AP__REFUSE(c->error, AP_E_UNSUPPORTED, c->robot->lines[body].body,
                    "joint \"%.*s\" cannot be locked: %s", ap__shown(name), name, reason);
}

// The closures move every joint that is no independent coordinate, so that only these can be
// locked.
// The first joint from body b up to the ground that closed chains move, or 0.
static int moved_by_chains(const change *c, int b) {
  for (; b > 0; b = c->robot->bodies[b - 1].parent)
    if (ap__robot_joint_nq(c->robot, b) > 0 && !is_coordinate(c, b)) return b;
  return 0;
}

static ap_status check_locked(const change *c) {
  for (int b = 1; b <= c->robot->nbody; b++)
    if (ap__robot_joint_nq(c->robot, b) > 0 && !is_cut(c, b) && is_gone(c, b) &&
        !is_coordinate(c, b))
      return refuse_joint(
          c, b, "closed chains move it (lock one of the coordinates that `appell info` lists)");
  for (int b = 1; b <= c->robot->nbody; b++) { // the root stands where what is above it puts it
    const int parent = c->robot->bodies[b - 1].parent, above = moved_by_chains(c, b);
    if (!is_cut(c, b) && parent > 0 && is_cut(c, parent) && above)
      return refuse_joint(
          c, above, "closed chains move it, and the root depends on it (choose a root above them)");
  }
  const ap_mechanism_def *d = &c->robot->chains->def;
  for (int i = 0; i < d->nclosure; i++) {
    const ap_closure_def *x = &d->closures[i];
    if (is_cut(c, x->body[0]) && is_cut(c, x->body[1])) continue;
    if (is_cut(c, x->body[0]) ? x->body[1] > 0 : is_cut(c, x->body[1]) && x->body[0] > 0)
      return AP__REFUSE(c->error, AP_E_UNSUPPORTED, c->robot->chains->lines[AP__CHAIN_CLOSURE][i],
                        "root: closure \"%.*s\" connects a removed body to a remaining one (choose "
                        "a root that carries both or neither)",
                        ap__shown(x->name), x->name);
    for (int k = 0; k < 2 && x->kind == AP_CLOSE_GEAR; k++)
      if (is_gone(c, x->body[k]) && !is_cut(c, x->body[k]))
        return refuse_joint(c, x->body[k],
                            "a gear couples it to another joint (lock a joint without a gear)");
  }
  return AP_OK;
}

// Drop the entries of joints that are gone from a configuration; returns the end of the new one.
static double *drop_entries(const change *c, const double *x, double *to) {
  for (int b = 1; b <= c->robot->nbody; b++) {
    const int n = ap__robot_joint_nq(c->robot, b);
    if (n > 0 && !is_gone(c, b)) {
      memmove(to, x, (size_t)n * sizeof *to);
      to += n;
    }
    x += n;
  }
  return to;
}

static void drop_closures(const change *c, ap__chains *h) {
  const int n = h->def.nclosure;
  h->def.nclosure = 0;
  for (int i = 0; i < n; i++) {
    ap_closure_def x = h->closures[i];
    if (is_cut(c, x.body[0]) || is_cut(c, x.body[1])) continue;
    for (int k = 0; k < 2; k++) x.body[k] = number(c, x.body[k]);
    h->lines[AP__CHAIN_CLOSURE][h->def.nclosure] = h->lines[AP__CHAIN_CLOSURE][i];
    h->closures[h->def.nclosure++] = x;
  }
}

static bool is_dropped(const change *c, const ap_coordinate_def *x) {
  return x->kind == AP_COORDINATE_JOINT ? is_gone(c, x->body) : is_cut(c, x->body);
}

// What an actuator acts on becomes: a link's number, a coordinate that stays; 0: it is dropped.
static int new_actuated(const change *c, const ap__chains *h, int actuated) {
  if (actuated >= 0) return is_gone(c, actuated) ? 0 : number(c, actuated);
  const int along = AP_ALONG_COORDINATE(actuated);
  int before = 0;
  if (is_dropped(c, &h->coordinates[along])) return 0;
  for (int i = 0; i < along; i++) before += !is_dropped(c, &h->coordinates[i]);
  return AP_ALONG_COORDINATE(before);
}

static void drop_actuators(const change *c, ap__chains *h) {
  const int n = h->def.nactuated;
  h->def.nactuated = 0;
  for (int i = 0; i < n; i++) {
    const int to = new_actuated(c, h, h->actuated[i]);
    if (to == 0) continue;
    h->lines[AP__CHAIN_ACTUATOR][h->def.nactuated] = h->lines[AP__CHAIN_ACTUATOR][i];
    h->actuated[h->def.nactuated++] = to;
  }
}

static void drop_coordinates(const change *c, ap__chains *h) {
  int n = h->def.ncoordinate;
  drop_actuators(c, h);
  h->def.ncoordinate = 0;
  for (int i = 0; i < n; i++) {
    ap_coordinate_def x = h->coordinates[i];
    if (is_dropped(c, &x)) continue;
    x.body = number(c, x.body);
    h->lines[AP__CHAIN_COORDINATE][h->def.ncoordinate] = h->lines[AP__CHAIN_COORDINATE][i];
    h->coordinates[h->def.ncoordinate++] = x;
  }
}

static ap_status change_chains(const change *c) {
  ap__chains *h = c->robot->chains;
  ap_status status = check_locked(c);
  if (status) return status;
  if (h->guess) drop_entries(c, h->guess, h->guess);
  double *to = h->configurations;
  for (int i = 0; i < h->def.nbranch; i++) {
    const double *from = h->branches[i].guess;
    h->branches[i].guess = to;
    to = drop_entries(c, from, to);
  }
  drop_closures(c, h);
  drop_coordinates(c, h);
  if (h->def.nclosure == 0) {
    ap__chains_free(h);
    c->robot->chains = NULL;
  } else if (h->def.ncoordinate == 0) {
    return AP__REFUSE(c->error, AP_E_UNSUPPORTED, 0,
                      "no coordinate of the mechanism is left (lock fewer joints)");
  }
  return AP_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static void change_shapes(ap_robot *robot, const ap_reduced *to) {
  const int n = robot->nshape;
  robot->nshape = 0;
  for (int i = 0; i < n; i++) {
    ap_shape shape = robot->shapes[i];
    shape.body = to->number[shape.body];
    if (shape.body < 0) continue;
    robot->shapes[robot->nshape++] = shape;
  }
}

// Bodies keep their order: every array is filled from its front.
static void change_bodies(ap_robot *robot, const ap_reduced *to) {
  for (int b = 1; b <= robot->nbody; b++)
    if (to->number[b] > 0) robot->lines[to->number[b]] = robot->lines[b];
  for (int k = 0, n = 0; k < robot->nframe; k++)
    if (to->number[robot->frames[k].body] >= 0) robot->frame_lines[n++] = robot->frame_lines[k];
  change_shapes(robot, to);
  robot->nbody = robot->def.nbody = to->robot.nbody;
  robot->nframe = robot->def.nframe = to->robot.nframe;
  for (int k = 0; k < robot->nbody; k++) robot->bodies[k] = to->robot.bodies[k];
  for (int k = 0; k < robot->nframe; k++) robot->frames[k] = to->robot.frames[k];
}

ap_status ap_robot_reduce(ap_robot *robot, const ap_reduction_def *how, ap_error *error) {
  const size_t size = ap_reduced_size(&robot->def);
  if (size == 0) return AP__REFUSE(error, AP_E_MODEL, 0, "the robot has too many bodies or frames");
  void *memory = malloc(size);
  if (!memory) return ap__no_memory(error);
  ap_error own = {.status = AP_OK};
  const change c = {robot, ap_reduce(&robot->def, how, memory, size, &own), &own};
  if (!c.to)
    own.line = ap_robot_message_line(robot, own.text);
  else if (robot->chains)
    own.status = change_chains(&c);
  if (c.to && own.status == AP_OK) change_bodies(robot, c.to);
  free(memory);
  if (own.status && error) *error = own;
  return own.status;
}
