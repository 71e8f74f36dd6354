// SPDX-License-Identifier: Apache-2.0
// Optimal control problems that tests and benchmark share: swing-ups of a cart-pole and of an
// acrobot, a reach of an arm of seven axes, a turn of a quadruped in free flight.

#ifndef AP_TESTS_DDP_CASES_H
#define AP_TESTS_DDP_CASES_H

#include <appell/ddp.h>
#include <appell/file.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DDP_NV = 24 };

// A problem with all that it points to.
typedef struct ddp_case {
  const char *name;
  ap_robot *robot; // NULL: the model is in memory
  ap_model *m;
  ap_work *w;
  ap_ddp *d;
  void *model_memory, *work_memory, *memory;
  ap_ddp_def def;
  double q0[DDP_NV + 1], v0[DDP_NV]; // where it begins
  double q[DDP_NV + 1];              // where it should end
  double u[DDP_NV];                  // controls that cost nothing
  double weight_q[DDP_NV], weight_v[DDP_NV], weight_u[DDP_NV], end_q[DDP_NV], end_v[DDP_NV];
  double lower[DDP_NV], upper[DDP_NV];
  int actuated[DDP_NV];
  ap_ddp_frame frame;
} ddp_case;

static inline void ddp_fill(double *x, int n, double value) {
  for (int i = 0; i < n; i++) x[i] = value;
}

static inline void ddp_use_definition(ddp_case *c, const ap_robot_def *def) {
  const size_t size = ap_model_size(def);
  c->model_memory = malloc(size);
  c->m = ap_model_init(def, c->model_memory, size, NULL);
}

static inline void ddp_use_file(ddp_case *c, const char *path) {
  ap_error error;
  if (ap_robot_read(path, &(ap_read_options){0}, &c->robot, &error) ||
      ap_robot_model(c->robot, &c->m, &error))
    printf("%s\n", error.text);
}

// Weights and limits become part of the definition; then the solver is made.
static inline void ddp_make(ddp_case *c) {
  ap_ddp_def *f = &c->def;
  ap_error error;
  const size_t work = ap_work_size(c->m);
  c->work_memory = malloc(work);
  c->w = ap_work_init(c->m, c->work_memory, work);
  f->model = c->m, f->q = c->q, f->actuated = c->actuated;
  f->weight_q = c->weight_q, f->weight_v = c->weight_v, f->weight_u = c->weight_u;
  f->u = c->u, f->end_q = c->end_q, f->end_v = c->end_v, f->lower = c->lower, f->upper = c->upper;
  const size_t size = ap_ddp_size(f);
  c->memory = malloc(size + 1);
  c->d = ap_ddp_init(f, c->memory, size, &error);
  if (!c->d) printf("%s\n", error.text);
  if (c->d) ap_ddp_start(c->d, c->q0, c->v0);
}

// All controls those that cost nothing.
static inline void ddp_hold(ddp_case *c) {
  const int n = c->def.controls ? c->def.controls : ap_nv(c->m);
  double *u = malloc((size_t)c->def.horizon * (size_t)n * sizeof *u);
  for (int k = 0; k < c->def.horizon * n; k++) u[k] = c->u[k % n];
  if (c->d) ap_ddp_guess(c->d, u);
  free(u);
}

static inline void ddp_free(ddp_case *c) {
  if (c->robot) ap_model_free(c->m);
  ap_robot_free(c->robot);
  free(c->model_memory), free(c->work_memory), free(c->memory);
  free(c);
}

static inline ddp_case *ddp_new(const char *name, int horizon, double step) {
  ddp_case *c = calloc(1, sizeof *c);
  c->name = name;
  c->def = ap_default_ddp();
  c->def.horizon = horizon, c->def.step = step;
  for (int i = 0; i < DDP_NV; i++) c->actuated[i] = i;
  return c;
}

// A cart of 1 kg with a pole of 0.3 kg, 0.5 m to its centre; the pole hangs and is to stand. The
// force on the cart is at most 12 N.
static inline ddp_case *ddp_cart_pole(void) {
  ddp_case *c = ddp_new("cart-pole", 100, 0.03);
  ap_body_def body[2] = {ap_default_body(), ap_default_body()};
  body[0].name = "cart", body[0].joint = AP_PRISMATIC, body[0].mass = 1;
  body[0].axis[0] = 1, body[0].axis[2] = 0;
  body[1].name = "pole", body[1].joint = AP_REVOLUTE, body[1].parent = 1, body[1].mass = 0.3;
  body[1].axis[1] = 1, body[1].axis[2] = 0, body[1].com[2] = -0.5;
  body[1].inertia[0] = body[1].inertia[3] = 0.02, body[1].inertia[5] = 0.001;
  ap_robot_def def = ap_default_robot();
  def.name = "cart-pole", def.bodies = body, def.nbody = 2;
  ddp_use_definition(c, &def);
  c->q[1] = acos(-1.0);
  c->def.controls = 1;
  c->lower[0] = -12, c->upper[0] = 12, c->weight_u[0] = 1e-3;
  ddp_fill(c->weight_q, 2, 1e-2), ddp_fill(c->weight_v, 2, 1e-3);
  ddp_fill(c->end_q, 2, 200), ddp_fill(c->end_v, 2, 20);
  ddp_make(c);
  return c;
}

// Two rods of 1 m and 1 kg that hang and are to stand, with a torque of at most 20 N m between
// them.
static inline ddp_case *ddp_acrobot(void) {
  ddp_case *c = ddp_new("acrobot", 200, 0.02);
  ap_body_def body[2] = {ap_default_body(), ap_default_body()};
  for (int i = 0; i < 2; i++) {
    body[i].joint = AP_REVOLUTE, body[i].parent = i, body[i].mass = 1;
    body[i].axis[1] = 1, body[i].axis[2] = 0, body[i].com[2] = -0.5;
    body[i].inertia[0] = body[i].inertia[3] = 1. / 12, body[i].inertia[5] = 1e-3;
  }
  body[0].name = "upper", body[1].name = "lower", body[1].place.xyz[2] = -1;
  ap_robot_def def = ap_default_robot();
  def.name = "acrobot", def.bodies = body, def.nbody = 2;
  ddp_use_definition(c, &def);
  c->q[0] = acos(-1.0);
  c->def.controls = 1, c->actuated[0] = 1;
  c->lower[0] = -20, c->upper[0] = 20, c->weight_u[0] = 1e-3;
  ddp_fill(c->weight_v, 2, 1e-4);
  ddp_fill(c->end_q, 2, 500), ddp_fill(c->end_v, 2, 50);
  c->def.scheme = AP_DDP_RK4;
  ddp_make(c);
  return c;
}

// The tool of an arm of seven axes goes to a place and an orientation and stops there, within the
// limits of the motors. It begins with the torques that hold it.
static inline ddp_case *ddp_reach(void) {
  ddp_case *c = ddp_new("reach", 100, 0.01);
  ddp_use_file(c, "models/arm7.yaml");
  const double start[7] = {0, 0.2, 0, 1.5, 0, 1.2, 0},
               there[7] = {0.9, 0.6, -0.3, 1.7, 0.2, 1.5, 0.6};
  memcpy(c->q0, start, sizeof start), memcpy(c->q, start, sizeof start);
  ddp_fill(c->weight_q, 7, 1e-4), ddp_fill(c->weight_v, 7, 1e-4), ddp_fill(c->weight_u, 7, 1e-6);
  ddp_fill(c->end_v, 7, 1);
  for (int j = 0; j < 7; j++)
    c->upper[j] = ap_body(c->m, j + 1)->effort_limit, c->lower[j] = -c->upper[j];
  c->frame = (ap_ddp_frame){
      .frame = ap_find_frame(c->m, "tool"), .end_position = 1000, .end_orientation = 100};
  c->def.frames = &c->frame, c->def.nframe = 1;
  ddp_make(c);
  ap_forward_kinematics(c->m, c->w, there, &c->frame.frame, 1, AP_LOCAL, c->frame.R, c->frame.p,
                        NULL);
  ap_gravity_forces(c->m, c->w, c->q0, c->u);
  ddp_hold(c);
  return c;
}

// A quadruped in free flight pitches its trunk by 0.2 rad and turns it by 0.1 about the vertical by
// moving its legs, whose motors have 30 N m; nothing acts on the trunk but them and gravity.
static inline ddp_case *ddp_flight(void) {
  ddp_case *c = ddp_new("flight", 40, 0.01);
  ddp_use_file(c, "models/quadruped.yaml");
  const int n = ap_nv(c->m);
  ap_neutral(c->m, c->q0), ap_neutral(c->m, c->q);
  c->q0[2] = 1, c->q[2] = 1;
  const double turn[6] = {0, 0, 0, 0, 0.2, 0.1};
  double v[DDP_NV] = {0};
  memcpy(v, turn, sizeof turn);
  ap_integrate(c->m, c->q, v, c->q);
  c->def.controls = n - 6;
  for (int j = 0; j < n - 6; j++) {
    c->actuated[j] = 6 + j;
    c->lower[j] = -30, c->upper[j] = 30, c->weight_u[j] = 1e-4;
  }
  for (int j = 6; j < n; j++) c->weight_q[j] = 1e-2;
  ddp_fill(c->weight_v, n, 1e-3);
  for (int j = 3; j < 6; j++) c->end_q[j] = 1000;
  for (int j = 6; j < n; j++) c->end_q[j] = 1e-1, c->end_v[j] = 1;
  for (int j = 3; j < 6; j++) c->end_v[j] = 10;
  ddp_make(c);
  return c;
}

#endif
