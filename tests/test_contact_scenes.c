// SPDX-License-Identifier: Apache-2.0
// The scenarios of models/ with shapes, each against a value known by other means.

#include <appell/kin.h>
#include <appell/scenario.h>

#include "robot_files.h"
#include "test.h"

enum { MOST_CONTACTS = 96, MOST_TOLD = 64 };

static ap_scenario *scenario;
static ap_sim *sim;
static struct {
  int n;
  ap_event event[MOST_TOLD];
} told;

static void listen(void *context, const ap_event *event) {
  (void)context;
  if (told.n < MOST_TOLD) told.event[told.n] = *event;
  told.n++;
}

static void close_run(void) {
  ap_sim_free(sim);
  ap_scenario_free(scenario);
  sim = NULL;
  scenario = NULL;
}

// Open a scenario that was read with this status, and run it to time t.
static bool run(ap_status status, const ap_error *error, double t, ap_sim_state *state) {
  ap_error own = {0};
  double from, to, step;
  if (!CHECK_OK(status)) {
    printf("  %s\n", error->text);
    return false;
  }
  told.n = 0;
  ap_scenario_times(scenario, &from, &to, &step);
  bool good = CHECK_OK(ap_sim_create(ap_scenario_scene(scenario), &sim, &own));
  ap_sim_on_event(sim, listen, NULL);
  good =
      good &&
      CHECK_OK(ap_sim_start(sim, from, ap_scenario_q(scenario), ap_scenario_v(scenario), &own)) &&
      CHECK_OK(ap_sim_advance(sim, t > 0 ? t : to, &own)) && CHECK_OK(ap_sim_now(sim, state, &own));
  if (!good) printf("  %s\n", own.text);
  return good;
}

// The whole of a scenario file, or its beginning up to t > 0.
static bool run_file(const char *path, double t, ap_sim_state *state) {
  ap_error error = {0};
  close_run();
  ap_status status = ap_scenario_read(path, &scenario, &error);
  return run(status, &error, t, state);
}

// The same with a part of its text replaced.
static bool run_changed(const char *path, const char *old, const char *new, double t,
                        ap_sim_state *state) {
  size_t length;
  char *text = file_text(path, &length), *at = text ? strstr(text, old) : NULL;
  ap_error error = {0};
  close_run();
  if (!CHECK(at != NULL)) return false;
  size_t room = length + strlen(new) + 1;
  char *changed = malloc(room);
  if (!changed) abort();
  int n = snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  ap_status status = ap_scenario_parse(changed, (size_t)n, "models", &scenario, &error);
  free(changed);
  free(text);
  return run(status, &error, t, state);
}

static double sum_of_forces(int axis) {
  ap_contact_state contact[MOST_CONTACTS];
  int n = ap_sim_contacts(sim, contact, MOST_CONTACTS);
  double sum = 0;
  for (int i = 0; i < n && i < MOST_CONTACTS; i++) sum += contact[i].force[axis];
  return sum;
}

TEST(ball_on_incline) {
  ap_sim_state s;
  if (!run_file("models/ball_on_incline.yaml", 0, &s)) return;
  double way = 0.5 * 5.0 / 7 * 9.81 * 0.5;
  CHECK_CLOSE(s.q[0], 0.05 + way * sqrt(0.75), 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

// The first ball's energy is the last one's after four impacts, and back again.
TEST(newtons_cradle) {
  ap_sim_state s;
  if (!run_file("models/newtons_cradle.yaml", 0.6, &s)) return;
  CHECK_EQ_INT(told.n, 4);
  double r = 0.4 * 0.5 * 0.0025 + 0.5 * 0.25; // inertia about the pivot
  double speed = sqrt(2 * 0.5 * 9.81 * 0.5 * (1 - cos(0.3)) / r);
  CHECK_CLOSE(told.event[0].lost, 0, 1e-12);
  if (run_file("models/newtons_cradle.yaml", told.event[3].t, &s)) {
    CHECK_CLOSE(fabs(s.v[4]), speed, 1e-6); // the row hangs 1e-6 m aside
    for (int i = 0; i < 4; i++) CHECK_CLOSE(s.v[i], 0, 1e-4);
    CHECK_CLOSE(s.closing, 0, 1e-9);
  }
}

// Steady precession: I1 W^2 cos - I3 w W + m g l = 0.
TEST(top_on_plane) {
  ap_sim_state s;
  double I3 = 1.25e-4, I1 = 6.25e-5 + 0.1 * 0.04 * 0.04, w = 200, tilt = 0.4;
  double a = I1 * cos(tilt), b = I3 * w, c = 0.1 * 9.81 * 0.04;
  double rate = (b - sqrt(b * b - 4 * a * c)) / (2 * a), t = 2;
  if (!run_file("models/top_on_plane.yaml", t, &s)) return;
  const double *q = s.q + 3; // the axis: the third column of R
  double x = 2 * (q[0] * q[2] + q[3] * q[1]), y = 2 * (q[1] * q[2] - q[3] * q[0]);
  double z = 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
  CHECK_CLOSE(acos(z), tilt, 1e-8);
  CHECK_CLOSE(atan2(y, x), remainder(rate * t, 2 * 3.14159265358979323846), 1e-7);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  CHECK_EQ_INT(s.contacts, 1);
}

// Cones of friction: what is left of 2 * 0.5 * 10 N.
TEST(a_gripper_holds_a_crate) {
  ap_sim_state s;
  if (!run_file("models/grasp.yaml", 0, &s)) return;
  ap_contact_state contact[MOST_CONTACTS];
  int n = ap_sim_contacts(sim, contact, MOST_CONTACTS);
  double margin = 0;
  for (int i = 0; i < n; i++) {
    CHECK(contact[i].sticks);
    margin += contact[i].margin;
  }
  CHECK_CLOSE(margin, 10 - 0.5 * (9.81 + 0.2), 1e-9);
  ap_friction_margin link[8];
  int links = ap_sim_friction(sim, link, 8);
  if (CHECK_EQ_INT(links, 3)) { // both fingers, and the crate
    CHECK_CLOSE(link[2].friction, 0.5 * (9.81 + 0.2), 1e-9);
    CHECK_CLOSE(link[2].limit, 10, 1e-9);
    CHECK_CLOSE(link[2].direction[2], 1, 1e-12);
    CHECK_EQ_INT(link[2].contacts, 8);
  }
  CHECK_CLOSE(s.q[5], 0.3, 1e-9); // the crate
  CHECK_CLOSE(s.q[0], 0.1, 1e-9); // the lift
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

TEST(a_gripper_that_is_too_weak_lets_it_slide) {
  ap_sim_state s;
  const double t = 0.1;
  if (!run_changed("models/grasp.yaml", "left: 10, right: -10", "left: 4, right: -4", t, &s))
    return;
  CHECK_CLOSE(s.q[5], 0.2 + 0.5 * (4 / 0.5 - 9.81) * t * t, 1e-9);
  CHECK_CLOSE(s.q[0], 0.5 * ((17.017 - 4) / 1.2 - 9.81) * t * t, 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

TEST(a_stack_of_ten_cubes) {
  ap_sim_state s;
  if (!run_file("models/stack.yaml", 0, &s)) return;
  for (int i = 0; i < 10; i++) {
    CHECK_CLOSE(s.q[7 * i], 0, 1e-9);
    CHECK_CLOSE(s.q[7 * i + 2], 0.05 + 0.1 * i, 1e-9);
  }
  ap_contact_state contact[MOST_CONTACTS];
  int n = ap_sim_contacts(sim, contact, MOST_CONTACTS);
  double floor = 0;
  CHECK_EQ_INT(n, 40);
  for (int i = 0; i < n; i++)
    if (contact[i].wall == 0) floor += contact[i].force[2];
  CHECK_CLOSE(floor, 10 * 0.6 * 9.81, 1e-9);
}

TEST(a_quadruped_on_stairs) {
  ap_sim_state s;
  if (!run_file("models/quadruped_on_stairs.yaml", 0, &s)) return;
  CHECK(s.contacts >= 3);
  CHECK_CLOSE(sum_of_forces(2) / (23.2 * 9.81), 1, 1e-4);
  CHECK_CLOSE(s.closing, 0, 1e-10 * 150); // of the energy at the start
  close_run();
}

// Feet that land stick and slip some hundred times. With fixed steps each event is located inside
// its step, by twenty evaluations or so, and costs the stages of three steps besides: its own, a
// shorter one and the next. Whatever way a foot turns to before it stops, that is one event.
TEST(a_quadruped_lands_in_fixed_steps) {
  const char *const method[] = {"method: rk4, step: 1e-3", "method: euler, step: 1e-3"};
  for (int k = 0; k < 2; k++) {
    ap_sim_state s;
    const char *adaptive = "relative: 1e-8, absolute: 1e-8";
    if (!run_changed("models/quadruped_drop.yaml", adaptive, method[k], 1, &s)) return;
    test_context("%s", method[k]);
    const long steps = 1000, stages = k ? 1 : 6;
    CHECK(told.n > 100);
    CHECK(ap_sim_evaluations(sim) < stages * steps + (3 * stages + 20) * told.n);
    CHECK_EQ_INT(s.contacts, 4);
    CHECK_CLOSE(sum_of_forces(2) / (23.2 * 9.81), 1, 0.1);
    CHECK_CLOSE(s.q[2], 0.406, 1e-3);
    close_run();
  }
}

// Rolling and spinning friction stop a ball one after the other, where the file says so.
TEST(rolling_ball) {
  ap_sim_state s;
  if (!run_file("models/rolling_ball.yaml", 0, &s)) return;
  double a = 5.0 / 7 * 0.004 * 9.81 / 0.1;
  CHECK_CLOSE(s.q[0], 0.5 * 0.7 * 0.7 / a, 1e-8);
  CHECK_CLOSE(s.kinetic, 0, 1e-20);
  CHECK_CLOSE(s.dissipated, 0.7 * 2 * 0.7 * 0.7 + 0.5 * 0.008 * 20 * 20, 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  close_run();
}

// After a head-on impact the first ball spins on and the second slides: 2/7 and 5/7 of the speed.
TEST(billiards) {
  ap_sim_state s;
  if (!run_file("models/billiards.yaml", 0, &s)) return;
  double hit = 0.8, first = 2.0 / 7 / (0.2 * 9.81); // both slide for the same time
  double own = 0.8 + 0.5 * 0.2 * 9.81 * first * first + 2.0 / 7 * (2 - hit - first);
  double other = first - 0.5 * 0.2 * 9.81 * first * first + 5.0 / 7 * (2 - hit - first);
  CHECK_CLOSE(s.q[0], own, 1e-8);
  CHECK_CLOSE(s.q[7], other, 1e-8);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  CHECK_STR(ap_body(ap_scenario_model(scenario), 3)->name, "second_ball");
  close_run();
}

// The platform of the lift is smaller than the crate.
TEST(a_crate_on_a_lift) {
  ap_sim_state s;
  if (!run_file("models/crate_on_lift.yaml", 0, &s)) return;
  CHECK_CLOSE(told.event[0].t, sqrt(2 * 0.2 / 9.81), 1e-10);
  CHECK_CLOSE(s.q[2], 1.1, 1e-8);
  CHECK_CLOSE(s.lost, 2 * 9.81 * 0.2, 1e-9);
  CHECK_CLOSE(s.work, 2 * 9.81, 1e-8);
  CHECK_CLOSE(sum_of_forces(2), 2 * 9.81, 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

// The front corner leaves the table at 0.1 / 0.5 s; the rear one alone bears m g / (1 + m r^2 / I),
// the moment of inertia I being that about the centre of mass, r ahead of the corner.
TEST(a_block_over_an_edge) {
  ap_sim_state s;
  double r = 0.1, I = 10.0 / 12 * (0.8 * 0.8 + 0.2 * 0.2);
  if (!run_file("models/block_over_edge.yaml", 0.2 + 1e-7, &s)) return;
  bool leaves = false;
  for (int i = 0; i < told.n && i < MOST_TOLD; i++)
    if (told.event[i].kind == AP_EVENT_LIFTOFF && !leaves)
      leaves = CHECK_CLOSE(told.event[i].t, 0.2, 1e-8);
  CHECK(leaves);
  CHECK_EQ_INT(s.contacts, 1);
  CHECK_CLOSE(sum_of_forces(1), 10 * 9.81 / (1 + 10 * r * r / I), 1e-5);
  if (run_file("models/block_over_edge.yaml", 0, &s)) CHECK_CLOSE(s.closing, 0, 1e-9 * 78.48);
}

// Until its centre of mass is over the rim it stays level; tests/test_wall_shapes.c has what
// follows.
TEST(a_crate_over_a_rim) {
  ap_sim_state s;
  if (!run_file("models/crate_over_rim.yaml", 0.8, &s)) return;
  CHECK_CLOSE(s.q[0], 0.4, 1e-9);
  CHECK_CLOSE(s.q[2], 0.8, 1e-9);
  CHECK_CLOSE(s.q[4], 0, 1e-8);
  if (!run_file("models/crate_over_rim.yaml", 0, &s)) return;
  CHECK(s.q[2] < 0.3);
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

// ---- shapes of robot files ---------------------------------------------------------------------

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL)) return;
  fputs(text, file);
  fclose(file);
}

// Geoms of MJCF: a capsule falls on a box, both of the file, as are two cylinders; in a bowl, which
// cylinders do not touch, these are left out with a warning.
TEST(geoms_of_mjcf_touch) {
  char folder[] = "/tmp/appell-shapes-XXXXXX", path[64];
  ap_error error = {0};
  ap_sim_state s;
  if (!CHECK(mkdtemp(folder) != NULL)) return;
  snprintf(path, sizeof path, "%s/two.xml", folder);
  write_text(path,
             "<mujoco><worldbody>"
             "<body name='a' pos='0 0 1'><freejoint/>"
             "<geom type='capsule' size='0.05 0.2' euler='0 90 0' density='500'/></body>"
             "<body name='b'><freejoint/><geom type='box' size='0.1 0.1 0.1' density='500'/>"
             "<geom type='cylinder' size='0.02 0.02' density='1'/>"
             "<geom type='cylinder' size='0.02 0.03' density='1'/></body>"
             "</worldbody></mujoco>");
  const char *text =
      "appell-scenario: 1\nrobot: two.xml\ncollisions: {restitution: 0}\n"
      "walls: [{name: floor, kind: plane, centre: [0, 0, -0.1]}]\n"
      "start: {a: {position: [0, 0, 1]}}\nduration: 0.5\n...\n";
  close_run();
  ap_status status = ap_scenario_parse(text, strlen(text), folder, &scenario, &error);
  if (run(status, &error, 0, &s)) {
    CHECK_EQ_INT(ap_scenario_scene(scenario)->npoint, 4);
    CHECK_STR(ap_scenario_scene(scenario)->point[0].name, "a_shape1");
    CHECK(ap_scenario_warning(scenario, 0) == NULL);
    bool hit = false;
    for (int i = 0; i < told.n && i < MOST_TOLD; i++)
      if (told.event[i].kind == AP_EVENT_IMPACT && !hit)
        hit = CHECK_CLOSE(told.event[i].t, sqrt(2 * 0.85 / 9.81), 1e-9);
    CHECK(hit);
  }
  const char *in_bowl =
      "appell-scenario: 1\nrobot: two.xml\ncollisions: {restitution: 0}\n"
      "walls: [{name: bowl, kind: sphere, radius: 3, inside: true}]\n"
      "start: {a: {position: [0, 0, 1]}}\nduration: 0.5\n...\n";
  close_run();
  status = ap_scenario_parse(in_bowl, strlen(in_bowl), folder, &scenario, &error);
  if (CHECK_OK(status)) {
    const ap_error *warning = ap_scenario_warning(scenario, 0);
    CHECK_EQ_INT(ap_scenario_scene(scenario)->npoint, 2);
    CHECK(warning && strstr(warning->text, "cylinders cannot touch wall \"bowl\""));
  }
  close_run();
  remove(path);
  remove(folder);
}

// MuJoCo's rule: geoms touch if a bit of contype of one is a bit of conaffinity of the other; walls
// have 1 and 1; groups do not matter. After a second what fell on nothing has fallen g/2.
TEST(geoms_of_mjcf_touch_by_their_bits) {
  static const struct {
    const char *geom;
    double z; // of the body at the end
  } list[] = {
      {"<geom size='0.1'/>", 0.1},
      {"<geom size='0.1' contype='0' conaffinity='0'/>", 1 - 9.81 / 2},
      {"<geom size='0.1' contype='0' conaffinity='0' group='3'/>", 1 - 9.81 / 2},
      {"<geom size='0.1' contype='0'/>", 0.1},
      {"<geom size='0.1' conaffinity='0'/>", 0.1},
      {"<geom size='0.1' contype='3' conaffinity='0'/>", 0.1},
      {"<geom size='0.1' contype='2' conaffinity='6'/>", 1 - 9.81 / 2},
      {"<geom size='0.1' class='seen'/>", 1 - 9.81 / 2},
      // All that may touch do, whatever their groups: the larger one holds.
      {"<geom size='0.1' group='3'/><geom size='0.2'/>", 0.2},
      {"<geom size='0.1' group='3'/><geom size='0.2' class='seen'/>", 0.1},
  };
  enum { BODIES = sizeof list / sizeof list[0] };
  char folder[] = "/tmp/appell-shapes-XXXXXX", path[64], model[4096], text[2048];
  ap_error error = {0};
  ap_sim_state s;
  if (!CHECK(mkdtemp(folder) != NULL)) return;
  snprintf(path, sizeof path, "%s/bits.xml", folder);
  int n = snprintf(model, sizeof model,
                   "<mujoco><default><default class='seen'><geom contype='0' conaffinity='0'/>"
                   "</default></default>\n<worldbody>\n<geom type='plane' size='5 5 1'/>"
                   "<geom contype='0' conaffinity='0' size='1'/>");
  int m = snprintf(text, sizeof text,
                   "appell-scenario: 1\nrobot: bits.xml\ncollisions: {}\n"
                   "walls: [{name: floor, kind: plane}]\nduration: 1\nstart:\n");
  for (int i = 0; i < BODIES; i++) {
    n += snprintf(model + n, sizeof model - (size_t)n, "<body name='b%d'><freejoint/>%s</body>", i,
                  list[i].geom);
    m += snprintf(text + m, sizeof text - (size_t)m, "  b%d: {position: [%d, 0, 1]}\n", i, i);
  }
  snprintf(model + n, sizeof model - (size_t)n, "</worldbody></mujoco>");
  snprintf(text + m, sizeof text - (size_t)m, "...\n");
  write_text(path, model);
  close_run();
  ap_status status = ap_scenario_parse(text, strlen(text), folder, &scenario, &error);
  if (run(status, &error, 0, &s)) {
    for (int i = 0; i < BODIES; i++) {
      test_context("%s", list[i].geom);
      CHECK_CLOSE(s.q[7 * i + 2], list[i].z, 1e-9);
    }
    const ap_error *w = ap_scenario_warning(scenario, 0);
    if (CHECK(w != NULL))
      CHECK(w->line == 3 && strstr(w->text, "bits.xml:3: 1 geom of the world left out") != NULL);
    CHECK(!ap_scenario_warning(scenario, 1));
  }
  close_run();
  remove(path);
  remove(folder);
}

// A ball falls on another that a hinge holds, and through it unless a bit of contype of one is a
// bit of conaffinity of the other.
TEST(geoms_of_mjcf_touch_each_other_by_their_bits) {
  static const int bits[][5] = {// contype and conaffinity of both, do they touch?
                                {1, 1, 1, 1, 1}, {2, 4, 4, 0, 1},  {4, 0, 2, 4, 1},
                                {2, 2, 1, 1, 0}, {2, 0, 2, 0, 0},  {0, 8, 0, 8, 0},
                                {0, 8, 8, 0, 1}, {-1, 0, 0, 64, 1}};
  for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
    const int *b = bits[i];
    char folder[] = "/tmp/appell-shapes-XXXXXX", path[64], model[1024];
    const char *text =
        "appell-scenario: 1\nrobot: two.xml\ncollisions: {restitution: 1}\n"
        "start: {low: {q: 0}, high: {q: 1}}\nduration: 0.5\n...\n";
    ap_error error = {0};
    ap_sim_state s;
    if (!CHECK(mkdtemp(folder) != NULL)) return;
    snprintf(path, sizeof path, "%s/two.xml", folder);
    snprintf(model, sizeof model,
             "<mujoco><worldbody><body name='a'><joint name='low' type='hinge' axis='0 0 1'/>"
             "<geom size='0.1' contype='%d' conaffinity='%d'/></body><body name='b'>"
             "<joint name='high' type='slide' axis='0 0 1'/>"
             "<geom size='0.1' contype='%d' conaffinity='%d'/></body></worldbody></mujoco>",
             b[0], b[1], b[2], b[3]);
    write_text(path, model);
    close_run();
    ap_status status = ap_scenario_parse(text, strlen(text), folder, &scenario, &error);
    test_context("contype %d, conaffinity %d and %d, %d", b[0], b[1], b[2], b[3]);
    if (run(status, &error, 0, &s)) {
      // It falls 0.8 m and is thrown back at the same speed.
      double hit = sqrt(2 * 0.8 / 9.81), back = 0.5 - hit;
      double z = b[4] ? 0.2 + 9.81 * hit * back - 9.81 / 2 * back * back : 1 - 9.81 / 2 * 0.25;
      CHECK_CLOSE(s.q[1], z, 1e-9);
    }
    close_run();
    remove(path);
    remove(folder);
  }
}

// ---- cylinders of radius 0.1 and length 0.4 ----------------------------------------------------

static const char cylinder_file[] = "models/cylinder_on_incline.yaml";

TEST(cylinder_on_incline) {
  ap_sim_state s;
  if (!run_file(cylinder_file, 0, &s)) return;
  double way = 0.5 * 2.0 / 3 * 9.81 * 0.5;
  CHECK_CLOSE(s.q[0], 0.05 + way * sqrt(0.75), 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  CHECK_EQ_INT(s.contacts, 2); // ends of a line
}

// The cylinder on an incline of slope tan, downhill at an angle from x, with a start.
static bool run_cylinder(double slope, double angle, double friction, const char *start, double t,
                         ap_sim_state *s) {
  char text[1024];
  ap_error error = {0};
  double c = 1 / sqrt(1 + slope * slope);
  int n = snprintf(text, sizeof text,
                   "appell-scenario: 1\nrobot: cylinder.yaml\nwalls:\n"
                   "  - {name: floor, kind: plane, normal: [%.17g, %.17g, %.17g], friction: %g}\n"
                   "contacts:\n  - {name: c, link: cylinder, shape: cylinder, radius: 0.1, length: "
                   "0.4}\nstart:\n  cylinder: {%s}\nduration: 10\n...\n",
                   slope * c * cos(angle), slope * c * sin(angle), c, friction, start);
  close_run();
  return run(ap_scenario_parse(text, (size_t)n, "models", &scenario, &error), &error, t, s);
}

// Cosine of the angle between the axis and z.
static double leans(const ap_sim_state *s) {
  const double *q = s->q + 3;
  return 1 - 2 * (q[0] * q[0] + q[1] * q[1]);
}

// A cylinder that stands on an incline tips where tan = r / (l / 2) = 1/2. Its axis is normal to
// the plane at the start.
TEST(cylinder_tips) {
  for (int k = 0; k < 2; k++) {
    const double slope = k ? 0.501 : 0.499, a = atan(slope);
    char start[160];
    ap_sim_state s;
    snprintf(start, sizeof start, "position: [%.17g, 0, %.17g], rpy: [0, %.17g, 0]", 0.2 * sin(a),
             0.2 * cos(a), a);
    if (!run_cylinder(slope, 0, 2, start, 1, &s)) continue;
    if (k)
      CHECK(leans(&s) < cos(a) - 1e-3);
    else
      CHECK_CLOSE(leans(&s), cos(a), 1e-9);
    CHECK_CLOSE(s.closing, 0, 1e-9);
  }
}

// A leaning cylinder falls freely: its lowest place is l/2 cos + r sin below the middle.
TEST(cylinder_dropped) {
  for (int k = 0; k < 20; k++) {
    double tilt = 0.07 * k, z = 0.6, low = z - 0.2 * cos(tilt) - 0.1 * sin(tilt);
    char start[160];
    ap_sim_state s;
    snprintf(start, sizeof start, "position: [0, 0, %g], rpy: [0, %.17g, %g]", z, tilt, 0.3 * k);
    if (!run_cylinder(0, 0, 0.3, start, 4, &s)) continue;
    CHECK_CLOSE(told.event[0].t, sqrt(2 * low / 9.81), 1e-9);
    CHECK(told.event[0].kind == AP_EVENT_IMPACT);
    CHECK_CLOSE(s.closing, 0, 1e-9 * 2 * 9.81 * z);
    // At the end it lies, or stands, or its lowest place goes round the rim for ever: nothing takes
    // that energy.
    const double *q = s.q + 3, c = leans(&s);
    double across = 2 * hypot(q[0] * q[2] + q[3] * q[1], q[1] * q[2] - q[3] * q[0]);
    CHECK_CLOSE(s.q[2], 0.2 * fabs(c) + 0.1 * across, 1e-9);
    CHECK(fabs(c) > 0.999 || fabs(c) < 1e-6);
  }
}

// It leans on one rim and falls without sliding: the rim stays on the plane, and nothing is lost.
TEST(cylinder_on_its_rim) {
  ap_sim_state s;
  char start[160];
  double tilt = 1.2;
  snprintf(start, sizeof start, "position: [0, 0, %.17g], rpy: [0, %.17g, 0]",
           0.2 * cos(tilt) + 0.1 * sin(tilt), tilt);
  if (!run_cylinder(0, 0, 1e3, start, 0.1, &s)) return;
  double c = leans(&s), inertia = 0.03166666666666667 + 2 * (0.2 * 0.2 + 0.1 * 0.1);
  CHECK_EQ_INT(s.contacts, 1);
  CHECK_CLOSE(s.q[2], 0.2 * c + 0.1 * sqrt(1 - c * c), 1e-9);
  double speed = sqrt(s.v[3] * s.v[3] + s.v[4] * s.v[4]); // about the place of contact
  double fell = 0.2 * cos(tilt) + 0.1 * sin(tilt) - s.q[2];
  CHECK_CLOSE(0.5 * inertia * speed * speed, 2 * 9.81 * fell, 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  CHECK_CLOSE(s.lost, 0, 1e-12);
}

// What cannot be is refused in one line.
TEST(cylinders_refused) {
  static const char *const bad[][2] = {
      {"radius: 0.1, length: 0.4", "radius: 0, length: 0.4"},
      {"radius: 0.1, length: 0.4", "radius: 0.1, length: 0"},
      {"radius: 0.1, length: 0.4", "radius: .nan, length: 0.4"},
      {"radius: 0.1, length: 0.4", "radius: 0.1"},
      {"kind: plane, normal: [0.5, 0, 0.8660254037844386]", "kind: sphere, radius: 1"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    size_t length;
    char *text = file_text(cylinder_file, &length), *at = text ? strstr(text, bad[i][0]) : NULL;
    char changed[2048];
    ap_error error = {0};
    close_run();
    if (!CHECK(at != NULL)) continue;
    int n = snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, bad[i][1],
                     at + strlen(bad[i][0]));
    CHECK(ap_scenario_parse(changed, (size_t)n, "models", &scenario, &error) != AP_OK);
    CHECK(error.text[0] != 0 && strchr(error.text, '\n') == NULL);
    free(text);
  }
  close_run();
}

// Height of the lowest place of a free disc after t: its axis turns about w at a constant rate, as
// the inertia of the body is that of a ball.
static double disc_height(double t, const double w[3], double z, double vz, double r, double l) {
  double rate = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), k = w[2] / rate;
  double c = cos(rate * t) + k * k * (1 - cos(rate * t)); // of the axis, which was z
  return z + vz * t - 9.81 / 2 * t * t - l / 2 * fabs(c) - r * sqrt(fmax(0, 1 - c * c));
}

// Thin, fast, spinning discs: the first touch is that which steps find that are too short to pass
// one, as no place moves faster than the bound.
TEST(no_disc_is_missed) {
  unsigned long seed = 12345;
  for (int n = 0; n < 60; n++) {
    double x[8], w[3], t = 0, h = 0;
    for (int k = 0; k < 8; k++) {
      seed = seed * 6364136223846793005UL + 1442695040888963407UL;
      x[k] = (double)(seed >> 33 & 0x7fffffff) / 0x80000000UL;
    }
    double r = 0.05 + 0.2 * x[0], l = 1e-6 + 1e-3 * x[1], z = 0.3 + x[2], vz = -100 * x[3];
    for (int k = 0; k < 3; k++) w[k] = 200 * (x[4 + k] - 0.5);
    double spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    while ((h = disc_height(t, w, z, vz, r, l)) > 1e-12 && t < 1)
      t += h / (fabs(vz) + 9.81 + spin * (r + l));
    char text[1024];
    ap_error error = {0};
    ap_sim_state s;
    int size = snprintf(
        text, sizeof text,
        "appell-scenario: 1\nrobot: sphere.yaml\nwalls:\n  - {name: floor, kind: plane}\n"
        "contacts:\n  - {name: c, link: ball, shape: cylinder, radius: %.17g, length: %.17g}\n"
        "start:\n  ball: {position: [0, 0, %.17g], velocity: [0, 0, %.17g], angular_velocity: "
        "[%.17g, %.17g, %.17g]}\nduration: 2\n...\n",
        r, l, z, vz, w[0], w[1], w[2]);
    close_run();
    ap_status status = ap_scenario_parse(text, (size_t)size, "models", &scenario, &error);
    if (!run(status, &error, t + 1e-6, &s)) break;
    if (CHECK(told.n > 0)) CHECK_CLOSE(told.event[0].t, t, 1e-8);
  }
  close_run();
}
