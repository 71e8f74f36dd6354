// SPDX-License-Identifier: Apache-2.0
#include "lint/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "file/number.h"

// Is there a unit other than the file's own, so that dropping it would change the number?
static bool has_other_unit(const char *text) {
  static const char *const units[] = {"mm", "cm", "km", "in", "ft", "lb", "deg", "rpm", "g"};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (const char *at = text; (at = strstr(at, units[i])) != NULL; at++)
      if (at == text || !ap__is_letter(at[-1])) return true;
  return false;
}

// What may have been meant: decimal commas, commas between numbers, a unit behind it. False, and
// "" in out, where nobody can tell.
static bool guess(const char *text, int n, double x[9], char *out, size_t size) {
  char tried[128];
  out[0] = 0;
  if (strlen(text) >= sizeof tried) return false;
  for (int way = 0; way < 3; way++) {
    if (way == 2 && has_other_unit(text)) return false;
    snprintf(tried, sizeof tried, "%s", text);
    for (char *c = tried; *c; c++) {
      if (way == 0 && (*c == ',' || *c == ';')) *c = ' ';
      if (way == 1 && *c == ',') *c = '.';
      if (way == 2 && (ap__is_letter(*c) && *c != 'e' && *c != 'E')) *c = ' ';
    }
    if (ap__parse_numbers(tried, 9, x) != n) continue;
    size_t end = strlen(tried);
    while (end > 0 && ap__is_space(tried[end - 1])) tried[--end] = 0;
    snprintf(out, size, "%s", tried);
    return true;
  }
  return false;
}

// Beyond this nothing of a robot is; squares of it still are numbers. Limits may be "none" by size.
#define MOST 1e30

static bool is_limit(const char *what) {
  return strstr(what, "limit") || strstr(what, "lower") || strstr(what, "upper");
}

static bool is_beyond(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > MOST) return true;
  return false;
}

static void beyond(lint *l, int line, const char *subject, const char *what, const char *text) {
  lint_note note = ap__lint_begin("bad-number", line, subject);
  ap__lint_what(&note, "%s=\"%.*s\" has a number beyond %g", what, ap__shown(text), text, MOST);
  ap__lint_why(&note, "it is outside any plausible range, and products with it overflow");
  ap__lint_fix(&note, "write it in SI units: kg, m, rad, N m");
  ap__lint_end(l, &note);
}

bool ap__lint_numbers(lint *l, int line, const char *subject, const char *what, const char *text,
                      int n, double *x) {
  double value[9];
  int found = ap__parse_numbers(text, 9, value);
  if (found == n && !is_limit(what) && is_beyond(n, value)) {
    beyond(l, line, subject, what, text);
    return false;
  }
  char meant[128];
  bool known = found == n || guess(text, n, value, meant, sizeof meant);
  if (known) memcpy(x, value, (size_t)n * sizeof *x);
  if (found == n) return true;
  if (strstr(text, "${") || strstr(text, "$(")) return false; // xacro: the reader's finding says so
  lint_note note = ap__lint_begin("bad-number", line, subject);
  if (found < 0)
    ap__lint_what(&note, "%s=\"%.*s\" is not %s", what, ap__shown(text), text,
                  n == 1 ? "a finite decimal number" : "a list of finite decimal numbers");
  else
    ap__lint_what(&note, "%s=\"%.*s\" has %d number%s instead of %d", what, ap__shown(text), text,
                  found, found == 1 ? "" : "s", n);
  ap__lint_why(&note, "nothing can be computed without this number");
  if (known) ap__lint_why(&note, "the other rules use \"%s\"", meant);
  if (known)
    ap__lint_fix(&note, "write \"%s\"", meant);
  else
    ap__lint_fix(&note, "write %d decimal number%s with a point, no unit%s", n, n == 1 ? "" : "s",
                 n == 1 ? "" : ", blanks between");
  ap__lint_end(l, &note);
  return known;
}
