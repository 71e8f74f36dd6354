// The sine and cosine of generated code, as templates. Words: $N prefix, $R the scalar, $V the type
// of a value, $I and $U integers of its size, $u one unsigned integer, $S the ending of the name.

#ifndef AP_CODEGEN_SINCOS_TEXT_H
#define AP_CODEGEN_SINCOS_TEXT_H

#include <stdbool.h>

/// NAME_near for one type of value: any of them gives the same bits.
extern const char *const ap__sincos_near;
/// Whether an angle is in its range.
extern const char *const ap__sincos_look;
/// The constants of ap__sincos_near, for double or float.
const char *ap__sincos_constants(bool single);
/// NAME_sincos of n angles one state at a time, and in lanes.
extern const char *const ap__sincos_scalar;
extern const char *const ap__sincos_lanes;

#endif
