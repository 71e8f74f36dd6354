// SPDX-License-Identifier: Apache-2.0
// A frozen mechanism.

#ifndef AP_LOOP_MECHANISM_H
#define AP_LOOP_MECHANISM_H

#include <appell/loop.h>

// What one rate of the tree does to the body whose joint it belongs to: the velocity of the link
// frame's origin and the angular velocity, link axes, per unit rate. A mimic joint has screws of
// its own in its leader's columns.
typedef struct ap_screw {
  int column;     // in the tree's v
  double u[3];    // linear
  double e[3];    // angular
  int angle;      // -1, or for AP_PLANAR's x and y, which are constant in the parent's axes and not
  double axis[3]; // in the link's: the entry of the angle in x, and its axis
} ap_screw;

// A body of the tree with its screws, and the way to the ground.
typedef struct ap_way {
  int next;   // the body that carries it, -1: the ground
  int parent; // number of the parent link
  int first;  // of its screws
  int count;
} ap_way;

typedef struct ap_closing {
  ap_closure_def def;
  int row;            // first of its rows
  int rows;           // how many
  int column[2];      // gear: in x's rates; and
  int entry[2];       // in x
  double frame[2][9]; // columns: the frames' axes in the link frames; for a line, axis[1] and two
                      // directions across it are the columns of frame[1]
} ap_closing;

typedef struct ap_measure {
  ap_coordinate_def def;
  int column, entry; // AP_COORDINATE_JOINT
} ap_measure;

struct ap_mechanism {
  const char *name;
  const ap_model *tree;
  int nx, nv; // of the tree
  int n, nact, nrow, nclosing, nscrew, nbranch;
  ap_closing *closing;
  ap_measure *measure;
  int *actuated;        // body numbers, or AP_ALONG_COORDINATE()
  int *actuated_column; // in the tree's v, or AP_ALONG_COORDINATE()
  ap_way *way;          // by body number
  ap_screw *screw;
  double *guess;
  ap_branch_def *branch;
  double *branch_guess; // [nbranch * nx]
};

#endif
