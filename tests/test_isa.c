// SPDX-License-Identifier: Apache-2.0
// The kernels give the same bits whatever instruction set they were compiled for.

#include <appell/dyn.h>
#include <appell/kin.h>

#include "base/isa.h"
#include "models.h"

#define motion frame_motion // tests have a motion of their own
#include "kin/text_f64.h"

#include "dyn/parts.inc"
#undef motion

// The kernels of the library, part by part.
typedef struct build {
  const gravity_kernels *gravity;
  const inverse_kernels *inverse;
  const inertia_kernels *inertia;
  const solver_kernels *solver;
} build;

#define BUILD(isa)                                                                  \
  extern const gravity_kernels ap__gravity_f64_##isa;                               \
  extern const inverse_kernels ap__inverse_f64_##isa;                               \
  extern const inertia_kernels ap__inertia_f64_##isa;                               \
  extern const solver_kernels ap__solver_f64_##isa;                                 \
  static const build build_##isa = {&ap__gravity_f64_##isa, &ap__inverse_f64_##isa, \
                                    &ap__inertia_f64_##isa, &ap__solver_f64_##isa};
BUILD(base)
#ifdef AP_HAVE_ISA_V3
BUILD(v3)
#endif
#ifdef AP_HAVE_ISA_V4
BUILD(v4)
#endif

// The builds that this processor runs.
static int builds(const build *table[3]) {
  int n = 0;
  table[n++] = &build_base;
#ifdef AP_HAVE_ISA_V3
  if (runs_v3()) table[n++] = &build_v3;
#endif
#ifdef AP_HAVE_ISA_V4
  if (runs_v4()) table[n++] = &build_v4;
#endif
  return n;
}

static void use(ap_work *w, const build *b) {
  w->hold->by = *b->gravity, w->inverse->by = *b->inverse;
  w->inertia->by = *b->inertia, w->solver->by = *b->solver;
}

typedef struct results {
  double tau[ROBOT_V], bias[ROBOT_V], gravity[ROBOT_V], a[ROBOT_V], M[ROBOT_V * ROBOT_V];
  ap_status status;
} results;

static void evaluate(const test_robot *r, const motion *s, results *x) {
  ap_inverse_dynamics(r->m, r->w, s->q, s->v, s->a, x->tau);
  ap_bias(r->m, r->w, s->q, s->v, x->bias);
  ap_gravity_forces(r->m, r->w, s->q, x->gravity);
  ap_inertia_matrix(r->m, r->w, s->q, x->M);
  x->status = ap_forward_dynamics(r->m, r->w, s->q, s->v, x->tau, x->a);
}

TEST(every_instruction_set_gives_the_same_bits) {
  static results first, other;
  const build *table[3];
  int n = builds(table);
  FOR_EACH_MODEL (r) {
    int nv = ap_nv(r->m);
    FOR_EACH_STATE (r, s, 4) {
      use(r->w, table[0]);
      evaluate(r, &s, &first);
      for (int k = 1; k < n; k++) {
        use(r->w, table[k]);
        evaluate(r, &s, &other);
        CHECK_BITS(other.tau, first.tau, nv);
        CHECK_BITS(other.bias, first.bias, nv);
        CHECK_BITS(other.gravity, first.gravity, nv);
        CHECK_BITS(other.M, first.M, nv * nv);
        CHECK(other.status == first.status);
        if (first.status == AP_OK) CHECK_BITS(other.a, first.a, nv);
      }
    }
  }
}
