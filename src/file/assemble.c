// SPDX-License-Identifier: Apache-2.0
// From parts in the file's order, which name each other, to bodies that follow their parents.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/robot.h"

// What assembling needs for a while.
typedef struct assembly {
  ap_robot *robot;
  ap__part *part;
  int n;
  ap_error *error;
  ap__names bodies, joints; // to the part's index
  int *parent;              // [n] index of a part; -1: the ground
  int *first_child;         // [n + 1] by parent; the ground's at n; -1: none
  int *next_child;          // [n] the parent's next one
  int *heap;                // [n] parts whose parent is placed, the first of the file on top
  int waiting;              // entries of heap
} assembly;

static void assembly_free(assembly *a) {
  ap__names_free(&a->bodies);
  ap__names_free(&a->joints);
  free(a->parent); // one block with the arrays behind it
}

static bool assembly_init(assembly *a) {
  size_t n = (size_t)a->n;
  if (!ap__names_init(&a->bodies, a->n) || !ap__names_init(&a->joints, a->n)) return false;
  a->parent = calloc(4 * n + 1, sizeof *a->parent);
  if (!a->parent) return false;
  a->first_child = a->parent + n;
  a->next_child = a->first_child + n + 1;
  a->heap = a->next_child + n;
  return true;
}

// ---- names -------------------------------------------------------------------------------------

static ap_status refuse_name(assembly *a, const char *name, int line, bool joint, int other) {
  return AP__REFUSE(
      a->error, AP_E_MODEL, line,
      "the name \"%.*s\" is already used by the %s on line %d (names of %s must be unique)",
      ap__shown(name), name, joint ? "joint" : "body", other, joint ? "joints" : "bodies");
}

static ap_status index_names(assembly *a) {
  for (int i = 0; i < a->n; i++) {
    const ap__part *p = &a->part[i];
    const char *joint = ap__joint_name(&p->def);
    int other = ap__names_put(&a->bodies, p->def.name, i);
    if (other >= 0) return refuse_name(a, p->def.name, p->at.body, false, a->part[other].at.body);
    other = ap__names_put(&a->joints, joint, i);
    if (other >= 0) return refuse_name(a, joint, p->at.joint, true, a->part[other].at.joint);
  }
  return AP_OK;
}

static ap_status find_parents(assembly *a) {
  for (int i = 0; i <= a->n; i++) a->first_child[i] = -1;
  for (int i = a->n - 1; i >= 0; i--) {
    const ap__part *p = &a->part[i];
    a->parent[i] = p->parent ? ap__names_find(&a->bodies, p->parent) : -1;
    if (p->parent && a->parent[i] < 0)
      return AP__REFUSE(
          a->error, AP_E_MODEL, p->at.parent,
          "the parent \"%.*s\" of \"%.*s\" is not in the file (expected the name of a body)",
          ap__shown(p->parent), p->parent, ap__shown(p->def.name), p->def.name);
    int list = a->parent[i] < 0 ? a->n : a->parent[i];
    a->next_child[i] = a->first_child[list];
    a->first_child[list] = i;
  }
  return AP_OK;
}

// ---- order -------------------------------------------------------------------------------------

static void heap_push(assembly *a, int x) {
  int i = a->waiting++;
  while (i > 0 && a->heap[(i - 1) / 2] > x) {
    a->heap[i] = a->heap[(i - 1) / 2];
    i = (i - 1) / 2;
  }
  a->heap[i] = x;
}

static int heap_pop(assembly *a) {
  int top = a->heap[0], x = a->heap[--a->waiting], i = 0;
  for (int child; (child = 2 * i + 1) < a->waiting; i = child) {
    if (child + 1 < a->waiting && a->heap[child + 1] < a->heap[child]) child++;
    if (a->heap[child] >= x) break;
    a->heap[i] = a->heap[child];
  }
  a->heap[i] = x;
  return top;
}

static ap_status refuse_loop(assembly *a) {
  int i = 0;
  while (a->part[i].number) i++;
  // Walking up from a part that was not reached ends in the loop it hangs on.
  for (int step = 0; step < a->n; step++) i = a->parent[i];
  const ap__part *p = &a->part[i], *q = &a->part[a->parent[i]];
  return AP__REFUSE(a->error, AP_E_MODEL, p->at.joint,
                    "\"%.*s\" is the child of \"%.*s\", which descends from it: a loop (a robot "
                    "file is a tree with one root)",
                    ap__shown(p->def.name), p->def.name, ap__shown(q->def.name), q->def.name);
}

// Repeatedly the first part of the file whose parent is already placed.
static ap_status place_all(assembly *a) {
  ap_robot *robot = a->robot;
  for (int i = 0; i < a->n; i++) a->part[i].number = 0;
  for (int c = a->first_child[a->n]; c >= 0; c = a->next_child[c]) heap_push(a, c);
  while (a->waiting > 0) {
    int i = heap_pop(a);
    ap__part *p = &a->part[i];
    ap_body_def *body = &robot->bodies[robot->nbody++];
    *body = p->def;
    body->parent = a->parent[i] < 0 ? 0 : a->part[a->parent[i]].number;
    p->number = robot->nbody;
    for (int c = a->first_child[i]; c >= 0; c = a->next_child[c]) heap_push(a, c);
    robot->lines[p->number] = p->at;
  }
  return robot->nbody < a->n ? refuse_loop(a) : AP_OK;
}

// ---- mimic -------------------------------------------------------------------------------------

static bool one_dof(ap_joint_type type) { return type == AP_REVOLUTE || type == AP_PRISMATIC; }

// The part that p follows, -1 with *status where there is none.
static int leader_of(assembly *a, const ap__part *p, ap_status *status) {
  int leader = ap__names_find(&a->joints, p->leader);
  const char *name = ap__joint_name(&p->def);
  *status = AP_OK;
  if (leader < 0)
    *status = AP__REFUSE(
        a->error, AP_E_MODEL, p->at.mimic,
        "joint \"%.*s\" mimics \"%.*s\", which is not in the file (expected the name of a joint)",
        ap__shown(name), name, ap__shown(p->leader), p->leader);
  return leader;
}

static ap_status follow(assembly *a, ap__part *p) {
  ap_status status;
  int leader = leader_of(a, p, &status);
  if (status) return status;
  const char *name = ap__joint_name(&p->def);
  if (!one_dof(p->def.joint) || !one_dof(a->part[leader].def.joint))
    return AP__REFUSE(a->error, AP_E_MODEL, p->at.mimic,
                      "joint \"%.*s\" cannot mimic \"%.*s\" (both must be revolute, continuous or "
                      "prismatic)",
                      ap__shown(name), name, ap__shown(p->leader), p->leader);
  a->robot->bodies[p->number - 1].mimic = a->part[leader].number;
  return AP_OK;
}

// Every chain of followers must end. seen[] holds the number at which the walk that came by began.
static ap_status check_chains(assembly *a) {
  const ap_body_def *bodies = a->robot->bodies;
  int *seen = a->heap; // free by now
  for (int i = 0; i < a->n; i++) seen[i] = 0;
  for (int k = 0; k < a->n; k++) {
    const ap__part *p = &a->part[k];
    int start = p->number, i = start;
    while (i != 0 && seen[i - 1] == 0) {
      seen[i - 1] = start;
      i = bodies[i - 1].mimic;
    }
    if (i == 0 || seen[i - 1] != start) continue;
    const char *name = ap__joint_name(&p->def);
    return AP__REFUSE(a->error, AP_E_MODEL, p->at.mimic,
                      "joint \"%.*s\" mimics itself, directly or through others (a chain of mimic "
                      "joints must end at an independent joint)",
                      ap__shown(name), name);
  }
  return AP_OK;
}

static ap_status ignore_mimic(assembly *a) {
  int ignored = 0;
  const ap__part *first = NULL;
  for (int i = 0; i < a->n; i++) {
    if (!a->part[i].leader) continue;
    ap_status status;
    if (leader_of(a, &a->part[i], &status) < 0) return status;
    ap_body_def *body = &a->robot->bodies[a->part[i].number - 1];
    body->mimic_ratio = 1;
    body->mimic_offset = 0;
    if (ignored++ == 0) first = &a->part[i];
  }
  if (!first) return AP_OK;
  const char *name = ap__joint_name(&first->def);
  char others[32] = "";
  if (ignored > 1) snprintf(others, sizeof others, " (and %d more)", ignored - 1);
  return ap__robot_warn(a->robot, first->at.mimic,
                        "mimic is ignored: joint \"%.*s\"%s is independent", ap__shown(name), name,
                        others)
             ? AP_OK
             : ap__no_memory(a->error);
}

static ap_status resolve_mimic(assembly *a) {
  for (int i = 0; i < a->n; i++) {
    if (!a->part[i].leader) continue;
    ap_status status = follow(a, &a->part[i]);
    if (status) return status;
  }
  return check_chains(a);
}

// ---- the whole ---------------------------------------------------------------------------------

static ap_status assemble(assembly *a, const ap_read_options *options) {
  ap_robot *robot = a->robot;
  robot->bodies = calloc((size_t)a->n, sizeof *robot->bodies);
  robot->lines = calloc((size_t)a->n + 1, sizeof *robot->lines);
  if (!robot->bodies || !robot->lines || !assembly_init(a)) return ap__no_memory(a->error);
  robot->body_capacity = a->n;
  ap_status status = index_names(a);
  if (!status) status = find_parents(a);
  if (!status) status = place_all(a);
  if (!status) status = options->ignore_mimic ? ignore_mimic(a) : resolve_mimic(a);
  robot->def.bodies = robot->bodies;
  robot->def.nbody = robot->nbody;
  return status;
}

ap_status ap__robot_assemble(ap_robot *robot, ap__parts *parts, const ap_read_options *options,
                             ap_error *error) {
  assembly a = {.robot = robot, .part = parts->part, .n = parts->n, .error = error};
  ap_status status = assemble(&a, options);
  assembly_free(&a);
  return status;
}

// ---- closed chains -----------------------------------------------------------------------------

ap_status ap__robot_open_loops(ap_robot *robot, int line, int closures, ap_error *error) {
  return ap__robot_warn(robot, line, "closed chains are open: %d closure%s ignored", closures,
                        closures == 1 ? " is" : "s are")
             ? AP_OK
             : ap__no_memory(error);
}

// ---- free base ---------------------------------------------------------------------------------

static ap_status refuse_second_base(const ap_robot *robot, int body, ap_error *error) {
  const char *name = robot->bodies[body - 1].name;
  return AP__REFUSE(error, AP_E_ARG, robot->lines[body].body,
                    "the robot already has a free base, \"%.*s\" (do not ask for a floating one)",
                    ap__shown(name), name);
}

// Put one more body before all others: they move up by one.
static bool insert_first(ap_robot *robot, const ap_body_def *first) {
  size_t n = (size_t)robot->nbody;
  ap_body_def *bodies = malloc((n + 1) * sizeof *bodies);
  ap__lines *lines = calloc(n + 2, sizeof *lines);
  if (!bodies || !lines) {
    free(bodies);
    free(lines);
    return false;
  }
  bodies[0] = *first;
  for (size_t i = 0; i < n; i++) {
    bodies[i + 1] = robot->bodies[i];
    bodies[i + 1].parent++; // what hung on the ground hangs on the new body
    if (bodies[i + 1].mimic) bodies[i + 1].mimic++;
    lines[i + 2] = robot->lines[i + 1];
  }
  free(robot->bodies);
  free(robot->lines);
  robot->bodies = bodies;
  robot->lines = lines;
  robot->body_capacity = (int)n + 1;
  robot->def.bodies = bodies;
  robot->def.nbody = ++robot->nbody;
  for (int i = 0; i < robot->nframe; i++)
    if (robot->frames[i].body) robot->frames[i].body++;
  for (int i = 0; i < robot->nshape; i++) robot->shapes[i].body++;
  return true;
}

ap_status ap__robot_set_free(ap_robot *robot, ap_error *error) {
  int root = 0, roots = 0, child = 0, children = 0;
  for (int i = robot->nbody; i > 0; i--) {
    if (robot->bodies[i - 1].parent != 0) continue;
    if (robot->bodies[i - 1].joint == AP_FREE) return refuse_second_base(robot, i, error);
    root = i;
    roots++;
  }
  for (int i = robot->nbody; i > 0; i--)
    if (roots == 1 && robot->bodies[i - 1].parent == root) children++, child = i;
  ap_body_def *body = roots == 1 ? &robot->bodies[root - 1] : NULL;
  // A "world" link that carries nothing but a free body.
  if (body && body->joint == AP_FIXED && body->mass == 0 && children == 1 &&
      robot->bodies[child - 1].joint == AP_FREE)
    return refuse_second_base(robot, child, error);
  if (body && body->joint == AP_FIXED && body->place.kind <= AP_PLACE_MATRIX) {
    body->joint = AP_FREE;
    return AP_OK;
  }
  ap_body_def base = ap_default_body();
  base.joint = AP_FREE;
  base.name = ap__robot_new_name(robot, "base", false);
  base.joint_name = ap__robot_new_name(robot, "root_joint", true);
  if (!base.name || !base.joint_name || !insert_first(robot, &base)) return ap__no_memory(error);
  if (!ap__robot_warn(
          robot, 0, "no link is fixed to the ground: added a massless body \"%s\" as the free base",
          base.name))
    return ap__no_memory(error);
  return AP_OK;
}
