// SPDX-License-Identifier: Apache-2.0
// Set points from standard input to a streamed reference: lines of a CSV file with a header, t,
// q.JOINT and maybe v.JOINT and a.JOINT, as references in files have them. In simulated time the
// loop waits for them; by the clock a thread of its own puts them into the queue.

#include "run/feed.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file/robot.h"

enum { LINE_BYTES = 1 << 16, PATIENCE = 50 }; // ms between looks at whether to go on

struct ap__feed {
  ap_stream *stream;
  const ap_model *model;
  int n, columns;
  bool v, a, ended;
  int *at;       // [columns] place in the point; -1: not used
  double *point; // t, q, v, a
  long line;     // of standard input
  char buffer[LINE_BYTES];
  size_t begin, end;          // of what is in it
  double first, last, before; // s: times of the first point, the last, and the one before
  bool begun, waiting;        // a point is waiting to be put
  ap_error error;
  pthread_t thread;
  bool running;
  atomic_bool stop;
};

ap__feed *ap__feed_new(ap_stream *stream, const ap_model *m) {
  ap__feed *f = calloc(1, sizeof *f);
  const int n = ap_nv(m);
  double *point = malloc((1 + 3 * (size_t)n) * sizeof *point);
  if (f) f->stream = stream, f->model = m, f->n = n, f->point = point;
  if (f && point) return f;
  free(point);
  free(f);
  return NULL;
}

void ap__feed_free(ap__feed *f) {
  if (!f) return;
  atomic_store(&f->stop, true);
  if (f->running) pthread_join(f->thread, NULL);
  free(f->at);
  free(f->point);
  free(f);
}

const ap_error *ap__feed_error(const ap__feed *f) { return &f->error; }

#define FAIL(f, ...) (ap__fail(&(f)->error, AP_E_SYNTAX, 0, __VA_ARGS__), false)

// ---- lines -------------------------------------------------------------------------------------

// The next line, without its end; NULL at the end of the input, or when told to stop.
static char *next_line(ap__feed *f) {
  for (;;) {
    char *from = f->buffer + f->begin, *end = memchr(from, '\n', f->end - f->begin);
    if (!end && f->ended && f->end > f->begin) end = f->buffer + f->end, *end = '\n', f->end++;
    if (end) {
      *end = 0;
      f->begin = (size_t)(end - f->buffer) + 1;
      f->line++;
      return from;
    }
    if (f->ended || atomic_load(&f->stop)) return NULL;
    memmove(f->buffer, from, f->end - f->begin);
    f->end -= f->begin, f->begin = 0;
    if (f->end + 2 >= LINE_BYTES) {
      ap__fail(&f->error, AP_E_SYNTAX, 0, "standard input: a line is too long");
      return NULL;
    }
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&ready, 1, PATIENCE) <= 0) continue;
    const ssize_t got = read(STDIN_FILENO, f->buffer + f->end, LINE_BYTES - 2 - f->end);
    if (got > 0) f->end += (size_t)got;
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) f->ended = true;
  }
}

static const char *joint_of(const ap_model *m, int v) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) > 0 && ap_joint_v(m, i) == v) return ap__joint_name(ap_body(m, i));
  return "";
}

// The place of a column in a point; -1: in none.
static int place_of(const ap__feed *f, const char *name) {
  if (strcmp(name, "t") == 0) return 0;
  static const char vectors[] = "qva";
  const char *found = name[0] && name[1] == '.' ? strchr(vectors, name[0]) : NULL;
  for (int j = 0; found && j < f->n; j++)
    if (strcmp(name + 2, joint_of(f->model, j)) == 0) return 1 + f->n * (int)(found - vectors) + j;
  return -1;
}

static bool read_header(ap__feed *f, char *line) {
  static const char vectors[] = "qva";
  int count = 1, seen[3] = {0};
  bool t = false;
  for (const char *c = line; *c; c++) count += *c == ',';
  f->at = malloc((size_t)count * sizeof *f->at);
  if (!f->at) return ap__no_memory(&f->error), false;
  for (char *name = line; name; f->columns++) {
    char *end = strpbrk(name, ",\r");
    const bool more = end && *end == ',';
    if (end) *end = 0;
    const int place = place_of(f, name);
    f->at[f->columns] = place;
    t = t || place == 0;
    if (place > 0) seen[(place - 1) / f->n]++;
    name = more ? end + 1 : NULL;
  }
  if (!t || seen[0] != f->n)
    return FAIL(f,
                "standard input:1: t or a q.JOINT is missing (expected t and q.JOINT for every "
                "joint)");
  for (int k = 1; k < 3; k++)
    if (seen[k] != 0 && seen[k] != f->n)
      return FAIL(f, "standard input:1: %c.JOINT of %d of %d joints (all or none)", vectors[k],
                  seen[k], f->n);
  f->v = seen[1] > 0, f->a = f->v && seen[2] > 0;
  return true;
}

static bool read_point(ap__feed *f, const char *line) {
  for (int k = 0; k < f->columns; k++) {
    char *end;
    const double x = strtod(line, &end);
    const bool last = k + 1 == f->columns;
    while (*end == ' ' || *end == '\r') end++;
    if (end == line || *end != (last ? '\0' : ','))
      return FAIL(f, "standard input:%ld: column %d is not a number (%d columns)", f->line, k + 1,
                  f->columns);
    if (f->at[k] >= 0) f->point[f->at[k]] = x;
    line = end + 1;
  }
  return true;
}

// A point to be put: from a line, or the one that found the queue full. False: there is none.
static bool have_point(ap__feed *f) {
  while (!f->waiting && !f->error.status) {
    char *line = next_line(f);
    if (!line) return false;
    if (line[0] == '#' || line[0] == 0) continue;
    if (!f->at) {
      read_header(f, line);
      continue;
    }
    f->waiting = read_point(f, line);
  }
  return f->waiting;
}

// False: the queue is full, or the point is refused.
static bool put_point(ap__feed *f) {
  const double *p = f->point, *q = p + 1, *v = q + f->n, *a = v + f->n;
  const ap_status status = ap_stream_put(f->stream, *p, q, f->v ? v : NULL, f->a ? a : NULL);
  if (status == AP_E_ARG)
    ap__fail(&f->error, AP_E_SYNTAX, 0,
             "standard input:%ld: the time does not increase, or a number is not finite", f->line);
  if (status != AP_OK) return false;
  if (!f->begun) f->begun = true, f->first = f->last = *p;
  f->before = f->last, f->last = *p, f->waiting = false;
  return true;
}

static void end(ap__feed *f) {
  if (f->error.status == AP_OK) ap_stream_end(f->stream);
}

bool ap__feed_until(ap__feed *f, double t) {
  while (!f->error.status && (!f->begun || f->before - f->first <= t)) {
    if (!have_point(f)) {
      end(f);
      break;
    }
    if (!put_point(f)) break; // full: the loop takes some first
  }
  return f->error.status == AP_OK;
}

static void *feed_on(void *context) {
  ap__feed *f = context;
  const struct timespec pause = {.tv_nsec = 500000};
  while (!atomic_load(&f->stop) && have_point(f))
    while (!put_point(f) && !f->error.status && !atomic_load(&f->stop)) nanosleep(&pause, NULL);
  if (!atomic_load(&f->stop)) end(f);
  return NULL;
}

bool ap__feed_start(ap__feed *f) {
  f->running = pthread_create(&f->thread, NULL, feed_on, f) == 0;
  return f->running;
}

void ap__feed_join(ap__feed *f) {
  atomic_store(&f->stop, true);
  if (f->running) pthread_join(f->thread, NULL);
  f->running = false;
}
