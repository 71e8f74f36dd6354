// SPDX-License-Identifier: Apache-2.0
// Names in generated C: every name of a robot or frame has a text of its own, which a decoder that
// knows nothing of the encoder reads back, and no two functions of any robots have the same name.

#include "codegen/symbol.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

// ---- reading texts back ------------------------------------------------------------------------

static bool is_pair(const char *text) { return strspn(text, "0123456789abcdef") >= 2; }

// The groups of a text, by the rule of docs/generate.md: "_x", pairs of hexadecimal digits, and "_"
// or the end. A zero byte drops all up to it.
static void decode(const char *text, bool frame, char *name) {
  size_t n = 0;
  const char *at = text;
  while (*at) {
    bool start = at == text && frame && at[0] == 'x';
    const char *digit = start ? at + 1 : at + 2;
    if ((start || (at[0] == '_' && at[1] == 'x')) && is_pair(digit)) {
      for (; is_pair(digit); digit += 2) {
        char two[] = {digit[0], digit[1], '\0'};
        char byte = (char)strtol(two, NULL, 16);
        if (byte)
          name[n++] = byte;
        else
          n = 0;
      }
      at = *digit == '_' ? digit + 1 : digit;
    } else {
      name[n++] = *at++;
    }
  }
  name[n] = '\0';
}

static bool is_clean(const char *text, bool frame) {
  if (!frame && !isalpha((unsigned char)text[0])) return false;
  size_t n = strlen(text);
  if (n == 0 || n >= AP_SYMBOL_ROOM || text[0] == '_' || text[n - 1] == '_') return false;
  for (size_t i = 0; i < n; i++)
    if (!(isalnum((unsigned char)text[i]) || text[i] == '_')) return false;
  return !strstr(text, "__");
}

static void check_name(const char *name) {
  char text[AP_SYMBOL_ROOM], back[4 * AP_SYMBOL_ROOM];
  ap__frame_symbol(name, text);
  decode(text, true, back);
  if (!CHECK(is_clean(text, true) && strcmp(back, name) == 0)) printf("  %s: %s\n", name, text);
  ap__robot_symbol(name, text);
  decode(text, false, back);
  if (!CHECK(is_clean(text, false) && strcmp(back, name) == 0)) printf("  %s: %s\n", name, text);
}

// All names of few characters, of which groups are made among others.
TEST(short_names_are_read_back) {
  static const char letters[] = "xd2_-a";
  char name[8];
  for (int length = 0; length <= 6; length++) {
    long all = 1;
    for (int i = 0; i < length; i++) all *= 6;
    for (long k = 0; k < all; k++) {
      long left = k;
      for (int i = 0; i < length; i++, left /= 6) name[i] = letters[left % 6];
      name[length] = '\0';
      check_name(name);
    }
  }
}

TEST(names_of_all_bytes_are_read_back) {
  rng r = rng_seed(4);
  char name[16];
  for (int k = 0; k < 20000; k++) {
    int n = 1 + (int)rng_uniform(&r, 0, 15);
    for (int i = 0; i < n; i++) name[i] = (char)(1 + (int)rng_uniform(&r, 0, 255));
    name[n] = '\0';
    check_name(name);
  }
}

TEST(usual_names_stay) {
  static const char *const names[] = {"puma600",  "panda_hand", "tool0",  "R2D2", "int",  "main",
                                      "left_arm", "x",          "link_x", "x_2d", "class"};
  char text[AP_SYMBOL_ROOM];
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    ap__robot_symbol(names[k], text);
    CHECK_STR(text, names[k]);
    ap__frame_symbol(names[k], text);
    CHECK_STR(text, names[k]);
  }
}

// ---- all functions of many robots --------------------------------------------------------------

static const char *const words[] = {"arm",
                                    "arm_jacobian",
                                    "arm_jacobian_tool",
                                    "jacobian",
                                    "jacobian_tool",
                                    "tool",
                                    "tool_batch",
                                    "tool_batch_batch",
                                    "batch",
                                    "tool_lanes",
                                    "tool_part1",
                                    "tool_part1_lanes",
                                    "part",
                                    "part12",
                                    "tool_launch",
                                    "tool_kernel1",
                                    "tool_slice2",
                                    "tool_pipe",
                                    "gravity",
                                    "tool_gravity",
                                    "gravity_batch",
                                    "arm_gravity",
                                    "tool-",
                                    "tool-batch",
                                    "tool_x2d",
                                    "tool_x2d_batch",
                                    "tool_",
                                    "_tool",
                                    "tool__batch",
                                    "arm_",
                                    "2nd",
                                    "robot",
                                    "robot_2nd",
                                    "robot2nd",
                                    "robot-2nd",
                                    "robot_x00_2nd",
                                    "-2nd",
                                    "",
                                    "_",
                                    "-",
                                    "\xe6\x9c\xba\xe5\x99\xa8\xe4\xba\xba",
                                    "\xe4\xba\xba",
                                    "ap",
                                    "ap_batch",
                                    "a-p",
                                    "a_x70",
                                    "math",
                                    "math_robot",
                                    "math_robot_robot",
                                    "Math",
                                    "string",
                                    "stdint",
                                    "stdio",
                                    "arm jacobian",
                                    "arm-jacobian-tool",
                                    "jacobia_x6e",
                                    "arm_jacobia_x6e",
                                    "long_x00",
                                    "main",
                                    "int",
                                    "class",
                                    "x2d",
                                    "x",
                                    "xx2d",
                                    "x78_2d",
                                    "rollout",
                                    "arm_rollout"};
enum { WORDS = sizeof words / sizeof *words };

static const char *const functions[] = {"inverse_dynamics", "gravity", "bias", "integrate",
                                        "forward_dynamics_derivatives"};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct symbols {
  char (*name)[512];
  size_t count;
} symbols;

static void add_symbols(symbols *s, const char *robot, const char *function) {
  static const char *const endings[] = {"",        "_batch",  "_lanes",   "_part1",  "_part1_lanes",
                                        "_part12", "_launch", "_kernel1", "_slice2", "_pipe"};
  for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
    snprintf(s->name[s->count++], sizeof *s->name, "%s_%s%s", robot, function, endings[e]);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

TEST(no_two_functions_share_a_name) {
  symbols s = {.name = malloc((size_t)WORDS * (WORDS + FUNCTIONS) * 10 * sizeof *s.name)};
  char robot[AP_SYMBOL_ROOM], frame[AP_SYMBOL_ROOM], function[2 * AP_SYMBOL_ROOM];
  for (int i = 0; i < WORDS; i++) {
    ap__robot_symbol(words[i], robot);
    for (int f = 0; f < FUNCTIONS; f++) add_symbols(&s, robot, functions[f]);
    for (int k = 0; k < WORDS; k++) {
      ap__frame_symbol(words[k], frame);
      snprintf(function, sizeof function, "jacobian_%s", frame);
      add_symbols(&s, robot, function);
    }
  }
  qsort(s.name, s.count, sizeof *s.name, by_name);
  for (size_t k = 1; k < s.count; k++)
    if (!CHECK(strcmp(s.name[k - 1], s.name[k]) != 0)) printf("  twice: %s\n", s.name[k]);
  for (size_t k = 0; k < s.count; k++) CHECK(strncmp(s.name[k], "ap_", 3) != 0);
  free(s.name);
}

// ---- files and lengths -------------------------------------------------------------------------

TEST(files_are_no_system_headers) {
  char text[AP_SYMBOL_ROOM];
  ap__robot_symbol("math", text), CHECK_STR(text, "math_robot");
  ap__robot_symbol("MATH", text), CHECK_STR(text, "MATH_robot");
  ap__robot_symbol("avx512fintrin", text), CHECK_STR(text, "avx512fintrin_robot");
  ap__robot_symbol("math_robot", text), CHECK_STR(text, "math_robot_robot");
  ap__robot_symbol("maths", text), CHECK_STR(text, "maths");
}

TEST(long_names_keep_apart) {
  char name[2][100001], text[2][AP_SYMBOL_ROOM];
  for (int frame = 0; frame < 2; frame++)
    for (int n = 1; n <= 100000; n = n < 200 ? n + 1 : n * 3) {
      for (int k = 0; k < 2; k++) {
        memset(name[k], 'a', (size_t)n);
        name[k][n - 1] = k ? 'b' : 'c';
        name[k][n] = '\0';
        (frame ? ap__frame_symbol : ap__robot_symbol)(name[k], text[k]);
        CHECK(is_clean(text[k], frame));
        CHECK((strcmp(text[k], name[k]) == 0) == (n <= AP_SYMBOL_MOST));
      }
      CHECK(strcmp(text[0], text[1]) != 0);
    }
}
