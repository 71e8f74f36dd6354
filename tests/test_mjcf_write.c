// SPDX-License-Identifier: Apache-2.0
// MJCF that is written: names, what is lost and told, what is refused. That MuJoCo computes the
// same with it, test_mujoco.sh checks.

#include <appell/file.h>

#include "robot_files.h"
#include "temporary_folder.h"

typedef struct notes {
  char text[4096];
  int n;
} notes;

static void add_note(void *context, const char *text) {
  notes *all = context;
  size_t used = strlen(all->text);
  snprintf(all->text + used, sizeof all->text - used, "%s\n", text);
  all->n++;
}

// The text of a robot as MJCF, and what is told of it; NULL where it is refused. The caller frees
// it.
static char *written(const ap_robot *robot, notes *told, ap_error *error) {
  make_folder();
  const char *path = in_folder("robot.xml");
  *told = (notes){0};
  char *text = NULL;
  if (ap_robot_write(robot, path, error) == AP_OK) {
    CHECK_OK(ap_robot_visit_losses(robot, path, add_note, told, error));
    text = file_text(path, NULL);
  }
  remove_folder_of(1, (const char *[]){"robot.xml"});
  return text;
}

static ap_body_def body(const char *name, int parent, ap_joint_type joint) {
  ap_body_def d = ap_default_body();
  d.name = name;
  d.parent = parent;
  d.joint = joint;
  d.mass = 2;
  d.inertia[0] = d.inertia[3] = d.inertia[5] = 0.1;
  return d;
}

static ap_robot *robot_of(const ap_body_def *bodies, int n) {
  ap_robot_def def = ap_default_robot();
  ap_robot *robot = NULL;
  def.bodies = bodies;
  def.nbody = n;
  CHECK_OK(ap_robot_from_definition(&def, &robot, NULL));
  return robot;
}

// What is written of these bodies; they must not be refused.
static char *mjcf_of(const ap_body_def *bodies, int n, notes *told) {
  ap_error error = {0};
  ap_robot *robot = robot_of(bodies, n);
  char *text = written(robot, told, &error);
  if (!CHECK(text)) printf("  %s\n", error.text);
  ap_robot_free(robot);
  return text;
}

static void refused(const ap_robot *robot, const char *words) {
  notes told;
  ap_error error = {0};
  char *text = written(robot, &told, &error);
  CHECK(!text);
  CHECK_STATUS(error.status, AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, words);
  free(text);
}

TEST(joint_and_drive_are_written) {
  ap_body_def d = body("arm", 0, AP_REVOLUTE);
  d.joint_name = "elbow";
  d.axis[0] = 1, d.axis[2] = 0;
  d.viscous = 0.5, d.coulomb = 0.25;
  d.rotor_inertia = 0.5, d.gear_ratio = 4;
  d.lower = -1, d.upper = 2, d.effort_limit = 7;
  d.stiffness = 3, d.rest[0] = 0.125;
  d.gravity_compensation = 0.75;
  notes told;
  char *text = mjcf_of(&d, 1, &told);
  if (!text) return;
  CHECK_HAS(text,
            "<joint name=\"elbow\" axis=\"1 0 0\" range=\"-1 2\" actuatorfrcrange=\"-7 7\" "
            "armature=\"8\" damping=\"0.5\" frictionloss=\"0.25\" stiffness=\"3\" "
            "springref=\"0.125\"/>");
  CHECK_HAS(text, "<body name=\"arm\" gravcomp=\"0.75\">");
  CHECK_HAS(text, "<inertial pos=\"0 0 0\" mass=\"2\" diaginertia=\"0.1 0.1 0.1\"/>");
  CHECK_STR(told.text, "");
  free(text);
}

TEST(losses_are_told_once) {
  ap_body_def d[3] = {body("a", 0, AP_REVOLUTE), body("b", 1, AP_REVOLUTE),
                      body("c", 2, AP_PLANAR)};
  for (int k = 0; k < 2; k++) {
    d[k].velocity_limit = 1;
    d[k].coulomb = 1, d[k].stiction = 2;
    d[k].lower = d[k].upper = 1;
    d[k].effort_limit = 0;
  }
  notes told;
  char *text = mjcf_of(d, 3, &told);
  CHECK_EQ_INT(told.n, 5);
  CHECK_HAS(told.text, "no static friction, as of joint \"a\": left out; 2 in all\n");
  CHECK_HAS(told.text, "no velocity limits, as of joint \"a\"");
  CHECK_HAS(told.text, "no limits that are equal");
  CHECK_HAS(told.text, "no effort limit of zero");
  CHECK_HAS(told.text, "no planar joint: \"c\" becomes");
  free(text);
}

TEST(what_mujoco_refuses_is_told) {
  ap_body_def d[4] = {body("light", 0, AP_REVOLUTE), body("odd", 0, AP_REVOLUTE),
                      body("camera", 2, AP_FIXED), body("minus", 0, AP_REVOLUTE)};
  d[0].mass = 0;
  d[1].inertia[0] = 0.5;
  d[2].inertia[0] = 0.5;
  d[3].inertia[0] = -1e-10;
  notes told;
  char *text = mjcf_of(d, 4, &told);
  CHECK_EQ_INT(told.n, 3);
  CHECK_HAS(told.text, "without mass or inertia, as body \"minus\"");
  CHECK_HAS(told.text,
            "without mass or inertia, as body \"minus\" (compiler boundmass and "
            "boundinertia would add some); 2 in all");
  CHECK_HAS(told.text, "larger than the sum of the others, as of body \"odd\"");
  CHECK_HAS(told.text, "refuses the inertia of body \"camera\" by itself");
  free(text);
}

// A link that is fixed carries over what its moments alone would be refused for.
TEST(merged_inertia_is_the_sum) {
  ap_body_def d[2] = {body("arm", 0, AP_REVOLUTE), body("plate", 1, AP_FIXED)};
  d[1].inertia[0] = 0.3;
  d[1].place.xyz[2] = 4;
  notes told;
  char *text = mjcf_of(d, 2, &told);
  if (!text) return;
  // About the common centre at 2 m: 0.1 + 0.3 and 0.1 + 0.1, with 2 * 2 kg * (2 m)^2 across
  CHECK_HAS(text, "<inertial pos=\"0 0 2\" mass=\"4\" diaginertia=\"16.4 16.2 0.2\"/>");
  CHECK_HAS(text, "<body name=\"plate\" pos=\"0 0 4\">\n      </body>");
  free(text);
}

// A universal joint: the cross has no mass, so both joints are in the body beyond.
TEST(bodies_that_only_carry_a_joint_are_folded) {
  ap_body_def d[3] = {body("cross", 0, AP_REVOLUTE), body("rod", 1, AP_REVOLUTE),
                      body("light", 2, AP_SPHERICAL)};
  d[0].mass = 0;
  memset(d[0].inertia, 0, sizeof d[0].inertia);
  d[0].place.xyz[0] = 1;
  d[1].place.xyz[2] = 2;
  d[1].axis[0] = 1, d[1].axis[2] = 0;
  notes told;
  char *text = mjcf_of(d, 2, &told);
  CHECK_STR(told.text, "");
  if (text) {
    CHECK_HAS(text, "<body name=\"rod\" pos=\"1 0 2\">");
    CHECK_HAS(text,
              "<joint name=\"cross\" pos=\"0 0 -2\"/>\n      "
              "<joint name=\"rod\" axis=\"1 0 0\"/>");
    CHECK(!strstr(text, "<body name=\"cross\""));
  }
  free(text);
  // Not where the next joint is a ball, nor where there is a fork.
  d[1] = d[2];
  d[1].parent = 1;
  text = mjcf_of(d, 2, &told);
  CHECK_HAS(told.text, "without mass or inertia, as body \"cross\"");
  free(text);
  d[1] = body("one", 1, AP_REVOLUTE);
  d[2] = body("other", 1, AP_REVOLUTE);
  text = mjcf_of(d, 3, &told);
  CHECK_HAS(told.text, "without mass or inertia, as body \"cross\"");
  free(text);
}

TEST(the_world_is_no_body) {
  ap_body_def d[2] = {body("world", 0, AP_FIXED), body("arm", 1, AP_FREE)};
  d[0].mass = 0;
  memset(d[0].inertia, 0, sizeof d[0].inertia);
  notes told;
  char *text = mjcf_of(d, 2, &told);
  if (text) CHECK_HAS(text, "<worldbody>\n    <body name=\"arm\">");
  CHECK_EQ_INT(told.n, 0);
  free(text);
  d[0].place.xyz[0] = 1;
  text = mjcf_of(d, 2, &told);
  if (text) CHECK_HAS(text, "<body name=\"_world\" pos=\"1 0 0\">");
  if (text) CHECK_HAS(text, "    <body name=\"arm\" pos=\"1 0 0\">");
  CHECK_HAS(told.text, "body \"world\" gets another name");
  CHECK_HAS(told.text, "measures a free joint in the world");
  free(text);
}

TEST(another_order_is_told) {
  ap_body_def d[4] = {body("a", 0, AP_REVOLUTE), body("b", 0, AP_REVOLUTE),
                      body("c", 1, AP_REVOLUTE), body("d", 2, AP_REVOLUTE)};
  notes told;
  char *text = mjcf_of(d, 4, &told);
  CHECK_EQ_INT(told.n, 1);
  CHECK_HAS(told.text, "joint \"b\" comes at another place");
  free(text);
}

TEST(chains_that_are_too_deep_are_refused) {
  enum { N = 300 };
  static ap_body_def d[N];
  static char name[N][8];
  for (int k = 0; k < N; k++) {
    snprintf(name[k], sizeof name[k], "b%d", k);
    d[k] = body(name[k], k, AP_REVOLUTE);
  }
  ap_robot *robot = robot_of(d, N);
  refused(robot, "MJCF nests bodies, and \"b190\" is more than 190 deep (use URDF or YAML)");
  ap_robot_free(robot);
}

TEST(free_joints_on_moving_bodies_are_refused) {
  ap_body_def d[2] = {body("a", 0, AP_REVOLUTE), body("b", 1, AP_FREE)};
  ap_robot *robot = robot_of(d, 2);
  refused(robot, "MJCF cannot express a free joint on a moving body, as of body \"b\"");
  ap_robot_free(robot);
}

// ---- closures ----------------------------------------------------------------------------------

static ap_robot *closed(ap_closure_kind kind, bool with_point) {
  ap_body_def d[2] = {body("a", 0, AP_REVOLUTE), body("b", 0, AP_REVOLUTE)};
  ap_robot_def def = ap_default_robot();
  ap_closure_def c[2] = {ap_default_closure(), ap_default_closure()};
  ap_coordinate_def q = {.name = "q", .kind = AP_COORDINATE_JOINT, .body = 1};
  const double guess[2] = {0.5, 0.25};
  def.bodies = d, def.nbody = 2;
  c[0].name = "loop", c[0].kind = kind;
  c[0].body[0] = 1, c[0].body[1] = 2;
  c[0].distance = 1, c[0].ratio = 2, c[0].offset = 0.5;
  c[0].at[0][0] = 0.25, c[0].rpy[1][2] = 0.75;
  c[1].name = "pin", c[1].body[0] = 2, c[1].body[1] = 1; // in the other order
  c[1].at[0][1] = 3, c[1].at[1][1] = 4;
  c[0].axis[0][2] = 8;
  ap_mechanism_def m = {.robot = &def,
                        .closures = c,
                        .nclosure = with_point ? 2 : 1,
                        .coordinates = &q,
                        .ncoordinate = 1,
                        .actuated = &q.body,
                        .nactuated = 1,
                        .guess = guess};
  ap_robot *robot = NULL;
  CHECK_OK(ap_robot_from_mechanism(&m, &robot, NULL));
  return robot;
}

static void closes_as(ap_closure_kind kind, const char *const *words) {
  notes told;
  ap_error error = {0};
  ap_robot *robot = closed(kind, kind == AP_CLOSE_AXIS);
  char *text = written(robot, &told, &error);
  if (!CHECK(text)) printf("  %s\n", error.text);
  for (; text && *words; words++) CHECK_HAS(text, *words);
  free(text);
  ap_robot_free(robot);
}

TEST(closures_are_equalities) {
  closes_as(AP_CLOSE_POINT,
            (const char *[]){"<site name=\"loop_first\" pos=\"0.25 0 0\"/>",
                             "<connect name=\"loop\" site1=\"loop_first\" site2=\"loop_second\"/>",
                             "<motor name=\"a\" joint=\"a\"/>",
                             "<key name=\"guess\" qpos=\"0.5 0.25\"/>", NULL});
  closes_as(
      AP_CLOSE_FRAME,
      (const char *[]){"<site name=\"loop_second\" euler=\"0 0 0.75\"/>",
                       "<weld name=\"loop\" site1=\"loop_first\" site2=\"loop_second\"/>", NULL});
  closes_as(AP_CLOSE_GEAR,
            (const char *[]){
                "<joint name=\"loop\" joint1=\"b\" joint2=\"a\" polycoef=\"0.5 2 0 0 0\"/>", NULL});
  closes_as(
      AP_CLOSE_AXIS,
      (const char *[]){"<site name=\"loop_first\" pos=\"0 4 1\"/>",
                       "<site name=\"loop_second\" pos=\"0 3 1\"/>",
                       "<connect name=\"pin\" site1=\"pin_first\" site2=\"pin_second\"/>", NULL});
}

TEST(weaker_closures_are_refused) {
  static const struct {
    ap_closure_kind kind;
    const char *words;
  } cases[] = {{AP_CLOSE_DISTANCE, "asks for a distance, as \"loop\" (use YAML)"},
               {AP_CLOSE_POINT_ON_LINE, "asks for a point on a line"},
               {AP_CLOSE_AXIS, "asks for an axis without a point of the same links"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    ap_robot *robot = closed(cases[k].kind, false);
    refused(robot, cases[k].words);
    ap_robot_free(robot);
  }
}

// ---- shapes ------------------------------------------------------------------------------------

static const char shapes[] =
    "<robot name='r'><link name='a'>"
    "<visual><origin xyz='1 2 3' rpy='0.5 0 0'/><geometry><box size='2 4 6'/></geometry>"
    "<material name=''><color rgba='1 0.5 0.25 1'/></material></visual>"
    "<collision><geometry><cylinder radius='2' length='3'/></geometry></collision>"
    "<visual><geometry><mesh filename='missing.stl'/></geometry></visual>"
    "<visual><geometry><mesh filename='package://a/drawn.dae'/></geometry></visual>"
    "</link></robot>";

// What geoms touch is the same after they are written to MJCF or YAML and read again.
TEST(bits_of_geoms_are_kept) {
  ap_robot *robot = read_good(
      "<mujoco><worldbody><body name='b'><joint/><geom size='1'/><geom size='1' group='3'/>"
      "<geom size='1' contype='0' conaffinity='0'/><geom size='1' contype='-1' conaffinity='6'/>"
      "<geom size='1' group='3' contype='0'/></body></worldbody></mujoco>",
      "mjcf", (ap_read_options){0});
  static const char *const name[] = {"robot.xml", "robot.yaml"};
  make_folder();
  for (int f = 0; f < 2 && robot; f++) {
    ap_error error = {0};
    ap_robot *again = NULL;
    CHECK_OK(ap_robot_write(robot, in_folder(name[f]), &error));
    CHECK_OK(ap_robot_read(in_folder(name[f]), NULL, &again, &error));
    for (int k = 0; again && k < 5; k++) {
      const ap_shape *x = ap_robot_shape(robot, 1, k), *y = ap_robot_shape(again, 1, k);
      test_context("%s, geom %d", name[f], k);
      if (!CHECK(x && y)) break;
      CHECK_EQ_INT(y->collision, x->collision);
      CHECK_EQ_INT(y->contype, x->contype);
      CHECK_EQ_INT(y->conaffinity, x->conaffinity);
    }
    ap_robot_free(again);
  }
  remove_folder_of(2, name);
  ap_robot_free(robot);
}

TEST(shapes_are_geoms) {
  notes told;
  ap_error error = {0};
  ap_robot *robot = read_good(shapes, "urdf", (ap_read_options){0});
  char *text = robot ? written(robot, &told, &error) : NULL;
  if (!CHECK(text)) return;
  CHECK_HAS(text,
            "<geom class=\"visual\" type=\"box\" size=\"1 2 3\" pos=\"1 2 3\" euler=\"0.5 0 0\" "
            "rgba=\"1 0.5 0.25 1\"/>");
  CHECK_HAS(text, "<geom class=\"collision\" type=\"cylinder\" size=\"2 1.5\"/>");
  CHECK(!strstr(text, "mesh=") && !strstr(text, "<asset>"));
  CHECK_HAS(told.text, "as \"missing.stl\": such meshes are left out; 2 in all");
  free(text);
  ap_robot_free(robot);
}
