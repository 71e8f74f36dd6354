// SPDX-License-Identifier: Apache-2.0
// Recording: nodes are made here and nowhere else, so that no two are equal and none is known.

#include "codegen/tape.h"

#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

bool ap__tape_open(ap_tape *t) {
  *t = (ap_tape){.count = 1, .room = FIRST_ROOM, .slots = 4 * FIRST_ROOM};
  t->node = calloc((size_t)t->room, sizeof *t->node);
  t->slot = calloc((size_t)t->slots, sizeof *t->slot);
  t->failed = !t->node || !t->slot;
  return !t->failed;
}

void ap__tape_close(ap_tape *t) {
  free(t->node);
  free(t->slot);
  *t = (ap_tape){0};
}

// ---- nodes -------------------------------------------------------------------------------------

static uint64_t mixed(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ (h >> 29);
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static uint64_t hash_of(const ap_node *n) {
  uint64_t h = mixed(mixed((uint64_t)n->op, (uint32_t)n->a), (uint32_t)n->b);
  return mixed(mixed(h, (uint32_t)n->c), bits_of(n->k));
}

static bool is_same(const ap_node *x, const ap_node *y) {
  return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
         bits_of(x->k) == bits_of(y->k);
}

// The slot where a node is or belongs.
static int find_slot(const ap_tape *t, const ap_node *n) {
  uint32_t mask = (uint32_t)t->slots - 1, at = (uint32_t)hash_of(n) & mask;
  while (t->slot[at] && !is_same(&t->node[t->slot[at]], n)) at = (at + 1) & mask;
  return (int)at;
}

static bool grow(ap_tape *t) {
  if (t->room > INT32_MAX / 16) return false;
  size_t room = 2 * (size_t)t->room;
  ap_node *node = realloc(t->node, room * sizeof *node);
  if (!node) return false;
  t->node = node, t->room = (int)room;
  int *slot = calloc(4 * room, sizeof *slot);
  if (!slot) return false;
  free(t->slot);
  t->slot = slot, t->slots = (int)(4 * room);
  for (int k = 1; k < t->count; k++) t->slot[find_slot(t, &t->node[k])] = k;
  return true;
}

real ap__tape_ref(ap_tape *t, int ref) { return (real){.t = t, .node = ref}; }

static real number(ap_tape *t, double x) { return (real){.t = t, .v = x}; }

// The node, found or made.
static real find_node(ap_tape *t, ap_node n) {
  if (t->failed) return number(t, 0);
  if (t->count == t->room && !grow(t)) {
    t->failed = true;
    return number(t, 0);
  }
  int at = find_slot(t, &n);
  if (!t->slot[at]) {
    t->slot[at] = t->count;
    t->node[t->count++] = n;
  }
  return ap__tape_ref(t, t->slot[at]);
}

static real node(ap_tape *t, ap_op op, int a, int b, double k) {
  return find_node(t, (ap_node){.op = op, .a = a, .b = b, .k = k});
}

real ap__tape_input(ap_tape *t, int k, int i) { return node(t, AP_OP_INPUT, k, i, 0); }

static real signed_as(real x, bool negative) { return negative ? r_neg(x) : x; }
static int magnitude(int ref) { return ref < 0 ? -ref : ref; }
static ap_tape *tape_of(real a, real b) { return a.t ? a.t : b.t; }
static bool is_number(real a, double x) { return a.node == 0 && a.v == x; }

static const ap_node *at(const ap_tape *t, int ref) { return &t->node[magnitude(ref)]; }

// ---- sums --------------------------------------------------------------------------------------

// A sum of numbers. What is left of a difference of numbers that only rounding keeps apart is zero:
// a structural zero is worth more than a bit that means nothing.
static double sum_of_numbers(double a, double b) {
  double sum = a + b, size = fmax(fabs(a), fabs(b));
  return fabs(sum) <= 2 * DBL_EPSILON * size ? 0 : sum;
}

static real add_number(ap_tape *t, real a, double k) {
  if (k == 0) return a;
  bool negative = a.node < 0;
  if (negative) a = r_neg(a), k = -k;
  const ap_node *n = at(t, a.node);
  if (n->op == AP_OP_ADD_CONST) {
    double sum = sum_of_numbers(n->k, k);
    a = ap__tape_ref(t, n->a);
    return signed_as(sum == 0 ? a : node(t, AP_OP_ADD_CONST, a.node, 0, sum), negative);
  }
  return signed_as(node(t, AP_OP_ADD_CONST, a.node, 0, k), negative);
}

// x as a multiple of a node: k times *of.
static double multiple(const ap_tape *t, real x, int *of) {
  const ap_node *n = at(t, x.node);
  double sign = x.node < 0 ? -1 : 1;
  if (n->op != AP_OP_MUL_CONST) {
    *of = magnitude(x.node);
    return sign;
  }
  *of = n->a;
  return sign * n->k;
}

// Whether x is the square of the sine or the cosine of an angle.
static bool is_square_of(const ap_tape *t, real x, ap_op op, int *angle) {
  const ap_node *n = at(t, x.node);
  if (x.node < 0 || n->op != AP_OP_MUL || n->a != n->b || at(t, n->a)->op != op) return false;
  *angle = at(t, n->a)->a;
  return true;
}

static bool is_one(const ap_tape *t, real a, real b) {
  int one, other;
  return (is_square_of(t, a, AP_OP_SIN, &one) && is_square_of(t, b, AP_OP_COS, &other) &&
          one == other) ||
         (is_square_of(t, a, AP_OP_COS, &one) && is_square_of(t, b, AP_OP_SIN, &other) &&
          one == other);
}

real ap__tape_add(real a, real b) {
  ap_tape *t = tape_of(a, b);
  if (a.node == 0 && b.node == 0) return number(t, sum_of_numbers(a.v, b.v));
  if (a.node == 0) return add_number(t, b, a.v);
  if (b.node == 0) return add_number(t, a, b.v);
  int of_a, of_b;
  double ka = multiple(t, a, &of_a), kb = multiple(t, b, &of_b);
  if (of_a == of_b && !(ka == 1 && kb == 1) && !(ka == -1 && kb == -1))
    return ap__tape_mul(number(t, sum_of_numbers(ka, kb)), ap__tape_ref(t, of_a));
  if (is_one(t, a, b)) return number(t, 1);
  if (is_one(t, r_neg(a), r_neg(b))) return number(t, -1);
  if (magnitude(a.node) > magnitude(b.node)) {
    real first = b;
    b = a, a = first;
  }
  bool negative = a.node < 0;
  if (negative) a = r_neg(a), b = r_neg(b);
  return signed_as(node(t, AP_OP_ADD, a.node, b.node, 0), negative);
}

// ---- products ----------------------------------------------------------------------------------

static real mul_number(ap_tape *t, real a, double k) {
  if (k == 0) return number(t, 0);
  bool negative = (a.node < 0) != (k < 0);
  a = ap__tape_ref(t, magnitude(a.node)), k = fabs(k);
  const ap_node *n = at(t, a.node);
  if (n->op == AP_OP_MUL_CONST) k *= n->k, a = ap__tape_ref(t, n->a);
  if (n->op == AP_OP_DIV_CONST)
    return signed_as(node(t, AP_OP_DIV_CONST, n->a, 0, k * n->k), negative);
  return signed_as(k == 1 ? a : node(t, AP_OP_MUL_CONST, a.node, 0, k), negative);
}

real ap__tape_mul(real a, real b) {
  ap_tape *t = tape_of(a, b);
  if (a.node == 0 && b.node == 0) return number(t, a.v * b.v);
  if (a.node == 0) return mul_number(t, b, a.v);
  if (b.node == 0) return mul_number(t, a, b.v);
  bool negative = (a.node < 0) != (b.node < 0);
  int x = magnitude(a.node), y = magnitude(b.node);
  const ap_node *nx = at(t, x), *ny = at(t, y);
  if (nx->op == AP_OP_MUL_CONST && ny->op == AP_OP_MUL_CONST) { // one product of numbers less
    real inner = ap__tape_mul(ap__tape_ref(t, nx->a), ap__tape_ref(t, ny->a));
    return signed_as(mul_number(t, inner, at(t, x)->k * at(t, y)->k), negative);
  }
  return signed_as(node(t, AP_OP_MUL, x < y ? x : y, x < y ? y : x, 0), negative);
}

real ap__tape_div(real a, real b) {
  ap_tape *t = tape_of(a, b);
  if (a.node == 0 && b.node == 0) return number(t, a.v / b.v);
  if (b.node == 0) return mul_number(t, a, 1 / b.v);
  if (is_number(a, 0)) return number(t, 0);
  if (a.node == 0) {
    bool negative = (a.v < 0) != (b.node < 0);
    return signed_as(node(t, AP_OP_DIV_CONST, magnitude(b.node), 0, fabs(a.v)), negative);
  }
  if (magnitude(a.node) == magnitude(b.node)) return number(t, a.node == b.node ? 1 : -1);
  bool negative = (a.node < 0) != (b.node < 0);
  return signed_as(node(t, AP_OP_DIV, magnitude(a.node), magnitude(b.node), 0), negative);
}

// ---- fused products ----------------------------------------------------------------------------

// A reference to whatever it is.
static int operand(ap_tape *t, real x) {
  return x.node ? x.node : node(t, AP_OP_NUMBER, 0, 0, x.v).node;
}

static real magnitude_of(real x) {
  return x.node ? ap__tape_ref(x.t, magnitude(x.node)) : number(x.t, fabs(x.v));
}
static bool is_below_zero(real x) { return x.node ? x.node < 0 : x.v < 0; }

real ap__tape_fma(ap_tape *t, real a, real b, real c) {
  bool known = a.node == 0 && b.node == 0;
  if (known || is_number(c, 0) || is_number(magnitude_of(a), 1) || is_number(magnitude_of(b), 1))
    return ap__tape_add(ap__tape_mul(a, b), c);
  bool negative = is_below_zero(a) != is_below_zero(b);
  int x = operand(t, magnitude_of(a)), y = operand(t, magnitude_of(b));
  int z = operand(t, signed_as(c, negative));
  return signed_as(
      find_node(t, (ap_node){.op = AP_OP_FMA, .a = x < y ? x : y, .b = x < y ? y : x, .c = z}),
      negative);
}

// ---- functions ---------------------------------------------------------------------------------

real ap__tape_sign(real a) {
  if (a.node == 0) return number(a.t, (a.v > 0) - (a.v < 0));
  return signed_as(node(a.t, AP_OP_SIGN, magnitude(a.node), 0, 0), a.node < 0);
}

static bool is_same_value(real a, real b) {
  return a.node == b.node && (a.node || bits_of(a.v) == bits_of(b.v));
}

real ap__tape_max(real a, real b) {
  ap_tape *t = tape_of(a, b);
  if (a.node == 0 && b.node == 0) return number(t, a.v > b.v || isnan(a.v) ? a.v : b.v);
  return is_same_value(a, b) ? a : node(t, AP_OP_MAX, operand(t, a), operand(t, b), 0);
}

real ap__tape_sqrt(real a) {
  return a.node ? node(a.t, AP_OP_SQRT, a.node, 0, 0) : number(a.t, sqrt(a.v));
}

real ap__tape_angle(real y, real x) {
  ap_tape *t = tape_of(y, x);
  if (y.node == 0 && x.node == 0) return number(t, atan2(y.v, x.v));
  return node(t, AP_OP_ANGLE, operand(t, y), operand(t, x), 0);
}

// a < b where b - a > 0: gradual underflow leaves no other difference at zero.
int ap__tape_less(real a, real b) {
  if (a.node == 0 && b.node == 0) return a.v < b.v ? AP_TRUE : 0;
  real above = r_sub(b, a);
  return above.node ? above.node : above.v > 0 ? AP_TRUE : 0;
}

real ap__tape_pick(int which, real a, real b) {
  ap_tape *t = tape_of(a, b);
  if (which == AP_TRUE || is_same_value(a, b)) return a;
  if (which == 0) return b;
  assert(t);
  return find_node(t,
                   (ap_node){.op = AP_OP_PICK, .a = which, .b = operand(t, a), .c = operand(t, b)});
}

// Sine and cosine of a number; what rounding leaves beside a right angle is none.
static void sincos_of_number(double angle, double *s, double *c) {
  *s = sin(angle), *c = cos(angle);
  if (fabs(*s) < DBL_EPSILON) *s = 0, *c = *c > 0 ? 1 : -1;
  if (fabs(*c) < DBL_EPSILON) *c = 0, *s = *s > 0 ? 1 : -1;
}

void ap__tape_sincos(real q, real offset, real *s, real *c) {
  ap_tape *t = tape_of(q, offset);
  real x = ap__tape_add(q, offset);
  double known = 0, sin_known, cos_known;
  if (x.node == 0) {
    sincos_of_number(x.v, &sin_known, &cos_known);
    *s = number(t, sin_known), *c = number(t, cos_known);
    return;
  }
  if (at(t, x.node)->op == AP_OP_ADD_CONST) {
    const ap_node *n = at(t, x.node);
    known = x.node < 0 ? -n->k : n->k;
    x = ap__tape_ref(t, x.node < 0 ? -n->a : n->a);
  }
  sincos_of_number(known, &sin_known, &cos_known);
  real sine = signed_as(node(t, AP_OP_SIN, magnitude(x.node), 0, 0), x.node < 0);
  real cosine = node(t, AP_OP_COS, magnitude(x.node), 0, 0);
  real ks = number(t, sin_known), kc = number(t, cos_known);
  *s = r_add(r_mul(sine, kc), r_mul(cosine, ks));
  *c = r_sub(r_mul(cosine, kc), r_mul(sine, ks));
}

real ap__tape_apply(ap_tape *t, const ap_node *n, const real of[AP_MOST_OPERANDS]) {
  switch (n->op) {
    case AP_OP_INPUT: return ap__tape_input(t, n->a, n->b);
    case AP_OP_NUMBER: return number(t, n->k);
    case AP_OP_SIN:
    case AP_OP_COS: {
      real s, c;
      ap__tape_sincos(of[0], number(t, 0), &s, &c);
      return n->op == AP_OP_SIN ? s : c;
    }
    case AP_OP_ADD: return ap__tape_add(of[0], of[1]);
    case AP_OP_ADD_CONST: return ap__tape_add(of[0], number(t, n->k));
    case AP_OP_MUL: return ap__tape_mul(of[0], of[1]);
    case AP_OP_MUL_CONST: return ap__tape_mul(of[0], number(t, n->k));
    case AP_OP_DIV: return ap__tape_div(of[0], of[1]);
    case AP_OP_DIV_CONST: return ap__tape_div(number(t, n->k), of[0]);
    case AP_OP_FMA: return ap__tape_fma(t, of[0], of[1], of[2]);
    case AP_OP_SIGN: return ap__tape_sign(of[0]);
    case AP_OP_MAX: return ap__tape_max(of[0], of[1]);
    case AP_OP_SQRT: return ap__tape_sqrt(of[0]);
    case AP_OP_ANGLE: return ap__tape_angle(of[0], of[1]);
    case AP_OP_PICK: break;
  }
  return ap__tape_pick(ap__tape_less(number(t, 0), of[0]), of[1], of[2]);
}
