// SPDX-License-Identifier: Apache-2.0
// Bytes in a JSON document.

#ifndef AP_FILE_JSON_H
#define AP_FILE_JSON_H

#include <appell/json.h>

// A string of bytes in base64, piece by piece.
typedef struct ap__base64 {
  ap_json *json;
  unsigned char rest[3];
  int n;
} ap__base64;

void ap__base64_begin(ap__base64 *b, ap_json *json, const char *key);
void ap__base64_add(ap__base64 *b, const void *bytes, size_t length);
// Numbers as little-endian bytes of IEEE 754.
void ap__base64_double(ap__base64 *b, double x);
void ap__base64_float(ap__base64 *b, float x);
void ap__base64_end(ap__base64 *b);

#endif
