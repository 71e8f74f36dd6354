// SPDX-License-Identifier: Apache-2.0
// Definitions of robots whose limbs are an arm and a rod: five-bars and Deltas.

#include "base/error.h"
#include "loop/parallel.h"

ap_five_bar_def ap_default_five_bar(void) {
  ap_five_bar_def def = {.load = 0.2,
                         .gravity = {0, -9.81},
                         .least_serial = 1e-6,
                         .least_parallel = 1e-9,
                         .cookie = AP_COOKIE};
  for (int i = 0; i < 2; i++)
    def.limb[i] = (ap_five_bar_limb){
        .motor = {i == 0 ? -0.1 : 0.1, 0},
        .arm_length = 0.25,
        .rod_length = 0.35,
        .branch = i == 0 ? 1 : -1,
        .arm = ap_slender_link(0.5, 0.25),
        .rod = ap_slender_link(0.4, 0.35),
    };
  return def;
}

ap_delta_def ap_default_delta(void) {
  const double third = 2.0943951023931953; // 120 degrees
  ap_delta_def def = {.platform = 0.4,
                      .gravity = {0, 0, -9.81},
                      .least_serial = 1e-6,
                      .least_parallel = 1e-9,
                      .cookie = AP_COOKIE};
  for (int i = 0; i < 3; i++)
    def.limb[i] = (ap_delta_limb){
        .angle = third * i,
        .base = 0.164,
        .platform = 0.044,
        .arm_length = 0.524,
        .rod_length = 1.244,
        .branch = 1,
        .arm = ap_slender_link(1.2, 0.524),
        .rod = ap_slender_link(0.15, 1.244),
    };
  return def;
}

// What a limb of both has.
typedef struct limb {
  double arm_length, rod_length, rotor;
  int branch;
  const ap_parallel_link *arm, *rod;
} limb;

static const char *const of_limb[] = {"limb 0: ", "limb 1: ", "limb 2: "};

static bool check_limb(limb l, int i, ap_error *error) {
  static const char *const arm[] = {"arm of limb 0: ", "arm of limb 1: ", "arm of limb 2: "};
  static const char *const rod[] = {"rod of limb 0: ", "rod of limb 1: ", "rod of limb 2: "};
  return ap__between(1, &l.arm_length, 1e-9, 1e9, of_limb[i], "arm_length", error) &&
         ap__between(1, &l.rod_length, 1e-9, 1e9, of_limb[i], "rod_length", error) &&
         ap__between(1, &l.rotor, 0, 1e9, of_limb[i], "rotor", error) &&
         ap__check_branch(l.branch, of_limb[i], error) &&
         ap__check_link(l.arm, false, arm[i], error) && ap__check_link(l.rod, false, rod[i], error);
}

ap_parallel *ap_five_bar_init(const ap_five_bar_def *def, void *mem, size_t size, ap_error *error) {
  ap_parallel *r = ap__parallel_place(FIVE_BAR, def, mem, size, error);
  if (!r || !AP_STARTS_FROM(ap_default_five_bar, def, error)) return NULL;
  for (int i = 0; i < 2; i++) {
    const ap_five_bar_limb *d = &def->limb[i];
    if (!ap__between(2, d->motor, -1e9, 1e9, of_limb[i], "motor", error) ||
        !check_limb((limb){d->arm_length, d->rod_length, d->rotor, d->branch, &d->arm, &d->rod}, i,
                    error))
      return NULL;
  }
  if (!ap__between(1, &def->load, 0, 1e9, "", "load", error) ||
      !ap__check_whole(def->gravity, 2, def->least_serial, def->least_parallel, error))
    return NULL;
  r->def.five_bar = *def;
  r->least_serial = def->least_serial, r->least_parallel = def->least_parallel;
  return ap__parallel_prepare(r);
}

ap_parallel *ap_delta_init(const ap_delta_def *def, void *mem, size_t size, ap_error *error) {
  ap_parallel *r = ap__parallel_place(DELTA, def, mem, size, error);
  if (!r || !AP_STARTS_FROM(ap_default_delta, def, error)) return NULL;
  for (int i = 0; i < 3; i++) {
    const ap_delta_limb *d = &def->limb[i];
    if (!ap__between(1, &d->angle, -1e9, 1e9, of_limb[i], "angle", error) ||
        !ap__between(1, &d->base, -1e9, 1e9, of_limb[i], "base", error) ||
        !ap__between(1, &d->platform, -1e9, 1e9, of_limb[i], "platform", error) ||
        !check_limb((limb){d->arm_length, d->rod_length, d->rotor, d->branch, &d->arm, &d->rod}, i,
                    error))
      return NULL;
  }
  if (!ap__between(1, &def->platform, 0, 1e9, "", "mass of the platform", error) ||
      !ap__check_whole(def->gravity, 3, def->least_serial, def->least_parallel, error))
    return NULL;
  r->def.delta = *def;
  r->least_serial = def->least_serial, r->least_parallel = def->least_parallel;
  return ap__parallel_prepare(r);
}
