// SPDX-License-Identifier: Apache-2.0
// The start of a scenario, by the names of joints.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scenario.h"

// ---- orientations ------------------------------------------------------------------------------

// Quaternion x y z w of R = Rz(yaw) Ry(pitch) Rx(roll).
static void quaternion_of_rpy(const double rpy[3], double q[4]) {
  double s[3], c[3];
  for (int i = 0; i < 3; i++) {
    s[i] = sin(rpy[i] / 2);
    c[i] = cos(rpy[i] / 2);
  }
  q[0] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  q[1] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  q[2] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
  q[3] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
}

// R^T x for the rotation of a unit quaternion: x + 2 u x (u x x) - 2 w u x x with its vector u.
static void into_body(const double q[4], const double x[3], double y[3]) {
  double a[3] = {q[1] * x[2] - q[2] * x[1], q[2] * x[0] - q[0] * x[2], q[0] * x[1] - q[1] * x[0]};
  double b[3] = {q[1] * a[2] - q[2] * a[1], q[2] * a[0] - q[0] * a[2], q[0] * a[1] - q[1] * a[0]};
  for (int i = 0; i < 3; i++) y[i] = x[i] + 2 * b[i] - 2 * q[3] * a[i];
}

// A quaternion is written with few digits: near one in length it is scaled.
static bool make_unit(ap__scenario_reader *r, const char *key, int line, double q[4]) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(length - 1) <= 1e-3))
    return ap__yaml_fail(&r->yaml, line,
                         "%s: the quaternion has length %g (expected 1; the order is x y z w)", key,
                         length);
  for (int i = 0; i < 4; i++) q[i] /= length;
  return true;
}

// ---- start -------------------------------------------------------------------------------------

// Where the quaternion of a joint starts in its coordinates; -1: it has none.
static int quaternion_place(ap_joint_type type) {
  return type == AP_FREE ? 3 : type == AP_SPHERICAL ? 0 : -1;
}

static bool check_coordinates(ap__scenario_reader *r, ap_joint_type type, int line, double *q) {
  if (type == AP_REVOLUTE) return ap__scenario_angle(r, "q", line, q[0]);
  if (type == AP_PLANAR) return ap__scenario_angle(r, "q", line, q[2]);
  int place = quaternion_place(type);
  return place < 0 || make_unit(r, "q", line, q + place);
}

typedef struct words {
  bool q, v, position, orientation, rpy, velocity, angular_velocity;
} words;

static bool check_words(ap__scenario_reader *r, ap_joint_type type, int line, const words *has) {
  ap__yaml *y = &r->yaml;
  bool turned = has->orientation || has->rpy || has->angular_velocity;
  if ((has->position || has->velocity) && type != AP_FREE)
    return ap__yaml_fail(y, line, "position and velocity apply to free joints only (use q and v)");
  if (turned && type != AP_FREE && type != AP_SPHERICAL)
    return ap__yaml_fail(y, line,
                         "orientation, rpy and angular_velocity apply to free and spherical joints "
                         "only (use q and v)");
  if (has->orientation && has->rpy)
    return ap__yaml_fail(y, line, "orientation and rpy together (use one of them)");
  if (has->q && (has->position || has->orientation || has->rpy))
    return ap__yaml_fail(y, line, "q together with position or orientation (use one of them)");
  if (has->v && (has->velocity || has->angular_velocity))
    return ap__yaml_fail(y, line, "v together with velocity (use one of them)");
  return true;
}

// Free and spherical joints in words. q holds the neutral configuration.
static bool set_pose(ap__scenario_reader *r, const ap__scenario_start *start, ap_joint_type type,
                     int line, const words *has, double *q) {
  int place = quaternion_place(type);
  if (has->position) memcpy(q, start->position, sizeof start->position);
  if (has->orientation) {
    memcpy(q + place, start->orientation, sizeof start->orientation);
    return make_unit(r, "orientation", line, q + place);
  }
  for (int i = 0; has->rpy && i < 3; i++)
    if (!ap__scenario_angle(r, "rpy", line, start->rpy[i])) return false;
  if (has->rpy) quaternion_of_rpy(start->rpy, q + place);
  return true;
}

static void set_velocity(const ap__scenario_start *start, ap_joint_type type, const double *q,
                         double *v) {
  const double *turn = q + quaternion_place(type);
  if (type == AP_FREE) into_body(turn, start->velocity, v);
  into_body(turn, start->angular_velocity, type == AP_FREE ? v + 3 : v);
}

static bool read_words(ap__scenario_reader *r, int body, const ap__node *n) {
  ap__yaml *y = &r->yaml;
  const ap_model *m = r->scenario->model;
  ap_joint_type type = ap_body(m, body)->joint;
  double *q = r->scenario->q + ap_joint_q(m, body), *v = r->scenario->v + ap_joint_v(m, body);
  ap__scenario_start start = {0};
  if (!ap__yaml_read_map(y, n, "start", &start)) return false;
#define HAS(key) .key = ap__yaml_has(y, "start", start.seen, #key)
  const words has = {HAS(q),   HAS(v),        HAS(position),        HAS(orientation),
                     HAS(rpy), HAS(velocity), HAS(angular_velocity)};
#undef HAS
  if (!check_words(r, type, n->line, &has)) return false;
  if (has.q && !(ap__yaml_numbers(y, "q", start.q, ap_joint_nq(m, body), q) &&
                 check_coordinates(r, type, start.q->line, q)))
    return false;
  if (!set_pose(r, &start, type, n->line, &has, q)) return false;
  if (has.v && !ap__yaml_numbers(y, "v", start.v, ap_joint_nv(m, body), v)) return false;
  if (has.velocity || has.angular_velocity) set_velocity(&start, type, q, v);
  return true;
}

static bool check_range(ap__scenario_reader *r, int body, int line, const char *name) {
  const ap_model *m = r->scenario->model;
  const double *q = r->scenario->q + ap_joint_q(m, body), *v = r->scenario->v + ap_joint_v(m, body);
  int nq = ap_joint_nq(m, body), nv = ap_joint_nv(m, body);
  for (int i = 0; i < nq + nv; i++) {
    double x = i < nq ? q[i] : v[i - nq];
    if (!(fabs(x) <= AP__SCENARIO_MOST))
      return ap__yaml_fail(&r->yaml, line, "start: the joint \"%.*s\" has %s %g (at most %g)",
                           ap__shown(name), name, i < nq ? "a position of" : "a velocity of", x,
                           AP__SCENARIO_MOST);
  }
  return true;
}

bool ap__scenario_start_joint(ap__scenario_reader *r, int body, const ap__node *n) {
  const ap_model *m = r->scenario->model;
  const ap_body_def *def = ap_body(m, body);
  const char *name = ap__joint_name(def);
  if (n->kind != AP__SCALAR) {
    if (!read_words(r, body, n)) return false;
  } else {
    if (ap_joint_nq(m, body) != 1)
      return ap__yaml_fail(&r->yaml, n->line,
                           "start: a joint with %d coordinates (expected a map: {q: [...]})",
                           ap_joint_nq(m, body));
    char key[100];
    snprintf(key, sizeof key, "start of %.*s", ap__shown(name), name);
    if (!ap__yaml_number(&r->yaml, key, n, r->scenario->q + ap_joint_q(m, body)) ||
        !check_coordinates(r, def->joint, n->line, r->scenario->q + ap_joint_q(m, body)))
      return false;
  }
  return check_range(r, body, n->line, name);
}

bool ap__scenario_read_start(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  s->q = calloc((size_t)ap_nq(s->model), sizeof *s->q);
  s->v = calloc((size_t)ap_nv(s->model), sizeof *s->v);
  if (!s->q || !s->v) return ap__yaml_no_memory(&r->yaml);
  if (s->mechanism) return ap__scenario_start_closed(r);
  ap_neutral(s->model, s->q);
  return !r->head.start ||
         ap__scenario_by_joint(r, "start", r->head.start, ap__scenario_start_joint);
}
