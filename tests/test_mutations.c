// SPDX-License-Identifier: Apache-2.0
// Every mutation of a valid file is read, or refused with a line and a reason: never a crash, a
// hang or a leak (run under the sanitizers for these).

#include <appell/file.h>

#include "robot_files.h"

static const char *const files[][2] = {
    {"tests/fuzz/corpus/urdf/full.urdf", "urdf"},   {"tests/fuzz/corpus/urdf/joints.urdf", "urdf"},
    {"tests/fuzz/corpus/urdf/drives.urdf", "urdf"}, {"tests/fuzz/corpus/yaml/full.yaml", "yaml"},
    {"tests/fuzz/corpus/yaml/valera.yaml", "yaml"}, {"tests/fuzz/corpus/yaml/closed.yaml", "yaml"},
    {"tests/fuzz/corpus/mjcf/tree.xml", "mjcf"},    {"tests/fuzz/corpus/mjcf/defaults.xml", "mjcf"},
    {"tests/fuzz/corpus/mjcf/copies.xml", "mjcf"},  {"tests/fuzz/corpus/mjcf/closed.xml", "mjcf"},
};
enum { FILES = sizeof files / sizeof files[0] };

static long accepted, refused;

// True when the text gives a model.
static bool try_text(const char *text, size_t length, const char *format) {
  ap_error error = {0};
  ap_robot *robot = NULL;
  ap_status status = ap_robot_parse(text, length, format, NULL, &robot, &error);
  if (status == AP_OK) status = build_robot(robot, &error);
  bool good = status == AP_OK || (error.line >= 1 && error.text[0] && !strchr(error.text, '\n') &&
                                  error.status == status);
  if (!good) CHECK_STR(error.text, "a line and a reason");
  *(status == AP_OK ? &accepted : &refused) += 1;
  ap_robot_free(robot);
  return status == AP_OK;
}

// The text with length bytes at start replaced.
static bool try_replaced(const char *text, size_t n, size_t start, size_t length, const char *by,
                         const char *format) {
  size_t m = strlen(by);
  char *changed = malloc(n + m + 1);
  if (!CHECK(changed)) return false;
  memcpy(changed, text, start);
  memcpy(changed + start, by, m);
  memcpy(changed + start + m, text + start + length, n - start - length);
  bool read = try_text(changed, n - length + m, format);
  free(changed);
  return read;
}

static void each_file(void (*mutate)(const char *text, size_t n, const char *format)) {
  for (int i = 0; i < FILES; i++) {
    size_t n;
    char *text = file_text(files[i][0], &n);
    test_context("%s", files[i][0]);
    if (!CHECK(text)) continue;
    CHECK(try_text(text, n, files[i][1]));
    accepted = refused = 0;
    mutate(text, n, files[i][1]);
    CHECK(refused > 0);
    free(text);
  }
}

// ---- bytes -------------------------------------------------------------------------------------

static void truncate_anywhere(const char *text, size_t n, const char *format) {
  size_t whole = n;
  while (whole > 0 && strchr(" \n", text[whole - 1])) whole--;
  for (size_t i = 0; i < whole; i++) {
    char *cut = malloc(i ? i : 1); // exactly as long, so that reading beyond is seen
    if (!CHECK(cut)) return;
    memcpy(cut, text, i);
    // A URDF file ends with </robot>, a YAML file with "...".
    if (try_text(cut, i, format)) CHECK_EQ_INT((intmax_t)i, (intmax_t)whole);
    free(cut);
  }
  CHECK(try_text(text, whole, format)); // nothing but the last newline is missing
}
TEST(truncated_at_every_byte) { each_file(truncate_anywhere); }

static void change_bytes(const char *text, size_t n, const char *format) {
  static const char *const by[] = {"",     "\"",   "<", " ", "\n", "-", "9",
                                   "\xff", "\x01", "&", ":", "}",  "#"};
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < sizeof by / sizeof by[0]; k++)
      if ((i + k) % 3 == 0) try_replaced(text, n, i, 1, by[k], format);
  for (size_t i = 0; i < n; i += 7) { // a zero byte, which no string literal can hold
    char *changed = malloc(n);
    if (!CHECK(changed)) return;
    memcpy(changed, text, n);
    changed[i] = 0;
    try_text(changed, n, format);
    free(changed);
  }
}
TEST(every_byte_changed) { each_file(change_bytes); }

// ---- values ------------------------------------------------------------------------------------

static const char *const wrong[] = {"",
                                    "nan",
                                    "inf",
                                    "-inf",
                                    "1e999",
                                    "-1e999",
                                    "0x10",
                                    "text",
                                    "2.5 m",
                                    "1,2,3",
                                    "1 2 3 4 5 6 7",
                                    "0",
                                    "-1",
                                    "1e308",
                                    "1e-308",
                                    "1e-400",
                                    "${x}",
                                    "[]",
                                    "{}",
                                    "~",
                                    "true",
                                    "*a",
                                    "&a 1",
                                    "!!t 1",
                                    "none",
                                    "99999999999999999999",
                                    "&#0;",
                                    "base",
                                    "arm_joint",
                                    "ground",
                                    "\xc3\x28"};
enum { WRONG = sizeof wrong / sizeof wrong[0] };

// XML: name="value" removed, doubled, its value replaced.
static void change_attributes(const char *text, size_t n, const char *format) {
  if (strcmp(format, "yaml") == 0) {
    refused++;
    return;
  }
  for (const char *quote = strstr(text, "=\""); quote; quote = strstr(quote + 1, "=\"")) {
    const char *start = quote, *end = strchr(quote + 2, '"') + 1;
    while (start[-1] != ' ') start--;
    size_t at = (size_t)(start - text), length = (size_t)(end - start);
    try_replaced(text, n, at, length, "", format);
    char twice[512];
    snprintf(twice, sizeof twice, "%.*s %.*s", (int)length, start, (int)length, start);
    bool declaration = strncmp(start, "version", 7) == 0;
    if (!declaration) CHECK(!try_replaced(text, n, at, length, twice, format));
    for (int k = 0; k < WRONG; k++)
      try_replaced(text, n, (size_t)(quote + 2 - text), (size_t)(end - quote - 3), wrong[k],
                   format);
  }
}
TEST(every_attribute_removed_doubled_wrong) { each_file(change_attributes); }

// The bad numbers where a number was: none of them may pass, but for those that are numbers.
TEST(a_wrong_number_never_passes) {
  static const char *const never[] = {"", "nan", "inf", "-inf", "1e999", "0x10", "text", "2.5 m"};
  for (int i = 0; i < FILES; i++) {
    size_t n;
    char *text = file_text(files[i][0], &n);
    test_context("%s", files[i][0]);
    if (!CHECK(text)) continue;
    bool urdf = strcmp(files[i][1], "yaml") != 0;
    static const char *const keys[2][6] = {
        {"mass value=\"", "ixx=\"", "lower=\"", "damping=\"", "multiplier=\"", NULL},
        {"mass: ", "alpha: ", "upper: ", "static: ", "ratio: ", NULL}};
    for (int k = 0; keys[!urdf][k]; k++) {
      const char *key = strstr(text, keys[!urdf][k]);
      if (!key) continue;
      key += strlen(keys[!urdf][k]);
      size_t length = strcspn(key, urdf ? "\"" : ",}\n");
      bool mjcf = strcmp(files[i][1], "mjcf") == 0; // there an empty attribute says nothing
      for (size_t m = mjcf ? 1 : 0; m < sizeof never / sizeof never[0]; m++)
        CHECK(!try_replaced(text, n, (size_t)(key - text), length, never[m], files[i][1]));
    }
    free(text);
  }
}

// YAML: every value after a colon replaced.
static void change_values(const char *text, size_t n, const char *format) {
  if (strcmp(format, "yaml") != 0) {
    refused++;
    return;
  }
  for (const char *colon = strstr(text, ": "); colon; colon = strstr(colon + 1, ": ")) {
    size_t at = (size_t)(colon + 2 - text), length = strcspn(colon + 2, ",}\n");
    for (int k = 0; k < WRONG; k++) try_replaced(text, n, at, length, wrong[k], format);
  }
}
TEST(every_value_wrong) { each_file(change_values); }

// ---- elements and lines ------------------------------------------------------------------------

// The end of the element that starts at s: behind its closing tag.
static const char *element_end(const char *s) {
  char close[64];
  size_t n = strcspn(s + 1, " />");
  const char *bracket = strchr(s, '>');
  if (bracket[-1] == '/' || s[1] == '?') return bracket + 1;
  snprintf(close, sizeof close, "</%.*s>", (int)n, s + 1);
  const char *end = strstr(s, close);
  return end ? end + strlen(close) : bracket + 1;
}

static void change_elements(const char *text, size_t n, const char *format) {
  if (strcmp(format, "yaml") == 0) {
    refused++;
    return;
  }
  for (const char *s = strchr(text, '<'); s; s = strchr(s + 1, '<')) {
    if (s[1] == '/' || s[1] == '?') continue;
    const char *end = element_end(s);
    size_t at = (size_t)(s - text), length = (size_t)(end - s);
    try_replaced(text, n, at, length, "", format);
    char *twice = malloc(2 * length + 1);
    if (!CHECK(twice)) return;
    memcpy(twice, s, length);
    memcpy(twice + length, s, length);
    twice[2 * length] = 0;
    try_replaced(text, n, at, length, twice, format);
    free(twice);
  }
}
TEST(every_element_removed_and_doubled) { each_file(change_elements); }

static void change_lines(const char *text, size_t n, const char *format) {
  for (const char *line = text; line < text + n;) {
    const char *end = strchr(line, '\n');
    end = end ? end + 1 : text + n;
    size_t at = (size_t)(line - text), length = (size_t)(end - line);
    try_replaced(text, n, at, length, "", format);
    char twice[512];
    snprintf(twice, sizeof twice, "%.*s%.*s", (int)length, line, (int)length, line);
    try_replaced(text, n, at, length, twice, format);
    line = end;
  }
}
TEST(every_line_removed_and_doubled) { each_file(change_lines); }

// ---- size --------------------------------------------------------------------------------------

// A chain of n links, leaf first, so that every parent comes later in the file.
TEST(long_chains_are_read_in_linear_time) {
  enum { N = 20000 };
  char *text = malloc((size_t)N * 140 + 64);
  if (!CHECK(text)) return;
  char *t = text + sprintf(text, "<robot name='r'>");
  for (int i = N - 1; i >= 0; i--) t += sprintf(t, "<link name='l%d'/>", i);
  for (int i = N - 1; i > 0; i--)
    t += sprintf(t,
                 "<joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>\n",
                 i, i - 1, i);
  sprintf(t, "</robot>");
  CHECK(try_text(text, strlen(text), "urdf"));
  free(text);
}

// What took half a minute each when it was quadratic. Tests don't time, but they have a limit.
TEST(many_meshes_frames_and_axes_are_written_in_linear_time) {
  enum { N = 20000, MESHES = 100000 };
  char *text = malloc((size_t)N * 200 + (size_t)MESHES * 16 + 64);
  if (!CHECK(text)) return;
  char *t = text + sprintf(text, "appell: 1\nbodies:\n- name: m\n  meshes:\n");
  for (int i = 0; i < MESHES; i++) t += sprintf(t, "  - m%d\n", i);
  for (int i = 0; i < N; i++)
    t += sprintf(t,
                 "- {name: b%d, joint: {type: revolute, dh: {convention: standard}}, inertia: "
                 "{mass: 1, tensor: [1, 0, 0, 1, 0, 1]}}\n",
                 i);
  t += sprintf(t, "frames:\n");
  for (int i = 0; i < N; i++) t += sprintf(t, "- {name: f%d, body: m}\n", i);
  sprintf(t, "...\n");
  ap_robot *robot = read_good(text, "yaml", (ap_read_options){0});
  free(text);
  if (!robot) return;
  CHECK_STR(mesh_of(robot, 1, MESHES - 1), "m99999");
  ap_robot *back = through_file(robot, "urdf");
  if (back) CHECK_STR(mesh_of(back, 2, MESHES - 1), "m99999"); // body 1 is the root link
  ap_robot_free(back);
  ap_robot_free(robot);
}

TEST(many_unknown_elements_are_read_in_linear_time) {
  enum { N = 1000000 };
  char *text = malloc((size_t)N * 16 + 64);
  if (!CHECK(text)) return;
  for (int k = 0; k < 2; k++) {
    char *t = text + sprintf(text, "<robot name='r'><link name='a'/>");
    for (int i = 0; i < N; i++) t += k ? sprintf(t, "<element%d/>", i) : sprintf(t, "<spring/>");
    sprintf(t, "</robot>");
    CHECK(try_text(text, strlen(text), "urdf"));
  }
  free(text);
}

TEST(a_file_that_is_too_large_is_refused) {
  size_t n = (64u << 20) + 1;
  char *text = calloc(1, n);
  if (!CHECK(text)) return;
  ap_robot *robot;
  ap_error error = {0};
  CHECK_STATUS(ap_robot_parse(text, n, "urdf", NULL, &robot, &error), AP_E_FILE);
  CHECK_HAS(error.text, "MiB");
  free(text);
}
