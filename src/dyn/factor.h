// SPDX-License-Identifier: Apache-2.0
// The inertia matrix of a state, factorised. Exported, because libappell-tools solves contacts
// with it.

#ifndef AP_DYN_FACTOR_H
#define AP_DYN_FACTOR_H

#include <appell/work.h>

// M = L^T D L, L unit lower triangular. Row k of L has entries at next[k], next[next[k]], ... down
// to the ground (-1) alone, zeros between them from start[k] on, and nothing before. Valid until
// the work factorises again.
typedef struct ap_factor {
  int n;
  const double *L;         // [n * n], 1 / D on the diagonal
  const int *next, *start; // [n]
  const double *h;         // [n] bias forces; NULL where v is
} ap_factor;

// M of q and, with v, the bias h of q and v. AP_E_SINGULAR.
AP_API ap_status ap__factorize(const ap_model *m, ap_work *w, const double *q, const double *v,
                               ap_factor *f);

// x := M^-1 x, and the whole of M^-1, with the L of a factor or a copy of it.
AP_API void ap__factor_solve(const ap_model *m, const ap_work *w, const double *L, double *x);
AP_API void ap__factor_inverse(const ap_model *m, ap_work *w, const double *L, double *Minv);

#endif
