// SPDX-License-Identifier: Apache-2.0
// Closed chains in Appell YAML: what is read, what is refused and where, what is written.

#include <appell/loop.h>

#include "robot_files.h"

#define CLOSED "tests/fuzz/corpus/yaml/closed.yaml"

static ap_robot *read_file(const char *path) {
  ap_error error = {0};
  ap_robot *robot = NULL;
  if (!CHECK_OK(ap_robot_read(path, NULL, &robot, &error)))
    printf("  %s:%d: %s\n", path, error.line, error.text);
  return robot;
}

// ---- reading -----------------------------------------------------------------------------------

TEST(every_key_arrives) {
  ap_robot *robot = read_file(CLOSED);
  if (!robot) return;
  const ap_mechanism_def *d = ap_robot_mechanism(robot);
  if (!CHECK(d) || !CHECK_EQ_INT(d->nclosure, 6) || !CHECK_EQ_INT(d->ncoordinate, 5) ||
      !CHECK_EQ_INT(d->nactuated, 2) || !CHECK_EQ_INT(d->nbranch, 1))
    return;
  CHECK(d->robot == ap_robot_definition(robot));
  const ap_closure_def *c = d->closures;
  for (int i = 0; i < 6; i++) CHECK_EQ_INT(c[i].kind, i);
  CHECK_STR(c[0].name, "p");
  CHECK_EQ_INT(c[0].body[0], 2);
  CHECK_EQ_INT(c[0].body[1], 3);
  CHECK_BITS(c[0].at[0], ((double[]){0.3, 0, 0}), 3);
  CHECK_BITS(c[1].axis[0], ((double[]){1, 0, 0, 0, 2, 0}), 6);
  CHECK_EQ_INT(c[1].body[1], 0);
  CHECK_BITS(c[2].at[1], ((double[]){0, 1, 0}), 3);
  CHECK_BITS(c[2].axis[1], ((double[]){1, 0, 0}), 3);
  CHECK_BITS(c[3].rpy[0], ((double[]){0.1, 0.2, 0.3}), 3);
  CHECK(c[4].distance == 0.7);
  CHECK(c[5].ratio == -0.5 && c[5].offset == 0.1 && c[5].body[0] == 1 && c[5].body[1] == 3);
  const ap_coordinate_def *s = d->coordinates;
  for (int i = 0; i < 5; i++) CHECK_EQ_INT(s[i].kind, i);
  CHECK_EQ_INT(s[0].body, 1);
  CHECK_BITS(s[1].at, ((double[]){0, 0, 0.1}), 3);
  CHECK_BITS(s[1].along, ((double[]){1, 0, 0}), 3);
  CHECK_EQ_INT(s[4].body, 5);
  CHECK(d->actuated[0] == 1 && d->actuated[1] == 3);
  const double guess[] = {0.5, -1, 0.5, 0, 0, 0, 0, 0, 0.6, 0.8, 0, 0, 0, 1, 1, 2, 3};
  const double other[] = {-0.5, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  CHECK_BITS(d->guess, guess, 17);
  CHECK_STR(d->branches[0].name, "other");
  CHECK_BITS(d->branches[0].guess, other, 17);
  CHECK_OK(build_robot(robot, NULL));
  ap_robot_free(robot);
}

// The tree alone would move otherwise.
TEST(a_mechanism_is_no_tree) {
  ap_robot *robot = read_file(CLOSED);
  ap_model *model;
  ap_mechanism *mechanism;
  ap_error error = {0};
  if (!robot) return;
  CHECK_STATUS(ap_robot_model(robot, &model, &error), AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, "closed chains");
  CHECK(!model);
  char path[512];
  temporary_name(path, sizeof path, "closed.urdf");
  CHECK_STATUS(ap_robot_write(robot, path, &error), AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, "closed chains are not written to URDF");
  ap_robot_free(robot);
  CHECK_STATUS(ap_mechanism_read("models/rod.yaml", &mechanism, &robot, &error), AP_E_MODEL);
  CHECK_HAS(error.text, "tree");
  CHECK(!mechanism && !robot);
  CHECK_STATUS(ap_mechanism_read("puma600", &mechanism, &robot, &error), AP_E_MODEL);
  char *text = file_text(CLOSED, NULL);
  for (int k = 0; text && k < 2; k++) {
    const ap_read_options options = {.floating = k == 0, .ignore_mimic = k == 1};
    CHECK_STATUS(ap_robot_parse(text, strlen(text), "yaml", &options, &robot, &error), AP_E_ARG);
    CHECK_HAS(error.text, "does not apply");
  }
  free(text);
}

// Without a guess the first branch leads, and without branches zero.
TEST(where_the_search_begins) {
  static const char head[] =
      "appell: 1\nbodies: [{name: a, joint: {type: revolute}}]\n"
      "coordinates: [{name: q, type: joint, joint: a}]\n";
  static const char *const more[] = {"",
                                     "branches: [{name: x, guess: {a: 3}}, {name: y, guess: {}}]\n",
                                     "guess: {a: 4}\nbranches: [{name: x, guess: {a: 3}}]\n"};
  const double want[] = {0, 3, 4};
  for (int k = 0; k < 3; k++) {
    char text[400];
    snprintf(text, sizeof text, "%s%s...\n", head, more[k]);
    ap_robot *robot = read_good(text, "yaml", (ap_read_options){0});
    ap_mechanism *m = NULL;
    if (!robot || !CHECK_OK(ap_mechanism_make(robot, &m, NULL))) continue;
    ap_robot_free(robot); // the mechanism has copies
    CHECK(ap_mechanism_guess(m)[0] == want[k]);
    CHECK(k == 0 ? !ap_mechanism_find_branch(m, "x") : *ap_mechanism_find_branch(m, "x") == 3);
    CHECK(!ap_mechanism_find_branch(m, "z"));
    ap_mechanism_free(m);
  }
}

// ---- refusals ----------------------------------------------------------------------------------

// Lines 1 to 5 of every text; a has one coordinate, b is free, c is fixed, d follows a.
#define TREE                                                              \
  "appell: 1\nbodies:\n- {name: a, joint: {name: ja, type: revolute}}\n"  \
  "- {name: b, parent: a, joint: {type: free}}\n- {name: c, parent: a}\n" \
  "- {name: d, joint: {name: jd, type: revolute, mimic: {joint: ja}}}\n"
#define Q          "coordinates: [{name: q, type: joint, joint: ja}]\n"
#define CLOSE(map) TREE Q "closures:\n- {name: k, " map "}\n"
#define ENDS       "first: {body: a}, second: {body: b}"

TEST(refusals_name_line_and_remedy) {
  static const struct {
    const char *text;
    int line;
    const char *words;
  } list[] = {
      {TREE "closures: []\n", 7, "a mechanism needs coordinates (joints"},
      {TREE "actuated: [ja]\n", 7, "a mechanism needs coordinates"},
      {TREE "guess: {ja: 1}\n", 7, "a mechanism needs coordinates"},
      {TREE "closures: 5\n", 7, "closures has a value (expected a list of maps)"},
      {TREE Q "actuated: ja\n", 8, "actuated has a value (expected a list of texts)"},
      {TREE Q "actuators: [ja]\n", 8, "did you mean \"actuated\"?"},
      {TREE Q "constraints: []\n", 8, "did you mean \"closures\"?"},
      {TREE Q "actuated: [jaa]\n", 8, "actuated: the joint \"jaa\" is not in the file (did you"},
      {TREE Q "actuated: [b]\n", 8, "actuator \"b\": the joint of link \"b\" must be revolute"},
      {TREE Q "actuated: [c]\n", 8, "must be revolute or prismatic"},
      {TREE Q "actuated: [jd]\n", 8, "name its leader"},
      {TREE Q "actuated: [ja,\n ja]\n", 8, "its joint is already actuator 0"},
      {CLOSE("type: point"), 9, "a closure without \"first\""},
      {CLOSE(ENDS), 9, "a closure without \"type\""},
      {CLOSE("type: weld, " ENDS), 9, "write \"frame\""},
      {CLOSE("type: spring, " ENDS), 9, "one of: point axis point_on_line frame distance gear"},
      {CLOSE("kind: point, " ENDS), 9, "did you mean \"type\"?"},
      {CLOSE("type: point, first: {body: a}, second: {}"), 9,
       "second end of a closure of type "
       "point without \"body\""},
      {CLOSE("type: point, first: a, second: b"), 9, "an end of a closure is a value"},
      {CLOSE("type: point, first: {body: a, axis: [1, 0, 0]}, second: {body: b}"), 9,
       "axis is not a key of a first end of a closure of type point (its keys are body xyz)"},
      {CLOSE("type: axis, first: {body: a, xyz: [1, 0, 0]}, second: {body: b}"), 9,
       "xyz is not a key"},
      {CLOSE("type: point_on_line, first: {body: a, axis: [1, 0, 0]}, second: {body: b}"), 9,
       "axis is not a key of a first end"},
      {CLOSE("type: point, distance: 1, " ENDS), 9,
       "distance does not apply to a closure of type point (remove it)"},
      {CLOSE("type: distance, " ENDS), 9, "a closure of type distance without \"distance\""},
      {CLOSE("type: distance, distance: 0, " ENDS), 9, "distance must be above zero"},
      {CLOSE("type: distance, distance: 1e300, " ENDS), 9, "between 1e-9 and 1e9 m"},
      {CLOSE("type: distance, distance: 1e-300, " ENDS), 9, "between 1e-9 and 1e9 m"},
      {CLOSE("type: gear, " ENDS), 9,
       "body is not a key of a first end of a closure of type gear (its keys are joint)"},
      {CLOSE("type: gear, first: {joint: ja}, second: {joint: b}"), 9, "revolute or prismatic"},
      {CLOSE("type: gear, first: {joint: ja}, second: {joint: ja}"), 9, "two different joints"},
      {CLOSE("type: gear, first: {joint: ja}, second: {joint: x}"), 9, "second: the joint \"x\""},
      {CLOSE("type: point, first: {body: a}, second: {body: zzz}"), 9,
       "second: the body \"zzz\" is not in the file (a body's name, or ground)"},
      {CLOSE("type: point, first: {body: a}, second: {body: c}"), 9, "has no effect"},
      {CLOSE("type: axis, first: {body: a, axis: [0, 0, 0]}, second: {body: b}"), 9, "axis[0]"},
      {CLOSE("type: point, " ENDS "}\n- {name: k, type: point, " ENDS), 10,
       "the name \"k\" is already used by the closure on line 9"},
      {CLOSE("type: point, " ENDS "}\n- {name: l, type: point, " ENDS "}\nguess: {}\nbranches:\n"
             "- {name: x, guess: {}}\n- {name: x, guess: {}"),
       14, "the name \"x\" is already used by the branch on line 13"},
      {TREE "coordinates: [{name: q, type: joint, joint: ja, body: a}]\n", 7, "body is not a key"},
      {TREE "coordinates: [{name: q, type: joint}]\n", 7, "type joint without \"joint\""},
      {TREE "coordinates: [{name: q, type: yaw}]\n", 7, "type yaw without \"body\""},
      {TREE "coordinates: [{name: q, type: position, body: a}]\n", 7, "without \"along\""},
      {TREE "coordinates: [{name: q, type: position, body: a, along: [0, 0, 0]}]\n", 7, "along"},
      {TREE "coordinates: [{name: q, type: yaw, body: ground}]\n", 7, "does not move"},
      {TREE "coordinates: [{name: q, type: angle, body: a}]\n", 7, "one of: joint position yaw"},
      {TREE "coordinates:\n- {name: q, type: joint, joint: ja}\n- {name: q, type: yaw, body: a}\n",
       9, "the name \"q\" is already used by the coordinate on line 8"},
      {TREE Q, 7, "0 rows of closures and 1 coordinates cannot determine 7 velocities"},
      {TREE Q "guess: [1]\n", 8, "guess has a list (expected a map of joint names to numbers)"},
      {TREE Q "guess: {jb: 1}\n", 8, "guess: the joint \"jb\" is not in the file (did you mean"},
      {TREE Q "guess: {ja: [1]}\n", 8, "guess of ja has a list (expected a number)"},
      {TREE Q "guess: {b: [1, 2]}\n", 8, "guess of b has 2 entries (expected a list of 7 numbers)"},
      {TREE Q "guess: {ja: 1, ja: 2}\n", 8, "duplicate joint \"ja\" in guess"},
      {TREE Q "guess: {c: 1}\n", 8, "is fixed or a follower"},
      {TREE Q "guess: {jd: 1}\n", 8, "is fixed or a follower"},
      {TREE Q "guess: {ja: 1e999}\n", 8, "beyond the range"},
      {CLOSE("type: frame, " ENDS) "guess: {b: [0, 0, 0, 0, 0, 0, 0]}\n", 10, "quaternions not"},
      {CLOSE("type: frame, " ENDS) "branches:\n- {name: z, guess: {b: [0, 0, 0, 0, 0, 0, 0]}}\n",
       11, "branch \"z\": its guess"},
      {CLOSE("type: frame, " ENDS) "guess: {}\nbranches:\n"
                                   "- {name: z, guess: {b: [0, 0, 0, 0, 0, 0, 0]}}\n",
       12, "branch \"z\": its guess"},
      {TREE Q "branches: [{name: x}]\n", 8, "a branch without \"guess\""},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    char text[1200];
    snprintf(text, sizeof text, "%s...\n", list[i].text);
    test_context("refusal %zu: %s", i, list[i].words);
    expect_refused(text, strlen(text), "yaml", list[i].line, list[i].words);
  }
}

// ---- writing -----------------------------------------------------------------------------------

static void survives(ap_robot *robot) {
  ap_robot *back = robot ? through_file(robot, "yaml") : NULL;
  if (back && same_robot(robot, back)) {
    const ap_mechanism_def *d = ap_robot_mechanism(robot);
    ap_mechanism *m = NULL;
    if (CHECK_OK(ap_mechanism_make(robot, &m, NULL)))
      same_mechanism(d, ap_robot_mechanism(back), ap_nq(ap_mechanism_tree(m)));
    ap_mechanism_free(m);
  }
  ap_robot_free(back);
  ap_robot_free(robot);
}

TEST(what_is_written_reads_back_to_the_bit) {
  survives(read_file(CLOSED));
  survives(read_file("models/press.yaml"));
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    ap_robot *robot = NULL;
    test_context("%s", ap_mechanism_builtin_name(i));
    const ap_mechanism_def *d = ap_mechanism_builtin(ap_mechanism_builtin_name(i));
    if (CHECK_OK(ap_robot_from_mechanism(d, &robot, NULL))) survives(robot);
  }
}

// Names of every kind, and those too long for a key of YAML.
TEST(odd_names_survive) {
  char longest[2000];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  const char *const names[] = {"null", "- x", "a: b", "\xc2\xa0", "'\"\\", " a ", longest};
  enum { N = sizeof names / sizeof names[0] };
  ap_body_def body[N];
  ap_coordinate_def s[N];
  ap_branch_def branch[N];
  int actuated[N];
  double x[N];
  for (int i = 0; i < N; i++) {
    body[i] = ap_default_body();
    body[i].name = names[i], body[i].joint = AP_REVOLUTE;
    s[i] = (ap_coordinate_def){.name = names[i], .kind = AP_COORDINATE_JOINT, .body = i + 1};
    branch[i] = (ap_branch_def){names[i], x};
    actuated[i] = N - i, x[i] = 0.1 * i;
  }
  x[1] = -0.0;
  ap_robot_def tree = ap_default_robot();
  tree.bodies = body, tree.nbody = N;
  ap_closure_def c = ap_default_closure();
  c.name = "ground", c.kind = AP_CLOSE_GEAR, c.body[0] = 1, c.body[1] = N;
  const ap_mechanism_def d = {.robot = &tree,
                              .closures = &c,
                              .nclosure = 1,
                              .coordinates = s,
                              .ncoordinate = N,
                              .actuated = actuated,
                              .nactuated = N,
                              .guess = x,
                              .branches = branch,
                              .nbranch = N};
  ap_robot *robot = NULL;
  if (CHECK_OK(ap_robot_from_mechanism(&d, &robot, NULL))) survives(robot);
}

TEST(what_yaml_cannot_say) {
  ap_body_def body = ap_default_body();
  body.name = "ground", body.joint = AP_FREE;
  ap_robot_def tree = ap_default_robot();
  tree.bodies = &body, tree.nbody = 1;
  ap_closure_def c = ap_default_closure();
  c.name = "c", c.body[1] = 1;
  ap_coordinate_def s = {.name = "q", .kind = AP_COORDINATE_YAW, .body = 1};
  ap_mechanism_def d = {
      .robot = &tree, .closures = &c, .nclosure = 1, .coordinates = &s, .ncoordinate = 1};
  static const char *const words[] = {"on the ground while a body is named",
                                      "invalid body numbers"};
  for (int k = 0; k < 2; k++) {
    ap_robot *robot = NULL;
    ap_error error = {0};
    char path[512];
    temporary_name(path, sizeof path, "no.yaml");
    if (!CHECK_OK(ap_robot_from_mechanism(&d, &robot, NULL))) return;
    CHECK_STATUS(ap_robot_write(robot, path, &error), AP_E_UNSUPPORTED);
    CHECK_HAS(error.text, words[k]);
    ap_robot_free(robot);
    s.body = 7;
  }
}

// ---- the manual --------------------------------------------------------------------------------

TEST(the_example_of_the_manual_is_a_mechanism) {
  char *manual = file_text("docs/yaml.md", NULL);
  if (!CHECK(manual)) return;
  char *from = strstr(manual, "## Closed chains"), *to = NULL;
  if (from) from = strstr(from, "```yaml\n");
  if (from) to = strstr(from + 8, "```");
  if (CHECK(to)) {
    *to = 0;
    ap_robot *robot = read_good(from + 8, "yaml", (ap_read_options){0});
    ap_mechanism *m = NULL;
    if (robot && CHECK_OK(ap_mechanism_make(robot, &m, NULL))) {
      ap_loop *l = ap_loop_make(m);
      const double q = 1;
      double x[2] = {0};
      if (CHECK(l)) {
        CHECK_OK(ap_loop_place(m, l, &q, NULL));
        memcpy(x, ap_loop_configuration(l), sizeof x);
        CHECK_OK(ap_loop_set_guess(m, l, ap_mechanism_find_branch(m, "folded")));
        CHECK_OK(ap_loop_place(m, l, &q, NULL));
        CHECK(fabs(ap_loop_configuration(l)[1] - x[1]) > 1);
      }
      ap_loop_free(l);
    }
    ap_mechanism_free(m);
    ap_robot_free(robot);
  }
  free(manual);
}
