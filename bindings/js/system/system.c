// SPDX-License-Identifier: Apache-2.0
// What POSIX has and wasi-libc lacks. The files of a module are in memory (bindings/js/system.js):
// there are no links, no permissions and no other process.

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "posix.h"

// Append a part of a path to what is resolved; false: too long.
static bool add_part(char *to, size_t *n, const char *part, size_t length) {
  if (length == 0 || (length == 1 && part[0] == '.')) return true;
  if (length == 2 && memcmp(part, "..", 2) == 0) {
    while (*n > 0 && to[--*n] != '/') continue;
    return true;
  }
  if (*n + length + 2 > PATH_MAX) return false;
  to[(*n)++] = '/';
  memcpy(to + *n, part, length);
  *n += length;
  return true;
}

char *realpath(const char *path, char *resolved) {
  char whole[PATH_MAX];
  size_t n = 0;
  struct stat about;
  for (const char *part = path, *end; *part; part = end + (*end == '/')) {
    end = part + strcspn(part, "/");
    if (!add_part(whole, &n, part, (size_t)(end - part))) return errno = ENAMETOOLONG, NULL;
  }
  if (n == 0) whole[n++] = '/';
  whole[n] = 0;
  if (*path == 0 || stat(whole, &about) != 0) return errno = ENOENT, NULL;
  if (!resolved) resolved = malloc(n + 1);
  return resolved ? memcpy(resolved, whole, n + 1) : NULL;
}

int fchmod(int file, unsigned mode) {
  (void)file, (void)mode;
  return 0;
}

int flock(int file, int how) {
  (void)file, (void)how;
  return 0;
}

unsigned geteuid(void) { return 0; }
