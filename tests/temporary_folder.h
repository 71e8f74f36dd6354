// SPDX-License-Identifier: Apache-2.0
// A folder of its own for every test of files.

#ifndef APPELL_TESTS_TEMPORARY_FOLDER_H
#define APPELL_TESTS_TEMPORARY_FOLDER_H

#include <stdlib.h>
#include <unistd.h>

#include "test.h"

enum { FOLDER_NAME = 400 };

static char folder[256];

// The path of a file in it; valid for three more calls.
static const char *in_folder(const char *name) {
  static char path[4][FOLDER_NAME];
  static int next;
  char *out = path[next++ % 4];
  snprintf(out, FOLDER_NAME, "%s/%s", folder, name);
  return out;
}

static void make_folder(void) {
  const char *tmp = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/appell-test-XXXXXX", tmp ? tmp : "/tmp");
  if (!CHECK(mkdtemp(folder) != NULL)) exit(1);
}

// With the files named, some of which may not be there; nothing else must be in it.
static void remove_folder_of(int count, const char *const *names) {
  for (int k = 0; k < count; k++) {
    if (remove(in_folder(names[k])) != 0) continue;
  }
  CHECK_EQ_INT(rmdir(folder), 0);
}

#endif
