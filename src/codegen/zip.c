// SPDX-License-Identifier: Apache-2.0
#include "codegen/zip.h"

#include <stdint.h>
#include <string.h>

// CRC-32 of ISO 3309, bit by bit: files are short.
static uint32_t checksum(const unsigned char *bytes, size_t size) {
  uint32_t crc = UINT32_MAX;
  for (size_t k = 0; k < size; k++) {
    crc ^= bytes[k];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
  }
  return ~crc;
}

static void put_number(ap__text *t, uint32_t x, int bytes) {
  for (int k = 0; k < bytes; k++, x >>= 8) ap__text_bytes(t, &(char){(char)(x & 255)}, 1);
}

// What a local header and the directory have in common: version 2.0, names in UTF-8, stored, the
// first of January 1980, checksum, sizes, length of the name, nothing extra.
static void put_common(ap__text *t, const char *name, uint32_t crc, uint32_t size) {
  const uint32_t date = 1u << 5 | 1u;
  put_number(t, 20, 2), put_number(t, 1u << 11, 2), put_number(t, 0, 2);
  put_number(t, 0, 2), put_number(t, date, 2);
  put_number(t, crc, 4), put_number(t, size, 4), put_number(t, size, 4);
  put_number(t, (uint32_t)strlen(name), 2), put_number(t, 0, 2);
}

void ap__zip_add(ap_zip *z, const char *name, const void *bytes, size_t size) {
  const uint32_t crc = checksum(bytes, size), at = (uint32_t)z->bytes.length;
  if (size > INT32_MAX || z->bytes.length > INT32_MAX) z->bytes.failed = true;
  ap__text_bytes(&z->bytes, "PK\3\4", 4);
  put_common(&z->bytes, name, crc, (uint32_t)size);
  ap__text_bytes(&z->bytes, name, strlen(name));
  ap__text_bytes(&z->bytes, bytes, size);
  ap__text_bytes(&z->central, "PK\1\2", 4);
  put_number(&z->central, 20 | 3u << 8, 2); // made by version 2.0 under UNIX
  put_common(&z->central, name, crc, (uint32_t)size);
  put_number(&z->central, 0, 4), put_number(&z->central, 0, 2); // no comment, one disk, binary
  put_number(&z->central, 0100644u << 16, 4), put_number(&z->central, at, 4);
  ap__text_bytes(&z->central, name, strlen(name));
  z->files++;
}

bool ap__zip_finish(ap_zip *z) {
  const uint32_t at = (uint32_t)z->bytes.length, size = (uint32_t)z->central.length;
  if (z->bytes.failed || z->central.failed || z->files > UINT16_MAX) return false;
  ap__text_bytes(&z->bytes, z->central.text ? z->central.text : "", size);
  ap__text_bytes(&z->bytes, "PK\5\6", 4);
  put_number(&z->bytes, 0, 4); // this disk is the first and only one
  put_number(&z->bytes, (uint32_t)z->files, 2), put_number(&z->bytes, (uint32_t)z->files, 2);
  put_number(&z->bytes, size, 4), put_number(&z->bytes, at, 4), put_number(&z->bytes, 0, 2);
  return !z->bytes.failed && z->bytes.length <= INT32_MAX;
}

void ap__zip_free(ap_zip *z) {
  ap__text_free(&z->bytes);
  ap__text_free(&z->central);
}
