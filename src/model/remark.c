// SPDX-License-Identifier: Apache-2.0
// What no model is refused for, but its author should know.

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "model/check.h"
#include "model/pack.h"
#include "num/eigen3.h"
#include "num/vec3.h"

// Printed tables are rounded: a rod with moments (5.89, 2.94, 2.94) e-5, in truth 2 : 1 : 1, breaks
// the triangle inequality by 0.17 % of the largest (Shafei 2018, Table 2). Rounding to three digits
// moves the largest by half a unit of the last one and the sum of the others by a whole one, which
// is 0.5 % of a moment of 3.00 and less above. So half a percent leaves honest rounding alone,
// nearly always, and still catches mistakes.
#define TRIANGLE_SLACK 5e-3

// All mass within L of the body's origin means a radius of gyration of at most L about any axis. L
// is known from points (joints, frames, the centre of mass), and a link has flesh beyond them: a
// quarter more is allowed.
#define GYRATION_SLACK 1.25

// A link whose joints lie close together (a wrist, a fingertip, the shoulder of a PUMA) says
// nothing of its size, and motors stand out on either side. So no link is taken to be shorter than
// the robot's longest; `appell lint`, which knows shapes, says more.

// Remarks are found when they are asked for: counted, or up to one of them.
typedef struct remarks {
  const ap_model *m;
  int skip; // so many before the one that is asked for
  int count;
  ap_remark asked;
} remarks;

static void add_remark(remarks *r, ap_remark_kind kind, int link, double value, double bound) {
  if (r->count++ == r->skip) r->asked = (ap_remark){kind, link, value, bound};
}

static void raise(double *x, double value) {
  if (value > *x) *x = value;
}

// How far from its own origin some body is known to extend.
static double longest_reach(const ap_model *m) {
  double longest = 0;
  for (int b = 1; b < m->nbody; b++) {
    raise(&longest, norm3(m->packed_body[b].com));
    if (m->joint[b].parent != 0) raise(&longest, norm3(m->packed_body[b].s));
  }
  for (int i = 0; i < m->nframe; i++) {
    int link = i < m->nlink ? i : m->frame[i - m->nlink].body;
    if (m->mover[link] != 0) raise(&longest, norm3(m->packed_frame[i].p));
  }
  return longest;
}

// The smallest inertia that the body shows to its own joint, nothing being beyond it: zero means a
// singular inertia matrix. z is the axis of the joint.
static double apparent_inertia(const ap_packed_body *b, ap_joint_type type) {
  double I[6], moment[3];
  memcpy(I, b->inertia, sizeof I);
  double about_axis = I[5] + b->mass * (b->com[0] * b->com[0] + b->com[1] * b->com[1]);
  switch (type) {
    case AP_FIXED: return INFINITY;
    case AP_REVOLUTE: return about_axis;
    case AP_PRISMATIC: return b->mass;
    case AP_PLANAR: return b->mass < I[5] ? b->mass : I[5];
    case AP_FREE: break;
    case AP_SPHERICAL: { // about the origin instead of the centre of mass
      const double *c = b->com;
      I[0] += b->mass * (c[1] * c[1] + c[2] * c[2]), I[1] -= b->mass * c[0] * c[1];
      I[3] += b->mass * (c[0] * c[0] + c[2] * c[2]), I[2] -= b->mass * c[0] * c[2];
      I[5] += b->mass * (c[0] * c[0] + c[1] * c[1]), I[4] -= b->mass * c[1] * c[2];
      break;
    }
  }
  ap__eigen3(I, moment);
  return type == AP_FREE && b->mass < moment[0] ? b->mass : moment[0];
}

static void remark_moments(remarks *r, int body) {
  const double *moment = r->m->moment + 3 * body;
  int link = r->m->joint[body].link;
  // A negative moment breaks the triangle inequality as well: one remark is enough.
  if (moment[0] < -ap__rounding_of_moments(r->m, body, moment[2])) {
    add_remark(r, AP_REMARK_NOT_POSITIVE, link, moment[0], 0);
  } else if (moment[2] - (moment[0] + moment[1]) > TRIANGLE_SLACK * moment[2]) {
    add_remark(r, AP_REMARK_TRIANGLE, link, moment[2], moment[0] + moment[1]);
  }
}

static void remark_gyration(remarks *r, int body, double reach) {
  double mass = r->m->packed_body[body].mass, largest = r->m->moment[3 * body + 2];
  if (mass <= 0 || reach <= 0 || largest <= 0) return;
  double radius = sqrt(largest / mass);
  if (radius <= GYRATION_SLACK * reach) return;
  add_remark(r, AP_REMARK_GYRATION, r->m->joint[body].link, radius, reach);
}

static void remark_leaf(remarks *r, int body) {
  const ap_joint *joint = &r->m->joint[body];
  if (joint->leader) return; // a follower has no coordinate of its own
  const ap_packed_body *b = &r->m->packed_body[body];
  double apparent = apparent_inertia(b, joint->type);
  if (b->mass > 0 && apparent > ap__rounding_of_moments(r->m, body, 0)) return;
  add_remark(r, AP_REMARK_MASSLESS_LEAF, joint->link, b->mass, apparent);
}

static remarks find_remarks(const ap_model *m, int skip) {
  remarks r = {.m = m, .skip = skip};
  double longest = longest_reach(m);
  for (int i = 1; i < m->nlink; i++) {
    if (m->link[i].place.kind != AP_PLACE_MATRIX) continue;
    double defect = ap__rotation_defect(m->link[i].place.matrix);
    if (defect <= AP_ROTATION_EXACT) continue;
    add_remark(&r, AP_REMARK_NOT_ROTATION, i, defect, AP_ROTATION_EXACT);
  }
  for (int b = 1; b < m->nbody && r.count <= skip; b++) {
    remark_moments(&r, b);
    if (m->packed_body[b].children == 0) remark_leaf(&r, b);
    remark_gyration(&r, b, longest);
  }
  return r;
}

int ap_model_remarks(const ap_model *m) { return find_remarks(m, INT_MAX).count; }

ap_remark ap_model_remark(const ap_model *m, int i) {
  remarks r = find_remarks(m, i);
  assert(i >= 0 && i < r.count);
  return r.asked;
}

// ---- text -------------------------------------------------------------------------------------

AP_PRINTF(3, 4)
static char *write_line(char *text, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__format(text, size, format, arguments);
  va_end(arguments);
  return text;
}

char *ap_remark_text(const ap_model *m, ap_remark remark, char *text, size_t size) {
  const char *name = m->link[remark.body].name;
  int shown = ap__shown(name);
  double value = remark.value;
  double bound = remark.bound;
  switch (remark.kind) {
    case AP_REMARK_TRIANGLE:
      return write_line(
          text, size,
          "body \"%.*s\": inertia breaks the triangle inequality: a principal moment of "
          "%.4g kg m2 exceeds the sum of the other two, %.4g",
          shown, name, value, bound);
    case AP_REMARK_NOT_POSITIVE:
      return write_line(text, size,
                        "body \"%.*s\": inertia has a negative principal moment, %.4g kg m2", shown,
                        name, value);
    case AP_REMARK_MASSLESS_LEAF:
      return write_line(
          text, size,
          "body \"%.*s\": moves, but has %s and nothing beyond it: the inertia matrix "
          "may be singular",
          shown, name, value > 0 ? "no inertia about its joint" : "no mass");
    case AP_REMARK_GYRATION:
      return write_line(
          text, size,
          "body \"%.*s\": inertia implies a radius of gyration of %.3g m, more than a "
          "link of about %.3g m can have",
          shown, name, value, bound);
    case AP_REMARK_NOT_ROTATION:
      return write_line(
          text, size,
          "body \"%.*s\": place.matrix deviates from a rotation by %.2g; it was made orthonormal",
          shown, name, value);
  }
  return write_line(text, size, "body \"%.*s\": unknown remark", shown, name);
}
