// SPDX-License-Identifier: Apache-2.0
// A page of the manual against the table of keys that a reader follows.

#ifndef AP_TESTS_MANUAL_H
#define AP_TESTS_MANUAL_H

#include "file/yaml_map.h"
#include "robot_files.h"

// The row of a key as the page has it.
static inline void manual_row(const ap__yaml_key *k, char *row, size_t size) {
  char type[400];
  switch (k->kind) {
    case AP__YAML_VERSION: snprintf(type, sizeof type, "number"); break;
    case AP__YAML_TEXT: snprintf(type, sizeof type, "text"); break;
    case AP__YAML_TEXTS: snprintf(type, sizeof type, "list of texts"); break;
    case AP__YAML_LIMIT: snprintf(type, sizeof type, "number or `none`"); break;
    case AP__YAML_CHOICE: snprintf(type, sizeof type, "one of: %s", k->of); break;
    case AP__YAML_MAP: snprintf(type, sizeof type, "map [%s](#%s)", k->of, k->of); break;
    case AP__YAML_LIST: snprintf(type, sizeof type, "list of [%s](#%s)", k->of, k->of); break;
    case AP__YAML_ANY: snprintf(type, sizeof type, "%s", k->of); break;
    case AP__YAML_NUMBERS:
      snprintf(type, sizeof type, k->count == 1 ? "number" : "%d numbers", k->count);
      break;
  }
  snprintf(row, size, "| `%s` | %s | %s | %s | %s |\n", k->key, type, k->unit, k->initial,
           k->about);
}

// Every key stands under the heading of its map, and no row there is of no key.
static inline void manual_shows(const char *page, const ap__yaml_key *keys) {
  char *manual = file_text(page, NULL);
  if (!CHECK(manual)) return;
  const char *map = "", *at = manual;
  int rows = 0, shown = 0;
  for (const ap__yaml_key *k = keys; k->map; k++, rows++) {
    char heading[64], row[800];
    if (strcmp(map, k->map) != 0) {
      map = k->map;
      snprintf(heading, sizeof heading, "\n## %s\n", map);
      at = strstr(manual, heading);
      if (!CHECK_HAS(manual, heading)) break;
    }
    manual_row(k, row, sizeof row);
    const char *end = strstr(at + 1, "\n## "), *found = strstr(at, row);
    if (!CHECK(found && (!end || found < end))) printf("%s", row);
  }
  for (const char *row = manual; (row = strstr(row, "\n| `")); row++) shown++;
  CHECK_EQ_INT(shown, rows);
  free(manual);
}

#endif
