// SPDX-License-Identifier: Apache-2.0
// The text of a scenario, and the files that it names.

#ifndef AP_FILE_SOURCE_H
#define AP_FILE_SOURCE_H

#include "file/robot.h"

// What is done to a robot between reading it and building its model. believed: it is the one that a
// controller takes for the truth.
typedef struct ap__robot_edit {
  void (*apply)(void *context, ap_robot *robot, bool believed);
  void *context;
} ap__robot_edit;

// All zero is a valid empty one.
typedef struct ap__source {
  ap__pool pool; // of texts that live as long
  char *text;    // closed by a zero that does not count
  size_t length;
  const char *folder;         // where the files are, with a slash at its end, or ""
  const char *within;         // they must lie below this folder; NULL: anywhere
  const ap__robot_edit *edit; // of the robot that the text names; NULL: none
} ap__source;

// From memory, which is copied; folder and within may be NULL.
ap_status ap__source_copy(ap__source *s, const char *text, size_t length, const char *folder,
                          const char *within, ap_error *error);
ap_status ap__source_read(ap__source *s, const char *path, ap_error *error);
// Where a file is that the text names. No pipe or device: only a user may name these. What is not
// below `within`, behind all links, is AP_E_UNSUPPORTED; a home folder holds nothing for it.
ap_status ap__source_path(ap__source *s, const char *name, const char **path, ap_error *error);
void ap__source_free(ap__source *s);

#endif
