#include <appell/base.h>
#include <string.h>

#include "output.h"
#include "verbs.h"

static const cli_verb *const verbs[] = {&cli_eval,     &cli_info,     &cli_models,    &cli_methods,
                                        &cli_compare,  &cli_simulate, &cli_reproduce, &cli_convert,
                                        &cli_generate, &cli_excite,   &cli_identify,  &cli_control,
                                        &cli_report,   &cli_bench};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int print_help(void) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  cli_out_printf(&out, "appell %s: dynamics of robots by the Gibbs-Appell equations\n\n",
                 ap_version());
  for (int k = 0; k < VERBS; k++) {
    char left[64];
    snprintf(left, sizeof left, "%s %s", verbs[k]->name, verbs[k]->arguments);
    cli_out_printf(&out, "  appell %-26s %s\n", left, verbs[k]->about);
  }
  cli_out_printf(&out,
                 "\n'appell help VERB' shows a verb's options and an example, 'appell --version' "
                 "the version.\n");
  return cli_out_close(&out, CLI_OK);
}

static int print_version(void) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  cli_out_printf(&out, "appell %s\n", ap_version());
  return cli_out_close(&out, CLI_OK);
}

static int run_verb(const cli_verb *verb, int argc, char **argv) {
  cli_arguments arguments;
  int status = cli_parse(verb, argc, argv, &arguments);
  if (status != CLI_OK) return status;
  return arguments.help ? cli_help(verb) : verb->run(&arguments);
}

static int unknown_verb(const char *word) {
  if (word[0] == '-') return cli_usage(NULL, "unknown option '%s'; a verb comes first", word);
  cli_nearest nearest = {.word = word};
  for (int k = 0; k < VERBS; k++) cli_nearest_offer(&nearest, verbs[k]->name);
  const char *near = cli_nearest_name(&nearest);
  if (near) return cli_usage(NULL, "unknown verb '%s'; did you mean '%s'?", word, near);
  return cli_usage(NULL, "unknown verb '%s'", word);
}

static const cli_verb *find_verb(const char *word) {
  for (int k = 0; k < VERBS; k++) {
    if (strcmp(word, verbs[k]->name) == 0) return verbs[k];
  }
  return NULL;
}

// `appell help VERB`
static int help_verb(const char *word) {
  const cli_verb *verb = find_verb(word);
  return verb ? cli_help(verb) : unknown_verb(word);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv) {
  cli_out_prepare();
  if (argc < 2) return print_help();
  const char *word = argv[1];
  const cli_verb *verb = find_verb(word);
  if (verb) return run_verb(verb, argc - 2, argv + 2);
  const bool help = is_one_of(word, "help", "--help", "-h");
  if (!help && !is_one_of(word, "--version", "-v", "-V")) return unknown_verb(word);
  if (help && argc == 3) return help_verb(argv[2]);
  if (argc > 2) return cli_usage(NULL, "'%s' is one argument too many", argv[argc - 1]);
  return help ? print_help() : print_version();
}
