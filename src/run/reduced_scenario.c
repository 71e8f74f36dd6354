// SPDX-License-Identifier: Apache-2.0
// A scenario with `lock`, `root` and `tip` of the caller: they become keys at the end of its text,
// so that a log, which has that text, says what was run.

#include <stdlib.h>
#include <string.h>

#include "ctrl/control.h"
#include "file/text.h"
#include "file/yaml_flow.h"
#include "run/run.h"
#include "sim/scenario.h"

ap_status ap__run_parse(ap_run *run, ap_run_kind kind, const char *text, const char *file,
                        const char *within, const ap_control_options *options, ap_error *error) {
  const char *slash = file ? strrchr(file, '/') : NULL;
  const char *folder = slash ? ap__pool_text(&run->pool, file, (size_t)(slash - file) + 1) : NULL;
  if (slash && !folder) return ap__no_memory(error);
  const size_t n = strlen(text);
  return kind == AP_RUN_CONTROL
             ? ap__control_parse(text, n, folder, within, run->edit, options, &run->control, error)
             : ap__scenario_parse(text, n, folder, within, run->edit, &run->scenario, error);
}

// The line "..." that ends a document; NULL: there is none.
static const char *end_of_document(const char *text) {
  const char *line = text;
  while (strncmp(line, "...", 3) != 0 || (line[3] && !strchr(" \t\r\n", line[3]))) {
    line = strchr(line, '\n');
    if (!line) return NULL;
    line++;
  }
  return line;
}

// The line on which a key of the first map stands, plain or in quotes; 0: on none.
static int line_of(const char *text, const char *key) {
  int number = 1;
  for (const char *line = text; line; number++) {
    const char *at = line + (*line == '"' || *line == '\'');
    const size_t n = strlen(key);
    if (strncmp(at, key, n) == 0 && strchr("\"' \t:", at[n]) && at[n]) return number;
    line = strchr(line, '\n');
    if (line) line++;
  }
  return 0;
}

static void add_keys(ap__text *t, const ap_reduction_def *part) {
  for (int k = 0; k < part->nlock; k++) {
    const ap_lock *lock = &part->locks[k];
    ap__text_add(t, k == 0 ? "lock: {" : ", ");
    ap__yaml_add_name(t, lock->joint);
    ap__text_add(t, ": [");
    ap__text_numbers(t, lock->q, lock->n, ", ");
    ap__text_add(t, k + 1 < part->nlock ? "]" : "]}\n");
  }
  const char *const name[] = {part->root, part->tip}, *const key[] = {"root", "tip"};
  for (int k = 0; k < 2; k++) {
    if (!name[k]) continue;
    ap__text_add(t, "%s: ", key[k]);
    ap__yaml_add_name(t, name[k]);
    ap__text_add(t, "\n");
  }
}

bool ap__is_logged(const char *scenario, const char *logged) {
  const char *end = end_of_document(scenario);
  const size_t n = end ? (size_t)(end - scenario) : 0;
  if (!end || strncmp(scenario, logged, n) != 0) return strcmp(scenario, logged) == 0;
  for (logged += n; strncmp(logged, "...", 3) != 0; logged++) { // what add_keys() adds
    if (strncmp(logged, "lock: {", 7) != 0 && strncmp(logged, "root: ", 6) != 0 &&
        strncmp(logged, "tip: ", 5) != 0)
      return false;
    logged = strchr(logged, '\n');
    if (!logged) return false;
  }
  return strcmp(logged, end) == 0;
}

static ap_status check_keys(const char *text, const ap_reduction_def *part, ap_error *error) {
  const bool given[] = {part->nlock > 0, part->root, part->tip};
  const char *const key[] = {"lock", "root", "tip"};
  for (int k = 0; k < 3; k++) {
    const int line = given[k] ? line_of(text, key[k]) : 0;
    if (line > 0)
      return AP__REFUSE(error, AP_E_ARG, line,
                        "%s is given, but the scenario already has it (use one of the two)",
                        key[k]);
  }
  return AP_OK;
}

// What is wrong with an added key has no line in the file.
static ap_status parse_with(ap_run *run, const char *text, const char *end,
                            const ap_run_options *options, ap_error *error) {
  ap__text t = {0};
  ap_error own = {0};
  int added = 1; // its line
  for (const char *c = text; c < end; c++) added += *c == '\n';
  ap__text_bytes(&t, text, (size_t)(end - text));
  add_keys(&t, options->part);
  ap__text_add(&t, "%s", end);
  own.status =
      t.failed ? ap__no_memory(&own)
               : ap__run_parse(run, run->kind, t.text, run->path, NULL, &options->control, &own);
  ap__text_free(&t);
  if (own.line >= added) own.line = 0;
  if (error && own.status != AP_OK) *error = own;
  return own.status;
}

static ap_status read_with(ap_run *run, const char *text, const ap_run_options *options,
                           ap_error *error) {
  const char *end = end_of_document(text);
  const char *first = run->kind == AP_RUN_CONTROL ? "appell-control" : "appell-scenario";
  if (!end || !strstr(text, first)) // it says itself what is wrong
    return ap__run_parse(run, run->kind, text, run->path, NULL, NULL, error);
  if (ap__kind_of_text(text) != run->kind)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "lock, root and tip cannot be added to a scenario in flow style (write them "
                      "into the file)");
  const ap_status status = check_keys(text, options->part, error);
  return status == AP_OK ? parse_with(run, text, end, options, error) : status;
}

ap_status ap__run_read(ap_run *run, const ap_run_options *options, ap_error *error) {
  const ap_reduction_def *part = options->part;
  if (run->text)
    return ap__run_parse(run, run->kind, run->text, run->path, NULL, &options->control, error);
  if (!part || (part->nlock == 0 && !part->root && !part->tip))
    return run->kind == AP_RUN_CONTROL
               ? ap_control_read(run->path, &options->control, &run->control, error)
               : ap_scenario_read(run->path, &run->scenario, error);
  char *text = NULL;
  size_t length;
  ap_status status = ap__read_file(run->path, &text, &length, error);
  if (status == AP_OK) status = read_with(run, text, options, error);
  free(text);
  return status;
}
