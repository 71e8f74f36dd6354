// SPDX-License-Identifier: Apache-2.0
#include "codegen/fused_text.h"

// Never a call of libm: where the compiler has no instruction for it, product and sum are apart.
// Vectors need the processors' own names.
static const char choice_text[] =
    "\n"
    "/* Fused products, x y + z rounded once, where the processor has an instruction for them: "
    "the\n"
    "   same bits on all such processors. Elsewhere, and where $N_APART is defined, product and "
    "sum\n"
    "   are rounded apart: other bits, the same on all of those. */\n"
    "#if !defined $N_APART && defined __GNUC__ && \\\n"
    "    (defined __FMA__ || defined __FP_FAST_FMA$F || \\\n"
    "     (defined __ARM_FEATURE_FMA && (__ARM_FP & $M)))\n"
    "#define $N_FUSED\n"
    "#endif\n"
    "#if defined $N_FUSED && defined __FMA__\n"
    "#include <immintrin.h>\n"
    "#define $N_FMA_16(x, y, z) _mm_fmadd_$P(x, y, z)\n"
    "#define $N_FMA_32(x, y, z) _mm256_fmadd_$P(x, y, z)\n"
    "#define $N_FMA_64(x, y, z) _mm512_fmadd_$P(x, y, z)\n"
    "#define $N_FNMA_16(x, y, z) _mm_fnmadd_$P(x, y, z)\n"
    "#define $N_FNMA_32(x, y, z) _mm256_fnmadd_$P(x, y, z)\n"
    "#define $N_FNMA_64(x, y, z) _mm512_fnmadd_$P(x, y, z)\n"
    "#elif defined $N_FUSED && defined __aarch64__\n"
    "#include <arm_neon.h>\n"
    "#define $N_FMA_16(x, y, z) vfmaq_f$B(($A)(z), ($A)(x), ($A)(y))\n"
    "#endif\n"
    "#ifdef $N_FUSED\n"
    "static inline $R $N_fma($R x, $R y, $R z) { return __builtin_fma$f(x, y, z); }\n"
    "#else\n"
    "static inline $R $N_fma($R x, $R y, $R z) { return x * y + z; }\n"
    "#endif\n";

static const char pack_text[] =
    "#ifdef $N_VECTORS\n"
    "$N_MAYBE static inline $V $N_fma$S($V x, $V y, $V z) {\n"
    "#if !defined $N_FUSED\n"
    "  return x * y + z;\n"
    "#elif defined $N_FMA_16\n"
    "  return ($V)$N_FMA_16(x, y, z);\n"
    "#else\n"
    "  int k;\n"
    "  for (k = 0; k < (int)(sizeof x / sizeof x[0]); k++) x[k] = $N_fma(x[k], y[k], z[k]);\n"
    "  return x;\n"
    "#endif\n"
    "}\n"
    "#endif\n";

static const char lanes_text[] =
    "\n"
    "static inline $V $N_fma$S($V x, $V y, $V z) {\n"
    "#if !defined $N_FUSED\n"
    "  return x * y + z;\n"
    "#elif !defined $N_VECTORS\n"
    "  return $N_fma(x, y, z);\n"
    "#elif $N_VECTORS == 64 && defined $N_FMA_64\n"
    "  return ($V)$N_FMA_64(x, y, z);\n"
    "#elif $N_VECTORS == 32 && defined $N_FMA_32\n"
    "  return ($V)$N_FMA_32(x, y, z);\n"
    "#elif $N_VECTORS == 16 && defined $N_FMA_16\n"
    "  return ($V)$N_FMA_16(x, y, z);\n"
    "#else\n"
    "  int k;\n"
    "  for (k = 0; k < (int)$N_WIDTH; k++) x[k] = $N_fma(x[k], y[k], z[k]);\n"
    "  return x;\n"
    "#endif\n"
    "}\n";

// z - x y, of sines and cosines. Compilers negate x apart where the product is a processor's own
// name.
static const char negative_text[] =
    "$Q $V $N_fnma$S($V x, $V y, $V z) { return $N_fma$S(-x, y, z); }\n";
static const char negative_pack_text[] =
    "#ifdef $N_VECTORS\n"
    "static inline $V $N_fnma$S($V x, $V y, $V z) {\n"
    "#ifdef $N_FNMA_16\n"
    "  return ($V)$N_FNMA_16(x, y, z);\n"
    "#else\n"
    "  return $N_fma$S(-x, y, z);\n"
    "#endif\n"
    "}\n"
    "#endif\n";
static const char negative_lanes_text[] =
    "static inline $V $N_fnma$S($V x, $V y, $V z) {\n"
    "#if defined $N_FNMA_64 && $N_VECTORS == 64\n"
    "  return ($V)$N_FNMA_64(x, y, z);\n"
    "#elif defined $N_FNMA_32 && $N_VECTORS == 32\n"
    "  return ($V)$N_FNMA_32(x, y, z);\n"
    "#elif defined $N_FNMA_16 && $N_VECTORS == 16\n"
    "  return ($V)$N_FNMA_16(x, y, z);\n"
    "#else\n"
    "  return $N_fma$S(-x, y, z);\n"
    "#endif\n"
    "}\n";

static const char device_text[] = "\n$Q $R $N_fma($R x, $R y, $R z) { return fma$f(x, y, z); }\n";

static bool is_used(const ap_unit *u) {
  return ap__has_angles(u) || ap__has_operation(u, AP_OP_FMA);
}

void ap__put_fused(ap__text *t, const ap_unit *u) {
  if (!is_used(u)) return;
  ap__put_text(t, u, choice_text, "", "");
  if (ap__has_angles(u)) ap__put_text(t, u, negative_text, "", "");
  if (ap__has_angles(u) || u->pairs) ap__put_text(t, u, pack_text, "pack", "_pack");
  if (ap__has_angles(u)) ap__put_text(t, u, negative_pack_text, "pack", "_pack");
}

void ap__put_fused_lanes(ap__text *t, const ap_unit *u) {
  if (is_used(u)) ap__put_text(t, u, lanes_text, "lanes", "_lanes");
  if (ap__has_angles(u)) ap__put_text(t, u, negative_lanes_text, "lanes", "_lanes");
}

void ap__put_fused_on_device(ap__text *t, const ap_unit *u) {
  if (is_used(u)) ap__put_text(t, u, device_text, "", "");
  if (ap__has_angles(u)) ap__put_text(t, u, negative_text, "", "");
}
