// SPDX-License-Identifier: Apache-2.0
// Logs of runs: files that get their names when they are complete, and the choice of a format.

// For locks that belong to an open file and not to the process (F_OFD_SETLK): closing the same file
// elsewhere in the process, as HDF5 does, would end the others.
#define _GNU_SOURCE
#include "file/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/alloc.h"
#include "file/text.h"

// ---- parts -------------------------------------------------------------------------------------

// 0 or an errno; EAGAIN where another program has the lock.
static int lock_file(int file) {
#ifdef F_OFD_SETLK
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_OFD_SETLK, &whole) == 0) return 0;
  if (errno == EACCES) return EAGAIN;
  if (errno != EINVAL) return errno;
#endif
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
  return errno == EWOULDBLOCK ? EAGAIN : errno;
}

// Whether the open file is still the one of that name: whoever had the lock may have given it
// another meanwhile.
static bool has_name(int file, const char *path) {
  struct stat open, named;
  return fstat(file, &open) == 0 && lstat(path, &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

// Open the part and lock it; 0 or an errno.
static int open_locked(ap__draft *part) {
  enum { TRIES = 100 };
  for (int k = 0; k < TRIES; k++) {
    part->file = open(part->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (part->file < 0) return errno;
    int code = lock_file(part->file);
    if (!code && has_name(part->file, part->path)) return 0;
    close(part->file);
    part->file = -1;
    if (code) return code;
  }
  return EAGAIN;
}

static ap_status check_place(const char *target, struct stat *old, bool *exists, ap_error *error) {
  *exists = stat(target, old) == 0;
  if (*exists && S_ISDIR(old->st_mode))
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "cannot write: it is a folder (expected the name of a file)");
  if (*exists && !S_ISREG(old->st_mode)) // a device would be replaced by a file
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "cannot write: it is a pipe or a device (expected the name of a file)");
  return AP_OK;
}

ap_status ap__draft_open(ap__draft *part, const char *target, ap_error *error) {
  static const char ending[] = ".part";
  struct stat old, own;
  bool exists;
  int code;
  *part = (ap__draft){.file = -1};
  ap_status status = check_place(target, &old, &exists, error);
  if (status) return status;
  part->target = ap__follow_links(target, &code);
  if (!part->target) return ap__refuse_file(error, "write the file", code);
  part->path = malloc(strlen(part->target) + sizeof ending);
  if (!part->path) return ap__no_memory(error);
  memcpy(part->path, part->target, strlen(part->target));
  memcpy(part->path + strlen(part->target), ending, sizeof ending);
  code = open_locked(part);
  if (code == EAGAIN)
    return AP__REFUSE(
        error, AP_E_FILE, 0,
        "cannot write: another run is writing to it (wait for it, or use another name)");
  if (code) return ap__refuse_file(error, "write its .part file", code);
  if (fstat(part->file, &own) != 0 || !S_ISREG(own.st_mode) || own.st_nlink > 1) {
    close(part->file); // and leave it where it is
    part->file = -1;
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "cannot write: its .part is a pipe, a device or a file that has other names");
  }
  if (ftruncate(part->file, 0) != 0) return ap__refuse_file(error, "write its .part file", errno);
  // A file that is replaced keeps its permissions, but no right to run as its owner; not to be
  // allowed to is no reason to stop.
  (void)!fchmod(part->file, (exists ? old : own).st_mode & 0777);
  return AP_OK;
}

ap_status ap__draft_reserve(const ap__draft *part, off_t bytes, ap_error *error) {
  struct stat info;
  int code = fstat(part->file, &info) == 0 ? EINTR : errno;
  while (code == EINTR) code = posix_fallocate(part->file, info.st_size, bytes);
  if (code == EOPNOTSUPP || code == EINVAL) code = 0; // not every file system can
  return code ? ap__refuse_file(error, "write the file", code) : AP_OK;
}

ap_status ap__draft_publish(ap__draft *part, ap_error *error) {
  int code = fsync(part->file) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
  if (!code && rename(part->path, part->target) != 0) code = errno;
  return code ? ap__refuse_file(error, "write the file", code) : AP_OK;
}

void ap__draft_close(ap__draft *part, bool remove) {
  if (part->file >= 0) {
    if (remove) unlink(part->path);
    close(part->file);
  }
  free(part->path);
  free(part->target);
  *part = (ap__draft){.file = -1};
}

// ---- logs --------------------------------------------------------------------------------------

static const ap__log_format *find_format(const char *path) {
  static const ap__log_format *const formats[] = {&ap__log_csv, &ap__log_h5, &ap__log_mcap};
  const size_t length = strlen(path);
  for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++) {
    const size_t n = strlen(formats[k]->ending);
    if (length > n && strcmp(path + length - n, formats[k]->ending) == 0) return formats[k];
  }
  return NULL;
}

static ap_status check_columns(const ap_column *column, int n, const char *what, ap_error *error) {
  if (n > 0 && !column)
    return AP__REFUSE(error, AP_E_ARG, 0, "%d %s columns are announced, not NULL", n, what);
  for (int i = 0; i < n; i++) {
    if (!column[i].name || !column[i].name[0] || !column[i].unit)
      return AP__REFUSE(error, AP_E_ARG, 0, "%s column %d has no name or unit (\"\": none)", what,
                        i);
  }
  return AP_OK;
}

ap_status ap_log_create(const char *path, const ap_log_def *def, ap_log **log, ap_error *error) {
  if (log) *log = NULL;
  if (!path || !def || !log || def->columns < 1 || def->event_columns < 0)
    return AP__REFUSE(error, AP_E_ARG, 0, "a log needs a name and at least 1 column");
  const ap__log_format *format = find_format(path);
  if (!format)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "unknown format (the name of a log ends in .csv or .h5, or .mcap)");
  ap_status status = check_columns(def->column, def->columns, "row", error);
  if (!status) status = check_columns(def->event_column, def->event_columns, "event", error);
  if (status) return status;
  ap_log *made = calloc(1, format->size);
  if (!made) return ap__no_memory(error);
  *made = (ap_log){.format = format, .columns = def->columns, .event_columns = def->event_columns};
  ap_log_def own = *def;
  char *place = def->scenario_file ? realpath(def->scenario_file, NULL) : NULL;
  if (place) own.scenario_file = place;
  status = format->create(made, path, &own, error);
  free(place);
  if (status) {
    format->release(made, true);
    free(made);
    return status;
  }
  *log = made;
  return AP_OK;
}

// Whether there is something to be written to.
static ap_status check_log(const ap_log *log, ap_error *error) {
  if (!log || log->finished)
    return AP__REFUSE(error, AP_E_ARG, 0, "the log is %s", log ? "finished" : "NULL");
  if (log->broken) return AP__REFUSE(error, log->broken, 0, "writing to the log has failed before");
  return AP_OK;
}

// Pass status on and remember a failure.
static ap_status noted(ap_log *log, ap_status status) {
  if (status) log->broken = status;
  return status;
}

ap_status ap_log_row(ap_log *log, const double *row, ap_error *error) {
  ap_status status = check_log(log, error);
  return status ? status : noted(log, log->format->row(log, row, error));
}

ap_status ap_log_event(ap_log *log, double t, const char *event, const char *point,
                       const char *wall, const double *numbers, ap_error *error) {
  ap_status status = check_log(log, error);
  if (status) return status;
  return noted(log, log->format->event(log, t, event ? event : "", point ? point : "",
                                       wall ? wall : "", numbers, error));
}

ap_status ap_log_flush(ap_log *log, ap_error *error) {
  ap_status status = check_log(log, error);
  return status ? status : noted(log, log->format->flush(log, error));
}

ap_status ap_log_finish(ap_log *log, ap_error *error) {
  ap_status status = check_log(log, error);
  if (!status) status = noted(log, log->format->flush(log, error));
  if (!status) status = noted(log, log->format->finish(log, error));
  if (!status) log->finished = true;
  return status;
}

void ap_log_free(ap_log *log) {
  if (!log) return;
  if (!log->finished && !log->broken) log->format->flush(log, NULL);
  log->format->release(log, log->broken && !log->holds);
  free(log);
}
