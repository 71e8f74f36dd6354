// SPDX-License-Identifier: Apache-2.0
// What makes a mechanism with closed chains of a robot: closures, coordinates, actuated joints,
// configurations to begin with.

#ifndef AP_FILE_CHAINS_H
#define AP_FILE_CHAINS_H

#include "file/robot.h"

// What a line belongs to.
typedef enum ap__chain_part {
  AP__CHAIN_CLOSURE,
  AP__CHAIN_COORDINATE,
  AP__CHAIN_ACTUATOR,
  AP__CHAIN_BRANCH,
  AP__CHAIN_PARTS
} ap__chain_part;

// Names belong to the robot's pool, arrays to this.
struct ap__chains {
  ap_mechanism_def def; // its arrays are these
  ap_closure_def *closures;
  ap_coordinate_def *coordinates;
  int *actuated;
  double *guess;
  ap_branch_def *branches;
  double *configurations;      // [nbranch * nq], those of the branches
  int *lines[AP__CHAIN_PARTS]; // of each entry; 0: unknown
  int line, guess_line;        // of what is said of closed chains at all, and of the guess
};

// Arrays for the counts of a definition, all zero, hung on the robot, whose bodies are there. The
// robot frees them. NULL: no memory.
ap__chains *ap__chains_new(ap_robot *robot, const ap_mechanism_def *counts, bool guess);
void ap__chains_free(ap__chains *chains);
// Coordinates of a robot's tree: all of them, those of a body's joint, and where these begin. A
// fixed joint and a mimic follower have none.
int ap__robot_nq(const ap_robot *robot);
int ap__robot_joint_nq(const ap_robot *robot, int body);
// The configuration with every angle and distance zero and every quaternion the identity.
void ap__robot_neutral(const ap_robot *robot, double *x);

#endif
