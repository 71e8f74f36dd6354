// SPDX-License-Identifier: Apache-2.0
#include "file/yaml_map.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "file/names.h"
#include "file/number.h"

// ---- files and errors --------------------------------------------------------------------------

bool ap__yaml_fail(ap__yaml *y, int line, const char *format, ...) {
  if (y->doctor) return false;
  va_list arguments;
  va_start(arguments, format);
  ap__vfail(y->error, AP_E_SYNTAX, line, format, arguments);
  va_end(arguments);
  y->status = AP_E_SYNTAX;
  return false;
}

bool ap__yaml_no_memory(ap__yaml *y) {
  y->status = ap__no_memory(y->error);
  return false;
}

bool ap__yaml_fail_file(ap__yaml *y, int line, const char *key, const char *file,
                        const ap_error *own, const char *remedy) {
  if (own->status == AP_E_MEMORY) return ap__yaml_no_memory(y);
  char place[16] = "";
  if (own->line > 0) snprintf(place, sizeof place, ":%d", own->line);
  return ap__yaml_fail(y, line, "%s: %s%s: %s%s", key, ap__path_end(file), place, own->text,
                       remedy);
}

bool ap__yaml_parse(ap__yaml *y, const char *text, size_t length) {
  bool good = ap__tree_yaml(&y->tree, text, length, y->format->file, y->format->opening);
  y->root = y->tree.root;
  y->status = y->tree.error.status;
  if (!good && y->error) *y->error = y->tree.error;
  return good;
}

void ap__yaml_free(ap__yaml *y) { ap__tree_free(&y->tree); }

// ---- words --------------------------------------------------------------------------------------

// What stands beside a word in a list of pairs; NULL where it has none.
static const char *beside(const char *const (*pairs)[2], const char *word) {
  for (; (*pairs)[0]; pairs++)
    if (strcmp(word, (*pairs)[0]) == 0) return (*pairs)[1];
  return NULL;
}

// A map of this name, in a sentence.
static const char *a_map(ap__yaml *y, const char *map) {
  const char *name = y->format->names ? beside(y->format->names, map) : NULL;
  if (name) return name;
  snprintf(y->a_map, sizeof y->a_map, "%s %s", strchr("aeiou", *map) ? "an" : "a", map);
  return y->a_map;
}

// ---- scalars -----------------------------------------------------------------------------------

static bool is_plain(const ap__node *n) { return n->kind == AP__SCALAR && n->plain; }

const char *ap__yaml_kind_of(const ap__node *n) {
  return n->kind == AP__LIST  ? "a list"
         : n->kind == AP__MAP ? "a map"
         : n->plain           ? "a value"
                              : "a text in quotes";
}

bool ap__yaml_number(ap__yaml *y, const char *key, const ap__node *n, double *x) {
  int line = n->line;
  if (!is_plain(n))
    return ap__yaml_fail(y, line, "%s has %s (expected a number)", key, ap__yaml_kind_of(n));
  const char *text = n->text, *end = text;
  ap__number kind = ap__parse_double(text, &end, x);
  if (kind == AP__NUMBER_HUGE)
    return ap__yaml_fail(y, line, "%s: %.*s is beyond the range of a double", key, ap__shown(text),
                         text);
  if (kind == AP__NUMBER && end == text + n->length) return true;
  return ap__yaml_fail(
      y, line, "%s: \"%.*s\" is not a number (expected a finite decimal number without a unit)",
      key, ap__shown(text), text);
}

bool ap__yaml_text(ap__yaml *y, const char *key, const ap__node *n, const char **kept) {
  int line = n->line;
  if (n->kind != AP__SCALAR)
    return ap__yaml_fail(y, line, "%s has %s (expected a text)", key, ap__yaml_kind_of(n));
  const char *text = n->text;
  size_t length = (size_t)n->length;
  bool null = is_plain(n) && (strcmp(text, "~") == 0 || strcmp(text, "null") == 0);
  if (length == 0 || null) return ap__yaml_fail(y, line, "%s is empty (expected a text)", key);
  if (ap__has_control(text, length))
    return ap__yaml_fail(y, line, "%s has a control character (expected one line of text)", key);
  *kept = ap__pool_text(y->kept, text, length);
  return *kept || ap__yaml_no_memory(y);
}

static bool read_numbers(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, double *x) {
  if (k->kind == AP__YAML_LIMIT && is_plain(n) && strcmp(n->text, "none") == 0) return true;
  return y->doctor ? y->doctor->numbers(y->doctor->context, k->key, n, k->count, x)
                   : ap__yaml_numbers(y, k->key, n, k->count, x);
}

// Which of the words (blanks between) it is.
static bool read_choice(ap__yaml *y, const char *key, const ap__node *n, const char *words,
                        int *choice) {
  const char *text = n->kind == AP__SCALAR ? n->text : "", *w = words;
  for (int i = 0; *w; i++, w += strspn(w, " ")) {
    size_t length = strcspn(w, " ");
    if (length == strlen(text) && memcmp(w, text, length) == 0) {
      *choice = i;
      return true;
    }
    w += length;
  }
  const char *own = beside(y->format->own_words, text);
  if (own && strstr(words, own))
    return ap__yaml_fail(y, n->line, "%s: \"%.*s\" is unknown (write \"%s\"%s)", key,
                         ap__shown(text), text, own,
                         strcmp(text, "continuous") == 0 ? ", without limits" : "");
  return ap__yaml_fail(y, n->line, "%s: \"%.*s\" is unknown (one of: %s)", key, ap__shown(text),
                       text, words);
}

// ---- lists -------------------------------------------------------------------------------------

bool ap__yaml_expect_list(ap__yaml *y, const char *key, const ap__node *n, const char *of) {
  return n->kind == AP__LIST || ap__yaml_fail(y, n->line, "%s has %s (expected a list of %s)", key,
                                              ap__yaml_kind_of(n), of);
}

bool ap__yaml_numbers(ap__yaml *y, const char *key, const ap__node *n, int count, double *x) {
  if (count == 1) return ap__yaml_number(y, key, n, x);
  if (n->kind != AP__LIST)
    return ap__yaml_fail(y, n->line, "%s must be a list of %d numbers%s", key, count,
                         count == 3 ? ", such as [0, 1, 0]" : "");
  bool rows = count == 9 && n->length == 3 && n->first->kind == AP__LIST;
  if (n->length != count && !rows)
    return ap__yaml_fail(y, n->line, "%s has %d entr%s (expected a list of %d numbers)", key,
                         n->length, n->length == 1 ? "y" : "ies", count);
  int step = rows ? 3 : 1;
  for (const ap__node *item = n->first; item; item = item->next) {
    if (!ap__yaml_numbers(y, key, item, step, x)) return false;
    x += step;
  }
  return true;
}

// ---- maps --------------------------------------------------------------------------------------

static bool read_version(ap__yaml *y, const char *key, const ap__node *n) {
  double version = 0;
  if (!ap__yaml_number(y, key, n, &version)) return false;
  return version == 1 ||
         ap__yaml_fail(y, n->line, "%s: version %g of the format is unknown (expected 1)", key,
                       version);
}

static bool read_value(ap__yaml *y, const ap__yaml_key *k, const ap__node *n, void *target) {
  void *to = (char *)target + k->offset;
  switch (k->kind) {
    case AP__YAML_VERSION: return read_version(y, k->key, n);
    case AP__YAML_TEXT: return ap__yaml_text(y, k->key, n, to);
    case AP__YAML_NUMBERS:
    case AP__YAML_LIMIT: return read_numbers(y, k, n, to);
    case AP__YAML_CHOICE: return read_choice(y, k->key, n, k->of, to);
    case AP__YAML_MAP: return ap__yaml_read_map(y, n, k->of, to);
    case AP__YAML_TEXTS:
    case AP__YAML_LIST: return y->format->list(y, k, n, target);
    case AP__YAML_ANY: *(const ap__node **)to = n; return true;
  }
  return false;
}

// The keys of a map: a row of the table.
static const ap__yaml_key *keys_of(const ap__yaml *y, const char *map) {
  const ap__yaml_key *k = y->format->keys;
  while (strcmp(k->map, map) != 0) k++;
  return k;
}

static bool same_map(const ap__yaml_key *k, const char *map) {
  return k->map && strcmp(k->map, map) == 0;
}

// A key of the map that may have been meant; NULL: none.
static const char *key_meant(const ap__yaml *y, const char *map, const char *key) {
  const char *best = NULL, *own = beside(y->format->own_words, key);
  int least = INT_MAX;
  for (const ap__yaml_key *k = keys_of(y, map); same_map(k, map); k++) {
    if (own && strcmp(own, k->key) == 0) return own;
    if (ap__name_nearer(key, k->key, &least)) best = k->key;
  }
  return best;
}

// A file of another format that the key opens; NULL: none. What to do with it goes to *use.
static const char *other_format(const ap__yaml *y, const char *map, const char *key,
                                const char **use) {
  static const char *const openings[][3] = {
      {"appell", "a robot", "a scenario names it: \"robot: FILE\""},
      {"appell-scenario", "a scenario", "`appell simulate` runs it"},
      {"appell-control", "a control scenario", "`appell control` runs it"}};
  if (strcmp(map, y->format->keys[0].map) != 0) return NULL; // of the whole file
  for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
    *use = openings[i][2];
    if (strcmp(key, openings[i][0]) == 0) return openings[i][1];
  }
  return NULL;
}

static bool unknown_key(ap__yaml *y, const ap__node *n, const char *map) {
  int line = n->line;
  const char *key = n->text;
  const char *meant = key_meant(y, map, key);
  if (y->doctor) return y->doctor->unknown_key(y->doctor->context, map, n, meant), false;
  const char *use, *other = other_format(y, map, key, &use);
  if (other) return ap__yaml_fail(y, line, "this is %s, not %s (%s)", other, a_map(y, map), use);
  if (meant)
    return ap__yaml_fail(y, line, "unknown key \"%.*s\" in %s (did you mean \"%s\"?)",
                         ap__shown(key), key, a_map(y, map), meant);
  char all[240] = "";
  for (const ap__yaml_key *k = keys_of(y, map); same_map(k, map); k++) {
    size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", k->key);
  }
  return ap__yaml_fail(y, line, "unknown key \"%.*s\" in %s (known: %s)", ap__shown(key), key,
                       a_map(y, map), all);
}

bool ap__yaml_has(const ap__yaml *y, const char *map, unsigned seen, const char *key) {
  unsigned bit = 1;
  for (const ap__yaml_key *k = keys_of(y, map); same_map(k, map); k++, bit <<= 1)
    if (strcmp(k->key, key) == 0) return (seen & bit) != 0;
  assert(false && "a key of the table");
  return false;
}

static bool read_pair(ap__yaml *y, const ap__node *key, const char *map, unsigned *seen,
                      void *target) {
  if (key->kind != AP__SCALAR)
    return ap__yaml_fail(y, key->line, "a key of %s is %s (expected a word)", a_map(y, map),
                         ap__yaml_kind_of(key));
  unsigned bit = 1;
  for (const ap__yaml_key *k = keys_of(y, map); same_map(k, map); k++, bit <<= 1) {
    if (strcmp(key->text, k->key) != 0) continue;
    if (*seen & bit)
      return ap__yaml_fail(y, key->line, "duplicate key \"%s\" in %s (write it once)", k->key,
                           a_map(y, map));
    *seen |= bit;
    return read_value(y, k, key->next, target);
  }
  return unknown_key(y, key, map);
}

// The strict reading stops where something failed, the doctor's goes on.
static bool go_on(const ap__yaml *y, bool done) { return done || (y->doctor && !y->status); }

bool ap__yaml_read_map(ap__yaml *y, const ap__node *n, const char *map, void *target) {
  int line = n->line;
  if (n->kind != AP__MAP)
    return go_on(y, ap__yaml_fail(y, line, "%s is %s (expected a map of keys and values)",
                                  a_map(y, map), ap__yaml_kind_of(n)));
  unsigned seen = 0, bit = 1;
  for (const ap__node *key = n->first; key && key->next; key = key->next->next)
    if (!go_on(y, read_pair(y, key, map, &seen, target))) return false;
  for (const ap__yaml_key *k = keys_of(y, map); same_map(k, map); k++, bit <<= 1)
    if (!(seen & bit) && strcmp(k->initial, "required") == 0)
      return go_on(
          y, ap__yaml_fail(y, line, "%s without \"%s\" (%s)", a_map(y, map), k->key, k->about));
  return go_on(y, y->format->finish(y, n, map, seen, target));
}
