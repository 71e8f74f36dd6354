// SPDX-License-Identifier: Apache-2.0
// IEEE binary128, the arithmetic of the reference: `long double` where it is that (AArch64),
// otherwise gcc's and clang's __float128. Only +, -, * and / come from the compiler; square root,
// sine and cosine are here, so that no libquadmath is needed. AP_HAVE_F128 is defined where the
// type exists; a microcontroller has none.

#ifndef APPELL_NUM_F128_H
#define APPELL_NUM_F128_H

#include <float.h>

#if LDBL_MANT_DIG == 113 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AP_HAVE_F128 1
typedef long double f128;
#elif defined(__SIZEOF_FLOAT128__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define AP_HAVE_F128 1
__extension__ typedef __float128 f128;
#endif

#ifdef AP_HAVE_F128

/// Square root, within 0.501 ulp. NaN for a negative number, -0 for -0.
f128 ap__sqrt_f128(f128 x);

/// Sine and cosine of the exact sum q + offset, within 1 ulp (2e-34 relative) unless the sum is
/// closer than 2^-140 to a non-zero multiple of pi/2. |q| and |offset| are below 2^1024, as every
/// value that started as a double is; beyond that, as for infinities and NaN, the results are NaN.
void ap__sincos_f128(f128 q, f128 offset, f128 *s, f128 *c);

#endif
#endif
