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

enum {
  OUTPUT,
  PERIOD,
  HARMONICS,
  RATE,
  VELOCITY,
  ACCELERATION,
  FRICTION,
  ROTOR,
  EFFORT,
  SEED,
  IGNORE_MIMIC,
  JSON
};
enum { MOST_ROWS = 10000000, NAME_BYTES = 1024 };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "TRAJ.csv", "write the motion there, not to standard output"},
    [PERIOD] = {"--period", "T", "duration of the motion, s (10)"},
    [HARMONICS] = {"--harmonics", "N", "of the Fourier series of each joint (5)"},
    [RATE] = {"--rate", "HZ", "lines per second (100)"},
    [VELOCITY] = {"--velocity", "V", "of joints without a limit of their own, rad/s or m/s (1.5)"},
    [ACCELERATION] = {"--acceleration", "A", "the largest of every joint (no limit)"},
    [FRICTION] = {"--friction", NULL, "show viscous and Coulomb friction too"},
    [ROTOR] = {"--rotor", NULL, "show reflected rotor inertia too"},
    [EFFORT] = {"--evaluations", "N", "motions that are tried (6000)"},
    [SEED] = {"--seed", "N", "of the random numbers (1)"},
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [JSON] = {"--json", NULL, "what was found as one JSON document; needs -o"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "Finds the motion, from rest to rest within the limits of position, velocity and force\n"
    "that the model has, whose forces tell most about the parameters: one period of a Fourier\n"
    "series. Columns of the file are t, q.JOINT, v.JOINT, a.JOINT and the forces tau.JOINT\n"
    "that the model itself would need.\n";

static int parse(const cli_arguments *a, ap_excite_options *o, double *rate) {
  long harmonics = o->harmonics, evaluations = o->evaluations, seed = (long)o->seed;
  int status = cli_value_above(a, PERIOD, 0, &o->period);
  if (status == CLI_OK) status = cli_value_above(a, RATE, 0, rate);
  if (status == CLI_OK) status = cli_value_above(a, VELOCITY, 0, &o->velocity);
  if (status == CLI_OK) status = cli_value_above(a, ACCELERATION, 0, &o->acceleration);
  if (status == CLI_OK) status = cli_value_integer(a, HARMONICS, 2, 50, &harmonics);
  if (status == CLI_OK) status = cli_value_integer(a, EFFORT, 1, 100000000, &evaluations);
  if (status == CLI_OK) status = cli_value_integer(a, SEED, 0, 1000000000, &seed);
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

static int write_motion(const char *path, const ap_model *m, const ap_traj *t, double rate) {
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
  free(memory);
  return status;
}

// ---- what was found ----------------------------------------------------------------------------

static int report(const ap_excitation *found, int parameters, bool json) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  if (json) {
    ap_json j = {.write = cli_out_sink, .context = &out};
    ap_json_open(&j, NULL, '{');
    ap_json_integer(&j, "base_parameters", parameters);
    ap_json_number(&j, "condition", found->condition);
    ap_json_number(&j, "log10_determinant", found->criterion);
    ap_json_number(&j, "log10_determinant_at_random", found->first);
    ap_json_number(&j, "force_use", found->torque_use);
    ap_json_close(&j, '}');
  } else {
    cli_out_printf(&out,
                   "%d base parameters, condition %.3g\n"
                   "log10 of the determinant %.1f; %.1f for a random motion\n",
                   parameters, found->condition, found->criterion, found->first);
    if (found->torque_use > 0)
      cli_out_printf(&out, "forces reach %.0f %% of their limits\n", 100 * found->torque_use);
  }
  return cli_out_close(&out, CLI_OK);
}

// ---- the verb ----------------------------------------------------------------------------------

typedef struct watch {
  cli_progress progress;
  int all;
} watch;

static void show_progress(void *context, int done) {
  watch *w = context;
  cli_progress_show(&w->progress, (double)done / w->all, "%d of %d motions", done, w->all);
}

static int excite(const cli_model *model, const cli_arguments *a, const ap_excite_options *o,
                  double rate) {
  const ap_ident_options look_for = {.rotor = a->value[ROTOR] != NULL,
                                     .viscous = a->value[FRICTION] != NULL,
                                     .coulomb = a->value[FRICTION] != NULL};
  ap_ident *ident = NULL;
  ap_base *base = NULL;
  ap_traj *traj = NULL;
  ap_excitation found = {0};
  ap_error error = {0};
  error.status = ap_ident_create(model->model, &look_for, &ident, &error);
  if (error.status == AP_OK) error.status = ap_base_find(ident, AP_BASE_QR, &base, &error);
  if (error.status == AP_OK) error.status = ap_excite(ident, base, o, &traj, &found, &error);
  cli_progress_hide();
  int status = CLI_OK;
  if (error.status != AP_OK)
    status =
        cli_fail(error.status == AP_E_ARG ? CLI_BAD : CLI_FAILED, model->path, 0, "%s", error.text);
  if (status == CLI_OK) status = write_motion(a->value[OUTPUT], model->model, traj, rate);
  if (status == CLI_OK && a->value[OUTPUT])
    status = report(&found, ap_base_count(base), a->value[JSON] != NULL);
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
  if (status == CLI_OK && arguments->value[JSON] && !arguments->value[OUTPUT])
    status = cli_usage("excite", "--json needs -o: the motion goes to standard output otherwise");
  if (status == CLI_OK && arguments->value[OUTPUT])
    status = cli_check_target(arguments->value[OUTPUT]);
  cli_model model;
  if (status == CLI_OK) status = cli_load(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  watch w = {.all = o.evaluations};
  cli_progress_start(&w.progress, false);
  o.progress = show_progress, o.context = &w;
  status = excite(&model, arguments, &o, rate);
  cli_unload(&model);
  return status;
}

const cli_verb cli_excite = {
    .name = "excite",
    .arguments = "MODEL",
    .about = "Find a motion to identify a robot's parameters with.",
    .text = text,
    .example = "  appell excite puma600 --friction --rotor -o motion.csv\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run};
