// SPDX-License-Identifier: Apache-2.0
// Any bytes as the names of a robot and of its joints: the code generated for it is the same as for
// plain names, whatever they say, once comments are left out. And any bytes as the beginning of all
// names (`appell generate --name`): an identifier, or refused.

#include <appell/codegen.h>
#include <appell/file.h>
#include <ctype.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The text without blanks, comments and the names of frames, which end names of functions and move
// the ends of lines, in memory to be freed. Code has no strings with /* in them.
static char *without_comments(const char *text) {
  static const char frames[] = "robot_jacobian_";
  char *out = malloc(strlen(text) + 1), *to = out;
  fuzz_expect(out != NULL);
  while (*text) {
    if (text[0] == '/' && text[1] == '*') {
      const char *end = strstr(text + 2, "*/");
      fuzz_expect(end != NULL);
      text = end + 2;
    } else if (text[0] == '/' && text[1] == '/') {
      text += strcspn(text, "\n");
    } else if (strncmp(text, frames, sizeof frames - 1) == 0) {
      for (text += sizeof frames - 1; isalnum((unsigned char)*text) || *text == '_';) text++;
    } else if (isspace((unsigned char)*text)) {
      text++;
    } else {
      *to++ = *text++;
    }
  }
  *to = 0;
  return out;
}

static ap_status generate(const char *robot, const char *joint, const char *name, ap_code **code) {
  ap_body_def body = ap_default_body();
  body.name = "link";
  body.joint_name = joint;
  body.joint = AP_REVOLUTE;
  body.mass = 1;
  body.com[0] = 0.5;
  const ap_frame_def frame = {.name = joint, .body = 1};
  ap_robot_def def = ap_default_robot();
  def.name = robot;
  def.bodies = &body, def.nbody = 1;
  def.frames = &frame, def.nframe = 1;
  ap_robot *made = NULL;
  ap_model *model = NULL;
  ap_error error = {0};
  *code = NULL;
  ap_status status = ap_robot_from_definition(&def, &made, &error);
  if (status == AP_OK) status = ap_robot_model(made, &model, &error);
  if (status == AP_OK) {
    ap_generate_options options = ap_default_generate();
    options.functions = 1u << AP_GEN_GRAVITY | 1u << AP_GEN_JACOBIAN;
    options.batch = false;
    options.name = name;
    status = ap_generate(model, &options, code, &error);
  }
  fuzz_expect((status == AP_OK) == (*code != NULL) && (*code || error.text[0]));
  ap_model_free(model);
  ap_robot_free(made);
  return status;
}

static void check_same(const ap_code *code, const ap_code *plain) {
  char *a = without_comments(ap_code_source(code)), *b = without_comments(ap_code_source(plain));
  fuzz_expect(strcmp(a, b) == 0);
  free(a);
  free(b);
  a = without_comments(ap_code_header(code)), b = without_comments(ap_code_header(plain));
  fuzz_expect(strcmp(a, b) == 0);
  free(a);
  free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ap_code *plain;
  ap_code *code;
  char name[2][128];
  if (!plain) fuzz_expect(generate("robot", "joint", "robot", &plain) == AP_OK);
  const size_t half = size / 2 < 127 ? size / 2 : 127;
  for (int k = 0; k < 2; k++) {
    memcpy(name[k], data + (size_t)k * half, half);
    name[k][half] = 0;
  }
  if (generate(name[0], name[1], "robot", &code) == AP_OK) check_same(code, plain);
  ap_code_free(code);
  if (generate("robot", "joint", name[0], &code) == AP_OK) {
    const char *c = ap_code_name(code);
    fuzz_expect(isalpha((unsigned char)*c) || *c == '_');
    for (; *c; c++) fuzz_expect(isalnum((unsigned char)*c) || *c == '_');
  }
  ap_code_free(code);
  return 0;
}
