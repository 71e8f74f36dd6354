// SPDX-License-Identifier: Apache-2.0
// MJCF: dynamics against MuJoCo's, what is read, what is refused and where, what is warned about.

#include <appell/dyn.h>
#include <appell/lint.h>
#include <sys/stat.h>

#include "file/mjcf.h"
#include "mjcf_values.h"
#include "robot_files.h"
#include "temporary_folder.h"

#define CORPUS "tests/fuzz/corpus/mjcf/"

static const ap_read_options plain = {.floating = false},
                             open_tree = {.ignore_mimic = true, .ignore_loops = true};

#define MODEL(bodies)     "<mujoco><worldbody>\n" bodies "</worldbody></mujoco>\n"
#define MASS              "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define BODY(inside)      "<body name='b'>" MASS inside "</body>\n"
#define WITH(top, inside) "<mujoco>" top "<worldbody>\n" BODY(inside) "</worldbody></mujoco>\n"

static ap_robot *read_mjcf(const char *text, ap_read_options options) {
  return read_good(text, "mjcf", options);
}

static ap_robot *read_file(const char *path, ap_read_options options) {
  ap_robot *robot = NULL;
  ap_error error = {0};
  if (!CHECK_OK(ap_robot_read(path, &options, &robot, &error)))
    printf("  %s:%d: %s\n", path, error.line, error.text);
  return robot;
}

static bool warns(const ap_robot *robot, const char *words) {
  for (int i = 0; i < ap_robot_warnings(robot); i++)
    if (strstr(ap_robot_warning(robot, i)->text, words)) return true;
  return false;
}

// ---- against MuJoCo ----------------------------------------------------------------------------

// The error of a joint's force is compared with the largest of its state: sums of the order of the
// largest are rounded on both sides.
static void compare(const ap_model *m, ap_work *w, const double *sample) {
  const int nq = ap_nq(m), nv = ap_nv(m);
  const double *expected = sample + nq + 2 * nv;
  double tau[64], largest = 0;
  ap_inverse_dynamics(m, w, sample, sample + nq, sample + nq + nv, tau);
  for (int i = 0; i < nv; i++) largest = fmax(largest, fabs(expected[i]));
  for (int i = 0; i < nv; i++) CHECK(fabs(tau[i] - expected[i]) <= 1e-12 * largest);
}

TEST(dynamics_are_mujocos) {
  static _Alignas(64) unsigned char pool[1 << 20];
  for (size_t k = 0; k < sizeof mjcf_expected / sizeof mjcf_expected[0]; k++) {
    const mjcf_values *x = &mjcf_expected[k];
    char path[256];
    ap_model *model = NULL;
    double mass = 0;
    snprintf(path, sizeof path, CORPUS "%s", x->file);
    test_context("%s", x->file);
    ap_robot *robot = read_file(path, open_tree);
    if (!robot) continue;
    const ap_robot_def *def = ap_robot_definition(robot);
    for (int i = 0; i < def->nbody; i++) mass += def->bodies[i].mass;
    CHECK(fabs(mass - x->mass) <= 1e-13 * x->mass);
    if (CHECK_OK(ap_robot_model(robot, &model, NULL)) && CHECK_EQ_INT(ap_nq(model), x->nq) &&
        CHECK_EQ_INT(ap_nv(model), x->nv)) {
      ap_work *w = ap_work_init(model, pool, sizeof pool);
      for (int s = 0; CHECK(w) && s < 2; s++) compare(model, w, x->sample[s]);
    }
    ap_model_free(model);
    ap_robot_free(robot);
  }
}

// ---- what arrives ------------------------------------------------------------------------------

TEST(joints_arrive) {
  ap_robot *robot = read_file(CORPUS "tree.xml", plain);
  if (!robot) return;
  const ap_robot_def *def = ap_robot_definition(robot);
  CHECK_STR(def->name, "tree");
  CHECK_BITS(def->gravity, ((double[]){0.5, -0.25, -9.5}), 3);
  const ap_body_def *shoulder = body_named(robot, "shoulder_link"), *arm = body_named(robot, "arm");
  CHECK_STR(shoulder->joint_name, "shoulder");
  CHECK(shoulder->viscous == 0.4 && shoulder->coulomb == 0.1 && shoulder->rotor_inertia == 0.02);
  CHECK(shoulder->stiffness == 3 && shoulder->rest[0] == 0.2);
  CHECK(shoulder->lower == -2 && shoulder->upper == 2.5 && shoulder->mass == 0);
  CHECK_EQ_INT(arm->joint, AP_FIXED); // its frame is MuJoCo's; the joint is at the anchor
  CHECK(arm->mass == 1.5);
  CHECK(body_named(robot, "plate")->gravity_compensation == 0.5);
  CHECK_EQ_INT(body_named(robot, "base")->joint, AP_FREE);
  CHECK_EQ_INT(body_named(robot, "ball_link")->joint, AP_SPHERICAL);
  // what has no name is called after its body, and a body after its number
  CHECK_STR(body_named(robot, "fore_link")->joint_name, "fore");
  CHECK_STR(body_named(robot, "body6")->joint_name, "body6");
  CHECK_EQ_INT(def->nframe, 2);
  CHECK_STR(def->frames[0].name, "mark");
  CHECK_EQ_INT(def->frames[0].body, 0);
  CHECK_EQ_INT(ap_robot_warnings(robot), 0);
  ap_robot_free(robot);
}

TEST(limits_and_drives_arrive) {
  const double degree = 3.14159265358979323846 / 180;
  ap_robot *robot = read_file(CORPUS "defaults.xml", plain);
  if (!robot) return;
  const ap_body_def *a = body_named(robot, "a"), *b = body_named(robot, "b");
  const ap_body_def *c = body_named(robot, "c"), *d = body_named(robot, "d");
  CHECK(fabs(a->lower + 90 * degree) < 1e-15 && fabs(a->upper - 45 * degree) < 1e-15);
  CHECK(a->viscous == 0.5 && a->coulomb == 0.25 && a->rotor_inertia == 0.1);
  CHECK(a->effort_limit == 15);
  CHECK(fabs(b->viscous - (0.125 + 4 * 0.2)) < 1e-15); // of the joint, and of the drive with gear 2
  CHECK(fabs(b->rotor_inertia - (0.1 + 4 * 0.01)) < 1e-15);
  CHECK(b->effort_limit == 6);
  CHECK(isinf(c->lower) && isinf(c->upper) && isinf(c->effort_limit));
  CHECK(d->lower == -0.1 && d->upper == 0.2 && d->effort_limit == 6);
  ap_robot_free(robot);
}

TEST(couplings_are_followers) {
  ap_robot *robot = read_file(CORPUS "couplings.xml", plain);
  if (!robot) return;
  const ap_body_def *j2 = body_named(robot, "f2"), *k1 = body_named(robot, "g1");
  // q2 - 0.2 = 0.05 + 1.5 (q1 - 0.1);  2 k1 - 4 k2 = 0.02
  CHECK(j2->mimic > 0 && j2->mimic_ratio == 1.5 && fabs(j2->mimic_offset - 0.1) < 1e-15);
  CHECK(k1->mimic > 0 && k1->mimic_ratio == 2 && fabs(k1->mimic_offset - 0.01) < 1e-15);
  CHECK(body_named(robot, "f3")->mimic == 0 && body_named(robot, "g3")->mimic == 0);
  CHECK(body_named(robot, "f1")->effort_limit == 3 && body_named(robot, "f3")->effort_limit == 2);
  CHECK(warns(robot, "no linear coupling"));
  CHECK(warns(robot, "not active"));
  CHECK(warns(robot, "tendon are not used: stiffness, range"));
  CHECK(warns(robot, "does not drive a joint"));
  ap_robot_free(robot);
}

TEST(geoms_are_shapes) {
  ap_robot *robot = read_mjcf(
      "<mujoco><asset><material name='red' rgba='1 0 0 1'/></asset><worldbody><body name='b'>"
      "<geom type='box' size='1 2 3' material='red' pos='1 0 0'/>"
      "<geom type='capsule' size='1 2' group='3'/><geom size='2' rgba='0 1 0 0.5'/>"
      "<geom type='cylinder' size='1 2'/></body></worldbody></mujoco>",
      plain);
  if (!robot) return;
  const ap_shape *box = ap_robot_shape(robot, 1, 0), *rod = ap_robot_shape(robot, 1, 1);
  const ap_shape *ball = ap_robot_shape(robot, 1, 4);
  CHECK_EQ_INT(ap_robot_shapes(robot), 6); // a capsule is a cylinder and two spheres
  CHECK_EQ_INT(box->kind, AP_SHAPE_BOX);
  CHECK_BITS(box->size, ((double[]){2, 4, 6}), 3);
  CHECK_BITS(box->color, ((double[]){1, 0, 0, 1}), 4);
  CHECK(box->xyz[0] == 1 && !box->collision && rod->collision);
  CHECK(rod->kind == AP_SHAPE_CYLINDER && rod->size[1] == 4);
  CHECK(ball->kind == AP_SHAPE_SPHERE && ball->color[3] == 0.5);
  ap_robot_free(robot);
}

// 1 and 1 by default, from classes like any attribute, and the same for all parts of a capsule.
TEST(geoms_have_contype_and_conaffinity) {
  ap_robot *robot = read_mjcf(
      "<mujoco><default><geom conaffinity='6'/><default class='seen'>"
      "<geom contype='0' conaffinity='0'/></default></default><worldbody><body name='b'>"
      "<geom size='1'/><geom class='seen' type='capsule' size='1 2' group='3'/>"
      "<geom class='seen' size='1' contype='-1'/><body name='c' childclass='seen'>"
      "<geom size='1'/></body></body></worldbody></mujoco>",
      plain);
  static const int wanted[][2] = {{1, 6}, {0, 0}, {0, 0}, {0, 0}, {-1, 0}};
  if (!robot) return;
  for (int k = 0; k < 5; k++) {
    const ap_shape *shape = ap_robot_shape(robot, 1, k);
    if (!CHECK(shape != NULL)) break;
    CHECK(shape->masked);
    CHECK_EQ_INT(shape->contype, wanted[k][0]);
    CHECK_EQ_INT(shape->conaffinity, wanted[k][1]);
  }
  const ap_shape *child = ap_robot_shape(robot, 2, 0);
  if (CHECK(child != NULL)) CHECK(child->contype == 0 && child->conaffinity == 0);
  ap_robot_free(robot);
  robot = read_mjcf(MODEL(BODY("<geom size='1'/>")), plain);
  if (!robot) return;
  const ap_shape *ball = ap_robot_shape(robot, 1, 0);
  CHECK(ball && ball->contype == 1 && ball->conaffinity == 1);
  ap_robot_free(robot);
}

// ---- closed chains -----------------------------------------------------------------------------

static void check_closed(const char *path, int n, const char *first, const char *last) {
  ap_mechanism *m = NULL;
  ap_error error = {0};
  test_context("%s", path);
  if (!CHECK_OK(ap_mechanism_read(path, &m, NULL, &error))) {
    printf("  line %d: %s\n", error.line, error.text);
    return;
  }
  ap_loop *l = ap_loop_make(m);
  double x[32], q[16], v[16], a[16], tau[16], back[16];
  ap_assembly assembly;
  CHECK_EQ_INT(ap_mechanism_n(m), n);
  CHECK_EQ_INT(ap_mechanism_nact(m), n);
  CHECK_STR(ap_mechanism_actuator_name(m, 0), first);
  CHECK_STR(ap_mechanism_actuator_name(m, n - 1), last);
  memcpy(x, ap_mechanism_guess(m), sizeof(double) * (size_t)ap_nq(ap_mechanism_tree(m)));
  if (CHECK(l) && CHECK_OK(ap_loop_close(m, l, x, q, NULL))) {
    for (int i = 0; i < n; i++) q[i] += 0.01 * i, v[i] = 0.3 - 0.1 * i, a[i] = 0.2 * i - 1;
    CHECK_OK(ap_loop_place(m, l, q, &assembly));
    CHECK_OK(ap_loop_inverse_dynamics(m, l, q, v, a, tau));
    CHECK_OK(ap_loop_forward_dynamics(m, l, q, v, tau, back));
    for (int i = 0; i < n; i++) CHECK(fabs(back[i] - a[i]) < 1e-8);
    ap_closure_force force[8];
    CHECK_OK(ap_loop_closure_forces(m, l, q, v, a, tau, NULL, 0, NULL, force));
  }
  ap_loop_free(l);
  ap_mechanism_free(m);
}

TEST(closures_are_closed) {
  check_closed(CORPUS "closed.xml", 8, "root.x", "ball.x");
  check_closed(CORPUS "weld.xml", 2, "a", "b");
}

// Points of a flat linkage that are given with few digits never meet to the last bit.
TEST(ends_that_nearly_meet_are_joined) {
  ap_robot *robot = read_mjcf(
      "<mujoco><default><joint axis='0 1 0'/><geom size='0.1'/></default><worldbody>"
      "<body><joint name='a'/><geom/><body pos='0 0 1'><joint name='b'/><geom/>"
      "<site name='s' pos='2 0 0'/></body></body>"
      "<body pos='2 0 0'><joint name='c'/><geom/><site name='t' pos='0 1e-5 1'/></body>"
      "</worldbody><equality><connect site1='s' site2='t'/></equality></mujoco>",
      plain);
  if (!robot) return;
  CHECK(warns(robot, "the ends of closures are 1e-05 m apart at best"));
  const ap_mechanism_def *def = ap_robot_mechanism(robot);
  CHECK(def && def->ncoordinate == 1 && fabs(def->closures[0].at[1][1]) < 1e-12);
  ap_robot_free(robot);
}

TEST(loops_can_be_ignored) {
  ap_robot *robot = read_file(CORPUS "closed.xml", (ap_read_options){.ignore_loops = true});
  if (!robot) return;
  CHECK(!ap_robot_mechanism(robot));
  CHECK(warns(robot, "closed chains are open: 2 closures are ignored"));
  ap_robot_free(robot);
  robot = read_file("models/press.yaml", (ap_read_options){.ignore_loops = true});
  CHECK(!robot || (!ap_robot_mechanism(robot) && warns(robot, "closed chains are open")));
  ap_robot_free(robot);
}

// A mechanism with a free base survives YAML.
TEST(closed_chains_through_yaml) {
  ap_robot *robot = read_file(CORPUS "closed.xml", plain);
  ap_robot *back = robot ? through_file(robot, "yaml") : NULL;
  if (back)
    same_mechanism(ap_robot_mechanism(robot), ap_robot_mechanism(back),
                   6 + 1 + 3 + 3 + 1); // free joint 7, three hinges, a ball as three, a slide
  ap_robot_free(back);
  ap_robot_free(robot);
}

// ---- files in files ----------------------------------------------------------------------------

static void put(const char *name, const char *text) {
  FILE *file = fopen(in_folder(name), "w");
  if (!CHECK(file)) return;
  fputs(text, file);
  fclose(file);
}

static ap_status read_own(ap_robot **robot, ap_error *error) {
  return ap_robot_read(in_folder("robot.xml"), NULL, robot, error);
}

#define FACES "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

TEST(files_are_included) {
  static const char *const names[] = {"parts/assets.xml", "parts/body.xml", "parts/hand.xml",
                                      "parts/tetra.obj",  "parts",          "robot.xml"};
  ap_robot *robot = NULL;
  ap_error error = {0};
  make_folder();
  mkdir(in_folder("parts"), 0700);
  put("robot.xml",
      "<mujoco><compiler meshdir='parts'/>\n<include file='parts/assets.xml'/>\n<asset><model "
      "name='hand' file='parts/hand.xml'/></asset><worldbody><body name='arm'><joint/>\n"
      "<geom type='mesh' mesh='tetra'/><include file='parts/body.xml'/><frame pos='1 0 0'>"
      "<attach model='hand' body='palm' prefix='left/'/></frame><frame pos='-1 0 0'>"
      "<attach model='hand' body='palm' prefix='right/'/></frame></body></worldbody></mujoco>");
  put("parts/assets.xml", "<mujoco><asset><mesh file='tetra.obj'/></asset></mujoco>");
  put("parts/body.xml", "<mujocoinclude><body name='fore'><joint/>" MASS "</body></mujocoinclude>");
  put("parts/hand.xml", "<mujoco><compiler angle='radian'/><worldbody><body name='palm'>" MASS
                        "<body name='finger'><joint name='bend' range='-1 1'/>" MASS
                        "</body><body name='thumb'><joint name='turn'/>" MASS
                        "</body></body></worldbody><equality><joint joint1='turn' "
                        "joint2='bend'/></equality></mujoco>");
  put("parts/tetra.obj", FACES);
  if (CHECK_OK(read_own(&robot, &error))) {
    CHECK(fabs(body_named(robot, "arm")->mass - 1) < 1e-6); // 1000 kg/m3 times 1e-3 m3
    CHECK_STR(body_named(robot, "left/finger")->joint_name, "left/bend");
    CHECK(body_named(robot, "right/finger")->upper == 1); // in radian there, in degree here
    CHECK(body_named(robot, "right/thumb")->mimic > 0);
    CHECK(body_named(robot, "fore")->mass == 1);
  } else {
    printf("  line %d: %s\n", error.line, error.text);
  }
  ap_robot_free(robot);
  put("parts/body.xml", "<mujoco><body name='fore'>\n<joint type='screw'/></body></mujoco>");
  CHECK(read_own(&robot, &error) == AP_E_SYNTAX);
  CHECK_HAS(error.text, "parts/body.xml:2: <joint type=\"screw\"> (expected one of");
  CHECK_EQ_INT(error.line, 4); // of the include in the robot's own file
  remove_folder_of(6, names);
}

TEST(bad_files_in_files) {
  static const struct {
    const char *text, *words;
  } list[] = {
      {"<mujoco><include file='robot.xml'/></mujoco>", "already included"},
      {"<mujoco><include file='a.xml'/><include file='a.xml'/></mujoco>", "already included"},
      {"<mujoco><include file='loop.xml'/></mujoco>", "already included"},
      {"<mujoco><include file='none.xml'/></mujoco>", "there is no file"},
      {"<mujoco><include/></mujoco>", "missing"},
      {"<mujoco><include file='/etc/passwd'/></mujoco>", "no XML file below the robot's folder"},
      {"<mujoco><include file='../../../../../../etc/passwd'/></mujoco>", "\"../"},
      {"<mujoco><include file='text.txt'/></mujoco>", "no XML file below"},
      {"<mujoco><include file='urdf.xml'/></mujoco>", "no <mujoco>"},
      {"<mujoco><include file='cut.xml'/></mujoco>", "cut.xml:2: the file ends too early"},
      {"<mujoco><asset><model name='m' file='self.xml'/></asset></mujoco>", "more than 20 deep"},
  };
  static const char *const names[] = {"a.xml",   "loop.xml", "text.txt", "urdf.xml",
                                      "cut.xml", "self.xml", "robot.xml"};
  make_folder();
  put("a.xml", "<mujoco><worldbody><body>" MASS "</body></worldbody></mujoco>");
  put("loop.xml", "<mujoco><include file='loop.xml'/></mujoco>");
  put("text.txt", "<mujoco/>");
  put("urdf.xml", "<robot name='r'/>");
  put("cut.xml", "<mujoco>\n<body>");
  put("self.xml", "<mujoco><asset><model name='m' file='self.xml'/></asset></mujoco>");
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    ap_robot *robot = NULL;
    ap_error error = {0};
    test_context("%s", list[i].text);
    put("robot.xml", list[i].text);
    CHECK(read_own(&robot, &error) != AP_OK);
    CHECK_HAS(error.text, list[i].words);
    CHECK_EQ_INT(error.line, 1);
    ap_robot_free(robot);
  }
  remove_folder_of(7, names);
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
    expect_refused(r[i].text, strlen(r[i].text), "mjcf", r[i].line, r[i].words);
  }
}
#define CHECK_REFUSALS(list) check_refusals(list, sizeof(list) / sizeof(list)[0])

TEST(what_is_wrong_is_refused) {
  static const refusal list[] = {
      {"<mujoco/>", 1, "no <body>"},
      {MODEL("<joint/>"), 2, "of the world"},
      {MODEL("<body name='a'/><body name='a'/>"), 2, "names of bodies are unique"},
      {MODEL(BODY("<joint name='j'/><joint name='j'/>")), 2, "names of joints are unique"},
      {MODEL(BODY("<joint type='screw'/>")), 2, "expected one of: free ball slide hinge"},
      {MODEL(BODY("<joint axis='0 0 0'/>")), 2, "axis> has length 0 (above 1e-14)"},
      {MODEL(BODY("<joint axis='0 0'/>")), 2, "has 2 numbers (expected 3)"},
      {MODEL(BODY("<joint axis='0 0 x'/>")), 2, "finite decimal number"},
      {MODEL(BODY("<joint range='2 1'/>")), 2, "ends before it begins"},
      {MODEL(BODY("<body><freejoint/></body>")), 2, "only on the world"},
      {MODEL(BODY("<joint class='none'/>")), 2, "class of a <default>"},
      {MODEL("<body quat='0 0 0 0'/>"), 2, "quat> has no length above 1e-14"},
      {MODEL("<body zaxis='0 0 0'/>"), 2, "direction of length 0"},
      {MODEL("<body xyaxes='1 0 0 2 0 0'/>"), 2, "direction of length 0"},
      {MODEL("<body><inertial pos='0 0 0'/></body>"), 2, "without mass"},
      {MODEL("<body>" MASS MASS "</body>"), 2, "a second <inertial>"},
      {MODEL("<body><inertial pos='' mass='1'/></body>"), 2, "<inertial> without pos"},
      {MODEL("<body><inertial pos='0 0 0' mass=''/></body>"), 2, "<inertial> without mass"},
      {MODEL("<body name='world'>" MASS "</body>"), 2, "the ground's"},
      {MODEL("<body quat='1e-200 0 0 0'/>"), 2, "quat> has no length above 1e-14"},
      {MODEL(BODY("<joint axis='1e-200 0 0'/>")), 2, "axis> has length 1e-200"},
      {WITH("<keyframe><key qpos='1 2'/></keyframe>", "<joint/>"), 1, "qpos> has 2 numbers"},
      {WITH("<keyframe><key qpos='up'/></keyframe>", "<joint/>"), 1, "qpos=\"up\"> (expected 1"},
      {WITH("<keyframe><key qvel='1 2'/></keyframe>", "<joint/>"), 1, "qvel> has 2 numbers"},
      {WITH("<actuator><general joint='j' gear='1e308' damping='1'/></actuator>",
            "<joint name='j'/>"),
       1, "squared times damping is beyond the range"},
      {MODEL("<body><joint/><geom type='box' size='1 1'/></body>"), 2, "size> 3 is not above zero"},
      {MODEL("<body><joint/><geom type='mesh' mesh='m'/></body>"), 2, "not among the assets"},
      {MODEL("<flexcomp/>"), 2, "not supported"},
      {MODEL("<attach model='m' prefix='p'/>"), 2, "not among the assets"},
      {MODEL("<replicate/>"), 2, "without count"},
      {WITH("<compiler coordinate='global'/>", ""), 1, "global coordinates"},
      {WITH("<compiler eulerseq='abc'/>", ""), 1, "three letters"},
      {WITH("<compiler autolimits='false'/>", "<joint range='-1 1'/>"), 2, "autolimits"},
      {WITH("<default class='x'/>", ""), 1, "expected \"main\""},
      {WITH("<equality><joint joint1='j'/></equality>", ""), 1, "expected the name of a joint"},
      {WITH("<equality><connect body1='b'/></equality>", "<joint/>"), 1, "without anchor"},
      {WITH("<include file='a.xml'/>", ""), 1, "a text in memory cannot include files"},
      {WITH("<asset><mesh name='m' file='m.obj'/></asset>",
            "<body><joint/><geom type='mesh' mesh='m'/></body>"),
       2, "needs the mesh \"m\": a text in memory has no folder"},
  };
  CHECK_REFUSALS(list);
}

TEST(bombs_are_refused) {
  static const refusal list[] = {
      {MODEL("<replicate count='1e9'><geom size='1'/></replicate>"), 2, "0 to 100000"},
      {MODEL("<replicate count='-1'/>"), 2, "0 to 100000"},
      {MODEL("<replicate count='100000'><replicate count='100000'/></replicate>"), 2,
       "copies counted"},
      {MODEL("<replicate count='99999'><body/><body/></replicate>"), 2, "more than 100000 bodies"},
      {WITH("<default><default class='a'><default class='a'/></default></default>", ""), 1,
       "already defined"},
      {MODEL("<body name='b'><attach body='b' prefix='x'/></body>"), 2, "deep"},
      {"<!DOCTYPE m [<!ENTITY x '1'>]>\n<mujoco model='&x;'/>", 1, "DOCTYPE"},
  };
  CHECK_REFUSALS(list);
  // 150 levels that double: no copy is made before it is counted
  char text[16384] = "<mujoco><worldbody>\n";
  for (int i = 0; i < 150; i++) strcat(text, "<replicate count='2'>");
  strcat(text, "<body/>");
  for (int i = 0; i < 150; i++) strcat(text, "</replicate>");
  strcat(text, "</worldbody></mujoco>");
  expect_refused(text, strlen(text), "mjcf", 2, "copies counted");
}

// ---- warnings ----------------------------------------------------------------------------------

TEST(what_is_not_used_is_named) {
  static const struct {
    const char *text, *words;
  } list[] = {
      {WITH("<sensor><gyro site='s'/></sensor><contact/>", ""),
       "has no effect on rigid-body dynamics: sensor, contact"},
      {WITH("<option density='1.2'/>", ""), "passive force is not used: density"},
      {WITH("", "<joint dampin='1'/>"), "unknown attribute is not used: dampin"},
      {WITH("", "<gem/>"), "unknown element is not used: gem"},
      {WITH("", "<joint type='ball' damping='1' range='0 1'/>"), "range of a ball joint"},
      {WITH("", "<joint type='ball' damping='1' range='0 1'/>"), "several degrees of freedom"},
      {WITH("", "<joint damping='1 2'/>"), "only the linear coefficient"},
      {WITH("", "<joint springdamper='1 1'/>"), "springdamper"},
      {WITH("", "<site name='b'/>"), "was renamed"},
      {"<mujoco><worldbody><body mocap='true'>" MASS "</body></worldbody></mujoco>", "mocap"},
      {MODEL("<body name='b' gravcomp='-1'>" MASS "</body>"), "gravcomp below zero is not used"},
      {WITH("<asset><mesh name='m' inertia='convex' maxhullvert='4' vertex='0 0 0 1 0 0 0 1 0 0 0 "
            "1'/>"
            "</asset>",
            "<body><joint/><geom type='mesh' mesh='m'/></body>"),
       "maxhullvert is not used"},
  };
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%s", list[i].text);
    ap_robot *robot = read_mjcf(list[i].text, plain);
    CHECK(!robot || warns(robot, list[i].words));
    ap_robot_free(robot);
  }
}

// Gravity compensation as MuJoCo has it: none at all unless a body has some above zero, and none
// without springs and dampers. Flags of <option> take forces away.
TEST(passive_forces_that_are_switched_off) {
#define TWO(top, first, second)                                               \
  "<mujoco>" top "<worldbody>\n<body name='a' gravcomp='" first               \
  "'><joint stiffness='2' springref='10' damping='3' frictionloss='4'/>" MASS \
  "</body>\n"                                                                 \
  "<body name='b' gravcomp='" second "'><joint/>" MASS "</body></worldbody></mujoco>"
  static const struct {
    const char *text;
    double compensation, stiffness, viscous, coulomb;
  } list[] = {
      {TWO("", "-1", "0.5"), -1, 2, 3, 4},
      {TWO("", "-1", "0"), 0, 2, 3, 4},
      {TWO("<option><flag spring='disable'/></option>", "1", "0"), 1, 0, 3, 4},
      {TWO("<option><flag damper='disable' frictionloss='disable'/></option>", "1", "0"), 1, 2, 0,
       0},
      {TWO("<option><flag spring='disable' damper='disable'/></option>", "1", "0"), 0, 0, 0, 4},
  };
#undef TWO
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    test_context("%s", list[i].text);
    ap_robot *robot = read_mjcf(list[i].text, plain);
    const ap_body_def *a = robot ? body_named(robot, "a") : NULL;
    if (!CHECK(a)) continue;
    CHECK(a->gravity_compensation == list[i].compensation);
    CHECK(a->stiffness == list[i].stiffness);
    CHECK(a->viscous == list[i].viscous);
    CHECK(a->coulomb == list[i].coulomb);
    ap_robot_free(robot);
  }
}

// Directions of any length that a double has.
TEST(huge_directions) {
  static const char text[] =
      MODEL("<body name='b' quat='1e308 1e308 0 0'><joint axis='1e200 0 1e200' ref='1'/>" MASS
            "</body>"
            "<body name='c' xyaxes='0 1e300 0 -1e300 0 0'><joint/>" MASS "</body>");
  ap_robot *robot = read_mjcf(text, plain);
  if (!robot) return;
  const double half = sqrt(0.5), *R = body_named(robot, "c")->place.matrix;
  CHECK_CLOSE(body_named(robot, "b")->axis[0], half, 1e-15);
  CHECK_CLOSE(R[1], -1, 1e-15);
  CHECK_CLOSE(R[3], 1, 1e-15);
  ap_lint *found = NULL;
  CHECK_OK(ap_lint_text(text, strlen(text), "mjcf", NULL, NULL, &found, NULL));
  for (int i = 0; found && i < ap_lint_findings(found); i++)
    CHECK(!strstr(ap_lint_finding(found, i)->what, "inf"));
  ap_lint_free(found);
  static const char yaml[] =
      "appell: 1\nbodies:\n  - {name: b, joint: {type: revolute, axis: [1e200, 0, 0]}, mass: 1}\n";
  CHECK_OK(ap_lint_text(yaml, strlen(yaml), "yaml", NULL, NULL, &found, NULL));
  for (int i = 0; found && i < ap_lint_findings(found); i++) {
    CHECK(!strstr(ap_lint_finding(found, i)->what, "inf"));
    CHECK(!strstr(ap_lint_finding(found, i)->why, "inf"));
  }
  ap_lint_free(found);
  ap_robot_free(robot);
}

// Closures that all say the same: as many as are allowed, then one line.
TEST(equal_closures) {
  static const char one[] = "<connect body1='b' body2='c' anchor='0.5 0 0.5'/>\n";
  for (int n = 1000; n <= 3000; n += 2000) {
    char *text = malloc(4096 + (size_t)n * sizeof one);
    if (!CHECK(text)) return;
    char *at =
        text + sprintf(text, "<mujoco><worldbody><body name='a'><joint axis='0 1 0'/>" MASS
                             "<body name='b' pos='1 0 0'><joint axis='0 1 0'/>" MASS
                             "</body></body><body name='c' pos='0 0 1'><joint axis='0 1 0'/>" MASS
                             "</body></worldbody><equality>\n");
    for (int i = 0; i < n; i++) at += sprintf(at, "%s", one);
    sprintf(at, "</equality></mujoco>");
    if (n > 2000) {
      expect_refused(text, strlen(text), "mjcf", 2,
                     "rows of closures and 3 velocities are too many");
    } else {
      ap_robot *robot = read_mjcf(text, plain);
      CHECK(robot && ap_robot_mechanism(robot)->ncoordinate == 1);
      ap_robot_free(robot);
    }
    free(text);
  }
}

// ---- the doctor --------------------------------------------------------------------------------

TEST(the_doctor_names_lines_of_mjcf) {
  static const char text[] =
      "<mujoco>\n<worldbody><body name='a'>\n<joint name='j' range='-90 90' axis='0 0 2'/>\n"
      "<inertial pos='0.1 0 0' mass='1' diaginertia='0.1 0.1 5'/>\n"
      "<body name='b' pos='0.2 0 0'><joint name='k'/></body></body></worldbody></mujoco>";
  static const struct {
    const char *rule, *fix;
    int line;
  } expected[] = {{"axis", "axis=\"0 0 1\"", 3},
                  {"inertia-triangle", "fullinertia=\"2.5 2.5 5 0 0 0\"", 4},
                  {"massless", "", 5}};
  ap_lint *found = NULL;
  if (!CHECK_OK(ap_lint_text(text, strlen(text), "mjcf", NULL, NULL, &found, NULL))) return;
  for (int k = 0; k < 3; k++) {
    const ap_finding *f;
    int i = 0;
    while ((f = ap_lint_finding(found, i)) && strcmp(f->rule, expected[k].rule) != 0) i++;
    test_context("%s", expected[k].rule);
    if (!CHECK(f)) continue;
    CHECK_EQ_INT(f->line, expected[k].line);
    CHECK_HAS(f->fix, expected[k].fix);
  }
  ap_lint_free(found);
  CHECK_OK(ap_lint_text("<mujoco/>", 9, "mjcf", NULL, NULL, &found, NULL));
  CHECK(ap_lint_count(found, AP_ERROR) == 1); // what the reader refuses
  ap_lint_free(found);
}

// ---- docs/mjcf.md ------------------------------------------------------------------------------

// The next word of a list with blanks between, without its end; NULL: none.
static const char *next_word(const char *list, char *word, size_t size) {
  list += strspn(list, " ");
  size_t n = strcspn(list, " ");
  if (n == 0 || n >= size) return NULL;
  memcpy(word, list, n);
  word[n] = 0;
  return list + n;
}

// Each attribute stands in the row of its tag, in the column of its use.
static void check_words(const char *cell, const char *list, const char *tag) {
  char word[64], quoted[72];
  while ((list = next_word(list, word, sizeof word))) {
    snprintf(quoted, sizeof quoted, strcmp(word, "*") == 0 ? "all" : "`%s`", word);
    if (!strstr(cell, quoted)) {
      test_context("%s", tag);
      CHECK_STR(cell, quoted);
    }
  }
}

static int count_words(const char *text) {
  int n = 0;
  for (const char *c = text; *c; c++) n += *c == '`';
  return n / 2;
}

static int words_of(const char *list) {
  char word[64];
  int n = 0;
  while ((list = next_word(list, word, sizeof word))) n += strcmp(word, "*") != 0;
  return n;
}

// | `joint` | `body` | used | ... | ... | ... |, where the first two may be lists.
typedef struct row {
  char cells[6][2048];
} row;

static bool read_row(const char *text, row *r) {
  if (strncmp(text, "| `", 3) != 0) return false;
  for (int k = 0; k < 6; k++) {
    text += *text == '|';
    size_t n = strcspn(text, "|\n");
    snprintf(r->cells[k], sizeof r->cells[k], "%.*s", (int)n, text);
    text += n;
  }
  return true;
}

static bool lists(const char *cell, const char *word) {
  char quoted[80];
  snprintf(quoted, sizeof quoted, "`%s`", word);
  return strstr(cell, quoted) != NULL;
}

static bool is_row_of(const row *r, const mjcf_tag *t) {
  const char *in = *t->in == '*' ? "anywhere" : *t->in ? NULL : "the file";
  return lists(r->cells[0], t->tag) &&
         (in ? strstr(r->cells[1], in) != NULL : lists(r->cells[1], t->in));
}

// The one row of a tag says what the table in the code says.
static void check_row(const char *text, const mjcf_tag *t) {
  static const char *const uses[] = {" used ", " passes ", " warned ", " refused "};
  static row r, found;
  int n = 0;
  for (const char *at = text; (at = strchr(at, '\n')); at++)
    if (read_row(at + 1, &r) && is_row_of(&r, t)) found = r, n++;
  test_context("%s in %s", t->tag, t->in);
  if (!CHECK_EQ_INT(n, 1)) return;
  CHECK_STR(found.cells[2], uses[t->use]);
  const char *const words[] = {t->used, t->passed, t->warned};
  for (int k = 0; k < 3; k++) {
    check_words(found.cells[3 + k], words[k], t->tag);
    test_context("%s in %s", t->tag, t->in);
    CHECK_EQ_INT(count_words(found.cells[3 + k]), words_of(words[k]));
  }
}

TEST(the_manual_lists_every_tag) {
  char *text = file_text("docs/mjcf.md", NULL);
  if (!CHECK(text)) return;
  static row r;
  int rows = 0, tags = 0;
  for (const mjcf_tag *t = ap__mjcf_tags; t->tag; t++, tags++) check_row(text, t);
  for (const char *at = text; (at = strchr(at, '\n')); at++) // pairs of tag and parent
    if (read_row(at + 1, &r) && strstr("used passes warned refused ", r.cells[2] + 1))
      rows += count_words(r.cells[0]) * (count_words(r.cells[1]) ? count_words(r.cells[1]) : 1);
  CHECK_EQ_INT(rows, tags);
  free(text);
}
