// SPDX-License-Identifier: Apache-2.0
// Forces in the closures and from outside: they balance every body, also those of a simulator in
// maximal coordinates.

#include <appell/file.h>

#include "maximal.h"
#include "mechanism_rig.h"

enum { N = 6, V = 30, X = 40, ROWS = 40, CLOSURES = 10, WRENCHES = 30 };

static const char press_file[] = "models/press.yaml";

// A built-in mechanism, or past these the press, which has every kind of closure.
static rig mechanism(int i) {
  rig r = {NULL, NULL, {NULL, NULL}};
  const char *name = ap_mechanism_builtin_name(i);
  if (name) return builtin(name);
  ap_robot *robot = NULL;
  test_context("press");
  if (!CHECK_OK(ap_robot_read(press_file, NULL, &robot, NULL))) return r;
  r = rig_of(ap_robot_mechanism(robot));
  ap_robot_free(robot);
  return r;
}
enum { MECHANISMS = 5 };

typedef struct motion {
  double q[N], v[N], a[N];
} motion;

static motion random_motion(rng *random, const rig *r) {
  motion s = {{0}, {0}, {0}};
  random_pose(random, r, s.q);
  for (int i = 0; i < ap_mechanism_n(r->m); i++) {
    s.v[i] = rng_uniform(random, -1, 1), s.a[i] = rng_uniform(random, -5, 5);
  }
  return s;
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    c[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static int random_wrenches(rng *random, const rig *r, ap_wrench *w) {
  int n = rng_int(random, 0, 4);
  for (int i = 0; i < n; i++) {
    w[i] = (ap_wrench){.frame = rng_int(random, 0, ap_nbody(ap_mechanism_tree(r->m)) - 1),
                       .reference = (ap_reference)rng_int(random, AP_LOCAL, AP_MIXED)};
    for (int k = 0; k < 3; k++) {
      w[i].force[k] = rng_uniform(random, -20, 20), w[i].moment[k] = rng_uniform(random, -3, 3);
    }
  }
  return n;
}

// ---- closures ----------------------------------------------------------------------------------

// A force on a link at a point, about the ground's origin.
static ap_wrench wrench_at(int body, const ap_closure_force *f, double sign) {
  ap_wrench w = {.frame = body, .reference = AP_WORLD};
  double arm[3];
  cross(f->at, f->force, arm);
  for (int k = 0; k < 3; k++) {
    w.force[k] = sign * f->force[k], w.moment[k] = sign * (f->moment[k] + arm[k]);
  }
  return w;
}

// The tree alone, with the closures cut and their forces put on both links, moves as the mechanism
// does under the actuators' forces and no others. This sees a force that is wrong in any component,
// point or sign, and uses nothing of Phi. Rounding: the tree's forces to 1e-14 of the largest.
static void balance(rig *r, const motion *s, const ap_wrench *outside, int n) {
  const ap_model *tree = ap_mechanism_tree(r->m);
  double tau[N], a[N], xd[V], xdd[V], x[X], f[V], want[V] = {0}, lambda[ROWS], phi[ROWS * V];
  ap_closure_force force[CLOSURES];
  ap_wrench all[WRENCHES];
  const int given = n;
  if (!CHECK_OK(ap_loop_inverse_dynamics_ext(r->m, r->l, s->q, s->v, s->a, outside, n, tau)))
    return;
  CHECK_OK(ap_loop_forward_dynamics_ext(r->m, r->l, s->q, s->v, tau, outside, n, a));
  CHECK_NEAR(a, s->a, ap_mechanism_n(r->m), 1e-9);
  CHECK_OK(ap_loop_closure_forces(r->m, r->l, s->q, s->v, s->a, tau, outside, n, lambda, force));
  CHECK_OK(ap_loop_velocity(r->m, r->l, s->q, s->v, xd));
  CHECK_OK(ap_loop_acceleration(r->m, r->l, s->q, s->v, s->a, xdd));
  memcpy(x, ap_loop_configuration(r->l), sizeof(double) * (size_t)ap_nq(tree));
  memcpy(all, outside, sizeof *all * (size_t)n);
  for (int i = 0; i < ap_mechanism_nact(r->m); i++)
    want[ap_joint_v(tree, ap_mechanism_actuated(r->m, i))] += tau[i];
  for (int i = 0; i < ap_mechanism_nclosure(r->m); i++) {
    const ap_closure_def *c = ap_mechanism_closure(r->m, i);
    for (int k = 0; k < 2; k++) {
      if (c->kind == AP_CLOSE_GEAR)
        want[ap_joint_v(tree, c->body[k])] += force[i].joint[k];
      else
        all[n++] = wrench_at(c->body[k], &force[i], k == 0 ? 1 : -1);
    }
  }
  CHECK_OK(ap_inverse_dynamics_ext(tree, ap_loop_work(r->l), x, xd, xdd, all, n, f));
  double size = 1;
  for (int i = 0; i < ap_mechanism_nrow(r->m); i++) size = fmax(size, fabs(lambda[i]));
  CHECK_WITHIN(f, want, ap_nv(tree), 1e-12 * size);
  // The multipliers are what the equation of motion says, by the Jacobian of the closures.
  ap_loop_closure_jacobian(r->m, r->l, x, phi);
  ap_inverse_dynamics_ext(tree, ap_loop_work(r->l), x, xd, xdd, outside, given, f);
  for (int i = 0; i < ap_mechanism_nact(r->m); i++)
    f[ap_joint_v(tree, ap_mechanism_actuated(r->m, i))] -= tau[i];
  for (int j = 0; j < ap_nv(tree); j++) {
    want[j] = 0;
    for (int i = 0; i < ap_mechanism_nrow(r->m); i++)
      want[j] += phi[i * ap_nv(tree) + j] * lambda[i];
  }
  CHECK_WITHIN(f, want, ap_nv(tree), 1e-12 * size);
}

TEST(cut_open_the_tree_moves_as_before) {
  rng random = rng_seed(71);
  for (int i = 0; i < MECHANISMS; i++) {
    rig r = mechanism(i);
    for (int k = 0; r.m && k < 40; k++) {
      ap_wrench outside[4];
      int n = random_wrenches(&random, &r, outside);
      const motion s = random_motion(&random, &r);
      CHECK_OK(ap_loop_set_guess(r.m, r.l, ap_mechanism_guess(r.m)));
      balance(&r, &s, outside, n);
    }
    drop(&r);
  }
}

// Phi_x^T lambda is what joints and wrenches leave, and lambda is the shortest: it is Phi_x times
// something, so that what makes Phi_x^T zero is across it. Three directions of that kind are known
// of the wrist: along each axis d, as d_0 - d_1 does not change in that direction.
TEST(multipliers_are_the_shortest) {
  rig r = builtin("agile-wrist");
  rng random = rng_seed(72);
  for (int k = 0; r.m && k < 20; k++) {
    const motion s = random_motion(&random, &r);
    double tau[N], lambda[ROWS], R[9], p[3];
    CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, s.q, s.v, s.a, tau));
    CHECK_OK(ap_loop_closure_forces(r.m, r.l, s.q, s.v, s.a, tau, NULL, 0, lambda, NULL));
    ap_work *w = ap_loop_work(r.l);
    ap_kinematics(ap_mechanism_tree(r.m), w, ap_loop_configuration(r.l), NULL, NULL);
    for (int i = 0; i < 3; i++) {
      const ap_closure_def *c = ap_mechanism_closure(r.m, 2 * i + 1);
      ap_frame_pose(ap_mechanism_tree(r.m), w, c->body[0], R, p);
      double along = 0;
      for (int j = 0; j < 9; j++) along += lambda[6 * i + 3 + j / 3] * R[j] * c->axis[0][j % 3];
      CHECK_CLOSE(along, 0, 1e-12);
    }
  }
  drop(&r);
}

// A closure that is there twice carries half of its force each time.
TEST(twins_share) {
  const ap_mechanism_def *five = ap_mechanism_builtin("five-bar");
  ap_closure_def twins[2] = {five->closures[0], five->closures[0]};
  ap_mechanism_def def = *five;
  twins[1].name = "twin";
  def.closures = twins, def.nclosure = 2;
  rig one = rig_of(five), two = rig_of(&def);
  rng random = rng_seed(73);
  for (int k = 0; one.m && two.m && k < 20; k++) {
    const motion s = random_motion(&random, &one);
    double tau[N];
    ap_closure_force whole, half[2];
    CHECK_OK(ap_loop_inverse_dynamics(one.m, one.l, s.q, s.v, s.a, tau));
    CHECK_OK(ap_loop_closure_forces(one.m, one.l, s.q, s.v, s.a, tau, NULL, 0, NULL, &whole));
    CHECK_OK(ap_loop_closure_forces(two.m, two.l, s.q, s.v, s.a, tau, NULL, 0, NULL, half));
    for (int i = 0; i < 3; i++) {
      CHECK_CLOSE(half[0].force[i], whole.force[i] / 2, 1e-11);
      CHECK_CLOSE(half[1].force[i], whole.force[i] / 2, 1e-11);
    }
  }
  drop(&one), drop(&two);
}

// ---- the simulator in maximal coordinates ------------------------------------------------------

// The platform of the wrist as the simulator has it moves under the forces that the closures of the
// library give it: m (a - g) and I alpha + w x I w about its centre of mass.
TEST(the_platform_of_the_simulator_feels_them) {
  rig r = builtin("agile-wrist");
  const ap_wrist_def def = ap_agile_wrist();
  maximal_system bodies;
  maximal_wrist(&def, &bodies);
  rng random = rng_seed(74);
  const maximal_body *platform = &bodies.body[bodies.platform];
  for (int k = 0; r.m && k < 20; k++) {
    const motion s = random_motion(&random, &r);
    double tau[N], want[3], xd[V], xdd[V], theta[3], psi[3], omega[3], alpha[3], R[9], p[3];
    ap_closure_force force[CLOSURES];
    CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, s.q, s.v, s.a, tau));
    CHECK_OK(ap_loop_closure_forces(r.m, r.l, s.q, s.v, s.a, tau, NULL, 0, NULL, force));
    CHECK_OK(ap_loop_velocity(r.m, r.l, s.q, s.v, xd));
    CHECK_OK(ap_loop_acceleration(r.m, r.l, s.q, s.v, s.a, xdd));
    const double *x = ap_loop_configuration(r.l);
    ap_kinematics(ap_mechanism_tree(r.m), ap_loop_work(r.l), x, NULL, NULL);
    ap_frame_pose(ap_mechanism_tree(r.m), ap_loop_work(r.l), 7, R, p);
    for (int i = 0; i < 3; i++) { // the elbow's side alone is told: angles to one digit
      theta[i] = round(10 * x[2 * i]) / 10, psi[i] = round(10 * x[2 * i + 1]) / 10;
      omega[i] = R[3 * i] * xd[9] + R[3 * i + 1] * xd[10] + R[3 * i + 2] * xd[11];
      alpha[i] = R[3 * i] * xdd[9] + R[3 * i + 1] * xdd[10] + R[3 * i + 2] * xdd[11];
    }
    maximal_state state[MAXIMAL_BODIES];
    maximal_rate rate[MAXIMAL_BODIES];
    maximal_wrist_state(&def, s.q, theta, psi, state);
    if (!CHECK(maximal_close(&bodies, state) < 1e-14)) break;
    maximal_move(&bodies, omega, state);
    CHECK(maximal_torques(&bodies, state, alpha, want, rate) < 1e-12);
    CHECK_NEAR(tau, want, 3, 1e-11);
    const maximal_state *at = &state[bodies.platform];
    double F[3] = {0}, M[3] = {0}, spin[3] = {0}, Iw[3] = {0}, Ia[3] = {0}, gyro[3], ma[3],
           moment[3];
    for (int c = 0; c < ap_mechanism_nclosure(r.m); c++) { // the platform is the second link of all
      double arm[3], turn[3];
      for (int i = 0; i < 3; i++) arm[i] = force[c].at[i] - at->x[i];
      cross(arm, force[c].force, turn);
      for (int i = 0; i < 3; i++) F[i] -= force[c].force[i], M[i] -= force[c].moment[i] + turn[i];
    }
    for (int i = 0; i < 3; i++) // in the body's axes
      for (int j = 0; j < 3; j++) spin[i] += at->R[3 * j + i] * at->w[j];
    double local[3] = {0};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) local[i] += at->R[3 * j + i] * rate[bodies.platform].w[j];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        Iw[i] += platform->inertia[3 * i + j] * spin[j];
        Ia[i] += platform->inertia[3 * i + j] * local[j];
      }
    cross(spin, Iw, gyro);
    for (int i = 0; i < 3; i++) {
      moment[i] = 0;
      for (int j = 0; j < 3; j++) moment[i] += at->R[3 * i + j] * (Ia[j] + gyro[j]);
      ma[i] = platform->mass * (rate[bodies.platform].v[i] - bodies.gravity[i]);
    }
    CHECK_NEAR(F, ma, 3, 1e-11);
    CHECK_WITHIN(M, moment, 3, 1e-11);
  }
  drop(&r);
}

// ---- from outside ------------------------------------------------------------------------------

// Weights as external wrenches at the centres of mass are gravity.
TEST(weights_are_wrenches) {
  rng random = rng_seed(75);
  for (int i = 0; i < MECHANISMS; i++) {
    rig r = mechanism(i);
    if (!r.m) continue;
    const ap_model *tree = ap_mechanism_tree(r.m);
    const double *g = ap_gravity(tree), none[3] = {0, 0, 0};
    for (int k = 0; k < 10; k++) {
      ap_wrench w[WRENCHES];
      const motion s = random_motion(&random, &r);
      double tau[N], want[N], a[N], R[9], p[3];
      int n = 0;
      CHECK_OK(ap_loop_inverse_dynamics(r.m, r.l, s.q, s.v, s.a, want));
      ap_kinematics(tree, ap_loop_work(r.l), ap_loop_configuration(r.l), NULL, NULL);
      for (int b = 1; b < ap_nbody(tree); b++) {
        const ap_body_def *d = ap_body(tree, b);
        double arm[3];
        ap_frame_pose(tree, ap_loop_work(r.l), b, R, p);
        w[n] = (ap_wrench){.frame = b, .reference = AP_MIXED};
        for (int j = 0; j < 3; j++) {
          w[n].force[j] = d->mass * g[j];
          arm[j] = R[3 * j] * d->com[0] + R[3 * j + 1] * d->com[1] + R[3 * j + 2] * d->com[2];
        }
        cross(arm, w[n].force, w[n].moment);
        n++;
      }
      ap_set_gravity(ap_mechanism_tree(r.m), ap_loop_work(r.l), none);
      CHECK_OK(ap_loop_inverse_dynamics_ext(r.m, r.l, s.q, s.v, s.a, w, n, tau));
      CHECK_NEAR(tau, want, ap_mechanism_nact(r.m), 1e-10);
      CHECK_OK(ap_loop_forward_dynamics_ext(r.m, r.l, s.q, s.v, want, w, n, a));
      CHECK_NEAR(a, s.a, ap_mechanism_n(r.m), 1e-9);
      ap_set_gravity(ap_mechanism_tree(r.m), ap_loop_work(r.l), g);
    }
    drop(&r);
  }
}

TEST(what_is_refused) {
  rig r = builtin("five-bar");
  const double q[2] = {0.03, 0.4}, v[2] = {1, -1}, a[2] = {2, 3};
  double tau[2], lambda[3] = {5, 5, 5}, out[2] = {5, 5};
  ap_wrench w = {.frame = 2, .reference = AP_LOCAL, .force = {1, 2, 3}};
  if (!r.m) return;
  CHECK_OK(ap_loop_inverse_dynamics_ext(r.m, r.l, q, v, a, &w, 1, tau));
  CHECK_OK(ap_loop_closure_forces(r.m, r.l, q, v, a, tau, &w, 1, NULL, NULL));
  // Torques of another motion, or of other wrenches.
  CHECK_STATUS(ap_loop_closure_forces(r.m, r.l, q, v, a, tau, NULL, 0, lambda, NULL), AP_E_ARG);
  CHECK_STATUS(ap_loop_closure_forces(r.m, r.l, q, a, a, tau, &w, 1, lambda, NULL), AP_E_ARG);
  CHECK_STATUS(ap_loop_closure_forces(r.m, r.l, q, v, a, (double[2]){NAN, 0}, &w, 1, lambda, NULL),
               AP_E_ARG);
  w.frame = 5;
  CHECK_STATUS(ap_loop_inverse_dynamics_ext(r.m, r.l, q, v, a, &w, 1, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_forward_dynamics_ext(r.m, r.l, q, v, tau, &w, 1, out), AP_E_ARG);
  w.frame = 2, w.moment[1] = INFINITY;
  CHECK_STATUS(ap_loop_inverse_dynamics_ext(r.m, r.l, q, v, a, &w, 1, out), AP_E_ARG);
  CHECK_STATUS(ap_loop_inverse_dynamics_ext(r.m, r.l, q, v, a, &w, -1, out), AP_E_ARG);
  CHECK_STATUS(
      ap_loop_closure_forces(r.m, r.l, (double[2]){0, 9}, v, a, tau, NULL, 0, lambda, NULL),
      AP_E_UNREACHABLE);
  CHECK(lambda[0] == 5 && out[0] == 5 && out[1] == 5);
  drop(&r);
}
