// SPDX-License-Identifier: Apache-2.0
#include "impact/closed_chain.h"

#include <string.h>

#include "base/arena.h"

// Scratch memory of a mechanism's impact.
typedef struct room {
  unsigned char *closed, *law;
  double *x;
} room;

static size_t lay_out(const ap_mechanism *m, int n, void *mem, room *r) {
  const ap_model *tree = ap_mechanism_tree(m);
  ap_arena a = ap__arena(mem);
  r->closed = AP_TAKE_ALIGNED(&a, unsigned char, ap__closed_size(m));
  r->law = AP_TAKE_ALIGNED(&a, unsigned char, ap_impact_scratch(tree, n));
  r->x = AP_TAKE(&a, double, ap_nq(tree));
  return ap__arena_size(&a);
}

size_t ap_mechanism_impact_scratch(const ap_mechanism *m, int n) {
  room r;
  return lay_out(m, n, NULL, &r);
}

ap_status ap_mechanism_impact(const ap_mechanism *m, ap_loop *l, const double *x, double *xd, int n,
                              ap_touch *touch, void *scratch, ap_impact_result *result) {
  room r;
  lay_out(m, n, scratch, &r);
  ap_closed *c = ap__closed_init(m, l, r.closed);
  memcpy(r.x, x, (size_t)ap_nq(ap_mechanism_tree(m)) * sizeof *x);
  ap_status status = ap__closed_start(c, r.x);
  return status ? status : ap__impact_closed(c, r.x, xd, n, touch, r.law, result);
}
