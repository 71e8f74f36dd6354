// SPDX-License-Identifier: Apache-2.0
// MJCF: closed chains.

#ifndef AP_FILE_MJCF_LOOPS_H
#define AP_FILE_MJCF_LOOPS_H

#include "file/mjcf.h"

// Refuse keyframes that are none of this robot.
void ap__mjcf_check_keys(mjcf *m);
// Close the chains of an assembled robot, or leave them open where the options say so.
ap_status ap__mjcf_close(mjcf *m);

#endif
