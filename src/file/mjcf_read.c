// SPDX-License-Identifier: Apache-2.0
// MJCF: the reading as a whole.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mjcf.h"

enum { MOST_VISITED = 2000000 }; // elements and copies, each counted twice

// ---- faults and warnings -----------------------------------------------------------------------

void ap__mjcf_fail(mjcf *m, const ap__node *e, const char *format, ...) {
  if (m->status) return;
  char text[2 * sizeof m->error->text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (e->file)
    ap__fail(m->error, AP_E_SYNTAX, e->line, "%.*s:%d: %s", ap__shown(e->file), e->file,
             e->file_line, text);
  else
    ap__fail(m->error, AP_E_SYNTAX, e->line, "%s", text);
  m->status = AP_E_SYNTAX;
}

void ap__mjcf_no_memory(mjcf *m) { m->status = ap__no_memory(m->error); }

void *ap__mjcf_append(mjcf *m, void *array, int *count, int *capacity, size_t size) {
  void *one = ap__append(array, count, capacity, size);
  if (!one) ap__mjcf_no_memory(m);
  return one;
}

bool ap__mjcf_visit(mjcf *m, const ap__node *e) {
  if (!m->status && ++m->visited > MOST_VISITED)
    ap__mjcf_fail(m, e, "more than %d elements, copies counted (split the robot)", MOST_VISITED);
  return m->status == AP_OK;
}

void ap__mjcf_odd(mjcf *m, mjcf_oddity what, const ap__node *e, const char *name) {
  ap__tally_add(&m->tally[what], e->line, name);
}

static bool warn_of_oddities(mjcf *m) {
  static const char *const text[MJCF_ODD_KINDS] = {
#define MJCF_ODDITY_TEXT(code, words) words,
      MJCF_ODDITIES(MJCF_ODDITY_TEXT)
#undef MJCF_ODDITY_TEXT
  };
  return ap__tally_warn(m->tally, text, MJCF_ODD_KINDS, m->robot);
}

// ---- what holds for the whole robot ------------------------------------------------------------

static bool is_disabled(mjcf *m, const mjcf_item *flags, const char *name) {
  return ap__mjcf_word(m, flags, name, "disable enable", 1) == 0;
}

static void read_option(mjcf *m, const ap__node *e) {
  const mjcf_scope scope = {m->models, "", ""};
  const mjcf_item item = {.e = e, .scope = &scope, .kind = MJCF_KINDS};
  double x[3] = {0};
  ap__mjcf_numbers(m, &item, "gravity", 3, 3, m->robot->def.gravity);
  if (ap__mjcf_numbers(m, &item, "density", 1, 1, x) && x[0] != 0)
    ap__mjcf_odd(m, MJCF_ODD_PASSIVE, e, "density of the air");
  if (ap__mjcf_numbers(m, &item, "viscosity", 1, 1, x) && x[0] != 0)
    ap__mjcf_odd(m, MJCF_ODD_PASSIVE, e, "viscosity of the air");
  const ap__node *flag = ap__mjcf_named(ap__mjcf_first(e), "flag");
  const mjcf_item flags = {.e = flag, .scope = &scope, .kind = MJCF_KINDS};
  if (!flag) return;
  if (is_disabled(m, &flags, "gravity"))
    memset(m->robot->def.gravity, 0, sizeof m->robot->def.gravity);
  const bool passive = is_disabled(m, &flags, "passive"); // springs and dampers, until MuJoCo 3.3
  m->no_springs = m->no_springs || passive || is_disabled(m, &flags, "spring");
  m->no_damping = m->no_damping || passive || is_disabled(m, &flags, "damper");
  m->no_friction = m->no_friction || is_disabled(m, &flags, "frictionloss");
}

static void read_robot(mjcf *m) {
  const char *name = ap__attribute(m->tree->root, "model");
  if (name && *name && !ap__has_control(name, strlen(name)) &&
      !(m->robot->def.name = ap__robot_text(m->robot, name, strlen(name))))
    ap__mjcf_no_memory(m);
  const ap__node *e = ap__mjcf_first(m->tree->root);
  for (; !m->status && (e = ap__mjcf_named(e, "option")); e = ap__mjcf_next(e)) read_option(m, e);
}

// Is there a <connect> or <weld> that is active?
static bool has_closures(const ap__node *e) {
  for (const ap__node *c = e->first; c; c = c->next) {
    const char *active = ap__attribute(c, "active");
    bool closure = strcmp(e->name, "equality") == 0 &&
                   (strcmp(c->name, "connect") == 0 || strcmp(c->name, "weld") == 0);
    if ((closure && (!active || strcmp(active, "false") != 0)) || has_closures(c)) return true;
  }
  return false;
}

static void release(mjcf *m) {
  ap__mjcf_free_models(m);
  ap__pool_free(&m->pool);
  ap__names_free(&m->body_names);
  ap__names_free(&m->joint_names);
  ap__names_free(&m->site_names);
  ap__names_free(&m->tendon_names);
  free(m->scopes);
  free(m->own);
  free(m->bodies);
  free(m->joints);
  free(m->sites);
  free(m->tendons);
  free(m->terms);
  free(m->closures);
  free(m->parts.part);
  free(m->carrier);
  free(m->shapes.shape);
}

ap_status ap__mjcf_read(const ap__tree *tree, const char *path, const ap_read_options *options,
                        ap_robot *robot, ap_error *error) {
  if (tree->error.status) {
    if (error) *error = tree->error;
    return tree->error.status;
  }
  ap_error own;
  mjcf m = {.tree = tree,
            .path = path,
            .options = options,
            .robot = robot,
            .error = error ? error : &own};
  m.closed = !options->ignore_loops && has_closures(tree->root);
  ap__mjcf_read_bodies(&m);
  if (!m.status) read_robot(&m);
  if (!m.status) ap__mjcf_read_couplings(&m);
  if (!m.status) m.status = ap__mjcf_finish(&m);
  if (!m.status && !warn_of_oddities(&m)) ap__mjcf_no_memory(&m);
  release(&m);
  return m.status;
}
