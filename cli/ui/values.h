/// @file values.h
/// Values of options that are numbers. Each function reports what is wrong and returns CLI_BAD, or
/// CLI_OK.

#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include <appell/model.h>

#include "ui/message.h"

/// Three decimal numbers with commas between them: X,Y,Z of option --gravity.
int cli_value_gravity(const char *verb, const char *value, double gravity[3]);
/// JOINTS of option --lock: NAME or NAME=VALUE with commas between, the values of a joint with more
/// coordinates with colons between. *locks is to be freed with free().
int cli_value_locks(const char *verb, const char *value, ap_lock **locks, int *n);
/// A decimal number greater than least.
int cli_value_above(const char *verb, const char *option, const char *value, double least,
                    double *number);
/// A whole number from least to most.
int cli_value_integer(const char *verb, const char *option, const char *value, long least,
                      long most, long *number);

#endif
