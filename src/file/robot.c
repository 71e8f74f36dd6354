// SPDX-License-Identifier: Apache-2.0
#include "file/robot.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "file/alloc.h"
#include "file/chains.h"

// ---- texts -------------------------------------------------------------------------------------

struct ap__pool_block {
  struct ap__pool_block *next;
  size_t used, size;
  alignas(max_align_t) char bytes[];
};

void *ap__pool_bytes(ap__pool *pool, size_t size, size_t alignment) {
  struct ap__pool_block *block = pool->block;
  size_t from = block ? (block->used + alignment - 1) / alignment * alignment : 0;
  if (!block || from > block->size || block->size - from < size) {
    size_t whole = size <= 4000 ? 4000 : size;
    block = malloc(sizeof *block + whole);
    if (!block) return NULL;
    *block = (struct ap__pool_block){.next = pool->block, .size = whole};
    pool->block = block;
    from = 0;
  }
  block->used = from + size;
  return block->bytes + from;
}

const char *ap__pool_text(ap__pool *pool, const char *text, size_t length) {
  char *copy = ap__pool_bytes(pool, length + 1, 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

void ap__pool_join(ap__pool *to, ap__pool *from) {
  struct ap__pool_block *last = from->block;
  if (!last) return;
  while (last->next) last = last->next;
  if (to->block) { // whose first block has room left
    last->next = to->block->next;
    to->block->next = from->block;
  } else {
    to->block = from->block;
  }
  from->block = NULL;
}

void ap__pool_free(ap__pool *pool) {
  for (struct ap__pool_block *block = pool->block, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  pool->block = NULL;
}

// ---- robot -------------------------------------------------------------------------------------

void ap__vfail(ap_error *error, ap_status status, int line, const char *format, va_list arguments) {
  char text[2 * sizeof error->text]; // ap__fail() cuts it at a whole character
  vsnprintf(text, sizeof text, format, arguments);
  ap__fail(error, status, line, "%s", text);
}

ap_robot *ap__robot_new(void) {
  ap_robot *robot = calloc(1, sizeof *robot);
  if (robot) robot->def = ap_default_robot();
  return robot;
}

void ap_robot_free(ap_robot *robot) {
  if (!robot) return;
  free(robot->bodies);
  free(robot->lines);
  free(robot->frames);
  free(robot->frame_lines);
  free(robot->warnings);
  free(robot->shapes);
  ap__chains_free(robot->chains);
  ap__pool_free(&robot->pool);
  free(robot);
}

const char *ap__robot_text(ap_robot *robot, const char *text, size_t length) {
  return ap__pool_text(&robot->pool, text, length);
}

bool ap__robot_warn(ap_robot *robot, int line, const char *format, ...) {
  ap_error *warning =
      ap__append(&robot->warnings, &robot->nwarning, &robot->warning_capacity, sizeof *warning);
  if (!warning) return false;
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(warning, AP_OK, line, format, arguments);
  va_end(arguments);
  return true;
}

bool ap__robot_add_frame(ap_robot *robot, const ap_frame_def *frame, int line) {
  ap_frame_def *grown =
      ap__grown(robot->frames, robot->nframe, &robot->frame_capacity, sizeof *grown);
  if (!grown) return false;
  robot->frames = grown;
  int *lines =
      ap__grown(robot->frame_lines, robot->nframe, &robot->frame_line_capacity, sizeof *lines);
  if (!lines) return false;
  robot->frame_lines = lines;
  robot->frames[robot->nframe] = *frame;
  robot->frame_lines[robot->nframe] = line;
  robot->def.frames = robot->frames;
  robot->def.nframe = ++robot->nframe;
  return true;
}

ap__part *ap__parts_add(ap__parts *parts) {
  ap__part *part = ap__append(&parts->part, &parts->n, &parts->capacity, sizeof *part);
  if (part) part->def = ap_default_body();
  return part;
}

// In UTF-8: C0, delete, C1; separators of lines (U+2028, 2029) and what turns the order of the text
// behind it around (U+202A to 202E, U+2066 to 2069), so that a message reads like another.
static bool is_control(const unsigned char *c, size_t left) {
  if (c[0] < 0x20 || c[0] == 0x7f) return true;
  if (c[0] == 0xc2 && left > 1) return c[1] >= 0x80 && c[1] <= 0x9f;
  if (c[0] != 0xe2 || left < 3) return false;
  return (c[1] == 0x80 && c[2] >= 0xa8 && c[2] <= 0xae) ||
         (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9);
}

bool ap__has_control(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (is_control((const unsigned char *)text + i, length - i)) return true;
  return false;
}

const char *ap__joint_name(const ap_body_def *body) {
  return body->joint_name ? body->joint_name : body->name;
}

static bool name_taken(const ap_robot *robot, const char *name, bool joint) {
  for (int i = 0; i < robot->nbody; i++) {
    const ap_body_def *body = &robot->bodies[i];
    if (strcmp(name, joint ? ap__joint_name(body) : body->name) == 0) return true;
  }
  for (int i = 0; !joint && i < robot->nframe; i++)
    if (strcmp(name, robot->frames[i].name) == 0) return true;
  return false;
}

const char *ap__robot_new_name(ap_robot *robot, const char *base, bool joint) {
  size_t length = strlen(base), before = 0;
  for (;; before++) {
    char *name = malloc(before + length + 1);
    if (!name) return NULL;
    memset(name, '_', before);
    memcpy(name + before, base, length + 1);
    const char *kept = NULL;
    bool taken = name_taken(robot, name, joint);
    if (!taken) kept = ap__robot_text(robot, name, before + length);
    free(name);
    if (!taken) return kept;
  }
}

// ---- what a caller sees ------------------------------------------------------------------------

const ap_robot_def *ap_robot_definition(const ap_robot *robot) { return &robot->def; }

int ap_robot_line(const ap_robot *robot, int body) {
  return body > 0 && body <= robot->nbody ? robot->lines[body].body : 0;
}

int ap_robot_warnings(const ap_robot *robot) { return robot->nwarning; }

const ap_error *ap_robot_warning(const ap_robot *robot, int i) {
  return i >= 0 && i < robot->nwarning ? &robot->warnings[i] : NULL;
}

// ---- model -------------------------------------------------------------------------------------

size_t ap__starts_with_name(const char *text, const char *kind, const char *name) {
  char prefix[128];
  int n = snprintf(prefix, sizeof prefix, "%s \"%.*s\": ", kind, ap__shown(name), name);
  return n > 0 && strncmp(text, prefix, (size_t)n) == 0 ? (size_t)n : 0;
}

// The longest match wins: a name may contain quotes.
// The line of the field whose name a message about a body starts with; that of the body where it
// starts with none.
static int line_of_field(const ap__lines *at, const char *text) {
  static const struct {
    const char *name;
    size_t line;
  } fields[] = {
#define FIELD(field) {#field, offsetof(ap__lines, field)},
      AP__BODY_FIELDS(FIELD)
#undef FIELD
  };
  const size_t length = strcspn(text, " .[:");
  for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++) {
    if (strncmp(text, fields[k].name, length) != 0 || fields[k].name[length]) continue;
    const int line = *(const int *)(const void *)((const char *)at + fields[k].line);
    return line ? line : at->body;
  }
  return at->body;
}

int ap_robot_message_line(const ap_robot *robot, const char *text) {
  size_t best = 0;
  int line = 0;
  for (int i = 0; i < robot->nbody + robot->nframe; i++) {
    bool body = i < robot->nbody;
    int k = body ? i : i - robot->nbody;
    size_t match = body ? ap__starts_with_name(text, "body", robot->bodies[k].name)
                        : ap__starts_with_name(text, "frame", robot->frames[k].name);
    if (match <= best) continue;
    best = match;
    line = body ? line_of_field(&robot->lines[k + 1], text + match) : robot->frame_lines[k];
  }
  return line;
}

ap_status ap_robot_model(const ap_robot *robot, ap_model **model, ap_error *error) {
  *model = NULL;
  if (robot->chains)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "closed chains are not supported here (expected a tree)");
  size_t size = ap_model_size(&robot->def);
  if (size == 0) return AP__REFUSE(error, AP_E_MODEL, 0, "the robot has too many bodies or frames");
  // Aligned as the arena wants it, so that the model starts where the memory does and can be freed.
  size = (size + AP_ARENA_ALIGN - 1) / AP_ARENA_ALIGN * AP_ARENA_ALIGN;
  void *memory = aligned_alloc(AP_ARENA_ALIGN, size);
  if (!memory) return ap__no_memory(error);
  ap_error own = {AP_E_MODEL, 0, ""};
  *model = ap_model_init(&robot->def, memory, size, &own);
  assert(!*model || (void *)*model == memory);
  if (*model) return AP_OK;
  free(memory);
  own.line = ap_robot_message_line(robot, own.text);
  if (error) *error = own;
  return own.status;
}

void ap_robot_set_bodies(ap_robot *robot, const ap_body_def *bodies) {
  for (int i = 0; i < robot->nbody; i++) {
    ap_body_def *to = &robot->bodies[i];
    const ap_body_def *b = &bodies[i];
    to->mass = b->mass;
    memcpy(to->com, b->com, sizeof to->com);
    memcpy(to->inertia, b->inertia, sizeof to->inertia);
    memcpy(to->inertia_rpy, b->inertia_rpy, sizeof to->inertia_rpy);
    to->viscous = b->viscous, to->coulomb = b->coulomb, to->stiffness = b->stiffness;
    to->rotor_inertia = b->rotor_inertia, to->gear_ratio = b->gear_ratio;
  }
}

void ap_model_free(ap_model *model) { free(model); }
