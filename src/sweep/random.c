// SPDX-License-Identifier: Apache-2.0
#include "sweep/random.h"

#include <math.h>
#include <stdbool.h>

// ---- Philox ------------------------------------------------------------------------------------

ap__philox ap__philox_block(const uint32_t counter[4], const uint32_t key[2]) {
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    const uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c1 = (uint32_t)p1;
    c3 = (uint32_t)p0;
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return (ap__philox){{c0, c1, c2, c3}};
}

// Two numbers share a block: index / 2 counts blocks.
uint64_t ap__random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
  const uint64_t block = index >> 1;
  const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream,
                               (uint32_t)(stream >> 32)};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  const ap__philox b = ap__philox_block(counter, key);
  const int at = (int)(index & 1) * 2;
  return (uint64_t)b.word[at + 1] << 32 | b.word[at];
}

double ap__random_unit(uint64_t seed, uint64_t stream, uint64_t index) {
  return ap__unit_of(ap__random_bits(seed, stream, index));
}

// ---- permutations ------------------------------------------------------------------------------

// A Feistel network on an even number of bits is a bijection whatever its rounds compute; numbers
// beyond n are sent through it again until they fall below n (cycle walking, Black and Rogaway
// 2002), which keeps it one on 0 .. n-1. There are at most 4 n numbers, so that takes 4 turns on
// average at most.
uint64_t ap__random_place(uint64_t seed, uint64_t stream, uint64_t i, uint64_t n) {
  enum { ROUNDS = 6 };
  int half = 1;
  while (half < 32 && (uint64_t)1 << (2 * half) < n) half++;
  const uint64_t mask = ((uint64_t)1 << half) - 1;
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  do {
    uint64_t left = i >> half, right = i & mask;
    for (uint32_t round = 0; round < ROUNDS; round++) {
      const uint32_t counter[4] = {(uint32_t)right, 0x50455200u + round, (uint32_t)stream,
                                   (uint32_t)(stream >> 32)};
      const uint64_t next = (left ^ ap__philox_block(counter, key).word[0]) & mask;
      left = right;
      right = next;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

// ---- functions ---------------------------------------------------------------------------------

static const double ln2_high = 0x1.62e42fefa38p-1, ln2_low = 0x1.ef35793c7673p-45;

// With x = 2^e m and s = (m - 1)/(m + 1):  ln m = 2 (s + s^3/3 + s^5/5 + ...),  |s| < 0.172.
double ap__log(double x) {
  int e;
  double m = frexp(x, &e);
  if (m < 0.70710678118654752) m *= 2, e--;
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 25; k >= 3; k -= 2) sum = sum * s2 + 1.0 / k;
  return e * ln2_high + (2 * s + (2 * s * (s2 * sum) + e * ln2_low));
}

// exp(x) = 2^e exp(r), |r| < 0.35.
double ap__exp(double x) {
  if (!(x < 709.7)) return x > 0 ? INFINITY : x;
  if (x < -745) return 0;
  const double e = floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - e * ln2_high) - e * ln2_low;
  double sum = 1;
  for (int k = 17; k >= 1; k--) sum = 1 + r * sum / k;
  return ldexp(sum, (int)e);
}

static double ratio(const double a[8], const double b[7], double r) {
  double p = a[7], q = b[6];
  for (int k = 6; k >= 0; k--) p = p * r + a[k];
  for (int k = 5; k >= 0; k--) q = q * r + b[k];
  return p / (q * r + 1);
}

double ap__normal_quantile(double u) {
  static const double a[8] = {3.3871328727963666080e0, 1.3314166789178437745e2,
                              1.9715909503065514427e3, 1.3731693765509461125e4,
                              4.5921953931549871457e4, 6.7265770927008700853e4,
                              3.3430575583588128105e4, 2.5090809287301226727e3};
  static const double b[7] = {4.2313330701600911252e1, 6.8718700749205790830e2,
                              5.3941960214247511077e3, 2.1213794301586595867e4,
                              3.9307895800092710610e4, 2.8729085735721942674e4,
                              5.2264952788528545610e3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[7] = {2.05319162663775882187e0,  1.67638483018380384940e0,
                              6.89767334985100004550e-1, 1.48103976427480074590e-1,
                              1.51986665636164571966e-2, 5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[7] = {5.99832206555887937690e-1, 1.36929880922735805310e-1,
                              1.48753612908506148525e-2, 7.86869131145613259100e-4,
                              1.84631831751005468180e-5, 1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  const double q = u - 0.5;
  if (fabs(q) <= 0.425) return q * ratio(a, b, 0.180625 - q * q);
  const double r = sqrt(-ap__log(q < 0 ? u : 1 - u));
  const double x = r <= 5 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5);
  return q < 0 ? -x : x;
}
