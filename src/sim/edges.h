// SPDX-License-Identifier: Apache-2.0
// An edge of one shape against an edge of another.
//
// Take axes x, y, z with z along the edge of B. The edge of A goes from a to b; p is the part of a
// place along x and y, D = p(b) - p(a), and D+ is D turned by a quarter. With s = 1 or -1
//
//   N = s D+,   N . p(a) / |D|
//
// is the distance of both lines, positive where A is on the side of N. The edges touch where
//
//   F = (N . p(a) - R |D|) / l
//
// falls through zero, R being both radii and l the length of A's edge, while the closest points are
// inside both edges and N points out of B and into A: G >= 0 for
//
//   -p(a) . D / l,   p(b) . D / l,                           along A's edge,
//   (z(a) |D|^2 - (p(a) . D) (z(b) - z(a))) / l^2, and m |D|^2 / l^2 less that,  along B's,
//   -N . t of both faces beside B's edge,   N . t of those beside A's,
//   (|D|^2 - n^2) l / 2 n^2,  n = parallel l,               not parallel,
//
// m being the length of B's edge and t directions in the faces, away from the edge. All of it but
// |D| is a polynomial of places, so that its third derivative is bounded where theirs are. There is
// one pair for each s. Edges that are parallel, within `parallel`, have no common normal; then
// corners touch. That is AP__EDGES_PARALLEL; of the sides of two cylinders it is the sine of an
// angle at which rims, which touch then, are no more than a tenth of what counts as a touch above
// the place where the sides cross, (l parallel)^2 / 2 R (sim/standing.c).

#ifndef AP_SIM_EDGES_H
#define AP_SIM_EDGES_H

#include "impact/surface.h"
#include "sim/solid.h"

// Sine of the angle within which edges are parallel.
#define AP__EDGES_PARALLEL 1e-8

enum { AP__EDGES_LIMITS = 9 };

// Two edges; the rim of a cylinder and a plane; a place of it that carries where it stands
// (sim/rims.h). An edge and the rim of a wall, where it crosses the plane of that, or is flat; an
// edge and the side of a cone; a face and the rim of a wall; a place of that which bears a face
// (sim/round_edges.h). Two rims: where they cross, and where they do so in one plane
// (sim/rim_pairs.h).
typedef enum ap_edges_kind {
  AP__EDGES_TWO,
  AP__EDGES_RIM,
  AP__EDGES_STANDS,
  AP__EDGES_CROSS,
  AP__EDGES_LEVEL,
  AP__EDGES_CONE,
  AP__EDGES_NEAR,
  AP__EDGES_FACE,
  AP__EDGES_BEARS,
  AP__EDGES_RIMS,
  AP__EDGES_LENS
} ap_edges_kind;

typedef struct ap_round ap_round;

typedef struct ap_edges {
  ap_edges_kind kind;    // what follows is of two edges, of the others as ap__rim_make() says
  double a[2][3];        // ends of A's edge, in its link's frame
  double beside_a[2][3]; // the first end and a step into each face,
  double origin[3];      // B's first end, in the frame of B
  double axes[3][3];     // x, y, z there
  double length[2];      // of A's edge and B's; of a rim r, and |D| where it is flat
  double beside_b[2][2]; // directions into B's faces, along x and y
  bool faces_a, faces_b; // there are faces beside
  bool endless;          // B's edge is
  double side;           // s
  double radius;         // R
  double own;            // of it, A's
  double parallel;       // sine of the angle at which two edges are parallel
  bool sides;            // of two cylinders
  const ap_round *round; // of round walls
} ap_edges;

// Whether it is a pair of sim/round_edges.h.
static inline bool ap__edges_round(const ap_edges *e) {
  return e->kind >= AP__EDGES_CROSS && e->kind <= AP__EDGES_BEARS;
}
// Whether it is of two rims.
static inline bool ap__edges_rims(const ap_edges *e) { return e->kind >= AP__EDGES_RIMS; }
// Whether it is of the lowest place of a rim, or of one that carries; and of a rim at all.
static inline bool ap__edges_lowest(const ap_edges *e) {
  return e->kind == AP__EDGES_RIM || e->kind == AP__EDGES_FACE;
}
static inline bool ap__edges_carries(const ap_edges *e) {
  return e->kind == AP__EDGES_STANDS || e->kind == AP__EDGES_BEARS;
}
static inline bool ap__edges_of_rim(const ap_edges *e) {
  return ap__edges_lowest(e) || ap__edges_carries(e) || ap__edges_rims(e);
}

void ap__edges_make(const ap_solid *a, int i, const ap_solid *b, int j, double side, ap_edges *e);
// Axes with z along a unit vector.
void ap__edges_axes(const double z[3], double axes[3][3]);
// How many limits there are.
int ap__edges_limits(const ap_edges *e);

// Places of A in the frame of B over a time: ends of its edge (of a rim its centre, and D as a
// vector), and the steps into its faces.
typedef struct ap_edges_way {
  ap_way end[2], step[2];
} ap_edges_way;

// F, and G of a limit. False: they are not known, as the edges may be parallel; with *parallel they
// are all along. Of a limit that is `beyond` further out, m: where G along an edge is scaled by
// |D|^2 / l^2, so is that.
bool ap__edges_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *parallel);
void ap__edges_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, double beyond,
                           ap_gap_bound *g);
// The least distance to the limits, m.
double ap__edges_within(const ap_edges *e, const ap_edges_way *way);

// The contact, in the axes of B: way.r is not used.
typedef struct ap_edges_place {
  double distance, rate, bend; // with its derivatives
  double normal[3];            // from B to A
  double point[3];             // on A
  double moves[3];             // velocity of that place in the axes of B: not of A's matter
  double slope;                // F over the distance
  double turns[3];             // rate of the normal there; of edges and round walls
} ap_edges_place;
void ap__edges_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place);

#endif
