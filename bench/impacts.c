// SPDX-License-Identifier: Apache-2.0
// Time of a run with impacts: the tree of Shafei and Shafei (2018) in its circle, 1.4 s with five
// impacts, at three tolerances. Each figure is the least of many runs. Evaluations are those of the
// equations of motion; the error is that of the time of the fifth impact.
//
// Then what the search for touches costs: the same tree thrown without gravity, 3 s that are read
// every 10 ms, without walls and inside a circle that it does not reach. The motion is the same.

#include <appell/dyn.h>
#include <appell/sim.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RUNS = 50 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static unsigned char model_memory[65536];

typedef struct measured {
  double ms;        // least of all runs
  long evaluations; // of one
  int events;       // of all
  double last;      // s: time of the last event
} measured;

static void note(void *context, const ap_event *event) {
  measured *m = context;
  m->events++;
  m->last = event->t;
}

// Run a scene from (q, v), read at so many times on the way to the end; false where that fails.
static bool measure(const ap_scene *scene, const double *q, const double *v, double end, int reads,
                    measured *m) {
  ap_error error;
  ap_sim *sim;
  *m = (measured){.ms = INFINITY};
  ap_status status = ap_sim_create(scene, &sim, &error);
  if (!status) ap_sim_on_event(sim, note, m);
  for (int i = 0; i < RUNS && !status; i++) {
    long before = ap_sim_evaluations(sim);
    double t = now();
    status = ap_sim_start(sim, 0, q, v, &error);
    for (int k = 1; k <= reads && !status; k++)
      status = ap_sim_advance(sim, end * k / reads, &error);
    m->ms = fmin(m->ms, now() - t);
    m->evaluations = ap_sim_evaluations(sim) - before;
  }
  if (status) fprintf(stderr, "%s\n", error.text);
  ap_sim_free(sim);
  return !status;
}

// The fall with its impacts, at several tolerances.
static bool measure_impacts(ap_scene scene, const double *q) {
  static const double v[12] = {0};
  const double fifth = 1.3873340457938996; // in 113-bit arithmetic
  printf("| tolerance | ms | evaluations | error of impact 5, s |\n|---|---|---|---|\n");
  for (int k = 8; k <= 12; k += 2) {
    measured m;
    scene.relative = scene.absolute = pow(10, -k);
    if (!measure(&scene, q, v, 1.4, 1, &m)) return false;
    printf("| %g | %.2f | %ld | %.1e |\n", scene.relative, m.ms, m.evaluations,
           fabs(m.last - fifth));
  }
  return true;
}

// The search, where nothing touches.
static bool measure_search(ap_scene scene, const ap_wall *wall, const double *q) {
  static const double no_gravity[3] = {0}, v[12] = {0, 0, 1, -2, 1, 3, -1, 2, -3, 1, -2, 2};
  measured without, with;
  ap_wall circle = *wall;
  circle.size[0] = 7.5; // no point gets there, some go beyond 7 m
  scene.gravity = no_gravity;
  scene.nwall = 0;
  if (!measure(&scene, q, v, 3, 300, &without)) return false;
  scene.wall = &circle;
  scene.nwall = 1;
  if (!measure(&scene, q, v, 3, 300, &with)) return false;
  printf("\n| walls | ms | evaluations | events | ratio |\n|---|---|---|---|---|\n");
  printf("| none | %.2f | %ld | %d | 1 |\n", without.ms, without.evaluations, without.events);
  printf("| a circle that is not reached | %.2f | %ld | %d | %.2f |\n", with.ms, with.evaluations,
         with.events, with.ms / without.ms);
  return true;
}

int main(void) {
  ap_contact_point point[16];
  ap_wall circle = ap_default_wall();
  ap_scene scene = ap_default_scene();
  ap_error error;
  const double sixth = 0.52359877559829887, x = -1.3660254037844386; // pi / 6, -(1 + sqrt 3) / 2
  const double turn[10] = {1, 1, -4, 1, 1, -4, 2, 0, 4, -2};
  double q[12] = {x, x};
  for (int i = 0; i < 10; i++) q[2 + i] = turn[i] * sixth;
  scene.model = ap_model_init(ap_builtin("shafei-tree"), model_memory, sizeof model_memory, &error);
  if (!scene.model) return fprintf(stderr, "%s\n", error.text), 1;
  circle.kind = AP_WALL_CIRCLE;
  circle.size[0] = 2.5;
  circle.inside = true;
  circle.restitution = 1;
  scene.wall = &circle;
  scene.nwall = 1;
  scene.point = point;
  scene.npoint = ap_default_contact_points(scene.model, point, 16);
  return measure_impacts(scene, q) && measure_search(scene, &circle, q) ? 0 : 1;
}
