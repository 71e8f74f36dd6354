// Appell YAML: from the tree of nodes to bodies, past whatever is wrong with them. The schema table
// of the reader says what is known.

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/names.h"
#include "file/yaml_schema.h"
#include "lint/number.h"

// ---- nodes -------------------------------------------------------------------------------------

// The value under a path of keys, "joint.place.xyz"; NULL: none.
static const ap__node *at(const ap__node *n, const char *path) {
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

// Numbers under a path, without a word where they cannot be read: look_at_map() has said so. The
// line goes to *line where it is not NULL.
static bool numbers(const ap__node *n, const char *path, int count, double *x, int *line) {
  const ap__node *value = at(n, path);
  char text[512] = "";
  if (!value) return false;
  if (line) *line = value->line;
  return flatten(value, text, sizeof text) && ap__lint_scan(text, count, x);
}

static const char *text_at(const ap__node *n, const char *path, int *line) {
  const ap__node *value = at(n, path);
  if (!value || value->kind != AP__SCALAR || !*value->text) return NULL;
  if (line) *line = value->line;
  return value->text;
}

// ---- what is known -----------------------------------------------------------------------------

static void unknown_key(lint *l, const ap__node *key, const char *map) {
  const char *near = NULL;
  int least = INT_MAX;
  for (const ap__yaml_key *k = ap__yaml_keys; k->map; k++)
    if (strcmp(k->map, map) == 0 && ap__name_nearer(key->text, k->key, &least)) near = k->key;
  lint_note note = ap__lint_begin("unknown-element", key->line, key->text);
  note.severity = AP_ERROR;
  ap__lint_what(&note, "the key \"%.*s\" does not exist in a %s", ap__shown(key->text), key->text,
                map);
  ap__lint_why(&note, "the file is refused: nobody can tell what it is meant to change");
  if (near)
    ap__lint_fix(&note, "%s:", near);
  else
    ap__lint_fix(&note, "remove it (docs/yaml.md lists the keys)");
  ap__lint_end(l, &note);
}

static void look_at_map(lint *l, const ap__node *n, const char *map, const char *subject);

static void look_at_value(lint *l, const ap__yaml_key *k, const ap__node *n, const char *subject) {
  char text[512] = "";
  double x[9];
  if (k->kind == AP__YAML_MAP) look_at_map(l, n, k->of, subject);
  if (k->kind == AP__YAML_LIST && n->kind == AP__LIST)
    for (const ap__node *item = n->first; item; item = item->next)
      look_at_map(l, item, k->of, subject);
  if (k->kind != AP__YAML_NUMBERS && k->kind != AP__YAML_LIMIT) return;
  if (!flatten(n, text, sizeof text)) snprintf(text, sizeof text, "...");
  if (k->kind == AP__YAML_LIMIT && strcmp(text, "none") == 0) return;
  ap__lint_numbers(l, n->line, subject, k->key, text, k->count > 0 ? k->count : 1, x);
}

static void look_at_map(lint *l, const ap__node *n, const char *map, const char *subject) {
  if (n->kind != AP__MAP) return;
  const ap__node *name = at(n, "name");
  if (strcmp(map, "robot") != 0 && name && name->kind == AP__SCALAR) subject = name->text;
  for (const ap__node *k = n->first, *value; k; k = value->next) {
    value = k->next;
    if (!value) return;
    if (k->kind != AP__SCALAR) continue;
    const ap__yaml_key *known = ap__yaml_keys;
    while (known->map && (strcmp(known->map, map) != 0 || strcmp(known->key, k->text) != 0))
      known++;
    if (known->map)
      look_at_value(l, known, value, subject);
    else
      unknown_key(l, k, map);
  }
}

// ---- bodies ------------------------------------------------------------------------------------

// The place of a word among others with blanks between; -1: none of them.
static int choice(const char *word, const char *words) {
  int i = 0;
  for (const char *w = words; *w; w += strspn(w, " "), i++) {
    size_t n = strcspn(w, " ");
    if (strlen(word) == n && memcmp(w, word, n) == 0) return i;
    w += n;
  }
  return -1;
}

static void read_place(const ap__node *body, lint_joint *joint) {
  ap_placement *p = &joint->place;
  const ap__node *place = at(body, "joint.place"), *dh = at(body, "joint.dh");
  if (place) joint->origin_line = place->line;
  if (dh) joint->origin_line = dh->line;
  numbers(body, "joint.place.xyz", 3, p->xyz, NULL);
  numbers(body, "joint.place.rpy", 3, p->rpy, NULL);
  if (numbers(body, "joint.place.matrix", 9, p->matrix, NULL)) p->kind = AP_PLACE_MATRIX;
  const char *convention = text_at(body, "joint.dh.convention", NULL);
  int kind = convention ? choice(convention, "modified standard valera") : -1;
  if (kind >= 0) p->kind = (ap_placement_kind)(AP_DH_MODIFIED + kind);
  numbers(body, "joint.dh.alpha", 1, &p->alpha, NULL);
  numbers(body, "joint.dh.a", 1, &p->a, NULL);
  numbers(body, "joint.dh.d", 1, &p->d, NULL);
  numbers(body, "joint.dh.theta", 1, &p->theta, NULL);
}

static void read_type(lint *l, const ap__node *body, lint_joint *joint) {
  static const char words[] = "fixed revolute prismatic spherical planar free";
  int line = joint->line;
  const char *type = text_at(body, "joint.type", &line);
  int kind = type ? choice(type, words) : AP_FIXED;
  joint->type_known = kind >= 0;
  if (kind >= 0) {
    joint->type = (ap_joint_type)kind;
    return;
  }
  lint_note note = ap__lint_begin("joint-type", line, joint->name);
  ap__lint_what(&note, "the type \"%.*s\" of a joint does not exist", ap__shown(type), type);
  ap__lint_why(&note, "nobody can tell how many degrees of freedom the joint has");
  ap__lint_fix(&note, "one of: %s", words);
  ap__lint_end(l, &note);
}

static void read_joint(lint *l, const ap__node *body, lint_joint *joint) {
  read_type(l, body, joint);
  read_place(body, joint);
  numbers(body, "joint.axis", 3, joint->axis, &joint->axis_line);
  const ap__node *limits = at(body, "joint.limits");
  if (limits) joint->limit_line = limits->line;
  numbers(body, "joint.limits.lower", 1, &joint->lower, NULL);
  numbers(body, "joint.limits.upper", 1, &joint->upper, NULL);
  numbers(body, "joint.limits.effort", 1, &joint->effort, NULL);
  numbers(body, "joint.limits.velocity", 1, &joint->velocity, NULL);
  joint->continuous = isnan(joint->lower) && isnan(joint->upper);
  numbers(body, "joint.friction.viscous", 1, &joint->viscous, &joint->dynamics_line);
  numbers(body, "joint.friction.coulomb", 1, &joint->coulomb, &joint->dynamics_line);
  numbers(body, "joint.friction.static", 1, &joint->stiction, &joint->dynamics_line);
  numbers(body, "joint.rotor.gear", 1, &joint->gear, &joint->rotor_line);
  numbers(body, "joint.rotor.inertia", 1, &joint->rotor, &joint->rotor_line);
  joint->leader = text_at(body, "joint.mimic.joint", &joint->mimic_line);
  numbers(body, "joint.mimic.ratio", 1, &joint->ratio, NULL);
  numbers(body, "joint.mimic.offset", 1, &joint->offset, NULL);
}

static void read_inertia(const ap__node *body, lint_link *link) {
  const ap__node *inertia = at(body, "inertia");
  if (!inertia) return;
  link->inertial = true;
  link->mass_line = link->inertia_line = inertia->line;
  link->mass_given = numbers(body, "inertia.mass", 1, &link->mass, &link->mass_line);
  bool com = numbers(body, "inertia.com", 3, link->com, &link->com_line);
  link->tensor_given = numbers(body, "inertia.tensor", 6, link->tensor, &link->inertia_line);
  numbers(body, "inertia.rpy", 3, link->rpy, NULL);
  link->mass_lost = !link->mass_given && at(inertia, "mass");
  link->com_lost = !com && at(inertia, "com");
  link->tensor_lost = !link->tensor_given && at(inertia, "tensor");
}

static void read_body(lint *l, const ap__node *body, bool ground_taken) {
  const char *name = text_at(body, "name", NULL);
  if (!name) {
    lint_note note = ap__lint_begin("missing-part", body->line, "");
    ap__lint_what(&note, "a body without name");
    ap__lint_why(&note, "nothing can hang on it");
    ap__lint_fix(&note, "name: ...");
    ap__lint_end(l, &note);
  }
  name = name ? name : "";
  lint_link *link = ap__lint_add_link(&l->robot, name, body->line);
  const ap__node *at_joint = at(body, "joint");
  const char *joint_name = text_at(body, "joint.name", NULL);
  lint_joint *joint = ap__lint_add_joint(&l->robot, joint_name ? joint_name : name,
                                         at_joint ? at_joint->line : body->line);
  if (!link || !joint) {
    l->no_memory = true;
    return;
  }
  joint->child = name;
  joint->child_line = body->line;
  joint->parent = text_at(body, "parent", &joint->parent_line);
  if (joint->parent && !ground_taken && strcmp(joint->parent, "ground") == 0) joint->parent = NULL;
  read_joint(l, body, joint);
  read_inertia(body, link);
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
    ap__lint_fix(&note, "examine the robot that it names%s%.*s", robot ? ": appell lint " : "",
                 robot ? ap__shown(robot) : 0, robot ? robot : "");
    ap__lint_end(l, &note);
  }
}

void ap__lint_read_yaml(lint *l) {
  const ap__node *root = l->tree.root;
  lint_robot *robot = &l->robot;
  robot->yaml = true;
  if (!root) return;
  const char *name = text_at(root, "name", NULL);
  if (name) robot->name = name;
  numbers(root, "gravity", 3, robot->gravity, &robot->gravity_line);
  if (!at(root, "appell")) { // nobody knows its keys
    say_scenario(l, root);
    return;
  }
  look_at_map(l, root, "robot", "");
  bool ground_taken = false;
  const ap__node *bodies = at(root, "bodies");
  const ap__node *first = bodies && bodies->kind == AP__LIST ? bodies->first : NULL;
  for (const ap__node *body = first; body; body = body->next) {
    const ap__node *n = at(body, "name");
    ground_taken = ground_taken || (n && n->kind == AP__SCALAR && strcmp(n->text, "ground") == 0);
  }
  for (const ap__node *body = first; body && !l->no_memory; body = body->next)
    if (body->kind == AP__MAP) read_body(l, body, ground_taken);
}
