// Built-in robots: from definitions in C to links and joints. They have no lines.

#include <math.h>
#include <string.h>

#include "lint/examine.h"

static double limit(double x) { return isfinite(x) ? x : NAN; }

static void add_joint(lint *l, const ap_robot_def *def, const ap_body_def *body) {
  lint_joint *j =
      ap__lint_add_joint(&l->robot, body->joint_name ? body->joint_name : body->name, 0);
  if (!j) {
    l->no_memory = true;
    return;
  }
  j->child = body->name;
  j->parent = body->parent ? def->bodies[body->parent - 1].name : NULL;
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
  j->rotor = body->rotor_inertia;
  j->gear = body->gear_ratio;
  j->ratio = body->mimic_ratio;
  j->offset = body->mimic_offset;
  const ap_body_def *leader = body->mimic ? &def->bodies[body->mimic - 1] : NULL;
  if (leader) j->leader = leader->joint_name ? leader->joint_name : leader->name;
}

void ap__lint_read_definition(lint *l, const ap_robot_def *def) {
  l->robot.yaml = true; // several bodies may hang on the ground, and the axis is z by default
  l->robot.name = def->name ? def->name : "";
  memcpy(l->robot.gravity, def->gravity, sizeof def->gravity);
  for (int i = 0; i < def->nbody && !l->no_memory; i++) {
    const ap_body_def *body = &def->bodies[i];
    lint_link *link = ap__lint_add_link(&l->robot, body->name, 0);
    if (!link) {
      l->no_memory = true;
      return;
    }
    link->inertial = link->mass_given = link->tensor_given = true;
    link->mass = body->mass;
    memcpy(link->com, body->com, sizeof link->com);
    memcpy(link->tensor, body->inertia, sizeof link->tensor);
    memcpy(link->rpy, body->inertia_rpy, sizeof link->rpy);
    add_joint(l, def, body);
  }
}
