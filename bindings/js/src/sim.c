// SPDX-License-Identifier: Apache-2.0
// A simulation that a person takes part in: it goes on from frame to frame, is pushed, pulled and
// driven in between. The scene is that of a scenario.
//
// What acts from outside changes between two calls of js_sim_advance() alone. The simulation does
// not know when, hence nforce_time is -1: steps then end where an advance ends.

#include <appell/dyn.h>
#include <appell/scenario.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "js.h"

enum { MOST_PULLS = 32 };

// A force on a point of a link: constant, and of a spring and damper to a place of the world.
typedef struct pull {
  int body; // 0: none
  double at[3], force[3], target[3];
  double stiffness, damping;
} pull;

typedef struct js_sim {
  ap_scenario *scenario;
  ap_sim *sim;
  const ap_model *model;
  const ap_mechanism *mechanism;
  ap_force *force; // of the scenario
  void *context;
  double *tau; // [nv] that drive it
  double *J;   // [6 * nv]
  ap_work *work;
  void *memory;
  pull pulls[MOST_PULLS];
  ap_json json; // of events
  bool open;    // their list is
} js_sim;

JS(js_sim_close) void js_sim_close(js_sim *s) {
  if (!s) return;
  ap_sim_free(s->sim);
  ap_scenario_free(s->scenario);
  free(s->tau);
  free(s->J);
  free(s->memory);
  free(s);
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// tau += J^T (f; r x f), the link being at q and v of the last ap_kinematics().
static ap_status add_pull(js_sim *s, const pull *p, double *tau) {
  const int nv = ap_nv(s->model);
  double R[9], origin[3], speed[6], arm[3], f[6], turning[3];
  ap_status status = ap_frame_pose(s->model, s->work, p->body, R, origin);
  if (status == AP_OK) status = ap_frame_velocity(s->model, s->work, p->body, AP_MIXED, speed);
  if (status == AP_OK) status = ap_frame_jacobian(s->model, s->work, p->body, AP_MIXED, s->J);
  if (status != AP_OK) return status;
  for (int i = 0; i < 3; i++)
    arm[i] = R[3 * i] * p->at[0] + R[3 * i + 1] * p->at[1] + R[3 * i + 2] * p->at[2];
  cross(speed + 3, arm, turning);
  for (int i = 0; i < 3; i++)
    f[i] = p->force[i] + p->stiffness * (p->target[i] - origin[i] - arm[i]) -
           p->damping * (speed[i] + turning[i]);
  cross(arm, f, f + 3);
  for (int j = 0; j < nv; j++)
    for (int i = 0; i < 6; i++) tau[j] += s->J[i * nv + j] * f[i];
  return AP_OK;
}

static ap_status drive(void *context, double t, const double *q, const double *v, double *tau) {
  js_sim *s = context;
  ap_status status = s->force ? s->force(s->context, t, q, v, tau) : AP_OK;
  bool known = false;
  for (int j = 0; j < ap_nv(s->model); j++) tau[j] += s->tau[j];
  for (int k = 0; k < MOST_PULLS && status == AP_OK; k++) {
    if (s->pulls[k].body == 0) continue;
    if (!known) ap_kinematics(s->model, s->work, q, v, NULL);
    known = true;
    status = add_pull(s, &s->pulls[k], tau);
  }
  return status;
}

static void on_event(void *context, const ap_event *e) {
  js_sim *s = context;
  const ap_scene *scene = ap_scenario_scene(s->scenario);
  ap_json *json = &s->json;
  if (!s->open) return;
  ap_json_open(json, NULL, '{');
  ap_json_number(json, "time", e->t);
  ap_json_string(json, "kind", ap_event_name(e->kind));
  ap_json_string(json, "point", e->joint < 0 ? scene->point[e->point].name : "");
  ap_json_string(json, "wall", e->joint < 0 ? ap_scene_wall_name(scene, e->wall) : "");
  ap_json_integer(json, "joint", e->joint);
  ap_json_numbers(json, "position", e->position, 3);
  ap_json_numbers(json, "impulse", e->impulse, 3);
  ap_json_number(json, "lost", e->lost);
  ap_json_close(json, '}');
}

static ap_status make(js_sim *s) {
  s->model = ap_scenario_model(s->scenario);
  s->mechanism = ap_scenario_mechanism(s->scenario);
  const size_t nv = (size_t)ap_nv(s->model), size = ap_work_size(s->model);
  s->tau = calloc(nv + 1, sizeof *s->tau);
  s->J = calloc(6 * nv + 1, sizeof *s->J);
  s->memory = malloc(size);
  s->work = s->memory ? ap_work_init(s->model, s->memory, size) : NULL;
  if (!s->tau || !s->J || !s->work) return js_fail(AP_E_MEMORY);
  ap_scene scene = *ap_scenario_scene(s->scenario);
  s->force = scene.force;
  s->context = scene.context;
  scene.force = drive;
  scene.context = s;
  scene.nforce_time = -1;
  const ap_status status = ap_sim_create(&scene, &s->sim, &js_failure);
  if (status == AP_OK) ap_sim_on_event(s->sim, on_event, s);
  return status;
}

JS(js_sim_start) int js_sim_start(js_sim *s, double t, const double *q, const double *v) {
  return (int)ap_sim_start(s->sim, t, q, v, &js_failure);
}

// A simulation of the scenario in a file, at its start.
JS(js_sim_open) js_sim *js_sim_open(const char *path) {
  js_sim *s = calloc(1, sizeof *s);
  if (!s) return js_fail(AP_E_MEMORY), NULL;
  ap_status status = ap_scenario_read(path, &s->scenario, &js_failure);
  double start, end, step;
  if (status == AP_OK) status = make(s);
  if (status == AP_OK) {
    ap_scenario_times(s->scenario, &start, &end, &step);
    status = ap_sim_start(s->sim, start, ap_scenario_q(s->scenario), ap_scenario_v(s->scenario),
                          &js_failure);
  }
  if (status == AP_OK) return s;
  js_sim_close(s);
  return NULL;
}

JS(js_sim_nq) int js_sim_nq(const js_sim *s) { return ap_nq(s->model); }
JS(js_sim_nv) int js_sim_nv(const js_sim *s) { return ap_nv(s->model); }
JS(js_sim_n) int js_sim_n(const js_sim *s) {
  return s->mechanism ? ap_mechanism_n(s->mechanism) : 0;
}
JS(js_sim_find_body) int js_sim_find_body(const js_sim *s, const char *name) {
  return ap_find_body(s->model, name);
}
// Joint forces from now on, [nv].
JS(js_sim_tau) double *js_sim_tau(const js_sim *s) { return s->tau; }

// Forces on a link from now on: x has point, force, target, stiffness, damping. body 0: none.
JS(js_sim_pull) int js_sim_pull(js_sim *s, int slot, int body, const double *x) {
  for (int i = 0; i < 11; i++)
    if (!isfinite(x[i])) return (int)js_fail(AP_E_ARG);
  if (slot < 0 || slot >= MOST_PULLS || body < 0 || body >= ap_nbody(s->model) || x[9] < 0 ||
      x[10] < 0)
    return (int)js_fail(AP_E_ARG);
  pull *p = &s->pulls[slot];
  p->body = body;
  memcpy(p->at, x, sizeof p->at);
  memcpy(p->force, x + 3, sizeof p->force);
  memcpy(p->target, x + 6, sizeof p->target);
  p->stiffness = x[9];
  p->damping = x[10];
  return AP_OK;
}

// Go on to time t; the text is a list of what happened.
JS(js_sim_advance) int js_sim_advance(js_sim *s, double t) {
  for (int j = 0; j < ap_nv(s->model); j++)
    if (!isfinite(s->tau[j])) return (int)js_fail(AP_E_ARG);
  s->json = js_begin_json();
  ap_json_open(&s->json, NULL, '[');
  s->open = true;
  const ap_status status = ap_sim_advance(s->sim, t, &js_failure);
  s->open = false;
  ap_json_close(&s->json, ']');
  return status == AP_OK ? (int)js_end_text() : (int)status;
}

static double *put(double *to, const double *from, int n) {
  if (from) memcpy(to, from, (size_t)n * sizeof *to);
  return to + n;
}

// t, seven energies, contacts, closure; q, v, a, tau; independent coordinates and their rates.
JS(js_sim_state) int js_sim_state(js_sim *s, double *to) {
  ap_sim_state now;
  const ap_status status = ap_sim_now(s->sim, &now, &js_failure);
  if (status != AP_OK) return (int)status;
  const int nq = ap_nq(s->model), nv = ap_nv(s->model), n = js_sim_n(s);
  const double scalars[] = {now.t,          now.kinetic, now.potential, now.elastic,  now.work,
                            now.dissipated, now.lost,    now.closing,   now.contacts, now.closure};
  to = put(to, scalars, sizeof scalars / sizeof scalars[0]);
  to = put(to, now.q, nq);
  to = put(to, now.v, nv);
  to = put(to, now.a, nv);
  to = put(to, now.tau, nv);
  to = put(to, now.s, n);
  put(to, now.sd, n);
  return AP_OK;
}

JS(js_sim_remark) const char *js_sim_remark(const js_sim *s) { return ap_sim_remark(s->sim); }
