#include "codegen/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char blanks[] = " \t\n";

char **ap__words(const char *text, int more, int *count) {
  size_t length = strlen(text), most = length / 2 + 2 + (size_t)more;
  char **words = calloc(1, most * sizeof *words + length + 1);
  if (!words) return NULL;
  char *copy = memcpy(words + most, text, length + 1), *rest;
  int n = 0;
  for (char *word = strtok_r(copy, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest))
    words[n++] = word;
  *count = n;
  return words;
}

// What comes through the pipe until its other end is closed.
static void read_all(int fd, ap__text *said) {
  char buffer[4096];
  for (;;) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (said) ap__text_bytes(said, buffer, (size_t)n);
  }
}

static ap_ending ending_of(pid_t child) {
  int status = 0;
  pid_t ended;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  // a program that ignores SIGCHLD is not told how its children end: the result has to show
  if (ended < 0) return AP_ENDED_WELL;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0     ? AP_ENDED_WELL
         : WIFEXITED(status) && WEXITSTATUS(status) == 127 ? AP_NOT_STARTED
                                                           : AP_ENDED_BADLY;
}

// Both ends are closed in programs that other threads start meanwhile.
static bool open_pipe(int ends[2]) {
  if (pipe(ends) != 0) return false;
  for (int k = 0; k < 2; k++) fcntl(ends[k], F_SETFD, FD_CLOEXEC);
  return true;
}

ap_ending ap__run(char *const *words, ap__text *said) {
  int ends[2];
  posix_spawn_file_actions_t files;
  if (!words[0] || !open_pipe(ends)) return AP_NOT_STARTED;
  if (posix_spawn_file_actions_init(&files) != 0) {
    close(ends[0]), close(ends[1]);
    return AP_NOT_STARTED;
  }
  pid_t child;
  bool good = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0) == 0 &&
              posix_spawn_file_actions_adddup2(&files, ends[1], 1) == 0 &&
              posix_spawn_file_actions_adddup2(&files, ends[1], 2) == 0 &&
              posix_spawnp(&child, words[0], &files, NULL, words, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  if (good) read_all(ends[0], said);
  close(ends[0]);
  return good ? ending_of(child) : AP_NOT_STARTED;
}
