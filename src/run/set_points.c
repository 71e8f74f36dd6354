// SPDX-License-Identifier: Apache-2.0
// Set points from standard input to a streamed reference: lines of a CSV file with a header, t,
// q.JOINT and maybe v.JOINT and a.JOINT, as references in files have them. In simulated time the
// loop waits for them; by the clock a thread of its own puts them into the queue.

#include "run/set_points.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "file/number.h"
#include "file/robot.h"

enum { LINE_BYTES = 1 << 16, PATIENCE = 50 }; // ms between looks at whether to go on

struct ap__set_points {
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

ap__set_points *ap__set_points_new(ap_stream *stream, const ap_model *m) {
  ap__set_points *s = calloc(1, sizeof *s);
  const int n = ap_nv(m);
  double *point = malloc((1 + 3 * (size_t)n) * sizeof *point);
  if (s) s->stream = stream, s->model = m, s->n = n, s->point = point;
  if (s && point) return s;
  free(point);
  free(s);
  return NULL;
}

void ap__set_points_free(ap__set_points *s) {
  if (!s) return;
  atomic_store(&s->stop, true);
  if (s->running) pthread_join(s->thread, NULL);
  free(s->at);
  free(s->point);
  free(s);
}

const ap_error *ap__set_points_error(const ap__set_points *s) { return &s->error; }

#define FAIL(s, ...) (ap__fail(&(s)->error, AP_E_SYNTAX, 0, __VA_ARGS__), false)

// ---- lines -------------------------------------------------------------------------------------

// The next line, without its end; NULL at the end of the input, or when told to stop.
static char *next_line(ap__set_points *s) {
  for (;;) {
    char *from = s->buffer + s->begin, *end = memchr(from, '\n', s->end - s->begin);
    if (!end && s->ended && s->end > s->begin) end = s->buffer + s->end, *end = '\n', s->end++;
    if (end) {
      *end = 0;
      s->begin = (size_t)(end - s->buffer) + 1;
      s->line++;
      return from;
    }
    if (s->ended || atomic_load(&s->stop)) return NULL;
    memmove(s->buffer, from, s->end - s->begin);
    s->end -= s->begin, s->begin = 0;
    if (s->end + 2 >= LINE_BYTES) {
      ap__fail(&s->error, AP_E_SYNTAX, 0, "standard input: a line is too long");
      return NULL;
    }
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&ready, 1, PATIENCE) <= 0) continue;
    const ssize_t got = read(STDIN_FILENO, s->buffer + s->end, LINE_BYTES - 2 - s->end);
    if (got > 0) s->end += (size_t)got;
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) s->ended = true;
  }
}

static const char *joint_of(const ap_model *m, int v) {
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nv(m, i) > 0 && ap_joint_v(m, i) == v) return ap__joint_name(ap_body(m, i));
  return "";
}

// The place of a column in a point; -1: in none.
static int place_of(const ap__set_points *s, const char *name) {
  if (strcmp(name, "t") == 0) return 0;
  static const char vectors[] = "qva";
  const char *found = name[0] && name[1] == '.' ? strchr(vectors, name[0]) : NULL;
  for (int j = 0; found && j < s->n; j++)
    if (strcmp(name + 2, joint_of(s->model, j)) == 0) return 1 + s->n * (int)(found - vectors) + j;
  return -1;
}

static bool read_header(ap__set_points *s, char *line) {
  static const char vectors[] = "qva";
  int count = 1, seen[3] = {0};
  bool t = false;
  for (const char *c = line; *c; c++) count += *c == ',';
  s->at = malloc((size_t)count * sizeof *s->at);
  if (!s->at) return ap__no_memory(&s->error), false;
  for (char *name = line; name; s->columns++) {
    char *end = strpbrk(name, ",\r");
    const bool more = end && *end == ',';
    if (end) *end = 0;
    const int place = place_of(s, name);
    s->at[s->columns] = place;
    t = t || place == 0;
    if (place > 0) seen[(place - 1) / s->n]++;
    name = more ? end + 1 : NULL;
  }
  if (!t || seen[0] != s->n)
    return FAIL(s,
                "standard input:1: t or a q.JOINT is missing (expected t and q.JOINT for every "
                "joint)");
  for (int k = 1; k < 3; k++)
    if (seen[k] != 0 && seen[k] != s->n)
      return FAIL(s, "standard input:1: %c.JOINT of %d of %d joints (all or none)", vectors[k],
                  seen[k], s->n);
  s->v = seen[1] > 0, s->a = s->v && seen[2] > 0;
  return true;
}

// The numbers of files: whatever the locale of the program, neither hexadecimal nor nan.
static bool read_point(ap__set_points *s, const char *line) {
  for (int k = 0; k < s->columns; k++) {
    const char *end = line;
    double x = 0;
    while (*line == ' ' || *line == '\t') line++;
    const bool good = ap__parse_double(line, &end, &x) == AP__NUMBER;
    const bool last = k + 1 == s->columns;
    while (*end == ' ' || *end == '\t' || *end == '\r') end++;
    if (!good || *end != (last ? '\0' : ','))
      return FAIL(s, "standard input:%ld: column %d is not a number (%d columns)", s->line, k + 1,
                  s->columns);
    if (s->at[k] >= 0) s->point[s->at[k]] = x;
    line = end + 1;
  }
  return true;
}

// A point to be put: from a line, or the one that found the queue full. False: there is none.
static bool have_point(ap__set_points *s) {
  while (!s->waiting && !s->error.status) {
    char *line = next_line(s);
    if (!line) return false;
    if (line[0] == '#' || line[0] == 0) continue;
    if (!s->at) {
      read_header(s, line);
      continue;
    }
    s->waiting = read_point(s, line);
  }
  return s->waiting;
}

// False: the queue is full, or the point is refused.
static bool put_point(ap__set_points *s) {
  const double *p = s->point, *q = p + 1, *v = q + s->n, *a = v + s->n;
  const ap_status status = ap_stream_put(s->stream, *p, q, s->v ? v : NULL, s->a ? a : NULL);
  if (status == AP_E_ARG)
    ap__fail(&s->error, AP_E_SYNTAX, 0,
             "standard input:%ld: the time does not increase, or a number is not finite", s->line);
  if (status != AP_OK) return false;
  if (!s->begun) s->begun = true, s->first = s->last = *p;
  s->before = s->last, s->last = *p, s->waiting = false;
  return true;
}

// A line that is wrong lets a stream that has begun starve; one that has not never begins.
static void end(ap__set_points *s) {
  const bool right = s->error.status == AP_OK;
  if (right && !s->begun)
    ap__fail(&s->error, AP_E_SYNTAX, 0, "standard input: it has no set points");
  if (right || !s->begun) ap_stream_end(s->stream);
}

bool ap__set_points_until(ap__set_points *s, double t) {
  while (!s->error.status && (!s->begun || s->before - s->first <= t)) {
    const bool there = have_point(s);
    if (there && put_point(s)) continue;
    if (!there || s->error.status) end(s);
    break; // full: the loop takes some first
  }
  return s->error.status == AP_OK;
}

static void *put_all(void *context) {
  ap__set_points *s = context;
  const struct timespec pause = {.tv_nsec = 500000};
  while (!atomic_load(&s->stop) && have_point(s))
    while (!put_point(s) && !s->error.status && !atomic_load(&s->stop)) nanosleep(&pause, NULL);
  if (!atomic_load(&s->stop)) end(s);
  return NULL;
}

bool ap__set_points_start(ap__set_points *s) {
  s->running = pthread_create(&s->thread, NULL, put_all, s) == 0;
  return s->running;
}

void ap__set_points_join(ap__set_points *s) {
  atomic_store(&s->stop, true);
  if (s->running) pthread_join(s->thread, NULL);
  s->running = false;
}
