// SPDX-License-Identifier: Apache-2.0
#include "ui/table.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ui/wrap.h"

enum { CELL_BYTES = 4000 };

static bool make_room(cli_table *table) {
  if (table->count < table->room) return true;
  const int room = table->room > 0 ? 2 * table->room : 64;
  char **cells = realloc(table->cells, (size_t)room * sizeof *cells);
  if (!cells) return false;
  table->cells = cells;
  table->room = room;
  return true;
}

void cli_table_add(cli_table *table, const char *format, ...) {
  char raw[CELL_BYTES], plain[CELL_BYTES];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  if (length >= CELL_BYTES) memcpy(raw + CELL_BYTES - 4, "...", 4);
  char *cell = make_room(table) ? strdup(cli_plain(raw, plain, sizeof plain)) : NULL;
  if (!cell) {
    table->no_memory = true;
    return;
  }
  table->cells[table->count++] = cell;
}

void cli_table_headings(cli_table *table, const char *headings) {
  for (const char *end = headings; *end; headings = end + 1) {
    end = headings + strcspn(headings, "|");
    cli_table_add(table, "%.*s", (int)(end - headings), headings);
  }
}

int cli_width(const char *text) {
  int width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static void measure(const cli_table *table, int *widths) {
  for (int k = 0; k < table->count; k++) {
    const int width = cli_width(table->cells[k]), column = k % table->columns;
    if (width > widths[column]) widths[column] = width;
  }
}

void cli_table_align(cli_table *tables, int n) {
  int widths[CLI_TABLE_COLUMNS] = {0};
  for (int i = 0; i < n; i++) measure(&tables[i], widths);
  for (int i = 0; i < n; i++) memcpy(tables[i].widths, widths, sizeof widths);
}

// ---- printing ----------------------------------------------------------------------------------

enum { MARGIN = 2, NARROWEST = 16 }; // blanks before each column; the least of a text in lines

// How a table is fitted into a width: one column in lines of `room` characters, or blocks of
// columns.
typedef struct layout {
  int wrapped; // column; -1: none
  int room;
  int width; // of the terminal
} layout;

static int keys_of(const cli_table *table) {
  return table->keys > 0 ? table->keys : table->columns > 1 ? 1 : 0;
}

static int total_width(const cli_table *table) {
  int total = 0;
  for (int k = 0; k < table->columns; k++) total += MARGIN + table->widths[k];
  return total;
}

// The longest word of a column: it is not broken.
static int longest_word(const cli_table *table, int column) {
  int longest = 0;
  for (int k = column; k < table->count; k += table->columns)
    for (const char *at = table->cells[k]; *at; at += strspn(at, " ")) {
      char word[CELL_BYTES];
      const size_t length = strcspn(at, " ");
      snprintf(word, sizeof word, "%.*s", (int)length, at);
      const int width = cli_width(word);
      if (width > longest) longest = width;
      at += length;
    }
  return longest;
}

// The widest text goes into lines; columns that still do not fit go below.
static layout fit(const cli_table *table, int width) {
  layout l = {.wrapped = -1, .width = width};
  const int excess = total_width(table) - width;
  int widest = -1;
  for (int k = 0; k < table->columns; k++) {
    const bool text = (table->right >> k & 1u) == 0;
    if (text && (widest < 0 || table->widths[k] > table->widths[widest])) widest = k;
  }
  if (excess <= 0 || widest < 0) return l;
  const int word = longest_word(table, widest);
  l.room = table->widths[widest] - excess;
  if (l.room < NARROWEST || l.room < word) { // then at least behind the keys
    l.room = width - MARGIN;
    for (int k = 0; k < keys_of(table) && k < widest; k++) l.room -= MARGIN + table->widths[k];
    if (l.room >= table->widths[widest]) return l;
  }
  if (l.room >= NARROWEST && l.room >= word) l.wrapped = widest;
  return l;
}

// The first column that does not fit any more behind the keys and columns from `from` on.
static int block_end(const cli_table *table, const layout *l, int from) {
  int used = 0, k = from;
  for (int i = 0; i < keys_of(table) && i < from; i++) used += MARGIN + table->widths[i];
  for (; k < table->columns; k++) {
    used += MARGIN + (k == l->wrapped ? l->room : table->widths[k]);
    if (used > l->width && k > from) break;
  }
  return k;
}

// The characters of a text that fit into width, broken at a blank: bytes of it.
static int first_line(const char *text, int width) {
  int fits = 0;
  for (int end = 0; text[end];) {
    char line[CELL_BYTES];
    end += (int)strspn(text + end, " ");
    end += (int)strcspn(text + end, " ");
    snprintf(line, sizeof line, "%.*s", end, text);
    if (fits > 0 && cli_width(line) > width) break;
    fits = end;
  }
  return fits;
}

// One line of a row: of the wrapped column the n bytes of text, and the others only if first.
// Blanks are put before a cell, so that no line ends with any.
static void print_line(const cli_table *table, char *const *row, const layout *l,
                       const int block[2], const char *text, int n, cli_out *out) {
  int blanks = MARGIN;
  for (int k = 0; k < block[1]; k++) {
    if (k >= keys_of(table) && k < block[0]) continue;
    char cell[CELL_BYTES];
    const bool wrapped = k == l->wrapped;
    snprintf(cell, sizeof cell, "%.*s", wrapped ? n : CELL_BYTES,
             wrapped ? text
             : row   ? row[k]
                     : "");
    const int width = wrapped ? l->room : table->widths[k], rest = width - cli_width(cell);
    const bool right = (table->right >> k & 1u) != 0;
    if (cell[0]) {
      cli_out_printf(out, "%*s%s", blanks + (right ? rest : 0), "", cell);
      blanks = 0;
    }
    blanks += MARGIN + (cell[0] ? (right ? 0 : rest) : width);
  }
}

static void print_row(const cli_table *table, char *const *row, const layout *l, const int block[2],
                      bool bold, cli_out *out) {
  const char *rest = l->wrapped >= 0 ? row[l->wrapped] : "";
  char *const *others = row;
  do {
    const int n = l->wrapped >= 0 ? first_line(rest, l->room) : 0;
    cli_out_printf(out, "%s", bold ? "\033[1m" : "");
    print_line(table, others, l, block, rest, n, out);
    cli_out_printf(out, "%s\n", bold ? "\033[0m" : "");
    rest += n;
    rest += strspn(rest, " ");
    others = NULL;
  } while (*rest);
}

static void print_blocks(const cli_table *table, const layout *l, cli_out *out) {
  const bool bold = out->fd == 1 && cli_colour(stdout);
  const int keys = keys_of(table), first = block_end(table, l, 0) > keys ? 0 : keys;
  for (int from = first; from < table->columns;) {
    const int block[2] = {from, block_end(table, l, from)};
    if (from > first) cli_out_printf(out, "\n");
    for (int k = 0; k + table->columns <= table->count; k += table->columns)
      print_row(table, table->cells + k, l, block, bold && k == 0, out);
    from = block[1];
  }
}

int cli_table_print(cli_table *table, cli_out *out) {
  measure(table, table->widths);
  const layout l = fit(table, out->fd == 1 ? cli_terminal_width() : INT_MAX);
  if (!table->no_memory) print_blocks(table, &l, out);
  for (int k = 0; k < table->count; k++) free(table->cells[k]);
  free(table->cells);
  const bool no_memory = table->no_memory;
  *table = (cli_table){.columns = table->columns};
  return no_memory ? cli_no_memory() : CLI_OK;
}
