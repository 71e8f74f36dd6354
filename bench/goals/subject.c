// SPDX-License-Identifier: Apache-2.0
// Compiled once against the headers and libraries of each build that is measured, hence in terms of
// what all of them have.

#include <appell/batch.h>
#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "subject.h"

typedef struct robot {
  ap_model *m;
  ap_work *w;
  ap_batch *b;
  int nq, nv;
  int *end, ends; // bodies that carry no other moving one
  uint64_t seed;
} robot;

static void *memory(size_t size) {
  void *p = calloc(1, size);
  if (!p) abort();
  return p;
}

static void find_ends(robot *r) {
  const int n = ap_moving_bodies(r->m);
  r->end = memory((size_t)n * sizeof *r->end);
  for (int k = 0; k < n; k++) {
    bool carries = false;
    for (int i = 0; i < n; i++)
      carries = carries || ap_body_mover(r->m, ap_body(r->m, ap_moving_body(r->m, i))->parent) ==
                               ap_moving_body(r->m, k);
    if (!carries) r->end[r->ends++] = ap_moving_body(r->m, k);
  }
}

static void *open_robot(const char *name, bool floating) {
  const ap_read_options options = {.floating = floating};
  robot *r = memory(sizeof *r);
  ap_robot *from;
  ap_error error;
  ap_status status = ap_builtin(name) ? ap_robot_builtin(name, &options, &from, &error)
                                      : ap_robot_read(name, &options, &from, &error);
  if (status == AP_OK) status = ap_robot_model(from, &r->m, &error);
  if (status != AP_OK) {
    fprintf(stderr, "%s: %s\n", name, error.text);
    exit(1);
  }
  ap_robot_free(from);
  r->w = ap_work_init(r->m, memory(ap_work_size(r->m)), ap_work_size(r->m));
  r->b = ap_batch_init(r->m, memory(ap_batch_size(r->m)), ap_batch_size(r->m));
  r->nq = ap_nq(r->m), r->nv = ap_nv(r->m), r->seed = 1;
  find_ends(r);
  return r;
}

static void sizes(const void *own, int *nq, int *nv, int *ends) {
  const robot *r = own;
  *nq = r->nq, *nv = r->nv, *ends = r->ends;
}

// Between -1 and 1.
static double draw_number(robot *r) {
  r->seed = r->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(r->seed >> 11) * 0x1p-52 - 1;
}

static void draw(void *own, double *q, double *v, double *a, double *tau) {
  robot *r = own;
  for (int k = 0; k < r->nv; k++) tau[k] = 3 * draw_number(r);
  for (int k = 0; k < r->nv; k++) v[k] = draw_number(r), a[k] = draw_number(r);
  ap_neutral(r->m, q);
  ap_integrate(r->m, q, tau, q);
  ap_inverse_dynamics(r->m, r->w, q, v, a, tau);
}

static void kinematics(robot *r, const double *q, double *out) {
  ap_kinematics(r->m, r->w, q, NULL, NULL);
  for (int k = 0; k < r->ends; k++, out += 12 + 6 * r->nv) {
    ap_frame_pose(r->m, r->w, r->end[k], out, out + 9);
    ap_frame_jacobian(r->m, r->w, r->end[k], AP_MIXED, out + 12);
  }
}

static void one(void *own, int what, const double *q, const double *v, const double *x, double *o) {
  robot *r = own;
  const size_t n = (size_t)r->nv * (size_t)r->nv;
  switch (what) {
    case ID: ap_inverse_dynamics(r->m, r->w, q, v, x, o); break;
    case M: ap_inertia_matrix(r->m, r->w, q, o); break;
    case FD: ap_forward_dynamics(r->m, r->w, q, v, x, o); break;
    case DID: ap_inverse_dynamics_derivatives(r->m, r->w, q, v, x, o, o + n, o + 2 * n); break;
    case DFD: ap_forward_dynamics_derivatives(r->m, r->w, q, v, x, o, o + n, o + 2 * n); break;
    default: kinematics(r, q, o);
  }
}

static void many(void *own, int what, size_t states, const double *q, const double *v,
                 const double *x, double *o) {
  robot *r = own;
  const ap_states s = ap_all_states(states, AP_COLUMNS);
  const size_t n = states * (size_t)r->nv * (size_t)r->nv;
  switch (what) {
    case ID: ap_batch_inverse_dynamics(r->m, r->b, s, q, v, x, o); break;
    case M: ap_batch_inertia_matrix(r->m, r->b, s, q, o); break;
    case FD: ap_batch_forward_dynamics(r->m, r->b, s, q, v, x, o, NULL); break;
    case DID:
      ap_batch_inverse_dynamics_derivatives(r->m, r->b, s, q, v, x, o, o + n, o + 2 * n);
      break;
    default:
      ap_batch_forward_dynamics_derivatives(r->m, r->b, s, q, v, x, o, o + n, o + 2 * n, NULL);
  }
}

const subject the_subject = {
    .open = open_robot, .sizes = sizes, .draw = draw, .one = one, .many = many};
