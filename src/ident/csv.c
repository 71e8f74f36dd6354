// Logs as CSV files: columns by name.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "ident/ident.h"
#include "model/frozen.h"

// ---- names -------------------------------------------------------------------------------------

typedef enum { COLUMN_Q, COLUMN_V, COLUMN_A, COLUMN_TAU, COLUMN_KINDS } column_kind;

static const char *const prefix[COLUMN_KINDS] = {"q.", "v.", "a.", "tau."};

enum { MOST_ENTRIES = 7 };

// What the entries of a joint with several are called, in positions, velocities and forces.
static const char *entry_name(ap_joint_type type, column_kind kind, int k) {
  static const char *const position[][MOST_ENTRIES] = {
      [AP_SPHERICAL] = {"qx", "qy", "qz", "qw"},
      [AP_PLANAR] = {"x", "y", "angle"},
      [AP_FREE] = {"x", "y", "z", "qx", "qy", "qz", "qw"}};
  static const char *const rate[][MOST_ENTRIES] = {
      [AP_SPHERICAL] = {"wx", "wy", "wz"},
      [AP_PLANAR] = {"vx", "vy", "w"},
      [AP_FREE] = {"vx", "vy", "vz", "wx", "wy", "wz"}};
  static const char *const force[][MOST_ENTRIES] = {
      [AP_SPHERICAL] = {"tx", "ty", "tz"},
      [AP_PLANAR] = {"fx", "fy", "t"},
      [AP_FREE] = {"fx", "fy", "fz", "tx", "ty", "tz"}};
  const char *name = kind == COLUMN_Q     ? position[type][k]
                     : kind == COLUMN_TAU ? force[type][k]
                                          : rate[type][k];
  return name ? name : "";
}

// What writers of logs put in place of a character that would break a line of names.
static char plain(char c) {
  return (unsigned char)c < 0x21 || c == 0x7f || c == ',' || c == '"' || c == '#' ? '_' : c;
}

// Takes the text from *s that `word` begins, character by plain character; false, *s unmoved, where
// it does not.
static bool take(const char **s, const char *end, const char *word) {
  const char *at = *s;
  for (; *word; word++, at++)
    if (at == end || plain(*at) != plain(*word)) return false;
  *s = at;
  return true;
}

// One word of the header, without blanks and quotes around it.
typedef struct word {
  const char *begin, *end;
} word;

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
  int numbers;  // 1 + nq + 3 nv
  char *seen;   // [numbers]
  double *row;  // [columns]
  double *full; // [numbers]
  int capacity;
} reader;

static int first_of(const ap_ident *id, column_kind kind) {
  return kind == COLUMN_Q ? 1 : 1 + id->nq + ((int)kind - 1) * id->nv;
}

// The place of "q.JOINT" or "q.JOINT.x"; -1 for a joint without a coordinate, -2 for none at all.
static int place_of_joint(const ap_ident *id, column_kind kind, const char *begin,
                          const char *end) {
  const ap_model *m = id->m;
  for (int i = 1; i < m->nlink; i++) {
    const char *s = begin;
    if (!take(&s, end, m->link[i].joint_name)) continue;
    int b = m->mover[i];
    bool own = b > 0 && m->joint[b].link == i && !m->joint[b].leader;
    if (s == end && !own) return -1;
    if (!own) continue;
    const ap_joint *j = &m->joint[b];
    int n = kind == COLUMN_Q ? j->nq : j->nv, at = kind == COLUMN_Q ? j->q : j->v;
    if (n == 1 && s == end) return first_of(id, kind) + at;
    for (int k = 0; n > 1 && k < n; k++) {
      const char *rest = s;
      if (take(&rest, end, ".") && take(&rest, end, entry_name(j->type, kind, k)) && rest == end)
        return first_of(id, kind) + at + k;
    }
  }
  return -2;
}

static int place_of(const ap_ident *id, word w) {
  const char *s = w.begin;
  if (take(&s, w.end, "t") && s == w.end) return 0;
  for (int kind = 0; kind < COLUMN_KINDS; kind++) {
    s = w.begin;
    if (take(&s, w.end, prefix[kind])) return place_of_joint(id, (column_kind)kind, s, w.end);
  }
  return -1;
}

// The name of a place: for messages.
static void name_place(const ap_ident *id, int place, char *text, size_t size) {
  const ap_model *m = id->m;
  int kind = COLUMN_KINDS - 1;
  snprintf(text, size, "t");
  if (place == 0) return;
  while (kind > 0 && place < first_of(id, (column_kind)kind)) kind--;
  int at = place - first_of(id, (column_kind)kind);
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *j = &m->joint[i];
    int k = at - (kind == COLUMN_Q ? j->q : j->v), n = kind == COLUMN_Q ? j->nq : j->nv;
    if (j->leader || k < 0 || k >= n) continue;
    const char *name = m->link[j->link].joint_name,
               *entry = n > 1 ? entry_name(j->type, (column_kind)kind, k) : "";
    snprintf(text, size, "%s%.*s%s%s", prefix[kind], ap__shown(name), name, *entry ? "." : "",
             entry);
  }
}

// ---- the header --------------------------------------------------------------------------------

static ap_status add_column(reader *r, word w, ap_error *error) {
  int line = ap_rows_line(r->rows),
      length = (int)(w.end - w.begin) < 60 ? (int)(w.end - w.begin) : 60;
  int place = place_of(r->id, w);
  if (place == -2)
    return AP__REFUSE(error, AP_E_SYNTAX, line, "column '%.*s' belongs to no joint of '%.*s'",
                      length, w.begin, ap__shown(r->id->m->name), r->id->m->name);
  if (place >= 0 && r->seen[place]++)
    return AP__REFUSE(error, AP_E_SYNTAX, line, "column '%.*s' is there twice", length, w.begin);
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
      char text[128];
      if (r->seen[place]) continue;
      name_place(r->id, place, text, sizeof text);
      return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                        "there is no column '%s' (t, and q.JOINT, tau.JOINT of every joint, are "
                        "needed; v.JOINT, a.JOINT of every joint or of none)",
                        text);
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
    return AP__REFUSE(error, AP_E_SYNTAX, 1, "the file is empty (a line of names comes first)");
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
  status = r.seen && r.full ? read_header(&r, error) : ap__no_memory(error);
  if (!status) status = read_samples(&r, error);
  ap_rows_close(r.rows);
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
