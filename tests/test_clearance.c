// SPDX-License-Identifier: Apache-2.0
// Distances of capsules around links: against brute force over points, shapes and dense times.

#include <appell/clearance.h>

#include "excite_robots.h"
#include "identify.h"
#include "num/rpy.h"
#include "num/segments.h"
#include "temporary_folder.h"

static void random_point(rng *r, double size, double x[3]) {
  for (int i = 0; i < 3; i++) x[i] = rng_uniform(r, -size, size);
}

// ---- segments ----------------------------------------------------------------------------------

// No pair of points is closer; the best of a grid that is refined about its best is as close.
static double distance_by_search(double a[2][3], double b[2][3]) {
  double s = 0.5, t = 0.5, width = 0.5, best = INFINITY;
  for (int turn = 0; turn < 40; turn++, width *= 0.6) {
    const double s0 = s, t0 = t;
    for (int i = -4; i <= 4; i++)
      for (int k = -4; k <= 4; k++) {
        const double at = fmin(fmax(s0 + width * i / 4, 0), 1),
                     to = fmin(fmax(t0 + width * k / 4, 0), 1);
        double sum = 0;
        for (int x = 0; x < 3; x++) {
          const double d = a[0][x] + at * (a[1][x] - a[0][x]) - b[0][x] - to * (b[1][x] - b[0][x]);
          sum += d * d;
        }
        if (sqrt(sum) < best) best = sqrt(sum), s = at, t = to;
      }
  }
  return best;
}

TEST(segments_are_as_far_as_their_nearest_points) {
  rng r = rng_seed(1);
  for (int turn = 0; turn < 3000; turn++) {
    double a[2][3], b[2][3];
    for (int k = 0; k < 2; k++) random_point(&r, 1, a[k]), random_point(&r, 1, b[k]);
    if (turn % 5 == 1) memcpy(a[1], a[0], sizeof a[0]); // a point
    if (turn % 5 == 2) memcpy(b[1], b[0], sizeof b[0]);
    if (turn % 5 == 3)
      for (int i = 0; i < 3; i++) // parallel, or almost
        b[1][i] = b[0][i] + 0.7 * (a[1][i] - a[0][i]) + rng_uniform(&r, -1e-9, 1e-9) * (turn % 2);
    test_context("segments %d", turn);
    CHECK_CLOSE(segment_distance(a[0], a[1], b[0], b[1]), distance_by_search(a, b), 1e-6);
  }
}

// ---- capsules ----------------------------------------------------------------------------------

static bool enclosed(const ap_capsule *c, int n, int body, const double x[3]) {
  for (int k = 0; k < n; k++)
    if (c[k].body == body && segment_distance(c[k].from, c[k].to, x, x) <= c[k].radius) return true;
  return false;
}

static ap_robot *parse(const char *text) {
  ap_robot *robot = NULL;
  ap_error error = {.text = ""};
  if (!CHECK_OK(ap_robot_parse(text, strlen(text), "urdf", NULL, &robot, &error)))
    printf("  %s\n", error.text);
  return robot;
}

// A random point of a shape, in the link frame.
static void point_of(rng *r, const ap_shape *s, double x[3]) {
  double in[3] = {0}, R[9];
  const double angle = rng_uniform(r, 0, 6.3);
  if (s->kind == AP_SHAPE_BOX) {
    for (int i = 0; i < 3; i++)
      in[i] = (rng_chance(r, 0.5) ? 0.5 : rng_uniform(r, -0.5, 0.5)) * s->size[i];
  } else if (s->kind == AP_SHAPE_CYLINDER) {
    const double radius = s->size[0] * (rng_chance(r, 0.5) ? 1 : rng_uniform(r, 0, 1));
    in[0] = radius * cos(angle), in[1] = radius * sin(angle);
    in[2] = s->size[1] * (rng_chance(r, 0.5) ? 0.5 : rng_uniform(r, -0.5, 0.5));
  } else {
    random_point(r, 1, in);
    const double length = norm3(in);
    for (int i = 0; i < 3; i++) in[i] *= s->size[0] / length;
  }
  ap__matrix_of_rpy(s->rpy, R);
  turn3(R, in, x);
  for (int i = 0; i < 3; i++) x[i] += s->xyz[i];
}

TEST(capsules_enclose_shapes) {
  rng r = rng_seed(2);
  for (int turn = 0; turn < 60; turn++) {
    char text[4000];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'>" INERTIAL("1", "0", "0")
             "<visual><geometry><sphere radius='9'/></geometry></visual>"
             "<collision><origin xyz='%g %g %g' rpy='%g %g %g'/><geometry><box size='%g %g %g'/></geometry></collision>"
             "<collision><origin xyz='%g 0 1' rpy='%g 0 1'/><geometry><cylinder radius='%g' length='%g'/></geometry></collision>"
             "<collision><origin xyz='0 %g 1'/><geometry><sphere radius='%g'/></geometry></collision></link>"
             "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/></joint></robot>",
             rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -3, 3),
             rng_uniform(&r, -1, 1), rng_uniform(&r, -3, 3), rng_uniform(&r, 0.01, 1), rng_uniform(&r, 0.01, 1),
             rng_uniform(&r, 0.01, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -3, 3), rng_uniform(&r, 0.01, 1),
             rng_uniform(&r, 0.01, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, 0.01, 1));
    ap_robot *robot = parse(text);
    ap_model *m = NULL;
    ap_capsule *c = NULL;
    ap_error error;
    int n = 0;
    if (!robot || !CHECK_OK(ap_robot_model(robot, &m, &error))) return;
    CHECK_OK(ap_robot_capsules(robot, m, NULL, 0.05, &c, &n, &error));
    CHECK(n >= 3 && n <= 6);
    for (int k = 0; k < n; k++) CHECK(c[k].source == AP_CAPSULE_SHAPE && c[k].radius < 1.5);
    const ap_shape *s;
    for (int k = 1; (s = ap_robot_shape(robot, 2, k)); k++)
      for (int i = 0; i < 300; i++) {
        double x[3];
        point_of(&r, s, x);
        if (!CHECK(enclosed(c, n, 2, x))) i = 300;
      }
    free(c), ap_model_free(m), ap_robot_free(robot);
  }
}

// Points of triangles of a mesh, long or flat, scaled and turned; a mesh that is not there is
// guessed.
TEST(capsules_enclose_meshes) {
  static const char *const names[] = {"m.obj", "r.urdf"};
  rng r = rng_seed(3);
  make_folder();
  for (int turn = 0; turn < 30; turn++) {
    enum { POINTS = 40 };
    double p[POINTS][3], scale[3] = {0.7, 1.3, 0.4}, size[3];
    FILE *file = fopen(in_folder("m.obj"), "w");
    if (!CHECK(file != NULL)) break;
    for (int i = 0; i < 3; i++) size[i] = rng_uniform(&r, 0.02, 0.6);
    for (int k = 0; k < POINTS; k++) {
      for (int i = 0; i < 3; i++) p[k][i] = rng_uniform(&r, -1, 1) * size[i] + 0.2 * i;
      fprintf(file, "v %.17g %.17g %.17g\n", p[k][0], p[k][1], p[k][2]);
    }
    for (int k = 1; k + 2 <= POINTS; k++) fprintf(file, "f %d %d %d\n", k, k + 1, k + 2);
    fclose(file);
    file = fopen(in_folder("r.urdf"), "w");
    fprintf(file,
            "<robot name='r'><link name='a'/><link name='b'>" INERTIAL("1", "0", "0")
            "<visual><origin xyz='0.1 0.2 0.3' rpy='1 0 0'/><geometry><mesh filename='%s' scale='0.7 1.3 0.4'/></geometry>"
            "</visual></link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
            "<axis xyz='0 0 1'/></joint></robot>", turn == 29 ? "none.obj" : "m.obj");
    fclose(file);
    ap_robot *robot = NULL;
    ap_model *m = NULL;
    ap_capsule *c = NULL;
    ap_error error;
    int n = 0;
    if (!CHECK_OK(ap_robot_read(in_folder("r.urdf"), NULL, &robot, &error))) break;
    CHECK_OK(ap_robot_model(robot, &m, &error));
    CHECK_OK(ap_robot_capsules(robot, m, NULL, 0.05, &c, &n, &error));
    CHECK(n > 0 && c[0].source == (turn == 29 ? AP_CAPSULE_GUESS : AP_CAPSULE_MESH));
    for (int k = 0; k + 2 < POINTS && turn < 29; k++)
      for (int i = 0; i < 20; i++) {
        double s = rng_uniform(&r, 0, 1), t = rng_uniform(&r, 0, 1 - s), in[3], x[3], R[9];
        const double rpy[3] = {1, 0, 0};
        for (int d = 0; d < 3; d++)
          in[d] = scale[d] * (p[k][d] + s * (p[k + 1][d] - p[k][d]) + t * (p[k + 2][d] - p[k][d]));
        ap__matrix_of_rpy(rpy, R);
        turn3(R, in, x);
        for (int d = 0; d < 3; d++) x[d] += 0.1 * (d + 1);
        CHECK(enclosed(c, n, 2, x));
      }
    free(c), ap_model_free(m), ap_robot_free(robot);
  }
  remove_folder_of(2, names);
}

// ---- trajectories ------------------------------------------------------------------------------

typedef struct scene {
  ap_robot *robot;
  ap_model *m;
  ap_work *w;
  void *memory;
  ap_capsule *capsules;
  int n;
  ap_clearance *clearance;
} scene;

static bool scene_of(scene *s, ap_robot *robot, double floor, const char *frame,
                     const double *box) {
  ap_error error = {.text = ""};
  *s = (scene){.robot = robot};
  if (!robot || !CHECK_OK(ap_robot_model(robot, &s->m, &error))) return false;
  const size_t size = ap_work_size(s->m);
  s->memory = malloc(size);
  s->w = ap_work_init(s->m, s->memory, size);
  CHECK_OK(ap_robot_capsules(robot, s->m, NULL, 0.05, &s->capsules, &s->n, &error));
  ap_clearance_def def = ap_default_clearance();
  def.capsules = s->capsules, def.ncapsules = s->n, def.floor = floor;
  if (frame) def.frame = ap_find_frame(s->m, frame), memcpy(def.box, box, sizeof def.box);
  if (CHECK_OK(ap_clearance_create(s->m, &def, &s->clearance, &error))) return true;
  printf("  %s\n", error.text);
  return false;
}

static void scene_free(scene *s) {
  ap_clearance_free(s->clearance), free(s->capsules), free(s->memory);
  ap_model_free(s->m), ap_robot_free(s->robot);
}

// The certified distances are below those at 8000 times, and less than the tolerance below the
// least of these (which itself is at most a step's motion too large).
static void compare_with_dense_times(scene *s, const ap_traj *t) {
  enum { TIMES = 8000 };
  const double tolerance = 2e-3;
  ap_distances found, seen = {INFINITY, INFINITY, INFINITY, {-1, -1}, -1, {0, 0, 0}};
  ap_error error;
  double q[MOST_V], speed = 0;
  if (!CHECK_OK(ap_traj_clearance(s->clearance, s->w, t, NULL, tolerance, &found, &error))) return;
  for (int j = 0; j < ap_traj_n(t); j++) speed += ap_traj_reach_of(t, j).velocity;
  const double step = 3 * speed * ap_traj_duration(t) / TIMES / 2; // no robot here is 3 m long
  for (int k = 0; k <= TIMES; k++) {
    ap_distances here;
    ap_traj_at(t, ap_traj_duration(t) * k / TIMES, q, NULL, NULL);
    ap_clearance_at(s->clearance, s->w, q, &here);
    seen.self = fmin(seen.self, here.self), seen.floor = fmin(seen.floor, here.floor);
    seen.box = fmin(seen.box, here.box);
  }
  const double got[3] = {found.self, found.floor, found.box},
               least[3] = {seen.self, seen.floor, seen.box};
  for (int k = 0; k < 3; k++) {
    CHECK(got[k] <= least[k] + 1e-12);
    CHECK(got[k] >= least[k] - tolerance - step || isinf(least[k]));
  }
  // A limit just above is broken, one just below is not.
  double enough[3] = {least[0] + 1e-3, -INFINITY, -INFINITY};
  CHECK_OK(ap_traj_clearance(s->clearance, s->w, t, enough, tolerance, &found, &error));
  CHECK(found.self < enough[0] || isinf(least[0]));
  for (int k = 0; k < 3; k++) enough[k] = least[k] - step - tolerance - 1e-6;
  CHECK_OK(ap_traj_clearance(s->clearance, s->w, t, enough, tolerance, &found, &error));
  CHECK(found.self >= enough[0] && found.floor >= enough[1] && found.box >= enough[2]);
}

static ap_traj *random_motion(rng *r, int n, double size) {
  double centre[MOST_V], sine[3 * MOST_V], cosine[3 * MOST_V];
  ap_traj *t = NULL;
  ap_error error;
  for (int j = 0; j < n; j++) centre[j] = rng_uniform(r, -1, 1);
  for (int k = 0; k < 3 * n; k++)
    sine[k] = rng_uniform(r, -size, size), cosine[k] = rng_uniform(r, -size, size);
  const ap_fourier_def def = {n, 3, 5, 5, centre, sine, cosine};
  CHECK_OK(ap_traj_fourier(&def, &t, &error));
  return t;
}

static ap_robot *robot_of(const char *name) {
  ap_robot *robot = NULL;
  ap_error error;
  if (name[0] == '<') return parse(name);
  CHECK_OK(ap_robot_builtin(name, NULL, &robot, &error));
  return robot;
}

// On robots with and without shapes, revolute and prismatic joints, on series and on polynomials.
TEST(distances_hold_between_samples) {
  const char *const names[] = {standing, humanoid, "puma600", "stanford", "scara"};
  const double box[6] = {-2, 2, -2, 2, -2, 2};
  rng r = rng_seed(4);
  for (int k = 0; k < 5; k++) {
    scene s;
    if (!scene_of(&s, robot_of(names[k]), k == 1 ? -0.75 : 0, k == 0 ? "tool" : NULL, box)) return;
    for (int turn = 0; turn < 4; turn++) {
      test_context("robot %d, motion %d", k, turn);
      ap_traj *t = random_motion(&r, ap_nv(s.m), turn < 2 ? 0.3 : 0.1);
      compare_with_dense_times(&s, t);
      ap_traj_free(t);
    }
    double from[MOST_V], to[MOST_V], fast[MOST_V];
    for (int j = 0; j < ap_nv(s.m); j++)
      from[j] = rng_uniform(&r, -1, 1), to[j] = rng_uniform(&r, -1, 1), fast[j] = 1;
    ap_traj *t = NULL;
    CHECK_OK(ap_traj_trapezoid(ap_nv(s.m), from, to, fast, fast, &t, NULL));
    compare_with_dense_times(&s, t);
    ap_traj_free(t), scene_free(&s);
  }
}

// Two balls on two parallel rails pass each other at one instant, 5 ms wide: samples miss it.
TEST(a_short_passage_is_seen) {
  static const char rails[] =
      "<robot name='rails'><link name='g'/>"
      "<link name='a'>" INERTIAL("1", "0", "0") SPHERE("0 0 0", "0.01") "</link>"
      "<link name='m'>" INERTIAL("1", "0", "0") "</link>"
      "<link name='b'>" INERTIAL("1", "0", "0") SPHERE("0 0 0", "0.01") "</link>"
      JOINT("ja", "prismatic", "g", "a", "0 0 1", "1 0 0", "-9", "9", "99", "99")
      JOINT("jm", "prismatic", "g", "m", "0 3 1", "0 0 1", "-9", "9", "99", "99")
      JOINT("jb", "prismatic", "m", "b", "0 -2.97 0", "1 0 0", "-9", "9", "99", "99") "</robot>";
  scene s;
  if (!scene_of(&s, parse(rails), -INFINITY, NULL, NULL)) return;
  const double from[3] = {-3, 0, 2}, to[3] = {3, 0, -2};
  ap_traj *t = NULL;
  ap_distances found;
  int pair[2];
  CHECK(!ap_clearance_left_out(s.clearance, 5, pair));
  CHECK_OK(ap_traj_ramp(3, from, to, 1, &t, NULL));
  CHECK_OK(ap_traj_clearance(s.clearance, s.w, t, NULL, 1e-4, &found, NULL));
  // a at -3 + 6 t and b at 2 - 4 t are both at 0 in x at the same time: 0.03 apart less two radii
  // (in the zero pose they are so close that the pair is left out, if it is checked there)
  if (ap_clearance_left_out(s.clearance, 0, pair)) {
    CHECK(pair[0] != pair[1]);
  } else {
    CHECK(found.self <= 0.01 + 1e-9 && found.self >= 0.01 - 2e-4);
  }
  ap_traj_free(t), scene_free(&s);
}

TEST(pairs_that_touch_are_left_out) {
  scene s;
  int pair[2], n = 0;
  bool floor = false;
  if (!scene_of(&s, parse(humanoid), -0.75, NULL, NULL)) return;
  for (; ap_clearance_left_out(s.clearance, n, pair); n++) floor |= pair[1] < 0;
  CHECK(!floor); // the torso is fixed, the arm may touch the floor
  CHECK(ap_clearance_pairs(s.clearance) + n == 6); // of ten pairs four are joined
  scene_free(&s);
  if (!scene_of(&s, parse(standing), 0.15, NULL, NULL)) return;
  floor = false;
  for (n = 0; ap_clearance_left_out(s.clearance, n, pair); n++)
    if (pair[1] < 0) floor = true, CHECK_STR(ap_frame_name(s.m, pair[0]), "turret");
  CHECK(floor); // turns about the vertical at 0.1 m: its height is constant
  scene_free(&s);
}

TEST(distances_refuse) {
  ap_robot *robot = robot_of("quadruped");
  ap_model *m = NULL;
  ap_error error;
  ap_clearance *c = NULL;
  ap_clearance_def def = ap_default_clearance();
  CHECK_OK(ap_robot_model(robot, &m, &error));
  CHECK_STATUS(ap_clearance_create(m, &def, &c, &error), AP_E_UNSUPPORTED);
  ap_model_free(m), ap_robot_free(robot);
  scene s;
  if (!scene_of(&s, robot_of("puma600"), 0, NULL, NULL)) return;
  def.cookie = 0;
  CHECK_STATUS(ap_clearance_create(s.m, &def, &c, &error), AP_E_ARG);
  def = ap_default_clearance(), def.frame = 2;
  CHECK_STATUS(ap_clearance_create(s.m, &def, &c, &error), AP_E_ARG);
  ap_capsule bad = {.body = 99};
  def = ap_default_clearance(), def.capsules = &bad, def.ncapsules = 1;
  CHECK_STATUS(ap_clearance_create(s.m, &def, &c, &error), AP_E_ARG);
  bad.body = 1, bad.from[2] = NAN;
  CHECK_STATUS(ap_clearance_create(s.m, &def, &c, &error), AP_E_ARG);
  scene_free(&s);
}
