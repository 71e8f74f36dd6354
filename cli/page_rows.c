// Rows and columns of a log as the page has them.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"

enum { MOST_VALUES = 1 << 25 };
enum { MOST_CONTROL = 2000 }; // columns: those of a control run are some hundred at most

// ---- columns -----------------------------------------------------------------------------------

// What columns that begin like this belong to, and their unit where the log does not say it.
typedef struct kind {
  const char *name, *group, *unit;
} kind;

static const kind kinds[] = {{"t", "time", "s"},
                             {"q", "q", ""},
                             {"v", "v", ""},
                             {"a", "a", ""},
                             {"tau", "tau", ""},
                             {"kinetic", "energy", "J"},
                             {"potential", "energy", "J"},
                             {"elastic", "energy", "J"},
                             {"work", "energy", "J"},
                             {"dissipated", "energy", "J"},
                             {"lost", "energy", "J"},
                             {"closing", "energy", "J"},
                             {"force", "force", "N"},
                             {"coordinate", "coordinate", ""},
                             {"rate", "rate", ""},
                             {"contacts", "contact", ""},
                             {"qd", "reference", "rad"},
                             {"vd", "reference_rate", "rad/s"},
                             {"ad", "reference_rate", "rad/s2"},
                             {"volt", "signal", "V"},
                             {"potentiometer", "signal", "V"},
                             {"encoder", "count", "counts"},
                             {"index", "count", "counts"},
                             {"impacts", "count", ""},
                             {"late", "timing", "s"},
                             {"compute", "timing", "s"},
                             {"error", "error", "rad"},
                             {"", "other", ""}};

// Does a column's name begin like this, up to its first '.'?
static bool begins(const char *name, const char *word) {
  const size_t n = strcspn(name, ".");
  return strlen(word) == n && strncmp(word, name, n) == 0;
}

static const kind *kind_of(const char *name) {
  const kind *k = kinds;
  while (k->name[0] && !begins(name, k->name)) k++;
  return k;
}

// Counters, and what is counted or switched: they keep their values until the next one.
static bool is_step(const char *name) {
  static const char *const steps[] = {"lost",    "contacts", "impacts",   "encoder", "index",
                                      "indexed", "thermo",   "brakes",    "tools",   "period",
                                      "phase",   "stop",     "stop_axis", "failed"};
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++)
    if (begins(name, steps[k])) return true;
  return false;
}

static const char *unit_of(const cli_run *run, int column) {
  const ap_column *c = &run->about->column[column];
  if (c->unit[0]) return c->unit;
  if (column < run->nknown && strcmp(run->known[column].name, c->name) == 0)
    return run->known[column].unit;
  const kind *k = kind_of(c->name);
  if (run->control && strcmp(k->name, "q") == 0) return "rad";
  if (run->control && strcmp(k->name, "v") == 0) return "rad/s";
  if (run->control && strcmp(k->name, "a") == 0) return "rad/s2";
  return run->control && strcmp(k->name, "tau") == 0 ? "N m" : k->unit;
}

int cli_find_column(const cli_run *run, const char *name) {
  for (int k = 0; k < run->about->columns; k++)
    if (strcmp(run->about->column[k].name, name) == 0) return k;
  return -1;
}

// The column of the reference that belongs to q.JOINT; -1: there is none.
static int reference_of(const cli_run *run, int column) {
  const char *name = run->about->column[column].name;
  char wanted[512];
  if (!run->control || run->about->columns > MOST_CONTROL || strncmp(name, "q.", 2) != 0) return -1;
  snprintf(wanted, sizeof wanted, "qd.%.500s", name + 2);
  return cli_find_column(run, wanted);
}

// ---- rows --------------------------------------------------------------------------------------

static bool make_room(cli_rows *r, int joints) {
  const long room = r->most + 2;
  r->time = calloc((size_t)room, sizeof *r->time);
  r->value = malloc((size_t)room * (size_t)(r->columns + 1) * sizeof *r->value);
  r->square = calloc((size_t)joints + 1, sizeof *r->square);
  r->errors = calloc((size_t)joints + 1, sizeof *r->errors);
  return r->time && r->value && r->square && r->errors;
}

// Every second row goes, from now on every second one is taken.
static void thin(cli_rows *r) {
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

static bool make_plan(const cli_run *run, plan *p) {
  static const char *const energies[] = {"kinetic", "potential", "elastic"};
  const int n = run->about->columns;
  *p = (plan){.closing = cli_find_column(run, "closing"), .phase = cli_find_column(run, "phase")};
  for (int k = 0; k < 3; k++) p->energy[k] = cli_find_column(run, energies[k]);
  p->q = malloc((size_t)n * sizeof *p->q);
  p->qd = malloc((size_t)n * sizeof *p->qd);
  for (int k = 0; p->q && p->qd && k < n; k++) {
    const int reference = reference_of(run, k);
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

static void keep_row(cli_rows *r, const plan *p, const double *row) {
  float *to = r->value + (size_t)r->rows * (size_t)r->columns;
  r->time[r->rows++] = row[0];
  for (int k = 1; k <= r->logged; k++) *to++ = (float)row[k];
  const bool followed = follows(p, row);
  for (int k = 0; k < p->joints; k++)
    *to++ = followed ? (float)(row[p->q[k]] - row[p->qd[k]]) : NAN;
}

static void note_row(cli_rows *r, const plan *p, const double *row) {
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

static int read_all(cli_run *run, const plan *p, double *row, double *last) {
  cli_rows *r = &run->rows;
  ap_error error = {0};
  bool end = false;
  for (;;) {
    error.status = ap_log_next(run->log, row, &end, &error);
    if (error.status != AP_OK) return cli_fail_input(run->path, &error);
    if (end) break;
    note_row(r, p, row);
    memcpy(last, row, (size_t)(r->logged + 1) * sizeof *row);
    if (r->total++ % r->every != 0) continue;
    if (r->rows >= r->most) thin(r);
    if ((r->total - 1) % r->every == 0) keep_row(r, p, row);
  }
  if (r->rows > 0 && r->time[r->rows - 1] != last[0]) keep_row(r, p, last);
  r->samples = r->rows;
  return CLI_OK;
}

int cli_rows_read(cli_run *run) {
  cli_rows *r = &run->rows;
  plan p;
  int status = CLI_OK;
  bool good = make_plan(run, &p);
  r->logged = run->about->columns - 1;
  r->columns = r->logged + p.joints;
  r->every = 1;
  r->closing = r->energy[0] = r->energy[1] = NAN;
  const long fits = MOST_VALUES / (r->columns + 1);
  if (r->most > fits) r->most = fits;
  if (r->most < 2) r->most = 2;
  double *row = malloc(2 * (size_t)run->about->columns * sizeof *row);
  good = good && row && make_room(r, p.joints);
  status = good ? read_all(run, &p, row, row + run->about->columns) : cli_no_memory();
  free(row);
  free(p.q);
  free(p.qd);
  return status;
}

void cli_rows_free(cli_rows *r) {
  free(r->time);
  free(r->value);
  free(r->square);
  free(r->errors);
}

// ---- the document ------------------------------------------------------------------------------

static void write_column(cli_json *json, const char *name, const char *unit) {
  cli_json_open(json, NULL, '{');
  cli_json_string(json, "name", name);
  cli_json_string(json, "unit", unit);
  cli_json_string(json, "group", kind_of(name)->group);
  if (is_step(name)) cli_json_bool(json, "steps", true);
  cli_json_close(json, '}');
}

static void write_columns(const cli_run *run, cli_json *json) {
  cli_json_open(json, "columns", '[');
  for (int k = 0; k < run->about->columns; k++)
    write_column(json, run->about->column[k].name, unit_of(run, k));
  for (int k = 0; k < run->about->columns; k++) {
    char name[600];
    if (reference_of(run, k) < 0) continue;
    snprintf(name, sizeof name, "error.%.500s", run->about->column[k].name + 2);
    write_column(json, name, unit_of(run, k));
  }
  if (run->rows.counted) write_column(json, "impacts", "");
  cli_json_close(json, ']');
}

void cli_rows_write(const cli_run *run, cli_json *json) {
  const cli_rows *r = &run->rows;
  const int width = r->columns + r->counted;
  cli_base64 b;
  cli_json_integer(json, "rows", r->samples);
  write_columns(run, json);
  cli_base64_begin(&b, json, "time");
  for (long k = 0; k < r->samples; k++) cli_base64_double(&b, r->time[k]);
  cli_base64_end(&b);
  cli_base64_begin(&b, json, "data");
  for (int c = 0; c < width; c++)
    for (long k = 0; k < r->samples; k++)
      cli_base64_float(&b, r->value[(size_t)k * (size_t)width + (size_t)c]);
  cli_base64_end(&b);
}
