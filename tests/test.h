// SPDX-License-Identifier: Apache-2.0
// A small test framework: one program per test file, nothing to link.
//
//     #include "test.h"
//
//     TEST(forward_inverts_inverse) {
//       CHECK_OK(ap_forward_dynamics(m, w, q, v, tau, a));
//       CHECK_NEAR(a, expected, 6, 1e-12);
//     }
//
// A check that fails prints place and numbers, and the test goes on; every check is an expression
// that tells whether it held. main() is here: it runs the tests in the order of the file (those
// whose name contains the first argument, if there is one) and ends with one line,
// "N passed, N failed". Exit status 1 if anything failed, 77 if everything was skipped.

#ifndef AP_TESTS_TEST_H
#define AP_TESTS_TEST_H

#include <appell/base.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

enum { TEST_MAX = 256, TEST_PRINTED = 12 };

typedef struct test_case {
  const char *name;
  void (*body)(void);
} test_case;

// What the running program knows. One per program, as every test file is one program.
typedef struct test_state {
  test_case cases[TEST_MAX];
  int ncase;
  long failed;       // checks of the running test
  long checked;      // checks of the running test
  bool skipped;      // the running test
  char context[160]; // printed with a failure: which model, which state
} test_state;

static test_state test_now;

static inline void test_register(const char *name, void (*body)(void)) {
  if (test_now.ncase == TEST_MAX) abort();
  test_now.cases[test_now.ncase++] = (test_case){name, body};
}

// How much to try: 3, or as the variable APPELL_TEST_EFFORT says (a processor that is emulated, or
// watched by sanitizers, does with one).
static inline int test_effort(void) {
  const char *effort = getenv("APPELL_TEST_EFFORT");
  return effort && atoi(effort) > 0 ? atoi(effort) : 3;
}

#define TEST(name)                                                 \
  static void test_##name(void);                                   \
  __attribute__((constructor)) static void register_##name(void) { \
    test_register(#name, test_##name);                             \
  }                                                                \
  static void test_##name(void)

// Say what is being looked at; printed with every failure from here on.
__attribute__((format(printf, 1, 2))) static inline void test_context(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(test_now.context, sizeof test_now.context, format, args);
  va_end(args);
}

// The rest of the test cannot be run here; counted apart. Return after it. The text ends with what
// would make it run, in brackets: 'make test' shows it at its end.
__attribute__((format(printf, 1, 2))) static inline void test_skip(const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("skipped: ");
  vprintf(format, args);
  printf("\n");
  va_end(args);
  test_now.skipped = true;
}

// Counts a check; true when it failed and should be printed in full.
static inline bool test_report(bool good, const char *file, int line) {
  test_now.checked++;
  if (good) return false;
  test_now.failed++;
  if (test_now.failed == TEST_PRINTED + 1) printf("  (more failures, not printed)\n");
  if (test_now.failed > TEST_PRINTED) return false;
  printf("%s:%d: ", file, line);
  if (test_now.context[0]) printf("[%s] ", test_now.context);
  return true;
}

static inline bool test_true(bool good, const char *text, const char *file, int line) {
  if (test_report(good, file, line)) printf("does not hold: %s\n", text);
  return good;
}

static inline bool test_status(ap_status got, ap_status want, const char *text, const char *file,
                               int line) {
  if (test_report(got == want, file, line))
    printf("%s: %s, not %s\n", text, ap_status_text(got), ap_status_text(want));
  return got == want;
}

static inline bool test_int(intmax_t got, intmax_t want, const char *text, const char *file,
                            int line) {
  if (test_report(got == want, file, line))
    printf("%s: %" PRIdMAX ", not %" PRIdMAX "\n", text, got, want);
  return got == want;
}

static inline bool test_str(const char *got, const char *want, const char *text, const char *file,
                            int line) {
  bool good = got && want && strcmp(got, want) == 0;
  if (test_report(good, file, line))
    printf("%s:\n  \"%s\", not\n  \"%s\"\n", text, got ? got : "(null)", want ? want : "(null)");
  return good;
}

static inline bool test_contains(const char *got, const char *part, const char *text,
                                 const char *file, int line) {
  bool good = got && part && strstr(got, part);
  if (test_report(good, file, line))
    printf("%s: \"%s\" does not contain \"%s\"\n", text, got ? got : "(null)", part);
  return good;
}

// Largest entry of b in absolute value.
static inline double test_norm(const double *b, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(b[i]));
  return largest;
}

// Every entry of a differs from b's by at most bound; a NaN anywhere is a difference.
static inline bool test_within(const double *a, const double *b, int n, double bound,
                               const char *text, const char *file, int line) {
  int worst = 0;
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double difference = fabs(a[i] - b[i]);
    if (difference <= largest || isnan(largest)) continue;
    worst = i;
    largest = difference;
  }
  bool good = largest <= bound;
  if (test_report(good, file, line))
    printf("%s: entry %d of %d is %.17g, not %.17g: off by %.3g, allowed %.3g\n", text, worst, n,
           a[worst], b[worst], largest, bound);
  return good;
}

static inline bool test_near(const double *a, const double *b, int n, double tol, const char *text,
                             const char *file, int line) {
  return test_within(a, b, n, tol * test_norm(b, n), text, file, line);
}

static inline bool test_bits(const void *a, const void *b, int n, size_t size, const char *text,
                             const char *file, int line) {
  int i = 0;
  while (i < n &&
         memcmp((const char *)a + (size_t)i * size, (const char *)b + (size_t)i * size, size) == 0)
    i++;
  if (test_report(i == n, file, line)) {
    printf("%s: entry %d of %d differs", text, i, n);
    if (size == sizeof(double))
      printf(": %.17g, %.17g", ((const double *)a)[i], ((const double *)b)[i]);
    printf("\n");
  }
  return i == n;
}

#define CHECK(cond)             test_true((cond), #cond, __FILE__, __LINE__)
#define CHECK_STATUS(got, want) test_status((got), (want), #got, __FILE__, __LINE__)
#define CHECK_OK(got)           CHECK_STATUS(got, AP_OK)
#define CHECK_EQ_INT(got, want) test_int((got), (want), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want)    test_str((got), (want), #got, __FILE__, __LINE__)
// got contains part.
#define CHECK_HAS(got, part) test_contains((got), (part), #got, __FILE__, __LINE__)
// Arrays of n doubles: the largest difference is at most tol times the largest entry of b.
#define CHECK_NEAR(a, b, n, tol) test_near((a), (b), (n), (tol), #a ", " #b, __FILE__, __LINE__)
// The same with the bound given outright, for quantities whose size comes from elsewhere.
#define CHECK_WITHIN(a, b, n, bound) \
  test_within((a), (b), (n), (bound), #a ", " #b, __FILE__, __LINE__)
// Two numbers, and a bound on their difference.
#define CHECK_CLOSE(a, b, bound) \
  test_within(&(double){(a)}, &(double){(b)}, 1, (bound), #a ", " #b, __FILE__, __LINE__)
// Arrays (of any type) equal to the bit.
#define CHECK_BITS(a, b, n) test_bits((a), (b), (n), sizeof *(a), #a ", " #b, __FILE__, __LINE__)

// ---- main --------------------------------------------------------------------------------------

static bool test_run(const test_case *test) {
  test_now.failed = test_now.checked = 0;
  test_now.skipped = false;
  test_now.context[0] = 0;
  test->body();
  if (test_now.failed)
    printf("FAILED %s: %ld of %ld checks\n", test->name, test_now.failed, test_now.checked);
  return test_now.failed == 0;
}

int main(int argc, char **argv) {
  int passed = 0, failed = 0, skipped = 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 0; i < test_now.ncase; i++) {
    if (argc > 1 && !strstr(test_now.cases[i].name, argv[1])) continue;
    if (!test_run(&test_now.cases[i]))
      failed++;
    else if (test_now.skipped)
      skipped++;
    else
      passed++;
  }
  printf("%d passed, %d failed", passed, failed);
  if (skipped) printf(", %d skipped", skipped);
  printf("\n");
  return failed ? 1 : skipped && !passed ? 77 : 0;
}

#endif
