// ap_compile(): what it loads computes what the library computes, a cache is trusted as far as it
// deserves, and whatever fails leaves functions that work.

#include <appell/batch.h>
#include <appell/codegen.h>
#include <appell/ctrl.h>
#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/sim.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { N = 6, STATES = 11 };

// A robot, a work, and a folder of its own that goes away with everything in it.
typedef struct bed {
  ap_robot *robot;
  ap_model *m;
  void *memory;
  ap_work *w, *other; // other computes with the compiled functions
  char folder[64], cache[96], script[96];
  ap_compile_options options;
} bed;

static bool open_bed_with(bed *b, const char *robot) {
  *b = (bed){.folder = "/tmp/appell-compile-XXXXXX", .options = ap_default_compile()};
  ap_error error;
  if (!CHECK(mkdtemp(b->folder))) return false;
  snprintf(b->cache, sizeof b->cache, "%s/cache", b->folder);
  snprintf(b->script, sizeof b->script, "%s/compiler", b->folder);
  if (!CHECK_OK(robot ? ap_robot_read(robot, NULL, &b->robot, &error)
                      : ap_robot_builtin("puma600", NULL, &b->robot, &error)))
    return false;
  if (!CHECK_OK(ap_robot_model(b->robot, &b->m, &error))) return false;
  size_t size = ap_work_size(b->m);
  b->memory = malloc(2 * size);
  b->w = ap_work_init(b->m, b->memory, size);
  b->other = ap_work_init(b->m, (char *)b->memory + size, size);
  b->options.folder = b->cache;
  b->options.flags = "-O0"; // the result is the same, and here sooner
  b->options.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD;
  return CHECK(b->w && b->other);
}

static bool open_bed(bed *b) { return open_bed_with(b, NULL); }

static void close_bed(bed *b) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
  CHECK_EQ_INT(system(command), 0);
  ap_model_free(b->m);
  ap_robot_free(b->robot);
  free(b->memory);
}

static void random_numbers(rng *r, double *x, int n) {
  for (int k = 0; k < n; k++) x[k] = rng_uniform(r, -2, 2);
}

// A work with the functions of c computes what the library computes.
static void check_functions(const bed *b, const ap_compiled *c) {
  ap_work *x = b->other;
  ap_work_use(b->m, x, ap_compiled_functions(c));
  rng r = rng_seed(8);
  double q[N], v[N], a[N], tau[N], expected[N], M[N * N], expected_M[N * N];
  double D[3][N * N], expected_D[3][N * N];
  for (int k = 0; k < 10; k++) {
    random_numbers(&r, q, N), random_numbers(&r, v, N), random_numbers(&r, a, N);
    ap_inverse_dynamics(b->m, b->w, q, v, a, expected);
    ap_inverse_dynamics(b->m, x, q, v, a, tau);
    CHECK_NEAR(tau, expected, N, 1e-13);
    CHECK_OK(ap_forward_dynamics(b->m, x, q, v, tau, expected));
    CHECK_NEAR(expected, a, N, 1e-10);
    ap_inertia_matrix(b->m, b->w, q, expected_M);
    ap_inertia_matrix(b->m, x, q, M);
    CHECK_NEAR(M, expected_M, N * N, 1e-13);
    ap_bias(b->m, b->w, q, v, expected);
    ap_bias(b->m, x, q, v, tau);
    CHECK_NEAR(tau, expected, N, 1e-12);
    ap_gravity_forces(b->m, b->w, q, expected);
    ap_gravity_forces(b->m, x, q, tau);
    CHECK_NEAR(tau, expected, N, 1e-12);
    ap_inverse_dynamics_derivatives(b->m, b->w, q, v, a, expected_D[0], expected_D[1],
                                    expected_D[2]);
    CHECK_OK(ap_inverse_dynamics_derivatives(b->m, x, q, v, a, D[0], D[1], D[2]));
    CHECK_NEAR(D[0], expected_D[0], 3 * N * N, 1e-12);
    CHECK_OK(ap_forward_dynamics_derivatives(b->m, b->w, q, v, tau, expected_D[0], expected_D[1],
                                             expected_D[2]));
    CHECK_OK(ap_forward_dynamics_derivatives(b->m, x, q, v, tau, D[0], D[1], D[2]));
    CHECK_NEAR(D[0], expected_D[0], 3 * N * N, 1e-10);
  }
  ap_work_use(b->m, x, NULL);
}

// Compile as the options say, and see whether the result is from the cache and works.
static void check_compiles(const bed *b) {
  ap_compiled *c = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_compile(b->m, &b->options, &c, &error))) printf("  %s\n", error.text);
  if (!CHECK(c)) return;
  CHECK(ap_compiled_functions(c)->inverse_dynamics);
  CHECK_HAS(ap_compiled_path(c), b->cache);
  check_functions(b, c);
  ap_compiled_free(c);
}

// The same where it cannot be done: a status, a reason, and the general functions.
static void check_falls_back(const bed *b, ap_status status, const char *reason) {
  ap_compiled *c = NULL;
  ap_error error = {0};
  CHECK_STATUS(ap_compile(b->m, &b->options, &c, &error), status);
  CHECK_HAS(error.text, reason);
  if (!CHECK(c)) return;
  CHECK(!ap_compiled_path(c));
  CHECK(!ap_compiled_functions(c)->inverse_dynamics);
  check_functions(b, c);
  ap_compiled_free(c);
}

// A compiler of our own: a script.
static void write_script(bed *b, const char *text) {
  FILE *f = fopen(b->script, "w");
  if (!CHECK(f)) return;
  fputs(text, f);
  CHECK(fclose(f) == 0 && chmod(b->script, 0700) == 0);
  b->options.compiler = b->script;
}

// The one object of the cache.
static void object_path(const bed *b, char *path) {
  ap_compiled *c = NULL;
  path[0] = '\0';
  if (CHECK_OK(ap_compile(b->m, &b->options, &c, NULL))) strcpy(path, ap_compiled_path(c));
  ap_compiled_free(c);
}

TEST(compiled_functions_are_the_librarys) {
  bed b;
  if (!open_bed(&b)) return;
  b.options.functions = ap_default_compile().functions;
  check_compiles(&b);
  close_bed(&b);
}

TEST(many_states_at_once) {
  bed b;
  if (!open_bed(&b)) return;
  rng r = rng_seed(3);
  double q[N * STATES], v[N * STATES], a[N * STATES], out[3][N * STATES];
  random_numbers(&r, q, N * STATES), random_numbers(&r, v, N * STATES);
  random_numbers(&r, a, N * STATES);
  void *memory = malloc(ap_batch_size(b.m));
  ap_batch *batch = ap_batch_init(b.m, memory, ap_batch_size(b.m));
  ap_states all = ap_all_states(STATES, AP_COLUMNS);
  ap_batch_inverse_dynamics(b.m, batch, all, q, v, a, out[0]);
  for (int without = 0; without < 2; without++) {
    ap_compiled *c = NULL;
    if (without) b.options.compiler = "/nonexistent/cc";
    ap_compile(b.m, &b.options, &c, NULL);
    if (!CHECK(c)) break;
    CHECK((ap_compiled_functions(c)->inverse_dynamics_batch == NULL) == without);
    ap_work_use(b.m, b.other, ap_compiled_functions(c));
    CHECK_OK(ap_batch_use_settings(b.m, batch, b.other));
    CHECK_OK(ap_batch_inverse_dynamics(b.m, batch, all, q, v, a, out[1]));
    CHECK_NEAR(out[1], out[0], N * STATES, 1e-13);
    CHECK_OK(ap_batch_forward_dynamics(b.m, batch, all, q, v, out[1], out[2], NULL));
    CHECK_NEAR(out[2], a, N * STATES, 1e-10);
    ap_work_use(b.m, b.other, NULL);
    ap_compiled_free(c);
  }
  free(memory);
  close_bed(&b);
}

// Functions that know nothing but their robot as it was defined, and tell that they were asked.
static int calls;
static void marked(double x, double *out) {
  calls++;
  for (int k = 0; k < N; k++) out[k] = x;
}
static void marked_inverse(const double *q, const double *v, const double *a, double *tau) {
  (void)q, (void)v, (void)a;
  marked(1, tau);
}
static int marked_forward(const double *q, const double *v, const double *tau, double *a) {
  (void)q, (void)v, (void)tau;
  marked(2, a);
  return 0;
}
static int marked_batch(size_t n, const double *q, const double *v, const double *tau, double *a) {
  (void)q, (void)v, (void)tau;
  calls++;
  for (size_t k = 0; k < N * n; k++) a[k] = 2;
  return 0;
}

// Whether the marked functions are asked by a work set as `other` is; where not, the results are
// those of a work without code, to the bit.
static bool is_asked(const bed *b, ap_batch *batch) {
  const double q[N] = {1, -1, 0.5, 0.25, 1, 2}, v[N] = {1, 1, 1, 1, 1, 1};
  double tau[2][N], a[3][N], M[N * N];
  ap_states one = ap_all_states(1, AP_ROWS);
  calls = 0;
  ap_inverse_dynamics(b->m, b->other, q, v, v, tau[0]);
  CHECK_OK(ap_forward_dynamics(b->m, b->other, q, v, v, a[0]));
  CHECK_OK(ap_batch_use_settings(b->m, batch, b->other));
  CHECK_OK(ap_batch_forward_dynamics(b->m, batch, one, q, v, v, a[2], NULL));
  ap_inertia_matrix(b->m, b->other, q, M); // which they have not
  ap_inverse_dynamics(b->m, b->w, q, v, v, tau[1]);
  CHECK_OK(ap_forward_dynamics(b->m, b->w, q, v, v, a[1]));
  CHECK(calls == 0 || calls == 3);
  if (calls == 0) {
    CHECK_BITS(tau[0], tau[1], N);
    CHECK_BITS(a[0], a[1], N);
    CHECK_BITS(a[2], a[1], N);
    return false;
  }
  CHECK(tau[0][0] == 1 && a[0][0] == 2 && a[2][0] == 2);
  return true;
}

// The same done to both works.
static void set_both(const bed *b, double load, double gravity, bool friction) {
  const double g[3] = {0, 0, gravity};
  ap_work *const works[] = {b->w, b->other};
  for (int k = 0; k < 2; k++) {
    CHECK_OK(ap_set_payload(b->m, works[k], N, load, NULL, NULL));
    ap_set_gravity(b->m, works[k], g);
    ap_set_friction(b->m, works[k], friction);
  }
}

TEST(code_is_used_where_it_fits_and_nowhere_else) {
  bed b;
  if (!open_bed_with(&b, "models/puma600_drives.yaml")) return;
  const double g = ap_gravity(b.m)[2];
  ap_functions f = {.inverse_dynamics = marked_inverse,
                    .forward_dynamics = marked_forward,
                    .forward_dynamics_batch = marked_batch};
  void *memory = malloc(ap_batch_size(b.m));
  ap_batch *batch = ap_batch_init(b.m, memory, ap_batch_size(b.m));
  CHECK(!is_asked(&b, batch));
  ap_work_use(b.m, b.other, &f);
  CHECK(is_asked(&b, batch));
  set_both(&b, 2, g, false), CHECK(!is_asked(&b, batch));
  set_both(&b, 0, g, false), CHECK(is_asked(&b, batch));
  set_both(&b, 0, -1.62, false), CHECK(!is_asked(&b, batch));
  set_both(&b, 0, g, true), CHECK(!is_asked(&b, batch));
  set_both(&b, 0, g, false), CHECK(is_asked(&b, batch));
  CHECK_OK(ap_set_inertia(b.m, b.w, 1, 3, NULL, NULL));
  CHECK_OK(ap_set_inertia(b.m, b.other, 1, 3, NULL, NULL));
  CHECK(!is_asked(&b, batch));
  ap_reset_inertia(b.m, b.w), ap_reset_inertia(b.m, b.other);
  CHECK(is_asked(&b, batch));
  f.friction = true; // functions of another kind
  ap_work_use(b.m, b.other, &f);
  CHECK(!is_asked(&b, batch));
  set_both(&b, 0, g, true), CHECK(is_asked(&b, batch));
  ap_work_use(b.m, b.other, NULL);
  CHECK(!is_asked(&b, batch));
  free(memory);
  close_bed(&b);
}

TEST(without_friction_code_fits_either_way) {
  bed b;
  if (!open_bed(&b)) return;
  const ap_functions f = {.inverse_dynamics = marked_inverse};
  ap_work_use(b.m, b.other, &f);
  CHECK(ap_work_uses_code(b.m, b.other));
  ap_set_friction(b.m, b.other, true);
  CHECK(ap_work_uses_code(b.m, b.other));
  CHECK_OK(ap_set_payload(b.m, b.other, N, 1, NULL, NULL));
  CHECK(!ap_work_uses_code(b.m, b.other));
  close_bed(&b);
}

// The simulator and the controller compute with the code that they are given, and the motion is
// that of the general kernels.
TEST(simulations_and_controllers_use_code) {
  bed b;
  if (!open_bed(&b)) return;
  ap_compiled *c = NULL;
  b.options.functions = ap_default_compile().functions;
  b.options.friction = true;
  if (!CHECK_OK(ap_compile(b.m, &b.options, &c, NULL))) return;
  const double q[N] = {0.1, -0.6, 0.4, 0.2, 0.3, -0.1}, v[N] = {0};
  double end[2][N];
  for (int with = 0; with < 2; with++) {
    ap_scene scene = ap_default_scene();
    ap_sim *sim = NULL;
    ap_error error;
    scene.model = b.m, scene.code = with ? ap_compiled_functions(c) : NULL;
    if (!CHECK_OK(ap_sim_create(&scene, &sim, &error))) break;
    CHECK_OK(ap_sim_start(sim, 0, q, v, &error));
    CHECK_OK(ap_sim_advance(sim, 0.3, &error));
    ap_sim_state now;
    CHECK_OK(ap_sim_now(sim, &now, &error));
    memcpy(end[with], now.q, sizeof end[with]);
    ap_sim_free(sim);
  }
  CHECK_NEAR(end[1], end[0], N, 1e-9);
  CHECK(memcmp(end[1], end[0], sizeof end[0]) != 0); // other code, other last bits
  ap_functions f = {.inverse_dynamics = marked_inverse};
  ap_ctrl_def def = ap_default_ctrl();
  def.model = b.m, def.code = &f;
  void *memory = malloc(ap_ctrl_size(b.m));
  ap_ctrl *control = ap_ctrl_init(&def, memory, ap_ctrl_size(b.m), NULL);
  if (CHECK(control)) {
    double tau[N];
    calls = 0;
    ap_inverse_dynamics(b.m, ap_ctrl_work(control), q, v, v, tau);
    CHECK_EQ_INT(calls, 1);
  }
  free(memory);
  ap_compiled_free(c);
  close_bed(&b);
}

TEST(single_precision) {
  bed b;
  if (!open_bed(&b)) return;
  ap_compiled_f32 *c = NULL;
  size_t size = ap_work_size_f32(b.m);
  void *memory = malloc(size);
  ap_work_f32 *w = ap_work_init_f32(b.m, memory, size);
  const float q[N] = {0.5f, -1, 0.25f, 1, 2, -0.5f}, v[N] = {1, 2, -1, 0.5f, 1, 1};
  float tau[2][N];
  if (CHECK_OK(ap_compile_f32(b.m, &b.options, &c, NULL))) {
    CHECK(ap_compiled_functions_f32(c)->inverse_dynamics);
    ap_inverse_dynamics_f32(b.m, w, q, v, v, tau[1]);
    ap_work_use_f32(b.m, w, ap_compiled_functions_f32(c));
    ap_inverse_dynamics_f32(b.m, w, q, v, v, tau[0]);
    for (int k = 0; k < N; k++) CHECK_CLOSE((double)tau[0][k], (double)tau[1][k], 1e-3);
  }
  ap_compiled_free_f32(c);
  free(memory);
  close_bed(&b);
}

TEST(second_time_from_the_cache) {
  bed b;
  if (!open_bed(&b)) return;
  // this compiler counts how often it compiles
  char text[256];
  snprintf(text, sizeof text,
           "#!/bin/sh\ncase \" $* \" in *' -shared '*) echo x >>'%s/count' ;; esac\n"
           "exec cc \"$@\"\n",
           b.folder);
  write_script(&b, text);
  for (int k = 0; k < 3; k++) check_compiles(&b);
  char path[96];
  struct stat s;
  snprintf(path, sizeof path, "%s/count", b.folder);
  CHECK(stat(path, &s) == 0);
  CHECK_EQ_INT(s.st_size, 2);
  b.options.flags = "-O0 -DOTHER_FLAGS"; // another key
  check_compiles(&b);
  CHECK(stat(path, &s) == 0);
  CHECK_EQ_INT(s.st_size, 4);
  close_bed(&b);
}

TEST(no_compiler) {
  bed b;
  if (!open_bed(&b)) return;
  b.options.compiler = "/nonexistent/cc";
  check_falls_back(&b, AP_E_UNSUPPORTED, "there is no compiler '/nonexistent/cc'");
  b.options.compiler = "  ";
  b.options.flags = "";
  check_falls_back(&b, AP_E_UNSUPPORTED, "there is no compiler");
  close_bed(&b);
}

TEST(compiler_that_fails) {
  bed b;
  if (!open_bed(&b)) return;
  b.options.flags = "-O0 --no-such-option-of-a-compiler";
  check_falls_back(&b, AP_E_UNSUPPORTED, "failed: ");
  b.options.flags = "-O0";
  write_script(&b,
               "#!/bin/sh\ncase \" $* \" in *' -shared '*) kill -9 $$ ;; esac\nexec cc \"$@\"\n");
  check_falls_back(&b, AP_E_UNSUPPORTED, "failed");
  write_script(&b, "#!/bin/sh\nexit 0\n"); // says that all is well
  check_falls_back(&b, AP_E_UNSUPPORTED, "failed");
  char command[160];
  snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", b.cache);
  CHECK_EQ_INT(system(command), 0); // nothing stays behind
  close_bed(&b);
}

TEST(folder_that_is_not_private) {
  bed b;
  if (!open_bed(&b)) return;
  CHECK(mkdir(b.cache, 0700) == 0 && chmod(b.cache, 0770) == 0);
  check_falls_back(&b, AP_E_FILE, "can be written by others");
  CHECK(chmod(b.cache, 0755) == 0);
  check_compiles(&b);
  char link[96];
  snprintf(link, sizeof link, "%s/link", b.folder);
  CHECK(symlink(b.cache, link) == 0);
  b.options.folder = link;
  check_falls_back(&b, AP_E_FILE, "is a link");
  strcat(link, "/");
  check_falls_back(&b, AP_E_FILE, "is a link");
  b.options.folder = "/dev/null";
  check_falls_back(&b, AP_E_FILE, "is not a folder");
  b.options.folder = "/dev/null/cache";
  check_falls_back(&b, AP_E_FILE, "cannot be made");
  close_bed(&b);
}

TEST(folder_of_another_user) {
  bed b;
  if (!open_bed(&b)) return;
  if (geteuid() == 0) {
    CHECK(mkdir(b.cache, 0700) == 0 && chown(b.cache, 12345, (gid_t)-1) == 0);
  } else {
    b.options.folder = "/usr"; // root's
  }
  check_falls_back(&b, AP_E_FILE, "belongs to another user");
  close_bed(&b);
}

TEST(folder_that_cannot_be_written) {
  bed b;
  if (!open_bed(&b)) return;
  if (geteuid() == 0) {
    test_skip("root may write everywhere (make test as another user)");
  } else {
    CHECK(mkdir(b.cache, 0500) == 0);
    check_falls_back(&b, AP_E_FILE, "cannot be written");
  }
  close_bed(&b);
}

TEST(damaged_object) {
  bed b;
  char path[256];
  if (!open_bed(&b)) return;
  object_path(&b, path);
  struct stat s;
  CHECK(stat(path, &s) == 0);
  CHECK(truncate(path, s.st_size / 2) == 0); // would end a process that loads it
  check_compiles(&b);
  int fd = open(path, O_WRONLY);
  CHECK(fd >= 0 && pwrite(fd, "damage", 6, s.st_size / 2) == 6 && close(fd) == 0);
  check_compiles(&b);
  CHECK(truncate(path, 0) == 0);
  check_compiles(&b);
  CHECK(unlink(path) == 0 && symlink("/dev/zero", path) == 0);
  check_compiles(&b);
  close_bed(&b);
}

// A whole object under the name of another one.
TEST(stale_object) {
  bed b;
  char first[256], second[256];
  if (!open_bed(&b)) return;
  object_path(&b, first);
  b.options.functions = 1u << AP_GEN_GRAVITY;
  object_path(&b, second);
  CHECK(strcmp(first, second) != 0);
  CHECK(rename(second, first) == 0);
  b.options.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD;
  check_compiles(&b);
  close_bed(&b);
}

TEST(processes_at_once) {
  bed b;
  if (!open_bed(&b)) return;
  pid_t child[4];
  for (int k = 0; k < 4; k++) {
    child[k] = fork();
    if (child[k] != 0) continue;
    ap_compiled *c = NULL;
    _exit(ap_compile(b.m, &b.options, &c, NULL) == AP_OK && ap_compiled_path(c) ? 0 : 1);
  }
  for (int k = 0; k < 4; k++) {
    int status = -1;
    CHECK(child[k] > 0 && waitpid(child[k], &status, 0) == child[k]);
    CHECK_EQ_INT(status, 0);
  }
  char command[160];
  snprintf(command, sizeof command, "test \"$(ls -A '%s' | wc -l)\" -eq 1", b.cache);
  CHECK_EQ_INT(system(command), 0);
  check_compiles(&b);
  close_bed(&b);
}

// A process that is killed while its compiler runs.
static void kill_while_compiling(bed *b) {
  write_script(b,
               "#!/bin/sh\ncase \" $* \" in *' -shared '*) kill -9 $PPID; exit 1 ;; esac\n"
               "exec cc \"$@\"\n");
  pid_t child = fork();
  if (child == 0) {
    ap_compiled *c = NULL;
    ap_compile(b->m, &b->options, &c, NULL);
    _exit(0);
  }
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  b->options.compiler = NULL;
}

// The number of entries in the cache whose name matches.
static int count_entries(const bed *b, const char *pattern) {
  char command[192];
  snprintf(command, sizeof command, "exit $(ls -d '%s'/%s 2>/dev/null | wc -l)", b->cache, pattern);
  int status = system(command);
  return CHECK(WIFEXITED(status)) ? WEXITSTATUS(status) : -1;
}

static void make_old(const bed *b) {
  char command[192];
  snprintf(command, sizeof command, "touch -h -d '2 days ago' '%s'/part-*", b->cache);
  CHECK_EQ_INT(system(command), 0);
}

// What it leaves goes away when it is old, not before: someone may be working there.
TEST(killed_process) {
  bed b;
  if (!open_bed(&b)) return;
  kill_while_compiling(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  CHECK_EQ_INT(count_entries(&b, "*.so"), 0);
  check_compiles(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  char kept[160], link[160];
  snprintf(kept, sizeof kept, "%s/kept", b.folder);
  snprintf(link, sizeof link, "%s/part-abcdef", b.cache);
  CHECK(mkdir(kept, 0700) == 0 && symlink(kept, link) == 0); // not a folder of ours
  make_old(&b);
  strcat(kept, "/file");
  int fd = open(kept, O_CREAT | O_WRONLY, 0600);
  CHECK(fd >= 0 && close(fd) == 0);
  b.options.flags = "-O0 -DOTHER_FLAGS"; // another key, to be compiled
  check_compiles(&b);
  CHECK_EQ_INT(count_entries(&b, "part-*"), 1);
  CHECK(access(kept, F_OK) == 0 && access(link, F_OK) == 0);
  close_bed(&b);
}

// As on a disk that is full: no file may grow beyond some bytes.
TEST(no_room) {
  bed b;
  if (!open_bed(&b)) return;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}) == 0);
    ap_compiled *c = NULL;
    ap_status status = ap_compile(b.m, &b.options, &c, NULL);
    _exit(status == AP_E_FILE && c && !ap_compiled_path(c) ? 0 : 1);
  }
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_EQ_INT(status, 0);
  CHECK_EQ_INT(count_entries(&b, "*"), 0);
  check_compiles(&b);
  close_bed(&b);
}

TEST(arguments_that_cannot_be) {
  bed b;
  if (!open_bed(&b)) return;
  ap_compiled *c = NULL;
  b.options.functions = 0;
  CHECK_STATUS(ap_compile(b.m, &b.options, &c, NULL), AP_E_ARG);
  CHECK(!c);
  ap_compiled_free(NULL);
  close_bed(&b);
}
