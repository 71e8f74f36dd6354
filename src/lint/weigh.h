// SPDX-License-Identifier: Apache-2.0
// What the shapes of a link weigh.

#ifndef AP_LINT_WEIGH_H
#define AP_LINT_WEIGH_H

#include <appell/weigh.h>

#include "file/robot.h"
#include "file/solid.h"

enum { WEIGH_TEXT = 480 };

// The shapes of one kind of a link.
typedef struct shapes_weighed {
  bool good;
  char problem[WEIGH_TEXT]; // why they are not
  char remark[WEIGH_TEXT];  // what is doubtful
  int n;
  bool hulls; // some are weighed by their convex hull
  double overlap;
  ap__solid solid; // all of them, of density 1, in the link frame
} shapes_weighed;

// Append a sentence to a text.
void ap__weigh_say(char text[WEIGH_TEXT], const char *format, ...) AP_PRINTF(2, 3);
// AP_E_MEMORY, or AP_OK.
ap_status ap__weigh_shapes(const ap_robot *robot, int body, bool collision, const char *path,
                           shapes_weighed *out, ap_error *error);

// The links of a URDF text that was read past its mistakes, as bodies without joints; *lost says of
// each one (from 0) whether its <inertial> is not complete. The caller frees both, and gets neither
// where it fails.
ap_status ap__weigh_read(const char *text, size_t length, const char *path, ap_robot **robot,
                         bool **lost, ap_error *error);

struct ap_weighing {
  ap_weighed *link;
  int n, capacity;
  ap__pool pool;
};

#endif
