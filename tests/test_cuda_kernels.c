// SPDX-License-Identifier: Apache-2.0
// CUDA kernels, launches and pipes without a GPU: each launch becomes a loop over blocks and
// threads, and the arrays of the device lie in the memory of the processor. The results are those
// of the C text, to the bit.

#include <appell/kin.h>

#include "cuda_pair.h"

enum { STATES = 37, MOST = 20 }; // an odd count; velocities of a robot

// What nvcc and its headers define. A kernel is run by emulate().
static const char stub[] =
    "#include <cmath>\n"
    "#include <cstdlib>\n"
    "#include <cstring>\n"
    "#define __global__\n"
    "#define __device__\n"
    "#define __shared__ static\n"
    "#define __launch_bounds__(...)\n"
    "#define __noinline__ __attribute__((noinline))\n"
    "#define __forceinline__ inline\n"
    "#define __ldcs(p) (*(p))\n"
    "#define __ldg(p) (*(p))\n"
    "#define __stcs(p, x) ((void)(*(p) = (x)))\n"
    "struct float2 { float x, y; };\n"
    "static inline float2 make_float2(float x, float y) { return {x, y}; }\n"
    "static struct { unsigned x; } blockIdx, blockDim, threadIdx;\n"
    "typedef int cudaError_t;\n"
    "typedef void *cudaStream_t;\n"
    "enum { cudaSuccess, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };\n"
    "static inline int cudaGetLastError() { return 0; }\n"
    "template <typename T> static int cudaMalloc(T **p, size_t n) { return !(*p = (T *)malloc(n)); "
    "}\n"
    "static inline int cudaFree(void *p) { return free(p), 0; }\n"
    "static inline int cudaStreamCreate(cudaStream_t *s) { return *s = nullptr, 0; }\n"
    "static inline int cudaStreamDestroy(cudaStream_t) { return 0; }\n"
    "static inline int cudaStreamSynchronize(cudaStream_t) { return 0; }\n"
    "static inline int cudaMemsetAsync(void *p, int x, size_t n, cudaStream_t) {\n"
    "  return memset(p, x, n), 0;\n"
    "}\n"
    "static inline int cudaMemcpyAsync(void *to, const void *from, size_t n, int, cudaStream_t) {\n"
    "  return memcpy(to, from, n), 0;\n"
    "}\n"
    "static inline int cudaMemcpy2DAsync(void *to, size_t to_row, const void *from, size_t "
    "from_row,\n"
    "                                    size_t width, size_t rows, int, cudaStream_t) {\n"
    "  for (size_t k = 0; k < rows; k++)\n"
    "    memcpy((char *)to + k * to_row, (const char *)from + k * from_row, width);\n"
    "  return 0;\n"
    "}\n"
    "template <typename... P> struct launched {\n"
    "  unsigned blocks, threads;\n"
    "  void (*kernel)(P...);\n"
    "  void operator()(P... p) {\n"
    "    blockDim.x = threads;\n"
    "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
    "      for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) kernel(p...);\n"
    "  }\n"
    "};\n"
    "template <typename... P>\n"
    "static launched<P...> emulate(unsigned blocks, unsigned threads, void (*kernel)(P...)) {\n"
    "  return {blocks, threads, kernel};\n"
    "}\n";

static bool open_pair(pair *p, const ap_model *m, ap_arithmetic real) {
  *p = (pair){.folder = "/tmp/appell-kernels-XXXXXX"};
  if (!CHECK(m) || !CHECK(mkdtemp(p->folder))) return false;
  const unsigned functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_INERTIA | 1u << AP_GEN_FORWARD |
                             1u << AP_GEN_INVERSE_DERIVATIVES;
  if (!generate(p, m, real, AP_TARGET_C, "cpu", functions) ||
      !generate(p, m, real, AP_TARGET_CUDA, "gpu", functions) || !save(p, "cuda_runtime.h", stub))
    return false;
  char command[1024];
  snprintf(
      command, sizeof command,
      "cd '%s' && (echo '#define __CUDACC__'; sed -zE 's/([a-z0-9_]+<[^<>;]*>)[ \\n]*<<<([^;]*), "
      "([A-Za-z0-9_]+_BLOCK), 0, stream>>>/emulate(\\2, \\3, \\1)/g' gpu.cu) >gpu.cpp && "
      "g++ -std=c++17 -O1 %s -ffp-contract=off -fPIC -I. -c gpu.cpp && "
      "cc -std=c11 -O1 %s -fPIC -c cpu.c && g++ -shared gpu.o cpu.o -o both.so",
      p->folder, fusing, fusing);
  return load_pair(p, command);
}

static bool has_compilers(void) {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("fma")) return false;
#endif
  return system("command -v g++ >/dev/null 2>&1 && command -v cc >/dev/null 2>&1") == 0;
}

// States in columns; real is double or float.
#define CHECK_KERNELS(real)                                                                        \
  typedef int launch3(size_t, const real *, const real *, const real *, real *, void *);           \
  typedef int launch1(size_t, const real *, real *, void *);                                       \
  typedef int forward(size_t, const real *, const real *, const real *, real *, int *, void *);    \
  typedef int matrices(size_t, const real *, const real *, const real *, real *, real *, real *,   \
                       void *);                                                                    \
  typedef int piped(void *, size_t, const real *, const real *, const real *, real *, int *);      \
  typedef int opening(void *, size_t);                                                             \
  typedef void closing(void *);                                                                    \
  typedef void cpu3(size_t, const real *, const real *, const real *, real *);                     \
  typedef void cpu1(size_t, const real *, real *);                                                 \
  typedef void cpu_matrices(size_t, const real *, const real *, const real *, real *, real *,      \
                            real *);                                                               \
  static real x[3][MOST * STATES], one[3 * MOST * MOST * STATES], other[3 * MOST * MOST * STATES]; \
  const int n = ap_nv(m), all = 3 * MOST * MOST * STATES;                                          \
  int singular[STATES] = {0};                                                                      \
  max_align_t pipe[16];                                                                            \
  rng r = rng_seed(7);                                                                             \
  for (int i = 0; i < 3 * MOST * STATES; i++)                                                      \
    x[i / (MOST * STATES)][i % (MOST * STATES)] = (real)rng_uniform(&r, -2, 2);                    \
  for (int i = 0; i < n; i++) x[0][(n - 1) * (STATES - 1) + i] = (real)1e7; /* some far away */    \
  for (size_t states = STATES - 1; states <= STATES; states++) { /* pairs, and an odd count */     \
    const size_t M = (size_t)n * (size_t)n * states;                                               \
    for (int i = 0; i < all; i++) one[i] = other[i] = 0;                                           \
    ((cpu3 *)find(p, "cpu_inverse_dynamics_batch"))(states, x[0], x[1], x[2], one);                \
    ((launch3 *)find(p, "gpu_inverse_dynamics_launch"))(states, x[0], x[1], x[2], other, NULL);    \
    CHECK_BITS(one, other, all);                                                                   \
    ((cpu1 *)find(p, "cpu_inertia_matrix_batch"))(states, x[0], one);                              \
    ((launch1 *)find(p, "gpu_inertia_matrix_launch"))(states, x[0], other, NULL);                  \
    CHECK_BITS(one, other, all);                                                                   \
    ((cpu_matrices *)find(p, "cpu_inverse_dynamics_derivatives_batch"))(                           \
        states, x[0], x[1], x[2], one, one + M, one + 2 * M);                                      \
    ((matrices *)find(p, "gpu_inverse_dynamics_derivatives_launch"))(                              \
        states, x[0], x[1], x[2], other, other + M, other + 2 * M, NULL);                          \
    CHECK_BITS(one, other, all);                                                                   \
    ((cpu3 *)find(p, "cpu_forward_dynamics_batch"))(states, x[0], x[1], x[2], one);                \
    ((forward *)find(p, "gpu_forward_dynamics_launch"))(states, x[0], x[1], x[2], other, singular, \
                                                        NULL);                                     \
    CHECK_BITS(one, other, all);                                                                   \
    for (int i = 0; i < n * (int)states; i++) other[i] = 0;                                        \
    CHECK_EQ_INT(((opening *)find(p, "gpu_pipe_open"))(pipe, 10), 0);                              \
    ((piped *)find(p, "gpu_forward_dynamics_pipe"))(pipe, states, x[0], x[1], x[2], other,         \
                                                    singular);                                     \
    ((closing *)find(p, "gpu_pipe_close"))(pipe);                                                  \
    CHECK_BITS(one, other, all);                                                                   \
    for (size_t k = 0; k < states; k++) CHECK_EQ_INT(singular[k], 0);                              \
  }

static void check_f64(const ap_model *m, const pair *p) { CHECK_KERNELS(double) }
static void check_f32(const ap_model *m, const pair *p) { CHECK_KERNELS(float) }

static bool has_word(const pair *p, const char *word) {
  char command[128];
  snprintf(command, sizeof command, "grep -q '%s' '%s/gpu.cu'", word, p->folder);
  return system(command) == 0;
}

// sliced: where its derivatives are. kept: where values lie in shared memory, too.
static void check(const char *robot, ap_arithmetic real, bool sliced, bool kept) {
  pair p;
  if (!has_compilers()) {
    test_skip("g++ (scripts/setup ci) or fused products are missing");
    return;
  }
  ap_model *m = builtin(robot);
  test_context("%s", robot);
  if (open_pair(&p, m, real)) {
    CHECK_EQ_INT(has_word(&p, "_derivatives_slice2"), sliced);
    CHECK_EQ_INT(has_word(&p, "__shared__"), kept);
    if (real == AP_F32)
      check_f32(m, &p);
    else
      check_f64(m, &p);
  }
  close_pair(&p);
  ap_model_free(m);
}

TEST(kernels_in_double) { check("puma600", AP_F64, false, false); }
TEST(kernels_of_pairs_in_float) { check("stanford", AP_F32, false, false); }
TEST(kernels_in_slices) { check("quadruped", AP_F64, true, true); }
