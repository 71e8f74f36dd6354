// SPDX-License-Identifier: Apache-2.0
#include "ui/words.h"

#include <appell/codegen.h>
#include <appell/file.h>
#include <appell/lint.h>
#include <appell/loop.h>
#include <appell/research.h>
#include <papers.h>
#include <stdio.h>
#include <string.h>

#include "verbs.h"

static const char *model_at(int k) {
  int robots = 0;
  while (ap_builtin_name(robots)) robots++;
  return k < robots ? ap_builtin_name(k) : ap_mechanism_builtin_name(k - robots);
}

static const char *quantity_at(int k) {
  return k <= AP_FORWARD_DERIVATIVES ? ap_quantity_name((ap_quantity)k) : NULL;
}

static const char *method_at(int k) { return ap_method_at(k) ? ap_method_at(k)->name : NULL; }

static const char *function_at(int k) {
  return k < AP_FUNCTIONS ? ap_function_name((ap_function)k) : NULL;
}

static const char *rule_at(int k) { return ap_lint_rule_at(k) ? ap_lint_rule_at(k)->id : NULL; }

static const char *paper_name_at(int k) { return paper_at(k) ? paper_at(k)->name : NULL; }

// Those of all papers, one after the other.
static const char *parameter_at(int k) {
  for (int i = 0; paper_at(i); i++) {
    const int n = paper_parameters(paper_at(i));
    if (k < n) return paper_at(i)->parameter[k].name;
    k -= n;
  }
  return NULL;
}

static const char *verb_at(int k) { return cli_verb_at(k) ? cli_verb_at(k)->name : NULL; }

static const char *shell_at(int k) { return k == 0 ? "bash" : NULL; }

static const cli_word words[] = {{"MODEL", model_at, "urdf xml yaml yml", false, NULL},
                                 {"QUANTITY", quantity_at, NULL, false, NULL},
                                 {"METHOD", method_at, NULL, false, NULL},
                                 {"FUNCTIONS", function_at, NULL, true, NULL},
                                 {"RULES", rule_at, NULL, true, NULL},
                                 {"PAPER", paper_name_at, NULL, false, NULL},
                                 {"VERB", verb_at, NULL, false, NULL},
                                 {"SHELL", shell_at, NULL, false, NULL},
                                 {"SCENARIO", NULL, "yaml yml", false, NULL},
                                 {"STUDY", NULL, "yaml yml", false, NULL},
                                 {"ROBOT", NULL, "urdf xml yaml yml", false, NULL},
                                 {"RUN", NULL, "csv h5", false, NULL},
                                 {"DATA", NULL, "csv h5", false, NULL},
                                 {"FILE", NULL, "*", false, NULL},
                                 {"DIR", NULL, "/", false, NULL},
                                 // what only the user knows
                                 {"NAME", NULL, NULL, false, NULL},
                                 {"NAME=VALUE", parameter_at, NULL, false, NULL},
                                 {"BRANCH", NULL, NULL, false, NULL},
                                 {"JOINTS", NULL, NULL, true, "joints"},
                                 {"LINK", NULL, NULL, false, "frames"},
                                 {"FRAMES", NULL, NULL, true, "frames"},
                                 {"LINKS", NULL, NULL, true, "frames"},
                                 {"DENSITY", NULL, NULL, false, NULL},
                                 {"X,Y,Z", NULL, NULL, false, NULL},
                                 {"POSE", NULL, NULL, false, NULL},
                                 {"N", NULL, NULL, false, NULL},
                                 {"I/N", NULL, NULL, false, NULL},
                                 {"T", NULL, NULL, false, NULL},
                                 {"DT", NULL, NULL, false, NULL},
                                 {"HZ", NULL, NULL, false, NULL},
                                 {"V", NULL, NULL, false, NULL},
                                 {"F", NULL, NULL, false, NULL},
                                 {"A", NULL, NULL, false, NULL},
                                 {"K", NULL, NULL, false, NULL},
                                 {"S", NULL, NULL, false, NULL},
                                 {"Z", NULL, NULL, false, NULL},
                                 {"D", NULL, NULL, false, NULL},
                                 {"BOX", NULL, NULL, false, NULL},
                                 {"PART", NULL, NULL, false, NULL},
                                 {"KG", NULL, NULL, false, NULL},
                                 {"LIST", NULL, NULL, false, NULL},
                                 {"LOAD", NULL, NULL, false, NULL},
                                 {NULL, NULL, NULL, false, NULL}};

const cli_word *cli_word_at(int k) { return &words[k]; }

bool cli_next_word(const char **rest, char *name, size_t size, bool *more) {
  const char *begin = *rest + strspn(*rest, " [");
  const size_t length = strcspn(begin, " ].");
  const char *end = begin + length;
  if (*end == '.' && end[1] != '.') end += strcspn(end, " ]"); // FILE.svg
  if (end == begin) return false;
  snprintf(name, size, "%.*s", (int)(end - begin), begin);
  *more = strncmp(end, "...", 3) == 0;
  *rest = end + strcspn(end, " ");
  return true;
}
