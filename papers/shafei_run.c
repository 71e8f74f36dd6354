// SPDX-License-Identifier: Apache-2.0
#include "shafei_run.h"

#include <appell/dyn.h>
#include <appell/impact.h>
#include <appell/kin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PI 3.14159265358979323846

static ap_status fail(ap_error *error, ap_status status, const char *what) {
  error->status = status;
  error->line = 0;
  snprintf(error->text, sizeof error->text, "%s: %s", what, ap_status_text(status));
  return status;
}

// ---- the robot ---------------------------------------------------------------------------------

// Two branches and the trunk part at O3, three more at O6.
const int tree_rod_from[TREE_RODS] = {0, 1, 2, 3, 2, 5, 6, 5, 5, 9};

static ap_status find_points(tree_lab *l, ap_error *error) {
  for (int i = 0; i < TREE_POINTS; i++) {
    char name[16];
    snprintf(name, sizeof name, "O%d", i + 1);
    l->frame[i] = ap_find_frame(l->m, name);
    if (l->frame[i] < 0) return fail(error, AP_E_NOT_FOUND, name);
  }
  return AP_OK;
}

ap_status tree_make(const tree_setup *setup, tree_lab *l, ap_error *error) {
  const ap_robot_def *builtin = ap_builtin("shafei-tree");
  *l = (tree_lab){.setup = *setup};
  if (!builtin) return fail(error, AP_E_NOT_FOUND, "built-in robot shafei-tree");
  l->def = *builtin;
  l->def.gravity[1] = -setup->gravity;
  size_t size = ap_model_size(&l->def);
  l->memory[0] = malloc(size);
  if (!l->memory[0]) return fail(error, AP_E_MEMORY, "robot shafei-tree");
  l->m = ap_model_init(&l->def, l->memory[0], size, error);
  if (!l->m) return error->status;
  if (ap_nv(l->m) != TREE_DOFS || ap_nq(l->m) != TREE_DOFS)
    return fail(error, AP_E_UNSUPPORTED, "shafei-tree without twelve coordinates");

  size = ap_work_size(l->m);
  size_t study = ap_study_size(l->m, AP_F64);
  l->memory[1] = malloc(size);
  l->memory[2] = malloc(study);
  if (!l->memory[1] || !l->memory[2]) return fail(error, AP_E_MEMORY, "work for shafei-tree");
  l->w = ap_work_init(l->m, l->memory[1], size);
  l->study = ap_study_init(l->m, AP_F64, l->memory[2], study);
  if (!l->w || !l->study) return fail(error, AP_E_MEMORY, "work for shafei-tree");
  return find_points(l, error);
}

void tree_free(tree_lab *l) {
  for (int i = 0; i < 3; i++) free(l->memory[i]);
  *l = (tree_lab){0};
}

void tree_points(const tree_lab *l, const double *q, const double *v, double at[TREE_POINTS][2],
                 double rate[TREE_POINTS][2]) {
  ap_kinematics(l->m, l->w, q, v, NULL);
  for (int i = 0; i < TREE_POINTS; i++) {
    double R[9], p[3] = {0}, velocity[6] = {0};
    ap_frame_pose(l->m, l->w, l->frame[i], R, p);
    memcpy(at[i], p, sizeof at[i]);
    if (!rate) continue;
    ap_frame_velocity(l->m, l->w, l->frame[i], AP_MIXED, velocity);
    memcpy(rate[i], velocity, sizeof rate[i]);
  }
}

// ---- runs --------------------------------------------------------------------------------------

static void start_at(double x, double q[TREE_DOFS]) {
  const double at[TREE_DOFS] = {x,      x,           PI / 6, PI / 6, -2 * PI / 3, PI / 6,
                                PI / 6, -2 * PI / 3, PI / 3, 0,      2 * PI / 3,  -PI / 3};
  memcpy(q, at, sizeof at);
}

/// A run under way.
typedef struct listener {
  ap_sim *sim;
  tree_run *run;
  int number; ///< of the event that was told last
} listener;

static double along(const double a[3], const double n[3]) {
  return a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
}

static void note_touch(const ap_event *e, tree_impact *x) {
  int k = x->points;
  if (k >= 2) return;
  x->points++;
  x->point[k] = e->point;
  x->angle[k] = e->angle * 180 / PI;
  x->velocity[k] = along(e->after, e->normal) - along(e->before, e->normal);
  x->jump[k] = hypot(e->after[0] - e->before[0], e->after[1] - e->before[1]);
  x->impulse[k] = along(e->impulse, e->normal);
}

static void listen(void *context, const ap_event *e) {
  listener *l = context;
  tree_run *run = l->run;
  ap_sim_state now;
  if (e->kind != AP_EVENT_IMPACT) return;
  if (e->number != l->number) {
    if (run->impacts == TREE_IMPACTS_MOST) return;
    l->number = e->number;
    tree_impact *x = &run->impact[run->impacts++];
    *x = (tree_impact){.t = e->t, .lost = e->lost};
    if (ap_sim_now(l->sim, &now, NULL) == AP_OK) memcpy(x->q, now.q, sizeof x->q);
  }
  note_touch(e, &run->impact[run->impacts - 1]);
}

static ap_status take_sample(ap_sim *sim, tree_run *run, ap_error *error) {
  ap_sim_state now;
  ap_status status = ap_sim_now(sim, &now, error);
  if (status != AP_OK) return status;
  tree_sample *s = &run->sample[run->samples++];
  *s = (tree_sample){.t = now.t, .kinetic = now.kinetic, .potential = now.potential};
  memcpy(s->q, now.q, sizeof s->q);
  memcpy(s->v, now.v, sizeof s->v);
  return AP_OK;
}

static ap_status go_on(ap_sim *sim, const tree_plan *plan, tree_run *run, ap_error *error) {
  double q[TREE_DOFS];
  const double v[TREE_DOFS] = {0};
  start_at(plan->start, q);
  clock_t before = clock();
  ap_status status = ap_sim_start(sim, 0, q, v, error);
  if (status == AP_OK) status = take_sample(sim, run, error);
  for (int k = 1; k <= plan->samples && status == AP_OK; k++) {
    status = ap_sim_advance(sim, plan->end * k / plan->samples, error);
    if (status == AP_OK) status = take_sample(sim, run, error);
  }
  run->seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
  run->evaluations = ap_sim_evaluations(sim);
  return status;
}

static ap_status create(const tree_lab *l, const tree_plan *plan, ap_sim **sim, ap_error *error) {
  ap_contact_point point[TREE_POINTS];
  ap_wall circle = ap_default_wall();
  circle.name = "circle";
  circle.kind = AP_WALL_CIRCLE;
  circle.size[0] = l->setup.radius;
  circle.inside = true;
  circle.restitution = l->setup.restitution;
  ap_scene scene = ap_default_scene();
  scene.model = l->m;
  scene.wall = &circle;
  scene.nwall = 1;
  scene.point = point;
  scene.npoint = ap_default_contact_points(l->m, point, TREE_POINTS);
  scene.relative = scene.absolute = l->setup.tolerance;
  scene.window = plan->window;
  if (scene.npoint != TREE_POINTS)
    return fail(error, AP_E_UNSUPPORTED, "shafei-tree without eleven points");
  return ap_sim_create(&scene, sim, error);
}

// ---- impacts found late ------------------------------------------------------------------------

/// State and rate, q and v.
typedef struct tree_state {
  double y[2 * TREE_DOFS];
} tree_state;

static ap_status rate_of(const tree_lab *l, const tree_state *s, tree_state *rate) {
  static const double none[TREE_DOFS];
  memcpy(rate->y, s->y + TREE_DOFS, sizeof none);
  return ap_forward_dynamics(l->m, l->w, s->y, s->y + TREE_DOFS, none, rate->y + TREE_DOFS);
}

// A step of the classical Runge-Kutta method.
static ap_status step_on(const tree_lab *l, double h, tree_state *s) {
  static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  tree_state k = {{0}}, end = *s;
  for (int i = 0; i < 4; i++) {
    tree_state at = *s;
    for (int j = 0; j < 2 * TREE_DOFS; j++) at.y[j] += c[i] * h * k.y[j];
    ap_status status = rate_of(l, &at, &k);
    if (status != AP_OK) return status;
    for (int j = 0; j < 2 * TREE_DOFS; j++) end.y[j] += b[i] * h * k.y[j];
  }
  *s = end;
  return AP_OK;
}

// The points beyond the circle that go on outwards, as touches; which[] are their numbers.
static int find_late(const tree_lab *l, const tree_state *s, ap_touch *touch, int *which) {
  double at[TREE_POINTS][2], rate[TREE_POINTS][2];
  ap_contact_point point[TREE_POINTS];
  int n = 0;
  ap_default_contact_points(l->m, point, TREE_POINTS);
  tree_points(l, s->y, s->y + TREE_DOFS, at, rate);
  for (int i = 0; i < TREE_POINTS; i++) {
    double r = hypot(at[i][0], at[i][1]);
    if (r < l->setup.radius || at[i][0] * rate[i][0] + at[i][1] * rate[i][1] <= 0) continue;
    touch[n] = (ap_touch){.body = point[i].body,
                          .at = {point[i].at[0], point[i].at[1], point[i].at[2]},
                          .normal = {-at[i][0] / r, -at[i][1] / r},
                          .restitution = l->setup.restitution};
    which[n++] = i;
  }
  return n;
}

static ap_status hit_late(const tree_lab *l, double t, tree_state *s, void *scratch,
                          tree_run *run) {
  ap_touch touch[TREE_POINTS];
  int which[TREE_POINTS], n = find_late(l, s, touch, which);
  ap_impact_result result;
  if (n == 0) return AP_OK;
  ap_status status = ap_impact(l->m, l->w, s->y, s->y + TREE_DOFS, n, touch, scratch, &result);
  if (status != AP_OK || run->impacts == TREE_IMPACTS_MOST) return status;
  tree_impact *x = &run->impact[run->impacts++];
  *x = (tree_impact){.t = t, .lost = result.lost};
  memcpy(x->q, s->y, sizeof x->q);
  for (int i = 0; i < n; i++) {
    ap_event e = {.point = which[i]};
    memcpy(e.normal, touch[i].normal, sizeof e.normal);
    memcpy(e.before, touch[i].before, sizeof e.before);
    memcpy(e.after, touch[i].after, sizeof e.after);
    memcpy(e.impulse, touch[i].impulse, sizeof e.impulse);
    double speed = sqrt(along(e.before, e.before));
    e.angle = acos(fmin(1, -along(e.before, e.normal) / speed));
    note_touch(&e, x);
  }
  return AP_OK;
}

// The simulator locates impacts, with fixed steps too: a loop of its own does not.
static ap_status simulate_late(const tree_lab *l, const tree_plan *plan, tree_run *run,
                               ap_error *error) {
  tree_state s = {{0}};
  long steps = lround(plan->end / plan->step);
  void *scratch = malloc(ap_impact_scratch(l->m, TREE_POINTS));
  ap_status status = scratch ? AP_OK : AP_E_MEMORY;
  start_at(plan->start, s.y);
  for (long i = 1; i <= steps && status == AP_OK; i++) {
    status = step_on(l, plan->step, &s);
    if (status == AP_OK) status = hit_late(l, (double)i * plan->step, &s, scratch, run);
  }
  free(scratch);
  return status == AP_OK ? AP_OK : fail(error, status, "the tree in fixed steps");
}

ap_status tree_simulate(const tree_lab *l, const tree_plan *plan, tree_run *run, ap_error *error) {
  listener ear = {.run = run};
  *run = (tree_run){.sample = malloc(((size_t)plan->samples + 1) * sizeof *run->sample)};
  if (!run->sample) return fail(error, AP_E_MEMORY, "states of the tree");
  if (plan->step > 0) return simulate_late(l, plan, run, error);
  ap_status status = create(l, plan, &ear.sim, error);
  if (status != AP_OK) return status;
  ap_sim_on_event(ear.sim, listen, &ear);
  status = go_on(ear.sim, plan, run, error);
  ap_sim_free(ear.sim);
  return status;
}

void tree_run_free(tree_run *run) {
  free(run->sample);
  *run = (tree_run){0};
}
