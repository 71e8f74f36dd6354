// SPDX-License-Identifier: Apache-2.0
// Rollouts on the device: around the recorded forces and the recorded step of a state, what moves
// states through time.

#include "codegen/cuda_source.h"
#include "model/frozen.h"

static const char header_text[] =
    "\n"
    "/* n robots through many steps of length dt, s, each by v += dt a(q, v), then q moved along\n"
    "   dt v. Joint forces are held through a step: tau, and where pd is not 0 also\n"
    "   kp (target_q - q) + kd (target_v - v), for quaternions the shortest turn between them.\n"
    "   Arrays over states are on the device; NULL: zeros, and target_q: q = 0 with quaternions\n"
    "   0 0 0 1. */\n"
    "typedef struct $N_rollout {\n"
    "  int steps, pd;\n"
    "  $R dt;\n"
    "  const $R *tau, *target_q, *target_v;\n"
    "  $R kp[$N_NV], kd[$N_NV];\n"
    "} $N_rollout;\n"
    "\n"
    "/* Moves q and v. A state whose inertia matrix becomes singular stays as it was before that\n"
    "   step; singular (NULL: not wanted) then has 1 for it, otherwise 0. */\n"
    "cudaError_t $N_rollout_launch(size_t n, const $N_rollout *r, $R *q, $R *v, int *singular,\n"
    "                              cudaStream_t stream);\n";

void ap__put_cuda_rollout_header(ap__text *t, const ap_unit *u) {
  ap__put_text(t, u, header_text, "", "");
}

static const char load_text[] =
    "\n"
    "/* A state's entries, or zeros. */\n"
    "template <int rows>\n"
    "static __device__ __forceinline__ void $N_load_or_0(size_t n, size_t k, const $R *from, $R "
    "*to) {\n"
    "#pragma unroll\n"
    "  for (int j = 0; j < rows; j++) to[j] = from ? from[j * n + k] : 0;\n"
    "}\n"
    "\n"
    "static __device__ __forceinline__ void $N_load_target(size_t n, size_t k, const $R *from, $R "
    "*q) {\n"
    "  $N_load_or_0<$N_NQ>(n, k, from, q);\n";

static const char kernel_text[] =
    "}\n"
    "\n"
    "template <bool pd>\n"
    "static __global__ void __launch_bounds__($N_BLOCK, 1) /* all registers */\n"
    "$N_rollout_kernel(size_t n, const $N_rollout r, $R *q, $R *v, int *singular) {\n"
    "  $N_SPILL\n"
    "  const size_t k = $N_thread();\n"
    "  if (k >= n) return;\n"
    "  $R x[$N_NQ], u[$N_NV], tau[$N_NV], p[$N_NQ], d[$N_NV];\n"
    "  $N_load_or_0<$N_NQ>(n, k, q, x);\n"
    "  $N_load_or_0<$N_NV>(n, k, v, u);\n"
    "  $N_load_or_0<$N_NV>(n, k, r.tau, tau);\n"
    "  if (pd) {\n"
    "    $N_load_target(n, k, r.target_q, p);\n"
    "    $N_load_or_0<$N_NV>(n, k, r.target_v, d);\n"
    "  }\n"
    "  int failed = 0;\n"
    "#pragma unroll 1\n"
    "  for (int step = 0; step < r.steps; step++) {\n"
    "    $R a[$N_NV], next_q[$N_NQ], next_v[$N_NV];\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < $N_NV; j++) a[j] = tau[j];\n"
    "    if (pd) $N_rollout_forces(x, u, tau, p, d, r.kp, r.kd, a);\n"
    "    failed = $N_forward_dynamics(x, u, a, a);\n"
    "    if (failed) break;\n"
    "    $N_rollout_step(x, u, a, &r.dt, next_q, next_v);\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < $N_NQ; j++) x[j] = next_q[j];\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < $N_NV; j++) u[j] = next_v[j];\n"
    "  }\n"
    "#pragma unroll\n"
    "  for (int j = 0; j < $N_NQ; j++) q[j * n + k] = x[j];\n"
    "#pragma unroll\n"
    "  for (int j = 0; j < $N_NV; j++) v[j * n + k] = u[j];\n"
    "  if (singular) singular[k] = failed;\n"
    "}\n"
    "\n"
    "extern \"C\" cudaError_t $N_rollout_launch(size_t n, const $N_rollout *r, $R *q, $R *v,\n"
    "                                         int *singular, cudaStream_t stream) {\n"
    "  if (n == 0) return cudaSuccess;\n"
    "  if (r->pd)\n"
    "    $N_rollout_kernel<true><<<$N_blocks(n, $N_BLOCK), $N_BLOCK, 0, stream>>>(n, *r, q, v, "
    "singular);\n"
    "  else\n"
    "    $N_rollout_kernel<false><<<$N_blocks(n, $N_BLOCK), $N_BLOCK, 0, stream>>>(n, *r, q, v, "
    "singular);\n"
    "  return cudaGetLastError();\n"
    "}\n";

void ap__put_cuda_rollout(ap__text *t, const ap_unit *u) {
  ap__put_text(t, u, load_text, "", "");
  for (int i = 1; i < u->m->nbody; i++) {
    const ap_joint *j = &u->m->joint[i];
    if (!j->leader && (j->type == AP_SPHERICAL || j->type == AP_FREE))
      ap__text_add(t, "  if (!from) q[%d] = 1;\n", j->q + j->nq - 1);
  }
  ap__put_text(t, u, kernel_text, "", "");
}
