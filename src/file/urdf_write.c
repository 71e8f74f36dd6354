// SPDX-License-Identifier: Apache-2.0
// A robot as URDF. What URDF says otherwise is converted: placements to xyz and rpy, named frames
// to massless links on fixed joints, rotors to transmissions, springs to Gazebo's extensions. A
// spherical joint is written as the type "spherical", which the reader knows and other readers
// refuse. What it cannot say is refused, except static friction and gravity compensation, which are
// left out.

#include <float.h>
#include <math.h>
#include <string.h>

#include "file/xml_write.h"
#include "file/xyz_rpy.h"

typedef struct writer {
  ap__text *t;
  const ap_robot *robot;
  ap_error *error;
  const char *root; // name of the link that everything on the ground hangs on
  int root_body;    // the body that is this link; 0: a link of its own
  ap__names taken;  // by bodies, frames and joints, and names made here
  ap__pool made;    // those
} writer;

static void add(writer *w, const char *text) { ap__text_bytes(w->t, text, strlen(text)); }

static void add_text(writer *w, const char *attribute, const char *text) {
  ap__xml_text(w->t, attribute, text);
}

static void add_numbers(writer *w, const char *attribute, const double *x, int n) {
  ap__xml_numbers(w->t, attribute, x, n);
}

// ---- names -------------------------------------------------------------------------------------

static bool index_names(writer *w) {
  const ap_robot *robot = w->robot;
  // A body of standard DH adds two names, a frame one, and the root may need one.
  if (!ap__names_init(&w->taken, 4 * robot->nbody + 2 * robot->nframe + 1)) return false;
  for (int i = 0; i < robot->nbody; i++) {
    ap__names_put(&w->taken, robot->bodies[i].name, i);
    ap__names_put(&w->taken, ap__joint_name(&robot->bodies[i]), i);
  }
  for (int i = 0; i < robot->nframe; i++) ap__names_put(&w->taken, robot->frames[i].name, i);
  return true;
}

// A name that neither a body, a frame, a joint nor a name made before has. NULL: no memory.
static const char *new_name(writer *w, const char *name, const char *suffix) {
  const char *made = ap__new_name(&w->taken, &w->made, name, suffix);
  if (!made) w->t->failed = true;
  return made;
}

static const char *link_name(const writer *w, int body) {
  return body == 0 ? w->root : w->robot->bodies[body - 1].name;
}

// The same to the last bit: -0 is not 0 here.
static bool same(const double *a, const double *b, int n) {
  return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

static bool all_zero(const double *x, int n) {
  static const double zero[6] = {0};
  return same(x, zero, n);
}

// ---- what cannot be said -----------------------------------------------------------------------

static ap_status refuse(const writer *w, int body, const char *what) {
  const char *name = w->robot->bodies[body - 1].name;
  return AP__REFUSE(w->error, AP_E_UNSUPPORTED, 0,
                    "URDF cannot express %s, as in body \"%.*s\" (use YAML)", what, ap__shown(name),
                    name);
}

static bool one_dof(const ap_body_def *d) {
  return d->joint == AP_REVOLUTE || d->joint == AP_PRISMATIC;
}

static ap_status check_sayable(const writer *w) {
  ap_robot_def initial = ap_default_robot();
  if (!same(w->robot->def.gravity, initial.gravity, 3))
    return AP__REFUSE(w->error, AP_E_UNSUPPORTED, 0,
                      "URDF cannot express the gravity %g %g %g m/s2 (use YAML)",
                      w->robot->def.gravity[0], w->robot->def.gravity[1], w->robot->def.gravity[2]);
  for (int i = 1; i <= w->robot->nbody; i++) {
    const ap_body_def *d = &w->robot->bodies[i - 1];
    if (one_dof(d)) continue;
    if (d->viscous != 0 || d->coulomb != 0 || d->stiction != 0)
      return refuse(w, i, "friction in a joint with several degrees of freedom");
    if (d->stiffness != 0)
      return refuse(w, i, "a spring in a joint with several degrees of freedom");
    if (d->rotor_inertia != 0)
      return refuse(w, i, "a rotor in a joint with several degrees of freedom");
    bool limited = isfinite(d->lower) || isfinite(d->upper) || isfinite(d->velocity_limit) ||
                   isfinite(d->effort_limit);
    if (limited && d->joint != AP_FIXED)
      return refuse(w, i, "limits in a joint with several degrees of freedom");
  }
  return AP_OK;
}

// ---- links -------------------------------------------------------------------------------------

static void add_inertial(writer *w, const ap_body_def *d) {
  static const char *const name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  if (all_zero(&d->mass, 1) && all_zero(d->com, 3) && all_zero(d->inertia, 6) &&
      all_zero(d->inertia_rpy, 3))
    return;
  add(w, "    <inertial>\n      <origin");
  add_numbers(w, "xyz", d->com, 3);
  add_numbers(w, "rpy", d->inertia_rpy, 3);
  add(w, "/>\n      <mass");
  add_numbers(w, "value", &d->mass, 1);
  add(w, "/>\n      <inertia");
  for (int i = 0; i < 6; i++) add_numbers(w, name[i], &d->inertia[i], 1);
  add(w, "/>\n    </inertial>\n");
}

static void add_geometry(writer *w, const ap_shape *shape) {
  static const double one[3] = {1, 1, 1};
  static const char *const element[] = {"", "box", "cylinder", "sphere", "mesh"};
  ap__text_add(w->t, "      <geometry><%s", element[shape->kind]);
  if (shape->kind == AP_SHAPE_BOX) add_numbers(w, "size", shape->size, 3);
  if (shape->kind == AP_SHAPE_CYLINDER || shape->kind == AP_SHAPE_SPHERE)
    add_numbers(w, "radius", &shape->size[0], 1);
  if (shape->kind == AP_SHAPE_CYLINDER) add_numbers(w, "length", &shape->size[1], 1);
  if (shape->kind == AP_SHAPE_MESH) add_text(w, "filename", shape->file);
  if (shape->kind == AP_SHAPE_MESH && !same(shape->size, one, 3))
    add_numbers(w, "scale", shape->size, 3);
  add(w, "/></geometry>\n");
}

// A shape that cannot be drawn is left out.
static void add_shape(writer *w, const ap_shape *shape) {
  const char *element = shape->collision ? "collision" : "visual";
  if (shape->kind == AP_SHAPE_NONE) return;
  ap__text_add(w->t, "    <%s>\n", element);
  if (!all_zero(shape->xyz, 3) || !all_zero(shape->rpy, 3)) {
    add(w, "      <origin");
    add_numbers(w, "xyz", shape->xyz, 3);
    add_numbers(w, "rpy", shape->rpy, 3);
    add(w, "/>\n");
  }
  add_geometry(w, shape);
  if (shape->colored) {
    add(w, "      <material name=\"\"><color");
    add_numbers(w, "rgba", shape->color, 4);
    add(w, "/></material>\n");
  }
  ap__text_add(w->t, "    </%s>\n", element);
}

static void add_link(writer *w, int body) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  add(w, "  <link");
  add_text(w, "name", d->name);
  add(w, ">\n");
  add_inertial(w, d);
  const ap_shape *shape;
  for (int k = 0; (shape = ap_robot_shape(w->robot, body, k)); k++) add_shape(w, shape);
  add(w, "  </link>\n");
}

static void add_empty_link(writer *w, const char *name) {
  add(w, "  <link");
  add_text(w, "name", name);
  add(w, "/>\n");
}

// ---- joints ------------------------------------------------------------------------------------

static void open_joint(writer *w, const char *name, const char *type, const char *parent,
                       const char *child, const double xyz[3], const double rpy[3]) {
  add(w, "  <joint");
  add_text(w, "name", name);
  add_text(w, "type", type);
  add(w, ">\n    <parent");
  add_text(w, "link", parent);
  add(w, "/>\n    <child");
  add_text(w, "link", child);
  add(w, "/>\n    <origin");
  add_numbers(w, "xyz", xyz, 3);
  add_numbers(w, "rpy", rpy, 3);
  add(w, "/>\n");
}

static void add_fixed_joint(writer *w, const char *name, const char *parent, const char *child,
                            const double xyz[3], const double rpy[3]) {
  open_joint(w, name, "fixed", parent, child, xyz, rpy);
  add(w, "  </joint>\n");
}

static bool unlimited(const ap_body_def *d) { return isinf(d->lower) && isinf(d->upper); }

// Readers of URDF want all four numbers: the largest double stands for "no limit".
static void add_limits(writer *w, const ap_body_def *d) {
  double value[4] = {d->lower, d->upper, d->effort_limit, d->velocity_limit};
  for (int i = 0; i < 4; i++)
    if (isinf(value[i])) value[i] = value[i] < 0 ? -DBL_MAX : DBL_MAX;
  bool continuous = d->joint == AP_REVOLUTE && unlimited(d);
  if (continuous && isinf(d->effort_limit) && isinf(d->velocity_limit)) return;
  add(w, "    <limit");
  if (!continuous) {
    add_numbers(w, "lower", &value[0], 1);
    add_numbers(w, "upper", &value[1], 1);
  }
  add_numbers(w, "effort", &value[2], 1);
  add_numbers(w, "velocity", &value[3], 1);
  add(w, "/>\n");
}

static void add_drive(writer *w, const ap_body_def *d) {
  add_limits(w, d);
  if (!all_zero(&d->viscous, 1) || !all_zero(&d->coulomb, 1)) {
    add(w, "    <dynamics");
    add_numbers(w, "damping", &d->viscous, 1);
    add_numbers(w, "friction", &d->coulomb, 1);
    add(w, "/>\n");
  }
  if (!d->mimic) return;
  add(w, "    <mimic");
  add_text(w, "joint", ap__joint_name(&w->robot->bodies[d->mimic - 1]));
  add_numbers(w, "multiplier", &d->mimic_ratio, 1);
  add_numbers(w, "offset", &d->mimic_offset, 1);
  add(w, "/>\n");
}

static void add_joint(writer *w, const ap_body_def *d, const char *child) {
  static const char *const type[] = {"fixed",     "revolute", "prismatic",
                                     "spherical", "planar",   "floating"};
  static const double z[3] = {0, 0, 1};
  double xyz[3], rpy[3];
  ap__joint_xyz_rpy(&d->place, xyz, rpy);
  bool continuous = d->joint == AP_REVOLUTE && unlimited(d);
  open_joint(w, ap__joint_name(d), continuous ? "continuous" : type[d->joint],
             link_name(w, d->parent), child, xyz, rpy);
  if (one_dof(d) || d->joint == AP_PLANAR) {
    add(w, "    <axis");
    add_numbers(w, "xyz", d->place.kind <= AP_PLACE_MATRIX ? d->axis : z, 3);
    add(w, "/>\n");
  }
  if (one_dof(d)) add_drive(w, d);
  add(w, "  </joint>\n");
}

// The joint frame of standard DH is not the link frame: a link in between carries it.
static void add_standard_dh(writer *w, int body) {
  const ap_body_def *d = &w->robot->bodies[body - 1];
  const double xyz[3] = {d->place.a, 0, 0}, rpy[3] = {d->place.alpha, 0, 0};
  const char *between = new_name(w, d->name, "_axis"), *joint = new_name(w, d->name, "_step");
  if (!between || !joint) return;
  add_empty_link(w, between);
  add_joint(w, d, between);
  add_link(w, body);
  add_fixed_joint(w, joint, between, d->name, xyz, rpy);
}

void ap__urdf_transmission(ap__text *t, const ap_body_def *d) {
  ap__text_add(t, "  <transmission");
  ap__xml_text(t, "name", ap__joint_name(d));
  ap__text_add(t, ">\n    <type>transmission_interface/SimpleTransmission</type>\n    <joint");
  ap__xml_text(t, "name", ap__joint_name(d));
  ap__text_add(t, "/>\n    <actuator");
  ap__xml_text(t, "name", ap__joint_name(d));
  ap__text_add(t, ">\n      <mechanicalReduction>");
  ap__text_numbers(t, &d->gear_ratio, 1, "");
  ap__text_add(t, "</mechanicalReduction>\n      <motorInertia>");
  ap__text_numbers(t, &d->rotor_inertia, 1, "");
  ap__text_add(t, "</motorInertia>\n    </actuator>\n  </transmission>\n");
}

static void add_transmission(writer *w, const ap_body_def *d) {
  if (one_dof(d) && (d->rotor_inertia != 0 || d->gear_ratio != 1)) ap__urdf_transmission(w->t, d);
}

static void add_spring(writer *w, const ap_body_def *d) {
  if (!one_dof(d) || (all_zero(&d->stiffness, 1) && all_zero(d->rest, 1))) return;
  add(w, "  <gazebo");
  add_text(w, "reference", ap__joint_name(d));
  add(w, ">\n    <springStiffness>");
  ap__text_numbers(w->t, &d->stiffness, 1, "");
  add(w, "</springStiffness>\n    <springReference>");
  ap__text_numbers(w->t, d->rest, 1, "");
  add(w, "</springReference>\n  </gazebo>\n");
}

static void add_frame(writer *w, const ap_frame_def *frame) {
  const char *joint = new_name(w, frame->name, "_frame");
  if (!joint) return;
  add_empty_link(w, frame->name);
  add_fixed_joint(w, joint, link_name(w, frame->body), frame->name, frame->xyz, frame->rpy);
}

// ---- the whole ---------------------------------------------------------------------------------

// Is it the name that the reader gives to the root's joint: with as many underscores as needed?
static bool is_root_joint_name(const ap_robot *robot, const char *name) {
  size_t n = strspn(name, "_");
  if (strcmp(name + n, "root_joint") != 0) return false;
  for (size_t shorter = 1; shorter <= n; shorter++) {
    int i = 0;
    while (i < robot->nbody && strcmp(ap__joint_name(&robot->bodies[i]), name + shorter) != 0) i++;
    if (i == robot->nbody) return false;
  }
  return true;
}

// The body that the reader would hang on the ground by itself; 0: there is none.
static int natural_root(const ap_robot *robot) {
  int root = 0;
  for (int i = 1; i <= robot->nbody; i++) {
    if (robot->bodies[i - 1].parent) continue;
    if (root) return 0;
    root = i;
  }
  for (int i = 0; i < robot->nframe; i++)
    if (robot->frames[i].body == 0) return 0;
  if (!root) return 0;
  const ap_body_def *d = &robot->bodies[root - 1];
  bool as_read = d->joint == AP_FIXED && d->place.kind == AP_PLACE_RPY &&
                 all_zero(d->place.xyz, 3) && all_zero(d->place.rpy, 3) &&
                 is_root_joint_name(robot, ap__joint_name(d));
  return as_read ? root : 0;
}

static void compose(writer *w) {
  const ap_robot *robot = w->robot;
  add(w, "<?xml version=\"1.0\"?>\n<robot");
  add_text(w, "name", robot->def.name);
  add(w, ">\n");
  if (!w->root_body) add_empty_link(w, w->root);
  for (int i = 1; i <= robot->nbody; i++) {
    const ap_body_def *d = &robot->bodies[i - 1];
    if (d->place.kind == AP_DH_STANDARD) {
      add_standard_dh(w, i);
      continue;
    }
    add_link(w, i);
    if (i != w->root_body) add_joint(w, d, d->name);
  }
  for (int i = 0; i < robot->nframe; i++) add_frame(w, &robot->frames[i]);
  for (int i = 0; i < robot->nbody; i++) add_transmission(w, &robot->bodies[i]);
  for (int i = 0; i < robot->nbody; i++) add_spring(w, &robot->bodies[i]);
  add(w, "</robot>\n");
}

ap_status ap__urdf_write(const ap_robot *robot, ap__text *text, ap_error *error) {
  writer w = {.t = text, .robot = robot, .error = error, .root_body = natural_root(robot)};
  if (robot->chains)
    return AP__REFUSE(
        error, AP_E_UNSUPPORTED, 0,
        "closed chains are not written to URDF: its <constraint> is read here, but is no "
        "standard yet (use YAML or MJCF)");
  ap_status status = check_sayable(&w);
  if (status) return status;
  if (!index_names(&w)) return ap__no_memory(error);
  w.root = w.root_body ? robot->bodies[w.root_body - 1].name : new_name(&w, "world", "");
  if (w.root) compose(&w);
  ap__names_free(&w.taken);
  ap__pool_free(&w.made);
  return text->failed ? ap__no_memory(error) : AP_OK;
}
