// SPDX-License-Identifier: Apache-2.0
/// @file servo.h
/// The control loop: reads a rack, guards, follows a trajectory, writes the rack, keeps a log; in
/// real time by the clock, or in simulated time as fast as it goes. Part of libappell-tools; after
/// ap_servo_create() nothing allocates, and the loop makes no system call but for the clock and the
/// I/O of its rack.

#ifndef APPELL_SERVO_H
#define APPELL_SERVO_H

#include <appell/ctrl.h>
#include <appell/rack.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a run is. Phases follow each other in this order; BRAKE comes only where something stops
/// the run.
typedef enum ap_phase {
  AP_PHASE_HOME,     ///< finds the joint positions
  AP_PHASE_APPROACH, ///< moves to the beginning of the trajectory
  AP_PHASE_RUN,      ///< follows it, and holds its end
  AP_PHASE_BRAKE,    ///< brings the joints to rest under control
  AP_PHASE_SAFE      ///< no torque, brakes on: the end
} ap_phase;
/// "home", ...; never NULL.
AP_API const char *ap_phase_name(ap_phase phase);

/// Every reason for a stop with its name in logs and its text for a person.
#define AP_STOP_LIST(X)                                                                \
  X(AP_STOP_NONE, "none", "runs")                                                      \
  X(AP_STOP_DONE, "done", "the run is complete")                                       \
  X(AP_STOP_REQUEST, "request", "a stop was asked for")                                \
  X(AP_STOP_HOMING, "homing", "no index pulse fits the potentiometer")                 \
  X(AP_STOP_IO, "io", "reading or writing the rack failed")                            \
  X(AP_STOP_NOT_A_NUMBER, "not_a_number", "a signal or a torque is not a number")      \
  X(AP_STOP_THERMO, "thermo", "a motor is too hot")                                    \
  X(AP_STOP_ENCODER_JUMP, "encoder_jump", "an encoder jumps")                          \
  X(AP_STOP_ENCODER_STUCK, "encoder_stuck", "an encoder stays while its joint moves")  \
  X(AP_STOP_POTENTIOMETER, "potentiometer", "encoder and potentiometer disagree")      \
  X(AP_STOP_DEADLINE, "deadline", "too many deadlines in a row were missed")           \
  X(AP_STOP_POSITION, "position", "a joint is beyond its position limit")              \
  X(AP_STOP_VELOCITY, "velocity", "a joint is beyond its velocity limit")              \
  X(AP_STOP_TORQUE, "torque", "a joint needs more than its torque limit for too long") \
  X(AP_STOP_ERROR, "error", "a joint is too far from its reference")

/// Why a run stopped.
typedef enum ap_stop {
#define AP_STOP_ENUM(code, name, text) code,
  AP_STOP_LIST(AP_STOP_ENUM)
#undef AP_STOP_ENUM
} ap_stop;
/// Its name in logs; never NULL.
AP_API const char *ap_stop_name(ap_stop stop);
/// Its text for a person; never NULL.
AP_API const char *ap_stop_text(ap_stop stop);

/// What is watched in every period. Begin with ap_default_guards() and change what differs.
typedef struct ap_guards {
  double lower[AP_RACK_AXES];    ///< rad or m; -INFINITY: none
  double upper[AP_RACK_AXES];    ///< rad or m; INFINITY: none
  double velocity[AP_RACK_AXES]; ///< rad/s or m/s; INFINITY: none
  double torque[AP_RACK_AXES];   ///< N m or N that the law may ask for; INFINITY: none
  int torque_periods;            ///< in a row that it may ask for more: 20
  int misses;                    ///< deadlines missed in a row that stop the run; 0: they are
                                 ///< counted and stop nothing: 5
  double jump;                   ///< rad/s: no encoder moves faster: 20
  double stuck;     ///< rad: an encoder that stays while its reference moves so far and its
                    ///< potentiometer half as far is stuck: 0.03
  double mismatch;  ///< rad between encoder and potentiometer: 0.1
  double following; ///< rad from the reference: 0.5
  unsigned cookie;  ///< ap_default_guards() sets it
} ap_guards;
/// The defaults named above, and the model's limits where model is not NULL.
AP_API ap_guards ap_default_guards(const ap_model *model);

/// A change of law during the run.
typedef struct ap_servo_switch {
  double at;             ///< s of the trajectory
  ap_law law;            ///< from then on
  const ap_gains *gains; ///< [nv]; NULL: as they are. Must outlive the run
} ap_servo_switch;

/// A run to be made. Begin with ap_default_servo() and change what differs. All it points to must
/// outlive the run.
typedef struct ap_servo_def {
  ap_ctrl *ctrl;                 ///< the controller; its period is the loop's
  ap_rack *rack;                 ///< has as many axes as the model has joints
  const ap_axis *axis;           ///< [axes]
  const ap_traj *reference;      ///< [axes] coordinates
  double period;                 ///< s: 1e-3
  double duration;               ///< s of AP_PHASE_RUN; 0: the trajectory and half a second
  const double *start;           ///< [axes] joint positions at power-on where they are known: no
                                 ///< homing; NULL: home
  double home_time;              ///< s that the motion of homing takes: 2
  double approach_speed;         ///< rad/s: 0.5
  double observer;               ///< rad/s: bandwidth of the velocity estimate: 200
  double brake;                  ///< rad/s2: deceleration of a stop: 5
  double brake_time;             ///< s that it may take at most: 2
  ap_guards guards;              ///< what is watched
  const ap_servo_switch *change; ///< [changes], in the order of time
  int changes;                   ///< number of them: 0
  int ring;                      ///< records between loop and writer, a power of two: 8192
  unsigned cookie;               ///< ap_default_servo() sets it
} ap_servo_def;
/// The defaults named above.
AP_API ap_servo_def ap_default_servo(void);

/// What a period did; the log is made of these.
typedef struct ap_servo_record {
  long period;              ///< its number from 0; a gap shows periods that were skipped
  double t;                 ///< s since the loop began
  double run_t;             ///< s of the trajectory; negative before it begins
  ap_phase phase;           ///< phase of the run
  ap_stop stop;             ///< why it stopped, from the period on in which that was found
  int stop_axis;            ///< of which joint; -1: of none
  double q[AP_RACK_AXES];   ///< measured position
  double v[AP_RACK_AXES];   ///< estimated velocity
  double qd[AP_RACK_AXES];  ///< reference
  double vd[AP_RACK_AXES];  ///< its rate
  double ad[AP_RACK_AXES];  ///< its acceleration
  double tau[AP_RACK_AXES]; ///< torque that was sent to the amplifiers
  ap_rack_input input;      ///< as read; late is the whole lateness
  ap_rack_output output;    ///< as written
  double compute;           ///< s that the period took, I/O included; 0 in simulated time
} ap_servo_record;

/// How often times of some length occurred: eight classes for every factor of two.
typedef struct ap_histogram {
  uint64_t count[320]; ///< class k begins at ap_histogram_bound(k)
  uint64_t n;          ///< all together
  double least;        ///< s
  double most;         ///< s
  double sum;          ///< s
} ap_histogram;
/// Where class k begins, s.
AP_API double ap_histogram_bound(int k);
/// Note a time.
AP_API void ap_histogram_note(ap_histogram *h, double seconds);
/// The time below which this part of all lies, to the width of a class; 0 for an empty histogram.
AP_API double ap_histogram_quantile(const ap_histogram *h, double part);

/// How the loop asks for real time. Begin with ap_default_realtime().
typedef struct ap_realtime {
  int priority;     ///< of SCHED_FIFO, 1 to 99; 0: ordinary: 80
  int cpu;          ///< processor to stay on; -1: any: -1
  bool lock_memory; ///< keep all memory of the process in RAM: true
} ap_realtime;
/// The defaults named above.
AP_API ap_realtime ap_default_realtime(void);

/// What a run has come to.
typedef struct ap_servo_result {
  ap_phase phase;            ///< where it is
  ap_stop stop;              ///< why it stopped
  int stop_axis;             ///< of which joint; -1: of none
  double stop_t;             ///< s, when that was found
  double run_began;          ///< s, when the trajectory began; negative: it did not
  long periods;              ///< done
  long skipped;              ///< periods that were let go because the one before took too long
  long missed;               ///< deadlines missed
  long dropped;              ///< records that found the ring full
  double rms[AP_RACK_AXES];  ///< error of position in AP_PHASE_RUN
  double most[AP_RACK_AXES]; ///< its largest magnitude
  double last[AP_RACK_AXES]; ///< and at the end, smoothed over 0.1 s
  ap_histogram latency;      ///< how late the loop woke up; of real time
  ap_histogram compute;      ///< how long a period took, I/O included; of real time
} ap_servo_result;

/// A run. One thread drives it, one other may take its records.
typedef struct ap_servo ap_servo;
/// Make a run; allocates all it needs. Free it with ap_servo_free().
AP_API ap_status ap_servo_create(const ap_servo_def *def, ap_servo **servo, ap_error *error);
/// Free a run; NULL is allowed.
AP_API void ap_servo_free(ap_servo *servo);
/// One period in simulated time; false when the run has ended.
AP_API bool ap_servo_step(ap_servo *servo);
/// The same for the period of this number, which is not before the last one: for the replay of a
/// log with gaps.
AP_API bool ap_servo_step_at(ap_servo *servo, long number);
/// The whole run by the clock, in the calling thread, which sleeps until absolute times. What the
/// system does not permit is left out with a remark; at the end all is as it was before.
AP_API void ap_servo_run(ap_servo *servo, const ap_realtime *realtime);
/// Remark i, from 0, on what was not permitted; NULL past the last.
AP_API const char *ap_servo_remark(const ap_servo *servo, int i);
/// Ask for a stop; from any thread, or from a signal handler.
AP_API void ap_servo_request_stop(ap_servo *servo);
/// Set the outputs of the tool; from any thread.
AP_API void ap_servo_set_tools(ap_servo *servo, uint32_t tools);
/// Take the oldest record that was not taken; false: there is none now. For one thread, which never
/// keeps the loop waiting.
AP_API bool ap_servo_take(ap_servo *servo, ap_servo_record *record);
/// Whether the run has ended; from any thread.
AP_API bool ap_servo_ended(const ap_servo *servo);
/// What the run has come to, for when it has ended.
AP_API const ap_servo_result *ap_servo_result_of(const ap_servo *servo);

#ifdef __cplusplus
}
#endif

#endif
