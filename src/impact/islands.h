// SPDX-License-Identifier: Apache-2.0
// Touches apart: an island is a set of touches that trees of joints couple. No impulse reaches from
// one to another, so each is an impact of its own, with the freedoms of its trees alone.

#ifndef AP_IMPACT_ISLANDS_H
#define AP_IMPACT_ISLANDS_H

#include <appell/impact.h>

#include "base/arena.h"

typedef struct ap_islands {
  int n;       // how many
  int *start;  // [n + 1] the first touch of each, of
  int *order;  // [touches] the touches, island by island, otherwise as they were
  int *ntree;  // [n + 1] likewise the first tree of each, of
  int *tree;   // [trees + 1] the first freedom of each tree, of
  int *rate;   // [rates] places in v, tree by tree
  int *root;   // [bodies] the first body of the tree of each; 0: the ground
  int *number; // [bodies] the place of a tree, by its root; -1: nothing touches it
  int *label;  // [bodies] room: to which other tree of its island a tree leads
  int *owner;  // [rates] the root of a rate's tree
} ap_islands;

// Room for n touches.
void ap__islands_take(ap_arena *a, const ap_model *m, int n, ap_islands *s);
// Find them. With `whole` all touches and all rates are one.
void ap__islands_find(const ap_model *m, int n, const ap_touch *touch, bool whole, ap_islands *s);
// The trees that a touch is between, as they are counted in `tree`; -1: none.
void ap__islands_trees(const ap_model *m, const ap_islands *s, const ap_touch *touch, int tree[2]);

#endif
