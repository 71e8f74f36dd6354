// SPDX-License-Identifier: Apache-2.0
// Functions of a robot with their derivatives, as CasADi's external functions want them.

#ifndef AP_CODEGEN_CASADI_H
#define AP_CODEGEN_CASADI_H

#include "codegen/c_source.h"

/// What a function f is derived to. With y = f(x), inputs x and outputs y:
typedef enum ap_external {
  AP_EXT_VALUE,        ///< f: x -> y
  AP_EXT_JACOBIAN,     ///< jac_f: x, y -> dy/dx
  AP_EXT_FORWARD,      ///< fwd1_f: x, y, dx -> dy/dx dx
  AP_EXT_ADJOINT,      ///< adj1_f: x, y, w -> w' dy/dx
  AP_EXT_ADJ_JACOBIAN, ///< jac_adj1_f: x, y, w, w' dy/dx -> its derivatives by x, y and w
  AP_EXT_ADJ_FORWARD,  ///< fwd1_adj1_f: x, y, w, w' dy/dx, dx, dy, dw -> its derivative along
  AP_EXTERNALS
} ap_external;

/// One of these of one function.
typedef struct ap_ext_program {
  ap_program p;
  ap_external kind;
  /// Of the outputs, before zeros are left out: blocks (an output of f, or its gradient by an
  /// input; by a variable), each of rows x columns, column-major; *kept says which entries are.
  int blocks, rows[AP_MOST_ARRAYS], columns[AP_MOST_ARRAYS];
  int place[AP_MOST_ARRAYS]; // of a block among the program's outputs; -1: nothing is left of it
  bool *kept;
} ap_ext_program;

/// A function, its arrays, and where its programs are.
typedef struct ap_ext_function {
  char *name; // without the robot's: "gravity", "frame_tool_pose"
  ap_array input[AP_MOST_ARRAYS], output[AP_MOST_ARRAYS];
  int inputs, outputs;
  int columns[AP_MOST_ARRAYS]; // of an output
  int first;                   // of its programs, in the order of ap_external
} ap_ext_function;

/// All of them.
typedef struct ap_ext_set {
  ap_ext_function *function;
  ap_ext_program *program;
  int functions, programs, kinds; // kinds: the first of ap_external that each function has
} ap_ext_set;

/// Bits of the functions that there are: of a robot, or of a parallel one.
unsigned ap__casadi_functions(bool parallel);
/// Record and derive; `how` has all but function and frames. Of a parallel robot m is NULL.
ap_status ap__record_externals(const ap_model *m, const ap_parallel *parallel,
                               const ap_generate_options *options, const ap_recording *how,
                               ap_ext_set *set, ap_error *error);
void ap__free_externals(ap_ext_set *set);

/// NAME.c and NAME.h; the unit's parts are the set's programs.
void ap__put_casadi_source(ap__text *t, const ap_unit *u, const ap_ext_set *set);
void ap__put_casadi_header(ap__text *t, const ap_unit *u, const ap_ext_set *set);

#endif
