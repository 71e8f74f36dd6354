// SPDX-License-Identifier: Apache-2.0
// A mechanism whose closures leave another number of freedoms than it has coordinates.

#ifndef APPELL_INFO_FREEDOMS_H
#define APPELL_INFO_FREEDOMS_H

#include <appell/loop.h>

// Say so, of closures of that rank; returns text.
const char *ap__freedoms(const ap_mechanism *m, int rank, char *text, size_t size);

#endif
