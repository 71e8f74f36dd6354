#include "lint/tags.h"

#include <stdlib.h>
#include <string.h>

#include "file/names.h"

// What may stand where. children: the place inside; "" for none, NULL for anything: nobody looks.
typedef struct tag {
  const char *in, *name;
  const char *attributes; // blanks between; NULL: any
  const char *children;
} tag;

static const tag tags[] = {
    {"", "robot", NULL, "robot"},
    {"robot", "link", "name type", "link"},
    {"robot", "joint", "name type", "joint"},
    {"robot", "material", "name", "material"},
    {"robot", "transmission", NULL, NULL},
    {"robot", "gazebo", NULL, NULL},
    {"robot", "mujoco", NULL, NULL},
    {"robot", "sensor", NULL, NULL},
    {"robot", "loop_joint", NULL, NULL},
    {"link", "inertial", "", "inertial"},
    {"link", "visual", "name", "visual"},
    {"link", "collision", "name group", "collision"},
    {"link", "contact", NULL, NULL},
    {"link", "self_collision_checking", NULL, NULL},
    {"link", "collision_checking", NULL, NULL},
    {"link", "self_filter", NULL, NULL},
    {"inertial", "origin", "xyz rpy quat_xyzw", ""},
    {"inertial", "mass", "value", ""},
    {"inertial", "inertia", "ixx ixy ixz iyy iyz izz", ""},
    {"visual", "origin", "xyz rpy quat_xyzw", ""},
    {"visual", "geometry", "name", "geometry"},
    {"visual", "material", "name", "material"},
    {"collision", "origin", "xyz rpy quat_xyzw", ""},
    {"collision", "geometry", "name", "geometry"},
    {"collision", "material", "name", "material"},
    {"collision", "verbose", NULL, NULL},
    {"collision", "contact_coefficients", NULL, NULL},
    {"geometry", "box", "size", ""},
    {"geometry", "cylinder", "radius length", ""},
    {"geometry", "sphere", "radius", ""},
    {"geometry", "capsule", "radius length", ""},
    {"geometry", "mesh", NULL, ""},
    {"material", "color", "rgba", ""},
    {"material", "texture", "filename", ""},
    {"joint", "origin", "xyz rpy quat_xyzw", ""},
    {"joint", "parent", "link", ""},
    {"joint", "child", "link", ""},
    {"joint", "axis", "xyz", ""},
    {"joint", "limit", "lower upper effort velocity acceleration jerk", ""},
    {"joint", "dynamics", "damping friction", ""},
    {"joint", "mimic", "joint multiplier offset", ""},
    {"joint", "calibration", NULL, ""},
    {"joint", "safety_controller", NULL, ""},
};
enum { TAGS = sizeof tags / sizeof tags[0] };

// What is passed by, and what that means. Elements with a ':' are some program's own.
static const char *const meaning[][2] = {
    {"gazebo",
     "settings of Gazebo: contact, colour, sensors; what changes the rigid-body dynamics "
     "is reported as ignored-dynamics"},
    {"mujoco",
     "settings of MuJoCo; what changes the rigid-body dynamics is reported as "
     "ignored-dynamics"},
    {"transmission",
     "gear and rotor inertia are used where it gives a rotor inertia; the rest is "
     "for controllers"},
    {"safety_controller", "soft limits of a controller, no part of the dynamics"},
    {"calibration", "where a sensor switches, no part of the dynamics"},
    {"sensor", "a sensor, without mass"},
    {"contact", "contact parameters of Bullet, used by its collisions alone"},
    {"contact_coefficients", "contact parameters, used by collisions alone"},
    {"self_collision_checking", "a setting of collision checking"},
    {"verbose", "a setting of collision checking"},
    {"collision_checking", "which shapes Pinocchio replaces when it looks for collisions"},
    {"self_filter", "which points of a sensor the robot itself causes"},
    {"loop_joint", "closes a chain: URDF has trees alone"}};
enum { MEANINGS = sizeof meaning / sizeof meaning[0] };

// Several of the same kind become one finding.
typedef struct group {
  const char *rule, *in, *name, *parent; // parent: of an attribute
  int line, count;
} group;
enum { GROUPS = 256 };

struct place {
  const tag *tag; // NULL: unknown, or nobody looks
};

typedef struct walk {
  lint *l;
  const xml_tree *tree;
  struct place *place; // of each element
  group group[GROUPS];
  int groups;
} walk;

static void count(walk *w, const char *rule, const char *in, const char *name, const char *parent,
                  int line) {
  for (int i = 0; i < w->groups; i++) {
    group *g = &w->group[i];
    if (strcmp(g->rule, rule) != 0 || strcmp(g->name, name) != 0 || strcmp(g->in, in) != 0 ||
        strcmp(g->parent, parent) != 0)
      continue;
    g->count++;
    return;
  }
  if (w->groups < GROUPS) w->group[w->groups++] = (group){rule, in, name, parent, line, 1};
}

static const tag *find(const char *in, const char *name) {
  for (int i = 0; i < TAGS; i++)
    if (strcmp(tags[i].in, in) == 0 && strcmp(tags[i].name, name) == 0) return &tags[i];
  return NULL;
}

static const char *meaning_of(const char *name) {
  for (int i = 0; i < MEANINGS; i++)
    if (strcmp(meaning[i][0], name) == 0) return meaning[i][1];
  return NULL;
}

static void look_at_attributes(walk *w, const xml_element *e, const tag *t) {
  for (int i = 0; t->attributes && i < e->nattribute; i++) {
    const char *name = w->tree->attribute[e->attribute + i].name;
    if (ap__has_word(t->attributes, name) || strchr(name, ':') || strcmp(name, "xmlns") == 0)
      continue;
    count(w, "unknown-attribute", t->attributes, name, e->name, e->line);
  }
}

static void look_at(walk *w, int i) {
  const xml_element *e = &w->tree->element[i];
  const tag *above = e->parent < 0 ? NULL : w->place[e->parent].tag;
  if (e->parent >= 0 && (!above || !above->children)) return;
  const char *in = above ? above->children : "";
  const tag *t = find(in, e->name);
  w->place[i].tag = t;
  if (t) {
    if (meaning_of(e->name)) count(w, "ignored", in, e->name, "", e->line);
    look_at_attributes(w, e, t);
  } else if (strchr(e->name, ':')) {
    count(w, "ignored", in, e->name, "", e->line);
  } else if (e->parent >= 0) {
    count(w, "unknown-element", above->name, e->name, "", e->line);
  }
}

// ---- findings ----------------------------------------------------------------------------------

static void add_count(lint_note *note, const group *g) {
  if (g->count > 1) ap__lint_what(note, "%d in all", g->count);
}

static void say_ignored(walk *w, const group *g) {
  lint_note note = ap__lint_begin("ignored", g->line, g->name);
  const char *why = meaning_of(g->name);
  ap__lint_what(&note, "<%.*s> is passed by", ap__shown(g->name), g->name);
  add_count(&note, g);
  ap__lint_why(&note, "%s", why ? why : "an element of some program's own, unknown to URDF");
  ap__lint_end(w->l, &note);
}

static void say_element(walk *w, const group *g) {
  lint_note note = ap__lint_begin("unknown-element", g->line, g->name);
  const tag *near = NULL, *elsewhere = NULL;
  int least = 1000;
  const tag *parent = NULL;
  for (int i = 0; i < TAGS; i++)
    if (strcmp(tags[i].name, g->in) == 0) parent = &tags[i];
  for (int i = 0; i < TAGS; i++) {
    if (strcmp(tags[i].name, g->name) == 0) elsewhere = &tags[i];
    bool here = parent && parent->children && strcmp(tags[i].in, parent->children) == 0;
    if (here && ap__name_nearer(g->name, tags[i].name, &least) && least <= 2) near = &tags[i];
  }
  ap__lint_what(&note, "<%.*s> does not exist in <%s>", ap__shown(g->name), g->name, g->in);
  add_count(&note, g);
  if (elsewhere) near = NULL;
  if (near) {
    ap__lint_why(&note, "every program drops it in silence, with what it says");
    ap__lint_fix(&note, "<%s>", near->name);
  } else if (elsewhere) {
    ap__lint_why(&note, "every program drops it in silence, with what it says");
    ap__lint_fix(&note, "move it into <%s>", elsewhere->in);
  } else {
    note.severity = AP_NOTE;
    ap__lint_why(&note, "most programs drop it in silence");
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
  ap__lint_why(&note, "most programs drop it in silence, with what it says");
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
  ap__lint_why(&note, "every program drops it in silence: the default is taken instead");
  ap__lint_fix(&note, "%s=\"...\"", near);
  ap__lint_end(w->l, &note);
}

void ap__lint_tags(lint *l, const xml_tree *tree) {
  walk *w = calloc(1, sizeof *w);
  struct place *place = calloc((size_t)tree->n + 1, sizeof *place);
  if (!w || !place) {
    l->no_memory = true;
  } else {
    *w = (walk){.l = l, .tree = tree, .place = place};
    for (int i = 0; i < tree->n; i++) look_at(w, i);
    for (int i = 0; i < w->groups; i++) {
      const group *g = &w->group[i];
      if (strcmp(g->rule, "ignored") == 0) say_ignored(w, g);
      if (strcmp(g->rule, "unknown-element") == 0) say_element(w, g);
      if (strcmp(g->rule, "unknown-attribute") == 0) say_attribute(w, i);
    }
  }
  free(place);
  free(w);
}
