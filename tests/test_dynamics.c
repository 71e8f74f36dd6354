// SPDX-License-Identifier: Apache-2.0
// Laws of the dynamics, over many random robots and states.
//
// Where a result is compared with the Newton-Euler of oracle.h, the bound is oracle_bound(): a
// small multiple of the machine epsilon times the sum of the magnitudes of all terms (argued
// there). Where a derivative is compared, it is a central difference whose bound is argued in
// motion_derivatives.h.

#include <appell/dyn.h>
#include <appell/kin.h>

#include "models.h"
#include "oracle.h"
#include "motion_derivatives.h"

enum { MATRIX = ROBOT_V * ROBOT_V, WRENCHES = 3 };

// Large matrices that tests share.
static double mass_matrix[MATRIX], matrix_2[MATRIX], matrix_3[MATRIX], matrix_4[MATRIX];

static oracle newton; // of the robot at hand

static void random_wrenches(rng *r, const ap_model *m, ap_wrench *wrenches) {
  for (int k = 0; k < WRENCHES; k++) {
    wrenches[k].frame = rng_int(r, 0, ap_nframe(m) - 1);
    wrenches[k].reference = (ap_reference)rng_int(r, 0, 2);
    random_vector(r, 20, wrenches[k].force);
    random_vector(r, 20, wrenches[k].moment);
  }
}

TEST(inverse_is_newton_euler) {
  double tau[ROBOT_V], want[ROBOT_V];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    CHECK_EQ_INT(ap_nq(r->m), newton.nq);
    CHECK_EQ_INT(ap_nv(r->m), newton.nv);
    FOR_EACH_STATE (r, s, 8) {
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
    }
  }
}

TEST(bias_and_gravity_are_newton_euler) {
  double tau[ROBOT_V], want[ROBOT_V];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 5) {
      ap_bias(r->m, r->w, s.q, s.v, tau);
      oracle_inverse(&newton, s.q, s.v, NULL, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
      ap_gravity_forces(r->m, r->w, s.q, tau);
      oracle_inverse(&newton, s.q, NULL, NULL, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
    }
  }
}

TEST(wrenches_enter_newton_euler) {
  double tau[ROBOT_V], want[ROBOT_V];
  rng random = rng_seed(3);
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 5) {
      ap_wrench wrenches[WRENCHES];
      random_wrenches(&random, r->m, wrenches);
      ap_inverse_dynamics_ext(r->m, r->w, s.q, s.v, s.a, wrenches, WRENCHES, tau);
      oracle_inverse(&newton, s.q, s.v, s.a, wrenches, WRENCHES, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
    }
  }
}

// A wrench on any frame, in each reference, is worth -J^T f with the Jacobian of that reference.
TEST(wrenches_are_jacobian_transposed) {
  static double J[6 * ROBOT_V], Jt[6 * ROBOT_V];
  double with[ROBOT_V], without[ROBOT_V], want[ROBOT_V];
  rng random = rng_seed(4);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      int nv = ap_nv(r->m);
      oracle_init(&newton, &r->def);
      ap_kinematics(r->m, r->w, s.q, s.v, s.a);
      for (int k = 0; k < 3 * ap_nframe(r->m); k++) {
        ap_wrench f = {.frame = k / 3, .reference = (ap_reference)(k % 3)};
        random_vector(&random, 20, f.force);
        random_vector(&random, 20, f.moment);
        double six[6] = {f.force[0], f.force[1], f.force[2], f.moment[0], f.moment[1], f.moment[2]};
        ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, without);
        ap_inverse_dynamics_ext(r->m, r->w, s.q, s.v, s.a, &f, 1, with);
        ap_kinematics(r->m, r->w, s.q, s.v, s.a);
        ap_frame_jacobian(r->m, r->w, f.frame, f.reference, J);
        for (int i = 0; i < 6 * nv; i++) Jt[i % nv * 6 + i / nv] = J[i];
        dense_apply(Jt, six, nv, 6, want);
        for (int i = 0; i < nv; i++) want[i] = without[i] - want[i];
        oracle_inverse(&newton, s.q, s.v, s.a, &f, 1, without);
        CHECK_WITHIN(with, want, nv, 2 * oracle_bound(&newton, DBL_EPSILON));
      }
    }
}

TEST(inertia_matrix_is_newton_euler_by_columns) {
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    int nv = newton.nv;
    FOR_EACH_STATE (r, s, 3) {
      ap_inertia_matrix(r->m, r->w, s.q, mass_matrix);
      oracle_inertia(&newton, s.q, matrix_2);
      CHECK_WITHIN(mass_matrix, matrix_2, nv * nv, oracle_bound(&newton, DBL_EPSILON));
      for (int i = 0; i < nv * nv; i++) matrix_3[i % nv * nv + i / nv] = mass_matrix[i];
      CHECK_BITS(mass_matrix, matrix_3, nv * nv);
      CHECK(dense_inverse(mass_matrix, nv, matrix_3)); // positive definite
    }
  }
}

// M a = inverse(q, v, a) - inverse(q, v, 0). The differences of the right side cancel up to their
// own rounding, hence the scale of the whole calculation.
TEST(inertia_matrix_is_slope_of_inverse) {
  double full[ROBOT_V], bias[ROBOT_V], Ma[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      int nv = ap_nv(r->m);
      oracle_init(&newton, &r->def);
      ap_inertia_matrix(r->m, r->w, s.q, mass_matrix);
      dense_apply(mass_matrix, s.a, nv, nv, Ma);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, full);
      ap_bias(r->m, r->w, s.q, s.v, bias);
      for (int i = 0; i < nv; i++) full[i] -= bias[i];
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, bias);
      CHECK_WITHIN(Ma, full, nv, 3 * oracle_bound(&newton, DBL_EPSILON));
    }
}

// Bound on an acceleration solved for: with |.| the row-sum norm,
//   |a - a*| <= |M^-1| (error of tau and h  +  error of M |a|  +  error of the factorisation),
// the last being backward stable: at most 4 nv eps |M| |a|.
static double acceleration_bound(const motion *s, const ap_wrench *wrenches, int n) {
  double tau[ROBOT_V];
  int nv = newton.nv;
  oracle_inertia(&newton, s->q, mass_matrix);
  double error = oracle_bound(&newton, DBL_EPSILON) * nv;
  error += 4 * nv * DBL_EPSILON * dense_norm(mass_matrix, nv);
  error *= test_norm(s->a, nv);
  oracle_inverse(&newton, s->q, s->v, s->a, wrenches, n, tau);
  error += 2 * oracle_bound(&newton, DBL_EPSILON);
  CHECK(dense_inverse(mass_matrix, nv, matrix_2));
  return error * dense_norm(matrix_2, nv);
}

TEST(forward_inverts_inverse) {
  double tau[ROBOT_V], a[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 3) {
      oracle_init(&newton, &r->def);
      double bound = acceleration_bound(&s, NULL, 0);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      CHECK_OK(ap_forward_dynamics(r->m, r->w, s.q, s.v, tau, a));
      CHECK_WITHIN(a, s.a, newton.nv, bound);
    }
}

TEST(forward_inverts_inverse_under_wrenches) {
  double tau[ROBOT_V], a[ROBOT_V];
  rng random = rng_seed(5);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      ap_wrench wrenches[WRENCHES];
      random_wrenches(&random, r->m, wrenches);
      oracle_init(&newton, &r->def);
      double bound = acceleration_bound(&s, wrenches, WRENCHES);
      ap_inverse_dynamics_ext(r->m, r->w, s.q, s.v, s.a, wrenches, WRENCHES, tau);
      CHECK_OK(ap_forward_dynamics_ext(r->m, r->w, s.q, s.v, tau, wrenches, WRENCHES, a));
      CHECK_WITHIN(a, s.a, newton.nv, bound);
    }
}

// Minv M = 1, within |Minv| times the error of M, plus a factorisation's 8 nv eps cond(M).
TEST(inverse_inertia_matrix_is_inverse) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      int nv = ap_nv(r->m);
      oracle_init(&newton, &r->def);
      CHECK_OK(ap_inverse_inertia_matrix(r->m, r->w, s.q, matrix_2));
      oracle_inertia(&newton, s.q, mass_matrix);
      for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
          num sum = 0;
          for (int k = 0; k < nv; k++) sum += (num)matrix_2[i * nv + k] * mass_matrix[k * nv + j];
          matrix_3[i * nv + j] = (double)sum;
          matrix_4[i * nv + j] = i == j;
        }
      }
      double inverse = dense_norm(matrix_2, nv);
      double bound = nv * oracle_bound(&newton, DBL_EPSILON) * inverse;
      bound += 8 * nv * DBL_EPSILON * inverse * dense_norm(mass_matrix, nv);
      CHECK_WITHIN(matrix_3, matrix_4, nv * nv, bound);
    }
}

// ---- energy ------------------------------------------------------------------------------------

TEST(energies_are_those_of_the_bodies) {
  double kinetic, potential, Mv[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 5) {
      int nv = ap_nv(r->m);
      oracle_init(&newton, &r->def);
      ap_inertia_matrix(r->m, r->w, s.q, mass_matrix);
      dense_apply(mass_matrix, s.v, nv, nv, Mv);
      oracle_energy(&newton, s.q, s.v, &kinetic, &potential);
      double bound = oracle_bound(&newton, DBL_EPSILON), half = 0;
      CHECK_CLOSE(ap_kinetic_energy(r->m, r->w, s.q, s.v), kinetic, bound);
      CHECK_CLOSE(ap_potential_energy(r->m, r->w, s.q), potential, bound);
      for (int i = 0; i < nv; i++) half += s.v[i] * Mv[i] / 2;
      oracle_inertia(&newton, s.q, matrix_2);
      bound += oracle_bound(&newton, DBL_EPSILON) * nv * nv;
      CHECK_CLOSE(half, kinetic, bound);
    }
}

static void energy(const test_robot *r, const double *q, const double *v, double *f) {
  f[0] = ap_kinetic_energy(r->m, r->w, q, v) + ap_potential_energy(r->m, r->w, q);
}

static void inertia(const test_robot *r, const double *q, const double *v, double *f) {
  (void)v;
  ap_inertia_matrix(r->m, r->w, q, f);
}

// d/dt (kinetic + potential) = tau . v
TEST(power_is_the_rate_of_energy) {
  double kinetic, potential, tau[ROBOT_V], slope;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 4) {
      oracle_init(&newton, &r->def);
      double rate = state_rate(&newton, &s), power = 0;
      slope_of(energy, r, &s, rate, 1, &slope);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      for (int i = 0; i < newton.nv; i++) power += tau[i] * s.v[i];
      oracle_energy(&newton, s.q, s.v, &kinetic, &potential);
      double bound =
          slope_bound(rate, (double)newton.scale, 2 * oracle_bound(&newton, DBL_EPSILON));
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, tau);
      bound += newton.nv * oracle_bound(&newton, DBL_EPSILON);
      CHECK_CLOSE(slope, power, bound);
    }
}

// ---- the Coriolis matrix -----------------------------------------------------------------------

TEST(coriolis_times_v_is_bias_without_gravity) {
  double Cv[ROBOT_V], bias[ROBOT_V], gravity[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 3) {
      int nv = ap_nv(r->m);
      oracle_init(&newton, &r->def);
      ap_coriolis_matrix(r->m, r->w, s.q, s.v, matrix_2);
      dense_apply(matrix_2, s.v, nv, nv, Cv);
      ap_bias(r->m, r->w, s.q, s.v, bias);
      ap_gravity_forces(r->m, r->w, s.q, gravity);
      for (int i = 0; i < nv; i++) Cv[i] += gravity[i];
      oracle_inverse(&newton, s.q, s.v, NULL, NULL, 0, gravity);
      CHECK_WITHIN(Cv, bias, nv, 4 * oracle_bound(&newton, DBL_EPSILON));
    }
}

// dM/dt = C + C^T, that is dM/dt - 2 C is skew-symmetric.
TEST(coriolis_makes_inertia_rate_skew) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      int nv = ap_nv(r->m);
      oracle_init(&newton, &r->def);
      double rate = state_rate(&newton, &s);
      slope_of(inertia, r, &s, rate, nv * nv, matrix_3);
      ap_coriolis_matrix(r->m, r->w, s.q, s.v, matrix_2);
      for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
          matrix_4[i * nv + j] = matrix_2[i * nv + j] + matrix_2[j * nv + i];
      oracle_inertia(&newton, s.q, mass_matrix);
      double bound = oracle_bound(&newton, DBL_EPSILON);
      bound = slope_bound(rate, (double)newton.scale, bound) + 8 * rate * bound;
      CHECK_WITHIN(matrix_3, matrix_4, nv * nv, bound);
    }
}

static bool rates_are_velocities(const test_robot *r) {
  for (int k = 0; k < r->def.nbody; k++)
    if (r->body[k].joint == AP_SPHERICAL || r->body[k].joint == AP_FREE) return false;
  return true;
}

// C_ij = 1/2 sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k where v is the rate of q.
TEST(coriolis_is_the_christoffel_one) {
  enum { NV = 9 };
  static double slope[NV][NV * NV], want[NV * NV];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      int nv = ap_nv(r->m);
      if (nv > NV || !rates_are_velocities(r)) continue;
      oracle_init(&newton, &r->def);
      motion unit = s;
      for (int k = 0; k < nv; k++) {
        memset(unit.v, 0, sizeof unit.v);
        unit.v[k] = 1;
        slope_of(inertia, r, &unit, 10, nv * nv, slope[k]);
      }
      memset(want, 0, sizeof want);
      for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
          for (int k = 0; k < nv; k++)
            want[i * nv + j] +=
                (slope[k][i * nv + j] + slope[j][i * nv + k] - slope[i][j * nv + k]) * s.v[k] / 2;
      ap_coriolis_matrix(r->m, r->w, s.q, s.v, matrix_2);
      oracle_inertia(&newton, s.q, mass_matrix);
      double bound = slope_bound(10 * (double)newton.gain, (double)newton.scale,
                                 oracle_bound(&newton, DBL_EPSILON));
      CHECK_WITHIN(matrix_2, want, nv * nv, 1.5 * nv * bound);
    }
}

// ---- friction, rotors, gravity -----------------------------------------------------------------

TEST(friction_and_rotors_enter_when_asked) {
  double tau[ROBOT_V], want[ROBOT_V], kinetic, potential;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      oracle_init(&newton, &r->def);
      newton.friction = true;
      ap_set_friction(r->m, r->w, true);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
      ap_bias(r->m, r->w, s.q, s.v, tau);
      oracle_inverse(&newton, s.q, s.v, NULL, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
      ap_inertia_matrix(r->m, r->w, s.q, mass_matrix);
      oracle_inertia(&newton, s.q, matrix_2);
      CHECK_WITHIN(mass_matrix, matrix_2, newton.nv * newton.nv,
                   oracle_bound(&newton, DBL_EPSILON));
      oracle_energy(&newton, s.q, s.v, &kinetic, &potential);
      double bound = oracle_bound(&newton, DBL_EPSILON);
      CHECK_CLOSE(ap_kinetic_energy(r->m, r->w, s.q, s.v), kinetic, bound);
      bound = acceleration_bound(&s, NULL, 0);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      CHECK_OK(ap_forward_dynamics(r->m, r->w, s.q, s.v, tau, want));
      CHECK_WITHIN(want, s.a, newton.nv, bound);
    }
}

TEST(friction_off_again_leaves_no_trace) {
  double before[ROBOT_V], after[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, before);
      ap_set_friction(r->m, r->w, true);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, after);
      ap_set_friction(r->m, r->w, false);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, after);
      CHECK_BITS(after, before, ap_nv(r->m));
    }
}

// At rest there is no friction: Coulomb's is zero at zero speed.
TEST(friction_is_zero_at_rest) {
  double bias[ROBOT_V], gravity[ROBOT_V], zero[ROBOT_V] = {0};
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      oracle_init(&newton, &r->def);
      ap_set_friction(r->m, r->w, true);
      ap_bias(r->m, r->w, s.q, zero, bias);
      ap_gravity_forces(r->m, r->w, s.q, gravity);
      oracle_inverse(&newton, s.q, NULL, NULL, NULL, 0, zero);
      CHECK_WITHIN(bias, gravity, newton.nv, oracle_bound(&newton, DBL_EPSILON));
      memset(zero, 0, sizeof zero);
    }
}

TEST(gravity_can_be_replaced) {
  static const double other[3] = {1.5, -2.5, 3.5};
  double tau[ROBOT_V], want[ROBOT_V], kinetic, potential;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      oracle_init(&newton, &r->def);
      newton.gravity = o_load(other);
      ap_set_gravity(r->m, r->w, other);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
      ap_gravity_forces(r->m, r->w, s.q, tau);
      oracle_inverse(&newton, s.q, NULL, NULL, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
      oracle_energy(&newton, s.q, s.v, &kinetic, &potential);
      CHECK_CLOSE(ap_potential_energy(r->m, r->w, s.q), potential,
                  oracle_bound(&newton, DBL_EPSILON));
    }
}

// ---- mimic couplings ---------------------------------------------------------------------------

// x of the robot without couplings from x of the robot with them: ratio * x + offset per joint.
static void expand(const test_robot *r, const ap_model *free_model, const double *x, bool is_q,
                   double *full) {
  for (int i = 1; i < ap_nbody(r->m); i++) {
    num ratio, offset;
    o_leader(&r->def, i - 1, &ratio, &offset);
    int from = is_q ? ap_joint_q(r->m, i) : ap_joint_v(r->m, i);
    int to = is_q ? ap_joint_q(free_model, i) : ap_joint_v(free_model, i);
    int n = is_q ? ap_joint_nq(free_model, i) : ap_joint_nv(free_model, i);
    for (int k = 0; k < n; k++) full[to + k] = (double)(ratio * x[from + k] + (is_q ? offset : 0));
  }
}

// Derivative of the uncoupled coordinates by the coupled ones, G: full * nv entries.
static void coupling(const test_robot *r, const ap_model *free_model, double *G) {
  double unit[ROBOT_V] = {0}, column[ROBOT_V] = {0};
  int nv = ap_nv(r->m), full = ap_nv(free_model);
  for (int j = 0; j < nv; j++) {
    unit[j] = 1;
    expand(r, free_model, unit, false, column);
    for (int i = 0; i < full; i++) G[i * nv + j] = column[i];
    unit[j] = 0;
  }
}

// Couplings are ideal: with x = G y + offset, tau_y = G^T tau_x and M_y = G^T M_x G.
TEST(followers_are_constrained_joints) {
  static test_robot uncoupled;
  FOR_EACH_MODEL (r) {
    double q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V], full_tau[ROBOT_V], tau[ROBOT_V], want[ROBOT_V];
    robot_copy(&uncoupled, r);
    for (int k = 0; k < r->def.nbody; k++) uncoupled.body[k].mimic = 0;
    if (!robot_make(&uncoupled)) continue;
    int nv = ap_nv(r->m), full = ap_nv(uncoupled.m);
    FOR_EACH_STATE (r, s, full > nv ? 3 : 0) {
      oracle_init(&newton, &r->def);
      expand(r, uncoupled.m, s.q, true, q);
      expand(r, uncoupled.m, s.v, false, v);
      expand(r, uncoupled.m, s.a, false, a);
      coupling(r, uncoupled.m, matrix_4);
      ap_inverse_dynamics(uncoupled.m, uncoupled.w, q, v, a, full_tau);
      memset(want, 0, sizeof want);
      for (int i = 0; i < full * nv; i++) want[i % nv] += matrix_4[i] * full_tau[i / nv];
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, a);
      CHECK_WITHIN(tau, want, nv, 2 * oracle_bound(&newton, DBL_EPSILON));
      ap_inertia_matrix(uncoupled.m, uncoupled.w, q, mass_matrix);
      memset(matrix_3, 0, sizeof matrix_3);
      for (int i = 0; i < full; i++)
        for (int j = 0; j < full; j++)
          for (int k = 0; k < nv * nv; k++)
            matrix_3[k] +=
                matrix_4[i * nv + k / nv] * mass_matrix[i * full + j] * matrix_4[j * nv + k % nv];
      ap_inertia_matrix(r->m, r->w, s.q, mass_matrix);
      oracle_inertia(&newton, s.q, matrix_2);
      CHECK_WITHIN(mass_matrix, matrix_3, nv * nv,
                   2 * (double)newton.gain * oracle_bound(&newton, DBL_EPSILON));
    }
    robot_free(&uncoupled);
  }
}

// ---- the contract of the functions -------------------------------------------------------------

TEST(results_may_replace_inputs) {
  double tau[ROBOT_V], a[ROBOT_V], same[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      int nv = ap_nv(r->m);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, tau);
      memcpy(same, s.a, sizeof same);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, same, same);
      CHECK_BITS(same, tau, nv);
      CHECK_OK(ap_forward_dynamics(r->m, r->w, s.q, s.v, tau, a));
      memcpy(same, tau, sizeof same);
      CHECK_OK(ap_forward_dynamics(r->m, r->w, s.q, s.v, same, same));
      CHECK_BITS(same, a, nv);
    }
}

// Quaternions are normalised on the way in.
TEST(length_of_quaternions_does_not_matter) {
  double q[ROBOT_Q], tau[ROBOT_V], want[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      oracle_init(&newton, &r->def);
      memcpy(q, s.q, sizeof q);
      for (int i = 1; i < ap_nbody(r->m); i++) {
        ap_joint_type joint = ap_body(r->m, i)->joint;
        if (joint != AP_FREE && joint != AP_SPHERICAL) continue;
        double *x = q + ap_joint_q(r->m, i) + (joint == AP_FREE ? 3 : 0);
        for (int k = 0; k < 4; k++) x[k] *= -3.7;
      }
      ap_inverse_dynamics(r->m, r->w, q, s.v, s.a, tau);
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, want);
      CHECK_WITHIN(tau, want, newton.nv, oracle_bound(&newton, DBL_EPSILON));
    }
}

// A free body without mass and a pendulum hung in its own centre without inertia have no
// acceleration; the outputs stay as they were.
TEST(singular_inertia_is_a_status) {
  static test_robot r;
  double q[7] = {0, 0, 0, 0, 0, 0, 1}, v[6] = {0}, tau[6] = {1, 1, 1, 1, 1, 1};
  double a[6], Minv[36];
  for (int type = AP_REVOLUTE; type <= AP_FREE; type++) {
    robot_clear(&r, "massless", 1);
    r.body[0].joint = (ap_joint_type)type;
    if (!robot_make(&r)) continue;
    ap_neutral(r.m, q);
    for (int i = 0; i < 6; i++) a[i] = 42;
    for (int i = 0; i < 36; i++) Minv[i] = 42;
    CHECK_STATUS(ap_forward_dynamics(r.m, r.w, q, v, tau, a), AP_E_SINGULAR);
    CHECK_STATUS(ap_inverse_inertia_matrix(r.m, r.w, q, Minv), AP_E_SINGULAR);
    for (int i = 0; i < 6; i++) CHECK(a[i] == 42);
    for (int i = 0; i < 36; i++) CHECK(Minv[i] == 42);
    robot_free(&r);
  }
}

TEST(robots_that_cannot_move_are_served) {
  static test_robot r;
  double none[1] = {42};
  for (int nbody = 0; nbody < 4; nbody++) {
    robot_clear(&r, "rigid", nbody);
    for (int k = 0; k < nbody; k++) r.body[k].mass = 1;
    if (!robot_make(&r)) continue;
    CHECK_EQ_INT(ap_nq(r.m), 0);
    CHECK_EQ_INT(ap_nv(r.m), 0);
    ap_inverse_dynamics(r.m, r.w, none, none, none, none);
    ap_bias(r.m, r.w, none, none, none);
    ap_gravity_forces(r.m, r.w, none, none);
    ap_inertia_matrix(r.m, r.w, none, none);
    ap_coriolis_matrix(r.m, r.w, none, none, none);
    CHECK_OK(ap_forward_dynamics(r.m, r.w, none, none, none, none));
    CHECK_OK(ap_inverse_inertia_matrix(r.m, r.w, none, none));
    CHECK(ap_kinetic_energy(r.m, r.w, none, none) == 0);
    CHECK(none[0] == 42);
    robot_free(&r);
  }
}
