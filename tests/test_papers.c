// SPDX-License-Identifier: Apache-2.0
// What the papers' experiments are made of: reports, and formulas as papers print them.

#include "papers.h"

#include "polynomial.h"
#include "test.h"

// ---- reports -----------------------------------------------------------------------------------

TEST(a_report_keeps_lines_and_owns_its_texts) {
  report r = {0};
  char text[32] = "Table 5";
  report_item(&r, text, "errors");
  strcpy(text, "overwritten");
  report_remark(&r, "%d steps of %s", 180, "2 degrees");
  report_row(&r, "maximum", "rad/s2", 0.5, 0.25, NULL);
  report_detail(&r, "n = 7", "mean", "", NAN, 1, "a note");
  report_detail(&r, NULL, "mean", "", NAN, 2, NULL);
  report_item(&r, "Table 6", "others");
  report_row(&r, "mean", "", 1, 2, NULL);
  report_digits(&r, 2);
  report_narrowed_row(&r, "joint 1", "mean", "", 1, 2, NULL);
  if (!CHECK_EQ_INT(r.lines, 8)) return;
  const report_line *line = r.line;
  CHECK(line[0].kind == REPORT_ITEM);
  CHECK_STR(line[0].item, "Table 5");
  CHECK_STR(line[0].text, "errors");
  CHECK(line[1].kind == REPORT_REMARK);
  CHECK_STR(line[1].item, "Table 5");
  CHECK_STR(line[1].text, "180 steps of 2 degrees");
  CHECK(line[2].kind == REPORT_ROW);
  CHECK_STR(line[2].quantity, "maximum");
  CHECK_STR(line[2].unit, "rad/s2");
  CHECK_STR(line[2].note, "");
  CHECK(line[2].printed == 0.5 && line[2].ours == 0.25);
  CHECK(line[3].kind == REPORT_DETAIL);
  CHECK_STR(line[3].item, "Table 5, n = 7");
  CHECK_STR(line[3].note, "a note");
  CHECK(isnan(line[3].printed));
  CHECK_STR(line[4].item, "Table 5");
  CHECK_STR(line[6].item, "Table 6");
  CHECK(line[6].digits == 2 && line[2].digits == 0);
  CHECK(line[7].kind == REPORT_ROW);
  CHECK_STR(line[7].item, "Table 6, joint 1");
  report_free(&r);
  CHECK(!r.line && r.lines == 0 && r.room == 0 && !r.no_memory);
}

TEST(a_report_grows) {
  report r = {0};
  for (int i = 0; i < 5000; i++) report_row(&r, "x", "", i, -i, NULL);
  if (CHECK_EQ_INT(r.lines, 5000))
    for (int i = 0; i < 5000; i++) CHECK(r.line[i].printed == i && r.line[i].ours == -i);
  report_free(&r);
}

TEST(papers_have_names_of_their_own) {
  int n = 0;
  while (paper_at(n)) n++;
  CHECK_EQ_INT(n, 5);
  CHECK(!paper_at(-1) && !paper_at(n + 1));
  for (int i = 0; i < n; i++) {
    const paper *p = paper_at(i);
    CHECK(p->name[0] && p->title[0] && p->source[0] && p->run);
    for (int k = 0; k < i; k++) CHECK(strcmp(p->name, paper_at(k)->name) != 0);
  }
}

// ---- polynomials -------------------------------------------------------------------------------

TEST(formulas_are_read_as_they_are_written) {
  static const char *const formulas[] = {"0",
                                         "7",
                                         "-3",
                                         "n",
                                         "-n",
                                         "96n-101",
                                         "11.5n^2+19.5n-49",
                                         "n^3+17n^2-21n+8",
                                         "n^2-n",
                                         "150n",
                                         "(1/6)n^3+0.5n^2+(1/3)n",
                                         "-0.5n+2",
                                         "(1/6)n^3+13n^2+(695/6)n-157"};
  for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
    polynomial p;
    char text[64];
    if (CHECK(polynomial_read(formulas[i], &p)))
      CHECK_STR(polynomial_text(&p, text, sizeof text), formulas[i]);
  }
}

TEST(what_is_no_formula_is_refused) {
  static const char *const wrong[] = {"",     "+",    "n+",     "3m",       "2n^4", "n^", "(1/7)",
                                      "(1/6", "1.2n", "96 n-1", "96n--101", "x",    "+3"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    polynomial p = {{1, 2, 3, 4}};
    test_context("\"%s\"", wrong[i]);
    CHECK(!polynomial_read(wrong[i], &p));
    CHECK(p.sixths[0] == 1 && p.sixths[3] == 4);
  }
}

// Any cubic with integer values comes back from its values, and from the n on from which they
// follow it.
TEST(a_polynomial_is_found_from_its_values) {
  enum { FIRST = 2, COUNT = 19 };
  for (int c = 0; c < 400; c++) {
    const int odd = c % 5; // the values before FIRST + odd follow no law
    const long a = c % 7 - 3, b = c % 13 - 6, d = c % 11, e = c - 200; // a C(n,3) + b C(n,2) + ...
    const polynomial want = {{6 * e, 2 * a - 3 * b + 6 * d, 3 * (b - a), a}};
    polynomial found;
    long value[COUNT];
    int from;
    for (int i = 0; i < COUNT; i++) {
      long n = FIRST + i;
      value[i] = a * (n * (n - 1) * (n - 2) / 6) + b * (n * (n - 1) / 2) + d * n + e;
      if (i < odd) value[i] += 1 + i;
    }
    test_context("case %d", c);
    if (!CHECK(polynomial_fit(value, FIRST, COUNT, &found, &from))) continue;
    CHECK_EQ_INT(from, FIRST + odd);
    for (int k = 0; k < 4; k++) CHECK_EQ_INT(found.sixths[k], want.sixths[k]);
  }
}

TEST(what_follows_no_polynomial_gets_none) {
  enum { COUNT = 19 };
  long powers[COUNT], alternating[COUNT];
  polynomial p;
  int from;
  for (int i = 0; i < COUNT; i++) {
    powers[i] = 1L << i;
    alternating[i] = 10L * i + i % 2;
  }
  CHECK(!polynomial_fit(powers, 2, COUNT, &p, &from));
  CHECK(!polynomial_fit(alternating, 2, COUNT, &p, &from));
  CHECK(!polynomial_fit(powers, 2, 7, &p, &from));
}
