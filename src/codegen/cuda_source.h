// SPDX-License-Identifier: Apache-2.0
// Programs as CUDA: one thread per state.

#ifndef AP_CODEGEN_CUDA_SOURCE_H
#define AP_CODEGEN_CUDA_SOURCE_H

#include "codegen/c_source.h"

/// NAME.cu, with kernels and what launches them, and NAME.cuh, with functions for the device. The
/// unit's own ways of writing a function are set here.
void ap__put_cuda_source(ap__text *t, const ap_unit *u);
void ap__put_cuda_header(ap__text *t, const ap_unit *u);

/// Parts of them where rollouts are, in cuda_rollout.c.
void ap__put_cuda_rollout(ap__text *t, const ap_unit *u);
void ap__put_cuda_rollout_header(ap__text *t, const ap_unit *u);
/// And where arrays of the host are, in cuda_pipe.c.
void ap__put_cuda_pipe(ap__text *t, const ap_unit *u);
void ap__put_cuda_pipe_header(ap__text *t, const ap_unit *u);

#endif
