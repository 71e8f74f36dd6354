// SPDX-License-Identifier: Apache-2.0
// Closed chains in motion: closures hold and the energy ledger closes for every built-in mechanism;
// the motion is that of maximal coordinates with multipliers, and of the equations in independent
// coordinates; singular coordinates are passed, singular closures told.

#define _GNU_SOURCE
#include <appell/sim.h>

#include "four_bar.h"
#include "heap.h"
#include "maximal.h"
#include "mechanism_rig.h"

enum { V = 24, X = 32, N = 6 };

// ---- runs --------------------------------------------------------------------------------------

// Torques on the actuators, in N m or N, each with a phase of its own.
typedef struct drive {
  const ap_mechanism *m;
  double size;
} drive;

static double driven(const drive *d, int actuator, double t) {
  return d->size * sin(3 * t + actuator);
}

static ap_status drive_joints(void *context, double t, const double *q, const double *v,
                              double *tau) {
  const drive *d = context;
  const ap_model *tree = ap_mechanism_tree(d->m);
  (void)q, (void)v;
  for (int i = 0; i < ap_mechanism_nact(d->m); i++)
    tau[ap_joint_v(tree, ap_mechanism_actuated(d->m, i))] += driven(d, i, t);
  return AP_OK;
}

static const struct {
  const char *name;
  double size; // moves it well without whirling
} mechanisms[] = {{"agile-wrist", 0.03}, {"five-bar", 1}, {"stewart", 80}, {"delta", 1.5}};

static ap_sim *started(const ap_scene *scene, const double *x, const double *xd) {
  ap_sim *sim = NULL;
  ap_error error = {.text = ""};
  if (!CHECK_OK(ap_sim_create(scene, &sim, &error)) ||
      !CHECK_OK(ap_sim_start(sim, 0, x, xd, &error)))
    printf("  %s\n", error.text);
  return sim;
}

// What a run came to.
typedef struct outcome {
  double closure, closing, scale; // largest errors, and the largest energy
  double drift;
  double work; // the most that was done
  ap_sim_state last;
} outcome;

static outcome run_to(ap_sim *sim, double from, double to, int outputs) {
  outcome o = {0};
  ap_error error = {.text = ""};
  for (int k = 0; k <= outputs; k++) {
    ap_status status = ap_sim_advance(sim, from + (to - from) * k / outputs, &error);
    if (!status) status = ap_sim_now(sim, &o.last, &error);
    if (!CHECK_OK(status)) {
      printf("  %s\n", error.text);
      break;
    }
    o.closure = fmax(o.closure, o.last.closure);
    o.closing = fmax(o.closing, fabs(o.last.closing));
    o.work = fmax(o.work, fabs(o.last.work));
    o.scale = fmax(o.scale, fmax(o.last.kinetic, fabs(o.last.potential)));
  }
  o.drift = o.last.drift;
  return o;
}

// ---- laws --------------------------------------------------------------------------------------

// Legs that slide carry springs when they are driven, or a platform would fall out of reach.
static int leg_springs(const ap_mechanism *m, ap_joint_spring *spring) {
  const ap_model *tree = ap_mechanism_tree(m);
  int n = 0;
  for (int i = 0; i < ap_mechanism_nact(m); i++) {
    int body = ap_mechanism_actuated(m, i);
    if (ap_body(tree, body)->joint != AP_PRISMATIC) continue;
    spring[n++] = (ap_joint_spring){
        .v = ap_joint_v(tree, body), .stiffness = 2000, .rest = 0.82, .damping = 5};
  }
  return n;
}

// Free and driven, with the tolerances that a scene has by itself.
TEST(four_seconds_of_every_mechanism) {
  const double none[V] = {0};
  for (int i = 0; i < 2 * COUNT(mechanisms); i++) {
    rig b = builtin(mechanisms[i / 2].name);
    drive d = {b.m, mechanisms[i / 2].size};
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m;
    ap_joint_spring spring[N];
    scene.spring = spring;
    if (i % 2) {
      scene.force = drive_joints, scene.context = &d;
      scene.nspring = leg_springs(b.m, spring);
    }
    ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
    outcome o = run_to(sim, 0, 4, 40);
    test_context("%s, %s", mechanisms[i / 2].name, i % 2 ? "driven" : "free");
    CHECK_CLOSE(o.last.t, 4, 0);
    CHECK(o.closure < 1e-13 && o.drift < 1e-10);
    CHECK(o.closing < 1e-9 * o.scale);
    CHECK(i % 2 == 0 || o.work > 0.01 * o.scale);
    ap_sim_free(sim);
    drop(&b);
  }
}

// Fixed steps have errors of the fourth order: half the step, a sixteenth of the error. Over a
// fifth of a second nothing is stretched yet.
TEST(fixed_steps_have_their_order) {
  const double none[V] = {0};
  for (int i = 0; i < COUNT(mechanisms); i++) {
    double closing[2];
    rig b = builtin(mechanisms[i].name);
    drive d = {b.m, mechanisms[i].size};
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m, scene.force = drive_joints, scene.context = &d;
    scene.stepping = AP_FIXED_RK4;
    for (int k = 0; k < 2; k++) {
      scene.step = k ? 2e-3 : 4e-3;
      ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
      outcome o = run_to(sim, 0, 0.2, 5);
      CHECK(o.closure < 1e-13);
      CHECK(o.closing < 1e-4 * o.scale);
      closing[k] = o.closing;
      ap_sim_free(sim);
    }
    CHECK(closing[1] < closing[0] / 8);
    drop(&b);
  }
}

// Joint friction, springs, dampers and loads are in the ledger, too.
TEST(all_forces_are_in_the_ledger) {
  const double none[V] = {0};
  rig b = builtin("delta");
  ap_joint_spring spring[2] = {{.v = 0, .stiffness = 20, .rest = 0.1, .damping = 0.3},
                               {.v = 3, .damping = 0.5}};
  ap_load load[2] = {
      {.body = 10, .force = {2, 0, 5}, .from = 0.1, .to = 0.4},
      {.body = 3, .at = {0.5, 0, 0}, .couple = {0.1, 0.2, 0.3}, .from = -1, .to = 0.2}};
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m;
  scene.spring = spring, scene.nspring = 2;
  scene.load = load, scene.nload = 2;
  ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
  outcome o = run_to(sim, 0, 1, 20);
  CHECK(o.closing < 1e-9 * o.scale);
  CHECK(o.last.dissipated > 0.01 * o.scale && o.last.elastic > 0 && fabs(o.last.work) > 0.1);
  ap_sim_free(sim);
  drop(&b);
}

// ---- against other formulations ----------------------------------------------------------------

static void wrist_motors(void *context, double t, const maximal_state *state, double *tau) {
  (void)state;
  for (int i = 0; i < MAXIMAL_DRIVEN; i++) tau[i] = driven(context, i, t);
}

// Seven free bodies with the multipliers of nine joints: classical Runge-Kutta steps of 2.5e-4 s,
// whose error over 0.2 s is some 1e-9 here.
TEST(motion_is_that_of_maximal_coordinates) {
  const double none[V] = {0}, q[3] = {0.1, -0.05, 0.1}, dt = 2.5e-4;
  rig b = builtin("agile-wrist");
  drive d = {b.m, 0.03};
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m, scene.force = drive_joints, scene.context = &d;
  CHECK_OK(ap_loop_place(b.m, b.l, q, NULL));
  const double *x = ap_loop_configuration(b.l);
  ap_sim *sim = started(&scene, x, none);
  ap_wrist_def def = ap_agile_wrist();
  maximal_system bodies;
  maximal_state state[MAXIMAL_BODIES];
  maximal_wrist(&def, &bodies);
  maximal_wrist_state(&def, q, (double[3]){x[0], x[2], x[4]}, (double[3]){x[1], x[3], x[5]}, state);
  CHECK(maximal_close(&bodies, state) < 1e-12);
  double largest = 0;
  for (int k = 0; k < 800; k++) {
    maximal_step(&bodies, wrist_motors, &d, k * dt, dt, state);
    if (k % 80 != 79) continue;
    outcome o = run_to(sim, k * dt, (k + 1) * dt, 1);
    const double *R = state[6].R;
    double s[3] = {atan2(R[3], R[0]), atan2(-R[6], hypot(R[0], R[3])), atan2(R[7], R[8])};
    CHECK_WITHIN(o.last.s, s, 3, 1e-8);
    largest = fmax(largest, fabs(s[1]) + fabs(s[2]));
  }
  CHECK(largest > 0.2); // it has moved
  ap_sim_free(sim);
  drop(&b);
}

// The equations in independent coordinates, as the general recipe has them.
typedef struct recipe {
  const rig *b;
  const drive *d;
} recipe;

static ap_status recipe_rate(void *context, double t, const double *y, double *dydt) {
  const recipe *r = context;
  int n = ap_mechanism_n(r->b->m);
  double tau[N];
  for (int i = 0; i < ap_mechanism_nact(r->b->m); i++) tau[i] = driven(r->d, i, t);
  memcpy(dydt, y + n, (size_t)n * sizeof *y);
  return ap_loop_forward_dynamics(r->b->m, r->b->l, y, y + n, tau, dydt + n);
}

TEST(motion_is_that_of_independent_coordinates) {
  const double none[V] = {0}, end = 0.25;
  for (int i = 0; i < COUNT(mechanisms); i++) {
    rig b = builtin(mechanisms[i].name);
    int n = ap_mechanism_n(b.m);
    drive d = {b.m, mechanisms[i].size};
    recipe r = {&b, &d};
    double y[2 * N] = {0}, x[X];
    ap_error error = {.text = ""};
    ap_ode *ode = NULL;
    ap_ode_options options = ap_default_ode_options();
    options.relative = options.absolute = 1e-11;
    memcpy(x, ap_mechanism_guess(b.m), (size_t)ap_nq(ap_mechanism_tree(b.m)) * sizeof *x);
    CHECK_OK(ap_loop_close(b.m, b.l, x, y, NULL));
    CHECK_OK(ap_ode_create(2 * n, recipe_rate, &r, &options, &ode, &error));
    CHECK_OK(ap_ode_start(ode, 0, y, &error));
    CHECK_OK(ap_ode_advance_to(ode, end, y, &error));
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m, scene.force = drive_joints, scene.context = &d;
    ap_sim *sim = started(&scene, x, none);
    outcome o = run_to(sim, 0, end, 1);
    CHECK_WITHIN(o.last.s, y, n, 1e-8);
    CHECK_WITHIN(o.last.sd, y + n, n, 1e-7);
    ap_sim_free(sim);
    ap_ode_free(ode);
    drop(&b);
  }
}

// ---- singularities -----------------------------------------------------------------------------

// A five-bar that is thrown outwards stretches an arm, where x and y cannot say how it goes on, and
// goes on all the same.
TEST(singular_coordinates_are_passed) {
  rig b = builtin("five-bar");
  double q[2] = {0.1, 0.5}, v[2] = {2, 1}, x[X], xd[V];
  CHECK_OK(ap_loop_velocity(b.m, b.l, q, v, xd));
  memcpy(x, ap_loop_configuration(b.l), 4 * sizeof *x);
  ap_scene scene = ap_default_scene();
  scene.mechanism = b.m;
  ap_sim *sim = started(&scene, x, xd);
  bool elbow = x[1] > 0, turned = false;
  for (int k = 0; k < 20; k++) {
    outcome o = run_to(sim, 0.02 * k, 0.02 * (k + 1), 1);
    turned = turned || (o.last.q[1] > 0) != elbow;
    CHECK(o.closure < 1e-13 && o.closing < 1e-9 * o.scale);
  }
  CHECK(turned);
  ap_sim_free(sim);
  drop(&b);
}

// Four equal bars, flat: a parallelogram and its mirrored twin meet there.
TEST(singular_closures_are_told) {
  const double none[V] = {0}, flat[3] = {0, 0, 0};
  four_bar f;
  make_four_bar(&f, 0.3, 0.4, 0.3);
  rig b = rig_of(&f.def);
  ap_scene scene = ap_default_scene();
  ap_sim *sim = NULL;
  ap_error error = {.text = ""};
  scene.mechanism = b.m;
  CHECK_OK(ap_sim_create(&scene, &sim, &error));
  CHECK_STATUS(ap_sim_start(sim, 0, flat, none, &error), AP_E_SINGULAR_CLOSURES);
  CHECK_HAS(error.text, "closures lose rank");
  CHECK_OK(ap_sim_start(sim, 0, f.guess, none, &error)); // and elsewhere it starts
  outcome o = run_to(sim, 0, 1, 10);
  CHECK(o.closure < 1e-13 && o.closing < 1e-9 * o.scale);
  ap_sim_free(sim);
  drop(&b);
}

// At speed it goes straight through, as a parallelogram, or a step ends at the place and says so.
TEST(singular_closures_are_passed_or_told) {
  const double x[3] = {1.2, -1.2, 1.2}, xd[3] = {-6, 6, -6};
  four_bar f;
  make_four_bar(&f, 0.3, 0.4, 0.3);
  rig b = rig_of(&f.def);
  int passed = 0;
  for (int k = 6; k <= 12; k++) {
    ap_scene scene = ap_default_scene();
    ap_error error = {.text = ""};
    ap_sim_state s;
    scene.mechanism = b.m;
    scene.relative = scene.absolute = pow(10, -k);
    ap_sim *sim = started(&scene, x, xd);
    ap_status status = ap_sim_advance(sim, 0.3, &error);
    CHECK(status == AP_OK || status == AP_E_SINGULAR_CLOSURES);
    if (status == AP_OK && CHECK_OK(ap_sim_now(sim, &s, &error))) {
      CHECK(s.q[0] < -1.5 && fabs(s.closing) < 1e2 * scene.relative);
      CHECK_CLOSE(s.q[2], s.q[0], 1e-9);
      passed++;
    }
    ap_sim_free(sim);
  }
  CHECK(passed > 0);
  drop(&b);
}

// Freedoms that no coordinate measures, here y, move all the same.
TEST(idle_freedoms_move) {
  const double none[V] = {0};
  ap_mechanism_def def = *ap_mechanism_builtin("five-bar");
  rig whole = rig_of(&def);
  def.ncoordinate = 1;
  rig part = rig_of(&def);
  double q[2][4];
  for (int k = 0; k < 2; k++) {
    ap_scene scene = ap_default_scene();
    scene.mechanism = k ? part.m : whole.m;
    ap_sim *sim = started(&scene, def.guess, none);
    outcome o = run_to(sim, 0, 0.5, 5);
    CHECK(o.closure < 1e-13 && o.closing < 1e-9 * o.scale);
    memcpy(q[k], o.last.q, sizeof q[k]);
    ap_sim_free(sim);
  }
  CHECK_WITHIN(q[0], q[1], 4, 1e-12);
  drop(&whole), drop(&part);
}

// ---- starts ------------------------------------------------------------------------------------

TEST(bad_starts_are_refused) {
  const double none[V] = {0}, apart[4] = {1.57, 1e3, 1.57, -5};
  double out[4] = {1.57, NAN, 1.57, 0};
  rig b = builtin("five-bar"), c = builtin("delta");
  ap_scene scene = ap_default_scene();
  ap_sim *sim = NULL;
  ap_error error = {.text = ""};
  scene.mechanism = b.m, scene.model = ap_mechanism_tree(c.m);
  CHECK_STATUS(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK_HAS(error.text, "not the tree");
  scene.model = ap_mechanism_tree(b.m);
  CHECK_OK(ap_sim_create(&scene, &sim, &error));
  CHECK_STATUS(ap_sim_start(sim, 0, out, none, &error), AP_E_ARG);
  ap_status status = ap_sim_start(sim, 0, apart, none, &error); // closed anywhere, or refused
  CHECK(status == AP_OK || status == AP_E_UNREACHABLE);
  ap_sim_free(sim);
  drop(&b), drop(&c);
}

// Wide tolerances make long steps, whose stages may lie where the mechanism cannot be closed.
TEST(long_steps_do_not_end_a_run) {
  const double none[V] = {0};
  for (int i = 0; i < COUNT(mechanisms); i++) {
    rig b = builtin(mechanisms[i].name);
    ap_scene scene = ap_default_scene();
    scene.mechanism = b.m;
    scene.relative = scene.absolute = 0.03;
    ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
    outcome o = run_to(sim, 0, 4, 1);
    CHECK_CLOSE(o.last.t, 4, 0);
    CHECK(o.closure < 1e-13);
    ap_sim_free(sim);
    drop(&b);
  }
}

// A fixed step has no shorter one to fall back to.
TEST(fixed_steps_that_are_too_long_say_so) {
  const double fast[V] = {0};
  rig b = builtin("five-bar");
  ap_scene scene = ap_default_scene();
  ap_error error = {.text = ""};
  scene.mechanism = b.m;
  scene.stepping = AP_FIXED_RK4;
  scene.step = 2;
  ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), fast);
  if (sim) CHECK_STATUS(ap_sim_advance(sim, 20, &error), AP_E_NO_CONVERGENCE);
  CHECK_HAS(error.text, "too long here");
  ap_sim_free(sim);
  drop(&b);
}

TEST(nothing_allocates_on_the_way) {
  install_heap();
  const double none[V] = {0};
  for (int i = 0; i < 2 * COUNT(mechanisms); i++) {
    rig b = builtin(mechanisms[i / 2].name);
    ap_scene scene = ap_default_scene();
    ap_error error = {.text = ""};
    scene.mechanism = b.m;
    scene.stepping = i % 2 ? AP_FIXED_RK4 : AP_FIXED_EULER;
    ap_sim *sim = started(&scene, ap_mechanism_guess(b.m), none);
    allocations = 0, armed = true;
    ap_status status = ap_sim_advance(sim, 0.05, &error);
    armed = false;
    CHECK_OK(status);
    CHECK_EQ_INT(allocations, 0);
    ap_sim_free(sim);
    drop(&b);
  }
}
