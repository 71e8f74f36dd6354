// SPDX-License-Identifier: Apache-2.0
// The readers of mesh files, one per format.

#ifndef AP_FILE_MESH_FORMATS_H
#define AP_FILE_MESH_FORMATS_H

#include "base/error.h"
#include "file/mesh.h"

// Bytes are closed by a zero that does not count. Where one fails, the mesh may hold a part.
ap_status ap__mesh_obj(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error);
ap_status ap__mesh_stl(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error);
ap_status ap__mesh_msh(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error);
ap_status ap__mesh_dae(ap__mesh *mesh, const char *bytes, size_t length, ap_error *error);

// Why a vertex or a face could not be added.
ap_status ap__mesh_full(const ap__mesh *mesh, int line, ap_error *error);
// Can a vertex be there? Finite, and no further out than AP__MAX_MESH_COORDINATE.
static inline bool ap__mesh_is_place(const double p[3]) {
  for (int i = 0; i < 3; i++)
    if (!(p[i] >= -AP__MAX_MESH_COORDINATE && p[i] <= AP__MAX_MESH_COORDINATE)) return false;
  return true;
}

// What polygons of a file are cut with. Files that are made to cost more than this budget of looks
// at corners get fans of triangles.
#define AP__MESH_CUT_BUDGET 100000000L
typedef struct ap__mesh_room {
  int corner[AP__MAX_MESH_CORNERS], next[AP__MAX_MESH_CORNERS], before[AP__MAX_MESH_CORNERS];
  long budget;
} ap__mesh_room;

// Cut a polygon, by the vertices of its n corners, into triangles.
ap_status ap__mesh_cut(ap__mesh *mesh, const int *corner, int n, ap__mesh_room *room, int line,
                       ap_error *error);
// The same polygon as MuJoCo cuts it, for mesh->mujoco, which begins with the first polygon of more
// than four corners; faces: how many the mesh had before. False: no memory.
bool ap__mesh_cut_again(ap__mesh *mesh, int faces, const int *corner, int n, ap__mesh_room *room);

#endif
