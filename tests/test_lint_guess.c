// SPDX-License-Identifier: Apache-2.0
// The model doctor where it tells what was meant: one mistake does not make others, nor hide them.

#include <appell/lint.h>

#include "lint_robot.h"

// How often a rule speaks.
static int times(const ap_lint *found, const char *rule) {
  int n = 0;
  for (int i = 0; i < ap_lint_findings(found); i++)
    n += strcmp(ap_lint_finding(found, i)->rule, rule) == 0;
  return n;
}

// An arm with a mistake of every kind that others may follow from.
TEST(one_run_tells_all) {
  static const char text[] =
      "<robot name='bad'>\n<link name='base'/>\n"
      "<link name='upper'><inertial><origin xyz='0 0 0.9'/>\n<mass value='3,2'/>\n"
      "<inertia ixx='0.02' iyy='0.02' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>\n"
      "<visual><geometry><box size='0.1 0.1 0.3'/></geometry></visual></link>\n"
      "<link name='lower'><inertial><origin xyz='0 0 0.12'/><mass value='1.8'/>\n"
      "<inertia ixx='-0.01' iyy='0.01' izz='0.002' ixy='0' ixz='0'/></inertial></link>\n"
      "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>\n"
      "<axis xyz='0 1 0'/>\n<limit lower='90' upper='-90' effort='80' velocity='3'/></joint>\n"
      "<joint name='elbow' type='revolut'>\n<parent link='uper'/><child link='lower'/>\n"
      "<origin xyz='0 0 0.3'/><axis xyz='0 1 0'/>\n"
      "<limit lower='-1' upper='1' effort='0.1' velocity='3'/></joint></robot>\n";
  ap_lint *found = examine(text, "urdf", NULL);
  if (!found) return;
  CHECK_EQ_INT(times(found, "massless"), 0);     // it has mass, and one more link
  CHECK_EQ_INT(times(found, "disconnected"), 0); // the misspelt name connects it
  finding(found, "com-outside", line_of(text, "0 0 0.9"));
  finding(found, "bad-number", line_of(text, "3,2"));
  finding(found, "missing-part", line_of(text, "-0.01"));
  const ap_finding *f = finding(found, "inertia-negative", line_of(text, "-0.01"));
  if (f) CHECK_HAS(f->fix, "ixx=\"0.01\"");
  f = finding(found, "limit-inverted", line_of(text, "lower='90'"));
  if (f) CHECK_STR(f->fix, "lower=\"-1.5708\" upper=\"1.5708\"");
  finding(found, "limit-unit", line_of(text, "lower='90'"));
  finding(found, "joint-type", line_of(text, "revolut'"));
  finding(found, "unknown-link", line_of(text, "uper'/"));
  f = finding(found, "effort-gravity", line_of(text, "effort='0.1'"));
  if (f) CHECK_CLOSE(f->effect.largest, 9.81 * 1.8 * 0.12, 1e-9);
  CHECK_EQ_INT(ap_lint_findings(found), 9);
  ap_lint_free(found);
}

// A text with mistakes has exactly these findings.
static void only(const char *from, const char *to, const char *const *rules) {
  char *text = replaced(good, from, to);
  test_context("%.60s", to);
  ap_lint *found = examine(text, "urdf", NULL);
  int n = 0;
  for (; found && rules[n]; n++) finding(found, rules[n], 0);
  if (found && !CHECK_EQ_INT(ap_lint_findings(found), n)) print_all(found);
  ap_lint_free(found);
  free(text);
  test_context("%s", "");
}

TEST(mistakes_stay_alone) {
  static const char *const number[] = {"bad-number", NULL}, *const part[] = {"missing-part", NULL},
                           *const both[] = {"missing-part", "inertia-negative", NULL},
                           *const link[] = {"unknown-link", NULL},
                           *const two[] = {"unknown-link", "disconnected", NULL},
                           *const unread[] = {"bad-number", "com-outside", NULL};
  only("<mass value='0.5'/>", "<mass value='heavy'/>", number);
  only("<mass value='0.5'/>", "<mass value='0,5'/>", number);
  only("<mass value='0.5'/>", "<mass value='500 g'/>", number);
  only("<origin xyz='0 0 -0.1'/><mass value='0.5'/>", "<origin xyz='0 0 low'/><mass value='0.5'/>",
       number);
  only("<origin xyz='0 0 -0.1'/><mass value='0.5'/>", "<origin xyz='0 0 0.3'/><mass value='x'/>",
       unread);
  only(" iyz='0' izz='0.000225'", " izz='0.000225'", part);
  only("iyy='0.0017792' iyz='0' izz='0.000225'", "iyz='0' izz='0.000225'", part);
  only("iyy='0.0017792' iyz='0' izz='0.000225'", "iyz='0' izz='-0.000225'", both);
  only("<child link='left_hand'/>", "<child link='left_hnad'/>", link);
  only("<parent link='left_arm'/>", "<parent link='left_amr'/>", link);
  only("<parent link='left_arm'/>", "<parent link='nobody_knows'/>", two);
}

// ---- units -------------------------------------------------------------------------------------

TEST(degrees) {
  static const char *const unit[] = {"origin-unit", NULL};
  static const char shoulder[] = "<origin xyz='0 0.15 0.05'/><axis",
                    turned[] = "<origin xyz='0 0.15 0.05' rpy='0 0 360'/><axis",
                    com[] = "<origin xyz='0 0.2 0'/><mass";
  mistake(shoulder, turned, NULL, "origin-unit", AP_WARNING, "rpy=\"0 0 6.28319\"");
  only(shoulder, turned, unit); // a whole turn in degrees: nothing else changes
  mistake(com, "<origin xyz='0 0.2 0' rpy='0 180 0'/><mass", NULL, "origin-unit", AP_WARNING,
          "rpy=\"0 3.14159 0\"");
  only(com, "<origin xyz='0 0.2 0' rpy='0 180 0'/><mass", unit);
  mistake("<visual><origin xyz='0 0.2 0'/>", "<visual><origin xyz='0 0.2 0' rpy='180 0 0'/>", NULL,
          "origin-unit", AP_WARNING, "a shape of link \"left_arm\"");
  is_clean(good, "urdf");
}

TEST(turns_are_no_degrees) {
  char *text = replaced(good, "<origin xyz='0 0.15 0.05'/><axis",
                        "<origin xyz='0 0.15 0.05' rpy='0 0 6.2831853'/><axis");
  is_clean(text, "urdf");
  free(text);
}

TEST(millimetres) {
  static const char *const unit[] = {"origin-unit", NULL};
  mistake("<origin xyz='0 0.4 0'/>", "<origin xyz='0 400 0'/>", NULL, "origin-unit", AP_WARNING,
          "xyz=\"0 0.4 0\"");
  only("<origin xyz='0 0.4 0'/>", "<origin xyz='0 400 0'/>", unit); // no torque of gravity
  mistake("<origin xyz='0 0.2 0'/><mass", "<origin xyz='0 200 0'/><mass", NULL, "origin-unit",
          AP_WARNING, "xyz=\"0 0.2 0\"");
  only("<origin xyz='0 0.2 0'/><mass", "<origin xyz='0 200 0'/><mass", unit);
  // too near for the rule, but the shapes tell
  mistake("<origin xyz='0 0 -0.1'/><mass", "<origin xyz='0 4.9 0'/><mass", NULL, "com-outside",
          AP_WARNING, "xyz=\"0 0.0049 0\"");
}

// A robot stands wherever it likes.
TEST(far_away_in_the_world) {
  char *text = replaced(good, "</robot>",
                        "<link name='world'/><joint name='place' type='fixed'>"
                        "<parent link='world'/><child link='base'/>"
                        "<origin xyz='4000 2500 0'/></joint></robot>");
  is_clean(text, "urdf");
  free(text);
}

TEST(speeds) {
  mistake("effort='40' velocity='3'", "effort='40' velocity='180'", NULL, "limit-unit", AP_WARNING,
          "velocity=\"3.14159\"");
  static const char *const mirrored[] = {"mirror-limit", NULL};
  only("effort='40' velocity='3'", "effort='40' velocity='50'", mirrored);
  only("effort='40' velocity='3'", "effort='40' velocity='1000'", mirrored); // "no limit"
}

TEST(units_in_yaml) {
  static const char text[] =
      "appell: 1\nbodies:\n"
      "  - name: a\n    joint: {type: revolute, dh: {convention: modified, alpha: -90, theta: 0, "
      "a: 0.2, d: 0}}\n"
      "    inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.001, 0, 0, 0.004, 0, 0.0045]}\n"
      "  - name: b\n    parent: a\n"
      "    joint: {type: revolute, dh: {convention: modified, alpha: 0, theta: 0, a: 250, d: 0}}\n"
      "    inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.001, 0, 0, 0.004, 0, 0.0046]}\n...\n";
  ap_lint *found = examine(text, "yaml", NULL);
  if (!found) return;
  const ap_finding *f = finding(found, "origin-unit", 4);
  if (f) CHECK_STR(f->fix, "alpha: -1.5708, theta: 0");
  f = finding(found, "origin-unit", 8);
  if (f) CHECK_STR(f->fix, "a: 0.25, d: 0");
  if (!CHECK_EQ_INT(ap_lint_findings(found), 2)) print_all(found);
  ap_lint_free(found);
}
