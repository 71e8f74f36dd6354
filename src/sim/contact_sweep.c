// SPDX-License-Identifier: Apache-2.0
// Sweeps over points (block Gauss-Seidel): each one's force in turn as Coulomb's law wants it, the
// others' as they are. And all forces together where cones have many sides instead.

#include <math.h>
#include <string.h>

#include "contact_system.h"

enum { LOCAL_STEPS = 30 };
static const double LEAST_PUSH = 1e-9; // of what the normal force alone does: less is jammed

// What a unit of normal force, with the friction of sliding, does to the point's own normal
// acceleration.
static double push_of(const ap_resting *r, const contact_system *s, int i) {
  const double *W = s->W + 3 * i * 3 * s->n + 3 * i, *slip = s->place[i].slip;
  return W[0] - r->friction * (slip[0] * W[1] + slip[1] * W[2]);
}

// The force at a point that slides or has no friction.
static void sweep_sliding(const ap_resting *r, const double a[3], const contact_system *s, int i,
                          double f[3]) {
  double push = push_of(r, s, i);
  if (!(push > LEAST_PUSH * s->W[3 * i * 3 * s->n + 3 * i])) return;
  f[0] = fmax(0, f[0] - a[0] / push);
  for (int k = 0; k < 2; k++) f[1 + k] = -r->friction * s->place[i].slip[k] * f[0];
}

// The force of a brake: what holds the joint alone, as far as friction can, or that of sliding.
static void sweep_brake(const ap_resting *r, bool still, const double a[3], const contact_system *s,
                        int i, double f[3]) {
  double W = s->W[(3 * i + 1) * 3 * s->n + 3 * i + 1], most = r->stiction * r->hold;
  f[0] = r->hold;
  if (!still)
    f[1] = -r->friction * r->hold * s->place[i].slip[0];
  else if (W > 0)
    f[1] = fmax(-most, fmin(most, f[1] - a[1] / W));
}

// The force of rolling or spinning friction likewise, with the normal force of its host.
static void sweep_turning(const ap_resting *r, bool still, const double a[3],
                          const contact_system *s, int i, double normal, double f[3]) {
  int rows = 3 * s->n;
  const double *W = s->W + (3 * i + 1) * rows + 3 * i + 1, p = W[0], q = W[rows + 1], o = W[1];
  double stiff = 0.5 * (p + q) + sqrt(0.25 * (p - q) * (p - q) + o * o); // the larger eigenvalue
  f[0] = fmax(normal, 0);
  for (int k = 1; k < 3 && !still; k++) f[k] = -r->friction * f[0] * s->place[i].slip[k - 1];
  if (!still || !(stiff > 0)) return;
  double most = r->stiction * f[0];
  for (int k = 1; k < 3; k++) f[k] -= a[k] / stiff;
  double length = hypot(f[1], f[2]);
  for (int k = 1; k < 3 && length > most; k++) f[k] *= most / length;
}

// The acceleration W f + rest of a point alone.
static void accelerate_alone(const double W[9], const double f[3], const double rest[3],
                             double a[3]) {
  for (int d = 0; d < 3; d++)
    a[d] = rest[d] + W[3 * d] * f[0] + W[3 * d + 1] * f[1] + W[3 * d + 2] * f[2];
}

// The force that holds a point alone, f with W f = -rest; whether it is in the cone.
static bool hold_alone(double friction, const double W[9], const double rest[3], double f[3]) {
  double factors[9], left[3], right[3], spare[3], b[3] = {-rest[0], -rest[1], -rest[2]};
  int pivot[3];
  ap_qr qr = {.m = 3, .n = 3, .A = factors, .left = left, .right = right, .spare = spare};
  qr.pivot = pivot;
  memcpy(factors, W, sizeof factors);
  ap__qr_factor(&qr, 1e-12);
  ap__qr_solve(&qr, b, f);
  return f[0] >= 0 && ap__contact_margin(friction, f) >= 0;
}

// The force at a point that does not move along its wall, all others' as they are. Coulomb's law on
// accelerations is that f is the nearest point of the cone to f - rho (a + mu |a_t| n), whatever
// rho > 0 (G. de Saxce and Z.-Q. Feng 1998): repeated, that comes near it.
static void sweep_still(const ap_resting *r, const double a[3], const contact_system *s, int i,
                        double f[3]) {
  double W[9], rest[3], held[3], now[3];
  for (int d = 0; d < 3; d++)
    memcpy(W + 3 * d, s->W + (3 * i + d) * 3 * s->n + 3 * i, 3 * sizeof *W);
  double trace = W[0] + W[4] + W[8];
  if (!(trace > 0)) return;
  for (int d = 0; d < 3; d++)
    rest[d] = a[d] - W[3 * d] * f[0] - W[3 * d + 1] * f[1] - W[3 * d + 2] * f[2];
  if (rest[0] >= 0) {
    f[0] = f[1] = f[2] = 0;
    return;
  }
  if (hold_alone(r->friction, W, rest, held)) {
    memcpy(f, held, sizeof held);
    return;
  }
  for (int step = 0; step < LOCAL_STEPS; step++) {
    accelerate_alone(W, f, rest, now);
    f[0] -= (now[0] + r->friction * hypot(now[1], now[2])) / trace;
    f[1] -= now[1] / trace;
    f[2] -= now[2] / trace;
    ap__contact_into_cone(r->friction, f);
  }
}

void ap__contact_sweep(const ap_resting *resting, const bool *still, const double *b, double *force,
                       const contact_system *s) {
  int rows = 3 * s->n;
  for (int i = 0; i < s->n; i++) {
    double a[3];
    for (int d = 0; d < 3; d++) {
      a[d] = b[3 * i + d];
      CONTACT_SPANS(s, i, span)
      for (int c = 3 * span->from; c < 3 * span->to; c++)
        a[d] += s->W[(3 * i + d) * rows + c] * force[c];
    }
    if (resting[i].kind == AP_REST_BRAKE)
      sweep_brake(&resting[i], still[i], a, s, i, force + 3 * i);
    else if (ap__rest_turns(resting[i].kind))
      sweep_turning(&resting[i], still[i], a, s, i, force[3 * resting[i].host], force + 3 * i);
    else if (still[i])
      sweep_still(&resting[i], a, s, i, force + 3 * i);
    else
      sweep_sliding(&resting[i], a, s, i, force + 3 * i);
  }
}

// Brakes, and what is against turning, keep the forces that they have: s->apart is b with these,
// s->points says who is none of them.
static void set_brakes_apart(const ap_resting *resting, const double *force, contact_system *s) {
  int rows = 3 * s->n;
  memcpy(s->apart, s->b, (size_t)rows * sizeof *s->b);
  for (int i = 0; i < s->n; i++) {
    bool borrows = ap__rest_borrows(resting[i].kind);
    s->points[i] = !borrows;
    if (!borrows) continue;
    for (int k = 0; k < rows; k++) s->apart[k] += s->W[k * rows + 3 * i + 1] * force[3 * i + 1];
    for (int k = 0; k < rows && resting[i].kind == AP_REST_ROLL; k++)
      s->apart[k] += s->W[k * rows + 3 * i + 2] * force[3 * i + 2];
    memcpy(s->small + 3 * i, force + 3 * i, 3 * sizeof *force);
  }
}

bool ap__contact_polygon(const ap_resting *resting, const bool *still, int pass, double *force,
                         contact_system *s) {
  ap_polygon *o = &s->polygon;
  set_brakes_apart(resting, force, s);
  o->n = s->n, o->W = s->W, o->b = s->apart, o->mu = s->friction;
  o->way = s->way, o->keep = s->points;
  for (int i = 0; i < s->n; i++) {
    s->friction[i] = resting[i].friction;
    for (int k = 0; k < 2; k++) s->way[2 * i + k] = still[i] ? 0 : s->place[i].slip[k];
  }
  bool solved = ap__polygon_solve(o, pass, force);
  for (int i = 0; i < s->n && solved; i++)
    if (ap__rest_borrows(resting[i].kind))
      memcpy(force + 3 * i, s->small + 3 * i, 3 * sizeof *force);
  return solved;
}
