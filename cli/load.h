// SPDX-License-Identifier: Apache-2.0
/// @file load.h
/// The MODEL argument: a robot file or the name of a built-in robot or mechanism. And a robot that
/// is written.

#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include <appell/file.h>
#include <appell/loop.h>
#include <appell/run.h>

#include "ui/options.h"

/// A robot with its model, or a mechanism with closed chains.
typedef struct cli_model {
  const char *path;  ///< the argument: for messages
  const char *about; ///< the line about a built-in robot; NULL for a file
  ap_robot *robot;
  const ap_model *model;   ///< of the robot, or of the mechanism's tree
  ap_model *own;           ///< the same; NULL for a mechanism's tree
  ap_mechanism *mechanism; ///< NULL: a tree
} cli_model;

/// Load a model as the options --floating, --ignore-mimic, --ignore-loops, --lock, --root and --tip
/// of the verb want it; reports what is wrong and returns a status other than CLI_OK, and then
/// there is nothing to unload. A mechanism is wrong here.
int cli_load(const char *argument, const cli_arguments *arguments, cli_model *model);
/// The same for a verb that can do something with a mechanism.
int cli_load_any(const char *argument, const cli_arguments *arguments, cli_model *model);
/// The two steps of that: the robot as its file has it (then ap_robot_free() alone unloads it), and
/// what --lock, --root and --tip leave of it with its model.
int cli_read_model(const char *argument, const cli_arguments *arguments, cli_model *model);
int cli_make_model(const cli_arguments *arguments, cli_model *model);
/// Load a model without any options, every joint of it independent.
int cli_load_open(const char *argument, cli_model *model);
/// Whether --lock, --root or --tip is given.
bool cli_is_reduced(const cli_arguments *arguments);
void cli_unload(cli_model *model);

/// Print on standard error what someone who computes with this model has to know: the warnings, and
/// for a file also the remarks, except the one about radii of gyration, which is for `info`. The
/// built-in robots are what the papers print, flaws included: no remarks on them here.
void cli_print_warnings(const cli_model *model);

/// Open the run of the scenario that is the first argument, as these three options want it, and
/// print its warnings. Reports what is wrong and returns a status other than CLI_OK.
int cli_open_run(const cli_arguments *arguments, ap_run_options options, ap_run **run);

/// Write a robot to a file by its name's ending, as ap_robot_write() does, and warn of what URDF
/// loses. Reports what is wrong and returns a status other than CLI_OK.
int cli_write_robot(const ap_robot *robot, const char *path);

/// Name of the joint that carries body i.
const char *cli_joint_name(const ap_model *m, int i);

#endif
