// SPDX-License-Identifier: Apache-2.0
/// @file impact.h
/// Walls and impacts: surfaces that points of a robot may touch, and the jump of the velocities
/// when they do. Part of libappell-tools; nothing here allocates.

#ifndef APPELL_IMPACT_H
#define APPELL_IMPACT_H

#include <appell/loop.h>
#include <appell/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The shape of a wall. Circles, ellipses and profiles are drawn in the plane across the axis and
/// reach along it without end, so that they serve planar robots and walls in space alike. The
/// height of a profile is along the cross product of axis and x: y for the default directions; for
/// a ground in space with z up, the axis is 0 -1 0.
typedef enum ap_wall_kind {
  AP_WALL_PLANE,     ///< through centre, the axis its normal into the free region
  AP_WALL_CIRCLE,    ///< size[0] radius
  AP_WALL_ELLIPSE,   ///< size[0], size[1] semi-axes along x and across it
  AP_WALL_CYLINDER,  ///< as AP_WALL_CIRCLE
  AP_WALL_SPHERE,    ///< size[0] radius
  AP_WALL_ELLIPSOID, ///< size[0..2] semi-axes along x, across x and axis, along the axis
  AP_WALL_TORUS,     ///< size[0] radius of the ring about the axis, size[1] of its tube
  AP_WALL_PROFILE,   ///< height over x through points, free above: a cubic spline with continuous
                     ///< curvature (natural), straight beyond its ends
  AP_WALL_DISC,      ///< size[0] radius; a sheet across the axis: points pass from behind
  AP_WALL_RECTANGLE, ///< size[0], size[1] lengths along x and across it; a sheet as well
  AP_WALL_BOX,       ///< size[0..2] lengths along x, across x and axis, along the axis
  AP_WALL_CAPPED_CYLINDER, ///< size[0] radius, size[1] length along the axis, both about the centre
  AP_WALL_CONE,            ///< size[0] radius at the centre, size[1] length from there along the
                           ///< axis, size[2] radius at the other end; 0: sharp, 1e-6 of size[0]
  AP_WALL_STAIRS, ///< count steps, size[0] high and size[1] long; up along x, the height as of a
                  ///< profile, from the centre on; the last step has no end
  AP_WALL_HEIGHT_FIELD ///< points are heights along the axis over a grid, count of them along x,
                       ///< row after row, size[0] and size[1] apart; the first is at the centre.
                       ///< Each cell is cut into two triangles from its first corner to the last
} ap_wall_kind;

/// How a wall moves, a given function of time. With s = min(max(t, from), to) - from and
/// w = sin(2 pi frequency s + phase) it is turned about the pivot by spin s + swing w and displaced
/// by velocity s + amplitude w. Where its velocity jumps, at from and to, points that touch it are
/// hit. All zero: the wall does not move.
typedef struct ap_wall_motion {
  double velocity[3];  ///< m/s, world
  double amplitude[3]; ///< m, world
  double axis[3];      ///< of turning, world, any length; 0 0 0: the wall's own
  double pivot[3];     ///< a point of that axis, m, from the wall's centre
  double spin;         ///< rad/s
  double swing;        ///< rad
  double frequency;    ///< Hz
  double phase;        ///< rad
  double from;         ///< s: 0; before it the wall stands where it is then
  double to;           ///< s: infinity; and after it
} ap_wall_motion;

/// A wall. Begin with ap_default_wall() and change what differs.
typedef struct ap_wall {
  const char *name;  ///< for events and messages: "wall", also for NULL
  ap_wall_kind kind; ///< its shape
  double centre[3];  ///< m, in the world, up to 1e9: 0 0 0
  double axis[3];    ///< direction, any length: 0 0 1
  double x[3];       ///< direction of the first semi-axis or of the profile's x; its part along the
                     ///< axis does not count: 1 0 0
  double size[3];    ///< m, as the kind says, 1e-9 to 1e9: 0 0 0, to be set where the kind has one
  bool inside;       ///< the free region is inside: false. Planes, profiles, sheets, stairs and
                     ///< height fields have no inside.
  double restitution;         ///< 0 .. 1: 0
  double friction;            ///< Coulomb's coefficient of sliding: 0
  double static_friction;     ///< and of sticking, where that is larger: 0
  double rolling_friction;    ///< m: 0. Rolling resistance: a couple up to this times the normal
                              ///< force acts against relative turning about tangents of the wall
  double spinning_friction;   ///< m: 0. Torsional friction: the same about the normal. A patch of
                              ///< radius a with even pressure has 2/3 friction a
  const double *points;       ///< AP_WALL_PROFILE: x and height of each point, m, x growing;
                              ///< AP_WALL_HEIGHT_FIELD: heights, m
  int npoint;                 ///< their number, 2 or more; of heights, a multiple of count
  int count;                  ///< AP_WALL_STAIRS: steps; AP_WALL_HEIGHT_FIELD: heights along x
  double restitution_speed;   ///< m/s, u0: above it restitution falls as (u0 / u)^(1/4) with the
                              ///< normal velocity u. 0: it does not
  double friction_across;     ///< friction across x, where it differs from that along x; 0: it does
                              ///< not. Directions in between have the ellipse of both
  double surface_velocity[3]; ///< m/s, world: of a belt along the wall, which itself stays; of a
                              ///< plane, disc or rectangle
  ap_wall_motion motion;      ///< of the wall as a whole
  const char *material;       ///< see ap_material_pair; NULL: none
  unsigned cookie;            ///< ap_default_wall() sets it
} ap_wall;

/// A frictionless plane z = 0 without rebound, with the free region above.
AP_API ap_wall ap_default_wall(void);

/// A wall checked and made ready; lives in the caller's memory, and name and points are copied
/// there. It must not be moved.
typedef struct ap_surface ap_surface;
/// Bytes that ap_surface_init() needs, whatever the alignment; 0 for NULL.
AP_API size_t ap_surface_size(const ap_wall *wall);
/// Check a wall and make it ready in mem. NULL when it is not valid or size is too small; *error
/// (may be NULL) says what is wrong and what would be right.
AP_API ap_surface *ap_surface_init(const ap_wall *wall, void *mem, size_t size, ap_error *error);
/// The wall that it was made of, its name and points those of the copy.
AP_API const ap_wall *ap_surface_wall(const ap_surface *s);

/// How a point lies to a wall. c is smooth, zero on the surface alone, positive in the free region,
/// and close to it the distance: c / |gradient| is the distance to first order. Finite everywhere,
/// centres and axes included; there, in the middle of things, the gradient may vanish, but never on
/// the surface. With u the point in the wall's frame (along x, across, along the axis; from the
/// centre) and rho its distance from the axis, c is, with the other sign where the inside is free:
///
/// - plane: u_2, the distance;
/// - circle, cylinder: (rho^2 - R^2) / (2 R), sphere: (|u|^2 - R^2) / (2 R): the distance times
///   (rho + R) / (2 R);
/// - ellipse, ellipsoid: A N / (2 sqrt w) with N = sum (u_i / a_i)^2 - 1,
///   w = 1 + sum (A^2 / a_i^2 - 1) (u_i / a_i)^2 and A the longest semi-axis;
/// - torus: (s - 4 R^2 rho^2 / s) / (4 r) with s = |u|^2 + R^2 - r^2;
/// - profile: u_1 - f(u_0), the height above it;
/// - disc, rectangle: |u_2|, or how far the point is beyond the edge where that is more: a sheet
/// has
///   no inside;
/// - box, capped cylinder, cone: of the face for which it is largest (inside: smallest);
/// - stairs, height field: the height above them, or the shorter way out of a step.
///
/// Walls that end have kinks at their edges, and no more than one face's gradient and Hessian
/// there. A wall that moves is where it is at the time 0.
///
/// The gradient has length 1 everywhere on the surface, except that of a profile, where it is
/// sqrt(1 + f'^2). The Hessian is continuous; that of a profile has kinks above the points.
typedef struct ap_gap {
  double c;           ///< m
  double gradient[3]; ///< of c
  double hessian[6];  ///< of c: xx xy xz yy yz zz
} ap_gap;
/// The gap of point p (m, world).
AP_API void ap_surface_gap(const ap_surface *s, const double p[3], ap_gap *gap);

/// What a touch is: a place that meets a wall, or friction against turning there.
typedef enum ap_turn {
  AP_TURN_NONE, ///< a place
  AP_TURN_ROLL, ///< rolling friction: against relative turning about tangents
  AP_TURN_SPIN  ///< spinning friction: against relative turning about the normal
} ap_turn;

/// One point of a robot that meets one wall, in an impact or at rest; or one joint at its stop,
/// which has no friction, and whose velocities and impulse are in the first entries below. Rolling
/// and spinning friction of a touch are further touches behind it, see `turn`.
typedef struct ap_touch {
  int body;         ///< the link that carries the point
  double at[3];     ///< the point in the link's frame, m
  double normal[3]; ///< unit normal of the wall into the free region, world
  bool stop;        ///< a joint at its stop: false. Then the three above don't count, but
  int v;            ///< the joint's place in v, and
  double way;       ///< what a unit of its rate is away from the stop: 1 at a lower limit, -1 at an
                    ///< upper one
  double restitution; ///< 0 .. 1
  double friction;    ///< Coulomb's coefficient
  double wall[3];     ///< velocity of the wall at the point, m/s, world: 0 0 0. What the joints
                  ///< cannot follow of it, as across the plane of a planar robot, does not count
  int other;         ///< the link that carries the wall; 0: none, the ground
  double arm[3];     ///< added to the point to get the place of contact, world, m: 0 0 0. Of a
                     ///< ball: from its centre to its surface
  double across;     ///< 0, or the friction across `along` as a part of the one along it
  double along[3];   ///< then: a unit direction along the wall, world
  ap_turn turn;      ///< AP_TURN_NONE. Else body, normal and other count, friction is a length (m),
                     ///< wall, before and after are angular velocities (rad/s), and impulse is that
                     ///< of a couple (N m s), no more than friction times the normal impulse of
  int host;          ///< this touch, which comes before it
  double before[3];  ///< out: velocity of the point before the impact, world
  double after[3];   ///< out: and after it
  double impulse[3]; ///< out: impulse on the robot, N s, world
} ap_touch;

/// What an impact did.
typedef struct ap_impact_result {
  double lost;  ///< kinetic energy that is gone, J; never below -1e-12 of what there was
  double work;  ///< done by walls that move, J; the kinetic energy changes by work - lost
  double scale; ///< 1, or the factor on all restitutions that keeps energy from growing
  int rank;     ///< independent contacts among those that were pressed
  int passes;   ///< impacts in a row that it took until no point moved into its wall
  bool relaxed; ///< Coulomb's law was not solved, but a neighbour of it where sliding lifts points
                ///< off a little; as rare as touches that jam with strong friction
} ap_impact_result;

/// Bytes of scratch memory that ap_impact() needs for n touches.
AP_API size_t ap_impact_scratch(const ap_model *m, int n);
/// The velocities after an impact at all n touches at once, v in place. Without friction it is
/// Newton's law with complementarity: each normal velocity becomes -e times what it was, or more
/// where its impulse would pull. With friction the impulse of the inelastic impact, in Coulomb's
/// cone, is multiplied by 1 + e; both never add energy (docs/impacts.md has the proofs). Touches
/// that depend on each other share the impulse evenly. A touch that does not move into its wall
/// takes part as far as it is pressed. scratch has any alignment; result may be NULL. AP_E_SINGULAR
/// where the inertia matrix is; AP_E_ARG for numbers out of range, which includes normals that are
/// not of length 1; AP_E_NO_CONVERGENCE where rounding keeps the law from being solved, which no
/// test has met. v and touch are untouched then.
AP_API ap_status ap_impact(const ap_model *m, ap_work *w, const double *q, double *v, int n,
                           ap_touch *touch, void *scratch, ap_impact_result *result);

/// Bytes of scratch memory that ap_mechanism_impact() needs for n touches.
AP_API size_t ap_mechanism_impact_scratch(const ap_mechanism *m, int n);
/// As ap_impact() for a mechanism with closed chains, whose closures hold through the impact: x is
/// a configuration of its tree, such as that of ap_loop_configuration(), xd its rates, of which
/// those that the closures allow jump. Where the closures do not hold at x, the impact is that of
/// the closed configuration nearby. Fails also with AP_E_UNREACHABLE, and with
/// AP_E_SINGULAR_CLOSURES where the closures lose rank.
AP_API ap_status ap_mechanism_impact(const ap_mechanism *m, ap_loop *l, const double *x, double *xd,
                                     int n, ap_touch *touch, void *scratch,
                                     ap_impact_result *result);

#ifdef __cplusplus
}
#endif

#endif
