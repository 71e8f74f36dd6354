// SPDX-License-Identifier: Apache-2.0
// Joints of MJCF.

#include <float.h>
#include <math.h>
#include <string.h>

#include "file/mjcf_write.h"

void ap__mjcf_add_pose(ap__mjcf_writer *w, const double xyz[3], const double rpy[3]) {
  if (!ap__all_zero(xyz, 3)) ap__xml_numbers(w->t, "pos", xyz, 3);
  if (!ap__all_zero(rpy, 3)) ap__xml_numbers(w->t, "euler", rpy, 3);
}

// ---- joints ------------------------------------------------------------------------------------

static void add_number(ap__mjcf_writer *w, const char *attribute, double x) {
  if (x != 0) ap__xml_numbers(w->t, attribute, &x, 1);
}

// What every coordinate of a joint has.
static void add_passive(ap__mjcf_writer *w, const ap_body_def *d, double rest) {
  add_number(w, "armature", d->gear_ratio * d->gear_ratio * d->rotor_inertia);
  add_number(w, "damping", d->viscous);
  add_number(w, "frictionloss", d->coulomb);
  add_number(w, "stiffness", d->stiffness);
  if (d->stiffness != 0) add_number(w, "springref", rest);
}

// MJCF wants two numbers: the largest double stands for "no limit".
static void add_limits(ap__mjcf_writer *w, const ap_body_def *d) {
  const char *name = ap__joint_name(d);
  double range[2] = {isinf(d->lower) ? -DBL_MAX : d->lower, isinf(d->upper) ? DBL_MAX : d->upper};
  bool limited = isfinite(d->lower) || isfinite(d->upper);
  if (limited && range[0] >= range[1])
    ap__mjcf_note_of(w, AP__NOTE_RANGE, name);
  else if (limited)
    ap__xml_numbers(w->t, "range", range, 2);
  double effort[2] = {-d->effort_limit, d->effort_limit};
  if (!isinf(d->effort_limit) && d->effort_limit <= 0)
    ap__mjcf_note_of(w, AP__NOTE_EFFORT, name);
  else if (!isinf(d->effort_limit))
    ap__xml_numbers(w->t, "actuatorfrcrange", effort, 2);
}

static void open_joint(ap__mjcf_writer *w, const char *name, const char *type, int indent) {
  ap__text_add(w->t, "%*s<joint", indent, "");
  ap__xml_text(w->t, "name", name);
  if (type) ap__text_add(w->t, " type=\"%s\"", type);
}

// A direction of a joint, and where it is, in a body that is placed in its frame.
static void add_axis(ap__mjcf_writer *w, const double axis[3], const double xyz[3],
                     const double rpy[3]) {
  double at[3], there[3], turned[3];
  ap__turn_back(rpy, xyz, there);
  for (int k = 0; k < 3; k++) at[k] = there[k] == 0 ? 0 : -there[k];
  ap__turn_back(rpy, axis, turned);
  if (!ap__all_zero(at, 3)) ap__xml_numbers(w->t, "pos", at, 3);
  if (turned[0] != 0 || turned[1] != 0 || turned[2] != 1) ap__xml_numbers(w->t, "axis", turned, 3);
}

static void add_planar(ap__mjcf_writer *w, const ap_body_def *d, const double axis[3],
                       const double xyz[3], const double rpy[3], int indent) {
  static const char *const suffix[3] = {"_x", "_y", "_angle"};
  const char *joint_name = ap__joint_name(d);
  double axes[3][3];
  ap__planar_axes(axis, axes[0], axes[1]);
  memcpy(axes[2], axis, sizeof axes[2]);
  ap__mjcf_note_of(w, AP__NOTE_PLANAR, joint_name);
  for (int k = 0; k < 3; k++) {
    const char *name = ap__mjcf_new_name(w, &w->joints, joint_name, suffix[k]);
    if (!name) return;
    open_joint(w, name, k < 2 ? "slide" : NULL, indent);
    add_axis(w, axes[k], xyz, rpy);
    add_passive(w, d, d->rest[k]);
    ap__text_add(w->t, "/>\n");
  }
}

void ap__mjcf_add_joint(ap__mjcf_writer *w, const ap_body_def *d, const double xyz[3],
                        const double rpy[3], int indent) {
  static const char *const type[] = {
      [AP_PRISMATIC] = "slide", [AP_SPHERICAL] = "ball", [AP_FREE] = "free"};
  static const double z[3] = {0, 0, 1};
  const double *axis = d->place.kind <= AP_PLACE_MATRIX ? d->axis : z;
  const char *name = ap__joint_name(d);
  if (d->joint == AP_FIXED) return;
  if (d->stiction > d->coulomb) ap__mjcf_note_of(w, AP__NOTE_STICTION, name);
  if (isfinite(d->velocity_limit)) ap__mjcf_note_of(w, AP__NOTE_VELOCITY, name);
  if (d->joint == AP_SPHERICAL && d->stiffness != 0 && !ap__all_zero(d->rest, 3))
    ap__mjcf_note_of(w, AP__NOTE_REST, name);
  if (d->joint == AP_PLANAR) {
    add_planar(w, d, axis, xyz, rpy, indent);
    return;
  }
  bool one = d->joint == AP_REVOLUTE || d->joint == AP_PRISMATIC;
  open_joint(w, name, d->joint == AP_REVOLUTE ? NULL : type[d->joint], indent);
  if (one) add_axis(w, axis, xyz, rpy);
  if (one) add_limits(w, d);
  add_passive(w, d, one ? d->rest[0] : 0);
  ap__text_add(w->t, "/>\n");
}
