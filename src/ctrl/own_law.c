// SPDX-License-Identifier: Apache-2.0
// A control law of the caller's in the loop.

#include <math.h>

#include "ctrl/ctrl.h"
#include "ctrl/servo.h"

void ap__servo_own_law(ap_servo *s, double *tau) {
  const ap_model *m = ap_ctrl_model(s->def.ctrl);
  ap_work *w = ap_ctrl_work(s->def.ctrl);
  const double *limit = ap__ctrl_limit(s->def.ctrl);
  const int n = s->n;
  double *bias = s->work1, *passive = s->work2;
  ap_inertia_matrix(m, w, s->q, s->inertia);
  ap_bias(m, w, s->q, s->v, bias);
  ap_passive_forces(m, w, s->q, passive);
  for (int j = 0; j < n; j++) s->inertia[j * n + j] += s->rotor[j], bias[j] += passive[j];
  const ap_law_input input = {.t = s->t,
                              .run_t = s->record.run_t,
                              .phase = s->record.phase,
                              .n = n,
                              .q = s->q,
                              .v = s->v,
                              .qd = s->qd,
                              .vd = s->vd,
                              .ad = s->ad,
                              .torque = s->record.input.torque,
                              .residual = s->record.residual,
                              .inertia = s->inertia,
                              .bias = bias,
                              .model = m,
                              .work = w};
  s->def.law(s->def.law_context, &input, s->asked);
  // Comparisons with what is not a number are false: it stays, and the guard sees it.
  for (int j = 0; j < n; j++) {
    tau[j] = s->asked[j];
    if (tau[j] > limit[j]) tau[j] = limit[j];
    if (tau[j] < -limit[j]) tau[j] = -limit[j];
  }
}
