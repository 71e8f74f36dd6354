// SPDX-License-Identifier: Apache-2.0
// Triangle meshes: reading, how closed they are, their convex hull.
// What they weigh is in file/solid.h.

#ifndef AP_FILE_MESH_H
#define AP_FILE_MESH_H

#include <stdbool.h>
#include <stddef.h>

#include "appell/base.h"

// Limits on what a file may ask for, against files that are made to exhaust the machine.
enum {
  AP__MAX_MESH_VERTICES = 20000000,
  AP__MAX_MESH_FACES = 20000000,
  AP__MAX_MESH_CORNERS = 10000,     // of one polygon
  AP__MAX_MESH_COORDINATE = 1 << 30 // as in MuJoCo
};

// All zero is an empty mesh.
typedef struct ap__mesh {
  double *vertex; // [3 nvertex], finite, in the file's own unit
  int *face;      // [3 nface], vertices of triangles, counterclockwise seen from outside
  int nvertex, nface;
  int first_object; // so many faces, the first ones, are of an OBJ file's first object (o, g)
  int *mujoco;      // [3 nmujoco] the first object as MuJoCo cuts its polygons; NULL: as above
  int nmujoco;
  int vertex_capacity, face_capacity, mujoco_capacity;
} ap__mesh;

// Read a mesh from memory, closed by a zero that does not count. format: "obj" (polygons are cut
// into triangles), "stl" (text or binary; corners at the same place become one vertex), "msh"
// (MuJoCo's binary format) or "dae" (the meshes of its scene where its nodes put them, in metres);
// others and NULL are refused. An error has the line; of binary formats its text has the byte. The
// mesh is empty then. A mesh without faces is a set of points ("obj" and "msh" only).
ap_status ap__mesh_read(ap__mesh *mesh, const char *format, const char *bytes, size_t length,
                        ap_error *error);
// The same from a file; the format by the ending of its name.
ap_status ap__mesh_load(ap__mesh *mesh, const char *path, ap_error *error);
// Append. False: no memory, or the limit is reached.
bool ap__mesh_add_vertex(ap__mesh *mesh, const double p[3]);
bool ap__mesh_add_face(ap__mesh *mesh, int a, int b, int c); // existing vertices
void ap__mesh_free(ap__mesh *mesh);
// Make one vertex of those at the same place: for each of n points the first one there, to be freed
// by the caller; NULL: no memory.
int *ap__mesh_weld(const double *point, int n);

// How far a surface is from enclosing a volume. Vertices at the same place count as one, and faces
// without area as none.
typedef struct ap__mesh_closure {
  long edges;        // that some face has
  long open;         // with a face on one side only
  long inconsistent; // run through twice in the same direction: a face is turned, or doubled
  double gap;        // |sum of the faces' area vectors| / area: 0 of a closed surface, 1 of a disk
  long degenerate;   // faces without area
} ap__mesh_closure;

// AP_E_MEMORY: no memory.
ap_status ap__mesh_examine(const ap__mesh *mesh, ap__mesh_closure *closure, ap_error *error);

// The convex hull of n points as triangles, counterclockwise seen from outside: *face has 3 *nface
// indices of points, to be freed by the caller. Points that all lie at one place, on a line or in a
// plane are refused.
ap_status ap__convex_hull(const double *point, int n, int **face, int *nface, ap_error *error);

#endif
