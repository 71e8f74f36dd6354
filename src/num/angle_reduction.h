// SPDX-License-Identifier: Apache-2.0
// Exact reduction of angles modulo pi/2, for arguments of any size, in integers only.

#ifndef APPELL_NUM_ANGLE_REDUCTION_H
#define APPELL_NUM_ANGLE_REDUCTION_H

#include <stdint.h>

/// A finite number: (-1)^negative * significand * 2^exponent, the lowest word first.
/// Its absolute value is below 2^1024.
typedef struct {
  uint32_t significand[4];
  int exponent;
  int negative;
} ap__exact;

enum { AP__ANGLE_WORDS = 8 };

/// The angle n pi/2 + r with |r| <= pi/4:  r = (-1)^negative * 0.word[0] word[1] ... * 2^exponent
/// in base 2^32, the highest bit of word[0] set (or all words zero). r is right to 2^-280, so to
/// all 256 bits unless it is smaller than 2^-24: no single double comes closer to a multiple of
/// pi/2 than 2^-62.
typedef struct {
  unsigned n; // modulo 4
  uint32_t word[AP__ANGLE_WORDS];
  int exponent;
  int negative;
} ap__angle;

/// Reduces the exact sum a + b.
__attribute__((visibility("default"))) ap__angle ap__reduce(const ap__exact *a, const ap__exact *b);

/// Bits first .. first + count - 1 of the words, counted from the highest; count is 1 to 64.
__attribute__((visibility("default"))) uint64_t ap__angle_bits(const ap__angle *angle, int first,
                                                               int count);

#endif
