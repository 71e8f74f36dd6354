// SPDX-License-Identifier: Apache-2.0
// Springs and dampers of joints and frames: what ap_ctrl adds for its impedances.

#ifndef AP_CTRL_IMPEDANCE_H
#define AP_CTRL_IMPEDANCE_H

#include <appell/ctrl.h>
#include <appell/kin.h>

typedef struct ap__impedance ap__impedance;

// Bytes for n joints; the memory is aligned to 64.
size_t ap__impedance_size(int n);
// What is wrong with it, for this law; NULL: nothing.
const char *ap__impedance_check(const ap_model *m, ap_law law, const ap_impedance *def);
ap__impedance *ap__impedance_init(const ap_model *m, const ap_impedance *def, void *mem);
// Dampers that were not given, from the diagonal of M.
void ap__impedance_reset(ap__impedance *z, const double *diagonal);

// Of joint j, N m/rad.
double ap__impedance_stiffness(const ap__impedance *z, int j);

// M a_d + C(q, v) v_d + G.
void ap__impedance_forward(ap__impedance *z, const ap_model *m, ap_work *w, const ap_traj_state *d,
                           const double *q, const double *v, double *tau);
// Add the springs and dampers of the joints.
void ap__impedance_joint(const ap__impedance *z, const ap_traj_state *d, const double *q,
                         const double *v, double *tau);
// Add those of the frame, and of the posture. rotor: at the joints, for M.
void ap__impedance_task(ap__impedance *z, const ap_model *m, ap_work *w, const double *rotor,
                        const ap_traj_state *d, const double *q, const double *v, double *tau);

#endif
