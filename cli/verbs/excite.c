// SPDX-License-Identifier: Apache-2.0
#include <appell/ident.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "ui/output.h"
#include "load.h"
#include "ui/progress.h"
#include "ui/values.h"
#include "verbs.h"
#include "excite.h"

enum { MOST_ROWS = 10000000, NAME_BYTES = 1024 };

static const cli_option options[] = {
    [EXCITE_OUTPUT] = {"-o", "TRAJ.csv", "write the motion there, not to standard output"},
    [EXCITE_PERIOD] = {"--period", "T", "duration of the motion, s (10)"},
    [EXCITE_HARMONICS] = {"--harmonics", "N", "of the Fourier series of each joint (5)"},
    [EXCITE_RATE] = {"--rate", "HZ", "lines per second (100)"},
    [EXCITE_VELOCITY] = {"--velocity", "V",
                         "of joints without a limit of their own, rad/s or m/s (1.5)"},
    [EXCITE_ACCELERATION] = {"--acceleration", "A", "the largest of every joint (no limit)"},
    [EXCITE_FRICTION] = {"--friction", NULL, "show viscous and Coulomb friction too"},
    [EXCITE_ROTOR] = {"--rotor", NULL, "show reflected rotor inertia too"},
    [EXCITE_JOINTS] = {"--joints", "JOINTS", "only these move, with commas between (all)"},
    [EXCITE_RANGE] = {"--range", "JOINTS", "smaller ranges: NAME=LO:HI with commas between"},
    [EXCITE_SPEED] = {"--speed", "JOINTS",
                      "slower: NAME=SHARE of speed and acceleration, or NAME=SHARE:SHARE"},
    [EXCITE_MARGIN] = {"--margin", "S", "share of every limit that is kept free (0.05)"},
    [EXCITE_FLOOR] = {"--floor", "Z", "height of a floor, m (none)"},
    [EXCITE_BOX] = {"--box", "BOX", "XMIN,XMAX,YMIN,YMAX,ZMIN,ZMAX that --frame stays in, m"},
    [EXCITE_FRAME] = {"--frame", "LINK", "link or frame whose origin stays in --box"},
    [EXCITE_CLEARANCE] = {"--clearance", "D",
                          "least distance to the floor and between links, m (0.02)"},
    [EXCITE_NO_SELF] = {"--no-self", NULL, "links may touch each other"},
    [EXCITE_RADIUS] = {"--radius", "D", "of links without shapes, m (0.05)"},
    [EXCITE_MESHES] = {"--meshes", "DIR", "meshes may also lie there"},
    [EXCITE_EFFORT] = {"--evaluations", "N", "motions that are tried (6000)"},
    [EXCITE_SEED] = {"--seed", "N", "of the random numbers (1)"},
    [EXCITE_IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [EXCITE_IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    [EXCITE_JSON] = {"--json", NULL, "what was found as one JSON document; needs -o"},
    [EXCITE_PLOT] = {"--plot", "FILE.svg", "a figure: the motion against the limits"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Finds the motion, from rest to rest within the limits of position, velocity and force\n"
    "that the model has, whose forces tell most about the parameters: one period of a Fourier\n"
    "series. Columns of the file are t, q.JOINT, v.JOINT, a.JOINT and the forces tau.JOINT\n"
    "that the model itself would need. Links keep a distance from each other and from the\n"
    "floor. Distances and limits hold at all times, not at samples only.\n";

static int parse(const cli_arguments *a, ap_excite_options *o, double *rate) {
  long harmonics = o->harmonics, evaluations = o->evaluations, seed = (long)o->seed;
  int status = cli_value_above(a, EXCITE_PERIOD, 0, &o->period);
  if (status == CLI_OK) status = cli_value_above(a, EXCITE_RATE, 0, rate);
  if (status == CLI_OK) status = cli_value_above(a, EXCITE_VELOCITY, 0, &o->velocity);
  if (status == CLI_OK) status = cli_value_above(a, EXCITE_ACCELERATION, 0, &o->acceleration);
  if (status == CLI_OK) status = cli_value_numbers(a, EXCITE_MARGIN, 1, "0.05", &o->margin);
  if (status == CLI_OK && !(o->margin >= 0 && o->margin < 0.5))
    status = cli_usage("excite", "--margin %g is not 0 or more and below 0.5", o->margin);
  if (status == CLI_OK) status = cli_value_integer(a, EXCITE_HARMONICS, 2, 50, &harmonics);
  if (status == CLI_OK) status = cli_value_integer(a, EXCITE_EFFORT, 1, 100000000, &evaluations);
  if (status == CLI_OK) status = cli_value_integer(a, EXCITE_SEED, 0, 1000000000, &seed);
  o->harmonics = (int)harmonics;
  o->evaluations = (int)evaluations;
  o->seed = (unsigned)seed;
  return status;
}

// ---- the file ----------------------------------------------------------------------------------

static void write_number(cli_out *out, double x) {
  char number[32];
  const int n = ap_format_double(x, number);
  cli_out_write(out, number, (size_t)n);
}

static void write_names(cli_out *out, const ap_model *m) {
  static const char *const vector[] = {"q", "v", "a", "tau"};
  char name[NAME_BYTES];
  cli_out_printf(out, "t");
  for (int k = 0; k < 4; k++) {
    for (int j = 0; j < ap_nv(m); j++) {
      const char *joint = cli_column_name(m, AP_INVERSE, j, name, sizeof name) + strlen("tau.");
      cli_out_printf(out, ",%s.%s", vector[k], joint);
    }
  }
  cli_out_printf(out, "\n");
}

// Every time from 0 to the end, both included.
static int write_rows(cli_out *out, const ap_model *m, ap_work *w, const ap_traj *t, double rate) {
  const size_t n = (size_t)ap_nv(m);
  double *state = malloc(4 * n * sizeof *state);
  if (!state) return cli_no_memory();
  double *q = state, *v = q + n, *a = v + n, *tau = a + n;
  const long rows = lround(ap_traj_duration(t) * rate);
  int status = CLI_OK;
  for (long k = 0; k <= rows && status == CLI_OK && cli_out_flush(out); k++) {
    const double at = ap_traj_duration(t) * (double)k / (double)(rows > 0 ? rows : 1);
    ap_traj_at(t, at, q, v, a);
    ap_inverse_dynamics(m, w, q, v, a, tau);
    for (size_t i = 0; i < n && status == CLI_OK; i++)
      if (!isfinite(tau[i]))
        status = cli_fail(CLI_FAILED, NULL, 0,
                          "a joint force is too large for a number (smaller masses are needed)");
    write_number(out, at);
    for (size_t i = 0; i < 4 * n; i++) {
      cli_out_write(out, ",", 1);
      write_number(out, state[i]);
    }
    cli_out_write(out, "\n", 1);
  }
  free(state);
  return status;
}

static int write_motion(const char *path, const char *plot, const ap_model *m, const ap_traj *t,
                        double rate) {
  const size_t size = ap_work_size(m);
  void *memory = size ? malloc(size) : NULL;
  ap_work *w = memory ? ap_work_init(m, memory, size) : NULL;
  if (!w) {
    free(memory);
    return cli_no_memory();
  }
  cli_out out;
  int status = cli_out_open(&out, path);
  if (status == CLI_OK) {
    ap_set_friction(m, w, true);
    write_names(&out, m);
    status = cli_out_close(&out, write_rows(&out, m, w, t, rate));
  }
  if (status == CLI_OK && plot) status = excite_draw(m, w, t, plot);
  free(memory);
  return status;
}

// ---- what was found ----------------------------------------------------------------------------

// What a motion was found for.
typedef struct outcome {
  const ap_model *m;
  const ap_ident *ident;
  const ap_base *base;
  const excite_scene *scene;
  const bool *excited; // by base parameter
  ap_excitation found;
} outcome;

static void report_json(cli_out *out, const outcome *x) {
  const ap_excitation *found = &x->found;
  ap_json j = {.write = cli_out_sink, .context = out};
  ap_json_open(&j, NULL, '{');
  ap_json_integer(&j, "base_parameters", ap_base_count(x->base));
  ap_json_integer(&j, "excited", found->excited);
  ap_json_open(&j, "not_excited", '[');
  for (int k = 0; k < ap_base_count(x->base); k++)
    if (x->excited && !x->excited[k])
      ap_json_string(&j, NULL, ap_ident_name(x->ident, ap_base_leader(x->base, k)));
  ap_json_close(&j, ']');
  ap_json_number(&j, "condition", found->condition);
  ap_json_number(&j, "log10_determinant", found->criterion);
  ap_json_number(&j, "log10_determinant_at_random", found->first);
  ap_json_number(&j, "force_use", found->torque_use);
  ap_json_open(&j, "spare", '{');
  ap_json_number(&j, "position", found->position_spare);
  ap_json_number(&j, "velocity", found->velocity_spare);
  ap_json_number(&j, "acceleration", found->acceleration_spare);
  ap_json_number(&j, "force", 1 - found->torque_use);
  ap_json_close(&j, '}');
  excite_scene_json(&j, x->m, x->scene, found);
  ap_json_close(&j, '}');
}

static void report_text(cli_out *out, const outcome *x) {
  const ap_excitation *found = &x->found;
  const int all = ap_base_count(x->base);
  cli_out_printf(out, "%d base parameters, condition %.3g\n", found->excited, found->condition);
  if (found->excited < all) {
    const char *before = "not excited by themselves, since joints rest: ";
    for (int k = 0; k < all; k++) {
      if (!x->excited || x->excited[k]) continue;
      cli_out_printf(out, "%s%s", before, ap_ident_name(x->ident, ap_base_leader(x->base, k)));
      before = ", ";
    }
    cli_out_printf(out, "\n");
  }
  cli_out_printf(out, "log10 of the determinant %.1f", found->criterion);
  if (isfinite(found->first)) cli_out_printf(out, "; %.1f for a random motion", found->first);
  cli_out_printf(out, "\nto spare at all times: %.1f %% of the range at its ends, %.1f %% of speed",
                 100 * found->position_spare, 100 * found->velocity_spare);
  if (found->acceleration_spare < 1)
    cli_out_printf(out, ", %.1f %% of acceleration", 100 * found->acceleration_spare);
  if (found->torque_use > 0)
    cli_out_printf(out, ", %.1f %% of force", 100 * (1 - found->torque_use));
  cli_out_printf(out, "\n");
  excite_scene_print(out, x->m, x->scene, found);
}

static int report(const outcome *x, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (json)
    report_json(&out, x);
  else
    report_text(&out, x);
  return cli_out_close(&out, CLI_OK);
}

// ---- the verb ----------------------------------------------------------------------------------

typedef struct watch {
  cli_progress progress;
  int all;
} watch;

static bool show_progress(void *context, int done) {
  watch *w = context;
  cli_progress_show(&w->progress, (double)done / w->all, "%d of %d motions", done, w->all);
  return true;
}

static int excite(const cli_model *model, const cli_arguments *a, ap_excite_options *o,
                  const excite_scene *scene, double rate) {
  const ap_ident_options look_for = {.rotor = a->value[EXCITE_ROTOR] != NULL,
                                     .viscous = a->value[EXCITE_FRICTION] != NULL,
                                     .coulomb = a->value[EXCITE_FRICTION] != NULL};
  ap_ident *ident = NULL;
  ap_base *base = NULL;
  ap_traj *traj = NULL;
  bool *excited = NULL;
  outcome x = {.m = model->model, .scene = scene};
  ap_error error = {0};
  error.status = ap_ident_create(model->model, &look_for, &ident, &error);
  if (error.status == AP_OK) error.status = ap_base_find(ident, AP_BASE_QR, &base, &error);
  if (error.status == AP_OK) {
    excited = malloc((size_t)ap_base_count(base) * sizeof *excited + 1);
    o->excited = excited;
    error.status = ap_excite(ident, base, o, &traj, &x.found, &error);
  }
  cli_progress_hide();
  int status = CLI_OK;
  if (error.status != AP_OK)
    status =
        cli_fail(error.status == AP_E_ARG ? CLI_BAD : CLI_FAILED, model->path, 0, "%s", error.text);
  else if (!excited)
    status = cli_no_memory();
  if (status == CLI_OK)
    status = write_motion(a->value[EXCITE_OUTPUT], a->value[EXCITE_PLOT], model->model, traj, rate);
  x.ident = ident, x.base = base, x.excited = excited;
  if (status == CLI_OK && a->value[EXCITE_OUTPUT])
    status = report(&x, a->value[EXCITE_JSON] != NULL);
  free(excited);
  ap_traj_free(traj);
  ap_base_free(base);
  ap_ident_free(ident);
  return status;
}

static int run(const cli_arguments *arguments) {
  ap_excite_options o = ap_default_excite();
  double rate = 100;
  int status = parse(arguments, &o, &rate);
  if (status == CLI_OK && !(o.period * rate <= MOST_ROWS))
    status =
        cli_usage("excite", "%.3g lines are too many (at most %d)", o.period * rate, MOST_ROWS);
  if (status == CLI_OK && arguments->value[EXCITE_JSON] && !arguments->value[EXCITE_OUTPUT])
    status = cli_usage("excite", "--json needs -o: the motion goes to standard output otherwise");
  if (status == CLI_OK && arguments->value[EXCITE_OUTPUT])
    status = cli_check_motion(arguments->value[EXCITE_OUTPUT]);
  if (status == CLI_OK && arguments->value[EXCITE_PLOT])
    status = cli_check_target(arguments->value[EXCITE_PLOT]);
  cli_model model;
  if (status == CLI_OK) status = cli_load(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  watch w = {.all = o.evaluations};
  cli_progress_start(&w.progress, false);
  o.progress = show_progress, o.context = &w;
  excite_scene scene;
  status = excite_scene_read(&model, arguments, &o, &scene);
  if (status == CLI_OK) status = excite(&model, arguments, &o, &scene, rate);
  excite_scene_free(&scene);
  cli_unload(&model);
  return status;
}

const cli_verb cli_excite = {
    .name = "excite",
    .arguments = "MODEL",
    .about = "Find a motion to identify a robot's parameters with.",
    .text = text,
    .example =
        "  appell excite puma600 --friction --rotor -o motion.csv --plot motion.svg\n"
        "  appell excite arm.urdf --floor 0 --range elbow=0:1.5 -o motion.csv\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run};
