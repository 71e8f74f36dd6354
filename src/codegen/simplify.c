// Fewer operations: the tape is recorded anew from the outputs back, with what the recording could
// not know, which node is used how often.

#include "codegen/program.h"

#include <stdlib.h>
#include <string.h>

// How often each node is used by nodes that an output needs, and by outputs. NULL: no memory.
static int *count_uses(const ap_program *p) {
  int *uses = calloc((size_t)p->tape.count, sizeof *uses);
  if (!uses) return NULL;
  for (int k = 0; k < ap__program_values(p); k++) uses[abs(p->value[k].node)]++;
  for (int k = p->tape.count - 1; k > 0; k--) {
    const ap_node *n = &p->tape.node[k];
    if (!uses[k]) continue;
    int operands = ap__operands(n);
    if (operands > 0) uses[abs(n->a)]++;
    if (operands > 1) uses[abs(n->b)]++;
  }
  return uses;
}

typedef struct rebuild {
  const ap_tape *old;
  const int *uses;
  ap_tape to;
  real *now; // [old->count] what each old node has become
} rebuild;

static real renewed(const rebuild *r, int ref) {
  real x = r->now[abs(ref)];
  return ref < 0 ? r_neg(x) : x;
}

static void rebuild_node(rebuild *r, int k) {
  const ap_node *n = &r->old->node[k];
  int operands = ap__operands(n);
  real a = operands > 0 ? renewed(r, n->a) : r_const(0);
  real b = operands > 1 ? renewed(r, n->b) : r_const(0);
  r->now[k] = ap__tape_apply(&r->to, n, a, b);
}

bool ap__simplify(ap_program *p) {
  int *uses = count_uses(p);
  rebuild r = {.old = &p->tape, .uses = uses};
  r.now = malloc((size_t)p->tape.count * sizeof *r.now);
  bool fits = ap__tape_open(&r.to) && uses && r.now;
  for (int k = 1; fits && k < p->tape.count; k++)
    if (uses[k]) rebuild_node(&r, k);
  for (int k = 0; fits && k < ap__program_values(p); k++)
    if (p->value[k].node) p->value[k] = renewed(&r, p->value[k].node);
  free(uses);
  free(r.now);
  ap__tape_close(&p->tape);
  p->tape = r.to;
  return fits && !p->tape.failed;
}
