// SPDX-License-Identifier: Apache-2.0
#include "codegen/derive.h"

#include <stdlib.h>

// One direction: derivatives of the nodes that were there before.
typedef struct direction {
  ap_tape *t;
  int count;
  bool *needed, *known; // [count] a value depends on it; its derivative is given
  real *d;              // [count]
} direction;

static bool open_direction(direction *x, ap_tape *t) {
  size_t n = (size_t)t->count;
  *x = (direction){.t = t, .count = t->count};
  x->needed = calloc(n, sizeof *x->needed);
  x->known = calloc(n, sizeof *x->known);
  x->d = calloc(n, sizeof *x->d);
  return x->needed && x->known && x->d;
}

static void close_direction(direction *x) {
  free(x->needed);
  free(x->known);
  free(x->d);
}

static void mark_needed(direction *x, int n, const real *value) {
  for (int k = 0; k < n; k++) x->needed[abs(value[k].node)] = true;
  for (int k = x->count - 1; k > 0; k--) {
    const ap_node *node = &x->t->node[k];
    if (!x->needed[k] || x->known[k]) continue;
    for (int i = 0; i < ap__operands(node); i++) x->needed[abs(ap__operand(node, i))] = true;
  }
}

static real derivative_at(const direction *x, int ref) {
  return ref < 0 ? r_neg(x->d[-ref]) : x->d[ref];
}

static bool is_zero(real x) { return x.node == 0 && x.v == 0; }

static real derive_node(const direction *x, int k) {
  ap_tape *t = x->t;
  const ap_node n = t->node[k]; // a copy: the tape grows
  real self = ap__tape_ref(t, k), zero = r_param(t, 0);
  real of[AP_MOST_OPERANDS] = {zero, zero, zero}, d[AP_MOST_OPERANDS] = {zero, zero, zero};
  for (int i = 0; i < ap__operands(&n); i++) {
    of[i] = ap__tape_ref(t, ap__operand(&n, i));
    d[i] = derivative_at(x, ap__operand(&n, i));
    d[i].t = t; // a literal has none
  }
  real a = of[0], b = of[1], da = d[0], db = d[1];
  if (is_zero(da) && is_zero(db) && is_zero(d[2])) return zero;
  switch (n.op) {
    case AP_OP_ADD: return r_add(da, db);
    case AP_OP_ADD_CONST: return da;
    case AP_OP_MUL: return r_add(r_mul(da, b), r_mul(a, db));
    case AP_OP_MUL_CONST: return r_mul(r_param(t, n.k), da);
    case AP_OP_DIV: return r_div(r_sub(da, r_mul(self, db)), b);
    case AP_OP_DIV_CONST: return r_neg(r_mul(r_mul(r_param(t, 1 / n.k), r_mul(self, self)), da));
    case AP_OP_FMA: return r_add(r_add(r_mul(da, b), r_mul(a, db)), d[2]);
    case AP_OP_SIN: return r_mul(ap__tape_apply(t, &(ap_node){.op = AP_OP_COS}, of), da);
    case AP_OP_COS: return r_neg(r_mul(ap__tape_apply(t, &(ap_node){.op = AP_OP_SIN}, of), da));
    case AP_OP_SQRT: return r_div(da, r_add(self, self));
    case AP_OP_ANGLE:
      return r_div(r_sub(r_mul(b, da), r_mul(a, db)), r_add(r_mul(a, a), r_mul(b, b)));
    case AP_OP_PICK: return r_pick(n.a, db, d[2]);
    case AP_OP_MAX: return r_pick(r_less(b, a), da, db);
    case AP_OP_INPUT:
    case AP_OP_NUMBER:
    case AP_OP_SIGN: break; // constant but where it jumps
  }
  return zero;
}

bool ap__derive(ap_tape *t, int n, const real *value, int seeds, const ap_seed *seed,
                real *derivative) {
  direction x;
  bool fits = open_direction(&x, t);
  for (int k = 0; fits && k < seeds; k++) {
    int node = abs(seed[k].at.node);
    if (!node) continue; // a number does not change
    x.known[node] = true;
    x.d[node] = seed[k].at.node < 0 ? r_neg(seed[k].derivative) : seed[k].derivative;
  }
  if (fits) mark_needed(&x, n, value);
  for (int k = 1; fits && k < x.count; k++)
    if (x.needed[k] && !x.known[k]) x.d[k] = derive_node(&x, k);
  for (int k = 0; fits && k < n; k++)
    derivative[k] = value[k].node ? derivative_at(&x, value[k].node) : r_param(t, 0);
  close_direction(&x);
  return fits && !t->failed;
}

// ---- backwards ---------------------------------------------------------------------------------

// Marks what depends on a node whose derivative is asked for; `needed` serves for that.
static void mark_moving(direction *x) {
  for (int k = 1; k < x->count; k++) {
    const ap_node *node = &x->t->node[k];
    x->needed[k] = x->known[k];
    for (int i = 0; !x->needed[k] && i < ap__operands(node); i++)
      x->needed[k] = x->needed[abs(ap__operand(node, i))];
  }
}

// Adds to what a reference's node has so far.
static void add_share(const direction *x, int ref, real share) {
  int node = abs(ref);
  if (x->needed[node]) x->d[node] = r_add(x->d[node], ref < 0 ? r_neg(share) : share);
}

// Hands what node k has, w, on to its operands.
static void hand_on(const direction *x, int k) {
  ap_tape *t = x->t;
  const ap_node n = t->node[k]; // a copy: the tape grows
  const real w = x->d[k], self = ap__tape_ref(t, k), none = r_param(t, 0);
  real of[AP_MOST_OPERANDS] = {none, none, none};
  for (int i = 0; i < ap__operands(&n); i++) of[i] = ap__tape_ref(t, ap__operand(&n, i));
  const real a = of[0], b = of[1];
  switch (n.op) {
    case AP_OP_MUL: add_share(x, n.a, r_mul(w, b)), add_share(x, n.b, r_mul(w, a)); break;
    case AP_OP_FMA:
      add_share(x, n.a, r_mul(w, b)), add_share(x, n.b, r_mul(w, a)), add_share(x, n.c, w);
      break;
    case AP_OP_ADD: add_share(x, n.a, w), add_share(x, n.b, w); break;
    case AP_OP_ADD_CONST: add_share(x, n.a, w); break;
    case AP_OP_MUL_CONST: add_share(x, n.a, r_mul(r_param(t, n.k), w)); break;
    case AP_OP_DIV: {
      real share = r_div(w, b);
      add_share(x, n.a, share), add_share(x, n.b, r_neg(r_mul(share, self)));
      break;
    }
    case AP_OP_DIV_CONST:
      add_share(x, n.a, r_neg(r_mul(r_mul(r_param(t, 1 / n.k), r_mul(self, self)), w)));
      break;
    case AP_OP_SIN:
      add_share(x, n.a, r_mul(ap__tape_apply(t, &(ap_node){.op = AP_OP_COS}, of), w));
      break;
    case AP_OP_COS:
      add_share(x, n.a, r_neg(r_mul(ap__tape_apply(t, &(ap_node){.op = AP_OP_SIN}, of), w)));
      break;
    case AP_OP_SQRT: add_share(x, n.a, r_div(w, r_add(self, self))); break;
    case AP_OP_ANGLE: {
      real share = r_div(w, r_add(r_mul(a, a), r_mul(b, b)));
      add_share(x, n.a, r_mul(share, b)), add_share(x, n.b, r_neg(r_mul(share, a)));
      break;
    }
    case AP_OP_PICK:
      add_share(x, n.b, r_pick(n.a, w, none)), add_share(x, n.c, r_pick(n.a, none, w));
      break;
    case AP_OP_MAX: {
      r_truth first = r_less(b, a);
      add_share(x, n.a, r_pick(first, w, none)), add_share(x, n.b, r_pick(first, none, w));
      break;
    }
    case AP_OP_INPUT:
    case AP_OP_NUMBER:
    case AP_OP_SIGN: break;
  }
}

bool ap__adjoin(ap_tape *t, int n, const real *value, const real *weight, int count, const real *at,
                real *gradient) {
  direction x;
  bool fits = open_direction(&x, t);
  for (int k = 0; fits && k < x.count; k++) x.d[k] = r_param(t, 0);
  for (int k = 0; fits && k < count; k++) x.known[abs(at[k].node)] = at[k].node != 0;
  if (fits) mark_moving(&x);
  for (int k = 0; fits && k < n; k++)
    if (value[k].node) add_share(&x, value[k].node, weight[k]);
  for (int k = x.count - 1; fits && k > 0; k--)
    if (x.needed[k] && !x.known[k] && !is_zero(x.d[k])) hand_on(&x, k);
  for (int k = 0; fits && k < count; k++)
    gradient[k] = at[k].node ? derivative_at(&x, at[k].node) : r_param(t, 0);
  close_direction(&x);
  return fits && !t->failed;
}

// ---- in another place --------------------------------------------------------------------------

bool ap__substitute(ap_tape *t, int n, const real *input, const real *by, int values, real *value) {
  direction x;
  bool fits = open_direction(&x, t); // d is what each node becomes, known what changes
  for (int k = 0; fits && k < n; k++) x.known[input[k].node] = true, x.d[input[k].node] = by[k];
  if (fits) mark_needed(&x, values, value);
  for (int k = 1; fits && k < x.count; k++) {
    if (!x.needed[k] || x.known[k]) continue;
    const ap_node node = t->node[k]; // a copy: the tape grows
    real of[AP_MOST_OPERANDS] = {0};
    for (int i = 0; i < ap__operands(&node); i++) {
      x.known[k] = x.known[k] || x.known[abs(ap__operand(&node, i))];
      of[i] = derivative_at(&x, ap__operand(&node, i));
    }
    x.d[k] = x.known[k] ? ap__tape_apply(t, &node, of) : ap__tape_ref(t, k);
  }
  for (int k = 0; fits && k < values; k++)
    if (value[k].node) value[k] = derivative_at(&x, value[k].node);
  close_direction(&x);
  return fits && !t->failed;
}
