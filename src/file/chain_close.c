// SPDX-License-Identifier: Apache-2.0
// Mechanisms of files that have closures but no coordinates, as MJCF and URDF: a configuration in
// which the chains are closed, and coordinates that determine the others there.
//
// With Phi(x) = 0 the closures and Phi_x their Jacobian, a configuration is moved by the shortest
// steps -Phi_x^+ Phi. Then candidates for coordinates, in the order of preference, are taken where
// their gradients lead out of the row space of Phi_x and of those taken before.

#include <appell/kin.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "file/chains.h"
#include "num/qr.h"
#include "num/rpy.h"
#include "num/vec3.h"

enum { MOST_STEPS = 100, TRIES = 4, MOST_RATES = 5000 };

#define CLOSED      1e-12 // m or of a unit vector
#define APART       1e-3  // m; ends that are nearer are made to meet
#define DEPENDENT   1e-7  // rows of Phi_x, relative
#define INDEPENDENT 0.1 // what a gradient has at least beyond those taken, where there is a choice

// A coordinate that may be taken.
typedef struct candidate {
  ap_coordinate_kind kind;
  int body, axis; // axis: of a position
  int rank;       // the lowest first
  bool taken;
  double *row; // [nv]
} candidate;

typedef struct closing {
  ap_robot *robot;
  const ap__loops *loops;
  ap_model *model;
  ap_work *work;
  int nq, nv, rows, ncandidate;
  double *x, *next, *best; // configurations
  double *phi, *jacobian;  // [rows], [rows * nv]
  double *body[2];         // [6 * nv] Jacobians of two links
  double *step;            // [nv]
  double *basis;           // [nv * nv] orthonormal rows
  int nbasis;
  candidate *candidates;
  double *gradients; // [ncandidate * nv]
  double least;      // largest entry of phi at the best configuration, where none is closed
  ap_qr qr;
  ap__pool pool; // of all arrays
} closing;

// ---- memory ------------------------------------------------------------------------------------

static int rows_of(ap_closure_kind kind) {
  return kind == AP_CLOSE_FRAME ? 9 : kind == AP_CLOSE_POINT_ON_LINE ? 2 : 3;
}

static bool is_single(const ap_body_def *d) {
  return d->mimic == 0 && (d->joint == AP_REVOLUTE || d->joint == AP_PRISMATIC);
}

// count elements of a size, all zero.
static void *zeros(closing *c, size_t count, size_t size) {
  void *memory = ap__pool_bytes(&c->pool, (count + 1) * size, _Alignof(max_align_t));
  return memory ? memset(memory, 0, (count + 1) * size) : NULL;
}

static bool allocate(closing *c) {
  const size_t nv = (size_t)c->nv, nq = (size_t)c->nq, rows = (size_t)c->rows;
  const size_t size = ap_work_size(c->model), most = 6 * (size_t)c->robot->nbody;
  void *work = zeros(c, size, 1);
  double *all = zeros(c, 3 * nq + rows + 2 * rows * nv + 16 * nv + nv * nv, sizeof *all);
  c->candidates = zeros(c, most, sizeof *c->candidates);
  c->gradients = zeros(c, nv * nv, sizeof *c->gradients); // no more candidates than rates
  c->qr.pivot = zeros(c, nv, sizeof *c->qr.pivot);
  if (!work || !all || !c->candidates || !c->gradients || !c->qr.pivot) return false;
  c->work = ap_work_init(c->model, work, size);
  c->x = all;
  c->next = c->x + nq;
  c->best = c->next + nq;
  c->phi = c->best + nq;
  c->jacobian = c->phi + rows;
  c->qr.A = c->jacobian + rows * nv;
  c->body[0] = c->qr.A + rows * nv;
  c->body[1] = c->body[0] + 6 * nv;
  c->step = c->body[1] + 6 * nv;
  c->qr.left = c->step + nv;
  c->qr.right = c->qr.left + nv;
  c->qr.spare = c->qr.right + nv;
  c->basis = c->qr.spare + nv;
  return c->work != NULL;
}

// ---- closures ----------------------------------------------------------------------------------

// Where a link is and how it moves.
typedef struct seen {
  double R[9], p[3];
  const double *J; // [6 * nv] linear, angular, ground axes
} seen;

static void look(closing *c, int link, int which, seen *s) {
  s->J = c->body[which];
  ap_frame_pose(c->model, c->work, link, s->R, s->p);
  ap_frame_jacobian(c->model, c->work, link, AP_MIXED, c->body[which]);
}

// How rate j of the tree turns a direction d of a link, and moves a point r away from its origin.
static void turn_of(const closing *c, const seen *s, int j, const double d[3], double out[3]) {
  const double w[3] = {s->J[3 * c->nv + j], s->J[4 * c->nv + j], s->J[5 * c->nv + j]};
  cross3(w, d, out);
}

static void move_of(const closing *c, const seen *s, int j, const double r[3], double out[3]) {
  turn_of(c, s, j, r, out);
  for (int i = 0; i < 3; i++) out[i] += s->J[i * c->nv + j];
}

static void from_world(const seen *s, const double a[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = s->R[i] * a[0] + s->R[3 + i] * a[1] + s->R[6 + i] * a[2];
}

// Three rows: the difference of two points, or of two directions, given in the link frames. They
// are seen from the second link, so that what carries both does not matter, closed or not.
static void add_difference(closing *c, int row, const seen s[2], const double *first,
                           const double *second, bool point) {
  double r[2][3], d[2][3], gap[3], turned[3], seen_from[3];
  turn3(s[0].R, first, r[0]);
  turn3(s[1].R, second, r[1]);
  for (int i = 0; i < 3; i++) gap[i] = r[0][i] - r[1][i] + (point ? s[0].p[i] - s[1].p[i] : 0);
  from_world(&s[1], gap, c->phi + row);
  for (int j = 0; j < c->nv; j++) {
    for (int k = 0; k < 2; k++) (point ? move_of : turn_of)(c, &s[k], j, r[k], d[k]);
    turn_of(c, &s[1], j, gap, turned);
    for (int i = 0; i < 3; i++) d[0][i] -= d[1][i] + turned[i];
    from_world(&s[1], d[0], seen_from);
    for (int i = 0; i < 3; i++) c->jacobian[(row + i) * c->nv + j] = seen_from[i];
  }
}

// Two directions across a line's.
static void across(const double d[3], double t[2][3]) {
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(d[i]) < fabs(d[least])) least = i;
  double e[3] = {0};
  e[least] = 1;
  cross3(d, e, t[0]);
  double n = norm3(t[0]);
  for (int i = 0; i < 3; i++) t[0][i] /= n;
  cross3(d, t[0], t[1]);
}

// Two rows: t . (p0 - p1), t fixed in the second link.
static void add_line(closing *c, int row, const seen s[2], const ap_closure_def *d) {
  double t[2][3], gap[3], r[2][3], way[3], m[2][3], dt[3];
  across(d->axis[1], t);
  for (int k = 0; k < 2; k++) turn3(s[k].R, d->at[k], r[k]);
  for (int i = 0; i < 3; i++) gap[i] = r[0][i] + s[0].p[i] - r[1][i] - s[1].p[i];
  for (int k = 0; k < 2; k++) {
    turn3(s[1].R, t[k], way);
    c->phi[row + k] = dot3(way, gap);
    for (int j = 0; j < c->nv; j++) {
      for (int i = 0; i < 2; i++) move_of(c, &s[i], j, r[i], m[i]);
      turn_of(c, &s[1], j, way, dt);
      c->jacobian[(row + k) * c->nv + j] = dot3(way, m[0]) - dot3(way, m[1]) + dot3(dt, gap);
    }
  }
}

static void unit(const double a[3], double out[3]) {
  double n = norm3(a);
  for (int i = 0; i < 3; i++) out[i] = n > 0 ? a[i] / n : a[i];
}

static void add_closure(closing *c, int row, const ap_closure_def *d) {
  seen s[2];
  double axes[2][3], R[2][9];
  for (int k = 0; k < 2; k++) {
    look(c, d->body[k], k, &s[k]);
    unit(d->axis[k], axes[k]);
    ap__matrix_of_rpy(d->rpy[k], R[k]);
  }
  if (d->kind == AP_CLOSE_POINT_ON_LINE)
    add_line(c, row, s, d);
  else if (d->kind == AP_CLOSE_AXIS)
    add_difference(c, row, s, axes[0], axes[1], false);
  else
    add_difference(c, row, s, d->at[0], d->at[1], true);
  for (int k = 0; k < 2 && d->kind == AP_CLOSE_FRAME; k++) {
    const double columns[2][3] = {{R[0][k], R[0][3 + k], R[0][6 + k]},
                                  {R[1][k], R[1][3 + k], R[1][6 + k]}};
    add_difference(c, row + 3 + 3 * k, s, columns[0], columns[1], false);
  }
}

// Phi and Phi_x at a configuration; the largest entry of Phi.
static double evaluate(closing *c, const double *x) {
  double most = 0;
  int row = 0;
  ap_kinematics(c->model, c->work, x, NULL, NULL);
  for (int i = 0; i < c->loops->nclosure; i++) {
    add_closure(c, row, &c->loops->closures[i]);
    row += rows_of(c->loops->closures[i].kind);
  }
  for (int i = 0; i < c->rows; i++) most = fmax(most, fabs(c->phi[i]));
  return most;
}

static int factor(closing *c) {
  c->qr.m = c->rows;
  c->qr.n = c->nv;
  c->qr.most = 0;
  memcpy(c->qr.A, c->jacobian, sizeof(double) * (size_t)c->rows * (size_t)c->nv);
  return ap__qr_factor(&c->qr, DEPENDENT);
}

// Move c->x to where the chains are closed; false: it does not get there.
static bool close_chains(closing *c) {
  double off = evaluate(c, c->x);
  for (int n = 0; n < MOST_STEPS && off > CLOSED; n++) {
    factor(c);
    ap__qr_solve(&c->qr, c->phi, c->step);
    double most = 0;
    for (int i = 0; i < c->nv; i++) most = fmax(most, fabs(c->step[i]));
    if (!isfinite(most)) return false;
    double shorter = most > 0.2 ? -0.2 / most : -1; // rad or m
    for (int i = 0; i < c->nv; i++) c->step[i] *= shorter;
    ap_integrate(c->model, c->x, c->step, c->next);
    memcpy(c->x, c->next, sizeof(double) * (size_t)c->nq);
    off = evaluate(c, c->x);
  }
  return off <= 1e-9; // rounding of a large robot
}

// ---- coordinates -------------------------------------------------------------------------------

static void add_candidate(closing *c, ap_coordinate_kind kind, int body, int axis, int rank) {
  candidate *one = &c->candidates[c->ncandidate];
  *one = (candidate){.kind = kind, .body = body, .axis = axis, .rank = rank};
  one->row = c->gradients + (size_t)c->ncandidate++ * (size_t)c->nv;
}

// Driven joints, then free bases, then other joints.
static void list_candidates(closing *c) {
  static const ap_coordinate_kind kind[6] = {AP_COORDINATE_POSITION, AP_COORDINATE_POSITION,
                                             AP_COORDINATE_POSITION, AP_COORDINATE_YAW,
                                             AP_COORDINATE_PITCH,    AP_COORDINATE_ROLL};
  for (int b = 1; b <= c->robot->nbody; b++) {
    const ap_body_def *d = &c->robot->bodies[b - 1];
    bool driven = c->loops->driven && c->loops->driven[b];
    if (is_single(d)) add_candidate(c, AP_COORDINATE_JOINT, b, 0, driven ? 0 : 2);
    for (int k = 0; k < 6 && d->joint == AP_FREE; k++) add_candidate(c, kind[k], b, k % 3, 1);
  }
}

// Rates of yaw, pitch and roll: R = Rz Ry Rx turns with w = yaw' z + pitch' Rz y + roll' Rz Ry x.
static double angle_rate(const double R[9], ap_coordinate_kind kind, const double w[3]) {
  double yaw = atan2(R[3], R[0]), level = hypot(R[0], R[3]), c = cos(yaw), s = sin(yaw);
  double along = c * w[0] + s * w[1];
  if (kind == AP_COORDINATE_PITCH) return c * w[1] - s * w[0];
  level = fmax(level, 1e-9);
  return kind == AP_COORDINATE_ROLL ? along / level : w[2] - R[6] / level * along;
}

static void set_gradient(closing *c, candidate *one) {
  memset(one->row, 0, sizeof(double) * (size_t)c->nv);
  if (one->kind == AP_COORDINATE_JOINT) {
    one->row[ap_joint_v(c->model, one->body)] = 1;
    return;
  }
  seen s;
  look(c, one->body, 0, &s);
  for (int j = 0; j < c->nv; j++) {
    const double w[3] = {s.J[3 * c->nv + j], s.J[4 * c->nv + j], s.J[5 * c->nv + j]};
    one->row[j] = one->kind == AP_COORDINATE_POSITION ? s.J[one->axis * c->nv + j]
                                                      : angle_rate(s.R, one->kind, w);
  }
}

static double length(const closing *c, const double *row) {
  double sum = 0;
  for (int i = 0; i < c->nv; i++) sum += row[i] * row[i];
  return sqrt(sum);
}

// What of a row is beyond the basis goes to c->step; its length.
static double beyond(closing *c, const double *row) {
  memcpy(c->step, row, sizeof(double) * (size_t)c->nv);
  for (int twice = 0; twice < 2; twice++)
    for (int k = 0; k < c->nbasis; k++) {
      const double *b = c->basis + (size_t)k * (size_t)c->nv;
      double d = 0;
      for (int i = 0; i < c->nv; i++) d += b[i] * c->step[i];
      for (int i = 0; i < c->nv; i++) c->step[i] -= d * b[i];
    }
  return length(c, c->step);
}

// Add what c->step has to the basis.
static void extend(closing *c) {
  double *b = c->basis + (size_t)c->nbasis++ * (size_t)c->nv, n = length(c, c->step);
  for (int i = 0; i < c->nv; i++) b[i] = c->step[i] / n;
}

// The row space of Phi_x: rows with the largest rest first, so that dependent ones are seen.
static void span_closures(closing *c, int rank) {
  c->nbasis = 0;
  while (c->nbasis < rank) {
    int best = -1;
    double most = 0;
    for (int i = 0; i < c->rows; i++) {
      double rest = beyond(c, c->jacobian + (size_t)i * (size_t)c->nv);
      if (rest > most) most = rest, best = i;
    }
    if (best < 0) return;
    beyond(c, c->jacobian + (size_t)best * (size_t)c->nv);
    extend(c);
  }
}

// The next coordinate: the first of the lowest rank that is clearly independent, else the most
// independent one.
static candidate *choose(closing *c) {
  candidate *best = NULL;
  double most = DEPENDENT;
  for (int rank = 0; rank < 3; rank++)
    for (int i = 0; i < c->ncandidate; i++) {
      candidate *one = &c->candidates[i];
      if (one->taken || one->rank != rank) continue;
      double rest = beyond(c, one->row) / fmax(length(c, one->row), 1e-300);
      if (rest > INDEPENDENT) return one;
      if (rest > most) most = rest, best = one;
    }
  return best;
}

static void take_coordinates(closing *c, int rank) {
  for (int i = 0; i < c->ncandidate; i++) set_gradient(c, &c->candidates[i]);
  span_closures(c, rank);
  candidate *one;
  while (c->nbasis < c->nv && (one = choose(c))) {
    beyond(c, one->row);
    extend(c);
    one->taken = true;
  }
}

// ---- the mechanism -----------------------------------------------------------------------------

static ap_status name_coordinate(closing *c, const candidate *one, ap_coordinate_def *to,
                                 ap_error *error) {
  static const char *const parts[] = {"x", "y", "z"}, *const angles[] = {"yaw", "pitch", "roll"};
  const char *joint = ap__joint_name(&c->robot->bodies[one->body - 1]);
  char text[512];
  int n = one->kind == AP_COORDINATE_JOINT ? snprintf(text, sizeof text, "%.400s", joint)
                                           : snprintf(text, sizeof text, "%.400s.%s", joint,
                                                      one->kind == AP_COORDINATE_POSITION
                                                          ? parts[one->axis]
                                                          : angles[one->kind - AP_COORDINATE_YAW]);
  to->name = ap__robot_text(c->robot, text, (size_t)n);
  return to->name ? AP_OK : ap__no_memory(error);
}

// The closed starts with names become branches, the best one the guess.
static ap_status take_starts(closing *c, ap__chains *h, ap_error *error) {
  int n = 0;
  for (int i = 0; i < c->loops->nstart; i++) {
    const ap__start *s = &c->loops->starts[i];
    bool again = !s->name;
    for (int k = 0; k < n && !again; k++) again = strcmp(h->branches[k].name, s->name) == 0;
    if (again) continue;
    memcpy(c->x, s->x, sizeof(double) * (size_t)c->nq);
    if (!close_chains(c)) continue;
    memcpy(h->configurations + (size_t)n * (size_t)c->nq, c->x, sizeof(double) * (size_t)c->nq);
    h->branches[n].name = ap__robot_text(c->robot, s->name, strlen(s->name));
    if (!h->branches[n].name) return ap__no_memory(error);
    h->lines[AP__CHAIN_BRANCH][n++] = s->line;
  }
  h->def.nbranch = n;
  return AP_OK;
}

static ap_status make(closing *c, ap_error *error) {
  int n = 0;
  for (int i = 0; i < c->ncandidate; i++) n += c->candidates[i].taken;
  const ap_mechanism_def counts = {.nclosure = c->loops->nclosure,
                                   .ncoordinate = n,
                                   .nactuated = n,
                                   .nbranch = c->loops->nstart};
  ap__chains *h = ap__chains_new(c->robot, &counts, true);
  if (!h) return ap__no_memory(error);
  h->line = c->loops->lines[0];
  memcpy(h->closures, c->loops->closures, (size_t)c->loops->nclosure * sizeof *h->closures);
  memcpy(h->lines[AP__CHAIN_CLOSURE], c->loops->lines,
         (size_t)c->loops->nclosure * sizeof *c->loops->lines);
  memcpy(h->guess, c->best, sizeof(double) * (size_t)c->nq);
  n = 0;
  for (int i = 0; i < c->ncandidate; i++) {
    const candidate *one = &c->candidates[i];
    if (!one->taken) continue;
    ap_coordinate_def *to = &h->coordinates[n];
    *to = (ap_coordinate_def){.kind = one->kind, .body = one->body};
    if (one->kind == AP_COORDINATE_POSITION) to->along[one->axis] = 1;
    h->actuated[n] = one->kind == AP_COORDINATE_JOINT ? one->body : AP_ALONG_COORDINATE(n);
    h->lines[AP__CHAIN_COORDINATE][n] = h->lines[AP__CHAIN_ACTUATOR][n] =
        c->robot->lines[one->body].joint;
    n++;
    if (name_coordinate(c, one, to, error)) return AP_E_MEMORY;
  }
  return take_starts(c, h, error);
}

// A little away from a start: a start at which closures are dependent by chance shows fewer rows.
static void disturb(closing *c, const double *x, int n) {
  for (int i = 0; i < c->nv; i++) c->step[i] = n == 0 ? 0 : 0.05 * sin(1 + 2.4 * i + 1.7 * n);
  ap_integrate(c->model, x, c->step, c->x);
}

// The configuration that is nearest to a closed one, where none is.
static void note_nearest(closing *c) {
  double off = 0;
  for (int i = 0; i < c->rows; i++) off = fmax(off, fabs(c->phi[i]));
  if (!(off < c->least)) return;
  c->least = off;
  memcpy(c->best, c->x, sizeof(double) * (size_t)c->nq);
}

// Ends that miss each other by less than manufacturing does, as of a flat linkage whose points are
// given with few digits: the second one moves to the first. False: no memory.
static bool move_ends(closing *c) {
  int row = 0;
  evaluate(c, c->best);
  for (int i = 0; i < c->loops->nclosure; i++) {
    ap_closure_def *d = &c->loops->closures[i];
    for (int k = 0; k < 3 && d->kind == AP_CLOSE_POINT; k++) d->at[1][k] += c->phi[row + k];
    row += rows_of(d->kind);
  }
  return ap__robot_warn(c->robot, c->loops->lines[0],
                        "the ends of closures are %.2g m apart at best: the second ones were moved",
                        c->least);
}

// The closed configuration with the most independent closures; the rank, -1: none is closed.
static int find_start(closing *c) {
  int most = -1;
  for (int n = 0; n < TRIES; n++)
    for (int i = 0; i < c->loops->nstart; i++) {
      disturb(c, c->loops->starts[i].x, n);
      if (!close_chains(c)) {
        if (most < 0) note_nearest(c);
        continue;
      }
      evaluate(c, c->x);
      int rank = factor(c);
      if (rank <= most) continue;
      most = rank;
      memcpy(c->best, c->x, sizeof(double) * (size_t)c->nq);
    }
  return most;
}

// A factorisation takes rows * rates * the smaller of both, and a search hundreds of them.
static bool is_too_large(const closing *c) {
  const double most = 1e8, less = fmin(c->nv, c->rows);
  return c->nv > MOST_RATES || c->rows > MOST_RATES || less * c->nv * c->rows > most;
}

static ap_status close_robot(closing *c, ap_error *error) {
  if (is_too_large(c))
    return AP__REFUSE(
        error, AP_E_UNSUPPORTED, c->loops->lines[0],
        "%d rows of closures and %d velocities are too many (up to %d each, and 460 of "
        "both together)",
        c->rows, c->nv, MOST_RATES);
  if (!allocate(c)) return ap__no_memory(error);
  c->least = APART;
  int rank = find_start(c);
  if (rank < 0 && c->least < APART) {
    if (!move_ends(c)) return ap__no_memory(error);
    rank = find_start(c);
  }
  if (rank < 0)
    return AP__REFUSE(error, AP_E_MODEL, c->loops->lines[0],
                      "no configuration was found in which the chains are closed (--ignore-loops "
                      "leaves them open)");
  if (rank == c->nv)
    return AP__REFUSE(error, AP_E_MODEL, c->loops->lines[0],
                      "the closures leave no degree of freedom (--ignore-loops opens them)");
  list_candidates(c);
  evaluate(c, c->best);
  take_coordinates(c, rank);
  return make(c, error);
}

ap_status ap__chains_close(ap_robot *robot, const ap__loops *loops, ap_error *error) {
  closing c = {.robot = robot, .loops = loops};
  ap_status status = ap_robot_model(robot, &c.model, error);
  if (status) return status;
  c.nq = ap_nq(c.model);
  c.nv = ap_nv(c.model);
  for (int i = 0; i < loops->nclosure; i++) c.rows += rows_of(loops->closures[i].kind);
  status = close_robot(&c, error);
  ap__pool_free(&c.pool);
  ap_model_free(c.model);
  return status;
}
