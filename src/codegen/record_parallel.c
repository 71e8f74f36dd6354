// SPDX-License-Identifier: Apache-2.0
// The closed forms of parallel robots in the tape arithmetic, run once for one robot.

#include <stdlib.h>

#include "base/error.h"
#include "codegen/program.h"
#include "num/vocabulary.inc"
#include "loop/parallel.inc"

// What tells whether a pose is regular: the least of the squares, and the determinant.
static void record_margin(parallel_kind kind, const pose *p, real *margin) {
  real over = r_neg(p->limb[0].square[1]);
  for (int i = 0; i < limbs_of(kind); i++)
    for (int k = 0; k < 2; k++) over = r_max(over, r_neg(p->limb[i].square[k]));
  margin[0] = r_neg(over), margin[1] = p->det;
}

static void run_kernels(parallel_kind kind, const robot *r, ap_program *p, const real *in) {
  const int n = limbs_of(kind);
  const real none[LIMBS] = {r_const(0), r_const(0), r_const(0)};
  const bool forward = p->function == AP_GEN_FORWARD;
  real unused[LIMBS * LIMBS], *margin = p->value + p->output[0].size;
  pose at;
  place(kind, r, in, &at);
  move(kind, r, p->inputs > 1 ? in + n : none, p->inputs > 2 && !forward ? in + 2 * n : none, &at);
  if (p->function == AP_GEN_INERTIA)
    all_matrices(kind, r, &at, p->value, unused);
  else if (forward)
    accelerations(kind, r, &at, in + 2 * n, unused, p->value);
  else
    torques(kind, r, &at, p->value);
  record_margin(kind, &at, margin);
}

unsigned ap__parallel_functions(void) {
  return 1u << AP_GEN_INVERSE | 1u << AP_GEN_INERTIA | 1u << AP_GEN_BIAS | 1u << AP_GEN_GRAVITY |
         1u << AP_GEN_FORWARD;
}

ap_status ap__record_parallel(const ap_parallel *from, int function, ap_program *p,
                              ap_error *error) {
  const int n = ap_parallel_n(from);
  const bool forward = function == AP_GEN_FORWARD, matrix = function == AP_GEN_INERTIA;
  const int size = matrix ? n * n : n;
  *p = (ap_program){
      .function = function,
      .input = {{"q", n}, {"v", n}, {forward ? "tau" : "a", n}},
      .inputs = forward || function == AP_GEN_INVERSE ? 3
                : function == AP_GEN_BIAS             ? 2
                                                      : 1,
      .output = {{matrix    ? "M"
                  : forward ? "a"
                            : "tau",
                  size},
                 {"margin", 2}},
      .outputs = 2,
      .values = size + 2,
  };
  robot r;
  real in[3 * LIMBS], *constant = (real *)&r;
  p->value = malloc((size_t)p->values * sizeof *p->value);
  bool fits = p->value && ap__tape_open(&p->tape);
  for (int i = 0; fits && i < PARALLEL_CONSTANTS; i++)
    constant[i] = r_param(&p->tape, from->f64[i]);
  for (int i = 0; fits && i < p->inputs * n; i++) in[i] = ap__tape_input(&p->tape, i / n, i % n);
  if (fits) run_kernels(from->kind, &r, p, in);
  if (fits && !p->tape.failed) return AP_OK;
  ap__program_free(p);
  return ap__no_memory(error);
}
