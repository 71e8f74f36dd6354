// SPDX-License-Identifier: Apache-2.0
// The words of dyn/factor_rows.h against plain loops: sums in the same order have the same bits.

#include "dyn/factor_rows.h"
#include "rng.h"
#include "test.h"

enum { MOST = 40, N = 12, LANES = AP__FACTOR_LANES };

static void fill(rng *r, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = rng_uniform(r, -1, 1);
}

TEST(rows_are_subtracted_in_their_order) {
  const ap__factor_rows *by = ap__rows_of_factor();
  static double X[MOST * MOST], c[2 * MOST], y[MOST + 1], plain[MOST + 1];
  rng r = rng_seed(5);
  for (int n = 0; n <= MOST; n++)
    for (int count = 0; count < 14; count++) {
      int at[14];
      for (int k = 0; k < count; k++) at[k] = (7 * k + n) % MOST;
      for (int way = 0; way < 4; way++) {
        int step = way & 1 ? 2 : 1;
        const int *which = way & 2 ? at : NULL;
        test_context("n %d, %d rows, way %d", n, count, way);
        fill(&r, MOST * MOST, X), fill(&r, 2 * MOST, c), fill(&r, MOST + 1, y);
        memcpy(plain, y, sizeof y);
        for (int k = 0; k < count; k++)
          for (int j = 0; j < n; j++) plain[j] -= c[step * k] * X[(which ? at[k] : k) * n + j];
        by->subtract(n, count, c, step, which, X, y);
        CHECK_BITS(y, plain, MOST + 1); // and nothing behind them
      }
    }
}

// A = U^T D^-1 U with the inverse pivots D on the diagonal; a band stays one.
TEST(elimination_gives_the_matrix_back) {
  const ap__factor_rows *by = ap__rows_of_factor();
  rng r = rng_seed(6);
  for (int n = 1; n <= N; n++)
    for (int band = 0; band < n; band++) {
      double A[N * N], U[N * N];
      int last[N];
      fill(&r, N * N, A);
      for (int i = 0; i < n; i++) {
        last[i] = i + band < n ? i + band : n - 1;
        A[i * n + i] = 4 + n;
        for (int j = 0; j < n; j++)
          A[i * n + j] = j < i ? A[j * n + i] : j > last[i] ? 0 : A[i * n + j];
      }
      memcpy(U, A, sizeof U);
      test_context("n %d, band %d", n, band);
      CHECK(by->eliminate(n, U, last, 1e-6));
      for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
          double sum = 0;
          for (int k = 0; k <= i; k++) {
            double a = k == i ? 1 / U[k * n + k] : U[k * n + i];
            double b = k == j ? 1 / U[k * n + k] : j > last[k] ? 0 : U[k * n + j];
            sum += a * b * U[k * n + k];
          }
          CHECK_CLOSE(sum, A[i * n + j], 1e-13);
        }
      memset(U, 0, sizeof U); // no pivot at all
      CHECK(!by->eliminate(n, U, last, 0));
    }
}

// With M = L^T D L the rows of a chain, and of two branches that meet, are L^T Y = J on their path;
// L has its unit diagonal's place for D^-1.
TEST(halves_of_rows_undo_the_factor) {
  const ap__factor_rows *by = ap__rows_of_factor();
  const int next[8] = {-1, 0, 1, 2, 3, 1, 5, 6}; // 4 3 2 | 7 6 5 | 1 0
  const int chain[] = {7, 6, 5, 1, 0}, both[] = {7, 6, 5, 4, 3, 2, 1, 0};
  rng r = rng_seed(7);
  double L[64], J[8 * LANES], Y[8 * LANES] = {0}, x[8], sum[LANES], plain[LANES] = {0};
  fill(&r, 64, L), fill(&r, 8 * LANES, J), fill(&r, 8, x);
  for (int way = 0; way < 2; way++) {
    const ap__factor_path p = {way ? 8 : 5, way ? both : chain, J, Y};
    by->halve(8, L, next, &p);
    for (int i = 0; i < p.n; i++)
      for (int d = 0; d < LANES; d++) {
        double back = Y[LANES * p.at[i] + d];
        for (int m = 0; m < p.n; m++) // of all places whose path has this one
          for (int j = next[p.at[m]]; j >= 0; j = next[j])
            if (j == p.at[i]) back += L[8 * p.at[m] + j] * Y[LANES * p.at[m] + d];
        CHECK_CLOSE(back, J[LANES * p.at[i] + d], 1e-13);
      }
    by->along(8, L, x, &p, sum);
    memset(plain, 0, sizeof plain);
    for (int i = 0; i < p.n; i++)
      for (int d = 0; d < LANES; d++)
        plain[d] += L[9 * p.at[i]] * x[p.at[i]] * Y[LANES * p.at[i] + d];
    CHECK_BITS(sum, plain, LANES);
  }
}
