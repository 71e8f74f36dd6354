// SPDX-License-Identifier: Apache-2.0
// Closed chains as C: programs for closures and tree, and around them what solves the closures.

#ifndef AP_CODEGEN_CLOSED_H
#define AP_CODEGEN_CLOSED_H

#include <appell/loop.h>

#include "codegen/c_source.h"

/// Parts of the text, which are written where a function needs them.
enum {
  AP_CLOSED_PLACE = 1 << 0,    // assembly
  AP_CLOSED_PRODUCTS = 1 << 1, // of matrices
  AP_CLOSED_FORCES = 1 << 2,   // on the coordinates
  AP_CLOSED_ACT = 1 << 3,      // forces of the actuators
  AP_CLOSED_INVERSE = 1 << 4,
  AP_CLOSED_BIAS = 1 << 5,
  AP_CLOSED_GRAVITY = 1 << 6,
  AP_CLOSED_MASS = 1 << 7, // the inertia matrix
  AP_CLOSED_INERTIA = 1 << 8,
  AP_CLOSED_SOLVE = 1 << 9, // with it
  AP_CLOSED_FORWARD = 1 << 10,
  AP_CLOSED_SLOPES = 1 << 11, // of the forces on the coordinates
  AP_CLOSED_DINVERSE = 1 << 12,
  AP_CLOSED_DFORWARD = 1 << 13,
  AP_CLOSED_KINEMATICS = 1 << 14
};

typedef struct ap_closed_text {
  int part;
  const char *text; // a template, see ap__put_text(); NULL behind the last
} ap_closed_text;
extern const ap_closed_text ap__closed_text[];

/// Programs of closures and coordinates, by the tree's configuration x. F are Phi and s.
typedef enum ap_closed_program {
  AP_CLOSURE_VALUES,   // x -> F
  AP_CLOSURE_JACOBIAN, // x -> K, by the tree's rates
  AP_CLOSURE_BIAS,     // x xd -> K' xd
  AP_CLOSURE_TURN,     // x y -> dK, the derivative of K along y
  AP_CLOSURE_CHANGE,   // x xd xdd y dxd -> the change of K xdd + K' xd along y, xd changing by dxd
  AP_CLOSED_PROGRAMS
} ap_closed_program;

/// Run the texts about bodies and closures on the tape.
ap_status ap__record_closed(const ap_mechanism *m, ap_closed_program which, ap_program *p,
                            ap_error *error);

/// Functions that a mechanism can have, a bit each; and what each needs of the text.
unsigned ap__closed_functions(void);
int ap__closed_parts(int function);
/// The comment at the top.
void ap__put_closed_banner(ap__text *t, const ap_unit *u, const char *ending);
/// The rest of NAME.c behind its programs, and NAME.h.
void ap__put_closed_source(ap__text *t, const ap_unit *u);
void ap__put_closed_header(ap__text *t, const ap_unit *u);

#endif
