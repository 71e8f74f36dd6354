// SPDX-License-Identifier: Apache-2.0
// Chains and trees with long paths, where articulated bodies solve for many columns: what they give
// times the inertia matrix is the right side, for every kind of joint and any place of branches,
// and a batch gives the bits of one state.

#include <appell/batch.h>
#include <appell/dyn.h>

#include <float.h>

#include "models.h"
#include "oracle.h"

static const robot_recipe long_ones[] = {
    {"chain of 20", 20, 0, ONLY_R, ANY_PLACE, false, 0, 0},
    {"chain of 19, sliding", 19, 0, R_AND_P, ANY_PLACE, false, 0, 0},
    {"chain of any joint", 17, 0, ANY_JOINT, ANY_PLACE, false, 0, 0},
    {"free tree", 31, 2, R_AND_P, ANY_PLACE, true, 0, 0},
    {"free tree of any joint", 20, 2, ANY_JOINT, ANY_PLACE, true, 0, 0},
    {"tree of any joint", 24, 2, ANY_JOINT, ANY_PLACE, false, 0, 0},
    {"two trees", 31, 3, ANY_1, ANY_PLACE, true, 0, 0},
};

static double M[ROBOT_V * ROBOT_V], dtau[2][ROBOT_V * ROBOT_V], da[3][ROBOT_V * ROBOT_V];

// |M X - B| <= 8 n eps |M| |X|, plus as much of the derivatives in B: solving by articulated bodies
// is backward stable in the inertia of every body, and M and B were rounded on their own ways.
static void check_product(int n, const double *X, double sign, const double *B, double error_of_B) {
  double worst = 0, bound = 8 * n * DBL_EPSILON * dense_norm(M, n) * dense_norm(X, n) + error_of_B;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = B ? -sign * B[i * n + j] : -(i == j);
      for (int k = 0; k < n; k++) sum += M[i * n + k] * X[k * n + j];
      worst = fmax(worst, fabs(sum));
    }
  if (!CHECK(worst <= bound)) printf("%g is above %g\n", worst, bound);
}

static void check_state(const test_robot *r, const motion *s) {
  int n = ap_nv(r->m);
  static double inverse[ROBOT_V * ROBOT_V];
  double a[ROBOT_V];
  ap_inertia_matrix(r->m, r->w, s->q, M);
  if (ap_forward_dynamics(r->m, r->w, s->q, s->v, s->a, a)) return;
  ap_inverse_dynamics_derivatives(r->m, r->w, s->q, s->v, a, dtau[0], dtau[1], NULL);
  CHECK_OK(ap_forward_dynamics_derivatives(r->m, r->w, s->q, s->v, s->a, da[0], da[1], da[2]));
  check_product(n, da[2], 1, NULL, 0);
  for (int k = 0; k < 2; k++)
    check_product(n, da[k], -1, dtau[k], 8 * n * DBL_EPSILON * dense_norm(dtau[k], n));
  CHECK_OK(ap_inverse_inertia_matrix(r->m, r->w, s->q, inverse));
  check_product(n, inverse, 1, NULL, 0);
}

// The derivatives that check_state() left, by a batch of one, as the bits of one state.
static void check_batch(const test_robot *r, const motion *s) {
  static double by[3][ROBOT_V * ROBOT_V];
  size_t size = ap_batch_size(r->m), bytes = sizeof by[0][0] * (size_t)(ap_nv(r->m) * ap_nv(r->m));
  void *memory = malloc(size);
  ap_batch *b = ap_batch_init(r->m, memory, size);
  if (CHECK(b)) {
    ap_status status;
    CHECK_OK(ap_batch_forward_dynamics_derivatives(r->m, b, ap_all_states(1, AP_COLUMNS), s->q,
                                                   s->v, s->a, by[0], by[1], by[2], &status));
    for (int k = 0; k < 3; k++) CHECK(memcmp(by[k], da[k], bytes) == 0);
  }
  free(memory);
}

TEST(columns_of_long_trees) {
  static test_robot r;
  for (int k = 0; k < 3 * (int)(sizeof long_ones / sizeof *long_ones); k++) {
    rng random = rng_seed(77 + (uint64_t)k);
    random_robot(&random, &long_ones[k % 7], &r);
    snprintf(r.label, sizeof r.label, "%.40s/%d", long_ones[k % 7].label, k);
    test_context("%s", r.label);
    if (robot_make(&r))
      FOR_EACH_STATE (&r, s, 2) check_state(&r, &s), check_batch(&r, &s);
    robot_free(&r);
  }
}
