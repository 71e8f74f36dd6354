// SPDX-License-Identifier: Apache-2.0
#include "summary.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ui/numbers.h"
#include "ui/table.h"
#include "ui/wrap.h"

enum { SHOWN = 20, DIGITS = 7, NAME = 300 };

static double length(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

// Of a point along the normal; of a joint at its stop all of it.
static double jump(const ap_event *e) {
  double along = 0;
  for (int k = 0; k < 3; k++)
    along += (e->after[k] - e->before[k]) * (e->joint < 0 ? e->normal[k] : 1);
  return fabs(along);
}

void cli_summary_note(void *summary, const ap_logged_event *event, const ap_event *e) {
  cli_summary *s = summary;
  (void)event;
  if (s->last[e->kind] != e->number) s->count[e->kind]++;
  s->last[e->kind] = e->number;
  if (e->kind != AP_EVENT_IMPACT || s->no_memory) return;
  if (s->impacts == s->room) {
    const long room = s->room > 0 ? 2 * s->room : 64;
    cli_impact *larger = realloc(s->impact, (size_t)room * sizeof *larger);
    s->no_memory = !larger;
    if (!larger) return;
    s->impact = larger;
    s->room = room;
  }
  s->impact[s->impacts++] = (cli_impact){.number = e->number,
                                         .point = e->point,
                                         .wall = e->wall,
                                         .joint = e->joint,
                                         .t = e->t,
                                         .impulse = length(e->impulse),
                                         .angle = e->angle,
                                         .speed = length(e->before),
                                         .jump = jump(e),
                                         .lost = e->lost};
}

void cli_summary_row(cli_summary *s, const ap_sim_state *state) {
  s->state = *state;
  if (s->rows++ == 0) // before impacts at the start
    s->energy = state->kinetic + state->potential + state->elastic + state->lost;
  s->closing = fmax(s->closing, fabs(state->closing));
  s->closure = fmax(s->closure, state->closure);
}

// What touched: a point of the scenario, or a joint; text has NAME bytes.
static const char *what_touched(const cli_summary *s, const cli_impact *i, char *text) {
  if (i->joint < 0) return ap_scenario_scene(s->scenario)->point[i->point].name;
  ap_column_name(ap_scenario_model(s->scenario), AP_JOINT_V, "", i->joint, text, NAME);
  return text;
}

static const char *what_was_met(const cli_summary *s, const cli_impact *i) {
  return i->joint < 0 ? ap_scene_wall_name(ap_scenario_scene(s->scenario), i->wall) : "stop";
}

// Does a joint that turns meet its stop? Then rates and impulses are angular.
static bool turns(const cli_summary *s, const cli_impact *i) {
  const ap_model *m = ap_scenario_model(s->scenario);
  for (int k = 1; k < ap_nbody(m); k++)
    if (ap_joint_nv(m, k) == 1 && ap_joint_v(m, k) == i->joint)
      return ap_body(m, k)->joint == AP_REVOLUTE;
  return false;
}

// ---- JSON --------------------------------------------------------------------------------------

static void json_impacts(ap_json *json, const cli_summary *s) {
  ap_json_open(json, "impacts", '[');
  for (long k = 0; k < s->impacts; k++) {
    const cli_impact *i = &s->impact[k];
    char name[NAME];
    ap_json_open(json, NULL, '{');
    ap_json_integer(json, "number", i->number);
    ap_json_number(json, "t", i->t);
    ap_json_string(json, "point", what_touched(s, i, name));
    ap_json_string(json, "wall", what_was_met(s, i));
    if (i->joint >= 0) ap_json_string(json, "joint", name);
    ap_json_number(json, "speed", i->speed);
    ap_json_number(json, "angle", i->angle);
    ap_json_number(json, "jump", i->jump);
    ap_json_number(json, "impulse", i->impulse);
    ap_json_number(json, "lost", i->lost);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_energy(ap_json *json, const cli_summary *s) {
  ap_json_open(json, "energy", '{');
  ap_json_number(json, "start", s->energy);
  ap_json_number(json, "kinetic", s->state.kinetic);
  ap_json_number(json, "potential", s->state.potential);
  ap_json_number(json, "elastic", s->state.elastic);
  ap_json_number(json, "work", s->state.work);
  ap_json_number(json, "dissipated", s->state.dissipated);
  ap_json_number(json, "lost", s->state.lost);
  ap_json_number(json, "closing", s->state.closing);
  ap_json_number(json, "largest_closing", s->closing);
  ap_json_close(json, '}');
}

static void json_closures(ap_json *json, const cli_summary *s) {
  if (!ap_scenario_mechanism(s->scenario)) return;
  ap_json_open(json, "closures", '{');
  ap_json_number(json, "largest_error", s->closure);
  ap_json_number(json, "largest_drift", s->state.drift);
  ap_json_close(json, '}');
}

static int shown_frictions(const cli_summary *s) {
  return s->frictions < CLI_MARGINS ? s->frictions : CLI_MARGINS;
}

static const char *link_of(const cli_summary *s, const ap_friction_margin *m) {
  return ap_body(ap_scenario_model(s->scenario), m->body)->name;
}

static void json_friction(ap_json *json, const cli_summary *s) {
  ap_json_open(json, "friction", '[');
  for (int k = 0; k < shown_frictions(s); k++) {
    const ap_friction_margin *m = &s->friction[k];
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "link", link_of(s, m));
    ap_json_integer(json, "contacts", m->contacts);
    ap_json_number(json, "friction", m->friction);
    ap_json_number(json, "limit", m->limit);
    ap_json_number(json, "margin", m->limit - m->friction);
    ap_json_numbers(json, "direction", m->direction, 3);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void print_json(cli_out *out, const cli_summary *s) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "scenario", ap_scenario_name(s->scenario));
  ap_json_string(&json, "model", ap_model_name(ap_scenario_model(s->scenario)));
  ap_json_string(&json, "log", s->log ? s->log : "");
  ap_json_number(&json, "start", s->start);
  ap_json_number(&json, "end", s->state.t);
  ap_json_integer(&json, "rows", s->rows);
  ap_json_open(&json, "events", '{');
  for (int k = 0; k < CLI_EVENT_KINDS; k++)
    ap_json_integer(&json, ap_event_name((ap_event_kind)k), s->count[k]);
  ap_json_close(&json, '}');
  json_impacts(&json, s);
  json_energy(&json, s);
  json_closures(&json, s);
  json_friction(&json, s);
  ap_json_integer(&json, "contacts", s->state.contacts);
  ap_json_integer(&json, "evaluations", s->evaluations);
  ap_json_number(&json, "seconds", s->seconds);
  ap_json_close(&json, '}');
}

// ---- tables ------------------------------------------------------------------------------------

// unit: where it is not that of the column.
static void add_number(cli_table *table, double x, const char *unit) {
  char number[CLI_NUMBER_BYTES];
  cli_table_add(table, "%s%s", cli_number(x, DIGITS, number), unit);
}

// An energy as it is shown: zero where it is only the rounding of those it is the difference of.
static double shown(const cli_summary *s, double x) {
  const double scale = fabs(s->energy) + s->state.kinetic + fabs(s->state.potential);
  return fabs(x) < 1e-12 * scale ? 0 : x;
}

static int print_impacts(cli_out *out, const cli_summary *s) {
  if (s->impacts == 0) return CLI_OK;
  cli_table table = {.columns = 9, .right = 0x1f3u, .keys = 3};
  cli_table_headings(&table, "event|t|point|wall|speed|angle|jump|impulse|lost");
  cli_table_headings(&table, "|s|||m/s|deg|m/s|N s|J");
  for (long k = 0; k < s->impacts && k < SHOWN; k++) {
    const cli_impact *i = &s->impact[k];
    const bool angular = i->joint >= 0 && turns(s, i);
    char name[NAME];
    cli_table_add(&table, "%d", i->number);
    cli_table_add(&table, "%.9f", i->t);
    cli_table_add(&table, "%s", what_touched(s, i, name));
    cli_table_add(&table, "%s", what_was_met(s, i));
    add_number(&table, i->speed, angular ? " rad/s" : "");
    cli_table_add(&table, "%.3f", i->angle * (180 / 3.14159265358979323846));
    add_number(&table, i->jump, angular ? " rad/s" : "");
    add_number(&table, i->impulse, angular ? " N m s" : "");
    if (k > 0 && i->number == i[-1].number) // its loss is the event's, said once
      cli_table_add(&table, "%s", "");
    else
      cli_table_add(&table, "%.3g", shown(s, i->lost));
  }
  cli_out_printf(out, "\n");
  const int status = cli_table_print(&table, out);
  cli_wrap(out, cli_line_width(), "  (",
           "speed: of the point before the impact; angle: between that velocity and the wall's "
           "normal; jump: change of the velocity along the normal, (1 + e) speed cos angle)");
  long others = 0;
  for (int k = 0; k < CLI_EVENT_KINDS; k++) others += k == AP_EVENT_IMPACT ? 0 : s->count[k];
  if (others > 0) cli_out_printf(out, "  (other events have numbers, too: the log has them all)\n");
  if (s->impacts > SHOWN)
    cli_out_printf(out, "  (%ld more; --json and the log have all)\n", s->impacts - SHOWN);
  return status;
}

static void print_events(cli_out *out, const cli_summary *s) {
  bool any = false;
  for (int k = 0; k < CLI_EVENT_KINDS; k++) {
    if (s->count[k] == 0) continue;
    cli_out_printf(out, "%s%s: %ld", any ? ", " : "", ap_event_name((ap_event_kind)k), s->count[k]);
    any = true;
  }
  cli_out_printf(out, "%s\n", any ? "" : "no events");
}

static int print_energy(cli_out *out, const cli_summary *s) {
  const struct {
    const char *name;
    double value;
  } line[] = {{"kinetic", s->state.kinetic},         {"potential", s->state.potential},
              {"elastic", s->state.elastic},         {"- work of forces", s->state.work},
              {"+ dissipated", s->state.dissipated}, {"+ lost at impacts", s->state.lost},
              {"- at the start", s->energy}};
  cli_table table = {.columns = 2, .right = 2};
  cli_table_headings(&table, "energy at the end|J");
  for (size_t k = 0; k < sizeof line / sizeof line[0]; k++) {
    cli_table_add(&table, "%s", line[k].name);
    const double x = shown(s, line[k].value);
    cli_table_add(&table, "%.9f", fabs(x) < 5e-10 ? 0 : x); // no -0.000000000
  }
  cli_table_add(&table, "= balance error");
  cli_table_add(&table, "%.1e", s->state.closing);
  cli_out_printf(out, "\n");
  const int status = cli_table_print(&table, out);
  cli_out_printf(out, "  (largest balance error at an output time: %.1e J)\n", s->closing);
  return status;
}

static int print_friction(cli_out *out, const cli_summary *s) {
  if (s->frictions == 0) return CLI_OK;
  cli_table table = {.columns = 5, .right = 0x1eu, .keys = 1};
  cli_table_headings(&table, "friction at the end|contacts|N|limit|margin");
  for (int k = 0; k < shown_frictions(s); k++) {
    const ap_friction_margin *m = &s->friction[k];
    cli_table_add(&table, "%s", link_of(s, m));
    cli_table_add(&table, "%d", m->contacts);
    add_number(&table, m->friction, "");
    add_number(&table, m->limit, "");
    add_number(&table, m->limit - m->friction, "");
  }
  cli_out_printf(out, "\n");
  const int status = cli_table_print(&table, out);
  cli_wrap(out, cli_line_width(), "  (",
           "of all contacts of a link together; limit: the most in the same direction with these "
           "normal forces)");
  return status;
}

static int print_tables(cli_out *out, const cli_summary *s) {
  char name[200];
  cli_plain(ap_scenario_name(s->scenario), name, sizeof name);
  cli_out_printf(out, "%s: %.15g s to %.15g s, %ld output times\n", name, s->start, s->state.t,
                 s->rows);
  print_events(out, s);
  int status = print_impacts(out, s);
  if (status == CLI_OK) status = print_energy(out, s);
  if (status == CLI_OK) status = print_friction(out, s);
  if (ap_scenario_mechanism(s->scenario))
    cli_out_printf(out,
                   "\nclosures hold within %.1e m or rad; steps had left them by at most %.1e\n",
                   s->closure, s->state.drift);
  cli_out_printf(out, "\n%ld evaluations of the equations of motion, %.3g s by the clock\n",
                 s->evaluations, s->seconds);
  if (s->state.contacts > 0)
    cli_out_printf(out, "%d %s on a wall at the end\n", s->state.contacts,
                   s->state.contacts == 1 ? "point rests" : "points rest");
  cli_summary_report(out, s->log);
  return status;
}

// A file's name as a shell takes it.
static void print_quoted(cli_out *out, const char *name, int length) {
  static const char safe[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+,=@%:-";
  if ((int)strspn(name, safe) >= length) {
    cli_out_printf(out, "%.*s", length, name);
    return;
  }
  cli_out_printf(out, "'");
  for (int k = 0; k < length; k++)
    cli_out_printf(out, name[k] == '\'' ? "'\\''" : "%c",
                   (unsigned char)name[k] < ' ' ? '?' : name[k]);
  cli_out_printf(out, "'");
}

void cli_summary_report(cli_out *out, const char *log) {
  if (!log) return;
  const char *ending = strrchr(log, '.');
  const int stem = (int)(ending ? ending - log : (ptrdiff_t)strlen(log));
  char page[4096];
  snprintf(page, sizeof page, "%.*s.html", stem, log);
  cli_out_printf(out, "\na page of this run: appell report ");
  print_quoted(out, log, (int)strlen(log));
  cli_out_printf(out, " -o ");
  print_quoted(out, page, (int)strlen(page));
  cli_out_printf(out, "\n");
}

int cli_summary_print(const cli_summary *s, bool json) {
  if (s->no_memory) return cli_no_memory();
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (json)
    print_json(&out, s);
  else
    status = print_tables(&out, s);
  return cli_out_close(&out, status);
}

void cli_summary_free(cli_summary *s) { free(s->impact); }
