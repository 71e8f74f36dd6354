// SPDX-License-Identifier: Apache-2.0
// The text of the configuration manifold, counted: the values of the library to rounding, because
// it may fuse products, and what a step costs.

#include <appell/kin.h>

#include "model/frozen.h"
#include "models.h"
#include "test.h"

#include "research/arith_count.h"
#include "num/vocabulary.inc"
#include "kin/quaternion.h"
#include "kin/manifold.inc"

TEST(values_and_operations_of_a_step) {
  FOR_EACH_MODEL (r) {
    FOR_EACH_STATE (r, s, 3) {
      const ap_model *m = r->m;
      ap_count count = {0};
      real q[ROBOT_Q], v[ROBOT_V], to[ROBOT_Q];
      double expected[ROBOT_Q], got[ROBOT_Q];
      int turns = 0, others = 0;
      for (int i = 0; i < ap_nq(m); i++) q[i] = r_input(&count, s.q[i]);
      for (int i = 0; i < ap_nv(m); i++) v[i] = r_input(&count, s.v[i]);
      for (int i = 1; i < m->nbody; i++) {
        const ap_joint *j = &m->joint[i];
        if (j->leader) continue;
        if (j->type == AP_FREE || j->type == AP_SPHERICAL)
          turns += j->type == AP_FREE ? 2 : 1;
        else
          others += j->nv;
      }
      integrate_configuration(m, q, v, to);
      ap_integrate(m, s.q, s.v, expected);
      for (int i = 0; i < ap_nq(m); i++) got[i] = r_store(to[i]);
      CHECK_WITHIN(got, expected, ap_nq(m), 1e-14 * (1 + test_norm(expected, ap_nq(m))));
      CHECK_EQ_INT(count.sincos, turns); // one of a quaternion, one of a screw
      if (turns == 0) CHECK_EQ_INT(count.add, others);
      if (turns == 0) CHECK_EQ_INT(count.mul + count.div + count.sqrt, 0);
    }
  }
}
