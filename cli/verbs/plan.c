// SPDX-License-Identifier: Apache-2.0
#include <appell/topp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "ui/output.h"
#include "load.h"
#include "ui/values.h"
#include "verbs.h"

enum { MOST_ROWS = 10000000, MOST_POINTS = 100000, NAME_BYTES = 1024 };

enum {
  OUTPUT,
  PATH,
  RATE,
  EFFORT,
  VELOCITY,
  ACCELERATION,
  TORQUE_SCALE,
  VELOCITY_SCALE,
  NO_FRICTION,
  GRAVITY,
  GRID,
  TOLERANCE,
  IGNORE_MIMIC,
  IGNORE_LOOPS,
  JSON
};

static const cli_option options[] = {
    [OUTPUT] = {"-o", "TRAJ.csv", "write the motion there, not to standard output"},
    [PATH] = {"--path", "spline|lines", "how points are joined; lines stop at corners (spline)"},
    [RATE] = {"--rate", "HZ", "lines per second (100)"},
    [EFFORT] = {"--effort", "F", "of joints without a limit of their own, N m or N (no limit)"},
    [VELOCITY] = {"--velocity", "V",
                  "of joints without a limit of their own, rad/s or m/s (no limit)"},
    [ACCELERATION] = {"--acceleration", "A", "the largest of every joint (no limit)"},
    [TORQUE_SCALE] = {"--torque-scale", "S", "share of the torque limits that is used (1)"},
    [VELOCITY_SCALE] = {"--velocity-scale", "S", "share of the velocity limits that is used (1)"},
    [NO_FRICTION] = {"--no-friction", NULL, "without friction, springs and rotor inertia"},
    [GRAVITY] = CLI_OPTION_GRAVITY,
    [GRID] = {"--grid", "N", "intervals of the path to begin with (1000)"},
    [TOLERANCE] = {"--tolerance", "K",
                   "share by which limits may be exceeded between grid points (1e-3)"},
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    [JSON] = {"--json", NULL, "what was found as one JSON document; needs -o"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Finds the fastest motion, from rest to rest, along the path through the points of FILE: a\n"
    "state file with one q per line. Limits of torque and velocity are the model's own. Columns\n"
    "of the output are t, q.JOINT, v.JOINT, a.JOINT and tau.JOINT, as 'appell control\n"
    "--reference' reads them. Nearly everywhere some limit is met; between the points of the\n"
    "grid a limit is exceeded by no more than --tolerance.\n";

// What the command line and the model say.
typedef struct job {
  const char *path;
  const cli_model *model;
  ap_work *w;
  int n, points;
  double *q;                                                // [points][n]
  int *line;                                                // [points] of the file
  double *effort, *velocity, *acceleration, *lower, *upper; // [n] each
  const char **name;                                        // [n]
  char *names;                                              // [n][NAME_BYTES]
  ap_path_kind kind;
  ap_topp_def def;
  double tolerance, rate;
} job;

// ---- points ------------------------------------------------------------------------------------

static int check_point(const job *x, const double *q, int line) {
  for (int j = 0; j < x->n; j++)
    if (!(q[j] >= x->lower[j] && q[j] <= x->upper[j]))
      return cli_fail(CLI_BAD, x->path, line, "joint '%s' is at %.9g (its range is %.9g to %.9g)",
                      x->name[j], q[j], x->lower[j], x->upper[j]);
  return CLI_OK;
}

// Room for one more point.
static bool grow(job *x) {
  if ((x->points & (x->points - 1)) != 0 && x->points != 0) return true;
  const size_t room = x->points > 0 ? 2 * (size_t)x->points : 1;
  double *q = realloc(x->q, room * (size_t)x->n * sizeof *q);
  if (q) x->q = q;
  int *line = realloc(x->line, room * sizeof *line);
  if (line) x->line = line;
  return q && line;
}

static int read_rows(job *x, ap_rows *rows) {
  ap_error error = {0};
  ap_rows_describe(rows, "q");
  for (;;) {
    bool end = false;
    if (!grow(x)) return cli_no_memory();
    double *q = x->q + (size_t)x->points * (size_t)x->n;
    if (ap_rows_next(rows, x->n, q, &end, &error)) return cli_fail_input(x->path, &error);
    if (end) break;
    const int line = ap_rows_line(rows);
    int status = check_point(x, q, line);
    if (status != CLI_OK) return status;
    if (x->points > 0 && memcmp(q, q - x->n, (size_t)x->n * sizeof *q) == 0)
      return cli_fail(CLI_BAD, x->path, line,
                      "the same point as on line %d (a path needs different ones)",
                      x->line[x->points - 1]);
    x->line[x->points++] = line;
    if (x->points > MOST_POINTS)
      return cli_fail(CLI_BAD, x->path, line, "more than %d points", MOST_POINTS);
  }
  if (x->points >= 2) return CLI_OK;
  return cli_fail(CLI_BAD, x->path, 0, "%d point%s (a path needs at least two)", x->points,
                  x->points == 1 ? "" : "s");
}

static int read_points(job *x) {
  ap_rows *rows = NULL;
  ap_error error = {0};
  if (ap_rows_open(x->path, &rows, &error)) return cli_fail_input(x->path, &error);
  const int status = read_rows(x, rows);
  ap_rows_close(rows);
  return status;
}

// ---- limits ------------------------------------------------------------------------------------

static int parse(const cli_arguments *a, job *x, double own[3], double scale[2]) {
  long grid = x->def.grid;
  int status = cli_value_above(a, RATE, 0, &x->rate);
  if (status == CLI_OK) status = cli_value_above(a, EFFORT, 0, &own[0]);
  if (status == CLI_OK) status = cli_value_above(a, VELOCITY, 0, &own[1]);
  if (status == CLI_OK) status = cli_value_above(a, ACCELERATION, 0, &own[2]);
  if (status == CLI_OK) status = cli_value_above(a, TORQUE_SCALE, 0, &scale[0]);
  if (status == CLI_OK) status = cli_value_above(a, VELOCITY_SCALE, 0, &scale[1]);
  if (status == CLI_OK) status = cli_value_above(a, TOLERANCE, 0, &x->tolerance);
  if (status == CLI_OK) status = cli_value_integer(a, GRID, 10, 1000000, &grid);
  x->def.grid = (int)grid;
  x->kind = a->value[PATH] && strcmp(a->value[PATH], "lines") == 0 ? AP_PATH_LINES : AP_PATH_SPLINE;
  if (status == CLI_OK && a->value[JSON] && !a->value[OUTPUT])
    status = cli_usage("plan", "--json needs -o: the motion goes to standard output otherwise");
  if (status == CLI_OK && a->value[OUTPUT]) status = cli_check_motion(a->value[OUTPUT]);
  return status;
}

// Limits and names by coordinate; joints with several coordinates have none of their own.
static int take_limits(job *x, const double own[3], const double scale[2]) {
  const ap_model *m = x->model->model;
  const size_t n = (size_t)x->n;
  x->effort = calloc(5 * n, sizeof(double));
  x->name = calloc(n, sizeof(char *));
  x->names = calloc(n, NAME_BYTES);
  if (!x->effort || !x->name || !x->names) return cli_no_memory();
  x->velocity = x->effort + n, x->acceleration = x->velocity + n;
  x->lower = x->acceleration + n, x->upper = x->lower + n;
  for (int j = 0; j < x->n; j++) {
    char *room = x->names + (size_t)j * NAME_BYTES;
    x->name[j] = cli_column_name(m, AP_INVERSE, j, room, NAME_BYTES) + strlen("tau.");
    x->effort[j] = own[0], x->velocity[j] = own[1], x->acceleration[j] = own[2];
    x->lower[j] = -INFINITY, x->upper[j] = INFINITY;
  }
  for (int i = 1; i < ap_nbody(m); i++) {
    const ap_body_def *b = ap_body(m, i);
    const int j = ap_joint_v(m, i);
    if (ap_joint_nv(m, i) != 1) continue;
    if (b->effort_limit < INFINITY) x->effort[j] = b->effort_limit;
    if (b->velocity_limit < INFINITY) x->velocity[j] = b->velocity_limit;
    x->lower[j] = b->lower, x->upper[j] = b->upper;
  }
  for (int j = 0; j < x->n; j++) {
    x->effort[j] *= scale[0], x->velocity[j] *= scale[1];
    if (x->effort[j] > 0 && x->velocity[j] > 0) continue;
    return cli_fail(CLI_BAD, x->model->path, 0,
                    "joint '%s' has a limit of torque or velocity of 0 (it must be positive)",
                    x->name[j]);
  }
  x->def.model = m;
  x->def.effort = x->effort, x->def.velocity = x->velocity, x->def.acceleration = x->acceleration;
  return CLI_OK;
}

// ---- the file ----------------------------------------------------------------------------------

static void write_number(cli_out *out, double x) {
  char number[32];
  const int n = ap_format_double(x, number);
  cli_out_write(out, number, (size_t)n);
}

static void write_names(cli_out *out, const job *x) {
  static const char *const vector[] = {"q", "v", "a", "tau"};
  cli_out_printf(out, "t");
  for (int k = 0; k < 4; k++)
    for (int j = 0; j < x->n; j++) cli_out_printf(out, ",%s.%s", vector[k], x->name[j]);
  cli_out_printf(out, "\n");
}

// Every time from 0 to the end, both included.
static int write_rows(cli_out *out, const job *x, const ap_traj *t) {
  const size_t n = (size_t)x->n;
  double *state = malloc(4 * n * sizeof *state);
  if (!state) return cli_no_memory();
  double *q = state, *v = q + n, *a = v + n, *tau = a + n;
  const long rows = (long)ceil(ap_traj_duration(t) * x->rate);
  for (long k = 0; k <= rows && cli_out_flush(out); k++) {
    const double at = ap_traj_duration(t) * (double)k / (double)rows;
    ap_traj_at(t, at, q, v, a);
    ap_inverse_dynamics(x->model->model, x->w, q, v, a, tau);
    write_number(out, at);
    for (size_t i = 0; i < 4 * n; i++) {
      cli_out_write(out, ",", 1);
      write_number(out, state[i]);
    }
    cli_out_write(out, "\n", 1);
  }
  free(state);
  return CLI_OK;
}

// ---- what was found ----------------------------------------------------------------------------

static int report(const job *x, const ap_topp_report *r, double length, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (json) {
    ap_json j = {.write = cli_out_sink, .context = &out};
    ap_json_open(&j, NULL, '{');
    ap_json_number(&j, "duration", r->duration);
    ap_json_integer(&j, "points", x->points);
    ap_json_number(&j, "length", length);
    ap_json_integer(&j, "intervals", r->intervals);
    ap_json_integer(&j, "passes", r->passes);
    ap_json_number(&j, "active", r->active);
    ap_json_number(&j, "excess", fmax(r->excess, 0));
    ap_json_close(&j, '}');
  } else {
    cli_out_printf(&out, "%.6g s along %d points\n", r->duration, x->points);
    cli_out_printf(&out, "some limit is met in %.1f %% of %d intervals\n", 100 * r->active,
                   r->intervals);
    cli_out_printf(&out, "largest excess of a limit between them: %.2g of it\n",
                   fmax(r->excess, 0));
  }
  return cli_out_close(&out, CLI_OK);
}

// ---- the verb ----------------------------------------------------------------------------------

static int write_motion(const job *x, const ap_traj *motion, const char *path) {
  if (!(ap_traj_duration(motion) * x->rate <= MOST_ROWS))
    return cli_fail(CLI_FAILED, NULL, 0, "%.3g s at %g lines per second are too many (at most %d)",
                    ap_traj_duration(motion), x->rate, MOST_ROWS);
  cli_out out;
  const int status = cli_out_open(&out, path);
  if (status != CLI_OK) return status;
  write_names(&out, x);
  return cli_out_close(&out, write_rows(&out, x, motion));
}

static int plan(job *x, const cli_arguments *a) {
  ap_traj *path = NULL, *motion = NULL;
  ap_topp_report found;
  ap_error error = {0};
  int status = CLI_OK;
  const ap_traj_limits range = {x->lower, x->upper, NULL, NULL};
  error.status = ap_traj_path(x->n, x->points, x->q, x->kind, &path, &error);
  if (error.status == AP_OK && ap_traj_check(path, &range, x->name, &error))
    status = cli_fail(CLI_BAD, x->path, 0, "between the points %s (more points, or --path lines)",
                      error.text);
  x->def.path = path;
  if (error.status == AP_OK)
    error.status = ap_traj_time_optimal(&x->def, x->w, x->tolerance, &motion, &found, &error);
  if (error.status != AP_OK && status == CLI_OK)
    status = cli_fail(
        error.status == AP_E_ARG || error.status == AP_E_UNSUPPORTED ? CLI_BAD : CLI_FAILED,
        x->path, 0, "%s", error.text);
  if (status == CLI_OK) status = write_motion(x, motion, a->value[OUTPUT]);
  if (status == CLI_OK && a->value[OUTPUT])
    status = report(x, &found, ap_traj_duration(path), a->value[JSON] != NULL);
  ap_traj_free(motion);
  ap_traj_free(path);
  return status;
}

static int prepare(job *x, const cli_arguments *a, void **memory, const double *gravity) {
  const ap_model *m = x->model->model;
  const size_t size = ap_work_size(m);
  *memory = size ? malloc(size) : NULL;
  x->w = *memory ? ap_work_init(m, *memory, size) : NULL;
  if (!x->w) return cli_no_memory();
  ap_set_friction(m, x->w, a->value[NO_FRICTION] == NULL);
  if (gravity) ap_set_gravity(m, x->w, gravity);
  return CLI_OK;
}

static int run(const cli_arguments *arguments) {
  job x = {
      .path = arguments->argument[1], .def = ap_default_topp(), .tolerance = 1e-3, .rate = 100};
  double own[3] = {INFINITY, INFINITY, INFINITY}, scale[2] = {1, 1}, three[3];
  const double *gravity = NULL;
  int status = parse(arguments, &x, own, scale);
  if (status == CLI_OK) status = cli_value_gravity(arguments, GRAVITY, three, &gravity);
  cli_model model;
  if (status == CLI_OK) status = cli_load(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  void *memory = NULL;
  x.model = &model, x.n = ap_nv(model.model);
  if (ap_nq(model.model) != x.n)
    status = cli_fail(CLI_BAD, model.path, 0,
                      "has joints with quaternions (a path is for joints whose velocity is the "
                      "rate of their coordinates; --lock fixes others)");
  else if (x.n < 1)
    status = cli_fail(CLI_BAD, model.path, 0, "has no joint that moves");
  if (status == CLI_OK) status = take_limits(&x, own, scale);
  if (status == CLI_OK) status = read_points(&x);
  if (status == CLI_OK) status = prepare(&x, arguments, &memory, gravity);
  if (status == CLI_OK) status = plan(&x, arguments);
  free(memory), free(x.q), free(x.line), free(x.effort), free(x.name), free(x.names);
  cli_unload(&model);
  return status;
}

const cli_verb cli_plan = {.name = "plan",
                           .arguments = "MODEL FILE",
                           .about = "Find the fastest motion along a path.",
                           .text = text,
                           .example =
                               "  appell plan arm.urdf points.csv -o motion.csv\n"
                               "  appell plan arm.urdf points.csv --torque-scale 0.8 --rate 1000\n",
                           .options = options,
                           .least = 2,
                           .most = 2,
                           .run = run};
