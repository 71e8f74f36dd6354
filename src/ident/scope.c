// SPDX-License-Identifier: Apache-2.0
// What states can show: joints that rest in all of them and forces that none of them has take
// parameters out of reach.

#include <math.h>
#include <stdlib.h>

#include "ident/ident.h"
#include "model/frozen.h"

// A joint rests if it is never faster than FASTEST, nor than SLOW as a rule (rad/s or m/s): the
// noise of an encoder of 1e-4 rad at 1 kHz is 5e-4 rad/s behind a filter of 10 Hz.
#define FASTEST 0.02
#define SLOW    0.005

static bool rests(const ap_dataset *s, int j) {
  double sum = 0;
  for (int i = 0; i < s->count; i++) {
    const double *q, *v, *a, *tau;
    ap_dataset_at(s, i, &q, &v, &a, &tau);
    if (!(fabs(v[j]) <= FASTEST)) return false;
    sum += v[j] * v[j];
  }
  return sum <= SLOW * SLOW * s->count;
}

static bool has_force(const ap_dataset *s, int j) {
  for (int i = 0; i < s->count; i++) {
    const double *q, *v, *a, *tau;
    ap_dataset_at(s, i, &q, &v, &a, &tau);
    if (isfinite(tau[j])) return true;
  }
  return false;
}

static void find_range(const ap_dataset *s, int k, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int i = 0; i < s->count; i++) {
    const double *q, *v, *a, *tau;
    ap_dataset_at(s, i, &q, &v, &a, &tau);
    *low = fmin(*low, q[k]), *high = fmax(*high, q[k]);
  }
}

ap_status ap_ident_limit_to(ap_ident *id, const ap_dataset *s, int *resting, int *silent) {
  const ap_model *m = id->m;
  if (!id->scope) id->scope = calloc((size_t)m->nbody, sizeof *id->scope);
  if (!id->scope) return AP_E_MEMORY;
  *resting = *silent = 0;
  for (int i = 1; i < m->nbody; i++) {
    const ap_joint *joint = &m->joint[i];
    id->scope[i].rests = joint->nv == 1 && !joint->leader && s->count > 0 && rests(s, joint->v);
    if (!id->scope[i].rests) continue;
    ++*resting;
    find_range(s, joint->q, &id->scope[i].low, &id->scope[i].high);
  }
  for (int j = 0; j < id->nv; j++) {
    if (id->silent[j] || has_force(s, j)) continue;
    ++*silent;
    id->silent[j] = true, id->nactive[j] = 0;
  }
  return AP_OK;
}

void ap__ident_limit_state(const ap_ident *id, ap__random *r, double *q, double *v, double *a) {
  for (int i = 1; id->scope && i < id->m->nbody; i++) {
    if (!id->scope[i].rests) continue;
    const ap_joint *joint = &id->m->joint[i];
    q[joint->q] = ap__uniform(r, id->scope[i].low, id->scope[i].high);
    v[joint->v] = a[joint->v] = 0;
  }
}
