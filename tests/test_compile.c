// SPDX-License-Identifier: Apache-2.0
// ap_compile(): what it loads computes what the library computes, and whoever computes with a work
// computes with it where it fits.

#include <appell/batch.h>
#include <appell/ctrl.h>
#include <appell/sim.h>

#include "compile_bed.h"

enum { STATES = 11 };

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
