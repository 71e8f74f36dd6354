// SPDX-License-Identifier: Apache-2.0
// Rows of states: the bits of one state after the other, whatever way they take.

#include <appell/eval.h>
#include <appell/file.h>

#include "test.h"

enum { STATES = 37 };

// Numbers between -0.7 and 0.7 that are exact in single precision.
static double number(int k) { return (double)(float)(0.7 * sin(1.0 + 1.7 * k)); }

static ap_eval_options options_of(ap_quantity what, ap_arithmetic arithmetic) {
  return (ap_eval_options){.method = ap_find_method(what, NULL), .arithmetic = arithmetic};
}

static void check_rows(const ap_model *m, ap_quantity what, ap_arithmetic arithmetic) {
  static const double gravity[3] = {1, -2, 3};
  ap_eval_options o = options_of(what, arithmetic);
  ap_status status[STATES];
  ap_eval *e;
  o.friction = true, o.gravity = gravity;
  if (!CHECK_OK(ap_eval_make(m, NULL, &o, &e, NULL))) return;
  const size_t in = (size_t)ap_eval_columns_in(e), out = (size_t)ap_eval_columns_out(e);
  const size_t size = ap_study_size(m, arithmetic);
  void *memory = malloc(size);
  double *x = malloc(STATES * in * sizeof *x), *y = malloc((STATES + 1) * out * sizeof *y);
  ap_study *s = ap_study_init(m, arithmetic, memory, size);
  ap_study_set_friction(s, true);
  ap_study_set_gravity(s, gravity);
  for (size_t k = 0; k < STATES * in; k++) x[k] = number((int)k);
  CHECK(ap_eval_most(e) >= STATES);
  ap_eval_rows(e, STATES, x, y, status);
  for (size_t k = 0; k < STATES; k++) {
    double *expected = y + STATES * out;
    CHECK_OK(status[k]);
    CHECK_OK(ap_study_eval(s, o.method, x + k * in, expected, NULL));
    CHECK(memcmp(y + k * out, expected, out * sizeof *y) == 0);
  }
  free(x);
  free(y);
  free(memory);
  ap_eval_free(e);
}

TEST(rows_have_the_bits_of_single_states) {
  static const char *const names[] = {"puma600", "ascher2", "shafei-tree"};
  for (int k = 0; k < 3; k++) {
    ap_robot *robot;
    ap_model *m;
    CHECK_OK(ap_robot_builtin(names[k], NULL, &robot, NULL));
    CHECK_OK(ap_robot_model(robot, &m, NULL));
    for (int what = AP_INVERSE; what <= AP_FORWARD_DERIVATIVES; what++) {
      test_context("%s of %s", ap_quantity_name((ap_quantity)what), names[k]);
      check_rows(m, (ap_quantity)what, AP_F64);
      check_rows(m, (ap_quantity)what, AP_F32);
    }
    ap_model_free(m);
    ap_robot_free(robot);
  }
}

static ap_mechanism *open_mechanism(const char *name, ap_robot **robot) {
  ap_mechanism *m = NULL;
  CHECK_OK(ap_robot_from_mechanism(ap_mechanism_builtin(name), robot, NULL));
  CHECK_OK(ap_mechanism_make(*robot, &m, NULL));
  return m;
}

TEST(forward_inverts_inverse_of_a_mechanism) {
  ap_robot *robot;
  ap_mechanism *m = open_mechanism("stewart", &robot);
  const ap_eval_options inverse = options_of(AP_INVERSE, AP_F64);
  const ap_eval_options forward = options_of(AP_FORWARD, AP_F64);
  ap_eval *there = NULL, *back = NULL;
  CHECK_OK(ap_eval_make(ap_mechanism_tree(m), m, &inverse, &there, NULL));
  CHECK_OK(ap_eval_make(ap_mechanism_tree(m), m, &forward, &back, NULL));
  for (int k = 0; k < 5; k++) {
    double in[18], tau[6], a[6];
    ap_status status;
    for (int i = 0; i < 18; i++) in[i] = 0.1 * number(18 * k + i);
    in[2] += 0.7;
    ap_eval_rows(there, 1, in, tau, &status);
    CHECK_OK(status);
    const double expected[6] = {in[12], in[13], in[14], in[15], in[16], in[17]};
    memcpy(in + 12, tau, sizeof tau);
    ap_eval_rows(back, 1, in, a, &status);
    CHECK_OK(status);
    CHECK_NEAR(a, expected, 6, 1e-10);
  }
  ap_eval_free(there);
  ap_eval_free(back);
  ap_mechanism_free(m);
  ap_robot_free(robot);
}

TEST(a_state_without_a_result_is_explained_whatever_came_after_it) {
  ap_robot *robot;
  ap_mechanism *m = open_mechanism("five-bar", &robot);
  const ap_eval_options o = options_of(AP_GRAVITY, AP_F64);
  const double in[] = {0, 9, 0, 0.42}; // the first is out of reach
  double out[4];
  char alone[200], later[200];
  ap_status status[2];
  ap_eval *e;
  CHECK_OK(ap_eval_make(ap_mechanism_tree(m), m, &o, &e, NULL));
  ap_eval_rows(e, 1, in, out, status);
  CHECK(status[0] == AP_E_UNREACHABLE);
  CHECK(strstr(ap_eval_explain(e, in, status[0], alone, sizeof alone), "error of closure"));
  ap_eval_rows(e, 2, in, out, status);
  CHECK(status[0] == AP_E_UNREACHABLE && status[1] == AP_OK);
  CHECK_STR(ap_eval_explain(e, in, status[0], later, sizeof later), alone);
  ap_eval_free(e);
  ap_mechanism_free(m);
  ap_robot_free(robot);
}

TEST(what_no_state_can_have_is_refused_at_once) {
  ap_robot *robot;
  ap_mechanism *m = open_mechanism("agile-wrist", &robot);
  const ap_model *tree = ap_mechanism_tree(m);
  ap_eval_options o = options_of(AP_INVERSE, AP_F32);
  ap_eval *e;
  CHECK(ap_eval_make(tree, m, &o, &e, NULL) == AP_E_UNSUPPORTED && !e);
  o = options_of(AP_INVERSE, AP_F64);
  o.branch = "sideways";
  CHECK(ap_eval_make(tree, m, &o, &e, NULL) == AP_E_NOT_FOUND && !e);
  ap_mechanism_free(m);
  ap_robot_free(robot);
}
