// SPDX-License-Identifier: Apache-2.0
#include <appell/file.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"
#include "ui/numbers.h"
#include "ui/output.h"
#include "ui/table.h"

enum { COMMAND = 4300, SHOWN_INFLUENCES = 12 };

// A path that has something for a shell in it is quoted.
void sweep_command(const char *study, char *command, unsigned long size) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%";
  const char *name = study ? study : "STUDY.yaml";
  const bool quote = strspn(name, plain) != strlen(name) && !strchr(name, '\'');
  snprintf(command, size, "appell sweep %s%.4000s%s --trial", quote ? "'" : "", name,
           quote ? "'" : "");
}

// ---- people ------------------------------------------------------------------------------------

static void add_number(cli_table *table, double x) {
  char text[CLI_NUMBER_BYTES];
  cli_table_add(table, "%s", cli_number(x, 6, text));
}

static int print_outcomes(const ap_sweep_summary *s, cli_out *out) {
  cli_table table = {.columns = 9, .right = 0x1fe};
  cli_table_headings(&table, "outcome|mean|deviation|least|5 %|50 %|95 %|99.9 %|most");
  for (int k = 0; k < s->outcomes; k++) {
    const ap_sweep_outcome_summary *o = &s->outcome[k];
    const double x[] = {o->mean,        o->deviation,   o->least,       o->quantile[2],
                        o->quantile[4], o->quantile[6], o->quantile[8], o->most};
    cli_table_add(&table, "%s", o->name);
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) add_number(&table, x[i]);
  }
  return cli_table_print(&table, out);
}

// The most influential parameters of every outcome.
static int print_influences(const ap_sweep_summary *s, cli_out *out) {
  cli_table table = {.columns = 5, .keys = 2, .right = 0x1c};
  int n = 0;
  cli_table_add(&table, "outcome");
  cli_table_add(&table, "parameter");
  for (int i = 0; i < 3; i++) cli_table_add(&table, "%s", s->influence[i] ? s->influence[i] : "");
  for (int k = 0; k < s->outcomes; k++) {
    for (int p = 0; p < s->parameters && n < SHOWN_INFLUENCES * s->outcomes; p++, n++) {
      cli_table_add(&table, "%s", p == 0 ? s->outcome[k].name : "");
      cli_table_add(&table, "%s", s->parameter[p]);
      for (int i = 0; i < 3; i++) {
        char text[CLI_NUMBER_BYTES] = "";
        if (s->influence[i]) cli_number(s->outcome[k].influence[i][p], 4, text);
        cli_table_add(&table, "%s", text);
      }
    }
  }
  return cli_table_print(&table, out);
}

static void print_worst(const ap_sweep_summary *s, cli_out *out) {
  char command[COMMAND], text[CLI_NUMBER_BYTES], name[200];
  sweep_command(s->study_file, command, sizeof command);
  for (int k = 0; k < s->outcomes; k++) {
    const ap_sweep_outcome_summary *o = &s->outcome[k];
    if (o->worst[0] < 0) continue;
    cli_plain(o->name, name, sizeof name);
    cli_out_printf(out, "  worst %s: %s\n    %s %lld\n", name,
                   cli_number(o->worst_value[0], 6, text), command, o->worst[0]);
  }
  for (int k = 0; k < AP_SWEEP_WORST && s->failure[k] >= 0; k++)
    cli_out_printf(out, "  without a result:\n    %s %lld\n", command, s->failure[k]);
}

static int print_text(const ap_sweep_summary *s, cli_out *out) {
  char name[200];
  cli_out_printf(out, "%s: %lld trials (%s, design %s), %lld without a result\n\n",
                 cli_plain(s->name, name, sizeof name), s->trials, s->kind, s->design, s->failed);
  int status = print_outcomes(s, out);
  cli_out_printf(out, "\n");
  if (status == CLI_OK) status = print_influences(s, out);
  cli_out_printf(out, "\n");
  print_worst(s, out);
  return status;
}

// ---- programs ----------------------------------------------------------------------------------

static void put_trials(ap_json *j, const char *key, const char *command, const long long *trial,
                       const double *value) {
  char text[COMMAND + 32];
  ap_json_open(j, key, '[');
  for (int k = 0; k < AP_SWEEP_WORST && trial[k] >= 0; k++) {
    ap_json_open(j, NULL, '{');
    ap_json_integer(j, "trial", (long)trial[k]);
    if (value) ap_json_number(j, "value", value[k]);
    snprintf(text, sizeof text, "%s %lld", command, trial[k]);
    ap_json_string(j, "command", text);
    ap_json_close(j, '}');
  }
  ap_json_close(j, ']');
}

static void put_outcome(ap_json *j, const ap_sweep_summary *s, int k, const char *command) {
  const ap_sweep_outcome_summary *o = &s->outcome[k];
  double bins[AP_SWEEP_BINS];
  for (int i = 0; i < AP_SWEEP_BINS; i++) bins[i] = (double)o->histogram[i];
  ap_json_open(j, NULL, '{');
  ap_json_string(j, "name", o->name);
  ap_json_integer(j, "count", (long)o->count);
  ap_json_number(j, "mean", o->mean);
  ap_json_number(j, "deviation", o->deviation);
  ap_json_number(j, "least", o->least);
  ap_json_number(j, "most", o->most);
  ap_json_numbers(j, "quantiles", o->quantile, AP_SWEEP_QUANTILES);
  ap_json_numbers(j, "histogram", bins, AP_SWEEP_BINS);
  for (int i = 0; i < 3 && s->influence[i]; i++)
    ap_json_numbers(j, s->influence[i], o->influence[i], s->parameters);
  put_trials(j, "worst", command, o->worst, o->worst_value);
  ap_json_close(j, '}');
}

static int print_json(const ap_sweep_summary *s, cli_out *out) {
  ap_json j = {.write = cli_out_sink, .context = out};
  char command[COMMAND];
  sweep_command(s->study_file, command, sizeof command);
  ap_json_open(&j, NULL, '{');
  ap_json_string(&j, "study", s->name);
  ap_json_string(&j, "kind", s->kind);
  ap_json_string(&j, "design", s->design);
  ap_json_integer(&j, "trials", (long)s->trials);
  ap_json_integer(&j, "failed", (long)s->failed);
  put_trials(&j, "failures", command, s->failure, NULL);
  ap_json_open(&j, "parameters", '[');
  for (int p = 0; p < s->parameters; p++) ap_json_string(&j, NULL, s->parameter[p]);
  ap_json_close(&j, ']');
  ap_json_numbers(&j, "quantile", ap_sweep_quantile, AP_SWEEP_QUANTILES);
  ap_json_open(&j, "outcomes", '[');
  for (int k = 0; k < s->outcomes; k++) put_outcome(&j, s, k, command);
  ap_json_close(&j, ']');
  ap_json_close(&j, '}');
  cli_out_printf(out, "\n");
  return CLI_OK;
}

// ---- outputs -----------------------------------------------------------------------------------

int sweep_print(const ap_sweep_summary *summary, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  status = json ? print_json(summary, &out) : print_text(summary, &out);
  return cli_out_close(&out, status);
}

int sweep_write_page(const ap_sweep_summary *summary, const char *path) {
  cli_out out;
  char command[COMMAND];
  ap_error error = {0};
  int status = cli_out_open(&out, path);
  if (status != CLI_OK) return status;
  sweep_command(summary->study_file, command, sizeof command);
  error.status = ap_sweep_page(summary, command, cli_out_sink, &out, &error);
  if (error.status != AP_OK) status = cli_fail(CLI_FAILED, path, 0, "%s", error.text);
  return cli_out_close(&out, status);
}

static int print_values(const ap_sweep *sweep, long long trial, const double *value,
                        const double *outcome, bool json, cli_out *out) {
  ap_json j = {.write = cli_out_sink, .context = out};
  cli_table table = {.columns = 2, .right = 2};
  const char *name;
  if (json) ap_json_open(&j, NULL, '{');
  if (json) ap_json_integer(&j, "trial", (long)trial);
  if (!json) cli_table_headings(&table, "trial|value");
  for (int part = 0; part < 2; part++) {
    if (json) ap_json_open(&j, part ? "outcomes" : "parameters", '{');
    for (int k = 0; (name = part ? ap_sweep_outcome(sweep, k) : ap_sweep_parameter(sweep, k));
         k++) {
      const double x = part ? outcome[k] : value[k];
      char text[32];
      text[ap_format_shortest(x, text)] = 0;
      if (json) {
        ap_json_number(&j, name, x);
      } else {
        cli_table_add(&table, "%s", name);
        cli_table_add(&table, "%s", text);
      }
    }
    if (json) ap_json_close(&j, '}');
  }
  if (!json) return cli_table_print(&table, out);
  ap_json_close(&j, '}');
  cli_out_printf(out, "\n");
  return CLI_OK;
}

int sweep_print_trial(const ap_sweep *sweep, long long trial, const double *outcome, bool json) {
  int n = 0;
  cli_out out;
  while (ap_sweep_parameter(sweep, n)) n++;
  double *value = calloc((size_t)n + 1, sizeof *value);
  if (!value) return cli_no_memory();
  ap_sweep_values(sweep, trial, value);
  int status = cli_out_open(&out, NULL);
  if (status == CLI_OK)
    status = cli_out_close(&out, print_values(sweep, trial, value, outcome, json, &out));
  free(value);
  return status;
}
