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
    int operands = ap__operands(node);
    if (operands > 0) x->needed[abs(node->a)] = true;
    if (operands > 1) x->needed[abs(node->b)] = true;
  }
}

static real derivative_at(const direction *x, int ref) {
  return ref < 0 ? r_neg(x->d[-ref]) : x->d[ref];
}

static bool is_zero(real x) { return x.node == 0 && x.v == 0; }

static real derive_node(const direction *x, int k) {
  ap_tape *t = x->t;
  const ap_node n = t->node[k]; // a copy: the tape grows
  int operands = ap__operands(&n);
  real self = ap__tape_ref(t, k), zero = r_param(t, 0);
  real a = operands > 0 ? ap__tape_ref(t, n.a) : zero,
       b = operands > 1 ? ap__tape_ref(t, n.b) : zero;
  real da = operands > 0 ? derivative_at(x, n.a) : zero;
  real db = operands > 1 ? derivative_at(x, n.b) : zero;
  if (is_zero(da) && is_zero(db)) return zero;
  switch (n.op) {
    case AP_OP_ADD: return r_add(da, db);
    case AP_OP_ADD_CONST: return da;
    case AP_OP_MUL: return r_add(r_mul(da, b), r_mul(a, db));
    case AP_OP_MUL_CONST: return r_mul(r_param(t, n.k), da);
    case AP_OP_DIV: return r_div(r_sub(da, r_mul(self, db)), b);
    case AP_OP_DIV_CONST: return r_neg(r_mul(r_mul(r_param(t, 1 / n.k), r_mul(self, self)), da));
    case AP_OP_SIN: return r_mul(ap__tape_apply(t, &(ap_node){.op = AP_OP_COS}, a, zero), da);
    case AP_OP_COS:
      return r_neg(r_mul(ap__tape_apply(t, &(ap_node){.op = AP_OP_SIN}, a, zero), da));
    case AP_OP_INPUT:
    case AP_OP_SIGN:       // constant but where it jumps
    case AP_OP_MAX: break; // in statuses alone
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

bool ap__substitute(ap_tape *t, int n, const real *input, const real *by, int values, real *value) {
  direction x;
  bool fits = open_direction(&x, t); // d is what each node becomes, known what changes
  for (int k = 0; fits && k < n; k++) x.known[input[k].node] = true, x.d[input[k].node] = by[k];
  if (fits) mark_needed(&x, values, value);
  for (int k = 1; fits && k < x.count; k++) {
    if (!x.needed[k] || x.known[k]) continue;
    const ap_node node = t->node[k]; // a copy: the tape grows
    const int operands = ap__operands(&node), a = abs(node.a), b = abs(node.b);
    x.known[k] = (operands > 0 && x.known[a]) || (operands > 1 && x.known[b]);
    real first = operands > 0 ? derivative_at(&x, node.a) : r_param(t, 0);
    real second = operands > 1 ? derivative_at(&x, node.b) : r_param(t, 0);
    x.d[k] = x.known[k] ? ap__tape_apply(t, &node, first, second) : ap__tape_ref(t, k);
  }
  for (int k = 0; fits && k < values; k++)
    if (value[k].node) value[k] = derivative_at(&x, value[k].node);
  close_direction(&x);
  return fits && !t->failed;
}
