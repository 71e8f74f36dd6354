// SPDX-License-Identifier: Apache-2.0
// Which parameters lead the base parameters: a matter of the robot, not of rounding.

#include <appell/ident.h>
#include <dirent.h>
#include <float.h>
#include <limits.h>

#include "identify.h"

// Other numbers, the same to a few roundings.
static void shake(rng *r, double *x, int n) {
  for (int k = 0; k < n; k++)
    if (isfinite(x[k])) x[k] *= 1 + rng_int(r, -3, 3) * DBL_EPSILON;
}

// The same robot with every length, angle and limit off by up to three units in the last place: its
// random states differ by as much, and every number of the regressor is rounded anew.
static ap_robot *shaken(rng *r, const ap_robot *robot) {
  ap_robot_def def = *ap_robot_definition(robot);
  ap_body_def *body = malloc((size_t)def.nbody * sizeof *body);
  ap_robot *other = NULL;
  for (int i = 0; i < def.nbody; i++) {
    body[i] = def.bodies[i];
    ap_placement *at = &body[i].place;
    shake(r, at->xyz, 3), shake(r, at->rpy, 3), shake(r, body[i].axis, 3);
    shake(r, &at->alpha, 1), shake(r, &at->a, 1), shake(r, &at->d, 1), shake(r, &at->theta, 1);
    shake(r, &body[i].lower, 1), shake(r, &body[i].upper, 1);
  }
  shake(r, def.gravity, 3);
  def.bodies = body;
  CHECK_OK(ap_robot_from_definition(&def, &other, NULL));
  free(body);
  return other;
}

// Both have the same leaders, and factors that differ by rounding, 1e-15, over a pivot of 1e-6 at
// least.
static void check_same(const ap_base *a, const ap_base *b, int np) {
  CHECK_EQ_INT(ap_base_count(a), ap_base_count(b));
  for (int k = 0; k < ap_base_count(a) && ap_base_count(a) == ap_base_count(b); k++) {
    if (!CHECK_EQ_INT(ap_base_leader(a, k), ap_base_leader(b, k))) return;
    for (int i = 0; i < np; i++) {
      double x = ap_base_factor(a, k, i), y = ap_base_factor(b, k, i);
      CHECK_CLOSE(x, y, 1e-8 * (1 + fabs(x)));
    }
  }
}

static void check_choice(const ap_robot *robot, ap_base_method method, ap_ident_options options) {
  ap_base *first = NULL;
  rng r = rng_seed(17);
  for (int turn = 0; turn < 6; turn++) {
    ap_robot *other = turn == 0 ? NULL : shaken(&r, robot);
    ap_model *m = NULL;
    ap_ident *id = NULL;
    ap_base *base = NULL;
    ap_status status = ap_robot_model(other ? other : robot, &m, NULL);
    if (!status && ap_nv(m) > 0) {
      if (CHECK_OK(ap_ident_create(m, &options, &id, NULL)) &&
          CHECK_OK(ap_base_find(id, method, &base, NULL))) {
        double kept, dropped;
        ap_base_gap(base, &kept, &dropped);
        CHECK(kept > 1e-4 && dropped < 1e-8); // a factor of 100 to the border on either side
        if (first) check_same(first, base, ap_ident_count(id));
      }
    }
    if (first)
      ap_base_free(base);
    else
      first = base;
    ap_ident_free(id), ap_model_free(m), ap_robot_free(other);
  }
  ap_base_free(first);
}

static void check_robot(const ap_robot *robot) {
  const ap_ident_options none = {0};
  for (int method = 0; method < 2; method++) {
    test_context("%s by %s", ap_robot_definition(robot)->name, method ? "SVD" : "QR");
    check_choice(robot, (ap_base_method)method, none);
    check_choice(robot, (ap_base_method)method, all_drives);
  }
}

// ---- angles with a few digits ------------------------------------------------------------------

static double rounded(double x, int digits) {
  char text[40];
  snprintf(text, sizeof text, "%.*g", digits, x);
  return strtod(text, NULL);
}

// The robot as a file with so many digits of each angle describes it.
static ap_robot *with_digits(const ap_robot *robot, int digits) {
  ap_robot_def def = *ap_robot_definition(robot);
  ap_body_def *body = malloc((size_t)def.nbody * sizeof *body);
  ap_robot *other = NULL;
  for (int i = 0; i < def.nbody; i++) {
    body[i] = def.bodies[i];
    ap_placement *at = &body[i].place;
    for (int k = 0; k < 3; k++) at->rpy[k] = rounded(at->rpy[k], digits);
    for (int k = 0; k < 9; k++) at->matrix[k] = rounded(at->matrix[k], digits);
    at->alpha = rounded(at->alpha, digits), at->theta = rounded(at->theta, digits);
  }
  def.bodies = body;
  CHECK_OK(ap_robot_from_definition(&def, &other, NULL));
  free(body);
  return other;
}

static int count_of(const ap_robot *robot, ap_base_method method) {
  const ap_ident_options rotor = {.rotor = true};
  ap_model *m = NULL;
  ap_ident *id = NULL;
  ap_base *base = NULL;
  int count = -1;
  if (CHECK_OK(ap_robot_model(robot, &m, NULL)) && ap_nv(m) > 0 &&
      CHECK_OK(ap_ident_create(m, &rotor, &id, NULL)) &&
      CHECK_OK(ap_base_find(id, method, &base, NULL)))
    count = ap_base_count(base);
  ap_base_free(base), ap_ident_free(id), ap_model_free(m);
  return count;
}

// pi with 5 digits tilts axes by 7e-6 rad: no parameter shows that did not show before.
static void check_digits(const ap_robot *robot) {
  const int digits[] = {5, 6, 7, 8, 12};
  int want = count_of(robot, AP_BASE_QR);
  for (int k = 0; k < 5; k++) {
    ap_robot *other = with_digits(robot, digits[k]);
    if (!other) continue;
    test_context("%s with %d digits", ap_robot_definition(robot)->name, digits[k]);
    CHECK_EQ_INT(count_of(other, AP_BASE_QR), want);
    CHECK_EQ_INT(count_of(other, AP_BASE_SVD), want);
    ap_robot_free(other);
  }
}

TEST(rounded_angles_show_no_more_parameters) {
  const char *const names[] = {"puma600", "stanford", "scara", "ascher2"};
  for (int i = 0; i < 4; i++) {
    ap_robot *robot = NULL;
    if (CHECK_OK(ap_robot_builtin(names[i], NULL, &robot, NULL))) check_digits(robot);
    ap_robot_free(robot);
  }
}

// An arm upside down, whose second link's centre shows by an offset of 1.6 mm alone, as that of the
// Kinova Jaco does: gravity on an axis that is tilted by rounding is then as large as what shows.
TEST(rounded_angles_and_short_offsets) {
  const double pi = acos(-1.0);
  ap_body_def body[3];
  for (int i = 0; i < 3; i++) {
    body[i] = ap_default_body();
    body[i].name = i == 0 ? "a" : i == 1 ? "b" : "c";
    body[i].parent = i, body[i].joint = AP_REVOLUTE, body[i].mass = 1;
    for (int k = 0; k < 3; k++) body[i].inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = 0.01;
    body[i].com[0] = 0.1, body[i].com[1] = 0.02, body[i].com[2] = 0.03;
  }
  body[0].place.rpy[1] = pi;
  body[1].place.rpy[0] = -pi / 2, body[1].place.rpy[2] = pi;
  body[1].place.xyz[1] = 0.0016, body[1].place.xyz[2] = -0.11875;
  body[2].place.rpy[1] = pi, body[2].place.xyz[1] = -0.41;
  ap_robot_def def = ap_default_robot();
  def.bodies = body, def.nbody = 3;
  ap_robot *robot = NULL;
  if (CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) check_digits(robot);
  ap_robot_free(robot);
}

TEST(rounding_does_not_choose) {
  for (int i = 0; ap_builtin_name(i); i++) {
    ap_robot *robot = NULL;
    if (CHECK_OK(ap_robot_builtin(ap_builtin_name(i), NULL, &robot, NULL))) check_robot(robot);
    ap_robot_free(robot);
  }
}

TEST(rounding_does_not_choose_for_robots_from_files) {
  const char *folder = getenv("APPELL_ROBOTS");
  DIR *files = folder ? opendir(folder) : NULL;
  if (!files) {
    test_skip("set APPELL_ROBOTS to a folder with URDF files");
    return;
  }
  for (struct dirent *file; (file = readdir(files));) {
    char path[4096];
    ap_robot *robot = NULL;
    if (!strstr(file->d_name, ".urdf")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
    const int most = test_effort() < 3 ? 12 : INT_MAX; // bodies: the time grows with their cube
    if (CHECK_OK(ap_robot_read(path, NULL, &robot, NULL)) &&
        ap_robot_definition(robot)->nbody <= most)
      check_robot(robot);
    ap_robot_free(robot);
  }
  closedir(files);
}
