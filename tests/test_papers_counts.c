// SPDX-License-Identifier: Apache-2.0
// The tables of operation counts: what the papers print is quoted rightly, and the methods of the
// papers need no more operations than printed.

#include <appell/research.h>

#include "experiments.h"
#include "test.h"

enum { FIRST = 2, LAST = 20 };

typedef ap_status program(report *r, ap_error *error);

// The report of one paper; made once, empty where that failed.
static const report *run(program *fill) {
  static struct {
    program *fill;
    report r;
  } made[3];
  int i = 0;
  while (made[i].fill && made[i].fill != fill) i++;
  if (!made[i].fill) {
    ap_error error = {0};
    made[i].fill = fill;
    if (!CHECK_OK(fill(&made[i].r, &error))) printf("  %s\n", error.text);
    CHECK(!made[i].r.no_memory);
  }
  return &made[i].r;
}

// The line of an item (narrowed down or not) whose quantity begins so; NULL where there is none.
static const report_line *find(const report *r, const char *item, const char *quantity) {
  for (int i = 0; i < r->lines; i++) {
    const report_line *line = &r->line[i];
    bool number = line->kind == REPORT_ROW || line->kind == REPORT_DETAIL;
    if (number && strcmp(line->item, item) == 0 &&
        strncmp(line->quantity, quantity, strlen(quantity)) == 0)
      return line;
  }
  return NULL;
}

// The line for n joints: the row at 6, details elsewhere.
static const report_line *at(const report *r, const char *item, const char *quantity, int n,
                             const char *geometry) {
  char narrowed[64];
  bool row = n == 6 && !geometry[0];
  snprintf(narrowed, sizeof narrowed, row ? "%s" : "%s, n = %d%s", item, n, geometry);
  return find(r, narrowed, quantity);
}

// ---- what is printed ---------------------------------------------------------------------------

// The numbers for n = 6 that stand in the papers beside their formulas, or alone.
static const struct {
  program *fill;
  const char *item, *method;
  double multiplications, additions;
} printed[] = {
    {counts_mata2002, "Table 1", "newton-euler (", 852, 738},
    {counts_mata2002, "Table 1", "kane (", 521, 435},
    {counts_mata2002, "Table 1", "newton-euler-tensor (", 489, 420},
    {counts_mata2002, "Table 1", "gibbs-tensor (", 475, 404},
    {counts_mata2002, "Table 2", "composite-body (", 741, 598},
    {counts_mata2002, "Table 2", "orthogonal-complement (", 710, 629},
    {counts_mata2002, "Table 2", "gibbs-hessian (", 482, 426},
    {counts_mata2002, "Table 3", "gibbs-hessian (calculation of D)", 482, 426},
    {counts_mata2002, "Table 3", "gibbs-tensor (bias vector)", 468, 393},
    {counts_mata2002, "Table 3", "gibbs-cholesky (Cholesky decomposition)", 56, 56},
    {counts_mata2002, "Table 3", "gibbs-cholesky (linear system)", 36, 30},
    {counts_mata2002, "Table 3", "gibbs-cholesky (total)", 1042, 905},
    {counts_mata2002, "Table 4", "composite-body-cholesky (", 1627, 1261},
    {counts_mata2002, "Table 4", "articulated-body (", 1533, 1415},
    {counts_mata2002, "Table 4", "orthogonal-complement-cholesky (", 1353, 1165},
    {counts_mata2002, "Table 4", "gibbs-cholesky (", 1042, 905},
    {counts_provenzano2002, "Table 1", "composite-body (", 741, 601},
    {counts_provenzano2002, "Table 1", "orthogonal-complement (", 710, 629},
    {counts_provenzano2002, "Table 1", "gibbs-hessian (", 482, 426},
    {counts_valera2003, "Table 3", "newton-euler (", 614, 458},
    {counts_valera2003, "Table 3", "gibbs-vector (", 590, 430},
    {counts_valera2003, "Section 2", "gibbs-vector (Paul's", 724, 511},
};

TEST(printed_formulas_give_the_printed_numbers) {
  for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
    const report *r = run(printed[i].fill);
    for (int add = 0; add < 2; add++) {
      char quantity[128];
      snprintf(quantity, sizeof quantity, "%s, %s", add ? "additions" : "multiplications",
               printed[i].method);
      test_context("%s: %s", printed[i].item, quantity);
      const report_line *line = find(r, printed[i].item, quantity);
      if (CHECK(line != NULL))
        CHECK(line->printed == (add ? printed[i].additions : printed[i].multiplications));
    }
  }
}

// The steps of Table 2 sum up to the algorithm in Table 3 (Valera et al. 2003), as printed and as
// counted: no operation belongs to no step.
TEST(steps_sum_up_to_the_algorithm) {
  const report *r = run(counts_valera2003);
  for (int n = FIRST; n <= LAST; n++) {
    for (int add = 0; add < 2; add++) {
      const char *operation = add ? "additions" : "multiplications";
      double sum_printed = 0, sum_ours = 0;
      char quantity[128];
      for (int k = 1; k <= 6; k++) {
        snprintf(quantity, sizeof quantity, "%s, gibbs-vector (step %d,", operation, k);
        const report_line *line = at(r, "Table 2", quantity, n, "");
        if (!CHECK(line != NULL)) continue;
        sum_printed += line->printed;
        sum_ours += line->ours;
      }
      snprintf(quantity, sizeof quantity, "%s, gibbs-vector (", operation);
      const report_line *whole = at(r, "Table 3", quantity, n, "");
      test_context("%s, n = %d", operation, n);
      if (CHECK(whole != NULL)) CHECK(sum_printed == whole->printed && sum_ours == whole->ours);
    }
  }
}

// Wherever a number differs from the printed one a note says why, or that it is not known; and a
// number that the paper does not print, because it is its formula's value, is called so.
TEST(differences_have_notes) {
  static program *const programs[] = {counts_mata2002, counts_provenzano2002, counts_valera2003};
  for (int k = 0; k < 3; k++) {
    const report *r = run(programs[k]);
    for (int i = 0; i < r->lines; i++) {
      const report_line *line = &r->line[i];
      if (isnan(line->printed)) continue;
      test_context("%s: %s", line->item, line->quantity);
      if (line->ours != line->printed) CHECK(line->note[0]);
      if (line->kind != REPORT_DETAIL) continue;
      CHECK(strncmp(line->note, "printed formula at n = ", 23) == 0);
      CHECK_EQ_INT(atoi(line->note + 23), atoi(strstr(line->item, "n = ") + 4));
    }
  }
}

// ---- what is counted ---------------------------------------------------------------------------

// The papers' own methods. leading is the power of n whose coefficient is the printed one; 0 where
// ours is smaller, because one recursion does the work of two.
static const struct {
  program *fill;
  const char *item, *method;
  int leading;
} own[] = {
    {counts_mata2002, "Table 1", "gibbs-tensor (", 1},
    {counts_mata2002, "Table 2", "gibbs-hessian (", 2},
    {counts_mata2002, "Table 3", "gibbs-tensor (bias vector)", 1},
    {counts_provenzano2002, "Table 1", "gibbs-hessian (", 2},
    {counts_valera2003, "Table 3", "gibbs-vector (", 0},
};

// For every number of joints, however the first axis stands.
TEST(own_methods_are_at_or_below_the_printed_formulas) {
  static const char *const geometry[] = {"", ", alpha1 = 0"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    const report *r = run(own[i].fill);
    for (int k = 0; k < 4; k++) {
      char quantity[128];
      snprintf(quantity, sizeof quantity, "%s, %s", k / 2 ? "additions" : "multiplications",
               own[i].method);
      for (int n = FIRST; n <= LAST; n++) {
        const report_line *line = at(r, own[i].item, quantity, n, geometry[k % 2]);
        test_context("%s: %s n = %d%s", own[i].item, quantity, n, geometry[k % 2]);
        if (CHECK(line != NULL)) CHECK(line->ours > 0 && line->ours <= line->printed);
      }
    }
  }
}

// The difference printed - counted has one degree less than the formula: its difference of order
// `leading` vanishes. n = 2 is left out, where a middle link is missing.
TEST(leading_terms_are_the_printed_ones) {
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    if (!own[i].leading) continue;
    const report *r = run(own[i].fill);
    for (int add = 0; add < 2; add++) {
      char quantity[128];
      double excess[LAST + 1] = {0};
      snprintf(quantity, sizeof quantity, "%s, %s", add ? "additions" : "multiplications",
               own[i].method);
      test_context("%s: %s", own[i].item, quantity);
      for (int n = FIRST + 1; n <= LAST; n++) {
        const report_line *line = at(r, own[i].item, quantity, n, "");
        if (CHECK(line != NULL)) excess[n] = line->printed - line->ours;
      }
      for (int order = 1; order <= own[i].leading; order++)
        for (int n = LAST; n > FIRST + order; n--) excess[n] -= excess[n - 1];
      for (int n = FIRST + 1 + own[i].leading; n <= LAST; n++) CHECK(excess[n] == 0);
    }
  }
}

// Solving n equations with a symmetric matrix: (n^3 - n) / 6 subtractions for the decomposition,
// n^2 - n for the triangular systems; without square roots as many products and divisions as Mata
// et al. print, with them 2n more, for a root and one product more at each pivot.
TEST(solutions_cost_what_is_known) {
  static const char *const operation[] = {"multiplications", "additions"};
  const report *r = run(counts_mata2002);
  for (int n = FIRST; n <= LAST; n++) {
    int subtractions = n * (n * n - 1) / 6;
    int products = n * (n + 1) * (n + 2) / 6;
    double want[3][2] = {{products + n, subtractions},
                         {n * n + n, n * n - n},
                         {products + n * n, subtractions + n * n - n}};
    static const char *const part[3] = {"gibbs-cholesky (Cholesky", "gibbs-cholesky (linear",
                                        "gibbs-ltdl (decomposition"};
    for (int k = 0; k < 6; k++) {
      char quantity[128];
      snprintf(quantity, sizeof quantity, "%s, %s", operation[k % 2], part[k / 2]);
      const report_line *line = at(r, "Table 3", quantity, n, "");
      test_context("%s, n = %d", quantity, n);
      if (CHECK(line != NULL)) CHECK(line->ours == want[k / 2][k % 2]);
    }
  }
}
