// SPDX-License-Identifier: Apache-2.0
#include <appell/base.h>
#include <string.h>

#include "isa_builds.h"
#include "ui/output.h"
#include "verbs.h"

static int print_version(cli_out *out) {
  cli_out_printf(out, "appell %s\n", ap_version());
  return CLI_OK;
}

static int run_verb(const cli_verb *verb, int argc, char **argv) {
  cli_arguments arguments;
  int status = cli_parse(verb, argc, argv, &arguments);
  if (status != CLI_OK) return status;
  return arguments.help ? cli_verb_help(verb) : verb->run(&arguments);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

// Whether this processor has the instructions of the only build there is (APPELL_ISA of CMake).
static bool runs_here(void) {
#ifdef AP_RUNS_HERE
  __builtin_cpu_init();
  return AP_RUNS_HERE;
#else
  return true;
#endif
}

int main(int argc, char **argv) {
  cli_out_prepare();
  if (!runs_here())
    return cli_fail(CLI_FAILED, NULL, 0,
                    "this command was built for another processor: build it here, by 'make'");
  if (argc < 2) return run_verb(&cli_help, 0, argv);
  const char *word = argv[1];
  const bool help = is_one_of(word, "--help", "-h", "-?");
  const cli_verb *verb = help ? &cli_help : cli_find_verb(word);
  if (verb) return run_verb(verb, argc - 2, argv + 2);
  if (!is_one_of(word, "--version", "-v", "-V")) return cli_unknown_verb(word);
  if (argc > 2) return cli_usage(NULL, "'%s' is one argument too many", argv[argc - 1]);
  return cli_out_print(print_version);
}
