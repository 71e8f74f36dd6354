// SPDX-License-Identifier: Apache-2.0
// Numbers in files: a strict reader and an exact writer, both independent of the locale.

#ifndef AP_FILE_NUMBER_H
#define AP_FILE_NUMBER_H

#include <appell/file.h>

typedef enum ap__number {
  AP__NUMBER,     // read
  AP__NO_NUMBER,  // the text does not start with a decimal number
  AP__NUMBER_HUGE // a number, but beyond the range of double
} ap__number;

// Read the decimal number that text (closed by a zero) starts with: [+-] digits [. digits]
// [e [+-] digits], correctly rounded. No blanks before it, no hexadecimal, no inf or nan. *end is
// what follows; the caller checks that it is a separator.
ap__number ap__parse_double(const char *text, const char **end, double *x);

// The same, quicker, where the bytes up to limit can be read; at limit or before stands a byte that
// belongs to no number.
ap__number ap__parse_double_within(const char *text, const char *limit, const char **end,
                                   double *x);

// What ap__parse_numbers() returns for a text that has something else, or a number beyond the range
// of double.
enum { AP__NO_NUMBERS = -1, AP__HUGE_NUMBERS = -2 };
// Numbers with blanks between, and nothing else: how many. The first `most` go to x.
int ap__parse_numbers(const char *text, int most, double *x);

// What ap_format_double() and ap_format_shortest() (brief) write, without a closing zero, to text
// with room for AP__WRITE_BYTES, all of which may be written; returns the length.
enum { AP__NUMBER_BYTES = 25, AP__WRITE_BYTES = 48 };
int ap__write_double(double x, bool brief, char *text);

#endif
