// SPDX-License-Identifier: Apache-2.0
// Doubts about what came out: a delay between forces and motion, residuals, masses.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/doubt.h"
#include "model/frozen.h"

// ---- delay -------------------------------------------------------------------------------------

// Forces that are measured d late are tau(t) = W(t - d) p. Shifted back by an estimate d0 they obey
// W p = tau + (d - d0) tau', to first order: one column more, -tau', in the triangle. The log is
// shifted and prepared anew until nothing is left of d - d0.
typedef struct delay_fit {
  second_look look;
  const ap_ident *own;
  const ap_samples *part;
  ap_prepare_options how;
  ap_dataset *s;
  int stride;     // every stride-th state
  int n;          // base parameters, delay, force
  int *place;     // [np] column of a standard parameter; -1: it leads no base parameter
  double *weight; // [nv]
  double *rms;    // [nv] of the forces
  double *W;      // [np] active columns of a row
  double *row;    // [n]
  double *x;      // [n] base parameters, and what is left of the delay
  double *R;      // [n * n]
  double *room;
  long rows;
} delay_fit;

enum { DELAY_STATES = 600, DELAY_SAMPLES = 40000, DELAY_TURNS = 8 };

static bool make_delay_fit(delay_fit *f) {
  const ap_ident *id = f->look.id;
  f->n = f->look.base->n + 2;
  f->stride = f->s->count / DELAY_STATES + 1;
  f->place = malloc((size_t)id->np * sizeof *f->place + 1);
  f->weight = calloc((size_t)id->nv + 1, sizeof *f->weight);
  f->rms = calloc((size_t)id->nv + 1, sizeof *f->rms);
  f->x = malloc((size_t)f->n * sizeof *f->x);
  f->W = malloc((size_t)id->np * sizeof *f->W + 1);
  f->row = malloc((size_t)f->n * sizeof *f->row);
  f->R = malloc(ap__row(f->n, f->n) * sizeof *f->R);
  f->room = malloc(ap__triangle_room(f->n, 1) * sizeof *f->room);
  if (!f->place || !f->weight || !f->rms || !f->x || !f->W || !f->row || !f->R || !f->room)
    return false;
  for (int k = 0; k < id->np; k++) f->place[k] = -1;
  for (int k = 0; k < f->look.base->n; k++) f->place[f->look.base->leader[k]] = k;
  return true;
}

static void free_delay_fit(delay_fit *f) {
  ap_dataset_free(f->s), free(f->rms), free(f->x);
  free(f->place), free(f->weight), free(f->W), free(f->row), free(f->R), free(f->room);
}

// Row of joint j in state i: base columns, -tau', tau; false where there is no force.
static bool delay_row(delay_fit *f, int i, int j) {
  ap_ident *id = f->look.id;
  const double *q, *v, *a, *tau;
  ap_dataset_at(f->s, i, &q, &v, &a, &tau);
  if (id->silent[j] || !isfinite(tau[j])) return false;
  ap__ident_row(id, id->K, j, q, v, a, f->W);
  memset(f->row, 0, (size_t)f->n * sizeof *f->row);
  for (int k = 0; k < id->nactive[j]; k++) {
    const int to = f->place[id->active[j][k]];
    if (to >= 0) f->row[to] = f->W[k];
  }
  f->row[f->n - 2] = -f->s->slope[ap__row(i, 2 * id->nv) + (size_t)j];
  f->row[f->n - 1] = tau[j];
  return true;
}

static void regressor_of(delay_fit *f, int i) {
  const double *q, *v, *a, *tau;
  ap_dataset_at(f->s, i, &q, &v, &a, &tau);
  ap_regressor(f->look.id->m, f->look.id->w, q, v, a, f->look.id->K);
}

static void take_in(delay_fit *f) {
  memset(f->R, 0, ap__row(f->n, f->n) * sizeof *f->R);
  f->rows = 0;
  for (int i = 0; i < f->s->count; i += f->stride) {
    regressor_of(f, i);
    for (int j = 0; j < f->s->nv; j++) {
      if (!(f->weight[j] > 0) || !delay_row(f, i, j)) continue;
      for (int k = 0; k < f->n; k++) f->row[k] *= f->weight[j];
      ap__triangle_absorb(f->n, f->R, 1, f->row, f->room);
      f->rows++;
    }
  }
}

// Weights of one over the root mean square of each joint's forces; with x, over that of what the
// fit with the delay leaves of them, so that the noise of one joint does not hide the delay that
// another one shows.
static void weigh(delay_fit *f, const double *x) {
  const int nv = f->s->nv;
  double *sum = f->weight;
  long count[AP__MOST_DOUBTED] = {0};
  for (int j = 0; j < nv; j++) sum[j] = 0;
  for (int i = 0; i < f->s->count; i += f->stride) {
    regressor_of(f, i);
    for (int j = 0; j < nv; j++) {
      if (!delay_row(f, i, j)) continue;
      double off = f->row[f->n - 1];
      for (int k = 0; x && k < f->n - 1; k++) off -= f->row[k] * x[k];
      sum[j] += off * off, count[j]++;
    }
  }
  for (int j = 0; j < nv; j++) {
    const double rms = count[j] > 0 ? sqrt(sum[j] / (double)count[j]) : 0;
    if (!x) f->rms[j] = rms;
    f->weight[j] = rms > 0 ? 1 / fmax(rms, 1e-3 * f->rms[j]) : 0;
  }
}

// What the fit says: how far d is from the delay, its deviation, squares without and with it.
typedef struct delay_step {
  double d, deviation, without, with;
} delay_step;

static delay_step solve_delay(const delay_fit *f) {
  const double *last = f->R + ap__row(f->n - 1, f->n);
  const double own = last[-2], cross = last[-1], rest = last[f->n - 1];
  delay_step s = {.d = 0, .deviation = INFINITY, .without = cross * cross + rest * rest};
  s.with = rest * rest;
  if (own == 0 || f->rows <= f->n) return s;
  s.d = cross / own;
  s.deviation = fabs(rest / own) / sqrt((double)(f->rows - f->n));
  return s;
}

// The log with forces shifted back by d more than was asked for.
static ap_status shift(delay_fit *f, double d) {
  ap_prepare_options how = f->how;
  how.delay += d;
  ap_dataset_free(f->s);
  f->s = NULL;
  return ap__dataset_prepare(f->own, f->part, &how, true, &f->s, NULL);
}

// From no delay on; *before, *after: squares without and with it, each in units of the noise.
static bool iterate(delay_fit *f, double most, double *d, double *deviation, double *before,
                    double *after) {
  for (int turn = 0; turn < DELAY_TURNS; turn++) {
    take_in(f);
    const delay_step s = solve_delay(f);
    if (!isfinite(s.deviation)) return false;
    if (turn == 0) *before = s.without / (double)f->rows;
    *after = s.with / (double)f->rows, *deviation = s.deviation;
    const double next = fmax(-most, fmin(most, *d + s.d)), moved = next - *d;
    *d = next;
    if (fabs(moved) < fmax(s.deviation / 10, 1e-6)) break;
    if (shift(f, *d)) return false;
  }
  return true;
}

static void find_delay(delay_fit *f, double most, double *delay, double *deviation,
                       ap_doubts *doubts) {
  double d = 0, spread = INFINITY, before = 0, after = 0;
  weigh(f, NULL);
  take_in(f);
  const double without = solve_delay(f).without;
  for (int k = 0; k < f->n - 1; k++) f->x[k] = f->R[ap__row(k + 1, f->n) - 1];
  if (f->rows <= f->n || !ap__triangle_solve(f->n - 1, f->R, f->n, 1, f->x, 1)) return;
  weigh(f, f->x);
  if (!iterate(f, most, &d, &spread, &before, &after)) return;
  *delay = d, *deviation = spread;
  const bool better =
      after < 0.8 * before && without > 1e-8 * (double)f->rows; // rounding is no delay
  if (!better || fabs(d) < 1e-3 || fabs(d) < 5 * spread) return;
  ap_doubt *doubt = ap__doubt_add(doubts, AP_DOUBT_DELAY, false, -1, d, spread);
  ap__doubt_say(
      doubt,
      "the forces are %.3g ms %s than the motion (deviation %.2g ms): shifted, squares of "
      "what is unexplained fall to %.3g %%, joints relative to their noise (--delay %.3g)",
      1e3 * fabs(d), d > 0 ? "later" : "earlier", 1e3 * spread, 100 * after / before,
      f->how.delay + d);
}

// A stretch in the middle of the log.
static ap_samples middle_of(const ap_ident *id, const ap_samples *x) {
  const int n = x->n < DELAY_SAMPLES ? x->n : DELAY_SAMPLES;
  const int from = (x->n - n) / 2;
  ap_samples part = *x;
  part.n = n, part.line = NULL;
  part.t += from, part.q += ap__row(from, id->nq), part.tau += ap__row(from, id->nv);
  if (part.v) part.v += ap__row(from, id->nv);
  if (part.a) part.a += ap__row(from, id->nv);
  return part;
}

ap_status ap_doubt_delay(ap_ident *ident, const ap_samples *samples,
                         const ap_prepare_options *options, double *delay, double *deviation,
                         ap_doubts *doubts, ap_error *error) {
  *delay = 0, *deviation = INFINITY;
  if (ident->nv > AP__MOST_DOUBTED || (options && options->at_rest)) return AP_OK;
  const ap_samples part = middle_of(ident, samples);
  delay_fit f = {.own = ident, .part = &part, .how = options ? *options : ap_default_prepare()};
  ap_status status = ap__dataset_prepare(ident, &part, &f.how, true, &f.s, NULL);
  if (!status) status = ap__look_again(ident, f.s, &f.look);
  if (!status && ident->payload) { // the delay is that of the whole force
    f.own = f.look.id;
    status = shift(&f, 0);
  }
  if (!status) status = make_delay_fit(&f) ? AP_OK : AP_E_MEMORY;
  if (!status) find_delay(&f, 1 / f.s->cutoff, delay, deviation, doubts);
  free_delay_fit(&f), ap__second_look_free(&f.look);
  return status == AP_E_MEMORY ? ap__no_memory(error) : AP_OK;
}

// ---- residuals and masses ----------------------------------------------------------------------

static void doubt_residuals(const ap_ident *id, const ap_fit *fit, const double *error,
                            const double *force, ap_doubts *doubts) {
  double most = 0;
  hinge *list;
  const int n = ap__hinges(id->m, &list);
  for (int j = 0; j < fit->nv; j++) most = fmax(most, force[j]);
  for (int k = 0; list && k < n; k++) {
    const int j = list[k].v;
    if (!(error[j] > 0.5 * force[j]) || !(error[j] > 0.02 * most)) continue;
    ap_doubt *d = ap__doubt_add(doubts, AP_DOUBT_RESIDUAL, false, j, error[j] / force[j], 0.5);
    ap__doubt_say(d,
                  "%.3g %% of tau.%.60s is unexplained (%.3g of %.3g %s, root mean square): noise, "
                  "contact, or something that the model does not have",
                  100 * d->value, list[k].name, error[j], force[j], list[k].turns ? "N m" : "N");
  }
  free(list);
}

// How far parameter k may be from the model's: a body's mass by twice of it, its centre by 0.3 m,
// its radii of gyration by 0.3 m; friction and the like by anything.
static double freedom(const ap_ident *id, const double *nominal, double mean, int k) {
  if (k >= 10 * id->bodies) return 1e3;
  const double mass = 2 * nominal[k - k % 10] + 0.1 * mean;
  return k % 10 == 0 ? mass : k % 10 < 4 ? 0.3 * mass : 0.1 * mass;
}

double ap__mass_of(const ap_ident *id, const double *p) {
  double sum = 0;
  for (int i = 0; i < id->bodies; i++) sum += p[ap__row(i, 10)];
  return sum;
}

ap_status ap__demanded(ap_reduction *r, const ap_fit *fit, double *p) {
  const ap_ident *id = r->ident;
  const int np = id->np, n = np + 1;
  double *G = malloc((2 * ap__row(n, n) + ap__triangle_room(n, np)) * sizeof *G);
  double *weight = malloc((size_t)(np + fit->nv) * sizeof *weight), *force = weight + np;
  if (!G || !weight) return free(G), free(weight), AP_E_MEMORY;
  double *B = G + ap__row(n, n), *room = B + ap__row(n, n);
  ap_reduction_force_rms(r, force);
  for (int j = 0; j < fit->nv; j++) weight[j] = 1 / (fit->noise[j] + 1e-3 * force[j] + 1e-12);
  ap_status status = ap__reduction_gather(r, weight, -1, G);
  if (!status) {
    ap_ident_nominal(id, p);
    const double mean = ap__mass_of(id, p) / id->bodies + 1e-6;
    memset(B, 0, ap__row(np, n) * sizeof *B);
    for (int k = 0; k < np; k++) {
      const double scale = 1 / freedom(id, p, mean, k);
      B[ap__row(k, n) + (size_t)k] = scale, B[ap__row(k, n) + (size_t)np] = scale * p[k];
    }
    ap__triangle_absorb(n, G, np, B, room);
    for (int k = 0; k < np; k++) p[k] = G[ap__row(k, n) + (size_t)np];
    if (!ap__triangle_solve(np, G, n, 1, p, 1)) status = AP_E_SINGULAR;
  }
  free(G), free(weight);
  return status;
}

// The masses of the moving bodies, all together and one by one.
static void doubt_masses(const ap_ident *id, const double *p, const double *nominal,
                         ap_doubts *doubts) {
  const double all = ap__mass_of(id, p), model = ap__mass_of(id, nominal);
  if (!(model > 0)) return;
  if (all > 3 * model || all < model / 3) {
    ap_doubt *d = ap__doubt_add(doubts, AP_DOUBT_MASS, false, -1, all, model);
    ap__doubt_say(d, "the forces ask for moving bodies of %.4g kg, the model has %.4g kg", all,
                  model);
  }
  for (int i = 0; i < id->bodies; i++) {
    const double mass = p[ap__row(i, 10)], own = nominal[ap__row(i, 10)];
    if (!(mass > 5 * own && mass > model)) continue;
    const ap_joint *joint = &id->m->joint[i + 1];
    const char *name = id->m->link[joint->link].name;
    ap_doubt *d = ap__doubt_add(doubts, AP_DOUBT_MASS, false, joint->v, mass, own);
    ap__doubt_say(d, "the forces ask for a body '%.60s' of %.4g kg, in the model it has %.4g kg",
                  name, mass, own);
  }
}

ap_status ap_doubt_fit(const ap_ident *ident, ap_reduction *reduction, const ap_fit *fit,
                       ap_doubts *doubts) {
  const size_t nv = (size_t)fit->nv;
  double *error = malloc(2 * (nv + (size_t)fit->np) * sizeof *error + 1);
  if (!error) return AP_E_MEMORY;
  double *force = error + nv, *nominal = force + nv, *p = nominal + fit->np;
  ap_reduction_error_rms(reduction, fit->parameter, error);
  ap_reduction_force_rms(reduction, force);
  doubt_residuals(ident, fit, error, force, doubts);
  ap_ident_nominal(ident, nominal);
  const ap_status status = ap__demanded(reduction, fit, p);
  if (!status) doubt_masses(ident, p, nominal, doubts);
  free(error);
  return status == AP_E_MEMORY ? status : AP_OK;
}
