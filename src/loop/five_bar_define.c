// Definitions of five-bar robots: the built-in one, the check, the constants of an arm.

#include "base/arena.h"
#include "loop/closed_form.h"
#include "loop/five_bar.h"

ap_five_bar_link ap_five_bar_rod(double mass, double length) {
  return (ap_five_bar_link){
      .mass = mass, .com = {length / 2, 0}, .inertia = mass * length * length / 12};
}

ap_five_bar_def ap_default_five_bar(void) {
  ap_five_bar_def def = {
      .load = 0.2, .gravity = {0, -9.81}, .least_serial = 1e-6, .least_parallel = 1e-9};
  for (int i = 0; i < 2; i++)
    def.arm[i] = (ap_five_bar_arm){
        .motor = {i == 0 ? -0.1 : 0.1, 0},
        .arm_length = 0.25,
        .rod_length = 0.35,
        .branch = i == 0 ? 1 : -1,
        .arm = ap_five_bar_rod(0.5, 0.25),
        .rod = ap_five_bar_rod(0.4, 0.35),
    };
  return def;
}

// ---- check -------------------------------------------------------------------------------------

static bool check_link(const ap_five_bar_link *l, const char *of, ap_error *error) {
  if (!ap__moderate(2, l->com)) {
    ap__fail(error, AP_E_MODEL, 0, "%scentre of mass must be finite, at most 1e9 m", of);
    return false;
  }
  return ap__between(l->mass, 0, 1e9, "mass", of, error) &&
         ap__between(l->inertia, 0, 1e9, "inertia", of, error);
}

static bool check_arm(const ap_five_bar_arm *a, int i, ap_error *error) {
  static const char *const of[] = {"arm 0: ", "arm 1: "};
  static const char *const links[2][2] = {{"arm 0, link at the motor: ", "arm 0, rod: "},
                                          {"arm 1, link at the motor: ", "arm 1, rod: "}};
  if (!ap__moderate(2, a->motor)) {
    ap__fail(error, AP_E_MODEL, 0, "%smotor must be finite, at most 1e9 m", of[i]);
    return false;
  }
  return ap__between(a->arm_length, 1e-9, 1e9, "arm_length", of[i], error) &&
         ap__between(a->rod_length, 1e-9, 1e9, "rod_length", of[i], error) &&
         ap__between(a->rotor, 0, 1e9, "rotor", of[i], error) &&
         ap__is_sign(a->branch, "branch", of[i], error) &&
         check_link(&a->arm, links[i][0], error) && check_link(&a->rod, links[i][1], error);
}

static bool check(const ap_five_bar_def *def, ap_error *error) {
  if (!ap__moderate(2, def->gravity)) {
    ap__fail(error, AP_E_MODEL, 0, "gravity must be finite, at most 1e9 m/s2");
    return false;
  }
  return check_arm(&def->arm[0], 0, error) && check_arm(&def->arm[1], 1, error) &&
         ap__between(def->load, 0, 1e9, "load", "", error) &&
         ap__between(def->least_serial, 1e-7, 0.1, "least_serial", "", error) &&
         ap__between(def->least_parallel, 1e-12, 0.1, "least_parallel", "", error);
}

// ---- constants ---------------------------------------------------------------------------------

static five_bar_arm arm_of(const ap_five_bar_arm *d) {
  vec2 c1 = vec2_of(d->arm.com), c2 = vec2_of(d->rod.com), elbow = {d->arm_length, 0};
  return (five_bar_arm){
      .motor = vec2_of(d->motor),
      .l1 = d->arm_length,
      .l2 = d->rod_length,
      .sign = -d->branch,
      .m11 = d->arm.inertia + d->arm.mass * inner(c1, c1) + d->rod.mass * inner(elbow, elbow) +
             d->rotor,
      .m22 = d->rod.inertia + d->rod.mass * inner(c2, c2),
      .first = plus(times(d->arm.mass, c1), times(d->rod.mass, elbow)),
      .second = times(d->rod.mass, c2),
      .mass = d->arm.mass + d->rod.mass,
  };
}

// Where the robot lies in mem, and in *size how much it takes.
static ap_five_bar *lay_out(void *mem, size_t *size) {
  ap_arena arena = ap__arena(mem);
  ap_five_bar *f = AP_TAKE(&arena, ap_five_bar, 1);
  *size = ap__arena_size(&arena);
  return f;
}

size_t ap_five_bar_size(void) {
  size_t size;
  lay_out(NULL, &size);
  return size;
}

ap_five_bar *ap_five_bar_init(const ap_five_bar_def *def, void *mem, size_t size, ap_error *error) {
  size_t needed;
  if (error) *error = (ap_error){0};
  if (!def || !mem) {
    ap__fail(error, AP_E_ARG, 0, "ap_five_bar_init needs a definition and memory");
    return NULL;
  }
  ap_five_bar *f = lay_out(mem, &needed);
  if (size < needed) {
    ap__fail(error, AP_E_MEMORY, 0, "a five-bar needs %zu bytes, there are %zu", needed, size);
    return NULL;
  }
  if (!check(def, error)) return NULL;
  f->def = *def;
  f->g = vec2_of(def->gravity);
  for (int i = 0; i < 2; i++) f->arm[i] = arm_of(&def->arm[i]);
  return f;
}

const ap_five_bar_def *ap_five_bar_definition(const ap_five_bar *f) { return &f->def; }
