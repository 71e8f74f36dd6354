// SPDX-License-Identifier: Apache-2.0
// Balls dropped into a box, as of models/hundred_balls.yaml: five by five in a layer, each a little
// off its place, so that they do not stay on top of each other.

#ifndef AP_TESTS_BALLS_H
#define AP_TESTS_BALLS_H

#include <appell/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BALLS_MOST = 100, BALLS_ROW = 5 };
#define BALLS_RADIUS 0.05
#define BALLS_MASS   0.5
#define BALLS_BOX    0.6 // m: its length and breadth

typedef struct balls {
  int n;
  void *memory;
  const ap_model *model;
  ap_convex shape;
  ap_body_def body[BALLS_MOST];
  ap_contact_point point[BALLS_MOST];
  ap_wall box;
  char name[BALLS_MOST][16];
  double q[7 * BALLS_MOST], v[6 * BALLS_MOST];
} balls;

// A place of a row of balls, off by up to 4 mm, always the same (the golden ratio's multiples); to
// four digits, as the file has it.
static inline double balls_place(int at, int i) {
  double x = 0.6180339887498949 * (i + 1);
  return floor(1e4 * (0.11 * (at - 2) + 0.004 * (2 * (x - floor(x)) - 1)) + 0.5) / 1e4;
}

// Coefficients of the balls and of the box. Rolling and spinning friction are of the box alone, as
// of one that is lined: without them a ball rolls along its floor and walls for ever. Where balls
// lie on others, three contacts that stick hold them.
typedef struct balls_kind {
  double friction, restitution;
  double rolling, spinning; // m
} balls_kind;

// n of them; false where the model cannot be made.
static inline bool balls_make(int n, const balls_kind *kind, balls *b) {
  ap_robot_def def = ap_default_robot();
  b->n = n;
  if (ap_convex_sphere(BALLS_RADIUS, &b->shape, NULL)) return false;
  for (int i = 0; i < n; i++) {
    double inertia = 0.4 * BALLS_MASS * BALLS_RADIUS * BALLS_RADIUS, *q = b->q + 7 * i;
    int layer = i / (BALLS_ROW * BALLS_ROW), at = i % (BALLS_ROW * BALLS_ROW);
    snprintf(b->name[i], sizeof b->name[i], "ball%d", i + 1);
    b->body[i] = ap_default_body();
    b->body[i].name = b->name[i], b->body[i].joint = AP_FREE, b->body[i].mass = BALLS_MASS;
    b->body[i].inertia[0] = b->body[i].inertia[3] = b->body[i].inertia[5] = inertia;
    b->point[i] = (ap_contact_point){.name = b->name[i],
                                     .body = i + 1,
                                     .shape = &b->shape,
                                     .friction = kind->friction,
                                     .restitution = kind->restitution};
    q[0] = balls_place(at % BALLS_ROW, i);
    q[1] = balls_place(at / BALLS_ROW, i + BALLS_MOST);
    q[2] = (10 + 12 * layer) / 100.0;
    q[3] = q[4] = q[5] = 0, q[6] = 1;
  }
  for (int i = 0; i < 6 * n; i++) b->v[i] = 0;
  def.bodies = b->body, def.nbody = n;
  size_t bytes = ap_model_size(&def);
  b->memory = malloc(bytes);
  b->model = b->memory ? ap_model_init(&def, b->memory, bytes, NULL) : NULL;
  b->box = ap_default_wall();
  b->box.name = "box", b->box.kind = AP_WALL_BOX, b->box.inside = true;
  b->box.centre[2] = 2;
  b->box.size[0] = b->box.size[1] = BALLS_BOX, b->box.size[2] = 4;
  b->box.friction = kind->friction, b->box.restitution = kind->restitution;
  b->box.rolling_friction = kind->rolling, b->box.spinning_friction = kind->spinning;
  return b->model != NULL;
}

static inline ap_scene balls_scene(const balls *b) {
  ap_scene scene = ap_default_scene();
  scene.model = b->model;
  scene.wall = &b->box, scene.nwall = 1;
  scene.point = b->point, scene.npoint = b->n;
  scene.nforce_time = 0;
  scene.most_contacts = 600;
  return scene;
}

static inline void balls_free(balls *b) { free(b->memory); }

#endif
