// SPDX-License-Identifier: Apache-2.0
/// @file table.h
/// A table for people: cells are collected, then printed with columns as wide as they need. Where
/// the terminal (or COLUMNS) is narrower, the widest text is broken into lines, or the columns that
/// do not fit follow below, behind the first ones again.

#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "ui/output.h"

enum { CLI_TABLE_COLUMNS = 15 };

/// A table. Start with {.columns = ...}; its first row is the heading.
typedef struct cli_table {
  int columns;
  int keys;                      ///< first columns, which name a row: repeated where columns are
                                 ///< continued below; 0: one
  unsigned right;                ///< bit k: column k ends at its right edge, as numbers do
  int widths[CLI_TABLE_COLUMNS]; ///< the least that the columns get
  char **cells;
  int count, room;
  bool no_memory;
} cli_table;

/// Characters of a text: bytes that do not continue a UTF-8 character.
int cli_width(const char *text);
/// Append the next cell, row by row. Control characters are replaced, so names may come from files.
void cli_table_add(cli_table *table, const char *format, ...) CLI_PRINTF(2, 3);
/// The same where it applies, a dash elsewhere.
#define cli_table_add_if(table, applies, ...) \
  ((applies) ? cli_table_add(table, __VA_ARGS__) : cli_table_add(table, "-"))
/// Append the cells of a row of headings, with bars between them.
void cli_table_headings(cli_table *table, const char *headings);
/// Make the columns of n tables equally wide, for tables that stand below each other.
void cli_table_align(cli_table *tables, int n);
/// Print the table, every line behind two blanks, the heading bold where that shows, and free it.
/// CLI_OK, or CLI_FAILED after saying that memory ran out.
int cli_table_print(cli_table *table, cli_out *out);

#endif
