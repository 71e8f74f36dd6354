// SPDX-License-Identifier: Apache-2.0
#include "plot/axis.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MINUS "\xE2\x88\x92" // U+2212
#define TIMES "\xC3\x97"
#define DOT   "\xC2\xB7"

// ---- range -------------------------------------------------------------------------------------

int ap__axis_shift(double low, double high) {
  double most = fmax(fabs(low), fabs(high));
  if (most == 0 || (most > 1e-12 && most < 1e15)) return 0;
  return (int)floor(log10(most));
}

// x * 10^e where 10^e itself may be out of range.
static double times_power(double x, int e) {
  if (e > 300) return x * 1e300 * pow(10, e - 300);
  if (e < 0) return e < -300 ? x / 1e300 / pow(10, -e - 300) : x / pow(10, -e);
  return x * pow(10, e);
}

double ap__axis_position(const ap__axis *a, double value) {
  if (a->log) return log10(value);
  return a->shift ? times_power(value, -a->shift) : value;
}

// Stops of a logarithmic axis: number 3k + (0, 1, 2) is at (1, 2, 5) * 10^k.
static int decade_of(int stop) { return stop >= 0 ? stop / 3 : -((2 - stop) / 3); }
static int digit_of(int stop) {
  int rest = stop - 3 * decade_of(stop);
  return rest == 0 ? 1 : rest == 1 ? 2 : 5;
}
static double place_of(int stop) { return decade_of(stop) + log10(digit_of(stop)); }

static void log_range(ap__axis *a, double low, double high) {
  double from = log10(low), to = log10(high), slack = 1e-12 * fmax(fabs(from), fabs(to));
  int first = 3 * (int)floor(from) + 3, last = 3 * (int)ceil(to) - 3;
  while (place_of(first) > from + slack) first--;
  while (place_of(last) < to - slack) last++;
  if (first == last) { // a constant in the middle
    first--;
    last++;
  }
  a->low = place_of(first);
  a->high = place_of(last);
}

void ap__axis_range(ap__axis *a, bool log, int shift, double low, double high, double pad) {
  *a = (ap__axis){.log = log, .shift = log ? 0 : shift};
  if (log) {
    log_range(a, low, high);
    return;
  }
  a->low = ap__axis_position(a, low);
  a->high = ap__axis_position(a, high);
  double spread = a->high - a->low, most = fmax(fabs(a->low), fabs(a->high));
  // What differs by rounding only is a constant, and a constant is in the middle.
  if (spread <= 16 * DBL_EPSILON * most || most == 0) {
    pad = 1;
    spread = most == 0 ? 1 : 0.1 * most;
  }
  a->low -= pad * spread;
  a->high += pad * spread;
}

// ---- labels ------------------------------------------------------------------------------------

// number * 10^e in decimals, with all the zeros that e asks for; 0 as "0". A label of ours has at
// most 16 digits and e of either sign below 20, so that it fits.
static void decimal(char out[AP__LABEL], int64_t number, int e) {
  char digits[AP__LABEL];
  uint64_t left = number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
  int n = 0, decimals = e < 0 ? -e : 0;
  if (number == 0) e = decimals = 0;
  for (int k = 0; k < e && n < 20; k++) digits[n++] = '0';
  for (int k = 0; (left > 0 || k <= decimals) && n < AP__LABEL - 1; k++) {
    if (k == decimals && k > 0) digits[n++] = '.';
    digits[n++] = (char)('0' + left % 10);
    left /= 10;
  }
  char *end = out;
  if (number < 0) {
    for (const char *minus = MINUS; *minus; minus++) *end++ = *minus;
  }
  while (n > 0 && end < out + AP__LABEL - 1) *end++ = digits[--n];
  *end = 0;
}

// 10^e as a label, behind `before`.
static void power(char *out, size_t size, const char *before, int e) {
  snprintf(out, size, "%s10^%s%d", before, e < 0 ? MINUS : "", e < 0 ? -e : e);
}

static int digits_of(int64_t n) {
  int digits = 1;
  while (n /= 10) digits++;
  return digits;
}

// The number to be added to the labels, base * 10^e: plainly where that is short.
static void note_base(char *note, size_t size, int64_t base, int e) {
  if (base == 0) return;
  char number[AP__LABEL];
  int64_t size_of_base = base < 0 ? -base : base;
  for (; size_of_base % 10 == 0; e++) size_of_base /= 10;
  int magnitude = digits_of(size_of_base) - 1 + e;
  bool plain = magnitude >= -4 && magnitude <= 6;
  decimal(number, size_of_base, plain ? e : e - magnitude);
  size_t used = strlen(note);
  snprintf(note + used, size - used, "%s%s %s", used ? " " : "", base < 0 ? MINUS : "+", number);
  used = strlen(note);
  if (!plain) power(note + used, size - used, DOT, magnitude);
}

// Label the ticks, which are number[i] * 10^e. Long numbers that differ in their last digits only
// are split into a common number, which goes to the note, and the rest; huge and tiny ones into a
// power of 1000 and the rest.
static void label(ap__axis *a, int64_t *number, int e) {
  int n = a->ntick;
  int64_t first = number[0], last = number[n - 1], span = last - first, base = 0;
  int64_t most = first < 0 && -first > last ? -first : last;
  if (last < 0) most = -first;
  if (most >= 100000 && most / 1000 > span) {
    int64_t unit = 1, middle = first + span / 2;
    while (unit < 20 * span) unit *= 10;
    base = (middle < 0 ? middle - unit / 2 : middle + unit / 2) / unit * unit;
  }
  most = 0;
  for (int i = 0; i < n; i++) {
    number[i] -= base;
    int64_t size = number[i] < 0 ? -number[i] : number[i];
    if (size > most) most = size;
  }
  int magnitude = digits_of(most) - 1 + e; // of the largest label
  int factor = 0;
  if (magnitude >= 5 || magnitude < -3 || (magnitude < 0 && e < -5))
    factor = 3 * (magnitude >= 0 ? magnitude / 3 : -((2 - magnitude) / 3));
  for (int i = 0; i < n; i++) decimal(a->tick[i].label, number[i], e - factor);
  if (factor != 0) power(a->note, sizeof a->note, TIMES, factor);
  note_base(a->note, sizeof a->note, base, e);
}

// ---- ticks -------------------------------------------------------------------------------------

// The k-th multiple of digit * 10^e, to the last bit where e is below 23 in size.
static double multiple(double k, int digit, int e) {
  return e < 0 ? k * digit / pow(10, -e) : k * digit * pow(10, e);
}

static void linear_ticks(ap__axis *a, int most) {
  static const int digits[] = {1, 2, 5};
  double range = a->high - a->low, slack = 1e-9 * range;
  int e = (int)floor(log10(range / most)) - 1, digit = 1;
  double first = 0, last = 0;
  // The next step is at most 2.5 times as long. More than 5 ticks become at least 2 by it.
  for (int k = 0;; k++) {
    digit = digits[k % 3];
    double step = multiple(1, digit, e);
    first = ceil((a->low - slack) / step);
    last = floor((a->high + slack) / step);
    if (last - first + 1 <= most) break;
    if (digit == 5) e++;
  }
  int64_t number[AP__TICKS] = {0};
  a->ntick = (int)(last - first) + 1;
  for (int i = 0; i < a->ntick; i++) {
    number[i] = (int64_t)(first + i) * digit;
    a->tick[i].at = fmin(fmax(multiple(first + i, digit, e), a->low), a->high);
  }
  label(a, number, e + a->shift);
}

static void log_label(ap__tick *t, int digit, int decade, bool plain) {
  char before[16] = "";
  if (digit > 1) snprintf(before, sizeof before, "%d" DOT, digit);
  if (plain)
    decimal(t->label, digit, decade);
  else
    power(t->label, sizeof t->label, before, decade);
}

// Decades, or every so manieth; on a short axis also 2 and 5 in each.
static void log_ticks(ap__axis *a, int most) {
  static const int strides[] = {1, 2, 5, 10, 20, 50, 100, 200};
  double slack = 1e-9;
  bool plain = a->low > -3 - slack && a->high < 4 + slack;
  bool brief = a->high - a->low < 2 - slack;
  int stride = 1, first = (int)ceil(a->low - slack), last = (int)floor(a->high + slack);
  double start = first, end = last;
  for (int k = 1; !brief && end - start + 1 > most && k < 8; k++) {
    stride = strides[k];
    start = ceil((double)first / stride);
    end = floor((double)last / stride);
  }
  a->nine = stride == 1 && a->high - a->low < 8;
  int step = brief ? 1 : 3 * stride;
  int stop = brief ? 3 * (first - 2) : step * (int)start;
  for (; place_of(stop) < a->high + slack; stop += step) {
    if (place_of(stop) < a->low - slack || a->ntick == AP__TICKS) continue;
    ap__tick *t = &a->tick[a->ntick++];
    t->at = fmin(fmax(place_of(stop), a->low), a->high);
    log_label(t, digit_of(stop), decade_of(stop), plain);
  }
}

void ap__axis_ticks(ap__axis *a, int most) {
  a->ntick = 0;
  a->note[0] = 0;
  most = most < 5 ? 5 : most > AP__TICKS - 1 ? AP__TICKS - 1 : most;
  if (a->log)
    log_ticks(a, most);
  else
    linear_ticks(a, most);
}
