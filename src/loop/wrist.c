// SPDX-License-Identifier: Apache-2.0
// Definitions of spherical parallel robots.

#include <math.h>

#include "base/error.h"
#include "loop/parallel.h"

static const double PI = 3.14159265358979323846;

ap_parallel_link ap_wrist_arc(double radius, double density, double angle) {
  // A point of the arc at the angle s from z is R (0, -sin s, cos s); its integrals over s.
  double R = radius, a = angle, mass = density * R * a;
  double R3 = density * R * R * R, sa = sin(a);
  double along = a > 0 ? R / a : 0;
  return (ap_parallel_link){
      .mass = mass,
      .com = {0, along * (cos(a) - 1), along * sa},
      .inertia = {R3 * a, 0, 0, R3 * (a / 2 + sin(2 * a) / 4), R3 * sa * sa / 2,
                  R3 * (a / 2 - sin(2 * a) / 4)},
  };
}

ap_wrist_def ap_agile_wrist(void) {
  const double degree = PI / 180, alpha1 = 80 * degree, alpha2 = 70 * degree;
  const double radius = 0.1, density = 1.378; // m (assumed), kg/m
  ap_wrist_def def = {
      .platform = {.mass = 1.351,
                   .com = {0, 0, 0.05}, // assumed
                   .inertia = {38.29e-4, 0, 0, 38.29e-4, 0, 4.5e-4}},
      .gravity = {0, 0, -9.81},
      .least_serial = 1e-6,
      .least_parallel = 1e-9,
      .cookie = AP_COOKIE,
  };
  for (int i = 0; i < 3; i++)
    def.limb[i] = (ap_wrist_limb){
        .gamma = acos(1 / sqrt(3)),
        .beta = asin(1 / sqrt(3)),
        .alpha1 = alpha1,
        .alpha2 = alpha2,
        .eta = 120 * i * degree,
        .lambda = 120 * i * degree,
        .branch = 1,
        .first = ap_wrist_arc(radius, density, alpha1),
        .second = ap_wrist_arc(radius, density, alpha2),
    };
  return def;
}

static bool check_limb(const ap_wrist_limb *l, int i, ap_error *error) {
  static const char *const of[] = {"limb 0: ", "limb 1: ", "limb 2: "};
  static const char *const first[] = {
      "first link of limb 0: ", "first link of limb 1: ", "first link of limb 2: "};
  static const char *const second[] = {
      "second link of limb 0: ", "second link of limb 1: ", "second link of limb 2: "};
  return ap__between(1, &l->gamma, -1e9, 1e9, of[i], "gamma", error) &&
         ap__between(1, &l->beta, -1e9, 1e9, of[i], "beta", error) &&
         ap__between(1, &l->eta, -1e9, 1e9, of[i], "eta", error) &&
         ap__between(1, &l->lambda, -1e9, 1e9, of[i], "lambda", error) &&
         ap__between(1, &l->alpha1, 1e-3, PI - 1e-3, of[i], "alpha1", error) &&
         ap__between(1, &l->alpha2, 1e-3, PI - 1e-3, of[i], "alpha2", error) &&
         ap__check_branch(l->branch, of[i], error) &&
         ap__check_link(&l->first, true, first[i], error) &&
         ap__check_link(&l->second, true, second[i], error);
}

ap_parallel *ap_wrist_init(const ap_wrist_def *def, void *mem, size_t size, ap_error *error) {
  ap_parallel *r = ap__parallel_place(WRIST, def, mem, size, error);
  if (!r || !AP_STARTS_FROM(ap_agile_wrist, def, error)) return NULL;
  for (int i = 0; i < 3; i++)
    if (!check_limb(&def->limb[i], i, error)) return NULL;
  if (!ap__check_link(&def->platform, true, "platform: ", error) ||
      !ap__check_whole(def->gravity, 3, def->least_serial, def->least_parallel, error))
    return NULL;
  r->def.wrist = *def;
  r->least_serial = def->least_serial, r->least_parallel = def->least_parallel;
  return ap__parallel_prepare(r);
}
