// SPDX-License-Identifier: Apache-2.0
#include "lint/robot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"

lint_link *ap__lint_add_link(lint_robot *robot, const char *name, int line) {
  lint_link *link = ap__append(&robot->link, &robot->nlink, &robot->link_capacity, sizeof *link);
  if (!link) return NULL;
  link->name = name;
  link->line = line;
  link->joint = link->first_child = link->next_sibling = link->twin = -1;
  link->first_shape = robot->nshape;
  return link;
}

lint_joint *ap__lint_add_joint(lint_robot *robot, const char *name, int line) {
  lint_joint *joint =
      ap__append(&robot->joint, &robot->njoint, &robot->joint_capacity, sizeof *joint);
  if (!joint) return NULL;
  joint->name = name;
  joint->line = line;
  joint->type_known = true;
  joint->lower = joint->upper = joint->effort = joint->velocity = NAN;
  joint->gear = joint->ratio = 1;
  joint->axis[robot->yaml ? 2 : 0] = 1; // the default of the format
  joint->parent_link = joint->child_link = joint->leader_joint = -1;
  return joint;
}

lint_shape *ap__lint_add_shape(lint_robot *robot, int link, const ap_shape *s) {
  lint_shape *shape =
      ap__append(&robot->shape, &robot->nshape, &robot->shape_capacity, sizeof *shape);
  if (!shape) return NULL;
  *shape = (lint_shape){
      .kind = s->kind, .collision = s->collision, .link = link, .line = s->line, .file = s->file};
  memcpy(shape->xyz, s->xyz, sizeof shape->xyz);
  memcpy(shape->rpy, s->rpy, sizeof shape->rpy);
  memcpy(shape->size, s->size, sizeof shape->size);
  robot->link[link].nshape++;
  return shape;
}

void ap__lint_robot_free(lint_robot *robot) {
  free(robot->link);
  free(robot->joint);
  free(robot->shape);
  free(robot->order);
}

const lint_joint *ap__lint_carrier(const lint_robot *robot, int link) {
  int joint = link < 0 ? -1 : robot->link[link].joint;
  return joint < 0 ? NULL : &robot->joint[joint];
}

bool ap__lint_one_dof(const lint_joint *joint) {
  return joint->type == AP_REVOLUTE || joint->type == AP_PRISMATIC;
}
