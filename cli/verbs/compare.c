// SPDX-License-Identifier: Apache-2.0
#include <appell/compare.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "ui/figure.h"
#include "ui/output.h"
#include "ui/progress.h"
#include "ui/table.h"
#include "ui/values.h"
#include "ui/wrap.h"
#include "verbs.h"
#include "compare.h"

enum {
  JSON,
  WHAT,
  STATES,
  SEED,
  AGAINST,
  TOLERANCE,
  FLOATING,
  IGNORE_MIMIC,
  IGNORE_LOOPS,
  GRAVITY,
  PLOT
};

enum { MOST_STATES = 10000, MOST_QUANTITIES = 4 };
enum { WHY_BYTES = 256, LINE_BYTES = 1024 };

static const cli_option options[] = {
    [JSON] = CLI_OPTION_JSON,
    [WHAT] = {"--what", "inverse|bias|inertia|forward", "this quantity alone"},
    [STATES] = {"--states", "N",
                "random states that errors are taken over; up to 100 if not given"},
    [SEED] = {"--seed", "N", "other random states; 1 if not given"},
    [AGAINST] = {"--against", "mujoco|kdl", "another program on the same file, instead of methods"},
    [TOLERANCE] = {"--tolerance", "K", "with --against: what counts as equal, relative; 1e-6"},
    [FLOATING] = CLI_OPTION_FLOATING,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    [GRAVITY] = CLI_OPTION_GRAVITY,
    [PLOT] = {"--plot", "FILE.svg", "a figure: time and error over operations, by method"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Runs every method ('appell methods') of inverse and forward dynamics, bias and inertia\n"
    "matrix on the same random states, within the limits of the joints: operations, counted\n"
    "by running the code; time in double precision; error in single precision against\n"
    "binary128. A method that does not cover the model, or is far too slow for one of its\n"
    "size, is only named.\n"
    "\n"
    "With --against, a program that was there when this was built reads the same URDF or MJCF\n"
    "file (of other models it gets the links): where the two disagree, term by term, and which\n"
    "numbers of the file explain it. Every joint is then independent. The exit status is 1\n"
    "where they disagree.\n";

// ---- what both forms ask -----------------------------------------------------------------------

static bool absent_alike(const ap_trial *a, const ap_trial *b) {
  char why[WHY_BYTES], other[WHY_BYTES];
  return a->method->what == b->method->what && !ap_trial_was_run(a, why, sizeof why) &&
         !ap_trial_was_run(b, other, sizeof other) && strcmp(why, other) == 0;
}

// A line about the methods that are absent for the same reason as trial k, false where k is not the
// first of them.
static bool describe_absence(const ap_comparison *t, int k, char *out, size_t size) {
  char why[WHY_BYTES];
  const ap_trial *trial = &t->trial[k];
  if (ap_trial_was_run(trial, why, sizeof why)) return false;
  for (int i = 0; i < k; i++)
    if (absent_alike(&t->trial[i], trial)) return false;
  size_t n = (size_t)snprintf(out, size,
                              "left out of %s (%s):", ap_quantity_name(trial->method->what), why);
  for (int i = k; i < t->trials && n < size; i++) {
    if (!absent_alike(&t->trial[i], trial)) continue;
    n += (size_t)snprintf(out + n, size - n, "%s %s", i > k ? "," : "", t->trial[i].method->name);
  }
  return true;
}

static bool has_error(const ap_trial *trial) { return trial->failed == 0; }

// ---- JSON --------------------------------------------------------------------------------------

static void json_trial(ap_json *json, const ap_trial *trial) {
  if (!ap_trial_was_run(trial, NULL, 0)) return;
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "method", trial->method->name);
  ap_json_string(json, "what", ap_quantity_name(trial->method->what));
  ap_json_integer(json, "mul", trial->count.mul);
  ap_json_integer(json, "add", trial->count.add);
  ap_json_integer(json, "div", trial->count.div);
  ap_json_integer(json, "sqrt", trial->count.sqrt);
  ap_json_integer(json, "sincos", trial->count.sincos);
  ap_json_number(json, "ns", trial->ns);
  ap_json_number(json, "f32_error", has_error(trial) ? trial->error : NAN);
  if (trial->failed > 0) ap_json_integer(json, "f32_failed", trial->failed);
  ap_json_close(json, '}');
}

static int print_json(cli_out *out, const ap_comparison *t, const cli_model *model) {
  if (t->exact != AP_F128)
    cli_warn(model->path, 0, "f128 is not available here, errors are against f64");
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '[');
  for (int k = 0; k < t->trials; k++) {
    char why[LINE_BYTES];
    json_trial(&json, &t->trial[k]);
    if (describe_absence(t, k, why, sizeof why)) cli_warn(model->path, 0, why);
  }
  ap_json_close(&json, ']');
  return CLI_OK;
}

// ---- tables ------------------------------------------------------------------------------------

enum { COLUMNS = 10 };

// first: the time of the default method, 0 where it has none.
static void add_trial(cli_table *table, const ap_comparison *t, const ap_trial *trial,
                      double first) {
  cli_table_add(table, "%s", trial->method->name);
  cli_table_add(table, "%ld", trial->count.mul);
  cli_table_add(table, "%ld", trial->count.add);
  cli_table_add(table, "%ld", trial->count.div);
  cli_table_add(table, "%ld", trial->count.sqrt);
  cli_table_add(table, "%ld", trial->count.sincos);
  cli_table_add(table, "%.*f", trial->ns < 10 ? 1 : 0, trial->ns);
  cli_table_add_if(table, first > 0, "%.2f", trial->ns / first);
  cli_table_add_if(table, has_error(trial), "%.1e", trial->error);
  if (trial->failed > 0)
    cli_table_add(table, "no f32 result in %d of %d states", trial->failed, t->states);
  else
    cli_table_add(table, "%s", "");
}

static void fill_table(cli_table *table, const ap_comparison *t, ap_quantity what) {
  *table = (cli_table){.columns = COLUMNS, .right = 0x1fe}; // all but names and notes
  double first = 0;
  for (int k = 0; k < t->trials; k++) {
    const ap_trial *trial = &t->trial[k];
    if (trial->method->what != what) continue;
    if (trial->method == ap_find_method(what, NULL)) first = trial->ns;
    if (!ap_trial_was_run(trial, NULL, 0)) continue;
    if (table->count == 0) {
      cli_table_add(table, "%s", ap_quantity_name(what));
      cli_table_headings(table, "mul|add|div|sqrt|sincos|ns|ratio|f32 error|");
    }
    add_trial(table, t, trial, first);
  }
}

static void print_absent(cli_out *out, const ap_comparison *t) {
  bool any = false;
  for (int k = 0; k < t->trials; k++) {
    char why[LINE_BYTES];
    if (!describe_absence(t, k, why, sizeof why)) continue;
    if (!any) cli_out_printf(out, "\n");
    cli_wrap(out, cli_line_width(), "  ", why);
    any = true;
  }
}

static void print_legend(cli_out *out, const ap_comparison *t, const ap_compare_options *o) {
  const char *exact = ap_arithmetic_name(t->exact);
  const int width = cli_line_width();
  char line[LINE_BYTES];
  cli_out_printf(out, "\n");
  cli_wrap(out, width, "  mul ... sincos: ",
           "operations of one evaluation, counted by running the code; zeros and ones of the model "
           "are free, sine and cosine of an angle count together");
  snprintf(line, sizeof line,
           "time of one evaluation in double precision, median of %d batches; ratio: to the first "
           "method of the list",
           t->rounds);
  cli_wrap(out, width, "  ns: ", line);
  snprintf(line, sizeof line,
           "max |f32 - %s| / max |%s|, largest over the states, which are exact in f32", exact,
           exact);
  cli_wrap(out, width, "  f32 error: ", line);
  for (int k = 0; k < o->quantities; k++) {
    if (o->what[k] != AP_FORWARD && o->what[k] != AP_INERTIA) continue; // these have a choice
    const ap_method *standard = ap_find_method(o->what[k], NULL);
    snprintf(line, sizeof line, "%s, %s: %s", ap_quantity_name(o->what[k]), standard->name,
             standard->about);
    cli_wrap(out, width, "  ", line);
  }
  if (t->exact != AP_F128)
    cli_out_printf(out, "    (binary128 is not available here, errors are against f64)\n");
}

static int print_tables(cli_out *out, const ap_comparison *t, const ap_compare_options *o,
                        const cli_model *model) {
  cli_table tables[MOST_QUANTITIES];
  char name[256];
  const int nv = ap_nv(model->model);
  for (int k = 0; k < o->quantities; k++) fill_table(&tables[k], t, o->what[k]);
  cli_table_align(tables, o->quantities);
  cli_out_printf(out, "%s: %d degree%s of freedom, %d random state%s\n",
                 cli_plain(ap_model_name(model->model), name, sizeof name), nv, nv == 1 ? "" : "s",
                 t->states, t->states == 1 ? "" : "s");
  int status = CLI_OK;
  for (int k = 0; k < o->quantities; k++) {
    if (tables[k].count > 0) cli_out_printf(out, "\n");
    const int printed = cli_table_print(&tables[k], out);
    if (status == CLI_OK) status = printed;
  }
  print_absent(out, t);
  print_legend(out, t, o);
  return status;
}

// ---- the figure --------------------------------------------------------------------------------

enum { MOST_METHODS = 64, SIDES = 2 }; // time and error

typedef struct drawing {
  double x[MOST_METHODS], y[SIDES][MOST_METHODS];
  ap_curve curve[SIDES * MOST_METHODS];
  ap_panel panel[SIDES * MOST_QUANTITIES];
  char title[MOST_QUANTITIES][2][64];
} drawing;

// Two panels about one quantity, a mark for each method; curves: used so far.
static int fill_panels(const ap_comparison *t, ap_quantity what, int row, int *curves, drawing *d) {
  const int first = *curves;
  int n = 0;
  for (int k = 0; k < t->trials && k < MOST_METHODS; k++) {
    const ap_trial *trial = &t->trial[k];
    if (trial->method->what != what || !ap_trial_was_run(trial, NULL, 0)) continue;
    const ap_count *c = &trial->count;
    d->x[k] = (double)(c->mul + c->add + c->div + c->sqrt + c->sincos);
    d->y[0][k] = trial->ns;
    d->y[1][k] = has_error(trial) ? trial->error : NAN;
    n++;
  }
  for (int side = 0; side < SIDES && n > 0; side++) {
    ap_curve *curve = &d->curve[*curves];
    int of_side = 0;
    for (int k = 0; k < t->trials && k < MOST_METHODS; k++) {
      const ap_trial *trial = &t->trial[k];
      if (trial->method->what != what || !ap_trial_was_run(trial, NULL, 0)) continue;
      curve[of_side++] = (ap_curve){.label = trial->method->name,
                                    .n = 1,
                                    .x = &d->x[k],
                                    .y = &d->y[side][k],
                                    .stroke = AP_POINTS};
    }
    *curves += of_side;
    char *title = d->title[row][side];
    snprintf(title, sizeof d->title[row][side], "%s, %s", ap_quantity_name(what),
             side == 0 ? "time" : "error in single precision");
    d->panel[SIDES * row + side] = (ap_panel){.title = title,
                                              .x_label = "operations",
                                              .y_label = side == 0 ? "time / ns" : "relative error",
                                              .curve = curve,
                                              .ncurve = of_side,
                                              .log_x = true,
                                              .log_y = true};
  }
  return *curves > first ? 1 : 0;
}

static int draw(const ap_comparison *t, const ap_compare_options *o, const cli_model *model,
                const char *path) {
  drawing *d = calloc(1, sizeof *d);
  char name[256];
  int rows = 0, curves = 0;
  if (!d) return cli_no_memory();
  for (int k = 0; k < o->quantities; k++) rows += fill_panels(t, o->what[k], rows, &curves, d);
  const ap_figure figure = {.title = cli_plain(ap_model_name(model->model), name, sizeof name),
                            .panel = d->panel,
                            .npanel = SIDES * rows,
                            .columns = SIDES};
  const int status = cli_write_figure(&figure, path);
  free(d);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static void choose_quantity(const char *word, ap_compare_options *o) {
  const ap_quantity *found = o->what;
  if (!word) return;
  while (strcmp(word, ap_quantity_name(*found)) != 0) found++; // the options' table knows the word
  o->what = found;
  o->quantities = 1;
}

static int parse(const cli_arguments *arguments, ap_compare_options *o, double gravity[3]) {
  long states = 0, seed = 1;
  choose_quantity(arguments->value[WHAT], o);
  int status = cli_value_integer(arguments, STATES, 1, MOST_STATES, &states);
  if (status == CLI_OK) status = cli_value_integer(arguments, SEED, 0, 2147483647, &seed);
  if (status == CLI_OK) status = cli_value_gravity(arguments, GRAVITY, gravity, &o->gravity);
  o->states = (int)states;
  o->seed = (uint64_t)seed;
  return status;
}

// A method may take long; timing rounds do not.
static void show_progress(void *context, double done, const char *step) {
  if (done < 0.5)
    cli_progress_step(context, (int)(1e6 * done), 1000000, "%s", step);
  else
    cli_progress_show(context, done, "%s", step);
}

static int compare(const cli_model *model, ap_compare_options *o, bool json, const char *plot) {
  ap_comparison t;
  ap_error error = {0};
  cli_progress progress;
  cli_out out;
  cli_progress_start(&progress, false);
  o->progress = show_progress, o->context = &progress;
  error.status = ap_compare(model->model, o, &t, &error);
  cli_progress_hide();
  if (error.status == AP_E_MEMORY) return cli_no_memory();
  if (error.status != AP_OK)
    return cli_fail(error.status == AP_E_MODEL ? CLI_BAD : CLI_FAILED, model->path, 0, "%s",
                    error.text);
  int status = cli_out_open(&out, NULL);
  if (status == CLI_OK) {
    status = json ? print_json(&out, &t, model) : print_tables(&out, &t, o, model);
    status = cli_out_close(&out, status);
  }
  if (status == CLI_OK && plot) status = draw(&t, o, model, plot);
  ap_comparison_free(&t);
  return status;
}

// The other program knows nothing of our options.
static int check_against(const cli_arguments *arguments) {
  static const int others[] = {WHAT, FLOATING, GRAVITY, PLOT};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
    if (arguments->value[others[k]])
      return cli_fail(CLI_BAD, NULL, 0,
                      others[k] == PLOT
                          ? "%s is not possible with --against: it shows methods"
                          : "%s is not possible with --against: the other program reads "
                            "the file as it is",
                      options[others[k]].name);
  return cli_is_reduced(arguments)
             ? cli_fail(CLI_BAD, NULL, 0,
                        "--lock, --root and --tip are not possible with --against: "
                        "the other program reads the file as it is")
             : CLI_OK;
}

static int run_against(const cli_arguments *arguments, const ap_compare_options *o) {
  double tolerance = 1e-6;
  int status = check_against(arguments);
  if (status == CLI_OK) status = cli_value_above(arguments, TOLERANCE, 0, &tolerance);
  if (status != CLI_OK) return status;
  cli_model model;
  status = cli_load_open(arguments->argument[0], &model);
  if (status != CLI_OK) return status;
  status = cli_compare_against(&model, arguments->value[AGAINST], o->states ? o->states : 50,
                               o->seed, tolerance, arguments->value[JSON] != NULL);
  cli_unload(&model);
  return status;
}

static int run(const cli_arguments *arguments) {
  ap_compare_options o = ap_default_compare();
  double gravity[3];
  int status = parse(arguments, &o, gravity);
  if (status == CLI_OK && arguments->value[PLOT]) status = cli_check_target(arguments->value[PLOT]);
  if (status != CLI_OK) return status;
  if (arguments->value[AGAINST]) return run_against(arguments, &o);
  cli_model model;
  status = cli_load(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  status = compare(&model, &o, arguments->value[JSON] != NULL, arguments->value[PLOT]);
  cli_unload(&model);
  return status;
}

const cli_verb cli_compare = {.name = "compare",
                              .arguments = "MODEL",
                              .about = "Compare methods, or another program's results.",
                              .text = text,
                              .example =
                                  "  appell compare puma600 --plot methods.svg\n"
                                  "  appell compare --json --what forward robot.urdf\n"
                                  "  appell compare --against mujoco robot.urdf\n",
                              .options = options,
                              .least = 1,
                              .most = 1,
                              .run = run};
