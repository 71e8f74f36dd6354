// SPDX-License-Identifier: Apache-2.0
// MuJoCo on a robot file that it reads itself, URDF or MJCF; on our links where there is none.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/mujoco.h"
#include "peers/referee.h"

typedef struct robot {
  const ap_model *ours;
  mjModel *m;
  mjData *d;
  int *joint; // [nbody of ours] number of the joint there; -1: none
  bool named; // bodies have our names
  double *x;  // [nv]
} robot;

// ---- reading -----------------------------------------------------------------------------------

static char *text_of(const char *path) {
  enum { MOST = 64 << 20 };
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long n = ftell(file);
    rewind(file);
    text = n >= 0 && n <= MOST ? malloc((size_t)n + 1) : NULL;
    if (text) text[fread(text, 1, (size_t)n, file)] = 0;
  }
  fclose(file);
  return text;
}

// Cut every <NAME ...>...</NAME> out of a text.
static void cut(char *text, const char *name) {
  char open[32], close[32];
  snprintf(open, sizeof open, "<%s", name);
  snprintf(close, sizeof close, "</%s>", name);
  for (char *from = strstr(text, open); from; from = strstr(from, open)) {
    const char *next = from + strlen(open), *end = strstr(from, close);
    if (!strchr(" \t\r\n>", *next) || !end) {
      from++;
      continue;
    }
    end += strlen(close);
    memmove(from, end, strlen(end) + 1);
  }
}

// One line of what MuJoCo says.
static void explain(const char *said, char *why, size_t size) {
  snprintf(why, size, "MuJoCo %s does not read this file (newer versions may): %s",
           mj_versionString(), said);
  for (char *c = why; *c; c++)
    if (*c == '\n' || *c == '\r') *c = c[1] ? ' ' : 0;
}

// A copy of a URDF text that MuJoCo reads with inertias changed until it takes them.
static char *balanced(const char *text) {
  static const char element[] = "<mujoco><compiler balanceinertia='true'/></mujoco>";
  const char *root = strstr(text, "<robot"), *end = root ? strchr(root, '>') : NULL;
  char *out = end ? malloc(strlen(text) + sizeof element) : NULL;
  if (!out) return NULL;
  const size_t n = (size_t)(end - text) + 1;
  memcpy(out, text, n);
  memcpy(out + n, element, sizeof element - 1);
  memcpy(out + n + sizeof element - 1, text + n, strlen(text + n) + 1);
  return out;
}

// MuJoCo wants every mesh of a file, and every inertia to be one of a body. Where it does not take
// a URDF file: once more without shapes, which it does not need for links with an inertia, and then
// with leave to change inertias, which will be among the differences.
static mjModel *read_file(const char *file, cli_referee *referee, char *why, size_t size) {
  char said[500] = "";
  mjModel *m = mj_loadXML(file, NULL, said, sizeof said);
  char *text = m ? NULL : text_of(file), *copy = NULL;
  const char *note = "";
  if (text && strstr(text, "<robot")) {
    cut(text, "visual");
    cut(text, "collision");
    m = cli_mujoco_parse(text, said, sizeof said);
    note = "without shapes";
    if (!m && (copy = balanced(text))) {
      m = cli_mujoco_parse(copy, said, sizeof said);
      note = "without shapes and with balanceinertia";
    }
  }
  snprintf(referee->note, sizeof referee->note, "%s", note);
  free(text);
  free(copy);
  if (!m) explain(said, why, size);
  return m;
}

// ---- states ------------------------------------------------------------------------------------

static void rotate(const mjtNum q[4], bool back, const double x[3], double out[3]) {
  mjtNum turn[4] = {q[0], back ? -q[1] : q[1], back ? -q[2] : q[2], back ? -q[3] : q[3]};
  mju_rotVecQuat(out, x, turn);
}

// A free joint is linear in the world's axes there, in the body's here; quaternions have w first.
static void set_free(robot *r, int j, const double *q, const double *v, const double *a) {
  mjtNum *qpos = r->d->qpos + r->m->jnt_qposadr[j], *qvel = r->d->qvel + r->m->jnt_dofadr[j];
  double *qacc = r->d->qacc + r->m->jnt_dofadr[j], linear[3];
  memcpy(qpos, q, 3 * sizeof *q);
  qpos[3] = q[6];
  memcpy(qpos + 4, q + 3, 3 * sizeof *q);
  mju_cross(linear, v + 3, v);
  mju_addTo3(linear, a);
  rotate(qpos + 3, false, v, qvel);
  rotate(qpos + 3, false, linear, qacc);
  memcpy(qvel + 3, v + 3, 3 * sizeof *v);
  memcpy(qacc + 3, a + 3, 3 * sizeof *a);
}

static void set_joint(robot *r, int body, const double *q, const double *v, const double *a) {
  const int j = r->joint[body], n = ap_joint_nv(r->ours, body);
  mjtNum *qpos = r->d->qpos + r->m->jnt_qposadr[j];
  q += ap_joint_q(r->ours, body), v += ap_joint_v(r->ours, body), a += ap_joint_v(r->ours, body);
  if (n == 6) {
    set_free(r, j, q, v, a);
    return;
  }
  qpos[0] = q[n == 3 ? 3 : 0];
  if (n == 3) memcpy(qpos + 1, q, 3 * sizeof *q);
  memcpy(r->d->qvel + r->m->jnt_dofadr[j], v, (size_t)n * sizeof *v);
  memcpy(r->d->qacc + r->m->jnt_dofadr[j], a, (size_t)n * sizeof *a);
}

static void inverse(void *own, const double *q, const double *v, const double *a, double *tau) {
  robot *r = own;
  const int n = ap_moving_bodies(r->ours);
  for (int k = 0; k < n; k++) set_joint(r, ap_moving_body(r->ours, k), q, v, a);
  mj_kinematics(r->m, r->d);
  mj_comPos(r->m, r->d);
  mj_comVel(r->m, r->d);
  mj_rne(r->m, r->d, 1, r->x);
  for (int k = 0; k < n; k++) {
    const int body = ap_moving_body(r->ours, k), j = r->joint[body],
              nv = ap_joint_nv(r->ours, body);
    const double *from = r->x + r->m->jnt_dofadr[j];
    double *to = tau + ap_joint_v(r->ours, body);
    memcpy(to, from, (size_t)nv * sizeof *to);
    if (nv == 6) rotate(r->d->qpos + r->m->jnt_qposadr[j] + 3, true, from, to);
  }
}

// ---- what it has -------------------------------------------------------------------------------

static bool pose(void *own, int body, double R[9], double p[3]) {
  const robot *r = own;
  int id = r->joint[body] >= 0 ? r->m->jnt_bodyid[r->joint[body]] : -1;
  if (r->named) id = mj_name2id(r->m, mjOBJ_BODY, ap_body(r->ours, body)->name);
  if (id < 0) return false; // a frame that is only here, as that of a joint with a pos of its own
  memcpy(R, r->d->xmat + 9 * (size_t)id, 9 * sizeof *R);
  memcpy(p, r->d->xpos + 3 * (size_t)id, 3 * sizeof *p);
  return true;
}

// Add the inertia of body b about a point, in the world's axes: xx xy xz yy yz zz.
static void add_inertia(const robot *r, int b, const double point[3], double I[6]) {
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *A = r->d->ximat + 9 * (size_t)b, *moment = r->m->body_inertia + 3 * (size_t)b;
  double x[3];
  mju_sub3(x, r->d->xipos + 3 * (size_t)b, point);
  for (int k = 0; k < 6; k++) {
    const int i = row[k], j = column[k];
    for (int n = 0; n < 3; n++) I[k] += A[3 * i + n] * moment[n] * A[3 * j + n];
    I[k] += r->m->body_mass[b] * ((i == j ? mju_dot3(x, x) : 0) - x[i] * x[j]);
  }
}

// Mass, centre of mass and inertia of what the joint's body carries, in the frame that it has here:
// at the joint's anchor where that is a frame of its own.
static void describe_inertia(const robot *r, int body, int j, cli_other_body *out) {
  const int id = r->m->jnt_bodyid[j];
  const bool same = !r->named || mj_name2id(r->m, mjOBJ_BODY, ap_body(r->ours, body)->name) == id;
  const mjtNum *origin = same ? r->d->xpos + 3 * (size_t)id : r->d->xanchor + 3 * (size_t)j;
  double center[3] = {0}, I[6] = {0}, x[3];
  for (int b = 1; b < r->m->nbody; b++) {
    if (r->m->body_weldid[b] != id) continue;
    out->mass += r->m->body_mass[b];
    mju_addToScl3(center, r->d->xipos + 3 * (size_t)b, r->m->body_mass[b]);
  }
  if (out->mass > 0) mju_scl3(center, center, 1 / out->mass);
  for (int b = 1; b < r->m->nbody; b++)
    if (r->m->body_weldid[b] == id) add_inertia(r, b, center, I);
  mju_sub3(x, center, origin);
  mju_rotVecMatT(out->com, x, r->d->xmat + 9 * (size_t)id);
  const mjtNum *R = r->d->xmat + 9 * (size_t)id;
  const mjtNum full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
  mjtNum half[9], own_axes[9];
  mju_mulMatTMat(half, R, full, 3, 3, 3);
  mju_mulMatMat(own_axes, half, R, 3, 3, 3);
  const double result[6] = {own_axes[0], own_axes[1], own_axes[2],
                            own_axes[4], own_axes[5], own_axes[8]};
  memcpy(out->inertia, result, sizeof result);
}

static void describe(void *own, int body, cli_other_body *out) {
  const robot *r = own;
  const int j = r->joint[body], id = r->m->jnt_bodyid[j], dof = r->m->jnt_dofadr[j];
  *out = (cli_other_body){.has_joint = r->named};
  if (j == r->m->body_jntadr[id] + r->m->body_jntnum[id] - 1) // others carry nothing but the next
    describe_inertia(r, body, j, out);
  out->armature = r->m->dof_armature[dof];
  out->damping = r->m->dof_damping[dof];
  out->friction = r->m->dof_frictionloss[dof];
  const bool limited = r->m->jnt_limited[j];
  out->lower = limited ? r->m->jnt_range[2 * j] : -INFINITY;
  out->upper = limited ? r->m->jnt_range[2 * j + 1] : INFINITY;
}

static void close_robot(void *own) {
  robot *r = own;
  if (r->d) mj_deleteData(r->d);
  if (r->m) mj_deleteModel(r->m);
  free(r->joint);
  free(r->x);
  free(r);
}

// ---- opening -----------------------------------------------------------------------------------

// A joint by its name; one that has none is called after its body.
static int find_joint(const mjModel *m, const char *name) {
  const int j = mj_name2id(m, mjOBJ_JOINT, name), body = mj_name2id(m, mjOBJ_BODY, name);
  return j < 0 && body > 0 && m->body_jntnum[body] == 1 ? m->body_jntadr[body] : j;
}

// The joint of every moving body.
static bool find_joints(robot *r, char *why, size_t size) {
  static const int types[] = {[AP_REVOLUTE] = mjJNT_HINGE,
                              [AP_PRISMATIC] = mjJNT_SLIDE,
                              [AP_SPHERICAL] = mjJNT_BALL,
                              [AP_PLANAR] = -1,
                              [AP_FREE] = mjJNT_FREE};
  int nv = 0;
  for (int k = 0; k < ap_moving_bodies(r->ours); k++) {
    const int body = ap_moving_body(r->ours, k);
    const ap_body_def *d = ap_body(r->ours, body);
    const char *name = d->joint_name ? d->joint_name : d->name;
    const int j = find_joint(r->m, name);
    if (j < 0 || r->m->jnt_type[j] != types[d->joint]) {
      snprintf(why, size, "MuJoCo %s has %s joint \"%.60s\"", mj_versionString(),
               j < 0 ? "no" : "another type of", name);
      return false;
    }
    r->joint[body] = j;
    nv += ap_joint_nv(r->ours, body);
  }
  if (nv == r->m->nv) return true;
  snprintf(why, size, "MuJoCo %s has %d degrees of freedom where there are %d here",
           mj_versionString(), r->m->nv, nv);
  return false;
}

static bool from_links(robot *r, const cli_links *links, char *why, size_t size) {
  char said[500] = "";
  int *place = calloc((size_t)links->n + 1, sizeof *place);
  if (links->n == 0 || links->n != links->nv)
    snprintf(why, size, "MuJoCo gets hinges and slides alone here (give a URDF or MJCF file)");
  else if (place && !(r->m = cli_mujoco_model(links, place, said, sizeof said)))
    explain(said, why, size);
  for (int k = 0; r->m && k < links->n; k++) r->joint[ap_moving_body(r->ours, k)] = place[k];
  free(place);
  return r->m != NULL;
}

bool cli_referee_mujoco(const char *file, const ap_model *m, const cli_links *links,
                        cli_referee *referee, char *why, size_t size) {
  const size_t bodies = (size_t)ap_nbody(m);
  robot *r = calloc(1, sizeof *r);
  *referee = (cli_referee){.read_file = file != NULL,
                           .inverse = inverse,
                           .pose = pose,
                           .body = describe,
                           .close = close_robot};
  snprintf(why, size, "there is not enough memory");
  snprintf(referee->program, sizeof referee->program, "MuJoCo %s", mj_versionString());
  if (!r || !(r->joint = malloc(bodies * sizeof *r->joint))) {
    free(r);
    return false;
  }
  for (size_t k = 0; k < bodies; k++) r->joint[k] = -1;
  r->ours = m;
  r->named = file != NULL;
  if (file) r->m = read_file(file, referee, why, size);
  bool good = file ? r->m && find_joints(r, why, size) : from_links(r, links, why, size);
  if (good) {
    r->d = mj_makeData(r->m);
    r->x = calloc((size_t)r->m->nv + 1, sizeof *r->x);
    memcpy(referee->gravity, r->m->opt.gravity, sizeof referee->gravity);
  }
  referee->own = good && r->d && r->x ? r : NULL;
  if (!referee->own) close_robot(r);
  return referee->own;
}
