// SPDX-License-Identifier: Apache-2.0
// What fixed steps take implicitly: the forces of springs, dampers, viscous friction and elastic
// stops in joints with one degree of freedom, and the mobility of the robot under its contacts.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/frozen.h"
#include "sim/run.h"

// (step times frequency)^2 up to which a spring is soft.
static const double SOFT = 0.25;

void ap__run_take_stiff(ap_arena *a, ap_sim *sim) {
  size_t nv = (size_t)sim->nv;
  ode_stiff *s = &sim->stiff;
  double **each[] = {&s->damping, &s->stiffness, &s->rest, &s->root, &s->room, &s->sum};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) *each[i] = AP_TAKE(a, double, nv);
  s->mobility = AP_TAKE(a, double, nv *nv);
  s->U = AP_TAKE(a, double, nv *nv);
  s->part = AP_TAKE(a, double, 6 * (size_t)sim->n);
  s->acts = AP_TAKE(a, int, nv);
  sim->stiff_q = AP_TAKE(a, int, nv);
}

// A spring of stiffness k with its rest, besides those that are there.
static void add_spring(ode_stiff *s, int v, double k, double rest) {
  double sum = s->stiffness[v] + k;
  if (sum > 0) s->rest[v] += k / sum * (rest - s->rest[v]);
  s->stiffness[v] = sum;
}

// Viscous friction and the spring of the model's joint; a follower's act on its leader. A spring
// along a quaternion is taken explicitly.
static void collect_joint(ode_stiff *s, const ap_joint *j, const ap_body_def *def) {
  double square = j->ratio * j->ratio;
  if (j->nv == 1) s->damping[j->v] += square * def->viscous;
  if (def->stiffness == 0 || j->nq != j->nv) return;
  for (int k = 0; k < j->nv; k++)
    add_spring(s, j->v + k, square * def->stiffness, (def->rest[k] - j->offset) / j->ratio);
}

static void collect(ap_sim *sim) {
  ode_stiff *s = &sim->stiff;
  size_t bytes = (size_t)s->n * sizeof(double);
  memset(s->damping, 0, bytes);
  memset(s->stiffness, 0, bytes);
  memset(s->rest, 0, bytes);
  for (int i = 0; i < sim->scene.nspring; i++) {
    const ap_joint_spring *p = &sim->scene.spring[i];
    s->damping[p->v] += p->damping;
    add_spring(s, p->v, p->stiffness, p->rest);
  }
  for (int i = sim->npoint; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (!p->pressed || p->slackens) continue;
    s->damping[p->joint] += p->way * p->way * p->damping;
    add_spring(s, p->joint, p->way * p->way * p->stiffness, p->limit / p->way);
  }
  for (int i = 1; i < sim->m->nbody && sim->scene.joint_friction; i++)
    collect_joint(s, &sim->m->joint[i], &sim->m->link[sim->m->joint[i].link]);
  s->any = false;
  for (int i = 0; i < s->n; i++) s->any = s->any || s->damping[i] > 0 || s->stiffness[i] > 0;
}

// Euler's method keeps the energy of springs that it takes explicitly, and is stable with those
// that swing in more than a few steps: only stiffer ones are taken implicitly, which costs energy.
static void release_soft(ap_sim *sim) {
  ode_stiff *s = &sim->stiff;
  double h = sim->ode->fixed;
  for (int i = 0; i < s->n; i++)
    if (h * h * s->mobility[i * s->n + i] * s->stiffness[i] < SOFT) s->stiffness[i] = 0;
}

static ap_status prepare(void *context, double t, const double *y) {
  ap_sim *sim = context;
  const double *q, *v;
  (void)t;
  collect(sim);
  if (!sim->stiff.any) {
    memset(sim->stiff.mobility, 0, (size_t)sim->nv * (size_t)sim->nv * sizeof(double));
    return AP_OK;
  }
  ap_status status = sim->plant.kind->place(&sim->plant, y, y + sim->nq, &q, &v);
  if (status) return status;
  status = ap__contact_mobility(&sim->plant, q, sim->nresting, sim->resting, sim->stiff.mobility,
                                sim->contact_room);
  if (!status && sim->ode->euler) release_soft(sim);
  return status;
}

static void configuration_rate(void *context, const double *q, const double *v, double *rate) {
  ap__run_configuration_rate(((ap_sim *)context)->m, q, v, rate);
}

void ap__run_make_stiff(ap_sim *sim) {
  ode_stiff *s = &sim->stiff;
  s->n = sim->nv;
  s->v = sim->nq;
  s->q = sim->stiff_q;
  for (int i = 0; i < sim->nv; i++) sim->stiff_q[i] = ap__run_coordinate(sim->m, i);
  s->prepare = prepare;
  s->ledger = ap__run_ledger;
  s->configuration_rate = configuration_rate;
  sim->ode->stiff = s;
  sim->ode->fixed = sim->scene.step;
  sim->ode->euler = sim->scene.stepping == AP_FIXED_EULER;
  sim->ode->patient = false;
}

// The joint that moves degree of freedom v.
static const char *joint_of(const ap_sim *sim, int v) {
  for (int i = 1; i < ap_nbody(sim->m); i++)
    if (v >= ap_joint_v(sim->m, i) && v < ap_joint_v(sim->m, i) + ap_joint_nv(sim->m, i))
      return ap_body(sim->m, i)->joint_name;
  return "";
}

void ap__run_remark(ap_sim *sim) {
  const ode_stiff *s = &sim->stiff;
  double h = sim->scene.step, shortest = h;
  sim->remark[0] = 0;
  if (sim->ode->fixed == 0 || prepare(sim, sim->t, sim->y)) return;
  for (int i = 0; i < s->n; i++) {
    double P = s->mobility[i * s->n + i];
    double settles = 1 / (P * s->damping[i]), swings = 1 / sqrt(P * s->stiffness[i]);
    double time = fmin(settles, swings);
    if (!(time < shortest)) continue;
    shortest = time;
    const char *name = joint_of(sim, i);
    snprintf(sim->remark, sizeof sim->remark,
             "steps of %g s are too long for joint \"%.*s\", whose %s within %.2g s", h,
             ap__shown(name), name, settles < swings ? "damper settles it" : "spring swings it",
             time);
  }
}
