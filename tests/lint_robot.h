// SPDX-License-Identifier: Apache-2.0
// A robot without findings for the tests of lint, and how they make a mistake in it.

#ifndef AP_TESTS_LINT_ROBOT_H
#define AP_TESTS_LINT_ROBOT_H

#include <appell/lint.h>

#include "robot_files.h"

// Two arms with hands on a base, mirrored at y = 0. Inertias are those of the shapes.
static const char good[] =
    "<robot name='good'>\n"
    "<link name='base'>\n"
    "<inertial><origin xyz='0 0 0.05'/><mass value='5'/>\n"
    "<inertia ixx='0.0416667' ixy='0' ixz='0' iyy='0.0416667' iyz='0' izz='0.075'/></inertial>\n"
    "<visual><origin xyz='0 0 0.05'/><geometry><box size='0.3 0.3 0.1'/></geometry></visual>\n"
    "</link>\n"
    "<link name='left_arm'>\n"
    "<inertial><origin xyz='0 0.2 0'/><mass value='2'/>\n"
    "<inertia ixx='0.0270833' ixy='0' ixz='0' iyy='0.000833333' iyz='0' "
    "izz='0.02708331'/></inertial>\n"
    "<visual><origin xyz='0 0.2 0'/><geometry><box size='0.05 0.4 0.05'/></geometry></visual>\n"
    "</link>\n"
    "<link name='right_arm'>\n"
    "<inertial><origin xyz='0 -0.2 0'/><mass value='2.0'/>\n"
    "<inertia ixx='0.02708330' ixy='0' ixz='0' iyy='0.0008333330' iyz='0' "
    "izz='0.02708331'/></inertial>\n"
    "<visual><origin xyz='0 -0.2 0'/><geometry><box size='0.05 0.4 0.05'/></geometry></visual>\n"
    "</link>\n"
    "<link name='left_hand'>\n"
    "<inertial><origin xyz='0 0 -0.1'/><mass value='0.5'/>\n"
    "<inertia ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'/></inertial>\n"
    "<collision><origin xyz='0 0 -0.1'/><geometry><cylinder radius='0.03' length='0.2'/></geometry>"
    "</collision>\n"
    "</link>\n"
    "<link name='right_hand'>\n"
    "<inertial><origin xyz='0 0 -0.10'/><mass value='0.50'/>\n"
    "<inertia ixx='0.00177920' ixy='0' ixz='0' iyy='0.00177920' iyz='0' "
    "izz='0.0002250'/></inertial>\n"
    "<collision><origin xyz='0 0 -0.10'/><geometry><cylinder radius='0.03' "
    "length='0.2'/></geometry>"
    "</collision>\n"
    "</link>\n"
    "<joint name='left_shoulder' type='revolute'><parent link='base'/><child link='left_arm'/>\n"
    "<origin xyz='0 0.15 0.05'/><axis xyz='1 0 0'/>\n"
    "<limit lower='-1' upper='1.5' effort='40' velocity='3'/></joint>\n"
    "<joint name='right_shoulder' type='revolute'><parent link='base'/><child link='right_arm'/>\n"
    "<origin xyz='0 -0.15 0.05'/><axis xyz='1 0 0 '/>\n"
    "<limit lower='-1.5' upper='1' effort='40' velocity='3'/></joint>\n"
    "<joint name='left_wrist' type='revolute'><parent link='left_arm'/><child link='left_hand'/>\n"
    "<origin xyz='0 0.4 0'/><axis xyz='0 1 0'/><dynamics damping='0.1' friction='0.2'/>\n"
    "<limit lower='-1.2' upper='1.2' effort='10' velocity='5'/></joint>\n"
    "<joint name='right_wrist' type='revolute'><parent link='right_arm'/><child "
    "link='right_hand'/>\n"
    "<origin xyz='0 -0.4 0'/><axis xyz='0 1 0'/>\n"
    "<limit lower='-1.2' upper='1.20' effort='10' velocity='5'/></joint>\n"
    "</robot>\n";

// ---- what the tests are made of ----------------------------------------------------------------

static inline ap_lint *examine(const char *text, const char *format, const char *folder) {
  ap_lint *found = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_lint_text(text, strlen(text), format, folder, NULL, &found, &error)))
    printf("  %s\n", error.text);
  return found;
}

static inline void print_all(const ap_lint *found) {
  for (int i = 0; i < ap_lint_findings(found); i++) {
    const ap_finding *f = ap_lint_finding(found, i);
    printf("  line %d, %s, %s: %s\n", f->line, ap_severity_name(f->severity), f->rule, f->what);
  }
}

static inline void is_clean(const char *text, const char *format) {
  ap_lint *found = examine(text, format, NULL);
  if (found && !CHECK_EQ_INT(ap_lint_findings(found), 0)) print_all(found);
  ap_lint_free(found);
}

// The line of a text on which a part of it begins; 0: it is not there.
static inline int line_of(const char *text, const char *part) {
  const char *at = strstr(text, part);
  int line = 1;
  if (!at) return 0;
  for (const char *c = text; c < at; c++) line += *c == '\n';
  return line;
}

// A copy of a text with the first `from` replaced.
static inline char *replaced(const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  if (!CHECK(at != NULL)) printf("  no \"%s\"\n", from);
  size_t n = strlen(text) + strlen(to) + 1, before = at ? (size_t)(at - text) : 0;
  char *copy = malloc(n);
  if (!copy) abort();
  snprintf(copy, n, "%.*s%s%s", (int)before, text, at ? to : "", at ? at + strlen(from) : text);
  return copy;
}

// The finding of a rule, at a line where that is not 0; NULL, and a failed check, without.
static inline const ap_finding *finding(const ap_lint *found, const char *rule, int line) {
  for (int i = 0; i < ap_lint_findings(found); i++) {
    const ap_finding *f = ap_lint_finding(found, i);
    if (strcmp(f->rule, rule) == 0 && (line == 0 || f->line == line)) return f;
  }
  if (!CHECK(false)) printf("  no %s at line %d\n", rule, line);
  print_all(found);
  return NULL;
}

// The good robot with a mistake: this rule finds it in the line of the mistake (or of `where`),
// with these words in what, why or fix. Returns how many other findings there are.
static inline int mistake(const char *from, const char *to, const char *where, const char *rule,
                          ap_severity severity, const char *words) {
  char *text = replaced(good, from, to);
  test_context("%s: %.60s", rule, to);
  ap_lint *found = examine(text, "urdf", NULL);
  int others = 0;
  const ap_finding *f = found ? finding(found, rule, line_of(text, where ? where : to)) : NULL;
  if (f) {
    char whole[2048];
    snprintf(whole, sizeof whole, "%s | %s | %s", f->what, f->why, f->fix);
    CHECK_HAS(whole, words);
    CHECK_STR(ap_severity_name(f->severity), ap_severity_name(severity));
    CHECK(f->why[0] != 0 || f->severity == AP_NOTE);
    others = ap_lint_findings(found) - 1;
  }
  ap_lint_free(found);
  free(text);
  test_context("%s", "");
  return others;
}

#endif
