// SPDX-License-Identifier: Apache-2.0
// A robot as MJCF, so that MuJoCo computes the same dynamics. Orientations are written as euler
// angles in the order of roll, pitch and yaw, so that the numbers of URDF stay what they are; a
// tensor of inertia that is not diagonal as its principal moments and axes, because MuJoCo itself
// finds them to 1e-12 kg m2 only. Links on fixed joints stay bodies of their own, without a joint.

#include "file/mjcf_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Readers of XML take a few hundred nested elements, as this library does.
enum { DEEPEST = AP__MAX_DEPTH - 10 };

// ---- what is lost ------------------------------------------------------------------------------

void ap__mjcf_note_of(ap__mjcf_writer *w, ap__mjcf_note kind, const char *name) {
  if (w->note[kind].n++ == 0) w->note[kind].name = name;
}

static void tell_notes(const ap__mjcf_writer *w, ap__say say, void *context) {
  for (int k = 0; k < AP__MJCF_NOTE_KINDS; k++) {
    if (w->note[k].n == 0) continue;
    const char *name = w->note[k].name;
    int shown = ap__shown(name);
    char text[512];
    switch ((ap__mjcf_note)k) {
#define AP__MJCF_NOTE(kind, form) \
  case AP__NOTE_##kind: snprintf(text, sizeof text, form, shown, name); break;
      AP__MJCF_NOTES(AP__MJCF_NOTE)
#undef AP__MJCF_NOTE
      case AP__MJCF_NOTE_KINDS: continue;
    }
    size_t n = strlen(text);
    if (w->note[k].n > 1) snprintf(text + n, sizeof text - n, "; %d in all", w->note[k].n);
    say(context, text);
  }
}

// ---- what hangs on what ------------------------------------------------------------------------

bool ap__owned_init(ap__owned *owned, int owners, int items) {
  owned->first = calloc((size_t)owners + 1, sizeof *owned->first);
  owned->next = calloc((size_t)items + 1, sizeof *owned->next);
  for (int i = 0; owned->first && i <= owners; i++) owned->first[i] = -1;
  return owned->first && owned->next;
}

void ap__owned_put(ap__owned *owned, int owner, int item) {
  owned->next[item] = owned->first[owner];
  owned->first[owner] = item;
}

static void owned_free(ap__owned *owned) {
  free(owned->first);
  free(owned->next);
}

static bool is_still(const ap_body_def *d) {
  double xyz[3], rpy[3];
  ap__link_xyz_rpy(&d->place, xyz, rpy);
  return ap__all_zero(xyz, 3) && ap__all_zero(rpy, 3);
}

// A link "world" that is only a name of the ground: MuJoCo has it already.
static bool is_world(const ap_body_def *d) {
  return d->parent == 0 && d->joint == AP_FIXED && strcmp(d->name, "world") == 0 && d->mass == 0 &&
         ap__all_zero(d->inertia, 6) && is_still(d);
}

// The body that a body is written into: a free joint must be a child of the world.
static int owner_of(const ap__mjcf_writer *w, int body) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  return d->joint == AP_FREE || !w->name[d->parent] ? 0 : d->parent;
}

int ap__mjcf_after(const ap__mjcf_writer *w, int body) {
  int next = w->children.first[body];
  while (next < 0 && body > 0) {
    next = w->children.next[body];
    if (next < 0) body = owner_of(w, body);
  }
  return next;
}

const char *ap__mjcf_new_name(ap__mjcf_writer *w, ap__names *taken, const char *name,
                              const char *suffix) {
  const char *made = ap__new_name(taken, &w->pool, name, suffix);
  if (!made) w->t->failed = true;
  return made;
}

static bool set_names(ap__mjcf_writer *w) {
  const ap_robot *robot = w->robot;
  int n = robot->nbody, closures = robot->chains ? ap_robot_mechanism(robot)->nclosure : 0;
  if (!ap__names_init(&w->bodies, 3 * n + 1) || !ap__names_init(&w->joints, 4 * n + closures) ||
      !ap__names_init(&w->sites, robot->nframe + 4 * closures) ||
      !ap__names_init(&w->meshes, 2 * robot->nshape))
    return false;
  for (int i = 0; i < robot->nframe; i++) ap__names_put(&w->sites, robot->frames[i].name, i);
  ap__names_put(&w->bodies, "world", 0);
  for (int i = 1; i <= n; i++) {
    const ap_body_def *d = &robot->bodies[i - 1];
    if (strcmp(d->name, "world") != 0) ap__names_put(&w->bodies, d->name, i);
    if (d->joint != AP_FIXED) ap__names_put(&w->joints, ap__joint_name(d), i);
  }
  for (int i = 1; i <= n; i++) {
    const ap_body_def *d = &robot->bodies[i - 1];
    bool renamed = strcmp(d->name, "world") == 0 && !is_world(d);
    if (renamed) ap__mjcf_note_of(w, AP__NOTE_RENAMED, d->name);
    w->name[i] = renamed       ? ap__mjcf_new_name(w, &w->bodies, d->name, "")
                 : is_world(d) ? NULL
                               : d->name;
  }
  return true;
}

static void hang(ap__mjcf_writer *w) {
  const ap_robot *robot = w->robot;
  const int n = robot->nbody;
  w->is_static[0] = true;
  for (int i = 1; i <= n; i++)
    w->is_static[i] =
        robot->bodies[i - 1].joint == AP_FIXED && w->is_static[robot->bodies[i - 1].parent];
  for (int i = n; i > 0; i--)
    if (w->name[i]) ap__owned_put(&w->children, owner_of(w, i), i);
  for (int i = robot->nframe - 1; i >= 0; i--) {
    int body = robot->frames[i].body;
    ap__owned_put(&w->frames, w->name[body] ? body : 0, i);
  }
}

// A body without mass that only carries the next joint, as the cross of a universal joint: MuJoCo
// refuses it, but takes both joints in the body beyond. Free and ball joints go with no other, and
// a body has six degrees of freedom at most.
static bool only_carries(const ap__mjcf_writer *w, int body, const int *dof) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  const int next = w->children.first[body];
  if (next < 0 || w->children.next[next] >= 0 || dof[body] == 0 || dof[next] == 0) return false;
  return d->mass == 0 && ap__all_zero(d->inertia, 6) && d->gravity_compensation == 0 &&
         w->frames.first[body] < 0 && !ap_robot_shape(w->robot, body, 0) && !w->is_closed[body] &&
         dof[body] + dof[next] <= 6;
}

static void find_folded(ap__mjcf_writer *w, int *dof) {
  static const int plain[] = {
      [AP_REVOLUTE] = 1, [AP_PRISMATIC] = 1, [AP_PLANAR] = 3, [AP_FREE] = 0};
  const ap_mechanism_def *chains = ap_robot_mechanism(w->robot);
  for (int k = 0; chains && k < chains->nclosure; k++)
    for (int i = 0; i < 2 && chains->closures[k].kind != AP_CLOSE_GEAR; i++)
      w->is_closed[chains->closures[k].body[i]] = true;
  for (int i = 1; i <= w->robot->nbody; i++) {
    const ap_body_def *d = &w->robot->bodies[i - 1];
    dof[i] = d->place.kind == AP_DH_STANDARD ? 0 : plain[d->joint];
  }
  for (int i = 1; i <= w->robot->nbody; i++) { // dof: with those of what is folded into it
    w->is_folded[i] = only_carries(w, i, dof);
    if (w->is_folded[i]) dof[w->children.first[i]] += dof[i];
  }
}

static bool prepare(ap__mjcf_writer *w) {
  const ap_robot *robot = w->robot;
  int n = robot->nbody;
  w->name = calloc((size_t)n + 1, sizeof *w->name);
  w->is_static = calloc((size_t)n + 1, sizeof *w->is_static);
  w->is_folded = calloc((size_t)n + 1, sizeof *w->is_folded);
  w->is_closed = calloc((size_t)n + 1, sizeof *w->is_closed);
  w->mesh = calloc((size_t)robot->nshape + 1, sizeof *w->mesh);
  int *dof = calloc((size_t)n + 1, sizeof *dof);
  bool good = w->name && w->is_static && w->is_folded && w->is_closed && w->mesh && dof &&
              set_names(w) && ap__owned_init(&w->children, n, n + 1) &&
              ap__owned_init(&w->frames, n, robot->nframe);
  if (good) hang(w);
  if (good) find_folded(w, dof);
  free(dof);
  return good;
}
static void release(ap__mjcf_writer *w) {
  ap__names_free(&w->bodies);
  ap__names_free(&w->joints);
  ap__names_free(&w->sites);
  ap__names_free(&w->meshes);
  owned_free(&w->children);
  owned_free(&w->frames);
  owned_free(&w->ends);
  ap__pool_free(&w->pool);
  free(w->name);
  free(w->is_static);
  free(w->is_folded);
  free(w->is_closed);
  free(w->inertia);
  free(w->mesh);
  free(w->end);
}

// ---- bodies ------------------------------------------------------------------------------------

static void add_site(ap__mjcf_writer *w, const char *name, const double xyz[3], const double rpy[3],
                     int indent) {
  ap__text_add(w->t, "%*s<site", indent, "");
  ap__xml_text(w->t, "name", name);
  ap__mjcf_add_pose(w, xyz, rpy);
  ap__text_add(w->t, "/>\n");
}

static void add_sites(ap__mjcf_writer *w, int body, int indent) {
  for (int i = w->frames.first[body]; i >= 0; i = w->frames.next[i]) {
    const ap_frame_def *f = &w->robot->frames[i];
    add_site(w, f->name, f->xyz, f->rpy, indent);
  }
  for (int i = w->ends.first[body]; i >= 0; i = w->ends.next[i])
    add_site(w, w->end[i].name, w->end[i].xyz, w->end[i].rpy, indent);
}

// Where a body is in the one that it is written into. A free one carries the places of what it
// hangs on, and starts where its spring is relaxed.
static void pose_of(ap__mjcf_writer *w, int body, double xyz[3], double rpy[3]) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  ap__joint_xyz_rpy(&d->place, xyz, rpy);
  if (d->joint != AP_FREE) return;
  for (int i = d->parent; i > 0; i = w->robot->bodies[i - 1].parent) {
    double above_xyz[3], above_rpy[3];
    ap__link_xyz_rpy(&w->robot->bodies[i - 1].place, above_xyz, above_rpy);
    ap__compose_xyz_rpy(above_xyz, above_rpy, xyz, rpy, xyz, rpy);
  }
  if (!ap__all_zero(xyz, 3) || !ap__all_zero(rpy, 3))
    ap__mjcf_note_of(w, AP__NOTE_FREE, ap__joint_name(d));
  if (d->stiffness == 0) return;
  double turned[3];
  ap__quaternion_rpy(&d->rest[3], turned);
  ap__compose_xyz_rpy(xyz, rpy, d->rest, turned, xyz, rpy);
}

static void open_body(ap__mjcf_writer *w, const char *name, const double xyz[3],
                      const double rpy[3], double compensation, int indent) {
  ap__text_add(w->t, "%*s<body", indent, "");
  ap__xml_text(w->t, "name", name);
  ap__mjcf_add_pose(w, xyz, rpy);
  if (compensation != 0) ap__xml_numbers(w->t, "gravcomp", &compensation, 1);
  ap__text_add(w->t, ">\n");
}

static void add_body(ap__mjcf_writer *w, int body, int indent);

static void add_content(ap__mjcf_writer *w, int body, int indent) {
  ap__mjcf_add_geoms(w, body, indent);
  add_sites(w, body, indent);
  for (int i = w->children.first[body]; i >= 0; i = w->children.next[i]) add_body(w, i, indent);
}

// Bodies that are folded into one, from the innermost on, and where it is in each of them.
typedef struct folds {
  int n, body[6];
  double xyz[6][3], rpy[6][3];
} folds;

// The pose of the body becomes that in what carries the outermost.
static folds folds_of(const ap__mjcf_writer *w, int body, double xyz[3], double rpy[3]) {
  folds f = {.n = 0};
  for (int i = w->robot->bodies[body - 1].parent; f.n < 6 && w->is_folded[i];
       i = w->robot->bodies[i - 1].parent) {
    double above_xyz[3], above_rpy[3];
    memcpy(f.xyz[f.n], xyz, sizeof f.xyz[0]);
    memcpy(f.rpy[f.n], rpy, sizeof f.rpy[0]);
    f.body[f.n++] = i;
    ap__link_xyz_rpy(&w->robot->bodies[i - 1].place, above_xyz, above_rpy);
    ap__compose_xyz_rpy(above_xyz, above_rpy, xyz, rpy, xyz, rpy);
  }
  return f;
}

// The joint frame of standard DH is not the link frame: a body in between carries the joint.
static bool open_between(ap__mjcf_writer *w, int body, double xyz[3], double rpy[3], int indent) {
  static const double zero[3] = {0};
  const ap_body_def *d = &w->robot->bodies[body - 1];
  const char *between = ap__mjcf_new_name(w, &w->bodies, w->name[body], "_axis");
  if (!between) return false;
  open_body(w, between, xyz, rpy, 0, indent);
  ap__mjcf_add_joint(w, d, zero, zero, indent + 2);
  memcpy(xyz, (double[3]){d->place.a, 0, 0}, 3 * sizeof *xyz);
  memcpy(rpy, (double[3]){d->place.alpha, 0, 0}, 3 * sizeof *rpy);
  return true;
}

static void add_body(ap__mjcf_writer *w, int body, int indent) {
  static const double zero[3] = {0};
  const ap_body_def *d = &w->robot->bodies[body - 1];
  const bool step = d->place.kind == AP_DH_STANDARD;
  double xyz[3], rpy[3];
  if (w->t->failed) return;
  if (w->is_folded[body]) {
    add_body(w, w->children.first[body], indent);
    return;
  }
  pose_of(w, body, xyz, rpy);
  folds f = folds_of(w, body, xyz, rpy);
  if (step && !open_between(w, body, xyz, rpy, indent)) return;
  if (step) indent += 2;
  open_body(w, w->name[body], xyz, rpy, d->gravity_compensation, indent);
  ap__mjcf_add_inertial(w, body, indent + 2);
  while (f.n-- > 0)
    ap__mjcf_add_joint(w, &w->robot->bodies[f.body[f.n] - 1], f.xyz[f.n], f.rpy[f.n], indent + 2);
  if (!step) ap__mjcf_add_joint(w, d, zero, zero, indent + 2);
  add_content(w, body, indent + 2);
  ap__text_add(w->t, "%*s</body>\n", indent, "");
  if (step) ap__text_add(w->t, "%*s</body>\n", indent - 2, "");
}

// ---- what cannot be said -----------------------------------------------------------------------

// Depth first from the world: how deep, and whether joints keep their order.
static ap_status check_order(ap__mjcf_writer *w, int *depth) {
  int body = w->children.first[0], last = 0;
  while (body > 0) {
    const ap_body_def *d = &w->robot->bodies[body - 1];
    int owner = owner_of(w, body);
    depth[body] = depth[owner] + 1 + (d->place.kind == AP_DH_STANDARD);
    if (depth[body] > DEEPEST)
      return AP__REFUSE(w->error, AP_E_UNSUPPORTED, 0,
                        "MJCF nests bodies, and \"%.*s\" is more than %d deep (use URDF or YAML)",
                        ap__shown(d->name), d->name, DEEPEST);
    bool counts = d->joint != AP_FIXED && !d->mimic;
    if (counts && body < last) ap__mjcf_note_of(w, AP__NOTE_ORDER, ap__joint_name(d));
    if (counts && body > last) last = body;
    body = ap__mjcf_after(w, body);
  }
  return AP_OK;
}

static ap_status check(ap__mjcf_writer *w) {
  int *depth = calloc((size_t)w->robot->nbody + 1, sizeof *depth);
  ap_status status = depth ? check_order(w, depth) : ap__no_memory(w->error);
  free(depth);
  for (int i = 1; !status && i <= w->robot->nbody; i++) {
    const ap_body_def *d = &w->robot->bodies[i - 1];
    if (d->joint == AP_FREE && !w->is_static[d->parent])
      status = AP__REFUSE(w->error, AP_E_UNSUPPORTED, 0,
                          "MJCF cannot express a free joint on a moving body, as of body \"%.*s\" "
                          "(use URDF or YAML)",
                          ap__shown(d->name), d->name);
  }
  return status;
}

// ---- the whole ---------------------------------------------------------------------------------

static void compose(ap__mjcf_writer *w) {
  const ap_robot *robot = w->robot;
  ap__text_add(w->t, "<mujoco");
  ap__xml_text(w->t, "model", robot->def.name);
  ap__text_add(w->t,
               ">\n  <compiler angle=\"radian\" eulerseq=\"XYZ\" autolimits=\"true\" "
               "inertiafromgeom=\"false\"/>\n  <option");
  ap__xml_numbers(w->t, "gravity", robot->def.gravity, 3);
  ap__text_add(w->t, "/>\n");
  ap__mjcf_add_assets(w);
  ap__text_add(w->t, "  <worldbody>\n");
  for (int i = 1; i <= robot->nbody; i++)
    if (!w->name[i]) ap__mjcf_add_geoms(w, i, 4);
  add_content(w, 0, 4);
  ap__text_add(w->t, "  </worldbody>\n");
  ap__mjcf_add_equality(w);
  ap__mjcf_add_actuators(w);
  ap__mjcf_add_keyframes(w);
  ap__text_add(w->t, "</mujoco>\n");
}

ap_status ap__mjcf_write(const ap_robot *robot, const char *path, ap__text *text, ap__say say,
                         void *context, ap_error *error) {
  ap__mjcf_writer w = {.t = text, .robot = robot, .path = path, .error = error};
  ap_status status = prepare(&w) ? check(&w) : ap__no_memory(error);
  if (!status) status = ap__mjcf_plan_closures(&w);
  if (!status) ap__mjcf_plan_inertia(&w);
  if (!status && !text->failed) compose(&w);
  if (!status && text->failed) status = ap__no_memory(error);
  if (!status && say) tell_notes(&w, say, context);
  release(&w);
  return status;
}
