// SPDX-License-Identifier: Apache-2.0
// The reference of a control scenario.

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/control.h"
#include "file/alloc.h"

enum { HOLD, RAMP, TRAPEZOID, QUINTIC, SPLINE, LINE, FOURIER, FILE_, STREAM };
enum { MOST_ROWS = 10000000, MOST_POINTS = 100000 };

static int line_of(ap__control_reader *r) { return ap__line_of(r->yaml.root, "reference"); }

static bool fail(ap__control_reader *r, const char *what) {
  return ap__yaml_fail(&r->yaml, line_of(r), "reference: %s", what);
}

static bool needed(ap__control_reader *r, const ap__node *n, const char *key) {
  return n || ap__yaml_fail(&r->yaml, line_of(r), "reference: %s is missing", key);
}

// A list of lists by joint: rows * columns numbers, in memory to be freed. columns 0: as many as
// the first has.
static double *read_table(ap__control_reader *r, const char *key, const ap__node *n, int *columns) {
  ap__yaml *y = &r->yaml;
  if (!ap__yaml_expect_list(y, key, n, "lists of numbers")) return NULL;
  const ap__node *first = n->first;
  if (*columns == 0) *columns = first && first->kind == AP__LIST ? first->length : 0;
  if (!first || *columns < 1 || n->length > MOST_POINTS) {
    ap__yaml_fail(y, n->line, "%s: %d lists of %d numbers (1 to %d lists)", key, n->length,
                  *columns, MOST_POINTS);
    return NULL;
  }
  double *x = malloc((size_t)n->length * (size_t)*columns * sizeof *x), *to = x;
  if (!x) ap__yaml_no_memory(y);
  for (const ap__node *i = first; i && x; i = i->next, to += *columns)
    if (!ap__control_numbers(r, key, i, *columns, to)) {
      free(x);
      return NULL;
    }
  return x;
}

// ---- kinds -------------------------------------------------------------------------------------

static ap_status make_simple(ap__control_reader *r, const double *from, const double *to,
                             ap_error *error) {
  ap_control *c = r->control;
  const ap__control_path *h = &r->head.path;
  if (h->kind == HOLD) return ap_traj_ramp(c->n, to, to, h->time, &c->reference, error);
  if (h->kind == RAMP && h->corner != 0)
    return ap_traj_blended_ramp(c->n, from, to, h->time, h->corner, &c->reference, error);
  if (h->kind == RAMP) return ap_traj_ramp(c->n, from, to, h->time, &c->reference, error);
  if (h->kind == QUINTIC) {
    const ap_traj_state a = {from, NULL, NULL}, b = {to, NULL, NULL};
    return ap_traj_quintic(c->n, &a, &b, h->time, &c->reference, error);
  }
  double *v = ap__control_room(r), *a = ap__control_room(r);
  if (!v || !a) return AP_E_MEMORY;
  for (int j = 0; j < c->n; j++) v[j] = 1, a[j] = 2;
  if (!ap__control_vector(r, "velocity", h->velocity, v) ||
      !ap__control_vector(r, "acceleration", h->acceleration, a))
    return AP_E_SYNTAX;
  return ap_traj_trapezoid(c->n, from, to, v, a, &c->reference, error);
}

static ap_status read_simple(ap__control_reader *r, ap_error *error) {
  const ap__control_path *h = &r->head.path;
  double *from = ap__control_room(r), *to = ap__control_room(r);
  if (!from || !to) return AP_E_MEMORY;
  if ((h->kind != HOLD && !needed(r, h->from, "from")) || !needed(r, h->to, "to") ||
      !ap__control_vector(r, "from", h->from, from) || !ap__control_vector(r, "to", h->to, to))
    return AP_E_SYNTAX;
  return make_simple(r, from, to, error);
}

static ap_status read_spline(ap__control_reader *r, ap_error *error) {
  ap_control *c = r->control;
  const ap__control_path *h = &r->head.path;
  if (!needed(r, h->times, "times") || !needed(r, h->points, "points")) return AP_E_SYNTAX;
  int columns = c->n;
  double *points = read_table(r, "points", h->points, &columns);
  if (!points) return AP_E_SYNTAX;
  int count = h->points->length;
  double *times = malloc((size_t)count * sizeof *times);
  ap_status status = AP_E_SYNTAX;
  if (!times)
    ap__yaml_no_memory(&r->yaml);
  else if (ap__yaml_numbers(&r->yaml, "times", h->times, count, times))
    status = ap_traj_spline(&(ap_spline_def){c->n, count, times, points, h->degree ? 5 : 3},
                            &c->reference, error);
  free(times);
  free(points);
  return status;
}

static void rotation_zyz(const double e[3], double R[9]) {
  double c1 = cos(e[0]), s1 = sin(e[0]), c2 = cos(e[1]), s2 = sin(e[1]), c3 = cos(e[2]),
         s3 = sin(e[2]);
  const double x[9] = {c1 * c2 * c3 - s1 * s3,
                       -c1 * c2 * s3 - s1 * c3,
                       c1 * s2,
                       s1 * c2 * c3 + c1 * s3,
                       -s1 * c2 * s3 + c1 * c3,
                       s1 * s2,
                       -s2 * c3,
                       s2 * s3,
                       c2};
  memcpy(R, x, sizeof x);
}

static ap_status read_line(ap__control_reader *r, ap_error *error) {
  ap_control *c = r->control;
  const ap__control_path *h = &r->head.path;
  double *guess = ap__control_room(r);
  if (!guess) return AP_E_MEMORY;
  ap_line_def d = {.speed = h->speed, .guess = guess};
  if (!needed(r, h->from, "from") || !needed(r, h->to, "to") ||
      !ap__yaml_numbers(&r->yaml, "from", h->from, 3, d.from) ||
      !ap__yaml_numbers(&r->yaml, "to", h->to, 3, d.to) ||
      (h->acceleration &&
       !ap__yaml_number(&r->yaml, "acceleration", h->acceleration, &d.acceleration)) ||
      !ap__control_vector(r, "guess", h->guess, guess))
    return AP_E_SYNTAX;
  rotation_zyz(h->euler, d.R);
  d.frame = h->frame ? ap_find_frame(c->model, h->frame) : ap_nbody(c->model) - 1;
  if (d.frame < 0) {
    fail(r, "frame: the robot has no such frame");
    return AP_E_SYNTAX;
  }
  return ap_traj_line(c->model, c->work, &d, &c->reference, error);
}

static ap_status read_fourier(ap__control_reader *r, ap_error *error) {
  ap_control *c = r->control;
  const ap__control_path *h = &r->head.path;
  double *centre = ap__control_room(r);
  if (!centre) return AP_E_MEMORY;
  if (!needed(r, h->sine, "sine") || !needed(r, h->cosine, "cosine") ||
      !ap__control_vector(r, "centre", h->centre, centre))
    return AP_E_SYNTAX;
  int harmonics = 0;
  double *sine = read_table(r, "sine", h->sine, &harmonics);
  double *cosine = sine ? read_table(r, "cosine", h->cosine, &harmonics) : NULL;
  ap_status status = AP_E_SYNTAX;
  if (cosine && (h->sine->length != c->n || h->cosine->length != c->n))
    fail(r, "sine and cosine have a list for each joint");
  else if (cosine)
    status = ap_traj_fourier(
        &(ap_fourier_def){c->n, harmonics, h->period, h->time, centre, sine, cosine}, &c->reference,
        error);
  free(sine);
  free(cosine);
  return status;
}

// ---- files -------------------------------------------------------------------------------------

// Rows of a CSV file: which column is what. -1: not there.
typedef struct columns {
  int count, t, *q, *v, *a;
} columns;

static bool is_name(const char *text, size_t length, const char *vector, const char *joint) {
  size_t before = strlen(vector);
  return length == before + strlen(joint) && memcmp(text, vector, before) == 0 &&
         memcmp(text + before, joint, length - before) == 0;
}

static void find_columns(const ap_model *m, const char *names, columns *c) {
  c->count = 0, c->t = -1;
  for (int j = 0; j < ap_nv(m); j++) c->q[j] = c->v[j] = c->a[j] = -1;
  while (*names) {
    size_t length = strcspn(names, ",\r\n");
    if (is_name(names, length, "t", "")) c->t = c->count;
    for (int j = 0; j < ap_nv(m); j++) {
      if (is_name(names, length, "q.", ap__control_joint_name(m, j))) c->q[j] = c->count;
      if (is_name(names, length, "v.", ap__control_joint_name(m, j))) c->v[j] = c->count;
      if (is_name(names, length, "a.", ap__control_joint_name(m, j))) c->a[j] = c->count;
    }
    c->count++;
    names += length;
    if (*names == ',')
      names++;
    else
      break;
  }
}

static ap_status check_columns(const ap_model *m, const columns *c, bool *whole, ap_error *error) {
  *whole = true;
  if (c->t < 0)
    return AP__REFUSE(error, AP_E_SYNTAX, 1,
                      "there is no column 't' (expected t and q.JOINT for every joint)");
  for (int j = 0; j < ap_nv(m); j++) {
    const char *joint = ap__control_joint_name(m, j);
    if (c->q[j] < 0)
      return AP__REFUSE(error, AP_E_SYNTAX, 1,
                        "there is no column 'q.%.*s' (expected t and q.JOINT for every joint)",
                        ap__shown(joint), joint);
    *whole = *whole && c->v[j] >= 0 && c->a[j] >= 0;
  }
  return AP_OK;
}

// The trajectory through samples, t q v a each: with v and a joined by polynomials of degree five
// that have them, otherwise a spline.
static ap_status join(ap_control *c, const double *x, int rows, bool whole, ap_error *error) {
  size_t n = (size_t)c->n, stride = 1 + 3 * n;
  if (rows < 2) return AP__REFUSE(error, AP_E_SYNTAX, 0, "fewer than two samples");
  double *time = malloc((size_t)rows * (1 + n) * sizeof *time), *q = time ? time + rows : NULL;
  ap_traj **parts = calloc((size_t)rows, sizeof(void *));
  ap_status status = time && parts ? AP_OK : ap__no_memory(error);
  for (int k = 0; !status && k < rows; k++) {
    time[k] = x[(size_t)k * stride];
    memcpy(q + (size_t)k * n, x + (size_t)k * stride + 1, n * sizeof *q);
  }
  if (!status && !whole)
    status = ap_traj_spline(&(ap_spline_def){c->n, rows, time, q, 5}, &c->reference, error);
  for (int k = 0; whole && !status && k + 1 < rows; k++) {
    const double *a = x + (size_t)k * stride + 1, *b = a + stride;
    const ap_traj_state from = {a, a + n, a + 2 * n}, to = {b, b + n, b + 2 * n};
    status = ap_traj_quintic(c->n, &from, &to, time[k + 1] - time[k], &parts[k], error);
  }
  if (!status && whole)
    status = ap_traj_chain((const ap_traj *const *)parts, rows - 1, &c->reference, error);
  for (int k = 0; parts && k < rows; k++) ap_traj_free(parts[k]);
  free(parts);
  free(time);
  return status;
}

static ap_status read_samples(ap_control *c, ap_rows *rows, double **x, int *count, bool *whole,
                              ap_error *error) {
  const char *names = NULL;
  const size_t bytes = (size_t)c->n * sizeof(int);
  columns at = {.q = ap__pool_bytes(&c->source.pool, 3 * bytes, _Alignof(int))};
  if (!at.q) return ap__no_memory(error);
  at.v = at.q + c->n, at.a = at.v + c->n;
  int n = c->n, capacity = 0;
  size_t stride = 1 + 3 * (size_t)n;
  ap_status status = ap_rows_header(rows, &names, error);
  if (!status && !names) status = AP__REFUSE(error, AP_E_SYNTAX, 0, "the file is empty");
  if (status) return status;
  find_columns(c->model, names, &at);
  status = check_columns(c->model, &at, whole, error);
  double *row = calloc((size_t)at.count + 1, sizeof *row);
  if (!status && !row) status = ap__no_memory(error);
  for (bool end = false; !status;) {
    status = ap_rows_next(rows, at.count, row, &end, error);
    if (status || end) break;
    double *grown = ap__grown(*x, *count, &capacity, stride * sizeof *grown);
    if (!grown || *count == MOST_ROWS) {
      status = ap__no_memory(error);
      break;
    }
    *x = grown;
    double *to = *x + (size_t)(*count)++ * stride;
    *to++ = row[at.t];
    for (int j = 0; j < n; j++) to[j] = row[at.q[j]];
    for (int j = 0; *whole && j < n; j++) to[n + j] = row[at.v[j]], to[2 * n + j] = row[at.a[j]];
  }
  free(row);
  return status;
}

static ap_status read_file(ap__control_reader *r, ap_error *error) {
  const char *name = r->head.path.file, *own = r->options.reference;
  if (!name && !own) {
    fail(r, "file is missing");
    return AP_E_SYNTAX;
  }
  const char *path = own;
  ap_rows *rows = NULL;
  double *x = NULL;
  int count = 0;
  bool whole = false;
  ap_status status = own ? AP_OK : ap__source_path(&r->control->source, name, &path, error);
  if (!status) status = ap_rows_open(path, &rows, error);
  if (!status) status = read_samples(r->control, rows, &x, &count, &whole, error);
  if (!status) status = join(r->control, x, count, whole, error);
  ap_rows_close(rows);
  free(x);
  return status;
}

static ap_status read_stream(ap__control_reader *r, ap_error *error) {
  ap_control *c = r->control;
  enum { POINTS = 1024 };
  const size_t size = ap_stream_size(c->n, POINTS);
  void *memory = ap__pool_bytes(&c->source.pool, size, _Alignof(max_align_t));
  if (!memory) return ap__no_memory(error);
  c->stream = ap_stream_init(c->n, POINTS, memory, size, error);
  return c->stream ? AP_OK : AP_E_ARG;
}

// Whether the reference is one that a robot's can be, and within the limits that stop the run.
static ap_status check_reach(ap__control_reader *r, ap_error *error) {
  const ap_control *c = r->control;
  const ap_guards *g = &c->servo_def.guards;
  double *lower = ap__control_room(r), *upper = ap__control_room(r),
         *velocity = ap__control_room(r);
  const char **names =
      ap__pool_bytes(&r->control->source.pool, (size_t)c->n * sizeof(char *), _Alignof(char *));
  if (!lower || !upper || !velocity || !names) return AP_E_MEMORY;
  for (int j = 0; j < c->n; j++) {
    names[j] = ap__control_joint_name(c->model, j);
    lower[j] = fmax(g->lower[j], -1e6), upper[j] = fmin(g->upper[j], 1e6);
    velocity[j] = fmin(g->velocity[j], 1e6);
  }
  const ap_traj_limits limits = {lower, upper, velocity, NULL};
  return ap_traj_check(c->reference, &limits, names, error);
}

bool ap__control_read_reference(ap__control_reader *r) {
  ap_error own = {0};
  static ap_status (*const readers[])(ap__control_reader *, ap_error *) = {
      [HOLD] = read_simple,     [RAMP] = read_simple,   [TRAPEZOID] = read_simple,
      [QUINTIC] = read_simple,  [SPLINE] = read_spline, [LINE] = read_line,
      [FOURIER] = read_fourier, [FILE_] = read_file,    [STREAM] = read_stream};
  const bool piped = r->options.reference && strcmp(r->options.reference, "-") == 0;
  int kind = piped ? STREAM : r->options.reference ? FILE_ : r->head.path.kind;
  ap_status status = readers[kind](r, &own);
  if (!status && kind != STREAM) status = check_reach(r, &own);
  if (!status) return true;
  if (r->yaml.status != AP_OK) return false; // said already
  if (status == AP_E_MEMORY) return ap__yaml_no_memory(&r->yaml);
  const char *file = r->options.reference ? r->options.reference : r->head.path.file;
  if (!own.text[0]) ap__fail(&own, status, 0, "%s", ap_status_text(status));
  return kind == FILE_ && file
             ? ap__yaml_fail_file(&r->yaml, line_of(r), "reference", file, &own, "")
             : fail(r, own.text);
}
