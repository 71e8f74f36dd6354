// SPDX-License-Identifier: Apache-2.0
// The regressor: operations and time. Identification: time and memory of ten million rows.
//
//     build/bench/identification [ROWS]

#include <appell/ident.h>
#include <appell/research.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double peak_megabytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024 : NAN;
}

// A built-in robot with its work, and states of a smooth motion.
typedef struct robot {
  ap_model *m;
  ap_work *w;
  void *memory[2];
} robot;

static robot robot_of(const char *name) {
  robot r = {NULL, NULL, {NULL, NULL}};
  size_t size = ap_model_size(ap_builtin(name));
  r.memory[0] = malloc(size);
  r.m = ap_model_init(ap_builtin(name), r.memory[0], size, NULL);
  size = ap_work_size(r.m);
  r.memory[1] = malloc(size);
  r.w = ap_work_init(r.m, r.memory[1], size);
  return r;
}

static void robot_free(robot *r) { free(r->memory[0]), free(r->memory[1]); }

static void state_at(const ap_model *m, double t, double *q, double *v, double *a) {
  ap_neutral(m, q);
  for (int j = 0; j < ap_nv(m); j++) {
    double f = 1 + 0.37 * j, at = f * t + j;
    if (ap_nq(m) == ap_nv(m)) q[j] = sin(at);
    v[j] = f * cos(at), a[j] = -f * f * sin(at);
  }
}

// ---- the regressor -----------------------------------------------------------------------------

static void count_operations(const ap_model *m, const double *in, double *K, ap_count *count) {
  size_t size = ap_study_size(m, AP_COUNT);
  void *memory = malloc(size);
  ap_study *s = ap_study_init(m, AP_COUNT, memory, size);
  if (s) ap_study_regressor(s, in, K, count);
  free(memory);
}

static double best_time(robot *r, const double *q, const double *v, const double *a, double *K) {
  double best = INFINITY;
  for (int turn = 0; turn < 200; turn++) {
    double start = seconds();
    for (int k = 0; k < 20; k++) ap_regressor(r->m, r->w, q, v, a, K);
    best = fmin(best, (seconds() - start) / 20);
  }
  return best;
}

static void show_regressor(const char *name) {
  robot r = robot_of(name);
  size_t nq = (size_t)ap_nq(r.m), nv = (size_t)ap_nv(r.m);
  size_t columns = 10 * (size_t)ap_moving_bodies(r.m);
  double *in = malloc((nq + 2 * nv) * sizeof *in), *K = malloc(nv * columns * sizeof *K);
  ap_count count = {0};
  if (in && K) {
    state_at(r.m, 0.4, in, in + nq, in + nq + nv);
    count_operations(r.m, in, K, &count);
    double time = best_time(&r, in, in + nq, in + nq + nv, K);
    printf("%-12s %4zu x %-4zu %8ld %8ld %10.0f\n", name, nv, columns, count.mul, count.add,
           1e9 * time);
  }
  free(in), free(K), robot_free(&r);
}

// ---- many rows ---------------------------------------------------------------------------------

static int reduce(long rows) {
  const ap_ident_options look_for = {.rotor = true, .viscous = true, .coulomb = true};
  ap_ident *id = NULL;
  ap_base *base = NULL;
  ap_reduction *red = NULL;
  ap_fit *fit = NULL;
  ap_error error = {.text = ""};
  robot r = robot_of("puma600");
  ap_status status = ap_ident_create(r.m, &look_for, &id, &error);
  if (!status) status = ap_base_find(id, AP_BASE_QR, &base, &error);
  if (!status) status = ap_reduction_create(id, 5, &red, &error);
  double start = seconds();
  for (long k = 0; !status && k < rows / 6; k++) {
    double q[6], v[6], a[6], tau[6];
    state_at(r.m, 0.001 * (double)k, q, v, a);
    ap_inverse_dynamics(r.m, r.w, q, v, a, tau);
    ap_reduction_add(red, q, v, a, tau);
  }
  double time = seconds() - start;
  if (!status) status = ap_fit_make(red, base, AP_FIT_WEIGHTED, NULL, &fit, &error);
  if (status) printf("%s\n", error.text);
  if (fit)
    printf("\n%ld rows of %d parameters: %.1f s, %.2f us a row; %.0f MB at most\n", rows,
           ap_ident_count(id), time, 1e6 * time / (double)rows, peak_megabytes());
  ap_fit_free(fit), ap_reduction_free(red), ap_base_free(base), ap_ident_free(id);
  robot_free(&r);
  return status ? 1 : 0;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"ascher2", "scara",       "stanford",
                                      "puma600", "shafei-tree", "quadruped"};
  printf("%-12s %-11s %8s %8s %10s\n", "regressor", "size", "mul", "add", "ns");
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) show_regressor(names[k]);
  return reduce(argc > 1 ? strtol(argv[1], NULL, 10) : 10000000);
}
