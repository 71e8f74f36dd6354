// SPDX-License-Identifier: Apache-2.0
// States at events among the rows of a report, so that a jump is drawn as a jump.
//
// An event has two samples at its time, just before and just after. What it tells of the state is
// in them: coordinates, velocities, energies. Counters step there by what the event says.
// Accelerations and contact forces, which jump too, step from the row before to the row behind. All
// else lies on the straight line between the rows around it, as it would be drawn without.

#include <stdlib.h>
#include <string.h>

#include "run/report.h"

enum { MOST_STATES = 1 << 23 };       // numbers in all
enum { MOST_EVENT_COLUMNS = 100000 }; // of which each is looked for among all

// ---- what events tell --------------------------------------------------------------------------

static size_t group_length(const char *name) { return strcspn(name, "."); }

// Not "lost": of an event it is the loss of this one.
static bool is_state(const char *column) {
  static const char *const groups[] = {"q", "v", "kinetic", "potential", "coordinate", "rate"};
  const size_t n = group_length(column);
  for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
    if (strlen(groups[k]) == n && strncmp(groups[k], column, n) == 0) return true;
  return false;
}

// Is it the name of a column, with an ending behind its first part?
static bool is_named(const char *name, const char *column, const char *ending) {
  const size_t n = group_length(column), m = strlen(ending);
  return strncmp(name, column, n) == 0 && strncmp(name + n, ending, m) == 0 &&
         strcmp(name + n + m, column + n) == 0;
}

// A number of an event by its name, looked for from a place on: they stand in the order of the
// rows.
static int find_number(const ap_log_about *about, const char *column, const char *ending,
                       int from) {
  for (int k = 0; k < about->event_columns; k++) {
    const int place = (from + k) % about->event_columns;
    if (is_named(about->event_column[place].name, column, ending)) return place;
  }
  return -1;
}

ap_status ap__report_jumps_plan(ap__report *report) {
  ap__report_jumps *j = &report->jumps;
  const ap_log_about *about = report->about;
  j->number = find_number(about, "number", "", 0);
  j->lost = find_number(about, "lost", "", 0);
  j->joint = find_number(about, "joint", "", 0);
  j->of_state = calloc((size_t)about->event_columns + 1, sizeof *j->of_state);
  j->told = calloc((size_t)about->columns, sizeof *j->told);
  if (!j->of_state || !j->told) return ap__no_memory(report->error);
  int before = -1, after = -1;
  for (int k = 1; k < about->columns && about->event_columns < MOST_EVENT_COLUMNS; k++) {
    const char *name = about->column[k].name;
    const int found = is_state(name) ? find_number(about, name, "", before + 1) : -1;
    if (found < 0) continue;
    before = found;
    const int jumps = find_number(about, name, "_after", after + 1);
    if (jumps >= 0) after = jumps;
    j->told[j->ntold++] = (ap__told){k - 1, found, jumps < 0 ? found : jumps};
    j->of_state[found] = true;
    if (jumps >= 0) j->of_state[jumps] = true;
  }
  return AP_OK;
}

void ap__report_jumps_free(ap__report_jumps *j) {
  free(j->of_state);
  free(j->told);
  free(j->jump);
  free(j->value);
}

// ---- collecting --------------------------------------------------------------------------------

static bool make_room(ap__report_jumps *j) {
  if (j->n < j->room) return true;
  const long room = j->room > 0 ? 2 * j->room : 256;
  ap__jump *jump = realloc(j->jump, (size_t)room * sizeof *jump);
  if (jump) j->jump = jump;
  float *value = realloc(j->value, (size_t)room * 2 * (size_t)j->ntold * sizeof *value);
  if (value) j->value = value;
  if (jump && value) j->room = room;
  return jump && value;
}

static void note_touch(const ap__report_jumps *j, const ap_logged_event *e, ap__jump *jump) {
  const bool joint = j->joint >= 0 && e->numbers[j->joint] >= 0;
  if (!joint)
    jump->rests += (strcmp(e->event, "contact") == 0) - (strcmp(e->event, "liftoff") == 0);
  jump->impact = jump->impact || strcmp(e->event, "impact") == 0;
}

ap_status ap__report_jumps_note(ap__report *report, const ap_logged_event *e) {
  ap__report_jumps *j = &report->jumps;
  const bool same = j->n > 0 && j->number >= 0 && e->numbers[j->number] == j->last;
  if (j->ntold == 0) return AP_OK;
  if (same && j->dropped == 0) note_touch(j, e, &j->jump[j->n - 1]);
  if (same) return AP_OK;
  if (j->number >= 0) j->last = e->numbers[j->number];
  if (j->n >= MOST_STATES / 2 / (report->rows.columns + 1)) {
    j->dropped++;
    return AP_OK;
  }
  if (!make_room(j)) return ap__no_memory(report->error);
  float *before = j->value + (size_t)j->n * 2 * (size_t)j->ntold, *after = before + j->ntold;
  for (int k = 0; k < j->ntold; k++) {
    before[k] = (float)e->numbers[j->told[k].before];
    after[k] = (float)e->numbers[j->told[k].after];
  }
  j->jump[j->n] = (ap__jump){.t = e->t, .lost = j->lost >= 0 ? e->numbers[j->lost] : 0};
  note_touch(j, e, &j->jump[j->n++]);
  return AP_OK;
}

// ---- merging -----------------------------------------------------------------------------------

typedef struct merge {
  const ap__report_rows *rows;
  const ap__report_jumps *jumps;
  double *time;
  float *value;
  long n; // samples so far
  size_t width;
  int lost, contacts; // columns, from 0 behind t; below 0: none
  double held[2];     // what they are now
  long impacts;       // so far
  const bool *leaps;  // [columns] not told, but known to jump at events
} merge;

// A contact that ends a sequence of bounces is told before its time, with the state of then. Where
// other events lie between it says nothing about the state at its time.
static void drop_early(ap__report_jumps *j) {
  double first = j->n > 0 ? j->jump[j->n - 1].t : 0;
  long kept = j->n;
  const size_t width = 2 * (size_t)j->ntold;
  for (long k = j->n - 1; k >= 0; k--) { // from the end, which is where the kept ones go
    if (j->jump[k].t > first) continue;
    first = j->jump[k].t;
    j->jump[--kept] = j->jump[k];
    memmove(j->value + (size_t)kept * width, j->value + (size_t)k * width,
            width * sizeof *j->value);
  }
  j->n -= kept;
  if (kept == 0) return;
  memmove(j->jump, j->jump + kept, (size_t)j->n * sizeof *j->jump);
  memmove(j->value, j->value + (size_t)kept * width, (size_t)j->n * width * sizeof *j->value);
}

static const float *row_of(const merge *m, long i) {
  return m->rows->value + (size_t)i * (size_t)m->rows->columns;
}

// Rows are what counters go by.
static void add_row(merge *m, long i) {
  float *to = m->value + (size_t)m->n * m->width;
  memcpy(to, row_of(m, i), (size_t)m->rows->columns * sizeof *to);
  if (m->rows->counted) to[m->rows->columns] = (float)m->impacts;
  m->time[m->n++] = m->rows->time[i];
}

// One sample of event k, which lies before row i, and is the last one there or not. What jumps
// without being told keeps the value of the row before, then takes that of the row behind.
static void add_state(merge *m, long k, bool after, long i, bool last) {
  const ap__report_rows *r = m->rows;
  const ap__report_jumps *j = m->jumps;
  const double t = j->jump[k].t;
  const float *next = row_of(m, i), *previous = i > 0 ? row_of(m, i - 1) : next;
  const double step = i > 0 ? r->time[i] - r->time[i - 1] : 0;
  const double part = step > 0 ? (t - r->time[i - 1]) / step : 1;
  const float *state = j->value + ((size_t)k * 2 + (after ? 1 : 0)) * (size_t)j->ntold;
  float *to = m->value + (size_t)m->n * m->width;
  for (int c = 0; c < r->columns; c++)
    to[c] = m->leaps[c] ? after && last ? next[c] : previous[c]
                        : (float)((1 - part) * (double)previous[c] + part * (double)next[c]);
  for (int c = 0; c < j->ntold; c++) to[j->told[c].column] = state[c];
  if (m->lost >= 0) to[m->lost] = (float)m->held[0];
  if (m->contacts >= 0) to[m->contacts] = (float)m->held[1];
  if (r->counted) to[r->columns] = (float)m->impacts;
  m->time[m->n++] = t;
}

// Events [first, end), between rows i - 1 and i. Where what they say of contacts does not lead to
// the next row, as with a contact that is told before its time, contacts step at rows alone.
static void add_events(merge *m, long first, long end, long i) {
  const ap__jump *jump = m->jumps->jump;
  const float *next = row_of(m, i), *previous = i > 0 ? row_of(m, i - 1) : NULL;
  double lost = 0, rests = 0;
  for (long k = first; k < end; k++) lost += jump[k].lost, rests += jump[k].rests;
  bool counts = false;
  if (m->lost >= 0) m->held[0] = previous ? previous[m->lost] : next[m->lost] - lost;
  if (m->contacts >= 0) {
    m->held[1] = previous ? previous[m->contacts] : next[m->contacts] - rests;
    counts = m->held[1] + rests == (double)next[m->contacts];
  }
  for (long k = first; k < end; k++) {
    add_state(m, k, false, i, k + 1 == end);
    m->held[0] += jump[k].lost;
    if (counts) m->held[1] += jump[k].rests;
    m->impacts += jump[k].impact;
    add_state(m, k, true, i, k + 1 == end);
  }
}

// Events at the time of a row come before it: the row is the state after them. Those beyond the
// first and the last row are left out.
static void add_all(merge *m) {
  const ap__report_rows *r = m->rows;
  const ap__report_jumps *j = m->jumps;
  long k = 0;
  while (k < j->n && r->rows > 0 && j->jump[k].t < r->time[0]) k++;
  for (long i = 0; i < r->rows; i++) {
    const long first = k;
    while (k < j->n && j->jump[k].t <= r->time[i]) k++;
    if (k > first) add_events(m, first, k, i);
    add_row(m, i);
  }
}

// Accelerations and contact forces jump with the velocities.
static bool *find_leaps(const ap__report *report) {
  bool *leaps = calloc((size_t)report->rows.columns + 1, sizeof *leaps);
  for (int c = 0; leaps && c < report->rows.logged; c++) {
    const char *group = ap__quantity_of(report->about->column[c + 1].name)->group;
    leaps[c] = group && (strcmp(group, "a") == 0 || strcmp(group, "force") == 0);
  }
  return leaps;
}

ap_status ap__report_jumps_merge(ap__report *report) {
  ap__report_rows *r = &report->rows;
  ap__report_jumps *j = &report->jumps;
  if (j->dropped > 0)
    ap__report_warn(report, "of %ld events the first %ld are drawn as jumps", j->n + j->dropped,
                    j->n);
  if (j->ntold == 0 || j->n == 0 || r->rows == 0) return AP_OK;
  drop_early(j);
  r->counted = report->impacts > 0 && j->dropped == 0;
  const size_t room = (size_t)(r->rows + 2 * j->n);
  merge m = {.rows = r,
             .jumps = j,
             .width = (size_t)r->columns + r->counted,
             .lost = ap_run_find(report->run, "lost") - 1,
             .contacts = ap_run_find(report->run, "contacts") - 1};
  m.time = malloc(room * sizeof *m.time);
  m.value = malloc(room * m.width * sizeof *m.value);
  bool *leaps = find_leaps(report);
  m.leaps = leaps;
  if (!m.time || !m.value || !leaps) {
    free(m.time);
    free(m.value);
    free(leaps);
    return ap__no_memory(report->error);
  }
  add_all(&m);
  free(leaps);
  free(r->time);
  free(r->value);
  r->time = m.time;
  r->value = m.value;
  r->samples = m.n;
  return AP_OK;
}
