#include "control_log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "load.h"

enum { VECTORS = 10, SCALARS = 10, NAME = 320 };

// Vectors have a column for each joint, and the scalars follow.
static const ap_column vectors[VECTORS] = {
    {"q", "rad"},          {"v", "rad/s"},     {"tau", "N m"}, {"qd", "rad"},
    {"vd", "rad/s"},       {"ad", "rad/s2"},   {"volt", "V"},  {"potentiometer", "V"},
    {"encoder", "counts"}, {"index", "counts"}};
static const ap_column scalars[SCALARS] = {
    {"indexed", ""}, {"thermo", ""}, {"late", "s"}, {"brakes", ""},    {"tools", ""},
    {"period", ""},  {"phase", ""},  {"stop", ""},  {"stop_axis", ""}, {"compute", "s"}};
enum { VOLT = 6, POTENTIOMETER, ENCODER, INDEX };
enum { INDEXED, THERMO, LATE, BRAKES, TOOLS, PERIOD, PHASE, STOP };

const char *cli_control_joint(const ap_model *m, int j) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) > 0 && ap_joint_v(m, i) == j) return cli_joint_name(m, i);
  return "";
}

// The name of column k; text has NAME bytes.
static const char *column_name(const ap_model *m, int k, char *text) {
  const int n = ap_nv(m), j = k - 1;
  if (k == 0) return "t";
  if (j >= VECTORS * n) return scalars[j - VECTORS * n].name;
  snprintf(text, NAME, "%s.%s", vectors[j / n].name, cli_control_joint(m, j % n));
  cli_replace_separators(text);
  return text;
}

static const char *column_unit(const ap_model *m, int k) {
  const int n = ap_nv(m), j = k - 1;
  return k == 0 ? "s" : j >= VECTORS * n ? scalars[j - VECTORS * n].unit : vectors[j / n].unit;
}

static bool name_columns(cli_control_log *l) {
  const size_t count = (size_t)l->columns;
  l->column = calloc(count, sizeof *l->column);
  l->row = calloc(count, sizeof *l->row);
  for (int k = 0; l->column && k < l->columns; k++) {
    char text[NAME];
    const char *name = column_name(l->model, k, text);
    char *copy = malloc(strlen(name) + 1);
    if (!copy) return false;
    memcpy(copy, name, strlen(name) + 1);
    l->column[k] = (ap_column){copy, column_unit(l->model, k)};
  }
  return l->column && l->row;
}

int cli_control_log_open(cli_control_log *l, const char *path, const ap_control *control,
                         const char *scenario_file) {
  const ap_model *m = ap_control_model(control);
  *l = (cli_control_log){.model = m,
                         .path = path,
                         .run_alone = ap_control_logs_run_alone(control),
                         .columns = 1 + VECTORS * ap_nv(m) + SCALARS};
  if (!path) return CLI_OK;
  if (!name_columns(l)) return cli_no_memory();
  static const ap_column event_columns[] = {{"period", ""}};
  const ap_log_def def = {.column = l->column,
                          .columns = l->columns,
                          .event_column = event_columns,
                          .event_columns = 1,
                          .scenario = ap_control_text(control),
                          .scenario_file = scenario_file,
                          .model = ap_model_name(m)};
  ap_error error = {0};
  error.status = ap_log_create(path, &def, &l->log, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_output(path, &error);
}

static void write_event(cli_control_log *l, const ap_servo_record *r) {
  const bool stops = r->phase >= AP_PHASE_BRAKE && (!l->begun || l->phase < AP_PHASE_BRAKE);
  const double number = (double)r->period;
  if (l->begun && l->phase == r->phase) return;
  const char *joint = r->stop_axis >= 0 ? cli_control_joint(l->model, r->stop_axis) : "";
  if (stops && l->error.status == AP_OK)
    l->error.status =
        ap_log_event(l->log, r->t, ap_stop_name(r->stop), joint, "", &number, &l->error);
  if (l->error.status == AP_OK)
    l->error.status =
        ap_log_event(l->log, r->t, ap_phase_name(r->phase), "", "", &number, &l->error);
  l->phase = r->phase, l->begun = true;
}

void cli_control_log_write(cli_control_log *l, const ap_servo_record *r) {
  if (!l->log || l->error.status != AP_OK) return;
  write_event(l, r);
  if (l->run_alone && r->phase != AP_PHASE_RUN) return;
  const int n = ap_nv(l->model);
  const double *const from[] = {r->q,  r->v,  r->tau,         r->qd,
                                r->vd, r->ad, r->output.volt, r->input.potentiometer};
  double *to = l->row;
  *to++ = l->run_alone ? r->run_t : r->t;
  for (size_t k = 0; k < sizeof from / sizeof from[0]; k++, to += n)
    memcpy(to, from[k], (size_t)n * sizeof *to);
  for (int j = 0; j < n; j++) *to++ = r->input.encoder[j];
  for (int j = 0; j < n; j++) *to++ = r->input.index[j];
  const double rest[SCALARS] = {
      r->input.indexed,  r->input.thermo,  r->input.late,   r->output.brakes,     r->output.tools,
      (double)r->period, (double)r->phase, (double)r->stop, (double)r->stop_axis, r->compute};
  memcpy(to, rest, sizeof rest);
  // A file holds finite numbers; a signal that is none is marked by its stop, and kept as zero.
  for (int k = 0; k < l->columns; k++)
    if (!(l->row[k] - l->row[k] == 0)) l->row[k] = 0;
  if (l->error.status == AP_OK) l->error.status = ap_log_row(l->log, l->row, &l->error);
  l->rows++;
}

void cli_control_log_flush(cli_control_log *l) {
  if (l->log && l->error.status == AP_OK) l->error.status = ap_log_flush(l->log, &l->error);
}

int cli_control_log_finish(cli_control_log *l) {
  if (!l->log) return CLI_OK;
  if (l->error.status == AP_OK) l->error.status = ap_log_finish(l->log, &l->error);
  return l->error.status == AP_OK ? CLI_OK : cli_fail_output(l->path, &l->error);
}

void cli_control_log_close(cli_control_log *l) {
  ap_log_free(l->log);
  for (int k = 0; l->column && k < l->columns; k++) free((void *)l->column[k].name);
  free(l->column);
  free(l->row);
  *l = (cli_control_log){0};
}

// ---- replay ------------------------------------------------------------------------------------

static void take_row(const double *row, int n, ap_rack_input *in, ap_rack_output *out) {
  const double *vector = row + 1, *scalar = vector + (ptrdiff_t)VECTORS * n;
  *in = (ap_rack_input){.indexed = (uint32_t)scalar[INDEXED],
                        .thermo = (uint32_t)scalar[THERMO],
                        .late = scalar[LATE]};
  *out = (ap_rack_output){.brakes = scalar[BRAKES] != 0, .tools = (uint32_t)scalar[TOOLS]};
  for (int j = 0; j < n; j++) {
    in->potentiometer[j] = vector[POTENTIOMETER * n + j];
    in->encoder[j] = (int32_t)vector[ENCODER * n + j];
    in->index[j] = (int32_t)vector[INDEX * n + j];
    out->volt[j] = vector[VOLT * n + j];
  }
}

// Whether column k of a row holds a whole number from least to most; says so where it does not.
static int check_whole(const char *path, const ap_model *m, int line, const double *row, int k,
                       double least, double most) {
  char text[NAME];
  if (row[k] >= least && row[k] <= most && row[k] == floor(row[k])) return CLI_OK;
  return cli_fail(CLI_BAD, path, line, "%s is %g (a whole number from %.0f to %.0f is needed)",
                  column_name(m, k, text), row[k], least, most);
}

// What is whole in a row, before it becomes an integer; periods never go back.
static int check_row(const char *path, const ap_model *m, int line, const double *row,
                     double before) {
  static const double most_period = 9007199254740992.0; // 2^53: beyond, a double misses some
  static const int words[] = {INDEXED, THERMO, TOOLS};
  const int n = ap_nv(m), scalar = 1 + VECTORS * n;
  int status = check_whole(path, m, line, row, scalar + PERIOD, before, most_period);
  for (int k = 0; k < 3 && status == CLI_OK; k++)
    status = check_whole(path, m, line, row, scalar + words[k], 0, UINT32_MAX);
  for (int j = 0; j < 2 * n && status == CLI_OK; j++) // encoders, then indices
    status = check_whole(path, m, line, row, 1 + ENCODER * n + j, INT32_MIN, INT32_MAX);
  return status;
}

static bool same_names(const ap_model *m, const char *names) {
  const int columns = 1 + VECTORS * ap_nv(m) + SCALARS;
  for (int k = 0; k < columns; k++) {
    char text[NAME];
    const char *name = column_name(m, k, text);
    const size_t length = strlen(name);
    if (strncmp(names, name, length) != 0) return false;
    names += length;
    if (k + 1 < columns && *names++ != ',') return false;
  }
  return *names == 0 || *names == '\r' || *names == '\n';
}

typedef struct reading {
  ap_rack_input *input;
  ap_rack_output *output;
  long *period, n, room, requested;
} reading;

static bool grow(reading *r) {
  if (r->n < r->room) return true;
  const long room = r->room > 0 ? 2 * r->room : 4096;
  ap_rack_input *input = realloc(r->input, (size_t)room * sizeof *input);
  if (input) r->input = input;
  ap_rack_output *output = realloc(r->output, (size_t)room * sizeof *output);
  if (output) r->output = output;
  long *period = realloc(r->period, (size_t)room * sizeof *period);
  if (period) r->period = period;
  if (input && output && period) r->room = room;
  return r->n < r->room;
}

static int read_rows(const char *path, const ap_model *m, ap_rows *rows, double *row, reading *r) {
  const int n = ap_nv(m), columns = 1 + VECTORS * n + SCALARS;
  const char *names = NULL;
  ap_error error = {0};
  bool end = false;
  error.status = ap_rows_header(rows, &names, &error);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  if (!names || !same_names(m, names))
    return cli_fail(CLI_BAD, path, 1, "not the log of a run of this robot (all phases, as CSV)");
  for (;;) {
    error.status = ap_rows_next(rows, columns, row, &end, &error);
    if (error.status != AP_OK) return cli_fail_input(path, &error);
    if (end) return CLI_OK;
    const double before = r->n > 0 ? (double)r->period[r->n - 1] : 0;
    const int status = check_row(path, m, ap_rows_line(rows), row, before);
    if (status != CLI_OK) return status;
    if (!grow(r)) return cli_no_memory();
    const double *scalar = row + 1 + (ptrdiff_t)VECTORS * n;
    if (scalar[STOP] == AP_STOP_REQUEST && r->requested < 0) r->requested = r->n;
    r->period[r->n] = (long)scalar[PERIOD];
    take_row(row, n, &r->input[r->n], &r->output[r->n]);
    r->n++;
  }
}

int cli_control_log_read(const char *path, const ap_model *model, ap_rack_input **input,
                         ap_rack_output **output, long **period, long *requested, long *n) {
  reading r = {.requested = -1};
  ap_rows *rows = NULL;
  ap_error error = {0};
  error.status = ap_rows_open(path, &rows, &error);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  const size_t columns = 1 + VECTORS * (size_t)ap_nv(model) + SCALARS;
  double *row = calloc(columns, sizeof *row);
  const int status = row ? read_rows(path, model, rows, row, &r) : cli_no_memory();
  free(row);
  ap_rows_close(rows);
  *input = r.input, *output = r.output, *period = r.period, *requested = r.requested, *n = r.n;
  return status;
}
