// SPDX-License-Identifier: Apache-2.0
// Which products are fused with the sums that take them, once nothing is left to simplify. Sums
// that nothing else uses are gathered into one with many terms, which is written as a chain: what
// must be there by itself first, then a b + c for each product that vanishes so. A product vanishes
// where every use of it is a sum; one that is needed besides would cost as much as before.

#include <stdlib.h>

#include "codegen/program.h"

// A reference that a sum has as a term; where it is 0, the number k.
typedef struct term {
  int ref;
  double k;
} term;

typedef struct fusion {
  const ap_tape *old;
  int *uses;   // [count] of each node
  int *summed; // [count] of them by sums
  int *depth;  // [count] operations on the longest way from the inputs
  bool *apart; // [count] a product that is computed by itself
  term *term;  // [terms] of the sum at hand
  int terms;
  int *stack; // [count] scratch
  ap_tape to;
  real *now; // [count] what each old node has become
} fusion;

static const ap_node *at(const fusion *f, int ref) { return &f->old->node[abs(ref)]; }

// x + x is none.
static bool is_sum(const ap_node *n) {
  return (n->op == AP_OP_ADD && abs(n->a) != abs(n->b)) || n->op == AP_OP_ADD_CONST;
}
static bool is_product(const ap_node *n) { return n->op == AP_OP_MUL || n->op == AP_OP_MUL_CONST; }

static bool vanishes(const fusion *f, int k) {
  return is_product(at(f, k)) && f->uses[k] == f->summed[k] && !f->apart[k];
}
// A sum that is part of another.
static bool is_inner(const fusion *f, int k) {
  return is_sum(at(f, k)) && f->uses[k] == 1 && f->summed[k] == 1;
}

static void look(fusion *f) {
  for (int k = 1; k < f->old->count; k++) {
    const ap_node *n = at(f, k);
    for (int i = 0; i < ap__operands(n); i++) {
      int of = abs(ap__operand(n, i));
      if (f->depth[of] >= f->depth[k]) f->depth[k] = f->depth[of] + 1;
      f->summed[of] += f->uses[k] && is_sum(n);
    }
  }
}

// ---- one sum -----------------------------------------------------------------------------------

// Operations before a term can be added.
static int waits_for(const fusion *f, const term *t) {
  return f->depth[abs(t->ref)] - (vanishes(f, abs(t->ref)) ? 1 : 0);
}

static void add_term(fusion *f, term t) {
  int i = f->terms++, wait = waits_for(f, &t);
  for (; i > 0 && waits_for(f, &f->term[i - 1]) > wait; i--) f->term[i] = f->term[i - 1];
  f->term[i] = t;
}

// What is to be summed, in the order in which it becomes known.
static void gather(fusion *f, int sum) {
  int *stack = f->stack, depth = 0;
  f->terms = 0;
  stack[depth++] = sum;
  while (depth > 0) {
    int ref = stack[--depth];
    const ap_node *n = at(f, ref);
    for (int i = ap__operands(n) - 1; i >= 0; i--) {
      int of = ref < 0 ? -ap__operand(n, i) : ap__operand(n, i);
      if (is_inner(f, abs(of)))
        stack[depth++] = of;
      else
        add_term(f, (term){.ref = of});
    }
    if (n->op == AP_OP_ADD_CONST) add_term(f, (term){.k = ref < 0 ? -n->k : n->k});
  }
}

// The term that a chain begins with: one that does not vanish, -1 where all do.
static int first_term(const fusion *f) {
  for (int i = 0; i < f->terms; i++)
    if (!vanishes(f, abs(f->term[i].ref))) return i;
  return -1;
}

// Operations that may pass before a chain begins, while products wait that are known.
enum { PATIENCE = 3 };

// How many products at the front of the sum at hand could begin it instead of the first term that
// stays: all where none does, and those that would wait for it too long.
static int early_terms(const fusion *f) {
  int first = first_term(f), early = 0;
  if (first < 0) return f->terms;
  while (early < first && waits_for(f, &f->term[early]) + PATIENCE < waits_for(f, &f->term[first]))
    early++;
  return early > 1 ? early : 0;
}

// The one of these with most uses stays: other sums may begin with it.
static void choose_apart(fusion *f) {
  for (int k = 1; k < f->old->count; k++) {
    if (!f->uses[k] || !is_sum(at(f, k)) || is_inner(f, k)) continue;
    gather(f, k);
    int early = early_terms(f), most = abs(f->term[0].ref);
    for (int i = 1; i < early; i++)
      if (f->uses[abs(f->term[i].ref)] > f->uses[most]) most = abs(f->term[i].ref);
    if (early > 0) f->apart[most] = true;
  }
}

// ---- the new tape ------------------------------------------------------------------------------

static real renewed(const fusion *f, int ref) {
  real x = f->now[abs(ref)];
  return ref < 0 ? r_neg(x) : x;
}

static real plus_term(fusion *f, const term *t, real sum) {
  int k = abs(t->ref);
  if (!k) return r_add(sum, r_param(&f->to, t->k));
  if (!vanishes(f, k)) return r_add(sum, renewed(f, t->ref));
  const ap_node *p = at(f, k);
  real a = renewed(f, t->ref < 0 ? -p->a : p->a);
  real b = p->op == AP_OP_MUL ? f->now[p->b] : r_param(&f->to, p->k);
  return ap__tape_fma(&f->to, a, b, sum);
}

static real chain(fusion *f, int sum) {
  gather(f, sum);
  int first = first_term(f);
  const term *t = &f->term[first];
  real x = t->ref ? renewed(f, t->ref) : r_param(&f->to, t->k);
  for (int i = 0; i < f->terms; i++)
    if (i != first) x = plus_term(f, &f->term[i], x);
  return x;
}

static void rebuild_node(fusion *f, int k) {
  const ap_node *n = at(f, k);
  if (is_sum(n)) {
    f->now[k] = chain(f, k);
    return;
  }
  real of[AP_MOST_OPERANDS] = {0};
  for (int i = 0; i < ap__operands(n); i++) of[i] = renewed(f, ap__operand(n, i));
  f->now[k] = ap__tape_apply(&f->to, n, of);
}

bool ap__fuse(ap_program *p) {
  size_t n = (size_t)p->tape.count;
  fusion f = {
      .old = &p->tape, .uses = calloc(4 * n, sizeof(int)), .apart = calloc(n, sizeof(bool))};
  f.term = malloc(2 * n * sizeof *f.term);
  f.now = malloc(n * sizeof *f.now);
  bool fits = ap__tape_open(&f.to) && f.uses && f.apart && f.term && f.now;
  if (fits) {
    f.summed = f.uses + n, f.depth = f.uses + 2 * n, f.stack = f.uses + 3 * n;
    ap__count_uses(p, f.uses);
    look(&f);
    choose_apart(&f);
  }
  for (int k = 1; fits && k < p->tape.count; k++)
    if (f.uses[k] && !vanishes(&f, k) && !is_inner(&f, k)) rebuild_node(&f, k);
  for (int k = 0; fits && k < ap__program_values(p); k++)
    if (p->value[k].node) p->value[k] = renewed(&f, p->value[k].node);
  free(f.uses);
  free(f.apart);
  free(f.term);
  free(f.now);
  ap__tape_close(&p->tape);
  p->tape = f.to;
  return fits && !p->tape.failed;
}
