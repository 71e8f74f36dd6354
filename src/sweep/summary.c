// SPDX-License-Identifier: Apache-2.0
// What all trials of a sweep together say: read chunk by chunk, so that memory does not grow with
// the trials. Moments and worst cases take one pass; quantiles are found exactly, digit by digit of
// their bits, in a few more.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/chunk.h"
#include "sweep/merge.h"

const double ap_sweep_quantile[AP_SWEEP_QUANTILES] = {0.001, 0.01, 0.05, 0.25, 0.5,
                                                      0.75,  0.95, 0.99, 0.999};

// The search for one quantile: the leading bits that are known, and how many numbers with them are
// still below.
typedef struct search {
  uint64_t prefix;
  uint64_t rank; // from 1, among those with the prefix
} search;

typedef struct pair { // of a parameter and an outcome
  double mean, squares, product;
} pair;

typedef struct summing {
  ap_sweep_summary public; // first
  ap_sweep *sweep;
  const char **names;
  double *scatter_x, *scatter_y, *influence;
  double *value, *outcome; // of a chunk, row by row
  unsigned char *status;
  pair *pair;    // [parameters * outcomes]
  double *block; // [block size * outcomes] of a design for sensitivities
  int block_fill;
  long long *blocks; // [outcomes] complete ones
  search *search;    // [outcomes * quantiles]
  uint64_t *bins;    // [outcomes * quantiles * digits]
} summing;

typedef void visit(summing *m, uint64_t first, int n, int pass);

static ap_status for_all(summing *m, const char *folder, visit *take, int pass, ap_error *error) {
  const ap_sweep *s = m->sweep;
  ap_status status = AP_OK;
  for (uint64_t c = 0; status == AP_OK && c < s->chunks; c++) {
    status = ap__chunk_read(s, folder, c, m->outcome, m->status, error);
    if (status == AP_OK) take(m, c * (uint64_t)s->chunk, ap__chunk_trials(s, c), pass);
  }
  return status;
}

// ---- moments, worst cases, correlations --------------------------------------------------------

static void note_worst(const ap__outcome *o, ap_sweep_outcome_summary *to, long long trial,
                       double y) {
  int at = AP_SWEEP_WORST;
  while (at > 0 && (to->worst[at - 1] < 0 ||
                    (o->worst ? y < to->worst_value[at - 1] : y > to->worst_value[at - 1])))
    at--;
  if (at == AP_SWEEP_WORST) return;
  for (int k = AP_SWEEP_WORST - 1; k > at; k--) {
    to->worst[k] = to->worst[k - 1];
    to->worst_value[k] = to->worst_value[k - 1];
  }
  to->worst[at] = trial;
  to->worst_value[at] = y;
}

// Running means and sums of squares (Welford 1962); deviation holds the sum of squares here.
static void note_number(summing *m, int k, long long trial, double y, const double *x) {
  ap_sweep_outcome_summary *to = &m->public.outcome[k];
  const int parameters = m->sweep->design.n;
  if (to->count++ == 0) to->least = to->most = y;
  const double n = (double)to->count, d = y - to->mean;
  to->mean += d / n;
  to->deviation += d * (y - to->mean);
  if (y < to->least) to->least = y;
  if (y > to->most) to->most = y;
  note_worst(&m->sweep->outcome[k], to, trial, y);
  for (int p = 0; p < parameters; p++) {
    pair *c = &m->pair[(long)k * parameters + p];
    const double dx = x[p] - c->mean;
    c->mean += dx / n;
    c->squares += dx * (x[p] - c->mean);
    c->product += dx * (y - to->mean);
  }
}

static void note_failure(summing *m, long long trial) {
  if (m->public.failed < AP_SWEEP_WORST) m->public.failure[m->public.failed] = trial;
  m->public.failed++;
}

static void take_moments(summing *m, uint64_t first, int n, int pass) {
  (void)pass;
  const ap_sweep *s = m->sweep;
  const int parameters = s->design.n, outcomes = s->outcomes;
  const uint64_t every = (s->design.trials + AP_SWEEP_SHOWN - 1) / AP_SWEEP_SHOWN;
  for (int p = 0; p < parameters; p++)
    ap__design_column(&s->design, p, first, n, m->value + p, parameters);
  for (int i = 0; i < n; i++) {
    const long long trial = (long long)first + i;
    const double *x = m->value + (long)i * parameters, *y = m->outcome + (long)i * outcomes;
    if (m->status[i] != AP_OK) note_failure(m, trial);
    for (int k = 0; k < outcomes; k++)
      if (isfinite(y[k])) note_number(m, k, trial, y[k], x);
    if ((uint64_t)trial % every != 0) continue;
    memcpy(m->scatter_x + (long)m->public.shown * parameters, x, (size_t)parameters * sizeof *x);
    memcpy(m->scatter_y + (long)m->public.shown * outcomes, y, (size_t)outcomes * sizeof *y);
    m->public.shown++;
  }
}

static void finish_moments(summing *m) {
  const int parameters = m->sweep->design.n;
  for (int k = 0; k < m->sweep->outcomes; k++) {
    ap_sweep_outcome_summary *o = &m->public.outcome[k];
    for (int p = 0; p < parameters; p++) {
      const pair *c = &m->pair[(long)k * parameters + p];
      o->influence[0][p] = c->product / sqrt(c->squares * o->deviation);
    }
    o->deviation = o->count > 1 ? sqrt(o->deviation / (double)(o->count - 1)) : 0;
    if (o->count == 0) o->mean = o->deviation = o->least = o->most = NAN;
  }
}

// ---- sensitivities -----------------------------------------------------------------------------

// The estimators of Saltelli et al. (2010), table 2 (b), and of Jansen (1999), both times the
// variance:  S = mean f(B) (f(AB) - f(A)),  T = mean (f(A) - f(AB))^2 / 2.
static void take_saltelli(summing *m, int k) {
  const int n = m->sweep->design.n, outcomes = m->sweep->outcomes;
  ap_sweep_outcome_summary *o = &m->public.outcome[k];
  const double a = m->block[k] - o->mean, b = m->block[outcomes + k] - o->mean;
  for (int p = 0; p < n; p++) {
    const double ab = m->block[(long)(p + 2) * outcomes + k] - o->mean;
    o->influence[0][p] += b * (ab - a);
    o->influence[1][p] += (a - ab) * (a - ab) / 2;
  }
}

// Mean, mean of magnitudes and squares of the elementary effects.
static void take_morris(summing *m, int k, uint64_t block) {
  const ap__design *d = &m->sweep->design;
  const int outcomes = m->sweep->outcomes;
  ap_sweep_outcome_summary *o = &m->public.outcome[k];
  for (int p = 0; p < d->n; p++) {
    double change;
    const int step = ap__morris_step(d, block, p, &change);
    const double effect =
        (m->block[(long)step * outcomes + k] - m->block[(long)(step - 1) * outcomes + k]) / change;
    o->influence[0][p] += fabs(effect);
    o->influence[1][p] += effect;
    o->influence[2][p] += effect * effect;
  }
}

static void take_blocks(summing *m, uint64_t first, int n, int pass) {
  (void)pass;
  const ap__design *d = &m->sweep->design;
  const int size = ap__design_block(d), outcomes = m->sweep->outcomes;
  for (int i = 0; i < n; i++) {
    memcpy(m->block + (long)m->block_fill * outcomes, m->outcome + (long)i * outcomes,
           (size_t)outcomes * sizeof *m->block);
    if (++m->block_fill < size) continue;
    m->block_fill = 0;
    for (int k = 0; k < outcomes; k++) {
      bool finite = true;
      for (int r = 0; r < size; r++) finite = finite && isfinite(m->block[(long)r * outcomes + k]);
      if (!finite) continue;
      m->blocks[k]++;
      if (d->kind == AP__SALTELLI)
        take_saltelli(m, k);
      else
        take_morris(m, k, (first + (uint64_t)i) / (uint64_t)size);
    }
  }
}

static void finish_blocks(summing *m) {
  const ap__design *d = &m->sweep->design;
  for (int k = 0; k < m->sweep->outcomes; k++) {
    ap_sweep_outcome_summary *o = &m->public.outcome[k];
    const double n = (double)m->blocks[k], variance = o->deviation * o->deviation;
    for (int p = 0; p < d->n; p++) {
      double *const x[] = {&o->influence[0][p], &o->influence[1][p], &o->influence[2][p]};
      if (d->kind == AP__SALTELLI) {
        *x[0] /= n * variance;
        *x[1] /= n * variance;
      } else {
        *x[0] /= n;
        *x[1] /= n;
        *x[2] = sqrt(fmax(0, (*x[2] - n * *x[1] * *x[1]) / (n - 1)));
      }
    }
  }
}

// ---- quantiles ---------------------------------------------------------------------------------

// Bits of a double in the order of the numbers.
static uint64_t key_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double number_of(uint64_t key) {
  const uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Few outcomes have room for long digits, which take fewer passes.
static int digit_bits(const ap_sweep *s) { return s->outcomes <= 16 ? 16 : 8; }

static void take_digits(summing *m, uint64_t first, int n, int pass) {
  (void)first;
  const ap_sweep *s = m->sweep;
  const int bits = digit_bits(s), shift = 64 - bits * (pass + 1);
  const uint64_t mask = ((uint64_t)1 << bits) - 1;
  for (int k = 0; k < s->outcomes; k++) {
    ap_sweep_outcome_summary *o = &m->public.outcome[k];
    const double width = o->most - o->least;
    for (int i = 0; i < n; i++) {
      const double y = m->outcome[(long)i * s->outcomes + k];
      if (!isfinite(y)) continue;
      const uint64_t key = key_of(y), above = pass == 0 ? 0 : key >> (shift + bits);
      for (int r = 0; r < AP_SWEEP_QUANTILES; r++) {
        const long at = (long)k * AP_SWEEP_QUANTILES + r;
        if (above == m->search[at].prefix) m->bins[(at << bits) + (long)(key >> shift & mask)]++;
      }
      if (pass > 0) continue;
      const int bin = width > 0 ? (int)((y - o->least) / width * AP_SWEEP_BINS) : 0;
      o->histogram[bin < AP_SWEEP_BINS ? bin : AP_SWEEP_BINS - 1]++;
    }
  }
}

static void next_digit(summing *m) {
  const int bits = digit_bits(m->sweep);
  const long size = 1L << bits;
  for (long at = 0; at < (long)m->sweep->outcomes * AP_SWEEP_QUANTILES; at++) {
    uint64_t *bin = &m->bins[at * size];
    search *q = &m->search[at];
    long digit = 0;
    while (digit < size - 1 && bin[digit] < q->rank) q->rank -= bin[digit++];
    q->prefix = q->prefix << bits | (uint64_t)digit;
    memset(bin, 0, (size_t)size * sizeof *bin);
  }
}

static ap_status find_quantiles(summing *m, const char *folder, ap_error *error) {
  const ap_sweep *s = m->sweep;
  const int passes = 64 / digit_bits(s);
  ap_status status = AP_OK;
  for (int k = 0; k < s->outcomes; k++)
    for (int r = 0; r < AP_SWEEP_QUANTILES; r++) {
      const double rank = ceil(ap_sweep_quantile[r] * (double)m->public.outcome[k].count);
      m->search[k * AP_SWEEP_QUANTILES + r].rank = rank > 1 ? (uint64_t)rank : 1;
    }
  for (int pass = 0; status == AP_OK && pass < passes; pass++) {
    status = for_all(m, folder, take_digits, pass, error);
    next_digit(m);
  }
  for (int k = 0; k < s->outcomes; k++)
    for (int r = 0; r < AP_SWEEP_QUANTILES; r++)
      m->public.outcome[k].quantile[r] =
          m->public.outcome[k].count > 0 ? number_of(m->search[k * AP_SWEEP_QUANTILES + r].prefix)
                                         : NAN;
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool make_room(summing *m) {
  const ap_sweep *s = m->sweep;
  const size_t n = (size_t)s->chunk, p = (size_t)s->design.n, k = (size_t)s->outcomes;
  m->names = calloc(p, sizeof *m->names);
  m->public.outcome = calloc(k, sizeof *m->public.outcome);
  m->scatter_x = calloc(AP_SWEEP_SHOWN * p, sizeof *m->scatter_x);
  m->scatter_y = calloc(AP_SWEEP_SHOWN * k, sizeof *m->scatter_y);
  m->influence = calloc(3 * p * k, sizeof *m->influence);
  m->value = malloc(n * p * sizeof *m->value);
  m->outcome = malloc(n * k * sizeof *m->outcome);
  m->status = malloc(n);
  m->pair = calloc(p * k, sizeof *m->pair);
  m->block = calloc((size_t)ap__design_block(&s->design) * k, sizeof *m->block);
  m->blocks = calloc(k, sizeof *m->blocks);
  m->search = calloc(k * AP_SWEEP_QUANTILES, sizeof *m->search);
  m->bins = calloc(k * AP_SWEEP_QUANTILES << digit_bits(s), sizeof *m->bins);
  return m->names && m->public.outcome && m->scatter_x && m->scatter_y && m->influence &&
         m->value && m->outcome && m->status && m->pair && m->block && m->blocks && m->search &&
         m->bins;
}

static void describe(summing *m, const char *file) {
  static const char *const designs[] = {"random", "latin", "sobol", "saltelli", "morris"};
  const ap_sweep *s = m->sweep;
  ap_sweep_summary *u = &m->public;
  u->name = s->head.name;
  u->kind = s->kind->name;
  u->design = s->design.random > 0 ? designs[s->design.kind] : "grid";
  u->version = ap_version();
  u->family = ap__sweep_family();
  u->study_file = file;
  u->trials = (long long)s->design.trials;
  u->parameters = s->design.n;
  u->outcomes = s->outcomes;
  for (int p = 0; p < s->design.n; p++) m->names[p] = s->parameter[p].name;
  u->parameter = m->names;
  u->x = m->scatter_x;
  u->y = m->scatter_y;
  for (int k = 0; k < AP_SWEEP_WORST; k++) u->failure[k] = -1;
  for (int k = 0; k < s->outcomes; k++) {
    u->outcome[k].name = s->outcome[k].name;
    for (int i = 0; i < AP_SWEEP_WORST; i++) u->outcome[k].worst[i] = -1;
    for (int i = 0; i < 3; i++)
      u->outcome[k].influence[i] = m->influence + ((long)k * 3 + i) * s->design.n;
  }
  const bool saltelli = s->design.kind == AP__SALTELLI, morris = s->design.kind == AP__MORRIS;
  u->influence[0] = saltelli ? "first order" : morris ? "mu*" : "correlation";
  u->influence[1] = saltelli ? "total" : morris ? "mu" : NULL;
  u->influence[2] = morris ? "sigma" : NULL;
}

static ap_status read_all(summing *m, const char *folder, ap_error *error) {
  const ap_sweep *s = m->sweep;
  ap_status status = for_all(m, folder, take_moments, 0, error);
  finish_moments(m);
  if (status == AP_OK && s->design.kind >= AP__SALTELLI) {
    memset(m->influence, 0, 3 * (size_t)s->design.n * (size_t)s->outcomes * sizeof *m->influence);
    status = for_all(m, folder, take_blocks, 0, error);
    finish_blocks(m);
  }
  return status == AP_OK ? find_quantiles(m, folder, error) : status;
}

ap_status ap_sweep_summarize(const char *folder, ap_sweep_summary **summary, ap_error *error) {
  const char *file = NULL;
  *summary = NULL;
  summing *m = calloc(1, sizeof *m);
  if (!m) return ap__no_memory(error);
  ap_status status = ap__folder_study(folder, &m->sweep, &file, error);
  if (status == AP_OK) status = ap__merge_check(m->sweep, folder, error);
  if (status == AP_OK && !make_room(m)) status = ap__no_memory(error);
  if (status == AP_OK) {
    describe(m, file);
    status = read_all(m, folder, error);
  }
  if (status == AP_OK)
    *summary = &m->public;
  else
    ap_sweep_summary_free(&m->public);
  return status;
}

void ap_sweep_summary_free(ap_sweep_summary *summary) {
  summing *m = (summing *)(void *)summary;
  if (!m) return;
  ap_sweep_free(m->sweep);
  free(m->names);
  free(m->public.outcome);
  free(m->scatter_x);
  free(m->scatter_y);
  free(m->influence);
  free(m->value);
  free(m->outcome);
  free(m->status);
  free(m->pair);
  free(m->block);
  free(m->blocks);
  free(m->search);
  free(m->bins);
  free(m);
}
