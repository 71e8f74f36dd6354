// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.h"

#include <string.h>

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
