// SPDX-License-Identifier: Apache-2.0
// Bodies as definitions in C have them, to links and joints: those of built-in robots, which have
// no lines, those of YAML files, and those that the reader of MJCF makes.

#include <math.h>
#include <string.h>

#include "lint/examine.h"

static double limit(double x) { return isfinite(x) ? x : NAN; }

void ap__lint_take_joint(lint_joint *j, const ap_body_def *body) {
  j->type = body->joint;
  j->place = body->place;
  memcpy(j->axis, body->axis, sizeof j->axis);
  j->lower = limit(body->lower);
  j->upper = limit(body->upper);
  j->effort = limit(body->effort_limit);
  j->velocity = limit(body->velocity_limit);
  j->continuous = isnan(j->lower) && isnan(j->upper);
  j->viscous = body->viscous;
  j->coulomb = body->coulomb;
  j->stiction = body->stiction;
  j->stiffness = body->stiffness;
  memcpy(j->rest, body->rest, sizeof j->rest);
  j->rotor = body->rotor_inertia;
  j->gear = body->gear_ratio;
  j->ratio = body->mimic_ratio;
  j->offset = body->mimic_offset;
}

bool ap__lint_add_body(lint *l, const ap__part *part, lint_link **link, lint_joint **joint) {
  const ap_body_def *body = &part->def;
  *link = ap__lint_add_link(&l->robot, body->name, part->at.body);
  *joint = ap__lint_add_joint(&l->robot, ap__joint_name(body), part->at.joint);
  if (!ap__lint_got(l, *link && *joint)) return false;
  (*link)->inertial = (*link)->mass_given = (*link)->tensor_given = true;
  (*link)->mass = body->mass;
  memcpy((*link)->com, body->com, sizeof body->com);
  memcpy((*link)->tensor, body->inertia, sizeof body->inertia);
  memcpy((*link)->rpy, body->inertia_rpy, sizeof body->inertia_rpy);
  (*link)->compensated = body->gravity_compensation;
  (*joint)->child = body->name;
  (*joint)->parent = part->parent;
  (*joint)->leader = part->leader;
  ap__lint_take_joint(*joint, body);
  return true;
}

// The lines of what a file says of a body and its joint.
static void set_lines(const ap__lines *at, lint_link *link, lint_joint *joint) {
  link->mass_line = at->mass;
  link->com_line = at->com;
  link->inertia_line = at->inertia;
  joint->child_line = at->body;
  joint->parent_line = at->parent;
  joint->origin_line = at->place;
  joint->axis_line = at->axis;
  joint->limit_line = at->lower;
  joint->dynamics_line = at->viscous;
  joint->rotor_line = at->rotor_inertia;
  joint->mimic_line = at->mimic;
}

void ap__lint_read_definition(lint *l, const ap_robot_def *def, const ap__lines *lines) {
  l->robot.yaml = true; // several bodies may hang on the ground, and the axis is z by default
  l->robot.name = def->name ? def->name : "";
  memcpy(l->robot.gravity, def->gravity, sizeof def->gravity);
  for (int i = 0; i < def->nbody && !l->no_memory; i++) {
    const ap_body_def *body = &def->bodies[i];
    lint_link *link;
    lint_joint *joint;
    ap__part part = {.def = *body};
    if (lines) part.at = lines[i + 1];
    if (body->parent) part.parent = def->bodies[body->parent - 1].name;
    if (body->mimic) part.leader = ap__joint_name(&def->bodies[body->mimic - 1]);
    if (ap__lint_add_body(l, &part, &link, &joint) && lines) set_lines(&part.at, link, joint);
  }
}
