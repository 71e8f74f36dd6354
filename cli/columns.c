#include "columns.h"

#include <appell/run.h>
#include <stdlib.h>
#include <string.h>

enum { MATRIX_BYTES = 32 };

// The column of entry k of an acceleration or of forces; the length of the whole name.
static int joint_column(const ap_model *m, ap_quantity what, int k, char *text, size_t size) {
  const bool force = what != AP_FORWARD;
  return ap_column_name(m, force ? AP_JOINT_TAU : AP_JOINT_A, force ? "tau" : "a", k, text, size);
}

bool cli_is_matrix(ap_quantity what) {
  return what == AP_INERTIA || what == AP_INVERSE_DERIVATIVES || what == AP_FORWARD_DERIVATIVES;
}

static const char *matrix_name(ap_quantity what, int k) {
  static const char *const inverse[] = {"dtau/dq", "dtau/dv", "dtau/da"};
  static const char *const forward[] = {"da/dq", "da/dv", "da/dtau"};
  return what == AP_INERTIA ? "M" : what == AP_INVERSE_DERIVATIVES ? inverse[k] : forward[k];
}

// The columns of a quantity that has no entry per joint.
static void plain_column(const ap_model *m, ap_quantity what, int column, char *text, size_t size) {
  if (what == AP_ENERGY) {
    snprintf(text, size, "%s", column == 0 ? "kinetic" : "potential");
  } else {
    const int nv = ap_nv(m), entry = column % (nv * nv);
    snprintf(text, size, "%s[%d,%d]", matrix_name(what, column / (nv * nv)), entry / nv,
             entry % nv);
  }
}

static bool is_plain(ap_quantity what) { return what == AP_ENERGY || cli_is_matrix(what); }

char *cli_column_name(const ap_model *m, ap_quantity what, int column, char *text, size_t size) {
  if (is_plain(what))
    plain_column(m, what, column, text, size);
  else
    joint_column(m, what, column, text, size);
  return text;
}

static void write_name(cli_out *out, const char *name) {
  cli_out_write(out, " ", 1);
  cli_out_write(out, name, strlen(name));
}

static void write_plain_columns(cli_out *out, const ap_model *m, ap_quantity what) {
  char name[MATRIX_BYTES];
  for (int k = 0; k < ap_columns_out(m, what); k++) {
    plain_column(m, what, k, name, sizeof name);
    write_name(out, name);
  }
}

static bool write_joint_columns(cli_out *out, const ap_model *m, ap_quantity what) {
  int longest = 0;
  for (int k = 0; k < ap_nv(m); k++) {
    const int length = joint_column(m, what, k, NULL, 0);
    if (length > longest) longest = length;
  }
  char *name = malloc((size_t)longest + 1);
  if (!name) return false;
  for (int k = 0; k < ap_nv(m); k++) {
    joint_column(m, what, k, name, (size_t)longest + 1);
    write_name(out, name);
  }
  free(name);
  return true;
}

bool cli_write_columns(cli_out *out, const ap_model *m, ap_quantity what) {
  bool done = true;
  cli_out_write(out, "#", 1);
  if (is_plain(what)) {
    write_plain_columns(out, m, what);
  } else {
    done = write_joint_columns(out, m, what);
  }
  cli_out_write(out, "\n", 1);
  return done;
}
