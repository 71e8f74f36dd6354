// SPDX-License-Identifier: Apache-2.0
// Which of the points that touch stay, which of them stick and which slide.
//
// Without friction it is a linear complementarity problem: 0 <= f, 0 <= a, f . a = 0 with normal
// accelerations a = b + W f. W is symmetric and nowhere negative, so this is where f . (W f / 2 +
// b) is least over f >= 0: Lawson and Hanson's active set method finds it in finitely many steps,
// and a is unique even where f is not.
//
// With friction, a point that moves along its wall has f = x (n - mu slip); one that does not has a
// force anywhere in Coulomb's cone, and on its edge, against the tangential acceleration, when it
// starts to slide. Sweeps over the points, each solved alone, come near the solution; modes are
// read off, solved exactly, and compared with the law. Where the law holds they are the answer.
//
// Sliding with friction may have no solution, as where friction presses a point into its wall more
// than the force pushes it out (Painleve's paradox), and sometimes it has two.

#include <math.h>
#include <string.h>

#include "contact_system.h"

enum { GUESSES = 24, ROUNDS = 12, SWEEPS = 60, POLYGONS = 6, MOST_SLIDING = 10 };
static const double ROUNDING = 1e-9;    // of the largest acceleration or force
static const double ON_THE_EDGE = 1e-6; // of the cone, when modes are read off

// ---- without friction --------------------------------------------------------------------------

// Normal forces over the passive points, in s->x beside s->row; the others have none.
static int solve_passive(const ap_resting *resting, const bool *passive, contact_system *s) {
  int count = ap__contact_unknowns(resting, passive, true, s);
  ap__contact_factor(resting, count, false, s);
  for (int c = 0; c < count; c++) s->rhs[c] = -s->b[s->row[c]];
  ap__contact_solve(s);
  return count;
}

// Go from the forces towards x as far as none pulls; those that reach zero leave the passive set.
// False when x itself was reached.
static bool step_back(int count, bool *passive, contact_system *s) {
  double part = 1;
  int first = -1;
  for (int c = 0; c < count; c++) {
    double now = s->force[s->row[c]];
    if (s->x[c] > 0) continue;
    double reach = now > 0 ? now / (now - s->x[c]) : 0;
    if (reach < part || first < 0) part = reach, first = c;
  }
  for (int c = 0; c < count; c++) {
    double *f = &s->force[s->row[c]];
    *f += part * (s->x[c] - *f);
    if (first < 0) continue;
    if (c == first || *f <= 0) *f = 0, passive[s->row[c] / 3] = false;
  }
  return first >= 0;
}

// Normal forces and accelerations without friction.
static void frictionless(const ap_resting *resting, contact_system *s) {
  int n = s->n;
  bool *passive = s->passive;
  for (int i = 0; i < n; i++) passive[i] = false;
  memset(s->force, 0, 3 * (size_t)n * sizeof *s->force);
  for (int step = 0; step < 4 * n + 4; step++) {
    ap__contact_respond(s);
    int into = -1;
    double fastest = ROUNDING * ap__contact_largest(s->b, 3 * n);
    for (int i = 0; i < n; i++)
      if (!passive[i] && -s->response[3 * i] > fastest) into = i, fastest = -s->response[3 * i];
    if (into < 0) return;
    passive[into] = true;
    while (step_back(solve_passive(resting, passive, s), passive, s)) continue;
  }
  ap__contact_respond(s);
}

// ---- with friction -----------------------------------------------------------------------------

// Let a point slide in the direction of its tangential acceleration.
static void slide_along(const double a[3], ap_resting *r, contact_place *place) {
  double size = hypot(a[1], a[2]);
  r->sticks = false;
  for (int k = 0; k < 2; k++) place->slip[k] = size > 0 ? a[1 + k] / size : 0;
}

// Modes from the accelerations in s->response: a point leaves that accelerates away, one that
// accelerates along the wall starts to slide.
static void read_modes(ap_resting *resting, bool *keep, contact_system *s) {
  double small = ON_THE_EDGE * ap__contact_largest(s->b, 3 * s->n);
  for (int i = 0; i < s->n; i++) {
    const double *a = s->response + 3 * i;
    keep[i] = a[0] <= small;
    resting[i].sticks = false;
    if (!s->still[i]) continue;
    if (hypot(a[1], a[2]) > small)
      slide_along(a, &resting[i], &s->place[i]);
    else
      resting[i].sticks = true;
  }
}

// Whether forces and accelerations of these modes obey the law.
static bool law_holds(const ap_resting *resting, const bool *keep, const contact_system *s) {
  double slow = 10 * ROUNDING * ap__contact_largest(s->b, 3 * s->n);
  double weak = ROUNDING * ap__contact_largest(s->force, 3 * s->n);
  for (int i = 0; i < s->n; i++) {
    const double *a = s->response + 3 * i, *f = s->force + 3 * i, *slip = s->place[i].slip;
    if (a[0] < -slow || f[0] < -weak) return false;
    if (!keep[i]) continue;
    if (a[0] > slow) return false;
    if (resting[i].sticks && hypot(a[1], a[2]) > slow) return false;
    if (resting[i].sticks && ap__contact_margin(resting[i].stiction, f) < -weak) return false;
    bool starts = s->still[i] && !resting[i].sticks;
    if (starts && a[1] * slip[0] + a[2] * slip[1] < -slow) return false;
  }
  return true;
}

// Forces of the modes; the directions of points that start to slide follow their accelerations.
static bool try_modes(ap_resting *resting, bool *keep, contact_system *s) {
  for (int i = 0; i < s->n; i++) {
    resting[i].follows = s->still[i] && !resting[i].sticks;
    if (ap__rest_turns(resting[i].kind)) keep[i] = keep[resting[i].host];
  }
  ap__contact_forces(resting, keep, s);
  if (!law_holds(resting, keep, s)) return false;
  return ap__contact_follow(resting, keep, s) && law_holds(resting, keep, s);
}

// Change what breaks the law: first those that pull leave; where none does, sticking points that
// ask for too much friction slide against it, sliding ones that turn back stick, and those that
// left and come back stay. False where nothing is to be changed.
static bool change_modes(ap_resting *resting, bool *keep, contact_system *s) {
  double slow = 10 * ROUNDING * ap__contact_largest(s->b, 3 * s->n);
  double weak = ROUNDING * ap__contact_largest(s->force, 3 * s->n);
  bool changed = false, pulls = false;
  for (int i = 0; i < s->n; i++)
    if (keep[i] && s->force[3 * i] < -weak) keep[i] = false, pulls = true;
  for (int i = 0; i < s->n && !pulls; i++) {
    const double *a = s->response + 3 * i, *f = s->force + 3 * i, *slip = s->place[i].slip;
    bool still = s->still[i];
    if (!keep[i] && a[0] < -slow) {
      keep[i] = true;
      resting[i].sticks = still;
    } else if (resting[i].sticks && ap__contact_margin(resting[i].stiction, f) < -weak) {
      slide_along((double[3]){0, -f[1], -f[2]}, &resting[i], &s->place[i]);
    } else if (still && !resting[i].sticks && a[1] * slip[0] + a[2] * slip[1] < -slow) {
      resting[i].sticks = true;
    } else {
      continue;
    }
    changed = true;
  }
  return changed || pulls;
}

// Modes by changing guesses.
static bool guess_modes(ap_resting *resting, bool *keep, contact_system *s) {
  for (int i = 0; i < s->n; i++) {
    keep[i] = true;
    resting[i].sticks = s->still[i];
  }
  for (int guess = 0; guess < GUESSES; guess++) {
    if (try_modes(resting, keep, s)) return true;
    if (!change_modes(resting, keep, s)) return false;
  }
  return false;
}

// Where every point slides or has no friction, each stays or leaves: all that is possible, one
// after the other, so that none is left out.
static bool try_all_modes(ap_resting *resting, bool *keep, contact_system *s) {
  if (s->n > MOST_SLIDING) return false;
  for (int i = 0; i < s->n; i++)
    if (s->still[i]) return false;
  for (long which = 0; which < 1L << s->n; which++) {
    for (int i = 0; i < s->n; i++) {
      keep[i] = which >> i & 1;
      resting[i].sticks = false;
    }
    if (try_modes(resting, keep, s)) return true;
  }
  return false;
}

// Modes of the law with cones of many sides, which Lemke's method solves wherever forces exist.
static bool try_polygons(ap_resting *resting, bool *keep, contact_system *s) {
  for (int pass = 0; pass < POLYGONS; pass++) {
    if (!ap__contact_polygon(resting, s->still, pass, s->sweep, s)) return false;
    memcpy(s->force, s->sweep, 3 * (size_t)s->n * sizeof *s->force);
    ap__contact_respond(s);
    for (int few = 0; few < 2; few++) { // once more with those alone that are pressed
      read_modes(resting, keep, s);
      for (int i = 0; few && i < s->n; i++) keep[i] = keep[i] && s->sweep[3 * i] > 0;
      if (try_modes(resting, keep, s)) return true;
      memcpy(s->force, s->sweep, 3 * (size_t)s->n * sizeof *s->force);
      ap__contact_respond(s);
    }
  }
  return false;
}

// Rounds of sweeps until modes that they show obey the law.
static bool look_for_modes(ap_resting *resting, bool *keep, contact_system *s) {
  size_t bytes = 3 * (size_t)s->n * sizeof *s->force;
  if (guess_modes(resting, keep, s)) return true;
  for (int round = 0; round < ROUNDS; round++) {
    for (int k = 0; k < SWEEPS; k++) ap__contact_sweep(resting, s->still, s->b, s->sweep, s);
    memcpy(s->force, s->sweep, bytes);
    ap__contact_respond(s);
    read_modes(resting, keep, s);
    if (try_modes(resting, keep, s)) return true;
  }
  return try_polygons(resting, keep, s) || try_all_modes(resting, keep, s);
}

// ---- both --------------------------------------------------------------------------------------

// Who moves, and in which direction; true where there is friction anywhere.
static bool set_motion(const ap_resting *resting, contact_system *s) {
  bool friction = false;
  for (int i = 0; i < s->n; i++) {
    contact_place *place = &s->place[i];
    const double *v = place->velocity + 1;
    double speed = hypot(v[0], v[1]);
    bool moves = speed > AP__CONTACT_STILL;
    for (int k = 0; k < 2; k++) place->slip[k] = moves ? v[k] / speed : 0;
    s->still[i] = !moves && resting[i].stiction > 0;
    friction |= resting[i].stiction > 0;
  }
  return friction;
}

// The modes of an island.
static bool modes_of(contact_system *s, bool *keep) {
  ap_resting *resting = s->sorted;
  bool friction = set_motion(resting, s);
  frictionless(resting, s);
  for (int i = 0; i < s->n; i++) {
    keep[i] = s->response[3 * i] <= ROUNDING * ap__contact_largest(s->b, 3 * s->n);
    resting[i].sticks = false;
  }
  memcpy(s->sweep, s->force, 3 * (size_t)s->n * sizeof *s->sweep);
  bool found = !friction || look_for_modes(resting, keep, s);
  for (int i = 0; i < s->n; i++)
    ap__contact_direction(&s->place[i], s->place[i].slip, resting[i].slip);
  return found;
}

ap_status ap__contact_modes(ap_plant *p, const double *q, const double *v, const double *tau, int n,
                            ap_resting *resting, bool *keep, void *scratch) {
  contact_system s;
  bool found = true;
  ap__contact_layout(p->m, n, scratch, &s);
  ap_status status = ap__contact_state(p, q, v, tau, resting, &s);
  if (status != AP_OK) return status;
  for (int k = 0; k < s.nisland; k++) found = modes_of(&s.island[k], s.kept + s.start[k]) && found;
  for (int i = 0; i < n; i++) keep[s.order[i]] = s.kept[i];
  ap__contact_join(&s, resting);
  return found ? AP_OK : AP_E_NO_CONVERGENCE;
}
