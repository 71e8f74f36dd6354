// SPDX-License-Identifier: Apache-2.0
// Followers, closed chains and their configurations in MJCF.
//
// A closure of points is a `connect`, one of frames a `weld`, between sites, so that it does not
// matter how the tree stands at zero. A revolute joint, which closes a point and an axis, is a
// `connect` of two points of that axis, 1 m apart. A gear, like a follower, is an equality of
// joints. What constrains less has no counterpart.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/chains.h"
#include "file/mjcf_write.h"

static int nclosure(const ap__mjcf_writer *w) {
  return w->robot->chains ? w->robot->chains->def.nclosure : 0;
}

static const ap_closure_def *closure(const ap__mjcf_writer *w, int k) {
  return &w->robot->chains->closures[k];
}

// ---- sites -------------------------------------------------------------------------------------

// The closure of points of the same two links that an axis goes with; swapped: in the other order.
static const ap_closure_def *point_of_axis(const ap__mjcf_writer *w, const ap_closure_def *axis,
                                           bool *swapped) {
  for (int k = 0; k < nclosure(w); k++) {
    const ap_closure_def *c = closure(w, k);
    if (c->kind != AP_CLOSE_POINT) continue;
    *swapped = c->body[0] == axis->body[1] && c->body[1] == axis->body[0];
    if (*swapped || (c->body[0] == axis->body[0] && c->body[1] == axis->body[1])) return c;
  }
  return NULL;
}

static ap_status refuse(const ap__mjcf_writer *w, const ap_closure_def *c, const char *what) {
  return AP__REFUSE(w->error, AP_E_UNSUPPORTED, 0,
                    "MJCF cannot express a closure that asks for %s, as \"%.*s\" (use YAML)", what,
                    ap__shown(c->name), c->name);
}

// Ends 2 k and 2 k + 1 are those of closure k.
static ap_status plan_closure(ap__mjcf_writer *w, int k) {
  static const char *const suffix[2] = {"_first", "_second"};
  const ap_closure_def *c = closure(w, k), *point = c;
  bool swapped = false;
  if (c->kind == AP_CLOSE_GEAR) return AP_OK;
  if (c->kind == AP_CLOSE_DISTANCE) return refuse(w, c, "a distance");
  if (c->kind == AP_CLOSE_POINT_ON_LINE) return refuse(w, c, "a point on a line");
  if (c->kind == AP_CLOSE_AXIS && !(point = point_of_axis(w, c, &swapped)))
    return refuse(w, c, "an axis without a point of the same links");
  for (int i = 0; i < 2; i++) {
    ap__mjcf_site *end = &w->end[2 * k + i];
    const double *u = c->axis[i];
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    *end = (ap__mjcf_site){.body = w->name[c->body[i]] ? c->body[i] : 0};
    end->name = ap__mjcf_new_name(w, &w->sites, c->name, suffix[i]);
    if (!end->name) return ap__no_memory(w->error);
    for (int j = 0; j < 3; j++) {
      end->xyz[j] = point->at[swapped ? 1 - i : i][j];
      if (c->kind == AP_CLOSE_AXIS) end->xyz[j] += u[j] / length;
      if (c->kind == AP_CLOSE_FRAME) end->rpy[j] = c->rpy[i][j];
    }
  }
  return AP_OK;
}

ap_status ap__mjcf_plan_closures(ap__mjcf_writer *w) {
  w->nend = 2 * nclosure(w);
  w->end = calloc((size_t)w->nend + 1, sizeof *w->end);
  if (!w->end || !ap__owned_init(&w->ends, w->robot->nbody, w->nend))
    return ap__no_memory(w->error);
  ap_status status = AP_OK;
  for (int k = 0; k < nclosure(w) && !status; k++) status = plan_closure(w, k);
  for (int k = w->nend - 1; k >= 0 && !status; k--)
    if (w->end[k].name) ap__owned_put(&w->ends, w->end[k].body, k);
  return status;
}

// ---- equalities --------------------------------------------------------------------------------

static void couple(ap__mjcf_writer *w, const char *name, int follower, int leader, double ratio,
                   double offset) {
  const double polynomial[5] = {offset, ratio, 0, 0, 0};
  ap__text_add(w->t, "    <joint");
  if (name) ap__xml_text(w->t, "name", name);
  ap__xml_text(w->t, "joint1", ap__joint_name(&w->robot->bodies[follower - 1]));
  ap__xml_text(w->t, "joint2", ap__joint_name(&w->robot->bodies[leader - 1]));
  ap__xml_numbers(w->t, "polycoef", polynomial, 5);
  ap__text_add(w->t, "/>\n");
}

static void add_closure(ap__mjcf_writer *w, int k) {
  const ap_closure_def *c = closure(w, k);
  if (c->kind == AP_CLOSE_GEAR) {
    couple(w, c->name, c->body[1], c->body[0], c->ratio, c->offset);
    return;
  }
  ap__text_add(w->t, "    <%s", c->kind == AP_CLOSE_FRAME ? "weld" : "connect");
  ap__xml_text(w->t, "name", c->name);
  ap__xml_text(w->t, "site1", w->end[2 * k].name);
  ap__xml_text(w->t, "site2", w->end[2 * k + 1].name);
  ap__text_add(w->t, "/>\n");
}

void ap__mjcf_add_equality(ap__mjcf_writer *w) {
  int n = nclosure(w);
  for (int i = 0; i < w->robot->nbody; i++) n += w->robot->bodies[i].mimic != 0;
  if (n == 0) return;
  ap__text_add(w->t, "  <equality>\n");
  for (int i = 1; i <= w->robot->nbody; i++) {
    const ap_body_def *d = &w->robot->bodies[i - 1];
    if (d->mimic) couple(w, NULL, i, d->mimic, d->mimic_ratio, d->mimic_offset);
  }
  for (int k = 0; k < nclosure(w); k++) add_closure(w, k);
  ap__text_add(w->t, "  </equality>\n");
}

// ---- what is driven, and where it begins -------------------------------------------------------

void ap__mjcf_add_actuators(ap__mjcf_writer *w) {
  const ap_mechanism_def *def = ap_robot_mechanism(w->robot);
  int joints = 0;
  for (int k = 0; def && k < def->nactuated; k++) joints += def->actuated[k] > 0;
  if (joints == 0) return;
  ap__text_add(w->t, "  <actuator>\n");
  for (int k = 0; k < def->nactuated; k++) {
    if (def->actuated[k] <= 0) continue; // along a coordinate that is no joint
    const char *joint = ap__joint_name(&w->robot->bodies[def->actuated[k] - 1]);
    ap__text_add(w->t, "    <motor");
    ap__xml_text(w->t, "name", joint);
    ap__xml_text(w->t, "joint", joint);
    ap__text_add(w->t, "/>\n");
  }
  ap__text_add(w->t, "  </actuator>\n");
}

// Value of a joint with one coordinate, also of a follower.
static double value_of(const ap__mjcf_writer *w, int body, const double *x, const int *start) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  double ratio = 1, offset = 0;
  for (int k = 0; d->mimic && k < w->robot->nbody; k++) {
    offset += ratio * d->mimic_offset;
    ratio *= d->mimic_ratio;
    body = d->mimic;
    d = &w->robot->bodies[body - 1];
  }
  return ratio * x[start[body]] + offset;
}

// The coordinates of a body's joint and of all beyond it, depth first; MuJoCo has w first.
static void add_positions(ap__mjcf_writer *w, const double *x, const int *start) {
  int body = w->children.first[0], written = 0;
  while (body > 0) {
    const ap_body_def *d = &w->robot->bodies[body - 1];
    int n = d->mimic ? 1 : ap__robot_joint_nq(w->robot, body);
    for (int k = 0; k < n; k++) {
      int quaternion = n - 4; // its first entry, where there is one
      int from = n < 4 || k < quaternion ? k : k == quaternion ? n - 1 : k - 1;
      double value = n == 1 ? value_of(w, body, x, start) : x[start[body] + from];
      ap__text_add(w->t, "%s", written++ ? " " : "");
      ap__text_numbers(w->t, &value, 1, "");
    }
    body = ap__mjcf_after(w, body);
  }
}

static void add_keyframe(ap__mjcf_writer *w, const char *name, const double *x, const int *start) {
  ap__text_add(w->t, "    <key");
  ap__xml_text(w->t, "name", name);
  ap__text_add(w->t, " qpos=\"");
  add_positions(w, x, start);
  ap__text_add(w->t, "\"/>\n");
}

void ap__mjcf_add_keyframes(ap__mjcf_writer *w) {
  const ap_mechanism_def *def = ap_robot_mechanism(w->robot);
  if (!def) return;
  for (int k = 0; k < def->ncoordinate; k++) {
    const ap_coordinate_def *c = &def->coordinates[k];
    bool implied = c->kind == AP_COORDINATE_JOINT ||
                   (c->body > 0 && w->robot->bodies[c->body - 1].joint == AP_FREE);
    if (!implied) ap__mjcf_note_of(w, AP__NOTE_COORDINATES, c->name);
  }
  if ((!def->guess && def->nbranch == 0) || w->note[AP__NOTE_FREE].n > 0) return;
  int *start = calloc((size_t)w->robot->nbody + 1, sizeof *start), next = 0;
  w->t->failed = w->t->failed || !start;
  if (!start) return;
  for (int i = 1; i <= w->robot->nbody; i++) {
    start[i] = next;
    next += ap__robot_joint_nq(w->robot, i);
  }
  ap__text_add(w->t, "  <keyframe>\n");
  if (def->guess) add_keyframe(w, "guess", def->guess, start);
  for (int k = 0; k < def->nbranch; k++)
    add_keyframe(w, def->branches[k].name, def->branches[k].guess, start);
  ap__text_add(w->t, "  </keyframe>\n");
  free(start);
}
