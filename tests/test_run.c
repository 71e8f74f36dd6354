// SPDX-License-Identifier: Apache-2.0
// A run is the same thing whether it is simulated, controlled or read back: the same columns, rows
// and events, to the last bit.

#include <appell/dyn.h>
#include <appell/run.h>
#include <math.h>
#include <sys/stat.h>

#include "temporary_folder.h"

static const char *const files[] = {"run.csv",      "run.events.csv",      "run.scenario.yaml",
                                    "run.h5",       "again.csv",           "again.events.csv",
                                    "again.h5",     "again.scenario.yaml", "page.html",
                                    "run.csv.part", "run.events.csv.part", "run.scenario.yaml.part",
                                    "fed.csv",      "fed.events.csv",      "fed.scenario.yaml"};

static void remove_folder(void) { remove_folder_of((int)(sizeof files / sizeof files[0]), files); }

// What a run has told: a number over the bits of all its rows, and one over its events.
typedef struct tale {
  ap_run *run;
  uint64_t rows, events;
  long nrow, nevent;
} tale;

static void mix(uint64_t *sum, const void *bytes, size_t n) {
  for (const unsigned char *b = bytes; n > 0; b++, n--) *sum = (*sum ^ *b) * 0x100000001b3u;
}

static double number_of(const ap_run *run, const ap_logged_event *e, const char *name) {
  int n;
  const ap_column *column = ap_run_event_columns(run, &n);
  for (int k = 0; k < n; k++)
    if (strcmp(column[k].name, name) == 0) return e->numbers[k];
  return NAN;
}

// In the order of a CSV log: that of HDF5 is its own.
static void hear(void *context, const ap_logged_event *e, const ap_event *touch) {
  static const char *const names[] = {"impulse", "number", "after.x", "kinetic_after", "period"};
  tale *t = context;
  mix(&t->events, &e->t, sizeof e->t);
  mix(&t->events, e->event, strlen(e->event));
  mix(&t->events, e->point, strlen(e->point));
  mix(&t->events, e->wall, strlen(e->wall));
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    const double x = number_of(t->run, e, names[k]);
    if (!isnan(x)) mix(&t->events, &x, sizeof x);
  }
  if (touch) CHECK(touch->t == e->t);
  t->nevent++;
}

static bool watch(void *context, const ap_run *run, double part) {
  tale *t = context;
  int n;
  ap_run_columns(run, &n);
  mix(&t->rows, ap_run_row(run), (size_t)n * sizeof(double));
  CHECK(part <= 1);
  t->nrow++;
  return true;
}

// Runs path to its end, recorded where log is not NULL, fed with another where it is not.
static tale go(const char *path, const char *log, const char *fed) {
  tale t = {.rows = 1, .events = 1};
  ap_error error = {0};
  if (!CHECK_OK(ap_run_open(path, NULL, &t.run, &error))) return t;
  if (fed) CHECK_OK(ap_run_replay(t.run, fed, &error));
  if (log) CHECK_OK(ap_run_record(t.run, log, &error));
  ap_run_on_event(t.run, hear, &t);
  CHECK_OK(ap_run_all(t.run, watch, &t, &error));
  CHECK(!ap_run_row(t.run));
  return t;
}

static void check_same(const tale *a, const tale *b) {
  CHECK_EQ_INT(a->nrow, b->nrow);
  CHECK_EQ_INT(a->nevent, b->nevent);
  CHECK(a->rows == b->rows);
  CHECK(a->events == b->events);
  int n, m;
  const ap_column *p = ap_run_columns(a->run, &n), *q = ap_run_columns(b->run, &m);
  CHECK_EQ_INT(n, m);
  for (int k = 0; k < n && k < m; k++) {
    CHECK_STR(p[k].name, q[k].name);
    CHECK_STR(p[k].unit, q[k].unit); // CSV has none: the scenario's
    CHECK_EQ_INT(ap_run_find(a->run, p[k].name), k);
  }
}

static void check_read_back(const char *scenario, ap_run_kind kind) {
  static const char *const logs[] = {"run.csv", "run.h5"};
#ifdef AP_HAVE_HDF5
  const int formats = 2;
#else
  const int formats = 1;
  test_skip("built without HDF5 (scripts/setup)");
#endif
  for (int k = 0; k < formats; k++) {
    char log[FOLDER_NAME];
    snprintf(log, sizeof log, "%s", in_folder(logs[k]));
    tale lived = go(scenario, log, NULL), read = go(log, in_folder("again.csv"), NULL);
    tale again = go(in_folder("again.csv"), NULL, NULL);
    CHECK_EQ_INT(ap_run_kind_of(lived.run), kind);
    CHECK_EQ_INT(ap_run_kind_of(read.run), AP_RUN_LOG);
    CHECK_STR(ap_model_name(ap_run_model(read.run)), ap_model_name(ap_run_model(lived.run)));
    check_same(&lived, &read);
    check_same(&lived, &again);
    ap_run_free(lived.run);
    ap_run_free(read.run);
    ap_run_free(again.run);
  }
}

TEST(a_log_reads_back_as_the_run_was) {
  static const char *const scenarios[] = {"models/double_pendulum_in_ellipse.yaml",
                                          "models/four_bar_at_wall.yaml", "models/ball.yaml"};
  make_folder();
  for (size_t k = 0; k < sizeof scenarios / sizeof scenarios[0]; k++) {
    test_context("%s", scenarios[k]);
    check_read_back(scenarios[k], AP_RUN_SIMULATION);
  }
  test_context("%s", "control");
  check_read_back("models/control/puma_fault.yaml", AP_RUN_CONTROL);
  test_context("%s", "");
  remove_folder();
}

TEST(a_controller_that_is_fed_with_its_log_does_the_same) {
  make_folder();
  tale lived = go("models/control/puma_spline.yaml", in_folder("run.csv"), NULL);
  tale fed = go("models/control/puma_spline.yaml", in_folder("fed.csv"), in_folder("run.csv"));
  check_same(&lived, &fed);
  CHECK_EQ_INT(ap_run_differing(lived.run), -1);
  CHECK_EQ_INT(ap_run_differing(fed.run), 0);
  ap_error error = {0};
  ap_run_free(fed.run);
  CHECK_OK(ap_run_open("models/control/puma_line.yaml", NULL, &fed.run, &error));
  CHECK_OK(ap_run_replay(fed.run, in_folder("run.csv"), &error));
  CHECK_OK(ap_run_all(fed.run, NULL, NULL, &error));
  CHECK(ap_run_differing(fed.run) > 0); // another reference
  ap_run_free(lived.run);
  ap_run_free(fed.run);
  remove_folder();
}

// ---- reports -----------------------------------------------------------------------------------

typedef struct text {
  char *text;
  size_t length;
} text;

static void add(void *context, const char *bytes, size_t n) {
  text *t = context;
  t->text = realloc(t->text, t->length + n + 1);
  memcpy(t->text + t->length, bytes, n);
  t->text[t->length += n] = 0;
}

static void check_file(const char *path, const text *wanted) {
  FILE *file = fopen(path, "rb");
  if (!CHECK(file != NULL)) return;
  for (size_t k = 0; k < wanted->length; k++)
    if (!CHECK(fgetc(file) == (unsigned char)wanted->text[k])) break;
  CHECK(fgetc(file) == EOF);
  fclose(file);
}

TEST(a_report_does_not_depend_on_what_was_read_before) {
  make_folder();
  ap_error error = {0};
  ap_run *run = NULL;
  bool end;
  text first = {0}, second = {0}, page = {0};
  ap_run_free(go("models/shafei2018.yaml", in_folder("run.csv"), NULL).run);
  if (!CHECK_OK(ap_run_open(in_folder("run.csv"), NULL, &run, &error))) return;
  CHECK_OK(ap_run_report(run, NULL, add, &first, &error));
  CHECK_OK(ap_run_step(run, &end, &error));
  CHECK_OK(ap_run_report(run, NULL, add, &second, &error));
  CHECK(first.length == second.length && strcmp(first.text, second.text) == 0);
  CHECK_HAS(first.text, "\"events\": [");
  // The document stands in the page that is given, and no string of it ends the element.
  ap_report_options options = ap_default_report();
  options.title = "</script>";
  options.page = "<p><script id=\"run\" type=\"application/json\"></script></p>";
  CHECK_OK(ap_run_report(run, &options, add, &page, &error));
  CHECK(strncmp(page.text, "<p><script", 10) == 0 && strstr(page.text, "\\u003c/script>") != NULL);
  CHECK_STR(strstr(page.text, "</script>"), "</script></p>");
  CHECK_OK(ap_run_report_file(run, &options, in_folder("page.html"), &error));
  check_file(in_folder("page.html"), &page);
  options.page = "<p></p>";
  CHECK_STATUS(ap_run_report(run, &options, add, &page, &error), AP_E_ARG);
  CHECK_HAS(error.text, "no place");
  options.cookie = 0;
  CHECK_STATUS(ap_run_report(run, &options, add, &page, &error), AP_E_ARG);
  CHECK_HAS(error.text, "ap_default_report()");
  free(first.text), free(second.text), free(page.text);
  ap_run_free(run);
  remove_folder();
}

// ---- compiled functions ------------------------------------------------------------------------

// Functions that count, and compute by the general kernels.
static const ap_model *counted_robot;
static ap_work *own_work;
static long asked;

static void counted_inverse(const double *q, const double *v, const double *a, double *tau) {
  asked++;
  ap_inverse_dynamics(counted_robot, own_work, q, v, a, tau);
}
static int counted_forward(const double *q, const double *v, const double *tau, double *a) {
  asked++;
  return ap_forward_dynamics(counted_robot, own_work, q, v, tau, a) != AP_OK;
}

// The run with such functions is the run without, to the bit.
static void check_uses(const char *path) {
  tale plain = go(path, NULL, NULL), t = {.rows = 1, .events = 1};
  const ap_functions counted = {.inverse_dynamics = counted_inverse,
                                .forward_dynamics = counted_forward};
  ap_error error = {0};
  if (!CHECK_OK(ap_run_open(path, NULL, &t.run, &error))) return;
  counted_robot = ap_run_model(t.run);
  void *memory = malloc(ap_work_size(counted_robot));
  own_work = ap_work_init(counted_robot, memory, ap_work_size(counted_robot));
  asked = 0;
  CHECK_OK(ap_run_use(t.run, &counted, &error));
  ap_run_on_event(t.run, hear, &t);
  CHECK_OK(ap_run_all(t.run, watch, &t, &error));
  CHECK(asked > 0);
  CHECK_EQ_INT(t.nrow, plain.nrow);
  CHECK(t.rows == plain.rows);
  CHECK_STATUS(ap_run_use(t.run, NULL, &error), AP_E_ARG);
  ap_run_free(t.run);
  ap_run_free(plain.run);
  free(memory);
}

TEST(runs_compute_with_the_functions_they_are_given) {
  check_uses("models/ascher2_swing.yaml");
  check_uses("models/control/puma_spline.yaml");
}

// ---- what is refused ---------------------------------------------------------------------------

static bool stop(void *context, const ap_run *run, double part) {
  (void)run, (void)part;
  return --*(int *)context > 0;
}

TEST(what_a_run_refuses) {
  make_folder();
  ap_error error = {0};
  ap_run *run = NULL;
  text none = {0};
  bool end;
  double start, until, step;
  CHECK(ap_run_open(in_folder("none.yaml"), NULL, &run, &error) != AP_OK && !run);
  CHECK(ap_run_open("models/puma600.yaml", NULL, &run, &error) != AP_OK && error.text[0]);
  if (!CHECK_OK(ap_run_open("models/ball.yaml", NULL, &run, &error))) return;
  ap_run_times(run, &start, &until, &step);
  CHECK_STATUS(ap_run_set_times(run, start, step, &error), AP_E_ARG);
  CHECK_STATUS(ap_run_set_times(run, until, 0, &error), AP_E_ARG);
  CHECK_STATUS(ap_run_set_times(run, until, NAN, &error), AP_E_ARG);
  CHECK_STATUS(ap_run_replay(run, "run.csv", &error), AP_E_ARG);
  CHECK_STATUS(ap_run_set_scenario(run, "models/ball.yaml", &error), AP_E_ARG);
  CHECK_STATUS(ap_run_report(run, NULL, add, &none, &error), AP_E_ARG);
  CHECK_OK(ap_run_set_times(run, start + 1, 1e-9, &error));
  CHECK_STATUS(ap_run_start(run, &error), AP_E_ARG);
  CHECK_HAS(error.text, "too many");
  CHECK_OK(ap_run_set_times(run, start + 1, 0.25, &error));
  CHECK(!ap_run_row(run));
  CHECK_OK(ap_run_step(run, &end, &error));
  CHECK(!end && ap_run_row(run)[0] == start && ap_run_state(run)->t == start);
  CHECK_EQ_INT(ap_run_find(run, "no such"), -1);
  CHECK_STATUS(ap_run_record(run, in_folder("run.csv"), &error), AP_E_ARG);
  CHECK_STATUS(ap_run_set_times(run, start + 2, 0.25, &error), AP_E_ARG);
  ap_run_free(run);
  remove_folder();
}

// A stopped run leaves a .part with the rows so far; a whole one none.
TEST(a_stopped_run_leaves_a_part) {
  make_folder();
  ap_error error = {0};
  ap_run *run = NULL;
  struct stat info;
  int rows = 3;
  bool end = false;
  if (!CHECK_OK(ap_run_open("models/ball.yaml", NULL, &run, &error))) return;
  CHECK_OK(ap_run_record(run, in_folder("run.csv"), &error));
  CHECK_OK(ap_run_all(run, stop, &rows, &error));
  ap_run_free(run);
  CHECK(stat(in_folder("run.csv"), &info) != 0);
  if (!CHECK_OK(ap_run_open(in_folder("run.csv.part"), NULL, &run, &error))) return;
  for (rows = 0; CHECK_OK(ap_run_step(run, &end, &error)) && !end; rows++) continue;
  CHECK_EQ_INT(rows, 3);
  ap_run_free(run);
  remove_folder();
}

// A log that cannot be written: the run is told, with a status of its own.
TEST(a_log_that_cannot_be_written) {
  ap_error error = {0};
  ap_run *run = NULL;
  if (!CHECK_OK(ap_run_open("models/ball.yaml", NULL, &run, &error))) return;
  CHECK_STATUS(ap_run_record(run, "/nonexistent/run.csv", &error), AP_E_FILE);
  CHECK_EQ_INT(ap_run_log_error(run)->status, AP_OK); // nothing is recorded, nothing fails
  CHECK_OK(ap_run_all(run, NULL, NULL, &error));
  ap_run_free(run);
}

// ---- columns -----------------------------------------------------------------------------------

TEST(columns_have_one_rule) {
  static const struct {
    ap_joint_vector vector;
    const char *group;
    int k;
    const char *name;
  } names[] = {{AP_JOINT_Q, "q", 6, "q.floating_base.qw"},
               {AP_JOINT_Q, "q", 7, "q.a_b_c"},
               {AP_JOINT_V, "v", 5, "v.floating_base.wz"},
               {AP_JOINT_A, "a", 0, "a.floating_base.vx"},
               {AP_JOINT_TAU, "tau", 3, "tau.floating_base.tx"},
               {AP_JOINT_V, "", 6, "a_b_c"},
               {AP_JOINT_V, "v", 7, ""}};
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  static const char urdf[] =
      "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='arm'><inertial><mass "
      "value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='a b,c' type='prismatic'><parent link='base'/><child link='arm'/>"
      "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>";
  const ap_read_options options = {.floating = true};
  if (!CHECK_OK(ap_robot_parse(urdf, strlen(urdf), "urdf", &options, &robot, NULL))) return;
  if (!CHECK_OK(ap_robot_model(robot, &m, NULL))) return;
  const char *base = ap_body(m, 1)->joint_name;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char name[80], wanted[80], cut[4];
    const char *at = strstr(names[k].name, "floating_base");
    snprintf(wanted, sizeof wanted, "%.*s%s%s", at ? (int)(at - names[k].name) : 80, names[k].name,
             at ? base : "", at ? at + strlen("floating_base") : "");
    const int n = ap_column_name(m, names[k].vector, names[k].group, names[k].k, name, sizeof name);
    CHECK_STR(name, wanted);
    CHECK_EQ_INT(n, (int)strlen(wanted));
    CHECK_EQ_INT(ap_column_name(m, names[k].vector, names[k].group, names[k].k, cut, sizeof cut),
                 n);
    CHECK(strncmp(cut, wanted, sizeof cut - 1) == 0);
  }
  ap_model_free(m);
  ap_robot_free(robot);
}
