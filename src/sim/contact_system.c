// SPDX-License-Identifier: Apache-2.0
#include "contact_system.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "impact/surface.h"
#include "kin/point.h"
#include "model/frozen.h"
#include "num/vec3.h"
#include "sim/contact_meeting.h"

size_t ap__contact_layout(const ap_model *m, int n, void *scratch, contact_system *s) {
  ap_arena a = ap__arena(scratch);
  size_t nv = (size_t)ap_nv(m), rows = 3 * (size_t)n;
  contact_memo *memo = AP_TAKE(&a, contact_memo, 1); // before all whose place depends on n
  contact_system *laid = AP_TAKE(&a, contact_system, 1);
  double *known = AP_TAKE(&a, double, ap_nq(m));
  if (scratch && memo->laid == laid && memo->model == m && laid->n == n) {
    *s = *laid;
    return 0;
  }
  *s = (contact_system){.n = n, .nv = ap_nv(m), .nq = ap_nq(m), .memo = memo};
  s->through = ap__rows_of_factor();
  if (scratch) *memo = (contact_memo){.n = -1, .sorted = -1, .laid = laid, .model = m, .q = known};
  s->sorted = AP_TAKE(&a, ap_resting, n);
  s->island = AP_TAKE(&a, contact_system, n + 1);
  int **counts[] = {&s->order, &s->start, &s->group, &s->member,
                    &s->near,  &s->first, &s->core,  &s->column};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    *counts[i] = AP_TAKE(&a, int, 2 * (size_t)n + 1);
  s->tree = AP_TAKE(&a, int, 2 * (size_t)n);
  s->span = AP_TAKE(&a, contact_span, (size_t)n * (size_t)(n / 2 + 1));
  s->key = AP_TAKE(&a, contact_key, n);
  s->label = AP_TAKE(&a, int, 3 * nv + 1 + 4 * (size_t)n);
  s->last = AP_TAKE(&a, int, rows);
  double **wide[] = {&s->left, &s->right, &s->block};
  for (int i = 0; i < 3; i++) *wide[i] = AP_TAKE(&a, double, CONTACT_WRENCH *rows);
  s->place = AP_TAKE(&a, contact_place, n);
  s->responds.P = AP_TAKE(&a, double, nv *nv);
  s->responds.next = AP_TAKE(&a, int, nv);
  s->path = AP_TAKE(&a, int, (size_t)n *nv);
  s->npath = AP_TAKE(&a, int, n);
  s->run = AP_TAKE(&a, int, nv);
  s->turn = AP_TAKE(&a, int, 2 * (size_t)n);
  s->J = AP_TAKE_ALIGNED(&a, double, CONTACT_LANES *(size_t)n *nv);
  s->Y = AP_TAKE_ALIGNED(&a, double, CONTACT_LANES *(size_t)n *nv);
  s->B = AP_TAKE(&a, double, rows *nv);
  s->X = AP_TAKE(&a, double, rows *nv);
  double **square[] = {&s->W, &s->qr.A, &s->N};
  for (int i = 0; i < 3; i++) *square[i] = AP_TAKE(&a, double, rows *rows);
  double **each[] = {&s->b,     &s->force, &s->base,    &s->apart,   &s->response,
                     &s->scale, &s->x,     &s->y,       &s->rhs,     &s->old,
                     &s->sweep, &s->small, &s->qr.left, &s->qr.right};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) *each[i] = AP_TAKE(&a, double, rows);
  s->qr.spare = AP_TAKE(&a, double, rows + CONTACT_WRENCH);
  s->friction = AP_TAKE(&a, double, n);
  s->way = AP_TAKE(&a, double, 2 * n);
  ap__polygon_take(&a, n, &s->polygon);
  s->still = AP_TAKE(&a, bool, n);
  s->passive = AP_TAKE(&a, bool, n);
  s->points = AP_TAKE(&a, bool, n);
  s->kept = AP_TAKE(&a, bool, n);
  s->row = AP_TAKE(&a, int, rows);
  s->qr.pivot = AP_TAKE(&a, int, rows);
  s->free = AP_TAKE(&a, double, nv);
  s->jacobian = AP_TAKE(&a, double, 6 * nv);
  s->q = AP_TAKE(&a, double, ap_nq(m));
  s->best = AP_TAKE(&a, double, ap_nq(m));
  s->v = AP_TAKE(&a, double, nv);
  if (scratch) *laid = *s;
  return ap__arena_size(&a);
}

// ---- places ------------------------------------------------------------------------------------

// The first across the axis that the normal is least along.
void ap__contact_tangents(contact_place *place) {
  double(*frame)[3] = place->frame;
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

// x of the wall, along it where its normal is n.
static void along_grain(const ap_resting *r, const double n[3], double along[3]) {
  const ap_wall_pose *pose = r->mount ? r->mount : r->pose;
  ap__surface_along(r->grain, pose ? pose->R : NULL, n, along);
}

// The first tangent along x of the wall.
static void stretch_tangents(const ap_resting *r, contact_place *place) {
  along_grain(r, place->frame[0], place->frame[1]);
  cross3(place->frame[0], place->frame[1], place->frame[2]);
  for (int i = 0; i < 3; i++) place->frame[2][i] *= r->across;
  place->across = r->across;
}

void ap__contact_unstretch(const ap_resting *r, const double normal[3], double along[3]) {
  double x[3], y[3];
  along_grain(r, normal, x);
  cross3(normal, x, y);
  double a = dot3(along, x), b = dot3(along, y) / (r->across * r->across);
  for (int k = 0; k < 3; k++) along[k] = a * x[k] + b * y[k];
}

void ap__contact_direction(const contact_place *place, const double slip[2], double world[3]) {
  double second = slip[1] / (place->across * place->across);
  for (int k = 0; k < 3; k++) world[k] = place->frame[1][k] * slip[0] + place->frame[2][k] * second;
}

// The gap of a point at p.
static void gap_of(const ap_resting *r, const double p[3], ap_gap *gap) {
  if (!r->pose) {
    ap__surface_face_gap(r->surface, r->face, p, gap);
    return;
  }
  double rest[3];
  ap__pose_point(r->pose, p, rest);
  ap__surface_face_gap(r->surface, r->face, rest, gap);
  ap__pose_gap(r->pose, gap);
}

// Frame and gap of a point at p; returns v^T H v / |grad c|.
static double meet_wall(const ap_resting *r, const double p[3], const double v[3],
                        contact_place *place) {
  ap_gap gap;
  gap_of(r, p, &gap);
  double slope = norm3(gap.gradient);
  const double *H = gap.hessian;
  for (int i = 0; i < 3; i++) place->frame[0][i] = gap.gradient[i] / slope;
  ap__contact_tangents(place);
  place->across = 1;
  if (r->across > 0) stretch_tangents(r, place);
  place->gap = gap.c / slope;
  return (H[0] * v[0] * v[0] + H[3] * v[1] * v[1] + H[5] * v[2] * v[2] +
          2 * (H[1] * v[0] * v[1] + H[2] * v[0] * v[2] + H[4] * v[1] * v[2])) /
         slope;
}

// The direction of sliding: that of the velocity, or the direction kept where it has turned away
// from it; that is kept through a stop, so that the speed along it passes through zero and the
// forces go on smoothly.
void ap__contact_set_slip(const ap_resting *r, contact_place *place) {
  double kept[2] = {dot3(r->slip, place->frame[1]), dot3(r->slip, place->frame[2])};
  const double *v = place->velocity + 1;
  if (r->sticks) { // nor does it have one
    place->slip[0] = kept[0], place->slip[1] = kept[1];
    place->along = sqrt(v[0] * v[0] + v[1] * v[1]);
    return;
  }
  double length = hypot(kept[0], kept[1]), speed = hypot(v[0], v[1]);
  for (int k = 0; k < 2 && length > 0; k++) kept[k] /= length;
  place->along = length > 0 ? kept[0] * v[0] + kept[1] * v[1] : speed;
  bool moves = place->along > 0 && !r->follows;
  for (int k = 0; k < 2; k++) place->slip[k] = moves ? v[k] / speed : kept[k];
}

static double larger(double a, double b) { return a > b ? a : b; }

// Where mimic joints tie columns: those of the Jacobian of a link, at the end of an arm, times
// sign.
static double add_contracted(const ap_plant *p, int link, const double arm[3], double sign, int i,
                             contact_system *s) {
  const int nv = s->nv;
  const double(*frame)[3] = (const double(*)[3])s->place[i].frame, lever = norm3(arm);
  double *J = s->J + CONTACT_LANES * i * nv, reach = 0;
  ap_frame_jacobian(p->m, p->w, link, AP_MIXED, s->jacobian);
  for (int k = ap__contact_start_of(p->m, link); k >= 0; k = s->responds.next[k]) {
    const double *c = s->jacobian + k, turn[3] = {c[3 * nv], c[4 * nv], c[5 * nv]};
    double move[3];
    cross3(turn, arm, move);
    for (int d = 0; d < 3; d++) {
      double straight = c[d * nv];
      move[d] += straight;
      reach = larger(reach, larger(fabs(straight), lever * fabs(turn[d])));
    }
    for (int d = 0; d < 3; d++) J[CONTACT_LANES * k + d] += sign * dot3(frame[d], move);
  }
  return reach;
}

// Adds the rows of a link at the end of an arm, times sign, to those of contact i; with `anew`
// these are all that there are. Returns a length of which they have the rounding error.
static double add_columns(const ap_plant *p, int link, const double arm[3], double sign, bool anew,
                          int i, contact_system *s) {
  double *J = s->J + CONTACT_LANES * i * s->nv, along[9];
  if (model_has_mimic(p->m)) return add_contracted(p, link, arm, sign, i, s);
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < 3; k++) along[3 * d + k] = sign * s->place[i].frame[d][k];
  return ap__point_rows(p->m, p->w, link, arm, along, !anew, J);
}

// The columns of a contact of a link at the end of an arm, and of one that carries the wall, at the
// end of its own (NULL: none). A direction in which the point cannot move at all, as across the
// plane of a planar robot, has a row of rounding alone: no force along it does anything. Nor do
// joints that move both links.
static void gather_columns(const ap_plant *p, const ap_resting *r, const double arm[3],
                           const double *other, int i, contact_system *s) {
  double own[3] = {0}, *J = s->J + CONTACT_LANES * i * s->nv;
  // the path of one link of a tree has no other columns
  const bool anew = !other && s->responds.factor && !model_has_mimic(p->m);
  CONTACT_PATH(s, i, k)
  for (int d = 0; d < CONTACT_LANES && !anew; d++) J[CONTACT_LANES * k + d] = 0;
  double reach = add_columns(p, r->body, arm, 1, anew, i, s);
  if (other) reach = larger(reach, add_columns(p, r->carrier, other, -1, false, i, s));
  CONTACT_PATH(s, i, k) {
    double *x = &J[CONTACT_LANES * k];
    for (int d = 0; d < 3 && other; d++)
      if (fabs(x[d]) <= 1e-14 * reach) x[d] = 0;
    for (int d = 0; d < 3; d++) own[d] = larger(own[d], fabs(x[d]));
  }
  for (int d = 0; d < 3; d++) {
    if (own[d] > 1e-14 * reach) continue;
    CONTACT_PATH(s, i, k) J[CONTACT_LANES * k + d] = 0;
  }
}

void ap__contact_set_path(int one, int other, int i, contact_system *s) {
  const int *next = s->responds.next;
  int n = 0, *path = s->path + i * s->nv;
  while (one >= 0 || other >= 0) {
    int k = one > other ? one : other;
    path[n++] = k;
    if (one == k) one = next[one];
    if (other == k) other = next[other];
  }
  s->npath[i] = n;
}

// A joint at its stop, or with its brake, as a point whose normal, or whose first tangent, is the
// motion of the joint.
static void gather_joint(const ap_resting *r, int i, const double *v, contact_system *s) {
  contact_place *place = &s->place[i];
  int row = r->kind == AP_REST_STOP ? 0 : 1;
  *place = (contact_place){.frame = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .across = 1};
  double *J = s->J + CONTACT_LANES * i * s->nv;
  ap__contact_set_path(r->v, -1, i, s);
  CONTACT_PATH(s, i, k) memset(J + CONTACT_LANES * k, 0, CONTACT_LANES * sizeof *J);
  J[CONTACT_LANES * r->v + row] = r->way;
  memset(s->b + 3 * i, 0, 3 * sizeof *s->b);
  place->velocity[row] = v ? r->way * v[r->v] : 0;
  place->along = r->slip[1] * place->velocity[1];
  place->slip[0] = r->slip[1];
}

// With mimic joints, which tie branches, at the last place.
int ap__contact_start_of(const ap_model *m, int link) {
  const ap_joint *j = &m->joint[m->mover[link]];
  if (m->nvi != m->nv) return m->nv - 1;
  return m->mover[link] ? j->v + j->nv - 1 : -1;
}

// The place of a contact of shapes, from the kinematics in the work. False where a trial goes so
// far that features have no place of contact.
static bool see_shapes(const ap_plant *plant, const ap_resting *r, contact_meeting *c,
                       contact_place *place) {
  ap__contact_meet(plant->m, plant->w, r, true, c);
  if (!isfinite(c->gap)) return false;
  for (int k = 0; k < 3; k++) place->frame[0][k] = c->normal[k];
  ap__contact_tangents(place);
  place->across = 1;
  if (r->across > 0) stretch_tangents(r, place);
  place->gap = c->gap;
  memcpy(place->at, c->place, sizeof place->at);
  for (int d = 0; d < 3; d++) place->velocity[d] = dot3(place->frame[d], c->velocity);
  ap__contact_set_slip(r, place);
  return true;
}

// A contact of shapes: place of contact, velocities and accelerations there. What has no place
// fails here, before anything remembers it.
static ap_status gather_shapes(const ap_plant *plant, const ap_resting *r, int i,
                               contact_system *s) {
  contact_place *place = &s->place[i];
  contact_meeting c;
  if (!see_shapes(plant, r, &c, place)) return AP_E_NO_CONVERGENCE;
  ap__contact_set_path(ap__contact_start_of(plant->m, r->body),
                       r->carrier ? ap__contact_start_of(plant->m, r->carrier) : -1, i, s);
  gather_columns(plant, r, c.arm, r->carrier ? c.other : NULL, i, s);
  for (int d = 0; d < 3; d++) {
    place->wall[d] = r->pose || r->mount ? dot3(place->frame[d], c.wall) : 0;
    s->b[3 * i + d] = d == 0 ? c.bend : dot3(place->frame[d], c.pull);
  }
  return AP_OK;
}

static bool has_shapes(const ap_resting *r) { return r->carrier || r->edges || r->radius > 0; }

// The place of a point, from the kinematics in the work; seen: its motion relative to the wall.
// Returns what bends the wall, as meet_wall().
static double see_point(const ap_resting *r, ap_point *seen, contact_place *place) {
  double *p = seen->p, *v = seen->v, wall[3] = {0};
  if (r->pose) {
    ap__pose_relative(r->pose, p, v, seen->acc);
    ap__pose_velocity(r->pose, p, wall);
    for (int k = 0; k < 3; k++) v[k] -= wall[k];
  }
  double bend = meet_wall(r, p, v, place);
  memcpy(place->at, p, sizeof place->at);
  for (int d = 0; d < 3; d++) {
    place->velocity[d] = dot3(place->frame[d], v);
    place->wall[d] = r->pose ? dot3(place->frame[d], wall) : 0;
  }
  ap__contact_set_slip(r, place);
  return bend;
}

double ap__contact_along(const ap_plant *p, const double *q, const double *v, const ap_resting *r) {
  contact_place place;
  contact_meeting c;
  ap_point seen;
  ap_kinematics(p->m, p->w, q, v, NULL);
  if (has_shapes(r)) {
    if (!see_shapes(p, r, &c, &place)) return 0;
  } else if (ap__point(p->m, p->w, r->body, r->at, &seen) == AP_OK) {
    see_point(r, &seen, &place);
  } else {
    return 0;
  }
  return place.along;
}

// Place of point i, its rows of J, velocity and the acceleration due to velocities.
static ap_status gather_point(const ap_plant *plant, const ap_resting *r, int i,
                              contact_system *s) {
  const ap_model *m = plant->m;
  contact_place *place = &s->place[i];
  ap_point seen;
  if (r->body >= ap_nbody(m) || ap__point(m, plant->w, r->body, r->at, &seen) != AP_OK)
    return AP_E_ARG;
  if (has_shapes(r)) return gather_shapes(plant, r, i, s);
  double bend = see_point(r, &seen, place);
  ap__contact_set_path(ap__contact_start_of(m, r->body), -1, i, s);
  gather_columns(plant, r, seen.arm, NULL, i, s);
  for (int d = 0; d < 3; d++)
    s->b[3 * i + d] = dot3(place->frame[d], seen.acc) + (d == 0 ? bend : 0);
  return AP_OK;
}

// ---- Delassus ----------------------------------------------------------------------------------

// The rows of point i as the factor takes them.
static ap__factor_path path_of(int i, const contact_system *s) {
  const int at = CONTACT_LANES * i * s->nv;
  return (ap__factor_path){s->npath[i], s->path + i * s->nv, s->J + at, s->Y + at};
}

// Part of what W's diagonal would be without cancellation that is rounding, where closures hold a
// direction.
static const double HELD = 1e-13;

// J P of the rows of point i; zero where no force along them does anything.
static void respond_of(int i, contact_system *s) {
  const int nv = s->nv;
  const double *J = s->J + CONTACT_LANES * i * nv, *P = s->responds.P;
  double *Y = s->Y + CONTACT_LANES * i * nv, own[3] = {0}, size[3] = {0};
  memset(Y, 0, CONTACT_LANES * (size_t)nv * sizeof *Y);
  CONTACT_PATH(s, i, k)
  for (int j = 0; j < nv; j++)
    for (int d = 0; d < 3; d++)
      Y[CONTACT_LANES * j + d] += P[k * nv + j] * J[CONTACT_LANES * k + d];
  CONTACT_PATH(s, i, k)
  for (int d = 0; d < 3; d++) {
    own[d] += Y[CONTACT_LANES * k + d] * J[CONTACT_LANES * k + d];
    size[d] += fabs(J[CONTACT_LANES * k + d]) * sqrt(P[k * nv + k]); // P_jk^2 <= P_jj P_kk
  }
  for (int d = 0; d < 3; d++)
    for (int k = 0; k < nv && own[d] <= HELD * size[d] * size[d]; k++) Y[CONTACT_LANES * k + d] = 0;
}

// The block of points i and c, c being none after i, from the response of i.
static void meet_response(int i, int c, const contact_system *s, double block[3][CONTACT_LANES]) {
  const int nv = s->nv, rows = 3 * s->n;
  const double *Y = s->Y + CONTACT_LANES * i * nv, *J = s->J + CONTACT_LANES * c * nv;
  CONTACT_PATH(s, c, k)
  for (int d = 0; d < 3; d++)
    for (int e = 0; e < 3; e++) block[d][e] += Y[CONTACT_LANES * k + d] * J[CONTACT_LANES * k + e];
  for (int d = 0; d < 3; d++)
    for (int e = 0; e < (c < i ? 3 : d); e++) {
      double own = c < i ? s->W[(3 * c + e) * rows + 3 * c + e] : block[e][e];
      if (own == 0) block[d][e] = 0; // it is held
    }
}

// The blocks of point i with those before it that bodies couple with it, and with itself.
static void gather_blocks(int i, contact_system *s) {
  int rows = 3 * s->n;
  bool halves = s->responds.factor;
  const ap__factor_path own = path_of(i, s);
  if (halves)
    s->through->halve(s->nv, s->responds.P, s->responds.next, &own);
  else
    respond_of(i, s);
  CONTACT_SPANS(s, i, span)
  for (int c = span->from; c < span->to && c <= i; c++) {
    double block[3][CONTACT_LANES] = {{0}};
    const ap__factor_path other = path_of(c, s);
    if (halves)
      s->through->meet(s->nv, s->responds.P, &own, &other, block);
    else
      meet_response(i, c, s, block);
    for (int d = 0; d < 3; d++)
      for (int e = 0; e < (c < i ? 3 : d + 1); e++)
        s->W[(3 * i + d) * rows + 3 * c + e] = s->W[(3 * c + e) * rows + 3 * i + d] = block[d][e];
  }
}

// Places of a path that follow each other are a run; below `run` from k on it goes on at the next
// one of it.
static inline int below(const contact_system *s, int k) { return s->responds.next[s->run[k]]; }

static void find_runs(contact_system *s) {
  for (int k = 0; k < s->nv; k++)
    s->run[k] = k > 0 && s->responds.next[k] == k - 1 ? s->run[k - 1] : k;
}

// x := L^-T x, and x := L^-1 D^-1 x: both halves of the response of a factor.
static void push_half(const contact_system *s, double *x) {
  const int nv = s->nv;
  for (int k = nv - 1; k >= 0; k--) {
    const double *L = s->responds.P + k * nv, y = x[k];
    for (int j = s->responds.next[k]; j >= 0 && y != 0; j = below(s, j))
      for (int i = s->run[j]; i <= j; i++) x[i] -= L[i] * y;
  }
}

// The second one of two vectors side by side.
static void push_rest(const contact_system *s, double *x, double *y) {
  const int nv = s->nv;
  for (int k = 0; k < nv; k++) {
    const double *L = s->responds.P + k * nv;
    double one = L[k] * x[k], two = L[k] * y[k];
    for (int j = s->responds.next[k]; j >= 0; j = below(s, j))
      for (int i = j; i >= s->run[j]; i--) one -= L[i] * x[i], two -= L[i] * y[i];
    x[k] = one, y[k] = two;
  }
}

void ap__contact_accelerate(contact_system *s, double *a) {
  const int nv = s->nv;
  memcpy(s->v, s->free, (size_t)nv * sizeof *a);
  if (!s->responds.factor) {
    ap__contact_push(s, 3 * s->n, NULL, s->force, a);
    for (int j = 0; j < nv; j++) a[j] += s->free[j];
    return;
  }
  memset(a, 0, (size_t)nv * sizeof *a);
  for (int i = 0; i < s->n; i++) {
    const double *Y = s->Y + CONTACT_LANES * i * nv, *f = s->force + 3 * i;
    CONTACT_PATH(s, i, k) {
      const double *y = Y + CONTACT_LANES * k;
      a[k] += y[0] * f[0] + y[1] * f[1] + y[2] * f[2];
    }
  }
  push_rest(s, a, s->v);
  for (int j = 0; j < nv; j++) a[j] += s->v[j]; // apart: what balances it leaves nothing
}

double ap__contact_velocity(const contact_system *s, int r, const double *v) {
  const double *J = s->J + CONTACT_LANES * (r / 3) * s->nv + r % 3;
  double sum = 0;
  CONTACT_PATH(s, r / 3, k) sum += J[CONTACT_LANES * k] * v[k];
  return sum;
}

void ap__contact_push(const contact_system *s, int n, const int *row, const double *y, double *x) {
  memset(x, 0, (size_t)s->nv * sizeof *x);
  for (int c = 0; c < n; c++) {
    int r = row ? row[c] : c, i = r / 3, d = r % 3;
    const double *J = s->J + CONTACT_LANES * i * s->nv + d;
    if (y[c] == 0) continue;
    CONTACT_PATH(s, i, k) x[k] += J[CONTACT_LANES * k] * y[c];
  }
  s->plant->kind->push(s->plant, &s->responds, x);
}

// A number that tells sets of contacts apart (FNV-1a of what they are).
static size_t who(const ap_resting *resting, int n) {
  size_t sum = 2166136261u;
  for (int i = 0; i < n; i++) {
    const ap_resting *r = &resting[i];
    const int what[] = {(int)r->kind, r->point, r->wall,    r->face, r->v,
                        r->id,        r->body,  r->carrier, r->host};
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
      sum = (sum ^ (unsigned)what[k]) * 16777619u;
  }
  return sum;
}

// Places, J and W of an island, the response being made.
static ap_status gather_island(const double *q, const double *v, contact_system *s) {
  const ap_plant *p = s->plant;
  ap_status status = AP_OK;
  ap__contact_link_turning(s->sorted, s);
  for (int i = 0; i < s->n && !status; i++) {
    const ap_resting *r = &s->sorted[i];
    if (r->kind == AP_REST_POINT)
      status = gather_point(p, r, i, s);
    else if (ap__rest_turns(r->kind))
      ap__contact_gather_turning(p, r, i, s);
    else
      gather_joint(r, i, v, s);
    if (r->kind == AP_REST_STOP) s->place[i].gap = r->way * q[r->coordinate] - r->limit;
  }
  for (int i = 0; i < s->n && !status; i++) gather_blocks(i, s);
  return status;
}

// The same of all islands.
static ap_status gather(const double *q, const double *v, const ap_resting *resting,
                        contact_system *s) {
  ap_status status = AP_OK;
  const size_t these = who(resting, s->n);
  s->memo->n = -1;
  ap__contact_split(resting, these, s);
  if (s->responds.factor) // of this configuration
    ap__see_again(s->plant->m, s->plant->w, v);
  else
    ap_kinematics(s->plant->m, s->plant->w, q, v, NULL);
  for (int k = 0; k < s->nisland && !status; k++) status = gather_island(q, v, &s->island[k]);
  if (status) return status;
  s->memo->n = s->n;
  s->memo->who = these;
  s->memo->factor = s->responds.factor;
  memcpy(s->memo->q, q, (size_t)s->nq * sizeof *q);
  return AP_OK;
}

bool ap__contact_known(ap_plant *p, const double *q, const ap_resting *resting, contact_system *s) {
  s->plant = p;
  s->responds.n = s->nv;
  s->responds.factor = s->memo->factor;
  size_t these = who(resting, s->n);
  if (s->memo->n != s->n || s->memo->who != these) return false;
  if (memcmp(s->memo->q, q, (size_t)s->nq * sizeof *q) != 0) return false;
  ap__contact_split(resting, these, s);
  return true;
}

ap_status ap__contact_gather(ap_plant *p, const double *q, const double *v,
                             const ap_resting *resting, contact_system *s) {
  s->plant = p;
  ap_status status = p->kind->respond(p, q, NULL, NULL, NULL, &s->responds);
  return status ? status : gather(q, v, resting, s);
}

ap_status ap__contact_gaps(ap_plant *p, const double *q, contact_system *s) {
  s->memo->n = -1; // of what is in the places now, only gaps are of q
  ap_kinematics(p->m, p->w, q, NULL, NULL);
  for (int i = 0; i < s->n; i++) {
    const ap_resting *r = &s->sorted[i];
    double R[9], x[3];
    ap_gap gap;
    if (r->kind == AP_REST_STOP) s->place[i].gap = r->way * q[r->coordinate] - r->limit;
    if (r->kind != AP_REST_POINT) continue;
    if (r->carrier || r->edges || r->radius > 0) {
      contact_meeting c;
      ap__contact_meet(p->m, p->w, r, false, &c);
      s->place[i].gap = c.gap;
      continue;
    }
    ap_status status = ap_frame_pose(p->m, p->w, r->body, R, x);
    if (status != AP_OK) return status;
    for (int k = 0; k < 3; k++) x[k] += dot3(R + 3 * k, r->at);
    gap_of(r, x, &gap);
    s->place[i].gap = gap.c / norm3(gap.gradient);
  }
  return AP_OK;
}

// b += J times the accelerations without contact forces, which is Y D^-1 times half of them.
static void add_free(contact_system *s) {
  const int nv = s->nv;
  const bool halves = s->responds.factor;
  if (halves) find_runs(s);
  if (halves) push_half(s, s->free);
  for (int i = 0; i < s->n; i++) {
    double sum[CONTACT_LANES] = {0};
    const double *J = s->J + CONTACT_LANES * i * nv;
    const ap__factor_path own = path_of(i, s);
    if (halves) s->through->along(nv, s->responds.P, s->free, &own, sum);
    CONTACT_PATH(s, i, k)
    for (int d = 0; d < 3 && !halves; d++) sum[d] += s->free[k] * J[CONTACT_LANES * k + d];
    for (int d = 0; d < 3; d++) s->b[3 * i + d] += sum[d];
  }
}

ap_status ap__contact_state(ap_plant *p, const double *q, const double *v, const double *tau,
                            const ap_resting *resting, contact_system *s) {
  s->plant = p;
  ap_status status = p->kind->respond(p, q, v, tau, s->free, &s->responds);
  if (!status) status = gather(q, v, resting, s);
  if (!status) add_free(s);
  return status;
}
