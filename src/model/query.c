// SPDX-License-Identifier: Apache-2.0
// Questions to a frozen model.

#include <assert.h>
#include <string.h>

#include "model/frozen.h"
#include "model/pack.h"

const char *ap_model_name(const ap_model *m) { return m->name; }
int ap_nq(const ap_model *m) { return m->nq; }
int ap_nv(const ap_model *m) { return m->nv; }
int ap_nbody(const ap_model *m) { return m->nlink; }
int ap_nframe(const ap_model *m) { return m->nframe; }
const double *ap_gravity(const ap_model *m) { return m->gravity; }

static bool is_link(const ap_model *m, int i) { return i >= 0 && i < m->nlink; }

const ap_body_def *ap_body(const ap_model *m, int i) { return is_link(m, i) ? &m->link[i] : NULL; }

// The joint of link i; NULL for a fixed one, the ground, and what is no link.
static const ap_joint *joint_of(const ap_model *m, int i) {
  return !is_link(m, i) || m->link[i].joint == AP_FIXED ? NULL : &m->joint[m->mover[i]];
}

int ap_joint_q(const ap_model *m, int i) {
  const ap_joint *joint = joint_of(m, i);
  return joint == NULL ? -1 : joint->q;
}

int ap_joint_v(const ap_model *m, int i) {
  const ap_joint *joint = joint_of(m, i);
  return joint == NULL ? -1 : joint->v;
}

int ap_joint_nq(const ap_model *m, int i) {
  const ap_joint *joint = joint_of(m, i);
  return joint == NULL || joint->leader != 0 ? 0 : joint->nq;
}

int ap_joint_nv(const ap_model *m, int i) {
  const ap_joint *joint = joint_of(m, i);
  return joint == NULL || joint->leader != 0 ? 0 : joint->nv;
}

int ap_body_mover(const ap_model *m, int i) {
  return is_link(m, i) ? m->joint[m->mover[i]].link : -1;
}

// x_internal = R x + p, so x = R^T (x_internal - p) and I = R^T I_internal R.
void ap_merged_inertia(const ap_model *m, int i, double *mass, double com[3], double inertia[6]) {
  assert(i >= 0 && i < m->nlink);
  const ap_packed_body *b = &m->packed_body[m->mover[i]];
  const double *R = m->packed_frame[i].R;
  const double *p = m->packed_frame[i].p;
  const double *s = b->inertia;
  double I[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
  double turned[3][3];
  *mass = b->mass;
  for (int j = 0; j < 3; j++) {
    com[j] = 0;
    for (int k = 0; k < 3; k++) com[j] += R[3 * k + j] * (b->com[k] - p[k]);
  }
  for (int j = 0; j < 3; j++) {
    for (int k = 0; k < 3; k++) {
      turned[j][k] = 0;
      for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) turned[j][k] += R[3 * r + j] * I[r][c] * R[3 * c + k];
      }
    }
  }
  inertia[0] = turned[0][0], inertia[1] = turned[0][1], inertia[2] = turned[0][2];
  inertia[3] = turned[1][1], inertia[4] = turned[1][2], inertia[5] = turned[2][2];
}

int ap_moving_bodies(const ap_model *m) { return m->nbody - 1; }

int ap_moving_body(const ap_model *m, int k) {
  return k >= 0 && k < m->nbody - 1 ? m->joint[k + 1].link : -1;
}

// ---- names ------------------------------------------------------------------------------------

// The user's own bodies come first: one of them may be called "ground".
int ap_find_body(const ap_model *m, const char *name) {
  if (name == NULL) return -1;
  for (int i = 1; i < m->nlink; i++)
    if (strcmp(m->link[i].name, name) == 0) return i;
  return strcmp(m->link[0].name, name) == 0 ? 0 : -1;
}

int ap_find_joint(const ap_model *m, const char *joint_name) {
  if (joint_name == NULL) return -1;
  for (int i = 1; i < m->nlink; i++)
    if (strcmp(m->link[i].joint_name, joint_name) == 0) return i;
  return -1;
}

int ap_find_frame(const ap_model *m, const char *name) {
  if (name == NULL) return -1;
  for (int i = 1; i < m->nframe; i++)
    if (strcmp(ap_frame_name(m, i), name) == 0) return i;
  return strcmp(m->link[0].name, name) == 0 ? 0 : -1;
}

const char *ap_frame_name(const ap_model *m, int i) {
  if (!is_frame(m, i)) return NULL;
  return i < m->nlink ? m->link[i].name : m->frame[i - m->nlink].name;
}

void ap_neutral(const ap_model *m, double *q) {
  for (int i = 0; i < m->nq; i++) q[i] = 0;
  for (int b = 1; b < m->nbody; b++) {
    const ap_joint *joint = &m->joint[b];
    // the quaternion's scalar part is the last coordinate of its joint
    if (joint->type == AP_SPHERICAL || joint->type == AP_FREE) q[joint->q + joint->nq - 1] = 1;
  }
}
