// SPDX-License-Identifier: Apache-2.0
// Rows and columns of a log as the page has them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/report.h"

enum { MOST_VALUES = 1 << 25 };
enum { MOST_CONTROL = 2000 }; // columns: those of a control run are some hundred at most

// ---- columns -----------------------------------------------------------------------------------

// The column of the reference that belongs to q.JOINT; -1: there is none.
static int reference_of(const ap__report *report, int column) {
  const char *name = report->about->column[column].name;
  char wanted[512];
  if (!report->run->control || report->about->columns > MOST_CONTROL || strncmp(name, "q.", 2) != 0)
    return -1;
  snprintf(wanted, sizeof wanted, "qd.%.500s", name + 2);
  return ap_run_find(report->run, wanted);
}

// ---- rows --------------------------------------------------------------------------------------

static bool make_room(ap__report_rows *r, int joints) {
  const long room = r->most + 2;
  r->time = calloc((size_t)room, sizeof *r->time);
  r->value = malloc((size_t)room * (size_t)(r->columns + 1) * sizeof *r->value);
  r->square = calloc((size_t)joints + 1, sizeof *r->square);
  r->errors = calloc((size_t)joints + 1, sizeof *r->errors);
  return r->time && r->value && r->square && r->errors;
}

// Every second row goes, from now on every second one is taken.
static void thin(ap__report_rows *r) {
  const size_t width = (size_t)r->columns;
  long kept = 0;
  for (long k = 0; k < r->rows; k += 2, kept++) {
    r->time[kept] = r->time[k];
    memmove(r->value + (size_t)kept * width, r->value + (size_t)k * width,
            width * sizeof *r->value);
  }
  r->rows = kept;
  r->every *= 2;
}

// What is computed from more than one column.
typedef struct plan {
  int closing, phase, energy[3];
  int *q, *qd; // [joints]
  int joints;
} plan;

static bool make_plan(const ap__report *report, plan *p) {
  static const char *const energies[] = {"kinetic", "potential", "elastic"};
  const int n = report->about->columns;
  *p = (plan){.closing = ap_run_find(report->run, "closing"),
              .phase = ap_run_find(report->run, "phase")};
  for (int k = 0; k < 3; k++) p->energy[k] = ap_run_find(report->run, energies[k]);
  p->q = malloc((size_t)n * sizeof *p->q);
  p->qd = malloc((size_t)n * sizeof *p->qd);
  for (int k = 0; p->q && p->qd && k < n; k++) {
    const int reference = reference_of(report, k);
    if (reference < 0) continue;
    p->q[p->joints] = k;
    p->qd[p->joints++] = reference;
  }
  return p->q && p->qd;
}

// The reference is followed in this row, as far as the log tells phases.
static bool follows(const plan *p, const double *row) {
  return p->phase <= 0 || (ap_phase)row[p->phase] == AP_PHASE_RUN;
}

static void keep_row(ap__report_rows *r, const plan *p, const double *row) {
  float *to = r->value + (size_t)r->rows * (size_t)r->columns;
  r->time[r->rows++] = row[0];
  for (int k = 1; k <= r->logged; k++) *to++ = (float)row[k];
  const bool followed = follows(p, row);
  for (int k = 0; k < p->joints; k++)
    *to++ = followed ? (float)(row[p->q[k]] - row[p->qd[k]]) : NAN;
}

static void note_row(ap__report_rows *r, const plan *p, const double *row) {
  if (p->closing > 0) r->closing = fmax(r->total ? r->closing : 0, fabs(row[p->closing]));
  if (p->energy[0] > 0 && p->energy[1] > 0) {
    r->energy[1] = row[p->energy[0]] + row[p->energy[1]];
    if (p->energy[2] > 0) r->energy[1] += row[p->energy[2]];
    if (r->total == 0) r->energy[0] = r->energy[1];
  }
  if (r->total == 0) r->start = row[0];
  r->end = row[0];
  if (!follows(p, row)) return;
  for (int k = 0; k < p->joints; k++) {
    const double error = row[p->q[k]] - row[p->qd[k]];
    if (!isfinite(error)) continue;
    r->square[k] += error * error;
    r->errors[k] = fmax(r->errors[k], fabs(error));
  }
  if (p->joints > 0) r->squares++;
}

static ap_status read_all(ap__report *report, const plan *p, double *row, double *last) {
  ap__report_rows *r = &report->rows;
  for (bool end = false;;) {
    const ap_status status = ap_log_next(report->run->recorded.reader, row, &end, report->error);
    if (status != AP_OK) return status;
    if (end) break;
    note_row(r, p, row);
    memcpy(last, row, (size_t)(r->logged + 1) * sizeof *row);
    if (r->total++ % r->every != 0) continue;
    if (r->rows >= r->most) thin(r);
    if ((r->total - 1) % r->every == 0) keep_row(r, p, row);
  }
  if (r->rows > 0 && r->time[r->rows - 1] != last[0]) keep_row(r, p, last);
  r->samples = r->rows;
  return AP_OK;
}

ap_status ap__report_rows_read(ap__report *report) {
  ap__report_rows *r = &report->rows;
  plan p;
  bool good = make_plan(report, &p);
  r->logged = report->about->columns - 1;
  r->columns = r->logged + p.joints;
  r->every = 1;
  r->closing = r->energy[0] = r->energy[1] = NAN;
  const long fits = MOST_VALUES / (r->columns + 1);
  if (r->most > fits) r->most = fits;
  if (r->most < 2) r->most = 2;
  double *row = malloc(2 * (size_t)report->about->columns * sizeof *row);
  good = good && row && make_room(r, p.joints);
  const ap_status status =
      good ? read_all(report, &p, row, row + report->about->columns) : ap__no_memory(report->error);
  free(row);
  free(p.q);
  free(p.qd);
  return status;
}

void ap__report_rows_free(ap__report_rows *r) {
  free(r->time);
  free(r->value);
  free(r->square);
  free(r->errors);
}

// ---- the document ------------------------------------------------------------------------------

static void write_column(ap_json *json, const char *name, const char *unit) {
  const ap__quantity *quantity = ap__quantity_of(name);
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", name);
  ap_json_string(json, "unit", unit);
  ap_json_string(json, "group", quantity->group ? quantity->group : "other");
  if (quantity->steps) ap_json_bool(json, "steps", true);
  ap_json_close(json, '}');
}

static void write_columns(const ap__report *report, ap_json *json) {
  ap_json_open(json, "columns", '[');
  const ap_column *column = report->run->rows.column;
  for (int k = 0; k < report->about->columns; k++)
    write_column(json, column[k].name, column[k].unit);
  for (int k = 0; k < report->about->columns; k++) {
    char name[600];
    if (reference_of(report, k) < 0) continue;
    snprintf(name, sizeof name, "error.%.500s", column[k].name + 2);
    write_column(json, name, column[k].unit);
  }
  if (report->rows.counted) write_column(json, "impacts", "");
  ap_json_close(json, ']');
}

void ap__report_rows_write(const ap__report *report, ap_json *json) {
  const ap__report_rows *r = &report->rows;
  const int width = r->columns + r->counted;
  ap__base64 b;
  ap_json_integer(json, "rows", r->samples);
  write_columns(report, json);
  ap__base64_begin(&b, json, "time");
  for (long k = 0; k < r->samples; k++) ap__base64_double(&b, r->time[k]);
  ap__base64_end(&b);
  ap__base64_begin(&b, json, "data");
  for (int c = 0; c < width; c++)
    for (long k = 0; k < r->samples; k++)
      ap__base64_float(&b, r->value[(size_t)k * (size_t)width + (size_t)c]);
  ap__base64_end(&b);
}
