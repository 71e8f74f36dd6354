// SPDX-License-Identifier: Apache-2.0
// The equations of motion of a run, as a first-order system in q, v and the energy ledger.

#include <math.h>
#include <string.h>

#include "model/frozen.h"
#include "num/vec3.h"
#include "sim/run.h"

// q' of a quaternion x y z w under the body's angular velocity: 1/2 q (w, 0).
static void quaternion_rate(const double *q, const double *w, double *rate) {
  rate[0] = 0.5 * (q[3] * w[0] + q[1] * w[2] - q[2] * w[1]);
  rate[1] = 0.5 * (q[3] * w[1] + q[2] * w[0] - q[0] * w[2]);
  rate[2] = 0.5 * (q[3] * w[2] + q[0] * w[1] - q[1] * w[0]);
  rate[3] = -0.5 * (q[0] * w[0] + q[1] * w[1] + q[2] * w[2]);
}

// u turned by a quaternion of any length: u + s (w (x x u) + x x (x x u)), s = 2 / |q|^2.
static void rotate(const double *q, const double *u, double *result) {
  double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double c[3] = {q[1] * u[2] - q[2] * u[1], q[2] * u[0] - q[0] * u[2], q[0] * u[1] - q[1] * u[0]};
  double d[3] = {q[1] * c[2] - q[2] * c[1], q[2] * c[0] - q[0] * c[2], q[0] * c[1] - q[1] * c[0]};
  for (int k = 0; k < 3; k++) result[k] = u[k] + s * (q[3] * c[k] + d[k]);
}

// dq/dt from v.
void ap__run_configuration_rate(const ap_model *m, const double *q, const double *v, double *rate) {
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    if (j->leader) continue;
    if (j->type == AP_FREE) {
      rotate(q + j->q + 3, v + j->v, rate + j->q);
      quaternion_rate(q + j->q + 3, v + j->v + 3, rate + j->q + 3);
    } else if (j->type == AP_SPHERICAL) {
      quaternion_rate(q + j->q, v + j->v, rate + j->q);
    } else {
      for (int k = 0; k < j->nv; k++) rate[j->q + k] = v[j->v + k];
    }
  }
}

// Where the coordinate of a degree of freedom of its own stands in q; -1: it is part of more.
int ap__run_coordinate(const ap_model *m, int v) {
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    if (!j->leader && j->nv == 1 && j->v == v) return j->q;
    if (!j->leader && j->type == AP_PLANAR && v >= j->v && v < j->v + 3) return j->q + v - j->v;
  }
  return -1;
}

// ---- forces ------------------------------------------------------------------------------------

// While strides go over its changes, Coulomb friction is v / sqrt(v^2 + creep^2) in units of its
// greatest.
static double creeping_sign(double v) { return v / sqrt(v * v + RUN_CREEP * RUN_CREEP); }

// The sign of the rate that a brake acts against, 0 where it holds.
static double way_of(const ap_sim *sim, const run_brake *b, const double *v) {
  return sim->strides ? creeping_sign(v[b->v]) : b->way;
}

// The kernels oppose sign(v) with the Coulomb friction of joints; here brakes do that.
static void add_brakes(const ap_sim *sim, const double *v, double *total) {
  for (int i = 0; i < sim->nbrake; i++) {
    const run_brake *b = &sim->brake[i];
    double sign = v[b->v] > 0 ? 1 : v[b->v] < 0 ? -1 : 0;
    total[b->v] += b->slide * (sign - way_of(sim, b, v));
  }
}

// Power that the friction of the model's joints takes.
static double friction_power(const ap_sim *sim, const double *v) {
  const ap_model *m = sim->m;
  double power = 0;
  if (!sim->scene.joint_friction) return 0;
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    if (j->nv != 1) continue;
    double rate = j->ratio * v[j->v];
    power += m->link[j->link].viscous * rate * rate;
  }
  for (int i = 0; i < sim->nbrake; i++) {
    const run_brake *b = &sim->brake[i];
    power += b->slide * way_of(sim, b, v) * v[b->v];
  }
  return power;
}

double ap__run_stop_depth(const run_pair *pair, const double *q) {
  return pair->limit - pair->way * q[pair->coordinate];
}

double ap__run_stop_force(const run_pair *pair, const double *q, const double *v) {
  return pair->stiffness * ap__run_stop_depth(pair, q) - pair->damping * pair->way * v[pair->joint];
}

// What acts of it: it does not pull.
static double stop_push(const run_pair *p, const double *q, const double *v) {
  return p->pressed && !p->slackens ? ap__run_stop_force(p, q, v) : 0;
}

// Power that the damper of an elastic stop takes: all that its force does and its spring does not.
static double stop_power(const ap_sim *sim, const double *q, const double *v) {
  double power = 0;
  for (int i = sim->npoint; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    if (!p->pressed) continue;
    double spring = p->stiffness * ap__run_stop_depth(p, q);
    power += (spring - stop_push(p, q, v)) * p->way * v[p->joint];
  }
  return power;
}

// pulled += J^T f of the loads that act.
static void add_loads(ap_sim *sim, const double *q, double *pulled) {
  bool looked = false;
  for (int i = 0; i < sim->scene.nload; i++) {
    const ap_load *l = &sim->scene.load[i];
    if (!sim->acts[i]) continue;
    if (!looked) ap_kinematics(sim->m, sim->w, q, NULL, NULL), looked = true;
    double R[9], p[3], r[3], moment[3];
    ap_frame_pose(sim->m, sim->w, l->body, R, p);
    for (int k = 0; k < 3; k++)
      r[k] = R[3 * k] * l->at[0] + R[3 * k + 1] * l->at[1] + R[3 * k + 2] * l->at[2];
    moment[0] = l->couple[0] + r[1] * l->force[2] - r[2] * l->force[1];
    moment[1] = l->couple[1] + r[2] * l->force[0] - r[0] * l->force[2];
    moment[2] = l->couple[2] + r[0] * l->force[1] - r[1] * l->force[0];
    ap_frame_jacobian(sim->m, sim->w, l->body, AP_MIXED, sim->jacobian);
    for (int k = 0; k < 3; k++)
      for (int c = 0; c < sim->nv; c++)
        pulled[c] += sim->jacobian[k * sim->nv + c] * l->force[k] +
                     sim->jacobian[(k + 3) * sim->nv + c] * moment[k];
  }
}

ap_status ap__run_forces(ap_sim *sim, double t, const double *q, const double *v) {
  size_t bytes = (size_t)sim->nv * sizeof(double);
  memset(sim->tau, 0, bytes);
  for (int i = 0; i < sim->scene.nspring; i++) {
    const ap_joint_spring *s = &sim->scene.spring[i];
    double stretch = q[sim->spring_q[i]] - s->rest;
    sim->tau[s->v] -= s->stiffness * stretch + s->damping * v[s->v];
  }
  memset(sim->driven, 0, bytes);
  if (sim->scene.force) {
    memcpy(sim->total, sim->tau, bytes);
    ap_status status = sim->scene.force(sim->scene.context, fmin(t, sim->until), q, v, sim->total);
    if (status) return status;
    for (int i = 0; i < sim->nv; i++) sim->driven[i] = sim->total[i] - sim->tau[i];
    memcpy(sim->tau, sim->total, bytes);
  }
  memcpy(sim->total, sim->tau, bytes);
  add_brakes(sim, v, sim->total);
  for (int i = sim->npoint; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    sim->total[p->joint] += p->way * stop_push(p, q, v);
  }
  if (!sim->scene.nload) return AP_OK;
  memset(sim->pulled, 0, bytes);
  add_loads(sim, q, sim->pulled);
  for (int i = 0; i < sim->nv; i++) sim->total[i] += sim->pulled[i];
  return AP_OK;
}

double ap__run_loads(ap_sim *sim, double t) {
  double next = INFINITY;
  for (int i = 0; i < sim->scene.nload; i++) {
    const ap_load *l = &sim->scene.load[i];
    bool acts = t >= l->from && t < l->to;
    if (acts != sim->acts[i]) sim->fresh = true;
    sim->acts[i] = acts;
    if (l->from > t) next = fmin(next, l->from);
    if (l->to > t) next = fmin(next, l->to);
  }
  int low = 0, high = sim->scene.nforce_time; // the first time of forces that is later
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (sim->scene.force_time[middle] > t)
      high = middle;
    else
      low = middle + 1;
  }
  return low < sim->scene.nforce_time ? fmin(next, sim->scene.force_time[low]) : next;
}

// ---- motion ------------------------------------------------------------------------------------

// Points that rest hold the robot, but for strides, which hold them by impulses.
static int holding(const ap_sim *sim) { return sim->strides ? 0 : sim->nresting; }

ap_status ap__run_accelerations(ap_sim *sim, double t, const double *q, const double *v) {
  sim->evaluations++;
  ap__run_walls_at(sim, t);
  ap_status status = ap__run_forces(sim, t, q, v);
  if (status) return status;
  if (!holding(sim)) return sim->plant.kind->accelerate(&sim->plant, q, v, sim->total, sim->a);
  return ap__contact_accelerations(&sim->plant, q, v, sim->total, sim->nresting, sim->resting,
                                   sim->a, sim->contact_room);
}

// The rates of the ledger: work of loads and of walls that move, dissipation, and the work of each
// joint force. `slid` is what sliding takes, `driven` what walls do.
static void ledger_rates(ap_sim *sim, const double *q, const double *v, double slid, double driven,
                         double *rate) {
  double loads = driven, taken = slid + friction_power(sim, v) + stop_power(sim, q, v);
  for (int i = 0; i < sim->scene.nspring; i++) {
    const ap_joint_spring *s = &sim->scene.spring[i];
    taken += s->damping * v[s->v] * v[s->v];
  }
  if (sim->scene.nload)
    for (int i = 0; i < sim->nv; i++) loads += sim->pulled[i] * v[i];
  rate[RUN_LOADS] = loads;
  rate[RUN_TAKEN] = taken;
  if (sim->scene.force)
    for (int i = 0; i < sim->nv; i++) rate[RUN_LEDGER + i] = sim->driven[i] * v[i];
}

ap_status ap__run_rate(void *context, double t, const double *y, double *dydt) {
  ap_sim *sim = context;
  const double *q, *v;
  for (int i = 0; i < sim->nq + sim->nv; i++)
    if (!isfinite(y[i])) return AP_E_NO_CONVERGENCE;
  ap_status status = sim->plant.kind->place(&sim->plant, y, y + sim->nq, &q, &v);
  if (!status) status = ap__run_accelerations(sim, t, q, v);
  if (status) return status;
  if (!sim->strides) sim->worst = fmin(sim->worst, ap__run_nearest(sim, q, v).value);
  ap__run_configuration_rate(sim->m, q, v, dydt);
  memcpy(dydt + sim->nq, sim->a, (size_t)sim->nv * sizeof *dydt);
  double slid = 0, driven = 0;
  for (int i = 0; i < holding(sim); i++)
    slid += sim->resting[i].power, driven += sim->resting[i].driven;
  ledger_rates(sim, q, v, slid, driven, dydt + sim->nq + sim->nv);
  return AP_OK;
}

ap_status ap__run_ledger(void *context, double t, const double *y, double *rate) {
  ap_sim *sim = context;
  const double *q, *v;
  ap_status status = sim->plant.kind->place(&sim->plant, y, y + sim->nq, &q, &v);
  if (!status) status = ap__run_forces(sim, t, q, v);
  if (status) return status;
  double driven, slid;
  ap__run_walls_at(sim, t);
  slid = ap__run_sliding_power(sim, q, v, &driven);
  ledger_rates(sim, q, v, slid, driven, rate);
  return AP_OK;
}

ap_status ap__run_place(void *context, double *y) {
  ap_sim *sim = context;
  ap_status status = ap__plant_settle(&sim->plant, y, y + sim->nq);
  if (!status && sim->plant.closed) sim->drift = fmax(sim->drift, sim->plant.closed->drift);
  return status;
}

double ap__run_held(ap_sim *sim) {
  double energy = 0;
  for (int i = 1; sim->scene.joint_friction && sim->m->passive && i < sim->m->nlink; i++) {
    const ap_body_def *b = &sim->m->link[i];
    double R[9], p[3];
    if (b->gravity_compensation == 0 || sim->m->mover[i] == 0) continue;
    ap_frame_pose(sim->m, sim->w, i, R, p);
    for (int k = 0; k < 3; k++) p[k] += dot3(R + 3 * k, b->com);
    energy += b->gravity_compensation * b->mass * dot3(sim->scene.gravity, p);
  }
  return energy;
}

void ap__run_energy(ap_sim *sim, double energy[3]) {
  const double *q = sim->y, *v = sim->y + sim->nq;
  energy[0] = ap_kinetic_energy(sim->m, sim->w, q, v);
  double com[3], mass = ap_centre_of_mass(sim->m, sim->w, com, NULL, NULL); // of the same pass
  energy[1] = -mass * dot3(sim->scene.gravity, com) + ap__run_held(sim);
  energy[2] = ap_elastic_energy(sim->m, sim->w, q);
  for (int i = 0; i < sim->scene.nspring; i++) {
    const ap_joint_spring *s = &sim->scene.spring[i];
    double stretch = q[sim->spring_q[i]] - s->rest;
    energy[2] += 0.5 * s->stiffness * stretch * stretch;
  }
  for (int i = sim->npoint; i < sim->npair; i++) {
    const run_pair *p = &sim->pair[i];
    double depth = p->pressed ? ap__run_stop_depth(p, q) : 0;
    energy[2] += 0.5 * p->stiffness * depth * depth;
  }
}

double ap__run_total(ap_sim *sim) {
  double energy[3];
  ap__run_energy(sim, energy);
  return energy[0] + energy[1] + energy[2];
}

void ap__run_weigh(ap_sim *sim) {
  double energy[3], least = sim->scene.absolute * 1e-3;
  if (sim->ode->fixed > 0) return;
  ap__run_energy(sim, energy);
  sim->energy = fmax(sim->energy, energy[0] + energy[2]);
  for (int i = sim->nq + sim->nv; i < sim->n; i++)
    sim->ode->absolute[i] = fmax(sim->scene.relative * sim->energy, least);
}
