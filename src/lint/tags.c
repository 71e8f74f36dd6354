// SPDX-License-Identifier: Apache-2.0
#include "lint/tags.h"

#include <stdlib.h>
#include <string.h>

#include "file/names.h"
#include "file/urdf.h"

// What is passed by, and what that means. Elements with a ':' are some program's own.
static const char *const meaning[][2] = {
    {"gazebo",
     "settings of Gazebo: contact, colour, sensors; what changes the rigid-body dynamics "
     "is reported as ignored-dynamics"},
    {"mujoco",
     "settings of MuJoCo; what changes the rigid-body dynamics is reported as "
     "ignored-dynamics"},
    {"transmission",
     "gear and rotor inertia are used if it has a rotor inertia; the rest is for controllers"},
    {"safety_controller", "soft limits of a controller, no part of the dynamics"},
    {"calibration", "where a sensor switches, no part of the dynamics"},
    {"sensor", "a sensor, without mass"},
    {"contact", "contact parameters of Bullet, used for its collisions only"},
    {"contact_coefficients", "contact parameters, used for collisions only"},
    {"self_collision_checking", "a setting of collision checking"},
    {"verbose", "a setting of collision checking"},
    {"collision_checking", "which shapes Pinocchio replaces for collision checking"},
    {"self_filter", "which points of a sensor belong to the robot itself"},
    {"loop_joint", "closes a chain: URDF describes trees only"}};
enum { MEANINGS = sizeof meaning / sizeof meaning[0] };

// Several of the same kind become one finding.
typedef struct group {
  const char *rule, *in, *name, *parent; // parent: of an attribute
  const urdf_rule *above;
  int line, count;
} group;
enum { GROUPS = 256 };

typedef struct walk {
  lint *l;
  group group[GROUPS];
  int groups;
} walk;

static void count(walk *w, const char *rule, const char *in, const char *name, const char *parent,
                  const urdf_rule *above, int line) {
  for (int i = 0; i < w->groups; i++) {
    group *g = &w->group[i];
    if (strcmp(g->rule, rule) != 0 || strcmp(g->name, name) != 0 || strcmp(g->in, in) != 0 ||
        strcmp(g->parent, parent) != 0)
      continue;
    g->count++;
    return;
  }
  if (w->groups < GROUPS) w->group[w->groups++] = (group){rule, in, name, parent, above, line, 1};
}

static const char *meaning_of(const char *name) {
  for (int i = 0; i < MEANINGS; i++)
    if (strcmp(meaning[i][0], name) == 0) return meaning[i][1];
  return NULL;
}

static void look_at_attributes(walk *w, const ap__node *e, const char *known) {
  for (const ap__node *a = e->attribute; known && a; a = a->next)
    if (!ap__has_word(known, a->name) && !strchr(a->name, ':') && strcmp(a->name, "xmlns") != 0)
      count(w, "unknown-attribute", known, a->name, e->name, NULL, e->line);
}

// above: the rule of its parent, NULL for the root.
static void look_at(walk *w, const ap__node *e, const urdf_rule *above) {
  urdf_place in = above ? above->to : IN_FILE;
  const char *parent = above ? above->element : "";
  const char *place = in == IN_LEAF ? "" : parent;
  const urdf_rule *r = ap__urdf_rule(in, e->name);
  if (r ? meaning_of(e->name) != NULL : strchr(e->name, ':') != NULL)
    count(w, "ignored", place, e->name, "", above, e->line);
  else if (!r && above)
    count(w, "unknown-element", parent, e->name, "", above, e->line);
  if (!r) return;
  look_at_attributes(w, e, r->attributes);
  for (const ap__node *c = e->first; c && r->to <= IN_LEAF; c = c->next) look_at(w, c, r);
}

// ---- findings ----------------------------------------------------------------------------------

static void add_count(lint_note *note, const group *g) {
  if (g->count > 1) ap__lint_what(note, "%d in all", g->count);
}

static void say_ignored(walk *w, const group *g) {
  lint_note note = ap__lint_begin("ignored", g->line, g->name);
  const char *why = meaning_of(g->name);
  ap__lint_what(&note, "<%.*s> is ignored", ap__shown(g->name), g->name);
  add_count(&note, g);
  ap__lint_why(&note, "%s", why ? why : "a private element of some program, not part of URDF");
  ap__lint_end(w->l, &note);
}

// The element that leads to a place.
static const char *place_name(urdf_place place) {
  for (const urdf_rule *r = ap__urdf_rules; r->element; r++)
    if (r->to == place) return r->element;
  return "";
}

static void say_element(walk *w, const group *g) {
  lint_note note = ap__lint_begin("unknown-element", g->line, g->name);
  const urdf_rule *near = NULL, *elsewhere = NULL;
  int least = 1000;
  for (const urdf_rule *r = ap__urdf_rules; r->element && r->in <= IN_LEAF; r++) {
    if (strcmp(r->element, g->name) == 0) elsewhere = r;
    bool here = r->in == g->above->to;
    if (here && ap__name_nearer(g->name, r->element, &least) && least <= 2) near = r;
  }
  ap__lint_what(&note, "<%.*s> does not exist in <%s>", ap__shown(g->name), g->name, g->in);
  add_count(&note, g);
  if (elsewhere) near = NULL;
  if (near) {
    ap__lint_why(&note, "every program drops it silently, with its content");
    ap__lint_fix(&note, "<%s>", near->element);
  } else if (elsewhere) {
    ap__lint_why(&note, "every program drops it silently, with its content");
    ap__lint_fix(&note, "move it into <%s>", place_name(elsewhere->in));
  } else {
    note.severity = AP_NOTE;
    ap__lint_why(&note, "most programs drop it silently");
  }
  ap__lint_end(w->l, &note);
}

// The known attribute that was meant; "" where none is near.
static void find_meant(const group *g, char near[32]) {
  int least = 1000;
  near[0] = 0;
  for (const char *at = g->in; *at; at += strspn(at, " ")) {
    char word[32];
    size_t n = strcspn(at, " ");
    memcpy(word, at, n);
    word[n] = 0;
    if (ap__name_nearer(g->name, word, &least)) memcpy(near, word, n + 1);
    at += n;
  }
}

// Attributes of the same element that nobody can have meant otherwise, in one finding.
static void say_strange(walk *w, int first) {
  const group *g = &w->group[first];
  char near[32];
  int total = 0;
  lint_note note = ap__lint_begin("unknown-attribute", g->line, g->parent);
  note.severity = AP_NOTE;
  for (int i = 0; i < w->groups; i++) {
    const group *other = &w->group[i];
    if (strcmp(other->rule, g->rule) != 0 || strcmp(other->parent, g->parent) != 0) continue;
    find_meant(other, near);
    if (*near) continue;
    if (i < first) return; // said already
    total += other->count;
    ap__lint_what(&note, "<%s> has no attribute %.*s", g->parent, ap__shown(other->name),
                  other->name);
  }
  if (total > 1) ap__lint_what(&note, "%d in all", total);
  ap__lint_why(&note, "most programs drop it silently, with its content");
  if (*g->in)
    ap__lint_fix(&note, "known are: %s", g->in);
  else
    ap__lint_fix(&note, "<%s> has no attributes", g->parent);
  ap__lint_end(w->l, &note);
}

static void say_attribute(walk *w, int i) {
  const group *g = &w->group[i];
  char near[32];
  find_meant(g, near);
  if (!*near) {
    say_strange(w, i);
    return;
  }
  lint_note note = ap__lint_begin("unknown-attribute", g->line, g->parent);
  ap__lint_what(&note, "<%s> has no attribute %.*s", g->parent, ap__shown(g->name), g->name);
  add_count(&note, g);
  ap__lint_why(&note, "every program drops it silently and uses the default");
  ap__lint_fix(&note, "%s=\"...\"", near);
  ap__lint_end(w->l, &note);
}

void ap__lint_tags(lint *l) {
  if (!l->tree.root) return;
  walk *w = calloc(1, sizeof *w);
  if (!ap__lint_got(l, w)) return;
  w->l = l;
  look_at(w, l->tree.root, NULL);
  for (int i = 0; i < w->groups; i++) {
    const group *g = &w->group[i];
    if (strcmp(g->rule, "ignored") == 0) say_ignored(w, g);
    if (strcmp(g->rule, "unknown-element") == 0) say_element(w, g);
    if (strcmp(g->rule, "unknown-attribute") == 0) say_attribute(w, i);
  }
  free(w);
}
