// SPDX-License-Identifier: Apache-2.0
// The work of a mechanism, and what the files of this folder share.

#ifndef AP_LOOP_WORK_H
#define AP_LOOP_WORK_H

#include "base/arena.h"
#include "loop/mechanism.h"
#include "num/qr.h"

// A link frame seen from the ground.
typedef struct ap_seen {
  double R[9], p[3];  // pose
  double v[3], w[3];  // velocity of its origin, angular velocity
  double a[3], dw[3]; // their rates at xdd = 0
} ap_seen;

// A row of K asks of a link  lin . (velocity of a point) + ang . (angular velocity); `dlin` and
// `dang` are the rates of the two.
typedef struct ap_form {
  double lin[3], ang[3], dlin[3], dang[3];
} ap_form;

struct ap_loop {
  ap_work *work;
  double *x;            // configuration
  double *q;            // coordinates that it belongs to,
  bool placed;          // if true
  ap_status state;      // then what ap_loop_place() said
  bool mapped;          // P, J_act belong to it
  ap_seen *seen;        // by link, poses
  double *seen_x;       // of this configuration,
  bool seeing;          // if true
  double *F;            // [rows] Phi, then s (- q)
  double *K;            // [rows * nv]
  double *Kd;           // [rows * nv] dK/dt
  double *bias;         // [rows] dK/dt xd
  ap_qr qr;             // of K
  double *P;            // [nv * n]
  double *Pd;           // [nv * n] dP/dt
  double *J_act;        // [nact * n]
  double *B, *Z;        // [most * n] right sides, scratch
  double *xd, *xdd, *f; // [nv]
  double *try_x;        // [nx]
  double *try_F;        // [rows]
  double *step;         // [nv]
  double *tree;         // [nv * nv] M or C of the tree
  double *product;      // [nv * n]
  double *big;          // [(larger of rows, nv, + nact) * nv] copies
  double *tall;         // [rows + nv]
  double *small;        // [n * n]
  ap_qr small_qr;       // of J_act^T [n * nact]
  ap_qr force_qr;       // of Phi_x^T [nv * nrow]
  double *lambda;       // [nrow] multipliers
  double *sigma;        // [nv]
  double *vec;          // [larger of n, nact]
  // where derivatives.c works
  struct ap_slopes *slopes;
};

// ---- loop.c ------------------------------------------------------------------------------------

// Room for the factors of an m * n matrix.
ap_qr ap__take_qr(ap_arena *a, size_t m, size_t n);

// ---- rows.c ------------------------------------------------------------------------------------

enum { AP_ROWS_VALUES, AP_ROWS_JACOBIAN, AP_ROWS_BIAS, AP_ROWS_RATES };

// F of configuration x, and, as `what` says, K alone; bias alone; or K, bias and Kd. The last two
// are for rates xd of the tree, which may otherwise be NULL.
void ap__rows(const ap_mechanism *m, ap_loop *l, const double *x, const double *xd, int what,
              double *F);
// The rates of the coordinates, n entries, where K is that of the configuration and the tree has
// the rates xd.
void ap__coordinate_rates(const ap_mechanism *m, const ap_loop *l, const double *xd, double *sd);

// A configuration counts as singular where a map's condition, as ap__qr_nearness() sees it, is
// below these. Serial: F = 3e-14 leaves x uncertain by 2e-7 where K is singular. Parallel: forces
// lose nine digits.
#define AP_SERIAL_NEAR   1e-6
#define AP_PARALLEL_NEAR 1e-9

// ---- dynamics.c --------------------------------------------------------------------------------

// The three below where the map is made. Q = M a + C v + G, with xd, xdd and the tree's forces f in
// the loop; a may be NULL.
void ap__loop_forces(const ap_mechanism *m, ap_loop *l, const double *v, const double *a,
                     double *Q);
// tau of J_act^T tau = Q, the shortest; Q is used up, and the factors of J_act^T are in small_qr.
ap_status ap__loop_actuate(const ap_mechanism *m, ap_loop *l, double *Q, double *tau);
// M, symmetric to the bit.
void ap__loop_inertia(const ap_mechanism *m, ap_loop *l, double *M);

// ---- derivatives.c -----------------------------------------------------------------------------

// Memory of derivatives, and what is kept in it.
size_t ap__slopes_size(const ap_mechanism *m);
struct ap_slopes *ap__slopes_init(const ap_mechanism *m, void *mem);

// ---- reactions.c -------------------------------------------------------------------------------

// l->lambda: the shortest with Phi_x^T lambda = f at the configuration l->x; f [nv] is used up.
void ap__multipliers(const ap_mechanism *m, ap_loop *l, double *f);
// What closure i transmits with l->lambda, after the call above.
void ap__closure_force(const ap_mechanism *m, ap_loop *l, int i, ap_closure_force *force);

// ---- assemble.c --------------------------------------------------------------------------------

// Place at q and prepare P and J_act. AP_OK, or what ap_loop_place() says.
ap_status ap__loop_map(const ap_mechanism *m, ap_loop *l, const double *q);
// The smallest pivot over the largest, a cheap measure of the condition; 0 where rank is lacking.
double ap__qr_nearness(const ap_qr *qr, int full);

static inline bool ap__finite(int n, const double *x) {
  for (int i = 0; i < n; i++)
    if (!(x[i] - x[i] == 0)) return false;
  return true;
}

#endif
