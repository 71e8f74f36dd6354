// SPDX-License-Identifier: Apache-2.0
// Robots made for counting and for errors, and the experiments in single precision.

#include <appell/research.h>

#include "experiments.h"
#include "golden/serial.h"
#include "test.h"

// Least and largest condition number over the turn, from the prototype that made golden_ascher.
static const double condition_range[2] = {13278.521010948778, 54055.95505576011};

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

// ---- general_robot -----------------------------------------------------------------------------

static ap_model *make(const ap_robot_def *def, void **memory) {
  ap_error error = {0};
  size_t size = ap_model_size(def);
  *memory = malloc(size);
  ap_model *m = *memory ? ap_model_init(def, *memory, size, &error) : NULL;
  if (!m) test_context("%s", error.text);
  CHECK(m);
  return m;
}

TEST(general_robots_are_sound) {
  for (int geometry = GENERAL_GEOMETRY; geometry <= SPECIAL_GEOMETRY; geometry++) {
    for (int n = 1; n <= GENERAL_MOST; n++) {
      ap_body_def bodies[GENERAL_MOST];
      ap_robot_def def;
      void *memory;
      test_context("geometry %d, n = %d", geometry, n);
      general_robot(n, (general_geometry)geometry, bodies, &def);
      ap_model *m = make(&def, &memory);
      if (m) {
        CHECK_EQ_INT(ap_nv(m), n);
        CHECK_EQ_INT(ap_model_remarks(m), 0);
        CHECK(def.gravity[0] == 0 && def.gravity[1] == 0 && def.gravity[2] < 0);
      }
      free(memory);
    }
  }
}

// A number that costs an operation: neither 0 nor 1 nor -1, not even nearly.
static bool counts(double x) { return fabs(x) > 1e-6 && fabs(fabs(x) - 1) > 1e-6; }

TEST(general_geometry_saves_no_operation) {
  ap_body_def b[GENERAL_MOST], c[GENERAL_MOST];
  ap_robot_def def;
  general_robot(GENERAL_MOST, GENERAL_GEOMETRY, b, &def);
  for (int k = 0; k < GENERAL_MOST; k++) {
    test_context("link %d", k + 1);
    CHECK(counts(sin(b[k].place.alpha)) && counts(cos(b[k].place.alpha)));
    CHECK(counts(b[k].place.a) && counts(b[k].place.d) && counts(b[k].mass));
    CHECK(b[k].place.theta == 0); // the joint variable is theta itself
    for (int i = 0; i < 3; i++) CHECK(counts(b[k].com[i]));
    for (int i = 0; i < 6; i++) CHECK(counts(b[k].inertia[i]));
  }
  general_robot(GENERAL_MOST, ALPHA1_ZERO, c, &def);
  CHECK(c[0].place.alpha == 0);
  c[0].place.alpha = b[0].place.alpha;
  for (int k = 0; k < GENERAL_MOST; k++) {
    CHECK(c[k].place.alpha == b[k].place.alpha && c[k].place.a == b[k].place.a);
    CHECK(c[k].place.d == b[k].place.d && c[k].mass == b[k].mass);
    CHECK_BITS(c[k].inertia, b[k].inertia, 6);
    CHECK_BITS(c[k].com, b[k].com, 3);
  }
}

TEST(special_geometry_is_special) {
  ap_body_def b[GENERAL_MOST];
  ap_robot_def def;
  general_robot(GENERAL_MOST, SPECIAL_GEOMETRY, b, &def);
  for (int k = 0; k < GENERAL_MOST; k++) {
    test_context("link %d", k + 1);
    CHECK_CLOSE(sin(2 * b[k].place.alpha), 0, 1e-15);
    CHECK((b[k].place.a == 0) != (b[k].place.d == 0));
    CHECK(b[k].inertia[1] == 0 && b[k].inertia[2] == 0 && b[k].inertia[4] == 0);
  }
}

// ---- reports -----------------------------------------------------------------------------------

static const report_line *find(const report *r, report_kind kind, const char *item,
                               const char *quantity) {
  for (int i = 0; i < r->lines; i++) {
    const report_line *l = &r->line[i];
    if (l->kind == kind && strcmp(l->item, item) == 0 && strcmp(l->quantity, quantity) == 0) {
      return l;
    }
  }
  return NULL;
}

static double value(const report *r, report_kind kind, const char *item, const char *quantity) {
  const report_line *l = find(r, kind, item, quantity);
  test_context("%s, %s", item, quantity);
  return CHECK(l) ? l->ours : NAN;
}

static bool has_binary128(void) {
  ap_body_def body[1];
  ap_robot_def def;
  void *memory;
  general_robot(1, GENERAL_GEOMETRY, body, &def);
  ap_model *m = make(&def, &memory);
  bool has = m && ap_study_size(m, AP_F128) > 0;
  free(memory);
  return has;
}

// 1e-9: the exact solution comes out as a double and the positions are doubles, both good to 1e-15;
// the matrix is conditioned to 6e4, also where double stands in for binary128.
TEST(two_bodies_are_exact) {
  report r = {0};
  ap_error error = {0};
  if (!CHECK_OK(two_bodies(NULL, &r, &error))) printf("%s\n", error.text);
  CHECK(!r.no_memory);
  for (int k = 0; k < 180; k++) {
    char item[64];
    snprintf(item, sizeof item, "Fig. 2, q2 = %d deg", 2 * k);
    for (int j = 0; j < 2; j++) {
      char quantity[64];
      snprintf(quantity, sizeof quantity, "acceleration of joint %d, exact", j + 1);
      double want = golden_ascher[k][j];
      CHECK_CLOSE(value(&r, REPORT_DETAIL, item, quantity), want, 1e-9 * fabs(want));
    }
  }
  static const char *const ends[2] = {"condition number of the inertia matrix, least",
                                      "condition number of the inertia matrix, largest"};
  for (int i = 0; i < 2; i++) {
    double want = condition_range[i];
    CHECK_CLOSE(value(&r, REPORT_ROW, "Fig. 2", ends[i]), want, 1e-9 * want);
  }
  report_free(&r);
}

// What Ascher, Pai and Cloutier showed with these bodies: in link frames the articulated body never
// forms the badly conditioned matrix. Each statistic is in order too: |mean| <= mean abs <= max.
TEST(articulated_body_is_the_most_accurate_for_two_bodies) {
  static const char max[] = "largest difference, ", mean_abs[] = "mean of absolute differences, ",
                    mean[] = "mean difference, ";
  report r = {0};
  int methods = 0;
  CHECK_OK(two_bodies(NULL, &r, NULL));
  double best = value(&r, REPORT_ROW, "Table 5", "largest difference, articulated-body");
  for (int i = 0; ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    char name[3][128];
    if (method->what != AP_FORWARD) continue;
    methods++;
    snprintf(name[0], sizeof name[0], "%s%s", max, method->name);
    snprintf(name[1], sizeof name[1], "%s%s", mean_abs, method->name);
    snprintf(name[2], sizeof name[2], "%s%s", mean, method->name);
    for (int joint = 1; joint <= 2; joint++) {
      report_kind kind = joint == 1 ? REPORT_ROW : REPORT_DETAIL;
      const char *item = joint == 1 ? "Table 5" : "Table 5, joint 2";
      double x[3];
      for (int k = 0; k < 3; k++) x[k] = value(&r, kind, item, name[k]);
      CHECK(fabs(x[2]) <= x[1] && x[1] <= x[0] && x[0] > 0);
      if (joint == 1 && !begins(method->name, "articulated-body")) CHECK(best < x[0]);
    }
  }
  CHECK(methods >= 4);
  report_free(&r);
}

// A double carries 29 more bits than a float, a factor of 5e8; 1e5 leaves room for luck in the
// worst of 200 states. No method may do worse than lose every digit.
TEST(double_is_far_more_accurate_than_float) {
  report r = {0};
  ap_error error = {0};
  int rows = 0;
  if (!CHECK_OK(single_precision(&r, &error))) printf("%s\n", error.text);
  bool compared = has_binary128();
  for (int i = 0; i < r.lines; i++) {
    const report_line *l = &r.line[i];
    char item[128];
    if (l->kind != REPORT_ROW) continue;
    rows++;
    test_context("%s, %s", l->item, l->quantity);
    CHECK(l->ours > 0 && l->ours < 1);
    if (!compared) continue;
    snprintf(item, sizeof item, "%s, double", l->item);
    CHECK(1e5 * value(&r, REPORT_DETAIL, item, l->quantity) <= l->ours);
  }
  int methods = 0;
  for (int i = 0; ap_method_at(i); i++) {
    ap_quantity what = ap_method_at(i)->what;
    methods += what == AP_INVERSE || what == AP_BIAS || what == AP_INERTIA || what == AP_FORWARD;
  }
  CHECK_EQ_INT(rows, 3 * methods);
  report_free(&r);
}

// ---- the figure --------------------------------------------------------------------------------

TEST(figure_2_is_drawn) {
  char folder[] = "papers_single_XXXXXX", path[64];
  report r = {0};
  ap_error error = {0};
  if (!CHECK(mkdtemp(folder))) return;
  paper_options options = {.plots = folder};
  if (!CHECK_OK(two_bodies(&options, &r, &error))) printf("%s\n", error.text);
  snprintf(path, sizeof path, "%s/mata2002-fig2.svg", folder);
  FILE *file = fopen(path, "r");
  if (CHECK(file)) fclose(file);
  remove(path);
  CHECK(remove(folder) == 0);
  report_free(&r);
  options.plots = "no such folder";
  CHECK(two_bodies(&options, &r, &error) != AP_OK && error.text[0]);
  report_free(&r);
}
