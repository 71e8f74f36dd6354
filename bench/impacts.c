// Time of a run with impacts: the tree of Shafei and Shafei (2018) in its circle, 1.4 s with five
// impacts, at three tolerances. Each figure is the least of many runs. Evaluations are those of the
// equations of motion; the error is that of the time of the fifth impact.

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

static void keep_last(void *context, const ap_event *event) { *(double *)context = event->t; }

static unsigned char model_memory[65536];

static int measure(const ap_scene *scene, const double *q) {
  static const double v[12] = {0};
  const double fifth = 1.3873340457938996; // in 113-bit arithmetic
  double least = INFINITY, last = 0;
  long evaluations = 0;
  ap_error error;
  ap_sim *sim;
  if (ap_sim_create(scene, &sim, &error)) return fprintf(stderr, "%s\n", error.text), 1;
  ap_sim_on_event(sim, keep_last, &last);
  for (int i = 0; i < RUNS; i++) {
    long before = ap_sim_evaluations(sim);
    double t = now();
    if (ap_sim_start(sim, 0, q, v, &error) || ap_sim_advance(sim, 1.4, &error))
      return fprintf(stderr, "%s\n", error.text), 1;
    least = fmin(least, now() - t);
    evaluations = ap_sim_evaluations(sim) - before;
  }
  ap_sim_free(sim);
  printf("| %g | %.2f | %ld | %.1e |\n", scene->relative, least, evaluations, fabs(last - fifth));
  return 0;
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
  printf("| tolerance | ms | evaluations | error of impact 5, s |\n|---|---|---|---|\n");
  for (int k = 8; k <= 12; k += 2) {
    scene.relative = scene.absolute = pow(10, -k);
    if (measure(&scene, q)) return 1;
  }
  return 0;
}
