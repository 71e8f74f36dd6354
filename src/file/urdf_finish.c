// From URDF's links, joints and transmissions to parts: one per link, with the joint that carries
// it.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/urdf.h"

static bool index_links(urdf *u, ap__names *links) {
  if (u->links.n == 0) return ap__urdf_fail_at(u, 1, "the robot has no <link> (at least one)");
  if (!ap__names_init(links, u->links.n)) return ap__urdf_no_memory(u);
  for (int i = 0; i < u->links.n; i++) {
    const ap__part *link = &u->links.part[i];
    int other = ap__names_put(links, link->def.name, i);
    if (other >= 0)
      return ap__urdf_fail_at(
          u, link->line, "link \"%.*s\" is already defined on line %d (names of links are unique)",
          ap__shown(link->def.name), link->def.name, u->links.part[other].line);
  }
  return true;
}

// The joint's fields into the part of its child link.
static void hang(ap__part *link, const urdf_joint *joint) {
  ap_body_def def = joint->def;
  def.name = link->def.name;
  def.joint_name = joint->name;
  def.mass = link->def.mass;
  memcpy(def.com, link->def.com, sizeof def.com);
  memcpy(def.inertia, link->def.inertia, sizeof def.inertia);
  memcpy(def.inertia_rpy, link->def.inertia_rpy, sizeof def.inertia_rpy);
  link->def = def;
  link->parent = joint->parent;
  link->leader = joint->leader;
  link->joint_line = joint->line;
  link->mimic_line = joint->mimic_line;
}

static bool unknown_link(urdf *u, int line, const char *element, const char *name) {
  return ap__urdf_fail_at(u, line, "<%s link=\"%.*s\"> is not in the file (a link's name)", element,
                          ap__shown(name), name);
}

static bool hang_links(urdf *u, const ap__names *links) {
  for (int i = 0; i < u->njoint; i++) {
    const urdf_joint *joint = &u->joints[i];
    int child = ap__names_find(links, joint->child);
    if (child < 0) return unknown_link(u, joint->child_line, "child", joint->child);
    if (ap__names_find(links, joint->parent) < 0)
      return unknown_link(u, joint->parent_line, "parent", joint->parent);
    ap__part *link = &u->links.part[child];
    if (link->parent)
      return ap__urdf_fail_at(
          u, joint->line,
          "link \"%.*s\" is the child of joint \"%.*s\" (line %d) already (a link "
          "has one parent)",
          ap__shown(joint->child), joint->child, ap__shown(link->def.joint_name),
          link->def.joint_name, link->joint_line);
    hang(link, joint);
  }
  return true;
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
    if (i == u->njoint) return ap__robot_text(u->robot, name + start, strlen(name + start));
  }
  return ap__robot_text(u->robot, name, LONGEST); // taken too: refused as a name that is not unique
}

static bool find_root(urdf *u) {
  ap__part *root = NULL;
  for (int i = 0; i < u->links.n; i++) {
    ap__part *link = &u->links.part[i];
    if (link->parent) continue;
    if (root)
      return ap__urdf_fail_at(
          u, link->line,
          "links \"%.*s\" (line %d) and \"%.*s\" are both the child of no joint (a "
          "robot has one root)",
          ap__shown(root->def.name), root->def.name, root->line, ap__shown(link->def.name),
          link->def.name);
    root = link;
  }
  if (!root)
    return ap__urdf_fail_at(
        u, u->joints[0].line,
        "every link is the child of a joint: a loop (a robot has one root, which "
        "is the child of none)");
  root->def.joint_name = root_joint_name(u);
  return root->def.joint_name || ap__urdf_no_memory(u);
}

// ---- transmissions -----------------------------------------------------------------------------

static bool fail_drive(urdf *u, const urdf_transmission *t, const char *what) {
  return ap__urdf_fail_at(u, t->line, "joint \"%.*s\" has %s (one motor per joint)",
                          ap__shown(t->joint), t->joint, what);
}

// other is a transmission that drives the same joint already; NULL: there is none.
static bool drive(urdf *u, const urdf_transmission *t, const urdf_transmission *other,
                  ap__part *link) {
  ap_body_def *def = &link->def;
  double gear = isnan(t->gear) ? 1 : t->gear, rotor = isnan(t->rotor) ? 0 : t->rotor;
  if (gear == 0 && rotor != 0)
    return ap__urdf_fail_at(
        u, t->line,
        "the motor of joint \"%.*s\" has the reduction 0 (motor turns per joint "
        "turn)",
        ap__shown(t->joint), t->joint);
  if (!other) {
    def->gear_ratio = gear;
    def->rotor_inertia = rotor;
    return true;
  }
  bool geared = !isnan(t->gear) && !isnan(other->gear);
  bool matters = def->rotor_inertia != 0 || rotor != 0;
  if (def->gear_ratio != gear && (geared || matters))
    return fail_drive(u, t, "another transmission with a different reduction");
  if (def->rotor_inertia != rotor)
    return fail_drive(u, t, "another transmission with a different rotor");
  return true;
}

// Gears and rotors. A gear ratio acts on nothing but the rotor, so that one without it is no loss.
// driver[k] is for the number, from 1, of the transmission that drives link k.
static bool attach_transmissions(urdf *u, const ap__names *joints, int *driver) {
  for (int i = 0; i < u->ntransmission; i++) {
    const urdf_transmission *t = &u->transmissions[i];
    bool matters = !isnan(t->rotor) && t->rotor != 0;
    int k = t->joint ? ap__names_find(joints, t->joint) : -1;
    ap__part *link = k < 0 ? NULL : &u->links.part[k];
    bool coupled = t->joints > 1 || t->actuators > 1;
    bool motor = link && (link->def.joint == AP_REVOLUTE || link->def.joint == AP_PRISMATIC);
    if (coupled && matters)
      ap__urdf_odd(u, ODD_COUPLED, t->line, t->joint ? t->joint : "transmission");
    else if (!motor && matters)
      ap__urdf_odd(u, ODD_NO_JOINT, t->line, t->joint ? t->joint : "transmission");
    if (!motor || coupled) continue;
    if (!drive(u, t, driver[k] ? &u->transmissions[driver[k] - 1] : NULL, link)) return false;
    if (!driver[k]) driver[k] = i + 1;
  }
  return true;
}

// A plugin that makes a joint follow another: a loss, unless the file says so by <mimic> as well,
// or the joint cannot move.
static void check_plugins(urdf *u, const ap__names *joints) {
  bool mimic = false;
  for (int i = 0; i < u->links.n; i++) mimic = mimic || u->links.part[i].mimic_line;
  for (int i = 0; i < u->nplugin; i++) {
    const urdf_plugin *plugin = &u->plugins[i];
    int k = plugin->follower ? ap__names_find(joints, plugin->follower) : -1;
    const ap__part *link = k < 0 ? NULL : &u->links.part[k];
    if (link && !link->mimic_line && link->def.joint != AP_FIXED)
      ap__urdf_odd(u, ODD_PLUGIN, plugin->line, plugin->follower);
    else if (!plugin->follower && !mimic)
      ap__urdf_odd(u, ODD_PLUGIN, plugin->line, "plugin");
  }
}

// What names joints from outside: transmissions and plugins.
static bool read_drives(urdf *u) {
  if (u->ntransmission == 0 && u->nplugin == 0) return true;
  ap__names joints = {0};
  int *driver = calloc((size_t)u->links.n, sizeof *driver);
  bool done = driver && ap__names_init(&joints, u->links.n);
  if (!done) ap__urdf_no_memory(u);
  for (int i = 0; done && i < u->links.n; i++)
    if (u->links.part[i].parent) ap__names_put(&joints, u->links.part[i].def.joint_name, i);
  if (done) check_plugins(u, &joints);
  done = done && attach_transmissions(u, &joints, driver);
  ap__names_free(&joints);
  free(driver);
  return done;
}

// ---- the whole ---------------------------------------------------------------------------------

ap_status ap__urdf_finish(urdf *u, const ap_read_options *options) {
  ap__names links = {0};
  bool done = index_links(u, &links) && hang_links(u, &links) && find_root(u);
  ap__names_free(&links);
  if (!done || !read_drives(u)) return u->status;
  ap_status status = ap__robot_assemble(u->robot, &u->links, options, u->error);
  if (status) return status;
  if (!ap__urdf_color_shapes(u)) return u->status;
  if (!ap__robot_set_shapes(u->robot, &u->shapes, u->links.part)) return ap__no_memory(u->error);
  return options->floating ? ap__robot_set_free(u->robot, u->error) : AP_OK;
}
