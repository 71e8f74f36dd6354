// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "ctrl/servo.h"
#include "traj/traj.h"

// The thread that puts alone moves `head`, the other one alone moves `tail`, which is the point
// before the present time. A slot is t, then q, v, a.
struct ap_stream {
  int n, kind; // kind: vectors of a point, 1 to 3; 0: not known yet
  size_t mask, stride;
  double *slot;
  double last;             // of the thread that puts: time of the last point
  double first, *previous; // of the other: time of the first point, and the point before the tail
  bool begun, moved;       // it has taken a first point; has a previous one
  _Alignas(64) atomic_size_t head;
  _Alignas(64) atomic_size_t tail;
  atomic_bool ended;
};

static ap_stream *lay_out(ap_arena *a, int n, int points, double **slot, double **previous) {
  const size_t stride = 1 + 3 * (size_t)n;
  ap_stream *s = AP_TAKE_ALIGNED(a, ap_stream, 1);
  *slot = AP_TAKE(a, double, (size_t)points *stride);
  *previous = AP_TAKE(a, double, stride);
  return s;
}

size_t ap_stream_size(int n, int points) {
  ap_arena a = ap__arena(NULL);
  double *slot, *previous;
  lay_out(&a, n, points, &slot, &previous);
  return ap__arena_size(&a);
}

ap_stream *ap_stream_init(int n, int points, void *mem, size_t size, ap_error *error) {
  if (n < 1 || points < 4 || (points & (points - 1))) {
    ap__fail(error, AP_E_ARG, 0,
             "a stream of %d points of %d coordinates (a power of two, 4 at least, and 1 at least)",
             points, n);
    return NULL;
  }
  if (!mem || size < ap_stream_size(n, points)) {
    ap__fail(error, AP_E_MEMORY, 0, "too little memory (%zu bytes are needed)",
             ap_stream_size(n, points));
    return NULL;
  }
  ap_arena a = ap__arena(mem);
  double *slot, *previous;
  ap_stream *s = lay_out(&a, n, points, &slot, &previous);
  memset(s, 0, sizeof *s);
  memset(slot, 0, (size_t)points * (1 + 3 * (size_t)n) * sizeof *slot); // present
  s->n = n, s->mask = (size_t)points - 1, s->stride = 1 + 3 * (size_t)n;
  s->slot = slot, s->previous = previous;
  return s;
}

int ap_stream_n(const ap_stream *s) { return s->n; }

static double *point(const ap_stream *s, size_t k) { return s->slot + (k & s->mask) * s->stride; }

// ---- putting -----------------------------------------------------------------------------------

static bool finite(const double *x, int n) {
  for (int j = 0; x && j < n; j++)
    if (!isfinite(x[j])) return false;
  return true;
}

ap_status ap_stream_put(ap_stream *s, double t, const double *q, const double *v, const double *a) {
  const size_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
  const size_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);
  const int kind = !v ? 1 : !a ? 2 : 3;
  const bool good = isfinite(t) && q && finite(q, s->n) && finite(v, s->n) && finite(a, s->n) &&
                    (v || !a) && (head == 0 || (t > s->last && kind == s->kind)) &&
                    !atomic_load(&s->ended);
  if (!good) return AP_E_ARG;
  if (head - tail > s->mask) return AP_E_MEMORY;
  double *to = point(s, head);
  const size_t bytes = (size_t)s->n * sizeof *to;
  *to = t;
  memcpy(to + 1, q, bytes);
  if (v) memcpy(to + 1 + s->n, v, bytes);
  if (a) memcpy(to + 1 + 2 * s->n, a, bytes);
  s->last = t, s->kind = kind;
  atomic_store_explicit(&s->head, head + 1, memory_order_release);
  return AP_OK;
}

void ap_stream_end(ap_stream *s) { atomic_store(&s->ended, true); }

bool ap__stream_never_begins(const ap_stream *s) {
  const bool ended = atomic_load(&s->ended); // before the head: no point comes after it
  return ended && atomic_load_explicit(&s->head, memory_order_acquire) == 0;
}

// ---- taking ------------------------------------------------------------------------------------

// The cubic with these positions and velocities at both ends.
static void cubic(double c[AP__POWERS], double span, const double from[3], const double to[3]) {
  const double way = to[0] - from[0];
  memset(c, 0, AP__POWERS * sizeof *c);
  c[0] = from[0], c[1] = from[1];
  c[2] = (3 * way - span * (2 * from[1] + to[1])) / (span * span);
  c[3] = (span * (from[1] + to[1]) - 2 * way) / (span * span * span);
}

// The velocity at a point between two others; 0 where one of them is not there.
static double slope(const double *before, const double *after, int j) {
  return before && after ? (after[1 + j] - before[1 + j]) / (after[0] - before[0]) : 0;
}

static void between(const ap_stream *s, const double *before, const double *from, const double *to,
                    const double *after, double t, double *const out[3]) {
  const int n = s->n;
  for (int j = 0; j < n; j++) {
    double a[3] = {from[1 + j], from[1 + n + j], from[1 + 2 * n + j]};
    double b[3] = {to[1 + j], to[1 + n + j], to[1 + 2 * n + j]}, c[AP__POWERS], x[3];
    if (s->kind == 1) a[1] = slope(before, to, j), b[1] = slope(from, after, j);
    if (s->kind == 3)
      ap__quintic(c, to[0] - from[0], a, b);
    else
      cubic(c, to[0] - from[0], a, b);
    ap__polynomial_at(c, t - from[0], x);
    for (int k = 0; k < 3; k++) out[k][j] = x[k];
  }
}

static void rest(const ap_stream *s, const double *at, double *const out[3]) {
  for (int j = 0; j < s->n; j++) out[0][j] = at[1 + j], out[1][j] = out[2][j] = 0;
}

ap_stream_state ap_stream_at(ap_stream *s, double t, double *q, double *v, double *a) {
  double *const out[3] = {q, v, a};
  const bool ended = atomic_load(&s->ended); // before the head: no point comes after it
  const size_t head = atomic_load_explicit(&s->head, memory_order_acquire);
  size_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
  if (head == tail) return AP_STREAM_EMPTY;
  if (!s->begun) s->begun = true, s->first = *point(s, tail);
  t += s->first;
  while (head - tail > 1 && *point(s, tail + 1) <= t) {
    memcpy(s->previous, point(s, tail++), s->stride * sizeof *s->previous);
    s->moved = true;
  }
  const size_t ahead = head - tail;
  ap_stream_state state = AP_STREAM_FOLLOWS;
  const size_t needed = s->kind == 1 && !ended ? 3 : 2;
  if (ahead >= needed) {
    between(s, s->moved ? s->previous : NULL, point(s, tail), point(s, tail + 1),
            ahead > 2 ? point(s, tail + 2) : NULL, t, out);
  } else if (ended || t <= *point(s, tail)) {
    rest(s, point(s, tail), out);
    if (ended) state = AP_STREAM_ENDED;
    if (!ended && s->kind > 1) memcpy(v, point(s, tail) + 1 + s->n, (size_t)s->n * sizeof *v);
    if (!ended && s->kind > 2) memcpy(a, point(s, tail) + 1 + 2 * s->n, (size_t)s->n * sizeof *a);
  } else {
    state = AP_STREAM_STARVES;
  }
  atomic_store_explicit(&s->tail, tail, memory_order_release);
  return state;
}
