// SPDX-License-Identifier: Apache-2.0
// Placements as xyz and roll-pitch-yaw and inertias as principal moments, for formats that know
// nothing else.

#ifndef AP_FILE_XYZ_RPY_H
#define AP_FILE_XYZ_RPY_H

#include <appell/model.h>

bool ap__all_zero(const double *x, int n);

// Where the joint frame is in the parent's frame, at q = 0. For AP_DH_STANDARD the link frame lies
// a fixed step beyond it: a along x, then alpha about x.
void ap__joint_xyz_rpy(const ap_placement *place, double xyz[3], double rpy[3]);

// Where the link frame is in the parent's frame, at q = 0.
void ap__link_xyz_rpy(const ap_placement *place, double xyz[3], double rpy[3]);
// A frame that b places in a frame that a places.
void ap__compose_xyz_rpy(const double a_xyz[3], const double a_rpy[3], const double b_xyz[3],
                         const double b_rpy[3], double xyz[3], double rpy[3]);
// A vector in the axes of rpy.
void ap__turn_back(const double rpy[3], const double x[3], double out[3]);
// Roll, pitch, yaw of a quaternion x y z w of any length; zeros are the identity.
void ap__quaternion_rpy(const double q[4], double rpy[3]);
// The x and y axes of a planar joint about `axis`: those of the joint frame, turned by the smallest
// rotation that takes z to it.
void ap__planar_axes(const double axis[3], double x[3], double y[3]);
// Mass, centre of mass, principal moments about it and their axes, in the frame of a link.
typedef struct ap__inertia {
  double mass, com[3], moment[3], rpy[3];
} ap__inertia;
// Those of a body. Of a tensor that is diagonal as it stands every bit is kept.
ap__inertia ap__inertia_of(const ap_body_def *body);
// The tensor of a body in the axes of its link.
void ap__tensor_of(const ap_body_def *body, double tensor[6]);
// Add that of a link which is placed by xyz and rpy.
void ap__inertia_add(ap__inertia *sum, const ap__inertia *part, const double xyz[3],
                     const double rpy[3]);

#endif
