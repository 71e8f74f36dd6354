// Appell YAML: from the tree of nodes to bodies, past whatever is wrong with them. The schema table
// of the reader says what is known.

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/names.h"
#include "file/yaml_schema.h"
#include "lint/number.h"

typedef struct reader {
  lint *l;
  const ap__yaml *y;
} reader;

// ---- nodes -------------------------------------------------------------------------------------

// The value under a path of keys, "joint.place.xyz"; NULL: none.
static const ap__yaml_node *at(const ap__yaml *y, const ap__yaml_node *n, const char *path) {
  while (n && *path) {
    size_t length = strcspn(path, ".");
    if (n->shape != AP__YAML_MAPPING) return NULL;
    const ap__yaml_node *k = ap__yaml_first(y, n), *value = NULL;
    for (; k; k = ap__yaml_next(y, value)) {
      value = ap__yaml_next(y, k);
      if (!value) return NULL; // the file ends here
      if (k->shape == AP__YAML_SCALAR && strlen(k->text) == length &&
          memcmp(k->text, path, length) == 0)
        break;
    }
    if (!k) return NULL;
    n = value;
    path += length;
    path += *path == '.';
  }
  return n;
}

// The scalars of a value, one behind the other with blanks between; false: too long.
static bool flatten(const ap__yaml *y, const ap__yaml_node *n, char *out, size_t size, int depth) {
  if (n->shape == AP__YAML_SCALAR) {
    size_t used = strlen(out);
    int wanted = snprintf(out + used, size - used, "%s%s", used ? " " : "", n->text);
    return wanted >= 0 && (size_t)wanted < size - used;
  }
  for (const ap__yaml_node *c = ap__yaml_first(y, n); c && depth < 3; c = ap__yaml_next(y, c))
    if (!flatten(y, c, out, size, depth + 1)) return false;
  return true;
}

// Numbers under a path, without a word where they cannot be read: look_at_map() has said so. The
// line goes to *line where it is not NULL.
static bool numbers(const reader *r, const ap__yaml_node *n, const char *path, int count, double *x,
                    int *line) {
  const ap__yaml_node *value = at(r->y, n, path);
  char text[512] = "";
  if (!value) return false;
  if (line) *line = value->line;
  return flatten(r->y, value, text, sizeof text, 0) && ap__lint_scan(text, count, x);
}

static const char *text_at(const reader *r, const ap__yaml_node *n, const char *path, int *line) {
  const ap__yaml_node *value = at(r->y, n, path);
  if (!value || value->shape != AP__YAML_SCALAR || !*value->text) return NULL;
  if (line) *line = value->line;
  return ap__lint_keep(r->l, value->text);
}

// ---- what is known -----------------------------------------------------------------------------

static void unknown_key(const reader *r, const ap__yaml_node *key, const char *map) {
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
  ap__lint_end(r->l, &note);
}

static void look_at_map(const reader *r, const ap__yaml_node *n, const char *map,
                        const char *subject, int depth);

static void look_at_value(const reader *r, const ap__yaml_key *k, const ap__yaml_node *n,
                          const char *subject, int depth) {
  char text[512] = "";
  double x[9];
  if (k->kind == AP__YAML_MAP) look_at_map(r, n, k->of, subject, depth + 1);
  if (k->kind == AP__YAML_LIST && n->shape == AP__YAML_SEQUENCE)
    for (const ap__yaml_node *item = ap__yaml_first(r->y, n); item;
         item = ap__yaml_next(r->y, item))
      look_at_map(r, item, k->of, subject, depth + 1);
  if (k->kind != AP__YAML_NUMBERS && k->kind != AP__YAML_LIMIT) return;
  if (!flatten(r->y, n, text, sizeof text, 0)) snprintf(text, sizeof text, "...");
  if (k->kind == AP__YAML_LIMIT && strcmp(text, "none") == 0) return;
  ap__lint_numbers(r->l, n->line, subject, k->key, text, k->count > 0 ? k->count : 1, x);
}

static void look_at_map(const reader *r, const ap__yaml_node *n, const char *map,
                        const char *subject, int depth) {
  if (n->shape != AP__YAML_MAPPING || depth > AP__YAML_DEPTH) return;
  const ap__yaml_node *name = at(r->y, n, "name");
  if (strcmp(map, "robot") != 0 && name && name->shape == AP__YAML_SCALAR) subject = name->text;
  for (const ap__yaml_node *k = ap__yaml_first(r->y, n), *value; k;
       k = ap__yaml_next(r->y, value)) {
    value = ap__yaml_next(r->y, k);
    if (!value) return;
    if (k->shape != AP__YAML_SCALAR) continue;
    const ap__yaml_key *known = ap__yaml_keys;
    while (known->map && (strcmp(known->map, map) != 0 || strcmp(known->key, k->text) != 0))
      known++;
    if (known->map)
      look_at_value(r, known, value, subject, depth);
    else
      unknown_key(r, k, map);
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

static void read_place(const reader *r, const ap__yaml_node *body, lint_joint *joint) {
  ap_placement *p = &joint->place;
  const ap__yaml_node *place = at(r->y, body, "joint.place"), *dh = at(r->y, body, "joint.dh");
  if (place) joint->origin_line = place->line;
  if (dh) joint->origin_line = dh->line;
  numbers(r, body, "joint.place.xyz", 3, p->xyz, NULL);
  numbers(r, body, "joint.place.rpy", 3, p->rpy, NULL);
  if (numbers(r, body, "joint.place.matrix", 9, p->matrix, NULL)) p->kind = AP_PLACE_MATRIX;
  const char *convention = text_at(r, body, "joint.dh.convention", NULL);
  int kind = convention ? choice(convention, "modified standard valera") : -1;
  if (kind >= 0) p->kind = (ap_placement_kind)(AP_DH_MODIFIED + kind);
  numbers(r, body, "joint.dh.alpha", 1, &p->alpha, NULL);
  numbers(r, body, "joint.dh.a", 1, &p->a, NULL);
  numbers(r, body, "joint.dh.d", 1, &p->d, NULL);
  numbers(r, body, "joint.dh.theta", 1, &p->theta, NULL);
}

static void read_type(const reader *r, const ap__yaml_node *body, lint_joint *joint) {
  static const char words[] = "fixed revolute prismatic spherical planar free";
  int line = joint->line;
  const char *type = text_at(r, body, "joint.type", &line);
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
  ap__lint_end(r->l, &note);
}

static void read_joint(const reader *r, const ap__yaml_node *body, lint_joint *joint) {
  read_type(r, body, joint);
  read_place(r, body, joint);
  numbers(r, body, "joint.axis", 3, joint->axis, &joint->axis_line);
  const ap__yaml_node *limits = at(r->y, body, "joint.limits");
  if (limits) joint->limit_line = limits->line;
  numbers(r, body, "joint.limits.lower", 1, &joint->lower, NULL);
  numbers(r, body, "joint.limits.upper", 1, &joint->upper, NULL);
  numbers(r, body, "joint.limits.effort", 1, &joint->effort, NULL);
  numbers(r, body, "joint.limits.velocity", 1, &joint->velocity, NULL);
  joint->continuous = isnan(joint->lower) && isnan(joint->upper);
  numbers(r, body, "joint.friction.viscous", 1, &joint->viscous, &joint->dynamics_line);
  numbers(r, body, "joint.friction.coulomb", 1, &joint->coulomb, &joint->dynamics_line);
  numbers(r, body, "joint.friction.static", 1, &joint->stiction, &joint->dynamics_line);
  numbers(r, body, "joint.rotor.gear", 1, &joint->gear, &joint->rotor_line);
  numbers(r, body, "joint.rotor.inertia", 1, &joint->rotor, &joint->rotor_line);
  joint->leader = text_at(r, body, "joint.mimic.joint", &joint->mimic_line);
  numbers(r, body, "joint.mimic.ratio", 1, &joint->ratio, NULL);
  numbers(r, body, "joint.mimic.offset", 1, &joint->offset, NULL);
}

static void read_inertia(const reader *r, const ap__yaml_node *body, lint_link *link) {
  const ap__yaml_node *inertia = at(r->y, body, "inertia");
  if (!inertia) return;
  link->inertial = true;
  link->mass_line = link->inertia_line = inertia->line;
  link->mass_given = numbers(r, body, "inertia.mass", 1, &link->mass, &link->mass_line);
  bool com = numbers(r, body, "inertia.com", 3, link->com, &link->com_line);
  link->tensor_given = numbers(r, body, "inertia.tensor", 6, link->tensor, &link->inertia_line);
  numbers(r, body, "inertia.rpy", 3, link->rpy, NULL);
  link->mass_lost = !link->mass_given && at(r->y, inertia, "mass");
  link->com_lost = !com && at(r->y, inertia, "com");
  link->tensor_lost = !link->tensor_given && at(r->y, inertia, "tensor");
}

static void read_body(const reader *r, const ap__yaml_node *body, bool ground_taken) {
  const char *name = text_at(r, body, "name", NULL);
  if (!name) {
    lint_note note = ap__lint_begin("missing-part", body->line, "");
    ap__lint_what(&note, "a body without name");
    ap__lint_why(&note, "nothing can hang on it");
    ap__lint_fix(&note, "name: ...");
    ap__lint_end(r->l, &note);
  }
  name = name ? name : "";
  lint_link *link = ap__lint_add_link(&r->l->robot, name, body->line);
  const ap__yaml_node *at_joint = at(r->y, body, "joint");
  const char *joint_name = text_at(r, body, "joint.name", NULL);
  lint_joint *joint = ap__lint_add_joint(&r->l->robot, joint_name ? joint_name : name,
                                         at_joint ? at_joint->line : body->line);
  if (!link || !joint) {
    r->l->no_memory = true;
    return;
  }
  joint->child = name;
  joint->child_line = body->line;
  joint->parent = text_at(r, body, "parent", &joint->parent_line);
  if (joint->parent && !ground_taken && strcmp(joint->parent, "ground") == 0) joint->parent = NULL;
  read_joint(r, body, joint);
  read_inertia(r, body, link);
}

// Another of the formats: say which robot is meant.
static void say_scenario(const reader *r, const ap__yaml_node *root) {
  static const char *const openings[] = {"appell-scenario", "appell-control"};
  const ap__yaml_node *first = ap__yaml_first(r->y, root);
  for (size_t i = 0; first && i < sizeof openings / sizeof openings[0]; i++) {
    if (strcmp(first->text, openings[i]) != 0) continue;
    lint_note note = ap__lint_begin("refused", first->line, "");
    const char *robot = text_at(r, root, "robot", NULL);
    ap__lint_what(&note, "this is a scenario, not a robot (%s)", openings[i]);
    ap__lint_why(&note, "a robot file starts with \"appell: 1\"");
    ap__lint_fix(&note, "examine the robot that it names%s%.*s", robot ? ": appell lint " : "",
                 robot ? ap__shown(robot) : 0, robot ? robot : "");
    ap__lint_end(r->l, &note);
  }
}

static void read_tree(const reader *r) {
  const ap__yaml_node *root = &r->y->nodes[0], *bodies = at(r->y, root, "bodies");
  lint_robot *robot = &r->l->robot;
  const char *name = text_at(r, root, "name", NULL);
  if (name) robot->name = name;
  numbers(r, root, "gravity", 3, robot->gravity, &robot->gravity_line);
  if (!at(r->y, root, "appell")) { // nobody knows its keys
    say_scenario(r, root);
    return;
  }
  look_at_map(r, root, "robot", "", 0);
  bool ground_taken = false;
  const ap__yaml_node *first =
      bodies && bodies->shape == AP__YAML_SEQUENCE ? ap__yaml_first(r->y, bodies) : NULL;
  for (const ap__yaml_node *body = first; body; body = ap__yaml_next(r->y, body)) {
    const ap__yaml_node *n = at(r->y, body, "name");
    ground_taken =
        ground_taken || (n && n->shape == AP__YAML_SCALAR && strcmp(n->text, "ground") == 0);
  }
  for (const ap__yaml_node *body = first; body && !r->l->no_memory;
       body = ap__yaml_next(r->y, body))
    if (body->shape == AP__YAML_MAPPING) read_body(r, body, ground_taken);
}

void ap__lint_read_yaml(lint *l, const char *text, size_t length) {
  static const char *const none[][2] = {{NULL, NULL}};
  const ap__yaml_format format = {.file = "a robot file",
                                  .opening = "appell: 1",
                                  .keys = ap__yaml_keys,
                                  .names = none,
                                  .own_words = none};
  ap_error error = {0};
  ap__yaml y = {.format = &format, .error = &error, .kept = &l->found->pool};
  l->robot.yaml = true;
  if (!ap__yaml_parse(&y, text, length)) {
    l->no_memory = y.status == AP_E_MEMORY;
    lint_note note = ap__lint_begin("syntax", error.line, "");
    ap__lint_what(&note, "%s", error.text);
    ap__lint_why(&note, "what comes behind this line cannot be examined");
    if (!l->no_memory) ap__lint_end(l, &note);
    l->cut = true;
  }
  reader r = {l, &y};
  if (!l->no_memory && y.nnode > 0) read_tree(&r);
  ap__yaml_free(&y);
}
