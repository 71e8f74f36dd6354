// SPDX-License-Identifier: Apache-2.0
// Joint forces of a scenario, constant or from a file, and loads on links.
//
// A file of forces: a line that names the columns, t first, then joints; below it rows of numbers,
// t growing. Blanks or commas separate; a line that starts with # is a comment, except that the
// names may stand in one.

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/names.h"
#include "file/rows.h"
#include "sim/scenario.h"

void ap__forces_free(ap__forces *f) {
  free(f->constant);
  free(f->place);
  free(f->table);
  free(f->time);
}

// ---- forces over time --------------------------------------------------------------------------

// The last row that is not after t; -1: none.
static int row_before(const ap__forces *f, double t) {
  size_t width = 1 + (size_t)f->columns;
  int low = -1, high = f->rows;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (f->table[(size_t)middle * width] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

ap_status ap__scenario_force(void *context, double t, const double *q, const double *v,
                             double *tau) {
  (void)q;
  (void)v;
  const ap__forces *f = context;
  for (int i = 0; f->constant && i < f->nv; i++) tau[i] += f->constant[i];
  if (f->rows == 0) return AP_OK;
  size_t width = 1 + (size_t)f->columns;
  int i = row_before(f, t);
  const double *a = f->table + (size_t)(i < 0 ? 0 : i) * width;
  bool held = i < 0 || i == f->rows - 1;
  const double *b = held ? a : a + width;
  double part = held ? 0 : (t - a[0]) / (b[0] - a[0]);
  for (int k = 0; k < f->columns; k++) tau[f->place[k]] += a[1 + k] + part * (b[1 + k] - a[1 + k]);
  return AP_OK;
}

// ---- the file ----------------------------------------------------------------------------------

typedef struct force_file {
  ap__scenario_reader *r;
  const char *name; // as the scenario has it
  int line;         // of the names
} force_file;

// An error of the file, at the line where the scenario names it.
AP_PRINTF(3, 4) static bool fail(force_file *f, int line, const char *format, ...) {
  ap_error own;
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(&own, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  return ap__yaml_fail_file(&f->r->yaml, f->r->head.forces->line, "forces", f->name, &own, "");
}

static bool is_between(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

// The next name in a line, closed by a zero in its place; NULL past the last.
static char *next_name(char **at) {
  char *name = *at;
  while (is_between(*name)) name++;
  if (!*name) return NULL;
  char *end = name;
  while (*end && !is_between(*end)) end++;
  *at = *end ? end + 1 : end;
  *end = 0;
  return name;
}

static bool unknown_column(force_file *f, const char *name) {
  const ap_model *m = f->r->scenario->model;
  const char *meant = NULL;
  int least = INT_MAX;
  for (int i = 1; i < ap_nbody(m); i++) {
    const char *known = ap__joint_name(ap_body(m, i));
    if (ap_joint_nv(m, i) == 1 && ap__name_nearer(name, known, &least)) meant = known;
  }
  if (meant)
    return fail(f, f->line, "the robot has no joint \"%.*s\" (did you mean \"%.*s\"?)",
                ap__shown(name), name, ap__shown(meant), meant);
  return fail(f, f->line, "the robot has no joint \"%.*s\" (expected columns: t, then joints)",
              ap__shown(name), name);
}

static bool add_column(force_file *f, const char *name, int *capacity) {
  const ap_model *m = f->r->scenario->model;
  ap__forces *forces = &f->r->scenario->forces;
  if (strncmp(name, "tau.", 4) == 0) name += 4; // as logs of runs have it
  int body = ap_find_joint(m, name);
  if (body < 0) return unknown_column(f, name);
  if (ap_joint_nv(m, body) != 1)
    return fail(f, f->line, "the joint \"%.*s\" has %d degrees of freedom (expected one)",
                ap__shown(name), name, ap_joint_nv(m, body));
  int place = ap_joint_v(m, body);
  for (int i = 0; i < forces->columns; i++)
    if (forces->place[i] == place)
      return fail(f, f->line, "duplicate joint \"%.*s\" (name it once)", ap__shown(name), name);
  int *column = ap__append(&forces->place, &forces->columns, capacity, sizeof *column);
  if (!column) return ap__yaml_no_memory(&f->r->yaml);
  *column = place;
  return true;
}

// The line that names the columns, behind blank lines and comments; NULL once the error is set.
static char *find_names(force_file *f, char *text) {
  char *line = text;
  for (f->line = 1; *line; f->line++) {
    char *at = line;
    while (is_between(*at)) at++;
    bool comment = *at == '#';
    while (is_between(*at) || *at == '#') at++;
    if (*at == 't' && (is_between(at[1]) || at[1] == '\n' || !at[1])) return at;
    if (*at && *at != '\n' && !comment) break;
    line += strcspn(line, "\n");
    if (*line) line++;
  }
  fail(f, f->line, "the names of the columns are missing (expected t, then joints)");
  return NULL;
}

// The names are blank afterwards, so that the rows keep their lines.
static bool read_names(force_file *f, char *text, size_t length) {
  if (memchr(text, 0, length)) return fail(f, 0, "the file has a NUL byte (expected plain text)");
  if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) memset(text, ' ', 3);
  char *names = find_names(f, text), *at = names, *name;
  if (!names) return false;
  size_t width = strcspn(names, "\n");
  bool more = names[width] != 0;
  int capacity = 0;
  names[width] = 0;
  next_name(&at); // t
  while ((name = next_name(&at)))
    if (!add_column(f, name, &capacity)) return false;
  memset(names, ' ', width);
  if (more) names[width] = '\n';
  return f->r->scenario->forces.columns > 0 ||
         fail(f, f->line, "no joint is named (expected columns: t, then joints)");
}

static bool read_rows(force_file *f, ap_rows *rows) {
  ap__forces *forces = &f->r->scenario->forces;
  size_t width = 1 + (size_t)forces->columns;
  for (;;) {
    double *grown =
        ap__grown(forces->table, forces->rows, &forces->capacity, width * sizeof *grown);
    if (!grown) return ap__yaml_no_memory(&f->r->yaml);
    forces->table = grown;
    double *row = forces->table + (size_t)forces->rows * width;
    ap_error own = {0};
    bool end;
    ap_status status = ap_rows_next(rows, (int)width, row, &end, &own);
    if (status == AP_E_MEMORY) return ap__yaml_no_memory(&f->r->yaml);
    if (status) return fail(f, own.line, "%s", own.text);
    if (end)
      return forces->rows > 0 ||
             fail(f, f->line, "no row of numbers below the names (expected one per time)");
    if (forces->rows > 0 && !(row[0] > row[-(ptrdiff_t)width]))
      return fail(f, ap_rows_line(rows), "the time %g s comes after %g s (times must increase)",
                  row[0], row[-(ptrdiff_t)width]);
    forces->rows++;
  }
}

// Forces have a kink at every time of the file.
static bool list_times(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  ap__forces *f = &s->forces;
  f->time = malloc((size_t)f->rows * sizeof *f->time);
  if (!f->time) return ap__yaml_no_memory(&r->yaml);
  int n = 0;
  for (int i = 0; i < f->rows; i++) {
    double t = f->table[(size_t)i * (1 + (size_t)f->columns)];
    if (t > s->start && t < s->end) f->time[n++] = t;
  }
  s->scene.force_time = f->time;
  s->scene.nforce_time = n;
  return true;
}

static bool read_text(force_file *f, char *text, size_t length) {
  ap_rows *rows = NULL;
  if (!read_names(f, text, length)) return false;
  if (ap__rows_memory(text, length, &rows, NULL)) return ap__yaml_no_memory(&f->r->yaml);
  ap_rows_describe(rows, "t and the joints");
  bool good = read_rows(f, rows) && list_times(f->r);
  ap_rows_close(rows);
  return good;
}

static bool read_file(ap__scenario_reader *r) {
  force_file f = {.r = r};
  if (!ap__yaml_text(&r->yaml, "forces", r->head.forces, &f.name)) return false;
  char *text = NULL;
  const char *path;
  size_t length = 0;
  ap_error own = {0};
  ap_status status = ap__scenario_path(r, f.name, &path, &own);
  if (status == AP_OK) status = ap__read_file(path, &text, &length, &own);
  bool good = status == AP_E_MEMORY ? ap__yaml_no_memory(&r->yaml)
              : status ? fail(&f, 0, "%s (expected a file beside the scenario)", own.text)
                       : read_text(&f, text, length);
  free(text);
  return good;
}

// ---- constant forces ---------------------------------------------------------------------------

static bool read_force(ap__scenario_reader *r, int body, const ap__node *n) {
  const ap_model *m = r->scenario->model;
  return ap__yaml_numbers(&r->yaml, "forces", n, ap_joint_nv(m, body),
                          r->scenario->forces.constant + ap_joint_v(m, body));
}

bool ap__scenario_read_forces(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  const ap__node *n = r->head.forces;
  s->scene.nforce_time = 0; // none, or constant ones
  if (!n) return true;
  s->forces.nv = ap_nv(s->model);
  s->scene.force = ap__scenario_force;
  s->scene.context = &s->forces;
  if (n->kind == AP__SCALAR) return read_file(r);
  s->forces.constant = calloc((size_t)s->forces.nv, sizeof *s->forces.constant);
  if (!s->forces.constant) return ap__yaml_no_memory(&r->yaml);
  return ap__scenario_by_joint(r, "forces", n, read_force);
}

// ---- loads -------------------------------------------------------------------------------------

bool ap__scenario_read_loads(ap__scenario_reader *r) {
  ap_scenario *s = r->scenario;
  ap__yaml *y = &r->yaml;
  if (r->nload == 0) return true;
  s->loads = calloc((size_t)r->nload, sizeof *s->loads);
  if (!s->loads) return ap__yaml_no_memory(y);
  for (int i = 0; i < r->nload; i++) {
    const ap__scenario_load *l = &r->loads[i];
    ap_load load = l->load;
    load.body = ap__scenario_link(r, "loads", ap__line_of(l->node, "link"), l->link);
    if (load.body < 0) return false;
    if (isinf(load.from)) load.from = s->start;
    if (isinf(load.to)) load.to = s->end;
    if (!(load.from < load.to))
      return ap__yaml_fail(y, l->node->line, "loads: from %g s to %g s (the end must be later)",
                           load.from, load.to);
    if ((load.from >= s->end || load.to <= s->start) &&
        !ap__scenario_warn(r, l->node->line, "the load acts from %g s to %g s, outside the run",
                           load.from, load.to))
      return false;
    s->loads[i] = load;
  }
  s->scene.load = s->loads;
  s->scene.nload = r->nload;
  return true;
}
