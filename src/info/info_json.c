// SPDX-License-Identifier: Apache-2.0
// The record of a model as JSON, for programs.

#include <appell/info.h>

#include "file/robot.h"

const char *ap_closure_type(ap_closure_kind kind) {
  static const char *const names[] = {"point", "axis",     "point_on_line",
                                      "frame", "distance", "gear"};
  return names[kind];
}

const char *ap_coordinate_type(ap_coordinate_kind kind) {
  static const char *const names[] = {"joint", "position", "yaw", "pitch", "roll"};
  return names[kind];
}

// What a closure or coordinate names: a joint, or a link.
static const char *end_name(const ap_mechanism *m, bool joint, int body) {
  const ap_model *tree = ap_mechanism_tree(m);
  return joint ? ap__joint_name(ap_body(tree, body)) : ap_frame_name(tree, body);
}

static void json_joint(ap_json *json, const ap_info_joint *j) {
  const ap_body_def *body = j->body;
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", j->name);
  ap_json_string(json, "type", j->type);
  ap_json_integer(json, "q", j->q);
  ap_json_integer(json, "v", j->v);
  ap_json_integer(json, "nq", j->nq);
  ap_json_integer(json, "nv", j->nv);
  ap_json_string(json, "body", body->name);
  ap_json_string(json, "parent", j->parent);
  if (j->has_axis) ap_json_numbers(json, "axis", j->axis, 3);
  ap_json_number(json, "lower", body->lower);
  ap_json_number(json, "upper", body->upper);
  ap_json_number(json, "velocity", body->velocity_limit);
  ap_json_number(json, "effort", body->effort_limit);
  ap_json_number(json, "viscous", body->viscous);
  ap_json_number(json, "coulomb", body->coulomb);
  ap_json_number(json, "static", body->stiction);
  ap_json_number(json, "stiffness", body->stiffness);
  ap_json_numbers(json, "rest", body->rest, j->nq);
  ap_json_number(json, "rotor_inertia", body->rotor_inertia);
  ap_json_number(json, "gear_ratio", body->gear_ratio);
  ap_json_close(json, '}');
}

static void json_mimic(ap_json *json, const ap_info_joint *j) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", j->name);
  ap_json_string(json, "type", j->type);
  ap_json_string(json, "body", j->body->name);
  ap_json_string(json, "parent", j->parent);
  ap_json_string(json, "leader", j->leader);
  if (j->has_axis) ap_json_numbers(json, "axis", j->axis, 3);
  ap_json_number(json, "ratio", j->body->mimic_ratio);
  ap_json_number(json, "offset", j->body->mimic_offset);
  ap_json_close(json, '}');
}

static void json_body(ap_json *json, const ap_info_body *b) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", b->name);
  ap_json_string(json, "parent", b->parent);
  ap_json_string(json, "joint", b->joint);
  ap_json_number(json, "mass", b->mass);
  ap_json_numbers(json, "com", b->com, 3);
  ap_json_numbers(json, "inertia", b->inertia, 6);
  ap_json_open(json, "merged", '[');
  for (int k = 0; k < b->nmerged; k++) ap_json_string(json, NULL, b->merged[k]);
  ap_json_close(json, ']');
  ap_json_close(json, '}');
}

static void json_frame(ap_json *json, const ap_info_frame *f) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", f->name);
  ap_json_string(json, "body", f->body);
  ap_json_numbers(json, "xyz", f->xyz, 3);
  ap_json_numbers(json, "rpy", f->rpy, 3);
  ap_json_close(json, '}');
}

static void json_warning(ap_json *json, const ap_warning *warning) {
  ap_json_open(json, NULL, '{');
  if (warning->line > 0) ap_json_integer(json, "line", warning->line);
  ap_json_string(json, "text", warning->text);
  ap_json_close(json, '}');
}

static void json_coordinates(const ap_mechanism *m, ap_json *json) {
  ap_json_open(json, "coordinates", '[');
  for (int i = 0; i < ap_mechanism_n(m); i++) {
    const ap_coordinate_def *d = ap_mechanism_coordinate(m, i);
    const bool joint = d->kind == AP_COORDINATE_JOINT;
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", d->name);
    ap_json_string(json, "type", ap_coordinate_type(d->kind));
    ap_json_string(json, joint ? "joint" : "body", end_name(m, joint, d->body));
    if (d->kind == AP_COORDINATE_POSITION) {
      ap_json_numbers(json, "xyz", d->at, 3);
      ap_json_numbers(json, "along", d->along, 3);
    }
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_end(const ap_mechanism *m, ap_json *json, const ap_closure_def *d, int i) {
  const bool gear = d->kind == AP_CLOSE_GEAR, axis = d->kind == AP_CLOSE_AXIS;
  ap_json_open(json, i == 0 ? "first" : "second", '{');
  ap_json_string(json, gear ? "joint" : "body", end_name(m, gear, d->body[i]));
  if (!gear && !axis) ap_json_numbers(json, "xyz", d->at[i], 3);
  if (axis || (d->kind == AP_CLOSE_POINT_ON_LINE && i == 1))
    ap_json_numbers(json, "axis", d->axis[i], 3);
  if (d->kind == AP_CLOSE_FRAME) ap_json_numbers(json, "rpy", d->rpy[i], 3);
  ap_json_close(json, '}');
}

static void json_closures(const ap_mechanism *m, ap_json *json) {
  ap_json_open(json, "closures", '[');
  for (int i = 0; i < ap_mechanism_nclosure(m); i++) {
    const ap_closure_def *d = ap_mechanism_closure(m, i);
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", d->name);
    ap_json_string(json, "type", ap_closure_type(d->kind));
    for (int k = 0; k < 2; k++) json_end(m, json, d, k);
    if (d->kind == AP_CLOSE_DISTANCE) ap_json_number(json, "distance", d->distance);
    if (d->kind == AP_CLOSE_GEAR) ap_json_number(json, "ratio", d->ratio);
    if (d->kind == AP_CLOSE_GEAR) ap_json_number(json, "offset", d->offset);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_start(ap_json *json, const ap_info *info) {
  const ap_info_start *s = &info->start;
  ap_json_open(json, "start", '{');
  ap_json_bool(json, "closed", s->closes);
  ap_json_string(json, "status", ap_status_text(s->status));
  ap_json_number(json, "closure_error", s->assembly.closure_error);
  ap_json_integer(json, "steps", s->assembly.iterations);
  ap_json_integer(json, "rank", s->assembly.rank);
  if (s->closes) ap_json_numbers(json, "q", s->q, info->freedom);
  if (s->closes) ap_json_numbers(json, "tree_q", s->tree_q, info->nq);
  if (s->has_distances) {
    ap_json_number(json, "serial", s->near.serial);
    ap_json_number(json, "serial_least", s->near.serial_least);
    ap_json_number(json, "parallel", s->near.parallel);
    ap_json_number(json, "parallel_least", s->near.parallel_least);
  }
  ap_json_close(json, '}');
}

static void json_mechanism(ap_json *json, const ap_info *info) {
  const ap_mechanism *m = info->closed;
  json_coordinates(m, json);
  ap_json_open(json, "actuators", '[');
  for (int i = 0; i < ap_mechanism_nact(m); i++)
    ap_json_string(json, NULL, ap_mechanism_actuator_name(m, i));
  ap_json_close(json, ']');
  json_closures(m, json);
  ap_json_integer(json, "closure_rows", ap_mechanism_nrow(m));
  ap_json_open(json, "branches", '[');
  for (int i = 0; i < ap_mechanism_nbranch(m); i++)
    ap_json_string(json, NULL, ap_mechanism_branch(m, i)->name);
  ap_json_close(json, ']');
  json_start(json, info);
}

// A list of what print writes of the record's items, from the first on.
#define JSON_LIST(json, key, item, first, n, print)            \
  do {                                                         \
    ap_json_open(json, key, '[');                              \
    for (int k = first; k < (n); k++) print(json, &(item)[k]); \
    ap_json_close(json, ']');                                  \
  } while (0)

void ap_info_json(const ap_info *info, const char *about, ap_json *json) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "name", info->name);
  if (about) ap_json_string(json, "about", about);
  ap_json_integer(json, "nq", info->nq);
  ap_json_integer(json, "nv", info->nv);
  ap_json_numbers(json, "gravity", info->gravity, 3);
  ap_json_number(json, "mass", info->mass);
  ap_json_number(json, "moving_mass", info->moving_mass);
  JSON_LIST(json, "joints", info->joint, 0, info->joints, json_joint);
  JSON_LIST(json, "mimic", info->mimic, 0, info->mimics, json_mimic);
  JSON_LIST(json, "bodies", info->body, 1, info->bodies, json_body);
  JSON_LIST(json, "frames", info->frame, 0, info->frames, json_frame);
  JSON_LIST(json, "warnings", info->warning, 0, info->warnings, json_warning);
  if (info->closed) json_mechanism(json, info);
  ap_json_close(json, '}');
}
