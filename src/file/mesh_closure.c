// SPDX-License-Identifier: Apache-2.0
// Is a surface closed? Every edge of a closed one is run through as often in one direction as in
// the other.

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "file/mesh_formats.h"
#include "num/vec3.h"

// An edge by its vertices, the smaller one first; the lowest bit is set where it is run through
// backwards.
typedef struct edge {
  int low, high, backward;
} edge;

static edge edge_of(int a, int b) { return a < b ? (edge){a, b, 0} : (edge){b, a, 1}; }

static int by_vertices(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return (x->high > y->high) - (x->high < y->high);
}

// Area times normal, of the triangle of three vertices.
static void area_vector(const ap__mesh *mesh, const int *f, double n[3]) {
  const double *a = mesh->vertex + 3 * (size_t)f[0], *b = mesh->vertex + 3 * (size_t)f[1];
  const double *c = mesh->vertex + 3 * (size_t)f[2];
  const double ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  cross3(ab, ac, n);
  for (int i = 0; i < 3; i++) n[i] /= 2;
}

// The edges of all faces; how many.
static size_t collect(const ap__mesh *mesh, const int *place, edge *all, ap__mesh_closure *out) {
  double sum[3] = {0, 0, 0}, area = 0;
  size_t n = 0;
  for (int i = 0; i < mesh->nface; i++) {
    const int *f = mesh->face + 3 * (size_t)i, v[3] = {place[f[0]], place[f[1]], place[f[2]]};
    double normal[3];
    area_vector(mesh, f, normal);
    const double size = norm3(normal);
    for (int k = 0; k < 3; k++) sum[k] += normal[k];
    area += size;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) {
      out->degenerate++;
      continue;
    }
    if (size == 0) out->degenerate++; // a line: its edges count, they join its neighbours
    for (int k = 0; k < 3; k++) all[n++] = edge_of(v[k], v[(k + 1) % 3]);
  }
  out->gap = area > 0 ? norm3(sum) / area : 1;
  return n;
}

static void count(const edge *all, size_t n, ap__mesh_closure *out) {
  for (size_t i = 0, k; i < n; i = k) {
    size_t backward = 0;
    for (k = i; k < n && by_vertices(&all[i], &all[k]) == 0; k++)
      backward += (size_t)all[k].backward;
    out->edges++;
    if ((k - i) % 2)
      out->open++;
    else if (2 * backward != k - i)
      out->inconsistent++;
  }
}

ap_status ap__mesh_examine(const ap__mesh *mesh, ap__mesh_closure *closure, ap_error *error) {
  *closure = (ap__mesh_closure){0};
  int *place = ap__mesh_weld(mesh->vertex, mesh->nvertex);
  edge *all = malloc((3 * (size_t)mesh->nface + 1) * sizeof *all);
  const bool got = place && all;
  if (got) {
    const size_t n = collect(mesh, place, all, closure);
    qsort(all, n, sizeof *all, by_vertices);
    count(all, n, closure);
  }
  free(place);
  free(all);
  return got ? AP_OK : ap__no_memory(error);
}
