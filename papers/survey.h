// SPDX-License-Identifier: Apache-2.0
// One method's operations, counted by running it on robots of every length.

#ifndef PAPERS_SURVEY_H
#define PAPERS_SURVEY_H

#include <appell/research.h>

#include "experiments.h"

enum {
  SURVEY_FIRST = 2,
  SURVEY_LAST = 20,
  SURVEY_SIZES = SURVEY_LAST - SURVEY_FIRST + 1,
  SURVEY_GEOMETRIES = SPECIAL_GEOMETRY + 1
};

typedef struct survey {
  ap_count of[SURVEY_GEOMETRIES][SURVEY_SIZES]; ///< general_robot(SURVEY_FIRST + i) at [i]
  ap_count puma;                                ///< the built-in robot puma600
  bool general_only; ///< SPECIAL_GEOMETRY and puma say nothing and are not to be shown
} survey;

/// So many of them, empty, for free(); NULL and *error where there is no memory.
survey *survey_new(int n, ap_error *error);
/// Count a method on all of them, with Denavit-Hartenberg parameters of this kind.
/// AP_E_NOT_FOUND where the library has no such method.
ap_status survey_method(ap_quantity what, const char *method, ap_placement_kind kind, survey *s,
                        ap_error *error);
/// Count it on one robot; what the state is does not matter.
ap_status survey_robot(const ap_robot_def *def, ap_quantity what, const char *method,
                       ap_count *count, ap_error *error);

#endif
