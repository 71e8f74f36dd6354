// SPDX-License-Identifier: Apache-2.0
// Base parameters of robots with every kind of joint, trees, free bases and couplings.

#include <appell/ident.h>

#include "models.h"

enum { PARAMETERS = 15 * ROBOT_BODIES, MOST_BODIES = 9 };

static double W[ROBOT_V * PARAMETERS];

// W p of one state, and the sum of the magnitudes of its terms.
static void forces(const ap_model *m, ap_ident *id, const motion *s, const double *p, double *tau,
                   double *terms) {
  int np = ap_ident_count(id);
  ap_ident_rows(id, s->q, s->v, s->a, W);
  for (int j = 0; j < ap_nv(m); j++) {
    tau[j] = terms[j] = 0;
    for (int k = 0; k < np; k++) {
      double term = W[j * np + k] * p[k];
      tau[j] += term, terms[j] += fabs(term);
    }
  }
}

// The same robot with the springs only that no parameter has: those of joints with several degrees
// of freedom and, where stiffness is not looked for, the others.
static bool make_known(const test_robot *r, bool stiffness, test_robot *known) {
  robot_copy(known, r);
  for (int k = 0; stiffness && k < known->def.nbody; k++)
    if (has_one_dof(&known->body[k])) known->body[k].stiffness = 0;
  return robot_make(known);
}

// The model's own parameters give the model's forces, friction and rotors included, but for what is
// known beforehand: some of its springs, gravity compensation.
static void check_nominal(bool stiffness) {
  const ap_ident_options all = {
      .rotor = true, .viscous = true, .coulomb = true, .offset = true, .stiffness = stiffness};
  static test_robot known;
  FOR_EACH_MODEL (r) {
    ap_ident *id = NULL;
    ap_error error;
    if (ap_nv(r->m) == 0) continue;
    if (!CHECK_OK(ap_ident_create(r->m, &all, &id, &error))) continue;
    static double p[PARAMETERS];
    double tau[ROBOT_V], want[ROBOT_V], terms[ROBOT_V], less[ROBOT_V];
    ap_ident_nominal(id, p);
    if (!make_known(r, stiffness, &known)) return;
    ap_set_friction(r->m, r->w, true);
    FOR_EACH_STATE (r, s, 2) {
      forces(r->m, id, &s, p, tau, terms);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
      ap_passive_forces(known.m, known.w, s.q, less);
      double size = test_norm(terms, ap_nv(r->m)) + test_norm(less, ap_nv(r->m));
      for (int k = 0; k < ap_nv(r->m); k++) want[k] -= less[k];
      CHECK_WITHIN(tau, want, ap_nv(r->m), 1e-13 * size); // some hundred roundings
    }
    robot_free(&known);
    ap_ident_free(id);
  }
}

TEST(nominal_parameters_give_the_forces) {
  check_nominal(false);
  check_nominal(true);
}

// Parameters with the same base parameters have the same forces. The factors of the combinations
// are known as well as the smallest pivot that counts allows.
static void check_base(const test_robot *r, ap_base_method method) {
  const ap_ident_options all = {.rotor = true, .viscous = true, .coulomb = true, .offset = true};
  static double p[PARAMETERS], only[PARAMETERS], value[PARAMETERS];
  double one[ROBOT_V], other[ROBOT_V], terms[ROBOT_V], more[ROBOT_V], kept = 1, dropped;
  ap_ident *id = NULL;
  ap_base *base = NULL;
  ap_error error;
  ap_status status = ap_ident_create(r->m, &all, &id, &error);
  if (!status) status = ap_base_find(id, method, &base, &error);
  if (status == AP_E_UNSUPPORTED || !CHECK_OK(status)) return;
  rng random = rng_seed(12);
  memset(only, 0, sizeof only);
  for (int k = 0; k < ap_ident_count(id); k++) p[k] = rng_uniform(&random, -1, 1);
  ap_base_values(base, p, value);
  ap_base_gap(base, &kept, &dropped);
  for (int k = 0; k < ap_base_count(base); k++) only[ap_base_leader(base, k)] = value[k];
  FOR_EACH_STATE (r, s, 3) {
    forces(r->m, id, &s, p, one, terms);
    forces(r->m, id, &s, only, other, more);
    double size = test_norm(terms, ap_nv(r->m)) + test_norm(more, ap_nv(r->m));
    CHECK_WITHIN(other, one, ap_nv(r->m), 1e-13 / kept * size);
  }
  ap_base_free(base), ap_ident_free(id);
}

TEST(base_parameters_of_any_robot) {
  FOR_EACH_MODEL (r) {
    if (ap_nv(r->m) == 0 || ap_moving_bodies(r->m) > MOST_BODIES) continue;
    check_base(r, AP_BASE_QR);
    if (ap_moving_bodies(r->m) <= 4) check_base(r, AP_BASE_SVD);
  }
}
