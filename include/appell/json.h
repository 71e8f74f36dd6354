// SPDX-License-Identifier: Apache-2.0
/// @file json.h
/// Writing one JSON document, value by value. Part of libappell-tools.
///
/// Every function takes the key under which a value stands, NULL in a list. What JSON cannot say is
/// replaced: a number that is not finite by null, a byte that is not UTF-8 by U+FFFD.

#ifndef APPELL_JSON_H
#define APPELL_JSON_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes text, piece by piece.
typedef void ap_write(void *context, const char *text, size_t length);

/// Levels of a document.
enum { AP_JSON_DEPTH = 12 };

/// A document on its way. Start with {.write = ..., .context = ...}.
typedef struct ap_json {
  ap_write *write;            ///< where its text goes
  void *context;              ///< of write
  int depth;                  ///< level of the next value
  bool filled[AP_JSON_DEPTH]; ///< whether the level has a value already
  bool in_html;               ///< it stands in a page: no string has a '<'
} ap_json;

/// Open an object with '{' or a list with '['.
AP_API void ap_json_open(ap_json *json, const char *key, char bracket);
/// Close it with '}' or ']'.
AP_API void ap_json_close(ap_json *json, char bracket);
/// A string.
AP_API void ap_json_string(ap_json *json, const char *key, const char *text);
/// A whole number.
AP_API void ap_json_integer(ap_json *json, const char *key, long number);
/// A number that reads back to the same double.
AP_API void ap_json_number(ap_json *json, const char *key, double number);
/// true or false.
AP_API void ap_json_bool(ap_json *json, const char *key, bool truth);
/// A list of n numbers on one line.
AP_API void ap_json_numbers(ap_json *json, const char *key, const double *numbers, int n);
/// null.
AP_API void ap_json_null(ap_json *json, const char *key);

/// Bytes of the character of UTF-8 at s; 0: there is none. Overlong forms, surrogates and what lies
/// beyond U+10FFFF are none.
AP_API size_t ap_utf8_length(const char *s);
/// Whether a control character stands at s: of ASCII, or U+0080 to U+009F, which steer terminals
/// too, in UTF-8 or as a byte of an older encoding.
AP_API bool ap_is_control(const char *s);

#ifdef __cplusplus
}
#endif

#endif
