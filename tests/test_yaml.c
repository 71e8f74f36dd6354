// SPDX-License-Identifier: Apache-2.0
// Appell YAML: what is read, what is refused and where, what is written, what the manual says.

#include <appell/file.h>

#include "file/yaml_schema.h"
#include "manual.h"
#include "robot_files.h"

#define FULL "tests/fuzz/corpus/yaml/full.yaml"

static const ap_read_options plain = {.floating = false};

// The text with the line that ends every file; valid until the next call.
static const char *ended(const char *text) {
  static char whole[1000];
  size_t n = strlen(text);
  bool line = n == 0 || text[n - 1] == '\n';
  CHECK(snprintf(whole, sizeof whole, "%s%s...\n", text, line ? "" : "\n") < (int)sizeof whole);
  return whole;
}

static ap_robot *read_yaml(const char *text) { return read_good(text, "yaml", plain); }

static ap_robot *read_full(void) {
  char *text = file_text(FULL, NULL);
  if (!CHECK(text)) return NULL;
  ap_robot *robot = read_yaml(text);
  free(text);
  return robot;
}

// ---- reading -----------------------------------------------------------------------------------

TEST(every_key_arrives) {
  ap_robot *robot = read_full();
  if (!robot) return;
  const ap_robot_def *def = ap_robot_definition(robot);
  CHECK_STR(def->name, "full");
  const ap_body_def *base = body_named(robot, "base"), *finger = body_named(robot, "finger");
  const ap_body_def *arm = body_named(robot, "arm"), *hand = body_named(robot, "hand");
  CHECK_STR(base->joint_name, "base_joint");
  CHECK_BITS(base->place.xyz, ((double[]){0, 0, 0.5}), 3);
  CHECK_BITS(base->place.rpy, ((double[]){0, 0, 0.1}), 3);
  CHECK_BITS(base->inertia, ((double[]){0.1, 0.01, -0.02, 0.2, 0.003, 0.15}), 6);
  CHECK_BITS(base->inertia_rpy, ((double[]){0.1, 0, 0}), 3);
  CHECK_STR(mesh_of(robot, 1, 0), "package://full/base.stl");
  CHECK_EQ_INT(finger->joint, AP_PRISMATIC);
  CHECK_BITS(finger->axis, ((double[]){0, 1, 0}), 3);
  CHECK(finger->lower == 0 && finger->upper == 0.04 && finger->effort_limit == 20);
  CHECK(isinf(finger->velocity_limit));
  CHECK(&def->bodies[finger->mimic - 1] == hand);
  CHECK(finger->mimic_ratio == -0.5 && finger->mimic_offset == 0.01);
  CHECK_EQ_INT(arm->place.kind, AP_DH_MODIFIED);
  CHECK(arm->place.alpha == -1.5707963267948966 && arm->place.a == 0.1 && arm->place.d == 0.2 &&
        arm->place.theta == 0.3);
  CHECK(arm->viscous == 0.5 && arm->coulomb == 0.25 && arm->stiction == 0.375);
  CHECK(arm->rotor_inertia == 2e-5 && arm->gear_ratio == 100);
  CHECK_EQ_INT(hand->place.kind, AP_PLACE_MATRIX);
  CHECK_BITS(hand->place.matrix, ((double[]){1, 0, 0, 0, 0, -1, 0, 1, 0}), 9);
  CHECK_EQ_INT(body_named(robot, "wrist")->place.kind, AP_DH_STANDARD);
  CHECK_EQ_INT(body_named(robot, "ball")->joint, AP_SPHERICAL);
  CHECK_EQ_INT(def->nframe, 1);
  CHECK_STR(def->bodies[def->frames[0].body - 1].name, "ball");
  ap_model *model = NULL;
  CHECK_OK(ap_robot_model(robot, &model, NULL));
  ap_model_free(model);
  ap_robot_free(robot);
}

TEST(parents_may_come_later) {
  ap_robot *robot = read_full();
  if (!robot) return;
  static const char *const order[] = {"base", "arm", "hand", "finger", "wrist", "ball"};
  for (int i = 0; i < 6; i++) CHECK_STR(ap_robot_definition(robot)->bodies[i].name, order[i]);
  CHECK_EQ_INT(ap_robot_line(robot, 4), 16); // finger
  ap_robot_free(robot);
}

TEST(a_body_may_be_called_ground) {
  ap_robot *robot =
      read_yaml("appell: 1\nbodies:\n- name: ground\n- name: a\n  parent: ground\n...");
  if (!robot) return;
  CHECK_EQ_INT(ap_robot_definition(robot)->bodies[1].parent, 1);
  ap_robot *back = through_file(robot, "yaml");
  if (back) same_robot(robot, back);
  ap_robot_free(back);
  ap_robot_free(robot);
}

TEST(free_base) {
  ap_read_options floating = {.floating = true};
  ap_robot *robot =
      read_good("appell: 1\nbodies: [{name: a, inertia: {mass: 1}}]\n...\n", "yaml", floating);
  if (robot) CHECK_EQ_INT(ap_robot_definition(robot)->bodies[0].joint, AP_FREE);
  ap_robot_free(robot);
  // Nothing fixed to the ground that could float: a body of its own, and a word about it.
  robot = read_good(
      "appell: 1\nbodies:\n- {name: base, joint: {type: revolute}}\n"
      "- {name: b, parent: base, joint: {type: revolute, mimic: {joint: base}}}\n"
      "frames: [{name: f, body: base}, {name: g, body: ground}]\n...\n",
      "yaml", floating);
  if (!robot) return;
  const ap_robot_def *def = ap_robot_definition(robot);
  CHECK_STR(def->bodies[0].name, "_base");
  CHECK_EQ_INT(def->bodies[0].joint, AP_FREE);
  CHECK_EQ_INT(def->bodies[1].parent, 1);
  CHECK_EQ_INT(def->bodies[2].parent, 2);
  CHECK_EQ_INT(def->bodies[2].mimic, 2);
  CHECK_EQ_INT(def->frames[0].body, 2);
  CHECK_EQ_INT(def->frames[1].body, 0);
  CHECK_EQ_INT(ap_robot_line(robot, 3), 4);
  CHECK_EQ_INT(ap_robot_warnings(robot), 1);
  ap_robot_free(robot);
  ap_error error = {0};
  const char *text = "appell: 1\nbodies: [{name: a, joint: {type: free}}]\n...\n";
  CHECK_STATUS(ap_robot_parse(text, strlen(text), "yaml", &floating, &robot, &error), AP_E_ARG);
}

// ---- refusals ----------------------------------------------------------------------------------

#define BODY(rest)  "appell: 1\nbodies:\n- name: a\n" rest
#define JOINT(rest) BODY("  joint:\n    type: revolute\n    " rest "\n")

TEST(refusals_name_line_and_remedy) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {"- a\n- b\n", 1, "a robot is a list"},
      {"bodies: [{name: a}]\n", 1, "without \"appell\""},
      {"appell: 2\nbodies: [{name: a}]\n", 1, "version 2"},
      {"appell: 1\n", 1, "without \"bodies\""},
      {"appell: 1\nbodies: []\n", 2, "at least one"},
      {"appell: 1\nbodies: {name: a}\n", 2, "has a map"},
      {"appell: 1\nbodies:\n- parent: ground\n", 3, "without \"name\""},
      {"appell: 1\nbodies:\n- name: ''\n", 3, "empty"},
      {"appell: 1\nbodies:\n- name:\n", 3, "empty"},
      {"appell: 1\nbodies:\n- name: \"a\\nb\"\n", 3, "control character"},
      {"appell: 1\nbodies:\n- name: a\n- name: a\n", 4, "used by the body on line 3"},
      {"appell: 1\nbodies:\n- name: a\n- name: b\n  joint: {name: a}\n", 5, "used by the joint"},
      {"appell: 1\nbodies:\n- name: a\n  parent: b\n", 4, "not in the file"},
      {"appell: 1\nbodies:\n- name: a\n  parent: b\n- name: b\n  parent: a\n", 3, "loop"},
      {"appell: 1\nbodies: [{name: a}]\nframes:\n- {name: f, body: x}\n", 4, "not in the file"},
      {"appell: 1\nbodies: [{name: a}]\nframes:\n- {name: a, body: a}\n", 4, "unique"},
      {BODY("  shapes:\n  - {type: sphere, radius: 1, contype: 0.5}\n"), 5,
       "contype: 0.5 (a whole number of 32 bits)"},
      {BODY("  shapes:\n  - {type: sphere, radius: 1, conaffinity: 4e9}\n"), 5,
       "conaffinity: 4e+09 (a whole number of 32 bits)"},
      {"appell: 1\nbodies: [{name: a}]\ngravity: [0, 0]\n", 3, "2 entries"},
      {"appell: 1\nbodies: [{name: a}]\ngravity: 9.81\n", 3, "must be a list of 3 numbers"},
      {"appell: 1\nbodies: [{name: a}]\nname: x\nname: y\n", 4, "duplicate"},
      {"appell: 1\nbodies: [{name: a}]\n---\nappell: 1\n", 3, "a second YAML document"},
      {BODY("  inertia: {mas: 1}\n"), 4, "did you mean \"mass\""},
      {BODY("  inertia: {density: 1}\n"), 4, "in an inertia (known: mass, com"},
      {"appell: 1\nlinks: []\n", 2, "did you mean \"bodies\""},
      {JOINT("origin: {}"), 6, "in a joint (did you mean \"place\""},
      {JOINT("dh: {convention: modified, x: 1}"), 6, "in dh (known: "},
      {JOINT("axis: y"), 6, "axis must be a list of 3 numbers, such as [0, 1, 0]"},
      {BODY("  joint: {type: continuous}\n"), 4, "\"revolute\", without limits"},
      {BODY("  joint: {type: floating}\n"), 4, "write \"free\""},
      {"appell: 1\nbodies:\n- name: \"a\\x85b\"\n", 3, "control character"},
      {"appell: 1\nbodies:\n- name: \"a\\x9f\"\n", 3, "control character"},
      {BODY("  inertia: {mass: -1}\n"), 4, "mass"},
      {BODY("  inertia: {mass: '1'}\n"), 4, "text in quotes"},
      {BODY("  inertia: {mass: [1]}\n"), 4, "has a list"},
      {BODY("  inertia: 5\n"), 4, "a map of keys"},
      {JOINT("type: revolute"), 6, "duplicate"},
      {JOINT("axis: [0, 0, 0]"), 6, "axis"},
      {JOINT("place: {xyz: [0, 0, x]}"), 6, "\"x\" is not a number"},
      {JOINT("place: {matrix: [1, 2, 3]}"), 6, "list"},
      {JOINT("place: {matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1], rpy: [0, 0, 0]}"), 6, "together"},
      {JOINT("place: {matrix: [1, 0, 0, 0, 1, 0, 0, 0, -1]}"), 6, "matrix"},
      {JOINT("place: {}\n    dh: {convention: modified}"), 7, "together"},
      {JOINT("dh: {alpha: 1}"), 6, "without \"convention\""},
      {JOINT("dh: {convention: craig}"), 6, "one of: modified"},
      {JOINT("dh: {convention: valera}\n    axis: [0, 0, 1]"), 7, "axis and dh together"},
      {JOINT("limits: {lower: 2, upper: 1}"), 6, "lower"},
      {JOINT("limits: {lower: -.inf}"), 6, "not a number"},
      {JOINT("friction: {coulomb: -1}"), 6, "coulomb is -1 (it must be zero or more)"},
      {JOINT("friction: {coulomb: 2, static: 1}"), 6, "static: 1 is below coulomb, 2 (it must be"},
      {JOINT("friction: {static: -1}"), 6, "static: -1 is below coulomb, 0"},
      {JOINT("friction: {stiction: 1}"), 6, "did you mean \"static\""},
      {BODY("  joint: {type: spherical, friction: {static: 1}}\n"), 4,
       "stiction is 1 (it must be zero in a joint of this type)"},
      {JOINT("mimic: {joint: b}"), 6, "not in the file"},
      {JOINT("mimic: {joint: a}"), 6, "mimics itself"},
      {BODY("  joint: {type: hing}\n"), 4, "one of: fixed revolute"},
      {BODY("  joint: {type: fixed, axis: [0, 0, 1]}\n"), 4, "does not apply"},
      {BODY("  joint: &j {type: fixed}\n"), 4, "anchor"},
      {"a: &a [*a]\n", 1, "anchor"},
      {"a: *b\n", 1, "alias"},
      {"appell: !!int 1\n", 1, "tag"},
      {"appell: 1\n\tbodies: []\n", 2, "not YAML"},
      {"appell: 1\nbodies: [\n", 3, "not YAML"},
      {"appell: 1\nbodies: [{name: \xff}]\n", 2, "not YAML"},
      {"? [a]\n: b\n", 1, "a word"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.120s", list[i].text);
    const char *text = ended(list[i].text);
    expect_refused(text, strlen(text), "yaml", list[i].line, list[i].words);
  }
}

TEST(numbers_are_strict) {
  static const char *const bad[] = {"2.5 m", "nan",   ".nan", ".inf", "inf", "1e999",
                                    "0x10",  "1_000", "0o17", "1,5",  "'1'", "true",
                                    "~",     "",      "1e",   "1:30", "- 1", "none"};
  char text[256];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    test_context("%s", bad[i]);
    snprintf(text, sizeof text, "appell: 1\nbodies:\n- name: a\n  inertia:\n    mass: %s\n...\n",
             bad[i]);
    ap_robot *robot = NULL;
    ap_error error = {0};
    CHECK(ap_robot_parse(text, strlen(text), "yaml", NULL, &robot, &error) == AP_E_SYNTAX);
    CHECK_EQ_INT(error.line, 5);
    ap_robot_free(robot);
  }
}

TEST(a_file_without_its_end_is_refused) {
  expect_refused("", 0, "yaml", 1, "empty");
  expect_refused("# nothing\n", 10, "yaml", 1, "empty");
  static const char *const open[] = {
      "appell: 1\nbodies: [{name: a}]\n", "appell: 1\nbodies: [{name: a}]\n\n# more\n",
      "appell: 1\nbodies: [{name: a}]\n..\n", "appell: 1\nbodies: [{name: a}]\n ...\n"};
  for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
    test_context("%s", open[i]);
    ap_robot *robot = NULL;
    ap_error error = {0};
    CHECK_STATUS(ap_robot_parse(open[i], strlen(open[i]), "yaml", NULL, &robot, &error),
                 AP_E_SYNTAX);
    CHECK(error.line >= 3);
  }
  expect_refused(open[0], strlen(open[0]), "yaml", 3, "without a line \"...\"");
  ap_robot_free(read_yaml("appell: 1\nbodies: [{name: a}]\n...\n# the end\n"));
}

// libyaml takes a time that grows with their square.
TEST(directives_are_refused_before_they_cost_time) {
  static const char *const before[] = {"", "\xef\xbb\xbf", "# \r", "# \xc2\x85", "# \xe2\x80\xa8"};
  enum { N = 100000 };
  char *text = malloc((size_t)N * 24 + 64);
  if (!CHECK(text)) return;
  for (size_t k = 0; k < sizeof before / sizeof before[0]; k++) {
    char *t = text + sprintf(text, "%s", before[k]);
    for (int i = 0; i < N; i++) t += sprintf(t, "%%TAG !%d! tag:x\n", i);
    sprintf(t, "--- {}\n...\n");
    expect_refused(text, strlen(text), "yaml", 1, "directive");
  }
  free(text);
  expect_refused("appell: 1\n%YAML 1.1\n", 20, "yaml", 2, "directive");
  expect_refused("\xff\xfe%\0", 4, "yaml", 1, "UTF-8");
}

TEST(nesting_has_an_end) {
  for (int k = 0; k < 2; k++) {
    size_t n = 200000;
    char *text = malloc(n + 1);
    if (!CHECK(text)) return;
    memset(text, k ? '{' : '[', n);
    text[n] = 0;
    expect_refused(text, n, "yaml", 1, "");
    free(text);
  }
}

// ---- writing -----------------------------------------------------------------------------------

TEST(what_is_written_reads_back_to_the_bit) {
  ap_robot *robot = read_full();
  if (!robot) return;
  ap_robot *back = through_file(robot, "yaml");
  if (back) same_robot(robot, back);
  ap_robot_free(back);
  ap_robot_free(robot);
}

TEST(built_in_robots_survive) {
  for (int i = 0; ap_builtin_name(i); i++) {
    test_context("%s", ap_builtin_name(i));
    ap_robot *robot = NULL;
    if (!CHECK_OK(ap_robot_builtin(ap_builtin_name(i), NULL, &robot, NULL))) continue;
    ap_robot *back = through_file(robot, "yaml");
    if (back) same_robot(robot, back);
    ap_robot_free(back);
    ap_robot_free(robot);
  }
  ap_robot *robot;
  ap_error error = {0};
  CHECK_STATUS(ap_robot_builtin("no such", NULL, &robot, &error), AP_E_NOT_FOUND);
}

TEST(odd_names_survive) {
  static const char *const names[] = {"null",  "~",   "true",        "1",        "a: b",
                                      "- x",   "#no", "caf\xc3\xa9", "\xc2\xa0", "\xf0\x9f\xa4\x96",
                                      "'\"\\", " a ", "\xef\xbf\xbd"};
  enum { N = sizeof names / sizeof names[0] };
  ap_body_def body[N];
  for (int i = 0; i < N; i++) {
    body[i] = ap_default_body();
    body[i].name = names[i];
    body[i].parent = i;
  }
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = N;
  ap_robot *robot;
  if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
  ap_robot *back = through_file(robot, "yaml");
  if (back) same_robot(robot, back);
  ap_robot_free(back);
  ap_robot_free(robot);
}

// ---- the manual --------------------------------------------------------------------------------

TEST(the_manual_shows_every_key) { manual_shows("docs/yaml.md", ap__yaml_keys); }

TEST(the_example_of_the_manual_is_a_robot) {
  char *manual = file_text("docs/yaml.md", NULL);
  if (!CHECK(manual)) return;
  char *from = strstr(manual, "```yaml\n"), *to = from ? strstr(from + 8, "```") : NULL;
  if (CHECK(to)) {
    *to = 0;
    ap_robot *robot = read_yaml(from + 8);
    ap_model *model = NULL;
    if (robot) CHECK_OK(ap_robot_model(robot, &model, NULL));
    ap_model_free(model);
    ap_robot_free(robot);
  }
  free(manual);
}
