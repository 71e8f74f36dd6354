// SPDX-License-Identifier: Apache-2.0
// One number of many: the largest, the mean, the last, ...

#ifndef AP_SWEEP_TAKE_H
#define AP_SWEEP_TAKE_H

#include "sweep/study.h"

typedef struct ap__taking {
  long n;
  double first, last, least, most, sum, squares;
} ap__taking;

// Take a number in.
void ap__taking_add(ap__taking *t, double x);
// What came out; NAN where there was none, but for sums and counts.
double ap__taking_result(const ap__taking *t, ap__take take);

// Columns of an outcome: one, or all whose names begin alike.
typedef struct ap__taken {
  int first, count; // among the columns
  int minus;        // the first that is subtracted; -1: none
} ap__taken;

// Find the columns of outcome o among n names. False, and the reason in *error at its line.
bool ap__taken_find(const ap__outcome *o, const ap_column *column, int n, ap__taken *taken,
                    ap_error *error);
// Take the numbers of a row in, every stride-th.
void ap__taken_add(const ap__taken *taken, const double *row, long stride, ap__taking *t);

#endif
