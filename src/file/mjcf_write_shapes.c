// SPDX-License-Identifier: Apache-2.0
// Shapes as geoms of MJCF, meshes as its assets. MuJoCo loads a file with its meshes or not at all,
// so only those are written that are there, where they are.

#define _XOPEN_SOURCE 700 // for realpath()
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/mjcf_write.h"

// ---- meshes ------------------------------------------------------------------------------------

static bool is_readable(const char *file) {
  static const char *const endings[] = {".stl", ".STL", ".obj", ".OBJ", ".msh", ".MSH"};
  size_t n = strlen(file);
  for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
    if (n > 4 && strcmp(file + n - 4, endings[k]) == 0) return true;
  return false;
}

// The folder of the file to be written, behind all links; NULL: there is none, or no memory.
static char *own_folder(const ap__mjcf_writer *w) {
  const char *slash = strrchr(w->path, '/');
  char *name = slash ? strndup(w->path, (size_t)(slash - w->path) + 1) : strdup(".");
  char *folder = name ? realpath(name, NULL) : NULL;
  free(name);
  return folder;
}

// Where a mesh is: as seen from the folder of the file to be written where it is below it. The
// caller frees it; NULL: there is none, or no memory, which the text remembers.
static char *mesh_path(ap__mjcf_writer *w, const char *file) {
  char *found;
  ap_error error;
  if (!is_readable(file)) return NULL;
  ap_status status = ap_mesh_find(file, w->robot->path, &found, &error);
  if (status == AP_E_MEMORY) w->t->failed = true;
  if (status) return NULL;
  errno = 0;
  char *real = realpath(found, NULL), *folder = real ? own_folder(w) : NULL;
  if (errno == ENOMEM) w->t->failed = true;
  free(found);
  size_t n = folder ? strlen(folder) : 0;
  if (n > 1 && strncmp(real, folder, n) == 0 && real[n] == '/')
    memmove(real, real + n + 1, strlen(real + n + 1) + 1);
  free(folder);
  return real;
}

// NAME of .../NAME.stl, made anew.
static const char *asset_name(ap__mjcf_writer *w, const char *file) {
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  size_t n = strlen(base);
  const char *stem = ap__pool_text(&w->pool, base, n > 4 ? n - 4 : n);
  if (!stem) w->t->failed = true;
  return stem ? ap__mjcf_new_name(w, &w->meshes, stem, "") : NULL;
}

// As a shell, because MuJoCo refuses others that are not closed; nothing weighs by its geoms.
static void add_mesh(ap__mjcf_writer *w, int k, const char *name, const char *path) {
  const double *scale = w->robot->shapes[k].size;
  ap__text_add(w->t, "    <mesh inertia=\"shell\"");
  ap__xml_text(w->t, "name", name);
  ap__xml_text(w->t, "file", path);
  if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) ap__xml_numbers(w->t, "scale", scale, 3);
  ap__text_add(w->t, "/>\n");
  w->mesh[k] = name;
}

// One asset for shapes with the same file and scale: `seen` knows them by both.
static void plan_mesh(ap__mjcf_writer *w, int k, ap__names *seen) {
  const ap_shape *shape = &w->robot->shapes[k];
  ap__text key = {0};
  ap__text_numbers(&key, shape->size, 3, " ");
  ap__text_add(&key, " %s", shape->file);
  const char *kept = key.failed ? NULL : ap__pool_text(&w->pool, key.text, key.length);
  ap__text_free(&key);
  w->t->failed = w->t->failed || !kept;
  if (!kept) return;
  int before = ap__names_put(seen, kept, k);
  if (before >= 0) {
    w->mesh[k] = w->mesh[before];
    return;
  }
  char *path = mesh_path(w, shape->file);
  const char *name = path ? asset_name(w, shape->file) : NULL;
  if (!path) ap__mjcf_note_of(w, AP__NOTE_MESH, shape->file);
  if (name) add_mesh(w, k, name, path);
  free(path);
}

static void add_meshes(ap__mjcf_writer *w) {
  ap__names seen = {0};
  size_t start = w->t->length;
  ap__text_add(w->t, "  <asset>\n");
  size_t empty = w->t->length;
  if (!ap__names_init(&seen, w->robot->nshape)) w->t->failed = true;
  for (int k = 0; k < w->robot->nshape && !w->t->failed; k++)
    if (w->robot->shapes[k].kind == AP_SHAPE_MESH && w->robot->shapes[k].file)
      plan_mesh(w, k, &seen);
  if (w->t->length > empty)
    ap__text_add(w->t, "  </asset>\n");
  else
    w->t->length = start;
  ap__names_free(&seen);
}

void ap__mjcf_add_assets(ap__mjcf_writer *w) {
  if (w->robot->nshape == 0) return;
  ap__text_add(w->t,
               "  <default>\n"
               "    <default class=\"visual\">\n"
               "      <geom group=\"2\" contype=\"0\" conaffinity=\"0\"/>\n"
               "    </default>\n"
               "    <default class=\"collision\">\n"
               "      <geom group=\"3\"/>\n"
               "    </default>\n"
               "  </default>\n");
  add_meshes(w);
}

// ---- geoms -------------------------------------------------------------------------------------

static void add_geom(ap__mjcf_writer *w, const ap_shape *shape, const char *mesh, int indent) {
  static const char *const type[] = {"", "box", "cylinder", "sphere", "mesh"};
  static const int sizes[] = {0, 3, 2, 1, 0};
  const double *s = shape->size;
  const double half[3] = {shape->kind == AP_SHAPE_BOX ? s[0] / 2 : s[0], s[1] / 2, s[2] / 2};
  ap__text_add(w->t, "%*s<geom class=\"%s\" type=\"%s\"", indent, "",
               shape->collision ? "collision" : "visual", type[shape->kind]);
  if (sizes[shape->kind] > 0) ap__xml_numbers(w->t, "size", half, sizes[shape->kind]);
  if (mesh) ap__xml_text(w->t, "mesh", mesh);
  ap__mjcf_add_pose(w, shape->xyz, shape->rpy);
  if (shape->colored) ap__xml_numbers(w->t, "rgba", shape->color, 4);
  const int by_class = shape->collision ? 1 : 0;
  if (shape->masked && (shape->contype != by_class || shape->conaffinity != by_class))
    ap__text_add(w->t, " contype=\"%d\" conaffinity=\"%d\"", shape->contype, shape->conaffinity);
  ap__text_add(w->t, "/>\n");
}

void ap__mjcf_add_geoms(ap__mjcf_writer *w, int body, int indent) {
  const ap_shape *shape;
  for (int k = 0; (shape = ap_robot_shape(w->robot, body, k)); k++) {
    const char *mesh = w->mesh[shape - w->robot->shapes];
    if (shape->kind == AP_SHAPE_NONE || (shape->kind == AP_SHAPE_MESH && !mesh)) continue;
    add_geom(w, shape, mesh, indent);
  }
}
