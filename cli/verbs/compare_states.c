// SPDX-License-Identifier: Apache-2.0
// Two programs on one robot in the same random states, term by term.

#include <appell/dyn.h>
#include <appell/kin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

// A number in [-1, 1): Knuth's MMIX generator, its high bits.
static double random_number(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

// Within the limits of a joint, or a turn wide.
static void random_joint(const ap_model *m, int body, uint64_t *seed, double *q) {
  const ap_body_def *d = ap_body(m, body);
  const int n = ap_joint_nq(m, body);
  const bool limited = n == 1 && isfinite(d->lower) && isfinite(d->upper) && d->lower < d->upper;
  double length = 0;
  for (int k = 0; k < n; k++) {
    q[k] = (n == 1 ? 3 : 1) * random_number(seed);
    if (limited) q[k] = d->lower + (d->upper - d->lower) * (q[k] / 6 + 0.5);
    if (n >= 4 && k >= n - 4) length += q[k] * q[k];
  }
  for (int k = n - 4; n >= 4 && k < n; k++) q[k] /= sqrt(length);
}

bool cli_differs(const cli_dispute *d, cli_gap gap) {
  return !(gap.difference <= d->tolerance * gap.scale);
}

// Both programs on one state, the difference into a gap for each degree of freedom.
static void compare_forces(cli_dispute *d, cli_term term, const double *ours,
                           const double *theirs) {
  const int nv = ap_nv(d->model->model);
  for (int k = 0; k < nv; k++) {
    cli_gap *g = &d->gap[k * CLI_TERMS + (int)term];
    g->value = fmax(g->value, fmax(fabs(ours[k]), fabs(theirs[k])));
    g->difference = fmax(g->difference, fabs(ours[k] - theirs[k]));
    if (isnan(theirs[k])) g->difference = INFINITY;
  }
}

static void both(const cli_dispute *d, const double *q, const double *v, const double *a,
                 double *ours, double *theirs) {
  ap_inverse_dynamics(d->model->model, d->work, q, v, a, ours);
  d->other->inverse(d->other->own, q, v, a, theirs);
}

// Gravity, what velocities add to it, and the columns of M, which inverse dynamics has too.
static void compare_terms(cli_dispute *d, const double *q, const double *v, double *x) {
  const int nv = ap_nv(d->model->model);
  double *zero = x, *unit = x + nv, *g = x + 2 * nv, *tau = x + 4 * nv; // ours, then theirs
  memset(x, 0, 2 * (size_t)nv * sizeof *x);
  both(d, q, zero, zero, g, g + nv);
  compare_forces(d, CLI_TERM_GRAVITY, g, g + nv);
  both(d, q, v, zero, tau, tau + nv);
  for (int k = 0; k < 2 * nv; k++) tau[k] -= g[k];
  compare_forces(d, CLI_TERM_CORIOLIS, tau, tau + nv);
  for (int j = 0; j < nv; j++) {
    unit[j] = 1;
    both(d, q, zero, unit, tau, tau + nv);
    for (int k = 0; k < 2 * nv; k++) tau[k] -= g[k];
    compare_forces(d, CLI_TERM_INERTIA, tau, tau + nv);
    unit[j] = 0;
  }
}

static void compare_frames(cli_dispute *d, const double *q, double *tau) {
  const ap_model *m = d->model->model;
  double R[2][9], p[2][3];
  const double *zero = tau + ap_nv(m); // the caller's
  d->other->inverse(d->other->own, q, zero, zero, tau);
  ap_kinematics(m, d->work, q, NULL, NULL);
  for (int i = 1; i < ap_nbody(m); i++) {
    d->frame[i] = -1;
    if (!d->other->pose(d->other->own, i, R[1], p[1])) continue;
    ap_frame_pose(m, d->work, i, R[0], p[0]);
    double turn = 0, distance = 0;
    for (int k = 0; k < 9; k++) turn = fmax(turn, fabs(R[0][k] - R[1][k]));
    for (int k = 0; k < 3; k++) distance = fmax(distance, fabs(p[0][k] - p[1][k]));
    d->turn[i] = fmax(d->turn[i], turn);
    d->frame[i] = distance;
  }
}

static double worst(const cli_dispute *d) {
  double most = 0;
  for (int k = 0; k < ap_nv(d->model->model) * CLI_TERMS; k++)
    if (d->gap[k].difference > 0) most = fmax(most, d->gap[k].difference / d->gap[k].scale);
  return most;
}

static void compare_states(cli_dispute *d, bool frames) {
  const ap_model *m = d->model->model;
  const int nq = ap_nq(m), nv = ap_nv(m);
  double *q = d->memory, *v = q + nq, *x = v + nv, *farthest = x + 6 * nv;
  uint64_t seed = d->seed;
  memset(d->gap, 0, (size_t)nv * CLI_TERMS * sizeof *d->gap);
  for (int s = 0; s < d->states; s++) {
    for (int k = 0; k < ap_moving_bodies(m); k++) {
      const int body = ap_moving_body(m, k);
      random_joint(m, body, &seed, q + ap_joint_q(m, body));
    }
    for (int k = 0; k < nv; k++) v[k] = 2 * random_number(&seed);
    compare_terms(d, q, v, x);
    if (!frames) continue;
    memset(x, 0, 2 * (size_t)nv * sizeof *x);
    compare_frames(d, q, x);
    for (int i = 1; i < ap_nbody(m); i++) farthest[i] = fmax(farthest[i], d->frame[i]);
  }
  for (int k = 0; k < nv * CLI_TERMS; k++) {
    const cli_gap *joint = &d->gap[k - k % CLI_TERMS];
    for (int t = 0; t < CLI_TERMS; t++) d->gap[k].scale = fmax(d->gap[k].scale, joint[t].value);
  }
  if (frames) memcpy(d->frame, farthest, (size_t)ap_nbody(m) * sizeof *d->frame);
}

bool cli_dispute_compare(cli_dispute *d) {
  const ap_model *m = d->model->model;
  const size_t nv = (size_t)ap_nv(m), bodies = (size_t)ap_nbody(m), size = ap_work_size(m);
  d->gap = calloc(nv * CLI_TERMS + 1, sizeof *d->gap);
  d->frame = calloc(bodies, sizeof *d->frame);
  d->turn = calloc(bodies, sizeof *d->turn);
  d->body = calloc(bodies, sizeof *d->body);
  d->memory = calloc((size_t)ap_nq(m) + 8 * nv + bodies + 1, sizeof *d->memory);
  d->work_memory = malloc(size);
  if (!d->gap || !d->frame || !d->turn || !d->body || !d->memory || !d->work_memory) return false;
  d->work = ap_work_init(m, d->work_memory, size);
  for (size_t i = 0; i < bodies; i++) d->memory[(size_t)ap_nq(m) + 7 * nv + i] = -1;
  compare_states(d, true);
  d->before = worst(d);
  for (int k = 0; k < ap_moving_bodies(m); k++) {
    const int body = ap_moving_body(m, k);
    double com[3], inertia[6], mass;
    d->other->body(d->other->own, body, &d->body[body]);
    ap_merged_inertia(m, body, &mass, com, inertia);
    d->mass[0] += mass;
    d->mass[1] += d->body[body].mass;
  }
  return true;
}

double cli_dispute_again(cli_dispute *d) {
  const ap_model *m = d->model->model;
  cli_gap *found = d->gap;
  const size_t n = (size_t)ap_nv(m) * CLI_TERMS + 1;
  d->gap = calloc(n, sizeof *d->gap);
  double left = NAN;
  if (d->gap) {
    for (int i = 1; i < ap_nbody(m); i++) {
      const cli_other_body *b = &d->body[i];
      const int mover = ap_body_mover(m, i);
      if (mover == i) (void)ap_set_inertia(m, d->work, i, b->mass, b->com, b->inertia);
      if (mover > 0 && mover != i) (void)ap_set_inertia(m, d->work, i, 0, NULL, NULL);
    }
    ap_set_gravity(m, d->work, d->other->gravity);
    compare_states(d, false);
    left = worst(d);
  }
  free(d->gap);
  d->gap = found;
  return left;
}

void cli_dispute_free(cli_dispute *d) {
  free(d->gap);
  free(d->frame);
  free(d->turn);
  free(d->body);
  free(d->memory);
  free(d->work_memory);
}
