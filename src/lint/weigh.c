// SPDX-License-Identifier: Apache-2.0
// Which links are weighed, which mass they get, and what the file said before.

#include <appell/lint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "lint/tensor.h"
#include "lint/weigh.h"

// The rules whose findings make a link suspicious.
static const char *const rules[] = {"mass-negative",    "massless",      "inertia-negative",
                                    "inertia-triangle", "inertia-zero",  "inertia-gyration",
                                    "inertia-shape",    "inertia-frame", "inertia-placeholder",
                                    "com-outside",      "decimal-point"};

typedef struct balance {
  ap_robot *robot;
  const char *path;
  const ap_weigh_options *options;
  const bool *lost; // [nbody] the inertia is not complete in the file; NULL: all are
  ap_lint *found;   // NULL: not needed
  ap_weighing *out;
  ap_error *error;
} balance;

// ---- which -------------------------------------------------------------------------------------

static const char *rule_on(const balance *b, const char *link) {
  if (!b->found) return NULL;
  for (int i = 0; i < ap_lint_findings(b->found); i++) {
    const ap_finding *f = ap_lint_finding(b->found, i);
    if (strcmp(f->subject, link) != 0) continue;
    for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++)
      if (strcmp(f->rule, rules[k]) == 0) return rules[k];
  }
  return NULL;
}

static bool has_shapes(const balance *b, int body) { return ap_robot_shape(b->robot, body, 0); }

static bool is_missing(const balance *b, int number) {
  const ap_body_def *body = &b->robot->bodies[number - 1];
  if (b->lost && b->lost[number - 1]) return true;
  for (int i = 0; i < 6; i++)
    if (body->inertia[i] != 0) return false;
  return body->mass == 0;
}

// Why a link is weighed; NULL: it is not.
static const char *reason_of(const balance *b, int body) {
  const ap_body_def *def = &b->robot->bodies[body - 1];
  const ap_weigh_options *o = b->options;
  if (o->all) return has_shapes(b, body) ? "asked for" : NULL;
  for (int i = 0; i < o->nlink; i++)
    if (strcmp(o->links[i], def->name) == 0) return "asked for";
  if (o->nlink > 0) return NULL;
  if (is_missing(b, body)) return has_shapes(b, body) ? "missing" : NULL;
  return rule_on(b, def->name);
}

static ap_status check_links(const balance *b) {
  for (int i = 0; i < b->options->nlink; i++) {
    int k = 0;
    while (k < b->robot->nbody && strcmp(b->robot->bodies[k].name, b->options->links[i]) != 0) k++;
    if (k == b->robot->nbody)
      return AP__REFUSE(b->error, AP_E_NOT_FOUND, 0, "there is no link \"%.*s\"",
                        ap__shown(b->options->links[i]), b->options->links[i]);
  }
  return AP_OK;
}

// ---- one link ----------------------------------------------------------------------------------

static void find_moments(ap_link_mass *m) {
  double axes[9];
  ap__lint_principal(m->inertia, m->moment, axes);
}

static ap_link_mass mass_of(const ap_body_def *def) {
  ap_link_mass m = {.mass = def->mass};
  double R[9];
  memcpy(m.com, def->com, sizeof m.com);
  ap__matrix_of_rpy(def->inertia_rpy, R);
  ap__lint_turn(R, def->inertia, m.inertia);
  find_moments(&m);
  return m;
}

static const char *keep_text(balance *b, const char *text) {
  const char *kept = ap__pool_text(&b->out->pool, text, strlen(text));
  if (!kept) ap__no_memory(b->error);
  return kept ? kept : "";
}

// The visual shapes; those for collision where they are better: usable at all, or all of them
// closed.
static ap_status weigh_either(balance *b, int body, shapes_weighed *s, bool *collision) {
  const ap_weigh_shapes which = b->options->shapes;
  *collision = which == AP_WEIGH_COLLISION;
  ap_status status = ap__weigh_shapes(b->robot, body, *collision, b->path, s, b->error);
  if (status || which != AP_WEIGH_ANY || (s->good && !s->hulls)) return status;
  shapes_weighed other;
  status = ap__weigh_shapes(b->robot, body, true, b->path, &other, b->error);
  if (status || !other.good || (s->good && other.hulls)) return status;
  *collision = true;
  if (s->n > 0) { // why not the visual ones
    ap__weigh_say(other.remark, "not its visual shapes: %s", s->good ? s->remark : s->problem);
  }
  *s = other;
  return AP_OK;
}

static ap_status weigh_link(balance *b, int body, const char *reason) {
  shapes_weighed s;
  ap_weighed *w = ap__append(&b->out->link, &b->out->n, &b->out->capacity, sizeof *w);
  if (!w) return ap__no_memory(b->error);
  const ap_body_def *def = &b->robot->bodies[body - 1];
  bool collision;
  const ap_status status = weigh_either(b, body, &s, &collision);
  if (status) return status;
  if (s.good && s.hulls) ap__weigh_say(s.remark, "its convex hull is weighed");
  *w = (ap_weighed){.link = keep_text(b, def->name),
                    .body = body,
                    .line = b->robot->lines[body].body,
                    .reason = reason,
                    .done = s.good,
                    .problem = keep_text(b, s.problem),
                    .remark = keep_text(b, s.remark),
                    .collision = collision,
                    .nshape = s.n,
                    .volume = s.solid.mass,
                    .overlap = s.overlap,
                    .before = mass_of(def)};
  w->after.mass = s.solid.mass; // of density 1, so far
  memcpy(w->after.com, s.solid.com, sizeof w->after.com);
  memcpy(w->after.inertia, s.solid.inertia, sizeof w->after.inertia);
  return b->error->status;
}

// ---- masses ------------------------------------------------------------------------------------

static void refuse_mass(balance *b, ap_weighed *w) {
  w->done = false;
  w->problem =
      keep_text(b, w->before.mass < 0 ? "its mass is negative (give a density or a mass)"
                                      : "it has no mass to keep (give a density or a mass)");
}

// From density 1 to the mass that is wanted.
static void set_mass(balance *b, ap_weighed *w, double volume) {
  const ap_weigh_options *o = b->options;
  double density = o->density;
  if (density == 0 && o->mass > 0) density = o->mass / volume;
  if (density == 0 && w->before.mass > 0) density = w->before.mass / w->volume;
  if (density == 0) density = o->missing_density;
  if (density == 0) {
    refuse_mass(b, w);
    return;
  }
  w->after.mass = w->volume * density;
  // Exactly the file's.
  if (o->density == 0 && o->mass == 0 && w->before.mass > 0) w->after.mass = w->before.mass;
  for (int i = 0; i < 6; i++) w->after.inertia[i] *= density;
  find_moments(&w->after);
}

static void apply(const balance *b, const ap_weighed *w) {
  ap_body_def *def = &b->robot->bodies[w->body - 1];
  def->mass = w->after.mass;
  memcpy(def->com, w->after.com, sizeof def->com);
  memcpy(def->inertia, w->after.inertia, sizeof def->inertia);
  memset(def->inertia_rpy, 0, sizeof def->inertia_rpy);
}

static void set_masses(balance *b) {
  double volume = 0;
  for (int i = 0; i < b->out->n; i++)
    if (b->out->link[i].done) volume += b->out->link[i].volume;
  for (int i = 0; i < b->out->n; i++) {
    ap_weighed *w = &b->out->link[i];
    if (w->done) set_mass(b, w, volume);
    if (w->done)
      apply(b, w);
    else
      w->after = w->before;
  }
}

// ---- a robot -----------------------------------------------------------------------------------

static ap_status check_options(const ap_weigh_options *o, ap_error *error) {
  const double x[3] = {o->density, o->mass, o->missing_density};
  for (int i = 0; i < 3; i++)
    if (!(x[i] >= 0) || !isfinite(x[i]))
      return AP__REFUSE(error, AP_E_ARG, 0, "a density or mass of %g (above zero)", x[i]);
  return AP_OK;
}

static ap_status find_suspects(balance *b) {
  const ap_weigh_options *o = b->options;
  const ap_lint_options quick = {.quick = true};
  if (o->all || o->nlink > 0 || !b->path) return AP_OK;
  return ap_lint_file(b->path, &quick, &b->found, b->error);
}

static ap_status weigh_all(balance *b) {
  ap_status status = check_links(b);
  if (!status) status = find_suspects(b);
  for (int body = 1; body <= b->robot->nbody && !status; body++) {
    const char *reason = reason_of(b, body);
    if (reason) status = weigh_link(b, body, reason);
  }
  if (!status) set_masses(b);
  return status ? status : b->error->status;
}

static ap_status weigh(balance *b, ap_weighing **weighing, ap_error *error) {
  ap_error own = {0};
  ap_status status = check_options(b->options, error);
  *weighing = NULL;
  if (status) return status;
  b->error = &own;
  b->out = calloc(1, sizeof *b->out);
  status = b->out ? weigh_all(b) : ap__no_memory(&own);
  if (b->found) ap_lint_free(b->found);
  if (status) {
    ap_weighing_free(b->out);
    if (error) *error = own;
  } else {
    *weighing = b->out;
  }
  b->error = NULL;
  return status;
}

ap_status ap_weigh(ap_robot *robot, const char *path, const ap_weigh_options *options,
                   ap_weighing **weighing, ap_error *error) {
  balance b = {.robot = robot, .path = path, .options = options};
  return weigh(&b, weighing, error);
}

ap_status ap_weigh_file(const char *path, const ap_weigh_options *options, ap_weighing **weighing,
                        ap_error *error) {
  char *text;
  size_t length;
  bool *lost = NULL;
  balance b = {.path = path, .options = options};
  *weighing = NULL;
  ap_status status = ap__read_file(path, &text, &length, error);
  if (!status) status = ap__weigh_read(text, length, path, &b.robot, &lost, error);
  b.lost = lost;
  if (!status) status = weigh(&b, weighing, error);
  ap_robot_free(b.robot);
  free(lost);
  free(text);
  return status;
}

int ap_weighing_links(const ap_weighing *weighing) { return weighing->n; }

const ap_weighed *ap_weighing_link(const ap_weighing *weighing, int i) {
  return i >= 0 && i < weighing->n ? &weighing->link[i] : NULL;
}

void ap_weighing_free(ap_weighing *weighing) {
  if (!weighing) return;
  ap__pool_free(&weighing->pool);
  free(weighing->link);
  free(weighing);
}
