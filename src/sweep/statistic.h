// SPDX-License-Identifier: Apache-2.0
// One number of many: the largest, the mean, the last, ...

#ifndef AP_SWEEP_STATISTIC_H
#define AP_SWEEP_STATISTIC_H

#include "sweep/study.h"

typedef struct ap__statistic {
  long n;
  double first, last, least, most, sum, squares;
} ap__statistic;

// Take a number in.
void ap__statistic_add(ap__statistic *t, double x);
// What came out; NAN where there was none, but for sums and counts.
double ap__statistic_value(const ap__statistic *t, ap__statistic_kind take);

// Columns of an outcome: one, or all whose names begin alike.
typedef struct ap__selection {
  int first, count; // among the columns
  int minus;        // the first that is subtracted; -1: none
} ap__selection;

// Find the columns of outcome o among n names. False, and the reason in *error at its line.
bool ap__selection_find(const ap__outcome *o, const ap_column *column, int n, ap__selection *taken,
                        ap_error *error);
// Take the numbers of a row in, every stride-th.
void ap__selection_add(const ap__selection *taken, const double *row, long stride,
                       ap__statistic *t);

#endif
