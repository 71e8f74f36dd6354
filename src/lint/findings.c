// SPDX-License-Identifier: Apache-2.0
// Findings: composed, kept, sorted.

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/alloc.h"
#include "lint/examine.h"

lint_note ap__lint_begin(const char *rule, int line, const char *subject) {
  const ap_lint_rule *known = ap_lint_find_rule(rule);
  assert(known);
  return (lint_note){.rule = known->id,
                     .severity = known->severity,
                     .line = line,
                     .subject = subject ? subject : ""};
}

// Behind what is there already, after a semicolon. ap__vfail() cuts at a whole character, and
// replaces what would break the line.
static void append(char *text, size_t size, const char *format, va_list arguments) {
  ap_error line;
  ap__vfail(&line, AP_OK, 0, format, arguments);
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used && used + 3 < size ? "; " : "", line.text);
}

void ap__lint_what(lint_note *note, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(note->what, sizeof note->what, format, arguments);
  va_end(arguments);
}

void ap__lint_why(lint_note *note, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(note->why, sizeof note->why, format, arguments);
  va_end(arguments);
}

void ap__lint_fix(lint_note *note, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(note->fix, sizeof note->fix, format, arguments);
  va_end(arguments);
}

lint_place ap__lint_place(int line) {
  lint_place place = {""};
  if (line > 0) snprintf(place.text, sizeof place.text, " (line %d)", line);
  return place;
}

bool ap__lint_enabled(const lint *l, const char *rule) {
  for (int i = 0; i < l->options->ndisabled; i++)
    if (strcmp(l->options->disabled[i], rule) == 0) return false;
  return true;
}

// A text that lives as long as the findings; "" where memory ran out.
static const char *keep(lint *l, const char *text) {
  const char *kept = ap__pool_text(&l->found->pool, text, strlen(text));
  return ap__lint_got(l, kept) ? kept : "";
}

void ap__lint_end(lint *l, const lint_note *note) {
  ap_lint *found = l->found;
  if (!ap__lint_enabled(l, note->rule)) return;
  ap_finding *f = ap__append(&found->finding, &found->n, &found->capacity, sizeof *f);
  if (!ap__lint_got(l, f)) return;
  *f = (ap_finding){.severity = note->severity,
                    .rule = note->rule,
                    .line = note->line,
                    .subject = keep(l, note->subject),
                    .what = keep(l, note->what),
                    .why = keep(l, note->why),
                    .fix = keep(l, note->fix),
                    .effect = note->effect};
  if (f->effect.joint) f->effect.joint = keep(l, f->effect.joint);
  found->count[note->severity]++;
}

bool ap__lint_has_error_at(const lint *l, int line) {
  for (int i = 0; i < l->found->n; i++) {
    const ap_finding *f = &l->found->finding[i];
    if (f->severity == AP_ERROR && f->line == line) return true;
  }
  return false;
}

static int compare(const void *a, const void *b) {
  const ap_finding *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  if (x->severity != y->severity) return x->severity > y->severity ? -1 : 1;
  int order = strcmp(x->rule, y->rule);
  if (order == 0) order = strcmp(x->subject, y->subject);
  return order ? order : strcmp(x->what, y->what);
}

void ap__lint_sort(ap_lint *found) {
  if (found->n) qsort(found->finding, (size_t)found->n, sizeof *found->finding, compare);
}

int ap_lint_findings(const ap_lint *found) { return found->n; }

const ap_finding *ap_lint_finding(const ap_lint *found, int i) {
  return i >= 0 && i < found->n ? &found->finding[i] : NULL;
}

int ap_lint_count(const ap_lint *found, ap_severity severity) {
  return severity >= AP_NOTE && severity <= AP_ERROR ? found->count[severity] : 0;
}

// ---- JSON --------------------------------------------------------------------------------------

static void write_effect(ap_json *json, const ap_lint_effect *effect) {
  if (!effect->joint) return;
  ap_json_open(json, "effect", '{');
  ap_json_string(json, "joint", effect->joint);
  ap_json_number(json, "difference", effect->difference);
  ap_json_number(json, "largest", effect->largest);
  ap_json_string(json, "unit", effect->unit);
  ap_json_close(json, '}');
}

void ap_lint_json(const ap_lint *found, bool strict, ap_json *json, const char *key) {
  ap_json_open(json, key, '[');
  for (int i = 0; i < found->n; i++) {
    const ap_finding *f = &found->finding[i];
    const bool worse = strict && f->severity == AP_WARNING;
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "severity", ap_severity_name(worse ? AP_ERROR : f->severity));
    ap_json_string(json, "rule", f->rule);
    if (f->line > 0) ap_json_integer(json, "line", f->line);
    ap_json_string(json, "subject", f->subject);
    ap_json_string(json, "what", f->what);
    ap_json_string(json, "why", f->why);
    ap_json_string(json, "fix", f->fix);
    write_effect(json, &f->effect);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

void ap_lint_free(ap_lint *found) {
  if (!found) return;
  free(found->finding);
  ap__pool_free(&found->pool);
  free(found);
}
