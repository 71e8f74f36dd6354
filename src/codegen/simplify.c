// SPDX-License-Identifier: Apache-2.0
// Fewer operations: the tape is recorded anew from the outputs back, with what the recording could
// not know, which node is used how often.

#include "codegen/program.h"

#include <stdlib.h>
#include <string.h>

void ap__count_uses(const ap_program *p, int *uses) {
  for (int k = 0; k < ap__program_values(p); k++) uses[abs(p->value[k].node)]++;
  for (int k = p->tape.count - 1; k > 0; k--) {
    const ap_node *n = &p->tape.node[k];
    for (int i = 0; uses[k] && i < ap__operands(n); i++) uses[abs(ap__operand(n, i))]++;
  }
}

typedef struct rebuild {
  const ap_tape *old;
  const int *uses;
  const int *divides; // [old->count] how many quotients have it below
  ap_tape to;
  real *now; // [old->count] what each old node has become
} rebuild;

static real renewed(const rebuild *r, int ref) {
  real x = r->now[abs(ref)];
  return ref < 0 ? r_neg(x) : x;
}

// A product that nothing else uses, as its two factors with a sign; a number is a factor too.
typedef struct product {
  int factor[2]; // old nodes; 0: the number k
  double k;
  bool negative;
} product;

static bool is_product(const rebuild *r, int ref, product *p) {
  const ap_node *n = &r->old->node[abs(ref)];
  if (r->uses[abs(ref)] != 1 || (n->op != AP_OP_MUL && n->op != AP_OP_MUL_CONST)) return false;
  *p = (product){{n->a, n->op == AP_OP_MUL ? n->b : 0}, n->k, ref < 0};
  return true;
}

static bool is_same_factor(const product *x, int i, const product *y, int k) {
  return x->factor[i] == y->factor[k] && (x->factor[i] != 0 || x->k == y->k);
}

static real factor_of(const rebuild *r, const product *p, int i) {
  return p->factor[i] ? r->now[p->factor[i]] : r_const(p->k);
}

// f x + f y as f (x + y), where neither product is needed by itself: a multiplication less.
static bool is_factored(const rebuild *r, int a, int b, real *sum) {
  product x, y;
  if (!is_product(r, a, &x) || !is_product(r, b, &y)) return false;
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      if (!is_same_factor(&x, i, &y, k)) continue;
      real left = factor_of(r, &x, 1 - i), right = factor_of(r, &y, 1 - k);
      if (x.negative) left = r_neg(left);
      if (y.negative) right = r_neg(right);
      *sum = r_mul(factor_of(r, &x, i), r_add(left, right));
      return true;
    }
  return false;
}

// The same through one more sum that nothing else uses: (f x + c) + f y.
static bool is_factored_through(const rebuild *r, int a, int b, real *sum) {
  const ap_node *inner = &r->old->node[abs(a)];
  if (inner->op != AP_OP_ADD || r->uses[abs(a)] != 1) return false;
  int first = a < 0 ? -inner->a : inner->a, second = a < 0 ? -inner->b : inner->b;
  real part;
  if (is_factored(r, first, b, &part))
    *sum = r_add(part, renewed(r, second));
  else if (is_factored(r, second, b, &part))
    *sum = r_add(part, renewed(r, first));
  else
    return false;
  return true;
}

static void rebuild_node(rebuild *r, int k) {
  const ap_node *n = &r->old->node[k];
  if (n->op == AP_OP_DIV && r->divides[n->b] > 1) { // x / f and y / f: one quotient, 1 / f
    r->now[k] = r_mul(renewed(r, n->a), r_div(r_const(1), renewed(r, n->b)));
    return;
  }
  if (n->op == AP_OP_ADD &&
      (is_factored(r, n->a, n->b, &r->now[k]) || is_factored_through(r, n->a, n->b, &r->now[k]) ||
       is_factored_through(r, n->b, n->a, &r->now[k])))
    return;
  real of[AP_MOST_OPERANDS] = {0};
  for (int i = 0; i < ap__operands(n); i++) of[i] = renewed(r, ap__operand(n, i));
  r->now[k] = ap__tape_apply(&r->to, n, of);
}

static bool simplify_once(ap_program *p) {
  int *uses = calloc((size_t)p->tape.count, sizeof *uses);
  int *divides = calloc((size_t)p->tape.count, sizeof *divides);
  rebuild r = {.old = &p->tape, .uses = uses, .divides = divides};
  r.now = malloc((size_t)p->tape.count * sizeof *r.now);
  bool fits = ap__tape_open(&r.to) && uses && divides && r.now;
  if (fits) ap__count_uses(p, uses);
  for (int k = 1; fits && k < p->tape.count; k++)
    if (uses[k] && p->tape.node[k].op == AP_OP_DIV) divides[p->tape.node[k].b]++;
  for (int k = 1; fits && k < p->tape.count; k++)
    if (uses[k]) rebuild_node(&r, k);
  for (int k = 0; fits && k < ap__program_values(p); k++)
    if (p->value[k].node) p->value[k] = renewed(&r, p->value[k].node);
  free(uses);
  free(divides);
  free(r.now);
  ap__tape_close(&p->tape);
  p->tape = r.to;
  return fits && !p->tape.failed;
}

static bool has_sine(const ap_tape *t, int angle) {
  for (int k = 1; k < t->count; k++)
    if (t->node[k].op == AP_OP_SIN && t->node[k].a == angle) return true;
  return false;
}

// Operations that stay on a tape, without those that are done where a matrix may be singular.
static void count_operations(const ap_program *p, ap_count *count) {
  const ap_node *node = p->tape.node;
  int nodes = ap__program_nodes(p);
  for (int k = 1; k < nodes; k++) switch (node[k].op) {
      case AP_OP_ADD:
      case AP_OP_ADD_CONST: count->add++; break;
      case AP_OP_MUL:
      case AP_OP_MUL_CONST: count->mul++; break;
      case AP_OP_DIV:
      case AP_OP_DIV_CONST: count->div++; break;
      case AP_OP_SIN: count->sincos++; break;
      case AP_OP_COS: count->sincos += !has_sine(&p->tape, node[k].a); break;
      case AP_OP_SQRT: count->sqrt++; break;
      case AP_OP_INPUT:
      case AP_OP_NUMBER:
      case AP_OP_FMA: // comes later
      case AP_OP_SIGN:
      case AP_OP_MAX:
      case AP_OP_ANGLE:
      case AP_OP_PICK: break;
    }
}

// The second pass drops the products that the first one has factored, and factors what that shows.
bool ap__simplify(ap_program *p) {
  bool fits = true;
  for (int pass = 0; fits && pass < 2; pass++) fits = simplify_once(p);
  if (fits) count_operations(p, &p->operations);
  return fits && ap__fuse(p);
}
