// SPDX-License-Identifier: Apache-2.0
#include "codegen/sincos_text.h"

#include <string.h>

// ---- the library's text ------------------------------------------------------------------------

// Made a template by the preprocessor, constants filled in. Without the terms that keep the last
// bits next to multiples of pi/2, where a sine of which one turn is known to rounding only has no
// use for them: they would cost the inverse dynamics of many states up to a quarter of its time.
// clang-format off
#define SC_CORE(...)   SC_STRING(__VA_ARGS__),
#define SC_STRING(...) #__VA_ARGS__
#define SC_REST(...)
#define SC_SHORT(...)  __VA_ARGS__
#define SC_FUNCTION    @Q
#define SC_FLT         @R
#define SC_INT         @i
#define SC_UINT        @u
#define SCV(name)      @N_##name@S
#define SCV_FLT        @V
#define SCV_INT        @I
#define SCV_UINT       @U
#define SCV_BITS       SCV(bits)
#define SCV_FROM_BITS  SCV(number)
#define SCV_ALL(x)     @K(x)
#define SCV_FMA        SCV(fma)
#define SCV_FNMA       SCV(fnma)
// clang-format on

// Its functions; the last, which adds an offset, is not needed.
enum { CORE_FUNCTIONS = 2, CORE_ROOM = 4096 };
static const char *const core_f64[] = {
#define SC_DOUBLE
#include "num/sincos_constants.inc"
#include "num/sincos_core.inc"
};
static const char *const core_f32[] = {
#undef SC_DOUBLE
#include "num/sincos_constants.inc"
#include "num/sincos_core.inc"
};

// The preprocessor has made one line of a function: a statement is one again.
static void lay_out(const char *text, char to[CORE_ROOM]) {
  char *const end = to + CORE_ROOM - 4;
  *to++ = '\n';
  while (*text && to < end) {
    *to++ = *text;
    if (!strchr(";{}", *text++)) continue;
    text += *text == ' ';
    memcpy(to, "\n  ", 3);
    to += *text && *text != '}' ? 3 : 1;
  }
  *to = '\0';
}

static const char bits_text[] =
    "\n"
    "$Q $U $N_bits$S($V x) {\n"
    "  $U b;\n"
    "  memcpy(&b, &x, sizeof b);\n"
    "  return b;\n"
    "}\n"
    "$Q $V $N_number$S($U b) {\n"
    "  $V x;\n"
    "  memcpy(&x, &b, sizeof x);\n"
    "  return x;\n"
    "}\n";

void ap__put_sincos_core(ap__text *t, const ap_unit *u, const char *value, const char *ending) {
  const char *const *core = ap__is_single(u) ? core_f32 : core_f64;
  ap__put_text(t, u, bits_text, value, ending);
  for (int k = 0; k < CORE_FUNCTIONS; k++) {
    char text[CORE_ROOM];
    lay_out(core[k], text);
    ap__put_text(t, u, text, value, ending);
  }
}

// ---- many angles -------------------------------------------------------------------------------

static const char scalar_text[] =
    "\n"
    "/* Angles too large to be reduced here: by libm. */\n"
    "$C static void $N_far(int n, const $R *x, $R *s, $R *c) {\n"
    "  int i;\n"
    "  for (i = 0; i < n; i++)\n"
    "    if ($N_sc_reduce(x[i], s + i, c + i) < 0) s[i] = sin$f(x[i]), c[i] = cos$f(x[i]);\n"
    "}\n"
    "\n"
    "/* Sines and cosines of n angles. */\n"
    "static inline void $N_sincos(int n, const $R *x, $R *s, $R *c) {\n"
    "  $i far = 0;\n"
    "  int i = 0;\n"
    "#ifdef $N_VECTORS\n"
    "  enum { width = sizeof($N_pack) / sizeof($R) };\n"
    "  $N_pack_i far_pack = {0};\n"
    "  while (n >= width && i < n) { /* the last may overlap those before */\n"
    "    $N_pack vx, vs, vc;\n"
    "    if (i > n - width) i = n - width;\n"
    "    memcpy(&vx, x + i, sizeof vx);\n"
    "    far_pack |= $N_sc_reduce_pack(vx, &vs, &vc);\n"
    "    memcpy(s + i, &vs, sizeof vs);\n"
    "    memcpy(c + i, &vc, sizeof vc);\n"
    "    i += width;\n"
    "  }\n"
    "  if (n >= width) {\n"
    "    int k;\n"
    "    for (k = 0; k < width; k++) far |= far_pack[k];\n"
    "  }\n"
    "#endif\n"
    "  for (; i < n; i++) far |= $N_sc_reduce(x[i], s + i, c + i);\n"
    "  if (far < 0) $N_far(n, x, s, c);\n"
    "}\n";

static const char lanes_text[] =
    "\n"
    "$C static void $N_far_lanes(int n, const $N_lanes *x, $N_lanes *s, $N_lanes *c) {\n"
    "  $R one[3][$N_LANE_COUNT];\n"
    "  int i;\n"
    "  for (i = 0; i < n; i++) {\n"
    "    memcpy(one[0], x + i, sizeof one[0]);\n"
    "    $N_sincos($N_LANE_COUNT, one[0], one[1], one[2]);\n"
    "    memcpy(s + i, one[1], sizeof one[1]);\n"
    "    memcpy(c + i, one[2], sizeof one[2]);\n"
    "  }\n"
    "}\n"
    "\n"
    "static inline void $N_sincos_lanes(int n, const $N_lanes *x, $N_lanes *s, $N_lanes *c) {\n"
    "  $N_lanes_i far_lanes = {0};\n"
    "  $i fars[$N_LANE_COUNT], far = 0;\n"
    "  int i;\n"
    "  for (i = 0; i < n; i++) far_lanes |= $N_sc_reduce_lanes(x[i], s + i, c + i);\n"
    "  memcpy(fars, &far_lanes, sizeof fars);\n"
    "  for (i = 0; i < $N_LANE_COUNT; i++) far |= fars[i];\n"
    "  if (far < 0) $N_far_lanes(n, x, s, c);\n"
    "}\n";

void ap__put_sincos(ap__text *t, const ap_unit *u) {
  ap__put_sincos_core(t, u, "", "");
  ap__put_text(t, u, "\n#ifdef $N_VECTORS", "", "");
  ap__put_sincos_core(t, u, "pack", "_pack");
  ap__put_text(t, u, "#endif\n", "", "");
  ap__put_text(t, u, scalar_text, "", "");
  if (!u->options->batch) return;
  ap__put_sincos_core(t, u, "lanes", "_lanes");
  ap__put_text(t, u, lanes_text, "", "");
}
