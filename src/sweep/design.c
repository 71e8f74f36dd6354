// SPDX-License-Identifier: Apache-2.0
#include "sweep/design.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/random.h"

// Streams of random numbers: those of a parameter follow from its dimension.
enum { STREAM_UNIT = 0, STREAM_PLACE = 1, STREAM_LEVEL = 2, STREAM_ORDER = 3, STREAMS = 4 };

static uint64_t stream(int dimension, int of) {
  return (uint64_t)dimension * STREAMS + (uint64_t)of;
}

// ---- preparation -------------------------------------------------------------------------------

// a * b, or 0 where that is beyond the limit.
static uint64_t times(uint64_t a, uint64_t b) {
  return a == 0 || b == 0 || a > AP__MOST_TRIALS / b ? 0 : a * b;
}

static int dimensions(const ap__design *d) {
  return d->kind == AP__SALTELLI ? 2 * d->random : d->random;
}

int ap__design_block(const ap__design *d) {
  return d->kind == AP__SALTELLI ? d->random + 2 : d->kind == AP__MORRIS ? d->random + 1 : 1;
}

bool ap__design_init(ap__design *d) {
  d->random = 0;
  d->cells = 1;
  d->stride = calloc((size_t)d->n + 1, sizeof *d->stride);
  d->dimension = calloc((size_t)d->n + 1, sizeof *d->dimension);
  if (!d->stride || !d->dimension) return false;
  for (int p = 0; p < d->n; p++) {
    const bool grid = d->parameter[p].distribution == AP__GRID;
    d->dimension[p] = grid ? -1 : d->random++;
    d->stride[p] = d->cells;
    if (grid) d->cells = times(d->cells, (uint64_t)d->parameter[p].values);
  }
  d->trials = times(times(d->samples, (uint64_t)ap__design_block(d)), d->cells);
  const int n = dimensions(d);
  if ((d->kind != AP__SOBOL && d->kind != AP__SALTELLI) || n == 0 || n > AP__SOBOL_DIMENSIONS)
    return true;
  d->sobol = malloc((size_t)n * sizeof *d->sobol);
  for (int k = 0; d->sobol && k < n; k++) ap__sobol_init(&d->sobol[k], k, d->seed);
  return d->sobol != NULL;
}

void ap__design_free(ap__design *d) {
  free(d->stride);
  free(d->dimension);
  free(d->sobol);
}

// ---- from a trial to the unit interval ---------------------------------------------------------

static double unit(const ap__design *d, int dimension, uint64_t i) {
  if (d->sobol) return ap__sobol_unit(&d->sobol[dimension], i);
  return ap__random_unit(d->seed, stream(dimension, STREAM_UNIT), i);
}

// One number in each of `samples` intervals of equal length.
static double latin(const ap__design *d, int dimension, uint64_t i) {
  const uint64_t at = ap__random_place(d->seed, stream(dimension, STREAM_PLACE), i, d->samples);
  const double u = ap__random_unit(d->seed, stream(dimension, STREAM_UNIT), i);
  const double x = ((double)at + u) / (double)d->samples;
  return x < 1 ? x : 1 - 0x1p-53;
}

static double saltelli(const ap__design *d, int dimension, uint64_t i) {
  const uint64_t size = (uint64_t)d->random + 2, block = i / size, k = i % size;
  const bool of_b = k == 1 || k == 2 + (uint64_t)dimension;
  return unit(d, of_b ? d->random + dimension : dimension, block);
}

// Levels are the middles of equal parts; a path goes half of them up or down.
static double morris_level(const ap__design *d, uint64_t block, int dimension, double *change) {
  const uint64_t bits = ap__random_bits(d->seed, stream(dimension, STREAM_LEVEL), block);
  const int half = AP__MORRIS_LEVELS / 2, low = (int)((bits >> 1) % (unsigned)half);
  const bool down = bits & 1;
  *change = down ? -0.5 : 0.5;
  return (low + (down ? half : 0) + 0.5) / AP__MORRIS_LEVELS;
}

static int morris_step(const ap__design *d, uint64_t block, int dimension) {
  return 1 + (int)ap__random_place(d->seed, stream(0, STREAM_ORDER) + block * STREAMS,
                                   (uint64_t)dimension, (uint64_t)d->random);
}

int ap__morris_step(const ap__design *d, uint64_t block, int p, double *change) {
  (void)morris_level(d, block, d->dimension[p], change);
  return morris_step(d, block, d->dimension[p]);
}

static double morris(const ap__design *d, int dimension, uint64_t i) {
  const uint64_t size = (uint64_t)d->random + 1, block = i / size;
  double change;
  const double start = morris_level(d, block, dimension, &change);
  return morris_step(d, block, dimension) <= (int)(i % size) ? start + change : start;
}

static double unit_of(const ap__design *d, int dimension, uint64_t i) {
  switch (d->kind) {
    case AP__LATIN: return latin(d, dimension, i);
    case AP__SALTELLI: return saltelli(d, dimension, i);
    case AP__MORRIS: return morris(d, dimension, i);
    default: return unit(d, dimension, i);
  }
}

// ---- from the unit interval to values ----------------------------------------------------------

static double triangular(const ap__parameter *p, double u) {
  const double width = p->c - p->a, turn = (p->b - p->a) / width;
  return u < turn ? p->a + sqrt(u * width * (p->b - p->a))
                  : p->c - sqrt((1 - u) * width * (p->c - p->b));
}

static double value_of(const ap__parameter *p, double u) {
  switch (p->distribution) {
    case AP__UNIFORM: return p->a + (p->b - p->a) * u;
    case AP__NORMAL: return p->a + p->b * ap__normal_quantile(u);
    case AP__LOGNORMAL: return p->a * ap__exp(p->b * ap__normal_quantile(u));
    case AP__LOGUNIFORM: return p->a * ap__exp(ap__log(p->b / p->a) * u);
    case AP__TRIANGULAR: return triangular(p, u);
    default: return p->value[(int)(u * p->values)];
  }
}

// Units to values, in place.
static void values_of(const ap__parameter *p, int n, double *x) {
  const double a = p->a, width = p->b - p->a;
  if (p->distribution == AP__UNIFORM)
    for (int k = 0; k < n; k++) x[k] = a + width * x[k];
  else
    for (int k = 0; k < n; k++) x[k] = value_of(p, x[k]);
}

// Points first, values after them: the loops over uniform ones have no calls, and go through
// vectors.
static void sobol_column(const ap__design *d, int p, uint64_t first, int n, double *to,
                         int stride) {
  enum { SOME = 256 };
  const ap__sobol *s = &d->sobol[d->dimension[p]];
  double some[SOME];
  for (int k = 0; k < n; k += SOME) {
    const int count = n - k < SOME ? n - k : SOME;
    double *x = stride == 1 ? to + k : some;
    ap__sobol_units(s, first + (uint64_t)k, count, x);
    values_of(&d->parameter[p], count, x);
    for (int i = 0; stride != 1 && i < count; i++) to[(long)(k + i) * stride] = x[i];
  }
}

void ap__design_column(const ap__design *d, int p, uint64_t first, int n, double *to, int stride) {
  if (d->kind == AP__SOBOL && d->sobol && d->cells == 1) {
    sobol_column(d, p, first, n, to, stride);
    return;
  }
  const ap__parameter *parameter = &d->parameter[p];
  const int dimension = d->dimension[p];
  uint64_t sample = first / d->cells, cell = first % d->cells;
  double value = 0;
  bool known = false;
  for (int k = 0; k < n; k++) {
    if (dimension < 0) {
      value = parameter->value[cell / d->stride[p] % (uint64_t)parameter->values];
    } else if (!known) {
      value = value_of(parameter, unit_of(d, dimension, sample));
      known = true;
    }
    to[(long)k * stride] = value;
    if (++cell < d->cells) continue;
    cell = 0;
    sample++;
    known = false;
  }
}
