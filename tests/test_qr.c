// SPDX-License-Identifier: Apache-2.0
// num/qr: rank, and the shortest least-squares solution, on random matrices of every shape.

#include "num/qr.h"

#include "num/svd.h"

#include "test.h"

enum { MOST = 12 };

static double A[MOST * MOST], factors[MOST * MOST], left[MOST], right[MOST], spare[MOST];
static int pivot[MOST];

static ap_qr factored(int m, int n) {
  ap_qr qr = {.m = m, .n = n, .A = factors, .left = left, .right = right, .spare = spare};
  qr.pivot = pivot;
  memcpy(factors, A, sizeof A);
  ap__qr_factor(&qr, 1e-12);
  return qr;
}

// A of the given rank: a product of two random factors.
static void random_matrix(rng *r, int m, int n, int rank) {
  double U[MOST * MOST], V[MOST * MOST];
  for (int i = 0; i < MOST * MOST; i++) U[i] = rng_uniform(r, -1, 1), V[i] = rng_uniform(r, -1, 1);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      A[i * n + j] = 0;
      for (int k = 0; k < rank; k++) A[i * n + j] += U[i * MOST + k] * V[k * MOST + j];
    }
}

static double residual(int m, int n, const double *x, const double *b, double *e) {
  double sum = 0;
  for (int i = 0; i < m; i++) {
    e[i] = -b[i];
    for (int j = 0; j < n; j++) e[i] += A[i * n + j] * x[j];
    sum += e[i] * e[i];
  }
  return sqrt(sum);
}

// The residual is normal to the columns, x to the null space: A^T e = 0, x = A^T y for some y. The
// second is tested by solving A^T y = x. Conditions of random factors of this size reach 1e4 or so,
// squared 1e8, times a rounding of 1e-16 times sizes of 10: 1e-6 would be generous, 1e-8 is asked.
TEST(shortest_least_squares) {
  rng r = rng_seed(5);
  for (int trial = 0; trial < 3000; trial++) {
    int m = rng_int(&r, 1, MOST), n = rng_int(&r, 1, MOST);
    int rank = rng_int(&r, 0, m < n ? m : n);
    double b[MOST], used[MOST], x[MOST], e[MOST], normal[MOST] = {0}, zero[MOST] = {0};
    test_context("%d x %d of rank %d, trial %d", m, n, rank, trial);
    random_matrix(&r, m, n, rank);
    for (int i = 0; i < m; i++) used[i] = b[i] = rng_uniform(&r, -1, 1);
    ap_qr qr = factored(m, n);
    CHECK_EQ_INT(qr.rank, rank);
    ap__qr_solve(&qr, used, x);
    double least = residual(m, n, x, b, e), told = 0;
    for (int i = rank; i < m; i++) told += used[i] * used[i];
    CHECK_CLOSE(sqrt(told), least, 1e-9);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) normal[j] += A[i * n + j] * e[i];
    CHECK_WITHIN(normal, zero, n, 1e-9 * (1 + test_norm(x, n)));

    double transposed[MOST * MOST], y[MOST];
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) transposed[j * m + i] = A[i * n + j];
    memcpy(A, transposed, sizeof A);
    memcpy(used, x, sizeof used);
    qr = factored(n, m);
    CHECK_EQ_INT(qr.rank, rank);
    ap__qr_solve(&qr, used, y);
    CHECK_CLOSE(residual(n, m, y, x, e), 0, 1e-8 * (1 + test_norm(x, n)));
  }
}

TEST(square_systems_are_solved) {
  rng r = rng_seed(6);
  for (int trial = 0; trial < 200; trial++) {
    int n = rng_int(&r, 1, MOST);
    double b[MOST], x[MOST], want[MOST];
    random_matrix(&r, n, n, n);
    for (int i = 0; i < n; i++) A[i * n + i] += 2 * n; // well conditioned
    for (int i = 0; i < n; i++) want[i] = rng_uniform(&r, -1, 1);
    for (int i = 0; i < n; i++) {
      b[i] = 0;
      for (int j = 0; j < n; j++) b[i] += A[i * n + j] * want[j];
    }
    ap_qr qr = factored(n, n);
    ap__qr_solve(&qr, b, x);
    CHECK_WITHIN(x, want, n, 1e-13);
  }
}

TEST(zero_and_sizes_at_the_edge_of_the_range) {
  double b[2] = {3, 4}, x[2];
  memset(A, 0, sizeof A);
  ap_qr qr = factored(2, 2);
  CHECK_EQ_INT(qr.rank, 0);
  ap__qr_solve(&qr, b, x);
  CHECK(x[0] == 0 && x[1] == 0);
  for (int k = -1; k <= 1; k += 2) {
    double big = k > 0 ? 1e300 : 1e-300;
    double c[2] = {3 * big, big}, want[2] = {1, 1};
    A[0] = big, A[1] = 2 * big, A[2] = -big, A[3] = 2 * big;
    qr = factored(2, 2);
    CHECK_EQ_INT(qr.rank, 2);
    ap__qr_solve(&qr, c, x);
    CHECK_WITHIN(x, want, 2, 1e-14);
  }
}

// Four equal feet share a load.
TEST(equal_columns_share_evenly) {
  double b[1] = {8}, x[4], want[4] = {2, 2, 2, 2};
  for (int j = 0; j < 4; j++) A[j] = 1;
  ap_qr qr = factored(1, 4);
  ap__qr_solve(&qr, b, x);
  CHECK_WITHIN(x, want, 4, 16 * DBL_EPSILON); // some eight roundings of numbers about 2
}

TEST(many_right_sides_at_once) {
  rng r = rng_seed(9);
  for (int k = 0; k < 200; k++) {
    int m = rng_int(&r, 1, MOST), n = rng_int(&r, 1, MOST), least = m < n ? m : n;
    double B[MOST * 3], Z[MOST * 3], X[MOST * 3], b[MOST], x[MOST], one[MOST];
    random_matrix(&r, m, n, rng_int(&r, 0, least));
    ap_qr qr = factored(m, n);
    for (int i = 0; i < 3 * m; i++) B[i] = rng_uniform(&r, -1, 1);
    double kept[MOST * 3];
    memcpy(kept, B, sizeof kept);
    ap__qr_solve_many(&qr, 3, B, Z, X);
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < m; i++) b[i] = kept[3 * i + j];
      ap__qr_solve(&qr, b, x);
      for (int i = 0; i < n; i++) one[i] = X[3 * i + j];
      CHECK_WITHIN(one, x, n, 1e-12 * (1e-3 + test_norm(x, n)));
    }
  }
}

// Diagonal matrices between random rotations: the values come back, however small.
TEST(singular_values) {
  rng r = rng_seed(10);
  for (int k = 0; k < 100; k++) {
    int m = rng_int(&r, 2, MOST), n = rng_int(&r, 2, m);
    double value[MOST], S[MOST * MOST] = {0}, got[MOST];
    for (int i = 0; i < n; i++) value[i] = pow(10, -i), S[i * n + i] = value[i];
    for (int t = 0; t < 40; t++) { // turn two rows, or two columns
      double angle = rng_uniform(&r, -3, 3), c = cos(angle), s = sin(angle);
      int i = rng_int(&r, 0, m - 2), j = rng_int(&r, 0, n - 2);
      for (int h = 0; h < n; h++) {
        double a = S[i * n + h], b = S[(i + 1) * n + h];
        S[i * n + h] = c * a - s * b, S[(i + 1) * n + h] = s * a + c * b;
      }
      for (int h = 0; h < m; h++) {
        double a = S[h * n + j], b = S[h * n + j + 1];
        S[h * n + j] = c * a - s * b, S[h * n + j + 1] = s * a + c * b;
      }
    }
    // powers of two far from one: every square is finite, products of two squares are not
    const double scale = ldexp(1, k % 3 == 0 ? 0 : k % 3 == 1 ? 400 : -400);
    for (int i = 0; i < m * n; i++) S[i] *= scale;
    ap__singular_values(m, n, S, got);
    for (int i = 0; i < n; i++) got[i] /= scale;
    CHECK_WITHIN(got, value, n, 1e-14);
  }
}

// Null spaces: orthonormal, and A takes them to zero. A rank that is capped is not passed.
TEST(null_space) {
  rng r = rng_seed(5);
  for (int trial = 0; trial < 500; trial++) {
    int m = rng_int(&r, 1, MOST), n = rng_int(&r, 1, MOST);
    int rank = rng_int(&r, 0, m < n ? m : n);
    double N[MOST * MOST];
    random_matrix(&r, m, n, rank);
    ap_qr qr = factored(m, n);
    int count = n - qr.rank;
    ap__qr_null(&qr, N);
    for (int a = 0; a < count; a++) {
      for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += A[i * n + j] * N[j * count + a];
        CHECK_CLOSE(sum, 0, 1e-12);
      }
      for (int b = 0; b <= a; b++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += N[j * count + a] * N[j * count + b];
        CHECK_CLOSE(sum, a == b, 1e-14);
      }
    }
    memcpy(factors, A, sizeof A);
    qr.most = 2;
    CHECK_EQ_INT(ap__qr_factor(&qr, 1e-12), rank < 2 ? rank : 2);
  }
}

// Columns of one length, to a few roundings, are taken in their order.
TEST(ties_go_to_the_first_column) {
  rng r = rng_seed(9);
  for (int trial = 0; trial < 200; trial++) {
    int n = rng_int(&r, 2, MOST), turned = rng_int(&r, 0, n - 1);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i * n + j] = ((i + turned) % n == j) * (1 + 1e-15 * rng_int(&r, -4, 4));
    ap_qr qr = {.m = n, .n = n, .A = factors, .left = left, .spare = spare, .pivot = pivot};
    qr.tie = 1e-9;
    memcpy(factors, A, sizeof A);
    CHECK_EQ_INT(ap__qr_triangle(&qr, 1e-12), n);
    for (int j = 0; j < n; j++) CHECK_EQ_INT(pivot[j], j);
  }
}

TEST(kept_and_dropped_lengths) {
  const double lengths[] = {2, 1, 1e-3, 1e-7};
  memset(A, 0, sizeof A);
  for (int i = 0; i < 4; i++) A[i * 4 + i] = lengths[i];
  ap_qr qr = {.m = 4, .n = 4, .A = factors, .left = left, .spare = spare, .pivot = pivot};
  memcpy(factors, A, sizeof A);
  CHECK_EQ_INT(ap__qr_triangle(&qr, 1e-5), 3);
  CHECK_CLOSE(qr.kept, 5e-4, 1e-18);
  CHECK_CLOSE(qr.dropped, 5e-8, 1e-22);
}
