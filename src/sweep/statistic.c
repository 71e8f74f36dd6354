// SPDX-License-Identifier: Apache-2.0
#include "sweep/statistic.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/spelling.h"

void ap__statistic_add(ap__statistic *t, double x) {
  if (t->n++ == 0) t->first = t->least = t->most = x;
  if (x < t->least) t->least = x;
  if (x > t->most) t->most = x;
  t->last = x;
  t->sum += x;
  t->squares += x * x;
}

double ap__statistic_value(const ap__statistic *t, ap__statistic_kind take) {
  const double n = (double)t->n;
  if (take == AP__STATISTIC_COUNT) return n;
  if (take == AP__STATISTIC_SUM) return t->sum;
  if (t->n == 0) return NAN;
  switch (take) {
    case AP__STATISTIC_FIRST: return t->first;
    case AP__STATISTIC_LEAST: return t->least;
    case AP__STATISTIC_MOST: return t->most;
    case AP__STATISTIC_LARGEST: return fmax(fabs(t->least), fabs(t->most));
    case AP__STATISTIC_MEAN: return t->sum / n;
    case AP__STATISTIC_RMS: return sqrt(t->squares / n);
    default: return t->last;
  }
}

// A name, or NAME.* for all that begin with "NAME.".
static bool find(const char *name, const ap_column *column, int n, int *first, int *count) {
  const size_t length = strlen(name);
  const bool group = length > 2 && strcmp(name + length - 2, ".*") == 0;
  *count = 0;
  for (int k = 0; k < n; k++) {
    const bool is =
        group ? strncmp(column[k].name, name, length - 1) == 0 : strcmp(column[k].name, name) == 0;
    if (is && *count == 0) *first = k;
    if (is && *first + *count == k) (*count)++;
  }
  return *count > 0;
}

static bool refuse(const ap__outcome *o, const char *name, const ap_column *column, int n,
                   ap_error *error) {
  const char *meant = NULL;
  int least = INT_MAX;
  for (int k = 0; k < n; k++)
    if (ap__name_nearer(name, column[k].name, &least)) meant = column[k].name;
  ap__study_refuse(error, o->line, "there is no column \"%.*s\" (%s%.*s%s)", ap__shown(name), name,
                   meant ? "did you mean \"" : "the first is \"",
                   ap__shown(meant ? meant : column[0].name), meant ? meant : column[0].name,
                   meant ? "\"?" : "\"");
  return false;
}

bool ap__selection_find(const ap__outcome *o, const ap_column *column, int n, ap__selection *taken,
                        ap_error *error) {
  int minus = 0;
  taken->minus = -1;
  if (!find(o->column, column, n, &taken->first, &taken->count))
    return refuse(o, o->column, column, n, error);
  if (taken->count > 1 && (o->take == AP__STATISTIC_LAST || o->take == AP__STATISTIC_FIRST)) {
    ap__study_refuse(error, o->line,
                     "%.*s are %d columns (take: least, most, largest, mean, rms or sum)",
                     ap__shown(o->column), o->column, taken->count);
    return false;
  }
  if (!o->minus) return true;
  if (!find(o->minus, column, n, &taken->minus, &minus))
    return refuse(o, o->minus, column, n, error);
  if (minus == taken->count) return true;
  ap__study_refuse(error, o->line, "column has %d numbers, minus %d (as many)", taken->count,
                   minus);
  return false;
}

void ap__selection_add(const ap__selection *taken, const double *row, long stride,
                       ap__statistic *t) {
  for (int k = 0; k < taken->count; k++) {
    const double x = row[(taken->first + k) * stride];
    ap__statistic_add(t, taken->minus < 0 ? x : x - row[(taken->minus + k) * stride]);
  }
}
