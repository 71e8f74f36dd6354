#include "columns.h"

#include <string.h>

#include "load.h"

enum { NAME_BYTES = 1024 };

// Components of the forces on a joint. Those of an acceleration are the rates of the velocity's,
// and are called like them.
static const char *component(ap_joint_type type, bool force, int k) {
  static const char *const forces[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
  static const char *const rates[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static const char *const planar_forces[] = {"fx", "fy", "t"};
  static const char *const planar_rates[] = {"vx", "vy", "w"};
  switch (type) {
    case AP_FREE: return force ? forces[k] : rates[k];
    case AP_SPHERICAL: return force ? forces[k + 3] : rates[k + 3];
    case AP_PLANAR: return force ? planar_forces[k] : planar_rates[k];
    default: return "";
  }
}

// The body whose joint has entry number index of v; 0 where there is none.
static int body_of_velocity(const ap_model *m, int index) {
  for (int i = 1; i < ap_nbody(m); i++) {
    const int first = ap_joint_v(m, i), count = ap_joint_nv(m, i);
    if (count > 0 && index >= first && index < first + count) return i;
  }
  return 0;
}

static void replace_separators(char *name) {
  for (; *name; name++) {
    const unsigned char c = (unsigned char)*name;
    if (c <= 0x20 || c == 0x7f || c == ',') *name = '_';
  }
}

char *cli_column_name(const ap_model *m, ap_quantity what, int column, char *text, size_t size) {
  const int nv = ap_nv(m);
  if (what == AP_ENERGY) {
    snprintf(text, size, "%s", column == 0 ? "kinetic" : "potential");
  } else if (what == AP_INERTIA) {
    snprintf(text, size, "M[%d,%d]", column / nv, column % nv);
  } else {
    const int i = body_of_velocity(m, column);
    const bool force = what != AP_FORWARD;
    const char *part = component(ap_body(m, i)->joint, force, column - ap_joint_v(m, i));
    const char *letter = force ? "tau" : "a";
    snprintf(text, size, "%s.%s%s%s", letter, cli_joint_name(m, i), part[0] ? "." : "", part);
    replace_separators(text);
  }
  return text;
}

void cli_write_columns(cli_out *out, const ap_model *m, ap_quantity what) {
  char name[NAME_BYTES];
  cli_out_write(out, "#", 1);
  for (int k = 0; k < ap_columns_out(m, what); k++) {
    cli_column_name(m, what, k, name, sizeof name);
    cli_out_write(out, " ", 1);
    cli_out_write(out, name, strlen(name));
  }
  cli_out_write(out, "\n", 1);
}
