// SPDX-License-Identifier: Apache-2.0
/// @file info.h
/// What a model contains: joints in the order of the vectors, bodies with what is merged into them,
/// frames, everything odd about it, and how a mechanism closes.
///
/// A record points into the robot, the model and the mechanism that it was made of.

#ifndef APPELL_INFO_H
#define APPELL_INFO_H

#include <appell/file.h>
#include <appell/json.h>
#include <appell/loop.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A joint that moves.
typedef struct ap_info_joint {
  const char *name;   ///< that of its body where it has none
  const char *type;   ///< as URDF calls it, "continuous" where there are no limits
  const char *parent; ///< the link that it hangs on
  const char *leader; ///< the joint that a mimic joint follows; NULL for others
  const ap_body_def
      *body;      ///< the link that it moves: limits, friction, spring, rotor, ratio and offset
  int q;          ///< first entry in q
  int nq;         ///< and how many; of a mimic joint none
  int v;          ///< first entry in v
  int nv;         ///< and how many; of a mimic joint none
  bool has_axis;  ///< revolute, prismatic and planar joints have one
  double axis[3]; ///< in the frame of the link
} ap_info_joint;

/// A body that moves, with all links that are fixed to it; or the ground.
typedef struct ap_info_body {
  const char *name;    ///< of its first link
  const char *parent;  ///< the body that carries it; NULL for the ground
  const char *joint;   ///< the joint in between; NULL for the ground
  double mass;         ///< of all together, as are the others; 0 for the ground
  double com[3];       ///< centre of mass in the frame of the first link
  double inertia[6];   ///< xx xy xz yy yz zz about com
  const char **merged; ///< the links that are fixed to it
  int nmerged;         ///< how many
} ap_info_body;

/// A link, or a named frame.
typedef struct ap_info_frame {
  const char *name;        ///< of the link or frame
  const char *body;        ///< the body that it moves with
  double xyz[3];           ///< its place there
  double rpy[3];           ///< and roll, pitch, yaw
  const ap_frame_def *def; ///< of a named frame: its place on its own link; NULL for a link
} ap_info_frame;

/// Something odd: a warning of the file's reader, or a remark on the model.
typedef struct ap_warning {
  int line;         ///< of the file; 0 where it is not known
  const char *text; ///< one line
  bool is_remark;   ///< on the model
  bool is_gyration; ///< the remark AP_REMARK_GYRATION, which no computation suffers from
} ap_warning;

/// How a mechanism closes from its guess.
typedef struct ap_info_start {
  bool closes;          ///< the closures can be met
  ap_status status;     ///< of closing, then of the place that was found
  char text[120];       ///< the status in words
  ap_assembly assembly; ///< how it was closed
  double *tree_q;       ///< the configuration of the tree, nq entries
  double *q;            ///< the independent coordinates there
  bool has_distances;   ///< near is known
  ap_singularity near;  ///< distances to singularities there
} ap_info_start;

/// A model.
typedef struct ap_info {
  const char *name;           ///< of the robot
  int nq;                     ///< coordinates of the tree
  int nv;                     ///< velocities of the tree
  int freedom;                ///< degrees of freedom: independent coordinates of a mechanism, or nv
  double gravity[3];          ///< m/s2
  double mass;                ///< of all links
  double moving_mass;         ///< of those that move
  ap_info_joint *joint;       ///< those with coordinates, in the order of q and v
  int joints;                 ///< how many
  ap_info_joint *mimic;       ///< those that follow another
  int mimics;                 ///< how many
  ap_info_body *body;         ///< the ground first
  int bodies;                 ///< how many with the ground
  ap_info_frame *frame;       ///< links, then named frames
  int frames;                 ///< how many
  ap_warning *warning;        ///< those of the file, then the remarks
  int warnings;               ///< how many
  const ap_mechanism *closed; ///< its coordinates, actuators and closures; NULL for a tree
  ap_info_start start;        ///< of a mechanism
  const char **merged;        ///< of all bodies
} ap_info;

/// Fill a record of a robot and its model; of a mechanism, which is NULL for a tree, m is its tree.
/// AP_OK, or AP_E_MEMORY. Free it with ap_info_free() after success.
AP_API ap_status ap_info_make(const ap_robot *robot, const ap_model *m,
                              const ap_mechanism *mechanism, ap_info *info);
/// Free what a record holds.
AP_API void ap_info_free(ap_info *info);

/// Write a record as a JSON object, as `appell info --json` does; about is a line about the robot,
/// or NULL.
AP_API void ap_info_json(const ap_info *info, const char *about, ap_json *json);
/// The word for a kind of closure: "point", "axis", ...
AP_API const char *ap_closure_type(ap_closure_kind kind);
/// The word for a kind of coordinate: "joint", "position", ...
AP_API const char *ap_coordinate_type(ap_coordinate_kind kind);

/// Visit the warnings of the file, then the remarks on the model, once each, without memory of its
/// own: a text is valid during the visit.
AP_API void ap_visit_warnings(const ap_robot *robot, const ap_model *m,
                              void (*visit)(void *context, const ap_warning *warning),
                              void *context);

#ifdef __cplusplus
}
#endif

#endif
