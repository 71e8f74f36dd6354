// What each URDF element means: one rule per element, one function per rule.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/alloc.h"
#include "file/number.h"
#include "file/urdf.h"

// ---- attributes --------------------------------------------------------------------------------

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *skip_blanks(const char *s) {
  while (is_blank(*s)) s++;
  return s;
}

// n numbers and nothing else. what names them in the message: "<origin xyz>".
static bool read_numbers(urdf *u, const char *what, const char *text, int n, double *x) {
  const char *s = skip_blanks(text);
  int found = 0;
  for (; *s; s = skip_blanks(s)) {
    double value, *to = found < n ? &x[found] : &value;
    const char *end;
    ap__number kind = ap__parse_double(s, &end, to);
    if (kind == AP__NUMBER_HUGE)
      return ap__urdf_fail(u, "%s=\"%.*s\" is beyond the range of a double", what, ap__shown(text),
                           text);
    if (kind == AP__NO_NUMBER || (*end && !is_blank(*end))) {
      if (strstr(text, "${") || strstr(text, "$(")) return ap__urdf_fail_xacro(u);
      return ap__urdf_fail(u, "%s=\"%.*s\" (expected %d finite decimal number%s, no unit)", what,
                           ap__shown(text), text, n, n == 1 ? "" : "s with blanks between");
    }
    found++;
    s = end;
  }
  if (found == n) return true;
  return ap__urdf_fail(u, "%s=\"%.*s\" has %d number%s (expected %d)", what, ap__shown(text), text,
                       found, found == 1 ? "" : "s", n);
}

// An attribute of n numbers; *x stays as it is where there is none. *given may be NULL.
static bool optional_numbers(urdf *u, const char **attributes, const char *element,
                             const char *name, int n, double *x, bool *given) {
  const char *text = ap__urdf_attribute(attributes, name);
  if (given) *given = text != NULL;
  char what[64];
  snprintf(what, sizeof what, "<%s %s>", element, name);
  return !text || read_numbers(u, what, text, n, x);
}

static bool required_number(urdf *u, const char **attributes, const char *element, const char *name,
                            double *x) {
  bool given;
  if (!optional_numbers(u, attributes, element, name, 1, x, &given)) return false;
  return given ||
         ap__urdf_fail(u, "<%s> without %s (<%s %s=\"a number\">)", element, name, element, name);
}

// A name, kept by the robot: there, not empty, one line.
static bool required_name(urdf *u, const char **attributes, const char *element, const char *name,
                          const char **kept) {
  const char *text = ap__urdf_attribute(attributes, name);
  if (!text)
    return ap__urdf_fail(u, "<%s> without %s (<%s %s=\"...\">)", element, name, element, name);
  if (!*text) return ap__urdf_fail(u, "<%s %s=\"\"> is empty (a name)", element, name);
  if (strstr(text, "${") || strstr(text, "$(")) return ap__urdf_fail_xacro(u);
  if (ap__has_control(text, strlen(text)))
    return ap__urdf_fail(u, "<%s %s=\"%.*s\"> has a control character (a name is one line of text)",
                         element, name, ap__shown(text), text);
  *kept = ap__robot_text(u->robot, text, strlen(text));
  return *kept || ap__urdf_no_memory(u);
}

static bool read_origin(urdf *u, const char **attributes, double xyz[3], double rpy[3]) {
  return optional_numbers(u, attributes, "origin", "xyz", 3, xyz, NULL) &&
         optional_numbers(u, attributes, "origin", "rpy", 3, rpy, NULL);
}

// Has a child of this kind come in the current element?
static bool has_child(const urdf *u, urdf_place in, const char *element) {
  unsigned bit = 1;
  for (const urdf_rule *r = ap__urdf_rules; r->element; r++) {
    if (r->in != in) continue;
    if (strcmp(r->element, element) == 0) return (u->level[u->depth].seen & bit) != 0;
    bit <<= 1;
  }
  return false;
}

// ---- robot, link -------------------------------------------------------------------------------

static bool start_robot(urdf *u, const char **attributes) {
  return required_name(u, attributes, "robot", "name", &u->robot->def.name);
}

static bool start_link(urdf *u, const char **attributes) {
  if (u->links.n == AP__MAX_PARTS)
    return ap__urdf_fail(u, "more than %d links (split the robot)", AP__MAX_PARTS);
  ap__part *link = ap__parts_add(&u->links);
  if (!link) return ap__urdf_no_memory(u);
  link->line = link->joint_line = ap__urdf_line(u);
  return required_name(u, attributes, "link", "name", &link->def.name);
}

static ap_body_def *link_now(urdf *u) { return &u->links.part[u->links.n - 1].def; }

static bool end_inertial(urdf *u) {
  bool mass = has_child(u, IN_INERTIAL, "mass");
  if (mass && has_child(u, IN_INERTIAL, "inertia")) return true;
  const char *missing = mass ? "inertia" : "mass";
  return ap__urdf_fail(u,
                       "<inertial> of link \"%.*s\" without <%s> (leave out <inertial> for a link "
                       "without mass)",
                       ap__shown(link_now(u)->name), link_now(u)->name, missing);
}

static bool start_inertial_origin(urdf *u, const char **attributes) {
  return read_origin(u, attributes, link_now(u)->com, link_now(u)->inertia_rpy);
}

static bool start_mass(urdf *u, const char **attributes) {
  return required_number(u, attributes, "mass", "value", &link_now(u)->mass);
}

static bool start_inertia(urdf *u, const char **attributes) {
  static const char *const name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  for (int i = 0; i < 6; i++)
    if (!required_number(u, attributes, "inertia", name[i], &link_now(u)->inertia[i])) return false;
  return true;
}

// ---- joint -------------------------------------------------------------------------------------

static urdf_joint *joint_now(urdf *u) { return &u->joints[u->njoint - 1]; }

const urdf_type ap__urdf_types[] = {
    {"revolute", AP_REVOLUTE},   {"continuous", AP_REVOLUTE}, {"prismatic", AP_PRISMATIC},
    {"fixed", AP_FIXED},         {"floating", AP_FREE},       {"planar", AP_PLANAR},
    {"spherical", AP_SPHERICAL}, {"ball", AP_SPHERICAL},      {NULL, AP_FIXED}};

static bool joint_type(urdf *u, const char **attributes, urdf_joint *joint) {
  const char *type = ap__urdf_attribute(attributes, "type");
  if (!type)
    return ap__urdf_fail(u, "<joint> without type (<joint name=\"...\" type=\"revolute\">)");
  joint->continuous = strcmp(type, "continuous") == 0;
  for (const urdf_type *known = ap__urdf_types; known->name; known++) {
    if (strcmp(type, known->name) != 0) continue;
    joint->def.joint = known->type;
    return true;
  }
  return ap__urdf_fail(u,
                       "<joint type=\"%.*s\"> is unknown (revolute, continuous, prismatic, fixed, "
                       "floating, planar or spherical)",
                       ap__shown(type), type);
}

static bool start_joint(urdf *u, const char **attributes) {
  if (u->njoint == AP__MAX_PARTS)
    return ap__urdf_fail(u, "more than %d joints (split the robot)", AP__MAX_PARTS);
  urdf_joint *grown = ap__grown(u->joints, u->njoint, &u->joint_capacity, sizeof *grown);
  if (!grown) return ap__urdf_no_memory(u);
  u->joints = grown;
  urdf_joint *joint = &u->joints[u->njoint++];
  memset(joint, 0, sizeof *joint);
  joint->def = ap_default_body();
  joint->def.axis[0] = 1; // URDF's default
  joint->def.axis[2] = 0;
  joint->line = ap__urdf_line(u);
  return required_name(u, attributes, "joint", "name", &joint->name) &&
         joint_type(u, attributes, joint);
}

static bool start_joint_origin(urdf *u, const char **attributes) {
  ap_placement *place = &joint_now(u)->def.place;
  return read_origin(u, attributes, place->xyz, place->rpy);
}

static bool start_parent(urdf *u, const char **attributes) {
  joint_now(u)->parent_line = ap__urdf_line(u);
  return required_name(u, attributes, "parent", "link", &joint_now(u)->parent);
}

static bool start_child(urdf *u, const char **attributes) {
  joint_now(u)->child_line = ap__urdf_line(u);
  return required_name(u, attributes, "child", "link", &joint_now(u)->child);
}

static bool start_axis(urdf *u, const char **attributes) {
  bool given;
  if (!optional_numbers(u, attributes, "axis", "xyz", 3, joint_now(u)->def.axis, &given))
    return false;
  return given || ap__urdf_fail(u, "<axis> without xyz (<axis xyz=\"0 0 1\">)");
}

// The largest double stands for "no limit": a reader that wants the attribute gets a number.
static double limit_value(double x) {
  return x >= DBL_MAX ? INFINITY : x <= -DBL_MAX ? -INFINITY : x;
}

static bool start_limit(urdf *u, const char **attributes) {
  urdf_joint *joint = joint_now(u);
  ap_body_def *def = &joint->def;
  double lower = 0, upper = 0; // URDF's default
  bool has_lower, has_upper;
  if (!optional_numbers(u, attributes, "limit", "lower", 1, &lower, &has_lower) ||
      !optional_numbers(u, attributes, "limit", "upper", 1, &upper, &has_upper) ||
      !optional_numbers(u, attributes, "limit", "effort", 1, &def->effort_limit, NULL) ||
      !optional_numbers(u, attributes, "limit", "velocity", 1, &def->velocity_limit, NULL))
    return false;
  if (def->effort_limit < 0 || def->velocity_limit < 0)
    ap__urdf_odd(u, ODD_NEGATIVE, ap__urdf_line(u), joint->name);
  def->effort_limit = def->effort_limit < 0 ? INFINITY : limit_value(def->effort_limit);
  def->velocity_limit = def->velocity_limit < 0 ? INFINITY : limit_value(def->velocity_limit);
  bool range = !joint->continuous && (def->joint == AP_REVOLUTE || def->joint == AP_PRISMATIC);
  if (!range) return true;
  if (!has_lower && !has_upper) ap__urdf_odd(u, ODD_NO_RANGE, ap__urdf_line(u), joint->name);
  if (lower > upper)
    return ap__urdf_fail(u,
                         "<limit lower=\"%g\" upper=\"%g\"> of joint \"%.*s\" (lower must not be "
                         "above upper)",
                         lower, upper, ap__shown(joint->name), joint->name);
  def->lower = limit_value(lower);
  def->upper = limit_value(upper);
  return true;
}

static bool start_dynamics(urdf *u, const char **attributes) {
  ap_body_def *def = &joint_now(u)->def;
  return optional_numbers(u, attributes, "dynamics", "damping", 1, &def->viscous, NULL) &&
         optional_numbers(u, attributes, "dynamics", "friction", 1, &def->coulomb, NULL);
}

static bool start_mimic(urdf *u, const char **attributes) {
  urdf_joint *joint = joint_now(u);
  joint->mimic_line = ap__urdf_line(u);
  joint->def.mimic_ratio = 1;
  joint->def.mimic_offset = 0;
  return required_name(u, attributes, "mimic", "joint", &joint->leader) &&
         optional_numbers(u, attributes, "mimic", "multiplier", 1, &joint->def.mimic_ratio, NULL) &&
         optional_numbers(u, attributes, "mimic", "offset", 1, &joint->def.mimic_offset, NULL);
}

// What a joint's type has no use for goes back to its default: with a word where it had a meaning.
static void drop_unused(urdf *u, urdf_joint *joint) {
  ap_body_def *def = &joint->def, initial = ap_default_body();
  if (def->joint == AP_REVOLUTE || def->joint == AP_PRISMATIC) return;
  if (def->joint != AP_FIXED && (def->viscous != 0 || def->coulomb != 0))
    ap__urdf_odd(u, ODD_FRICTION, joint->line, joint->name);
  if (joint->leader) ap__urdf_odd(u, ODD_FIXED_MIMIC, joint->mimic_line, joint->name);
  joint->leader = NULL;
  def->mimic_ratio = initial.mimic_ratio;
  def->mimic_offset = initial.mimic_offset;
  def->viscous = initial.viscous;
  def->coulomb = initial.coulomb;
  def->effort_limit = initial.effort_limit;
  def->velocity_limit = initial.velocity_limit;
  if (def->joint != AP_PLANAR) memcpy(def->axis, initial.axis, sizeof def->axis);
}

static bool end_joint(urdf *u) {
  urdf_joint *joint = joint_now(u);
  const char *missing = !joint->parent ? "parent" : !joint->child ? "child" : NULL;
  drop_unused(u, joint);
  return !missing ||
         ap__urdf_fail_at(u, joint->line, "joint \"%.*s\" without <%s> (<%s link=\"...\"/>)",
                          ap__shown(joint->name), joint->name, missing, missing);
}

// ---- transmission ------------------------------------------------------------------------------

static urdf_transmission *transmission_now(urdf *u) {
  return &u->transmissions[u->ntransmission - 1];
}

static bool start_transmission(urdf *u, const char **attributes) {
  (void)attributes;
  urdf_transmission *grown =
      ap__grown(u->transmissions, u->ntransmission, &u->transmission_capacity, sizeof *grown);
  if (!grown) return ap__urdf_no_memory(u);
  u->transmissions = grown;
  u->transmissions[u->ntransmission++] =
      (urdf_transmission){.line = ap__urdf_line(u), .gear = NAN, .rotor = NAN};
  return true;
}

static bool start_transmission_joint(urdf *u, const char **attributes) {
  urdf_transmission *t = transmission_now(u);
  const char *name = NULL;
  if (!required_name(u, attributes, "joint", "name", &name)) return false;
  if (t->joints++ == 0) t->joint = name;
  return true;
}

static bool start_actuator(urdf *u, const char **attributes) {
  (void)attributes;
  transmission_now(u)->actuators++;
  return true;
}

static bool start_text(urdf *u, const char **attributes) {
  (void)attributes;
  u->collect = true;
  u->text_length = 0;
  return true;
}

// A gear that is said again must be the same one; a rotor is said once. With several joints or
// actuators that is no contradiction, so that the end of the transmission decides.
static bool set_gear(urdf *u, double gear) {
  urdf_transmission *t = transmission_now(u);
  if (isnan(t->gear)) t->gear = gear;
  if (t->gear == gear || t->conflict) return true;
  t->conflict = "two different reductions";
  t->conflict_line = ap__urdf_line(u);
  return true;
}

static bool set_rotor(urdf *u, double rotor) {
  urdf_transmission *t = transmission_now(u);
  if (!isnan(t->rotor) && !t->conflict) {
    t->conflict = "two rotor inertias";
    t->conflict_line = ap__urdf_line(u);
  }
  if (isnan(t->rotor) || t->rotor == 0) t->rotor = rotor;
  return true;
}

static bool end_transmission(urdf *u) {
  const urdf_transmission *t = transmission_now(u);
  if (!t->conflict || t->joints > 1 || t->actuators > 1) return true;
  const char *name = t->joint ? t->joint : "";
  return ap__urdf_fail_at(u, t->conflict_line,
                          "the transmission of joint \"%.*s\" has %s (one motor per joint)",
                          ap__shown(name), name, t->conflict);
}

static bool end_gear(urdf *u) {
  double gear = 0;
  return read_numbers(u, "<mechanicalReduction>", u->text, 1, &gear) && set_gear(u, gear);
}

static bool end_rotor(urdf *u) {
  double rotor = 0;
  return read_numbers(u, "<motorInertia>", u->text, 1, &rotor) && set_rotor(u, rotor);
}

static bool start_drake_gear(urdf *u, const char **attributes) {
  double gear = 0;
  return required_number(u, attributes, "drake:gear_ratio", "value", &gear) && set_gear(u, gear);
}

static bool start_drake_rotor(urdf *u, const char **attributes) {
  double rotor = 0;
  return required_number(u, attributes, "drake:rotor_inertia", "value", &rotor) &&
         set_rotor(u, rotor);
}

// ---- extensions --------------------------------------------------------------------------------

// The number or truth value that a text says; fallback where it says neither.
static double value_of(const char *text, double fallback) {
  const char *s = skip_blanks(text), *end;
  double x;
  if (strncmp(s, "true", 4) == 0) return 1;
  if (strncmp(s, "false", 5) == 0) return 0;
  return ap__parse_double(s, &end, &x) == AP__NUMBER ? x : fallback;
}

static const char *element_now(const urdf *u) { return u->level[u->depth].rule->element; }

static bool end_spring(urdf *u) {
  if (value_of(u->text, 1) != 0) ap__urdf_odd(u, ODD_SPRING, ap__urdf_line(u), element_now(u));
  return true;
}

static bool end_no_gravity(urdf *u) {
  if (value_of(u->text, 1) != 0) ap__urdf_odd(u, ODD_GRAVITY, ap__urdf_line(u), "turnGravityOff");
  return true;
}

static bool end_gravity(urdf *u) {
  if (value_of(u->text, 0) != 1) ap__urdf_odd(u, ODD_GRAVITY, ap__urdf_line(u), "gravity");
  return true;
}

static bool end_link_damping(urdf *u) {
  if (value_of(u->text, 1) != 0)
    ap__urdf_odd(u, ODD_LINK_DAMPING, ap__urdf_line(u), "dampingFactor");
  return true;
}

static bool start_loop(urdf *u, const char **attributes) {
  const char *name = ap__urdf_attribute(attributes, "name");
  ap__urdf_odd(u, ODD_LOOP, ap__urdf_line(u), name ? name : "loop_joint");
  return true;
}

// Gazebo's own joint, which closes a loop; the <joint> of a plugin names one, and has no type.
static bool start_gazebo_joint(urdf *u, const char **attributes) {
  return !ap__urdf_attribute(attributes, "type") || start_loop(u, attributes);
}

// Of a link, but not of a plugin: nobody knows what that means by it.
static bool start_gazebo_inertia(urdf *u, const char **attributes) {
  (void)attributes;
  for (int i = u->depth; i > 0; i--) {
    const urdf_rule *rule = u->level[i].rule;
    if (rule && strcmp(rule->element, "plugin") == 0) return true;
  }
  ap__urdf_odd(u, ODD_INERTIA, ap__urdf_line(u), element_now(u));
  return true;
}

// Bullet's.
static bool start_inertia_scaling(urdf *u, const char **attributes) {
  const char *value = ap__urdf_attribute(attributes, "value");
  if (!value || value_of(value, 0) != 1)
    ap__urdf_odd(u, ODD_INERTIA, ap__urdf_line(u), element_now(u));
  return true;
}

static bool start_mujoco_compiler(urdf *u, const char **attributes) {
  static const char *const name[] = {"balanceinertia", "inertiafromgeom", "boundmass",
                                     "boundinertia", "settotalmass"};
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    const char *value = ap__urdf_attribute(attributes, name[i]);
    if (!value || strcmp(value, "auto") == 0 || value_of(value, 1) <= 0) continue; // the defaults
    ap__urdf_odd(u, ODD_INERTIA, ap__urdf_line(u), name[i]);
  }
  return true;
}

static bool add_plugin(urdf *u, const char *follower) {
  urdf_plugin *grown = ap__grown(u->plugins, u->nplugin, &u->plugin_capacity, sizeof *grown);
  if (!grown) return ap__urdf_no_memory(u);
  u->plugins = grown;
  u->plugins[u->nplugin++] = (urdf_plugin){follower, u->plugin_line};
  return true;
}

// Gazebo has several that do what <mimic> says; most files say it as well (see urdf_finish.c).
static bool start_plugin(urdf *u, const char **attributes) {
  const char *file = ap__urdf_attribute(attributes, "filename");
  bool mimic = file && (strstr(file, "mimic") || strstr(file, "Mimic"));
  u->plugin_line = mimic ? ap__urdf_line(u) : 0;
  u->plugin_followers = 0;
  return true;
}

static bool end_plugin(urdf *u) {
  bool done = !u->plugin_line || u->plugin_followers || add_plugin(u, NULL);
  u->plugin_line = 0;
  return done;
}

static bool start_follower(urdf *u, const char **attributes) {
  return !u->plugin_line || start_text(u, attributes);
}

static bool end_follower(urdf *u) {
  if (!u->plugin_line) return true;
  const char *name = skip_blanks(u->text);
  size_t n = strlen(name);
  while (n > 0 && is_blank(name[n - 1])) n--;
  name = ap__robot_text(u->robot, name, n);
  u->plugin_followers++;
  return name ? add_plugin(u, name) : ap__urdf_no_memory(u);
}

static bool start_mujoco_option(urdf *u, const char **attributes) {
  if (ap__urdf_attribute(attributes, "gravity"))
    ap__urdf_odd(u, ODD_GRAVITY, ap__urdf_line(u), "option gravity");
  return true;
}

// Elements of the time when xacro had no prefix.
static bool start_old_xacro(urdf *u, const char **attributes) {
  (void)attributes;
  return ap__urdf_fail_xacro(u);
}

// ---- the rules ---------------------------------------------------------------------------------

const urdf_rule ap__urdf_rules[] = {
    {IN_FILE, "robot", IN_ROBOT, true, NULL, start_robot, NULL},

    {IN_ROBOT, "link", IN_LINK, false, "name type", start_link, NULL},
    {IN_ROBOT, "joint", IN_JOINT, false, "name type", start_joint, end_joint},
    {IN_ROBOT, "transmission", IN_TRANSMISSION, false, NULL, start_transmission, end_transmission},
    {IN_ROBOT, "material", IN_MATERIAL, false, NULL, ap__urdf_start_robot_material, NULL},
    {IN_ROBOT, "gazebo", IN_EXTENSION, false, NULL, NULL, NULL},
    {IN_ROBOT, "mujoco", IN_EXTENSION, false, NULL, NULL, NULL},
    {IN_ROBOT, "loop_joint", IN_LEAF, false, NULL, start_loop, NULL},
    {IN_ROBOT, "include", IN_LEAF, false, NULL, start_old_xacro, NULL},
    {IN_ROBOT, "macro", IN_LEAF, false, NULL, start_old_xacro, NULL},

    {IN_LINK, "inertial", IN_INERTIAL, true, "", NULL, end_inertial},
    {IN_LINK, "visual", IN_SHAPE, false, NULL, ap__urdf_start_visual, NULL},
    {IN_LINK, "collision", IN_SHAPE, false, NULL, ap__urdf_start_collision, NULL},
    {IN_LINK, "contact", IN_CONTACT, false, NULL, NULL, NULL},
    {IN_CONTACT, "inertia_scaling", IN_LEAF, false, NULL, start_inertia_scaling, NULL},
    {IN_SHAPE, "geometry", IN_GEOMETRY, false, NULL, NULL, NULL},
    {IN_SHAPE, "origin", IN_LEAF, false, NULL, ap__urdf_start_shape_origin, NULL},
    {IN_SHAPE, "material", IN_MATERIAL, false, NULL, ap__urdf_start_shape_material, NULL},
    {IN_GEOMETRY, "box", IN_LEAF, false, NULL, ap__urdf_start_box, NULL},
    {IN_GEOMETRY, "cylinder", IN_LEAF, false, NULL, ap__urdf_start_cylinder, NULL},
    {IN_GEOMETRY, "sphere", IN_LEAF, false, NULL, ap__urdf_start_sphere, NULL},
    {IN_GEOMETRY, "mesh", IN_LEAF, false, NULL, ap__urdf_start_mesh, NULL},
    {IN_MATERIAL, "color", IN_LEAF, false, NULL, ap__urdf_start_color, NULL},

    {IN_INERTIAL, "origin", IN_LEAF, true, "xyz rpy", start_inertial_origin, NULL},
    {IN_INERTIAL, "mass", IN_LEAF, true, "value", start_mass, NULL},
    {IN_INERTIAL, "inertia", IN_LEAF, true, "ixx ixy ixz iyy iyz izz", start_inertia, NULL},

    {IN_JOINT, "origin", IN_LEAF, true, "xyz rpy", start_joint_origin, NULL},
    {IN_JOINT, "parent", IN_LEAF, true, "link", start_parent, NULL},
    {IN_JOINT, "child", IN_LEAF, true, "link", start_child, NULL},
    {IN_JOINT, "axis", IN_LEAF, true, "xyz", start_axis, NULL},
    {IN_JOINT, "limit", IN_LEAF, true, "lower upper effort velocity acceleration jerk", start_limit,
     NULL},
    {IN_JOINT, "dynamics", IN_LEAF, true, "damping friction", start_dynamics, NULL},
    {IN_JOINT, "mimic", IN_LEAF, true, "joint multiplier offset", start_mimic, NULL},
    {IN_JOINT, "calibration", IN_LEAF, false, NULL, NULL, NULL},
    {IN_JOINT, "safety_controller", IN_LEAF, false, NULL, NULL, NULL},

    {IN_TRANSMISSION, "type", IN_LEAF, false, NULL, NULL, NULL},
    {IN_TRANSMISSION, "joint", IN_ACTUATOR, false, NULL, start_transmission_joint, NULL},
    {IN_TRANSMISSION, "actuator", IN_ACTUATOR, false, NULL, start_actuator, NULL},
    {IN_TRANSMISSION, "mechanicalReduction", IN_LEAF, true, "", start_text, end_gear},
    {IN_ACTUATOR, "mechanicalReduction", IN_LEAF, true, "", start_text, end_gear},
    {IN_ACTUATOR, "motorInertia", IN_LEAF, true, "", start_text, end_rotor},
    {IN_ACTUATOR, "rotorInertia", IN_LEAF, true, "", start_text, end_rotor},
    {IN_ACTUATOR, "hardwareInterface", IN_LEAF, false, NULL, NULL, NULL},
    {IN_ACTUATOR, "role", IN_LEAF, false, NULL, NULL, NULL},
    {IN_ACTUATOR, "offset", IN_LEAF, false, NULL, NULL, NULL},
    {IN_ACTUATOR, "drake:gear_ratio", IN_LEAF, true, "value", start_drake_gear, NULL},
    {IN_ACTUATOR, "drake:rotor_inertia", IN_LEAF, true, "value", start_drake_rotor, NULL},

    {IN_EXTENSION, "springStiffness", IN_LEAF, false, NULL, start_text, end_spring},
    {IN_EXTENSION, "spring_stiffness", IN_LEAF, false, NULL, start_text, end_spring},
    {IN_EXTENSION, "joint", IN_EXTENSION, false, NULL, start_gazebo_joint, NULL},
    {IN_EXTENSION, "inertial", IN_LEAF, false, NULL, start_gazebo_inertia, NULL},
    {IN_EXTENSION, "mass", IN_LEAF, false, NULL, start_gazebo_inertia, NULL},
    {IN_EXTENSION, "plugin", IN_EXTENSION, false, NULL, start_plugin, end_plugin},
    {IN_EXTENSION, "mimicJoint", IN_LEAF, false, NULL, start_follower, end_follower},
    {IN_EXTENSION, "mimic_joint", IN_LEAF, false, NULL, start_follower, end_follower},
    {IN_EXTENSION, "compiler", IN_LEAF, false, NULL, start_mujoco_compiler, NULL},
    {IN_EXTENSION, "turnGravityOff", IN_LEAF, false, NULL, start_text, end_no_gravity},
    {IN_EXTENSION, "gravity", IN_LEAF, false, NULL, start_text, end_gravity},
    {IN_EXTENSION, "dampingFactor", IN_LEAF, false, NULL, start_text, end_link_damping},
    {IN_EXTENSION, "option", IN_LEAF, false, NULL, start_mujoco_option, NULL},

    {IN_FILE, NULL, IN_LEAF, false, NULL, NULL, NULL}};
