// SPDX-License-Identifier: Apache-2.0
/// @file rack.h
/// The rack of I/O cards between a controller and an arm, as in section 3 of Valera et al. (2003):
/// potentiometers, incremental encoders with index pulses, thermo signals, analog outputs to the
/// amplifiers, outputs to the tool and to the brakes. Part of libappell-tools. Back ends: a
/// simulated robot, the replay of a log, and cards that Comedi drives. Making one allocates;
/// reading and writing does not.

#ifndef APPELL_RACK_H
#define APPELL_RACK_H

#include <appell/dyn.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Channels of a rack.
enum {
  AP_RACK_AXES = 8, ///< joints at most; the PUMA has six
  AP_RACK_TOOLS = 2 ///< digital outputs to the tool
};

/// What the rack measures, all at one moment.
typedef struct ap_rack_input {
  double potentiometer[AP_RACK_AXES]; ///< V
  int32_t encoder[AP_RACK_AXES];      ///< counts since power-on, four for each line of the disc
  int32_t index[AP_RACK_AXES];        ///< the count at the last index pulse
  uint32_t indexed;                   ///< bit j: axis j has passed an index pulse since power-on
  uint32_t thermo;                    ///< bit j: motor j is too hot
  double late; ///< s by which these numbers came too late by the rack's own clock; 0: in time
  bool failed; ///< reading failed, and these numbers are those of the period before; in logs
} ap_rack_input;

/// Outputs of the rack.
typedef struct ap_rack_output {
  double volt[AP_RACK_AXES]; ///< to the amplifiers
  uint32_t tools;            ///< bit k: output k of the tool
  bool brakes;               ///< on: the arm is held
  bool failed;               ///< writing failed; in logs
} ap_rack_output;

/// A rack: its functions and their context. read returns the inputs at time t (s, of the control
/// loop), write sets the outputs; neither allocates. Any status but AP_OK is a failure of the I/O.
typedef struct ap_rack {
  void *context;                                                             ///< of the rest
  int axes;                                                                  ///< in use
  ap_status (*read)(void *context, double t, ap_rack_input *input);          ///< measure
  ap_status (*write)(void *context, double t, const ap_rack_output *output); ///< act
  void (*close)(void *context); ///< outputs to zero, brakes on; free everything
} ap_rack;

/// Close a rack and forget it; one that is all zero is allowed.
AP_API void ap_rack_close(ap_rack *rack);

/// Wiring of one joint. Begin with ap_default_axis() and change what differs.
typedef struct ap_axis {
  double lines;           ///< of the encoder for one turn of the motor: 250
  double gear;            ///< motor turns per joint turn (1/m: per metre): 1
  double index_at;        ///< rad or m: a joint position with an index pulse; others lie 1/gear
                          ///< turns away: 0
  double pot_volt;        ///< V of the potentiometer at q = 0: 2.5
  double pot_gain;        ///< V/rad or V/m: 0.8
  double torque_per_volt; ///< N m or N at the joint for one volt: 1
  unsigned cookie;        ///< ap_default_axis() sets it
} ap_axis;
/// The defaults named above.
AP_API ap_axis ap_default_axis(void);
/// rad or m of one count.
AP_API double ap_axis_count(const ap_axis *axis);
/// rad or m between two index pulses.
AP_API double ap_axis_pitch(const ap_axis *axis);
/// Joint position by the potentiometer.
AP_API double ap_axis_potentiometer(const ap_axis *axis, double volt);
/// Homing: the joint position at count 0, from a position by the potentiometer at some count and
/// the count of an index pulse. AP_E_NO_CONVERGENCE, and *zero untouched, where the pulse nearest
/// by the potentiometer is more than a quarter of their distance away: it may be the wrong one.
AP_API ap_status ap_axis_home(const ap_axis *axis, double potentiometer, int32_t count,
                              int32_t index, double *zero);

// ---- simulated ---------------------------------------------------------------------------------

/// What can go wrong on demand.
typedef enum ap_rack_fault_kind {
  AP_FAULT_NONE,          ///< nothing
  AP_FAULT_ENCODER_JUMP,  ///< the count jumps by amount
  AP_FAULT_ENCODER_STUCK, ///< the count stays as it is
  AP_FAULT_POTENTIOMETER, ///< its voltage is off by amount
  AP_FAULT_NOT_A_NUMBER,  ///< its voltage is not a number
  AP_FAULT_THERMO,        ///< the thermo signal comes on
  AP_FAULT_LATE,          ///< readings come late by amount, s
  AP_FAULT_READ,          ///< reading fails
  AP_FAULT_PUSH,          ///< an outer torque of amount acts on the joint
  AP_FAULT_AMPLIFIER      ///< the amplifier gives amount times what it should
} ap_rack_fault_kind;

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
  double volt;           ///< V: outputs and amplifiers saturate there: 10
  int output_bits;       ///< of the analog outputs: 12
  int input_bits;        ///< of the potentiometers' converter, 0 to 5 V: 12
  double pot_noise;      ///< V, standard deviation: 2e-3
  double pot_bow;        ///< V: how far the potentiometer leaves a straight line: 5e-3
  double latency;        ///< s from a write until the amplifiers see it: 0
  double amplifier;      ///< s: time constant of the current: 5e-4
  double brake;          ///< N m or N that a brake holds: 500
  double step;           ///< s: the robot's motion is integrated in steps not longer: 2.5e-4
  uint64_t seed;         ///< 1
  unsigned cookie;       ///< ap_default_sim_rack() sets it
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
/// again. The outputs written are compared with output[i] bit by bit. Both arrays must outlive the
/// rack.
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

/// Cards driven by Comedi.
typedef struct ap_comedi_def {
  const char *device[4];                         ///< "/dev/comedi0", ...; NULL past the last
  int axes;                                      ///< joints
  ap_comedi_channel potentiometer[AP_RACK_AXES]; ///< analog inputs
  ap_comedi_channel encoder[AP_RACK_AXES];       ///< counters in quadrature mode
  ap_comedi_channel index[AP_RACK_AXES];         ///< digital inputs of the index pulses
  ap_comedi_channel thermo[AP_RACK_AXES];        ///< digital inputs
  ap_comedi_channel output[AP_RACK_AXES];        ///< analog outputs
  ap_comedi_channel tool[AP_RACK_TOOLS];         ///< digital outputs
  ap_comedi_channel brake;                       ///< digital output that releases the brakes
} ap_comedi_def;
/// Open the cards; AP_E_UNSUPPORTED where the library was built without Comedi. The position of an
/// index pulse is that of the period in which it is first seen: home slowly, by less than a count
/// in a period where the exact count matters.
AP_API ap_status ap_rack_comedi(const ap_comedi_def *def, ap_rack *rack, ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
