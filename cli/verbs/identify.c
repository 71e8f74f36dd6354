// SPDX-License-Identifier: Apache-2.0
#include "identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ui/progress.h"
#include "ui/values.h"
#include "verbs.h"

enum {
  METHOD,
  VALIDATE,
  FRICTION,
  ROTOR,
  OFFSET,
  CUTOFF,
  FILTER,
  REJECT,
  BASE,
  IGNORE_MIMIC,
  OUTPUT,
  JSON
};
// Steps that the progress counts: reading, reducing, the estimates, and a look for friction.
enum { FOLDS = 5, FIRST_FIT = 2, STEPS = FIRST_FIT + AP_FIT_METHODS + 1 };
// Friction shows in far fewer states than long logs have.
enum { HINT_STATES = 20000 };

static const cli_option options[] = {
    [METHOD] = {"--method", "qr|svd|pinv|ridge|weighted|consistent",
                "the estimate that is reported (weighted)"},
    [VALIDATE] = {"--validate", "DATA", "a log that is not used, to compare the prediction with"},
    [FRICTION] = {"--friction", NULL, "look for viscous and Coulomb friction too"},
    [ROTOR] = {"--rotor", NULL, "look for reflected rotor inertia too"},
    [OFFSET] = {"--offset", NULL, "look for a constant force of each joint too"},
    [CUTOFF] = {"--cutoff", "HZ", "of the filter for logs without v and a (10)"},
    [FILTER] = {"--filter", NULL, "filter although the log has v and a"},
    [REJECT] = {"--reject", "K",
                "leave out forces K deviations off the fit; 0: none, nor spikes (5)"},
    [BASE] = {"--base", "qr|svd", "how the combinations are found (qr)"},
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [OUTPUT] = {"-o", "ROBOT", "write the identified model: .urdf or .yaml"},
    [JSON] = CLI_OPTION_JSON,
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "DATA is CSV, a line of names and then numbers, or a log in HDF5. Columns are t and for\n"
    "each joint q.JOINT, tau.JOINT and where measured v.JOINT, a.JOINT; otherwise these are\n"
    "made from q by zero-phase filtering. Without DATA the base parameters are listed: the\n"
    "combinations that motion can tell. The model written by -o has the bodies of the consistent "
    "fit,\n"
    "which are physical; links on fixed joints have their mass in the body that moves them.\n";

// What was asked for.
typedef struct wish {
  ap_ident_options look_for;
  ap_prepare_options prepare;
  double reject;
  ap_base_method base;
  const char *output;
  bool json;
} wish;

// ---- the command line --------------------------------------------------------------------------

static ap_fit_method parse_method(const char *name) {
  ap_fit_method method = AP_FIT_WEIGHTED;
  for (int k = 0; name && k < AP_FIT_METHODS; k++)
    if (strcmp(name, ap_fit_method_name((ap_fit_method)k)) == 0) method = (ap_fit_method)k;
  return method;
}

static int parse(const cli_arguments *a, wish *w, ap_fit_method *method) {
  *w = (wish){.look_for = {.rotor = a->value[ROTOR] != NULL,
                           .viscous = a->value[FRICTION] != NULL,
                           .coulomb = a->value[FRICTION] != NULL,
                           .offset = a->value[OFFSET] != NULL},
              .prepare = ap_default_prepare(),
              .reject = 5,
              .output = a->value[OUTPUT],
              .json = a->value[JSON] != NULL};
  w->prepare.always = a->value[FILTER] != NULL;
  *method = parse_method(a->value[METHOD]);
  w->base = a->value[BASE] && strcmp(a->value[BASE], "svd") == 0 ? AP_BASE_SVD : AP_BASE_QR;
  int status = cli_value_above(a, CUTOFF, 0, &w->prepare.cutoff);
  if (status == CLI_OK && a->value[REJECT] && strcmp(a->value[REJECT], "0") == 0)
    w->reject = w->prepare.spikes = 0;
  else if (status == CLI_OK)
    status = cli_value_above(a, REJECT, 0, &w->reject);
  if (status == CLI_OK && a->count == 1 && (a->value[VALIDATE] || w->output))
    status = cli_usage("identify", "DATA is missing");
  if (status == CLI_OK && w->output) status = cli_check_target(w->output);
  return status;
}

// ---- the work ----------------------------------------------------------------------------------

// What the library says about a file: the file's fault, or a computation that cannot be done.
static int fail(const char *path, const ap_error *error) {
  const bool bad = error->status == AP_E_FILE || error->status == AP_E_SYNTAX || error->line > 0;
  return cli_fail(bad ? CLI_BAD : CLI_FAILED, path, error->line, "%s", error->text);
}

// Whether the log of a run tells of impacts, or of points that rest on walls.
static bool has_contacts(const char *path) {
  ap_log_reader *log = NULL;
  if (ap_log_open(path, &log, NULL) != AP_OK) return false; // not of a run: nothing is told
  const ap_log_about *about = ap_log_describe(log);
  ap_logged_event event;
  bool found = false, end = false;
  while (!found && ap_log_next_event(log, &event, &end, NULL) == AP_OK && !end)
    found = strcmp(event.event, "impact") == 0 || strcmp(event.event, "contact") == 0;
  int column = 0;
  while (column < about->columns && strcmp(about->column[column].name, "contacts") != 0) column++;
  double *row = column < about->columns ? malloc((size_t)about->columns * sizeof *row) : NULL;
  ap_log_allow_any(log);
  while (row && !found && ap_log_next(log, row, &end, NULL) == AP_OK && !end)
    found = row[column] > 0;
  free(row);
  ap_log_close(log);
  return found;
}

static int read_log(cli_identification *f, const wish *w, const char *path, cli_log_data *data) {
  ap_error error = {0};
  ap_samples *samples = NULL;
  error.status = ap_samples_read(f->ident, path, &samples, &error);
  if (error.status != AP_OK) return fail(path, &error);
  if (has_contacts(path))
    cli_warn(path, 0,
             "the log has impacts or contacts, whose forces are not in the model (leave out the "
             "rows around them)");
  data->path = path;
  data->samples = samples->n;
  if (samples->n > 1) data->duration = samples->t[samples->n - 1] - samples->t[0];
  error.status = ap_dataset_prepare(f->ident, samples, &w->prepare, &data->states, &error);
  ap_samples_free(samples);
  if (error.status == AP_OK) return CLI_OK;
  const bool bad = error.status == AP_E_ARG || error.status == AP_E_UNSUPPORTED;
  return cli_fail(bad ? CLI_BAD : CLI_FAILED, path, error.line, "%s", error.text);
}

static int reduce(cli_identification *f, cli_log_data *data, int folds, double reject) {
  ap_error error = {0};
  error.status =
      ap_dataset_reduce(data->states, f->ident, f->base, folds, reject, &data->reduction, &error);
  return error.status == AP_OK ? CLI_OK : fail(data->path, &error);
}

// The log and the one that it is compared with. Nothing of the latter is left out.
static int read_logs(cli_identification *f, const wish *w, const char *path, const char *other,
                     cli_progress *progress) {
  cli_progress_step(progress, 0, STEPS, "reading %s", path);
  int status = read_log(f, w, path, &f->data);
  if (status == CLI_OK && other) status = read_log(f, w, other, &f->validation);
  cli_progress_step(progress, 1, STEPS, "reducing %d samples", f->data.samples);
  if (status == CLI_OK) status = reduce(f, &f->data, FOLDS, w->reject);
  if (status == CLI_OK && other) status = reduce(f, &f->validation, 1, 0);
  return status;
}

// All methods, for comparison; the one asked for must succeed.
static int fit_all(cli_identification *f, cli_progress *progress) {
  for (int k = 0; k < AP_FIT_METHODS; k++) {
    cli_progress_step(progress, FIRST_FIT + k, STEPS, "estimate by %s",
                      ap_fit_method_name((ap_fit_method)k));
    ap_fit_make(f->data.reduction, f->base, (ap_fit_method)k, NULL, &f->fit[k], &f->failed[k]);
  }
  return f->fit[f->method] ? CLI_OK : fail(f->data.path, &f->failed[f->method]);
}

// Residual of states relative to their forces, by weighted least squares; NAN where there is none.
static double residual_with(const cli_identification *f, const ap_dataset *states,
                            const ap_ident_options *look_for) {
  ap_ident *ident = NULL;
  ap_base *base = NULL;
  ap_reduction *reduction = NULL;
  ap_fit *fit = NULL;
  double residual = NAN;
  ap_status status = ap_ident_create(f->model.model, look_for, &ident, NULL);
  if (status == AP_OK) status = ap_base_find(ident, AP_BASE_QR, &base, NULL);
  if (status == AP_OK) status = ap_dataset_reduce(states, ident, base, 1, 0, &reduction, NULL);
  if (status == AP_OK) status = ap_fit_make(reduction, base, AP_FIT_WEIGHTED, NULL, &fit, NULL);
  if (status == AP_OK) {
    residual = 0;
    for (int j = 0; j < fit->nv; j++) residual += fit->residual_rms[j] * fit->residual_rms[j];
  }
  ap_fit_free(fit);
  ap_reduction_free(reduction);
  ap_base_free(base);
  ap_ident_free(ident);
  return sqrt(residual);
}

// Friction that nobody asked for spoils everything else: say so where it shows.
static void hint_at_friction(const cli_identification *f, const wish *w) {
  ap_ident_options look_for = w->look_for;
  ap_dataset *some = look_for.viscous ? NULL : ap_dataset_sample(f->data.states, HINT_STATES);
  if (!some) return;
  const double without = residual_with(f, some, &look_for);
  look_for.viscous = look_for.coulomb = true;
  const double with = residual_with(f, some, &look_for);
  ap_dataset_free(some);
  if (with > 1e-6 * without && with < 0.7 * without)
    cli_warn(f->data.path, 0, "the forces show friction (--friction takes it into account)");
}

static int write_model(const cli_identification *f, const char *path) {
  const ap_fit *fit = f->fit[AP_FIT_CONSISTENT];
  if (!fit) return fail(f->data.path, &f->failed[AP_FIT_CONSISTENT]);
  ap_robot_def def = *ap_robot_definition(f->model.robot);
  ap_body_def *bodies = malloc((size_t)def.nbody * sizeof *bodies);
  if (!bodies) return cli_no_memory();
  ap_error error = {0};
  ap_robot *robot = NULL;
  error.status = ap_ident_apply(f->ident, fit->parameter, bodies);
  def.bodies = bodies;
  if (error.status == AP_OK) error.status = ap_robot_from_definition(&def, &robot, &error);
  const int status =
      error.status == AP_OK ? cli_write_robot(robot, path) : cli_fail_output(path, &error);
  ap_robot_free(robot);
  free(bodies);
  return status;
}

static int identify(cli_identification *f, const wish *w, const cli_arguments *a) {
  ap_error error = {0};
  error.status = ap_ident_create(f->model.model, &w->look_for, &f->ident, &error);
  if (error.status == AP_OK) error.status = ap_base_find(f->ident, w->base, &f->base, &error);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, f->model.path, 0, "%s", error.text);
  if (a->count == 1) return cli_print_base(f, w->json);
  cli_progress progress;
  cli_progress_start(&progress, false);
  int status = read_logs(f, w, a->argument[1], a->value[VALIDATE], &progress);
  if (status == CLI_OK) status = fit_all(f, &progress);
  cli_progress_step(&progress, STEPS - 1, STEPS, "looking for friction");
  if (status == CLI_OK) hint_at_friction(f, w);
  cli_progress_hide();
  if (status == CLI_OK && w->output) status = write_model(f, w->output);
  return status == CLI_OK ? cli_print_identification(f, w->json) : status;
}

static void free_log(cli_log_data *data) {
  ap_dataset_free(data->states);
  ap_reduction_free(data->reduction);
}

static int run(const cli_arguments *arguments) {
  wish w;
  cli_identification f = {.data = {.path = NULL}};
  int status = parse(arguments, &w, &f.method);
  if (status == CLI_OK) status = cli_load(arguments->argument[0], arguments, &f.model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&f.model);
  status = identify(&f, &w, arguments);
  for (int k = 0; k < AP_FIT_METHODS; k++) ap_fit_free(f.fit[k]);
  free_log(&f.data);
  free_log(&f.validation);
  ap_base_free(f.base);
  ap_ident_free(f.ident);
  cli_unload(&f.model);
  return status;
}

const cli_verb cli_identify = {.name = "identify",
                               .arguments = "MODEL [DATA]",
                               .about = "Estimate a robot's parameters from measured motion.",
                               .text = text,
                               .example =
                                   "  appell identify puma600 --rotor\n"
                                   "  appell identify arm.urdf log.csv --friction --validate "
                                   "other.csv -o found.urdf\n",
                               .options = options,
                               .least = 1,
                               .most = 2,
                               .run = run};
