// SPDX-License-Identifier: Apache-2.0
// Estimation: every method works on the triangle of all measurements.
//
// With the columns I of the base parameters, W_I b = tau. Columns are brought to length one first,
// so that lengths of singular values and a ridge mean the same for every parameter.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"
#include "num/svd.h"

static const char *const method_names[AP_FIT_METHODS] = {"qr",    "svd",      "pinv",
                                                         "ridge", "weighted", "consistent"};

const char *ap_fit_method_name(ap_fit_method method) {
  return (int)method >= 0 && (int)method < AP_FIT_METHODS ? method_names[method] : "unknown";
}

ap_fit_options ap_default_fit(void) {
  return (ap_fit_options){.truncate = 1e-8, .iterations = 500, .cookie = AP_COOKIE};
}

bool ap_fit_identifiable(const ap_fit *fit, int k) {
  return fit->method == AP_FIT_CONSISTENT && k >= 0 && k < fit->np && fit->determined[k] >= 0.99;
}

void ap_fit_free(ap_fit *fit) {
  if (!fit) return;
  free(fit->value), free(fit->deviation), free(fit->parameter);
  free(fit->parameter_deviation), free(fit->determined);
  free(fit->noise), free(fit->residual_rms), free(fit);
}

// ---- the problem at hand -----------------------------------------------------------------------

// R x = z with columns of length one: x is the parameter times its scale.
typedef struct problem {
  ap_reduction *r;
  const ap_base *base;
  const ap_fit_options *options;
  ap_error *error;
  int rows, n;    // rows: np + 1
  double *G;      // [rows * rows] the triangle
  double *A;      // [rows * (n + 1)] the columns picked of it and the forces, then used up
  double *R;      // [(n + 1) * (n + 1)] their triangle
  double *scale;  // [n]
  double *weight; // [nv]
  double *s;      // [n] singular values of R
  double *Vt;     // [n * (n + 1)] right singular vectors, and behind them U^T z
  double *x;      // [n]
  double *room;
} problem;

static void problem_free(problem *p) {
  free(p->G), free(p->A), free(p->R), free(p->scale), free(p->weight);
  free(p->s), free(p->Vt), free(p->x), free(p->room);
}

static bool problem_make(problem *p) {
  const ap_ident *id = p->r->ident;
  p->rows = id->np + 1;
  size_t square = ap__row(p->rows, p->rows), n = (size_t)p->rows;
  p->G = malloc(square * sizeof(double));
  p->A = malloc(square * sizeof(double));
  p->R = malloc(square * sizeof(double));
  p->Vt = malloc(square * sizeof(double));
  p->scale = malloc(n * sizeof(double));
  p->s = malloc(n * sizeof(double));
  p->x = malloc(n * sizeof(double));
  p->room = malloc(ap__triangle_room(p->rows, p->rows) * sizeof(double));
  p->weight = calloc((size_t)id->nv, sizeof(double));
  for (int j = 0; p->weight && j < id->nv; j++) p->weight[j] = 1;
  return p->G && p->A && p->R && p->Vt && p->scale && p->s && p->x && p->room && p->weight;
}

// Column k of the problem is that of this standard parameter.
static int parameter_of(const problem *p, int k) {
  return p->n == p->base->n ? p->base->leader[k] : k;
}

// Whether standard parameter i shows in no force: its column is rounding at most.
static bool is_void(const ap_base *base, int i) {
  for (int k = 0; k < base->n; k++)
    if (ap_base_factor(base, k, i) != 0) return false;
  return true;
}

// The columns of the base parameters (or, where `all`, of all standard ones) out of G.
static void pick_columns(problem *p, bool all) {
  p->n = all ? p->rows - 1 : p->base->n;
  for (int k = 0; k <= p->n; k++) {
    int column = k == p->n ? p->rows - 1 : all ? k : p->base->leader[k];
    double length = k < p->n ? ap__length(p->G + column, column + 1, p->rows) : 1;
    bool empty = !(length > 0) || (all && k < p->n && is_void(p->base, k));
    if (k < p->n) p->scale[k] = empty ? 1 : length;
    for (int i = 0; i < p->rows; i++) {
      double x = p->G[ap__row(i, p->rows) + (size_t)column];
      p->A[ap__row(i, p->n + 1) + (size_t)k] = empty ? 0 : x / length;
    }
  }
}

static ap_status gather(problem *p, const double *weight, int without, bool all) {
  ap_status status = ap__reduction_gather(p->r, weight, without, p->G);
  if (status) return status;
  pick_columns(p, all);
  memset(p->R, 0, ap__row(p->n + 1, p->n + 1) * sizeof *p->R);
  ap__triangle_absorb(p->n + 1, p->R, p->rows, p->A, p->room);
  return AP_OK;
}

static ap_status decompose(problem *p) {
  memcpy(p->Vt, p->R, ap__row(p->n, p->n + 1) * sizeof *p->Vt);
  return ap__svd(p->n, 1, p->Vt, p->s);
}

static const double *vector_of(const problem *p, int i) { return p->Vt + ap__row(i, p->n + 1); }

// x = V diag(gain) U^T z
static void apply_gains(problem *p, double ridge, int rank) {
  for (int k = 0; k < p->n; k++) p->x[k] = 0;
  for (int i = 0; i < rank; i++) {
    const double *v = vector_of(p, i);
    double c = v[p->n] * p->s[i] / (p->s[i] * p->s[i] + ridge);
    for (int k = 0; k < p->n; k++) p->x[k] += c * v[k];
  }
}

// The standard parameters of x: its own, the others zero.
static void expand(const problem *p, double *parameter) {
  for (int k = 0; k < p->rows - 1; k++) parameter[k] = 0;
  for (int k = 0; k < p->n; k++) parameter[parameter_of(p, k)] = p->x[k] / p->scale[k];
}

// ---- does the motion show everything -----------------------------------------------------------

// Condition of the base columns; the parameter that a motion hides most where it is too large.
static ap_status check_condition(problem *p, double *condition) {
  const ap_ident *id = p->r->ident;
  double most = p->s[0], least = p->s[p->n - 1];
  *condition = least > 0 ? most / least : INFINITY;
  if (least > 1e-10 * most) return AP_OK;
  int hidden = 0, worst = 0;
  while (hidden < p->n && p->s[p->n - 1 - hidden] <= 1e-10 * most) hidden++;
  const double *last = vector_of(p, p->n - 1);
  for (int k = 0; k < p->n; k++)
    if (fabs(last[k]) > fabs(last[worst])) worst = k;
  const char *name = id->name[parameter_of(p, worst)];
  return AP__REFUSE(p->error, AP_E_ARG, 0,
                    "the motion does not excite %d of %d base parameters, '%.*s' among them (use a "
                    "richer motion or fewer parameters)",
                    hidden, p->n, ap__shown(name), name);
}

// ---- the methods -------------------------------------------------------------------------------

static ap_status fit_qr(problem *p) {
  for (int k = 0; k < p->n; k++) p->x[k] = p->R[ap__row(k, p->n + 1) + (size_t)p->n];
  return ap__triangle_solve(p->n, p->R, p->n + 1, 1, p->x, 1) ? AP_OK : AP_E_SINGULAR;
}

static ap_status fit_svd(problem *p, int *truncated) {
  int rank = p->n;
  while (rank > 1 && p->s[rank - 1] < p->options->truncate * p->s[0]) rank--;
  *truncated = p->n - rank;
  apply_gains(p, 0, rank);
  return AP_OK;
}

// The shortest x of all standard parameters; the rank is that of the base parameters.
static ap_status fit_pinv(problem *p) {
  ap_status status = gather(p, p->weight, -1, true);
  if (!status) status = decompose(p);
  if (!status) apply_gains(p, 0, p->base->n);
  return status;
}

// ---- ridge -------------------------------------------------------------------------------------

// What is added to the squares, relative to the largest: none, then three values per decade.
enum { RIDGES = 46 };
static double ridge_at(int k) { return k == 0 ? 0 : pow(10, -16 + (k - 1) / 3.0); }

// Whether fold f has rows, and the others enough of them.
static bool is_fold(const ap_reduction *r, int f, int least) {
  long own = 0, others = 0;
  for (int k = 0; k < r->folds * r->ident->nv; k++)
    *(k / r->ident->nv == f ? &own : &others) += r->triangle[k].rows;
  return own > 0 && others > least;
}

// Sum over all folds of the squares of errors on a fold that the fit did not see.
static ap_status cross_validate(problem *p, double *error_of) {
  const ap_ident *id = p->r->ident;
  double *square = malloc((size_t)id->nv * sizeof *square);
  double *parameter = malloc((size_t)id->np * sizeof *parameter);
  ap_status status = square && parameter ? AP_OK : AP_E_MEMORY;
  for (int k = 0; k < RIDGES; k++) error_of[k] = 0;
  for (int f = 0; !status && f < p->r->folds; f++) {
    if (!is_fold(p->r, f, p->base->n)) continue;
    status = gather(p, p->weight, f, false);
    if (!status) status = decompose(p);
    for (int k = 0; !status && k < RIDGES; k++) {
      apply_gains(p, ridge_at(k) * p->s[0] * p->s[0], p->n);
      expand(p, parameter);
      ap__reduction_squares(p->r, parameter, f, square);
      for (int j = 0; j < id->nv; j++) error_of[k] += square[j];
    }
  }
  free(square), free(parameter);
  return status;
}

// The smallest ridge that predicts as well as the best one, to rounding.
static ap_status choose_ridge(problem *p, double *ridge) {
  double error_of[RIDGES], least = INFINITY, forces = 0;
  int folds = 0;
  for (int f = 0; f < p->r->folds; f++) folds += is_fold(p->r, f, p->base->n);
  if (folds < 2)
    return AP__REFUSE(
        p->error, AP_E_ARG, 0,
        "too few states to cross-validate ridge regression (it needs 2 folds of %d states)",
        AP__RUN);
  ap_status status = cross_validate(p, error_of);
  if (status) return status;
  for (int k = 0; k < RIDGES; k++) least = fmin(least, error_of[k]);
  for (int k = 0; k < p->rows; k++) forces += pow(p->G[ap__row(k + 1, p->rows) - 1], 2);
  int best = 0;
  while (!(error_of[best] <= least * (1 + 1e-9) + 1e-24 * forces)) best++;
  *ridge = ridge_at(best);
  return AP_OK;
}

static ap_status fit_ridge(problem *p, double *ridge) {
  ap_status status = choose_ridge(p, ridge);
  if (!status) status = gather(p, p->weight, -1, false);
  if (!status) status = decompose(p);
  if (!status) apply_gains(p, *ridge * p->s[0] * p->s[0], p->n);
  return status;
}

// ---- noise and deviations ----------------------------------------------------------------------

// Standard deviation of each joint's forces about parameter; the base parameters cost as many
// degrees of freedom, shared by the joints as their rows are.
static void find_noise(problem *p, const double *parameter, double *noise, double *rms) {
  const ap_ident *id = p->r->ident;
  double all = 0;
  for (int j = 0; j < id->nv; j++) all += (double)p->r->rows[j];
  ap__reduction_squares(p->r, parameter, -1, noise);
  for (int j = 0; j < id->nv; j++) {
    double rows = (double)p->r->rows[j], left = rows - (double)p->base->n * rows / all;
    rms[j] = rows > 0 ? sqrt(noise[j] / rows) : 0;
    noise[j] = left > 0 ? sqrt(noise[j] / left) : 0;
  }
}

// x (A^T A + ridge)^-1 of a row x in the scaled base columns, in place; work is [n].
static void apply_covariance(const problem *p, double ridge, double *x, double *work) {
  int n = p->n;
  for (int m = 0; m < n; m++) { // in the axes of the singular values
    const double *v = vector_of(p, m);
    work[m] = 0;
    for (int b = 0; b < n; b++) work[m] += v[b] * x[b];
    work[m] /= p->s[m] * p->s[m] + ridge;
  }
  for (int b = 0; b < n; b++) x[b] = 0;
  for (int m = 0; m < n; m++)
    for (int b = 0; b < n; b++) x[b] += vector_of(p, m)[b] * work[m];
}

// What the rows of triangle k add to the variances, times factor; work is [2 n + np].
static void add_variance(const problem *p, int k, double ridge, double factor, double *work,
                         double *variance) {
  const ap_ident *id = p->r->ident;
  const triangle *t = &p->r->triangle[k];
  const int *active = id->active[k % id->nv];
  double *x = work + p->n, *row = x + p->n;
  for (int i = 0; i < t->n - 1; i++) {
    memset(row, 0, (size_t)id->np * sizeof *row);
    for (int a = i; a < t->n - 1; a++) row[active[a]] = t->R[ap__row(i, t->n) + (size_t)a];
    for (int b = 0; b < p->n; b++) x[b] = row[p->base->leader[b]] / p->scale[b];
    apply_covariance(p, ridge, x, work);
    for (int b = 0; b < p->n; b++) variance[b] += factor * x[b] * x[b];
  }
}

// Standard deviations of the base parameters from the noise of each joint, if it is white: those of
// the estimator (A^T A + ridge)^-1 A^T, whatever weights it used. After decompose() of the weighted
// problem.
static ap_status find_deviations(problem *p, double ridge, const double *noise, double *deviation) {
  const ap_ident *id = p->r->ident;
  double *work = malloc((2 * (size_t)p->n + (size_t)id->np) * sizeof *work);
  if (!work) return AP_E_MEMORY;
  for (int b = 0; b < p->n; b++) deviation[b] = 0;
  for (int k = 0; k < p->r->folds * id->nv; k++) {
    double w = p->weight[k % id->nv], s = noise[k % id->nv];
    add_variance(p, k, ridge, w * w * w * w * s * s, work, deviation);
  }
  for (int b = 0; b < p->n; b++) deviation[b] = sqrt(deviation[b]) / p->scale[b];
  free(work);
  return AP_OK;
}

// (A^T A + ridge)^-1 of the scaled base columns, [n * n]; work is [n].
static void whole_covariance(const problem *p, double ridge, double *C, double *work) {
  for (int b = 0; b < p->n; b++) {
    double *x = C + ap__row(b, p->n);
    for (int c = 0; c < p->n; c++) x[c] = b == c;
    apply_covariance(p, ridge, x, work);
  }
}

// By how much correlated noise makes each variance larger. The residuals of few independent numbers
// are too small as well: as many degrees of freedom are lost as there are base parameters.
static ap_status find_inflation(problem *p, double ridge, const double *parameter, double *by,
                                double *mean) {
  double *C = malloc((ap__row(p->n, p->n) + (size_t)p->n) * sizeof *C + 1), all = 0;
  if (!C) return AP_E_MEMORY;
  whole_covariance(p, ridge, C, C + ap__row(p->n, p->n));
  const ap__estimator e = {p->n, p->base->leader, p->weight, p->scale, C};
  ap_status status = ap__inflation(p->r, &e, parameter, by);
  free(C);
  *mean = 0;
  for (int b = 0; b < p->n; b++) *mean += by[b] / p->n;
  for (int j = 0; j < p->r->ident->nv; j++) all += (double)p->r->rows[j];
  double share = p->n / all, left = fmax(1 - share * *mean, 0.25);
  double freedom = *mean > 1.5 ? (1 - share) / left : 1;
  for (int b = 0; b < p->n; b++) by[b] *= freedom;
  *mean *= freedom;
  return status;
}

// ---- weights -----------------------------------------------------------------------------------

// Weights 1 / noise from a plain fit, then from the weighted one; a joint without any noise gets
// the weight that the smallest representable noise of its forces has.
static ap_status find_weights(problem *p, double *parameter, double *noise, double *rms) {
  const ap_ident *id = p->r->ident;
  double *force = malloc((size_t)id->nv * sizeof *force);
  if (!force) return AP_E_MEMORY;
  ap_reduction_force_rms(p->r, force);
  double most = 0;
  for (int j = 0; j < id->nv; j++) most = fmax(most, force[j]);
  ap_status status = AP_OK;
  for (int turn = 0; !status && turn < 3; turn++) {
    status = gather(p, p->weight, -1, false);
    if (!status) status = fit_qr(p);
    if (status) break;
    expand(p, parameter);
    find_noise(p, parameter, noise, rms);
    for (int j = 0; j < id->nv; j++)
      p->weight[j] = 1 / fmax(fmax(noise[j], 1e-6 * force[j]), 1e-9 * most + 1e-300);
  }
  free(force);
  return status;
}

// ---- all of it ---------------------------------------------------------------------------------

static ap_fit *fit_new(const ap_ident *id, const ap_base *base, ap_fit_method method) {
  ap_fit *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  *f = (ap_fit){.method = method, .n = base->n, .np = id->np, .nv = id->nv};
  f->value = calloc((size_t)f->n + 1, sizeof(double));
  f->deviation = calloc((size_t)f->n + 1, sizeof(double));
  f->parameter = calloc((size_t)f->np + 1, sizeof(double));
  f->noise = calloc((size_t)f->nv + 1, sizeof(double));
  f->residual_rms = calloc((size_t)f->nv + 1, sizeof(double));
  f->parameter_deviation = calloc((size_t)f->np + 1, sizeof(double));
  f->determined = calloc((size_t)f->np + 1, sizeof(double));
  if (f->value && f->deviation && f->parameter && f->parameter_deviation && f->determined &&
      f->noise && f->residual_rms)
    return f;
  ap_fit_free(f);
  return NULL;
}

// Friction or rotor inertia that is a base parameter by itself starts where least squares puts it,
// because the model often says nothing.
static void start_drives(const ap_base *base, const double *value, int inertial, double *start) {
  for (int k = 0; k < base->n; k++) {
    int leader = base->leader[k], others = 0;
    for (int i = 0; i < base->np; i++) others += i != leader && ap_base_factor(base, k, i) != 0;
    if (leader >= inertial && others == 0) start[leader] = value[leader];
  }
}

// What the weighted problem is multiplied by so that its noise has the deviation one: forces whose
// noise is correlated say as much as fewer of them, and where there is next to no noise the weights
// were held back.
static double precision_of(const problem *p, const ap_fit *f, double inflation) {
  double sum = 0, rows = 0;
  for (int j = 0; j < f->nv; j++) {
    double n = (double)p->r->rows[j];
    sum += n * pow(p->weight[j] * f->noise[j], 2), rows += n;
  }
  return 1 / sqrt(inflation * fmin(1, fmax(sum / rows, 1e-8)));
}

// f->parameter and f->noise hold the weighted least squares.
static ap_status fit_consistent(problem *p, ap_fit *f) {
  const ap_ident *id = p->r->ident;
  size_t size = (size_t)f->np * sizeof *f->parameter;
  double *start = malloc(2 * size), *known = start ? start + f->np : NULL, inflation = 1;
  ap_status status = start ? gather(p, p->weight, -1, false) : AP_E_MEMORY;
  if (!status) status = decompose(p);
  if (!status) status = find_inflation(p, 0, f->parameter, p->x, &inflation);
  if (!status) {
    double precision = precision_of(p, f, inflation);
    for (size_t k = 0; k < ap__row(p->rows, p->rows); k++) p->G[k] *= precision;
    ap_ident_nominal(id, known);
    memcpy(start, id->payload ? f->parameter : known, size);
    start_drives(p->base, f->parameter, 10 * id->bodies, start);
    memcpy(f->parameter, p->options->start ? p->options->start : start, size);
    const ap__consistent about = {p->options, known, p->base};
    status = ap__fit_consistent(id, p->G, &about, f, p->error);
  }
  free(start);
  return status;
}

static ap_status fit_by_method(problem *p, ap_fit *f) {
  ap_status status = AP_OK;
  switch (f->method) {
    case AP_FIT_QR: status = gather(p, p->weight, -1, false) ? AP_E_MEMORY : fit_qr(p); break;
    case AP_FIT_SVD: status = fit_svd(p, &f->truncated); break;
    case AP_FIT_PINV: status = fit_pinv(p); break;
    case AP_FIT_RIDGE: status = fit_ridge(p, &f->ridge); break;
    case AP_FIT_WEIGHTED: status = gather(p, p->weight, -1, false) ? AP_E_MEMORY : fit_qr(p); break;
    case AP_FIT_CONSISTENT: return fit_consistent(p, f);
  }
  if (!status) expand(p, f->parameter);
  return status;
}

static ap_status check_rows(const ap_reduction *r, const ap_base *base, ap_error *error) {
  long all = 0;
  for (int j = 0; j < r->ident->nv; j++) all += r->rows[j];
  if (all > base->n) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0, "%ld joint forces are too few for %d base parameters", all,
                    base->n);
}

// Forces that are all zero, or too small to be weighted by their noise, show no parameter.
static ap_status check_forces(ap_reduction *r, ap_error *error) {
  double most = 0, *force = malloc((size_t)r->ident->nv * sizeof *force);
  if (!force) return ap__no_memory(error);
  ap_reduction_force_rms(r, force);
  for (int j = 0; j < r->ident->nv; j++) most = fmax(most, force[j]);
  free(force);
  if (most > 1e-100) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "the joint forces are zero everywhere (expected measured torques or forces)");
}

static ap_status make(problem *p, ap_fit *f) {
  bool weighted = f->method == AP_FIT_WEIGHTED || f->method == AP_FIT_CONSISTENT;
  ap_status status = gather(p, NULL, -1, false);
  if (!status) status = decompose(p);
  if (!status) status = check_condition(p, &f->condition);
  if (!status && weighted) status = find_weights(p, f->parameter, f->noise, f->residual_rms);
  if (!status) status = fit_by_method(p, f);
  if (status) return status;
  ap_base_values(p->base, f->parameter, f->value);
  find_noise(p, f->parameter, f->noise, f->residual_rms);
  status = gather(p, p->weight, -1, false);
  if (!status) status = decompose(p);
  double ridge = f->ridge * p->s[0] * p->s[0];
  if (!status) status = find_deviations(p, ridge, f->noise, f->deviation);
  if (!status) status = find_inflation(p, ridge, f->parameter, p->x, &f->inflation);
  for (int k = 0; !status && k < p->n; k++) f->deviation[k] *= sqrt(p->x[k]);
  return status;
}

ap_status ap_fit_make(ap_reduction *r, const ap_base *base, ap_fit_method method,
                      const ap_fit_options *options, ap_fit **fit, ap_error *error) {
  ap_fit_options standard = ap_default_fit();
  problem p = {.r = r, .base = base, .options = options ? options : &standard, .error = error};
  *fit = NULL;
  if (error) error->status = AP_OK;
  if (!AP_STARTS_FROM(ap_default_fit, p.options, error)) return AP_E_ARG;
  ap_status status = check_rows(r, base, error);
  if (!status) status = check_forces(r, error);
  if (status) return status;
  ap_fit *f = problem_make(&p) ? fit_new(r->ident, base, method) : NULL;
  status = f ? make(&p, f) : AP_E_MEMORY;
  problem_free(&p);
  if (status && error && error->status == AP_OK)
    ap__fail(error, status, 0, "the fit by %s: %s", ap_fit_method_name(method),
             ap_status_text(status));
  if (status)
    ap_fit_free(f);
  else
    *fit = f;
  return status;
}
