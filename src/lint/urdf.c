// URDF: from the tree of elements to links and joints, past whatever is wrong with them.

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/names.h"
#include "file/urdf.h"
#include "lint/number.h"
#include "lint/tags.h"
#include "lint/xml.h"

typedef struct reader {
  lint *l;
  const xml_tree *tree;
} reader;

static const xml_element *element(const reader *r, int i) { return &r->tree->element[i]; }

static void missing(const reader *r, int line, const char *subject, const char *what,
                    const char *fix) {
  lint_note note = ap__lint_begin("missing-part", line, subject);
  ap__lint_what(&note, "%s", what);
  ap__lint_why(&note, "the robot cannot be built without it");
  ap__lint_fix(&note, "%s", fix);
  ap__lint_end(r->l, &note);
}

// An attribute of n numbers; *x stays as it is where there is none or it cannot be read.
static bool numbers(const reader *r, int e, const char *subject, const char *name, int n,
                    double *x) {
  const char *text = ap__xml_value(r->tree, e, name);
  char what[128];
  if (!text) return false;
  snprintf(what, sizeof what, "<%s %s>", element(r, e)->name, name);
  return ap__lint_numbers(r->l, element(r, e)->line, subject, what, text, n, x);
}

static bool required(const reader *r, int e, const char *subject, const char *name, double *x) {
  if (ap__xml_value(r->tree, e, name)) return numbers(r, e, subject, name, 1, x);
  char what[128], fix[128];
  snprintf(what, sizeof what, "<%s> without %s", element(r, e)->name, name);
  snprintf(fix, sizeof fix, "<%s %s=\"a number\">", element(r, e)->name, name);
  missing(r, element(r, e)->line, subject, what, fix);
  return false;
}

// A name; NULL, with a finding, where there is none.
static const char *name_of(const reader *r, int e, const char *attribute) {
  const char *name = ap__xml_value(r->tree, e, attribute);
  if (name && *name) return ap__lint_keep(r->l, name);
  char what[128], fix[128];
  snprintf(what, sizeof what, "<%s> without %s", element(r, e)->name, attribute);
  snprintf(fix, sizeof fix, "<%s %s=\"...\">", element(r, e)->name, attribute);
  missing(r, element(r, e)->line, "", what, fix);
  return NULL;
}

// Four numbers instead of rpy, as some writers have them: x y z w. False: there are none.
static bool quaternion(const reader *r, int e, const char *subject, double rpy[3]) {
  double q[4];
  if (!ap__xml_value(r->tree, e, "quat_xyzw") || !numbers(r, e, subject, "quat_xyzw", 4, q))
    return false;
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (fabs(n - 1) > 1e-4) {
    lint_note note = ap__lint_begin("rotation", element(r, e)->line, subject);
    ap__lint_what(&note, "the quaternion has length %.6g", n);
    ap__lint_why(&note, "programs that do not normalise it scale what they turn by %.4g", n * n);
    if (n > 0)
      ap__lint_fix(&note, "quat_xyzw=\"%.9g %.9g %.9g %.9g\"", q[0] / n, q[1] / n, q[2] / n,
                   q[3] / n);
    ap__lint_end(r->l, &note);
  }
  if (n == 0) return false;
  for (int i = 0; i < 4; i++) q[i] /= n;
  rpy[0] = atan2(2 * (q[3] * q[0] + q[1] * q[2]), 1 - 2 * (q[0] * q[0] + q[1] * q[1]));
  rpy[1] = asin(fmax(-1, fmin(1, 2 * (q[3] * q[1] - q[2] * q[0]))));
  rpy[2] = atan2(2 * (q[3] * q[2] + q[0] * q[1]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
  return true;
}

// Its line, 0 where there is none; *lost where xyz is there and cannot be read.
static int origin(const reader *r, int parent, const char *subject, double xyz[3], double rpy[3],
                  bool *lost) {
  int e = ap__xml_child(r->tree, parent, "origin");
  if (e < 0) return 0;
  bool read = numbers(r, e, subject, "xyz", 3, xyz);
  if (lost) *lost = !read && ap__xml_value(r->tree, e, "xyz");
  numbers(r, e, subject, "rpy", 3, rpy);
  quaternion(r, e, subject, rpy);
  return element(r, e)->line;
}

// ---- links -------------------------------------------------------------------------------------

static const char *const moment_name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

// A moment below zero tells of itself, whatever the others are.
static void look_at_sign(const reader *r, const lint_link *link, int i) {
  if (!(link->tensor[i] < 0)) return;
  lint_note note = ap__lint_begin("inertia-negative", link->inertia_line, link->name);
  ap__lint_what(&note, "link \"%.*s\" has %s = %g kg m2: sign?", ap__shown(link->name), link->name,
                moment_name[i], link->tensor[i]);
  ap__lint_why(&note, "pushed, such a link turns the wrong way");
  ap__lint_fix(&note, "%s=\"%g\"", moment_name[i], -link->tensor[i]);
  ap__lint_end(r->l, &note);
}

// Products of inertia that are not said are zero to the other rules; moments leave the tensor
// unknown.
static void read_tensor(const reader *r, int e, lint_link *link) {
  bool read[6];
  link->inertia_line = element(r, e)->line;
  for (int i = 0; i < 6; i++) {
    if (i % 3 == 0 || i == 5 || ap__xml_value(r->tree, e, moment_name[i])) {
      read[i] = required(r, e, link->name, moment_name[i], &link->tensor[i]);
    } else {
      char what[64], fix[96];
      snprintf(what, sizeof what, "<inertia> without %s", moment_name[i]);
      snprintf(fix, sizeof fix, "%s=\"0\" where the link is symmetric, as the other rules take it",
               moment_name[i]);
      missing(r, link->inertia_line, link->name, what, fix);
      read[i] = false;
    }
    link->tensor_lost = link->tensor_lost || !read[i];
  }
  link->tensor_given = read[0] && read[3] && read[5];
  if (link->tensor_given) return;
  look_at_sign(r, link, 0);
  look_at_sign(r, link, 3);
  look_at_sign(r, link, 5);
  memset(link->tensor, 0, sizeof link->tensor);
}

static void read_inertial(const reader *r, int e, lint_link *link) {
  link->inertial = true;
  link->com_line = origin(r, e, link->name, link->com, link->rpy, &link->com_lost);
  int mass = ap__xml_child(r->tree, e, "mass"), inertia = ap__xml_child(r->tree, e, "inertia");
  link->mass_line = link->inertia_line = element(r, e)->line;
  if (mass >= 0) {
    link->mass_line = element(r, mass)->line;
    link->mass_given = required(r, mass, link->name, "value", &link->mass);
  } else {
    missing(r, element(r, e)->line, link->name, "<inertial> without <mass>",
            "add <mass value=\"...\"/>, or leave out <inertial> for a link without mass");
  }
  link->mass_lost = !link->mass_given;
  if (inertia < 0) {
    link->tensor_lost = true;
    missing(r, element(r, e)->line, link->name, "<inertial> without <inertia>",
            "add <inertia ixx=\"...\" ixy=\"0\" ixz=\"0\" iyy=\"...\" iyz=\"0\" izz=\"...\"/>");
    return;
  }
  read_tensor(r, inertia, link);
}

static void read_geometry(const reader *r, int e, const char *subject, const lint_shape *frame) {
  static const char *const kinds[] = {"box", "cylinder", "sphere", "mesh", NULL};
  for (int c = element(r, e)->first; c >= 0; c = element(r, c)->next) {
    int kind = 0;
    while (kinds[kind] && strcmp(kinds[kind], element(r, c)->name) != 0) kind++;
    if (!kinds[kind]) continue;
    lint_robot *robot = &r->l->robot;
    lint_shape *shape =
        ap__lint_add_shape(robot, robot->nlink - 1, (lint_shape_kind)kind, element(r, c)->line);
    if (!shape) {
      r->l->no_memory = true;
      return;
    }
    shape->collision = frame->collision;
    memcpy(shape->xyz, frame->xyz, sizeof shape->xyz);
    memcpy(shape->rpy, frame->rpy, sizeof shape->rpy);
    if (kind == SHAPE_BOX) numbers(r, c, subject, "size", 3, shape->size);
    if (kind == SHAPE_CYLINDER || kind == SHAPE_SPHERE)
      numbers(r, c, subject, "radius", 1, &shape->size[0]);
    if (kind == SHAPE_CYLINDER) numbers(r, c, subject, "length", 1, &shape->size[1]);
    if (kind != SHAPE_MESH) continue;
    numbers(r, c, subject, "scale", 3, shape->size);
    const char *file = ap__xml_value(r->tree, c, "filename");
    shape->file = file && *file ? ap__lint_keep(r->l, file) : NULL;
  }
}

static void read_link(const reader *r, int e) {
  const char *name = name_of(r, e, "name");
  lint_link *link = ap__lint_add_link(&r->l->robot, name ? name : "", element(r, e)->line);
  if (!link) {
    r->l->no_memory = true;
    return;
  }
  int inertial = ap__xml_child(r->tree, e, "inertial");
  if (inertial >= 0) read_inertial(r, inertial, link);
  for (int c = element(r, e)->first; c >= 0; c = element(r, c)->next) {
    bool collision = strcmp(element(r, c)->name, "collision") == 0;
    if (!collision && strcmp(element(r, c)->name, "visual") != 0) continue;
    lint_shape frame = {.collision = collision};
    origin(r, c, link->name, frame.xyz, frame.rpy, NULL);
    int geometry = ap__xml_child(r->tree, c, "geometry");
    if (geometry >= 0) read_geometry(r, geometry, link->name, &frame);
  }
}

// ---- joints ------------------------------------------------------------------------------------

static void unknown_type(const reader *r, int line, const char *joint, const char *type,
                         const char *meant) {
  lint_note note = ap__lint_begin("joint-type", line, joint);
  ap__lint_what(&note, "<joint type=\"%.*s\"> does not exist", ap__shown(type), type);
  ap__lint_why(&note, "nobody can tell how many degrees of freedom the joint has");
  if (meant)
    ap__lint_fix(&note, "type=\"%s\"", meant);
  else
    ap__lint_fix(&note, "one of revolute, continuous, prismatic, fixed, floating, planar");
  ap__lint_end(r->l, &note);
}

static void read_type(const reader *r, int e, lint_joint *joint) {
  static const char *const other[][2] = {{"hinge", "revolute"}, {"slide", "prismatic"},
                                         {"free", "floating"},  {"weld", "fixed"},
                                         {"rigid", "fixed"},    {"linear", "prismatic"}};
  const char *type = ap__xml_value(r->tree, e, "type"), *meant = NULL;
  joint->type_known = false;
  if (!type) {
    missing(r, joint->line, joint->name, "<joint> without type",
            "type=\"revolute\", continuous, prismatic, fixed, floating or planar");
    return;
  }
  int least = 1000;
  for (const urdf_type *known = ap__urdf_types; known->name; known++)
    if (ap__name_nearer(type, known->name, &least)) meant = known->name;
  for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
    if (strcmp(type, other[i][0]) == 0) meant = other[i][1];
  // what was meant is what the other rules take
  for (const urdf_type *known = ap__urdf_types; meant && known->name; known++) {
    if (strcmp(meant, known->name) != 0) continue;
    joint->type = known->type;
    joint->type_known = true;
    joint->continuous = strcmp(meant, "continuous") == 0;
  }
  if (!meant || strcmp(type, meant) != 0) unknown_type(r, joint->line, joint->name, type, meant);
}

// The largest double stands for "no limit".
static double limit_value(double x) {
  return x >= DBL_MAX ? INFINITY : x <= -DBL_MAX ? -INFINITY : x;
}

static void read_limit(const reader *r, int e, lint_joint *joint) {
  static const char *const name[4] = {"lower", "upper", "effort", "velocity"};
  double *to[4] = {&joint->lower, &joint->upper, &joint->effort, &joint->velocity};
  joint->limit_line = element(r, e)->line;
  for (int i = 0; i < 4; i++)
    if (numbers(r, e, joint->name, name[i], 1, to[i])) *to[i] = limit_value(*to[i]);
  if (joint->continuous) joint->lower = joint->upper = NAN;
}

static void read_link_name(const reader *r, int e, const char *which, const char **name, int *line,
                           const lint_joint *joint) {
  int c = ap__xml_child(r->tree, e, which);
  *line = joint->line;
  if (c >= 0) {
    *line = element(r, c)->line;
    *name = name_of(r, c, "link");
    return;
  }
  char what[64], fix[64];
  snprintf(what, sizeof what, "<joint> without <%s>", which);
  snprintf(fix, sizeof fix, "add <%s link=\"...\"/>", which);
  missing(r, joint->line, joint->name, what, fix);
}

static void read_mimic(const reader *r, int e, lint_joint *joint) {
  joint->mimic_line = element(r, e)->line;
  joint->leader = name_of(r, e, "joint");
  numbers(r, e, joint->name, "multiplier", 1, &joint->ratio);
  numbers(r, e, joint->name, "offset", 1, &joint->offset);
}

static void read_joint(const reader *r, int e) {
  const char *name = name_of(r, e, "name");
  lint_joint *joint = ap__lint_add_joint(&r->l->robot, name ? name : "", element(r, e)->line);
  if (!joint) {
    r->l->no_memory = true;
    return;
  }
  read_type(r, e, joint);
  joint->origin_line = origin(r, e, joint->name, joint->place.xyz, joint->place.rpy, NULL);
  read_link_name(r, e, "parent", &joint->parent, &joint->parent_line, joint);
  read_link_name(r, e, "child", &joint->child, &joint->child_line, joint);
  int axis = ap__xml_child(r->tree, e, "axis"), limit = ap__xml_child(r->tree, e, "limit"),
      dynamics = ap__xml_child(r->tree, e, "dynamics"), mimic = ap__xml_child(r->tree, e, "mimic");
  if (axis >= 0) joint->axis_line = element(r, axis)->line;
  if (axis >= 0 && !ap__xml_value(r->tree, axis, "xyz"))
    missing(r, joint->axis_line, joint->name, "<axis> without xyz", "<axis xyz=\"0 0 1\"/>");
  else if (axis >= 0)
    numbers(r, axis, joint->name, "xyz", 3, joint->axis);
  if (limit >= 0) read_limit(r, limit, joint);
  if (dynamics >= 0) {
    joint->dynamics_line = element(r, dynamics)->line;
    numbers(r, dynamics, joint->name, "damping", 1, &joint->viscous);
    numbers(r, dynamics, joint->name, "friction", 1, &joint->coulomb);
  }
  if (mimic >= 0) read_mimic(r, mimic, joint);
}

// ---- transmissions -----------------------------------------------------------------------------

// Gear and rotor of a transmission with one joint: the first of each that is there.
static void find_drive(const reader *r, int e, int depth, double *gear, double *rotor, int *line) {
  for (int c = element(r, e)->first; c >= 0; c = element(r, c)->next) {
    const char *name = element(r, c)->name;
    bool reduction = strcmp(name, "mechanicalReduction") == 0;
    if (reduction || strcmp(name, "motorInertia") == 0 || strcmp(name, "rotorInertia") == 0) {
      double x;
      if (!ap__lint_numbers(r->l, element(r, c)->line, "", name, element(r, c)->text, 1, &x))
        continue;
      if (!reduction) *line = element(r, c)->line;
      if (isnan(reduction ? *gear : *rotor)) *(reduction ? gear : rotor) = x;
    } else if (depth < 3) {
      find_drive(r, c, depth + 1, gear, rotor, line);
    }
  }
}

static void read_transmission(const reader *r, int e, const ap__names *joints) {
  int c = ap__xml_child(r->tree, e, "joint"), line = element(r, e)->line;
  const char *name = c >= 0 ? ap__xml_value(r->tree, c, "name") : NULL;
  double gear = NAN, rotor = NAN;
  find_drive(r, e, 0, &gear, &rotor, &line);
  int i = name && !isnan(rotor) ? ap__names_find(joints, name) : -1;
  if (i < 0) return; // a gear acts on nothing but the rotor
  lint_joint *joint = &r->l->robot.joint[i];
  if (!isnan(gear)) joint->gear = gear;
  joint->rotor = rotor;
  joint->rotor_line = line;
}

// ---- the whole ---------------------------------------------------------------------------------

static void read_transmissions(const reader *r) {
  const lint_robot *robot = &r->l->robot;
  ap__names joints = {0};
  if (!ap__names_init(&joints, robot->njoint)) {
    r->l->no_memory = true;
    return;
  }
  for (int i = 0; i < robot->njoint; i++) ap__names_put(&joints, robot->joint[i].name, i);
  for (int c = element(r, 0)->first; c >= 0; c = element(r, c)->next)
    if (strcmp(element(r, c)->name, "transmission") == 0) read_transmission(r, c, &joints);
  ap__names_free(&joints);
}

static void read_tree(const reader *r) {
  if (r->tree->n == 0 || strcmp(element(r, 0)->name, "robot") != 0) return;
  const char *name = name_of(r, 0, "name");
  r->l->robot.name = name ? name : "";
  for (int c = element(r, 0)->first; c >= 0 && !r->l->no_memory; c = element(r, c)->next) {
    if (strcmp(element(r, c)->name, "link") == 0) read_link(r, c);
    if (strcmp(element(r, c)->name, "joint") == 0) read_joint(r, c);
  }
  if (!r->l->no_memory) read_transmissions(r);
}

void ap__lint_read_urdf(lint *l, const char *text, size_t length) {
  xml_tree tree = {0};
  ap_error error = {0};
  l->no_memory = !ap__xml_parse(&tree, text, length, &error);
  if (!l->no_memory && tree.cut) {
    lint_note note = ap__lint_begin("syntax", error.line, "");
    ap__lint_what(&note, "%s", error.text);
    ap__lint_why(&note, "what comes behind this line cannot be examined");
    ap__lint_fix(&note, "close every element and quote every value");
    ap__lint_end(l, &note);
    l->cut = true;
  }
  reader r = {l, &tree};
  if (!l->no_memory) {
    read_tree(&r);
    ap__lint_tags(l, &tree);
  }
  ap__xml_free(&tree);
}
