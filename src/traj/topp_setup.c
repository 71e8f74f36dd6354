// SPDX-License-Identifier: Apache-2.0
// Time-optimal motion along a path: definition, memory, and the torques as functions of u and x.

#include <math.h>

#include "base/arena.h"
#include "traj/topp.h"

enum { LEAST_OF_PIECE = 8, MOST_INTERVALS = 10000000 };

ap_topp_def ap_default_topp(void) { return (ap_topp_def){.grid = 1000, .cookie = AP_COOKIE}; }

// ---- the grid ----------------------------------------------------------------------------------

static double piece_share(const ap_topp_def *d, int k) {
  const double share = d->grid * (d->path->piece[k].duration / d->path->duration);
  return fmax(ceil(share - 1e-9), LEAST_OF_PIECE);
}

static double intervals_of(const ap_topp_def *d) {
  double sum = 0;
  for (int k = 0; k < d->path->count; k++) sum += piece_share(d, k);
  return sum;
}

static void lay_grid(ap_topp *t) {
  const ap_traj *path = t->def.path;
  int i = 0;
  for (int k = 0; k < path->count; k++) {
    const ap_piece *p = &path->piece[k];
    const int share = (int)piece_share(&t->def, k);
    for (int h = 0; h < share; h++, i++) {
      const double from = p->duration * h / share, to = p->duration * (h + 1) / share;
      t->interval[i] = (ap__topp_interval){.piece = k, .from = from, .to = to};
      t->point[i].s = p->start + from;
    }
  }
  t->point[i].s = path->duration;
}

// ---- definition --------------------------------------------------------------------------------

static ap_status check_limit(const double *limit, int n, const char *what, ap_error *error) {
  for (int j = 0; limit && j < n; j++)
    if (!(limit[j] > 0))
      return AP__REFUSE(error, AP_E_ARG, 0,
                        "the limit of %s of coordinate %d is %g (it must be positive)", what, j + 1,
                        limit[j]);
  return AP_OK;
}

static ap_status check_model(const ap_model *m, int n, ap_error *error) {
  if (!m) return AP_OK;
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nq(m, i) != ap_joint_nv(m, i))
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "joint '%.*s' has quaternions (a path is for joints whose velocity is the "
                        "rate of their coordinates)",
                        ap__shown(ap_body(m, i)->name), ap_body(m, i)->name);
  if (ap_nv(m) == n) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0, "the path has %d coordinates, the robot %d", n, ap_nv(m));
}

static ap_status check(const ap_topp_def *d, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_topp, d, error)) return AP_E_ARG;
  const int n = d->path->n;
  ap_status status = check_model(d->model, n, error);
  if (!status) status = check_limit(d->effort, n, "torque", error);
  if (!status) status = check_limit(d->velocity, n, "velocity", error);
  if (!status) status = check_limit(d->acceleration, n, "acceleration", error);
  if (status) return status;
  for (int k = 0; k < d->path->count; k++)
    if (d->path->piece[k].along)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "the path is itself a motion along a path (give that path)");
  if (!(d->start_speed >= 0 && d->end_speed >= 0 && isfinite(d->start_speed + d->end_speed)))
    return AP__REFUSE(error, AP_E_ARG, 0, "speeds %g and %g at the ends (0 or more)",
                      d->start_speed, d->end_speed);
  if (d->effort && !d->model)
    return AP__REFUSE(error, AP_E_ARG, 0, "limits of torque need a model");
  if (d->grid < 1 || !(intervals_of(d) <= MOST_INTERVALS))
    return AP__REFUSE(error, AP_E_ARG, 0, "a grid of %d intervals (1 to %d are possible)", d->grid,
                      MOST_INTERVALS);
  return AP_OK;
}

// ---- memory ------------------------------------------------------------------------------------

static void place(ap_topp *t, ap_arena *a) {
  const size_t n = (size_t)t->n, count = (size_t)t->intervals;
  t->point = AP_TAKE(a, ap__topp_point, count + 1);
  t->interval = AP_TAKE(a, ap__topp_interval, count);
  t->term = AP_TAKE(a, ap__topp_term, 2 * n * count);
  t->row = AP_TAKE(a, ap__half_plane, 8 * n + 4);
  t->q = AP_TAKE(a, double, n);
  t->v = AP_TAKE(a, double, n);
  t->a = AP_TAKE(a, double, n);
  t->rest = AP_TAKE(a, double, n);
  t->tau = AP_TAKE(a, double, 4 * n);
}

size_t ap_topp_size(const ap_topp_def *def) {
  if (check(def, NULL)) return 0;
  ap_topp measured = {.n = def->path->n, .intervals = (int)intervals_of(def)};
  ap_arena a = ap__arena(NULL);
  AP_TAKE(&a, ap_topp, 1);
  place(&measured, &a);
  return ap__arena_size(&a);
}

ap_topp *ap_topp_init(const ap_topp_def *def, void *mem, size_t size, ap_error *error) {
  if (check(def, error)) return NULL;
  const size_t needed = ap_topp_size(def);
  if (!mem || needed == 0 || size < needed) {
    ap__fail(error, AP_E_MEMORY, 0, "%zu bytes for a grid that needs %zu", mem ? size : 0, needed);
    return NULL;
  }
  ap_arena a = ap__arena(mem);
  ap_topp *t = AP_TAKE(&a, ap_topp, 1);
  *t = (ap_topp){.def = *def,
                 .n = def->path->n,
                 .intervals = (int)intervals_of(def),
                 .length = def->path->duration};
  place(t, &a);
  for (int j = 0; j < t->n; j++) t->rest[j] = 0;
  lay_grid(t);
  return t;
}

// ---- torques -----------------------------------------------------------------------------------

void ap__topp_path_at(const ap_topp *t, int interval, double local, double *q, double *first,
                      double *second) {
  const ap_piece *p = &t->def.path->piece[t->interval[interval].piece];
  for (int j = 0; j < t->n; j++) {
    double x[3];
    ap__piece_of(p, j, local, x);
    q[j] = x[0], first[j] = x[1], second[j] = x[2];
  }
}

static void scale(int n, double factor, const double *x, double *result) {
  for (int j = 0; j < n; j++) result[j] = factor * x[j];
}

// With g = tau(q, 0, 0), what ap_inverse_dynamics() gives at velocity r q' and acceleration q'' is
// g + b r^2 + (slide sign(r) + viscous r): the even part in r is that of rigid bodies, the odd part
// is friction, whose two shares r = 1 and r = 2 tell apart.
static void torque_terms(ap_topp *t, ap_work *w, ap__topp_term *term) {
  const ap_model *m = t->def.model;
  const int n = t->n;
  double *g = t->tau, *x = g + n, *forth = x + n, *back = forth + n, size = 0, odd = 0;
  const double *q = t->q, *first = t->v, *second = t->a;
  ap_inverse_dynamics(m, w, q, t->rest, t->rest, g);
  ap_inverse_dynamics(m, w, q, t->rest, first, x);
  for (int j = 0; j < n; j++) term[j].c = g[j], term[j].a = x[j] - g[j];
  ap_inverse_dynamics(m, w, q, first, second, forth);
  scale(n, -1, first, x);
  ap_inverse_dynamics(m, w, q, x, second, back);
  for (int j = 0; j < n; j++) {
    term[j].b = 0.5 * (forth[j] + back[j]) - g[j];
    term[j].slide = 0.5 * (forth[j] - back[j]);
    size = fmax(size, fabs(forth[j]) + fabs(g[j]));
    odd = fmax(odd, fabs(term[j].slide));
  }
  if (odd <= 1e-12 * size) {
    for (int j = 0; j < n; j++) term[j].slide = 0;
    return;
  }
  scale(n, 2, first, x);
  ap_inverse_dynamics(m, w, q, x, second, forth);
  scale(n, -2, first, x);
  ap_inverse_dynamics(m, w, q, x, second, back);
  for (int j = 0; j < n; j++) {
    const double once = term[j].slide, twice = 0.5 * (forth[j] - back[j]);
    const bool grows = fabs(twice - once) > 1e-12 * (fabs(twice) + fabs(forth[j]));
    term[j].viscous = grows ? twice - once : 0;
    term[j].slide = once - term[j].viscous;
    if (grows) t->viscous = true;
  }
}

// The largest x at which no coordinate exceeds its velocity.
static double velocity_bound(const ap_topp *t, const ap__topp_term *term) {
  double bound = INFINITY;
  for (int j = 0; t->def.velocity && j < t->n; j++) {
    const double rate = fabs(term[j].first);
    if (rate > 0) bound = fmin(bound, t->def.velocity[j] / rate);
  }
  return bound * bound;
}

// Whether the direction of the path jumps from one interval to the next.
static bool is_corner(const ap_topp *t, int i) {
  if (t->interval[i - 1].piece == t->interval[i].piece) return false;
  const ap__topp_term *a = ap__topp_terms(t, i - 1, 1), *b = ap__topp_terms(t, i, 0);
  double jump = 0, size = 0;
  for (int j = 0; j < t->n; j++) {
    jump = fmax(jump, fabs(a[j].first - b[j].first));
    size = fmax(size, fmax(fabs(a[j].first), fabs(b[j].first)));
  }
  return jump > 1e-9 * size;
}

void ap__topp_prepare(ap_topp *t, ap_work *w) {
  t->viscous = false;
  for (int i = 0; i <= t->intervals; i++) t->point[i].bound = INFINITY;
  for (int i = 0; i < t->intervals; i++) {
    for (int end = 0; end < 2; end++) {
      ap__topp_term *term = ap__topp_terms(t, i, end);
      const double local = end == 0 ? t->interval[i].from : t->interval[i].to;
      ap__topp_path_at(t, i, local, t->q, t->v, t->a);
      for (int j = 0; j < t->n; j++) term[j] = (ap__topp_term){.first = t->v[j], .second = t->a[j]};
      if (t->def.effort) torque_terms(t, w, term);
      ap__topp_point *p = &t->point[i + end];
      p->bound = fmin(p->bound, velocity_bound(t, term));
    }
    if (i > 0 && is_corner(t, i)) t->point[i].bound = 0;
  }
}

const char *ap__topp_name(const ap_topp *t, int j) {
  const ap_model *m = t->def.model;
  for (int i = 1; m && i < ap_nbody(m); i++) {
    const int first = ap_joint_v(m, i), n = ap_joint_nv(m, i);
    if (n > 0 && j >= first && j < first + n)
      return ap_body(m, i)->joint_name ? ap_body(m, i)->joint_name : ap_body(m, i)->name;
  }
  return NULL;
}
