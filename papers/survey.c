// SPDX-License-Identifier: Apache-2.0
// Counting: the arithmetic AP_COUNT runs a method's own code.

#include "survey.h"

#include <stdio.h>
#include <stdlib.h>

static ap_status fail(ap_error *error, ap_status status, const char *method, const char *robot) {
  *error = (ap_error){.status = status};
  snprintf(error->text, sizeof error->text, "cannot count %s on robot %s: %s",
           method ? method : "the default method", robot, ap_status_text(status));
  return status;
}

// Counts in memory for the study that the caller provides.
static ap_status count_in(const ap_model *m, const ap_method *method, void *memory, size_t size,
                          ap_count *count) {
  ap_study *s = ap_study_init(m, AP_COUNT, memory, size);
  int columns = ap_columns_in(m, method->what), results = ap_columns_out(m, method->what);
  double *in = malloc((size_t)(columns + results) * sizeof *in);
  ap_status status = AP_E_MEMORY;
  if (s && in) {
    for (int k = 0; k < columns; k++) in[k] = 0.1 * (k % 7 + 1);
    status = ap_study_eval(s, method, in, in + columns, count);
  }
  free(in);
  return status;
}

ap_status survey_robot(const ap_robot_def *def, ap_quantity what, const char *name, ap_count *count,
                       ap_error *error) {
  const ap_method *method = ap_find_method(what, name);
  if (!method) return fail(error, AP_E_NOT_FOUND, name, def->name);
  size_t size = ap_model_size(def);
  void *memory = malloc(size);
  if (!memory) return fail(error, AP_E_MEMORY, name, def->name);
  ap_model *m = ap_model_init(def, memory, size, error);
  if (!m) {
    free(memory);
    return error->status;
  }
  size_t study_size = ap_study_size(m, AP_COUNT);
  void *study_memory = malloc(study_size);
  ap_status status =
      study_memory ? count_in(m, method, study_memory, study_size, count) : AP_E_MEMORY;
  free(study_memory);
  free(memory);
  return status == AP_OK ? AP_OK : fail(error, status, name, def->name);
}

survey *survey_new(int n, ap_error *error) {
  survey *s = calloc((size_t)n, sizeof *s);
  if (!s)
    *error = (ap_error){.status = AP_E_MEMORY, .text = "not enough memory to count operations"};
  return s;
}

ap_status survey_method(ap_quantity what, const char *method, ap_placement_kind kind, survey *s,
                        ap_error *error) {
  ap_status status = survey_robot(ap_builtin("puma600"), what, method, &s->puma, error);
  for (int g = 0; g < SURVEY_GEOMETRIES; g++) {
    for (int i = 0; i < SURVEY_SIZES && status == AP_OK; i++) {
      ap_body_def bodies[SURVEY_LAST];
      ap_robot_def def;
      general_robot(SURVEY_FIRST + i, (general_geometry)g, bodies, &def);
      for (int k = 0; k < def.nbody; k++) bodies[k].place.kind = kind;
      status = survey_robot(&def, what, method, &s->of[g][i], error);
    }
  }
  return status;
}
