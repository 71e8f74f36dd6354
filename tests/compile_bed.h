// SPDX-License-Identifier: Apache-2.0
// A robot with a cache of its own for code that is compiled while a test runs.

#ifndef AP_TESTS_COMPILE_BED_H
#define AP_TESTS_COMPILE_BED_H

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/file.h>

#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

enum { N = 6 };

// A robot, a work, and a folder of its own that goes away with everything in it.
typedef struct bed {
  ap_robot *robot;
  ap_model *m;
  void *memory;
  ap_work *w, *other; // other computes with the compiled functions
  char folder[64], cache[96], script[96];
  ap_compile_options options;
} bed;

static inline bool open_bed_with(bed *b, const char *robot) {
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

static inline bool open_bed(bed *b) { return open_bed_with(b, NULL); }

static inline void close_bed(bed *b) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", b->folder);
  CHECK_EQ_INT(system(command), 0);
  ap_model_free(b->m);
  ap_robot_free(b->robot);
  free(b->memory);
}

static inline void random_numbers(rng *r, double *x, int n) {
  for (int k = 0; k < n; k++) x[k] = rng_uniform(r, -2, 2);
}

// A work with the functions of c computes what the library computes.
static inline void check_functions(const bed *b, const ap_compiled *c) {
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
static inline void check_compiles(const bed *b) {
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
static inline void check_falls_back(const bed *b, ap_status status, const char *reason) {
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
static inline void write_script(bed *b, const char *text) {
  FILE *f = fopen(b->script, "w");
  if (!CHECK(f)) return;
  fputs(text, f);
  CHECK(fclose(f) == 0 && chmod(b->script, 0700) == 0);
  b->options.compiler = b->script;
}

// The one object of the cache.
static inline void object_path(const bed *b, char *path) {
  ap_compiled *c = NULL;
  path[0] = '\0';
  if (CHECK_OK(ap_compile(b->m, &b->options, &c, NULL))) strcpy(path, ap_compiled_path(c));
  ap_compiled_free(c);
}

#endif
