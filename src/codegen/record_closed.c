// SPDX-License-Identifier: Apache-2.0
// Closures and coordinates in the tape arithmetic, run once for one mechanism. Their derivatives
// along motions of the tree come from the tape.

#include <appell/kin.h>

#include <stdlib.h>

#include "base/error.h"
#include "codegen/clean.h"
#include "codegen/closed.h"
#include "codegen/derive.h"
#include "loop/mechanism.h"

#include "num/arith_tape.h"
#include "num/vocabulary.inc"

#define WORK               ap_work_tape
#define PART               ap_part_tape
#define ARITHMETIC_EPSILON DBL_EPSILON
#define PACK_MODEL         pack_clean
#define ISA_NAME           "tape"
#include "kin/text.inc"

#include "dyn/text.inc"
#include "dyn/own_kernels.inc"
#include "loop/closure.inc"

static const PART *const frames_alone[] = {&part_frames, NULL};

// A mechanism on its way onto a tape.
typedef struct recorder {
  const ap_mechanism *m;
  void *memory; // of the work
  WORK *w;
  real *in;      // [inputs] one array after the other, x first
  real *F;       // [3 * rows] what is differentiated
  ap_seed *seed; // [seeds]
  int rows;
} recorder;

// ---- motions of the tree -----------------------------------------------------------------------

// The turn of a joint with a quaternion at rates u: R' = R [u]x; bodies see R alone.
static int seed_turn(const body *b, const real *u, ap_seed *seed) {
  const mat3 dR = product(b->R.matrix, skew(load3(u)));
  const vec3 row[3] = {b->R.matrix.x, b->R.matrix.y, b->R.matrix.z}, d[3] = {dR.x, dR.y, dR.z};
  for (int i = 0; i < 9; i++)
    seed[i] = (ap_seed){component(row[i / 3], i % 3), component(d[i / 3], i % 3)};
  return 9;
}

// And its place: s' = R u.
static int seed_slide(const body *b, const real *u, ap_seed *seed) {
  const vec3 d = apply(b->R.matrix, load3(u));
  for (int i = 0; i < 3; i++) seed[i] = (ap_seed){component(b->s, i), component(d, i)};
  return 3;
}

// The tree moves with rates u [nv].
static int seed_motion(const recorder *r, const real *u) {
  const ap_model *tree = r->m->tree;
  ap_seed *seed = r->seed;
  for (int i = 1; i < tree->nbody; i++) {
    const ap_joint *j = &tree->joint[i];
    const real *rate = u + j->v;
    const body *b = &r->w->body[i];
    if (j->leader) continue;
    if (j->type == AP_FREE) seed += seed_slide(b, rate, seed), rate += 3;
    if (j->type == AP_FREE || j->type == AP_SPHERICAL)
      seed += seed_turn(b, rate, seed);
    else
      for (int k = 0; k < j->nv; k++) *seed++ = (ap_seed){r->in[j->q + k], rate[k]};
  }
  return (int)(seed - r->seed);
}

// Values along the motion u.
static bool derive_along(recorder *r, int n, const real *value, const real *u, real *out) {
  return ap__derive(r->w->ctx, n, value, seed_motion(r, u), r->seed, out);
}

// ---- programs ----------------------------------------------------------------------------------

// K, by a motion for each rate; unit [nv] is scratch.
static bool record_jacobian(recorder *r, real *unit, real *K) {
  const int nv = r->m->nv, rows = r->rows;
  bool fits = true;
  for (int j = 0; fits && j < nv; j++) {
    for (int k = 0; k < nv; k++) unit[k] = r_const(k == j);
    fits = derive_along(r, rows, r->F, unit, r->F + rows);
    for (int i = 0; fits && i < rows; i++) K[i * nv + j] = r->F[rows + i];
  }
  return fits;
}

// K xdd + K' xd; xdd may be NULL.
static bool record_acceleration(recorder *r, const real *xd, const real *xdd, real *out) {
  real *first = r->F + r->rows, *part = first + r->rows;
  bool fits = derive_along(r, r->rows, r->F, xd, first) &&
              derive_along(r, r->rows, first, xd, out) &&
              (!xdd || derive_along(r, r->rows, r->F, xdd, part));
  for (int i = 0; fits && xdd && i < r->rows; i++) out[i] = r_add(out[i], part[i]);
  return fits;
}

// The change of that as the motion is displaced.
static bool record_change(recorder *r, const real *xd, real *out) {
  const int nv = r->m->nv;
  const real *xdd = xd + nv, *y = xdd + nv, *dxd = y + nv;
  bool fits = record_acceleration(r, xd, xdd, out);
  int seeds = seed_motion(r, y);
  for (int k = 0; k < nv; k++) r->seed[seeds++] = (ap_seed){xd[k], dxd[k]};
  for (int i = 0; i < r->rows; i++) r->F[i] = out[i];
  return fits && ap__derive(r->w->ctx, r->rows, r->F, seeds, r->seed, out);
}

static bool run_kernels(recorder *r, ap_closed_program which, ap_program *p) {
  const int nv = r->m->nv;
  const real *second = r->in + r->m->nx;
  real *unit = r->in + r->m->nx + 4 * nv; // behind the inputs
  values_of_rows(r->w, r->m, r->in, r->F);
  switch (which) {
    case AP_CLOSURE_VALUES:
      for (int i = 0; i < r->rows; i++) p->value[i] = r->F[i];
      return true;
    case AP_CLOSURE_JACOBIAN: return record_jacobian(r, unit, p->value);
    case AP_CLOSURE_BIAS: return record_acceleration(r, second, NULL, p->value);
    case AP_CLOSURE_TURN: {
      real *K = malloc(((size_t)r->rows * (size_t)nv + 1) * sizeof *K);
      bool fits = K && record_jacobian(r, unit, K);
      fits = fits && derive_along(r, r->rows * nv, K, second, p->value);
      free(K);
      return fits;
    }
    case AP_CLOSURE_CHANGE: return record_change(r, second, p->value);
    case AP_CLOSED_PROGRAMS: break;
  }
  return false;
}

static void set_arrays(const ap_mechanism *m, ap_closed_program which, ap_program *p) {
  static const char *const name[] = {"q", "v", "a", "y", "dv"}; // x is taken
  const int nv = m->nv, rows = m->nrow + m->n;
  const bool matrix = which == AP_CLOSURE_JACOBIAN || which == AP_CLOSURE_TURN;
  p->inputs = which == AP_CLOSURE_CHANGE                             ? 5
              : which == AP_CLOSURE_BIAS || which == AP_CLOSURE_TURN ? 2
                                                                     : 1;
  for (int k = 0; k < p->inputs; k++) p->input[k] = (ap_array){name[k], k ? nv : m->nx};
  if (which == AP_CLOSURE_TURN) p->input[1].name = "y";
  p->outputs = 1, p->output[0] = (ap_array){matrix ? "K" : "F", matrix ? rows * nv : rows};
  p->values = p->output[0].size;
}

static void record_inputs(recorder *r, ap_program *p) {
  real *in = r->in;
  for (int k = 0; k < p->inputs; k++)
    for (int i = 0; i < p->input[k].size; i++) *in++ = ap__tape_input(&p->tape, k, i);
}

ap_status ap__record_closed(const ap_mechanism *m, ap_closed_program which, ap_program *p,
                            ap_error *error) {
  const size_t nv = (size_t)m->nv, nx = (size_t)m->nx, n = (size_t)m->n;
  const size_t rows = (size_t)m->nrow + n;
  const size_t size = work_size(m->tree, frames_alone);
  *p = (ap_program){.function = AP_COORDINATE_RATES}; // none of the robot's own
  set_arrays(m, which, p);
  recorder r = {.m = m, .rows = (int)rows};
  r.memory = malloc(size + 1);
  r.in = calloc(nx + 5 * nv + 1, sizeof *r.in);
  r.F = calloc(3 * rows + 1, sizeof *r.F);
  r.seed = calloc(12 * (nv + (size_t)m->tree->nbody) + nv + 1, sizeof *r.seed);
  p->value = calloc((size_t)p->values + 1, sizeof *p->value);
  bool fits = r.memory && r.in && r.F && r.seed && p->value && ap__tape_open(&p->tape);
  if (fits) r.w = work_init(m->tree, frames_alone, r.memory, size, &p->tape);
  fits = fits && r.w && r.w->frames;
  if (fits) {
    record_inputs(&r, p);
    fits = run_kernels(&r, which, p) && !p->tape.failed && ap__simplify(p);
  }
  free(r.memory);
  free(r.in);
  free(r.F);
  free(r.seed);
  if (fits) return AP_OK;
  ap__program_free(p);
  return ap__no_memory(error);
}
