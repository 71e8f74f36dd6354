// SPDX-License-Identifier: Apache-2.0
// Robots among walls in scenes that nobody drew: every seed makes a robot, walls, contact points,
// springs and a start, and whatever happens then must obey mechanics. A scene runs to its end;
// all that it tells is finite; no point is inside a wall; energy never grows; impulses and contact
// forces push and stay in Coulomb's cone; events do not pile up without end.
//
// The variable APPELL_TEST_SCENES says how many scenes are run, from seed 1 on ("10000"), or which
// ("1-500": a line is printed for each; "4711-4711": and all events of a single one). A failure
// prints its scene and names its seed.

#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/sim.h>

#include "models.h"

enum { SCENES = 200, MOST_WALLS = 4, MOST_POINTS = 8, MOST_SPRINGS = 4, PROFILE = 6, OUTPUTS = 16 };

#define PI 3.14159265358979323846

// ---- laws and their tolerances -----------------------------------------------------------------

// Adaptive runs keep each coordinate to 1e-8 of itself and in its unit at every step. A scene takes
// some thousand steps and a wall's gap has a slope of one in the points' places, so that a point
// that rests, or one whose graze lay between two steps, is off by 1e-8 times a lever of a few
// metres and the turns of a few joints; and it is put back every 0.05 s at the latest.
#define TOLERANCE 1e-8
#define INTRUSION 1e-6

// The ledger closes to the sum of the steps' errors: 1e-8 of the momenta at each, times speeds, of
// a thousand steps at most that do not cancel. The scale is the largest energy that moved.
#define CLOSING 1e-5

// Steps of 1 ms: a point enters a wall for one step at most; energies have the method's error.
#define STEP 1e-3

// No scene has a reason for more events in two seconds: of a Zeno sequence with e = 0.95, the
// bounces from a second down to 1e-5 s are 230.
#define MOST_EVENTS 20000

// ... or for more evaluations, which bound the time of a scene without a clock: so many in any
// case, and so many for each event. Robots between elastic walls may truly hit them ten thousand
// times, and each hit takes some steps to come to and some to locate (a hundred evaluations at the
// usual); what must not be is that evaluations go on without anything happening.
#define MOST_EVALUATIONS 200000
#define MOST_PER_EVENT   300

// ---- scenes ------------------------------------------------------------------------------------

typedef struct test_scene {
  uint64_t seed;
  const char *kind; // of robot
  test_robot robot;
  ap_wall wall[MOST_WALLS];
  double profile[MOST_WALLS][2 * PROFILE];
  ap_contact_point point[MOST_POINTS];
  double at[MOST_POINTS][3]; // of the points at the start, world
  ap_joint_spring spring[MOST_SPRINGS];
  double q[ROBOT_Q], v[ROBOT_V];
  double duration;
  bool guarded; // by a joint force that counts its calls,
  double drive; // and drives the first joint with it
  double gravity[3];
  ap_scene scene;
  bool aligned; // all coordinates are zero
  bool told;    // every event is printed
  // what the run has shown
  ap_surface *surface[MOST_WALLS];
  unsigned char memory[MOST_WALLS][4096];
  ap_sim *sim;
  long evaluations, events;
  double energy, dissipated, lost, scale, deepest, closing, fastest, hardest;
  bool failed;
} test_scene;

static const char *const point_names[MOST_POINTS] = {"p0", "p1", "p2", "p3",
                                                     "p4", "p5", "p6", "p7"};
static const char *const wall_names[MOST_WALLS] = {"w0", "w1", "w2", "w3"};

// ---- robots ------------------------------------------------------------------------------------

static void set_body(ap_body_def *b, ap_joint_type joint, const double axis[3], double mass) {
  b->joint = joint;
  memcpy(b->axis, axis, 3 * sizeof *axis);
  b->mass = mass;
  b->inertia[0] = 0.02 * mass, b->inertia[3] = 0.03 * mass, b->inertia[5] = 0.04 * mass;
}

static const double axis_x[3] = {1, 0, 0}, axis_y[3] = {0, 1, 0}, axis_z[3] = {0, 0, 1};

// A point mass on three slides, a free body, a rod or plate in a vertical plane.
static void make_body(rng *r, test_scene *s, int which) {
  test_robot *t = &s->robot;
  double mass = rng_uniform(r, 0.2, 5);
  if (which == 0) {
    s->kind = "point";
    robot_clear(t, s->kind, 3);
    set_body(&t->body[0], AP_PRISMATIC, axis_x, 0);
    set_body(&t->body[1], AP_PRISMATIC, axis_y, 0);
    set_body(&t->body[2], AP_PRISMATIC, axis_z, mass);
  } else if (which == 1) {
    s->kind = "free body";
    robot_clear(t, s->kind, 1);
    set_body(&t->body[0], AP_FREE, axis_z, mass);
  } else {
    s->kind = "planar body";
    robot_clear(t, s->kind, 1);
    set_body(&t->body[0], AP_PLANAR, axis_z, mass);
    t->body[0].place.rpy[0] = PI / 2;
  }
}

// A chain of one to four rods hanging from the ground or from a slide, turning about y.
static void make_pendulum(rng *r, test_scene *s) {
  int n = rng_int(r, 1, 4);
  s->kind = "pendulum";
  robot_clear(&s->robot, s->kind, n);
  for (int k = 0; k < n; k++) {
    ap_body_def *b = &s->robot.body[k];
    bool slides = k == 0 && n > 1 && rng_chance(r, 0.3);
    set_body(b, slides ? AP_PRISMATIC : AP_REVOLUTE, slides ? axis_x : axis_y,
             rng_uniform(r, 0.2, 2));
    if (k > 0 && s->robot.body[k - 1].joint == AP_REVOLUTE) b->place.xyz[2] = -0.4;
    if (!slides) b->com[2] = -0.2;
  }
}

static void make_builtin(test_scene *s, const char *name) {
  const ap_robot_def *def = ap_builtin(name);
  test_robot *t = &s->robot;
  robot_clear(t, name, def->nbody);
  s->kind = name;
  memcpy(t->body, def->bodies, (size_t)def->nbody * sizeof *t->body);
  memcpy(t->def.gravity, def->gravity, sizeof def->gravity);
}

// Degrees of freedom that keep a scene affordable.
static bool is_small(const test_robot *t, int most) {
  int n = 0;
  static const int of_type[] = {[AP_FIXED] = 0,     [AP_REVOLUTE] = 1, [AP_PRISMATIC] = 1,
                                [AP_SPHERICAL] = 3, [AP_PLANAR] = 3,   [AP_FREE] = 6};
  for (int k = 0; k < t->def.nbody; k++)
    if (!t->body[k].mimic) n += of_type[t->body[k].joint];
  return n >= 1 && n <= most;
}

static void make_tree(rng *r, test_scene *s) {
  int most = rng_chance(r, 0.05) ? 40 : 14;
  do {
    const robot_recipe *recipe = &recipes[rng_int(r, 0, RECIPES - 1)];
    random_robot(r, recipe, &s->robot);
    s->kind = recipe->label;
  } while (!is_small(&s->robot, most));
  bool dry = rng_chance(r, 0.02);
  // Dry friction makes the equations stiff where a joint creeps; a little of it will do.
  for (int k = 0; k < s->robot.def.nbody; k++) s->robot.body[k].coulomb *= dry ? 0.02 : 0;
}

static bool make_robot(rng *r, test_scene *s) {
  int dice = rng_int(r, 0, 99);
  if (dice < 40)
    make_body(r, s, dice < 8 ? 0 : dice < 26 ? 1 : 2);
  else if (dice < 55)
    make_pendulum(r, s);
  else if (dice < 58)
    make_builtin(s, "shafei-tree");
  else if (dice < 61)
    make_builtin(s, "quadruped");
  else
    make_tree(r, s);
  snprintf(s->robot.label, sizeof s->robot.label, "seed %" PRIu64 ", %.30s", s->seed, s->kind);
  return robot_make(&s->robot);
}

// ---- start -------------------------------------------------------------------------------------

static bool is_body(const test_scene *s) { return strstr(s->kind, "body") != NULL; }

// Symmetric starts, in which several points touch at once, are as interesting as others.
static void make_start(rng *r, test_scene *s) {
  const ap_model *m = s->robot.m;
  bool aligned = s->aligned = rng_chance(r, 0.25);
  double speed = rng_chance(r, 0.15) ? 0 : rng_uniform(r, 0.1, 4);
  ap_neutral(m, s->q);
  for (int i = 1; i < ap_nbody(m) && !aligned; i++)
    if (ap_joint_nq(m, i)) random_coordinates(r, ap_body(m, i)->joint, s->q + ap_joint_q(m, i));
  for (int i = 0; i < ap_nv(m); i++) s->v[i] = speed * rng_uniform(r, -1, 1);
  if (aligned && is_body(s))
    for (int i = 3; i < ap_nv(m); i++) s->v[i] = 0;
}

// Corners of a box for single bodies, ends of rods for pendulums, anything for trees.
static void make_points(rng *r, test_scene *s) {
  const ap_model *m = s->robot.m;
  int n = rng_int(r, 1, MOST_POINTS);
  double size[3] = {rng_uniform(r, 0.05, 0.3), rng_uniform(r, 0.05, 0.3),
                    rng_uniform(r, 0.02, 0.3)};
  if (rng_chance(r, 0.2)) size[2] = 0;
  s->scene.npoint = n;
  for (int i = 0; i < n; i++) {
    ap_contact_point *p = &s->point[i];
    *p = (ap_contact_point){.name = point_names[i], .body = rng_int(r, 1, ap_nbody(m) - 1)};
    if (is_body(s))
      for (int k = 0; k < 3; k++) p->at[k] = i >> k & 1 ? size[k] : -size[k];
    else if (strcmp(s->kind, "pendulum") == 0)
      p->at[2] = -0.4;
    else if (strcmp(s->kind, "point") != 0)
      random_vector(r, 0.3, p->at);
  }
  if (strcmp(s->kind, "point") == 0) s->point[0].body = 3, s->scene.npoint = 1;
  ap_contact_point chosen[32];
  int named = ap_default_contact_points(m, chosen, 32);
  if (strcmp(s->kind, "quadruped") == 0 || strcmp(s->kind, "shafei-tree") == 0) {
    s->scene.npoint = named < MOST_POINTS ? named : MOST_POINTS;
    for (int i = 0; i < s->scene.npoint; i++)
      s->point[i] = (ap_contact_point){.name = point_names[i], .body = chosen[i].body},
      memcpy(s->point[i].at, chosen[i].at, sizeof chosen[i].at);
  }
}

static void place_points(test_scene *s, const double *q, const double *v) {
  ap_kinematics(s->robot.m, s->robot.w, q, v, NULL);
  for (int i = 0; i < s->scene.npoint; i++) {
    double R[9], p[3];
    const double *at = s->point[i].at;
    ap_frame_pose(s->robot.m, s->robot.w, s->point[i].body, R, p);
    for (int k = 0; k < 3; k++)
      s->at[i][k] = p[k] + R[3 * k] * at[0] + R[3 * k + 1] * at[1] + R[3 * k + 2] * at[2];
  }
}

static void make_springs(rng *r, test_scene *s) {
  const ap_model *m = s->robot.m;
  if (!rng_chance(r, 0.3)) return;
  for (int i = 1; i < ap_nbody(m) && s->scene.nspring < MOST_SPRINGS; i++) {
    if (ap_joint_nv(m, i) != 1 || ap_body(m, i)->mimic || rng_chance(r, 0.4)) continue;
    s->spring[s->scene.nspring++] = (ap_joint_spring){.v = ap_joint_v(m, i),
                                                      .stiffness = rng_uniform(r, 0, 100),
                                                      .rest = rng_uniform(r, -0.5, 0.5),
                                                      .damping = rng_uniform(r, -1, 1)};
    ap_joint_spring *made = &s->spring[s->scene.nspring - 1];
    if (made->damping < 0) made->damping = 0;
  }
}

// ---- walls -------------------------------------------------------------------------------------

// The smallest distance of the points from a wall, to first order.
static double clearance(const test_scene *s, const ap_wall *wall, int *nearest) {
  unsigned char room[4096];
  double least = INFINITY;
  const ap_surface *surface = ap_surface_init(wall, room, sizeof room, NULL);
  if (!CHECK(surface != NULL)) return NAN;
  for (int i = 0; i < s->scene.npoint; i++) {
    ap_gap gap;
    ap_surface_gap(surface, s->at[i], &gap);
    const double *g = gap.gradient;
    double slope = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double distance = slope > 0 ? gap.c / slope : gap.c;
    if (nearest && distance < least) *nearest = i;
    least = fmin(least, distance);
  }
  return least;
}

static void make_shape(rng *r, test_scene *s, int i) {
  ap_wall *w = &s->wall[i];
  *w = ap_default_wall();
  w->name = wall_names[i];
  w->kind = (ap_wall_kind)rng_int(r, AP_WALL_PLANE, AP_WALL_PROFILE);
  if (rng_chance(r, 0.4)) w->kind = AP_WALL_PLANE;
  bool upright = rng_chance(r, 0.5);
  if (!upright) {
    random_direction(r, 3, w->axis);
    random_direction(r, 3, w->x);
  } else if (w->kind == AP_WALL_PROFILE || w->kind == AP_WALL_CIRCLE) {
    w->axis[1] = -1, w->axis[2] = 0;
  }
  for (int k = 0; k < 3; k++) w->size[k] = rng_uniform(r, 0.2, 1.5);
  w->inside = w->kind != AP_WALL_PLANE && w->kind != AP_WALL_PROFILE && rng_chance(r, 0.5);
  if (w->kind == AP_WALL_TORUS) w->size[1] = w->size[0] * rng_uniform(r, 0.2, 0.9);
  if (w->kind == AP_WALL_PROFILE) {
    w->points = s->profile[i];
    w->npoint = rng_int(r, 2, PROFILE);
    for (int k = 0; k < w->npoint; k++) {
      s->profile[i][2 * k] = k - 2.5 + rng_uniform(r, -0.3, 0.3);
      s->profile[i][2 * k + 1] = rng_uniform(r, -0.3, 0.3);
    }
  }
  w->restitution = rng_chance(r, 0.3) ? 0 : rng_chance(r, 0.3) ? 1 : rng_uniform(r, 0, 1);
  w->friction = rng_chance(r, 0.4) ? 0 : rng_uniform(r, 0, 1.5);
}

// The wall after it has gone back by x: a closed one grows, others move away.
static void retreat(const ap_wall *from, const double middle[3], const double away[3], double x,
                    ap_wall *w) {
  *w = *from;
  if (w->inside && w->kind == AP_WALL_TORUS) { // the middle stays in the middle of the tube
    double across[3], length = 0;
    double along = away[0] * w->axis[0] + away[1] * w->axis[1] + away[2] * w->axis[2];
    double square = w->axis[0] * w->axis[0] + w->axis[1] * w->axis[1] + w->axis[2] * w->axis[2];
    for (int k = 0; k < 3; k++) across[k] = away[k] - along / square * w->axis[k];
    for (int k = 0; k < 3; k++) length += across[k] * across[k];
    w->size[0] *= 1 + x;
    w->size[1] *= 1 + x;
    for (int k = 0; k < 3; k++) w->centre[k] = middle[k] + w->size[0] * across[k] / sqrt(length);
  } else if (w->inside) {
    for (int k = 0; k < 3; k++) w->size[k] *= 1 + x, w->centre[k] = middle[k];
  } else {
    for (int k = 0; k < 3; k++) w->centre[k] = middle[k] + x * away[k];
  }
}

// A wall near the points, which are all in its free region. Sometimes the nearest touches it.
static bool make_wall(rng *r, test_scene *s, int i) {
  ap_wall *w = &s->wall[i], made;
  double middle[3], away[3], x = 0, step = rng_uniform(r, 0.02, 0.3), up[3];
  make_shape(r, s, i);
  made = *w;
  memcpy(middle, s->at[rng_int(r, 0, s->scene.npoint - 1)], sizeof middle);
  random_direction(r, 3, away);
  for (int k = 0; k < 3; k++) up[k] = w->axis[k];
  if (w->kind == AP_WALL_PROFILE) { // the height: axis x x
    up[0] = w->axis[1] * w->x[2] - w->axis[2] * w->x[1];
    up[1] = w->axis[2] * w->x[0] - w->axis[0] * w->x[2];
    up[2] = w->axis[0] * w->x[1] - w->axis[1] * w->x[0];
  }
  if (w->kind == AP_WALL_PLANE || w->kind == AP_WALL_PROFILE)
    for (int k = 0; k < 3; k++) away[k] = -up[k];
  else if (rng_chance(r, 0.5)) // below
    away[0] = 0.1, away[1] = 0, away[2] = -1;
  for (int k = 0; k < 200; k++) {
    x += k > 0 ? step : 0;
    retreat(&made, middle, away, x, w);
    if (clearance(s, w, NULL) > 0.01) break;
  }
  if (!(clearance(s, w, NULL) > 0.01)) return false;
  if (!rng_chance(r, 0.15)) return true;
  double low = fmax(0, x - step), high = x; // until it touches
  for (int k = 0; k < 60; k++) {
    double mid = 0.5 * (low + high);
    retreat(&made, middle, away, mid, w);
    *(clearance(s, w, NULL) >= 0 ? &high : &low) = mid;
  }
  retreat(&made, middle, away, high, w);
  return true;
}

// ---- the whole of it ---------------------------------------------------------------------------

static long most_evaluations(const test_scene *s) {
  return MOST_EVALUATIONS + MOST_PER_EVENT * s->events;
}

static ap_status guard(void *context, double t, const double *q, const double *v, double *tau) {
  test_scene *s = context;
  (void)q, (void)v;
  tau[0] += s->drive * sin(9 * t);
  return ++s->evaluations > most_evaluations(s) ? AP_E_UNSUPPORTED : AP_OK;
}

static bool make_scene(uint64_t seed, test_scene *s) {
  memset(s, 0, sizeof *s);
  rng r = rng_seed(seed * 0x2545f4914f6cdd1du);
  s->seed = seed;
  test_context("APPELL_TEST_SCENES=%" PRIu64 "-%" PRIu64, seed, seed);
  if (!make_robot(&r, s)) return false;
  ap_scene *scene = &s->scene;
  *scene = ap_default_scene();
  scene->model = s->robot.m;
  scene->relative = scene->absolute = TOLERANCE;
  scene->most_events = MOST_EVENTS;
  scene->joint_friction = rng_chance(&r, 0.3);
  scene->limits = false; // starts are anywhere
  make_start(&r, s);
  make_points(&r, s);
  make_springs(&r, s);
  ap_set_friction(s->robot.m, s->robot.w, scene->joint_friction);
  place_points(s, s->q, NULL);
  scene->nwall = rng_int(&r, 1, MOST_WALLS);
  for (int i = 0; i < scene->nwall; i++)
    while (!make_wall(&r, s, i)) continue;
  scene->wall = s->wall;
  scene->point = s->point;
  scene->spring = s->spring;
  s->guarded = rng_chance(&r, 0.8);
  s->drive = rng_chance(&r, 0.3) ? rng_uniform(&r, 0, 5) : 0;
  if (s->guarded) scene->force = guard, scene->context = s;
  if (rng_chance(&r, 0.2)) scene->gravity = s->gravity, random_vector(&r, 12, s->gravity);
  int dice = rng_int(&r, 0, 9);
  if (dice < 2) scene->stepping = dice ? AP_FIXED_RK4 : AP_FIXED_EULER, scene->step = STEP;
  s->duration = rng_uniform(&r, 0.5, 2);
  for (int i = 0; i < scene->nwall; i++)
    s->surface[i] = ap_surface_init(&s->wall[i], s->memory[i], sizeof s->memory[i], NULL);
  return true;
}

static void print_numbers(const char *what, int n, const double *x) {
  printf("  %s", what);
  for (int i = 0; i < n; i++) printf(" %.17g", x[i]);
  printf("\n");
}

static void print_scene(const test_scene *s) {
  const ap_scene *scene = &s->scene;
  static const char *const steppings[] = {"adaptive", "RK4 1 ms", "Euler 1 ms"};
  printf("scene %" PRIu64 ": %s, nv %d, %s, %.17g s, joint friction %s%s", s->seed, s->kind,
         ap_nv(s->robot.m), steppings[scene->stepping], s->duration,
         scene->joint_friction ? "on" : "off", s->guarded ? "" : ", no force");
  if (s->guarded) printf(", drive %.17g", s->drive);
  printf("\n");
  print_numbers("gravity", 3, scene->gravity ? scene->gravity : ap_gravity(s->robot.m));
  print_numbers("q", ap_nq(s->robot.m), s->q);
  print_numbers("v", ap_nv(s->robot.m), s->v);
  for (int i = 0; i < scene->npoint; i++) {
    printf("  point %d on body %d", i, s->point[i].body);
    print_numbers("at", 3, s->point[i].at);
  }
  for (int i = 0; i < scene->nspring; i++)
    printf("  spring on v[%d]: stiffness %.17g, rest %.17g, damping %.17g\n", s->spring[i].v,
           s->spring[i].stiffness, s->spring[i].rest, s->spring[i].damping);
  for (int i = 0; i < scene->nwall; i++) {
    const ap_wall *w = &s->wall[i];
    printf("  wall %d: kind %d, %s, restitution %.17g, friction %.17g, clearance %.3g\n", i,
           w->kind, w->inside ? "inside" : "outside", w->restitution, w->friction,
           clearance(s, w, NULL));
    print_numbers("  centre", 3, w->centre);
    print_numbers("  axis", 3, w->axis);
    print_numbers("  x", 3, w->x);
    print_numbers("  size", 3, w->size);
    if (w->npoint) print_numbers("  points", 2 * w->npoint, w->points);
  }
}

// ---- the run -----------------------------------------------------------------------------------

// A law that does not hold: the scene is printed once, then the numbers.
static void broken(test_scene *s, const char *law, double t, double got, double bound) {
  if (s->failed) return;
  s->failed = true;
  bool law_of_scenes = false;
  CHECK(law_of_scenes);
  print_scene(s);
  printf("  seed %" PRIu64 " FAILS at t = %.12g: %s: %.6g, allowed %.6g\n", s->seed, t, law, got,
         bound);
}

static bool all_finite(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_adaptive(const test_scene *s) { return s->scene.stepping == AP_ADAPTIVE; }

// How far a point may be inside a wall. Fixed steps meet it at the end of the step in which it
// entered.
static double intrusion(const test_scene *s) {
  return is_adaptive(s) ? INTRUSION : 1e-3 + 2 * s->scene.step * s->fastest;
}

// The largest speed of a point so far.
static void note_speed(test_scene *s, int i) {
  double twist[6], R[9], p[3];
  ap_frame_pose(s->robot.m, s->robot.w, s->point[i].body, R, p);
  ap_frame_velocity(s->robot.m, s->robot.w, s->point[i].body, AP_MIXED, twist);
  const double *w = twist + 3, r[3] = {s->at[i][0] - p[0], s->at[i][1] - p[1], s->at[i][2] - p[2]};
  double speed[3] = {twist[0] + w[1] * r[2] - w[2] * r[1], twist[1] + w[2] * r[0] - w[0] * r[2],
                     twist[2] + w[0] * r[1] - w[1] * r[0]};
  s->fastest = fmax(s->fastest, sqrt(dot3(speed, speed)));
}

static void check_outside(test_scene *s, double t, const double *q, const double *v) {
  place_points(s, q, v);
  for (int i = 0; i < s->scene.npoint; i++) {
    note_speed(s, i);
    for (int k = 0; k < s->scene.nwall; k++) {
      ap_gap gap;
      ap_surface_gap(s->surface[k], s->at[i], &gap);
      double slope = sqrt(dot3(gap.gradient, gap.gradient));
      double distance = slope > 0 ? gap.c / slope : gap.c;
      s->deepest = fmin(s->deepest, is_adaptive(s) ? distance : 0);
      if (!(distance >= -intrusion(s)))
        broken(s, "distance of a point from a wall", t, distance, -intrusion(s));
    }
  }
}

// By how much energies may be off. Half a^T M a is what h^2 of it the semi-implicit method errs by
// in a step; and an impact that comes up to a step late shifts its place by a step of the jump.
static double allowed_error(const test_scene *s, double t) {
  if (is_adaptive(s)) return CLOSING * s->scale;
  double late = 2 * (double)s->events * sqrt(s->scale * s->hardest);
  return 0.05 * s->scale + s->scene.step * (4 * t * s->hardest + late);
}

// Energy does not grow but by the error of the integrator: since the last look, and altogether.
static void check_energy(test_scene *s, const ap_sim_state *now) {
  double energy = now->kinetic + now->potential + now->elastic - now->work;
  double moved = now->kinetic + now->elastic + now->lost + fabs(now->dissipated) + fabs(now->work);
  s->scale = fmax(s->scale, moved + 1);
  s->hardest = fmax(s->hardest, ap_kinetic_energy(s->robot.m, s->robot.w, now->q, now->a));
  double allowed = allowed_error(s, now->t);
  s->closing = fmax(s->closing, is_adaptive(s) ? fabs(now->closing) / s->scale : 0);
  if (!(energy - s->energy <= allowed))
    broken(s, "growth of energy", now->t, energy - s->energy, allowed);
  if (!(now->dissipated - s->dissipated >= -allowed))
    broken(s, "energy taken by friction", now->t, now->dissipated - s->dissipated, -allowed);
  if (!(now->lost - s->lost >= -allowed))
    broken(s, "energy lost in impacts", now->t, now->lost - s->lost, -allowed);
  if (!(fabs(now->closing) <= allowed)) broken(s, "closing error", now->t, now->closing, allowed);
  s->energy = fmin(s->energy, energy);
  s->dissipated = now->dissipated;
  s->lost = now->lost;
}

static void check_now(test_scene *s) {
  ap_sim_state now;
  ap_error error = {0};
  const ap_model *m = s->robot.m;
  if (ap_sim_now(s->sim, &now, &error)) {
    broken(s, error.text, 0, NAN, 0);
    return;
  }
  if (!all_finite(ap_nq(m), now.q) || !all_finite(ap_nv(m), now.v) || !all_finite(ap_nv(m), now.a))
    broken(s, "a state that is not finite", now.t, NAN, 0);
  check_energy(s, &now);
  check_outside(s, now.t, now.q, now.v);
  ap_contact_state contact[MOST_POINTS * MOST_WALLS];
  int n = ap_sim_contacts(s->sim, contact, MOST_POINTS * MOST_WALLS);
  for (int i = 0; i < n; i++)
    if (!all_finite(3, contact[i].force)) broken(s, "a contact force", now.t, NAN, 0);
}

// Speed across the normal.
static double slides(const double v[3], const double n[3]) {
  double u = dot3(v, n);
  return sqrt(fmax(0, dot3(v, v) - u * u));
}

// An impulse pushes and is in Coulomb's cone; an event lies on its wall.
static void check_event(void *context, const ap_event *e) {
  test_scene *s = context;
  const ap_wall *w = &s->wall[e->wall];
  double size = sqrt(dot3(e->impulse, e->impulse)), push = dot3(e->impulse, e->normal), along[3];
  for (int k = 0; k < 3; k++) along[k] = e->impulse[k] - push * e->normal[k];
  double rubs = sqrt(dot3(along, along));
  s->events++;
  s->fastest = fmax(s->fastest, sqrt(dot3(e->before, e->before)));
  if (s->told)
    printf("%5d %.12g %s %d %d  %.3g -> %.3g m/s  %.3g N s, slides %.3g -> %.3g m/s\n", e->number,
           e->t, ap_event_name(e->kind), e->point, e->wall, dot3(e->before, e->normal),
           dot3(e->after, e->normal), push, slides(e->before, e->normal),
           slides(e->after, e->normal));
  if (!all_finite(3, e->before) || !all_finite(3, e->after) || !all_finite(3, e->impulse) ||
      !all_finite(3, e->position) || !isfinite(e->t) || !isfinite(e->lost))
    broken(s, "an event that is not finite", e->t, NAN, 0);
  if (!(push >= -1e-9 * size)) broken(s, "an impulse that pulls", e->t, push, -1e-9 * size);
  if (!(rubs <= w->friction * push + 1e-8 * size))
    broken(s, "friction beyond its cone", e->t, rubs, w->friction * push + 1e-8 * size);
  if (!(e->lost >= -1e-10 * s->scale)) broken(s, "an event that gives energy", e->t, e->lost, 0);
  if (s->seed % 2 && !s->failed) check_now(s);
}

// Fixed steps may turn out too long for a scene, which a run has to notice; then shorter ones are
// not.
static bool retry(test_scene *s, ap_status status, const ap_error *error) {
  if (status != AP_E_NO_CONVERGENCE || is_adaptive(s) || s->scene.step < STEP) return false;
  if (!strstr(error->text, "too long")) return false;
  ap_sim_free(s->sim);
  s->scene.step = STEP / 10;
  return true;
}

// A chain that hangs straight down onto a wall may have no motion at all: its joints move its end
// along the wall only. Such a start, and no other, may be refused.
static bool refused(const test_scene *s, ap_status status, const ap_error *error) {
  if (status != AP_E_ARG || !strstr(error->text, "where no joint can move it away")) return false;
  if (!s->aligned || strcmp(s->kind, "pendulum") != 0) return false;
  for (int i = 0; i < s->scene.nwall; i++)
    if (fabs(clearance(s, &s->wall[i], NULL)) < 1e-9) return true;
  return false;
}

// The first pivot of the inertia matrix at the start that vanishes beside its diagonal; -1: none.
static int vanishing_pivot(const test_scene *s) {
  static double M[ROBOT_V * ROBOT_V];
  int n = ap_nv(s->robot.m);
  ap_inertia_matrix(s->robot.m, s->robot.w, s->q, M);
  for (int j = 0; j < n; j++) {
    double part = M[j * n + j];
    for (int i = 0; i < j; i++) part -= M[j * n + i] * M[j * n + i] / M[i * n + i];
    if (part < 1e-13 * M[j * n + j]) return j;
    M[j * n + j] = part;
    for (int k = j + 1; k < n; k++)
      for (int i = 0; i < j; i++) M[k * n + j] -= M[k * n + i] * M[j * n + i] / M[i * n + i];
  }
  return -1;
}

// Joints about one axis with nothing heavy between them can turn against each other without moving
// any mass: such a start has no acceleration, and the message names the joint.
static bool massless(const test_scene *s, ap_status status, const ap_error *error) {
  if (status != AP_E_SINGULAR || !strstr(s->kind, "massless")) return false;
  int which = vanishing_pivot(s);
  for (int i = 1; i < ap_nbody(s->robot.m); i++)
    if (ap_joint_v(s->robot.m, i) == which && ap_joint_nv(s->robot.m, i) > 0)
      return CHECK(strstr(error->text, ap_body(s->robot.m, i)->name) != NULL);
  return false;
}

static bool run_scene(test_scene *s) {
  ap_error error = {0};
  ap_status status = ap_sim_create(&s->scene, &s->sim, &error);
  s->energy = INFINITY;
  s->dissipated = s->lost = s->fastest = s->hardest = 0;
  s->events = s->evaluations = 0;
  s->scale = 1;
  ap_sim_on_event(s->sim, check_event, s);
  if (!status) status = ap_sim_start(s->sim, 0, s->q, s->v, &error);
  if (refused(s, status, &error)) return ap_sim_free(s->sim), true;
  if (massless(s, status, &error)) return ap_sim_free(s->sim), true;
  if (!status) check_now(s);
  for (int i = 1; i <= OUTPUTS && !status && !s->failed; i++) {
    status = ap_sim_advance(s->sim, s->duration * i / OUTPUTS, &error);
    if (!status) check_now(s);
  }
  if (retry(s, status, &error)) return run_scene(s);
  if (status) broken(s, error.text, NAN, NAN, 0);
  long evaluations = s->evaluations = ap_sim_evaluations(s->sim);
  if (evaluations > most_evaluations(s))
    broken(s, "evaluations", s->duration, (double)evaluations, (double)most_evaluations(s));
  ap_sim_free(s->sim);
  return true;
}

// Run one scene; false where no scene can be run.
static bool run_seed(unsigned long seed, bool line, bool events) {
  static test_scene scene;
  if (!make_scene(seed, &scene)) return false;
  scene.told = events;
  bool go_on = run_scene(&scene);
  if (line)
    printf("seed %lu %s: %s, nv %d: %ld evaluations, %ld events, deepest %.3g, closing %.3g\n",
           seed, scene.failed ? "FAILS" : "holds", scene.kind, ap_nv(scene.robot.m),
           scene.evaluations, scene.events, scene.deepest, scene.closing);
  robot_free(&scene.robot);
  return go_on;
}

TEST(random_scenes_obey_mechanics) {
  unsigned long from = 1, to = SCENES;
  const char *chosen = getenv("APPELL_TEST_SCENES");
  to = to * (unsigned long)test_effort() / 3;
  char *rest = NULL;
  if (chosen) to = strtoul(chosen, &rest, 10);
  bool each = rest && *rest == '-';
  if (each) from = to, to = strtoul(rest + 1, NULL, 10);
  for (unsigned long seed = from; seed <= to; seed++)
    if (!run_seed(seed, each, each && from == to)) return;
}

// What events and the end of a run come to, as one number.
static void mix(uint64_t *hash, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    *hash = (*hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3ULL;
}

static void mix_event(void *context, const ap_event *e) {
  mix(context, &e->t, sizeof e->t);
  mix(context, &e->kind, sizeof e->kind);
  mix(context, e->impulse, sizeof e->impulse);
}

static uint64_t hash_of_run(test_scene *s, int outputs) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  ap_sim_state now;
  ap_status status = ap_sim_create(&s->scene, &s->sim, NULL);
  ap_sim_on_event(s->sim, mix_event, &hash);
  if (!status) status = ap_sim_start(s->sim, 0, s->q, s->v, NULL);
  for (int i = 1; i <= outputs && !status; i++) {
    double t = i < outputs ? s->duration * i / outputs : s->duration;
    status = ap_sim_advance(s->sim, t, NULL);
    if (!status) status = ap_sim_now(s->sim, &now, NULL);
  }
  if (!status) mix(&hash, now.q, (size_t)ap_nq(s->robot.m) * sizeof *now.q);
  ap_sim_free(s->sim);
  return hash;
}

// Whenever the state is read: the same events, and the same end, bit for bit.
TEST(readings_change_nothing) {
  static test_scene scene;
  for (unsigned long seed = 1; seed <= 60 && !getenv("APPELL_TEST_SCENES"); seed++) {
    if (!make_scene(seed, &scene)) return;
    scene.scene.force = NULL; // one whose kinks are not known ends steps where it is read
    test_context("seed %lu", seed);
    uint64_t once = hash_of_run(&scene, 1);
    CHECK(hash_of_run(&scene, 3) == once);
    CHECK(hash_of_run(&scene, 200) == once);
    robot_free(&scene.robot);
  }
}

// Scenes that broke a law once: jammed points (50, 64), starts in the middle of a sphere or torus
// (75, 657, 687), blocks that rattled for ever (243, 429, 609), a wall across the plane of a planar
// tree (552), a wedged point whose modes were not found (1059), joints without any mass between
// them (3520), a fast point met late by fixed steps (4449), chains stretched onto their walls
// (5097, 5250), friction that gave energy (5469, 8095), steps too long for a motion (7874).
TEST(scenes_that_failed_once) {
  static const unsigned long seeds[] = {50,   64,   75,   243,  429,  552,  609,  657, 687,
                                        1059, 3520, 4449, 5097, 5250, 5469, 7874, 8095};
  if (getenv("APPELL_TEST_SCENES")) return;
  for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
    if (!run_seed(seeds[i], false, false)) return;
}
