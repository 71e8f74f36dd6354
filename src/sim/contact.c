// SPDX-License-Identifier: Apache-2.0
#include "contact.h"

#include <math.h>
#include <string.h>

#include "contact_system.h"

size_t ap__contact_scratch(const ap_model *m, int n) {
  contact_system s;
  return ap__contact_layout(m, n, NULL, &s);
}

void ap__contact_forget(void *scratch) {
  ap_arena a = ap__arena(scratch); // as ap__contact_layout() begins
  contact_memo *memo = AP_TAKE(&a, contact_memo, 1);
  memo->n = memo->sorted = -1;
}

// ---- accelerations -----------------------------------------------------------------------------

// A point is sure to stop where what turns it leaves so much of the square of its deceleration:
// friction is then well above what drives it, whatever its direction.
static const double SURE = 0.5;

// How long friction takes to stop a point that slides. Beside an acceleration a, and with r that of
// friction, a velocity u at an angle to a keeps
//
//   d/dt (u r + u cos a) = a^2 - r^2,   so that it stops after u (r + a cos) / (r^2 - a^2);
//
// with b along and c across, the slowing and the turning of the two together, that is
//   u (2 r - b) / (b (2 r - b) - c^2).
static double time_to_stop(const contact_place *place, const double *response, double r) {
  const double *v = place->velocity + 1;
  double speed = hypot(v[0], v[1]), b = -(response[1] * v[0] + response[2] * v[1]) / speed;
  double c = (response[2] * v[0] - response[1] * v[1]) / speed, room = b * (2 * r - b);
  if (!(speed > 0 && b > 0 && c * c <= SURE * room)) return INFINITY;
  return speed * (2 * r - b) / (room - c * c);
}

static void report(const contact_system *s, int i, double least, ap_resting *r) {
  const contact_place *place = &s->place[i];
  const double *f = s->force + 3 * i, *slip = place->slip, *W = s->W + 3 * i * 3 * s->n + 3 * i;
  for (int k = 0; k < 3; k++)
    r->force[k] = place->frame[0][k] * f[0] + place->frame[1][k] * f[1] + place->frame[2][k] * f[2];
  memcpy(r->place, place->at, sizeof r->place);
  r->normal_force = f[0];
  r->margin = r->sticks ? ap__contact_margin(r->stiction, f) : 0;
  r->least = least;
  r->speed = place->along;
  r->rub = 0.5 * r->friction * fmax(f[0], 0) * (W[3 * s->n + 1] + W[6 * s->n + 2]);
  if (r->follows && !r->sticks) {
    r->speed = slip[0] * place->velocity[1] + slip[1] * place->velocity[2];
    ap__contact_direction(place, slip, r->slip);
  }
  const double *a = s->response + 3 * i;
  r->hurry = r->sticks ? 0 : hypot(a[1], a[2]);
  r->slows = s->response[3 * i + 1] * place->slip[0] + s->response[3 * i + 2] * place->slip[1] < 0;
  bool turns = r->kind == AP_REST_POINT || r->kind == AP_REST_ROLL;
  r->stops_in = !r->sticks && turns && r->friction > 0
                    ? time_to_stop(place, s->response + 3 * i, r->rub)
                    : INFINITY;
  r->gap = place->gap;
  r->power = r->sticks || (r->kind != AP_REST_POINT && !ap__rest_turns(r->kind))
                 ? 0
                 : -(f[1] * place->velocity[1] + f[2] * place->velocity[2]);
  r->driven = r->pose || r->mount
                  ? f[0] * place->wall[0] + f[1] * place->wall[1] + f[2] * place->wall[2]
                  : 0;
}

// The same of an island.
static double amplified(contact_system *s) {
  const ap_resting *resting = s->sorted;
  double with = 0, without = 0;
  for (int i = 0; i < s->n; i++)
    if (!resting[i].sticks && resting[i].friction > 0) with = fmax(with, fabs(s->force[3 * i]));
  if (with == 0) return 0;
  int unknowns = ap__contact_unknowns(resting, NULL, false, s);
  ap__contact_factor(resting, unknowns, false, s);
  for (int c = 0; c < unknowns; c++) s->rhs[c] = -s->b[s->row[c]];
  ap__contact_solve(s);
  for (int c = 0; c < unknowns; c++)
    if (s->row[c] % 3 == 0) without = fmax(without, fabs(s->x[c]));
  return without > 1e-12 * with ? with / without : 0; // less is rounding
}

double ap__contact_amplified(const ap_model *m, int n, const ap_resting *resting, void *scratch) {
  contact_system s;
  double most = 0;
  bool slides = false;
  for (int i = 0; i < n; i++) slides |= !resting[i].sticks && resting[i].friction > 0;
  if (!slides) return 0;
  ap__contact_layout(m, n, scratch, &s);
  for (int k = 0; k < s.memo->nisland; k++) most = fmax(most, amplified(&s.island[k]));
  return most;
}

// Part of the largest force, and of what holds the largest acceleration, that is none.
static const double NO_FORCE = 1e-9;
// Part of the acceleration without contacts that is none.
static const double ROUNDING = 1e-13;
// The same of a robot that nothing moves, whose contacts may depend on each other.
static const double REST = 1e-12;

static double least_force(const contact_system *s) {
  double force = 0;
  for (int r = 0; r < 3 * s->n; r++) {
    double W = s->W[r * 3 * s->n + r];
    force = fmax(force, fabs(s->force[r]));
    if (W > 0) force = fmax(force, fabs(s->b[r]) / W);
  }
  return NO_FORCE * force;
}

// Joints that stops or brakes hold do not accelerate: what elimination leaves is rounding, which
// would add up while nothing else moves.
static void hold_joints(const contact_system *s, double *a) {
  for (int i = 0; i < s->n; i++) {
    const ap_resting *r = &s->sorted[i];
    bool held = r->kind == AP_REST_STOP || (r->kind == AP_REST_BRAKE && r->sticks);
    if (!held) continue;
    if (fabs(a[r->v]) <= ROUNDING * fabs(s->v[r->v])) a[r->v] = 0;
  }
}

// Robots of an island at rest that accelerate by no more than rounding stay at rest.
static void hold_rest(const contact_system *all, const contact_system *s, const double *v,
                      double *a) {
  double most = 0;
  for (int i = 0; i < s->n; i++) CONTACT_PATH(s, i, k) if (fabs(v[k]) > AP__CONTACT_STILL) return;
  for (int i = 0; i < s->n; i++) CONTACT_PATH(s, i, k) most = fmax(most, fabs(all->v[k]));
  for (int i = 0; i < s->n; i++) CONTACT_PATH(s, i, k) if (fabs(a[k]) > REST * most) return;
  for (int i = 0; i < s->n; i++) CONTACT_PATH(s, i, k) a[k] = 0;
}

ap_status ap__contact_accelerations(ap_plant *p, const double *q, const double *v,
                                    const double *tau, int n, ap_resting *resting, double *a,
                                    void *scratch) {
  contact_system s;
  ap__contact_layout(p->m, n, scratch, &s);
  ap_status status = ap__contact_state(p, q, v, tau, resting, &s);
  if (status != AP_OK) return status;
  for (int k = 0; k < s.nisland; k++) {
    ap__contact_forces(s.island[k].sorted, NULL, &s.island[k]);
    ap__contact_follow(s.island[k].sorted, NULL, &s.island[k]);
  }
  ap__contact_accelerate(&s, a);
  hold_joints(&s, a);
  for (int k = 0; k < s.nisland; k++) {
    const contact_system *island = &s.island[k];
    double least = least_force(island);
    hold_rest(&s, island, v, a);
    for (int i = 0; i < island->n; i++) report(island, i, least, &island->sorted[i]);
  }
  ap__contact_join(&s, resting);
  return AP_OK;
}

// Row c of B: what the unknown of row[c] does to all accelerations, with the other sign.
static void respond_along(const double *mobility, int c, contact_system *s) {
  const int nv = s->nv, i = s->row[c] / 3, d = s->row[c] % 3;
  double *B = s->B + c * nv, *J = s->jacobian; // of the path alone
  memset(B, 0, (size_t)nv * sizeof *B);
  for (int k = 0; k < s->npath[i]; k++)
    J[k] = s->J[CONTACT_LANES * (i * nv + s->path[i * nv + k]) + d];
  s->through->subtract(nv, s->npath[i], J, 1, s->path + i * nv, mobility, B);
}

// B of the unknowns of an island, and the forces X that undo it.
static void solve_response(const double *mobility, contact_system *s) {
  int unknowns = ap__contact_unknowns(s->sorted, NULL, false, s);
  ap__contact_factor(s->sorted, unknowns, false, s);
  for (int c = 0; c < unknowns; c++) respond_along(mobility, c, s);
  ap__contact_solve_many(s, s->nv, s->B, s->X);
}

ap_status ap__contact_mobility(ap_plant *p, const double *q, int n, const ap_resting *resting,
                               double *mobility, void *scratch) {
  contact_system own, *s = &own;
  ap__contact_layout(p->m, n, scratch, s);
  ap_status status =
      ap__contact_known(p, q, resting, s) ? AP_OK : ap__contact_gather(p, q, NULL, resting, s);
  if (status != AP_OK) return status;
  p->kind->mobility(p, &s->responds, mobility);
  int nv = s->nv;
  for (int k = 0; k < s->nisland; k++) solve_response(mobility, &s->island[k]);
  for (int k = 0; k < s->nisland; k++) {
    const contact_system *island = &s->island[k];
    for (int i = 0; i < nv; i++)
      s->through->subtract(nv, island->unknowns, island->B + i, nv, NULL, island->X,
                           mobility + i * nv);
  }
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < i; j++) mobility[j * nv + i] = mobility[i * nv + j];
  return AP_OK;
}

// ---- projection --------------------------------------------------------------------------------

enum { NEWTON_STEPS = 30 };
// m: where Newton's steps stop. A point's place has rounding of about this much at arm's length.
static const double ON_THE_WALL = 1e-15;

// change [nv] = -M^-1 J^T (J M^-1 J^T)^+ rhs over the unknowns' rows, which are factored; an
// island's alone.
static void smallest_change(contact_system *s, double *change) {
  memset(s->force, 0, 3 * (size_t)s->n * sizeof *s->force);
  for (int k = 0; k < s->nisland; k++) {
    contact_system *island = &s->island[k];
    ap__contact_solve(island);
    for (int c = 0; c < island->unknowns; c++) island->force[island->row[c]] = -island->x[c];
  }
  ap__contact_push(s, 3 * s->n, NULL, s->force, change);
}

// The gaps at s->q, into rhs over the unknowns; returns the widest.
static double gaps_of(contact_system *s) {
  double widest = 0;
  int unknowns = ap__contact_unknowns(s->sorted, NULL, true, s);
  for (int c = 0; c < unknowns; c++) {
    s->rhs[c] = s->place[s->row[c] / 3].gap;
    if (!(fabs(s->rhs[c]) <= widest)) widest = fabs(s->rhs[c]);
  }
  return widest;
}

// Those of all islands.
static double all_gaps(const contact_system *s) {
  double widest = 0;
  for (int k = 0; k < s->nisland; k++) {
    double own = gaps_of(&s->island[k]);
    if (!(own <= widest)) widest = own;
  }
  return widest;
}

// A step of Newton's method that made the gaps smaller by less than this asks for new directions.
static const double SLOW = 1e-2;

// Newton's method for the gaps, in s->q. The directions of the first step serve for the next ones
// as long as these converge fast. Ends where the gaps are closed or no step makes them smaller:
// points that cannot all touch are left as near as they come, in the sense of least squares.
static ap_status close_gaps(ap_plant *p, const ap_resting *resting, contact_system *s) {
  double before = INFINITY;
  bool directions = false;
  for (int step = 0; step < NEWTON_STEPS; step++) {
    bool known = directions || ap__contact_known(p, s->q, resting, s);
    ap_status status = known ? AP_OK : ap__contact_gather(p, s->q, NULL, resting, s);
    if (status == AP_OK && directions) status = ap__contact_gaps(p, s->q, s);
    if (status != AP_OK) return status;
    double widest = all_gaps(s);
    if (!isfinite(widest)) return AP_E_NO_CONVERGENCE;
    if (widest >= before) {
      memcpy(s->q, s->best, (size_t)s->nq * sizeof *s->q);
      return AP_OK;
    }
    if (widest <= ON_THE_WALL) return AP_OK;
    if (directions && widest > SLOW * before) {
      directions = false;
      continue;
    }
    for (int k = 0; k < s->nisland && !directions; k++)
      ap__contact_factor(s->island[k].sorted, s->island[k].first[s->island[k].n], false,
                         &s->island[k]);
    directions = true;
    before = widest;
    memcpy(s->best, s->q, (size_t)s->nq * sizeof *s->q);
    smallest_change(s, s->free);
    ap_integrate(p->m, s->q, s->free, s->q);
    status = ap__plant_settle(p, s->q, NULL);
    if (status != AP_OK) return status;
  }
  return AP_OK;
}

// The velocities along the unknowns' rows of an island, relative to the walls, which should vanish:
// into rhs, and into old.
static void leaving_velocities(const double *v, contact_system *s) {
  int unknowns = ap__contact_unknowns(s->sorted, NULL, false, s);
  ap__contact_factor(s->sorted, unknowns, false, s);
  for (int c = 0; c < unknowns; c++) {
    int i = s->row[c] / 3, d = s->row[c] % 3;
    s->rhs[c] = ap__contact_velocity(s, s->row[c], v);
    if (s->sorted[i].pose || s->sorted[i].mount) s->rhs[c] -= s->place[i].wall[d];
    s->old[c] = s->rhs[c];
  }
}

// What the impulses s->x of an island take, half of them times the velocities, and what walls do.
static void add_losses(const contact_system *s, double *lost, double *driven) {
  double sum = 0;
  for (int c = 0; c < s->unknowns; c++) {
    int i = s->row[c] / 3, d = s->row[c] % 3;
    sum += 0.5 * s->old[c] * s->x[c];
    if (s->sorted[i].pose || s->sorted[i].mount) *driven -= s->place[i].wall[d] * s->x[c];
  }
  *lost += fmax(sum, 0);
}

ap_status ap__contact_project(ap_plant *p, double *q, double *v, int n, const ap_resting *resting,
                              void *scratch, double *lost) {
  double driven;
  return ap__contact_return(p, q, v, n, resting, scratch, lost, &driven);
}

ap_status ap__contact_return(ap_plant *p, double *q, double *v, int n, const ap_resting *resting,
                             void *scratch, double *lost, double *driven) {
  contact_system s;
  ap__contact_layout(p->m, n, scratch, &s);
  memcpy(s.q, q, (size_t)s.nq * sizeof *q);
  ap_status status = close_gaps(p, resting, &s);
  if (status == AP_OK) status = ap__plant_settle(p, s.q, v);
  if (status == AP_OK && !ap__contact_known(p, s.q, resting, &s))
    status = ap__contact_gather(p, s.q, NULL, resting, &s);
  if (status != AP_OK) return status;
  for (int k = 0; k < s.nisland; k++) leaving_velocities(v, &s.island[k]);
  smallest_change(&s, s.v);
  *lost = *driven = 0;
  for (int k = 0; k < s.nisland; k++) add_losses(&s.island[k], lost, driven);
  for (int j = 0; j < s.nv; j++) v[j] += s.v[j];
  memcpy(q, s.q, (size_t)s.nq * sizeof *q);
  return AP_OK;
}
