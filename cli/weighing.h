// SPDX-License-Identifier: Apache-2.0
/// @file weighing.h
/// Inertias from shapes, for `convert --inertia-from-mesh` and `lint --fix`: what was found, as a
/// table and as JSON.

#ifndef CLI_WEIGHING_H
#define CLI_WEIGHING_H

#include <appell/json.h>
#include <appell/weigh.h>

#include "ui/output.h"

/// Weigh the links of a robot, as ap_weigh() does, and warn of what is doubtful or could not be
/// done. Reports what is wrong and returns a status other than CLI_OK.
int cli_weigh(ap_robot *robot, const char *path, const ap_weigh_options *options,
              ap_weighing **weighing);
/// The same by ap_weigh_file(). A file that is no XML gets a warning; *weighing is NULL then.
int cli_weigh_file(const char *path, const ap_weigh_options *options, ap_weighing **weighing);
/// Each link that was done in two rows: the file's mass, centre of mass and principal moments, and
/// those of the shapes. Says so where there is none.
int cli_weighing_print(const ap_weighing *weighing, cli_out *out);
/// The same as a list.
void cli_weighing_json(ap_json *json, const char *name, const ap_weighing *weighing);

#endif
