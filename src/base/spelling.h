// SPDX-License-Identifier: Apache-2.0
// Names that were meant, for messages. Exported: libappell-tools suggests names the same way.

#ifndef AP_BASE_SPELLING_H
#define AP_BASE_SPELLING_H

#include <appell/base.h>

// Changes (insertions, deletions, replacements, letter case not counted) that make b of a. Names
// longer than 31 bytes count as far away.
AP_API int ap__name_distance(const char *a, const char *b);
// Was b meant by a? True where it is near, and nearer than *least, which then is its distance;
// begin with INT_MAX.
AP_API bool ap__name_nearer(const char *a, const char *b, int *least);
// Is that at most one change? In linear time.
AP_API bool ap__names_near(const char *a, const char *b);

#endif
