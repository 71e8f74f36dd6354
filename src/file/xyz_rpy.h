// SPDX-License-Identifier: Apache-2.0
// Placements as xyz and roll-pitch-yaw, for formats that know nothing else.

#ifndef AP_FILE_XYZ_RPY_H
#define AP_FILE_XYZ_RPY_H

#include <appell/model.h>

// Where the joint frame is in the parent's frame, at q = 0. For AP_DH_STANDARD the link frame lies
// a fixed step beyond it: a along x, then alpha about x.
void ap__joint_xyz_rpy(const ap_placement *place, double xyz[3], double rpy[3]);

#endif
