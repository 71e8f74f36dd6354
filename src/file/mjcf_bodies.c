// SPDX-License-Identifier: Apache-2.0
// MJCF: the walk over bodies, through frames, copies and attached models.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/mjcf.h"

enum { DEEPEST = 400 }; // of bodies, frames and copies in each other

// Where the elements of a body, or of a frame in it, stand.
typedef struct surroundings {
  const mjcf_scope *scope;
  int body;        // the record of the body that they belong to
  int class;       // for what has none of its own
  mjcf_pose frame; // of that body
} surroundings;

// A body's elements are walked twice: first its own, then the bodies on it.
typedef enum turn { OWN_ELEMENTS, CHILD_BODIES } turn;

static void walk(mjcf *m, const ap__node *e, const surroundings *s, turn pass);

static bool is(const ap__node *e, const char *name) { return strcmp(e->name, name) == 0; }

// ---- copies ------------------------------------------------------------------------------------

// The scope of a copy. It lives as long as the reading; what refers to names looks through those of
// the second walk. NULL: no memory.
static const mjcf_scope *add_scope(mjcf *m, const mjcf_model *model, const char *prefix,
                                   const char *suffix, turn pass) {
  mjcf_scope *scope = ap__pool_bytes(&m->pool, sizeof *scope, _Alignof(mjcf_scope));
  mjcf_scope *slot = NULL;
  if (scope && pass == CHILD_BODIES)
    slot = ap__mjcf_append(m, &m->scopes, &m->nscope, &m->scope_capacity, sizeof *slot);
  if (!scope || (pass == CHILD_BODIES && !slot)) {
    ap__mjcf_no_memory(m);
    return NULL;
  }
  *scope = (mjcf_scope){model, prefix, suffix};
  if (slot) *slot = *scope;
  return scope;
}

static const char *joined(mjcf *m, const char *a, const char *b) {
  size_t n = strlen(a), k = strlen(b);
  char *both = ap__pool_bytes(&m->pool, n + k + 1, 1);
  if (!both) {
    ap__mjcf_no_memory(m);
    return "";
  }
  snprintf(both, n + k + 1, "%s%s", a, b);
  return both;
}

// The suffix of copy i of n: the separator, then its number with as many digits as n has.
static const char *suffix_of(mjcf *m, const ap__node *e, int i, int n, const char *behind) {
  const char *separator = ap__attribute(e, "sep");
  char number[16], digits[16];
  int width = snprintf(digits, sizeof digits, "%d", n);
  snprintf(number, sizeof number, "%0*d", width, i);
  return joined(m, joined(m, separator ? separator : "", number), behind);
}

static void replicate(mjcf *m, const ap__node *e, const surroundings *s, turn pass) {
  const mjcf_item item = {.e = e, .scope = s->scope, .kind = MJCF_KINDS};
  double count = 0, offset[3] = {0}, euler[3] = {0};
  if (!ap__mjcf_numbers(m, &item, "count", 1, 1, &count) && !m->status)
    ap__mjcf_fail(m, e, "<replicate> without count");
  ap__mjcf_numbers(m, &item, "offset", 3, 3, offset);
  ap__mjcf_numbers(m, &item, "euler", 3, 3, euler);
  if (!m->status && !(count >= 0 && count <= AP__MAX_PARTS && count == (int)count))
    ap__mjcf_fail(m, e, "<replicate count=\"%g\"> (expected a whole number from 0 to %d)", count,
                  AP__MAX_PARTS);
  surroundings inner = *s;
  inner.class = ap__mjcf_class(m, s->scope->model, e, "childclass", s->class);
  mjcf_pose place = mjcf_here(), step = mjcf_here();
  memcpy(step.p, offset, sizeof offset);
  for (int i = 0; i < count && ap__mjcf_visit(m, e); i++) {
    const double turned[3] = {i * euler[0], i * euler[1], i * euler[2]};
    ap__mjcf_euler(m, &item, turned, place.q);
    inner.frame = mjcf_compose(s->frame, place);
    const char *suffix = suffix_of(m, e, i, (int)count, s->scope->suffix);
    inner.scope = add_scope(m, s->scope->model, s->scope->prefix, suffix, pass);
    if (!m->status) walk(m, e, &inner, pass);
    memcpy(place.p, mjcf_compose(place, step).p, sizeof place.p);
  }
}

// The first element of this kind and name in a model's bodies; NULL: none.
static const ap__node *find(const ap__node *e, const char *kind, const char *name, int depth) {
  for (const ap__node *c = ap__mjcf_first(e); c && depth < DEEPEST; c = ap__mjcf_next(c)) {
    const char *own = is(c, kind) ? ap__attribute(c, "name") : NULL;
    if (own && strcmp(own, name) == 0) return c;
    bool inside = is(c, "worldbody") || is(c, "body") || is(c, "frame") || is(c, "replicate");
    const ap__node *found = inside ? find(c, kind, name, depth + 1) : NULL;
    if (found) return found;
  }
  return NULL;
}

static void add_body(mjcf *m, const ap__node *e, const surroundings *s);
static void enter_frame(mjcf *m, const ap__node *e, const surroundings *s, turn pass);

// A body or frame of another model, or of this one; without either all that is on its ground.
static void attach(mjcf *m, const ap__node *e, const surroundings *s, turn pass) {
  const char *model = ap__attribute(e, "model"), *body = ap__attribute(e, "body");
  const char *frame = ap__attribute(e, "frame"), *prefix = ap__attribute(e, "prefix");
  const mjcf_model *from = model ? ap__mjcf_find_model(m, s->scope->model, model) : s->scope->model;
  if (m->status) return;
  if (!from) {
    ap__mjcf_fail(m, e, "<attach model=\"%.*s\"> is not among the assets", ap__shown(model), model);
    return;
  }
  if (!model && !body && !frame) {
    ap__mjcf_fail(m, e, "<attach> without model, body and frame");
    return;
  }
  surroundings inner = *s;
  inner.class = model ? 0 : s->class;
  inner.scope =
      add_scope(m, from, joined(m, s->scope->prefix, prefix ? prefix : ""), s->scope->suffix, pass);
  const char *name = body ? body : frame;
  const ap__node *what = name ? find(from->root, body ? "body" : "frame", name, 0) : NULL;
  if (name && !what && !m->status)
    ap__mjcf_fail(m, e, "<attach %s=\"%.*s\"> is not in the model", body ? "body" : "frame",
                  ap__shown(name), name);
  if (m->status) return;
  if (body && pass == CHILD_BODIES) add_body(m, what, &inner);
  if (frame && !body) enter_frame(m, what, &inner, pass);
  for (const ap__node *w = name ? NULL : ap__mjcf_named(ap__mjcf_first(from->root), "worldbody");
       w && !m->status; w = ap__mjcf_named(ap__mjcf_next(w), "worldbody"))
    walk(m, w, &inner, pass);
}

// ---- elements ----------------------------------------------------------------------------------

static void enter_frame(mjcf *m, const ap__node *e, const surroundings *s, turn pass) {
  const mjcf_item item = {.e = e, .scope = s->scope, .kind = MJCF_KINDS};
  mjcf_pose place;
  surroundings inner = *s;
  ap__mjcf_place(m, &item, &place);
  inner.frame = mjcf_compose(s->frame, place);
  inner.class = ap__mjcf_class(m, s->scope->model, e, "childclass", s->class);
  walk(m, e, &inner, pass);
}

static void take_own(mjcf *m, const ap__node *e, const surroundings *s) {
  mjcf_kind kind = is(e, "geom")    ? MJCF_GEOM
                   : is(e, "site")  ? MJCF_SITE
                   : is(e, "joint") ? MJCF_JOINT
                                    : MJCF_KINDS; // inertial, freejoint
  if (kind == MJCF_KINDS && !is(e, "inertial") && !is(e, "freejoint")) return;
  if (s->body == 0 && (kind == MJCF_JOINT || kind == MJCF_KINDS)) {
    ap__mjcf_fail(m, e, "<%s> of the world (only a body has one)", e->name);
    return;
  }
  mjcf_item *item = ap__mjcf_append(m, &m->own, &m->nown, &m->own_capacity, sizeof *item);
  if (item) *item = ap__mjcf_item(m, e, s->scope, kind, s->class, s->frame);
}

static void refuse_soft(mjcf *m, const ap__node *e) {
  ap__mjcf_fail(m, e, "<%s> is not supported (bodies that deform have no rigid-body dynamics)",
                e->name);
}

// e: a body, the world, a frame, a copy.
static void walk(mjcf *m, const ap__node *e, const surroundings *s, turn pass) {
  if (++m->depth > DEEPEST)
    ap__mjcf_fail(m, e, "bodies, frames and copies are nested more than %d deep", DEEPEST);
  for (const ap__node *c = ap__mjcf_first(e); c && ap__mjcf_visit(m, c); c = ap__mjcf_next(c)) {
    if (is(c, "frame"))
      enter_frame(m, c, s, pass);
    else if (is(c, "replicate"))
      replicate(m, c, s, pass);
    else if (is(c, "attach"))
      attach(m, c, s, pass);
    else if (is(c, "composite") || is(c, "flexcomp"))
      refuse_soft(m, c);
    else if (pass == OWN_ELEMENTS)
      take_own(m, c, s);
    else if (is(c, "body"))
      add_body(m, c, s);
  }
  m->depth--;
}

// ---- bodies ------------------------------------------------------------------------------------

static void add_sites(mjcf *m, int body) {
  for (int i = 0; i < m->nown && !m->status; i++) {
    const mjcf_item *item = &m->own[i];
    if (item->kind != MJCF_SITE) continue;
    mjcf_site *site = ap__mjcf_append(m, &m->sites, &m->nsite, &m->site_capacity, sizeof *site);
    if (!site) return;
    mjcf_pose place;
    double ends[6];
    ap__mjcf_place(m, item, &place);
    if (ap__mjcf_numbers(m, item, "fromto", 6, 6, ends)) {
      double along[3];
      for (int k = 0; k < 3; k++) {
        place.p[k] = (ends[k] + ends[k + 3]) / 2;
        along[k] = ends[k] - ends[k + 3];
      }
      ap__mjcf_quat_of_z(along, place.q);
    }
    *site = (mjcf_site){.name = ap__mjcf_name(m, item->scope, ap__attribute(item->e, "name")),
                        .e = item->e,
                        .body = body,
                        .place = mjcf_compose(item->frame, place)};
  }
}

static bool has_bodies(const ap__node *e) {
  for (const ap__node *c = ap__mjcf_first(e); c; c = ap__mjcf_next(c))
    if (is(c, "body") || is(c, "attach") ||
        ((is(c, "frame") || is(c, "replicate")) && has_bodies(c)))
      return true;
  return false;
}

static void add_body(mjcf *m, const ap__node *e, const surroundings *s) {
  const mjcf_item item = {.e = e, .scope = s->scope, .kind = MJCF_KINDS};
  mjcf_pose written;
  ap__mjcf_place(m, &item, &written);
  mjcf_body *body = ap__mjcf_append(m, &m->bodies, &m->nbody, &m->body_capacity, sizeof *body);
  if (!body || m->status) return;
  const mjcf_pose place = mjcf_compose(s->frame, written);
  *body = (mjcf_body){.name = ap__mjcf_name(m, s->scope, ap__attribute(e, "name")),
                      .e = e,
                      .leaf = !has_bodies(e),
                      .parent = s->body,
                      .home = mjcf_compose(m->bodies[s->body].home, place)};
  if (ap__mjcf_word(m, &item, "mocap", "false true", 0)) ap__mjcf_odd(m, MJCF_ODD_MOCAP, e, "body");
  surroundings inner = {.scope = s->scope, .body = m->nbody - 1, .frame = mjcf_here()};
  inner.class = ap__mjcf_class(m, s->scope->model, e, "childclass", s->class);
  m->nown = 0;
  walk(m, e, &inner, OWN_ELEMENTS);
  if (!m->status) ap__mjcf_add_parts(m, inner.body, s->scope, &place, &written);
  if (!m->status) add_sites(m, inner.body);
  if (!m->status) walk(m, e, &inner, CHILD_BODIES);
}

void ap__mjcf_read_bodies(mjcf *m) {
  mjcf_model *model = ap__mjcf_add_model(m, m->tree->root);
  const mjcf_scope *scope = model ? add_scope(m, model, "", "", CHILD_BODIES) : NULL;
  mjcf_body *world = ap__mjcf_append(m, &m->bodies, &m->nbody, &m->body_capacity, sizeof *world);
  if (!scope || !world) return;
  *world = (mjcf_body){.name = "world", .e = m->tree->root, .part = -1, .parent = -1};
  world->home = mjcf_here();
  const surroundings top = {.scope = scope, .frame = mjcf_here()};
  for (int pass = OWN_ELEMENTS; pass <= CHILD_BODIES; pass++) {
    for (const ap__node *e = ap__mjcf_named(ap__mjcf_first(model->root), "worldbody");
         e && !m->status; e = ap__mjcf_named(ap__mjcf_next(e), "worldbody"))
      walk(m, e, &top, (turn)pass);
    if (pass == OWN_ELEMENTS && !m->status) {
      add_sites(m, 0);
      ap__mjcf_count_ground_geoms(m);
    }
  }
}
