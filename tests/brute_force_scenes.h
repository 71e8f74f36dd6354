// SPDX-License-Identifier: Apache-2.0
// Random scenes for the judge of the simulator: a small robot on a path that is known in closed
// form, and walls laid across that path, along it, or around it.

#ifndef AP_TESTS_BRUTE_FORCE_SCENES_H
#define AP_TESTS_BRUTE_FORCE_SCENES_H

#include <appell/sim.h>

#include "brute_force.h"
#include "models.h"

enum { BRUTE_WALLS = 3 };

#define PI 3.14159265358979323846

// How a wall lies to the path.
typedef enum brute_lay {
  LAY_THIN,   // foils, wires, pellets that the path goes through
  LAY_ACROSS, // any shape that the path enters
  LAY_GRAZE,  // the path touches it tangentially within 1e-6 m
  LAY_AROUND, // the path is inside
  LAY_GROUND, // a profile that the path enters
  LAY_EDGES,  // plates, rods and cones that end
  LAY_ROOM,   // the path is inside such a one
  LAY_FIELD   // stairs, and a height field
} brute_lay;

typedef struct brute_scene {
  uint64_t seed;
  test_robot robot;
  brute_motion motion;
  ap_wall wall[BRUTE_WALLS];
  brute_wall judge[BRUTE_WALLS];
  double profile[BRUTE_WALLS][BRUTE_HEIGHTS];
  int nwall;
  ap_contact_point point;
  double q[7], v[6], duration;
  ld scale; // m: how far from the origin the path goes, at least 1
} brute_scene;

// Uniform in the logarithm.
static inline double rng_log(rng *r, double low, double high) {
  return low * pow(high / low, rng_uniform(r, 0, 1));
}

// ---- robots ------------------------------------------------------------------------------------

static inline void make_point(rng *r, brute_scene *s) {
  double speed = rng_log(r, 1, 3000), way[3];
  robot_clear(&s->robot, "point", 3);
  for (int k = 0; k < 3; k++) {
    s->robot.body[k].joint = AP_PRISMATIC;
    for (int i = 0; i < 3; i++) s->robot.body[k].axis[i] = i == k;
  }
  s->robot.body[2].mass = rng_uniform(r, 0.2, 5);
  s->motion.mass = s->robot.body[2].mass;
  random_direction(r, 3, way);
  random_vector(r, 1, s->q);
  for (int k = 0; k < 3; k++) s->v[k] = speed * way[k];
  s->duration = rng_uniform(r, 1, 5) / speed;
  s->point.body = 3;
}

static inline void make_fan(rng *r, brute_scene *s) {
  ap_body_def *b = &s->robot.body[0];
  brute_motion *m = &s->motion;
  ld across[3], axis[3], com[3];
  robot_clear(&s->robot, "fan", 1);
  b->joint = AP_REVOLUTE;
  random_direction(r, 3, b->axis);
  random_vector(r, 0.5, b->place.xyz);
  random_inertia(r, &b->mass, b->com, b->inertia);
  do {
    random_vector(r, 1.5, s->point.at);
    for (int k = 0; k < 3; k++) {
      m->at[k] = s->point.at[k], m->pivot[k] = b->place.xyz[k];
      axis[k] = b->axis[k], com[k] = b->com[k];
    }
    ld length = norm3(axis);
    for (int k = 0; k < 3; k++) m->axis[k] = axis[k] / length;
    cross3(m->axis, m->at, across);
  } while (norm3(across) < 0.2L);
  cross3(m->axis, com, across);
  const double *I = b->inertia;
  const ld *a = m->axis;
  m->moment[0] = b->mass * dot3(across, across) + I[0] * a[0] * a[0] + I[3] * a[1] * a[1] +
                 I[5] * a[2] * a[2] +
                 2 * (I[1] * a[0] * a[1] + I[2] * a[0] * a[2] + I[4] * a[1] * a[2]);
  s->v[0] = rng_log(r, 1, 1000) * (rng_chance(r, 0.5) ? 1 : -1);
  s->q[0] = rng_uniform(r, -3, 3);
  s->duration = rng_uniform(r, 1, 12) / fabs(s->v[0]);
  s->point.body = 1;
}

static inline void make_rotor(rng *r, brute_scene *s) {
  ap_body_def *b = s->robot.body;
  brute_motion *m = &s->motion;
  robot_clear(&s->robot, "rotor", 2);
  for (int k = 0; k < 2; k++) {
    b[k].joint = AP_REVOLUTE;
    b[k].mass = rng_uniform(r, 0.2, 3);
    b[k].inertia[0] = b[k].inertia[3] = 0.01, b[k].inertia[5] = rng_uniform(r, 0.005, 0.02);
    s->q[k] = rng_uniform(r, -3, 3);
    s->v[k] = rng_log(r, 1, 500) * (rng_chance(r, 0.5) ? 1 : -1);
  }
  b[0].com[0] = rng_uniform(r, 0, 0.5);
  b[1].place.xyz[0] = rng_uniform(r, 0.2, 1);
  random_vector(r, 0.5, b[0].place.xyz);
  random_vector(r, 0.4, s->point.at);
  for (int k = 0; k < 3; k++) m->pivot[k] = b[0].place.xyz[k], m->at[k] = s->point.at[k];
  m->arm = b[1].place.xyz[0];
  m->moment[0] =
      b[0].inertia[5] + b[0].mass * b[0].com[0] * b[0].com[0] + b[1].mass * m->arm * m->arm;
  m->moment[1] = b[1].inertia[5];
  s->duration = rng_uniform(r, 1, 10) / fmax(fabs(s->v[0]), fabs(s->v[1]));
  s->point.body = 2;
}

static inline void make_free(rng *r, brute_scene *s) {
  ap_body_def *b = &s->robot.body[0];
  double speed = rng_log(r, 0.5, 50), turn = rng_log(r, 1, 1000), way[3];
  robot_clear(&s->robot, "free body", 1);
  b->joint = AP_FREE;
  b->mass = rng_uniform(r, 0.2, 3);
  b->inertia[0] = b->inertia[3] = b->inertia[5] = b->mass * rng_uniform(r, 0.005, 0.05);
  s->motion.mass = b->mass, s->motion.moment[0] = b->inertia[0];
  random_vector(r, 0.5, s->q);
  random_direction(r, 4, s->q + 3);
  random_direction(r, 3, way);
  for (int k = 0; k < 3; k++) s->v[k] = speed * way[k];
  random_direction(r, 3, way);
  for (int k = 0; k < 3; k++) s->v[3 + k] = turn * way[k];
  random_vector(r, 0.5, s->point.at);
  for (int k = 0; k < 3; k++) s->motion.at[k] = s->point.at[k];
  s->duration = fmin(rng_uniform(r, 1, 15) / turn, 3 / speed);
  s->point.body = 1;
}

static inline void make_chain(rng *r, brute_scene *s) {
  brute_motion *m = &s->motion;
  m->n = rng_int(r, 1, BRUTE_LINKS);
  robot_clear(&s->robot, "pendulum", m->n);
  for (int k = 0; k < m->n; k++) {
    ap_body_def *b = &s->robot.body[k];
    double length = rng_uniform(r, 0.3, 0.6);
    b->joint = AP_REVOLUTE;
    b->axis[1] = 1, b->axis[2] = 0;
    if (k > 0) b->place.xyz[2] = -(double)m->length[k - 1];
    b->mass = rng_uniform(r, 0.3, 2);
    b->com[2] = -length * rng_uniform(r, 0.3, 0.7);
    b->inertia[0] = b->inertia[3] = b->mass * length * length / 12;
    m->length[k] = length, m->com[k] = -b->com[2], m->rod[k] = b->mass,
    m->inertia[k] = b->inertia[3];
    s->q[k] = rng_uniform(r, -1.5, 1.5);
    s->v[k] = rng_uniform(r, -4, 4);
    s->point.at[2] = -length;
  }
  s->duration = 0.3;
  s->point.body = m->n;
}

static inline void make_gravity(rng *r, brute_scene *s) {
  double *g = s->robot.def.gravity;
  brute_kind kind = s->motion.kind;
  g[2] = 0;
  if (kind == BRUTE_CHAIN) {
    g[2] = -9.81;
  } else if (kind != BRUTE_FAN && kind != BRUTE_ROTOR && rng_chance(r, 0.5)) {
    random_direction(r, 3, g);
    for (int k = 0; k < 3; k++) g[k] *= 9.81;
  }
  for (int k = 0; k < 3; k++) s->motion.gravity[k] = g[k];
}

static inline void make_robot(rng *r, brute_scene *s, brute_kind kind) {
  static void (*const make[])(rng *, brute_scene *) = {make_point, make_fan, make_rotor, make_free,
                                                       make_chain};
  s->motion.kind = kind;
  s->point.name = "tip";
  make[kind](r, s);
  make_gravity(r, s);
}

// ---- walls -------------------------------------------------------------------------------------

// Put the wall where the place u of its own frame is at p.
static inline void lay_at(ap_wall *w, const double u[3], const ld p[3]) {
  brute_wall frame = {0};
  brute_frame(&frame, w);
  for (int k = 0; k < 3; k++)
    w->centre[k] =
        (double)(p[k] - u[0] * frame.e[0][k] - u[1] * frame.e[1][k] - u[2] * frame.e[2][k]);
}

// A place inside the material of a closed wall.
static inline void place_inside(rng *r, const ap_wall *w, double u[3]) {
  double way[3], part = rng_uniform(r, 0, 0.8);
  random_direction(r, 3, way);
  if (w->kind == AP_WALL_TORUS) {
    double turn = rng_uniform(r, -PI, PI), rho = w->size[0] + part * w->size[1] * way[0];
    u[0] = rho * cos(turn), u[1] = rho * sin(turn), u[2] = part * w->size[1] * way[2];
    return;
  }
  bool round =
      w->kind == AP_WALL_SPHERE || w->kind == AP_WALL_CIRCLE || w->kind == AP_WALL_CYLINDER;
  for (int k = 0; k < 3; k++) u[k] = part * way[k] * w->size[round ? 0 : k];
}

static inline void make_thin(rng *r, ap_wall *w) {
  static const ap_wall_kind kinds[] = {AP_WALL_ELLIPSOID, AP_WALL_TORUS, AP_WALL_ELLIPSE,
                                       AP_WALL_SPHERE};
  w->kind = kinds[rng_int(r, 0, 3)];
  for (int k = 0; k < 3; k++) w->size[k] = rng_uniform(r, 0.2, 2);
  if (w->kind == AP_WALL_TORUS)
    w->size[1] = w->size[0] * rng_log(r, 1e-4, 0.3);
  else if (w->kind == AP_WALL_SPHERE)
    w->size[0] = rng_log(r, 1e-4, 0.05);
  else
    w->size[rng_int(r, 0, w->kind == AP_WALL_ELLIPSE ? 1 : 2)] = rng_log(r, 1e-6, 1e-2);
}

static inline void make_solid(rng *r, ap_wall *w) {
  w->kind = (ap_wall_kind)rng_int(r, AP_WALL_PLANE, AP_WALL_TORUS);
  for (int k = 0; k < 3; k++) w->size[k] = rng_uniform(r, 0.2, 1.5);
  if (w->kind == AP_WALL_TORUS) w->size[1] = w->size[0] * rng_uniform(r, 0.2, 0.6);
}

static inline void make_ground(rng *r, brute_scene *s, int i, const ld *p) {
  ap_wall *w = &s->wall[i];
  w->kind = AP_WALL_PROFILE;
  w->points = s->profile[i];
  w->npoint = rng_int(r, 2, 10);
  for (int k = 0; k < w->npoint; k++) {
    s->profile[i][2 * k] = 0.7 * (k - 0.5 * w->npoint) + rng_uniform(r, -0.2, 0.2);
    s->profile[i][2 * k + 1] = rng_uniform(r, -0.3, 0.3);
  }
  brute_wall spline = brute_wall_of(w);
  ld slope;
  double u[3] = {rng_uniform(r, -3, 3), 0, rng_uniform(r, -1, 1)};
  u[1] = (double)brute_height(&spline, u[0], &slope) - rng_log(r, 1e-4, 0.3);
  lay_at(w, u, p);
}

// A box, rod or cone, thin in any direction; in a room wide.
static inline void make_edges(rng *r, ap_wall *w, bool room) {
  w->kind = (ap_wall_kind)rng_int(r, AP_WALL_BOX, AP_WALL_CONE);
  for (int k = 0; k < 3; k++) w->size[k] = room ? rng_uniform(r, 1, 4) : rng_uniform(r, 0.2, 2);
  if (!room && rng_chance(r, 0.8))
    w->size[rng_int(r, 0, w->kind == AP_WALL_BOX ? 2 : 1)] = rng_log(r, 1e-6, 1e-2);
  if (w->kind == AP_WALL_CONE) w->size[2] = w->size[0] * rng_uniform(r, 0.05, 2);
  w->inside = room;
}

// A place inside its material.
static inline void place_in_edges(rng *r, const ap_wall *w, double u[3]) {
  double turn = rng_uniform(r, -PI, PI), part = rng_uniform(r, 0, 0.8);
  for (int k = 0; k < 3; k++) u[k] = rng_uniform(r, -0.45, 0.45) * w->size[k];
  if (w->kind == AP_WALL_BOX) return;
  double up = rng_uniform(r, 0.05, 0.95), R = w->size[0];
  if (w->kind == AP_WALL_CONE) R += up * (w->size[2] - R);
  u[0] = part * R * cos(turn), u[1] = part * R * sin(turn);
  u[2] = (w->kind == AP_WALL_CONE ? up : up - 0.5) * w->size[1];
}

// Stairs, or a field of 12 by 12 m, whose place u is under the path.
static inline void make_field(rng *r, brute_scene *s, int i, const ld *p) {
  ap_wall *w = &s->wall[i];
  double u[3] = {rng_uniform(r, -1, 2), rng_uniform(r, -1, 2), rng_uniform(r, -1, 2)};
  w->kind = rng_chance(r, 0.5) ? AP_WALL_STAIRS : AP_WALL_HEIGHT_FIELD;
  w->points = s->profile[i];
  if (w->kind == AP_WALL_STAIRS) {
    w->count = rng_int(r, 1, 6);
    w->size[0] = rng_uniform(r, 0.05, 0.4), w->size[1] = rng_uniform(r, 0.05, 0.6);
    u[1] = rng_uniform(r, -0.3, 0.5), u[0] += 0.5;
  } else {
    w->count = 12, w->npoint = 144, w->size[0] = rng_uniform(r, 1.5, 2), w->size[1] = 1.6;
    for (int k = 0; k < 144; k++) s->profile[i][k] = rng_uniform(r, -0.3, 0.3);
    brute_wall field = brute_wall_of(w);
    for (int k = 0; k < 2; k++) u[k] = rng_uniform(r, 5, 7) * w->size[k];
    ld at[3] = {u[0], u[1], 0}, g[3];
    u[2] = (double)-brute_field(&field, at, g) - rng_log(r, 1e-4, 0.2);
  }
  lay_at(w, u, p);
}

// Tangential at p, which moves with pd and accelerates with a: a point of the surface `off` metres
// below p, its normal across the path and on the side to which the path bends.
static inline void make_tangent(rng *r, ap_wall *w, const ld *p, const ld *pd, const ld *a) {
  double off = rng_chance(r, 0.2) ? 0 : rng_log(r, 1e-12, 1e-6) * (rng_chance(r, 0.5) ? 1 : -1);
  double n[3], speed = (double)norm3(pd), along = 0, bends = 0, length = 0;
  random_direction(r, 3, n);
  for (int k = 0; k < 3; k++) along += n[k] * (double)pd[k] / speed;
  for (int k = 0; k < 3; k++) n[k] -= along * (double)pd[k] / speed;
  for (int k = 0; k < 3; k++) length += n[k] * n[k], bends += n[k] * (double)a[k];
  for (int k = 0; k < 3; k++) n[k] *= (bends < 0 ? -1 : 1) / sqrt(length);
  make_solid(r, w);
  double bend = fabs(bends) / sqrt(length) / (speed * speed); // curvature, 1/m
  if (w->kind == AP_WALL_PLANE && bend < 0.05) w->kind = AP_WALL_SPHERE;
  if (w->kind == AP_WALL_SPHERE && bend > 0.5 && rng_chance(r, 0.5)) // inside a wider sphere
    w->inside = true, w->size[0] = rng_uniform(r, 1.2, 4) / bend;
  double top = w->kind == AP_WALL_PLANE       ? 0
               : w->kind == AP_WALL_TORUS     ? w->size[0] + w->size[1]
               : w->kind == AP_WALL_ELLIPSOID ? w->size[2]
                                              : w->size[0];
  double u[3] = {0, 0, 0};
  bool upright = w->kind == AP_WALL_PLANE || w->kind == AP_WALL_ELLIPSOID;
  for (int k = 0; k < 3; k++) (upright ? w->axis : w->x)[k] = n[k];
  if (!upright) { // the axis across n, so that x stays along it
    double way[3], part = 0;
    random_direction(r, 3, way);
    for (int k = 0; k < 3; k++) part += way[k] * n[k];
    for (int k = 0; k < 3; k++) w->axis[k] = way[k] - part * n[k];
  }
  u[upright ? 2 : 0] = w->inside ? off - top : top + off;
  lay_at(w, u, p);
}

static inline void make_wall(rng *r, brute_scene *s, int i, brute_lay lay) {
  ap_wall *w = &s->wall[i];
  ld t = rng_uniform(r, 0.15, 0.9) * s->duration, p[3], pd[3], a[3], later[3],
     h = 1e-4L * s->duration;
  double u[3] = {0, 0, 0}, into = 0;
  brute_at(&s->motion, t + h, a, later);
  brute_at(&s->motion, lay == LAY_AROUND || lay == LAY_ROOM ? 0 : t, p, pd);
  for (int k = 0; k < 3; k++) a[k] = (later[k] - pd[k]) / h;
  *w = ap_default_wall();
  w->name = body_name(i + 1);
  random_direction(r, 3, w->axis);
  random_direction(r, 3, w->x);
  static const double rebound[] = {0, 0.3, 0.5, 0.8, 1, 1};
  w->restitution = rebound[rng_int(r, 0, 5)];
  if (s->motion.kind == BRUTE_POINT && rng_chance(r, 0.3)) w->friction = rng_uniform(r, 0, 1);
  if (lay == LAY_GRAZE) {
    make_tangent(r, w, p, pd, a);
  } else if (lay == LAY_GROUND) {
    make_ground(r, s, i, p);
  } else if (lay == LAY_FIELD) {
    make_field(r, s, i, p);
  } else if (lay == LAY_EDGES || lay == LAY_ROOM) {
    make_edges(r, w, lay == LAY_ROOM);
    place_in_edges(r, w, u);
    lay_at(w, u, p);
  } else if (lay == LAY_THIN) {
    make_thin(r, w);
    place_inside(r, w, u);
    lay_at(w, u, p);
  } else {
    make_solid(r, w);
    if (lay == LAY_AROUND && w->kind == AP_WALL_PLANE) w->kind = AP_WALL_SPHERE;
    w->inside = lay == LAY_AROUND;
    place_inside(r, w, u);
    for (int k = 0; k < 3; k++) into += (double)pd[k] * w->axis[k];
    if (w->kind == AP_WALL_PLANE) {
      for (int k = 0; k < 3; k++) w->axis[k] *= into > 0 ? -1 : 1, u[k] = 0;
      u[2] = -rng_log(r, 1e-6, 0.3);
    }
    lay_at(w, u, p);
  }
}

// Whether the start is free of a wall, by more than what a start may be inside.
static inline bool starts_free(const brute_scene *s, int i) {
  ld p[3], pd[3];
  brute_at(&s->motion, 0, p, pd);
  return brute_gap(&s->judge[i], p, NULL) > 0 && brute_clear(&s->judge[i], p) > 1e-5L;
}

// A scene of its seed; false where none with a free start was found.
static inline bool make_scene(brute_scene *s, uint64_t seed, brute_kind kind, brute_lay lay) {
  rng r = rng_seed(seed * 64 + (uint64_t)kind * 8 + (uint64_t)lay);
  memset(s, 0, offsetof(brute_scene, motion));
  memset(&s->motion, 0, offsetof(brute_motion, state));
  memset(s->wall, 0, sizeof *s - offsetof(brute_scene, wall));
  rng_bits(&r);
  s->seed = seed;
  make_robot(&r, s, kind);
  brute_launch(&s->motion, s->q, s->v, s->duration);
  ld p[3], pd[3];
  s->scale = 1;
  for (int k = 0; k <= 4; k++) {
    brute_at(&s->motion, 0.25L * k * s->duration, p, pd);
    s->scale = fmaxl(s->scale, norm3(p));
  }
  s->nwall = rng_chance(&r, 0.4) ? 2 : 1;
  for (int i = 0; i < s->nwall; i++) {
    bool found = false;
    for (int k = 0; k < 50 && !found; k++) {
      make_wall(&r, s, i, i == 0 ? lay : LAY_ACROSS);
      s->judge[i] = brute_wall_of(&s->wall[i]);
      found = starts_free(s, i);
    }
    if (!found) return false;
  }
  return robot_make(&s->robot);
}

#endif
