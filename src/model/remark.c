// What only the merged bodies can tell: refused where no robot has it, remarked where real ones do.

#include <float.h>
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

static bool all_finite(const double *x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i])) return false;
  }
  return true;
}

// What rounding may make of a zero principal moment when links are merged.
static double rounding_of_moments(const ap_packed_body *b, double largest) {
  double r = norm3(b->com);
  return 64 * DBL_EPSILON * (fabs(largest) + b->mass * r * r);
}

static bool check_moments(const ap_model *m, int body, ap_error *error) {
  const ap_packed_body *b = &m->packed_body[body];
  const char *name = m->link[m->joint[body].link].name;
  if (!all_finite(b->s, 3) || !isfinite(b->mass) || !all_finite(b->com, 3) ||
      !all_finite(b->inertia, 6)) {
    ap__refuse(
        error, AP_E_MODEL,
        "body \"%.*s\": place, mass or inertia overflows when the links fixed to it are merged "
        "(use smaller numbers)",
        ap__shown(name), name);
    return false;
  }
  double moment[3];
  ap__eigen3(b->inertia, moment);
  if (moment[0] >= AP_LEAST_MOMENT || moment[0] >= -rounding_of_moments(b, moment[2])) return true;
  ap__refuse(
      error, AP_E_MODEL,
      "body \"%.*s\": inertia has a principal moment of %.4g kg m2 (it must not be negative)",
      ap__shown(name), name, moment[0]);
  return false;
}

bool ap__check_merged(const ap_model *m, ap_error *error) {
  for (int b = 1; b < m->nbody; b++) {
    if (!check_moments(m, b, error)) return false;
  }
  for (int i = 0; i < m->nframe; i++) {
    if (all_finite(m->packed_frame[i].p, 3)) continue;
    const char *name = i < m->nlink ? m->link[i].name : m->frame[i - m->nlink].name;
    ap__refuse(error, AP_E_MODEL, "frame \"%.*s\": its place overflows (use smaller numbers)",
               ap__shown(name), name);
    return false;
  }
  return true;
}

// ---- remarks ----------------------------------------------------------------------------------

static void add_remark(ap_model *m, ap_remark_kind kind, int link, double value, double bound) {
  m->remark[m->nremark++] = (ap_remark){kind, link, value, bound};
}

static void raise(double *x, double value) {
  if (value > *x) *x = value;
}

// reach[b]: how far from its own origin body b is known to extend. Returns the largest.
static double find_reach(const ap_model *m, double *reach) {
  for (int b = 0; b < m->nbody; b++) reach[b] = norm3(m->packed_body[b].com);
  for (int b = 1; b < m->nbody; b++) {
    raise(&reach[m->joint[b].parent], norm3(m->packed_body[b].s));
  }
  for (int i = 0; i < m->nframe; i++) {
    int link = i < m->nlink ? i : m->frame[i - m->nlink].body;
    raise(&reach[m->mover[link]], norm3(m->packed_frame[i].p));
  }
  double largest = 0;
  for (int b = 1; b < m->nbody; b++) raise(&largest, reach[b]);
  return largest;
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

static void remark_moments(ap_model *m, int body) {
  const ap_packed_body *b = &m->packed_body[body];
  int link = m->joint[body].link;
  double moment[3];
  ap__eigen3(b->inertia, moment);
  // A negative moment breaks the triangle inequality as well: one remark is enough.
  if (moment[0] < -rounding_of_moments(b, moment[2])) {
    add_remark(m, AP_REMARK_NOT_POSITIVE, link, moment[0], 0);
  } else if (moment[2] - (moment[0] + moment[1]) > TRIANGLE_SLACK * moment[2]) {
    add_remark(m, AP_REMARK_TRIANGLE, link, moment[2], moment[0] + moment[1]);
  }
}

static void remark_gyration(ap_model *m, int body, double reach) {
  const ap_packed_body *b = &m->packed_body[body];
  double moment[3];
  if (b->mass <= 0 || reach <= 0) return;
  ap__eigen3(b->inertia, moment);
  if (moment[2] <= 0) return;
  double radius = sqrt(moment[2] / b->mass);
  if (radius <= GYRATION_SLACK * reach) return;
  add_remark(m, AP_REMARK_GYRATION, m->joint[body].link, radius, reach);
}

static void remark_leaf(ap_model *m, int body) {
  if (m->joint[body].leader) return; // a follower has no coordinate of its own
  const ap_packed_body *b = &m->packed_body[body];
  double apparent = apparent_inertia(b, m->joint[body].type);
  if (b->mass > 0 && apparent > rounding_of_moments(b, 0)) return;
  add_remark(m, AP_REMARK_MASSLESS_LEAF, m->joint[body].link, b->mass, apparent);
}

void ap__remark_model(ap_model *m, double *reach, int *children) {
  double longest = find_reach(m, reach);
  m->nremark = 0;
  for (int b = 0; b < m->nbody; b++) children[b] = 0;
  for (int b = 1; b < m->nbody; b++) children[m->joint[b].parent]++;
  for (int i = 1; i < m->nlink; i++) {
    if (m->link[i].place.kind != AP_PLACE_MATRIX) continue;
    double defect = ap__rotation_defect(m->link[i].place.matrix);
    if (defect <= AP_ROTATION_EXACT) continue;
    add_remark(m, AP_REMARK_NOT_ROTATION, i, defect, AP_ROTATION_EXACT);
  }
  for (int b = 1; b < m->nbody; b++) {
    raise(&reach[b], longest);
    remark_moments(m, b);
    if (children[b] == 0) remark_leaf(m, b);
    remark_gyration(m, b, reach[b]);
  }
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
      return write_line(text, size,
                        "body \"%.*s\": place.matrix is a rotation only to %.2g; it was made "
                        "orthonormal",
                        shown, name, value);
  }
  return write_line(text, size, "body \"%.*s\": unknown remark", shown, name);
}
