// SPDX-License-Identifier: Apache-2.0
// Optimal control: a pole on a cart swings up under a limited force, then a controller that plans
// anew at every step balances it against a push. The core alone, without heap.

#include <appell/appell.h>
#include <math.h>
#include <stdio.h>

enum { UP = 100, AHEAD = 40 };

static unsigned char pool[4][400000]; // model, work, two solvers

static const ap_model *cart_pole(void) {
  ap_body_def body[2] = {ap_default_body(), ap_default_body()};
  body[0].name = "cart", body[0].joint = AP_PRISMATIC, body[0].mass = 1;
  body[0].axis[0] = 1, body[0].axis[2] = 0; // along x
  body[1].name = "pole", body[1].joint = AP_REVOLUTE, body[1].parent = 1, body[1].mass = 0.3;
  body[1].axis[1] = 1, body[1].axis[2] = 0, body[1].com[2] = -0.5; // hangs at q = 0
  body[1].inertia[0] = body[1].inertia[3] = 0.02, body[1].inertia[5] = 0.001;
  ap_robot_def def = ap_default_robot();
  def.bodies = body, def.nbody = 2;
  return ap_model_init(&def, pool[0], sizeof pool[0], NULL);
}

int main(void) {
  const ap_model *m = cart_pole();
  ap_work *w = m ? ap_work_init(m, pool[1], sizeof pool[1]) : NULL;
  const double upright[2] = {0, acos(-1.0)}, force[1] = {12}, back[1] = {-12};
  const double along[2] = {1e-2, 1e-2}, slow[2] = {1e-3, 1e-3}, cheap[1] = {1e-3};
  const double there[2] = {200, 200}, still[2] = {20, 20};
  ap_ddp_def def = ap_default_ddp();
  ap_error error;
  def.model = m, def.horizon = UP, def.step = 0.03;
  def.controls = 1, def.lower = back, def.upper = force; // the cart is pushed, the pole is not
  def.q = upright, def.weight_q = along, def.weight_v = slow, def.weight_u = cheap;
  def.end_q = there, def.end_v = still;
  ap_ddp *plan = w ? ap_ddp_init(&def, pool[2], sizeof pool[2], &error) : NULL;
  ap_ddp_report report;
  if (!plan || ap_ddp_solve(plan, w, 400, &report)) return 1;
  printf("swing-up: %d iterations, cost %.3f to %.3f\n", report.iterations, report.first_cost,
         report.cost);
  const double *end = ap_ddp_position(plan, UP);
  printf("after %.1f s: cart at %.3f m, pole at %.3f rad\n", UP * def.step, end[0], end[1]);

  // From there on: plan 0.8 s ahead, one iteration at every step, warm-started by the plan before.
  double q[2] = {end[0], end[1]}, v[2] = {0, 0}, a[2], tau[2] = {0, 0};
  def.horizon = AHEAD, def.step = 0.02;
  ap_ddp *ahead = ap_ddp_init(&def, pool[3], sizeof pool[3], &error);
  for (int k = 0; ahead && k < 200; k++) {
    if (k == 50) v[1] += 1; // a push
    if (ap_ddp_start(ahead, q, v)) return 1;
    ap_ddp_solve(ahead, w, 1, NULL);
    tau[0] = ap_ddp_control(ahead, 0)[0];
    if (ap_forward_dynamics(m, w, q, v, tau, a)) return 1;
    for (int i = 0; i < 2; i++) v[i] += def.step * a[i], q[i] += def.step * v[i];
    ap_ddp_shift(ahead, 1);
  }
  printf("balanced: pole %.4f rad from upright 3 s after a push\n", fabs(q[1] - upright[1]));
  return fabs(q[1] - upright[1]) < 0.02 ? 0 : 1;
}
