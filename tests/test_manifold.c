// SPDX-License-Identifier: Apache-2.0
// The text of the configuration manifold in binary128: what the library computes in double, and the
// law that a difference undoes a step. tests/test_ik.c has the laws of the library's own.

#include <appell/kin.h>

#include "model/frozen.h"
#include "models.h"
#include "research/f128.h"
#include "test.h"

#ifdef AP_HAVE_F128

#include "research/arith_f128.h"
#include "num/vocabulary.inc"
#include "kin/quaternion.h"
#include "kin/manifold.inc"

static void widen(int n, const double *x, real *y) {
  for (int k = 0; k < n; k++) y[k] = (real)x[k];
}
static void narrow(int n, const real *x, double *y) {
  for (int k = 0; k < n; k++) y[k] = (double)x[k];
}

// Sizes are 4 at most; double rounds ten operations, binary128 none of them. The law: series begin
// below a tenth and end where a double does.
static void check_state(const ap_model *m, motion *s, double size) {
  real q[ROBOT_Q], v[ROBOT_V], to[ROBOT_Q], back[ROBOT_V];
  double in_double[ROBOT_Q], exact[ROBOT_Q];
  int nq = ap_nq(m), nv = ap_nv(m);
  for (int i = 0; i < nv; i++) s->v[i] *= size;
  widen(nq, s->q, q), widen(nv, s->v, v);
  integrate_configuration(m, q, v, to);
  narrow(nq, to, exact);
  ap_integrate(m, s->q, s->v, in_double);
  CHECK_WITHIN(in_double, exact, nq, 4e-15);
  difference_of_configurations(m, q, to, back);
  for (int i = 0; i < nv; i++) back[i] -= v[i];
  narrow(nv, back, exact);
  memset(in_double, 0, sizeof in_double);
  CHECK_WITHIN(exact, in_double, nv, size > 0.5 ? 1e-30 : 1e-17 * size);
}

// Turns of less than pi about every axis, some of them large for certain.
TEST(difference_undoes_a_step) {
  FOR_EACH_MODEL (r) {
    FOR_EACH_STATE (r, s, 10) {
      motion large = s, small = s;
      for (int i = 0; i < ap_nv(r->m); i++) large.v[i] += large.v[i] < 0 ? -0.3 : 0.3;
      check_state(r->m, &large, 1);
      check_state(r->m, &small, 0.01);
      check_state(r->m, &small, 1e-8);
    }
  }
}

#else
TEST(difference_undoes_a_step) { test_skip("no binary128"); }
#endif
