// SPDX-License-Identifier: Apache-2.0
#include "file/json.h"

#include <appell/file.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t ap_utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  size_t length = 0;
  unsigned char low = 0x80, high = 0xbf; // of the second byte (Unicode 15, table 3-7)
  if (s[0] >= 0xc2 && s[0] <= 0xdf) length = 2;
  if (s[0] >= 0xe0 && s[0] <= 0xef) length = 3;
  if (s[0] >= 0xf0 && s[0] <= 0xf4) length = 4;
  if (s[0] == 0xe0) low = 0xa0;
  if (s[0] == 0xed) high = 0x9f;
  if (s[0] == 0xf0) low = 0x90;
  if (s[0] == 0xf4) high = 0x8f;
  if (length == 0 || s[1] < low || s[1] > high) return 0;
  for (size_t k = 2; k < length; k++)
    if ((s[k] & 0xc0) != 0x80) return 0;
  return length;
}

bool ap_is_control(const char *s) {
  const unsigned char *c = (const unsigned char *)s;
  if (*c < 0x20 || *c == 0x7f) return true;
  const unsigned char c1 = ap_utf8_length(s) > 0 ? (*c == 0xc2 ? c[1] : 0) : *c;
  return c1 >= 0x80 && c1 <= 0x9f;
}

static void write_bytes(ap_json *json, const char *bytes, size_t length) {
  json->write(json->context, bytes, length);
}

static void write_text(ap_json *json, const char *text) { write_bytes(json, text, strlen(text)); }

static void write_code(ap_json *json, unsigned code) {
  char text[8];
  snprintf(text, sizeof text, "\\u%04x", code & 0xffff);
  write_text(json, text);
}

// Those that are escaped have 8 bits at most, two bytes of UTF-8 from U+0080 on.
static unsigned control_code(const char *s) {
  const unsigned char *c = (const unsigned char *)s;
  return c[0] < 0x80 ? c[0] : c[1];
}

static void write_string(ap_json *json, const char *text) {
  write_text(json, "\"");
  for (size_t length; *text; text += length ? length : 1) {
    length = ap_utf8_length(text);
    if (length == 0) {
      write_code(json, 0xfffd);
    } else if (ap_is_control(text) || (*text == '<' && json->in_html)) {
      write_code(json, control_code(text));
    } else {
      if (*text == '"' || *text == '\\') write_text(json, "\\");
      write_bytes(json, text, length);
    }
  }
  write_text(json, "\"");
}

static void write_number(ap_json *json, double number) {
  char text[32];
  if (isfinite(number)) {
    ap_format_double(number, text);
    write_text(json, text);
  } else {
    write_text(json, "null");
  }
}

static void new_line(ap_json *json) {
  write_text(json, "\n");
  for (int k = 0; k < json->depth; k++) write_text(json, "  ");
}

// The comma, the line and the key before a value.
static void begin_value(ap_json *json, const char *key) {
  if (json->filled[json->depth]) write_text(json, ",");
  json->filled[json->depth] = true;
  if (json->depth > 0) new_line(json);
  if (!key) return;
  write_string(json, key);
  write_text(json, ": ");
}

void ap_json_open(ap_json *json, const char *key, char bracket) {
  begin_value(json, key);
  write_bytes(json, &bracket, 1);
  json->depth++;
  json->filled[json->depth] = false;
}

void ap_json_close(ap_json *json, char bracket) {
  const bool filled = json->filled[json->depth];
  json->depth--;
  if (filled) new_line(json);
  write_bytes(json, &bracket, 1);
  if (json->depth == 0) write_text(json, "\n");
}

void ap_json_string(ap_json *json, const char *key, const char *text) {
  begin_value(json, key);
  write_string(json, text);
}

void ap_json_integer(ap_json *json, const char *key, long number) {
  char text[24];
  begin_value(json, key);
  snprintf(text, sizeof text, "%ld", number);
  write_text(json, text);
}

void ap_json_number(ap_json *json, const char *key, double number) {
  begin_value(json, key);
  write_number(json, number);
}

void ap_json_bool(ap_json *json, const char *key, bool truth) {
  begin_value(json, key);
  write_text(json, truth ? "true" : "false");
}

void ap_json_numbers(ap_json *json, const char *key, const double *numbers, int n) {
  begin_value(json, key);
  write_text(json, "[");
  for (int k = 0; k < n; k++) {
    if (k > 0) write_text(json, ", ");
    write_number(json, numbers[k]);
  }
  write_text(json, "]");
}

void ap_json_null(ap_json *json, const char *key) {
  begin_value(json, key);
  write_text(json, "null");
}

// ---- base64 ------------------------------------------------------------------------------------

void ap__base64_begin(ap__base64 *b, ap_json *json, const char *key) {
  *b = (ap__base64){.json = json};
  begin_value(json, key);
  write_text(json, "\"");
}

// Up to three bytes as four letters.
static void write_letters(ap_json *json, const unsigned char bytes[3], int n) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned word =
      (unsigned)bytes[0] << 16 | (n > 1 ? (unsigned)bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0u);
  const char letters[4] = {alphabet[word >> 18], alphabet[word >> 12 & 63],
                           n > 1 ? alphabet[word >> 6 & 63] : '=',
                           n > 2 ? alphabet[word & 63] : '='};
  write_bytes(json, letters, sizeof letters);
}

void ap__base64_add(ap__base64 *b, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  for (size_t k = 0; k < length; k++) {
    b->rest[b->n++] = from[k];
    if (b->n < 3) continue;
    write_letters(b->json, b->rest, 3);
    b->n = 0;
  }
}

static void add_bits(ap__base64 *b, uint64_t bits, int bytes) {
  unsigned char little[8];
  for (int k = 0; k < bytes; k++) little[k] = (unsigned char)(bits >> 8 * k);
  ap__base64_add(b, little, (size_t)bytes);
}

void ap__base64_double(ap__base64 *b, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  add_bits(b, bits, 8);
}

void ap__base64_float(ap__base64 *b, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  add_bits(b, bits, 4);
}

void ap__base64_end(ap__base64 *b) {
  if (b->n > 0) write_letters(b->json, b->rest, b->n);
  write_text(b->json, "\"");
}
