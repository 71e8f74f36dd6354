// SPDX-License-Identifier: Apache-2.0
#include <appell/bench.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "peers/links.h"
#include "clock.h"
#include "ui/figure.h"
#include "ui/output.h"
#include "ui/progress.h"
#include "ui/table.h"
#include "ui/values.h"
#include "ui/wrap.h"
#include "verbs.h"

enum { JSON, FULL, CHAINS, PLOT, SECONDS, FLOATING, IGNORE_MIMIC, IGNORE_LOOPS };

static const cli_option options[] = {
    [JSON] = CLI_OPTION_JSON,
    [FULL] = {"--full", NULL, "longer, with chains of 6 to 96 joints and the machine's peak"},
    [CHAINS] = {"--chains", "N", "with --full: chains of at most N joints"},
    [PLOT] = {"--plot", "FILE.svg", "a figure: times of the models; with --full, of the chains"},
    [SECONDS] = {"--seconds", "S",
                 "for the whole run, about; without --full at most 45 if not given"},
    [FLOATING] = CLI_OPTION_FLOATING,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Times inverse and forward dynamics, inertia matrix and both derivatives on one core, on the\n"
    "same random states: by the general library; by code generated for the model and compiled\n"
    "here; by the same for many states at once (per state); and by Pinocchio, RBDL, MuJoCo and\n"
    "KDL where they were found when this was built. 'in a loop' is one call after a millisecond\n"
    "of other work, as a controller makes it. Values are compared before anything is timed: a\n"
    "difference is an error. Without MODEL the built-in arms and trees.\n";

// Seconds for the whole run without --full, and for each way of computing one thing.
static const double all_seconds = 45, full_seconds = 0.25, least_seconds = 0.001;

// Beyond so many joints a chain is not generated: compiling would take longer than all the rest.
enum { MOST_ENTRIES = 64, MOST_GENERATED = 12, PEERS = CLI_PEERS };

// A model and what came out for it.
typedef struct entry {
  char name[64];
  int joints; // of a chain; 0: no chain
  int nv;     // degrees of freedom
  ap_bench found;
} entry;

typedef struct bench {
  const cli_arguments *arguments;
  bool json, full;
  long longest_chain; // joints
  double limit;       // seconds of the whole run; 0: as long as it takes
  double start, peak;
  double per_operation; // seconds of a model with generated code, at most so far
  entry *entry;         // [MOST_ENTRIES]
  int entries;
  int left_out, all; // all: to be measured
  cli_progress progress;
} bench;

// ---- measuring ---------------------------------------------------------------------------------

// What is left of the time is shared by the models to come.
static double seconds_each(const bench *b, int to_come) {
  if (b->limit <= 0) return full_seconds;
  const double left = b->limit * 0.6 - (cli_clock() - b->start);
  const double each = left / (40.0 * to_come); // a model has up to 40 ways
  return each > full_seconds ? full_seconds : each < least_seconds ? least_seconds : each;
}

// Operations of code that can be compiled in the time that is left, as the models before tell: the
// time of a compiler is proportional to the operations.
static double most_operations(const bench *b) {
  if (b->full || b->limit <= 0 || b->per_operation <= 0) return INFINITY;
  return (0.8 * b->limit - (cli_clock() - b->start)) / b->per_operation;
}

static double operations(const entry *e) {
  double sum = 0;
  for (int k = 0; k < AP_BENCH_QUANTITIES; k++) sum += e->found.operations[k];
  return sum;
}

// Beside the peers that take the model.
static int measure(entry *e, const ap_model *m, ap_bench_options o) {
  cli_links links;
  cli_peer own[PEERS] = {0};
  ap_peer peer[PEERS];
  ap_error error = {0};
  cli_links_of(m, &links);
  for (int k = 0; k < PEERS; k++) {
    if (links.n > 0 && cli_peers[k].open) own[k] = cli_peers[k].open(&links);
    peer[k] = own[k].peer;
  }
  o.peer = peer, o.peers = PEERS;
  error.status = ap_bench_run(m, &o, &e->found, &error);
  for (int k = 0; k < PEERS; k++)
    if (own[k].close && peer[k].own) own[k].close(peer[k].own);
  cli_links_free(&links);
  if (error.status == AP_E_MEMORY) return cli_no_memory();
  return error.status == AP_OK ? CLI_OK : cli_fail(CLI_FAILED, e->name, 0, "%s", error.text);
}

static int add_entry(bench *b, const char *name, const ap_model *m, int joints, int to_come) {
  const double from = cli_clock();
  if (!b->full && from - b->start > 0.8 * b->limit) {
    b->left_out++;
    return CLI_OK;
  }
  entry *e = &b->entry[b->entries++];
  snprintf(e->name, sizeof e->name, "%s", name);
  e->joints = joints;
  e->nv = ap_nv(m);
  cli_progress_step(&b->progress, b->entries - 1, b->all, "%s", e->name);
  ap_bench_options o = ap_default_bench();
  o.seconds = seconds_each(b, to_come);
  o.no_generated = joints > MOST_GENERATED;
  o.most_operations = most_operations(b);
  if (b->full) b->peak = fmax(b->peak, ap_bench_peak()); // now and then the core is not ours alone
  const int status = measure(e, m, o);
  char *note = e->found.note;
  if (o.no_generated)
    snprintf(note, sizeof e->found.note, "not generated, being so long: batch is the library's");
  else if (e->found.too_many)
    snprintf(note, sizeof e->found.note,
             "no generated code: no time to compile it; --full takes it");
  else if (operations(e) > 0)
    b->per_operation = fmax(b->per_operation, (cli_clock() - from) / operations(e));
  return status;
}

static int bench_model(bench *b, const char *argument, int to_come) {
  cli_model model;
  int status = cli_load(argument, b->arguments, &model);
  if (status != CLI_OK) return status;
  const char *slash = strrchr(argument, '/');
  if (ap_nv(model.model) == 0)
    status = cli_fail(CLI_BAD, argument, 0, "the robot has no joint that moves");
  else
    status = add_entry(b, slash ? slash + 1 : argument, model.model, 0, to_come);
  cli_unload(&model);
  return status;
}

static const int chain_sizes[] = {6, 12, 24, 48, 96};
enum { CHAIN_SIZES = sizeof chain_sizes / sizeof chain_sizes[0] };

// How many of them are asked for.
static int count_chains(const bench *b) {
  int n = 0;
  while (b->full && n < CHAIN_SIZES && chain_sizes[n] <= b->longest_chain) n++;
  return n;
}

static int bench_models(bench *b) {
  static const char *const standard[] = {"puma600", "scara", "stanford", "shafei-tree",
                                         "quadruped"};
  enum { STANDARD = sizeof standard / sizeof standard[0] };
  const int given = b->arguments->count, n = given > 0 ? given : STANDARD;
  const int chains = count_chains(b);
  int status = CLI_OK;
  for (int k = 1; k < given; k++) {
    for (int i = 0; i < k; i++)
      if (strcmp(b->arguments->argument[i], b->arguments->argument[k]) == 0)
        return cli_usage("bench", "'%s' is named twice", b->arguments->argument[k]);
  }
  b->all = n + chains;
  for (int k = 0; k < n && status == CLI_OK; k++)
    status = bench_model(b, given > 0 ? b->arguments->argument[k] : standard[k], n - k + chains);
  return status;
}

static int bench_chains(bench *b) {
  const int n = count_chains(b);
  int status = CLI_OK;
  for (int k = 0; k < n && status == CLI_OK; k++) {
    char name[32];
    ap_model *chain = ap_bench_chain(chain_sizes[k]);
    snprintf(name, sizeof name, "chain%d", chain_sizes[k]);
    status = chain ? add_entry(b, name, chain, chain_sizes[k], n - k) : cli_no_memory();
    ap_model_free(chain);
  }
  return status;
}

// ---- results -----------------------------------------------------------------------------------

static const ap_bench_row *find_row(const entry *e, int k, const char *path, const char *real) {
  return ap_bench_find(&e->found, ap_bench_quantity(k), path, real);
}

static const char *what_name(int k) { return ap_bench_name(ap_bench_quantity(k)); }

// Of the peak, for ways that compute in double what was counted: generated code, of one state or of
// many; 0: not known.
static double fraction_of_peak(const bench *b, const entry *e, const ap_bench_row *r) {
  int k = 0;
  const bool counted = strcmp(r->path, "generated") == 0 || strcmp(r->path, "batch") == 0;
  if (!counted || strcmp(r->real, "f64") != 0 || b->peak <= 0) return 0;
  while (ap_bench_quantity(k) != r->what) k++;
  if (!find_row(e, k, "generated", "f64")) return 0; // the batch is the general library's
  return e->found.operations[k] / (r->ns * b->peak);
}

// ---- JSON --------------------------------------------------------------------------------------

static int print_json(cli_out *out, const bench *b) {
  ap_json json = {.write = cli_out_sink, .context = out};
  ap_json_open(&json, NULL, '[');
  for (int k = 0; k < b->entries; k++) {
    const entry *e = &b->entry[k];
    for (int i = 0; i < e->found.rows; i++) {
      const ap_bench_row *r = &e->found.row[i];
      const double fraction = fraction_of_peak(b, e, r);
      ap_json_open(&json, NULL, '{');
      ap_json_string(&json, "model", e->name);
      ap_json_string(&json, "what", ap_bench_name(r->what));
      ap_json_string(&json, "path", r->path);
      ap_json_string(&json, "real", r->real);
      ap_json_number(&json, "ns", r->ns);
      ap_json_number(&json, "p10", r->p10);
      ap_json_number(&json, "p90", r->p90);
      if (r->loop > 0) ap_json_number(&json, "loop", r->loop);
      if (fraction > 0) ap_json_number(&json, "of_peak", fraction);
      ap_json_close(&json, '}');
    }
    if (e->found.note[0]) cli_warn(e->name, 0, e->found.note);
  }
  ap_json_close(&json, ']');
  return CLI_OK;
}

// ---- tables ------------------------------------------------------------------------------------

typedef struct column {
  const char *path, *real, *heading;
  bool loop; // of a call in a control loop
} column;

static const column columns[] = {{"general", "f64", "general", false},
                                 {"generated", "f64", "generated", false},
                                 {"batch", "f64", "batch", false},
                                 {"general", "f32", "general f32", false},
                                 {"generated", "f32", "generated f32", false},
                                 {"batch", "f32", "batch f32", false},
                                 {"general", "f64", "general in a loop", true},
                                 {"generated", "f64", "generated in a loop", true},
                                 {"pinocchio", "f64", "Pinocchio", false},
                                 {"rbdl", "f64", "RBDL", false},
                                 {"mujoco", "f64", "MuJoCo", false},
                                 {"kdl", "f64", "KDL", false}};
// Ours in double come first, the peers last.
enum { COLUMNS = sizeof columns / sizeof columns[0], WAYS = 3 };

// Whether there is something to show: the ways of Appell always, a peer where it was measured.
static bool is_shown(const bench *b, int k) {
  bool shown = k < COLUMNS - PEERS;
  for (int i = 0; i < b->entries && !shown; i++)
    for (int what = 0; what < AP_BENCH_QUANTITIES && !shown; what++)
      shown = find_row(&b->entry[i], what, columns[k].path, columns[k].real) != NULL;
  return shown;
}

static void fill_table(cli_table *table, const bench *b, const entry *e) {
  int shown = 0;
  for (int k = 0; k < COLUMNS; k++) shown += is_shown(b, k);
  *table = (cli_table){.columns = shown + 1, .right = (2u << shown) - 2};
  cli_table_add(table, "%s, ns", e->name);
  for (int k = 0; k < COLUMNS; k++)
    if (is_shown(b, k)) cli_table_add(table, "%s", columns[k].heading);
  for (int what = 0; what < AP_BENCH_QUANTITIES; what++) {
    cli_table_add(table, "%s", what_name(what));
    for (int k = 0; k < COLUMNS; k++) {
      if (!is_shown(b, k)) continue;
      const ap_bench_row *r = find_row(e, what, columns[k].path, columns[k].real);
      const double ns = !r ? 0 : columns[k].loop ? r->loop : r->ns;
      cli_table_add_if(table, r, "%.*f", ns < 100 ? 1 : 0, ns);
    }
  }
}

// How far the middle of the samples lies apart, in the steadiest half of the ways and in the worst.
static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static void print_spread(cli_out *out, const entry *e) {
  double spread[AP_BENCH_QUANTITIES * COLUMNS];
  const int n = e->found.rows;
  if (n == 0) return;
  for (int k = 0; k < n; k++) {
    const ap_bench_row *r = &e->found.row[k];
    spread[k] = (r->p90 - r->p10) / r->ns * 100;
  }
  qsort(spread, (size_t)n, sizeof *spread, by_size);
  cli_out_printf(out, "  p10 to p90: %.0f %% apart in the median, %.0f %% at worst\n",
                 spread[n / 2], spread[n - 1]);
}

// How many times as fast each way in double is as one of the peers.
static void print_ratios(cli_out *out, const entry *e, const column *peer) {
  char line[512];
  size_t n = (size_t)snprintf(line, sizeof line, "times as fast as %s:", peer->heading);
  int found = 0;
  for (int k = 0; k < WAYS; k++) {
    int of_way = 0;
    for (int what = 0; what < AP_BENCH_QUANTITIES && n < sizeof line; what++) {
      const ap_bench_row *r = find_row(e, what, columns[k].path, columns[k].real);
      const ap_bench_row *p = find_row(e, what, peer->path, peer->real);
      if (!r || !p) continue;
      if (of_way++ == 0)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s %s", found++ > 0 ? ";" : "",
                              columns[k].heading);
      const double ratio = p->ns / r->ns;
      if (n < sizeof line)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s %s %.*f", of_way > 1 ? "," : "",
                              what_name(what), ratio < 10 ? 1 : 0, ratio);
    }
  }
  if (found > 0) cli_wrap(out, cli_line_width(), "  ", line);
}

// What one state is better given to the library for.
static void print_slower(cli_out *out, const entry *e) {
  char line[256];
  size_t n = (size_t)snprintf(line, sizeof line, "the library is faster than generated code for");
  int found = 0;
  for (int what = 0; what < AP_BENCH_QUANTITIES && n < sizeof line; what++) {
    const ap_bench_row *general = find_row(e, what, "general", "f64");
    const ap_bench_row *generated = find_row(e, what, "generated", "f64");
    if (general && generated && general->ns < generated->ns)
      n += (size_t)snprintf(line + n, sizeof line - n, "%s %s", found++ > 0 ? "," : "",
                            what_name(what));
  }
  if (found > 0) cli_wrap(out, cli_line_width(), "  ", line);
}

static void print_peak(cli_out *out, const bench *b) {
  cli_out_printf(out, "\n  peak of this core: %.1f multiplications and additions a ns\n", b->peak);
  for (int k = 0; k < b->entries; k++) {
    const entry *e = &b->entry[k];
    char line[512];
    size_t n = (size_t)snprintf(line, sizeof line, "%s, batch, of that peak:", e->name);
    const size_t before = n;
    for (int what = 0; what < AP_BENCH_QUANTITIES && n < sizeof line; what++) {
      const ap_bench_row *r = find_row(e, what, "batch", "f64");
      const double fraction = r ? fraction_of_peak(b, e, r) : 0;
      if (fraction > 0)
        n += (size_t)snprintf(line + n, sizeof line - n, " %s %.0f %%%s", what_name(what),
                              100 * fraction, what < AP_BENCH_QUANTITIES - 1 ? "," : "");
    }
    if (n > before) cli_out_printf(out, "  %s\n", line);
  }
}

static int print_tables(cli_out *out, const bench *b) {
  int status = CLI_OK;
  for (int k = 0; k < b->entries && status == CLI_OK; k++) {
    cli_table table;
    fill_table(&table, b, &b->entry[k]);
    if (k > 0) cli_out_printf(out, "\n");
    status = cli_table_print(&table, out);
    print_spread(out, &b->entry[k]);
    print_slower(out, &b->entry[k]);
    for (int p = COLUMNS - PEERS; p < COLUMNS; p++) print_ratios(out, &b->entry[k], &columns[p]);
    if (b->entry[k].found.note[0]) cli_wrap(out, cli_line_width(), "  ", b->entry[k].found.note);
  }
  if (b->full) print_peak(out, b);
  if (b->left_out > 0)
    cli_out_printf(out, "\n  %d more left out, for lack of time; --full takes it\n", b->left_out);
  for (int k = COLUMNS - PEERS; k < COLUMNS; k++)
    if (!is_shown(b, k))
      cli_out_printf(out,
                     "\n  %s was not measured: this command is built without it, or it cannot "
                     "take these models\n",
                     columns[k].heading);
  cli_out_printf(
      out,
      "\n  Median times of one evaluation on one core; batch is per state, in a loop one call\n"
      "  after a millisecond of other work.\n");
  return status;
}

// ---- the figure --------------------------------------------------------------------------------

enum { PATHS = 7, POINTS = MOST_ENTRIES };

static const char *const path_names[PATHS] = {"general", "generated", "batch", "pinocchio",
                                              "rbdl",    "mujoco",    "kdl"};
static const char *const path_labels[PATHS] = {"general", "generated", "batch", "Pinocchio",
                                               "RBDL",    "MuJoCo",    "KDL"};

// What is drawn: times over the joints of chains, or over models, a panel for each quantity; or, of
// one model, over the quantities.
typedef struct drawing {
  double x[AP_BENCH_QUANTITIES][PATHS][POINTS], y[AP_BENCH_QUANTITIES][PATHS][POINTS];
  ap_curve curve[AP_BENCH_QUANTITIES][PATHS];
  ap_panel panel[AP_BENCH_QUANTITIES];
  const char *name[POINTS]; // of models, or of quantities
  int names;
} drawing;

static void add_point(ap_curve *c, double *x, double *y, double at, const ap_bench_row *row) {
  if (row && c->n < POINTS) x[c->n] = at, y[c->n++] = row->ns * 1e-3;
}

// Points of one way of computing one thing: of the chains, or of the models where none was asked
// for.
static void draw_points(const bench *b, int what, int path, ap_curve *c, double *x, double *y) {
  const bool chains = count_chains(b) > 0;
  for (int k = 0, place = 0; k < b->entries; k++) {
    const entry *e = &b->entry[k];
    if ((e->joints > 0) != chains) continue;
    place++;
    add_point(c, x, y, chains ? e->nv : place, find_row(e, what, path_names[path], "f64"));
  }
}

// Those of the only model, one thing beside the other.
static void draw_quantities(const bench *b, int path, ap_curve *c, double *x, double *y) {
  for (int what = 0; what < AP_BENCH_QUANTITIES; what++)
    add_point(c, x, y, what + 1, find_row(&b->entry[0], what, path_names[path], "f64"));
}

static void fill_panel(const bench *b, int i, bool one, drawing *d) {
  const bool chains = count_chains(b) > 0;
  int curves = 0;
  for (int p = 0; p < PATHS; p++) {
    double *x = d->x[i][p], *y = d->y[i][p];
    ap_curve c = {.label = path_labels[p],
                  .x = x,
                  .y = y,
                  .stroke = chains ? AP_SOLID : AP_POINTS,
                  .colour = p + 1};
    if (one)
      draw_quantities(b, p, &c, x, y);
    else
      draw_points(b, i, p, &c, x, y);
    if (c.n > 0) d->curve[i][curves++] = c;
  }
  d->panel[i] = (ap_panel){.title = one ? NULL : what_name(i),
                           .x_label = chains ? "joints" : NULL,
                           .y_label = "time of one evaluation / us",
                           .curve = d->curve[i],
                           .ncurve = curves,
                           .log_x = chains,
                           .log_y = true,
                           .x_name = d->name,
                           .nname = d->names};
}

static int draw(const bench *b, const char *path) {
  drawing *d = calloc(1, sizeof *d);
  char title[256] = "Chains, one core, double";
  const bool chains = count_chains(b) > 0, one = !chains && b->entries == 1;
  const int panels = one ? 1 : AP_BENCH_QUANTITIES;
  if (!d) return cli_no_memory();
  if (one) {
    for (int what = 0; what < AP_BENCH_QUANTITIES; what++) d->name[d->names++] = what_name(what);
    snprintf(title, sizeof title, "%s, one core, double", b->entry[0].name);
  } else if (!chains) {
    for (int k = 0; k < b->entries; k++) d->name[d->names++] = b->entry[k].name;
    snprintf(title, sizeof title, "%d models, one core, double", b->entries);
  }
  for (int i = 0; i < panels; i++) fill_panel(b, i, one, d);
  const ap_figure figure = {
      .title = title, .panel = d->panel, .npanel = panels, .columns = panels < 3 ? 1 : 3};
  const int status = cli_write_figure(&figure, path);
  free(d);
  return status;
}

// ---- the verb ----------------------------------------------------------------------------------

static int print(bench *b) {
  cli_out out;
  const int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  return cli_out_close(&out, b->json ? print_json(&out, b) : print_tables(&out, b));
}

// What the options say; the time is limited where they, or the lack of --full, say so.
static int parse(bench *b) {
  const char *const *value = b->arguments->value;
  long seconds = (long)all_seconds;
  if (!b->full && value[CHAINS])
    return cli_usage("bench", "--chains is for --full, which measures them");
  int status = value[PLOT] ? cli_check_target(value[PLOT]) : CLI_OK;
  if (status == CLI_OK) status = cli_value_integer(b->arguments, SECONDS, 1, 3600, &seconds);
  if (status == CLI_OK)
    status =
        cli_value_integer(b->arguments, CHAINS, 0, chain_sizes[CHAIN_SIZES - 1], &b->longest_chain);
  b->limit = b->full && !value[SECONDS] ? 0 : (double)seconds;
  return status;
}

static int run(const cli_arguments *arguments) {
  bench b = {.arguments = arguments,
             .json = arguments->value[JSON] != NULL,
             .full = arguments->value[FULL] != NULL,
             .longest_chain = chain_sizes[CHAIN_SIZES - 1],
             .start = cli_clock()};
  const char *plot = arguments->value[PLOT];
  int status = parse(&b);
  if (status != CLI_OK) return status;
  b.entry = calloc(MOST_ENTRIES, sizeof *b.entry);
  if (!b.entry) return cli_no_memory();
  ap_bench_pin();
  cli_progress_start(&b.progress, false);
  status = bench_models(&b);
  if (status == CLI_OK && b.full) status = bench_chains(&b);
  cli_progress_hide();
  if (status == CLI_OK) status = print(&b);
  if (status == CLI_OK && plot) status = draw(&b, plot);
  for (int k = 0; k < b.entries; k++) ap_bench_free(&b.entry[k].found);
  free(b.entry);
  return status;
}

const cli_verb cli_bench = {.name = "bench",
                            .arguments = "[MODEL...]",
                            .about = "Time the dynamics, other libraries beside it.",
                            .text = text,
                            .example =
                                "  appell bench\n"
                                "  appell bench puma600 arm.urdf --json\n"
                                "  appell bench --plot times.svg\n"
                                "  appell bench --full --plot growth.svg\n",
                            .options = options,
                            .most = 32,
                            .run = run};
