// SPDX-License-Identifier: Apache-2.0
#include "codegen/sha256.h"

#include <string.h>

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void expand(const unsigned char *block, uint32_t W[64]) {
  for (int t = 0; t < 16; t++) {
    const unsigned char *p = block + 4 * t;
    W[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  }
  for (int t = 16; t < 64; t++) {
    uint32_t a = W[t - 15], b = W[t - 2];
    W[t] = W[t - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + W[t - 7] +
           (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
  }
}

static void compress(ap_sha256 *h, const unsigned char *block) {
  uint32_t W[64], s[8];
  expand(block, W);
  memcpy(s, h->state, sizeof s);
  for (int t = 0; t < 64; t++) {
    uint32_t e = s[4], a = s[0];
    uint32_t one = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                   ((e & s[5]) ^ (~e & s[6])) + K[t] + W[t];
    uint32_t two =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int k = 0; k < 8; k++) h->state[k] += s[k];
}

void ap__sha256_start(ap_sha256 *h) {
  // of the square roots of the first 8 primes
  static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  *h = (ap_sha256){0};
  memcpy(h->state, start, sizeof start);
}

void ap__sha256_add(ap_sha256 *h, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  while (length > 0) {
    size_t used = (size_t)(h->length % sizeof h->block), room = sizeof h->block - used;
    size_t n = length < room ? length : room;
    memcpy(h->block + used, from, n);
    h->length += n, from += n, length -= n;
    if (n == room) compress(h, h->block);
  }
}

void ap__sha256_end(ap_sha256 *h, unsigned char digest[AP_SHA256_BYTES]) {
  static const unsigned char padding[64] = {0x80};
  uint64_t bits = 8 * h->length;
  unsigned char size[8];
  for (int k = 0; k < 8; k++) size[k] = (unsigned char)(bits >> (56 - 8 * k));
  ap__sha256_add(h, padding, 1 + (119 - (size_t)(h->length % 64)) % 64);
  ap__sha256_add(h, size, sizeof size);
  for (int k = 0; k < AP_SHA256_BYTES; k++)
    digest[k] = (unsigned char)(h->state[k / 4] >> (24 - 8 * (k % 4)));
}
