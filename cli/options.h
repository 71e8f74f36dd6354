/// @file options.h
/// The options of all verbs, from one table per verb: parsing and `--help` cannot drift apart.
///
/// `--name value`, `--name=value`, `-o value` and `-ovalue`, before or after the arguments; `--`
/// ends the options; a lone `-` is an argument. A value may begin with one '-' (a negative number)
/// but not with two.

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

#include "report.h"

enum { CLI_MAX_OPTIONS = 12 };

/// One option. A table of options ends with {0}.
typedef struct cli_option {
  const char *name;  ///< with its dashes: "--method", "-o"
  const char *value; ///< what its value is called in the help; NULL for a switch
  const char *help;  ///< one line
} cli_option;

/// What was on the command line behind the verb.
typedef struct cli_arguments {
  const char *value[CLI_MAX_OPTIONS]; ///< by the option's place in the table; NULL: not given
  char **argument;                    ///< the arguments in their order
  int count;                          ///< how many there are
  bool help;                          ///< --help was given; the rest is not to be used
} cli_arguments;

/// One verb of the command.
typedef struct cli_verb {
  const char *name;
  const char *arguments; ///< as in the help: "QUANTITY MODEL FILE"
  const char *about;     ///< one line
  const char *text;      ///< what its help says besides; may be NULL
  const char *example;   ///< one or more lines
  const cli_option *options;
  int least, most; ///< number of arguments
  int (*run)(const cli_arguments *arguments);
} cli_verb;

/// Sort argv[0 .. argc-1], what follows the verb, into *arguments; argv is rearranged. Reports what
/// is wrong and returns CLI_BAD, or CLI_OK.
int cli_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *arguments);
/// Print the help of a verb to standard output; returns the exit status.
int cli_help(const cli_verb *verb);

#endif
