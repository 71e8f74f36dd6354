// SPDX-License-Identifier: Apache-2.0
/// @file values.h
/// Values of options that are numbers. Each function takes the option by its place in the verb's
/// table, leaves the number as it is where the option is not given, reports what is wrong and
/// returns CLI_BAD, or CLI_OK.

#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <appell/model.h>

#include "ui/options.h"

/// Three decimal numbers with commas between them: X,Y,Z of option --gravity.
/// *given becomes gravity.
int cli_value_gravity(const cli_arguments *arguments, int option, double gravity[3],
                      const double **given);
/// JOINTS of option --lock: NAME or NAME=VALUE with commas between, the values of a joint with more
/// coordinates with colons between. *locks is to be freed with free(). The value must be given.
int cli_value_locks(const char *verb, const char *value, ap_lock **locks, int *n);
/// Joints of another option in the same form, each with least .. most values. *joints is to be
/// freed with free(); NULL where the option is not given.
int cli_value_joints(const cli_arguments *arguments, int option, int least, int most,
                     const char *example, ap_lock **joints, int *n);
/// n decimal numbers with commas between them.
int cli_value_numbers(const cli_arguments *arguments, int option, int n, const char *example,
                      double *number);
/// A decimal number and nothing else; false where text is none.
bool cli_read_number(const char *text, double *number);
/// A decimal number greater than least.
int cli_value_above(const cli_arguments *arguments, int option, double least, double *number);
/// A whole number from least to most.
int cli_value_integer(const cli_arguments *arguments, int option, long least, long most,
                      long *number);

#endif
