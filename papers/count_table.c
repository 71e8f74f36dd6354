// SPDX-License-Identifier: Apache-2.0
// Tables of operation counts: rows, remarks, details.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_table.h"
#include "polynomial.h"

enum { MULTIPLICATIONS, ADDITIONS, OPERATIONS };
static const char *const operation_name[OPERATIONS] = {"multiplications", "additions"};

enum { SIX = 6, FORMULA = 64, LAW = FORMULA + 16, TEXT = 160, NOTE = 320 };

// ---- values ------------------------------------------------------------------------------------

// Divisions and square roots are not counted by step. Only Cholesky's method has steps and divides,
// in its decomposition.
enum { DIVIDING_STEP = 1 };

static bool divides(const counted *e, const ap_count *c) {
  return c->div + c->sqrt > 0 && (!e->steps || e->steps >> DIVIDING_STEP & 1);
}

// Divisions and square roots count as multiplications: only so does n (n + 1) (n + 2) / 6 come out
// for a decomposition (Mata et al. 2002, Table 3).
static long operations(const counted *e, const ap_count *c, int operation) {
  long sum = operation == MULTIPLICATIONS && divides(e, c) ? c->div + c->sqrt : 0;
  if (!e->steps) return sum + (operation == ADDITIONS ? c->add : c->mul);
  for (int k = 0; k < AP_STEPS; k++)
    if (e->steps >> k & 1) sum += operation == ADDITIONS ? c->add_in[k] : c->mul_in[k];
  return sum;
}

static const char *printed_text(const counted *e, int operation) {
  return operation == ADDITIONS ? e->additions : e->multiplications;
}

// The printed formula; false where there is none.
static bool formula_of(const counted *e, int operation, polynomial *p) {
  const char *text = printed_text(e, operation);
  return text && polynomial_read(text, p);
}

// Whether it is a number for n = 6 instead of a formula for every n.
static bool at_six_alone(const polynomial *p) {
  return polynomial_degree(p) == 0 && p->sixths[0] != 0;
}

static double printed_at(const counted *e, int operation, int n) {
  polynomial p;
  if (!formula_of(e, operation, &p) || (at_six_alone(&p) && n != SIX)) return NAN;
  return polynomial_at(&p, n);
}

// ---- rows --------------------------------------------------------------------------------------

static const char *own_note(const counted *e, int operation) {
  const char *note = operation == ADDITIONS && e->of_additions ? e->of_additions : e->note;
  return note ? note : "";
}

// The note of the row at n = 6: what is no multiplication among them, and the entry's own.
static const char *row_note(const counted *e, const ap_count *c, int operation, char *text) {
  const char *own = own_note(e, operation);
  int used = 0;
  if (operation == MULTIPLICATIONS && divides(e, c)) {
    used = snprintf(text, NOTE, "%ld divisions", c->div);
    if (c->sqrt > 0)
      used += snprintf(text + used, NOTE - (size_t)used, ", %ld square roots", c->sqrt);
    used += snprintf(text + used, NOTE - (size_t)used, " among them%s", own[0] ? "; " : "");
  }
  snprintf(text + used, NOTE - (size_t)used, "%s", own);
  return text;
}

// The note of a detail: the printed number is a formula's value there, the rest as in the row.
static const char *detail_note(const counted *e, double printed, int operation, int n, char *text) {
  const char *own = own_note(e, operation);
  text[0] = 0;
  if (isnan(printed)) return text;
  if (strncmp(own, FORMULA_AT_SIX, strlen(FORMULA_AT_SIX)) == 0) own += strlen(FORMULA_AT_SIX);
  snprintf(text, NOTE, "printed formula at n = %d%s%s", n,
           own[0] && own[0] != ';' && own[0] != ',' ? "; " : "", own);
  return text;
}

static void quantity_name(const counted *e, int operation, char *text) {
  snprintf(text, TEXT, "%s, %s (%s)", operation_name[operation], e->method, e->name);
}

static void show_rows(report *r, const counted *e, const survey *s) {
  const ap_count *six = &s->of[GENERAL_GEOMETRY][SIX - SURVEY_FIRST];
  for (int o = 0; o < OPERATIONS; o++) {
    char quantity[TEXT], note[NOTE];
    quantity_name(e, o, quantity);
    report_row(r, quantity, "", printed_at(e, o, SIX), (double)operations(e, six, o),
               row_note(e, six, o, note));
  }
}

static void show_details(report *r, const counted *e, const survey *s) {
  static const char *const geometry_name[SURVEY_GEOMETRIES] = {
      [GENERAL_GEOMETRY] = "", [ALPHA1_ZERO] = ", alpha1 = 0", [SPECIAL_GEOMETRY] = ", special"};
  for (int o = 0; o < OPERATIONS; o++) {
    char quantity[TEXT], narrowed[TEXT], note[NOTE];
    quantity_name(e, o, quantity);
    for (int g = 0; g < (s->general_only ? SPECIAL_GEOMETRY : SURVEY_GEOMETRIES); g++) {
      for (int n = SURVEY_FIRST; n <= SURVEY_LAST; n++) {
        if (g == GENERAL_GEOMETRY && n == SIX) continue; // that is the row
        double printed = g == SPECIAL_GEOMETRY ? NAN : printed_at(e, o, n);
        long ours = operations(e, &s->of[g][n - SURVEY_FIRST], o);
        snprintf(narrowed, sizeof narrowed, "n = %d%s", n, geometry_name[g]);
        report_detail(r, narrowed, quantity, "", printed, (double)ours,
                      detail_note(e, printed, o, n, note));
      }
    }
    if (s->general_only) continue;
    report_detail(r, "puma600", quantity, "", NAN, (double)operations(e, &s->puma, o), NULL);
  }
}

// ---- remarks -----------------------------------------------------------------------------------

// The polynomial that the counts of one geometry lie on.
typedef struct law {
  bool known; // there is one
  polynomial p;
  int from; // the least n for which it holds
  long six; // the count at n = 6
} law;

static law law_of(const counted *e, const ap_count *of, int operation) {
  law l = {false};
  long value[SURVEY_SIZES];
  for (int i = 0; i < SURVEY_SIZES; i++) value[i] = operations(e, &of[i], operation);
  l.known = polynomial_fit(value, SURVEY_FIRST, SURVEY_SIZES, &l.p, &l.from);
  l.six = value[SIX - SURVEY_FIRST];
  return l;
}

// "96n-109", "96n-120 (n >= 3)", or "303 at n = 6" where there is no polynomial.
static void law_text(const law *l, char *text) {
  char formula[FORMULA];
  if (!l->known)
    snprintf(text, LAW, "%ld at n = 6", l->six);
  else if (l->from == SURVEY_FIRST)
    snprintf(text, LAW, "%s", polynomial_text(&l->p, formula, sizeof formula));
  else
    snprintf(text, LAW, "%s (n >= %d)", polynomial_text(&l->p, formula, sizeof formula), l->from);
}

// Multiplications and additions for one geometry.
static void laws(const counted *e, const ap_count *of, char *text) {
  char one[OPERATIONS][LAW];
  law mul = law_of(e, of, MULTIPLICATIONS), add = law_of(e, of, ADDITIONS);
  law_text(&mul, one[0]);
  law_text(&add, one[1]);
  if (!mul.known && !add.known)
    snprintf(text, NOTE, "%ld and %ld at n = 6", mul.six, add.six);
  else
    snprintf(text, NOTE, "%s and %s", one[0], one[1]);
}

// How a counted formula compares with the printed one.
typedef enum likeness { DIFFERENT, LEADING, IDENTICAL } likeness;
static const char *const likeness_text[] = {"the leading terms differ", "the leading terms agree",
                                            "identical"};

static likeness likeness_of(const law *ours, const polynomial *printed) {
  if (!ours->known || !polynomial_same_leading(&ours->p, printed)) return DIFFERENT;
  for (int k = 0; k < 4; k++)
    if (ours->p.sixths[k] != printed->sixths[k]) return LEADING;
  return IDENTICAL;
}

// ", printed ...: the leading terms agree"; nothing where no formula is printed.
static void compare(const counted *e, const ap_count *of, char *text) {
  likeness like[OPERATIONS];
  text[0] = 0;
  for (int o = 0; o < OPERATIONS; o++) {
    polynomial printed;
    if (!formula_of(e, o, &printed) || at_six_alone(&printed)) return;
    law ours = law_of(e, of, o);
    like[o] = likeness_of(&ours, &printed);
  }
  int used = snprintf(text, NOTE, ", printed %s and %s: ", e->multiplications, e->additions);
  if (like[0] == like[1])
    snprintf(text + used, NOTE - (size_t)used, "%s", likeness_text[like[0]]);
  else
    snprintf(text + used, NOTE - (size_t)used, "multiplications: %s, additions: %s",
             likeness_text[like[0]], likeness_text[like[1]]);
}

static bool same_counts(const counted *e, const survey *a, const survey *b) {
  for (int g = 0; g < SURVEY_GEOMETRIES; g++)
    for (int i = 0; i < SURVEY_SIZES; i++)
      for (int o = 0; o < OPERATIONS; o++)
        if (operations(e, &a->of[g][i], o) != operations(e, &b->of[g][i], o)) return false;
  return true;
}

// As the entry before it: the same counts beside another printed formula.
static bool counted_again(const counted *e, const survey *s, int i) {
  return i > 0 && strcmp(e[i].method, e[i - 1].method) == 0 && e[i].steps == e[i - 1].steps &&
         same_counts(&e[i], &s[i], &s[i - 1]);
}

static void show_remark(report *r, const counted *e, const survey *s, bool again) {
  char general[NOTE], verdict[NOTE], level[NOTE], special[NOTE];
  laws(e, s->of[GENERAL_GEOMETRY], general);
  compare(e, s->of[GENERAL_GEOMETRY], verdict);
  laws(e, s->of[ALPHA1_ZERO], level);
  laws(e, s->of[SPECIAL_GEOMETRY], special);
  if (strcmp(level, general) == 0) snprintf(level, sizeof level, "the same");
  if (again)
    report_remark(r, "%s (%s): counted as above%s.", e->method, e->name, verdict);
  else if (s->general_only)
    report_remark(r, "%s (%s): counted %s%s.", e->method, e->name, general, verdict);
  else
    report_remark(r,
                  "%s (%s): counted %s%s; alpha1 = 0: %s; special geometry: %s; "
                  "PUMA 600: %ld and %ld.",
                  e->method, e->name, general, verdict, level, special,
                  operations(e, &s->puma, MULTIPLICATIONS), operations(e, &s->puma, ADDITIONS));
}

// ---- tables ------------------------------------------------------------------------------------

ap_status count_entries(const counted *e, int entries, survey *s, ap_error *error) {
  ap_status status = AP_OK;
  for (int i = 0; i < entries && status == AP_OK; i++) {
    bool again = i > 0 && e[i].what == e[i - 1].what && strcmp(e[i].method, e[i - 1].method) == 0;
    if (again)
      s[i] = s[i - 1];
    else
      status = survey_method(e[i].what, e[i].method, AP_DH_MODIFIED, &s[i], error);
  }
  return status;
}

void show_entries(report *r, const counted *e, const survey *s, int entries) {
  for (int i = 0; i < entries; i++) show_rows(r, &e[i], &s[i]);
  for (int i = 0; i < entries; i++) show_remark(r, &e[i], &s[i], counted_again(e, s, i));
  for (int i = 0; i < entries; i++) show_details(r, &e[i], &s[i]);
}

ap_status count_table(report *r, const counted *e, int entries, ap_error *error) {
  survey *s = survey_new(entries, error);
  if (!s) return error->status;
  ap_status status = count_entries(e, entries, s, error);
  if (status == AP_OK) show_entries(r, e, s, entries);
  free(s);
  return status;
}

void how_counted(report *r) {
  report_remark(r,
                "Counted by running the code on robots of n = %d to %d revolute joints. General "
                "ones have modified DH parameters and inertia tensors without zeros, and gravity "
                "along z of the ground; special ones have right angles and zero offsets. "
                "Structural zeros and ones cost nothing; sines and cosines are not counted.",
                SURVEY_FIRST, SURVEY_LAST);
  report_remark(r,
                "Pairs are multiplications and additions. Counted formulas are exact for all "
                "these n, or from the n given beside them; where no polynomial of degree 3 or "
                "less fits, the count at n = 6 is given.");
}
