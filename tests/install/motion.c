// SPDX-License-Identifier: Apache-2.0
// Integrates over time with libappell-tools, which needs no other library for it.
#include <appell/sim.h>

static ap_status growth(void *context, double t, const double *y, double *dydt) {
  (void)context, (void)t;
  dydt[0] = y[0];
  return AP_OK;
}

int main(void) {
  ap_ode *ode;
  double y[1] = {1};
  ap_status status = ap_ode_create(1, growth, NULL, NULL, &ode, NULL);
  if (!status) status = ap_ode_start(ode, 0, y, NULL);
  if (!status) status = ap_ode_advance(ode, 1, y, NULL);
  ap_ode_free(ode);
  return status || y[0] < 2.718 || y[0] > 2.719;
}
