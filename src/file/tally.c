// SPDX-License-Identifier: Apache-2.0
#include "file/tally.h"

#include <stdio.h>
#include <string.h>

// Does a list of names, with ", " between, have this one of n bytes?
static bool has_name(const char *list, const char *name, size_t n) {
  for (const char *at = list; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
    if (strncmp(at, name, n) == 0 && (at[n] == 0 || strncmp(at + n, ", ", 2) == 0)) return true;
  return false;
}

void ap__tally_add(ap__tally *tally, int line, const char *name) {
  if (tally->count++ == 0) tally->line = line;
  size_t used = strlen(tally->names), n = (size_t)ap__shown(name);
  if (used + n + 3 > sizeof tally->names || has_name(tally->names, name, n)) return;
  if (used) memcpy(tally->names + used, ", ", 2), used += 2;
  memcpy(tally->names + used, name, n);
  tally->names[used + n] = 0;
}

bool ap__tally_warn(ap__tally *tally, const char *const *text, int n, ap_robot *robot) {
  for (;;) {
    int first = -1;
    for (int i = 0; i < n; i++)
      if (tally[i].count && (first < 0 || tally[i].line < tally[first].line)) first = i;
    if (first < 0) return true;
    ap__tally *t = &tally[first];
    char all[32] = "";
    if (t->count > 1) snprintf(all, sizeof all, " (%d in all)", t->count);
    if (!ap__robot_warn(robot, t->line, "%s: %s%s", text[first], t->names, all)) return false;
    t->count = 0;
  }
}
