// SPDX-License-Identifier: Apache-2.0
// Zero-phase low-pass: a Butterworth filter as a row of sections of second order, run forwards and
// back over the signal continued beyond its ends.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ident/ident.h"

// y = b0 (x + 2 x' + x") - a1 y' - a2 y" (second order), or b0 (x + x') - a1 y' (first: b2 = a2 =
// 0)
typedef struct section {
  double b0, b1, b2, a1, a2;
} section;

enum { MOST_SECTIONS = 4 };

// The bilinear transform takes the analogue cutoff tan(pi cutoff / rate) to the digital one.
static int design(double rate, double cutoff, int order, section *s) {
  const double pi = acos(-1.0), w = tan(pi * cutoff / rate);
  int count = 0;
  for (int k = 0; k < order / 2; k++, count++) {
    // poles at +-angle from the negative real axis
    double angle = order % 2 ? pi * (k + 1) / order : pi * (2 * k + 1) / (2 * order);
    double damping = 2 * cos(angle) * w, a0 = 1 + damping + w * w, b0 = w * w / a0;
    s[count] = (section){b0, 2 * b0, b0, 2 * (w * w - 1) / a0, (1 - damping + w * w) / a0};
  }
  if (order % 2) {
    double b0 = w / (1 + w);
    s[count++] = (section){b0, b0, 0, (w - 1) / (w + 1), 0};
  }
  return count;
}

// One section over x, `step` apart, started as if its first number had always been there (the gain
// at rest is one).
static void run_section(const section *s, double *x, size_t n, ptrdiff_t step) {
  double z1 = (1 - s->b0) * *x, z2 = (s->b2 - s->a2) * *x;
  for (; n > 0; n--, x += step) {
    double in = *x, out = s->b0 * in + z1;
    z1 = s->b1 * in - s->a1 * out + z2;
    z2 = s->b2 * in - s->a2 * out;
    *x = out;
  }
}

ap_status ap_filter_zero_phase(double *x, int n, int stride, double rate, double cutoff,
                               int order) {
  if (n < 2 || stride < 1 || order < 1 || order > 2 * MOST_SECTIONS || !(cutoff > 0) ||
      !(cutoff < rate / 2) || !isfinite(rate))
    return AP_E_ARG;
  // as far beyond the ends as it takes the slowest pole to forget its start to 1e-9
  double reach = 3.3 * rate / (cutoff * sin(acos(-1.0) / (2 * order)));
  size_t count = (size_t)n, pad = reach < n - 1 ? (size_t)reach + 1 : count - 1;
  size_t step = (size_t)stride, all = count + 2 * pad;
  if (pad > count - 1) pad = count - 1, all = count + 2 * pad;
  double *y = malloc(all * sizeof *y);
  if (!y) return AP_E_MEMORY;
  for (size_t k = 0; k < count; k++) y[pad + k] = x[k * step];
  double first = y[pad], last = y[pad + count - 1];
  for (size_t k = 1; k <= pad; k++) { // point reflection at both ends
    y[pad - k] = 2 * first - y[pad + k];
    y[pad + count - 1 + k] = 2 * last - y[pad + count - 1 - k];
  }
  section s[MOST_SECTIONS];
  int sections = design(rate, cutoff, order, s);
  for (int k = 0; k < sections; k++) run_section(&s[k], y, all, 1);
  for (int k = 0; k < sections; k++) run_section(&s[k], y + all - 1, all, -1);
  for (size_t k = 0; k < count; k++) x[k * step] = y[pad + k];
  free(y);
  return AP_OK;
}

// ---- spikes ------------------------------------------------------------------------------------

enum { SPAN = 11 }; // samples that are looked at together: a burst of five is told from the rest

// The middle one of SPAN numbers, which are put in order.
static double median(double *x) {
  for (int i = 1; i < SPAN; i++) {
    double now = x[i];
    int k = i;
    for (; k > 0 && x[k - 1] > now; k--) x[k] = x[k - 1];
    x[k] = now;
  }
  return x[SPAN / 2];
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// How far x goes from one sample to the next: as a rule (what is less is no spike, however still
// its surroundings are), on average, and at least, where it goes at all, as by one encoder count.
typedef struct steps {
  double common, mean, least;
} steps;

static steps steps_of(const double *x, size_t n, double *room) {
  steps s = {.least = INFINITY};
  for (size_t i = 0; i + 1 < n; i++) {
    room[i] = fabs(x[i + 1] - x[i]);
    s.mean += room[i] / (double)(n - 1);
    if (room[i] > 0) s.least = fmin(s.least, room[i]);
  }
  qsort(room, n - 1, sizeof *room, by_size);
  s.common = 1.4826 * room[(n - 1) / 2];
  if (!isfinite(s.least)) s.least = 0;
  return s;
}

// The eleven numbers around number i.
static const double *around(const double *x, size_t n, size_t i) {
  size_t from = i < SPAN / 2 ? 0 : i - SPAN / 2;
  return x + (from > n - SPAN ? n - SPAN : from);
}

// Marks spikes of x, whose numbers old has, as NAN.
static void mark_far_ones(const double *old, size_t n, double most, double least, double *x) {
  for (size_t i = 0; i < n; i++) {
    double near[SPAN], off[SPAN];
    memcpy(near, around(old, n, i), sizeof near);
    const double middle = median(near);
    for (int k = 0; k < SPAN; k++) off[k] = fabs(near[k] - middle);
    if (fabs(old[i] - middle) > most * fmax(1.4826 * median(off), least)) x[i] = NAN;
  }
}

// How far number i, 2 <= i < n - 2, is from the cubic through the two on either side of it.
static double from_cubic(const double *x, size_t i) {
  return fabs(x[i] - (4 * (x[i - 1] + x[i + 1]) - x[i - 2] - x[i + 2]) / 6);
}

// The middle of what numbers are off a cubic, looked at here and there.
static double common_error(const double *x, size_t n) {
  enum { LOOKED_AT = 1001 };
  double error[LOOKED_AT];
  const size_t count = n - 4 < LOOKED_AT ? n - 4 : LOOKED_AT;
  for (size_t k = 0; k < count; k++) error[k] = from_cubic(x, 2 + (n - 4) * k / count);
  qsort(error, count, sizeof *error, by_size);
  return error[count / 2];
}

// A joint has no jumps: from one sample to the next its path is a cubic, but for noise, so that far
// smaller spikes show. Those next to a spike are off, too, but less.
static void mark_rough_ones(const double *old, size_t n, double most, const steps *s, double *x) {
  const double common = fmax(common_error(old, n), 1e-3 * s->mean), counts = 3 * s->least;
  for (size_t i = 2 + SPAN / 2; i + 2 + SPAN / 2 < n; i++) {
    const double error = from_cubic(old, i);
    if (error <= counts || error <= most * 1.4826 * common) continue;
    double near[SPAN], largest = 0;
    for (int k = 0; k < SPAN; k++) near[k] = from_cubic(old, i + (size_t)k - SPAN / 2);
    for (int k = SPAN / 2 - 2; k <= SPAN / 2 + 2; k++) largest = fmax(largest, near[k]);
    if (error >= largest && error > most * 1.4826 * median(near)) x[i] = NAN;
  }
}

// The good number next to i in a direction, `count` of them; how many there are.
static int good_ones(const double *x, size_t n, size_t i, int direction, int count, size_t *at) {
  int found = 0;
  while (found < count && (direction > 0 ? i + 1 < n : i > 0)) {
    i = direction > 0 ? i + 1 : i - 1;
    if (!isnan(x[i])) at[found++] = i;
  }
  return found;
}

// The polynomial through the good numbers, two on either side where there are.
static double between(const double *x, size_t n, size_t i) {
  size_t at[4];
  int count = good_ones(x, n, i, -1, 2, at);
  count += good_ones(x, n, i, 1, 2, at + count);
  if (count == 2) { // at an end: the nearest, not a line beyond it
    if ((at[0] < i) == (at[1] < i)) count = 1;
  }
  double sum = 0;
  for (int k = 0; k < count; k++) {
    double factor = 1;
    for (int m = 0; m < count; m++)
      if (m != k) factor *= ((double)i - (double)at[m]) / ((double)at[k] - (double)at[m]);
    sum += factor * x[at[k]];
  }
  return sum;
}

long ap__remove_spikes(double *x, size_t n, double most, bool smooth, double *room) {
  long found = 0;
  if (n < SPAN || !(most > 0) || isnan(x[0])) return 0;
  const steps s = steps_of(x, n, room);
  memcpy(room, x, n * sizeof *x);
  mark_far_ones(room, n, most, s.common, x);
  if (smooth && n >= 2 * SPAN) mark_rough_ones(room, n, most, &s, x);
  for (size_t i = 0; i < n; i++) found += isnan(x[i]);
  if (found == 0) return 0;
  if ((size_t)found == n) return memcpy(x, room, n * sizeof *x), 0;
  for (size_t i = 0; i < n; i++) room[i] = isnan(x[i]) ? between(x, n, i) : x[i];
  memcpy(x, room, n * sizeof *x);
  return found;
}
