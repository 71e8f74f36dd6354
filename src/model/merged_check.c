// SPDX-License-Identifier: Apache-2.0
// What only the merged bodies can tell, refused where no robot has it.

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "model/check.h"
#include "model/pack.h"
#include "num/eigen3.h"
#include "num/square_root.h"
#include "num/vec3.h"

double ap__rounding_of_moments(const ap_model *m, int body, double largest) {
  const ap_packed_body *b = &m->packed_body[body];
  double r = root_f64(dot3(b->com, b->com));
  return 64 * DBL_EPSILON * (fabs(largest) + b->mass * r * r);
}

static bool check_moments(const ap_model *m, int body, ap_error *error) {
  const ap_packed_body *b = &m->packed_body[body];
  const char *name = m->link[m->joint[body].link].name;
  if (!ap__are_finite(b->s, 3) || !ap__are_finite(&b->mass, 1) || !ap__are_finite(b->com, 3) ||
      !ap__are_finite(b->inertia, 6)) {
    ap__refuse(
        error, AP_E_MODEL,
        "body \"%.*s\": place, mass or inertia overflows when the links fixed to it are merged "
        "(use smaller numbers)",
        ap__shown(name), name);
    return false;
  }
  double *moment = m->moment + 3 * body;
  ap__eigen3(b->inertia, moment);
  if (moment[0] >= AP_LEAST_MOMENT || moment[0] >= -ap__rounding_of_moments(m, body, moment[2]))
    return true;
  ap__refuse(
      error, AP_E_MODEL,
      "body \"%.*s\": inertia has a principal moment of %.4g kg m2 (it must not be negative)",
      ap__shown(name), name, moment[0]);
  return false;
}

bool ap__check_merged(const ap_model *m, ap_error *error) {
  for (int b = 1; b < m->nbody; b++)
    if (!check_moments(m, b, error)) return false;
  for (int i = 0; i < m->nframe; i++) {
    if (ap__are_finite(m->packed_frame[i].p, 3)) continue;
    const char *name = i < m->nlink ? m->link[i].name : m->frame[i - m->nlink].name;
    ap__refuse(error, AP_E_MODEL, "frame \"%.*s\": its place overflows (use smaller numbers)",
               ap__shown(name), name);
    return false;
  }
  return true;
}
