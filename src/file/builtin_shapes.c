// SPDX-License-Identifier: Apache-2.0
// What the built-in robots look like. Boxes and rods have the sizes that their inertias were made
// from; sections that a source does not tell are round numbers. Links that are not here are drawn
// from their joints and masses, as those of a file without shapes.

#include <stdlib.h>
#include <string.h>

#include "file/robot.h"

#define HALF_PI 1.5707963267948966

typedef struct part {
  const char *link; // '*' before it: all links that end so
  ap_shape_kind kind;
  double size[3], xyz[3], rpy[3];
  int colour; // of the list below
} part;

enum { PLAIN, DARK, ORANGE };
static const double colours[][4] = {{0}, {0.27, 0.31, 0.38, 1}, {0.91, 0.5, 0.27, 1}};

#define A_BOX(its_link, c, x, y, z, px, py, pz) \
  { its_link, AP_SHAPE_BOX, {x, y, z}, {px, py, pz}, {0}, c }
// A cylinder about z, x or y, its middle at p.
#define ROUND(its_link, c, radius, length, px, py, pz, roll, pitch) \
  { its_link, AP_SHAPE_CYLINDER, {radius, length}, {px, py, pz}, {roll, pitch, 0}, c }
#define ALONG_X(its_link, c, radius, length, px, py, pz) \
  ROUND(its_link, c, radius, length, px, py, pz, 0, HALF_PI)
#define ALONG_Y(its_link, c, radius, length, px, py, pz) \
  ROUND(its_link, c, radius, length, px, py, pz, HALF_PI, 0)
#define ALONG_Z(its_link, c, radius, length, px, py, pz) \
  ROUND(its_link, c, radius, length, px, py, pz, 0, 0)
#define BALL(its_link, c, radius, px, py, pz) \
  { its_link, AP_SHAPE_SPHERE, {radius}, {px, py, pz}, {0}, c }

static const part puma600[] = {
    ALONG_Z("link1", PLAIN, 0.085, 0.2, 0, 0, -0.1),
    ALONG_Y("link1", DARK, 0.08, 0.2, 0, 0.02, 0),
    ALONG_Z("link2", DARK, 0.085, 0.08, 0, 0, 0.15),
    A_BOX("link2", PLAIN, 0.432, 0.12, 0.06, 0.216, 0, 0.15),
    ALONG_Z("link2", PLAIN, 0.06, 0.1, 0.432, 0, 0.15),
    ALONG_Z("link3", DARK, 0.048, 0.13, 0, 0, 0),
    A_BOX("link3", PLAIN, 0.08, 0.4, 0.06, -0.01, -0.2, 0),
    ALONG_Z("link4", PLAIN, 0.035, 0.07, 0, 0, -0.035),
    ALONG_Z("link5", DARK, 0.03, 0.07, 0, 0, 0),
    ALONG_Z("link6", PLAIN, 0.022, 0.05, 0, 0, 0.04),
    ALONG_Z("link6", DARK, 0.03, 0.01, 0, 0, 0.07),
};
static const part scara[] = {
    ALONG_Z("upper_arm", DARK, 0.065, 0.35, 0, 0, -0.225),
    A_BOX("upper_arm", PLAIN, 0.45, 0.14, 0.1, 0.175, 0, 0),
    A_BOX("forearm", PLAIN, 0.35, 0.12, 0.1, 0.125, 0, 0.1),
    ALONG_Z("quill", PLAIN, 0.01, 0.4, 0, 0, 0),
    ALONG_Z("flange", DARK, 0.03, 0.04, 0, 0, 0.02),
};
static const part ascher2[] = {
    A_BOX("link1", ORANGE, 0.02, 0.02, 0.02, 0.01, 0, 0),
    A_BOX("link2", PLAIN, 2, 0.02, 0.02, 1, 0, 0),
};
static const part quadruped[] = {
    A_BOX("trunk", PLAIN, 0.6, 0.3, 0.15, 0, 0, 0),
    A_BOX("trunk", DARK, 0.02, 0.2, 0.09, 0.302, 0, 0),
    ALONG_X("front_left_hip", DARK, 0.05, 0.1, 0, 0.03, 0),
    ALONG_X("front_right_hip", DARK, 0.05, 0.1, 0, -0.03, 0),
    ALONG_X("hind_left_hip", DARK, 0.05, 0.1, 0, 0.03, 0),
    ALONG_X("hind_right_hip", DARK, 0.05, 0.1, 0, -0.03, 0),
    ALONG_Y("*_thigh", DARK, 0.045, 0.05, 0, 0, 0),
    A_BOX("*_thigh", PLAIN, 0.06, 0.04, 0.25, 0, 0, -0.125),
    ALONG_Y("*_shank", DARK, 0.03, 0.05, 0, 0, 0),
    ALONG_Z("*_shank", PLAIN, 0.015, 0.25, 0, 0, -0.125),
    BALL("*_shank", DARK, 0.022, 0, 0, -0.25),
};
#define LOOK(robot, list) \
  { robot, list, (int)(sizeof(list) / sizeof *(list)) }
static const struct look {
  const char *robot;
  const part *part;
  int n;
} looks[] = {LOOK("puma600", puma600), LOOK("scara", scara), LOOK("ascher2", ascher2),
             LOOK("quadruped", quadruped)};

static bool is_of(const char *link, const char *wanted) {
  const size_t n = strlen(wanted), m = strlen(link);
  if (wanted[0] == '*') return m >= n - 1 && strcmp(link + m - (n - 1), wanted + 1) == 0;
  return strcmp(link, wanted) == 0;
}

static const struct look *look_of(const ap_robot_def *def) {
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    if (ap_builtin(looks[i].robot) == def) return &looks[i];
  }
  return NULL;
}

bool ap__robot_add_look(ap_robot *robot, const ap_robot_def *def) {
  const struct look *look = look_of(def);
  if (!look) return true;
  ap_shape *shape = malloc((size_t)look->n * (size_t)def->nbody * sizeof *shape);
  if (!shape) return false;
  robot->shapes = shape;
  for (int body = 1; body <= def->nbody; body++)
    for (int k = 0; k < look->n; k++) {
      const part *p = &look->part[k];
      if (!is_of(def->bodies[body - 1].name, p->link)) continue;
      ap_shape *s = &shape[robot->nshape++];
      *s = (ap_shape){.kind = p->kind, .body = body, .colored = p->colour != PLAIN};
      memcpy(s->xyz, p->xyz, sizeof s->xyz);
      memcpy(s->rpy, p->rpy, sizeof s->rpy);
      for (int i = 0; i < 3; i++) s->size[i] = p->size[i] > 0 ? p->size[i] : 1; // as readers do
      memcpy(s->color, colours[p->colour], sizeof s->color);
    }
  return true;
}
