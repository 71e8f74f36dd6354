// SPDX-License-Identifier: Apache-2.0
// The laws of Valera et al. (2003), Table 4 as corrected: the tracking laws feed back q' - q'_d.

#include <appell/ctrl.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "ctrl/ctrl.h"
#include "ctrl/impedance.h"

struct ap_ctrl {
  const ap_model *model;
  ap_work *work;
  int n;
  ap_law law, before; // before: the law and gains until a switch that is not done yet
  bool switching, friction, unused;
  double period, keep, windup; // keep: the part of a bump that is left after a period
  ap_gains *gains, *gains_before;
  double *limit, *diagonal, *integral, *bump;
  double *wanted, *u, *zero, *old, *M;
  double *viscous, *coulomb, *rotor, *passive;
  ap__impedance *impedance; // NULL: none
};

const char *ap_law_name(ap_law law) {
  switch (law) {
#define LAW_NAME(code, text) \
  case code: return text;
    AP_LAW_LIST(LAW_NAME)
#undef LAW_NAME
  }
  return NULL;
}

ap_gains ap_gains_of(double bandwidth, double damping, double integral) {
  double w = bandwidth, d = 2 * damping * bandwidth;
  return (ap_gains){.kp = w * w + d * integral, .kd = d + integral, .ki = w * w * integral};
}

ap_ctrl_def ap_default_ctrl(void) {
  return (ap_ctrl_def){.law = AP_LAW_TRACKING,
                       .period = 1e-3,
                       .blend = 0.05,
                       .windup = 100,
                       .friction = true,
                       .cookie = AP_COOKIE};
}

// ---- memory ------------------------------------------------------------------------------------

// One list, walked twice: with base NULL it measures.
typedef struct layout {
  unsigned char *base;
  size_t used;
} layout;

static void *lay(layout *l, size_t bytes) {
  l->used = (l->used + 63) / 64 * 64;
  void *at = l->base ? l->base + l->used : NULL;
  l->used += bytes;
  return at;
}

static ap_ctrl *lay_out(layout *l, const ap_model *m, void **work) {
  size_t n = (size_t)ap_nv(m);
  ap_ctrl *c = lay(l, sizeof *c), none;
  ap_ctrl *to = c ? c : &none;
  to->gains = lay(l, n * sizeof(ap_gains));
  to->gains_before = lay(l, n * sizeof(ap_gains));
  double **const vectors[] = {&to->limit,   &to->diagonal, &to->integral, &to->bump,
                              &to->wanted,  &to->u,        &to->zero,     &to->old,
                              &to->viscous, &to->coulomb,  &to->rotor,    &to->passive};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = lay(l, n * sizeof(double));
  to->M = lay(l, n * n * sizeof(double));
  to->impedance = lay(l, ap__impedance_size((int)n));
  *work = lay(l, ap_work_size(m));
  return c;
}

size_t ap_ctrl_size(const ap_model *m) {
  layout l = {0};
  void *work;
  lay_out(&l, m, &work);
  return l.used + 64;
}

// ---- making ------------------------------------------------------------------------------------

static bool gains_good(const ap_gains *g, int n) {
  for (int j = 0; j < n; j++)
    if (!(g[j].kp >= 0 && g[j].kd >= 0 && g[j].ki >= 0) || !isfinite(g[j].kp + g[j].kd + g[j].ki))
      return false;
  return true;
}

ap_status ap__single_joints(const ap_model *m, ap_error *error) {
  for (int i = 1; i < ap_nbody(m); i++) {
    const ap_body_def *b = ap_body(m, i);
    bool single = b->joint == AP_FIXED || b->joint == AP_REVOLUTE || b->joint == AP_PRISMATIC;
    if (single && !b->mimic) continue;
    return AP__REFUSE(
        error, AP_E_UNSUPPORTED, 0,
        "the joint of \"%.*s\" %s (control needs joints with one degree of freedom each)",
        ap__shown(b->name), b->name, single ? "follows another" : "has several degrees");
  }
  if (ap_nv(m) > 0) return AP_OK;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "nothing moves in this robot (it needs at least one moving joint)");
}

static ap_status check(const ap_ctrl_def *d, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_ctrl, d, error)) return AP_E_ARG;
  ap_status status = ap__single_joints(d->model, error);
  int n = status ? 0 : ap_nv(d->model);
  const char *wrong = NULL;
  if (!ap_law_name(d->law)) wrong = "unknown control law";
  if (d->gains && !gains_good(d->gains, n)) wrong = "a gain is negative or not finite";
  for (int j = 0; d->torque && j < n; j++)
    if (!(d->torque[j] > 0)) wrong = "a torque limit is not positive";
  if (!(d->period > 0 && d->period <= 1)) wrong = "the period is not between 0 and 1 s";
  if (!(d->blend > 0)) wrong = "the time constant of a switch is not positive";
  if (!(d->windup > 0)) wrong = "the bound of integral action is not positive";
  if (!wrong && !status) wrong = ap__impedance_check(d->model, d->law, d->impedance);
  if (status || !wrong) return status;
  return AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong);
}

static void take_joints(ap_ctrl *c, const ap_ctrl_def *d) {
  for (int i = 1; i < ap_nbody(c->model); i++) {
    int j = ap_joint_v(c->model, i);
    if (j < 0 || ap_joint_nv(c->model, i) != 1) continue;
    const ap_body_def *b = ap_body(c->model, i);
    c->limit[j] = d->torque ? d->torque[j] : b->effort_limit;
    c->viscous[j] = b->viscous, c->coulomb[j] = b->coulomb;
    c->rotor[j] = b->rotor_inertia * b->gear_ratio * b->gear_ratio;
    c->gains[j] = d->gains ? d->gains[j] : ap_gains_of(20, 1, 5);
    c->zero[j] = 0;
  }
}

ap_ctrl *ap_ctrl_init(const ap_ctrl_def *def, void *mem, size_t size, ap_error *error) {
  if (check(def, error)) return NULL;
  size_t shift = (64 - (uintptr_t)mem % 64) % 64, whole = ap_ctrl_size(def->model);
  if (!mem || size < whole) {
    ap__fail(error, AP_E_MEMORY, 0, "%zu bytes are too few for the controller (it needs %zu)", size,
             whole);
    return NULL;
  }
  layout l = {.base = (unsigned char *)mem + shift};
  void *work;
  ap_ctrl *c = lay_out(&l, def->model, &work);
  c->work = ap_work_init(def->model, work, ap_work_size(def->model));
  ap_work_use(def->model, c->work, def->code);
  c->model = def->model, c->n = ap_nv(def->model);
  c->law = c->before = def->law, c->switching = false, c->friction = def->friction;
  c->period = def->period, c->windup = def->windup, c->unused = true;
  c->keep = exp(-def->period / def->blend);
  c->impedance = def->impedance ? ap__impedance_init(c->model, def->impedance, c->impedance) : NULL;
  take_joints(c, def);
  memset(c->diagonal, 0, (size_t)c->n * sizeof(double));
  ap_ctrl_reset(c, c->zero);
  c->unused = true;
  return c;
}

ap_work *ap_ctrl_work(ap_ctrl *c) { return c->work; }
const ap_model *ap_ctrl_model(const ap_ctrl *c) { return c->model; }
ap_law ap_ctrl_law(const ap_ctrl *c) { return c->law; }
const double *ap_ctrl_wanted(const ap_ctrl *c) { return c->wanted; }
const double *ap__ctrl_limit(const ap_ctrl *c) { return c->limit; }
const ap_gains *ap__ctrl_gains(const ap_ctrl *c) { return c->gains; }
double ap__ctrl_stiffness(const ap_ctrl *c, int j) {
  if (c->law == AP_LAW_TASK_IMPEDANCE) return 0;
  return c->law == AP_LAW_IMPEDANCE ? ap__impedance_stiffness(c->impedance, j)
                                    : c->diagonal[j] * c->gains[j].kp;
}

const double *ap__ctrl_diagonal(const ap_ctrl *c) { return c->diagonal; }

const double *ap__ctrl_inertia(const ap_ctrl *c) { return c->M; }

void ap_ctrl_reset(ap_ctrl *c, const double *q) {
  ap_inertia_matrix(c->model, c->work, q, c->M);
  for (int j = 0; j < c->n; j++) {
    c->diagonal[j] = c->M[j * c->n + j] + (c->friction ? c->rotor[j] : 0);
    c->integral[j] = c->bump[j] = c->wanted[j] = 0;
  }
  if (c->impedance) ap__impedance_reset(c->impedance, c->diagonal);
  c->switching = false, c->unused = true;
}

// ---- the laws ----------------------------------------------------------------------------------

static const double at_rest = 1e-3; // rad/s or m/s: speeds far below are none
static const double stiffer = 8;    // times the law's own stiffness, for friction at rest

// Coulomb friction is fed forward by the way the joint is wanted to go: that of the reference, and
// where it rests that of the error. Neither is measured, so it does not chatter as the sign of a
// measured velocity would. Of the error it is a spring, which takes no part in any oscillation; it
// is at most so much stiffer than the law as the loop's periods allow.
static double friction_of(const ap_ctrl *c, int j, const ap_gains *gains, double v, double wanted,
                          double error) {
  if (!(c->coulomb[j] > 0)) return c->viscous[j] * v;
  double way = wanted / at_rest - stiffer * c->diagonal[j] * gains[j].kp * error / c->coulomb[j];
  return c->viscous[j] * v + c->coulomb[j] * way / sqrt(way * way + 1);
}

// [Valera 29] with u of Table 4, or PD with gravity compensation.
// Springs and gravity compensation of the model.
static void add_passive(ap_ctrl *c, const double *q, double *tau) {
  if (!c->friction) return;
  ap_passive_forces(c->model, c->work, q, c->passive);
  for (int j = 0; j < c->n; j++) tau[j] += c->passive[j];
}

// M q"_d + C q'_d + G, springs and friction, then the impedance.
static void comply(ap_ctrl *c, ap_law law, const ap_traj_state *d, const double *q, const double *v,
                   double *tau) {
  const ap_traj_state whole = {d->q, d->v ? d->v : c->zero, d->a ? d->a : c->zero};
  const bool task = law == AP_LAW_TASK_IMPEDANCE;
  ap__impedance_forward(c->impedance, c->model, c->work, &whole, q, v, tau);
  add_passive(c, q, tau);
  for (int j = 0; c->friction && j < c->n; j++) {
    double rate = whole.v[j], way = rate / at_rest;
    tau[j] +=
        c->rotor[j] * whole.a[j] + c->viscous[j] * rate + c->coulomb[j] * way / sqrt(way * way + 1);
  }
  if (task)
    ap__impedance_task(c->impedance, c->model, c->work, c->friction ? c->rotor : c->zero, &whole, q,
                       v, tau);
  else
    ap__impedance_joint(c->impedance, &whole, q, v, tau);
}

static void law_torque(ap_ctrl *c, ap_law law, const ap_gains *gains, const ap_traj_state *d,
                       const double *q, const double *v, double *tau) {
  if (law == AP_LAW_IMPEDANCE || law == AP_LAW_TASK_IMPEDANCE) {
    comply(c, law, d, q, v, tau);
    return;
  }
  bool follows = law != AP_LAW_POINT, integral = law == AP_LAW_TRACKING_INTEGRAL;
  for (int j = 0; j < c->n; j++) {
    double rate = follows && d->v ? d->v[j] : 0;
    double u = -gains[j].kd * (v[j] - rate) - gains[j].kp * (q[j] - d->q[j]);
    if (follows && law != AP_LAW_PD_GRAVITY && d->a) u += d->a[j];
    if (integral) u -= c->integral[j];
    c->u[j] = u;
  }
  if (law == AP_LAW_PD_GRAVITY) {
    ap_gravity_forces(c->model, c->work, q, tau);
    add_passive(c, q, tau);
    for (int j = 0; j < c->n; j++) tau[j] += c->diagonal[j] * c->u[j];
    return;
  }
  ap_inverse_dynamics(c->model, c->work, q, v, c->u, tau);
  add_passive(c, q, tau);
  for (int j = 0; c->friction && j < c->n; j++)
    tau[j] += c->rotor[j] * c->u[j] +
              friction_of(c, j, gains, v[j], follows && d->v ? d->v[j] : 0, q[j] - d->q[j]);
}

// Ki times the integral of e, one period on. It stays where the torque is cut and the error would
// drive it further, and within its bound.
static void integrate(ap_ctrl *c, const ap_traj_state *d, const double *q) {
  for (int j = 0; j < c->n; j++) {
    double step = c->gains[j].ki * (q[j] - d->q[j]) * c->period;
    bool cut = fabs(c->wanted[j]) > c->limit[j];
    if (cut && step * c->wanted[j] < 0) continue;
    c->integral[j] = fmin(fmax(c->integral[j] + step, -c->windup), c->windup);
  }
}

static double clamp(double x, double most) { return x > most ? most : x < -most ? -most : x; }

void ap_ctrl_step(ap_ctrl *c, const ap_traj_state *reference, const double *q, const double *v,
                  double *tau) {
  if (c->switching) {
    law_torque(c, c->before, c->gains_before, reference, q, v, c->old);
    if (c->law != AP_LAW_TRACKING_INTEGRAL)
      for (int j = 0; j < c->n; j++) c->integral[j] = 0;
  }
  law_torque(c, c->law, c->gains, reference, q, v, c->wanted);
  for (int j = 0; j < c->n; j++) {
    c->bump[j] =
        c->switching ? c->bump[j] * c->keep + c->old[j] - c->wanted[j] : c->bump[j] * c->keep;
    c->wanted[j] += c->bump[j];
    tau[j] = clamp(c->wanted[j], c->limit[j]);
  }
  c->switching = c->unused = false;
  if (c->law == AP_LAW_TRACKING_INTEGRAL) integrate(c, reference, q);
}

ap_status ap_ctrl_switch(ap_ctrl *c, ap_law law, const ap_gains *gains) {
  const bool complies = law == AP_LAW_IMPEDANCE || law == AP_LAW_TASK_IMPEDANCE;
  if (!ap_law_name(law) || (complies && !c->impedance) || (gains && !gains_good(gains, c->n)))
    return AP_E_ARG;
  if (!c->unused && !c->switching) { // a controller that has not begun has nothing to carry over
    c->before = c->law;
    memcpy(c->gains_before, c->gains, (size_t)c->n * sizeof *gains);
    c->switching = true;
  }
  c->law = law;
  if (gains) memcpy(c->gains, gains, (size_t)c->n * sizeof *gains);
  return AP_OK;
}
