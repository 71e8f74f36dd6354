// SPDX-License-Identifier: Apache-2.0
// Which parameters lead the base parameters: a matter of the robot, not of rounding.

#include <appell/ident.h>
#include <dirent.h>
#include <float.h>

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
    if (CHECK_OK(ap_robot_read(path, NULL, &robot, NULL))) check_robot(robot);
    ap_robot_free(robot);
  }
  closedir(files);
}
