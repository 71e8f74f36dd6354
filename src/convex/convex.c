// SPDX-License-Identifier: Apache-2.0
// Convex shapes: made and checked.

#include <math.h>
#include <string.h>

#include "appell/convex.h"
#include "base/error.h"
#include "convex/hull.h"
#include "num/vec3.h"

static ap_status check_size(const char *shape, const char *what, double x, ap_error *error) {
  if (x >= AP_CONVEX_SMALLEST && x <= AP_CONVEX_LARGEST) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0, "%s: %s %g m (a number from %g to %g)", shape, what, x,
                    AP_CONVEX_SMALLEST, AP_CONVEX_LARGEST);
}

ap_status ap_convex_sphere(double radius, ap_convex *shape, ap_error *error) {
  const ap_status status = check_size("sphere", "radius", radius, error);
  if (!status) *shape = (ap_convex){.kind = AP_CONVEX_SPHERE, .radius = radius, .reach = radius};
  return status;
}

ap_status ap_convex_capsule(double radius, double length, ap_convex *shape, ap_error *error) {
  ap_status status = check_size("capsule", "radius", radius, error);
  if (!status && length != 0) status = check_size("capsule", "length", length, error);
  if (!status)
    *shape = (ap_convex){.kind = AP_CONVEX_CAPSULE,
                         .radius = radius,
                         .half = {0, 0, length / 2},
                         .reach = length / 2 + radius};
  return status;
}

ap_status ap_convex_box(const double sides[3], ap_convex *shape, ap_error *error) {
  ap_status status = AP_OK;
  for (int i = 0; i < 3 && !status; i++) status = check_size("box", "side", sides[i], error);
  if (status) return status;
  *shape = (ap_convex){.kind = AP_CONVEX_BOX};
  for (int i = 0; i < 3; i++) shape->half[i] = sides[i] / 2;
  shape->reach = norm3(shape->half);
  return AP_OK;
}

ap_status ap_convex_cylinder(double radius, double length, ap_convex *shape, ap_error *error) {
  ap_status status = check_size("cylinder", "radius", radius, error);
  if (!status) status = check_size("cylinder", "length", length, error);
  if (!status)
    *shape = (ap_convex){.kind = AP_CONVEX_CYLINDER,
                         .radius = radius,
                         .half = {0, 0, length / 2},
                         .reach = hypot(radius, length / 2)};
  return status;
}

ap_convex ap_convex_half_space(void) {
  return (ap_convex){.kind = AP_CONVEX_HALF_SPACE, .reach = INFINITY};
}

ap_convex ap_convex_of_hull(const ap_hull *hull) {
  ap_convex shape = {.kind = AP_CONVEX_HULL, .hull = hull, .reach = hull->reach};
  memcpy(shape.centre, hull->centre, sizeof shape.centre);
  return shape;
}

ap_pose ap_pose_identity(void) { return (ap_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; }

ap_pose ap_pose_compose(const ap_pose *b, const ap_pose *c) {
  ap_pose a;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      a.R[3 * i + j] =
          b->R[3 * i] * c->R[j] + b->R[3 * i + 1] * c->R[3 + j] + b->R[3 * i + 2] * c->R[6 + j];
    a.p[i] = dot3(b->R + 3 * i, c->p) + b->p[i];
  }
  return a;
}
