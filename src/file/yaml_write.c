// SPDX-License-Identifier: Apache-2.0
// A robot as Appell YAML: every field that differs from its default, bit for bit.

#include <string.h>

#include "file/chains.h"
#include "file/yaml_flow.h"

// ---- parts of a body ---------------------------------------------------------------------------

static const char *const type_name[] = {"fixed",     "revolute", "prismatic",
                                        "spherical", "planar",   "free"};

static void add_place(ap__text *t, const ap_placement *p, const ap_placement *initial) {
  static const char *const convention[] = {"modified", "standard", "valera"};
  if (p->kind <= AP_PLACE_MATRIX) {
    ap__braces b = {t, "      place", false};
    ap__braces_numbers(&b, "xyz", p->xyz, initial->xyz, 3);
    if (p->kind == AP_PLACE_MATRIX)
      ap__braces_numbers(&b, "matrix", p->matrix, NULL, 9);
    else
      ap__braces_numbers(&b, "rpy", p->rpy, initial->rpy, 3);
    ap__braces_close(&b);
    return;
  }
  ap__braces b = {t, "      dh", false};
  ap__braces_key(&b, "convention");
  ap__text_add(t, "%s", convention[p->kind - AP_DH_MODIFIED]);
  ap__braces_numbers(&b, "alpha", &p->alpha, &initial->alpha, 1);
  ap__braces_numbers(&b, "a", &p->a, &initial->a, 1);
  ap__braces_numbers(&b, "d", &p->d, &initial->d, 1);
  ap__braces_numbers(&b, "theta", &p->theta, &initial->theta, 1);
  ap__braces_close(&b);
}

static void add_drive(ap__text *t, const ap_body_def *d, const ap_body_def *initial) {
  ap__braces limits = {t, "      limits", false};
  ap__braces_numbers(&limits, "lower", &d->lower, &initial->lower, 1);
  ap__braces_numbers(&limits, "upper", &d->upper, &initial->upper, 1);
  ap__braces_numbers(&limits, "velocity", &d->velocity_limit, &initial->velocity_limit, 1);
  ap__braces_numbers(&limits, "effort", &d->effort_limit, &initial->effort_limit, 1);
  ap__braces_close(&limits);
  ap__braces friction = {t, "      friction", false};
  ap__braces_numbers(&friction, "viscous", &d->viscous, &initial->viscous, 1);
  ap__braces_numbers(&friction, "coulomb", &d->coulomb, &initial->coulomb, 1);
  ap__braces_numbers(&friction, "static", &d->stiction, &initial->stiction, 1);
  ap__braces_close(&friction);
  ap__braces spring = {t, "      spring", false};
  ap__braces_numbers(&spring, "stiffness", &d->stiffness, &initial->stiffness, 1);
  if (ap__coordinates_of(d->joint) > 0)
    ap__braces_numbers(&spring, "rest", d->rest, initial->rest, ap__coordinates_of(d->joint));
  ap__braces_close(&spring);
  ap__braces rotor = {t, "      rotor", false};
  ap__braces_numbers(&rotor, "inertia", &d->rotor_inertia, &initial->rotor_inertia, 1);
  ap__braces_numbers(&rotor, "gear", &d->gear_ratio, &initial->gear_ratio, 1);
  ap__braces_close(&rotor);
}

static void add_mimic(ap__text *t, const ap_robot *robot, const ap_body_def *d,
                      const ap_body_def *initial) {
  if (!d->mimic) return;
  ap__braces b = {t, "      mimic", false};
  ap__braces_name(&b, "joint", ap__joint_name(&robot->bodies[d->mimic - 1]));
  ap__braces_numbers(&b, "ratio", &d->mimic_ratio, &initial->mimic_ratio, 1);
  ap__braces_numbers(&b, "offset", &d->mimic_offset, &initial->mimic_offset, 1);
  ap__braces_close(&b);
}

static void add_joint(ap__text *t, const ap_robot *robot, const ap_body_def *d,
                      const ap_body_def *initial) {
  ap__text_add(t, "    joint:\n");
  if (d->joint_name) {
    ap__text_add(t, "      name: ");
    ap__yaml_add_name(t, d->joint_name);
    ap__text_add(t, "\n");
  }
  ap__text_add(t, "      type: %s\n", type_name[d->joint]);
  add_place(t, &d->place, &initial->place);
  bool axis = d->joint == AP_REVOLUTE || d->joint == AP_PRISMATIC || d->joint == AP_PLANAR;
  if (axis && d->place.kind <= AP_PLACE_MATRIX) {
    ap__text_add(t, "      axis: [");
    ap__text_numbers(t, d->axis, 3, ", ");
    ap__text_add(t, "]\n");
  }
  add_drive(t, d, initial);
  add_mimic(t, robot, d, initial);
}

static void add_shape(ap__text *t, const ap_shape *shape) {
  static const char *const type[] = {"", "box", "cylinder", "sphere", "mesh"};
  static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
  ap__text_add(t, "      - {type: %s", type[shape->kind]);
  ap__braces b = {t, "", true}; // opened here: it has no key
  if (shape->collision) ap__braces_name(&b, "use", "collision");
  if (shape->file) ap__braces_name(&b, "file", shape->file);
  if (shape->kind == AP_SHAPE_BOX) ap__braces_numbers(&b, "size", shape->size, NULL, 3);
  if (shape->kind == AP_SHAPE_CYLINDER || shape->kind == AP_SHAPE_SPHERE)
    ap__braces_numbers(&b, "radius", &shape->size[0], NULL, 1);
  if (shape->kind == AP_SHAPE_CYLINDER) ap__braces_numbers(&b, "length", &shape->size[1], NULL, 1);
  if (shape->kind == AP_SHAPE_MESH) ap__braces_numbers(&b, "scale", shape->size, one, 3);
  ap__braces_numbers(&b, "xyz", shape->xyz, zero, 3);
  ap__braces_numbers(&b, "rpy", shape->rpy, zero, 3);
  if (shape->colored) ap__braces_numbers(&b, "color", shape->color, NULL, 4);
  if (shape->masked && !(shape->collision && shape->contype == 1 && shape->conaffinity == 1)) {
    const double bits[2] = {shape->contype, shape->conaffinity};
    ap__braces_numbers(&b, "contype", &bits[0], NULL, 1);
    ap__braces_numbers(&b, "conaffinity", &bits[1], NULL, 1);
  }
  ap__braces_close(&b);
}

static void add_body(ap__text *t, const ap_robot *robot, int i, bool ground_taken) {
  const ap_body_def *d = &robot->bodies[i - 1], initial = ap_default_body();
  ap__text_add(t, "  - name: ");
  ap__yaml_add_name(t, d->name);
  if (d->parent || !ground_taken) {
    ap__text_add(t, "\n    parent: ");
    ap__yaml_add_name(t, d->parent ? robot->bodies[d->parent - 1].name : "ground");
  }
  ap__text_add(t, "\n");
  add_joint(t, robot, d, &initial);
  if (d->gravity_compensation != 0) {
    ap__text_add(t, "    gravity_compensation: ");
    ap__text_numbers(t, &d->gravity_compensation, 1, "");
    ap__text_add(t, "\n");
  }
  ap__braces b = {t, "    inertia", false};
  ap__braces_numbers(&b, "mass", &d->mass, &initial.mass, 1);
  ap__braces_numbers(&b, "com", d->com, initial.com, 3);
  ap__braces_numbers(&b, "tensor", d->inertia, initial.inertia, 6);
  ap__braces_numbers(&b, "rpy", d->inertia_rpy, initial.inertia_rpy, 3);
  ap__braces_close(&b);
  const ap_shape *shape;
  bool first = true;
  for (int k = 0; (shape = ap_robot_shape(robot, i, k)); k++) {
    if (shape->kind == AP_SHAPE_NONE) continue;
    if (first) ap__text_add(t, "    shapes:\n");
    first = false;
    add_shape(t, shape);
  }
}

static void add_frame(ap__text *t, const ap_robot *robot, const ap_frame_def *frame) {
  static const double zero[3] = {0, 0, 0};
  ap__text_add(t, "  - ");
  ap__braces b = {t, "", true}; // opened here: it has no key
  ap__text_add(t, "{name: ");
  ap__yaml_add_name(t, frame->name);
  ap__braces_name(&b, "body", frame->body ? robot->bodies[frame->body - 1].name : "ground");
  ap__braces_numbers(&b, "xyz", frame->xyz, zero, 3);
  ap__braces_numbers(&b, "rpy", frame->rpy, zero, 3);
  ap__braces_close(&b);
}

// ---- the whole ---------------------------------------------------------------------------------

ap_status ap__yaml_write(const ap_robot *robot, ap__text *text, ap_error *error) {
  if (robot->nbody == 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "YAML cannot express a robot without bodies");
  bool ground_taken = false;
  for (int i = 0; i < robot->nbody; i++)
    ground_taken = ground_taken || strcmp(robot->bodies[i].name, "ground") == 0;
  for (int i = 0; i < robot->nframe; i++)
    if (ground_taken && robot->frames[i].body == 0)
      return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                        "YAML cannot attach frame \"%.*s\" to the ground while a body is named "
                        "\"ground\" (rename the body)",
                        ap__shown(robot->frames[i].name), robot->frames[i].name);
  ap__text_add(text, "appell: 1\nname: ");
  ap__yaml_add_name(text, robot->def.name);
  ap__text_add(text, "\ngravity: [");
  ap__text_numbers(text, robot->def.gravity, 3, ", ");
  ap__text_add(text, "]\nbodies:\n");
  for (int i = 1; i <= robot->nbody; i++) add_body(text, robot, i, ground_taken);
  if (robot->nframe) ap__text_add(text, "frames:\n");
  for (int i = 0; i < robot->nframe; i++) add_frame(text, robot, &robot->frames[i]);
  ap_status status =
      robot->chains ? ap__yaml_write_chains(robot, ground_taken, text, error) : AP_OK;
  ap__text_add(text, "...\n");
  return status;
}
