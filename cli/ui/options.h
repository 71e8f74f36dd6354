// SPDX-License-Identifier: Apache-2.0
/// @file options.h
/// The options of all verbs, from one table per verb: parsing, `--help` and the completion of
/// shells cannot drift apart.
///
/// `--name value`, `--name=value`, `-o value` and `-ovalue`, before or after the arguments; `--`
/// ends the options; a lone `-` is an argument. A value may begin with one '-' (a negative number)
/// but not with two. Where the value is called "f32|f64", it is one of these; an option whose value
/// is called "NAME=VALUE" may be given more than once.

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

#include "ui/message.h"

enum { CLI_MAX_OPTIONS = 40, CLI_MAX_REPEATS = 16 };

/// One option. A table of options ends with {0}.
typedef struct cli_option {
  const char *name;  ///< with its dashes: "--method", "-o"
  const char *value; ///< its value as in the help, a word of words.h; NULL for a switch
  const char *help;  ///< one line
} cli_option;

/// Options that several verbs have: the same name, value and words everywhere.
#define CLI_OPTION_JSON \
  { "--json", NULL, "one JSON document" }
#define CLI_OPTION_FLOATING \
  { "--floating", NULL, "give the robot a free base" }
#define CLI_OPTION_IGNORE_MIMIC \
  { "--ignore-mimic", NULL, "make mimic joints independent" }
#define CLI_OPTION_IGNORE_LOOPS \
  { "--ignore-loops", NULL, "leave closed chains open" }
/// Three rows, the last of a table: which joints of the model stay.
#define CLI_OPTIONS_REDUCE                                                               \
  {"--lock", "JOINTS", "fix joints: NAME=VALUE with commas between, 0 without a value"}, \
      {"--root", "LINK", "fix this link to the ground; keep only what it carries"}, {    \
    "--tip", "LINK", "lock every joint that does not move this link"                     \
  }
#define CLI_OPTION_GRAVITY \
  { "--gravity", "X,Y,Z", "m/s2; the model's own if not given" }
#define CLI_OPTION_FRICTION \
  { "--friction", NULL, "with friction, damping, springs and rotor inertia" }
#define CLI_OPTION_SUMMARY_JSON \
  { "--json", NULL, "the summary as one JSON document" }
#define CLI_OPTION_QUIET \
  { "--quiet", NULL, "no summary and no progress" }

/// What was on the command line behind the verb.
typedef struct cli_arguments {
  const struct cli_verb *verb;        ///< which it was
  const char *value[CLI_MAX_OPTIONS]; ///< by the option's place in the table; NULL: not given
  char **argument;                    ///< the arguments in their order
  int count;                          ///< how many there are
  bool help;                          ///< --help was given; the rest is not to be used
  struct {
    int option;
    const char *value;
  } again[CLI_MAX_REPEATS]; ///< of options that repeat, what is given behind the first
  int repeats;
} cli_arguments;

/// One verb of the command.
typedef struct cli_verb {
  const char *name;
  const char *arguments; ///< as in the help: "QUANTITY MODEL FILE", words of words.h
  const char *about;     ///< one line
  const char *text;      ///< what its help says besides; may be NULL
  const char *example;   ///< one or more lines
  const cli_option *options;
  int least, most; ///< number of arguments
  int (*run)(const cli_arguments *arguments);
  bool filter; ///< -o may be the last argument too, whose lines become those of the output
} cli_verb;

/// Sort argv[0 .. argc-1], what follows the verb, into *arguments; argv is rearranged. Reports what
/// is wrong and returns CLI_BAD, or CLI_OK.
int cli_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *arguments);
/// The value of the option of that name; NULL: not given, or the verb has none such.
const char *cli_option_value(const cli_arguments *arguments, const char *name);
/// The value that option k was given for the n-th time, from 0; NULL: it was given less often.
const char *cli_option_again(const cli_arguments *arguments, int k, int n);
/// Print the help of a verb to standard output; returns the exit status.
int cli_verb_help(const cli_verb *verb);

#endif
