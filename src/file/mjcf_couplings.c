// SPDX-License-Identifier: Apache-2.0
// MJCF: what refers to bodies and joints by name: equalities, fixed tendons, actuators.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/mjcf.h"

static bool is(const ap__node *e, const char *name) { return strcmp(e->name, name) == 0; }

// ---- names -------------------------------------------------------------------------------------

// An element of a section, for one copy of its model.
typedef struct reference {
  mjcf_item item;
  bool copied; // a name was found that only this copy has
} reference;

// The number of what an attribute names; -1: it names nothing that is there. In a copy, names of
// the copy come before those of the model.
static int find(mjcf *m, reference *r, const char *attribute, const ap__names *names) {
  const char *name = ap__attribute(r->item.e, attribute);
  const mjcf_scope *s = r->item.scope;
  if (!name || !*name || m->status) return -1;
  const char *whole = ap__mjcf_name(m, s, name);
  int found = whole ? ap__names_find(names, whole) : -1;
  if (found >= 0) r->copied = true;
  if (found >= 0 || !*s->suffix || m->status) return found;
  const mjcf_scope outer = {s->model, s->prefix, ""};
  whole = ap__mjcf_name(m, &outer, name);
  return whole ? ap__names_find(names, whole) : -1;
}

// A name that must be there; it is not where only a part of a model was attached.
static int must_find(mjcf *m, reference *r, const char *attribute, const ap__names *names,
                     const char *what) {
  int found = find(m, r, attribute, names);
  const char *name = ap__attribute(r->item.e, attribute);
  bool attached = *r->item.scope->prefix || *r->item.scope->suffix;
  if (found < 0 && name && !attached && m->nscope == 1)
    ap__mjcf_fail(m, r->item.e, "<%s %s=\"%.*s\"> is not in the file (expected the name of a %s)",
                  r->item.e->name, attribute, ap__shown(name), name, what);
  return found;
}

static bool index_names(mjcf *m) {
  bool done = ap__names_init(&m->body_names, m->nbody) &&
              ap__names_init(&m->joint_names, m->njoint) &&
              ap__names_init(&m->site_names, m->nsite);
  for (int i = 0; done && i < m->nbody; i++)
    if (m->bodies[i].name) ap__names_put(&m->body_names, m->bodies[i].name, i);
  for (int i = 0; done && i < m->njoint; i++)
    if (m->joints[i].name) ap__names_put(&m->joint_names, m->joints[i].name, i);
  for (int i = 0; done && i < m->nsite; i++)
    if (m->sites[i].name) ap__names_put(&m->site_names, m->sites[i].name, i);
  if (!done) ap__mjcf_no_memory(m);
  return done;
}

// ---- couplings of two joints -------------------------------------------------------------------

static bool one_dof(const mjcf *m, int joint) {
  return m->joints[joint].type == MJCF_HINGE || m->joints[joint].type == MJCF_SLIDE;
}

// Would `follower` follow itself?
static bool is_circular(const mjcf *m, int follower, int leader) {
  for (int k = leader; k >= 0; k = m->joints[k].leader - 1)
    if (k == follower) return true;
  return false;
}

static void follow(mjcf *m, const ap__node *e, int follower, int leader, double ratio,
                   double constant) {
  mjcf_joint *joint = &m->joints[follower];
  ap__part *part = &m->parts.part[joint->part];
  joint->leader = leader + 1;
  part->def.mimic_ratio = ratio;
  part->def.mimic_offset = joint->ref + constant - ratio * m->joints[leader].ref;
  part->at.mimic = part->at.mimic_ratio = part->at.mimic_offset = e->line;
}

// x1 = constant + ratio x2 of the displacements from the reference configuration. The first joint
// follows, or where it follows another one already, the second.
static void couple(mjcf *m, const ap__node *e, int first, int second, double ratio,
                   double constant) {
  bool good = one_dof(m, first) && one_dof(m, second) && ratio != 0 && first != second;
  if (good && !m->joints[first].leader && !is_circular(m, first, second))
    follow(m, e, first, second, ratio, constant);
  else if (good && !m->joints[second].leader && !is_circular(m, second, first))
    follow(m, e, second, first, 1 / ratio, -constant / ratio);
  else
    ap__mjcf_odd(m, MJCF_ODD_EQUALITY, e, e->name);
}

// Polynomial of the coupling: constant and linear coefficient; false: it has higher ones.
static bool read_polynomial(mjcf *m, const mjcf_item *item, double c[5]) {
  const double line[5] = {0, 1, 0, 0, 0};
  memcpy(c, line, sizeof line);
  int n = ap__mjcf_numbers(m, item, "polycoef", 1, 5, c);
  return !m->status && c[2] == 0 && c[3] == 0 && c[4] == 0 && n >= 0;
}

static void couple_joints(mjcf *m, reference *r) {
  double c[5];
  int first = must_find(m, r, "joint1", &m->joint_names, "joint");
  int second = must_find(m, r, "joint2", &m->joint_names, "joint");
  bool linear = read_polynomial(m, &r->item, c);
  if (m->status || first < 0 || (second < 0 && ap__attribute(r->item.e, "joint2"))) return;
  if (second < 0 || !linear)
    ap__mjcf_odd(m, MJCF_ODD_EQUALITY, r->item.e, second < 0 ? "joint without joint2" : "polycoef");
  else
    couple(m, r->item.e, first, second, c[1], c[0]);
}

// sum of tendon1 = c0 + c1 sum of tendon2: a coupling where two joints are in it.
static void couple_tendons(mjcf *m, reference *r) {
  double c[5], factor[2] = {1, 0};
  int tendon[2] = {must_find(m, r, "tendon1", &m->tendon_names, "tendon"),
                   must_find(m, r, "tendon2", &m->tendon_names, "tendon")};
  bool linear = read_polynomial(m, &r->item, c);
  mjcf_term term[2] = {{0, 0}, {0, 0}};
  int n = 0;
  if (m->status || tendon[0] < 0 || (tendon[1] < 0 && ap__attribute(r->item.e, "tendon2"))) return;
  factor[1] = -c[1];
  for (int t = 0; t < 2; t++) {
    const mjcf_tendon *of = tendon[t] < 0 ? NULL : &m->tendons[tendon[t]];
    for (int k = 0; of && k < of->count; k++, n++)
      if (n < 2)
        term[n] = (mjcf_term){m->terms[of->first + k].joint,
                              factor[t] * m->terms[of->first + k].coefficient};
    linear = linear && (!of || of->count > 0); // a spatial one has no terms
  }
  if (!linear || n != 2 || term[0].coefficient == 0)
    ap__mjcf_odd(m, MJCF_ODD_EQUALITY, r->item.e, "tendon");
  else
    couple(m, r->item.e, term[0].joint, term[1].joint, -term[1].coefficient / term[0].coefficient,
           c[0] / term[0].coefficient);
}

// ---- closures ----------------------------------------------------------------------------------

// The two bodies of a closure; the second is the world where none is given.
static bool find_bodies(mjcf *m, reference *r, mjcf_closure *c) {
  bool second = ap__attribute(r->item.e, "body2") != NULL;
  c->body[0] = must_find(m, r, "body1", &m->body_names, "body");
  c->body[1] = second ? must_find(m, r, "body2", &m->body_names, "body") : 0;
  return !m->status && c->body[0] >= 0 && c->body[1] >= 0;
}

static bool find_sites(mjcf *m, reference *r, mjcf_closure *c) {
  const char *const names[] = {"site1", "site2"};
  for (int k = 0; k < 2; k++) {
    int site = must_find(m, r, names[k], &m->site_names, "site");
    if (m->status || site < 0) return false;
    c->body[k] = m->sites[site].body;
    c->at[k] = m->sites[site].place;
  }
  return true;
}

// Points or frames of bodies: what one body says is where the other is in the reference
// configuration.
static bool place_ends(mjcf *m, reference *r, mjcf_closure *c) {
  const mjcf_body *a = &m->bodies[c->body[0]], *b = &m->bodies[c->body[1]];
  const mjcf_pose b_in_a = mjcf_compose(mjcf_inverse(a->home), b->home);
  double pose[7] = {0}, anchor[3] = {0};
  bool anchored = ap__mjcf_numbers(m, &r->item, "anchor", 3, 3, anchor) > 0;
  bool posed = c->weld && ap__mjcf_numbers(m, &r->item, "relpose", 7, 7, pose) > 0;
  if (!c->weld) { // the anchor is a point of the first body
    if (!anchored) ap__mjcf_fail(m, r->item.e, "<connect> of bodies without anchor");
    c->at[0] = mjcf_at_point(anchor, 1);
    c->at[1] = mjcf_compose(mjcf_inverse(b_in_a), c->at[0]);
    return !m->status;
  }
  mjcf_pose relative = b_in_a; // of the second body in the first
  memcpy(relative.p, posed ? pose : b_in_a.p, sizeof relative.p);
  if (posed && mjcf_quat_unit(pose + 3))
    memcpy(relative.q, pose + 3, sizeof relative.q);
  else
    relative = b_in_a;
  c->at[1] = mjcf_at_point(anchor, 1); // the anchor of a weld is a point of the second body
  c->at[0] = mjcf_compose(relative, c->at[1]);
  return !m->status;
}

static void close_chain(mjcf *m, reference *r, bool weld) {
  mjcf_closure c = {.e = r->item.e, .weld = weld, .at = {mjcf_here(), mjcf_here()}};
  bool sites = ap__attribute(r->item.e, "site1") != NULL;
  if (!sites && !ap__attribute(r->item.e, "body1"))
    ap__mjcf_fail(m, r->item.e, "<%s> without body1 and site1", r->item.e->name);
  bool found = sites ? find_sites(m, r, &c) : find_bodies(m, r, &c) && place_ends(m, r, &c);
  if (!found || m->status) return;
  c.name = ap__mjcf_name(m, r->item.scope, ap__attribute(r->item.e, "name"));
  mjcf_closure *kept =
      ap__mjcf_append(m, &m->closures, &m->nclosure, &m->closure_capacity, sizeof *kept);
  if (kept) *kept = c;
}

static void read_equality(mjcf *m, reference *r) {
  const ap__node *e = r->item.e;
  if (!ap__mjcf_word(m, &r->item, "active", "false true", 1))
    ap__mjcf_odd(m, MJCF_ODD_INACTIVE, e, e->name);
  else if (is(e, "joint"))
    couple_joints(m, r);
  else if (is(e, "tendon"))
    couple_tendons(m, r);
  else if (is(e, "connect") || is(e, "weld"))
    close_chain(m, r, is(e, "weld"));
  else
    ap__mjcf_odd(m, MJCF_ODD_EQUALITY, e, e->name);
}

// ---- tendons -----------------------------------------------------------------------------------

static void warn_of_tendon(mjcf *m, const mjcf_item *item) {
  static const char *const numbers[] = {"stiffness", "damping", "frictionloss", "armature"};
  double x[3] = {0};
  for (int k = 0; k < 4; k++)
    if (ap__mjcf_numbers(m, item, numbers[k], 1, 3, x) && x[0] != 0)
      ap__mjcf_odd(m, MJCF_ODD_TENDON, item->e, numbers[k]);
  int limited = ap__mjcf_word(m, item, "limited", "false true auto", 2);
  if (limited == 1 || (limited == 2 && ap__mjcf_text(item, "range")))
    ap__mjcf_odd(m, MJCF_ODD_TENDON, item->e, "range");
}

static void read_tendon(mjcf *m, reference *r) {
  mjcf_tendon *tendon =
      ap__mjcf_append(m, &m->tendons, &m->ntendon, &m->tendon_capacity, sizeof *tendon);
  if (!tendon) return;
  *tendon = (mjcf_tendon){.name = ap__mjcf_name(m, r->item.scope, ap__attribute(r->item.e, "name")),
                          .e = r->item.e,
                          .first = m->nterm};
  warn_of_tendon(m, &r->item);
  const bool fixed = is(r->item.e, "fixed");
  for (const ap__node *c = fixed ? ap__mjcf_first(r->item.e) : NULL; c && !m->status;
       c = ap__mjcf_next(c)) {
    if (!is(c, "joint")) continue;
    reference inner = {.item = r->item};
    inner.item.e = c;
    inner.item.kind = MJCF_KINDS;
    mjcf_term term = {must_find(m, &inner, "joint", &m->joint_names, "joint"), 0};
    ap__mjcf_numbers(m, &inner.item, "coef", 1, 1, &term.coefficient);
    if (term.joint < 0) continue;
    mjcf_term *kept = ap__mjcf_append(m, &m->terms, &m->nterm, &m->term_capacity, sizeof *kept);
    if (!kept) return;
    *kept = term;
    m->tendons[m->ntendon - 1].count++;
  }
}

static bool index_tendons(mjcf *m) {
  bool done = ap__names_init(&m->tendon_names, m->ntendon);
  for (int i = 0; done && i < m->ntendon; i++)
    if (m->tendons[i].name) ap__names_put(&m->tendon_names, m->tendons[i].name, i);
  if (!done) ap__mjcf_no_memory(m);
  return done;
}

// ---- actuators ---------------------------------------------------------------------------------

static double larger(const double range[2]) { return fmax(fabs(range[0]), fabs(range[1])); }

static bool is_limited(mjcf *m, const mjcf_item *item, const char *limited, const char *range,
                       double x[2]) {
  bool given = ap__mjcf_numbers(m, item, range, 2, 2, x) && (x[0] != 0 || x[1] != 0);
  int said = ap__mjcf_word(m, item, limited, "false true auto", 2);
  return given && said != 0;
}

// The largest force at the actuator: its own bound, or that of a control that is a force.
static double bound_of(mjcf *m, const mjcf_item *item) {
  double force[2] = {0}, control[2] = {0}, gain[3] = {1, 0, 0};
  double bound = INFINITY;
  if (is_limited(m, item, "forcelimited", "forcerange", force)) bound = larger(force);
  bool direct = is(item->e, "motor");
  if (is(item->e, "general")) {
    const char *gaintype = ap__mjcf_text(item, "gaintype"),
               *biastype = ap__mjcf_text(item, "biastype"),
               *dyntype = ap__mjcf_text(item, "dyntype"), *gains = ap__mjcf_text(item, "gainprm");
    direct = (!gaintype || strcmp(gaintype, "fixed") == 0) &&
             (!biastype || strcmp(biastype, "none") == 0) &&
             (!dyntype || strcmp(dyntype, "none") == 0) && !gains;
  }
  if (direct && is_limited(m, item, "ctrllimited", "ctrlrange", control))
    bound = fmin(bound, fabs(gain[0]) * larger(control));
  return bound;
}

static void drive(mjcf *m, const mjcf_item *item, int k, double gear, bool inertia) {
  mjcf_joint *joint = &m->joints[k];
  ap_body_def *def = &m->parts.part[joint->part].def;
  double damping[3] = {0}, armature = 0;
  if (joint->type == MJCF_FREE || joint->type == MJCF_BALL) {
    ap__mjcf_odd(m, MJCF_ODD_ACTUATOR, item->e, item->e->name);
    return;
  }
  joint->effort += gear != 0 ? fabs(gear) * bound_of(m, item) : 0;
  joint->driven = true;
  ap__mjcf_numbers(m, item, "damping", 1, 3, damping);
  ap__mjcf_numbers(m, item, "armature", 1, 1, &armature);
  if (inertia) {
    if (damping[0] != 0) def->viscous += gear * gear * damping[0];
    if (armature != 0) def->rotor_inertia += gear * gear * armature;
    if (!isfinite(def->viscous) || !isfinite(def->rotor_inertia))
      ap__mjcf_fail(m, item->e, "<%s gear=\"%g\"> squared times %s is beyond the range of a double",
                    item->e->name, gear, isfinite(def->viscous) ? "armature" : "damping");
  } else if (damping[0] != 0 || armature != 0) {
    ap__mjcf_odd(m, MJCF_ODD_TENDON, item->e, damping[0] != 0 ? "damping" : "armature");
  }
}

static void read_actuator(mjcf *m, reference *r) {
  double gear[6] = {1, 0, 0, 0, 0, 0};
  const ap__node *e = r->item.e;
  const char *to = ap__attribute(e, "joint") ? "joint" : "jointinparent";
  ap__mjcf_numbers(m, &r->item, "gear", 1, 6, gear);
  int joint = must_find(m, r, to, &m->joint_names, "joint");
  int tendon = must_find(m, r, "tendon", &m->tendon_names, "tendon");
  if (m->status) return;
  if (joint >= 0) drive(m, &r->item, joint, gear[0], true);
  for (int k = 0; tendon >= 0 && k < m->tendons[tendon].count; k++) {
    const mjcf_term *term = &m->terms[m->tendons[tendon].first + k];
    drive(m, &r->item, term->joint, gear[0] * term->coefficient, false);
  }
  bool elsewhere = !ap__attribute(e, to) && !ap__attribute(e, "tendon");
  if (elsewhere || (tendon >= 0 && m->tendons[tendon].count == 0))
    ap__mjcf_odd(m, MJCF_ODD_ACTUATOR, e, e->name);
}

// ---- sections ----------------------------------------------------------------------------------

// Does an element name something that has the suffix of a copy?
static bool names_copy(mjcf *m, reference *r) {
  static const char *const joints[] = {"joint", "joint1", "joint2", "jointinparent"};
  for (int k = 0; k < 4; k++) find(m, r, joints[k], &m->joint_names);
  find(m, r, "body1", &m->body_names), find(m, r, "body2", &m->body_names);
  find(m, r, "site1", &m->site_names), find(m, r, "site2", &m->site_names);
  find(m, r, "tendon", &m->tendon_names), find(m, r, "tendon1", &m->tendon_names);
  for (const ap__node *c = ap__mjcf_first(r->item.e); c && !r->copied; c = ap__mjcf_next(c)) {
    reference inner = {.item = r->item};
    inner.item.e = c;
    find(m, &inner, "joint", &m->joint_names);
    r->copied = inner.copied;
  }
  return r->copied;
}

// Every element of a section, for every copy of the model. A suffix has its own copy of what names
// something with that suffix.
static void each(mjcf *m, const char *section, mjcf_kind kind,
                 void (*read)(mjcf *m, reference *r)) {
  for (int k = 0; k < m->nscope && !m->status; k++) {
    const mjcf_scope *s = &m->scopes[k];
    for (const ap__node *e = ap__mjcf_named(ap__mjcf_first(s->model->root), section);
         e && !m->status; e = ap__mjcf_named(ap__mjcf_next(e), section))
      for (const ap__node *c = ap__mjcf_first(e); c && ap__mjcf_visit(m, c); c = ap__mjcf_next(c)) {
        reference r = {.item = ap__mjcf_item(m, c, s, kind, 0, mjcf_here())};
        if (!*s->suffix || names_copy(m, &r)) read(m, &r);
      }
  }
}

void ap__mjcf_read_couplings(mjcf *m) {
  if (!index_names(m)) return;
  each(m, "tendon", MJCF_TENDON, read_tendon);
  if (m->status || !index_tendons(m)) return;
  each(m, "equality", MJCF_EQUALITY, read_equality);
  each(m, "actuator", MJCF_ACTUATOR, read_actuator);
}
