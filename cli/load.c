// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include <appell/info.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "installed_models.h"
#include "ui/values.h"

// The number of the built-in robot of that name, -1 where there is none.
static int find_builtin(const char *name) {
  for (int i = 0; ap_builtin_name(i); i++)
    if (strcmp(ap_builtin_name(i), name) == 0) return i;
  return -1;
}

static bool is_robot_file_name(const char *name) {
  static const char *const endings[] = {".urdf", ".xml", ".mjcf", ".yaml", ".yml"};
  const char *dot = strrchr(name, '.');
  for (size_t k = 0; dot && k < sizeof endings / sizeof endings[0]; k++)
    if (strcmp(dot, endings[k]) == 0) return true;
  return false;
}

// The line about a built-in mechanism.
static const char *about_mechanism(const char *name) {
  int i = 0;
  while (ap_mechanism_builtin_name(i) && strcmp(ap_mechanism_builtin_name(i), name) != 0) i++;
  return ap_mechanism_builtin_about(i);
}

// A built-in mechanism, or its tree; how it is read cannot be changed otherwise.
static int load_mechanism(const char *name, const ap_read_options *options, cli_model *model) {
  ap_error error = {0};
  const ap_mechanism_def *def = ap_mechanism_builtin(name);
  if (options->floating || options->ignore_mimic)
    return cli_fail(CLI_BAD, name, 0,
                    "%s does not apply to a mechanism with closed chains (remove it)",
                    options->floating ? "--floating" : "--ignore-mimic");
  model->about = about_mechanism(name);
  if (options->ignore_loops) cli_warn(name, 0, "closed chains are open: the closures are ignored");
  error.status = options->ignore_loops ? ap_robot_from_definition(def->robot, &model->robot, &error)
                                       : ap_robot_from_mechanism(def, &model->robot, &error);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(name, &error);
}

// Neither a file nor a built-in robot: say what was most likely meant.
static int fail_missing(const char *argument) {
  if (is_robot_file_name(argument) || strchr(argument, '/')) return cli_fail_absent(argument);
  cli_nearest nearest = {.word = argument};
  for (int i = 0; ap_builtin_name(i); i++) cli_nearest_offer(&nearest, ap_builtin_name(i));
  for (int i = 0; ap_mechanism_builtin_name(i); i++)
    cli_nearest_offer(&nearest, ap_mechanism_builtin_name(i));
  const char *near = cli_nearest_name(&nearest);
  if (near)
    return cli_fail(CLI_BAD, argument, 0, "no such file or built-in model (did you mean '%s'?)",
                    near);
  return cli_fail(CLI_BAD, argument, 0,
                  "no such file or built-in model ('appell models' lists the built-in ones)");
}

static int load_robot(const char *argument, const ap_read_options *options, cli_model *model) {
  ap_error error = {0};
  struct stat info;
  const bool file = is_robot_file_name(argument);
  const int builtin = file ? -1 : find_builtin(argument);
  if (strcmp(argument, "-") == 0)
    return cli_fail(CLI_BAD, NULL, 0,
                    "a model cannot come from standard input (give the name of a "
                    ".urdf, .xml or .yaml file, or a built-in model)");
  if (!file && ap_mechanism_builtin(argument)) return load_mechanism(argument, options, model);
  if (builtin >= 0) {
    model->about = ap_builtin_about(builtin);
    error.status = ap_robot_builtin(argument, options, &model->robot, &error);
  } else if (stat(argument, &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return fail_missing(argument);
  } else {
    error.status = ap_robot_read(argument, options, &model->robot, &error);
  }
  return error.status == AP_OK ? CLI_OK : cli_fail_input(argument, &error);
}

bool cli_is_reduced(const cli_arguments *arguments) {
  return cli_option_value(arguments, "--lock") || cli_option_value(arguments, "--root") ||
         cli_option_value(arguments, "--tip");
}

// What the three options say; part->locks is to be freed.
static int parse_reduction(const cli_arguments *arguments, ap_reduction_def *part) {
  const char *lock = cli_option_value(arguments, "--lock");
  ap_lock *locks = NULL;
  *part = (ap_reduction_def){.root = cli_option_value(arguments, "--root"),
                             .tip = cli_option_value(arguments, "--tip")};
  const int status =
      lock ? cli_value_locks(arguments->verb->name, lock, &locks, &part->nlock) : CLI_OK;
  part->locks = locks;
  return status;
}

// Lock joints, or keep a part of the robot, where options say so.
static int reduce(const cli_arguments *arguments, cli_model *model) {
  ap_reduction_def part;
  ap_error error = {0};
  if (!cli_is_reduced(arguments)) return CLI_OK;
  const int status = parse_reduction(arguments, &part);
  if (status != CLI_OK) return status;
  error.status = ap_robot_reduce(model->robot, &part, &error);
  free((void *)part.locks);
  return error.status == AP_OK ? CLI_OK : cli_fail_input(model->path, &error);
}

int cli_open_run(const cli_arguments *arguments, ap_run_options options, ap_run **run) {
  const char *path = arguments->argument[0], *warning;
  ap_reduction_def part;
  ap_error error = {0};
  int line, status = parse_reduction(arguments, &part);
  if (status != CLI_OK) return status;
  options.part = &part;
  error.status = ap_run_open(path, &options, run, &error);
  free((void *)part.locks);
  if (error.status != AP_OK && (find_builtin(path) >= 0 || ap_mechanism_builtin(path)))
    return cli_fail(CLI_BAD, path, 0,
                    "this is a robot, not a scenario (a file that says 'robot: %s' and what "
                    "happens to it, as those in the folder models do)",
                    path);
  if (error.status != AP_OK) return cli_fail_scenario(path, &error);
  for (int i = 0; (warning = ap_run_warning(*run, i, &line)); i++) cli_warn(path, line, warning);
  return CLI_OK;
}

static int make_model(cli_model *model) {
  ap_error error = {0};
  if (ap_robot_mechanism(model->robot)) {
    error.status = ap_mechanism_make(model->robot, &model->mechanism, &error);
    if (error.status == AP_OK) model->model = ap_mechanism_tree(model->mechanism);
  } else {
    error.status = ap_robot_model(model->robot, &model->own, &error);
    model->model = model->own;
  }
  return error.status == AP_OK ? CLI_OK : cli_fail_input(model->path, &error);
}

int cli_read_model(const char *argument, const cli_arguments *arguments, cli_model *model) {
  const ap_read_options options = {
      .floating = cli_option_value(arguments, "--floating") != NULL,
      .ignore_mimic = cli_option_value(arguments, "--ignore-mimic") != NULL,
      .ignore_loops = cli_option_value(arguments, "--ignore-loops") != NULL};
  *model = (cli_model){.path = argument};
  return load_robot(argument, &options, model);
}

int cli_make_model(const cli_arguments *arguments, cli_model *model) {
  int status = reduce(arguments, model);
  if (status == CLI_OK) status = make_model(model);
  if (status != CLI_OK) ap_robot_free(model->robot);
  return status;
}

int cli_load_any(const char *argument, const cli_arguments *arguments, cli_model *model) {
  const int status = cli_read_model(argument, arguments, model);
  return status == CLI_OK ? cli_make_model(arguments, model) : status;
}

static int refuse_mechanism(const char *argument, cli_model *model) {
  cli_unload(model);
  return cli_fail(CLI_BAD, argument, 0,
                  "a mechanism with closed chains is not possible here: what is compared, "
                  "timed, excited or identified is a tree (--ignore-loops opens the chains; "
                  "appell eval, info, simulate, generate and convert take a mechanism)");
}

int cli_load_open(const char *argument, cli_model *model) {
  const ap_read_options options = {.ignore_mimic = true, .ignore_loops = true};
  *model = (cli_model){.path = argument};
  int status = load_robot(argument, &options, model);
  if (status != CLI_OK) return status;
  status = make_model(model);
  if (status == CLI_OK && model->mechanism)
    status = refuse_mechanism(argument, model);
  else if (status != CLI_OK)
    ap_robot_free(model->robot);
  return status;
}

int cli_load(const char *argument, const cli_arguments *arguments, cli_model *model) {
  int status = cli_load_any(argument, arguments, model);
  return status == CLI_OK && model->mechanism ? refuse_mechanism(argument, model) : status;
}

void cli_unload(cli_model *model) {
  ap_model_free(model->own);
  ap_mechanism_free(model->mechanism);
  ap_robot_free(model->robot);
}

static void print_warning(void *context, const ap_warning *warning) {
  const cli_model *model = context;
  if (warning->is_gyration || (warning->is_remark && model->about)) return;
  cli_warn(model->path, warning->line, warning->text);
}

void cli_print_warnings(const cli_model *model) {
  cli_model copy = *model;
  ap_visit_warnings(model->robot, model->model, print_warning, &copy);
}

static void warn_of_loss(void *context, const char *text) {
  const char *const *path = context;
  cli_warn(*path, 0, text);
}

int cli_write_robot(const ap_robot *robot, const char *path) {
  ap_error error = {0};
  error.status = ap_robot_write(robot, path, &error);
  if (error.status != AP_OK) return cli_fail_output(path, &error);
  ap_robot_visit_losses(robot, path, warn_of_loss, &path, &error);
  return CLI_OK;
}

const char *cli_joint_name(const ap_model *m, int i) {
  const ap_body_def *body = ap_body(m, i);
  return body->joint_name ? body->joint_name : body->name;
}
