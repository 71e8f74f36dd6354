// URDF: what is read, what is refused and where, what is warned about, what is written.

#include <appell/file.h>

#include "robot_files.h"

#define FULL "tests/fuzz/corpus/urdf/full.urdf"

static const ap_read_options plain = {false, false};

#define ONE                                                                      \
  "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' " \
  "izz='1'/></inertial>"
#define LINKS2        "<link name='a'/>\n<link name='b'>" ONE "</link>\n"
#define ENDS          "<parent link='a'/><child link='b'/>"
#define ROBOT2(joint) "<robot name='r'>\n" LINKS2 joint "</robot>\n"

static ap_robot *read_urdf(const char *text) { return read_good(text, "urdf", plain); }

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
  CHECK_STR(ap_robot_mesh(robot, 1, 0), "package://full/base.stl");
  CHECK(ap_robot_mesh(robot, 1, 1) == NULL && ap_robot_mesh(robot, 2, 0) == NULL);
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
      {"<sdf><model/></sdf>", 1, "<sdf>"},
      {"<robot name='r'/>", 1, "no <link>"},
      {"<robot><link name='a'/></robot>", 1, "without name"},
      {"<robot name=''><link name='a'/></robot>", 1, "empty"},
      {"<!DOCTYPE r [<!ENTITY x '1'>]>\n<robot name='r'><link name='&x;'/></robot>", 1, "DOCTYPE"},
      {"<!DOCTYPE r SYSTEM 'http://x'>\n<robot name='r'><link name='a'/></robot>", 1, "DOCTYPE"},
      {"<robot name='r'>\n<link name='&x;'/></robot>", 2, "undefined entity"},
      {"<robot name='r'>\n<link name='a&#10;b'/></robot>", 2, "control character"},
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
       4, "taken by the joint on line 3"},
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
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<axis xyz='0 0 0'/></joint>"), 3, "axis"},
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
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<dynamics damping='-1'/></joint>"), 3,
       "viscous"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic joint='x'/></joint>"), 4,
       "not in the file"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic/></joint>"), 4, "without joint"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic joint='j'/></joint>"), 4,
       "mimics itself"},
      {ROBOT2("<joint name='j' type='revolute'>" ENDS "<mimic joint='root_joint'/></joint>"), 4,
       "cannot mimic"},
      {"<robot name='r'>\n<link name='a'><inertial>\n<mass value='1'/></inertial></link></robot>",
       3, "without <inertia>"},
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

TEST(xacro_is_named) {
  static const refusal list[] = {
      {"<robot name='r'>\n<xacro:include filename='x'/><link name='a'/></robot>", 2, "xacro FILE"},
      {"<robot name='r'>\n<xacro:macro name='m'/><link name='a'/></robot>", 2, "xacro FILE"},
      {"<robot name='r'>\n<link name='${prefix}a'/></robot>", 2, "xacro FILE"},
      {ROBOT2("<joint name='j' type='fixed'>" ENDS "<origin xyz='0 0 ${h}'/></joint>"), 4,
       "xacro FILE"},
      {"<robot name='r'>\n<include filename='x'/></robot>", 2, "xacro FILE"},
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

TEST(what_is_not_used_is_said_once) {
  static const struct {
    const char *text;
    int line;
    const char *words; // NULL: no warning
  } list[] = {
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
       "several freedoms"},
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
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%.100s", list[i].text);
    ap_robot *robot = read_urdf(list[i].text);
    if (!robot) continue;
    if (CHECK_EQ_INT(ap_robot_warnings(robot), list[i].words != NULL) && list[i].words) {
      CHECK_HAS(ap_robot_warning(robot, 0)->text, list[i].words);
      CHECK_EQ_INT(ap_robot_warning(robot, 0)->line, list[i].line);
    }
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

// ---- writing -----------------------------------------------------------------------------------

TEST(what_is_written_reads_back_to_the_bit) {
  char *text = file_text(FULL, NULL);
  if (!CHECK(text)) return;
  ap_robot *robot = read_urdf(text);
  free(text);
  if (!robot) return;
  static const char *const formats[] = {"urdf", "yaml"};
  for (int k = 0; k < 2; k++) {
    ap_robot *back = through_file(robot, formats[k]);
    if (back) same_robot(robot, back);
    ap_robot_free(back);
  }
  ap_robot_free(robot);
}

TEST(limits_and_odd_names_survive) {
  ap_body_def body[2] = {ap_default_body(), ap_default_body()};
  body[0].name = "a <&> \"quoted\" 'name' \xc3\xa9";
  body[0].joint_name = "root_joint";
  body[1].name = "b";
  body[1].parent = 1;
  body[1].joint = AP_PRISMATIC;
  body[1].upper = 0.1 + 0.2;
  body[1].effort_limit = 1e-300;
  body[1].mass = 1.0 / 3;
  body[1].gear_ratio = -7;
  body[1].com[1] = -0.0;
  ap_robot_def def = ap_default_robot();
  def.bodies = body;
  def.nbody = 2;
  ap_robot *robot;
  if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
  static const char *const formats[] = {"urdf", "yaml"};
  for (int k = 0; k < 2; k++) {
    ap_robot *back = through_file(robot, formats[k]);
    if (back) same_robot(robot, back);
    ap_robot_free(back);
  }
  ap_robot_free(robot);
}

TEST(what_urdf_cannot_say_is_refused) {
  ap_body_def body = ap_default_body();
  body.name = "a";
  ap_robot_def def = ap_default_robot();
  def.bodies = &body;
  def.nbody = 1;
  char path[512];
  temporary_name(path, sizeof path, "refused.urdf");
  for (int k = 0; k < 3; k++) {
    body.joint = k == 0 ? AP_SPHERICAL : k == 1 ? AP_PLANAR : AP_FIXED;
    body.upper = k == 1 ? 1 : INFINITY;
    def.gravity[2] = k == 2 ? -1.62 : -9.81;
    ap_robot *robot;
    ap_error error = {0};
    if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL))) return;
    CHECK_STATUS(ap_robot_write(robot, path, &error), AP_E_UNSUPPORTED);
    CHECK_HAS(error.text, k == 0 ? "spherical" : k == 1 ? "limits" : "gravity");
    CHECK(access(path, F_OK) != 0);
    ap_robot_free(robot);
  }
}

TEST(files_appear_whole_or_not_at_all) {
  ap_robot *robot = read_urdf("<robot name='r'><link name='a'/></robot>");
  if (!robot) return;
  ap_error error = {0};
  CHECK_STATUS(ap_robot_write(robot, "/nonexistent/folder/x.urdf", &error), AP_E_FILE);
  CHECK(error.text[0]);
  CHECK_STATUS(ap_robot_write(robot, "/tmp/x.obj", &error), AP_E_ARG);
  ap_robot_free(robot);
  CHECK_STATUS(ap_robot_read("/nonexistent.urdf", NULL, &robot, &error), AP_E_FILE);
  CHECK_STATUS(ap_robot_read("-", NULL, &robot, &error), AP_E_ARG);
  CHECK_STATUS(ap_robot_parse("", 0, "mjcf", NULL, &robot, &error), AP_E_ARG);
  CHECK(robot == NULL);
}
