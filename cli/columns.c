// SPDX-License-Identifier: Apache-2.0
#include "columns.h"

#include <appell/file.h>
#include <stdio.h>
#include <stdlib.h>

#include "load.h"

// Or several.
static bool is_matrix(ap_quantity what) {
  return what == AP_INERTIA || what == AP_INVERSE_DERIVATIVES || what == AP_FORWARD_DERIVATIVES;
}

static const char *matrix_name(ap_quantity what, int k) {
  static const char *const inverse[] = {"dtau/dq", "dtau/dv", "dtau/da"};
  static const char *const forward[] = {"da/dq", "da/dv", "da/dtau"};
  return what == AP_INERTIA ? "M" : what == AP_INVERSE_DERIVATIVES ? inverse[k] : forward[k];
}

// The whole name's length, as snprintf() has it.
static int name_column(const ap_model *m, ap_quantity what, int column, char *text, size_t size) {
  const int nv = ap_nv(m);
  if (is_matrix(what))
    return snprintf(text, size, "%s[%d,%d]", matrix_name(what, column / (nv * nv)),
                    column % (nv * nv) / nv, column % nv);
  if (what == AP_ENERGY) return snprintf(text, size, "%s", column == 0 ? "kinetic" : "potential");
  return what == AP_FORWARD ? ap_column_name(m, AP_JOINT_A, "a", column, text, size)
                            : ap_column_name(m, AP_JOINT_TAU, "tau", column, text, size);
}

char *cli_column_name(const ap_model *m, ap_quantity what, int column, char *text, size_t size) {
  name_column(m, what, column, text, size);
  return text;
}

static int name_mechanism_column(const ap_mechanism *m, ap_quantity what, int column, char *text,
                                 size_t size) {
  const int n = ap_mechanism_n(m);
  if (what == AP_INVERSE_DERIVATIVES || what == AP_FORWARD_DERIVATIVES) {
    const int nact = ap_mechanism_nact(m),
              size_of_one = (what == AP_FORWARD_DERIVATIVES ? n : nact) * n;
    const int which = column / size_of_one < 2 ? column / size_of_one : 2,
              at = column - which * size_of_one;
    const int columns = what == AP_FORWARD_DERIVATIVES && which == 2 ? nact : n;
    return snprintf(text, size, "%s[%d,%d]", matrix_name(what, which), at / columns, at % columns);
  }
  if (what == AP_FORWARD)
    return snprintf(text, size, "a.%s", ap_mechanism_coordinate(m, column)->name);
  if (what == AP_INERTIA) return snprintf(text, size, "M[%d,%d]", column / n, column % n);
  if (what == AP_ENERGY) return snprintf(text, size, "%s", column == 0 ? "kinetic" : "potential");
  return snprintf(text, size, "tau.%s", ap_mechanism_actuator_name(m, column));
}

char *cli_new_column_name(const ap_model *m, const ap_mechanism *mechanism, ap_quantity what,
                          int column) {
  const int length = mechanism ? name_mechanism_column(mechanism, what, column, NULL, 0)
                               : name_column(m, what, column, NULL, 0);
  const size_t size = (size_t)length + 1;
  char *name = malloc(size);
  if (name && mechanism) name_mechanism_column(mechanism, what, column, name, size);
  return name && !mechanism ? cli_column_name(m, what, column, name, size) : name;
}
