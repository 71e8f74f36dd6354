// SPDX-License-Identifier: Apache-2.0
// An independent Newton-Euler, slow and plain, in long double: what the library is compared with.
//
// It reads the definition of a robot and nothing of src/. Everything is expressed in the ground
// frame: poses by composing homogeneous transformations, velocities and accelerations of each body
// from its parent's, then for every body, about its own centre of mass (Newton, Euler)
//
//     F = m (a_c - g),      N = I dw + w x I w,
//
// summed from the leaves to the ground and projected on the joint axes. Mimic followers: the
// coordinates are expanded before, tau = G^T tau_all after.
//
// Beside each result goes its scale: the same sums with every term replaced by its magnitude. A
// calculation in another arithmetic with unit roundoff u is off by a small multiple of
// u * scale * (number of joints in sequence), however much cancels in the result.

#ifndef AP_TESTS_ORACLE_H
#define AP_TESTS_ORACLE_H

#include <appell/dyn.h>
#include <appell/model.h>

#include "test.h"

typedef long double num;

enum { ORACLE_BODIES = 48, ORACLE_V = 6 * ORACLE_BODIES };

// ---- vectors, rotations, transformations -------------------------------------------------------

typedef struct o_vec {
  num x[3];
} o_vec;
typedef struct o_mat {
  num m[3][3];
} o_mat;
typedef struct o_pose {
  o_mat R;
  o_vec p;
} o_pose;

static const o_mat o_one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static inline o_vec o_v(num x, num y, num z) { return (o_vec){{x, y, z}}; }
static inline o_vec o_load(const double x[3]) { return o_v(x[0], x[1], x[2]); }
static inline o_vec o_add(o_vec a, o_vec b) {
  return o_v(a.x[0] + b.x[0], a.x[1] + b.x[1], a.x[2] + b.x[2]);
}
static inline o_vec o_scale(num s, o_vec a) { return o_v(s * a.x[0], s * a.x[1], s * a.x[2]); }
static inline o_vec o_sub(o_vec a, o_vec b) { return o_add(a, o_scale(-1, b)); }
static inline num o_dot(o_vec a, o_vec b) {
  return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static inline num o_norm(o_vec a) { return sqrtl(o_dot(a, a)); }
static inline o_vec o_cross(o_vec a, o_vec b) {
  return o_v(a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
             a.x[0] * b.x[1] - a.x[1] * b.x[0]);
}
static inline o_vec o_apply(o_mat A, o_vec b) {
  o_vec c;
  for (int i = 0; i < 3; i++) c.x[i] = A.m[i][0] * b.x[0] + A.m[i][1] * b.x[1] + A.m[i][2] * b.x[2];
  return c;
}
static inline o_mat o_transpose(o_mat A) {
  o_mat B;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B.m[i][j] = A.m[j][i];
  return B;
}
static inline o_mat o_mul(o_mat A, o_mat B) {
  o_mat C;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
  return C;
}
static inline o_vec o_column(o_mat A, int j) { return o_v(A.m[0][j], A.m[1][j], A.m[2][j]); }
static inline o_pose o_compose(o_pose A, o_pose B) {
  return (o_pose){o_mul(A.R, B.R), o_add(A.p, o_apply(A.R, B.p))};
}

// Rodrigues: rotation about a unit axis.
static inline o_mat o_turn(o_vec z, num angle) {
  num c = cosl(angle), s = sinl(angle);
  o_mat K = {{{0, -z.x[2], z.x[1]}, {z.x[2], 0, -z.x[0]}, {-z.x[1], z.x[0], 0}}};
  o_mat KK = o_mul(K, K), R = o_one;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R.m[i][j] += s * K.m[i][j] + (1 - c) * KK.m[i][j];
  return R;
}
static inline o_mat o_rpy(const double rpy[3]) {
  o_mat X = o_turn(o_v(1, 0, 0), rpy[0]), Y = o_turn(o_v(0, 1, 0), rpy[1]);
  return o_mul(o_turn(o_v(0, 0, 1), rpy[2]), o_mul(Y, X));
}
static inline o_mat o_quaternion(const num *q) {
  num n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  o_vec z = o_v(q[0], q[1], q[2]);
  num s = o_norm(z);
  if (s == 0) return o_one;
  return n > 0 ? o_turn(o_scale(1 / s, z), 2 * atan2l(s, q[3])) : o_one;
}
static inline o_pose o_shift(o_vec p) { return (o_pose){o_one, p}; }
static inline o_pose o_rotate(int axis, num angle) {
  return (o_pose){o_turn(o_column(o_one, axis), angle), o_v(0, 0, 0)};
}

// ---- one robot ---------------------------------------------------------------------------------

// A body in motion. Quantities in the ground frame; v and a are those of the joint frame's origin
// (frame `moving`, which goes with the body), gravity not included.
typedef struct o_body {
  o_pose joint;  // where the joint sits on the parent
  o_pose moving; // joint * motion(q)
  o_pose link;   // the user's link frame
  o_vec d;       // from joint's origin to moving's
  o_vec w, dw, v, a;
  o_vec f, n;          // forces carried by the joint, n about moving's origin
  num W, DW, A, reach; // magnitudes: |w|, |dw|, |a| and distance, summed along the chain
} o_body;

typedef struct oracle {
  const ap_robot_def *def;
  int nq, nv;
  int iq[ORACLE_BODIES], iv[ORACLE_BODIES]; // of body k + 1; a follower has its leader's
  num ratio[ORACLE_BODIES], offset[ORACLE_BODIES];
  num gain; // how much mimic couplings can enlarge a force
  o_body body[ORACLE_BODIES];
  o_vec gravity;
  bool friction; // with rotors, springs and gravity compensation
  bool relaxed;  // but without springs
  num scale;     // of the forces computed last
} oracle;

static const int o_nq[] = {0, 1, 1, 4, 3, 7}, o_nv[] = {0, 1, 1, 3, 3, 6};

static inline bool o_is_dh(const ap_placement *p) {
  return p->kind == AP_DH_MODIFIED || p->kind == AP_DH_STANDARD || p->kind == AP_DH_VALERA;
}

// Body k's coordinate is ratio * (that of the returned body) + offset.
static inline int o_leader(const ap_robot_def *def, int k, num *ratio, num *offset) {
  *ratio = 1;
  *offset = 0;
  while (def->bodies[k].mimic) {
    *offset += *ratio * def->bodies[k].mimic_offset;
    *ratio *= def->bodies[k].mimic_ratio;
    k = def->bodies[k].mimic - 1;
  }
  return k;
}

static inline void oracle_init(oracle *o, const ap_robot_def *def) {
  memset(o, 0, sizeof *o);
  o->def = def;
  o->gravity = o_load(def->gravity);
  o->gain = 1;
  for (int k = 0; k < def->nbody; k++) {
    if (def->bodies[k].mimic) continue;
    o->iq[k] = o->nq;
    o->iv[k] = o->nv;
    o->nq += o_nq[def->bodies[k].joint];
    o->nv += o_nv[def->bodies[k].joint];
  }
  for (int k = 0; k < def->nbody; k++) {
    int l = o_leader(def, k, &o->ratio[k], &o->offset[k]);
    o->iq[k] = o->iq[l];
    o->iv[k] = o->iv[l];
    if (l != k) o->gain += fabsl(o->ratio[k]);
  }
}

// The joint's place on the parent link, the part of the transformation in front of the motion.
static inline o_pose o_before(const ap_placement *p) {
  o_pose X = {o_one, o_load(p->xyz)};
  switch (p->kind) {
    case AP_PLACE_RPY: X.R = o_rpy(p->rpy); return X;
    case AP_PLACE_MATRIX:
      for (int i = 0; i < 9; i++) X.R.m[i / 3][i % 3] = p->matrix[i];
      return X;
    case AP_DH_STANDARD: return o_shift(o_v(0, 0, 0));
    case AP_DH_MODIFIED:
    case AP_DH_VALERA: break;
  }
  num d = p->kind == AP_DH_VALERA ? -p->d : p->d;
  X = o_compose(o_rotate(0, p->alpha), o_shift(o_v(p->a, 0, 0)));
  return o_compose(X, o_compose(o_rotate(2, p->theta), o_shift(o_v(0, 0, d))));
}

// The part behind the motion: only standard DH has one.
static inline o_pose o_after(const ap_placement *p) {
  if (p->kind != AP_DH_STANDARD) return o_shift(o_v(0, 0, 0));
  o_pose X = o_compose(o_rotate(2, p->theta), o_shift(o_v(p->a, 0, p->d)));
  return o_compose(X, o_rotate(0, p->alpha));
}

static inline o_vec o_axis(const ap_body_def *b) {
  if (o_is_dh(&b->place)) return o_v(0, 0, 1);
  o_vec z = o_load(b->axis);
  num n = o_norm(z);
  return n > 0 ? o_scale(1 / n, z) : o_v(0, 0, 1);
}

// The smallest rotation that takes z to the unit vector u.
static inline o_mat o_tilt(o_vec u) {
  o_vec k = o_cross(o_v(0, 0, 1), u);
  num s = o_norm(k);
  return s > 0 ? o_turn(o_scale(1 / s, k), atan2l(s, u.x[2])) : o_one;
}

// What a joint does at (q, v, a), in the joint frame: the pose of the moving frame, and the
// velocity and acceleration of its origin and its rotation as seen from the joint frame.
typedef struct o_motion {
  o_pose X;
  o_vec w, dw, v, a;
} o_motion;

static inline o_motion o_joint(const ap_body_def *b, const num *q, const num *v, const num *a) {
  o_motion m = {.X = {o_one, o_v(0, 0, 0)}};
  o_vec z = o_axis(b);
  switch (b->joint) {
    case AP_FIXED: break;
    case AP_REVOLUTE:
      m.X.R = o_turn(z, q[0]);
      m.w = o_scale(v[0], z);
      m.dw = o_scale(a[0], z);
      break;
    case AP_PRISMATIC:
      m.X.p = o_scale(q[0], z);
      m.v = o_scale(v[0], z);
      m.a = o_scale(a[0], z);
      break;
    case AP_SPHERICAL:
      m.X.R = o_quaternion(q);
      m.w = o_apply(m.X.R, o_v(v[0], v[1], v[2]));
      m.dw = o_apply(m.X.R, o_v(a[0], a[1], a[2])); // w x w = 0
      break;
    case AP_PLANAR: {
      o_mat S = o_tilt(z);
      m.X.R = o_turn(z, q[2]);
      m.X.p = o_apply(S, o_v(q[0], q[1], 0));
      m.v = o_apply(S, o_v(v[0], v[1], 0));
      m.a = o_apply(S, o_v(a[0], a[1], 0));
      m.w = o_scale(v[2], z);
      m.dw = o_scale(a[2], z);
      break;
    }
    case AP_FREE: {
      o_vec w = o_v(v[3], v[4], v[5]), u = o_v(v[0], v[1], v[2]);
      m.X.R = o_quaternion(q + 3);
      m.X.p = o_v(q[0], q[1], q[2]);
      m.v = o_apply(m.X.R, u);
      m.a = o_apply(m.X.R, o_add(o_v(a[0], a[1], a[2]), o_cross(w, u)));
      m.w = o_apply(m.X.R, w);
      m.dw = o_apply(m.X.R, o_v(a[3], a[4], a[5]));
      break;
    }
  }
  return m;
}

// Body b from its parent p (p's joint frame carries w, dw, v, a) and its joint's motion m.
static inline void o_carry(const o_body *p, const ap_placement *place, o_motion m, o_body *b) {
  b->joint = o_compose(p->link, o_before(place));
  b->moving = o_compose(b->joint, m.X);
  b->link = o_compose(b->moving, o_after(place));
  o_mat R = b->joint.R;
  o_vec wr = o_apply(R, m.w), dwr = o_apply(R, m.dw), vr = o_apply(R, m.v), ar = o_apply(R, m.a);
  o_vec r = o_sub(b->moving.p, p->moving.p); // the point of the parent that is there now
  b->d = o_sub(b->moving.p, b->joint.p);
  b->w = o_add(p->w, wr);
  b->dw = o_add(p->dw, o_add(dwr, o_cross(p->w, wr)));
  b->v = o_add(p->v, o_add(o_cross(p->w, r), vr));
  b->a = o_add(p->a, o_add(o_cross(p->dw, r), o_cross(p->w, o_cross(p->w, r))));
  b->a = o_add(b->a, o_add(o_scale(2, o_cross(p->w, vr)), ar));
  // The same with magnitudes; distances in pieces, as another formulation may add them up.
  num length = o_norm(o_sub(b->joint.p, p->moving.p)) + o_norm(b->d);
  b->reach = p->reach + length;
  b->W = p->W + o_norm(wr);
  b->DW = p->DW + o_norm(dwr) + p->W * o_norm(wr);
  b->A = p->A + (p->DW + p->W * p->W) * length + 2 * p->W * o_norm(vr) + o_norm(ar);
}

// Kinematics of every body. Any of v, a may be NULL: zero.
static inline void oracle_move(oracle *o, const double *q, const double *v, const double *a) {
  static const o_body ground = {.link = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {{0, 0, 0}}},
                                .moving = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {{0, 0, 0}}}};
  for (int k = 0; k < o->def->nbody; k++) {
    const ap_body_def *b = &o->def->bodies[k];
    num lq[7] = {0}, lv[6] = {0}, la[6] = {0};
    for (int i = 0; i < o_nq[b->joint]; i++)
      lq[i] = o->ratio[k] * (num)q[o->iq[k] + i] + o->offset[k];
    for (int i = 0; v && i < o_nv[b->joint]; i++) lv[i] = o->ratio[k] * (num)v[o->iv[k] + i];
    for (int i = 0; a && i < o_nv[b->joint]; i++) la[i] = o->ratio[k] * (num)a[o->iv[k] + i];
    const o_body *p = b->parent ? &o->body[b->parent - 1] : &ground;
    o_carry(p, &b->place, o_joint(b, lq, lv, la), &o->body[k]);
  }
}

// Inertia about the centre of mass, ground axes.
static inline o_mat o_inertia(const ap_body_def *b, o_mat link) {
  const double *I = b->inertia;
  o_mat J = {{{I[0], I[1], I[2]}, {I[1], I[3], I[4]}, {I[2], I[4], I[5]}}};
  o_mat E = o_mul(link, o_rpy(b->inertia_rpy));
  return o_mul(E, o_mul(J, o_transpose(E)));
}

static inline num o_mat_norm(o_mat A) {
  num s = 0;
  for (int i = 0; i < 9; i++) s += A.m[i / 3][i % 3] * A.m[i / 3][i % 3];
  return sqrtl(s);
}

// Newton and Euler for body k alone; adds to the scale.
static inline void o_newton_euler(oracle *o, int k) {
  const ap_body_def *b = &o->def->bodies[k];
  o_body *B = &o->body[k];
  o_vec c = o_add(B->link.p, o_apply(B->link.R, o_load(b->com)));
  o_vec r = o_sub(c, B->moving.p);
  o_vec ac = o_add(B->a, o_add(o_cross(B->dw, r), o_cross(B->w, o_cross(B->w, r))));
  o_mat I = o_inertia(b, B->link.R);
  num weight = o->friction ? 1 - (num)b->gravity_compensation : 1; // what is left of it
  B->f = o_scale(b->mass, o_sub(ac, o_scale(weight, o->gravity)));
  o_vec N = o_add(o_apply(I, B->dw), o_cross(B->w, o_apply(I, B->w)));
  B->n = o_add(N, o_cross(r, B->f));
  num R = o_norm(o_sub(B->link.p, B->moving.p)) + o_norm(o_load(b->com));
  num pull = (1 + fabsl(1 - weight)) * o_norm(o->gravity);
  num F = b->mass * (B->A + (B->DW + B->W * B->W) * R + pull);
  o->scale += F * (1 + B->reach + R) + o_mat_norm(I) * (B->DW + B->W * B->W);
}

// Pose of a frame, and the body that carries it (-1: the ground).
static inline o_pose oracle_frame(const oracle *o, int frame, int *body) {
  const ap_robot_def *def = o->def;
  o_pose X = {o_one, o_v(0, 0, 0)};
  *body = frame - 1;
  if (frame > def->nbody) {
    const ap_frame_def *f = &def->frames[frame - def->nbody - 1];
    *body = f->body - 1;
    X = (o_pose){o_rpy(f->rpy), o_load(f->xyz)};
  }
  return *body < 0 ? X : o_compose(o->body[*body].link, X);
}

// Take an external wrench off the force that the joint has to carry.
static inline void o_external(oracle *o, const ap_wrench *wrench) {
  int k;
  o_pose X = oracle_frame(o, wrench->frame, &k);
  if (k < 0) return;
  o_vec f = o_load(wrench->force), n = o_load(wrench->moment), at = X.p;
  if (wrench->reference == AP_LOCAL) {
    f = o_apply(X.R, f);
    n = o_apply(X.R, n);
  }
  if (wrench->reference == AP_WORLD) at = o_v(0, 0, 0);
  o_body *B = &o->body[k];
  n = o_add(n, o_cross(o_sub(at, B->moving.p), f));
  B->f = o_sub(B->f, f);
  B->n = o_sub(B->n, n);
  num R = o_norm(at) + o_norm(X.p) + B->reach;
  o->scale += o_norm(f) * (1 + R) + o_norm(o_load(wrench->moment));
}

// Friction and rotor of a joint of one degree of freedom.
static inline num o_drive(const oracle *o, int k, const double *v, const double *a) {
  const ap_body_def *b = &o->def->bodies[k];
  if (!o->friction || o_nv[b->joint] != 1) return 0;
  num rate = v ? o->ratio[k] * (num)v[o->iv[k]] : 0, sign = (rate > 0) - (rate < 0);
  num rise = a ? o->ratio[k] * (num)a[o->iv[k]] : 0;
  num gear = b->gear_ratio;
  return b->viscous * rate + b->coulomb * sign + gear * gear * b->rotor_inertia * rise;
}

// The rotation vector of a matrix: its axis and angle from the antisymmetric part and the trace.
static inline o_vec o_rotation_vector(o_mat R) {
  o_vec u =
      o_v((R.m[2][1] - R.m[1][2]) / 2, (R.m[0][2] - R.m[2][0]) / 2, (R.m[1][0] - R.m[0][1]) / 2);
  num s = o_norm(u), c = (R.m[0][0] + R.m[1][1] + R.m[2][2] - 1) / 2;
  return s > 0 ? o_scale(atan2l(s, c) / s, u) : u;
}

// How far the spring of body k's joint is stretched along each of its degrees of freedom, x [6];
// the magnitude of what enters it.
static inline num o_stretch(const oracle *o, int k, const double *q, num *x) {
  const ap_body_def *b = &o->def->bodies[k];
  num at[AP_JOINT_NQ] = {0}, rest[AP_JOINT_NQ] = {0}, size = 4;
  bool turns = b->joint == AP_SPHERICAL || b->joint == AP_FREE;
  for (int i = 0; i < o_nq[b->joint]; i++) {
    at[i] = o->ratio[k] * (num)q[o->iq[k] + i] + o->offset[k];
    rest[i] = b->rest[i], size += fabsl(at[i]) + fabsl(rest[i]);
    x[i < 6 ? i : 0] = turns ? 0 : at[i] - rest[i];
  }
  if (!turns) return size;
  int turn = b->joint == AP_FREE ? 3 : 0;
  o_mat R = o_quaternion(at + turn);
  o_vec angle = o_rotation_vector(o_mul(o_transpose(o_quaternion(rest + turn)), R));
  o_vec way = o_apply(o_transpose(R), o_v(at[0] - rest[0], at[1] - rest[1], at[2] - rest[2]));
  for (int i = 0; i < 3; i++) x[turn + i] = angle.x[i];
  for (int i = 0; turn && i < 3; i++) x[i] = way.x[i];
  return size;
}

static inline bool o_has_spring(const oracle *o, int k) {
  return o->friction && !o->relaxed && o->def->bodies[k].stiffness != 0;
}

// Joint forces of body k's own joint, nv entries, from what the joint carries.
static inline void o_project(const ap_body_def *b, const o_body *B, num *t) {
  o_vec z = o_apply(B->joint.R, o_axis(b));
  o_mat R = o_transpose(B->moving.R);
  o_vec f = o_apply(R, B->f), n = o_apply(R, B->n);
  switch (b->joint) {
    case AP_FIXED: break;
    case AP_REVOLUTE: t[0] = o_dot(z, B->n); break;
    case AP_PRISMATIC: t[0] = o_dot(z, B->f); break;
    case AP_SPHERICAL:
      for (int i = 0; i < 3; i++) t[i] = n.x[i];
      break;
    case AP_PLANAR: {
      o_mat S = o_mul(B->joint.R, o_tilt(o_axis(b)));
      t[0] = o_dot(o_column(S, 0), B->f);
      t[1] = o_dot(o_column(S, 1), B->f);
      t[2] = o_dot(z, B->n);
      break;
    }
    case AP_FREE:
      for (int i = 0; i < 3; i++) {
        t[i] = f.x[i];
        t[3 + i] = n.x[i];
      }
      break;
  }
}

// tau = M a + h - sum J^T f. Any of v, a may be NULL: zero. tau has nv entries.
static inline void oracle_inverse(oracle *o, const double *q, const double *v, const double *a,
                                  const ap_wrench *wrenches, int n, double *tau) {
  num sum[ORACLE_V] = {0}, drives = 0;
  o->scale = 0;
  oracle_move(o, q, v, a);
  for (int k = 0; k < o->def->nbody; k++) o_newton_euler(o, k);
  for (int k = 0; k < n; k++) o_external(o, &wrenches[k]);
  for (int k = o->def->nbody - 1; k >= 0; k--) {
    const ap_body_def *b = &o->def->bodies[k];
    o_body *B = &o->body[k];
    num t[6] = {0};
    o_project(b, B, t);
    num drive = o_drive(o, k, v, a);
    t[0] += drive;
    drives += fabsl(drive);
    num x[6] = {0};
    if (o_has_spring(o, k)) drives += b->stiffness * o_stretch(o, k, q, x);
    for (int i = 0; i < 6; i++) t[i] += b->stiffness * x[i];
    for (int i = 0; i < o_nv[b->joint]; i++) sum[o->iv[k] + i] += o->ratio[k] * t[i];
    if (!b->parent) continue;
    o_body *P = &o->body[b->parent - 1];
    P->f = o_add(P->f, B->f);
    P->n = o_add(P->n, o_add(B->n, o_cross(o_sub(B->moving.p, P->moving.p), B->f)));
  }
  o->scale = (o->scale + drives) * o->gain;
  for (int i = 0; i < o->nv; i++) tau[i] = (double)sum[i];
}

// M column by column: the forces at unit accelerations, at rest and without gravity.
static inline void oracle_inertia(oracle *o, const double *q, double *M) {
  o_vec gravity = o->gravity;
  num largest = 0;
  double a[ORACLE_V] = {0}, column[ORACLE_V];
  o->gravity = o_v(0, 0, 0), o->relaxed = true;
  for (int j = 0; j < o->nv; j++) {
    a[j] = 1;
    oracle_inverse(o, q, NULL, a, NULL, 0, column);
    a[j] = 0;
    for (int i = 0; i < o->nv; i++) M[i * o->nv + j] = column[i];
    largest = fmaxl(largest, o->scale);
  }
  o->scale = largest;
  o->gravity = gravity, o->relaxed = false;
}

// Whether some joint between body k and the ground is not fixed.
static inline bool o_moves(const ap_robot_def *def, int k) {
  while (def->bodies[k].joint == AP_FIXED && def->bodies[k].parent) k = def->bodies[k].parent - 1;
  return def->bodies[k].joint != AP_FIXED;
}

// Kinetic and potential energy, of the bodies that move and with friction on of rotors and springs.
static inline void oracle_energy(oracle *o, const double *q, const double *v, double *kinetic,
                                 double *potential) {
  num T = 0, V = 0;
  oracle_move(o, q, v, NULL);
  o->scale = 0;
  for (int k = 0; k < o->def->nbody; k++) {
    const ap_body_def *b = &o->def->bodies[k];
    o_body *B = &o->body[k];
    if (!o_moves(o->def, k)) continue;
    o_vec c = o_add(B->link.p, o_apply(B->link.R, o_load(b->com)));
    o_vec vc = o_add(B->v, o_cross(B->w, o_sub(c, B->moving.p)));
    o_mat I = o_inertia(b, B->link.R);
    T += (b->mass * o_dot(vc, vc) + o_dot(B->w, o_apply(I, B->w))) / 2;
    V -= b->mass * o_dot(o->gravity, c);
    num R = B->reach + o_norm(o_load(b->com)) + o_norm(o_sub(B->link.p, B->moving.p));
    num speed = B->W * R + o_norm(B->v);
    o->scale += b->mass * (speed * speed + o_norm(o->gravity) * R) + o_mat_norm(I) * B->W * B->W;
    num x[6] = {0};
    if (o_has_spring(o, k)) o->scale += b->stiffness * powl(o_stretch(o, k, q, x), 2);
    for (int i = 0; i < 6; i++) V += b->stiffness * x[i] * x[i] / 2;
    if (!o->friction || o_nv[b->joint] != 1 || !v) continue;
    num rate = o->ratio[k] * (num)v[o->iv[k]] * b->gear_ratio;
    T += b->rotor_inertia * rate * rate / 2;
    o->scale += b->rotor_inertia * rate * rate;
  }
  *kinetic = (double)T;
  *potential = (double)V;
}

// Number of joints from the ground to the farthest body.
static inline int oracle_depth(const ap_robot_def *def) {
  int depth[ORACLE_BODIES + 1] = {0}, deepest = 0;
  for (int k = 0; k < def->nbody; k++) {
    depth[k + 1] = depth[def->bodies[k].parent] + 1;
    if (depth[k + 1] > deepest) deepest = depth[k + 1];
  }
  return deepest;
}

// Bound on the rounding error of a force in an arithmetic with machine epsilon eps (twice the unit
// roundoff u). Per joint and direction of a recursion a vector suffers: the rounded angle
// (theta0 + q and its cosine and sine, 7 u), a rotation (two planar rotations of 3 u each), the
// transport to the next origin (a cross product and additions, 5 u), and a packed geometry that is
// itself rounded (10 u): 28 u, two directions 56 u, that is 28 eps, per joint; two joints' worth
// more for the sums at one body. Each relative to the sum of magnitudes, which is the scale.
static inline double oracle_bound(const oracle *o, double eps) {
  return 28 * (oracle_depth(o->def) + 2) * eps * (double)o->scale;
}

// ---- dense matrices ----------------------------------------------------------------------------

// Inverse of a symmetric positive definite matrix; false if it is not one.
static inline bool dense_inverse(const double *M, int n, double *inverse) {
  num *L = calloc((size_t)(n * n) + 1, sizeof *L);
  bool good = true;
  for (int j = 0; j < n && good; j++) {
    for (int i = j; i < n; i++) {
      num s = M[i * n + j];
      for (int k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
      if (i == j && !(s > 0)) good = false;
      L[i * n + j] = i == j ? sqrtl(s) : s / L[j * n + j];
    }
  }
  for (int c = 0; c < n && good; c++) {
    num x[ORACLE_V] = {0};
    for (int i = c; i < n; i++) {
      num s = i == c;
      for (int k = c; k < i; k++) s -= L[i * n + k] * x[k];
      x[i] = s / L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
      num s = x[i];
      for (int k = i + 1; k < n; k++) s -= L[k * n + i] * x[k];
      x[i] = s / L[i * n + i];
    }
    for (int i = 0; i < n; i++) inverse[i * n + c] = (double)x[i];
  }
  free(L);
  return good;
}

// Largest row sum of magnitudes.
static inline double dense_norm(const double *M, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) row += fabs(M[i * n + j]);
    largest = fmax(largest, row);
  }
  return largest;
}

// y = A x, A with rows * columns entries.
static inline void dense_apply(const double *A, const double *x, int rows, int columns, double *y) {
  for (int i = 0; i < rows; i++) {
    num s = 0;
    for (int j = 0; j < columns; j++) s += (num)A[i * columns + j] * x[j];
    y[i] = (double)s;
  }
}

#endif
