// SPDX-License-Identifier: Apache-2.0
// The typical motion that effects are measured on: states within the limits of the joints, spread
// evenly by a sequence that is the same every time.

#ifndef AP_LINT_MOTION_H
#define AP_LINT_MOTION_H

#include <appell/loop.h>

typedef struct lint_motion {
  int states, nq, nv; // of a mechanism, both are its independent coordinates
  int nout;           // joints whose forces are looked at: nv, or the actuated ones
  double *q, *v, *a;  // [states * nq], [states * nv]
  double *largest;    // [nout] of the forces, the file being as it is
  double *other;      // [nout] scratch
  int *body;          // [nout] the body whose joint it is
  const ap_model *model;
  ap_work *work;
  void *memory;               // of the work
  const ap_mechanism *closed; // NULL: a tree
  ap_loop *loop;
} lint_motion;

// Speeds and accelerations are at most these (rad or m), or the joint's own limit of speed.
#define LINT_SPEED        1.0
#define LINT_ACCELERATION 5.0

// False: no memory. Free it in any case.
bool ap__lint_motion_init(lint_motion *motion, const ap_model *m);
// The same around the guess of a mechanism. nout is 0 where its actuators do not determine it.
bool ap__lint_motion_init_closed(lint_motion *motion, const ap_mechanism *m);
// The forces of state k into motion->other. False: they cannot be computed there.
bool ap__lint_motion_forces(lint_motion *motion, int k);
void ap__lint_motion_free(lint_motion *motion);
// Limits of coordinate k of the configuration, finite: a turn where there is none, 0 for a slide.
void ap__lint_range(const ap_body_def *body, double *low, double *high);

#endif
