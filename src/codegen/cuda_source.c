// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda_source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/fused_text.h"
#include "codegen/registers.h"
#include "codegen/sincos_text.h"
#include "codegen/slice.h"
#include "codegen/symbol.h"
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

static void put_sincos_call(ap__text *t, const ap_dialect *d, const ap_plan *plan, int k,
                            const char *word) {
  ap__text_add(t, "%s_%s(", d->name, word);
  ap__put_value(t, d, plan, ap__tape_ref(NULL, plan->angle[k]));
  ap__text_add(t, ", s + %d, c + %d)", k, k);
}

// One branch for all that are far away, where these are few: more would have to wait for each
// other.
enum { ANGLES_A_BRANCH = 6 };

static void put_sincos_one_by_one(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  ap__text_add(t, "  %s s[%d], c[%d];\n", d->type, plan->angles, plan->angles);
  for (int k = 0; k < plan->angles; k++) {
    put(t, "  ");
    put_sincos_call(t, d, plan, k, "sincos");
    put(t, ";\n");
  }
}

// One branch for all that are far away.
static void put_sincos_calls(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  ap__text_add(t, "  %s s[%d], c[%d];\n  if ((", d->type, plan->angles, plan->angles);
  for (int k = 0; k < plan->angles; k++) {
    put(t, k > 0 ? " |\n       " : "");
    put_sincos_call(t, d, plan, k, "sc_reduce");
  }
  put(t, ") < 0) {\n");
  for (int k = 0; k < plan->angles; k++) {
    put(t, "    ");
    put_sincos_call(t, d, plan, k, "sincos");
    put(t, ";\n");
  }
  put(t, "  }\n");
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
    "/* Blocks that a multiprocessor is to hold, as far as so many values alive leave it "
    "registers. */\n"
    "#ifndef $N_RESIDENT\n"
    "#define $N_RESIDENT(live, V) \\\n"
    "  (65536 / $N_BLOCK / ((live) * (int)(sizeof(V) / 4) + 32) > 1 ? \\\n"
    "   65536 / $N_BLOCK / ((live) * (int)(sizeof(V) / 4) + 32) : 1)\n"
    "#endif\n"
    "/* What does not fit into registers goes to shared memory first, where the compiler can. */\n"
    "#if defined __CUDACC_VER_MAJOR__ && __CUDACC_VER_MAJOR__ >= 13\n"
    "#define $N_SPILL asm volatile(\".pragma \\\"enable_smem_spilling\\\";\");\n"
    "#else\n"
    "#define $N_SPILL\n"
    "#endif\n"
    "\n"
    "/* An entry out of an array over states, and back. What one slice reads others read too. */\n"
    "template <typename V, bool once>\n"
    "static __device__ __forceinline__ V $N_load(const $R *from) {\n"
    "  return once ? __ldcs((const V *)from) : __ldg((const V *)from);\n"
    "}\n"
    "template <typename V>\n"
    "static __device__ __forceinline__ void $N_store($R *to, V x) { __stcs((V *)to, x); }\n"
    "static __device__ __forceinline__ size_t $N_thread(void) {\n"
    "  return (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "}\n"
    "static unsigned $N_blocks(size_t n, unsigned block) {\n"
    "  return (unsigned)((n + block - 1) / block);\n"
    "}\n"
    "\n"
    "/* Threads of a block where values are more than registers hold, and lie in shared memory. "
    "*/\n"
    "enum { $N_SMALL_BLOCK = 32 };\n";

// Two neighbouring states of a thread, where that aligns: their entries then move by one
// instruction, and memory is the limit.
static const char pairs_text[] =
    "\n"
    "/* Two states: their entries move by one instruction. */\n"
    "struct $N_pair {\n"
    "  $R x, y;\n"
    "  __device__ __forceinline__ $N_pair() {}\n"
    "  __device__ __forceinline__ $N_pair($R both) : x(both), y(both) {}\n"
    "  __device__ __forceinline__ $N_pair($R first, $R second) : x(first), y(second) {}\n"
    "  friend __device__ __forceinline__ $N_pair operator-($N_pair a) { return {-a.x, -a.y}; }\n"
    "  friend __device__ __forceinline__ $N_pair operator+($N_pair a, $N_pair b) {\n"
    "    return {a.x + b.x, a.y + b.y};\n"
    "  }\n"
    "  friend __device__ __forceinline__ $N_pair operator-($N_pair a, $N_pair b) {\n"
    "    return {a.x - b.x, a.y - b.y};\n"
    "  }\n"
    "  friend __device__ __forceinline__ $N_pair operator*($N_pair a, $N_pair b) {\n"
    "    return {a.x * b.x, a.y * b.y};\n"
    "  }\n"
    "  friend __device__ __forceinline__ $N_pair operator/($N_pair a, $N_pair b) {\n"
    "    return {a.x / b.x, a.y / b.y};\n"
    "  }\n"
    "  friend __device__ __forceinline__ $N_pair $N_fma($N_pair a, $N_pair b, $N_pair c) {\n"
    "    return {::$N_fma(a.x, b.x, c.x), ::$N_fma(a.y, b.y, c.y)};\n"
    "  }\n"
    "  friend __device__ __forceinline__ $i $N_sc_reduce($N_pair a, $N_pair *s, $N_pair *c) {\n"
    "    return ::$N_sc_reduce(a.x, &s->x, &c->x) | ::$N_sc_reduce(a.y, &s->y, &c->y);\n"
    "  }\n"
    "  friend __device__ __forceinline__ void $N_sincos($N_pair a, $N_pair *s, $N_pair *c) {\n"
    "    ::$N_sincos(a.x, &s->x, &c->x);\n"
    "    ::$N_sincos(a.y, &s->y, &c->y);\n"
    "  }\n"
    "};\n"
    "template <>\n"
    "__device__ __forceinline__ $N_pair $N_load<$N_pair, true>(const $R *from) {\n"
    "  const $R2 x = __ldcs((const $R2 *)from);\n"
    "  return $N_pair(x.x, x.y);\n"
    "}\n"
    "template <>\n"
    "__device__ __forceinline__ void $N_store<$N_pair>($R *to, $N_pair x) {\n"
    "  __stcs(($R2 *)to, make_$R2(x.x, x.y));\n"
    "}\n"
    "static bool $N_pairs(const void *p) { return (size_t)p % (2 * sizeof($R)) == 0; }\n";

static void load_column(ap__text *t, const ap_dialect *d, const char *array, int i) {
  ap__text_add(t, "  const V %s%d = %s_load<V, once>(%s + %d * n);\n", array, i, d->name, array, i);
}
static void store_column(ap__text *t, const ap_dialect *d, const char *array, int i) {
  ap__text_add(t, "  %s_store<V>(%s + %d * n, ", d->name, array, i);
}
static void stored_column(ap__text *t, const ap_dialect *d, const char *array, int i) {
  (void)d, (void)array, (void)i;
  put(t, ");\n");
}

// Operations that have no operator are those of one state.
static bool has_routine(const ap_program *p) {
  for (int k = 1; k < p->tape.count; k++)
    if (ap__routine[p->tape.node[k].op].word) return true;
  return false;
}

// In double a word is long enough.
static bool has_pairs(const ap_unit *u, const ap_program *p, int slices) {
  return ap__is_single(u) && p->pivots == 0 && slices == 1 && !has_routine(p);
}

// Whether a probe tells singular states where the pivots leave a doubt.
static bool has_probe(const ap_program *p) {
  return p->pivots > 0 &&
         (ap__probe_value(p, AP_OF_ENERGY).node || ap__probe_value(p, AP_OF_SIZE).node);
}

// ---- registers ---------------------------------------------------------------------------------

// With 255 registers a thread, a multiprocessor holds 8 warps; each has a block of its own, and an
// eighth of the shared memory, 227 KB less 1 KB a block.
enum {
  REGISTERS = 255,
  OWN_REGISTERS = 50, // for addresses and what is being computed
  SHARED_BYTES = (227 * 1024 / 8 - 1024) / 32
};

static int words(const ap_unit *u) { return ap__is_single(u) ? 1 : 2; }
static int most_in_registers(const ap_unit *u) { return 250 / words(u); }

// Whether values lie in shared memory as well. Where a probe is apart it must be rare: in float it
// is asked for all the time.
static bool is_kept(const ap_unit *u, const ap_program *p, int live) {
  return live > most_in_registers(u) && !(ap__is_single(u) && has_probe(p));
}

// Forward dynamics: memory is the limit of the other functions.
static bool computes_most(const ap_program *p) { return p->in_place && p->pivots > 0; }

// As measured on an H200: values that registers, and in double shared memory, hold; work that stays
// in the cache for instructions, and in float is less than what several slices would do twice. What
// may lie where it reads stays whole.
static ap_slice_room room_of(const ap_unit *u, const ap_program *p) {
  if (p->in_place) return (ap_slice_room){INT_MAX, INT_MAX};
  return ap__is_single(u) ? (ap_slice_room){300, 5200} : (ap_slice_room){250, 4800};
}

// ---- slices ------------------------------------------------------------------------------------

// How a slice is written.
typedef struct slice {
  const ap_unit *u;
  const ap_program *whole; // the function that it is of
  const char *name;        // of that
  int which;
  bool kept; // values lie in shared memory as well
  int live, places;
} slice;

static ap_dialect column_dialect(const ap_unit *u, const char *name) {
  return (ap_dialect){.type = "V",
                      .single = ap__is_single(u),
                      .name = u->name,
                      .function = name,
                      .ending = "",
                      .splat = "",
                      .mask = "",
                      .load = load_column,
                      .store = store_column,
                      .stored = stored_column,
                      .sincos = u->sincos,
                      .doubt = ap__doubt_scalar,
                      .check = ap__check_scalar};
}

// What is rare leaves for a function of its own that begins again, so that the common way has
// nothing to keep for it.
static void put_exit(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  const ap_program *p = plan->p;
  const char *call = p->pivots > 0 ? "return " : "{ ";
  ap__text_add(t, "%s%s_%s_rare<V, once>(n", call, d->name, d->function);
  for (int k = 0; k < p->inputs + p->outputs; k++) ap__text_add(t, ", %s", ap__array(p, k)->name);
  put(t, p->pivots > 0 ? ");\n" : "); return; }\n");
}

static void check_rare(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  put(t, "    ");
  put_exit(t, d, plan);
  put(t, "  }\n  if (!sound) return 1;\n");
}

static bool has_rare(const ap_program *p, const ap_plan *plan) {
  return has_probe(p) || plan->angles > 0;
}

// The same with whatever may happen.
static void put_rare(ap__text *t, const slice *s, const ap_program *part, const int *sign,
                     const ap_dialect *common) {
  ap_dialect d = *common;
  ap_plan plan;
  if (!ap__plan(part, sign, false, &plan)) {
    t->failed = true;
    return;
  }
  ap__text_add(t,
               "\ntemplate <typename V, bool once>\n"
               "static __device__ __noinline__ %s %s_%s_rare(size_t n, ",
               ap__result_type(part), s->u->name, d.function);
  ap__put_parameters(t, s->u, part, true);
  put(t, ") {\n");
  ap__put_body(t, &d, &plan);
  put(t, part->pivots > 0 ? "  return 0;\n}\n" : "}\n");
  ap__plan_free(&plan);
}

// Some of the outputs of a function. Its values are its own, to be freed. Without a probe, where
// that is apart. False: no memory.
static bool part_of(const slice *s, const int *slice_of, bool probe, ap_program *part) {
  if (!ap__slice_program(s->whole, slice_of, s->which, part)) return false;
  for (int k = 0; !probe && has_probe(s->whole) && k < 2; k++)
    part->value[part->values + part->pivots + (k ? AP_OF_SIZE : AP_OF_ENERGY)] = (real){.v = 1};
  return true;
}

// Registers where they hold all values, else registers and shared memory; then what is rare is
// apart. Where outputs are many and memory is the limit, the plan's own order, which is theirs, is
// the faster one. The plan is of `part`, whose values are to be freed.
static bool plan_slice(const int *sign, const int *slice_of, slice *s, ap_program *part,
                       ap_plan *plan) {
  const int enough = s->whole->in_place ? 0 : most_in_registers(s->u);
  if (!part_of(s, slice_of, true, part) || !ap__plan(part, sign, false, plan) ||
      !ap__order_for_registers(plan, enough))
    return false;
  s->live = plan->live;
  s->kept = is_kept(s->u, s->whole, plan->live);
  if (!s->kept) return true;
  ap__plan_free(plan);
  free(part->value);
  if (!part_of(s, slice_of, false, part) || !ap__plan(part, sign, false, plan) ||
      !ap__order_for_registers(plan, 0) ||
      !ap__allocate_registers(plan, (REGISTERS - OWN_REGISTERS) / words(s->u),
                              SHARED_BYTES / 4 / words(s->u)))
    return false;
  s->places = plan->places;
  return true;
}

// One slice out of and into arrays over states, whose pointers are those of a state.
static void put_slice(ap__text *t, const int *sign, const int *slice_of, slice *s) {
  char function[AP_SYMBOL_ROOM];
  snprintf(function, sizeof function, "%s_slice%d", s->name, s->which + 1);
  ap_dialect d = column_dialect(s->u, function);
  ap_program part = {0}, all = {0};
  ap_plan plan;
  if (!plan_slice(sign, slice_of, s, &part, &plan)) {
    free(part.value);
    t->failed = true;
    return;
  }
  if (plan.angles > ANGLES_A_BRANCH && !computes_most(&part)) d.sincos = put_sincos_one_by_one;
  if (s->kept) {
    t->failed = t->failed || !part_of(s, slice_of, true, &all);
    if (!t->failed && has_rare(s->whole, &plan)) put_rare(t, s, &all, sign, &d);
    if (has_probe(s->whole)) d.check = check_rare;
    d.exit = put_exit;
  }
  ap__text_add(t,
               "\ntemplate <typename V, bool once>\n"
               "static __device__ __forceinline__ %s %s_%s(size_t n, ",
               ap__result_type(&part), s->u->name, function);
  ap__put_parameters(t, s->u, &part, true);
  if (s->places > 0) put(t, ", volatile V *x");
  put(t, ") {\n");
  ap__put_body(t, &d, &plan);
  put(t, part.pivots > 0 ? "  return 0;\n}\n" : "}\n");
  ap__plan_free(&plan);
  free(part.value);
  free(all.value);
}

static void put_arguments(ap__text *t, const ap_program *p, const char *behind) {
  for (int k = 0; k < p->inputs + p->outputs; k++)
    ap__text_add(t, ", %s%s", ap__array(p, k)->name, behind);
}

// One kernel per slice: its code stays in the instruction cache, where that of a whole function may
// not, and it has the registers that it needs itself.
static void put_kernel(ap__text *t, const ap_program *p, const slice *s) {
  const char *name = s->u->name;
  put(t, "template <typename V, bool once>\nstatic __global__ void __launch_bounds__(");
  if (s->kept)
    ap__text_add(t, "%s_SMALL_BLOCK, 8) /* all registers */\n", name);
  else
    ap__text_add(t, "%s_BLOCK, %s_RESIDENT(%d, V))\n", name, name, s->live);
  ap__text_add(t, "%s_%s_kernel%d(size_t n, ", name, s->name, s->which + 1);
  ap__put_parameters(t, s->u, p, true);
  put(t, p->pivots > 0 ? ", int *singular) {\n" : ") {\n");
  ap__text_add(t, "  %s_SPILL\n", name);
  if (s->places > 0)
    ap__text_add(t, "  __shared__ volatile V x[%d * %s_SMALL_BLOCK];\n", s->places, name);
  ap__text_add(t, "  const size_t k = sizeof(V) / sizeof(%s) * %s_thread();\n", ap__scalar(s->u),
               name);
  put(t, "  if (k >= n) return;\n");
  ap__text_add(t, "  %s%s_%s_slice%d<V, once>(n", p->pivots > 0 ? "const int failed = " : "", name,
               s->name, s->which + 1);
  put_arguments(t, p, " + k");
  if (s->places > 0) put(t, ", x + threadIdx.x");
  put(t, p->pivots > 0 ? ");\n  if (singular) singular[k] = failed;\n}\n" : ");\n}\n");
}

static void put_launch_prototype(ap__text *t, const ap_unit *u, const ap_program *p,
                                 const char *name) {
  ap__text_add(t, "cudaError_t %s_%s_launch(size_t n, ", u->name, name);
  ap__put_parameters(t, u, p, false);
  put(t, p->pivots > 0 ? ", int *singular, cudaStream_t stream)" : ", cudaStream_t stream)");
}

static void put_launch_of(ap__text *t, const ap_unit *u, const ap_program *p, const char *name,
                          const char *value, const slice *of, int slices) {
  for (int s = 0; s < slices; s++) {
    const char *block = of[s].kept ? "SMALL_BLOCK" : "BLOCK";
    ap__text_add(t, "    %s_%s_kernel%d<%s, %s>\n        <<<", u->name, name, s + 1, value,
                 slices > 1 ? "false" : "true");
    ap__text_add(t, "%s_blocks(n * sizeof(%s) / sizeof(%s), %s_%s), %s_%s, 0, stream>>>(n", u->name,
                 ap__scalar(u), value, u->name, block, u->name, block);
    put_arguments(t, p, "");
    put(t, p->pivots > 0 ? ", singular);\n" : ");\n");
  }
}

static void put_launch(ap__text *t, const ap_unit *u, const ap_program *p, const char *name,
                       const slice *of, int slices) {
  char pair[128];
  put(t, "\nextern \"C\" ");
  put_launch_prototype(t, u, p, name);
  put(t, " {\n  if (n == 0) return cudaSuccess;\n");
  if (!of[0].kept && has_pairs(u, p, slices)) {
    put(t, "  if (n % 2 == 0");
    for (int k = 0; k < p->inputs + p->outputs; k++)
      ap__text_add(t, " && %s_pairs(%s)", u->name, ap__array(p, k)->name);
    put(t, ")\n");
    snprintf(pair, sizeof pair, "%s_pair", u->name);
    put_launch_of(t, u, p, name, pair, of, 1);
    put(t, "  else\n");
  }
  put_launch_of(t, u, p, name, ap__scalar(u), of, slices);
  put(t, "  return cudaGetLastError();\n}\n");
}

// Function k in slices, and its launch.
static void put_function(ap__text *t, const ap_unit *u, int k) {
  const ap_program *p = &u->part[k];
  int *slice_of = calloc((size_t)p->values, sizeof *slice_of);
  slice slices[AP_MOST_SLICES] = {{0}};
  ap_plan whole = {0};
  bool fits = slice_of && ap__plan(p, NULL, false, &whole);
  const int count = fits ? ap__slice(p, room_of(u, p), slice_of) : 0;
  t->failed = t->failed || count == 0;
  for (int s = 0; s < count; s++) {
    slices[s] = (slice){.u = u, .whole = p, .name = u->part_name[k], .which = s};
    put_slice(t, whole.sign, slice_of, &slices[s]);
    put_kernel(t, p, &slices[s]);
  }
  put_launch(t, u, p, u->part_name[k], slices, count);
  if (fits) ap__plan_free(&whole);
  free(slice_of);
}

// ---- files -------------------------------------------------------------------------------------

// What differs from C in a function of one state.
static ap_unit cuda_unit(const ap_unit *u) {
  ap_unit cuda = *u;
  cuda.qualifier = "static __device__ __forceinline__ ";
  cuda.part_qualifier = "\nstatic __device__ __noinline__ ";
  cuda.pairs = false;
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
  if (ap__is_single(u)) ap__put_text(t, u, pairs_text, "", "");
  for (int k = 0; k < u->entries; k++) put_function(t, u, k);
  ap__put_cuda_pipe(t, u);
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
    "#ifdef __HIPCC__ /* AMD: hipcc -x hip -O3 -ffp-contract=off */\n"
    "#include <hip/hip_runtime.h>\n"
    "#define cudaError_t hipError_t\n"
    "#define cudaStream_t hipStream_t\n"
    "#define cudaSuccess hipSuccess\n"
    "#define cudaGetLastError hipGetLastError\n"
    "#define cudaMalloc hipMalloc\n"
    "#define cudaFree hipFree\n"
    "#define cudaMemsetAsync hipMemsetAsync\n"
    "#define cudaMemcpyAsync hipMemcpyAsync\n"
    "#define cudaMemcpy2DAsync hipMemcpy2DAsync\n"
    "#define cudaMemcpyHostToDevice hipMemcpyHostToDevice\n"
    "#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost\n"
    "#define cudaStreamCreate hipStreamCreate\n"
    "#define cudaStreamDestroy(stream) (void)hipStreamDestroy(stream)\n"
    "#define cudaStreamSynchronize hipStreamSynchronize\n"
    "#define __ldcs(from) (*(from))\n"
    "#define __stcs(to, x) ((void)(*(to) = (x)))\n"
    "#else\n"
    "#include <cuda_runtime.h>\n"
    "#endif\n"
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
  ap__put_cuda_pipe_header(t, u);
  put(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#if defined __CUDACC__ || defined __HIPCC__\n");
  ap__put_fused_on_device(t, &device);
  ap__put_routines(t, &device);
  if (ap__has_angles(u)) {
    ap__put_sincos_core(t, &device, "", "");
    ap__put_text(t, &device, sincos_text, "", "");
  }
  for (int k = 0; k < u->parts; k++) ap__put_program(t, &device, k);
  put(t, "#endif\n\n#endif\n");
}
