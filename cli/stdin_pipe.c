// SPDX-License-Identifier: Apache-2.0
#include "stdin_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK_BYTES = 1 << 16 }; // what a pipe holds on Linux

// Note the last line with numbers: neither empty nor a remark, as in ap_rows_next().
static void look_at(cli_feed *feed, const char *text, size_t length) {
  const char *end = text + length;
  long ending = atomic_load(&feed->ending);
  while (text < end) {
    if (!feed->looked_at && (*text == ' ' || *text == '\t' || *text == '\r')) {
      text++;
      continue;
    }
    if (!feed->looked_at) feed->has_numbers = *text != '#' && *text != '\n';
    feed->looked_at = true;
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    if (!newline) break;
    feed->line++;
    if (feed->has_numbers) ending = feed->line;
    feed->looked_at = false;
    text = newline + 1;
  }
  atomic_store(&feed->ending, ending);
}

// Wait until a file is ready, or until the reader has had enough: false.
static bool await(const cli_feed *feed, int file, short events) {
  struct pollfd either[2] = {{.fd = file, .events = events}, {.fd = feed->wake, .events = POLLIN}};
  while (poll(either, 2, -1) < 0)
    if (errno != EINTR) return false;
  return either[1].revents == 0;
}

static bool pass_on(const cli_feed *feed, const char *text, size_t length) {
  while (length > 0) {
    const ssize_t n = write(feed->sink, text, length);
    if (n < 0 && errno == EAGAIN) {
      if (!await(feed, feed->sink, POLLOUT)) return false;
    } else if (n < 0 && errno != EINTR) {
      return false;
    }
    if (n < 0) continue;
    text += n;
    length -= (size_t)n;
  }
  return true;
}

// It waits in poll() alone, so that the reader can always end it.
static void *forward(void *context) {
  cli_feed *feed = context;
  char chunk[CHUNK_BYTES];
  while (await(feed, feed->source, POLLIN)) {
    const ssize_t n = read(feed->source, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) feed->error = errno;
    if (n <= 0) break;
    look_at(feed, chunk, (size_t)n);
    if (!pass_on(feed, chunk, (size_t)n)) break;
  }
  close(feed->sink); // the reader sees the end
  return NULL;
}

static void close_all(const int *file, int n) {
  for (int k = 0; k < n; k++)
    if (file[k] >= 0) close(file[k]);
}

// Standard input becomes the end of a pipe; what it was is the source. The other end of the pipe
// does not block. A second pipe ends the thread: closing one end of it wakes the other.
static bool put_pipes(cli_feed *feed) {
  int file[5] = {-1, -1, -1, -1, -1}; // reading and writing end of both pipes, standard input
  file[4] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const bool made = file[4] >= 0 && pipe(file) == 0 && pipe(file + 2) == 0 &&
                    fcntl(file[1], F_SETFL, O_NONBLOCK) == 0 && dup2(file[0], STDIN_FILENO) >= 0;
  if (!made) {
    close_all(file, 5);
    return false;
  }
  close(file[0]);
  feed->sink = file[1];
  feed->wake = file[2];
  feed->stop = file[3];
  feed->source = file[4];
  return true;
}

static void put_back(cli_feed *feed) {
  dup2(feed->source, STDIN_FILENO);
  close(feed->source);
  close(feed->wake);
}

void cli_feed_start(cli_feed *feed) {
  struct stat info;
  if (fstat(STDIN_FILENO, &info) != 0) return;
  const int flags = fcntl(STDIN_FILENO, F_GETFL);
  const bool waits = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || isatty(STDIN_FILENO);
  if (!waits || (flags & O_ACCMODE) == O_WRONLY || !put_pipes(feed)) return;
  feed->running = pthread_create(&feed->thread, NULL, forward, feed) == 0;
  if (feed->running) return;
  close(feed->sink);
  close(feed->stop);
  put_back(feed);
}

bool cli_feed_waits(cli_feed *feed, int line) {
  return feed->running && line >= atomic_load(&feed->ending);
}

int cli_feed_stop(cli_feed *feed) {
  if (!feed->running) return 0;
  close(feed->stop); // the thread may be waiting for input that nobody needs any more
  pthread_join(feed->thread, NULL);
  put_back(feed);
  feed->running = false;
  return feed->error;
}
