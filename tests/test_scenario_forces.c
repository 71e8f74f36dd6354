// SPDX-License-Identifier: Apache-2.0
// Scenarios whose joint forces come from a file.

#include "robot_files.h"
#include "scenario_text.h"

// A file of forces with this text, and a scenario that names it.
static void with_forces(const char *forces, char *scenario, size_t size, char *path,
                        size_t path_size) {
  temporary_name(path, path_size, "forces.csv");
  write_text(path, forces);
  snprintf(scenario, size, "%sforces: %s\n%s", HEAD, path, END);
}

TEST(forces_from_a_file) {
  static const char *const files[] = {
      "t, elbow, shoulder\n0, 1, 10\n2, 3, -10\n",
      "# a comment\n\n# t tau.elbow tau.shoulder\n0 1 10\n\n2 3 -10",
      ("\xef\xbb\xbf"
       "t elbow,shoulder\r\n0 1 10\r\n# x\r\n2 3 -10\r\n")};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    char text[700], path[512];
    test_context("file %zu", i);
    with_forces(files[i], text, sizeof text, path, sizeof path);
    ap_scenario *s = read_text(text);
    remove(path);
    if (!s) continue;
    const ap_scene *scene = ap_scenario_scene(s);
    static const double at[][3] = {{-1, 10, 1}, {0, 10, 1},  {0.5, 5, 1.5},
                                   {1, 0, 2},   {2, -10, 3}, {9, -10, 3}};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
      double tau[2] = {0, 0};
      CHECK_OK(scene->force(scene->context, at[k][0], ap_scenario_q(s), ap_scenario_v(s), tau));
      CHECK_BITS(tau, &at[k][1], 2);
    }
    ap_scenario_free(s);
  }
}

// Times of the file inside the run, where steps have to end: the run is from 0 to 1 s.
TEST(times_of_forces) {
  char text[700], path[512];
  with_forces("t, elbow\n-1, 1\n0, 2\n0.25, 1\n0.5, 3\n1, 0\n7, 1\n", text, sizeof text, path,
              sizeof path);
  ap_scenario *s = read_text(text);
  remove(path);
  if (!s) return;
  const ap_scene *scene = ap_scenario_scene(s);
  if (CHECK_EQ_INT(scene->nforce_time, 2))
    CHECK_BITS(scene->force_time, ((double[]){0.25, 0.5}), 2);
  ap_scenario_free(s);
}

TEST(faults_of_force_files) {
  static const struct {
    const char *file, *words;
  } list[] = {
      {"t, elbow\n0, 1\n1, x\n", ":3: \"x\" is not a number"},
      {"t, elbow\n0, 1\n1, 2, 3\n", ":3: expected 2 numbers (t and the joints), found 3"},
      {"t, elbow\n1, 1\n1, 2\n", ":3: the time 1 s comes after 1 s"},
      {"t, elbow\n1, 1\n0.5, 2\n", ":3: the time 0.5 s comes after 1 s (times must increase)"},
      {"t, elbow\n0, nan\n", ":2: \"nan\" is not a"},
      {"t, elbow\ninf, 1\n", ":2: \"inf\" is not a"},
      {"t, elbo\n1, 1\n", ":1: the robot has no joint \"elbo\" (did you mean \"elbow\"?)"},
      {"t, elbow, elbow\n1, 1, 1\n", ":1: duplicate joint \"elbow\""},
      {"t, tool_mount\n1, 1\n", ":1: the joint \"tool_mount\" has 0 degrees"},
      {"t, elbow\n", "no row of numbers"},
      {"t\n1\n", ":1: no joint is named"},
      {"0, 1\n", ":1: the names of the columns are missing"},
      {"# only a comment", "the names of the columns are missing"},
      {"", ":1: the names of the columns are missing"}};
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    char text[700], path[512];
    test_context("%s", list[i].file);
    with_forces(list[i].file, text, sizeof text, path, sizeof path);
    expect_error(text, 4, list[i].words);
    remove(path);
  }
  expect_error(HEAD "forces: no_such.csv\n" END, 4, "no_such.csv: cannot open the file");
}
