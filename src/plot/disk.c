// realpath() is in this edition of POSIX, but not in its base.
#define _XOPEN_SOURCE 700
#include "plot/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static ap_status refuse(const char *path, const char *reason, ap_error *error) {
  ap__fail(error, AP_E_FILE, 0, "%.*s: cannot write the figure: %s", ap__shown(path), path, reason);
  return AP_E_FILE;
}

// Create a file in the folder that ends before the byte `folder` of target; its name goes into
// `name`, which has room for 64 bytes more than that. 0 or an errno.
static int create(const char *target, size_t folder, char *name, int *file) {
  enum { TRIES = 1000 };
  memcpy(name, target, folder);
  for (int k = 0; k < TRIES; k++) {
    snprintf(name + folder, 64, ".appell-figure-%ld-%d.part", (long)getpid(), k);
    *file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*file >= 0) return 0;
    if (errno != EEXIST) break;
  }
  return errno;
}

// All bytes, and on the disk; 0 or an errno.
static int write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t n = write(file, text, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text += n;
    length -= (size_t)n;
  }
  return fsync(file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno; // not every disk can
}

// 0 or an errno. old is the file that is replaced, or NULL.
static int replace(const char *target, const struct stat *old, const char *text, size_t length) {
  const char *slash = strrchr(target, '/');
  size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
  char *name = malloc(folder + 64);
  if (!name) return ENOMEM;
  int file, code = create(target, folder, name, &file);
  if (code == 0) {
    // Not to be allowed to keep the permissions is no reason to stop.
    if (old) (void)!fchmod(file, old->st_mode & 07777);
    code = write_all(file, text, length);
    if (close(file) != 0 && code == 0) code = errno;
    if (code == 0 && rename(name, target) != 0) code = errno;
    if (code != 0) unlink(name);
  }
  free(name);
  return code;
}

ap_status ap__plot_to_disk(const char *path, const char *text, size_t length, ap_error *error) {
  struct stat old;
  bool exists = stat(path, &old) == 0;
  if (exists && S_ISDIR(old.st_mode))
    return refuse(path, "it is a folder (the name of a file)", error);
  if (exists && !S_ISREG(old.st_mode)) // a device would be replaced by a file
    return refuse(path, "it is a pipe or a device (the name of a file)", error);
  errno = 0;
  char *behind = exists ? realpath(path, NULL) : NULL;
  int code = exists && !behind ? errno : 0;
  if (code == 0) code = replace(behind ? behind : path, exists ? &old : NULL, text, length);
  free(behind);
  if (code == 0) return AP_OK;
  if (code == ENOMEM) {
    ap__fail(error, AP_E_MEMORY, 0, "there is no memory to write the figure");
    return AP_E_MEMORY;
  }
  char reason[128];
  if (strerror_r(code, reason, sizeof reason) != 0)
    snprintf(reason, sizeof reason, "error %d", code);
  return refuse(path, reason, error);
}
