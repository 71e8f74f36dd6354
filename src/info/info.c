// SPDX-License-Identifier: Apache-2.0
// A model as a record.

#include <appell/info.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info/freedoms.h"
#include "model/place_f64.h"

static const char *joint_name(const ap_model *m, int i) {
  const ap_body_def *body = ap_body(m, i);
  return body->joint_name ? body->joint_name : body->name;
}

static const char *joint_type(const ap_body_def *body) {
  switch (body->joint) {
    case AP_FIXED: return "fixed";
    case AP_REVOLUTE: return isinf(body->lower) && isinf(body->upper) ? "continuous" : "revolute";
    case AP_PRISMATIC: return "prismatic";
    case AP_SPHERICAL: return "spherical";
    case AP_PLANAR: return "planar";
    case AP_FREE: return "floating";
  }
  return "unknown";
}

// ---- joints ------------------------------------------------------------------------------------

// The joint axis in the link frame, which standard Denavit-Hartenberg turns from the joint's.
static void find_axis(const ap_body_def *body, double axis[3]) {
  double u[3];
  place own;
  joint_axis(body, u), link_place(body, &own);
  multiply(own.R, u, A_TRANSPOSED | VECTOR, axis);
}

static ap_info_joint joint_of(const ap_model *m, int i) {
  const ap_body_def *body = ap_body(m, i);
  ap_info_joint j = {.name = joint_name(m, i),
                     .type = joint_type(body),
                     .parent = ap_frame_name(m, body->parent),
                     .leader = body->mimic > 0 ? joint_name(m, body->mimic) : NULL,
                     .body = body};
  if (ap_joint_nv(m, i) > 0) {
    j.q = ap_joint_q(m, i), j.nq = ap_joint_nq(m, i);
    j.v = ap_joint_v(m, i), j.nv = ap_joint_nv(m, i);
  }
  j.has_axis =
      body->joint == AP_REVOLUTE || body->joint == AP_PRISMATIC || body->joint == AP_PLANAR;
  if (j.has_axis) find_axis(body, j.axis);
  return j;
}

static void find_joints(ap_info *info, const ap_model *m) {
  for (int i = 1; i < ap_nbody(m); i++) {
    if (ap_joint_nv(m, i) > 0) info->joint[info->joints++] = joint_of(m, i);
    if (ap_body(m, i)->mimic > 0) info->mimic[info->mimics++] = joint_of(m, i);
  }
}

// ---- bodies and frames -------------------------------------------------------------------------

// number: of the record of each moving body.
static void find_bodies(ap_info *info, const ap_model *m, int *number) {
  info->body[info->bodies++] = (ap_info_body){.name = ap_frame_name(m, 0)};
  for (int i = 1; i < ap_nbody(m); i++) {
    info->mass += ap_body(m, i)->mass;
    if (ap_body_mover(m, i) > 0) info->moving_mass += ap_body(m, i)->mass;
    if (ap_body_mover(m, i) != i) {
      info->body[number[ap_body_mover(m, i)]].nmerged++;
      continue;
    }
    number[i] = info->bodies++;
    ap_info_body *b = &info->body[number[i]];
    *b = (ap_info_body){.name = ap_body(m, i)->name,
                        .parent = ap_frame_name(m, ap_body_mover(m, ap_body(m, i)->parent)),
                        .joint = joint_name(m, i)};
    ap_merged_inertia(m, i, &b->mass, b->com, b->inertia);
  }
}

static void find_merged(ap_info *info, const ap_model *m, const int *number) {
  const char **next = info->merged;
  for (int k = 0; k < info->bodies; k++) {
    info->body[k].merged = next;
    next += info->body[k].nmerged;
    info->body[k].nmerged = 0;
  }
  for (int i = 1; i < ap_nbody(m); i++) {
    ap_info_body *b = &info->body[number[ap_body_mover(m, i)]];
    if (ap_body_mover(m, i) != i) b->merged[b->nmerged++] = ap_body(m, i)->name;
  }
}

// Roll, pitch and yaw of R; yaw is 0 where pitch is a right angle.
static void find_angles(const double R[9], double rpy[3]) {
  const double c = hypot(R[0], R[3]);
  const bool upright = c < 1e-12; // nothing but rounding
  // 0 - x, because -x would be a zero with a sign
  rpy[0] = upright ? atan2(0 - R[5], R[4]) : atan2(R[7], R[8]);
  rpy[1] = atan2(0 - R[6], c);
  rpy[2] = upright ? 0 : atan2(R[3], R[0]);
}

// at: of each link in the frame of the body that moves it.
static void find_frames(ap_info *info, const ap_model *m, const ap_robot *robot, place *at) {
  no_place(&at[0]);
  for (int i = 1; i < ap_nframe(m); i++) {
    const bool link = i < ap_nbody(m);
    const ap_frame_def *def = link ? NULL : &ap_robot_definition(robot)->frames[i - ap_nbody(m)];
    const int on = link ? i : def->body;
    place here, own;
    no_place(&here);
    if (!link) {
      params(3, def->xyz, own.p), rpy_matrix(def->rpy, own.R);
      compose(&at[on], &own, &here);
    } else if (ap_body_mover(m, i) != i) {
      joint_place(ap_body(m, i), &here), link_place(ap_body(m, i), &own);
      compose(&here, &own, &own), compose(&at[ap_body(m, i)->parent], &own, &here);
    }
    if (link) at[i] = here;
    ap_info_frame *f = &info->frame[info->frames++];
    *f = (ap_info_frame){
        .name = ap_frame_name(m, i), .body = ap_frame_name(m, ap_body_mover(m, on)), .def = def};
    memcpy(f->xyz, here.p, sizeof f->xyz);
    find_angles(here.R, f->rpy);
  }
}

// ---- warnings ----------------------------------------------------------------------------------

static void count_warning(void *context, const ap_warning *warning) {
  (void)warning;
  ++*(int *)context;
}

static void add_warning(void *context, const ap_warning *warning) {
  ap_info *info = context;
  ap_warning *copy = &info->warning[info->warnings];
  *copy = *warning;
  copy->text = strdup(warning->text);
  if (copy->text) info->warnings++;
}

static bool find_warnings(ap_info *info, const ap_model *m, const ap_robot *robot) {
  int n = 0;
  ap_visit_warnings(robot, m, count_warning, &n);
  info->warning = malloc((size_t)(n + 1) * sizeof *info->warning);
  if (!info->warning) return false;
  ap_visit_warnings(robot, m, add_warning, info);
  return info->warnings == n;
}

// ---- closing -----------------------------------------------------------------------------------

const char *ap__freedoms(const ap_mechanism *m, int rank, char *text, size_t size) {
  const int left = ap_nv(ap_mechanism_tree(m)) - rank, n = ap_mechanism_n(m);
  snprintf(text, size, "the closures leave %d degree%s of freedom, but there %s %d coordinate%s",
           left, left == 1 ? "" : "s", n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
  return text;
}

// Distances are known where the coordinates determine the mechanism, or nearly do.
static bool close_mechanism(ap_info_start *s, const ap_mechanism *m) {
  const size_t nq = (size_t)ap_nq(ap_mechanism_tree(m));
  ap_loop *l = ap_loop_make(m);
  s->tree_q = malloc((nq + 1) * sizeof *s->tree_q);
  s->q = malloc((size_t)ap_mechanism_n(m) * sizeof *s->q);
  const bool memory = l && s->tree_q && s->q;
  if (memory) {
    memcpy(s->tree_q, ap_mechanism_guess(m), nq * sizeof *s->tree_q);
    s->status = ap_loop_close(m, l, s->tree_q, s->q, &s->assembly);
    s->closes = s->status == AP_OK;
  }
  if (memory && s->closes) {
    ap_loop_set_guess(m, l, s->tree_q);
    s->status = ap_loop_singularity(m, l, s->q, &s->near);
    s->has_distances = s->status == AP_OK || s->status == AP_E_SINGULAR_SERIAL ||
                       s->status == AP_E_SINGULAR_PARALLEL;
  }
  if (s->status == AP_E_MODEL)
    ap__freedoms(m, s->assembly.rank, s->text, sizeof s->text);
  else
    snprintf(s->text, sizeof s->text, "%s", ap_status_text(s->status));
  ap_loop_free(l);
  return memory;
}

// ---- the record --------------------------------------------------------------------------------

ap_status ap_info_make(const ap_robot *robot, const ap_model *m, const ap_mechanism *mechanism,
                       ap_info *info) {
  const size_t n = (size_t)ap_nbody(m);
  int *number = calloc(n, sizeof *number);
  place *at = malloc(n * sizeof *at);
  *info = (ap_info){.name = ap_model_name(m),
                    .nq = ap_nq(m),
                    .nv = ap_nv(m),
                    .freedom = mechanism ? ap_mechanism_n(mechanism) : ap_nv(m),
                    .joint = malloc(n * sizeof *info->joint),
                    .mimic = malloc(n * sizeof *info->mimic),
                    .body = malloc(n * sizeof *info->body),
                    .frame = malloc((size_t)ap_nframe(m) * sizeof *info->frame),
                    .merged = malloc(n * sizeof *info->merged),
                    .closed = mechanism};
  memcpy(info->gravity, ap_gravity(m), sizeof info->gravity);
  bool memory = number && at && info->joint && info->mimic && info->body && info->frame &&
                info->merged && find_warnings(info, m, robot) &&
                (!mechanism || close_mechanism(&info->start, mechanism));
  if (memory) {
    find_joints(info, m);
    find_bodies(info, m, number);
    find_merged(info, m, number);
    find_frames(info, m, robot, at);
  }
  free(number);
  free(at);
  if (!memory) ap_info_free(info);
  return memory ? AP_OK : AP_E_MEMORY;
}

void ap_info_free(ap_info *info) {
  for (int k = 0; k < info->warnings; k++) free((char *)info->warning[k].text);
  free(info->warning);
  free(info->joint);
  free(info->mimic);
  free(info->body);
  free(info->frame);
  free(info->merged);
  free(info->start.tree_q);
  free(info->start.q);
  *info = (ap_info){0};
}
