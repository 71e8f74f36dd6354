// SPDX-License-Identifier: Apache-2.0
// The regressor: tau = K p for every joint type, tree, coupling and free base, in every arithmetic.
//
// The parameters p are made here from the definition, in long double: every link about the origin
// of the link frame of the body that moves it. The errors allowed are those of test_arithmetics.c:
// a sum of products in an arithmetic with machine epsilon eps is off by a small multiple of eps
// times the sum of the magnitudes of its terms.

#include <appell/dyn.h>
#include <appell/research.h>

#include <string.h>

#include "base/isa.h"
#include "dyn/builds.h"
#include "models.h"
#include "oracle.h"

enum { PARAMETERS = 10 * ROBOT_BODIES, ENTRIES = ROBOT_V * PARAMETERS };

static double K[ENTRIES], reference[ENTRIES];

// The ten numbers of link i, its centre at c (in the axes R of another frame), added to p.
static void add_link(const ap_body_def *b, o_pose in, num *p) {
  o_vec c = o_add(in.p, o_apply(in.R, o_load(b->com)));
  o_mat I = o_inertia(b, in.R);
  num square = o_dot(c, c);
  p[0] += b->mass;
  for (int k = 0; k < 3; k++) p[1 + k] += (num)b->mass * c.x[k];
  for (int r = 0, k = 4; r < 3; r++)
    for (int s = r; s < 3; s++, k++)
      p[k] += I.m[r][s] + (num)b->mass * ((r == s ? square : 0) - c.x[r] * c.x[s]);
}

static o_pose inverse_pose(o_pose a) {
  o_mat T = o_transpose(a.R);
  return (o_pose){T, o_scale(-1, o_apply(T, a.p))};
}

// Parameters of all moving bodies, and of links by the pose of one seen from the other at q.
static void parameters(const test_robot *r, oracle *o, const double *q, num *p) {
  int blocks = ap_moving_bodies(r->m);
  oracle_move(o, q, NULL, NULL);
  for (int k = 0; k < 10 * blocks; k++) p[k] = 0;
  for (int k = 0; k < blocks; k++) {
    int home = ap_moving_body(r->m, k), carrier;
    o_pose to_home = inverse_pose(oracle_frame(o, home, &carrier));
    for (int i = 1; i < ap_nbody(r->m); i++)
      if (ap_body_mover(r->m, i) == home)
        add_link(ap_body(r->m, i), o_compose(to_home, oracle_frame(o, i, &carrier)), p + 10 * k);
  }
}

// tau = K p and the sum of the magnitudes of its terms.
static void multiply(const ap_model *m, const double *matrix, const num *p, double *tau,
                     double *size) {
  int n = 10 * ap_moving_bodies(m);
  for (int j = 0; j < ap_nv(m); j++) {
    num sum = 0, terms = 0;
    for (int k = 0; k < n; k++) {
      sum += (num)matrix[j * n + k] * p[k];
      terms += fabsl((num)matrix[j * n + k] * p[k]);
    }
    tau[j] = (double)sum, size[j] = (double)terms;
  }
}

static void regressor_in(const test_robot *r, const motion *s, ap_arithmetic arithmetic, double *to,
                         ap_count *count) {
  size_t size = ap_study_size(r->m, arithmetic), nq = (size_t)ap_nq(r->m), nv = (size_t)ap_nv(r->m);
  void *memory = malloc(size + 1);
  ap_study *study = ap_study_init(r->m, arithmetic, memory, size);
  double in[ROBOT_Q + 2 * ROBOT_V];
  memcpy(in, s->q, nq * sizeof *in);
  memcpy(in + nq, s->v, nv * sizeof *in);
  memcpy(in + nq + nv, s->a, nv * sizeof *in);
  if (CHECK(study)) ap_study_regressor(study, in, to, count);
  free(memory);
}

// Each entry of K is a force of a body with one parameter, by the recursion that the bound of
// oracle.h is about: what multiplies eps there, with the terms of the sum K p besides.
static double bound_of(const oracle *o, double terms, double eps) {
  return 28 * (oracle_depth(o->def) + 2) * eps * ((double)o->scale + terms);
}

static void check_forces(const test_robot *r, const oracle *o, const num *p, const double *want,
                         const char *in) {
  double tau[ROBOT_V], terms[ROBOT_V];
  multiply(r->m, K, p, tau, terms);
  for (int j = 0; j < ap_nv(r->m); j++) {
    test_context("%s, joint force %d in %s", r->label, j, in);
    CHECK_CLOSE(tau[j], want[j], bound_of(o, terms[j], DBL_EPSILON));
  }
}

TEST(gives_the_joint_forces) {
  static oracle newton;
  static num p[PARAMETERS];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 3) {
      double want[ROBOT_V];
      parameters(r, &newton, s.q, p);
      oracle_inverse(&newton, s.q, s.v, s.a, NULL, 0, want);
      regressor_in(r, &s, AP_F128, K, NULL);
      check_forces(r, &newton, p, want, "binary128");
      for (int k = 0; k < ENTRIES; k++) K[k] = NAN; // every entry is written
      ap_regressor(r->m, r->w, s.q, s.v, s.a, K);
      check_forces(r, &newton, p, want, "double");
      oracle_inverse(&newton, s.q, s.v, NULL, NULL, 0, want);
      ap_regressor(r->m, r->w, s.q, s.v, NULL, K);
      check_forces(r, &newton, p, want, "double, at a = 0");
      oracle_inverse(&newton, s.q, NULL, NULL, NULL, 0, want);
      ap_regressor(r->m, r->w, s.q, NULL, NULL, K);
      check_forces(r, &newton, p, want, "double, at rest");
    }
  }
}

// What a work computes with is what it says: payloads and changed links, any gravity.
TEST(follows_changes_of_the_work) {
  static double p[PARAMETERS];
  rng random = {7};
  FOR_EACH_MODEL (r) {
    double mass, com[3], inertia[6], gravity[3], want[ROBOT_V], got[ROBOT_V], terms[ROBOT_V];
    num exact[PARAMETERS];
    for (int i = 1; i < ap_nbody(r->m); i += 2) {
      random_inertia(&random, &mass, com, inertia);
      CHECK_OK(ap_set_inertia(r->m, r->w, i, mass, com, inertia));
    }
    random_inertia(&random, &mass, com, inertia);
    if (ap_nbody(r->m) == 1) continue;
    CHECK_OK(ap_set_payload(r->m, r->w, ap_nbody(r->m) - 1, mass, com, inertia));
    random_vector(&random, 9, gravity);
    ap_set_gravity(r->m, r->w, gravity);
    ap_inertial_parameters(r->m, r->w, p);
    for (int k = 0; k < 10 * ap_moving_bodies(r->m); k++) exact[k] = p[k];
    FOR_EACH_STATE (r, s, 2) {
      ap_regressor(r->m, r->w, s.q, s.v, s.a, K);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
      multiply(r->m, K, exact, got, terms);
      double all = test_norm(terms, ap_nv(r->m));
      for (int j = 0; j < ap_nv(r->m); j++) {
        test_context("%s, joint force %d", r->label, j);
        CHECK_CLOSE(got[j], want[j], 56 * (oracle_depth(&r->def) + 2) * DBL_EPSILON * all);
      }
    }
  }
}

// Entry by entry against binary128. The scale of an entry is not known from outside; that of its
// row is the largest one of the ten columns of the body it belongs to, which share one motion.
static void check_entries(const test_robot *r, const double *got, double eps, const char *in) {
  int n = 10 * ap_moving_bodies(r->m);
  for (int i = 0; i < n; i += 10) {
    double most = 0;
    for (int j = 0; j < ap_nv(r->m); j++) {
      const double *row = reference + (size_t)j * (size_t)n + i;
      most = fmax(most, test_norm(row, 10));
    }
    for (int j = 0; j < ap_nv(r->m); j++) {
      test_context("%s, row %d, body %d in %s", r->label, j, i / 10, in);
      size_t at = (size_t)j * (size_t)n + (size_t)i;
      CHECK_WITHIN(got + at, reference + at, 10,
                   28 * (oracle_depth(&r->def) + 2) * eps * (10 + most));
    }
  }
}

// By kernels that round products apart, as counting does, where this machine has such.
static bool apart_regressor(const test_robot *r, const motion *s, double *to) {
  size_t size = ap_work_size(r->m);
  void *memory = malloc(size);
  ap_work *w = ap__work_init_build(r->m, memory, size, AP_BUILD_BASE);
  bool fused = strstr(ap_work_isa(w), "fused");
  if (!fused) ap_regressor(r->m, w, s->q, s->v, s->a, to);
  free(memory);
  return !fused;
}

TEST(agrees_in_every_arithmetic) {
  static float single[ENTRIES];
  FOR_EACH_MODEL (r) {
    size_t size = ap_work_size_f32(r->m);
    void *memory = malloc(size + 1);
    ap_work_f32 *w = ap_work_init_f32(r->m, memory, size);
    FOR_EACH_STATE (r, s, 2) {
      float q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
      for (int k = 0; k < ap_nq(r->m); k++) q[k] = (float)s.q[k], s.q[k] = q[k];
      for (int k = 0; k < ap_nv(r->m); k++) {
        v[k] = (float)s.v[k], s.v[k] = v[k];
        a[k] = (float)s.a[k], s.a[k] = a[k];
      }
      int n = ap_nv(r->m) * 10 * ap_moving_bodies(r->m);
      regressor_in(r, &s, AP_F128, reference, NULL);
      ap_regressor(r->m, r->w, s.q, s.v, s.a, K);
      check_entries(r, K, DBL_EPSILON, "double");
      ap_count count;
      static double counted[ENTRIES];
      regressor_in(r, &s, AP_COUNT, counted, &count);
      if (apart_regressor(r, &s, K)) CHECK_WITHIN(K, counted, n, 0); // but for the signs of zeros
      CHECK(n == 0 || (count.mul > 0 && count.add > 0));
      ap_regressor_f32(r->m, w, q, v, a, single);
      for (int k = 0; k < n; k++) K[k] = (double)single[k];
      check_entries(r, K, (double)FLT_EPSILON, "float");
    }
    free(memory);
  }
}
