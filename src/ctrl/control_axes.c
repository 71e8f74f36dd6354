// SPDX-License-Identifier: Apache-2.0
// Wiring of the joints in a control scenario.

#include <math.h>
#include <string.h>

#include "ctrl/control.h"
#include "ctrl/ctrl.h"
#include "file/alloc.h"
#include "file/names.h"

static const double default_volt = 10;     // largest output
static const double default_largest = 100; // A or N m of a joint without an effort limit
static const double most_turns = 4096;     // 12 bits of turns, as encoders have

static int line_of(ap__control_reader *r, const char *key) {
  return ap__line_of(r->yaml.root, key);
}

// ---- axes --------------------------------------------------------------------------------------

// What depends on the robot is negative until it is known.
static ap__control_axis no_axis(void) {
  ap__control_axis a = {.axis = ap_default_axis(), .rotor = -1};
  a.axis.turns = a.axis.torque_per_volt = a.axis.largest = -1;
  double *const channels[] = {a.potentiometer, a.encoder, a.index, a.thermo, a.output};
  for (size_t k = 0; k < sizeof channels / sizeof channels[0]; k++) channels[k][1] = -1;
  return a;
}

bool ap__control_add_axis(ap__control_reader *r, const ap__node *item) {
  ap__control_axis *a = ap__append(&r->axis, &r->naxis, &r->axis_capacity, sizeof *a);
  if (!a) return ap__yaml_no_memory(&r->yaml);
  *a = no_axis();
  if (!ap__yaml_read_map(&r->yaml, item, "axis", a)) return false;
  a->axis.encoder = a->sensor ? AP_ENCODER_ABSOLUTE : AP_ENCODER_INCREMENTAL;
  a->axis.drive = (ap_drive)a->drive;
  a->axis.torque_sensor = a->torque_sensor, a->axis.status_word = a->status_word;
  return true;
}

bool ap__control_read_rotors(ap__control_reader *r, ap_robot *robot) {
  for (int k = 0; k < r->naxis; k++) {
    const ap__control_axis *a = &r->axis[k];
    if (a->rotor < 0) continue;
    if (!(a->rotor <= 1e6))
      return ap__yaml_fail(&r->yaml, line_of(r, "axes"), "axes: rotor: %g kg m2", a->rotor);
    for (int i = 0; i < robot->nbody; i++)
      if (strcmp(ap__joint_name(&robot->bodies[i]), a->joint) == 0)
        robot->bodies[i].rotor_inertia = a->rotor, robot->bodies[i].gear_ratio = a->axis.gear;
  }
  return true;
}

const ap_body_def *ap__control_body(const ap_model *m, int j) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) == 1 && ap_joint_v(m, i) == j) return ap_body(m, i);
  return NULL;
}

// Turns that an absolute encoder tells apart: enough for the joint's range, or where that has no
// end as many as encoders of several turns have, within the 32 bits of a reading.
static double default_turns(const ap_axis *a, double range) {
  if (isfinite(range)) return fmin(fmax(ceil(range / ap_axis_pitch(a)), 1), most_turns);
  return a->counts >= 1 ? fmax(fmin(floor(4294967296.0 / a->counts), most_turns), 1) : 1;
}

// Largest commands and their torques follow from the joint's effort limit, turns from its range.
static void complete(const ap_control *c, int j, ap_axis *a) {
  const double effort = ap__control_body(c->model, j)->effort_limit;
  const bool limited = effort > 0 && isfinite(effort);
  if (a->torque_per_volt < 0) a->torque_per_volt = limited ? effort / default_volt : 1;
  if (a->largest < 0 && a->drive == AP_DRIVE_VOLT) a->largest = default_volt;
  if (a->largest < 0) a->largest = limited ? effort / ap_axis_gain(a) : default_largest;
  if (a->turns < 0) a->turns = default_turns(a, c->upper[j] - c->lower[j]);
}

static bool take_axis(ap__control_reader *r, int j, const ap__control_axis *from) {
  ap_control *c = r->control;
  c->axis[j] = from->axis;
  complete(c, j, &c->axis[j]);
  ap_error own = {0};
  return !ap__axis_check(&c->axis[j], j, &own) ||
         ap__yaml_fail(&r->yaml, line_of(r, "axes"), "axes: \"%.*s\": %s", ap__shown(from->joint),
                       from->joint, strchr(own.text, ':') ? strchr(own.text, ':') + 2 : own.text);
}

// Without a list: absolute encoders at the joints.
static bool default_axes(ap__control_reader *r) {
  for (int j = 0; j < r->control->n; j++) {
    ap__control_axis a = no_axis();
    a.joint = ap__control_joint_name(r->control->model, j);
    a.axis.encoder = AP_ENCODER_ABSOLUTE;
    if (!take_axis(r, j, &a)) return false;
  }
  return true;
}

bool ap__control_read_axes(ap__control_reader *r) {
  ap_control *c = r->control;
  int line = line_of(r, "axes");
  if (r->naxis == 0 && !ap__child(r->yaml.root, "axes")) return default_axes(r);
  if (r->naxis != c->n)
    return ap__yaml_fail(&r->yaml, line, "axes: %d entries for %d joints (one entry per joint)",
                         r->naxis, c->n);
  for (int k = 0; k < c->n; k++) {
    int j = ap__control_joint(r, line, r->axis[k].joint);
    if (j < 0) return false;
    if (c->axis[j].cookie)
      return ap__yaml_fail(&r->yaml, line, "axes: duplicate joint \"%.*s\" (list each joint once)",
                           ap__shown(r->axis[k].joint), r->axis[k].joint);
    if (!take_axis(r, j, &r->axis[k])) return false;
  }
  return true;
}
