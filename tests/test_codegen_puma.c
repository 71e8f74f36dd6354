// SPDX-License-Identifier: Apache-2.0
// Generated code of one robot: the same text every time, its operations, options that are refused,
// sines and cosines, families of bits, single precision.

#include <appell/codegen.h>
#include <appell/dyn.h>

#include "generated.h"
#include "models.h"
#include "research/f128.h"

typedef struct puma {
  void *memory;
  ap_model *m;
} puma;

static puma make_puma(void) {
  const ap_robot_def *def = ap_builtin("puma600");
  size_t size = ap_model_size(def);
  puma p = {.memory = malloc(size)};
  p.m = ap_model_init(def, p.memory, size, NULL);
  return p;
}

TEST(same_text_every_time) {
  puma p = make_puma();
  ap_generate_options options = ap_default_generate();
  ap_code *a = NULL, *b = NULL;
  CHECK_OK(ap_generate(p.m, &options, &a, NULL));
  CHECK_OK(ap_generate(p.m, &options, &b, NULL));
  CHECK_STR(ap_code_source(a), ap_code_source(b));
  CHECK_STR(ap_code_header(a), ap_code_header(b));
  ap_code_free(a), ap_code_free(b);
  free(p.memory);
}

// What design.md's prototype had: 228 multiplications and 194 additions.
TEST(operations_of_the_puma) {
  puma p = make_puma();
  ap_generate_options options = ap_default_generate();
  options.functions = 1u << AP_GEN_INVERSE;
  ap_code *code = NULL;
  ap_count count;
  CHECK_OK(ap_generate(p.m, &options, &code, NULL));
  CHECK_OK(ap_code_count(code, AP_GEN_INVERSE, &count));
  CHECK(count.mul <= 169 && count.add <= 138 && count.div == 0 && count.sincos == 5);
  CHECK_STATUS(ap_code_count(code, AP_GEN_BIAS, &count), AP_E_ARG);
  ap_code_free(code);
  free(p.memory);
}

TEST(wrong_options) {
  puma p = make_puma();
  ap_generate_options options = ap_default_generate();
  ap_code *code;
  ap_error error;
  options.arithmetic = AP_F128;
  CHECK_STATUS(ap_generate(p.m, &options, &code, &error), AP_E_ARG);
  options = ap_default_generate(), options.functions = 0;
  CHECK_STATUS(ap_generate(p.m, &options, &code, &error), AP_E_ARG);
  options = ap_default_generate(), options.functions = 1u << AP_FUNCTIONS;
  CHECK_STATUS(ap_generate(p.m, &options, &code, &error), AP_E_ARG);
  options = ap_default_generate(), options.name = "a b";
  CHECK_STATUS(ap_generate(p.m, &options, &code, &error), AP_E_ARG);
  CHECK(code == NULL);
  free(p.memory);
}

#ifdef AP_HAVE_F128

// A pendulum of one kilogram and one metre in a field of 1 m/s2 along -x or -y: the force that
// holds it is its sine or its cosine.
static void compare_sines(bool cosine, const double *q, int n) {
  ap_body_def body = ap_default_body();
  body.name = "pendulum", body.joint = AP_REVOLUTE, body.mass = 1, body.com[0] = 1;
  ap_robot_def def = {.name = "sines", .bodies = &body, .nbody = 1, .cookie = AP_COOKIE};
  def.gravity[cosine ? 1 : 0] = cosine ? -1 : 1;
  size_t size = ap_model_size(&def);
  void *memory = malloc(size);
  const ap_model *m = ap_model_init(&def, memory, size, NULL);
  ap_generate_options options = ap_default_generate();
  options.functions = 1u << AP_GEN_GRAVITY;
  generated g = generated_open(m, &options, generated_compiler(), "-O2 -march=native");
  one_array *one = (one_array *)generated_symbol(&g, "gravity", "");
  one_array_batch *many = (one_array_batch *)generated_symbol(&g, "gravity", "_batch");
  double *out = calloc((size_t)n, sizeof *out);
  if (CHECK(one && many && out)) many((size_t)n, q, out);
  for (int k = 0; one && out && k < n; k++) {
    double got;
    f128 s, c;
    one(&q[k], &got);
    CHECK_BITS(&got, &out[k], 1);
    ap__sincos_f128((f128)q[k], 0, &s, &c);
    f128 error = (f128)got - (cosine ? c : s);
    CHECK((double)(error < 0 ? -error : error) < 1.25e-16);
  }
  free(out);
  generated_close(&g);
  free(memory);
}

// Angles of all sizes, those that libm takes among them; the error is what docs/generate.md says.
TEST(sines_and_cosines) {
  enum { ANGLES = 4000 };
  static double q[ANGLES];
  rng r = rng_seed(12);
  for (int k = 0; k < ANGLES; k++) {
    q[k] = rng_uniform(&r, -1, 1) * pow(10, rng_uniform(&r, -9, k % 16 ? 6 : 200));
    if (k % 4 == 0) q[k] = k * 0x1.921fb54442d18p-2 * (1 + rng_uniform(&r, -1, 1) * 1e-12);
  }
  compare_sines(false, q, ANGLES);
  compare_sines(true, q, ANGLES);
}

#endif

static bool has_fma(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

// Compilers, levels and instruction sets of a family give the same bits, of one state and of many.
TEST(families_of_bits) {
  enum { ROWS = 40, NUMBERS = 2 * ROWS * 6 };
  static const struct {
    const char *flags;
    bool fused;
  } how[] = {
      {"-O0", false},
      {"-O3", false},
#ifdef __x86_64__
      {"-O2 -mavx2", false},
      {"-O2 -march=native -Dpuma600_APART", false},
      {"-O0 -mavx2 -mfma", true},
      {"-O3 -mavx2 -mfma", true},
      {"-O3 -march=native", true},
#endif
  };
  enum { HOWS = sizeof how / sizeof *how };
  static double first[2][NUMBERS], out[NUMBERS], in[3][ROWS * 6];
  bool seen[2] = {false};
  puma p = make_puma();
  ap_generate_options options = ap_default_generate();
  options.functions = 1u << AP_GEN_INVERSE;
  rng r = rng_seed(21);
  for (int k = 0; k < 3 * ROWS * 6; k++) in[k % 3][k / 3] = rng_uniform(&r, -3, 3);
  for (int k = 0; k < 2 * HOWS; k++) {
    bool fused = how[k / 2].fused;
    if ((k % 2 && !generated_has_clang()) || (strstr(how[k / 2].flags, " -m") && !has_fma()))
      continue;
    generated g = generated_open(p.m, &options, k % 2 ? "clang" : "gcc", how[k / 2].flags);
    three_arrays *one = (three_arrays *)generated_symbol(&g, "inverse_dynamics", "");
    three_arrays_batch *many =
        (three_arrays_batch *)generated_symbol(&g, "inverse_dynamics", "_batch");
    test_context("%s %s", k % 2 ? "clang" : "gcc", how[k / 2].flags);
    if (!CHECK(one && many)) continue;
    for (int i = 0; i < ROWS; i++) one(in[0] + 6 * i, in[1] + 6 * i, in[2] + 6 * i, out + 6 * i);
    many(ROWS, in[0], in[1], in[2], out + NUMBERS / 2);
    if (seen[fused]) CHECK_BITS(out, first[fused], NUMBERS);
    memcpy(first[fused], out, sizeof out);
    seen[fused] = true;
    generated_close(&g);
  }
  CHECK(!seen[1] || memcmp(first[0], first[1], sizeof out) != 0);
  free(p.memory);
}

// Float against the library in double: some hundred roundings of 6e-8 each, of which few add up.
TEST(single_precision) {
  puma p = make_puma();
  ap_generate_options options = ap_default_generate();
  options.arithmetic = AP_F32;
  options.functions = 1u << AP_GEN_INVERSE | 1u << AP_GEN_FORWARD;
  generated g = generated_open(p.m, &options, generated_compiler(), "-O1 -march=native");
  typedef void inverse_f32(const float *q, const float *v, const float *a, float *tau);
  inverse_f32 *f = (inverse_f32 *)generated_symbol(&g, "inverse_dynamics", "");
  size_t size = ap_work_size(p.m);
  void *memory = malloc(size);
  ap_work *w = ap_work_init(p.m, memory, size);
  rng r = rng_seed(3);
  for (int k = 0; CHECK(f) && k < 20; k++) {
    float in[3][6], out[6];
    double x[3][6], tau[6], got[6];
    for (int i = 0; i < 18; i++)
      x[i / 6][i % 6] = (double)(in[i / 6][i % 6] = (float)rng_uniform(&r, -3, 3));
    f(in[0], in[1], in[2], out);
    ap_inverse_dynamics(p.m, w, x[0], x[1], x[2], tau);
    for (int i = 0; i < 6; i++) got[i] = (double)out[i];
    CHECK_NEAR(got, tau, 6, 2e-6);
  }
  free(memory);
  generated_close(&g);
  free(p.memory);
}
