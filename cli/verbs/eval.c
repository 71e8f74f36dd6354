// SPDX-License-Identifier: Apache-2.0
#include "eval.h"

#include <string.h>

#include "ui/values.h"
#include "verbs.h"

enum {
  METHOD,
  REAL,
  FLOATING,
  FRICTION,
  IGNORE_MIMIC,
  IGNORE_LOOPS,
  GRAVITY,
  BRANCH,
  SHORTEST,
  OUTPUT
};

static const cli_option options[] = {
    [METHOD] = {"--method", "METHOD", "how to compute it ('appell methods' lists them)"},
    [REAL] = {"--real", "f32|f64|f128", "the arithmetic; f64 if not given"},
    [FLOATING] = CLI_OPTION_FLOATING,
    [FRICTION] = CLI_OPTION_FRICTION,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    [GRAVITY] = CLI_OPTION_GRAVITY,
    [BRANCH] = {"--branch", "BRANCH", "of a mechanism: how it is assembled ('appell info')"},
    [SHORTEST] = {"--shortest", NULL, "the fewest digits that read back, instead of 17"},
    [OUTPUT] = {"-o", "FILE", "write to a file, which appears when it is complete"},
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "  QUANTITY  reads per line  writes per line\n"
    "  inverse   q v a           tau\n"
    "  forward   q v tau         a\n"
    "  inertia   q               the inertia matrix, row by row\n"
    "  bias      q v             tau at a = 0\n"
    "  gravity   q               tau at v = a = 0\n"
    "  energy    q v             kinetic and potential energy\n"
    "  dinverse  q v a           d tau / d q, d tau / d v, d tau / d a, row by row\n"
    "  dforward  q v tau         d a / d q, d a / d v, d a / d tau, row by row\n"
    "\n"
    "MODEL is a robot file (.urdf, .xml, .yaml) or a built-in model ('appell models'), FILE a\n"
    "state file: one state per line, numbers separated by blanks or commas, lines that\n"
    "start with # skipped; - is standard input. 'appell info MODEL' shows the order of\n"
    "the joints. Arrays are read and written without text: FILE.npy, FILE.h5:/DATASET.\n"
    "Derivatives by q are those in the tangent space, by the steps that v counts. Friction,\n"
    "damping, springs, gravity compensation and rotor inertia take part only with --friction.\n"
    "\n"
    "Of a mechanism with closed chains (agile-wrist, five-bar, stewart, delta, or a file\n"
    "with closures) q v a are the independent coordinates, tau the efforts of its actuators.\n";

static bool find_quantity(const char *word, ap_quantity *what) {
  for (int k = AP_INVERSE; k <= AP_FORWARD_DERIVATIVES; k++) {
    *what = (ap_quantity)k;
    if (strcmp(word, ap_quantity_name(*what)) == 0) return true;
  }
  return false;
}

// The quantity is the first argument; second is the word behind it, in case they are exchanged.
static int parse_quantity(const char *word, const char *second, ap_quantity *what) {
  if (find_quantity(word, what)) return CLI_OK;
  if (find_quantity(second, what))
    return cli_usage("eval", "the quantity comes first; did you mean 'appell eval %s %s'?", second,
                     word);
  cli_choice choice = {.nearest = {.word = word}};
  for (int k = AP_INVERSE; k <= AP_FORWARD_DERIVATIVES; k++)
    cli_choice_offer(&choice, ap_quantity_name((ap_quantity)k));
  return cli_unknown("eval", "quantity", &choice);
}

static int parse_method(const char *name, ap_quantity what, const ap_method **method) {
  *method = ap_find_method(what, name);
  if (*method) return CLI_OK;
  const char *quantity = ap_quantity_name(what);
  if (!name) return cli_fail(CLI_FAILED, NULL, 0, "there is no method for '%s' yet", quantity);
  char of[64];
  snprintf(of, sizeof of, " for %s", quantity);
  cli_choice choice = {.nearest = {.word = name}, .of = of};
  const ap_method *other = NULL;
  for (int i = 0; ap_method_at(i); i++) {
    if (ap_method_at(i)->what == what) cli_choice_offer(&choice, ap_method_at(i)->name);
    if (strcmp(ap_method_at(i)->name, name) == 0) other = ap_method_at(i);
  }
  if (!other) return cli_unknown("eval", "method", &choice);
  return cli_usage("eval", "method '%s' computes %s; methods for %s are %s", name,
                   ap_quantity_name(other->what), quantity, choice.names);
}

// The options' table has seen to it that name, where there is one, is the name of an arithmetic.
static ap_arithmetic parse_real(const char *name) {
  ap_arithmetic found = AP_F64;
  for (int k = AP_F64; name && k <= AP_F128; k++)
    if (strcmp(name, ap_arithmetic_name((ap_arithmetic)k)) == 0) found = (ap_arithmetic)k;
  return found;
}

// What the words of the command line ask for, except model and files.
static int parse_job(const cli_arguments *arguments, cli_job *job, double gravity[3]) {
  ap_quantity what;
  int status = parse_quantity(arguments->argument[0], arguments->argument[1], &what);
  ap_eval_options *o = &job->options;
  if (status == CLI_OK) status = parse_method(arguments->value[METHOD], what, &o->method);
  o->arithmetic = parse_real(arguments->value[REAL]);
  if (status == CLI_OK) status = cli_value_gravity(arguments, GRAVITY, gravity, &o->gravity);
  o->friction = arguments->value[FRICTION] != NULL;
  o->branch = arguments->value[BRANCH];
  job->path = arguments->argument[2];
  job->output = arguments->value[OUTPUT];
  job->shortest = arguments->value[SHORTEST] != NULL;
  return status;
}

static int check_branch(const ap_mechanism *m, const char *branch, const char *path) {
  char names[200] = "";
  if (ap_mechanism_find_branch(m, branch)) return CLI_OK;
  if (ap_mechanism_nbranch(m) == 0)
    return cli_usage("eval", "'%s' has one branch only, without a name", path);
  for (int i = 0; i < ap_mechanism_nbranch(m); i++) {
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
             ap_mechanism_branch(m, i)->name);
  }
  return cli_usage("eval", "--branch '%s' is not one of the branches of '%s': %s", branch, path,
                   names);
}

// A mechanism with closed chains: one way to compute each quantity.
static int check_mechanism(const cli_arguments *arguments, const cli_job *job) {
  const ap_eval_options *o = &job->options;
  const char *path = job->model->path;
  if (arguments->value[METHOD])
    return cli_usage("eval", "--method does not apply to '%s', which has closed chains", path);
  if (o->arithmetic != AP_F64)
    return cli_usage("eval", "'%s' has closed chains and is computed in f64 only", path);
  return check_branch(job->model->mechanism, o->branch, path);
}

static int check_tree(const cli_job *job) {
  if (!job->options.branch) return CLI_OK;
  return cli_usage("eval", "--branch is for mechanisms with closed chains; '%s' is a tree",
                   job->model->path);
}

static int run(const cli_arguments *arguments) {
  cli_job job = {0};
  double gravity[3];
  int status = parse_job(arguments, &job, gravity);
  if (status != CLI_OK) return status;
  cli_model model;
  status = cli_load_any(arguments->argument[1], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  job.model = &model;
  status = model.mechanism ? check_mechanism(arguments, &job) : check_tree(&job);
  if (status == CLI_OK) status = cli_stream(&job);
  cli_unload(&model);
  return status;
}

const cli_verb cli_eval = {.name = "eval",
                           .arguments = "QUANTITY MODEL FILE",
                           .about = "Compute a quantity for every state of a file.",
                           .text = text,
                           .example =
                               "  appell eval inverse puma600 states.txt -o tau.txt\n"
                               "  appell eval forward puma600 states.npy -o a.npy\n"
                               "  echo 0 0 | appell eval gravity ascher2 -\n",
                           .options = options,
                           .least = 3,
                           .most = 3,
                           .filter = true,
                           .run = run};
