/// @file verbs.h
/// The verbs of the command, each in the file of its name, `report` in page.c.

#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "options.h"

extern const cli_verb cli_eval;
extern const cli_verb cli_info;
extern const cli_verb cli_compare;
extern const cli_verb cli_reproduce;
extern const cli_verb cli_models;
extern const cli_verb cli_methods;
extern const cli_verb cli_convert;
extern const cli_verb cli_simulate;
extern const cli_verb cli_generate;
extern const cli_verb cli_excite;
extern const cli_verb cli_identify;
extern const cli_verb cli_control;
extern const cli_verb cli_report;
extern const cli_verb cli_bench;

#endif
