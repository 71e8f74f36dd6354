// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), to know text and objects again.

#ifndef AP_CODEGEN_SHA256_H
#define AP_CODEGEN_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { AP_SHA256_BYTES = 32 };

typedef struct ap_sha256 {
  uint32_t state[8];
  uint64_t length; // bytes so far
  unsigned char block[64];
} ap_sha256;

void ap__sha256_start(ap_sha256 *h);
void ap__sha256_add(ap_sha256 *h, const void *bytes, size_t length);
void ap__sha256_end(ap_sha256 *h, unsigned char digest[AP_SHA256_BYTES]);

#endif
