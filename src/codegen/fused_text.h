// SPDX-License-Identifier: Apache-2.0
// The word for fused products in generated code.

#ifndef AP_CODEGEN_FUSED_TEXT_H
#define AP_CODEGEN_FUSED_TEXT_H

#include "codegen/c_source.h"

/// NAME_fma of one number, and of vectors for sines; of states side by side; as far as they are
/// used.
void ap__put_fused(ap__text *t, const ap_unit *u);
void ap__put_fused_lanes(ap__text *t, const ap_unit *u);
/// The same on a device, which always fuses.
void ap__put_fused_on_device(ap__text *t, const ap_unit *u);

#endif
