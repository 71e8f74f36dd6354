// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda_source.h"

#include <string.h>

#include "codegen/fused_text.h"
#include "codegen/sincos_text.h"
#include "model/frozen.h"

// ---- on the device -----------------------------------------------------------------------------

// Angles far away take CUDA's own functions, through no pointer: results stay in registers.
static const char sincos_text[] =
    "\n"
    "static __device__ __noinline__ $R $N_far_sin($R x) { return sin$f(x); }\n"
    "static __device__ __noinline__ $R $N_far_cos($R x) { return cos$f(x); }\n"
    "\n"
    "$Q void $N_sincos($R x, $R *s, $R *c) {\n"
    "  if ($N_sc_reduce(x, s, c) < 0) *s = $N_far_sin(x), *c = $N_far_cos(x);\n"
    "}\n";

static void put_sincos_calls(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  ap__text_add(t, "  %s s[%d], c[%d];\n", d->type, plan->angles, plan->angles);
  for (int k = 0; k < plan->angles; k++) {
    ap__text_add(t, "  %s_sincos(", d->name);
    ap__put_value(t, d, plan, ap__tape_ref(NULL, plan->angle[k]));
    ap__text_add(t, ", s + %d, c + %d);\n", k, k);
  }
}

// ---- kernels -----------------------------------------------------------------------------------

static const char kernel_text[] =
    "#include \"$N.cuh\"\n"
    "\n"
    "/* Threads of a block. */\n"
    "#ifndef $N_BLOCK\n"
    "#define $N_BLOCK 128\n"
    "#endif\n"
    "\n"
    "/* Neighbouring states that a thread computes: two where that aligns, for their entries then\n"
    "   move by one instruction. */\n"
    "template <int states> struct $N_word { typedef $R of; };\n"
    "template <> struct $N_word<2> { typedef $R2 of; };\n"
    "\n"
    "/* Their entries out of arrays over n states, and back. Every number is used once. */\n"
    "template <int states, int rows>\n"
    "static __device__ __forceinline__ void $N_load(size_t n, const $R *from, $R (*to)[rows]) {\n"
    "  typedef typename $N_word<states>::of word;\n"
    "#pragma unroll\n"
    "  for (int j = 0; j < rows; j++) {\n"
    "    const word x = __ldcs((const word *)(from + j * n));\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < states; i++) to[i][j] = ((const $R *)&x)[i];\n"
    "  }\n"
    "}\n"
    "template <int states, int rows>\n"
    "static __device__ __forceinline__ void $N_store(size_t n, const $R (*from)[rows], $R *to) {\n"
    "  typedef typename $N_word<states>::of word;\n"
    "#pragma unroll\n"
    "  for (int j = 0; j < rows; j++) {\n"
    "    word x;\n"
    "#pragma unroll\n"
    "    for (int i = 0; i < states; i++) (($R *)&x)[i] = from[i][j];\n"
    "    __stcs((word *)(to + j * n), x);\n"
    "  }\n"
    "}\n"
    "static __device__ __forceinline__ size_t $N_thread(void) {\n"
    "  return (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "}\n"
    "static unsigned $N_blocks(size_t n) { return (unsigned)((n + $N_BLOCK - 1) / $N_BLOCK); }\n";

static const char pairs_text[] =
    "static bool $N_pairs(const void *p) { return (size_t)p % (2 * sizeof($R)) == 0; }\n";

static void put_local(ap__text *t, const ap_unit *u, const ap_array *a) {
  ap__text_add(t, "  %s %s_k[states][%d];\n", ap__scalar(u), a->name, a->size);
}

static void put_device_call(ap__text *t, const ap_unit *u, const ap_program *p, const char *name) {
  ap__text_add(t, "%s_%s(", u->name, name);
  for (int k = 0; k < p->inputs + p->outputs; k++)
    ap__text_add(t, "%s%s_k[i]", k ? ", " : "", ap__array(p, k)->name);
  put(t, ")");
}

// What memory limits gains in float by pairs of states: an H200 moves 98 % of a copy's bytes/s
// instead of 90 % in a PUMA's inverse dynamics. In double a word is long enough, and functions with
// more work or more outputs run out of registers.
static bool has_pairs(const ap_unit *u, const ap_program *p) {
  return ap__is_single(u) && p->pivots == 0 && p->outputs == 1;
}

static void put_kernel(ap__text *t, const ap_unit *u, const ap_program *p, const char *name) {
  ap__text_add(t,
               "\ntemplate <int states>\nstatic __global__ void __launch_bounds__(%s_BLOCK)\n"
               "%s_%s_kernel(size_t n, ",
               u->name, u->name, name);
  ap__put_parameters(t, u, p, true);
  put(t, p->pivots > 0 ? ", int *singular) {\n" : ") {\n");
  ap__text_add(t, "  const size_t k = states * %s_thread();\n  if (k >= n) return;\n", u->name);
  for (int k = 0; k < p->inputs + p->outputs; k++) put_local(t, u, ap__array(p, k));
  for (int k = 0; k < p->inputs; k++)
    ap__text_add(t, "  %s_load<states>(n, %s + k, %s_k);\n", u->name, p->input[k].name,
                 p->input[k].name);
  put(t, "#pragma unroll\n  for (int i = 0; i < states; i++) ");
  put(t, p->pivots > 0 ? "{\n    const int failed = " : "");
  put_device_call(t, u, p, name);
  put(t, ";\n");
  if (p->pivots > 0)
    put(t, "    if (singular) singular[k + i] = failed;\n    if (failed) return;\n  }\n");
  for (int k = 0; k < p->outputs; k++)
    ap__text_add(t, "  %s_store<states>(n, %s_k, %s + k);\n", u->name, p->output[k].name,
                 p->output[k].name);
  put(t, "}\n");
}

static void put_launch_prototype(ap__text *t, const ap_unit *u, const ap_program *p,
                                 const char *name) {
  ap__text_add(t, "cudaError_t %s_%s_launch(size_t n, ", u->name, name);
  ap__put_parameters(t, u, p, false);
  put(t, p->pivots > 0 ? ", int *singular, cudaStream_t stream)" : ", cudaStream_t stream)");
}

static void put_launch_of(ap__text *t, const ap_unit *u, const ap_program *p, const char *name,
                          int states) {
  ap__text_add(t, "    %s_%s_kernel<%d><<<%s_blocks(n", u->name, name, states, u->name);
  ap__text_add(t, "%s), %s_BLOCK, 0, stream>>>(\n        n", states == 2 ? " / 2" : "", u->name);
  for (int k = 0; k < p->inputs + p->outputs; k++) ap__text_add(t, ", %s", ap__array(p, k)->name);
  put(t, p->pivots > 0 ? ", singular);\n" : ");\n");
}

static void put_launch(ap__text *t, const ap_unit *u, const ap_program *p, const char *name) {
  put(t, "\nextern \"C\" ");
  put_launch_prototype(t, u, p, name);
  put(t, " {\n  if (n == 0) return cudaSuccess;\n");
  if (has_pairs(u, p)) {
    put(t, "  if (n % 2 == 0");
    for (int k = 0; k < p->inputs + p->outputs; k++)
      ap__text_add(t, " && %s_pairs(%s)", u->name, ap__array(p, k)->name);
    put(t, ")\n");
    put_launch_of(t, u, p, name, 2);
    put(t, "  else\n");
  }
  put_launch_of(t, u, p, name, 1);
  put(t, "  return cudaGetLastError();\n}\n");
}

// ---- files -------------------------------------------------------------------------------------

// What differs from C in a function of one state.
static ap_unit cuda_unit(const ap_unit *u) {
  ap_unit cuda = *u;
  cuda.qualifier = "static __device__ __forceinline__ ";
  cuda.part_qualifier = "\nstatic __device__ __noinline__ ";
  cuda.lengths = (ap_lengths){2500, 1500}; // registers hold more than a call leaves in them
  cuda.inlined = "static __device__ __forceinline__";
  cuda.restricted = "__restrict__ ";
  cuda.sincos = put_sincos_calls;
  return cuda;
}

void ap__put_cuda_source(ap__text *t, const ap_unit *unit) {
  const ap_unit cuda = cuda_unit(unit), *u = &cuda;
  ap__put_banner(t, u, ".cu");
  ap__put_text(t, u, kernel_text, "", "");
  bool pairs = false;
  for (int k = 0; k < u->entries; k++) pairs = pairs || has_pairs(u, &u->part[k]);
  if (pairs) ap__put_text(t, u, pairs_text, "", "");
  for (int k = 0; k < u->entries; k++) {
    put_kernel(t, u, &u->part[k], u->part_name[k]);
    put_launch(t, u, &u->part[k], u->part_name[k]);
  }
  if (u->parts > u->entries) ap__put_cuda_rollout(t, u);
}

static const char header_text[] =
    "/* One thread per state. The functions $N_..._launch take arrays on the device, entry j of\n"
    "   state k at [j * n + k], and return once the work is queued in the stream. The others are "
    "for\n"
    "   kernels of your own: arrays of one state, which become registers.\n"
    "\n"
    "   Compile with nvcc -O3 -fmad=false: what is fused is written below, and gives the bits of\n"
    "   the C text on a processor that fuses (for angles that it reduces itself: up to 1.6e6 in\n"
    "   double, 1608 in float). Not with -use_fast_math. */\n"
    "\n"
    "#ifndef APPELL_GENERATED_$N_CUH\n"
    "#define APPELL_GENERATED_$N_CUH\n"
    "\n"
    "#include <cuda_runtime.h>\n"
    "#include <math.h>\n"
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "\n";

void ap__put_cuda_header(ap__text *t, const ap_unit *u) {
  const ap_generate_options one_state = {.arithmetic = u->options->arithmetic};
  ap_unit device = cuda_unit(u);
  device.options = &one_state;
  ap__put_banner(t, u, ".cuh");
  ap__put_text(t, u, header_text, "", "");
  ap__text_add(t, "enum { %s_NQ = %d, %s_NV = %d };\n", u->name, u->nq, u->name, u->nv);
  put(t, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  for (int k = 0; k < u->entries; k++) {
    ap__put_frame(t, u, k);
    put_launch_prototype(t, u, &u->part[k], u->part_name[k]);
    put(t, ";\n");
  }
  if (u->parts > u->entries) ap__put_cuda_rollout_header(t, u);
  put(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#ifdef __CUDACC__\n");
  ap__put_fused_on_device(t, &device);
  ap__put_routines(t, &device);
  if (ap__has_angles(u)) {
    ap__put_sincos_core(t, &device, "", "");
    ap__put_text(t, &device, sincos_text, "", "");
  }
  for (int k = 0; k < u->parts; k++) ap__put_program(t, &device, k);
  put(t, "#endif\n\n#endif\n");
}
