// SPDX-License-Identifier: Apache-2.0
#include "sweep/sobol.h"

#include <string.h>

#include "sweep/random.h"

// Degree and coefficients of a primitive polynomial, and the first direction numbers: those of Joe
// and Kuo, Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci.
// Comput. 30 (2008), table new-joe-kuo-6, dimensions 2 to 64. The first dimension needs none.
typedef struct direction {
  int degree;
  unsigned coefficients;
  unsigned first[9];
} direction;

static const direction table[AP__SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
    {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};

// Direction number k, from 0, is m_k / 2^(k+1):
//   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s)
void ap__sobol_init_plain(ap__sobol *s, int d) {
  s->shift = 0;
  for (int k = 0; k < AP__SOBOL_BITS; k++) {
    uint64_t *v = s->column;
    const int top = AP__SOBOL_BITS - 1;
    if (d == 0) {
      v[k] = (uint64_t)1 << (top - k);
      continue;
    }
    const direction *t = &table[d - 1];
    const int degree = t->degree;
    if (k < degree) {
      v[k] = (uint64_t)t->first[k] << (top - k);
      continue;
    }
    v[k] = v[k - degree] ^ v[k - degree] >> degree;
    for (int i = 1; i < degree; i++)
      if (t->coefficients >> (degree - 1 - i) & 1) v[k] ^= v[k - i];
  }
}

static void set_tables(ap__sobol *s) {
  for (uint64_t i = 0; i < AP__SOBOL_LOW; i++) s->low[i] = ap__sobol_bits(s, i) ^ s->shift;
  for (int k = 0; k < AP__SOBOL_BITS; k++) {
    const uint64_t last = (uint64_t)1 << k, before = (last - 1) & ~(uint64_t)(AP__SOBOL_LOW - 1);
    s->step[k] = ap__sobol_bits(s, last) ^ ap__sobol_bits(s, before);
  }
}

static int parity(uint64_t x) {
  for (int k = 32; k > 0; k /= 2) x ^= x >> k;
  return (int)(x & 1);
}

void ap__sobol_init(ap__sobol *s, int d, uint64_t seed) {
  ap__sobol plain;
  const uint64_t stream = 0x534f424f4c000000u + (uint64_t)d, all = ((uint64_t)1 << 52) - 1;
  ap__sobol_init_plain(&plain, d);
  memset(s, 0, sizeof *s);
  // Row r of the matrix, its first bit on top, sees the bits above its own and its own.
  for (int r = 0; r < AP__SOBOL_BITS; r++) {
    const uint64_t own = (uint64_t)1 << (AP__SOBOL_BITS - 1 - r);
    const uint64_t row =
        (ap__random_bits(seed, stream, (uint64_t)r + 1) & all & ~(own | (own - 1))) | own;
    for (int k = 0; k < AP__SOBOL_BITS; k++)
      if (parity(row & plain.column[k])) s->column[k] |= own;
  }
  s->shift = ap__random_bits(seed, stream, 0) & all;
  set_tables(s);
}

uint64_t ap__sobol_bits(const ap__sobol *s, uint64_t i) {
  uint64_t x = s->shift;
  for (int k = 0; i > 0; k++, i >>= 1) x ^= s->column[k] & (0 - (i & 1));
  return x;
}

// bits + 0.5, exactly: as the last bits of a number between 2^52 and 2^53, less 2^52 - 0.5. Vectors
// have no conversion of such whole numbers.
static inline double middle(uint64_t bits) {
  const uint64_t number = bits | (uint64_t)0x433 << 52;
  double x;
  memcpy(&x, &number, sizeof x);
  return x - 4503599627370495.5;
}

double ap__sobol_unit(const ap__sobol *s, uint64_t i) {
  return middle(ap__sobol_bits(s, i)) * 0x1p-52;
}

// A point is the sum of columns by the bits of its index. The low bits of an index run through the
// same sums in every block, which no point of the block waits for.
void ap__sobol_units(const ap__sobol *s, uint64_t first, int n, double *to) {
  uint64_t from = first % AP__SOBOL_LOW, base = ap__sobol_bits(s, first - from);
  for (;;) {
    const int left = (int)(AP__SOBOL_LOW - from), count = n < left ? n : left;
    const uint64_t *low = s->low + from;
    for (int k = 0; k < count; k++) to[k] = middle(base ^ low[k]) * 0x1p-52;
    to += count;
    first += (uint64_t)count;
    n -= count;
    if (n == 0) return;
    base ^= s->step[__builtin_ctzll(first)];
    from = 0;
  }
}
