// SPDX-License-Identifier: Apache-2.0
#include "lint/shape.h"

#include <math.h>
#include <string.h>

#include "lint/tensor.h"

static void solid_moments(const lint_shape *s, double mass, double I[6]) {
  double x[3] = {0}; // mean squares of the coordinates
  const double *d = s->size;
  switch (s->kind) {
    case AP_SHAPE_CYLINDER:
      x[0] = x[1] = d[0] * d[0] / 4;
      x[2] = d[1] * d[1] / 12;
      break;
    case AP_SHAPE_SPHERE: x[0] = x[1] = x[2] = d[0] * d[0] / 5; break;
    case AP_SHAPE_BOX:
    case AP_SHAPE_NONE:
    case AP_SHAPE_MESH: // of a mesh the box around it
      for (int i = 0; i < 3; i++) {
        double side = s->high[i] - s->low[i];
        x[i] = side * side / 12;
      }
      break;
  }
  const double out[6] = {mass * (x[1] + x[2]), 0, 0, mass * (x[0] + x[2]), 0, mass * (x[0] + x[1])};
  memcpy(I, out, sizeof out);
}

bool ap__lint_of_shape(const lint_robot *robot, const lint_link *link, lint_inertia *x) {
  if (!link->boxed) return false;
  *x = link->own;
  if (link->volume > 0) {
    const lint_shape *s = &robot->shape[link->solid];
    double I[6], R[9];
    solid_moments(s, link->mass, I);
    ap__matrix_of_rpy(s->rpy, R);
    ap__lint_turn(R, I, x->tensor);
    return true;
  }
  lint_shape box = {.kind = AP_SHAPE_BOX};
  memcpy(box.low, link->low, sizeof box.low);
  memcpy(box.high, link->high, sizeof box.high);
  solid_moments(&box, link->mass, x->tensor);
  return true;
}

bool ap__lint_plausible(const lint_robot *robot, const lint_link *link, lint_inertia *x,
                        const char **of) {
  if (ap__lint_of_shape(robot, link, x)) {
    *of = link->volume > 0 ? "its shape at uniform density" : "the box around its shapes";
    return true;
  }
  double length = fmax(link->length, 0.1 * robot->longest);
  if (!(length > 0)) return false;
  // Along the line to the centre of mass or, without one, in no direction in particular.
  double c = norm3(link->com), I = link->mass * length * length / 12;
  *x = link->own;
  for (int i = 0; i < 6; i++) x->tensor[i] = i == 0 || i == 3 || i == 5 ? I : 0;
  *of = "a ball or rod of its length";
  if (c < 0.1 * length) {
    for (int i = 0; i < 6; i++) x->tensor[i] /= 2;
    return true;
  }
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) // a tenth about the rod's own axis
    x->tensor[i] -= 0.9 * I * link->com[row[i]] * link->com[column[i]] / (c * c);
  return true;
}

bool ap__lint_moves(const lint_robot *robot, int link) {
  const lint_joint *j = ap__lint_carrier(robot, link);
  return j && j->type_known && j->type != AP_FIXED;
}

bool ap__lint_is_power_of_ten(double x) {
  if (!(x > 0)) return false;
  double power = round(log10(x));
  return fabs(x - pow(10, power)) <= 1e-12 * x;
}

bool ap__lint_is_placeholder(const lint_link *link) {
  const double *I = link->tensor;
  return link->mass > 0 && I[1] == 0 && I[2] == 0 && I[4] == 0 && I[0] == I[3] && I[3] == I[5] &&
         ap__lint_is_power_of_ten(I[0]);
}
