#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "load.h"

// Room for what stands around a joint's name: "tau.", ".fx" and a zero.
enum { AROUND_BYTES = 16, MATRIX_BYTES = 32 };

enum { MAX_COMPONENTS = 6 };

// Components of the forces on a joint. Those of an acceleration are the rates of the velocity's,
// and are called like them. A joint with one entry has the one name "".
typedef const char *components[MAX_COMPONENTS];

static const char *component(ap_joint_type type, bool force, int k) {
  static const components forces[] = {[AP_FREE] = {"fx", "fy", "fz", "tx", "ty", "tz"},
                                      [AP_SPHERICAL] = {"tx", "ty", "tz"},
                                      [AP_PLANAR] = {"fx", "fy", "t"}};
  static const components rates[] = {[AP_FREE] = {"vx", "vy", "vz", "wx", "wy", "wz"},
                                     [AP_SPHERICAL] = {"wx", "wy", "wz"},
                                     [AP_PLANAR] = {"vx", "vy", "w"}};
  const char *name = force ? forces[type][k] : rates[type][k];
  return name ? name : "";
}

void cli_replace_separators(char *name) {
  for (size_t length; *name; name += length) {
    length = cli_character(name);
    if (!cli_is_control(name) && *name != ' ' && *name != ',') continue;
    for (size_t k = 0; k < length; k++) name[k] = '_';
  }
}

// The column of entry k of body i's joint.
static void joint_column(const ap_model *m, ap_quantity what, int i, int k, char *text,
                         size_t size) {
  const bool force = what != AP_FORWARD;
  const char *part = component(ap_body(m, i)->joint, force, k);
  snprintf(text, size, "%s.%s%s%s", force ? "tau" : "a", cli_joint_name(m, i), part[0] ? "." : "",
           part);
  cli_replace_separators(text);
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
  text[0] = 0;
  if (is_plain(what)) plain_column(m, what, column, text, size);
  for (int i = 1; i < ap_nbody(m) && !is_plain(what); i++) {
    const int k = column - ap_joint_v(m, i);
    if (k >= 0 && k < ap_joint_nv(m, i)) joint_column(m, what, i, k, text, size);
  }
  return text;
}

char *cli_velocity_name(const ap_model *m, int v, char *text, size_t size) {
  const size_t before = strlen("a."); // accelerations have the velocities' names
  if (strlen(cli_column_name(m, AP_FORWARD, v, text, size)) < before) return text;
  memmove(text, text + before, strlen(text + before) + 1);
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

// Joints are in the order of v.
static bool write_joint_columns(cli_out *out, const ap_model *m, ap_quantity what) {
  size_t longest = 0;
  for (int i = 1; i < ap_nbody(m); i++) {
    const size_t length = strlen(cli_joint_name(m, i));
    if (length > longest) longest = length;
  }
  char *name = malloc(longest + AROUND_BYTES);
  if (!name) return false;
  for (int i = 1; i < ap_nbody(m); i++) {
    for (int k = 0; k < ap_joint_nv(m, i); k++) {
      joint_column(m, what, i, k, name, longest + AROUND_BYTES);
      write_name(out, name);
    }
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
