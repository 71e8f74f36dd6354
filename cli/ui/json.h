/// @file json.h
/// Writing one JSON document, value by value.
///
/// Every function takes the key under which a value stands, NULL in a list. What JSON cannot say is
/// replaced: a number that is not finite by null, a byte that is not UTF-8 by U+FFFD.

#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>

#include "ui/output.h"

enum { CLI_JSON_DEPTH = 12 };

/// A document on its way to out. Start with {.out = ...}.
typedef struct cli_json {
  cli_out *out;
  int depth;
  bool filled[CLI_JSON_DEPTH]; ///< whether the level has a value already
  bool in_html;                ///< it stands in a page: no string has a '<'
} cli_json;

/// Open an object with '{' or a list with '['; close it with '}' or ']'.
void cli_json_open(cli_json *json, const char *key, char bracket);
void cli_json_close(cli_json *json, char bracket);
void cli_json_string(cli_json *json, const char *key, const char *text);
void cli_json_integer(cli_json *json, const char *key, long number);
void cli_json_number(cli_json *json, const char *key, double number);
void cli_json_bool(cli_json *json, const char *key, bool truth);
/// A list of n numbers on one line.
void cli_json_numbers(cli_json *json, const char *key, const double *numbers, int n);
void cli_json_null(cli_json *json, const char *key);

/// A string of bytes in base64, piece by piece.
typedef struct cli_base64 {
  cli_json *json;
  unsigned char rest[3];
  int n;
} cli_base64;

void cli_base64_begin(cli_base64 *b, cli_json *json, const char *key);
void cli_base64_add(cli_base64 *b, const void *bytes, size_t length);
/// Numbers as little-endian bytes of IEEE 754.
void cli_base64_double(cli_base64 *b, double x);
void cli_base64_float(cli_base64 *b, float x);
void cli_base64_end(cli_base64 *b);

#endif
