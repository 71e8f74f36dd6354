// SPDX-License-Identifier: Apache-2.0
// MJCF: <connect> and <weld> as closures of a mechanism. The reference configuration and those of
// <keyframe> are where the search for a closed one begins.

#include "file/mjcf_loops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/chains.h"
#include "file/number.h"
#include "file/xyz_rpy.h"

enum { MOST_KEYS = 16 };

typedef struct closing {
  mjcf *m;
  ap_closure_def *closures;
  int *lines;
  bool *driven;
  ap__names names; // of the closures
  ap__start starts[MOST_KEYS + 1];
  double *x; // [(MOST_KEYS + 1) * nq]
  int nstart, nq;
} closing;

static const char *keep(mjcf *m, const char *text) {
  const char *kept = ap__robot_text(m->robot, text, strlen(text));
  if (!kept) ap__mjcf_no_memory(m);
  return kept;
}

static int number_of(const mjcf *m, int body) {
  int part = m->bodies[body].part;
  return part < 0 ? 0 : m->parts.part[part].number;
}

// ---- closures ----------------------------------------------------------------------------------

// Names are unique: that of the element, else the two bodies', with a number where it is taken.
static const char *name_closure(closing *c, int i) {
  mjcf *m = c->m;
  const mjcf_closure *from = &m->closures[i];
  const char *names[2];
  char text[300], base[256];
  for (int k = 0; k < 2; k++) {
    int part = m->bodies[from->body[k]].part;
    names[k] = part < 0 ? "world" : m->parts.part[part].def.name;
  }
  if (from->name)
    snprintf(base, sizeof base, "%.200s", from->name);
  else
    snprintf(base, sizeof base, "%.100s-%.100s", names[0], names[1]);
  snprintf(text, sizeof text, "%s", base);
  for (int n = 2; ap__names_find(&c->names, text) >= 0; n++)
    snprintf(text, sizeof text, "%s-%d", base, n);
  const char *kept = keep(m, text);
  if (kept) ap__names_put(&c->names, kept, i);
  return kept;
}

static void set_end(ap_closure_def *to, int k, const mjcf_pose *at) {
  ap_placement place;
  ap__mjcf_set_place(&place, at);
  ap__joint_xyz_rpy(&place, to->at[k], to->rpy[k]);
}

static void take_closures(closing *c) {
  mjcf *m = c->m;
  for (int i = 0; i < m->nclosure && !m->status; i++) {
    const mjcf_closure *from = &m->closures[i];
    ap_closure_def *to = &c->closures[i];
    *to = ap_default_closure();
    to->name = name_closure(c, i);
    to->kind = from->weld ? AP_CLOSE_FRAME : AP_CLOSE_POINT;
    c->lines[i] = from->e->line;
    for (int k = 0; k < 2; k++) {
      to->body[k] = number_of(m, from->body[k]);
      set_end(to, k, &from->at[k]);
    }
  }
}

// ---- configurations ----------------------------------------------------------------------------

static int qpos_of(const mjcf_joint *joint) {
  return joint->type == MJCF_FREE ? 7 : joint->of_ball == 1 || joint->type == MJCF_BALL ? 4 : 1;
}

static int qvel_of(const mjcf_joint *joint) {
  return joint->type == MJCF_FREE ? 6 : joint->of_ball == 1 || joint->type == MJCF_BALL ? 3 : 1;
}

// MuJoCo's sizes: the three hinges of a ball joint are one joint there.
static int count_qpos(const mjcf *m) {
  int n = 0;
  for (int i = 0; i < m->njoint; i++) n += m->joints[i].of_ball <= 1 ? qpos_of(&m->joints[i]) : 0;
  return n;
}

static int count_qvel(const mjcf *m) {
  int n = 0;
  for (int i = 0; i < m->njoint; i++) n += m->joints[i].of_ball <= 1 ? qvel_of(&m->joints[i]) : 0;
  return n;
}

// Angles about z, y and x of a quaternion.
static void angles_of(const double q[4], double angles[3]) {
  mjcf_pose turned = mjcf_here();
  double xyz[3], rpy[3];
  ap_placement place;
  memcpy(turned.q, q, sizeof turned.q);
  mjcf_quat_unit(turned.q);
  ap__mjcf_set_place(&place, &turned);
  ap__joint_xyz_rpy(&place, xyz, rpy);
  for (int i = 0; i < 3; i++) angles[i] = rpy[2 - i];
}

// MuJoCo's qpos to the tree's x. NULL: the reference configuration.
static void convert(const closing *c, const double *qpos, double *x) {
  const mjcf *m = c->m;
  double angles[3] = {0};
  for (int i = 0; i < m->njoint; i++) {
    const mjcf_joint *joint = &m->joints[i];
    const ap_body_def *body = &m->robot->bodies[m->parts.part[joint->part].number - 1];
    const mjcf_pose *home = &joint->home;
    if (joint->type == MJCF_FREE) {
      memcpy(x, qpos ? qpos : home->p, 3 * sizeof *x);
      for (int k = 0; k < 4; k++) x[3 + k] = (qpos ? qpos + 3 : home->q)[(k + 1) % 4];
      x += 7;
    } else if (joint->of_ball) {
      if (joint->of_ball == 1 && qpos) angles_of(qpos, angles);
      *x++ = qpos ? angles[joint->of_ball - 1] : 0;
    } else if (body->mimic == 0) {
      *x++ = qpos ? *qpos : joint->ref;
    }
    if (qpos && joint->of_ball <= 1) qpos += qpos_of(joint);
  }
}

static void add_start(closing *c, const char *name, const double *qpos, int line) {
  double *x = c->x + (size_t)c->nstart * (size_t)c->nq;
  convert(c, qpos, x);
  c->starts[c->nstart++] = (ap__start){.name = name, .x = x, .line = line};
}

static void read_key(closing *c, const ap__node *e, int nqpos, double *qpos) {
  const char *text = ap__attribute(e, "qpos"), *name = ap__attribute(e, "name");
  if (!text || c->nstart == MOST_KEYS || ap__parse_numbers(text, nqpos, qpos) != nqpos) return;
  if (name && (!*name || ap__has_control(name, strlen(name)))) name = NULL;
  add_start(c, name, qpos, e->line);
}

// The <keyframe> of a <key>, which an <include> may stand between.
static const ap__node *keyframe_of(const ap__node *e) {
  while (strcmp(e->name, "keyframe") != 0) e = e->parent;
  return e;
}

// The first <key>, or the one behind e; NULL: none.
static const ap__node *next_key(const mjcf *m, const ap__node *e) {
  const ap__node *k = e ? ap__mjcf_named(ap__mjcf_next(e), "key") : NULL;
  const ap__node *frame = e ? ap__mjcf_next(keyframe_of(e)) : ap__mjcf_first(m->tree->root);
  while (!k && (frame = ap__mjcf_named(frame, "keyframe"))) {
    k = ap__mjcf_named(ap__mjcf_first(frame), "key");
    frame = ap__mjcf_next(frame);
  }
  return k;
}

static void read_keys(closing *c) {
  mjcf *m = c->m;
  int n = count_qpos(m);
  double *qpos = calloc((size_t)n + 1, sizeof *qpos);
  if (!qpos) {
    ap__mjcf_no_memory(m);
    return;
  }
  for (const ap__node *k = next_key(m, NULL); k; k = next_key(m, k)) read_key(c, k, n, qpos);
  free(qpos);
  add_start(c, NULL, NULL, 0);
}

// As many numbers as the robot has, or none.
static void check_key(mjcf *m, const ap__node *e, const char *name, int wanted) {
  const char *text = ap__attribute(e, name);
  double none;
  const int n = text ? ap__parse_numbers(text, 0, &none) : 0;
  if (n == 0 || n == wanted) return;
  if (n > 0)
    ap__mjcf_fail(m, e, "<key %s> has %d number%s (the robot has %d)", name, n, n == 1 ? "" : "s",
                  wanted);
  else
    ap__mjcf_fail(m, e, "<key %s=\"%.*s\"> (expected %d finite decimal numbers)", name,
                  ap__shown(text), text, wanted);
}

void ap__mjcf_check_keys(mjcf *m) {
  const int nq = count_qpos(m), nv = count_qvel(m);
  for (const ap__node *k = next_key(m, NULL); k && !m->status; k = next_key(m, k)) {
    check_key(m, k, "qpos", nq);
    check_key(m, k, "qvel", nv);
  }
}

// ---- the whole ---------------------------------------------------------------------------------

static void take_driven(closing *c) {
  for (int i = 0; i < c->m->njoint; i++)
    if (c->m->joints[i].driven) c->driven[c->m->parts.part[c->m->joints[i].part].number] = true;
}

static ap_status close_chains(closing *c) {
  mjcf *m = c->m;
  c->nq = ap__robot_nq(m->robot);
  c->closures = calloc((size_t)m->nclosure, sizeof *c->closures);
  c->lines = calloc((size_t)m->nclosure, sizeof *c->lines);
  c->driven = calloc((size_t)m->robot->nbody + 1, sizeof *c->driven);
  c->x = calloc((size_t)c->nq * (MOST_KEYS + 2) + 1, sizeof *c->x);
  if (!c->closures || !c->lines || !c->driven || !c->x || !ap__names_init(&c->names, m->nclosure))
    return ap__no_memory(m->error);
  take_closures(c);
  take_driven(c);
  if (!m->status) read_keys(c);
  if (m->status) return m->status;
  const ap__loops loops = {.closures = c->closures,
                           .lines = c->lines,
                           .nclosure = m->nclosure,
                           .driven = c->driven,
                           .starts = c->starts,
                           .nstart = c->nstart};
  return ap__chains_close(m->robot, &loops, m->error);
}

ap_status ap__mjcf_close(mjcf *m) {
  if (m->options->ignore_loops)
    return ap__robot_open_loops(m->robot, m->closures[0].e->line, m->nclosure, m->error);
  if (m->options->floating)
    return AP__REFUSE(m->error, AP_E_ARG, m->closures[0].e->line,
                      "a floating base does not apply to a mechanism with closed chains (leave it "
                      "out, or ignore the loops)");
  closing c = {.m = m};
  ap_status status = close_chains(&c);
  ap__names_free(&c.names);
  free(c.closures);
  free(c.lines);
  free(c.driven);
  free(c.x);
  return status;
}
