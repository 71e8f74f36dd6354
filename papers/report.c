// SPDX-License-Identifier: Apache-2.0
// Reports: lines that own copies of their texts.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papers.h"

// A copy of text, of "" where it is NULL.
static char *copy(const char *text) {
  if (!text) text = "";
  size_t size = strlen(text) + 1;
  char *out = malloc(size);
  if (out) memcpy(out, text, size);
  return out;
}

static void free_line(report_line *line) {
  free((char *)line->item);
  free((char *)line->text);
  free((char *)line->quantity);
  free((char *)line->unit);
  free((char *)line->note);
}

// Room for one more line; false when memory ran out.
static bool grow(report *r) {
  if (r->lines < r->room) return true;
  int room = r->room ? 2 * r->room : 64;
  report_line *line = realloc(r->line, (size_t)room * sizeof *line);
  if (!line) return false;
  r->line = line;
  r->room = room;
  return true;
}

// Adds a copy of line, texts included; a line that cannot be copied whole is not added.
static void add(report *r, report_line line) {
  if (r->no_memory) return;
  line.item = copy(line.item);
  line.text = copy(line.text);
  line.quantity = copy(line.quantity);
  line.unit = copy(line.unit);
  line.note = copy(line.note);
  bool whole = line.item && line.text && line.quantity && line.unit && line.note;
  if (whole && grow(r)) {
    r->line[r->lines++] = line;
  } else {
    free_line(&line);
    r->no_memory = true;
  }
}

// The name of the item that was begun last, "" before the first.
static const char *current_item(const report *r) {
  for (int i = r->lines - 1; i >= 0; i--)
    if (r->line[i].kind == REPORT_ITEM) return r->line[i].item;
  return "";
}

void report_item(report *r, const char *name, const char *about) {
  add(r,
      (report_line){.kind = REPORT_ITEM, .item = name, .text = about, .printed = NAN, .ours = NAN});
}

void report_remark(report *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
  if (text) {
    vsnprintf(text, (size_t)length + 1, format, again);
    add(r, (report_line){.kind = REPORT_REMARK,
                         .item = current_item(r),
                         .text = text,
                         .printed = NAN,
                         .ours = NAN});
    free(text);
  } else {
    r->no_memory = true;
  }
  va_end(again);
}

void report_digits(report *r, int digits) {
  if (r->lines > 0 && !r->no_memory) r->line[r->lines - 1].digits = digits;
}

void report_changed(report *r, const char *text) {
  snprintf(r->changed, sizeof r->changed, "%s", text);
}

// Adds a number; what narrows its item down may be NULL.
static void add_number(report *r, const char *narrowed, report_line line) {
  const char *item = current_item(r);
  size_t size = strlen(item) + strlen(narrowed ? narrowed : "") + sizeof ", ";
  char *name = malloc(size);
  if (!name) {
    r->no_memory = true;
    return;
  }
  snprintf(name, size, "%s%s%s", item, narrowed ? ", " : "", narrowed ? narrowed : "");
  line.item = name;
  if (r->changed[0] && !isnan(line.printed)) {
    line.printed = NAN;
    line.note = r->changed;
  }
  add(r, line);
  free(name);
}

void report_row(report *r, const char *quantity, const char *unit, double printed, double ours,
                const char *note) {
  report_narrowed_row(r, NULL, quantity, unit, printed, ours, note);
}

void report_narrowed_row(report *r, const char *narrowed, const char *quantity, const char *unit,
                         double printed, double ours, const char *note) {
  add_number(r, narrowed,
             (report_line){.kind = REPORT_ROW,
                           .quantity = quantity,
                           .unit = unit,
                           .printed = printed,
                           .ours = ours,
                           .note = note});
}

void report_detail(report *r, const char *narrowed, const char *quantity, const char *unit,
                   double printed, double ours, const char *note) {
  add_number(r, narrowed,
             (report_line){.kind = REPORT_DETAIL,
                           .quantity = quantity,
                           .unit = unit,
                           .printed = printed,
                           .ours = ours,
                           .note = note});
}

void report_free(report *r) {
  for (int i = 0; i < r->lines; i++) free_line(&r->line[i]);
  free(r->line);
  *r = (report){0};
}
