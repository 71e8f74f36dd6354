// SPDX-License-Identifier: Apache-2.0
// MuJoCo: our robot written as MJCF, and the fewest calls that give each result. No constraints.

#include "peers/mujoco.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct robot {
  mjModel *m;
  mjData *d;
  int *place;   // [nv] of a link's coordinate in MuJoCo's vectors
  double *x;    // [nv]
  double *full; // [nv * nv]
} robot;

// ---- the robot as MJCF -------------------------------------------------------------------------

// Text that grows; NULL once memory ran out.
typedef struct text {
  char *bytes;
  size_t length;
} text;

static void add(text *t, const char *format, const double *x, int n) {
  char piece[256];
  int length =
      n == 0   ? snprintf(piece, sizeof piece, "%s", format)
      : n == 1 ? snprintf(piece, sizeof piece, " %s='%.17g'", format, x[0])
      : n == 3 ? snprintf(piece, sizeof piece, " %s='%.17g %.17g %.17g'", format, x[0], x[1], x[2])
      : n == 4 ? snprintf(piece, sizeof piece, " %s='%.17g %.17g %.17g %.17g'", format, x[0], x[1],
                          x[2], x[3])
               : snprintf(piece, sizeof piece, " %s='%.17g %.17g %.17g %.17g %.17g %.17g'", format,
                          x[0], x[1], x[2], x[3], x[4], x[5]);
  char *larger = t->bytes ? realloc(t->bytes, t->length + (size_t)length + 1) : NULL;
  if (!larger) {
    free(t->bytes);
    t->bytes = NULL;
    return;
  }
  memcpy(larger + t->length, piece, (size_t)length + 1);
  t->bytes = larger;
  t->length += (size_t)length;
}

// w x y z of a rotation matrix, by its largest component (Shepperd 1978).
static void quaternion_of(const double R[9], double q[4]) {
  const double trace = R[0] + R[4] + R[8];
  const double square[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace,
                            1 + 2 * R[8] - trace};
  int most = 0;
  for (int k = 1; k < 4; k++)
    if (square[k] > square[most]) most = k;
  const double x = R[7] - R[5], y = R[2] - R[6], z = R[3] - R[1];
  const double xy = R[1] + R[3], xz = R[2] + R[6], yz = R[5] + R[7];
  const double table[4][4] = {
      {square[0], x, y, z}, {x, square[1], xy, xz}, {y, xy, square[2], yz}, {z, xz, yz, square[3]}};
  for (int k = 0; k < 4; k++) q[k] = table[most][k] / (2 * sqrt(square[most]));
}

static void add_link(text *t, const cli_link *l) {
  double quaternion[4];
  const double *I = l->inertia, full[6] = {I[0], I[3], I[5], I[1], I[2], I[4]};
  quaternion_of(l->R, quaternion);
  add(t, "<body", NULL, 0);
  add(t, "pos", l->p, 3);
  add(t, "quat", quaternion, 4);
  add(t, l->joint == CLI_SLIDES ? "><joint type='slide'" : "><joint type='hinge'", NULL, 0);
  add(t, "pos", l->point, 3);
  add(t, "axis", l->axis, 3);
  add(t, "/><inertial", NULL, 0);
  add(t, "pos", l->com, 3);
  add(t, "mass", &l->mass, 1);
  add(t, "fullinertia", full, 6);
  add(t, "/>", NULL, 0);
}

// The links that hang on a link, each with all that hangs on it. MuJoCo numbers coordinates as it
// comes to them, depth first.
static void add_tree(text *t, const cli_links *links, int parent, int *place, int *next) {
  for (int k = 0; k < links->n; k++) {
    if (links->link[k].parent != parent) continue;
    place[k] = (*next)++;
    add_link(t, &links->link[k]);
    add_tree(t, links, k + 1, place, next);
    add(t, "</body>", NULL, 0);
  }
}

mjModel *cli_mujoco_parse(const char *xml, char *error, int size) {
  static const char name[] = "robot.xml";
  mjVFS *files = malloc(sizeof *files);
  snprintf(error, (size_t)size, "there is not enough memory");
  if (!files) return NULL;
  mj_defaultVFS(files);
  mjModel *m = NULL;
  int length = (int)strlen(xml);
  if (mj_makeEmptyFileVFS(files, name, length) == 0) {
    memcpy(files->filedata[mj_findFileVFS(files, name)], xml, (size_t)length);
    m = mj_loadXML(name, files, error, size);
  }
  mj_deleteVFS(files);
  free(files);
  return m;
}

mjModel *cli_mujoco_model(const cli_links *links, int *place, char *error, int size) {
  text t = {.bytes = calloc(1, 1)};
  int next = 0;
  add(&t, "<mujoco><compiler angle='radian' coordinate='local' inertiafromgeom='false'/><option",
      NULL, 0);
  add(&t, "gravity", links->gravity, 3);
  add(&t, "><flag constraint='disable' contact='disable'/></option><worldbody>", NULL, 0);
  add_tree(&t, links, 0, place, &next);
  add(&t, "</worldbody></mujoco>", NULL, 0);
  mjModel *m = t.bytes ? cli_mujoco_parse(t.bytes, error, size) : NULL;
  free(t.bytes);
  return m;
}

// ---- results -----------------------------------------------------------------------------------

static void run_inverse(robot *r) {
  memcpy(r->d->qacc, r->x, (size_t)r->m->nv * sizeof *r->x);
  mj_kinematics(r->m, r->d);
  mj_comPos(r->m, r->d);
  mj_comVel(r->m, r->d);
  mj_rne(r->m, r->d, 1, r->d->qfrc_inverse);
}

static void run_forward(robot *r) {
  mj_kinematics(r->m, r->d);
  mj_comPos(r->m, r->d);
  mj_crb(r->m, r->d);
  mj_factorM(r->m, r->d);
  mj_comVel(r->m, r->d);
  mj_rne(r->m, r->d, 0, r->d->qfrc_bias);
  for (int k = 0; k < r->m->nv; k++) r->d->qfrc_applied[k] = r->x[k] - r->d->qfrc_bias[k];
  mj_solveM(r->m, r->d, r->d->qacc, r->d->qfrc_applied, 1);
}

// The result in our order of coordinates.
static void get_result(robot *r, ap_quantity what, double *out) {
  const int n = r->m->nv;
  if (what == AP_INERTIA) {
    mj_fullM(r->m, r->full, r->d->qM);
    for (int k = 0; k < n * n; k++) out[k] = r->full[r->place[k / n] * n + r->place[k % n]];
    return;
  }
  const double *from = what == AP_INVERSE ? r->d->qfrc_inverse : r->d->qacc;
  for (int k = 0; k < n; k++) out[k] = from[r->place[k]];
}

static void run(void *own, ap_quantity what, const double *q, const double *v, const double *x,
                double *out) {
  robot *r = own;
  for (int k = 0; k < r->m->nv; k++) {
    r->d->qpos[r->place[k]] = q[k];
    r->d->qvel[r->place[k]] = v[k];
    r->x[r->place[k]] = x[k];
  }
  if (what == AP_INVERSE) {
    run_inverse(r);
  } else if (what == AP_INERTIA) {
    mj_kinematics(r->m, r->d);
    mj_comPos(r->m, r->d);
    mj_crb(r->m, r->d);
  } else {
    run_forward(r);
  }
  if (out) get_result(r, what, out);
}

static void close_robot(void *own) {
  robot *r = own;
  if (r->d) mj_deleteData(r->d);
  if (r->m) mj_deleteModel(r->m);
  free(r->place);
  free(r->x);
  free(r->full);
  free(r);
}

cli_peer cli_peer_mujoco(const cli_links *links) {
  cli_peer peer = {.peer = {.name = "mujoco",
                            .computes = 1u << AP_INVERSE | 1u << AP_INERTIA | 1u << AP_FORWARD,
                            .run = run},
                   .close = close_robot};
  robot *r = links->n == links->nv ? calloc(1, sizeof *r) : NULL; // no free joint
  if (!r) return peer;
  const size_t n = (size_t)links->n;
  char error[500];
  r->place = calloc(n, sizeof *r->place);
  r->x = calloc(n, sizeof *r->x);
  r->full = calloc(n * n, sizeof *r->full);
  if (r->place && r->x && r->full) r->m = cli_mujoco_model(links, r->place, error, sizeof error);
  r->d = r->m && r->m->nv == links->n ? mj_makeData(r->m) : NULL;
  if (r->d)
    peer.peer.own = r;
  else
    close_robot(r);
  return peer;
}
