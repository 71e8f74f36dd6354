// SPDX-License-Identifier: Apache-2.0
// A mechanism and its work, for tests of closed chains.

#ifndef AP_TESTS_MECHANISM_RIG_H
#define AP_TESTS_MECHANISM_RIG_H

#include <appell/loop.h>

#include "test.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// A mechanism and its work on the heap.
typedef struct rig {
  ap_mechanism *m;
  ap_loop *l;
  void *memory[2];
} rig;

static inline rig rig_of(const ap_mechanism_def *def) {
  rig r = {NULL, NULL, {NULL, NULL}};
  ap_error error = {.text = ""};
  size_t size = ap_mechanism_size(def);
  r.memory[0] = malloc(size + 1);
  r.m = ap_mechanism_init(def, r.memory[0], size, &error);
  if (!CHECK(r.m)) {
    printf("  refused: %s\n", error.text);
    return r;
  }
  size = ap_loop_size(r.m);
  r.memory[1] = malloc(size);
  r.l = ap_loop_init(r.m, r.memory[1], size);
  CHECK(r.l);
  return r;
}

static inline rig builtin(const char *name) {
  test_context("%s", name);
  return rig_of(ap_mechanism_builtin(name));
}

static inline void drop(rig *r) {
  for (int i = 0; i < 2; i++) free(r->memory[i]);
}

// y = A x, n * n
static inline void apply(int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}

// Coordinates well inside the range of each built-in mechanism.
static inline void random_pose(rng *r, const rig *b, double *q) {
  ap_loop_errors(b->m, b->l, ap_mechanism_guess(b->m), NULL, q);
  for (int i = 0; i < ap_mechanism_n(b->m); i++) q[i] += rng_uniform(r, -0.06, 0.06);
}

#endif
