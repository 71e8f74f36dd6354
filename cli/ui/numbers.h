// SPDX-License-Identifier: Apache-2.0
/// @file numbers.h
/// Numbers for people: as many digits as are worth reading.

#ifndef CLI_NUMBERS_H
#define CLI_NUMBERS_H

#include <stddef.h>

enum { CLI_NUMBER_BYTES = 32 };

/// The fewest significant digits that read back to the same double: those that a paper printed.
int cli_digits(double x);
/// x with so many significant digits: an integer without decimals, a very small or large number
/// with an exponent, what is no number as a dash. Returns out.
char *cli_number(double x, int digits, char out[CLI_NUMBER_BYTES]);
/// How far ours is from printed, relative to printed: "0", "-31.7 %", "+0.10 %", with two digits at
/// least; from five times as much on and below a tenth the factor, "x 21", "x 0.0018"; a dash where
/// neither makes sense. Returns out.
char *cli_difference(double printed, double ours, char out[CLI_NUMBER_BYTES]);

#endif
