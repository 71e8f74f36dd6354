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
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
      ap_inverse_dynamics(m, w, s.q, s.v, s.a, got);
      CHECK_NEAR(got, want, ap_nv(m), 1e-13);
    }
    free(memory);
  }
  ap_model_free(m);
}

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
