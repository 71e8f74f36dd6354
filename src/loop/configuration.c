// SPDX-License-Identifier: Apache-2.0
// Configurations of the built-in mechanisms in closed form: those of a branch at a pose, which a
// search from a distant guess may miss.

#include <appell/loop.h>

#include <math.h>
#include <string.h>

#include "loop/closed_chain.h"
#include "loop/parallel.h"
#include "loop/work.h"

enum { ROOM = 8192 }; // bytes for a mechanism in closed form

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

enum { MOST_X = 16 };

// Whether a built-in mechanism is known in closed form.
static bool known(const char *name) {
  unsigned char room[ROOM];
  return name && ap_parallel_builtin(name, NULL, room, sizeof room);
}

ap_status ap_mechanism_builtin_configuration(const char *name, const char *branch, const double *q,
                                             double *x) {
  double guess[2 * MOST_X];
  ap_status status = ap_mechanism_builtin_branch(name, branch, guess);
  if (status != AP_OK) return status;
  unsigned char room[ROOM];
  double y[9];
  ap_parallel *r = ap_parallel_builtin(name, branch, room, sizeof room);
  if (!r) return AP_E_UNSUPPORTED;
  r->least_serial = 1e-7;
  status = ap_parallel_inverse_kinematics(r, q, NULL, NULL, y, NULL, NULL);
  if (status != AP_OK) return status;
  const int n = ap_parallel_n(r), joints = r->kind == DELTA ? 3 : 2;
  for (int i = 0; i < n; i++) {
    x[joints * i] = y[i];
    x[joints * i + 1] = r->kind == WRIST ? y[n + i] : remainder(y[n + i] - y[i], 2 * acos(-1));
    if (joints == 3) x[joints * i + 2] = y[2 * n + i];
  }
  const double none[3] = {0};
  if (r->kind == DELTA) put_platform(q, none, x + 9);
  if (r->kind == WRIST) put_platform(none, q, x + 6);
  return AP_OK;
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
  const ap_mechanism_def *builtin = known(name) ? ap_mechanism_builtin(name) : NULL;
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
