// SPDX-License-Identifier: Apache-2.0
// A spherical parallel robot as seven free bodies: its geometry from products of rotations alone.

#include "maximal.h"

#include <math.h>
#include <string.h>

enum { PLATFORM = 6 };
static const double PI = 3.14159265358979323846;
// Where along its axis a joint sits, m. Any place does: the links turn about O.
static const double RADIUS = 0.1;

static void multiply(const double *A, const double *B, double *C) {
  double out[9];
  for (int i = 0; i < 9; i++) {
    out[i] = 0;
    for (int k = 0; k < 3; k++) out[i] += A[3 * (i / 3) + k] * B[3 * k + i % 3];
  }
  memcpy(C, out, sizeof out);
}

// R becomes R times the rotation about axis x, y or z (0, 1, 2).
static void then(double *R, int axis, double angle) {
  int a = (axis + 1) % 3, b = (axis + 2) % 3;
  double T[9] = {0};
  T[4 * axis] = 1;
  T[4 * a] = T[4 * b] = cos(angle);
  T[3 * b + a] = sin(angle);
  T[3 * a + b] = -sin(angle);
  multiply(R, T, R);
}

static void start(double *R) {
  for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
}

static void third_column(const double *R, double *z) {
  for (int i = 0; i < 3; i++) z[i] = R[3 * i + 2];
}

// Inertia about the centre of mass from that about O.
static maximal_body body_of(const ap_parallel_link *l) {
  const double *I = l->inertia, *c = l->com;
  const double O[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
  double c2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
  maximal_body b = {.mass = l->mass};
  for (int i = 0; i < 9; i++)
    b.inertia[i] = O[i] - l->mass * ((i % 4 == 0 ? c2 : 0) - c[i / 3] * c[i % 3]);
  return b;
}

static void point_on(const double *axis, const double *com, double *point) {
  for (int i = 0; i < 3; i++) point[i] = RADIUS * axis[i] - (com ? com[i] : 0);
}

static maximal_joint joint_between(int a, const double *axis_a, const double *com_a, int b,
                                   const double *axis_b, const double *com_b) {
  maximal_joint j = {.a = a, .b = b};
  memcpy(j.axis_a, axis_a, sizeof j.axis_a);
  memcpy(j.axis_b, axis_b, sizeof j.axis_b);
  point_on(axis_a, com_a, j.point_a);
  point_on(axis_b, com_b, j.point_b);
  return j;
}

void maximal_wrist(const ap_wrist_def *def, maximal_system *s) {
  const double z[3] = {0, 0, 1};
  *s = (maximal_system){.platform = PLATFORM};
  memcpy(s->gravity, def->gravity, sizeof s->gravity);
  s->body[PLATFORM] = body_of(&def->platform);
  for (int i = 0; i < 3; i++) {
    const ap_wrist_limb *l = &def->limb[i];
    int first = 2 * i, second = 2 * i + 1;
    double R[9], u[3], w1[3], v2[3], v[3];
    start(R), then(R, 2, l->lambda), then(R, 0, l->gamma - PI), third_column(R, u);
    start(R), then(R, 0, l->alpha1), third_column(R, w1);
    start(R), then(R, 0, l->alpha2), third_column(R, v2);
    start(R), then(R, 2, l->eta), then(R, 0, -l->beta), third_column(R, v);
    s->body[first] = body_of(&l->first);
    s->body[second] = body_of(&l->second);
    s->joint[i] = joint_between(-1, u, NULL, first, z, l->first.com);
    s->joint[3 + i] = joint_between(first, w1, l->first.com, second, z, l->second.com);
    s->joint[6 + i] = joint_between(second, v2, l->second.com, PLATFORM, v, def->platform.com);
  }
}

static void put(maximal_state *s, const double *R, const double *com) {
  *s = (maximal_state){0};
  memcpy(s->R, R, sizeof s->R);
  for (int i = 0; i < 3; i++)
    s->x[i] = R[3 * i] * com[0] + R[3 * i + 1] * com[1] + R[3 * i + 2] * com[2];
}

void maximal_wrist_state(const ap_wrist_def *def, const double q[3], const double theta[3],
                         const double psi[3], maximal_state *state) {
  double R[9];
  for (int i = 0; i < 3; i++) {
    const ap_wrist_limb *l = &def->limb[i];
    start(R), then(R, 2, l->lambda), then(R, 0, l->gamma - PI), then(R, 2, theta[i]);
    put(&state[2 * i], R, l->first.com);
    then(R, 0, l->alpha1), then(R, 2, psi[i]);
    put(&state[2 * i + 1], R, l->second.com);
  }
  start(R), then(R, 2, q[0]), then(R, 1, q[1]), then(R, 0, q[2]);
  put(&state[PLATFORM], R, def->platform.com);
}
