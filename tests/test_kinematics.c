// SPDX-License-Identifier: Apache-2.0
// Laws of the kinematics: poses against products of homogeneous transformations, velocities and
// accelerations against the oracle and against differences, Jacobians, momentum, the configuration
// manifold, inverse kinematics.

#include <appell/dyn.h>
#include <appell/kin.h>

#include "models.h"
#include "oracle.h"
#include "motion_derivatives.h"

static oracle newton;
static const double pi = 3.14159265358979323846;

// Sizes of what the kinematics of one state is made of: lengths, rates and accelerations.
typedef struct sizes {
  double length, rate, speed, acceleration;
} sizes;

static sizes sizes_of(const test_robot *r, const motion *s) {
  num reach = 1, W = 0, A = 0, V = 0;
  oracle_move(&newton, s->q, s->v, s->a);
  for (int k = 0; k < r->def.nbody; k++) {
    const o_body *b = &newton.body[k];
    reach = fmaxl(reach, b->reach + 1); // links and frames stay within 1 m of the joint
    W = fmaxl(W, b->W);
    V = fmaxl(V, o_norm(b->v));
    A = fmaxl(A, b->A + b->DW + b->W * b->W);
  }
  num speed = V + W * reach;
  return (sizes){(double)reach, (double)W, (double)speed, (double)(A + W * speed + A * reach)};
}

// Rounding of a chain of transformations: as argued at oracle_bound().
static double bound_for(double size) {
  return 28 * (oracle_depth(newton.def) + 2) * DBL_EPSILON * size;
}

static void load(o_vec linear, o_vec angular, double *six) {
  for (int i = 0; i < 3; i++) {
    six[i] = (double)linear.x[i];
    six[3 + i] = (double)angular.x[i];
  }
}

// Velocity and acceleration of a frame in a reference, from the oracle's bodies.
static void frame_motion(int frame, ap_reference ref, double vel[6], double acc[6]) {
  int k;
  o_pose X = oracle_frame(&newton, frame, &k);
  o_vec w = {{0}}, dw = {{0}}, v = {{0}}, a = {{0}};
  if (k >= 0) {
    const o_body *b = &newton.body[k];
    o_vec r = o_sub(X.p, b->moving.p);
    w = b->w;
    dw = b->dw;
    v = o_add(b->v, o_cross(w, r));
    a = o_add(b->a, o_add(o_cross(dw, r), o_cross(w, o_cross(w, r))));
  }
  if (ref == AP_WORLD) { // the point of the body that is at the ground's origin
    a = o_add(a, o_add(o_cross(v, w), o_cross(X.p, dw)));
    v = o_add(v, o_cross(X.p, w));
  }
  if (ref == AP_LOCAL) { // components in the turning axes
    o_mat T = o_transpose(X.R);
    a = o_apply(T, o_sub(a, o_cross(w, v)));
    v = o_apply(T, v);
    w = o_apply(T, w);
    dw = o_apply(T, dw);
  }
  load(v, w, vel);
  load(a, dw, acc);
}

TEST(poses_are_products_of_transformations) {
  double R[9], p[3], want_R[9], want_p[3];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 4) {
      sizes size = sizes_of(r, &s);
      ap_kinematics(r->m, r->w, s.q, NULL, NULL);
      for (int f = 0; f < ap_nframe(r->m); f++) {
        int body;
        o_pose X = oracle_frame(&newton, f, &body);
        for (int i = 0; i < 9; i++) want_R[i] = (double)X.R.m[i / 3][i % 3];
        for (int i = 0; i < 3; i++) want_p[i] = (double)X.p.x[i];
        ap_frame_pose(r->m, r->w, f, R, p);
        CHECK_WITHIN(R, want_R, 9, bound_for(1));
        CHECK_WITHIN(p, want_p, 3, bound_for(size.length));
      }
    }
  }
}

TEST(velocities_and_accelerations_are_those_of_rigid_bodies) {
  double vel[6], acc[6], want_vel[6], want_acc[6];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 3) {
      sizes size = sizes_of(r, &s);
      ap_kinematics(r->m, r->w, s.q, s.v, s.a);
      for (int k = 0; k < 3 * ap_nframe(r->m); k++) {
        ap_reference ref = (ap_reference)(k % 3);
        frame_motion(k / 3, ref, want_vel, want_acc);
        ap_frame_velocity(r->m, r->w, k / 3, ref, vel);
        ap_frame_acceleration(r->m, r->w, k / 3, ref, acc);
        CHECK_WITHIN(vel, want_vel, 6, bound_for(size.speed + size.rate));
        CHECK_WITHIN(acc, want_acc, 6, bound_for(size.acceleration));
      }
    }
  }
}

TEST(missing_velocities_are_zero) {
  double six[6], zero[ROBOT_V] = {0}, want[6];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      for (int f = 0; f < ap_nframe(r->m); f++) {
        ap_kinematics(r->m, r->w, s.q, s.v, NULL);
        ap_frame_acceleration(r->m, r->w, f, AP_WORLD, six);
        ap_kinematics(r->m, r->w, s.q, s.v, zero);
        ap_frame_acceleration(r->m, r->w, f, AP_WORLD, want);
        for (int i = 0; i < 6; i++) CHECK(six[i] == want[i]);
        ap_kinematics(r->m, r->w, s.q, NULL, NULL);
        ap_frame_velocity(r->m, r->w, f, AP_MIXED, six);
        for (int i = 0; i < 6; i++) CHECK(six[i] == 0);
      }
    }
}

// velocity = J v,  acceleration = J a + (dJ/dt) v, in every reference.
TEST(jacobians_map_joint_rates) {
  static double J[6 * ROBOT_V];
  double vel[6], acc[6], rest[6], Jv[6], Ja[6];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 2) {
      sizes size = sizes_of(r, &s);
      int nv = ap_nv(r->m);
      ap_kinematics(r->m, r->w, s.q, s.v, s.a);
      for (int k = 0; k < 3 * ap_nframe(r->m); k++) {
        ap_reference ref = (ap_reference)(k % 3);
        ap_frame_jacobian(r->m, r->w, k / 3, ref, J);
        ap_frame_jacobian_dot_v(r->m, r->w, k / 3, ref, rest);
        ap_frame_velocity(r->m, r->w, k / 3, ref, vel);
        ap_frame_acceleration(r->m, r->w, k / 3, ref, acc);
        dense_apply(J, s.v, 6, nv, Jv);
        dense_apply(J, s.a, 6, nv, Ja);
        for (int i = 0; i < 6; i++) Ja[i] += rest[i];
        double gain = (double)newton.gain;
        CHECK_WITHIN(Jv, vel, 6, 2 * gain * bound_for(size.speed + size.rate));
        CHECK_WITHIN(Ja, acc, 6, 2 * gain * bound_for(size.acceleration));
      }
    }
  }
}

// All frames in one call: what frame by frame gives, and nothing where one is no frame.
TEST(frames_at_once_are_frames_one_by_one) {
  enum { MOST = ROBOT_BODIES + ROBOT_FRAMES + 1 };
  static double R[9 * MOST], p[3 * MOST], J[6 * ROBOT_V * MOST], one[6 * ROBOT_V];
  int frames[MOST];
  FOR_EACH_MODEL (r) {
    int n = ap_nframe(r->m), nv = ap_nv(r->m);
    for (int k = 0; k < n; k++) frames[k] = n - 1 - k;
    FOR_EACH_STATE (r, s, 1) {
      for (int ref = 0; ref < 3; ref++) {
        CHECK_OK(ap_forward_kinematics(r->m, r->w, s.q, frames, n, (ap_reference)ref, R, p, J));
        for (int k = 0; k < n; k++) {
          double turn[9], place[3];
          ap_frame_pose(r->m, r->w, frames[k], turn, place);
          ap_frame_jacobian(r->m, r->w, frames[k], (ap_reference)ref, one);
          CHECK_BITS(turn, R + 9 * k, 9);
          CHECK_BITS(place, p + 3 * k, 3);
          CHECK_BITS(one, J + 6 * nv * k, 6 * nv);
        }
      }
      p[0] = 12345, frames[n - 1] = n;
      CHECK_STATUS(ap_forward_kinematics(r->m, r->w, s.q, frames, n, AP_LOCAL, NULL, p, NULL),
                   AP_E_ARG);
      CHECK(p[0] == 12345);
      frames[n - 1] = 0;
    }
  }
}

// ---- against differences -----------------------------------------------------------------------

// Pose and velocity of all frames as one vector: R, p, velocities in the three references.
enum { FRAME_ENTRIES = 12 + 18 };

static void frame_table(const test_robot *r, const double *q, const double *v, double *f) {
  ap_kinematics(r->m, r->w, q, v, NULL);
  for (int k = 0; k < ap_nframe(r->m); k++, f += FRAME_ENTRIES) {
    ap_frame_pose(r->m, r->w, k, f, f + 9);
    for (int ref = 0; ref < 3; ref++)
      ap_frame_velocity(r->m, r->w, k, (ap_reference)ref, f + 12 + 6 * ref);
  }
}

// dp/dt and dR/dt are the velocity, dvelocity/dt the acceleration, in every reference.
TEST(rates_are_slopes) {
  static double slope[FRAME_ENTRIES * (ROBOT_BODIES + ROBOT_FRAMES + 1)];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 2) {
      int n = ap_nframe(r->m);
      sizes size = sizes_of(r, &s);
      double rate = state_rate(&newton, &s);
      slope_of(frame_table, r, &s, rate, FRAME_ENTRIES * n, slope);
      ap_kinematics(r->m, r->w, s.q, s.v, s.a);
      for (int k = 0; k < n; k++) {
        double R[9], p[3], vel[6], acc[6], dR[9], *x = slope + FRAME_ENTRIES * k;
        ap_frame_pose(r->m, r->w, k, R, p);
        ap_frame_velocity(r->m, r->w, k, AP_MIXED, vel);
        for (int i = 0; i < 9; i++) { // dR/dt = w x R, column by column
          int a = (i / 3 + 1) % 3, b = (i / 3 + 2) % 3, c = i % 3;
          dR[i] = vel[3 + a] * R[3 * b + c] - vel[3 + b] * R[3 * a + c];
        }
        CHECK_WITHIN(x, dR, 9, slope_bound(rate, 1, bound_for(1)));
        CHECK_WITHIN(x + 9, vel, 3, slope_bound(rate, size.length, bound_for(size.length)));
        for (int ref = 0; ref < 3; ref++) {
          double scale = size.speed + size.rate;
          ap_frame_acceleration(r->m, r->w, k, (ap_reference)ref, acc);
          CHECK_WITHIN(x + 12 + 6 * ref, acc, 6,
                       slope_bound(rate, scale, bound_for(scale)) + bound_for(size.acceleration));
        }
      }
    }
  }
}

// ---- centre of mass and momentum ---------------------------------------------------------------

// Sums over the moving bodies of the oracle: mass, m c, m v, m a, and momenta about a point.
typedef struct totals {
  num mass;
  o_vec mc, mv, ma;
} totals;

static totals sum_bodies(void) {
  totals t = {0, {{0}}, {{0}}, {{0}}};
  for (int k = 0; k < newton.def->nbody; k++) {
    const ap_body_def *b = &newton.def->bodies[k];
    const o_body *B = &newton.body[k];
    if (!o_moves(newton.def, k)) continue;
    o_vec c = o_add(B->link.p, o_apply(B->link.R, o_load(b->com))), r = o_sub(c, B->moving.p);
    o_vec v = o_add(B->v, o_cross(B->w, r));
    o_vec a = o_add(B->a, o_add(o_cross(B->dw, r), o_cross(B->w, o_cross(B->w, r))));
    t.mass += b->mass;
    t.mc = o_add(t.mc, o_scale(b->mass, c));
    t.mv = o_add(t.mv, o_scale(b->mass, v));
    t.ma = o_add(t.ma, o_scale(b->mass, a));
  }
  return t;
}

// Angular momentum about a point, or with rate set its time derivative for a point at the centre.
static o_vec sum_momentum(o_vec point, bool rate) {
  o_vec sum = {{0}};
  for (int k = 0; k < newton.def->nbody; k++) {
    const ap_body_def *b = &newton.def->bodies[k];
    const o_body *B = &newton.body[k];
    if (!o_moves(newton.def, k)) continue;
    o_vec c = o_add(B->link.p, o_apply(B->link.R, o_load(b->com))), r = o_sub(c, B->moving.p);
    o_vec v = o_add(B->v, o_cross(B->w, r));
    o_vec a = o_add(B->a, o_add(o_cross(B->dw, r), o_cross(B->w, o_cross(B->w, r))));
    o_mat I = o_inertia(b, B->link.R);
    o_vec own = o_apply(I, B->w);
    if (rate) own = o_add(o_apply(I, B->dw), o_cross(B->w, own));
    o_vec arm = o_cross(o_sub(c, point), o_scale(b->mass, rate ? a : v));
    sum = o_add(sum, o_add(own, arm));
  }
  return sum;
}

TEST(centre_of_mass_moves_as_the_bodies_do) {
  double com[3], vel[3], acc[3], want[3];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 4) {
      sizes size = sizes_of(r, &s);
      ap_kinematics(r->m, r->w, s.q, s.v, s.a);
      double mass = ap_centre_of_mass(r->m, r->w, com, vel, acc);
      totals t = sum_bodies();
      CHECK_CLOSE(mass, (double)t.mass, bound_for((double)t.mass));
      CHECK(ap_centre_of_mass(r->m, r->w, NULL, NULL, NULL) == mass);
      if (!(t.mass > 0)) continue;
      for (int i = 0; i < 3; i++) want[i] = (double)(t.mc.x[i] / t.mass);
      CHECK_WITHIN(com, want, 3, bound_for(size.length));
      for (int i = 0; i < 3; i++) want[i] = (double)(t.mv.x[i] / t.mass);
      CHECK_WITHIN(vel, want, 3, bound_for(size.speed));
      for (int i = 0; i < 3; i++) want[i] = (double)(t.ma.x[i] / t.mass);
      CHECK_WITHIN(acc, want, 3, bound_for(size.acceleration));
    }
  }
}

TEST(centroidal_momentum_is_the_sum_over_bodies) {
  static double A[6 * ROBOT_V];
  double h[6], want[6], Av[6];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 3) {
      sizes size = sizes_of(r, &s);
      totals t = sum_bodies();
      ap_kinematics(r->m, r->w, s.q, s.v, s.a);
      ap_centroidal_momentum(r->m, r->w, h);
      ap_centroidal_matrix(r->m, r->w, A);
      dense_apply(A, s.v, 6, newton.nv, Av);
      if (!(t.mass > 0)) continue;
      load(t.mv, sum_momentum(o_scale(1 / t.mass, t.mc), false), want);
      // Each body's part is at most mass * speed * length (its own inertia is less than mass m2).
      double bound = bound_for((double)t.mass * (size.speed + size.rate) * (size.length + 1));
      CHECK_WITHIN(h, want, 6, bound);
      CHECK_WITHIN(Av, want, 6, 2 * (double)newton.gain * bound);
    }
  }
}

static void momentum(const test_robot *r, const double *q, const double *v, double *f) {
  ap_kinematics(r->m, r->w, q, v, NULL);
  ap_centroidal_momentum(r->m, r->w, f);
}

// dh/dt = the forces on the robot: what accelerates its bodies, by Newton and Euler.
TEST(momentum_changes_by_the_forces) {
  double slope[6], want[6];
  FOR_EACH_MODEL (r) {
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 2) {
      sizes size = sizes_of(r, &s);
      double rate = state_rate(&newton, &s);
      slope_of(momentum, r, &s, rate, 6, slope);
      oracle_move(&newton, s.q, s.v, s.a);
      totals t = sum_bodies();
      if (!(t.mass > 0)) continue;
      load(t.ma, sum_momentum(o_scale(1 / t.mass, t.mc), true), want);
      double scale = (double)t.mass * (size.speed + size.rate) * (size.length + 1);
      CHECK_WITHIN(slope, want, 6, slope_bound(rate, scale, bound_for(scale)));
    }
  }
}

// A robot in free flight under no force but gravity: the momentum about the centre of mass stays,
// the centre falls.
TEST(free_flight_keeps_momentum) {
  double tau[ROBOT_V] = {0}, a[ROBOT_V], slope[6], want[6] = {0};
  FOR_EACH_MODEL (r) {
    if (r->def.nbody == 0 || r->body[0].joint != AP_FREE) continue;
    bool one_root = true;
    for (int k = 1; k < r->def.nbody; k++) one_root = one_root && r->body[k].parent > 0;
    if (!one_root) continue;
    oracle_init(&newton, &r->def);
    FOR_EACH_STATE (r, s, 2) {
      for (int i = 6; i < newton.nv; i++) tau[i] = s.a[i];
      if (!CHECK_OK(ap_forward_dynamics(r->m, r->w, s.q, s.v, tau, a))) continue;
      memcpy(s.a, a, sizeof a);
      sizes size = sizes_of(r, &s);
      double rate = state_rate(&newton, &s) + test_norm(a, newton.nv);
      slope_of(momentum, r, &s, rate, 6, slope);
      double mass = ap_centre_of_mass(r->m, r->w, NULL, NULL, NULL);
      for (int i = 0; i < 3; i++) want[i] = mass * r->def.gravity[i];
      double scale = mass * (size.speed + size.rate) * (size.length + 1);
      CHECK_WITHIN(slope, want, 6, slope_bound(rate, scale, bound_for(scale)));
    }
  }
}

// ---- the configuration manifold ----------------------------------------------------------------

// Steps that turn by less than pi are found again. Rounding of q against a step of size 1: the
// coordinates and quaternions are of size pi at most, a handful of operations each.
TEST(difference_undoes_integrate) {
  static const double sizes_tried[] = {1, 1e-3, 1e-9, 0};
  double q[ROBOT_Q], step[ROBOT_V], v[ROBOT_V];
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 20) {
      for (int i = 0; i < ap_nv(r->m); i++) step[i] = s.v[i] * sizes_tried[s.number % 4];
      ap_integrate(r->m, s.q, step, q);
      ap_difference(r->m, s.q, q, v);
      CHECK_WITHIN(v, step, ap_nv(r->m), 32 * DBL_EPSILON * pi);
      CHECK_OK(ap_normalize(r->m, q));
    }
}

TEST(integrate_follows_difference) {
  double q[ROBOT_Q], v[ROBOT_V], rest[ROBOT_V], zero[ROBOT_V] = {0};
  rng random = rng_seed(31);
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 10) {
      motion to = s;
      random_motion(&random, r->m, &to);
      ap_difference(r->m, s.q, to.q, v);
      ap_integrate(r->m, s.q, v, q);
      ap_difference(r->m, to.q, q, rest);
      // A translation is turned back through up to half a turn: lengths of at most 4.
      CHECK_WITHIN(rest, zero, ap_nv(r->m), 64 * DBL_EPSILON * 4 * pi);
      for (int i = 1; i < ap_nbody(r->m); i++) { // shortest way round
        ap_joint_type joint = ap_body(r->m, i)->joint;
        if (joint != AP_FREE && joint != AP_SPHERICAL) continue;
        const double *w = v + ap_joint_v(r->m, i) + (joint == AP_FREE ? 3 : 0);
        CHECK(sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) <= pi * (1 + 4 * DBL_EPSILON));
      }
    }
}

// A constant body velocity is followed along a screw: two steps make the sum of the steps.
TEST(steps_along_one_velocity_add_up) {
  double half[ROBOT_V], rest[ROBOT_V], q[ROBOT_Q], once[ROBOT_Q], zero[ROBOT_V] = {0};
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 5) {
      for (int i = 0; i < ap_nv(r->m); i++) half[i] = s.v[i] / 2;
      ap_integrate(r->m, s.q, s.v, once);
      ap_integrate(r->m, s.q, half, q);
      ap_integrate(r->m, q, half, q); // in place
      ap_difference(r->m, once, q, rest);
      CHECK_WITHIN(rest, zero, ap_nv(r->m), 64 * DBL_EPSILON * pi);
    }
}

TEST(quaternions_are_normalised) {
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      bool any = false;
      double q[ROBOT_Q], rest[ROBOT_V], zero[ROBOT_V] = {0};
      memcpy(q, s.q, sizeof q);
      for (int i = 1; i < ap_nbody(r->m); i++) {
        ap_joint_type joint = ap_body(r->m, i)->joint;
        if (joint != AP_FREE && joint != AP_SPHERICAL) continue;
        double *x = q + ap_joint_q(r->m, i) + (joint == AP_FREE ? 3 : 0);
        for (int k = 0; k < 4; k++) x[k] *= 5;
        any = true;
      }
      CHECK_OK(ap_normalize(r->m, q));
      ap_difference(r->m, s.q, q, rest);
      CHECK_WITHIN(rest, zero, ap_nv(r->m), 16 * DBL_EPSILON);
      CHECK_WITHIN(q, s.q, ap_nq(r->m), 4 * DBL_EPSILON);
      memset(q, 0, sizeof q);
      CHECK_STATUS(ap_normalize(r->m, q), any ? AP_E_ARG : AP_OK);
    }
}

TEST(neutral_is_where_joints_are_placed) {
  double q[ROBOT_Q];
  FOR_EACH_MODEL (r) {
    ap_neutral(r->m, q);
    CHECK_OK(ap_normalize(r->m, q));
    for (int i = 1; i < ap_nbody(r->m); i++) {
      ap_joint_type joint = ap_body(r->m, i)->joint;
      int from = ap_joint_q(r->m, i);
      for (int k = 0; k < ap_joint_nq(r->m, i); k++)
        CHECK(q[from + k] == ((joint == AP_SPHERICAL && k == 3) || (joint == AP_FREE && k == 6)));
    }
  }
}

// ---- numeric inverse kinematics ----------------------------------------------------------------

// An arm of 6 or 7 joints with limits, for the numeric inverse kinematics.
static bool limited_arm(rng *random, int n, test_robot *r) {
  robot_recipe recipe = {"limited arm", n, 0, ONLY_R, ANY_PLACE, false, 0, 0};
  random_robot(random, &recipe, r);
  for (int k = 0; k < n; k++) {
    r->body[k].lower = -2.5;
    r->body[k].upper = 2.5;
  }
  return robot_make(r);
}

static void pose_at(const test_robot *r, int frame, const double *q, double R[9], double p[3]) {
  ap_kinematics(r->m, r->w, q, NULL, NULL);
  ap_frame_pose(r->m, r->w, frame, R, p);
}

static bool inside_limits(const test_robot *r, const double *q) {
  bool inside = true;
  for (int i = 1; i < ap_nbody(r->m); i++) {
    if (ap_joint_nq(r->m, i) != 1) continue;
    double x = q[ap_joint_q(r->m, i)];
    inside = inside && x >= ap_body(r->m, i)->lower && x <= ap_body(r->m, i)->upper;
  }
  return inside;
}

// From a start near a solution the pose is reached to the tolerance asked for. In the matrix, an
// orientation error of tolerance rad is at most that in each entry.
TEST(numeric_inverse_kinematics_reaches_poses) {
  static test_robot r;
  rng random = rng_seed(32);
  ap_ik_options options = ap_default_ik();
  for (int k = 0; k < 40; k++) {
    double R[9], p[3], R2[9], p2[3], q[7], target[7];
    int n = 6 + k % 2, frame = n;
    if (!limited_arm(&random, n, &r)) continue;
    test_context("arm %d", k);
    for (int i = 0; i < n; i++) {
      target[i] = rng_uniform(&random, -2, 2);
      q[i] = target[i] + rng_uniform(&random, -0.1, 0.1);
    }
    pose_at(&r, frame, target, R, p);
    ap_ik_result result;
    CHECK_OK(ap_inverse_kinematics(r.m, r.w, frame, R, p, &options, q, &result));
    CHECK(result.position_error <= options.tolerance);
    CHECK(result.orientation_error <= options.tolerance);
    CHECK(result.iterations <= options.iterations);
    CHECK(inside_limits(&r, q));
    pose_at(&r, frame, q, R2, p2);
    CHECK_WITHIN(p2, p, 3, 1.01 * options.tolerance);
    CHECK_WITHIN(R2, R, 9, 1.01 * options.tolerance);
    robot_free(&r);
  }
}

// Distance between a frame at q and a pose: metres and radians together.
static double distance(const test_robot *r, int frame, const double *q, const double R[9],
                       const double p[3]) {
  double R2[9], p2[3], square = 0, chord = 0;
  pose_at(r, frame, q, R2, p2);
  for (int i = 0; i < 3; i++) square += (p2[i] - p[i]) * (p2[i] - p[i]);
  for (int i = 0; i < 9; i++) chord += (R2[i] - R[i]) * (R2[i] - R[i]);
  double angle = 2 * asin(fmin(1, sqrt(chord / 8))); // |R2 - R|^2 = 8 sin^2(angle / 2)
  return sqrt(square + angle * angle);
}

// On any tree, for any frame: a pose that the robot has taken is reached from close by, unless the
// robot is singular there; then it comes at least nearer.
TEST(numeric_inverse_kinematics_serves_every_robot) {
  ap_ik_options options = ap_default_ik();
  int solved = 0, tried = 0;
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      double R[9], p[3], start[ROBOT_Q], q[ROBOT_Q], step[ROBOT_V];
      int frame = ap_nframe(r->m) - 1;
      for (int i = 0; i < ap_nv(r->m); i++) step[i] = 0.05 * s.v[i];
      pose_at(r, frame, s.q, R, p);
      ap_integrate(r->m, s.q, step, start);
      memcpy(q, start, sizeof q);
      ap_status status = ap_inverse_kinematics(r->m, r->w, frame, R, p, &options, q, NULL);
      tried++;
      solved += status == AP_OK;
      double before = distance(r, frame, start, R, p), after = distance(r, frame, q, R, p);
      CHECK(after <= (status == AP_OK ? 2 * options.tolerance : before));
    }
  CHECK(10 * solved >= 9 * tried);
}

TEST(numeric_inverse_kinematics_can_leave_orientation_free) {
  static test_robot r;
  rng random = rng_seed(33);
  ap_ik_options options = ap_default_ik();
  options.position_only = true;
  for (int k = 0; k < 10; k++) {
    double R[9], p[3], R2[9], p2[3], q[7], target[7];
    double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!limited_arm(&random, 6, &r)) continue;
    for (int i = 0; i < 6; i++) {
      target[i] = rng_uniform(&random, -2, 2);
      q[i] = target[i] + rng_uniform(&random, -0.3, 0.3);
    }
    pose_at(&r, 6, target, R, p);
    CHECK_OK(ap_inverse_kinematics(r.m, r.w, 6, identity, p, &options, q, NULL));
    pose_at(&r, 6, q, R2, p2);
    CHECK_WITHIN(p2, p, 3, 1.01 * options.tolerance);
    robot_free(&r);
  }
}

// Out of reach: a status, the best q found, inside the limits, and how far it is.
TEST(numeric_inverse_kinematics_says_what_it_cannot_reach) {
  static test_robot r;
  rng random = rng_seed(34);
  ap_ik_options options = ap_default_ik();
  for (int k = 0; k < 10; k++) {
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, p[3] = {30, -40, 0}, R2[9], p2[3], q[7];
    if (!limited_arm(&random, 6, &r)) continue;
    test_context("arm %d", k);
    for (int i = 0; i < 6; i++) q[i] = rng_uniform(&random, -2, 2);
    ap_ik_result result = {0, 0, 0};
    ap_status status = ap_inverse_kinematics(r.m, r.w, 6, R, p, &options, q, &result);
    CHECK(status == AP_E_UNREACHABLE || status == AP_E_NO_CONVERGENCE);
    CHECK(inside_limits(&r, q));
    pose_at(&r, 6, q, R2, p2);
    double far = hypot(hypot(p2[0] - p[0], p2[1] - p[1]), p2[2] - p[2]);
    CHECK_CLOSE(result.position_error, far, 1e-9 * far);
    CHECK(far > 50 - 6 * 0.6); // 50 m away, the arm is no longer than that
    robot_free(&r);
  }
}

// ---- the PUMA's closed form --------------------------------------------------------------------

static bool puma(test_robot *r) {
  const ap_robot_def *def = ap_builtin("puma600");
  if (!CHECK(def)) return false;
  robot_clear(r, "puma600", 0);
  r->def = *def;
  memcpy(r->body, def->bodies, (size_t)def->nbody * sizeof *r->body);
  if (def->nframe)
    memcpy(r->frame, def->frames,
           (size_t)(def->nframe < ROBOT_FRAMES ? def->nframe : ROBOT_FRAMES) * sizeof *r->frame);
  if (r->def.nframe > ROBOT_FRAMES) r->def.nframe = ROBOT_FRAMES;
  return robot_make(r);
}

static bool same_angles(const double *a, const double *b, int n, double tol) {
  for (int i = 0; i < n; i++)
    if (!(fabs(remainder(a[i] - b[i], 2 * pi)) <= tol)) return false;
  return true;
}

// Away from the singular postures (wrist straight, arm stretched, wrist above the shoulder: each
// measured by a sine of at least 0.1) angles come out to about eps/0.1^2 and poses accordingly.
static const double puma_tolerance = 64 * DBL_EPSILON / 0.01;

static bool puma_is_regular(const ap_puma_geometry *g, const double *q, const double *p) {
  double elbow = atan2(g->a3, g->d4);
  return fabs(sin(q[4])) > 0.1 && fabs(cos(q[2] - elbow)) > 0.1 &&
         hypot(p[0], p[1]) > fabs(g->d3) + 0.1;
}

TEST(puma_branches_all_lead_to_the_pose) {
  static test_robot r;
  ap_puma_geometry g;
  rng random = rng_seed(35);
  if (!puma(&r) || !CHECK_OK(ap_puma_geometry_of(r.m, &g))) return;
  CHECK(g.a2 == 0.432 && g.a3 == -0.02 && g.d3 == 0.15 && g.d4 == 0.433);
  for (int k = 0; k < 300; k++) {
    double q[6], R[9], p[3], R2[9], p2[3], solution[6];
    int found = 0;
    for (int i = 0; i < 6; i++) q[i] = rng_uniform(&random, -pi, pi);
    pose_at(&r, 6, q, R, p);
    if (!puma_is_regular(&g, q, p)) continue;
    for (int branch = 0; branch < 8; branch++) {
      test_context("pose %d, branch %d", k, branch);
      if (!CHECK_OK(ap_puma_inverse_kinematics(&g, R, p, branch, solution))) continue;
      found += same_angles(solution, q, 6, puma_tolerance);
      pose_at(&r, 6, solution, R2, p2);
      CHECK_WITHIN(R2, R, 9, puma_tolerance);
      CHECK_WITHIN(p2, p, 3, puma_tolerance);
      CHECK((branch & 1) == (solution[4] < 0));
      for (int i = 0; i < 6; i++) CHECK(solution[i] > -pi && solution[i] <= pi);
    }
    test_context("pose %d", k);
    CHECK_EQ_INT(found, 1); // one branch is the posture we came from
  }
  robot_free(&r);
}

TEST(puma_singular_wrist_has_a_rule) {
  static test_robot r;
  ap_puma_geometry g;
  rng random = rng_seed(36);
  if (!puma(&r) || !CHECK_OK(ap_puma_geometry_of(r.m, &g))) return;
  for (int k = 0; k < 50; k++) {
    double q[6], R[9], p[3], R2[9], p2[3], solution[6];
    for (int i = 0; i < 6; i++) q[i] = rng_uniform(&random, -3, 3);
    q[4] = 0;
    pose_at(&r, 6, q, R, p);
    for (int branch = 0; branch < 8; branch++) {
      // The wrist is straight only on branches with this posture's arm.
      if (ap_puma_inverse_kinematics(&g, R, p, branch, solution) != AP_OK) continue;
      pose_at(&r, 6, solution, R2, p2);
      // A wrist within sqrt(eps) of straight is known to sqrt(eps) only, the pose still to eps.
      if (same_angles(solution, q, 3, 1e-9)) {
        CHECK(fabs(solution[4]) < 1e-7);
        if (solution[4] == 0) CHECK(solution[3] == 0);
        CHECK_WITHIN(R2, R, 9, 1e-7);
      }
    }
  }
  robot_free(&r);
}

TEST(puma_out_of_reach_is_a_status) {
  double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[6] = {42, 42, 42, 42, 42, 42};
  const double far[3] = {2, 0, 0}, near_axis[3] = {0.05, 0.05, 0.3};
  ap_puma_geometry g = {0.432, -0.02, 0.15, 0.433};
  for (int branch = 0; branch < 8; branch++) {
    CHECK_STATUS(ap_puma_inverse_kinematics(&g, R, far, branch, q), AP_E_UNREACHABLE);
    CHECK_STATUS(ap_puma_inverse_kinematics(&g, R, near_axis, branch, q), AP_E_UNREACHABLE);
  }
  for (int i = 0; i < 6; i++) CHECK(q[i] == 42);
}

TEST(puma_geometry_is_read_only_off_a_puma) {
  ap_puma_geometry g = {1, 2, 3, 4};
  FOR_EACH_MODEL (r) CHECK_STATUS(ap_puma_geometry_of(r->m, &g), AP_E_UNSUPPORTED);
}
