// SPDX-License-Identifier: Apache-2.0
// What each URDF element means: one rule per element, one function per rule.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/number.h"
#include "file/urdf.h"

// ---- numbers and names -------------------------------------------------------------------------

// n numbers and nothing else. what names them in the message: "<origin xyz>".
static bool read_numbers(urdf *u, const ap__node *e, int line, const char *what, const char *text,
                         int n, double *x) {
  if (u->doctor) return u->doctor->numbers(u->doctor->context, e, u->subject, what, text, n, x);
  double value[9];
  int found = ap__parse_numbers(text, 9, value);
  if (found == n) {
    memcpy(x, value, (size_t)n * sizeof *x);
    return true;
  }
  if (u->drawn) return false; // no error: nobody computes with it
  if (found == AP__HUGE_NUMBERS)
    ap__urdf_fail(u, line, "%s=\"%.*s\" is beyond the range of a double", what, ap__shown(text),
                  text);
  else if (found >= 0)
    ap__urdf_fail(u, line, "%s=\"%.*s\" has %d number%s (expected %d)", what, ap__shown(text), text,
                  found, found == 1 ? "" : "s", n);
  else if (strstr(text, "${") || strstr(text, "$("))
    ap__urdf_fail_xacro(u, line);
  else
    ap__urdf_fail(u, line, "%s=\"%.*s\" (expected %d finite decimal number%s, no unit)", what,
                  ap__shown(text), text, n, n == 1 ? "" : "s with blanks between");
  return false;
}

bool ap__urdf_numbers(urdf *u, const ap__node *e, const char *name, int n, double *x) {
  const char *text = ap__attribute(e, name);
  char what[64];
  snprintf(what, sizeof what, "<%s %s>", e->name, name);
  return text && read_numbers(u, e, e->line, what, text, n, x);
}

// Something that has to be there is not. advice: the doctor's, where it differs from the fix.
static void missing(urdf *u, int line, const char *subject, const char *what, const char *fix,
                    const char *advice) {
  if (u->doctor)
    u->doctor->missing(u->doctor->context, line, subject, what, advice ? advice : fix);
  else
    ap__urdf_fail(u, line, "%s (%s)", what, fix);
}

static void report_missing(urdf *u, const ap__node *e, const char *subject, const char *name,
                           const char *value, const char *advice) {
  char what[128], fix[128];
  snprintf(what, sizeof what, "<%s> without %s", e->name, name);
  snprintf(fix, sizeof fix, "<%s %s=\"%s\">", e->name, name, value);
  missing(u, e->line, subject, what, fix, advice);
}

static bool required_number(urdf *u, const ap__node *e, const char *name, double *x,
                            const char *advice) {
  if (ap__attribute(e, name)) return ap__urdf_numbers(u, e, name, 1, x);
  report_missing(u, e, u->subject, name, "a number", advice);
  return false;
}

// There, not empty, one line; NULL where it is missing.
static const char *required_name(urdf *u, const ap__node *e, const char *name) {
  const char *text = ap__attribute(e, name);
  if (text && !*text)
    ap__urdf_fail(u, e->line, "<%s %s=\"\"> is empty (expected a name)", e->name, name);
  if (!text || !*text) {
    report_missing(u, e, "", name, "...", NULL);
    return NULL;
  }
  if (strstr(text, "${") || strstr(text, "$(")) ap__urdf_fail_xacro(u, e->line);
  if (ap__has_control(text, strlen(text)))
    ap__urdf_fail(u, e->line,
                  "<%s %s=\"%.*s\"> has a control character (a name is one line of text)", e->name,
                  name, ap__shown(text), text);
  return text;
}

bool ap__urdf_origin(urdf *u, const ap__node *e, double xyz[3], double rpy[3]) {
  bool read = ap__urdf_numbers(u, e, "xyz", 3, xyz);
  ap__urdf_numbers(u, e, "rpy", 3, rpy);
  if (u->doctor) u->doctor->quaternion(u->doctor->context, e, u->subject, rpy);
  return read;
}

// ---- robot, link -------------------------------------------------------------------------------

static void start_robot(urdf *u, const ap__node *e) { u->name = required_name(u, e, "name"); }

static void start_link(urdf *u, const ap__node *e) {
  if (u->nlink == AP__MAX_PARTS)
    ap__urdf_fail(u, e->line, "more than %d links (split the robot)", AP__MAX_PARTS);
  const char *name = required_name(u, e, "name");
  urdf_link *link = ap__urdf_append(u, &u->links, &u->nlink, &u->link_capacity, sizeof *link);
  if (!link) return;
  link->part.def = ap_default_body();
  link->part.at.body = link->part.at.joint = e->line;
  link->part.def.name = u->subject = name ? name : "";
}

static urdf_link *link_now(urdf *u) { return &u->links[u->nlink - 1]; }

static void start_inertial(urdf *u, const ap__node *e) { link_now(u)->at.inertial = e; }

static void end_inertial(urdf *u, const ap__node *e) {
  const urdf_link *link = link_now(u);
  const char *name = link->part.def.name;
  if (u->doctor && !link->at.mass)
    missing(u, e->line, name, "<inertial> without <mass>",
            "add <mass value=\"...\"/>, or omit <inertial> for a link without mass", NULL);
  if (u->doctor && !link->at.inertia)
    missing(u, e->line, name, "<inertial> without <inertia>",
            "add <inertia ixx=\"...\" ixy=\"0\" ixz=\"0\" iyy=\"...\" iyz=\"0\" izz=\"...\"/>",
            NULL);
  if (!link->at.mass || !link->at.inertia)
    ap__urdf_fail(
        u, e->line,
        "<inertial> of link \"%.*s\" without <%s> (omit <inertial> for a link without mass)",
        ap__shown(name), name, link->at.mass ? "inertia" : "mass");
}

static void start_inertial_origin(urdf *u, const ap__node *e) {
  urdf_link *link = link_now(u);
  link->at.origin = e;
  link->part.at.com = link->part.at.inertia_rpy = e->line;
  link->com_read = ap__urdf_origin(u, e, link->part.def.com, link->part.def.inertia_rpy);
}

static void start_mass(urdf *u, const ap__node *e) {
  link_now(u)->at.mass = e;
  link_now(u)->part.at.mass = e->line;
  link_now(u)->mass_read = required_number(u, e, "value", &link_now(u)->part.def.mass, NULL);
}

static void start_inertia(urdf *u, const ap__node *e) {
  static const char *const name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  urdf_link *link = link_now(u);
  link->at.inertia = e;
  link->part.at.inertia = e->line;
  for (int i = 0; i < 6; i++) {
    bool product = i == 1 || i == 2 || i == 4;
    char advice[96];
    snprintf(advice, sizeof advice,
             "%s=\"0\" where the link is symmetric, as the other rules take it", name[i]);
    if (required_number(u, e, name[i], &link->part.def.inertia[i], product ? advice : NULL))
      link->moments |= 1u << i;
  }
}

// ---- joint -------------------------------------------------------------------------------------

static urdf_joint *joint_now(urdf *u) { return &u->joints[u->njoint - 1]; }

const urdf_type ap__urdf_types[] = {
    {"revolute", AP_REVOLUTE},   {"continuous", AP_REVOLUTE}, {"prismatic", AP_PRISMATIC},
    {"fixed", AP_FIXED},         {"floating", AP_FREE},       {"planar", AP_PLANAR},
    {"spherical", AP_SPHERICAL}, {"ball", AP_SPHERICAL},      {NULL, AP_FIXED}};

const urdf_type *ap__urdf_type(const char *name) {
  for (const urdf_type *known = ap__urdf_types; known->name; known++)
    if (strcmp(name, known->name) == 0) return known;
  return NULL;
}

static void joint_type(urdf *u, const ap__node *e, urdf_joint *joint) {
  const char *type = joint->type = ap__attribute(e, "type");
  const urdf_type *known = type ? ap__urdf_type(type) : NULL;
  if (known)
    joint->def.joint = known->type;
  else if (type)
    ap__urdf_fail(u, e->line,
                  "<joint type=\"%.*s\"> is unknown (revolute, continuous, prismatic, fixed, "
                  "floating, planar or spherical)",
                  ap__shown(type), type);
  else
    missing(u, e->line, u->subject, "<joint> without type",
            "<joint name=\"...\" type=\"revolute\">",
            "type=\"revolute\", continuous, prismatic, fixed, floating or planar");
}

static void start_joint(urdf *u, const ap__node *e) {
  if (u->njoint == AP__MAX_PARTS)
    ap__urdf_fail(u, e->line, "more than %d joints (split the robot)", AP__MAX_PARTS);
  const char *name = required_name(u, e, "name");
  urdf_joint *joint = ap__urdf_append(u, &u->joints, &u->njoint, &u->joint_capacity, sizeof *joint);
  if (!joint) return;
  *joint = (urdf_joint){.def = ap_default_body(),
                        .name = name ? name : "",
                        .at.joint = e,
                        .lower = NAN,
                        .upper = NAN,
                        .effort = NAN,
                        .velocity = NAN};
  memcpy(joint->def.axis, (double[3]){1, 0, 0}, sizeof joint->def.axis); // URDF's default
  u->subject = joint->name;
  joint_type(u, e, joint);
}

static void start_joint_origin(urdf *u, const ap__node *e) {
  ap_placement *place = &joint_now(u)->def.place;
  joint_now(u)->at.origin = e;
  ap__urdf_origin(u, e, place->xyz, place->rpy);
}

static void start_parent(urdf *u, const ap__node *e) {
  joint_now(u)->at.parent = e;
  joint_now(u)->parent = required_name(u, e, "link");
}

static void start_child(urdf *u, const ap__node *e) {
  joint_now(u)->at.child = e;
  joint_now(u)->child = required_name(u, e, "link");
}

static void start_axis(urdf *u, const ap__node *e) {
  joint_now(u)->at.axis = e;
  if (!ap__attribute(e, "xyz"))
    report_missing(u, e, u->subject, "xyz", "0 0 1", "<axis xyz=\"0 0 1\"/>");
  ap__urdf_numbers(u, e, "xyz", 3, joint_now(u)->def.axis);
}

double ap__urdf_limit(double x) { return x >= DBL_MAX ? INFINITY : x <= -DBL_MAX ? -INFINITY : x; }

// A limit of effort or velocity; NAN: not said.
static double bound(double x) { return !(x >= 0) ? INFINITY : ap__urdf_limit(x); }

static void start_limit(urdf *u, const ap__node *e) {
  urdf_joint *joint = joint_now(u);
  ap_body_def *def = &joint->def;
  joint->at.limit = e;
  bool has_lower = ap__urdf_numbers(u, e, "lower", 1, &joint->lower);
  bool has_upper = ap__urdf_numbers(u, e, "upper", 1, &joint->upper);
  ap__urdf_numbers(u, e, "effort", 1, &joint->effort);
  ap__urdf_numbers(u, e, "velocity", 1, &joint->velocity);
  if (joint->effort < 0 || joint->velocity < 0) ap__urdf_odd(u, ODD_NEGATIVE, e->line, joint->name);
  def->effort_limit = bound(joint->effort);
  def->velocity_limit = bound(joint->velocity);
  bool one_dof = def->joint == AP_REVOLUTE || def->joint == AP_PRISMATIC;
  if (!one_dof || strcmp(joint->type, "continuous") == 0) return;
  double lower = has_lower ? joint->lower : 0, upper = has_upper ? joint->upper : 0;
  if (!has_lower && !has_upper) ap__urdf_odd(u, ODD_NO_RANGE, e->line, joint->name);
  if (lower > upper)
    ap__urdf_fail(u, e->line,
                  "<limit lower=\"%g\" upper=\"%g\"> of joint \"%.*s\" (lower must not be above "
                  "upper)",
                  lower, upper, ap__shown(joint->name), joint->name);
  def->lower = ap__urdf_limit(lower);
  def->upper = ap__urdf_limit(upper);
}

static void start_dynamics(urdf *u, const ap__node *e) {
  joint_now(u)->at.dynamics = e;
  ap__urdf_numbers(u, e, "damping", 1, &joint_now(u)->def.viscous);
  ap__urdf_numbers(u, e, "friction", 1, &joint_now(u)->def.coulomb);
}

static void start_mimic(urdf *u, const ap__node *e) {
  urdf_joint *joint = joint_now(u);
  joint->at.mimic = e;
  joint->def.mimic_ratio = 1;
  joint->def.mimic_offset = 0;
  joint->leader = required_name(u, e, "joint");
  ap__urdf_numbers(u, e, "multiplier", 1, &joint->def.mimic_ratio);
  ap__urdf_numbers(u, e, "offset", 1, &joint->def.mimic_offset);
}

static void end_joint(urdf *u, const ap__node *e) {
  const urdf_joint *joint = joint_now(u);
  static const char *const name[2] = {"parent", "child"};
  const ap__node *there[2] = {joint->at.parent, joint->at.child};
  for (int i = 0; i < 2; i++) {
    if (there[i]) continue;
    char what[128], fix[64], advice[72];
    snprintf(fix, sizeof fix, "<%s link=\"...\"/>", name[i]);
    snprintf(advice, sizeof advice, "add %s", fix);
    if (u->doctor)
      snprintf(what, sizeof what, "<joint> without <%s>", name[i]);
    else
      snprintf(what, sizeof what, "joint \"%.*s\" without <%s>", ap__shown(joint->name),
               joint->name, name[i]);
    missing(u, e->line, joint->name, what, fix, advice);
  }
}

// ---- transmission ------------------------------------------------------------------------------

static urdf_transmission *transmission_now(urdf *u) {
  return &u->transmissions[u->ntransmission - 1];
}

static void start_transmission(urdf *u, const ap__node *e) {
  urdf_transmission *t = ap__urdf_append(u, &u->transmissions, &u->ntransmission,
                                         &u->transmission_capacity, sizeof *t);
  if (!t) return;
  t->line = t->gear_line = t->rotor_line = e->line;
  t->gear = t->rotor = NAN;
  u->subject = "";
}

static void start_transmission_joint(urdf *u, const ap__node *e) {
  urdf_transmission *t = transmission_now(u);
  const char *name = required_name(u, e, "name");
  if (t->joints++ == 0) t->joint = name;
}

static void start_actuator(urdf *u, const ap__node *e) {
  (void)e;
  transmission_now(u)->actuators++;
}

// A gear that is said again must be the same one; a rotor is said once. With several joints or
// actuators that is no contradiction, so that the end of the transmission decides.
static void set_gear(urdf *u, int line, double gear) {
  urdf_transmission *t = transmission_now(u);
  t->gear_line = line;
  if (isnan(t->gear)) t->gear = gear;
  if (t->gear == gear || t->conflict) return;
  t->conflict = "two different reductions";
  t->conflict_line = line;
}

static void set_rotor(urdf *u, int line, double rotor) {
  urdf_transmission *t = transmission_now(u);
  if (!isnan(t->rotor) && !t->conflict) {
    t->conflict = "two rotor inertias";
    t->conflict_line = line;
  }
  t->rotor_line = line;
  if (isnan(t->rotor) || t->rotor == 0) t->rotor = rotor;
}

static void end_transmission(urdf *u, const ap__node *e) {
  const urdf_transmission *t = transmission_now(u);
  (void)e;
  if (!t->conflict || t->joints > 1 || t->actuators > 1) return;
  const char *name = t->joint ? t->joint : "";
  ap__urdf_fail(u, t->conflict_line,
                "the transmission of joint \"%.*s\" has %s (one motor per joint)", ap__shown(name),
                name, t->conflict);
}

static const char *text_of(urdf *u, const ap__node *e) {
  if (e->length > AP__MAX_TEXT)
    ap__urdf_fail(u, e->line, "the text of this element is too long (expected a number or a name)");
  return e->text;
}

static void end_gear(urdf *u, const ap__node *e) {
  double gear;
  if (read_numbers(u, e, e->line, "<mechanicalReduction>", text_of(u, e), 1, &gear))
    set_gear(u, e->line, gear);
}

static void end_rotor(urdf *u, const ap__node *e) {
  double rotor;
  if (read_numbers(u, e, e->line, "<motorInertia>", text_of(u, e), 1, &rotor))
    set_rotor(u, e->line, rotor);
}

static void start_drake_gear(urdf *u, const ap__node *e) {
  double gear;
  if (required_number(u, e, "value", &gear, NULL)) set_gear(u, e->line, gear);
}

static void start_drake_rotor(urdf *u, const ap__node *e) {
  double rotor;
  if (required_number(u, e, "value", &rotor, NULL)) set_rotor(u, e->line, rotor);
}

// ---- extensions --------------------------------------------------------------------------------

// The number or truth value that a text says; fallback where it says neither.
static double value_of(const char *text, double fallback) {
  const char *s = text + strspn(text, " \t\r\n"), *end;
  double x;
  if (strncmp(s, "true", 4) == 0) return 1;
  if (strncmp(s, "false", 5) == 0) return 0;
  return ap__parse_double(s, &end, &x) == AP__NUMBER ? x : fallback;
}

// The joint that Gazebo's extension is about; NULL: that of a plugin, or none.
static const char *extended_joint(const ap__node *e) {
  while (e && strcmp(e->name, "gazebo") != 0 && strcmp(e->name, "plugin") != 0) e = e->parent;
  return e && strcmp(e->name, "gazebo") == 0 ? ap__attribute(e, "reference") : NULL;
}

static urdf_spring *add_spring(urdf *u, const ap__node *e) {
  urdf_spring *s = ap__urdf_append(u, &u->springs, &u->nspring, &u->spring_capacity, sizeof *s);
  if (s) *s = (urdf_spring){extended_joint(e), e->name, NAN, NAN, e->end_line};
  return s;
}

static void end_spring(urdf *u, const ap__node *e) {
  double x;
  if (!read_numbers(u, e, e->line, e->name, text_of(u, e), 1, &x)) return;
  urdf_spring *s = add_spring(u, e);
  if (s) s->stiffness = x;
}

static void end_spring_rest(urdf *u, const ap__node *e) {
  double x;
  if (!read_numbers(u, e, e->line, e->name, text_of(u, e), 1, &x)) return;
  urdf_spring *s = add_spring(u, e);
  if (s) s->rest = x;
}

static void end_no_gravity(urdf *u, const ap__node *e) {
  if (value_of(text_of(u, e), 1) != 0) ap__urdf_odd(u, ODD_GRAVITY, e->end_line, e->name);
}

static void end_gravity(urdf *u, const ap__node *e) {
  if (value_of(text_of(u, e), 0) != 1) ap__urdf_odd(u, ODD_GRAVITY, e->end_line, e->name);
}

static void end_link_damping(urdf *u, const ap__node *e) {
  if (value_of(text_of(u, e), 1) != 0) ap__urdf_odd(u, ODD_LINK_DAMPING, e->end_line, e->name);
}

static void start_loop(urdf *u, const ap__node *e) {
  const char *name = ap__attribute(e, "name");
  ap__urdf_odd(u, ODD_LOOP, e->line, name ? name : "loop_joint");
}

// Gazebo's own joint, which closes a loop; the <joint> of a plugin names one, and has no type.
static void start_gazebo_joint(urdf *u, const ap__node *e) {
  if (ap__attribute(e, "type")) start_loop(u, e);
}

// Of a link, but not of a plugin: nobody knows what that means by it.
static void start_gazebo_inertia(urdf *u, const ap__node *e) {
  for (const ap__node *above = e->parent; above; above = above->parent)
    if (strcmp(above->name, "plugin") == 0) return;
  ap__urdf_odd(u, ODD_INERTIA, e->line, e->name);
}

// Bullet's.
static void start_inertia_scaling(urdf *u, const ap__node *e) {
  const char *value = ap__attribute(e, "value");
  if (!value || value_of(value, 0) != 1) ap__urdf_odd(u, ODD_INERTIA, e->line, e->name);
}

static void start_mujoco_compiler(urdf *u, const ap__node *e) {
  static const char *const name[] = {"balanceinertia", "inertiafromgeom", "boundmass",
                                     "boundinertia", "settotalmass"};
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    const char *value = ap__attribute(e, name[i]);
    if (!value || strcmp(value, "auto") == 0 || value_of(value, 1) <= 0) continue; // the defaults
    ap__urdf_odd(u, ODD_INERTIA, e->line, name[i]);
  }
}

static void add_plugin(urdf *u, const char *follower) {
  urdf_plugin *plugin =
      ap__urdf_append(u, &u->plugins, &u->nplugin, &u->plugin_capacity, sizeof *plugin);
  if (plugin) *plugin = (urdf_plugin){follower, u->plugin_line};
}

// Gazebo has several that do what <mimic> says; most files say it as well (see urdf_finish.c).
static void start_plugin(urdf *u, const ap__node *e) {
  const char *file = ap__attribute(e, "filename");
  bool mimic = file && (strstr(file, "mimic") || strstr(file, "Mimic"));
  u->plugin_line = mimic ? e->line : 0;
  u->plugin_followers = 0;
}

static void end_plugin(urdf *u, const ap__node *e) {
  (void)e;
  if (u->plugin_line && !u->plugin_followers) add_plugin(u, NULL);
  u->plugin_line = 0;
}

static void end_follower(urdf *u, const ap__node *e) {
  if (!u->plugin_line) return;
  u->plugin_followers++;
  add_plugin(u, text_of(u, e));
}

static void start_mujoco_option(urdf *u, const ap__node *e) {
  if (ap__attribute(e, "gravity")) ap__urdf_odd(u, ODD_GRAVITY, e->line, "option gravity");
}

// ---- the rules ---------------------------------------------------------------------------------

#define MANY      URDF_MANY, false
#define FIRST     URDF_FIRST, false
#define MANY_SAID URDF_MANY, true
#define ONCE_SAID URDF_ONCE, true
#define ORIGIN    "xyz rpy quat_xyzw"
#define TENSOR    "ixx ixy ixz iyy iyz izz"
#define LIMIT     "lower upper effort velocity acceleration jerk"

const urdf_rule ap__urdf_rules[] = {
    {IN_FILE, "robot", IN_ROBOT, MANY, NULL, start_robot, NULL},

    {IN_ROBOT, "link", IN_LINK, MANY_SAID, "name type", start_link, NULL},
    {IN_ROBOT, "joint", IN_JOINT, MANY_SAID, "name type", start_joint, end_joint},
    {IN_ROBOT, "material", IN_MATERIAL, MANY, "name", ap__urdf_start_material, NULL},
    {IN_ROBOT, "transmission", IN_TRANSMISSION, MANY, NULL, start_transmission, end_transmission},
    {IN_ROBOT, "gazebo", IN_EXTENSION, MANY, NULL, NULL, NULL},
    {IN_ROBOT, "mujoco", IN_EXTENSION, MANY, NULL, NULL, NULL},
    {IN_ROBOT, "sensor", IN_ANYTHING, MANY, NULL, NULL, NULL},
    {IN_ROBOT, "loop_joint", IN_ANYTHING, MANY, NULL, start_loop, NULL},
    {IN_ROBOT, "constraint", IN_CONSTRAINT, MANY_SAID, "name type", ap__urdf_start_constraint,
     NULL},

    {IN_LINK, "inertial", IN_INERTIAL, ONCE_SAID, "", start_inertial, end_inertial},
    {IN_LINK, "visual", IN_VISUAL, MANY, "name", ap__urdf_start_shape, NULL},
    {IN_LINK, "collision", IN_COLLISION, MANY, "name group", ap__urdf_start_shape, NULL},
    {IN_LINK, "contact", IN_CONTACT, MANY, NULL, NULL, NULL},
    {IN_LINK, "self_collision_checking", IN_ANYTHING, MANY, NULL, NULL, NULL},
    {IN_LINK, "collision_checking", IN_ANYTHING, MANY, NULL, NULL, NULL},
    {IN_LINK, "self_filter", IN_ANYTHING, MANY, NULL, NULL, NULL},

    {IN_INERTIAL, "origin", IN_LEAF, ONCE_SAID, ORIGIN, start_inertial_origin, NULL},
    {IN_INERTIAL, "mass", IN_LEAF, ONCE_SAID, "value", start_mass, NULL},
    {IN_INERTIAL, "inertia", IN_LEAF, ONCE_SAID, TENSOR, start_inertia, NULL},

    {IN_VISUAL, "origin", IN_LEAF, FIRST, ORIGIN, ap__urdf_start_shape_origin, NULL},
    {IN_VISUAL, "geometry", IN_GEOMETRY, MANY, "name", NULL, NULL},
    {IN_VISUAL, "material", IN_MATERIAL, MANY, "name", ap__urdf_start_material, NULL},
    {IN_COLLISION, "origin", IN_LEAF, FIRST, ORIGIN, ap__urdf_start_shape_origin, NULL},
    {IN_COLLISION, "geometry", IN_GEOMETRY, MANY, "name", NULL, NULL},
    {IN_COLLISION, "material", IN_MATERIAL, MANY, "name", ap__urdf_start_material, NULL},
    {IN_COLLISION, "verbose", IN_ANYTHING, MANY, NULL, NULL, NULL},
    {IN_COLLISION, "contact_coefficients", IN_ANYTHING, MANY, NULL, NULL, NULL},
    {IN_GEOMETRY, "box", IN_LEAF, MANY, "size", ap__urdf_start_geometry, NULL},
    {IN_GEOMETRY, "cylinder", IN_LEAF, MANY, "radius length", ap__urdf_start_geometry, NULL},
    {IN_GEOMETRY, "sphere", IN_LEAF, MANY, "radius", ap__urdf_start_geometry, NULL},
    {IN_GEOMETRY, "capsule", IN_LEAF, MANY, "radius length", NULL, NULL},
    {IN_GEOMETRY, "mesh", IN_LEAF, MANY, NULL, ap__urdf_start_geometry, NULL},
    {IN_MATERIAL, "color", IN_LEAF, MANY, "rgba", ap__urdf_start_color, NULL},
    {IN_MATERIAL, "texture", IN_LEAF, MANY, "filename", NULL, NULL},

    {IN_CONSTRAINT, "parent", IN_LEAF, ONCE_SAID, "link", ap__urdf_start_end, NULL},
    {IN_CONSTRAINT, "child", IN_LEAF, ONCE_SAID, "link", ap__urdf_start_end, NULL},
    {IN_CONSTRAINT, "parent_origin", IN_LEAF, ONCE_SAID, ORIGIN, ap__urdf_start_end_origin, NULL},
    {IN_CONSTRAINT, "child_origin", IN_LEAF, ONCE_SAID, ORIGIN, ap__urdf_start_end_origin, NULL},
    {IN_CONSTRAINT, "parent_axis", IN_LEAF, ONCE_SAID, "xyz", ap__urdf_start_end_axis, NULL},
    {IN_CONSTRAINT, "child_axis", IN_LEAF, ONCE_SAID, "xyz", ap__urdf_start_end_axis, NULL},

    {IN_JOINT, "origin", IN_LEAF, ONCE_SAID, ORIGIN, start_joint_origin, NULL},
    {IN_JOINT, "parent", IN_LEAF, ONCE_SAID, "link", start_parent, NULL},
    {IN_JOINT, "child", IN_LEAF, ONCE_SAID, "link", start_child, NULL},
    {IN_JOINT, "axis", IN_LEAF, ONCE_SAID, "xyz", start_axis, NULL},
    {IN_JOINT, "limit", IN_LEAF, ONCE_SAID, LIMIT, start_limit, NULL},
    {IN_JOINT, "dynamics", IN_LEAF, ONCE_SAID, "damping friction", start_dynamics, NULL},
    {IN_JOINT, "mimic", IN_LEAF, ONCE_SAID, "joint multiplier offset", start_mimic, NULL},
    {IN_JOINT, "calibration", IN_LEAF, MANY, NULL, NULL, NULL},
    {IN_JOINT, "safety_controller", IN_LEAF, MANY, NULL, NULL, NULL},

    {IN_TRANSMISSION, "type", IN_LEAF, MANY, NULL, NULL, NULL},
    {IN_TRANSMISSION, "joint", IN_ACTUATOR, MANY, NULL, start_transmission_joint, NULL},
    {IN_TRANSMISSION, "actuator", IN_ACTUATOR, MANY, NULL, start_actuator, NULL},
    {IN_TRANSMISSION, "mechanicalReduction", IN_LEAF, ONCE_SAID, "", NULL, end_gear},
    {IN_ACTUATOR, "mechanicalReduction", IN_LEAF, ONCE_SAID, "", NULL, end_gear},
    {IN_ACTUATOR, "motorInertia", IN_LEAF, ONCE_SAID, "", NULL, end_rotor},
    {IN_ACTUATOR, "rotorInertia", IN_LEAF, ONCE_SAID, "", NULL, end_rotor},
    {IN_ACTUATOR, "hardwareInterface", IN_LEAF, MANY, NULL, NULL, NULL},
    {IN_ACTUATOR, "role", IN_LEAF, MANY, NULL, NULL, NULL},
    {IN_ACTUATOR, "offset", IN_LEAF, MANY, NULL, NULL, NULL},
    {IN_ACTUATOR, "drake:gear_ratio", IN_LEAF, ONCE_SAID, "value", start_drake_gear, NULL},
    {IN_ACTUATOR, "drake:rotor_inertia", IN_LEAF, ONCE_SAID, "value", start_drake_rotor, NULL},

    {IN_CONTACT, "inertia_scaling", IN_LEAF, MANY, NULL, start_inertia_scaling, NULL},
    {IN_EXTENSION, "springStiffness", IN_LEAF, MANY, NULL, NULL, end_spring},
    {IN_EXTENSION, "spring_stiffness", IN_LEAF, MANY, NULL, NULL, end_spring},
    {IN_EXTENSION, "springReference", IN_LEAF, MANY, NULL, NULL, end_spring_rest},
    {IN_EXTENSION, "spring_reference", IN_LEAF, MANY, NULL, NULL, end_spring_rest},
    {IN_EXTENSION, "joint", IN_EXTENSION, MANY, NULL, start_gazebo_joint, NULL},
    {IN_EXTENSION, "inertial", IN_LEAF, MANY, NULL, start_gazebo_inertia, NULL},
    {IN_EXTENSION, "mass", IN_LEAF, MANY, NULL, start_gazebo_inertia, NULL},
    {IN_EXTENSION, "plugin", IN_EXTENSION, MANY, NULL, start_plugin, end_plugin},
    {IN_EXTENSION, "mimicJoint", IN_LEAF, MANY, NULL, NULL, end_follower},
    {IN_EXTENSION, "mimic_joint", IN_LEAF, MANY, NULL, NULL, end_follower},
    {IN_EXTENSION, "compiler", IN_LEAF, MANY, NULL, start_mujoco_compiler, NULL},
    {IN_EXTENSION, "turnGravityOff", IN_LEAF, MANY, NULL, NULL, end_no_gravity},
    {IN_EXTENSION, "gravity", IN_LEAF, MANY, NULL, NULL, end_gravity},
    {IN_EXTENSION, "dampingFactor", IN_LEAF, MANY, NULL, NULL, end_link_damping},
    {IN_EXTENSION, "option", IN_LEAF, MANY, NULL, start_mujoco_option, NULL},

    {IN_FILE, NULL, IN_LEAF, MANY, NULL, NULL, NULL}};
