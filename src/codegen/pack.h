// SPDX-License-Identifier: Apache-2.0
// Pairs of operations that one vector of two numbers does at once, within one state.

#ifndef AP_CODEGEN_PACK_H
#define AP_CODEGEN_PACK_H

#include "codegen/plan.h"

/// What vectors do.
typedef enum ap_form_kind {
  AP_FORM_NONE,
  AP_FORM_SUM,     // x + y
  AP_FORM_PRODUCT, // x y
  AP_FORM_QUOTIENT,
  AP_FORM_FUSED // x y + z
} ap_form_kind;

/// An operand as it is written: a node, or 0 and a number; and with which sign.
typedef struct ap_term {
  int node;
  double k;
  bool negative;
} ap_term;

/// What is written for a node. The first factor of a fused product has no sign, the second has that
/// of the product; factors of others have none.
typedef struct ap_form {
  ap_form_kind kind;
  int terms;
  ap_term term[AP_MOST_OPERANDS];
} ap_form;
ap_form ap__form_of(const ap_plan *plan, int node);

/// What is written for a pair: the operands of both, those of the second in the order in which they
/// fit best. Signs are the first's; where the second's differs, its number or node is negated.
typedef struct ap_pair_form {
  ap_form_kind kind;
  int terms;
  ap_term term[2][AP_MOST_OPERANDS]; // [lane][operand]
  bool flipped[AP_MOST_OPERANDS];    // the second's node has the other sign
} ap_pair_form;
ap_pair_form ap__pair_form(const ap_plan *plan, int first);

/// How two operands become a vector.
typedef enum ap_join_way {
  AP_JOIN_NUMBERS, // both are known
  AP_JOIN_PAIR,    // they are a pair
  AP_JOIN_SPLAT,   // they are the same
  AP_JOIN_LOAD,    // they lie side by side in memory
  AP_JOIN_SWAP,    // they are a pair the other way round
  AP_JOIN_APART    // none of these
} ap_join_way;
ap_join_way ap__join_way(const ap_plan *plan, ap_term x, ap_term y);

/// Choose the pairs of a plan that has no order yet, where they pay. False: no memory.
bool ap__choose_pairs(ap_plan *plan);

#endif
