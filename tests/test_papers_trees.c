// SPDX-License-Identifier: Apache-2.0
// The counts for trees: what Shafei and Shafei 2018 print is quoted rightly, the counts are those
// of polynomials, and they are ordered as the paper says.

#include <appell/research.h>
#include <stdio.h>

#include "experiments.h"
#include "test.h"

static const report *counted(void) {
  static report r;
  if (r.lines == 0) {
    ap_error error = {0};
    paper_options none = {0};
    if (!CHECK_OK(counts_shafei2018(&none, &r, &error))) printf("  %s\n", error.text);
    CHECK(!r.no_memory);
  }
  return &r;
}

// The line of an item whose quantity begins so; NULL where there is none.
static const report_line *find(const char *item, const char *quantity) {
  const report *r = counted();
  for (int i = 0; i < r->lines; i++) {
    const report_line *line = &r->line[i];
    bool number = line->kind == REPORT_ROW || line->kind == REPORT_DETAIL;
    if (number && strcmp(line->item, item) == 0 &&
        strncmp(line->quantity, quantity, strlen(quantity)) == 0)
      return line;
  }
  return NULL;
}

// What the printed formulas give for four branches of four links.
TEST(printed_formulas) {
  static const struct {
    const char *quantity;
    double printed;
  } row[] = {
      {"multiplications, lagrange-4x4", 44512}, {"additions, lagrange-4x4", 33104},
      {"multiplications, gibbs-tensor", 12168}, {"additions, gibbs-tensor", 10932},
      {"multiplications, gibbs-4x4", 30460},    {"additions, gibbs-4x4", 20292},
  };
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    const report_line *line = find("Table 1", row[k].quantity);
    test_context("%s", row[k].quantity);
    if (CHECK(line)) CHECK(line->printed == row[k].printed && line->ours > 0);
  }
}

// Fig. 12 and Fig. 13 meet at n_m = n_b = 4, and there is the row of Table 1.
TEST(the_figures_meet) {
  static const char *const quantity[] = {"multiplications, gibbs-4x4", "additions, gibbs-4x4",
                                         "multiplications, lagrange-4x4"};
  for (size_t k = 0; k < sizeof quantity / sizeof *quantity; k++) {
    const report_line *table = find("Table 1", quantity[k]),
                      *a = find("Fig. 12, n_m = 4, n_b = 4, axes in any direction", quantity[k]),
                      *b = find("Fig. 13, n_m = 4, n_b = 4, axes in any direction", quantity[k]);
    test_context("%s", quantity[k]);
    if (CHECK(table && a && b)) CHECK(table->ours == a->ours && a->ours == b->ours);
  }
}

static double multiplications(const char *figure, int links, int branches, const char *method) {
  char item[64], quantity[64];
  snprintf(item, sizeof item, "%s, n_m = %d, n_b = %d, axes in any direction", figure, links,
           branches);
  snprintf(quantity, sizeof quantity, "multiplications, %s", method);
  const report_line *line = find(item, quantity);
  return CHECK(line) ? line->ours : 0;
}

// More links and more branches cost more. A branch more costs the same each time: branches share
// nothing but the slides. 3x3 rotations alone are cheapest.
TEST(counts_grow_with_links_and_branches) {
  static const char *const method[] = {"lagrange-4x4", "gibbs-tensor", "gibbs-4x4"};
  for (int f = 0; f < 3; f++)
    for (int n = 1; n < 10; n++) {
      test_context("%s, %d", method[f], n);
      CHECK(multiplications("Fig. 12", n + 1, 4, method[f]) >
            multiplications("Fig. 12", n, 4, method[f]));
      if (n < 3) continue;
      double last = multiplications("Fig. 13", 4, n, method[f]) -
                    multiplications("Fig. 13", 4, n - 1, method[f]);
      double next = multiplications("Fig. 13", 4, n + 1, method[f]) -
                    multiplications("Fig. 13", 4, n, method[f]);
      CHECK(last == next && last > 0);
      CHECK(multiplications("Fig. 13", 4, n, "gibbs-tensor") <
            fmin(multiplications("Fig. 13", 4, n, "lagrange-4x4"),
                 multiplications("Fig. 13", 4, n, "gibbs-4x4")));
    }
}

TEST(figures_are_drawn) {
  char folder[] = "trees-XXXXXX", path[64];
  if (!CHECK(mkdtemp(folder))) return;
  paper_options options = {.plots = folder};
  report r = {0};
  ap_error error = {0};
  CHECK_OK(counts_shafei2018(&options, &r, &error));
  for (int k = 12; k <= 13; k++) {
    snprintf(path, sizeof path, "%s/shafei2018-fig%d.svg", folder, k);
    CHECK(remove(path) == 0);
  }
  CHECK(remove(folder) == 0);
  report_free(&r);
}
