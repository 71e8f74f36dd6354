#include "json.h"

#include <appell/file.h>
#include <math.h>
#include <string.h>

// Length of the UTF-8 character at s, 0 where there is none. Overlong forms, surrogates and what
// lies beyond U+10FFFF are none (Unicode 15, table 3-7).
static size_t utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) return 1;
  size_t length = 0;
  unsigned char low = 0x80, high = 0xbf;
  if (s[0] >= 0xc2 && s[0] <= 0xdf) length = 2;
  if (s[0] >= 0xe0 && s[0] <= 0xef) length = 3;
  if (s[0] >= 0xf0 && s[0] <= 0xf4) length = 4;
  if (s[0] == 0xe0) low = 0xa0;
  if (s[0] == 0xed) high = 0x9f;
  if (s[0] == 0xf0) low = 0x90;
  if (s[0] == 0xf4) high = 0x8f;
  if (length == 0 || s[1] < low || s[1] > high) return 0;
  for (size_t k = 2; k < length; k++) {
    if ((s[k] & 0xc0) != 0x80) return 0;
  }
  return length;
}

static void write_text(cli_json *json, const char *text) {
  cli_out_write(json->out, text, strlen(text));
}

static void write_string(cli_json *json, const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  write_text(json, "\"");
  while (*s) {
    const size_t length = utf8_length(s);
    if (length == 0) {
      write_text(json, "\\ufffd");
    } else if (*s < 0x20 || *s == 0x7f) {
      cli_out_printf(json->out, "\\u%04x", *s);
    } else if (*s == '"' || *s == '\\') {
      cli_out_printf(json->out, "\\%c", *s);
    } else {
      cli_out_write(json->out, (const char *)s, length);
    }
    s += length > 0 ? length : 1;
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
