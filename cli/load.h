/// @file load.h
/// The MODEL argument: a robot file or the name of a built-in robot.

#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include <appell/file.h>
#include <appell/model.h>

#include "report.h"

/// A robot with its model.
typedef struct cli_model {
  const char *path;  ///< the argument: for messages
  const char *about; ///< the line about a built-in robot; NULL for a file
  ap_robot *robot;
  ap_model *model;
} cli_model;

/// Load a model; reports what is wrong and returns a status other than CLI_OK, and then there is
/// nothing to unload.
int cli_load(const char *argument, const ap_read_options *options, cli_model *model);
void cli_unload(cli_model *model);

/// Visit the warnings of the file, then the remarks on the model, once each. line is 0 where it is
/// not known.
typedef void cli_visit(void *context, int line, const char *text);
void cli_visit_warnings(const cli_model *model, cli_visit *visit, void *context);
/// Print on standard error what someone who computes with this model has to know: the warnings, and
/// for a file also the remarks, except the one about radii of gyration, which is for `info`. The
/// built-in robots are what the papers print, flaws included: no remarks on them here.
void cli_print_warnings(const cli_model *model);

/// Name of the joint that carries body i, and its type as URDF calls it.
const char *cli_joint_name(const ap_model *m, int i);
const char *cli_joint_type(const ap_model *m, int i);

#endif
