// SPDX-License-Identifier: Apache-2.0
#include "file/join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/robot.h"

// Longer names are refused by the model.
enum { LONGEST_NAME = 400 };

// NAME_THEIRS; NULL: no memory.
static const char *prefixed(ap_robot *to, const char *name, const char *own) {
  char text[LONGEST_NAME + 2];
  int n = snprintf(text, sizeof text, "%.200s_%.200s", name, own);
  return ap__robot_text(to, text, (size_t)n);
}

// Room for n more bodies and their lines. False: no memory.
static bool grow(ap_robot *to, int n) {
  size_t all = (size_t)to->nbody + (size_t)n;
  ap_body_def *bodies = realloc(to->bodies, all * sizeof *bodies);
  if (bodies) to->bodies = bodies, to->body_capacity = (int)all;
  ap__lines *lines = realloc(to->lines, (all + 1) * sizeof *lines);
  if (lines) to->lines = lines;
  if (!bodies || !lines) return false;
  memset(&to->lines[to->nbody + 1], 0, (size_t)n * sizeof *lines);
  return true;
}

static bool join_bodies(ap_robot *to, const ap_robot *from, const char *name, const double xyz[3],
                        const double rpy[3]) {
  int base = to->nbody + 1;
  if (!grow(to, from->nbody + 1)) return false;
  ap_body_def *ground = &to->bodies[to->nbody++];
  *ground = ap_default_body();
  ground->name = ap__robot_text(to, name, strlen(name));
  ground->place.kind = AP_PLACE_RPY;
  memcpy(ground->place.xyz, xyz, sizeof ground->place.xyz);
  memcpy(ground->place.rpy, rpy, sizeof ground->place.rpy);
  bool good = ground->name != NULL;
  for (int i = 0; i < from->nbody && good; i++) {
    ap_body_def *b = &to->bodies[to->nbody++];
    *b = from->bodies[i];
    b->parent += base;
    if (b->mimic) b->mimic += base;
    b->name = prefixed(to, name, from->bodies[i].name);
    b->joint_name = prefixed(to, name, ap__joint_name(&from->bodies[i]));
    good = b->name && b->joint_name;
  }
  to->def.bodies = to->bodies;
  to->def.nbody = to->nbody;
  return good;
}

static bool join_frames(ap_robot *to, const ap_robot *from, const char *name, int base) {
  for (int i = 0; i < from->nframe; i++) {
    ap_frame_def f = from->frames[i];
    f.body += base;
    f.name = prefixed(to, name, f.name);
    if (!f.name || !ap__robot_add_frame(to, &f, 0)) return false;
  }
  to->def.frames = to->frames;
  to->def.nframe = to->nframe;
  return true;
}

// A mesh's file, which is named relative to the robot's own, by the place where it is.
static bool place_mesh(ap_robot *to, const ap_robot *from, ap_shape *shape) {
  char *path = NULL;
  if (!shape->file) return true;
  ap_mesh_find(shape->file, from->path, &path, NULL);
  const char *file = path ? path : shape->file;
  shape->file = ap__robot_text(to, file, strlen(file));
  free(path);
  return shape->file != NULL;
}

static bool join_shapes(ap_robot *to, const ap_robot *from, int base) {
  size_t all = (size_t)to->nshape + (size_t)from->nshape;
  if (from->nshape == 0) return true;
  ap_shape *shapes = realloc(to->shapes, all * sizeof *shapes);
  if (!shapes) return false;
  to->shapes = shapes;
  for (int i = 0; i < from->nshape; i++) {
    ap_shape *shape = &shapes[to->nshape++];
    *shape = from->shapes[i];
    shape->body += base;
    shape->line = 0;
    if (!place_mesh(to, from, shape)) return false;
  }
  return true;
}

ap_status ap__robot_join(ap_robot *to, const ap_robot *from, const char *name, const double xyz[3],
                         const double rpy[3], ap_error *error) {
  int base = to->nbody + 1;
  if (to->chains || from->chains)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "robots with closed chains cannot be joined with others");
  bool good = join_bodies(to, from, name, xyz, rpy) && join_frames(to, from, name, base) &&
              join_shapes(to, from, base);
  return good ? AP_OK : AP__REFUSE(error, AP_E_MEMORY, 0, "not enough memory");
}
