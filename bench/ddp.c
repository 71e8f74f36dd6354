// SPDX-License-Identifier: Apache-2.0
// Time of optimal control: one call with one iteration, as a control loop makes it, from a state
// beside the plan (simulation, derivatives, backward pass, one forward pass), and the whole
// solution from its first guess. Each figure is the least of several; one core. Beside them what
// Crocoddyl's authors printed for an arm of seven joints.

#include <appell/file.h>
#include <stdio.h>

#include "clock.h"
#include "ddp_cases.h"

enum { CALLS = 300 };

static double whole_solution(ddp_case *c, ap_ddp_report *report) {
  double least = INFINITY;
  for (int run = 0; run < 3; run++) {
    ap_ddp_start(c->d, c->q0, c->v0);
    ddp_hold(c);
    const double began = now();
    ap_ddp_solve(c->d, c->w, 1000, report);
    least = fmin(least, now() - began);
  }
  return least;
}

// ns; the state is beside the plan by 1e-3 of velocity, on either side in turn.
static double one_call(ddp_case *c) {
  double least = INFINITY, v[DDP_NV];
  for (int k = 0; k < CALLS; k++) {
    for (int i = 0; i < ap_nv(c->m); i++) v[i] = c->v0[i] + (k % 2 ? 1e-3 : -1e-3);
    ap_ddp_start(c->d, c->q0, v);
    const double began = now();
    ap_ddp_solve(c->d, c->w, 1, NULL);
    least = fmin(least, now() - began);
  }
  return least;
}

int main(void) {
  ddp_case *(*const make[])(void) = {ddp_cart_pole, ddp_acrobot, ddp_reach, ddp_flight};
  printf("%-10s %3s %3s %6s %11s %13s %9s %11s %9s\n", "case", "nv", "nu", "steps", "us per call",
         "calls per s", "us/step", "iterations", "ms in all");
  for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
    ddp_case *c = make[i]();
    if (!c->d) return 1;
    ap_ddp_report report;
    const double all = whole_solution(c, &report), call = one_call(c);
    printf("%-10s %3d %3d %6d %11.0f %13.0f %9.2f %11d %9.1f\n", c->name, ap_nv(c->m),
           c->def.controls ? c->def.controls : ap_nv(c->m), c->def.horizon, call / 1e3, 1e9 / call,
           call / 1e3 / c->def.horizon, report.iterations, all / 1e6);
    ddp_free(c);
  }
  printf(
      "\nCrocoddyl's authors printed 1.60 ms for DDP.solve of an arm of seven joints, with "
      "several\n"
      "threads (github.com/loco-3d/crocoddyl, issue 574, 2019; processor and steps are not "
      "stated).\n"
      "Another machine and problem: the order of size only.\n");
  return 0;
}
