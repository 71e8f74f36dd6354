// SPDX-License-Identifier: Apache-2.0
// MJCF in several files: the texts of <include> and of <asset><model> join the tree of the robot
// file. Each file is read once in a model, and only from below the robot's folder or package, so
// that no small text becomes a large one and no file of a stranger leads elsewhere.

#define _XOPEN_SOURCE 700 // for fstat()
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/alloc.h"
#include "file/text.h"
#include "file/tree.h"

enum {
  MOST_FILES = 1000,
  MOST_MODELS = 20 // one in the other
};

// A file that was read.
typedef struct source {
  dev_t device;
  ino_t number;
  int model; // which model it is a part of
} source;

typedef struct joining {
  ap__tree *tree;
  const char *path; // of the robot file; NULL: from memory
  source *files;
  int nfile, capacity;
  int models; // numbered so far
} joining;

// Where an <include> stands.
typedef struct place {
  const char *folder; // of the model's own file, from the robot file's; "" or with a slash behind
  const char *here;   // of the file that the include is in; likewise
  int model, depth;   // the model's number, how many it is in
  int level;          // of nested elements
} place;

static void walk(joining *j, ap__node *e, const place *at);

static void walk_children(joining *j, ap__node *e, const place *at) {
  for (ap__node *c = e->first; c && !j->tree->error.status; c = c->next) walk(j, c, at);
}

static bool fail(joining *j, const ap__node *e, ap_status status, const char *why) {
  const char *name = ap__attribute(e, "file");
  if (j->tree->error.status) return false;
  ap__fail(&j->tree->error, status, e->line, "<%s file=\"%.*s\">: %s", e->name,
           name ? ap__shown(name) : 0, name ? name : "", why);
  return false;
}

static bool no_memory(joining *j) {
  ap__no_memory(&j->tree->error);
  return false;
}

// Was it read before as a part of this model, or is it being read as one that this model is in?
static bool is_new(joining *j, const ap__node *e, int file, int model) {
  struct stat about;
  if (fstat(file, &about) != 0) return fail(j, e, AP_E_FILE, "cannot be read");
  for (int i = 0; i < j->nfile; i++)
    if (j->files[i].device == about.st_dev && j->files[i].number == about.st_ino &&
        j->files[i].model == model)
      return fail(j, e, AP_E_SYNTAX, "the file is already included (each file once)");
  if (j->nfile == MOST_FILES)
    return fail(j, e, AP_E_SYNTAX, "more than 1000 files are included (join them)");
  source *s = ap__append(&j->files, &j->nfile, &j->capacity, sizeof *s);
  if (!s) return no_memory(j);
  *s = (source){about.st_dev, about.st_ino, model};
  return true;
}

// Mark the nodes of a file with their place: their line is that of the element that names the file.
static void mark(ap__node *n, const char *file, int line) {
  for (; n; n = n->next) {
    if (!n->file) {
      n->file = file;
      n->file_line = n->line;
    }
    n->line = line;
    mark(n->attribute, file, line);
    mark(n->first, file, line);
  }
}

// The nodes and texts of `from` live on in `to`.
static void take_pool(ap__tree *to, ap__tree *from) {
  ap__pool_join(&to->pool, &from->pool);
  to->n += from->n;
  from->root = NULL;
}

// The root element of a file, as a part of the tree; NULL: j->tree->error says why.
static ap__node *read_part(joining *j, const ap__node *e, int file, const char *name) {
  char *text;
  size_t length;
  ap_error error = {0};
  ap__tree part = {0};
  if (ap__read_open_file(file, &text, &length, &error) != AP_OK)
    fail(j, e, error.status, error.text);
  else if (!ap__tree_xml(&part, text, length))
    ap__fail(&j->tree->error, part.error.status, e->line, "%.*s:%d: %s", ap__shown(name), name,
             part.error.line, part.error.text);
  else if (strcmp(part.root->name, "mujoco") != 0 && strcmp(part.root->name, "mujocoinclude") != 0)
    fail(j, e, AP_E_SYNTAX, "the file has no <mujoco> or <mujocoinclude> element at its root");
  else if (part.n > AP__MAX_NODES - j->tree->n)
    fail(j, e, AP_E_SYNTAX, "too many elements in all (split the robot)");
  free(text);
  ap__node *root = j->tree->error.status ? NULL : part.root;
  if (root) {
    mark(root, ap__tree_text(j->tree, name, strlen(name)), e->line);
    take_pool(j->tree, &part);
  }
  ap__tree_free(&part);
  return root;
}

// folder + name, in the tree's pool; NULL: no memory.
static const char *join(joining *j, const char *folder, const char *name) {
  ap__text t = {0};
  if (name[0] != '/') ap__text_add(&t, "%s", folder);
  ap__text_add(&t, "%s", name);
  const char *kept = t.failed ? NULL : ap__pool_text(&j->tree->pool, t.text, t.length);
  ap__text_free(&t);
  if (!kept) no_memory(j);
  return kept;
}

// The folder of a path, with a slash behind; NULL: no memory.
static const char *folder_of(joining *j, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *kept = ap__pool_text(&j->tree->pool, path, slash ? (size_t)(slash - path) + 1 : 0);
  if (!kept) no_memory(j);
  return kept;
}

// Open what an element names: beside the model's own file, or beside the one that it stands in.
// *path is where it is, from the robot file's folder.
static bool open_part(joining *j, const ap__node *e, const place *at, int *file,
                      const char **path) {
  const char *name = ap__attribute(e, "file");
  ap_error error = {0};
  if (!name || !*name) return fail(j, e, AP_E_SYNTAX, "the name of the file is missing");
  if (!j->path)
    return fail(j, e, AP_E_UNSUPPORTED,
                "a text in memory cannot include files (read the robot by the name of its file)");
  const char *const folders[] = {at->folder, at->here};
  for (int k = 0; k < 2; k++) {
    if (!(*path = join(j, folders[k], name))) return false;
    ap_status status = ap__include_open(*path, j->path, file, k == 0 ? &error : NULL);
    if (status == AP_OK) return true;
    if (status == AP_E_MEMORY) return no_memory(j);
  }
  return fail(j, e, error.status, error.text);
}

// The elements of a part in the place of <include>, as its children.
static void include(joining *j, ap__node *e, const place *at) {
  int file;
  const char *path;
  if (e->first) {
    fail(j, e, AP_E_SYNTAX, "nothing may stand inside <include>");
    return;
  }
  if (!open_part(j, e, at, &file, &path)) return;
  ap__node *root = NULL;
  if (is_new(j, e, file, at->model))
    root = read_part(j, e, file, path);
  else
    close(file);
  place inner = *at;
  if (!root || !(inner.here = folder_of(j, path))) return;
  e->first = root->first;
  e->last = root->last;
  for (ap__node *c = e->first; c; c = c->next) c->parent = e;
  walk_children(j, e, &inner);
}

// A model of its own, whose root becomes the child of <model>.
static void add_model(joining *j, ap__node *e, const place *at) {
  int file;
  const char *path;
  place inner = {.model = ++j->models, .depth = at->depth + 1, .level = at->level};
  if (inner.depth > MOST_MODELS) {
    fail(j, e, AP_E_SYNTAX, "models are nested more than 20 deep (does one contain itself?)");
    return;
  }
  if (!open_part(j, e, at, &file, &path)) return;
  ap__node *root = NULL;
  if (is_new(j, e, file, inner.model))
    root = read_part(j, e, file, path);
  else
    close(file);
  if (!root || !(inner.here = inner.folder = folder_of(j, path))) return;
  root->parent = e;
  e->first = e->last = root;
  walk(j, root, &inner);
}

static void walk(joining *j, ap__node *e, const place *at) {
  place inner = *at;
  if (++inner.level > AP__MAX_DEPTH)
    ap__fail(&j->tree->error, AP_E_SYNTAX, e->line, "elements are nested more than %d deep",
             AP__MAX_DEPTH);
  else if (strcmp(e->name, "include") == 0)
    include(j, e, &inner);
  else if (strcmp(e->name, "model") == 0 && e->parent && ap__attribute(e, "file"))
    add_model(j, e, &inner);
  else
    walk_children(j, e, &inner);
}

bool ap__mjcf_include(ap__tree *t, const char *path) {
  joining j = {.tree = t, .path = path};
  const place top = {.folder = "", .here = ""};
  struct stat about;
  if (path && stat(path, &about) == 0) {
    source *own = ap__append(&j.files, &j.nfile, &j.capacity, sizeof *own);
    if (!own) return no_memory(&j);
    *own = (source){about.st_dev, about.st_ino, 0};
  }
  walk(&j, t->root, &top);
  free(j.files);
  return t->error.status == AP_OK;
}
