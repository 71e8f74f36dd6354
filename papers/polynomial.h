// SPDX-License-Identifier: Apache-2.0
// Polynomials in n as papers print them for operation counts, and the one that counts lie on.

#ifndef PAPERS_POLYNOMIAL_H
#define PAPERS_POLYNOMIAL_H

#include <stdbool.h>
#include <stddef.h>

/// sum of sixths[k] / 6 n^k: a polynomial of degree 3 whose values are integers has no other
/// coefficients.
typedef struct polynomial {
  long sixths[4];
} polynomial;

/// Its value at n.
double polynomial_at(const polynomial *p, int n);
/// The largest k whose coefficient is not 0; 0 for constants.
int polynomial_degree(const polynomial *p);
/// Whether both have the same degree and the same coefficient there.
bool polynomial_same_leading(const polynomial *a, const polynomial *b);
/// The polynomial of degree 3 or less on which value[i] at n = first + i lies for all n from *from
/// up to the last; false where it would rest on fewer than 8 of the count values.
bool polynomial_fit(const long *value, int first, int count, polynomial *p, int *from);
/// As papers print it, "11.5n^2+19.5n-49" or "(1/6)n^3+n", into text (cut to size); returns text.
/// 64 bytes hold any count's.
char *polynomial_text(const polynomial *p, char *text, size_t size);
/// Read what polynomial_text() writes; false, and *p as it was, for anything else.
bool polynomial_read(const char *text, polynomial *p);

#endif
