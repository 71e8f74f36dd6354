// SPDX-License-Identifier: Apache-2.0
// Names and maps in braces as the YAML writers compose them.

#ifndef AP_FILE_YAML_FLOW_H
#define AP_FILE_YAML_FLOW_H

#include "file/text.h"

// A name, plain where that is safe, otherwise in double quotes.
void ap__yaml_add_name(ap__text *t, const char *name);

// A map in braces behind its key, opened with its first entry.
typedef struct ap__braces {
  ap__text *t;
  const char *key;
  bool open;
} ap__braces;

// Begin the next entry: what is added then is its value.
void ap__braces_key(ap__braces *b, const char *key);
// An entry with numbers, where they differ from the default in any bit (-0 is not 0 here) or there
// is none.
void ap__braces_numbers(ap__braces *b, const char *key, const double *x, const double *initial,
                        int n);
// An entry with a name.
void ap__braces_name(ap__braces *b, const char *key, const char *name);
void ap__braces_close(ap__braces *b);

// The keys of a mechanism with closed chains (yaml_write_chains.c).
ap_status ap__yaml_write_chains(const ap_robot *robot, bool ground_taken, ap__text *t,
                                ap_error *error);

#endif
