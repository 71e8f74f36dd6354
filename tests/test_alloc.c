// SPDX-License-Identifier: Apache-2.0
// The k-th allocation fails, for every k: the error comes back as AP_E_MEMORY, and nothing leaks.

#include <appell/drive_gains.h>
#include <appell/lint.h>
#include <appell/loop.h>
#include <appell/run.h>
#include <appell/weigh.h>
#include <errno.h>

#include "file/log_read.h"
#include "file/rows.h"
#include "file/solid.h"
#include "papers.h"
#include "robot_files.h"
#include "sanitized.h"
#include "survey.h"

#if !SANITIZED

// The C library's allocator under its other names, so that the ones below can stand in its place.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

static long countdown = -1; // allocations until one fails; -1: none does
static long alive;          // blocks that are not freed

static bool fails(void) {
  if (countdown < 0 || countdown-- > 0) return false;
  errno = ENOMEM;
  return true;
}

static void *counted(void *p) {
  alive += p != NULL;
  return p;
}

void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : counted(__libc_calloc(n, size)); }
void *realloc(void *p, size_t size) {
  if (fails()) return NULL;
  void *grown = __libc_realloc(p, size);
  alive += !p && grown;
  return grown;
}
void *aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : counted(__libc_memalign(alignment, size));
}
void free(void *p) {
  alive -= p != NULL;
  __libc_free(p);
}

// Run work with the k-th allocation failing, for k = 0, 1, ... until it needs no more.
static void fail_each(const char *what, ap_status (*work)(ap_error *error)) {
  ap_error error = {0};
  CHECK_OK(work(&error)); // once undisturbed: what the C library keeps for itself is there now
  for (long k = 0; k < 100000; k++) {
    test_context("%s, allocation %ld", what, k);
    long before = alive;
    error = (ap_error){0};
    countdown = k;
    ap_status status = work(&error);
    bool hit = countdown < 0; // the failing one was reached
    countdown = -1;
    if (alive != before) CHECK_EQ_INT(alive, before);
    if (status == AP_OK) {
      if (!hit) return;
      continue; // some failures do no harm: the C library found a way around
    }
    if (status != AP_E_MEMORY || error.status != AP_E_MEMORY) CHECK_STATUS(status, AP_E_MEMORY);
  }
  CHECK(false); // the work does not end
}

static ap_status read_and_build(const char *path, ap_error *error) {
  ap_robot *robot;
  ap_model *model = NULL;
  ap_read_options floating = {.floating = true};
  ap_status status = ap_robot_read(path, &floating, &robot, error);
  if (status == AP_OK) status = ap_robot_model(robot, &model, error);
  ap_model_free(model);
  ap_robot_free(robot);
  return status;
}

static ap_status read_urdf(ap_error *error) {
  return read_and_build("tests/fuzz/corpus/urdf/full.urdf", error);
}
static ap_status read_yaml(ap_error *error) {
  return read_and_build("tests/fuzz/corpus/yaml/full.yaml", error);
}
static ap_status read_drives(ap_error *error) {
  return read_and_build("tests/fuzz/corpus/urdf/drives.urdf", error);
}
static ap_status read_mechanism(ap_error *error) {
  ap_robot *robot;
  ap_mechanism *mechanism;
  ap_status status =
      ap_mechanism_read("tests/fuzz/corpus/yaml/closed.yaml", &mechanism, &robot, error);
  if (status != AP_OK) return status;
  ap_loop *l = ap_loop_make(mechanism);
  if (!l) status = error->status = AP_E_MEMORY;
  ap_loop_free(l);
  ap_mechanism_free(mechanism);
  ap_robot_free(robot);
  return status;
}
static ap_status read_mjcf(ap_error *error) {
  ap_status status = read_and_build("tests/fuzz/corpus/mjcf/copies.xml", error);
  if (status == AP_OK) status = read_and_build("tests/fuzz/corpus/mjcf/geoms.xml", error);
  return status;
}
static ap_status read_closed_mjcf(ap_error *error) {
  ap_mechanism *mechanism;
  ap_status status =
      ap_mechanism_read("tests/fuzz/corpus/mjcf/closed.xml", &mechanism, NULL, error);
  ap_mechanism_free(mechanism);
  return status;
}
static ap_status builtin_mechanism(ap_error *error) {
  ap_mechanism *mechanism;
  ap_status status = ap_mechanism_read("delta", &mechanism, NULL, error);
  ap_mechanism_free(mechanism);
  return status;
}
static ap_status read_odd(ap_error *error) { // with warnings
  ap_robot *robot;
  ap_read_options options = {.ignore_mimic = true};
  ap_status status = ap_robot_read("tests/fuzz/corpus/urdf/joints.urdf", &options, &robot, error);
  ap_robot_free(robot);
  return status;
}

// The seed of the fuzzer without its first byte, which is the format.
static const char *mesh_file, *mesh_format;
static ap_status weigh_mesh(ap_error *error) {
  ap__mesh mesh = {0};
  char *text = NULL;
  size_t length;
  ap_status status = ap__read_file(mesh_file, &text, &length, error);
  if (!status) status = ap__mesh_read(&mesh, mesh_format, text + 1, length - 1, error);
  for (int rule = AP__MESH_LEGACY; rule <= AP__MESH_SHELL && !status; rule++) {
    ap__mesh_use use = ap__default_mesh_use();
    ap__mesh_compiled out;
    use.rule = (ap__mesh_rule)rule;
    status = ap__mesh_compile(&mesh, &use, &out, error);
  }
  ap__mesh_closure closure;
  if (!status) status = ap__mesh_examine(&mesh, &closure, error);
  ap__mesh_free(&mesh);
  free(text);
  return status;
}

static ap_status weigh_robot(ap_error *error) {
  static const char robot_text[] =
      "<robot name='r'><link name='a'><visual><geometry><box size='1 1 1'/></geometry></visual>"
      "<visual><geometry><sphere radius='1'/></geometry></visual></link></robot>";
  const ap_weigh_options by_density = {.density = 1000, .all = true};
  ap_robot *robot = NULL;
  ap_weighing *weighing = NULL;
  char path[512];
  temporary_name(path, sizeof path, "alloc.urdf");
  FILE *file = fopen(path, "w");
  ap_status status = file ? AP_OK : (error->status = AP_E_MEMORY);
  if (file) fputs(robot_text, file);
  if (file && fclose(file)) status = error->status = AP_E_MEMORY;
  if (!status) status = ap_robot_read(path, NULL, &robot, error);
  if (!status) status = ap_weigh(robot, path, &by_density, &weighing, error);
  if (!status) status = ap_weighing_patch(weighing, path, path, error);
  ap_weighing_free(weighing);
  ap_robot_free(robot);
  remove(path);
  return status;
}

static ap_status write_to(const char *ending, ap_error *error) {
  char path[512];
  temporary_name(path, sizeof path, ending);
  ap_robot *robot = NULL;
  ap_status status = ap_robot_builtin("stanford", NULL, &robot, error);
  if (status == AP_OK) status = ap_robot_write(robot, path, error);
  ap_robot_free(robot);
  remove(path);
  return status;
}
static ap_status compose_text(ap_error *error) {
  ap_robot *robot = NULL;
  char *text = NULL;
  ap_status status = ap_robot_builtin("stanford", NULL, &robot, error);
  if (status == AP_OK) status = ap_robot_text(robot, "yaml", &text, error);
  ap_robot_free(robot);
  free(text);
  return status;
}
static ap_status write_urdf(ap_error *error) { return write_to("alloc.urdf", error); }
static ap_status write_yaml(ap_error *error) { return write_to("alloc.yaml", error); }
static ap_status write_mjcf(ap_error *error) { return write_to("alloc.xml", error); }

static ap_status builtin_floating(ap_error *error) {
  ap_robot *robot = NULL;
  ap_read_options floating = {.floating = true};
  ap_status status = ap_robot_builtin("puma600", &floating, &robot, error);
  ap_robot_free(robot);
  return status;
}

static ap_status read_rows(ap_error *error) {
  ap_rows *rows;
  double row[3];
  bool end = false;
  ap_status status = ap__rows_memory("1 2 3\n", 6, &rows, error);
  if (status == AP_OK) status = ap_rows_next(rows, 3, row, &end, error);
  ap_rows_close(rows);
  return status;
}

static ap_status read_log(ap_error *error) {
  static const char rows[] = "t,q.one\n0,1\n1,2\n";
  static const char events[] = "t,event,body/point,impulse,wall\n0.5,impact,a/b,2,floor\n";
  ap_log_reader *r;
  double row[2];
  ap_logged_event event;
  bool end = false;
  ap_status status = ap__log_memory(rows, sizeof rows - 1, events, sizeof events - 1, &r, error);
  while (status == AP_OK && !end) status = ap_log_next(r, row, &end, error);
  for (end = false; status == AP_OK && !end;) status = ap_log_next_event(r, &event, &end, error);
  ap_log_close(r);
  return status;
}

// A run, and its log read back. Recording is left out: realpath() takes its memory from elsewhere.
static const char *run_file;

static ap_status go_a_while(ap_error *error) {
  ap_run *run;
  bool end = false;
  ap_status status = ap_run_open(run_file, NULL, &run, error);
  if (status == AP_OK && ap_run_kind_of(run) == AP_RUN_SIMULATION)
    status = ap_run_set_times(run, 0.3, 0.1, error);
  for (int k = 0; status == AP_OK && k < 5; k++) status = ap_run_step(run, &end, error);
  ap_run_free(run);
  return status;
}

static void drop(void *context, const char *text, size_t length) {
  (void)context, (void)text, (void)length;
}

static ap_status report_log(ap_error *error) {
  ap_run *run;
  ap_status status = ap_run_open(run_file, NULL, &run, error);
  if (status == AP_OK) status = ap_run_report(run, NULL, drop, NULL, error);
  ap_run_free(run);
  return status;
}

static ap_status fill_report(ap_error *error) {
  report r = {0};
  report_item(&r, "Table 1", "numbers");
  report_remark(&r, "%d of them", 100);
  for (int i = 0; i < 100; i++) { // more than there is room for at first
    report_row(&r, "speed", "m/s", 1, i, i % 2 ? "a note" : NULL);
    report_detail(&r, "n = 7", "speed", "m/s", 1, i, NULL);
  }
  error->status = r.no_memory ? AP_E_MEMORY : AP_OK;
  if (!r.no_memory) CHECK_EQ_INT(r.lines, 202);
  for (int i = 0; i < r.lines; i++) CHECK(r.line[i].item && r.line[i].text && r.line[i].note);
  report_free(&r);
  return error->status;
}

static ap_status count_operations(ap_error *error) {
  ap_count count;
  return survey_robot(ap_builtin("puma600"), AP_INVERSE, NULL, &count, error);
}

static ap_status open_rows(ap_error *error) {
  ap_rows *rows;
  ap_status status = ap_rows_open("tests/fuzz/corpus/urdf/full.urdf", &rows, error);
  ap_rows_close(rows);
  return status;
}

static ap_status read_scenario(const char *path, ap_error *error) {
  ap_scenario *scenario;
  ap_status status = ap_scenario_read(path, &scenario, error);
  ap_scenario_free(scenario);
  return status;
}
static ap_status read_scenario_of_all(ap_error *error) {
  return read_scenario("tests/fuzz/corpus/scenario/full.yaml", error);
}
static ap_status read_scenario_with_files(ap_error *error) { // and with warnings
  return read_scenario("tests/fuzz/corpus/scenario/files.yaml", error);
}

// A log of two joints that swing, as a file.
static void write_log(const char *path) {
  FILE *file = fopen(path, "w");
  if (!CHECK(file)) return;
  fprintf(file, "t,q.joint1,q.joint2,tau.joint1,tau.joint2\n");
  for (int k = 0; k < 400; k++) { // uneven: interpolated too
    double t = 0.02 * k + 0.002 * (k % 3);
    fprintf(file, "%.9g,%.9g,%.9g,%.9g,%.9g\n", t, sin(t), cos(2.1 * t), cos(t), sin(1.7 * t));
  }
  fclose(file);
}

static ap_status fit_each(ap_reduction *red, const ap_base *base, ap_error *error) {
  for (int k = 0; k < AP_FIT_METHODS; k++) {
    ap_fit *fit;
    ap_status status = ap_fit_make(red, base, (ap_fit_method)k, NULL, &fit, error);
    ap_fit_free(fit);
    if (status) return status;
  }
  return AP_OK;
}

static ap_status fit_log(ap_ident *ident, const char *path, ap_error *error) {
  ap_base *base = NULL, *other = NULL;
  ap_samples *samples = NULL;
  ap_dataset *states = NULL;
  ap_reduction *red = NULL;
  ap_status status = ap_base_find(ident, AP_BASE_QR, &base, error);
  if (!status) status = ap_base_find(ident, AP_BASE_SVD, &other, error);
  if (!status) status = ap_samples_read(ident, path, &samples, error);
  if (!status) status = ap_dataset_prepare(ident, samples, NULL, &states, error);
  if (!status) status = ap_dataset_reduce(states, ident, base, 2, 5, &red, error);
  if (!status) status = fit_each(red, base, error);
  ap_reduction_free(red), ap_dataset_free(states), ap_samples_free(samples);
  ap_base_free(base), ap_base_free(other);
  return status;
}

static ap_status with_ident(ap_status (*work)(ap_ident *, const char *, ap_error *),
                            const char *path, ap_error *error) {
  const ap_ident_options all = {.rotor = true, .viscous = true, .coulomb = true};
  ap_robot *robot = NULL;
  ap_model *model = NULL;
  ap_ident *ident = NULL;
  ap_status status = ap_robot_builtin("ascher2", NULL, &robot, error);
  if (!status) status = ap_robot_model(robot, &model, error);
  if (!status) status = ap_ident_create(model, &all, &ident, error);
  if (!status) status = work(ident, path, error);
  ap_ident_free(ident), ap_model_free(model), ap_robot_free(robot);
  return status;
}

static ap_status identify_log(ap_error *error) {
  char path[512];
  temporary_name(path, sizeof path, "alloc.csv");
  return with_ident(fit_log, path, error);
}

// Currents of two joints that swing, with 2 kg at the origin of the last link or without.
static ap_status swing(ap_ident *ident, bool loaded, ap_dataset **states, ap_error *error) {
  enum { STATES = 80 };
  static double t[STATES], q[2 * STATES], v[2 * STATES], a[2 * STATES], tau[2 * STATES];
  double W[2 * 64], p[64];
  const int np = ap_ident_count(ident);
  ap_ident_nominal(ident, p);
  for (int k = 20; k < np; k++) p[k] = 0.5; // friction and rotors
  if (loaded) p[10] += 2;
  for (int i = 0; i < STATES; i++) {
    const double f[2] = {2 + loaded, 3.1};
    t[i] = 0.05 * i;
    for (int j = 0; j < 2; j++) {
      q[2 * i + j] = sin(f[j] * t[i]), v[2 * i + j] = f[j] * cos(f[j] * t[i]);
      a[2 * i + j] = -f[j] * f[j] * sin(f[j] * t[i]);
    }
    ap_ident_rows(ident, q + 2 * i, v + 2 * i, a + 2 * i, W);
    for (int j = 0; j < 2; j++) {
      tau[2 * i + j] = 1e-3 * sin(37.0 * i + j);
      for (int k = 0; k < np; k++) tau[2 * i + j] += W[j * np + k] * p[k] / (3 + j);
    }
  }
  const ap_samples samples = {.n = STATES, .t = t, .q = q, .v = v, .a = a, .tau = tau};
  ap_prepare_options how = ap_default_prepare();
  how.currents = true;
  return ap_dataset_prepare(ident, &samples, &how, states, error);
}

static ap_status gains_of_swings(ap_ident *ident, const char *path, ap_error *error) {
  (void)path;
  char link[64] = "";
  const char *name = ap_ident_name(ident, 10);
  snprintf(link, sizeof link, "%.*s", (int)strcspn(name, "."), name);
  const ap_known_load load = {.link = link, .mass = 2};
  ap_drive_gain_options options = ap_default_drive_gains();
  ap_base *base = NULL;
  ap_dataset *bare = NULL, *loaded = NULL;
  ap_drive_gains *gains = NULL;
  options.load = &load;
  ap_status status = ap_base_find(ident, AP_BASE_QR, &base, error);
  if (!status) status = swing(ident, false, &bare, error);
  if (!status) status = swing(ident, true, &loaded, error);
  if (!status)
    status = ap_drive_gains_settle(ident, AP_BASE_QR, &base, bare, loaded, &options, &gains, error);
  if (!status && ap_drive_gains_apply(gains, ident, true, loaded)) {
    error->status = status = AP_E_MEMORY;
    snprintf(error->text, sizeof error->text, "%s", ap_status_text(status));
  }
  ap_drive_gains_free(gains), ap_dataset_free(bare), ap_dataset_free(loaded), ap_base_free(base);
  return status;
}
static ap_status find_gains(ap_error *error) { return with_ident(gains_of_swings, NULL, error); }

static ap_status excite(ap_ident *ident, const char *path, ap_error *error) {
  (void)path;
  ap_excite_options options = ap_default_excite();
  ap_base *base = NULL;
  ap_traj *traj = NULL;
  options.evaluations = 20, options.harmonics = 2;
  ap_status status = ap_base_find(ident, AP_BASE_QR, &base, error);
  if (!status) status = ap_excite(ident, base, &options, &traj, NULL, error);
  ap_base_free(base), ap_traj_free(traj);
  return status;
}
static ap_status excite_robot(ap_error *error) { return with_ident(excite, NULL, error); }

TEST(identification) {
  char path[512];
  temporary_name(path, sizeof path, "alloc.csv");
  write_log(path);
  fail_each("identification", identify_log);
  remove(path);
}

TEST(gains_of_drives) { fail_each("gains", find_gains); }

TEST(excitation) { fail_each("excitation", excite_robot); }

// Opening a file takes memory too, and its lack is no fault of the file.
TEST(opening_a_file) {
  ap_error error = {0};
  countdown = 0;
  ap_status status = read_urdf(&error);
  countdown = -1;
  CHECK_STATUS(status, AP_E_MEMORY);
  CHECK_STATUS(error.status, AP_E_MEMORY);
  fail_each("open rows", open_rows);
}

// Without looking for meshes: realpath() takes its memory from elsewhere.
static char lint_input[1 << 14];

static ap_status lint_text(const char *format, ap_error *error) {
  ap_lint *found;
  ap_status status =
      ap_lint_text(lint_input, strlen(lint_input), format, NULL, NULL, &found, error);
  ap_lint_free(found);
  return status;
}
static ap_status lint_urdf(ap_error *error) { return lint_text("urdf", error); }
static ap_status lint_yaml(ap_error *error) { return lint_text("yaml", error); }
static void load_lint_input(const char *path) {
  char *text = file_text(path, NULL);
  if (CHECK(text != NULL)) snprintf(lint_input, sizeof lint_input, "%s", text);
  free(text);
}
static ap_status lint_builtin(ap_error *error) {
  ap_lint *found;
  ap_status status = ap_lint_builtin("puma600", NULL, &found, error);
  ap_lint_free(found);
  return status;
}

TEST(examining) {
  load_lint_input("tests/fuzz/corpus/urdf/full.urdf");
  fail_each("lint urdf", lint_urdf);
  load_lint_input("models/four-bar.yaml");
  fail_each("lint yaml", lint_yaml);
  fail_each("lint built-in", lint_builtin);
}
TEST(reading_urdf) { fail_each("urdf", read_urdf); }
TEST(reading_mjcf) {
  fail_each("mjcf", read_mjcf);
  fail_each("closed mjcf", read_closed_mjcf);
}
TEST(reading_yaml) { fail_each("yaml", read_yaml); }
TEST(reading_mechanisms) { fail_each("mechanism", read_mechanism); }
TEST(built_in_mechanisms) { fail_each("built-in mechanism", builtin_mechanism); }
TEST(reading_drives) { fail_each("drives", read_drives); }
TEST(reading_with_warnings) { fail_each("warnings", read_odd); }
TEST(writing_urdf) { fail_each("write urdf", write_urdf); }
TEST(writing_yaml) { fail_each("write yaml", write_yaml); }
TEST(composing_a_text) { fail_each("compose a text", compose_text); }
TEST(writing_mjcf) { fail_each("write mjcf", write_mjcf); }
TEST(built_in_robots) { fail_each("built in", builtin_floating); }
static ap_status reduce_robot(ap_error *error) {
  ap_robot *robot;
  ap_status status = ap_robot_builtin("puma600", NULL, &robot, error);
  if (!status) status = ap_robot_reduce(robot, &(ap_reduction_def){.tip = "link3"}, error);
  ap_robot_free(robot);
  return status;
}
TEST(weighing_meshes) {
  static const char *const formats[][2] = {
      {"octagons", "obj"}, {"binary", "stl"}, {"text", "stl"}, {"msh", "msh"}, {"scene", "dae"}};
  for (int i = 0; i < 5; i++) {
    char path[100];
    snprintf(path, sizeof path, "tests/fuzz/corpus/mesh/%s", formats[i][0]);
    mesh_file = path;
    mesh_format = formats[i][1];
    fail_each(formats[i][0], weigh_mesh);
  }
  fail_each("robot", weigh_robot);
}
TEST(reducing_robots) { fail_each("reduced", reduce_robot); }
TEST(reading_rows) { fail_each("rows", read_rows); }
TEST(reading_logs) { fail_each("log", read_log); }
TEST(reading_scenarios) {
  fail_each("scenario", read_scenario_of_all);
  fail_each("scenario with files", read_scenario_with_files);
}
TEST(runs) {
  run_file = "models/four_bar_at_wall.yaml";
  fail_each("simulation", go_a_while);
  run_file = "models/control/puma_spline.yaml";
  fail_each("control", go_a_while);
}
TEST(runs_read_back) {
  static const char *const endings[] = {".csv", ".events.csv", ".scenario.yaml"};
  char stem[200], log[256], path[256];
  ap_run *run = NULL;
  temporary_name(stem, sizeof stem, "alloc");
  snprintf(log, sizeof log, "%s.csv", stem);
  CHECK_OK(ap_run_open("models/four_bar_at_wall.yaml", NULL, &run, NULL));
  CHECK_OK(ap_run_record(run, log, NULL));
  CHECK_OK(ap_run_all(run, NULL, NULL, NULL));
  ap_run_free(run);
  run_file = log;
  fail_each("reading back", go_a_while);
  fail_each("report", report_log);
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s%s", stem, endings[k]);
    remove(path);
  }
}
TEST(filling_a_report) { fail_each("report", fill_report); }
TEST(counting_operations) { fail_each("count", count_operations); }

#else

TEST(allocation_failures) { test_skip("the sanitizer's allocator cannot be replaced"); }

#endif
