// SPDX-License-Identifier: Apache-2.0
// Closed chains in Appell YAML: closures, coordinates, actuated joints, configurations.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/chains.h"
#include "file/names.h"
#include "file/yaml_schema.h"

enum {
  MOST = 10000,           // closures, coordinates, actuated joints, branches
  MOST_NUMBERS = 10000000 // of all branches
};

// ---- lists -------------------------------------------------------------------------------------

static bool expect_entries(ap__yaml *y, const char *key, const ap__node *n, const char *of) {
  return ap__yaml_expect_list(y, key, n, of) &&
         (n->length <= MOST ||
          ap__yaml_fail(y, n->line, "%s has more than %d entries (split the mechanism)", key,
                        MOST));
}

static bool read_closures(ap__yaml *y, const ap__node *n, ap__yaml_chains *c) {
  const ap_closure_def initial = ap_default_closure();
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__yaml_closure *one =
        ap__append(&c->closure, &c->nclosure, &c->closure_capacity, sizeof *one);
    if (!one) return ap__yaml_no_memory(y);
    one->line = item->line;
    one->ratio = initial.ratio;
    for (int i = 0; i < 2; i++) memcpy(one->end[i].axis, initial.axis[i], sizeof initial.axis[i]);
    if (!ap__yaml_read_map(y, item, "closure", one)) return false;
  }
  return true;
}

static bool read_coordinates(ap__yaml *y, const ap__node *n, ap__yaml_chains *c) {
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__yaml_coordinate *one =
        ap__append(&c->coordinate, &c->ncoordinate, &c->coordinate_capacity, sizeof *one);
    if (!one) return ap__yaml_no_memory(y);
    one->line = item->line;
    if (!ap__yaml_read_map(y, item, "coordinate", one)) return false;
  }
  return true;
}

static bool read_branches(ap__yaml *y, const ap__node *n, ap__yaml_chains *c) {
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__yaml_branch *one = ap__append(&c->branch, &c->nbranch, &c->branch_capacity, sizeof *one);
    if (!one) return ap__yaml_no_memory(y);
    one->line = item->line;
    if (!ap__yaml_read_map(y, item, "branch", one)) return false;
  }
  return true;
}

static bool read_actuated(ap__yaml *y, const char *key, const ap__node *n, ap__yaml_chains *c) {
  for (const ap__node *item = n->first; item; item = item->next) {
    ap__yaml_actuator *one =
        ap__append(&c->actuator, &c->nactuator, &c->actuator_capacity, sizeof *one);
    if (!one) return ap__yaml_no_memory(y);
    one->line = item->line;
    if (!ap__yaml_text(y, key, item, &one->joint)) return false;
  }
  return true;
}

bool ap__yaml_chains_list(ap__yaml *y, const ap__yaml_key *k, const ap__node *n,
                          ap__yaml_chains *c) {
  bool texts = k->kind == AP__YAML_TEXTS;
  if (!expect_entries(y, k->key, n, texts ? "texts" : "maps")) return false;
  if (!c->line) c->line = n->line;
  if (texts) return read_actuated(y, k->key, n, c);
  if (strcmp(k->of, "closure") == 0) return read_closures(y, n, c);
  return strcmp(k->of, "branch") == 0 ? read_branches(y, n, c) : read_coordinates(y, n, c);
}

void ap__yaml_chains_free(ap__yaml_chains *c) {
  free(c->closure);
  free(c->coordinate);
  free(c->branch);
  free(c->actuator);
}

// ---- rules across keys -------------------------------------------------------------------------

// Whether a key has a meaning for a type is a word in a list with blanks around each.
static bool is_among(const char *key, const char *list) {
  size_t n = strlen(key);
  for (const char *at = list; (at = strstr(at, key)); at += n)
    if (at[-1] == ' ' && at[n] == ' ') return true;
  return false;
}

// Keys of a map that were given must be among the allowed ones, and those that are needed there.
static bool check_keys(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                       const char *what, const char *keys, const char *allowed,
                       const char *needed) {
  for (const char *k = keys; *k; k += strspn(k, " ")) {
    char key[16];
    size_t length = strcspn(k, " ");
    memcpy(key, k, length);
    key[length] = 0;
    k += length;
    bool there = ap__yaml_has(y, map, seen, key);
    int line = ap__line_of(n, key);
    if (there && !is_among(key, allowed))
      return allowed[1]
                 ? ap__yaml_fail(y, line, "%s is not a key of a %s (its keys are%.*s)", key, what,
                                 (int)strlen(allowed) - 1, allowed)
                 : ap__yaml_fail(y, line, "%s does not apply to a %s (remove it)", key, what);
    if (!there && is_among(key, needed))
      return ap__yaml_fail(y, line, "a %s without \"%s\"", what, key);
  }
  return true;
}

// What the types of closures have: at the closure, at its first and at its second end.
static const struct {
  const char *what, *own, *needed, *first, *second;
} closure_rules[] = {
    [AP_CLOSE_POINT] = {"closure of type point", " ", " ", " body xyz ", " body xyz "},
    [AP_CLOSE_AXIS] = {"closure of type axis", " ", " ", " body axis ", " body axis "},
    [AP_CLOSE_POINT_ON_LINE] = {"closure of type point_on_line", " ", " ", " body xyz ",
                                " body xyz axis "},
    [AP_CLOSE_FRAME] = {"closure of type frame", " ", " ", " body xyz rpy ", " body xyz rpy "},
    [AP_CLOSE_DISTANCE] = {"closure of type distance", " distance ", " distance ", " body xyz ",
                           " body xyz "},
    [AP_CLOSE_GEAR] = {"closure of type gear", " ratio offset ", " ", " joint ", " joint "},
};

static bool finish_closure(ap__yaml *y, const ap__node *n, unsigned seen,
                           const ap__yaml_closure *c) {
  const char *what = closure_rules[c->kind].what;
  if (!check_keys(y, n, "closure", seen, what, "distance ratio offset", closure_rules[c->kind].own,
                  closure_rules[c->kind].needed))
    return false;
  for (int i = 0; i < 2; i++) {
    const char *allowed = i == 0 ? closure_rules[c->kind].first : closure_rules[c->kind].second;
    const char *needed = c->kind == AP_CLOSE_GEAR ? " joint " : " body ";
    char of[64];
    snprintf(of, sizeof of, "%s end of a %s", i == 0 ? "first" : "second", what);
    const ap__node *end = ap__child(n, i == 0 ? "first" : "second");
    if (!check_keys(y, end, "end", c->end[i].seen, of, "body joint xyz axis rpy", allowed, needed))
      return false;
  }
  return true;
}

static bool finish_coordinate(ap__yaml *y, const ap__node *n, unsigned seen,
                              const ap__yaml_coordinate *c) {
  static const char *const what[] = {"coordinate of type joint", "coordinate of type position",
                                     "coordinate of type yaw", "coordinate of type pitch",
                                     "coordinate of type roll"};
  const char *allowed = " body ", *needed = " body ";
  if (c->kind == AP_COORDINATE_JOINT) allowed = needed = " joint ";
  if (c->kind == AP_COORDINATE_POSITION) allowed = " body xyz along ", needed = " body along ";
  return check_keys(y, n, "coordinate", seen, what[c->kind], "joint body xyz along", allowed,
                    needed);
}

bool ap__yaml_chains_finish(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                            void *target) {
  if (strcmp(map, "closure") == 0) return finish_closure(y, n, seen, target);
  if (strcmp(map, "coordinate") == 0) return finish_coordinate(y, n, seen, target);
  if (strcmp(map, "end") == 0) ((ap__yaml_end *)target)->seen = seen;
  return true;
}

// ---- names -------------------------------------------------------------------------------------

// What resolving needs for a while.
typedef struct resolver {
  ap__yaml *y;
  ap_robot *robot;
  ap__chains *to;
  bool ground_taken;
  ap__names bodies, joints; // to the body's number
  int *place;               // [nbody + 1] where the joint of a body starts in x
  int nq;
} resolver;

static bool resolver_init(resolver *r) {
  int n = r->robot->nbody;
  r->place = calloc((size_t)n + 1, sizeof *r->place);
  if (!r->place || !ap__names_init(&r->bodies, n) || !ap__names_init(&r->joints, n)) return false;
  for (int i = 1; i <= n; i++) {
    ap__names_put(&r->bodies, r->robot->bodies[i - 1].name, i);
    ap__names_put(&r->joints, ap__joint_name(&r->robot->bodies[i - 1]), i);
    r->place[i] = r->nq;
    r->nq += ap__robot_joint_nq(r->robot, i);
  }
  return true;
}

// A body or joint of this name; -1 with a message.
static int find(resolver *r, int line, const char *of, const char *name, bool joint) {
  int number = ap__names_find(joint ? &r->joints : &r->bodies, name);
  if (number >= 0) return number;
  if (!joint && !r->ground_taken && strcmp(name, "ground") == 0) return 0;
  const char *meant = NULL, *what = joint ? "joint" : "body";
  int least = INT_MAX;
  for (int i = 0; i < r->robot->nbody; i++) {
    const ap_body_def *body = &r->robot->bodies[i];
    const char *other = joint ? ap__joint_name(body) : body->name;
    if (ap__name_nearer(name, other, &least)) meant = other;
  }
  if (meant)
    ap__yaml_fail(r->y, line, "%s: the %s \"%.*s\" is not in the file (did you mean \"%.*s\"?)", of,
                  what, ap__shown(name), name, ap__shown(meant), meant);
  else
    ap__yaml_fail(r->y, line, "%s: the %s \"%.*s\" is not in the file (a %s's name%s)", of, what,
                  ap__shown(name), name, what, joint ? "" : ", or ground");
  return -1;
}

// A name that is there once; lines are those of the entries before.
static bool is_new(resolver *r, ap__names *names, const char *what, const char *name, int i,
                   int *lines, int line) {
  int other = ap__names_put(names, name, i);
  lines[i] = line;
  return other < 0 ||
         ap__yaml_fail(
             r->y, line,
             "the name \"%.*s\" is already used by the %s on line %d (names must be unique)",
             ap__shown(name), name, what, lines[other]);
}

static bool resolve_closure(resolver *r, const ap__yaml_closure *c, ap_closure_def *d) {
  *d = ap_default_closure();
  d->name = c->name;
  d->kind = (ap_closure_kind)c->kind;
  for (int i = 0; i < 2; i++) {
    const ap__yaml_end *end = &c->end[i];
    bool gear = c->kind == AP_CLOSE_GEAR;
    d->body[i] = find(r, c->line, i == 0 ? "first" : "second", gear ? end->joint : end->body, gear);
    if (d->body[i] < 0) return false;
    memcpy(d->at[i], end->xyz, sizeof end->xyz);
    memcpy(d->axis[i], end->axis, sizeof end->axis);
    memcpy(d->rpy[i], end->rpy, sizeof end->rpy);
  }
  d->distance = c->distance;
  d->ratio = c->ratio;
  d->offset = c->offset;
  return true;
}

static bool resolve_coordinate(resolver *r, const ap__yaml_coordinate *c, ap_coordinate_def *d) {
  bool joint = c->kind == AP_COORDINATE_JOINT;
  *d = (ap_coordinate_def){.name = c->name, .kind = (ap_coordinate_kind)c->kind};
  d->body = find(r, c->line, "coordinate", joint ? c->joint : c->body, joint);
  memcpy(d->at, c->xyz, sizeof c->xyz);
  memcpy(d->along, c->along, sizeof c->along);
  return d->body >= 0;
}

// ---- configurations ----------------------------------------------------------------------------

// One joint of a guess into x; taken by joints that came before.
static bool read_joint(resolver *r, const ap__node *key, const ap__node *value, bool *taken,
                       double *x) {
  ap__yaml *y = r->y;
  if (key->kind != AP__SCALAR)
    return ap__yaml_fail(y, key->line, "a key of guess is %s (expected the name of a joint)",
                         ap__yaml_kind_of(key));
  int body = find(r, key->line, "guess", key->text, true);
  if (body < 0) return false;
  if (taken[body])
    return ap__yaml_fail(y, key->line, "duplicate joint \"%.*s\" in guess (name it once)",
                         ap__shown(key->text), key->text);
  taken[body] = true;
  int nq = ap__robot_joint_nq(r->robot, body);
  if (nq == 0)
    return ap__yaml_fail(
        y, key->line,
        "guess: the joint \"%.*s\" is fixed or a follower: it has no coordinate (remove it)",
        ap__shown(key->text), key->text);
  char what[100];
  snprintf(what, sizeof what, "guess of %.*s", ap__shown(key->text), key->text);
  return ap__yaml_numbers(y, what, value, nq, x + r->place[body]);
}

static bool read_guess(resolver *r, const ap__node *n, double *x) {
  ap__yaml *y = r->y;
  if (n->kind != AP__MAP)
    return ap__yaml_fail(y, n->line, "guess has %s (expected a map of joint names to numbers)",
                         ap__yaml_kind_of(n));
  bool *taken = calloc((size_t)r->robot->nbody + 1, sizeof *taken);
  if (!taken) return ap__yaml_no_memory(y);
  ap__robot_neutral(r->robot, x);
  bool good = true;
  for (const ap__node *key = n->first, *value; good && key; key = value->next) {
    value = key->next;
    good = read_joint(r, key, value, taken, x);
  }
  free(taken);
  return good;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool resolve_lists(resolver *r, const ap__yaml_chains *c, ap__names names[2]) {
  ap__chains *to = r->to;
  for (int i = 0; i < c->nclosure; i++)
    if (!is_new(r, &names[0], "closure", c->closure[i].name, i, to->lines[AP__CHAIN_CLOSURE],
                c->closure[i].line) ||
        !resolve_closure(r, &c->closure[i], &to->closures[i]))
      return false;
  for (int i = 0; i < c->ncoordinate; i++)
    if (!is_new(r, &names[1], "coordinate", c->coordinate[i].name, i,
                to->lines[AP__CHAIN_COORDINATE], c->coordinate[i].line) ||
        !resolve_coordinate(r, &c->coordinate[i], &to->coordinates[i]))
      return false;
  for (int i = 0; i < c->nactuator; i++) {
    const char *name = c->actuator[i].joint;
    int along = ap__names_find(&r->joints, name) < 0 ? ap__names_find(&names[1], name) : -1;
    to->lines[AP__CHAIN_ACTUATOR][i] = c->actuator[i].line;
    to->actuated[i] = along >= 0 ? AP_ALONG_COORDINATE(along)
                                 : find(r, c->actuator[i].line, "actuated", name, true);
    if (along < 0 && to->actuated[i] < 0) return false;
  }
  return true;
}

static bool resolve_branches(resolver *r, const ap__yaml_chains *c, const ap__node *guess,
                             ap__names *names) {
  ap__chains *to = r->to;
  to->guess_line = guess ? guess->line : 0;
  if (guess && !read_guess(r, guess, to->guess)) return false;
  for (int i = 0; i < c->nbranch; i++) {
    if (!is_new(r, names, "branch", c->branch[i].name, i, to->lines[AP__CHAIN_BRANCH],
                c->branch[i].line) ||
        !read_guess(r, c->branch[i].guess, to->configurations + (size_t)i * (size_t)r->nq))
      return false;
    to->branches[i].name = c->branch[i].name;
  }
  return true;
}

static bool resolve(resolver *r, const ap__yaml_chains *c, const ap__node *guess,
                    ap__names names[3]) {
  const ap_mechanism_def counts = {.nclosure = c->nclosure,
                                   .ncoordinate = c->ncoordinate,
                                   .nactuated = c->nactuator,
                                   .nbranch = c->nbranch};
  if (!resolver_init(r)) return ap__yaml_no_memory(r->y);
  if (c->nbranch > 0 && r->nq > MOST_NUMBERS / c->nbranch)
    return ap__yaml_fail(r->y, c->line, "branches have more than %d numbers (fewer branches)",
                         MOST_NUMBERS);
  r->to = ap__chains_new(r->robot, &counts, guess != NULL);
  if (!r->to || !ap__names_init(&names[0], c->nclosure) ||
      !ap__names_init(&names[1], c->ncoordinate) || !ap__names_init(&names[2], c->nbranch))
    return ap__yaml_no_memory(r->y);
  r->to->line = c->line;
  return resolve_lists(r, c, names) && resolve_branches(r, c, guess, &names[2]);
}

bool ap__yaml_chains_resolve(ap__yaml *y, const ap__yaml_chains *c, const ap__node *guess,
                             bool ground_taken, ap_robot *robot) {
  resolver r = {.y = y, .robot = robot, .ground_taken = ground_taken};
  ap__names names[3] = {0};
  if (c->ncoordinate == 0)
    return ap__yaml_fail(
        y, c->line, "a mechanism needs coordinates (joints, or positions and angles of a body)");
  bool good = resolve(&r, c, guess, names);
  for (int i = 0; i < 3; i++) ap__names_free(&names[i]);
  ap__names_free(&r.bodies);
  ap__names_free(&r.joints);
  free(r.place);
  return good;
}
