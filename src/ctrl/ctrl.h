// SPDX-License-Identifier: Apache-2.0
// What the parts of this module share.

#ifndef AP_CTRL_CTRL_H
#define AP_CTRL_CTRL_H

#include <appell/ctrl.h>
#include <appell/rack.h>

// Has every joint one degree of freedom of its own? AP_E_UNSUPPORTED, with the joint in *error.
ap_status ap__single_joints(const ap_model *m, ap_error *error);

enum { AP__RACK_DELAYS = 256 }; // outputs on their way to the amplifiers, at most

// Whether a simulated rack can be; says what cannot.
ap_status ap__sim_rack_check(const ap_sim_rack_def *def, ap_error *error);

#endif
