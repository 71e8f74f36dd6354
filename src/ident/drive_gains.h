// SPDX-License-Identifier: Apache-2.0
// The problem of gains: what its files share.
//
// Of joint j, current i = h_j (W_j b + k_j) + noise, with h_j = 1 / gain, base parameters b and
// known forces k. Where the load is carried, b + d + D y stands for b: d are the base parameters of
// what is known of the load, D y those of what is not. The unknowns are x = (b, y, h).

#ifndef AP_IDENT_DRIVE_GAINS_H
#define AP_IDENT_DRIVE_GAINS_H

#include <appell/drive_gains.h>

#include "ident/ident.h"

enum { GAINS_BARE, GAINS_LOADED, GAINS_LOGS };

typedef struct gain_problem {
  ap_ident *id;
  const ap_base *base;
  const ap_drive_gain_options *o;
  ap_error *error;
  const ap_dataset *log[GAINS_LOGS]; // or NULL
  int nv, n, nl;                     // joint forces, base parameters, unknowns of the load
  int count;                         // unknowns: n + nl + nv
  int *columns;                      // [nv] base parameters that show in a joint force
  int *place;                        // [nv * n] where they stand in its row of the regressor
  int *which;                        // [nv * n] and which ones they are
  double *d, *D;                     // [n], [n * nl]
  double *mass;                      // [n] base parameters that make up the total mass
  bool weighs;                       // the total mass is known, and they do
  triangle *t;                       // [GAINS_LOGS * nv] columns: those of base parameters, k, i
  long *rows;                        // [nv]
  unsigned char *out[GAINS_LOGS];    // [nv * count of the log] currents that are left out
  double *K, *row, *known;           // [AP__CHUNK * nv * width], [np + 2], [nv] of one state
  double *x, *trial;                 // [count]
  double *b;                         // [n] base parameters, with the load where it is carried
  double *weight, *noise, *rms;      // [nv] of the currents
  double *G, *B;                     // [(count + 1)^2] the triangle of the linearised problem, rows
  double *Vt, *s, *scale;            // its singular vectors, values [count], lengths of columns
  double *room;
} gain_problem;

// Where the unknown of joint j stands.
static inline int gain_at(const gain_problem *p, int j) { return p->n + p->nl + j; }

// Whether the current of joint j takes part.
static inline bool has_gain(const gain_problem *p, int j) {
  return !p->id->silent[j] && p->rows[j] > 0;
}

// The rows of all states that are not left out, reduced to the triangles.
void ap__gains_take_in(gain_problem *p);
// Mark the currents that are farther off the fit than outliers may be: *changed, others than
// before.
ap_status ap__gains_mark(gain_problem *p, bool *changed);
// By how much correlated noise makes the variances of x larger, [count]; C [count * count] is the
// covariance of x.
ap_status ap__gains_inflation(gain_problem *p, const double *C, double *inflation);
// The base parameters that the forces of a log have, p->b.
const double *ap__gains_parameters(gain_problem *p, int log, const double *x);

#endif
