// SPDX-License-Identifier: Apache-2.0
// The kernels in the tape arithmetic, run once for one model.

#include <appell/kin.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codegen/clean.h"
#include "codegen/derive.h"
#include "codegen/program.h"
#include "codegen/regroup.h"
#include "model/pack.h"

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
#include "dyn/solve.inc"
#include "kin/quaternion.h"
#include "kin/manifold.inc"
#include "batch/step.inc"

static const PART *const tape_parts[] = {&part_inverse,     &part_solver,    &part_frames,
                                         &part_derivatives, &part_regressor, NULL};

// A model on its way onto a tape.
typedef struct recorder {
  const ap_model *m;
  void *memory; // of the work
  WORK *w;
  ap_lumps *lumps; // [nbody]
  bool second;     // the second way to what there are two of
  const ap_recording *how;
} recorder;

static void close_recorder(recorder *r) {
  free(r->memory);
  free(r->lumps);
}

static void regrouped_inverse(WORK *w, const real *q, const real *v, const real *a,
                              const vec3 *wrench, real *tau) {
  tensor_inverse(w, true, q, v, a, wrench, tau);
}
static void regrouped_gravity(WORK *w, const real *q, real *tau) {
  regrouped_inverse(w, q, NULL, NULL, NULL, tau);
}

// The regrouped parameters in the place of the model's own, for inverse dynamics and inertia.
static void regroup(recorder *r, ap_tape *t) {
  ap__lumps_of(r->m, r->lumps);
  ap__regroup(r->m, r->lumps);
  for (int i = 0; i < r->m->nbody; i++) {
    ap_lumps *x = &r->lumps[i];
    clean(x->moment, 3);
    clean(x->inertia, 6);
    body *b = &r->w->body[i];
    b->mass = b->composite_mass = r_param(t, x->mass);
    b->com = b->beyond->c = constant3(t, x->moment);
    b->beyond->E = constant_sym(t, x->inertia);
    b->J = euler_tensor(b->beyond->E);
    if (b->type == AP_REVOLUTE) b->J.zz = r_const(0);
  }
  add_composite_masses(r->w);
  lump_beyond(r->w);
  r->w->inverse->by.forces = regrouped_inverse, r->w->hold->by.forces = regrouped_gravity;
}

static void (*const inertia_ways[AP_INERTIA_WAYS])(WORK *w, const real *q, real *D) = {
    gibbs_hessian_inertia, gibbs_hessian_root_inertia, gibbs_hessian_loads_inertia};

static bool open_recorder(recorder *r, const ap_model *m, const ap_recording *how, ap_tape *t) {
  size_t size = work_size(m, tape_parts);
  *r = (recorder){.m = m, .how = how, .second = how->second};
  r->memory = size ? malloc(size) : NULL;
  r->lumps = malloc((size_t)m->nbody * sizeof *r->lumps);
  if (!r->memory || !r->lumps) return false;
  r->w = work_init(m, tape_parts, r->memory, size, t);
  set_friction(r->w, how->friction);
  r->w->inertia->by.matrix = inertia_ways[how->inertia];
  if (how->regroup && !how->second) regroup(r, t); // the second ways know no regrouped parameters
  return true;
}

// ---- functions ---------------------------------------------------------------------------------

// What tells whether the inertia matrix is singular: inverse pivots, one in `stride` numbers, and
// their product with the sizes;
static void record_pivots(const recorder *r, const real *inverse, size_t stride, real *pivot) {
  int n = r->m->nv;
  for (int k = 0; k < n; k++) pivot[k] = inverse[(size_t)k * stride];
  if (n > 0) pivot[n + AP_OF_PRODUCT] = product_of_pivots(r->w, inverse, stride);
}

// and the result of a probe.
static void record_probe(const recorder *r, real *pivot) {
  int n = r->m->nv;
  if (n == 0) return;
  pivot[n + AP_OF_ENERGY] = r->w->solver->probed.energy,
            pivot[n + AP_OF_SIZE] = r->w->solver->probed.size;
}

// By articulated bodies.
static void record_articulated(recorder *r, const real *q, const real *v, const real *tau, real *a,
                               real *pivot) {
  WORK *w = r->w;
  accelerations_by_bodies(w, &w->solver->by.articulated, q, v, tau, NULL);
  for (int k = 0; k < r->m->nv; k++) a[k] = w->a[k];
  record_pivots(r, w->solver->y, 1, pivot);
  record_probe(r, pivot);
}

// By the factorised inertia matrix, which stays in L.
static void record_forward(recorder *r, const real *q, const real *v, const real *tau, real *a) {
  WORK *w = r->w;
  int n = r->m->nv;
  inverse(w, q, v, NULL, NULL, w->solver->x);
  inertia(w, q, w->solver->L);
  factorize(w, n, elimination(w), w->solver->L);
  for (int k = 0; k < n; k++) a[k] = r_sub(tau[k], w->solver->x[k]);
  solve(w, n, elimination(w), w->solver->L, a);
}

// Whether that one is singular; comes last, see ap__program_nodes().
static void probe_factors(recorder *r, real *pivot) {
  update_sizes(r->w);
  record_pivots(r, r->w->solver->L, (size_t)r->m->nv + 1, pivot);
  probe_matrix(r->w, r->m->nv, elimination(r->w), r->w->solver->L);
  record_probe(r, pivot);
}

static void record_jacobian(recorder *r, int frame, const real *q, real *J) {
  see_from_ground(r->w, expand_q(r->w, q), NULL, NULL);
  frame_and_jacobian(r->w, frame, AP_MIXED, NULL, NULL, J);
}

// R of all frames, then p, then J.
static void record_kinematics(recorder *r, const real *q, real *R) {
  int n = r->how->nframes;
  real *p = R + 9 * n, *J = p + 3 * n;
  see_from_ground(r->w, expand_q(r->w, q), NULL, NULL);
  for (int k = 0; k < n; k++, R += 9, p += 3, J += 6 * r->m->nv)
    frame_and_jacobian(r->w, r->how->frames[k], AP_MIXED, R, p, J);
}

// The ten columns of every moving body, as ap_regressor() has them.
static void record_regressor(recorder *r, const real *q, const real *v, const real *a, real *K) {
  size_t columns = 10 * (size_t)(r->m->nbody - 1), nv = (size_t)r->m->nv;
  regressor_start(r->w, q, v, a);
  for (int i = 1; i < r->m->nbody; i++) {
    const real *from = regressor_columns(r->w, i);
    for (size_t k = 0; k < 10 * nv; k++)
      K[k / 10 * columns + 10 * (size_t)(i - 1) + k % 10] = from[k];
  }
}

// ---- derivatives -------------------------------------------------------------------------------

// A joint with a quaternion q turned about axis k of its body: R' = R [e_k]x, q' = q e_k / 2; and
// moved along it: s' = R e_k. Bodies see R and s, springs q and the place p in q.
static int seed_turn(const body *b, const real *q, int k, ap_seed *seed) {
  mat3 dR = product(b->R.matrix, skew(unit(k)));
  const vec3 row[3] = {b->R.matrix.x, b->R.matrix.y, b->R.matrix.z}, d[3] = {dR.x, dR.y, dR.z};
  for (int i = 0; i < 9; i++)
    seed[i] = (ap_seed){component(row[i / 3], i % 3), component(d[i / 3], i % 3)};
  real dq[4];
  store_quaternion(dq, quaternion_product(load_quaternion(q), (quaternion){unit(k), r_const(0)}));
  for (int i = 0; i < 4; i++) seed[9 + i] = (ap_seed){q[i], r_mul(r_const(0.5), dq[i])};
  return 13;
}
static int seed_slide(const body *b, const real *p, int k, ap_seed *seed) {
  vec3 d = column(b->R.matrix, k), dp = column(quaternion_matrix(p + 3), k);
  for (int i = 0; i < 3; i++) {
    seed[i] = (ap_seed){component(b->s, i), component(d, i)};
    seed[3 + i] = (ap_seed){p[i], component(dp, i)};
  }
  return 6;
}

enum { MOST_SEEDS = 16 };

// q moved along degree of freedom j of the user's. Values that q is not seen through are seeds
// without a derivative.
static int seed_configuration(const recorder *r, const real *q, int j, ap_seed *seed) {
  for (int i = 1; i < r->m->nbody; i++) {
    const ap_joint *joint = &r->m->joint[i];
    int k = j - joint->v;
    if (joint->leader || k < 0 || k >= joint->nv) continue;
    const body *b = &r->w->body[i];
    const real *x = q + joint->q;
    if (joint->type == AP_SPHERICAL) return seed_turn(b, x, k, seed);
    if (joint->type == AP_FREE)
      return k < 3 ? seed_slide(b, x, k, seed) : seed_turn(b, x + 3, k - 3, seed);
    seed[0] = (ap_seed){x[k], r_const(1)};
  }
  return 1;
}

// Derivatives of tau (n values) by q and v, the accelerations a held; rows are scratch [n * n].
static bool derive_inverse(recorder *r, const real *q, const real *v, const real *a, real *tau,
                           real *rows, real *const out[2]) {
  size_t n = (size_t)r->m->nv;
  if (r->second) {
    derivatives(r->w, q, v, a, NULL, NULL, (real *const[]){out[0], out[1], NULL});
    return true;
  }
  ap_seed *seed = malloc((n + MOST_SEEDS) * sizeof *seed);
  bool fits = seed != NULL;
  inverse(r->w, q, v, a, NULL, tau);
  for (size_t k = 0; fits && k < n; k++) seed[k] = (ap_seed){a[k], r_const(0)};
  for (int by_v = 0; by_v < 2; by_v++) {
    for (size_t j = 0; fits && j < n; j++) {
      int seeds = 1;
      if (by_v)
        seed[n] = (ap_seed){v[j], r_const(1)};
      else
        seeds = seed_configuration(r, q, (int)j, seed + n);
      fits = ap__derive(r->w->ctx, (int)n, tau, (int)n + seeds, seed, rows + j * n);
    }
    for (size_t k = 0; fits && k < n * n; k++) out[by_v][k] = rows[k % n * n + k / n];
  }
  free(seed);
  return fits;
}

// d tau / d q, v, a into out, one matrix after the other.
static bool record_inverse_derivatives(recorder *r, const real *q, const real *v, const real *a,
                                       real *out) {
  size_t size = (size_t)r->m->nv * (size_t)r->m->nv;
  real *by[2] = {out, out + size};
  bool fits = derive_inverse(r, q, v, a, r->w->solver->y, r->w->solver->L, by);
  inertia(r->w, q, out + 2 * size);
  return fits;
}

// Derivatives with the accelerations held. They must be inputs of their own while that is derived:
// written as what they are, M a = tau - bias would fold, and nothing would be left to hold.
static bool derive_at(recorder *r, const real *q, const real *v, const real *a, real *held,
                      real *rows, real *const out[2]) {
  int n = r->m->nv;
  if (r->second) return derive_inverse(r, q, v, a, r->w->solver->y, rows, out);
  for (int k = 0; k < n; k++) held[k] = ap__tape_input(r->w->ctx, AP_MOST_ARRAYS, k);
  bool fits = derive_inverse(r, q, v, held, r->w->solver->y, rows, out);
  for (int k = 0; fits && k < 2; k++) fits = ap__substitute(r->w->ctx, n, held, a, n * n, out[k]);
  return fits;
}

// [derivatives 17]  d a = M^-1 (d tau - dtau_dq dq - dtau_dv dv), with the factor that gave a.
static bool record_forward_derivatives(recorder *r, const real *q, const real *v, const real *tau,
                                       real *out, real *pivot) {
  size_t n = (size_t)r->m->nv, size = n * n;
  WORK *w = r->w;
  real *by[2] = {out, out + size}, *scratch = malloc((size + 2 * n) * sizeof *scratch);
  bool fits = scratch != NULL;
  real *a = scratch;
  if (fits) record_forward(r, q, v, tau, a);
  fits = fits && derive_at(r, q, v, a, scratch + n, scratch + 2 * n, by);
  solve_for(w, w->solver->L, (real *const[]){out, out + size, out + 2 * size});
  probe_factors(r, pivot);
  free(scratch);
  return fits;
}

// ---- derivatives by the numbers q, v and tau ----------------------------------------------------

// a = a(q, v, tau) with its derivatives comes from tau = f(q, v, a). With A = df/dx at held a, x
// being q and v, and with the multipliers lambda = M^-1 w of w . a,
//
//     da = M^-1 (dtau - A dx)              gradient: -g by x, lambda by tau; g = d(lambda . f)/dx
//     dlambda = M^-1 (dw - d(M lambda))    M lambda = d(lambda . f)/da, lambda held
//
// What is held must be inputs of its own, see derive_at().
typedef struct held_motion {
  int n, nx;
  const real *x;      // [nx] q and v
  real *a, *lambda;   // [n] of each, one behind the other
  real *held;         // [2n] inputs in their place
  real *f, *g, *load; // [n], [nx], [n]: f; its gradient by x and, behind it, by a: M lambda
  real *row;          // [nx + 2n] scratch
  ap_seed *seed;      // [nx + 2n]
} held_motion;

static void close_held(held_motion *h) {
  free(h->a);
  free(h->seed);
}

// w: [n], or NULL where there is nothing to weigh.
static bool open_held(recorder *r, const real *q, const real *tau, const real *w, held_motion *h) {
  size_t n = (size_t)r->m->nv, nx = (size_t)r->m->nq + n;
  ap_tape *t = r->w->ctx;
  *h = (held_motion){.n = (int)n, .nx = (int)nx, .x = q};
  h->a = calloc(2 * nx + 8 * n, sizeof *h->a);
  h->seed = calloc(nx + 2 * n, sizeof *h->seed);
  if (!h->a || !h->seed) return false;
  h->lambda = h->a + n, h->held = h->lambda + n, h->f = h->held + 2 * n;
  h->g = h->f + n, h->load = h->g + nx, h->row = h->load + n;
  record_forward(r, q, q + r->m->nq, tau, h->a);
  for (size_t k = 0; k < 2 * n; k++) h->held[k] = ap__tape_input(t, AP_MOST_ARRAYS, (int)k);
  inverse(r->w, q, q + r->m->nq, h->held, NULL, h->f);
  if (!w) return true;
  memcpy(h->lambda, w, n * sizeof *w);
  solve(r->w, h->n, elimination(r->w), r->w->solver->L, h->lambda);
  memcpy(h->row, q, nx * sizeof *q);
  memcpy(h->row + nx, h->held, n * sizeof *q);
  return ap__adjoin(t, h->n, h->f, h->held + n, h->nx + h->n, h->row, h->g);
}

// What is held again as what it is.
static bool let_go(recorder *r, const held_motion *h, int values, real *value) {
  return ap__substitute(r->w->ctx, 2 * h->n, h->held, h->a, values, value);
}

// M^-1 (b - x) into x
static void solve_difference(recorder *r, const real *b, real *x) {
  for (int k = 0; k < r->m->nv; k++) x[k] = r_sub(b[k], x[k]);
  solve(r->w, r->m->nv, elimination(r->w), r->w->solver->L, x);
}

static int seed_x(const held_motion *h, const real *dx) {
  for (int k = 0; k < h->nx; k++) h->seed[k] = (ap_seed){h->x[k], dx[k]};
  return h->nx;
}

static bool record_along(recorder *r, const held_motion *h, const real *dx, real *out) {
  bool fits = ap__derive(r->w->ctx, h->n, h->f, seed_x(h, dx), h->seed, out);
  solve_difference(r, dx + h->nx, out);
  return fits && let_go(r, h, h->n, out);
}

static bool record_jacobians(recorder *r, const held_motion *h, real *out) {
  const int n = h->n;
  real *zero = h->row;
  bool fits = true;
  for (int k = 0; k < n; k++) zero[k] = r_const(0);
  for (int j = 0; fits && j < h->nx + n; j++, out += n) {
    h->seed[0] = (ap_seed){h->x[j < h->nx ? j : 0], r_const(j < h->nx)};
    fits = ap__derive(r->w->ctx, n, h->f, 1, h->seed, out);
    if (j >= h->nx) out[j - h->nx] = r_const(-1);
    solve_difference(r, zero, out);
  }
  return fits && let_go(r, h, (h->nx + n) * n, out - (h->nx + n) * n);
}

static bool record_gradient(recorder *r, const held_motion *h, real *out) {
  for (int k = 0; k < h->nx; k++) out[k] = r_neg(h->g[k]);
  for (int k = 0; k < h->n; k++) out[h->nx + k] = h->lambda[k];
  return let_go(r, h, h->nx, out);
}

// d: dx, dtau and dw.
static bool record_twice(recorder *r, const held_motion *h, const real *d, real *out) {
  const int n = h->n, nx = h->nx;
  const real *dtau = d + nx, *dw = dtau + n;
  real *da = h->row, *dlambda = da + n;
  int seeds = seed_x(h, d);
  bool fits = ap__derive(r->w->ctx, n, h->f, seeds, h->seed, da);
  fits = fits && ap__derive(r->w->ctx, n, h->load, seeds, h->seed, dlambda);
  solve_difference(r, dtau, da);
  solve_difference(r, dw, dlambda);
  for (int k = 0; k < 2 * n; k++) h->seed[seeds++] = (ap_seed){h->held[k], h->row[k]};
  fits = fits && ap__derive(r->w->ctx, nx, h->g, seeds, h->seed, out);
  for (int k = 0; k < nx; k++) out[k] = r_neg(out[k]);
  memcpy(out + nx, dlambda, (size_t)n * sizeof *out);
  return fits && let_go(r, h, nx + n, out);
}

// Where a matrix of the Hessian's stands among the outputs: of the gradient by x or tau, by x, tau
// or w; both counted through.
typedef struct hessian_blocks {
  int size[4]; // of q, v, tau and w
  real *out;
} hessian_blocks;

static real *hessian_entry(const hessian_blocks *b, int row, int column) {
  int i = 0, j = 0;
  real *at = b->out;
  while (row >= b->size[i]) {
    for (int k = 0; k < 4; k++) at += b->size[i] * b->size[k];
    row -= b->size[i++];
  }
  while (column >= b->size[j]) at += b->size[i] * b->size[j], column -= b->size[j++];
  return at + column * b->size[i] + row;
}

// With C = d(M lambda)/dx (a row for each x), D = M^-1 A and N = M^-1 C':
//
//     by x, x: -dg/dx + C D + (C D)'     by x, tau: -N'     by x, w: -D'     by tau, w: M^-1
static void put_hessian(const held_motion *h, const hessian_blocks *b, const real *dg,
                        const real *C, const real *D, const real *N, const real *inverse_M) {
  const int n = h->n, nx = h->nx;
  for (int i = 0; i < nx; i++)
    for (int j = 0; j <= i; j++) {
      real sum = r_neg(dg[j * nx + i]);
      for (int k = 0; k < n; k++)
        sum =
            r_add(sum, r_add(r_mul(C[i * n + k], D[j * n + k]), r_mul(C[j * n + k], D[i * n + k])));
      *hessian_entry(b, i, j) = *hessian_entry(b, j, i) = sum;
    }
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < nx; i++) {
      *hessian_entry(b, i, nx + k) = *hessian_entry(b, nx + k, i) = r_neg(N[i * n + k]);
      *hessian_entry(b, i, nx + n + k) = r_neg(D[i * n + k]);
    }
    for (int i = 0; i < n; i++) {
      *hessian_entry(b, nx + i, nx + k) = r_const(0);
      *hessian_entry(b, nx + i, nx + n + k) = i > k ? inverse_M[k * n + i] : inverse_M[i * n + k];
    }
  }
}

// All rows of a matrix solved for.
static void solve_rows(recorder *r, int rows, real *X) {
  for (int k = 0; k < rows; k++)
    solve(r->w, r->m->nv, elimination(r->w), r->w->solver->L, X + k * r->m->nv);
}

static bool record_hessian(recorder *r, const held_motion *h, int values, real *out) {
  const size_t n = (size_t)h->n, nx = (size_t)h->nx;
  real *dg = calloc(nx * nx + 3 * nx * n + n * n, sizeof *dg);
  bool fits = dg != NULL;
  real *C = dg + nx * nx, *D = C + nx * n, *N = D + nx * n, *inverse_M = N + nx * n;
  for (size_t j = 0; fits && j < nx; j++) {
    h->seed[0] = (ap_seed){h->x[j], r_const(1)};
    fits = ap__derive(r->w->ctx, h->n, h->f, 1, h->seed, D + j * n) &&
           ap__derive(r->w->ctx, h->n, h->load, 1, h->seed, C + j * n) &&
           ap__derive(r->w->ctx, h->nx, h->g, 1, h->seed, dg + j * nx);
  }
  if (fits) {
    memcpy(N, C, nx * n * sizeof *N);
    for (size_t k = 0; k < n * n; k++) inverse_M[k] = r_const(k % (n + 1) == 0);
    solve_rows(r, h->nx, D), solve_rows(r, h->nx, N), solve_rows(r, h->n, inverse_M);
    const hessian_blocks b = {{r->m->nq, h->n, h->n, h->n}, out};
    put_hessian(h, &b, dg, C, D, N, inverse_M);
  }
  free(dg);
  return fits && let_go(r, h, values, out);
}

// in: q v tau, then adj_a where there is a gradient, then a direction in each of them.
static bool record_forward_numbers(recorder *r, ap_program *p, const real *in) {
  const real *tau = in + r->m->nq + r->m->nv, *more = tau + r->m->nv;
  const bool weighed = p->function >= AP_FORWARD_ADJOINT;
  held_motion h;
  bool fits = open_held(r, in, tau, weighed ? more : NULL, &h);
  switch (fits ? p->function : -1) {
    case AP_FORWARD_ALONG: fits = record_along(r, &h, more, p->value); break;
    case AP_FORWARD_JACOBIAN: fits = record_jacobians(r, &h, p->value); break;
    case AP_FORWARD_ADJOINT: fits = record_gradient(r, &h, p->value); break;
    case AP_FORWARD_TWICE: fits = record_twice(r, &h, more + h.n, p->value); break;
    case AP_FORWARD_HESSIAN: fits = record_hessian(r, &h, p->values, p->value); break;
  }
  close_held(&h);
  if (fits) probe_factors(r, p->value + p->values);
  return fits;
}

// The rates of the coordinates: v, but for quaternions, x' = R v and q' = q v / 2.
static void record_rates(recorder *r, const real *q, const real *v, real *rate) {
  for (int i = 1; i < r->m->nbody; i++) {
    const ap_joint *j = &r->m->joint[i];
    if (j->leader) continue;
    const real *x = q + j->q, *u = v + j->v;
    real *to = rate + j->q;
    if (j->type == AP_FREE) {
      vec3 d = apply(quaternion_matrix(x + 3), (vec3){u[0], u[1], u[2]});
      for (int k = 0; k < 3; k++) to[k] = component(d, k);
      x += 3, u += 3, to += 3;
    }
    if (j->type == AP_FREE || j->type == AP_SPHERICAL) {
      const quaternion turn = {{u[0], u[1], u[2]}, r_const(0)};
      store_quaternion(to, quaternion_product(load_quaternion(x), turn));
      for (int k = 0; k < 4; k++) to[k] = r_mul(r_const(0.5), to[k]);
    } else {
      for (int k = 0; k < j->nv; k++) to[k] = u[k];
    }
  }
}

// ---- rollouts ----------------------------------------------------------------------------------

// Both with the work's x as scratch; inputs and outputs in the order of set_arrays().
static void record_rollout_forces(recorder *r, const real *q, real *tau) {
  const size_t nq = (size_t)r->m->nq, nv = (size_t)r->m->nv;
  const real *v = q + nq, *force = v + nv, *target_q = force + nv, *target_v = target_q + nq;
  const step_course course = {force, target_q, target_v, target_v + nv, target_v + 2 * nv};
  forces_of_step(r->m, &course, q, v, r->w->solver->x, tau);
}

static void record_rollout_step(recorder *r, const real *q, real *next) {
  const real *v = q + r->m->nq, *a = v + r->m->nv, *dt = a + r->m->nv;
  step_semi_implicit(r->m, *dt, q, v, a, r->w->solver->x, next, next + r->m->nq);
}

static bool run_kernels(recorder *r, ap_program *p, const real *in) {
  const real *q = in, *v = q + r->m->nq, *a = v + r->m->nv;
  real *out = p->value;
  switch (p->function) {
    case AP_GEN_INVERSE: inverse(r->w, q, v, a, NULL, out); break;
    case AP_GEN_INERTIA: inertia(r->w, q, out); break;
    case AP_GEN_BIAS: inverse(r->w, q, v, NULL, NULL, out); break;
    case AP_GEN_GRAVITY: inverse(r->w, q, NULL, NULL, NULL, out); break;
    case AP_GEN_FORWARD:
      if (r->second)
        record_articulated(r, q, v, a, out, out + p->values);
      else
        record_forward(r, q, v, a, out), probe_factors(r, out + p->values);
      break;
    case AP_GEN_JACOBIAN: record_jacobian(r, p->frame, q, out); break;
    case AP_GEN_REGRESSOR: record_regressor(r, q, v, a, out); break;
    case AP_GEN_INVERSE_DERIVATIVES: return record_inverse_derivatives(r, q, v, a, out);
    case AP_GEN_FORWARD_DERIVATIVES:
      return record_forward_derivatives(r, q, v, a, out, out + p->values);
    case AP_GEN_INTEGRATE: integrate_configuration(r->m, q, v, out); break;
    case AP_GEN_DIFFERENCE: difference_of_configurations(r->m, q, q + r->m->nq, out); break;
    case AP_GEN_KINEMATICS: record_kinematics(r, q, out); break;
    case AP_ROLLOUT_FORCES: record_rollout_forces(r, q, out); break;
    case AP_ROLLOUT_STEP: record_rollout_step(r, q, out); break;
    case AP_COORDINATE_RATES: record_rates(r, q, v, out); break;
    default: return record_forward_numbers(r, p, in);
  }
  return true;
}

// The arrays of derivatives of forward dynamics by numbers.
static void set_forward_arrays(const ap_model *m, ap_program *p) {
  const int nq = m->nq, nv = m->nv, size[4] = {nq, nv, nv, nv};
  static const char *const row[] = {"q", "v", "tau"};
  static const char *const along[] = {"fwd_q", "fwd_v", "fwd_tau", "fwd_adj_a"};
  static const char *const adjoint[] = {"adj_q", "adj_v", "adj_tau"};
  static const char *const twice[] = {"fwd_adj_q", "fwd_adj_v", "fwd_adj_tau"};
  static const char *const by[] = {"by_q", "by_v", "by_tau"};
  static const char *const second[] = {"q_q",   "q_v",   "q_tau",   "q_adj_a",
                                       "v_q",   "v_v",   "v_tau",   "v_adj_a",
                                       "tau_q", "tau_v", "tau_tau", "tau_adj_a"};
  const bool weighed = p->function >= AP_FORWARD_ADJOINT;
  const bool once = p->function == AP_FORWARD_ALONG;
  p->pivots = nv, p->outputs = once ? 1 : p->function == AP_FORWARD_HESSIAN ? 12 : 3;
  for (int k = 0; k < 3; k++) p->input[k] = (ap_array){row[k], size[k]};
  p->inputs = 3;
  if (weighed) p->input[p->inputs++] = (ap_array){"adj_a", nv};
  for (int k = 0; (once && k < 3) || (p->function == AP_FORWARD_TWICE && k < 4); k++)
    p->input[p->inputs++] = (ap_array){along[k], size[k]};
  for (int k = 0; k < p->outputs; k++) switch (p->function) {
      case AP_FORWARD_ALONG: p->output[k] = (ap_array){"fwd_a", nv}; break;
      case AP_FORWARD_JACOBIAN: p->output[k] = (ap_array){by[k], nv * size[k]}; break;
      case AP_FORWARD_ADJOINT: p->output[k] = (ap_array){adjoint[k], size[k]}; break;
      case AP_FORWARD_TWICE: p->output[k] = (ap_array){twice[k], size[k]}; break;
      default: p->output[k] = (ap_array){second[k], size[k / 4] * size[k % 4]};
    }
}

// The arrays of a function, as its prototype has them.
static void set_arrays(const ap_model *m, const ap_recording *how, ap_program *p) {
  int nq = m->nq, nv = m->nv;
  ap_array q = {"q", nq}, v = {"v", nv}, a = {"a", nv}, tau = {"tau", nv};
  p->input[0] = q, p->input[1] = v;
  p->outputs = 1, p->output[0] = tau;
  switch (p->function) {
    case AP_GEN_INVERSE: p->inputs = 3, p->input[2] = a, p->in_place = true; break;
    case AP_GEN_INERTIA: p->inputs = 1, p->output[0] = (ap_array){"M", nv * nv}; break;
    case AP_GEN_BIAS: p->inputs = 2; break;
    case AP_GEN_GRAVITY: p->inputs = 1; break;
    case AP_GEN_FORWARD:
      p->inputs = 3, p->input[2] = tau, p->output[0] = a;
      p->in_place = true, p->pivots = nv;
      break;
    case AP_GEN_JACOBIAN: p->inputs = 1, p->output[0] = (ap_array){"J", 6 * nv}; break;
    case AP_GEN_REGRESSOR:
      p->inputs = 3, p->input[2] = a;
      p->output[0] = (ap_array){"K", nv * 10 * (m->nbody - 1)};
      break;
    case AP_GEN_INVERSE_DERIVATIVES:
      p->inputs = p->outputs = 3, p->input[2] = a;
      p->output[0] = (ap_array){"dtau_dq", nv * nv};
      p->output[1] = (ap_array){"dtau_dv", nv * nv};
      p->output[2] = (ap_array){"dtau_da", nv * nv};
      break;
    case AP_GEN_FORWARD_DERIVATIVES:
      p->inputs = p->outputs = 3, p->input[2] = tau, p->pivots = nv;
      p->output[0] = (ap_array){"da_dq", nv * nv};
      p->output[1] = (ap_array){"da_dv", nv * nv};
      p->output[2] = (ap_array){"da_dtau", nv * nv};
      break;
    case AP_GEN_INTEGRATE: p->inputs = 2, p->output[0] = (ap_array){"result", nq}; break;
    case AP_GEN_DIFFERENCE:
      p->inputs = 2, p->output[0] = v;
      p->input[0] = (ap_array){"q0", nq}, p->input[1] = (ap_array){"q1", nq};
      break;
    case AP_GEN_KINEMATICS:
      p->inputs = 1, p->outputs = 3;
      p->output[0] = (ap_array){"R", 9 * how->nframes};
      p->output[1] = (ap_array){"p", 3 * how->nframes};
      p->output[2] = (ap_array){"J", 6 * nv * how->nframes};
      break;
    case AP_ROLLOUT_FORCES:
      p->inputs = 7, p->input[2] = (ap_array){"force", nv};
      p->input[3] = (ap_array){"target_q", nq}, p->input[4] = (ap_array){"target_v", nv};
      p->input[5] = (ap_array){"kp", nv}, p->input[6] = (ap_array){"kd", nv};
      break;
    case AP_ROLLOUT_STEP:
      p->inputs = 4, p->input[2] = a, p->input[3] = (ap_array){"dt", 1};
      p->outputs = 2, p->output[0] = (ap_array){"next_q", nq};
      p->output[1] = (ap_array){"next_v", nv};
      break;
    case AP_COORDINATE_RATES: p->inputs = 2, p->output[0] = (ap_array){"dq", nq}; break;
    default: set_forward_arrays(m, p);
  }
  for (int k = 0; k < p->outputs; k++) p->values += p->output[k].size;
}

// All inputs of a program, one array after the other.
static real *record_inputs(ap_program *p) {
  int count = 0;
  for (int k = 0; k < p->inputs; k++) count += p->input[k].size;
  real *in = calloc((size_t)count + 1, sizeof *in);
  for (int k = 0, n = 0; in && k < p->inputs; k++)
    for (int i = 0; i < p->input[k].size; i++) in[n++] = ap__tape_input(&p->tape, k, i);
  return in;
}

int ap__program_nodes(const ap_program *p) {
  int last = 0, values = p->values + (p->pivots > 0 ? p->pivots + AP_OF_ENERGY : 0);
  for (int k = 0; k < values; k++)
    if (abs(p->value[k].node) > last) last = abs(p->value[k].node);
  return last + 1;
}

void ap__program_free(ap_program *p) {
  ap__tape_close(&p->tape);
  free(p->value);
}

ap_status ap__record(const ap_model *m, const ap_recording *how, ap_program *p, ap_error *error) {
  *p = (ap_program){.function = how->function, .frame = how->frame};
  set_arrays(m, how, p);
  recorder r = {0};
  real *in = NULL;
  p->value = malloc(((size_t)ap__program_values(p) + 1) * sizeof *p->value);
  bool fits = p->value && ap__tape_open(&p->tape);
  fits = fits && (in = record_inputs(p)) && open_recorder(&r, m, how, &p->tape);
  fits = fits && run_kernels(&r, p, in);
  fits = fits && !p->tape.failed;
  close_recorder(&r);
  free(in);
  if (fits) return AP_OK;
  ap__program_free(p);
  return ap__no_memory(error);
}
