// SPDX-License-Identifier: Apache-2.0
// Scenes that version 0.1.0 got wrong without a word, as laws with other numbers: grazing takes
// nothing, nothing fast or thin is passed, pulses arrive whole, and the output step decides
// nothing. Friction and stops are in test_friction.c.

#include <appell/scenario.h>

#include "temporary_folder.h"
#include "small_runs.h"

// ---- files -------------------------------------------------------------------------------------

static void law_write(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  if (!CHECK(file != NULL)) return;
  CHECK(fputs(text, file) >= 0);
  CHECK_EQ_INT(fclose(file), 0);
}

// Run a scenario whose files are in the folder, at its own output step or another.
static bool law_run_text(const char *text, double step) {
  ap_error error = {0};
  ap_scenario *s = NULL;
  if (!CHECK_OK(ap_scenario_parse(text, strlen(text), folder, &s, &error))) {
    printf("  line %d: %s\n", error.line, error.text);
    return false;
  }
  double start, end, own;
  ap_scenario_times(s, &start, &end, &own);
  bool good = law_run_scene(ap_scenario_scene(s), ap_scenario_q(s), ap_scenario_v(s), end,
                            step > 0 ? step : own);
  ap_scenario_free(s);
  return good;
}

// ---- grazing -----------------------------------------------------------------------------------

static const char *const graze_files[] = {"pendulum.yaml"};

// A rod of length L whose tip just reaches the floor at its lowest point: same motion as without
// the floor, no impact, nothing lost, whatever the restitution.
static void check_graze(double length, const char *restitution, const char *start) {
  char robot[400], text[500], bare[300];
  snprintf(robot, sizeof robot,
           "appell: 1\nname: p\nbodies:\n  - name: arm\n"
           "    joint: {name: j, type: revolute, axis: [0, 1, 0]}\n"
           "    inertia: {mass: 1.3, com: [0, 0, %.17g]}\n"
           "frames:\n  - {name: tip, body: arm, xyz: [0, 0, %.17g]}\n...\n",
           -0.6 * length, -length);
  law_write("pendulum.yaml", robot);
  snprintf(bare, sizeof bare, "appell-scenario: 1\nrobot: pendulum.yaml\n%sduration: 5\n", start);
  snprintf(text, sizeof text,
           "%swalls:\n  - {name: floor, kind: plane, centre: [0, 0, %.17g], restitution: %s}\n"
           "contacts: [tip]\n...\n",
           bare, -length, restitution);
  snprintf(bare + strlen(bare), sizeof bare - strlen(bare), "...\n");
  if (!law_run_text(bare, 0)) return;
  law_run alone = told;
  if (!law_run_text(text, 0)) return;
  CHECK_EQ_INT(law_count(AP_EVENT_IMPACT), 0);
  CHECK(told.end.lost == 0 && told.end.dissipated == 0);
  CHECK_CLOSE(told.end.kinetic + told.end.potential - told.end.work,
              alone.end.kinetic + alone.end.potential - alone.end.work, 1e-9 * told.most);
  // Both are integrated to 1e-10 a step in some hundred steps of their own.
  CHECK_CLOSE(told.q[0], alone.q[0], 1e-7);
  CHECK_CLOSE(told.v[0], alone.v[0], 1e-6);
}

TEST(a_pendulum_grazes_the_floor_and_goes_on) {
  static const char *const restitution[] = {"0", "0.3", "1"};
  static const char *const start[] = {
      "start: {j: 0.7}\n",          "start: {j: {q: 0, v: 2}}\n",
      "forces: {j: 3}\n",           "start: {j: {q: 1.0e-9, v: 0}}\nforces: {j: 3}\n",
      "start: {j: -2.1}\n",         "start: {j: {q: 0.2, v: -9}}\n",
      "start: {j: {q: 0, v: 12}}\n"};
  static const double length[] = {1, 0.37};
  make_folder();
  for (int l = 0; l < 2; l++)
    for (int e = 0; e < 3; e++)
      for (int k = 0; k < 7; k++) {
        test_context("length %g, restitution %s, %.40s", length[l], restitution[e], start[k]);
        check_graze(length[l], restitution[e], start[k]);
      }
  remove_folder_of(1, graze_files);
}

// A straight path along a ball of radius R, tangential or off by less than can be seen.
TEST(a_straight_path_grazes_a_ball) {
  static const double off[] = {0, 1e-13, -1e-13, 1e-11, -1e-11};
  for (int k = 0; k < 5; k++)
    for (int e = 0; e < 3; e++) {
      ap_wall ball = ap_default_wall();
      ball.kind = AP_WALL_SPHERE, ball.size[0] = 0.7, ball.restitution = 0.5 * e;
      ap_scene scene = law_scene(law_point(1, 0, 0, 0), &ball, 1);
      test_context("off by %g, restitution %g", off[k], ball.restitution);
      if (!law_run_scene(&scene, (double[]){-2, 0, 0.7 + off[k]}, (double[]){300, 0, 0}, 0.02,
                         0.02))
        return;
      CHECK_EQ_INT(law_count(AP_EVENT_IMPACT), 0);
      CHECK(told.end.lost == 0);
      CHECK_WITHIN(told.q, ((double[]){4, 0, 0.7 + off[k]}), 3, 1e-12);
    }
}

// ---- nothing is passed -------------------------------------------------------------------------

static ap_scene fan_scene(const ap_wall *wall) {
  static const ap_contact_point tip = {.name = "tip", .body = 1, .at = {1, 0, 0}};
  ap_body_def arm = ap_default_body();
  arm.joint = AP_REVOLUTE, arm.mass = 1, arm.com[0] = 0.5;
  arm.inertia[3] = arm.inertia[5] = 0.1;
  ap_scene s = law_scene(law_model(&arm, 1, (double[]){0, 0, 0}), wall, 1);
  s.point = &tip;
  return s;
}

static void check_same(const law_run *first) {
  CHECK_EQ_INT(told.n, first->n);
  for (int k = 0; k < told.n && k < first->n; k++) {
    CHECK_EQ_INT(told.event[k].kind, first->event[k].kind);
    CHECK_BITS(&told.event[k].t, &first->event[k].t, 1);
    CHECK_BITS(told.event[k].impulse, first->event[k].impulse, 3);
  }
}

// From 0.5 rad on the tip of length 1 comes to the plane x = d at 2 pi - acos d; then it turns
// between the two sides of the plane, e as fast each time.
TEST(a_fan_hits_a_plane_at_any_speed_and_output_step) {
  static const double rate[] = {5, 17.3, 100, 333, 1000}, depth[] = {0.9, 0.999};
  static const double step[] = {10, 1, 0.037, 1e-3, 1e-4};
  for (int k = 0; k < 5; k++)
    for (int d = 0; d < 2; d++) {
      static law_run first;
      double w = rate[k], wide = acos(depth[d]), e = 0.5;
      ap_wall plane = ap_default_wall();
      plane.centre[0] = depth[d], plane.axis[0] = -1, plane.axis[2] = 0, plane.restitution = e;
      double hit = (2 * PI - wide - 0.5) / w, turn = (2 * PI - 2 * wide) / w;
      for (int o = 0; o < 5; o++) {
        ap_scene scene = fan_scene(&plane);
        test_context("%g rad/s, plane at %g, output step %g", w, depth[d], step[o]);
        if (!law_run_scene(&scene, (double[]){0.5}, (double[]){w}, hit + 7 * turn, step[o])) return;
        // An angle is right to 1e-10 rad; the plane is met at an angle of acos d, at least 0.04.
        for (int i = 0; i < 2; i++) {
          const ap_event *met = law_event(AP_EVENT_IMPACT, i);
          CHECK_CLOSE(met->t, hit + i * turn / e, 1e-8 / w);
          CHECK_CLOSE(met->before[0], (i ? e : 1) * w * sqrt(1 - depth[d] * depth[d]), 1e-7 * w);
        }
        CHECK_EQ_INT(law_count(AP_EVENT_IMPACT), 3);
        CHECK_CLOSE(told.v[0], -e * e * e * w, 1e-9 * w);
        if (o == 0) first = told;
        check_same(&first);
      }
    }
}

// Straight at a ring: rho = R + sqrt(r^2 - z^2) on the near side.
static bool check_torus(double speed, double tube, double from, double y, double step) {
  double z = -0.4 * tube, rho = 1 + sqrt(tube * tube - z * z), x = -sqrt(rho * rho - y * y);
  ap_wall ring = ap_default_wall();
  ring.kind = AP_WALL_TORUS, ring.size[0] = 1, ring.size[1] = tube, ring.restitution = 1;
  ap_scene scene = law_scene(law_point(1, 0, 0, 0), &ring, 1);
  test_context("%g m/s, tube %g, from %g, y = %g, output step %g", speed, tube, from, y, step);
  if (!law_run_scene(&scene, (double[]){from, y, z}, (double[]){speed, 0, 0}, 6 / speed, step))
    return false;
  const ap_event *met = law_event(AP_EVENT_IMPACT, 0);
  CHECK_EQ_INT(law_count(AP_EVENT_IMPACT), 1);
  CHECK_WITHIN(met->position, ((double[]){x, y, z}), 3, 1e-10);
  CHECK_CLOSE(met->t, (x - from) / speed, 1e-10 / speed);
  CHECK_CLOSE(told.end.kinetic, speed * speed / 2, 1e-12 * speed * speed);
  return true;
}

TEST(a_torus_is_hit_at_any_speed) {
  static const double speed[] = {20, 200, 777, 3000}, tube[] = {0.2, 0.01, 1e-3};
  static const double from[] = {-3.74, -2.2, -5}, step[] = {10, 0.01, 1e-3};
  for (int k = 0; k < 4; k++)
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 9; s++)
        for (int o = 0; o < 3; o++)
          if (!check_torus(speed[k], tube[r], from[s % 3], 0.03 + 0.2 * (s / 3), step[o])) return;
}

// A foil of half thickness b across the path: no glue, and nothing gets through.
TEST(foils_stop_and_throw_back) {
  for (double b = 1.01e-4; b > 0.9e-6; b /= 3)
    for (int e = 0; e < 3; e++)
      for (int off = 0; off < 2; off++) {
        double y = 0.3 * off, at = 5 - b * sqrt(1 - y * y), rebound = 0.5 * e, hit = (at - 4) / 30;
        ap_wall foil = ap_default_wall();
        foil.kind = AP_WALL_ELLIPSOID, foil.centre[0] = 5, foil.restitution = rebound;
        foil.size[0] = b, foil.size[1] = foil.size[2] = 1;
        ap_scene scene = law_scene(law_point(1, 0, 0, 0), &foil, 1);
        test_context("half of %g m, restitution %g, y = %g", b, rebound, y);
        if (!law_run_scene(&scene, (double[]){4, y, 0}, (double[]){30, 0, 0}, 0.06, 0.01)) return;
        // Where it touches the normal leans by (b / 1) y / sqrt(1 - y^2) from x: the foil is flat.
        double lean = b * y / sqrt(1 - y * y), out = 30 - (1 + rebound) * 30 / (1 + lean * lean);
        const ap_event *met = law_event(AP_EVENT_IMPACT, 0);
        CHECK_CLOSE(met->t, hit, 1e-11);
        CHECK_CLOSE(met->position[0], at, 1e-11);
        CHECK_CLOSE(met->after[0], out, 1e-8);
        CHECK_CLOSE(told.end.lost, 450 * (1 - rebound * rebound) / (1 + lean * lean), 1e-7);
        if (e > 0) CHECK_EQ_INT(told.n, 1);
        if (e > 0) CHECK_CLOSE(told.q[0], at + out * (0.06 - hit), 1e-9);
        if (e == 0) CHECK(told.q[0] <= at + 1e-9);
      }
}

// ---- pulses ------------------------------------------------------------------------------------

static const char *const pulse_files[] = {"mass.yaml", "pulse.txt"};

static void write_mass(void) {
  law_write(
      "mass.yaml",
      "appell: 1\nname: mass\ngravity: [0, 0, 0]\nbodies:\n  - name: ball\n"
      "    joint: {name: x, type: prismatic, axis: [1, 0, 0]}\n    inertia: {mass: 2.5}\n...\n");
}

// Triangles in a file of forces: the speed is their area over the mass, the way that speed times
// the time since the middle. Times have 16 digits, of which the shortest pulse leaves ten.
TEST(pulses_of_a_force_file_arrive_whole) {
  static const double wide[] = {1e-3, 2e-4, 3.3e-5, 1e-6}, at[] = {1.2345678, 0.0517, 2.9171};
  static const double step[] = {0, 1e-3, 1, 10};
  make_folder();
  write_mass();
  for (int k = 0; k < 4; k++)
    for (int a = 0; a < 3; a++)
      for (int o = 0; o < 4; o++) {
        double from = at[a], mid = from + 0.4 * wide[k], to = from + wide[k], top = 5 / wide[k];
        char file[300];
        snprintf(file, sizeof file, "t x\n0 0\n%.17g 0\n%.17g %.17g\n%.17g 0\n3 0\n", from, mid,
                 top, to);
        law_write("pulse.txt", file);
        test_context("%g s wide at %g s, output step %g", wide[k], from, step[o]);
        if (!law_run_text(
                "appell-scenario: 1\nrobot: mass.yaml\nforces: pulse.txt\nduration: 3\n...\n",
                step[o]))
          break;
        double v = top * (to - from) / 2 / 2.5, middle = (from + mid + to) / 3;
        // Times are rounded to 2e-16 of themselves, and forces of that moment change by top.
        double bound = 1e-9 + 8 * DBL_EPSILON * to * top / 2.5;
        CHECK_CLOSE(told.v[0], v, bound);
        CHECK_CLOSE(told.q[0], v * (3 - middle), 3 * bound);
        CHECK_CLOSE(told.end.work, 2.5 * v * v / 2, 3 * bound);
      }
  remove_folder_of(2, pulse_files);
}

TEST(short_loads_arrive_whole) {
  static const double wide[] = {1e-2, 2e-4, 1e-6};
  make_folder();
  write_mass();
  for (int k = 0; k < 3; k++) {
    double from = 0.71231, to = from + wide[k], force = 2.5 / wide[k];
    char text[300];
    snprintf(text, sizeof text,
             "appell-scenario: 1\nrobot: mass.yaml\nduration: 2\nloads:\n"
             "  - {link: ball, force: [%.17g, 0, 0], from: %.17g, to: %.17g}\n...\n",
             force, from, to);
    test_context("%g s", wide[k]);
    if (!law_run_text(text, 0)) break;
    double v = force * (to - from) / 2.5;
    CHECK_CLOSE(told.v[0], v, 1e-9);
    CHECK_CLOSE(told.q[0], v * (2 - (from + to) / 2), 1e-9);
  }
  remove_folder_of(1, pulse_files);
}

// A rectangle: jumps at two times that are named.
typedef struct burst {
  double time[2], force; // from, to
} burst;

static ap_status push_burst(void *context, double t, const double *q, const double *v,
                            double *tau) {
  const burst *b = context;
  (void)q, (void)v;
  tau[0] += t >= b->time[0] && t < b->time[1] ? b->force : 0;
  return AP_OK;
}

TEST(bursts_at_named_times_arrive_whole) {
  static const double wide[] = {1e-3, 2e-4, 1e-6};
  for (int k = 0; k < 3; k++) {
    burst b = {{0.3117, 0.3117 + wide[k]}, 1 / wide[k]};
    ap_body_def body = law_slide(0.5);
    ap_scene scene = law_scene(law_model(&body, 1, (double[]){0, 0, 0}), NULL, 0);
    scene.force = push_burst, scene.context = &b;
    scene.force_time = b.time, scene.nforce_time = 2;
    test_context("%g s", wide[k]);
    if (!law_run_scene(&scene, (double[]){0}, (double[]){0}, 1, 1)) return;
    CHECK_CLOSE(told.v[0], b.force * (b.time[1] - b.time[0]) / 0.5, 1e-8);
  }
}
