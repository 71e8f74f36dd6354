// SPDX-License-Identifier: Apache-2.0
// Shapes of a robot: what its links look like and collide as.

#include <stdlib.h>

#include "file/alloc.h"
#include "file/robot.h"

ap_shape *ap__shapes_add(ap__shapes *shapes, int part) {
  ap_shape *shape = ap__append(&shapes->shape, &shapes->n, &shapes->capacity, sizeof *shape);
  if (shape) *shape = (ap_shape){.body = part, .size = {1, 1, 1}, .contype = 1, .conaffinity = 1};
  return shape;
}

// Sorted by counting: how many shapes the bodies before each one have.
static void sort_shapes(ap_robot *robot, const ap__shapes *shapes, const ap__part *part,
                        int *start) {
  for (int i = 0; i < shapes->n; i++) start[part[shapes->shape[i].body].number + 1]++;
  for (int i = 1; i <= robot->nbody; i++) start[i] += start[i - 1];
  for (int i = 0; i < shapes->n; i++) {
    int body = part[shapes->shape[i].body].number, to = start[body]++;
    robot->shapes[to] = shapes->shape[i];
    robot->shapes[to].body = body;
  }
}

bool ap__robot_set_shapes(ap_robot *robot, const ap__shapes *shapes, const ap__part *part) {
  size_t n = (size_t)shapes->n;
  if (n == 0) return true;
  robot->shapes = malloc(n * sizeof *robot->shapes);
  int *start = calloc((size_t)robot->nbody + 2, sizeof *start);
  bool done = robot->shapes && start;
  if (done) {
    robot->nshape = shapes->n;
    sort_shapes(robot, shapes, part, start);
  }
  free(start);
  return done;
}

// ---- what a caller sees ------------------------------------------------------------------------

int ap_robot_shapes(const ap_robot *robot) { return robot->nshape; }

const ap_shape *ap_robot_shape(const ap_robot *robot, int body, int k) {
  int n = robot->nshape, first = 0, end = n;
  while (first < end) {
    int middle = first + (end - first) / 2;
    if (robot->shapes[middle].body < body)
      first = middle + 1;
    else
      end = middle;
  }
  if (k < 0 || k >= n - first || robot->shapes[first + k].body != body) return NULL;
  return &robot->shapes[first + k];
}
