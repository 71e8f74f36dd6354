// SPDX-License-Identifier: Apache-2.0
// num/triangle and the square decomposition of num/svd, against sums in binary128.

#include "num/triangle.h"

#include "base/isa.h"
#include "num/svd.h"
#include "num/sweep.h"
#include "research/f128.h"

#include "test.h"

#ifdef AP_HAVE_F128

enum { MOST_N = 40, MOST_M = 150 };

typedef struct matrix {
  int m, n;
  double x[MOST_M * MOST_N]; // row-major
} matrix;

static matrix A, B;
static double R[MOST_N * MOST_N], room[4 * (MOST_N + MOST_M)];

static double *entry(matrix *a, int i, int j) { return a->x + i * a->n + j; }

static matrix random_matrix(rng *r, int m, int n) {
  matrix a = {.m = m, .n = n};
  for (int i = 0; i < m * n; i++) a.x[i] = rng_uniform(r, -1, 1);
  return a;
}

// Scalar product of columns j and k.
static f128 gram(const double *x, int m, int n, int j, int k) {
  f128 sum = 0;
  for (int i = 0; i < m; i++) sum += (f128)x[i * n + j] * (f128)x[i * n + k];
  return sum;
}

// A into R in blocks of random sizes.
static void absorb(rng *r) {
  memset(R, 0, sizeof R);
  for (int at = 0; at < A.m;) {
    int left = A.m - at, rows = rng_int(r, 1, left < 70 ? left : 70);
    B = A;
    ap__triangle_absorb(A.n, R, rows, B.x + at * A.n, room);
    at += rows;
  }
}

// R is a triangle of A exactly where R^T R = A^T A. Householder's method leaves a few roundings of
// the columns' lengths, for each block; a hundred are allowed.
static void check_triangle(double size) {
  int n = A.n;
  for (int j = 0; j < n; j++) {
    for (int i = j + 1; i < n; i++) CHECK(R[i * n + j] == 0);
    for (int k = 0; k <= j; k++) {
      double bound = sqrt((double)gram(A.x, A.m, n, j, j)) * sqrt((double)gram(A.x, A.m, n, k, k));
      f128 off = gram(R, n, n, j, k) - gram(A.x, A.m, n, j, k);
      CHECK(fabs((double)off) <= 100 * DBL_EPSILON * bound + size);
    }
  }
}

TEST(triangles_of_every_shape) {
  rng r = rng_seed(1);
  for (int trial = 0; trial < 200; trial++) {
    A = random_matrix(&r, rng_int(&r, 1, MOST_M), rng_int(&r, 1, MOST_N));
    test_context("%d x %d, trial %d", A.m, A.n, trial);
    absorb(&r);
    check_triangle(0);
  }
}

// Columns and rows of any size, columns of zeros, equal columns, rows that begin with zeros.
TEST(triangles_of_odd_matrices) {
  rng r = rng_seed(2);
  for (int trial = 0; trial < 200; trial++) {
    A = random_matrix(&r, rng_int(&r, 1, MOST_M), rng_int(&r, 2, MOST_N));
    test_context("%d x %d, trial %d", A.m, A.n, trial);
    for (int j = 0; j < A.n; j++) {
      double size = pow(10, rng_int(&r, -12, 12)), keep = rng_uniform(&r, 0, 1) < 0.8 ? 1 : 0;
      for (int i = 0; i < A.m; i++) *entry(&A, i, j) *= keep * size;
    }
    for (int i = 0; i < A.m; i++) {
      double size = pow(10, rng_int(&r, -3, 3));
      int zeros = trial % 2 ? A.n * i / A.m : rng_int(&r, 0, A.n);
      for (int j = 0; j < A.n; j++) *entry(&A, i, j) *= j < zeros ? 0 : size;
      *entry(&A, i, A.n - 1) = *entry(&A, i, 0);
    }
    absorb(&r);
    check_triangle(0);
  }
}

// Squares that over- and underflow: the triangle of s A is s times that of A, to rounding.
TEST(triangles_of_huge_and_tiny_numbers) {
  const double sizes[] = {1e-300, 1e-200, 1e200, 1e300};
  rng r = rng_seed(3);
  for (int k = 0; k < 4; k++) {
    double want[MOST_N * MOST_N];
    A = random_matrix(&r, 60, 12);
    test_context("numbers of %g", sizes[k]);
    rng same = r;
    absorb(&same);
    memcpy(want, R, sizeof R);
    for (int i = 0; i < A.m * A.n; i++) A.x[i] *= sizes[k];
    absorb(&r);
    for (int i = 0; i < A.n * A.n; i++) CHECK_CLOSE(R[i] / sizes[k], want[i], 1e-13);
  }
}

TEST(a_number_that_is_none_spoils_its_triangle) {
  rng r = rng_seed(4);
  A = random_matrix(&r, 50, 9);
  *entry(&A, 17, 4) = NAN;
  absorb(&r);
  CHECK(isnan(R[4 * 9 + 4]) && isfinite(R[3 * 9 + 3]));
}

// A computed solution has a residual of a few roundings of the terms it is made of.
TEST(triangular_systems) {
  rng r = rng_seed(5);
  for (int trial = 0; trial < 100; trial++) {
    int n = rng_int(&r, 1, MOST_N), count = rng_int(&r, 1, 5);
    A = random_matrix(&r, n, n), B = random_matrix(&r, n, count);
    matrix X = B;
    CHECK(ap__triangle_solve(n, A.x, n, count, X.x, count));
    for (int i = 0; i < n; i++)
      for (int k = 0; k < count; k++) {
        f128 off = -(f128)*entry(&B, i, k);
        double terms = fabs((double)off);
        for (int j = i; j < n; j++) {
          f128 term = (f128)*entry(&A, i, j) * (f128)*entry(&X, j, k);
          off += term, terms += fabs((double)term);
        }
        CHECK(fabs((double)off) <= (n + 2) * DBL_EPSILON * terms);
      }
    *entry(&A, n / 2, n / 2) = 0;
    CHECK(!ap__triangle_solve(n, A.x, n, count, X.x, count));
  }
}

// ---- singular values ---------------------------------------------------------------------------

// Square, with the identity behind it: decomposed, the rows are those of V^T and of U^T.
static matrix with_identity(const matrix *a) {
  matrix b = {.m = a->m, .n = 2 * a->n};
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < 2 * a->n; j++)
      *entry(&b, i, j) = j < a->n ? a->x[i * a->n + j] : j - a->n == i;
  return b;
}

// A = U S V^T, U and V orthogonal, S falling: all to a hundred roundings.
static bool check_svd(double *sigma) {
  int n = A.n;
  matrix b = with_identity(&A);
  if (!CHECK_OK(ap__svd(n, n, b.x, sigma))) return false;
  double bound = 100 * DBL_EPSILON;
  for (int i = 0; i < n; i++) {
    CHECK(sigma[i] >= 0 && (i == 0 || sigma[i] <= sigma[i - 1]));
    for (int j = 0; j < n; j++) {
      f128 u = -(i == j), v = -(i == j), a = -(f128)*entry(&A, i, j);
      for (int k = 0; k < n; k++) {
        u += (f128)*entry(&b, i, n + k) * (f128)*entry(&b, j, n + k);
        v += (f128)*entry(&b, i, k) * (f128)*entry(&b, j, k);
        a += (f128)*entry(&b, k, n + i) * (f128)sigma[k] * (f128)*entry(&b, k, j);
      }
      CHECK(fabs((double)u) < bound && fabs((double)v) < bound);
      CHECK(fabs((double)a) <= bound * sigma[0]);
    }
  }
  return true;
}

TEST(decompositions_of_every_size) {
  rng r = rng_seed(6);
  double sigma[MOST_N];
  for (int trial = 0; trial < 60; trial++) {
    int n = trial < 3 ? 1 : rng_int(&r, 1, MOST_N / 2);
    test_context("%d x %d, trial %d", n, n, trial);
    A = random_matrix(&r, n, n);
    for (int i = 0; trial % 3 == 1 && i < n; i++) // rows that depend on others, and rows of zeros
      for (int j = 0; j < n; j++)
        *entry(&A, i, j) = i % 4 == 3 ? 0 : i % 4 == 2 ? *entry(&A, i - 1, j) : *entry(&A, i, j);
    double size = trial % 3 == 2 ? pow(10, rng_int(&r, -300, 300)) : 1;
    for (int i = 0; i < n * n; i++) A.x[i] *= size;
    check_svd(sigma);
  }
}

// Orthogonal rows of known lengths, from 1 down to 1e-120: each singular value to 50 roundings of
// itself, however small. The rows are those of the reflection 1 - 2 u u^T / (u.u).
TEST(small_singular_values_are_as_exact_as_large_ones) {
  rng r = rng_seed(7);
  enum { N = 13 };
  for (int trial = 0; trial < 20; trial++) {
    double u[N], sigma[N];
    f128 square = 0;
    for (int i = 0; i < N; i++) u[i] = rng_uniform(&r, -1, 1), square += (f128)u[i] * (f128)u[i];
    A = (matrix){.m = N, .n = N};
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        *entry(&A, (5 * i) % N, j) =
            (double)(((i == j) - 2 * (f128)u[i] * (f128)u[j] / square) * (f128)pow(10, -10 * i));
    CHECK_OK(ap__svd(N, 0, A.x, sigma));
    for (int i = 0; i < N; i++) CHECK_CLOSE(sigma[i] / pow(10, -10 * i), 1, 50 * DBL_EPSILON);
  }
}

TEST(known_singular_values) {
  double sigma[MOST_N];
  A = (matrix){.m = 5, .n = 5};
  check_svd(sigma); // zeros
  CHECK(sigma[0] == 0);
  for (int i = 0; i < 25; i++) A.x[i] = 3;
  check_svd(sigma); // ones: n, then zeros
  CHECK_CLOSE(sigma[0], 15, 1e-14);
  CHECK(sigma[1] < 1e-14);
  A = (matrix){.m = 2, .n = 2, .x = {3, 0, 4, 5}}; // sqrt(45), sqrt(5)
  check_svd(sigma);
  CHECK_CLOSE(sigma[0], sqrt(45), 1e-15);
  CHECK_CLOSE(sigma[1], sqrt(5), 1e-15);
  A = (matrix){.m = 1, .n = 1, .x = {-7}};
  check_svd(sigma);
  CHECK(sigma[0] == 7);
}

TEST(what_is_not_finite_is_refused) {
  const double bad[] = {NAN, INFINITY, -INFINITY};
  rng r = rng_seed(8);
  double sigma[MOST_N];
  for (int k = 0; k < 3; k++) {
    A = random_matrix(&r, 6, 6);
    *entry(&A, 2, 3) = bad[k];
    CHECK_STATUS(ap__svd(6, 0, A.x, sigma), AP_E_ARG);
    CHECK_STATUS(ap__svd(4, 2, A.x, sigma), AP_E_ARG);
  }
}

// ---- bits --------------------------------------------------------------------------------------

static unsigned long long hash(const double *x, int n) {
  unsigned long long h = 14695981039346656037u;
  for (int i = 0; i < n; i++) {
    unsigned long long bits;
    memcpy(&bits, &x[i], sizeof bits);
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

// The same on every machine, by every compiler: matrices of integers, so that nothing else rounds.
TEST(bits_are_the_same_everywhere) {
  enum { N = 37, M = 100 };
  double sigma[N];
  unsigned long long state = 1;
  A = (matrix){.m = M, .n = N};
  for (int i = 0; i < M * N; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    A.x[i] = (double)(state >> 40) - 8388608;
  }
  memset(R, 0, sizeof R);
  ap__triangle_absorb(N, R, 64, A.x, room);
  ap__triangle_absorb(N, R, M - 64, A.x + 64 * N, room);
  CHECK(hash(R, N * N) == 0xedfbd229e1bb2d87u);
  CHECK_OK(ap__svd(N, 0, R, sigma));
  CHECK(hash(sigma, N) == 0x2543fdf367d5ac6u);
  CHECK(hash(R, N * N) == 0xbc1ef36875563930u);
}

// The inner loop of every instruction set that runs here.
extern const ap__sweeps ap__sweep_base, ap__sweep_v3, ap__sweep_v4;

static void check_sweep(ap__sweep *sweep, int columns, rng *r) {
  enum { ROWS = 20 };
  double want[MOST_N], got[MOST_N], old[ROWS], next[ROWS], w[MOST_N] = {0};
  A = random_matrix(r, ROWS, MOST_N), B = A;
  for (int i = 0; i < ROWS; i++) old[i] = rng_uniform(r, -1, 1), next[i] = rng_uniform(r, -1, 1);
  for (int j = 0; j < columns; j++) w[j] = rng_uniform(r, -1, 1);
  for (int j = 0; j < columns; j++) {
    want[j] = 0;
    for (int i = 0; i < ROWS; i++) {
      *entry(&A, i, j) -= old[i] * w[j];
      want[j] += next[i] * *entry(&A, i, j);
    }
  }
  sweep(columns, ROWS, MOST_N, B.x, old, w, next, got);
  CHECK_BITS(got, want, columns);
  CHECK_BITS(B.x, A.x, ROWS * MOST_N);
}

TEST(instruction_sets_agree) {
  rng r = rng_seed(10);
  for (int columns = 0; columns <= MOST_N; columns++) {
#ifdef AP_HAVE_ISA_BASE
    check_sweep(ap__sweep_base.columns, columns, &r);
#endif
#ifdef AP_HAVE_ISA_V3
    if (runs_v3()) check_sweep(ap__sweep_v3.columns, columns, &r);
#endif
#ifdef AP_HAVE_ISA_V4
    if (runs_v4()) check_sweep(ap__sweep_v4.columns, columns, &r);
#endif
  }
}

#else

TEST(triangles) { test_skip("there is no binary128 here"); }

#endif
