// SPDX-License-Identifier: Apache-2.0
#include "verbs.h"

#include <string.h>

#define VERB(name) &cli_##name,
static const cli_verb *const verbs[] = {CLI_VERB_LIST(VERB) NULL};

const cli_verb *cli_verb_at(int k) { return verbs[k]; }

const cli_verb *cli_find_verb(const char *name) {
  for (int k = 0; verbs[k]; k++)
    if (strcmp(name, verbs[k]->name) == 0) return verbs[k];
  return NULL;
}

int cli_unknown_verb(const char *name) {
  if (name[0] == '-') return cli_usage(NULL, "unknown option '%s'; a verb comes first", name);
  cli_choice choice = {.nearest = {.word = name}};
  for (int k = 0; verbs[k]; k++) cli_choice_offer(&choice, verbs[k]->name);
  return cli_unknown(NULL, "verb", &choice);
}
