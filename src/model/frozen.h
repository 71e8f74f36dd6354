// SPDX-License-Identifier: Apache-2.0
// The frozen robot: what ap_model_init() builds and every algorithm reads.
//
// Two numberings meet here. *Links* are the user's bodies, 0 (the ground) .. nlink - 1. *Bodies*
// are what moves on its own, 0 (the ground) .. nbody - 1: a link on a fixed joint belongs to the
// body of its parent. Both have the parent's number below the child's.
//
// Coordinates also come twice. The user's q and v leave mimic followers out. The kernels see every
// joint as independent (nqi, nvi entries, "internal" coordinates); where the model has followers,
// the functions above the kernels expand q, v, a and contract tau and M.

#ifndef AP_MODEL_FROZEN_H
#define AP_MODEL_FROZEN_H

#include <appell/model.h>

// One moving body's joint.
typedef struct ap_joint {
  ap_joint_type type;   // never AP_FIXED, but for joint[0], the ground
  int link;             // the link whose joint this is
  int parent;           // body
  int q, v;             // where it starts in the user's q and v (a follower: its leader's place)
  int qi, vi;           // where it starts in the internal coordinates
  int nq, nv;           // entries there, by type
  int leader;           // body it follows, mimic chains resolved to their end; 0: none
  double ratio, offset; // q = ratio * q_leader + offset; 1 and 0 for a joint of its own
} ap_joint;

struct ap_model {
  const char *name;
  int nq, nv;   // the user's coordinates
  int nqi, nvi; // internal coordinates; equal to nq, nv where nothing follows
  int nlink;    // the user's bodies, with the ground
  int nbody;    // moving bodies, with the ground
  int nframe;   // nlink + named frames
  double gravity[3];
  bool passive;        // some joint has a spring, or some weight is compensated
  ap_body_def *link;   // [nlink], names point into the model's memory; link[0] is the ground
  ap_frame_def *frame; // [nframe - nlink]
  int *mover;          // [nlink] body that carries the link
  ap_joint *joint;     // [nbody]
  double *moment;      // [3 * nbody] principal moments of inertia, ascending; none of the ground
  struct ap_packed_body *packed_body;   // [nbody], in double; see pack.h
  struct ap_packed_frame *packed_frame; // [nframe], in double
};

static inline bool is_frame(const ap_model *m, int frame) {
  return frame >= 0 && frame < m->nframe;
}

static inline bool model_has_mimic(const ap_model *m) { return m->nvi != m->nv; }

#endif
