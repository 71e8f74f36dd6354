// SPDX-License-Identifier: Apache-2.0
/// @file generate.h
/// What `appell generate` writes besides source files.

#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include <appell/codegen.h>

#include "verbs.h"

/// An FMU of a model or of a scenario, written to the file path; options as for source files.
int cli_generate_fmu(const cli_arguments *arguments, const ap_generate_options *options,
                     const char *path);

#endif
