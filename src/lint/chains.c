// SPDX-License-Identifier: Apache-2.0
// Closed chains: whether they close from the guess, which closures say the same, how near the guess
// is to a singular configuration.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/chains.h"
#include "lint/examine.h"
#include "num/svd.h"

// Below this distance (see ap_singularity) a configuration is as good as singular.
#define NEAR_SINGULAR  1e-4
#define RANK_TOLERANCE 1e-9

static const int rows_of[] = {3, 3, 2, 9, 1, 1}, rank_of[] = {3, 2, 2, 6, 1, 1};

static int line_of(const lint *l, ap__chain_part part, int i) {
  const ap__chains *chains = l->strict ? l->strict->chains : NULL;
  if (!chains) return 0;
  return part < AP__CHAIN_PARTS && chains->lines[part] ? chains->lines[part][i] : chains->line;
}

static int guess_line(const lint *l) {
  const ap__chains *chains = l->strict ? l->strict->chains : NULL;
  return !chains ? 0 : chains->guess_line ? chains->guess_line : chains->line;
}

// The rank of the first n rows.
static int rank(const double *J, int n, int nv, double *scratch, double *sigma) {
  int r = 0;
  if (n == 0) return 0;
  memcpy(scratch, J, (size_t)n * (size_t)nv * sizeof *J);
  ap__singular_values(n, nv, scratch, sigma);
  for (int i = 0; i < nv && i < n; i++) r += sigma[i] > RANK_TOLERANCE * fmax(sigma[0], 1);
  return r;
}

static void say_redundant(lint *l, int closure, int asked, int new) {
  const ap_closure_def *c = ap_mechanism_closure(l->mechanism, closure);
  lint_note note =
      ap__lint_begin("closure-redundant", line_of(l, AP__CHAIN_CLOSURE, closure), c->name);
  ap__lint_what(&note, "closure \"%.*s\" has %d equation%s, of which %s independent here",
                ap__shown(c->name), c->name, asked, asked == 1 ? "" : "s",
                new == 0   ? "none is"
                : new == 1 ? "one is"
                           : "only some are");
  ap__lint_why(&note,
               "the closures before it imply the rest: motion is not affected, but %d of its "
               "forces are not determined (the minimum-norm solution is used)",
               asked - new);
  ap__lint_fix(&note, new == 0 ? "leave it out" : "a closure with fewer equations");
  ap__lint_end(l, &note);
}

// Which closure adds less rank than its kind has.
static void find_redundant(lint *l, ap_loop *loop, const double *x) {
  const ap_mechanism *m = l->mechanism;
  int nv = ap_nv(ap_mechanism_tree(m)), rows = ap_mechanism_nrow(m);
  if (rows == 0 || nv == 0 || rows > 2000 || nv > 2000) return;
  size_t size = (size_t)rows * (size_t)nv;
  double *J = malloc((2 * size + (size_t)nv) * sizeof *J);
  if (!ap__lint_got(l, J)) return;
  ap_loop_closure_jacobian(m, loop, x, J);
  int before = 0, row = 0;
  for (int i = 0; i < ap_mechanism_nclosure(m); i++) {
    int kind = (int)ap_mechanism_closure(m, i)->kind;
    row += rows_of[kind];
    int now = rank(J, row, nv, J + size, J + 2 * size);
    if (now - before < rank_of[kind]) say_redundant(l, i, rank_of[kind], now - before);
    before = now;
  }
  free(J);
}

static void say_open(lint *l, ap_status status, const ap_assembly *a) {
  const ap_closure_def *c = ap_mechanism_closure(l->mechanism, a->worst);
  int line = c ? line_of(l, AP__CHAIN_CLOSURE, a->worst) : guess_line(l);
  lint_note note = ap__lint_begin("closure-open", line, c ? c->name : "closures");
  ap__lint_what(&note, "the mechanism cannot be assembled from its guess: %s",
                ap_status_text(status));
  ap__lint_why(&note, "the smallest error found, at closure \"%.*s\", is %.3g (m or rad)",
               c ? ap__shown(c->name) : 8, c ? c->name : "closures", a->closure_error);
  ap__lint_fix(&note, "lengths that can close, or a guess nearer to an assembled configuration");
  ap__lint_end(l, &note);
}

static void look_at_guess(lint *l, ap_loop *loop, const double *q) {
  ap_singularity near = {0};
  ap_status status = ap_loop_singularity(l->mechanism, loop, q, &near);
  bool serial = status == AP_E_SINGULAR_SERIAL || near.serial < NEAR_SINGULAR;
  bool actuated = ap_mechanism_nact(l->mechanism) > 0;
  bool parallel = actuated && (status == AP_E_SINGULAR_PARALLEL || near.parallel < NEAR_SINGULAR);
  if (status == AP_E_SINGULAR_CLOSURES) serial = true;
  if (!serial && !parallel) return;
  lint_note note = ap__lint_begin("closure-singular", guess_line(l), "guess");
  ap__lint_what(&note, "at the assembled guess, %s",
                serial ? "the independent coordinates do not determine the mechanism"
                       : "the actuators do not hold the mechanism");
  ap__lint_why(&note, "its distance to a %s singularity is %.2g (1 is far): %s are unbounded there",
               serial ? "serial" : "parallel", serial ? near.serial : near.parallel,
               serial ? "speeds" : "actuator forces");
  ap__lint_fix(&note, serial ? "a guess away from stretched and folded limbs, or other coordinates"
                             : "another guess, or other actuated joints");
  ap__lint_end(l, &note);
}

void ap__lint_chains(lint *l) {
  if (!l->mechanism) return;
  const ap_mechanism *m = l->mechanism;
  ap_loop *loop = ap_loop_make(m);
  size_t nq = (size_t)ap_nq(ap_mechanism_tree(m));
  double *x = malloc((nq + (size_t)ap_mechanism_n(m) + 1) * sizeof *x), *q = x ? x + nq : NULL;
  ap_assembly result = {.worst = -1};
  if (ap__lint_got(l, loop && x)) {
    memcpy(x, ap_mechanism_guess(m), nq * sizeof *x);
    ap_status status = ap_loop_close(m, loop, x, q, &result);
    if (status != AP_OK) {
      say_open(l, status, &result);
    } else {
      find_redundant(l, loop, x);
      ap_loop_set_guess(m, loop, x);
      look_at_guess(l, loop, q);
    }
  }
  free(x);
  ap_loop_free(loop);
}
