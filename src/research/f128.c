// SPDX-License-Identifier: Apache-2.0
#include "research/f128.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "num/angle_reduction.h"

#ifdef AP_HAVE_F128

enum { BIAS = 16383, EXPONENT_MAX = 0x7fff };

typedef struct {
  uint64_t low, high; // high: sign, 15 bits of exponent, 48 of the significand
} f128_words;

static f128_words words_of(f128 x) {
  f128_words w;
  memcpy(&w, &x, sizeof w);
  return w;
}

static f128 from_words(f128_words w) {
  f128 x;
  memcpy(&x, &w, sizeof x);
  return x;
}

static int exponent_of(f128 x) { return (int)(words_of(x).high >> 48 & EXPONENT_MAX); }

/// 2^n, for a normal number.
static f128 power_of_two(int n) {
  return from_words((f128_words){.high = (uint64_t)(n + BIAS) << 48});
}

// m in [1, 4). y = y0 + c is the double root improved once, c2 the second improvement: the residual
// m - (y0 + c)^2 is built from exact pieces, so the only rounding that counts is that of the last
// sum.
static f128 sqrt_scaled(f128 m) {
  f128 y0 = sqrt((double)m);
  double twice = 2 * (double)y0;
  f128 residual = m - y0 * y0;
  f128 c = (double)residual / twice;
  residual = (residual - (y0 + y0) * c) - c * c;
  f128 c2 = (double)residual / twice;
  return y0 + (c + c2);
}

f128 ap__sqrt_f128(f128 x) {
  if (x == 0 || x != x) return x;
  if (x < 0) return (x - x) / (x - x);
  int exponent = exponent_of(x);
  if (exponent == EXPONENT_MAX) return x;
  int scaled = 0;
  if (exponent == 0) { // subnormal
    scaled = 226;
    x *= power_of_two(scaled);
    exponent = exponent_of(x);
  }
  exponent -= BIAS;
  int even = exponent - (exponent & 1); // the bit is right for a negative exponent too
  f128 m = x * power_of_two(-even / 2) * power_of_two(-even / 2);
  return sqrt_scaled(m) * power_of_two((even - scaled) / 2);
}

static ap__exact exact_of(f128 x) {
  f128_words w = words_of(x);
  int exponent = exponent_of(x);
  uint64_t high = w.high & (UINT64_MAX >> 16);
  if (exponent > 0) high |= UINT64_C(1) << 48;
  return (ap__exact){.significand = {(uint32_t)w.low, (uint32_t)(w.low >> 32), (uint32_t)high,
                                     (uint32_t)(high >> 32)},
                     .exponent = (exponent > 0 ? exponent : 1) - BIAS - 112,
                     .negative = (int)(w.high >> 63)};
}

/// 113 bits of a reduced angle from bit `first` on.
static f128 angle_part(const ap__angle *r, int first) {
  f128 high = (f128)ap__angle_bits(r, first, 57);
  f128 low = (f128)ap__angle_bits(r, first + 57, 56);
  return (high * power_of_two(56) + low) * power_of_two(r->exponent - first - 113);
}

// Factorials as exact products of exact doubles; the compiler divides.
#define TO12                479001600.0  // 12!
#define TO18                (13366080.0) // 13 * 14 * ... * 18
#define TO24                (96909120.0) // 19 * 20 * ... * 24
#define INVERSE(a, b, c, d) ((f128)1 / ((f128)(a) * (f128)(b) * (f128)(c) * (f128)(d)))

// Taylor's series, its remainder below 2^-122 of the result for |r| <= pi/4.
enum { TERMS = 14 };
static const f128 sine_series[TERMS] = {
    // 1/3!, 1/5!, ... 1/29!
    INVERSE(6.0, 1, 1, 1),
    INVERSE(120.0, 1, 1, 1),
    INVERSE(5040.0, 1, 1, 1),
    INVERSE(362880.0, 1, 1, 1),
    INVERSE(39916800.0, 1, 1, 1),
    INVERSE(TO12, 13.0, 1, 1),
    INVERSE(TO12, 2730.0, 1, 1),
    INVERSE(TO12, 742560.0, 1, 1),
    INVERSE(TO12, TO18, 19.0, 1),
    INVERSE(TO12, TO18, 7980.0, 1),
    INVERSE(TO12, TO18, 4037880.0, 1),
    INVERSE(TO12, TO18, TO24, 25.0),
    INVERSE(TO12, TO18, TO24, 17550.0),
    INVERSE(TO12, TO18, TO24, 14250600.0),
};
static const f128 cosine_series[TERMS] = {
    // 1/4!, 1/6!, ... 1/30!
    INVERSE(24.0, 1, 1, 1),
    INVERSE(720.0, 1, 1, 1),
    INVERSE(40320.0, 1, 1, 1),
    INVERSE(3628800.0, 1, 1, 1),
    INVERSE(TO12, 1, 1, 1),
    INVERSE(TO12, 182.0, 1, 1),
    INVERSE(TO12, 43680.0, 1, 1),
    INVERSE(TO12, TO18, 1, 1),
    INVERSE(TO12, TO18, 380.0, 1),
    INVERSE(TO12, TO18, 175560.0, 1),
    INVERSE(TO12, TO18, TO24, 1),
    INVERSE(TO12, TO18, TO24, 650.0),
    INVERSE(TO12, TO18, TO24, 491400.0),
    INVERSE(TO12, TO18, TO24, 427518000.0),
};

/// a[0] - z (a[1] - z (a[2] - ...))
static f128 alternating(const f128 *a, f128 z) {
  f128 sum = a[TERMS - 1];
  for (int k = TERMS - 2; k >= 0; k--) sum = a[k] - z * sum;
  return sum;
}

void ap__sincos_f128(f128 q, f128 offset, f128 *s, f128 *c) {
  const int too_large = BIAS + 1024;
  if (exponent_of(q) >= too_large || exponent_of(offset) >= too_large) {
    f128 infinite = power_of_two(BIAS) * 2;
    *s = *c = infinite - infinite;
    return;
  }

  // q + offset = n pi/2 + hi + lo
  unsigned n = 0;
  f128 hi = q + offset, part = hi - q;
  f128 lo = (q - (hi - part)) + (offset - part);
  if (!(hi <= (f128)0.785 && hi >= (f128)-0.785)) {
    ap__exact a = exact_of(q), b = exact_of(offset);
    ap__angle r = ap__reduce(&a, &b);
    n = r.n;
    f128 top = angle_part(&r, 0), next = angle_part(&r, 113);
    hi = top + next;
    lo = (top - hi) + next;
    if (r.negative) hi = -hi, lo = -lo;
  }

  // As in sincos.inc; there the words explain themselves.
  f128 z = hi * hi, hz = z * (f128)0.5, w = 1 - hz;
  f128 sine = hi + (lo * w - z * hi * alternating(sine_series, z));
  f128 cosine = w + (((1 - w) - hz) + (z * z * alternating(cosine_series, z) - hi * lo));
  *s = n & 1 ? cosine : sine;
  *c = n & 1 ? sine : cosine;
  if (n & 2) *s = -*s;
  if ((n + 1) & 2) *c = -*c;
}

#endif
