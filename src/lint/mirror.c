// SPDX-License-Identifier: Apache-2.0
// Left and right: pairs by their names, and what differs between them.

#include <math.h>
#include <string.h>

#include "base/ascii.h"
#include "file/names.h"
#include "lint/examine.h"
#include "lint/tensor.h"

// ---- pairs -------------------------------------------------------------------------------------

enum { NAME_BYTES = 128 };

// A letter alone, or in a word of two: "l_arm", "arm_L", "FL_hip", or the first of a name: "LARM".
static bool may_be_side(const char *name, size_t i) {
  size_t from = i, to = i + 1;
  while (from > 0 && ap__is_letter(name[from - 1])) from--;
  while (ap__is_letter(name[to])) to++;
  return to - from <= 2 || i == 0 || i == from;
}

static const char *const words[][2] = {{"left", "right"}, {"Left", "Right"}, {"LEFT", "RIGHT"}};

static int find_name(const ap__names *names, const char *name, int self) {
  int k = ap__names_find(names, name);
  return k == self ? -1 : k;
}

// The link of the other side's name; -1: none. Names of the left are changed to the right.
static int find_twin(const ap__names *names, const char *name, int self) {
  char other[NAME_BYTES];
  size_t n = strlen(name);
  if (n + 8 >= sizeof other) return -1;
  for (int w = 0; w < 3; w++) {
    size_t used = 0;
    bool any = false;
    for (size_t i = 0; i < n && used + 8 < sizeof other;) {
      size_t m = strlen(words[w][0]);
      bool here = strncmp(name + i, words[w][0], m) == 0;
      const char *from = here ? words[w][1] : name + i;
      size_t length = here ? strlen(words[w][1]) : 1;
      memcpy(other + used, from, length);
      used += length;
      i += here ? m : 1;
      any = any || here;
    }
    other[used] = 0;
    int k = any ? find_name(names, other, self) : -1;
    if (k >= 0) return k;
  }
  memcpy(other, name, n + 1);
  for (size_t i = 0; i < n; i++) {
    if ((name[i] != 'l' && name[i] != 'L') || !may_be_side(name, i)) continue;
    other[i] = name[i] == 'l' ? 'r' : 'R';
    int k = find_name(names, other, self);
    if (k >= 0) return k;
    other[i] = name[i];
  }
  return -1;
}

void ap__lint_twins(lint *l) {
  lint_robot *robot = &l->robot;
  ap__names names = {0};
  if (!ap__lint_got(l, ap__names_init(&names, robot->nlink + 1))) return;
  for (int k = 0; k < robot->norder; k++)
    ap__names_put(&names, robot->link[robot->order[k]].name, robot->order[k]);
  for (int k = 0; k < robot->norder; k++) {
    int i = robot->order[k], other = find_twin(&names, robot->link[i].name, i);
    if (other < 0 || robot->link[other].twin >= 0) continue;
    robot->link[i].twin = other;
    robot->link[other].twin = i;
    robot->link[i].left = true;
  }
  ap__names_free(&names);
}

// ---- comparisons -------------------------------------------------------------------------------

typedef struct mirror {
  int axis;      // that changes its sign: 0 x, 1 y, 2 z
  double middle; // where the plane is along it
  bool posed;    // with all joints at zero, the two sides are each other's reflection
} mirror;

static void reflect(const mirror *m, const double x[3], double y[3]) {
  memcpy(y, x, 3 * sizeof *y);
  y[m->axis] = -y[m->axis];
}

static void reflect_tensor(const mirror *m, const double I[6], double out[6]) {
  static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < 6; i++) out[i] = (row[i] == m->axis) != (column[i] == m->axis) ? -I[i] : I[i];
}

// The plane between the two sides: across the axis along which they are apart.
static bool find_mirror(const lint_robot *robot, mirror *m) {
  double apart[3] = {0}, sum[3] = {0};
  int pairs = 0;
  for (int i = 0; i < robot->nlink; i++) {
    const lint_link *a = &robot->link[i];
    if (!a->left) continue;
    const lint_link *b = &robot->link[a->twin];
    for (int k = 0; k < 3; k++) {
      apart[k] += fabs(a->p[k] - b->p[k]);
      sum[k] += (a->p[k] + b->p[k]) / 2;
    }
    pairs++;
  }
  m->axis = 0;
  for (int k = 1; k < 3; k++)
    if (apart[k] > apart[m->axis]) m->axis = k;
  if (!pairs || !(apart[m->axis] > 0)) return false;
  m->middle = sum[m->axis] / pairs;
  return true;
}

// From a link's parent to it, on both sides, in the robot's axes; false where the parents are no
// pair.
static bool steps(const lint_robot *robot, int i, double a[3], double b[3]) {
  int twin = robot->link[i].twin;
  const lint_joint *ja = ap__lint_carrier(robot, i), *jb = ap__lint_carrier(robot, twin);
  if (!ja || !jb || ja->parent_link < 0 || jb->parent_link < 0) return false;
  if (robot->link[ja->parent_link].twin != jb->parent_link) return false;
  for (int k = 0; k < 3; k++) {
    a[k] = robot->link[i].p[k] - robot->link[ja->parent_link].p[k];
    b[k] = robot->link[twin].p[k] - robot->link[jb->parent_link].p[k];
  }
  return true;
}

// Is zero a posture in which the robot is symmetric? As a rule; where it is not, sides can only be
// compared by what turning a joint does not change.
static bool is_posed(const lint_robot *robot, const mirror *m) {
  int alike = 0, all = 0;
  for (int i = 0; i < robot->nlink; i++) {
    double a[3], b[3], off = 0;
    if (!robot->link[i].left || !steps(robot, i, a, b)) continue;
    double size = fmax(norm3(a), norm3(b));
    if (size < 1e-6) continue;
    reflect(m, b, b);
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(a[k] - b[k]));
    all++;
    alike += off <= 0.02 * size;
  }
  return 3 * alike >= 2 * all;
}

// Are the frames of two links such that their numbers can be compared in the robot's own axes: the
// same orientation, or the reflected one?
static bool comparable(const mirror *m, const lint_link *a, const lint_link *b) {
  double same = 0, reflected = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sign = (i == m->axis) != (j == m->axis) ? -1 : 1;
      same = fmax(same, fabs(a->R[3 * i + j] - b->R[3 * i + j]));
      reflected = fmax(reflected, fabs(sign * a->R[3 * i + j] - b->R[3 * i + j]));
    }
  if (!m->posed) return false;
  return same < 1e-3 || reflected < 1e-3;
}

// What the link would have if it were the reflection of its twin, in its own frame.
static void reflected_inertia(const mirror *m, const lint_link *link, const lint_link *twin,
                              lint_inertia *x) {
  double Rt[9], c[3], I[6];
  for (int i = 0; i < 9; i++) Rt[i] = link->R[3 * (i % 3) + i / 3];
  ap__lint_rotate(twin->R, twin->com, c);
  reflect(m, c, c);
  ap__lint_rotate(Rt, c, x->com);
  ap__lint_turn(twin->R, twin->own.tensor, I);
  reflect_tensor(m, I, I);
  ap__lint_turn(Rt, I, x->tensor);
  x->mass = twin->mass;
}

static lint_note begin(const char *rule, int line, const lint_link *a, const lint_link *b,
                       const char *what) {
  lint_note note = ap__lint_begin(rule, line, a->name);
  ap__lint_what(&note, "%s of \"%.*s\" and \"%.*s\"%s differ", what, ap__shown(a->name), a->name,
                ap__shown(b->name), b->name, ap__lint_place(b->line).text);
  return note;
}

static bool compare_mass(lint *l, int i, const lint_inertia *then) {
  const lint_link *a = &l->robot.link[i], *b = &l->robot.link[a->twin];
  double larger = fmax(a->mass, b->mass);
  if (fabs(a->mass - b->mass) <= 0.01 * larger) return true;
  lint_note note = begin("mirror-mass", a->mass_line ? a->mass_line : a->line, a, b, "the masses");
  ap__lint_what(&note, "%g and %g kg", a->mass, b->mass);
  lint_inertia only = a->own;
  only.mass = then->mass;
  ap__lint_effect(l, &note, i, &a->own, &only);
  ap__lint_fix(&note,
               LINT_FORM(l, "mass: %g, or the other way round",
                         "<mass value=\"%g\"/>, or the other way round",
                         "mass=\"%g\", or the other way round"),
               b->mass);
  ap__lint_end_suspicion(l, &note);
  return false;
}

static void compare_com(lint *l, int i, const lint_inertia *then, bool exact) {
  const lint_link *a = &l->robot.link[i], *b = &l->robot.link[a->twin];
  double off = 0, size = fmax(norm3(a->com), norm3(b->com));
  for (int k = 0; k < 3; k++)
    off =
        fmax(off, exact ? fabs(a->com[k] - then->com[k]) : fabs(fabs(a->com[k]) - fabs(b->com[k])));
  if (!exact) off = fmin(off, fabs(norm3(a->com) - norm3(b->com)));
  if (off <= 2e-3 || off <= 0.05 * size) return;
  int line = a->com_line ? a->com_line : a->line;
  lint_note note = begin("mirror-com", line, a, b, "the centres of mass");
  ap__lint_what(&note, "by %.3g m after reflection", off);
  lint_inertia only = a->own;
  if (exact) memcpy(only.com, then->com, sizeof only.com);
  if (exact) ap__lint_effect(l, &note, i, &a->own, &only);
  if (exact)
    ap__lint_fix(&note,
                 LINT_FORM(l, "com: [%.6g, %.6g, %.6g], or the other way round",
                           "<origin xyz=\"%.6g %.6g %.6g\"/>, or the other way round",
                           "pos=\"%.6g %.6g %.6g\", or the other way round"),
                 only.com[0], only.com[1], only.com[2]);
  ap__lint_end_suspicion(l, &note);
}

static void compare_inertia(lint *l, int i, const lint_inertia *then, bool exact) {
  const lint_link *a = &l->robot.link[i], *b = &l->robot.link[a->twin];
  double off = 0;
  if (exact)
    off = ap__lint_difference(a->own.tensor, then->tensor);
  else
    for (int k = 0; k < 3; k++)
      off = fmax(off, fabs(a->moment[k] - b->moment[k]) / fmax(a->moment[2], b->moment[2]));
  if (!(off > 0.05)) return;
  lint_note note =
      begin("mirror-inertia", a->inertia_line ? a->inertia_line : a->line, a, b, "the inertias");
  ap__lint_what(&note, "by %.3g %% of the largest entry after reflection", 100 * off);
  lint_inertia only = a->own;
  memcpy(only.tensor, then->tensor, sizeof only.tensor);
  if (exact) ap__lint_effect(l, &note, i, &a->own, &only);
  if (exact) ap__lint_fix_inertia(l, &note, i, &only);
  if (exact) ap__lint_fix(&note, "or the other way round");
  ap__lint_end_suspicion(l, &note);
}

// Where the joint is, relative to the parents' reflection, so that one shifted joint is one
// finding.
static void compare_origin(lint *l, const mirror *m, int i) {
  const lint_robot *robot = &l->robot;
  const lint_link *a = &robot->link[i], *b = &robot->link[a->twin];
  const lint_joint *ja = ap__lint_carrier(robot, i), *jb = ap__lint_carrier(robot, a->twin);
  double da[3], db[3], off = 0;
  if (!ja || !jb || a->carried == 0) return;
  if (steps(robot, i, da, db)) {
    reflect(m, db, db);
  } else if (ja->parent_link == jb->parent_link) { // the plane need not be where the parent is
    memcpy(da, a->p, sizeof da);
    reflect(m, b->p, db);
    db[m->axis] += 2 * m->middle;
  } else {
    return;
  }
  for (int k = 0; k < 3; k++) off = fmax(off, fabs(da[k] - db[k]));
  if (!m->posed) off = fabs(norm3(da) - norm3(db));
  double size = fmax(norm3(da), norm3(db));
  if (off <= 1e-3 || off <= 0.01 * size) return;
  lint_note note =
      ap__lint_begin("mirror-origin", ja->origin_line ? ja->origin_line : ja->line, ja->name);
  ap__lint_what(&note,
                "the positions of joints \"%.*s\" and \"%.*s\"%s differ by %.3g m after reflection",
                ap__shown(ja->name), ja->name, ap__shown(jb->name), jb->name,
                ap__lint_place(jb->line).text, off);
  double weight = norm3(robot->gravity) * a->carried;
  ap__lint_why(&note, "a weight of %.3g N on a lever arm that is wrong by %.3g m: up to %.3g N m",
               weight, off, weight * off);
  double largest = 0;
  for (int k = 0; k < l->motion.nout; k++) largest = fmax(largest, l->motion.largest[k]);
  if (weight * off < 0.01 * largest) note.severity = AP_NOTE;
  ap__lint_fix(&note, "make both sides alike");
  ap__lint_end_suspicion(l, &note);
}

static bool nearly_equal(double a, double b) {
  return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 2e-3 + 1e-3 * fabs(a);
}

// By how much one side's force or speed exceeds the other's.
static double excess(const lint_joint *a, const lint_joint *b) {
  double force = fmax(a->effort / b->effort, b->effort / a->effort);
  double speed = fmax(a->velocity / b->velocity, b->velocity / a->velocity);
  return fmax(force, speed) - 1;
}

// A bound that only one side has is no contradiction: the other may be driven through it.
static bool same_bound(double a, double b) { return isnan(a) || isnan(b) || nearly_equal(a, b); }

static void compare_limits(lint *l, int i) {
  const lint_robot *robot = &l->robot;
  const lint_joint *a = ap__lint_carrier(robot, i),
                   *b = ap__lint_carrier(robot, robot->link[i].twin);
  if (!a || !b || !ap__lint_one_dof(a) || a->type != b->type) return;
  bool range = (nearly_equal(a->lower, b->lower) && nearly_equal(a->upper, b->upper)) ||
               (nearly_equal(a->lower, -b->upper) && nearly_equal(a->upper, -b->lower));
  bool force = same_bound(a->effort, b->effort) && same_bound(a->velocity, b->velocity);
  if (range && force) return;
  lint_note note = ap__lint_begin("mirror-limit", a->limit_line ? a->limit_line : a->line, a->name);
  ap__lint_what(&note, "the limits of joints \"%.*s\" and \"%.*s\"%s differ", ap__shown(a->name),
                a->name, ap__shown(b->name), b->name,
                ap__lint_place(b->limit_line ? b->limit_line : b->line).text);
  if (!range)
    ap__lint_what(&note, "%.4g .. %.4g and %.4g .. %.4g", a->lower, a->upper, b->lower, b->upper);
  if (!same_bound(a->effort, b->effort))
    ap__lint_what(&note, "effort %g and %g", a->effort, b->effort);
  if (!same_bound(a->velocity, b->velocity))
    ap__lint_what(&note, "velocity %g and %g", a->velocity, b->velocity);
  if (!range)
    ap__lint_why(&note, "the ranges of the two sides differ by %.3g",
                 fmax(fabs(a->lower - b->lower), fabs(a->upper - b->upper)));
  else
    ap__lint_why(&note, "one side can do %.3g %% more than the other", 100 * excess(a, b));
  ap__lint_fix(&note, "make both sides alike (equal, or with the signs reversed)");
  ap__lint_end_suspicion(l, &note);
}

void ap__lint_mirror(lint *l) {
  mirror m;
  if (!find_mirror(&l->robot, &m)) return;
  m.posed = is_posed(&l->robot, &m);
  for (int i = 0; i < l->robot.nlink && !l->no_memory; i++) {
    const lint_link *a = &l->robot.link[i];
    if (!a->left) continue;
    const lint_link *b = &l->robot.link[a->twin];
    lint_inertia then;
    reflected_inertia(&m, a, b, &then);
    bool exact = comparable(&m, a, b);
    // Of a link with another mass nobody expects the same inertia.
    if (!a->mass_lost && !b->mass_lost && compare_mass(l, i, &then) && a->mass > 0) {
      if (!a->com_lost && !b->com_lost) compare_com(l, i, &then, exact);
      if (!a->tensor_lost && !b->tensor_lost) compare_inertia(l, i, &then, exact);
    }
    compare_origin(l, &m, i);
    compare_limits(l, i);
  }
}
