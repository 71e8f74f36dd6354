#include "ui/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

// Blanks are put before a cell, so that no line ends with any.
static void print_row(const cli_table *table, int first, cli_out *out) {
  int blanks = 2;
  for (int k = 0; k < table->columns; k++) {
    const char *cell = table->cells[first + k];
    const int rest = table->widths[k] - cli_width(cell);
    const bool right = (table->right >> k & 1u) != 0;
    if (cell[0]) {
      cli_out_printf(out, "%*s%s", blanks + (right ? rest : 0), "", cell);
      blanks = 0;
    }
    blanks += 2 + (cell[0] ? (right ? 0 : rest) : table->widths[k]);
  }
}

int cli_table_print(cli_table *table, cli_out *out) {
  measure(table, table->widths);
  const bool bold = out->fd == 1 && cli_colour(stdout);
  for (int k = 0; !table->no_memory && k + table->columns <= table->count; k += table->columns) {
    cli_out_printf(out, "%s", bold && k == 0 ? "\033[1m" : "");
    print_row(table, k, out);
    cli_out_printf(out, "%s\n", bold && k == 0 ? "\033[0m" : "");
  }
  for (int k = 0; k < table->count; k++) free(table->cells[k]);
  free(table->cells);
  const bool no_memory = table->no_memory;
  *table = (cli_table){.columns = table->columns};
  return no_memory ? cli_no_memory() : CLI_OK;
}
