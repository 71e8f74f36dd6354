// SPDX-License-Identifier: Apache-2.0
#include "angle_reduction.h"

#include <assert.h>

// Payne and Hanek: of x * 2/pi only the lowest two bits of the integer part and the fraction
// matter, so the leading words of 2/pi, whose products with x are multiples of 4, are skipped. Here
// the product is a fixed-point number modulo 2^32; two angles are added in that form, without
// error.

enum {
  TABLE = 48,    // words of 2/pi; add_turns reads 45 of them for numbers just below 2^1024
  FRACTION = 10, // words behind the binary point
  DIGITS = 1 + FRACTION,
  LIMBS = 5 // words of a significand after a shift to a multiple of 32
};

// 2/pi = 0.A2F9836E 4E441529 ... in base 2^32
static const uint32_t two_over_pi[TABLE] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
    0xa9e39161, 0x5ee61b08, 0x6599855f, 0x14a06840, 0x8dffd880, 0x4d732731, 0x06061556, 0xca73a8c9};

// pi/4 = 0.C90FDAA2 2168C234 ... in base 2^32
static const uint32_t pi_over_4[AP__ANGLE_WORDS] = {0xc90fdaa2, 0x2168c234, 0xc4c6628b, 0x80dc1cd1,
                                                    0x29024e08, 0x8a67cc74, 0x020bbea6, 0x3b139b22};

static void negate(uint32_t *digit, int count) {
  uint64_t carry = 1;
  for (int j = count - 1; j >= 0; j--) {
    carry += (uint32_t)~digit[j];
    digit[j] = (uint32_t)carry;
    carry >>= 32;
  }
}

/// digit (digit[0] the integer part, then the fraction) += x * 2/pi, modulo 2^32, to 2^-314.
static void add_turns(uint32_t digit[DIGITS], const ap__exact *x) {
  // x = sum limb[i] 2^(32 (i + place))
  int place = x->exponent >= 0 ? x->exponent / 32 : -((31 - x->exponent) / 32);
  int shift = x->exponent - 32 * place;
  assert(shift >= 0 && shift < 32);
  uint32_t limb[LIMBS];
  uint64_t carry = 0;
  for (int i = 0; i < LIMBS; i++) {
    if (i < 4) carry |= (uint64_t)x->significand[i] << shift;
    limb[i] = (uint32_t)carry;
    carry >>= 32;
  }

  // digit j has the weight 2^(-32 j), word k of the table 2^(-32 (k + 1)): k = i + place + j - 1.
  // Column j is a sum of at most 5 products and a carry, kept as low (64 bits) and high.
  uint32_t product[DIGITS];
  uint64_t low = 0, high = 0;
  for (int j = DIGITS - 1; j >= 0; j--) {
    for (int i = 0; i < LIMBS; i++) {
      int k = i + place + j - 1;
      if (k < 0 || k >= TABLE) continue;
      uint64_t p = (uint64_t)limb[i] * two_over_pi[k];
      low += p;
      high += low < p;
    }
    product[j] = (uint32_t)low;
    low = low >> 32 | high << 32;
    high >>= 32;
  }

  if (x->negative) negate(product, DIGITS);
  uint64_t sum = 0;
  for (int j = DIGITS - 1; j >= 0; j--) {
    sum += (uint64_t)digit[j] + product[j];
    digit[j] = (uint32_t)sum;
    sum >>= 32;
  }
}

/// Shifts the words left until the highest bit is set; returns by how many bits (0 if all are
/// zero).
static int normalise(uint32_t *word, int count) {
  int zero_words = 0;
  while (zero_words < count && word[zero_words] == 0) zero_words++;
  if (zero_words == count) return 0;
  int shift = 0;
  while (!(word[zero_words] << shift >> 31)) shift++;
  for (int j = 0; j < count; j++) {
    int from = j + zero_words;
    uint64_t pair = from < count ? (uint64_t)word[from] << 32 : 0;
    if (from + 1 < count) pair |= word[from + 1];
    word[j] = (uint32_t)(pair << shift >> 32);
  }
  return 32 * zero_words + shift;
}

/// product = a * b, all fractions of AP__ANGLE_WORDS words, to 2^-252.
static void multiply_fractions(const uint32_t *a, const uint32_t *b, uint32_t *product) {
  uint64_t low = 0, high = 0;
  for (int j = AP__ANGLE_WORDS; j >= 0; j--) { // weight 2^(-32 (j + 1)), the last one for its carry
    for (int i = 0; i <= j - 1; i++) {
      uint64_t p = (uint64_t)a[i] * b[j - 1 - i];
      low += p;
      high += low < p;
    }
    if (j < AP__ANGLE_WORDS) product[j] = (uint32_t)low;
    low = low >> 32 | high << 32;
    high >>= 32;
  }
}

ap__angle ap__reduce(const ap__exact *a, const ap__exact *b) {
  uint32_t digit[DIGITS] = {0};
  add_turns(digit, a);
  add_turns(digit, b);

  ap__angle r = {.n = digit[0] & 3};
  uint32_t *fraction = digit + 1;
  if (fraction[0] >> 31) { // above one half: count down from the next quadrant
    r.n = (r.n + 1) & 3;
    r.negative = 1;
    negate(fraction, FRACTION);
  }
  int shift = normalise(fraction, FRACTION);
  multiply_fractions(fraction, pi_over_4, r.word);
  r.exponent = 1 - shift - normalise(r.word, AP__ANGLE_WORDS); // pi/2 = 2 pi/4
  return r;
}

static uint64_t word_or_zero(const ap__angle *angle, int i) {
  return i < AP__ANGLE_WORDS ? angle->word[i] : 0;
}

uint64_t ap__angle_bits(const ap__angle *angle, int first, int count) {
  int i = first / 32, shift = first % 32;
  uint64_t two_words = word_or_zero(angle, i) << 32 | word_or_zero(angle, i + 1);
  uint64_t bits = two_words << shift | word_or_zero(angle, i + 2) >> (32 - shift);
  return bits >> (64 - count);
}
