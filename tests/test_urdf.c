// SPDX-License-Identifier: Apache-2.0
// URDF: what is read, what is refused and where, what is warned about.

#include <appell/loop.h>

#include "urdf_text.h"

// ---- reading -----------------------------------------------------------------------------------

TEST(every_element_arrives) {
  char *text = file_text(FULL, NULL);
  if (!CHECK(text)) return;
  ap_robot *robot = read_urdf(text);
  free(text);
  if (!robot) return;
  CHECK_STR(ap_robot_definition(robot)->name, "full");
  CHECK_EQ_INT(ap_robot_warnings(robot), 0);
  const ap_body_def *base = body_named(robot, "base"), *arm = body_named(robot, "arm");
  const ap_body_def *hand = body_named(robot, "hand"), *finger = body_named(robot, "finger");
  CHECK_EQ_INT(base->joint, AP_FIXED);
  CHECK_STR(base->joint_name, "root_joint");
  CHECK(base->mass == 2.5);
  CHECK_BITS(base->com, ((double[]){0.1, 0, 0.2}), 3);
  CHECK_BITS(base->inertia, ((double[]){0.1, 0.01, -0.02, 0.2, 0.003, 0.15}), 6);
  CHECK_BITS(base->inertia_rpy, ((double[]){0.1, -0.2, 0.3}), 3); // the rpy that others drop
  CHECK_EQ_INT(arm->joint, AP_REVOLUTE);
  CHECK_BITS(arm->place.xyz, ((double[]){0, 0, 0.3}), 3);
  CHECK_BITS(arm->place.rpy, ((double[]){0, 0.1, 0}), 3);
  CHECK_BITS(arm->axis, ((double[]){0, 0, 2}), 3);
  CHECK(arm->lower == -1.5 && arm->upper == 1.5);
  CHECK(arm->effort_limit == 80 && arm->velocity_limit == 3);
  CHECK(arm->viscous == 0.5 && arm->coulomb == 0.25); // the friction that others ignore
  CHECK(arm->gear_ratio == 100 && arm->rotor_inertia == 2e-5);
  CHECK_BITS(hand->axis, ((double[]){1, 0, 0}), 3); // URDF's default
  CHECK(isinf(hand->lower) && isinf(hand->upper));
  CHECK_STR(joint_of(&ap_robot_definition(robot)->bodies[finger->mimic - 1]), "hand_joint");
  CHECK(finger->mimic_ratio == -0.5 && finger->mimic_offset == 0.01);
  CHECK_STR(mesh_of(robot, 1, 0), "package://full/base.stl");
  CHECK(mesh_of(robot, 1, 1) == NULL && mesh_of(robot, 2, 0) == NULL);
  ap_model *model = NULL;
  CHECK_OK(ap_robot_model(robot, &model, NULL));
  CHECK_EQ_INT(ap_nv(model), 2); // the follower has no coordinate
  ap_model_free(model);
  ap_robot_free(robot);
}

TEST(order_is_the_first_link_whose_parent_is_placed) {
  char *text = file_text(FULL, NULL);
  if (!CHECK(text)) return;
  ap_robot *robot = read_urdf(text);
  free(text);
  if (!robot) return;
  static const char *const order[] = {"base", "arm", "hand", "finger", "tool"};
  for (int i = 0; i < 5; i++) CHECK_STR(ap_robot_definition(robot)->bodies[i].name, order[i]);
  CHECK_EQ_INT(ap_robot_line(robot, 1), 4);
  CHECK_EQ_INT(ap_robot_line(robot, 4), 20); // finger
  ap_robot_free(robot);
}

TEST(order_does_not_depend_on_the_order_of_joints) {
  static const char *const text[2] = {
      "<robot name='r'><link name='c'/><link name='b'/><link name='a'/>"
      "<joint name='ab' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<joint name='ac' type='continuous'><parent link='a'/><child link='c'/></joint></robot>",
      "<robot name='r'>"
      "<joint name='ac' type='continuous'><parent link='a'/><child link='c'/></joint>"
      "<joint name='ab' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "<link name='c'/><link name='b'/><link name='a'/></robot>"};
  for (int k = 0; k < 2; k++) {
    ap_robot *robot = read_urdf(text[k]);
    if (!robot) continue;
    const ap_robot_def *def = ap_robot_definition(robot);
    CHECK_STR(def->bodies[0].name, "a");
    CHECK_STR(def->bodies[1].name, "c");
    CHECK_STR(def->bodies[2].name, "b");
    ap_robot_free(robot);
  }
}

TEST(meshes_stay_with_their_links) {
#define MESH(x) "<visual><geometry><mesh filename='" x "'/></geometry></visual>"
  ap_robot *robot = read_urdf("<robot name='r'><link name='b'>" MESH("b0") MESH(
      "b1") "</link>"
            "<link name='a'>" MESH("a0") MESH("a1") MESH(
                "a2") "</link>"
                      "<joint name='j' type='fixed'>" ENDS "</joint></robot>");
  if (!robot) return;
  static const char *const want[2][4] = {{"a0", "a1", "a2", NULL}, {"b0", "b1", NULL, NULL}};
  for (int i = 0; i < 2; i++)
    for (int k = 0; k == 0 || want[i][k - 1]; k++) {
      const char *mesh = mesh_of(robot, i + 1, k);
      if (want[i][k])
        CHECK_STR(mesh, want[i][k]);
      else
        CHECK(!mesh);
    }
  CHECK(!mesh_of(robot, 0, 0) && !mesh_of(robot, 3, 0));
  CHECK(!mesh_of(robot, 1, -1));
  ap_robot_free(robot);
}

TEST(mimic_can_be_ignored_with_a_warning) {
  char *text = file_text(FULL, NULL);
  if (!CHECK(text)) return;
  ap_robot *robot = read_good(text, "urdf", (ap_read_options){.ignore_mimic = true});
  free(text);
  if (!robot) return;
  CHECK_EQ_INT(body_named(robot, "finger")->mimic, 0);
  if (CHECK_EQ_INT(ap_robot_warnings(robot), 1)) {
    CHECK_HAS(ap_robot_warning(robot, 0)->text, "finger_joint");
    CHECK_EQ_INT(ap_robot_warning(robot, 0)->line, 18);
  }
  ap_model *model = NULL;
  CHECK_OK(ap_robot_model(robot, &model, NULL));
  CHECK_EQ_INT(ap_nv(model), 3);
  ap_model_free(model);
  ap_robot_free(robot);
}

TEST(free_base) {
  const char *text = ROBOT2("<joint name='root_joint' type='continuous'>" ENDS "</joint>");
  ap_robot *robot = read_good(text, "urdf", (ap_read_options){.floating = true});
  if (!robot) return;
  const ap_body_def *a = body_named(robot, "a");
  CHECK_EQ_INT(a->joint, AP_FREE);
  CHECK_STR(a->joint_name, "_root_joint"); // the plain name is taken
  ap_robot_free(robot);
  // One that floats already:
  ap_error error = {0};
  ap_read_options floating = {.floating = true};
  text = ROBOT2("<joint name='j' type='floating'>" ENDS "</joint>");
  CHECK_STATUS(ap_robot_parse(text, strlen(text), "urdf", &floating, &robot, &error), AP_E_ARG);
  CHECK_HAS(error.text, "already has a free base");
}

TEST(numbers_are_correctly_rounded_in_any_spelling) {
  static const struct {
    const char *text;
    double value;
  } good[] = {{"1", 1},
              {"+1.", 1},
              {".5", 0.5},
              {"-0.1e1", -1},
              {" 2e-3 ", 2e-3},
              {"1E+2", 100},
              {"0.1", 0.1},
              {"1e-400", 0},
              {"123456789012345678901234567890", 123456789012345678901234567890.0},
              {"4.9406564584124654e-324", 4.9406564584124654e-324}};
  static const char *const bad[] = {
      "",  " ", "2.5 m", "nan", "inf", "-inf",  "1e999", "0x10", "1_000", "1,0",      "1e", "e5",
      ".", "+", "1 2",   "one", "--1", "1e5.0", "1.2.3", "1d5",  "NaN",   "infinity", "1f"};
  char text[512];
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    test_context("%s", good[i].text);
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'><inertial><mass value='%s'/><inertia "
             "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>",
             good[i].text);
    ap_robot *robot = read_urdf(text);
    if (robot) CHECK(ap_robot_definition(robot)->bodies[0].mass == good[i].value);
    ap_robot_free(robot);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    test_context("%s", bad[i]);
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'>\n<inertial><mass value='%s'/><inertia "
             "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link></robot>",
             bad[i]);
    expect_refused(text, strlen(text), "urdf", 2, "mass value");
  }
}

// ---- closed chains -----------------------------------------------------------------------------

#define CLOSED "tests/fuzz/corpus/urdf/closed.urdf"

TEST(constraints_close_chains) {
  ap_mechanism *m = NULL;
  ap_error error = {0};
  ap_robot *robot = NULL;
  if (!CHECK_OK(ap_mechanism_read(CLOSED, &m, &robot, &error))) {
    printf("  line %d: %s\n", error.line, error.text);
    return;
  }
  // a revolute joint is a point and an axis, a prismatic one a line and two directions
  CHECK_EQ_INT(ap_mechanism_nclosure(m), 5);
  CHECK_STR(ap_mechanism_closure(m, 0)->name, "pin");
  CHECK_STR(ap_mechanism_closure(m, 1)->name, "pin axis");
  CHECK_EQ_INT(ap_mechanism_closure(m, 2)->kind, AP_CLOSE_POINT_ON_LINE);
  CHECK_EQ_INT(ap_mechanism_n(m), 2); // the crank, which is driven, and the height of the slider
  CHECK_STR(ap_mechanism_coordinate(m, 0)->name, "crank");
  CHECK_STR(ap_mechanism_coordinate(m, 1)->name, "slider.z");
  ap_loop *l = ap_loop_make(m);
  const double q[] = {0.2, 0.4}, v[] = {0.5, -0.3}, a[] = {1, 2};
  double tau[2], back[2];
  if (CHECK(l) && CHECK_OK(ap_loop_inverse_dynamics(m, l, q, v, a, tau))) {
    CHECK(fabs(tau[1] - 0.3 * (2 + 9.81)) < 1e-12);
    CHECK_OK(ap_loop_forward_dynamics(m, l, q, v, tau, back));
    CHECK(fabs(back[0] - 1) < 1e-9 && fabs(back[1] - 2) < 1e-9);
  }
  ap_loop_free(l);
  ap_mechanism_free(m);
  ap_robot_free(robot);
  const ap_read_options open = {.ignore_loops = true};
  if (!CHECK_OK(ap_robot_read(CLOSED, &open, &robot, &error))) return;
  CHECK(!ap_robot_mechanism(robot) && ap_robot_warnings(robot) == 1);
  ap_robot_free(robot);
}

TEST(constraints_that_are_wrong) {
  static const struct {
    const char *text, *words;
  } list[] = {
      {"<constraint type='fixed'/>", "without name"},
      {"<constraint name='c'/>", "without type"},
      {"<constraint name='c' type='fixed'><parent link='a'/></constraint>", "child link"},
      {"<constraint name='c' type='revolute'><parent link='a'/><child link='b'/><child_axis "
       "xyz='0 0 0'/></constraint>",
       "must not be zero"},
      {"<constraint name='c' type='fixed'><parent link='a'/><child link='b'/></constraint>",
       "no degree of freedom"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    char text[1024];
    snprintf(text, sizeof text, ROBOT2("<joint name='j' type='continuous'>" ENDS "</joint>\n%s"),
             list[i].text);
    test_context("%s", list[i].text);
    expect_refused(text, strlen(text), "urdf", 5, list[i].words);
  }
  ap_robot *robot = read_urdf(ROBOT2("<joint name='j' type='continuous'>" ENDS
                                     "</joint>\n<constraint name='c' type='universal'><parent "
                                     "link='a'/><child link='b'/></constraint>"));
  CHECK(!robot || strstr(ap_robot_warning(robot, 0)->text, "not used: universal"));
  ap_robot_free(robot);
}

// ---- refusals ----------------------------------------------------------------------------------

typedef struct refusal {
  const char *text;
  int line;
  const char *words;
} refusal;

static void check_refusals(const refusal *r, size_t n) {
  for (size_t i = 0; i < n; i++) {
    test_context("%.120s", r[i].text);
    expect_refused(r[i].text, strlen(r[i].text), "urdf", r[i].line, r[i].words);
  }
}
#define CHECK_REFUSALS(list) check_refusals(list, sizeof(list) / sizeof(list)[0])

TEST(files_that_are_no_robot) {
  static const refusal list[] = {
      {"", 1, "empty"},
      {"\n\n", 1, "empty"},
      {"<robot name='r'>\n<link name='a'/>\n", 3, "ends too early"},
      {"<robot name='r'>\n<link name='a'>\n</robot>", 3, "mismatched tag"},
      {"<robot name='r'>\n<link name='a' name='b'/></robot>", 2, "duplicate attribute"},
      {"robot", 1, "not XML"},
      {"<sdf><model/></sdf>", 1, "SDF is not read (give the robot as URDF"},
      {"<robot name='r'/>", 1, "no <link>"},
      {"<robot><link name='a'/></robot>", 1, "without name"},
      {"<robot name=''><link name='a'/></robot>", 1, "empty"},
      {"<!DOCTYPE r [<!ENTITY x '1'>]>\n<robot name='r'><link name='&x;'/></robot>", 1, "DOCTYPE"},
      {"<!DOCTYPE r SYSTEM 'http://x'>\n<robot name='r'><link name='a'/></robot>", 1, "DOCTYPE"},
      {"<robot name='r'>\n<link name='&x;'/></robot>", 2, "undefined entity"},
      {"<robot name='r'>\n<link name='a&#10;b'/></robot>", 2, "control character"},
      {"<robot name='r'>\n<link name='a&#x80;'/></robot>", 2, "control character"},
      {"<robot name='r'>\n<link name='a&#x9f;'/></robot>", 2, "control character"},
      {"<robot name='r'>\n<link name='a'><visual><geometry><mesh "
       "filename='&#10;'/></geometry></visual></link></robot>",
       2, "control character"},
  };
  CHECK_REFUSALS(list);
}

TEST(broken_structure) {
  static const refusal list[] = {
      {"<robot name='r'>\n<link/></robot>", 2, "without name"},
      {"<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>", 3,
       "already defined on line 2"},
      {"<robot name='r'>\n<link name='a'/>\n<link name='b'/></robot>", 3, "one root"},
      {ROBOT2("<joint name='j' type='fixed'><parent link='a'/>\n<child link='x'/></joint>"), 5,
       "\"x\""},
      {ROBOT2("<joint name='j' type='fixed'><parent link='x'/>\n<child link='b'/></joint>"), 4,
       "\"x\""},
      {ROBOT2("\n<joint name='j' type='fixed'><child link='b'/></joint>"), 5, "without <parent>"},
      {ROBOT2("\n<joint name='j' type='fixed'><parent link='a'/></joint>"), 5, "without <child>"},
      {ROBOT2("<joint name='j' type='fixed'><parent/><child link='b'/></joint>"), 4,
       "without link"},
      {ROBOT2("<joint type='fixed'>" ENDS "</joint>"), 4, "without name"},
      {ROBOT2("<joint name='j'>" ENDS "</joint>"), 4, "without type"},
      {ROBOT2("<joint name='j' type='hinge'>" ENDS "</joint>"), 4, "\"hinge\""},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS
              "</joint>"),
       5, "one parent"},
      {"<robot name='r'>\n<link name='a'/><link name='b'/><link name='c'/>\n"
       "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
       "<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint></robot>",
       4, "used by the joint on line 3"},
      {"<robot name='r'>\n" LINKS2 "<joint name='j' type='fixed'>" ENDS "</joint>\n"
       "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
       4, "loop"},
      {"<robot name='r'>\n<link name='root'/>\n" LINKS2 "<joint name='j' type='fixed'>" ENDS
       "</joint>\n"
       "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
       5, "loop"},
      {ROBOT2("<joint name='j' type='fixed'><parent link='b'/><child link='b'/></joint>"), 4,
       "loop"},
  };
  CHECK_REFUSALS(list);
}

TEST(broken_elements) {
  static const refusal list[] = {
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<axis xyz='0 0 0'/></joint>"), 4, "axis"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<axis xyz='0 1'/></joint>"), 4,
       "expected 3"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<axis/></joint>"), 4, "without xyz"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS
              "\n<axis xyz='0 0 1'/><axis xyz='0 0 1'/></joint>"),
       5, "second <axis>"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<parent link='a'/></joint>"), 4,
       "second <parent>"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<origin xyz='1 2 3 4'/></joint>"), 4,
       "has 4 numbers"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<origin xyz='1,2,3'/></joint>"), 4,
       "expected 3"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<origin quat_xyzw='0 0 0 1'/></joint>"), 4,
       "write rpy"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<limit lower='1' upper='-1'/></joint>"), 4,
       "above upper"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<dynamics damping='-1'/></joint>"), 4,
       "viscous"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic joint='x'/></joint>"), 4,
       "not in the file"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic/></joint>"), 4, "without joint"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic joint='j'/></joint>"), 4,
       "mimics itself"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic joint='root_joint'/></joint>"), 4,
       "cannot mimic"},
      {"<robot name='r'>\n<link name='a'><inertial>\n<mass value='1'/></inertial></link></robot>",
       2, "without <inertia>"},
      {"<robot name='r'>\n<link name='a'><inertial/></link></robot>", 2, "without <mass>"},
      {"<robot name='r'>\n<link name='a'><inertial><mass/></inertial></link></robot>", 2,
       "without value"},
      {"<robot name='r'>\n<link name='a'><inertial><mass value='1'/>\n<inertia ixx='1' ixy='0' "
       "ixz='0' "
       "iyy='1' iyz='0'/></inertial></link></robot>",
       3, "without izz"},
      {"<robot name='r'>\n<link name='a'>" ONE "\n" ONE "</link></robot>", 3, "second <inertial>"},
      {"<robot name='r'>\n<link name='a'><inertial><mass value='-1'/><inertia ixx='1' ixy='0' "
       "ixz='0' "
       "iyy='1' iyz='0' izz='1'/></inertial></link></robot>",
       2, "mass"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS
              "</joint><transmission name='t'><joint name='j'/>\n"
              "<actuator "
              "name='m'><mechanicalReduction>many</mechanicalReduction></actuator></transmission>"),
       5, "mechanicalReduction"},
  };
  CHECK_REFUSALS(list);
}

// Each element on a line of its own: the message of the reader or the model names that line.
#define SPREAD(mass, inertia, axis, dynamics, motor)                                         \
  "<robot name='r'>\n<link name='a'/>\n<link name='b'>\n<inertial>\n<origin xyz='0 0 0'/>\n" \
  "<mass value='" mass "'/>\n<inertia ixx='" inertia                                         \
  "' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>\n</inertial>\n</link>\n<joint name='j' "      \
  "type='revolute'>\n<parent link='a'/>\n<child link='b'/>\n<origin\nxyz='0 0 1'/>\n<axis "  \
  "xyz='" axis "'/>\n<limit lower='-1' upper='1'/>\n<dynamics " dynamics                     \
  "/>\n</joint>\n<transmission name='t'>\n<joint name='j'/>\n<actuator name='m'>\n" motor    \
  "\n</actuator>\n</transmission>\n</robot>"

TEST(a_message_names_the_line_of_the_value) {
  static const refusal list[] = {
      {SPREAD("-1", "1", "0 0 1", "damping='1'", ""), 6, "mass is -1"},
      {SPREAD("one", "1", "0 0 1", "damping='1'", ""), 6, "mass value"},
      {SPREAD("1", "-1", "0 0 1", "damping='1'", ""), 7, "inertia has a principal moment"},
      {SPREAD("1", "1", "0 0 0", "damping='1'", ""), 15, "axis"},
      {SPREAD("1", "1", "0 0 1", "damping='-1'", ""), 17, "viscous is -1"},
      {SPREAD("1", "1", "0 0 1", "friction='-1'", ""), 17, "coulomb is -1"},
      {SPREAD("1", "1", "0 0 1", "damping='1'", "<motorInertia>-1</motorInertia>"), 22,
       "rotor_inertia is -1"},
      {SPREAD("1", "1", "0 0 1", "damping='1'",
              "<motorInertia>1</motorInertia>\n<mechanicalReduction>0</mechanicalReduction>"),
       23, "reduction 0"},
  };
  CHECK_REFUSALS(list);
}

TEST(a_remark_names_the_line_of_the_inertia) {
  ap_robot *robot =
      read_good(SPREAD("1", "9", "0 0 1", "damping='1'", ""), "urdf", (ap_read_options){0});
  ap_model *model = NULL;
  char text[256];
  if (robot && CHECK_OK(ap_robot_model(robot, &model, NULL)) &&
      CHECK_EQ_INT(ap_model_remarks(model) > 0, true)) {
    ap_remark_text(model, ap_model_remark(model, 0), text, sizeof text);
    CHECK_HAS(text, "triangle");
    CHECK_EQ_INT(ap_robot_message_line(robot, text), 7);
    CHECK_EQ_INT(ap_robot_message_line(robot, "body \"b\": something else"), 3);
    CHECK_EQ_INT(ap_robot_message_line(robot, "body \"c\": mass"), 0);
  }
  ap_model_free(model);
  ap_robot_free(robot);
}

#define CONTINUOUS   "<joint name='j' type='continuous'>" ENDS "</joint>\n"
#define REDUCTION(x) "<mechanicalReduction>" #x "</mechanicalReduction>"
#define ROTOR        "<motorInertia>1e-5</motorInertia>"
#define DRIVE(joint, actuator)                                                           \
  "<transmission name='t'><joint name='j'>" joint "</joint><actuator name='a'>" actuator \
  "</actuator></transmission>\n"

TEST(a_reduction_is_found_wherever_it_stands) {
  static const char *const list[] = {
      ROBOT2(CONTINUOUS DRIVE(REDUCTION(50), ROTOR)),
      ROBOT2(CONTINUOUS DRIVE("", REDUCTION(50) ROTOR)),
      ROBOT2(CONTINUOUS DRIVE(REDUCTION(50), REDUCTION(50) ROTOR)),
      ROBOT2(CONTINUOUS DRIVE(REDUCTION(50), ROTOR) DRIVE(REDUCTION(50), ROTOR)),
      ROBOT2(CONTINUOUS "<transmission name='t'><joint name='j'/><actuator name='a'>" ROTOR
                        "</actuator>" REDUCTION(50) "</transmission>"),
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.200s", strstr(list[i], "<transmission"));
    ap_robot *robot = read_urdf(list[i]);
    if (!robot) continue;
    const ap_body_def *b = body_named(robot, "b");
    CHECK(b->gear_ratio == 50 && b->rotor_inertia == 1e-5);
    CHECK_EQ_INT(ap_robot_warnings(robot), 0);
    ap_robot_free(robot);
  }
}

TEST(motors_that_contradict_themselves) {
  static const refusal list[] = {
      {ROBOT2(CONTINUOUS DRIVE(REDUCTION(50), "\n" REDUCTION(51) ROTOR)), 6, "two different"},
      {ROBOT2(CONTINUOUS DRIVE(REDUCTION(50), "") DRIVE(REDUCTION(51), "")), 6, "different reduct"},
      {ROBOT2(CONTINUOUS DRIVE(REDUCTION(50), ROTOR) DRIVE("", ROTOR)), 6, "different reduct"},
      {ROBOT2(CONTINUOUS DRIVE("", ROTOR "<rotorInertia>1e-5</rotorInertia>")), 5, "two rotor"},
      {ROBOT2(CONTINUOUS DRIVE("", REDUCTION(0) ROTOR)), 5, "reduction 0"},
  };
  CHECK_REFUSALS(list);
}

TEST(mimic_needs_a_leader_even_where_it_is_ignored) {
  const char *text =
      ROBOT2("<joint name='j' type='continuous'>" ENDS "<mimic joint='no'/></joint>");
  ap_read_options ignore = {.ignore_mimic = true};
  ap_robot *robot;
  ap_error error = {0};
  CHECK_STATUS(ap_robot_parse(text, strlen(text), "urdf", &ignore, &robot, &error), AP_E_MODEL);
  CHECK_HAS(error.text, "\"no\"");
}

TEST(xacro_is_named) {
  static const refusal list[] = {
      {"<robot name='r'>\n<xacro:include filename='x'/><link name='a'/></robot>", 2,
       "xacro FILE > robot.urdf"},
      {"<robot name='r'>\n<xacro:macro name='m'/><link name='a'/></robot>", 2,
       "xacro FILE > robot.urdf"},
      {"<robot name='r'>\n<link name='${prefix}a'/></robot>", 2, "xacro FILE > robot.urdf"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<origin xyz='0 0 ${h}'/></joint>"), 4,
       "xacro FILE > robot.urdf"},
      {"<robot name='r'>\n<include filename='x'/></robot>", 2, "xacro FILE > robot.urdf"},
  };
  CHECK_REFUSALS(list);
}

TEST(nesting_has_an_end) {
  size_t n = 100000;
  char *text = malloc(4 * n + 64);
  if (!CHECK(text)) return;
  char *t = text + sprintf(text, "<robot name='r'>\n<link name='a'>");
  for (size_t i = 0; i < n; i++) t += sprintf(t, "<x>");
  expect_refused(text, strlen(text), "urdf", 2, "deep");
  free(text);
}

// ---- warnings ----------------------------------------------------------------------------------

// words NULL: no warning
static void check_warnings(const refusal *r, size_t n) {
  for (size_t i = 0; i < n; i++) {
    test_context("%.100s", r[i].text);
    ap_robot *robot = read_urdf(r[i].text);
    if (!robot) continue;
    if (CHECK_EQ_INT(ap_robot_warnings(robot), r[i].words != NULL) && r[i].words) {
      CHECK_HAS(ap_robot_warning(robot, 0)->text, r[i].words);
      CHECK_EQ_INT(ap_robot_warning(robot, 0)->line, r[i].line);
    }
    ap_robot_free(robot);
  }
}
#define CHECK_WARNINGS(list) check_warnings(list, sizeof(list) / sizeof(list)[0])

TEST(what_is_not_used_is_said_once) {
  static const refusal list[] = {
      {ROBOT2("<joint name='j' type='fixed'>" ENDS
              "</joint>\n<xacro:property name='p' value='1'/>"),
       5, "xacro:property"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS
              "</joint>\n<gazebo reference='b'><springStiffness>3</springStiffness></gazebo>"),
       5, "spring"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS
              "</joint>\n<gazebo reference='b'><turnGravityOff>true</turnGravityOff></gazebo>"),
       5, "gravity"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "</joint>\n<gazebo><plugin "
              "name='p'><gravity>true</gravity></plugin><implicitSpringDamper>1</"
              "implicitSpringDamper></gazebo>"),
       0, NULL},
      {ROBOT2("<joint name='j' type='floating'>" ENDS "<dynamics damping='1'/></joint>"), 4,
       "several degrees of freedom"},
      {ROBOT2("<joint name='j' type='floating'>" ENDS "<dynamics damping='0'/></joint>"), 0, NULL},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<mimic joint='x'/></joint>"), 4, "mimic"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS
              "<dynamics damping='1' stiffness='2'/></joint>"),
       4, "stiffness"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS "<dynamic damping='1'/></joint>"), 4,
       "dynamic"},
      {"<robot name='r'>\n<link name='a'><inertail/></link></robot>", 0, NULL},
      {"<robot name='r'>\n<link name='a'><inertal/></link></robot>", 2, "inertal"},
      {"<robot name='r'>\n<link name='a'><contact><lateral_friction "
       "value='1'/></contact><self_collision/></link><sensor/></robot>",
       0, NULL},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<limit effort='1' velocity='1'/></joint>"),
       4, "0 to 0"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS "<limit effort='1' velocity='1'/></joint>"),
       0, NULL},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS
              "<limit effort='-1' velocity='1'/></joint>"),
       4, "negative"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS "</joint><loop_joint name='l'/>"), 4,
       "loop"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS
              "</joint>\n<transmission name='t'><joint name='x'/><actuator "
              "name='m'><motorInertia>1</motorInertia></actuator></transmission>"),
       5, "transmission"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS
              "</joint>\n<transmission name='t'><joint name='x'/><actuator "
              "name='m'><mechanicalReduction>1</mechanicalReduction></actuator></transmission>"),
       0, NULL},
  };
  CHECK_WARNINGS(list);
}

TEST(what_simulators_add_is_said) {
  static const refusal list[] = {
      {ROBOT2(CONTINUOUS DRIVE("<gear>2</gear>", "")), 5, "gear"},
      {ROBOT2(CONTINUOUS DRIVE("", "<rotor_inertia>2</rotor_inertia>")), 5, "rotor_inertia"},
      {ROBOT2(CONTINUOUS "<transmission name='t'><reduction/></transmission>"), 5, "reduction"},
      {ROBOT2(CONTINUOUS "<gazebo><joint name='close' type='revolute'/></gazebo>"), 5, "close"},
      {ROBOT2(CONTINUOUS "<gazebo reference='b'><inertial><mass>1</mass></inertial></gazebo>"), 5,
       "mass or inertia is not used: inertial"},
      {ROBOT2(CONTINUOUS "<gazebo reference='b'><mass>1</mass></gazebo>"), 5, "mass"},
      {ROBOT2(CONTINUOUS "<gazebo><plugin filename='p'><mass>1</mass></plugin></gazebo>"), 0, NULL},
      {ROBOT2(CONTINUOUS "<gazebo><spring_stiffness>1</spring_stiffness></gazebo>"), 5,
       "spring_stiffness"},
      {ROBOT2(CONTINUOUS "<gazebo>\n<plugin filename='libmimic.so'><joint>i</joint>"
                         "<mimicJoint> j </mimicJoint></plugin></gazebo>"),
       6, "couples joints is not used (write <mimic>): j"},
      {ROBOT2(CONTINUOUS "<gazebo><plugin filename='libmimic.so'/></gazebo>"), 5, "couples"},
      {ROBOT2(CONTINUOUS "<gazebo><plugin filename='libp.so'><mimicJoint>j</mimicJoint></plugin>"
                         "</gazebo>"),
       0, NULL},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "</joint><gazebo><plugin filename='libmimic.so'>"
              "<mimicJoint>j</mimicJoint></plugin></gazebo>"),
       0, NULL},
      {ROBOT2(CONTINUOUS "<drake:ball_constraint/>"), 5, "constraint is not used: drake:ball"},
      {ROBOT2(CONTINUOUS "<drake:joint name='k'/>"), 5, "drake:joint"},
      {ROBOT2("<joint name='j' type='continuous'>" ENDS "<drake:mimic joint='k'/></joint>"), 4,
       "drake:mimic"},
      {ROBOT2(CONTINUOUS "<mujoco><compiler balanceinertia='true' boundmass='0.1' "
                         "inertiafromgeom='auto' boundinertia='0'/></mujoco>"),
       5, "balanceinertia, boundmass (2 in all)"},
      {ROBOT2(CONTINUOUS
              "<mujoco><compiler discardvisual='true' balanceinertia='false'/></mujoco>"),
       0, NULL},
      {"<robot name='r'>\n<link name='a'><contact><inertia_scaling "
       "value='3'/></contact></link></robot>",
       2, "inertia_scaling"},
      {"<robot name='r'>\n<link name='a'><contact><inertia_scaling "
       "value='1.0'/></contact></link></robot>",
       0, NULL},
  };
  CHECK_WARNINGS(list);
}

TEST(xacro_without_a_word_does_not_hang) {
  static const refusal list[] = {
      {"<robot name='r'>\n<link name='a'/><xacro:/></robot>", 2, "xacro:"},
      {"<robot name='r'>\n<link name='a'><xacro:/></link></robot>", 2, "xacro:"},
  };
  CHECK_WARNINGS(list);
}

TEST(names_in_a_warning_are_whole) {
  static const refusal list[] = {
      {"<robot name='r'>\n<link name='a'/><gazebo><joint type='x' name='arm1'/><joint type='x' "
       "name='arm'/><joint type='x' name='arm'/></gazebo></robot>",
       2, "arm1, arm (3 in all)"},
  };
  CHECK_WARNINGS(list);
}

// As real files have it: the plugin of a joint that has <mimic>, or of one that has none.
TEST(a_plugin_that_repeats_mimic_is_no_loss) {
  char text[1000];
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
             "<joint name='j' type='continuous'>" ENDS
             "</joint>"
             "<joint name='k' type='continuous'><parent link='a'/><child link='c'/>"
             "<mimic joint='j'/></joint>"
             "<gazebo><plugin filename='libmimic.so'>%s</plugin></gazebo></robot>",
             k ? "<joint>j</joint><mimicJoint>k</mimicJoint>" : "");
    ap_robot *robot = read_urdf(text);
    if (robot) CHECK_EQ_INT(ap_robot_warnings(robot), 0);
    ap_robot_free(robot);
  }
}

TEST(links_without_inertia_get_a_remark_where_they_move) {
  const char *text =
      "<robot name='r'><link name='a'/><link name='b'/>"
      "<joint name='j' type='continuous'>" ENDS "</joint></robot>";
  ap_robot *robot = read_urdf(text);
  ap_model *model = NULL;
  if (!robot || !CHECK_OK(ap_robot_model(robot, &model, NULL))) return;
  CHECK_EQ_INT(ap_model_remarks(model), 1);
  CHECK_EQ_INT(ap_model_remark(model, 0).kind, AP_REMARK_MASSLESS_LEAF);
  ap_model_free(model);
  ap_robot_free(robot);
}
