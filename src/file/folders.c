// SPDX-License-Identifier: Apache-2.0
#define _XOPEN_SOURCE 700 // for realpath()
#include "file/folders.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ap__is_below(const char *path, const char *folder, bool *failed) {
  char *real = realpath(folder, NULL);
  const size_t n = real ? strlen(real) : 0;
  *failed = *failed || (!real && errno == ENOMEM);
  const bool below = n > 0 && strncmp(path, real, n) == 0 && (real[n - 1] == '/' || path[n] == '/');
  free(real);
  return below;
}

// Is `home` the folder of the real path `own`, or below it?
static bool holds(const char *own, const char *home, bool *failed) {
  char *real = home && *home ? realpath(home, NULL) : NULL;
  const bool is = real && (strcmp(real, own) == 0 || ap__is_below(real, own, failed));
  free(real);
  return is;
}

// The home folder by the user's entry, whatever HOME says.
static bool holds_entry(const char *own, bool *failed) {
  struct passwd entry, *found = NULL;
  char text[4096];
  const bool known = getpwuid_r(getuid(), &entry, text, sizeof text, &found) == 0 && found;
  return known && holds(own, found->pw_dir, failed);
}

bool ap__holds_home(const char *folder, bool *failed) {
  char *own = realpath(folder, NULL);
  const bool is = !own || strcmp(own, "/") == 0 || holds(own, getenv("HOME"), failed) ||
                  holds_entry(own, failed);
  free(own);
  return is;
}

bool ap__is_special(const char *path) {
  struct stat about;
  return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}
