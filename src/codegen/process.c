// SPDX-License-Identifier: Apache-2.0
#include "codegen/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_SAID = 1 << 20, LOOK_MS = 50, END_MS = 1 };

// ---- words -------------------------------------------------------------------------------------

static bool is_program(const char *path) {
  struct stat s;
  return strchr(path, '/') && stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

static int split(char *text, char **words) {
  int n = 0;
  char *rest;
  for (char *word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
    words[n++] = word;
  return n;
}

char **ap__command(const char *command, const char *flags, int more, int *count) {
  size_t length = strlen(command) + 1, all = length + strlen(flags) + 1;
  size_t most = all / 2 + 2 + (size_t)more;
  char **words = calloc(1, most * sizeof *words + all);
  if (!words) return NULL;
  char *copy = memcpy(words + most, command, length);
  int n = 1;
  if (is_program(command))
    words[0] = copy;
  else
    n = split(copy, words);
  if (n == 0) {
    free(words);
    return NULL;
  }
  n += split(memcpy(copy + length, flags, all - length), words + n);
  *count = n;
  return words;
}

// ---- its end -----------------------------------------------------------------------------------

// What there is to read. False: no more will come.
static bool read_some(int fd, ap__text *said) {
  char buffer[4096];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 && errno == EAGAIN;
    if (said->length < MOST_SAID) ap__text_bytes(said, buffer, (size_t)n);
  }
}

static double seconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now); // whatever is done to the clock of the day
  return difftime(now.tv_sec, start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

static ap_ending ending_of(pid_t ended, int status) {
  // a program that ignores SIGCHLD is not told how its children end: the result has to show
  if (ended < 0) return AP_ENDED_WELL;
  if (!WIFEXITED(status)) return AP_WAS_KILLED;
  return WEXITSTATUS(status) == 0     ? AP_ENDED_WELL
         : WEXITSTATUS(status) == 127 ? AP_NOT_STARTED
                                      : AP_ENDED_BADLY;
}

// Read until it ends. Something that it started and left behind may keep the pipe open.
static ap_ending watch(pid_t child, int fd, double seconds, ap__text *said) {
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  bool open = true;
  for (;;) {
    struct pollfd p = {.fd = open ? fd : -1, .events = POLLIN};
    if (poll(&p, 1, open ? LOOK_MS : END_MS) > 0) open = read_some(fd, said);
    int status = 0;
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended != 0) {
      if (open) read_some(fd, said);
      return ending_of(ended, status);
    }
    if (seconds > 0 && seconds_since(&start) > seconds) {
      kill(-child, SIGKILL);
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
      return AP_WAS_LATE;
    }
  }
}

// ---- its start ---------------------------------------------------------------------------------

// Both ends are closed in programs that other threads start meanwhile; ours does not block.
static bool open_pipe(int ends[2]) {
  if (pipe(ends) != 0) return false;
  for (int k = 0; k < 2; k++) fcntl(ends[k], F_SETFD, FD_CLOEXEC);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return true;
}

// A group of its own, to be killed as one, and signals as a program expects them: a compiler that
// inherits that SIGCHLD is ignored is not told how its parts end.
static bool set_attributes(posix_spawnattr_t *a) {
  sigset_t none, usual;
  sigemptyset(&none), sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD), sigaddset(&usual, SIGPIPE);
  return posix_spawnattr_setpgroup(a, 0) == 0 && posix_spawnattr_setsigmask(a, &none) == 0 &&
         posix_spawnattr_setsigdefault(a, &usual) == 0 &&
         posix_spawnattr_setflags(
             a, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
}

static bool spawn(char *const *words, int out, pid_t *child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  if (posix_spawnattr_init(&attributes) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return false;
  }
  bool good = set_attributes(&attributes) &&
              posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_adddup2(&files, out, 1) == 0 &&
              posix_spawn_file_actions_adddup2(&files, out, 2) == 0 &&
              posix_spawnp(child, words[0], &files, &attributes, words, environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return good;
}

ap_ending ap__run(char *const *words, double seconds, ap__text *said) {
  int ends[2];
  pid_t child;
  if (!open_pipe(ends)) return AP_NOT_STARTED;
  bool good = spawn(words, ends[1], &child);
  close(ends[1]);
  ap_ending ending = good ? watch(child, ends[0], seconds, said) : AP_NOT_STARTED;
  close(ends[0]);
  return ending;
}
