// SPDX-License-Identifier: Apache-2.0
// What the headers promise to threads: a model, and functions compiled for it, are shared by any
// number of them; works, batches, simulations and compilations are each thread's own, and what a
// thread computes is what it computes alone. scripts/checks/threads runs this under
// ThreadSanitizer.

#include <appell/batch.h>
#include <appell/sim.h>

#include <pthread.h>

#include "compile_bed.h"

enum { THREADS = 4, STATES = 24 };

typedef struct shared {
  bed bed;
  const ap_functions *code; // NULL: none
} shared;

// What one thread computes: batches in both directions, and the end of a simulation.
typedef struct result {
  shared *s;
  unsigned seed;
  double tau[N * STATES], a[N * STATES], end[N];
  bool compiled;
} result;

static void compute_batch(result *r) {
  const ap_model *m = r->s->bed.m;
  rng random = rng_seed(r->seed);
  double q[N * STATES], v[N * STATES];
  random_numbers(&random, q, N * STATES), random_numbers(&random, v, N * STATES);
  void *memory = malloc(ap_batch_size(m)), *more = malloc(ap_work_size(m));
  ap_batch *batch = ap_batch_init(m, memory, ap_batch_size(m));
  ap_work *w = ap_work_init(m, more, ap_work_size(m));
  ap_work_use(m, w, r->s->code);
  ap_batch_use_settings(m, batch, w);
  ap_states all = ap_all_states(STATES, AP_COLUMNS);
  ap_batch_inverse_dynamics(m, batch, all, q, v, v, r->tau);
  ap_batch_forward_dynamics(m, batch, all, q, v, r->tau, r->a, NULL);
  free(memory);
  free(more);
}

static void simulate(result *r) {
  ap_scene scene = ap_default_scene();
  ap_sim *sim = NULL;
  ap_sim_state now;
  const double q[N] = {0.1, -0.6, 0.4, 0.2, 0.3, 0.1 * r->seed}, v[N] = {0};
  scene.model = r->s->bed.m, scene.code = r->s->code;
  if (ap_sim_create(&scene, &sim, NULL) == AP_OK && ap_sim_start(sim, 0, q, v, NULL) == AP_OK &&
      ap_sim_advance(sim, 0.02, NULL) == AP_OK && ap_sim_now(sim, &now, NULL) == AP_OK)
    memcpy(r->end, now.q, sizeof r->end);
  ap_sim_free(sim);
}

static void *compute(void *of) {
  compute_batch(of);
  simulate(of);
  return NULL;
}

static void *compile(void *of) {
  result *r = of;
  ap_compiled *c = NULL;
  ap_status status = ap_compile(r->s->bed.m, &r->s->bed.options, &c, NULL);
  r->compiled = status == AP_OK && ap_compiled_functions(c)->inverse_dynamics;
  ap_compiled_free(c);
  return NULL;
}

static void run(void *(*what)(void *), shared *s, result *r) {
  pthread_t thread[THREADS];
  for (unsigned k = 0; k < THREADS; k++) {
    r[k] = (result){.s = s, .seed = k + 1};
    CHECK(pthread_create(&thread[k], NULL, what, &r[k]) == 0);
  }
  for (int k = 0; k < THREADS; k++) CHECK(pthread_join(thread[k], NULL) == 0);
}

// In threads, and one after the other.
static void check_same(shared *s) {
  static result together[THREADS];
  run(compute, s, together);
  for (int k = 0; k < THREADS; k++) {
    result alone = {.s = s, .seed = together[k].seed};
    compute(&alone);
    CHECK_BITS(together[k].tau, alone.tau, N * STATES);
    CHECK_BITS(together[k].a, alone.a, N * STATES);
    CHECK_BITS(together[k].end, alone.end, N);
    CHECK(alone.end[1] != 0 && alone.tau[0] != 0);
  }
}

TEST(a_model_and_its_functions_are_shared) {
  shared s = {.code = NULL};
  if (!open_bed(&s.bed)) return;
  check_same(&s);
  ap_compiled *c = NULL;
  if (CHECK_OK(ap_compile(s.bed.m, &s.bed.options, &c, NULL))) {
    s.code = ap_compiled_functions(c);
    check_same(&s);
  }
  ap_compiled_free(c);
  close_bed(&s.bed);
}

TEST(compilations_at_once) {
  shared s = {.code = NULL};
  static result r[THREADS];
  if (!open_bed(&s.bed)) return;
  run(compile, &s, r);
  for (int k = 0; k < THREADS; k++) CHECK(r[k].compiled);
  close_bed(&s.bed);
}
