// SPDX-License-Identifier: Apache-2.0
// Meshes in memory: growing, vertices at the same place, which reader a file takes.

#include "file/mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mesh_formats.h"
#include "file/robot.h"

bool ap__mesh_add_vertex(ap__mesh *mesh, const double p[3]) {
  if (mesh->nvertex >= AP__MAX_MESH_VERTICES) return false;
  double *larger = ap__grown(mesh->vertex, mesh->nvertex, &mesh->vertex_capacity, 3 * sizeof *p);
  if (!larger) return false;
  mesh->vertex = larger;
  memcpy(larger + 3 * (size_t)mesh->nvertex++, p, 3 * sizeof *p);
  return true;
}

bool ap__mesh_add_face(ap__mesh *mesh, int a, int b, int c) {
  if (mesh->nface >= AP__MAX_MESH_FACES) return false;
  int *larger = ap__grown(mesh->face, mesh->nface, &mesh->face_capacity, 3 * sizeof *larger);
  if (!larger) return false;
  mesh->face = larger;
  const int corners[3] = {a, b, c};
  memcpy(larger + 3 * (size_t)mesh->nface++, corners, sizeof corners);
  return true;
}

void ap__mesh_free(ap__mesh *mesh) {
  free(mesh->vertex);
  free(mesh->face);
  free(mesh->mujoco);
  *mesh = (ap__mesh){0};
}

ap_status ap__mesh_full(const ap__mesh *mesh, int line, ap_error *error) {
  if (mesh->nvertex >= AP__MAX_MESH_VERTICES)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, line, "more than %d vertices (use a coarser mesh)",
                      AP__MAX_MESH_VERTICES);
  if (mesh->nface >= AP__MAX_MESH_FACES)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, line, "more than %d triangles (use a coarser mesh)",
                      AP__MAX_MESH_FACES);
  return ap__no_memory(error);
}

// ---- vertices at the same place ----------------------------------------------------------------

static uint64_t hash(const double p[3]) {
  uint64_t h = 0;
  for (int i = 0; i < 3; i++) {
    const double x = p[i] + 0.0; // no -0
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    h = (h ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
    h ^= h >> 32;
  }
  return h;
}

static bool same_place(const double a[3], const double b[3]) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

int *ap__mesh_weld(const double *point, int n) {
  size_t slots = 16;
  while (slots < 2 * (size_t)n) slots *= 2;
  int *first = malloc(((size_t)n + 1) * sizeof *first), *table = malloc(slots * sizeof *table);
  if (first && table) {
    memset(table, -1, slots * sizeof *table);
    for (int i = 0; i < n; i++) {
      const double *p = point + 3 * (size_t)i;
      size_t at = (size_t)hash(p) & (slots - 1);
      while (table[at] >= 0 && !same_place(point + 3 * (size_t)table[at], p))
        at = (at + 1) & (slots - 1);
      if (table[at] < 0) table[at] = i;
      first[i] = table[at];
    }
  } else {
    free(first);
    first = NULL;
  }
  free(table);
  return first;
}

// ---- reading -----------------------------------------------------------------------------------

static const struct {
  const char *name;
  ap_status (*read)(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error);
} formats[] = {
    {"obj", ap__mesh_obj}, {"stl", ap__mesh_stl}, {"msh", ap__mesh_msh}, {"dae", ap__mesh_dae}};

ap_status ap__mesh_read(ap__mesh *mesh, const char *format, const char *bytes, size_t length,
                        ap_error *error) {
  *mesh = (ap__mesh){0};
  for (size_t i = 0; format && i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(format, formats[i].name) != 0) continue;
    const ap_status status = formats[i].read(mesh, bytes, length, error);
    if (status) ap__mesh_free(mesh);
    return status;
  }
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "this kind of mesh is not read (.obj, .stl, .msh or .dae)");
}

ap_status ap__mesh_load(ap__mesh *mesh, const char *path, ap_error *error) {
  char *bytes;
  size_t length;
  *mesh = (ap__mesh){0};
  ap_status status = ap__read_file(path, &bytes, &length, error);
  if (!status) status = ap__mesh_read(mesh, ap__mesh_format(path), bytes, length, error);
  free(bytes);
  return status;
}
