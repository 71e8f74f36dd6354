// SPDX-License-Identifier: Apache-2.0
#include "identify.h"

#include <limits.h>
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
  STIFFNESS,
  OFFSET,
  CUTOFF,
  FILTER,
  REJECT,
  BASE,
  STAND,
  HELD_BASE,
  COLUMNS,
  DELAY,
  STATIC,
  PARTIAL,
  TRUST,
  FLOATING,
  IGNORE_MIMIC,
  IGNORE_LOOPS,
  OUTPUT,
  JSON,
  PRIOR,
  TOTAL_MASS,
  PAYLOAD,
  ASYMMETRIC,
  STRIBECK,
  LOAD_FRICTION,
  GAINS,
  LOAD,
  LOADED,
  PLOT
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
    [STIFFNESS] = {"--stiffness", NULL, "look for the stiffness of a spring in each joint too"},
    [OFFSET] = {"--offset", NULL, "look for a constant force of each joint too"},
    [CUTOFF] = {"--cutoff", "HZ", "of the filter for logs without v and a (10)"},
    [FILTER] = {"--filter", NULL, "filter although the log has v and a"},
    [REJECT] = {"--reject", "K",
                "leave out forces K deviations off the fit; 0: none, nor spikes (5)"},
    [BASE] = {"--base", "qr|svd", "how the combinations are found (qr)"},
    [STAND] = {"--stand", "POSE", "the free base is fixed there: 0 or X,Y,Z,ROLL,PITCH,YAW"},
    [HELD_BASE] = {"--held-base", NULL, "the log has the motion of the free base, not its forces"},
    [COLUMNS] = {"--columns", "LIST", "which column is which: t=time,q=pos_{1}*deg,tau=8-13"},
    [DELAY] = {"--delay", "S", "the forces were measured so much later than the motion (0)"},
    [STATIC] = {"--static", NULL, "every sample is a pose at rest: gravity alone"},
    [PARTIAL] = {"--partial", NULL, "only some joints move or have forces: what they show"},
    [TRUST] = {"--trust", NULL, "go on although the log contradicts the robot"},
    [FLOATING] = CLI_OPTION_FLOATING,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    [OUTPUT] = {"-o", "ROBOT", "write the identified model: .urdf, .xml (MJCF) or .yaml"},
    [JSON] = CLI_OPTION_JSON,
    [PRIOR] = {"--prior", "PART", "by which MODEL's masses may be off, 0.2 for 20 % (by evidence)"},
    [TOTAL_MASS] = {"--total-mass", "KG", "the mass of all moving links together is known"},
    [PAYLOAD] = {"--payload", "LINK",
                 "look only for what LINK carries: the robot is as MODEL says"},
    [ASYMMETRIC] = {"--asymmetric", NULL, "look for friction that depends on the direction too"},
    [STRIBECK] = {"--stribeck", "V", "look for friction that fades with speed V too, rad/s or m/s"},
    [LOAD_FRICTION] = {"--load-friction", NULL, "look for friction in proportion to the load too"},
    [GAINS] = {"--gains", NULL, "tau are motor currents: find N m for each unit of them too"},
    [LOAD] = {"--load", "LOAD", "LINK=KG or LINK=KG,X,Y,Z of a load that fixes the gains' scale"},
    [LOADED] = {"--loaded", "DATA", "logs that carry it, commas between; those before do not"},
    [PLOT] = {"--plot", "FILE.svg", "a figure: forces measured and predicted, the parameters"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "DATA is CSV, a line of names and then numbers, or a log in HDF5. Columns are t and for\n"
    "each joint q.JOINT, tau.JOINT and where measured v.JOINT, a.JOINT; otherwise these are\n"
    "made from q by zero-phase filtering. --columns says where they stand in other files: by "
    "name,\n"
    "by number from 1 (then no line of names is needed), for all joints in their order by a span\n"
    "(q=2-7) or by a name with {joint}, {1} or {0} in it; *FACTOR behind it converts units. "
    "Several\n"
    "logs are used together. A log that contradicts the robot (degrees, milliseconds, wrong "
    "signs,\n"
    "swapped or dead columns, currents for torques) is refused unless --trust is given. Without "
    "DATA the base parameters are listed: the\n"
    "combinations that motion can tell. The model written by -o has the bodies of the consistent "
    "fit,\n"
    "which are physical; links on fixed joints have their mass in the body that moves them. If\n"
    "MODEL is a URDF or MJCF file and -o names one of the same format, it is a copy in which\n"
    "only these numbers are others.\n"
    "\n"
    "A robot with a free base hangs or stands still (--stand), or its base moves and is measured:\n"
    "with --held-base the log has q, v and a of the base, but not tau. The base's own inertia is\n"
    "not looked for then.\n";

// What was asked for.
typedef struct wish {
  ap_ident_options look_for;
  cli_log_options logs;
  ap_fit_options fit;
  double reject;
  ap_base_method base;
  bool stands; // the base, at pose
  double pose[AP_JOINT_NQ];
  cli_gain_wish gains;
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

// "0", or x y z roll pitch yaw with commas between, as position and quaternion.
static int parse_pose(const char *value, double pose[AP_JOINT_NQ]) {
  double x[6] = {0};
  int n = 0;
  char *end = NULL;
  for (const char *at = value; n < 6; at = end + 1) {
    x[n] = strtod(at, &end);
    if (end == at || !isfinite(x[n])) break;
    n++;
    if (*end != ',') break;
  }
  if (!end || *end || (n != 6 && strcmp(value, "0") != 0))
    return cli_usage("identify", "--stand '%s' (0, or X,Y,Z,ROLL,PITCH,YAW in m and rad)", value);
  const double c[3] = {cos(x[3] / 2), cos(x[4] / 2), cos(x[5] / 2)};
  const double s[3] = {sin(x[3] / 2), sin(x[4] / 2), sin(x[5] / 2)};
  const double q[AP_JOINT_NQ] = {x[0],
                                 x[1],
                                 x[2],
                                 c[2] * c[1] * s[0] - s[2] * s[1] * c[0],
                                 c[2] * s[1] * c[0] + s[2] * c[1] * s[0],
                                 s[2] * c[1] * c[0] - c[2] * s[1] * s[0],
                                 c[2] * c[1] * c[0] + s[2] * s[1] * s[0]};
  memcpy(pose, q, sizeof q);
  return CLI_OK;
}

static int parse(const cli_arguments *a, wish *w, ap_fit_method *method) {
  *w = (wish){.look_for = {.rotor = a->value[ROTOR] != NULL,
                           .viscous = a->value[FRICTION] != NULL,
                           .coulomb = a->value[FRICTION] != NULL,
                           .offset = a->value[OFFSET] != NULL,
                           .stiffness = a->value[STIFFNESS] != NULL,
                           .held_base = a->value[HELD_BASE] != NULL,
                           .asymmetric = a->value[ASYMMETRIC] != NULL,
                           .load = a->value[LOAD_FRICTION] != NULL,
                           .payload = a->value[PAYLOAD],
                           .partial = a->value[PARTIAL] != NULL},
              .logs = {.columns = a->value[COLUMNS],
                       .prepare = ap_default_prepare(),
                       .partial = a->value[PARTIAL] != NULL,
                       .trust = a->value[TRUST] != NULL},
              .fit = ap_default_fit(),
              .reject = 5,
              .stands = a->value[STAND] != NULL,
              .output = a->value[OUTPUT],
              .json = a->value[JSON] != NULL};
  w->logs.prepare.always = a->value[FILTER] != NULL;
  w->logs.prepare.at_rest = a->value[STATIC] != NULL;
  *method = parse_method(a->value[METHOD]);
  w->base = a->value[BASE] && strcmp(a->value[BASE], "svd") == 0 ? AP_BASE_SVD : AP_BASE_QR;
  int status = cli_value_above(a, CUTOFF, 0, &w->logs.prepare.cutoff);
  if (status == CLI_OK) status = cli_value_above(a, DELAY, -INFINITY, &w->logs.prepare.delay);
  if (status == CLI_OK) status = cli_value_above(a, PRIOR, 0, &w->fit.prior);
  if (status == CLI_OK) status = cli_value_above(a, TOTAL_MASS, 0, &w->fit.total_mass);
  if (status == CLI_OK) status = cli_value_above(a, STRIBECK, 0, &w->look_for.stribeck);
  if (status == CLI_OK && a->value[ASYMMETRIC] && a->value[OFFSET])
    status = cli_usage("identify",
                       "--asymmetric or --offset: asymmetric Coulomb friction is an "
                       "offset");
  if (status == CLI_OK && a->value[REJECT] && strcmp(a->value[REJECT], "0") == 0)
    w->reject = w->logs.prepare.spikes = 0;
  else if (status == CLI_OK)
    status = cli_value_above(a, REJECT, 0, &w->reject);
  if (status == CLI_OK && a->count == 1 && (a->value[VALIDATE] || w->output || a->value[PLOT]))
    status = cli_usage("identify", "DATA is missing");
  if (status == CLI_OK && a->value[STAND]) status = parse_pose(a->value[STAND], w->pose);
  if (status == CLI_OK && w->stands && a->value[HELD_BASE])
    status = cli_usage("identify", "--stand or --held-base: the base stands still or it moves");
  if (status == CLI_OK)
    status = cli_parse_gains(a->value[GAINS], a->value[LOAD], a->value[LOADED], &w->gains);
  w->logs.prepare.currents = w->gains.wanted;
  if (status == CLI_OK && w->output) status = cli_check_target(w->output);
  if (status == CLI_OK && a->value[PLOT]) status = cli_check_target(a->value[PLOT]);
  return status;
}

// ---- the work ----------------------------------------------------------------------------------

// What the library says about a file: the file's fault, or a computation that cannot be done.
static int fail(const char *path, const ap_error *error) {
  const bool bad = error->status == AP_E_FILE || error->status == AP_E_SYNTAX || error->line > 0;
  return cli_fail(bad ? CLI_BAD : CLI_FAILED, path, error->line, "%s", error->text);
}

static int reduce(cli_identification *f, cli_log_data *data, int folds, double reject) {
  ap_error error = {0};
  error.status =
      ap_dataset_reduce(data->states, f->ident, f->base, folds, reject, &data->reduction, &error);
  return error.status == AP_OK ? CLI_OK : fail(data->path, &error);
}

// What the logs cannot show is not looked for, where that was asked for.
static int find_base(cli_identification *f, const wish *w) {
  ap_error error = {0};
  f->at_rest = w->logs.prepare.at_rest;
  if (f->data.states && (f->at_rest || w->logs.partial)) {
    ap_dataset *all = ap_dataset_sample(f->data.states, INT_MAX);
    error.status = all ? AP_OK : AP_E_MEMORY;
    if (all && f->loaded.states) error.status = ap_dataset_append(all, f->loaded.states);
    if (error.status == AP_OK)
      error.status = ap_ident_limit_to(f->ident, all, &f->resting, &f->silent);
    ap_dataset_free(all);
  }
  if (error.status != AP_OK) return cli_no_memory();
  error.status = ap_base_find(f->ident, w->base, &f->base, &error);
  if (error.status == AP_OK && ap_base_count(f->base) == 0)
    return cli_fail(CLI_FAILED, f->data.path, 0, "the log shows no parameter at all");
  return error.status == AP_OK ? CLI_OK : cli_fail(CLI_FAILED, f->model.path, 0, "%s", error.text);
}

// The logs and the one that they are compared with. Nothing of the latter is left out.
static int read_logs(cli_identification *f, const wish *w, const cli_arguments *a,
                     cli_progress *progress) {
  const char *other = a->value[VALIDATE];
  int status = CLI_OK;
  for (int k = 1; status == CLI_OK && k < a->count; k++) {
    cli_progress_step(progress, 0, STEPS, "reading %s", a->argument[k]);
    status = cli_identify_read(f, &w->logs, a->argument[k], &f->data);
  }
  if (status == CLI_OK) status = cli_identify_read_loaded(f, &w->logs, &w->gains);
  if (status == CLI_OK && other) status = cli_identify_read(f, &w->logs, other, &f->validation);
  if (status == CLI_OK) status = find_base(f, w);
  if (status == CLI_OK && w->gains.wanted) {
    cli_progress_step(progress, 1, STEPS, "gains of the currents");
    status = cli_identify_gains(f, &w->gains, w->fit.total_mass, w->reject, w->base);
    if (status == CLI_OK) status = cli_identify_apply_gains(f, &w->logs);
  }
  cli_progress_step(progress, 1, STEPS, "reducing %d samples", f->data.samples);
  if (status == CLI_OK) status = cli_identify_doubt_states(f, &w->logs);
  if (status == CLI_OK) status = reduce(f, &f->data, FOLDS, w->reject);
  if (status == CLI_OK && other) status = reduce(f, &f->validation, 1, 0);
  return status;
}

// All methods, for comparison; the one asked for must succeed.
static int fit_all(cli_identification *f, const wish *w, cli_progress *progress) {
  for (int k = 0; k < AP_FIT_METHODS; k++) {
    cli_progress_step(progress, FIRST_FIT + k, STEPS, "estimate by %s",
                      ap_fit_method_name((ap_fit_method)k));
    ap_fit_make(f->data.reduction, f->base, (ap_fit_method)k, &w->fit, &f->fit[k], &f->failed[k]);
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
  ap_dataset *some = look_for.viscous || w->logs.prepare.at_rest
                         ? NULL
                         : ap_dataset_sample(f->data.states, HINT_STATES);
  if (!some) return;
  const double without = residual_with(f, some, &look_for);
  look_for.viscous = look_for.coulomb = true;
  const double with = residual_with(f, some, &look_for);
  ap_dataset_free(some);
  if (with > 1e-6 * without && with < 0.7 * without)
    cli_warn(f->data.path, 0, "the forces show friction (--friction takes it into account)");
}

static int identify(cli_identification *f, const wish *w, const cli_arguments *a) {
  ap_error error = {0};
  error.status = ap_ident_create(f->model.model, &w->look_for, &f->ident, &error);
  if (error.status == AP_E_ARG && w->look_for.payload)
    return cli_fail(CLI_BAD, f->model.path, 0, "%s", error.text);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, f->model.path, 0, "%s", error.text);
  if (a->count == 1) {
    const int status = find_base(f, w);
    return status == CLI_OK ? cli_print_base(f, w->json) : status;
  }
  cli_progress progress;
  cli_progress_start(&progress, false);
  int status = read_logs(f, w, a, &progress);
  if (status == CLI_OK) status = fit_all(f, w, &progress);
  if (status == CLI_OK && f->gains) status = cli_identify_widen(f);
  if (status == CLI_OK) status = cli_identify_doubt_fit(f);
  cli_progress_step(&progress, STEPS - 1, STEPS, "looking for friction");
  if (status == CLI_OK) hint_at_friction(f, w);
  cli_progress_hide();
  if (status == CLI_OK && w->output && (w->look_for.asymmetric || w->look_for.load))
    cli_warn(w->output, 0,
             "no robot file holds asymmetric or load-dependent friction: it is only reported");
  if (status == CLI_OK && w->output) status = cli_identify_write(f, a, w->output);
  if (status == CLI_OK && a->value[PLOT]) status = cli_identify_draw(f, a->value[PLOT]);
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
  if (status == CLI_OK) status = cli_identify_load(arguments, w.stands ? w.pose : NULL, &f);
  if (status != CLI_OK) return status;
  cli_print_warnings(&f.model);
  status = identify(&f, &w, arguments);
  for (int k = 0; k < AP_FIT_METHODS; k++) ap_fit_free(f.fit[k]);
  cli_identify_free_gains(&f);
  free_log(&f.loaded);
  free_log(&f.data);
  free_log(&f.validation);
  ap_base_free(f.base);
  ap_ident_free(f.ident);
  cli_unload(&f.model);
  return status;
}

const cli_verb cli_identify = {.name = "identify",
                               .arguments = "MODEL [DATA...]",
                               .about = "Estimate a robot's parameters from measured motion.",
                               .text = text,
                               .example =
                                   "  appell identify puma600 --rotor\n"
                                   "  appell identify arm.urdf log.csv --friction --validate "
                                   "other.csv -o found.urdf\n"
                                   "  appell identify arm.urdf log.csv --plot fit.svg\n"
                                   "  appell identify quadruped log.csv --stand 0,0,1,0,0,0 "
                                   "--rotor\n"
                                   "  appell identify arm.urdf a.csv b.csv --columns "
                                   "'q=pos_{1}*deg,tau=8-13'\n"
                                   "  appell identify arm.urdf bare.csv --gains --load tool=4.02 "
                                   "--loaded heavy.csv\n",
                               .options = options,
                               .least = 1,
                               .most = 65,
                               .run = run};
