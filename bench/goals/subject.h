// SPDX-License-Identifier: Apache-2.0
// A robot in one build of Appell, for a program that measures several builds at once.

#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

// What is computed: inverse dynamics, inertia matrix, forward dynamics, the derivatives of inverse
// and of forward dynamics (all three matrices), poses and Jacobians of the end effectors.
enum { ID, M, FD, DID, DFD, KINEMATICS, QUANTITIES };

typedef struct subject {
  // A built-in robot or a file of one. Ends the program where there is none.
  void *(*open)(const char *robot, bool floating);
  void (*sizes)(const void *own, int *nq, int *nv, int *ends);
  // A state, and the forces that belong to it.
  void (*draw)(void *own, double *q, double *v, double *a, double *tau);
  // Of one state; x is a, or tau for forward dynamics. Kinematics gives of every end in turn R (9),
  // p (3) and the Jacobian in the world's axes (6 * nv).
  void (*one)(void *own, int what, const double *q, const double *v, const double *x, double *out);
  // Of n states in columns by the library's lanes; not for kinematics.
  void (*many)(void *own, int what, size_t n, const double *q, const double *v, const double *x,
               double *out);
} subject;

#endif
