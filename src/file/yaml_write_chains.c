// SPDX-License-Identifier: Apache-2.0
// Closed chains as Appell YAML: every field that is read for its type, bit for bit.

#include <string.h>

#include "file/chains.h"
#include "file/yaml_flow.h"

static const double zero[3] = {0, 0, 0};

// The words of the schema's choices, by number.
static const char *const closure_type[] = {"point", "axis",     "point_on_line",
                                           "frame", "distance", "gear"};
static const char *const coordinate_type[] = {"joint", "position", "yaw", "pitch", "roll"};

static const char *body_name(const ap_robot *robot, int body) {
  return body ? robot->bodies[body - 1].name : "ground";
}

// The line "  - name: NAME" that opens an entry of a list.
static void open_entry(ap__text *t, const char *name) {
  ap__text_add(t, "  - name: ");
  ap__yaml_add_name(t, name);
  ap__text_add(t, "\n");
}

static void add_number(ap__text *t, const char *key, double x) {
  ap__text_add(t, "    %s: ", key);
  ap__text_numbers(t, &x, 1, "");
  ap__text_add(t, "\n");
}

// ---- closures ----------------------------------------------------------------------------------

static void add_end(ap__text *t, const ap_robot *robot, const ap_closure_def *c, int i) {
  ap__braces b = {t, i == 0 ? "    first" : "    second", false};
  const ap_closure_def initial = ap_default_closure();
  if (c->kind == AP_CLOSE_GEAR) {
    ap__braces_name(&b, "joint", ap__joint_name(&robot->bodies[c->body[i] - 1]));
  } else {
    ap__braces_name(&b, "body", body_name(robot, c->body[i]));
    if (c->kind != AP_CLOSE_AXIS) ap__braces_numbers(&b, "xyz", c->at[i], initial.at[i], 3);
    if (c->kind == AP_CLOSE_AXIS || (c->kind == AP_CLOSE_POINT_ON_LINE && i == 1))
      ap__braces_numbers(&b, "axis", c->axis[i], initial.axis[i], 3);
    if (c->kind == AP_CLOSE_FRAME) ap__braces_numbers(&b, "rpy", c->rpy[i], initial.rpy[i], 3);
  }
  ap__braces_close(&b);
}

static void add_closure(ap__text *t, const ap_robot *robot, const ap_closure_def *c) {
  open_entry(t, c->name);
  ap__text_add(t, "    type: %s\n", closure_type[c->kind]);
  for (int i = 0; i < 2; i++) add_end(t, robot, c, i);
  if (c->kind == AP_CLOSE_DISTANCE) add_number(t, "distance", c->distance);
  if (c->kind == AP_CLOSE_GEAR) add_number(t, "ratio", c->ratio);
  if (c->kind == AP_CLOSE_GEAR) add_number(t, "offset", c->offset);
}

static void add_coordinate(ap__text *t, const ap_robot *robot, const ap_coordinate_def *c) {
  ap__text_add(t, "  - ");
  ap__braces b = {t, "", true}; // opened here: it has no key
  ap__text_add(t, "{name: ");
  ap__yaml_add_name(t, c->name);
  ap__braces_key(&b, "type");
  ap__text_add(t, "%s", coordinate_type[c->kind]);
  if (c->kind == AP_COORDINATE_JOINT)
    ap__braces_name(&b, "joint", ap__joint_name(&robot->bodies[c->body - 1]));
  else
    ap__braces_name(&b, "body", body_name(robot, c->body));
  if (c->kind == AP_COORDINATE_POSITION) {
    ap__braces_numbers(&b, "xyz", c->at, zero, 3);
    ap__braces_numbers(&b, "along", c->along, NULL, 3);
  }
  ap__braces_close(&b);
}

// ---- configurations ----------------------------------------------------------------------------

// A map of joint names to numbers, its lines behind `indent`.
static void add_guess(ap__text *t, const ap_robot *robot, const double *x, const char *indent) {
  enum { LONGEST = 100 }; // YAML wants keys of 1024 characters at most, a byte may become six
  for (int i = 1; i <= robot->nbody; i++) {
    int n = ap__robot_joint_nq(robot, i);
    if (n == 0) continue;
    const char *name = ap__joint_name(&robot->bodies[i - 1]);
    bool longer = strlen(name) > LONGEST;
    ap__text_add(t, longer ? "%s? " : "%s", indent);
    ap__yaml_add_name(t, name);
    if (longer) ap__text_add(t, "\n%s", indent);
    ap__text_add(t, n > 1 ? ": [" : ": ");
    ap__text_numbers(t, x, n, ", ");
    ap__text_add(t, n > 1 ? "]\n" : "\n");
    x += n;
  }
}

static void add_branches(ap__text *t, const ap_robot *robot, const ap_mechanism_def *d) {
  bool moves = ap__robot_nq(robot) > 0;
  if (d->guess) {
    ap__text_add(t, moves ? "guess:\n" : "guess: {}\n");
    add_guess(t, robot, d->guess, "  ");
  }
  if (d->nbranch) ap__text_add(t, "branches:\n");
  for (int i = 0; i < d->nbranch; i++) {
    open_entry(t, d->branches[i].name);
    ap__text_add(t, moves ? "    guess:\n" : "    guess: {}\n");
    add_guess(t, robot, d->branches[i].guess, "      ");
  }
}

// ---- the whole ---------------------------------------------------------------------------------

// A definition from C is not checked before: numbers that YAML can put in names, kinds that have
// one.
static bool is_body(const ap_robot *robot, int body, bool joint) {
  return body >= (joint ? 1 : 0) && body <= robot->nbody;
}

static ap_status check(const ap_robot *robot, bool ground_taken, ap_error *error) {
  const ap_mechanism_def *d = &robot->chains->def;
  bool good = d->ncoordinate > 0, on_ground = false;
  for (int i = 0; good && i < d->nclosure; i++) {
    const ap_closure_def *c = &d->closures[i];
    good = c->name && (int)c->kind >= 0 && c->kind <= AP_CLOSE_GEAR;
    for (int k = 0; k < 2; k++) {
      good = good && is_body(robot, c->body[k], c->kind == AP_CLOSE_GEAR);
      on_ground = on_ground || c->body[k] == 0;
    }
  }
  for (int i = 0; good && i < d->ncoordinate; i++) {
    const ap_coordinate_def *c = &d->coordinates[i];
    good = c->name && (int)c->kind >= 0 && c->kind <= AP_COORDINATE_ROLL &&
           is_body(robot, c->body, c->kind == AP_COORDINATE_JOINT);
    on_ground = on_ground || c->body == 0;
  }
  for (int i = 0; good && i < d->nactuated; i++)
    good = d->actuated[i] < 0 ? AP_ALONG_COORDINATE(d->actuated[i]) < d->ncoordinate
                              : is_body(robot, d->actuated[i], true);
  for (int i = 0; good && i < d->nbranch; i++) good = d->branches[i].name != NULL;
  if (!good)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "YAML cannot express a mechanism without coordinates, with unnamed parts, or "
                      "with invalid body numbers");
  if (on_ground && ground_taken)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "YAML cannot close a chain on the ground while a body is named \"ground\" "
                      "(rename the body)");
  return AP_OK;
}

ap_status ap__yaml_write_chains(const ap_robot *robot, bool ground_taken, ap__text *t,
                                ap_error *error) {
  ap_status status = check(robot, ground_taken, error);
  if (status) return status;
  const ap_mechanism_def *d = &robot->chains->def;
  if (d->nclosure) ap__text_add(t, "closures:\n");
  for (int i = 0; i < d->nclosure; i++) add_closure(t, robot, &d->closures[i]);
  ap__text_add(t, "coordinates:\n");
  for (int i = 0; i < d->ncoordinate; i++) add_coordinate(t, robot, &d->coordinates[i]);
  if (d->nactuated) ap__text_add(t, "actuated: [");
  for (int i = 0; i < d->nactuated; i++) {
    if (i) ap__text_add(t, ", ");
    const int k = d->actuated[i];
    ap__yaml_add_name(t, k < 0 ? d->coordinates[AP_ALONG_COORDINATE(k)].name
                               : ap__joint_name(&robot->bodies[k - 1]));
  }
  if (d->nactuated) ap__text_add(t, "]\n");
  add_branches(t, robot, d);
  return AP_OK;
}
