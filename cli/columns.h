// SPDX-License-Identifier: Apache-2.0
/// @file columns.h
/// Names of the columns that `eval` writes.
/// Columns of joints are those of ap_column_name().

#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <appell/loop.h>
#include <appell/research.h>

/// Name of a column (from 0) of quantity what; returns text, cut to size.
char *cli_column_name(const ap_model *m, ap_quantity what, int column, char *text, size_t size);
/// The same, or of a mechanism (NULL: a tree), however long it is, in memory to be freed; NULL: not
/// enough of it.
char *cli_new_column_name(const ap_model *m, const ap_mechanism *mechanism, ap_quantity what,
                          int column);

#endif
