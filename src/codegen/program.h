// SPDX-License-Identifier: Apache-2.0
// One function of a robot as a program: its arrays, and a tape with a value for every output.

#ifndef AP_CODEGEN_PROGRAM_H
#define AP_CODEGEN_PROGRAM_H

#include <appell/codegen.h>
#include <appell/parallel.h>
#include <math.h>

#include "codegen/tape.h"

enum { AP_MOST_ARRAYS = 16 };

/// What rollouts are made of besides the functions of codegen.h, see batch/step.inc.
enum { AP_ROLLOUT_FORCES = AP_FUNCTIONS, AP_ROLLOUT_STEP, AP_RECORDED };

/// Derivatives of forward dynamics by the numbers q, v and tau; what each has for arrays is in
/// set_arrays(). Matrices are column-major.
enum {
  AP_FORWARD_ALONG = AP_RECORDED, ///< in one direction
  AP_FORWARD_JACOBIAN,            ///< in all of them
  AP_FORWARD_ADJOINT,             ///< of adj_a . a: the gradient
  AP_FORWARD_TWICE,               ///< the gradient's in one direction
  AP_FORWARD_HESSIAN,             ///< and in all
  AP_COORDINATE_RATES             ///< q v -> dq/dt
};

typedef struct ap_array {
  const char *name;
  int size;
} ap_array;

/// What stands behind the pivots for the rule of num/singular.h: the product of sizes over pivots;
/// x . M x and x . S x, which are asked for where the product is not small.
enum { AP_OF_PRODUCT, AP_OF_ENERGY, AP_OF_SIZE, AP_OF_PROBE };

typedef struct ap_program {
  int function; // an ap_function, or one of the above
  int frame;    // whose Jacobian it is
  ap_array input[AP_MOST_ARRAYS], output[AP_MOST_ARRAYS];
  int inputs, outputs;
  bool in_place; // the last input may be the output
  ap_tape tape;
  real *value; // [values] the outputs one array after the other, then what tells singular states
  int values;  // entries of all outputs
  int pivots;  // inverse pivots behind them; and behind these, if any, as AP_OF_ ... says
  ap_count operations; // of a simplified tape, before products are fused
} ap_program;

/// Ways to the inertia matrix: columns in link frames, in the root's axes, loads in link frames.
enum { AP_INERTIA_WAYS = 3 };

/// What is recorded, and how.
typedef struct ap_recording {
  int function;
  int frame;         // of a Jacobian
  const int *frames; // [nframes] of forward_kinematics
  int nframes;
  int inertia;   // the way to the inertia matrix
  bool regroup;  // inertial parameters
  bool friction; // with friction and rotors
  // Derivatives by the library's recursion instead of differentiating the tape; forward dynamics by
  // articulated bodies instead of the factorised inertia matrix.
  bool second;
} ap_recording;

/// Array k of its inputs and, behind these, outputs.
static inline const ap_array *ap__array(const ap_program *p, int k) {
  return k < p->inputs ? &p->input[k] : &p->output[k - p->inputs];
}

/// Run the kernels of one function on the tape.
ap_status ap__record(const ap_model *m, const ap_recording *how, ap_program *p, ap_error *error);
/// The same in the cheapest way, and simplified; m is NULL where `parallel` is not.
ap_status ap__record_shortest(const ap_model *m, const ap_parallel *parallel, ap_recording *how,
                              ap_program *p, ap_error *error);
/// The same of a parallel robot: one of ap__parallel_functions(), a bit each.
ap_status ap__record_parallel(const ap_parallel *r, int function, ap_program *p, ap_error *error);
unsigned ap__parallel_functions(void);
/// The value of an output that a slice leaves to others: no program has such a number.
static inline real ap__left_out(void) { return (real){.v = NAN}; }
static inline bool ap__is_left_out(real x) { return x.node == 0 && isnan(x.v); }
/// Number of outputs with their pivots.
static inline int ap__program_values(const ap_program *p) {
  return p->values + (p->pivots > 0 ? p->pivots + AP_OF_PROBE : 0);
}
/// One of them.
static inline real ap__probe_value(const ap_program *p, int which) {
  return p->value[p->values + p->pivots + which];
}
/// Nodes up to the last that outputs, pivots and their product need: the probe is recorded last.
int ap__program_nodes(const ap_program *p);
void ap__program_free(ap_program *p);

/// Add to uses [count] how often each node is used: by nodes that an output needs, and by outputs;
/// [0] is what is said of numbers.
void ap__count_uses(const ap_program *p, int *uses);
/// Rewrite the tape for fewer operations, and keep nothing that no output needs. False: no memory.
bool ap__simplify(ap_program *p);
/// Fuse products with sums where that makes a simplified tape shorter. False: no memory.
bool ap__fuse(ap_program *p);

#endif
