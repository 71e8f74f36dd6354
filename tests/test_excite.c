// SPDX-License-Identifier: Apache-2.0
// Excitation: limits that hold at all times, obstacles that are kept clear of, joints that rest.

#include <appell/ident.h>

#include "excite_robots.h"
#include "ident/forces.h"
#include "identify.h"

static ap_robot *parse(const char *text) {
  ap_robot *robot = NULL;
  ap_error error = {.text = ""};
  if (!CHECK_OK(ap_robot_parse(text, strlen(text), "urdf", NULL, &robot, &error)))
    printf("  %s\n", error.text);
  return robot;
}

typedef struct scene {
  arm a;
  ap_capsule *capsules;
  ap_clearance *clearance;
  ap_excite_options o;
  ap_excitation found;
  ap_traj *t;
} scene;

// Self-collision and a floor; frame: in a box.
static bool scene_of(scene *s, const char *text, double floor, const char *frame,
                     const double *box) {
  ap_error *error = &s->a.error;
  int n;
  *s = (scene){.o = ap_default_excite()};
  if (!arm_of(&s->a, parse(text), (ap_ident_options){.viscous = true, .coulomb = true}))
    return false;
  ap_clearance_def def = ap_default_clearance();
  if (!CHECK_OK(ap_robot_capsules(s->a.robot, s->a.m, NULL, 0.05, &s->capsules, &n, error)))
    return false;
  def.capsules = s->capsules, def.ncapsules = n, def.floor = floor;
  def.least = s->o.distance + 1e-3;
  if (frame) def.frame = ap_find_frame(s->a.m, frame), memcpy(def.box, box, sizeof def.box);
  if (!CHECK_OK(ap_clearance_create(s->a.m, &def, &s->clearance, error))) return false;
  s->o.clearance = s->clearance, s->o.evaluations = 600;
  return true;
}

static void scene_free(scene *s) {
  ap_traj_free(s->t), ap_clearance_free(s->clearance), free(s->capsules), arm_free(&s->a);
}

static bool excite(scene *s) {
  const ap_status status = ap_excite(s->a.id, s->a.base, &s->o, &s->t, &s->found, &s->a.error);
  if (!CHECK_OK(status)) printf("  %s\n", s->a.error.text);
  return status == AP_OK;
}

// At 20000 times: 5 % to spare of the range at both ends, of speed, acceleration and force, and
// the distances that were asked for; and what is reported is not more than what is there.
static void hold_against_dense_times(scene *s) {
  enum { TIMES = 20000 };
  const ap_model *m = s->a.m;
  const double T = ap_traj_duration(s->t);
  double q[MOST_V], v[MOST_V], a[MOST_V], tau[MOST_V], position = 1, speed = 0, hard = 0, force = 0;
  ap_distances least = {INFINITY, INFINITY, INFINITY, {-1, -1}, -1, {0, 0, 0}};
  const size_t size = ap_work_size(m);
  void *memory = malloc(size);
  ap_work *w = ap_work_init(m, memory, size);
  ap_set_friction(m, w, true);
  const ap_robot_def *def = ap_robot_definition(s->a.robot);
  for (int k = 0; k <= TIMES; k++) {
    ap_distances here;
    ap_traj_at(s->t, T * k / TIMES, q, v, a);
    ap_inverse_dynamics(m, w, q, v, a, tau);
    for (int i = 0; i < def->nbody; i++) {
      const ap_body_def *b = &def->bodies[i];
      if (b->joint == AP_FIXED) continue;
      const int j = ap_joint_v(m, i + 1);
      const double low = fmax(b->lower, s->o.lower ? s->o.lower[j] : -INFINITY);
      const double high = fmin(b->upper, s->o.upper ? s->o.upper[j] : INFINITY);
      if (v[j] != 0) {
        position = fmin(position, fmin(q[j] - low, high - q[j]) / (high - low));
        const double scale = s->o.velocity_scale ? s->o.velocity_scale[j] : 1;
        speed = fmax(speed, fabs(v[j]) / b->velocity_limit / scale);
        hard = fmax(hard, fabs(a[j]) / s->o.acceleration);
      }
      force = fmax(force, fabs(tau[j]) / b->effort_limit);
    }
    if (s->clearance) {
      ap_clearance_at(s->clearance, w, q, &here);
      least.self = fmin(least.self, here.self), least.floor = fmin(least.floor, here.floor);
      least.box = fmin(least.box, here.box);
    }
  }
  const ap_excitation *x = &s->found;
  CHECK(position >= 0.05 && position >= x->position_spare - 1e-9 &&
        position <= x->position_spare + 1e-4);
  CHECK(1 - speed >= 0.05 && 1 - speed >= x->velocity_spare - 1e-9 &&
        1 - speed <= x->velocity_spare + 1e-4);
  CHECK(1 - hard >= 0.05 && 1 - hard >= x->acceleration_spare - 1e-9);
  CHECK(force <= 0.95 && force <= x->torque_use && force >= x->torque_use - 2e-3);
  CHECK(least.self >= s->o.distance && least.self >= x->distances.self);
  CHECK(least.floor >= s->o.distance && least.floor >= x->distances.floor);
  CHECK(least.box >= 0 && least.box >= x->distances.box);
  free(memory);
}

// An arm whose base stands on the floor, its tool in a box; the same seed gives the same motion.
TEST(an_arm_on_the_floor_keeps_clear) {
  const double box[6] = {-1, 1, -1, 1, 0.1, 1.3};
  double end[2][MOST_V];
  for (int turn = 0; turn < 2; turn++) {
    scene s;
    test_context("turn %d", turn);
    if (!scene_of(&s, standing, 0, "tool", box)) return;
    s.o.acceleration = 12;
    s.o.evaluations = 300;
    if (excite(&s)) {
      if (turn == 0) hold_against_dense_times(&s);
      CHECK(isfinite(s.found.criterion) && s.found.criterion > -1000);
      CHECK(isnan(s.found.first) || s.found.criterion > s.found.first);
      CHECK(isfinite(s.found.distances.self) && isfinite(s.found.distances.floor));
      ap_traj_at(s.t, 3.3, end[turn], NULL, NULL);
    }
    scene_free(&s);
  }
  CHECK_BITS(end[0], end[1], 6);
}

// The forearm of a humanoid can hit its torso; with scales and ranges of single joints.
TEST(a_humanoid_arm_spares_the_torso) {
  const double lower[4] = {-1.5, -INFINITY, -INFINITY, -INFINITY};
  const double upper[4] = {1, INFINITY, INFINITY, INFINITY}, scale[4] = {1, 0.5, 0.5, 1};
  scene s;
  if (!scene_of(&s, humanoid, -0.75, NULL, NULL)) return;
  s.o.lower = lower, s.o.upper = upper, s.o.velocity_scale = scale;
  if (excite(&s)) hold_against_dense_times(&s);
  CHECK_EQ_INT(s.found.excited, ap_base_count(s.a.base));
  scene_free(&s);
}

// Joints that rest stay where they are asked to, what they hide is said, and the criterion is
// that of what is left.
TEST(joints_rest) {
  const bool rests[6] = {true, false, false, true, true, true};
  double lower[6], upper[6];
  bool excited[MOST_P];
  scene s;
  if (!scene_of(&s, standing, 0, NULL, NULL)) return;
  for (int j = 0; j < 6; j++) lower[j] = -INFINITY, upper[j] = INFINITY;
  lower[4] = upper[4] = 0; // rests at 0 by either way
  s.o.rests = rests, s.o.lower = lower, s.o.upper = upper, s.o.excited = excited;
  s.o.evaluations = 300;
  if (excite(&s)) {
    double q[6], v[6];
    int n = 0;
    for (int k = 0; k <= 100; k++) {
      ap_traj_at(s.t, 0.1 * k, q, v, NULL);
      for (int j = 0; j < 6; j++) CHECK(!rests[j] || (q[j] == 0 && v[j] == 0));
    }
    for (int k = 0; k < ap_base_count(s.a.base); k++) {
      const char *name = ap_ident_name(s.a.id, ap_base_leader(s.a.base, k));
      n += excited[k];
      if (strstr(name, "j6.viscous") || strstr(name, "j1.coulomb")) CHECK(!excited[k]);
      if (strstr(name, "j2.viscous") || strstr(name, "j3.coulomb")) CHECK(excited[k]);
    }
    CHECK_EQ_INT(s.found.excited, n);
    CHECK(n > 6 && n < ap_base_count(s.a.base));
    CHECK(isfinite(s.found.condition) && s.found.condition < 1e4);
    hold_against_dense_times(&s);
  }
  ap_traj_free(s.t), s.t = NULL;
  lower[4] = upper[4] = 0.7; // a range without length: rests there
  s.o.rests = NULL, s.o.evaluations = 60;
  if (excite(&s)) {
    double q[6];
    ap_traj_at(s.t, 4, q, NULL, NULL);
    CHECK(q[4] == 0.7 && s.found.excited < ap_base_count(s.a.base));
  }
  scene_free(&s);
}

// What cannot be is said to be so, with the limit and a number; nothing is found then.
TEST(impossible_motions_are_named) {
  const double box[6] = {3, 4, -1, 1, 0.1, 1.3};
  scene s;
  if (!scene_of(&s, standing, 0.9, NULL, NULL)) return; // the arm hangs below
  s.o.evaluations = 60;
  s.found.criterion = 7;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, &s.found, &s.a.error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(s.a.error.text, "0.02 m above the floor");
  CHECK(s.t == NULL && s.found.criterion == 7);
  scene_free(&s);
  if (!scene_of(&s, standing, -INFINITY, "tool", box)) return; // out of reach
  s.o.evaluations = 60;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, &s.found, &s.a.error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(s.a.error.text, "leaves it by");
  scene_free(&s);
  if (!scene_of(&s, standing, -INFINITY, NULL, NULL)) return;
  s.o.evaluations = 60, s.o.distance = 1.5; // no two links are so far apart
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, &s.found, &s.a.error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(s.a.error.text, "come within");
  scene_free(&s);
  ap_robot *robot = parse(standing);
  ap_robot_def def = *ap_robot_definition(robot);
  ap_body_def body[16];
  for (int i = 0; i < def.nbody; i++) body[i] = def.bodies[i], body[i].effort_limit = 1;
  def.bodies = body;
  ap_robot *weak = NULL;
  CHECK_OK(ap_robot_from_definition(&def, &weak, NULL));
  ap_robot_free(robot);
  s = (scene){.o = ap_default_excite()};
  if (!arm_of(&s.a, weak, (ap_ident_options){0})) return;
  s.o.evaluations = 60;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, &s.found, &s.a.error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(s.a.error.text, "needs");
  CHECK_HAS(s.a.error.text, "of its limit 1");
  scene_free(&s);
}

TEST(wrong_options_are_refused) {
  const double low[6] = {-9, -1, -1, -1, -1, -1}, zero[6] = {0}, two[6] = {2, 1, 1, 1, 1, 1};
  const bool all[6] = {true, true, true, true, true, true};
  scene s;
  if (!scene_of(&s, standing, 0, NULL, NULL)) return;
  s.o.lower = low;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, NULL, &s.a.error), AP_E_ARG);
  CHECK_HAS(s.a.error.text, "'j1' is -9");
  s.o.lower = NULL, s.o.rests = all;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, NULL, &s.a.error), AP_E_ARG);
  CHECK_HAS(s.a.error.text, "every joint rests");
  s.o.rests = NULL, s.o.velocity_scale = zero;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, NULL, &s.a.error), AP_E_ARG);
  s.o.velocity_scale = two;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, NULL, &s.a.error), AP_E_ARG);
  s.o.velocity_scale = NULL, s.o.margin = 0.5;
  CHECK_STATUS(ap_excite(s.a.id, s.a.base, &s.o, &s.t, NULL, &s.a.error), AP_E_ARG);
  scene_free(&s);
}

// ---- forces ------------------------------------------------------------------------------------

// Bounds of forces against 20000 times, also with prismatic joints, springs, rotors, dry friction
// and followers.
TEST(forces_hold_between_samples) {
  enum { H = 3, TIMES = 20000 };
  const char *const names[] = {"puma600", "stanford", "scara", NULL};
  rng r = rng_seed(5);
  for (int k = 0; k < 4; k++) {
    ap_robot *source = NULL, *robot = NULL;
    ap_error error;
    test_context("robot %d", k);
    if (names[k])
      CHECK_OK(ap_robot_builtin(names[k], NULL, &source, &error));
    else
      source = parse(humanoid);
    ap_robot_def def = *ap_robot_definition(source);
    ap_body_def body[16];
    for (int i = 0; i < def.nbody; i++) {
      body[i] = def.bodies[i];
      if (body[i].joint == AP_FIXED) continue;
      body[i].coulomb = rng_uniform(&r, 0, 5), body[i].viscous = rng_uniform(&r, 0, 1);
      body[i].stiffness = rng_uniform(&r, 0, 20), body[i].rotor_inertia = rng_uniform(&r, 0, 0.1);
      body[i].gravity_compensation = i % 2 ? 0.5 : 0;
    }
    if (k == 3) body[4].mimic = 2, body[4].mimic_ratio = -0.7, body[4].mimic_offset = -1;
    def.bodies = body;
    CHECK_OK(ap_robot_from_definition(&def, &robot, &error));
    ap_robot_free(source);
    arm a;
    if (!arm_of(&a, robot, (ap_ident_options){0})) return;
    const int n = ap_nv(a.m);
    double centre[MOST_V], sine[H * MOST_V], cosine[H * MOST_V], jerk[MOST_V] = {0}, effort[MOST_V];
    for (int j = 0; j < n; j++)
      centre[j] = rng_uniform(&r, -1, 1), effort[j] = rng_uniform(&r, 5, 50);
    for (int i = 0; i < H * n; i++)
      sine[i] = rng_uniform(&r, -0.3, 0.3), cosine[i] = rng_uniform(&r, -0.3, 0.3);
    for (int i = 0; i < H * n; i++)
      jerk[i / H] += pow(2 * acos(-1.0) / 5 * (i % H + 1), 3) * hypot(sine[i], cosine[i]);
    const ap_fourier_def series = {n, H, 5, 5, centre, sine, cosine};
    ap_traj *t = NULL;
    CHECK_OK(ap_traj_fourier(&series, &t, &error));
    const size_t size = ap_work_size(a.m);
    void *memory = malloc(size);
    ap_work *w = ap_work_init(a.m, memory, size);
    ap__forces f = {.effort = effort, .jerk = jerk, .tolerance = 0.01};
    CHECK_OK(ap__bound_forces(a.m, w, t, &f, &error));
    double q[MOST_V], v[MOST_V], acc[MOST_V], tau[MOST_V], most = 0;
    ap_set_friction(a.m, w, true);
    for (int i = 0; i <= TIMES; i++) {
      ap_traj_at(t, 5.0 * i / TIMES, q, v, acc);
      ap_inverse_dynamics(a.m, w, q, v, acc, tau);
      for (int j = 0; j < n; j++) most = fmax(most, fabs(tau[j]) / effort[j]);
    }
    CHECK(f.use >= most && f.use <= most * 1.01 + 0.02);
    const double right = most * 1.05, wrong = most * 0.95;
    f.enough = right;
    CHECK_OK(ap__bound_forces(a.m, w, t, &f, &error));
    CHECK(f.use <= right && f.use >= most);
    f.enough = wrong;
    CHECK_OK(ap__bound_forces(a.m, w, t, &f, &error));
    CHECK(f.use > wrong);
    ap_traj_free(t), free(memory), arm_free(&a);
  }
}
