#include "file/names.h"

#include <stdlib.h>
#include <string.h>

struct ap__name_slot {
  const char *name; // NULL: free
  int number;
};

bool ap__names_init(ap__names *names, int count) {
  unsigned size = 16;
  while (size / 2 < (unsigned)count) size *= 2; // at most half full
  names->slot = calloc(size, sizeof *names->slot);
  names->mask = size - 1;
  return names->slot != NULL;
}

void ap__names_free(ap__names *names) {
  free(names->slot);
  names->slot = NULL;
}

// The slot that holds the name, or the free one where it belongs. FNV-1a.
static struct ap__name_slot *slot_of(const ap__names *names, const char *name) {
  unsigned h = 2166136261u;
  for (const unsigned char *c = (const unsigned char *)name; *c; c++) h = (h ^ *c) * 16777619u;
  for (;; h++) {
    struct ap__name_slot *slot = &names->slot[h & names->mask];
    if (!slot->name || strcmp(slot->name, name) == 0) return slot;
  }
}

int ap__names_find(const ap__names *names, const char *name) {
  const struct ap__name_slot *slot = slot_of(names, name);
  return slot->name ? slot->number : -1;
}

int ap__names_put(ap__names *names, const char *name, int number) {
  struct ap__name_slot *slot = slot_of(names, name);
  if (slot->name) return slot->number;
  slot->name = name;
  slot->number = number;
  return -1;
}

bool ap__has_word(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *at = list; *at; at += strspn(at, " ")) {
    size_t length = strcspn(at, " ");
    if (length == n && memcmp(at, word, n) == 0) return true;
    at += length;
  }
  return false;
}
