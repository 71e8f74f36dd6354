// SPDX-License-Identifier: Apache-2.0
// Polynomials in n with coefficients in sixths.

#include "polynomial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double polynomial_at(const polynomial *p, int n) {
  const long *c = p->sixths;
  return (double)(((c[3] * n + c[2]) * n + c[1]) * n + c[0]) / 6;
}

int polynomial_degree(const polynomial *p) {
  int k = 3;
  while (k > 0 && p->sixths[k] == 0) k--;
  return k;
}

bool polynomial_same_leading(const polynomial *a, const polynomial *b) {
  int k = polynomial_degree(a);
  return k == polynomial_degree(b) && a->sixths[k] == b->sixths[k];
}

// Newton's form through four values at n = first, first + 1, ...: with x = n - first,
// 6 p = 6 d0 + 6 d1 x + 3 d2 x (x - 1) + d3 x (x - 1) (x - 2), d the forward differences.
static polynomial through(const long value[4], int first) {
  long d[4];
  memcpy(d, value, sizeof d);
  for (int order = 1; order < 4; order++)
    for (int i = 3; i >= order; i--) d[i] -= d[i - 1];
  polynomial p = {{6 * d[0], 6 * d[1] - 3 * d[2] + 2 * d[3], 3 * (d[2] - d[3]), d[3]}};
  for (int i = 0; i < 3; i++) // from powers of x to powers of n
    for (int k = 2; k >= i; k--) p.sixths[k] -= first * p.sixths[k + 1];
  return p;
}

bool polynomial_fit(const long *value, int first, int count, polynomial *p, int *from) {
  enum { LEAST = 8 }; // four values determine the polynomial, as many again confirm it
  if (count < LEAST) return false;
  *p = through(value + count - 4, first + count - 4);
  int i = count;
  while (i > 0 && polynomial_at(p, first + i - 1) == (double)value[i - 1]) i--;
  *from = first + i;
  return count - i >= LEAST;
}

// A coefficient without its sign: 12, 11.5 or (5/6).
static int coefficient_text(long sixths, char *text, size_t size) {
  long s = labs(sixths);
  if (s % 6 == 0) return snprintf(text, size, "%ld", s / 6);
  if (s % 3 == 0) return snprintf(text, size, "%ld.5", s / 6);
  return s % 2 == 0 ? snprintf(text, size, "(%ld/3)", s / 2) : snprintf(text, size, "(%ld/6)", s);
}

char *polynomial_text(const polynomial *p, char *text, size_t size) {
  static const char *const power[4] = {"", "n", "n^2", "n^3"};
  size_t used = 0;
  snprintf(text, size, "0");
  for (int k = 3; k >= 0; k--) {
    long c = p->sixths[k];
    char number[32];
    if (c == 0) continue;
    coefficient_text(c, number, sizeof number);
    bool unit = labs(c) == 6 && k > 0;
    const char *sign = c < 0 ? "-" : used > 0 ? "+" : "";
    int length = snprintf(text + used, size - used, "%s%s%s", sign, unit ? "" : number, power[k]);
    if (length < 0 || (size_t)length >= size - used) break;
    used += (size_t)length;
  }
  return text;
}

// A coefficient at *text, which moves past it: digits, digits.5, or a fraction (a/b) of sixths,
// halves or thirds; 1 where n stands at once. -1 for anything else.
static long read_coefficient(const char **text) {
  char *end = NULL;
  const char *t = *text;
  if (*t == 'n') return 6;
  bool fraction = *t == '(';
  t += fraction;
  if (*t < '0' || *t > '9') return -1;
  long sixths = 6 * strtol(t, &end, 10);
  if (fraction) {
    long below = end[0] == '/' ? strtol(end + 1, &end, 10) : 0;
    if (below < 1 || sixths % below || end[0] != ')') return -1;
    sixths /= below;
    end++;
  } else if (strncmp(end, ".5", 2) == 0) {
    sixths += 3;
    end += 2;
  }
  *text = end;
  return sixths;
}

// The power of n at *text, which moves past it: 1 for n, k for n^k up to 3, 0 for none.
static int read_power(const char **text) {
  const char *t = *text;
  if (t[0] != 'n') return 0;
  bool raised = t[1] == '^' && (t[2] == '2' || t[2] == '3');
  *text = t + (raised ? 3 : 1);
  return raised ? t[2] - '0' : 1;
}

bool polynomial_read(const char *text, polynomial *p) {
  polynomial sum = {{0}};
  const char *t = text;
  do {
    long sign = *t == '-' ? -1 : 1;
    t += *t == '-' || (*t == '+' && t > text);
    long sixths = read_coefficient(&t);
    if (sixths < 0) return false;
    sum.sixths[read_power(&t)] += sign * sixths;
  } while (*t == '+' || *t == '-');
  if (*t) return false;
  *p = sum;
  return true;
}
