// SPDX-License-Identifier: Apache-2.0
// Forces at points whose modes are known.
//
// The unknowns x are the three components of the force where a point sticks and the normal force
// where it slides, its friction -mu x along the slip being part of the column, and the force of a
// brake that holds; the rows are the constraints. Where points depend on each other (four feet of a
// table) the system is singular but consistent: accelerations are unique, forces are not, and a
// rule has to choose.
//
//   1. The shortest x.
//   2. Where points stick: the tangential forces in proportion to what friction can hold, that is
//      the shortest x with the tangential unknowns measured in sqrt(mu * normal force of 1). A
//      block on a slope then reaches its limit under all feet at once, at the angle of friction.
//   3. Where that still asks a foot to pull or to leave its cone: sweeps look for an x that does
//      not, inside the cones, and Lemke's method for one on their edges. If they find none, 2
//      stands, and its forces show who pulls or slips.

#include <math.h>
#include <string.h>

#include "contact_system.h"
#include "num/vec3.h"

enum { SWEEPS = 200, EDGES = 3 };
static const double INWARDS = 1e-6;     // of the largest force
static const double STUCK = 1e-2;       // of that: what ten sweeps change when they lead no further
static const double LEAST_SHARE = 1e-6; // of friction's largest hold, for a foot without load
static const double ROUNDING = 1e-10;   // of the largest force

double ap__contact_margin(double friction, const double force[3]) {
  return friction * force[0] - hypot(force[1], force[2]);
}

void ap__contact_into_cone(double friction, double force[3]) {
  double tangential = hypot(force[1], force[2]);
  if (tangential <= friction * force[0]) return;
  double normal = (force[0] + friction * tangential) / (1 + friction * friction);
  if (!(normal > 0)) normal = 0;
  double part = tangential > 0 ? friction * normal / tangential : 0;
  force[0] = normal;
  force[1] *= part;
  force[2] *= part;
}

// Whether bodies couple all contacts with all.
static bool is_coupled(const contact_system *s) {
  for (int g = 0; g < s->ngroup; g++) {
    const contact_span *span = s->span + s->near[g];
    if (s->near[g + 1] != s->near[g] + 1 || span->from != 0 || span->to != s->n) return false;
  }
  return true;
}

void ap__contact_respond(contact_system *s) {
  const int rows = 3 * s->n;
  if (is_coupled(s)) { // W is symmetric: its rows are its columns
    for (int r = 0; r < rows; r++) s->response[r] = -s->b[r];
    s->through->subtract(rows, rows, s->force, 1, NULL, s->W, s->response);
    for (int r = 0; r < rows; r++) s->response[r] = -s->response[r];
    return;
  }
  for (int i = 0; i < s->n; i++)
    for (int r = 3 * i; r < 3 * i + 3; r++) {
      double sum = s->b[r];
      CONTACT_SPANS(s, i, span)
      for (int c = 3 * span->from; c < 3 * span->to; c++)
        sum += s->W[r * 3 * s->n + c] * s->force[c];
      s->response[r] = sum;
    }
}

double ap__contact_largest(const double *x, int n) {
  double size = 0;
  for (int i = 0; i < n; i++) size = fabs(x[i]) > size ? fabs(x[i]) : size;
  return size;
}

// y: the shortest solution in the scaled unknowns, scaled back.
static void solve_scaled(const ap_resting *resting, int n, contact_system *s) {
  ap__contact_factor(resting, n, true, s);
  for (int r = 0; r < n; r++) s->rhs[r] = -s->base[s->row[r]];
  ap__contact_solve(s);
  for (int c = 0; c < n; c++) s->y[c] = s->scale[c] * s->x[c];
}

// What friction can hold along the tangent of an unknown, with the normal forces in y; 0 where it
// is no tangent.
static double most_hold(const ap_resting *resting, const contact_system *s, int c) {
  const ap_resting *r = &resting[s->row[c] / 3];
  int d = s->row[c] % 3;
  if (d == 0) return 0;
  if (ap__rest_turns(r->kind)) return r->stiction * s->y[s->column[r->host]];
  return r->stiction * (r->kind == AP_REST_BRAKE ? r->hold : s->y[c - d]);
}

// Scale of the tangential unknowns by what friction holds in y; false where nothing sticks.
static bool weigh_tangents(const ap_resting *resting, int n, contact_system *s) {
  double most = 0;
  for (int c = 0; c < n; c++) most = fmax(most, most_hold(resting, s, c));
  if (!(most > 0)) return false;
  for (int c = 0; c < n; c++)
    if (s->row[c] % 3 != 0) s->scale[c] = sqrt(fmax(most_hold(resting, s, c) / most, LEAST_SHARE));
  return true;
}

// No force that is not a number is.
static bool admissible(const ap_resting *resting, int n, const contact_system *s, double slack) {
  for (int c = 0; c < n; c++) {
    const ap_resting *r = &resting[s->row[c] / 3];
    if (r->kind == AP_REST_BRAKE && !(fabs(s->y[c]) <= r->stiction * r->hold + slack)) return false;
    if (ap__rest_turns(r->kind) && s->row[c] % 3 == 1) {
      double second = r->kind == AP_REST_ROLL ? s->y[c + 1] : 0;
      double most = r->stiction * s->y[s->column[r->host]];
      if (!(hypot(s->y[c], second) <= most + slack)) return false;
    }
    if (s->row[c] % 3 != 0) continue;
    if (!(s->y[c] >= -slack)) return false;
    if (r->sticks && !(ap__contact_margin(r->stiction, s->y + c) >= -slack)) return false;
  }
  return true;
}

// y from s->force, then the shortest way onto the solutions.
static void correct(const ap_resting *resting, int n, contact_system *s) {
  for (int c = 0; c < n; c++) s->y[c] = s->force[s->row[c]];
  ap__contact_residual(resting, n, s->y, s);
  ap__contact_solve(s);
  for (int c = 0; c < n; c++) s->y[c] -= s->x[c];
}

// Add the force of y to s->force.
static void add_forces(const ap_resting *resting, int n, const double *y, contact_system *s) {
  for (int c = 0; c < n; c++) {
    s->force[s->row[c]] += y[c];
    if (!ap__contact_drags(resting, true, s, s->row[c])) continue;
    const contact_drag drag = ap__contact_drag(resting, true, s, s->row[c]);
    for (int k = 0; k < drag.n; k++) s->force[drag.row[k]] -= drag.part[k] * y[c];
  }
}

// Where sweeps start: from the normal forces of s->old, where they push.
static void start_sweeps(const ap_resting *resting, int n, contact_system *s) {
  memcpy(s->small, s->force, 3 * (size_t)s->n * sizeof *s->force);
  for (int c = 0; c < n; c++) s->y[c] = s->row[c] % 3 == 0 ? fmax(s->old[c], 0) : 0;
  memset(s->force, 0, 3 * (size_t)s->n * sizeof *s->force);
  add_forces(resting, n, s->y, s);
  memcpy(s->swept, s->force, 3 * (size_t)s->n * sizeof *s->force);
}

// Sweeps; they leave y as it is where they come to nothing. All points bear a small force besides
// what is swept, so that what comes out is inside the cones and bears the correction.
static void look_for_admissible(const ap_resting *resting, const bool *keep, int n,
                                contact_system *s) {
  size_t bytes = 3 * (size_t)s->n * sizeof *s->force;
  double inwards = INWARDS * ap__contact_largest(s->y, n);
  bool *sticks = s->passive;
  for (int i = 0; i < s->n; i++) sticks[i] = resting[i].sticks;
  for (int c = 0; c < n; c++) s->scale[c] = 1;
  ap__contact_factor(resting, n, true, s);
  memcpy(s->old, s->y, (size_t)n * sizeof *s->y);
  for (int c = 0; c < n; c++) s->y[c] = s->row[c] % 3 == 0 ? inwards : 0;
  memset(s->force, 0, bytes);
  add_forces(resting, n, s->y, s);
  ap__contact_respond(s);
  start_sweeps(resting, n, s);
  for (int sweep = 1; sweep <= SWEEPS; sweep++) {
    ap__contact_sweep(resting, sticks, keep, s->response, true, s->swept, s);
    if (sweep % 10 != 0) continue;
    double changed = 0;
    for (int r = 0; r < 3 * s->n; r++) {
      double sum = s->small[r] + s->swept[r];
      changed = fmax(changed, fabs(sum - s->force[r]));
      s->force[r] = sum;
    }
    correct(resting, n, s);
    if (admissible(resting, n, s, 0)) return;
    if (changed < STUCK * inwards || !isfinite(changed)) break; // or they diverge
  }
  memcpy(s->y, s->old, (size_t)n * sizeof *s->y);
}

// What sweeps do not come to where forces are inside all cones hardly anywhere: those of cones with
// many sides, if with them all points stay as their modes say. They leave y as it is otherwise.
static void look_on_edges(const ap_resting *resting, const bool *keep, int n, contact_system *s) {
  memcpy(s->old, s->y, (size_t)n * sizeof *s->y);
  for (int pass = 0; pass < EDGES; pass++) {
    if (!ap__contact_polygon(resting, s->passive, keep, pass, s->swept, s)) break;
    memcpy(s->force, s->swept, 3 * (size_t)s->n * sizeof *s->force);
    correct(resting, n, s);
    if (admissible(resting, n, s, ROUNDING * ap__contact_largest(s->y, n))) return;
  }
  memcpy(s->y, s->old, (size_t)n * sizeof *s->y);
}

// The forces of the last time, moved the shortest way onto the solutions: they change little from
// one state to the next.
static bool follow_last(const ap_resting *resting, int n, contact_system *s) {
  memcpy(s->old, s->y, (size_t)n * sizeof *s->y);
  for (int c = 0; c < n; c++) s->scale[c] = 1;
  ap__contact_factor(resting, n, true, s);
  for (int r = 0; r < 3 * s->n; r++) {
    const double *f = resting[r / 3].force, *axis = s->place[r / 3].frame[r % 3];
    double across = r % 3 == 2 ? s->place[r / 3].across : 1;
    if (ap__rest_turns(resting[r / 3].kind)) across = r % 3 ? resting[r / 3].lever : 1;
    s->force[r] = dot3(f, axis) / (across * across);
  }
  correct(resting, n, s);
  if (admissible(resting, n, s, ROUNDING * ap__contact_largest(s->y, n))) return true;
  memcpy(s->y, s->old, (size_t)n * sizeof *s->y);
  return false;
}

// b, with the forces of brakes that slide, which are known.
static void add_brakes(const ap_resting *resting, contact_system *s) {
  int rows = 3 * s->n;
  memcpy(s->base, s->b, (size_t)rows * sizeof *s->b);
  for (int i = 0; i < s->n; i++) {
    const ap_resting *r = &resting[i];
    if (r->kind != AP_REST_BRAKE || r->sticks) continue;
    double force = -r->friction * r->hold * s->place[i].slip[0];
    for (int k = 0; k < rows; k++) s->base[k] += s->W[k * rows + 3 * i + 1] * force;
  }
}

// The forces of brakes: the normal ones, and those of sliding. And the normal forces of hosts.
static void set_brakes(const ap_resting *resting, contact_system *s) {
  for (int i = 0; i < s->n; i++) {
    const ap_resting *r = &resting[i];
    if (ap__rest_turns(r->kind)) s->force[3 * i] = s->force[3 * r->host];
    if (r->kind != AP_REST_BRAKE) continue;
    s->force[3 * i] = r->hold;
    if (!r->sticks) s->force[3 * i + 1] = -r->friction * r->hold * s->place[i].slip[0];
  }
}

void ap__contact_forces(const ap_resting *resting, const bool *keep, contact_system *s) {
  int n = ap__contact_unknowns(resting, keep, false, s);
  add_brakes(resting, s);
  solve_scaled(resting, n, s);
  bool chosen = s->qr.rank < n; // forces are not unique
  if (chosen && weigh_tangents(resting, n, s)) solve_scaled(resting, n, s);
  if (chosen && !admissible(resting, n, s, ROUNDING * ap__contact_largest(s->y, n)))
    chosen = !follow_last(resting, n, s);
  if (chosen && !admissible(resting, n, s, ROUNDING * ap__contact_largest(s->y, n)))
    look_for_admissible(resting, keep, n, s);
  if (chosen && !admissible(resting, n, s, ROUNDING * ap__contact_largest(s->y, n)))
    look_on_edges(resting, keep, n, s);
  memset(s->force, 0, 3 * (size_t)s->n * sizeof *s->force);
  add_forces(resting, n, s->y, s);
  set_brakes(resting, s);
  ap__contact_respond(s);
}
