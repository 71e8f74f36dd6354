// SPDX-License-Identifier: Apache-2.0
// Contact shapes as corners, edges and faces with a radius: all points within the radius of a
// convex polyhedron, of a segment (a capsule) or of a point (a sphere). Everything is in the frame
// of the link that carries the shape. Cylinders are rims that touch planes (sim/rims.h).
//
// Two such shapes touch in one of these ways, and the gap of each is smooth:
//
//   a corner of one with a face, edge or corner of the other: the corner is a point that touches
//     the surface of the other one, grown by both radii (a surface of several faces: planes, tubes
//     around edges, balls around corners);
//   an edge of one with an edge of the other (sim/edges.h).
//
// A contact point of a scene is the special case of a corner without radius.

#ifndef AP_SIM_SOLID_H
#define AP_SIM_SOLID_H

#include <appell/convex.h>

#include "base/arena.h"
#include "impact/surface.h"

typedef struct solid_edge {
  int corner[2];
  int face[2];         // beside it; -1: none
  double d[3];         // unit, from its first corner to its second
  double length;       // m
  double inward[2][3]; // unit, in each face, away from the edge
  bool endless;        // its corners are two places of it
  bool convex, flat;   // of a sheet
} solid_edge;

typedef struct solid_face {
  double n[3], offset; // outward: n . x = offset
} solid_face;

typedef struct ap_solid {
  double radius;
  int ncorner, nedge, nface;
  double (*corner)[3];
  solid_edge *edge;
  solid_face *face;
  double centre[3], reach; // of a sphere around it
  double tall;             // distance of the rims of a cylinder,
  double ring;             // and their radius, 0: it is none. Its corners are places
  double rim[2][3];        // of its rims, AP__RIM_POINTS of each, whose centres are these;
  double axis[3];          // unit, from the first to the second
  bool sheet;              // not one convex solid, but faces with edges between them,
  double up[3];            // which nothing touches from below; as long as its first edge
} ap_solid;

// Places of a rim that carry a cylinder where it stands.
enum { AP__RIM_POINTS = 8 };

// Whether a shape is one of those.
bool ap__solid_takes(const ap_convex *shape);
// The solid of a shape whose frame is at p and turned by R in the link's; without memory it is
// measured, and the counts alone are set.
void ap__solid_make(ap_arena *a, const ap_convex *shape, const double R[9], const double p[3],
                    ap_solid *s);

// Its surface, grown by a radius besides its own: where the centre of a ball with that radius is
// when it touches; without the balls around its corners where another pair has them. NULL without
// memory.
ap_surface *ap__solid_surface(ap_arena *a, const ap_solid *s, double radius, bool balls);
// How many faces that has.
int ap__solid_faces(const ap_solid *s, double radius, bool balls);

// Whether a corner is the foremost point of the solid against n (unit, in the link's frame) within
// a distance: all edges from there lead along n, or down by no more than that.
bool ap__solid_supports(const ap_solid *s, int corner, const double n[3], double within);

#endif
