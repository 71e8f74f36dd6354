// SPDX-License-Identifier: Apache-2.0
// URDF: the records of the reader's walk as links and joints, past whatever is wrong with them.

#include "file/urdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "lint/number.h"
#include "lint/tags.h"

// ---- what the walk meets -----------------------------------------------------------------------

static void missing(void *context, int line, const char *subject, const char *what,
                    const char *fix) {
  lint_note note = ap__lint_begin("missing-part", line, subject);
  ap__lint_what(&note, "%s", what);
  ap__lint_why(&note, "the robot cannot be built without it");
  ap__lint_fix(&note, "%s", fix);
  ap__lint_end(context, &note);
}

static bool numbers(void *context, const ap__node *e, const char *subject, const char *what,
                    const char *text, int n, double *x) {
  return ap__lint_numbers(context, e->line, subject, what, text, n, x);
}

// Four numbers instead of rpy, as some writers have them: x y z w.
static void quaternion(void *context, const ap__node *e, const char *subject, double rpy[3]) {
  double q[4];
  const char *text = ap__attribute(e, "quat_xyzw");
  if (!text || !numbers(context, e, subject, "<origin quat_xyzw>", text, 4, q)) return;
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (fabs(n - 1) > 1e-4) {
    lint_note note = ap__lint_begin("rotation", e->line, subject);
    ap__lint_what(&note, "the quaternion has length %.6g", n);
    ap__lint_why(&note, "programs that do not normalise it scale rotated vectors by %.4g", n * n);
    if (n > 0)
      ap__lint_fix(&note, "quat_xyzw=\"%.9g %.9g %.9g %.9g\"", q[0] / n, q[1] / n, q[2] / n,
                   q[3] / n);
    ap__lint_end(context, &note);
  }
  if (n == 0) return;
  for (int i = 0; i < 4; i++) q[i] /= n;
  rpy[0] = atan2(2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] * q[0] + q[1] * q[1]));
  rpy[1] = asin(fmax(-1, fmin(1, 2 * (q[3] * q[1] - q[2] * q[0]))));
  rpy[2] = atan2(2 * (q[3] * q[2] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

// ---- links -------------------------------------------------------------------------------------

static int line_of(const ap__node *e) { return e ? e->line : 0; }

// A moment below zero tells of itself, whatever the others are.
static void look_at_sign(lint *l, const lint_link *link, const char *name, double moment) {
  if (!(moment < 0)) return;
  lint_note note = ap__lint_begin("inertia-negative", link->inertia_line, link->name);
  ap__lint_what(&note, "link \"%.*s\" has %s = %g kg m2: sign?", ap__shown(link->name), link->name,
                name, moment);
  ap__lint_why(&note, "such a link accelerates against the applied torque");
  ap__lint_fix(&note, "%s=\"%g\"", name, -moment);
  ap__lint_end(l, &note);
}

// Products of inertia that are not said are zero to the other rules; moments leave the tensor
// unknown.
static void take_tensor(lint *l, const urdf_link *from, lint_link *link) {
  enum { MOMENTS = 1 << 0 | 1 << 3 | 1 << 5, ALL = 63 };
  const double *tensor = from->part.def.inertia;
  link->tensor_lost = from->moments != ALL;
  link->tensor_given = (from->moments & MOMENTS) == MOMENTS;
  if (link->tensor_given) {
    memcpy(link->tensor, tensor, sizeof link->tensor);
    return;
  }
  look_at_sign(l, link, "ixx", tensor[0]);
  look_at_sign(l, link, "iyy", tensor[3]);
  look_at_sign(l, link, "izz", tensor[5]);
}

static void take_link(lint *l, const urdf_link *from) {
  const ap_body_def *def = &from->part.def;
  lint_link *link = ap__lint_add_link(&l->robot, def->name, from->part.at.body);
  if (!ap__lint_got(l, link)) return;
  const ap__node *inertial = from->at.inertial;
  if (!inertial) return;
  link->inertial = true;
  link->com_line = line_of(from->at.origin);
  link->mass_line = line_of(from->at.mass ? from->at.mass : inertial);
  link->inertia_line = line_of(from->at.inertia ? from->at.inertia : inertial);
  link->mass_given = from->mass_read;
  link->mass_lost = !from->mass_read;
  link->com_lost = from->at.origin && !from->com_read && ap__attribute(from->at.origin, "xyz");
  link->mass = def->mass;
  memcpy(link->com, def->com, sizeof link->com);
  memcpy(link->rpy, def->inertia_rpy, sizeof link->rpy);
  take_tensor(l, from, link);
}

// ---- joints ------------------------------------------------------------------------------------

static void unknown_type(lint *l, const lint_joint *joint, const char *type, const char *meant) {
  lint_note note = ap__lint_begin("joint-type", joint->line, joint->name);
  ap__lint_what(&note, "<joint type=\"%.*s\"> does not exist", ap__shown(type), type);
  ap__lint_why(&note, "the number of degrees of freedom is unknown");
  if (meant)
    ap__lint_fix(&note, "type=\"%s\"", meant);
  else
    ap__lint_fix(&note, "one of revolute, continuous, prismatic, fixed, floating, planar");
  ap__lint_end(l, &note);
}

// What was meant is what the other rules take.
static void take_type(lint *l, const char *type, lint_joint *joint) {
  static const char *const other[][2] = {{"hinge", "revolute"}, {"slide", "prismatic"},
                                         {"free", "floating"},  {"weld", "fixed"},
                                         {"rigid", "fixed"},    {"linear", "prismatic"}};
  const char *meant = NULL;
  int least = 1000;
  joint->type_known = joint->continuous = false;
  if (!type) return;
  for (const urdf_type *known = ap__urdf_types; known->name; known++)
    if (ap__name_nearer(type, known->name, &least)) meant = known->name;
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
    if (strcmp(type, other[i][0]) == 0) meant = other[i][1];
  if (meant) {
    joint->type = ap__urdf_type(meant)->type;
    joint->type_known = true;
    joint->continuous = strcmp(meant, "continuous") == 0;
  }
  if (!meant || strcmp(type, meant) != 0) unknown_type(l, joint, type, meant);
}

static void take_joint(lint *l, const urdf_joint *from) {
  const ap_body_def *def = &from->def;
  int line = from->at.joint->line;
  lint_joint *joint = ap__lint_add_joint(&l->robot, from->name, line);
  if (!ap__lint_got(l, joint)) return;
  ap__lint_take_joint(joint, def);
  take_type(l, from->type, joint);
  joint->parent = from->parent;
  joint->child = from->child;
  joint->leader = from->leader;
  joint->parent_line = from->at.parent ? from->at.parent->line : line;
  joint->child_line = from->at.child ? from->at.child->line : line;
  joint->origin_line = line_of(from->at.origin);
  joint->axis_line = line_of(from->at.axis);
  joint->limit_line = line_of(from->at.limit);
  joint->dynamics_line = line_of(from->at.dynamics);
  joint->mimic_line = line_of(from->at.mimic);
  joint->lower = joint->continuous ? NAN : ap__urdf_limit(from->lower);
  joint->upper = joint->continuous ? NAN : ap__urdf_limit(from->upper);
  joint->effort = ap__urdf_limit(from->effort);
  joint->velocity = ap__urdf_limit(from->velocity);
}

// Transmissions and springs. A gear acts on nothing but the rotor.
static void take_drives(lint *l, const urdf *u) {
  ap__names joints = {0};
  if (!ap__lint_got(l, ap__names_init(&joints, u->njoint))) return;
  for (int i = 0; i < u->njoint; i++) ap__names_put(&joints, u->joints[i].name, i);
  for (int k = 0; k < u->ntransmission; k++) {
    const urdf_transmission *t = &u->transmissions[k];
    int i = t->joint && !isnan(t->rotor) ? ap__names_find(&joints, t->joint) : -1;
    if (i < 0) continue;
    lint_joint *joint = &l->robot.joint[i];
    if (!isnan(t->gear)) joint->gear = t->gear;
    joint->rotor = t->rotor;
    joint->rotor_line = t->rotor_line;
  }
  for (int k = 0; k < u->nspring; k++) {
    const urdf_spring *s = &u->springs[k];
    int i = s->joint ? ap__names_find(&joints, s->joint) : -1;
    lint_joint *joint = i < 0 ? NULL : &l->robot.joint[i];
    if (!joint || !ap__lint_one_dof(joint)) continue;
    if (!isnan(s->rest)) joint->rest[0] = s->rest;
    if (!isnan(s->stiffness)) joint->stiffness = s->stiffness, joint->spring_line = s->line;
  }
  ap__names_free(&joints);
}

// ---- the whole ---------------------------------------------------------------------------------

static void take_robot(lint *l, const urdf *u) {
  int shape = 0;
  l->robot.name = u->name ? u->name : "";
  for (int i = 0; i < u->nlink && !l->no_memory; i++) {
    take_link(l, &u->links[i]);
    for (; shape < u->shapes.n && u->shapes.shape[shape].body == i && !l->no_memory; shape++)
      ap__lint_take_shape(l, i, &u->shapes.shape[shape]);
  }
  for (int i = 0; i < u->njoint && !l->no_memory; i++) take_joint(l, &u->joints[i]);
  if (!l->no_memory) take_drives(l, u);
}

static void walk(lint *l, urdf *u) {
  const ap__node *root = l->tree.root;
  if (root && strcmp(root->name, "robot") == 0) ap__urdf_walk(u);
  l->no_memory = l->no_memory || u->status == AP_E_MEMORY;
}

void ap__lint_read_urdf(lint *l) {
  const urdf_doctor doctor = {l, numbers, missing, quaternion};
  urdf u = {.tree = &l->tree, .doctor = &doctor};
  walk(l, &u);
  if (!l->no_memory) take_robot(l, &u);
  ap__urdf_free(&u);
  if (!l->no_memory) ap__lint_tags(l);
}

// ---- links to be weighed -----------------------------------------------------------------------

static bool keep_text(ap_robot *robot, const char **text) {
  return !*text || (*text = ap__robot_text(robot, *text, strlen(*text)));
}

// Mass, centre of mass or a moment is said, but cannot be read, or is not said.
static bool is_lost(const urdf_link *link) {
  enum { ALL = 63 };
  const ap__node *origin = link->at.origin;
  return link->at.inertial && (!link->mass_read || link->moments != ALL ||
                               (origin && ap__attribute(origin, "xyz") && !link->com_read));
}

static bool take_links(const urdf *u, ap_robot *robot, bool *lost) {
  robot->bodies = calloc((size_t)u->nlink + 1, sizeof *robot->bodies);
  robot->lines = calloc((size_t)u->nlink + 1, sizeof *robot->lines);
  robot->shapes = calloc((size_t)u->shapes.n + 1, sizeof *robot->shapes);
  if (!robot->bodies || !robot->lines || !robot->shapes) return false;
  bool kept = true;
  for (int i = 0; i < u->nlink && kept; i++) {
    ap_body_def *body = &robot->bodies[i];
    *body = u->links[i].part.def;
    robot->lines[i + 1] = u->links[i].part.at;
    lost[i] = is_lost(&u->links[i]);
    kept = keep_text(robot, &body->name);
    robot->nbody = robot->body_capacity = i + 1;
  }
  for (int k = 0; k < u->shapes.n && kept; k++) {
    ap_shape *shape = &robot->shapes[k];
    *shape = u->shapes.shape[k];
    shape->body++; // bodies are counted from 1
    kept = keep_text(robot, &shape->file);
    robot->nshape = k + 1;
  }
  robot->def.bodies = robot->bodies;
  robot->def.nbody = robot->nbody;
  return kept;
}

bool ap__lint_urdf_links(lint *l, ap_robot *robot, bool **lost) {
  const urdf_doctor doctor = {l, numbers, missing, quaternion};
  urdf u = {.tree = &l->tree, .doctor = &doctor};
  walk(l, &u);
  *lost = l->no_memory ? NULL : calloc((size_t)u.nlink + 1, sizeof **lost);
  const bool kept = *lost && take_links(&u, robot, *lost);
  ap__urdf_free(&u);
  return kept;
}
