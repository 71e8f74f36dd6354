// SPDX-License-Identifier: Apache-2.0
// Names and units of columns: one table of quantities, one of the entries of joints.

#include "file/columns.h"

#include <appell/json.h>
#include <stdio.h>
#include <string.h>

#include "file/alloc.h"

// ---- quantities --------------------------------------------------------------------------------

static const ap__quantity quantities[] = {
    {"t", "time", "s", false},
    {"q", "q", "", false},
    {"v", "v", "", false},
    {"a", "a", "", false},
    {"tau", "tau", "", false},
    {"residual external torque", "residual", "", false},
    {"kinetic potential elastic work dissipated closing", "energy", "J", false},
    {"lost", "energy", "J", true},
    {"force", "force", "N", false},
    {"margin", "margin", "N", false},
    {"place", "place", "m", false},
    {"coordinate", "coordinate", "", false},
    {"rate", "rate", "", false},
    {"contacts", "contact", "", true},
    {"impacts", "count", "", true},
    {"encoder index", "count", "counts", true},
    {"qd", "reference", "rad", false},
    {"vd", "reference_rate", "rad/s", false},
    {"ad", "reference_rate", "rad/s2", false},
    {"error", "error", "rad", false},
    {"potentiometer", "signal", "V", false},
    {"command", "command", "", false},
    {"late compute", "timing", "s", false},
    {"status brakes tools period phase stop stop_axis failed category", "other", "", true},
    {"work_of kinetic_after", NULL, "J", false},
    {"closure drift", NULL, "m or rad", false},
    {"impulse impulse_vector", NULL, "N s", false},
    {"position", NULL, "m", false},
    {"before after", NULL, "m/s", false},
    {"angle", NULL, "rad", false},
    {"", NULL, "", false}};

const ap__quantity *ap__quantity_of(const char *column) {
  const size_t n = strcspn(column, ".");
  const ap__quantity *k = quantities;
  for (; k->names[0]; k++)
    for (const char *word = k->names; *word; word += strspn(word, " ")) {
      const size_t length = strcspn(word, " ");
      if (length == n && strncmp(word, column, n) == 0) return k;
      word += length;
    }
  return k;
}

// ---- entries of joints -------------------------------------------------------------------------

// What the entries of a joint are called, and how many of them slide, which are the first; a joint
// with one entry has the name "".
typedef struct joint_entries {
  const char *q[7], *v[6], *tau[6];
  int slides;
} joint_entries;

static const joint_entries joints[] = {
    [AP_REVOLUTE] = {{""}, {""}, {""}, 0},
    [AP_PRISMATIC] = {{""}, {""}, {""}, 1},
    [AP_SPHERICAL] = {{"qx", "qy", "qz", "qw"}, {"wx", "wy", "wz"}, {"tx", "ty", "tz"}, 0},
    [AP_PLANAR] = {{"x", "y", "angle"}, {"vx", "vy", "w"}, {"fx", "fy", "t"}, 2},
    [AP_FREE] = {{"x", "y", "z", "qx", "qy", "qz", "qw"},
                 {"vx", "vy", "vz", "wx", "wy", "wz"},
                 {"fx", "fy", "fz", "tx", "ty", "tz"},
                 3}};

const char *ap__entry_unit(ap_joint_vector vector, bool slides) {
  static const char *const units[][2] = {[AP_JOINT_Q] = {"rad", "m"},
                                         [AP_JOINT_V] = {"rad/s", "m/s"},
                                         [AP_JOINT_A] = {"rad/s2", "m/s2"},
                                         [AP_JOINT_TAU] = {"N m", "N"}};
  return units[vector][slides];
}

static int entries_of(const ap_model *m, ap_joint_vector vector, int body) {
  return vector == AP_JOINT_Q ? ap_joint_nq(m, body) : ap_joint_nv(m, body);
}

static const char *part_of(const ap_model *m, ap_joint_vector vector, int body, int k) {
  const joint_entries *e = &joints[ap_body(m, body)->joint];
  return vector == AP_JOINT_Q ? e->q[k] : vector < AP_JOINT_TAU ? e->v[k] : e->tau[k];
}

// ---- names -------------------------------------------------------------------------------------

static void replace_separators(char *name) {
  for (size_t length; *name; name += length) {
    length = ap_utf8_length(name);
    if (length == 0) length = 1;
    if (!ap_is_control(name) && !strchr(" ,\"#", *name)) continue;
    for (size_t k = 0; k < length; k++) name[k] = '_';
  }
}

// "a", "a.b" or "a.b.c"; "b" and "b.c" where a is "".
static int join(const char *a, const char *b, const char *c, char *text, size_t size) {
  const int n =
      snprintf(text, size, "%s%s%s%s%s", a, a[0] && b[0] ? "." : "", b, c[0] ? "." : "", c);
  if (size > 0) replace_separators(text);
  return n;
}

int ap_column_name(const ap_model *m, ap_joint_vector vector, const char *group, int k, char *text,
                   size_t size) {
  for (int i = 1; i < ap_nbody(m); i++) {
    const int entry = k - (vector == AP_JOINT_Q ? ap_joint_q(m, i) : ap_joint_v(m, i));
    if (entry >= 0 && entry < entries_of(m, vector, i))
      return join(group, ap__joint_name(ap_body(m, i)), part_of(m, vector, i, entry), text, size);
  }
  if (size > 0) text[0] = 0;
  return 0;
}

// ---- lists -------------------------------------------------------------------------------------

void ap__columns_add_named(ap__columns *list, const char *name, const char *unit) {
  ap_column *grown = ap__grown(list->column, list->n, &list->room, sizeof *grown);
  if (grown) list->column = grown;
  const ap_column copy = {grown ? ap__pool_text(&list->pool, name, strlen(name)) : NULL,
                          grown ? ap__pool_text(&list->pool, unit, strlen(unit)) : NULL};
  const bool good = copy.name && copy.unit;
  if (good) list->column[list->n++] = copy;
  list->failed = list->failed || !good;
}

void ap__columns_add(ap__columns *list, const char *group, const char *name, const char *part,
                     const char *unit) {
  const size_t size = (size_t)join(group, name, part, NULL, 0) + 1;
  char *text = malloc(size);
  list->failed = list->failed || !text;
  if (!text) return;
  join(group, name, part, text, size);
  ap__columns_add_named(list, text, unit ? unit : ap__quantity_of(group)->unit);
  free(text);
}

void ap__columns_joints(ap__columns *list, const char *group, const ap_model *m,
                        ap_joint_vector vector, const char *unit) {
  for (int i = 1; i < ap_nbody(m); i++)
    for (int k = 0; k < entries_of(m, vector, i); k++) {
      const char *part = part_of(m, vector, i, k);
      const bool quaternion = vector == AP_JOINT_Q && part[0] == 'q';
      const bool slides = k < joints[ap_body(m, i)->joint].slides;
      ap__columns_add(list, group, ap__joint_name(ap_body(m, i)), part,
                      unit         ? unit
                      : quaternion ? ""
                                   : ap__entry_unit(vector, slides));
    }
}

bool ap__columns_ready(ap__columns *list) {
  list->row = calloc((size_t)list->n + 1, sizeof *list->row);
  return list->row && !list->failed;
}

void ap__columns_free(ap__columns *list) {
  ap__pool_free(&list->pool);
  free(list->column);
  free(list->row);
  *list = (ap__columns){0};
}

const ap_column *ap__columns_find(const ap__columns *list, const char *name, int from) {
  for (int k = 0; k < list->n; k++) {
    const ap_column *column = &list->column[(from + k) % list->n];
    if (strcmp(column->name, name) == 0) return column;
  }
  return NULL;
}
