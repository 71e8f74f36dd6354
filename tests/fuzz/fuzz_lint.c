// SPDX-License-Identifier: Apache-2.0
// Any bytes as a robot file, URDF or YAML: findings with lines and words, whatever they are; and an
// error among them where the reader or the model refuses the file.

#include <appell/lint.h>
#include <appell/loop.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int holds) {
  if (!holds) abort();
}

static bool is_refused(const char *text, size_t size, const char *format) {
  ap_robot *robot = NULL;
  ap_model *model = NULL;
  ap_mechanism *mechanism = NULL;
  ap_error error = {0};
  ap_status status = ap_robot_parse(text, size, format, NULL, &robot, &error);
  if (status == AP_OK)
    status = ap_robot_mechanism(robot) ? ap_mechanism_make(robot, &mechanism, &error)
                                       : ap_robot_model(robot, &model, &error);
  ap_model_free(model);
  ap_mechanism_free(mechanism);
  ap_robot_free(robot);
  return status != AP_OK;
}

// The first byte chooses the format and whether motion is sampled.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const ap_lint_options options = {.quick = (data[0] & 2) != 0};
  ap_lint *found = NULL;
  ap_error error = {0};
  const char *text = (const char *)data + 1, *format = data[0] & 1 ? "yaml" : "urdf";
  ap_status status = ap_lint_text(text, size - 1, format, NULL, &options, &found, &error);
  expect(status == AP_OK && found);
  expect(ap_lint_count(found, AP_ERROR) > 0 || !is_refused(text, size - 1, format));
  int count = 0;
  for (int i = 0; ap_lint_finding(found, i); i++, count++) {
    const ap_finding *f = ap_lint_finding(found, i);
    expect(f->what[0] && f->line >= 0 && ap_lint_find_rule(f->rule) != NULL);
  }
  expect(count == ap_lint_findings(found));
  ap_lint_free(found);
  return 0;
}
