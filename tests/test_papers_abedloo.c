// SPDX-License-Identifier: Apache-2.0
// Abedloo et al. 2014: simulator and closed form agree far below the printed orders on every
// branch, the matrices obey their laws, and what deviates open loop is the integrator's.

#include <stdio.h>
#include <unistd.h>

#include "papers.h"
#include "test.h"

static const char *const branches[] = {NULL,         "branch -++", "branch +-+", "branch --+",
                                       "branch ++-", "branch -+-", "branch +--", "branch ---"};
enum { BRANCHES = sizeof branches / sizeof *branches };

static bool drawn[3];

// Runs once, with figures, which are removed again.
static const report *reproduced(void) {
  static report r;
  if (r.lines > 0) return &r;
  char folder[] = "abedloo-XXXXXX", path[64];
  ap_error error = {0};
  paper_options options = {.plots = folder};
  if (!CHECK(mkdtemp(folder))) return &r;
  if (!CHECK_OK(paper_abedloo2014.run(&options, &r, &error))) printf("  %s\n", error.text);
  CHECK(!r.no_memory);
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/abedloo2014-fig%d.svg", folder, 5 + k);
    drawn[k] = remove(path) == 0;
  }
  CHECK(rmdir(folder) == 0);
  return &r;
}

// The number of an item and quantity on a branch (0: +++), or NULL.
static const report_line *find(const char *item, int branch, const char *quantity) {
  const report *r = reproduced();
  char name[96];
  const char *where = branches[branch];
  snprintf(name, sizeof name, "%s%s%s", item, where ? ", " : "", where ? where : "");
  for (int i = 0; i < r->lines; i++) {
    const report_line *line = &r->line[i];
    if (line->kind != (branch ? REPORT_DETAIL : REPORT_ROW)) continue;
    if (strcmp(line->item, name) == 0 && strcmp(line->quantity, quantity) == 0) return line;
  }
  return NULL;
}

// NAN where there is no such number: no comparison holds then.
static double ours(const char *item, int branch, const char *quantity) {
  const report_line *line = find(item, branch, quantity);
  test_context("%s, branch %d, %s", item, branch, quantity);
  return CHECK(line) ? line->ours : NAN;
}

TEST(errors_are_below_the_printed_orders) {
  static const struct {
    const char *item, *quantity;
    double printed, bound; // some hundred roundings of what is compared
  } row[] = {{"Fig. 5", "joints, largest difference", 1e-7, 1e-13},
             {"Fig. 6", "largest difference", 1e-5, 1e-11},
             {"Fig. 7", "position, largest difference", 1e-7, 1e-13},
             {"Fig. 7", "velocity, largest difference", 1e-6, 1e-12},
             {"Fig. 7", "acceleration, largest difference", 1e-5, 1e-11}};
  for (size_t k = 0; k < sizeof row / sizeof *row; k++)
    for (int b = 0; b < BRANCHES; b++) {
      const report_line *line = find(row[k].item, b, row[k].quantity);
      test_context("%s, branch %d, %s", row[k].item, b, row[k].quantity);
      if (!CHECK(line)) continue;
      CHECK(line->printed == row[k].printed);
      CHECK(line->ours > 0 && line->ours < row[k].bound && line->ours < line->printed);
    }
}

// The controller moves the platform about the trajectory, not along it exactly: the comparison is
// not one of the trajectory with itself.
TEST(the_simulator_follows_the_trajectory_roughly) {
  for (int b = 0; b < BRANCHES; b++) {
    double away = ours("Fig. 5", b, "platform, largest distance from equation 52"),
           torque = ours("Fig. 6", b, "largest torque");
    CHECK(away > 1e-4 && away < 0.02);
    CHECK(torque > 0.1 && torque < 2);
  }
}

TEST(matrices_obey_their_laws) {
  for (int b = 0; b < BRANCHES; b++) {
    CHECK(ours("Equation 21", b, "largest |M - M^T|") == 0);
    CHECK(ours("Equation 21", b, "least eigenvalue of M") > 1e-3);
    CHECK(ours("Equation 21", b, "largest |X + X^T|, X = M' - 2C, our C") < 1e-12);
    CHECK(ours("Equation 21", b, "largest |C v - C v|, our C and the paper's") < 1e-15);
    CHECK(ours("Equation 21", b, "largest |C v|") > 1e-3);
    CHECK(ours("Equation 21", b, "largest |X + X^T|, X = M' - 2C, the paper's C") > 1e-3);
  }
  CHECK_CLOSE(ours("Equation 21", 0, "largest |X + X^T|, X = M' - 2C, the paper's C"), 1.3e-3,
              5e-5);
}

TEST(energy_is_the_work_of_the_motors) {
  for (int b = 0; b < BRANCHES; b++) {
    CHECK(ours("Equation 49", b, "largest change of energy") > 0.1);
    CHECK(ours("Equation 49", b, "largest change of energy less work of the motors") < 1e-11);
    CHECK(ours("Equation 49", b, "energy, simulator less model, largest") < 1e-13);
    CHECK(ours("Equation 49", b,
               "power of the simulator's motors less Q . v of the model, largest") < 1e-12);
  }
}

TEST(the_trajectory_keeps_away_from_singular_poses) {
  for (int b = 0; b < BRANCHES; b++) {
    // Angles between axes do not depend on the branch.
    CHECK_CLOSE(ours("Equation 52", b, "least angle between u and v"), 54.72, 0.01);
    CHECK_CLOSE(ours("Equation 52", b, "largest angle between u and v"), 125.49, 0.01);
    CHECK_CLOSE(ours("Equation 52", b, "serial: least angle that is left"), 150 - 125.49, 0.01);
    CHECK(ours("Equation 52", b, "serial: amplitudes that meet it, times") > 1.5);
    CHECK(ours("Equation 52", b, "parallel: least |det| of unit vectors") > 0.4);
    CHECK(ours("Equation 52", b, "parallel: least singular value") > 0.3);
    CHECK_CLOSE(ours("Equation 52", b, "Euler angles: least cosine of the second"),
                0.8660254037844386, 1e-9);
  }
  CHECK_CLOSE(ours("Equation 52", 0, "parallel: amplitudes that meet it, times"), 1.7327, 1e-4);
}

static void check_open_loop(const char *item, double bound) {
  const report *r = reproduced();
  double value[3];
  int n = 0;
  for (int i = 0; i < r->lines && n < 3; i++) {
    const report_kind kind = r->line[i].kind;
    bool number = kind == REPORT_ROW || kind == REPORT_DETAIL;
    if (number && strcmp(r->line[i].item, item) == 0) value[n++] = r->line[i].ours;
  }
  test_context("%s", item);
  if (!CHECK_EQ_INT(n, 3)) return;
  CHECK(value[0] < bound);
  CHECK_CLOSE(value[2], value[0] / value[1], 1e-12 * value[2]);
  // Order 4: half the step, a sixteenth of the error. A wrong torque would leave a part of it.
  CHECK(value[2] > 14 && value[2] < 17);
}

TEST(open_loop_deviates_by_the_integrator_alone) {
  check_open_loop("Open loop, eight half seconds, the worst", 1e-4);
  check_open_loop("Open loop, first second at once", 1e-2);
  for (int b = 1; b < BRANCHES; b++) {
    char item[96];
    snprintf(item, sizeof item, "Open loop, %s, first half second", branches[b]);
    check_open_loop(item, 1e-4);
  }
}

// What the paper does not give stands in the report.
TEST(assumptions_and_gains_are_told) {
  const report *r = reproduced();
  bool radius = false, errata = false;
  for (int i = 0; i < r->lines; i++) {
    if (r->line[i].kind != REPORT_REMARK || strcmp(r->line[i].item, "Section IV") != 0) continue;
    radius = radius || (strstr(r->line[i].text, "radius is 0.1 m") &&
                        strstr(r->line[i].text, "(0, 0, 0.05) m") &&
                        strstr(r->line[i].text, "inertia is about O"));
    errata = errata || strstr(r->line[i].text, "errata");
  }
  CHECK(radius && errata);
  const report_line *gain = find("Fig. 4", 0, "gain of the angle"),
                    *damping = find("Fig. 4", 0, "gain of the rate");
  if (!CHECK(gain && damping)) return;
  CHECK(isnan(gain->printed) && isnan(damping->printed) && gain->ours > 0 && damping->ours > 0);
}

TEST(items_in_order) {
  static const char *const item[] = {"Section IV",  "Equation 52", "Fig. 4",
                                     "Fig. 5",      "Fig. 6",      "Fig. 7",
                                     "Equation 21", "Equation 49", "Open loop"};
  const report *r = reproduced();
  size_t items = 0;
  for (int i = 0; i < r->lines; i++) {
    const report_line *line = &r->line[i];
    if (line->kind == REPORT_ITEM && CHECK(items < sizeof item / sizeof *item))
      CHECK_STR(line->item, item[items++]);
    if (line->kind == REPORT_ROW || line->kind == REPORT_DETAIL) CHECK(isfinite(line->ours));
  }
  CHECK(items == sizeof item / sizeof *item);
}

TEST(figures_are_drawn) {
  reproduced();
  CHECK(drawn[0] && drawn[1] && drawn[2]);
}

TEST(a_folder_that_is_not_there) {
  paper_options options = {.plots = "no/such/folder"};
  report r = {0};
  ap_error error = {0};
  CHECK_STATUS(paper_abedloo2014.run(&options, &r, &error), AP_E_FILE);
  CHECK_HAS(error.text, "no/such/folder");
  report_free(&r);
}
