#include "control_log.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "load.h"

enum { VECTORS = 10, SCALARS = 11, NAME = 320 };

// Vectors have a column for each joint, and the scalars follow.
static const ap_column vectors[VECTORS] = {
    {"q", "rad"},          {"v", "rad/s"},     {"tau", "N m"}, {"qd", "rad"},
    {"vd", "rad/s"},       {"ad", "rad/s2"},   {"volt", "V"},  {"potentiometer", "V"},
    {"encoder", "counts"}, {"index", "counts"}};
static const ap_column scalars[SCALARS] = {{"indexed", ""},  {"thermo", ""}, {"late", "s"},
                                           {"brakes", ""},   {"tools", ""},  {"period", ""},
                                           {"phase", ""},    {"stop", ""},   {"stop_axis", ""},
                                           {"compute", "s"}, {"failed", ""}};
enum { VOLT = 6, POTENTIOMETER, ENCODER, INDEX };
enum { INDEXED, THERMO, LATE, BRAKES, TOOLS, PERIOD, PHASE, STOP, STOP_AXIS, COMPUTE, FAILED };

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
  const double rest[SCALARS] = {r->input.indexed,
                                r->input.thermo,
                                r->input.late,
                                r->output.brakes,
                                r->output.tools,
                                (double)r->period,
                                (double)r->phase,
                                (double)r->stop,
                                (double)r->stop_axis,
                                r->compute,
                                r->input.failed + 2 * r->output.failed};
  memcpy(to, rest, sizeof rest);
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

// A log while it is read: `at` has for each of our columns its place in the file, -1 where it is
// not there, and `line` is a row of the file in that order.
typedef struct reading {
  const char *path;
  const ap_model *model;
  ap_log_reader *log;
  int *at, columns; // ours
  double *line, *row;
  ap_rack_input *input;
  ap_rack_output *output;
  long *period, n, room, requested;
} reading;

static int wrong(const reading *r, const char *what) {
  return cli_fail(CLI_BAD, r->path, ap_log_line(r->log), "%s", what);
}

static bool is_whole(double x, double least, double most) {
  return x >= least && x <= most && x == (double)(long long)x;
}

// A row of ours into inputs and outputs, whose whole numbers must be such.
static int take_row(const reading *r, ap_rack_input *in, ap_rack_output *out) {
  const int n = ap_nv(r->model);
  const double *vector = r->row + 1, *scalar = vector + (ptrdiff_t)VECTORS * n;
  const double bits = (double)UINT32_MAX;
  bool good = is_whole(scalar[INDEXED], 0, bits) && is_whole(scalar[THERMO], 0, bits) &&
              is_whole(scalar[TOOLS], 0, bits) && is_whole(scalar[PERIOD], 0, 1e15) &&
              is_whole(scalar[STOP], 0, 1000) && is_whole(scalar[FAILED], 0, 3) &&
              (r->n == 0 || scalar[PERIOD] > (double)r->period[r->n - 1]);
  for (int j = 0; j < n; j++)
    good = good && is_whole(vector[ENCODER * n + j], INT32_MIN, INT32_MAX) &&
           is_whole(vector[INDEX * n + j], INT32_MIN, INT32_MAX);
  if (r->n == 0 && scalar[PERIOD] != 0)
    return wrong(r,
                 "the log does not begin with the run (a replay needs all phases, without "
                 "--run-only)");
  if (!good) return wrong(r, "a count, mark or period is none (whole numbers; periods grow)");
  *in = (ap_rack_input){.indexed = (uint32_t)scalar[INDEXED],
                        .thermo = (uint32_t)scalar[THERMO],
                        .late = scalar[LATE],
                        .failed = (int)scalar[FAILED] & 1};
  *out = (ap_rack_output){.brakes = scalar[BRAKES] != 0,
                          .tools = (uint32_t)scalar[TOOLS],
                          .failed = (int)scalar[FAILED] >> 1};
  for (int j = 0; j < n; j++) {
    in->potentiometer[j] = vector[POTENTIOMETER * n + j];
    in->encoder[j] = (int32_t)vector[ENCODER * n + j];
    in->index[j] = (int32_t)vector[INDEX * n + j];
    out->volt[j] = vector[VOLT * n + j];
  }
  return CLI_OK;
}

// Where our columns are among those of the file.
static int find_columns(reading *r) {
  const ap_log_about *about = ap_log_describe(r->log);
  for (int k = 0; k < r->columns; k++) {
    char text[NAME];
    const char *name = column_name(r->model, k, text);
    r->at[k] = 0;
    while (r->at[k] < about->columns && strcmp(about->column[r->at[k]].name, name) != 0) r->at[k]++;
    if (r->at[k] == about->columns)
      return cli_fail(CLI_BAD, r->path, 1,
                      "there is no column '%s' (the log of a run of this robot, as "
                      "'appell control -o' writes it)",
                      name);
  }
  r->line = malloc((size_t)about->columns * sizeof *r->line);
  return r->line ? CLI_OK : cli_no_memory();
}

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

static int read_rows(reading *r) {
  ap_error error = {0};
  bool end = false;
  int status = find_columns(r);
  while (status == CLI_OK) {
    error.status = ap_log_next(r->log, r->line, &end, &error);
    if (error.status != AP_OK) return cli_fail_input(r->path, &error);
    if (end) return r->n > 0 ? CLI_OK : wrong(r, "no row in it (the log of a run)");
    if (!grow(r)) return cli_no_memory();
    for (int k = 0; k < r->columns; k++) r->row[k] = r->line[r->at[k]];
    status = take_row(r, &r->input[r->n], &r->output[r->n]);
    if (status != CLI_OK) break;
    const double *scalar = r->row + 1 + (ptrdiff_t)VECTORS * ap_nv(r->model);
    if ((ap_stop)scalar[STOP] == AP_STOP_REQUEST && r->requested < 0) r->requested = r->n;
    r->period[r->n++] = (long)scalar[PERIOD];
  }
  return status;
}

int cli_control_log_read(const char *path, const ap_model *model, ap_rack_input **input,
                         ap_rack_output **output, long **period, long *requested, long *n) {
  reading r = {.path = path,
               .model = model,
               .requested = -1,
               .columns = 1 + VECTORS * ap_nv(model) + SCALARS};
  ap_error error = {0};
  error.status = ap_log_open(path, &r.log, &error);
  if (error.status != AP_OK) return cli_fail_input(path, &error);
  ap_log_allow_any(r.log); // a sensor may have given none
  r.row = malloc((size_t)r.columns * sizeof *r.row);
  r.at = calloc((size_t)r.columns, sizeof *r.at);
  const int status = r.row && r.at ? read_rows(&r) : cli_no_memory();
  free(r.row), free(r.at), free(r.line);
  ap_log_close(r.log);
  *input = r.input, *output = r.output, *period = r.period, *requested = r.requested, *n = r.n;
  return status;
}
