// SPDX-License-Identifier: Apache-2.0
// `appell compare --against PROGRAM`: asks, and prints what came out.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/links.h"
#include "ui/output.h"
#include "ui/table.h"
#include "ui/wrap.h"
#include "compare.h"

static const char *const term_name[CLI_TERMS] = {"gravity", "coriolis", "inertia"};

// ---- what both forms ask -----------------------------------------------------------------------

// The body whose joint has degree of freedom k.
static int body_of(const ap_model *m, int k) {
  for (int n = 0; n < ap_moving_bodies(m); n++) {
    const int i = ap_moving_body(m, n), v = ap_joint_v(m, i);
    if (v <= k && k < v + ap_joint_nv(m, i)) return i;
  }
  return 0;
}

static bool mass_differs(const cli_dispute *d) {
  return fabs(d->mass[0] - d->mass[1]) > d->tolerance * fmax(d->mass[0], d->mass[1]);
}

static bool frame_differs(const cli_dispute *d, int i) {
  return d->frame[i] > d->tolerance || d->turn[i] > d->tolerance;
}

static bool agree(const cli_dispute *d) {
  bool same = d->findings == 0 && !mass_differs(d);
  for (int k = 0; k < ap_nv(d->model->model) * CLI_TERMS; k++)
    same = same && !cli_differs(d, d->gap[k]);
  for (int i = 1; i < ap_nbody(d->model->model); i++) same = same && !frame_differs(d, i);
  return same;
}

static bool explained(const cli_dispute *d) { return d->after <= d->tolerance; }

// ---- JSON --------------------------------------------------------------------------------------

static void json_terms(ap_json *json, const cli_dispute *d) {
  const ap_model *m = d->model->model;
  ap_json_open(json, "terms", '[');
  for (int k = 0; k < ap_nv(m) * CLI_TERMS; k++) {
    const cli_gap *g = &d->gap[k];
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "term", term_name[k % CLI_TERMS]);
    ap_json_string(json, "joint", cli_joint_name(m, body_of(m, k / CLI_TERMS)));
    ap_json_integer(json, "v", k / CLI_TERMS);
    ap_json_number(json, "largest", g->value);
    ap_json_number(json, "difference", g->difference);
    ap_json_bool(json, "agrees", !cli_differs(d, *g));
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_frames(ap_json *json, const cli_dispute *d) {
  const ap_model *m = d->model->model;
  ap_json_open(json, "frames", '[');
  for (int i = 1; i < ap_nbody(m); i++) {
    if (d->frame[i] < 0) continue;
    ap_json_open(json, NULL, '{');
    ap_json_string(json, "link", ap_body(m, i)->name);
    ap_json_number(json, "distance", d->frame[i]);
    ap_json_number(json, "rotation", d->turn[i]);
    ap_json_bool(json, "agrees", !frame_differs(d, i));
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void json_findings(ap_json *json, const cli_dispute *d) {
  ap_json_open(json, "findings", '[');
  for (int k = 0; k < d->findings; k++) {
    const cli_finding *f = &d->finding[k];
    ap_json_open(json, NULL, '{');
    if (f->body > 0) ap_json_string(json, "link", ap_body(d->model->model, f->body)->name);
    ap_json_string(json, "attribute", f->attribute);
    if (f->line > 0) ap_json_integer(json, "line", f->line);
    ap_json_numbers(json, "appell", f->ours, f->count);
    ap_json_numbers(json, "other", f->theirs, f->count);
    ap_json_bool(json, "left_out", f->left_out);
    ap_json_close(json, '}');
  }
  ap_json_close(json, ']');
}

static void print_json(cli_out *out, const cli_dispute *d) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '{');
  ap_json_string(&json, "model", ap_model_name(d->model->model));
  ap_json_string(&json, "program", d->other->program);
  ap_json_bool(&json, "reads_file", d->other->read_file);
  ap_json_integer(&json, "states", d->states);
  ap_json_number(&json, "tolerance", d->tolerance);
  ap_json_bool(&json, "agrees", agree(d));
  ap_json_open(&json, "mass", '{');
  ap_json_number(&json, "appell", d->mass[0]);
  ap_json_number(&json, "other", d->mass[1]);
  ap_json_close(&json, '}');
  json_terms(&json, d);
  json_frames(&json, d);
  json_findings(&json, d);
  ap_json_number(&json, "difference", d->before);
  ap_json_number(&json, "unexplained", d->after);
  ap_json_close(&json, '}');
}

// ---- for people --------------------------------------------------------------------------------

static void add_gap(cli_table *table, const char *term, const char *where, double value,
                    double difference, bool agrees) {
  cli_table_add(table, "%s", term);
  cli_table_add(table, "%s", where);
  cli_table_add(table, "%.4g", value);
  cli_table_add(table, "%.1e", difference);
  cli_table_add(table, "%s", agrees ? "agrees" : "DIFFERS");
}

// A term in one line where it agrees everywhere, else a line for every joint where it does not.
static void add_term(cli_table *table, const cli_dispute *d, cli_term term) {
  const ap_model *m = d->model->model;
  const int nv = ap_nv(m);
  double value = 0, difference = 0;
  bool any = false;
  for (int k = 0; k < nv; k++) {
    const cli_gap *g = &d->gap[k * CLI_TERMS + (int)term];
    value = fmax(value, g->value);
    difference = fmax(difference, g->difference);
    if (!cli_differs(d, *g)) continue;
    any = true;
    add_gap(table, term_name[term], cli_joint_name(m, body_of(m, k)), g->value, g->difference,
            false);
  }
  if (!any) add_gap(table, term_name[term], "all joints", value, difference, true);
}

static void add_frames(cli_table *table, const cli_dispute *d) {
  const ap_model *m = d->model->model;
  double most = 0;
  bool any = false;
  for (int i = 1; i < ap_nbody(m); i++) {
    const double gap = fmax(d->frame[i], d->turn[i]);
    most = fmax(most, gap);
    if (!frame_differs(d, i)) continue;
    any = true;
    add_gap(table, "frame", ap_body(m, i)->name, 1, gap, false);
  }
  if (!any) add_gap(table, "frame", "all links", 1, most, true);
}

static size_t add_numbers(char *text, size_t size, size_t n, const double *x, int count) {
  for (int k = 0; k < count && n < size; k++)
    n += (size_t)snprintf(text + n, size - n, "%s%.9g", k ? " " : "", x[k]);
  return n < size ? n : size - 1;
}

static void print_finding(cli_out *out, const cli_dispute *d, const cli_finding *f) {
  char line[1024], name[128] = "", head[64] = "";
  size_t n = 0;
  if (f->line > 0) snprintf(head, sizeof head, "line %d: ", f->line);
  if (f->body > 0) cli_plain(ap_body(d->model->model, f->body)->name, name, sizeof name);
  n += (size_t)snprintf(line, sizeof line, "%s%s%s%s%s: ", head, f->body > 0 ? "link \"" : "", name,
                        f->body > 0 ? "\", " : "", f->attribute);
  n = add_numbers(line, sizeof line, n, f->ours, f->count);
  if (f->left_out) {
    snprintf(line + n, sizeof line - n, " here; %s leaves the link out", d->other->program);
  } else {
    n += (size_t)snprintf(line + n, sizeof line - n, " here, ");
    n = add_numbers(line, sizeof line, n, f->theirs, f->count);
    snprintf(line + n, sizeof line - n, " in %s", d->other->program);
  }
  cli_wrap(out, cli_line_width(), "  ", line);
}

static void print_verdict(cli_out *out, const cli_dispute *d) {
  char line[512];
  if (agree(d)) {
    snprintf(line, sizeof line, "They agree: no difference above %g of the largest value.",
             d->tolerance);
  } else if (d->before <= d->tolerance) {
    snprintf(line, sizeof line, "The dynamics of the rigid bodies agree all the same (%.1e).",
             d->before);
  } else if (explained(d)) {
    snprintf(line, sizeof line,
             "With the masses, centres, inertias and gravity of %s here, %.1e of a "
             "difference of %.1e is left: these numbers explain it.",
             d->other->program, d->after, d->before);
  } else {
    snprintf(line, sizeof line,
             "Masses, centres, inertias and gravity alone do not explain the "
             "difference: %.1e of %.1e is left without them.",
             d->after, d->before);
  }
  cli_out_printf(out, "\n");
  cli_wrap(out, cli_line_width(), "  ", line);
}

static int print_text(cli_out *out, const cli_dispute *d) {
  char name[256];
  const cli_referee *o = d->other;
  cli_table table = {.columns = 5, .keys = 2, .right = 0xc};
  cli_out_printf(out, "%s: Appell and %s, %s%s%s; %d random states\n\n",
                 cli_plain(ap_model_name(d->model->model), name, sizeof name), o->program,
                 o->read_file ? "which read the file itself" : "which got the links from Appell",
                 *o->note ? ", " : "", o->note, d->states);
  cli_table_headings(&table, "term|where|largest|difference|");
  add_gap(&table, "mass", "moving bodies", d->mass[0], fabs(d->mass[0] - d->mass[1]),
          !mass_differs(d));
  for (int t = 0; t < CLI_TERMS; t++) add_term(&table, d, (cli_term)t);
  add_frames(&table, d);
  int status = cli_table_print(&table, out);
  if (d->findings > 0) cli_out_printf(out, "\n");
  for (int k = 0; k < d->findings; k++) print_finding(out, d, &d->finding[k]);
  print_verdict(out, d);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static int settle(const cli_model *model, const cli_referee *other, cli_dispute *d, bool json) {
  cli_out out;
  d->model = model;
  d->other = other;
  if (!cli_dispute_compare(d)) return cli_no_memory();
  cli_dispute_explain(d);
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (json)
    print_json(&out, d);
  else
    status = print_text(&out, d);
  status = cli_out_close(&out, status);
  return status == CLI_OK && !agree(d) ? CLI_FAILED : status;
}

// The file, where the program may read it: neither YAML nor a built-in robot.
static const char *file_for(const cli_model *model) {
  const char *dot = strrchr(model->path, '.');
  const bool xml =
      dot && (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xml") == 0 || strcmp(dot, ".mjcf") == 0);
  return model->about || !xml ? NULL : model->path;
}

int cli_compare_against(const cli_model *model, const char *program, int states, uint64_t seed,
                        double tolerance, bool json) {
  const cli_referee_kind *kind = cli_referees;
  while (strcmp(kind->name, program) != 0) kind++; // the options' table knows the word
  if (!kind->open)
    return cli_fail(CLI_FAILED, NULL, 0,
                    "this command was built without %s (install it, then build "
                    "again)",
                    kind->name);
  cli_links links;
  cli_referee other;
  char why[600];
  cli_links_of(model->model, &links);
  int status = CLI_FAILED;
  cli_dispute *d = calloc(1, sizeof *d);
  if (!d) {
    status = cli_no_memory();
  } else if (!kind->open(file_for(model), model->model, &links, &other, why, sizeof why)) {
    status = cli_fail(CLI_FAILED, model->path, 0, "%s", why);
  } else {
    d->tolerance = tolerance, d->states = states, d->seed = seed;
    status = settle(model, &other, d, json);
    cli_dispute_free(d);
    other.close(other.own);
  }
  free(d);
  cli_links_free(&links);
  return status;
}
