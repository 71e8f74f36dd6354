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
//   3. Where that still asks a foot to pull or to leave its cone, or nearly so: forces inside all
//      cones that are near it (contact_choice.c).

#include <math.h>
#include <string.h>

#include "contact_system.h"

static const double LEAST_SHARE = 1e-6; // of friction's largest hold, for a foot without load

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
static void solve_scaled(int n, contact_system *s) {
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

bool ap__contact_weigh(const ap_resting *resting, int n, contact_system *s) {
  double most = 0;
  for (int c = 0; c < n; c++) most = fmax(most, most_hold(resting, s, c));
  if (!(most > 0)) return false;
  for (int c = 0; c < n; c++)
    if (s->row[c] % 3 != 0) s->scale[c] = sqrt(fmax(most_hold(resting, s, c) / most, LEAST_SHARE));
  return true;
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

// y: forces that hold; where they are not unique, those that the rules choose.
static void find_forces(const ap_resting *resting, int n, contact_system *s) {
  bool regular = ap__contact_eliminate(resting, n, true, s);
  if (!regular) {
    ap__contact_refill(resting, true, s);
    int d = ap__contact_spread(resting, n, s);
    if (d > 0) {
      ap__contact_choose(resting, n, d, s);
      return;
    }
    for (int c = 0; c < n; c++) s->scale[c] = 1;
    ap__contact_factor(resting, n, true, s);
  }
  solve_scaled(n, s);
  if (s->qr.rank == n) return;
  if (ap__contact_weigh(resting, n, s)) {
    ap__contact_factor(resting, n, true, s);
    solve_scaled(n, s);
  }
  ap__contact_choose(resting, n, 0, s);
}

void ap__contact_forces(const ap_resting *resting, const bool *keep, contact_system *s) {
  int n = ap__contact_unknowns(resting, keep, false, s);
  add_brakes(resting, s);
  find_forces(resting, n, s);
  memset(s->force, 0, 3 * (size_t)s->n * sizeof *s->force);
  add_forces(resting, n, s->y, s);
  set_brakes(resting, s);
  ap__contact_respond(s);
}
