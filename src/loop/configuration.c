// Configurations of the built-in mechanisms in closed form: those of a branch at a pose, which a
// search from a distant guess may miss.

#include <appell/delta.h>
#include <appell/five_bar.h>
#include <appell/loop.h>
#include <appell/wrist.h>

#include <math.h>
#include <string.h>

#include "loop/closed.h"
#include "loop/work.h"

enum { ROOM = 8192 }; // bytes for a mechanism in closed form

static int sign_of(const char *branch, int limb) { return branch[limb] == '-' ? -1 : 1; }

// Position and quaternion of a platform turned by Rz(yaw) Ry(pitch) Rx(roll).
static void put_platform(const double xyz[3], const double angles[3], double x[7]) {
  double cy = cos(angles[0] / 2), sy = sin(angles[0] / 2);
  double cp = cos(angles[1] / 2), sp = sin(angles[1] / 2);
  double cr = cos(angles[2] / 2), sr = sin(angles[2] / 2);
  memcpy(x, xyz, sizeof(double) * 3);
  x[3] = sr * cp * cy - cr * sp * sy;
  x[4] = cr * sp * cy + sr * cp * sy;
  x[5] = cr * cp * sy - sr * sp * cy;
  x[6] = cr * cp * cy + sr * sp * sy;
}

// The joints of a robot at q on the branch, coordinate k of limb i at [k n + i].
static ap_status joints_of(ap_parallel *r, const double *q, double *y) {
  return r ? ap_parallel_inverse_kinematics(r, q, NULL, NULL, y, NULL, NULL) : AP_E_MEMORY;
}

static ap_status five_bar(const char *branch, const double *q, double *x) {
  unsigned char room[ROOM];
  double y[4];
  ap_five_bar_def def = ap_default_five_bar();
  for (int i = 0; i < 2; i++) def.limb[i].branch = sign_of(branch, i);
  def.least_serial = 1e-7;
  ap_status status = joints_of(ap_five_bar_init(&def, room, sizeof room, NULL), q, y);
  for (int i = 0; status == AP_OK && i < 2; i++) {
    x[2 * i] = y[i];
    x[2 * i + 1] = remainder(y[2 + i] - y[i], 2 * acos(-1));
  }
  return status;
}

static ap_status delta(const char *branch, const double *q, double *x) {
  unsigned char room[ROOM];
  double y[9];
  ap_delta_def def = ap_default_delta();
  for (int i = 0; i < 3; i++) def.limb[i].branch = sign_of(branch, i);
  def.least_serial = 1e-7;
  ap_status status = joints_of(ap_delta_init(&def, room, sizeof room, NULL), q, y);
  if (status != AP_OK) return status;
  for (int i = 0; i < 3; i++) {
    x[3 * i] = y[i];
    x[3 * i + 1] = remainder(y[3 + i] - y[i], 2 * acos(-1));
    x[3 * i + 2] = y[6 + i];
  }
  put_platform(q, (double[3]){0}, x + 9);
  return AP_OK;
}

static ap_status wrist(const char *branch, const double *q, double *x) {
  unsigned char room[ROOM];
  double y[6];
  ap_wrist_def def = ap_agile_wrist();
  for (int i = 0; i < 3; i++) def.limb[i].branch = sign_of(branch, i);
  def.least_serial = 1e-7;
  ap_status status = joints_of(ap_wrist_init(&def, room, sizeof room, NULL), q, y);
  if (status != AP_OK) return status;
  for (int i = 0; i < 3; i++) x[2 * i] = y[i], x[2 * i + 1] = y[3 + i];
  put_platform((double[3]){0}, q, x + 6);
  return AP_OK;
}

// A built-in mechanism in closed form, and the branch of its own guess.
typedef struct closed_form {
  const char *name, *own;
  ap_status (*place)(const char *branch, const double *q, double *x);
} closed_form;
static const closed_form known[] = {
    {"five-bar", "+-", five_bar}, {"delta", "+++", delta}, {"agile-wrist", "+++", wrist}};
enum { KNOWN = sizeof known / sizeof known[0], MOST_X = 16 };

static const closed_form *find(const char *name) {
  for (int i = 0; name && i < KNOWN; i++)
    if (!strcmp(known[i].name, name)) return &known[i];
  return NULL;
}

ap_status ap_mechanism_builtin_configuration(const char *name, const char *branch, const double *q,
                                             double *x) {
  double guess[2 * MOST_X];
  ap_status status = ap_mechanism_builtin_branch(name, branch, guess);
  if (status != AP_OK) return status;
  const closed_form *form = find(name);
  return form ? form->place(branch ? branch : form->own, q, x) : AP_E_UNSUPPORTED;
}

// Whether x closes the mechanism at q.
static bool fits(const ap_mechanism *m, ap_loop *l, const double *x, const double *q) {
  ap__rows(m, l, x, NULL, AP_ROWS_VALUES, l->try_F);
  for (int i = 0; i < m->nrow + m->n; i++) {
    double off = l->try_F[i];
    if (i >= m->nrow) off -= q[i - m->nrow];
    if (i >= m->nrow && m->measure[i - m->nrow].def.kind >= AP_COORDINATE_YAW)
      off = remainder(off, 2 * acos(-1));
    if (!(fabs(off) < 1e-9)) return false;
  }
  return true;
}

// Whether both guesses are the same but for rounding.
static bool same(int n, const double *a, const double *b) {
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) < 1e-9)) return false;
  return true;
}

// A mechanism of a file may be a built-in one, too: of the same name, whose branch begins at the
// same guess, and which is closed where that one is.
bool ap__loop_begin_there(const ap_mechanism *m, ap_loop *l, const char *branch, const double *q) {
  double first[2 * MOST_X], x[MOST_X];
  const double *guess = ap_mechanism_find_branch(m, branch);
  const char *name = ap_mechanism_name(m);
  const ap_mechanism_def *builtin = find(name) ? ap_mechanism_builtin(name) : NULL;
  return guess && builtin && builtin->ncoordinate == m->n &&
         builtin->robot->nbody + 1 == ap_nbody(m->tree) && m->nx <= MOST_X &&
         ap_mechanism_builtin_branch(name, branch, first) == AP_OK && same(m->nx, first, guess) &&
         ap_mechanism_builtin_configuration(name, branch, q, x) == AP_OK && fits(m, l, x, q) &&
         ap_loop_set_guess(m, l, x) == AP_OK;
}

ap_status ap_loop_begin(const ap_mechanism *m, ap_loop *l, const char *branch, const double *q) {
  const double *guess = ap_mechanism_find_branch(m, branch);
  if (!guess) return AP_E_NOT_FOUND;
  if (!ap__finite(m->n, q)) return AP_E_ARG;
  return ap__loop_begin_there(m, l, branch, q) ? AP_OK : ap_loop_set_guess(m, l, guess);
}
