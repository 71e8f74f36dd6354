// SPDX-License-Identifier: Apache-2.0
// Names of meshes for a robot that is written to another folder than the one it was read from: a
// relative name begins at the robot file.

#define _XOPEN_SOURCE 700 // for realpath()
#include <stdlib.h>
#include <string.h>

#include "file/text.h"

// The real folder of a file, with a slash behind it. The caller frees it; NULL: there is none, or
// no memory.
static char *folder_of(const char *file) {
  const char *slash = strrchr(file, '/');
  char *name = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
  char *real = name ? realpath(name, NULL) : NULL;
  free(name);
  const size_t n = real ? strlen(real) : 0;
  char *folder = real ? realloc(real, n + 2) : NULL;
  if (!folder) free(real);
  if (folder && n > 1) memcpy(folder + n, "/", 2);
  return folder;
}

static bool is_relative(const ap_shape *shape) {
  const char *file = shape->kind == AP_SHAPE_MESH ? shape->file : NULL;
  return file && *file && file[0] != '/' && !strstr(file, "://") && file[0] != '$';
}

// The name of FROM name, as seen from the folder `to`: back to the folder that both have, and down.
static const char *seen_from(ap__pool *pool, const char *from, const char *to, const char *name) {
  ap__text text = {0};
  size_t shared = 0;
  for (size_t k = 0; from[k] && from[k] == to[k]; k++)
    if (from[k] == '/') shared = k + 1;
  // "../" of the name leaves folders of `from` behind, down to what both have and beyond.
  size_t left = strlen(from);
  while (strncmp(name, "../", 3) == 0 && left > 1) {
    name += 3;
    for (left--; left > 0 && from[left - 1] != '/'; left--) {
    }
    if (left < shared) shared = left;
  }
  for (const char *at = to + shared; (at = strchr(at, '/')); at++) ap__text_bytes(&text, "../", 3);
  ap__text_bytes(&text, from + shared, left - shared);
  ap__text_bytes(&text, name, strlen(name));
  const char *kept = text.failed ? NULL : ap__pool_text(pool, text.text, text.length);
  ap__text_free(&text);
  return kept;
}

static bool rename_shapes(ap_robot *moved, const char *from, const char *to) {
  for (int k = 0; k < moved->nshape; k++) {
    ap_shape *shape = &moved->shapes[k];
    if (!is_relative(shape)) continue;
    if (!(shape->file = seen_from(&moved->pool, from, to, shape->file))) return false;
  }
  return true;
}

ap_status ap__move_meshes(const ap_robot *robot, const char *path, ap_robot *moved,
                          ap_error *error) {
  *moved = *robot;
  moved->pool = (ap__pool){0};
  moved->shapes = NULL;
  char *from = robot->path ? folder_of(robot->path) : NULL, *to = from ? folder_of(path) : NULL;
  bool done = true;
  if (from && to && strcmp(from, to) != 0 && robot->nshape > 0) {
    moved->shapes = malloc((size_t)robot->nshape * sizeof *moved->shapes);
    done = moved->shapes != NULL;
    if (done) memcpy(moved->shapes, robot->shapes, (size_t)robot->nshape * sizeof *moved->shapes);
    done = done && rename_shapes(moved, from, to);
  }
  free(from);
  free(to);
  if (done && !moved->shapes) moved->shapes = robot->shapes;
  if (done) return AP_OK;
  free(moved->shapes);
  ap__pool_free(&moved->pool);
  return ap__no_memory(error);
}

void ap__free_moved(const ap_robot *robot, ap_robot *moved) {
  if (moved->shapes != robot->shapes) free(moved->shapes);
  ap__pool_free(&moved->pool);
}
