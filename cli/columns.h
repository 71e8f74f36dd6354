/// @file columns.h
/// Names of the columns that `eval` writes.
///
/// A column is named after its joint, `tau.elbow`, or after joint and component where a joint has
/// several, `tau.root_joint.fx`. Blanks, commas and control characters in a joint's name become
/// '_', so that a line of names has as many words as a line of numbers has numbers.

#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <appell/research.h>

#include "ui/output.h"

/// Whether a quantity is a matrix, or several.
bool cli_is_matrix(ap_quantity what);
/// Replace what would make a name more than one word by '_'.
void cli_replace_separators(char *name);
/// Name of a column (from 0) of quantity what; returns text, cut to size.
char *cli_column_name(const ap_model *m, ap_quantity what, int column, char *text, size_t size);
/// Name of entry v of the velocities, `elbow` or `root_joint.wx`; returns text, cut to size.
char *cli_velocity_name(const ap_model *m, int v, char *text, size_t size);
/// The line `# NAME NAME ...`, however long the names are. False: not enough memory.
bool cli_write_columns(cli_out *out, const ap_model *m, ap_quantity what);

#endif
