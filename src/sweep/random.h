// SPDX-License-Identifier: Apache-2.0
// Random numbers by their place: a number is a function of seed, stream and index, so that any
// trial can be computed by anybody at any time. Only operations that every machine rounds alike are
// used.

#ifndef AP_SWEEP_RANDOM_H
#define AP_SWEEP_RANDOM_H

#include <stdint.h>

// The block of Philox4x32 with ten rounds (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
// easy as 1, 2, 3, SC 2011).
typedef struct ap__philox {
  uint32_t word[4];
} ap__philox;

ap__philox ap__philox_block(const uint32_t counter[4], const uint32_t key[2]);

// 64 random bits number `index` of a stream.
uint64_t ap__random_bits(uint64_t seed, uint64_t stream, uint64_t index);
// Uniform in (0, 1), a multiple of 2^-53 moved by half of that: never 0 or 1.
double ap__random_unit(uint64_t seed, uint64_t stream, uint64_t index);
// The unit number that has these leading bits.
static inline double ap__unit_of(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

// The place of i, below n, in a random order of 0 .. n-1: a bijection for every seed and stream.
uint64_t ap__random_place(uint64_t seed, uint64_t stream, uint64_t i, uint64_t n);

// ---- functions with the same bits everywhere ---------------------------------------------------

// Natural logarithm of a positive normal number, and the exponential, to a few units of the last
// place.
double ap__log(double x);
double ap__exp(double x);
// The quantile of the standard normal distribution, 0 < u < 1 (Wichura, Algorithm AS 241, Applied
// Statistics 37, 1988), to a relative 1e-15 or so.
double ap__normal_quantile(double u);

#endif
