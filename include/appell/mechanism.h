// SPDX-License-Identifier: Apache-2.0
/// @file mechanism.h
/// Mechanisms with closed chains as plain structs: closures, independent coordinates, actuated
/// joints, branches. <appell/loop.h> computes with them, <appell/file.h> reads and writes them.

#ifndef APPELL_MECHANISM_H
#define APPELL_MECHANISM_H

#include <appell/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a closure asks of two links. Points, directions and frames are given in the link frames.
///
/// | kind                   | asks                                              | rows | rank |
/// |------------------------|---------------------------------------------------|------|------|
/// | AP_CLOSE_POINT         | at[0] and at[1] coincide                          | 3    | 3    |
/// | AP_CLOSE_AXIS          | axis[0] and axis[1] have the same direction       | 3    | 2    |
/// | AP_CLOSE_POINT_ON_LINE | at[0] is on the line through at[1] along axis[1]  | 2    | 2    |
/// | AP_CLOSE_FRAME         | frames (at, rpy) coincide: a weld                 | 9    | 6    |
/// | AP_CLOSE_DISTANCE      | at[0] and at[1] are `distance` apart              | 1    | 1    |
/// | AP_CLOSE_GEAR          | joint of body[1] = ratio * joint of body[0] + offset | 1 | 1    |
///
/// A revolute joint is an AP_CLOSE_POINT and an AP_CLOSE_AXIS, a spherical one an AP_CLOSE_POINT.
typedef enum ap_closure_kind {
  AP_CLOSE_POINT,         ///< two points coincide
  AP_CLOSE_AXIS,          ///< two directions are the same
  AP_CLOSE_POINT_ON_LINE, ///< a point slides along a line
  AP_CLOSE_FRAME,         ///< two frames coincide
  AP_CLOSE_DISTANCE,      ///< two points keep their distance, as if joined by a massless rod
  AP_CLOSE_GEAR           ///< two joints with one coordinate each are coupled
} ap_closure_kind;

/// One closure. Start from ap_default_closure(); only the fields of its kind are read.
typedef struct ap_closure_def {
  const char *name;     ///< for messages, not empty, unique
  ap_closure_kind kind; ///< what it asks
  int body[2];          ///< two links, 0 for the ground; for a gear the links that the joints carry
  double at[2][3];      ///< a point of each, m
  double axis[2][3];    ///< a direction of each, any length; default z
  double rpy[2][3];     ///< a frame of each, rad: R = Rz(yaw) Ry(pitch) Rx(roll)
  double distance;      ///< m, above zero
  double ratio;         ///< of a gear; default 1
  double offset;        ///< of a gear, rad or m
  unsigned cookie;      ///< ap_default_closure() sets it
} ap_closure_def;

/// A closure AP_CLOSE_POINT of the two origins: name NULL, axes z, ratio 1.
AP_API ap_closure_def ap_default_closure(void);

/// What an independent coordinate measures.
typedef enum ap_coordinate_kind {
  AP_COORDINATE_JOINT,    ///< the joint of a link; it has one coordinate
  AP_COORDINATE_POSITION, ///< of a point of a link, along a direction of the ground, m
  AP_COORDINATE_YAW,      ///< of a link frame in the ground, R = Rz(yaw) Ry(pitch) Rx(roll), rad
  AP_COORDINATE_PITCH,    ///< of the same, -pi/2 .. pi/2
  AP_COORDINATE_ROLL      ///< of the same
} ap_coordinate_kind;

/// One independent coordinate. Only the fields of its kind are read.
typedef struct ap_coordinate_def {
  const char *name;        ///< for messages, not empty, unique
  ap_coordinate_kind kind; ///< what it measures
  int body;                ///< of which link
  double at[3];            ///< AP_COORDINATE_POSITION: the point in the link frame, m
  double along[3];         ///< AP_COORDINATE_POSITION: direction in the ground, any length
} ap_coordinate_def;

/// A force along coordinate k, among the actuated joints of a mechanism: that of a coordinate which
/// is no joint, as the height of a free base.
#define AP_ALONG_COORDINATE(k) (-1 - (k))

/// A configuration to begin with that has a name: it chooses one of several ways to assemble.
typedef struct ap_branch_def {
  const char *name;    ///< not empty, unique
  const double *guess; ///< configuration x of the tree, ap_nq() entries
} ap_branch_def;

/// A whole mechanism. Arrays and strings need to live only until ap_mechanism_init() returns.
typedef struct ap_mechanism_def {
  const char *name;                     ///< NULL or empty: the robot's
  const ap_robot_def *robot;            ///< the tree
  const ap_closure_def *closures;       ///< what closes it
  int nclosure;                         ///< how many
  const ap_coordinate_def *coordinates; ///< q, in this order
  int ncoordinate;                      ///< how many, 1 or more
  const int *actuated; ///< numbers of the links whose joints are driven, in tau's order; these
                       ///< joints have one coordinate; or AP_ALONG_COORDINATE()
  int nactuated;       ///< how many; inverse dynamics needs as many as coordinates or more
  const double *guess; ///< configuration x of the tree to begin with; NULL: that of the first
                       ///< branch, or ap_neutral()
  const ap_branch_def *branches; ///< other configurations to begin with
  int nbranch;                   ///< how many
} ap_mechanism_def;

#ifdef __cplusplus
}
#endif

#endif
