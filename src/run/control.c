// SPDX-License-Identifier: Apache-2.0
// The run of a control scenario: a row for each period, an event for each change of phase.
//
// Columns of the rows: t; q.JOINT, v.JOINT (measured), tau.JOINT (sent), qd.JOINT, vd.JOINT,
// ad.JOINT (reference), command.JOINT; potentiometer.JOINT, encoder.JOINT, index.JOINT,
// torque.JOINT (of the sensor), status.JOINT, late (inputs as read); brakes, tools; period, phase,
// stop and stop_axis, compute, failed; category of the stop, residual.JOINT (what the momentum
// observer does not explain), external.JOINT (of the surroundings, by the torque sensors).

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/run.h"

// Behind t come the vectors, with a column for each joint, then the scalars.
enum { VECTORS = 12, SCALARS = 9 };
enum { QD = 3, VD, AD, COMMAND, POTENTIOMETER, ENCODER, INDEX, TORQUE, STATUS };
enum { LATE, BRAKES, TOOLS, PERIOD, PHASE, STOP, STOP_AXIS, COMPUTE, FAILED };

// Those that a replay needs.
static void add_columns(ap__columns *list, const ap_model *m) {
  static const struct {
    const char *group;
    ap_joint_vector vector;
    bool counts; // it has the unit of its quantity, not of the joint
  } vectors[VECTORS] = {{"q", AP_JOINT_Q, false},        {"v", AP_JOINT_V, false},
                        {"tau", AP_JOINT_TAU, false},    {"qd", AP_JOINT_Q, false},
                        {"vd", AP_JOINT_V, false},       {"ad", AP_JOINT_A, false},
                        {"command", AP_JOINT_V, true},   {"potentiometer", AP_JOINT_V, true},
                        {"encoder", AP_JOINT_V, true},   {"index", AP_JOINT_V, true},
                        {"torque", AP_JOINT_TAU, false}, {"status", AP_JOINT_V, true}};
  static const char *const scalars[SCALARS] = {"late", "brakes",    "tools",   "period", "phase",
                                               "stop", "stop_axis", "compute", "failed"};
  ap__columns_add(list, "t", "", "", NULL);
  for (int k = 0; k < VECTORS; k++)
    ap__columns_joints(list, vectors[k].group, m, vectors[k].vector,
                       vectors[k].counts ? ap__quantity_of(vectors[k].group)->unit : NULL);
  for (int k = 0; k < SCALARS; k++) ap__columns_add(list, scalars[k], "", "", NULL);
}

void ap__control_columns(ap__columns *list, const ap_model *m) {
  add_columns(list, m);
  ap__columns_add(list, "category", "", "", NULL);
  ap__columns_joints(list, "residual", m, AP_JOINT_TAU, NULL);
  ap__columns_joints(list, "external", m, AP_JOINT_TAU, NULL);
}

// ---- replay ------------------------------------------------------------------------------------

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
  return r->row + 1 + (ptrdiff_t)VECTORS * r->joints;
}

// Are the whole numbers of a row such?
static bool is_good(const reading *r) {
  const ap__replay *p = r->replay;
  const int n = r->joints;
  const double *vector = r->row + 1, *scalar = scalars_of(r), bits = (double)UINT32_MAX;
  bool good = is_whole(scalar[TOOLS], 0, bits) && is_whole(scalar[PERIOD], 0, 1e15) &&
              is_whole(scalar[STOP], 0, 1000) && is_whole(scalar[PHASE], 0, AP_PHASE_SAFE) &&
              is_whole(scalar[STOP_AXIS], -1, n - 1) && is_whole(scalar[FAILED], 0, 3) &&
              (p->n == 0 || scalar[PERIOD] > (double)p->period[p->n - 1]);
  for (int j = 0; j < n; j++)
    good = good && is_whole(vector[ENCODER * n + j], INT32_MIN, INT32_MAX) &&
           is_whole(vector[INDEX * n + j], INT32_MIN, INT32_MAX) &&
           is_whole(vector[STATUS * n + j], 0, bits);
  return good;
}

static ap_status take_row(reading *r, ap_error *error) {
  ap__replay *p = r->replay;
  const int n = r->joints;
  const double *vector = r->row + 1, *scalar = scalars_of(r);
  if (p->n == 0 && scalar[PERIOD] != 0)
    return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r->log),
                      "the log does not begin with the run (a replay needs all phases, without "
                      "--run-only)");
  if (!is_good(r))
    return AP__REFUSE(
        error, AP_E_SYNTAX, ap_log_line(r->log),
        "a count, flag or period is invalid (expected whole numbers; periods increase)");
  ap_rack_input *in = &p->input[p->n];
  ap_rack_output *out = &p->output[p->n];
  void *memory =
      ap__pool_bytes(&p->pool, ap_rack_input_size(n) + ap_rack_output_size(n), _Alignof(double));
  double *reference = ap__pool_bytes(&p->pool, 3 * (size_t)n * sizeof *reference, _Alignof(double));
  if (!memory || !reference) return ap__no_memory(error);
  memcpy(reference, vector + (ptrdiff_t)QD * n, 3 * (size_t)n * sizeof *reference);
  p->fed[p->n] = (ap__fed){.q = reference,
                           .v = reference + n,
                           .a = reference + 2 * (ptrdiff_t)n,
                           .phase = (ap_phase)scalar[PHASE],
                           .stop = (ap_stop)scalar[STOP],
                           .stop_axis = (int)scalar[STOP_AXIS]};
  ap_rack_output_init(out, n, memory);
  ap_rack_input_init(in, n, out->command + n);
  in->late = scalar[LATE], in->failed = (int)scalar[FAILED] & 1;
  out->brakes = scalar[BRAKES] != 0, out->tools = (uint32_t)scalar[TOOLS];
  out->failed = (int)scalar[FAILED] >> 1;
  for (int j = 0; j < n; j++) {
    in->potentiometer[j] = vector[POTENTIOMETER * n + j];
    in->encoder[j] = (int32_t)vector[ENCODER * n + j];
    in->index[j] = (int32_t)vector[INDEX * n + j];
    in->torque[j] = vector[TORQUE * n + j];
    in->status[j] = (uint32_t)vector[STATUS * n + j];
    out->command[j] = vector[COMMAND * n + j];
  }
  if ((ap_stop)scalar[STOP] == AP_STOP_REQUEST && p->requested < 0) p->requested = p->n;
  p->period[p->n++] = (long)scalar[PERIOD];
  return AP_OK;
}

// Where our columns are among those of the file.
static ap_status find_columns(reading *r, ap_error *error) {
  const ap_log_about *about = ap_log_describe(r->log);
  for (int k = 0; k < r->columns.n; k++) {
    const char *name = r->columns.column[k].name;
    while (r->at[k] < about->columns && strcmp(about->column[r->at[k]].name, name) != 0) r->at[k]++;
    if (r->at[k] == about->columns)
      return AP__REFUSE(
          error, AP_E_SYNTAX, 1,
          "there is no column '%s' (expected a log of this robot from 'appell control -o')", name);
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
  ap__fed *fed = realloc(p->fed, (size_t)room * sizeof *fed);
  if (fed) p->fed = fed;
  if (input && output && period && fed) p->room = room;
  return p->n < p->room;
}

static ap_status read_rows(reading *r, ap_error *error) {
  bool end = false;
  ap_status status = find_columns(r, error);
  while (status == AP_OK) {
    status = ap_log_next(r->log, r->line, &end, error);
    if (status != AP_OK) break;
    if (end && r->replay->n == 0)
      return AP__REFUSE(error, AP_E_SYNTAX, ap_log_line(r->log),
                        "it has no rows (expected the log of a run)");
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
  add_columns(&r.columns, m);
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
  free(p->fed);
  ap__pool_free(&p->pool);
  free(p);
}

// ---- records -----------------------------------------------------------------------------------

static void *loop(void *context) {
  ap__control_run *c = context;
  ap_servo_run(c->servo, &c->realtime);
  return NULL;
}

static void join(ap__control_run *c) {
  if (c->running) pthread_join(c->thread, NULL);
  c->running = false;
}

// One period, or by the clock some time for it; the last one sets no_more.
static void go_on(ap_run *run) {
  ap__control_run *c = &run->controller;
  const ap__replay *r = c->replay;
  if (r) {
    if (c->replayed == r->requested) ap_servo_request_stop(c->servo);
    if (ap_control_stream(run->control)) ap__servo_feed(c->servo, &r->fed[c->replayed]);
    c->no_more = !ap_servo_step_at(c->servo, r->period[c->replayed++]) || c->replayed == r->n;
  } else if (!c->by_clock) {
    // A stream that a line is wrong in starves: the arm is brought to rest.
    if (c->set_points)
      ap__set_points_until(c->set_points, fmax(c->record.run_t, 0) + 3 * c->servo->def.period);
    c->no_more = !ap_servo_step(c->servo);
    if (c->no_more) ap_servo_coast(c->servo);
  } else if (ap_servo_ended(c->servo)) {
    join(c);
    c->no_more = true;
  } else {
    const struct timespec pause = {.tv_nsec = 5000000};
    ap__run_flush(run);
    nanosleep(&pause, NULL);
  }
}

// The joint by its place in v.
static const char *joint_of(const ap_model *m, int v) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) > 0 && ap_joint_v(m, i) == v) return ap__joint_name(ap_body(m, i));
  return "";
}

static void report_event(ap_run *run, const char *event, const char *joint) {
  const ap_servo_record *r = &run->controller.record;
  run->events.row[0] = (double)r->period;
  const ap_logged_event told = {r->t, event, joint, "", run->events.row};
  ap__run_event(run, &told, NULL);
}

// A phase that begins is an event, and so is what stops the run.
static void note_phase(ap_run *run) {
  ap__control_run *c = &run->controller;
  const ap_servo_record *r = &c->record;
  const bool stops = r->phase >= AP_PHASE_BRAKE && (!c->begun || c->phase < AP_PHASE_BRAKE);
  if (c->begun && c->phase == r->phase) return;
  if (stops)
    report_event(run, ap_stop_name(r->stop),
                 r->stop_axis >= 0 ? joint_of(run->model, r->stop_axis) : "");
  report_event(run, ap_phase_name(r->phase), "");
  c->phase = r->phase;
  c->begun = true;
}

static void put_row(ap_run *run) {
  const ap_servo_record *r = &run->controller.record;
  const int n = ap_nv(run->model);
  const double *const from[] = {
      r->q, r->v, r->tau, r->qd, r->vd, r->ad, r->output.command, r->input.potentiometer};
  double *to = run->rows.row;
  *to++ = run->controller.run_alone ? r->run_t : r->t;
  for (size_t k = 0; k < sizeof from / sizeof from[0]; k++, to += n)
    memcpy(to, from[k], (size_t)n * sizeof *to);
  for (int j = 0; j < n; j++) *to++ = r->input.encoder[j];
  for (int j = 0; j < n; j++) *to++ = r->input.index[j];
  for (int j = 0; j < n; j++) *to++ = r->input.torque[j];
  for (int j = 0; j < n; j++) *to++ = r->input.status[j];
  const double rest[SCALARS] = {
      r->input.late,        r->output.brakes, r->output.tools,
      (double)r->period,    (double)r->phase, (double)r->stop,
      (double)r->stop_axis, r->compute,       r->input.failed + 2 * r->output.failed};
  memcpy(to, rest, sizeof rest);
  to += SCALARS;
  *to++ = r->category;
  memcpy(to, r->residual, (size_t)n * sizeof *to);
  memcpy(to + n, r->external, (size_t)n * sizeof *to);
}

// ---- the kind ----------------------------------------------------------------------------------

static ap_status start(ap_run *run, ap_error *error) {
  ap__control_run *c = &run->controller;
  const ap__replay *r = c->replay;
  ap_stream *stream = ap_control_stream(run->control);
  if (stream && !r && !c->set_points)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the reference is a stream (feed it with --reference -, or in C by "
                      "ap_control_stream())");
  return r ? ap_control_open_replay(run->control, r->input, r->output, r->n, &c->servo, error)
           : ap_control_open(run->control, &c->servo, error);
}

static void end_set_points(ap_run *run) {
  ap__set_points *points = run->controller.set_points;
  if (!points) return;
  ap__set_points_join(points);
  run->reference_error = *ap__set_points_error(points);
}

static ap_status step(ap_run *run, bool *end, ap_error *error) {
  ap__control_run *c = &run->controller;
  if (c->by_clock && !c->replay && !run->stepped) {
    const bool fed = !c->set_points || ap__set_points_start(c->set_points);
    c->running = fed && pthread_create(&c->thread, NULL, loop, c) == 0;
    c->no_more = !c->running;
    if (!c->running)
      return AP__REFUSE(error, AP_E_MEMORY, 0, "cannot start a thread for the control loop");
  }
  if (run->log_error.status != AP_OK && ap_control_needs_log(run->control))
    ap_servo_request_stop(c->servo);
  for (;;) {
    while (!ap_servo_take(c->servo, &c->record)) {
      *end = c->no_more;
      if (*end) {
        end_set_points(run);
        return AP_OK;
      }
      go_on(run);
    }
    note_phase(run);
    if (!c->run_alone || c->record.phase == AP_PHASE_RUN) break;
  }
  put_row(run);
  return AP_OK;
}

static double part(const ap_run *run) {
  const ap__control_run *c = &run->controller;
  const long last = c->replay ? c->replay->period[c->replay->n - 1] : -1;
  return c->record.period <= last ? (double)c->record.period / (double)(last + 1) : -1;
}

// Its arm is never left alone: a loop that runs is stopped first.
static void release(ap_run *run) {
  ap__control_run *c = &run->controller;
  if (c->running) ap_servo_request_stop(c->servo);
  join(c);
  ap__set_points_free(c->set_points);
  c->set_points = NULL;
  ap_control_free(run->control); // before the inputs that it is fed with
  run->control = NULL;
  ap__replay_free(c->replay);
}

ap_servo *ap_run_servo(const ap_run *run) { return run->controller.servo; }

long ap_run_differing(const ap_run *run) {
  const ap__control_run *c = &run->controller;
  if (!c->replay || !c->servo) return -1;
  return ap_rack_differing(ap_control_rack(run->control)) + c->replay->n -
         ap_servo_result_of(c->servo)->periods;
}

ap_status ap_run_replay(ap_run *run, const char *log, ap_error *error) {
  if (run->kind != AP_RUN_CONTROL || run->started || run->controller.replay)
    return AP__REFUSE(error, AP_E_ARG, 0, "a log can be set only before the control run starts");
  return ap__replay_read(log, run->model, &run->controller.replay, error);
}

ap_status ap__control_run_open(ap_run *run, const ap_run_options *options, ap_error *error) {
  static const ap__run_source source = {start, step, part, release};
  ap__control_run *c = &run->controller;
  const ap_status status = ap__run_read(run, options, error);
  if (status != AP_OK) return status;
  run->source = &source;
  run->model = ap_control_model(run->control);
  c->run_alone = ap_control_logs_run_alone(run->control);
  c->by_clock = ap_control_realtime(run->control, &c->realtime);
  const char *reference = options ? options->control.reference : NULL;
  ap_stream *stream = ap_control_stream(run->control);
  if (stream && reference && strcmp(reference, "-") == 0) {
    c->set_points = ap__set_points_new(stream, run->model);
    if (!c->set_points) return ap__no_memory(error);
  }
  ap__control_columns(&run->rows, run->model);
  ap__columns_add(&run->events, "period", "", "", NULL);
  const bool good = ap__columns_ready(&run->rows) && ap__columns_ready(&run->events);
  return good ? AP_OK : ap__no_memory(error);
}
