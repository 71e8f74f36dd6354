// SPDX-License-Identifier: Apache-2.0
// Generated code against the library, one core, in one run, as a Markdown table: nanoseconds per
// state of the library, of the generated functions, and of their batch forms in double and float.
//
//   generated [MODEL...]      a built-in name or a robot file, '+' before it for a free base
//
// CC and CFLAGS say how the generated text is compiled ("cc", "-O3 -march=native"). Each figure is
// the 10th percentile over many bursts, because a loaded machine only adds, each burst a walk
// through the same states; calls don't wait for each other. The last lines print what the reference
// core does: nanoseconds of a dependent integer multiplication, three cycles on every current
// x86-64 and AArch64 processor.

#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>

#include <math.h>
#include <stdint.h>

#include "clock.h"
#include "ends.h"
#include "generated.h"

// A power of two would put the same coordinate of all states into one set of the cache.
enum { STATES = 240, BURSTS = 400 };

typedef struct bench {
  const ap_model *m;
  ap_work *w;
  int nq, nv, end[MAX_ENDS], ends;
  double *q, *v, *a, *out;     // one state after the other
  double *bq, *bv, *ba, *bout; // coordinate by coordinate
  float *fq, *fv, *fa, *fout;
} bench;

typedef void derivatives_function(const double *, const double *, const double *, double *,
                                  double *, double *);
typedef void derivatives_batch(size_t, const void *, const void *, const void *, void *, void *,
                               void *);
typedef void one_batch(size_t, const void *, void *);
typedef void two_batch(size_t, const void *, const void *, void *);
typedef void three_batch(size_t, const void *, const void *, const void *, void *);

typedef void kinematics_function(const double *, double *, double *, double *);
typedef void kinematics_batch(size_t, const void *, void *, void *, void *);

static bool is_derivatives(ap_function f) {
  return f == AP_GEN_INVERSE_DERIVATIVES || f == AP_GEN_FORWARD_DERIVATIVES;
}

static size_t entries(const bench *b, ap_function f) {
  size_t n = (size_t)b->nv;
  if (f == AP_GEN_KINEMATICS) return (12 + 6 * n) * (size_t)b->ends;
  return is_derivatives(f) ? 3 * n * n : f == AP_GEN_INERTIA ? n * n : n;
}

// ---- one walk through the states ---------------------------------------------------------------

typedef void walk(bench *b, ap_function f, generated_function *g);

static void walk_library(bench *b, ap_function f, generated_function *g) {
  size_t n = entries(b, f);
  (void)g;
  for (int k = 0; k < STATES; k++) {
    const double *q = b->q + k * b->nq, *v = b->v + k * b->nv, *a = b->a + k * b->nv;
    double *out = b->out + (size_t)k * n;
    switch (f) {
      case AP_GEN_INVERSE: ap_inverse_dynamics(b->m, b->w, q, v, a, out); break;
      case AP_GEN_INERTIA: ap_inertia_matrix(b->m, b->w, q, out); break;
      case AP_GEN_BIAS: ap_bias(b->m, b->w, q, v, out); break;
      case AP_GEN_GRAVITY: ap_gravity_forces(b->m, b->w, q, out); break;
      case AP_GEN_INVERSE_DERIVATIVES:
        ap_inverse_dynamics_derivatives(b->m, b->w, q, v, a, out, out + n / 3, out + 2 * n / 3);
        break;
      case AP_GEN_FORWARD_DERIVATIVES:
        if (ap_forward_dynamics_derivatives(b->m, b->w, q, v, a, out, out + n / 3, out + 2 * n / 3))
          exit(1);
        break;
      case AP_GEN_KINEMATICS:
        if (ap_forward_kinematics(b->m, b->w, q, b->end, b->ends, AP_MIXED, out, out + 9 * b->ends,
                                  out + 12 * b->ends))
          exit(1);
        break;
      default:
        if (ap_forward_dynamics(b->m, b->w, q, v, a, out)) exit(1);
    }
  }
}

static int arguments(ap_function f) {
  return f == AP_GEN_INVERSE || f == AP_GEN_FORWARD ? 3 : f == AP_GEN_BIAS ? 2 : 1;
}

static void walk_scalar(bench *b, ap_function f, generated_function *g) {
  size_t n = entries(b, f);
  for (int k = 0; k < STATES; k++) {
    const double *q = b->q + k * b->nq, *v = b->v + k * b->nv, *a = b->a + k * b->nv;
    double *out = b->out + (size_t)k * n;
    if (f == AP_GEN_KINEMATICS)
      ((kinematics_function *)g)(q, out, out + 9 * b->ends, out + 12 * b->ends);
    else if (is_derivatives(f))
      ((derivatives_function *)g)(q, v, a, out, out + n / 3, out + 2 * n / 3);
    else if (arguments(f) == 3)
      ((three_arrays *)g)(q, v, a, out);
    else if (arguments(f) == 2)
      ((two_arrays *)g)(q, v, out);
    else
      ((one_array *)g)(q, out);
  }
}

// size: of a number
static void walk_arrays(const bench *b, ap_function f, generated_function *g, const void *q,
                        const void *v, const void *a, void *out, size_t size) {
  char *bytes = out;
  size_t third = entries(b, f) / 3 * STATES * size, ends = (size_t)b->ends * STATES * size;
  if (f == AP_GEN_KINEMATICS)
    ((kinematics_batch *)g)(STATES, q, bytes, bytes + 9 * ends, bytes + 12 * ends);
  else if (is_derivatives(f))
    ((derivatives_batch *)g)(STATES, q, v, a, bytes, bytes + third, bytes + 2 * third);
  else if (arguments(f) == 3)
    ((three_batch *)g)(STATES, q, v, a, out);
  else if (arguments(f) == 2)
    ((two_batch *)g)(STATES, q, v, out);
  else
    ((one_batch *)g)(STATES, q, out);
}

static void walk_batch(bench *b, ap_function f, generated_function *g) {
  walk_arrays(b, f, g, b->bq, b->bv, b->ba, b->bout, sizeof(double));
}

static void walk_batch_f32(bench *b, ap_function f, generated_function *g) {
  walk_arrays(b, f, g, b->fq, b->fv, b->fa, b->fout, sizeof(float));
}

static double measure(bench *b, ap_function f, walk *run, generated_function *g) {
  double t[BURSTS];
  if (!g && run != walk_library) return NAN;
  for (int i = -3; i < BURSTS; i++) {
    double start = now();
    run(b, f, g);
    if (i >= 0) t[i] = (now() - start) / STATES;
  }
  qsort(t, BURSTS, sizeof t[0], by_size);
  return t[BURSTS / 10];
}

// ---- models ------------------------------------------------------------------------------------

static void *memory(size_t size) {
  void *p = calloc(1, size);
  if (!p) exit(1);
  return p;
}

// Coordinates as a generator of the smallest kind gives them: nothing is hoisted, all is normal.
static void random_states(bench *b) {
  uint64_t seed = 1;
  double step[512];
  for (int k = 0; k < STATES; k++) {
    for (int j = 0; j < 3 * b->nv; j++) {
      seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      double x = (double)(seed >> 11) * 0x1p-52 - 1;
      if (j < b->nv)
        step[j] = 3 * x;
      else
        (j < 2 * b->nv ? b->v : b->a)[k * b->nv + j % b->nv] = x;
    }
    ap_neutral(b->m, b->q + k * b->nq);
    ap_integrate(b->m, b->q + k * b->nq, step, b->q + k * b->nq);
    for (int j = 0; j < b->nq; j++)
      b->fq[j * STATES + k] = (float)(b->bq[j * STATES + k] = b->q[k * b->nq + j]);
    for (int j = 0; j < b->nv; j++) {
      b->fv[j * STATES + k] = (float)(b->bv[j * STATES + k] = b->v[k * b->nv + j]);
      b->fa[j * STATES + k] = (float)(b->ba[j * STATES + k] = b->a[k * b->nv + j]);
    }
  }
}

static bench start(const ap_model *m) {
  bench b = {.m = m, .nq = ap_nq(m), .nv = ap_nv(m)};
  b.ends = ends_of(m, b.end);
  size_t nq = (size_t)b.nq * STATES, nv = (size_t)b.nv * STATES, nm = 3 * nv * (size_t)b.nv;
  size_t kinematics = entries(&b, AP_GEN_KINEMATICS) * STATES;
  if (nm < kinematics) nm = kinematics;
  size_t size = ap_work_size(m);
  b.w = ap_work_init(m, memory(size), size);
  b.q = memory(nq * sizeof(double)), b.v = memory(nv * sizeof(double));
  b.a = memory(nv * sizeof(double)), b.out = memory(nm * sizeof(double));
  b.bq = memory(nq * sizeof(double)), b.bv = memory(nv * sizeof(double));
  b.ba = memory(nv * sizeof(double)), b.bout = memory(nm * sizeof(double));
  b.fq = memory(nq * sizeof(float)), b.fv = memory(nv * sizeof(float));
  b.fa = memory(nv * sizeof(float)), b.fout = memory(nm * sizeof(float));
  random_states(&b);
  return b;
}

static const char *setting(const char *variable, const char *standard) {
  const char *value = getenv(variable);
  return value ? value : standard;
}

static generated compile(const bench *b, ap_arithmetic arithmetic, double *seconds) {
  const ap_model *m = b->m;
  ap_generate_options options = ap_default_generate();
  options.arithmetic = arithmetic;
  options.frames = b->end, options.nframes = b->ends;
  options.functions &= ~(1u << AP_GEN_JACOBIAN | 1u << AP_GEN_REGRESSOR | 1u << AP_GEN_INTEGRATE |
                         1u << AP_GEN_DIFFERENCE);
  if (ap_nv(m) > 20) // minutes of a compiler
    options.functions &= ~(1u << AP_GEN_INVERSE_DERIVATIVES | 1u << AP_GEN_FORWARD_DERIVATIVES);
  double t = now();
  generated g =
      generated_open(m, &options, setting("CC", "cc"), setting("CFLAGS", "-O3 -march=native"));
  if (!g.library) exit(1);
  *seconds = (now() - t) * 1e-9;
  return g;
}

static void bench_model(const char *name, const ap_model *m) {
  double seconds, seconds_f32;
  bench b = start(m);
  generated f64 = compile(&b, AP_F64, &seconds), f32 = compile(&b, AP_F32, &seconds_f32);
  for (int k = 0; k < AP_FUNCTIONS; k++) {
    ap_function f = (ap_function)k;
    const char *what = ap_function_name(f);
    ap_count count;
    if (ap_code_count(f64.code, f, &count)) continue; // not generated
    printf("| %s | %s | %ld | %ld | %ld | %.1f | %.1f | %.1f | %.1f |\n", name, what, count.mul,
           count.add, count.div, measure(&b, f, walk_library, NULL),
           measure(&b, f, walk_scalar, generated_symbol(&f64, what, "")),
           measure(&b, f, walk_batch, generated_symbol(&f64, what, "_batch")),
           measure(&b, f, walk_batch_f32, generated_symbol(&f32, what, "_batch")));
  }
  printf("\n%s: generated and compiled in %.1f s (double) and %.1f s (float)\n\n", name, seconds,
         seconds_f32);
  generated_close(&f64), generated_close(&f32);
}

static void bench_argument(const char *argument) {
  ap_robot *robot;
  ap_model *model;
  ap_error error;
  const ap_read_options options = {.floating = argument[0] == '+'};
  const char *name = argument + (argument[0] == '+');
  ap_status status = ap_builtin(name) ? ap_robot_builtin(name, &options, &robot, &error)
                                      : ap_robot_read(name, &options, &robot, &error);
  if (status == AP_OK) status = ap_robot_model(robot, &model, &error);
  if (status != AP_OK) {
    fprintf(stderr, "%s: %s\n", name, error.text);
    exit(1);
  }
  const char *slash = strrchr(name, '/');
  bench_model(slash ? slash + 1 : name, model);
  ap_model_free(model);
  ap_robot_free(robot);
}

int main(int argc, char **argv) {
  printf(
      "| model | function | mul | add | div | library, ns | generated | batch | batch, float |\n");
  printf("|---|---|---|---|---|---|---|---|---|\n");
  for (int k = 1; k < argc; k++) bench_argument(argv[k]);
  if (argc < 2) bench_argument("puma600");
  printf("a dependent integer multiplication: %.3f ns\n", multiplication());
  return 0;
}
