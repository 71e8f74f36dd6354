// SPDX-License-Identifier: Apache-2.0
// FMUs, run by a small host that follows FMI 3.0 with the standard's own headers: the archive, its
// descriptions beside the official schema, model exchange and co-simulation beside the library.

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/loop.h>
#include <appell/sim.h>
#include <unistd.h>

#include "fmu_host.h"
#include "generated.h"
#include "models.h"

// An FMU, made, unpacked and loaded.
typedef struct bed {
  ap_fmu *fmu;
  unpacked files;
  host h;
} bed;

// Of a mechanism, or of a model where that is NULL.
static bool open_bed_of(const ap_model *m, const ap_mechanism *mechanism, const ap_fmu_options *o,
                        bed *b) {
  ap_error error = {0};
  *b = (bed){0};
  if (!CHECK_OK(mechanism ? ap_generate_fmu_of_mechanism(mechanism, o, &b->fmu, &error)
                          : ap_generate_fmu(m, o, &b->fmu, &error)))
    printf("%s\n", error.text);
  return b->fmu && unpack(b->fmu, &b->files) && open_host(&b->files, ap_fmu_name(b->fmu), &b->h);
}

static bool open_bed(const ap_model *m, const ap_fmu_options *o, bed *b) {
  return open_bed_of(m, NULL, o, b);
}

static void close_bed(bed *b) {
  if (b->h.library) dlclose(b->h.library);
  clear(&b->files);
  ap_fmu_free(b->fmu);
}

static const test_robot *robot_named(const char *label) {
  for (int k = 0; k < RECIPES; k++)
    if (strcmp(recipes[k].label, label) == 0) return robot_at(k);
  return NULL;
}

// ---- files -------------------------------------------------------------------------------------

TEST(descriptions_are_valid) {
  if (system("xmllint --version >/dev/null 2>&1") != 0) {
    test_skip("no XML is validated: there is no xmllint (libxml2-utils)");
    return;
  }
  static const char *const robots[] = {"three of R P", "free arm", "one planar", "one spherical"};
  for (size_t k = 0; k < sizeof robots / sizeof *robots; k++) {
    const test_robot *r = robot_named(robots[k]);
    ap_fmu_options o = ap_default_fmu();
    o.compile = false;
    ap_fmu *fmu;
    unpacked u;
    if (!CHECK_OK(ap_generate_fmu(r->m, &o, &fmu, NULL)) || !unpack(fmu, &u)) return;
    CHECK(!ap_fmu_has_binary(fmu));
    check_schema(&u, "fmi3ModelDescription.xsd", "modelDescription.xml");
    check_schema(&u, "fmi3BuildDescription.xsd", "sources/buildDescription.xml");
    check_schema(&u, "fmi3TerminalsAndIcons.xsd", "terminalsAndIcons/terminalsAndIcons.xml");
    clear(&u);
    ap_fmu_free(fmu);
  }
}

// The sources have the prototypes of the standard, without a warning.
TEST(sources_compile_with_the_official_headers) {
  const test_robot *r = robot_named("two revolute");
  ap_fmu_options o = ap_default_fmu();
  o.compile = false, o.name = "robot";
  ap_fmu *fmu;
  unpacked u;
  char command[1024], here[512];
  if (!CHECK_OK(ap_generate_fmu(r->m, &o, &fmu, NULL)) || !unpack(fmu, &u)) return;
  if (CHECK(getcwd(here, sizeof here))) {
    snprintf(command, sizeof command,
             "cd '%s/sources' && %s " GENERATED_WARNINGS
             " -DFMU_HEADERS -isystem '%.400s/third_party/fmi3/headers' -c fmu.c -o fmu.o && "
             "%s " GENERATED_WARNINGS " -c fmu.c -o fmu.o",
             u.folder, generated_compiler(), here, generated_compiler());
    CHECK_EQ_INT(system(command), 0);
  }
  clear(&u);
  ap_fmu_free(fmu);
}

TEST(the_same_robot_gives_the_same_bytes) {
  const test_robot *r = robot_named("two revolute");
  ap_fmu_options o = ap_default_fmu();
  ap_fmu *a, *b;
  size_t size, other;
  o.compile = false;
  CHECK_OK(ap_generate_fmu(r->m, &o, &a, NULL));
  CHECK_OK(ap_generate_fmu(r->m, &o, &b, NULL));
  const void *one = ap_fmu_bytes(a, &size), *two = ap_fmu_bytes(b, &other);
  CHECK(size == other && memcmp(one, two, size) == 0);
  ap_fmu_free(a), ap_fmu_free(b);
}

// Without a compiler the sources are there all the same, and the error says what is missing.
TEST(a_missing_compiler_is_told) {
  const test_robot *r = robot_named("two revolute");
  ap_fmu_options o = ap_default_fmu();
  ap_fmu *fmu;
  ap_error error;
  o.compiler = "no-such-compiler";
  CHECK_STATUS(ap_generate_fmu(r->m, &o, &fmu, &error), AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, "no-such-compiler");
  if (CHECK(fmu)) CHECK(!ap_fmu_has_binary(fmu));
  ap_fmu_free(fmu);
  o = ap_default_fmu();
  o.stop = 0;
  CHECK_STATUS(ap_generate_fmu(r->m, &o, &fmu, &error), AP_E_ARG);
  CHECK(!fmu);
}

// ---- model exchange ----------------------------------------------------------------------------

enum { MOST = 48 };

// Rates of coordinates by differences along the motion, h^4 of a fifth derivative and rounding.
static void rates_of(const test_robot *r, const motion *s, double *rate) {
  static const int weight[] = {1, -8, 0, 8, -1};
  const double h = 1. / 512;
  const int nq = ap_nq(r->m), nv = ap_nv(r->m);
  for (int k = 0; k < nq; k++) rate[k] = 0;
  for (int j = -2; j <= 2; j++) {
    double step[MOST], q[MOST];
    if (j == 0) continue;
    for (int k = 0; k < nv; k++) step[k] = j * h * s->v[k];
    ap_integrate(r->m, s->q, step, q);
    for (int k = 0; k < nq; k++) rate[k] += weight[j + 2] * q[k] / (12 * h);
  }
}

// Derivatives of the states, and seeds through both kinds of derivatives.
static void check_exchange(const test_robot *r, const host *h, fmi3Instance i, const motion *s) {
  const int nq = ap_nq(r->m), nv = ap_nv(r->m), nx = nq + nv;
  double x[MOST], dx[MOST], rate[MOST], a[MOST];
  memcpy(x, s->q, (size_t)nq * sizeof *x), memcpy(x + nq, s->v, (size_t)nv * sizeof *x);
  fmi3ValueReference input[MOST], unknown[MOST], known[MOST];
  for (int k = 0; k < nv; k++) input[k] = (fmi3ValueReference)(1 + 2 * nx + k);
  CHECK_EQ_INT(h->set(i, input, (size_t)nv, s->a, (size_t)nv), fmi3OK);
  CHECK_EQ_INT(h->set_states(i, x, (size_t)nx), fmi3OK);
  CHECK_EQ_INT(h->derivatives(i, dx, (size_t)nx), fmi3OK);
  ap_set_friction(r->m, r->w, true);
  CHECK_OK(ap_forward_dynamics(r->m, r->w, s->q, s->v, s->a, a));
  rates_of(r, s, rate);
  CHECK_WITHIN(dx, rate, nq, 1e-9);
  CHECK_NEAR(dx + nq, a, nv, 1e-11);
  double seed[MOST], got[MOST], w[MOST], back[MOST], forward = 0, backward = 0;
  for (int k = 0; k < nx; k++) unknown[k] = (fmi3ValueReference)(1 + nx + k);
  for (int k = 0; k < nx + nv; k++) {
    known[k] = (fmi3ValueReference)(k < nx ? 1 + k : 1 + nx + k);
    seed[k] = sin(1 + k), w[k] = cos(2 * k);
  }
  const size_t nk = (size_t)(nx + nv), nu = (size_t)nx;
  CHECK_EQ_INT(h->along(i, unknown, nu, known, nk, seed, nk, got, nu), fmi3OK);
  CHECK_EQ_INT(h->adjoint(i, unknown, nu, known, nk, w, nu, back, nk), fmi3OK);
  for (int k = 0; k < nx; k++) forward += w[k] * got[k];
  for (int k = 0; k < nx + nv; k++) backward += back[k] * seed[k];
  CHECK_CLOSE(forward, backward, 1e-10 * (1 + fabs(forward)));
  if (nq != nv) return;
  double D[3][MOST * MOST];
  CHECK_OK(ap_forward_dynamics_derivatives(r->m, r->w, s->q, s->v, s->a, D[0], D[1], D[2]));
  for (int j = 0; j < nv; j++) {
    double sum = 0, size = 0;
    for (int k = 0; k < 3 * nv; k++)
      sum += D[k / nv][j * nv + k % nv] * seed[k], size += fabs(D[k / nv][j * nv + k % nv]);
    CHECK_CLOSE(got[nq + j], sum, 1e-11 * size);
  }
}

TEST(model_exchange_has_the_librarys_derivatives) {
  static const char *const robots[] = {"two of R P", "one free"};
  for (size_t k = 0; k < sizeof robots / sizeof *robots; k++) {
    const test_robot *r = robot_named(robots[k]);
    ap_fmu_options o = ap_default_fmu();
    bed b;
    o.name = "robot", o.flags = "-O0";
    if (!open_bed(r->m, &o, &b)) return;
    fmi3Instance i = b.h.exchange("one", b.files.token, NULL, false, true, NULL, hear);
    if (!CHECK(i)) return;
    CHECK_EQ_INT(b.h.enter(i, false, 0, 0, false, 0), fmi3OK);
    CHECK_EQ_INT(b.h.exit(i), fmi3OK);
    CHECK_EQ_INT(b.h.continuous(i), fmi3OK);
    FOR_EACH_STATE (r, s, 5) check_exchange(r, &b.h, i, &s);
    b.h.terminate(i), b.h.free_instance(i);
    close_bed(&b);
  }
}

// ---- co-simulation -----------------------------------------------------------------------------

// `appell simulate` of the same start stands on ap_sim: tolerances of 2e-11 there, of 1e-11 here,
// over a second of motion that enlarges errors by less than a thousand.
TEST(cosimulation_is_the_simulation) {
  const test_robot *r = robot_named("two revolute");
  const int nq = ap_nq(r->m), nv = ap_nv(r->m);
  motion s = motion_first(r);
  ap_fmu_options o = ap_default_fmu();
  bed b;
  o.name = "robot", o.q = s.q, o.v = s.v, o.friction = false;
  if (!open_bed(r->m, &o, &b)) return;
  ap_scene scene = ap_default_scene();
  scene.model = r->m, scene.joint_friction = false, scene.limits = false;
  ap_sim *sim;
  ap_sim_state now;
  if (!CHECK_OK(ap_sim_create(&scene, &sim, NULL))) return;
  CHECK_OK(ap_sim_start(sim, 0, s.q, s.v, NULL));
  fmi3Instance i = b.h.cosimulation("one", b.files.token, NULL, false, true, false, false, NULL, 0,
                                    NULL, hear, NULL);
  if (!CHECK(i)) return;
  CHECK_EQ_INT(b.h.enter(i, true, 1e-11, 0, true, 1), fmi3OK);
  CHECK_EQ_INT(b.h.exit(i), fmi3OK);
  fmi3ValueReference state[MOST];
  for (int k = 0; k < nq + nv; k++) state[k] = (fmi3ValueReference)(1 + k);
  for (int k = 1; k <= 20; k++) {
    bool event = true, ends = true, early = true;
    double last = -1, x[MOST];
    CHECK_EQ_INT(b.h.step(i, (k - 1) * 0.05, 0.05, true, &event, &ends, &early, &last), fmi3OK);
    CHECK(!event && !ends && !early);
    CHECK_CLOSE(last, k * 0.05, 1e-12);
    CHECK_OK(ap_sim_advance(sim, k * 0.05, NULL));
    CHECK_OK(ap_sim_now(sim, &now, NULL));
    CHECK_EQ_INT(b.h.get(i, state, (size_t)(nq + nv), x, (size_t)(nq + nv)), fmi3OK);
    test_context("step %d", k);
    CHECK_NEAR(x, now.q, nq, 1e-7);
    CHECK_NEAR(x + nq, now.v, nv, 1e-7);
  }
  b.h.free_instance(i);
  ap_sim_free(sim);
  close_bed(&b);
}

// ---- closed chains -----------------------------------------------------------------------------

static fmi3Instance open_steps(const bed *b) {
  fmi3Instance i = b->h.cosimulation("one", b->files.token, NULL, false, true, false, false, NULL,
                                     0, NULL, hear, NULL);
  if (!CHECK(i)) return NULL;
  CHECK_EQ_INT(b->h.enter(i, true, 1e-11, 0, true, 1), fmi3OK);
  CHECK_EQ_INT(b->h.exit(i), fmi3OK);
  return i;
}

// Rates and their derivatives at the start, beside the library's.
static void check_closed_rates(const bed *b, const ap_mechanism *m, ap_loop *l, const double *x0) {
  enum { N = 2 };
  double zero[N] = {0}, a[N], by_q[N * N], by_v[N * N], by_tau[N * N], dx[2 * N], sensitivity[N];
  const fmi3ValueReference unknown[N] = {1 + 3 * N, 2 + 3 * N}, known = 1 + 4 * N;
  const double seed = 1;
  fmi3Instance i = b->h.exchange("one", b->files.token, NULL, false, true, NULL, hear);
  if (!CHECK(i)) return;
  CHECK_EQ_INT(b->h.enter(i, false, 0, 0, false, 0), fmi3OK);
  CHECK_EQ_INT(b->h.exit(i), fmi3OK);
  CHECK_EQ_INT(b->h.continuous(i), fmi3OK);
  CHECK_OK(ap_loop_forward_dynamics(m, l, x0, zero, zero, a));
  CHECK_OK(ap_loop_forward_dynamics_derivatives(m, l, x0, zero, zero, by_q, by_v, by_tau));
  CHECK_EQ_INT(b->h.derivatives(i, dx, 2 * N), fmi3OK);
  CHECK_WITHIN(dx, zero, N, 0);
  CHECK_WITHIN(dx + N, a, N, 1e-10 * (1 + test_norm(a, N)));
  CHECK_EQ_INT(b->h.along(i, unknown, N, &known, 1, &seed, 1, sensitivity, N), fmi3OK);
  const double want[N] = {by_tau[0], by_tau[N]};
  CHECK_WITHIN(sensitivity, want, N, 1e-9 * (1 + test_norm(want, N)));
  b->h.terminate(i), b->h.free_instance(i);
}

// A five-bar that falls, in independent coordinates, beside ap_sim, which integrates its tree: to
// the tolerances of cosimulation_is_the_simulation, before an arm is stretched.
TEST(closed_chains) {
  enum { N = 2 };
  const ap_mechanism_def *def = ap_mechanism_builtin("five-bar");
  void *memory = malloc(ap_mechanism_size(def));
  ap_mechanism *m = ap_mechanism_init(def, memory, ap_mechanism_size(def), NULL);
  ap_loop *l = m ? ap_loop_make(m) : NULL;
  ap_fmu_options o = ap_default_fmu();
  bed b;
  o.name = "chain", o.friction = false;
  if (!CHECK(l) || !open_bed_of(NULL, m, &o, &b)) return;
  if (system("xmllint --version >/dev/null 2>&1") == 0)
    check_schema(&b.files, "fmi3ModelDescription.xsd", "modelDescription.xml");
  double x[MOST], v[MOST] = {0}, s[N], now_x[2 * N];
  memcpy(x, ap_mechanism_guess(m), sizeof(double) * (size_t)ap_nq(ap_mechanism_tree(m)));
  CHECK_OK(ap_loop_close(m, l, x, s, NULL));
  check_closed_rates(&b, m, l, s);
  ap_scene scene = ap_default_scene();
  scene.mechanism = m, scene.joint_friction = false, scene.limits = false;
  ap_sim *sim;
  ap_sim_state now;
  if (!CHECK_OK(ap_sim_create(&scene, &sim, NULL))) return;
  CHECK_OK(ap_sim_start(sim, 0, x, v, NULL));
  fmi3Instance i = open_steps(&b);
  const fmi3ValueReference state[2 * N] = {1, 2, 3, 4};
  for (int k = 1; i && k <= 5; k++) {
    bool event, ends, early;
    double last;
    test_context("step %d", k);
    CHECK_EQ_INT(b.h.step(i, (k - 1) * 0.02, 0.02, true, &event, &ends, &early, &last), fmi3OK);
    CHECK_EQ_INT(b.h.get(i, state, 2 * N, now_x, 2 * N), fmi3OK);
    CHECK_OK(ap_sim_advance(sim, k * 0.02, NULL));
    CHECK_OK(ap_sim_now(sim, &now, NULL));
    ap_loop_errors(m, l, now.q, NULL, s);
    CHECK_NEAR(now_x, s, N, 1e-8);
    ap_loop_rates(m, l, now.q, now.v, s);
    CHECK_NEAR(now_x + N, s, N, 1e-7);
  }
  if (i) b.h.free_instance(i);
  ap_sim_free(sim);
  close_bed(&b);
  ap_loop_free(l);
  free(memory);
}

// A state that was kept, also as bytes, leads to the same bits again; a free body's quaternion
// stays of length one.
TEST(states_are_kept_and_restored) {
  const test_robot *r = robot_named("one free");
  motion s = motion_first(r);
  ap_fmu_options o = ap_default_fmu();
  bed b;
  o.name = "robot", o.q = s.q, o.v = s.v, o.flags = "-O0";
  if (!open_bed(r->m, &o, &b)) return;
  const host *h = &b.h;
  fmi3Instance i = h->cosimulation("one", b.files.token, NULL, false, true, false, false, NULL, 0,
                                   NULL, hear, NULL);
  if (!CHECK(i)) return;
  h->enter(i, false, 0, 0, false, 0), h->exit(i);
  fmi3ValueReference all[13];
  double x[3][13];
  for (unsigned k = 0; k < 13; k++) all[k] = 1 + k;
  bool event, ends, early;
  double last;
  fmi3FMUState kept = NULL, copied = NULL;
  CHECK_EQ_INT(h->step(i, 0, 0.1, true, &event, &ends, &early, &last), fmi3OK);
  CHECK_EQ_INT(h->get_state(i, &kept), fmi3OK);
  size_t size;
  CHECK_EQ_INT(h->state_size(i, kept, &size), fmi3OK);
  fmi3Byte *bytes = malloc(size);
  CHECK_EQ_INT(h->serialize(i, kept, bytes, size), fmi3OK);
  CHECK_EQ_INT(h->deserialize(i, bytes, size, &copied), fmi3OK);
  for (int k = 0; k < 3; k++) {
    CHECK_EQ_INT(h->step(i, 0.1, 0.2, true, &event, &ends, &early, &last), fmi3OK);
    CHECK_EQ_INT(h->get(i, all, 13, x[k], 13), fmi3OK);
    CHECK_EQ_INT(h->set_state(i, k == 0 ? kept : copied), fmi3OK);
  }
  CHECK_BITS(x[0], x[1], 13);
  CHECK_BITS(x[0], x[2], 13);
  CHECK_CLOSE(x[0][3] * x[0][3] + x[0][4] * x[0][4] + x[0][5] * x[0][5] + x[0][6] * x[0][6], 1,
              1e-15);
  h->free_state(i, &kept), h->free_state(i, &copied);
  CHECK(!kept && !copied);
  free(bytes);
  h->free_instance(i);
  close_bed(&b);
}

// Calls out of order and values that cannot be are errors with a message, not crashes.
TEST(wrong_calls_are_errors) {
  const test_robot *r = robot_named("one revolute");
  ap_fmu_options o = ap_default_fmu();
  bed b;
  o.name = "robot", o.flags = "-O0";
  if (!open_bed(r->m, &o, &b)) return;
  const host *h = &b.h;
  int messages = 0;
  CHECK(!h->exchange("one", "another token", NULL, false, true, &messages, hear));
  fmi3Instance i = h->exchange("one", b.files.token, NULL, false, true, &messages, hear);
  if (!CHECK(i)) return;
  bool event, ends, early;
  double last, x = 1;
  CHECK_EQ_INT(h->step(i, 0, 0.1, true, &event, &ends, &early, &last), fmi3Error);
  CHECK_EQ_INT(h->exit(i), fmi3Error);
  CHECK_EQ_INT(h->set(i, &(fmi3ValueReference){0}, 1, &x, 1), fmi3Error);
  CHECK_EQ_INT(h->set(i, &(fmi3ValueReference){3}, 1, &x, 1), fmi3Error);
  CHECK_EQ_INT(h->get(i, &(fmi3ValueReference){99}, 1, &x, 1), fmi3Error);
  CHECK_EQ_INT(h->get(i, &(fmi3ValueReference){1}, 1, &x, 2), fmi3Error);
  CHECK_EQ_INT(h->set_states(i, &x, 1), fmi3Error);
  x = NAN;
  CHECK_EQ_INT(h->set(i, &(fmi3ValueReference){5}, 1, &x, 1), fmi3Error);
  CHECK_EQ_INT(h->along(i, &(fmi3ValueReference){5}, 1, &(fmi3ValueReference){1}, 1, &x, 1, &x, 1),
               fmi3Error);
  CHECK_EQ_INT(messages, 10);
  x = 0.5;
  CHECK_EQ_INT(h->set(i, &(fmi3ValueReference){1}, 1, &x, 1), fmi3OK);
  CHECK_EQ_INT(h->reset(i), fmi3OK);
  CHECK_EQ_INT(h->get(i, &(fmi3ValueReference){1}, 1, &x, 1), fmi3OK);
  CHECK(x == 0);
  h->free_instance(i);
  close_bed(&b);
}
