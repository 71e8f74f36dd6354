// SPDX-License-Identifier: Apache-2.0
// A robot that went through a file is the same robot: the same definition through YAML, the same
// dynamics through URDF, which has to say some things otherwise.

#include <appell/dyn.h>
#include <appell/file.h>

#include "models.h"
#include "robot_files.h"

// Forces of both models in the same states. URDF rounds the angles of a placement once more, one
// part in 2^53 each, along chains of up to 31 bodies.
static void same_forces(const test_robot *r, const ap_robot *back) {
  ap_model *m = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_robot_model(back, &m, &error))) {
    printf("  line %d: %s\n", error.line, error.text);
    return;
  }
  if (CHECK_EQ_INT(ap_nq(m), ap_nq(r->m)) && CHECK_EQ_INT(ap_nv(m), ap_nv(r->m))) {
    size_t size = ap_work_size(m);
    void *memory = malloc(size);
    ap_work *w = ap_work_init(m, memory, size);
    double want[ROBOT_V], got[ROBOT_V];
    FOR_EACH_STATE (r, s, 5) {
      ap_set_friction(r->m, r->w, s.number > 2), ap_set_friction(m, w, s.number > 2);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
      ap_inverse_dynamics(m, w, s.q, s.v, s.a, got);
      CHECK_NEAR(got, want, ap_nv(m), 1e-13);
    }
    free(memory);
  }
  ap_model_free(m);
}

// ---- MJCF: joints depth first, a planar one as three
// ---------------------------------------------

// The joints of `to` that joint i of `from` is; how many, 0 where one is missing.
static int joints_of(const ap_model *from, int i, const ap_model *to, int joint[3]) {
  static const char *const part[3] = {"_x", "_y", "_angle"};
  const ap_body_def *d = ap_body(from, i);
  const char *name = d->joint_name ? d->joint_name : d->name;
  const int n = d->joint == AP_PLANAR ? 3 : 1;
  for (int k = 0; k < n; k++) {
    char whole[128];
    snprintf(whole, sizeof whole, "%s%s", name, n == 3 ? part[k] : "");
    joint[k] = ap_find_joint(to, whole);
    if (!CHECK(joint[k] > 0)) return 0;
  }
  return n;
}

// Copy the numbers of every joint from one order to the other.
static void reorder(const ap_model *from, const ap_model *to, const double *x, bool q, bool back,
                    double *out) {
  for (int k = 0; k < ap_moving_bodies(from); k++) {
    const int i = ap_moving_body(from, k);
    const int first = q ? ap_joint_q(from, i) : ap_joint_v(from, i);
    int joint[3], at = first;
    if (ap_joint_nv(from, i) == 0) continue; // a follower
    const int n = joints_of(from, i, to, joint);
    for (int j = 0; j < n; j++) {
      const int there = q ? ap_joint_q(to, joint[j]) : ap_joint_v(to, joint[j]);
      const int width = q ? ap_joint_nq(to, joint[j]) : ap_joint_nv(to, joint[j]);
      for (int l = 0; l < width; l++, at++) {
        if (back)
          out[at] = x[there + l];
        else
          out[there + l] = x[at];
      }
    }
  }
}

static void same_forces_by_name(const test_robot *r, const ap_robot *back) {
  ap_model *m = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_robot_model(back, &m, &error))) {
    printf("  line %d: %s\n", error.line, error.text);
    return;
  }
  if (CHECK_EQ_INT(ap_nq(m), ap_nq(r->m)) && CHECK_EQ_INT(ap_nv(m), ap_nv(r->m))) {
    size_t size = ap_work_size(m);
    void *memory = malloc(size);
    ap_work *w = ap_work_init(m, memory, size);
    double want[ROBOT_V], got[ROBOT_V], tau[ROBOT_V], q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
    FOR_EACH_STATE (r, s, 5) {
      reorder(r->m, m, s.q, true, false, q);
      reorder(r->m, m, s.v, false, false, v);
      reorder(r->m, m, s.a, false, false, a);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
      ap_inverse_dynamics(m, w, q, v, a, tau);
      reorder(r->m, m, tau, false, true, got);
      CHECK_NEAR(got, want, ap_nv(m), 1e-13);
    }
    free(memory);
  }
  ap_model_free(m);
}

// A free joint that is not at the origin of the world has other coordinates in MJCF, and on a
// moving body there is none.
static bool has_placed_base(const ap_robot_def *def) {
  static const double zero[3] = {0};
  for (int i = 0; i < def->nbody; i++) {
    const ap_body_def *b = &def->bodies[i];
    if (b->joint == AP_FREE &&
        (b->parent || b->place.kind != AP_PLACE_RPY || !same_numbers(b->place.xyz, zero, 3) ||
         !same_numbers(b->place.rpy, zero, 3)))
      return true;
  }
  return false;
}

TEST(mjcf_keeps_the_dynamics) {
  int said = 0;
  FOR_EACH_MODEL (r) {
    ap_robot *robot;
    if (r->def.nbody == 0 || has_placed_base(&r->def)) continue;
    if (!CHECK_OK(ap_robot_from_definition(&r->def, &robot, NULL))) return;
    ap_robot *back = through_file(robot, "mjcf");
    if (back) same_forces_by_name(r, back);
    said += back != NULL;
    ap_robot_free(back);
    ap_robot_free(robot);
  }
  CHECK(said > 0);
}

// ---- the others
// -----------------------------------------------------------------------------------

TEST(yaml_keeps_every_bit) {
  FOR_EACH_MODEL (r) {
    ap_robot *robot;
    if (r->def.nbody == 0) continue; // refused: a robot file has at least one body
    if (!CHECK_OK(ap_robot_from_definition(&r->def, &robot, NULL))) return;
    ap_robot *back = through_file(robot, "yaml");
    if (back) same_robot(robot, back);
    ap_robot_free(back);
    ap_robot_free(robot);
  }
}

TEST(urdf_keeps_the_dynamics) {
  int said = 0;
  FOR_EACH_MODEL (r) {
    ap_robot_def def = r->def;
    memcpy(def.gravity, ap_default_robot().gravity, sizeof def.gravity);
    test_robot r2 = *r;
    for (int k = 0; k < def.nbody; k++) { // what URDF cannot say
      r2.body[k].gravity_compensation = 0;
      if (!has_one_dof(&r2.body[k])) r2.body[k].stiffness = 0;
    }
    def.bodies = r2.body;
    r2.def = def;
    ap_robot *robot;
    if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
    ap_error error = {0};
    if (!CHECK_OK(ap_robot_model(robot, &r2.m, &error))) {
      printf("  %s\n", error.text);
      ap_robot_free(robot);
      continue;
    }
    size_t size = ap_work_size(r2.m);
    void *memory = malloc(size);
    r2.w = ap_work_init(r2.m, memory, size);
    ap_robot *back = through_file(robot, "urdf");
    if (back) same_forces(&r2, back);
    said += back != NULL;
    free(memory);
    ap_model_free(r2.m);
    ap_robot_free(back);
    ap_robot_free(robot);
  }
  CHECK(said > 0);
}
