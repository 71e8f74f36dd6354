// SPDX-License-Identifier: Apache-2.0
// A convex polyhedron and what of it lies beside what.

#ifndef AP_CONVEX_HULL_H
#define AP_CONVEX_HULL_H

#include "appell/convex.h"

typedef struct hull_edge {
  int corner[2], face[2];
} hull_edge;

typedef struct hull_face {
  double normal[3], offset; // outward; normal . x = offset
} hull_face;

struct ap_hull {
  int corners, edges, faces;
  double *x[3];   // [corners] coordinates, side by side for the scan
  double *corner; // [3 corners]
  hull_edge *edge;
  hull_face *face;
  int *first_edge; // [corners + 1] where a corner's edges start in edge_of
  int *edge_of;    // [2 edges]
  int *first_face; // [corners + 1] the same of faces
  int *face_of;
  double centre[3], reach;
};

#endif
