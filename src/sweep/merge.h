// SPDX-License-Identifier: Apache-2.0
#ifndef AP_SWEEP_MERGE_H
#define AP_SWEEP_MERGE_H

#include "sweep/study.h"

// Are all chunks of the study in the folder? AP_E_FILE, and what is wrong with the first that is
// not.
ap_status ap__merge_check(const ap_sweep *s, const char *folder, ap_error *error);

#endif
