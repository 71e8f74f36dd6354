// SPDX-License-Identifier: Apache-2.0
// Time of a simulation with contacts: the built-in quadruped, which falls on rough ground with its
// feet, knees and belly, lands in the first second and stands for the other three
// (models/quadruped_drop.yaml), adaptive and with fixed steps of 1 ms.
//
//   simulation [SCENARIO [RUNS]]
//
// The run is timed in slices of an output step, by the processor's time of the process; of each the
// least of all runs counts. All that a run does is in it: evaluations, the search for touches,
// events, reading. Per evaluation it is compared with forward dynamics of the robot without
// contacts. MuJoCo, where it was found, makes steps of the same length with the same robot, springs
// and points, its contacts soft.

#include <appell/dyn.h>
#include <appell/scenario.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#ifdef BENCH_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

enum { MOST_SLICES = 1000, RUNS = 8 };

static const double LANDED = 1; // s

typedef struct phase {
  double ns;
  long evaluations;
  double seconds; // of the motion
} phase;

typedef struct timing {
  int slices;
  double slice; // s
  double least[MOST_SLICES];
  long evaluations[MOST_SLICES];
} timing;

static double dynamics; // ns

// ns of the process: other programs hardly count.
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// ---- dynamics alone ----------------------------------------------------------------------------

static double time_dynamics(const ap_scenario *s) {
  const ap_model *m = ap_scenario_model(s);
  size_t size = ap_work_size(m), nv = (size_t)ap_nv(m);
  void *memory = malloc(size);
  ap_work *w = memory ? ap_work_init(m, memory, size) : NULL;
  double *tau = calloc(2 * nv, sizeof *tau), best = INFINITY;
  for (int block = 0; w && tau && block < 500; block++) {
    double t = used();
    for (int i = 0; i < 20; i++)
      ap_forward_dynamics(m, w, ap_scenario_q(s), ap_scenario_v(s), tau, tau + nv);
    best = fmin(best, (used() - t) / 20);
  }
  free(tau);
  free(memory);
  return best;
}

// ---- runs --------------------------------------------------------------------------------------

// One run in slices; false where it fails.
static bool time_run(ap_sim *sim, const ap_scenario *s, timing *t) {
  ap_error error;
  ap_sim_state state;
  ap_status status = ap_sim_start(sim, 0, ap_scenario_q(s), ap_scenario_v(s), &error);
  for (int k = 0; k < t->slices && !status; k++) {
    long before = ap_sim_evaluations(sim);
    double begin = used();
    status = ap_sim_advance(sim, (k + 1) * t->slice, &error);
    if (!status) status = ap_sim_now(sim, &state, &error);
    t->least[k] = fmin(t->least[k], used() - begin);
    t->evaluations[k] = ap_sim_evaluations(sim) - before;
  }
  if (status) fprintf(stderr, "%s\n", error.text);
  return !status;
}

static phase sum(const timing *t, bool landed) {
  phase p = {0};
  for (int k = 0; k < t->slices; k++) {
    if ((k * t->slice >= LANDED - 0.5 * t->slice) != landed) continue;
    p.ns += t->least[k];
    p.evaluations += t->evaluations[k];
    p.seconds += t->slice;
  }
  return p;
}

static void print(const char *name, const timing *t, double step) {
  for (int landed = 0; landed < 2; landed++) {
    phase p = sum(t, landed);
    if (!(p.seconds > 0)) continue;
    printf("| %s, %s | %.2f |", name, landed ? "stands" : "lands", p.ns * 1e-6);
    if (p.evaluations)
      printf(" %ld | %.2f | %.2f |", p.evaluations, p.ns * 1e-3 / (double)p.evaluations,
             p.ns / (double)p.evaluations / dynamics);
    else
      printf(" - | - | - |");
    if (step > 0)
      printf(" %.2f |\n", p.ns * 1e-3 * step / p.seconds);
    else
      printf(" - |\n");
  }
}

static bool measure(const char *name, const ap_scenario *s, ap_stepping stepping, double tolerance,
                    int runs, timing *t) {
  ap_scene scene = *ap_scenario_scene(s);
  ap_error error;
  ap_sim *sim;
  scene.stepping = stepping;
  scene.relative = scene.absolute = tolerance;
  if (ap_sim_create(&scene, &sim, &error)) return fprintf(stderr, "%s\n", error.text), false;
  for (int k = 0; k < t->slices; k++) t->least[k] = INFINITY;
  bool done = true;
  for (int r = 0; r < runs && done; r++) done = time_run(sim, s, t);
  if (done) print(name, t, stepping == AP_ADAPTIVE ? 0 : scene.step);
  ap_sim_free(sim);
  return done;
}

// ---- MuJoCo ------------------------------------------------------------------------------------

#ifdef BENCH_HAVE_MUJOCO

// The links that hang on a link, with their springs and points; a trunk that flies, and joints that
// turn about axes of the link's own frame.
static void write_links(FILE *f, const ap_scene *s, int parent) {
  const ap_model *m = s->model;
  for (int i = 1; i < ap_nbody(m); i++) {
    const ap_body_def *b = ap_body(m, i);
    const double *p = b->place.xyz, *I = b->inertia;
    if (b->parent != parent) continue;
    fprintf(f, "<body pos='%.17g %.17g %.17g'>", p[0], p[1], p[2]);
    fprintf(f, "<inertial pos='%.17g %.17g %.17g' mass='%.17g' ", b->com[0], b->com[1], b->com[2],
            b->mass);
    fprintf(f, "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>", I[0], I[3], I[5], I[1], I[2],
            I[4]);
    if (b->joint == AP_FREE) fprintf(f, "<freejoint/>");
    for (int k = 0; k < s->nspring && b->joint != AP_FREE; k++) {
      const ap_joint_spring *spring = &s->spring[k];
      if (spring->v != ap_joint_v(m, i)) continue;
      fprintf(f, "<joint axis='%g %g %g' range='%.17g %.17g' limited='true' ", b->axis[0],
              b->axis[1], b->axis[2], b->lower, b->upper);
      fprintf(f, "stiffness='%.17g' springref='%.17g' damping='%.17g'/>", spring->stiffness,
              spring->rest, spring->damping);
    }
    for (int k = 0; k < s->npoint; k++)
      if (s->point[k].body == i)
        fprintf(f, "<geom type='sphere' size='0.001' mass='0' pos='%.17g %.17g %.17g'/>",
                s->point[k].at[0], s->point[k].at[1], s->point[k].at[2]);
    write_links(f, s, i);
    fprintf(f, "</body>");
  }
}

static mjModel *make_mujoco(const ap_scene *s) {
  char name[] = "/tmp/appell-bench-XXXXXX", error[500] = "";
  int handle = mkstemp(name);
  FILE *f = handle >= 0 ? fdopen(handle, "w") : NULL;
  if (!f) return NULL;
  fprintf(f, "<mujoco><compiler angle='radian' inertiafromgeom='false'/>");
  fprintf(f,
          "<option timestep='%.17g'/><default><geom friction='0.7' contype='1' "
          "conaffinity='2'/></default><worldbody><geom type='plane' size='9 9 1' contype='2' "
          "conaffinity='1'/>",
          s->step);
  write_links(f, s, 0);
  fprintf(f, "</worldbody></mujoco>");
  fclose(f);
  mjModel *m = mj_loadXML(name, NULL, error, sizeof error);
  if (!m) fprintf(stderr, "MuJoCo: %s\n", error);
  remove(name);
  return m;
}

// MuJoCo's quaternions begin with w; joints it numbers as it comes to them, as this robot does.
static void start_mujoco(const mjModel *m, mjData *d, const ap_scenario *s) {
  const double *q = ap_scenario_q(s);
  mj_resetData(m, d);
  memcpy(d->qpos, q, (size_t)m->nq * sizeof *q);
  d->qpos[3] = q[6];
  memcpy(d->qpos + 4, q + 3, 3 * sizeof *q);
  memcpy(d->qvel, ap_scenario_v(s), (size_t)m->nv * sizeof *q);
}

static void measure_mujoco(const ap_scenario *s, int runs, timing *t) {
  const ap_scene *scene = ap_scenario_scene(s);
  mjModel *m = make_mujoco(scene);
  mjData *d = m ? mj_makeData(m) : NULL;
  int steps = (int)lround(t->slice / scene->step);
  for (int k = 0; k < t->slices; k++) t->least[k] = INFINITY, t->evaluations[k] = 0;
  for (int r = 0; r < runs && d; r++) {
    start_mujoco(m, d, s);
    for (int k = 0; k < t->slices; k++) {
      double begin = used();
      for (int i = 0; i < steps; i++) mj_step(m, d);
      t->least[k] = fmin(t->least[k], used() - begin);
    }
  }
  if (d) {
    print("MuJoCo", t, scene->step);
    printf("\nMuJoCo ends with %d contacts, its trunk at z = %.4f m\n", d->ncon, d->qpos[2]);
  }
  if (d) mj_deleteData(d);
  if (m) mj_deleteModel(m);
}

#else
static void measure_mujoco(const ap_scenario *s, int runs, timing *t) {
  (void)s, (void)runs, (void)t;
}
#endif

// ---- all ---------------------------------------------------------------------------------------

int main(int argc, char **argv) {
  static timing t;
  const char *path = argc > 1 ? argv[1] : "models/quadruped_drop.yaml";
  int runs = argc > 2 ? atoi(argv[2]) : RUNS;
  ap_error error;
  ap_scenario *s;
  double start, end;
  if (ap_scenario_read(path, &s, &error)) return fprintf(stderr, "%s\n", error.text), 1;
  ap_scenario_times(s, &start, &end, &t.slice);
  t.slices = (int)lround((end - start) / t.slice);
  if (t.slices < 1 || t.slices > MOST_SLICES || !ap_scenario_scene(s)->model)
    return fprintf(stderr, "%s: a tree, and up to %d output steps\n", path, MOST_SLICES), 1;
  dynamics = time_dynamics(s);
  printf("forward dynamics without contacts: %.2f us\n\n", dynamics * 1e-3);
  printf("| steps | ms | evaluations | us an evaluation | dynamics | us a step |\n");
  printf("|---|---|---|---|---|---|\n");
  bool done = measure("1e-8", s, AP_ADAPTIVE, 1e-8, runs, &t) &&
              measure("1e-10", s, AP_ADAPTIVE, 1e-10, runs, &t) &&
              measure("rk4", s, AP_FIXED_RK4, 1e-8, runs, &t) &&
              measure("euler", s, AP_FIXED_EULER, 1e-8, runs, &t);
  measure_mujoco(s, runs, &t);
  ap_scenario_free(s);
  return done ? 0 : 1;
}
