// SPDX-License-Identifier: Apache-2.0
// Text that grows while a file is composed, and that reaches the disk whole or not at all.

#ifndef AP_FILE_TEXT_H
#define AP_FILE_TEXT_H

#include "file/robot.h"

// All zero is an empty text. After a failure nothing more is added.
typedef struct ap__text {
  char *text; // closed by a zero; NULL while empty
  size_t length, capacity;
  bool failed; // no memory
} ap__text;

void ap__text_add(ap__text *t, const char *format, ...) AP_PRINTF(2, 3);
void ap__text_bytes(ap__text *t, const char *bytes, size_t length);
// n numbers in the shortest form that reads back to the same, with a separator between.
void ap__text_numbers(ap__text *t, const double *x, int n, const char *separator);
void ap__text_free(ap__text *t);

// The name behind all links: what they lead to is replaced, not they. It need not exist. The caller
// frees it; NULL with an errno in *code.
char *ap__follow_links(const char *path, int *code);

// Write a file without a name (or under one that nobody has), then give it its own. A link is
// followed, a file that is replaced keeps its permissions (but not setuid and its like), one that
// is read-only is refused, nothing stays behind on failure.
ap_status ap__write_file(const char *path, const char *text, size_t length, ap_error *error);

// A copy of the robot in which relative names of meshes begin at the folder of the file `path`. It
// shares all else with the robot, and is freed by ap__free_moved().
ap_status ap__move_meshes(const ap_robot *robot, const char *path, ap_robot *moved,
                          ap_error *error);
void ap__free_moved(const ap_robot *robot, ap_robot *moved);

// The writers: compose the text of a robot.
ap_status ap__yaml_write(const ap_robot *robot, ap__text *text, ap_error *error);
ap_status ap__urdf_write(const ap_robot *robot, ap__text *text, ap_error *error);
// path: of the file, for the meshes that it names. say may be NULL: what is lost is not told.
typedef void (*ap__say)(void *context, const char *text);
ap_status ap__mjcf_write(const ap_robot *robot, const char *path, ap__text *text, ap__say say,
                         void *context, ap_error *error);

#endif
