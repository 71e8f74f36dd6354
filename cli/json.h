/// @file json.h
/// Writing one JSON document, value by value.
///
/// Every function takes the key under which a value stands, NULL in a list. What JSON cannot say is
/// replaced: a number that is not finite by null, a byte that is not UTF-8 by U+FFFD.

#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>

#include "output.h"

enum { CLI_JSON_DEPTH = 12 };

/// A document on its way to out. Start with {.out = ...}.
typedef struct cli_json {
  cli_out *out;
  int depth;
  bool filled[CLI_JSON_DEPTH]; ///< whether the level has a value already
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

#endif
