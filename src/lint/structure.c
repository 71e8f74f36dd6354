// SPDX-License-Identifier: Apache-2.0
// Who hangs on whom: names, parents, loops, what is left over; then the poses with all joints at
// zero.

#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/xyz_rpy.h"
#include "lint/examine.h"
#include "lint/tensor.h"

typedef struct view {
  lint *l;
  lint_robot *robot;
  ap__names links, joints;
} view;

// ---- names -------------------------------------------------------------------------------------

static void say_duplicate(lint *l, const char *kind, const char *name, int line, int other) {
  lint_note note = ap__lint_begin("duplicate-name", line, name);
  ap__lint_what(&note, "%s \"%.*s\" is already defined on line %d", kind, ap__shown(name), name,
                other);
  ap__lint_why(&note, "references to it are ambiguous");
  ap__lint_fix(&note, "give one of them another name");
  ap__lint_end(l, &note);
}

static void look_at_characters(lint *l, const char *kind, const char *name, int line) {
  bool odd = false, blank = false;
  for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
    odd = odd || *c >= 0x80;
    blank = blank || *c <= ' ' || *c == '/' || *c == '"' || *c == '\'' || *c == ',';
  }
  if (!odd && !blank) return;
  lint_note note = ap__lint_begin("name-characters", line, name);
  ap__lint_what(&note, "the name of %s \"%.*s\" has %s", kind, ap__shown(name), name,
                odd ? "characters beyond ASCII" : "blanks, quotes, commas or slashes");
  ap__lint_why(&note, "it causes trouble in ROS, CSV columns, shells and generated code");
  ap__lint_fix(&note, "letters, digits and underscores");
  ap__lint_end(l, &note);
}

static bool index_names(view *v) {
  lint_robot *robot = v->robot;
  if (!ap__names_init(&v->links, robot->nlink + 1) ||
      !ap__names_init(&v->joints, robot->njoint + 1))
    return false;
  for (int i = 0; i < robot->nlink; i++) {
    const lint_link *link = &robot->link[i];
    int other = *link->name ? ap__names_put(&v->links, link->name, i) : -1;
    if (other >= 0) say_duplicate(v->l, "link", link->name, link->line, robot->link[other].line);
    look_at_characters(v->l, "link", link->name, link->line);
  }
  for (int i = 0; i < robot->njoint; i++) {
    const lint_joint *joint = &robot->joint[i];
    int other = *joint->name ? ap__names_put(&v->joints, joint->name, i) : -1;
    if (other >= 0)
      say_duplicate(v->l, "joint", joint->name, joint->line, robot->joint[other].line);
    bool own = joint->child && strcmp(joint->child, joint->name) == 0;
    if (!own) look_at_characters(v->l, "joint", joint->name, joint->line);
  }
  return true;
}

// ---- parents -----------------------------------------------------------------------------------

static const char *nearest(const view *v, const char *name, bool joint) {
  const char *near = NULL;
  int least = 1000, n = joint ? v->robot->njoint : v->robot->nlink;
  for (int i = 0; i < n && i < 1000; i++) {
    const char *known = joint ? v->robot->joint[i].name : v->robot->link[i].name;
    if (ap__name_nearer(name, known, &least)) near = known;
  }
  return near;
}

static void say_unknown(const view *v, const lint_joint *j, int line, const char *role,
                        const char *name, bool joint) {
  if (v->l->cut) return; // it may stand in the part that cannot be read
  lint_note note = ap__lint_begin("unknown-link", line, j->name);
  const char *near = nearest(v, name, joint);
  ap__lint_what(&note, "the %s \"%.*s\" of joint \"%.*s\" is not in the file", role,
                ap__shown(name), name, ap__shown(j->name), j->name);
  ap__lint_why(&note, joint ? "the leader is unknown"
                            : "the joint and everything beyond it are not part of the robot");
  if (near)
    ap__lint_fix(&note, "\"%.*s\"", ap__shown(near), near);
  else
    ap__lint_fix(&note, "the name of an existing %s", joint ? "joint" : "link");
  ap__lint_end(v->l, &note);
}

// May link `parent` carry link `child`, so that no ring closes?
static bool may_carry(const lint_robot *robot, int parent, int child) {
  for (int at = parent, k = 0; at >= 0 && k <= robot->nlink; k++) {
    if (at == child) return false;
    const lint_joint *j = ap__lint_carrier(robot, at);
    at = j ? j->parent_link : -1;
  }
  return true;
}

// Once all that names somebody is known: a name that is nearly that of a link is taken for it,
// where the robot stays a tree, so that a misspelt name is one finding and not many.
static void guess_joint(view *v, int i) {
  lint_robot *robot = v->robot;
  lint_joint *j = &robot->joint[i];
  bool parent = j->parent && j->parent_link < 0, child = j->child && j->child_link < 0;
  if (!parent && !child) return;
  const char *near = nearest(v, parent ? j->parent : j->child, false);
  int link = near && parent != child ? ap__names_find(&v->links, near) : -1;
  int on = parent ? link : j->parent_link, carried = parent ? j->child_link : link;
  if (on >= 0 && carried >= 0 && robot->link[carried].joint < 0 && may_carry(robot, on, carried)) {
    j->parent_link = on;
    j->child_link = carried;
    robot->link[carried].joint = i;
  } else if (j->parent_link >= 0) {
    robot->link[j->parent_link].doubtful = true;
  } else {
    robot->astray = true;
  }
}

static void resolve_joint(view *v, int i) {
  lint_joint *j = &v->robot->joint[i];
  if (j->parent) j->parent_link = ap__names_find(&v->links, j->parent);
  if (v->robot->yaml)
    j->child_link = i; // a body and its joint are one entry there
  else if (j->child)
    j->child_link = ap__names_find(&v->links, j->child);
  if (j->leader) j->leader_joint = ap__names_find(&v->joints, j->leader);
  if (j->parent && j->parent_link < 0)
    say_unknown(v, j, j->parent_line, "parent", j->parent, false);
  if (j->child && j->child_link < 0) say_unknown(v, j, j->child_line, "child", j->child, false);
  if (j->leader && j->leader_joint < 0) say_unknown(v, j, j->mimic_line, "leader", j->leader, true);
  if (j->child_link < 0 || (j->parent && j->parent_link < 0)) return;
  lint_link *link = &v->robot->link[j->child_link];
  if (link->joint < 0) {
    link->joint = i;
    return;
  }
  lint_note note = ap__lint_begin("two-parents", j->line, link->name);
  const lint_joint *first = &v->robot->joint[link->joint];
  ap__lint_what(&note, "link \"%.*s\" is the child of joint \"%.*s\"%s and of \"%.*s\"",
                ap__shown(link->name), link->name, ap__shown(first->name), first->name,
                ap__lint_place(first->line).text, ap__shown(j->name), j->name);
  ap__lint_why(&note, "a robot file is a tree; a second joint would close a chain");
  ap__lint_fix(&note, "remove one of the joints, or write the closure in an Appell YAML file");
  ap__lint_end(v->l, &note);
}

// ---- the tree ----------------------------------------------------------------------------------

static bool is_anchor(const lint_robot *robot, int i) {
  const lint_joint *j = ap__lint_carrier(robot, i);
  return robot->yaml ? j && j->parent == NULL : j == NULL;
}

static void append_subtree(lint_robot *robot, int root) {
  int done = robot->norder;
  robot->order[robot->norder++] = root;
  for (; done < robot->norder; done++)
    for (int c = robot->link[robot->order[done]].first_child; c >= 0;
         c = robot->link[c].next_sibling)
      robot->order[robot->norder++] = c;
}

static void link_children(lint_robot *robot) {
  for (int i = robot->nlink - 1; i >= 0; i--) {
    const lint_joint *j = ap__lint_carrier(robot, i);
    if (!j || j->parent_link < 0) continue;
    lint_link *parent = &robot->link[j->parent_link];
    robot->link[i].next_sibling = parent->first_child;
    parent->first_child = i;
  }
}

static void say_left_over(lint *l, int link, const char *other, bool ring) {
  const lint_link *left = &l->robot.link[link];
  const lint_joint *j = ap__lint_carrier(&l->robot, link);
  lint_note note =
      ap__lint_begin(ring ? "cycle" : "disconnected", ring ? j->line : left->line, left->name);
  if (ring)
    ap__lint_what(&note, "link \"%.*s\" is its own parent, directly or through others",
                  ap__shown(left->name), left->name);
  else
    ap__lint_what(&note, "link \"%.*s\" is not connected to the tree of \"%.*s\"",
                  ap__shown(left->name), left->name, ap__shown(other), other);
  ap__lint_why(&note, ring ? "a robot file is a tree that starts at one root"
                           : "a robot has one root; this link would be a separate robot");
  ap__lint_fix(&note, ring ? "give one joint of the ring another parent"
                           : "connect it by a joint, or remove it");
  ap__lint_end(l, &note);
}

// Everything that hangs on something and was not reached hangs on a ring: one finding for each.
static void find_rings(view *v, int *mark) {
  lint_robot *robot = v->robot;
  for (int i = 0; i < robot->nlink; i++) {
    int at = i;
    while (at >= 0 && mark[at] == 0) {
      mark[at] = i + 2;
      const lint_joint *j = ap__lint_carrier(robot, at);
      at = j ? j->parent_link : -1;
    }
    if (at >= 0 && mark[at] == i + 2) say_left_over(v->l, at, "", true);
  }
}

static void walk_tree(view *v) {
  lint_robot *robot = v->robot;
  int best = -1, most = 0;
  link_children(robot);
  for (int i = 0; i < robot->nlink; i++) { // the largest tree is the robot
    if (!is_anchor(robot, i)) continue;
    int start = robot->norder;
    append_subtree(robot, i);
    int size = robot->norder - start;
    if (!robot->yaml) robot->norder = start;
    if (size > most) best = i, most = size;
  }
  if (!robot->yaml && best >= 0) append_subtree(robot, best);
  int *mark = calloc((size_t)robot->nlink + 1, sizeof *mark);
  if (!ap__lint_got(v->l, mark)) return;
  for (int k = 0; k < robot->norder; k++) mark[robot->order[k]] = 1;
  for (int i = 0; i < robot->nlink; i++) {
    if (mark[i] || !is_anchor(robot, i)) continue;
    mark[i] = 1;
    // a second link of the same name has its finding already
    if (!v->l->cut && ap__names_find(&v->links, robot->link[i].name) == i)
      say_left_over(v->l, i, best >= 0 ? robot->link[best].name : "", false);
    for (int c = robot->link[i].first_child; c >= 0; c = robot->link[c].next_sibling) mark[c] = 1;
  }
  find_rings(v, mark);
  free(mark);
}

// ---- poses -------------------------------------------------------------------------------------

static void place_link(lint_robot *robot, int i) {
  lint_link *link = &robot->link[i];
  const lint_joint *j = ap__lint_carrier(robot, i);
  double xyz[3] = {0}, rpy[3] = {0}, R[9];
  static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0, 0, 0};
  if (j) ap__joint_xyz_rpy(&j->place, xyz, rpy);
  ap__matrix_of_rpy(rpy, R);
  if (j && j->place.kind == AP_DH_STANDARD) { // the rest of the step lies behind the joint
    double beyond[3] = {j->place.a, 0, 0}, turn[3] = {j->place.alpha, 0, 0}, A[9];
    ap__lint_rotate(R, beyond, beyond);
    for (int k = 0; k < 3; k++) xyz[k] += beyond[k];
    ap__matrix_of_rpy(turn, A);
    ap__lint_multiply(R, A, R);
  }
  const lint_link *parent = j && j->parent_link >= 0 ? &robot->link[j->parent_link] : NULL;
  const double *from = parent ? parent->p : zero;
  ap__lint_multiply(parent ? parent->R : unit, R, link->R);
  ap__lint_rotate(parent ? parent->R : unit, xyz, link->p);
  for (int k = 0; k < 3; k++) link->p[k] += from[k];
}

static void find_inertia(lint_link *link) {
  double R[9];
  ap__matrix_of_rpy(link->rpy, R);
  link->own.mass = link->mass;
  memcpy(link->own.com, link->com, sizeof link->com);
  ap__lint_turn(R, link->tensor, link->own.tensor);
  ap__lint_principal(link->own.tensor, link->moment, link->axes);
}

static void add_carried(lint_robot *robot, int i) {
  const lint_joint *j = ap__lint_carrier(robot, i);
  lint_link *link = &robot->link[i],
            *parent = j && j->parent_link >= 0 ? &robot->link[j->parent_link] : NULL;
  link->carried += link->mass;
  link->doubtful = link->doubtful || link->mass_lost || link->tensor_lost;
  if (!parent) return;
  parent->carried += link->carried;
  parent->doubtful = parent->doubtful || link->doubtful;
}

void ap__lint_structure(lint *l) {
  view v = {.l = l, .robot = &l->robot};
  lint_robot *robot = &l->robot;
  robot->order = calloc((size_t)robot->nlink + 1, sizeof *robot->order);
  if (ap__lint_got(l, robot->order && index_names(&v))) {
    for (int i = 0; i < robot->njoint; i++) resolve_joint(&v, i);
    for (int i = 0; i < robot->njoint; i++) guess_joint(&v, i);
    walk_tree(&v);
    for (int k = 0; k < robot->norder; k++) place_link(robot, robot->order[k]);
    for (int i = 0; i < robot->nlink; i++) find_inertia(&robot->link[i]);
    for (int k = robot->norder - 1; k >= 0; k--) add_carried(robot, robot->order[k]);
  }
  ap__names_free(&v.links);
  ap__names_free(&v.joints);
}
