// SPDX-License-Identifier: Apache-2.0
#include "lint/motion.h"

#include <appell/dyn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// The i-th member of a sequence, in 0 .. 1, for dimension d: a hash of the two numbers
// (splitmix64), even enough, and no dimension is special.
static double spread(int i, int d) {
  uint64_t z = ((uint64_t)(unsigned)i << 32 | (unsigned)d) + UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

void ap__lint_range(const ap_body_def *body, double *low, double *high) {
  double without = body->joint == AP_REVOLUTE ? pi : 0;
  *low = isfinite(body->lower) ? body->lower : -without;
  *high = isfinite(body->upper) ? body->upper : without;
  if (*low == *high) *low -= without, *high += without; // a limit that nobody meant
  if (*low > *high) *low = *high = isfinite(body->lower) ? body->lower : body->upper;
  if (body->joint != AP_REVOLUTE) return;
  // more than a turn is a turn
  if (*high - *low > 2 * pi) {
    double middle = (*low + *high) / 2;
    *low = middle - pi;
    *high = middle + pi;
  }
}

static void fill_joint(lint_motion *motion, const ap_model *m, int state, int i) {
  const ap_body_def *body = ap_body(m, i);
  int q = ap_joint_q(m, i), v = ap_joint_v(m, i), nv = ap_joint_nv(m, i);
  double *to = motion->q + (size_t)state * (size_t)motion->nq;
  size_t row = (size_t)state * (size_t)motion->nv;
  if (ap_joint_nq(m, i) == 1) {
    double low, high;
    ap__lint_range(body, &low, &high);
    to[q] = low + (high - low) * spread(state, 3 * v);
  }
  double speed = LINT_SPEED;
  if (isfinite(body->velocity_limit) && body->velocity_limit > 0 && body->velocity_limit < speed)
    speed = body->velocity_limit;
  for (int k = 0; k < nv; k++) {
    motion->v[row + (size_t)(v + k)] = speed * (2 * spread(state, 3 * (v + k) + 1) - 1);
    motion->a[row + (size_t)(v + k)] = LINT_ACCELERATION * (2 * spread(state, 3 * (v + k) + 2) - 1);
    motion->body[v + k] = i;
  }
}

static bool allocate(lint_motion *motion) {
  size_t n = (size_t)motion->states, nq = (size_t)motion->nq, nv = (size_t)motion->nv,
         nout = (size_t)motion->nout;
  motion->q = calloc(n * nq + 1, sizeof(double));
  motion->v = calloc(n * nv + 1, sizeof(double));
  motion->a = calloc(n * nv + 1, sizeof(double));
  motion->largest = calloc(nout + 1, sizeof(double));
  motion->other = calloc(nout + 1, sizeof(double));
  motion->body = calloc(nout + 1, sizeof(int));
  return motion->q && motion->v && motion->a && motion->largest && motion->other && motion->body;
}

bool ap__lint_motion_forces(lint_motion *m, int k) {
  const double *q = m->q + (size_t)k * (size_t)m->nq;
  size_t row = (size_t)k * (size_t)m->nv;
  if (m->closed)
    return ap_loop_inverse_dynamics(m->closed, m->loop, q, m->v + row, m->a + row, m->other) ==
           AP_OK;
  ap_inverse_dynamics(m->model, m->work, q, m->v + row, m->a + row, m->other);
  return true;
}

static void find_largest(lint_motion *m) {
  for (int s = 0; s < m->states; s++) {
    if (!ap__lint_motion_forces(m, s)) continue;
    for (int i = 0; i < m->nout; i++) m->largest[i] = fmax(m->largest[i], fabs(m->other[i]));
  }
}

bool ap__lint_motion_init(lint_motion *motion, const ap_model *m) {
  int bodies = ap_nbody(m);
  size_t size = ap_work_size(m);
  // Many findings on a large robot take a share of the states each: seconds, not minutes.
  *motion = (lint_motion){.states = bodies <= 100       ? 64
                                    : 6400 / bodies > 4 ? 6400 / bodies
                                                        : 4,
                          .nq = ap_nq(m),
                          .nv = ap_nv(m),
                          .nout = ap_nv(m),
                          .model = m,
                          .memory = malloc(size)};
  if (!allocate(motion) || !motion->memory) return false;
  motion->work = ap_work_init(m, motion->memory, size);
  for (int s = 0; s < motion->states; s++) {
    ap_neutral(m, motion->q + (size_t)s * (size_t)motion->nq);
    for (int k = 0; k < ap_moving_bodies(m); k++) {
      int i = ap_moving_body(m, k);
      if (ap_joint_nv(m, i) > 0) fill_joint(motion, m, s, i);
    }
  }
  find_largest(motion);
  return true;
}

// Coordinates of a mechanism are swung about where its guess closes, by so much (rad or m).
#define SWING 0.05

bool ap__lint_motion_init_closed(lint_motion *motion, const ap_mechanism *m) {
  const ap_model *tree = ap_mechanism_tree(m);
  int n = ap_mechanism_n(m), nact = ap_mechanism_nact(m);
  *motion = (lint_motion){.states = 16,
                          .nq = n,
                          .nv = n,
                          .nout = nact >= n ? nact : 0,
                          .model = tree,
                          .closed = m,
                          .loop = ap_loop_make(m)};
  double *x = malloc(((size_t)ap_nq(tree) + (size_t)n) * sizeof *x), *q = x + ap_nq(tree);
  bool memory = x && motion->loop && allocate(motion);
  if (memory) {
    memcpy(x, ap_mechanism_guess(m), (size_t)ap_nq(tree) * sizeof *x);
    if (ap_loop_close(m, motion->loop, x, q, NULL) != AP_OK)
      motion->nout = 0;
    else
      ap_loop_set_guess(m, motion->loop, x);
    for (int s = 0; s < motion->states; s++)
      for (int i = 0; i < n; i++) {
        size_t at = (size_t)s * (size_t)n + (size_t)i;
        motion->q[at] = q[i] + SWING * (2 * spread(s, 3 * i) - 1);
        motion->v[at] = LINT_SPEED * (2 * spread(s, 3 * i + 1) - 1);
        motion->a[at] = LINT_ACCELERATION * (2 * spread(s, 3 * i + 2) - 1);
      }
    for (int i = 0; i < motion->nout; i++) {
      const int body = ap_mechanism_actuated(m, i);
      motion->body[i] = body > 0 ? body : 1; // a force along a coordinate: the base
    }
    motion->work = ap_loop_work(motion->loop);
    if (motion->nout > 0) find_largest(motion);
  }
  free(x);
  return memory;
}

void ap__lint_motion_free(lint_motion *motion) {
  free(motion->q);
  free(motion->v);
  free(motion->a);
  free(motion->largest);
  free(motion->other);
  free(motion->body);
  free(motion->memory);
  ap_loop_free(motion->loop);
}
