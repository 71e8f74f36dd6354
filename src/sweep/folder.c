// SPDX-License-Identifier: Apache-2.0
// Whose a folder is: what it is of, and which program computes which chunks.

#define _GNU_SOURCE // locks that belong to an open file (F_OFD_SETLK), realpath()
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/text.h"
#include "sweep/chunk.h"

static const char about_name[] = "sweep.txt", study_name[] = "study.yaml",
                  origin_name[] = "origin.txt", lock_name[] = "lock";

char *ap__folder_path(const char *folder, const char *name) {
  const size_t size = strlen(folder) + strlen(name) + 2;
  char *path = malloc(size);
  if (path) snprintf(path, size, "%s/%s", folder, name);
  return path;
}

uint64_t ap__folder_count(const char *folder) {
  uint64_t n = 0;
  DIR *dir = opendir(folder);
  for (const struct dirent *e; dir && (e = readdir(dir));) {
    const size_t length = strlen(e->d_name);
    n += strncmp(e->d_name, "chunk-", 6) == 0 && length > 10 &&
         strcmp(e->d_name + length - 4, ".bin") == 0;
  }
  if (dir) closedir(dir);
  return n;
}

// ---- what it is of -----------------------------------------------------------------------------

static void hex(const unsigned char *bytes, char *text) {
  for (int k = 0; k < AP_SHA256_BYTES; k++) snprintf(text + 2 * k, 3, "%02x", bytes[k]);
}

static ap_status read_about(const char *path, ap__folder_about *about, ap_error *error) {
  char *text = NULL;
  size_t length;
  const ap_status status = ap__read_file(path, &text, &length, error);
  char trials[21] = "", chunk[21] = "", *after[2] = {trials, chunk};
  const int n = status == AP_OK
                    ? sscanf(text,
                             "appell-sweep 1\nversion %31s\nfamily %15s\nstudy %64s\n"
                             "trials %20s\nchunk %20s",
                             about->version, about->family, about->digest, trials, chunk)
                    : 0;
  free(text);
  about->trials = strtoull(trials, &after[0], 10);
  about->chunk = strtoull(chunk, &after[1], 10);
  if (status != AP_OK || (n == 5 && !*after[0] && !*after[1])) return status;
  return AP__REFUSE(error, AP_E_FILE, 0, "%s says nothing of a sweep (use another folder)",
                    about_name);
}

ap_status ap__folder_read(const char *folder, ap__folder_about *about, ap_error *error) {
  char *path = ap__folder_path(folder, about_name);
  if (!path) return ap__no_memory(error);
  struct stat info;
  if (stat(path, &info) != 0) {
    const int code = errno;
    free(path);
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "no folder of a sweep: %s: %s (`appell sweep STUDY -o "
                      "DIR` makes one)",
                      about_name, strerror(code));
  }
  const ap_status status = read_about(path, about, error);
  free(path);
  return status;
}

static ap_status compare(const ap__folder_about *found, const ap__folder_about *wanted,
                         ap_error *error) {
  static const char remedy[] = "use another folder, or remove this one";
  if (strcmp(found->digest, wanted->digest) != 0 || found->trials != wanted->trials ||
      found->chunk != wanted->chunk)
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the folder has trials of another study, or its files have changed (%s)",
                      remedy);
  if (strcmp(found->version, wanted->version) != 0)
    return AP__REFUSE(error, AP_E_FILE, 0, "the folder has trials of appell %s, this is %s (%s)",
                      found->version, wanted->version, remedy);
  if (strcmp(found->family, wanted->family) != 0)
    return AP__REFUSE(
        error, AP_E_FILE, 0,
        "the folder has trials of the family of bits \"%s\", this machine's is \"%s\" "
        "(%s)",
        found->family, wanted->family, remedy);
  return AP_OK;
}

static ap_status write_in(const char *folder, const char *name, const char *text, size_t length,
                          ap_error *error) {
  char *path = ap__folder_path(folder, name);
  if (!path) return ap__no_memory(error);
  const ap_status status = ap__write_file(path, text, length, error);
  free(path);
  return status;
}

// The study first: where sweep.txt is, all is.
static ap_status describe(const ap_sweep *s, const char *folder, const ap__folder_about *about,
                          ap_error *error) {
  char text[256];
  snprintf(text, sizeof text,
           "appell-sweep 1\nversion %s\nfamily %s\nstudy %s\ntrials %llu\nchunk %llu\n",
           about->version, about->family, about->digest, about->trials, about->chunk);
  ap_status status = write_in(folder, study_name, s->source.text, s->source.length, error);
  char *real = realpath(s->path, NULL);
  if (status == AP_OK && real) status = write_in(folder, origin_name, real, strlen(real), error);
  free(real);
  return status == AP_OK ? write_in(folder, about_name, text, strlen(text), error) : status;
}

static ap_status check_about(const ap_sweep *s, const char *folder, ap_error *error) {
  ap__folder_about wanted = {.trials = s->design.trials, .chunk = (unsigned long long)s->chunk};
  ap__folder_about found = {0};
  snprintf(wanted.version, sizeof wanted.version, "%s", ap_version());
  snprintf(wanted.family, sizeof wanted.family, "%s", ap__sweep_family());
  hex(s->digest, wanted.digest);
  char *path = ap__folder_path(folder, about_name);
  if (!path) return ap__no_memory(error);
  struct stat info;
  const bool there = stat(path, &info) == 0;
  ap_status status = there ? read_about(path, &found, error) : AP_OK;
  free(path);
  if (status != AP_OK) return status;
  if (there) return compare(&found, &wanted, error);
  if (ap__folder_count(folder) > 0)
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "the folder has chunks, but no %s (use another folder, or remove this one)",
                      about_name);
  return describe(s, folder, &wanted, error);
}

ap_status ap__folder_study(const char *folder, ap_sweep **sweep, const char **file,
                           ap_error *error) {
  ap__folder_about about;
  *sweep = NULL;
  *file = NULL;
  ap_status status = ap__folder_read(folder, &about, error);
  if (status != AP_OK) return status;
  char *path = ap__folder_path(folder, study_name), *origin = ap__folder_path(folder, origin_name);
  status = path && origin ? ap__study_read(path, sweep, error) : ap__no_memory(error);
  char *text = NULL;
  size_t length;
  if (status == AP_OK) {
    ap_sweep *s = *sweep;
    for (int k = 0; k < AP_SHA256_BYTES; k++) {
      const char byte[3] = {about.digest[2 * k], about.digest[2 * k + 1], 0};
      s->digest[k] = (unsigned char)strtoul(byte, NULL, 16);
    }
    if (about.trials != s->design.trials || about.chunk != (unsigned long long)s->chunk)
      status = AP__REFUSE(error, AP_E_FILE, 0, "%s and %s are not of the same study", study_name,
                          about_name);
    else if (strcmp(about.version, ap_version()) != 0)
      status = AP__REFUSE(error, AP_E_FILE, 0, "the folder has trials of appell %s, this is %s",
                          about.version, ap_version());
    else if (strcmp(about.family, ap__sweep_family()) != 0)
      status = AP__REFUSE(error, AP_E_FILE, 0,
                          "the folder has trials of the family of bits \"%s\", this machine's is "
                          "\"%s\"",
                          about.family, ap__sweep_family());
    else if (ap__read_file(origin, &text, &length, NULL) == AP_OK)
      *file = ap__pool_text(&s->source.pool, text, length);
  }
  if (status != AP_OK) ap_sweep_free(*sweep), *sweep = NULL;
  free(text);
  free(path);
  free(origin);
  return status;
}

// ---- who computes what -------------------------------------------------------------------------

// A byte for each chunk; the lock ends with the program, whatever ends it.
static int lock_bytes(int file, uint64_t first, uint64_t last) {
#ifdef F_OFD_SETLK
  const int command = F_OFD_SETLK;
#else
  const int command = F_SETLK;
#endif
  struct flock bytes = {.l_type = F_WRLCK,
                        .l_whence = SEEK_SET,
                        .l_start = (off_t)first,
                        .l_len = (off_t)(last - first)};
  return fcntl(file, command, &bytes) == 0 ? 0 : errno;
}

static ap_status take_lock(const char *folder, uint64_t first, uint64_t last, int *lock,
                           ap_error *error) {
  char *path = ap__folder_path(folder, lock_name);
  if (!path) return ap__no_memory(error);
  *lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  int code = *lock < 0 ? errno : 0;
  free(path);
  if (code) return ap__refuse_file(error, "write its lock", code);
  code = last > first ? lock_bytes(*lock, first, last) : 0; // no bytes would mean all
  if (!code) return AP_OK;
  close(*lock);
  *lock = -1;
  if (code != EAGAIN && code != EACCES) return ap__refuse_file(error, "lock the folder", code);
  return AP__REFUSE(error, AP_E_FILE, 0,
                    "another sweep is at work on these trials (wait for it, or use another part or "
                    "folder)");
}

ap_status ap__folder_claim(const ap_sweep *s, const char *folder, uint64_t first, uint64_t last,
                           int *lock, ap_error *error) {
  *lock = -1;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return ap__refuse_file(error, "make the folder", errno);
  ap_status status = take_lock(folder, first, last, lock, error);
  if (status == AP_OK) status = check_about(s, folder, error);
  if (status != AP_OK && *lock >= 0) close(*lock), *lock = -1;
  return status;
}
