// SPDX-License-Identifier: Apache-2.0
// Text for a person: one line, cut at a whole UTF-8 character, no control characters.

#ifndef AP_BASE_ERROR_H
#define AP_BASE_ERROR_H

#include <appell/base.h>

#include <stdarg.h>
#include <string.h>

#if defined(__GNUC__)
#define AP_PRINTF(place, first) __attribute__((format(printf, place, first)))
#else
#define AP_PRINTF(place, first)
#endif

// Fill *e (which may be NULL). line is 0 where there is no file. Exported, because libappell-tools
// reports its errors the same way.
AP_API void ap__fail(ap_error *e, ap_status status, int line, const char *format, ...)
    AP_PRINTF(4, 5);

// The same as an expression, which is the status.
#define AP__REFUSE(error, status, line, ...) \
  (ap__fail((error), (status), (line), __VA_ARGS__), (status))

static inline ap_status ap__no_memory(ap_error *error) {
  return AP__REFUSE(error, AP_E_MEMORY, 0, "%s", ap_status_text(AP_E_MEMORY));
}

// Write one line of at most size - 1 bytes and a NUL into text; nothing where size is 0. Bytes that
// would break the line (names come from files) become '?'.
void ap__format(char *text, size_t size, const char *format, va_list arguments) AP_PRINTF(3, 0);

// The same without printf, for what firmware links: %s, %.*s, %d, %zu, %g and %.4g alone. Numbers
// are right to the digits of a message.
void ap__refuse(ap_error *e, ap_status status, const char *format, ...) AP_PRINTF(3, 4);
void ap__compose(char *text, size_t size, const char *format, va_list arguments) AP_PRINTF(3, 0);

// Whether a definition or options came from that function, see AP_COOKIE; fills *e where not.
#define AP_STARTS_FROM(function, def, e) ap__has_cookie((def)->cookie, #function, e)
AP_API bool ap__has_cookie(unsigned cookie, const char *function, ap_error *e);

// Make one line of a text of that length, of which something was cut off or not.
void ap__one_line(char *text, size_t length, bool cut);

// How many bytes of a name to show: all, or the whole characters in its first 60 bytes, so that a
// long name cannot push the reason out of a message. Use with "%.*s", as ap__shown(s), s.
static inline int ap__shown(const char *s) {
  int n = 0;
  while (n < 60 && s[n] != '\0') n++;
  while (n > 0 && ((unsigned char)s[n] & 0xC0u) == 0x80u) n--;
  return n;
}

// What to show of a path: all, or its end from a '/' on, at most 120 bytes, because the name of the
// file says more than where the folders begin.
static inline const char *ap__path_end(const char *path) {
  size_t n = strlen(path);
  const char *end = n > 120 ? strchr(path + n - 120, '/') : path;
  if (end) return end;
  for (end = path + n - 120; ((unsigned char)*end & 0xC0u) == 0x80u;) end++;
  return end;
}

#endif
