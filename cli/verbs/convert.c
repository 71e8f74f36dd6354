// SPDX-License-Identifier: Apache-2.0
#include "load.h"
#include "ui/output.h"
#include "verbs.h"

enum { FLOATING, IGNORE_MIMIC };

static const cli_option options[] = {[FLOATING] = CLI_OPTION_FLOATING,
                                     [IGNORE_MIMIC] = CLI_OPTION_IGNORE_MIMIC,
                                     CLI_OPTIONS_REDUCE,
                                     {0}};

static const char text[] =
    "MODEL is a robot file or a built-in model; ROBOT is a file whose ending says what is\n"
    "written (.urdf, .xml; .yaml, .yml). The dynamics stay the same; what its format cannot\n"
    "say is an error, and then nothing is written; but static friction, which URDF cannot say,\n"
    "is left out with a warning. A mechanism with closed chains can be written to YAML only.\n";

static int run(const cli_arguments *arguments) {
  const char *target = arguments->argument[1];
  cli_model model;
  int status = cli_load_any(arguments->argument[0], arguments, &model);
  if (status != CLI_OK) return status;
  cli_print_warnings(&model);
  status = cli_check_target(target);
  if (status == CLI_OK) status = cli_write_robot(model.robot, target);
  cli_unload(&model);
  return status;
}

const cli_verb cli_convert = {.name = "convert",
                              .arguments = "MODEL ROBOT",
                              .about = "Write a model to a robot file.",
                              .text = text,
                              .example =
                                  "  appell convert robot.urdf robot.yaml\n"
                                  "  appell convert puma600 puma600.urdf\n",
                              .options = options,
                              .least = 2,
                              .most = 2,
                              .run = run};
