// SPDX-License-Identifier: Apache-2.0
// Closed chains: small mechanisms whose answers are known by hand, poses out of reach, both kinds
// of singularity, definitions that are refused, no allocation.

#define _GNU_SOURCE
#include <appell/loop.h>

#include "heap.h"
#include "mechanism_rig.h"
#include "test.h"

enum { N = 6 };

// ---- small mechanisms --------------------------------------------------------------------------

static ap_body_def bar(const char *name, int parent, double x, double y) {
  ap_body_def b = ap_default_body();
  b.name = name, b.parent = parent, b.joint = AP_REVOLUTE;
  b.place.xyz[0] = x, b.place.xyz[1] = y;
  return b;
}

static ap_coordinate_def joint_of(int body) {
  return (ap_coordinate_def){.name = "angle", .kind = AP_COORDINATE_JOINT, .body = body};
}

// Slider and crank: the rod's end, where all the mass is, slides along x. With crank r and rod l
// the end is at r cos + sqrt(l^2 - r^2 sin^2), and M = m (dx / dangle)^2.
TEST(point_on_line_makes_a_slider) {
  const double r = 0.1, l = 0.3, m = 2;
  ap_body_def bodies[2] = {bar("crank", 0, 0, 0), bar("rod", 1, r, 0)};
  bodies[1].mass = m, bodies[1].com[0] = l;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies, robot.nbody = 2;
  ap_closure_def line = ap_default_closure();
  line.name = "slide", line.kind = AP_CLOSE_POINT_ON_LINE, line.body[0] = 2;
  line.at[0][0] = l, line.axis[1][0] = 3, line.axis[1][2] = 0;
  ap_coordinate_def angle = joint_of(1);
  int actuated = 1;
  double guess[2] = {0.5, -0.7};
  ap_mechanism_def def = {.robot = &robot, .closures = &line, .nclosure = 1};
  def.coordinates = &angle, def.ncoordinate = 1, def.actuated = &actuated, def.nactuated = 1;
  def.guess = guess;
  rig b = rig_of(&def);
  for (double q = -3; b.m && q < 3; q += 0.5) {
    double M, R[9], p[3], tip, root = sqrt(l * l - r * r * sin(q) * sin(q));
    double slope = -r * sin(q) - r * r * sin(q) * cos(q) / root;
    CHECK_OK(ap_loop_inertia_matrix(b.m, b.l, &q, &M));
    CHECK_CLOSE(M, m * slope * slope, 1e-14);
    ap_kinematics(ap_mechanism_tree(b.m), ap_loop_work(b.l), ap_loop_configuration(b.l), NULL,
                  NULL);
    ap_frame_pose(ap_mechanism_tree(b.m), ap_loop_work(b.l), 2, R, p);
    tip = p[0] + R[0] * l;
    CHECK_CLOSE(tip, r * cos(q) + root, 1e-13);
  }
  drop(&b);
}

// Four bars, the coupler a distance: rates of crank and rocker are as
// b sin(coupler - rocker) to a sin(coupler - crank).
TEST(distance_makes_a_coupler) {
  const double a = 0.2, b = 0.4, c = 0.5, d = 0.6;
  ap_body_def bodies[2] = {bar("crank", 0, 0, 0), bar("rocker", 0, d, 0)};
  bodies[0].mass = bodies[1].mass = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies, robot.nbody = 2;
  ap_closure_def rod = ap_default_closure();
  rod.name = "coupler", rod.kind = AP_CLOSE_DISTANCE, rod.body[0] = 1, rod.body[1] = 2;
  rod.at[0][0] = a, rod.at[1][0] = b, rod.distance = c;
  ap_coordinate_def angle = joint_of(1);
  double guess[2] = {0.5, 1.5};
  ap_mechanism_def def = {.robot = &robot, .closures = &rod, .nclosure = 1};
  def.coordinates = &angle, def.ncoordinate = 1, def.guess = guess;
  rig r = rig_of(&def);
  for (double q = 0; r.m && q < 6.2; q += 0.4) { // a Grashof crank turns all round
    double P[2];
    CHECK_OK(ap_loop_map(r.m, r.l, &q, P));
    const double *x = ap_loop_configuration(r.l);
    double dx = d + b * cos(x[1]) - a * cos(x[0]), dy = b * sin(x[1]) - a * sin(x[0]);
    double coupler = atan2(dy, dx);
    CHECK_CLOSE(hypot(dx, dy), c, 1e-13);
    CHECK_CLOSE(P[1], a * sin(coupler - x[0]) / (b * sin(coupler - x[1])), 1e-12);
  }
  double tau, none = 0;
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, &none, &none, &none, &tau), AP_E_UNSUPPORTED);
  drop(&r);
}

// Two wheels in mesh: M = I_1 + ratio^2 I_2.
TEST(gear_couples_two_wheels) {
  ap_body_def bodies[2] = {bar("small", 0, 0, 0), bar("large", 0, 1, 0)};
  bodies[0].inertia[5] = 0.2, bodies[1].inertia[5] = 0.7;
  bodies[0].mass = bodies[1].mass = 1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = bodies, robot.nbody = 2;
  ap_closure_def gear = ap_default_closure();
  gear.name = "mesh", gear.kind = AP_CLOSE_GEAR, gear.body[0] = 1, gear.body[1] = 2;
  gear.ratio = -2.5, gear.offset = 0.4;
  ap_coordinate_def angle = joint_of(1);
  int both[2] = {1, 2};
  ap_mechanism_def def = {.robot = &robot, .closures = &gear, .nclosure = 1};
  def.coordinates = &angle, def.ncoordinate = 1, def.actuated = both, def.nactuated = 2;
  rig r = rig_of(&def);
  double q = 20, v = 1, a = 3, M, tau[2], again;
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, &q, &M));
  CHECK_CLOSE(M, 0.2 + 2.5 * 2.5 * 0.7, 1e-14);
  CHECK_CLOSE(ap_loop_configuration(r.l)[1], -2.5 * q + 0.4, 1e-13);
  // Two motors for one coordinate: the least forces are in the ratio of the map's rows.
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, &q, &v, &a, tau));
  CHECK_CLOSE(tau[0] - 2.5 * tau[1], M * a, 1e-13);
  CHECK_CLOSE(tau[1], -2.5 * tau[0], 1e-13);
  CHECK_OK(ap_loop_forward_dynamics(r.m, r.l, &q, &v, tau, &again));
  CHECK_CLOSE(again, a, 1e-13);
  drop(&r);
}

// A free body welded to an arm is a payload.
TEST(weld_is_a_payload) {
  const ap_robot_def *arm = ap_builtin("puma600");
  ap_body_def bodies[7];
  memcpy(bodies, arm->bodies, 6 * sizeof *bodies);
  ap_body_def load = ap_default_body();
  load.name = "load", load.joint = AP_FREE, load.mass = 2.3;
  load.com[0] = 0.02, load.com[1] = -0.05, load.com[2] = 0.1;
  load.inertia[0] = 0.02, load.inertia[3] = 0.03, load.inertia[5] = 0.015, load.inertia[1] = 0.004;
  bodies[6] = load;
  ap_robot_def robot = *arm;
  robot.bodies = bodies, robot.nbody = 7;
  ap_closure_def weld = ap_default_closure();
  weld.name = "weld", weld.kind = AP_CLOSE_FRAME, weld.body[0] = 6, weld.body[1] = 7;
  ap_coordinate_def q_def[6];
  int actuated[6];
  static const char *const name[6] = {"1", "2", "3", "4", "5", "6"};
  for (int i = 0; i < 6; i++) {
    q_def[i] = (ap_coordinate_def){.name = name[i], .kind = AP_COORDINATE_JOINT, .body = i + 1};
    actuated[i] = i + 1;
  }
  ap_mechanism_def def = {.robot = &robot, .closures = &weld, .nclosure = 1};
  def.coordinates = q_def, def.ncoordinate = 6, def.actuated = actuated, def.nactuated = 6;
  rig r = rig_of(&def);
  size_t size = ap_model_size(arm);
  void *memory = malloc(size), *work;
  ap_model *m = ap_model_init(arm, memory, size, NULL);
  size = ap_work_size(m);
  work = malloc(size);
  ap_work *w = ap_work_init(m, work, size);
  CHECK_OK(ap_set_payload(m, w, 6, load.mass, load.com, load.inertia));
  rng random = rng_seed(56);
  for (int k = 0; k < 20; k++) {
    double q[6], v[6], a[6], tau[6], expect[6], M[36], C[36], M2[36], C2[36];
    ap_assembly found;
    for (int i = 0; i < 6; i++)
      q[i] = rng_uniform(&random, -2, 2), v[i] = rng_uniform(&random, -2, 2), a[i] = v[i] * 2;
    CHECK_OK(ap_loop_place(r.m, r.l, q, &found));
    CHECK_EQ_INT(found.rank, 6);
    CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, a, tau));
    ap_inverse_dynamics(m, w, q, v, a, expect);
    CHECK_NEAR(tau, expect, 6, 1e-12);
    CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
    ap_inertia_matrix(m, w, q, M2);
    CHECK_NEAR(M, M2, 36, 1e-12);
    CHECK_OK(ap_loop_coriolis_matrix(r.m, r.l, q, v, C));
    ap_coriolis_matrix(m, w, q, v, C2);
    CHECK_NEAR(C, C2, 36, 1e-12);
  }
  free(work), free(memory);
  drop(&r);
}

// ---- where it ends -----------------------------------------------------------------------------

TEST(unreachable_poses) {
  rig r = builtin("five-bar");
  double q[2] = {0, 0.42}, far[2] = {0, 0.9}, x[4], v[2] = {0, 0}, tau[2] = {7, 7};
  ap_assembly found;
  CHECK_OK(ap_loop_place(r.m, r.l, q, NULL));
  memcpy(x, ap_loop_configuration(r.l), sizeof x);
  CHECK_STATUS(ap_loop_place(r.m, r.l, far, &found), AP_E_UNREACHABLE);
  // Arms of 0.6 m from (-+0.1, 0) end 0.5916 m up. Of what lacks, the least squares leave to P's
  // own place and to the joint shares between nothing and all.
  CHECK(found.closure_error + found.coordinate_error > 0.1);
  CHECK(isfinite(found.closure_error) && isfinite(found.coordinate_error) && found.worst == 0);
  CHECK_BITS(ap_loop_configuration(r.l), x, 4);
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, far, v, v, tau), AP_E_UNREACHABLE);
  CHECK(tau[0] == 7 && tau[1] == 7);
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, tau));
  double huge[2] = {1e300, -1e300};
  CHECK_STATUS(ap_loop_place(r.m, r.l, huge, &found), AP_E_UNREACHABLE);
  CHECK(!isnan(found.closure_error) && !isnan(found.coordinate_error));
  double again[2];
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, again));
  CHECK_NEAR(again, tau, 2, 1e-12);
  // From the same guess, the same bits.
  double first[2], second[2];
  CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, first));
  CHECK_OK(ap_loop_place(r.m, r.l, (double[2]){0.05, 0.4}, NULL));
  CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, second));
  CHECK_BITS(first, second, 2);
  double bad[2] = {NAN, 0};
  CHECK_STATUS(ap_loop_place(r.m, r.l, bad, NULL), AP_E_ARG);
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, q, bad, v, tau), AP_E_ARG);
  drop(&r);
  // The Delta robot out of its reach; the wrist where proximal and platform axis of a limb are 5
  // degrees apart, and the arcs of 80 and 70 degrees leave no less than 10.
  static const struct {
    const char *name;
    double q[3];
  } out[] = {{"delta", {5, 5, 5}}, {"agile-wrist", {0, 0, -1.4835}}};
  for (int i = 0; i < COUNT(out); i++) {
    rig b = builtin(out[i].name);
    CHECK_STATUS(ap_loop_place(b.m, b.l, out[i].q, &found), AP_E_UNREACHABLE);
    CHECK(found.closure_error > 1e-4 && found.worst >= 0);
    drop(&b);
  }
}

// The left arm stretched: at reach 0.6 from (-0.1, 0).
TEST(serial_singularity) {
  rig r = builtin("five-bar");
  const double up = 75 * acos(-1) / 180;
  double last = 1, v[2] = {0.1, 0.1}, tau[2] = {7, 7};
  ap_singularity near;
  for (int k = 1; k <= 6; k++) { // nearer by a factor of ten each time
    double reach = 0.6 - pow(10, -k), q[2] = {-0.1 + reach * cos(up), reach * sin(up)};
    CHECK_OK(ap_loop_singularity(r.m, r.l, q, &near));
    CHECK(near.serial > 0 && near.serial < last && near.parallel > 0.05);
    last = near.serial;
  }
  CHECK(last < 1e-3); // as the square root of 1e-6
  double q[2] = {-0.1 + 0.6 * cos(up), 0.6 * sin(up)};
  ap_status status = ap_loop_inverse_dynamics(r.m, r.l, q, v, v, tau);
  CHECK_STATUS(status, AP_E_SINGULAR_SERIAL);
  CHECK(tau[0] == 7 && tau[1] == 7);
  CHECK_STATUS(ap_loop_singularity(r.m, r.l, q, &near), AP_E_SINGULAR_SERIAL);
  CHECK(near.serial < 1e-6 && near.parallel > 0.05 && near.act_least == 0);
  double back[2] = {0, 0.42};
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, back, v, v, tau));
  drop(&r);
}

// Both elbows in one place: the rods lie upon each other, and P swings about the elbows freely.
TEST(parallel_singularity) {
  rig r = builtin("five-bar");
  double height = sqrt(0.25 * 0.25 - 0.01), left = atan2(height, 0.1), right = atan2(height, -0.1);
  double swing = 0.3, last = 1, v[2] = {0.1, 0.1}, tau[2] = {7, 7}, M[4];
  double x[4] = {left, swing - left, right, swing - right};
  ap_singularity near;
  CHECK_OK(ap_loop_set_guess(r.m, r.l, x));
  for (int k = 1; k <= 5; k++) {
    double q[2] = {0.35 * cos(swing), height + 0.35 * sin(swing) - 0.1 * pow(10, -k)};
    CHECK_OK(ap_loop_singularity(r.m, r.l, q, &near));
    CHECK(near.parallel > 0 && near.parallel < last && near.serial > 0.01);
    last = near.parallel;
  }
  CHECK(last < 1e-4);
  double q[2] = {0.35 * cos(swing), height + 0.35 * sin(swing)};
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, q, v, v, tau), AP_E_SINGULAR_PARALLEL);
  CHECK(tau[0] == 7 && tau[1] == 7);
  CHECK_STATUS(ap_loop_singularity(r.m, r.l, q, &near), AP_E_SINGULAR_PARALLEL);
  CHECK(near.parallel < 1e-12 && near.serial > 0.01);
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M)); // needs no actuators
  drop(&r);
}

// det J_act changes its sign at a parallel singularity. Along q_i = s a_i sin(b_i t) with the
// paper's amplitudes (10, 30, 20 degrees) that happens from s = 1.734 on, on the branch +++.
TEST(parallel_singularity_of_the_wrist) {
  rig r = builtin("agile-wrist");
  const double degree = acos(-1) / 180, a[3] = {10, 30, 20}, b[3] = {2, 1, 3};
  double first = 0;
  for (double s = 1.70; r.m && s < 1.77 && first == 0; s += 0.004) {
    CHECK_OK(ap_loop_set_guess(r.m, r.l, ap_mechanism_guess(r.m)));
    for (double t = 0, sign = 0; t < 4; t += 0.01) {
      double q[3], J[9];
      for (int i = 0; i < 3; i++) q[i] = s * a[i] * degree * sin(b[i] * acos(-1) / 2 * t);
      if (!CHECK_OK(ap_loop_actuator_map(r.m, r.l, q, J))) break;
      double det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                   J[2] * (J[3] * J[7] - J[4] * J[6]);
      if (sign * det < 0 && first == 0) first = s;
      sign = det;
    }
  }
  CHECK(first > 1.729 && first < 1.742);
  drop(&r);
}

// Yaw and roll are not defined where the platform's x points up or down.
TEST(gimbal) {
  ap_body_def body = ap_default_body();
  body.name = "ball", body.joint = AP_SPHERICAL, body.mass = 1;
  body.inertia[0] = body.inertia[3] = body.inertia[5] = 0.1;
  ap_robot_def robot = ap_default_robot();
  robot.bodies = &body, robot.nbody = 1;
  ap_coordinate_def angles[3] = {{.name = "yaw", .kind = AP_COORDINATE_YAW, .body = 1},
                                 {.name = "pitch", .kind = AP_COORDINATE_PITCH, .body = 1},
                                 {.name = "roll", .kind = AP_COORDINATE_ROLL, .body = 1}};
  ap_mechanism_def def = {.robot = &robot, .coordinates = angles, .ncoordinate = 3};
  rig r = rig_of(&def);
  double q[3] = {0.3, 1.2, -0.4}, M[9], up[3] = {0.3, acos(0), -0.4};
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
  // w = E v with E of yaw and roll sin(pitch) from perpendicular.
  const double expect[9] = {0.1, 0, -0.1 * sin(1.2), 0, 0.1, 0, -0.1 * sin(1.2), 0, 0.1};
  CHECK_NEAR(M, expect, 9, 1e-13);
  ap_singularity near;
  ap_assembly found;
  CHECK_STATUS(ap_loop_inertia_matrix(r.m, r.l, up, M), AP_E_SINGULAR_SERIAL);
  CHECK_STATUS(ap_loop_place(r.m, r.l, up, &found), AP_E_SINGULAR_SERIAL);
  CHECK_STATUS(ap_loop_singularity(r.m, r.l, up, &near), AP_E_SINGULAR_SERIAL);
  CHECK(near.serial < 1e-6);
  CHECK_OK(ap_loop_inertia_matrix(r.m, r.l, q, M));
  CHECK_NEAR(M, expect, 9, 1e-13);
  drop(&r);
}

// Finite numbers whose results are not: a status, and the outputs as they were.
TEST(results_too_large_for_numbers) {
  rig r = builtin("five-bar");
  double q[2] = {0.03, 0.4}, zero[2] = {0, 0}, fast[2] = {1e160, 1e160}, most[2] = {1e308, 1e308};
  double out[4] = {7, 7, 7, 7}, energy[2] = {7, 7};
  CHECK_STATUS(ap_loop_inverse_dynamics(r.m, r.l, q, fast, zero, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_forward_dynamics(r.m, r.l, q, fast, zero, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_forces(r.m, r.l, q, fast, zero, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_energy(r.m, r.l, q, fast, &energy[0], &energy[1]), AP_E_ARG);
  CHECK_STATUS(ap_loop_acceleration(r.m, r.l, q, fast, zero, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_velocity(r.m, r.l, q, most, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_coriolis_matrix(r.m, r.l, q, most, out), AP_E_ARG);
  CHECK(out[0] == 7 && out[1] == 7 && out[2] == 7 && out[3] == 7);
  CHECK(energy[0] == 7 && energy[1] == 7);
  CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, q, zero, zero, out));
  CHECK(isfinite(out[0]) && isfinite(out[1]));
  drop(&r);
}

// More coordinates than the closures leave free.
TEST(coordinates_that_depend) {
  ap_mechanism_def def = *ap_mechanism_builtin("five-bar");
  ap_coordinate_def three[3] = {def.coordinates[0], def.coordinates[1], joint_of(1)};
  def.coordinates = three, def.ncoordinate = 3;
  rig r = rig_of(&def);
  double q[3], M[9], x[4];
  memcpy(x, ap_mechanism_guess(r.m), sizeof x);
  ap_assembly found;
  CHECK_OK(ap_loop_close(r.m, r.l, x, q, &found));
  CHECK_EQ_INT(found.rank, 2);
  CHECK(found.closure_error < 1e-12);
  CHECK_STATUS(ap_loop_inertia_matrix(r.m, r.l, q, M), AP_E_MODEL);
  drop(&r);
}

// ---- definitions -------------------------------------------------------------------------------

static void refused(const ap_mechanism_def *def, const char *name, const char *reason) {
  size_t size = ap_mechanism_size(def);
  void *memory = malloc(size + 1);
  ap_error error = {.text = ""};
  CHECK(ap_mechanism_init(def, memory, size, &error) == NULL);
  CHECK_HAS(error.text, name);
  CHECK_HAS(error.text, reason);
  CHECK(ap_mechanism_init(def, memory, size, NULL) == NULL);
  free(memory);
}

TEST(refused_definitions) {
  const ap_mechanism_def *five = ap_mechanism_builtin("five-bar");
  ap_mechanism_def def = *five;
  ap_closure_def c = five->closures[0];
  ap_coordinate_def s[2] = {five->coordinates[0], five->coordinates[1]};
  int actuated[2] = {1, 3};
  def.closures = &c, def.coordinates = s, def.actuated = actuated;
#define REFUSED(change, name, reason)                         \
  do {                                                        \
    c = five->closures[0], actuated[0] = 1, actuated[1] = 3;  \
    s[0] = five->coordinates[0], s[1] = five->coordinates[1]; \
    change;                                                   \
    refused(&def, name, reason);                              \
  } while (0)
  REFUSED(c.body[0] = 9, "closure \"P\"", "there is no link 9; links are 0 (the ground) to 4");
  REFUSED(c.at[1][2] = NAN, "closure \"P\"", "at[1] must be three finite numbers");
  REFUSED(c.body[1] = 2, "closure \"P\"", "do not move relative to each other");
  REFUSED(c.name = "", "closure 0", "has no name");
  REFUSED(c.kind = (ap_closure_kind)17, "closure \"P\"", "kind 17 does not exist");
  REFUSED((c.kind = AP_CLOSE_DISTANCE, c.distance = 0), "closure \"P\"", "above zero");
  REFUSED((c.kind = AP_CLOSE_AXIS, c.axis[0][2] = 0), "closure \"P\"", "axis[0]");
  REFUSED((c.kind = AP_CLOSE_GEAR, c.ratio = 0), "closure \"P\"", "must not be zero");
  REFUSED((c.kind = AP_CLOSE_GEAR, c.ratio = 1, c.body[0] = 0), "closure \"P\"", "\"ground\"");
  REFUSED(s[1].name = "x", "coordinate \"x\"", "duplicate");
  REFUSED(s[1].along[1] = 0, "coordinate \"y\"", "along");
  REFUSED(s[1].body = 0, "coordinate \"y\"", "does not move");
  REFUSED(actuated[1] = 0, "actuator \"1\"", "must be revolute or prismatic");
  REFUSED(actuated[1] = 1, "actuator \"left_arm\"", "already actuator 0");
  REFUSED(c.kind = AP_CLOSE_DISTANCE; c.distance = 1, "1 rows of closures", "cannot determine");
#undef REFUSED
  def = *five;
  double guess[4] = {0, INFINITY, 0, 0};
  def.guess = guess;
  refused(&def, "guess", "finite");
  def = *five, def.ncoordinate = 0;
  CHECK_EQ_INT((int)ap_mechanism_size(&def), 0);
  ap_error error;
  unsigned char little[16];
  CHECK(ap_mechanism_init(&def, little, sizeof little, &error) == NULL);
  CHECK(ap_mechanism_init(five, little, sizeof little, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_MEMORY);
}

TEST(nothing_allocates) {
  install_heap();
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig r = builtin(ap_mechanism_builtin_name(i));
    double q[N], v[N] = {0.1, 0.2, 0.1, 0, 0.3, 0.1}, a[N] = {1}, out[N], big[N * N];
    ap_singularity near;
    rng random = rng_seed(57);
    random_pose(&random, &r, q);
    allocations = 0, armed = true;
    ap_wrench push = {.frame = 1, .reference = AP_LOCAL, .force = {1, 2, 3}};
    ap_status s[8] = {ap_loop_place(r.m, r.l, q, NULL),
                      ap_loop_inverse_dynamics(r.m, r.l, q, v, a, out),
                      ap_loop_forward_dynamics(r.m, r.l, q, v, out, a),
                      ap_loop_inverse_dynamics_ext(r.m, r.l, q, v, a, &push, 1, out),
                      ap_loop_closure_forces(r.m, r.l, q, v, a, out, &push, 1, big, NULL),
                      ap_loop_coriolis_matrix(r.m, r.l, q, v, big),
                      ap_loop_gravity_forces(r.m, r.l, q, out),
                      ap_loop_singularity(r.m, r.l, q, &near)};
    armed = false;
    CHECK_EQ_INT(allocations, 0);
    for (int k = 0; k < COUNT(s); k++) CHECK_OK(s[k]);
    drop(&r);
  }
  allocations = 0, armed = true;
  call_free(call_malloc(10));
  armed = false;
  CHECK(allocations > 0);
}
