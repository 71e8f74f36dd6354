// SPDX-License-Identifier: Apache-2.0
// Time of contacts between shapes: stacks of 1 to 10 cubes at rest, four points of contact for
// each. An evaluation is one of the equations of motion with all contact forces; MuJoCo, where it
// was found, makes a step of 1 ms with the same stack, its contacts soft.
//
//   contacts

#include <appell/sim.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#ifdef BENCH_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

enum { MOST = 10, CALLS = 20, RUNS = 5 };

// ns of the process: other programs hardly count.
static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// The least time of a reading of a stack of n cubes, ns; the points of contact in *contacts.
static double time_stack(int n, int *contacts) {
  static unsigned char memory[1 << 20];
  static const char *const name[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  ap_body_def body[MOST];
  ap_contact_point point[MOST];
  ap_convex cube;
  ap_robot_def def = ap_default_robot();
  double q[7 * MOST] = {0}, v[6 * MOST] = {0}, best = INFINITY;
  if (ap_convex_box((double[3]){0.1, 0.1, 0.1}, &cube, NULL)) return NAN;
  for (int i = 0; i < n; i++) {
    body[i] = ap_default_body();
    body[i].name = name[i], body[i].joint = AP_FREE, body[i].mass = 0.6;
    body[i].inertia[0] = body[i].inertia[3] = body[i].inertia[5] = 1e-3;
    point[i] = (ap_contact_point){.name = name[i], .body = i + 1, .shape = &cube, .friction = 0.5};
    q[7 * i + 2] = 0.05 + 0.1 * i, q[7 * i + 6] = 1;
  }
  def.bodies = body, def.nbody = n;
  ap_wall floor = ap_default_wall();
  floor.friction = 0.5;
  ap_scene scene = ap_default_scene();
  scene.model = ap_model_init(&def, memory, sizeof memory, NULL);
  scene.wall = &floor, scene.nwall = 1;
  scene.point = point, scene.npoint = n, scene.nforce_time = 0;
  ap_sim *sim = NULL;
  ap_sim_state state = {0};
  if (!scene.model || ap_sim_create(&scene, &sim, NULL) || ap_sim_start(sim, 0, q, v, NULL) ||
      ap_sim_advance(sim, 0.1, NULL))
    return NAN;
  for (int run = 0; run < RUNS; run++) {
    double from = used();
    for (int k = 0; k < CALLS; k++) ap_sim_now(sim, &state, NULL);
    best = fmin(best, (used() - from) / CALLS);
  }
  *contacts = state.contacts;
  ap_sim_free(sim);
  return best;
}

#ifdef BENCH_HAVE_MUJOCO
// The same of a step of MuJoCo.
static double time_mujoco(int n, int *contacts) {
  char name[] = "/tmp/appell_stack_XXXXXX", error[200];
  int file = mkstemp(name);
  FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
  if (!out) return NAN;
  fputs(
      "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 1' "
      "friction='0.5'/>",
      out);
  for (int i = 0; i < n; i++)
    fprintf(out,
            "<body pos='0 0 %g'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='0.6' "
            "friction='0.5'/></body>",
            0.05 + 0.1 * i);
  fputs("</worldbody></mujoco>", out);
  fclose(out);
  mjModel *m = mj_loadXML(name, NULL, error, sizeof error);
  mjData *d = m ? mj_makeData(m) : NULL;
  double best = NAN;
  for (int i = 0; d && i < 200; i++) mj_step(m, d);
  for (int run = 0; d && run < RUNS; run++) {
    double from = used();
    for (int k = 0; k < CALLS; k++) mj_step(m, d);
    best = fmin(best, (used() - from) / CALLS);
  }
  *contacts = d ? d->ncon : 0;
  if (d) mj_deleteData(d);
  if (m) mj_deleteModel(m);
  unlink(name);
  return best;
}
#endif

int main(void) {
  static const int sizes[] = {1, 2, 4, 8, 10};
  printf(
      "| cubes | contacts | us an evaluation | us a contact | MuJoCo: contacts | us a step | us a "
      "contact |\n|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    int contacts = 0;
    double ns = time_stack(sizes[i], &contacts);
    printf("| %d | %d | %.1f | %.2f |", sizes[i], contacts, ns / 1e3, ns / 1e3 / contacts);
#ifdef BENCH_HAVE_MUJOCO
    int soft = 0;
    double step = time_mujoco(sizes[i], &soft);
    printf(" %d | %.1f | %.2f |\n", soft, step / 1e3, step / 1e3 / soft);
#else
    printf(" - | - | - |\n");
#endif
  }
  return 0;
}
