// SPDX-License-Identifier: Apache-2.0
// Locked joints and parts of robots: the reduced robot does what the whole one does with the locked
// coordinates at their values and at rest.

#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>
#include <appell/loop.h>

#include "models.h"

// A reduced robot with its model and work.
typedef struct part {
  const ap_reduced *reduced;
  ap_model *m;
  ap_work *w;
  void *memory, *model_memory, *work_memory;
} part;

static bool part_make(part *p, const ap_robot_def *def, const ap_reduction_def *how) {
  ap_error error = {0};
  const size_t size = ap_reduced_size(def);
  *p = (part){.memory = malloc(size)};
  p->reduced = ap_reduce(def, how, p->memory, size, &error);
  if (!p->reduced) printf("refused: %s\n", error.text);
  if (!CHECK(p->reduced)) return false;
  const size_t model_size = ap_model_size(&p->reduced->robot);
  p->model_memory = malloc(model_size);
  p->m = ap_model_init(&p->reduced->robot, p->model_memory, model_size, &error);
  if (!p->m) printf("refused: %s\n", error.text);
  if (!CHECK(p->m)) return false;
  const size_t work_size = ap_work_size(p->m);
  p->work_memory = malloc(work_size);
  p->w = ap_work_init(p->m, p->work_memory, work_size);
  return CHECK(p->w);
}

static void part_free(part *p) {
  free(p->memory);
  free(p->model_memory);
  free(p->work_memory);
}

// ---- the oracle: the whole robot ---------------------------------------------------------------

enum { MOST_V = 200, MOST_Q = 220 };

typedef struct whole {
  const ap_model *m;
  ap_work *w;
  const ap_robot_def *def;
  double q[MOST_Q]; // where locked coordinates are
} whole;

// What moves in both, by the joint's name: indices into the whole robot's q and v.
typedef struct shared {
  int q[MOST_Q], v[MOST_V];
} shared;

static void match(const whole *f, const part *p, shared *s) {
  for (int i = 1; i < ap_nbody(p->m); i++) {
    const int k = ap_find_joint(f->m, ap_body(p->m, i)->joint_name);
    if (!CHECK(k > 0) || ap_joint_nv(p->m, i) == 0) continue;
    CHECK_EQ_INT(ap_joint_nv(p->m, i), ap_joint_nv(f->m, k));
    for (int j = 0; j < ap_joint_nq(p->m, i); j++)
      s->q[ap_joint_q(p->m, i) + j] = ap_joint_q(f->m, k) + j;
    for (int j = 0; j < ap_joint_nv(p->m, i); j++)
      s->v[ap_joint_v(p->m, i) + j] = ap_joint_v(f->m, k) + j;
  }
}

// A random state of the part, and the same of the whole robot.
typedef struct states {
  double q[MOST_Q], v[MOST_V], a[MOST_V], whole_q[MOST_Q], whole_v[MOST_V], whole_a[MOST_V];
} states;

static void random_states(rng *r, const whole *f, const part *p, const shared *s, states *x) {
  *x = (states){{0}, {0}, {0}, {0}, {0}, {0}};
  for (int i = 1; i < ap_nbody(p->m); i++)
    if (ap_joint_nq(p->m, i))
      random_coordinates(r, ap_body(p->m, i)->joint, x->q + ap_joint_q(p->m, i));
  memcpy(x->whole_q, f->q, sizeof f->q);
  for (int i = 0; i < ap_nq(p->m); i++) x->whole_q[s->q[i]] = x->q[i];
  for (int i = 0; i < ap_nv(p->m); i++) {
    x->whole_v[s->v[i]] = x->v[i] = rng_uniform(r, -1, 1);
    x->whole_a[s->v[i]] = x->a[i] = rng_uniform(r, -2, 2);
  }
}

// Rows of what moves in both.
static void rows(const shared *s, int n, const double *from, double *to) {
  for (int i = 0; i < n; i++) to[i] = from[s->v[i]];
}

static void same_forces(const whole *f, const part *p, const shared *s, const states *x) {
  double want[MOST_V], got[MOST_V] = {0}, tau[MOST_V];
  const int n = ap_nv(p->m);
  ap_inverse_dynamics(f->m, f->w, x->whole_q, x->whole_v, x->whole_a, want);
  const double size = 1e-12 * test_norm(want, ap_nv(f->m));
  rows(s, n, want, tau);
  ap_inverse_dynamics(p->m, p->w, x->q, x->v, x->a, got);
  CHECK_WITHIN(got, tau, n, size);
  ap_gravity_forces(f->m, f->w, x->whole_q, want);
  rows(s, n, want, tau);
  ap_gravity_forces(p->m, p->w, x->q, got);
  CHECK_WITHIN(got, tau, n, 1e-12 * test_norm(want, ap_nv(f->m)));
  if (n > 0 && ap_forward_dynamics(p->m, p->w, x->q, x->v, got, tau) == AP_OK)
    CHECK(isfinite(tau[0]));
}

static void same_inertia(const whole *f, const part *p, const shared *s, const states *x) {
  static double M[MOST_V * MOST_V], want[MOST_V * MOST_V], got[MOST_V * MOST_V];
  const int n = ap_nv(p->m), nf = ap_nv(f->m);
  ap_inertia_matrix(f->m, f->w, x->whole_q, M);
  ap_inertia_matrix(p->m, p->w, x->q, got);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) want[i * n + j] = M[s->v[i] * nf + s->v[j]];
  CHECK_WITHIN(got, want, n * n, 1e-12 * test_norm(M, nf * nf));
}

static void same_frames(const whole *f, const part *p, const states *x) {
  ap_kinematics(f->m, f->w, x->whole_q, x->whole_v, x->whole_a);
  ap_kinematics(p->m, p->w, x->q, x->v, x->a);
  for (int i = 0; i < ap_nframe(p->m); i++) {
    double R[9], at[3], want_R[9], want_at[3], v[6], want_v[6];
    const int k = ap_find_frame(f->m, ap_frame_name(p->m, i));
    if (!CHECK(k >= 0)) continue;
    CHECK_OK(ap_frame_pose(p->m, p->w, i, R, at));
    CHECK_OK(ap_frame_pose(f->m, f->w, k, want_R, want_at));
    CHECK_WITHIN(R, want_R, 9, 1e-12);
    CHECK_WITHIN(at, want_at, 3, 1e-12 * (1 + test_norm(want_at, 3)));
    CHECK_OK(ap_frame_velocity(p->m, p->w, i, AP_WORLD, v));
    CHECK_OK(ap_frame_velocity(f->m, f->w, k, AP_WORLD, want_v));
    CHECK_WITHIN(v, want_v, 6, 1e-12 * (1 + test_norm(want_v, 6)));
  }
}

// Energies; the potential one as it grows from the neutral configuration, since a part may weigh
// less.
static void same_energy(const whole *f, const part *p, const shared *s, const states *x) {
  double zero[MOST_Q] = {0}, whole_zero[MOST_Q];
  ap_neutral(p->m, zero);
  memcpy(whole_zero, f->q, sizeof whole_zero);
  for (int i = 0; i < ap_nq(p->m); i++) whole_zero[s->q[i]] = zero[i];
  const double kinetic = ap_kinetic_energy(f->m, f->w, x->whole_q, x->whole_v);
  CHECK_CLOSE(ap_kinetic_energy(p->m, p->w, x->q, x->v), kinetic, 1e-12 * (1 + kinetic));
  const double high = ap_potential_energy(f->m, f->w, x->whole_q),
               low = ap_potential_energy(f->m, f->w, whole_zero);
  CHECK_CLOSE(ap_potential_energy(p->m, p->w, x->q) - ap_potential_energy(p->m, p->w, zero),
              high - low, 1e-12 * (1 + fabs(high) + fabs(low)));
}

// A payload on every body that is left, locked or not.
static void load_all(rng *r, const whole *f, const part *p) {
  for (int i = 1; i < ap_nbody(f->m); i++) {
    double mass, com[3], inertia[6];
    const int k = p->reduced->number[i];
    random_inertia(r, &mass, com, inertia);
    if (k < 0) continue;
    CHECK_OK(ap_set_payload(f->m, f->w, i, mass, com, inertia));
    CHECK_OK(ap_set_payload(p->m, p->w, k, mass, com, inertia));
  }
}

static void compare(rng *r, const whole *f, const ap_reduction_def *how, int nv) {
  part p;
  shared s = {{0}, {0}};
  states x;
  if (part_make(&p, f->def, how)) {
    if (nv >= 0) CHECK_EQ_INT(ap_nv(p.m), nv);
    match(f, &p, &s);
    for (int round = 0; round < 3; round++) { // plain, with friction, with payloads
      random_states(r, f, &p, &s, &x);
      if (round == 2) load_all(r, f, &p);
      ap_set_friction(f->m, f->w, round > 0);
      ap_set_friction(p.m, p.w, round > 0);
      same_forces(f, &p, &s, &x);
      same_inertia(f, &p, &s, &x);
      same_frames(f, &p, &x);
      same_energy(f, &p, &s, &x);
    }
    ap_set_friction(f->m, f->w, false);
    ap_reset_inertia(f->m, f->w);
  }
  part_free(&p);
}

// ---- random locks ------------------------------------------------------------------------------

static const char *joint_of(const ap_robot_def *def, int i) {
  const ap_body_def *d = &def->bodies[i - 1];
  return d->joint_name ? d->joint_name : d->name;
}

static double within(const ap_body_def *d, double x) { return fmin(fmax(x, d->lower), d->upper); }

// Where coordinates are that only root or tip lock.
static void rest(whole *f) {
  ap_neutral(f->m, f->q);
  for (int i = 1; i < ap_nbody(f->m); i++)
    if (ap_joint_nq(f->m, i) == 1) f->q[ap_joint_q(f->m, i)] = within(ap_body(f->m, i), 0);
}

// Lock each joint of its own with that chance; returns how many.
static int random_locks(rng *r, whole *f, double chance, ap_lock *locks) {
  int n = 0;
  for (int i = 1; i < ap_nbody(f->m); i++) {
    const int nq = ap_joint_nq(f->m, i);
    if (nq == 0 || !rng_chance(r, chance)) continue;
    double *q = f->q + ap_joint_q(f->m, i);
    ap_lock lock = {.joint = joint_of(f->def, i), .n = nq};
    random_coordinates(r, ap_body(f->m, i)->joint, q);
    if (nq == 1) q[0] = within(ap_body(f->m, i), q[0]);
    memcpy(lock.q, q, (size_t)nq * sizeof *q);
    locks[n++] = lock;
  }
  return n;
}

static int locked_velocities(const ap_model *m, const ap_lock *locks, int n) {
  int sum = 0;
  for (int k = 0; k < n; k++) sum += ap_joint_nv(m, ap_find_joint(m, locks[k].joint));
  return sum;
}

// The joint above the root follows one below: no root.
static bool root_follows(const ap_robot_def *def, int root) {
  for (int b = root; b; b = def->bodies[b - 1].parent)
    if (def->bodies[b - 1].mimic) return true;
  return false;
}

static bool hangs_on(const ap_robot_def *def, int body, int root) {
  while (body > root) body = def->bodies[body - 1].parent;
  return body == root;
}

// Some, none, all joints; a root, a tip, both.
static void reduce_in_every_way(rng *r, const ap_robot_def *def, const ap_model *m, ap_work *w) {
  static ap_lock locks[MOST_V];
  if (!CHECK(ap_nv(m) <= MOST_V && ap_nq(m) <= MOST_Q)) return;
  whole f = {.m = m, .w = w, .def = def};
  for (int k = 0; k < 4; k++) {
    rest(&f);
    const int n = random_locks(r, &f, k == 0 ? 1 : 0.4, locks);
    compare(r, &f, &(ap_reduction_def){.locks = locks, .nlock = n},
            ap_nv(m) - locked_velocities(m, locks, n));
  }
  for (int k = 0; k < 4 && def->nbody > 0; k++) {
    const int root = rng_int(r, 1, def->nbody), tip = rng_int(r, 1, def->nbody);
    ap_reduction_def how = {.locks = locks};
    rest(&f);
    how.nlock = random_locks(r, &f, 0.3, locks);
    how.tip = def->bodies[tip - 1].name;
    compare(r, &f, &how, -1);
    if (root_follows(def, root)) continue;
    how.root = def->bodies[root - 1].name;
    if (!hangs_on(def, tip, root)) how.tip = NULL;
    compare(r, &f, &how, -1);
  }
}

TEST(random_robots_reduced) {
  rng r = rng_seed(16);
  FOR_EACH_MODEL (robot) reduce_in_every_way(&r, &robot->def, robot->m, robot->w);
}

static void reduce_robot(rng *r, ap_robot *robot) {
  ap_model *m;
  ap_error error;
  if (!CHECK_OK(ap_robot_model(robot, &m, &error))) return;
  const size_t size = ap_work_size(m);
  void *memory = malloc(size);
  reduce_in_every_way(r, ap_robot_definition(robot), m, ap_work_init(m, memory, size));
  free(memory);
  ap_model_free(m);
}

TEST(built_in_robots_reduced) {
  rng r = rng_seed(17);
  for (int i = 0; ap_builtin_name(i); i++) {
    ap_robot *robot;
    test_context("%s", ap_builtin_name(i));
    if (CHECK_OK(ap_robot_builtin(ap_builtin_name(i), NULL, &robot, NULL))) reduce_robot(&r, robot);
    ap_robot_free(robot);
  }
}

// The files are not part of this project: APPELL_ROBOTS names a folder that has them.
TEST(robot_files_reduced) {
  static const char *const files[] = {"anymal", "kinova",        "panda",     "simple_humanoid",
                                      "solo12", "talos_reduced", "ur5_robot", "double_pendulum"};
  const char *folder = getenv("APPELL_ROBOTS");
  if (!folder) {
    test_skip("APPELL_ROBOTS names no folder of robots (docs/setup.md)");
    return;
  }
  rng r = rng_seed(18);
  for (size_t k = 0; k < 2 * sizeof files / sizeof *files; k++) {
    char path[512];
    ap_robot *robot;
    const ap_read_options options = {.floating = k % 2};
    snprintf(path, sizeof path, "%s/%s.urdf", folder, files[k / 2]);
    test_context("%s", path);
    if (ap_robot_read(path, &options, &robot, NULL) != AP_OK) continue; // has a free base already
    reduce_robot(&r, robot);
    ap_robot_free(robot);
  }
}

// ---- single laws -------------------------------------------------------------------------------

// A gripper on an arm: two fingers, the second follows the first.
static ap_robot_def gripper(ap_body_def body[5]) {
  static const char *const names[] = {"base", "arm", "hand", "finger1", "finger2"};
  static const char *const joints[] = {"mount", "elbow", "weld", "slide1", "slide2"};
  for (int k = 0; k < 5; k++) {
    body[k] = ap_default_body();
    body[k].name = names[k];
    body[k].joint_name = joints[k];
    body[k].parent = k < 4 ? k : 3;
    body[k].mass = 1 + k;
    body[k].com[0] = 0.1;
    body[k].place.xyz[2] = 0.3;
  }
  body[1].joint = AP_REVOLUTE;
  body[1].axis[0] = 1, body[1].axis[2] = 0;
  body[1].lower = 0.1;
  body[1].upper = 2;
  body[1].viscous = 3;
  body[1].rotor_inertia = 1;
  body[3].joint = body[4].joint = AP_PRISMATIC;
  body[3].upper = 0.04;
  body[3].lower = 0;
  body[4].mimic = 4;
  body[4].mimic_ratio = -2;
  body[4].mimic_offset = 0.1;
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = 5;
  return def;
}

static void refused(const ap_robot_def *def, ap_reduction_def how, ap_status status,
                    const char *words) {
  ap_error error = {0};
  void *memory = malloc(ap_reduced_size(def));
  CHECK(!ap_reduce(def, &how, memory, ap_reduced_size(def), &error));
  CHECK_STATUS(error.status, status);
  CHECK_HAS(error.text, words);
  CHECK(!ap_reduce(def, &how, memory, ap_reduced_size(def), NULL));
  free(memory);
}

static void lock_refused(const ap_robot_def *def, ap_lock lock, const char *words) {
  refused(def, (ap_reduction_def){.locks = &lock, .nlock = 1},
          strstr(words, "no joint") ? AP_E_NOT_FOUND : AP_E_ARG, words);
}

TEST(what_cannot_be_locked) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  lock_refused(&def, (ap_lock){.joint = "elbw", .n = 1, .q = {1}},
               "no joint \"elbw\" (did you mean \"elbow\"?)");
  lock_refused(&def, (ap_lock){.joint = "arm"}, "no joint \"arm\"");
  lock_refused(&def, (ap_lock){.joint = NULL}, "missing");
  lock_refused(&def, (ap_lock){.joint = "weld"}, "\"weld\" is fixed");
  lock_refused(&def, (ap_lock){.joint = "elbow"}, "cannot be at 0 (its limits are 0.1 and 2)");
  lock_refused(&def, (ap_lock){.joint = "elbow", .n = 1, .q = {2.1}}, "cannot be at 2.1");
  lock_refused(&def, (ap_lock){.joint = "elbow", .n = 1, .q = {NAN}}, "not finite");
  lock_refused(&def, (ap_lock){.joint = "elbow", .n = 3, .q = {1, 2, 3}},
               "has 1 coordinate, but 3 values are given");
  body[1].joint = AP_SPHERICAL;
  body[1].viscous = body[1].rotor_inertia = 0;
  lock_refused(&def, (ap_lock){.joint = "elbow", .n = 4, .q = {1, 1, 0, 0}}, "unit quaternion");
  refused(&def, (ap_reduction_def){.root = "hnd"}, AP_E_NOT_FOUND,
          "root: the robot has no link \"hnd\" (did you mean \"hand\"?)");
  refused(&def, (ap_reduction_def){.tip = "nobody"}, AP_E_NOT_FOUND, "tip: the robot has no link");
  refused(&def, (ap_reduction_def){.root = "finger1", .tip = "arm"}, AP_E_ARG,
          "is not a descendant of the root \"finger1\"");
  const ap_lock twice[] = {{.joint = "slide1", .n = 1, .q = {0.01}},
                           {.joint = "slide1", .n = 1, .q = {0.02}}};
  refused(&def, (ap_reduction_def){.locks = twice, .nlock = 2}, AP_E_ARG, "twice");
  const ap_lock apart[] = {{.joint = "slide1", .n = 1, .q = {0.01}},
                           {.joint = "slide2", .n = 1, .q = {0.01}}};
  refused(&def, (ap_reduction_def){.locks = apart, .nlock = 2}, AP_E_ARG,
          "is at 0.08 with its leader");
  body[2].mass = -1;
  refused(&def, (ap_reduction_def){.nlock = 0}, AP_E_MODEL, "mass");
}

TEST(root_must_not_follow_what_it_carries) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  body[1].mimic = 4;
  refused(&def, (ap_reduction_def){.root = "hand"}, AP_E_UNSUPPORTED, "\"elbow\" above it follows");
}

// A leader takes its followers along, a follower its leader.
TEST(followers_and_leaders) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  for (int k = 0; k < 2; k++) {
    const ap_lock lock = {
        .joint = k ? "slide2" : "slide1", .n = 1, .q = {k ? 0.1 - 2 * 0.03 : 0.03}};
    part p;
    if (!part_make(&p, &def, &(ap_reduction_def){.locks = &lock, .nlock = 1})) continue;
    CHECK_EQ_INT(ap_nv(p.m), 1);
    CHECK_CLOSE(ap_body(p.m, 4)->place.xyz[2], 0.33, 1e-15);
    CHECK_CLOSE(ap_body(p.m, 5)->place.xyz[2], 0.34, 1e-15);
    CHECK_EQ_INT(ap_body(p.m, 5)->mimic, 0);
    CHECK_STR(ap_body(p.m, 5)->joint_name, "slide2");
    part_free(&p);
  }
  const ap_lock both[] = {{.joint = "slide1", .n = 1, .q = {0.03}},
                          {.joint = "slide2", .n = 1, .q = {0.04}}};
  part p;
  if (part_make(&p, &def, &(ap_reduction_def){.locks = both, .nlock = 2}))
    CHECK_EQ_INT(ap_nv(p.m), 1);
  part_free(&p);
}

// Friction, rotor and limits go with the joint; unnamed joints stand at the nearest limit.
TEST(what_stays_of_a_locked_joint) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  part p;
  if (!part_make(&p, &def, &(ap_reduction_def){.root = "hand"})) return;
  CHECK_EQ_INT(ap_nbody(p.m), 4);
  CHECK_EQ_INT(ap_nv(p.m), 1);
  CHECK_EQ_INT(p.reduced->number[1], -1);
  CHECK_EQ_INT(p.reduced->number[3], 1);
  const ap_placement *at = &ap_body(p.m, 1)->place;
  const double want[3] = {0, -0.3 * sin(0.1), 0.6 + 0.3 * cos(0.1)};
  CHECK_WITHIN(at->xyz, want, 3, 1e-15);
  part_free(&p);
  const ap_lock lock = {.joint = "elbow", .n = 1, .q = {0.5}};
  if (!part_make(&p, &def, &(ap_reduction_def){.locks = &lock, .nlock = 1})) return;
  const ap_body_def *arm = ap_body(p.m, 2);
  CHECK(arm->viscous == 0 && arm->rotor_inertia == 0 && isinf(arm->upper) && arm->mass == 2);
  part_free(&p);
}

// The tip of a hand that follows keeps the coordinate that moves it, wherever that is.
TEST(tip_keeps_the_leader_of_a_follower) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  part p;
  if (part_make(&p, &def, &(ap_reduction_def){.tip = "finger2"})) CHECK_EQ_INT(ap_nv(p.m), 2);
  part_free(&p);
  if (part_make(&p, &def, &(ap_reduction_def){.tip = "hand"})) CHECK_EQ_INT(ap_nv(p.m), 1);
  part_free(&p);
}

// Nothing locked: the same model to the byte.
TEST(nothing_reduced_is_the_same) {
  FOR_EACH_MODEL (r) {
    part p;
    if (part_make(&p, &r->def, &(ap_reduction_def){.nlock = 0})) {
      double tau[ROBOT_V] = {0}, want[ROBOT_V] = {0};
      FOR_EACH_STATE (r, s, 2) {
        ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
        ap_inverse_dynamics(p.m, p.w, s.q, s.v, s.a, tau);
        CHECK_BITS(tau, want, ap_nv(r->m));
      }
      for (int i = 1; i < ap_nbody(r->m); i++) CHECK_EQ_INT(p.reduced->number[i], i);
    }
    part_free(&p);
  }
}

TEST(memory_that_is_too_small) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  const size_t size = ap_reduced_size(&def);
  char *memory = malloc(size + 1);
  ap_error error;
  CHECK(!ap_reduce(&def, &(ap_reduction_def){.nlock = 0}, memory, size - 1, &error));
  CHECK_STATUS(error.status, AP_E_MEMORY);
  CHECK(!ap_reduce(&def, &(ap_reduction_def){.nlock = 0}, NULL, size, &error));
  CHECK(ap_reduce(&def, &(ap_reduction_def){.nlock = 0}, memory + 1, size, &error));
  CHECK(ap_reduced_size(NULL) == 0);
  free(memory);
}

// The inertial parameters of a chain whose last joint is locked are those of the merged body.
TEST(inertial_parameters_of_what_moves) {
  ap_body_def body[5];
  const ap_robot_def def = gripper(body);
  const ap_lock lock = {.joint = "slide1"};
  part p;
  if (!part_make(&p, &def, &(ap_reduction_def){.locks = &lock, .nlock = 1})) return;
  double mass = 0, x[10];
  ap_inertial_parameters(p.m, p.w, x);
  for (int k = 1; k < 5; k++) mass += body[k].mass;
  CHECK_CLOSE(x[0], mass, 1e-12);
  part_free(&p);
}

// ---- robots of files ---------------------------------------------------------------------------

static const char urdf[] =
    "<robot name='r'>\n"
    "<link name='base'><visual><geometry><box size='1 1 1'/></geometry></visual></link>\n"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>\n"
    "<visual><geometry><mesh filename='a.stl'/></geometry></visual></link>\n"
    "<link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial>\n"
    "<visual><geometry><sphere radius='1'/></geometry></visual>\n"
    "<visual><geometry><mesh filename='b.stl'/></geometry></visual></link>\n"
    "<link name='c'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
    "iyz='0'/></inertial></link>\n"
    "<joint name='ja' type='continuous'><parent link='base'/><child link='a'/>\n"
    "<origin xyz='0 0 1' rpy='0 1 0'/><axis xyz='1 0 0'/></joint>\n"
    "<joint name='jb' type='continuous'><parent link='a'/><child link='b'/>\n"
    "<origin xyz='0 1 0'/><axis xyz='0 1 0'/></joint>\n"
    "<joint name='jc' type='continuous'><parent link='b'/><child link='c'/>\n"
    "<origin xyz='1 0 0'/><axis xyz='0 0 1'/></joint>\n"
    "</robot>\n";

static ap_robot *read_text(const char *text, const char *format) {
  ap_robot *robot = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_robot_parse(text, strlen(text), format, NULL, &robot, &error)))
    printf("  line %d: %s\n", error.line, error.text);
  return robot;
}

TEST(shapes_and_lines_follow) {
  ap_robot *robot = read_text(urdf, "urdf");
  if (!robot) return;
  CHECK_OK(ap_robot_reduce(robot, &(ap_reduction_def){.root = "b"}, NULL));
  CHECK_EQ_INT(ap_robot_definition(robot)->nbody, 2);
  CHECK_EQ_INT(ap_robot_line(robot, 1), 5);
  CHECK_EQ_INT(ap_robot_line(robot, 2), 8);
  CHECK_EQ_INT(ap_robot_shapes(robot), 2);
  CHECK_EQ_INT(ap_robot_shape(robot, 1, 0)->kind, AP_SHAPE_SPHERE);
  CHECK_STR(ap_robot_shape(robot, 1, 1)->file, "b.stl");
  CHECK(!ap_robot_shape(robot, 2, 0));
  ap_robot_free(robot);
}

TEST(a_refused_robot_is_freed) {
  ap_robot *robot = read_text(urdf, "urdf");
  ap_error error = {0};
  if (!robot) return;
  const ap_lock lock = {.joint = "jd"};
  CHECK_STATUS(ap_robot_reduce(robot, &(ap_reduction_def){.locks = &lock, .nlock = 1}, &error),
               AP_E_NOT_FOUND);
  CHECK_HAS(error.text, "\"jd\"");
  ap_robot_free(robot);
}

// ---- closed chains -----------------------------------------------------------------------------

// The built-in five-bar with its two arms as coordinates.
static ap_robot *five_bar(ap_coordinate_kind kind) {
  static const ap_coordinate_def arms[] = {
      {.name = "left", .kind = AP_COORDINATE_JOINT, .body = 1},
      {.name = "right", .kind = AP_COORDINATE_JOINT, .body = 3}};
  ap_mechanism_def def = *ap_mechanism_builtin("five-bar");
  ap_robot *robot = NULL;
  if (kind == AP_COORDINATE_JOINT) def.coordinates = arms;
  CHECK_OK(ap_robot_from_mechanism(&def, &robot, NULL));
  return robot;
}

// With one arm locked it is a four-bar; the other arm's motor feels no difference.
TEST(mechanism_with_one_coordinate_less) {
  ap_robot *robot[2] = {five_bar(AP_COORDINATE_JOINT), five_bar(AP_COORDINATE_JOINT)};
  ap_mechanism *m[2] = {NULL, NULL};
  ap_loop *l[2] = {NULL, NULL};
  double q[2], tau[2] = {0, 0}, want[2] = {0, 0};
  ap_error error = {0};
  if (!CHECK_OK(ap_mechanism_make(robot[0], &m[0], &error))) return;
  const double *x = ap_mechanism_guess(m[0]);
  const ap_lock lock = {.joint = "left_arm", .n = 1, .q = {x[0] + 0.1}};
  CHECK_OK(ap_robot_reduce(robot[1], &(ap_reduction_def){.locks = &lock, .nlock = 1}, &error));
  if (!CHECK_OK(ap_mechanism_make(robot[1], &m[1], &error))) printf("  %s\n", error.text);
  CHECK_EQ_INT(ap_mechanism_n(m[1]), 1);
  CHECK_EQ_INT(ap_mechanism_nact(m[1]), 1);
  CHECK_EQ_INT(ap_mechanism_nbranch(m[1]), ap_mechanism_nbranch(m[0]));
  for (int k = 0; k < 2; k++) l[k] = ap_loop_make(m[k]);
  q[0] = lock.q[0], q[1] = x[2] + 0.05;
  CHECK_OK(ap_loop_inverse_dynamics(m[0], l[0], q, (double[]){0, 0.7}, (double[]){0, -1.3}, want));
  CHECK_OK(ap_loop_inverse_dynamics(m[1], l[1], q + 1, (double[]){0.7}, (double[]){-1.3}, tau));
  CHECK_CLOSE(tau[0], want[1], 1e-10 * (1 + fabs(want[1])));
  for (int k = 0; k < 2; k++) ap_loop_free(l[k]), ap_mechanism_free(m[k]), ap_robot_free(robot[k]);
}

// A root that carries no closure makes a tree of a mechanism.
TEST(a_part_without_closures_is_a_tree) {
  const ap_mechanism_def *closed = ap_mechanism_builtin("five-bar");
  ap_body_def body[8];
  ap_robot_def def = *closed->robot;
  ap_mechanism_def with_arm = *closed;
  ap_robot *robot;
  ap_model *m = NULL;
  double guess[5] = {0};
  memcpy(body, def.bodies, (size_t)def.nbody * sizeof *body);
  for (int k = 0; k < 2; k++) {
    body[def.nbody + k] = ap_default_body();
    body[def.nbody + k].name = k ? "flag" : "mast";
    body[def.nbody + k].parent = k ? def.nbody + 1 : 0;
    body[def.nbody + k].mass = 1;
  }
  body[def.nbody + 1].joint = AP_REVOLUTE;
  def.bodies = body, def.nbody += 2;
  memcpy(guess, closed->branches[0].guess, 4 * sizeof *guess);
  const ap_branch_def branch = {.name = "one", .guess = guess};
  with_arm.robot = &def, with_arm.guess = guess, with_arm.branches = &branch, with_arm.nbranch = 1;
  CHECK_OK(ap_robot_from_mechanism(&with_arm, &robot, NULL));
  CHECK_OK(ap_robot_reduce(robot, &(ap_reduction_def){.root = "mast"}, NULL));
  CHECK(!ap_robot_mechanism(robot));
  CHECK_OK(ap_robot_model(robot, &m, NULL));
  if (m) CHECK_EQ_INT(ap_nv(m), 1);
  ap_model_free(m);
  ap_robot_free(robot);
}

static void mechanism_refused(ap_robot *robot, ap_reduction_def how, const char *words) {
  ap_error error = {0};
  CHECK_STATUS(ap_robot_reduce(robot, &how, &error), AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, words);
  ap_robot_free(robot);
}

TEST(what_closed_chains_do_not_allow) {
  const ap_lock rod = {.joint = "left_rod"},
                arms[] = {{.joint = "left_arm"}, {.joint = "right_arm"}};
  mechanism_refused(five_bar(AP_COORDINATE_JOINT), (ap_reduction_def){.locks = &rod, .nlock = 1},
                    "joint \"left_rod\" cannot be locked: closed chains move it");
  mechanism_refused(five_bar(AP_COORDINATE_POSITION), (ap_reduction_def){.locks = arms, .nlock = 1},
                    "joint \"left_arm\" cannot be locked");
  mechanism_refused(five_bar(AP_COORDINATE_JOINT), (ap_reduction_def){.locks = arms, .nlock = 2},
                    "no coordinate of the mechanism is left");
  mechanism_refused(five_bar(AP_COORDINATE_JOINT), (ap_reduction_def){.root = "left_arm"},
                    "closure \"P\" connects a removed body");
  mechanism_refused(five_bar(AP_COORDINATE_JOINT), (ap_reduction_def){.tip = "left_arm"},
                    "closed chains move it");
}
