// SPDX-License-Identifier: Apache-2.0
// An axis: its range, its ticks and their labels.
//
// Positions on an axis are v / 10^shift on a linear one, log10(v) on a logarithmic one; so they are
// of moderate size whatever the numbers are.

#ifndef AP_PLOT_AXIS_H
#define AP_PLOT_AXIS_H

#include <stdbool.h>

enum { AP__TICKS = 24, AP__LABEL = 40 };

typedef struct ap__tick {
  double at;             // its position
  char label[AP__LABEL]; // see ap__svg_label()
} ap__tick;

typedef struct ap__axis {
  bool log;
  int shift;        // 0 unless the numbers are huge or tiny
  double low, high; // positions of the ends; low < high
  int ntick;
  ap__tick tick[AP__TICKS];
  bool nine;                // a logarithmic axis has lines at 2, 3, ..., 9 times each tick
  char note[2 * AP__LABEL]; // what the labels leave out: a factor, a number to add; or empty
} ap__axis;

// The shift that suits numbers between low and high.
int ap__axis_shift(double low, double high);

// An axis for the values low <= high, both finite; positive where log. Linear: the range is wider
// than the values by the share `pad` of it at either end.
void ap__axis_range(ap__axis *a, bool log, int shift, double low, double high, double pad);

// Ticks at 1, 2 or 5 times a power of ten, or at powers of ten: at least 2, and as many as there
// are up to `most` (5 or more; up to 7 on a short logarithmic axis), all inside the range.
void ap__axis_ticks(ap__axis *a, int most);

// The position of a value, which is finite, and positive where log.
double ap__axis_position(const ap__axis *a, double value);

#endif
