// SPDX-License-Identifier: Apache-2.0
// A control scenario from a file or from memory: robot, law, guards, times here; the reference and
// the rack in the files beside this one.

#include "ctrl/control.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "file/alloc.h"
#include "file/names.h"

// ---- what the parts share ----------------------------------------------------------------------

bool ap__control_numbers(ap__control_reader *r, const char *key, const ap__node *n, int count,
                         double *x) {
  bool single = count == 1 && n->kind == AP__LIST && n->length == 1;
  return ap__yaml_numbers(&r->yaml, key, single ? n->first : n, count, x);
}

bool ap__control_vector(ap__control_reader *r, const char *key, const ap__node *n, double *x) {
  if (!n) return true;
  if (n->kind == AP__LIST) return ap__control_numbers(r, key, n, r->control->n, x);
  if (!ap__yaml_number(&r->yaml, key, n, x)) return false;
  for (int j = 1; j < r->control->n; j++) x[j] = x[0];
  return true;
}

double *ap__control_room(ap__control_reader *r) {
  const size_t n = (size_t)r->control->n;
  double *x = ap__pool_bytes(&r->control->source.pool, n * sizeof *x, _Alignof(double));
  for (size_t j = 0; x && j < n; j++) x[j] = 0;
  if (!x) ap__yaml_no_memory(&r->yaml);
  return x;
}

const char *ap__control_joint_name(const ap_model *m, int j) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) > 0 && ap_joint_v(m, i) == j) return ap__joint_name(ap_body(m, i));
  return "";
}

int ap__control_joint(ap__control_reader *r, int line, const char *name) {
  const char *meant = NULL;
  int least = INT_MAX;
  for (int j = 0; j < r->control->n; j++) {
    const char *known = ap__control_joint_name(r->control->model, j);
    if (strcmp(known, name) == 0) return j;
    if (ap__name_nearer(name, known, &least)) meant = known;
  }
  ap__yaml_fail(&r->yaml, line, "the robot has no joint \"%.*s\" (%s\"%.*s\"%s)", ap__shown(name),
                name, meant ? "did you mean " : "its first is ",
                ap__shown(meant ? meant : ap__control_joint_name(r->control->model, 0)),
                meant ? meant : ap__control_joint_name(r->control->model, 0), meant ? "?" : "");
  return -1;
}

bool ap__control_whole(double x, double least, double most) {
  return x >= least && x <= most && x == floor(x);
}

static int line_of(ap__control_reader *r, const char *key) {
  return ap__line_of(r->yaml.root, key);
}

// ---- the format --------------------------------------------------------------------------------

static bool read_change(ap__control_reader *r, const ap__node *item) {
  ap__control_change c = {0};
  if (!ap__yaml_read_map(&r->yaml, item, "change", &c)) return false;
  if (r->nchange == AP__CONTROL_CHANGES ||
      (r->nchange > 0 && c.at < r->control->change[r->nchange - 1].at))
    return ap__yaml_fail(&r->yaml, item->line, "changes: %s (at most %d, in the order of time)",
                         r->nchange == AP__CONTROL_CHANGES ? "too many" : "this one is too early",
                         AP__CONTROL_CHANGES);
  r->control->change[r->nchange++] = (ap_servo_switch){.at = c.at, .law = (ap_law)c.law};
  return true;
}

static bool read_list(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, void *target) {
  (void)target;
  if (!ap__yaml_expect_list(y, k->key, n, "maps")) return false;
  bool axes = strcmp(k->of, "axis") == 0;
  for (const ap__node *item = n->first; item; item = item->next)
    if (!(axes ? ap__control_add_axis(y->context, item) : read_change(y->context, item)))
      return false;
  return true;
}

static bool finish_map(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                       void *target) {
  (void)y;
  (void)n;
  if (strcmp(map, "reference") == 0) ((ap__control_path *)target)->seen = seen;
  if (strcmp(map, "fault") == 0) ((ap__control_fault *)target)->seen = seen;
  return true;
}

static const char *const map_names[][2] = {
    {"control", "a control scenario"}, {"guards", "guards"}, {NULL, NULL}};
static const char *const own_words[][2] = {{"model", "robot"},
                                           {"frequency", "rate"},
                                           {"trajectory", "reference"},
                                           {"torque_limit", "torque"},
                                           {"yes", "true"},
                                           {"on", "true"},
                                           {"no", "false"},
                                           {"off", "false"},
                                           {"pid", "tracking_integral"},
                                           {"pd", "pd_gravity"},
                                           {"computed_torque", "tracking"},
                                           {"cartesian_impedance", "task_impedance"},
                                           {NULL, NULL}};
static const ap__yaml_format control_format = {.file = "a control scenario",
                                               .opening = "appell-control: 1",
                                               .keys = ap__control_keys,
                                               .names = map_names,
                                               .own_words = own_words,
                                               .list = read_list,
                                               .finish = finish_map};

static void set_defaults(ap__control_reader *r) {
  const ap_servo_def d = ap_default_servo();
  const ap_ctrl_def c = ap_default_ctrl();
  const ap_guards g = d.guards;
  ap__control_head *h = &r->head;
  *h = (ap__control_head){.name = "control",
                          .rate = 1000,
                          .home = true,
                          .home_time = d.home_time,
                          .approach_speed = d.approach_speed,
                          .brake = d.brake,
                          .brake_time = d.brake_time,
                          .ring = d.ring,
                          .priority = 80,
                          .cpu = -1,
                          .lock = true};
  h->law = (ap__control_law){.law = (int)c.law,
                             .friction = c.friction,
                             .blend = c.blend,
                             .windup = c.windup,
                             .observer = d.observer};
  h->path = (ap__control_path){.degree = 1, .time = 1, .speed = 0.1, .period = 10};
  h->guards = (ap__control_guards){.torque_periods = g.torque_periods,
                                   .misses = g.misses,
                                   .jump = g.jump,
                                   .stuck = g.stuck,
                                   .mismatch = g.mismatch,
                                   .stale = g.stale,
                                   .log = 1,
                                   .following = g.following};
  const ap_cia402_def bus = ap_default_cia402();
  h->rack = (ap__control_rack){.seed = 1,
                               .output_bits = 12,
                               .input_bits = 12,
                               .interface = "can0",
                               .bitrate = bus.bitrate,
                               .host = bus.host,
                               .heartbeat = bus.heartbeat,
                               .lost = bus.lost};
  h->rack.sim = ap_default_sim_rack();
  h->rack.sim.watchdog = -1; // by the rate
  h->rack.tool1[1] = h->rack.tool2[1] = h->rack.brakes[1] = -1;
}

// ---- robot -------------------------------------------------------------------------------------

// A robot and its model, by a name in the scenario (`beside`: a file beside it) or from outside.
static bool open_robot(ap__control_reader *r, int line, const char *name, bool beside,
                       ap_robot **robot, ap_model **model) {
  const ap_read_options options = {0};
  ap_error own = {0};
  ap_status status;
  r->control->file = NULL;
  if (!ap__format_of_path(name)) {
    status = ap_robot_builtin(name, &options, robot, &own);
  } else {
    const char *path = name;
    status = beside ? ap__source_path(&r->control->source, name, &path, &own) : AP_OK;
    r->control->file = path; // of the true robot at last
    if (!status) status = ap_robot_read(path, &options, robot, &own);
  }
  if (!status &&
      (!ap__yaml_reduce(&r->yaml, &r->head.part, *robot) || !ap__control_read_rotors(r, *robot)))
    return false;
  const ap__robot_edit *edit = r->control->source.edit;
  if (!status && edit) edit->apply(edit->context, *robot, robot == &r->control->robot);
  if (!status) status = ap_robot_model(*robot, model, &own);
  if (!status) status = ap__single_joints(*model, &own);
  return !status || ap__yaml_fail_file(&r->yaml, line, "robot", name, &own, "");
}

static bool keep_warnings(ap__control_reader *r, const ap_robot *robot) {
  ap_control *c = r->control;
  for (int i = 0; ap_robot_warning(robot, i); i++) {
    ap_error *kept = ap__append(&c->warnings, &c->nwarning, &c->warning_capacity, sizeof *kept);
    if (!kept) return ap__yaml_no_memory(&r->yaml);
    *kept = *ap_robot_warning(robot, i);
  }
  return true;
}

// Arrays by joint.
static bool make_room(ap__control_reader *r) {
  ap_control *c = r->control;
  const size_t n = (size_t)c->n;
  double **const vectors[] = {&c->torque, &c->start,    &c->lower,   &c->upper,     &c->velocity,
                              &c->demand, &c->residual, &c->contact, &c->stiffness, &c->damper};
  c->axis = ap__pool_bytes(&c->source.pool, n * sizeof *c->axis, _Alignof(ap_axis));
  c->imperfection =
      ap__pool_bytes(&c->source.pool, n * sizeof *c->imperfection, _Alignof(ap_joint_imperfection));
  c->gains = ap__pool_bytes(&c->source.pool, n * sizeof *c->gains, _Alignof(ap_gains));
  c->wire = ap__pool_bytes(&c->source.pool, n * sizeof *c->wire, _Alignof(ap_comedi_axis));
  c->node = ap__pool_bytes(&c->source.pool, n * sizeof *c->node, _Alignof(ap_cia402_axis));
  if (!c->axis || !c->imperfection || !c->gains || !c->wire || !c->node)
    return ap__yaml_no_memory(&r->yaml);
  memset(c->axis, 0, n * sizeof *c->axis);
  memset(c->wire, 0, n * sizeof *c->wire);
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    if (!(*vectors[k] = ap__control_room(r))) return false;
  return true;
}

static bool read_robots(ap__control_reader *r) {
  ap_control *c = r->control;
  const char *name, *truth = r->head.rack.robot, *own = r->options.robot;
  int line = r->head.robot->line;
  if (!ap__yaml_text(&r->yaml, "robot", r->head.robot, &name)) return false;
  if (!open_robot(r, line, own ? own : name, !own, &c->robot, &c->model) ||
      !open_robot(r, line, truth ? truth : name, true, &c->true_robot, &c->true_model) ||
      !keep_warnings(r, c->robot))
    return false;
  c->n = ap_nv(c->model);
  if (ap_nv(c->true_model) != c->n)
    return ap__yaml_fail(
        &r->yaml, line,
        "the controller's robot has %d joints, the rack's %d (the numbers must agree)", c->n,
        ap_nv(c->true_model));
  size_t size = ap_work_size(c->model);
  c->work_memory = malloc(size);
  c->work = c->work_memory ? ap_work_init(c->model, c->work_memory, size) : NULL;
  return (c->work || ap__yaml_no_memory(&r->yaml)) && make_room(r);
}

// ---- law, guards, times ------------------------------------------------------------------------

// The limits of the controller's robot.
static void take_limits(ap_control *c) {
  for (int i = 1; i < ap_nbody(c->model); i++) {
    const ap_body_def *b = ap_body(c->model, i);
    int j = ap_joint_v(c->model, i);
    if (ap_joint_nv(c->model, i) != 1) continue;
    c->lower[j] = b->lower, c->upper[j] = b->upper, c->velocity[j] = b->velocity_limit;
    c->demand[j] = c->contact[j] = INFINITY;
  }
}

static bool read_guards(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_guards *h = &r->head.guards;
  ap_guards *g = &c->servo_def.guards;
  *g = ap_default_guards();
  if (!ap__control_whole(h->misses, 1, 1e9) || !ap__control_whole(h->torque_periods, 0, 1e9))
    return ap__yaml_fail(
        &r->yaml, line_of(r, "guards"),
        "guards: misses and torque_periods must be whole numbers, misses at least 1");
  g->torque_periods = (int)h->torque_periods;
  g->misses = h->deadline ? 0 : (int)h->misses;
  g->jump = h->jump, g->stuck = h->stuck, g->mismatch = h->mismatch, g->stale = h->stale;
  g->following = h->following;
  c->needs_log = h->log == 0;
  take_limits(c);
  if (!ap__control_vector(r, "lower", h->lower, c->lower) ||
      !ap__control_vector(r, "upper", h->upper, c->upper) ||
      !ap__control_vector(r, "velocity", h->velocity, c->velocity) ||
      !ap__control_vector(r, "torque", h->torque, c->demand) ||
      !ap__control_vector(r, "residual", h->residual, c->residual) ||
      !ap__control_vector(r, "contact", h->contact, c->contact))
    return false;
  g->lower = c->lower, g->upper = c->upper, g->velocity = c->velocity, g->torque = c->demand;
  g->residual = c->residual, g->contact = c->contact;
  bool good = g->jump > 0 && g->stuck > 0 && g->mismatch > 0 && g->stale > 0 && g->following >= 0;
  for (int j = 0; j < c->n; j++)
    good = good && g->lower[j] < g->upper[j] && g->velocity[j] > 0 && g->torque[j] > 0 &&
           g->residual[j] >= 0 && g->contact[j] > 0;
  return good || ap__yaml_fail(&r->yaml, line_of(r, "guards"),
                               "guards: a limit is not positive, or lower not below upper");
}

static bool read_times(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_head *h = &r->head;
  if (!(h->rate >= 1 && h->rate <= 1e5))
    return ap__yaml_fail(&r->yaml, line_of(r, "rate"), "rate: %g Hz (between 1 and 1e5)", h->rate);
  if (!(h->duration >= 0 && h->duration <= 1e6))
    return ap__yaml_fail(&r->yaml, line_of(r, "duration"), "duration: %g s (between 0 and 1e6)",
                         h->duration);
  const int ring = ap__control_whole(h->ring, 2, 1 << 24) ? (int)h->ring : 0;
  if (ring == 0 || (ring & (ring - 1)))
    return ap__yaml_fail(&r->yaml, line_of(r, "ring"), "ring: %g (a power of two, 2 to 16777216)",
                         h->ring);
  if (!ap__control_whole(h->priority, 0, 99) || !ap__control_whole(h->cpu, -1, 4095))
    return ap__yaml_fail(&r->yaml, line_of(r, h->priority == 80 ? "cpu" : "priority"),
                         "priority %g, cpu %g (0 to 99, and a processor's number)", h->priority,
                         h->cpu);
  ap_servo_def *d = &c->servo_def;
  ap_guards guards = d->guards;
  *d = ap_default_servo();
  d->guards = guards, d->period = 1 / h->rate, d->duration = h->duration;
  d->home_time = h->home_time, d->approach_speed = h->approach_speed;
  d->brake = h->brake, d->brake_time = h->brake_time, d->brake_close = h->rack.sim.brake_close;
  d->observer = h->law.observer;
  d->ring = ring;
  d->axis = c->axis, d->start = h->home ? NULL : c->start;
  d->change = c->change, d->changes = r->nchange;
  c->realtime = h->time, c->run_alone = h->log || r->options.run_alone;
  c->asks = ap_default_realtime();
  c->asks.priority = (int)h->priority, c->asks.cpu = (int)h->cpu, c->asks.lock_memory = h->lock;
  return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool read_all(ap__control_reader *r) {
  ap__yaml *y = &r->yaml;
  if (!ap__yaml_parse(y, r->control->source.text, r->control->source.length)) return false;
  set_defaults(r);
  if (!ap__yaml_read_map(y, y->root, "control", &r->head)) return false;
  r->control->name = r->head.name;
  return read_robots(r) && read_guards(r) && ap__control_read_axes(r) && read_times(r) &&
         ap__control_read_law(r) && ap__control_read_rack(r) && ap__control_read_reference(r);
}

static ap_status parse(ap_control *c, const ap_control_options *options, ap_error *error) {
  ap_error own = {0};
  ap__control_reader *r = calloc(1, sizeof *r);
  if (!r) return ap__no_memory(error);
  r->control = c, r->options = options ? *options : (ap_control_options){0};
  r->yaml =
      (ap__yaml){.format = &control_format, .error = &own, .kept = &c->source.pool, .context = r};
  bool good = read_all(r);
  ap__yaml_free(&r->yaml);
  free(r->axis);
  free(r);
  if (!good && error) *error = own;
  return good ? AP_OK : own.status;
}

// Its source has been read with this status.
static ap_status finish(ap_control *c, ap_status status, const ap_control_options *options,
                        ap_control **control, ap_error *error) {
  if (!status) status = parse(c, options, error);
  *control = status ? NULL : c;
  if (status) ap_control_free(c);
  return status;
}

ap_status ap__control_parse(const char *text, size_t length, const char *folder, const char *within,
                            const ap__robot_edit *edit, const ap_control_options *options,
                            ap_control **control, ap_error *error) {
  ap_control *c = calloc(1, sizeof *c);
  if (c) c->source.edit = edit;
  ap_status status =
      c ? ap__source_copy(&c->source, text, length, folder, within, error) : ap__no_memory(error);
  return finish(c, status, options, control, error);
}

ap_status ap_control_parse(const char *text, size_t length, const char *folder,
                           const ap_control_options *options, ap_control **control,
                           ap_error *error) {
  return ap__control_parse(text, length, folder, NULL, NULL, options, control, error);
}

ap_status ap_control_read(const char *path, const ap_control_options *options, ap_control **control,
                          ap_error *error) {
  ap_control *c = calloc(1, sizeof *c);
  ap_status status = c ? ap__source_read(&c->source, path, error) : ap__no_memory(error);
  return finish(c, status, options, control, error);
}

void ap_control_free(ap_control *c) {
  if (!c) return;
  ap_servo_free(c->servo);
  ap_rack_close(&c->rack);
  ap_traj_free(c->reference);
  free(c->ctrl_memory);
  free(c->work_memory);
  ap_model_free(c->model);
  ap_model_free(c->true_model);
  ap_robot_free(c->robot);
  ap_robot_free(c->true_robot);
  free(c->warnings);
  ap__source_free(&c->source);
  free(c);
}

const char *ap_control_name(const ap_control *c) { return c->name; }
const char *ap_control_text(const ap_control *c) { return c->source.text; }
const char *ap_control_file(const ap_control *c) { return c->file; }
const ap_robot *ap_control_robot(const ap_control *control) {
  return control->true_robot ? control->true_robot : control->robot;
}

const ap_model *ap_control_model(const ap_control *c) { return c->model; }
const ap_traj *ap_control_reference(const ap_control *c) { return c->reference; }
ap_stream *ap_control_stream(const ap_control *c) { return c->stream; }
bool ap_control_logs_run_alone(const ap_control *c) { return c->run_alone; }
bool ap_control_needs_log(const ap_control *c) { return c->needs_log; }
double ap_control_fault_at(const ap_control *c) { return c->faulty ? c->fault.at : INFINITY; }
ap_rack *ap_control_rack(ap_control *c) { return &c->rack; }
const char *ap_control_trouble(const ap_control *c) { return ap_rack_trouble(&c->rack); }
const ap_error *ap_control_warning(const ap_control *c, int i) {
  return i >= 0 && i < c->nwarning ? &c->warnings[i] : NULL;
}
bool ap_control_realtime(const ap_control *c, ap_realtime *realtime) {
  *realtime = c->asks;
  return c->realtime;
}

void ap_control_use(ap_control *c, const ap_functions *functions) { c->law.code = functions; }

static ap_status open_servo(ap_control *c, ap_servo **servo, ap_error *error) {
  size_t size = ap_ctrl_size(c->model);
  c->ctrl_memory = malloc(size);
  if (!c->ctrl_memory) return ap__no_memory(error);
  ap_error own = {0};
  c->servo_def.ctrl = ap_ctrl_init(&c->law, c->ctrl_memory, size, &own);
  if (!c->servo_def.ctrl) {
    if (error) *error = own;
    return own.status;
  }
  c->servo_def.rack = &c->rack, c->servo_def.reference = c->reference;
  c->servo_def.stream = c->stream;
  ap_status status = ap_servo_create(&c->servo_def, &c->servo, error);
  *servo = c->servo;
  return status;
}

static ap_status open_bus(ap_control *c, ap_error *error) {
  const ap_status status = ap_can_open(c->interface, &c->bus.file, error);
  return status ? status : ap_rack_cia402(&c->bus, &c->rack, error);
}

ap_status ap_control_open(ap_control *c, ap_servo **servo, ap_error *error) {
  *servo = NULL;
  ap_status status = c->comedi    ? ap_rack_comedi(&c->cards, &c->rack, error)
                     : c->canopen ? open_bus(c, error)
                                  : ap_rack_simulated(&c->sim, &c->rack, error);
  if (!status && c->faulty) ap_rack_inject(&c->rack, &c->fault);
  return status ? status : open_servo(c, servo, error);
}

ap_status ap_control_open_replay(ap_control *c, const ap_rack_input *input,
                                 const ap_rack_output *output, long n, ap_servo **servo,
                                 ap_error *error) {
  *servo = NULL;
  ap_status status = ap_rack_replay(c->n, input, output, n, &c->rack, error);
  return status ? status : open_servo(c, servo, error);
}
