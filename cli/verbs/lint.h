// SPDX-License-Identifier: Apache-2.0
/// @file lint.h
/// Findings of the model doctor as SARIF, for systems that show them beside the lines of a file.

#ifndef CLI_LINT_H
#define CLI_LINT_H

#include <appell/lint.h>

#include "ui/output.h"

/// One SARIF 2.1.0 document. file is the argument as given; it is a robot file's name, or that of a
/// built-in robot, which has no lines. With strict, warnings are errors.
void cli_lint_sarif(cli_out *out, const ap_lint *found, const char *file, bool builtin,
                    bool strict);
/// The severity that counts.
ap_severity cli_lint_severity(const ap_finding *finding, bool strict);

#endif
