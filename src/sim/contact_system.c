// SPDX-License-Identifier: Apache-2.0
#include "contact_system.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/vec3.h"

// Part of the longest column of W below which what is left of a column is rounding. W has J twice:
// directions down to 1e-6 of the strongest are told apart.
static const double RANK = 1e-12;

size_t ap__contact_layout(const ap_model *m, int n, void *scratch, contact_system *s) {
  ap_arena a = ap__arena(scratch);
  size_t nv = (size_t)ap_nv(m), rows = 3 * (size_t)n;
  *s = (contact_system){.n = n, .nv = ap_nv(m), .nq = ap_nq(m)};
  s->place = AP_TAKE(&a, contact_place, n);
  s->Minv = AP_TAKE(&a, double, nv *nv);
  s->J = AP_TAKE(&a, double, rows *nv);
  s->B = AP_TAKE(&a, double, rows *nv);
  s->W = AP_TAKE(&a, double, rows *rows);
  s->qr.A = AP_TAKE(&a, double, rows *rows);
  double **each[] = {&s->b,     &s->force,   &s->base,     &s->apart,   &s->response, &s->scale,
                     &s->x,     &s->y,       &s->rhs,      &s->old,     &s->sweep,    &s->swept,
                     &s->small, &s->qr.left, &s->qr.right, &s->qr.spare};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) *each[i] = AP_TAKE(&a, double, rows);
  s->friction = AP_TAKE(&a, double, n);
  s->way = AP_TAKE(&a, double, 2 * n);
  ap__polygon_take(&a, n, &s->polygon);
  s->still = AP_TAKE(&a, bool, n);
  s->passive = AP_TAKE(&a, bool, n);
  s->points = AP_TAKE(&a, bool, n);
  s->row = AP_TAKE(&a, int, rows);
  s->qr.pivot = AP_TAKE(&a, int, rows);
  s->free = AP_TAKE(&a, double, nv);
  s->jacobian = AP_TAKE(&a, double, 6 * nv);
  s->q = AP_TAKE(&a, double, ap_nq(m));
  s->best = AP_TAKE(&a, double, ap_nq(m));
  s->v = AP_TAKE(&a, double, nv);
  return ap__arena_size(&a);
}

// ---- places ------------------------------------------------------------------------------------

// Two tangents to a unit normal, the first across the axis that the normal is least along.
static void set_tangents(double frame[3][3]) {
  const double *n = frame[0];
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  double axis[3] = {k == 0, k == 1, k == 2};
  cross3(n, axis, frame[1]);
  double length = norm3(frame[1]);
  for (int i = 0; i < 3; i++) frame[1][i] /= length;
  cross3(n, frame[1], frame[2]);
}

// Frame and gap of a point at p; returns v^T H v / |grad c|.
static double meet_wall(const ap_surface *surface, const double p[3], const double v[3],
                        contact_place *place) {
  ap_gap gap;
  ap_surface_gap(surface, p, &gap);
  double slope = norm3(gap.gradient);
  const double *H = gap.hessian;
  for (int i = 0; i < 3; i++) place->frame[0][i] = gap.gradient[i] / slope;
  set_tangents(place->frame);
  place->gap = gap.c / slope;
  return (H[0] * v[0] * v[0] + H[3] * v[1] * v[1] + H[5] * v[2] * v[2] +
          2 * (H[1] * v[0] * v[1] + H[2] * v[0] * v[2] + H[4] * v[1] * v[2])) /
         slope;
}

// The direction of sliding: that of the velocity, or the direction kept where it has turned away
// from it; that is kept through a stop, so that the speed along it passes through zero and the
// forces go on smoothly.
static void set_slip(const ap_resting *r, contact_place *place) {
  double kept[2] = {dot3(r->slip, place->frame[1]), dot3(r->slip, place->frame[2])};
  const double *v = place->velocity + 1;
  double length = hypot(kept[0], kept[1]), speed = hypot(v[0], v[1]);
  for (int k = 0; k < 2 && length > 0; k++) kept[k] /= length;
  place->along = length > 0 ? kept[0] * v[0] + kept[1] * v[1] : speed;
  bool moves = place->along > 0 && !r->follows;
  for (int k = 0; k < 2; k++) place->slip[k] = moves ? v[k] / speed : kept[k];
}

// A direction in which the point cannot move at all, as across the plane of a planar robot, has a
// row of rounding alone: no force along it does anything.
static bool is_rounding(const contact_system *s, const double *J, const double arm[3]) {
  double own = 0, reach = 0, lever = norm3(arm);
  for (int j = 0; j < s->nv; j++) {
    own = fmax(own, fabs(J[j]));
    for (int k = 0; k < 6; k++)
      reach = fmax(reach, (k < 3 ? 1 : lever) * fabs(s->jacobian[k * s->nv + j]));
  }
  return own <= 1e-14 * reach;
}

// A joint at its stop, or with its brake, as a point whose normal, or whose first tangent, is the
// motion of the joint.
static void gather_joint(const ap_resting *r, int i, const double *v, contact_system *s) {
  contact_place *place = &s->place[i];
  int row = r->kind == AP_REST_STOP ? 0 : 1;
  *place = (contact_place){.frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  memset(s->J + 3 * i * s->nv, 0, 3 * (size_t)s->nv * sizeof *s->J);
  s->J[(3 * i + row) * s->nv + r->v] = r->way;
  memset(s->b + 3 * i, 0, 3 * sizeof *s->b);
  place->velocity[row] = v ? r->way * v[r->v] : 0;
  place->along = r->slip[1] * place->velocity[1];
  place->slip[0] = r->slip[1];
}

// Place of point i, its rows of J, velocity and the acceleration due to velocities.
static ap_status gather_point(const ap_model *m, ap_work *w, const ap_resting *r, int i,
                              contact_system *s) {
  contact_place *place = &s->place[i];
  double R[9], p[3], twist[6], bias[6], arm[3], spun[3], v[3], a[3], moment[3];
  if (ap_frame_pose(m, w, r->body, R, p) != AP_OK || r->body >= ap_nbody(m)) return AP_E_ARG;
  ap_frame_velocity(m, w, r->body, AP_MIXED, twist);
  ap_frame_jacobian_dot_v(m, w, r->body, AP_MIXED, bias);
  ap_frame_jacobian(m, w, r->body, AP_MIXED, s->jacobian);
  for (int k = 0; k < 3; k++) arm[k] = dot3(R + 3 * k, r->at);
  for (int k = 0; k < 3; k++) p[k] += arm[k];
  cross3(twist + 3, arm, spun); // v = v_o + omega x r, a = a_o + alpha x r + omega x (omega x r)
  for (int k = 0; k < 3; k++) v[k] = twist[k] + spun[k];
  cross3(twist + 3, spun, a);
  cross3(bias + 3, arm, spun);
  for (int k = 0; k < 3; k++) a[k] += bias[k] + spun[k];
  double bend = meet_wall(r->surface, p, v, place);
  for (int d = 0; d < 3; d++) {
    const double *direction = place->frame[d];
    double *J = s->J + (3 * i + d) * s->nv;
    cross3(arm, direction, moment);
    for (int j = 0; j < s->nv; j++) {
      J[j] = 0;
      for (int k = 0; k < 3; k++)
        J[j] += direction[k] * s->jacobian[k * s->nv + j] +
                moment[k] * s->jacobian[(k + 3) * s->nv + j];
    }
    place->velocity[d] = dot3(direction, v);
    s->b[3 * i + d] = dot3(direction, a) + (d == 0 ? bend : 0);
    if (is_rounding(s, J, arm)) memset(J, 0, (size_t)s->nv * sizeof *J);
  }
  set_slip(r, place);
  return AP_OK;
}

// Part of what W's diagonal would be without cancellation that is rounding, where closures hold a
// direction.
static const double HELD = 1e-13;

// Row r of B = J M^-1; zero where no force along it does anything.
static void gather_response(contact_system *s, int r) {
  int nv = s->nv;
  const double *J = s->J + r * nv;
  double *B = s->B + r * nv, own = 0, size = 0;
  for (int j = 0; j < nv; j++) {
    B[j] = 0;
    for (int k = 0; k < nv; k++) B[j] += J[k] * s->Minv[k * nv + j];
    own += B[j] * J[j];
    size += fabs(J[j]) * sqrt(s->Minv[j * nv + j]); // M_jk^2 <= M_jj M_kk
  }
  if (own <= HELD * size * size) memset(B, 0, (size_t)nv * sizeof *B);
}

// B = J M^-1 and W = B J^T.
static void gather_delassus(contact_system *s) {
  int rows = 3 * s->n, nv = s->nv;
  for (int r = 0; r < rows; r++) {
    const double *B = s->B + r * nv;
    gather_response(s, r);
    for (int c = 0; c <= r; c++) {
      double sum = 0;
      bool held = c < r && s->W[c * rows + c] == 0;
      for (int k = 0; k < nv && !held; k++) sum += B[k] * s->J[c * nv + k];
      s->W[r * rows + c] = s->W[c * rows + r] = sum;
    }
  }
}

ap_status ap__contact_gather(ap_plant *p, const double *q, const double *v,
                             const ap_resting *resting, contact_system *s) {
  ap_status status = p->kind->mobility(p, q, s->Minv);
  if (status != AP_OK) return status;
  ap_kinematics(p->m, p->w, q, v, NULL);
  for (int i = 0; i < s->n; i++) {
    if (resting[i].kind == AP_REST_POINT)
      status = gather_point(p->m, p->w, &resting[i], i, s);
    else
      gather_joint(&resting[i], i, v, s);
    const ap_resting *r = &resting[i];
    if (r->kind == AP_REST_STOP) s->place[i].gap = r->way * q[r->coordinate] - r->limit;
    if (status != AP_OK) return status;
  }
  gather_delassus(s);
  return AP_OK;
}

ap_status ap__contact_state(ap_plant *p, const double *q, const double *v, const double *tau,
                            const ap_resting *resting, contact_system *s) {
  ap_status status = p->kind->accelerate(p, q, v, tau, s->free);
  if (status != AP_OK) return status;
  status = ap__contact_gather(p, q, v, resting, s);
  if (status != AP_OK) return status;
  for (int r = 0; r < 3 * s->n; r++)
    for (int j = 0; j < s->nv; j++) s->b[r] += s->J[r * s->nv + j] * s->free[j];
  return AP_OK;
}

// ---- unknowns ----------------------------------------------------------------------------------

int ap__contact_unknowns(const ap_resting *resting, const bool *keep, bool normals,
                         contact_system *s) {
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    if (keep && !keep[i]) continue;
    bool brake = resting[i].kind == AP_REST_BRAKE, sticks = resting[i].sticks && !normals;
    int first = brake ? 1 : 0, directions = brake ? (sticks ? 2 : 0) : sticks ? 3 : 1;
    for (int d = first; d < directions; d++) s->row[count++] = 3 * i + d;
  }
  for (int c = 0; c < count; c++) s->scale[c] = 1;
  return count;
}

// What a unit of the unknown in column c does along direction r.
static double effect(const ap_resting *resting, bool friction, const contact_system *s, int r,
                     int c) {
  const double *W = s->W + r * 3 * s->n + c;
  int i = c / 3;
  if (!friction || resting[i].sticks) return W[0];
  const double *slip = s->place[i].slip;
  return W[0] - resting[i].friction * (slip[0] * W[1] + slip[1] * W[2]);
}

void ap__contact_factor(const ap_resting *resting, int unknowns, bool friction, contact_system *s) {
  s->qr.m = s->qr.n = unknowns;
  for (int r = 0; r < unknowns; r++)
    for (int c = 0; c < unknowns; c++)
      s->qr.A[r * unknowns + c] = s->scale[c] * effect(resting, friction, s, s->row[r], s->row[c]);
  ap__qr_factor(&s->qr, RANK);
}

void ap__contact_solve(contact_system *s) { ap__qr_solve(&s->qr, s->rhs, s->x); }

void ap__contact_residual(const ap_resting *resting, int unknowns, const double *y,
                          contact_system *s) {
  for (int r = 0; r < unknowns; r++) {
    s->rhs[r] = s->base[s->row[r]];
    for (int c = 0; c < unknowns; c++)
      s->rhs[r] += effect(resting, true, s, s->row[r], s->row[c]) * y[c];
  }
}
