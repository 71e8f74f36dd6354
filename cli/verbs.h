// SPDX-License-Identifier: Apache-2.0
/// @file verbs.h
/// The verbs of the command: help, completion and suggestions follow from this list and from what
/// each verb says of itself.

#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "ui/options.h"

/// One row for each verb, in the order of the help: X(NAME) stands for the cli_verb `cli_NAME`.
#define CLI_VERB_LIST(X) \
  X(eval)                \
  X(info)                \
  X(lint)                \
  X(models)              \
  X(methods)             \
  X(compare)             \
  X(simulate)            \
  X(reproduce)           \
  X(convert)             \
  X(generate)            \
  X(excite)              \
  X(identify)            \
  X(plan)                \
  X(control)             \
  X(report)              \
  X(view)                \
  X(sweep)               \
  X(bench)               \
  X(help)

#define CLI_DECLARE_VERB(name) extern const cli_verb cli_##name;
CLI_VERB_LIST(CLI_DECLARE_VERB)
#undef CLI_DECLARE_VERB

/// Verb k of the list; NULL behind the last.
const cli_verb *cli_verb_at(int k);
/// The verb of that name; NULL: none.
const cli_verb *cli_find_verb(const char *name);
/// Report that there is no such verb, and which is nearest; returns CLI_BAD.
int cli_unknown_verb(const char *name);

#endif
