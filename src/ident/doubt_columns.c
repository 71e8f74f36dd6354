// SPDX-License-Identifier: Apache-2.0
// Doubts about the columns of forces and motion: their scale, their signs, their order.
//
// Any force is explained by some parameters, but not by those of bodies: a force of the wrong sign
// needs negative mass or friction. So the residual of the consistent fit tells, on a few hundred
// states, and with friction, so that friction nobody asked for is not taken for a wrong sign. Only
// where it is large are other signs and orders tried: one column or pair after the other, the best
// first, and not all n! orders.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ident/doubt.h"
#include "model/frozen.h"

#define DEGREE 0.017453292519943295

enum { STATES = 250, ROUNDS = 4, MOST_TRIALS = 200 };
// A joint whose forces are unexplained by more than this part is looked into. Where bodies explain
// them, but with a mass that is out of all proportion to the model's, so is every joint.
#define SUSPECT 0.15
// Squares that fall to this part: nothing better need be looked for.
#define EXPLAINED 0.02

// ---- with friction -----------------------------------------------------------------------------

void ap__second_look_free(second_look *look) {
  ap_base_free(look->base), ap_ident_free(look->id);
  *look = (second_look){NULL, NULL};
}

ap_status ap__look_again(const ap_ident *id, const ap_dataset *s, second_look *look) {
  ap_ident_options options = id->options;
  int resting, silent;
  *look = (second_look){NULL, NULL};
  options.viscous = options.coulomb = true;
  ap_status status = ap_ident_create(id->m, &options, &look->id, NULL);
  if (!status && id->scope) status = ap_ident_limit_to(look->id, s, &resting, &silent);
  if (!status) status = ap_base_find(look->id, AP_BASE_QR, &look->base, NULL);
  if (status) ap__second_look_free(look);
  return status;
}

// ---- columns read in another way ---------------------------------------------------------------

typedef struct columns { // [hinges] each
  int q[AP__MOST_DOUBTED], tau[AP__MOST_DOUBTED];
  double q_factor[AP__MOST_DOUBTED], tau_factor[AP__MOST_DOUBTED];
} columns;

typedef enum { Q = 1, TAU = 2 } which; // or both
typedef enum { FLIP, SWAP, FLIP_ALL, DEGREES } change_kind;
typedef struct change {
  change_kind kind;
  int of; // which
  int i, j;
} change;

static void exchange(int *a, int *b) {
  const int keep = *a;
  *a = *b, *b = keep;
}
static void exchange_factors(double *a, double *b) {
  const double keep = *a;
  *a = *b, *b = keep;
}

static void apply(columns *c, const change *x, int n) {
  switch (x->kind) {
    case FLIP:
      if (x->of & Q) c->q_factor[x->i] *= -1;
      if (x->of & TAU) c->tau_factor[x->i] *= -1;
      break;
    case SWAP:
      if (x->of & Q) exchange(&c->q[x->i], &c->q[x->j]);
      if (x->of & Q) exchange_factors(&c->q_factor[x->i], &c->q_factor[x->j]);
      if (x->of & TAU) exchange(&c->tau[x->i], &c->tau[x->j]);
      if (x->of & TAU) exchange_factors(&c->tau_factor[x->i], &c->tau_factor[x->j]);
      break;
    case FLIP_ALL:
      for (int k = 0; k < n; k++) c->tau_factor[k] *= -1;
      break;
    case DEGREES:
      for (int k = 0; k < n; k++) c->q_factor[k] *= DEGREE;
      break;
  }
}

// How one reading of the columns is explained by bodies.
typedef struct verdict {
  double ratio[AP__MOST_DOUBTED]; // of each hinge: residual and force
  bool small[AP__MOST_DOUBTED];   // forces below a hundredth of the largest, which count less
  double sum;                     // of squares, none more than 1, and of the mass's
  double mass;                    // kg, of all moving bodies, as far as the forces tell
} verdict;

typedef struct search {
  const ap_dataset *s; // a few states
  second_look look;
  hinge *hinge;
  int n;          // hinges
  double *number; // of a state
  columns columns;
  verdict is;
  double nominal; // kg, of all moving bodies
  double *p;      // [np]
  int trials;
  change made[ROUNDS];
  int changes;
} search;

// State i, read by columns.
static void read_state(search *s, const columns *c, int i) {
  const int nq = s->s->nq, nv = s->s->nv;
  const double *q, *v, *a, *tau;
  ap_dataset_at(s->s, i, &q, &v, &a, &tau);
  memcpy(s->number, q, ((size_t)nq + 3 * (size_t)nv) * sizeof *q);
  double *to_v = s->number + nq, *to_a = to_v + nv, *to_tau = to_a + nv;
  for (int k = 0; k < s->n; k++) {
    const hinge *to = &s->hinge[k], *from = &s->hinge[c->q[k]], *force = &s->hinge[c->tau[k]];
    s->number[to->q] = c->q_factor[k] * q[from->q];
    to_v[to->v] = c->q_factor[k] * v[from->v];
    to_a[to->v] = c->q_factor[k] * a[from->v];
    to_tau[to->v] = c->tau_factor[k] * tau[force->v];
  }
}

// What a mass adds to the sum: nothing up to three times the model's, or a third; 1 at nine times.
static double excess(const search *s, double mass) {
  if (!(s->nominal > 0)) return 0;
  if (!(mass > 0)) return 1;
  const double off = fabs(log(mass / s->nominal)) / log(3) - 1;
  return off > 0 ? fmin(1, 0.25 + off) : 0;
}

// AP_E_ARG and the like: nobody knows.
static ap_status explain(search *s, const columns *c, verdict *out) {
  ap_reduction *r = NULL;
  ap_fit *fit = NULL;
  const int nq = s->s->nq, nv = s->s->nv;
  ap_fit_options options = ap_default_fit();
  options.iterations = 120, options.prior = 0.5;
  ap_status status = ap_reduction_create(s->look.id, 1, &r, NULL);
  for (int i = 0; !status && i < s->s->count; i++) {
    read_state(s, c, i);
    ap_regressor(s->look.id->m, s->look.id->w, s->number, s->number + nq, s->number + nq + nv,
                 s->look.id->K);
    ap__reduction_add(r, s->look.id->K, s->number, s->number + nq, s->number + nq + nv,
                      s->number + nq + 2 * nv);
  }
  if (!status) status = ap_fit_make(r, s->look.base, AP_FIT_CONSISTENT, &options, &fit, NULL);
  double *error = malloc(2 * (size_t)nv * sizeof *error), *force = error + nv, most = 0;
  if (!error) status = AP_E_MEMORY;
  if (!status) {
    ap_reduction_error_rms(r, fit->parameter, error);
    ap_reduction_force_rms(r, force);
  }
  *out = (verdict){.sum = 0};
  if (!status && s->nominal > 0 && !ap__demanded(r, fit, s->p))
    out->mass = ap__mass_of(s->look.id, s->p);
  if (!status) out->sum = excess(s, out->mass);
  for (int j = 0; !status && j < nv; j++) most = fmax(most, force[j]);
  for (int k = 0; !status && k < s->n; k++) {
    const int j = s->hinge[k].v;
    out->ratio[k] = force[j] > 1e-6 * most ? error[j] / force[j] : 0;
    out->small[k] = force[j] < 1e-2 * most;
    out->sum += (out->small[k] ? 0.1 : 1) * fmin(1, out->ratio[k] * out->ratio[k]);
  }
  free(error), ap_fit_free(fit), ap_reduction_free(r);
  s->trials++;
  return status;
}

// The largest part that is unexplained, of joints with small forces too or of others alone.
static double worst_of(const verdict *is, int n, bool small) {
  double most = 0;
  for (int k = 0; k < n; k++)
    if (small || !is->small[k]) most = fmax(most, is->ratio[k]);
  return most;
}

// ---- trying ------------------------------------------------------------------------------------

typedef struct best {
  change change;
  verdict is;
} best;

static ap_status attempt(search *s, change x, best *b) {
  if (s->trials >= MOST_TRIALS || b->is.sum < EXPLAINED * s->is.sum) return AP_OK;
  columns c = s->columns;
  verdict is;
  apply(&c, &x, s->n);
  ap_status status = explain(s, &c, &is);
  if (status == AP_E_MEMORY) return status;
  if (!status && is.sum < b->is.sum) *b = (best){x, is};
  return AP_OK;
}

// One change of columns, if one helps.
static ap_status improve(search *s, bool *improved) {
  best b = {.is = {.sum = INFINITY}};
  const bool large = worst_of(&s->is, s->n, false) > SUSPECT;
  const bool all = s->n <= 8 && excess(s, s->is.mass) > 0;
  ap_status status = attempt(s, (change){FLIP_ALL, TAU, 0, 0}, &b);
  if (!status) status = attempt(s, (change){DEGREES, Q, 0, 0}, &b);
  for (int i = 0; !status && i < s->n; i++)
    for (int of = Q; !status && of <= (Q | TAU); of++)
      if (all || s->is.ratio[i] > SUSPECT || (of == Q && large && s->n <= 8))
        status = attempt(s, (change){FLIP, of, i, 0}, &b);
  for (int i = 0; !status && i < s->n; i++)
    for (int j = i + 1; !status && j < s->n; j++)
      for (int of = Q; !status && of <= (Q | TAU); of++)
        if (all || (s->is.ratio[i] > SUSPECT && s->is.ratio[j] > SUSPECT))
          status = attempt(s, (change){SWAP, of, i, j}, &b);
  *improved = !status && b.is.sum < 0.8 * s->is.sum;
  if (!*improved) return status;
  apply(&s->columns, &b.change, s->n);
  s->is = b.is;
  s->made[s->changes++] = b.change;
  return AP_OK;
}

static const char *group_of(int which_columns) {
  return which_columns == Q ? "q" : which_columns == TAU ? "tau" : "q and tau";
}

// What one change, or all of them together, comes to.
static void say_change(const search *s, const change *x, const verdict *before, bool grave,
                       ap_doubts *doubts) {
  const bool small = !(worst_of(before, s->n, false) > SUSPECT);
  const double worst = worst_of(before, s->n, small), now = worst_of(&s->is, s->n, small);
  const hinge *i = &s->hinge[x->i], *j = &s->hinge[x->j];
  const char *of = group_of(x->of), *one = x->of & TAU ? "tau" : "q";
  const bool joint = x->kind == FLIP || x->kind == SWAP;
  const ap_doubt_kind kind = x->kind == SWAP      ? AP_DOUBT_SWAPPED
                             : x->kind == DEGREES ? AP_DOUBT_DEGREES
                                                  : AP_DOUBT_SIGN;
  char falls[160];
  if (worst > SUSPECT)
    snprintf(falls, sizeof falls, "unexplained forces fall from %.3g to %.3g %%", 100 * worst,
             100 * now);
  else
    snprintf(falls, sizeof falls, "the bodies have %.3g instead of %.3g kg (in the model %.3g)",
             s->is.mass, before->mass, s->nominal);
  ap_doubt *d = ap__doubt_add(doubts, kind, grave, joint ? i->v : -1, worst, now);
  if (x->kind == SWAP) d->other = j->v;
  if (x->kind == FLIP)
    ap__doubt_say(d,
                  "%s of joint '%.60s' seem%s to have the wrong sign: reversed, %s (--columns "
                  "'%s.%.60s=%s.%.60s*-1')",
                  of, i->name, x->of == (Q | TAU) ? "" : "s", falls, one, i->name, one, i->name);
  else if (x->kind == SWAP)
    ap__doubt_say(d, "%s of joints '%.60s' and '%.60s' seem to be swapped: exchanged, %s", of,
                  i->name, j->name, falls);
  else if (x->kind == FLIP_ALL)
    ap__doubt_say(d,
                  "tau of all joints seem to have the wrong sign: reversed, %s (--columns "
                  "'tau=tau.{joint}*-1')",
                  falls);
  else
    ap__doubt_say(d, "positions seem to be in degrees: as such, %s (--columns 'q=q.{joint}*deg')",
                  falls);
}

// A joint whose q and tau were turned one after the other was turned as a whole.
static void merge_flips(search *s) {
  for (int k = 1; k < s->changes; k++) {
    int first = 0;
    while (first < k && !(s->made[first].kind == FLIP && s->made[first].i == s->made[k].i)) first++;
    if (first == k || s->made[k].kind != FLIP) continue;
    s->made[first].of ^= s->made[k].of;
    memmove(&s->made[k], &s->made[k + 1], (size_t)(s->changes - k - 1) * sizeof s->made[k]);
    s->changes--, k--;
  }
}

static ap_status doubt_order(search *s, ap_doubts *doubts) {
  verdict before;
  ap_status status = explain(s, &s->columns, &before);
  if (status) return status == AP_E_MEMORY ? status : AP_OK; // too little motion to tell
  s->is = before;
  const bool small = !(worst_of(&before, s->n, false) > SUSPECT);
  if (worst_of(&before, s->n, true) <= SUSPECT && excess(s, before.mass) == 0) return AP_OK;
  bool improved = true;
  for (int round = 0; !status && improved && round < ROUNDS; round++)
    if (s->is.sum > EXPLAINED * before.sum) status = improve(s, &improved);
  const double mass = s->is.mass / (s->nominal > 0 ? s->nominal : 1);
  const bool good_mass = !(s->nominal > 0) || (mass > 0.5 && mass < 2);
  if (status || s->is.sum > 0.25 * before.sum || (excess(s, before.mass) > 0 && !good_mass))
    return status;
  const bool grave = s->is.sum < 0.1 * before.sum && worst_of(&s->is, s->n, small) < 2 * SUSPECT;
  merge_flips(s);
  for (int k = 0; k < s->changes; k++) say_change(s, &s->made[k], &before, grave, doubts);
  return AP_OK;
}

// ---- scale -------------------------------------------------------------------------------------

// The nominal parameters without friction and offset.
static void inertial_ones(const ap_ident *id, double *p) {
  ap_ident_nominal(id, p);
  for (int k = 0; k < id->drives; k++)
    if (id->drive[k].kind != DRIVE_ROTOR && id->drive[k].kind != DRIVE_STIFFNESS)
      p[10 * id->bodies + k] = 0;
}

// The factor of the model's force in the measured one beside friction, a rotor and an offset, and
// how much of the rest it leaves unexplained; 0 where the model has nothing to say about this
// joint.
typedef struct gain {
  double factor, left;
} gain;

static gain find_gain(search *s, const double *p, int j) {
  enum { COLUMNS = 6 }; // viscous, Coulomb, offset, rotor, the model's force | the measured one
  ap_ident *id = s->look.id;
  double R[COLUMNS * COLUMNS] = {0}, room[200], row[COLUMNS], all = 0;
  double *W = malloc((size_t)id->np * sizeof *W + 1);
  if (!W || ap__triangle_room(COLUMNS, 1) > 200) return free(W), (gain){0, 1};
  for (int i = 0; i < s->s->count; i++) {
    const double *q, *v, *a, *tau;
    ap_dataset_at(s->s, i, &q, &v, &a, &tau);
    if (!isfinite(tau[j])) continue;
    ap_regressor(id->m, id->w, q, v, a, id->K);
    ap__ident_row(id, id->K, j, q, v, a, W);
    double model = 0;
    for (int k = 0; k < id->nactive[j]; k++) model += W[k] * p[id->active[j][k]];
    row[0] = v[j], row[1] = (v[j] > 0) - (v[j] < 0), row[2] = 1, row[3] = a[j];
    row[4] = model, row[5] = tau[j];
    all += model * model;
    ap__triangle_absorb(COLUMNS, R, 1, row, room);
  }
  free(W);
  const double own = R[4 * COLUMNS + 4], with = R[4 * COLUMNS + 5], rest = R[5 * COLUMNS + 5];
  if (!(own * own > 0.01 * all)) return (gain){0, 1};
  return (gain){with / own, rest * rest / (with * with + rest * rest + 1e-300)};
}

// Joints whose forces have the model's shape but not its size. 5 % unexplained are 2 % of a good
// model's squares many times over.
static void doubt_scale(search *s, const double *p, gain *g, ap_doubts *doubts) {
  int alike = 0, off = 0;
  for (int k = 0; k < s->n; k++) {
    g[k] = s->look.id->silent[s->hinge[k].v] ? (gain){0, 1} : find_gain(s, p, s->hinge[k].v);
    if (!(g[k].left < 0.05) || !(g[k].factor > 0)) continue;
    alike++;
    off += g[k].factor > 3 || g[k].factor < 1.0 / 3;
  }
  for (int k = 0; k < s->n && off > 0; k++) {
    const hinge *h = &s->hinge[k];
    if (!(g[k].left < 0.05) || !(g[k].factor > 0)) continue;
    if (g[k].factor <= 3 && g[k].factor >= 1.0 / 3) continue;
    const bool grave = g[k].left < 0.02 && (alike > 1 || s->n == 1);
    ap_doubt *d = ap__doubt_add(doubts, AP_DOUBT_SCALE, grave, h->v, g[k].factor, 1);
    ap__doubt_say(d,
                  "tau.%.60s has the course of the model's force, %.3g %% unexplained, but is "
                  "%.4g of it: is it a current, or a motor's torque before the gear? %.4g %s per "
                  "unit would fit (--columns 'tau.%.60s=tau.%.60s*%.4g')",
                  h->name, 100 * sqrt(g[k].left), g[k].factor, 1 / g[k].factor,
                  h->turns ? "N m" : "N", h->name, h->name, 1 / g[k].factor);
    s->columns.tau_factor[k] = 1 / g[k].factor; // what is looked at next is not about that
  }
}

// Forces with the model's course and the opposite sign, where no other reading of the columns was
// found to be better: bodies of some mass may explain them, but not those of this robot.
static void doubt_signs(const search *s, const gain *g, ap_doubts *doubts) {
  for (int k = 0; k < s->n; k++) {
    const hinge *h = &s->hinge[k];
    if (!(g[k].left < 0.05 && g[k].factor < -1.0 / 3 && g[k].factor > -3)) continue;
    ap_doubt *d = ap__doubt_add(doubts, AP_DOUBT_SIGN, g[k].left < 0.02, h->v, g[k].factor, 1);
    ap__doubt_say(d,
                  "tau of joint '%.60s' seems to have the wrong sign: it is %.3g times the model's "
                  "force, %.3g %% unexplained (--columns 'tau.%.60s=tau.%.60s*-1')",
                  h->name, g[k].factor, 100 * sqrt(g[k].left), h->name, h->name);
  }
}

// ---- bandwidth ---------------------------------------------------------------------------------

// Of the joint that moves fastest: its frequency, from velocities and accelerations, and what a
// filter of fourth order, run twice, takes from it. 3 % are taken at two thirds of the cutoff.
static void doubt_bandwidth(const ap_dataset *all, const search *s, ap_doubts *doubts) {
  double most = 0, at = 0;
  const hinge *h = NULL;
  for (int k = 0; k < s->n && all->cutoff > 0; k++) {
    const int j = s->hinge[k].v;
    double vv = 0, aa = 0;
    for (int i = 0; i < s->s->count; i++) {
      const double *q, *v, *a, *tau;
      ap_dataset_at(s->s, i, &q, &v, &a, &tau);
      vv += v[j] * v[j], aa += a[j] * a[j];
    }
    const double f = sqrt(aa / (vv + 1e-300)) / (2 * acos(-1.0));
    if (sqrt(vv / s->s->count) < 0.05) continue;
    const double taken = pow(f / all->cutoff, 8);
    if (taken > most) most = taken, at = f, h = &s->hinge[k];
  }
  if (!h || !(most > 0.03)) return;
  ap_doubt *d = ap__doubt_add(doubts, AP_DOUBT_BANDWIDTH, false, h->v, most, 0.03);
  ap__doubt_say(
      d,
      "joint '%.60s' moves at about %.3g Hz: the filter of %.3g Hz takes %.2g %% of that, "
      "and %.4g samples per second allow no more than %.3g Hz (move slower, or sample "
      "faster)",
      h->name, at, all->cutoff, 100 * most, all->rate, all->rate / 4);
}

// ---- all of it ---------------------------------------------------------------------------------

static void start_columns(search *s) {
  for (int k = 0; k < s->n; k++) {
    s->columns.q[k] = s->columns.tau[k] = k;
    s->columns.q_factor[k] = s->columns.tau_factor[k] = 1;
  }
}

// Where a payload is looked for, the states have its forces alone: those of the robot are added, as
// its whole force is looked at here. known is [nv].
static void add_robot(ap_ident *ident, ap_ident *whole, ap_dataset *s, double *known) {
  for (int i = 0; i < s->count; i++) {
    double *q = s->number + (size_t)i * ((size_t)s->nq + 3 * (size_t)s->nv), *v = q + s->nq;
    double *a = v + s->nv, *tau = a + s->nv;
    ap_ident_known(ident, q, v, a, known);
    for (int j = 0; j < s->nv; j++) tau[j] += known[j];
    ap__ident_subtract_known(whole, q, v, a, tau, tau);
  }
}

ap_status ap_doubt_states(ap_ident *ident, const ap_dataset *states, ap_doubts *doubts,
                          ap_error *error) {
  search s = {.n = 0};
  if (ident->nv > AP__MOST_DOUBTED || states->count < 1) return AP_OK;
  ap_dataset *few = ap_dataset_sample(states, STATES);
  double *p = NULL;
  gain g[AP__MOST_DOUBTED] = {{0, 0}};
  const int known = doubts->count;
  s.s = few;
  s.n = ap__hinges(ident->m, &s.hinge);
  s.number = malloc(((size_t)ident->nq + 3 * (size_t)ident->nv) * sizeof *s.number);
  ap_status status = few && s.hinge && s.number ? AP_OK : AP_E_MEMORY;
  if (!status) status = ap__look_again(ident, few, &s.look);
  if (!status && ident->payload) add_robot(ident, s.look.id, few, s.number);
  if (!status) p = malloc((size_t)s.look.id->np * 2 * sizeof *p + 1);
  if (!status && !p) status = AP_E_MEMORY;
  if (!status) {
    start_columns(&s);
    inertial_ones(s.look.id, p);
    s.p = p + s.look.id->np;
    s.nominal = ap__mass_of(s.look.id, p);
    doubt_bandwidth(states, &s, doubts);
    doubt_scale(&s, p, g, doubts);
    status = doubt_order(&s, doubts);
    if (!status && doubts->count == known) doubt_signs(&s, g, doubts);
  }
  free(p), free(s.number), free(s.hinge), ap_dataset_free(few), ap__second_look_free(&s.look);
  return status == AP_E_MEMORY ? ap__no_memory(error) : AP_OK;
}
