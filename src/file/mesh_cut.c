// SPDX-License-Identifier: Apache-2.0
// Polygons into triangles: a quadrangle along its shorter diagonal, others by cutting off ears.

#include <float.h>
#include <math.h>

#include "file/mesh_formats.h"
#include "num/vec3.h"

static const double *vertex(const ap__mesh *mesh, int i) { return mesh->vertex + 3 * (size_t)i; }

// In float, as the reader that MuJoCo uses decides it: of a polygon that is not flat the cut
// counts.
static float distance2(const double *a, const double *b) {
  float sum = 0;
  for (int i = 0; i < 3; i++) {
    const float d = (float)b[i] - (float)a[i];
    sum += d * d;
  }
  return sum;
}

// ---- ears --------------------------------------------------------------------------------------

// A polygon as two coordinates of its vertices show it.
typedef struct polygon {
  const ap__mesh *mesh;
  int x, y;    // which coordinates
  double sign; // of its area as they show it
  const int *corner;
  int *next, *before; // corners that are left, as a ring
  int n;              // how many
  long *budget;
} polygon;

// By the largest component of the normal at its first corner that is one.
static void project(polygon *p) {
  double normal[3] = {0, 0, 0}, sum = 0;
  for (int k = 0; k < p->n; k++) {
    const double *a = vertex(p->mesh, p->corner[k]), *b = vertex(p->mesh, p->corner[p->next[k]]);
    const double *c = vertex(p->mesh, p->corner[p->next[p->next[k]]]);
    const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double v[3] = {c[0] - b[0], c[1] - b[1], c[2] - b[2]};
    cross3(u, v, normal);
    if (fmax(fmax(fabs(normal[0]), fabs(normal[1])), fabs(normal[2])) > (double)FLT_EPSILON) break;
  }
  const double x = fabs(normal[0]), y = fabs(normal[1]), z = fabs(normal[2]);
  p->x = x > y && x > z ? 1 : 0;
  p->y = p->x == 0 && z > x && z > y ? 1 : 2;
  for (int k = 0; k < p->n; k++) {
    const double *a = vertex(p->mesh, p->corner[k]), *b = vertex(p->mesh, p->corner[p->next[k]]);
    sum += a[p->x] * b[p->y] - a[p->y] * b[p->x];
  }
  p->sign = sum < 0 ? -1 : 1;
}

// Twice the area of a triangle, positive where it turns as the polygon does.
static double turn(const polygon *p, const int v[3]) {
  const double *A = vertex(p->mesh, v[0]), *B = vertex(p->mesh, v[1]), *C = vertex(p->mesh, v[2]);
  return p->sign *
         ((B[p->x] - A[p->x]) * (C[p->y] - B[p->y]) - (B[p->y] - A[p->y]) * (C[p->x] - B[p->x]));
}

// Is vertex q inside of the triangle? A line from it crosses the sides an odd number of times.
static bool is_inside(const polygon *p, const int v[3], int q) {
  const double *Q = vertex(p->mesh, q), x = Q[p->x], y = Q[p->y];
  bool inside = false;
  for (int i = 0; i < 3; i++) {
    const double *A = vertex(p->mesh, v[i]), *B = vertex(p->mesh, v[(i + 2) % 3]);
    const double ax = A[p->x], ay = A[p->y], bx = B[p->x], by = B[p->y];
    if ((ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

static bool is_ear(polygon *p, int k) {
  const int v[3] = {p->corner[p->before[k]], p->corner[k], p->corner[p->next[k]]};
  if (turn(p, v) < 0) return false;
  *p->budget -= p->n;
  for (int i = p->next[p->next[k]]; i != p->before[k]; i = p->next[i])
    if (is_inside(p, v, p->corner[i])) return false;
  return true;
}

// A convex polygon becomes a fan from its first corner.
static bool cut_ears(ap__mesh *mesh, polygon *p) {
  int k = 1;
  for (int tried = 0; p->n > 2; tried++) {
    const int next = p->next[k], before = p->before[k];
    // Where no corner is an ear, any is cut: signed areas add up all the same.
    if (p->n == 3 || tried > p->n || *p->budget <= 0 || is_ear(p, k)) {
      if (!ap__mesh_add_face(mesh, p->corner[before], p->corner[k], p->corner[next])) return false;
      p->next[before] = next;
      p->before[next] = before;
      p->n--;
      tried = -1;
    }
    k = next;
  }
  return true;
}

ap_status ap__mesh_cut(ap__mesh *mesh, const int *corner, int n, ap__mesh_room *room, int line,
                       ap_error *error) {
  bool done = true;
  if (n < 3) return AP_OK; // no area
  if (n == 4) {
    const bool first = distance2(vertex(mesh, corner[0]), vertex(mesh, corner[2])) <
                       distance2(vertex(mesh, corner[1]), vertex(mesh, corner[3]));
    done = ap__mesh_add_face(mesh, corner[0], corner[1], corner[first ? 2 : 3]) &&
           ap__mesh_add_face(mesh, corner[first ? 0 : 1], corner[2], corner[3]);
  } else {
    polygon p = {mesh, 0, 1, 1, corner, room->next, room->before, n, &room->budget};
    for (int k = 0; k < n; k++) {
      p.next[k] = (k + 1) % n;
      p.before[k] = (k + n - 1) % n;
    }
    project(&p);
    done = cut_ears(mesh, &p);
  }
  return done ? AP_OK : ap__mesh_full(mesh, line, error);
}
