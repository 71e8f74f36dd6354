// SPDX-License-Identifier: Apache-2.0
#include <appell/feed_forward.h>
#include <math.h>

#include "base/arena.h"
#include "base/error.h"

struct ap_feed_forward {
  const ap_model *model;
  ap_work *work;
  int n;
  bool begun;   // the observer has a past
  bool springs; // springs and gravity compensation are compensated
  double period, smooth, bandwidth;
  double *viscous, *coulomb, *rotor; // [n], zero without friction
  double *zero, *momentum, *drift;   // [n]
  double *passive;                   // [n] what springs take
  double *sum, *external;            // [n] p_0 + the integral, r
  double *matrix;                    // [n * n]
};

ap_feed_forward_def ap_default_feed_forward(void) {
  return (ap_feed_forward_def){
      .period = 1e-3, .smooth = 0.02, .bandwidth = 50, .friction = true, .cookie = AP_COOKIE};
}

// ---- making ------------------------------------------------------------------------------------

static ap_feed_forward *lay_out(ap_arena *a, const ap_model *m, void **work) {
  size_t n = (size_t)ap_nv(m);
  ap_feed_forward *f = AP_TAKE(a, ap_feed_forward, 1), none;
  ap_feed_forward *to = f ? f : &none;
  double **const vectors[] = {&to->viscous, &to->coulomb, &to->rotor,    &to->zero,   &to->momentum,
                              &to->drift,   &to->sum,     &to->external, &to->passive};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = AP_TAKE(a, double, n);
  to->matrix = AP_TAKE(a, double, n *n);
  *work = AP_TAKE_ALIGNED(a, unsigned char, ap_work_size(m));
  return f;
}

size_t ap_feed_forward_size(const ap_model *m) {
  ap_arena a = ap__arena(NULL);
  void *work;
  lay_out(&a, m, &work);
  return ap__arena_size(&a);
}

static ap_status check(const ap_feed_forward_def *d, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_feed_forward, d, error)) return AP_E_ARG;
  const char *wrong = NULL;
  if (!(d->period > 0 && d->period <= 1)) wrong = "the period is not between 0 and 1 s";
  if (!(d->smooth > 0 && isfinite(d->smooth))) wrong = "the width `smooth` is not positive";
  if (!(d->bandwidth > 0 && d->bandwidth * d->period <= 1))
    wrong = "the observer's bandwidth is not between 0 and 1 / period";
  return wrong ? AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong) : AP_OK;
}

static void take_friction(ap_feed_forward *f) {
  for (int i = 1; i < ap_nbody(f->model); i++) {
    const ap_body_def *b = ap_body(f->model, i);
    int j = ap_joint_v(f->model, i);
    if ((b->joint != AP_REVOLUTE && b->joint != AP_PRISMATIC) || j < 0) continue;
    double ratio = b->mimic ? fabs(b->mimic_ratio) : 1;
    f->viscous[j] += ratio * ratio * b->viscous;
    f->coulomb[j] += ratio * b->coulomb;
    f->rotor[j] += ratio * ratio * b->gear_ratio * b->gear_ratio * b->rotor_inertia;
  }
}

ap_feed_forward *ap_feed_forward_init(const ap_feed_forward_def *d, void *mem, size_t size,
                                      ap_error *error) {
  if (check(d, error) != AP_OK) return NULL;
  if (!mem || size < ap_feed_forward_size(d->model)) {
    ap__fail(error, AP_E_MEMORY, 0, "too little memory (%zu bytes are needed)",
             ap_feed_forward_size(d->model));
    return NULL;
  }
  ap_arena a = ap__arena(mem);
  void *work;
  ap_feed_forward *f = lay_out(&a, d->model, &work);
  f->model = d->model;
  f->work = d->work ? d->work : ap_work_init(d->model, work, ap_work_size(d->model));
  f->n = ap_nv(d->model);
  f->begun = false;
  f->period = d->period;
  f->smooth = d->smooth;
  f->bandwidth = d->bandwidth;
  double *const vectors[] = {f->viscous, f->coulomb, f->rotor, f->zero, f->sum, f->external};
  for (int j = 0; j < f->n; j++)
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) vectors[k][j] = 0;
  f->springs = d->friction;
  if (d->friction) take_friction(f);
  return f;
}

ap_work *ap_feed_forward_work(ap_feed_forward *f) { return f->work; }

ap_status ap_feed_forward_set_friction(ap_feed_forward *f, int j, double viscous, double coulomb) {
  bool good = j >= 0 && j < f->n && viscous >= 0 && coulomb >= 0 && isfinite(viscous + coulomb);
  if (!good) return AP_E_ARG;
  f->viscous[j] = viscous;
  f->coulomb[j] = coulomb;
  return AP_OK;
}

// ---- torques -----------------------------------------------------------------------------------

static double friction(const ap_feed_forward *f, int j, double v) {
  return f->viscous[j] * v + f->coulomb[j] * (v / sqrt(v * v + f->smooth * f->smooth));
}

static void add_springs(ap_feed_forward *f, const double *q, double *tau) {
  if (!f->springs) return;
  ap_passive_forces(f->model, f->work, q, f->passive);
  for (int j = 0; j < f->n; j++) tau[j] += f->passive[j];
}

void ap_feed_forward_torque(ap_feed_forward *f, const double *q, const double *v, const double *v_d,
                            const double *a_d, double *tau) {
  const double *a = a_d ? a_d : f->zero, *moving = v_d ? v_d : v;
  ap_inverse_dynamics(f->model, f->work, q, v, a, tau);
  add_springs(f, q, tau);
  for (int j = 0; j < f->n; j++) tau[j] += f->rotor[j] * a[j] + friction(f, j, moving[j]);
}

// ---- the observer ------------------------------------------------------------------------------

static void find_momentum(ap_feed_forward *f, const double *q, const double *v, double *p) {
  ap_inertia_matrix(f->model, f->work, q, f->matrix);
  for (int i = 0; i < f->n; i++) {
    p[i] = f->rotor[i] * v[i];
    for (int j = 0; j < f->n; j++) p[i] += f->matrix[i * f->n + j] * v[j];
  }
}

// C^T v - G - springs - friction: what changes the momentum besides the motors and the
// surroundings.
static void find_drift(ap_feed_forward *f, const double *q, const double *v, double *drift) {
  ap_gravity_forces(f->model, f->work, q, drift);
  add_springs(f, q, drift);
  ap_coriolis_matrix(f->model, f->work, q, v, f->matrix);
  for (int i = 0; i < f->n; i++) {
    drift[i] = -drift[i] - friction(f, i, v[i]);
    for (int j = 0; j < f->n; j++) drift[i] += f->matrix[j * f->n + i] * v[j];
  }
}

void ap_feed_forward_reset(ap_feed_forward *f, const double *q, const double *v) {
  find_momentum(f, q, v, f->sum);
  for (int j = 0; j < f->n; j++) f->external[j] = 0;
  find_drift(f, q, v, f->drift);
  f->begun = true;
}

// The integral by the trapezoidal rule; r, which is on both sides, at the end of the period.
void ap_feed_forward_observe(ap_feed_forward *f, const double *q, const double *v,
                             const double *tau, double *external) {
  if (!f->begun) {
    ap_feed_forward_reset(f, q, v);
    for (int j = 0; j < f->n; j++) external[j] = 0;
    return;
  }
  for (int j = 0; j < f->n; j++) f->sum[j] += f->period * (tau[j] + f->drift[j] / 2);
  find_momentum(f, q, v, f->momentum);
  find_drift(f, q, v, f->drift);
  double k = f->bandwidth, h = f->period;
  for (int j = 0; j < f->n; j++) {
    f->sum[j] += h * f->drift[j] / 2;
    f->external[j] = k * (f->momentum[j] - f->sum[j]) / (1 + k * h);
    f->sum[j] += h * f->external[j];
    external[j] = f->external[j];
  }
}
