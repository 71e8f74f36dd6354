// SPDX-License-Identifier: Apache-2.0
// Time of the general algorithms on the built-in robots and on chains, one core, as a Markdown
// table. Each figure is the median over many short bursts with the 10th and 90th percentile beside
// it; q changes with every call, so nothing is hoisted. The column of cycles relates the median to
// the dependent integer multiplications that the same core does in that time: three cycles each on
// every current x86-64 and AArch64 processor, so a third of it compares machines by cycles. The
// last column is the median of single calls, each after a millisecond of such multiplications: what
// a call takes in a control loop. A call counts if the core was not taken away since the one
// before.
//
//   build/bench/dynamics [NAME]    only robots whose name contains NAME
//
// Where the variable APPELL_ROBOTS names a folder with panda.urdf, anymal.urdf, talos_reduced.urdf
// or others listed below, those too.

#include <appell/appell.h>
#include <appell/research.h>
#include <appell/file.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ends.h"

enum { BURSTS = 400, CALLS = 50, LOOPS = 100, MAX_NV = 128, MAX_NQ = 136 };

typedef struct {
  const ap_model *model;
  ap_work *work;
  double q[MAX_NQ], v[MAX_NV], a[MAX_NV], tau[MAX_NV];
  double M[MAX_NV * MAX_NV], D[2][MAX_NV * MAX_NV];
  ap_study *study; // for a method by name
  const ap_method *method;
  double in[MAX_NQ + 2 * MAX_NV];
  int end[MAX_ENDS], ends;
  double R[9 * MAX_ENDS], p[3 * MAX_ENDS], J[6 * MAX_NV * MAX_ENDS];
} bench;

static void inverse(bench *b) { ap_inverse_dynamics(b->model, b->work, b->q, b->v, b->a, b->tau); }
static void bias(bench *b) { ap_bias(b->model, b->work, b->q, b->v, b->tau); }
static void gravity(bench *b) { ap_gravity_forces(b->model, b->work, b->q, b->tau); }
static void inertia(bench *b) { ap_inertia_matrix(b->model, b->work, b->q, b->M); }
static void forward(bench *b) {
  if (ap_forward_dynamics(b->model, b->work, b->q, b->v, b->a, b->tau)) exit(1);
}
static void coriolis(bench *b) { ap_coriolis_matrix(b->model, b->work, b->q, b->v, b->M); }
static void inverse_derivatives(bench *b) {
  ap_inverse_dynamics_derivatives(b->model, b->work, b->q, b->v, b->a, b->D[0], b->D[1], b->M);
  b->tau[0] = b->D[0][0];
}
static void forward_derivatives(bench *b) {
  if (ap_forward_dynamics_derivatives(b->model, b->work, b->q, b->v, b->a, b->D[0], b->D[1], b->M))
    exit(1);
  b->tau[0] = b->D[0][0];
}
static void kinematics(bench *b) {
  if (ap_forward_kinematics(b->model, b->work, b->q, b->end, b->ends, AP_MIXED, b->R, b->p, b->J))
    exit(1);
  b->tau[0] = b->p[0] + b->J[0];
}
static void by_method(bench *b) {
  b->in[0] = b->q[0];
  if (ap_study_eval(b->study, b->method, b->in, b->M, NULL)) exit(1);
  b->tau[0] = b->M[0];
}

// ns of one call after a millisecond of other work, less what the clock takes of it.
static double in_a_loop(void (*call)(bench *), bench *b) {
  double t[LOOPS];
  int taken = 0;
  for (int i = 0; taken < LOOPS; i++) {
    long others = switches();
    work_elsewhere(1e6);
    double start = now(), before = now();
    call(b);
    t[taken] = (now() - before) - (before - start);
    if (i >= 10 * LOOPS || (i > 0 && switches() == others)) taken++;
  }
  qsort(t, LOOPS, sizeof t[0], by_size);
  return t[LOOPS / 2];
}

static void measure(const char *robot, const char *what, void (*call)(bench *), bench *b) {
  double t[BURSTS], q0 = b->q[0], cycle = multiplication() / 3;
  for (int i = 0; i < BURSTS; i++) {
    double start = now();
    for (int k = 0; k < CALLS; k++) {
      b->q[0] = q0 + 1e-4 * k + 1e-30 * b->tau[0]; // and the next call waits for this one
      call(b);
    }
    t[i] = (now() - start) / CALLS;
  }
  b->q[0] = q0;
  qsort(t, BURSTS, sizeof t[0], by_size);
  printf("| %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f |\n", robot, what, t[BURSTS / 2],
         t[BURSTS / 10], t[BURSTS * 9 / 10], t[BURSTS / 2] / cycle, in_a_loop(call, b));
}

static void *memory(size_t size) {
  void *p = malloc(size);
  if (!p) exit(1);
  return p;
}

static bench *start(const ap_robot_def *def) {
  ap_error error;
  size_t size = ap_model_size(def);
  ap_model *m = ap_model_init(def, memory(size), size, &error);
  if (!m) {
    fprintf(stderr, "bench: %s\n", error.text);
    exit(1);
  }
  bench *b = memory(sizeof *b);
  memset(b, 0, sizeof *b);
  b->model = m;
  b->work = ap_work_init(m, memory(ap_work_size(m)), ap_work_size(m));
  b->ends = ends_of(m, b->end);
  ap_neutral(m, b->q);
  for (int k = 0; k < ap_nv(m); k++) b->v[k] = 0.2 * sin(k), b->a[k] = 0.3 * cos(k);
  double step[MAX_NV];
  for (int k = 0; k < ap_nv(m); k++) step[k] = 0.1 * (k % 7 + 1);
  ap_integrate(m, b->q, step, b->q);
  size = ap_study_size(m, AP_F64);
  b->study = ap_study_init(m, AP_F64, memory(size), size);
  memcpy(b->in, b->q, sizeof(double) * (size_t)ap_nq(m));
  memcpy(b->in + ap_nq(m), b->v, sizeof(double) * (size_t)ap_nv(m));
  memcpy(b->in + ap_nq(m) + ap_nv(m), b->a, sizeof(double) * (size_t)ap_nv(m));
  return b;
}

static void bench_robot(const char *name, const ap_robot_def *def) {
  bench *b = start(def);
  measure(name, "inverse", inverse, b);
  measure(name, "bias", bias, b);
  measure(name, "gravity", gravity, b);
  measure(name, "inertia", inertia, b);
  measure(name, "forward", forward, b);
  measure(name, "kinematics", kinematics, b);
  measure(name, "coriolis", coriolis, b);
  measure(name, "d inverse", inverse_derivatives, b);
  measure(name, "d forward", forward_derivatives, b);
}

static bool wanted(const char *name, const char *part) { return !part || strstr(name, part); }

static void bench_builtins(const char *part) {
  for (int i = 0; ap_builtin_name(i); i++)
    if (wanted(ap_builtin_name(i), part))
      bench_robot(ap_builtin_name(i), ap_builtin(ap_builtin_name(i)));
}

static void bench_files(const char *folder, const char *part) {
  static const struct {
    const char *name;
    bool floating;
  } files[] = {{"panda", false}, {"anymal", true}, {"talos_reduced", true}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char path[1024];
    ap_robot *robot;
    ap_error error;
    ap_read_options options = {.floating = files[i].floating};
    if (!wanted(files[i].name, part)) continue;
    snprintf(path, sizeof path, "%s/%s.urdf", folder, files[i].name);
    if (ap_robot_read(path, &options, &robot, &error))
      fprintf(stderr, "bench: %s\n", error.text);
    else
      bench_robot(files[i].name, ap_robot_definition(robot)), ap_robot_free(robot);
  }
}

// A chain of n revolute joints with changing axes.
static const ap_robot_def *chain(int n) {
  static ap_body_def body[MAX_NV];
  static char name[MAX_NV][16];
  static ap_robot_def robot;
  for (int i = 0; i < n; i++) {
    body[i] = ap_default_body();
    snprintf(name[i], sizeof name[i], "link%d", i + 1);
    body[i].name = name[i];
    body[i].parent = i;
    body[i].joint = AP_REVOLUTE;
    body[i].place.kind = AP_DH_MODIFIED;
    body[i].place.alpha = i % 2 ? 0.7 : -1.1, body[i].place.a = 0.1, body[i].place.d = 0.05;
    body[i].mass = 1, body[i].com[0] = 0.05;
    body[i].inertia[0] = 0.001, body[i].inertia[3] = body[i].inertia[5] = 0.002;
  }
  robot = ap_default_robot();
  robot.bodies = body, robot.nbody = n;
  return &robot;
}

static void bench_chains(const char *part) {
  const ap_method *by_matrix = ap_find_method(AP_FORWARD, "gibbs-cholesky");
  const ap_method *by_bodies = ap_find_method(AP_FORWARD, "articulated-body");
  const ap_method *in_link_frames = ap_find_method(AP_INERTIA, "gibbs-hessian");
  const ap_method *in_root_axes = ap_find_method(AP_INERTIA, "gibbs-hessian-root");
  const int sizes[] = {6, 8, 10, 12, 16, 24, 48, 96};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    char name[32];
    snprintf(name, sizeof name, "chain of %d", sizes[i]);
    if (!wanted(name, part)) continue;
    bench *b = start(chain(sizes[i]));
    measure(name, "inverse", inverse, b);
    measure(name, "inertia", inertia, b);
    measure(name, "kinematics", kinematics, b);
    measure(name, "d inverse", inverse_derivatives, b);
    measure(name, "d forward", forward_derivatives, b);
    b->method = in_link_frames;
    measure(name, "inertia, gibbs-hessian", by_method, b);
    b->method = in_root_axes;
    measure(name, "inertia, gibbs-hessian-root", by_method, b);
    b->method = by_matrix;
    measure(name, "forward, gibbs-cholesky", by_method, b);
    b->method = by_bodies;
    measure(name, "forward, articulated-body", by_method, b);
  }
}

int main(int argc, char **argv) {
  const char *part = argc > 1 ? argv[1] : NULL, *folder = getenv("APPELL_ROBOTS");
  bench *b = start(ap_builtin("puma600"));
  printf("instruction set %s, %.2f GHz by dependent multiplications\n\n", ap_work_isa(b->work),
         3 / multiplication());
  printf(
      "| robot | what | ns (median) | p10 | p90 | cycles | in a loop "
      "|\n|---|---|---|---|---|---|---|\n");
  bench_builtins(part);
  if (folder) bench_files(folder, part);
  bench_chains(part);
  return 0;
}
