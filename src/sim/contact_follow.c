// Directions of points that start to slide, or slide so slowly that their direction is that of
// their acceleration.

#include <math.h>

#include "contact_system.h"

enum { PASSES = 40 };
static const double TURNED = 1e-13; // of the accelerations
static const double FURTHEST = 0.5; // rad, in one pass

// Friction's own effect on a point that slides: mu N x . W_tt y over its tangents.
static double rub(const ap_resting *r, const contact_system *s, int i, const double x[2],
                  const double y[2]) {
  int rows = 3 * s->n;
  const double *W = s->W + (3 * i + 1) * rows + 3 * i + 1;
  double sum = x[0] * (W[0] * y[0] + W[1] * y[1]) + x[1] * (W[rows] * y[0] + W[rows + 1] * y[1]);
  return r->friction * fmax(s->force[3 * i], 0) * sum;
}

// Turn a point's slip by Newton's method for the acceleration across it, g = a . p with p across
// slip: dg/dangle = -mu N p . W_tt p - a . slip, the other points as they are. Returns whether it
// was off.
static bool turn(const ap_resting *r, contact_system *s, int i) {
  double *slip = s->place[i].slip, across[2] = {-slip[1], slip[0]};
  const double *a = s->response + 3 * i + 1;
  double own = rub(r, s, i, across, across);
  double g = a[0] * across[0] + a[1] * across[1], along = a[0] * slip[0] + a[1] * slip[1];
  if (!(fabs(g) > TURNED * (own + fabs(along)))) return false;
  double slope = -own - along;
  double angle = slope < 0 ? fmax(-FURTHEST, fmin(FURTHEST, -g / slope)) : copysign(FURTHEST, g);
  double c = cos(angle), d = sin(angle), old[2] = {slip[0], slip[1]};
  slip[0] = c * old[0] - d * old[1];
  slip[1] = c * old[1] + d * old[0];
  double length = hypot(slip[0], slip[1]);
  for (int k = 0; k < 2 && length > 0; k++) slip[k] /= length;
  return true;
}

void ap__contact_follow(const ap_resting *resting, const bool *keep, contact_system *s) {
  for (int pass = 0; pass < PASSES; pass++) {
    bool off = false;
    for (int i = 0; i < s->n; i++) {
      const ap_resting *r = &resting[i];
      if ((keep && !keep[i]) || r->kind != AP_REST_POINT || r->sticks || !r->follows) continue;
      if (r->friction > 0) off |= turn(r, s, i);
    }
    if (!off) return;
    ap__contact_forces(resting, keep, s);
  }
}
