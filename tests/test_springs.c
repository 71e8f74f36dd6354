// SPDX-License-Identifier: Apache-2.0
// Springs in joints and gravity compensation: against MuJoCo, oscillators with known motions,
// conserved energy. That every function has them, in every arithmetic and for every joint, is
// tested where friction is: the robots of models.h have springs, and oracle.h knows them.

#include <appell/ctrl.h>
#include <appell/feed_forward.h>
#include <appell/file.h>

#include "models.h"
#include "sim_scenes.h"
#include "temporary_folder.h"

// ---- MuJoCo ------------------------------------------------------------------------------------

// What mj_inverse, mj_energyPos and mj_energyVel of MuJoCo 3.14 say of
//
//   <body pos=".1 .2 .3" quat=".8 .4 -.2 .4" gravcomp=".4">
//     <joint type="hinge" axis=".6 0 .8" stiffness="12" springref=".35" damping=".7"
//            armature=".05"/>
//     <inertial pos=".1 -.05 .2" mass="1.5" diaginertia=".02 .03 .04"/>
//     <body pos=".3 0 .1" quat=".5 -.5 .1 .7" gravcomp="1.2">
//       <joint type="ball" stiffness="5"/>
//       <inertial pos="-.1 .15 .05" mass=".8" diaginertia=".01 .02 .015"/>
//       <body pos="0 .2 -.1" quat=".7 .1 -.7 .1">
//         <joint type="slide" axis="0 1 0" stiffness="80" springref="-.1" damping="2"/>
//         <inertial pos=".02 .03 -.08" mass=".6" diaginertia=".004 .005 .006"/>
//   <body pos=".5 -.4 1.2" quat=".7 .1 -.5 .5" gravcomp=".7">
//     <joint type="free" stiffness="7"/>
//     <inertial pos=".05 .02 -.03" mass="2" diaginertia=".05 .06 .07"/>
//
// with quaternions as x y z w and the free body's vectors turned into its own axes.
static const double mujoco_q[] = {0.8,
                                  0.53916386601719202,
                                  -0.43133109281375365,
                                  0.32349831961031522,
                                  0.64699663922063044,
                                  0.15,
                                  0.7,
                                  -0.1,
                                  0.9,
                                  -0.92338051687663858,
                                  0.30779350562554614,
                                  0.10259783520851540,
                                  0.20519567041703080};
static const double mujoco_v[] = {
    0.5, -0.3, 0.7, 0.2, 0.4, 0.48947368421052617, 0.18947368421052613, -0.46315789473684194,
    0.5, -0.4, 0.9};
static const double mujoco_a[] = {
    -0.4, 1.1, 0.6, -0.7, 0.9, 0.94315789473684208, -0.85421052631578931, 0.77684210526315733,
    0.3,  0.7, -0.2};
static const double mujoco_tau[] = {5.8960503653350234,  8.2908993280597656,   -5.0470634201247409,
                                    4.1571709124077216,  20.981776382939199,   0.55421052631579015,
                                    -3.9825894736842091, -0.41553684210526298, 9.7150608374427936,
                                    -16.634626625940122, -8.6501883047311239};
static const double mujoco_energy[] = {76.882859224437027, 0.63370948553894735}; // potential first

static void place_by_quaternion(double w, double x, double y, double z, ap_body_def *b) {
  double length = sqrt(w * w + x * x + y * y + z * z);
  double q[4] = {x / length, y / length, z / length, w / length};
  b->place.kind = AP_PLACE_MATRIX;
  rotation_of_quaternion(q, b->place.matrix);
}

static void set3(double *to, double x, double y, double z) { to[0] = x, to[1] = y, to[2] = z; }

static void set_mass(ap_body_def *b, double mass, double x, double y, double z) {
  b->mass = mass;
  set3(b->com, x, y, z);
}

static void mujoco_robot(test_robot *r) {
  robot_clear(r, "MuJoCo", 4);
  ap_body_def *a = &r->body[0], *b = a + 1, *c = a + 2, *d = a + 3;
  static const double moment[4][3] = {
      {0.02, 0.03, 0.04}, {0.01, 0.02, 0.015}, {0.004, 0.005, 0.006}, {0.05, 0.06, 0.07}};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 3; i++) r->body[k].inertia[i == 0 ? 0 : i == 1 ? 3 : 5] = moment[k][i];
  a->joint = AP_REVOLUTE, b->joint = AP_SPHERICAL, c->joint = AP_PRISMATIC, d->joint = AP_FREE;
  set3(a->place.xyz, 0.1, 0.2, 0.3), place_by_quaternion(0.8, 0.4, -0.2, 0.4, a);
  set3(b->place.xyz, 0.3, 0, 0.1), place_by_quaternion(0.5, -0.5, 0.1, 0.7, b);
  set3(c->place.xyz, 0, 0.2, -0.1), place_by_quaternion(0.7, 0.1, -0.7, 0.1, c);
  set3(a->axis, 0.6, 0, 0.8), set3(c->axis, 0, 1, 0);
  set_mass(a, 1.5, 0.1, -0.05, 0.2), set_mass(b, 0.8, -0.1, 0.15, 0.05);
  set_mass(c, 0.6, 0.02, 0.03, -0.08), set_mass(d, 2, 0.05, 0.02, -0.03);
  a->stiffness = 12, a->rest[0] = 0.35, a->viscous = 0.7, a->rotor_inertia = 0.05;
  b->stiffness = 5, c->stiffness = 80, c->rest[0] = -0.1, c->viscous = 2;
  d->parent = 0, d->stiffness = 7;
  set3(d->rest, 0.5, -0.4, 1.2), set3(d->rest + 3, 0.1, -0.5, 0.5), d->rest[6] = 0.7;
  a->gravity_compensation = 0.4, b->gravity_compensation = 1.2, d->gravity_compensation = 0.7;
}

TEST(mujoco_says_the_same) {
  static test_robot r;
  double tau[11], a[11];
  mujoco_robot(&r);
  if (!robot_make(&r)) return;
  ap_set_friction(r.m, r.w, true);
  ap_inverse_dynamics(r.m, r.w, mujoco_q, mujoco_v, mujoco_a, tau);
  CHECK_WITHIN(tau, mujoco_tau, 11, 1e-13);
  CHECK_OK(ap_forward_dynamics(r.m, r.w, mujoco_q, mujoco_v, mujoco_tau, a));
  CHECK_WITHIN(a, mujoco_a, 11, 1e-11); // moments of 0.004
  CHECK_CLOSE(ap_potential_energy(r.m, r.w, mujoco_q), mujoco_energy[0], 1e-12);
  CHECK_CLOSE(ap_kinetic_energy(r.m, r.w, mujoco_q, mujoco_v), mujoco_energy[1], 1e-14);
  robot_free(&r);
}

// ---- laws --------------------------------------------------------------------------------------

// On top of what rigid bodies take, whatever is set.
TEST(passive_forces_are_what_springs_add) {
  double off[ROBOT_V], on[ROBOT_V], passive[ROBOT_V], again[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      int n = ap_nv(r->m);
      ap_gravity_forces(r->m, r->w, s.q, off);
      ap_passive_forces(r->m, r->w, s.q, passive);
      ap_set_friction(r->m, r->w, true);
      ap_gravity_forces(r->m, r->w, s.q, on);
      ap_passive_forces(r->m, r->w, s.q, again);
      ap_set_friction(r->m, r->w, false);
      double size = test_norm(off, n) + test_norm(passive, n);
      for (int k = 0; k < n; k++) off[k] += passive[k];
      CHECK_WITHIN(on, off, n, 1e-14 * size);
      CHECK_BITS(again, passive, n);
    }
}

// The forces at rest are the slope of the potential energy, gravity compensation apart. By
// differences over steps h of fourth order: h^4 / 30 of a fifth derivative, 1e-10 of the energy,
// and 1e-16 / h of it.
TEST(forces_are_slopes_of_the_energy) {
  static test_robot r;
  static const int weight[] = {1, -8, 0, 8, -1};
  const double h = 1. / 256;
  for (int number = 0; number < robot_count(); number++) {
    robot_copy(&r, robot_at(number));
    for (int k = 0; k < r.def.nbody; k++) r.body[k].gravity_compensation = 0;
    if (!robot_make(&r)) return;
    ap_set_friction(r.m, r.w, true);
    FOR_EACH_STATE (&r, s, 1) {
      double tau[ROBOT_V], slope[ROBOT_V] = {0}, size = 1;
      ap_gravity_forces(r.m, r.w, s.q, tau);
      for (int j = 0; j < ap_nv(r.m); j++)
        for (int k = -2; k <= 2; k++) {
          double step[ROBOT_V] = {0}, q[ROBOT_Q];
          step[j] = k * h;
          ap_integrate(r.m, s.q, step, q);
          double V = ap_potential_energy(r.m, r.w, q);
          slope[j] += weight[k + 2] * V / (12 * h), size = fmax(size, fabs(V));
        }
      CHECK_WITHIN(slope, tau, ap_nv(r.m), 1e-8 * size);
    }
    robot_free(&r);
  }
}

// All of the weight of all bodies: nothing moves but what springs move.
TEST(a_compensated_robot_floats) {
  static test_robot r;
  for (int number = 0; number < robot_count(); number++) {
    robot_copy(&r, robot_at(number));
    for (int k = 0; k < r.def.nbody; k++)
      r.body[k].gravity_compensation = 1, r.body[k].stiffness = 0;
    if (!robot_make(&r)) return;
    FOR_EACH_STATE (&r, s, 1) {
      double tau[ROBOT_V], weight[ROBOT_V], none[ROBOT_V] = {0};
      ap_set_friction(r.m, r.w, false);
      ap_gravity_forces(r.m, r.w, s.q, weight);
      ap_set_friction(r.m, r.w, true);
      ap_gravity_forces(r.m, r.w, s.q, tau);
      CHECK_WITHIN(tau, none, ap_nv(r.m), 1e-12 * (1 + test_norm(weight, ap_nv(r.m))));
    }
    robot_free(&r);
  }
}

// A changed mass is held up by the same fraction; a payload is not.
TEST(changed_masses_are_compensated_payloads_are_not) {
  static test_robot r;
  const double q[1] = {0.5}, com[3] = {0, 0, 0.1};
  double tau[1];
  robot_clear(&r, "lift", 1);
  r.body[0].joint = AP_PRISMATIC, r.body[0].mass = 2, r.body[0].gravity_compensation = 0.75;
  if (!robot_make(&r)) return;
  ap_set_friction(r.m, r.w, true);
  ap_gravity_forces(r.m, r.w, q, tau);
  CHECK_CLOSE(tau[0], 0.25 * 2 * 9.81, 1e-14);
  CHECK_OK(ap_set_inertia(r.m, r.w, 1, 4, com, NULL));
  ap_gravity_forces(r.m, r.w, q, tau);
  CHECK_CLOSE(tau[0], 0.25 * 4 * 9.81, 1e-14);
  CHECK_OK(ap_set_payload(r.m, r.w, 1, 1, com, NULL));
  ap_gravity_forces(r.m, r.w, q, tau);
  CHECK_CLOSE(tau[0], (0.25 * 4 + 1) * 9.81, 1e-14);
  robot_free(&r);
}

// A work without the part has no numbers where springs take part, and all others.
TEST(springs_need_their_part) {
  static const ap_part *const gravity[] = {&ap_part_gravity, NULL};
  static test_robot r;
  static unsigned char memory[16384];
  double q[1] = {0.5}, tau[1], whole[1];
  robot_clear(&r, "spring", 1);
  r.body[0].joint = AP_PRISMATIC, r.body[0].mass = 2, r.body[0].stiffness = 3;
  if (!robot_make(&r)) return;
  ap_work *w = ap_work_init_for(r.m, gravity, memory, sizeof memory);
  if (!CHECK(w)) return;
  ap_gravity_forces(r.m, w, q, tau), ap_gravity_forces(r.m, r.w, q, whole);
  CHECK_BITS(tau, whole, 1);
  ap_set_friction(r.m, w, true);
  ap_gravity_forces(r.m, w, q, tau);
  CHECK(isnan(tau[0]));
  CHECK(isnan(ap_elastic_energy(r.m, w, q)));
  robot_free(&r);
}

// ---- refused -----------------------------------------------------------------------------------

static void refused(const ap_body_def *b, const char *why) {
  ap_robot_def def = ap_default_robot();
  ap_error error = {0};
  def.bodies = b, def.nbody = 1;
  CHECK(ap_model_init(&def, model_memory, sizeof model_memory, &error) == NULL);
  CHECK_HAS(error.text, why);
}

TEST(impossible_springs_are_refused) {
  ap_body_def b = ap_default_body();
  b.name = "b", b.joint = AP_REVOLUTE, b.mass = 1, b.inertia[5] = 1;
  b.stiffness = -1, refused(&b, "stiffness is -1 (it must be zero or more)");
  b.stiffness = NAN, refused(&b, "stiffness is nan");
  b.stiffness = 1, b.rest[0] = INFINITY, refused(&b, "rest[0] is inf");
  b.rest[0] = 0, b.gravity_compensation = NAN, refused(&b, "gravity_compensation is nan");
  b.gravity_compensation = 0, b.joint = AP_FIXED;
  refused(&b, "stiffness is 1 (it must be zero in a joint of this type)");
}

// ---- motions -----------------------------------------------------------------------------------

static ap_scene scene_of(const ap_body_def *bodies, int n, double gz) {
  ap_robot_def def = ap_default_robot();
  def.bodies = bodies, def.nbody = n, def.gravity[2] = gz;
  ap_scene scene = ap_default_scene();
  scene.model = model_of(&def);
  return scene;
}

// x = rest + m g / k + A cos(w t): a mass that hangs on a spring, by every way of stepping.
TEST(a_mass_on_a_spring) {
  const double k = 50, m = 2, rest = 0.3, g = -9.81, low = rest + m * g / k, w = sqrt(k / m);
  ap_body_def b = ap_default_body();
  b.name = "b", b.joint = AP_PRISMATIC, b.mass = m, b.stiffness = k, b.rest[0] = rest;
  for (int way = 0; way < 3; way++) {
    ap_scene scene = scene_of(&b, 1, g);
    scene.stepping = (ap_stepping[]){AP_ADAPTIVE, AP_FIXED_RK4, AP_FIXED_EULER}[way];
    scene.step = (double[]){0, 1e-3, 1e-4}[way];
    double q = 0.5, v = 0, t = 7.3, bound = (double[]){1e-8, 1e-9, 1e-3}[way];
    ap_sim *sim = create(&scene);
    test_context("way %d", way);
    if (sim && start(sim, &q, &v)) {
      ap_sim_state s = advance(sim, t);
      CHECK_CLOSE(s.q[0], low + (q - low) * cos(w * t), bound);
      CHECK_CLOSE(s.v[0], -(q - low) * w * sin(w * t), 10 * bound);
      CHECK_CLOSE(s.elastic, k / 2 * (s.q[0] - rest) * (s.q[0] - rest), 1e-12);
      CHECK_CLOSE(s.potential, -m * g * s.q[0], 1e-12);
      CHECK_CLOSE(s.closing, 0, ((double[]){1e-8, 1e-8, 0.1}[way]));
    }
    ap_sim_free(sim);
  }
}

// A ball that turns about a principal axis against its spring: angle'' = -k / I angle, up to more
// than half a turn less a little, where the spring's couple is largest.
TEST(a_ball_on_a_torsion_spring) {
  const double k = 3, I = 0.4, w = sqrt(k / I), most = 2.9, t = 3.1;
  ap_body_def b = ap_default_body();
  b.name = "b", b.joint = AP_SPHERICAL, b.mass = 1, b.stiffness = k;
  b.inertia[0] = 0.1, b.inertia[3] = 0.2, b.inertia[5] = I;
  const double turn = 0.7; // of the rest about z
  b.rest[2] = sin(turn / 2), b.rest[3] = cos(turn / 2);
  ap_scene scene = scene_of(&b, 1, 0);
  double q[4] = {0, 0, sin((turn + most) / 2), cos((turn + most) / 2)}, v[3] = {0};
  ap_sim *sim = create(&scene);
  if (sim && start(sim, q, v)) {
    ap_sim_state s = advance(sim, t);
    double angle = turn + most * cos(w * t);
    CHECK_CLOSE(s.q[2] * cos(angle / 2) - s.q[3] * sin(angle / 2), 0, 1e-8);
    CHECK_CLOSE(s.v[2], -most * w * sin(w * t), 1e-7);
    CHECK_CLOSE(s.closing, 0, 1e-8);
  }
  ap_sim_free(sim);
}

// A free body on its spring, pushed and spun: three swings of its place along the ground's axes,
// whatever it does in turning, because the force acts at the origin, where its centre of mass is.
TEST(a_free_body_on_a_spring) {
  const double k = 8, m = 1.5, w = sqrt(k / m), t = 2.7;
  ap_body_def b = ap_default_body();
  b.name = "b", b.joint = AP_FREE, b.mass = m, b.stiffness = k, b.gravity_compensation = 1;
  b.inertia[0] = 0.1, b.inertia[3] = 0.15, b.inertia[5] = 0.2;
  set3(b.rest, 0.1, 0.2, 0.3);
  ap_scene scene = scene_of(&b, 1, -9.81);
  double q[7] = {0.5, -0.1, 0.7, 0, 0, 0, 1}, v[6] = {0, 0.4, 0, 0.5, -0.8, 0.3};
  ap_sim *sim = create(&scene);
  if (sim && start(sim, q, v)) {
    ap_sim_state s = advance(sim, t);
    for (int i = 0; i < 3; i++) {
      double x = b.rest[i] + (q[i] - b.rest[i]) * cos(w * t) + v[i] / w * sin(w * t);
      CHECK_CLOSE(s.q[i], x, 1e-8);
    }
    CHECK_CLOSE(s.work, m * 9.81 * (s.q[2] - q[2]), 1e-8); // of gravity compensation
    CHECK_CLOSE(s.potential, m * 9.81 * s.q[2], 1e-12);
    CHECK_CLOSE(s.closing, 0, 1e-8);
  }
  ap_sim_free(sim);
}

// A spring far too stiff for its steps: taken implicitly, it settles instead of diverging; that of
// a follower too, through its leader.
TEST(stiff_springs_are_implicit) {
  ap_body_def b[2] = {ap_default_body(), ap_default_body()};
  for (int i = 0; i < 2; i++) {
    b[i].name = i ? "follower" : "leader", b[i].joint = AP_PRISMATIC, b[i].mass = 1;
    b[i].viscous = 20;
  }
  b[1].mimic = 1, b[1].mimic_ratio = -2, b[1].mimic_offset = 0.1;
  b[1].stiffness = 1e8, b[1].rest[0] = 0.5; // at q = -0.2 of the leader
  for (int way = 0; way < 2; way++) {
    ap_scene scene = scene_of(b, 2, 0);
    scene.stepping = way ? AP_FIXED_EULER : AP_FIXED_RK4, scene.step = 1e-3;
    double q = -0.19, v = 0;
    ap_sim *sim = create(&scene);
    test_context("way %d", way);
    if (sim && start(sim, &q, &v)) {
      CHECK_HAS(ap_sim_remark(sim), "spring swings it");
      ap_sim_state s = advance(sim, 3);
      CHECK_CLOSE(s.q[0], -0.2, 1e-4);
    }
    ap_sim_free(sim);
  }
}

// Every kind of joint with springs and some weight held up: no energy comes or goes.
TEST(energy_is_conserved) {
  static test_robot r;
  double most = 0;
  for (int number = 0; number < RECIPES; number++) {
    robot_copy(&r, robot_at(number));
    if (r.def.nbody == 0 || r.def.nbody > 8) continue;
    for (int k = 0; k < r.def.nbody; k++) r.body[k].viscous = r.body[k].coulomb = 0;
    if (!robot_make(&r)) return;
    ap_scene scene = ap_default_scene();
    scene.model = r.m;
    ap_sim *sim = ap_nv(r.m) ? create(&scene) : NULL;
    motion s = motion_first(&r);
    if (sim && start(sim, s.q, s.v)) {
      ap_sim_state end = advance(sim, 1);
      double size = fabs(end.kinetic) + fabs(end.potential) + fabs(end.elastic) + fabs(end.work);
      CHECK_CLOSE(end.closing, 0, 1e-7 * (1 + size));
      CHECK_CLOSE(end.dissipated, 0, 0);
      most = fmax(most, end.elastic);
    }
    ap_sim_free(sim);
    robot_free(&r);
  }
  CHECK(most > 1); // springs took part
}

// ---- control -----------------------------------------------------------------------------------

// An arm whose controller and whose feed-forward know its springs and compensation.
TEST(control_compensates_springs) {
  static unsigned char memory[1 << 20];
  ap_body_def b[2] = {ap_default_body(), ap_default_body()};
  for (int i = 0; i < 2; i++) {
    b[i].name = i ? "fore" : "upper", b[i].parent = i, b[i].joint = AP_REVOLUTE;
    b[i].mass = 2 - i, b[i].com[0] = 0.2, b[i].place.xyz[0] = 0.4 * i, b[i].place.rpy[0] = 1;
    b[i].inertia[0] = b[i].inertia[3] = b[i].inertia[5] = 0.01, b[i].effort_limit = 1000;
    b[i].stiffness = 6 - 2 * i, b[i].rest[0] = 0.3, b[i].gravity_compensation = 0.5;
  }
  ap_robot_def robot = ap_default_robot();
  robot.bodies = b, robot.nbody = 2;
  const ap_model *m = model_of(&robot);
  double q[2] = {0.4, -0.9}, v[2] = {0.3, 0.5}, a[2] = {1, -1}, none[2] = {0}, want[2], tau[2];
  static unsigned char room[1 << 16];
  ap_work *w = ap_work_init(m, room, sizeof room);
  if (!CHECK(m) || !CHECK(w)) return;
  ap_set_friction(m, w, true);
  ap_feed_forward_def def = ap_default_feed_forward();
  def.model = m;
  ap_feed_forward *f = ap_feed_forward_init(&def, memory, sizeof memory, NULL);
  if (!CHECK(f)) return;
  ap_inverse_dynamics(m, w, q, v, a, want);
  ap_feed_forward_torque(f, q, v, v, a, tau);
  CHECK_WITHIN(tau, want, 2, 1e-13);
  ap_feed_forward_reset(f, q, none); // at rest in balance: nothing from outside
  ap_gravity_forces(m, w, q, want);
  for (int k = 0; k < 100; k++) ap_feed_forward_observe(f, q, none, want, tau);
  CHECK_WITHIN(tau, none, 2, 1e-12);
  ap_ctrl_def law = ap_default_ctrl();
  law.model = m;
  for (int k = 0; k < 2; k++) {
    law.law = k ? AP_LAW_PD_GRAVITY : AP_LAW_TRACKING;
    ap_ctrl *c = ap_ctrl_init(&law, memory, sizeof memory, NULL);
    if (!CHECK(c)) return;
    ap_ctrl_step(c, &(ap_traj_state){.q = q, .v = none, .a = none}, q, none, tau);
    CHECK_WITHIN(tau, want, 2, 1e-13);
  }
}

// ---- files -------------------------------------------------------------------------------------

static const char yaml[] =
    "appell: 1\n"
    "bodies:\n"
    "  - name: a\n"
    "    gravity_compensation: 0.25\n"
    "    joint:\n"
    "      spring: {stiffness: 12.5, rest: 0.1}\n"
    "      type: revolute\n"
    "    inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}\n"
    "  - name: b\n"
    "    parent: a\n"
    "    joint: {type: spherical, spring: {stiffness: 2, rest: [0, 0.6, 0, 0.8]}}\n"
    "    inertia: {mass: 1, tensor: [1, 0, 0, 1, 0, 1]}\n"
    "...\n";

TEST(yaml_has_springs) {
  ap_robot *robot = NULL, *again = NULL;
  ap_error error = {0};
  static const char *const names[] = {"springs.yaml"};
  if (!CHECK_OK(ap_robot_parse(yaml, strlen(yaml), "yaml", NULL, &robot, &error))) {
    printf("  %s\n", error.text);
    return;
  }
  for (int round = 0; round < 2; round++) {
    const ap_body_def *b = ap_robot_definition(round ? again : robot)->bodies;
    CHECK(b[0].stiffness == 12.5 && b[0].rest[0] == 0.1 && b[0].gravity_compensation == 0.25);
    CHECK(b[1].stiffness == 2 && b[1].rest[1] == 0.6 && b[1].rest[3] == 0.8);
    if (round) break;
    make_folder();
    CHECK_OK(ap_robot_write(robot, in_folder(names[0]), &error));
    bool read = CHECK_OK(ap_robot_read(in_folder(names[0]), NULL, &again, &error));
    remove_folder_of(1, names);
    if (!read) break;
  }
  ap_robot_free(robot), ap_robot_free(again);
}

static void yaml_refused(const char *joint, const char *why) {
  char text[400];
  ap_robot *robot = NULL;
  ap_error error = {0};
  snprintf(text, sizeof text, "appell: 1\nbodies:\n  - name: a\n    joint: %s\n...\n", joint);
  CHECK(ap_robot_parse(text, strlen(text), "yaml", NULL, &robot, &error) != AP_OK);
  CHECK_HAS(error.text, why);
  CHECK_EQ_INT(error.line, 4);
  ap_robot_free(robot);
}

TEST(yaml_refuses_springs_that_cannot_be) {
  yaml_refused("{spring: {rest: 1}}", "a fixed joint has no spring");
  yaml_refused("{type: revolute, spring: {stiffness: 1, rest: [1, 2]}}", "rest");
  yaml_refused("{type: spherical, spring: {stiffness: 1, rest: 1}}", "rest must be a list of 4");
  yaml_refused("{type: revolute, spring: {k: 1}}", "stiffness");
}
