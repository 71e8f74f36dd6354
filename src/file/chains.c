// SPDX-License-Identifier: Apache-2.0
#include "file/chains.h"

#include <stdlib.h>
#include <string.h>

// ---- the tree's coordinates --------------------------------------------------------------------

int ap__coordinates_of(ap_joint_type type) {
  static const int nq[] = {[AP_FIXED] = 0,     [AP_REVOLUTE] = 1, [AP_PRISMATIC] = 1,
                           [AP_SPHERICAL] = 4, [AP_PLANAR] = 3,   [AP_FREE] = 7};
  return (int)type >= AP_FIXED && type <= AP_FREE ? nq[type] : 0;
}

int ap__robot_joint_nq(const ap_robot *robot, int body) {
  const ap_body_def *d = &robot->bodies[body - 1];
  return d->mimic == 0 ? ap__coordinates_of(d->joint) : 0;
}

int ap__robot_nq(const ap_robot *robot) {
  int sum = 0;
  for (int i = 1; i <= robot->nbody; i++) sum += ap__robot_joint_nq(robot, i);
  return sum;
}

void ap__robot_neutral(const ap_robot *robot, double *x) {
  for (int i = 1; i <= robot->nbody; i++) {
    int n = ap__robot_joint_nq(robot, i);
    for (int k = 0; k < n; k++) x[k] = k == n - 1 && n >= 4; // a quaternion's w comes last
    x += n;
  }
}

// ---- memory ------------------------------------------------------------------------------------

void ap__chains_free(ap__chains *c) {
  if (!c) return;
  free(c->closures);
  free(c->coordinates);
  free(c->actuated);
  free(c->guess);
  free(c->branches);
  free(c->configurations);
  for (int k = 0; k < AP__CHAIN_PARTS; k++) free(c->lines[k]);
  free(c);
}

static void *zeros(int count, size_t size) { return calloc((size_t)count + 1, size); }

static bool copy_definition(ap__chains *c, int nq, const ap_mechanism_def *n, bool guess) {
  const int counts[AP__CHAIN_PARTS] = {n->nclosure, n->ncoordinate, n->nactuated, n->nbranch};
  c->closures = zeros(n->nclosure, sizeof *c->closures);
  c->coordinates = zeros(n->ncoordinate, sizeof *c->coordinates);
  c->actuated = zeros(n->nactuated, sizeof *c->actuated);
  c->branches = zeros(n->nbranch, sizeof *c->branches);
  c->configurations = calloc((size_t)n->nbranch * (size_t)nq + 1, sizeof *c->configurations);
  c->guess = guess ? zeros(nq, sizeof *c->guess) : NULL;
  bool lines = true;
  for (int k = 0; k < AP__CHAIN_PARTS; k++)
    lines = (c->lines[k] = zeros(counts[k], sizeof *c->lines[k])) && lines;
  return lines && c->closures && c->coordinates && c->actuated && c->branches &&
         c->configurations && (c->guess || !guess);
}

ap__chains *ap__chains_new(ap_robot *robot, const ap_mechanism_def *counts, bool guess) {
  ap__chains *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  robot->chains = c;
  int nq = ap__robot_nq(robot);
  if (!copy_definition(c, nq, counts, guess)) return NULL;
  c->def = (ap_mechanism_def){.robot = &robot->def,
                              .closures = c->closures,
                              .nclosure = counts->nclosure,
                              .coordinates = c->coordinates,
                              .ncoordinate = counts->ncoordinate,
                              .actuated = c->actuated,
                              .nactuated = counts->nactuated,
                              .guess = c->guess,
                              .branches = c->branches,
                              .nbranch = counts->nbranch};
  for (int i = 0; i < counts->nbranch; i++)
    c->branches[i].guess = c->configurations + (size_t)i * (size_t)nq;
  return c;
}

// ---- from a definition -------------------------------------------------------------------------

// A copy of a name, NULL where there is none; false: no memory.
static bool copy_name(ap_robot *robot, const char *name, const char **kept) {
  *kept = name ? ap__robot_text(robot, name, strlen(name)) : NULL;
  return *kept || !name;
}

static bool copy(ap_robot *robot, const ap_mechanism_def *d) {
  ap__chains *c = ap__chains_new(robot, d, d->guess != NULL);
  if (!c) return false;
  size_t nq = (size_t)ap__robot_nq(robot);
  for (int i = 0; i < d->nclosure; i++) {
    c->closures[i] = d->closures[i];
    if (!copy_name(robot, d->closures[i].name, &c->closures[i].name)) return false;
  }
  for (int i = 0; i < d->ncoordinate; i++) {
    c->coordinates[i] = d->coordinates[i];
    if (!copy_name(robot, d->coordinates[i].name, &c->coordinates[i].name)) return false;
  }
  for (int i = 0; i < d->nactuated; i++) c->actuated[i] = d->actuated[i];
  if (d->guess) memcpy(c->guess, d->guess, nq * sizeof(double));
  for (int i = 0; i < d->nbranch; i++) {
    memcpy(c->configurations + (size_t)i * nq, d->branches[i].guess, nq * sizeof(double));
    if (!copy_name(robot, d->branches[i].name, &c->branches[i].name)) return false;
  }
  return !d->name || !*d->name || copy_name(robot, d->name, &robot->def.name);
}

ap_status ap_robot_from_mechanism(const ap_mechanism_def *def, ap_robot **robot, ap_error *error) {
  ap_status status = ap_robot_from_definition(def->robot, robot, error);
  if (status || copy(*robot, def)) return status;
  ap_robot_free(*robot);
  *robot = NULL;
  return ap__no_memory(error);
}

const ap_mechanism_def *ap_robot_mechanism(const ap_robot *robot) {
  return robot->chains ? &robot->chains->def : NULL;
}
