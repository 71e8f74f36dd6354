// SPDX-License-Identifier: Apache-2.0
// A simulated robot with noise, quantisation, delay, friction and faults behind a rack.
//
// Its motion is integrated in steps of h by the semi-implicit Euler method with friction as
// impulses p: with A = M + rotors + h * viscous,
//     A (v+ - v) = h (tau - C v - G - viscous v) + p,   |p_j| <= h * coulomb_j,
// where p_j brings joint j to rest if its bound allows, and else opposes its motion. So joints
// stick as real ones do, however large friction is, and brakes are nothing but more of it. The p_j
// are found by sweeps (projected Gauss-Seidel); A is positive definite, hence they converge.

#include <appell/rack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "file/robot.h"

enum { N = AP_RACK_AXES, SWEEPS = 12 };

typedef struct delayed {
  double at;
  ap_rack_output output;
} delayed;

typedef struct plant {
  ap_sim_rack_def def;
  int n;
  ap_axis axis[N];
  ap_joint_imperfection imperfection[N];
  ap_work *work;
  void *memory; // of the work
  double t, q[N], v[N], current[N], tau[N], q0[N];
  double impulse[N];
  int32_t index[N];
  uint32_t indexed;
  int32_t stuck[N]; // the count of a stuck encoder
  bool is_stuck;
  ap_rack_output output;
  delayed queue[AP__RACK_DELAYS]; // writes on their way to the amplifiers
  int first, waiting;
  ap_rack_fault fault;
  uint64_t random;
} plant;

ap_sim_rack_def ap_default_sim_rack(void) {
  return (ap_sim_rack_def){.volt = 10,
                           .output_bits = 12,
                           .input_bits = 12,
                           .pot_noise = 2e-3,
                           .pot_bow = 5e-3,
                           .amplifier = 5e-4,
                           .brake = 500,
                           .step = 2.5e-4,
                           .seed = 1,
                           .cookie = AP_COOKIE};
}

// ---- random numbers ----------------------------------------------------------------------------

// splitmix64 (Steele, Lea, Flood 2014): uniform in (0, 1).
static double uniform(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

// Box and Muller.
static double normal(uint64_t *state) {
  double r = sqrt(-2 * log(uniform(state)));
  return r * cos(2 * acos(-1.0) * uniform(state));
}

// ---- motion ------------------------------------------------------------------------------------

static bool fault_is(const plant *p, ap_rack_fault_kind kind, int axis) {
  return p->fault.kind == kind && p->fault.axis == axis && p->t >= p->fault.at;
}

// The inverse of the positive definite A, by its Cholesky factor.
static void invert(int n, double A[N][N], double inverse[N][N]) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = A[i][j];
      for (int k = 0; k < j; k++) s -= A[i][k] * A[j][k];
      A[i][j] = i == j ? sqrt(s) : s / A[j][j];
    }
  for (int c = 0; c < n; c++) {
    double y[N];
    for (int i = 0; i < n; i++) {
      double s = i == c;
      for (int k = c; k < i; k++) s -= A[i][k] * y[k];
      y[i] = i < c ? 0 : s / A[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
      double s = y[i];
      for (int k = i + 1; k < n; k++) s -= A[k][i] * inverse[k][c];
      inverse[i][c] = s / A[i][i];
    }
  }
}

// What friction and brakes may exert on joint j in a step, N m s.
static double bound(const plant *p, int j, double coulomb, double h) {
  double friction = coulomb + p->imperfection[j].coulomb;
  if (fabs(p->v[j]) < 1e-6) friction *= p->imperfection[j].stiction;
  return h * (friction + (p->output.brakes ? p->def.brake : 0));
}

// Friction impulses to the velocity v, which the other forces have led to.
static void apply_friction(plant *p, double inverse[N][N], const double *most, double *v) {
  double *impulse = p->impulse; // those of the last step are a good start
  for (int j = 0; j < p->n; j++) {
    impulse[j] = fmin(fmax(impulse[j], -most[j]), most[j]);
    for (int i = 0; i < p->n; i++) v[i] += inverse[i][j] * impulse[j];
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int j = 0; j < p->n; j++) {
      double wanted = impulse[j] - v[j] / inverse[j][j];
      double now = fmin(fmax(wanted, -most[j]), most[j]), change = now - impulse[j];
      if (change == 0) continue;
      impulse[j] = now;
      for (int i = 0; i < p->n; i++) v[i] += inverse[i][j] * change;
      if (now == wanted) v[j] = 0;
    }
}

static void step(plant *p, double h) {
  const ap_model *m = p->def.model;
  double M[N * N], A[N][N] = {{0}}, inverse[N][N] = {{0}}, bias[N], force[N] = {0}, most[N] = {0},
                   v[N];
  int n = p->n;
  ap_inertia_matrix(m, p->work, p->q, M);
  ap_bias(m, p->work, p->q, p->v, bias);
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    int body = ap_moving_body(m, k), j = ap_joint_v(m, body);
    const ap_body_def *b = ap_body(m, body);
    double viscous = b->viscous + p->imperfection[j].viscous;
    double rotor = b->rotor_inertia * b->gear_ratio * b->gear_ratio + p->imperfection[j].rotor;
    for (int i = 0; i < n; i++) A[j][i] = M[j * n + i];
    A[j][j] += rotor + h * viscous;
    force[j] = p->tau[j] - bias[j] - viscous * p->v[j];
    if (fault_is(p, AP_FAULT_PUSH, j)) force[j] += p->fault.amount;
    most[j] = bound(p, j, b->coulomb, h);
  }
  invert(n, A, inverse);
  for (int j = 0; j < n; j++) {
    v[j] = p->v[j];
    for (int i = 0; i < n; i++) v[j] += inverse[j][i] * h * force[i];
  }
  apply_friction(p, inverse, most, v);
  for (int j = 0; j < n; j++) p->v[j] = v[j], p->q[j] += h * v[j];
}

// ---- amplifiers --------------------------------------------------------------------------------

// What a converter of some bits makes of a voltage between low and high.
static double quantised(double volt, double low, double high, int bits) {
  double steps = ldexp(1, bits) - 1, lsb = (high - low) / steps;
  double k = nearbyint((volt - low) / lsb);
  return low + lsb * fmin(fmax(k, 0), steps);
}

static void amplify(plant *p, double h) {
  while (p->waiting > 0 && p->queue[p->first].at <= p->t) {
    p->output = p->queue[p->first].output;
    p->first = (p->first + 1) % AP__RACK_DELAYS, p->waiting--;
  }
  double follow = p->def.amplifier > 0 ? 1 - exp(-h / p->def.amplifier) : 1;
  for (int j = 0; j < p->n; j++) {
    double volt = quantised(p->output.volt[j], -p->def.volt, p->def.volt, p->def.output_bits);
    double factor = fault_is(p, AP_FAULT_AMPLIFIER, j) ? p->fault.amount : 1;
    double wanted = p->axis[j].torque_per_volt * volt * factor;
    p->current[j] += follow * (wanted - p->current[j]);
    p->tau[j] = p->output.brakes ? 0 : p->current[j]; // brakes cut the power
  }
}

// ---- encoders ----------------------------------------------------------------------------------

// A counter stops where it has no more digits.
static int32_t counted(double x) { return (int32_t)fmin(fmax(x, -1e9), 1e9); }

static int32_t count_of(const plant *p, int j) {
  return counted(floor((p->q[j] - p->q0[j]) / ap_axis_count(&p->axis[j])));
}

// The number of the index pulse at or below a position.
static double pulse_below(const plant *p, int j, double q) {
  return floor((q - p->axis[j].index_at) / ap_axis_pitch(&p->axis[j]));
}

static void latch(plant *p, const double *before) {
  for (int j = 0; j < p->n; j++) {
    double was = pulse_below(p, j, before[j]), now = pulse_below(p, j, p->q[j]);
    if (was == now) continue;
    double at = p->axis[j].index_at + fmax(was, now) * ap_axis_pitch(&p->axis[j]);
    p->index[j] = counted(nearbyint((at - p->q0[j]) / ap_axis_count(&p->axis[j])));
    p->indexed |= 1u << j;
  }
}

static void advance(plant *p, double t) {
  double span = t - p->t;
  if (!(span > 0)) return;
  int steps = (int)fmin(ceil(span / p->def.step * (1 - 1e-9)), 1000);
  for (int k = 1; k <= steps; k++) {
    double before[N], h = span / steps;
    memcpy(before, p->q, sizeof before);
    amplify(p, h);
    step(p, h);
    p->t = k < steps ? p->t + h : t;
    latch(p, before);
  }
}

// ---- the interface -----------------------------------------------------------------------------

static double potentiometer(plant *p, int j) {
  double bow = p->def.pot_bow * sin(3 * p->q[j] + j);
  double volt = p->axis[j].pot_volt + p->axis[j].pot_gain * p->q[j] + bow;
  volt += p->def.pot_noise * normal(&p->random);
  if (fault_is(p, AP_FAULT_POTENTIOMETER, j)) volt += p->fault.amount;
  if (fault_is(p, AP_FAULT_NOT_A_NUMBER, j)) return NAN;
  return quantised(volt, 0, 5, p->def.input_bits);
}

static int32_t encoder(plant *p, int j) {
  int32_t count = count_of(p, j);
  if (fault_is(p, AP_FAULT_ENCODER_JUMP, j)) count += counted(p->fault.amount);
  if (!fault_is(p, AP_FAULT_ENCODER_STUCK, j)) return count;
  if (!p->is_stuck) p->stuck[j] = count;
  p->is_stuck = true;
  return p->stuck[j];
}

static ap_status sim_read(void *context, double t, ap_rack_input *input) {
  plant *p = context;
  advance(p, t);
  *input = (ap_rack_input){.indexed = p->indexed};
  for (int j = 0; j < p->n; j++) {
    input->potentiometer[j] = potentiometer(p, j);
    input->encoder[j] = encoder(p, j);
    input->index[j] = p->index[j];
    if (fault_is(p, AP_FAULT_THERMO, j)) input->thermo |= 1u << j;
    if (fault_is(p, AP_FAULT_LATE, j)) input->late = p->fault.amount;
    if (fault_is(p, AP_FAULT_READ, j)) return AP_E_FILE;
  }
  return AP_OK;
}

static ap_status sim_write(void *context, double t, const ap_rack_output *output) {
  plant *p = context;
  if (p->waiting == AP__RACK_DELAYS) return AP_E_ARG;
  p->queue[(p->first + p->waiting++) % AP__RACK_DELAYS] =
      (delayed){.at = t + p->def.latency, .output = *output};
  return AP_OK;
}

static void sim_close(void *context) {
  plant *p = context;
  if (p) free(p->memory);
  free(p);
}

ap_status ap_rack_inject(ap_rack *rack, const ap_rack_fault *fault) {
  if (rack->read != sim_read || fault->axis < 0 || fault->axis >= rack->axes) return AP_E_ARG;
  plant *p = rack->context;
  p->fault = *fault, p->is_stuck = false;
  return AP_OK;
}

void ap_rack_truth(const ap_rack *rack, double *q, double *v, double *tau) {
  if (rack->read != sim_read) return;
  const plant *p = rack->context;
  size_t bytes = (size_t)p->n * sizeof(double);
  if (q) memcpy(q, p->q, bytes);
  if (v) memcpy(v, p->v, bytes);
  if (tau) memcpy(tau, p->tau, bytes);
}

// ---- making ------------------------------------------------------------------------------------

// Every moving body with all that is fixed to it: mass, centre and inertia off by up to the spread.
static ap_status spread_inertias(plant *p) {
  const ap_model *m = p->def.model;
  uint64_t random = p->def.seed * 2 + 1;
  for (int k = 0; p->def.spread > 0 && k < ap_moving_bodies(m); k++) {
    int body = ap_moving_body(m, k);
    double mass, com[3], inertia[6], factor[3];
    ap_merged_inertia(m, body, &mass, com, inertia);
    for (int i = 0; i < 3; i++) factor[i] = 1 + p->def.spread * (2 * uniform(&random) - 1);
    for (int i = 0; i < 3; i++) com[i] *= factor[1];
    for (int i = 0; i < 6; i++) inertia[i] *= factor[2];
    ap_status status = ap_set_inertia(m, p->work, body, mass * factor[0], com, inertia);
    if (status) return status;
  }
  if (!(p->def.payload > 0)) return AP_OK;
  return ap_set_payload(m, p->work, p->def.payload_body, p->def.payload, p->def.payload_com, NULL);
}

// Frictions and rotors of every joint, those of the model plus the imperfections: off by up to the
// spread.
static void spread_drives(plant *p) {
  const ap_model *m = p->def.model;
  uint64_t random = p->def.seed * 2 + 2;
  for (int k = 0; p->def.drive_spread > 0 && k < ap_moving_bodies(m); k++) {
    const ap_body_def *b = ap_body(m, ap_moving_body(m, k));
    ap_joint_imperfection *w = &p->imperfection[ap_joint_v(m, ap_moving_body(m, k))];
    double *const own[] = {&w->viscous, &w->coulomb, &w->rotor};
    const double known[] = {b->viscous, b->coulomb,
                            b->rotor_inertia * b->gear_ratio * b->gear_ratio};
    for (int i = 0; i < 3; i++)
      *own[i] += p->def.drive_spread * (2 * uniform(&random) - 1) * (*own[i] + known[i]);
  }
}

static ap_status check_axes(const ap_sim_rack_def *d, ap_error *error) {
  int n = ap_nv(d->model);
  if (n > AP_RACK_AXES)
    return AP__REFUSE(error, AP_E_ARG, 0, "the robot has %d joints (a rack has at most %d axes)", n,
                      AP_RACK_AXES);
  for (int j = 0; j < n; j++) {
    const ap_axis *a = &d->axis[j];
    if (!AP_STARTS_FROM(ap_default_axis, a, error)) return AP_E_ARG;
    if (!(a->lines > 0 && a->gear > 0 && a->torque_per_volt > 0 && fabs(a->pot_gain) > 0) ||
        !isfinite(a->lines + a->gear + a->torque_per_volt + a->pot_gain + a->pot_volt +
                  a->index_at))
      return AP__REFUSE(error, AP_E_ARG, 0,
                        "axis %d: a number is not positive or not finite (lines, gear, "
                        "torque_per_volt and the potentiometer's gain must be)",
                        j + 1);
  }
  return AP_OK;
}

ap_status ap__sim_rack_check(const ap_sim_rack_def *d, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_sim_rack, d, error)) return AP_E_ARG;
  ap_status status = ap__single_joints(d->model, error);
  if (!status) status = check_axes(d, error);
  if (status) return status;
  const char *wrong = NULL;
  if (!(d->spread >= 0 && d->spread < 1)) wrong = "the spread is not between 0 and 1";
  if (!(d->drive_spread >= 0 && d->drive_spread < 1))
    wrong = "the spread of frictions and rotors is not between 0 and 1";
  if (!(d->payload >= 0)) wrong = "the payload is negative";
  if (!(d->volt > 0 && isfinite(d->volt))) wrong = "the largest voltage is not positive";
  if (d->output_bits < 1 || d->output_bits > 32 || d->input_bits < 1 || d->input_bits > 32)
    wrong = "a converter must have 1 to 32 bits";
  if (!(d->pot_noise >= 0 && d->pot_bow >= 0)) wrong = "noise is negative";
  if (!(d->latency >= 0 && d->amplifier >= 0)) wrong = "a delay is negative";
  if (!(d->step > 0) || !(d->brake >= 0)) wrong = "the step or the brake is not positive";
  return wrong ? AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong) : AP_OK;
}

static ap_status fill(plant *p, const ap_sim_rack_def *def, ap_error *error) {
  size_t size = ap_work_size(def->model);
  p->def = *def, p->n = ap_nv(def->model), p->random = def->seed, p->output.brakes = true;
  p->memory = malloc(size);
  p->work = p->memory ? ap_work_init(def->model, p->memory, size) : NULL;
  if (!p->work) return ap__no_memory(error);
  for (int j = 0; j < p->n; j++) {
    p->axis[j] = def->axis[j];
    p->imperfection[j] =
        def->imperfection ? def->imperfection[j] : (ap_joint_imperfection){.stiction = 1};
    p->q[j] = p->q0[j] = def->q ? def->q[j] : 0;
  }
  spread_drives(p);
  ap_status status = spread_inertias(p);
  return status
             ? AP__REFUSE(error, status, 0, "the payload or the spread makes an invalid robot (%s)",
                          ap_status_text(status))
             : AP_OK;
}

ap_status ap_rack_simulated(const ap_sim_rack_def *def, ap_rack *rack, ap_error *error) {
  *rack = (ap_rack){0};
  ap_status status = ap__sim_rack_check(def, error);
  if (status) return status;
  plant *p = calloc(1, sizeof *p);
  if (!p) return ap__no_memory(error);
  status = fill(p, def, error);
  if (status) {
    sim_close(p);
    return status;
  }
  *rack = (ap_rack){
      .context = p, .axes = p->n, .read = sim_read, .write = sim_write, .close = sim_close};
  return AP_OK;
}
