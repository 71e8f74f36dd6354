// SPDX-License-Identifier: Apache-2.0
// The kernels in binary128, and the studies made with them.

#include "research/f128.h"

#ifdef AP_HAVE_F128

#include "research/text_f128.h"

#define ISA_NAME             "f128"
#define STUDY_CONTEXT(count) ((void)(count), NULL)
#include "research/study_by_text.inc"

const study_ops ap__study_f128 = STUDY_OPS;

#else
typedef int ap__no_binary128; // a translation unit must declare something
#endif
