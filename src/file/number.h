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

// What ap__parse_numbers() returns for a text that has something else, or a number beyond the range
// of double.
enum { AP__NO_NUMBERS = -1, AP__HUGE_NUMBERS = -2 };
// Numbers with blanks between, and nothing else: how many. The first `most` go to x.
int ap__parse_numbers(const char *text, int most, double *x);

// The shortest text of 15 to 17 digits that reads back to the same double. Room for 25 bytes.
int ap__format_short(double x, char *text);

#endif
