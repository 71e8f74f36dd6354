// SPDX-License-Identifier: Apache-2.0
#include "ui/options.h"

#include <string.h>

#include "ui/output.h"
#include "ui/wrap.h"

enum { LEFT_WIDTH = 22 }; // of names in the help

// The option that word names: all of it, up to '=' for a long one, its first two characters for a
// letter. *value: what is attached to it, or NULL.
static int find_option(const cli_option *options, const char *word, const char **value) {
  const bool is_long = word[1] == '-';
  const char *equals = is_long ? strchr(word, '=') : NULL;
  const size_t length = is_long ? (equals ? (size_t)(equals - word) : strlen(word)) : 2;
  *value = equals ? equals + 1 : NULL;
  if (!is_long && word[2]) *value = word + 2;
  for (int k = 0; options[k].name; k++)
    if (strlen(options[k].name) == length && strncmp(options[k].name, word, length) == 0) return k;
  return -1;
}

const char *cli_option_value(const cli_arguments *arguments, const char *name) {
  const char *attached;
  const int k = find_option(arguments->verb->options, name, &attached);
  return k < 0 ? NULL : arguments->value[k];
}

const char *cli_option_again(const cli_arguments *arguments, int k, int n) {
  if (n == 0) return arguments->value[k];
  for (int i = 0; i < arguments->repeats; i++)
    if (arguments->again[i].option == k && --n == 0) return arguments->again[i].value;
  return NULL;
}

// -o has no long name, but other programs' has.
static bool means_output(const cli_verb *verb, const char *name) {
  const char *attached;
  return find_option(verb->options, "-o", &attached) >= 0 &&
         (strcmp(name, "--output") == 0 || strcmp(name, "--out") == 0);
}

static int unknown_option(const cli_verb *verb, const char *word) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  cli_nearest nearest = {.word = name};
  if (name[1] == '-') {
    for (int k = 0; verb->options[k].name; k++) cli_nearest_offer(&nearest, verb->options[k].name);
    cli_nearest_offer(&nearest, "--help");
  }
  const char *near = means_output(verb, name) ? "-o" : cli_nearest_name(&nearest);
  if (near) return cli_usage(verb->name, "unknown option '%s'; did you mean '%s'?", name, near);
  return cli_usage(verb->name, "unknown option '%s'", name);
}

// Whether value is one of the words between the bars of choices, "f32|f64".
static int check_choice(const cli_verb *verb, const cli_option *option, const char *value) {
  char words[128], *rest = NULL;
  cli_choice choice = {.nearest = {.word = value}};
  snprintf(words, sizeof words, "%s", option->value);
  for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
    if (strcmp(word, value) == 0) return CLI_OK;
    cli_choice_offer(&choice, word);
  }
  char what[64];
  snprintf(what, sizeof what, "value of option %s", option->name);
  return cli_unknown(verb->name, what, &choice);
}

// Take the option at argv[*i], and its value from there or from the next word.
static int take_option(const cli_verb *verb, int argc, char **argv, int *i, cli_arguments *got) {
  const char *value;
  const int k = find_option(verb->options, argv[*i], &value);
  if (k < 0) return unknown_option(verb, argv[*i]);
  const cli_option *option = &verb->options[k];
  if (got->value[k] && !(option->value && strchr(option->value, '=')))
    return cli_usage(verb->name, "option %s is given twice", option->name);
  if (!option->value) {
    if (value) return cli_usage(verb->name, "option %s takes no value", option->name);
    got->value[k] = option->name;
    return CLI_OK;
  }
  if (!value) {
    if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
      return cli_usage(verb->name, "option %s needs a value, %s", option->name, option->value);
    value = argv[++*i];
  }
  if (!value[0])
    return cli_usage(verb->name, "option %s has an empty value instead of %s", option->name,
                     option->value);
  if (strchr(option->value, ',') && !strchr(value, ','))
    return cli_usage(verb->name, "option %s needs %s in one word with commas", option->name,
                     option->value);
  if (!got->value[k]) {
    got->value[k] = value;
  } else if (got->repeats < CLI_MAX_REPEATS) {
    got->again[got->repeats].option = k;
    got->again[got->repeats++].value = value;
  } else {
    return cli_usage(verb->name, "option %s is given more than %d times", option->name,
                     CLI_MAX_REPEATS);
  }
  return strchr(option->value, '|') ? check_choice(verb, option, value) : CLI_OK;
}

static int check_count(const cli_verb *verb, const cli_arguments *got) {
  if (got->count > verb->most)
    return cli_usage(verb->name, "'%s' is one argument too many", got->argument[verb->most]);
  if (got->count < verb->least)
    return cli_usage(verb->name, "arguments are missing, '%s %s' is needed", verb->name,
                     verb->arguments);
  return CLI_OK;
}

static bool ends_in(const char *name, const char *ending) {
  const size_t n = strlen(name), m = strlen(ending);
  return n > m && strcmp(name + n - m, ending) == 0;
}

static bool is_picture(const char *name) {
  static const char *const pictures[] = {".png", ".svg", ".pdf", ".jpg", ".jpeg", ".gif", ".eps"};
  for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
    if (ends_in(name, pictures[i])) return true;
  return false;
}

// A name that asks for a picture where none is made: a file or a folder, or another format than
// SVG.
static int check_picture(const cli_verb *verb, const cli_arguments *arguments) {
  for (int k = 0; verb->options[k].name; k++) {
    const char *value = arguments->value[k], *what = verb->options[k].value;
    if (!value || !what) continue;
    if (ends_in(what, ".svg") && !ends_in(value, ".svg"))
      return cli_fail(CLI_BAD, value, 0, "figures are written as SVG (a name that ends in .svg)");
    if (!is_picture(value)) continue;
    if (strcmp(what, "DIR") == 0)
      return cli_fail(CLI_BAD, value, 0, "%s names a folder, not a picture (a name without ending)",
                      verb->options[k].name);
    if (strcmp(verb->options[k].name, "-o") == 0)
      return cli_fail(CLI_BAD, value, 0, "'%s' writes no picture (-o %s: %s)", verb->name, what,
                      verb->options[k].help);
  }
  return CLI_OK;
}

// What is read is never what is written: a slip would cost the input.
static int check_output(const cli_verb *verb, const cli_arguments *arguments) {
  const char *attached;
  const int k = find_option(verb->options, "-o", &attached);
  const char *output = cli_option_value(arguments, "-o");
  for (int i = 0; output && i < CLI_MAX_OPTIONS + arguments->count; i++) {
    const char *read =
        i < CLI_MAX_OPTIONS ? arguments->value[i] : arguments->argument[i - CLI_MAX_OPTIONS];
    const bool filtered = verb->filter && i == CLI_MAX_OPTIONS + arguments->count - 1;
    if (i != k && !filtered && read && cli_same_file(output, read))
      return cli_fail(CLI_BAD, output, 0, "would overwrite '%s', which is read (another name)",
                      read);
  }
  return CLI_OK;
}

int cli_parse(const cli_verb *verb, int argc, char **argv, cli_arguments *arguments) {
  *arguments = (cli_arguments){.verb = verb, .argument = argv};
  bool options = true;
  for (int i = 0; i < argc; i++) {
    char *word = argv[i];
    if (!options || word[0] != '-' || !word[1]) {
      argv[arguments->count++] = word; // never ahead of i: words still to be read stay in place
    } else if (strcmp(word, "--") == 0) {
      options = false;
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
      arguments->help = true;
      return CLI_OK;
    } else {
      int status = take_option(verb, argc, argv, &i, arguments);
      if (status != CLI_OK) return status;
    }
  }
  int status = check_count(verb, arguments);
  if (status == CLI_OK) status = check_picture(verb, arguments);
  return status == CLI_OK ? check_output(verb, arguments) : status;
}

static void print_option(cli_out *out, const char *name, const char *value, const char *help) {
  char left[64], lead[80];
  const int n = snprintf(left, sizeof left, "%s%s%s", name, value ? " " : "", value ? value : "");
  if (n > LEFT_WIDTH) cli_out_printf(out, "  %s\n", left);
  snprintf(lead, sizeof lead, "  %-*s ", LEFT_WIDTH, n > LEFT_WIDTH ? "" : left);
  cli_wrap(out, cli_help_width(), lead, help);
}

int cli_verb_help(const cli_verb *verb) {
  cli_out out;
  int status = cli_out_open(&out, NULL);
  if (status != CLI_OK) return status;
  const bool bold = cli_colour(stdout);
  const char *on = bold ? "\033[1m" : "", *off = bold ? "\033[0m" : "";
  cli_out_printf(&out, "%susage:%s appell %s%s%s [options]\n\n%s\n", on, off, verb->name,
                 verb->arguments[0] ? " " : "", verb->arguments, verb->about);
  if (verb->text) cli_out_printf(&out, "\n");
  if (verb->text) cli_wrap_text(&out, cli_help_width(), verb->text);
  cli_out_printf(&out, "\n%soptions:%s\n", on, off);
  for (const cli_option *o = verb->options; o->name; o++)
    print_option(&out, o->name, o->value, o->help);
  print_option(&out, "--help", NULL, "this text");
  cli_out_printf(&out, "\n%sexample:%s\n%s", on, off, verb->example);
  return cli_out_close(&out, CLI_OK);
}
