// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "ui/completion.h"
#include "ui/wrap.h"
#include "verbs.h"

enum { COMPLETION };

static const cli_option options[] = {
    [COMPLETION] = {"--completion", "SHELL", "a script that completes the command line: bash"},
    {0}};

static const char text[] =
    "Without VERB, what all verbs do; 'appell --help' is the same. The script for bash is\n"
    "installed with the command; 'source <(appell help --completion bash)' loads it at once.\n";

static int print_all(cli_out *out) {
  cli_out_printf(out, "appell %s: dynamics of robots by the Gibbs-Appell equations\n\n",
                 ap_version());
  cli_out_printf(out, "usage: appell VERB ARGUMENTS [options]\n\n");
  for (int k = 0; cli_verb_at(k); k++) {
    char left[64], lead[80];
    snprintf(left, sizeof left, "%s %s", cli_verb_at(k)->name, cli_verb_at(k)->arguments);
    snprintf(lead, sizeof lead, "  %-25s ", left);
    cli_wrap(out, cli_help_width(), lead, cli_verb_at(k)->about);
  }
  cli_out_printf(out, "\n");
  cli_wrap_text(out, cli_help_width(),
                "'appell help VERB' shows a verb's options and an example, 'appell --version' the "
                "version.\n");
  return CLI_OK;
}

static int print_completion(cli_out *out) {
  cli_completion_bash(out);
  return CLI_OK;
}

static int complete(const cli_arguments *arguments) {
  const char *shell = arguments->value[COMPLETION];
  if (arguments->count > 0)
    return cli_usage("help", "--completion is for all verbs; leave '%s' out",
                     arguments->argument[0]);
  if (strcmp(shell, "bash") != 0)
    return cli_usage("help", "there is no completion for '%s', only for bash", shell);
  return cli_out_print(print_completion);
}

static int run(const cli_arguments *arguments) {
  if (arguments->value[COMPLETION]) return complete(arguments);
  if (arguments->count == 0) return cli_out_print(print_all);
  const cli_verb *verb = cli_find_verb(arguments->argument[0]);
  return verb ? cli_verb_help(verb) : cli_unknown_verb(arguments->argument[0]);
}

const cli_verb cli_help = {.name = "help",
                           .arguments = "[VERB]",
                           .about = "Show a verb's options and an example.",
                           .text = text,
                           .example =
                               "  appell help eval\n"
                               "  source <(appell help --completion bash)\n",
                           .options = options,
                           .most = 1,
                           .run = run};
