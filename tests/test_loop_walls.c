// SPDX-License-Identifier: Apache-2.0
// Closed chains at walls: impacts keep the closures and obey mechanics as the map of independent
// coordinates sees it; bounces end at rest, friction holds, energy never grows.

#include <appell/sim.h>

#include "four_bar.h"
#include "loop/closed_chain.h"
#include "sim/contact.h"

enum { V = 24, X = 32, N = 6, POINTS = 4 };

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- the law -----------------------------------------------------------------------------------

// Jacobian of a point, 3 * nv, and its velocity.
static void point_jacobian(const rig *b, const ap_touch *t, const double *x, double *J) {
  const ap_model *m = ap_mechanism_tree(b->m);
  ap_work *w = ap_loop_work(b->l);
  double R[9], p[3], r[3], six[6 * V];
  int nv = ap_nv(m);
  ap_kinematics(m, w, x, NULL, NULL);
  ap_frame_pose(m, w, t->body, R, p);
  ap_frame_jacobian(m, w, t->body, AP_MIXED, six);
  for (int k = 0; k < 3; k++) r[k] = dot3(R + 3 * k, t->at);
  for (int j = 0; j < nv; j++) {
    double o[3] = {six[3 * nv + j], six[4 * nv + j], six[5 * nv + j]};
    J[j] = six[j] + o[1] * r[2] - o[2] * r[1];
    J[nv + j] = six[nv + j] + o[2] * r[0] - o[0] * r[2];
    J[2 * nv + j] = six[2 * nv + j] + o[0] * r[1] - o[1] * r[0];
  }
}

static ap_touch random_touch(rng *r, const rig *b, bool friction) {
  ap_touch t = {.body = rng_int(r, 1, ap_nbody(ap_mechanism_tree(b->m)) - 1)};
  double length = 0;
  for (int k = 0; k < 3; k++) {
    t.at[k] = rng_uniform(r, -0.3, 0.3);
    t.normal[k] = rng_uniform(r, -1, 1);
    length += t.normal[k] * t.normal[k];
  }
  for (int k = 0; k < 3; k++) t.normal[k] /= sqrt(length);
  t.restitution = rng_uniform(r, 0, 1);
  t.friction = friction ? rng_uniform(r, 0, 0.8) : 0;
  return t;
}

// One impact: what P^T M (xd' - xd) = P^T J^T p says in independent coordinates, P being that of
// the general recipe; the new rates are those of coordinates again; the point obeys the law.
static void check_impact(rng *r, const rig *b, ap_closed *c, bool friction) {
  const ap_model *tree = ap_mechanism_tree(b->m);
  int nv = ap_nv(tree), n = ap_mechanism_n(b->m);
  double q[N], v[N], x[X], xd[V], old[V], P[V * N], M[V * V], J[3 * V], rates[V];
  random_pose(r, b, q);
  for (int i = 0; i < n; i++) v[i] = rng_uniform(r, -2, 2);
  if (!CHECK_OK(ap_loop_velocity(b->m, b->l, q, v, xd))) return;
  CHECK_OK(ap_loop_map(b->m, b->l, q, P));
  memcpy(x, ap_loop_configuration(b->l), (size_t)ap_nq(tree) * sizeof *x);
  memcpy(old, xd, (size_t)nv * sizeof *xd);
  ap_touch t = random_touch(r, b, friction);
  ap_impact_result result = {0};
  void *room = malloc(ap_mechanism_impact_scratch(b->m, 1));
  CHECK_OK(ap_mechanism_impact(b->m, b->l, x, xd, 1, &t, room, &result));
  free(room);
  ap_inertia_matrix(tree, ap_loop_work(b->l), x, M);
  point_jacobian(b, &t, x, J);
  double left[N] = {0}, size = 0, shown = 0;
  for (int i = 0; i < nv; i++) {
    double momentum = 0, push = 0;
    for (int j = 0; j < nv; j++) momentum += M[i * nv + j] * (xd[j] - old[j]);
    for (int k = 0; k < 3; k++) push += J[k * nv + i] * t.impulse[k];
    for (int k = 0; k < n; k++) left[k] += P[i * n + k] * (momentum - push);
    size = fmax(size, fmax(fabs(momentum), fabs(push)));
  }
  for (int k = 0; k < n; k++) CHECK_CLOSE(left[k], 0, 1e-10 * (1 + size));
  double before = dot3(t.normal, t.before), after = dot3(t.normal, t.after);
  if (before < -1e-6 && !friction && dot3(t.impulse, t.impulse) > 0)
    CHECK_CLOSE(after, -t.restitution * before, 1e-10 * (1 + fabs(before)));
  CHECK(after > -1e-10 && result.lost > -1e-10);
  for (int i = 0; i < nv; i++) shown = fmax(shown, fabs(xd[i]));
  // Phi_x xd = 0: the nearest rates that closures allow are these.
  CHECK_OK(ap__closed_place(c, x, xd));
  memcpy(rates, c->rates, (size_t)nv * sizeof *rates);
  CHECK_WITHIN(rates, xd, nv, 1e-10 * (1 + shown));
}

// A check so many times on every built-in mechanism.
static void on_each(uint64_t seed, int times,
                    void (*check)(rng *r, const rig *b, ap_closed *c, int k)) {
  rng r = {seed};
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    rig b = builtin(ap_mechanism_builtin_name(i));
    double x[X];
    void *memory = malloc(ap__closed_size(b.m));
    ap_closed *c = ap__closed_init(b.m, b.l, memory);
    memcpy(x, ap_mechanism_guess(b.m), (size_t)ap_nq(ap_mechanism_tree(b.m)) * sizeof *x);
    CHECK_OK(ap__closed_start(c, x));
    for (int k = 0; k < times; k++) check(&r, &b, c, k);
    free(memory);
    drop(&b);
  }
}

static void check_each_impact(rng *r, const rig *b, ap_closed *c, int k) {
  check_impact(r, b, c, k % 2);
}

TEST(impacts_obey_mechanics_in_independent_coordinates) { on_each(7, 40, check_each_impact); }

// A point that sticks has no velocity after the way back onto its wall, the first time that memory
// is used.
static void check_hold(rng *r, const rig *b, ap_closed *c, int number) {
  (void)number;
  const ap_model *tree = ap_mechanism_tree(b->m);
  int nv = ap_nv(tree), n = ap_mechanism_n(b->m);
  double q[N], v[N], x[X], xd[V], J[3 * V], R[9], p[3], lost, size = 0;
  random_pose(r, b, q);
  for (int i = 0; i < n; i++) v[i] = rng_uniform(r, -2, 2);
  if (!CHECK_OK(ap_loop_velocity(b->m, b->l, q, v, xd))) return;
  memcpy(x, ap_loop_configuration(b->l), (size_t)ap_nq(tree) * sizeof *x);
  for (int i = 0; i < nv; i++) size = fmax(size, fabs(xd[i]));
  ap_touch t = random_touch(r, b, true);
  ap_wall wall = ap_default_wall();
  ap_kinematics(tree, ap_loop_work(b->l), x, NULL, NULL);
  ap_frame_pose(tree, ap_loop_work(b->l), t.body, R, p);
  for (int k = 0; k < 3; k++) wall.centre[k] = p[k] + dot3(R + 3 * k, t.at);
  memcpy(wall.axis, t.normal, sizeof wall.axis);
  void *memory = malloc(ap_surface_size(&wall)), *room = calloc(1, ap__contact_scratch(tree, 1));
  ap_error error;
  ap_resting rest = {.body = t.body, .sticks = true, .friction = 1, .stiction = 1};
  rest.surface = ap_surface_init(&wall, memory, ap_surface_size(&wall), &error);
  memcpy(rest.at, t.at, sizeof rest.at);
  ap_plant plant = ap__plant_closed(b->m, c);
  CHECK_OK(ap__contact_project(&plant, x, xd, 1, &rest, room, &lost));
  point_jacobian(b, &t, x, J);
  for (int k = 0; k < 3; k++) {
    double velocity = 0;
    for (int j = 0; j < nv; j++) velocity += J[k * nv + j] * xd[j];
    CHECK_CLOSE(velocity, 0, 1e-9 * (1 + size));
  }
  free(room);
  free(memory);
}

TEST(points_that_stick_are_held) { on_each(8, 20, check_hold); }

// ---- scenes ------------------------------------------------------------------------------------

typedef struct notes {
  long count[AP_EVENT_STICK + 1];
  double lost;     // the most negative
  double pulls;    // the largest impulse into a wall
  double slipping; // the largest excess of friction over the cone
  const ap_scene *scene;
} notes;

static void note(void *context, const ap_event *e) {
  notes *n = context;
  double push = dot3(e->impulse, e->normal), along = 0;
  for (int k = 0; k < 3; k++) {
    double t = e->impulse[k] - push * e->normal[k];
    along += t * t;
  }
  n->count[e->kind]++;
  n->lost = fmin(n->lost, e->lost);
  n->pulls = fmax(n->pulls, -push);
  n->slipping = fmax(n->slipping, sqrt(along) - n->scene->wall[e->wall].friction * push);
}

// A run to its end: closures, ledger and events as they must be.
static ap_sim_state run(ap_sim *sim, const ap_scene *scene, double end, double closing, notes *n) {
  ap_error error = {.text = ""};
  ap_sim_state s = {0};
  double scale = 1;
  *n = (notes){.scene = scene};
  ap_sim_on_event(sim, note, n);
  for (int k = 0; k <= 50; k++) {
    ap_status status = ap_sim_advance(sim, end * k / 50, &error);
    if (!status) status = ap_sim_now(sim, &s, &error);
    if (!CHECK_OK(status)) {
      printf("  %s\n", error.text);
      break;
    }
    scale = fmax(scale, fmax(s.kinetic, fabs(s.potential)));
    CHECK(s.closure < 1e-12);
    CHECK(fabs(s.closing) < closing * scale);
  }
  CHECK(n->lost > -1e-10 * scale && n->pulls < 1e-10);
  CHECK(n->slipping < 1e-9);
  return s;
}

static ap_sim *started(const ap_scene *scene, const double *x, const double *xd) {
  ap_sim *sim = NULL;
  ap_error error = {.text = ""};
  if (!CHECK_OK(ap_sim_create(scene, &sim, &error)) ||
      !CHECK_OK(ap_sim_start(sim, 0, x, xd, &error)))
    printf("  %s\n", error.text);
  return sim;
}

static ap_wall plane(double nx, double ny, double nz, double x, double y, double z) {
  ap_wall w = ap_default_wall();
  const double axis[3] = {nx, ny, nz}, centre[3] = {x, y, z};
  memcpy(w.axis, axis, sizeof axis);
  memcpy(w.centre, centre, sizeof centre);
  return w;
}

// A five-bar's tip falls on a floor, the start being symmetric: all that moves is y.
TEST(five_bar_on_a_floor) {
  const double none[V] = {0}, restitution[3] = {1, 0.5, 0.5}, friction[3] = {0, 0, 0.3};
  rig b = builtin("five-bar");
  for (int k = 0; k < 3; k++) {
    ap_contact_point tip = {.name = "tip", .body = 2, .at = {0.35, 0, 0}};
    ap_wall floor = plane(0, 1, 0, 0, 0.3, 0);
    floor.restitution = restitution[k], floor.friction = friction[k];
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m, scene.wall = &floor, scene.nwall = 1, scene.point = &tip;
    scene.npoint = 1;
    notes n;
    ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
    ap_sim_state s = run(sim, &scene, 1.5, 1e-9, &n);
    test_context("five-bar, e = %g, mu = %g", restitution[k], friction[k]);
    if (k == 0) { // energy is kept, and the fall is periodic
      CHECK_EQ_INT((int)n.count[AP_EVENT_IMPACT], 5);
      CHECK_CLOSE(s.lost, 0, 1e-12);
    } else {
      ap_contact_state c;
      CHECK(n.count[AP_EVENT_IMPACT] > 10);
      CHECK_EQ_INT((int)n.count[AP_EVENT_CONTACT], 1);
      CHECK_EQ_INT(ap_sim_contacts(sim, &c, 1), 1);
      CHECK(c.force[1] > 1 && fabs(c.gap) < 1e-10);
      if (k == 1) CHECK_CLOSE(c.force[0], 0, 1e-12);
      if (k == 2) CHECK(s.kinetic < 1e-18);
      CHECK_CLOSE(s.s[1], 0.3, 1e-10);
    }
    ap_sim_free(sim);
  }
  drop(&b);
}

// The force of a tip that stands still is what statics says: in independent coordinates G = J^T f.
TEST(resting_force_is_that_of_statics) {
  double q[2] = {0.02, 0.3}, G[2];
  rig b = builtin("five-bar");
  ap_contact_point tip = {.name = "tip", .body = 2, .at = {0.35, 0, 0}};
  ap_wall floor = plane(0, 1, 0, 0, 0.3, 0);
  floor.restitution = 0, floor.friction = 2;
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m, scene.wall = &floor, scene.nwall = 1, scene.point = &tip, scene.npoint = 1;
  const double none[V] = {0};
  CHECK_OK(ap_loop_gravity_forces(b.m, b.l, q, G));
  ap_sim *sim = started(&scene, ap_loop_configuration(b.l), none);
  notes n;
  ap_sim_state s = run(sim, &scene, 0.5, 1e-9, &n);
  ap_contact_state c = {0};
  CHECK_EQ_INT(ap_sim_contacts(sim, &c, 1), 1);
  CHECK(c.sticks && s.kinetic < 1e-20);
  CHECK_WITHIN(c.force, G, 2, 1e-9);
  ap_sim_free(sim);
  drop(&b);
}

// A tip that slides: forces and accelerations of the run are those of mechanics in independent
// coordinates, P^T (M xdd + h) = P^T J^T f, and friction is Coulomb's, against the velocity.
TEST(sliding_tip_obeys_mechanics) {
  double q[2] = {-0.02, 0.3}, v[2] = {1.5, 0}, xd[V];
  rig b = builtin("five-bar");
  const ap_model *tree = ap_mechanism_tree(b.m);
  ap_touch at = {.body = 2, .at = {0.35, 0, 0}};
  ap_contact_point tip = {.name = "tip", .body = at.body, .at = {at.at[0], 0, 0}};
  ap_wall floor = plane(0, 1, 0, 0, 0.3, 0);
  floor.restitution = 0, floor.friction = 0.15;
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m, scene.wall = &floor, scene.nwall = 1, scene.point = &tip, scene.npoint = 1;
  CHECK_OK(ap_loop_velocity(b.m, b.l, q, v, xd));
  ap_sim *sim = started(&scene, ap_loop_configuration(b.l), xd);
  ap_error error = {.text = ""};
  int slid = 0;
  for (int k = 1; k <= 10; k++) {
    ap_sim_state s = {0};
    ap_contact_state c = {0};
    double P[V * N], J[3 * V], f[V];
    CHECK_OK(ap_sim_advance(sim, 0.01 * k, &error));
    CHECK_OK(ap_sim_now(sim, &s, &error));
    if (ap_sim_contacts(sim, &c, 1) != 1 || c.sticks) continue;
    slid++;
    CHECK_OK(ap_loop_map(b.m, b.l, s.s, P));
    ap_inverse_dynamics(tree, ap_loop_work(b.l), s.q, s.v, s.a, f);
    point_jacobian(&b, &at, s.q, J);
    for (int i = 0; i < 2; i++) {
      double left = 0;
      for (int j = 0; j < 4; j++)
        left += P[j * 2 + i] * (f[j] - J[j] * c.force[0] - J[4 + j] * c.force[1]);
      CHECK_CLOSE(left, 0, 1e-9);
    }
    CHECK(c.force[1] > 0);
    CHECK_CLOSE(c.force[0], -copysign(0.15 * c.force[1], s.sd[0]), 1e-9);
    CHECK_CLOSE(s.sd[1], 0, 1e-9);
  }
  CHECK(slid >= 3);
  ap_sim_free(sim);
  drop(&b);
}

// A platform is dropped onto a plane that is a little tilted: three feet, springs of no length.
TEST(stewart_platform_is_dropped) {
  const double none[V] = {0};
  rig b = builtin("stewart");
  ap_contact_point foot[3] = {{.name = "a", .body = 19, .at = {0.35, 0, 0}},
                              {.name = "b", .body = 19, .at = {-0.2, 0.3, 0}},
                              {.name = "c", .body = 19, .at = {-0.2, -0.3, 0}}};
  for (int k = 0; k < 2; k++) {
    ap_wall floor = plane(0.02, 0, 1, 0, 0, 0.55);
    floor.restitution = k ? 0.4 : 1, floor.friction = k ? 0.5 : 0;
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m, scene.wall = &floor, scene.nwall = 1, scene.point = foot;
    scene.npoint = 3;
    ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
    notes n;
    ap_sim_state s = run(sim, &scene, 1, 1e-9, &n);
    if (k == 0) CHECK_CLOSE(s.lost, 0, 1e-10);
    if (k == 1) CHECK(s.contacts == 3 && s.kinetic < 1e-16);
    CHECK(n.count[AP_EVENT_IMPACT] > 5);
    ap_sim_free(sim);
  }
  drop(&b);
}

// A leg of it meets a post beside it: a point in the middle of a limb.
TEST(stewart_leg_hits_a_wall) {
  rig b = builtin("stewart");
  double q[6] = {0, 0, 0.7, 0, 0, 0}, v[6] = {1, 0.2, 0, 0, 0, 0.3}, xd[V];
  CHECK_OK(ap_loop_velocity(b.m, b.l, q, v, xd));
  double R[9], p[3];
  const ap_model *tree = ap_mechanism_tree(b.m);
  ap_kinematics(tree, ap_loop_work(b.l), ap_loop_configuration(b.l), NULL, NULL);
  ap_frame_pose(tree, ap_loop_work(b.l), 2, R, p);
  ap_contact_point leg = {.name = "leg", .body = 2, .at = {0, 0, 0.5}};
  ap_wall post = plane(-1, 0, 0, p[0] + 0.5 * R[2] + 0.01, 0, 0);
  post.restitution = 0.8, post.friction = 0.2;
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m, scene.wall = &post, scene.nwall = 1, scene.point = &leg, scene.npoint = 1;
  ap_sim *sim = started(&scene, ap_loop_configuration(b.l), xd);
  notes n;
  ap_sim_state s = run(sim, &scene, 0.3, 1e-9, &n);
  CHECK(n.count[AP_EVENT_IMPACT] >= 1 && s.lost > 0);
  ap_sim_free(sim);
  drop(&b);
}

// Redundant closures in an impact: the coupler's middle on an inclined plane.
TEST(redundant_closures_hit_a_wall) {
  const double none[V] = {0};
  four_bar f;
  make_four_bar(&f, 0.25, 0.45, 0.35);
  rig b = rig_of(&f.def);
  for (int k = 0; k < 2; k++) {
    ap_contact_point middle = {.name = "middle", .body = 2, .at = {0.2, 0.02, 0.1}};
    ap_wall wall = plane(0.3, 1, 0.2, 0.2, 0.1, 0);
    wall.restitution = k ? 0.3 : 1, wall.friction = k ? 0.4 : 0;
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m, scene.wall = &wall, scene.nwall = 1, scene.point = &middle;
    scene.npoint = 1;
    ap_sim *sim = started(&scene, f.guess, none);
    notes n;
    ap_sim_state s = run(sim, &scene, 2, 1e-9, &n);
    CHECK(n.count[AP_EVENT_IMPACT] >= 2);
    if (k == 0) CHECK_CLOSE(s.lost, 0, 1e-11);
    ap_sim_free(sim);
  }
  drop(&b);
}

// A point that closures hold, such as a hinge of the ground, neither moves nor takes an impulse.
TEST(points_that_closures_hold_take_no_impulse) {
  const double none[V] = {0};
  four_bar f;
  make_four_bar(&f, 0.25, 0.45, 0.35);
  f.closure[0].body[1] = 0, f.closure[0].at[1][0] = 0.5, f.closure[0].at[1][1] = 0.1;
  f.def.nclosure = 1; // the coupler's end is pinned to the ground; the rocker swings alone
  f.coordinate.body = 3;
  f.guess[0] = 0.9, f.guess[1] = -1.2, f.guess[2] = 0.3;
  rig b = rig_of(&f.def);
  ap_contact_point point[2] = {{.name = "pinned", .body = 2, .at = {0.45, 0, 0}},
                               {.name = "rocker", .body = 3, .at = {0.35, 0, 0}}};
  ap_wall wall = plane(0, 1, 0, 0, 0.1, 0);
  wall.restitution = 0.5;
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m, scene.wall = &wall, scene.nwall = 1, scene.point = point, scene.npoint = 2;
  scene.depth = 1e-6;
  ap_sim *sim = started(&scene, f.guess, none);
  notes n;
  ap_sim_state s = run(sim, &scene, 1, 1e-9, &n);
  CHECK(n.count[AP_EVENT_IMPACT] >= 1 && s.contacts >= 1);
  ap_sim_free(sim);
  drop(&b);
}

// ---- scenes that nobody drew -------------------------------------------------------------------

// Tolerances of 1e-8 in each coordinate at each step: over some thousand steps points that rest are
// off by less than 1e-6 m, and the ledger by less than 1e-5 of the energies.
static const double INTRUSION = 1e-6, CLOSING = 1e-5;

typedef struct random_scene {
  rig b;
  four_bar bars;
  ap_contact_point point[POINTS];
  ap_wall wall[2];
  ap_joint_spring spring[V];
  double x[X], xd[V];
  ap_scene scene;
} random_scene;

// Where a contact point is.
static void place_of(const random_scene *s, int i, const double *x, double *p) {
  const ap_model *tree = ap_mechanism_tree(s->b.m);
  ap_work *w = ap_loop_work(s->b.l);
  double R[9];
  ap_kinematics(tree, w, x, NULL, NULL);
  ap_frame_pose(tree, w, s->point[i].body, R, p);
  for (int k = 0; k < 3; k++) p[k] += dot3(R + 3 * k, s->point[i].at);
}

// A start in a random pose with random velocities; the four-bar has its own.
static bool random_start(rng *r, random_scene *s, bool built_in) {
  int nq = ap_nq(ap_mechanism_tree(s->b.m)), n = ap_mechanism_n(s->b.m);
  double q[N], v[N];
  if (built_in)
    random_pose(r, &s->b, q);
  else
    q[0] = rng_uniform(r, 0.3, 2);
  for (int i = 0; i < n; i++) v[i] = rng_uniform(r, -1, 1);
  bool good = CHECK_OK(ap_loop_velocity(s->b.m, s->b.l, q, v, s->xd));
  memcpy(s->x, ap_loop_configuration(s->b.l), (size_t)nq * sizeof *s->x);
  return good;
}

// Planes, and spheres that the points are outside or inside of, clear of all points.
static void random_wall(rng *r, random_scene *s, ap_wall *w) {
  double n[3], p[3], length = 0, lowest = INFINITY;
  for (int k = 0; k < 3; k++) n[k] = rng_uniform(r, -1, 1), length += n[k] * n[k];
  for (int k = 0; k < 3; k++) n[k] /= sqrt(length);
  for (int i = 0; i < s->scene.npoint; i++) {
    place_of(s, i, s->x, p);
    lowest = fmin(lowest, dot3(n, p));
  }
  double height = lowest - rng_uniform(r, 0.001, 0.1);
  *w = plane(n[0], n[1], n[2], height * n[0], height * n[1], height * n[2]);
  if (rng_int(r, 0, 2) == 0) { // a sphere below that plane
    w->kind = AP_WALL_SPHERE, w->size[0] = rng_uniform(r, 0.2, 2);
    for (int k = 0; k < 3; k++) w->centre[k] = (height - w->size[0]) * n[k];
  }
  w->restitution = rng_int(r, 0, 2) ? rng_uniform(r, 0, 0.9) : 0;
  w->friction = rng_int(r, 0, 1) ? rng_uniform(r, 0, 0.8) : 0;
}

static bool make_scene(uint64_t seed, random_scene *s) {
  rng r = {seed};
  int which = rng_int(&r, 0, 4);
  *s = (random_scene){.scene = ap_default_scene()};
  make_four_bar(&s->bars, 0.25, 0.45, 0.35);
  s->b = which < 4 ? builtin(ap_mechanism_builtin_name(which)) : rig_of(&s->bars.def);
  test_context("seed %d, %s", (int)seed, ap_mechanism_name(s->b.m));
  const ap_model *tree = ap_mechanism_tree(s->b.m);
  if (!random_start(&r, s, which < 4)) return false;
  s->scene.mechanism = s->b.m;
  s->scene.relative = s->scene.absolute = 1e-8;
  s->scene.npoint = rng_int(&r, 1, POINTS), s->scene.point = s->point;
  for (int i = 0; i < s->scene.npoint; i++) {
    s->point[i] = (ap_contact_point){.name = "point", .body = rng_int(&r, 1, ap_nbody(tree) - 1)};
    for (int k = 0; k < 3; k++) s->point[i].at[k] = rng_uniform(&r, -0.2, 0.2);
  }
  s->scene.nwall = rng_int(&r, 1, 2), s->scene.wall = s->wall;
  for (int i = 0; i < s->scene.nwall; i++) random_wall(&r, s, &s->wall[i]);
  s->scene.spring = s->spring;
  for (int i = 1; i < ap_nbody(tree); i++)
    if (ap_joint_nv(tree, i) == 1)
      s->spring[s->scene.nspring++] = (ap_joint_spring){
          .v = ap_joint_v(tree, i), .stiffness = 2, .damping = rng_uniform(&r, 0.01, 0.5)};
  return true;
}

static double deepest(const random_scene *s, const double *x) {
  double worst = 0;
  for (int i = 0; i < s->scene.npoint * s->scene.nwall; i++) {
    const ap_wall *w = &s->wall[i % s->scene.nwall];
    double p[3], apart[3];
    place_of(s, i / s->scene.nwall, x, p);
    for (int k = 0; k < 3; k++) apart[k] = p[k] - w->centre[k];
    double gap =
        w->kind == AP_WALL_PLANE ? dot3(apart, w->axis) : sqrt(dot3(apart, apart)) - w->size[0];
    worst = fmax(worst, -gap);
  }
  return worst;
}

TEST(scenes_that_nobody_drew) {
  const char *asked = getenv("APPELL_TEST_CLOSED_SCENES");
  long first = 1, last = 30;
  if (asked && sscanf(asked, "%ld-%ld", &first, &last) < 2) last = first, first = 1;
  long impacts = 0, rests = 0;
  for (long seed = first; seed <= last; seed++) {
    static random_scene s;
    if (make_scene((uint64_t)seed, &s)) {
      ap_sim *sim = started(&s.scene, s.x, s.xd);
      notes n;
      ap_sim_state end = run(sim, &s.scene, 0.6, CLOSING, &n);
      if (end.q) CHECK(deepest(&s, end.q) < INTRUSION);
      impacts += n.count[AP_EVENT_IMPACT], rests += n.count[AP_EVENT_CONTACT];
      ap_sim_free(sim);
    }
    drop(&s.b);
  }
  if (!asked) CHECK(impacts > 30 && rests > 5);
}
