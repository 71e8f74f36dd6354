// SPDX-License-Identifier: Apache-2.0
// Logs as CSV files: columns by name.

#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/columns.h"
#include "ident/ident.h"
#include "model/frozen.h"

// ---- names -------------------------------------------------------------------------------------

typedef enum { COLUMN_Q, COLUMN_V, COLUMN_A, COLUMN_TAU, COLUMN_KINDS } column_kind;

static const char *const groups[COLUMN_KINDS] = {"q", "v", "a", "tau"};

// What writers of logs put in place of a character that would break a line of names.
static char plain(char c) {
  return (unsigned char)c < 0x21 || c == 0x7f || c == ',' || c == '"' || c == '#' ? '_' : c;
}

// One word of the header, without blanks and quotes around it.
typedef struct word {
  const char *begin, *end;
} word;

// Whether it is this name, character by plain character.
static bool is_name(word w, const char *name) {
  for (; *name && w.begin < w.end; name++, w.begin++)
    if (plain(*w.begin) != plain(*name)) return false;
  return !*name && w.begin == w.end;
}

static word next_word(const char **s) {
  word w = {*s, *s};
  while (*w.end && *w.end != ',') w.end++;
  *s = *w.end ? w.end + 1 : NULL;
  while (w.begin < w.end && (*w.begin == ' ' || *w.begin == '\t')) w.begin++;
  while (w.end > w.begin && (w.end[-1] == ' ' || w.end[-1] == '\t')) w.end--;
  if (w.end - w.begin >= 2 && *w.begin == '"' && w.end[-1] == '"') w.begin++, w.end--;
  return w;
}

// ---- where columns go --------------------------------------------------------------------------

// A reader: for each column of the file the place that it has in the numbers of a sample, -1 for
// none. Those are t, q, v, a, tau in this order.
typedef struct reader {
  const ap_ident *id;
  ap_rows *rows;
  ap_samples *x;
  int *place, columns, room;
  ap__columns names; // of the numbers
  int numbers;       // 1 + nq + 3 nv
  char *seen;        // [numbers]
  double *row;       // [columns]
  double *full;      // [numbers]
  int capacity;
} reader;

static bool has_coordinates(const ap_model *m, int link) {
  const int b = m->mover[link];
  return b > 0 && m->joint[b].link == link && !m->joint[b].leader;
}

static int first_of(const ap_ident *id, column_kind kind) {
  return kind == COLUMN_Q ? 1 : 1 + id->nq + ((int)kind - 1) * id->nv;
}

// The place of a column, looked for behind the one before; -1 for what is not read, as a joint
// without a coordinate, -2 for a joint that is none.
static int place_of(const reader *r, word w) {
  const int from = r->columns > 0 && r->place[r->columns - 1] >= 0 ? r->place[r->columns - 1] : 0;
  for (int k = 0; k < r->numbers; k++) {
    const int place = (from + k) % r->numbers;
    if (is_name(w, r->names.column[place].name)) return place;
  }
  word joint = w;
  while (joint.begin < joint.end && *joint.begin != '.') joint.begin++;
  bool group = false;
  for (int kind = 0; kind < COLUMN_KINDS; kind++)
    group = group || is_name((word){w.begin, joint.begin}, groups[kind]);
  if (!group || joint.begin++ == joint.end) return -1;
  for (int i = 1; i < r->id->m->nlink; i++)
    if (is_name(joint, r->id->m->link[i].joint_name) && !has_coordinates(r->id->m, i)) return -1;
  return -2;
}

// ---- the header --------------------------------------------------------------------------------

static ap_status add_column(reader *r, word w, ap_error *error) {
  int line = ap_rows_line(r->rows),
      length = (int)(w.end - w.begin) < 60 ? (int)(w.end - w.begin) : 60;
  int place = place_of(r, w);
  if (place == -2)
    return AP__REFUSE(error, AP_E_SYNTAX, line, "column '%.*s' belongs to no joint of '%.*s'",
                      length, w.begin, ap__shown(r->id->m->name), r->id->m->name);
  if (place >= 0 && r->seen[place]++)
    return AP__REFUSE(error, AP_E_SYNTAX, line, "duplicate column '%.*s'", length, w.begin);
  int *grown = ap__grown(r->place, r->columns, &r->room, sizeof *grown);
  if (!grown) return ap__no_memory(error);
  r->place = grown;
  r->place[r->columns++] = place;
  return AP_OK;
}

// Everything of t, q and tau must be there; of v and of a everything or nothing.
static ap_status check_columns(reader *r, bool measured[COLUMN_KINDS], ap_error *error) {
  for (int kind = 0; kind < COLUMN_KINDS; kind++) {
    int first = first_of(r->id, (column_kind)kind), n = kind == COLUMN_Q ? r->id->nq : r->id->nv;
    measured[kind] = kind == COLUMN_Q || kind == COLUMN_TAU;
    for (int k = 0; k < n; k++) measured[kind] = measured[kind] || r->seen[first + k];
    for (int k = -1; k < n && measured[kind]; k++) {
      int place = k < 0 ? 0 : first + k; // t besides
      if (r->seen[place]) continue;
      return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                        "there is no column '%s' (needed: t, and q.JOINT, tau.JOINT for every "
                        "joint; v.JOINT, a.JOINT for all joints or none)",
                        r->names.column[place].name);
    }
  }
  return AP_OK;
}

static ap_status read_header(reader *r, ap_error *error) {
  const char *names;
  bool measured[COLUMN_KINDS];
  ap_status status = ap_rows_header(r->rows, &names, error);
  if (status) return status;
  if (!names)
    return AP__REFUSE(error, AP_E_SYNTAX, 1, "the file is empty (it starts with a line of names)");
  while (names && !status) status = add_column(r, next_word(&names), error);
  if (!status) status = check_columns(r, measured, error);
  if (status) return status;
  r->row = malloc((size_t)r->columns * sizeof *r->row);
  r->x = calloc(1, sizeof *r->x);
  if (!r->row || !r->x) return ap__no_memory(error);
  r->capacity = 1024;
  size_t rows = (size_t)r->capacity, nq = (size_t)r->id->nq, nv = (size_t)r->id->nv;
  r->x->t = malloc(rows * sizeof(double)), r->x->line = malloc(rows * sizeof(int));
  r->x->q = malloc(rows * nq * sizeof(double)), r->x->tau = malloc(rows * nv * sizeof(double));
  if (measured[COLUMN_V]) r->x->v = malloc(rows * nv * sizeof(double));
  if (measured[COLUMN_A]) r->x->a = malloc(rows * nv * sizeof(double));
  bool good = r->x->t && r->x->line && r->x->q && r->x->tau && (r->x->v || !measured[COLUMN_V]) &&
              (r->x->a || !measured[COLUMN_A]);
  return good ? AP_OK : ap__no_memory(error);
}

// ---- the rows ----------------------------------------------------------------------------------

static bool longer(double **array, size_t numbers) {
  if (!*array) return true; // not measured
  double *grown = realloc(*array, numbers * sizeof(double));
  if (grown) *array = grown;
  return grown != NULL;
}

static bool make_longer(reader *r) {
  if (r->capacity > 1 << 29) return false;
  size_t rows = 2 * (size_t)r->capacity, nq = (size_t)r->id->nq, nv = (size_t)r->id->nv;
  int *line = realloc(r->x->line, rows * sizeof *line);
  if (line) r->x->line = line;
  r->capacity *= 2;
  return line && longer(&r->x->t, rows) && longer(&r->x->q, rows * nq) &&
         longer(&r->x->v, rows * nv) && longer(&r->x->a, rows * nv) &&
         longer(&r->x->tau, rows * nv);
}

static void put(double *to, const double *from, int i, int n) {
  if (to) memcpy(to + (size_t)i * (size_t)n, from, (size_t)n * sizeof *to);
}

static void put_sample(reader *r) {
  const ap_ident *id = r->id;
  ap_samples *x = r->x;
  for (int k = 0; k < r->columns; k++)
    if (r->place[k] >= 0) r->full[r->place[k]] = r->row[k];
  x->t[x->n] = r->full[0];
  x->line[x->n] = ap_rows_line(r->rows);
  put(x->q, r->full + first_of(id, COLUMN_Q), x->n, id->nq);
  put(x->v, r->full + first_of(id, COLUMN_V), x->n, id->nv);
  put(x->a, r->full + first_of(id, COLUMN_A), x->n, id->nv);
  put(x->tau, r->full + first_of(id, COLUMN_TAU), x->n, id->nv);
  x->n++;
}

static ap_status read_samples(reader *r, ap_error *error) {
  for (;;) {
    bool end;
    ap_status status = ap_rows_next(r->rows, r->columns, r->row, &end, error);
    if (status || end) return status;
    if (r->x->n == r->capacity && !make_longer(r)) return ap__no_memory(error);
    put_sample(r);
  }
}

ap_status ap_samples_read(const ap_ident *ident, const char *path, ap_samples **samples,
                          ap_error *error) {
  reader r = {.id = ident, .numbers = 1 + ident->nq + 3 * ident->nv};
  *samples = NULL;
  ap_status status = ap_rows_open(path, &r.rows, error);
  if (status) return status;
  ap_rows_describe(r.rows, "as many as there are names");
  r.seen = calloc((size_t)r.numbers, 1);
  r.full = calloc((size_t)r.numbers, sizeof *r.full);
  ap__columns_add(&r.names, "t", "", "", NULL);
  for (int k = 0; k < COLUMN_KINDS; k++)
    ap__columns_joints(&r.names, groups[k], ident->m, (ap_joint_vector)k, NULL);
  status = r.seen && r.full && !r.names.failed ? read_header(&r, error) : ap__no_memory(error);
  if (!status) status = read_samples(&r, error);
  ap_rows_close(r.rows);
  ap__columns_free(&r.names);
  free(r.place), free(r.seen), free(r.row), free(r.full);
  if (status)
    ap_samples_free(r.x);
  else
    *samples = r.x;
  return status;
}

void ap_samples_free(ap_samples *x) {
  if (!x) return;
  free(x->t), free(x->q), free(x->v), free(x->a), free(x->tau), free(x->line), free(x);
}
