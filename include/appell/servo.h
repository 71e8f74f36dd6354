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
#include <appell/stream.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a run is. Phases follow each other in this order; BRAKE comes only where something stops
/// the run.
typedef enum ap_phase {
  AP_PHASE_HOME,     ///< finds the joint positions
  AP_PHASE_APPROACH, ///< moves to the beginning of the trajectory
  AP_PHASE_RUN,      ///< follows it, and holds its end
  AP_PHASE_BRAKE,    ///< brings the joints to rest under control, holds them until brakes close
  AP_PHASE_SAFE      ///< no torque, brakes on: the end
} ap_phase;
/// "home", ...; never NULL.
AP_API const char *ap_phase_name(ap_phase phase);

/// Every reason for a stop with its name in logs, its text for a person, and the category of the
/// stop (IEC 60204-1). 0: the power is cut and the brakes close at once. 1: the drives bring the
/// joints to rest while that is seen to work, then the brakes close; else it becomes 0 at once.
/// Only what leaves sensors and drives beyond doubt is of category 1.
#define AP_STOP_LIST(X)                                                                   \
  X(AP_STOP_NONE, "none", "runs", 1)                                                      \
  X(AP_STOP_DONE, "done", "the run is complete", 1)                                       \
  X(AP_STOP_REQUEST, "request", "a stop was asked for", 1)                                \
  X(AP_STOP_HOMING, "homing", "no index pulse fits the potentiometer", 0)                 \
  X(AP_STOP_IO, "io", "reading or writing the rack failed", 0)                            \
  X(AP_STOP_NOT_A_NUMBER, "not_a_number", "a signal or a torque is not a number", 0)      \
  X(AP_STOP_THERMO, "thermo", "a motor is too hot", 1)                                    \
  X(AP_STOP_ENCODER_JUMP, "encoder_jump", "an encoder jumps", 0)                          \
  X(AP_STOP_ENCODER_STUCK, "encoder_stuck", "an encoder stays while its joint moves", 0)  \
  X(AP_STOP_POTENTIOMETER, "potentiometer", "encoder and potentiometer disagree", 0)      \
  X(AP_STOP_DEADLINE, "deadline", "too many deadlines in a row were missed", 0)           \
  X(AP_STOP_POSITION, "position", "a joint is beyond its position limit", 1)              \
  X(AP_STOP_VELOCITY, "velocity", "a joint is beyond its velocity limit", 0)              \
  X(AP_STOP_TORQUE, "torque", "a joint needs more than its torque limit for too long", 0) \
  X(AP_STOP_ERROR, "error", "a joint is too far from its reference", 0)                   \
  X(AP_STOP_STALE, "stale", "the inputs do not change any more", 0)                       \
  X(AP_STOP_DYNAMICS, "dynamics", "a joint moves otherwise than its torque explains", 0)  \
  X(AP_STOP_REFERENCE, "reference", "the reference jumps, or does not arrive", 1)         \
  X(AP_STOP_DRIVE, "drive", "a drive reports a fault, or is not enabled", 0)              \
  X(AP_STOP_CONTACT, "contact", "a joint's torque sensor feels the surroundings", 0)

/// Why a run stopped.
typedef enum ap_stop {
#define AP_STOP_ENUM(code, name, text, category) code,
  AP_STOP_LIST(AP_STOP_ENUM)
#undef AP_STOP_ENUM
} ap_stop;
/// Its name in logs; never NULL.
AP_API const char *ap_stop_name(ap_stop stop);
/// Its text for a person; never NULL.
AP_API const char *ap_stop_text(ap_stop stop);
/// The category of the stop that it calls for: 0 or 1.
AP_API int ap_stop_category(ap_stop stop);

/// Why a stop that calls for category 1 became one of category 0.
#define AP_CUT_LIST(X)                                                                           \
  X(AP_CUT_NONE, "")                                                                             \
  X(AP_CUT_SLOW, "the drives would not have brought the joints to rest before the brakes close") \
  X(AP_CUT_ASTRAY, "a joint did not decelerate as asked")                                        \
  X(AP_CUT_GUARD, "another guard found a fault while the drives braked")

/// One of the list above.
typedef enum ap_cut {
#define AP_CUT_ENUM(code, text) code,
  AP_CUT_LIST(AP_CUT_ENUM)
#undef AP_CUT_ENUM
} ap_cut;
/// Its text for a person; never NULL.
AP_API const char *ap_cut_text(ap_cut cut);

/// What is watched in every period. Begin with ap_default_guards() and change what differs.
typedef struct ap_guards {
  const double *lower;    ///< [axes] rad or m; NULL: the model's limits: NULL
  const double *upper;    ///< [axes] rad or m; NULL: the model's limits: NULL
  const double *velocity; ///< [axes] rad/s or m/s; NULL: the model's limits: NULL
  const double *torque;   ///< [axes] N m or N that the law may ask for; NULL: any: NULL
  const double *residual; ///< [axes] N m or N that the model leaves unexplained, root mean square,
                          ///< as `appell identify` prints it; 0: a sixth of the joint's Coulomb
                          ///< friction, or 2 % of its largest torque where the model has none;
                          ///< INFINITY: no momentum observer; NULL: zeros: NULL
  const double *contact;  ///< [axes] N m or N from the surroundings, by the torque sensors of the
                          ///< joints; INFINITY: any; NULL: any: NULL
  int torque_periods;     ///< in a row that the law may ask for more: 20
  int misses;             ///< deadlines missed in a row that stop the run; 0: they are
                          ///< counted and stop nothing: 5
  double jump;            ///< rad/s: no encoder moves faster: 20
  double stuck;           ///< rad: an encoder that stays while its reference moves so far and its
                          ///< potentiometer half as far is stuck: 0.03
  double mismatch;        ///< rad between encoder and potentiometer: 0.1
  double stale;     ///< s in which noisy inputs, or those of a joint that should move, all stay the
                    ///< same to the bit; INFINITY: they may: 0.005
  double following; ///< rad from the reference; 0: the error that a torque of twice the
                    ///< observer's threshold causes, and what the law lags behind the reference's
                    ///< speed; at most 0.5: 0
  unsigned cookie;  ///< ap_default_guards() sets it
} ap_guards;
/// The defaults named above.
AP_API ap_guards ap_default_guards(void);

/// A change of law during the run.
typedef struct ap_servo_switch {
  double at;             ///< s of the trajectory
  ap_law law;            ///< from then on
  const ap_gains *gains; ///< [nv]; NULL: as they are. Must outlive the run
} ap_servo_switch;

/// What a control law of the caller's gets in a period.
typedef struct ap_law_input {
  double t;               ///< s since the loop began
  double run_t;           ///< s of the trajectory; negative before it begins
  ap_phase phase;         ///< AP_PHASE_APPROACH or AP_PHASE_RUN
  int n;                  ///< joints
  const double *q;        ///< [n] measured position
  const double *v;        ///< [n] estimated velocity
  const double *qd;       ///< [n] reference
  const double *vd;       ///< [n] its rate
  const double *ad;       ///< [n] its acceleration
  const double *torque;   ///< [n] of the torque sensors; 0 where there is none
  const double *residual; ///< [n] torque that the model does not explain, observed
  const double *inertia;  ///< [n * n] M(q), row-major, rotors included
  const double *bias;     ///< [n] C v + G and springs
  const ap_model *model;  ///< the controller's
  ap_work *work;          ///< to compute with; nothing in it is expected to stay
} ap_law_input;
/// A control law of the caller's. tau [n] has the torque that the controller's own law asks for,
/// before it is cut: to be changed or replaced. What comes out is cut at the limits, passes the
/// guards and is logged as any other torque; what is not a number stops the run. It is called once
/// in a period while the arm approaches and follows its reference. Homing and stops are the
/// controller's own. It runs in the thread of the loop: no heap, no locks, no I/O, no waiting, and
/// a time that is bounded.
typedef void ap_servo_law(void *context, const ap_law_input *input, double *tau);

/// A run to be made. Begin with ap_default_servo() and change what differs. All it points to must
/// outlive the run.
typedef struct ap_servo_def {
  ap_ctrl *ctrl;            ///< the controller; its period is the loop's
  ap_rack *rack;            ///< has as many axes as the model has joints
  const ap_axis *axis;      ///< [axes]
  const ap_traj *reference; ///< [axes] coordinates
  ap_stream *stream;        ///< the reference in its place, set points that arrive at run time. The
                     ///< arm waits for the first one; where one does not arrive in time it is
                     ///< brought to rest: NULL
  double period;         ///< s: 1e-3
  double duration;       ///< s of AP_PHASE_RUN; 0: the trajectory or stream and half a second
  const double *start;   ///< [axes] joint positions at power-on where they are known: no
                         ///< homing; NULL: home
  double home_time;      ///< s that the motion of homing takes: 2
  double approach_speed; ///< rad/s: 0.5
  double observer;       ///< rad/s: bandwidth of the velocity estimate: 200
  double brake;          ///< rad/s2: deceleration of a stop that was asked for: 5
  double brake_time;     ///< s that it may take at most: 2
  double brake_close;    ///< s that the brakes take to close: 0.03. After a fault the drives
                         ///< brake only where they need no longer than that
  ap_guards guards;      ///< what is watched
  const ap_servo_switch *change; ///< [changes], in the order of time
  int changes;                   ///< number of them: 0
  ap_servo_law *law;             ///< the caller's; NULL: that of ctrl: NULL
  void *law_context;             ///< what it is called with
  int ring;                      ///< records between loop and writer, a power of two: 8192
  unsigned cookie;               ///< ap_default_servo() sets it
} ap_servo_def;
/// The defaults named above.
AP_API ap_servo_def ap_default_servo(void);

/// What a period did; the log is made of these. The arrays belong to the run.
typedef struct ap_servo_record {
  long period;           ///< its number from 0; a gap shows periods that were skipped
  double t;              ///< s since the loop began
  double run_t;          ///< s of the trajectory; negative before it begins
  ap_phase phase;        ///< phase of the run
  ap_stop stop;          ///< why it stopped, from the period on in which that was found
  int stop_axis;         ///< of which joint; -1: of none
  double *q;             ///< [axes] measured position
  double *v;             ///< [axes] estimated velocity
  double *qd;            ///< [axes] reference
  double *vd;            ///< [axes] its rate
  double *ad;            ///< [axes] its acceleration
  double *tau;           ///< [axes] torque that was sent to the amplifiers
  ap_rack_input input;   ///< as read; late is the whole lateness
  ap_rack_output output; ///< as written
  double compute;        ///< s that the period took, I/O included; 0 in simulated time
  double *residual;      ///< [axes] torque that the model does not explain, observed
  double *external;      ///< [axes] torque of the surroundings, observed by the torque sensors; 0
                         ///< where a joint has none
  int category;          ///< of the stop: 1 while the drives brake, 0; -1: runs
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
  double brakes_t;           ///< s, when the rack took the command of the brakes; negative: never
  int category;              ///< of the stop as it came to be: 0 or 1; -1: none
  ap_cut cut;                ///< why it is 0 where the reason calls for 1
  double stop_value;         ///< what the guard measured that stopped it; NAN: no number
  double stop_limit;         ///< its threshold, in the same unit; NAN: none
  const char *stop_unit;     ///< "rad", "N m", ...; never NULL
  double run_began;          ///< s, when the trajectory began; negative: it did not
  long periods;              ///< done
  long skipped;              ///< periods that were let go because the one before took too long
  long missed;               ///< deadlines missed
  long dropped;              ///< records that found the ring full
  const double *rms;         ///< [axes] error of position in AP_PHASE_RUN
  const double *most;        ///< [axes] its largest magnitude
  const double *last;        ///< [axes] and at the end, smoothed over 0.1 s
  const double *coast_way;   ///< [axes] rad or m, by the encoders, that the joints went from a stop
                             ///< of category 0 until the brakes have closed; NAN: not measured
  const double *coast_speed; ///< [axes] rad/s or m/s: their largest speeds meanwhile
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
/// After a stop of category 0 the arm moves until its brakes have closed. This reads the rack on in
/// simulated time, commanding brakes, until 0.15 s after that, and notes the motion in the result;
/// nothing of it is in the records. Without effect before the end and after other stops.
/// ap_servo_run() does it by the clock.
AP_API void ap_servo_coast(ap_servo *servo);
/// The whole run by the clock, in the calling thread, which sleeps until absolute times. What the
/// system does not permit is left out with a remark; at the end all is as it was before.
AP_API void ap_servo_run(ap_servo *servo, const ap_realtime *realtime);
/// Remark i, from 0, on what was not permitted; NULL past the last.
AP_API const char *ap_servo_remark(const ap_servo *servo, int i);
/// Ask for a stop; from any thread, or from a signal handler.
AP_API void ap_servo_request_stop(ap_servo *servo);
/// The torque [N m or N] of joint j beyond which the momentum observer stops the run, besides a
/// fifth of the torque that is sent; see docs/control.md.
AP_API double ap_servo_threshold(const ap_servo *servo, int j);
/// Set the outputs of the tool; from any thread.
AP_API void ap_servo_set_tools(ap_servo *servo, uint32_t tools);
/// Take the oldest record that was not taken; false: there is none now. Its arrays hold until the
/// next one is taken. For one thread, which never keeps the loop waiting.
AP_API bool ap_servo_take(ap_servo *servo, ap_servo_record *record);
/// Whether the run has ended; from any thread.
AP_API bool ap_servo_ended(const ap_servo *servo);
/// What the run has come to, for when it has ended.
AP_API const ap_servo_result *ap_servo_result_of(const ap_servo *servo);

#ifdef __cplusplus
}
#endif

#endif
