// SPDX-License-Identifier: Apache-2.0
// Joints that a scenario locks, and the part of a robot that it takes.

#ifndef AP_FILE_YAML_REDUCE_H
#define AP_FILE_YAML_REDUCE_H

#include "file/yaml_map.h"

// What the keys `lock`, `root` and `tip` of the first map fill; NULL where they are not there.
typedef struct ap__yaml_reduction {
  const ap__node *lock;
  const char *root, *tip;
} ap__yaml_reduction;

// Reduce a robot as they say.
bool ap__yaml_reduce(ap__yaml *y, const ap__yaml_reduction *how, ap_robot *robot);

#endif
