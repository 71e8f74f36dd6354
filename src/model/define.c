// SPDX-License-Identifier: Apache-2.0
#include <appell/mechanism.h>

#include <math.h>

ap_body_def ap_default_body(void) {
  return (ap_body_def){
      .joint = AP_FIXED,
      .place = {.kind = AP_PLACE_RPY, .matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      .axis = {0, 0, 1},
      .gear_ratio = 1,
      .lower = -INFINITY,
      .upper = INFINITY,
      .velocity_limit = INFINITY,
      .effort_limit = INFINITY,
      .mimic_ratio = 1,
      .cookie = AP_COOKIE,
  };
}

ap_robot_def ap_default_robot(void) {
  return (ap_robot_def){.name = "robot", .gravity = {0, 0, -9.81}, .cookie = AP_COOKIE};
}

ap_closure_def ap_default_closure(void) {
  return (ap_closure_def){.axis = {{0, 0, 1}, {0, 0, 1}}, .ratio = 1, .cookie = AP_COOKIE};
}
