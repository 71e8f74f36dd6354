// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "identify.h"
#include "ui/output.h"
#include "ui/numbers.h"
#include "ui/table.h"
#include "ui/wrap.h"

enum { COMBINATION_BYTES = 4000, NAME_BYTES = 256 };

// ---- what both forms ask -----------------------------------------------------------------------

static char *combination(const cli_identification *f, int k, char text[COMBINATION_BYTES]) {
  return ap_base_text(f->ident, f->base, k, text, COMBINATION_BYTES);
}

static const char *leader(const cli_identification *f, int k) {
  return ap_ident_name(f->ident, ap_base_leader(f->base, k));
}

static const char *unit(const cli_identification *f, int k) {
  return ap_ident_unit(f->ident, ap_base_leader(f->base, k));
}

// The name of joint force j, without "tau.".
static const char *force_name(const cli_identification *f, int j, char text[NAME_BYTES]) {
  return cli_column_name(f->model.model, AP_INVERSE, j, text, NAME_BYTES) + strlen("tau.");
}

// Root of the sum of squares.
static double together(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

// What the fit says about a log: errors and forces of each joint, each [nv].
typedef struct errors {
  double *error, *force;
} errors;

static bool find_errors(const cli_log_data *data, const ap_fit *fit, errors *e) {
  e->error = malloc((size_t)fit->nv * sizeof *e->error);
  e->force = malloc((size_t)fit->nv * sizeof *e->force);
  if (!e->error || !e->force) return false;
  ap_reduction_error_rms(data->reduction, fit->parameter, e->error);
  ap_reduction_force_rms(data->reduction, e->force);
  return true;
}

static void free_errors(errors *e) {
  free(e->error);
  free(e->force);
}

// Errors relative to forces, all joints together; NAN where there is no such log.
static double relative_error(const cli_log_data *data, const ap_fit *fit) {
  errors e = {NULL, NULL};
  if (!data->reduction || !find_errors(data, fit, &e)) {
    free_errors(&e);
    return NAN;
  }
  const double relative = together(e.error, fit->nv) / together(e.force, fit->nv);
  free_errors(&e);
  return relative;
}

static bool is_physical(const cli_identification *f, const ap_fit *fit) {
  return ap_ident_physical(f->ident, fit->parameter);
}

// ---- base parameters ---------------------------------------------------------------------------

static void base_json(const cli_identification *f, cli_out *out) {
  ap_json json = {.write = cli_out_sink, .context = out};
  char text[COMBINATION_BYTES];
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "model", ap_model_name(f->model.model));
  ap_json_integer(&json, "standard_parameters", ap_ident_count(f->ident));
  ap_json_integer(&json, "base_parameters", ap_base_count(f->base));
  ap_json_open(&json, "parameters", '[');
  for (int k = 0; k < ap_base_count(f->base); k++) {
    ap_json_open(&json, NULL, '{');
    ap_json_string(&json, "name", leader(f, k));
    ap_json_string(&json, "unit", unit(f, k));
    ap_json_string(&json, "combination", combination(f, k, text));
    ap_json_close(&json, '}');
  }
  ap_json_close(&json, ']');
  ap_json_close(&json, '}');
}

static void base_text(const cli_identification *f, cli_out *out) {
  char text[COMBINATION_BYTES];
  cli_out_printf(out, "%.200s: %d base parameters of %d standard ones\n\n",
                 ap_model_name(f->model.model), ap_base_count(f->base), ap_ident_count(f->ident));
  for (int k = 0; k < ap_base_count(f->base); k++)
    cli_wrap(out, cli_terminal_width(), "  ", combination(f, k, text));
}

int cli_print_base(const cli_identification *found, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (json)
    base_json(found, &out);
  else
    base_text(found, &out);
  return cli_out_close(&out, CLI_OK);
}

// ---- as JSON -----------------------------------------------------------------------------------

static void json_joints(const cli_identification *f, ap_json *json, const char *key,
                        const double *x) {
  char name[NAME_BYTES];
  ap_json_open(json, key, '{');
  for (int j = 0; j < ap_nv(f->model.model); j++)
    ap_json_number(json, force_name(f, j, name), x[j]);
  ap_json_close(json, '}');
}

static void json_parameters(const cli_identification *f, ap_json *json, const ap_fit *fit) {
  char text[COMBINATION_BYTES];
  ap_json_integer(json, "base_parameters", fit->n);
  ap_json_open(json, "parameters", '[');
  for (int k = 0; k < fit->n; k++) {
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "name", leader(f, k));
    ap_json_number(json, "value", fit->value[k]);
    ap_json_number(json, "standard_deviation", fit->deviation[k]);
    ap_json_string(json, "unit", unit(f, k));
    ap_json_string(json, "combination", combination(f, k, text));
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_methods(const cli_identification *f, ap_json *json) {
  ap_json_open(json, "methods", '[');
  for (int k = 0; k < AP_FIT_METHODS; k++) {
    const ap_fit *fit = f->fit[k];
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "method", ap_fit_method_name((ap_fit_method)k));
    if (fit) {
      ap_json_number(json, "residual", relative_error(&f->data, fit));
      if (f->validation.path)
        ap_json_number(json, "validation", relative_error(&f->validation, fit));
      if (k == AP_FIT_CONSISTENT) ap_json_bool(json, "physical", is_physical(f, fit));
      if (k == AP_FIT_RIDGE) ap_json_number(json, "ridge", fit->ridge);
      if (k == AP_FIT_SVD) ap_json_integer(json, "truncated", fit->truncated);
    } else {
      ap_json_string(json, "failed", f->failed[k].text);
    }
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

// The parameters of all bodies and joints by the consistent fit.
static void json_standard(const cli_identification *f, ap_json *json) {
  const ap_fit *fit = f->fit[AP_FIT_CONSISTENT];
  ap_json_open(json, "standard_parameters", '{');
  for (int k = 0; fit && k < fit->np; k++)
    ap_json_number(json, ap_ident_name(f->ident, k), fit->parameter[k]);
  ap_json_close(json, '}');
}

static void json_doubts(const cli_identification *f, ap_json *json) {
  char name[NAME_BYTES];
  ap_json_open(json, "doubts", '[');
  for (int k = 0; k < f->doubts.count; k++) {
    const ap_doubt *d = &f->doubts.doubt[k];
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "kind", ap_doubt_name(d->kind));
    ap_json_bool(json, "grave", d->grave);
    if (d->joint >= 0) ap_json_string(json, "joint", force_name(f, d->joint, name));
    ap_json_number(json, "value", d->value);
    ap_json_number(json, "bound", d->bound);
    ap_json_string(json, "text", d->text);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_gains(const cli_identification *f, ap_json *json) {
  char name[NAME_BYTES];
  if (!f->gains) return;
  ap_json_open(json, "gains", '{');
  for (int j = 0; j < f->gains->nv; j++) {
    const ap_drive_gains *g = f->gains;
    ap_json_open(json, force_name(f, j, name), '{');
    ap_json_number(json, "gain", g->gain[j]);
    ap_json_number(json, "standard_deviation", g->deviation[j]);
    ap_json_bool(json, "identifiable", g->sure[j]);
    ap_json_close(json, '}');
  }
  ap_json_close(json, '}');
}

// How much of every parameter of the consistent fit the forces determine.
static void json_belief(const cli_identification *f, ap_json *json) {
  const ap_fit *fit = f->fit[AP_FIT_CONSISTENT];
  if (!fit) return;
  ap_json_number(json, "prior", fit->prior);
  ap_json_open(json, "belief", '{');
  for (int k = 0; k < fit->np; k++) {
    ap_json_open(json, ap_ident_name(f->ident, k), '{');
    ap_json_number(json, "standard_deviation", fit->parameter_deviation[k]);
    ap_json_number(json, "determined", fit->determined[k]);
    ap_json_bool(json, "identifiable", ap_fit_identifiable(fit, k));
    ap_json_close(json, '}');
  }
  ap_json_close(json, '}');
}

static int print_json(const cli_identification *f, cli_out *out) {
  const ap_fit *fit = f->fit[f->method];
  ap_json json = {.write = cli_out_sink, .context = out};
  errors e = {NULL, NULL}, other = {NULL, NULL};
  const bool good = find_errors(&f->data, fit, &e) &&
                    (!f->validation.path || find_errors(&f->validation, fit, &other));
  if (good) {
    ap_json_open(&json, NULL, '{');
    ap_json_string(&json, "model", ap_model_name(f->model.model));
    ap_json_string(&json, "method", ap_fit_method_name(f->method));
    ap_json_integer(&json, "samples", f->data.samples);
    ap_json_integer(&json, "states", ap_dataset_count(f->data.states));
    ap_json_integer(&json, "spikes", (int)ap_dataset_spikes(f->data.states));
    ap_json_integer(&json, "gaps", ap_dataset_gaps(f->data.states));
    json_doubts(f, &json);
    json_parameters(f, &json, fit);
    ap_json_number(&json, "condition", fit->condition);
    json_joints(f, &json, "force_rms", e.force);
    json_joints(f, &json, "residual_rms", e.error);
    if (f->validation.path) json_joints(f, &json, "validation_rms", other.error);
    json_methods(f, &json);
    json_standard(f, &json);
    ap_json_number(&json, "inflation", fit->inflation);
    json_gains(f, &json);
    json_belief(f, &json);
    ap_json_close(&json, '}');
  }
  free_errors(&e);
  free_errors(&other);
  return good ? CLI_OK : cli_no_memory();
}

// ---- as tables ---------------------------------------------------------------------------------

static void percent(cli_table *table, double x) {
  cli_table_add_if(table, !isnan(x), "%.3g %%", 100 * x);
}

static int print_methods(const cli_identification *f, cli_out *out) {
  cli_table table = {.columns = 5, .right = 6};
  cli_table_headings(&table, "method|residual|validation|physical|");
  for (int k = 0; k < AP_FIT_METHODS; k++) {
    const ap_fit *fit = f->fit[k];
    cli_table_add(&table, "%s", ap_fit_method_name((ap_fit_method)k));
    percent(&table, fit ? relative_error(&f->data, fit) : NAN);
    percent(&table, fit ? relative_error(&f->validation, fit) : NAN);
    const bool whole = fit && k == AP_FIT_CONSISTENT; // others give base parameters alone
    cli_table_add(&table, "%s", !whole ? "-" : is_physical(f, fit) ? "yes" : "no");
    if (!fit)
      cli_table_add(&table, "%.100s", f->failed[k].text);
    else if (k == AP_FIT_RIDGE)
      cli_table_add(&table, "ridge %.3g", fit->ridge);
    else if (k == AP_FIT_SVD && fit->truncated > 0)
      cli_table_add(&table, "%d singular values left out", fit->truncated);
    else
      cli_table_add(&table, "%s", "");
  }
  return cli_table_print(&table, out);
}

static int print_joints(const cli_identification *f, cli_out *out) {
  const ap_fit *fit = f->fit[f->method];
  cli_table table = {.columns = 6, .right = 62};
  errors e = {NULL, NULL}, other = {NULL, NULL};
  const bool good = find_errors(&f->data, fit, &e) &&
                    (!f->validation.path || find_errors(&f->validation, fit, &other));
  cli_table_headings(&table, "joint|force rms|residual rms|of force|validation|left out");
  for (int j = 0; good && j < fit->nv; j++) {
    char name[NAME_BYTES];
    long left_out = 0;
    const long rows = ap_reduction_rows(f->data.reduction, j, &left_out);
    cli_table_add(&table, "%.60s", force_name(f, j, name));
    cli_table_add(&table, "%.4g", e.force[j]);
    cli_table_add(&table, "%.4g", e.error[j]);
    percent(&table, e.force[j] > 0 ? e.error[j] / e.force[j] : NAN);
    cli_table_add_if(&table, f->validation.path, "%.4g", other.error[j]);
    cli_table_add(&table, "%ld of %ld", left_out, rows + left_out);
  }
  free_errors(&e);
  free_errors(&other);
  const int status = cli_table_print(&table, out);
  return good ? status : cli_no_memory();
}

static int print_parameters(const cli_identification *f, cli_out *out) {
  const ap_fit *fit = f->fit[f->method];
  cli_table table = {.columns = 4, .right = 6};
  char text[COMBINATION_BYTES];
  cli_table_headings(&table, "base parameter|value|deviation|unit");
  for (int k = 0; k < fit->n; k++) {
    combination(f, k, text);
    const bool alone = strcmp(text, leader(f, k)) == 0;
    cli_table_add(&table, "%.60s%s", leader(f, k), alone ? "" : " + ...");
    cli_table_add(&table, "%.6g", fit->value[k]);
    cli_table_add(&table, "%.2g", fit->deviation[k]);
    cli_table_add(&table, "%s", unit(f, k));
  }
  return cli_table_print(&table, out);
}

// Whether force j is a torque: that of a revolute joint.
static bool is_torque(const cli_identification *f, int j) {
  const ap_model *m = f->model.model;
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_v(m, i) == j && ap_joint_nv(m, i) == 1) return ap_body(m, i)->joint == AP_REVOLUTE;
  return true;
}

static int print_gains(const cli_identification *f, cli_out *out) {
  cli_table table = {.columns = 5, .right = 14};
  if (!f->gains) return CLI_OK;
  cli_table_headings(&table, "joint|gain|deviation|of gain|");
  for (int j = 0; j < f->gains->nv; j++) {
    char name[NAME_BYTES];
    const ap_drive_gains *g = f->gains;
    const bool known = isfinite(g->gain[j]);
    cli_table_add(&table, "%.60s", force_name(f, j, name));
    cli_table_add_if(&table, known, "%.5g", g->gain[j]);
    cli_table_add_if(&table, known, "%.2g", g->deviation[j]);
    percent(&table, known ? g->deviation[j] / fabs(g->gain[j]) : NAN);
    cli_table_add(&table, "%s%s", is_torque(f, j) ? "N m" : "N",
                  f->gains->sure[j] ? "" : "  not identifiable: its currents are not used");
  }
  cli_out_printf(out, "Gains: forces for each unit of the currents in the log\n\n");
  const int status = cli_table_print(&table, out);
  cli_out_printf(out, "\n");
  return status;
}

static void print_gaps(const cli_identification *f, cli_out *out) {
  const int gaps = ap_dataset_gaps(f->data.states);
  const long unused = ap_dataset_unused(f->data.states);
  if (gaps > 0) cli_out_printf(out, "; %d gap%s", gaps, gaps == 1 ? "" : "s");
  if (unused > 0) cli_out_printf(out, ", %ld samples in parts too short to be filtered", unused);
}

// What was not looked for because the log cannot show it.
static void print_scope(const cli_identification *f, cli_out *out) {
  if (f->at_rest)
    cli_out_printf(out,
                   "Poses at rest: only parameters of gravity are identified, all others keep "
                   "the model's values.\n");
  else if (f->resting > 0)
    cli_out_printf(out, "%d joint%s not move: only what the others show is identified.\n",
                   f->resting, f->resting == 1 ? " does" : "s do");
  if (f->silent > 0)
    cli_out_printf(out, "%d joint%s no measured force.\n", f->silent,
                   f->silent == 1 ? " has" : "s have");
}

// Masses and rotors of the robot that -o writes.
static int print_belief(const cli_identification *f, cli_out *out) {
  const ap_fit *fit = f->fit[AP_FIT_CONSISTENT];
  if (!fit) return CLI_OK;
  cli_table table = {.columns = 5, .right = 14};
  cli_out_printf(out, "\nThe consistent fit, %s off by %.3g %% (one deviation):\n\n",
                 "masses of the model taken to be", 100 * fit->prior);
  cli_table_headings(&table, "parameter|value|deviation|by forces|");
  for (int k = 0; k < fit->np; k++) {
    const char *name = ap_ident_name(f->ident, k), *last = strrchr(name, '.');
    if (!last || (strcmp(last, ".m") != 0 && strcmp(last, ".rotor") != 0)) continue;
    cli_table_add(&table, "%.60s", name);
    cli_table_add(&table, "%.4g", fit->parameter[k]);
    cli_table_add_if(&table, isfinite(fit->parameter_deviation[k]), "%.2g",
                     fit->parameter_deviation[k]);
    cli_table_add(&table, "%.1f %%", 100 * fit->determined[k]);
    cli_table_add(&table, "%s", ap_fit_identifiable(fit, k) ? "" : "not identifiable");
  }
  return cli_table_print(&table, out);
}

static int print_tables(const cli_identification *f, cli_out *out) {
  const ap_fit *fit = f->fit[f->method];
  cli_out_printf(out, "%.200s: %d base parameters of %d standard ones\n",
                 ap_model_name(f->model.model), fit->n, fit->np);
  const long spikes = ap_dataset_spikes(f->data.states);
  if (f->data.logs > 1)
    cli_out_printf(out, "%d logs: ", f->data.logs);
  else
    cli_out_printf(out, "%.200s: ", f->data.path);
  cli_out_printf(out, "%d samples in %.6g s, %d states", f->data.samples, f->data.duration,
                 ap_dataset_count(f->data.states));
  if (spikes > 0) cli_out_printf(out, "; %ld spikes interpolated", spikes);
  print_gaps(f, out);
  cli_out_printf(out, "\n");
  print_scope(f, out);
  cli_out_printf(out, "\n");
  int status = print_gains(f, out);
  if (status == CLI_OK) status = print_methods(f, out);
  cli_out_printf(
      out,
      "\nEstimated by %s, condition %.3g ('+ ...' is written out by 'appell identify MODEL'):\n\n",
      ap_fit_method_name(f->method), fit->condition);
  if (status == CLI_OK) status = print_joints(f, out);
  cli_out_printf(out, "\n");
  if (status == CLI_OK) status = print_parameters(f, out);
  if (status == CLI_OK) status = print_belief(f, out);
  return status;
}

int cli_print_identification(const cli_identification *found, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  return cli_out_close(&out, json ? print_json(found, &out) : print_tables(found, &out));
}
