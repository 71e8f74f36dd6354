// The inputs and outputs of a recorded control run, to feed a controller with.

#include <stdlib.h>
#include <string.h>

#include "run/control.h"

// A log while it is read: `at` has for each of our columns its place in the file, `line` is a row
// of the file and `row` the same in our order.
typedef struct reading {
  ap_log_reader *log;
  int joints;
  ap__columns columns; // ours
  int *at;
  double *line, *row;
  ap__replay *replay;
} reading;

static bool is_whole(double x, double least, double most) {
  return x >= least && x <= most && x == (double)(long long)x;
}

static const double *scalars_of(const reading *r) {
  return r->row + 1 + (ptrdiff_t)AP__CONTROL_VECTORS * r->joints;
}

// Are the whole numbers of a row such?
static bool is_good(const reading *r) {
  const ap__replay *p = r->replay;
  const int n = r->joints;
  const double *vector = r->row + 1, *scalar = scalars_of(r), bits = (double)UINT32_MAX;
  bool good = is_whole(scalar[AP__INDEXED], 0, bits) && is_whole(scalar[AP__THERMO], 0, bits) &&
              is_whole(scalar[AP__TOOLS], 0, bits) && is_whole(scalar[AP__PERIOD], 0, 1e15) &&
              is_whole(scalar[AP__STOP], 0, 1000) && is_whole(scalar[AP__FAILED], 0, 3) &&
              (p->n == 0 || scalar[AP__PERIOD] > (double)p->period[p->n - 1]);
  for (int j = 0; j < n; j++)
    good = good && is_whole(vector[AP__ENCODER * n + j], INT32_MIN, INT32_MAX) &&
           is_whole(vector[AP__INDEX * n + j], INT32_MIN, INT32_MAX);
  return good;
}

static ap_status take_row(reading *r, ap_error *error) {
  ap__replay *p = r->replay;
  const int n = r->joints;
  const double *vector = r->row + 1, *scalar = scalars_of(r);
  if (p->n == 0 && scalar[AP__PERIOD] != 0)
    return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r->log),
                      "the log does not begin with the run (a replay needs all phases, without "
                      "--run-only)");
  if (!is_good(r))
    return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r->log),
                      "a count, mark or period is none (whole numbers; periods grow)");
  ap_rack_input *in = &p->input[p->n];
  ap_rack_output *out = &p->output[p->n];
  *in = (ap_rack_input){.indexed = (uint32_t)scalar[AP__INDEXED],
                        .thermo = (uint32_t)scalar[AP__THERMO],
                        .late = scalar[AP__LATE],
                        .failed = (int)scalar[AP__FAILED] & 1};
  *out = (ap_rack_output){.brakes = scalar[AP__BRAKES] != 0,
                          .tools = (uint32_t)scalar[AP__TOOLS],
                          .failed = (int)scalar[AP__FAILED] >> 1};
  for (int j = 0; j < n; j++) {
    in->potentiometer[j] = vector[AP__POTENTIOMETER * n + j];
    in->encoder[j] = (int32_t)vector[AP__ENCODER * n + j];
    in->index[j] = (int32_t)vector[AP__INDEX * n + j];
    out->volt[j] = vector[AP__VOLT * n + j];
  }
  if ((ap_stop)scalar[AP__STOP] == AP_STOP_REQUEST && p->requested < 0) p->requested = p->n;
  p->period[p->n++] = (long)scalar[AP__PERIOD];
  return AP_OK;
}

// Where our columns are among those of the file.
static ap_status find_columns(reading *r, ap_error *error) {
  const ap_log_about *about = ap_log_describe(r->log);
  for (int k = 0; k < r->columns.n; k++) {
    const char *name = r->columns.column[k].name;
    while (r->at[k] < about->columns && strcmp(about->column[r->at[k]].name, name) != 0) r->at[k]++;
    if (r->at[k] == about->columns)
      return AP__REFUSE(error, AP_E_SYNTAX, 1,
                        "there is no column '%s' (the log of a run of this robot, as "
                        "'appell control -o' writes it)",
                        name);
  }
  return AP_OK;
}

static bool grow(ap__replay *p) {
  if (p->n < p->room) return true;
  const long room = p->room > 0 ? 2 * p->room : 4096;
  ap_rack_input *input = realloc(p->input, (size_t)room * sizeof *input);
  if (input) p->input = input;
  ap_rack_output *output = realloc(p->output, (size_t)room * sizeof *output);
  if (output) p->output = output;
  long *period = realloc(p->period, (size_t)room * sizeof *period);
  if (period) p->period = period;
  if (input && output && period) p->room = room;
  return p->n < p->room;
}

static ap_status read_rows(reading *r, ap_error *error) {
  bool end = false;
  ap_status status = find_columns(r, error);
  while (status == AP_OK) {
    status = ap_log_next(r->log, r->line, &end, error);
    if (status != AP_OK) break;
    if (end && r->replay->n == 0)
      return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r->log), "no row in it (the log of a run)");
    if (end) break;
    if (!grow(r->replay)) return ap__no_memory(error);
    for (int k = 0; k < r->columns.n; k++) r->row[k] = r->line[r->at[k]];
    status = take_row(r, error);
  }
  return status;
}

ap_status ap__replay_read(const char *path, const ap_model *m, ap__replay **replay,
                          ap_error *error) {
  reading r = {.joints = ap_nv(m)};
  *replay = NULL;
  ap_status status = ap_log_open(path, &r.log, error);
  if (status != AP_OK) return status;
  ap_log_allow_any(r.log); // a sensor may have given none
  ap__control_columns(m, &r.columns);
  r.line = malloc((size_t)ap_log_describe(r.log)->columns * sizeof *r.line);
  r.at = calloc((size_t)r.columns.n + 1, sizeof *r.at);
  r.replay = calloc(1, sizeof *r.replay);
  const bool good = ap__columns_ready(&r.columns) && r.line && r.at && r.replay;
  r.row = r.columns.row;
  if (good) r.replay->requested = -1;
  status = good ? read_rows(&r, error) : ap__no_memory(error);
  if (status == AP_OK)
    *replay = r.replay;
  else
    ap__replay_free(r.replay);
  ap__columns_free(&r.columns);
  free(r.at);
  free(r.line);
  ap_log_close(r.log);
  return status;
}

void ap__replay_free(ap__replay *p) {
  if (!p) return;
  free(p->input);
  free(p->output);
  free(p->period);
  free(p);
}
