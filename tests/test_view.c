// SPDX-License-Identifier: Apache-2.0
// The live page of a robot: what is written, told and refused.

#include <appell/view.h>
#include <appell/weigh.h>

#include "temporary_folder.h"

static const char *const files[] = {"wrong.urdf"};

static void remove_folder(void) { remove_folder_of(1, files); }

typedef struct text {
  char bytes[1 << 16];
  size_t n;
} text;

static void add(void *context, const char *bytes, size_t length) {
  text *t = context;
  CHECK(t->n + length < sizeof t->bytes);
  if (t->n + length >= sizeof t->bytes) return;
  memcpy(t->bytes + t->n, bytes, length);
  t->n += length;
  t->bytes[t->n] = 0;
}

static void count(void *context, const char *line) {
  CHECK(strstr(line, "mesh") != NULL);
  ++*(int *)context;
}

static const char robot_text[] =
    "<robot name='r'><link name='a'><visual><geometry><mesh filename='none.stl'/></geometry>"
    "</visual></link></robot>";

TEST(the_library_carries_a_page_with_one_place) {
  static const char place[] = "<script id=\"robot\" type=\"application/json\"></script>";
  const char *page = ap_view_page(), *at = strstr(page, place);
  CHECK(strncmp(page, "<!DOCTYPE html>", 15) == 0);
  CHECK(at && !strstr(at + 1, place));
  CHECK(strstr(page, "default-src 'none'") != NULL);
}

TEST(a_page_is_filled) {
  ap_view_options options = ap_default_view();
  ap_error error = {0};
  text t = {0};
  options.page = "<p><script id=\"robot\" type=\"application/json\"></script></p>";
  options.builtin = "</script><b>";
  ap_robot *robot;
  CHECK_OK(ap_robot_builtin("puma600", NULL, &robot, &error));
  CHECK_OK(ap_view_write(robot, &options, add, &t, &error));
  CHECK(strstr(t.bytes, "\\u003c/script>") != NULL);
  CHECK(strncmp(t.bytes + t.n - 13, "</script></p>", 13) == 0);
  ap_robot_free(robot);
}

TEST(a_mesh_that_is_not_there_is_told) {
  ap_view_options options = ap_default_view();
  ap_error error = {0};
  ap_robot *robot;
  int told = 0;
  text t = {0};
  options.warn = count;
  options.context = &told;
  CHECK_OK(ap_robot_parse(robot_text, sizeof robot_text - 1, "urdf", NULL, &robot, &error));
  CHECK_OK(ap_view_write(robot, &options, add, &t, &error));
  CHECK(told == 1);
  CHECK(strstr(t.bytes, "\"meshes\": []") != NULL);
  CHECK(strstr(t.bytes, "\"text\"") != NULL); // no file: what it is now
  options.warn = NULL;
  CHECK_OK(ap_view_write(robot, &options, add, &t, &error));
  ap_robot_free(robot);
}

TEST(what_cannot_be_filled_is_refused) {
  ap_view_options options = ap_default_view(), none = {0};
  ap_error error = {0};
  text t = {0};
  CHECK(ap_view_write(NULL, &none, add, &t, &error) == AP_E_ARG);
  options.page = "<p></p>";
  CHECK(ap_view_write(NULL, &options, add, &t, &error) == AP_E_ARG);
  CHECK(strstr(error.text, "no place") != NULL && t.n == 0);
}

TEST(a_corrected_file_is_the_same_as_text) {
  static const char wrong[] =
      "<robot name='w'><link name='b'/><link name='a'><inertial><mass value='2'/>"
      "<inertia ixx='90' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
      "<visual><geometry><box size='0.5 0.1 0.1'/></geometry></visual></link>"
      "<joint name='j' type='continuous'><parent link='b'/><child link='a'/></joint></robot>\n";
  char written[4096] = "", *corrected = NULL;
  const ap_weigh_options options = {0};
  ap_weighing *weighing;
  ap_error error = {0};
  make_folder();
  const char *from = in_folder("wrong.urdf");
  FILE *file = fopen(from, "w");
  CHECK(file && fputs(wrong, file) >= 0 && fclose(file) == 0);
  CHECK_OK(ap_weigh_file(from, &options, &weighing, &error));
  CHECK_OK(ap_weighing_text(weighing, from, &corrected, &error));
  CHECK_OK(ap_weighing_patch(weighing, from, from, &error));
  file = fopen(from, "r");
  CHECK(file && fread(written, 1, sizeof written - 1, file) > 0 && fclose(file) == 0);
  CHECK(corrected && strcmp(corrected, written) == 0 && strcmp(corrected, wrong) != 0);
  free(corrected);
  ap_weighing_free(weighing);
  remove_folder();
}
