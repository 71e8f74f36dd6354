// SPDX-License-Identifier: Apache-2.0
// Shapes of links: what URDF and YAML say, in which colour, and which file a mesh is.

#define _XOPEN_SOURCE 700 // for realpath()
#include <appell/file.h>
#include <sys/stat.h>

#include "file/robot.h"
#include "robot_files.h"

#define LINK(inside)  "<robot name='r'>\n<link name='a'>\n" inside "</link>\n</robot>\n"
#define VISUAL(shape) "<visual><geometry>" shape "</geometry></visual>"

static const ap_read_options plain = {.floating = false};

// ---- URDF --------------------------------------------------------------------------------------

TEST(every_kind_of_shape_arrives) {
  ap_robot *robot = read_good(
      LINK("<visual>\n<origin xyz='1 2 3' rpy='0.1 0.2 0.3'/><geometry><box size='4 5 6'/>"
           "</geometry></visual>\n"
           "<collision><geometry><cylinder radius='0.1' "
           "length='0.5'/></geometry></collision>\n" VISUAL("<sphere radius='0.2'/>")
               VISUAL("<mesh filename='m.stl' scale='0.001 0.002 0.003'/>")
                   VISUAL("<mesh filename='n.dae'/>")),
      "urdf", plain);
  if (!robot) return;
  const ap_shape *box = ap_robot_shape(robot, 1, 0), *cylinder = ap_robot_shape(robot, 1, 1);
  const ap_shape *sphere = ap_robot_shape(robot, 1, 2), *mesh = ap_robot_shape(robot, 1, 3);
  CHECK_EQ_INT(ap_robot_shapes(robot), 5);
  CHECK_EQ_INT(box->kind, AP_SHAPE_BOX);
  CHECK_EQ_INT(box->line, 3);
  CHECK_BITS(box->xyz, ((double[]){1, 2, 3}), 3);
  CHECK_BITS(box->rpy, ((double[]){0.1, 0.2, 0.3}), 3);
  CHECK_BITS(box->size, ((double[]){4, 5, 6}), 3);
  CHECK(!box->collision && !box->colored && !box->file);
  CHECK_EQ_INT(cylinder->kind, AP_SHAPE_CYLINDER);
  CHECK(cylinder->collision && cylinder->line == 5);
  CHECK(cylinder->size[0] == 0.1 && cylinder->size[1] == 0.5);
  CHECK_EQ_INT(sphere->kind, AP_SHAPE_SPHERE);
  CHECK(sphere->size[0] == 0.2);
  CHECK_EQ_INT(mesh->kind, AP_SHAPE_MESH);
  CHECK_STR(mesh->file, "m.stl");
  CHECK_BITS(mesh->size, ((double[]){0.001, 0.002, 0.003}), 3);
  CHECK_BITS(ap_robot_shape(robot, 1, 4)->size, ((double[]){1, 1, 1}), 3);
  CHECK(!ap_robot_shape(robot, 1, 5) && !ap_robot_shape(robot, 0, 0) &&
        !ap_robot_shape(robot, 2, 0) && !ap_robot_shape(robot, 1, -1));
  CHECK_STR(mesh_of(robot, 1, 1), "n.dae");
  ap_robot_free(robot);
}

// Of several origins or geometries the first counts.
TEST(a_shape_has_one_place_and_one_geometry) {
  ap_robot *robot = read_good(
      LINK("<visual><origin xyz='1 2 3'/><geometry><sphere radius='0.2'/><box size='4 5 6'/>"
           "</geometry><origin xyz='7 8 9'/></visual>\n"),
      "urdf", plain);
  if (!robot) return;
  const ap_shape *sphere = ap_robot_shape(robot, 1, 0);
  CHECK_EQ_INT(ap_robot_shapes(robot), 1);
  CHECK_EQ_INT(sphere->kind, AP_SHAPE_SPHERE);
  CHECK_BITS(sphere->xyz, ((double[]){1, 2, 3}), 3);
  ap_robot_free(robot);
}

TEST(colours_by_name_before_and_after_their_definition) {
#define COLORED(material) "<visual><geometry><sphere radius='1'/></geometry>" material "</visual>\n"
  ap_robot *robot = read_good(
      "<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material>"
      "<link name='a'>\n" COLORED("<material name='red'/>") COLORED("<material name='blue'/>")
          COLORED("<material name='own'><color rgba='0.1 0.2 0.3 2'/></material>")
              COLORED("<material name='own'/>") COLORED("<material name='nobody'/>") COLORED(
                  "") "</link><material name='blue'><color rgba='0 0 1 0.5'/></material></robot>",
      "urdf", plain);
  if (!robot) return;
  static const double want[4][4] = {
      {1, 0, 0, 1}, {0, 0, 1, 0.5}, {0.1, 0.2, 0.3, 1}, {0.1, 0.2, 0.3, 1}};
  for (int i = 0; i < 6; i++) {
    const ap_shape *shape = ap_robot_shape(robot, 1, i);
    if (!CHECK(shape)) break;
    CHECK_EQ_INT(shape->colored, i < 4);
    if (i < 4) CHECK_BITS(shape->color, want[i], 4);
  }
  ap_robot_free(robot);
}

// Dynamics do not depend on it: whatever it is, the robot is read without a word.
TEST(a_shape_that_cannot_be_read_is_kept_as_none) {
  static const char *const inside[] = {"",
                                       "<geometry/>",
                                       "<geometry><box/></geometry>",
                                       "<geometry><box size='1 2'/></geometry>",
                                       "<geometry><box size='1 2 3 4'/></geometry>",
                                       "<geometry><box size='1 2 x'/></geometry>",
                                       "<geometry><cylinder radius='1'/></geometry>",
                                       "<geometry><sphere radius='1e999'/></geometry>",
                                       "<geometry><capsule radius='1' length='2'/></geometry>",
                                       "<geometry><mesh filename=''/></geometry>",
                                       "<geometry><mesh filename='m' scale='1'/></geometry>",
                                       "<geometry><box size='${x} 1 1'/></geometry>"};
  for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
    char text[300];
    test_context("%s", inside[i]);
    snprintf(text, sizeof text, LINK("<visual name='${n}'>%s</visual>"), inside[i]);
    ap_robot *robot = read_good(text, "urdf", plain);
    if (!robot) continue;
    CHECK_EQ_INT(ap_robot_warnings(robot), 0);
    const ap_shape *shape = ap_robot_shape(robot, 1, 0);
    if (CHECK(shape)) CHECK_EQ_INT(shape->kind, AP_SHAPE_NONE);
    ap_robot_free(robot);
  }
  test_context("%s", "");
}

TEST(shapes_follow_their_links_below_a_new_base) {
  const char *text =
      "appell: 1\nbodies:\n- name: a\n  joint: {type: revolute}\n  inertia: {mass: 1, tensor: [1, "
      "0, 0, 1, 0, 1]}\n  shapes:\n  - {type: sphere, radius: 1}\n...\n";
  ap_robot *robot = read_good(text, "yaml", (ap_read_options){.floating = true});
  if (!robot) return;
  const ap_shape *shape = ap_robot_shape(robot, 2, 0);
  if (CHECK(shape)) {
    CHECK_EQ_INT(shape->body, 2);
    CHECK_EQ_INT(shape->line, 7);
  }
  ap_robot_free(robot);
}

// ---- YAML --------------------------------------------------------------------------------------

TEST(shapes_in_yaml_are_checked) {
  static const char *const bad[][2] = {
      {"{radius: 1}", "type"},
      {"{type: ball, radius: 1}", "unknown"},
      {"{type: box}", "without size"},
      {"{type: box, size: [1, 1, 1], radius: 1}", "radius does not apply"},
      {"{type: cylinder, radius: 1}", "without length"},
      {"{type: sphere, length: 1, radius: 1}", "length does not apply"},
      {"{type: mesh}", "without file"},
      {"{type: sphere, radius: 1, color: [2, 0, 0, 1]}", "from 0 to 1"},
      {"{type: sphere, radius: 1, color: [1, 0, 0]}", "4 numbers"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    char text[300];
    snprintf(text, sizeof text, "appell: 1\nbodies:\n- name: a\n  shapes:\n  - %s\n...\n",
             bad[i][0]);
    expect_refused(text, strlen(text), "yaml", 5, bad[i][1]);
  }
}

TEST(shapes_come_back_from_both_formats) {
  static const char *const from[] = {"tests/fuzz/corpus/urdf/full.urdf",
                                     "tests/fuzz/corpus/yaml/full.yaml"};
  for (int i = 0; i < 2; i++) {
    char *text = file_text(from[i], NULL);
    if (!CHECK(text)) return;
    ap_robot *robot = read_good(text, i ? "yaml" : "urdf", plain);
    free(text);
    ap_robot *back = robot ? through_file(robot, "yaml") : NULL;
    int base = 1;
    if (back) CHECK(same_shapes(robot, back, base));
    ap_robot_free(back);
    back = robot && i == 0 ? through_file(robot, "urdf") : NULL;
    if (back) CHECK(same_shapes(robot, back, base));
    ap_robot_free(back);
    ap_robot_free(robot);
  }
}

// ---- the file of a mesh ------------------------------------------------------------------------

static void make(const char *root, const char *name, const char *text) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  if (CHECK(file)) {
    fputs(text, file);
    fclose(file);
  }
}

static void finds(const char *root, const char *name, const char *robot, const char *want) {
  char from[400], full[400], *path = NULL;
  ap_error error = {0};
  snprintf(from, sizeof from, "%s/%s", root, robot);
  snprintf(full, sizeof full, "%s/%s", root, want);
  test_context("%s", name);
  ap_status status = ap_mesh_find(name, from, &path, &error);
  if (CHECK_EQ_INT(status, AP_OK))
    CHECK_STR(path, full);
  else
    printf("  %s\n", error.text);
  free(path);
}

static void finds_not(const char *root, const char *name, ap_status want, const char *why) {
  char from[400], *path = NULL;
  ap_error error = {0};
  snprintf(from, sizeof from, "%s/arm/urdf/arm.urdf", root);
  test_context("%s", name);
  CHECK_EQ_INT(ap_mesh_find(name, from, &path, &error), want);
  CHECK_HAS(error.text, why);
  CHECK(!path);
}

TEST(meshes_are_found_as_ros_finds_them) {
  char root[200], command[300], variable[600];
  temporary_name(root, sizeof root, "meshes");
  mkdir(root, 0777);
  char *real = realpath(root, NULL);
  if (!CHECK(real)) return;
  make(real, "arm/urdf/arm.urdf", "");
  make(real, "arm/meshes/a.stl", "");
  make(real, "arm/urdf/near.stl", "");
  make(real, "beside/b.obj", "");
  make(real, "renamed-1.2/package.xml", "<package>\n <name> other </name></package>");
  make(real, "renamed-1.2/deep/urdf/r.urdf", "");
  make(real, "renamed-1.2/m/c.dae", "");
  make(real, "ros/repository/far/d.stl", "");
  make(real, "ament/share/two/e.stl", "");
  make(real, "gazebo/world/f.stl", "");
  snprintf(variable, sizeof variable, "/nowhere:%s/ros", real);
  setenv("ROS_PACKAGE_PATH", variable, 1);
  snprintf(variable, sizeof variable, "%s/ament", real);
  setenv("AMENT_PREFIX_PATH", variable, 1);
  snprintf(variable, sizeof variable, "%s/gazebo", real);
  setenv("GAZEBO_MODEL_PATH", variable, 1);
  const char *arm = "arm/urdf/arm.urdf";
  finds(real, "package://arm/meshes/a.stl", arm, "arm/meshes/a.stl");
  finds(real, "$(find arm)/meshes/a.stl", arm, "arm/meshes/a.stl");
  finds(real, "package://beside/b.obj", arm, "beside/b.obj");
  finds(real, "package://other/m/c.dae", "renamed-1.2/deep/urdf/r.urdf", "renamed-1.2/m/c.dae");
  finds(real, "package://far/d.stl", arm, "ros/repository/far/d.stl");
  finds(real, "package://two/e.stl", arm, "ament/share/two/e.stl");
  finds(real, "model://world/f.stl", arm, "gazebo/world/f.stl");
  finds(real, "near.stl", arm, "arm/urdf/near.stl");
  finds(real, "../meshes/a.stl", arm, "arm/urdf/../meshes/a.stl");
  snprintf(variable, sizeof variable, "file://%s/beside/b.obj", real);
  finds(real, variable, arm, "beside/b.obj");
  finds_not(real, "package://arm/meshes/z.stl", AP_E_NOT_FOUND, "\"arm\" has no \"meshes/z.stl\"");
  finds_not(real, "package://nobody/a.stl", AP_E_NOT_FOUND, "ROS_PACKAGE_PATH");
  finds_not(real, "package://", AP_E_UNSUPPORTED, "network");
  finds_not(real, "far.stl", AP_E_NOT_FOUND, "there is no file");
  finds_not(real, "https://x/a.stl", AP_E_UNSUPPORTED, "network");
  test_context("%s", "");
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("AMENT_PREFIX_PATH");
  unsetenv("GAZEBO_MODEL_PATH");
  snprintf(command, sizeof command, "rm -r '%s'", real);
  CHECK_EQ_INT(system(command), 0);
  free(real);
}

// ---- meshes that may go into a report ----------------------------------------------------------

static char place[300]; // the folder of such a test

static void opens(const char *name, const char *robot, const char *meshes, const char *want) {
  char from[400], allowed[400], text[20] = "";
  int file;
  ap_error error = {0};
  test_context("%s of %s", name, robot);
  snprintf(from, sizeof from, "%s/%s", place, robot);
  snprintf(allowed, sizeof allowed, "%s/%s", place, meshes ? meshes : "");
  ap_status status = ap__mesh_open(name, from, meshes ? allowed : "", &file, &error);
  if (want) {
    if (!CHECK_OK(status)) printf("  %s\n", error.text);
    CHECK(file >= 0 && read(file, text, sizeof text - 1) >= 0);
    CHECK_STR(text, want);
  } else {
    CHECK_STATUS(status, AP_E_UNSUPPORTED);
    CHECK_HAS(error.text, "no mesh file below the robot's folder or package (--meshes DIR");
    CHECK_HAS(error.text, name);
    CHECK_EQ_INT(file, -1);
  }
  if (file >= 0) close(file);
}

static void make_link(const char *to, const char *name) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s", place, name);
  CHECK_EQ_INT(symlink(to, path), 0);
}

TEST(meshes_of_reports_stay_with_their_robot) {
  char root[200], name[600];
  temporary_name(root, sizeof root, "inside");
  mkdir(root, 0777);
  char *real = realpath(root, NULL);
  if (!CHECK(real)) return;
  snprintf(place, sizeof place, "%s", real);
  make(real, "secret", "secret");
  make(real, "other/o.stl", "other");
  make(real, "arm/urdf/arm.urdf", "");
  make(real, "arm/urdf/near.stl", "near");
  make(real, "arm/urdf/notes.txt", "notes");
  make(real, "arm/meshes/a.stl", "a");
  make_link("arm", "checkout");
  make_link("../../secret", "arm/urdf/key.stl");
  make_link("../../other/o.stl", "arm/urdf/o.stl");
  make_link("../../other", "arm/urdf/folder");
  make_link("notes.txt", "arm/urdf/notes.stl");
  const char *arm = "arm/urdf/arm.urdf";
  opens("near.stl", arm, NULL, "near");
  opens("near.stl", "checkout/urdf/arm.urdf", NULL, "near");
  opens("key.stl", arm, NULL, NULL);
  opens("o.stl", arm, NULL, NULL);
  opens("folder/o.stl", arm, NULL, NULL);
  opens("notes.stl", arm, NULL, NULL);
  opens("key.stl", arm, "", NULL); // a mesh has the ending of one wherever it is
  opens("o.stl", arm, "other", "other");
  opens("o.stl", arm, "arm", NULL);
  opens("../../other/o.stl", arm, NULL, NULL);
  opens("../meshes/a.stl", arm, NULL, NULL);
  opens("../meshes/a.stl", arm, "arm/meshes", "a");
  opens("package://arm/meshes/a.stl", arm, NULL, NULL); // nor does its name make a package
  opens("package://urdf/near.stl", arm, NULL, "near");
  opens("package://arm/../other/o.stl", arm, NULL, NULL);
  opens("package://other/o.stl", arm, NULL, NULL); // any folder could be called so
  opens("package://../other/o.stl", arm, NULL, NULL);
  snprintf(name, sizeof name, "file://%s/other/o.stl", real);
  opens(name, arm, NULL, NULL);
  opens(name + strlen("file://"), arm, NULL, NULL);
  snprintf(name, sizeof name, "file://%s/arm/urdf/near.stl", real);
  opens(name, arm, NULL, "near");
  make(real, "arm/package.xml", "<package><name>arm</name></package>");
  opens("package://arm/meshes/a.stl", arm, NULL, "a");
  make(real, "other/package.xml", "<package><name>other</name></package>");
  opens("../meshes/a.stl", arm, NULL, "a");
  opens("../meshes/a.stl", "checkout/urdf/arm.urdf", NULL, "a");
  opens("../../other/o.stl", arm, NULL, NULL);
  opens("package://other/o.stl", arm, NULL, "other");
  test_context("%s", "");
  snprintf(name, sizeof name, "rm -r '%s'", real);
  CHECK_EQ_INT(system(name), 0);
  free(real);
}

TEST(meshes_of_the_environment_and_of_home) {
  char root[200], name[600];
  temporary_name(root, sizeof root, "around");
  mkdir(root, 0777);
  char *real = realpath(root, NULL), *home = getenv("HOME");
  if (!CHECK(real)) return;
  home = home ? strdup(home) : NULL;
  snprintf(place, sizeof place, "%s", real);
  make(real, "secret", "secret");
  make(real, "me/private.stl", "private");
  make(real, "me/downloads/r.urdf", "");
  make(real, "source/two/e.stl", "e");
  make(real, "ament/share/two/plain.stl", "plain");
  make_link("../../../source/two/e.stl", "ament/share/two/e.stl"); // as colcon installs
  make_link("../../../secret", "ament/share/two/key.stl");
  snprintf(name, sizeof name, "%s/ament", real);
  setenv("AMENT_PREFIX_PATH", name, 1);
  snprintf(name, sizeof name, "%s/me", real);
  setenv("HOME", name, 1);
  const char *robot = "me/downloads/r.urdf";
  opens("package://two/plain.stl", robot, NULL, "plain");
  opens("package://two/e.stl", robot, NULL, "e");
  opens("package://two/key.stl", robot, NULL, NULL);
  opens("package://two/../../../source/two/e.stl", robot, NULL, NULL);
  opens("package://me/private.stl", robot, NULL, NULL);
  unsetenv("AMENT_PREFIX_PATH");
  if (home) setenv("HOME", home, 1);
  free(home);
  test_context("%s", "");
  snprintf(name, sizeof name, "rm -r '%s'", real);
  CHECK_EQ_INT(system(name), 0);
  free(real);
}
