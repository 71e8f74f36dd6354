// SPDX-License-Identifier: Apache-2.0
// Inertial parameters of all bodies about their own origins, and their regrouping.

#ifndef AP_CODEGEN_REGROUP_H
#define AP_CODEGEN_REGROUP_H

#include "model/pack.h"

// Ten numbers of a body in its internal frame.
typedef struct ap_lumps {
  double mass, moment[3], inertia[6]; // kg; m com; xx xy xz yy yz zz about the origin
} ap_lumps;

/// Those of the packed bodies as they are; lumps is [nbody].
void ap__lumps_of(const ap_model *m, ap_lumps *lumps);

/// Move to the parent what the joint cannot tell apart: of a body that turns about z the masses on
/// its axis (mass, first moment along z, and equal parts of Ixx and Iyy, so many that the zz of
/// Euler's tensor vanishes), of a body that slides its whole inertia tensor, of a body on a
/// spherical joint its mass. No joint force changes. Returns how many parameters were moved.
int ap__regroup(const ap_model *m, ap_lumps *lumps);

#endif
