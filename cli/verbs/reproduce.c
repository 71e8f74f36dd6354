// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/folder.h"
#include "ui/output.h"
#include "ui/numbers.h"
#include "ui/progress.h"
#include "papers.h"
#include "reproduce.h"
#include "ui/table.h"
#include "ui/values.h"
#include "verbs.h"
#include "ui/wrap.h"

enum { JSON, PLOTS, ALL, HTML, SET, PARAMETERS };
enum { MOST_PAPERS = 16, COLUMNS = 6, FEW_DIGITS = 4, OUR_DIGITS = 6, MOST_DIGITS = 9 };

static const cli_option options[] = {
    [JSON] = CLI_OPTION_JSON,
    [PLOTS] = {"--plots", "DIR", "write the figures there, as SVG; made if it is missing"},
    [ALL] = {"--all", NULL, "every number, also those of long series"},
    [HTML] = {"--html", "DIR", "tables and figures as a page there, DIR/index.html"},
    [SET] = {"--set", "NAME=VALUE", "change a parameter of the experiment; may be repeated"},
    [PARAMETERS] = {"--parameters", NULL, "list the parameters that can be changed"},
    {0}};

static const char text[] =
    "PAPER is mata2002, provenzano2002, valera2003, shafei2018 or abedloo2014; all of them\n"
    "if none is given. Every number that the paper prints stands beside what Appell\n"
    "computes. Nothing is fitted to a printed number: where the two differ, a note says why,\n"
    "or that it is not known.\n"
    "\n"
    "With --set an experiment is run with another value: the paper's numbers are left out\n"
    "where they depend on it.\n";

// What is asked for, and how far it is.
typedef struct job {
  const paper *paper[MOST_PAPERS];
  report report[MOST_PAPERS];
  int papers;
  double value[PAPER_PARAMETERS_MOST]; // of the one paper of --set
  bool json, all, html, changed;
  int width;        // of lines
  cli_folder plots; // path NULL: none are asked for
  int files;        // written for the paper so far
  cli_out out;
  cli_progress progress;
} job;

// ---- JSON --------------------------------------------------------------------------------------

static bool is_row(const report_line *line) {
  return line->kind == REPORT_ROW || line->kind == REPORT_DETAIL;
}

static void json_row(ap_json *json, const paper *p, const report_line *line) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "paper", p->name);
  ap_json_string(json, "item", line->item);
  ap_json_string(json, "quantity", line->quantity);
  ap_json_string(json, "unit", line->unit);
  ap_json_number(json, "printed", line->printed);
  ap_json_number(json, "ours", line->ours);
  ap_json_string(json, "note", line->note);
  ap_json_close(json, '}');
}

static void print_json(job *j) {
  ap_json json = {.write = cli_out_sink, .context = &j->out};
  ap_json_open(&json, NULL, '[');
  for (int k = 0; k < j->papers; k++) {
    for (int i = 0; i < j->report[k].lines; i++) {
      const report_line *line = &j->report[k].line[i];
      if (is_row(line)) json_row(&json, j->paper[k], line);
    }
  }
  ap_json_close(&json, ']');
}

// ---- tables ------------------------------------------------------------------------------------

// The lines of one item: its heading at first, then what follows up to the next one.
typedef struct item {
  const report_line *line;
  int lines;
  bool all;
  const char **note; // those of the rows that are shown, once each
  int notes;
} item;

static bool is_shown(const item *it, int k) {
  const report_kind kind = it->line[k].kind;
  return kind == REPORT_ROW || (kind == REPORT_DETAIL && it->all);
}

// Which columns have something to say.
typedef struct columns {
  bool unit, printed, note;
} columns;

static columns find_columns(const item *it) {
  columns c = {0};
  for (int k = 1; k < it->lines; k++) {
    if (!is_shown(it, k)) continue;
    c.unit = c.unit || it->line[k].unit[0];
    c.printed = c.printed || !isnan(it->line[k].printed);
    c.note = c.note || it->line[k].note[0];
  }
  return c;
}

// The number of a note from 1; 0 for none.
static int note_number(const item *it, const char *note) {
  for (int k = 0; k < it->notes; k++)
    if (strcmp(it->note[k], note) == 0) return k + 1;
  return 0;
}

static bool find_notes(item *it) {
  it->note = malloc((size_t)it->lines * sizeof *it->note);
  if (!it->note) return false;
  for (int k = 1; k < it->lines; k++) {
    const char *note = it->line[k].note;
    if (is_shown(it, k) && note[0] && note_number(it, note) == 0) it->note[it->notes++] = note;
  }
  return true;
}

// What a detail's item has beyond the name of the item that it stands in: "n = 6".
static const char *narrowed(const item *it, int k) {
  const size_t length = strlen(it->line[0].item);
  const char *name = it->line[k].item;
  if (strncmp(name, it->line[0].item, length) != 0 || !name[length]) return "";
  return name + length + strspn(name + length, ", ");
}

// Digits of a printed number. A paper does not print more than nine: such a number is a quotient or
// a sum of printed ones.
int cli_printed_digits(double printed) {
  const int digits = isnan(printed) ? FEW_DIGITS : cli_digits(printed);
  return digits > MOST_DIGITS ? FEW_DIGITS : digits;
}

// Digits of ours: two more than the paper has, but six at most unless more show the difference, and
// none that say nothing.
int cli_our_digits(const report_line *line) {
  if (line->digits > 0) return line->digits;
  int digits = cli_printed_digits(line->printed) + 2;
  if (digits > OUR_DIGITS) digits = OUR_DIGITS;
  const double apart = fabs((line->ours - line->printed) / line->printed);
  if (apart > 0 && apart < 1) {
    const int needed = 1 + (int)ceil(-log10(apart));
    if (needed > digits) digits = needed;
  }
  if (digits > MOST_DIGITS) digits = MOST_DIGITS;
  const int own = cli_digits(line->ours);
  return own < digits ? own : digits;
}

static void add_row(cli_table *table, const item *it, int k, columns c) {
  const report_line *line = &it->line[k];
  const char *where = narrowed(it, k);
  char number[CLI_NUMBER_BYTES];
  cli_table_add(table, "%s%s%s", where, where[0] ? ": " : "", line->quantity);
  if (c.unit) cli_table_add(table, "%s", line->unit);
  if (c.printed)
    cli_table_add(table, "%s",
                  cli_number(line->printed, cli_printed_digits(line->printed), number));
  cli_table_add(table, "%s", cli_number(line->ours, cli_our_digits(line), number));
  if (c.printed) cli_table_add(table, "%s", cli_difference(line->printed, line->ours, number));
  if (!c.note) return;
  if (line->note[0])
    cli_table_add(table, "[%d]", note_number(it, line->note));
  else
    cli_table_add(table, "%s", "");
}

static int print_rows(cli_out *out, const item *it) {
  const columns c = find_columns(it);
  const struct {
    const char *heading;
    bool used, right;
  } column[COLUMNS] = {{"quantity", true, false},       {"unit", c.unit, false},
                       {"printed", c.printed, true},    {"ours", true, true},
                       {"difference", c.printed, true}, {"note", c.note, false}};
  cli_table table = {0};
  for (int k = 0; k < COLUMNS; k++) {
    if (!column[k].used) continue;
    if (column[k].right) table.right |= 1u << table.columns;
    table.columns++;
    cli_table_add(&table, "%s", column[k].heading);
  }
  for (int k = 1; k < it->lines; k++)
    if (is_shown(it, k)) add_row(&table, it, k, c);
  return cli_table_print(&table, out);
}

static void print_notes(const job *j, cli_out *out, const item *it) {
  for (int k = 0; k < it->notes; k++) {
    char lead[32];
    snprintf(lead, sizeof lead, "  [%d] ", k + 1);
    cli_wrap(out, j->width, lead, it->note[k]);
  }
}

// The remarks among lines from .. to - 1; below a table behind a blank line.
static void print_remarks(const job *j, cli_out *out, const item *it, int from, int to,
                          bool below) {
  for (int k = from; k < to; k++) {
    if (it->line[k].kind != REPORT_REMARK) continue;
    if (below) cli_out_printf(out, "\n");
    below = false;
    cli_wrap(out, j->width, "  - ", it->line[k].text);
  }
}

static int print_numbers(const job *j, cli_out *out, const item *it) {
  int shown = 0, hidden = 0, status = CLI_OK;
  for (int k = 1; k < it->lines; k++) {
    shown += is_shown(it, k);
    hidden += it->line[k].kind == REPORT_DETAIL && !j->all;
  }
  if (shown > 0) {
    cli_out_printf(out, "\n");
    status = print_rows(out, it);
    print_notes(j, out, it);
  }
  if (hidden > 0) cli_out_printf(out, "  (%d more with --all)\n", hidden);
  return status;
}

static void print_heading(job *j, const char *name, const char *about) {
  char lead[64];
  snprintf(lead, sizeof lead, "%s%s", name, about[0] ? ": " : "");
  const bool bold = cli_colour(stdout);
  if (bold) cli_out_printf(&j->out, "\033[1m");
  cli_wrap(&j->out, j->width, lead, about);
  if (bold) cli_out_printf(&j->out, "\033[0m");
}

// What is said before the first number stands above the table, the rest below.
static int print_item(job *j, item *it) {
  cli_out *out = &j->out;
  int first = 1;
  while (first < it->lines && !is_row(&it->line[first])) first++;
  if (!find_notes(it)) return cli_no_memory();
  cli_out_printf(out, "\n");
  print_heading(j, it->line[0].item, it->line[0].text);
  print_remarks(j, out, it, 1, first, false);
  const int status = print_numbers(j, out, it);
  print_remarks(j, out, it, first, it->lines, true);
  free(it->note);
  return status;
}

static int print_report(job *j, const paper *p, const report *r) {
  print_heading(j, p->name, p->title);
  cli_wrap(&j->out, j->width, "  ", p->source);
  int status = CLI_OK;
  for (int k = 0; k < r->lines && status == CLI_OK; k++) {
    if (r->line[k].kind != REPORT_ITEM) continue;
    item it = {.line = &r->line[k], .lines = 1, .all = j->all};
    while (k + it.lines < r->lines && it.line[it.lines].kind != REPORT_ITEM) it.lines++;
    status = print_item(j, &it);
  }
  return status;
}

static void print_file(void *context, const char *name) {
  job *j = context;
  if (j->json || j->html) return;
  cli_out_printf(&j->out, "%s  wrote %s/%s\n", j->files++ ? "" : "\n", j->plots.path, name);
}

// ---- the verb ----------------------------------------------------------------------------------

static int unknown_paper(const char *word) {
  cli_choice choice = {.nearest = {.word = word}};
  for (int i = 0; paper_at(i); i++) cli_choice_offer(&choice, paper_at(i)->name);
  return cli_unknown("reproduce", "paper", &choice);
}

static int find_papers(const cli_arguments *arguments, job *j) {
  if (arguments->count == 0) {
    while (j->papers < MOST_PAPERS && paper_at(j->papers)) {
      j->paper[j->papers] = paper_at(j->papers);
      j->papers++;
    }
  }
  for (int k = 0; k < arguments->count; k++) {
    const paper *p = paper_find(arguments->argument[k]);
    if (!p) return unknown_paper(arguments->argument[k]);
    for (int seen = 0; seen < j->papers; seen++)
      if (j->paper[seen] == p) return cli_usage("reproduce", "paper '%s' is given twice", p->name);
    j->paper[j->papers++] = p;
  }
  return CLI_OK;
}

// Run one paper and print it, or keep it for the document.
static int run_paper(job *j, int k) {
  const paper *p = j->paper[k];
  report *r = &j->report[k];
  const paper_options how = {.plots = j->plots.path, .value = j->changed ? j->value : NULL};
  ap_error error = {0};
  cli_progress_step(&j->progress, k, j->papers, "%s", p->name);
  error.status = paper_run(p, &how, r, &error);
  cli_progress_hide();
  int status = CLI_OK;
  if (j->html) {
    status = cli_reproduce_paper(&j->out, p, r, j->plots.path);
  } else if (!j->json) {
    if (k > 0) cli_out_printf(&j->out, "\n\n");
    status = print_report(j, p, r);
  }
  j->files = 0;
  if (j->plots.path && status == CLI_OK) status = cli_folder_news(&j->plots, print_file, j);
  cli_out_flush(&j->out);
  if (r->no_memory) return cli_no_memory();
  if (error.status == AP_OK) return status;
  return cli_fail(CLI_FAILED, p->name, 0, "%s",
                  error.text[0] ? error.text : ap_status_text(error.status));
}

// A paper that fails does not keep the others from being run.
static int run_papers(job *j) {
  int status = CLI_OK;
  if (j->html) cli_reproduce_head(&j->out, j->paper, j->papers);
  for (int k = 0; k < j->papers && !j->out.error; k++)
    if (run_paper(j, k) != CLI_OK) status = CLI_FAILED;
  if (j->json) print_json(j);
  if (j->html) cli_reproduce_tail(&j->out);
  for (int k = 0; k < j->papers; k++) report_free(&j->report[k]);
  return status;
}

// The file of the page, in the folder of the figures; NULL: no page. The caller frees it.
static int page_file(const job *j, char **path) {
  static const char name[] = "/index.html";
  *path = NULL;
  if (!j->html) return CLI_OK;
  *path = malloc(strlen(j->plots.path) + sizeof name);
  if (!*path) return cli_no_memory();
  memcpy(*path, j->plots.path, strlen(j->plots.path));
  memcpy(*path + strlen(j->plots.path), name, sizeof name);
  return CLI_OK;
}

// ---- parameters --------------------------------------------------------------------------------

static int unknown_parameter(const paper *p, const char *word) {
  cli_choice choice = {.nearest = {.word = word}};
  for (int k = 0; k < paper_parameters(p); k++) cli_choice_offer(&choice, p->parameter[k].name);
  return cli_unknown("reproduce", "parameter", &choice);
}

// NAME=VALUE into the value of the parameter.
static int set_parameter(job *j, const char *setting) {
  const paper *p = j->paper[0];
  const char *equals = strchr(setting, '=');
  char name[64];
  if (!equals)
    return cli_usage("reproduce", "--set '%s' has no value (NAME=VALUE, such as %s=%g)", setting,
                     p->parameter[0].name, p->parameter[0].value);
  snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
  const int k = paper_find_parameter(p, name);
  if (k < 0) return unknown_parameter(p, name);
  const paper_parameter *x = &p->parameter[k];
  double *value = &j->value[k];
  if (!cli_read_number(equals + 1, value) || (x->whole && *value != floor(*value)))
    return cli_usage("reproduce", "--set %s: '%s' is not a %snumber", name, equals + 1,
                     x->whole ? "whole " : "");
  if (*value < x->least || *value > x->most)
    return cli_usage("reproduce", "--set %s: %g is out of range (%g to %g%s%s)", name, *value,
                     x->least, x->most, x->unit[0] ? " " : "", x->unit);
  return CLI_OK;
}

static int set_parameters(const cli_arguments *arguments, job *j) {
  if (!arguments->value[SET]) return CLI_OK;
  if (j->papers != 1)
    return cli_usage("reproduce", "--set is for one paper (name it: appell reproduce %s --set %s)",
                     paper_at(0)->name, arguments->value[SET]);
  const paper *p = j->paper[0];
  if (paper_parameters(p) == 0) return cli_usage("reproduce", "%s has no parameters", p->name);
  for (int k = 0; k < paper_parameters(p); k++) j->value[k] = p->parameter[k].value;
  j->changed = true;
  int status = CLI_OK;
  const char *setting;
  for (int n = 0; status == CLI_OK && (setting = cli_option_again(arguments, SET, n)); n++)
    status = set_parameter(j, setting);
  return status;
}

static int list_table(job *j) {
  cli_table table = {.columns = 5, .right = 4, .keys = 2};
  cli_table_headings(&table, "paper|parameter|value|unit|");
  for (int i = 0; i < j->papers; i++)
    for (int k = 0; k < paper_parameters(j->paper[i]); k++) {
      const paper_parameter *x = &j->paper[i]->parameter[k];
      cli_table_add(&table, "%s", j->paper[i]->name);
      cli_table_add(&table, "%s", x->name);
      cli_table_add(&table, "%.6g", x->value);
      cli_table_add(&table, "%s", x->unit);
      cli_table_add(&table, "%s; %g to %g", x->about, x->least, x->most);
    }
  return cli_table_print(&table, &j->out);
}

static int list_json(job *j) {
  ap_json json = {.write = cli_out_sink, .context = &j->out};
  ap_json_open(&json, NULL, '[');
  for (int i = 0; i < j->papers; i++)
    for (int k = 0; k < paper_parameters(j->paper[i]); k++) {
      const paper_parameter *x = &j->paper[i]->parameter[k];
      ap_json_open(&json, NULL, '{');
      ap_json_string(&json, "paper", j->paper[i]->name);
      ap_json_string(&json, "parameter", x->name);
      ap_json_string(&json, "unit", x->unit);
      ap_json_number(&json, "value", x->value);
      ap_json_number(&json, "least", x->least);
      ap_json_number(&json, "most", x->most);
      ap_json_bool(&json, "whole", x->whole);
      ap_json_string(&json, "about", x->about);
      ap_json_close(&json, '}');
    }
  ap_json_close(&json, ']');
  return CLI_OK;
}

static int list_parameters(job *j) {
  const int status = cli_out_open(&j->out, NULL);
  return status == CLI_OK ? cli_out_close(&j->out, j->json ? list_json(j) : list_table(j)) : status;
}

static int check_options(const cli_arguments *arguments) {
  const bool html = arguments->value[HTML] != NULL;
  if (html && arguments->value[JSON])
    return cli_usage("reproduce", "--html and --json are two outputs, one is possible");
  if (html && arguments->value[PLOTS])
    return cli_usage("reproduce", "--html has the figures in its own folder, without --plots");
  if (arguments->value[PARAMETERS] && arguments->value[SET])
    return cli_usage("reproduce", "--parameters lists what --set can change, one is possible");
  return CLI_OK;
}

static int run(const cli_arguments *arguments) {
  const bool html = arguments->value[HTML] != NULL;
  job j = {.html = html,
           .json = arguments->value[JSON] != NULL,
           .all = arguments->value[ALL] != NULL,
           .width = cli_line_width(),
           .plots = {.path = arguments->value[html ? HTML : PLOTS]}};
  char *page = NULL;
  int status = check_options(arguments);
  if (status == CLI_OK) status = find_papers(arguments, &j);
  if (status == CLI_OK && arguments->value[PARAMETERS]) return list_parameters(&j);
  if (status == CLI_OK) status = set_parameters(arguments, &j);
  if (status == CLI_OK && j.plots.path) status = cli_folder_open(&j.plots);
  cli_progress_start(&j.progress, false);
  if (status == CLI_OK) status = page_file(&j, &page);
  if (status == CLI_OK) status = cli_out_open(&j.out, page);
  if (status == CLI_OK) status = cli_out_close(&j.out, run_papers(&j));
  cli_folder_close(&j.plots);
  free(page);
  return status;
}

const cli_verb cli_reproduce = {
    .name = "reproduce",
    .arguments = "[PAPER...]",
    .about = "Run the papers' experiments and compare.",
    .text = text,
    .example =
        "  appell reproduce mata2002\n"
        "  appell reproduce shafei2018 --parameters\n"
        "  appell reproduce shafei2018 --set restitution=0.8 --set gravity=1.62\n"
        "  appell reproduce --plots figures\n"
        "  appell reproduce --html papers\n",
    .options = options,
    .most = MOST_PAPERS,
    .run = run};
