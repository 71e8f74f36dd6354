// SPDX-License-Identifier: Apache-2.0
// Numbers and pointers that a careful program does not pass: they get a status and change nothing.

#include <appell/appell.h>
#include <appell/bench.h>
#include <appell/codegen.h>
#include <appell/compare.h>
#include <appell/ctrl.h>
#include <appell/delta.h>
#include <appell/five_bar.h>
#include <appell/ident.h>
#include <appell/impact.h>
#include <appell/loop.h>
#include <appell/rack.h>
#include <appell/servo.h>
#include <appell/sim.h>
#include <appell/traj.h>
#include <appell/wrist.h>

#include "test.h"

enum { MEMORY = 1 << 16 };
static unsigned char model_memory[MEMORY], work_memory[MEMORY];
static ap_model *m;
static ap_work *w;

static bool start(void) {
  m = ap_model_init(ap_builtin("puma600"), model_memory, MEMORY, NULL);
  if (!CHECK(m)) return false;
  w = ap_work_init(m, work_memory, MEMORY);
  return CHECK(w);
}

TEST(a_name_not_found_is_no_frame) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, zero[6] = {0};
  double x[36], before[36];
  for (int i = 0; i < 36; i++) x[i] = before[i] = i;
  ap_kinematics(m, w, q, zero, zero);
  const int bad[] = {ap_find_frame(m, "tool"), ap_nframe(m), 1 << 30};
  CHECK_EQ_INT(bad[0], -1);
  for (int k = 0; k < 3; k++) {
    CHECK(ap_frame_pose(m, w, bad[k], x, x + 9) == AP_E_ARG);
    CHECK(ap_frame_velocity(m, w, bad[k], AP_LOCAL, x) == AP_E_ARG);
    CHECK(ap_frame_acceleration(m, w, bad[k], AP_WORLD, x) == AP_E_ARG);
    CHECK(ap_frame_jacobian(m, w, bad[k], AP_MIXED, x) == AP_E_ARG);
    CHECK(ap_frame_jacobian_dot_v(m, w, bad[k], AP_LOCAL, x) == AP_E_ARG);
    ap_wrench push = {.frame = bad[k], .reference = AP_LOCAL, .force = {1, 2, 3}};
    CHECK(ap_inverse_dynamics_ext(m, w, q, zero, zero, &push, 1, x) == AP_E_ARG);
    CHECK(ap_forward_dynamics_ext(m, w, q, zero, zero, &push, 1, x) == AP_E_ARG);
    CHECK(ap_frame_name(m, bad[k]) == NULL);
    CHECK(ap_body(m, bad[k]) == NULL);
    CHECK_EQ_INT(ap_joint_q(m, bad[k]), -1);
    CHECK_EQ_INT(ap_joint_nv(m, bad[k]), 0);
    CHECK_EQ_INT(ap_body_mover(m, bad[k]), -1);
  }
  CHECK_BITS(x, before, 36);
}

TEST(absent_vectors_are_zeros) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, a[6], b[6], o[6] = {0};
  ap_gravity_forces(m, w, q, a);
  CHECK_OK(ap_set_payload(m, w, 6, 2, NULL, NULL));
  ap_gravity_forces(m, w, q, b);
  CHECK(b[1] != a[1]);
  CHECK_OK(ap_set_payload(m, w, 6, 2, o, o));
  double c[6];
  ap_gravity_forces(m, w, q, c);
  CHECK_BITS(c, b, 6);
  CHECK_OK(ap_set_payload(m, w, 6, 0, NULL, NULL));
  ap_gravity_forces(m, w, q, c);
  CHECK_BITS(c, a, 6);
}

TEST(inertias_that_nothing_has_are_refused) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, M[36], again[36], com[3] = {0};
  const double bad[] = {-1, 0, 0, -1, 0, -1}, shear[] = {1, 5, 0, 1, 0, 1};
  ap_inertia_matrix(m, w, q, M);
  CHECK(ap_set_payload(m, w, 6, 1, com, bad) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 6, 1, com, shear) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 6, -1, com, NULL) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 6, NAN, com, NULL) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 0, 1, com, NULL) == AP_E_ARG);
  CHECK(ap_set_inertia(m, w, 7, 1, com, NULL) == AP_E_ARG);
  ap_inertia_matrix(m, w, q, again);
  CHECK_BITS(again, M, 36);
}

// An axis has a direction whatever its length, and a body whose inertia is negative by less than is
// refused does not accelerate backwards.
TEST(odd_lengths_and_moments) {
  const double lengths[] = {1, 1e-320, 1e-200, 1e200, 1e308};
  ap_body_def b = ap_default_body();
  b.name = "b", b.joint = AP_REVOLUTE, b.mass = 1, b.com[0] = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = &b, robot.nbody = 1;
  for (int k = 0; k < 5; k++) {
    double q = 0.3, tau = 0;
    b.axis[0] = 0, b.axis[1] = lengths[k], b.axis[2] = 0;
    m = ap_model_init(&robot, model_memory, MEMORY, NULL);
    if (!CHECK(m)) continue;
    w = ap_work_init(m, work_memory, MEMORY);
    ap_gravity_forces(m, w, &q, &tau);
    CHECK(fabs(tau + 9.81 * cos(0.3)) < 1e-14);
  }
  double q = 0, v = 0, tau = 1, a = 7;
  b.mass = 0, b.com[0] = 0, b.axis[1] = 0, b.axis[2] = 1, b.inertia[5] = -9e-10;
  m = ap_model_init(&robot, model_memory, MEMORY, NULL);
  if (!CHECK(m)) return;
  w = ap_work_init(m, work_memory, MEMORY);
  CHECK(ap_forward_dynamics(m, w, &q, &v, &tau, &a) == AP_E_SINGULAR);
  CHECK(a == 7);
}

TEST(a_place_alone_needs_no_orientation) {
  if (!start()) return;
  double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, R[9], p[3], r[3];
  ap_kinematics(m, w, q, NULL, NULL);
  CHECK_OK(ap_frame_pose(m, w, 6, R, p));
  ap_ik_options options = ap_default_ik();
  double from[6] = {0.2, 0.1, 0.4, 0, 0, 0};
  CHECK(ap_inverse_kinematics(m, w, 6, NULL, p, &options, from, NULL) == AP_E_ARG);
  options.position_only = true;
  CHECK_OK(ap_inverse_kinematics(m, w, 6, NULL, p, &options, from, NULL));
  ap_kinematics(m, w, from, NULL, NULL);
  CHECK_OK(ap_frame_pose(m, w, 6, R, r));
  for (int i = 0; i < 3; i++) CHECK(fabs(r[i] - p[i]) < 1e-9);
}

// ---- definitions that do not start from their default function ----------------------------------

static ap_error error;

// A message that names the function to start from.
static bool names(const char *function) {
  bool named = error.status != AP_OK && strstr(error.text, function);
  error = (ap_error){0};
  return named;
}

static ap_status no_rate(void *context, double t, const double *y, double *dy) {
  (void)context, (void)t, (void)y, (void)dy;
  return AP_OK;
}

// Robot and body, closure, arms and wrist: each is accepted with its cookie.
TEST(a_robot_starts_from_its_default) {
  ap_body_def body = ap_default_body();
  body.name = "b", body.joint = AP_REVOLUTE, body.mass = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = &body, robot.nbody = 1;
  CHECK(ap_model_init(&robot, model_memory, MEMORY, &error));
  body.cookie = 0;
  CHECK(!ap_model_init(&robot, model_memory, MEMORY, &error) && names("ap_default_body()"));
  robot.cookie = 0;
  CHECK(!ap_model_init(&robot, model_memory, MEMORY, &error) && names("ap_default_robot()"));
  CHECK(!ap_reduce(&robot, &(ap_reduction_def){0}, work_memory, MEMORY, &error));
  CHECK(names("ap_default_robot()"));

  ap_mechanism_def closed = *ap_mechanism_builtin("five-bar");
  ap_closure_def closure = closed.closures[0];
  closed.closures = &closure;
  CHECK(ap_mechanism_init(&closed, work_memory, MEMORY, &error));
  closure.cookie = 0;
  CHECK(!ap_mechanism_init(&closed, work_memory, MEMORY, &error) && names("ap_default_closure()"));
  closed.robot = &robot;
  CHECK(!ap_mechanism_init(&closed, work_memory, MEMORY, &error) && names("ap_default_robot()"));

  ap_five_bar_def five_bar = ap_default_five_bar();
  ap_delta_def delta = ap_default_delta();
  ap_wrist_def wrist = ap_agile_wrist();
  five_bar.cookie = delta.cookie = wrist.cookie = 0;
  CHECK(!ap_five_bar_init(&five_bar, work_memory, MEMORY, &error) && names("ap_default_five_bar"));
  CHECK(!ap_delta_init(&delta, work_memory, MEMORY, &error) && names("ap_default_delta()"));
  CHECK(!ap_wrist_init(&wrist, work_memory, MEMORY, &error) && names("ap_agile_wrist()"));
}

TEST(a_rollout_and_a_search_start_from_their_defaults) {
  if (!start()) return;
  double q[6] = {0}, v[6] = {0}, p[3] = {0.2, 0.2, 0.2};
  ap_ik_options search = ap_default_ik();
  search.position_only = true, search.cookie = 0;
  CHECK(ap_inverse_kinematics(m, w, 6, NULL, p, &search, q, NULL) == AP_E_ARG);
  void *memory = malloc(ap_batch_size(m)), *memory_f32 = malloc(ap_batch_size_f32(m));
  ap_rollout r = ap_default_rollout();
  ap_rollout_f32 r_f32 = ap_default_rollout_f32();
  ap_batch *batch = ap_batch_init(m, memory, ap_batch_size(m));
  ap_batch_f32 *batch_f32 = ap_batch_init_f32(m, memory_f32, ap_batch_size_f32(m));
  float q_f32[6] = {0}, v_f32[6] = {0};
  ap_states one = ap_all_states(1, AP_ROWS);
  r.steps = r_f32.steps = 1;
  CHECK_OK(ap_batch_rollout(m, batch, one, &r, q, v, NULL));
  CHECK_OK(ap_batch_rollout_f32(m, batch_f32, one, &r_f32, q_f32, v_f32, NULL));
  r.cookie = r_f32.cookie = 0;
  CHECK(ap_batch_rollout(m, batch, one, &r, q, v, NULL) == AP_E_ARG);
  CHECK(ap_batch_rollout_f32(m, batch_f32, one, &r_f32, q_f32, v_f32, NULL) == AP_E_ARG);
  free(memory), free(memory_f32);
}

TEST(a_run_starts_from_its_default) {
  if (!start()) return;
  ap_wall wall = ap_default_wall();
  ap_scene scene = ap_default_scene();
  ap_ode_options steps = ap_default_ode_options();
  ap_sim *sim;
  ap_ode *ode;
  wall.cookie = scene.cookie = steps.cookie = 0;
  CHECK(!ap_surface_init(&wall, work_memory, MEMORY, &error) && names("ap_default_wall()"));
  CHECK_STATUS(ap_ode_create(1, no_rate, NULL, &steps, &ode, &error), AP_E_ARG);
  CHECK(names("ap_default_ode_options()"));
  scene.model = m;
  CHECK_STATUS(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK(names("ap_default_scene()"));
  scene.cookie = AP_COOKIE;
  scene.wall = &wall, scene.nwall = 1;
  CHECK_STATUS(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK(names("ap_default_wall()"));
}

TEST(a_controller_starts_from_its_default) {
  if (!start()) return;
  double q[6] = {0}, there[6] = {1, 1, 1, 1, 1, 1};
  ap_axis axis[6];
  for (int j = 0; j < 6; j++) axis[j] = ap_default_axis();
  ap_ctrl_def law = ap_default_ctrl();
  ap_sim_rack_def bench = ap_default_sim_rack();
  ap_servo_def def = ap_default_servo();
  ap_rack rack;
  ap_servo *servo = NULL;
  ap_traj *way = NULL;
  law.model = bench.model = m, bench.axis = def.axis = axis, bench.q = q;
  void *memory = malloc(ap_ctrl_size(m));
  def.ctrl = ap_ctrl_init(&law, memory, ap_ctrl_size(m), &error), def.rack = &rack;
  CHECK(def.ctrl);
  CHECK_OK(ap_rack_simulated(&bench, &rack, &error));
  CHECK_OK(
      ap_traj_quintic(6, &(ap_traj_state){.q = q}, &(ap_traj_state){.q = there}, 1, &way, &error));
  def.reference = way;
  axis[3].cookie = 0;
  CHECK_STATUS(ap_servo_create(&def, &servo, &error), AP_E_ARG);
  CHECK(names("ap_default_axis()"));
  def.guards.cookie = 0;
  CHECK_STATUS(ap_servo_create(&def, &servo, &error), AP_E_ARG);
  CHECK(names("ap_default_guards()"));
  def.cookie = 0;
  CHECK_STATUS(ap_servo_create(&def, &servo, &error), AP_E_ARG);
  CHECK(names("ap_default_servo()"));
  ap_rack_close(&rack);
  CHECK_STATUS(ap_rack_simulated(&bench, &rack, &error), AP_E_ARG);
  CHECK(names("ap_default_axis()"));
  bench.cookie = 0;
  CHECK_STATUS(ap_rack_simulated(&bench, &rack, &error), AP_E_ARG);
  CHECK(names("ap_default_sim_rack()"));
  law.cookie = 0;
  CHECK(!ap_ctrl_init(&law, memory, ap_ctrl_size(m), &error) && names("ap_default_ctrl()"));
  ap_traj_free(way), free(memory);
}

TEST(what_measures_and_generates_starts_from_its_default) {
  if (!start()) return;
  ap_generate_options generate = ap_default_generate();
  ap_compile_options compile = ap_default_compile();
  ap_compare_options compare = ap_default_compare();
  ap_bench_options bench = ap_default_bench();
  ap_code *code;
  ap_compiled *compiled;
  ap_comparison comparison;
  ap_bench found;
  generate.cookie = compile.cookie = compare.cookie = bench.cookie = 0;
  CHECK_STATUS(ap_generate(m, &generate, &code, &error), AP_E_ARG);
  CHECK(names("ap_default_generate()"));
  CHECK_STATUS(ap_compile(m, &compile, &compiled, &error), AP_E_ARG);
  CHECK(names("ap_default_compile()"));
  CHECK_STATUS(ap_compare(m, &compare, &comparison, &error), AP_E_ARG);
  CHECK(names("ap_default_compare()"));
  CHECK_STATUS(ap_bench_run(m, &bench, &found, &error), AP_E_ARG);
  CHECK(names("ap_default_bench()"));
}

TEST(an_identification_starts_from_its_default) {
  if (!start()) return;
  ap_ident *ident = NULL;
  CHECK_OK(ap_ident_create(m, &(ap_ident_options){0}, &ident, &error));
  ap_prepare_options prepare = ap_default_prepare();
  ap_excite_options excite = ap_default_excite();
  ap_fit_options how = ap_default_fit();
  ap_base *base = NULL;
  ap_reduction *reduction = NULL;
  ap_fit *fit;
  ap_dataset *states;
  ap_traj *way;
  double t[2] = {0, 1}, x[12] = {0};
  ap_samples samples = {.n = 2, .t = t, .q = x, .v = x, .a = x, .tau = x};
  CHECK_OK(ap_base_find(ident, AP_BASE_QR, &base, &error));
  CHECK_OK(ap_reduction_create(ident, 1, &reduction, &error));
  prepare.cookie = excite.cookie = how.cookie = 0;
  CHECK_STATUS(ap_dataset_prepare(ident, &samples, &prepare, &states, &error), AP_E_ARG);
  CHECK(names("ap_default_prepare()"));
  CHECK_STATUS(ap_excite(ident, base, &excite, &way, NULL, &error), AP_E_ARG);
  CHECK(names("ap_default_excite()"));
  CHECK_STATUS(ap_fit_make(reduction, base, AP_FIT_QR, &how, &fit, &error), AP_E_ARG);
  CHECK(names("ap_default_fit()"));
  ap_reduction_free(reduction), ap_base_free(base), ap_ident_free(ident);
}
