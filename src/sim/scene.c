// SPDX-License-Identifier: Apache-2.0
// Making a run: the scene is checked and copied, and all memory is asked for.

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "model/frozen.h"
#include "sim/run.h"

ap_scene ap_default_scene(void) {
  return (ap_scene){.joint_friction = true,
                    .limits = true,
                    .links = true,
                    .nforce_time = -1,
                    .stepping = AP_ADAPTIVE,
                    .relative = 2e-11,
                    .absolute = 2e-11,
                    .step = 1e-3,
                    .depth = 1e-9,
                    .most_events = 1000000,
                    .most_contacts = 256,
                    .cookie = AP_COOKIE};
}

// ---- checks ------------------------------------------------------------------------------------

static bool finite3(const double *x) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

static bool is_body(const ap_scene *s, int body) { return body >= 0 && body < ap_nbody(s->model); }

static ap_status refuse(ap_error *error, const char *text) {
  return AP__REFUSE(error, AP_E_ARG, 0, "%s", text);
}

static ap_status check_numbers(const ap_scene *s, ap_error *error) {
  if (!s->model) return refuse(error, "a scene needs a model");
  if (s->nwall < 0 || s->npoint < 0 || s->nspring < 0 || s->nload < 0 || s->nstop < 0)
    return refuse(error, "the number of walls, points, springs, loads or stops is negative");
  if ((s->nwall && !s->wall) || (s->npoint && !s->point) || (s->nspring && !s->spring) ||
      (s->nload && !s->load) || (s->nstop && !s->stop))
    return refuse(error, "the walls, points, springs, loads or stops are NULL");
  if (s->npoint > 100000 || s->nwall > 100000)
    return refuse(error, "more than a hundred thousand points or walls");
  if (s->gravity && !finite3(s->gravity)) return refuse(error, "gravity is not finite");
  if (s->stepping != AP_ADAPTIVE && s->stepping != AP_FIXED_RK4 && s->stepping != AP_FIXED_EULER)
    return refuse(error, "the stepping is none of AP_ADAPTIVE, AP_FIXED_RK4, AP_FIXED_EULER");
  if (s->stepping != AP_ADAPTIVE && !(s->step > 0 && isfinite(s->step)))
    return refuse(error, "the step must be positive");
  if (!(s->window >= 0 && isfinite(s->window)) || !(s->depth >= 0 && s->depth <= 1e-3))
    return refuse(error, "window and depth must be zero or positive, depth at most 1e-3 m");
  if (s->nforce_time > 0 && !s->force_time) return refuse(error, "the times of forces are NULL");
  for (int i = 0; i < s->nforce_time; i++)
    if (!isfinite(s->force_time[i]) || (i > 0 && !(s->force_time[i] > s->force_time[i - 1])))
      return refuse(error, "the times of forces must be finite and increase");
  if (s->most_events < 1) return refuse(error, "most_events must be at least 1");
  if (s->most_contacts < 1 || s->most_contacts > RUN_MOST_CONTACTS)
    return refuse(error, "most_contacts must be 1 to 4096");
  return AP_OK;
}

static ap_status check_stops(const ap_scene *s, ap_error *error) {
  for (int i = 0; i < s->nstop; i++) {
    const ap_joint_stop *p = &s->stop[i];
    const char *wrong = NULL;
    if (p->v < 0 || p->v >= ap_nv(s->model) || ap__run_coordinate(s->model, p->v) < 0)
      wrong = "is not on a joint with one degree of freedom";
    else if (!(p->restitution >= 0 && p->restitution <= 1))
      wrong = "has a restitution that is not from 0 to 1";
    else if (!(p->stiffness >= 0 && isfinite(p->stiffness)) ||
             !(p->damping >= 0 && isfinite(p->damping)))
      wrong = "has a number that is not finite, or a negative stiffness or damping";
    if (!wrong) continue;
    return AP__REFUSE(error, AP_E_ARG, 0, "stop %d %s", i, wrong);
  }
  return AP_OK;
}

// Coefficients of materials are those of a wall.
ap_status ap__scene_check_materials(const ap_scene *s, ap_error *error) {
  if (s->nmaterial < 0 || (s->nmaterial && !s->material))
    return refuse(error, "the pairs of materials are NULL, or their number is negative");
  for (int i = 0; i < s->nmaterial; i++) {
    const ap_material_pair *m = &s->material[i];
    unsigned char room[2048];
    ap_wall w = ap_default_wall();
    if (!m->one || !m->other) return refuse(error, "a pair of materials has no name");
    w.name = "of materials";
    w.restitution = m->restitution, w.restitution_speed = m->restitution_speed;
    w.friction = m->friction, w.static_friction = m->static_friction;
    w.friction_across = m->friction_across;
    w.rolling_friction = m->rolling_friction, w.spinning_friction = m->spinning_friction;
    if (!ap_surface_init(&w, room, sizeof room, error)) return AP_E_ARG;
  }
  return AP_OK;
}

// What is wrong with a shape; NULL: nothing.
static const char *check_shape(const ap_contact_point *p) {
  const double *q = p->orientation, n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (!ap__solid_takes(p->shape))
    return "has a shape that cannot touch (sphere, capsule, box, cylinder or hull can)";
  if (p->shape->kind == AP_CONVEX_HULL && !p->shape->hull) return "has a hull that is NULL";
  if (!(n == 0 || (n > 0.99 && n < 1.01))) return "has an orientation that is no unit quaternion";
  if (!(p->restitution >= 0 && p->restitution <= 1))
    return "has a restitution that is not from 0 to 1";
  if (!(p->friction >= 0 && p->friction <= AP__MOST_FRICTION))
    return "has a friction that is not from 0 to 1e9";
  if (!(p->rolling_friction >= 0 && p->rolling_friction <= AP__MOST_TURNING) ||
      !(p->spinning_friction >= 0 && p->spinning_friction <= AP__MOST_TURNING))
    return "has a rolling or spinning friction that is not from 0 to 1000 m";
  return NULL;
}

// Coordinates of a point in its link's frame at most, m.
static const double FURTHEST_POINT = 1e9;

static ap_status check_parts(const ap_scene *s, ap_error *error) {
  int nv = ap_nv(s->model);
  for (int i = 0; i < s->npoint; i++) {
    const ap_contact_point *p = &s->point[i];
    const char *wrong = NULL;
    if (!is_body(s, p->body))
      wrong = "is on a link that does not exist";
    else if (!finite3(p->at))
      wrong = "has a position that is not finite";
    else if (!(fmax(fmax(fabs(p->at[0]), fabs(p->at[1])), fabs(p->at[2])) <= FURTHEST_POINT))
      wrong = "is further than 1e9 m from its link";
    else if (p->shape)
      wrong = check_shape(p);
    if (!wrong) continue;
    return AP__REFUSE(error, AP_E_ARG, 0, "contact point %d (\"%s\") %s", i, p->name ? p->name : "",
                      wrong);
  }
  for (int i = 0; i < s->nwall; i++)
    if (!ap__surface_check(&s->wall[i], error)) return AP_E_ARG;
  for (int i = 0; i < s->nspring; i++) {
    const ap_joint_spring *p = &s->spring[i];
    const char *wrong = NULL;
    if (p->v < 0 || p->v >= nv || ap__run_coordinate(s->model, p->v) < 0)
      wrong = "is not on a joint with one degree of freedom";
    else if (!(p->stiffness >= 0 && isfinite(p->stiffness)) || !isfinite(p->rest) ||
             !(p->damping >= 0 && isfinite(p->damping)))
      wrong = "has a number that is not finite, or a negative stiffness or damping";
    if (!wrong) continue;
    return AP__REFUSE(error, AP_E_ARG, 0, "spring %d %s", i, wrong);
  }
  for (int i = 0; i < s->nload; i++) {
    const ap_load *l = &s->load[i];
    const char *wrong = NULL;
    if (!is_body(s, l->body))
      wrong = "is on a link that does not exist";
    else if (!finite3(l->at) || !finite3(l->force) || !finite3(l->couple))
      wrong = "has a number that is not finite";
    else if (!(l->from <= l->to))
      wrong = "ends before it begins";
    if (!wrong) continue;
    return AP__REFUSE(error, AP_E_ARG, 0, "load %d %s", i, wrong);
  }
  return AP_OK;
}

// ---- memory ------------------------------------------------------------------------------------

static const char *copy_name(ap_arena *a, const char *name) {
  size_t bytes = strlen(name) + 1;
  char *copy = AP_TAKE(a, char, bytes);
  return copy ? memcpy(copy, name, bytes) : NULL;
}

// Copies of what the scene points to. While measuring, what is taken is NULL and not written.
static void copy_scene(ap_sim *sim, const ap_scene *s, ap_arena *a) {
  ap_wall *wall = AP_TAKE(a, ap_wall, s->nwall);
  ap_contact_point *point = AP_TAKE(a, ap_contact_point, s->npoint);
  ap_joint_spring *spring = AP_TAKE(a, ap_joint_spring, s->nspring);
  ap_load *load = AP_TAKE(a, ap_load, s->nload);
  ap_joint_stop *stop = AP_TAKE(a, ap_joint_stop, s->nstop);
  double *force_time = AP_TAKE(a, double, s->nforce_time > 0 ? s->nforce_time : 0);
  double *gravity = AP_TAKE(a, double, 3);
  for (int i = 0; i < s->nwall; i++) {
    const char *name = copy_name(a, s->wall[i].name ? s->wall[i].name : "wall");
    const char *of = s->wall[i].material ? copy_name(a, s->wall[i].material) : NULL;
    if (wall) wall[i] = s->wall[i], wall[i].name = name, wall[i].material = of;
  }
  ap_material_pair *material = AP_TAKE(a, ap_material_pair, s->nmaterial);
  const char **point_material = AP_TAKE(a, const char *, s->npoint);
  for (int i = 0; i < s->nmaterial; i++) {
    const char *one = copy_name(a, s->material[i].one), *other = copy_name(a, s->material[i].other);
    if (material) material[i] = s->material[i], material[i].one = one, material[i].other = other;
  }
  for (int i = 0; i < s->npoint; i++) {
    const char *name = copy_name(a, s->point[i].name ? s->point[i].name : "point");
    const char *of = s->point_material ? s->point_material[i] : NULL;
    if (of) of = copy_name(a, of);
    ap_convex *shape = s->point[i].shape ? AP_TAKE(a, ap_convex, 1) : NULL;
    if (!point) continue;
    point[i] = s->point[i], point[i].name = name, point_material[i] = of;
    point[i].shape = shape;
    if (shape) *shape = *s->point[i].shape;
  }
  if (!a->base) return;
  if (s->nspring) memcpy(spring, s->spring, (size_t)s->nspring * sizeof *spring);
  if (s->nload) memcpy(load, s->load, (size_t)s->nload * sizeof *load);
  if (s->nstop) memcpy(stop, s->stop, (size_t)s->nstop * sizeof *stop);
  if (s->nforce_time > 0)
    memcpy(force_time, s->force_time, (size_t)s->nforce_time * sizeof *force_time);
  memcpy(gravity, s->gravity ? s->gravity : ap_gravity(s->model), 3 * sizeof *gravity);
  sim->scene = *s;
  sim->scene.wall = wall;
  sim->scene.point = point;
  sim->scene.material = material;
  sim->scene.point_material = point_material;
  sim->scene.spring = spring;
  sim->scene.load = load;
  sim->scene.stop = stop;
  sim->scene.force_time = force_time;
  sim->scene.gravity = gravity;
}

// Room of the search and of events.
static void take_events(ap_arena *a, ap_sim *sim, size_t most) {
  sim->order = AP_TAKE(a, int, sim->norder);
  sim->verdict = AP_TAKE(a, char, sim->norder);
  sim->chosen = AP_TAKE(a, int, most);
  sim->touched = AP_TAKE(a, ap_touch, most);
  sim->resting = AP_TAKE(a, ap_resting, most);
  sim->unread = AP_TAKE(a, ap_resting, most);
  sim->candidate = AP_TAKE(a, ap_resting, most);
  sim->tried = AP_TAKE(a, ap_resting, most);
  sim->keep = AP_TAKE(a, bool, most);
}

// Everything a run owns, in one block; sizes in *sim are set. Returns the bytes.
static size_t lay_out(ap_sim *sim, const ap_scene *s, void *mem) {
  ap_arena a = ap__arena(mem);
  size_t nv = (size_t)sim->nv, most = (size_t)sim->most, n = (size_t)sim->n;
  copy_scene(sim, s, &a);
  if (s->mechanism) {
    size_t count = (size_t)ap_mechanism_n(s->mechanism);
    sim->loop = (ap_loop *)AP_TAKE_ALIGNED(&a, unsigned char, ap_loop_size(s->mechanism));
    sim->plant.closed =
        (ap_closed *)AP_TAKE_ALIGNED(&a, unsigned char, ap__closed_size(s->mechanism));
    sim->s = AP_TAKE(&a, double, count);
    sim->sd = AP_TAKE(&a, double, count);
  } else {
    sim->w = (ap_work *)AP_TAKE_ALIGNED(&a, unsigned char, ap_work_size(s->model));
  }
  sim->surface = AP_TAKE(&a, ap_surface *, s->nwall);
  for (int i = 0; i < s->nwall; i++) {
    unsigned char *room = AP_TAKE_ALIGNED(&a, unsigned char, ap_surface_size(&s->wall[i]));
    if (room) sim->surface[i] = (ap_surface *)room;
  }
  sim->pose = AP_TAKE(&a, ap_wall_pose, s->nwall);
  sim->pair = AP_TAKE(&a, run_pair, sim->npair);
  sim->group = AP_TAKE(&a, run_pair, sim->ngroup);
  sim->free = AP_TAKE(&a, char, sim->ngroup);
  sim->carried = AP_TAKE(&a, ap_wall_pose, ap_nbody(s->model));
  sim->carries = AP_TAKE(&a, bool, ap_nbody(s->model));
  sim->busy_of = AP_TAKE(&a, run_busy, ap_nbody(s->model));
  sim->pair_room = AP_TAKE_ALIGNED(&a, unsigned char, sim->pair_bytes);
  sim->y = AP_TAKE(&a, double, n);
  sim->y0 = AP_TAKE(&a, double, n);
  sim->from_y = AP_TAKE(&a, double, n);
  sim->end_y = AP_TAKE(&a, double, n);
  sim->after_y = AP_TAKE(&a, double, n);
  ap__path_take(&a, s->model, &sim->path);
  sim->stage = AP_TAKE(&a, double, 2 * n);
  if (s->stepping != AP_ADAPTIVE) ap__run_take_stiff(&a, sim);
  sim->q = AP_TAKE(&a, double, sim->nq);
  sim->before = AP_TAKE(&a, double, nv);
  sim->told = AP_TAKE(&a, double, nv);
  sim->tau = AP_TAKE(&a, double, nv);
  sim->driven = AP_TAKE(&a, double, nv);
  sim->pulled = AP_TAKE(&a, double, nv);
  sim->total = AP_TAKE(&a, double, nv);
  sim->a = AP_TAKE(&a, double, nv);
  sim->jacobian = AP_TAKE(&a, double, 6 * nv);
  sim->along = AP_TAKE(&a, double, nv);
  sim->work_of = AP_TAKE(&a, double, nv);
  sim->spring_q = AP_TAKE(&a, int, s->nspring);
  sim->acts = AP_TAKE(&a, bool, s->nload);
  sim->brake = AP_TAKE(&a, run_brake, sim->nbrake);
  take_events(&a, sim, most);
  size_t impact = sim->plant.kind->impact_scratch(&sim->plant, sim->most);
  sim->impact_room = AP_TAKE_ALIGNED(&a, unsigned char, impact);
  sim->contact_room = AP_TAKE_ALIGNED(&a, unsigned char, ap__contact_scratch(s->model, sim->most));
  return ap__arena_size(&a);
}

// ---- create ------------------------------------------------------------------------------------

// The stops of the model's joints, followers' among them; into pair, or with NULL counted.
static int make_stops(const ap_scene *s, run_pair *pair) {
  const ap_model *m = s->model;
  int n = 0;
  for (int i = 1; i < m->nbody && s->limits; i++) {
    const ap_joint *j = &m->joint[i];
    const ap_body_def *b = &m->link[j->link];
    const double limit[2] = {b->lower, b->upper};
    for (int k = 0; k < 2 && j->nv == 1 && j->ratio != 0; k++) {
      if (!isfinite(limit[k])) continue;
      double way = k ? -1 : 1;
      run_pair p = {.point = -1,
                    .wall = -1,
                    .joint = j->v,
                    .coordinate = j->q,
                    .way = way * j->ratio,
                    .limit = way * (limit[k] - j->offset),
                    .turning = {-1, -1},
                    .resting = -1};
      for (int c = 0; c < s->nstop; c++) {
        if (s->stop[c].v != j->v) continue;
        p.restitution = s->stop[c].restitution;
        p.stiffness = s->stop[c].stiffness;
        p.damping = s->stop[c].damping;
      }
      if (pair) pair[n] = p;
      n++;
    }
  }
  return n;
}

// Brakes of the joints with Coulomb friction, with what followers add to their leaders'; into
// brake, or with NULL counted.
static int make_brakes(const ap_scene *s, run_brake *brake) {
  const ap_model *m = s->model;
  int n = 0;
  for (int v = 0; v < m->nv && s->joint_friction; v++) {
    run_brake b = {.v = v, .resting = -1};
    for (int i = 1; i < m->nbody; i++) {
      const ap_joint *j = &m->joint[i];
      const ap_body_def *link = &m->link[j->link];
      if (j->nv != 1 || j->v != v) continue;
      b.slide += fabs(j->ratio) * link->coulomb;
      b.hold += fabs(j->ratio) * fmax(link->coulomb, link->stiction);
    }
    if (!(b.hold > 0)) continue;
    if (brake) brake[n] = b;
    n++;
  }
  return n;
}

// Surfaces of walls; into memory that was laid out.
static ap_status make_surfaces(ap_sim *sim, ap_error *error) {
  for (int i = 0; i < sim->scene.nwall; i++) {
    ap_wall *wall = (ap_wall *)&sim->scene.wall[i];
    sim->surface[i] = ap_surface_init(wall, sim->surface[i], ap_surface_size(wall), error);
    if (!sim->surface[i]) return AP_E_ARG;
    wall->points = ap_surface_wall(sim->surface[i])->points;
    sim->moving = sim->moving || ap__wall_moves(wall);
  }
  return AP_OK;
}

// Pairs, the surfaces of walls being made.
static ap_status make_pairs(ap_sim *sim, ap_error *error) {
  ap_arena a = ap__arena(sim->pair_room);
  ap_status status = ap__pairs_take(&a, &sim->scene, sim, error);
  if (status) return status;
  make_stops(&sim->scene, sim->pair + sim->npoint);
  make_brakes(&sim->scene, sim->brake);
  for (int i = 0; i < sim->npair; i++) {
    sim->pair[i].id = i;
    if (i >= sim->npoint) sim->pair[i].group = -1;
    if (i < sim->npoint) sim->carries[sim->pair[i].carrier] = true;
  }
  return AP_OK;
}

// With contacts or brakes, tolerances looser than this cost more than they save: events come in
// other orders, and points drift off their walls and are put back.
static const double LOOSEST = 1e-8;

// The integrator. The ledger keeps its tolerance relative to the energies that there are, which are
// known when the run starts.
static ap_status make_integrator(ap_sim *sim, ap_error *error) {
  ap_ode_options o = ap_default_ode_options();
  if (sim->scene.stepping == AP_ADAPTIVE) {
    double loosest = sim->npair || sim->nbrake ? LOOSEST : INFINITY;
    o.relative = sim->scene.relative > loosest ? loosest : sim->scene.relative; // nan is refused
    o.absolute = sim->scene.absolute > loosest ? loosest : sim->scene.absolute;
  }
  ap_status status = ap_ode_create(sim->n, ap__run_rate, sim, &o, &sim->ode, error);
  if (status) return status;
  sim->ode->patient = true;
  if (sim->scene.stepping != AP_ADAPTIVE) ap__run_make_stiff(sim);
  if (sim->scene.stepping != AP_ADAPTIVE)
    sim->ode->project = ap__run_end_step;
  else if (sim->loop)
    sim->ode->project = ap__run_place;
  return AP_OK;
}

// What moves, in the memory that was laid out for it.
static void make_plant(ap_sim *sim) {
  const ap_mechanism *mechanism = sim->scene.mechanism;
  if (mechanism) {
    sim->loop = ap_loop_init(mechanism, sim->loop, ap_loop_size(mechanism));
    ap_closed *closed = ap__closed_init(mechanism, sim->loop, sim->plant.closed);
    sim->plant = ap__plant_closed(mechanism, closed);
  } else {
    sim->plant.w = ap_work_init(sim->m, sim->w, ap_work_size(sim->m));
  }
  sim->w = sim->plant.w;
}

// How many pairs there are, and the bytes of what they are made of.
static ap_status count_pairs(ap_sim *sizes, const ap_scene *s, ap_error *error) {
  ap_solid *solids = calloc((size_t)s->npoint + 1, sizeof *solids);
  if (!solids) return AP__REFUSE(error, AP_E_MEMORY, 0, "not enough memory for the run");
  ap_arena a = ap__arena(NULL);
  ap_status status = ap__pairs_count(s, sizes, solids, error);
  sizes->solid = solids;
  if (!status) status = ap__pairs_take(&a, s, sizes, error);
  sizes->pair_bytes = ap__arena_size(&a);
  sizes->solid = NULL;
  free(solids);
  return status;
}

// How many kinds of friction against turning a touch may have.
static int count_turns(const ap_scene *s) {
  bool rolls = false, spins = false;
  for (int i = 0; i < s->nwall; i++) {
    rolls = rolls || s->wall[i].rolling_friction > 0;
    spins = spins || s->wall[i].spinning_friction > 0;
  }
  for (int i = 0; i < s->nmaterial; i++) {
    rolls = rolls || s->material[i].rolling_friction > 0;
    spins = spins || s->material[i].spinning_friction > 0;
  }
  for (int i = 0; i < s->npoint; i++) {
    rolls = rolls || s->point[i].rolling_friction > 0;
    spins = spins || s->point[i].spinning_friction > 0;
  }
  return rolls + spins;
}

// Edges from a corner of a height field at most.
enum { CORNER_EDGES = 8 };

// Limits of a face and of a corner on it, or of two edges, at most.
static int most_limits(const ap_scene *s) {
  int most = AP_FACE_LIMITS, corner = CORNER_EDGES;
  for (int i = 0; i < s->npoint; i++) {
    int corners = 0, edges = 0, faces = 0;
    if (!s->point[i].shape) continue;
    if (s->point[i].shape->kind == AP_CONVEX_HULL)
      ap_hull_counts(s->point[i].shape->hull, &corners, &edges, &faces);
    most = edges > most ? edges : most;
    corner = edges > corner ? edges : corner;
    most = most > AP__EDGES_LIMITS ? most : AP__EDGES_LIMITS;
  }
  return most + corner;
}

// The model of a scene with a mechanism is that one's tree.
static ap_status take_tree(ap_scene *scene, ap_error *error) {
  if (!scene->mechanism) return AP_OK;
  const ap_model *tree = ap_mechanism_tree(scene->mechanism);
  if (scene->model && scene->model != tree)
    return refuse(error, "the model is not the tree of the mechanism; pass NULL");
  scene->model = tree;
  return AP_OK;
}

ap_status ap_sim_create(const ap_scene *given, ap_sim **sim, ap_error *error) {
  if (sim) *sim = NULL;
  if (!given || !sim) return refuse(error, "the scene or the pointer for the run is NULL");
  if (!AP_STARTS_FROM(ap_default_scene, given, error)) return AP_E_ARG;
  ap_scene own = *given;
  const ap_scene *scene = &own;
  ap_status status = take_tree(&own, error);
  if (!status) status = check_numbers(scene, error);
  if (!status) status = check_parts(scene, error);
  if (!status) status = check_stops(scene, error);
  if (!status) status = ap__scene_check_materials(scene, error);
  if (status) return status;
  ap_sim sizes = {.m = scene->model,
                  .plant = scene->mechanism ? ap__plant_closed(scene->mechanism, NULL)
                                            : ap__plant_tree(scene->model, NULL),
                  .nq = ap_nq(scene->model),
                  .nv = ap_nv(scene->model),
                  .nbrake = make_brakes(scene, NULL)};
  status = count_pairs(&sizes, scene, error);
  if (status) return status;
  sizes.npair = sizes.npoint + make_stops(scene, NULL);
  if (sizes.nv < 1) return refuse(error, "nothing moves in the model");
  int most = scene->most_contacts, touches = sizes.npair < most ? sizes.npair : most;
  sizes.nturn = count_turns(scene) * touches;
  sizes.most = touches + sizes.nturn + sizes.nbrake;
  sizes.n = sizes.nq + sizes.nv + RUN_LEDGER + (scene->force ? sizes.nv : 0);
  sizes.norder = sizes.npair + most_limits(scene) * touches;
  size_t bytes = lay_out(&sizes, scene, NULL);
  ap_sim *made = malloc(sizeof *made);
  void *mem = bytes ? calloc(1, bytes) : NULL;
  if (!made || !mem) {
    free(made);
    free(mem);
    return AP__REFUSE(error, AP_E_MEMORY, 0, "not enough memory for the run");
  }
  *made = sizes;
  made->memory = mem;
  lay_out(made, scene, mem);
  make_plant(made);
  ap_set_gravity(made->m, made->w, made->scene.gravity);
  ap_set_friction(made->m, made->w, made->scene.joint_friction);
  ap_work_use(made->m, made->w, scene->code);
  for (int i = 0; i < scene->nspring; i++)
    made->spring_q[i] = ap__run_coordinate(made->m, scene->spring[i].v);
  status = make_surfaces(made, error);
  if (!status) status = make_pairs(made, error);
  if (!status) status = make_integrator(made, error);
  if (status) {
    ap_sim_free(made);
    return status;
  }
  *sim = made;
  return AP_OK;
}

const char *ap_scene_wall_name(const ap_scene *s, int wall) {
  const char *name = NULL;
  if (s && wall >= 0 && wall < s->nwall) name = s->wall[wall].name;
  if (s && wall >= s->nwall && wall < s->nwall + s->npoint) name = s->point[wall - s->nwall].name;
  return name ? name : "";
}

void ap_sim_free(ap_sim *sim) {
  if (!sim) return;
  ap_ode_free(sim->ode);
  free(sim->memory);
  free(sim);
}
