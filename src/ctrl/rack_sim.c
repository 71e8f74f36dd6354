// SPDX-License-Identifier: Apache-2.0
// A simulated robot with noise, quantisation, delay, friction and faults behind a rack.
//
// Its motion is integrated in steps of h by the semi-implicit Euler method with friction as
// impulses p: with A = M + rotors + h * viscous + h^2 * stiffness,
//     A (v+ - v) = h (tau - C v - G - springs - viscous v - h * stiffness v) + p,
//     |p_j| <= h * coulomb_j,
// where p_j brings joint j to rest if its bound allows, and else opposes its motion. So joints
// stick as real ones do, however large friction is, and brakes are nothing but more of it. The p_j
// are found by sweeps (projected Gauss-Seidel); A is positive definite, hence they converge.

#include <appell/rack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ctrl/ctrl.h"
#include "file/robot.h"

enum { SWEEPS = 12 };

typedef struct delayed {
  double at;
  ap_rack_output output;
} delayed;

// Every array of doubles with an entry for each axis. sensed: what reaches the links.
// clang-format off
#define PLANT_VECTORS(X)                                                                           \
  X(q) X(v) X(current) X(tau) X(q0) X(impulse) X(sensed) X(before) X(bias) X(passive) X(force)     \
  X(most) X(next) X(rotor) X(viscous) X(column)
// clang-format on

typedef struct plant {
  ap_sim_rack_def def;
  int n;
  ap_axis *axis;
  ap_joint_imperfection *imperfection;
  ap_work *work;
  void *memory; // of the work and the arrays
  double t;
#define PLANT_VECTOR(name) double *name;
  PLANT_VECTORS(PLANT_VECTOR)
#undef PLANT_VECTOR
  double *M, *inverse; // [n * n]
  int32_t *index;
  bool *indexed;
  bool failing;          // the fault has begun; what was then:
  double *count_then;    // counts as they were read
  double q_then, way;    // of the faulty axis: where it was and where it went
  ap_rack_input frozen;  // the last inputs
  double behind;         // s that the loop's clock is behind since it stalled
  double closing, wrote; // s: when the brakes were commanded, and of the last write
  ap_rack_output output;
  delayed queue[AP__RACK_DELAYS]; // writes on their way to the amplifiers
  int first, waiting;
  ap_rack_fault fault;
  uint64_t random;
} plant;

ap_sim_rack_def ap_default_sim_rack(void) {
  return (ap_sim_rack_def){.output_bits = 12,
                           .input_bits = 12,
                           .pot_noise = 2e-3,
                           .torque_noise = 0.02,
                           .pot_bow = 5e-3,
                           .amplifier = 5e-4,
                           .brake = 500,
                           .brake_close = 0.03,
                           .watchdog = 0.02,
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

// Axis negative: of the whole rack.
static bool fault_is(const plant *p, ap_rack_fault_kind kind, int axis) {
  return p->fault.kind == kind && (axis < 0 || p->fault.axis == axis) && p->t >= p->fault.at;
}

// The inverse of the positive definite A, by its Cholesky factor, which takes its place.
static void invert(int n, double *A, double *y, double *inverse) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double s = A[i * n + j];
      for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i == j ? sqrt(s) : s / A[j * n + j];
    }
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < n; i++) {
      double s = i == c;
      for (int k = c; k < i; k++) s -= A[i * n + k] * y[k];
      y[i] = i < c ? 0 : s / A[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
      double s = y[i];
      for (int k = i + 1; k < n; k++) s -= A[k * n + i] * inverse[k * n + c];
      inverse[i * n + c] = s / A[i * n + i];
    }
  }
}

// What friction and brakes may exert on joint j in a step, N m s.
static double bound(const plant *p, int j, double coulomb, double h) {
  double friction = coulomb + p->imperfection[j].coulomb;
  if (fabs(p->v[j]) < 1e-6) friction *= p->imperfection[j].stiction;
  double close = p->def.brake_close, brake = p->def.brake;
  if (fault_is(p, AP_FAULT_BRAKE_LATE, j)) close += p->fault.amount;
  if (fault_is(p, AP_FAULT_BRAKE_SLIP, j)) brake *= p->fault.amount;
  return h * (friction + (p->output.brakes && p->t >= p->closing + close ? brake : 0));
}

// A wall that stands where the faulty joint was, on the side that it went to: a spring.
static double wall(const plant *p, int j) {
  double into = p->q[j] - p->q_then;
  return into * p->way > 0 ? -p->fault.amount * into : 0;
}

// Friction impulses to the velocity v, which the other forces have led to.
static void apply_friction(plant *p, const double *most, double *v) {
  const double *inverse = p->inverse;
  double *impulse = p->impulse; // those of the last step are a good start
  const int n = p->n;
  for (int j = 0; j < n; j++) {
    impulse[j] = fmin(fmax(impulse[j], -most[j]), most[j]);
    for (int i = 0; i < n; i++) v[i] += inverse[i * n + j] * impulse[j];
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int j = 0; j < n; j++) {
      double wanted = impulse[j] - v[j] / inverse[j * n + j];
      double now = fmin(fmax(wanted, -most[j]), most[j]), change = now - impulse[j];
      if (change == 0) continue;
      impulse[j] = now;
      for (int i = 0; i < n; i++) v[i] += inverse[i * n + j] * change;
      if (now == wanted) v[j] = 0;
    }
}

static void step(plant *p, double h) {
  const ap_model *m = p->def.model;
  double *v = p->next;
  int n = p->n;
  ap_inertia_matrix(m, p->work, p->q, p->M);
  ap_bias(m, p->work, p->q, p->v, p->bias);
  ap_passive_forces(m, p->work, p->q, p->passive);
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    int body = ap_moving_body(m, k), j = ap_joint_v(m, body);
    const ap_body_def *b = ap_body(m, body);
    p->viscous[j] = b->viscous + p->imperfection[j].viscous;
    p->rotor[j] = b->rotor_inertia * b->gear_ratio * b->gear_ratio + p->imperfection[j].rotor;
    p->M[j * n + j] += p->rotor[j] + h * (p->viscous[j] + h * b->stiffness);
    p->force[j] =
        p->tau[j] - p->bias[j] - p->passive[j] - (p->viscous[j] + h * b->stiffness) * p->v[j];
    if (fault_is(p, AP_FAULT_PUSH, j)) p->force[j] += p->fault.amount;
    if (fault_is(p, AP_FAULT_COLLISION, j)) p->force[j] += wall(p, j);
    p->most[j] = bound(p, j, b->coulomb, h);
  }
  invert(n, p->M, p->column, p->inverse);
  for (int j = 0; j < n; j++) {
    v[j] = p->v[j];
    for (int i = 0; i < n; i++) v[j] += p->inverse[j * n + i] * h * p->force[i];
  }
  apply_friction(p, p->most, v);
  for (int j = 0; j < n; j++) {
    // What the drive gives to the links: less friction, brakes and rotor, which are before the
    // sensor.
    p->sensed[j] =
        p->tau[j] - p->viscous[j] * v[j] + p->impulse[j] / h - p->rotor[j] * (v[j] - p->v[j]) / h;
    p->v[j] = v[j], p->q[j] += h * v[j];
  }
}

// ---- amplifiers --------------------------------------------------------------------------------

// What a converter of some bits makes of a voltage between low and high.
static double quantised(double volt, double low, double high, int bits) {
  double steps = ldexp(1, bits) - 1, lsb = (high - low) / steps;
  double k = nearbyint((volt - low) / lsb);
  return low + lsb * fmin(fmax(k, 0), steps);
}

// The outputs of now: those written last, or none where the watchdog has seen no write for too
// long.
static void take_outputs(plant *p) {
  bool held = p->output.brakes;
  while (p->waiting > 0 && p->queue[p->first].at <= p->t) {
    ap_rack_output_copy(p->n, &p->queue[p->first].output, &p->output);
    p->first = (p->first + 1) % AP__RACK_DELAYS, p->waiting--;
  }
  if (p->def.watchdog > 0 && p->t - p->wrote > p->def.watchdog) {
    memset(p->output.command, 0, (size_t)p->n * sizeof(double));
    p->output.brakes = true;
  }
  if (p->output.brakes && !held) p->closing = p->t;
}

// Brakes with all outputs at zero cut the power; else the drives hold until the brakes do.
static bool power_is_off(const plant *p) {
  bool off = p->output.brakes;
  for (int j = 0; j < p->n; j++) off = off && p->output.command[j] == 0;
  return off;
}

static void amplify(plant *p, double h) {
  take_outputs(p);
  bool off = power_is_off(p);
  double follow = p->def.amplifier > 0 ? 1 - exp(-h / p->def.amplifier) : 1;
  for (int j = 0; j < p->n; j++) {
    const ap_axis *a = &p->axis[j];
    double command = quantised(p->output.command[j], -a->largest, a->largest, p->def.output_bits);
    double factor = fault_is(p, AP_FAULT_AMPLIFIER, j) ? p->fault.amount : 1;
    if (fault_is(p, AP_FAULT_OUTPUT, j)) command = p->fault.amount;
    if (fault_is(p, AP_FAULT_DRIVE, j)) factor = 0;
    double wanted = ap_axis_gain(a) * command * factor;
    p->current[j] += follow * (wanted - p->current[j]);
    p->tau[j] = off ? 0 : p->current[j];
  }
}

// ---- encoders ----------------------------------------------------------------------------------

// A counter stops where it has no more digits.
static int32_t counted(double x) { return (int32_t)fmin(fmax(x, -1e9), 1e9); }

static bool is_absolute(const plant *p, int j) { return p->axis[j].encoder == AP_ENCODER_ABSOLUTE; }

// The count without its wrapping.
static double count_of(const plant *p, int j) {
  double from = is_absolute(p, j) ? p->axis[j].index_at : p->q0[j];
  return floor((p->q[j] - from) / ap_axis_count(&p->axis[j]));
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
    p->indexed[j] = true;
  }
}

// What a fault remembers of the moment at which it begins.
static void begin_fault(plant *p) {
  const ap_rack_fault *f = &p->fault;
  if (p->failing || f->kind == AP_FAULT_NONE || p->t < f->at) return;
  p->failing = true;
  p->q_then = p->q[f->axis], p->way = p->v[f->axis] < 0 ? -1 : 1;
  for (int j = 0; j < p->n; j++) p->count_then[j] = count_of(p, j);
  if (f->kind == AP_FAULT_PAYLOAD)
    ap_set_payload(p->def.model, p->work, p->def.payload_body, p->def.payload + f->amount,
                   p->def.payload_com, NULL);
}

static void advance(plant *p, double t) {
  double span = t - p->t;
  if (!(span > 0)) return;
  int steps = (int)fmin(ceil(span / p->def.step * (1 - 1e-9)), 1000);
  for (int k = 1; k <= steps; k++) {
    double h = span / steps;
    memcpy(p->before, p->q, (size_t)p->n * sizeof *p->q);
    begin_fault(p);
    amplify(p, h);
    step(p, h);
    p->t = k < steps ? p->t + h : t;
    latch(p, p->before);
  }
}

// ---- the interface -----------------------------------------------------------------------------

static double potentiometer(plant *p, int j) {
  double bow = p->def.pot_bow * sin(3 * p->q[j] + j);
  double volt = p->axis[j].pot_volt + p->axis[j].pot_gain * p->q[j] + bow;
  volt += p->def.pot_noise * normal(&p->random);
  if (fault_is(p, AP_FAULT_POTENTIOMETER, j)) volt += p->fault.amount;
  if (fault_is(p, AP_FAULT_POTENTIOMETER_DRIFT, j)) volt += p->fault.amount * (p->t - p->fault.at);
  if (fault_is(p, AP_FAULT_NOT_A_NUMBER, j)) return NAN;
  return quantised(volt, 0, 5, p->def.input_bits);
}

static double encoder(plant *p, int j) {
  double count = count_of(p, j), then = p->count_then[j], amount = p->fault.amount;
  if (!p->failing || j != p->fault.axis) return count;
  switch (p->fault.kind) {
    case AP_FAULT_ENCODER_JUMP: return count + trunc(amount);
    case AP_FAULT_ENCODER_STUCK: return then;
    case AP_FAULT_ENCODER_POLARITY: return 2 * then - count;
    case AP_FAULT_ENCODER_DRIFT: return count + trunc(amount * (p->t - p->fault.at));
    case AP_FAULT_ENCODER_LOSS: return then + trunc((1 - amount) * (count - then));
    case AP_FAULT_ENCODER_NOISE: return count + nearbyint(amount * normal(&p->random));
    default: return count;
  }
}

// What the card makes of it: an absolute encoder's reading wraps, a counter stops where it has no
// more digits.
static int32_t reading(const plant *p, int j, double count) {
  if (!is_absolute(p, j)) return counted(count);
  const double all = p->axis[j].counts * p->axis[j].turns;
  return (int32_t)(uint32_t)(int64_t)(count - all * floor(count / all));
}

static double torque_of(plant *p, int j) {
  if (!p->axis[j].torque_sensor) return 0;
  double off = fault_is(p, AP_FAULT_TORQUE_SENSOR, j) ? p->fault.amount : 0;
  return p->sensed[j] + off + p->def.torque_noise * normal(&p->random);
}

static uint32_t status_of(const plant *p, int j) {
  uint32_t status = p->indexed[j] ? AP_AXIS_INDEXED : 0;
  if (fault_is(p, AP_FAULT_THERMO, j)) status |= AP_AXIS_HOT;
  if (!p->axis[j].status_word) return status;
  const bool faulty = fault_is(p, AP_FAULT_DRIVE, j);
  status |= AP_AXIS_REPORTS | (faulty ? AP_AXIS_FAULT : AP_AXIS_READY);
  return !faulty && !power_is_off(p) ? status | AP_AXIS_ENABLED : status;
}

// The process did not run: the robot went on, and the loop's clock has not seen it.
static double stall(plant *p, double t) {
  if (!fault_is(p, AP_FAULT_STALL, -1) || p->behind > 0) return 0;
  p->behind = fmax(p->fault.amount, 0);
  advance(p, t + p->behind);
  return p->behind;
}

static ap_status sim_read(void *context, double t, ap_rack_input *input) {
  plant *p = context;
  advance(p, t + p->behind);
  begin_fault(p);
  input->late = stall(p, t);
  for (int j = 0; j < p->n; j++) {
    input->potentiometer[j] = is_absolute(p, j) ? 0 : potentiometer(p, j);
    input->encoder[j] = reading(p, j, encoder(p, j));
    input->index[j] = p->index[j];
    input->torque[j] = torque_of(p, j);
    input->status[j] = status_of(p, j);
  }
  if (fault_is(p, AP_FAULT_LATE, -1)) input->late = p->fault.amount;
  if (fault_is(p, AP_FAULT_FROZEN, -1)) ap_rack_input_copy(p->n, &p->frozen, input);
  ap_rack_input_copy(p->n, input, &p->frozen);
  return fault_is(p, AP_FAULT_READ, -1) ? AP_E_FILE : AP_OK;
}

static ap_status sim_write(void *context, double t, const ap_rack_output *output) {
  plant *p = context;
  if (p->waiting == AP__RACK_DELAYS) return AP_E_ARG;
  if (fault_is(p, AP_FAULT_WRITE, -1)) return AP_E_FILE;
  p->wrote = t + p->behind;
  delayed *last = &p->queue[(p->first + p->waiting++) % AP__RACK_DELAYS];
  last->at = p->wrote + p->def.latency;
  ap_rack_output_copy(p->n, output, &last->output);
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
  p->fault = *fault, p->failing = false;
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
  for (int j = 0; j < ap_nv(d->model); j++)
    if (ap__axis_check(&d->axis[j], j, error)) return AP_E_ARG;
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
  if (d->output_bits < 1 || d->output_bits > 32 || d->input_bits < 1 || d->input_bits > 32)
    wrong = "a converter must have 1 to 32 bits";
  if (!(d->pot_noise >= 0 && d->pot_bow >= 0 && d->torque_noise >= 0)) wrong = "noise is negative";
  if (!(d->latency >= 0 && d->amplifier >= 0)) wrong = "a delay is negative";
  if (!(d->step > 0) || !(d->brake >= 0)) wrong = "the step or the brake is not positive";
  if (!(d->brake_close >= 0 && d->watchdog >= 0))
    wrong = "the brakes' closing time or the watchdog's is negative";
  return wrong ? AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong) : AP_OK;
}

static void place_output(ap_arena *a, int n, ap_rack_output *output) {
  void *at = ap__take(a, 1, ap_rack_output_size(n), _Alignof(double));
  if (at) ap_rack_output_init(output, n, at);
}

static void *lay_out(plant *p, ap_arena *a, int n) {
#define PLACE(name) p->name = AP_TAKE(a, double, n);
  PLANT_VECTORS(PLACE)
#undef PLACE
  p->M = AP_TAKE(a, double, n *n);
  p->inverse = AP_TAKE(a, double, n *n);
  p->axis = AP_TAKE(a, ap_axis, n);
  p->imperfection = AP_TAKE(a, ap_joint_imperfection, n);
  p->index = AP_TAKE(a, int32_t, n);
  p->indexed = AP_TAKE(a, bool, n);
  p->count_then = AP_TAKE(a, double, n);
  void *frozen = ap__take(a, 1, ap_rack_input_size(n), _Alignof(double));
  if (frozen) ap_rack_input_init(&p->frozen, n, frozen);
  place_output(a, n, &p->output);
  for (int k = 0; k < AP__RACK_DELAYS; k++) place_output(a, n, &p->queue[k].output);
  return AP_TAKE_ALIGNED(a, unsigned char, ap_work_size(p->def.model));
}

static ap_status fill(plant *p, const ap_sim_rack_def *def, ap_error *error) {
  p->def = *def, p->n = ap_nv(def->model), p->random = def->seed;
  ap_arena a = ap__arena(NULL);
  lay_out(p, &a, p->n);
  p->memory = calloc(1, ap__arena_size(&a) + 1);
  if (!p->memory) return ap__no_memory(error);
  a = ap__arena(p->memory);
  void *work = lay_out(p, &a, p->n);
  p->work = ap_work_init(def->model, work, ap_work_size(def->model));
  p->output.brakes = true, p->closing = -INFINITY;
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
