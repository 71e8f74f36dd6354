// Random robots among random walls: every run ends, nothing passes through a wall, no energy comes
// from nowhere. Seeds are fixed; APPELL_RUNS in the environment asks for more of them.

#include <appell/dyn.h>
#include <appell/sim.h>
#include <time.h>

#include "models.h"
#include "test.h"

enum { RUNS = 60, MAX_WALLS = 4, MAX_POINTS = 24 };

typedef struct random_scene {
  ap_scene scene;
  ap_wall wall[MAX_WALLS];
  ap_contact_point point[MAX_POINTS];
  double profile[16];
  double q[ROBOT_Q], v[ROBOT_V];
} random_scene;

static double pick(rng *r, const double *from, int n) { return from[rng_int(r, 0, n - 1)]; }

static void direction(rng *r, double *x) {
  for (int k = 0; k < 3; k++) x[k] = rng_uniform(r, -1, 1);
  x[rng_int(r, 0, 2)] += 2;
}

static void law(rng *r, ap_wall *w) {
  static const double e[] = {0, 0.1, 0.5, 0.9, 1}, mu[] = {0, 0, 0.1, 0.5, 1.2};
  w->restitution = pick(r, e, 5);
  w->friction = pick(r, mu, 5);
}

// The room: a closed wall about the origin, or a ground.
static void room(rng *r, random_scene *s, double size) {
  ap_wall *w = &s->wall[s->scene.nwall++];
  *w = ap_default_wall();
  w->name = "room";
  law(r, w);
  int kind = rng_int(r, 0, 4);
  w->inside = kind < 3;
  for (int k = 0; k < 3; k++) w->size[k] = size * rng_uniform(r, 1, 1.5);
  if (kind == 0) w->kind = AP_WALL_SPHERE;
  if (kind == 1) w->kind = AP_WALL_ELLIPSOID, direction(r, w->axis);
  if (kind == 2) w->kind = AP_WALL_CYLINDER, direction(r, w->axis);
  if (kind == 3) w->kind = AP_WALL_PLANE, w->centre[2] = -size;
  if (kind == 4) {
    w->kind = AP_WALL_PROFILE;
    w->axis[0] = w->axis[2] = 0, w->axis[1] = -1;
    w->centre[2] = -size;
    for (int i = 0; i < 8; i++)
      s->profile[2 * i] = size * (i - 3.5), s->profile[2 * i + 1] = rng_uniform(r, -0.1, 0) * size;
    w->points = s->profile;
    w->npoint = 8;
  }
}

// Things that stand in it.
static void obstacle(rng *r, random_scene *s, double size) {
  ap_wall *w = &s->wall[s->scene.nwall++];
  *w = ap_default_wall();
  w->name = "obstacle";
  law(r, w);
  int kind = rng_int(r, 0, 3);
  if (kind == 0) w->kind = AP_WALL_SPHERE;
  if (kind == 1) w->kind = AP_WALL_ELLIPSOID;
  if (kind == 2) w->kind = AP_WALL_CYLINDER;
  if (kind == 3) w->kind = AP_WALL_TORUS;
  direction(r, w->axis);
  for (int k = 0; k < 3; k++) {
    w->centre[k] = size * rng_uniform(r, -1, 1);
    w->size[k] = size * rng_uniform(r, 0.1, 0.4);
  }
  if (kind == 3) w->size[1] = 0.4 * w->size[0];
}

// The smallest distance of a point to a wall; walls have been checked.
static double clearance(const random_scene *s, ap_work *w, const double *q) {
  static unsigned char memory[MAX_WALLS][4096];
  double least = INFINITY;
  ap_kinematics(s->scene.model, w, q, NULL, NULL);
  for (int k = 0; k < s->scene.nwall; k++) {
    ap_error error;
    ap_surface *surface = ap_surface_init(&s->wall[k], memory[k], sizeof memory[k], &error);
    if (!CHECK(surface != NULL)) return printf("  %s\n", error.text), -INFINITY;
    for (int i = 0; i < s->scene.npoint; i++) {
      const ap_contact_point *c = &s->point[i];
      double R[9], p[3];
      ap_gap gap;
      ap_frame_pose(s->scene.model, w, c->body, R, p);
      for (int d = 0; d < 3; d++)
        p[d] += R[3 * d] * c->at[0] + R[3 * d + 1] * c->at[1] + R[3 * d + 2] * c->at[2];
      ap_surface_gap(surface, p, &gap);
      double slope = sqrt(gap.gradient[0] * gap.gradient[0] + gap.gradient[1] * gap.gradient[1] +
                          gap.gradient[2] * gap.gradient[2]);
      least = fmin(least, slope > 0 ? gap.c / slope : gap.c);
    }
  }
  return least;
}

static long turns, touched; // runs, and those in which something happened

static void count(void *context, const ap_event *event) {
  (void)event;
  ++*(long *)context;
}

static void play(const random_scene *s, ap_work *w, double end) {
  ap_sim *sim = NULL;
  ap_error error = {0};
  long events = 0;
  ap_sim_state state;
  ap_status status = ap_sim_create(&s->scene, &sim, &error);
  if (status == AP_E_UNSUPPORTED) {
    test_skip("%s", error.text);
    return;
  }
  if (!CHECK_OK(status)) {
    printf("  %s\n", error.text);
    return;
  }
  ap_sim_on_event(sim, count, &events);
  double energy = INFINITY, first = 0;
  if (!CHECK_OK(ap_sim_start(sim, 0, s->q, s->v, &error))) printf("  %s\n", error.text);
  for (int i = 0; i <= 10; i++) {
    if (!CHECK_OK(ap_sim_advance(sim, end * i / 10, &error))) {
      printf("  %s\n", error.text);
      break;
    }
    if (!CHECK_OK(ap_sim_now(sim, &state, &error))) break;
    double now = state.kinetic + state.potential;
    if (i == 0) first = fmax(1, fmax(fabs(state.kinetic), fabs(state.potential)));
    first = fmax(first, state.kinetic);
    CHECK(isfinite(now));
    CHECK(now <= energy + 1e-5 * first);
    CHECK(fabs(state.closing) <= 1e-5 * first);
    CHECK(clearance(s, w, state.q) > -1e-7);
    energy = now;
  }
  turns++;
  touched += events > 0;
  ap_sim_free(sim);
}

// A robot of the test models, or a free body of its own, with a start clear of all walls.
static bool set_up(rng *r, const test_robot *robot, random_scene *s) {
  memset(s, 0, sizeof *s);
  s->scene = ap_default_scene();
  s->scene.model = robot->m;
  s->scene.relative = s->scene.absolute = 1e-8;
  s->scene.wall = s->wall;
  s->scene.point = s->point;
  int n = ap_default_contact_points(robot->m, s->point, MAX_POINTS);
  s->scene.npoint = n < MAX_POINTS ? n : MAX_POINTS;
  s->scene.joint_friction = rng_chance(r, 0.3);
  if (!s->scene.npoint || !ap_nv(robot->m)) return false;
  double size = rng_uniform(r, 0.3, 2);
  room(r, s, size);
  for (int i = rng_int(r, 0, 2); i > 0; i--) obstacle(r, s, size);
  for (int attempt = 0; attempt < 30; attempt++) {
    motion state;
    random_motion(r, robot->m, &state);
    memcpy(s->q, state.q, sizeof s->q);
    memcpy(s->v, state.v, sizeof s->v);
    if (clearance(s, robot->w, s->q) > 1e-3) return true;
  }
  return false;
}

static bool small(const robot_recipe *recipe) {
  return recipe->nbody > 0 && recipe->nbody <= 6 && !recipe->massless;
}

TEST(random_scenes_run_to_their_end) {
  static test_robot robot;
  static random_scene scene;
  const char *more = getenv("APPELL_RUNS"), *from = getenv("APPELL_FROM");
  long runs = more ? atol(more) : RUNS;
  for (long k = from ? atol(from) : 0; turns < runs && !test_now.skipped; k++) {
    rng r = rng_seed(5000 + (uint64_t)k);
    const robot_recipe *recipe = &recipes[rng_int(&r, 0, RECIPES - 1)];
    if (!small(recipe)) continue;
    robot_free(&robot);
    random_robot(&r, recipe, &robot);
    test_context("scene %ld, %s", k, recipe->label);
    if (!robot_make(&robot) || !set_up(&r, &robot, &scene)) continue;
    long failed = test_now.failed;
    clock_t begun = clock();
    play(&scene, robot.w, rng_uniform(&r, 0.5, 2));
    double ms = 1e3 * (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (more && (ms > 1000 || test_now.failed > failed))
      printf("scene %ld, %s: %s, %.0f ms\n", k, recipe->label,
             test_now.failed > failed ? "failed" : "slow", ms);
  }
  robot_free(&robot);
  if (!test_now.skipped) CHECK(touched > runs / 3);
}
