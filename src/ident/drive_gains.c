// SPDX-License-Identifier: Apache-2.0
// Gains of drives and base parameters together, from currents and a known force.
//
// Noise is in the currents. In the linear form g_j i - W_j b = k_j it stands in a column of the
// unknowns, and plain least squares makes the gains too small. The estimate that it does not bias
// is that of total least squares with noise in these columns alone (M. Gautier, S. Briot, Global
// identification of joint drive gains and dynamic parameters of robots, 2014). It minimises
//
//   sum_j | g_j i_j - W_j b - k_j |^2 / (g_j s_j)^2  =  sum_j | i_j - h_j (W_j b + k_j) |^2 / s_j^2
//   ,
//
// which is maximum likelihood: a bilinear problem, solved by Gauss and Newton's steps on triangles.
//
// If no known force fixes the scale, (h, b) and (c h, b / c) fit alike, and the derivatives have
// the null vector (h, -b) at every point, whatever the noise. So gains that cannot be known are
// those that take part in a null vector of the linearised problem.

#include "ident/drive_gains.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/frozen.h"
#include "num/svd.h"

// Singular values below this part of the largest, columns of length one, are zero: those of null
// vectors are 1e-14, the smallest others 1e-6.
#define NEGLIGIBLE 1e-10
// Entries of null vectors that are rounding.
#define NO_ENTRY 1e-6
// A total mass is known to this part.
#define WEIGHED 0.002
// A start that correlates less with the currents tells no gain.
#define UNRELATED 0.05
enum { ROUNDS = 4, PASSES = 4, HALVINGS = 30 };

ap_drive_gain_options ap_default_drive_gains(void) {
  return (ap_drive_gain_options){
      .reject = 5, .uncertain = 0.25, .iterations = 100, .cookie = AP_COOKIE};
}

void ap_drive_gains_free(ap_drive_gains *g) {
  if (!g) return;
  free(g->gain), free(g->deviation), free(g->noise), free(g->sure), free(g->value);
  free(g->base_deviation), free(g->excess), free(g->load), free(g);
}

// ---- the load ----------------------------------------------------------------------------------

// c and I of a load in the frame of the link that moves, from those in the frame of a link fixed to
// it.
static void move_load(const ap_ident *id, int link, double c[3], double I[9]) {
  const ap_model *m = id->m;
  double R[2][9], at[2][3], turn[9], shift[3], from[3], half[9];
  double *q = id->side;
  ap_neutral(m, q);
  ap_kinematics(m, id->w, q, NULL, NULL);
  ap_frame_pose(m, id->w, m->joint[m->mover[link]].link, R[0], at[0]);
  ap_frame_pose(m, id->w, link, R[1], at[1]);
  for (int i = 0; i < 3; i++) {
    shift[i] = 0;
    for (int k = 0; k < 3; k++) {
      shift[i] += R[0][3 * k + i] * (at[1][k] - at[0][k]);
      turn[3 * i + k] = 0;
      for (int l = 0; l < 3; l++) turn[3 * i + k] += R[0][3 * l + i] * R[1][3 * l + k];
    }
  }
  for (int i = 0; i < 3; i++) from[i] = c[i];
  for (int i = 0; i < 3; i++) {
    c[i] = shift[i];
    for (int k = 0; k < 3; k++) {
      c[i] += turn[3 * i + k] * from[k];
      half[3 * i + k] = 0;
      for (int l = 0; l < 3; l++) half[3 * i + k] += turn[3 * i + l] * I[3 * l + k];
    }
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      I[3 * i + k] = 0;
      for (int l = 0; l < 3; l++) I[3 * i + k] += half[3 * i + l] * turn[3 * k + l];
    }
}

// The ten parameters of a load in the frame of the link that moves; those that are looked for are
// 0.
static void load_parameters(const ap_ident *id, const ap_known_load *l, int link, double p[10]) {
  static const double none[6] = {0};
  const double *from = l->inertia ? l->inertia : none;
  double c[3] = {0, 0, 0};
  double I[9] = {from[0], from[1], from[2], from[1], from[3], from[4], from[2], from[4], from[5]};
  for (int k = 0; l->centre && k < 3; k++) c[k] = l->centre[k];
  move_load(id, link, c, I);
  const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  memset(p, 0, 10 * sizeof *p);
  p[0] = l->mass;
  for (int i = 0; l->centre && i < 3; i++) p[1 + i] = l->mass * c[i];
  for (int i = 0, at = 4; l->inertia && i < 3; i++)
    for (int k = i; k < 3; k++, at++)
      p[at] = I[3 * i + k] + l->mass * ((i == k ? square : 0) - c[i] * c[k]);
}

static ap_status check_load(const ap_ident *id, const ap_known_load *l, int *link, ap_error *e) {
  const ap_model *m = id->m;
  const char *name = l->link ? l->link : "";
  if (id->payload)
    return AP__REFUSE(
        e, AP_E_ARG, 0,
        "a known load while a payload is looked for (the robot fixes the scale then)");
  if (id->options.load)
    return AP__REFUSE(e, AP_E_ARG, 0,
                      "load-dependent friction cannot be looked for with a known load");
  for (int i = 1; i < m->nlink; i++)
    if (strcmp(m->link[i].name, name) == 0 && m->mover[i] > 0) *link = i;
  if (*link == 0)
    return AP__REFUSE(e, AP_E_ARG, 0, "'%.*s' is no link that moves (a load needs one)",
                      ap__shown(name), name);
  if (l->inertia && !l->centre)
    return AP__REFUSE(e, AP_E_ARG, 0,
                      "the inertia of the load is known, but not its centre of mass");
  if (!(l->mass > 0) || !isfinite(l->mass))
    return AP__REFUSE(e, AP_E_ARG, 0, "a load of %g kg (its mass must be positive)", l->mass);
  const int body = m->mover[*link];
  const ap_status status = ap_set_payload(m, id->w, body, l->mass, l->centre, l->inertia);
  ap_set_payload(m, id->w, body, 0, NULL, NULL);
  if (status)
    return AP__REFUSE(
        e, AP_E_ARG, 0,
        "no load has this inertia or centre of mass (finite numbers, principal moments "
        "not negative)");
  return AP_OK;
}

// d and D: the load in base parameters.
static void place_load(gain_problem *p, int link) {
  double known[10];
  const int first = 10 * (p->id->m->mover[link] - 1), from = 10 - p->nl;
  load_parameters(p->id, p->o->load, link, known);
  for (int k = 0; k < p->n; k++) {
    p->d[k] = 0;
    for (int i = 0; i < from; i++) p->d[k] += ap_base_factor(p->base, k, first + i) * known[i];
    for (int l = 0; l < p->nl; l++)
      p->D[ap__row(k, p->nl) + (size_t)l] = ap_base_factor(p->base, k, first + from + l);
  }
}

// ---- making ------------------------------------------------------------------------------------

static void problem_free(gain_problem *p) {
  for (int k = 0; p->t && k < GAINS_LOGS * p->nv; k++) free(p->t[k].R), free(p->t[k].B);
  free(p->columns), free(p->place), free(p->which), free(p->d), free(p->D), free(p->mass);
  free(p->t), free(p->rows), free(p->out[GAINS_BARE]), free(p->out[GAINS_LOADED]);
  free(p->K), free(p->row), free(p->known), free(p->x), free(p->trial), free(p->b);
  free(p->weight), free(p->noise), free(p->rms), free(p->G), free(p->B), free(p->Vt);
  free(p->s), free(p->scale), free(p->room);
}

static double *numbers(size_t count) { return calloc(count + 1, sizeof(double)); }

static bool make_arrays(gain_problem *p) {
  const size_t nv = (size_t)p->nv, n = (size_t)p->n, wide = (size_t)p->count + 1;
  const size_t most = n + 2 > AP__BLOCK ? n + 2 : AP__BLOCK;
  p->columns = calloc(nv, sizeof *p->columns);
  p->place = calloc(nv * n + 1, sizeof *p->place);
  p->which = calloc(nv * n + 1, sizeof *p->which);
  p->rows = calloc(nv, sizeof *p->rows);
  p->t = calloc(GAINS_LOGS * nv, sizeof *p->t);
  p->d = numbers(n), p->D = numbers(n * (size_t)p->nl), p->mass = numbers(n), p->b = numbers(n);
  p->K = numbers(AP__CHUNK * nv * (size_t)p->id->width);
  p->row = numbers((size_t)p->id->np), p->known = numbers(nv);
  p->x = numbers(wide), p->trial = numbers(wide), p->s = numbers(wide), p->scale = numbers(wide);
  p->weight = numbers(nv), p->noise = numbers(nv), p->rms = numbers(nv);
  p->G = numbers(wide * wide), p->Vt = numbers(wide * wide), p->B = numbers((n + 2) * wide);
  p->room = numbers(ap__triangle_room((int)wide, (int)most));
  return p->columns && p->place && p->which && p->rows && p->t && p->d && p->D && p->mass && p->b &&
         p->K && p->row && p->known && p->x && p->trial && p->s && p->scale && p->weight &&
         p->noise && p->rms && p->G && p->Vt && p->B && p->room;
}

static bool make_triangles(gain_problem *p) {
  for (int j = 0; j < p->nv; j++) {
    int *place = p->place + ap__row(j, p->n), *which = p->which + ap__row(j, p->n);
    for (int k = 0, c = 0; k < p->n; k++) { // both lists ascend
      while (c < p->id->nactive[j] && p->id->active[j][c] < p->base->leader[k]) c++;
      if (c == p->id->nactive[j] || p->id->active[j][c] != p->base->leader[k]) continue;
      place[p->columns[j]] = c, which[p->columns[j]++] = k;
    }
    for (int log = 0; log < GAINS_LOGS; log++) {
      triangle *t = &p->t[log * p->nv + j];
      t->n = p->columns[j] + 2;
      t->R = calloc(ap__row(t->n, t->n), sizeof *t->R);
      t->B = calloc(ap__row(AP__BLOCK, t->n), sizeof *t->B);
      if (!t->R || !t->B) return false;
    }
  }
  return true;
}

// Whether the total mass is a combination of base parameters, and which: leaders have the factor of
// their mass, and every other standard parameter must agree.
static bool find_mass(gain_problem *p) {
  const int inertial = 10 * p->id->bodies;
  if (!(p->o->total_mass > 0) || p->id->payload) return false;
  for (int k = 0; k < p->n; k++) {
    const int leader = p->base->leader[k];
    p->mass[k] = leader < inertial && leader % 10 == 0;
  }
  for (int i = 0; i < p->id->np; i++) {
    double sum = 0;
    for (int k = 0; k < p->n; k++) sum += p->mass[k] * ap_base_factor(p->base, k, i);
    if (fabs(sum - (i < inertial && i % 10 == 0)) > 1e-6) return false;
  }
  return true;
}

// ---- the linearised problem --------------------------------------------------------------------

// The rows of triangle t of a log and a joint: derivatives of the currents by x, and what is left.
static void linear_rows(gain_problem *p, int log, int j, const double *x, const double *b) {
  const triangle *t = &p->t[log * p->nv + j];
  const int *which = p->which + ap__row(j, p->n), wide = p->count + 1;
  const double w = p->weight[j], h = x[gain_at(p, j)];
  memset(p->B, 0, ap__row(t->n, wide) * sizeof *p->B);
  for (int r = 0; r < t->n; r++) {
    const double *R = t->R + ap__row(r, t->n);
    double *row = p->B + ap__row(r, wide), force = r < t->n - 1 ? R[t->n - 2] : 0;
    for (int c = r; c < t->n - 2; c++) {
      force += R[c] * b[which[c]];
      row[which[c]] = w * h * R[c];
      for (int l = 0; log == GAINS_LOADED && l < p->nl; l++)
        row[p->n + l] += w * h * R[c] * p->D[ap__row(which[c], p->nl) + (size_t)l];
    }
    row[gain_at(p, j)] = w * force;
    row[p->count] = w * (R[t->n - 1] - h * force);
  }
}

// The triangle of all rows at x, in p->G.
static void linearise(gain_problem *p, const double *x) {
  const int wide = p->count + 1;
  memset(p->G, 0, ap__row(wide, wide) * sizeof *p->G);
  for (int log = 0; log < GAINS_LOGS; log++) {
    const double *b = ap__gains_parameters(p, log, x);
    for (int j = 0; j < p->nv; j++) {
      if (p->t[log * p->nv + j].rows == 0) continue;
      linear_rows(p, log, j, x, b);
      ap__triangle_absorb(wide, p->G, p->t[log * p->nv + j].n, p->B, p->room);
    }
  }
  if (!p->weighs) return;
  memset(p->B, 0, (size_t)wide * sizeof *p->B);
  const double w = 1 / (WEIGHED * p->o->total_mass);
  p->B[p->count] = w * p->o->total_mass;
  for (int k = 0; k < p->n; k++) p->B[k] = w * p->mass[k], p->B[p->count] -= w * p->mass[k] * x[k];
  ap__triangle_absorb(wide, p->G, 1, p->B, p->room);
}

// Singular values and vectors of the first n columns, brought to length one.
static ap_status decompose(gain_problem *p, int n) {
  const int wide = p->count + 1;
  for (int k = 0; k < n; k++) {
    const double length = ap__length(p->G + k, k + 1, wide);
    p->scale[k] = length > 0 ? length : 1;
  }
  for (int i = 0; i < n; i++) {
    const double *from = p->G + ap__row(i, wide);
    double *to = p->Vt + ap__row(i, n + 1);
    for (int k = 0; k < n; k++) to[k] = k < i ? 0 : from[k] / p->scale[k];
    to[n] = from[p->count];
  }
  return ap__svd(n, 1, p->Vt, p->s);
}

static bool is_null(const gain_problem *p, int i) { return !(p->s[i] > NEGLIGIBLE * p->s[0]); }

static const double *vector_of(const gain_problem *p, int n, int i) {
  return p->Vt + ap__row(i, n + 1);
}

// Sum of the weighted squares of joint j (-1: of all, and of the mass).
static double squares(gain_problem *p, const double *x, int only, bool weighted) {
  double sum = 0;
  for (int log = 0; log < GAINS_LOGS; log++) {
    const double *b = ap__gains_parameters(p, log, x);
    for (int j = 0; j < p->nv; j++) {
      const triangle *t = &p->t[log * p->nv + j];
      const int *which = p->which + ap__row(j, p->n);
      const double w = weighted ? p->weight[j] : 1, h = x[gain_at(p, j)];
      for (int r = 0; r < t->n && (only < 0 || only == j); r++) {
        const double *R = t->R + ap__row(r, t->n);
        double force = r < t->n - 1 ? R[t->n - 2] : 0;
        for (int c = r; c < t->n - 2; c++) force += R[c] * b[which[c]];
        sum += w * w * (R[t->n - 1] - h * force) * (R[t->n - 1] - h * force);
      }
    }
  }
  double mass = p->o->total_mass;
  for (int k = 0; k < p->n; k++) mass -= p->mass[k] * x[k];
  if (only < 0 && p->weighs) sum += pow(mass / (WEIGHED * p->o->total_mass), 2);
  return sum;
}

// ---- steps -------------------------------------------------------------------------------------

// Unknown k after a move, and half way back. Gains move as g = 1 / h: a robot and drives that are
// stronger together lie on a straight line of g and b, which long steps can follow.
static double moved(const gain_problem *p, int k, double move) {
  const double x = p->x[k];
  return k >= gain_at(p, 0) ? 1 / (1 / x - move / (x * x)) : x + move;
}
static double half_way(const gain_problem *p, int k, double to) {
  return k >= gain_at(p, 0) ? 2 / (1 / p->x[k] + 1 / to) : (p->x[k] + to) / 2;
}

// One step of Gauss and Newton, halved until the squares fall; *done where there is none.
static ap_status step(gain_problem *p, bool *done) {
  const int n = p->count;
  linearise(p, p->x);
  const ap_status status = decompose(p, n);
  if (status) return status;
  double length = 0, size = 0, *move = p->trial, part = 1;
  for (int k = 0; k < n; k++) move[k] = 0;
  for (int i = 0; i < n && !is_null(p, i); i++) {
    const double *v = vector_of(p, n, i);
    for (int k = 0; k < n; k++) move[k] += v[n] / p->s[i] * v[k];
  }
  for (int k = 0; k < n; k++) {
    length += move[k] * move[k], size += p->x[k] * p->x[k] * p->scale[k] * p->scale[k];
    move[k] /= p->scale[k];
  }
  const double before = squares(p, p->x, -1, true);
  for (int k = 0; k < n; k++) move[k] = moved(p, k, move[k]);
  int turn = 0;
  double after = squares(p, move, -1, true);
  while (turn < HALVINGS && !(after <= before * (1 + 1e-12))) {
    for (int k = 0; k < n; k++) move[k] = half_way(p, k, move[k]);
    part /= 2, turn++;
    after = squares(p, move, -1, true);
  }
  // squares are as many as rows where weights suit the noise: what is left to gain is below a
  // hundredth of a deviation
  *done =
      turn == HALVINGS || before - after <= 1e-10 * before || part * part * length <= 1e-22 * size;
  if (turn < HALVINGS) memcpy(p->x, move, (size_t)n * sizeof *move);
  return AP_OK;
}

// Weights from the noise about the fit. The unknowns cost as many degrees of freedom, shared by the
// joints as their rows are.
static void find_noise(gain_problem *p) {
  double all = 0, most = 0;
  for (int j = 0; j < p->nv; j++) all += (double)p->rows[j], most = fmax(most, p->rms[j]);
  for (int j = 0; j < p->nv; j++) {
    const double rows = (double)p->rows[j], left = rows - p->count * rows / fmax(all, 1);
    p->noise[j] = left > 0 ? sqrt(squares(p, p->x, j, false) / left) : 0;
    p->weight[j] = 1 / fmax(fmax(p->noise[j], 1e-6 * p->rms[j]), 1e-9 * most + 1e-300);
  }
}

// The fit to what is in the triangles: from equal relative weights to those of the noise.
static ap_status fit(gain_problem *p, int rounds, int *iterations) {
  for (int round = 0; round < rounds; round++) {
    bool done = false;
    for (int k = 0; !done && k < p->o->iterations; k++, ++*iterations) {
      const ap_status status = step(p, &done);
      if (status) return status;
    }
    if (!done)
      return AP__REFUSE(
          p->error, AP_E_NO_CONVERGENCE, 0,
          "the currents do not fix the gains: what is known shows too little in them (a "
          "heavier load, a longer log or less noise is needed)");
    find_noise(p);
  }
  return AP_OK;
}

// The model's parameters, and of each joint the gain that suits them best.
static ap_status start(gain_problem *p) {
  double *nominal = numbers((size_t)p->id->np), typical = 0, most = 0;
  int good = 0;
  if (!nominal) return AP_E_MEMORY;
  ap_ident_nominal(p->id, nominal);
  ap_base_values(p->base, nominal, p->x);
  free(nominal);
  for (int j = 0; j < p->nv; j++) {
    double uu = 0, uz = 0, zz = 0;
    for (int log = 0; log < GAINS_LOGS; log++) {
      const double *b = ap__gains_parameters(p, log, p->x);
      const triangle *t = &p->t[log * p->nv + j];
      const int *which = p->which + ap__row(j, p->n);
      for (int r = 0; r < t->n; r++) {
        const double *R = t->R + ap__row(r, t->n), z = R[t->n - 1];
        double force = r < t->n - 1 ? R[t->n - 2] : 0;
        for (int c = r; c < t->n - 2; c++) force += R[c] * b[which[c]];
        uu += force * force, uz += force * z, zz += z * z;
      }
    }
    p->rms[j] = p->rows[j] > 0 ? sqrt(zz / (double)p->rows[j]) : 0;
    most = fmax(most, p->rms[j]);
    const bool related = uz * uz > UNRELATED * UNRELATED * uu * zz;
    p->x[gain_at(p, j)] = related ? uz / uu : 0;
    if (related) typical += log(fabs(uz / uu)), good++;
  }
  for (int j = 0; j < p->nv; j++) {
    double *h = &p->x[gain_at(p, j)];
    if (*h == 0) *h = good > 0 ? exp(typical / good) : 1;
    p->weight[j] = 1 / fmax(p->rms[j], 1e-9 * most + 1e-300);
  }
  return AP_OK;
}

// Until the outliers are those of the pass before.
static ap_status fit_without_outliers(gain_problem *p, int *iterations) {
  bool changed = p->o->reject > 0;
  ap_status status = fit(p, ROUNDS, iterations);
  for (int pass = 1; !status && changed && pass < PASSES; pass++) {
    status = ap__gains_mark(p, &changed);
    if (status || !changed) break;
    ap__gains_take_in(p);
    status = fit(p, 2, iterations);
  }
  return status;
}

// ---- deviations --------------------------------------------------------------------------------

// The covariance of the first n unknowns from the triangle, null vectors left out; null[k]: one has
// an entry of unknown k.
static ap_status covariance(gain_problem *p, int n, double *C, bool *null) {
  const ap_status status = decompose(p, n);
  if (status) return status;
  memset(C, 0, ap__row(n, n) * sizeof *C);
  for (int i = 0; i < n; i++) {
    const double *v = vector_of(p, n, i);
    for (int a = 0; a < n && is_null(p, i); a++) null[a] = null[a] || fabs(v[a]) > NO_ENTRY;
    for (int a = 0; a < n && !is_null(p, i); a++)
      for (int b = 0; b < n; b++)
        C[ap__row(a, n) + (size_t)b] +=
            v[a] / p->scale[a] * (v[b] / p->scale[b]) / (p->s[i] * p->s[i]);
  }
  return AP_OK;
}

typedef struct spread {
  double *C, *inner; // covariances of x, and of the base parameters where load and gains are given
  double *inflation; // [count]
  bool *null, *not_used; // [count]
} spread;

static ap_status find_spread(gain_problem *p, spread *s) {
  const size_t n = (size_t)p->count;
  s->C = numbers(n * n), s->inner = numbers(n * n), s->inflation = numbers(n);
  s->null = calloc(n + 1, sizeof *s->null), s->not_used = calloc(n + 1, sizeof *s->not_used);
  if (!s->C || !s->inner || !s->inflation || !s->null || !s->not_used) return AP_E_MEMORY;
  linearise(p, p->x);
  ap_status status = covariance(p, p->n, s->inner, s->not_used); // base parameters come first
  if (!status) status = covariance(p, p->count, s->C, s->null);
  if (!status) status = ap__gains_inflation(p, s->C, s->inflation);
  return status;
}

static void spread_free(spread *s) {
  free(s->C), free(s->inner), free(s->inflation), free(s->null), free(s->not_used);
}

static double variance(const double *C, int n, int k) { return C[ap__row(k, n) + (size_t)k]; }

// ---- what came out -----------------------------------------------------------------------------

static ap_drive_gains *gains_new(const gain_problem *p) {
  ap_drive_gains *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  *g = (ap_drive_gains){.nv = p->nv, .n = p->n, .np = p->id->np};
  g->gain = numbers((size_t)p->nv), g->deviation = numbers((size_t)p->nv);
  g->noise = numbers((size_t)p->nv), g->sure = calloc((size_t)p->nv, sizeof *g->sure);
  g->value = numbers((size_t)p->n), g->base_deviation = numbers((size_t)p->n);
  g->excess = numbers((size_t)p->n), g->load = numbers((size_t)p->id->np);
  if (g->gain && g->deviation && g->noise && g->sure && g->value && g->base_deviation &&
      g->excess && g->load)
    return g;
  ap_drive_gains_free(g);
  return NULL;
}

static void fill_gains(const gain_problem *p, const spread *s, ap_drive_gains *g) {
  double sum = 0;
  int seen = 0;
  for (int j = 0; j < p->nv; j++) {
    const int at = gain_at(p, j);
    const double h = p->x[at];
    const bool hidden = !has_gain(p, j) || s->null[at] || h == 0;
    g->noise[j] = has_gain(p, j) ? p->noise[j] : 0;
    g->gain[j] = hidden ? NAN : 1 / h;
    g->deviation[j] =
        hidden ? INFINITY : sqrt(variance(s->C, p->count, at) * s->inflation[at]) / (h * h);
    g->sure[j] = !hidden && g->deviation[j] <= p->o->uncertain * fabs(g->gain[j]);
    g->identifiable += g->sure[j];
    if (!hidden) sum += s->inflation[at], seen++;
  }
  g->inflation = seen > 0 ? sum / seen : 1;
}

static void fill_base(gain_problem *p, const spread *s, ap_drive_gains *g) {
  const double *with = ap__gains_parameters(p, GAINS_LOADED, p->x);
  for (int k = 0; k < p->n; k++) {
    const double all = variance(s->C, p->count, k) * s->inflation[k];
    const double inner = variance(s->inner, p->n, k) * s->inflation[k];
    g->value[k] = p->x[k];
    g->base_deviation[k] = s->null[k] ? INFINITY : sqrt(all);
    g->excess[k] = s->null[k] ? INFINITY : fmax(0, all - inner);
    g->load[p->base->leader[k]] = with[k] - p->x[k];
  }
}

// Why nothing fixes the scale; g: what was found nevertheless, or NULL.
static ap_status no_scale(const gain_problem *p, const ap_drive_gains *g) {
  double best = INFINITY;
  for (int j = 0; g && j < p->nv; j++)
    if (!isnan(g->gain[j])) best = fmin(best, g->deviation[j] / fabs(g->gain[j]));
  if (isfinite(best))
    return AP__REFUSE(
        p->error, AP_E_ARG, 0,
        "no gain is identifiable: the best is known to %.3g %% only (a heavier load, a "
        "longer log or less noise is needed)",
        100 * best);
  if (p->log[GAINS_LOADED] && !p->log[GAINS_BARE])
    return AP__REFUSE(p->error, AP_E_ARG, 0,
                      "no gain is identifiable: every log carries the load, which is then no other "
                      "than a part of the robot (logs without it are needed, too)");
  if (p->log[GAINS_LOADED])
    return AP__REFUSE(
        p->error, AP_E_ARG, 0,
        "no gain is identifiable: the known part of the load shows in no current that "
        "was measured (move joints that carry it)");
  return AP__REFUSE(
      p->error, AP_E_ARG, 0,
      "no gain is identifiable: nothing known fixes the scale, a robot twice as heavy "
      "with drives twice as strong has the same log (logs with and without a load of "
      "known mass are needed%s)",
      p->o->total_mass > 0 ? "; the total mass shows in no joint force here" : "");
}

// Null vectors are there at every point: already where the fit starts.
static ap_status check_scale(gain_problem *p) {
  bool any = false;
  linearise(p, p->x);
  const ap_status status = decompose(p, p->count);
  if (status) return status;
  for (int j = 0; j < p->nv; j++) {
    bool hidden = !has_gain(p, j);
    for (int i = p->count - 1; i >= 0 && is_null(p, i); i--)
      hidden = hidden || fabs(vector_of(p, p->count, i)[gain_at(p, j)]) > NO_ENTRY;
    any = any || !hidden;
  }
  return any ? AP_OK : no_scale(p, NULL);
}

static ap_status make(gain_problem *p, ap_drive_gains **gains) {
  spread s = {.C = NULL};
  int iterations = 0;
  ap__gains_take_in(p);
  long all = 0;
  for (int j = 0; j < p->nv; j++) all += p->rows[j];
  if (all <= p->count)
    return AP__REFUSE(p->error, AP_E_ARG, 0, "%ld currents are too few for %d unknowns", all,
                      p->count);
  ap_status status = start(p);
  if (!status) status = check_scale(p);
  if (!status) status = fit_without_outliers(p, &iterations);
  if (!status) status = find_spread(p, &s);
  ap_drive_gains *g = status ? NULL : gains_new(p);
  if (!status && !g) status = AP_E_MEMORY;
  if (!status) {
    g->iterations = iterations;
    fill_gains(p, &s, g);
    fill_base(p, &s, g);
    if (g->identifiable == 0) status = no_scale(p, g);
  }
  spread_free(&s);
  if (status)
    ap_drive_gains_free(g);
  else
    *gains = g;
  return status;
}

static ap_status check(const gain_problem *p) {
  for (int log = 0; log < GAINS_LOGS; log++) {
    const ap_dataset *s = p->log[log];
    if (s && (!s->currents || s->nv != p->nv || s->nq != p->id->nq))
      return AP__REFUSE(p->error, AP_E_ARG, 0,
                        "the states have no currents of this robot (prepare them with `currents`)");
  }
  if (!p->log[GAINS_LOADED] != !p->o->load)
    return AP__REFUSE(p->error, AP_E_ARG, 0,
                      p->o->load ? "a known load, but no log that carries it"
                                 : "logs with a load, but nothing is known of it");
  if (!(p->o->uncertain > 0) || !(p->o->reject >= 0) || p->o->iterations < 1 ||
      !(p->o->total_mass >= 0) || !isfinite(p->o->total_mass))
    return AP__REFUSE(p->error, AP_E_ARG, 0, "an option of the gains is out of range");
  return AP_OK;
}

ap_status ap_drive_gains_find(ap_ident *ident, const ap_base *base, const ap_dataset *bare,
                              const ap_dataset *loaded, const ap_drive_gain_options *options,
                              ap_drive_gains **gains, ap_error *error) {
  const ap_drive_gain_options standard = ap_default_drive_gains();
  gain_problem p = {.id = ident, .base = base, .o = options ? options : &standard, .error = error};
  int link = 0;
  *gains = NULL;
  if (error) error->status = AP_OK;
  if (!AP_STARTS_FROM(ap_default_drive_gains, p.o, error)) return AP_E_ARG;
  p.log[GAINS_BARE] = bare && bare->count > 0 ? bare : NULL;
  p.log[GAINS_LOADED] = loaded && loaded->count > 0 ? loaded : NULL;
  p.nv = ident->nv, p.n = base->n;
  ap_status status = check(&p);
  if (!status && p.o->load) status = check_load(ident, p.o->load, &link, error);
  if (status) return status;
  if (p.o->load) p.nl = !p.o->load->centre ? 9 : !p.o->load->inertia ? 6 : 0;
  p.count = p.n + p.nl + p.nv;
  status = make_arrays(&p) && make_triangles(&p) ? AP_OK : AP_E_MEMORY;
  if (!status && p.o->load) place_load(&p, link);
  if (!status) p.weighs = find_mass(&p);
  if (!status) status = make(&p, gains);
  problem_free(&p);
  if (status && error && error->status == AP_OK)
    ap__fail(error, status, 0, "the gains: %s", ap_status_text(status));
  return status;
}

// Joints that have currents, but no identifiable gain, show nothing; whether there are any. What
// was found of a joint that was left out before is kept.
static bool leave_out(ap_ident *id, const ap_drive_gains *before, ap_drive_gains *g) {
  bool any = false;
  for (int j = 0; j < g->nv; j++) {
    if (before && id->silent[j] && before->noise[j] > 0)
      g->gain[j] = before->gain[j], g->deviation[j] = before->deviation[j],
      g->noise[j] = before->noise[j];
    if (g->sure[j] || id->silent[j]) continue;
    id->silent[j] = true, id->nactive[j] = 0;
    any = true;
  }
  return any;
}

ap_status ap_drive_gains_settle(ap_ident *ident, ap_base_method method, ap_base **base,
                                const ap_dataset *bare, const ap_dataset *loaded,
                                const ap_drive_gain_options *options, ap_drive_gains **gains,
                                ap_error *error) {
  ap_drive_gains *before = NULL;
  ap_status status = ap_drive_gains_find(ident, *base, bare, loaded, options, gains, error);
  while (!status && leave_out(ident, before, *gains)) {
    ap_drive_gains_free(before);
    before = *gains, *gains = NULL;
    ap_base_free(*base);
    *base = NULL;
    status = ap_base_find(ident, method, base, error);
    if (!status) status = ap_drive_gains_find(ident, *base, bare, loaded, options, gains, error);
  }
  ap_drive_gains_free(before);
  return status;
}

// ---- using them --------------------------------------------------------------------------------

ap_status ap_drive_gains_apply(const ap_drive_gains *g, ap_ident *id, bool loaded, ap_dataset *s) {
  if (!s->currents || s->nv != g->nv || id->nv != g->nv || id->np != g->np) return AP_E_ARG;
  double *W = malloc(ap__row(id->nv, id->np) * sizeof *W + 1);
  if (!W) return AP_E_MEMORY;
  for (int i = 0; i < s->count; i++) {
    double *q = s->number + (size_t)i * ((size_t)s->nq + 3 * (size_t)s->nv), *v = q + s->nq;
    double *a = v + s->nv, *tau = a + s->nv;
    for (int j = 0; j < s->nv; j++) tau[j] = g->sure[j] ? tau[j] * g->gain[j] : NAN;
    ap__ident_subtract_known(id, q, v, a, tau, tau);
    if (!loaded) continue;
    ap_ident_rows(id, q, v, a, W);
    for (int j = 0; j < s->nv; j++)
      for (int k = 0; k < id->np; k++) tau[j] -= W[ap__row(j, id->np) + (size_t)k] * g->load[k];
  }
  s->currents = false;
  free(W);
  return AP_OK;
}

ap_status ap_drive_gains_widen(const ap_drive_gains *g, ap_fit *fit) {
  if (fit->n != g->n) return AP_E_ARG;
  for (int k = 0; k < fit->n; k++)
    fit->deviation[k] = sqrt(fit->deviation[k] * fit->deviation[k] + g->excess[k]);
  return AP_OK;
}
