// SPDX-License-Identifier: Apache-2.0
// The verb `view`: a robot in a page that computes with it.

#include <appell/view.h>
#include <string.h>

#include "load.h"
#include "ui/output.h"
#include "ui/values.h"
#include "verbs.h"

enum { OUTPUT, MESHES, DATA, FLOATING, IGNORE_MIMIC, IGNORE_LOOPS };

static const cli_option options[] = {
    [OUTPUT] = {"-o", "FILE.html", "where the page goes"},
    [MESHES] = {"--meshes", "DIR", "allow meshes of this folder besides the robot's own"},
    [DATA] = {"--data", NULL, "the document in the page alone, as JSON"},
    [FLOATING] = CLI_OPTION_FLOATING,
    [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
    [IGNORE_LOOPS] = CLI_OPTION_IGNORE_LOOPS,
    CLI_OPTIONS_REDUCE,
    {0}};

static const char text[] =
    "The page is one file. It needs a browser, and neither a network nor a server. It carries\n"
    "the library: move the joints, drag a link, read the torques and what they come from, set a\n"
    "payload, see what is wrong with the file, let the robot fall and push it, compare it with\n"
    "another file. Without MODEL the page is empty: drop a robot file on it.\n"
    "docs/view.md describes it.\n";

static void warn(void *context, const char *line) { cli_warn(context, 0, line); }

static int write_view(const cli_model *model, const ap_view_options *view, const char *output) {
  cli_out out;
  ap_error error = {0};
  const int status = cli_out_open(&out, output);
  if (status != CLI_OK) return status;
  error.status = ap_view_write(model ? model->robot : NULL, view, cli_out_sink, &out, &error);
  return cli_out_close(
      &out, error.status == AP_OK ? CLI_OK : cli_fail_input(model ? model->path : NULL, &error));
}

static int view_model(const cli_arguments *arguments, ap_view_options *view) {
  const char *path = arguments->argument[0];
  cli_model model;
  const int status = cli_load_any(path, arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  view->path = model.about ? NULL : path;
  view->builtin = model.about ? path : NULL;
  view->read = (ap_read_options){.floating = arguments->value[FLOATING] != NULL,
                                 .ignore_mimic = arguments->value[IGNORE_MIMIC] != NULL,
                                 .ignore_loops = arguments->value[IGNORE_LOOPS] != NULL};
  view->changed = cli_is_reduced(arguments);
  view->context = (void *)path;
  const int done = write_view(&model, view, arguments->value[OUTPUT]);
  cli_unload(&model);
  return done;
}

static int run(const cli_arguments *arguments) {
  const char *output = arguments->value[OUTPUT];
  const bool data = arguments->value[DATA] != NULL;
  ap_view_options view = ap_default_view();
  view.meshes = arguments->value[MESHES];
  view.page = data ? NULL : ap_view_page();
  view.warn = warn;
  if (!data && !output) return cli_usage("view", "where does the page go? -o FILE.html");
  const int status = data && output ? cli_check_target(output)
                     : !data        ? cli_check_page("view", output)
                                    : CLI_OK;
  if (status != CLI_OK) return status;
  return arguments->count > 0 ? view_model(arguments, &view) : write_view(NULL, &view, output);
}

const cli_verb cli_view = {.name = "view",
                           .arguments = "[MODEL]",
                           .about = "Make a live page of a robot to move and push.",
                           .text = text,
                           .example =
                               "  appell view robot.urdf -o robot.html\n"
                               "  appell view -o drop_a_robot_here.html\n",
                           .options = options,
                           .least = 0,
                           .most = 1,
                           .run = run};
