// Definitions of Delta robots: the built-in one, the check, the constants of a limb.

#include "base/arena.h"
#include "num/cholesky.h"
#include "loop/closed_form.h"
#include "loop/delta.h"

ap_delta_arm ap_delta_slender_arm(double mass, double length) {
  return (ap_delta_arm){
      .mass = mass, .com = {length / 2, 0, 0}, .inertia = mass * length * length / 12};
}

ap_delta_rod ap_delta_slender_rod(double mass, double length) {
  double across = mass * length * length / 12;
  return (ap_delta_rod){
      .mass = mass, .com = {length / 2, 0, 0}, .inertia = {0, 0, 0, across, 0, across}};
}

ap_delta_def ap_default_delta(void) {
  const double third = 2.0943951023931953; // 120 degrees
  ap_delta_def def = {
      .platform = 0.4, .gravity = {0, 0, -9.81}, .least_serial = 1e-6, .least_parallel = 1e-9};
  for (int i = 0; i < 3; i++)
    def.limb[i] = (ap_delta_limb){
        .angle = third * i,
        .base = 0.164,
        .platform = 0.044,
        .arm_length = 0.524,
        .rod_length = 1.244,
        .branch = 1,
        .arm = ap_delta_slender_arm(1.2, 0.524),
        .rod = ap_delta_slender_rod(0.15, 1.244),
    };
  return def;
}

// ---- check -------------------------------------------------------------------------------------

// Is there a distribution of mass with this inertia? Its second moments tr(I)/2 1 - I must not be
// negative, up to digits lost in print.
static bool possible(const double I[6]) {
  double half = (I[0] + I[3] + I[5]) / 2, more = half * (1 + 1e-6);
  double S[9] = {more - I[0], 0, 0, -I[1], more - I[3], 0, -I[2], -I[4], more - I[5]};
  if (half == 0) return I[0] == 0 && I[1] == 0 && I[2] == 0 && I[3] == 0 && I[4] == 0;
  return ap__cholesky(3, S);
}

static bool check_arm(const ap_delta_arm *a, const char *of, ap_error *error) {
  if (!ap__moderate(3, a->com)) {
    ap__fail(error, AP_E_MODEL, 0, "%scentre of mass must be finite, at most 1e9 m", of);
    return false;
  }
  return ap__between(a->mass, 0, 1e9, "mass", of, error) &&
         ap__between(a->inertia, 0, 1e9, "inertia", of, error);
}

static bool check_rod(const ap_delta_rod *r, const char *of, ap_error *error) {
  if (!ap__moderate(3, r->com) || !ap__moderate(6, r->inertia)) {
    ap__fail(error, AP_E_MODEL, 0, "%scentre of mass and inertia must be finite, at most 1e9", of);
    return false;
  }
  if (!possible(r->inertia)) {
    ap__fail(error, AP_E_MODEL, 0,
             "%sno body has this inertia; it is xx xy xz yy yz zz about the centre of mass", of);
    return false;
  }
  return ap__between(r->mass, 0, 1e9, "mass", of, error);
}

static bool check_limb(const ap_delta_limb *l, int i, ap_error *error) {
  static const char *const of[] = {"limb 0: ", "limb 1: ", "limb 2: "};
  static const char *const arm[] = {"arm of limb 0: ", "arm of limb 1: ", "arm of limb 2: "};
  static const char *const rod[] = {"rod of limb 0: ", "rod of limb 1: ", "rod of limb 2: "};
  return ap__between(l->angle, -1e9, 1e9, "angle", of[i], error) &&
         ap__between(l->base, -1e9, 1e9, "base", of[i], error) &&
         ap__between(l->platform, -1e9, 1e9, "platform", of[i], error) &&
         ap__between(l->arm_length, 1e-9, 1e9, "arm_length", of[i], error) &&
         ap__between(l->rod_length, 1e-9, 1e9, "rod_length", of[i], error) &&
         ap__between(l->rotor, 0, 1e9, "rotor", of[i], error) &&
         ap__is_sign(l->branch, "branch", of[i], error) && check_arm(&l->arm, arm[i], error) &&
         check_rod(&l->rod, rod[i], error);
}

static bool check(const ap_delta_def *def, ap_error *error) {
  if (!ap__moderate(3, def->gravity)) {
    ap__fail(error, AP_E_MODEL, 0, "gravity must be finite, at most 1e9 m/s2");
    return false;
  }
  for (int i = 0; i < 3; i++)
    if (!check_limb(&def->limb[i], i, error)) return false;
  return ap__between(def->platform, 0, 1e9, "mass of the platform", "", error) &&
         ap__between(def->least_serial, 1e-7, 0.1, "least_serial", "", error) &&
         ap__between(def->least_parallel, 1e-12, 0.1, "least_parallel", "", error);
}

// ---- constants ---------------------------------------------------------------------------------

// Inertia of two rods about the knee.
static sym3 about_knee(const ap_delta_rod *r) {
  const double *I = r->inertia, x = r->com[0], y = r->com[1], z = r->com[2], m = r->mass;
  return (sym3){2 * (I[0] + m * (y * y + z * z)), 2 * (I[1] - m * x * y),
                2 * (I[2] - m * x * z),           2 * (I[3] + m * (x * x + z * z)),
                2 * (I[4] - m * y * z),           2 * (I[5] + m * (x * x + y * y))};
}

static delta_limb limb_of(const ap_delta_limb *d, vec3 g) {
  double pair = 2 * d->rod.mass;
  vec3 arm = vec3_of(d->arm.com);
  delta_limb l = {
      .cos_angle = cos(d->angle),
      .sin_angle = sin(d->angle),
      .base = d->base,
      .offset = d->platform - d->base,
      .l1 = d->arm_length,
      .l2 = d->rod_length,
      .i1 = 1 / d->arm_length,
      .i2 = 1 / d->rod_length,
      .sign = d->branch,
      .m11 = d->arm.inertia + d->arm.mass * (arm.x * arm.x + arm.z * arm.z) +
             pair * d->arm_length * d->arm_length + d->rotor,
      .first = add_scaled(scale(d->arm.mass, arm), pair, (vec3){d->arm_length, 0, 0}),
      .second = scale(pair, vec3_of(d->rod.com)),
      .I = about_knee(&d->rod),
      .mass = d->arm.mass + pair,
  };
  l.g = to_limb(&l, g);
  return l;
}

// Where the robot lies in mem, and in *size how much it takes.
static ap_delta *lay_out(void *mem, size_t *size) {
  ap_arena arena = ap__arena(mem);
  ap_delta *d = AP_TAKE(&arena, ap_delta, 1);
  *size = ap__arena_size(&arena);
  return d;
}

size_t ap_delta_size(void) {
  size_t size;
  lay_out(NULL, &size);
  return size;
}

ap_delta *ap_delta_init(const ap_delta_def *def, void *mem, size_t size, ap_error *error) {
  size_t needed;
  if (error) *error = (ap_error){0};
  if (!def || !mem) {
    ap__fail(error, AP_E_ARG, 0, "ap_delta_init needs a definition and memory");
    return NULL;
  }
  ap_delta *d = lay_out(mem, &needed);
  if (size < needed) {
    ap__fail(error, AP_E_MEMORY, 0, "a Delta needs %zu bytes, there are %zu", needed, size);
    return NULL;
  }
  if (!check(def, error)) return NULL;
  d->def = *def;
  d->g = vec3_of(def->gravity);
  for (int i = 0; i < 3; i++) d->limb[i] = limb_of(&def->limb[i], d->g);
  return d;
}

const ap_delta_def *ap_delta_definition(const ap_delta *d) { return &d->def; }
