#include "ui/json.h"

#include <appell/file.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static void write_text(cli_json *json, const char *text) {
  cli_out_write(json->out, text, strlen(text));
}

// Those that are escaped have 8 bits at most, two bytes of UTF-8 from U+0080 on.
static unsigned control_code(const char *s) {
  const unsigned char *c = (const unsigned char *)s;
  return c[0] < 0x80 ? c[0] : c[1];
}

static void write_string(cli_json *json, const char *text) {
  write_text(json, "\"");
  for (const char *s = text; *s; s += cli_character(s)) {
    if (!cli_is_utf8(s)) {
      write_text(json, "\\ufffd");
    } else if (cli_is_control(s) || (*s == '<' && json->in_html)) {
      cli_out_printf(json->out, "\\u%04x", control_code(s));
    } else if (*s == '"' || *s == '\\') {
      cli_out_printf(json->out, "\\%c", *s);
    } else {
      cli_out_write(json->out, s, cli_character(s));
    }
  }
  write_text(json, "\"");
}

static void write_number(cli_json *json, double number) {
  char text[32];
  if (isfinite(number)) {
    ap_format_double(number, text);
    write_text(json, text);
  } else {
    write_text(json, "null");
  }
}

static void new_line(cli_json *json) {
  write_text(json, "\n");
  for (int k = 0; k < json->depth; k++) write_text(json, "  ");
}

// The comma, the line and the key before a value.
static void begin_value(cli_json *json, const char *key) {
  if (json->filled[json->depth]) write_text(json, ",");
  json->filled[json->depth] = true;
  if (json->depth > 0) new_line(json);
  if (!key) return;
  write_string(json, key);
  write_text(json, ": ");
}

void cli_json_open(cli_json *json, const char *key, char bracket) {
  begin_value(json, key);
  cli_out_write(json->out, &bracket, 1);
  json->depth++;
  json->filled[json->depth] = false;
}

void cli_json_close(cli_json *json, char bracket) {
  const bool filled = json->filled[json->depth];
  json->depth--;
  if (filled) new_line(json);
  cli_out_write(json->out, &bracket, 1);
  if (json->depth == 0) write_text(json, "\n");
}

void cli_json_string(cli_json *json, const char *key, const char *text) {
  begin_value(json, key);
  write_string(json, text);
}

void cli_json_integer(cli_json *json, const char *key, long number) {
  begin_value(json, key);
  cli_out_printf(json->out, "%ld", number);
}

void cli_json_number(cli_json *json, const char *key, double number) {
  begin_value(json, key);
  write_number(json, number);
}

void cli_json_bool(cli_json *json, const char *key, bool truth) {
  begin_value(json, key);
  write_text(json, truth ? "true" : "false");
}

void cli_json_numbers(cli_json *json, const char *key, const double *numbers, int n) {
  begin_value(json, key);
  write_text(json, "[");
  for (int k = 0; k < n; k++) {
    if (k > 0) write_text(json, ", ");
    write_number(json, numbers[k]);
  }
  write_text(json, "]");
}

void cli_json_null(cli_json *json, const char *key) {
  begin_value(json, key);
  write_text(json, "null");
}

// ---- base64 ------------------------------------------------------------------------------------

void cli_base64_begin(cli_base64 *b, cli_json *json, const char *key) {
  *b = (cli_base64){.json = json};
  begin_value(json, key);
  write_text(json, "\"");
}

// Up to three bytes as four letters.
static void write_letters(cli_out *out, const unsigned char bytes[3], int n) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned word =
      (unsigned)bytes[0] << 16 | (n > 1 ? (unsigned)bytes[1] << 8 : 0) | (n > 2 ? bytes[2] : 0u);
  const char letters[4] = {alphabet[word >> 18], alphabet[word >> 12 & 63],
                           n > 1 ? alphabet[word >> 6 & 63] : '=',
                           n > 2 ? alphabet[word & 63] : '='};
  cli_out_write(out, letters, sizeof letters);
}

void cli_base64_add(cli_base64 *b, const void *bytes, size_t length) {
  const unsigned char *from = bytes;
  for (size_t k = 0; k < length; k++) {
    b->rest[b->n++] = from[k];
    if (b->n < 3) continue;
    write_letters(b->json->out, b->rest, 3);
    b->n = 0;
  }
}

static void add_bits(cli_base64 *b, uint64_t bits, int bytes) {
  unsigned char little[8];
  for (int k = 0; k < bytes; k++) little[k] = (unsigned char)(bits >> 8 * k);
  cli_base64_add(b, little, (size_t)bytes);
}

void cli_base64_double(cli_base64 *b, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  add_bits(b, bits, 8);
}

void cli_base64_float(cli_base64 *b, float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  add_bits(b, bits, 4);
}

void cli_base64_end(cli_base64 *b) {
  if (b->n > 0) write_letters(b->json->out, b->rest, b->n);
  write_text(b->json, "\"");
}
