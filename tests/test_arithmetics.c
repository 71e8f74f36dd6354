// SPDX-License-Identifier: Apache-2.0
// One text, every arithmetic: the methods agree with each other and with the oracle in double,
// float and binary128, cost what the papers print, and give the same bits in every thread.
//
// Bounds: the error of a result in an arithmetic with machine epsilon eps is at most
// oracle_bound(eps), a small multiple of eps times the sum of the magnitudes of all terms (argued
// in oracle.h). Inputs of float comparisons are numbers that float can hold, so that only
// arithmetic and the rounding of the robot's parameters differ; the latter is part of the bound.

#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/research.h>
#include <pthread.h>
#include <string.h>

#include "base/isa.h"
#include "dyn/builds.h"
#include "models.h"
#include "oracle.h"

enum { INPUTS = ROBOT_Q + 2 * ROBOT_V, MATRIX = 3 * ROBOT_V * ROBOT_V };

static oracle newton;
static double mass_matrix[MATRIX], inverse_matrix[MATRIX];

// A study of the robot at hand in one arithmetic.
typedef struct study {
  ap_study *s;
  void *memory;
} study;

static study study_make(const ap_model *m, ap_arithmetic arithmetic) {
  size_t size = ap_study_size(m, arithmetic);
  study t = {NULL, malloc(size + 1)};
  t.s = ap_study_init(m, arithmetic, t.memory, size);
  CHECK(t.s);
  return t;
}

// The input columns of a quantity: q, then v, then a or tau, as many as it reads.
static void fill(const ap_model *m, const motion *s, ap_quantity what, double *in) {
  size_t nq = (size_t)ap_nq(m), nv = (size_t)ap_nv(m);
  double all[INPUTS];
  memcpy(all, s->q, nq * sizeof *all);
  memcpy(all + nq, s->v, nv * sizeof *all);
  memcpy(all + nq + nv, s->a, nv * sizeof *all);
  memcpy(in, all, (size_t)ap_columns_in(m, what) * sizeof *in);
}

// The state with every number rounded to float.
static motion rounded(const ap_model *m, const motion *s) {
  motion t = *s;
  for (int i = 0; i < ap_nq(m); i++) t.q[i] = (float)s->q[i];
  for (int i = 0; i < ap_nv(m); i++) {
    t.v[i] = (float)s->v[i];
    t.a[i] = (float)s->a[i];
  }
  return t;
}

// Bound on the error of a quantity at a state. AP_FORWARD: s->a holds tau; the bound is that of
// test_dynamics.c, |M^-1| (error of h + error of M |a| + 4 nv eps |M| |a|), infinite where the
// matrix is too badly conditioned for a first-order argument.
static bool is_derivative(ap_quantity what) {
  return what == AP_INVERSE_DERIVATIVES || what == AP_FORWARD_DERIVATIVES;
}
static double error_bound(const motion *s, ap_quantity what, double eps) {
  double x[ROBOT_V], kinetic, potential;
  int nv = newton.nv;
  if (is_derivative(what)) return INFINITY; // test_derivatives.c has their bounds
  if (what == AP_INERTIA) {
    oracle_inertia(&newton, s->q, mass_matrix);
  } else if (what == AP_ENERGY) {
    oracle_energy(&newton, s->q, s->v, &kinetic, &potential);
  } else if (what != AP_FORWARD) {
    oracle_inverse(&newton, s->q, what == AP_GRAVITY ? NULL : s->v,
                   what == AP_INVERSE ? s->a : NULL, NULL, 0, x);
  }
  if (what != AP_FORWARD) return oracle_bound(&newton, eps);
  double rhs[ROBOT_V], a[ROBOT_V] = {0};
  oracle_inverse(&newton, s->q, s->v, NULL, NULL, 0, x);
  for (int i = 0; i < nv; i++) rhs[i] = s->a[i] - x[i];
  oracle_inertia(&newton, s->q, mass_matrix);
  double of_M = nv * oracle_bound(&newton, eps) + 4 * nv * eps * dense_norm(mass_matrix, nv);
  if (!CHECK(dense_inverse(mass_matrix, nv, inverse_matrix))) return 0;
  dense_apply(inverse_matrix, rhs, nv, nv, a);
  oracle_inverse(&newton, s->q, s->v, a, NULL, 0, x);
  double of_h = 2 * oracle_bound(&newton, eps), gain = dense_norm(inverse_matrix, nv);
  if (gain * of_M > 0.1) return INFINITY;
  return 2 * gain * (of_h + of_M * test_norm(a, nv));
}

// ---- methods -----------------------------------------------------------------------------------

TEST(methods_have_names) {
  int count[AP_FORWARD_DERIVATIVES + 1] = {0};
  for (int i = 0; ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    CHECK(method->name && method->name[0] && method->about && method->about[0]);
    CHECK(ap_find_method(method->what, method->name) == method);
    if (count[method->what]++ == 0) CHECK(ap_find_method(method->what, NULL) == method);
  }
  for (int what = AP_INVERSE; what <= AP_FORWARD_DERIVATIVES; what++) {
    CHECK(count[what] > 0);
    CHECK(ap_find_method((ap_quantity)what, "no such method") == NULL);
  }
}

// Every method that covers a model agrees with the default one in binary128, in every arithmetic.
// A default covers every model. Methods of a quantity stand together in the table, so that what
// they are held against is computed once.
static void check_methods(const test_robot *r, const motion *s, ap_arithmetic arithmetic,
                          double eps) {
  static double out[MATRIX], want[MATRIX];
  double in[INPUTS], bound = 0;
  study reference = study_make(r->m, AP_F128), t = study_make(r->m, arithmetic);
  const ap_method *standard = NULL;
  for (int i = 0; reference.s && t.s && ap_method_at(i); i++) {
    const ap_method *method = ap_method_at(i);
    int n = ap_columns_out(r->m, method->what);
    test_context("%s, %s %s %s", r->label, ap_quantity_name(method->what), method->name,
                 ap_arithmetic_name(arithmetic));
    if (standard != ap_find_method(method->what, NULL)) {
      standard = ap_find_method(method->what, NULL);
      bound = error_bound(s, method->what, eps);
      fill(r->m, s, method->what, in);
      if (bound != INFINITY) CHECK_OK(ap_study_eval(reference.s, standard, in, want, NULL));
    }
    if (bound == INFINITY) continue;
    ap_status status = ap_study_eval(t.s, method, in, out, NULL);
    CHECK(status == AP_OK || (status == AP_E_UNSUPPORTED && method != standard));
    if (status != AP_OK) continue;
    CHECK_WITHIN(out, want, n, bound + DBL_EPSILON * test_norm(want, n));
  }
  free(reference.memory);
  free(t.memory);
}

TEST(methods_agree_in_double) {
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 2) check_methods(r, &s, AP_F64, DBL_EPSILON);
  }
}

TEST(methods_agree_in_float) {
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 2) {
      motion t = rounded(r->m, &s);
      check_methods(r, &t, AP_F32, FLT_EPSILON);
    }
  }
}

TEST(methods_agree_in_binary128) {
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 1) check_methods(r, &s, AP_F128, 0x1p-112);
  }
}

// What a chain of revolute joints needs, every method can do: no method is dead.
TEST(every_method_covers_serial_robots) {
  static test_robot r;
  static double out[MATRIX];
  double in[INPUTS];
  robot_recipe recipe = {"serial", 6, 0, ONLY_R, 1 << AP_DH_MODIFIED, false, 0, 0};
  rng random = rng_seed(41);
  random_robot(&random, &recipe, &r);
  if (!robot_make(&r)) return;
  study t = study_make(r.m, AP_F64);
  FOR_EACH_STATE (&r, s, 1) {
    for (int i = 0; t.s && ap_method_at(i); i++) {
      fill(r.m, &s, ap_method_at(i)->what, in);
      test_context("%s", ap_method_at(i)->name);
      CHECK_OK(ap_study_eval(t.s, ap_method_at(i), in, out, NULL));
    }
  }
  free(t.memory);
  robot_free(&r);
}

// ---- the default methods are the library -------------------------------------------------------

static void library(const test_robot *r, const motion *s, ap_quantity what, double *out) {
  const size_t M = (size_t)ap_nv(r->m) * (size_t)ap_nv(r->m);
  switch (what) {
    case AP_INVERSE: ap_inverse_dynamics(r->m, r->w, s->q, s->v, s->a, out); break;
    case AP_FORWARD: CHECK_OK(ap_forward_dynamics(r->m, r->w, s->q, s->v, s->a, out)); break;
    case AP_INERTIA: ap_inertia_matrix(r->m, r->w, s->q, out); break;
    case AP_BIAS: ap_bias(r->m, r->w, s->q, s->v, out); break;
    case AP_GRAVITY: ap_gravity_forces(r->m, r->w, s->q, out); break;
    case AP_ENERGY:
      out[0] = ap_kinetic_energy(r->m, r->w, s->q, s->v);
      out[1] = ap_potential_energy(r->m, r->w, s->q);
      break;
    case AP_INVERSE_DERIVATIVES:
      CHECK_OK(
          ap_inverse_dynamics_derivatives(r->m, r->w, s->q, s->v, s->a, out, out + M, out + 2 * M));
      break;
    case AP_FORWARD_DERIVATIVES:
      CHECK_OK(
          ap_forward_dynamics_derivatives(r->m, r->w, s->q, s->v, s->a, out, out + M, out + 2 * M));
      break;
  }
}

// Contraction is off, so the study in double and the library's kernels give the same bits, and so
// does the counting scalar where products are rounded apart, as it does.
TEST(studies_in_double_give_the_library_to_the_bit) {
  static double out[MATRIX], counted[MATRIX], want[MATRIX], apart[MATRIX];
  double in[INPUTS];
  FOR_EACH_MODEL (r) {
    study t = study_make(r->m, AP_F64), c = study_make(r->m, AP_COUNT);
    test_robot base = *r;
    void *memory = malloc(ap_work_size(r->m));
    base.w = ap__work_init_build(r->m, memory, ap_work_size(r->m), AP_BUILD_BASE);
    bool fused = strstr(ap_work_isa(base.w), "fused");
    FOR_EACH_STATE (r, s, 2) {
      for (int what = AP_INVERSE; t.s && c.s && what <= AP_FORWARD_DERIVATIVES; what++) {
        const ap_method *method = ap_find_method((ap_quantity)what, NULL);
        int n = ap_columns_out(r->m, (ap_quantity)what);
        test_context("%s, %s", r->label, ap_quantity_name((ap_quantity)what));
        fill(r->m, &s, (ap_quantity)what, in);
        CHECK_OK(ap_study_eval(t.s, method, in, out, NULL));
        CHECK_OK(ap_study_eval(c.s, method, in, counted, NULL));
        library(r, &s, (ap_quantity)what, want);
        CHECK_BITS(out, want, n);
        library(&base, &s, (ap_quantity)what, apart);
        for (int i = 0; !fused && i < n; i++)
          CHECK(counted[i] == apart[i]); // -0 is 0 where zeros are free
      }
    }
    free(t.memory);
    free(c.memory);
    free(memory);
  }
}

static bool placed_by_matrix(const test_robot *r) {
  for (int k = 0; k < r->def.nbody; k++)
    if (r->body[k].place.kind == AP_PLACE_MATRIX) return true;
  return false;
}

// binary128 against the oracle in long double: the oracle's own rounding, then one rounding to
// double. Not for matrices: in double they are rotations only up to an epsilon, and which rotation
// is meant is not defined beyond that.
TEST(binary128_is_the_oracle) {
  static double out[MATRIX], want[MATRIX];
  double in[INPUTS];
  FOR_EACH_MODEL (r) {
    if (placed_by_matrix(r)) continue;
    oracle_init(&newton, &r->def);
    study t = study_make(r->m, AP_F128);
    FOR_EACH_STATE (r, s, 2) {
      if (!t.s) continue;
      fill(r->m, &s, AP_INVERSE, in);
      CHECK_OK(ap_study_eval(t.s, ap_find_method(AP_INVERSE, NULL), in, out, NULL));
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, want);
      double eps = (double)LDBL_EPSILON;
      CHECK_WITHIN(out, want, newton.nv,
                   oracle_bound(&newton, eps) + DBL_EPSILON * test_norm(want, newton.nv));
      oracle_inertia(&newton, s.q, want);
      CHECK_OK(ap_study_eval(t.s, ap_find_method(AP_INERTIA, NULL), in, out, NULL));
      int n = newton.nv * newton.nv;
      CHECK_WITHIN(out, want, n, oracle_bound(&newton, eps) + DBL_EPSILON * test_norm(want, n));
    }
    free(t.memory);
  }
}

TEST(studies_take_friction_and_gravity) {
  static double out[MATRIX], want[MATRIX];
  static const double gravity[3] = {1, -2, 3};
  double in[INPUTS];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      study t = study_make(r->m, AP_F64);
      if (t.s) {
        ap_study_set_friction(t.s, true);
        ap_study_set_gravity(t.s, gravity);
        ap_set_friction(r->m, r->w, true);
        ap_set_gravity(r->m, r->w, gravity);
        for (int what = AP_INVERSE; what <= AP_FORWARD_DERIVATIVES; what++) {
          if (what == AP_FORWARD) continue;
          fill(r->m, &s, (ap_quantity)what, in);
          CHECK_OK(ap_study_eval(t.s, ap_find_method((ap_quantity)what, NULL), in, out, NULL));
          library(r, &s, (ap_quantity)what, want);
          CHECK_BITS(out, want, ap_columns_out(r->m, (ap_quantity)what));
        }
      }
      free(t.memory);
    }
}

// ---- derivatives -------------------------------------------------------------------------------

// The forces are of second degree in v and of first in a: differences over any step are exact but
// for rounding, here of the forces on their way out as doubles.
static void check_slopes(const test_robot *r, const motion *s, ap_arithmetic arithmetic) {
  static double D[MATRIX];
  double in[INPUTS], more[ROBOT_V], less[ROBOT_V];
  int nq = ap_nq(r->m), nv = ap_nv(r->m);
  const ap_method *inverse = ap_find_method(AP_INVERSE, NULL);
  study t = study_make(r->m, arithmetic);
  fill(r->m, s, AP_INVERSE, in);
  if (t.s) CHECK_OK(ap_study_eval(t.s, ap_find_method(AP_INVERSE_DERIVATIVES, NULL), in, D, NULL));
  for (int k = 0; t.s && k < 2 * nv; k++) { // by v, then by a
    const double *slope = D + (1 + k / nv) * nv * nv + k % nv, kept = in[nq + k];
    in[nq + k] = kept + 1, CHECK_OK(ap_study_eval(t.s, inverse, in, more, NULL));
    in[nq + k] = kept - 1, CHECK_OK(ap_study_eval(t.s, inverse, in, less, NULL));
    in[nq + k] = kept;
    for (int j = 0; j < nv; j++) {
      double size = test_norm(more, nv) + test_norm(less, nv), half = (more[j] - less[j]) / 2;
      CHECK_WITHIN(&slope[j * nv], &half, 1, 4 * DBL_EPSILON * size);
    }
  }
  free(t.memory);
}

TEST(derivatives_by_v_and_a_are_differences) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) check_slopes(r, &s, AP_F128);
}

// ---- single precision --------------------------------------------------------------------------

static float *to_float(const double *x, int n, float *y) {
  for (int i = 0; i < n; i++) y[i] = (float)x[i];
  return y;
}

static double *to_double(const float *x, int n, double *y) {
  for (int i = 0; i < n; i++) y[i] = x[i];
  return y;
}

// A work in float for the robot at hand, and the state in float.
typedef struct single {
  ap_work_f32 *w;
  void *memory;
  float q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
} single;

static bool single_make(const test_robot *r, const motion *s, single *f) {
  size_t size = ap_work_size_f32(r->m);
  f->memory = malloc(size + 1);
  f->w = ap_work_init_f32(r->m, f->memory, size);
  to_float(s->q, ap_nq(r->m), f->q);
  to_float(s->v, ap_nv(r->m), f->v);
  to_float(s->a, ap_nv(r->m), f->a);
  return CHECK(f->w);
}

static void single_quantity(const test_robot *r, single *f, ap_quantity what, float *out) {
  switch (what) {
    case AP_INVERSE: ap_inverse_dynamics_f32(r->m, f->w, f->q, f->v, f->a, out); break;
    case AP_FORWARD: CHECK_OK(ap_forward_dynamics_f32(r->m, f->w, f->q, f->v, f->a, out)); break;
    case AP_INERTIA: ap_inertia_matrix_f32(r->m, f->w, f->q, out); break;
    case AP_BIAS: ap_bias_f32(r->m, f->w, f->q, f->v, out); break;
    case AP_GRAVITY: ap_gravity_forces_f32(r->m, f->w, f->q, out); break;
    case AP_ENERGY:
      out[0] = ap_kinetic_energy_f32(r->m, f->w, f->q, f->v);
      out[1] = ap_potential_energy_f32(r->m, f->w, f->q);
      break;
    case AP_INVERSE_DERIVATIVES:
    case AP_FORWARD_DERIVATIVES: break; // test_derivatives.c
  }
}

TEST(float_twins_compute_the_same_dynamics) {
  static float out[MATRIX];
  static double got[MATRIX], want[MATRIX];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 3) {
      motion t = rounded(r->m, &s);
      single f;
      if (!single_make(r, &t, &f)) continue;
      for (int what = AP_INVERSE; what <= AP_ENERGY; what++) {
        int n = ap_columns_out(r->m, (ap_quantity)what);
        double bound = error_bound(&t, (ap_quantity)what, FLT_EPSILON);
        test_context("%s, %s", r->label, ap_quantity_name((ap_quantity)what));
        if (bound == INFINITY) continue;
        single_quantity(r, &f, (ap_quantity)what, out);
        library(r, &t, (ap_quantity)what, want);
        CHECK_WITHIN(to_double(out, n, got), want, n, bound);
      }
      free(f.memory);
    }
  }
}

TEST(float_twins_take_wrenches_payloads_friction_and_gravity) {
  static const double gravity[3] = {1, -2, 3}, com[3] = {0.25, 0.5, -0.125},
                      inertia[6] = {0.5, 0, 0, 0.25, 0, 0.5};
  static const float gravity_f[3] = {1, -2, 3}, com_f[3] = {0.25F, 0.5F, -0.125F},
                     inertia_f[6] = {0.5F, 0, 0, 0.25F, 0, 0.5F};
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      motion t = rounded(r->m, &s);
      single f;
      float tau[ROBOT_V];
      double got[ROBOT_V], want[ROBOT_V];
      int last = ap_nbody(r->m) - 1, frame = ap_nframe(r->m) - 1;
      ap_wrench wrench = {frame, AP_LOCAL, {1, 2, 3}, {-1, 2, 5}};
      ap_wrench_f32 wrench_f = {frame, AP_LOCAL, {1, 2, 3}, {-1, 2, 5}};
      oracle_init(&newton, &r->def);
      newton.gravity = o_load(gravity);
      newton.friction = true;
      if (!single_make(r, &t, &f)) continue;
      ap_set_gravity(r->m, r->w, gravity);
      ap_set_gravity_f32(r->m, f.w, gravity_f);
      ap_set_friction(r->m, r->w, true);
      ap_set_friction_f32(r->m, f.w, true);
      if (last > 0) {
        CHECK_OK(ap_set_payload(r->m, r->w, last, 2, com, inertia));
        CHECK_OK(ap_set_payload_f32(r->m, f.w, last, 2, com_f, inertia_f));
        CHECK_OK(ap_set_inertia(r->m, r->w, 1, 3, com, inertia));
        CHECK_OK(ap_set_inertia_f32(r->m, f.w, 1, 3, com_f, inertia_f));
      }
      ap_inverse_dynamics_ext(r->m, r->w, t.q, t.v, t.a, &wrench, 1, want);
      ap_inverse_dynamics_ext_f32(r->m, f.w, f.q, f.v, f.a, &wrench_f, 1, tau);
      oracle_inverse(&newton, t.q, t.v, t.a, &wrench, 1, got);
      // The payload and the new inertia are no heavier than twice what the oracle weighs: every
      // body has a mass between 0.6 and 6.
      double bound = 10 * oracle_bound(&newton, FLT_EPSILON);
      CHECK_WITHIN(to_double(tau, newton.nv, got), want, newton.nv, bound);
      free(f.memory);
    }
}

// Kinematics in float against double: bounds from the sizes of poses, velocities, accelerations.
TEST(float_twins_compute_the_same_kinematics) {
  static float J[6 * ROBOT_V];
  static double got[6 * ROBOT_V], want[6 * ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      motion t = rounded(r->m, &s);
      single f;
      float R[9], p[3], vel[6], acc[6];
      num reach = 1, W = 1, A = 1;
      oracle_init(&newton, &r->def);
      oracle_move(&newton, t.q, t.v, t.a);
      for (int k = 0; k < r->def.nbody; k++) {
        reach = fmaxl(reach, newton.body[k].reach + 1);
        W = fmaxl(W, newton.body[k].W + o_norm(newton.body[k].v));
        A = fmaxl(A, newton.body[k].A + newton.body[k].DW + W * W);
      }
      double eps = 28 * (oracle_depth(&r->def) + 2) * (double)FLT_EPSILON;
      double length = eps * (double)reach, rate = length * (double)(2 * W);
      if (!single_make(r, &t, &f)) continue;
      ap_kinematics(r->m, r->w, t.q, t.v, t.a);
      ap_kinematics_f32(r->m, f.w, f.q, f.v, f.a);
      for (int k = 0; k < 3 * ap_nframe(r->m); k++) {
        ap_reference ref = (ap_reference)(k % 3);
        ap_frame_pose(r->m, r->w, k / 3, want, want + 9);
        ap_frame_pose_f32(r->m, f.w, k / 3, R, p);
        CHECK_WITHIN(to_double(R, 9, got), want, 9, eps);
        CHECK_WITHIN(to_double(p, 3, got), want + 9, 3, length);
        ap_frame_velocity(r->m, r->w, k / 3, ref, want);
        ap_frame_velocity_f32(r->m, f.w, k / 3, ref, vel);
        CHECK_WITHIN(to_double(vel, 6, got), want, 6, rate);
        ap_frame_acceleration(r->m, r->w, k / 3, ref, want);
        ap_frame_acceleration_f32(r->m, f.w, k / 3, ref, acc);
        CHECK_WITHIN(to_double(acc, 6, got), want, 6, rate * (double)W + 3 * length * (double)A);
        ap_frame_jacobian(r->m, r->w, k / 3, ref, want);
        ap_frame_jacobian_f32(r->m, f.w, k / 3, ref, J);
        CHECK_WITHIN(to_double(J, 6 * newton.nv, got), want, 6 * newton.nv,
                     2 * length * (double)newton.gain);
      }
      free(f.memory);
    }
}

// ---- counted operations ------------------------------------------------------------------------

// method NULL: the default.
static ap_count count_of(const test_robot *r, ap_quantity what, const char *method) {
  static double out[MATRIX];
  double in[INPUTS];
  ap_count count = {0};
  study t = study_make(r->m, AP_COUNT);
  motion s = motion_first(r);
  fill(r->m, &s, what, in);
  if (t.s) CHECK_OK(ap_study_eval(t.s, ap_find_method(what, method), in, out, &count));
  free(t.memory);
  return count;
}

// At or below what Mata et al. (2002), Tables 1 and 2, print for n revolute joints with general
// DH parameters and full inertia tensors; the inertia matrix by the method that is theirs.
TEST(operations_are_at_or_below_the_printed_counts) {
  static test_robot r;
  rng random = rng_seed(42);
  for (int n = 2; n <= 12; n++) {
    robot_recipe recipe = {"counted", n, 0, ONLY_R, 1 << AP_DH_MODIFIED, false, 0, 0};
    random_robot(&random, &recipe, &r);
    // As in the papers: gravity along z, and the joint variable is theta itself.
    memcpy(r.def.gravity, ap_default_robot().gravity, sizeof r.def.gravity);
    for (int k = 0; k < n; k++) r.body[k].place.theta = 0;
    if (!robot_make(&r)) continue;
    ap_count inverse = count_of(&r, AP_INVERSE, NULL), bias = count_of(&r, AP_BIAS, NULL),
             inertia = count_of(&r, AP_INERTIA, "gibbs-hessian");
    test_context("n = %d: inverse %ld %ld, bias %ld %ld, inertia %ld %ld", n, inverse.mul,
                 inverse.add, bias.mul, bias.add, inertia.mul, inertia.add);
    CHECK(inverse.mul <= 96 * n - 101 && inverse.add <= 84 * n - 100);
    CHECK(bias.mul <= 96 * n - 108 && bias.add <= 83 * n - 105);
    CHECK(2 * inertia.mul <= 23 * n * n + 39 * n - 98);
    CHECK(2 * inertia.add <= 17 * n * n + 63 * n - 138);
    CHECK_EQ_INT(inverse.sincos, n);
    CHECK_EQ_INT(inverse.div + inverse.sqrt + inertia.div + inertia.sqrt, 0);
    CHECK(inverse.mul > 0 && bias.mul > 0 && inertia.mul > 0);
    robot_free(&r);
  }
}

// The count depends on the robot, not on its state.
TEST(counts_do_not_depend_on_the_state) {
  static double out[MATRIX];
  double in[INPUTS];
  FOR_EACH_MODEL (r) {
    study t = study_make(r->m, AP_COUNT);
    ap_count once = {0}, again;
    FOR_EACH_STATE (r, s, 3) {
      if (!t.s) continue;
      fill(r->m, &s, AP_INVERSE, in);
      CHECK_OK(ap_study_eval(t.s, ap_find_method(AP_INVERSE, NULL), in, out, &again));
      if (s.number == 0) once = again;
      CHECK_EQ_INT(again.mul, once.mul);
      CHECK_EQ_INT(again.add, once.add);
      CHECK_EQ_INT(again.sincos, once.sincos);
    }
    free(t.memory);
  }
}

// ---- threads -----------------------------------------------------------------------------------

enum { THREADS = 4, ROUNDS = 50 };

// One thread's share: its own work on a model that all share.
typedef struct task {
  const test_robot *r;
  const motion *s;
  double tau[ROBOT_V], a[ROBOT_V], h[6];
  bool good;
} task;

static void *run_task(void *argument) {
  task *t = argument;
  size_t size = ap_work_size(t->r->m);
  void *mem = malloc(size);
  ap_work *w = ap_work_init(t->r->m, mem, size);
  t->good = w != NULL;
  for (int k = 0; w && k < ROUNDS; k++) {
    const motion *s = t->s;
    ap_inverse_dynamics(t->r->m, w, s->q, s->v, s->a, t->tau);
    t->good = t->good && !ap_forward_dynamics(t->r->m, w, s->q, s->v, t->tau, t->a);
    ap_kinematics(t->r->m, w, s->q, s->v, s->a);
    ap_frame_velocity(t->r->m, w, ap_nframe(t->r->m) - 1, AP_LOCAL, t->h);
  }
  free(mem);
  return NULL;
}

TEST(threads_sharing_a_model_agree_to_the_bit) {
  static task tasks[THREADS + 1];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      pthread_t threads[THREADS];
      for (int k = 0; k <= THREADS; k++) tasks[k] = (task){.r = r, .s = &s};
      for (int k = 0; k < THREADS; k++)
        if (!CHECK(pthread_create(&threads[k], NULL, run_task, &tasks[k]) == 0)) return;
      run_task(&tasks[THREADS]);
      for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        CHECK(tasks[k].good);
        CHECK_BITS(tasks[k].tau, tasks[THREADS].tau, ap_nv(r->m));
        CHECK_BITS(tasks[k].a, tasks[THREADS].a, ap_nv(r->m));
        CHECK_BITS(tasks[k].h, tasks[THREADS].h, 6);
      }
    }
}
