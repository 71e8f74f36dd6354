// In which order a program's operations are written, with which signs, and which of them have no
// name of their own.

#ifndef AP_CODEGEN_PLAN_H
#define AP_CODEGEN_PLAN_H

#include "codegen/program.h"

typedef struct ap_plan {
  const ap_program *p;
  int *uses;              // [count] of each node
  int *sign;              // [count] 1: what is written for a node is its value, -1: its negative
  bool *inlined;          // [count] written where it is used, not as a statement
  int *order;             // [steps] nodes that are statements
  int steps, angle_steps; // all of them; those at the beginning that make angles
  int *angle; // [angles] nodes whose sine and cosine are needed, in the order of the nodes
  int angles;
  int *place; // [count] of a node that is an angle, its number in that list from 1; else 0
  int live;   // the most values alive at once
} ap_plan;

bool ap__plan(const ap_program *p, ap_plan *plan);
void ap__plan_free(ap_plan *plan);

#endif
