// SPDX-License-Identifier: Apache-2.0
// Polygons with more than four corners as the OBJ reader of MuJoCo cuts them, mistakes included: it
// tells convex corners by the sign of an area about the origin, of one edge alone, and where it
// finds no ear in one turn, what is left of the polygon is lost. All in float.

#include <float.h>
#include <math.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mesh_formats.h"

typedef struct cutter {
  const ap__mesh *mesh;
  int x, y; // coordinates that are looked at
  int *left, n;
} cutter;

static float coordinate(const cutter *c, int vertex, int k) {
  return (float)c->mesh->vertex[3 * (size_t)vertex + (size_t)k];
}

// By the largest component of the normal at the first corner that is one.
static void choose_axes(cutter *c, const int *corner, int n) {
  c->x = 1;
  c->y = 2;
  for (int k = 0; k < n; k++) {
    float u[3], v[3], normal[3];
    for (int i = 0; i < 3; i++) {
      const float middle = coordinate(c, corner[(k + 1) % n], i);
      u[i] = middle - coordinate(c, corner[k], i);
      v[i] = coordinate(c, corner[(k + 2) % n], i) - middle;
    }
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      normal[i] = fabsf(u[j] * v[l] - u[l] * v[j]);
    }
    const float a = normal[0], b = normal[1], d = normal[2];
    if (!(a > FLT_EPSILON || b > FLT_EPSILON || d > FLT_EPSILON)) continue;
    if (!(a > b && a > d)) c->x = 0;
    if (c->x == 0 && d > a && d > b) c->y = 1;
    return;
  }
}

static bool is_inside(const float x[3], const float y[3], float px, float py) {
  bool inside = false;
  for (int i = 0; i < 3; i++) {
    const int j = (i + 2) % 3;
    if ((y[i] > py) != (y[j] > py) && px < (x[j] - x[i]) * (py - y[i]) / (y[j] - y[i]) + x[i])
      inside = !inside;
  }
  return inside;
}

// Is the triangle of three corners from `first` on taken for an ear?
static bool is_ear(const cutter *c, int first) {
  float x[3], y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = coordinate(c, c->left[(first + k) % c->n], c->x);
    y[k] = coordinate(c, c->left[(first + k) % c->n], c->y);
  }
  const float turn = (x[1] - x[0]) * (y[2] - y[1]) - (y[1] - y[0]) * (x[2] - x[1]);
  const float area = (x[0] * y[1] - y[0] * x[1]) * 0.5F;
  if (turn * area < 0) return false;
  for (int k = 3; k < c->n; k++) {
    const int other = c->left[(first + k) % c->n];
    if (is_inside(x, y, coordinate(c, other, c->x), coordinate(c, other, c->y))) return false;
  }
  return true;
}

static bool add(ap__mesh *mesh, int a, int b, int c) {
  int *larger = ap__grown(mesh->mujoco, mesh->nmujoco, &mesh->mujoco_capacity, 3 * sizeof(int));
  if (!larger) return false;
  const int corners[3] = {a, b, c};
  mesh->mujoco = larger;
  memcpy(larger + 3 * (size_t)mesh->nmujoco++, corners, sizeof corners);
  return true;
}

static bool cut(ap__mesh *mesh, const int *corner, int n, ap__mesh_room *room) {
  cutter c = {.mesh = mesh, .left = room->next, .n = n};
  memcpy(room->next, corner, (size_t)n * sizeof *corner);
  choose_axes(&c, corner, n);
  // An ear that is found with the last try ends it, too.
  for (int first = 0, tries = n, before = n; c.n > 3 && tries > 0;) {
    first %= c.n;
    room->budget -= c.n;
    tries = c.n == before ? tries - 1 : c.n;
    before = c.n;
    if (room->budget < 0 || !is_ear(&c, first)) {
      first++;
      continue;
    }
    const int middle = (first + 1) % c.n;
    if (!add(mesh, c.left[first], c.left[middle], c.left[(first + 2) % c.n])) return false;
    memmove(c.left + middle, c.left + middle + 1, (size_t)(c.n - middle - 1) * sizeof *c.left);
    c.n--;
  }
  return c.n != 3 || add(mesh, c.left[0], c.left[1], c.left[2]);
}

bool ap__mesh_cut_again(ap__mesh *mesh, int faces, const int *corner, int n, ap__mesh_room *room) {
  bool done = true;
  if (n > 4 && !mesh->mujoco) // all faces before this one are the same
    for (int f = 0; f < faces && done; f++) {
      const int *v = mesh->face + 3 * (size_t)f;
      done = add(mesh, v[0], v[1], v[2]);
    }
  if (n > 4) return done && cut(mesh, corner, n, room);
  for (int f = faces; f < mesh->nface && done && mesh->mujoco; f++) {
    const int *v = mesh->face + 3 * (size_t)f;
    done = add(mesh, v[0], v[1], v[2]);
  }
  return done;
}
