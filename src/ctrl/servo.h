// SPDX-License-Identifier: Apache-2.0
// A run of the control loop while it goes on.

#ifndef AP_CTRL_SERVO_H
#define AP_CTRL_SERVO_H

#include <appell/feed_forward.h>
#include <appell/servo.h>
#include <appell/stream.h>
#include <stdatomic.h>

#include "traj/traj.h"

// It was ended without a point.
bool ap__stream_never_begins(const ap_stream *stream);

enum { AP__REMARKS = 4, AP__REMARK_BYTES = 200 };

// Records on their way from the loop to one other thread. The loop alone moves `head`, the other
// one alone moves `tail`; each only reads the other's.
typedef struct ap__ring {
  ap_servo_record *record; // [mask + 1]
  int axes;
  size_t mask;
  _Alignas(64) atomic_size_t head;
  _Alignas(64) atomic_size_t tail;
} ap__ring;

bool ap__ring_put(ap__ring *ring, const ap_servo_record *record);
bool ap__ring_take(ap__ring *ring, ap_servo_record *record);
// What a record holds; the arrays stay where they are.
void ap__record_copy(int axes, const ap_servo_record *from, ap_servo_record *to);

// Where homing is.
// ENABLE: the drives that report their state are not all enabled yet.
typedef enum ap__home { HOME_ENABLE, HOME_SETTLE, HOME_MOVE } ap__home;

// What is kept of an encoder to tell whether it is stuck.
typedef struct ap__stay {
  double reference; // where the reference and the potentiometer's difference were
  double mismatch;  // when the count changed last
} ap__stay;

// Every array of doubles with an entry for each axis.
//   resolution, zero      rad of a count; position at count 0
//   count                 of the encoder; of an absolute one unwrapped
//   smooth, mismatch      of the velocity estimate; potentiometer less encoder, smoothed
//   brake_*               where a stop began; |a|; rad/s2 by which the reference still sped up
//   following             rad from a reference at rest that a guard allows
//   same_from             the reference when an input changed last
//   seen_q, seen_v        the momentum observer's own estimate of the motion
//   sent0 to sent2        torques behind each pole of the same filter, and the last one before it;
//   felt0 to felt2        those of the torque sensors likewise
//   coast_*               after a stop of category 0: where it began, way and largest speed since
//   usual, threshold      N m: the slow part of the residual; its limit
// clang-format off
#define AP__SERVO_VECTORS(X)                                                                       \
  X(resolution) X(zero) X(count) X(q) X(v) X(smooth) X(mismatch) X(qd) X(vd) X(ad) X(home_sum)     \
  X(home_from) X(home_way) X(brake_q) X(brake_v) X(brake_a) X(brake_up) X(hold_q) X(lower)         \
  X(upper) X(velocity) X(torque) X(expected) X(contact) X(following) X(same_from) X(coulomb)       \
  X(rotor) X(seen_q) X(seen_v) X(sent0) X(sent1) X(sent2) X(felt0) X(felt1) X(felt2) X(usual)      \
  X(coast_from) X(coast_way) X(coast_speed)                                                         \
  X(threshold) X(square) X(rms) X(most) X(last) X(tau) X(before_q) X(asked) X(work1) X(work2)      \
  X(work3) X(work4)
// clang-format on

// The reference of a period in a log, in place of a stream.
typedef struct ap__fed {
  const double *q, *v, *a; // [n]
  ap_phase phase;          // that the period ended in
  ap_stop stop;
  int stop_axis;
} ap__fed;

struct ap_servo {
  ap_servo_def def;
  int n;
  void *memory;     // of the arrays
  double t, before; // s: of this period and of the one before
  bool started, homes;
  bool senses, noisy; // some joint has a torque sensor; or a potentiometer
  double alpha, beta; // of the velocity estimate
#define AP__SERVO_VECTOR(name) double *name;
  AP__SERVO_VECTORS(AP__SERVO_VECTOR)
#undef AP__SERVO_VECTOR
  double *inertia; // [n * n] for a law of the caller's
  ap__stay *stay;
  int *torque_row;
  double (*path)[AP__POWERS]; // of an approach
  double phase_began, approach_time;
  bool waits;          // for the first point of a stream
  double stream_ended; // s of the run; negative: goes on
  const ap__fed *fed;  // NULL: none
  ap__home home;
  long home_samples;
  bool holding; // at rest, while the brakes close
  double hold_began;
  double released; // part of the torques that the brakes have taken over
  int tries;       // outputs of a stop that were not taken
  // guards
  double late_row;  // periods missed in a row
  int same_row;     // periods in which no input has changed
  long still, same; // periods without a new count, and without any new input
  // the momentum observers: of the torques sent, and of those that sensors measure
  ap_feed_forward *observer, *feeler;
  void *observer_memory, *feeler_memory;
  bool observing; // they have a past
  double filter;  // 1/s
  // changes of law
  int changed;
  // what others ask for and see
  atomic_bool stop_asked, ended;
  atomic_uint tools;
  // results
  long run_periods;
  ap_rack_input read; // of this period, before it is known to be good
  ap_servo_record record, taken;
  ap_servo_result result;
  ap__ring ring;
  char remark[AP__REMARKS][AP__REMARK_BYTES];
  int remarks;
};

// Place the arrays of a run of so many axes; AP_E_MEMORY.
ap_status ap__servo_allocate(ap_servo *s, int axes, int ring, ap_error *error);
void ap__servo_release(ap_servo *s);

// One period that begins at t, late by so much. False when the run has ended.
bool ap__servo_period(ap_servo *s, long number, double t, double late);
// Whether the arm coasts after the end, and one period of that, which begins at t; false: over.
bool ap__servo_coasts(const ap_servo *s);
bool ap__servo_coast(ap_servo *s, double t);
// Records of a period that is done, with the time that it took.
void ap__servo_record(ap_servo *s, double compute);

// Begin a phase.
void ap__servo_enter(ap_servo *s, ap_phase phase);
// Stop for a reason; the first one counts, later ones may turn category 1 into 0.
void ap__servo_stop(ap_servo *s, ap_stop stop, int axis);
// The same with what was measured, and the limit that it exceeds.
void ap__servo_found(ap_servo *s, ap_stop stop, int axis, double value, double limit,
                     const char *unit);
// The reference of the next period, as it was logged.
void ap__servo_feed(ap_servo *s, const ap__fed *fed);
// The count of joint j by this reading; near is the count before.
double ap__servo_count(const ap_servo *s, int j, int32_t reading, double near);
// Whether joint j has an index pulse to pass before it is where it is known to be.
bool ap__servo_seeks(const ap_servo *s, int j);
// The reference of a stop by the drives.
void ap__refer_brake(ap_servo *s);
// Whether that stop is seen to work; else the brakes.
void ap__guard_brake(ap_servo *s);

// The speed that the resolution of an encoder may feign.
double ap__servo_speed_noise(const ap_servo *s, int j);
// Make the momentum observer; allocates.
ap_status ap__momentum_create(ap_servo *s, ap_error *error);
// Limits of residuals and following errors, once the controller has been reset.
void ap__momentum_begin(ap_servo *s);
// Torque that the model does not explain.
void ap__guard_momentum(ap_servo *s);

// Limits that are not given are the model's.
void ap__guards_begin(ap_servo *s);
// Inputs that do not change any more, before they take the place of the last ones.
void ap__guard_stale(ap_servo *s, const ap_rack_input *in);
// What is wrong with the inputs: stops the run.
void ap__guard_inputs(ap_servo *s);
// What is wrong with position and velocity.
void ap__guard_motion(ap_servo *s);
// What is wrong with the reference, which was `before` in the last period.
void ap__guard_reference(ap_servo *s, const double *before);
// Torques by the law of the caller's, cut at their limits; s->asked before.
void ap__servo_own_law(ap_servo *s, double *tau);
// What is wrong with the torques, and with those that the law asked for. False: they must not be
// sent.
bool ap__guard_torques(ap_servo *s, const double *wanted, const double *tau);

#endif
