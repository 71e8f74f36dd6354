// SPDX-License-Identifier: Apache-2.0
// The model doctor: a robot without findings, and for every rule the same robot with one mistake.

#include <appell/lint.h>

#include <sys/stat.h>

#include "lint_robot.h"

// ---- clean robots ------------------------------------------------------------------------------

TEST(a_good_robot_has_no_finding) { is_clean(good, "urdf"); }

TEST(good_robots_of_the_repository) {
  static const char *const files[] = {"models/two_link.urdf", "models/scara.yaml",
                                      "models/quadruped.yaml", "models/rod.yaml"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    test_context("%s", files[i]);
    ap_lint *found = NULL;
    CHECK_OK(ap_lint_file(files[i], NULL, &found, NULL));
    if (found && !CHECK_EQ_INT(ap_lint_findings(found), 0)) print_all(found);
    ap_lint_free(found);
  }
}

// No built-in robot has an error; what the papers print is otherwise as it is.
TEST(built_in_robots) {
  for (int i = 0; ap_builtin_name(i) || ap_mechanism_builtin_name(i); i++) {
    for (int k = 0; k < 2; k++) {
      const char *name = k ? ap_mechanism_builtin_name(i) : ap_builtin_name(i);
      if (!name) continue;
      test_context("%s", name);
      ap_lint *found = NULL;
      CHECK_OK(ap_lint_builtin(name, NULL, &found, NULL));
      if (found && !CHECK_EQ_INT(ap_lint_count(found, AP_ERROR), 0)) print_all(found);
      ap_lint_free(found);
    }
  }
}

// They have no lines, and no finding speaks of one.
TEST(built_in_robots_have_no_lines) {
  ap_lint *found = NULL;
  CHECK_OK(ap_lint_builtin("five-bar", NULL, &found, NULL));
  if (found) finding(found, "mirror-mass", 0);
  for (int i = 0; found && i < ap_lint_findings(found); i++) {
    CHECK_EQ_INT(ap_lint_finding(found, i)->line, 0);
    CHECK(strstr(ap_lint_finding(found, i)->what, "line") == NULL);
  }
  ap_lint_free(found);
}

// ---- the file ----------------------------------------------------------------------------------

TEST(syntax) {
  mistake("</joint>\n</robot>", "</joint\n</robot>", "</robot>", "syntax", AP_ERROR, "not XML");
  // what comes before is examined all the same
  char *text = replaced(good, "<mass value='5'/>", "<mass value='-5'/>");
  char *cut = replaced(text, "<joint name='right_wrist'", "<joint name=right_wrist");
  ap_lint *found = examine(cut, "urdf", NULL);
  if (found) {
    finding(found, "syntax", line_of(cut, "<joint name=right_wrist"));
    finding(found, "mass-negative", line_of(cut, "<mass value='-5'/>"));
    for (int i = 0; i < ap_lint_findings(found); i++)
      CHECK(strcmp(ap_lint_finding(found, i)->rule, "disconnected") != 0);
  }
  ap_lint_free(found);
  free(cut);
  free(text);
  found = examine("", "urdf", NULL);
  const ap_finding *empty = found ? finding(found, "syntax", 0) : NULL;
  if (empty) CHECK_HAS(empty->what, "the file is empty");
  ap_lint_free(found);
}

TEST(refused) {
  mistake("<link name='base'>", "<xacro:include filename='x'/><link name='base'>", NULL, "refused",
          AP_ERROR, "xacro");
  mistake("<origin xyz='0 -0.4 0'/>", "<origin xyz='0 -0.4 0'/><origin xyz='0 0 0'/>", NULL,
          "refused", AP_ERROR, "second <origin>");
}

TEST(numbers) {
  mistake("<mass value='5'/>", "<mass value='5,5'/>", NULL, "bad-number", AP_ERROR, "\"5.5\"");
  mistake("<mass value='5'/>", "<mass value='5 kg'/>", NULL, "bad-number", AP_ERROR, "write \"5\"");
  mistake("xyz='0 0.2 0'", "xyz='0 0.2'", NULL, "bad-number", AP_ERROR, "2 numbers instead of 3");
  mistake("xyz='0 0.2 0'", "xyz='0, 0.2, 0'", NULL, "bad-number", AP_ERROR, "write \"0");
  mistake("velocity='3'", "velocity='nan'", NULL, "bad-number", AP_ERROR, "finite");
  mistake("<mass value='5'/>", "<mass value='1e308'/>", NULL, "bad-number", AP_ERROR,
          "beyond 1e+30");
}

TEST(missing_parts) {
  mistake("<mass value='5'/>", "", "<inertial><origin xyz='0 0 0.05'/>", "missing-part", AP_ERROR,
          "<mass");
  mistake("<parent link='left_arm'/>", "", "<joint name='left_wrist'", "missing-part", AP_ERROR,
          "<parent link");
  mistake("<axis xyz='1 0 0'/>", "<axis/>", NULL, "missing-part", AP_ERROR, "axis");
  mistake(" type='revolute'><parent link='left_arm'/>", "><parent link='left_arm'/>", NULL,
          "missing-part", AP_ERROR, "type");
}

TEST(unknown_elements) {
  mistake("<dynamics damping='0.1' friction='0.2'/>", "<dynamic damping='0.1' friction='0.2'/>",
          NULL, "unknown-element", AP_WARNING, "<dynamics>");
  mistake("<link name='base'>\n", "<link name='base'><mass value='1'/>\n", NULL, "unknown-element",
          AP_WARNING, "move it into <inertial>");
  mistake("<link name='base'>\n", "<link name='base'><zebra/>\n", NULL, "unknown-element", AP_NOTE,
          "zebra");
}

TEST(unknown_attributes) {
  mistake("damping='0.1'", "dampin='0.1'", NULL, "unknown-attribute", AP_WARNING, "damping");
  mistake("damping='0.1'", "zebra='0.1' lion='2'", NULL, "unknown-attribute", AP_NOTE, "lion");
}

TEST(ignored) {
  mistake("</robot>", "<gazebo><implicitSpringDamper>1</implicitSpringDamper></gazebo>\n</robot>",
          NULL, "ignored", AP_NOTE, "<gazebo>");
  mistake("</robot>", "<foo:bar/>\n</robot>", NULL, "ignored", AP_NOTE, "foo:bar");
  mistake("</robot>",
          "<gazebo reference='left_hand'><springStiffness>3</springStiffness></gazebo></robot>",
          NULL, "ignored-dynamics", AP_WARNING, "spring");
}

// ---- meshes ------------------------------------------------------------------------------------

// A tetrahedron with edges of that length along the axes.
static void write_mesh(const char *path, double edge) {
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL)) return;
  const double e = edge, p[4][3] = {{0, 0, 0}, {e, 0, 0}, {0, e, 0}, {0, 0, e}};
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  fprintf(file, "solid t\n");
  for (int i = 0; i < 4; i++) {
    fprintf(file, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++) {
      const double *v = p[face[i][k]];
      fprintf(file, "vertex %.9g %.9g %.9g\n", v[0], v[1], v[2]);
    }
    fprintf(file, "endloop\nendfacet\n");
  }
  fprintf(file, "endsolid t\n");
  fclose(file);
}

// A name is shown whole, or so that one sees that it is not.
TEST(long_names_of_meshes) {
  char name[400] = "package://some_robot_description/", from[440];
  memset(name + strlen(name), 'm', 60);
  memcpy(name + 93, "/end.stl", 9);
  for (int i = 0; i < 2; i++) {
    snprintf(from, sizeof from, "<mesh filename='%s'/>", name);
    char *text = replaced(good, "<box size='0.3 0.3 0.1'/>", from), whole[440];
    ap_lint *found = examine(text, "urdf", "tests");
    const ap_finding *f = found ? finding(found, "mesh-missing", 0) : NULL;
    snprintf(whole, sizeof whole, "\"%s\" does not exist", name);
    if (f && i == 0) CHECK_HAS(f->what, whole);
    if (f && i == 1) CHECK_HAS(f->what, "\"package://some_robot_description/");
    if (f && i == 1) CHECK_HAS(f->what, "mm...mm");
    if (f && i == 1) CHECK_HAS(f->what, "/end.stl\" does not exist");
    ap_lint_free(found);
    free(text);
    memset(name + 93, 'm', 200);
    memcpy(name + 293, "/end.stl", 9);
  }
}

TEST(meshes) {
  char folder[] = "/tmp/appell-lint-XXXXXX", path[64];
  if (!CHECK(mkdtemp(folder) != NULL)) return;
  snprintf(path, sizeof path, "%s/part.stl", folder);
  char *text = replaced(good, "<box size='0.3 0.3 0.1'/>", "<mesh filename='part.stl'/>");
  int line = line_of(text, "part.stl");
  ap_lint *found = examine(text, "urdf", folder);
  if (found) finding(found, "mesh-missing", line);
  ap_lint_free(found);
  write_mesh(path, 300); // millimetres
  found = examine(text, "urdf", folder);
  const ap_finding *f = found ? finding(found, "mesh-scale", line) : NULL;
  if (f) CHECK_HAS(f->fix, "0.001 0.001 0.001");
  ap_lint_free(found);
  write_mesh(path, 0.3);
  found = examine(text, "urdf", folder);
  // The box of the mesh goes from 0 to 0.3: the centre of mass, at 0 0 0.05, is at its edge.
  if (found && !CHECK_EQ_INT(ap_lint_findings(found), 0)) print_all(found);
  ap_lint_free(found);
  free(text);
  remove(path);
  rmdir(folder);
}

// ---- structure ---------------------------------------------------------------------------------

TEST(structure) {
  char *text = replaced(good, "<link name='right_hand'>", "<link name='left_hand'>");
  ap_lint *found = examine(text, "urdf", NULL);
  if (found) finding(found, "duplicate-name", 22);
  ap_lint_free(found);
  free(text);
  mistake("<joint name='right_wrist'", "<joint name='left_wrist'",
          "<joint name='left_wrist' "
          "type='revolute'><parent link='right_arm'/>",
          "duplicate-name", AP_ERROR, "left_wrist");
  mistake("<child link='right_hand'/>", "<child link='right_hend'/>", NULL, "unknown-link",
          AP_ERROR, "\"right_hand\"");
  mistake("<child link='right_hand'/>", "<child link='left_hand'/>", "<joint name='right_wrist'",
          "two-parents", AP_ERROR, "left_wrist");
  mistake("</robot>", "<link name='lost'/></robot>", NULL, "disconnected", AP_ERROR, "lost");
  mistake("</robot>",
          "<link name='p'/><link name='q'/>\n"
          "<joint name='pq' type='fixed'><parent link='p'/><child link='q'/></joint>\n"
          "<joint name='qp' type='fixed'><parent link='q'/><child link='p'/></joint></robot>",
          "<joint name='qp'", "cycle", AP_ERROR, "its own parent");
  mistake("type='revolute'><parent link='left_arm'/>", "type='revolut'><parent link='left_arm'/>",
          NULL, "joint-type", AP_ERROR, "revolute");
  mistake("type='revolute'><parent link='left_arm'/>", "type='hinge'><parent link='left_arm'/>",
          NULL, "joint-type", AP_ERROR, "revolute");
  mistake("<link name='base'>", "<link name='b a s e'/><link name='base'>", NULL, "name-characters",
          AP_NOTE, "blanks");
}

// ---- mass and inertia --------------------------------------------------------------------------

TEST(masses) {
  mistake("<mass value='5'/>", "<mass value='-5'/>", NULL, "mass-negative", AP_ERROR,
          "value=\"5\"");
  mistake(
      "<inertial><origin xyz='0 0 -0.1'/><mass value='0.5'/>\n"
      "<inertia ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'/>"
      "</inertial>\n",
      "", "<link name='left_hand'>", "massless", AP_ERROR, "cannot be simulated");
  mistake("<mass value='0.5'/>", "<mass value='0'/>", "<link name='left_hand'>", "massless",
          AP_ERROR, "may be singular");
  mistake("<mass value='0.5'/>", "<mass value='50'/>", NULL, "density", AP_WARNING, "kg/m3");
}

TEST(inertias) {
  mistake("izz='0.075'", "izz='-0.075'", NULL, "inertia-negative", AP_ERROR, "sign?");
  mistake("izz='0.075'", "izz='-0.075'", NULL, "inertia-negative", AP_ERROR, "izz=\"0.075\"/>");
  mistake("izz='0.075'", "izz='0.75'", NULL, "inertia-triangle", AP_ERROR, "izz=\"0.075\"");
  mistake("izz='0.075'", "izz='0.085'", NULL, "inertia-triangle", AP_NOTE, "sum");
  mistake("ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
          "ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'", NULL, "inertia-zero", AP_WARNING,
          "left_wrist");
  mistake("ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
          "ixx='0.03' ixy='0' ixz='0' iyy='0.031' iyz='0' izz='0.02'", NULL, "inertia-gyration",
          AP_WARNING, "radius of gyration");
  mistake("ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
          "ixx='0.000017792' ixy='0' ixz='0' iyy='0.000017792' iyz='0' izz='0.00000225'", NULL,
          "inertia-shape", AP_WARNING, "100 times smaller");
  mistake("xyz='0 0 -0.1'/><mass value='0.5'", "xyz='0 0.3 -0.1'/><mass value='0.5'", NULL,
          "com-outside", AP_WARNING, "0.27 m outside");
}

// The mended tensor is the nearest possible one: on the edge of the triangle inequality.
TEST(the_fix_of_an_inertia_is_a_body) {
  char *text = replaced(good, "izz='0.075'", "izz='0.75'");
  ap_lint *found = examine(text, "urdf", NULL);
  const ap_finding *f = found ? finding(found, "inertia-triangle", 0) : NULL;
  double I[6] = {0};
  if (f && CHECK_EQ_INT(sscanf(f->fix,
                               "<inertia ixx=\"%lf\" ixy=\"%lf\" ixz=\"%lf\" iyy=\"%lf\" "
                               "iyz=\"%lf\" izz=\"%lf\"/>",
                               &I[0], &I[1], &I[2], &I[3], &I[4], &I[5]),
                        6)) {
    CHECK_CLOSE(I[0] + I[3], I[5], 1e-5);
    CHECK(I[0] > 0.0416667 && I[5] <= 0.75);
  }
  ap_lint_free(found);
  free(text);
}

TEST(about_the_wrong_point) {
  // m c^2 = 2 * 0.04 about x and z
  mistake("ixx='0.0270833' ixy='0' ixz='0' iyy='0.000833333' iyz='0' izz='0.02708331'",
          "ixx='0.1070833' ixy='0' ixz='0' iyy='0.000833333' iyz='0' izz='0.10708331'", NULL,
          "inertia-frame", AP_WARNING, "ixx=\"0.0270833\"");
}

TEST(made_up_numbers) {
  mistake("ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
          "ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'", NULL, "inertia-placeholder",
          AP_WARNING, "0.1 times the unit matrix");
  mistake("ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
          "ixx='0.0270833' ixy='0' ixz='0' iyy='0.000833333' iyz='0' izz='0.02708331'",
          "<inertia ixx='0.0270833' ixy='0' ixz='0' iyy='0.000833333' iyz='0' "
          "izz='0.02708331'/></inertial>\n<collision>",
          "inertia-repeated", AP_WARNING, "left_hand, left_arm");
}

TEST(decimal_points) {
  mistake("<mass value='0.5'/>", "<mass value='5.0'/>", NULL, "decimal-point", AP_WARNING,
          "value=\"0.5\"");
  mistake("ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
          "ixx='0.17792' ixy='0' ixz='0' iyy='0.17792' iyz='0' izz='0.0225'", NULL, "decimal-point",
          AP_WARNING, "10^2");
}

// A finding for several links is that of the link whose fix it gives: 5 kg of the base feel
// nothing of it, as the base does not move.
TEST(a_fix_belongs_to_its_subject) {
  char *one = replaced(good, "ixx='0.0416667' ixy='0' ixz='0' iyy='0.0416667' iyz='0' izz='0.075'",
                       "ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'");
  char *text =
      replaced(one, "ixx='0.0017792' ixy='0' ixz='0' iyy='0.0017792' iyz='0' izz='0.000225'",
               "ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1' a='hand'");
  ap_lint *found = examine(text, "urdf", NULL);
  const ap_finding *f =
      found ? finding(found, "inertia-placeholder", line_of(text, "a='hand'")) : NULL;
  if (f) CHECK_STR(f->subject, "left_hand");
  if (f) CHECK_HAS(f->what, "left_hand, base");
  if (f) CHECK_HAS(f->fix, "ixx=\"0.00177917\"");
  ap_lint_free(found);
  free(text);
  free(one);
}

// Of a series of links one is off by a power of ten.
TEST(series) {
  char text[8192] = "<robot name='s'><link name='base'/>\n";
  size_t n = strlen(text);
  for (int i = 1; i <= 5; i++)
    n += (size_t)snprintf(
        text + n, sizeof text - n,
        "<link name='part%d'>\n<inertial><origin xyz='0.05 0 0'/><mass value='%s'/>\n"
        "<inertia ixx='1.1e-4' ixy='0' ixz='0' iyy='%de-5' iyz='0' izz='4e-4'/></inertial></link>\n"
        "<joint name='j%d' type='revolute'><parent link='%s%.0d'/><child link='part%d'/>"
        "<origin xyz='0.1 0 0'/><axis xyz='0 0 1'/>"
        "<limit lower='-1' upper='1' effort='50' velocity='2'/></joint>\n",
        i, i == 3 ? "2.2" : "0.22", 30 + i, i, i == 1 ? "base" : "part", i - 1, i);
  snprintf(text + n, sizeof text - n, "</robot>\n");
  ap_lint *found = examine(text, "urdf", NULL);
  const ap_finding *f =
      found ? finding(found, "decimal-point",
                      line_of(text, "<mass value='2.2'/>") ? line_of(text, "value='2.2'") : 0)
            : NULL;
  if (f) CHECK_HAS(f->fix, "0.22");
  ap_lint_free(found);
}

// ---- left and right ----------------------------------------------------------------------------

TEST(left_and_right) {
  mistake("<mass value='2'/>", "<mass value='2.2'/>", NULL, "mirror-mass", AP_WARNING, "right_arm");
  mistake("<origin xyz='0 0.2 0'/><mass value='2'/>", "<origin xyz='0 0.2 0.02'/><mass value='2'/>",
          NULL, "mirror-com", AP_WARNING, "0.02 m");
  mistake("ixx='0.0270833' ixy='0' ixz='0' iyy='0.000833333' iyz='0' izz='0.02708331'",
          "ixx='0.0500' ixy='0' ixz='0' iyy='0.0015' iyz='0.004' izz='0.0490'", NULL,
          "mirror-inertia", AP_WARNING, "right_arm");
  mistake("<origin xyz='0 0.4 0'/>", "<origin xyz='0 0.44 0'/>", NULL, "mirror-origin", AP_WARNING,
          "0.04 m");
  mistake("upper='1.5' effort='40'", "upper='1.7' effort='40'", NULL, "mirror-limit", AP_WARNING,
          "right_shoulder");
  mistake("effort='40'", "effort='60'", NULL, "mirror-limit", AP_WARNING, "effort 60 and 40");
}

// ---- joints ------------------------------------------------------------------------------------

TEST(axes) {
  mistake("<axis xyz='1 0 0'/>", "<axis xyz='0 0 0'/>", NULL, "axis", AP_ERROR, "0 0 0");
  mistake("<axis xyz='1 0 0'/>", "<axis xyz='2 0 0'/>", NULL, "axis", AP_WARNING, "xyz=\"1 0 0\"");
  mistake("<origin xyz='0 0.15 0.05'/>", "<origin xyz='0 0.15 0.05' quat_xyzw='0 0 0 1.2'/>", NULL,
          "rotation", AP_WARNING, "length 1.2");
}

TEST(limits) {
  mistake("lower='-1' upper='1.5'", "lower='1.5' upper='-1'", NULL, "limit-inverted", AP_ERROR,
          "lower=\"-1\" upper=\"1.5\"");
  mistake("lower='-1' upper='1.5'", "lower='0' upper='0'", NULL, "limit-empty", AP_WARNING,
          "fixed");
  mistake("<limit lower='-1' upper='1.5' effort='40' velocity='3'/>", "",
          "<joint name='left_shoulder'", "limit-empty", AP_WARNING, "continuous");
  mistake("lower='-1' upper='1.5'", "lower='-90' upper='90'", NULL, "limit-unit", AP_WARNING,
          "lower=\"-1.5708\"");
  mistake("lower='-1' upper='1.5'", "lower='0.2' upper='1.5'", NULL, "limit-zero", AP_NOTE, "0.2");
  mistake("effort='40'", "effort='0'", NULL, "limit-effort", AP_WARNING, "effort");
  mistake("velocity='3'", "velocity='-3'", NULL, "limit-effort", AP_WARNING, "negative");
  mistake("<origin xyz='0 0.4 0'/>",
          "<origin xyz='0 0.4 0'/><mimic joint='left_shoulder' multiplier='2' offset='0'/>", NULL,
          "limit-mimic", AP_WARNING, "-2 to 3 rad");
  mistake("damping='0.1'", "damping='-0.1'", NULL, "friction-negative", AP_ERROR,
          "damping=\"0.1\"");
}

TEST(springs) {
#define SPRING(k, rest)                                                                           \
  "<gazebo reference='left_wrist'><springStiffness>" k "</springStiffness><springReference>" rest \
  "</springReference></gazebo>\n</robot>"
  mistake("</robot>", SPRING("-3", "0"), NULL, "spring-negative", AP_ERROR,
          "<springStiffness>3</springStiffness>");
  mistake("</robot>", SPRING("3", "1.5"), NULL, "spring-rest", AP_NOTE, "0.9 N m");
#undef SPRING
}

TEST(rotors) {
  static const char drive[] =
      "<transmission name='t'><type>SimpleTransmission</type><joint name='left_wrist'/>\n"
      "<actuator name='m'><mechanicalReduction>%s</mechanicalReduction>\n"
      "<motorInertia>%s</motorInertia></actuator></transmission>\n</robot>";
  char text[512];
  snprintf(text, sizeof text, drive, "100", "-0.1");
  mistake("</robot>", text, "<motorInertia>", "rotor", AP_ERROR, "-0.1");
  snprintf(text, sizeof text, drive, "100", "0.2");
  mistake("</robot>", text, "<motorInertia>", "rotor", AP_WARNING, "2e+03 kg m2");
  // Drake's own words for the same
  mistake("</robot>",
          "<transmission name='t'><joint name='left_wrist'/><actuator name='m'>\n"
          "<drake:gear_ratio value='100'/><drake:rotor_inertia value='0.2'/></actuator>"
          "</transmission>\n</robot>",
          "<drake:rotor_inertia", "rotor", AP_WARNING, "2e+03 kg m2");
}

// A stretched planar arm: the worst torque at the shoulder is known in closed form.
TEST(gravity_at_its_worst) {
  static const char text[] =
      "<robot name='arm'><link name='base'/>\n"
      "<link name='upper'><inertial><origin xyz='0.3 0 0'/><mass value='4'/>"
      "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.13' iyz='0' izz='0.125'/></inertial></link>\n"
      "<link name='lower'><inertial><origin xyz='0.2 0 0'/><mass value='3'/>"
      "<inertia ixx='0.005' ixy='0' ixz='0' iyy='0.05' iyz='0' izz='0.047'/></inertial></link>\n"
      "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/>"
      "<axis xyz='0 1 0'/>\n<limit effort='20' velocity='3'/></joint>\n"
      "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/>"
      "<origin xyz='0.6 0 0'/><axis xyz='0 1 0'/>\n"
      "<limit lower='-2' upper='2' effort='8' velocity='3'/></joint></robot>\n";
  ap_lint *found = examine(text, "urdf", NULL);
  const ap_finding *f =
      found ? finding(found, "effort-gravity", line_of(text, "effort='20'")) : NULL;
  if (f) CHECK_CLOSE(f->effect.largest, 9.81 * (4 * 0.3 + 3 * 0.8), 1e-9);
  f = found ? finding(found, "effort-gravity", 0) : NULL;
  // the elbow holds 9.81 * 3 * 0.2 = 5.886 N m: below its 8
  for (int i = 0; found && i < ap_lint_findings(found); i++)
    CHECK(strcmp(ap_lint_finding(found, i)->subject, "elbow") != 0);
  ap_lint_free(found);
}

// ---- the whole ---------------------------------------------------------------------------------

TEST(single_precision) {
  // as ascher2, which was made to show it: a heavy link at the end of a light one
  static const char text[] =
      "appell: 1\nbodies:\n"
      "  - {name: light, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 0.01, com: "
      "[1e-3, "
      "0, 0], tensor: [1e-9, 0, 0, 1e-8, 0, 1e-8]}}\n"
      "  - {name: heavy, parent: light, joint: {type: revolute, axis: [0, 1, 0], place: {xyz: "
      "[2e-3, 0, "
      "0]}}, inertia: {mass: 10, com: [1, 0, 0], tensor: [0.01, 0, 0, 3.3, 0, 3.3]}}\n...\n";
  ap_lint *found = examine(text, "yaml", NULL);
  const ap_finding *f = found ? finding(found, "single-precision", 0) : NULL;
  if (f) CHECK_HAS(f->why, "binary128");
  if (f) CHECK_HAS(f->fix, "\"heavy\" and \"light\"");
  ap_lint_free(found);
}

TEST(rules_can_be_left_out) {
  static const char *const off[] = {"mass-negative"};
  static const char *const wrong[] = {"mass"};
  char *text = replaced(good, "<mass value='5'/>", "<mass value='-5'/>");
  ap_lint_options options = {.disabled = off, .ndisabled = 1};
  ap_lint *found = NULL;
  ap_error error = {0};
  CHECK_OK(ap_lint_text(text, strlen(text), "urdf", NULL, &options, &found, &error));
  for (int i = 0; found && i < ap_lint_findings(found); i++)
    CHECK(strcmp(ap_lint_finding(found, i)->rule, off[0]) != 0);
  // the reader refuses the file: an error remains
  CHECK(found && ap_lint_count(found, AP_ERROR) > 0);
  ap_lint_free(found);
  options.disabled = wrong;
  CHECK_STATUS(ap_lint_text(text, strlen(text), "urdf", NULL, &options, &found, &error),
               AP_E_NOT_FOUND);
  CHECK_STATUS(ap_lint_text(text, strlen(text), "sdf", NULL, NULL, &found, &error), AP_E_ARG);
  CHECK_STATUS(ap_lint_file("nowhere.urdf", NULL, &found, &error), AP_E_FILE);
  CHECK_STATUS(ap_lint_file("nowhere.txt", NULL, &found, &error), AP_E_ARG);
  CHECK_STATUS(ap_lint_builtin("nobody", NULL, &found, &error), AP_E_NOT_FOUND);
  free(text);
}

// Quick or not, what does not need motion is found.
TEST(quick) {
  char *text = replaced(good, "izz='0.075'", "izz='0.75'");
  ap_lint_options options = {.quick = true};
  ap_lint *found = NULL;
  CHECK_OK(ap_lint_text(text, strlen(text), "urdf", NULL, &options, &found, NULL));
  const ap_finding *f = found ? finding(found, "inertia-triangle", 0) : NULL;
  if (f) CHECK(f->effect.joint == NULL);
  ap_lint_free(found);
  free(text);
}

// Findings come in the order of lines, and every rule that they name exists.
TEST(order_and_names) {
  char *text = replaced(good, "<mass value='5'/>", "<mass value='-5'/>");
  char *more = replaced(text, "lower='-1.2' upper='1.20'", "lower='1.2' upper='-1.2'");
  ap_lint *found = examine(more, "urdf", NULL);
  for (int i = 0; found && i < ap_lint_findings(found); i++) {
    const ap_finding *f = ap_lint_finding(found, i);
    CHECK(ap_lint_find_rule(f->rule) != NULL);
    if (i > 0) CHECK(ap_lint_finding(found, i - 1)->line <= f->line);
  }
  CHECK(found && ap_lint_count(found, AP_ERROR) == 2);
  CHECK(found && ap_lint_finding(found, -1) == NULL);
  ap_lint_free(found);
  free(more);
  free(text);
}

// ---- YAML --------------------------------------------------------------------------------------

static void yaml_mistake(const char *path, const char *from, const char *to, const char *rule,
                         const char *words) {
  char *whole = file_text(path, NULL);
  if (!CHECK(whole != NULL)) return;
  char *text = replaced(whole, from, to);
  test_context("%s: %.60s", rule, to);
  ap_lint *found = examine(text, "yaml", NULL);
  const ap_finding *f = found ? finding(found, rule, 0) : NULL;
  char all[2048] = "";
  if (f) snprintf(all, sizeof all, "%s | %s | %s", f->what, f->why, f->fix);
  if (f) CHECK_HAS(all, words);
  if (f && *to) CHECK_EQ_INT(f->line, line_of(text, to));
  ap_lint_free(found);
  free(text);
  free(whole);
  test_context("%s", "");
}

TEST(yaml) {
  is_clean(
      "appell: 1\nbodies:\n  - name: a\n    joint: {type: revolute}\n"
      "    inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.001, 0, 0, 0.004, 0, 0.0045]}\n...\n",
      "yaml");
  static const char file[] = "models/scara.yaml";
  yaml_mistake(file, "bodies:", "bodys:", "unknown-element", "bodies:");
  yaml_mistake(file, "bodies:", "links:", "unknown-element", "bodies:"); // URDF's word
  yaml_mistake("models/puma600_drives.yaml", "coulomb: 6}", "coulomb: 6, static: 5}",
               "friction-static", "static: 6");
  yaml_mistake("models/puma600_drives.yaml", "coulomb: 6}", "coulomb: 6, static: -7}",
               "friction-static", "static: 7");
  yaml_mistake(file, "gravity: [0, 0, -9.81]", "gravity: [0, 0, -1.62]", "gravity", "16.5 %");
}

TEST(several_mistakes_in_yaml) {
  static const char text[] =
      "appell: 1\n"
      "bodies:\n"
      "  - name: a\n"
      "    joint: {type: revolut, axis: [0, 0, 0], limts: {lower: 1}}\n"
      "    inertia: {mass: -1, com: [0.1, 0], tensor: [1, 0, 0, 1, 0, 5]}\n"
      "  - name: a\n"
      "    parent: nobody\n"
      "...\n";
  ap_lint *found = examine(text, "yaml", NULL);
  if (found) {
    finding(found, "joint-type", 4);
    finding(found, "unknown-element", 4);
    finding(found, "bad-number", 5);
    finding(found, "mass-negative", 5);
    finding(found, "inertia-triangle", 5);
    finding(found, "duplicate-name", 6);
    finding(found, "unknown-link", 7);
  }
  ap_lint_free(found);
}

TEST(matrices) {
  static const char text[] =
      "appell: 1\nbodies:\n  - name: a\n    joint:\n      type: revolute\n"
      "      place: {matrix: [0.7071, 0.7071, 0, -0.7071, 0.7071, 0, 0, 0, 1]}\n"
      "    inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.001, 0, 0, 0.004, 0, 0.0045]}\n...\n";
  ap_lint *found = examine(text, "yaml", NULL);
  const ap_finding *f = found ? finding(found, "rotation", 6) : NULL;
  if (f) CHECK_EQ_INT(f->severity, AP_ERROR);
  ap_lint_free(found);
}

TEST(closed_chains) {
  static const char file[] = "models/four-bar.yaml";
  ap_lint *found = NULL;
  CHECK_OK(ap_lint_file(file, NULL, &found, NULL));
  CHECK(found && ap_lint_count(found, AP_ERROR) == 0);
  ap_lint_free(found);
  ap_lint *wrist = NULL;
  CHECK_OK(ap_lint_file("models/agile-wrist.yaml", NULL, &wrist, NULL));
  if (wrist) finding(wrist, "closure-redundant", 0);
  ap_lint_free(wrist);
}

// Two rods that cannot meet, and one that is stretched.
#define RODS(reach)                                                                                \
  "appell: 1\nbodies:\n"                                                                           \
  "  - {name: a, joint: {type: revolute}, inertia: {mass: 1, com: [0.5, 0, 0], tensor: [0.001, "   \
  "0, 0, 0.08, 0, 0.08]}}\n"                                                                       \
  "  - {name: b, parent: a, joint: {type: revolute, place: {xyz: [1, 0, 0]}}, inertia: {mass: 1, " \
  "com: [0.5, 0, 0], tensor: [0.001, 0, 0, 0.08, 0, 0.08]}}\n"                                     \
  "closures:\n"                                                                                    \
  "  - {name: slot, type: distance, first: {body: b, xyz: [1, 0, 0]}, second: {body: ground, "     \
  "xyz: "                                                                                          \
  "[" reach                                                                                        \
  ", 0, 0]}, distance: 0.5}\n"                                                                     \
  "coordinates:\n  - {name: q, type: joint, joint: a}\nactuated: [a]\n"                            \
  "guess: {a: 0.3, b: 0.4}\n...\n"

TEST(closures_that_do_not_meet) {
  ap_lint *found = examine(RODS("9"), "yaml", NULL);
  const ap_finding *f = found ? finding(found, "closure-open", 6) : NULL;
  if (f) CHECK_HAS(f->why, "slot");
  ap_lint_free(found);
  found = examine(RODS("2"), "yaml", NULL);
  CHECK(found && ap_lint_count(found, AP_ERROR) == 0);
  ap_lint_free(found);
  // at the end of their reach: no coordinate decides which way the elbow goes
  found = examine(RODS("2.5"), "yaml", NULL);
  if (found) finding(found, "closure-singular", 0);
  ap_lint_free(found);
}

// ---- the manual --------------------------------------------------------------------------------

// Every rule has its heading there, with its severity, and there are no others.
TEST(the_manual_has_every_rule) {
  char *manual = file_text("docs/lint.md", NULL);
  if (!CHECK(manual != NULL)) return;
  int rules = 0, headings = 0;
  for (; ap_lint_rule_at(rules); rules++) {
    const ap_lint_rule *rule = ap_lint_rule_at(rules);
    char heading[80];
    snprintf(heading, sizeof heading, "\n### %s\n\n*%s*: %s.", rule->id,
             ap_severity_name(rule->severity), "");
    heading[strlen(heading) - 1] = 0; // the text itself begins in the manual's own way
    CHECK_HAS(manual, heading);
    for (int k = 0; k < rules; k++) CHECK(strcmp(ap_lint_rule_at(k)->id, rule->id) != 0);
  }
  for (const char *at = manual; (at = strstr(at, "\n### ")) != NULL; at++) headings++;
  CHECK_EQ_INT(headings, rules);
  free(manual);
}

// ---- large and hostile files -------------------------------------------------------------------

TEST(three_thousand_links) {
  const int n = 3000;
  size_t room = (size_t)n * 600 + 200, used = 0;
  char *text = malloc(room);
  if (!CHECK(text != NULL)) return;
  used += (size_t)snprintf(text, room, "<robot name='long'>\n<link name='l0'/>\n");
  for (int i = 1; i <= n; i++)
    used += (size_t)snprintf(
        text + used, room - used,
        "<link name='l%d'><inertial><origin xyz='0.05 0 0'/><mass value='0.1'/><inertia ixx='1e-5' "
        "ixy='0' ixz='0' iyy='1e-5' iyz='0' izz='9e-5'/></inertial></link>\n"
        "<joint name='j%d' type='revolute'><parent link='l%d'/><child link='l%d'/><origin xyz='0.1 "
        "0 "
        "0'/><axis xyz='0 %d 1'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>\n",
        i, i, i - 1, i, i % 2);
  snprintf(text + used, room - used, "</robot>\n");
  ap_lint *found = examine(text, "urdf", NULL);
  CHECK(found && ap_lint_count(found, AP_ERROR) == n); // every link breaks the triangle inequality
  ap_lint_free(found);
  free(text);
}

// Cut anywhere, and with any byte changed, there is an answer.
TEST(hostile_files) {
  size_t length = strlen(good);
  char *text = malloc(length + 1);
  if (!CHECK(text != NULL)) return;
  ap_lint_options options = {.quick = true};
  for (size_t i = 0; i < length; i += 7) {
    static const char bytes[] = "<>/'\" -9e\x01";
    ap_lint *found = NULL;
    ap_status status = ap_lint_text(good, i, "urdf", NULL, &options, &found, NULL);
    CHECK(status == AP_OK && ap_lint_count(found, AP_ERROR) > 0);
    ap_lint_free(found);
    memcpy(text, good, length + 1);
    text[i] = bytes[i / 7 % (sizeof bytes - 1)];
    CHECK_OK(ap_lint_text(text, length, "urdf", NULL, &options, &found, NULL));
    ap_lint_free(found);
  }
  free(text);
}
