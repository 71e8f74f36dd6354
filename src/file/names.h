// An index from names to numbers: files may have many thousand links.

#ifndef AP_FILE_NAMES_H
#define AP_FILE_NAMES_H

#include <stdbool.h>

// Borrows the names: they must outlive it. All zero is a valid empty index.
typedef struct ap__names {
  struct ap__name_slot *slot;
  unsigned mask; // number of slots less one
} ap__names;

// Make room for count names. False: no memory.
bool ap__names_init(ap__names *names, int count);
void ap__names_free(ap__names *names);
// The number stored under a name, -1 where there is none.
int ap__names_find(const ap__names *names, const char *name);
// Store number under name. Returns -1, or the number that was there already (and stays).
int ap__names_put(ap__names *names, const char *name, int number);

// Changes (insertions, deletions, replacements, letter case not counted) that make b of a; for
// messages that name what was meant. Names longer than 31 bytes count as far away.
int ap__name_distance(const char *a, const char *b);
// Was b meant by a? True where it is near, and nearer than *least, which then is its distance;
// begin with INT_MAX.
bool ap__name_nearer(const char *a, const char *b, int *least);
// Does a list of words, with blanks between, have this one?
bool ap__has_word(const char *list, const char *word);
// Is that at most one change? In linear time.
bool ap__names_near(const char *a, const char *b);

#endif
