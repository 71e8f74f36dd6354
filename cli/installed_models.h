// SPDX-License-Identifier: Apache-2.0
/// @file installed_models.h
/// Where the models and scenarios lie that were installed with the command.

#ifndef CLI_INSTALLED_MODELS_H
#define CLI_INSTALLED_MODELS_H

#include "ui/message.h"

/// Report a file that is not there; where one of that name was installed with the command (`ball`,
/// `ball.yaml`, `models/ball.yaml`), with its place. Returns CLI_BAD.
int cli_fail_absent(const char *file);
/// As cli_fail_input(), of a scenario; one that is not there as by cli_fail_absent().
int cli_fail_scenario(const char *file, const ap_error *error);

#endif
