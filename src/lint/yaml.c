// SPDX-License-Identifier: Apache-2.0
// Appell YAML: the bodies that the reader finds in the tree, past whatever is wrong with them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/yaml_schema.h"
#include "lint/number.h"

// ---- nodes -------------------------------------------------------------------------------------

// The value under a path of keys, "joint.place.xyz"; NULL: none.
static const ap__node *node_at(const ap__node *n, const char *path) {
  for (size_t length; n && *path; path += length + (path[length] == '.')) {
    length = strcspn(path, ".");
    n = ap__child_n(n, path, length);
  }
  return n;
}

// The scalars of a value, one behind the other with blanks between; false: too long.
static bool flatten(const ap__node *n, char *out, size_t size) {
  if (n->kind == AP__SCALAR) {
    size_t used = strlen(out);
    int wanted = snprintf(out + used, size - used, "%s%s", used ? " " : "", n->text);
    return wanted >= 0 && (size_t)wanted < size - used;
  }
  for (const ap__node *c = n->first; c; c = c->next)
    if (!flatten(c, out, size)) return false;
  return true;
}

static const char *text_at(const ap__node *n, const char *path, int *line) {
  const ap__node *value = node_at(n, path);
  if (!value || value->kind != AP__SCALAR || !*value->text) return NULL;
  if (line) *line = value->line;
  return value->text;
}

// ---- what is known -----------------------------------------------------------------------------

static void unknown_key(void *context, const char *map, const ap__node *key, const char *meant) {
  lint_note note = ap__lint_begin("unknown-element", key->line, key->text);
  note.severity = AP_ERROR;
  ap__lint_what(&note, "the key \"%.*s\" does not exist in a %s", ap__shown(key->text), key->text,
                map);
  ap__lint_why(&note, "the file is refused, because the intended key is unknown");
  if (meant)
    ap__lint_fix(&note, "%s:", meant);
  else
    ap__lint_fix(&note, "remove it (docs/yaml.md lists the keys)");
  ap__lint_end(context, &note);
}

// The link or joint that a value belongs to: the next map around it that has a name.
static const char *subject_of(const ap__node *n) {
  for (const ap__node *map = n->parent; map && map->parent; map = map->parent) {
    const char *name = text_at(map, "name", NULL);
    if (name) return name;
  }
  return "";
}

static bool numbers(void *context, const char *key, const ap__node *n, int count, double *x) {
  char text[512] = "";
  if (!flatten(n, text, sizeof text)) snprintf(text, sizeof text, "...");
  return ap__lint_numbers(context, n->line, subject_of(n), key, text, count, x);
}

// ---- bodies ------------------------------------------------------------------------------------

static int line_at(const ap__node *body, const char *path, int otherwise) {
  const ap__node *n = node_at(body, path);
  return n ? n->line : otherwise;
}

// The line of the last of these keys of a map that is there.
static int last_line(const ap__node *body, const char *const *paths) {
  int line = 0;
  for (; *paths; paths++) line = line_at(body, *paths, line);
  return line;
}

static void look_at_type(lint *l, const ap__node *body, lint_joint *joint) {
  const ap__yaml_key *k = ap__yaml_keys;
  int line = joint->line;
  const char *type = text_at(body, "joint.type", &line);
  while (strcmp(k->map, "joint") != 0 || strcmp(k->key, "type") != 0) k++;
  joint->type_known = !type || ap__has_word(k->of, type);
  if (joint->type_known) return;
  lint_note note = ap__lint_begin("joint-type", line, joint->name);
  ap__lint_what(&note, "the type \"%.*s\" of a joint does not exist", ap__shown(type), type);
  ap__lint_why(&note, "the number of degrees of freedom is unknown");
  ap__lint_fix(&note, "one of: %s", k->of);
  ap__lint_end(l, &note);
}

static void set_joint_lines(const ap__node *body, lint_joint *joint) {
  static const char *const friction[] = {"joint.friction.viscous", "joint.friction.coulomb",
                                         "joint.friction.static", NULL};
  static const char *const spring[] = {"joint.spring", "joint.spring.stiffness", NULL};
  static const char *const rotor[] = {"joint.rotor.gear", "joint.rotor.inertia", NULL};
  static const char *const place[] = {"joint.place", "joint.dh", NULL};
  joint->line = line_at(body, "joint", body->line);
  joint->child_line = body->line;
  joint->parent_line = line_at(body, "parent", 0);
  joint->origin_line = last_line(body, place);
  joint->axis_line = line_at(body, "joint.axis", 0);
  joint->limit_line = line_at(body, "joint.limits", 0);
  joint->dynamics_line = last_line(body, friction);
  joint->rotor_line = last_line(body, rotor);
  joint->spring_line = last_line(body, spring);
  joint->mimic_line = line_at(body, "joint.mimic.joint", 0);
}

static void look_at_inertia(const ap__node *body, lint_link *link) {
  const ap__node *inertia = node_at(body, "inertia");
  bool com = !isnan(link->com[0]);
  link->inertial = inertia != NULL;
  link->mass_given = !isnan(link->mass);
  link->tensor_given = !isnan(link->tensor[0]);
  if (!link->mass_given) link->mass = 0;
  if (!com) link->com[0] = 0;
  if (!link->tensor_given) link->tensor[0] = 0;
  if (!inertia) return;
  link->mass_line = line_at(inertia, "mass", inertia->line);
  link->com_line = line_at(inertia, "com", 0);
  link->inertia_line = line_at(inertia, "tensor", inertia->line);
  link->mass_lost = !link->mass_given && node_at(inertia, "mass");
  link->com_lost = !com && node_at(inertia, "com");
  link->tensor_lost = !link->tensor_given && node_at(inertia, "tensor");
}

static void take_body(lint *l, const ap__node *body, ap__part *part, bool ground_taken) {
  lint_link *link;
  lint_joint *joint;
  if (!part->def.name) {
    lint_note note = ap__lint_begin("missing-part", body->line, "");
    ap__lint_what(&note, "a body without name");
    ap__lint_why(&note, "nothing can refer to it");
    ap__lint_fix(&note, "name: ...");
    ap__lint_end(l, &note);
    part->def.name = "";
  }
  if (part->parent && !ground_taken && strcmp(part->parent, "ground") == 0) part->parent = NULL;
  if (!ap__lint_add_body(l, part, &link, &joint)) return;
  set_joint_lines(body, joint);
  look_at_type(l, body, joint);
  look_at_inertia(body, link);
}

static void take_bodies(lint *l, ap__parts *parts) {
  const ap__node *body = parts->n > 0 ? node_at(l->tree.root, "bodies")->first : NULL;
  bool ground_taken = false;
  for (int i = 0; i < parts->n; i++) {
    const char *name = parts->part[i].def.name;
    ground_taken = ground_taken || (name && strcmp(name, "ground") == 0);
  }
  for (int i = 0; i < parts->n && !l->no_memory; i++, body = body->next)
    if (body->kind == AP__MAP) take_body(l, body, &parts->part[i], ground_taken);
}

// Another of the formats: say which robot is meant.
static void say_scenario(lint *l, const ap__node *root) {
  static const char *const openings[] = {"appell-scenario", "appell-control"};
  const ap__node *first = root->first;
  for (size_t i = 0; first && i < sizeof openings / sizeof openings[0]; i++) {
    if (strcmp(first->text, openings[i]) != 0) continue;
    lint_note note = ap__lint_begin("refused", first->line, "");
    const char *robot = text_at(root, "robot", NULL);
    ap__lint_what(&note, "this is a scenario, not a robot (%s)", openings[i]);
    ap__lint_why(&note, "a robot file starts with \"appell: 1\"");
    ap__lint_fix(&note, "check the robot that it names%s%.*s", robot ? ": appell lint " : "",
                 robot ? ap__shown(robot) : 0, robot ? robot : "");
    ap__lint_end(l, &note);
  }
}

void ap__lint_read_yaml(lint *l) {
  const ap__yaml_doctor doctor = {l, numbers, unknown_key};
  lint_robot *robot = &l->robot;
  robot->yaml = true;
  if (!l->tree.root) return;
  if (!node_at(l->tree.root, "appell")) { // nobody knows its keys
    say_scenario(l, l->tree.root);
    return;
  }
  ap__yaml_robot head = {.name = robot->name};
  ap__parts parts = {0};
  memcpy(head.gravity, robot->gravity, sizeof head.gravity);
  ap_status status = ap__yaml_examine(&l->tree, &doctor, &l->tree.pool, &head, &parts);
  l->no_memory = l->no_memory || status == AP_E_MEMORY;
  robot->name = head.name;
  memcpy(robot->gravity, head.gravity, sizeof head.gravity);
  robot->gravity_line = line_at(l->tree.root, "gravity", 0);
  if (!l->no_memory) take_bodies(l, &parts);
  free(parts.part);
}
