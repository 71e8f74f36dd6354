// SPDX-License-Identifier: Apache-2.0
// The sine and cosine of generated code: those of the library, written out.

#ifndef AP_CODEGEN_SINCOS_TEXT_H
#define AP_CODEGEN_SINCOS_TEXT_H

#include "codegen/c_source.h"

/// NAME_sc_reduce for one type of value and what it calls, from num/sincos_core.inc; `value` and
/// `ending` as in ap__put_text(). Any of them gives the same bits.
void ap__put_sincos_core(ap__text *t, const ap_unit *u, const char *value, const char *ending);
/// NAME_sincos of n angles one state at a time and, in batches, NAME_sincos_lanes.
void ap__put_sincos(ap__text *t, const ap_unit *u);

#endif
