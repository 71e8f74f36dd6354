// SPDX-License-Identifier: Apache-2.0
// The run of a scenario: its columns, its rows at output times, its events.
//
// Columns of the rows: t; q.JOINT, v.JOINT, tau.JOINT; the energies kinetic, potential, elastic,
// work, dissipated, lost, and closing, by which their account does not close; work_of.JOINT;
// contacts, the number of points at rest on walls, and where there are walls force.POINT.x, .y, .z
// on each point; of a mechanism coordinate.NAME, rate.NAME, closure and drift, the errors of its
// closures.
//
// Columns of the events: what happened at a point or joint, then the state just before and just
// after: q, v and v_after by joint, kinetic, kinetic_after, potential, and of a mechanism
// coordinate, rate and rate_after by name.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { MOST_OUTPUTS = 10000000, MOST_WORD = 4096 };

static const char *const energies[] = {"kinetic",    "potential", "elastic", "work",
                                       "dissipated", "lost",      "closing"};
enum { ENERGIES = sizeof energies / sizeof energies[0] };

// ---- columns -----------------------------------------------------------------------------------

// Coordinates of a mechanism, or their rates.
static void add_coordinates(ap__columns *list, const char *group, const ap_mechanism *m,
                            ap_joint_vector what) {
  for (int i = 0; m && i < ap_mechanism_n(m); i++) {
    const ap_coordinate_def *c = ap_mechanism_coordinate(m, i);
    const bool slides = c->kind == AP_COORDINATE_POSITION ||
                        (c->kind == AP_COORDINATE_JOINT &&
                         ap_body(ap_mechanism_tree(m), c->body)->joint == AP_PRISMATIC);
    ap__columns_add(list, group, c->name, "", ap__entry_unit(what, slides));
  }
}

static void add_vector(ap__columns *list, const char *group, const char *name) {
  static const char *const axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; k++)
    ap__columns_add(list, group, name[0] ? name : axes[k], name[0] ? axes[k] : "", NULL);
}

// Whether anything may touch.
static bool has_contacts(const ap_scene *scene) {
  bool shapes = false;
  for (int k = 0; k < scene->npoint && scene->links; k++) shapes = shapes || scene->point[k].shape;
  return scene->npoint > 0 && (scene->nwall > 0 || shapes);
}

static void add_row_columns(ap__columns *list, const ap_model *m, const ap_scene *scene) {
  ap__columns_add(list, "t", "", "", NULL);
  ap__columns_joints(list, "q", m, AP_JOINT_Q, NULL);
  ap__columns_joints(list, "v", m, AP_JOINT_V, NULL);
  ap__columns_joints(list, "tau", m, AP_JOINT_TAU, NULL);
  for (int k = 0; k < ENERGIES; k++) ap__columns_add(list, energies[k], "", "", NULL);
  ap__columns_joints(list, "work_of", m, AP_JOINT_TAU, "J");
  ap__columns_add(list, "contacts", "", "", NULL);
  for (int k = 0; has_contacts(scene) && k < scene->npoint; k++)
    add_vector(list, "force", scene->point[k].name);
  for (int k = 0; has_contacts(scene) && k < scene->npoint; k++) {
    if (!scene->point[k].shape) continue;
    add_vector(list, "place", scene->point[k].name);
    ap__columns_add(list, "margin", scene->point[k].name, "", NULL);
  }
  if (!scene->mechanism) return;
  add_coordinates(list, "coordinate", scene->mechanism, AP_JOINT_Q);
  add_coordinates(list, "rate", scene->mechanism, AP_JOINT_V);
  ap__columns_add(list, "closure", "", "", NULL);
  ap__columns_add(list, "drift", "", "", NULL);
}

// Of a joint: its place in v, and of each vector the first entry.
static void add_event_columns(ap__columns *list, const ap_model *m, const ap_scene *scene) {
  static const char *const scalars[][3] = {{"impulse", "number", NULL}, {"angle", "lost", "joint"}};
  static const char *const vectors[] = {"impulse_vector", "position", "normal", "before", "after"};
  static const char *const jumping[] = {"kinetic", "kinetic_after", "potential"};
  for (int k = 0; k < 2; k++) ap__columns_add(list, scalars[0][k], "", "", NULL);
  for (int k = 0; k < 5; k++) add_vector(list, vectors[k], "");
  for (int k = 0; k < 3; k++) ap__columns_add(list, scalars[1][k], "", "", NULL);
  ap__columns_joints(list, "q", m, AP_JOINT_Q, NULL);
  ap__columns_joints(list, "v", m, AP_JOINT_V, NULL);
  ap__columns_joints(list, "v_after", m, AP_JOINT_V, NULL);
  for (int k = 0; k < 3; k++) ap__columns_add(list, jumping[k], "", "", NULL);
  add_coordinates(list, "coordinate", scene->mechanism, AP_JOINT_Q);
  add_coordinates(list, "rate", scene->mechanism, AP_JOINT_V);
  add_coordinates(list, "rate_after", scene->mechanism, AP_JOINT_V);
}

void ap__simulation_columns(const ap_scenario *scenario, ap__columns *rows, ap__columns *events) {
  const ap_model *m = ap_scenario_model(scenario);
  const ap_scene *scene = ap_scenario_scene(scenario);
  add_row_columns(rows, m, scene);
  if (events) add_event_columns(events, m, scene);
}

// ---- open --------------------------------------------------------------------------------------

// What computes energies and rates at events as the run does at output times.
static bool make_work(ap_run *run) {
  ap__simulation *s = &run->simulation;
  const ap_mechanism *m = run->scene->mechanism;
  const size_t size = m ? ap_loop_size(m) : ap_work_size(run->model);
  s->memory = malloc(size);
  if (s->memory && m) s->loop = ap_loop_init(m, s->memory, size);
  if (s->memory) s->work = m ? ap_loop_work(s->loop) : ap_work_init(run->model, s->memory, size);
  if (!s->work) return false;
  if (run->scene->gravity) ap_set_gravity(run->model, s->work, run->scene->gravity);
  ap_set_friction(run->model, s->work, run->scene->joint_friction);
  return true;
}

// The name of a joint, or of an entry of one, by its place in v.
static const char *joint_of(const ap_run *run, int v) {
  return run->rows.column[1 + ap_nq(run->model) + v].name + strlen("v.");
}

static void note_word(ap_run *run, const char *word) {
  const size_t n = strlen(word);
  if (n > (size_t)run->longest_word) run->longest_word = n < MOST_WORD ? (int)n : MOST_WORD;
}

// Points of contact at a time at most, as in the simulator.
enum { MOST_CONTACTS = 96 };

static bool name_points(ap_run *run) {
  ap__simulation *s = &run->simulation;
  const ap_scene *scene = run->scene;
  s->point = calloc((size_t)scene->npoint + 1, sizeof *s->point);
  s->contacts = has_contacts(scene) ? MOST_CONTACTS : 0;
  s->contact = calloc((size_t)s->contacts + 1, sizeof *s->contact);
  if (!s->point || !s->contact) return false;
  for (int k = 0; k < scene->npoint; k++) {
    const char *link = ap_frame_name(run->model, scene->point[k].body);
    const size_t size = strlen(link) + strlen(scene->point[k].name) + 2;
    char *name = malloc(size);
    if (!name) return false;
    snprintf(name, size, "%s/%s", link, scene->point[k].name);
    s->point[k] = ap__pool_text(&run->pool, name, size - 1);
    free(name);
    if (!s->point[k]) return false;
  }
  run->longest_word = 16;
  for (int k = 0; k < scene->npoint; k++) note_word(run, s->point[k]);
  for (int k = 0; k < scene->nwall; k++) note_word(run, scene->wall[k].name);
  for (int k = 0; k < ap_nv(run->model); k++) note_word(run, joint_of(run, k));
  return true;
}

void ap_run_times(const ap_run *run, double *start, double *end, double *step) {
  *start = run->simulation.start;
  *end = run->simulation.end;
  *step = run->simulation.step;
}

ap_status ap_run_set_times(ap_run *run, double end, double step, ap_error *error) {
  ap__simulation *s = &run->simulation;
  if (run->kind != AP_RUN_SIMULATION || run->started)
    return AP__REFUSE(error, AP_E_ARG, 0, "times can be set only before the simulation starts");
  if (!(end > s->start && isfinite(end)) || !(step > 0 && isfinite(step)))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "end %g s, step %g s (the end must be after %g s, the step above zero)", end,
                      step, s->start);
  s->end = end;
  s->step = step;
  return AP_OK;
}

const ap_sim *ap_run_sim(const ap_run *run) { return run->simulation.sim; }

const ap_sim_state *ap_run_state(const ap_run *run) {
  return run->kind == AP_RUN_SIMULATION && run->at_row ? &run->simulation.state : NULL;
}

// ---- rows --------------------------------------------------------------------------------------

static double *put(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  return to + n;
}

// Forces on points and shapes at rest, summed over what they rest on.
static double *put_forces(ap_run *run, double *to) {
  const ap__simulation *s = &run->simulation;
  const int points = run->scene->npoint, n = ap_sim_contacts(s->sim, s->contact, s->contacts);
  for (int k = 0; k < 3 * points; k++) to[k] = 0;
  for (int k = 0; k < n && k < s->contacts; k++)
    for (int i = 0; i < 3; i++) {
      const ap_contact_state *c = &s->contact[k];
      const int other = c->wall - run->scene->nwall;
      to[3 * c->point + i] += c->force[i];
      if (other >= 0) to[3 * other + i] -= c->force[i];
    }
  return to + 3 * (ptrdiff_t)points;
}

// Where a shape touches, the mean of its contacts by their forces, and what their friction could
// hold besides.
static double *put_places(const ap_run *run, double *to) {
  const ap__simulation *s = &run->simulation;
  const ap_scene *scene = run->scene;
  const int n = ap_sim_contacts(s->sim, NULL, 0);
  for (int i = 0; i < scene->npoint; i++) {
    double sum = 0, place[4] = {0};
    if (!scene->point[i].shape) continue;
    for (int k = 0; k < n && k < s->contacts; k++) {
      const ap_contact_state *c = &s->contact[k];
      if (c->point != i && c->wall - scene->nwall != i) continue;
      const double *f = c->force, size = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
      for (int a = 0; a < 3; a++) place[a] += size * c->position[a];
      sum += size;
      place[3] += c->margin;
    }
    for (int a = 0; a < 3 && sum > 0; a++) place[a] /= sum;
    to = put(to, place, 4);
  }
  return to;
}

static void put_row(ap_run *run) {
  const ap_sim_state *s = &run->simulation.state;
  const int nq = ap_nq(run->model), nv = ap_nv(run->model);
  const double energy[ENERGIES] = {s->kinetic,    s->potential, s->elastic, s->work,
                                   s->dissipated, s->lost,      s->closing};
  double *to = put(run->rows.row, &s->t, 1);
  to = put(to, s->q, nq);
  to = put(to, s->v, nv);
  to = put(to, s->tau, nv);
  to = put(to, energy, ENERGIES);
  to = put(to, s->work_of, nv);
  *to++ = s->contacts;
  if (has_contacts(run->scene)) to = put_places(run, put_forces(run, to));
  if (!s->s) return;
  const int n = ap_mechanism_n(run->scene->mechanism);
  to = put(to, s->s, n);
  to = put(to, s->sd, n);
  *to++ = s->closure;
  *to = s->drift;
}

static ap_status start(ap_run *run, ap_error *error) {
  ap__simulation *s = &run->simulation;
  const double outputs = ceil((s->end - s->start) / s->step * (1 - 1e-12));
  if (!(outputs <= MOST_OUTPUTS))
    return AP__REFUSE(error, AP_E_ARG, 0, "%.3g output times are too many (at most %d)", outputs,
                      MOST_OUTPUTS);
  s->outputs = (long)outputs;
  const double *q = ap_scenario_q(run->scenario), *v = ap_scenario_v(run->scenario);
  ap_scene scene = *run->scene;
  scene.code = run->code;
  ap_status status = s->sim ? AP_OK : ap_sim_create(&scene, &s->sim, error);
  if (status == AP_OK) status = ap_sim_start(s->sim, s->start, q, v, error);
  return status;
}

// From the start once more, with its events told; or to the next output, the last one at the end.
static ap_status go_on(ap_run *run, ap_error *error) {
  ap__simulation *s = &run->simulation;
  if (s->next == 0) {
    ap_sim_on_event(s->sim, ap__simulation_event, run);
    return ap_sim_start(s->sim, s->start, ap_scenario_q(run->scenario),
                        ap_scenario_v(run->scenario), error);
  }
  const double t = s->next < s->outputs ? s->start + (double)s->next * s->step : s->end;
  return ap_sim_advance(s->sim, t, error);
}

static ap_status step(ap_run *run, bool *end, ap_error *error) {
  ap__simulation *s = &run->simulation;
  *end = s->next > s->outputs;
  if (*end) return AP_OK;
  ap_status status = go_on(run, error);
  if (status == AP_OK) status = ap_sim_now(s->sim, &s->state, error);
  if (status != AP_OK) return status;
  put_row(run);
  s->next++;
  return AP_OK;
}

static double part(const ap_run *run) {
  const ap__simulation *s = &run->simulation;
  return (s->state.t - s->start) / (s->end - s->start);
}

// ---- events ------------------------------------------------------------------------------------

static void put_state(const ap_run *run, const ap_event *e, double *to) {
  const ap__simulation *s = &run->simulation;
  const int nq = ap_nq(run->model), nv = ap_nv(run->model);
  to = put(to, e->q, nq);
  to = put(to, e->v_before, nv);
  to = put(to, e->v_after, nv);
  *to++ = ap_kinetic_energy(run->model, s->work, e->q, e->v_before);
  *to++ = ap_kinetic_energy(run->model, s->work, e->q, e->v_after);
  double elastic = ap_elastic_energy(run->model, s->work, e->q);
  *to++ = ap_potential_energy(run->model, s->work, e->q) - elastic;
  if (!s->loop) return;
  const ap_mechanism *m = run->scene->mechanism;
  const int n = ap_mechanism_n(m);
  ap_loop_errors(m, s->loop, e->q, NULL, to);
  ap_loop_rates(m, s->loop, e->q, e->v_before, to + n);
  ap_loop_rates(m, s->loop, e->q, e->v_after, to + 2 * (ptrdiff_t)n);
}

void ap__simulation_event(void *context, const ap_event *e) {
  ap_run *run = context;
  if (!run->tell && !run->log) return;
  double *to = run->events.row;
  const double *p = e->impulse;
  *to++ = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  *to++ = e->number;
  to = put(to, e->impulse, 3);
  to = put(to, e->position, 3);
  to = put(to, e->normal, 3);
  to = put(to, e->before, 3);
  to = put(to, e->after, 3);
  *to++ = e->angle;
  *to++ = e->lost;
  *to++ = e->joint;
  put_state(run, e, to);
  const bool rubs = e->kind == AP_EVENT_SLIP || e->kind == AP_EVENT_STICK;
  const ap_logged_event told = {
      .t = e->t,
      .event = ap_event_name(e->kind),
      .point = e->joint < 0 ? run->simulation.point[e->point] : joint_of(run, e->joint),
      .wall = e->joint < 0 ? ap_scene_wall_name(run->scene, e->wall)
              : rubs       ? ""
                           : "stop",
      .numbers = run->events.row};
  ap__run_event(run, &told, e);
}

// ---- the kind ----------------------------------------------------------------------------------

static void release(ap_run *run) {
  ap__simulation *s = &run->simulation;
  ap_sim_free(s->sim);
  free(s->point);
  free(s->contact);
  free(s->memory);
}

ap_status ap__simulation_open(ap_run *run, const ap_run_options *options, ap_error *error) {
  static const ap__run_source source = {start, step, part, release};
  ap__simulation *s = &run->simulation;
  const ap_status status = ap__run_read(run, options, error);
  if (status != AP_OK) return status;
  run->source = &source;
  run->model = ap_scenario_model(run->scenario);
  run->scene = ap_scenario_scene(run->scenario);
  ap_scenario_times(run->scenario, &s->start, &s->end, &s->step);
  ap__simulation_columns(run->scenario, &run->rows, &run->events);
  const bool good = ap__columns_ready(&run->rows) && ap__columns_ready(&run->events);
  return good && name_points(run) && make_work(run) ? AP_OK : ap__no_memory(error);
}
