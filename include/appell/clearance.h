// SPDX-License-Identifier: Apache-2.0
/// @file clearance.h
/// How far a moving robot stays from itself, from the floor, and inside a box: capsules around its
/// links, distances in one pose, and least distances over a whole trajectory, also between samples.
/// Part of libappell-tools; allocates.

#ifndef APPELL_CLEARANCE_H
#define APPELL_CLEARANCE_H

#include <appell/file.h>
#include <appell/traj.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- capsules ----------------------------------------------------------------------------------

/// What a capsule was made of.
typedef enum ap_capsule_source {
  AP_CAPSULE_SHAPE, ///< a box, cylinder or sphere of the file
  AP_CAPSULE_MESH,  ///< a mesh
  AP_CAPSULE_GUESS  ///< no shape: lines to the joints and the centre of mass, with a given radius
} ap_capsule_source;

/// All points within a distance of a segment; of a sphere both ends are the same.
typedef struct ap_capsule {
  int body;                 ///< whose link frame the ends are in
  double from[3];           ///< m
  double to[3];             ///< m
  double radius;            ///< m
  ap_capsule_source source; ///< what it was made of
} ap_capsule;

/// Capsules that enclose the links of a robot: those of its collision elements, of the visual ones
/// where a link has no others (or none that can be read). Meshes are looked for as ap_mesh_find()
/// says and opened below the robot file's folder or package, or below the folder `meshes` (may be
/// NULL). A moving body that has mass and no shape gets lines from its joint to the joints that it
/// carries and to its centre of mass, with this radius (m); so does one with a shape that is not
/// known here. robot may be NULL: no shapes. m is the robot's model. *capsules, to be freed with
/// free(), has *n of them.
AP_API ap_status ap_robot_capsules(const ap_robot *robot, const ap_model *m, const char *meshes,
                                   double radius, ap_capsule **capsules, int *n, ap_error *error);

// ---- distances ---------------------------------------------------------------------------------

/// What to keep clear of. Start from ap_default_clearance().
typedef struct ap_clearance_def {
  const ap_capsule *capsules; ///< around the links; copied
  int ncapsules;              ///< how many
  bool self;       ///< distances between bodies that are not joined by one joint; default true
  double floor;    ///< height of the floor, m along z of the ground; default -INFINITY: none
  int frame;       ///< whose origin must stay in the box; default -1: none
  double box[6];   ///< m: least and largest x, least and largest y, least and largest z
  double least;    ///< m: pairs of bodies that are closer in the zero pose (as near to it as the
                   ///< limits allow) or in the middle of the limits touch by construction and are
                   ///< left out; default 0.02
  unsigned cookie; ///< ap_default_clearance() sets it
} ap_clearance_def;
/// The defaults named above.
AP_API ap_clearance_def ap_default_clearance(void);

/// What is checked of one model, and room for it: not to be shared by threads.
typedef struct ap_clearance ap_clearance;
/// Prepare; the model must live as long. AP_E_UNSUPPORTED: a joint of several degrees of freedom.
AP_API ap_status ap_clearance_create(const ap_model *m, const ap_clearance_def *def,
                                     ap_clearance **clearance, ap_error *error);
/// Free it; NULL is allowed.
AP_API void ap_clearance_free(ap_clearance *clearance);
/// Number of pairs of bodies that are checked.
AP_API int ap_clearance_pairs(const ap_clearance *clearance);
/// Two bodies that touch by construction and are not checked, k from 0; false past the last. Where
/// the second is -1, the first is a body whose height never changes and that touches the floor.
AP_API bool ap_clearance_left_out(const ap_clearance *clearance, int k, int pair[2]);

/// Distances, m; INFINITY where nothing is checked. Negative: capsules overlap, are below the
/// floor, the frame is outside the box.
typedef struct ap_distances {
  double self;  ///< between two bodies
  double floor; ///< of a body above the floor
  double box;   ///< of the frame's origin from the nearest side of the box
  int pair[2];  ///< the two bodies; -1 where nothing is checked
  int lowest;   ///< the body next to the floor; -1
  double t[3];  ///< when, s: self, floor, box
} ap_distances;

/// In one pose; w is computed with.
AP_API void ap_clearance_at(ap_clearance *clearance, ap_work *w, const double *q,
                            ap_distances *found);
/// Lower bounds for every time of a trajectory, between samples too. They are at most `tolerance`
/// (m) below the true least distance, unless a million poses do not tell (then they are lower).
/// `enough` (NULL: INFINITY): distances self, floor and box above which nobody asks how large they
/// are; the search then ends with the first pose that is closer, and gives the distances seen up to
/// there. docs/trajectories.md has the argument.
AP_API ap_status ap_traj_clearance(ap_clearance *clearance, ap_work *w, const ap_traj *traj,
                                   const double enough[3], double tolerance, ap_distances *found,
                                   ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
