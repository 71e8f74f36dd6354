// SPDX-License-Identifier: Apache-2.0
// Small robots and runs of them, for tests of what the simulator must not get wrong.

#ifndef AP_TESTS_SMALL_RUNS_H
#define AP_TESTS_SMALL_RUNS_H

#include <appell/sim.h>

#include "test.h"

enum { LAW_EVENTS = 256, LAW_V = 6 };

#define PI 3.14159265358979323846

// What a run has told. One at a time.
typedef struct law_run {
  ap_sim *sim;
  int n;
  ap_event event[LAW_EVENTS];
  double q[LAW_V + 1], v[LAW_V]; // at the end
  ap_sim_state end;              // its pointers lead nowhere
  double most;                   // largest energy, J
  long evaluations;
} law_run;

static law_run told;

static inline void law_listen(void *context, const ap_event *event) {
  law_run *run = context;
  if (run->n < LAW_EVENTS) run->event[run->n++] = *event;
}

static inline bool law_look(law_run *run) {
  if (!CHECK_OK(ap_sim_now(run->sim, &run->end, NULL))) return false;
  const ap_sim_state *s = &run->end;
  const double each[] = {s->kinetic, s->potential, s->elastic, s->work, s->dissipated, s->lost};
  run->most = fmax(run->most, test_norm(each, 6));
  return true;
}

// Run a scene from 0 to `duration`, asked for its state every `step`; false where it cannot be run.
// Every run's ledger closes to 1e-9 of the largest energy; or to 1e-12 J, where that is less than
// what 1e-10 m and m/s, the tolerance, are worth.
static inline bool law_run_scene(const ap_scene *scene, const double *q, const double *v,
                                 double duration, double step) {
  ap_error error = {0};
  const ap_model *m = scene->model;
  told = (law_run){0};
  ap_status status = ap_sim_create(scene, &told.sim, &error);
  if (!status) ap_sim_on_event(told.sim, law_listen, &told);
  if (!status) status = ap_sim_start(told.sim, 0, q, v, &error);
  for (long k = 1; !status && told.end.t < duration; k++) {
    status = ap_sim_advance(told.sim, fmin((double)k * step, duration), &error);
    if (!status && !law_look(&told)) break;
  }
  if (!CHECK_OK(status)) printf("  %s\n", error.text);
  if (!status) {
    memcpy(told.q, told.end.q, (size_t)ap_nq(m) * sizeof *told.q);
    memcpy(told.v, told.end.v, (size_t)ap_nv(m) * sizeof *told.v);
    told.evaluations = ap_sim_evaluations(told.sim);
    CHECK_CLOSE(told.end.closing, 0, 1e-9 * told.most + 1e-12);
  }
  ap_sim_free(told.sim);
  return status == AP_OK;
}

// The k-th event of a kind, from 0; one that never happened where there is none.
static inline const ap_event *law_event(ap_event_kind kind, int k) {
  static const ap_event none = {.t = NAN, .point = -2, .wall = -2, .joint = -2};
  for (int i = 0; i < told.n; i++)
    if (told.event[i].kind == kind && k-- == 0) return &told.event[i];
  return &none;
}

static inline int law_count(ap_event_kind kind) {
  int n = 0;
  for (int i = 0; i < told.n; i++) n += told.event[i].kind == kind;
  return n;
}

// ---- robots ------------------------------------------------------------------------------------

static unsigned char law_memory[65536];

static inline const ap_model *law_model(ap_body_def *body, int n, const double gravity[3]) {
  static const char *const names[] = {"a", "b", "c"};
  ap_robot_def def = ap_default_robot();
  ap_error error = {0};
  for (int k = 0; k < n; k++) body[k].name = names[k], body[k].parent = k;
  def.bodies = body, def.nbody = n;
  memcpy(def.gravity, gravity, sizeof def.gravity);
  const ap_model *m = ap_model_init(&def, law_memory, sizeof law_memory, &error);
  if (!CHECK(m != NULL)) printf("  %s\n", error.text);
  return m;
}

// A point mass on slides along x, y, z.
static inline const ap_model *law_point(double mass, double gx, double gy, double gz) {
  ap_body_def body[3];
  for (int k = 0; k < 3; k++) {
    body[k] = ap_default_body();
    body[k].joint = AP_PRISMATIC;
    for (int i = 0; i < 3; i++) body[k].axis[i] = i == k;
  }
  body[2].mass = mass;
  return law_model(body, 3, (double[]){gx, gy, gz});
}

static inline ap_body_def law_slide(double mass) {
  ap_body_def b = ap_default_body();
  b.joint = AP_PRISMATIC, b.mass = mass;
  b.axis[0] = 1, b.axis[2] = 0;
  return b;
}

static const ap_contact_point law_ball = {.name = "ball", .body = 3};

static inline ap_scene law_scene(const ap_model *m, const ap_wall *wall, int nwall) {
  ap_scene s = ap_default_scene();
  s.model = m, s.wall = wall, s.nwall = nwall;
  s.point = &law_ball, s.npoint = nwall > 0;
  return s;
}

#endif
