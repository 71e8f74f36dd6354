// SPDX-License-Identifier: Apache-2.0
// The momentum observer as a guard: torque that the model does not explain. What a wrong model
// leaves changes slowly and is followed; what comes suddenly, or is very large, is a collision, a
// drive or an encoder that does not do what it should.

#include <math.h>
#include <stdlib.h>

#include "ctrl/ctrl.h"
#include "ctrl/servo.h"

// 1/s: both poles of motion and torques. The finer the encoders, the faster; not beyond a third of
// the loop's rate.
static const double slowest = 200, fastest = 400;
static const double observer_part = 0.75; // of it, the observer's bandwidth
static const double usual_time = 0.3;     // s in which a change of the residual becomes usual
static const double sigmas = 6;           // of the model's residual
// Of the torques themselves that a model may miss whose residual is not known, and is.
static const double part_unknown = 0.2, part_known = 0.05;
static const double slowness = 2e-3; // s by which an amplifier may be late
static const double largest = 3;     // times the threshold, for what is usual
static const double astray = 2;      // times the threshold, for the torque of a following error
static const double farthest = 0.5;  // rad from a reference, whatever the gains
static const double standing = 0.02; // rad/s over which Coulomb friction changes its sign

// Six times the torque that the model leaves unexplained, and a part of its friction, which
// changes.
static double unknown(const ap_servo *s, int j) {
  double residual = s->expected[j];
  if (residual > 0) return sigmas * residual + s->coulomb[j] / 4;
  return s->coulomb[j] > 0 ? s->coulomb[j] : 0.12 * ap__ctrl_limit(s->def.ctrl)[j];
}

static double missed(const ap_servo *s, int j) {
  return s->expected[j] > 0 ? part_known : part_unknown;
}

// The torque that a few counts of so much momentum feign, behind filter and observer.
static double feigned(const ap_servo *s, double momentum) {
  return observer_part * s->filter * s->filter * momentum / 2;
}

// That of the joint's own encoder.
static double own_noise(const ap_servo *s, int j) {
  return feigned(s, ap__ctrl_diagonal(s->def.ctrl)[j] * s->resolution[j]);
}

// That of all encoders: a momentum has a part of every joint's speed, along a chain of many links
// mostly of the others. Their counts and the joint's own seldom meet: the larger part counts.
static double noise(const ap_servo *s, int j) {
  const double *row = ap__ctrl_inertia(s->def.ctrl) + (size_t)j * (size_t)s->n;
  double others = 0;
  for (int i = 0; i < s->n; i++)
    if (i != j) others += fabs(row[i]) * s->resolution[i];
  return fmax(own_noise(s, j), feigned(s, others));
}

// Such a filter that a joint's counts feign no more than the model leaves unexplained.
static void choose_filter(ap_servo *s) {
  double w = fastest;
  s->filter = 1;
  for (int j = 0; j < s->n; j++) w = fmin(w, sqrt(unknown(s, j) / own_noise(s, j)));
  s->filter = fmin(fmax(w, slowest), 1 / (3 * s->def.period));
}

static void take_joints(ap_servo *s, const ap_model *m) {
  for (int i = 1; i < ap_nbody(m); i++) {
    int j = ap_joint_v(m, i);
    if (ap_joint_nv(m, i) != 1) continue;
    const ap_body_def *b = ap_body(m, i);
    s->coulomb[j] = b->coulomb, s->rotor[j] = b->rotor_inertia * b->gear_ratio * b->gear_ratio;
  }
}

static ap_status make(ap_servo *s, bool drives, void **memory, ap_feed_forward **made,
                      ap_error *error) {
  const ap_model *m = ap_ctrl_model(s->def.ctrl);
  ap_feed_forward_def d = ap_default_feed_forward();
  d.model = m, d.work = ap_ctrl_work(s->def.ctrl), d.period = s->def.period;
  d.smooth = standing, d.bandwidth = observer_part * s->filter, d.friction = drives;
  size_t size = ap_feed_forward_size(m);
  *memory = malloc(size);
  if (!*memory) return ap__no_memory(error);
  ap_error own = {0};
  *made = ap_feed_forward_init(&d, *memory, size, &own);
  if (!*made && error) *error = own;
  return *made ? AP_OK : own.status;
}

ap_status ap__momentum_create(ap_servo *s, ap_error *error) {
  take_joints(s, ap_ctrl_model(s->def.ctrl));
  choose_filter(s);
  ap_status status = make(s, true, &s->observer_memory, &s->observer, error);
  // A sensor behind the gear measures neither its friction nor the rotor.
  if (!status && s->senses) status = make(s, false, &s->feeler_memory, &s->feeler, error);
  return status;
}

double ap__servo_speed_noise(const ap_servo *s, int j) {
  return 4 * s->resolution[j] * s->def.observer;
}

// Where the joints are: thresholds from the model's residual, and from what the resolution of the
// encoders makes of a momentum.
void ap__momentum_begin(ap_servo *s) {
  const double given = s->def.guards.following;
  for (int j = 0; j < s->n; j++) {
    s->threshold[j] = unknown(s, j) + noise(s, j);
    s->usual[j] = s->record.residual[j] = s->record.external[j] = 0;
    double most = astray * s->threshold[j] / ap__ctrl_stiffness(s->def.ctrl, j);
    s->following[j] = given > 0 ? given : isfinite(most) ? fmin(most, farthest) : farthest;
  }
  s->observing = false;
}

double ap_servo_threshold(const ap_servo *s, int j) { return s->threshold[j]; }

// Friction at rest takes what it likes of a torque, up to its bound.
static double unexplained(const ap_servo *s, int j, double residual) {
  double v = s->v[j], held = 1 - fabs(v) / sqrt(v * v + 9 * standing * standing);
  return fmax(fabs(residual) - held * s->coulomb[j], 0);
}

// A torque behind both poles, to stage[1]. A change of the count shows the mean speed of a period,
// half of its torque's effect.
static void smooth(double *const stage[3], int j, double gone, double tau) {
  stage[0][j] += gone * ((tau + stage[2][j]) / 2 - stage[0][j]);
  stage[1][j] += gone * (stage[0][j] - stage[1][j]);
  stage[2][j] = tau;
}

// Motion and torques behind one filter with two equal poles, so that both are late alike: an
// estimate of the velocity that knows nothing of the reference, as the torque does not.
static void follow(ap_servo *s) {
  double h = s->def.period, pole = exp(-s->filter * h), gone = 1 - pole;
  double *const sent[3] = {s->sent0, s->sent1, s->sent2};
  double *const felt[3] = {s->felt0, s->felt1, s->felt2};
  for (int j = 0; j < s->n; j++) {
    double ahead = s->seen_q[j] + h * s->seen_v[j], off = s->q[j] - ahead;
    s->seen_q[j] = ahead + (1 - pole * pole) * off;
    s->seen_v[j] += gone * gone / h * off;
    smooth(sent, j, gone, s->record.tau[j]);
    smooth(felt, j, gone, s->record.input.torque[j]);
  }
}

static void begin(ap_servo *s) {
  for (int j = 0; j < s->n; j++) {
    s->seen_q[j] = s->q[j], s->seen_v[j] = s->v[j];
    s->sent0[j] = s->sent1[j] = s->sent2[j] = s->record.tau[j];
    s->felt0[j] = s->felt1[j] = s->felt2[j] = s->record.input.torque[j];
  }
  ap_feed_forward_reset(s->observer, s->q, s->v);
  if (s->feeler) ap_feed_forward_reset(s->feeler, s->q, s->v);
  s->observing = true;
}

// What the surroundings exert, by the sensors: motion of the links less the torques that reach
// them. The model's springs act between the links.
static void watch_contact(ap_servo *s) {
  double *tau = s->work1, *external = s->record.external;
  ap_passive_forces(ap_ctrl_model(s->def.ctrl), ap_ctrl_work(s->def.ctrl), s->q, s->work2);
  for (int j = 0; j < s->n; j++) tau[j] = s->felt1[j] - s->work2[j];
  ap_feed_forward_observe(s->feeler, s->q, s->seen_v, tau, external);
  for (int j = 0; j < s->n; j++) {
    if (!s->def.axis[j].torque_sensor) external[j] = 0;
    if (fabs(external[j]) > s->contact[j])
      ap__servo_found(s, AP_STOP_CONTACT, j, fabs(external[j]), s->contact[j], "N m");
  }
}

// What a torque that changes leaves open, because the amplifier gives it later: its rate, which the
// two stages of the filter tell, times that delay.
static double lag(const ap_servo *s, int j) {
  return s->filter * slowness * fabs(s->sent0[j] - s->sent1[j]);
}

void ap__guard_momentum(ap_servo *s) {
  double *r = s->record.residual, span = s->t - s->before;
  bool drove = s->started && !s->record.output.brakes && !s->record.output.failed;
  if (!drove || fabs(span - s->def.period) > s->def.period / 100) {
    s->observing = false;
    return;
  }
  if (!s->observing) begin(s);
  follow(s);
  ap_feed_forward_observe(s->observer, s->q, s->seen_v, s->sent1, r);
  for (int j = 0; j < s->n; j++) {
    double most = s->threshold[j] + missed(s, j) * fabs(s->sent1[j]) + lag(s, j);
    double sudden = unexplained(s, j, r[j] - s->usual[j]), whole = unexplained(s, j, r[j]);
    if (sudden > most) ap__servo_found(s, AP_STOP_DYNAMICS, j, sudden, most, "N m");
    if (whole > largest * most)
      ap__servo_found(s, AP_STOP_DYNAMICS, j, whole, largest * most, "N m");
    s->usual[j] += s->def.period / usual_time * (r[j] - s->usual[j]);
  }
  if (s->feeler) watch_contact(s);
}
