// SPDX-License-Identifier: Apache-2.0
// Scenarios as texts: read, or refused with line and words.

#ifndef AP_TESTS_SCENARIO_TEXT_H
#define AP_TESTS_SCENARIO_TEXT_H

#include <appell/scenario.h>

#include "test.h"

// A scenario that must be read; NULL (and a failed check) where it is refused.
static inline ap_scenario *read_text(const char *text) {
  ap_error error = {0};
  ap_scenario *s = NULL;
  if (!CHECK_OK(ap_scenario_parse(text, strlen(text), "models", &s, &error)))
    printf("  line %d: %s\n", error.line, error.text);
  return s;
}

static inline ap_scenario *read_file(const char *path) {
  ap_error error = {0};
  ap_scenario *s = NULL;
  if (!CHECK_OK(ap_scenario_read(path, &s, &error)))
    printf("  %s:%d: %s\n", path, error.line, error.text);
  return s;
}

static inline void expect_error(const char *text, int line, const char *words) {
  ap_error error = {0};
  ap_scenario *s = NULL;
  ap_status status = ap_scenario_parse(text, strlen(text), "models", &s, &error);
  CHECK(status != AP_OK && s == NULL);
  CHECK(error.status == status);
  CHECK_EQ_INT(error.line, line);
  CHECK_HAS(error.text, words);
  CHECK(strchr(error.text, '(') || strstr(error.text, "must be")); // what would be right
  ap_scenario_free(s);
}

#define HEAD "appell-scenario: 1\nrobot: two_link.urdf\nduration: 1\n"
#define END  "...\n"
#define FREE "appell-scenario: 1\nrobot: quadruped\nduration: 1\n"

static inline void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  if (!CHECK(file)) return;
  fputs(text, file);
  fclose(file);
}

#endif
