// SPDX-License-Identifier: Apache-2.0
// Numbers of a file of keys and values, replaced where they stand; and numbers of a robot.

#ifndef AP_SWEEP_PATCH_H
#define AP_SWEEP_PATCH_H

#include "file/text.h"
#include "file/tree.h"

// A number in a text.
typedef struct ap__place {
  size_t offset, length;
  double nominal;
} ap__place;

// Find the number that a key means: names and numbers of entries with dots between, such as
// walls.ground.restitution or start.base.position.2; entries of a list also by their `name`,
// `joint` or `link`. False, and the reason in `why`.
bool ap__place_find(const ap__tree *tree, const char *text, const char *key, ap__place *place,
                    char *why, size_t size);
// The text with n numbers in these places, which are ordered and do not overlap.
void ap__place_write(const char *text, size_t length, const ap__place *place, const double *value,
                     int n, ap__text *to);

// A number of a body.
typedef struct ap__body_place {
  int body;      // bodies[k] of the definition
  size_t offset; // in ap_body_def
  bool density;  // mass and inertia together
  double nominal;
} ap__body_place;

// Find LINK.FIELD, or JOINT.FIELD, of a robot: mass, com.x, inertia.xx, density, viscous, ...
bool ap__body_find(const ap_robot *robot, const char *key, ap__body_place *place, char *why,
                   size_t size);
void ap__body_set(ap_robot *robot, const ap__body_place *place, double value);

#endif
