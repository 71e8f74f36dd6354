#include "codegen/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static ap_status refuse(ap_error *error, const char *path, const char *why) {
  return AP__REFUSE(error, AP_E_FILE, 0, "the cache '%.*s' %s", ap__shown(path), path, why);
}

// ---- the folder --------------------------------------------------------------------------------

char *ap__joined(const char *a, const char *b, const char *c) {
  ap__text t = {0};
  ap__text_add(&t, "%s%s%s", a, b, c);
  if (t.failed) ap__text_free(&t);
  return t.text;
}

// The user's own folder; a relative $XDG_CACHE_HOME does not count, as its specification says.
static char *own_folder(void) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && cache[0] == '/') return ap__joined(cache, "/appell", "");
  return ap__joined(home && home[0] ? home : "/nonexistent", "/.cache", "/appell");
}

// What stands against making a folder, or 0; another process may have made it just now.
static int make_one(const char *path) {
  return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

// Make the folder above, then the folder, where they are missing; likewise.
static int make_folder(const char *path) {
  int why = make_one(path);
  if (why != ENOENT) return why;
  char *above = ap__joined(path, "", "");
  char *slash = above ? strrchr(above, '/') : NULL;
  if (slash && slash > above) {
    *slash = '\0';
    why = make_one(above);
    if (why == 0) why = make_one(path);
  }
  free(above);
  return why;
}

// `made` is what make_folder() said.
static ap_status check_folder(const char *path, int made, ap_error *error) {
  struct stat s;
  char why[128];
  if (lstat(path, &s) != 0) {
    snprintf(why, sizeof why, "cannot be made: %s", strerror(made ? made : errno));
    return refuse(error, path, why);
  }
  if (S_ISLNK(s.st_mode)) return refuse(error, path, "is a link (name the folder itself)");
  if (!S_ISDIR(s.st_mode)) return refuse(error, path, "is not a folder");
  if (s.st_uid != geteuid())
    return refuse(error, path, "belongs to another user (use a folder of your own)");
  if (s.st_mode & (S_IWGRP | S_IWOTH))
    return refuse(error, path, "can be written by others (chmod go-w makes it private)");
  return AP_OK;
}

ap_status ap__cache_open(ap_cache *c, const char *folder, ap_error *error) {
  *c = (ap_cache){.folder = folder ? ap__joined(folder, "", "") : own_folder()};
  if (!c->folder) return ap__no_memory(error);
  size_t n = strlen(c->folder);
  while (n > 1 && c->folder[n - 1] == '/') c->folder[--n] = '\0'; // a link with '/' is followed
  return check_folder(c->folder, make_folder(c->folder), error);
}

void ap__cache_close(ap_cache *c) {
  free(c->folder);
  free(c->object);
}

bool ap__cache_name(ap_cache *c, const unsigned char key[AP_SHA256_BYTES]) {
  for (int k = 0; k < AP_SHA256_BYTES; k++) snprintf(c->key + 2 * k, 3, "%02x", key[k]);
  char name[AP_KEY_LENGTH + 8];
  snprintf(name, sizeof name, "%s.so", c->key);
  c->object = ap__joined(c->folder, "/", name);
  return c->object != NULL;
}

// ---- objects -----------------------------------------------------------------------------------

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

bool ap__cache_has(const ap_cache *c) {
  int fd = open(c->object, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  unsigned char digest[AP_SHA256_BYTES], seal[AP_SHA256_BYTES];
  bool good = is_private(fd) && digest_file(c, fd, AP_SHA256_BYTES, digest) &&
              read(fd, seal, sizeof seal) == (ssize_t)sizeof seal &&
              memcmp(digest, seal, sizeof seal) == 0;
  close(fd);
  return good;
}

ap_status ap__cache_put(const ap_cache *c, const char *compiled, ap_error *error) {
  unsigned char seal[AP_SHA256_BYTES];
  int fd = open(compiled, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  bool good = fd >= 0 && digest_file(c, fd, 0, seal) &&
              write(fd, seal, sizeof seal) == (ssize_t)sizeof seal &&
              fchmod(fd, S_IRUSR | S_IWUSR | S_IXUSR) == 0;
  if (fd >= 0 && close(fd) != 0) good = false;
  if (good && rename(compiled, c->object) == 0) return AP_OK;
  char why[128];
  snprintf(why, sizeof why, "cannot be written: %s", strerror(errno));
  return refuse(error, c->folder, why);
}

// ---- what killed compilations left -------------------------------------------------------------

// The folder `name` in the cache where it is one that nobody works in; -1: it is not. Two processes
// that sweep at once do each other no harm: what one does not find the other has removed.
static int open_left_over(int cache, const char *name) {
  struct stat s;
  if (strncmp(name, AP_PART_NAME, strlen(AP_PART_NAME)) != 0) return -1;
  int fd = openat(cache, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  bool old = fstat(fd, &s) == 0 && s.st_uid == geteuid() &&
             difftime(time(NULL), s.st_mtime) > AP_PART_SECONDS;
  if (old) return fd;
  close(fd);
  return -1;
}

// Files of a folder, which is closed.
static void remove_files(int fd) {
  DIR *d = fdopendir(fd);
  if (!d) {
    close(fd);
    return;
  }
  for (struct dirent *e; (e = readdir(d)) != NULL;) unlinkat(dirfd(d), e->d_name, 0);
  closedir(d);
}

void ap__cache_sweep(const ap_cache *c) {
  DIR *d = opendir(c->folder);
  if (!d) return;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    int fd = open_left_over(dirfd(d), e->d_name);
    if (fd < 0) continue;
    remove_files(fd);
    unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
  }
  closedir(d);
}
