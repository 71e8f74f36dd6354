// SPDX-License-Identifier: Apache-2.0
// For O_TMPFILE, which gives a file without a name: then even SIGKILL leaves nothing behind.
#define _GNU_SOURCE
#include "ui/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18, PRINT_BYTES = 4096, TRIES = 100 };

// The temporary file that a signal has to remove. A signal handler gets no argument, hence the one
// variable of the command that is not on a stack.
static const char *volatile doomed;

static void die_by_signal(int number) {
  if (doomed) unlink(doomed);
  raise(number); // SA_RESETHAND: the second one ends the program the usual way
}

static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};
enum { DEADLY = sizeof deadly / sizeof deadly[0] };

void cli_on_signal(void (*handler)(int number)) {
  struct sigaction now, once = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&once.sa_mask);
  for (int k = 0; k < DEADLY; k++) {
    // Under nohup a signal is ignored, and stays so.
    if (sigaction(deadly[k], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
      sigaction(deadly[k], &once, NULL);
  }
}

void cli_out_prepare(void) {
  // The wrong direction on purpose: using a stream that the caller closed stays an error.
  const int modes[3] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd = 0; fd < 3; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) < 0) _exit(CLI_FAILED);
  cli_on_signal(die_by_signal);
  signal(SIGPIPE, SIG_IGN); // the write says EPIPE then
  signal(SIGXFSZ, SIG_IGN); // and EFBIG, so that nothing half-written is left behind
}

// Between the birth of a temporary name and its note in doomed no signal may come.
static void hold_signals(sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  for (int k = 0; k < DEADLY; k++) sigaddset(&set, deadly[k]);
  sigprocmask(SIG_BLOCK, &set, before);
}

static int fail_path(int status, const char *path, int error) {
  return cli_fail(status, path, 0, "cannot be written: %s", strerror(error));
}

// The folder of path, in memory to be freed; NULL when there is none to be had.
static char *folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return strdup(".");
  return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

int cli_check_target(const char *path) {
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
    return cli_fail(CLI_BAD, path, 0, "is a folder (the name of a file is needed)");
  if (!path[0] || path[strlen(path) - 1] == '/')
    return cli_fail(CLI_BAD, path, 0, "is not the name of a file");
  char *folder = folder_of(path);
  if (!folder) return cli_no_memory();
  int status = CLI_OK;
  if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))
    status = cli_fail(CLI_BAD, path, 0, "cannot be written: there is no folder '%s'", folder);
  free(folder);
  return status;
}

// Find an unused name next to the target and call make for it; returns what make does.
static int with_temporary(cli_out *out, int (*make)(const cli_out *out)) {
  char *folder = folder_of(out->target);
  if (!folder) return -1;
  const size_t size = strlen(folder) + 64;
  out->temporary = malloc(size);
  int result = -1;
  sigset_t before;
  hold_signals(&before);
  for (int k = 0; out->temporary && k < TRIES; k++) {
    snprintf(out->temporary, size, "%s/.appell-%ld-%d.part", folder, (long)getpid(), k);
    result = make(out);
    if (result >= 0 || errno != EEXIST) break;
  }
  const int error = errno;
  if (result >= 0) {
    doomed = out->temporary;
  } else {
    free(out->temporary);
    out->temporary = NULL;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  free(folder);
  errno = error;
  return result;
}

static int create_named(const cli_out *out) {
  return open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// The way to a file without a name, through which it can be given one.
static void nameless_path(const cli_out *out, char *path, size_t size) {
  snprintf(path, size, "/proc/self/fd/%d", out->fd);
}

static int link_nameless(const cli_out *out) {
  char path[64];
  nameless_path(out, path, sizeof path);
  return linkat(AT_FDCWD, path, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW);
}

// A file without a name in the target's folder; -1 where the system or its file system has none.
static int create_nameless(cli_out *out) {
#ifdef O_TMPFILE
  char *folder = folder_of(out->target);
  if (!folder) return -1;
  out->fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  free(folder);
  if (out->fd < 0) return -1;
  char path[64];
  nameless_path(out, path, sizeof path);
  if (access(path, F_OK) == 0) return out->fd;
  close(out->fd); // no /proc here: it could never get its name
#endif
  return -1;
}

// A link is followed, so that the file behind it is replaced and not the link.
static char *resolve(const char *path) {
  char *real = realpath(path, NULL);
  return real ? real : strdup(path);
}

static int open_file(cli_out *out, const char *path) {
  int status = cli_check_target(path);
  if (status != CLI_OK) return status;
  struct stat old, standard;
  const bool exists = stat(path, &old) == 0;
  if (!exists && lstat(path, &old) == 0)
    return cli_fail(CLI_BAD, path, 0, "is a link to a file that does not exist (name the file)");
  // By /dev/stdout, the file that standard output goes to: written on, never replaced.
  if (exists && fstat(STDOUT_FILENO, &standard) == 0 && standard.st_dev == old.st_dev &&
      standard.st_ino == old.st_ino) {
    out->fd = dup(STDOUT_FILENO);
    return out->fd < 0 ? fail_path(CLI_FAILED, path, errno) : CLI_OK;
  }
  if (exists && !S_ISREG(old.st_mode)) {
    out->fd = open(path, O_WRONLY | O_CLOEXEC);
    return out->fd < 0 ? fail_path(CLI_FAILED, path, errno) : CLI_OK;
  }
  out->target = resolve(path);
  if (!out->target) return cli_no_memory();
  out->fd = create_nameless(out);
  if (out->fd < 0) out->fd = with_temporary(out, create_named);
  if (out->fd < 0) return fail_path(CLI_FAILED, path, errno);
  // A file that is replaced keeps its permissions, but no right to run as its owner; not to be
  // allowed to is no reason to stop.
  if (exists && fchmod(out->fd, old.st_mode & 0777) != 0) errno = 0;
  return CLI_OK;
}

int cli_out_open(cli_out *out, const char *path) {
  *out = (cli_out){.fd = STDOUT_FILENO, .name = "standard output"};
  out->buffer = malloc(BUFFER_BYTES);
  if (!out->buffer) return cli_no_memory();
  if (!path || strcmp(path, "-") == 0) return CLI_OK;
  out->name = path;
  int status = open_file(out, path);
  if (status != CLI_OK) {
    free(out->target);
    free(out->buffer);
  }
  return status;
}

// Write all of it, whatever the pieces that the system takes.
static void write_all(cli_out *out, const char *text, size_t length) {
  while (length > 0 && !out->error) {
    ssize_t n = write(out->fd, text, length);
    if (n >= 0) {
      text += n;
      length -= (size_t)n;
    } else if (errno == EAGAIN) { // someone made it non-blocking
      struct pollfd ready = {.fd = out->fd, .events = POLLOUT};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      out->error = errno;
    }
  }
}

bool cli_out_flush(cli_out *out) {
  write_all(out, out->buffer, out->used);
  out->used = 0;
  return !out->error;
}

// What is long is written without a copy.
void cli_out_write(cli_out *out, const char *text, size_t length) {
  if (length == 0) return; // text may be NULL
  if (out->used + length > BUFFER_BYTES || length > BUFFER_BYTES / 8) cli_out_flush(out);
  if (length > BUFFER_BYTES / 8) {
    write_all(out, text, length);
    return;
  }
  memcpy(out->buffer + out->used, text, length);
  out->used += length;
}

void cli_out_begin(cli_out *out, const char *bytes, size_t length) {
  if (!cli_out_flush(out)) return;
  errno = EIO; // where the system takes less than all
  if (pwrite(out->fd, bytes, length, 0) != (ssize_t)length) out->error = errno;
}

bool cli_out_keep(cli_out *out) {
  const int old = open(out->target, O_RDONLY | O_CLOEXEC);
  if (old < 0) return true;
  ssize_t n;
  while ((n = read(old, out->buffer, BUFFER_BYTES)) > 0 && !out->error)
    write_all(out, out->buffer, (size_t)n);
  if (n < 0 && !out->error) out->error = errno;
  close(old);
  return !out->error;
}

const char *cli_out_name(cli_out *out) {
  if (!out->temporary && with_temporary(out, link_nameless) < 0) out->error = errno;
  return out->error ? NULL : out->temporary;
}

void cli_out_sink(void *out, const char *text, size_t length) { cli_out_write(out, text, length); }

void cli_out_printf(cli_out *out, const char *format, ...) {
  char text[PRINT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (n > 0) cli_out_write(out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

// Give the complete file its name, in one step. 0, or errno.
static int publish(cli_out *out) {
  if (fsync(out->fd) != 0) return errno;
  if (!cli_out_name(out)) return out->error;
  if (rename(out->temporary, out->target) != 0) return errno;
  doomed = NULL;
  return 0;
}

// Report a failed write. A reader that has seen enough (EPIPE) knows that it closed the pipe.
static int fail_write(const cli_out *out) {
  if (out->error == EPIPE) return CLI_FAILED;
  return fail_path(CLI_FAILED, out->name, out->error);
}

int cli_out_close(cli_out *out, int status) {
  if (status == CLI_OK || !out->target) cli_out_flush(out);
  if (status == CLI_OK && !out->error && out->target) out->error = publish(out);
  if (out->fd != STDOUT_FILENO && close(out->fd) != 0 && !out->error) out->error = errno;
  if (out->temporary && doomed) unlink(out->temporary);
  doomed = NULL;
  if (status == CLI_OK && out->error) status = fail_write(out);
  free(out->temporary);
  free(out->target);
  free(out->buffer);
  return status;
}

int cli_out_print(int (*print)(cli_out *out)) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  return status != CLI_OK ? status : cli_out_close(&out, print(&out));
}

int cli_check_log(const char *path) {
  const size_t n = strlen(path);
  const bool csv = n > 4 && strcmp(path + n - 4, ".csv") == 0;
  const bool h5 = n > 3 && strcmp(path + n - 3, ".h5") == 0;
  const bool mcap = n > 5 && strcmp(path + n - 5, ".mcap") == 0;
  if (!csv && !h5 && !mcap)
    return cli_fail(CLI_BAD, path, 0,
                    "unknown format (the name of a log ends in .csv or .h5, or .mcap)");
  return cli_check_target(path);
}

// The ending of a file's name, from its last dot on; "" where it has none.
static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
             *dot = strrchr(base, '.');
  return dot && dot > base ? dot : "";
}

int cli_check_page(const char *verb, const char *path) {
  const char *ending = ending_of(path);
  if (strcmp(ending, ".html") != 0 && strcmp(ending, ".htm") != 0)
    return cli_usage(verb, "the page '%s' does not end in .html or .htm", path);
  return cli_check_target(path);
}

int cli_check_motion(const char *path) {
  static const char *const others[] = {".npy", ".h5", ".hdf5", ".mcap"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (strcmp(ending_of(path), others[k]) == 0)
      return cli_fail(CLI_BAD, path, 0, "motions are written as text (a name that ends in .csv)");
  return cli_check_target(path);
}

bool cli_same_file(const char *a, const char *b) {
  struct stat of_a, of_b;
  return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && S_ISREG(of_a.st_mode) &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}
