// Any bytes as a robot file, URDF or YAML: findings with lines and words, whatever they are.

#include <appell/lint.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(int holds) {
  if (!holds) abort();
}

// The first byte chooses the format and whether motion is sampled.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const ap_lint_options options = {.quick = (data[0] & 2) != 0};
  ap_lint *found = NULL;
  ap_error error = {0};
  ap_status status = ap_lint_text((const char *)data + 1, size - 1, data[0] & 1 ? "yaml" : "urdf",
                                  NULL, &options, &found, &error);
  expect(status == AP_OK && found);
  int count = 0;
  for (int i = 0; ap_lint_finding(found, i); i++, count++) {
    const ap_finding *f = ap_lint_finding(found, i);
    expect(f->what[0] && f->line >= 0 && ap_lint_find_rule(f->rule) != NULL);
  }
  expect(count == ap_lint_findings(found));
  ap_lint_free(found);
  return 0;
}
