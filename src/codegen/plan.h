// SPDX-License-Identifier: Apache-2.0
// In which order a program's operations are written, with which signs, and which of them have no
// name of their own.

#ifndef AP_CODEGEN_PLAN_H
#define AP_CODEGEN_PLAN_H

#include "codegen/program.h"

/// What happens to a value before a statement, where registers are few: an input is read, an angle
/// turned, a value goes to a place outside of registers or comes back.
typedef enum ap_move_kind {
  AP_MOVE_LOAD,
  AP_MOVE_TURN, // node: the number of the angle
  AP_MOVE_AWAY,
  AP_MOVE_BACK
} ap_move_kind;

typedef struct ap_move {
  ap_move_kind kind;
  int node, at; // before which statement
  int place;    // from 1
} ap_move;

typedef struct ap_plan {
  const ap_program *p;
  int *integers; // what the arrays of numbers lie in
  bool *marks;   // and those of marks
  int *uses;     // [count] of each node
  int *sign;     // [count] 1: what is written for a node is its value, -1: its negative
  bool *inlined; // [count] written where it is used, not as a statement
  int *order;    // [steps] nodes that are statements
  // All of them; those at the beginning that make angles; those that make pivots and their product;
  // those before it is known whether the state is singular: what is between serves that alone.
  int steps, angle_steps, pivoted, checked;
  int *angle; // [angles] nodes whose sine and cosine are needed, in the order of the nodes
  int angles;
  // Two nodes that one vector does: of the first of a pair the second, of the second the negative
  // of the first; else 0. The first is the statement. Whether the second's factors or terms are
  // taken the other way round is said of the first.
  int *mate;       // [count]
  bool *exchanged; // [count]
  int *place;      // [count] of a node that is an angle, its number in that list from 1; else 0
  // Outputs that are stored right behind the statement that makes them, in lists by that statement:
  bool *stored;     // [values] whether output k is one of them
  int *first_store; // [count] an output, from 1
  int *next_store;  // [values] the next of the same statement, from 1; 0: no more
  int live;         // the most values alive at once
  // A long program is cut into parts, each a function: part p has the statements from[p] up to
  // from[p + 1]; what passes from one to another lies in one array.
  int parts; // 0: not cut
  int *from; // [parts + 1]
  int *part; // [count] of a statement
  int *slot; // [count] place in that array from 1; 0: stays in its part
  int slots; // size of the array
  // Where registers are few, see registers.h:
  ap_move *move; // [moves] in their order
  int moves, places;
  // [count] Where a value is while the plan is written: < 0 out of registers, at that place; > 0
  // the name under which it came back last. NULL: all of them stay where they are. And how often a
  // value has come back.
  int *where, *back;
} ap_plan;

/// The sign that a reference has relative to what is written for its node.
static inline int ap__sign(const ap_plan *plan, int ref) {
  return ref < 0 ? -plan->sign[-ref] : plan->sign[ref];
}

/// The statement that a node is in.
static inline int ap__statement(const ap_plan *plan, int node) {
  return plan->mate[node] < 0 ? -plan->mate[node] : node;
}

/// Plan a program, in pairs where that pays; sign [count] are those of a plan of which this is a
/// slice, so that zeros have the same sign in both; NULL: it is none. False: no memory.
bool ap__plan(const ap_program *p, const int *sign, bool pairs, ap_plan *plan);

/// Statements in a program that is not cut, and in a part of one that is.
typedef struct ap_lengths {
  int whole, part;
} ap_lengths;

/// Cut a planned program where it is long. False: no memory, and the plan is freed.
bool ap__cut(ap_plan *plan, ap_lengths most);

/// Put the statements of a plan, cut or not, in an order in which few have to wait. False: no
/// memory, and the plan is freed.
bool ap__schedule(ap_plan *plan);

/// Nodes that are read as they are: neither statements nor parts of one.
static inline bool ap__is_leaf(const ap_node *n) {
  return n->op == AP_OP_INPUT || n->op == AP_OP_NUMBER || n->op == AP_OP_SIN || n->op == AP_OP_COS;
}

/// The statements and leaves that a statement reads, through what is inlined: calls note for each.
void ap__each_operand(const ap_plan *plan, int statement, void (*note)(void *to, int node),
                      void *to);
void ap__plan_free(ap_plan *plan);

#endif
