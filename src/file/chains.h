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
// A configuration of the tree to begin with.
typedef struct ap__start {
  const char *name; // of a branch; NULL: it is none
  const double *x;  // [ap__robot_nq()]
  int line;
} ap__start;

// What a file says of closed chains that has no coordinates of its own.
typedef struct ap__loops {
  ap_closure_def *closures; // points, axes, points on lines and frames; their names belong to
  const int *lines;         // the robot
  int nclosure;
  const bool *driven;      // [nbody + 1] by number: coordinates are these joints, if they can be
  const ap__start *starts; // the first counts most; one at least
  int nstart;
} ap__loops;

// Make a mechanism of an assembled robot. Its coordinates are joints, driven ones first, and the
// place and orientation of a free base, as many as the closures leave; forces act along them. Each
// start is moved to the nearest configuration in which the chains are closed.
ap_status ap__chains_close(ap_robot *robot, const ap__loops *loops, ap_error *error);
// Coordinates of a joint of that type.
int ap__coordinates_of(ap_joint_type type);
// Coordinates of a robot's tree: all of them, those of a body's joint, and where these begin. A
// fixed joint and a mimic follower have none.
int ap__robot_nq(const ap_robot *robot);
int ap__robot_joint_nq(const ap_robot *robot, int body);
// The configuration with every angle and distance zero and every quaternion the identity.
void ap__robot_neutral(const ap_robot *robot, double *x);

#endif
