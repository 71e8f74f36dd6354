// SPDX-License-Identifier: Apache-2.0
#include "columns.h"

#include <appell/file.h>
#include <stdlib.h>

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

bool cli_write_columns(cli_out *out, const ap_model *m, ap_quantity what) {
  bool done = true;
  cli_out_write(out, "#", 1);
  for (int k = 0; done && k < ap_columns_out(m, what); k++) {
    const int length = name_column(m, what, k, NULL, 0);
    char *name = malloc((size_t)length + 1);
    done = name != NULL;
    cli_out_write(out, " ", 1);
    if (done)
      cli_out_write(out, cli_column_name(m, what, k, name, (size_t)length + 1), (size_t)length);
    free(name);
  }
  cli_out_write(out, "\n", 1);
  return done;
}
