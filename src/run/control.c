// The run of a control scenario: a row for each period, an event for each change of phase.
//
// Columns of the rows: t; q.JOINT, v.JOINT (measured), tau.JOINT (sent), qd.JOINT, vd.JOINT,
// ad.JOINT (reference), volt.JOINT; potentiometer.JOINT, encoder.JOINT, index.JOINT, indexed,
// thermo, late (inputs as read); brakes, tools; period, phase, stop and stop_axis, compute, failed.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/control.h"

void ap__control_columns(const ap_model *m, ap__columns *list) {
  static const struct {
    const char *group;
    ap_joint_vector vector;
    bool counts; // it has the unit of its quantity, not of the joint
  } vectors[AP__CONTROL_VECTORS] = {
      {"q", AP_JOINT_Q, false},      {"v", AP_JOINT_V, false},
      {"tau", AP_JOINT_TAU, false},  {"qd", AP_JOINT_Q, false},
      {"vd", AP_JOINT_V, false},     {"ad", AP_JOINT_A, false},
      {"volt", AP_JOINT_V, true},    {"potentiometer", AP_JOINT_V, true},
      {"encoder", AP_JOINT_V, true}, {"index", AP_JOINT_V, true}};
  static const char *const scalars[AP__CONTROL_SCALARS] = {
      "indexed", "thermo", "late",      "brakes",  "tools", "period",
      "phase",   "stop",   "stop_axis", "compute", "failed"};
  ap__columns_add(list, "t", "", "", NULL);
  for (int k = 0; k < AP__CONTROL_VECTORS; k++)
    ap__columns_joints(list, vectors[k].group, m, vectors[k].vector,
                       vectors[k].counts ? ap__quantity_of(vectors[k].group)->unit : NULL);
  for (int k = 0; k < AP__CONTROL_SCALARS; k++) ap__columns_add(list, scalars[k], "", "", NULL);
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
    c->no_more = !ap_servo_step_at(c->servo, r->period[c->replayed++]) || c->replayed == r->n;
  } else if (!c->by_clock) {
    c->no_more = !ap_servo_step(c->servo);
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

static void tell(ap_run *run, const char *event, const char *joint) {
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
    tell(run, ap_stop_name(r->stop), r->stop_axis >= 0 ? joint_of(run->model, r->stop_axis) : "");
  tell(run, ap_phase_name(r->phase), "");
  c->phase = r->phase;
  c->begun = true;
}

static void put_row(ap_run *run) {
  const ap_servo_record *r = &run->controller.record;
  const int n = ap_nv(run->model);
  const double *const from[] = {r->q,  r->v,  r->tau,         r->qd,
                                r->vd, r->ad, r->output.volt, r->input.potentiometer};
  double *to = run->rows.row;
  *to++ = run->controller.run_alone ? r->run_t : r->t;
  for (size_t k = 0; k < sizeof from / sizeof from[0]; k++, to += n)
    memcpy(to, from[k], (size_t)n * sizeof *to);
  for (int j = 0; j < n; j++) *to++ = r->input.encoder[j];
  for (int j = 0; j < n; j++) *to++ = r->input.index[j];
  const double rest[AP__CONTROL_SCALARS] = {r->input.indexed,
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
}

// ---- the kind ----------------------------------------------------------------------------------

static ap_status start(ap_run *run, ap_error *error) {
  ap__control_run *c = &run->controller;
  const ap__replay *r = c->replay;
  return r ? ap_control_open_replay(run->control, r->input, r->output, r->n, &c->servo, error)
           : ap_control_open(run->control, &c->servo, error);
}

static ap_status step(ap_run *run, bool *end, ap_error *error) {
  ap__control_run *c = &run->controller;
  if (c->by_clock && !c->replay && !run->stepped) {
    c->running = pthread_create(&c->thread, NULL, loop, c) == 0;
    c->no_more = !c->running;
    if (!c->running) return AP__REFUSE(error, AP_E_MEMORY, 0, "no thread for the control loop");
  }
  for (;;) {
    while (!ap_servo_take(c->servo, &c->record)) {
      *end = c->no_more;
      if (*end) return AP_OK;
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
    return AP__REFUSE(error, AP_E_ARG, 0, "only a control run that has not started takes a log");
  return ap__replay_read(log, run->model, &run->controller.replay, error);
}

ap_status ap__control_run_open(ap_run *run, const ap_control_options *options, ap_error *error) {
  static const ap__run_source source = {start, step, part, release};
  ap__control_run *c = &run->controller;
  const ap_status status = ap_control_read(run->path, options, &run->control, error);
  if (status != AP_OK) return status;
  run->source = &source;
  run->model = ap_control_model(run->control);
  c->run_alone = ap_control_logs_run_alone(run->control);
  c->by_clock = ap_control_realtime(run->control, &c->realtime);
  ap__control_columns(run->model, &run->rows);
  ap__columns_add(&run->events, "period", "", "", NULL);
  const bool good = ap__columns_ready(&run->rows) && ap__columns_ready(&run->events);
  return good ? AP_OK : ap__no_memory(error);
}
