// SPDX-License-Identifier: Apache-2.0
#include "codegen/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "codegen/folder.h"

static ap_status refuse(const ap_cache *c, ap_error *error, const char *what) {
  return AP__REFUSE(error, AP_E_FILE, 0, "the cache '%.*s' %s: %s", ap__shown(c->folder), c->folder,
                    what, strerror(errno));
}

// ---- the folder --------------------------------------------------------------------------------

char *ap__joined(const char *a, const char *b, const char *c) {
  ap__text t = {0};
  ap__text_add(&t, "%s%s%s", a, b, c);
  if (t.failed) ap__text_free(&t);
  return t.text;
}

// The user's own folder, as the XDG base directory specification has it: a relative path does not
// count.
static ap_status own_folder(char **folder, ap_error *error) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && cache[0] == '/')
    *folder = ap__joined(cache, "/appell", "");
  else if (home && home[0] == '/')
    *folder = ap__joined(home, "/.cache", "/appell");
  else
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "there is no folder for compiled code: neither HOME nor XDG_CACHE_HOME is an "
                      "absolute path (set one of them, or name a folder)");
  return *folder ? AP_OK : ap__no_memory(error);
}

ap_status ap__cache_open(ap_cache *c, const char *folder, ap_error *error) {
  *c = (ap_cache){.fd = -1, .part = -1};
  char *own = NULL;
  ap_status status = folder ? AP_OK : own_folder(&own, error);
  if (status) return status;
  ap_error why = {0};
  c->fd = ap__folder_open(folder ? folder : own, &c->folder, &why);
  free(own);
  if (c->fd >= 0) return AP_OK;
  if (error) *error = why;
  return why.status;
}

void ap__cache_close(ap_cache *c) {
  if (c->fd >= 0) close(c->fd);
  free(c->folder);
}

void ap__cache_set_key(ap_cache *c, const unsigned char key[AP_SHA256_BYTES]) {
  for (int k = 0; k < AP_SHA256_BYTES; k++) snprintf(c->key + 2 * k, 3, "%02x", key[k]);
}

// ---- objects -----------------------------------------------------------------------------------

typedef struct object_name {
  char text[AP_KEY_LENGTH + 4];
} object_name;

static object_name name_of(const ap_cache *c) {
  object_name name;
  snprintf(name.text, sizeof name.text, "%s.so", c->key);
  return name;
}

char *ap__cache_path(const ap_cache *c) { return ap__joined(c->folder, "/", name_of(c).text); }

// The digest of the key and all but the last `behind` bytes of a file, whose position ends before
// those. False: it cannot be read, or is shorter.
static bool digest_file(const ap_cache *c, int fd, off_t behind,
                        unsigned char digest[AP_SHA256_BYTES]) {
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= behind) return false;
  ap_sha256 h;
  ap__sha256_start(&h);
  ap__sha256_add(&h, c->key, AP_KEY_LENGTH);
  char buffer[16384];
  for (off_t left = s.st_size - behind; left > 0;) {
    size_t wanted = left < (off_t)sizeof buffer ? (size_t)left : sizeof buffer;
    ssize_t n = read(fd, buffer, wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    ap__sha256_add(&h, buffer, (size_t)n);
    left -= n;
  }
  ap__sha256_end(&h, digest);
  return true;
}

// A file of this user that no one else can write.
static bool is_private(int fd) {
  struct stat s;
  return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
         (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int ap__cache_find(const ap_cache *c) {
  int fd = openat(c->fd, name_of(c).text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return -1;
  unsigned char digest[AP_SHA256_BYTES], seal[AP_SHA256_BYTES];
  bool good = is_private(fd) && digest_file(c, fd, AP_SHA256_BYTES, digest) &&
              read(fd, seal, sizeof seal) == (ssize_t)sizeof seal &&
              memcmp(digest, seal, sizeof seal) == 0;
  if (good) return fd;
  close(fd);
  return -1;
}

// ---- what killed compilations left -------------------------------------------------------------

// The folder `name` in the cache where it is one that nobody works in; -1: it is not. Who works in
// one holds a lock on it, which ends with the process; the age is for those between making the
// folder and locking it, and for file systems without locks. Clocks may have been set either way.
// Two processes that sweep at once do each other no harm: what one does not find the other has
// removed.
static int open_left_over(int cache, const char *name) {
  struct stat s;
  if (strncmp(name, AP_PART_NAME, strlen(AP_PART_NAME)) != 0) return -1;
  int fd = openat(cache, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  bool old = fstat(fd, &s) == 0 && s.st_uid == geteuid() &&
             fabs(difftime(time(NULL), s.st_mtime)) > AP_PART_SECONDS;
  if (old && (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)) return fd;
  close(fd);
  return -1;
}

// The folder `name` with its files; fd is the folder itself, and is closed.
static void remove_part(int cache, const char *name, int fd) {
  DIR *d = fdopendir(fd);
  if (!d)
    close(fd);
  else {
    for (struct dirent *e; (e = readdir(d)) != NULL;) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
  }
  unlinkat(cache, name, AT_REMOVEDIR);
}

static void sweep(const ap_cache *c) {
  int again = openat(c->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *d = again >= 0 ? fdopendir(again) : NULL;
  if (!d) {
    if (again >= 0) close(again);
    return;
  }
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    int fd = open_left_over(c->fd, e->d_name);
    if (fd >= 0) remove_part(c->fd, e->d_name, fd);
  }
  closedir(d);
}

// ---- one compilation ---------------------------------------------------------------------------

ap_status ap__part_open(ap_cache *c, ap_error *error) {
  sweep(c);
  int made = -1;
  for (int k = 0; made != 0 && k < 10000; k++) { // processes in containers may share a number
    snprintf(c->part_name, sizeof c->part_name, AP_PART_NAME "%ld-%d", (long)getpid(), k);
    made = mkdirat(c->fd, c->part_name, 0700);
    if (made != 0 && errno != EEXIST) break;
  }
  if (made == 0)
    c->part = openat(c->fd, c->part_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (c->part < 0) return refuse(c, error, "cannot be written (name a folder that can)");
  flock(c->part, LOCK_EX | LOCK_NB); // see open_left_over()
  return AP_OK;
}

void ap__part_close(ap_cache *c) {
  if (c->part >= 0) remove_part(c->fd, c->part_name, c->part);
  c->part = -1;
}

static bool write_all(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t n = write(fd, bytes, length);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    length -= (size_t)n;
  }
  return true;
}

ap_status ap__part_write(const ap_cache *c, const char *name, const char *const *text,
                         ap_error *error) {
  int fd = openat(c->part, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool good = fd >= 0;
  for (; good && *text; text++) good = write_all(fd, *text, strlen(*text));
  int code = errno;
  if (fd >= 0 && close(fd) != 0 && good) good = false, code = errno;
  errno = code;
  return good ? AP_OK : refuse(c, error, "cannot be written");
}

ap_status ap__part_keep(const ap_cache *c, const char *name, ap_error *error) {
  unsigned char seal[AP_SHA256_BYTES];
  int fd = openat(c->part, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  bool good = fd >= 0 && fchmod(fd, S_IRUSR | S_IWUSR | S_IXUSR) == 0 &&
              digest_file(c, fd, 0, seal) && write_all(fd, (const char *)seal, sizeof seal);
  int code = errno;
  if (fd >= 0 && close(fd) != 0 && good) good = false, code = errno;
  errno = code;
  if (good && renameat(c->part, name, c->fd, name_of(c).text) == 0) return AP_OK;
  return refuse(c, error, "cannot be written");
}
