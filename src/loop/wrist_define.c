// Definitions of spherical parallel robots: the built-in one, the check, the constants of a limb.

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "loop/wrist.h"

static const double PI = 3.14159265358979323846;

ap_wrist_link ap_wrist_arc(double radius, double density, double angle) {
  // A point of the arc at the angle s from z is R (0, -sin s, cos s); its integrals over s.
  double R = radius, a = angle, mass = density * R * a;
  double R3 = density * R * R * R, sa = sin(a);
  double along = a > 0 ? R / a : 0;
  return (ap_wrist_link){
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
      .least_h = 1e-6,
      .least_det = 1e-9,
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

// ---- check -------------------------------------------------------------------------------------

// Every number finite and at most 1e9, far from where products overflow.
static bool sane(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= 1e9)) return false;
  return true;
}

// Cholesky's pivots of S + slack 1 are positive.
static bool not_negative(sym3 S, double slack) {
  double p = S.xx + slack;
  if (!(p > 0)) return false;
  double l1 = S.xy / p, l2 = S.xz / p;
  double r = S.yy + slack - l1 * S.xy, s = S.yz - l1 * S.xz;
  if (!(r > 0)) return false;
  return S.zz + slack - l2 * S.xz - s * s / r > 0;
}

// Is there a distribution of mass with these numbers? Its second moments about the centre of mass,
// Sigma - m c c^T with Sigma = tr(I)/2 1 - I, must not be negative, up to digits lost in print.
static bool link_possible(const ap_wrist_link *b) {
  const double *I = b->inertia, *c = b->com, m = b->mass;
  double half = (I[0] + I[3] + I[5]) / 2;
  sym3 S = {half - I[0] - m * c[0] * c[0], -I[1] - m * c[0] * c[1], -I[2] - m * c[0] * c[2],
            half - I[3] - m * c[1] * c[1], -I[4] - m * c[1] * c[2], half - I[5] - m * c[2] * c[2]};
  if (half <= 0) return half == 0 && m == 0 && I[1] == 0 && I[2] == 0 && I[4] == 0;
  return not_negative(S, 1e-6 * half);
}

static bool check_link(const ap_wrist_link *b, const char *what, int number, ap_error *error) {
  char which[32] = "";
  if (number > 0) {
    static const char *const of[] = {"", " of limb 0", " of limb 1", " of limb 2"};
    memcpy(which, of[number], strlen(of[number]) + 1);
  }
  if (!sane(&b->mass, 1) || b->mass < 0) {
    ap__fail(error, AP_E_MODEL, 0, "%s%s: mass is %g kg, must be 0 or more and at most 1e9", what,
             which, b->mass);
    return false;
  }
  if (!sane(b->com, 3) || !sane(b->inertia, 6)) {
    ap__fail(error, AP_E_MODEL, 0, "%s%s: centre of mass and inertia must be finite, at most 1e9",
             what, which);
    return false;
  }
  if (!link_possible(b)) {
    ap__fail(
        error, AP_E_MODEL, 0,
        "%s%s: no body of %g kg with this centre of mass has this inertia; the inertia is that "
        "about O, not about the centre of mass",
        what, which, b->mass);
    return false;
  }
  return true;
}

static bool check_limb(const ap_wrist_limb *l, int i, ap_error *error) {
  const double angles[] = {l->gamma, l->beta, l->eta, l->lambda};
  if (!sane(angles, 4)) {
    ap__fail(error, AP_E_MODEL, 0, "limb %d: gamma, beta, eta and lambda must be finite (rad)", i);
    return false;
  }
  const double arcs[] = {l->alpha1, l->alpha2};
  for (int k = 0; k < 2; k++)
    if (!(arcs[k] > 1e-3 && arcs[k] < PI - 1e-3)) {
      ap__fail(error, AP_E_MODEL, 0,
               "limb %d: alpha%d is %g rad, must lie between 0 and pi (0.001 from both at least)",
               i, k + 1, arcs[k]);
      return false;
    }
  if (l->branch != 1 && l->branch != -1) {
    ap__fail(error, AP_E_MODEL, 0, "limb %d: branch is %d, must be 1 or -1", i, l->branch);
    return false;
  }
  return check_link(&l->first, "first link", i + 1, error) &&
         check_link(&l->second, "second link", i + 1, error);
}

static bool check(const ap_wrist_def *def, ap_error *error) {
  for (int i = 0; i < 3; i++)
    if (!check_limb(&def->limb[i], i, error)) return false;
  if (!check_link(&def->platform, "platform", 0, error)) return false;
  if (!sane(def->gravity, 3)) {
    ap__fail(error, AP_E_MODEL, 0, "gravity must be finite, at most 1e9 m/s2");
    return false;
  }
  if (!(def->least_h >= 1e-9 && def->least_h <= 0.1)) {
    ap__fail(error, AP_E_MODEL, 0, "least_h is %g, must be 1e-9 to 0.1", def->least_h);
    return false;
  }
  if (!(def->least_det >= 1e-12 && def->least_det <= 0.1)) {
    ap__fail(error, AP_E_MODEL, 0, "least_det is %g, must be 1e-12 to 0.1", def->least_det);
    return false;
  }
  return true;
}

// ---- constants ---------------------------------------------------------------------------------

static wrist_body body_of(const ap_wrist_link *b) {
  const double *I = b->inertia;
  double half = (I[0] + I[3] + I[5]) / 2;
  return (wrist_body){
      .moment = scale(b->mass, vec3_of(b->com)),
      .I = {I[0], I[1], I[2], I[3], I[4], I[5]},
      .Sigma = {half - I[0], -I[1], -I[2], half - I[3], -I[4], half - I[5]},
  };
}

// Rz(a) Rx(b)
static mat3 turn_z_x(double a, double b) {
  double sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b);
  return (mat3){{ca, sa, 0}, {-sa * cb, ca * cb, sb}, {sa * sb, -ca * sb, cb}};
}

static wrist_limb limb_of(const ap_wrist_limb *d, vec3 g) {
  wrist_limb l = {
      .s1 = sin(d->alpha1),
      .c1 = cos(d->alpha1),
      .s2 = sin(d->alpha2),
      .c2 = cos(d->alpha2),
      .near = cos(d->alpha1 - d->alpha2),
      .far = cos(d->alpha1 + d->alpha2),
      .branch = d->branch,
      .first = body_of(&d->first),
      .second = body_of(&d->second),
  };
  // [Abedloo 27, 29]  u = Rz(lambda) Rx(gamma - pi) z
  l.B = turn_z_x(d->lambda, d->gamma - PI);
  // [Abedloo 28]  v* = Rz(eta) Rx(-beta) z
  l.mount = turn_z_x(d->eta, -d->beta).z;
  l.g = apply_transposed(l.B, g);
  return l;
}

size_t ap_wrist_size(void) { return sizeof(ap_wrist) + _Alignof(ap_wrist) - 1; }

ap_wrist *ap_wrist_init(const ap_wrist_def *def, void *mem, size_t size, ap_error *error) {
  if (error) *error = (ap_error){0};
  if (!def || !mem) {
    ap__fail(error, AP_E_ARG, 0, "ap_wrist_init needs a definition and memory");
    return NULL;
  }
  if (size < ap_wrist_size()) {
    ap__fail(error, AP_E_MEMORY, 0, "a wrist needs %zu bytes, there are %zu", ap_wrist_size(),
             size);
    return NULL;
  }
  if (!check(def, error)) return NULL;
  size_t over = (size_t)((uintptr_t)mem % _Alignof(ap_wrist));
  ap_wrist *w = (void *)((unsigned char *)mem + (over ? _Alignof(ap_wrist) - over : 0));
  w->def = *def;
  w->g = vec3_of(def->gravity);
  w->platform = body_of(&def->platform);
  w->unit = 1;
  for (int i = 0; i < 3; i++) {
    w->limb[i] = limb_of(&def->limb[i], w->g);
    w->unit *= w->limb[i].s2; // |v x w| = sin(alpha2)
  }
  return w;
}

const ap_wrist_def *ap_wrist_definition(const ap_wrist *w) { return &w->def; }
