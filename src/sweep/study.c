// SPDX-License-Identifier: Apache-2.0
// A study from its file: parameters, design, outcomes; then what the kind of its trials needs.

#define _XOPEN_SOURCE 700 // for realpath()
#include "sweep/study.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "file/names.h"

typedef struct reader {
  ap__yaml yaml;
  ap_sweep *sweep;
} reader;

ap_status ap__study_refuse(ap_error *error, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  return AP_E_SYNTAX;
}

// ---- parameters --------------------------------------------------------------------------------

static bool has(const reader *r, const char *map, unsigned seen, const char *key) {
  return ap__yaml_has(&r->yaml, map, seen, key);
}

static bool read_values(reader *r, const char *key, const ap__node *n, ap__parameter *p) {
  ap__yaml *y = &r->yaml;
  if (!ap__yaml_expect_list(y, key, n, "numbers")) return false;
  if (n->length == 0)
    return ap__yaml_fail(y, n->line, "%s has no values (expected at least one number)", key);
  double *value =
      ap__pool_bytes(&r->sweep->source.pool, (size_t)n->length * sizeof *value, _Alignof(double));
  if (!value) return ap__yaml_no_memory(y);
  int k = 0;
  for (const ap__node *item = n->first; item; item = item->next)
    if (!ap__yaml_number(y, key, item, &value[k++])) return false;
  p->value = value;
  p->values = n->length;
  return true;
}

static bool read_range(reader *r, const double range[3], ap__parameter *p) {
  ap__yaml *y = &r->yaml;
  const double n = range[2];
  if (!(n >= 1 && n <= 1e6 && n == floor(n)))
    return ap__yaml_fail(y, p->line,
                         "range: %g values (expected a whole number of values, from 1 to 1e6)", n);
  double *value =
      ap__pool_bytes(&r->sweep->source.pool, (size_t)n * sizeof *value, _Alignof(double));
  if (!value) return ap__yaml_no_memory(y);
  p->values = (int)n;
  for (int k = 0; k < p->values; k++)
    value[k] = k == 0               ? range[0]
               : k == p->values - 1 ? range[1]
                                    : range[0] + (range[1] - range[0]) * k / (p->values - 1);
  p->value = value;
  return true;
}

static bool check_numbers(reader *r, const ap__parameter *p) {
  ap__yaml *y = &r->yaml;
  switch (p->distribution) {
    case AP__UNIFORM:
      return p->a < p->b ||
             ap__yaml_fail(y, p->line, "uniform: %g to %g (from must be below to)", p->a, p->b);
    case AP__LOGUNIFORM:
      return (p->a > 0 && p->a < p->b) ||
             ap__yaml_fail(y, p->line, "loguniform: %g to %g (0 < from < to)", p->a, p->b);
    case AP__NORMAL:
      return p->b >= 0 || ap__yaml_fail(y, p->line,
                                        "normal: the deviation %g is negative (it must be 0 or "
                                        "more)",
                                        p->b);
    case AP__LOGNORMAL:
      return (p->a > 0 && p->b >= 0) ||
             ap__yaml_fail(y, p->line, "lognormal: %g, %g (median above 0, deviation 0 or more)",
                           p->a, p->b);
    case AP__TRIANGULAR:
      return (p->a <= p->b && p->b <= p->c && p->a < p->c) ||
             ap__yaml_fail(y, p->line, "triangular: %g, %g, %g (they must increase)", p->a, p->b,
                           p->c);
    default: return true;
  }
}

static void set_numbers(ap__parameter *p, ap__distribution d, const double *x, int n) {
  p->distribution = d;
  p->a = x[0];
  p->b = x[1];
  if (n > 2) p->c = x[2];
}

static bool set_parameter(reader *r, const ap__parameter_map *m, ap__parameter *p) {
  static const char *const words[] = {"uniform",    "normal", "lognormal", "loguniform",
                                      "triangular", "choice", "grid",      "range"};
  enum { WORDS = sizeof words / sizeof words[0] };
  int given = 0, which = 0;
  for (int k = 0; k < WORDS; k++)
    if (has(r, "parameter", m->seen, words[k])) given++, which = k;
  if (given != 1)
    return ap__yaml_fail(&r->yaml, p->line,
                         "parameter \"%.*s\" has %s (one of: uniform, normal, lognormal, "
                         "loguniform, triangular, choice, grid, range)",
                         ap__shown(p->name), p->name,
                         given ? "two distributions" : "no distribution");
  switch (which) {
    case 0: set_numbers(p, AP__UNIFORM, m->uniform, 2); break;
    case 1: set_numbers(p, AP__NORMAL, m->normal, 2); break;
    case 2: set_numbers(p, AP__LOGNORMAL, m->lognormal, 2); break;
    case 3: set_numbers(p, AP__LOGUNIFORM, m->loguniform, 2); break;
    case 4: set_numbers(p, AP__TRIANGULAR, m->triangular, 3); break;
    default: p->distribution = which == 5 ? AP__CHOSEN : AP__GRID;
  }
  if (which == 7) return read_range(r, m->range, p);
  if (which >= 5) return read_values(r, words[which], which == 5 ? m->choice : m->grid, p);
  return check_numbers(r, p);
}

static bool read_parameter(reader *r, const ap__node *n) {
  ap_sweep *s = r->sweep;
  ap__parameter_map m = {0};
  if (!ap__yaml_read_map(&r->yaml, n, "parameter", &m)) return false;
  if (s->design.n == AP__MOST_PARAMETERS)
    return ap__yaml_fail(&r->yaml, n->line, "more than %d parameters", AP__MOST_PARAMETERS);
  ap__parameter *p = ap__append(&s->parameter, &s->design.n, &s->parameter_capacity, sizeof *p);
  if (!p) return ap__yaml_no_memory(&r->yaml);
  p->key = m.key;
  p->name = m.name ? m.name : m.key;
  p->relative = m.relative;
  p->line = n->line;
  return set_parameter(r, &m, p);
}

// ---- outcomes ----------------------------------------------------------------------------------

static const char *const takes[] = {"last", "first", "least", "most", "largest",
                                    "mean", "rms",   "sum",   "count"};

static bool name_outcome(reader *r, ap__outcome *o) {
  char text[400];
  if (o->name) return true;
  snprintf(text, sizeof text, "%s %.150s%s%.150s", takes[o->take], o->column ? o->column : o->event,
           o->minus || o->number ? " " : "",
           o->minus    ? o->minus
           : o->number ? o->number
                       : "");
  o->name = ap__pool_text(&r->sweep->source.pool, text, strlen(text));
  return o->name || ap__yaml_no_memory(&r->yaml);
}

static bool read_outcome(reader *r, const ap__node *n) {
  ap_sweep *s = r->sweep;
  ap__yaml *y = &r->yaml;
  ap__outcome m = {.from = -INFINITY, .line = n->line};
  if (!ap__yaml_read_map(y, n, "outcome", &m)) return false;
  if (s->outcomes == AP__MOST_OUTCOMES)
    return ap__yaml_fail(y, n->line, "more than %d outcomes", AP__MOST_OUTCOMES);
  if (!m.column == !m.event)
    return ap__yaml_fail(y, n->line, "an outcome has %s (it takes column, or event)",
                         m.column ? "column and event" : "neither column nor event");
  if (m.column && m.number)
    return ap__yaml_fail(y, n->line, "number belongs to an event (remove it, or write event)");
  if (m.event && m.minus) return ap__yaml_fail(y, n->line, "minus belongs to a column (remove it)");
  ap__outcome *o = ap__append(&s->outcome, &s->outcomes, &s->outcome_capacity, sizeof *o);
  if (!o) return ap__yaml_no_memory(y);
  *o = m;
  return name_outcome(r, o);
}

static bool read_list(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, void *target) {
  (void)target;
  reader *r = y->context;
  const bool parameters = strcmp(k->key, "parameters") == 0;
  if (!ap__yaml_expect_list(y, k->key, n, k->of)) return false;
  if (n->length == 0)
    return ap__yaml_fail(y, n->line, "%s is empty (expected at least one)", k->key);
  for (const ap__node *item = n->first; item; item = item->next)
    if (!(parameters ? read_parameter(r, item) : read_outcome(r, item))) return false;
  return true;
}

// ---- the whole ---------------------------------------------------------------------------------

static bool finish_map(ap__yaml *y, const ap__node *n, const char *map, unsigned seen,
                       void *target) {
  (void)y, (void)n;
  unsigned *to = strcmp(map, "study") == 0       ? &((ap__study_head *)target)->seen
                 : strcmp(map, "eval") == 0      ? &((ap__eval_map *)target)->seen
                 : strcmp(map, "rollout") == 0   ? &((ap__rollout_map *)target)->seen
                 : strcmp(map, "parameter") == 0 ? &((ap__parameter_map *)target)->seen
                 : strcmp(map, "outcome") == 0   ? &((ap__outcome *)target)->seen
                                                 : NULL;
  if (to) *to = seen;
  return true;
}

static const char *const names[][2] = {{"study", "a study"}, {NULL, NULL}};
static const char *const own_words[][2] = {
    {"scenario", "run"}, {"robot", "model"}, {"lhs", "latin"}, {"max", "most"},
    {"min", "least"},    {"final", "last"},  {NULL, NULL}};
static const ap__yaml_format format = {.file = "a study",
                                       .opening = "appell-study: 1",
                                       .keys = ap__study_keys,
                                       .names = names,
                                       .own_words = own_words,
                                       .list = read_list,
                                       .finish = finish_map};

static bool choose_kind(reader *r) {
  ap_sweep *s = r->sweep;
  static const struct {
    const char *key;
    const ap__trial_kind *kind;
  } kinds[] = {{"run", &ap__trial_run},
               {"eval", &ap__trial_eval},
               {"rollout", &ap__trial_rollout},
               {"identify", &ap__trial_identify}};
  int given = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    if (!has(r, "study", s->head.seen, kinds[k].key)) continue;
    s->kind = kinds[k].kind;
    given++;
  }
  return given == 1 ||
         ap__yaml_fail(&r->yaml, 1, "a study has %s (one of: run, eval, rollout, identify)",
                       given ? "two kinds of trials" : "no trials to run");
}

static bool check_names(reader *r) {
  const ap_sweep *s = r->sweep;
  ap__names index = {0};
  if (!ap__names_init(&index, s->design.n + s->outcomes)) return ap__yaml_no_memory(&r->yaml);
  bool good = true;
  for (int k = 0; good && k < s->design.n + s->outcomes; k++) {
    const bool parameter = k < s->design.n;
    const char *name = parameter ? s->parameter[k].name : s->outcome[k - s->design.n].name;
    if (ap__names_put(&index, name, k) >= 0)
      good = ap__yaml_fail(&r->yaml,
                           parameter ? s->parameter[k].line : s->outcome[k - s->design.n].line,
                           "the name \"%.*s\" is taken (give it another)", ap__shown(name), name);
  }
  ap__names_free(&index);
  return good;
}

static bool is_whole(double x, double least, double most) {
  return x >= least && x <= most && x == floor(x);
}

static bool set_design(reader *r) {
  ap_sweep *s = r->sweep;
  const ap__study_head *h = &s->head;
  ap__yaml *y = &r->yaml;
  ap__design *d = &s->design;
  const double most = (double)AP__MOST_TRIALS;
  const int line = ap__line_of(y->root, "trials");
  if (!is_whole(h->trials, 1, INFINITY))
    return ap__yaml_fail(y, line, "trials: %g (expected a whole number from 1)", h->trials);
  if (!is_whole(h->seed, 0, 0x1p53))
    return ap__yaml_fail(y, ap__line_of(y->root, "seed"),
                         "seed: %g (expected a whole number from 0 to 2^53)", h->seed);
  d->kind = (ap__design_kind)h->design;
  d->parameter = s->parameter;
  d->seed = (uint64_t)h->seed;
  d->samples = h->trials <= most ? (uint64_t)h->trials : 0;
  if (!ap__design_init(d)) return ap__yaml_no_memory(y);
  if (d->trials == 0)
    return ap__yaml_fail(y, line, "%g samples with these grids are too many trials (at most %.4g)",
                         h->trials, most);
  if (d->kind >= AP__SALTELLI && d->random < d->n)
    return ap__yaml_fail(y, ap__line_of(y->root, "design"),
                         "design: saltelli and morris take no grids (use distributions)");
  return d->random > 0 || h->trials == 1 ||
         ap__yaml_fail(y, line, "trials: %g, but all parameters are grids (remove it)", h->trials);
}

static bool set_chunk(reader *r) {
  ap_sweep *s = r->sweep;
  double chunk = s->head.chunk;
  if (chunk != 0 && !is_whole(chunk, 1, 1e9))
    return ap__yaml_fail(&r->yaml, ap__line_of(r->yaml.root, "chunk"),
                         "chunk: %g (expected a whole number from 1 to 1e9)", chunk);
  if (chunk == 0) chunk = (double)s->kind->chunk;
  const double least = ceil((double)s->design.trials / AP__MOST_CHUNKS);
  s->chunk = (long)(chunk > least ? chunk : least);
  s->chunks = (s->design.trials + (uint64_t)s->chunk - 1) / (uint64_t)s->chunk;
  return true;
}

static bool read_all(reader *r) {
  ap_sweep *s = r->sweep;
  ap__yaml *y = &r->yaml;
  if (!ap__yaml_parse(y, s->source.text, s->source.length)) return false;
  s->head = (ap__study_head){
      .name = "study", .trials = 1, .seed = 1, .rollout = {.dt = 1e-3, .steps = 1000, .every = 10}};
  return ap__yaml_read_map(y, y->root, "study", &s->head) && choose_kind(r) && check_names(r) &&
         set_design(r) && set_chunk(r);
}

int ap__chunk_trials(const ap_sweep *s, uint64_t c) {
  const uint64_t rest = s->design.trials - c * (uint64_t)s->chunk;
  return (int)(rest < (uint64_t)s->chunk ? rest : (uint64_t)s->chunk);
}

ap_status ap__study_read(const char *path, ap_sweep **sweep, ap_error *error) {
  *sweep = NULL;
  ap_error own = {0};
  ap_sweep *s = calloc(1, sizeof *s);
  if (!s) return ap__no_memory(error);
  own.status = ap__source_read(&s->source, path, &own);
  if (own.status == AP_OK) {
    s->path = ap__pool_text(&s->source.pool, path, strlen(path));
    reader r = {.sweep = s};
    r.yaml = (ap__yaml){.format = &format, .error = &own, .kept = &s->source.pool, .context = &r};
    const bool good = s->path && read_all(&r);
    if (!good && own.status == AP_OK) own.status = ap__no_memory(&own);
    ap__yaml_free(&r.yaml);
  }
  if (own.status == AP_OK) {
    *sweep = s;
    return AP_OK;
  }
  ap_sweep_free(s);
  if (error) *error = own;
  return own.status;
}

// ---- what it names -----------------------------------------------------------------------------

// By the text: the tree is gone by then.
int ap__study_line(const ap_sweep *s, const char *key) {
  int line = 1;
  const size_t n = strlen(key);
  for (const char *at = s->source.text; at; line++) {
    if (strncmp(at, key, n) == 0 && at[n] == ':') return line;
    at = strchr(at, '\n');
    if (at) at++;
  }
  return 1;
}

ap_status ap__study_file(ap_sweep *s, const char *name, const char **path, ap_error *error) {
  return ap__source_path(&s->source, name, path, error);
}

ap_status ap__study_digest(ap_sweep *s, const char *path, ap_error *error) {
  char *text = NULL;
  size_t length = 0;
  const ap_status status = ap__read_file(path, &text, &length, error);
  const uint64_t n = length;
  if (status == AP_OK) {
    ap__sha256_add(&s->content, &n, sizeof n);
    ap__sha256_add(&s->content, text, length);
  }
  free(text);
  return status;
}

ap_status ap__study_robot(ap_sweep *s, const char *map, const char *name, bool floating,
                          ap_robot **robot, ap_error *error) {
  const ap_read_options options = {.floating = floating};
  ap_error own = {0};
  const char *path = NULL;
  *robot = NULL;
  if (!ap__format_of_path(name)) {
    own.status = ap_robot_builtin(name, &options, robot, &own);
  } else {
    own.status = ap__study_file(s, name, &path, &own);
    if (own.status == AP_OK) own.status = ap_robot_read(path, &options, robot, &own);
    if (own.status == AP_OK) own.status = ap__study_digest(s, path, &own);
  }
  if (own.status == AP_OK) return AP_OK;
  ap_robot_free(*robot);
  *robot = NULL;
  if (own.status == AP_E_MEMORY) return ap__no_memory(error);
  return ap__study_refuse(error, ap__study_line(s, map), "model: %.*s%s%.0d: %s", ap__shown(name),
                          name, own.line ? ":" : "", own.line, own.text);
}

// ---- the study as others see it ----------------------------------------------------------------

static ap_status check_times(const ap_sweep *s, ap_error *error) {
  for (int k = 0; k < s->outcomes && !s->kind->timed; k++)
    if (s->outcome[k].from > -INFINITY)
      return ap__study_refuse(error, s->outcome[k].line,
                              "from: trials of %s have no time (remove it)", s->kind->name);
  return AP_OK;
}

ap_status ap_sweep_read(const char *path, ap_sweep **sweep, ap_error *error) {
  ap_status status = ap__study_read(path, sweep, error);
  if (status != AP_OK) return status;
  ap_sweep *s = *sweep;
  const uint64_t n = s->source.length;
  ap__sha256_start(&s->content);
  ap__sha256_add(&s->content, &n, sizeof n);
  ap__sha256_add(&s->content, s->source.text, s->source.length);
  status = check_times(s, error);
  if (status == AP_OK) status = s->kind->prepare(s, error);
  ap__sha256_end(&s->content, s->digest);
  if (status == AP_OK) return AP_OK;
  ap_sweep_free(s);
  *sweep = NULL;
  return status;
}

void ap_sweep_free(ap_sweep *s) {
  if (!s) return;
  if (s->kind && s->own) s->kind->release(s);
  ap__design_free(&s->design);
  free(s->parameter);
  free(s->outcome);
  ap__source_free(&s->source);
  free(s);
}

const char *ap_sweep_name(const ap_sweep *s) { return s->head.name; }
const char *ap_sweep_kind(const ap_sweep *s) { return s->kind->name; }
long long ap_sweep_trials(const ap_sweep *s) { return (long long)s->design.trials; }
long ap_sweep_chunk(const ap_sweep *s) { return s->chunk; }

const char *ap_sweep_parameter(const ap_sweep *s, int i) {
  return i >= 0 && i < s->design.n ? s->parameter[i].name : NULL;
}

const char *ap_sweep_outcome(const ap_sweep *s, int i) {
  return i >= 0 && i < s->outcomes ? s->outcome[i].name : NULL;
}

static ap_status check_trial(const ap_sweep *s, long long trial, ap_error *error) {
  if (trial >= 0 && (uint64_t)trial < s->design.trials) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0, "there is no trial %lld (from 0 to %lld)", trial,
                    (long long)s->design.trials - 1);
}

ap_status ap_sweep_values(const ap_sweep *s, long long trial, double *values) {
  const ap_status status = check_trial(s, trial, NULL);
  for (int p = 0; status == AP_OK && p < s->design.n; p++)
    ap__design_column(&s->design, p, (uint64_t)trial, 1, &values[p], 1);
  return status;
}

ap_status ap_sweep_trial(const ap_sweep *s, long long trial, const char *record, double *outcomes,
                         ap_error *error) {
  ap_status status = check_trial(s, trial, error);
  if (status != AP_OK) return status;
  for (int k = 0; k < s->outcomes; k++) outcomes[k] = NAN;
  void *worker = s->kind->open(s);
  status = worker ? s->kind->one(worker, (uint64_t)trial, record, outcomes, error)
                  : ap__no_memory(error);
  if (worker) s->kind->close(worker);
  return status;
}
