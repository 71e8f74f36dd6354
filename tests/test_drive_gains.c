// SPDX-License-Identifier: Apache-2.0
// Current-to-torque gains: found from simulated currents of robots whose gains are known.

#include <appell/drive_gains.h>
#include <math.h>
#include <stdlib.h>

#include "identify.h"

// 4 kg, 6 cm aside and 12 cm ahead of the flange, its inertia about its centre.
static const double centre[3] = {0.06, -0.02, 0.12};
static const double inertia[6] = {0.012, 0.001, -0.002, 0.010, 0.0005, 0.009};
static const double load_mass = 4;

// The same as ten parameters about the origin of the frame.
static void load_of(double p[10]) {
  const double m = load_mass, *c = centre, *I = inertia;
  const double x = c[0], y = c[1], z = c[2];
  const double all[10] = {m,
                          m * x,
                          m * y,
                          m * z,
                          I[0] + m * (y * y + z * z),
                          I[1] - m * x * y,
                          I[2] - m * x * z,
                          I[3] + m * (x * x + z * z),
                          I[4] - m * y * z,
                          I[5] + m * (x * x + y * y)};
  memcpy(p, all, sizeof all);
}

// A robot, its hidden parameters and gains, and motions to see them by.
typedef struct bench {
  arm a;
  double p[MOST_P], gain[MOST_V], rms[MOST_V];
  wave w[2];
  rng r;
} bench;

enum { STATES = 700 };

// Currents of states along a wave, with parameters p, noise relative to the currents of the first
// log (correlated by `keep` from state to state), and every outlier-th current far off.
static ap_dataset *currents_of(bench *b, const wave *w, const double *p, double noise, double keep,
                               int outlier) {
  const int nv = ap_nv(b->a.m);
  double *x = malloc((size_t)STATES * (1 + 4 * (size_t)nv) * sizeof *x), e[MOST_V];
  if (!x) return NULL;
  double *t = x, *q = t + STATES, *v = q + STATES * nv, *acc = v + STATES * nv;
  double *tau = acc + STATES * nv, known[MOST_V], square[MOST_V] = {0};
  for (int k = 0; k < STATES; k++) {
    const int at = k * nv;
    t[k] = 0.02 * k;
    wave_at(w, nv, t[k], q + at, v + at, acc + at);
    forces(&b->a, p, q + at, v + at, acc + at, tau + at);
    ap_ident_known(b->a.id, q + at, v + at, acc + at, known);
    for (int j = 0; j < nv; j++) {
      tau[at + j] = (tau[at + j] + known[j]) / b->gain[j];
      square[j] += tau[at + j] * tau[at + j] / STATES;
    }
  }
  for (int j = 0; j < nv; j++) {
    e[j] = rng_normal(&b->r);
    if (b->rms[j] == 0) b->rms[j] = sqrt(square[j]);
  }
  for (int k = 0; k < STATES * nv; k++) {
    const int j = k % nv;
    e[j] = keep * e[j] + sqrt(1 - keep * keep) * rng_normal(&b->r);
    tau[k] += noise * b->rms[j] * e[j];
    if (outlier > 0 && k % outlier == 0) tau[k] += 8 * b->rms[j];
  }
  const ap_samples samples = {.n = STATES, .t = t, .q = q, .v = v, .a = acc, .tau = tau};
  ap_prepare_options how = ap_default_prepare();
  ap_dataset *states = NULL;
  how.currents = true;
  CHECK_OK(ap_dataset_prepare(b->a.id, &samples, &how, &states, &b->a.error));
  free(x);
  return states;
}

// A built-in robot whose sixth drive turns the other way.
static bool bench_builtin(bench *b, const char *name, ap_ident_options look_for, unsigned seed) {
  *b = (bench){.r = rng_seed(seed)};
  if (!arm_builtin(&b->a, name, look_for)) return false;
  const int nv = ap_nv(b->a.m);
  hidden_parameters(&b->r, &b->a, b->p);
  for (int j = 0; j < nv; j++) b->gain[j] = rng_uniform(&b->r, 5, 60);
  b->gain[nv - 1] *= -1;
  b->w[0] = random_wave(&b->r, nv), b->w[1] = random_wave(&b->r, nv);
  return true;
}

// Both logs: without and with the load on the last body.
static void logs_of(bench *b, double noise, double keep, int outlier, ap_dataset *log[2]) {
  double with[MOST_P], load[10];
  memcpy(with, b->p, sizeof with);
  load_of(load);
  for (int k = 0; k < 10; k++) with[10 * (ap_moving_bodies(b->a.m) - 1) + k] += load[k];
  log[0] = currents_of(b, &b->w[0], b->p, noise, keep, outlier);
  log[1] = currents_of(b, &b->w[1], with, noise, keep, outlier);
}

static void free_logs(ap_dataset *log[2]) { ap_dataset_free(log[0]), ap_dataset_free(log[1]); }

static ap_drive_gains *gains_of(bench *b, ap_dataset *log[2], const ap_known_load *load) {
  ap_drive_gain_options o = ap_default_drive_gains();
  ap_drive_gains *g = NULL;
  o.load = load;
  if (!CHECK_OK(ap_drive_gains_find(b->a.id, b->a.base, log[0], log[1], &o, &g, &b->a.error)))
    printf("  %s\n", b->a.error.text);
  return g;
}

// ---- truth -------------------------------------------------------------------------------------

// Without noise gains and base parameters are exact, whatever is known of the load besides its
// mass. The robot's parameters are off those of the model by up to 20 %, its friction by far more.
// Errors are rounding times the condition of the problem, some thousands; 1e-8 has room for both.
TEST(exact_without_noise) {
  bench b;
  if (!bench_builtin(&b, "puma600", all_drives, 3)) return;
  double want[MOST_P];
  ap_dataset *log[2];
  ap_base_values(b.a.base, b.p, want);
  logs_of(&b, 0, 0, 0, log);
  const ap_known_load load[3] = {{"link6", load_mass, NULL, NULL},
                                 {"link6", load_mass, centre, NULL},
                                 {"link6", load_mass, centre, inertia}};
  for (int k = 0; k < 3; k++) {
    ap_drive_gains *g = gains_of(&b, log, &load[k]);
    test_context("known: %d", k);
    if (!g) continue;
    CHECK_EQ_INT(g->identifiable, 6);
    for (int j = 0; j < 6; j++) CHECK_CLOSE(g->gain[j] / b.gain[j], 1, 1e-8);
    for (int i = 0; i < g->n; i++) CHECK_CLOSE(g->value[i], want[i], 1e-7 * (1 + fabs(want[i])));
    ap_drive_gains_free(g);
  }
  free_logs(log), arm_free(&b.a);
}

// Applied, they make forces of currents: a fit of these finds the robot without the load.
TEST(forces_of_currents) {
  bench b;
  if (!bench_builtin(&b, "puma600", all_drives, 4)) return;
  double want[MOST_P];
  ap_dataset *log[2];
  ap_reduction *red = NULL;
  ap_base_values(b.a.base, b.p, want);
  logs_of(&b, 0.02, 0, 0, log);
  CHECK_STATUS(ap_dataset_reduce(log[0], b.a.id, b.a.base, 1, 0, &red, &b.a.error), AP_E_ARG);
  CHECK_HAS(b.a.error.text, "currents");
  ap_drive_gains *g = gains_of(&b, log, &(ap_known_load){"link6", load_mass, NULL, NULL});
  if (!g) return;
  CHECK_OK(ap_drive_gains_apply(g, b.a.id, false, log[0]));
  CHECK_STATUS(ap_drive_gains_apply(g, b.a.id, false, log[0]), AP_E_ARG); // they are forces now
  CHECK_STATUS(ap_dataset_append(log[0], log[1]), AP_E_ARG);              // these are not yet
  CHECK_OK(ap_drive_gains_apply(g, b.a.id, true, log[1]));
  CHECK_OK(ap_dataset_append(log[0], log[1]));
  CHECK_OK(ap_dataset_reduce(log[0], b.a.id, b.a.base, 1, 0, &red, &b.a.error));
  ap_fit *fit = fit_by(&b.a, red, AP_FIT_WEIGHTED);
  double inside = 0;
  if (fit) CHECK_OK(ap_drive_gains_widen(g, fit));
  for (int k = 0; fit && k < fit->n; k++) {
    // the same optimum, reached in two ways: what its flatness leaves
    CHECK(fabs(fit->value[k] - g->value[k]) < 0.05 * fit->deviation[k]);
    CHECK_CLOSE(fit->deviation[k] / g->base_deviation[k], 1, 0.25); // correlation is guessed twice
    inside += fabs(fit->value[k] - want[k]) < 3 * fit->deviation[k];
  }
  if (fit) CHECK(inside >= 0.95 * fit->n);
  ap_fit_free(fit), ap_reduction_free(red), ap_drive_gains_free(g);
  free_logs(log), arm_free(&b.a);
}

// Intervals of 95 % hold the truth in 90 to 99 % of cases, with white noise and with noise that is
// correlated over ten states: 12 draws of 58 numbers, many of which are off together (100 draws
// give 95.6 and 96.9 %; bench/believable counts them for other robots). And gains are not too small
// on average, as those of plain least squares are with noise of 10 %: their mean error, in units of
// what a mean of independent draws deviates by, is a normal number.
TEST(intervals_cover_the_truth) {
  enum { DRAWS = 12 };
  bench b;
  if (!bench_builtin(&b, "puma600", all_drives, 5)) return;
  double want[MOST_P];
  ap_base_values(b.a.base, b.p, want);
  for (int turn = 0; turn < 2; turn++) {
    double inside = 0, count = 0, mean[6] = {0};
    for (int draw = 0; draw < DRAWS; draw++) {
      ap_dataset *log[2];
      logs_of(&b, turn ? 0.02 : 0.1, turn ? exp(-0.1) : 0, 0, log);
      ap_drive_gains *g = gains_of(&b, log, &(ap_known_load){"link6", load_mass, NULL, NULL});
      for (int k = 0; g && k < g->n; k++, count++)
        inside += fabs(g->value[k] - want[k]) <= 1.96 * g->base_deviation[k];
      for (int j = 0; g && j < 6; j++, count++) {
        const double z = (g->gain[j] - b.gain[j]) / g->deviation[j];
        inside += fabs(z) <= 1.96, mean[j] += z / DRAWS;
        CHECK(g->sure[j]);
      }
      ap_drive_gains_free(g), free_logs(log);
    }
    test_context("%s noise: %.3f", turn ? "correlated" : "white", inside / count);
    CHECK(inside / count > 0.90 && inside / count < 0.99);
    for (int j = 0; j < 6; j++) CHECK(fabs(mean[j]) * sqrt(DRAWS) < 4);
  }
  arm_free(&b.a);
}

// One current in fifty is far off: gains stay within four deviations of the truth.
TEST(outliers_are_left_out) {
  bench b;
  if (!bench_builtin(&b, "puma600", all_drives, 6)) return;
  ap_dataset *log[2];
  logs_of(&b, 0.02, 0, 50, log);
  ap_drive_gains *g = gains_of(&b, log, &(ap_known_load){"link6", load_mass, NULL, NULL});
  for (int j = 0; g && j < 6; j++) {
    CHECK(fabs(g->gain[j] - b.gain[j]) < 4 * g->deviation[j]);
    CHECK(g->deviation[j] < 0.05 * fabs(g->gain[j]));
    CHECK_CLOSE(g->noise[j] / (0.02 * b.rms[j]), 1, 0.1); // of 1400 numbers: 2 %
  }
  ap_drive_gains_free(g), free_logs(log), arm_free(&b.a);
}

// ---- what fixes the scale ----------------------------------------------------------------------

static void refused(bench *b, const ap_dataset *bare, const ap_dataset *loaded,
                    const ap_drive_gain_options *o, const char *why) {
  ap_drive_gains *g = NULL;
  test_context("%s", why);
  CHECK_STATUS(ap_drive_gains_find(b->a.id, b->a.base, bare, loaded, o, &g, &b->a.error), AP_E_ARG);
  CHECK_HAS(b->a.error.text, why);
  CHECK(g == NULL);
}

TEST(refuses_what_fixes_no_scale) {
  bench b;
  if (!bench_builtin(&b, "puma600", all_drives, 7)) return;
  ap_dataset *log[2];
  logs_of(&b, 0.02, 0, 0, log);
  ap_known_load load = {"link6", load_mass, centre, inertia};
  ap_drive_gain_options o = ap_default_drive_gains();
  refused(&b, log[0], NULL, NULL, "nothing known fixes the scale");
  o.total_mass = 20;
  refused(&b, log[0], NULL, &o, "the total mass shows in no joint force here");
  o.total_mass = 0, o.load = &load;
  refused(&b, NULL, log[1], &o, "every log carries the load");
  refused(&b, log[0], NULL, &o, "no log that carries it");
  load.centre = load.inertia = NULL;
  refused(&b, NULL, log[1], &o, "every log carries the load");
  load.mass = 0;
  refused(&b, log[0], log[1], &o, "must be positive");
  load.mass = NAN;
  refused(&b, log[0], log[1], &o, "must be positive");
  load = (ap_known_load){"hand", 1, NULL, NULL};
  refused(&b, log[0], log[1], &o, "'hand' is no link that moves");
  load = (ap_known_load){"link6", 1, NULL, inertia};
  refused(&b, log[0], log[1], &o, "not its centre of mass");
  load = (ap_known_load){"link6", 1, centre, (const double[6]){-1, 0, 0, 1, 0, 1}};
  refused(&b, log[0], log[1], &o, "principal moments");
  o.load = NULL;
  refused(&b, log[0], log[1], &o, "nothing is known of it");
  o.uncertain = -1;
  refused(&b, log[0], NULL, &o, "out of range");
  // a load of 100 g shows, but no gain to 25 %
  load = (ap_known_load){"link6", 0.1, (const double[3]){0}, (const double[6]){0}};
  o = ap_default_drive_gains(), o.load = &load;
  b.p[50] += 0.1;
  ap_dataset *again = currents_of(&b, &b.w[1], b.p, 0.05, 0, 0);
  refused(&b, log[0], again, &o, "the best is known to");
  ap_dataset_free(again), free_logs(log), arm_free(&b.a);
}

static ap_body_def link_of(const char *name, int parent, ap_joint_type joint, double mass) {
  ap_body_def d = ap_default_body();
  d.name = d.joint_name = name, d.parent = parent, d.joint = joint, d.mass = mass;
  d.com[0] = 0.2, d.inertia[0] = d.inertia[3] = d.inertia[5] = 0.02;
  return d;
}

static bool bench_of(bench *b, ap_body_def *bodies, int n, ap_ident_options look_for) {
  ap_robot_def def = ap_default_robot();
  ap_robot *robot = NULL;
  def.name = "made", def.bodies = bodies, def.nbody = n;
  *b = (bench){.r = rng_seed(9)};
  if (!CHECK_OK(ap_robot_from_definition(&def, &robot, NULL)) || !arm_of(&b->a, robot, look_for))
    return false;
  ap_ident_nominal(b->a.id, b->p);
  const int nv = ap_nv(b->a.m);
  for (int j = 0; j < nv; j++) b->gain[j] = 3 + j;
  b->w[0] = random_wave(&b->r, nv), b->w[1] = random_wave(&b->r, nv);
  return true;
}

static ap_body_def horizontal(ap_body_def d) { // its axis along y: gravity turns it
  d.axis[0] = 0, d.axis[1] = 1, d.axis[2] = 0;
  return d;
}

// Two pendulums side by side: a load on one tells nothing about the other's drive. What that one
// shows is left out, and the rest is found as if it were alone.
TEST(says_which_gains_are_hidden) {
  ap_body_def bodies[2] = {horizontal(link_of("left", 0, AP_REVOLUTE, 2)),
                           horizontal(link_of("right", 0, AP_REVOLUTE, 3))};
  bench b;
  if (!bench_of(&b, bodies, 2, all_drives)) return;
  double with[MOST_P];
  memcpy(with, b.p, sizeof with);
  with[0] += 1.5, with[1] += 1.5 * 0.3, with[7] += 1.5 * 0.09, with[9] += 1.5 * 0.09; // a point
  ap_dataset *log[2] = {currents_of(&b, &b.w[0], b.p, 0.01, 0, 0),
                        currents_of(&b, &b.w[1], with, 0.01, 0, 0)};
  const ap_known_load load = {"left", 1.5, (const double[3]){0.3, 0, 0}, NULL};
  ap_drive_gains *g = gains_of(&b, log, &load);
  if (!g) return;
  CHECK_EQ_INT(g->identifiable, 1);
  CHECK(g->sure[0] && !g->sure[1] && isnan(g->gain[1]) && isinf(g->deviation[1]));
  CHECK(fabs(g->gain[0] - 3) < 4 * g->deviation[0] && g->deviation[0] < 0.1);
  const int before = ap_base_count(b.a.base);
  ap_drive_gains *again = NULL;
  ap_drive_gain_options o = ap_default_drive_gains();
  o.load = &load;
  CHECK_OK(
      ap_drive_gains_settle(b.a.id, AP_BASE_QR, &b.a.base, log[0], log[1], &o, &again, &b.a.error));
  CHECK_EQ_INT(ap_base_count(b.a.base), before / 2);
  if (again) CHECK_CLOSE(again->gain[0] / g->gain[0], 1, 1e-6);
  if (again) CHECK(isnan(again->gain[1]) && isfinite(again->base_deviation[0]));
  if (again) CHECK_OK(ap_drive_gains_apply(again, b.a.id, false, log[0]));
  const double *q, *v, *a, *tau;
  ap_dataset_at(log[0], 5, &q, &v, &a, &tau);
  CHECK(isfinite(tau[0]) && isnan(tau[1]));
  ap_drive_gains_free(g), ap_drive_gains_free(again), free_logs(log), arm_free(&b.a);
}

// A pendulum that a vertical drive lifts: the total mass is a base parameter, and fixes both gains
// without a load. The mass is known to 0.2 %, and so are they.
TEST(total_mass_where_it_shows) {
  ap_body_def bodies[2] = {link_of("slide", 0, AP_PRISMATIC, 4),
                           horizontal(link_of("arm", 1, AP_REVOLUTE, 2))};
  bench b;
  if (!bench_of(&b, bodies, 2, (ap_ident_options){.viscous = true})) return;
  ap_dataset *log = currents_of(&b, &b.w[0], b.p, 1e-4, 0, 0);
  ap_drive_gain_options o = ap_default_drive_gains();
  ap_drive_gains *g = NULL;
  o.total_mass = 6;
  CHECK_OK(ap_drive_gains_find(b.a.id, b.a.base, log, NULL, &o, &g, &b.a.error));
  for (int j = 0; g && j < 2; j++) {
    CHECK_CLOSE(g->gain[j] / b.gain[j], 1, 1e-3);
    CHECK_CLOSE(g->deviation[j] / b.gain[j], 0.002, 2e-4);
  }
  ap_drive_gains_free(g), ap_dataset_free(log), arm_free(&b.a);
}

// A spring that the model has is a known force, and so is the whole robot where only a payload is
// looked for.
TEST(known_forces_fix_the_scale) {
  ap_body_def bodies[2] = {horizontal(link_of("upper", 0, AP_REVOLUTE, 2)),
                           horizontal(link_of("fore", 1, AP_REVOLUTE, 1))};
  bodies[1].place.xyz[0] = 0.4, bodies[1].stiffness = 30;
  const ap_ident_options look_for[2] = {{.viscous = true}, {.payload = "fore"}};
  for (int k = 0; k < 2; k++) {
    bench b;
    bodies[0].stiffness = k == 1 ? 0 : 5;
    if (!bench_of(&b, bodies, 2, look_for[k])) return;
    if (k == 1) b.p[0] = 0.7, b.p[1] = 0.07, b.p[7] = b.p[9] = 0.01;
    ap_dataset *log[2] = {currents_of(&b, &b.w[0], b.p, 0.01, 0, 0), NULL};
    ap_drive_gains *g = gains_of(&b, log, NULL);
    test_context("%s", k ? "payload" : "springs");
    for (int j = 0; g && j < 2; j++) {
      CHECK(fabs(g->gain[j] - b.gain[j]) < 4 * g->deviation[j]);
      CHECK(g->sure[j] && g->deviation[j] < 0.05 * b.gain[j]);
    }
    ap_drive_gains_free(g), free_logs(log), arm_free(&b.a);
  }
}

// A load on a tool that is fixed to a link, turned and moved, is the same as on that link.
TEST(loads_on_fixed_links) {
  ap_body_def bodies[3] = {horizontal(link_of("upper", 0, AP_REVOLUTE, 2)),
                           link_of("fore", 1, AP_REVOLUTE, 1), link_of("tool", 2, AP_FIXED, 0.2)};
  bodies[1].place.xyz[0] = 0.4;
  bodies[2].place.xyz[0] = 0.3, bodies[2].place.xyz[1] = 0.05;
  bodies[2].place.rpy[2] = acos(-1.0) / 2; // its x is the y of the forearm
  bench b;
  if (!bench_of(&b, bodies, 3, all_drives)) return;
  // of the tool: 1 kg at (0.1, 0, 0.02); of the forearm: at (0.3, 0.15, 0.02)
  const double x = 0.3, y = 0.15, z = 0.02, own[6] = {0.01, 0, 0, 0.02, 0, 0.03};
  const double load[10] = {1,
                           x,
                           y,
                           z,
                           0.02 + y * y + z * z,
                           -x * y,
                           -x * z,
                           0.01 + x * x + z * z,
                           -y * z,
                           0.03 + x * x + y * y};
  double with[MOST_P];
  memcpy(with, b.p, sizeof with);
  for (int k = 0; k < 10; k++) with[10 + k] += load[k];
  ap_dataset *log[2] = {currents_of(&b, &b.w[0], b.p, 0, 0, 0),
                        currents_of(&b, &b.w[1], with, 0, 0, 0)};
  ap_drive_gains *g =
      gains_of(&b, log, &(ap_known_load){"tool", 1, (const double[3]){0.1, 0, 0.02}, own});
  for (int j = 0; g && j < 2; j++) CHECK_CLOSE(g->gain[j] / b.gain[j], 1, 1e-8);
  ap_drive_gains_free(g), free_logs(log), arm_free(&b.a);
}
