// SPDX-License-Identifier: Apache-2.0
// A model of the robot to compute with, corrected where the file itself would be refused; and what
// a change of inertia does to the forces of its joints.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lint/examine.h"
#include "lint/tensor.h"

static double or_none(double x, double none) { return isnan(x) ? none : x; }

static void correct_limits(const lint_joint *j, bool yaml, ap_body_def *body) {
  bool range = ap__lint_one_dof(j) && !j->continuous && j->limit_line && !yaml;
  double lower = or_none(j->lower, range ? 0 : -INFINITY);
  double upper = or_none(j->upper, range ? 0 : INFINITY);
  body->lower = fmin(lower, upper);
  body->upper = fmax(lower, upper);
  body->effort_limit = j->effort >= 0 ? j->effort : INFINITY;
  body->velocity_limit = j->velocity >= 0 ? j->velocity : INFINITY;
}

static void correct_joint(const lint *l, const lint_joint *j, ap_body_def *body) {
  body->joint_name = *j->name ? j->name : body->name;
  body->joint = j->type_known ? j->type : AP_FIXED;
  body->place = j->place;
  memcpy(body->axis, j->axis, sizeof body->axis);
  if (length3(j->axis) == 0) body->axis[2] = 1;
  correct_limits(j, l->robot.yaml, body);
  if (body->joint != AP_FIXED) body->stiffness = fmax(j->stiffness, 0);
  memcpy(body->rest, j->rest, sizeof body->rest);
  if (!ap__lint_one_dof(j)) return;
  body->viscous = fmax(j->viscous, 0);
  body->coulomb = fmax(j->coulomb, 0);
  if (j->stiction != 0) body->stiction = fmax(j->stiction, body->coulomb);
  body->rotor_inertia = fmax(j->rotor, 0);
  body->gear_ratio = j->gear;
  body->mimic_ratio = j->ratio;
  body->mimic_offset = j->offset;
}

static void correct_inertia(const lint_link *link, ap_body_def *body) {
  body->mass = fabs(link->mass);
  body->gravity_compensation = link->compensated;
  memcpy(body->com, link->com, sizeof body->com);
  memcpy(body->inertia, link->own.tensor, sizeof body->inertia);
  if (link->moment[0] < 0) ap__lint_nearest_inertia(link->own.tensor, body->inertia);
}

// Names are unique in a model: those of the tree are by now, or get none of the robot's.
static void fill(lint *l, ap_body_def *bodies) {
  lint_robot *robot = &l->robot;
  for (int k = 0; k < robot->norder; k++) {
    int i = robot->order[k];
    lint_link *link = &robot->link[i];
    const lint_joint *j = ap__lint_carrier(robot, i);
    ap_body_def *body = &bodies[k];
    *body = ap_default_body();
    body->name = link->name;
    link->number = k + 1;
    l->link_of[k + 1] = i;
    correct_inertia(link, body);
    body->joint_name = NULL;
    if (!j) continue;
    correct_joint(l, j, body);
    body->parent = j->parent_link < 0 ? 0 : robot->link[j->parent_link].number;
  }
  for (int k = 0; k < robot->norder; k++) {
    const lint_joint *j = ap__lint_carrier(robot, robot->order[k]);
    int leader = j ? j->leader_joint : -1;
    if (leader < 0 || !ap__lint_one_dof(j) || j->ratio == 0) continue;
    const lint_joint *first = &robot->joint[leader];
    if (first->child_link < 0 || !ap__lint_one_dof(first)) continue;
    bodies[k].mimic = robot->link[first->child_link].number;
    if (bodies[k].mimic == k + 1) bodies[k].mimic = 0;
  }
}

static ap_model *freeze(lint *l, const ap_robot_def *def) {
  size_t size = ap_model_size(def);
  void *memory = size ? malloc(size) : NULL;
  l->no_memory = l->no_memory || (size && !memory);
  ap_error error;
  ap_model *model = memory ? ap_model_init(def, memory, size, &error) : NULL;
  if (!model) {
    free(memory);
    return NULL;
  }
  l->model_memory = memory;
  return model;
}

void ap__lint_make_model(lint *l) {
  lint_robot *robot = &l->robot;
  size_t n = (size_t)robot->norder;
  ap_body_def *bodies = calloc(n + 1, sizeof *bodies);
  l->link_of = calloc(n + 2, sizeof *l->link_of);
  if (ap__lint_got(l, bodies && l->link_of) && n > 0) {
    fill(l, bodies);
    ap_robot_def def = ap_default_robot();
    def.name = robot->name;
    def.bodies = bodies;
    def.nbody = robot->norder;
    memcpy(def.gravity, robot->gravity, sizeof def.gravity);
    l->model = freeze(l, &def);
    if (!l->options->quick && l->model)
      ap__lint_got(l, l->mechanism ? ap__lint_motion_init_closed(&l->motion, l->mechanism)
                                   : ap__lint_motion_init(&l->motion, l->model));
  }
  free(bodies);
}

// Shares of a joint's largest force below which a change has no effect, or a suspicion no
// importance.
#define UNFELT 1e-9
#define SMALL  1e-2
// Bodies times evaluations that all effects together may take: some seconds.
#define EFFECT_BUDGET 3e7

// ---- effects -----------------------------------------------------------------------------------

// The ten numbers in which forces are linear: mass, mass times centre, tensor about the origin.
static void to_linear(const lint_inertia *x, double p[10]) {
  p[0] = x->mass;
  for (int i = 0; i < 3; i++) p[1 + i] = x->mass * x->com[i];
  ap__lint_shift(x->tensor, 1, x->mass, x->com, &p[4]);
}

static void from_linear(const double p[10], lint_inertia *x) {
  x->mass = p[0];
  for (int i = 0; i < 3; i++) x->com[i] = p[0] != 0 ? p[1 + i] / p[0] : 0;
  ap__lint_shift(&p[4], -1, x->mass, x->com, x->tensor);
}

static bool admissible(const lint_inertia *x) {
  double moment[3], axes[9];
  if (!(x->mass > 0)) return false;
  ap__lint_principal(x->tensor, moment, axes);
  return moment[0] >= 0;
}

// Forces are linear in the inertia, so that a difference of two can be taken from two others with
// the same difference: add to both what makes both a body's.
static void make_admissible(lint_inertia *a, lint_inertia *b) {
  if (admissible(a) && admissible(b)) return;
  double p[2][10], size = 0;
  to_linear(a, p[0]);
  to_linear(b, p[1]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 10; i++) size = fmax(size, fabs(p[k][i]));
  double extra = size;
  for (int turn = 0; turn < 10; turn++) {
    extra *= 4;
    for (int k = 0; k < 2; k++) {
      lint_inertia *x = k ? b : a;
      double more[10];
      memcpy(more, p[k], sizeof more);
      more[0] += extra;
      more[4] += extra;
      more[7] += extra;
      more[9] += extra;
      from_linear(more, x);
    }
    if (admissible(a) && admissible(b)) return;
  }
}

// The forces of all states with this inertia of a body; a state without any has NANs.
static bool all_forces(lint_motion *m, int body, const lint_inertia *x, double *out) {
  if (ap_set_inertia(m->model, m->work, body, x->mass, x->com, x->tensor) != AP_OK) return false;
  size_t n = (size_t)m->nout;
  for (int s = 0; s < m->states; s++, out += n) {
    bool done = ap__lint_motion_forces(m, s);
    for (size_t i = 0; i < n; i++) out[i] = done ? m->other[i] : NAN;
  }
  return true;
}

// The largest change of each joint's force; forces has room for two times all states.
static bool changes(lint_motion *m, int body, const lint_inertia *now, const lint_inertia *then,
                    double *forces, double *change) {
  size_t n = (size_t)m->nout * (size_t)m->states;
  bool done = all_forces(m, body, now, forces) && all_forces(m, body, then, forces + n);
  ap_reset_inertia(m->model, m->work);
  for (size_t i = 0; done && i < n; i++) // fmax() passes NANs by
    change[i % (size_t)m->nout] =
        fmax(change[i % (size_t)m->nout], fabs(forces[n + i] - forces[i]));
  return done;
}

static void say_effect(lint *l, lint_note *note, const double *change) {
  const lint_motion *m = &l->motion;
  double scale = 0, best = 0;
  int worst = -1;
  for (int i = 0; i < m->nout; i++) scale = fmax(scale, m->largest[i]);
  for (int i = 0; i < m->nout; i++) { // relative, but not where there is hardly any force at all
    double share = change[i] / (m->largest[i] + 1e-3 * scale);
    if (share > best) best = share, worst = i;
  }
  if (worst < 0 || best < UNFELT) {
    ap__lint_why(note, "it affects no joint in a typical motion");
    note->unfelt = true;
    return;
  }
  const ap_body_def *body = ap_body(m->model, m->body[worst]);
  const char *name = ap__joint_name(body);
  const char *unit = body->joint == AP_PRISMATIC ? "N" : "N m";
  note->effect = (ap_lint_effect){name, unit, change[worst], m->largest[worst]};
  if (m->largest[worst] > 0)
    ap__lint_why(note, "joint \"%.*s\" changes by up to %.3g %s of at most %.3g %s, %.3g %%",
                 ap__shown(name), name, change[worst], unit, m->largest[worst], unit,
                 100 * change[worst] / m->largest[worst]);
  else
    ap__lint_why(note, "joint \"%.*s\" changes by up to %.3g %s, and has no force as it is",
                 ap__shown(name), name, change[worst], unit);
}

void ap__lint_effect(lint *l, lint_note *note, int link, const lint_inertia *now,
                     const lint_inertia *then) {
  lint_motion *m = &l->motion;
  int body = l->robot.link[link].number;
  if (!m->work || body == 0 || m->nout == 0 || l->no_memory) return;
  if (!ap__lint_enabled(l, note->rule)) return;
  if (m->closed) body = ap_find_body(m->model, l->robot.link[link].name);
  if (body <= 0) return;
  if (ap_body_mover(m->model, body) == 0) {
    ap__lint_why(note, "the link does not move: it affects no joint");
    note->unfelt = true;
    return;
  }
  l->spent += 2.0 * m->states * ap_nbody(m->model);
  if (l->spent > EFFECT_BUDGET) {
    ap__lint_why(note, "its effect was not computed: the robot is large, and has many findings");
    return;
  }
  lint_inertia a = *now, b = *then;
  make_admissible(&a, &b);
  size_t n = (size_t)m->nout;
  double *change = calloc(n * (1 + 2 * (size_t)m->states), sizeof *change);
  if (ap__lint_got(l, change) && changes(m, body, &a, &b, change + n, change))
    say_effect(l, note, change);
  free(change);
}

void ap__lint_end_suspicion(lint *l, lint_note *note) {
  const ap_lint_effect *e = &note->effect;
  bool small = note->unfelt || (e->joint && e->difference < SMALL * e->largest);
  if (small && note->severity == AP_WARNING) note->severity = AP_NOTE;
  ap__lint_end(l, note);
}

void ap__lint_fix_inertia(const lint *l, lint_note *note, int link, const lint_inertia *then) {
  const lint_link *k = &l->robot.link[link];
  double R[9], Rt[9], x[6];
  ap__matrix_of_rpy(k->rpy, R); // the file gives the tensor in its own axes
  for (int i = 0; i < 9; i++) Rt[i] = R[3 * (i % 3) + i / 3];
  ap__lint_turn(Rt, then->tensor, x);
  double largest = 0;
  for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(x[i]));
  for (int i = 0; i < 6; i++)
    if (fabs(x[i]) < 1e-12 * largest) x[i] = 0;
  if (l->robot.mjcf) {
    ap__lint_fix(note, "fullinertia=\"%.6g %.6g %.6g %.6g %.6g %.6g\"", x[0], x[3], x[5], x[1],
                 x[2], x[4]);
    return;
  }
  ap__lint_fix(note,
               l->robot.yaml ? "tensor: [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g]"
                             : "<inertia ixx=\"%.6g\" ixy=\"%.6g\" ixz=\"%.6g\" iyy=\"%.6g\" "
                               "iyz=\"%.6g\" izz=\"%.6g\"/>",
               x[0], x[1], x[2], x[3], x[4], x[5]);
}

void ap__lint_suggest(lint *l, lint_note *note, int link, const lint_inertia *then) {
  ap__lint_effect(l, note, link, &l->robot.link[link].own, then);
  ap__lint_fix_inertia(l, note, link, then);
  ap__lint_end_suspicion(l, note);
}
