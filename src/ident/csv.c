// SPDX-License-Identifier: Apache-2.0
// Logs as CSV files: columns by name.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/columns.h"
#include "file/number.h"
#include "file/rows.h"
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

// The next word of a line, behind which *s then is; NULL behind the last one.
static word next_word(const char **s, char separator) {
  word w = {*s, *s};
  while (separator == ' ' && *w.begin == ' ') w.begin++;
  w.end = w.begin;
  while (*w.end && *w.end != separator) w.end++;
  const char *next = *w.end ? w.end + 1 : NULL;
  while (separator == ' ' && next && *next == ' ') next++;
  *s = separator == ' ' && next && !*next ? NULL : next;
  while (w.begin < w.end && (*w.begin == ' ' || *w.begin == '\t')) w.begin++;
  while (w.end > w.begin && (w.end[-1] == ' ' || w.end[-1] == '\t')) w.end--;
  if (w.end - w.begin >= 2 && *w.begin == '"' && w.end[-1] == '"') w.begin++, w.end--;
  return w;
}

static char separator_of(const char *line) {
  return strchr(line, ';') ? ';' : strchr(line, ',') ? ',' : strchr(line, '\t') ? '\t' : ' ';
}

// Whether a word is a number and nothing else; with semicolons between them, numbers may have
// commas for points.
static bool is_number(word w, char separator, double *x) {
  char copy[64] = "";
  const size_t n = (size_t)(w.end - w.begin);
  if (n == 0 || n >= sizeof copy - 16) return false;
  memcpy(copy, w.begin, n);
  for (size_t k = 0; k < n; k++)
    if (separator == ';' && copy[k] == ',') copy[k] = '.';
  const char *end;
  return ap__parse_double_within(copy, copy + sizeof copy, &end, x) == AP__NUMBER &&
         end == copy + n;
}

// ---- where columns go --------------------------------------------------------------------------

// A reader: for each number of a sample the column of the file that it stands in, -1 for none, and
// what it is multiplied by. The numbers are t, q, v, a, tau in this order.
typedef struct reader {
  const ap_ident *id;
  ap_rows *rows;
  ap_samples *x;
  const char *wanted; // which column is which; NULL: as their names say
  bool timeless;      // t may be missing
  char *line;         // the first line
  char separator;
  word *name; // [columns] its words
  int columns, room;
  bool nameless;     // the first line has numbers
  ap__columns names; // of the numbers
  int numbers;       // 1 + nq + 3 nv
  int *source;       // [numbers]
  double *factor;    // [numbers]
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

static int count_of(const ap_ident *id, column_kind kind) {
  return kind == COLUMN_Q ? id->nq : id->nv;
}

// The place of a column, looked for from a place on; -1 for what is not read, as a joint without a
// coordinate, -2 for a joint that is none.
static int place_of(const reader *r, word w, int from) {
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
  for (int i = 1; i < r->id->m->nlink; i++) {
    const char *name = r->id->m->link[i].joint_name;
    const size_t n = strlen(name);
    word whole = joint; // NAME of NAME.PART too
    if ((size_t)(joint.end - joint.begin) > n && joint.begin[n] == '.') whole.end = joint.begin + n;
    if ((is_name(joint, name) || is_name(whole, name)) && !has_coordinates(r->id->m, i)) return -1;
  }
  return -2;
}

static int length_of(word w) { return w.end - w.begin < 60 ? (int)(w.end - w.begin) : 60; }

// ---- columns that were asked for ---------------------------------------------------------------

// One item of the list: KEY=SOURCE or KEY=SOURCE*FACTOR.
typedef struct item {
  word key, source;
  double factor;
} item;

static ap_status refuse_item(word w, const char *why, ap_error *error) {
  return AP__REFUSE(error, AP_E_ARG, 0, "columns '%.*s': %s", length_of(w), w.begin, why);
}

static ap_status read_item(word w, item *it, ap_error *error) {
  const char *equal = w.begin;
  while (equal < w.end && *equal != '=') equal++;
  it->key = (word){w.begin, equal};
  it->source = (word){equal < w.end ? equal + 1 : w.end, w.end};
  it->factor = 1;
  if (it->key.begin == it->key.end || it->source.begin == it->source.end)
    return refuse_item(w, "expected NAME=COLUMN, as in t=time,q=pos_{1},tau=8-13", error);
  const char *star = w.end;
  while (star > it->source.begin && star[-1] != '*') star--;
  if (star == it->source.begin) return AP_OK;
  const word factor = {star, w.end};
  if (is_name(factor, "deg"))
    it->factor = acos(-1.0) / 180;
  else if (!is_number(factor, ',', &it->factor) || !isfinite(it->factor) || it->factor == 0)
    return refuse_item(w, "the factor behind '*' is a number or deg", error);
  it->source.end = star - 1;
  return AP_OK;
}

// The column of that name, or number; -1: there is none, -2: there are two.
static int column_of(const reader *r, word w) {
  int found = -1;
  for (int k = 0; k < r->columns && !r->nameless; k++) {
    const size_t n = (size_t)(r->name[k].end - r->name[k].begin);
    if (n != (size_t)(w.end - w.begin) || memcmp(r->name[k].begin, w.begin, n) != 0) continue;
    if (found >= 0) return -2;
    found = k;
  }
  double number;
  if (found < 0 && is_number(w, ',', &number) && number >= 1 && number <= r->columns &&
      number == floor(number))
    return (int)number - 1;
  return found;
}

static ap_status put_column(reader *r, int place, word source, double factor, ap_error *error) {
  const int column = column_of(r, source);
  const char *name = r->names.column[place].name;
  if (column == -2)
    return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows), "duplicate column '%.*s'",
                      length_of(source), source.begin);
  if (column < 0 && r->id->options.partial && place >= first_of(r->id, COLUMN_TAU)) return AP_OK;
  if (column < 0)
    return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                      "there is no column '%.*s' for %s (the file has %d columns%s)",
                      length_of(source), source.begin, name, r->columns,
                      r->nameless ? " without names" : "");
  if (r->source[place] >= 0)
    return AP__REFUSE(error, AP_E_ARG, 0, "columns: %s is given twice", name);
  r->source[place] = column, r->factor[place] = factor;
  return AP_OK;
}

// "A-B": *first and *last.
static bool is_span(word w, int *first, int *last) {
  const char *dash = w.begin;
  double a, b;
  while (dash < w.end && *dash != '-') dash++;
  if (dash == w.end || !is_number((word){w.begin, dash}, ',', &a) ||
      !is_number((word){dash + 1, w.end}, ',', &b) || !(a >= 1) || !(b >= a) || b > 1e6)
    return false;
  *first = (int)a, *last = (int)b;
  return true;
}

// A pattern with {joint}, {0} or {1} in it, for coordinate k of a group.
static bool fill_pattern(const reader *r, word pattern, column_kind kind, int k, char *text,
                         size_t size) {
  const char *joint = r->names.column[first_of(r->id, kind) + k].name + strlen(groups[kind]) + 1;
  size_t used = 0;
  bool filled = false;
  for (const char *s = pattern.begin; s < pattern.end;) {
    const size_t left = (size_t)(pattern.end - s);
    int n = 0, taken = 1;
    if (left >= 7 && memcmp(s, "{joint}", 7) == 0)
      n = snprintf(text + used, size - used, "%s", joint), taken = 7;
    else if (left >= 3 && (memcmp(s, "{0}", 3) == 0 || memcmp(s, "{1}", 3) == 0))
      n = snprintf(text + used, size - used, "%d", k + (s[1] - '0')), taken = 3;
    else
      n = snprintf(text + used, size - used, "%c", *s);
    filled = filled || taken > 1;
    used += (size_t)n, s += taken;
    if (used >= size) return false;
  }
  return filled;
}

// KEY is q, v, a or tau: columns of all joints.
static ap_status put_group(reader *r, word whole, const item *it, column_kind kind,
                           ap_error *error) {
  const int n = count_of(r->id, kind);
  int first = 0, last = 0;
  const bool span = is_span(it->source, &first, &last);
  if (span && last - first + 1 != n)
    return AP__REFUSE(error, AP_E_ARG, 0, "columns '%.*s': %d columns for %d coordinates",
                      length_of(whole), whole.begin, last - first + 1, n);
  ap_status status = AP_OK;
  for (int k = 0; !status && k < n; k++) {
    char text[512];
    if (span)
      snprintf(text, sizeof text, "%d", first + k);
    else if (!fill_pattern(r, it->source, kind, k, text, sizeof text))
      return refuse_item(whole,
                         "columns of all joints are a span (2-7) or a name with {joint}, {0} or "
                         "{1} in it",
                         error);
    status = put_column(r, first_of(r->id, kind) + k, (word){text, text + strlen(text)}, it->factor,
                        error);
  }
  return status;
}

static ap_status put_item(reader *r, word w, ap_error *error) {
  item it;
  ap_status status = read_item(w, &it, error);
  if (status) return status;
  for (int kind = 0; kind < COLUMN_KINDS; kind++)
    if (is_name(it.key, groups[kind])) return put_group(r, w, &it, (column_kind)kind, error);
  const int place = place_of(r, it.key, 0);
  if (place < 0)
    return refuse_item(w, "the name is t, q, v, a, tau, or one of these with .JOINT", error);
  return put_column(r, place, it.source, it.factor, error);
}

static ap_status put_wanted(reader *r, ap_error *error) {
  ap_status status = AP_OK;
  for (const char *s = r->wanted; s && !status;) status = put_item(r, next_word(&s, ','), error);
  return status;
}

// ---- the header --------------------------------------------------------------------------------

// A column by its own name, unless another one was asked for in its place.
static ap_status put_by_name(reader *r, int column, bool *by_name, int *last, ap_error *error) {
  const word w = r->name[column];
  const int place = place_of(r, w, *last);
  if (place == -2 && !r->wanted)
    return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                      "column '%.*s' belongs to no joint of '%.*s'", length_of(w), w.begin,
                      ap__shown(r->id->m->name), r->id->m->name);
  if (place < 0) return AP_OK;
  *last = place;
  if (r->source[place] >= 0 && !by_name[place]) return AP_OK;
  if (r->source[place] >= 0)
    return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows), "duplicate column '%.*s'",
                      length_of(w), w.begin);
  r->source[place] = column, by_name[place] = true;
  return AP_OK;
}

static ap_status put_names(reader *r, ap_error *error) {
  bool *by_name = calloc((size_t)r->numbers, sizeof *by_name);
  ap_status status = by_name ? AP_OK : ap__no_memory(error);
  for (int k = 0, last = 0; !status && k < r->columns && !r->nameless; k++)
    status = put_by_name(r, k, by_name, &last, error);
  free(by_name);
  return status;
}

// Whether a number may be missing: time of poses, forces that are not measured.
static bool dispensable(const reader *r, int place) {
  const int tau = place - first_of(r->id, COLUMN_TAU);
  if (place == 0) return r->timeless;
  return tau >= 0 && (r->id->silent[tau] || r->id->options.partial);
}

// Of a kind of columns, the first that is missing; -1: none. *found of them are there.
static int missing_of(const reader *r, column_kind kind, int *found) {
  const int first = first_of(r->id, kind), n = count_of(r->id, kind);
  int missing = -1;
  *found = 0;
  for (int k = n - 1; k >= 0; k--) {
    if (r->source[first + k] >= 0)
      ++*found;
    else if (!dispensable(r, first + k))
      missing = first + k;
  }
  if (kind == COLUMN_TAU && *found == 0 && r->id->options.partial) missing = first;
  return missing;
}

// Everything of t, q and tau must be there, but for forces that are not measured; of v and of a
// everything or nothing.
static ap_status check_columns(const reader *r, bool measured[COLUMN_KINDS], ap_error *error) {
  for (int kind = 0; kind < COLUMN_KINDS; kind++) {
    int found, missing = missing_of(r, (column_kind)kind, &found);
    measured[kind] = kind == COLUMN_Q || kind == COLUMN_TAU || found > 0;
    if (r->source[0] < 0 && !dispensable(r, 0)) missing = 0;
    if (missing < 0 || !measured[kind]) continue;
    return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                      "there is no column '%s' (needed: t, and q.JOINT, tau.JOINT for every "
                      "joint; v.JOINT, a.JOINT for all joints or none)",
                      r->names.column[missing].name);
  }
  return AP_OK;
}

static ap_status split_line(reader *r, const char *line, ap_error *error) {
  r->separator = separator_of(line);
  const size_t size = strlen(line) + 1;
  r->line = malloc(size);
  if (!r->line) return ap__no_memory(error);
  memcpy(r->line, line, size);
  for (const char *s = r->line; s;) {
    word *grown = ap__grown(r->name, r->columns, &r->room, sizeof *grown);
    if (!grown) return ap__no_memory(error);
    r->name = grown;
    r->name[r->columns++] = next_word(&s, r->separator);
  }
  double x;
  r->nameless = is_number(r->name[0], r->separator, &x);
  if (r->separator == ';') ap__rows_semicolons(r->rows);
  if (!r->nameless || r->wanted) return AP_OK;
  return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                    "the file begins with numbers (expected a line of names; without one, say "
                    "which column is which, as in --columns t=1,q=2-7,tau=8-13)");
}

static ap_status make_room(reader *r, const bool measured[COLUMN_KINDS], ap_error *error) {
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

static ap_status read_header(reader *r, ap_error *error) {
  const char *line;
  bool measured[COLUMN_KINDS];
  ap_status status = ap_rows_header(r->rows, &line, error);
  if (status) return status;
  if (!line)
    return AP__REFUSE(error, AP_E_SYNTAX, 1, "the file is empty (it starts with a line of names)");
  status = split_line(r, line, error);
  if (!status && r->wanted) status = put_wanted(r, error);
  if (!status) status = put_names(r, error);
  if (!status) status = check_columns(r, measured, error);
  return status ? status : make_room(r, measured, error);
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
  for (int k = 0; k < r->numbers; k++)
    if (r->source[k] >= 0) r->full[k] = r->factor[k] * r->row[r->source[k]];
  x->t[x->n] = r->source[0] >= 0 ? r->full[0] : x->n;
  x->line[x->n] = ap_rows_line(r->rows);
  put(x->q, r->full + first_of(id, COLUMN_Q), x->n, id->nq);
  put(x->v, r->full + first_of(id, COLUMN_V), x->n, id->nv);
  put(x->a, r->full + first_of(id, COLUMN_A), x->n, id->nv);
  put(x->tau, r->full + first_of(id, COLUMN_TAU), x->n, id->nv);
  x->n++;
}

// The numbers of the first line, where it has no names.
static ap_status read_first(reader *r, ap_error *error) {
  for (int k = 0; k < r->columns; k++)
    if (!is_number(r->name[k], r->separator, &r->row[k]) || !isfinite(r->row[k]))
      return AP__REFUSE(error, AP_E_SYNTAX, ap_rows_line(r->rows),
                        "\"%.*s\" is not a number (expected a finite decimal number)",
                        length_of(r->name[k]), r->name[k].begin);
  put_sample(r);
  return AP_OK;
}

static ap_status read_samples(reader *r, ap_error *error) {
  if (r->nameless) {
    ap_status status = read_first(r, error);
    if (status) return status;
  }
  for (;;) {
    bool end;
    ap_status status = ap_rows_next(r->rows, r->columns, r->row, &end, error);
    if (status || end) return status;
    if (r->x->n == r->capacity && !make_longer(r)) return ap__no_memory(error);
    put_sample(r);
  }
}

ap_status ap_samples_read_as(const ap_ident *ident, const char *path, const char *columns,
                             bool timeless, ap_samples **samples, ap_error *error) {
  reader r = {.id = ident, .numbers = 1 + ident->nq + 3 * ident->nv, .timeless = timeless};
  const size_t numbers = (size_t)r.numbers;
  *samples = NULL;
  if (columns && *columns) r.wanted = columns;
  ap_status status = ap_rows_open(path, &r.rows, error);
  if (status) return status;
  ap_rows_describe(r.rows, "as many as there are names");
  r.source = malloc(numbers * sizeof *r.source);
  r.factor = malloc(numbers * sizeof *r.factor);
  r.full = malloc(numbers * sizeof *r.full);
  ap__columns_add(&r.names, "t", "", "", NULL);
  for (int k = 0; k < COLUMN_KINDS; k++)
    ap__columns_joints(&r.names, groups[k], ident->m, (ap_joint_vector)k, NULL);
  const bool good = r.source && r.factor && r.full && !r.names.failed;
  for (size_t k = 0; good && k < numbers; k++) r.source[k] = -1, r.factor[k] = 1, r.full[k] = NAN;
  for (int j = 0; good && j < ident->nv; j++) // what nobody measures is never looked at
    if (ident->silent[j]) r.full[first_of(ident, COLUMN_TAU) + j] = 0;
  status = good ? read_header(&r, error) : ap__no_memory(error);
  if (!status) status = read_samples(&r, error);
  ap_rows_close(r.rows);
  ap__columns_free(&r.names);
  free(r.source), free(r.factor), free(r.name), free(r.line), free(r.row), free(r.full);
  if (status)
    ap_samples_free(r.x);
  else
    *samples = r.x;
  return status;
}

ap_status ap_samples_read(const ap_ident *ident, const char *path, ap_samples **samples,
                          ap_error *error) {
  return ap_samples_read_as(ident, path, NULL, false, samples, error);
}

void ap_samples_free(ap_samples *x) {
  if (!x) return;
  free(x->t), free(x->q), free(x->v), free(x->a), free(x->tau), free(x->line), free(x);
}
