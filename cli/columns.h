// SPDX-License-Identifier: Apache-2.0
/// @file columns.h
/// Names of the columns that `eval` writes.
/// Columns of joints are those of ap_column_name().

#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <appell/research.h>

#include "ui/output.h"

/// Name of a column (from 0) of quantity what; returns text, cut to size.
char *cli_column_name(const ap_model *m, ap_quantity what, int column, char *text, size_t size);
/// The line `# NAME NAME ...`, however long the names are. False: not enough memory.
bool cli_write_columns(cli_out *out, const ap_model *m, ap_quantity what);

#endif
