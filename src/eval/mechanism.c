// SPDX-License-Identifier: Apache-2.0
// A quantity of a mechanism with closed chains, in its independent coordinates.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "eval/eval.h"
#include "info/freedoms.h"

static const char *plural(int n) { return n == 1 ? "" : "s"; }

// More coordinates than freedoms where it closes from the guess; poses cannot be reached then.
static ap_status check_freedoms(const ap_eval *e, const double *guess, ap_error *error) {
  const size_t bytes = sizeof(double) * (size_t)ap_nq(e->m);
  double *x = malloc(bytes + 1);
  char text[120];
  ap_assembly found;
  if (!x) return AP_E_MEMORY;
  memcpy(x, guess, bytes);
  const ap_status status = ap_loop_close(e->mechanism, e->loop, x, NULL, &found);
  free(x);
  if (status != AP_OK || ap_nv(e->m) - found.rank >= ap_mechanism_n(e->mechanism)) return AP_OK;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "%s (the numbers must agree)",
                    ap__freedoms(e->mechanism, found.rank, text, sizeof text));
}

static ap_status check_actuators(const ap_eval *e, ap_error *error) {
  const ap_quantity what = e->o.method->what;
  const int n = ap_mechanism_n(e->mechanism), nact = ap_mechanism_nact(e->mechanism);
  if (nact >= n || what == AP_FORWARD || what == AP_INERTIA || what == AP_ENERGY ||
      what == AP_FORWARD_DERIVATIVES)
    return AP_OK;
  return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                    "%d actuator%s cannot produce the forces on %d coordinate%s (use at least as "
                    "many; forward, dforward, inertia and energy still work)",
                    nact, plural(nact), n, plural(n));
}

ap_status ap__eval_open_mechanism(ap_eval *e, ap_error *error) {
  const ap_mechanism *m = e->mechanism;
  const int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  const int in[] = {3 * n, 2 * n + nact, n, 2 * n, n, 2 * n, 3 * n, 2 * n + nact};
  const int out[] = {nact, n, n * n, nact, nact, 2, 3 * nact * n, 2 * n * n + n * nact};
  const ap_quantity what = e->o.method->what;
  const double *guess = ap_mechanism_find_branch(m, e->o.branch);
  if (e->o.arithmetic != AP_F64)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "arithmetics other than f64 are not available for mechanisms");
  if (!guess) return AP__REFUSE(error, AP_E_NOT_FOUND, 0, "the mechanism has no such branch");
  e->in = in[what], e->out = out[what];
  e->loop = ap_loop_make(m);
  e->zero = calloc((size_t)n + (size_t)e->out, sizeof *e->zero);
  if (!e->loop || !e->zero) return AP_E_MEMORY;
  const ap_status status = check_actuators(e, error);
  if (status != AP_OK) return status;
  if (e->o.friction) ap_set_friction(e->m, ap_loop_work(e->loop), true);
  if (e->o.gravity) ap_set_gravity(e->m, ap_loop_work(e->loop), e->o.gravity);
  return check_freedoms(e, guess, error);
}

ap_status ap__eval_mechanism(ap_eval *e, const double *in, double *out) {
  const ap_mechanism *m = e->mechanism;
  ap_loop *l = e->loop;
  const int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  const double *q = in, *v = q + n, *third = v + n;
  ap_loop_begin(m, l, e->o.branch, q);
  switch (e->o.method->what) {
    case AP_INVERSE: return ap_loop_inverse_dynamics(m, l, q, v, third, out);
    case AP_FORWARD: return ap_loop_forward_dynamics(m, l, q, v, third, out);
    case AP_INERTIA: return ap_loop_inertia_matrix(m, l, q, out);
    case AP_BIAS: return ap_loop_inverse_dynamics(m, l, q, v, e->zero, out);
    case AP_GRAVITY: return ap_loop_inverse_dynamics(m, l, q, e->zero, e->zero, out);
    case AP_ENERGY: return ap_loop_energy(m, l, q, v, &out[0], &out[1]);
    case AP_INVERSE_DERIVATIVES:
      return ap_loop_inverse_dynamics_derivatives(m, l, q, v, third, out, out + nact * n,
                                                  out + 2 * nact * n);
    case AP_FORWARD_DERIVATIVES:
      return ap_loop_forward_dynamics_derivatives(m, l, q, v, third, out, out + n * n,
                                                  out + 2 * n * n);
  }
  return AP_E_UNSUPPORTED;
}

// A pitch of +-pi/2 among the coordinates.
static bool in_gimbal(const ap_mechanism *m, const double *q) {
  for (int i = 0; i < ap_mechanism_n(m); i++)
    if (ap_mechanism_coordinate(m, i)->kind == AP_COORDINATE_PITCH && fabs(cos(q[i])) < 1e-6)
      return true;
  return false;
}

// The state is computed again, because others may have been since.
void ap__eval_explain_mechanism(ap_eval *e, const double *q, ap_status status, char *text,
                                size_t size) {
  const ap_mechanism *m = e->mechanism;
  const char *what = ap_status_text(status);
  const bool serial = status == AP_E_SINGULAR_SERIAL;
  char freedoms[120];
  ap_assembly found;
  ap_singularity near;
  ap__eval_mechanism(e, q, e->zero + ap_mechanism_n(m));
  if (status == AP_E_UNREACHABLE && ap_loop_place(m, e->loop, q, &found) == status &&
      found.worst >= 0) {
    snprintf(text, size, "%s (error of closure '%s': %.3g, of a coordinate: %.3g)", what,
             ap_mechanism_closure(m, found.worst)->name, found.closure_error,
             found.coordinate_error);
  } else if (status == AP_E_ARG) {
    snprintf(text, size, "a result overflows (use smaller numbers)");
  } else if (serial && in_gimbal(m, q)) {
    snprintf(text, size,
             "%s (serial singularity: at a pitch of +-pi/2 yaw and roll are not determined)", what);
  } else if (status == AP_E_MODEL && ap_loop_place(m, e->loop, q, &found) == status) {
    snprintf(text, size, "%s (the numbers must agree)",
             ap__freedoms(m, found.rank, freedoms, sizeof freedoms));
  } else if (serial || status == AP_E_SINGULAR_PARALLEL) {
    ap_loop_singularity(m, e->loop, q, &near);
    snprintf(text, size, "%s (%s singularity, distance %.3g)", what, serial ? "serial" : "parallel",
             serial ? near.serial : near.parallel);
  } else {
    snprintf(text, size, "%s", what);
  }
}
