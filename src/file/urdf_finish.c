// SPDX-License-Identifier: Apache-2.0
// From URDF's links, joints and transmissions to parts: one per link, with the joint that carries
// it.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/urdf.h"

static const char *keep(urdf *u, const char *text) {
  const char *kept = ap__robot_text(u->robot, text, strlen(text));
  if (!kept) ap__urdf_no_memory(u);
  return kept;
}

static bool make_parts(urdf *u, ap__names *links) {
  u->robot->def.name = keep(u, u->name);
  if (u->nlink == 0) ap__urdf_fail(u, 1, "the robot has no <link> (at least one)");
  if (!u->status && !ap__names_init(links, u->nlink)) ap__urdf_no_memory(u);
  for (int i = 0; i < u->nlink && !u->status; i++) {
    const ap__part *link = &u->links[i].part;
    ap__part *part = ap__parts_add(&u->parts);
    if (!part) {
      ap__urdf_no_memory(u);
      break;
    }
    *part = *link;
    part->def.name = keep(u, link->def.name);
    int other = u->status ? -1 : ap__names_put(links, part->def.name, i);
    if (other >= 0)
      ap__urdf_fail(u, link->at.body,
                    "link \"%.*s\" is already defined on line %d (names of links are unique)",
                    ap__shown(link->def.name), link->def.name, u->links[other].part.at.body);
  }
  return u->status == AP_OK;
}

// What a joint's type has no use for goes back to its default: with a word where it had a meaning.
static void drop_unused(urdf *u, urdf_joint *joint) {
  ap_body_def *def = &joint->def, initial = ap_default_body();
  if (def->joint == AP_REVOLUTE || def->joint == AP_PRISMATIC) return;
  if (def->joint != AP_FIXED && (def->viscous != 0 || def->coulomb != 0))
    ap__urdf_odd(u, ODD_FRICTION, joint->at.dynamics->line, joint->name);
  if (joint->leader) ap__urdf_odd(u, ODD_FIXED_MIMIC, joint->at.mimic->line, joint->name);
  joint->leader = NULL;
  def->mimic_ratio = initial.mimic_ratio;
  def->mimic_offset = initial.mimic_offset;
  def->viscous = initial.viscous;
  def->coulomb = initial.coulomb;
  def->effort_limit = initial.effort_limit;
  def->velocity_limit = initial.velocity_limit;
  if (def->joint != AP_PLANAR) memcpy(def->axis, initial.axis, sizeof def->axis);
}

static int line_of(const ap__node *e, int otherwise) { return e ? e->line : otherwise; }

static void note_lines(const urdf_joint *joint, ap__lines *at) {
  at->joint = joint->at.joint->line;
  at->parent = line_of(joint->at.parent, at->joint);
  at->place = line_of(joint->at.origin, at->joint);
  at->axis = line_of(joint->at.axis, at->joint);
  at->lower = at->upper = line_of(joint->at.limit, at->joint);
  at->velocity_limit = at->effort_limit = at->lower;
  at->viscous = at->coulomb = at->stiction = line_of(joint->at.dynamics, at->joint);
  at->mimic = at->mimic_ratio = at->mimic_offset = line_of(joint->at.mimic, 0);
}

// The joint's fields into the part of its child link.
static void attach_link(urdf *u, ap__part *link, const urdf_joint *joint) {
  ap_body_def def = joint->def;
  def.name = link->def.name;
  def.joint_name = keep(u, joint->name);
  def.mass = link->def.mass;
  memcpy(def.com, link->def.com, sizeof def.com);
  memcpy(def.inertia, link->def.inertia, sizeof def.inertia);
  memcpy(def.inertia_rpy, link->def.inertia_rpy, sizeof def.inertia_rpy);
  link->def = def;
  link->parent = joint->parent;
  link->leader = joint->leader;
  note_lines(joint, &link->at);
}

static void unknown_link(urdf *u, const ap__node *at, const char *name) {
  ap__urdf_fail(u, at->line, "<%s link=\"%.*s\"> is not in the file (expected the name of a link)",
                at->name, ap__shown(name), name);
}

static bool hang_links(urdf *u, const ap__names *links) {
  for (int i = 0; i < u->njoint && !u->status; i++) {
    urdf_joint *joint = &u->joints[i];
    int child = ap__names_find(links, joint->child);
    drop_unused(u, joint);
    if (child < 0) unknown_link(u, joint->at.child, joint->child);
    if (ap__names_find(links, joint->parent) < 0) unknown_link(u, joint->at.parent, joint->parent);
    if (u->status) return false;
    ap__part *link = &u->parts.part[child];
    if (link->parent)
      ap__urdf_fail(
          u, joint->at.joint->line,
          "link \"%.*s\" is already the child of joint \"%.*s\" (line %d) (a link has one parent)",
          ap__shown(joint->child), joint->child, ap__shown(link->def.joint_name),
          link->def.joint_name, link->at.joint);
    else
      attach_link(u, link, joint);
  }
  return u->status == AP_OK;
}

// The name of the root's joint: "root_joint", unless the file has a joint of that name.
static const char *root_joint_name(urdf *u) {
  enum { LONGEST = 64 };
  char name[LONGEST + 1] = {0};
  memset(name, '_', LONGEST);
  memcpy(name + LONGEST - 10, "root_joint", 10);
  for (int start = LONGEST - 10; start >= 0; start--) {
    int i = 0;
    while (i < u->njoint && strcmp(u->joints[i].name, name + start) != 0) i++;
    if (i == u->njoint) return keep(u, name + start);
  }
  return keep(u, name); // taken too: refused as a name that is not unique
}

static bool find_root(urdf *u) {
  ap__part *root = NULL;
  for (int i = 0; i < u->nlink; i++) {
    ap__part *link = &u->parts.part[i];
    if (link->parent) continue;
    if (root)
      ap__urdf_fail(
          u, link->at.body,
          "links \"%.*s\" (line %d) and \"%.*s\" both have no parent (a robot has one root)",
          ap__shown(root->def.name), root->def.name, root->at.body, ap__shown(link->def.name),
          link->def.name);
    root = link;
  }
  if (!root)
    ap__urdf_fail(
        u, u->joints[0].at.joint->line,
        "every link is the child of a joint: a loop (a robot has one root, which has no parent)");
  else
    root->def.joint_name = root_joint_name(u);
  return u->status == AP_OK;
}

// ---- transmissions -----------------------------------------------------------------------------

static void fail_drive(urdf *u, const urdf_transmission *t, int line, const char *what) {
  ap__urdf_fail(u, line, "joint \"%.*s\" has %s (one motor per joint)", ap__shown(t->joint),
                t->joint, what);
}

// other is a transmission that drives the same joint already; NULL: there is none.
static void drive(urdf *u, const urdf_transmission *t, const urdf_transmission *other,
                  ap__part *link) {
  ap_body_def *def = &link->def;
  double gear = isnan(t->gear) ? 1 : t->gear, rotor = isnan(t->rotor) ? 0 : t->rotor;
  if (gear == 0 && rotor != 0)
    ap__urdf_fail(u, t->gear_line,
                  "the motor of joint \"%.*s\" has the reduction 0 (motor turns per joint turn)",
                  ap__shown(t->joint), t->joint);
  if (!other) {
    def->gear_ratio = gear;
    def->rotor_inertia = rotor;
    link->at.gear_ratio = t->gear_line;
    link->at.rotor_inertia = t->rotor_line;
    return;
  }
  bool geared = !isnan(t->gear) && !isnan(other->gear);
  bool matters = def->rotor_inertia != 0 || rotor != 0;
  if (def->gear_ratio != gear && (geared || matters))
    fail_drive(u, t, t->gear_line, "another transmission with a different reduction");
  if (def->rotor_inertia != rotor)
    fail_drive(u, t, t->rotor_line, "another transmission with a different rotor");
}

// Gears and rotors. A gear ratio acts on nothing but the rotor, so that one without it is no loss.
// driver[k] is for the number, from 1, of the transmission that drives link k.
static void attach_transmissions(urdf *u, const ap__names *joints, int *driver) {
  for (int i = 0; i < u->ntransmission; i++) {
    const urdf_transmission *t = &u->transmissions[i];
    bool matters = !isnan(t->rotor) && t->rotor != 0;
    int k = t->joint ? ap__names_find(joints, t->joint) : -1;
    ap__part *link = k < 0 ? NULL : &u->parts.part[k];
    bool coupled = t->joints > 1 || t->actuators > 1;
    bool motor = link && (link->def.joint == AP_REVOLUTE || link->def.joint == AP_PRISMATIC);
    if (coupled && matters)
      ap__urdf_odd(u, ODD_COUPLED, t->line, t->joint ? t->joint : "transmission");
    else if (!motor && matters)
      ap__urdf_odd(u, ODD_NO_JOINT, t->line, t->joint ? t->joint : "transmission");
    if (!motor || coupled) continue;
    drive(u, t, driver[k] ? &u->transmissions[driver[k] - 1] : NULL, link);
    if (!driver[k]) driver[k] = i + 1;
  }
}

// Springs of Gazebo's extensions, in joints with one degree of freedom.
static void attach_springs(urdf *u, const ap__names *joints) {
  for (int i = 0; i < u->nspring; i++) {
    const urdf_spring *s = &u->springs[i];
    int k = s->joint ? ap__names_find(joints, s->joint) : -1;
    ap__part *link = k < 0 ? NULL : &u->parts.part[k];
    if (link && (link->def.joint == AP_REVOLUTE || link->def.joint == AP_PRISMATIC)) {
      if (!isnan(s->stiffness)) link->def.stiffness = s->stiffness, link->at.stiffness = s->line;
      if (!isnan(s->rest)) link->def.rest[0] = s->rest, link->at.rest = s->line;
    } else if (s->stiffness > 0 || s->stiffness < 0) {
      ap__urdf_odd(u, ODD_SPRING, s->line, s->element);
    }
  }
}

// A plugin that makes a joint follow another: a loss, unless the file says so by <mimic> as well,
// or the joint cannot move.
static void check_plugins(urdf *u, const ap__names *joints) {
  bool mimic = false;
  for (int i = 0; i < u->nlink; i++) mimic = mimic || u->parts.part[i].at.mimic;
  for (int i = 0; i < u->nplugin; i++) {
    const urdf_plugin *plugin = &u->plugins[i];
    int k = plugin->follower ? ap__names_find(joints, plugin->follower) : -1;
    const ap__part *link = k < 0 ? NULL : &u->parts.part[k];
    if (link && !link->at.mimic && link->def.joint != AP_FIXED)
      ap__urdf_odd(u, ODD_PLUGIN, plugin->line, plugin->follower);
    else if (!plugin->follower && !mimic)
      ap__urdf_odd(u, ODD_PLUGIN, plugin->line, "plugin");
  }
}

// What names joints from outside: transmissions, springs and plugins.
static bool read_drives(urdf *u) {
  if (u->ntransmission == 0 && u->nplugin == 0 && u->nspring == 0) return true;
  ap__names joints = {0};
  int *driver = calloc((size_t)u->nlink, sizeof *driver);
  bool done = driver && ap__names_init(&joints, u->nlink);
  if (!done) ap__urdf_no_memory(u);
  for (int i = 0; done && i < u->nlink; i++)
    if (u->parts.part[i].parent) ap__names_put(&joints, u->parts.part[i].def.joint_name, i);
  if (done) check_plugins(u, &joints);
  if (done) attach_transmissions(u, &joints, driver);
  if (done) attach_springs(u, &joints);
  ap__names_free(&joints);
  free(driver);
  return u->status == AP_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static ap_status finish(urdf *u, ap__names *links, const ap_read_options *options) {
  bool done = make_parts(u, links) && hang_links(u, links) && find_root(u);
  if (!done || !read_drives(u)) return u->status;
  ap_status status = ap__robot_assemble(u->robot, &u->parts, options, u->error);
  if (status) return status;
  for (int i = 0; i < u->shapes.n; i++)
    if (u->shapes.shape[i].file) u->shapes.shape[i].file = keep(u, u->shapes.shape[i].file);
  if (u->status) return u->status;
  if (!ap__urdf_color_shapes(u) || !ap__robot_set_shapes(u->robot, &u->shapes, u->parts.part))
    return ap__no_memory(u->error);
  status = ap__urdf_close(u, links, options);
  if (status) return status;
  return options->floating ? ap__robot_set_free(u->robot, u->error) : AP_OK;
}

ap_status ap__urdf_finish(urdf *u, const ap_read_options *options) {
  ap__names links = {0};
  ap_status status = finish(u, &links, options);
  ap__names_free(&links);
  return status;
}
