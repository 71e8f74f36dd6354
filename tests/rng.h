// SPDX-License-Identifier: Apache-2.0
// Random numbers: the same on every machine.

#ifndef AP_TESTS_RNG_H
#define AP_TESTS_RNG_H

#include <stdbool.h>
#include <stdint.h>

// splitmix64 (Steele, Lea, Flood 2014); the seed is the state.
typedef struct rng {
  uint64_t state;
} rng;

static inline rng rng_seed(uint64_t seed) { return (rng){seed}; }

static inline uint64_t rng_bits(rng *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// Uniform in [low, high).
static inline double rng_uniform(rng *r, double low, double high) {
  return low + (high - low) * ((double)(rng_bits(r) >> 11) * 0x1p-53);
}

// Uniform integer, low and high included.
static inline int rng_int(rng *r, int low, int high) {
  return low + (int)(rng_bits(r) % (uint64_t)(high - low + 1));
}

static inline bool rng_chance(rng *r, double probability) {
  return rng_uniform(r, 0, 1) < probability;
}

#endif
