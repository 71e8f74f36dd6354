// SPDX-License-Identifier: Apache-2.0
// A run of the control loop while it goes on.

#ifndef AP_CTRL_SERVO_H
#define AP_CTRL_SERVO_H

#include <appell/servo.h>
#include <stdatomic.h>

#include "traj/traj.h"

enum { AP__AXES = AP_RACK_AXES, AP__REMARKS = 4, AP__REMARK_BYTES = 200 };

// Records on their way from the loop to one other thread. The loop alone moves `head`, the other
// one alone moves `tail`; each only reads the other's.
typedef struct ap__ring {
  ap_servo_record *record; // [mask + 1]
  size_t mask;
  _Alignas(64) atomic_size_t head;
  _Alignas(64) atomic_size_t tail;
} ap__ring;

bool ap__ring_put(ap__ring *ring, const ap_servo_record *record);
bool ap__ring_take(ap__ring *ring, ap_servo_record *record);

// Where homing is.
typedef enum ap__home { HOME_SETTLE, HOME_MOVE } ap__home;

// What is kept of an encoder to tell whether it is stuck.
typedef struct ap__stay {
  double reference; // where the reference and the potentiometer's difference were
  double mismatch;  // when the count changed last
} ap__stay;

struct ap_servo {
  ap_servo_def def;
  int n;
  double t, before; // s: of this period and of the one before
  // measurement
  double resolution[AP__AXES], zero[AP__AXES]; // rad of a count; position at count 0
  int32_t count[AP__AXES];
  bool started;
  uint32_t untrusted; // bit j: the encoder of axis j is not believed
  double alpha, beta; // of the velocity estimate
  double q[AP__AXES], v[AP__AXES], smooth[AP__AXES];
  double mismatch[AP__AXES]; // potentiometer less encoder, smoothed
  ap__stay stay[AP__AXES];
  // reference
  double qd[AP__AXES], vd[AP__AXES], ad[AP__AXES];
  double path[AP__AXES][AP__POWERS]; // of an approach
  double phase_began, approach_time;
  ap__home home;
  double home_sum[AP__AXES], home_from[AP__AXES], home_way[AP__AXES];
  long home_samples;
  double brake_q[AP__AXES], brake_v[AP__AXES];
  // guards
  int torque_row[AP__AXES], late_row;
  // changes of law
  int changed;
  // what others ask for and see
  atomic_bool stop_asked, ended;
  atomic_uint tools;
  // results
  double square[AP__AXES];
  long run_periods;
  ap_servo_record record;
  ap_servo_result result;
  ap__ring ring;
  char remark[AP__REMARKS][AP__REMARK_BYTES];
  int remarks;
};

// One period that begins at t, late by so much. False when the run has ended.
bool ap__servo_period(ap_servo *s, long number, double t, double late);
// Records of a period that is done, with the time that it took.
void ap__servo_record(ap_servo *s, double compute);

// Stop for a reason; the first one counts.
void ap__servo_stop(ap_servo *s, ap_stop stop, int axis);
// What is wrong with the inputs: stops the run.
void ap__guard_inputs(ap_servo *s);
// What is wrong with position and velocity.
void ap__guard_motion(ap_servo *s);
// What is wrong with the torques, and with those that the law asked for. False: they must not be
// sent.
bool ap__guard_torques(ap_servo *s, const double *wanted, const double *tau);

#endif
