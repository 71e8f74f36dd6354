// SPDX-License-Identifier: Apache-2.0
// Several robots as one.

#ifndef AP_FILE_JOIN_H
#define AP_FILE_JOIN_H

#include <appell/file.h>

// Append a robot to another: a link called `name`, fixed to the ground at xyz and rpy, which
// carries what its file fixes to the ground; its bodies, joints and frames are called NAME_THEIRS.
// Gravity is that of the first. AP_E_UNSUPPORTED where one of both has closed chains; AP_E_MEMORY.
// The first is to be freed only then.
ap_status ap__robot_join(ap_robot *to, const ap_robot *from, const char *name, const double xyz[3],
                         const double rpy[3], ap_error *error);

#endif
