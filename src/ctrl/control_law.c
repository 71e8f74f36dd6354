// SPDX-License-Identifier: Apache-2.0
// The law of a control scenario: gains, springs and dampers.

#include <math.h>

#include "ctrl/control.h"
#include "ctrl/impedance.h"

static const double default_bandwidth = 20; // rad/s

static int line_of(ap__control_reader *r, const char *key) {
  return ap__line_of(r->yaml.root, key);
}

// ---- gains -------------------------------------------------------------------------------------

// The inertia that a joint feels where the arm starts, rotor included.
static bool find_inertia(ap__control_reader *r, double *inertia) {
  ap_control *c = r->control;
  const size_t n = (size_t)c->n;
  double *M = ap__pool_bytes(&c->source.pool, n * n * sizeof *M, _Alignof(double));
  if (!M) return ap__yaml_no_memory(&r->yaml);
  ap_inertia_matrix(c->model, c->work, c->start, M);
  for (int j = 0; j < c->n; j++) {
    const ap_body_def *b = ap__control_body(c->model, j);
    inertia[j] = M[(size_t)j * n + (size_t)j] + b->rotor_inertia * b->gear_ratio * b->gear_ratio;
  }
  return true;
}

// Bandwidths from stiffnesses, N m/rad, and dampings from dampers, N m s/rad.
static bool from_stiffness(ap__control_reader *r, double *w, double *damping) {
  ap_control *c = r->control;
  const ap__control_law *h = &r->head.law;
  double *K = c->stiffness, *D = c->damper, *M = ap__control_room(r);
  if (!M || !find_inertia(r, M) || !ap__control_vector(r, "stiffness", h->stiffness, K) ||
      !ap__control_vector(r, "damper", h->damper, D))
    return false;
  for (int j = 0; j < c->n; j++) {
    if (!(M[j] > 0))
      return ap__yaml_fail(&r->yaml, line_of(r, "controller"),
                           "controller: stiffness: joint %d has no inertia", j + 1);
    w[j] = sqrt(K[j] / M[j]);
    if (h->damper) damping[j] = D[j] / (2 * sqrt(K[j] * M[j]));
    if (!(K[j] > 0 && (!h->damper || D[j] >= 0)))
      return ap__yaml_fail(&r->yaml, line_of(r, "controller"),
                           "controller: a stiffness is not positive, or a damper negative");
  }
  return true;
}

static bool read_gains(ap__control_reader *r, double *w, double *d, double *p) {
  const ap__control_law *h = &r->head.law;
  if (h->stiffness && h->bandwidth)
    return ap__yaml_fail(&r->yaml, line_of(r, "controller"),
                         "controller: bandwidth and stiffness (one of them gives the gains)");
  if (h->damper && (h->damping || !h->stiffness))
    return ap__yaml_fail(&r->yaml, line_of(r, "controller"),
                         "controller: damper goes with stiffness, in place of damping");
  return ap__control_vector(r, "bandwidth", h->bandwidth, w) &&
         ap__control_vector(r, "damping", h->damping, d) &&
         ap__control_vector(r, "integral", h->integral, p) &&
         ap__control_vector(r, "torque", h->torque, r->control->torque) &&
         (!h->stiffness || from_stiffness(r, w, d));
}

// ---- impedances --------------------------------------------------------------------------------

static bool fail(ap__control_reader *r, const char *what) {
  return ap__yaml_fail(&r->yaml, line_of(r, "controller"), "controller: %s", what);
}

// Six numbers on the diagonal, or all 36.
static bool read_task_matrix(ap__control_reader *r, const char *key, const ap__node *n, double *A) {
  double diagonal[6];
  for (int i = 0; i < 36; i++) A[i] = 0;
  if (!n) return true;
  if (n->kind == AP__LIST && n->length == 36) return ap__yaml_numbers(&r->yaml, key, n, 36, A);
  if (!ap__yaml_numbers(&r->yaml, key, n, 6, diagonal)) return false;
  for (int i = 0; i < 6; i++) A[7 * i] = diagonal[i];
  return true;
}

static bool uses(const ap__control_reader *r, ap_law law) {
  bool is = r->head.law.law == (int)law;
  for (int k = 0; k < r->nchange; k++) is = is || r->control->change[k].law == law;
  return is;
}

// Springs of the joints: those given, or the ones that the gains stand for.
static bool read_joint_springs(ap__control_reader *r) {
  ap_control *c = r->control;
  ap_impedance *z = &c->impedance;
  double *M = ap__control_room(r);
  if (!M || !find_inertia(r, M)) return false;
  for (int j = 0; j < c->n; j++) {
    c->stiffness[j] = M[j] * c->gains[j].kp;
    c->damper[j] = M[j] * c->gains[j].kd;
  }
  z->stiffness = c->stiffness, z->damper = c->damper;
  return true;
}

static bool read_task(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_law *h = &r->head.law;
  ap_impedance *z = &c->impedance;
  double *posture = ap__control_room(r), *damper = ap__control_room(r);
  if (!posture || !damper || !ap__control_vector(r, "posture", h->posture, posture) ||
      !ap__control_vector(r, "posture_damper", h->posture_damper, damper) ||
      !read_task_matrix(r, "task_stiffness", h->task_stiffness, z->task_stiffness) ||
      !read_task_matrix(r, "task_damper", h->task_damper, z->task_damper))
    return false;
  z->posture = posture, z->posture_damper = damper;
  if (!h->task_stiffness || !h->task_damper)
    return fail(r, "task_impedance needs task_stiffness and task_damper");
  z->frame = h->frame ? ap_find_frame(c->model, h->frame) : ap_nbody(c->model) - 1;
  return z->frame >= 0 || fail(r, "frame: the robot has no such frame");
}

static bool read_impedance(ap__control_reader *r) {
  ap_control *c = r->control;
  const bool joint = uses(r, AP_LAW_IMPEDANCE), task = uses(r, AP_LAW_TASK_IMPEDANCE);
  if (!joint && !task) return true;
  if (!read_joint_springs(r) || (task && !read_task(r))) return false;
  c->law.impedance = &c->impedance;
  const char *wrong = ap__impedance_check(c->model, task ? AP_LAW_TASK_IMPEDANCE : AP_LAW_IMPEDANCE,
                                          c->law.impedance);
  return !wrong || fail(r, wrong);
}

bool ap__control_read_law(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_law *h = &r->head.law;
  double *w = ap__control_room(r), *d = ap__control_room(r), *p = ap__control_room(r);
  if (!w || !d || !p || !ap__control_vector(r, "start", r->head.rack.start, c->start)) return false;
  for (int j = 0; j < c->n; j++) {
    w[j] = default_bandwidth, d[j] = 1, p[j] = 5;
    c->torque[j] = c->axis[j].largest * ap_axis_gain(&c->axis[j]);
  }
  if (!read_gains(r, w, d, p)) return false;
  const bool integral = h->law == AP_LAW_TRACKING_INTEGRAL || r->nchange > 0;
  for (int j = 0; j < c->n; j++) {
    if (!(w[j] >= 0 && d[j] >= 0 && p[j] >= 0 && w[j] <= 1e6 && c->torque[j] > 0))
      return ap__yaml_fail(&r->yaml, line_of(r, "controller"),
                           "controller: a bandwidth, damping, integral or torque is negative or "
                           "too large");
    // Without integral action the third pole has no meaning.
    c->gains[j] = ap_gains_of(w[j], d[j], integral ? p[j] : 0);
  }
  c->law = ap_default_ctrl();
  c->law.model = c->model, c->law.law = (ap_law)h->law, c->law.gains = c->gains;
  c->law.torque = c->torque, c->law.friction = h->friction;
  c->law.blend = h->blend, c->law.windup = h->windup, c->law.period = c->servo_def.period;
  return read_impedance(r);
}
