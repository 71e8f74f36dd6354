#include "feed.h"

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

static bool pass_on(const cli_feed *feed, const char *text, size_t length) {
  while (length > 0) {
    const ssize_t n = write(feed->sink, text, length);
    if (n < 0 && errno != EINTR) return false;
    if (n < 0) continue;
    text += n;
    length -= (size_t)n;
  }
  return true;
}

static void *forward(void *context) {
  cli_feed *feed = context;
  char chunk[CHUNK_BYTES];
  for (;;) {
    const ssize_t n = read(feed->source, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) { // someone made it non-blocking
      struct pollfd ready = {.fd = feed->source, .events = POLLIN};
      poll(&ready, 1, -1);
      continue;
    }
    if (n < 0) feed->error = errno;
    if (n <= 0) break;
    look_at(feed, chunk, (size_t)n);
    if (!pass_on(feed, chunk, (size_t)n)) break;
  }
  int old;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  close(feed->sink); // the reader sees the end
  feed->sink = -1;
  return NULL;
}

// Standard input becomes the end of a pipe; what it was is the source.
static bool put_pipe(cli_feed *feed) {
  int ends[2];
  feed->source = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  if (feed->source < 0) return false;
  if (pipe(ends) != 0) {
    close(feed->source);
    return false;
  }
  feed->sink = ends[1];
  const bool done = dup2(ends[0], STDIN_FILENO) >= 0;
  close(ends[0]);
  if (done) return true;
  close(feed->sink);
  close(feed->source);
  return false;
}

static void put_back(cli_feed *feed) {
  dup2(feed->source, STDIN_FILENO);
  close(feed->source);
  if (feed->sink >= 0) close(feed->sink);
}

void cli_feed_start(cli_feed *feed) {
  struct stat info;
  if (fstat(STDIN_FILENO, &info) != 0) return;
  const int flags = fcntl(STDIN_FILENO, F_GETFL);
  const bool waits = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || isatty(STDIN_FILENO);
  if (!waits || (flags & O_ACCMODE) == O_WRONLY || !put_pipe(feed)) return;
  feed->running = pthread_create(&feed->thread, NULL, forward, feed) == 0;
  if (!feed->running) put_back(feed);
}

bool cli_feed_waits(cli_feed *feed, int line) {
  return feed->running && line >= atomic_load(&feed->ending);
}

int cli_feed_stop(cli_feed *feed) {
  if (!feed->running) return 0;
  pthread_cancel(feed->thread); // it may be waiting for input that nobody needs any more
  pthread_join(feed->thread, NULL);
  put_back(feed);
  feed->running = false;
  return feed->error;
}
