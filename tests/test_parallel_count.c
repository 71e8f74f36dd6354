// SPDX-License-Identifier: Apache-2.0
// The closed forms of parallel robots in the counting arithmetic: the values of double, and what
// inverse dynamics costs.

#include "test.h"

#include "research/arith_count.h"
#include "num/vocabulary.inc"
#include "loop/parallel.inc"

enum { N = 3 };

// Inverse dynamics of a built-in robot, counted.
static ap_count count_torques(const ap_parallel *p, const double x[3][N], double *tau) {
  ap_count count = {0};
  robot r;
  pose at;
  real in[3][N], out[N], *constant = (real *)&r;
  const int n = limbs_of(p->kind);
  for (int i = 0; i < PARALLEL_CONSTANTS; i++) constant[i] = r_param(&count, p->f64[i]);
  for (int i = 0; i < 3 * n; i++) in[i / n][i % n] = r_input(&count, x[i / n][i % n]);
  place(p->kind, &r, in[0], &at);
  move(p->kind, &r, in[1], in[2], &at);
  torques(p->kind, &r, &at, out);
  for (int i = 0; i < n; i++) tau[i] = r_store(out[i]);
  return count;
}

// The numbers of docs/loops.md.
TEST(operations_of_inverse_dynamics) {
  static const struct {
    const char *name;
    double x[3][N];
    long mul, add, div, sqrt, sincos;
  } want[] = {
      {"agile-wrist", {{0.1, -0.2, 0.3}, {1, 2, -1}, {3, -2, 1}}, 636, 332, 7, 3, 3},
      {"five-bar", {{0.02, 0.42}, {1, -2}, {3, 1}}, 166, 74, 7, 2, 0},
      {"delta", {{0.1, -0.2, -0.9}, {1, 2, -1}, {3, -2, 1}}, 521, 239, 13, 6, 0},
  };
  for (int k = 0; k < 3; k++) {
    unsigned char memory[8192];
    double tau[N], plain[N];
    const ap_parallel *p = ap_parallel_builtin(want[k].name, NULL, memory, sizeof memory);
    if (!CHECK(p)) continue;
    ap_count c = count_torques(p, want[k].x, tau);
    test_context("%s: %ld mul %ld add %ld div", want[k].name, c.mul, c.add, c.div);
    CHECK_OK(ap_parallel_inverse_dynamics(p, want[k].x[0], want[k].x[1], want[k].x[2], plain));
    CHECK_NEAR(tau, plain, ap_parallel_n(p), 1e-14);
    CHECK(c.mul == want[k].mul && c.add == want[k].add && c.div == want[k].div);
    CHECK(c.sqrt == want[k].sqrt && c.sincos == want[k].sincos);
  }
}
