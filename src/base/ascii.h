// SPDX-License-Identifier: Apache-2.0
// Classes of characters of files: those of ASCII, whatever the locale of the program says. In a
// Latin-1 locale isalpha() takes single bytes of UTF-8 for letters.

#ifndef AP_BASE_ASCII_H
#define AP_BASE_ASCII_H

#include <stdbool.h>

static inline bool ap__is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool ap__is_digit(char c) { return c >= '0' && c <= '9'; }

static inline bool ap__is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

#endif
