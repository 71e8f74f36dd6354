// SPDX-License-Identifier: Apache-2.0
// The expression graph that kernels leave behind when they run on the tape arithmetic.
//
// Every node has a number above that of its operands. Equal nodes are one (hash-consing), signs are
// part of the reference and not of the node, and what is known is folded as it comes in, in double,
// the arithmetic of the library that the result must agree with.

#ifndef AP_CODEGEN_TAPE_H
#define AP_CODEGEN_TAPE_H

#include <stdbool.h>

#include "num/arith_tape.h"

typedef enum ap_op {
  AP_OP_INPUT,     // entry b of input array a
  AP_OP_NUMBER,    // k, where an operation below takes one
  AP_OP_SIN,       // of node a
  AP_OP_COS,       // of node a
  AP_OP_ADD,       // a + b; a > 0
  AP_OP_ADD_CONST, // a + k; a > 0
  AP_OP_MUL,       // a b; both > 0
  AP_OP_MUL_CONST, // k a; both > 0
  AP_OP_DIV,       // a / b; both > 0
  AP_OP_DIV_CONST, // k / a; both > 0
  AP_OP_FMA,       // a b + c; a and b > 0
  AP_OP_SIGN,      // of a > 0: 1, -1, or 0 where a is neither
  AP_OP_MAX,       // the larger of a and b; NaN if one is
  AP_OP_SQRT,      // of a
  AP_OP_ANGLE,     // of the direction (b, a)
  AP_OP_PICK       // b where a > 0, else c
} ap_op;

enum { AP_OPS = AP_OP_PICK + 1, AP_MOST_OPERANDS = 3 };

typedef struct ap_node {
  ap_op op;
  int a, b, c; // operands: > 0 a node, < 0 its negative; 0: none
  double k;    // the number of ..._CONST
} ap_node;

struct ap_tape {
  ap_node *node; // [count], from 1
  int count, room;
  int *slot;   // [slots] hash table of node numbers, 0: free
  int slots;   // a power of two
  bool failed; // memory ran out: what was recorded since is worthless
};

bool ap__tape_open(ap_tape *t);
void ap__tape_close(ap_tape *t);

/// Entry i of input array k.
real ap__tape_input(ap_tape *t, int k, int i);
/// The value of a reference.
real ap__tape_ref(ap_tape *t, int ref);
/// a b + c as one node, where it cannot be folded.
real ap__tape_fma(ap_tape *t, real a, real b, real c);
/// The node that op applied to these operands is after all simplifications; operands are any
/// references, k is read where op has a number.
real ap__tape_apply(ap_tape *t, const ap_node *n, const real of[AP_MOST_OPERANDS]);

/// Number of operands that are nodes.
static inline int ap__operands(const ap_node *n) {
  switch (n->op) {
    case AP_OP_INPUT:
    case AP_OP_NUMBER: return 0;
    case AP_OP_ADD:
    case AP_OP_MUL:
    case AP_OP_DIV:
    case AP_OP_MAX:
    case AP_OP_ANGLE: return 2;
    case AP_OP_FMA:
    case AP_OP_PICK: return 3;
    case AP_OP_SIN:
    case AP_OP_COS:
    case AP_OP_ADD_CONST:
    case AP_OP_MUL_CONST:
    case AP_OP_DIV_CONST:
    case AP_OP_SIGN:
    case AP_OP_SQRT: break;
  }
  return 1;
}

/// The reference that operand i of them is.
static inline int ap__operand(const ap_node *n, int i) {
  return i == 0 ? n->a : i == 1 ? n->b : n->c;
}

#endif
