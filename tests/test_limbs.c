// SPDX-License-Identifier: Apache-2.0
// Limbs that look alike go through the kernels side by side, and no bit tells: they give what many
// states side by side give, where every limb goes alone; and what they give alone under a wrench of
// zero. Every number of limbs, every length, in both orders of the bodies.

#include <appell/batch.h>
#include <appell/research.h>

#include "batch/ops.h"
#include "base/isa.h"
#include "dyn/builds.h"
#include "models.h"

enum { MOST = 40, MOST_DERIVED = 40 };
#define MARK 12345

#include "batch_laws.h"

// A body on a revolute joint, unlike any other but for its place in a limb.
static int add_body(test_robot *r, int parent, ap_joint_type joint, bool turned) {
  int k = r->def.nbody++;
  double x = 0.1 * k;
  ap_body_def *b = &r->body[k];
  *b = ap_default_body();
  b->name = body_name(k + 1), b->parent = parent, b->joint = joint;
  b->place.xyz[0] = 0.2 + 0.1 * x, b->place.xyz[1] = 0.3 * sin(x), b->place.xyz[2] = -0.1;
  if (turned) b->place.rpy[0] = 0.3 + 0.1 * x, b->place.rpy[1] = -0.4, b->place.rpy[2] = 0.2 * x;
  b->axis[0] = sin(1.7 * k), b->axis[1] = cos(1.3 * k), b->axis[2] = 0.5;
  b->mass = 1 + x;
  for (int c = 0; c < 3; c++) b->com[c] = 0.1 * cos(x + c);
  for (int c = 0; c < 6; c += c == 0 ? 3 : 2) b->inertia[c] = 0.02 + 0.001 * (k + c);
  return k + 1;
}

// `count` limbs on a body, limb by limb or level by level.
static void add_limbs(test_robot *r, int on, int count, int length, bool by_level) {
  int tip[8];
  for (int k = 0; k < count * length; k++) {
    int limb = by_level ? k % count : k / length, level = by_level ? k / count : k % length;
    tip[limb] = add_body(r, level > 0 ? tip[limb] : on, AP_REVOLUTE, true);
  }
}

// Every method, those that go body by body among them, finds what the first one does.
static void check_methods(const test_robot *r) {
  static double in[3 * ROBOT_Q], out[ROBOT_V * ROBOT_V], first[ROBOT_V * ROBOT_V];
  size_t size = ap_study_size(r->m, AP_F64);
  void *memory = malloc(size);
  ap_study *study = ap_study_init(r->m, AP_F64, memory, size);
  for (int i = 0; i < ap_nq(r->m) + 2 * ap_nv(r->m); i++) in[i] = sin(1.3 * i) + 0.1;
  ap_normalize(r->m, in);
  const ap_method *before = NULL;
  for (int i = 0; study && ap_method_at(i); before = ap_method_at(i++)) {
    const ap_method *m = ap_method_at(i);
    int n = ap_columns_out(r->m, m->what);
    if (m->what != AP_INERTIA && m->what != AP_FORWARD && m->what != AP_INVERSE) continue;
    ap_status status = ap_study_eval(study, m, in, out, NULL);
    if (!before || before->what != m->what) memcpy(first, out, (size_t)n * sizeof *out);
    if (status == AP_E_UNSUPPORTED) continue;
    CHECK_OK(status);
    if (!CHECK_NEAR(out, first, n, 1e-9)) printf("method %s\n", m->name);
  }
  free(memory);
}

static void check_limbs(test_robot *r) {
  if (!robot_make(r)) return;
  check_methods(r);
  check_robot(r->m), check_robot_f32(r->m);
  FOR_EACH_STATE (r, s, 5) {
    double plain[2][ROBOT_V], alone[2][ROBOT_V], zero[3] = {0};
    ap_wrench none = {.frame = 1, .reference = AP_LOCAL};
    int n = ap_nv(r->m);
    CHECK_OK(ap_set_payload(r->m, r->w, r->def.nbody, 0.5, zero, NULL)); // lanes take it, too
    ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, plain[0]);
    CHECK_OK(ap_inverse_dynamics_ext(r->m, r->w, s.q, s.v, s.a, &none, 1, alone[0]));
    CHECK_OK(ap_forward_dynamics(r->m, r->w, s.q, s.v, s.a, plain[1]));
    CHECK_OK(ap_forward_dynamics_ext(r->m, r->w, s.q, s.v, s.a, &none, 1, alone[1]));
    for (int k = 0; k < n; k++) CHECK(plain[0][k] == alone[0][k] && plain[1][k] == alone[1][k]);
  }
  robot_free(r);
}

TEST(limbs_of_every_number_and_length) {
  static const ap_joint_type bases[] = {AP_FREE, AP_REVOLUTE, AP_PRISMATIC};
  for (int base = 0; base < 3; base++)
    for (int count = 2; count <= 5; count++)
      for (int length = 1; count * length <= 10; length += length == 1 ? 1 : 2) {
        static test_robot r;
        robot_clear(&r, "limbs", 0);
        test_context("base %d, %d limbs of %d", base, count, length);
        int on = add_body(&r, 0, bases[base], false);
        if (base == 2) add_body(&r, on, AP_SPHERICAL, true); // beside them
        add_limbs(&r, on, count, length, count % 2 > 0);
        check_limbs(&r);
      }
}

// Two legs on a pelvis, two arms and a neck on a chest, fingers on a hand.
TEST(limbs_on_several_bodies) {
  static test_robot r;
  robot_clear(&r, "humanoid", 0);
  test_context("humanoid");
  int pelvis = add_body(&r, 0, AP_FREE, false), chest = add_body(&r, pelvis, AP_REVOLUTE, true);
  add_limbs(&r, pelvis, 2, 4, false);
  add_limbs(&r, chest, 2, 3, true);
  int hand = add_body(&r, chest, AP_REVOLUTE, true);
  add_limbs(&r, hand, 5, 2, false);
  check_limbs(&r);
}

// Limbs so long that articulated bodies solve for the columns of derivatives.
TEST(long_limbs) {
  static const ap_joint_type bases[] = {AP_FREE, AP_REVOLUTE};
  for (int base = 0; base < 2; base++)
    for (int count = 2; count <= 3; count++) {
      static test_robot r;
      robot_clear(&r, "long limbs", 0);
      test_context("base %d, %d long limbs", base, count);
      add_limbs(&r, add_body(&r, 0, bases[base], false), count, count == 2 ? 14 : 10, false);
      check_limbs(&r);
    }
}
