// SPDX-License-Identifier: Apache-2.0
/// @file clock.h
/// A clock that nobody sets.

#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

/// Seconds since some moment.
double cli_clock(void);

#endif
