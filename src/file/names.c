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

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

int ap__name_distance(const char *a, const char *b) {
  enum { MAX = 31 };
  size_t n = strlen(a), m = strlen(b);
  if (n > MAX || m > MAX) return MAX;
  int row[MAX + 1]; // Levenshtein, one row at a time
  for (size_t j = 0; j <= m; j++) row[j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    int corner = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= m; j++) {
      int best = corner + (lower(a[i - 1]) != lower(b[j - 1]));
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      corner = row[j];
      row[j] = best;
    }
  }
  return row[m];
}

bool ap__name_nearer(const char *a, const char *b, int *least) {
  int d = ap__name_distance(a, b), length = (int)strlen(a);
  bool near = (d <= 2 || d <= length / 3) && d < length && d < (int)strlen(b) && d < *least;
  if (near) *least = d;
  return near;
}

static bool same(const char *a, const char *b) {
  while (*a && lower(*a) == lower(*b)) a++, b++;
  return *a == *b;
}

bool ap__names_near(const char *a, const char *b) {
  while (*a && lower(*a) == lower(*b)) a++, b++;
  if (!*a && !*b) return true;
  return (*a && same(a + 1, b)) || (*b && same(a, b + 1)) || (*a && *b && same(a + 1, b + 1));
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
