// SPDX-License-Identifier: Apache-2.0
// CUDA text, without a GPU: what it has for the device is C++ but for a few words. With these
// defined away a compiler for the processor makes functions of it that give the bits of the C text.

#include <appell/batch.h>
#include <appell/kin.h>

#include "cuda_pair.h"

enum { MOST = 32 };

// What nvcc and its headers define, as far as the device's functions need it; functions of sines
// and cosines come from the system.
static const char stub[] =
    "#include <cmath>\n"
    "#define __device__\n"
    "#define __noinline__ __attribute__((noinline))\n"
    "#define __forceinline__ inline\n"
    "typedef int cudaError_t;\n"
    "typedef void *cudaStream_t;\n";

// Entry points for the test: the device's functions under plain names.
static const char entries[] =
    "#define __CUDACC__\n"
    "#include \"gpu.cuh\"\n"
    "extern \"C\" void gpu_inverse(const REAL *q, const REAL *v, const REAL *a, REAL *o) {\n"
    "  gpu_inverse_dynamics(q, v, a, o);\n"
    "}\n"
    "extern \"C\" int gpu_forward(const REAL *q, const REAL *v, const REAL *tau, REAL *o) {\n"
    "  return gpu_forward_dynamics(q, v, tau, o);\n"
    "}\n"
    "extern \"C\" void move(const REAL *q, const REAL *v, REAL *to) { gpu_integrate(q, v, to); }\n"
    "extern \"C\" void apart(const REAL *q, const REAL *to, REAL *v) {\n"
    "  gpu_difference(q, to, v);\n"
    "}\n"
    "extern \"C\" int roll(REAL *q, REAL *v, const REAL *force, const REAL *target_q,\n"
    "                    const REAL *target_v, const REAL *kp, const REAL *kd, REAL dt) {\n"
    "  REAL tau[gpu_NV], a[gpu_NV], x[gpu_NQ], u[gpu_NV];\n"
    "  gpu_rollout_forces(q, v, force, target_q, target_v, kp, kd, tau);\n"
    "  const int failed = gpu_forward_dynamics(q, v, tau, a);\n"
    "  gpu_rollout_step(q, v, a, &dt, x, u);\n"
    "  memcpy(q, x, sizeof x);\n"
    "  memcpy(v, u, sizeof u);\n"
    "  return failed;\n"
    "}\n";

static bool open_pair(pair *p, const ap_model *m, ap_arithmetic real) {
  *p = (pair){.folder = "/tmp/appell-cuda-XXXXXX"};
  if (!CHECK(m) || !CHECK(mkdtemp(p->folder))) return false;
  const unsigned functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD | 1u << AP_GEN_INTEGRATE |
                             1u << AP_GEN_DIFFERENCE;
  bool good = generate(p, m, real, AP_TARGET_C, "cpu", functions) &&
              generate(p, m, real, AP_TARGET_CUDA, "gpu", functions) &&
              save(p, "cuda_runtime.h", stub) && save(p, "entries.cpp", entries);
  char command[512];
  snprintf(
      command, sizeof command,
      "cd '%s' && g++ -std=c++17 -O1 %s -ffp-contract=off -fPIC -I. -DREAL=%s -c entries.cpp && "
      "cc -std=c11 -O1 %s -fPIC -c cpu.c && g++ -shared entries.o cpu.o -o both.so",
      p->folder, fusing, real == AP_F32 ? "float" : "double", fusing);
  return good && load_pair(p, command);
}

typedef void inverse_f64(const double *, const double *, const double *, double *);
typedef int forward_f64(const double *, const double *, const double *, double *);
typedef void inverse_f32(const float *, const float *, const float *, float *);

static void check_f64(const char *robot) {
  pair p;
  ap_model *m = builtin(robot);
  test_context("%s", robot);
  if (open_pair(&p, m, AP_F64)) {
    inverse_f64 *cpu = (inverse_f64 *)find(&p, "cpu_inverse_dynamics");
    inverse_f64 *gpu = (inverse_f64 *)find(&p, "gpu_inverse");
    forward_f64 *cpu_forward = (forward_f64 *)find(&p, "cpu_forward_dynamics");
    forward_f64 *gpu_forward = (forward_f64 *)find(&p, "gpu_forward");
    rng r = rng_seed(5);
    for (int k = 0; k < 50; k++) {
      double x[3][MOST], one[MOST] = {0}, other[MOST] = {0};
      for (int i = 0; i < 3 * MOST; i++) x[i / MOST][i % MOST] = rng_uniform(&r, -4, 4);
      if (k == 0) x[0][1] = 1e9; // far away
      cpu(x[0], x[1], x[2], one), gpu(x[0], x[1], x[2], other);
      CHECK_BITS(one, other, MOST);
      CHECK_EQ_INT(cpu_forward(x[0], x[1], x[2], one), gpu_forward(x[0], x[1], x[2], other));
      CHECK_BITS(one, other, MOST);
    }
  }
  close_pair(&p);
  ap_model_free(m);
}

// Steps along a velocity and differences, against the library's; how far apart is up to the
// rounding of some ten operations on numbers of size 4, in series of both down to small turns.
static void check_manifold(const ap_model *m, const pair *p) {
  typedef void two_arrays(const double *, const double *, double *);
  two_arrays *move = (two_arrays *)find(p, "move"), *apart = (two_arrays *)find(p, "apart");
  rng r = rng_seed(8);
  double x[3][MOST], mine[MOST], v[MOST], turn = 3;
  for (int k = 0; k < 60; k++, turn *= 0.6) {
    for (int i = 0; i < 3 * MOST; i++) x[i / MOST][i % MOST] = rng_uniform(&r, -1, 1);
    for (int i = 0; i < ap_nv(m); i++) v[i] = turn * x[1][i];
    ap_normalize(m, x[0]);
    ap_integrate(m, x[0], v, x[2]);
    move(x[0], v, mine);
    CHECK_WITHIN(mine, x[2], ap_nq(m), 1e-14);
    ap_difference(m, x[0], x[2], v);
    apart(x[0], x[2], mine);
    CHECK_WITHIN(mine, v, ap_nv(m), 1e-13);
  }
}

// Steps of a rollout towards a target, against the library's rollouts; how far apart they are is up
// to the rounding of the accelerations through so many steps.
static void check_rollout(const ap_model *m, const pair *p) {
  enum { STEPS = 20 };
  typedef int roll(double *, double *, const double *, const double *, const double *,
                   const double *, const double *, double);
  roll *step = (roll *)find(p, "roll");
  rng random = rng_seed(9);
  double x[8][MOST], q[MOST], v[MOST];
  for (int i = 0; i < 8 * MOST; i++) x[i / MOST][i % MOST] = rng_uniform(&random, 0.1, 1);
  ap_normalize(m, x[0]), ap_normalize(m, x[3]);
  memcpy(q, x[0], sizeof q), memcpy(v, x[1], sizeof v);
  size_t size = ap_batch_size(m);
  void *memory = malloc(size);
  ap_batch *batch = ap_batch_init(m, memory, size);
  ap_rollout r = ap_default_rollout();
  r.steps = STEPS, r.tau = x[2], r.target_q = x[3], r.target_v = x[4], r.kp = x[5], r.kd = x[6];
  CHECK_OK(ap_batch_rollout(m, batch, ap_all_states(1, AP_ROWS), &r, q, v, NULL));
  for (int k = 0; k < STEPS; k++)
    CHECK_EQ_INT(step(x[0], x[1], x[2], x[3], x[4], x[5], x[6], r.dt), 0);
  CHECK_WITHIN(x[0], q, ap_nq(m), 1e-12);
  CHECK_WITHIN(x[1], v, ap_nv(m), 1e-10);
  free(memory);
}

static bool has_compilers(void) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("fma")) return false;
#endif
  return system("command -v g++ >/dev/null 2>&1 && command -v cc >/dev/null 2>&1") == 0;
}

// A free body that carries a ball joint and, on that, an axis.
static ap_model *turning_robot(void *memory, size_t room) {
  static const ap_joint_type joint[] = {AP_FREE, AP_SPHERICAL, AP_REVOLUTE};
  static const char *const name[] = {"body", "ball", "arm"};
  ap_body_def body[3];
  for (int k = 0; k < 3; k++) {
    body[k] = ap_default_body();
    body[k].name = name[k], body[k].joint = joint[k];
    body[k].parent = k;
    body[k].mass = 2 + k;
    for (int i = 0; i < 6; i++) body[k].inertia[i] = i == 0 || i == 3 || i == 5 ? 0.1 : 0.01;
  }
  ap_robot_def def = {
      .name = "turning", .bodies = body, .nbody = 3, .gravity = {0, 0, -9.81}, .cookie = AP_COOKIE};
  return ap_model_init(&def, memory, room, NULL);
}

TEST(steps_on_the_manifold) {
  if (!has_compilers()) {
    test_skip("g++ (scripts/setup ci) or fused products are missing");
    return;
  }
  static unsigned char memory[16384];
  ap_model *const robot[] = {builtin("quadruped"), turning_robot(memory, sizeof memory)};
  for (int k = 0; k < 2; k++) {
    pair p;
    if (open_pair(&p, robot[k], AP_F64)) check_manifold(robot[k], &p), check_rollout(robot[k], &p);
    close_pair(&p);
  }
  ap_model_free(robot[0]);
}

TEST(device_functions_give_the_bits_of_c) {
  if (!has_compilers()) {
    test_skip("g++ (scripts/setup ci) or fused products are missing");
    return;
  }
  check_f64("puma600");
  check_f64("quadruped");
}

TEST(device_functions_in_float) {
  pair p;
  if (!has_compilers()) {
    test_skip("g++ (scripts/setup ci) or fused products are missing");
    return;
  }
  ap_model *m = builtin("stanford");
  if (open_pair(&p, m, AP_F32)) {
    inverse_f32 *cpu = (inverse_f32 *)find(&p, "cpu_inverse_dynamics");
    inverse_f32 *gpu = (inverse_f32 *)find(&p, "gpu_inverse");
    rng r = rng_seed(6);
    for (int k = 0; k < 50; k++) {
      float x[3][MOST], one[MOST] = {0}, other[MOST] = {0};
      for (int i = 0; i < 3 * MOST; i++) x[i / MOST][i % MOST] = (float)rng_uniform(&r, -4, 4);
      cpu(x[0], x[1], x[2], one), gpu(x[0], x[1], x[2], other);
      CHECK_BITS(one, other, MOST);
    }
  }
  close_pair(&p);
  ap_model_free(m);
}

TEST(text_is_always_the_same_and_names_what_there_is) {
  ap_robot *r;
  ap_model *m;
  ap_error error;
  ap_code *code[2];
  ap_generate_options o = ap_default_generate();
  o.target = AP_TARGET_CUDA;
  const char *const robots[] = {"puma600", "quadruped"};
  for (int k = 0; k < 2; k++) {
    if (!CHECK_OK(ap_robot_builtin(robots[k], NULL, &r, &error))) return;
    if (!CHECK_OK(ap_robot_model(r, &m, &error))) return;
    for (int i = 0; i < 2; i++) CHECK_OK(ap_generate(m, &o, &code[i], &error));
    CHECK_STR(ap_code_source(code[0]), ap_code_source(code[1]));
    CHECK_STR(ap_code_header(code[0]), ap_code_header(code[1]));
    CHECK_STR(ap_code_ending(code[0], false), ".cu");
    CHECK_STR(ap_code_ending(code[0], true), ".cuh");
    CHECK_HAS(ap_code_header(code[0]), "_inverse_dynamics_launch(size_t n, ");
    CHECK_HAS(ap_code_header(code[0]), "_rollout_launch(size_t n, ");
    for (int i = 0; i < 2; i++) ap_code_free(code[i]);
    ap_model_free(m);
    ap_robot_free(r);
  }
}

TEST(unknown_target) {
  ap_robot *r;
  ap_model *m;
  ap_error error;
  ap_code *code;
  ap_generate_options o = ap_default_generate();
  o.target = (ap_target)7;
  if (!CHECK_OK(ap_robot_builtin("scara", NULL, &r, &error))) return;
  if (!CHECK_OK(ap_robot_model(r, &m, &error))) return;
  CHECK_STATUS(ap_generate(m, &o, &code, &error), AP_E_ARG);
  CHECK_HAS(error.text, "as C, CUDA or for CasADi");
  ap_model_free(m);
  ap_robot_free(r);
}
