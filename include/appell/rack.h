// SPDX-License-Identifier: Apache-2.0
/// @file rack.h
/// The rack of I/O cards between a controller and an arm, as in section 3 of Valera et al. (2003):
/// potentiometers, incremental encoders with index pulses, thermo signals, analog outputs to the
/// amplifiers, outputs to the tool and to the brakes; and as drives of today have them: absolute
/// encoders, torque sensors, status words, currents and torques as commands. Part of
/// libappell-tools. Back ends: a simulated robot, the replay of a log, cards that Comedi drives,
/// CiA 402 drives on a CAN bus.
/// Making one allocates; reading and writing does not.

#ifndef APPELL_RACK_H
#define APPELL_RACK_H

#include <appell/dyn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Channels of a rack besides those of its axes, of which there may be any number.
enum {
  AP_RACK_TOOLS = 2 ///< digital outputs to the tool
};

/// Bits of an axis' status. Those of the drive are set by racks whose drives report them
/// (AP_AXIS_REPORTS); a drive that reports and is not enabled while it should be is a fault.
enum {
  AP_AXIS_INDEXED = 1,     ///< has passed an index pulse since power-on
  AP_AXIS_HOT = 2,         ///< the motor is too hot
  AP_AXIS_REPORTS = 4,     ///< the drive reports its state with the bits below
  AP_AXIS_READY = 8,       ///< has power, can be enabled
  AP_AXIS_ENABLED = 16,    ///< gives torque
  AP_AXIS_FAULT = 32,      ///< has switched itself off
  AP_AXIS_QUICK_STOP = 64, ///< brings its motor to rest by itself
  AP_AXIS_WARNING = 128    ///< goes on, but something is near its limit
};

/// What the rack measures, all at one moment. The arrays, [axes] each, are the caller's: see
/// ap_rack_input_init().
typedef struct ap_rack_input {
  double *potentiometer; ///< V; of axes that have one
  int32_t *encoder;      ///< counts since power-on, four for each line of the disc; of an absolute
                         ///< encoder its reading
  int32_t *index;        ///< the count at the last index pulse
  double *torque;        ///< N m or N: what the torque sensor of the joint measures
  uint32_t *status;      ///< bits AP_AXIS_...
  double late; ///< s by which these numbers came too late by the rack's own clock; 0: in time
  bool failed; ///< reading failed, and these numbers are those of the period before; in logs
} ap_rack_input;

/// Outputs of the rack.
typedef struct ap_rack_output {
  double *command; ///< [axes] to the amplifiers, in the unit of the axis: V, A, or N m (N)
  uint32_t tools;  ///< bit k: output k of the tool
  bool brakes;     ///< on: the brakes close; with all commands zero the power is cut, too
  bool failed;     ///< writing failed; in logs
} ap_rack_output;

/// Bytes for the arrays of an input.
AP_API size_t ap_rack_input_size(int axes);
/// And of an output.
AP_API size_t ap_rack_output_size(int axes);
/// Place the arrays in memory of that size, aligned for a double, and set everything to zero.
AP_API void ap_rack_input_init(ap_rack_input *input, int axes, void *mem);
/// The same for an output.
AP_API void ap_rack_output_init(ap_rack_output *output, int axes, void *mem);
/// Copy what the arrays hold, and the rest.
AP_API void ap_rack_input_copy(int axes, const ap_rack_input *from, ap_rack_input *to);
/// The same for an output.
AP_API void ap_rack_output_copy(int axes, const ap_rack_output *from, ap_rack_output *to);

/// A rack: its functions and their context. read returns the inputs at time t (s, of the control
/// loop), write sets the outputs; neither allocates. Any status but AP_OK is a failure of the I/O.
typedef struct ap_rack {
  void *context;                                                             ///< of the rest
  int axes;                                                                  ///< in use
  ap_status (*read)(void *context, double t, ap_rack_input *input);          ///< measure
  ap_status (*write)(void *context, double t, const ap_rack_output *output); ///< act
  void (*close)(void *context);                ///< outputs to zero, brakes on; free everything
  const char *(*trouble)(const void *context); ///< see ap_rack_trouble(); NULL: never any
} ap_rack;

/// What went wrong first in reading or writing, or what a drive reported, for a person; "" where
/// nothing did. Never NULL; holds until the rack is closed.
AP_API const char *ap_rack_trouble(const ap_rack *rack);

/// Close a rack and forget it; one that is all zero is allowed.
AP_API void ap_rack_close(ap_rack *rack);

/// How the position of a joint is measured.
typedef enum ap_encoder {
  AP_ENCODER_INCREMENTAL, ///< counts from power-on, with index pulses and a potentiometer: is homed
  AP_ENCODER_ABSOLUTE     ///< knows where it is: no homing, no potentiometer
} ap_encoder;

/// What the amplifier of a joint takes.
typedef enum ap_drive {
  AP_DRIVE_VOLT,    ///< an analog voltage
  AP_DRIVE_CURRENT, ///< A: torque by the motor's constant and the gear
  AP_DRIVE_TORQUE   ///< N m or N at the joint
} ap_drive;

/// Wiring of one joint. Begin with ap_default_axis() and change what differs.
typedef struct ap_axis {
  ap_encoder encoder;     ///< AP_ENCODER_INCREMENTAL
  double lines;           ///< of an incremental encoder for one turn of the motor: 250
  double counts;          ///< of an absolute encoder for one turn: 1048576
  double turns;           ///< that an absolute encoder tells apart; 1: a single-turn one: 1
  double gear;            ///< turns of motor and encoder per joint turn (1/m: per metre): 1
  double index_at;        ///< rad or m: a joint position with an index pulse; others lie 1/gear
                          ///< turns away. Of an absolute encoder, the position at reading 0: 0
  double pot_volt;        ///< V of the potentiometer at q = 0: 2.5
  double pot_gain;        ///< V/rad or V/m: 0.8
  ap_drive drive;         ///< AP_DRIVE_VOLT
  double torque_per_volt; ///< N m or N at the joint for one volt: 1
  double torque_constant; ///< N m/A of the motor, for AP_DRIVE_CURRENT: 0.1
  double largest;         ///< V, A, N m or N: commands are cut there: 10
  bool torque_sensor;     ///< the joint has one: false
  bool status_word;       ///< the simulated drive reports its state: false
  unsigned cookie;        ///< ap_default_axis() sets it
} ap_axis;
/// The defaults named above.
AP_API ap_axis ap_default_axis(void);
/// rad or m of one count.
AP_API double ap_axis_count(const ap_axis *axis);
/// N m or N at the joint for one unit of the command: V, A, N m or N.
AP_API double ap_axis_gain(const ap_axis *axis);
/// rad or m between two index pulses; of an absolute encoder, of a turn.
AP_API double ap_axis_pitch(const ap_axis *axis);
/// Joint position by the potentiometer.
AP_API double ap_axis_potentiometer(const ap_axis *axis, double volt);
/// Homing: the joint position at count 0, from a position by the potentiometer at some count and
/// the count of an index pulse. AP_E_NO_CONVERGENCE, and *zero untouched, where the pulse nearest
/// by the potentiometer is more than a quarter of their distance away: it may be the wrong one.
AP_API ap_status ap_axis_home(const ap_axis *axis, double potentiometer, int32_t count,
                              int32_t index, double *zero);

/// The count of an absolute encoder whose readings repeat, nearest to another count: a reading
/// counts up from 0 and wraps where its turns end.
AP_API double ap_axis_unwrap(const ap_axis *axis, int32_t reading, double near);

// ---- simulated ---------------------------------------------------------------------------------

/// Every fault that can be injected with its name in files and what `amount` means; the enum and
/// ap_fault_name() expand from this one list. Those without an axis concern the whole rack.
#define AP_FAULT_LIST(X)                                                                     \
  X(AP_FAULT_NONE, "none", "nothing happens")                                                \
  X(AP_FAULT_ENCODER_JUMP, "encoder_jump", "the count is off by amount counts")              \
  X(AP_FAULT_ENCODER_STUCK, "encoder_stuck", "the count stays as it is")                     \
  X(AP_FAULT_POTENTIOMETER, "potentiometer", "its voltage is off by amount V")               \
  X(AP_FAULT_NOT_A_NUMBER, "not_a_number", "its voltage is not a number")                    \
  X(AP_FAULT_THERMO, "thermo", "the thermo signal comes on")                                 \
  X(AP_FAULT_LATE, "late", "readings come late by amount s")                                 \
  X(AP_FAULT_READ, "read", "reading fails")                                                  \
  X(AP_FAULT_PUSH, "push", "an outer torque of amount N m acts")                             \
  X(AP_FAULT_AMPLIFIER, "amplifier", "the amplifier gives amount times what it should")      \
  X(AP_FAULT_OUTPUT, "output", "the output is stuck at amount V")                            \
  X(AP_FAULT_ENCODER_POLARITY, "encoder_polarity", "the count goes the wrong way")           \
  X(AP_FAULT_ENCODER_DRIFT, "encoder_drift", "the count drifts by amount counts a second")   \
  X(AP_FAULT_ENCODER_LOSS, "encoder_loss", "this part of the counts is lost, 0 to 1")        \
  X(AP_FAULT_ENCODER_NOISE, "encoder_noise", "noise of amount counts, standard deviation")   \
  X(AP_FAULT_FROZEN, "frozen", "all inputs stay as they are")                                \
  X(AP_FAULT_POTENTIOMETER_DRIFT, "potentiometer_drift", "its voltage drifts by amount V/s") \
  X(AP_FAULT_STALL, "stall", "once, the loop is not run for amount s")                       \
  X(AP_FAULT_WRITE, "write", "writing fails, and the outputs stay as they are")              \
  X(AP_FAULT_COLLISION, "collision", "a wall of amount N m/rad where the joint is")          \
  X(AP_FAULT_PAYLOAD, "payload", "the payload's body carries amount kg more")                \
  X(AP_FAULT_BRAKE_SLIP, "brake_slip", "the brake holds amount times what it should")        \
  X(AP_FAULT_BRAKE_LATE, "brake_late", "the brake closes amount s later")                    \
  X(AP_FAULT_DRIVE, "drive", "the drive switches itself off and reports a fault")            \
  X(AP_FAULT_TORQUE_SENSOR, "torque_sensor", "the torque sensor is off by amount N m")

/// What can go wrong on demand.
typedef enum ap_rack_fault_kind {
#define AP_FAULT_ENUM(code, name, text) code,
  AP_FAULT_LIST(AP_FAULT_ENUM)
#undef AP_FAULT_ENUM
} ap_rack_fault_kind;
/// Its name in files; never NULL.
AP_API const char *ap_fault_name(ap_rack_fault_kind kind);

/// A fault from a time on.
typedef struct ap_rack_fault {
  ap_rack_fault_kind kind; ///< what
  int axis;                ///< where
  double at;               ///< s
  double amount;           ///< by how much: see the kinds
} ap_rack_fault;

/// Friction and rotor of one simulated joint that the controller does not know about.
typedef struct ap_joint_imperfection {
  double viscous;  ///< N m s/rad, in addition to the model's
  double coulomb;  ///< N m, in addition to the model's
  double stiction; ///< ratio of friction at rest to sliding friction: 1
  double rotor;    ///< kg m2 at the joint, in addition to the model's
} ap_joint_imperfection;

/// A simulated rack with its robot. Begin with ap_default_sim_rack() and change what differs. Its
/// random numbers come from the seed: the same calls give the same bits.
typedef struct ap_sim_rack_def {
  const ap_model *model;                     ///< the robot; must outlive the rack
  const ap_axis *axis;                       ///< [nv]
  const ap_joint_imperfection *imperfection; ///< [nv]; NULL: none
  const double *q;                           ///< [nv] joint positions at power-on; NULL: zeros
  double spread;         ///< masses, centres and inertias differ by up to this fraction: 0
  double drive_spread;   ///< frictions and rotors, those of the model and the imperfections, too: 0
  int payload_body;      ///< body that carries the payload
  double payload;        ///< kg: 0
  double payload_com[3]; ///< m, in that body's frame
  int output_bits;       ///< of the analog outputs: 12
  int input_bits;        ///< of the potentiometers' converter, 0 to 5 V: 12
  double pot_noise;      ///< V, standard deviation: 2e-3
  double torque_noise;   ///< N m or N, standard deviation of the torque sensors: 0.02
  double pot_bow;        ///< V: how far the potentiometer leaves a straight line: 5e-3
  double latency;        ///< s from a write until the amplifiers see it: 0
  double amplifier;      ///< s: time constant of the current: 5e-4
  double brake;          ///< N m or N that a brake holds: 500
  double brake_close;    ///< s from the command until it holds; the power goes at once: 0.03
  double watchdog; ///< s without a write after which the rack itself cuts the power and closes
                   ///< the brakes; 0: never: 0.02
  double step;     ///< s: the robot's motion is integrated in steps not longer: 2.5e-4
  uint64_t seed;   ///< 1
  unsigned cookie; ///< ap_default_sim_rack() sets it
} ap_sim_rack_def;
/// The defaults named above; set model and axis.
AP_API ap_sim_rack_def ap_default_sim_rack(void);
/// Make one. Close it with ap_rack_close().
AP_API ap_status ap_rack_simulated(const ap_sim_rack_def *def, ap_rack *rack, ap_error *error);
/// Let something go wrong; replaces the fault before. AP_E_ARG for an axis that is not there.
AP_API ap_status ap_rack_inject(ap_rack *rack, const ap_rack_fault *fault);
/// The true state of the simulated robot, [axes] each; any may be NULL.
AP_API void ap_rack_truth(const ap_rack *rack, double *q, double *v, double *tau);

// ---- replay ------------------------------------------------------------------------------------

/// Plays inputs back: the i-th read gives input[i], AP_E_FILE past the last; what failed fails
/// again. The outputs written are compared with output[i] bit by bit. Both, and the arrays in them,
/// must outlive the rack.
AP_API ap_status ap_rack_replay(int axes, const ap_rack_input *input, const ap_rack_output *output,
                                long n, ap_rack *rack, ap_error *error);
/// How many writes differed from what was recorded so far.
AP_API long ap_rack_differing(const ap_rack *rack);

// ---- Comedi ------------------------------------------------------------------------------------

/// One channel of a card.
typedef struct ap_comedi_channel {
  int device;    ///< which of ap_comedi_def::device
  int subdevice; ///< -1: there is none
  int channel;   ///< of the subdevice
  int range;     ///< of an analog channel
} ap_comedi_channel;

/// Channels of one axis.
typedef struct ap_comedi_axis {
  ap_comedi_channel potentiometer; ///< analog input
  ap_comedi_channel encoder;       ///< counter in quadrature mode
  ap_comedi_channel index;         ///< digital input of the index pulses
  ap_comedi_channel thermo;        ///< digital input
  ap_comedi_channel output;        ///< analog output
} ap_comedi_axis;

/// Cards driven by Comedi. Their axes have incremental encoders and take volts.
typedef struct ap_comedi_def {
  const char *device[4];                 ///< "/dev/comedi0", ...; NULL past the last
  int axes;                              ///< joints
  const ap_comedi_axis *axis;            ///< [axes]
  ap_comedi_channel tool[AP_RACK_TOOLS]; ///< digital outputs
  ap_comedi_channel brake;               ///< digital output that releases the brakes
} ap_comedi_def;
/// Open the cards; AP_E_UNSUPPORTED where the library was built without Comedi. The position of an
/// index pulse is that of the period in which it is first seen: home slowly, by less than a count
/// in a period where the exact count matters.
AP_API ap_status ap_rack_comedi(const ap_comedi_def *def, ap_rack *rack, ap_error *error);

// ---- CiA 402 drives on a CAN bus ---------------------------------------------------------------

/// How drives are switched off where the controller cuts the power (stop of category 0), where
/// they report a fault, and where they hear nothing of the controller any more.
typedef enum ap_cia402_stop {
  AP_CIA402_DISABLE_VOLTAGE, ///< no torque at once; their brakes close
  AP_CIA402_QUICK_STOP       ///< they brake by themselves, by their own encoders, then as above
} ap_cia402_stop;

/// The drive of one joint. Its position encoder knows where it is: AP_ENCODER_ABSOLUTE.
typedef struct ap_cia402_axis {
  int node;            ///< its number on the bus, 1 to 127
  bool reverse;        ///< motor and joint turn in opposite directions
  double rated_torque; ///< N m of the motor, which torques are parts of; 0: ask the drive (6076h)
} ap_cia402_axis;

/// Drives by CANopen (CiA 301, CiA 402) in the mode "cyclic synchronous torque". Begin with
/// ap_default_cia402() and change what differs.
typedef struct ap_cia402_def {
  int file;                   ///< descriptor of the bus, datagrams of 16 bytes as struct can_frame;
                              ///< see ap_can_open(). The rack takes it over, also where it fails
  int axes;                   ///< joints
  const ap_axis *axis;        ///< [axes] wiring: absolute encoders, commands in A or N m
  const ap_cia402_axis *node; ///< [axes]
  double period;              ///< s of the loop, one SYNC each: 2e-3
  double bitrate;             ///< bit/s of the bus: a period must have room for its frames: 1e6
  int host;                   ///< number of the controller on the bus: 126
  double heartbeat;           ///< s between two heartbeats of a drive: 0.05. It is missed where
                              ///< none has come for twice as long
  double watchdog;            ///< s without a heartbeat of the controller after which a drive
                              ///< switches itself off; 0: never: 0.02
  int lost;                   ///< periods in a row without an answer to SYNC that are a failure: 3
  ap_cia402_stop stop;        ///< AP_CIA402_DISABLE_VOLTAGE
  unsigned cookie;            ///< ap_default_cia402() sets it
} ap_cia402_def;
/// The defaults named above; set file, axes, axis, node.
AP_API ap_cia402_def ap_default_cia402(void);

/// Open an interface of SocketCAN, "can0", for frames without waiting. AP_E_UNSUPPORTED where the
/// system has none.
AP_API ap_status ap_can_open(const char *name, int *file, ap_error *error);

/// Configure the drives by SDO, start them, and make a rack of them; takes some hundred
/// milliseconds. In each write every drive gets its controlword and torque, then all get SYNC; in
/// each read their status, position and torque of that moment are taken from what has arrived.
/// Neither waits. While the brakes are off the drives are led to "operation enabled"; brakes with
/// torques are "disable operation" (a drive holds until its own brake has closed), brakes without
/// are the stop named above. Closing stops the drives and makes them pre-operational.
///
/// Not tried on hardware: the tests have drives of their own on a pair of sockets.
AP_API ap_status ap_rack_cia402(const ap_cia402_def *def, ap_rack *rack, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
