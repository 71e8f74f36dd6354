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

// How far x goes from one sample to the next, as a rule: what is less is no spike, however still
// its surroundings are.
static double common_step(const double *x, size_t n, double *room) {
  for (size_t i = 0; i + 1 < n; i++) room[i] = fabs(x[i + 1] - x[i]);
  qsort(room, n - 1, sizeof *room, by_size);
  return 1.4826 * room[(n - 1) / 2];
}

long ap__remove_spikes(double *x, size_t n, double most, double *room) {
  long found = 0;
  if (n < SPAN || !(most > 0)) return 0;
  const double least = common_step(x, n, room);
  memcpy(room, x, n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    size_t from = i < SPAN / 2 ? 0 : i - SPAN / 2;
    if (from > n - SPAN) from = n - SPAN;
    double near[SPAN], off[SPAN];
    memcpy(near, room + from, sizeof near);
    const double middle = median(near);
    for (int k = 0; k < SPAN; k++) off[k] = fabs(near[k] - middle);
    if (fabs(room[i] - middle) <= most * fmax(1.4826 * median(off), least)) continue;
    x[i] = middle;
    found++;
  }
  return found;
}
