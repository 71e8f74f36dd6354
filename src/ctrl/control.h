// SPDX-License-Identifier: Apache-2.0
// Control scenarios: the format as a table, which the reader follows and docs/control.md shows (a
// test compares), and the parts of the reader.

#ifndef AP_CTRL_CONTROL_H
#define AP_CTRL_CONTROL_H

#include <appell/control.h>

#include "file/source.h"
#include "file/yaml_reduce.h"

extern const ap__yaml_key ap__control_keys[];

// ap_control_parse() of a text that may lead only to files below the folder `within` (NULL: any),
// with a change of its robots (NULL: none).
ap_status ap__control_parse(const char *text, size_t length, const char *folder, const char *within,
                            const ap__robot_edit *edit, const ap_control_options *options,
                            ap_control **control, ap_error *error);

enum { AP__CONTROL_CHANGES = 64 };

// ---- what the maps fill; nodes that are NULL were not there ------------------------------------

typedef struct ap__control_law {
  int law, friction;
  const ap__node *bandwidth, *damping, *integral, *torque, *stiffness, *damper;
  const ap__node *task_stiffness, *task_damper, *posture, *posture_damper;
  const char *frame;
  double blend, windup, observer;
} ap__control_law;

typedef struct ap__control_path {
  unsigned seen;
  int kind, degree;
  const ap__node *from, *to, *velocity, *acceleration, *times, *points, *guess;
  const ap__node *centre, *sine, *cosine;
  double time, corner, period, speed, euler[3];
  const char *frame, *file;
} ap__control_path;

typedef struct ap__control_change {
  double at;
  int law;
} ap__control_change;

// Channels of cards are device, subdevice, channel, range. What is negative in `axis` was not
// there.
typedef struct ap__control_axis {
  const char *joint;
  ap_axis axis;
  int sensor, drive, torque_sensor, status_word;
  double rotor; // kg m2 of the motor; negative: the robot's
  double potentiometer[4], encoder[4], index[4], thermo[4], output[4];
  int reverse;
  double node, rated_torque;
} ap__control_axis;

typedef struct ap__control_rack {
  int kind;
  const char *robot, *payload_link;
  const ap__node *start, *viscous, *coulomb, *stiction, *rotor, *devices;
  double payload, payload_com[3], spread, seed, output_bits, input_bits;
  double tool1[4], tool2[4], brakes[4];
  const char *interface;
  int stop;
  double bitrate, host, heartbeat, lost;
  ap_sim_rack_def sim;
} ap__control_rack;

typedef struct ap__control_fault {
  unsigned seen;
  int kind;
  const char *joint;
  double at, amount;
} ap__control_fault;

typedef struct ap__control_guards {
  const ap__node *lower, *upper, *velocity, *torque, *residual, *contact;
  int deadline, log; // 0: stops, 1: counts or goes on
  double torque_periods, misses, jump, stuck, mismatch, stale, following;
} ap__control_guards;

typedef struct ap__control_head {
  const char *name;
  const ap__node *robot;
  ap__yaml_reduction part; // of it
  double rate, duration, brake, brake_time, home_time, approach_speed, ring, priority, cpu;
  int time, home, log, lock;
  ap__control_law law;
  ap__control_path path;
  ap__control_rack rack;
  ap__control_fault fault;
  ap__control_guards guards;
} ap__control_head;

// ---- the scenario ------------------------------------------------------------------------------

struct ap_control {
  ap__source source;
  const char *name;
  const char *file; // of the true robot; NULL: none
  ap_robot *robot, *true_robot;
  ap_model *model, *true_model;
  int n;
  ap_axis *axis; // [n], as all that follow
  ap_joint_imperfection *imperfection;
  ap_gains *gains;
  ap_comedi_axis *wire;
  ap_impedance impedance;
  double *torque, *start, *stiffness, *damper, *lower, *upper, *velocity, *demand, *residual,
      *contact;
  ap_sim_rack_def sim;
  ap_comedi_def cards;
  ap_cia402_axis *node;
  ap_cia402_def bus;
  const char *interface; // of the bus
  bool comedi, canopen, realtime, run_alone, faulty, needs_log;
  ap_rack_fault fault;
  ap_realtime asks;
  ap_ctrl_def law;
  ap_servo_switch change[AP__CONTROL_CHANGES];
  ap_servo_def servo_def;
  ap_traj *reference; // NULL: the stream
  ap_stream *stream;
  void *work_memory, *ctrl_memory;
  ap_work *work;
  ap_rack rack;
  ap_servo *servo;
  ap_error *warnings;
  int nwarning, warning_capacity;
};

typedef struct ap__control_reader {
  ap__yaml yaml;
  ap_control *control;
  ap_control_options options;
  ap__control_head head;
  ap__control_axis *axis; // [naxis]
  int naxis, axis_capacity;
  int nchange;
} ap__control_reader;

// Every part returns false once the error is set.

// Room for a value of every joint, zeros, that lives as long as the scenario; NULL once the error
// is set.
double *ap__control_room(ap__control_reader *r);
// The wiring of the joints; before that the rotors, which belong to the robot.
bool ap__control_read_rotors(ap__control_reader *r, ap_robot *robot);
bool ap__control_read_axes(ap__control_reader *r);
// One of the list of axes.
bool ap__control_add_axis(ap__control_reader *r, const ap__node *item);
// Law and gains.
bool ap__control_read_law(ap__control_reader *r);
// So many numbers; one may stand alone or in a list.
bool ap__control_numbers(ap__control_reader *r, const char *key, const ap__node *n, int count,
                         double *x);
// A value for every joint: a number for all, or a list. What is not there stays as it is.
bool ap__control_vector(ap__control_reader *r, const char *key, const ap__node *n, double *x);
// The body of joint j.
const ap_body_def *ap__control_body(const ap_model *m, int j);
// The name of joint j.
const char *ap__control_joint_name(const ap_model *m, int j);
// A joint by its name: its number; -1 once the error is set.
int ap__control_joint(ap__control_reader *r, int line, const char *name);
// Whether x is a whole number between these.
bool ap__control_whole(double x, double least, double most);
// The reference.
bool ap__control_read_reference(ap__control_reader *r);
// Rack, imperfections, payload, fault.
bool ap__control_read_rack(ap__control_reader *r);

#endif
