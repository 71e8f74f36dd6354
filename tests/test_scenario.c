// SPDX-License-Identifier: Apache-2.0
// Scenario files: what is read, what is refused and where, what the manual and the models say.

#include <appell/kin.h>

#include "manual.h"
#include "robot_files.h"
#include "scenario_text.h"
#include "sim/scenario.h"

// ---- reading -----------------------------------------------------------------------------------

TEST(defaults) {
  ap_scenario *s = read_text(HEAD END);
  if (!s) return;
  const ap_scene *scene = ap_scenario_scene(s), plain = ap_default_scene();
  double start, end, step;
  ap_scenario_times(s, &start, &end, &step);
  CHECK(start == 0 && end == 1 && step == 0.01);
  CHECK_STR(ap_scenario_name(s), "scenario");
  CHECK_STR(ap_scenario_text(s), HEAD END);
  CHECK_STR(ap_model_name(ap_scenario_model(s)), "two_link");
  CHECK_STR(ap_robot_definition(ap_scenario_robot(s))->name, "two_link");
  CHECK(scene->model == ap_scenario_model(s));
  CHECK(!scene->force && !scene->gravity && scene->joint_friction && scene->limits);
  CHECK_EQ_INT(scene->nwall + scene->nspring + scene->nstop + scene->nload, 0);
  CHECK_EQ_INT(scene->nforce_time, 0); // there are none
  CHECK_EQ_INT(scene->npoint, ap_default_contact_points(scene->model, NULL, 0));
  CHECK_EQ_INT(scene->stepping, AP_ADAPTIVE);
  CHECK(scene->relative == plain.relative && scene->absolute == plain.absolute &&
        scene->step == plain.step && scene->window == plain.window && scene->depth == plain.depth &&
        scene->most_events == plain.most_events);
  CHECK_BITS(ap_scenario_q(s), ((double[]){0, 0}), 2);
  CHECK_BITS(ap_scenario_v(s), ((double[]){0, 0}), 2);
  CHECK(ap_scenario_warning(s, 0) == NULL && ap_scenario_warning(s, -1) == NULL);
  ap_scenario_free(s);
  ap_scenario_free(NULL);
}

// The numbers in words of the manual: the defaults of the table are those of the library.
TEST(defaults_of_the_manual_are_the_library_s) {
  const ap_scene scene = ap_default_scene();
  const ap_wall wall = ap_default_wall();
  const struct {
    const char *map, *key;
    double value;
  } list[] = {
      {"scenario", "window", scene.window},       {"scenario", "depth", scene.depth},
      {"integrator", "relative", scene.relative}, {"integrator", "absolute", scene.absolute},
      {"integrator", "step", scene.step},         {"wall", "restitution", wall.restitution},
      {"wall", "friction", wall.friction}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%s", list[i].key);
    const ap__yaml_key *k = ap__scenario_keys;
    while (k->map && (strcmp(k->map, list[i].map) != 0 || strcmp(k->key, list[i].key) != 0)) k++;
    if (CHECK(k->map)) CHECK(strtod(k->initial, NULL) == list[i].value);
  }
}

static const char *const full =
    "appell-scenario: 1\n"
    "name: all keys\n"
    "robot: quadruped\n"
    "gravity: [0, 1, -3]\n"
    "joint_friction: false\n"
    "limits: true\n"
    "walls:\n"
    "- {kind: plane, centre: [0, 0, -9], normal: [0, 0, 2], restitution: 0.25, friction: 0.5, "
    "static_friction: 0.75}\n"
    "- {name: ring, kind: torus, centre: [50, 0, 0], axis: [0, 1, 0], ring: 3, tube: 0.5}\n"
    "- {name: egg, kind: ellipsoid, semi_axes: [7, 8, 9], x: [0, 1, 0], inside: true}\n"
    "- {kind: profile, centre: [0, 0, -9], axis: [0, -1, 0], points: [[0, 1], [2, 0.5], [3, 0]]}\n"
    "- {kind: cylinder, radius: 6, axis: [1, 0, 0], inside: true}\n"
    "contacts: [hind_left_foot, trunk, {link: trunk, name: nose, at: [0.4, 0, 0]}]\n"
    "start:\n"
    "  base: {position: [1, 2, 3], orientation: [0, 0, 0.6, 0.8], velocity: [0, 1, 0], "
    "angular_velocity: [0, 0, 2]}\n"
    "  hind_left_knee: 0.5\n"
    "  front_left_knee: {q: -0.25, v: 3}\n"
    "joints:\n"
    "  hind_left_knee: {stiffness: 10, rest: 0.1, damping: 2, stop_stiffness: 1e4, "
    "stop_damping: 7}\n"
    "  front_left_knee: {stop_restitution: 0.5}\n"
    "  front_right_knee: {stop_restitution: 0}\n"
    "forces: {front_left_knee: 1.5, base: [1, 2, 3, 4, 5, 6]}\n"
    "loads:\n"
    "- {link: trunk, at: [1, 0, 0], force: [0, 0, 5], couple: [0, 1, 0], from: 2.5, to: 3}\n"
    "- {link: trunk, force: [0, 0, 5]}\n"
    "start_time: 2\n"
    "duration: 3\n"
    "output_step: 0.5\n"
    "integrator: {method: rk4, step: 1e-4}\n"
    "window: 1e-6\ndepth: 1e-7\n"
    "...\n";

TEST(every_key) {
  ap_scenario *s = read_text(full);
  if (!s) return;
  const ap_model *m = ap_scenario_model(s);
  const ap_scene *scene = ap_scenario_scene(s);
  const ap_wall *w = scene->wall;
  const double *q = ap_scenario_q(s), *v = ap_scenario_v(s);
  int knee = ap_find_joint(m, "hind_left_knee"), other = ap_find_joint(m, "front_left_knee");
  CHECK_STR(ap_scenario_name(s), "all keys");
  CHECK_BITS(scene->gravity, ((double[]){0, 1, -3}), 3);
  CHECK(!scene->joint_friction && scene->limits);
  CHECK_EQ_INT(scene->nwall, 5);
  CHECK_STR(w[0].name, "wall1");
  CHECK_STR(w[1].name, "ring");
  CHECK_STR(w[3].name, "wall4");
  CHECK(w[0].kind == AP_WALL_PLANE && w[0].axis[2] == 2 && w[0].centre[2] == -9);
  CHECK(w[0].restitution == 0.25 && w[0].friction == 0.5 && w[0].static_friction == 0.75);
  CHECK(w[1].restitution == 0 && w[1].friction == 0 && w[1].static_friction == 0);
  CHECK(w[1].kind == AP_WALL_TORUS && w[1].size[0] == 3 && w[1].size[1] == 0.5 &&
        w[1].axis[1] == 1);
  CHECK(w[2].kind == AP_WALL_ELLIPSOID && w[2].inside && w[2].x[1] == 1);
  CHECK_BITS(w[2].size, ((double[]){7, 8, 9}), 3);
  CHECK(w[3].kind == AP_WALL_PROFILE && w[3].npoint == 3);
  CHECK_BITS(w[3].points, ((double[]){0, 1, 2, 0.5, 3, 0}), 6);
  CHECK(w[4].kind == AP_WALL_CYLINDER && w[4].size[0] == 6 && w[4].inside);
  CHECK_EQ_INT(scene->npoint, 3);
  CHECK_STR(scene->point[0].name, "hind_left_foot");
  CHECK_STR(ap_body(m, scene->point[0].body)->name, "hind_left_shank");
  CHECK_BITS(scene->point[0].at, ((double[]){0, 0, -0.25}), 3);
  CHECK_STR(scene->point[2].name, "nose");
  CHECK_EQ_INT(scene->point[2].body, 1);
  CHECK(scene->point[2].at[0] == 0.4);
  CHECK_NEAR(q, ((double[]){1, 2, 3, 0, 0, 0.6, 0.8}), 7, 1e-15);
  // Turned by 2 atan(0.6 / 0.8) about z: sin = 0.96, cos = 0.28; y lies at (0.96, 0.28) in the
  // body.
  CHECK_NEAR(v, ((double[]){0.96, 0.28, 0, 0, 0, 2}), 6, 1e-15);
  CHECK(q[ap_joint_q(m, knee)] == 0.5 && v[ap_joint_v(m, knee)] == 0);
  CHECK(q[ap_joint_q(m, other)] == -0.25 && v[ap_joint_v(m, other)] == 3);
  CHECK_EQ_INT(scene->nspring, 1);
  CHECK_EQ_INT(scene->spring[0].v, ap_joint_v(m, knee));
  CHECK(scene->spring[0].stiffness == 10 && scene->spring[0].rest == 0.1 &&
        scene->spring[0].damping == 2);
  CHECK_EQ_INT(scene->nstop, 2); // not the rigid one without rebound
  CHECK_EQ_INT(scene->stop[0].v, ap_joint_v(m, knee));
  CHECK(scene->stop[0].restitution == 0 && scene->stop[0].stiffness == 1e4 &&
        scene->stop[0].damping == 7);
  CHECK_EQ_INT(scene->stop[1].v, ap_joint_v(m, other));
  CHECK(scene->stop[1].restitution == 0.5 && scene->stop[1].stiffness == 0);
  CHECK_EQ_INT(scene->nload, 2);
  CHECK(scene->load[0].body == 1 && scene->load[0].at[0] == 1 && scene->load[0].force[2] == 5 &&
        scene->load[0].couple[1] == 1 && scene->load[0].from == 2.5 && scene->load[0].to == 3);
  CHECK(scene->load[1].from == 2 && scene->load[1].to == 5);
  CHECK(scene->stepping == AP_FIXED_RK4 && scene->step == 1e-4);
  CHECK(scene->window == 1e-6 && scene->depth == 1e-7);
  CHECK_EQ_INT(scene->nforce_time, 0); // constant forces have no kink
  double start, end, step, tau[18] = {0.5};
  ap_scenario_times(s, &start, &end, &step);
  CHECK(start == 2 && end == 5 && step == 0.5);
  CHECK_OK(scene->force(scene->context, 2, q, v, tau));
  CHECK_BITS(tau, ((double[]){1.5, 2, 3, 4, 5, 6}), 6); // added to what was there
  CHECK(tau[ap_joint_v(m, other)] == 1.5);
  ap_scenario_free(s);
}

// ---- starts ------------------------------------------------------------------------------------

// Roll, pitch, yaw as the robot formats mean them: the pose is that of a fixed link with this rpy.
TEST(rpy_is_that_of_robot_files) {
  ap_scenario *s =
      read_text(FREE "start: {base: {rpy: [0.3, -0.7, 1.9], position: [1, 2, 3]}}\n" END);
  if (!s) return;
  const ap_model *m = ap_scenario_model(s);
  void *memory = malloc(ap_work_size(m));
  ap_work *w = memory ? ap_work_init(m, memory, ap_work_size(m)) : NULL;
  double R[9], p[3];
  if (CHECK(w)) {
    ap_kinematics(m, w, ap_scenario_q(s), NULL, NULL);
    CHECK_OK(ap_frame_pose(m, w, 1, R, p));
    double c = cos(1.9) * cos(-0.7), d = sin(1.9) * cos(-0.7);
    CHECK_NEAR(((double[]){R[0], R[3], R[6], R[7], R[8]}),
               ((double[]){c, d, -sin(-0.7), cos(-0.7) * sin(0.3), cos(-0.7) * cos(0.3)}), 5,
               1e-15);
    CHECK_BITS(p, ((double[]){1, 2, 3}), 3);
  }
  free(memory);
  ap_scenario_free(s);
}

// Velocities in words are those of the body's origin in the world.
TEST(velocities_in_words_are_the_world_s) {
  ap_scenario *s = read_text(FREE
                             "start: {base: {rpy: [0.3, -0.7, 1.9], velocity: [1, 2, 3], "
                             "angular_velocity: [4, 5, 6]}}\n" END);
  if (!s) return;
  const ap_model *m = ap_scenario_model(s);
  void *memory = malloc(ap_work_size(m));
  ap_work *w = memory ? ap_work_init(m, memory, ap_work_size(m)) : NULL;
  double vel[6];
  if (CHECK(w)) {
    ap_kinematics(m, w, ap_scenario_q(s), ap_scenario_v(s), NULL);
    CHECK_OK(ap_frame_velocity(m, w, 1, AP_MIXED, vel));
    CHECK_NEAR(vel, ((double[]){1, 2, 3, 4, 5, 6}), 6, 1e-14);
  }
  free(memory);
  ap_scenario_free(s);
}

TEST(floating_and_coordinates_of_several) {
  ap_scenario *s = read_text(
      "appell-scenario: 1\nrobot: two_link.urdf\nfloating: true\nduration: 1\n"
      "start: {root_joint: {q: [1, 2, 3, 0, 0, 0, 1], v: [1, 2, 3, 4, 5, 6]}}\n" END);
  ap_error error = {0};
  if (!s) return;
  CHECK_EQ_INT(ap_nv(ap_scenario_model(s)), 8);
  ap_scenario_free(s);
  s = read_file("models/ascher2_swing.yaml");
  if (s) CHECK_BITS(ap_scenario_q(s), ((double[]){0.3, 0.2}), 2);
  ap_scenario_free(s);
  s = read_file("models/bouncing_rod.yaml");
  if (s) CHECK_BITS(ap_scenario_q(s), ((double[]){0, 1, 0.4}), 3);
  ap_scenario_free(s);
  CHECK(ap_scenario_read("models/no such file.yaml", &s, &error) == AP_E_FILE);
  CHECK(s == NULL && error.text[0]);
}

TEST(warnings) {
  ap_scenario *s = read_text(HEAD
                             "contacts: []\nwalls:\n- {kind: plane, centre: [0, 0, -1]}\n"
                             "loads:\n- {link: forearm, from: 2, to: 3}\n" END);
  if (!s) return;
  static const struct {
    int line;
    const char *words;
  } list[] = {{4, "nothing touches"}, {8, "outside the run"}};
  for (int i = 0; i < 2; i++) {
    const ap_error *w = ap_scenario_warning(s, i);
    if (!CHECK(w)) break;
    CHECK_EQ_INT(w->line, list[i].line);
    CHECK_HAS(w->text, list[i].words);
  }
  CHECK(ap_scenario_warning(s, 2) == NULL);
  ap_scenario_free(s);
}

// ---- limits ------------------------------------------------------------------------------------

// The limits of two_link.urdf: -1.6 to 2.6 of the shoulder, -2.6 to 2.6 of the elbow.
TEST(a_start_beyond_a_limit_is_refused) {
  expect_error(HEAD "start: {shoulder: 3}\n" END, 4,
               "start: the joint \"shoulder\" is at 3, beyond its upper limit of 2.6 (at most 2.6, "
               "or limits: false)");
  expect_error(HEAD "start:\n  shoulder: 1\n  elbow: {q: -2.7, v: 1}\n" END, 6,
               "\"elbow\" is at -2.7, beyond its lower limit of -2.6 (at least -2.6, or limits: "
               "false)");
  // Zero is beyond a limit, too: the least of stanford's third joint is 0.3048.
  expect_error("appell-scenario: 1\nrobot: stanford\nduration: 1\n" END, 2,
               "is at 0, beyond its lower limit of 0.3048");
  static const char *const fine[] = {
      HEAD "start: {shoulder: 2.6, elbow: -2.6}\n" END,
      HEAD "start: {shoulder: 2.60000000005}\n" END, // by less than depth
      HEAD "limits: false\nstart: {shoulder: 3, elbow: 100}\n" END,
      HEAD "start: {shoulder: 3}\njoints: {shoulder: {stop_stiffness: 1e3}}\n" END};
  for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
    test_context("%s", fine[i]);
    ap_scenario *s = read_text(fine[i]);
    if (!s) continue;
    CHECK(ap_scenario_warning(s, 0) == NULL);
    CHECK(ap_scenario_scene(s)->limits == (i != 2));
    ap_scenario_free(s);
  }
}

// A follower's own limits count, through a chain of followers as well: tip = 3 - 2 (0.5 lead + 1).
TEST(limits_of_followers) {
  char path[512], text[1100];
  temporary_name(path, sizeof path, "followers.yaml");
  write_text(
      path,
      "appell: 1\nbodies:\n"
      "- {name: lead, joint: {type: revolute}, inertia: {mass: 1}}\n"
      "- {name: middle, joint: {type: revolute, mimic: {joint: lead, ratio: 0.5, offset: 1}},"
      " inertia: {mass: 1}}\n"
      "- name: tip\n"
      "  joint: {type: revolute, mimic: {joint: middle, ratio: -2, offset: 3},\n"
      "    limits: {lower: -1, upper: 2}}\n"
      "  inertia: {mass: 1}\n...\n");
  static const struct {
    const char *more, *words; // NULL: fine
  } list[] = {
      {"start: {lead: -1}\n", NULL},
      {"start: {lead: 2}\n", NULL},
      {"start: {lead: 2.5}\n",
       "the joint \"tip\", which follows \"lead\", is at -1.5, beyond its lower limit of -1"},
      {"start: {lead: -1.5}\n", "is at 2.5, beyond its upper limit of 2 (at most 2"},
      {"start: {lead: -1.5}\nlimits: false\n", NULL},
      {"joints: {lead: {stop_restitution: 1}}\n", NULL}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%s", list[i].more);
    snprintf(text, sizeof text, "appell-scenario: 1\nrobot: %s\nduration: 1\n%s" END, path,
             list[i].more);
    if (list[i].words)
      expect_error(text, 4, list[i].words);
    else
      ap_scenario_free(read_text(text));
  }
  remove(path);
}

// Of a mechanism the closed start counts: near a crank angle of 1.2 rad the rocker is beyond 1 rad.
TEST(limits_of_mechanisms) {
  char path[512], text[1100];
  char *robot = file_text("models/four-bar.yaml", NULL);
  const char *rocker = "xyz: [0.4, 0, 0]}, ", *at = robot ? strstr(robot, rocker) : NULL;
  if (!CHECK(at)) return;
  temporary_name(path, sizeof path, "limited.yaml");
  FILE *file = fopen(path, "wb");
  if (CHECK(file)) {
    int before = (int)(at - robot) + (int)strlen(rocker);
    fprintf(file, "%.*slimits: {lower: 0, upper: 1}, %s", before, robot, robot + before);
    fclose(file);
  }
  free(robot);
  static const char *const start[] = {"start: {crank angle: 1.2}\n", "start: {crank: 1.2}\n",
                                      "start: {}\n"};
  for (int i = 0; i < 3; i++) {
    test_context("%s", start[i]);
    snprintf(text, sizeof text, "appell-scenario: 1\nrobot: %s\nduration: 1\n%s" END, path,
             start[i]);
    expect_error(text, 4, "start: the joint \"rocker\" is at 1.");
    snprintf(text, sizeof text, "appell-scenario: 1\nrobot: %s\nduration: 1\nlimits: false\n%s" END,
             path, start[i]);
    ap_scenario_free(read_text(text));
  }
  remove(path);
}

TEST(refusals_of_stops) {
  static const struct {
    const char *joint; // what the elbow has
    const char *words;
  } list[] = {
      {"stop_restitution: 1.5", "stop_restitution: 1.5 (between 0, no rebound, and 1, no loss)"},
      {"stop_restitution: -0.1", "stop_restitution: -0.1"},
      {"stop_restitution: nan", "not a number"},
      {"stop_stiffness: -1", "stop_stiffness: -1 (it must be 0 or more)"},
      {"stop_stiffness: 1, stop_damping: -1", "stop_damping: -1 (it must be 0 or more)"},
      {"stop_damping: 1", "stop_damping of a rigid stop (it needs stop_stiffness)"},
      {"stop_stiffness: 0, stop_damping: 1", "stop_damping of a rigid stop"},
      {"stop_stiffness: 1, stop_restitution: 0.5",
       "stop_restitution and stop_stiffness together (use one of them)"},
      {"stop_stifness: 1", "did you mean \"stop_stiffness\""}};
  char text[300];
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%s", list[i].joint);
    snprintf(text, sizeof text, HEAD "joints:\n  elbow: {%s}\n" END, list[i].joint);
    expect_error(text, 5, list[i].words);
  }
  expect_error(HEAD "limits: false\njoints: {elbow: {stop_restitution: 0.5}}\n" END, 5,
               "stops of \"elbow\" with limits: false (set limits: true, or remove them)");
  expect_error(
      "appell-scenario: 1\nrobot: puma600\nduration: 1\njoints: {joint2: {stop_stiffness: "
      "5}}\n" END,
      4, "stops of \"joint2\", which has no limits (add limits to the robot, or remove them)");
  expect_error(FREE "joints: {base: {stop_restitution: 1}}\n" END, 4, "6 degrees of freedom");
  expect_error(HEAD "limits: maybe\n" END, 4, "one of: false true");
}

// ---- refusals ----------------------------------------------------------------------------------

TEST(refusals_name_line_and_remedy) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {"", 1, "it starts with \"appell-scenario: 1\""},
      {"appell: 1\n...\n", 1, "this is a robot, not a scenario"},
      {"appell-scenario: 2\n...\n", 1, "version 2"},
      {"appell-scenario: 1\nduration: 1\n...\n", 1, "without \"robot\""},
      {"appell-scenario: 1\nrobot: puma600\n...\n", 1, "without \"duration\""},
      {HEAD, 4, "without a line \"...\""},
      {HEAD "---\na: 1\n...\n", 4, "a scenario file has one"},
      {HEAD "wall: []\n" END, 4, "unknown key \"wall\" in a scenario (did you mean \"walls\"?)"},
      {HEAD "duration: 2\n" END, 4, "duplicate"},
      {HEAD "depth: 2.5 m\n" END, 4,
       "\"2.5 m\" is not a number (expected a finite decimal number without a unit)"},
      {HEAD "depth: nan\n" END, 4, "not a number"},
      {HEAD "depth: 0\n" END, 4, "depth: 0 (it must be above 0)"},
      {HEAD "depth: -1\n" END, 4, "above 0"},
      {HEAD "window: -1e-5\n" END, 4, "window: -1e-05 (it must be 0 or more)"},
      {HEAD "window: nan\n" END, 4, "not a number"},
      {HEAD "rest: 1e-9\n" END, 4, "unknown key \"rest\" in a scenario"},
      {HEAD "floating: yes\n" END, 4, "write \"true\""},
      {"appell-scenario: 1\nrobot: puma600\nduration: 0\n" END, 3,
       "duration: 0 (it must be above 0)"},
      {"appell-scenario: 1\nrobot: puma600\nduration: -2\n" END, 3, "duration: -2"},
      {"appell-scenario: 1\nrobot: puma\nduration: 1\n" END, 2, "shafei-tree"},
      {"appell-scenario: 1\nrobot: puma60\nduration: 1\n" END, 2, "did you mean \"puma600\""},
      {"appell-scenario: 1\nrobot: none.yaml\nduration: 1\n" END, 2,
       "none.yaml: cannot open the file: No such file or directory (expected a file beside the "
       "scenario)"},
      {"appell-scenario: 1\nrobot: ball.yaml\nduration: 1\n" END, 2,
       "ball.yaml:4: this is a scenario, not a robot"},
      {"appell-scenario: 1\nrobot: []\nduration: 1\n" END, 2, "robot has a list"},
      {FREE "floating: true\n" END, 2, "free base"},
      {HEAD "output_step: 1e-9\n" END, 4, "1e+09 outputs in 1 s (at most 10000000)"},
      {HEAD "output_step: 0\n" END, 4, "above 0"},
      {HEAD "start_time: 1e20\n" END, 1, "below the resolution"},
      {HEAD "integrator: {method: rk5}\n" END, 4, "one of: adaptive rk4 euler"},
      {HEAD "integrator: {step: 1e-3}\n" END, 4, "step does not apply to method adaptive"},
      {HEAD "integrator: {method: rk4, relative: 1}\n" END, 4,
       "tolerances do not apply to fixed steps"},
      {HEAD "integrator: {relative: 1}\n" END, 4, "between 1e-15 and 0.1"},
      {HEAD "integrator: {absolute: 0}\n" END, 4, "above 0"},
      {HEAD "integrator: {method: euler, step: 0}\n" END, 4, "above 0"},
      {HEAD "integrator: {method: euler, step: 1e-300}\n" END, 4, "steps"},
      {HEAD "gravity: 9.81\n" END, 4, "list of 3 numbers"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.120s", list[i].text);
    expect_error(list[i].text, list[i].line, list[i].words);
  }
}

TEST(refusals_of_states_and_forces) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {HEAD "start: {elbow: 5000}\n" END, 4, "an angle of 5000 rad (radians between"},
      {HEAD "start:\n  elbow:\n    q: -1001\n" END, 6, "an angle of -1001 rad"},
      {HEAD "start: {elbow: 2.5 rad}\n" END, 4, "not a number"},
      {HEAD "start: {elbwo: 1}\n" END, 4, "no joint \"elbwo\" (did you mean \"elbow\"?)"},
      {HEAD "start: {wheel: 1}\n" END, 4, "no joint \"wheel\" (it has: shoulder, elbow)"},
      {HEAD "start: {tool_mount: 1}\n" END, 4, "is fixed"},
      {HEAD "start:\n  elbow: 1\n  elbow: 2\n" END, 6, "duplicate joint \"elbow\" in start"},
      {HEAD "start: {elbow: {p: 1}}\n" END, 4, "unknown key \"p\" in a start"},
      {HEAD "start: {elbow: {q: [1, 2]}}\n" END, 4, "q has a list (expected a number)"},
      {HEAD "start: {elbow: {position: [1, 2, 3]}}\n" END, 4, "to free joints"},
      {HEAD "start: {elbow: {rpy: [1, 2, 3]}}\n" END, 4, "to free and spherical joints"},
      {HEAD "start: [1, 2]\n" END, 4, "start has a list (expected a map of joint names)"},
      {HEAD "start: {[a]: 1}\n" END, 4, "the name of a joint"},
      {FREE "start: {base: 1}\n" END, 4, "a joint with 7 coordinates (expected a map"},
      {FREE "start: {base: {q: [1, 2]}}\n" END, 4, "q has 2 entries"},
      {FREE "start: {base: {q: [0, 0, 0, 0, 0, 0, 0], v: []}}\n" END, 4, "quaternion has length 0"},
      {FREE "start: {base: {orientation: [1, 1, 1, 1]}}\n" END, 4, "quaternion has length 2"},
      {FREE "start: {base: {orientation: [0, 0, 0, 1], rpy: [0, 0, 0]}}\n" END, 4, "together"},
      {FREE "start: {base: {q: [0, 0, 0, 0, 0, 0, 1], rpy: [0, 0, 0]}}\n" END, 4, "together"},
      {FREE "start: {base: {v: [0, 0, 0, 0, 0, 0], velocity: [0, 0, 0]}}\n" END, 4, "together"},
      {FREE "start: {base: {rpy: [0, 90000, 0]}}\n" END, 4, "an angle of 90000 rad"},
      {HEAD "joints: {elbow: {stiffness: -1}}\n" END, 4, "stiffness: -1 (it must be 0 or more)"},
      {HEAD "joints: {elbow: {damping: -1}}\n" END, 4, "damping: -1 (it must be 0 or more)"},
      {HEAD "joints: {elbow: {rest: 2000}}\n" END, 4, "an angle of 2000 rad"},
      {HEAD "joints: {elbow: {k: 1}}\n" END, 4, "did you mean \"stiffness\""},
      {FREE "joints: {base: {damping: 1}}\n" END, 4, "6 degrees of freedom"},
      {HEAD "forces: {elbow: 1 N}\n" END, 4, "not a number"},
      {HEAD "forces: {elbows: 1}\n" END, 4, "did you mean \"elbow\""},
      {FREE "forces: {base: 1}\n" END, 4, "list of 6 numbers"},
      {HEAD "forces: [1]\n" END, 4, "map of joint names"},
      {HEAD "loads:\n- {link: forarm}\n" END, 5, "no link \"forarm\" (did you mean \"forearm\"?)"},
      {HEAD "loads:\n- {force: [1, 2, 3]}\n" END, 5, "without \"link\""},
      {HEAD "loads:\n- {link: forearm, from: 1, to: 1}\n" END, 5, "from 1 s to 1 s"},
      {HEAD "loads:\n- {link: forearm, from: 0.5, to: 0.2}\n" END, 5,
       "from 0.5 s to 0.2 s (the end must be later)"},
      {HEAD "loads:\n- {link: forearm, from: nan}\n" END, 5, "not a number"},
      {HEAD "loads:\n- {link: forearm, force: [0, .inf, 0]}\n" END, 5, "not a number"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.120s", list[i].text);
    expect_error(list[i].text, list[i].line, list[i].words);
  }
}

#define WALL(text) HEAD "walls:\n- {" text "}\n" END

TEST(refusals_of_walls) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {HEAD "walls: {kind: plane}\n" END, 4, "a list of maps"},
      {WALL("name: a"), 5, "a wall without \"kind\""},
      {WALL("kind: plan"), 5, "one of: plane circle"},
      {WALL("kind: floor"), 5, "write \"plane\""},
      {WALL("kind: circle"), 5, "a wall of kind circle without \"radius\""},
      {WALL("kind: circle, radius: 0"), 5, "radius: 0 m"},
      {WALL("kind: circle, radius: -1"), 5, "radius: -1 m (between 1e-9 and 1e9 m)"},
      {WALL("kind: sphere, radius: 0"), 5, "radius: 0 m"},
      {WALL("kind: circle, radius: nan"), 5, "not a number"},
      {WALL("kind: circle, radius: 2.5 m"), 5, "without a unit"},
      {WALL("kind: circle, radius: 1, semi_axes: [1, 2]"), 5,
       "does not apply to a wall of kind circle"},
      {WALL("kind: plane, axis: [0, 0, 1]"), 5, "the direction of a plane is its normal"},
      {WALL("kind: plane, inside: true"), 5, "does not apply to a wall of kind plane"},
      {WALL("kind: plane, normal: [0, 0, 0]"), 5, "wall1"},
      {WALL("kind: ellipse, semi_axes: [1, 2, 3]"), 5, "semi_axes has 3 entries"},
      {WALL("kind: ellipse, semi_axes: [1, -2]"), 5, "semi_axes: -2 m"},
      {WALL("kind: ellipsoid, semi_axes: [1, 2, 0]"), 5, "semi_axes: 0 m (between 1e-9 and 1e9 m)"},
      {WALL("kind: circle, radius: 1, axis: [0, 0, 0]"), 5, "axis"},
      {WALL("kind: plane, centre: [0, 0, 1e10]"), 5, "centre[2] is 1e+10 m"},
      {WALL("kind: ellipse, semi_axes: [1, 2], x: [0, 0, 1]"), 5, "wall1"},
      {WALL("kind: torus, ring: 1, tube: 2"), 5, "tube: 2 m in a ring of 1 m"},
      {WALL("kind: torus, ring: 1"), 5, "without \"tube\""},
      {WALL("kind: profile, points: [[0, 1]]"), 5, "points: 1 of them"},
      {WALL("kind: profile, points: [[0, 1], [0, 2]]"), 5, "x must increase"},
      {WALL("kind: profile, points: [[0, 1], [1]]"), 5, "points has 1 entry"},
      {WALL("kind: profile, points: 3"), 5, "list of pairs"},
      {WALL("kind: plane, restitution: 1.2"), 5,
       "restitution: 1.2 (between 0, no rebound, and 1, no loss)"},
      {HEAD "walls:\n- kind: plane\n  restitution: -0.1\n" END, 6, "restitution: -0.1"},
      {WALL("kind: plane, friction: -1"), 5, "friction: -1 (it must be from 0 to 1e+09)"},
      {WALL("kind: plane, friction: 1e300"), 5, "friction: 1e+300 (it must be from 0 to 1e+09)"},
      {WALL("kind: plane, rolling_friction: 1e6"), 5,
       "rolling_friction: 1e+06 m (it must be from 0 to 1000)"},
      {WALL("kind: plane, friction: 0.5, static_friction: 0.4"), 5,
       "static_friction: 0.4 is below friction, 0.5 (it must be at least as large)"},
      {WALL("kind: plane, static_friction: -0.1"), 5, "static_friction: -0.1"},
      {WALL("kind: plane, friction: 0.5, friction_across: 0"), 5,
       "friction_across: 0 (it must be from 1e-3 to 1e3 times friction)"},
      {WALL("kind: plane, motion: {spin: 1, axis: [0, 0, 0]}"), 5, "axis: 0 0 0"},
      {HEAD "materials:\n- {between: [a, b], friction: 0.5, static_friction: 0}\n" END, 5,
       "static_friction: 0 is below friction, 0.5"},
      {HEAD "materials:\n- {between: [a, b], friction: 0.5, friction_across: 0}\n" END, 5,
       "friction_across: 0"},
      {HEAD "collisions: {restitution: 5}\n" END, 4, "restitution: 5 (from 0 to 1)"},
      {HEAD "collisions:\n  friction: -1\n" END, 5, "friction: -1 (0 or more)"},
      {WALL("kind: plane, e: 1"), 5, "did you mean \"restitution\""},
      {WALL("kind: plane, center: [0, 0, 0]"), 5, "did you mean \"centre\""},
      {HEAD "walls:\n- {kind: plane, name: a, centre: [0, 0, -2]}\n- {kind: plane, name: a}\n" END,
       6, "\"a\" is already used by the wall on line 5"},
      {HEAD "contacts: [tol]\n" END, 4, "no frame \"tol\" (did you mean \"tool\"?)"},
      {HEAD "contacts: [gripper]\n" END, 4, "no frame \"gripper\""},
      {HEAD "contacts: [base]\n" END, 4, "fixed to the ground"},
      {HEAD "contacts: [ground]\n" END, 4, "fixed to the ground"},
      {HEAD "contacts:\n- tool\n- {link: forearm}\n- {link: forearm, at: [0, 0, 1]}\n" END, 7,
       "duplicate name \"forearm\""},
      {HEAD "contacts: [{at: [0, 0, 0]}]\n" END, 4, "without \"link\""},
      {HEAD "contacts: [{link: arm}]\n" END, 4, "no link \"arm\" (it has: base, upper_arm"},
      {HEAD "contacts: [{link: ground}]\n" END, 4, "no link \"ground\""},
      {HEAD "contacts: tool\n" END, 4, "a list of frames or maps"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.120s", list[i].text);
    expect_error(list[i].text, list[i].line, list[i].words);
  }
}

#define SHAPE(text) HEAD "contacts:\n- {link: forearm, " text "}\n" END

TEST(refusals_of_shapes) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {SHAPE("shape: ball"), 5, "one of: point sphere capsule box hull"},
      {SHAPE("shape: sphere"), 5, "a contact of shape sphere without \"radius\""},
      {SHAPE("shape: sphere, radius: 0"), 5, "radius"},
      {SHAPE("shape: capsule, radius: 0.1, length: -1"), 5, "length"},
      {SHAPE("shape: box, sides: [1, 0, 1]"), 5, "side"},
      {SHAPE("shape: box, radius: 1, sides: [1, 1, 1]"), 5,
       "radius does not apply to a contact of shape box"},
      {SHAPE("shape: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]"), 5, "plane"},
      {SHAPE("shape: hull, points: [[0, 0, 0], [1, 0, 0]]"), 5, "points"},
      {SHAPE("friction: 1"), 5, "does not apply to a contact without a shape"},
      {SHAPE("shape: sphere, radius: 1, restitution: 2"), 5, "restitution: 2 (from 0 to 1)"},
      {SHAPE("shape: sphere, radius: 1, friction: -1"), 5, "friction: -1 (0 or more)"},
      {HEAD "walls: [{kind: plane}]\ncontacts:\n- {link: forearm, shape: sphere, radius: 5}\n" END,
       6, "inside wall \"wall1\""},
      {HEAD "contacts:\n- {name: b, link: forearm, shape: sphere, radius: 0.3}\n"
            "walls: [{name: w, kind: sphere, radius: 0.2, inside: true}]\n" END,
       5, "shape \"b\", of 0.3 m radius, is too large for the inside of wall \"w\""},
      {HEAD "contacts:\n- {name: b, link: forearm, shape: sphere, radius: 0.3}\n"
            "walls: [{name: w, kind: torus, ring: 0.4, tube: 0.2}]\n" END,
       5, "is too large for the hole of wall \"w\""},
      {HEAD "others:\n- {robot: two_link.urdf, name: b}\n"
            "contacts:\n- {link: forearm, shape: sphere, radius: 0.1}\n"
            "- {link: b_forearm, shape: sphere, radius: 0.1}\n" END,
       7, "inside shape \"b_forearm\" (move them apart)"},
      {HEAD "others:\n- {robot: two_link.urdf, name: b, xyz: [1e300, 0, 0]}\n" END, 5,
       "xyz: 1e+300 m (at most 1e+06)"},
      {HEAD "others:\n- {robot: two_link.urdf, name: b, rpy: [0, 0, 1e5]}\n" END, 5,
       "rpy: an angle of 100000 rad"},
      {HEAD "others:\n- {robot: stewart, name: b}\n" END, 5, "stewart has closed chains"},
      {HEAD "others:\n- {robot: quadrupet, name: b}\n" END, 5, "did you mean \"quadruped\""},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.120s", list[i].text);
    expect_error(list[i].text, list[i].line, list[i].words);
  }
}

// Who asks for collision shapes is told where there are none.
TEST(collisions_of_a_robot_without_shapes) {
  ap_scenario *s = read_text(HEAD "collisions: {}\n" END);
  if (!s) return;
  const ap_error *w = ap_scenario_warning(s, 0);
  if (CHECK(w != NULL)) CHECK(strstr(w->text, "has no shapes that may touch") != NULL);
  ap_scenario_free(s);
}

TEST(a_start_inside_a_wall_is_refused) {
  expect_error(HEAD
               "contacts: [tool]\nwalls: [{kind: plane, name: sill, centre: [0, 0, 0.25]}]\n" END,
               5, "point \"tool\" at 0.7 0 0 is 0.25 m inside wall \"sill\" of line 5");
  expect_error(
      HEAD
      "contacts: [tool]\nwalls:\n- {kind: circle, name: well, axis: [0, 1, 0], radius: 0.6, "
      "inside: true}\nstart: {elbow: 0}\n" END,
      7, "inside wall \"well\" of line 6");
  // On the wall, and deeper by less than depth: fine.
  ap_scenario_free(
      read_text(HEAD "contacts: [tool]\nwalls: [{kind: plane, centre: [0, 0, 0]}]\n" END));
  ap_scenario_free(read_text(HEAD "contacts: [tool]\ndepth: 0.001\n"
                                  "walls: [{kind: plane, centre: [0, 0, 0.0009]}]\n" END));
  // The free region of a profile lies above it: axis x x is up here.
  ap_scenario_free(read_text(HEAD "contacts: [tool]\nwalls:\n- {kind: profile, axis: [0, -1, 0], "
                                  "points: [[0, -1], [1, -0.1]]}\n" END));
  expect_error(HEAD
               "contacts: [tool]\nwalls:\n- {kind: profile, axis: [0, -1, 0], "
               "points: [[0, 0.5], [1, 0.5]]}\n" END,
               6, "is 0.5 m inside");
}

TEST(messages_name_what_is_wrong) {
  expect_error(HEAD "depth: 1\n" END, 4, "depth: 1 m");
  expect_error("appell-scenario: 1\nrobot: two_link.urdf\nduration: 1e9\n" END, 3,
               "duration: 1e+09 s");
  expect_error(HEAD "output_step: 1e-9\n" END, 4, "output_step: 1e-09 s");
  expect_error(HEAD "walls: [{kind: plane, normal: [0, 0, 0]}]\n" END, 4, "normal is 0 0 0");
  expect_error(HEAD "start: {elbow: 2.5 m}\n" END, 4, "start of elbow: \"2.5 m\"");
  expect_error(HEAD "start: {elbow: {v: 1e7}}\n" END, 4, "\"elbow\" has a velocity of 1e+07");
  expect_error(FREE "start: {base: {position: [0, 0, 1e7]}}\n" END, 4, "a position of 1e+07");
  expect_error(HEAD "contacts: [{link: forearm, at: [0, 1e308, 0]}]\n" END, 4,
               "at: 1e+308 m (at most 1e9 m)");
  expect_error(END, 1, "the file is empty");
}

TEST(long_paths_show_the_name_of_the_file) {
  char text[1100];
  char folder[] = "d123456789/d123456789/d123456789/d123456789/d123456789/d123456789/d123456789";
  snprintf(text, sizeof text, "appell-scenario: 1\nrobot: %s/%s/nowhere.urdf\nduration: 1\n" END,
           folder, folder);
  expect_error(text, 2, "robot: /d123456789");
  expect_error(text, 2, "d123456789/nowhere.urdf: cannot open the file");
}

TEST(lists_have_an_end) {
  size_t room = 1 << 20, n = 0;
  char *text = malloc(room);
  if (!CHECK(text)) return;
  n += (size_t)snprintf(text, room, "%swalls: [", HEAD);
  for (int i = 0; i < 10001; i++) n += (size_t)snprintf(text + n, room - n, "{kind: plane},");
  snprintf(text + n, room - n, "]\n...\n");
  expect_error(text, 4, "walls has 10001 entries (at most 10000)");
  free(text);
}

// ---- the manual and the models -----------------------------------------------------------------

TEST(the_manual_shows_every_key) { manual_shows("docs/scenarios.md", ap__scenario_keys); }

TEST(the_example_of_the_manual_is_a_scenario) {
  char *manual = file_text("docs/scenarios.md", NULL);
  if (!CHECK(manual)) return;
  char *from = strstr(manual, "```yaml\n"), *to = from ? strstr(from + 8, "```") : NULL;
  if (CHECK(to)) {
    *to = 0;
    ap_scenario *s = read_text(from + 8);
    if (s) CHECK(ap_scenario_warning(s, 0) == NULL);
    ap_scenario_free(s);
    char *file = file_text("models/pendulum_at_walls.yaml", NULL);
    if (CHECK(file)) CHECK_STR(file, from + 8);
    free(file);
  }
  free(manual);
}

TEST(models_are_read_without_a_warning) {
  static const char *const names[] = {"shafei2018",
                                      "ball",
                                      "bouncing_rod",
                                      "rocking_block",
                                      "quadruped_drop",
                                      "double_pendulum_in_ellipse",
                                      "block_over_edge",
                                      "conveyor",
                                      "lift",
                                      "crate_on_lift",
                                      "crate_over_rim",
                                      "staircase",
                                      "ball_on_incline",
                                      "cylinder_on_incline",
                                      "newtons_cradle",
                                      "rolling_ball",
                                      "billiards",
                                      "top_on_plane",
                                      "grasp",
                                      "quadruped_on_stairs",
                                      "stack",
                                      "hundred_balls"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[80];
    snprintf(path, sizeof path, "models/%s.yaml", names[i]);
    test_context("%s", path);
    ap_scenario *s = read_file(path);
    if (!s) continue;
    CHECK(ap_scenario_warning(s, 0) == NULL);
    CHECK(ap_scenario_scene(s)->nwall > 0 || ap_scenario_scene(s)->point[0].shape);
    ap_scenario_free(s);
  }
}

TEST(the_start_of_shafei2018_is_exact) {
  ap_scenario *s = read_file("models/shafei2018.yaml");
  if (!s) return;
  const double *q = ap_scenario_q(s), pi = 3.14159265358979323846;
  double x = -(1 + sqrt(3.0)) / 2;
  CHECK_BITS(q,
             ((double[]){x, x, pi / 6, pi / 6, -2 * pi / 3, pi / 6, pi / 6, -2 * pi / 3, pi / 3, 0,
                         2 * pi / 3, -pi / 3}),
             12);
  CHECK_EQ_INT(ap_scenario_scene(s)->npoint, 11);
  ap_scenario_free(s);
}
