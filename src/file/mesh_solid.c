// SPDX-License-Identifier: Apache-2.0
// What a closed surface encloses, by the pyramids from its triangles to one point: those of faces
// that look away from it count negative.

#include "file/mesh_solid.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"

double ap__triangle(const double *a, const double *b, const double *c, double centre[3],
                    double normal[3]) {
  double u[3], v[3];
  for (int i = 0; i < 3; i++) {
    centre[i] = (a[i] + b[i] + c[i]) / 3;
    u[i] = b[i] - a[i];
    v[i] = c[i] - a[i];
  }
  cross3(u, v, normal);
  const double length = norm3(normal);
  if (length < 1e-15) return 0;
  for (int i = 0; i < 3; i++) normal[i] /= length;
  return length / 2;
}

void ap__triangle_moments(const double *a, const double *b, const double *c, double weight,
                          double parts, double P[6]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    P[k] += weight / parts *
            (2 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) + a[i] * b[j] + a[j] * b[i] +
             a[i] * c[j] + a[j] * c[i] + b[i] * c[j] + b[j] * c[i]);
  }
}

void ap__moments_to_inertia(const double P[6], double I[6]) {
  const double out[6] = {P[1] + P[2], -P[3], -P[4], P[0] + P[2], -P[5], P[0] + P[1]};
  memcpy(I, out, sizeof out);
}

// The corners of a face, scaled, relative to a point.
static void corners(const ap__mesh *mesh, int face, const double scale[3], const double from[3],
                    double p[3][3]) {
  for (int k = 0; k < 3; k++) {
    const double *v = mesh->vertex + 3 * (size_t)mesh->face[3 * (size_t)face + (size_t)k];
    for (int i = 0; i < 3; i++) p[k][i] = v[i] * scale[i] - from[i];
  }
}

// Of the pyramid from three corners to the origin.
static double pyramid(double p[3][3]) {
  double n[3];
  cross3(p[1], p[2], n);
  return dot3(p[0], n) / 6;
}

// A point amid the vertices: the sums lose least there.
static void middle(const ap__mesh *mesh, const double scale[3], double m[3]) {
  double low[3] = {0}, high[3] = {0};
  for (int k = 0; k < mesh->nvertex; k++)
    for (int i = 0; i < 3; i++) {
      const double x = mesh->vertex[3 * (size_t)k + (size_t)i];
      low[i] = k ? fmin(low[i], x) : x;
      high[i] = k ? fmax(high[i], x) : x;
    }
  for (int i = 0; i < 3; i++) m[i] = (low[i] + high[i]) / 2 * scale[i];
}

ap__solid ap__mesh_solid(const ap__mesh *mesh, const double scale[3]) {
  ap__solid s = {0};
  double from[3], p[3][3], P[6] = {0};
  // A mirrored mesh is inside out.
  const double sign = scale[0] * scale[1] * scale[2] < 0 ? -1 : 1;
  middle(mesh, scale, from);
  for (int f = 0; f < mesh->nface; f++) {
    corners(mesh, f, scale, from, p);
    const double volume = sign * pyramid(p);
    s.mass += volume;
    for (int i = 0; i < 3; i++) s.com[i] += volume * (p[0][i] + p[1][i] + p[2][i]) / 4;
  }
  for (int i = 0; i < 3; i++) s.com[i] = from[i] + (s.mass == 0 ? 0 : s.com[i] / s.mass);
  for (int f = 0; f < mesh->nface; f++) {
    corners(mesh, f, scale, s.com, p);
    ap__triangle_moments(p[0], p[1], p[2], sign * pyramid(p), 20, P);
  }
  ap__moments_to_inertia(P, s.inertia);
  return s;
}
