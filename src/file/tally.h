// SPDX-License-Identifier: Apache-2.0
// What a file says and a reader does not use: one warning for each kind, with the first line, the
// names that were met and a count.

#ifndef AP_FILE_TALLY_H
#define AP_FILE_TALLY_H

#include "file/robot.h"

// All zero: nothing was met.
typedef struct ap__tally {
  int count, line;
  char names[128]; // different ones, as far as they fit
} ap__tally;

// Count one more; name says what was met.
void ap__tally_add(ap__tally *tally, int line, const char *name);
// The warnings of n kinds in the order of their lines: "TEXT: NAMES (COUNT in all)". The tallies
// are used up. False: no memory.
bool ap__tally_warn(ap__tally *tally, const char *const *text, int n, ap_robot *robot);

#endif
