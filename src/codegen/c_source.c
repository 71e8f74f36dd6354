// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_source.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/fused_text.h"
#include "codegen/sincos_text.h"
#include "num/singular.h"

enum { NAME_ROOM = 128 };

void ap__put_text(ap__text *t, const ap_unit *u, const char *text, const char *value,
                  const char *ending) {
  bool single = ap__is_single(u);
  const char *integer = single ? "int32_t" : "int64_t";
  const char *natural = single ? "uint32_t" : "uint64_t";
  char V[NAME_ROOM], I[NAME_ROOM], U[NAME_ROOM], cold[NAME_ROOM], splat[NAME_ROOM + 16];
  snprintf(cold, sizeof cold, "%s_COLD", u->name);
  snprintf(V, sizeof V, value[0] ? "%s_%s" : "%.0s%s", u->name, value[0] ? value : ap__scalar(u));
  snprintf(I, sizeof I, value[0] ? "%s_%s_i" : "%.0s%s", u->name, value[0] ? value : integer);
  snprintf(U, sizeof U, value[0] ? "%s_%s_u" : "%.0s%s", u->name, value[0] ? value : natural);
  snprintf(splat, sizeof splat, "(%s){0} + ", V);
  const ap_word words[] = {{'N', u->name},
                           {'R', ap__scalar(u)},
                           {'V', V},
                           {'I', I},
                           {'U', U},
                           {'i', integer},
                           {'u', natural},
                           {'S', ending},
                           {'f', single ? "f" : ""},
                           {'F', single ? "F" : ""},
                           {'P', single ? "ps" : "pd"},
                           {'B', single ? "32" : "64"},
                           {'A', single ? "float32x4_t" : "float64x2_t"},
                           {'M', single ? "4" : "8"},    // of __ARM_FP
                           {'K', value[0] ? splat : ""}, // a number in every lane
                           {'C', cold},
                           {'Q', u->inlined},
                           {0}};
  ap__put_template(t, text, words);
}

// ---- one state at a time -----------------------------------------------------------------------

static void load_scalar(ap__text *t, const ap_dialect *d, const char *array, int i) {
  ap__text_add(t, "  const %s %s%d = %s[%d];\n", d->type, array, i, array, i);
}
static void store_scalar(ap__text *t, const ap_dialect *d, const char *array, int i) {
  (void)d;
  ap__text_add(t, "  %s[%d] = ", array, i);
}
static void stored_scalar(ap__text *t, const ap_dialect *d, const char *array, int i) {
  (void)d, (void)array, (void)i;
  put(t, ";\n");
}

static void zeros_scalar(ap__text *t, const ap_dialect *d, const char *array, int i, int count) {
  ap__text_add(t, "  memset(%s + %d, 0, %d * sizeof(%s));\n", array, i, count, d->type);
}

// The first of n angles that lie one behind the other in an input array; NULL where they don't.
static const ap_node *consecutive(const ap_plan *plan) {
  const ap_node *node = plan->p->tape.node, *first = &node[plan->angle[0]];
  for (int k = 0; k < plan->angles; k++) {
    const ap_node *n = &node[plan->angle[k]];
    if (n->op != AP_OP_INPUT || n->a != first->a || n->b != first->b + k) return NULL;
  }
  return first;
}

static void put_angles(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  ap__text_add(t, "  const %s angle[%d] = {", d->type, plan->angles);
  for (int k = 0; k < plan->angles; k++) {
    put(t, k > 0 ? ", " : "");
    ap__put_value(t, d, plan, ap__tape_ref(NULL, plan->angle[k]));
  }
  put(t, "};\n");
}

static void put_sincos(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  int n = plan->angles;
  const ap_node *first = d->direct ? consecutive(plan) : NULL;
  if (!first) put_angles(t, d, plan);
  ap__text_add(t, "  %s s[%d], c[%d];\n  %s_sincos%s(%d, ", d->type, n, n, d->name, d->ending, n);
  if (first) ap__text_add(t, "%s + %d", plan->p->input[first->a].name, first->b);
  put(t, first ? ", s, c);\n" : "angle, s, c);\n");
}

// The rule of num/singular.h: AP_SINGULAR_ULPS epsilon, and what a product of sizes over pivots
// must be below to leave no doubt.
static double singular_limit(bool single) {
  return AP_SINGULAR_ULPS * (single ? (double)FLT_EPSILON : DBL_EPSILON);
}

static bool is_known(real x) { return x.node == 0; }

static void put_never(ap__text *t, const char *what) {
  ap__text_add(t, "  %s &= ~%s; /* whatever the state */\n", what, what);
}

// That inverse pivots are positive.
static void put_pivots(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  const ap_program *p = plan->p;
  bool possible = true;
  for (int i = 0; i < p->pivots; i++) {
    real inverse = p->value[p->values + i];
    if (is_known(inverse)) {
      possible = possible && inverse.v > 0;
      continue;
    }
    ap__text_add(t, "  sound &= %s(", d->mask);
    ap__put_value(t, d, plan, inverse);
    ap__text_add(t, " > %s);\n", d->single ? "0.0f" : "0.0");
  }
  if (!possible) put_never(t, "sound");
}

// That the product of sizes over pivots is so small that it leaves no doubt.
static void put_certainty(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  double most = 1 / (4 * singular_limit(d->single));
  real product = ap__probe_value(plan->p, AP_OF_PRODUCT);
  if (is_known(product)) {
    if (!(product.v < most)) put_never(t, "sure");
    return;
  }
  ap__text_add(t, "  sure &= %s(", d->mask);
  ap__put_value(t, d, plan, product);
  ap__text_add(t, " < %a%s);\n", most, d->single ? "f" : "");
}

// What the probe says.
static void put_probe(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  double limit = singular_limit(d->single);
  real energy = ap__probe_value(plan->p, AP_OF_ENERGY), size = ap__probe_value(plan->p, AP_OF_SIZE);
  if (is_known(energy) && is_known(size)) {
    if (!(energy.v > limit * size.v)) put_never(t, "sound");
    return;
  }
  ap__text_add(t, "  sound &= %s(", d->mask);
  ap__put_value(t, d, plan, energy);
  ap__text_add(t, " > %a%s * (", limit, d->single ? "f" : "");
  ap__put_value(t, d, plan, size);
  put(t, "));\n");
}

void ap__doubt_scalar(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  put(t, "  int sound = 1, sure = 1;\n");
  put_pivots(t, d, plan);
  put_certainty(t, d, plan);
  put(t, "  if (!sure) {\n");
}

void ap__check_scalar(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  put_probe(t, d, plan);
  put(t, "  }\n  if (!sound) return 1;\n");
}

// ---- many states side by side ------------------------------------------------------------------

static void load_lanes(ap__text *t, const ap_dialect *d, const char *array, int i) {
  ap__text_add(t, "  %s %s%d;\n  memcpy(&%s%d, %s + %d * n, sizeof %s%d);\n", d->type, array, i,
               array, i, array, i, array, i);
}
static void store_lanes(ap__text *t, const ap_dialect *d, const char *array, int i) {
  (void)d, (void)array, (void)i;
  put(t, "  r = ");
}
static void stored_lanes(ap__text *t, const ap_dialect *d, const char *array, int i) {
  (void)d;
  ap__text_add(t, ";\n  memcpy(%s + %d * n, &r, sizeof r);\n", array, i);
}
static void stored_where_sound(ap__text *t, const ap_dialect *d, const char *array, int i) {
  ap__text_add(t, ";\n  if (!all) %s_keep(&sound, %s + %d * n, &r);\n", d->name, array, i);
  ap__text_add(t, "  memcpy(%s + %d * n, &r, sizeof r);\n", array, i);
}

static void doubt_lanes(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  ap__text_add(t, "  %s_i sound = %s_MASK((%s){0} == (%s){0}), sure = sound;\n  int all;\n",
               d->type, d->name, d->type, d->type);
  put_pivots(t, d, plan);
  put_certainty(t, d, plan);
  ap__text_add(t, "  if (!%s_all(&sure)) {\n", d->name);
}

static void check_lanes(ap__text *t, const ap_dialect *d, const ap_plan *plan) {
  put_probe(t, d, plan);
  ap__text_add(t, "  }\n  all = %s_all(&sound);\n", d->name);
}

static const char prologue[] =
    "#include \"$N.h\"\n"
    "\n"
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "\n"
    "#ifdef __FAST_MATH__\n"
    "#error \"sines and singular matrices rely on IEEE arithmetic: compile without -ffast-math\"\n"
    "#endif\n"
    "/* What is fused is written below, so that all compilers and both kinds of entry points "
    "agree\n"
    "   to the bit: they fuse nothing themselves. */\n"
    "#if defined __clang__\n"
    "#pragma STDC FP_CONTRACT OFF\n"
    "#elif defined __GNUC__\n"
    "/* gcc 12 fuses in what it gathers from straight-line code all the same (vfmaddsub) */\n"
    "#pragma GCC optimize(\"fp-contract=off\", \"no-tree-slp-vectorize\")\n"
    "#endif\n";

static const char vectors[] =
    "\n"
    "/* Vectors where the processor has some; otherwise a vector is one number. */\n"
    "#if defined __GNUC__ && defined __AVX512F__\n"
    "#define $N_VECTORS 64\n"
    "#elif defined __GNUC__ && defined __AVX__\n"
    "#define $N_VECTORS 32\n"
    "#elif defined __GNUC__ && (defined __SSE2__ || defined __aarch64__)\n"
    "#define $N_VECTORS 16\n"
    "#endif\n"
    "#ifdef __GNUC__\n"
    "#define $N_COLD __attribute__((noinline, cold))\n"
    "#define $N_PART __attribute__((noinline))\n"
    "#define $N_MAYBE __attribute__((unused))\n"
    "#else\n"
    "#define $N_COLD\n"
    "#define $N_PART\n"
    "#define $N_MAYBE\n"
    "#endif\n"
    "#ifdef $N_VECTORS\n"
    "/* Within one state: a processor that has not used wider ones for a while is slow at them. "
    "*/\n"
    "typedef $R $N_pack __attribute__((vector_size(16)));\n"
    "typedef $i $N_pack_i __attribute__((vector_size(16)));\n"
    "typedef $u $N_pack_u __attribute__((vector_size(16)));\n"
    "#endif\n";

static const char pairs_text[] =
    "\n"
    "/* Two numbers of one state side by side. */\n"
    "#ifdef $N_VECTORS\n"
    "#define $N_AT(x, i) (x)[i]\n"
    "#define $N_PAIR(x, y) (($N_pack){x, y})\n"
    "#define $N_SPLAT(x) $N_splat(x)\n"
    "#define $N_SWAP(x) $N_PAIR((x)[1], (x)[0])\n"
    "#define $N_FLIP(x) $N_flip(x)\n"
    "#define $N_PAIR_AT(x) $N_pair_at(x)\n"
    "#define $N_PUT(x, y) memcpy(x, &(y), sizeof(y))\n"
    "#define $N_ADD(x, y) ((x) + (y))\n"
    "#define $N_SUB(x, y) ((x) - (y))\n"
    "#define $N_MUL(x, y) ((x) * (y))\n"
    "#define $N_DIV(x, y) ((x) / (y))\n"
    "#define $N_FMA(x, y, z) $N_fma_pack(x, y, z)\n"
    "#if defined $N_FUSED && defined __FMA__\n"
    "#define $N_FMS(x, y, z) (($N_pack)_mm_fmsub_$P(x, y, z))\n"
    "#define $N_FNMA(x, y, z) (($N_pack)_mm_fnmadd_$P(x, y, z))\n"
    "#define $N_FNMS(x, y, z) (($N_pack)_mm_fnmsub_$P(x, y, z))\n"
    "#else\n"
    "#define $N_FMS(x, y, z) $N_fma_pack(x, y, -(z))\n"
    "#define $N_FNMA(x, y, z) $N_fma_pack(-(x), y, z)\n"
    "#define $N_FNMS(x, y, z) $N_fma_pack(-(x), y, -(z))\n"
    "#endif\n"
    "$N_MAYBE static inline $N_pack $N_splat($R x) { return $N_PAIR(x, x); }\n"
    "$N_MAYBE static inline $N_pack $N_flip($N_pack x) {\n"
    "  return ($N_pack)(($N_pack_u)x ^ (($N_pack_u){0, ($u)1 << 63}));\n"
    "}\n"
    "$N_MAYBE static inline $N_pack $N_pair_at(const $R *x) {\n"
    "  $N_pack r;\n"
    "  memcpy(&r, x, sizeof r);\n"
    "  return r;\n"
    "}\n"
    "#else\n"
    "typedef struct {\n"
    "  $R at[2];\n"
    "} $N_pack;\n"
    "#define $N_AT(x, i) (x).at[i]\n"
    "#define $N_PUT(x, y) memcpy(x, (y).at, sizeof (y).at)\n"
    "#define $N_OF(x, y) $N_PAIR((x).at[0] y.at[0], (x).at[1] y.at[1])\n"
    "$N_MAYBE static inline $N_pack $N_PAIR($R x, $R y) {\n"
    "  $N_pack r;\n"
    "  r.at[0] = x, r.at[1] = y;\n"
    "  return r;\n"
    "}\n"
    "$N_MAYBE static inline $N_pack $N_SPLAT($R x) { return $N_PAIR(x, x); }\n"
    "$N_MAYBE static inline $N_pack $N_SWAP($N_pack x) { return $N_PAIR(x.at[1], x.at[0]); }\n"
    "$N_MAYBE static inline $N_pack $N_FLIP($N_pack x) { return $N_PAIR(x.at[0], -x.at[1]); }\n"
    "$N_MAYBE static inline $N_pack $N_PAIR_AT(const $R *x) { return $N_PAIR(x[0], x[1]); }\n"
    "$N_MAYBE static inline $N_pack $N_ADD($N_pack x, $N_pack y) { return $N_OF(x, + y); }\n"
    "$N_MAYBE static inline $N_pack $N_SUB($N_pack x, $N_pack y) { return $N_OF(x, - y); }\n"
    "$N_MAYBE static inline $N_pack $N_MUL($N_pack x, $N_pack y) { return $N_OF(x, * y); }\n"
    "$N_MAYBE static inline $N_pack $N_DIV($N_pack x, $N_pack y) { return $N_OF(x, / y); }\n"
    "$N_MAYBE static inline $N_pack $N_FUSE($N_pack x, $R p, $N_pack y, $R m, $N_pack z) {\n"
    "  return $N_PAIR($N_fma(x.at[0], p * y.at[0], m * z.at[0]),\n"
    "                 $N_fma(x.at[1], p * y.at[1], m * z.at[1]));\n"
    "}\n"
    "#define $N_FMA(x, y, z) $N_FUSE(x, 1, y, 1, z)\n"
    "#define $N_FMS(x, y, z) $N_FUSE(x, 1, y, -1, z)\n"
    "#define $N_FNMA(x, y, z) $N_FUSE(x, -1, y, 1, z)\n"
    "#define $N_FNMS(x, y, z) $N_FUSE(x, -1, y, -1, z)\n"
    "#endif\n";

static const char lanes_text[] =
    "\n"
    "/* States side by side. */\n"
    "#ifdef $N_VECTORS\n"
    "typedef $R $N_lanes __attribute__((vector_size($N_VECTORS)));\n"
    "typedef $i $N_lanes_i __attribute__((vector_size($N_VECTORS)));\n"
    "typedef $u $N_lanes_u __attribute__((vector_size($N_VECTORS)));\n"
    "#define $N_MASK(x) (($N_lanes_i)(x))\n"
    "#else\n"
    "typedef $R $N_lanes;\n"
    "typedef $i $N_lanes_i;\n"
    "typedef $u $N_lanes_u;\n"
    "#define $N_MASK(x) (-($i)(x))\n"
    "#endif\n"
    "enum { $N_LANE_COUNT = sizeof($N_lanes) / sizeof($R) };\n"
    "/* clang would cut vectors of 512 bits in two where it takes 256 for the better width. */\n"
    "#if defined __clang__ && defined __AVX512F__\n"
    "#pragma clang attribute push(__attribute__((min_vector_width(512))), apply_to = function)\n"
    "#endif\n"
    "\n"
    "/* How many of n states come next, the k-th first: a vector, or fewer at the end. Where all "
    "rows\n"
    "   that begin at this address lie in the same way, fewer at the beginning, too, so that the "
    "rest\n"
    "   is aligned. */\n"
    "static inline size_t $N_step(size_t n, size_t k, uintptr_t address) {\n"
    "  size_t left = n - k, lane = (size_t)(address / sizeof($R) + k) % $N_LANE_COUNT;\n"
    "  if (address && lane && n % $N_LANE_COUNT == 0 && n >= 16 * $N_LANE_COUNT &&\n"
    "      left > $N_LANE_COUNT - lane)\n"
    "    return $N_LANE_COUNT - lane;\n"
    "  return left < $N_LANE_COUNT ? left : $N_LANE_COUNT;\n"
    "}\n"
    "\n"
    "/* Fewer states than a vector: from rows of n into rows of a vector, the first one repeated "
    "in\n"
    "   what is left over, and back. */\n"
    "static void $N_gather(size_t rest, size_t n, size_t rows, const $R *from, $R *to) {\n"
    "  size_t j, k;\n"
    "  for (j = 0; j < rows; j++)\n"
    "    for (k = 0; k < $N_LANE_COUNT; k++) to[j * $N_LANE_COUNT + k] = from[j * n + (k < rest ? "
    "k : 0)];\n"
    "}\n"
    "static void $N_scatter(size_t rest, size_t n, size_t rows, const $R *from, $R *to) {\n"
    "  size_t j, k;\n"
    "  for (j = 0; j < rows; j++)\n"
    "    for (k = 0; k < rest; k++) to[j * n + k] = from[j * $N_LANE_COUNT + k];\n"
    "}\n"
    "/* A number in as many places. */\n"
    "$N_MAYBE static void $N_fill(size_t places, $R x, $R *to) {\n"
    "  size_t k;\n"
    "  for (k = 0; k < places; k++) to[k] = x;\n"
    "}\n";

static const char lanes_end[] =
    "\n"
    "#if defined __clang__ && defined __AVX512F__\n"
    "#pragma clang attribute pop\n"
    "#endif\n";

static const char lanes_of_pivots[] =
    "\n"
    "static inline int $N_all(const $N_lanes_i *sound) {\n"
    "  $i lane[$N_LANE_COUNT], all = -1;\n"
    "  int k;\n"
    "  memcpy(lane, sound, sizeof lane);\n"
    "  for (k = 0; k < $N_LANE_COUNT; k++) all &= lane[k];\n"
    "  return all != 0;\n"
    "}\n"
    "/* Where a state is singular, what was in its place stays. That is rare, hence "
    "cold. */\n"
    "$N_COLD static void $N_keep(const $N_lanes_i *sound, const $R *old, $N_lanes *r) {\n"
    "  $N_lanes_u a, b, mask;\n"
    "  memcpy(&mask, sound, sizeof mask);\n"
    "  memcpy(&a, r, sizeof a);\n"
    "  memcpy(&b, old, sizeof b);\n"
    "  a = (a & mask) | (b & ~mask);\n"
    "  memcpy(r, &a, sizeof a);\n"
    "}\n";

// ---- parts -------------------------------------------------------------------------------------

// Names of all arrays of a program with `before` in front of each.
static void put_names(ap__text *t, const ap_program *p, const char *before) {
  for (int k = 0; k < p->inputs + p->outputs; k++)
    ap__text_add(t, "%s%s", before, ap__array(p, k)->name);
}

static bool is_guarded(const ap_plan *plan, int part) {
  return plan->p->pivots > 0 && plan->from[part] >= plan->checked;
}

static void call_part(ap__text *t, const ap_dialect *d, const ap_plan *plan, int part) {
  bool side_by_side = d->ending[0] != 0;
  ap__text_add(t, "  %s_%s_part%d%s(%s", d->name, d->function, part + 1, d->ending,
               plan->angles > 0 ? "s, c, x" : "x");
  if (side_by_side) put(t, ", n");
  put_names(t, plan->p, ", ");
  if (side_by_side && is_guarded(plan, part)) put(t, ", &sound, all");
  put(t, ");\n");
}

static void put_part_functions(ap__text *t, const ap_unit *u, const ap_dialect *d,
                               const ap_plan *plan) {
  bool side_by_side = d->ending[0] != 0;
  for (int part = 0; part < plan->parts; part++) {
    bool guarded = side_by_side && is_guarded(plan, part);
    ap__put_text(t, u, u->part_qualifier, "", "");
    ap__text_add(t, "void %s_%s_part%d%s(", d->name, d->function, part + 1, d->ending);
    if (plan->angles > 0)
      ap__text_add(t, "const %s *%ss, const %s *%sc, ", d->type, u->restricted, d->type,
                   u->restricted);
    ap__text_add(t, "%s *%sx, %s", d->type, u->restricted, side_by_side ? "size_t n, " : "");
    ap__put_parameters(t, u, plan->p, true);
    if (guarded) ap__text_add(t, ", const %s_i *keep, int all", d->type);
    put(t, ") {\n");
    if (side_by_side) ap__text_add(t, "  %s r = {0};\n", d->type);
    if (guarded)
      ap__text_add(t, "  const %s_i sound = *keep;\n  (void)sound, (void)all;\n", d->type);
    put(t, plan->angles > 0 ? "  (void)s, (void)c, (void)x" : "  (void)x");
    if (side_by_side) put(t, ", (void)n, (void)r");
    put_names(t, plan->p, ", (void)");
    put(t, ";\n");
    ap__put_part(t, d, plan, part);
    put(t, "}\n");
  }
}

static void put_scalar_function(ap__text *t, const ap_unit *u, const ap_plan *plan,
                                const char *name) {
  const ap_dialect d = {.type = ap__scalar(u),
                        .single = ap__is_single(u),
                        .name = u->name,
                        .function = name,
                        .ending = "",
                        .splat = "",
                        .mask = "",
                        .direct = true,
                        .load = load_scalar,
                        .store = store_scalar,
                        .stored = stored_scalar,
                        .zeros = u->options->target == AP_TARGET_CUDA ? NULL : zeros_scalar,
                        .sincos = u->sincos ? u->sincos : put_sincos,
                        .doubt = ap__doubt_scalar,
                        .check = ap__check_scalar,
                        .call = call_part};
  put_part_functions(t, u, &d, plan);
  ap__text_add(t, "\n%s%s %s_%s(", u->qualifier, ap__result_type(plan->p), u->name, name);
  ap__put_parameters(t, u, plan->p, true);
  put(t, ") {\n");
  ap__put_body(t, &d, plan);
  put(t, plan->p->pivots > 0 ? "  return 0;\n}\n" : "}\n");
}

// Numbers among the outputs go into all of many states at once, which is one run through memory. A
// vector at a time would go to as many lines of the cache as there are entries: Jacobians of trees
// took twice as long. Not where a state may be left alone, or the output is an input.
enum { FEW_NUMBERS = 8 };
static bool is_filled(const ap_program *p) {
  int numbers = 0;
  for (int k = 0; k < p->values; k++)
    numbers += p->value[k].node == 0 && !ap__is_left_out(p->value[k]);
  return numbers > FEW_NUMBERS && p->pivots == 0 && !p->in_place;
}

// How many entries of output array `a` from i on are the same number; x are its values.
static int count_equal(const ap_array *a, const real *x, int i) {
  int run = 0;
  if (x[i].node || ap__is_left_out(x[i])) return 0;
  while (i + run < a->size && !x[i + run].node && x[i + run].v == x[i].v) run++;
  return run;
}

static void put_fills(ap__text *t, const ap_unit *u, const ap_program *p) {
  const real *x = p->value;
  for (int array = 0; array < p->outputs; x += p->output[array++].size)
    for (int i = 0, run; i<p->output[array].size; i += run> 0 ? run : 1) {
      run = count_equal(&p->output[array], x, i);
      if (run == 0) continue;
      ap__text_add(t, "    %s_fill(%d * n, ", u->name, run);
      ap__put_literal(t, x[i].v, ap__is_single(u));
      ap__text_add(t, ", %s + %d * n);\n", p->output[array].name, i);
    }
}

// The same for one vector of states.
static void put_numbers_function(ap__text *t, const ap_unit *u, const ap_dialect *d,
                                 const ap_program *p) {
  ap__text_add(t, "\nstatic void %s_%s_numbers(size_t n", u->name, d->function);
  for (int k = 0; k < p->outputs; k++)
    ap__text_add(t, ", %s *%s%s", ap__scalar(u), u->restricted, p->output[k].name);
  ap__text_add(t, ") {\n  %s r;\n", d->type);
  const real *x = p->value;
  for (int array = 0; array < p->outputs; x += p->output[array++].size) {
    const char *name = p->output[array].name;
    ap__text_add(t, "  (void)%s;\n", name);
    for (int i = 0; i < p->output[array].size; i++) {
      if (count_equal(&p->output[array], x, i) == 0) continue;
      d->store(t, d, name, i);
      put(t, d->splat);
      ap__put_literal(t, x[i].v, d->single);
      d->stored(t, d, name, i);
    }
  }
  put(t, "}\n");
}

static void call_numbers(ap__text *t, const ap_unit *u, const ap_program *p, const char *name,
                         const char *stride, const char *behind) {
  ap__text_add(t, "%s_%s_numbers(%s", u->name, name, stride);
  for (int k = 0; k < p->outputs; k++) ap__text_add(t, ", %s%s", p->output[k].name, behind);
  put(t, ");\n");
}

static void put_lanes_function(ap__text *t, const ap_unit *u, const ap_plan *plan,
                               const char *name) {
  char type[NAME_ROOM], splat[NAME_ROOM], mask[NAME_ROOM];
  snprintf(type, sizeof type, "%s_lanes", u->name);
  snprintf(splat, sizeof splat, "(%s_lanes){0} + ", u->name);
  snprintf(mask, sizeof mask, "%s_MASK", u->name);
  const ap_dialect d = {.type = type,
                        .single = ap__is_single(u),
                        .name = u->name,
                        .function = name,
                        .ending = "_lanes",
                        .splat = splat,
                        .mask = mask,
                        .filled = is_filled(plan->p),
                        .load = load_lanes,
                        .store = store_lanes,
                        .stored = plan->p->pivots > 0 ? stored_where_sound : stored_lanes,
                        .sincos = put_sincos,
                        .doubt = doubt_lanes,
                        .check = check_lanes,
                        .call = call_part};
  put_part_functions(t, u, &d, plan);
  if (d.filled) put_numbers_function(t, u, &d, plan->p);
  ap__text_add(t, "\nstatic %s %s_%s_lanes(size_t n, ", ap__result_type(plan->p), u->name, name);
  ap__put_parameters(t, u, plan->p, true);
  ap__text_add(t, ") {\n  %s r = {0};\n  (void)r;\n", type);
  for (int k = 0; d.filled && k < plan->p->outputs; k++)
    ap__text_add(t, "  (void)n, (void)%s;\n", plan->p->output[k].name);
  ap__put_body(t, &d, plan);
  put(t, plan->p->pivots > 0 ? "  return !all;\n}\n" : "}\n");
}

// The call of the lanes function with its arrays, each name followed by `behind`.
static void put_call(ap__text *t, const ap_unit *u, const ap_program *p, const char *name,
                     const char *stride, const char *behind) {
  ap__text_add(t, "%s%s_%s_lanes(%s", p->pivots > 0 ? "failed |= " : "", u->name, name, stride);
  for (int k = 0; k < p->inputs + p->outputs; k++)
    ap__text_add(t, ", %s%s", ap__array(p, k)->name, behind);
  put(t, ");\n");
}

static void put_gather(ap__text *t, const ap_unit *u, const char *word, const ap_array *a,
                       bool into_lanes) {
  ap__text_add(t, "    %s_%s(step, n, %d, %s%s, %s%s);\n", u->name, word, a->size, a->name,
               into_lanes ? " + k" : "_rest", a->name, into_lanes ? "_rest" : " + k");
}

static void put_rest(ap__text *t, const ap_unit *u, const ap_program *p, const char *name) {
  char stride[NAME_ROOM];
  snprintf(stride, sizeof stride, "%s_LANE_COUNT", u->name);
  for (int k = 0; k < p->inputs + p->outputs; k++)
    ap__text_add(t, "    %s %s_rest[%d * %s];\n", ap__scalar(u), ap__array(p, k)->name,
                 ap__array(p, k)->size, stride);
  for (int k = 0; k < p->inputs + (p->pivots > 0 ? p->outputs : 0); k++)
    put_gather(t, u, "gather", ap__array(p, k), true);
  put(t, "    ");
  if (is_filled(p)) {
    call_numbers(t, u, p, name, stride, "_rest");
    put(t, "    ");
  }
  put_call(t, u, p, name, stride, "_rest");
  for (int k = 0; k < p->outputs; k++) put_gather(t, u, "scatter", &p->output[k], false);
}

// So many that where they begin decides: rows that lie across two lines of the cache cost twice.
enum { MANY_ROWS = 32 };
// So many that numbers in all of them at once take no longer than vector by vector.
enum { MANY_VECTORS = 2 };

static void put_batch_function(ap__text *t, const ap_unit *u, const ap_program *p,
                               const char *name) {
  ap__text_add(t, "\n%s %s_%s_batch(size_t n, ", ap__result_type(p), u->name, name);
  ap__put_parameters(t, u, p, true);
  put(t, ") {\n  size_t k, step;\n");
  if (p->pivots > 0) put(t, "  int failed = 0;\n");
  if (is_filled(p)) {
    ap__text_add(t, "  const int filled = n >= %d * %s_LANE_COUNT;\n  if (filled) {\n",
                 MANY_VECTORS, u->name);
    put_fills(t, u, p);
    put(t, "  }\n");
  }
  ap__text_add(t, "  for (k = 0; k < n; k += step) {\n    step = %s_step(n, k, ", u->name);
  if (p->values >= MANY_ROWS)
    ap__text_add(t, "(uintptr_t)%s", p->output[0].name);
  else
    put(t, "0");
  ap__text_add(t, ");\n    if (step == %s_LANE_COUNT) {\n      ", u->name);
  if (is_filled(p)) {
    put(t, "if (!filled) ");
    call_numbers(t, u, p, name, "n", " + k");
    put(t, "      ");
  }
  put_call(t, u, p, name, "n", " + k");
  put(t, "      continue;\n    }\n");
  put_rest(t, u, p, name);
  put(t, "  }\n");
  put(t, p->pivots > 0 ? "  return failed;\n}\n" : "}\n");
}

// ---- files -------------------------------------------------------------------------------------

// Without a fused product there is no word for one, nor much to save.
static bool has_pairs(const ap_unit *u) { return u->pairs && ap__has_operation(u, AP_OP_FMA); }

void ap__put_program(ap__text *t, const ap_unit *u, int k) {
  ap_plan plan;
  const ap_program *p = &u->part[k];
  if (!ap__plan(p, NULL, has_pairs(u), &plan) || !ap__cut(&plan, u->lengths) ||
      !ap__schedule(&plan)) {
    t->failed = true;
    return;
  }
  put_scalar_function(t, u, &plan, u->part_name[k]);
  if (u->options->batch) {
    ap_plan lanes;
    bool fits = ap__plan(p, plan.sign, false, &lanes) && ap__cut(&lanes, u->lengths);
    if (fits) {
      put_lanes_function(t, u, &lanes, u->part_name[k]);
      put_batch_function(t, u, p, u->part_name[k]);
      ap__plan_free(&lanes);
    }
    t->failed = t->failed || !fits;
  }
  ap__plan_free(&plan);
}

bool ap__has_operation(const ap_unit *u, ap_op op) {
  for (int i = 0; i < u->parts; i++)
    for (int k = 1; k < u->part[i].tape.count; k++)
      if (u->part[i].tape.node[k].op == op) return true;
  return false;
}

// "before x, before y": `count` letters.
static void put_letters(ap__text *t, const char *before, int count) {
  for (int k = 0; k < count; k++) ap__text_add(t, "%s%s%c", k > 0 ? ", " : "", before, "xyz"[k]);
}

// The same lane by lane.
static void put_routine_of_lanes(ap__text *t, const ap_unit *u, const char *word, int operands) {
  char before[NAME_ROOM];
  snprintf(before, sizeof before, "%s_lanes ", u->name);
  ap__text_add(t, "static inline %s%s_%s_lanes(", before, u->name, word);
  put_letters(t, before, operands);
  ap__text_add(t, ") {\n  %s lane[%d][%s_LANE_COUNT];\n  int k;\n", ap__scalar(u), operands,
               u->name);
  for (int k = 0; k < operands; k++)
    ap__text_add(t, "  memcpy(lane[%d], &%c, sizeof %c);\n", k, "xyz"[k], "xyz"[k]);
  ap__text_add(t, "  for (k = 0; k < %s_LANE_COUNT; k++) lane[0][k] = %s_%s(", u->name, u->name,
               word);
  for (int k = 0; k < operands; k++) ap__text_add(t, "%slane[%d][k]", k > 0 ? ", " : "", k);
  put(t, ");\n  memcpy(&x, lane[0], sizeof x);\n  return x;\n}\n");
}

void ap__put_routines(ap__text *t, const ap_unit *u) {
  char before[16];
  snprintf(before, sizeof before, "%s ", ap__scalar(u));
  for (int op = 0; op < AP_OPS; op++) {
    const ap_routine *r = &ap__routine[op];
    if (!r->word || !ap__has_operation(u, (ap_op)op)) continue;
    int operands = ap__operands(&(ap_node){.op = (ap_op)op});
    ap__text_add(t, "\n%s %s%s_%s(", u->inlined, before, u->name, r->word);
    put_letters(t, before, operands);
    put(t, ") { return ");
    ap__put_text(t, u, r->text, "", "");
    put(t, "; }\n");
    if (u->options->batch) put_routine_of_lanes(t, u, r->word, operands);
  }
}

bool ap__has_angles(const ap_unit *u) {
  return ap__has_operation(u, AP_OP_SIN) || ap__has_operation(u, AP_OP_COS);
}

void ap__put_c_source(ap__text *t, const ap_unit *u) {
  bool pivots = false;
  for (int k = 0; k < u->parts; k++) pivots = pivots || u->part[k].pivots > 0;
  ap__put_banner(t, u, ".c");
  ap__put_text(t, u, prologue, "", "");
  ap__put_text(t, u, vectors, "", "");
  ap__put_fused(t, u);
  if (has_pairs(u)) ap__put_text(t, u, pairs_text, "", "");
  if (u->options->batch) {
    ap__put_text(t, u, lanes_text, "", "");
    ap__put_fused_lanes(t, u);
  }
  if (u->options->batch && pivots) ap__put_text(t, u, lanes_of_pivots, "", "");
  ap__put_routines(t, u);
  if (ap__has_angles(u)) ap__put_sincos(t, u);
  for (int k = 0; k < u->parts; k++) ap__put_program(t, u, k);
  if (u->options->batch) ap__put_text(t, u, lanes_end, "", "");
}
