// SPDX-License-Identifier: Apache-2.0
// What a closed form says of one state, and the general recipe as its oracle.

#ifndef AP_TESTS_CLOSED_FORM_H
#define AP_TESTS_CLOSED_FORM_H

#include <appell/parallel.h>

#include "mechanism_rig.h"

enum { CLOSED_N = 3 };

typedef struct closed_form {
  int n;
  double q[CLOSED_N], v[CLOSED_N], a[CLOSED_N];
  double M[CLOSED_N * CLOSED_N], C[CLOSED_N * CLOSED_N], G[CLOSED_N], J_act[CLOSED_N * CLOSED_N];
  double Q[CLOSED_N], tau[CLOSED_N], back[CLOSED_N]; // forces, torques, a of these torques
  double kinetic, potential;
} closed_form;

static inline closed_form closed_say(const ap_parallel *r, const double *q, const double *v,
                                     const double *a) {
  closed_form c = {.n = ap_parallel_n(r)};
  for (int i = 0; i < c.n; i++) c.q[i] = q[i], c.v[i] = v[i], c.a[i] = a[i];
  CHECK_OK(ap_parallel_matrices(r, q, v, c.M, c.C, c.G, c.J_act));
  CHECK_OK(ap_parallel_forces(r, q, v, a, c.Q));
  CHECK_OK(ap_parallel_inverse_dynamics(r, q, v, a, c.tau));
  CHECK_OK(ap_parallel_forward_dynamics(r, q, v, c.tau, c.back));
  CHECK_OK(ap_parallel_energy(r, q, v, &c.kinetic, &c.potential));
  return c;
}

// Every function at q gives that status and leaves its outputs as they were. Inverse dynamics alone
// minds a parallel singularity.
static inline void closed_check_refused(const ap_parallel *r, const double *q, const double *v,
                                        ap_status want) {
  const double tau[3] = {1, 2, 3};
  double out[4][9], was[4][9];
  memset(out, 0x5a, sizeof out), memset(was, 0x5a, sizeof was);
  CHECK_STATUS(ap_parallel_inverse_dynamics(r, q, v, NULL, out[0]), want);
  if (want != AP_E_SINGULAR_PARALLEL) {
    CHECK_STATUS(ap_parallel_inverse_kinematics(r, q, v, NULL, out[0], out[1], out[2]), want);
    CHECK_STATUS(ap_parallel_matrices(r, q, v, out[0], out[1], out[2], out[3]), want);
    CHECK_STATUS(ap_parallel_forces(r, q, v, NULL, out[0]), want);
    CHECK_STATUS(ap_parallel_forward_dynamics(r, q, v, tau, out[0]), want);
    CHECK_STATUS(ap_parallel_energy(r, q, v, out[0], out[1]), want);
  }
  CHECK(!memcmp(out, was, sizeof out));
}

// The margins at q, which hold numbers, and words for their status.
static inline ap_parallel_margin closed_margins(const ap_parallel *r, const double *q,
                                                ap_error *error) {
  ap_parallel_margin m;
  const ap_status status = ap_parallel_margins(r, q, &m);
  CHECK_STATUS(m.status, status);
  double sum = m.parallel + m.sigma + m.level;
  for (int i = 0; i < 3; i++) sum += m.serial[i];
  CHECK(!isnan(sum) && !isnan(m.reach[0]) && !isnan(m.reach[1]) && !isnan(m.reach[2]));
  ap_parallel_explain(r, q, m.status, error);
  CHECK_EQ_INT(error->status, m.status);
  CHECK((error->text[0] == '\0') == (m.status == AP_OK));
  return m;
}

// A motion of the platform, and of all joints: coordinate k of limb i at [k n + i].
typedef struct closed_motion {
  double y[9], yd[9], ydd[9];
} closed_motion;
typedef struct closed_end {
  double q[3], v[3], a[3];
  int branch[3];
} closed_end;

static inline closed_motion closed_inverse(const ap_parallel *r, const double *q, const double *v,
                                           const double *a) {
  closed_motion m = {{0}, {0}, {0}};
  CHECK_OK(ap_parallel_inverse_kinematics(r, q, v, a, m.y, m.yd, m.ydd));
  return m;
}
static inline ap_status closed_forward(const ap_parallel *r, const closed_motion *m, int assembly,
                                       closed_end *e) {
  return ap_parallel_forward_kinematics(r, m->y, m->yd, m->ydd, assembly, e->q, e->v, e->a,
                                        e->branch);
}

// The joints' angles, rates and accelerations in the order of the tree, of which `nv` are compared.
typedef struct closed_joints {
  int nv;
  double x[16], xd[15], xdd[15];
} closed_joints;

// The state is random within the reach, with sines of 0.2 and more in both maps, so that their
// conditions are some 1e2 at worst, that of M 1e3; K of the general recipe mixes m and rad.
// Roundings of 1e-16 become 1e-13 that way, and 1e-12 for what goes through M^-1; 1e-11 is what is
// promised.
static inline void check_closed_form(const rig *r, const closed_form *c) {
  const ap_mechanism *m = r->m;
  const double tol = 1e-11;
  double M[9], C[9], G[3], J[9], Q[3], tau[3], back[3], kinetic, potential;
  int n = c->n;
  CHECK_OK(ap_loop_inertia_matrix(m, r->l, c->q, M));
  CHECK_OK(ap_loop_coriolis_matrix(m, r->l, c->q, c->v, C));
  CHECK_OK(ap_loop_gravity_forces(m, r->l, c->q, G));
  CHECK_OK(ap_loop_actuator_map(m, r->l, c->q, J));
  CHECK_OK(ap_loop_forces(m, r->l, c->q, c->v, c->a, Q));
  CHECK_OK(ap_loop_inverse_dynamics(m, r->l, c->q, c->v, c->a, tau));
  CHECK_OK(ap_loop_forward_dynamics(m, r->l, c->q, c->v, c->tau, back));
  CHECK_OK(ap_loop_energy(m, r->l, c->q, c->v, &kinetic, &potential));
  CHECK_NEAR(c->M, M, n * n, tol);
  CHECK_NEAR(c->C, C, n * n, tol);
  CHECK_NEAR(c->G, G, n, tol);
  CHECK_NEAR(c->J_act, J, n * n, tol);
  CHECK_NEAR(c->Q, Q, n, tol);
  CHECK_NEAR(c->tau, tau, n, tol);
  CHECK_NEAR(c->back, back, n, tol);
  CHECK_NEAR(c->back, c->a, n, tol);
  CHECK_CLOSE(c->kinetic, kinetic, tol * kinetic);
  // Gravity may pull both ways: the largest part of it is the scale.
  CHECK_CLOSE(c->potential, potential, tol * (1 + fabs(potential)));
}

// The tree's joints at that state; place the mechanism there first.
static inline void check_closed_joints(const rig *r, const closed_form *c,
                                       const closed_joints *joints) {
  double xd[15], xdd[15];
  const double *x = ap_loop_configuration(r->l);
  CHECK_OK(ap_loop_place(r->m, r->l, c->q, NULL));
  CHECK_OK(ap_loop_velocity(r->m, r->l, c->q, c->v, xd));
  CHECK_OK(ap_loop_acceleration(r->m, r->l, c->q, c->v, c->a, xdd));
  CHECK_WITHIN(joints->x, x, joints->nv, 1e-11);
  CHECK_NEAR(joints->xd, xd, joints->nv, 1e-11);
  CHECK_NEAR(joints->xdd, xdd, joints->nv, 1e-11);
}

#endif
