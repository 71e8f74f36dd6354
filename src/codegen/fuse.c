// SPDX-License-Identifier: Apache-2.0
// Which products are fused with the sums that take them, once nothing is left to simplify: a
// product vanishes where every use of it is a sum that becomes a b + c. One that is needed besides
// would cost as much as before.

#include <stdlib.h>

#include "codegen/program.h"

typedef struct fusion {
  const ap_tape *old;
  int *uses;    // [count]
  int *product; // [count] of a sum: the product that it takes in, 0: none
  int *sums;    // [count] of a node: the last sum that has it on one side, 2 k or 2 k + 1 of sum k
  int *before;  // [2 * count] and of each of these the one before; 0: none
  ap_tape to;
  real *now; // [count] what each old node has become
} fusion;

static bool is_product(const ap_node *n) { return n->op == AP_OP_MUL || n->op == AP_OP_MUL_CONST; }

static void list_sums(fusion *f) {
  for (int k = 1; k < f->old->count; k++) {
    const ap_node *n = &f->old->node[k];
    if (!f->uses[k] || (n->op != AP_OP_ADD && n->op != AP_OP_ADD_CONST)) continue;
    for (int i = 0; i < ap__operands(n); i++) {
      int of = abs(ap__operand(n, i));
      f->before[2 * k + i] = f->sums[of];
      f->sums[of] = 2 * k + i;
    }
  }
}

// How many uses of a product are sums that take in no other; x + x takes none.
static int free_sums(const fusion *f, int product) {
  int count = 0;
  for (int s = f->sums[product]; s; s = f->before[s]) {
    const ap_node *n = &f->old->node[s / 2];
    count += !f->product[s / 2] && abs(n->a) != abs(n->b);
  }
  return count;
}

static void take(fusion *f, int product) {
  for (int s = f->sums[product]; s; s = f->before[s]) f->product[s / 2] = product;
}

// Those that one sum alone uses come first. Where both sides of a sum are such, it takes in the one
// that is known last: the other is there by then.
static void choose_products(fusion *f) {
  for (int many = 0; many < 2; many++)
    for (int k = f->old->count - 1; k > 0; k--)
      if (is_product(&f->old->node[k]) && (f->uses[k] > 1) == many && f->uses[k] == free_sums(f, k))
        take(f, k);
}

static bool vanishes(const fusion *f, int k) {
  return is_product(&f->old->node[k]) && f->sums[k] && f->product[f->sums[k] / 2] == k;
}

static real renewed(const fusion *f, int ref) {
  real x = f->now[abs(ref)];
  return ref < 0 ? r_neg(x) : x;
}

// A sum that takes in its product: what is on the other side, with the sign of the product's side.
static real fused(fusion *f, const ap_node *n, int product) {
  const ap_node *p = &f->old->node[product];
  bool first = abs(n->a) == product;
  int side = first ? n->a : n->b, other = first ? n->b : n->a;
  real rest = n->op == AP_OP_ADD_CONST ? r_param(&f->to, n->k) : renewed(f, other);
  real a = f->now[p->a], b = p->op == AP_OP_MUL ? f->now[p->b] : r_param(&f->to, p->k);
  return ap__tape_fma(&f->to, side < 0 ? r_neg(a) : a, b, rest);
}

static void rebuild_node(fusion *f, int k) {
  const ap_node *n = &f->old->node[k];
  if (f->product[k]) {
    f->now[k] = fused(f, n, f->product[k]);
    return;
  }
  real of[AP_MOST_OPERANDS] = {0};
  for (int i = 0; i < ap__operands(n); i++) of[i] = renewed(f, ap__operand(n, i));
  f->now[k] = ap__tape_apply(&f->to, n, of);
}

bool ap__fuse(ap_program *p) {
  size_t n = (size_t)p->tape.count;
  fusion f = {.old = &p->tape, .uses = calloc(5 * n, sizeof(int))};
  f.now = malloc(n * sizeof *f.now);
  bool fits = ap__tape_open(&f.to) && f.uses && f.now;
  if (fits) {
    f.product = f.uses + n, f.sums = f.uses + 2 * n, f.before = f.uses + 3 * n;
    ap__count_uses(p, f.uses);
    list_sums(&f);
    choose_products(&f);
  }
  for (int k = 1; fits && k < p->tape.count; k++)
    if (f.uses[k] && !vanishes(&f, k)) rebuild_node(&f, k);
  for (int k = 0; fits && k < ap__program_values(p); k++)
    if (p->value[k].node) p->value[k] = renewed(&f, p->value[k].node);
  free(f.uses);
  free(f.now);
  ap__tape_close(&p->tape);
  p->tape = f.to;
  return fits && !p->tape.failed;
}
