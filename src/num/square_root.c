// SPDX-License-Identifier: Apache-2.0
#include "num/square_root.h"

#include <stdint.h>
#include <string.h>

double ap__root(double x) {
  uint64_t bits, root = 0, rest = 0;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 52);
  if (bits << 1 == 0) return x;                                      // a zero keeps its sign
  if (exponent >= 0x7ff) return exponent == 0x7ff ? x : (double)NAN; // no number, or negative
  bits &= UINT64_MAX >> 12;
  if (exponent > 0)
    bits |= UINT64_C(1) << 52;
  else
    for (exponent = 1; bits >> 52 == 0; exponent--) bits <<= 1;
  // x = bits 2^(exponent - 1075); bits get an even exponent and 2 * 54 digits, of which each two
  // give one of the root: 53, and one to round by
  bits <<= 11 - (exponent & 1);
  for (int k = 0; k < 54; k++, bits <<= 2) {
    rest = rest << 2 | bits >> 62;
    root <<= 1;
    if (rest > 2 * root) rest -= 2 * root + 1, root++;
  }
  bits = ((root + 1) >> 1) + ((uint64_t)((exponent + 1021) >> 1) << 52);
  memcpy(&x, &bits, sizeof x);
  return x;
}
