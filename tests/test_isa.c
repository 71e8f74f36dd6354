// The kernels give the same bits whatever instruction set they were compiled for.

#include <appell/dyn.h>
#include <appell/kin.h>

#include "dyn/isa.h"
#include "models.h"

struct ap_kernels;
extern const struct ap_kernels ap__kernels_f64_base, ap__kernels_f64_v3, ap__kernels_f64_v4;

// The builds that this processor runs.
static int builds(const struct ap_kernels *table[3]) {
  int n = 0;
  table[n++] = &ap__kernels_f64_base;
#ifdef AP_HAVE_ISA_V3
  if (runs_v3()) table[n++] = &ap__kernels_f64_v3;
#endif
#ifdef AP_HAVE_ISA_V4
  if (runs_v4()) table[n++] = &ap__kernels_f64_v4;
#endif
  return n;
}

// A work's first member is its table.
static void use(ap_work *w, const struct ap_kernels *table) {
  memcpy((void *)w, &table, sizeof table);
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
  const struct ap_kernels *table[3];
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
