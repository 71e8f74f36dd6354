// SPDX-License-Identifier: Apache-2.0
// How a mechanism with closed chains starts: in its independent coordinates, or with joints that
// are held while the others close it.

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "loop/closed_chain.h"
#include "sim/scenario.h"

// Velocities given with few digits may contradict the closures by so much (m/s or rad/s), beside
// the largest of them.
static const double CONTRADICTS = 1e-6;

// Where a mechanism starts, while it is read.
typedef struct beginning {
  ap__scenario_reader *r;
  const ap_mechanism *m;
  ap_loop *l;
  double *s, *sd; // [n] independent coordinates and their rates
  bool *given;    // [n]
} beginning;

static int coordinate_of(const ap_mechanism *m, const ap__node *name) {
  for (int i = 0; name->kind == AP__SCALAR && i < ap_mechanism_n(m); i++)
    if (strcmp(ap_mechanism_coordinate(m, i)->name, name->text) == 0) return i;
  return -1;
}

// Neither a coordinate nor a joint.
static bool unknown_name(const beginning *b, const ap__node *name) {
  const ap_model *tree = ap_mechanism_tree(b->m);
  const char *meant = ap_mechanism_coordinate(b->m, 0)->name;
  int least = INT_MAX;
  for (int i = 0; i < ap_mechanism_n(b->m); i++)
    if (ap__name_nearer(name->text, ap_mechanism_coordinate(b->m, i)->name, &least))
      meant = ap_mechanism_coordinate(b->m, i)->name;
  for (int i = 1; i < ap_nbody(tree); i++) {
    const char *known = ap__joint_name(ap_body(tree, i));
    if (ap_joint_nv(tree, i) > 0 && ap__name_nearer(name->text, known, &least)) meant = known;
  }
  return ap__yaml_fail(
      &b->r->yaml, name->line,
      "start: the mechanism has no coordinate or joint \"%.*s\" (for example \"%.*s\")",
      ap__shown(name->text), name->text, ap__shown(meant), meant);
}

// The search for a closed place has ended with a status that is not AP_OK.
static bool not_closed(const beginning *b, int line, ap_status status, const ap_assembly *found) {
  ap__yaml *y = &b->r->yaml;
  if (status != AP_E_UNREACHABLE)
    return ap__yaml_fail(y, line, "start: %s (choose another start)", ap_status_text(status));
  const ap_closure_def *worst = ap_mechanism_closure(b->m, found->worst);
  const char *name = worst ? worst->name : "";
  return ap__yaml_fail(
      y, line,
      "start: the mechanism cannot be closed there: error of closure \"%.*s\": %.3g, of the "
      "coordinates: %.3g (choose a start within reach, or another branch)",
      ap__shown(name), name, found->closure_error, found->coordinate_error);
}

// ---- by independent coordinates ----------------------------------------------------------------

static bool read_coordinate(beginning *b, int i, const ap__node *n) {
  static const char *const of_joints[5] = {"position", "orientation", "rpy", "velocity",
                                           "angular_velocity"};
  ap__yaml *y = &b->r->yaml;
  const ap_coordinate_def *def = ap_mechanism_coordinate(b->m, i);
  const ap__node *q = n;
  if (n->kind != AP__SCALAR) {
    ap__scenario_start start = {0};
    if (!ap__yaml_read_map(y, n, "start", &start)) return false;
    bool has_q = ap__yaml_has(y, "start", start.seen, "q");
    bool has_v = ap__yaml_has(y, "start", start.seen, "v");
    for (int k = 0; k < 5; k++)
      if (ap__yaml_has(y, "start", start.seen, of_joints[k]))
        return ap__yaml_fail(y, n->line, "start: %s of a coordinate (use q and v)", of_joints[k]);
    if (has_v && !ap__yaml_number(y, "v", start.v, &b->sd[i])) return false;
    q = has_q ? start.q : NULL;
  }
  if (q && !ap__yaml_number(y, def->name, q, &b->s[i])) return false;
  b->given[i] = true;
  if (def->kind != AP_COORDINATE_POSITION && !ap__scenario_angle(b->r, def->name, n->line, b->s[i]))
    return false;
  return (fabs(b->s[i]) <= AP__SCENARIO_MOST && fabs(b->sd[i]) <= AP__SCENARIO_MOST) ||
         ap__yaml_fail(y, n->line, "start: the coordinate \"%.*s\" is %g, its rate %g (at most %g)",
                       ap__shown(def->name), def->name, b->s[i], b->sd[i], AP__SCENARIO_MOST);
}

static bool start_by_coordinates(beginning *b) {
  ap__yaml *y = &b->r->yaml;
  ap_scenario *s = b->r->scenario;
  const ap__node *start = b->r->head.start;
  for (const ap__node *key = start->first, *value; key; key = value->next) {
    value = key->next;
    int i = coordinate_of(b->m, key);
    if (b->given[i])
      return ap__yaml_fail(y, key->line, "duplicate coordinate \"%.*s\" in start (name it once)",
                           ap__shown(key->text), key->text);
    if (!read_coordinate(b, i, value)) return false;
  }
  ap_assembly found = {0};
  ap__loop_begin_there(b->m, b->l, b->r->head.branch, b->s); // else it begins near the guess
  ap_status status = ap_loop_place(b->m, b->l, b->s, &found);
  if (status == AP_E_SINGULAR_SERIAL && found.coordinate_error > 1e-9)
    return ap__yaml_fail(y, start->line,
                         "start: at a pitch of +-pi/2 yaw and roll are not determined (use another "
                         "pitch, or name joints)");
  bool moves = false;
  for (int i = 0; i < ap_mechanism_n(b->m); i++) moves = moves || b->sd[i] != 0;
  if (status == AP_E_SINGULAR_SERIAL && moves)
    return ap__yaml_fail(y, start->line,
                         "start: the coordinates do not determine the velocities there (start at "
                         "rest, or name joints)");
  if (status && status != AP_E_SINGULAR_SERIAL) return not_closed(b, start->line, status, &found);
  memcpy(s->q, ap_loop_configuration(b->l), (size_t)ap_nq(s->model) * sizeof *s->q);
  if (moves) ap__loop_rates(b->m, b->l, s->q, NULL, b->sd, s->v);
  return true;
}

// ---- by joints ---------------------------------------------------------------------------------

static bool hold_joint(ap__scenario_reader *r, int body, const ap__node *n) {
  const ap_model *m = r->scenario->model;
  for (int k = 0; k < ap_joint_nv(m, body); k++) r->held[ap_joint_v(m, body) + k] = true;
  return ap__scenario_start_joint(r, body, n);
}

static bool start_by_joints(beginning *b) {
  ap__scenario_reader *r = b->r;
  ap_scenario *s = r->scenario;
  const ap__node *start = r->head.start;
  int nv = ap_nv(s->model);
  r->held = calloc((size_t)nv + 1, sizeof *r->held);
  if (!r->held) return ap__yaml_no_memory(&r->yaml);
  bool good = ap__scenario_by_joint(r, "start", start, hold_joint);
  if (good) {
    ap_assembly found = {0};
    ap_status status = ap__loop_close(b->m, b->l, s->q, r->held, &found);
    good = !status || not_closed(b, start->line, status, &found);
  }
  if (good) {
    double fastest = 1, lack = ap__loop_rates(b->m, b->l, s->q, r->held, NULL, s->v);
    for (int i = 0; i < nv; i++) fastest = fmax(fastest, fabs(s->v[i]));
    good = lack <= CONTRADICTS * fastest ||
           ap__yaml_fail(&r->yaml, start->line,
                         "start: the joint velocities violate the closures by %.3g (give as many "
                         "as there are degrees of freedom)",
                         lack);
  }
  free(r->held);
  r->held = NULL;
  return good;
}

// ---- both --------------------------------------------------------------------------------------

// Whether all names are coordinates; false in *good where one is nothing at all, or where some are
// coordinates alone and others joints.
static bool all_coordinates(const beginning *b, bool *good) {
  ap__yaml *y = &b->r->yaml;
  const ap_model *tree = ap_mechanism_tree(b->m);
  const ap__node *coordinate = NULL;
  bool all = true;
  for (const ap__node *key = b->r->head.start->first; *good && key; key = key->next->next) {
    bool joint = key->kind != AP__SCALAR || ap_find_joint(tree, key->text) >= 0;
    if (coordinate_of(b->m, key) >= 0) {
      if (!joint) coordinate = key;
      continue;
    }
    all = false;
    if (!joint) *good = unknown_name(b, key);
  }
  if (*good && !all && coordinate)
    *good = ap__yaml_fail(
        y, coordinate->line,
        "start: \"%.*s\" is a coordinate, others are joints (use only coordinates or only joints)",
        ap__shown(coordinate->text), coordinate->text);
  return all;
}

static bool start_there(beginning *b) {
  ap__scenario_reader *r = b->r;
  ap_scenario *s = r->scenario;
  ap_assembly found = {0};
  ap_status status = ap_loop_close(b->m, b->l, s->q, b->s, &found);
  if (status) return not_closed(b, r->head.robot->line, status, &found);
  ap_loop_set_guess(b->m, b->l, s->q);
  if (!r->head.start) return true;
  if (r->head.start->kind != AP__MAP)
    return ap__yaml_fail(&r->yaml, r->head.start->line,
                         "start has %s (expected a map of coordinates or joint names)",
                         ap__yaml_kind_of(r->head.start));
  bool good = true, coordinates = all_coordinates(b, &good);
  return good && (coordinates ? start_by_coordinates(b) : start_by_joints(b));
}

// The configuration to begin with, of the branch that is named.
static const double *guess_of(ap__scenario_reader *r, const ap_mechanism *m) {
  const char *branch = r->head.branch;
  const double *guess = ap_mechanism_find_branch(m, branch);
  if (guess) return guess;
  const ap_branch_def *first = ap_mechanism_branch(m, 0);
  int line = ap__line_of(r->yaml.root, "branch");
  if (first)
    ap__yaml_fail(&r->yaml, line,
                  "branch: the mechanism has no branch \"%.*s\" (one of its %d, such as \"%s\")",
                  ap__shown(branch), branch, ap_mechanism_nbranch(m), first->name);
  else
    ap__yaml_fail(&r->yaml, line,
                  "branch: the mechanism has only one branch, without a name (remove it)");
  return NULL;
}

bool ap__scenario_start_closed(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  beginning b = {.r = r, .m = s->mechanism};
  const double *guess = guess_of(r, b.m);
  if (!guess) return false;
  size_t n = (size_t)ap_mechanism_n(b.m);
  memcpy(s->q, guess, (size_t)ap_nq(s->model) * sizeof *s->q);
  b.l = ap_loop_make(b.m);
  b.s = calloc(n, sizeof *b.s);
  b.sd = calloc(n, sizeof *b.sd);
  b.given = calloc(n, sizeof *b.given);
  bool good = b.l && b.s && b.sd && b.given ? start_there(&b) : ap__yaml_no_memory(&r->yaml);
  ap_loop_free(b.l);
  free(b.s);
  free(b.sd);
  free(b.given);
  return good;
}
