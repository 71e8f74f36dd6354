// SPDX-License-Identifier: Apache-2.0
/// @file convex.h
/// Distance between convex shapes: closest points, normal, features, and bounds for motion. Part of
/// libappell-tools.
///
/// The gap of two convex sets A and B is the largest s(n) over all unit vectors n, where
///
///     s(n) = min { n . b : b in B } - max { n . a : a in A }.
///
/// Apart, this is their distance; overlapping, it is minus the shortest translation that parts
/// them. So s(n) of *any* direction is a lower bound of the gap, and ap_closest::distance is such a
/// value: it was computed for ap_closest::normal from all vertices of both shapes. See
/// docs/convex.md.
///
/// Only the functions that make a hull allocate. The others use no heap, no locks, no I/O, and end
/// after a bounded number of steps.

#ifndef APPELL_CONVEX_H
#define APPELL_CONVEX_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- shapes ------------------------------------------------------------------------------------

/// What a convex shape is, in its own frame.
typedef enum ap_convex_kind {
  AP_CONVEX_SPHERE,    ///< its centre is the origin
  AP_CONVEX_CAPSULE,   ///< points within the radius of a segment along z
  AP_CONVEX_BOX,       ///< its middle is the origin
  AP_CONVEX_CYLINDER,  ///< along z; its middle is the origin
  AP_CONVEX_HULL,      ///< of points
  AP_CONVEX_HALF_SPACE ///< all points with z <= 0
} ap_convex_kind;

/// Sizes, in metres, that shapes may have.
#define AP_CONVEX_SMALLEST 1e-13
#define AP_CONVEX_LARGEST  1e8 ///< the same for coordinates of a hull
/// Corners that a hull may have.
enum { AP_HULL_CORNERS = 4096 };

/// The convex hull of points, with its corners, edges and faces.
typedef struct ap_hull ap_hull;

/// A convex shape. Make it with the functions below; its fields are for reading.
typedef struct ap_convex {
  ap_convex_kind kind; ///< what the fields below mean
  double radius;       ///< of a sphere, capsule or cylinder
  double half[3]; ///< half sides of a box; half[2]: half length of a capsule's segment, or of a
                  ///< cylinder
  const ap_hull *hull; ///< of AP_CONVEX_HULL; must outlive the shape
  double centre[3];    ///< of a sphere around the shape
  double reach;        ///< radius of that sphere
} ap_convex;

/// A sphere. AP_E_ARG, here and below, with one line in *error where a size is not between
/// AP_CONVEX_SMALLEST and AP_CONVEX_LARGEST; *shape is untouched then. error may be NULL.
AP_API ap_status ap_convex_sphere(double radius, ap_convex *shape, ap_error *error);
/// A capsule: a cylinder of that length with a half sphere on each end. A length of 0 is allowed.
AP_API ap_status ap_convex_capsule(double radius, double length, ap_convex *shape, ap_error *error);
/// A box of these three sides.
AP_API ap_status ap_convex_box(const double sides[3], ap_convex *shape, ap_error *error);
/// A cylinder.
AP_API ap_status ap_convex_cylinder(double radius, double length, ap_convex *shape,
                                    ap_error *error);
/// All points with z <= 0: a floor whose normal is z.
AP_API ap_convex ap_convex_half_space(void);

/// The convex hull of n points; allocates, free it with ap_hull_free(). Decisions are exact: points
/// inside, doubled or in a face are left out. Faces whose corners are in one plane within 1e-12 of
/// the size are one. AP_E_ARG, with the defect in *error: fewer than four points, numbers that are
/// not finite or too large, all points at one place, on a line or in a plane (thickness below 1e-12
/// of the size), more than AP_HULL_CORNERS corners.
AP_API ap_status ap_hull_make(const double *points, int n, ap_hull **hull, ap_error *error);
/// Free a hull; NULL is allowed.
AP_API void ap_hull_free(ap_hull *hull);
/// The shape of a hull, which must outlive it.
AP_API ap_convex ap_convex_of_hull(const ap_hull *hull);
/// Numbers of corners, edges and faces. Features are counted from 0.
AP_API void ap_hull_counts(const ap_hull *hull, int *corners, int *edges, int *faces);
/// Corner i, NULL where there is none.
AP_API const double *ap_hull_corner(const ap_hull *hull, int i);
/// The two corners of edge i, and the faces beside it; AP_E_ARG where there is none.
AP_API ap_status ap_hull_edge(const ap_hull *hull, int i, int corner[2], int face[2]);
/// Outward unit normal of face i and its plane normal . x = offset; AP_E_ARG where there is none.
AP_API ap_status ap_hull_face(const ap_hull *hull, int i, double normal[3], double *offset);

// ---- distance ----------------------------------------------------------------------------------

/// Where a shape is: its axes are the columns of R (row-major), its origin is p.
typedef struct ap_pose {
  double R[9]; ///< a rotation
  double p[3]; ///< m
} ap_pose;

/// The pose without translation or rotation.
AP_API ap_pose ap_pose_identity(void);
/// The pose of c in a, where b is the pose in a and c the pose in b.
AP_API ap_pose ap_pose_compose(const ap_pose *b, const ap_pose *c);

/// What of a shape is closest. A sphere's centre is its vertex; a capsule has two vertices (0: at
/// -z) and one edge; bit k of a box's vertex is set where coordinate k is positive; its face 2 k is
/// that with the normal -k, 2 k + 1 that with +k; its edge 4 k + j is along k, with bit 0 of j for
/// the sign of coordinate k + 1 and bit 1 for that of k + 2 (mod 3). A cylinder's edges are its
/// rims (0: at -z), its faces the disks (0: at -z) and its side (2). A half-space has face 0.
typedef enum ap_feature_kind { AP_VERTEX, AP_EDGE, AP_FACE } ap_feature_kind;

/// A feature of a shape.
typedef struct ap_feature {
  ap_feature_kind kind; ///< vertex, edge or face
  int index;            ///< from 0
} ap_feature;

/// The closest points of two shapes, or the deepest ones where they overlap.
typedef struct ap_closest {
  double distance;   ///< gap in m, negative: overlap. It is s(normal), hence a lower bound
  double rounding;   ///< m: the gap is at least distance - rounding
  double error;      ///< m: the gap is at most distance + error
  double normal[3];  ///< unit vector of the ground frame, from A to B
  double on_a[3];    ///< closest (deepest) point of A, in A's frame
  double on_b[3];    ///< the same of B, in B's frame
  double point_a[3]; ///< on_a in the ground frame
  double point_b[3]; ///< on_b in the ground frame
  ap_feature a;      ///< of A: on_a lies on it (spheres, capsules: its radius away from it)
  ap_feature b;      ///< the same of B
  int steps;         ///< support points that were computed
} ap_closest;

/// Closest points of shape a at pose pa and shape b at pose pb. Exact but for rounding (about 1e-15
/// of the sizes and the distance) for all pairs of spheres, capsules, boxes, hulls and half-spaces.
/// Of cylinders that overlap deeply with other shapes than spheres and half-spaces the error may be
/// larger; ap_closest::error tells.
/// AP_E_ARG for a pose that is not finite, AP_E_UNSUPPORTED for two half-spaces; *closest is
/// untouched then.
AP_API ap_status ap_convex_distance(const ap_convex *a, const ap_pose *pa, const ap_convex *b,
                                    const ap_pose *pb, ap_closest *closest);

/// Gap of one pair of features, extended to whole lines and planes: smooth in the poses while the
/// pair is not degenerate, and equal to the gap of the shapes where these features are the closest
/// ones. Vertex and face: height of the vertex over the plane. Two edges: distance of the lines
/// along their common normal, positive on the side that `last` (a normal from A to B) tells.
/// Vertex and vertex, vertex and edge: length of the shortest connection, signed by `last`. The
/// radii of spheres and capsules are subtracted. normal (from A to B) may be NULL. AP_E_SINGULAR:
/// edges that are parallel, points that coincide. AP_E_UNSUPPORTED: pairs of edge and face or of
/// two faces, which determine no plane, and edges or the side of a cylinder, which are round.
AP_API ap_status ap_feature_gap(const ap_convex *a, const ap_pose *pa, ap_feature feature_a,
                                const ap_convex *b, const ap_pose *pb, ap_feature feature_b,
                                const double last[3], double *distance, double normal[3]);

/// Contact points of a patch, in which features of both shapes are parallel.
typedef struct ap_patch {
  int n;              ///< 1 to 4
  double point[4][3]; ///< in the ground frame, halfway between the shapes
} ap_patch;

/// Tilt, as a fraction of the size of the shapes, within which ap_contact_patch() usually takes
/// faces to be parallel.
#define AP_PATCH_TOLERANCE 1e-9

/// Points of the patch in which two shapes touch with the normal of *closest: corners of the
/// intersection of the features that lie, within tolerance times the size of the smaller shape, in
/// the supporting planes; the four that span most where there are more. A single point where no
/// features are parallel. The rim of a cylinder is 16 points, of a hull's face at most 64 corners
/// are taken.
AP_API ap_status ap_contact_patch(const ap_convex *a, const ap_pose *pa, const ap_convex *b,
                                  const ap_pose *pb, const ap_closest *closest, double tolerance,
                                  ap_patch *patch);

// ---- motion ------------------------------------------------------------------------------------

/// How B moves relative to A for some time, in A's axes, as an observer on A sees it.
typedef struct ap_relative_motion {
  double v[3]; ///< velocity of the origin of B's frame, m/s
  double w[3]; ///< angular velocity of B, rad/s
  double dv;   ///< v differs from that by at most so much in the whole time, m/s
  double dw;   ///< and w by so much, rad/s
} ap_relative_motion;

/// The motion of B relative to A where both move: v and w of A's and B's frames in the ground
/// frame; dv, dw = 0.
AP_API ap_relative_motion ap_relative_motion_of(const ap_pose *pa, const double va[3],
                                                const double wa[3], const ap_pose *pb,
                                                const double vb[3], const double wb[3]);

/// A lower bound of the gap during the next dt seconds, from *closest at their beginning. Where B
/// is a half-space, exchange the shapes (AP_E_UNSUPPORTED); AP_E_ARG for numbers that are not
/// finite, negative bounds or a negative dt.
///
/// Proof. Keep the unit vector n fixed in A. The gap is at least s(n) at all times, and A does not
/// move in its own frame, so that s(n) changes as min { n . b : b in B } does. Write a point of B
/// as b = o + c + r: the origin of B's frame, the centre of the sphere around B seen from there,
/// and the rest, |r| <= reach. Then
///
///     d(n . b)/dt = n . v + n . (w x c) + r . (n x w).
///
/// In the time t vector c turns by at most (|w| + dw) t, hence moves by at most
/// m = |c| min(2, (|w| + dw) dt). With the deviations of v and w every point of B obeys
///
///     d(n . b)/dt >= rate = n . v0 + n . (w0 x c0) - dv - (|n x w0| + dw) reach - dw |c|
///                           - |n x w0| m,
///
/// and so does the minimum over all of them. Thus gap(t) >= distance - rounding + t rate.
AP_API ap_status ap_closest_bound(const ap_closest *closest, const ap_pose *pa, const ap_convex *b,
                                  const ap_pose *pb, const ap_relative_motion *motion, double dt,
                                  double *bound);

#ifdef __cplusplus
}
#endif

#endif
