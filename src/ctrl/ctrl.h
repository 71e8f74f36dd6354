// SPDX-License-Identifier: Apache-2.0
// What the parts of this module share.

#ifndef AP_CTRL_CTRL_H
#define AP_CTRL_CTRL_H

#include <appell/ctrl.h>
#include <appell/rack.h>

// Has every joint one degree of freedom of its own? AP_E_UNSUPPORTED, with the joint in *error.
ap_status ap__single_joints(const ap_model *m, ap_error *error);

// Largest torques [nv] of a controller, its gains, and the diagonal of M with rotors where it was
// reset.
const double *ap__ctrl_limit(const ap_ctrl *c);
const ap_gains *ap__ctrl_gains(const ap_ctrl *c);
const double *ap__ctrl_diagonal(const ap_ctrl *c);
// The inertia matrix there, [n * n], without rotors.
const double *ap__ctrl_inertia(const ap_ctrl *c);

// Whether the wiring of joint j can be; says what cannot.
ap_status ap__axis_check(const ap_axis *axis, int j, ap_error *error);

// N m/rad with which the law holds joint j; 0: not by joint.
double ap__ctrl_stiffness(const ap_ctrl *c, int j);

enum { AP__RACK_DELAYS = 256 }; // outputs on their way to the amplifiers, at most

// Whether drives on a CAN bus can be; says what cannot.
ap_status ap__cia402_check(const ap_cia402_def *def, ap_error *error);

// Whether a simulated rack can be; says what cannot.
ap_status ap__sim_rack_check(const ap_sim_rack_def *def, ap_error *error);

#endif
