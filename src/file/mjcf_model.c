// SPDX-License-Identifier: Apache-2.0
// MJCF: what a model says for all of its elements: the compiler, classes of defaults, assets.

#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/mjcf.h"
#include "file/mjcf_mesh.h"

// ---- children ----------------------------------------------------------------------------------

static bool is(const ap__node *e, const char *name) { return strcmp(e->name, name) == 0; }

// The next node behind n, out of the included file where it ends.
static const ap__node *behind(const ap__node *n) {
  while (!n->next && n->parent && is(n->parent, "include")) n = n->parent;
  return n->next;
}

// From an <include> to what it includes.
static const ap__node *look_inside(const ap__node *n) {
  while (n && is(n, "include")) n = n->first ? n->first : behind(n);
  return n;
}

const ap__node *ap__mjcf_first(const ap__node *e) { return look_inside(e->first); }

const ap__node *ap__mjcf_next(const ap__node *n) { return look_inside(behind(n)); }

const ap__node *ap__mjcf_named(const ap__node *n, const char *name) {
  while (n && !is(n, name)) n = ap__mjcf_next(n);
  return n;
}

// ---- compiler ----------------------------------------------------------------------------------

// Every <compiler> of a model, later ones over earlier ones. An item without classes.
static void read_compiler(mjcf *m, const mjcf_item *item, mjcf_compiler *c) {
  static const char *const truth = "false true";
  const char *text;
  c->degree = ap__mjcf_word(m, item, "angle", "radian degree", c->degree);
  c->autolimits = ap__mjcf_word(m, item, "autolimits", truth, c->autolimits);
  c->balance = ap__mjcf_word(m, item, "balanceinertia", truth, c->balance);
  c->strippath = ap__mjcf_word(m, item, "strippath", truth, c->strippath);
  c->fitaabb = ap__mjcf_word(m, item, "fitaabb", truth, c->fitaabb);
  c->alignfree = ap__mjcf_word(m, item, "alignfree", truth, c->alignfree);
  c->from_geom = (mjcf_from_geom)ap__mjcf_word(m, item, "inertiafromgeom", "false true auto",
                                               (int)c->from_geom);
  if (ap__mjcf_word(m, item, "coordinate", "local global", 0) == 1)
    ap__mjcf_fail(m, item->e, "global coordinates are not supported (MuJoCo 2.3.3 converts them)");
  ap__mjcf_numbers(m, item, "inertiagrouprange", 2, 2, c->group);
  ap__mjcf_numbers(m, item, "boundmass", 1, 1, &c->boundmass);
  ap__mjcf_numbers(m, item, "boundinertia", 1, 1, &c->boundinertia);
  ap__mjcf_numbers(m, item, "settotalmass", 1, 1, &c->totalmass);
  if ((text = ap__mjcf_text(item, "assetdir"))) c->meshdir = text;
  if ((text = ap__mjcf_text(item, "meshdir"))) c->meshdir = text;
  if (!(text = ap__mjcf_text(item, "eulerseq"))) return;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
    ap__mjcf_fail(m, item->e, "<compiler eulerseq=\"%.*s\"> (three letters of x y z X Y Z)",
                  ap__shown(text), text);
  else
    memcpy(c->eulerseq, text, sizeof c->eulerseq);
}

static void read_compilers(mjcf *m, mjcf_model *model) {
  model->compiler = (mjcf_compiler){.degree = true,
                                    .autolimits = true,
                                    .eulerseq = "xyz",
                                    .meshdir = "",
                                    .from_geom = MJCF_GEOM_AUTO,
                                    .group = {0, 5}};
  const mjcf_scope scope = {model, "", ""};
  const ap__node *e = ap__mjcf_first(model->root);
  while ((e = ap__mjcf_named(e, "compiler"))) {
    const mjcf_item item = {.e = e, .scope = &scope, .kind = MJCF_KINDS};
    read_compiler(m, &item, &model->compiler);
    e = ap__mjcf_next(e);
  }
}

// ---- classes -----------------------------------------------------------------------------------

static int count_elements(const ap__node *e, const char *name) {
  int n = 0;
  for (const ap__node *c = ap__mjcf_first(e); c; c = ap__mjcf_next(c))
    n += is(c, name) ? 1 + count_elements(c, name) : 0;
  return n;
}

static int add_class(mjcf *m, mjcf_model *model, const ap__node *e, int outer) {
  const char *name = ap__attribute(e, "class");
  if (!name || !*name) {
    if (outer >= 0) ap__mjcf_fail(m, e, "<default> inside another one without a class");
    name = "main";
  }
  if (outer < 0 && strcmp(name, "main") != 0)
    ap__mjcf_fail(m, e, "the outermost class is \"%.*s\" (expected \"main\", or none)",
                  ap__shown(name), name);
  if (m->status) return -1;
  int k = model->nclass, first = ap__names_put(&model->class_names, name, k);
  if (first >= 0 && outer >= 0) {
    ap__mjcf_fail(m, e, "the class \"%.*s\" is already defined (names of classes are unique)",
                  ap__shown(name), name);
    return -1;
  }
  mjcf_class *class =
      ap__mjcf_append(m, &model->classes, &model->nclass, &model->class_capacity, sizeof *class);
  if (!class) return -1;
  *class = (mjcf_class){.name = name, .outer = outer, .e = e, .more = -1};
  if (first < 0) return k;
  while (model->classes[first].more >= 0) first = model->classes[first].more;
  model->classes[first].more = k; // another <default> of "main"
  return 0;
}

static void read_class(mjcf *m, mjcf_model *model, const ap__node *e, int outer) {
  int own = add_class(m, model, e, outer);
  for (const ap__node *c = ap__mjcf_first(e); c && !m->status; c = ap__mjcf_next(c))
    if (is(c, "default")) read_class(m, model, c, own);
}

static void read_classes(mjcf *m, mjcf_model *model) {
  if (!ap__names_init(&model->class_names, 1 + count_elements(model->root, "default"))) {
    ap__mjcf_no_memory(m);
    return;
  }
  const ap__node *e = ap__mjcf_named(ap__mjcf_first(model->root), "default");
  if (!e) { // "main" is there in any case
    mjcf_class *class =
        ap__mjcf_append(m, &model->classes, &model->nclass, &model->class_capacity, sizeof *class);
    if (class) *class = (mjcf_class){.name = "main", .outer = -1, .more = -1};
    if (class) ap__names_put(&model->class_names, "main", 0);
  }
  for (; e && !m->status; e = ap__mjcf_named(ap__mjcf_next(e), "default"))
    read_class(m, model, e, -1);
}

int ap__mjcf_class(mjcf *m, const mjcf_model *model, const ap__node *e, const char *attribute,
                   int otherwise) {
  const char *name = ap__attribute(e, attribute);
  if (!name) return otherwise;
  int class = ap__names_find(&model->class_names, name);
  if (class >= 0) return class;
  ap__mjcf_fail(m, e, "<%s %s=\"%.*s\"> is not in the file (expected the class of a <default>)",
                e->name, attribute, ap__shown(name), name);
  return 0;
}

// ---- attributes --------------------------------------------------------------------------------

mjcf_item ap__mjcf_item(mjcf *m, const ap__node *e, const mjcf_scope *scope, mjcf_kind kind,
                        int around, mjcf_pose frame) {
  int class = ap__mjcf_class(m, scope->model, e, "class", around);
  return (mjcf_item){.e = e, .scope = scope, .kind = kind, .class = class, .frame = frame};
}

// Does an element of a <default> set attributes of a kind? All actuators share theirs.
static bool sets(const ap__node *e, mjcf_kind kind) {
  static const char *const words[MJCF_ACTUATOR] = {"joint",    "geom",     "site",  "mesh",
                                                   "material", "equality", "tendon"};
  static const char *const actuators =
      "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion "
      "dcmotor";
  return ap__has_word(kind == MJCF_ACTUATOR ? actuators : words[kind], e->name);
}

static const char *text_of_default(const ap__node *e, mjcf_kind kind, const char *name) {
  const char *found = NULL;
  for (const ap__node *c = e ? ap__mjcf_first(e) : NULL; c; c = ap__mjcf_next(c)) {
    const char *text = sets(c, kind) ? ap__attribute(c, name) : NULL;
    if (text) found = text;
  }
  return found;
}

// The last <default> of a class that sets it counts.
static const char *text_of_class(const mjcf_item *item, int class, const char *name) {
  const mjcf_class *classes = item->scope->model->classes;
  const char *found = NULL;
  for (int k = class; k >= 0; k = classes[k].more) {
    const char *text = text_of_default(classes[k].e, item->kind, name);
    if (text) found = text;
  }
  return found;
}

const char *ap__mjcf_text(const mjcf_item *item, const char *name) {
  const char *text = ap__attribute(item->e, name);
  if (item->kind == MJCF_KINDS) return text;
  for (int k = item->class; k >= 0 && !text; k = item->scope->model->classes[k].outer)
    text = text_of_class(item, k, name);
  return text;
}

// ---- assets ------------------------------------------------------------------------------------

static int count_assets(const ap__node *root, const char *name) {
  int n = 0;
  for (const ap__node *a = ap__mjcf_named(ap__mjcf_first(root), "asset"); a;
       a = ap__mjcf_named(ap__mjcf_next(a), "asset"))
    for (const ap__node *e = ap__mjcf_first(a); e; e = ap__mjcf_next(e)) n += is(e, name);
  return n;
}

// A mesh without a name is called after its file.
static const char *name_of_mesh(mjcf *m, const ap__node *e) {
  const char *name = ap__attribute(e, "name"), *file = ap__attribute(e, "file");
  if (name && *name) return name;
  if (!file) return "";
  const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file,
             *dot = strrchr(start, '.');
  name = ap__pool_text(&m->pool, start, dot ? (size_t)(dot - start) : strlen(start));
  if (!name) ap__mjcf_no_memory(m);
  return name ? name : "";
}

static void add_asset(mjcf *m, mjcf_model *model, const ap__node *e) {
  if (is(e, "mesh")) {
    model->meshes[model->nmesh].e = e;
    ap__names_put(&model->mesh_names, name_of_mesh(m, e), model->nmesh++);
  } else if (is(e, "material")) {
    const char *name = ap__attribute(e, "name");
    model->materials[model->nmaterial].e = e;
    if (name) ap__names_put(&model->material_names, name, model->nmaterial);
    model->nmaterial++;
  }
}

static void read_assets(mjcf *m, mjcf_model *model) {
  int meshes = count_assets(model->root, "mesh"), materials = count_assets(model->root, "material");
  model->meshes = calloc((size_t)meshes + 1, sizeof *model->meshes);
  model->materials = calloc((size_t)materials + 1, sizeof *model->materials);
  if (!model->meshes || !model->materials || !ap__names_init(&model->mesh_names, meshes) ||
      !ap__names_init(&model->material_names, materials)) {
    ap__mjcf_no_memory(m);
    return;
  }
  for (const ap__node *a = ap__mjcf_named(ap__mjcf_first(model->root), "asset"); a && !m->status;
       a = ap__mjcf_named(ap__mjcf_next(a), "asset"))
    for (const ap__node *e = ap__mjcf_first(a); e && !m->status; e = ap__mjcf_next(e))
      add_asset(m, model, e);
}

// ---- models ------------------------------------------------------------------------------------

// The folder of a model's file: that of an <asset><model> is relative to the robot file's.
static const char *folder_of(mjcf *m, const ap__node *root) {
  const char *slash = root->file ? strrchr(root->file, '/') : NULL;
  const char *folder =
      slash ? ap__pool_text(&m->pool, root->file, (size_t)(slash - root->file) + 1) : "";
  if (!folder) ap__mjcf_no_memory(m);
  return folder;
}

mjcf_model *ap__mjcf_add_model(mjcf *m, const ap__node *root) {
  mjcf_model *model = calloc(1, sizeof *model);
  if (!model) {
    ap__mjcf_no_memory(m);
    return NULL;
  }
  model->root = root;
  model->next = m->models;
  m->models = model;
  model->folder = folder_of(m, root);
  if (!m->status) read_compilers(m, model);
  if (!m->status) read_classes(m, model);
  if (!m->status) read_assets(m, model);
  if (!m->status) ap__mjcf_check_tags(m, root);
  return m->status ? NULL : model;
}

void ap__mjcf_free_models(mjcf *m) {
  for (mjcf_model *model = m->models, *next; model; model = next) {
    next = model->next;
    free(model->classes);
    free(model->meshes);
    free(model->materials);
    ap__names_free(&model->class_names);
    ap__names_free(&model->mesh_names);
    ap__names_free(&model->material_names);
    free(model);
  }
}

// The name of a model is that of <asset><model>, or the one that its own file gives.
static bool has_name(const ap__node *e, const char *name) {
  const char *own = ap__attribute(e, "name");
  if (!own && e->first) own = ap__attribute(e->first, "model");
  return own && strcmp(own, name) == 0;
}

mjcf_model *ap__mjcf_find_model(mjcf *m, const mjcf_model *in, const char *name) {
  const ap__node *root = NULL;
  for (const ap__node *a = ap__mjcf_named(ap__mjcf_first(in->root), "asset"); a && !root;
       a = ap__mjcf_named(ap__mjcf_next(a), "asset"))
    for (const ap__node *e = ap__mjcf_named(ap__mjcf_first(a), "model"); e && !root;
         e = ap__mjcf_named(ap__mjcf_next(e), "model"))
      if (has_name(e, name)) root = e->first;
  if (!root) return NULL;
  for (mjcf_model *model = m->models; model; model = model->next)
    if (model->root == root) return model;
  return ap__mjcf_add_model(m, root);
}
