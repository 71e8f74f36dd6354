// SPDX-License-Identifier: Apache-2.0
// Each folder on the way is opened from the one above, without following links, and what was opened
// is looked at: nothing is looked up by its path twice.

#define _GNU_SOURCE // O_PATH: a folder above may be one that this user cannot list

#include "codegen/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { ON_THE_WAY = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, MADE = 2 };

static int refuse(ap_error *error, const char *path, const char *why) {
  ap__fail(error, AP_E_FILE, 0, "the cache '%.*s' %s", ap__shown(path), path, why);
  return -1;
}

static int refuse_system(ap_error *error, const char *path, const char *what, int code) {
  ap__fail(error, AP_E_FILE, 0, "the cache '%.*s' %s: %s", ap__shown(path), path, what,
           strerror(code));
  return -1;
}

// ---- the path without links --------------------------------------------------------------------

// Cut the last name off a path, and the slashes before and behind it.
static const char *cut_name(char *path) {
  char *slash = strrchr(path, '/');
  if (!slash) return NULL;
  while (slash > path && slash[-1] == '/') slash--;
  char *name = strrchr(path, '/') + 1;
  *slash = '\0';
  return name;
}

static char *join(const char *above, const char *name) {
  size_t size = strlen(above) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", strcmp(above, "/") == 0 ? "" : above, name);
  return path;
}

// Of a path whose last names, as many as `missing`, need not be there. NULL with errno.
static char *resolve(const char *path, int missing) {
  char *real = realpath(path, NULL);
  if (real || errno != ENOENT || missing == 0) return real;
  char *copy = strdup(path);
  if (!copy) return NULL;
  size_t n = strlen(copy);
  while (n > 0 && copy[n - 1] == '/') copy[--n] = '\0';
  bool absolute = copy[0] == '/';
  const char *name = cut_name(copy);
  char *above = resolve(!name ? "." : !copy[0] && absolute ? "/" : copy, missing - 1);
  if (!name) name = copy;
  bool is_name = name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
  if (above && !is_name) errno = ENOENT;
  real = above && is_name ? join(above, name) : NULL;
  free(above);
  free(copy);
  return real;
}

// ---- folders on the way ------------------------------------------------------------------------

static bool others_write(const struct stat *s) { return s->st_mode & (S_IWGRP | S_IWOTH); }

// `length` characters of the path are those of the folder `fd`, which lies above.
static bool is_safe_above(int fd, const char *path, int length, ap_error *error) {
  struct stat s;
  const char *why = NULL;
  if (fstat(fd, &s) != 0)
    why = "cannot be looked at";
  else if (s.st_uid != 0 && s.st_uid != geteuid())
    why = "belongs to another user";
  else if (others_write(&s) && !(s.st_mode & S_ISVTX))
    why = "can be written by others (chmod go-w)";
  if (!why) return true;
  ap__fail(error, AP_E_FILE, 0,
           "the cache '%.*s' can be replaced by others: the folder '%.*s' above it %s; name one "
           "below folders of your own",
           ap__shown(path), path, length, path, why);
  return false;
}

static int check_last(int fd, const char *path, ap_error *error) {
  struct stat s;
  if (fstat(fd, &s) != 0) return refuse_system(error, path, "cannot be opened", errno);
  if (s.st_uid != geteuid())
    return refuse(error, path, "belongs to another user (use a folder of your own)");
  if (others_write(&s))
    return refuse(error, path, "can be written by others (chmod go-w makes it private)");
  int list = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return list >= 0 ? list : refuse_system(error, path, "cannot be opened", errno);
}

// The folder `name` in the folder `at`.
static int step(int at, const char *name) {
  int fd = openat(at, name, ON_THE_WAY);
  if (fd >= 0 || errno != ENOENT) return fd;
  // another process may have made it just now
  return mkdirat(at, name, 0700) == 0 || errno == EEXIST ? openat(at, name, ON_THE_WAY) : -1;
}

// From the root; `path` has no links.
static int walk(const char *path, ap_error *error) {
  int fd = open("/", ON_THE_WAY);
  for (const char *at = path + 1; fd >= 0 && *at;) {
    size_t n = strcspn(at, "/");
    char *name = is_safe_above(fd, path, at - path > 1 ? (int)(at - path - 1) : 1, error)
                     ? strndup(at, n)
                     : NULL;
    int next = name ? step(fd, name) : -1, code = errno;
    close(fd);
    if (name && next < 0)
      refuse_system(error, path, code == ENOTDIR ? "is not a folder" : "cannot be made", code);
    free(name);
    if (!name || next < 0) return -1;
    fd = next;
    at += n + (at[n] == '/');
  }
  if (fd < 0) return refuse_system(error, path, "cannot be opened", errno);
  int list = check_last(fd, path, error);
  close(fd);
  return list;
}

int ap__folder_open(const char *folder, char **path, ap_error *error) {
  struct stat s;
  char *plain = strdup(folder); // a link with '/' behind is followed
  *path = NULL;
  if (!plain) return ap__no_memory(error), -1;
  size_t n = strlen(plain);
  while (n > 1 && plain[n - 1] == '/') plain[--n] = '\0';
  bool is_link = lstat(plain, &s) == 0 && S_ISLNK(s.st_mode);
  if (!is_link) *path = resolve(plain, MADE);
  int code = errno;
  free(plain);
  if (is_link) return refuse(error, folder, "is a link (name the folder itself)");
  if (!*path) return refuse_system(error, folder, "cannot be made", code);
  int fd = walk(*path, error);
  if (fd >= 0) return fd;
  free(*path);
  *path = NULL;
  return -1;
}
