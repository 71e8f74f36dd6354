// SPDX-License-Identifier: Apache-2.0
// Short names for the rows of a table of keys: what a value is, with its unit.

#ifndef AP_FILE_YAML_ROWS_H
#define AP_FILE_YAML_ROWS_H

#include "file/yaml_map.h"

#define VERSION          0, AP__YAML_VERSION, 0, NULL, "", "required", "version of the format: 1"
#define NUMBER(unit)     AP__YAML_NUMBERS, 1, NULL, unit
#define NUMBERS(n, unit) AP__YAML_NUMBERS, n, NULL, unit
#define LIMIT(unit)      AP__YAML_LIMIT, 1, NULL, unit
#define TEXT             AP__YAML_TEXT, 0, NULL, ""
#define TEXTS            AP__YAML_TEXTS, 0, NULL, ""
#define CHOICE(words)    AP__YAML_CHOICE, 0, words, ""
#define FLAG             CHOICE("false true")
#define MAP(of)          AP__YAML_MAP, 0, of, ""
#define LIST(of)         AP__YAML_LIST, 0, of, ""
#define ANY(what, unit)  AP__YAML_ANY, 0, what, unit

#endif
