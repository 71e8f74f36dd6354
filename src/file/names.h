// SPDX-License-Identifier: Apache-2.0
// An index from names to numbers: files may have many thousand links. A lookup among n names takes
// at most 2 log2 n comparisons.

#ifndef AP_FILE_NAMES_H
#define AP_FILE_NAMES_H

#include <stdbool.h>

#include "base/spelling.h"

// Borrows the names: they must outlive it. All zero is a valid empty index.
typedef struct ap__names {
  struct ap__name_node *node; // [room + 1], the first unused
  int root, n, room;
} ap__names;

// Make room for count names, not more. False: no memory.
bool ap__names_init(ap__names *names, int count);
void ap__names_free(ap__names *names);
// The number stored under a name, -1 where there is none.
int ap__names_find(const ap__names *names, const char *name);
// Store number under name. Returns -1, or the number that was there already (and stays).
int ap__names_put(ap__names *names, const char *name, int number);

// Does a list of words, with blanks between, have this one?
bool ap__has_word(const char *list, const char *word);

#endif
