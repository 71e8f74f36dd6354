// SPDX-License-Identifier: Apache-2.0
// Scenarios of mechanisms with closed chains: starts by coordinates and by joints, branches, what
// is refused and where; those of models/ run to their ends.

#include "scenario_text.h"

#define FIVE  "appell-scenario: 1\nrobot: five-bar\nduration: 1\n"
#define WRIST "appell-scenario: 1\nrobot: agile-wrist\nduration: 1\n"

// Coordinates, their rates and the error of the closures at the start of a run; NAN where it
// does not start.
static double state_of(const ap_scenario *s, ap_sim **sim, ap_sim_state *state) {
  ap_error error = {.text = ""};
  ap_status status = ap_sim_create(ap_scenario_scene(s), sim, &error);
  if (!CHECK_OK(status) ||
      !CHECK_OK(ap_sim_start(*sim, 0, ap_scenario_q(s), ap_scenario_v(s), &error)) ||
      !CHECK_OK(ap_sim_now(*sim, state, &error))) {
    printf("  %s\n", error.text);
    return NAN;
  }
  return state->closure;
}

TEST(starts_in_coordinates) {
  ap_scenario *s = read_text(FIVE "start: {y: {q: 0.4, v: -0.5}, x: {v: 0.25}}\n" END);
  if (!s) return;
  ap_sim *sim;
  ap_sim_state now = {0};
  CHECK(ap_scenario_mechanism(s) && ap_scenario_scene(s)->mechanism == ap_scenario_mechanism(s));
  CHECK(ap_scenario_model(s) == ap_mechanism_tree(ap_scenario_mechanism(s)));
  const double closure = state_of(s, &sim, &now);
  if (!sim) {
    ap_scenario_free(s);
    return;
  }
  CHECK(closure < 1e-13);
  const double there[2] = {0, 0.4}, rates[2] = {0.25, -0.5};
  CHECK_WITHIN(now.s + 1, there + 1, 1, 1e-13);
  CHECK_WITHIN(now.s, there, 1, 1e-4); // where the guess, of four digits, has it
  CHECK_WITHIN(now.sd, rates, 2, 1e-12);
  ap_sim_free(sim);
  ap_scenario_free(s);
}

// Two joints are given, the others follow; the velocities of those that are not named, too.
TEST(starts_by_joints) {
  ap_scenario *s =
      read_text(FIVE "start: {left_arm: {q: 2.1, v: 1}, right_arm: {q: 1, v: -2}}\n" END);
  if (!s) return;
  ap_sim *sim;
  ap_sim_state now = {0};
  CHECK(ap_scenario_q(s)[0] == 2.1 && ap_scenario_q(s)[2] == 1);
  CHECK(ap_scenario_v(s)[0] == 1 && ap_scenario_v(s)[2] == -2);
  const double closure = state_of(s, &sim, &now);
  if (!sim) {
    ap_scenario_free(s);
    return;
  }
  CHECK(closure < 1e-13);
  CHECK_WITHIN(now.q, ap_scenario_q(s), 4, 1e-12);
  CHECK_WITHIN(now.v, ap_scenario_v(s), 4, 1e-12);
  ap_sim_free(sim);
  ap_scenario_free(s);
}

TEST(branches_and_nothing_at_all) {
  ap_scenario *s = read_text(WRIST "branch: \"+-+\"\n" END), *t = read_text(WRIST END);
  if (s && t) {
    ap_sim *sim;
    ap_sim_state now = {0};
    CHECK(ap_scenario_q(s)[2] < -1 && ap_scenario_q(t)[2] > 1);
    const double closure = state_of(s, &sim, &now);
    CHECK(!sim || closure < 1e-13);
    ap_sim_free(sim);
  }
  ap_scenario_free(s);
  ap_scenario_free(t);
}

// Far from the guess the branch is still the one that is named: the rod of an arm on + turns back.
TEST(branches_far_from_the_guess) {
  static const char *const names[] = {"++", "+-", "-+", "--"};
  for (int b = 0; b < 4; b++) {
    char text[200];
    snprintf(text, sizeof text, FIVE "branch: \"%s\"\nstart: {x: 0.157696, y: -0.285556}\n" END,
             names[b]);
    test_context("%s", names[b]);
    ap_scenario *s = read_text(text);
    for (int i = 0; s && i < 2; i++)
      CHECK(sin(ap_scenario_q(s)[2 * i + 1]) * (names[b][i] == '+' ? 1 : -1) < 0);
    ap_scenario_free(s);
  }
}

TEST(what_is_refused) {
  expect_error(FIVE "start: {z: 1}\n" END, 4, "no coordinate or joint \"z\"");
  expect_error(FIVE "start: {left_arn: 1}\n" END, 4, "left_arm");
  expect_error(FIVE "start: {x: 0, y: 3}\n" END, 4, "cannot be closed");
  expect_error(FIVE "start: {x: 0, left_arm: 3}\n" END, 4, "only coordinates or only joints");
  expect_error(
      "appell-scenario: 1\nrobot: stewart\nduration: 1\nstart: {pitch: "
      "1.5707963267948966, yaw: 0.3, roll: -0.4}\n" END,
      4, "pitch of +-pi/2");
  expect_error(FIVE "start: {x: {rpy: [0, 0, 0]}}\n" END, 4, "rpy of a coordinate");
  expect_error(FIVE "start: {x: {q: 1e7}}\n" END, 4, "at most 1e+06");
  expect_error(FIVE "start: {x: 0, x: 0.1}\n" END, 4, "duplicate");
  expect_error(FIVE "start: [1, 2]\n" END, 4, "a list");
  expect_error(FIVE
               "start: {left_arm: {v: 1}, left_rod: 0, right_arm: {v: -3}, right_rod: 0}\n" END,
               4, "cannot be closed");
  expect_error(FIVE
               "start: {left_arm: {q: 2.2823, v: 1}, left_rod: {q: -1.5628, v: 3}, right_arm: "
               "{q: 0.8593, v: 7}}\n" END,
               4, "");
  expect_error(FIVE "branch: \"+++\"\n" END, 4, "no branch \"+++\"");
  expect_error("appell-scenario: 1\nrobot: stewart\nbranch: a\nduration: 1\n" END, 3,
               "only one branch");
  expect_error(FIVE "floating: true\n" END, 2, "closed chains");
  expect_error("appell-scenario: 1\nrobot: two_link.urdf\nbranch: a\nduration: 1\n" END, 3,
               "no closed chains");
  expect_error("appell-scenario: 1\nrobot: five-baar\nduration: 1\n" END, 2, "five-bar");
}

// Each closes its ledger to 1e-9 of the energy that moved.
TEST(models_run) {
  static const char *const names[] = {"five_bar_at_wall",  "four_bar_at_wall", "stewart_drop",
                                      "agile_wrist_swing", "delta_driven",     "press_run"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[80];
    ap_scenario *s = NULL;
    ap_error error = {.text = ""};
    snprintf(path, sizeof path, "models/%s.yaml", names[i]);
    test_context("%s", path);
    if (!CHECK_OK(ap_scenario_read(path, &s, &error))) {
      printf("  %d: %s\n", error.line, error.text);
      continue;
    }
    ap_sim *sim;
    ap_sim_state now = {0};
    double start, end, step, scale = 1;
    ap_scenario_times(s, &start, &end, &step);
    CHECK(ap_scenario_warning(s, 0) == NULL);
    state_of(s, &sim, &now);
    for (int k = 1; sim && k <= 20; k++) {
      CHECK_OK(ap_sim_advance(sim, start + (end - start) * k / 20, &error));
      if (!CHECK_OK(ap_sim_now(sim, &now, &error))) break;
      scale = fmax(scale, fmax(now.kinetic, fabs(now.potential)));
      CHECK(now.closure < 1e-12 && now.drift < 1e-9 && fabs(now.closing) < 1e-9 * scale);
    }
    ap_sim_free(sim);
    ap_scenario_free(s);
  }
}
