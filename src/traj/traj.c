// SPDX-License-Identifier: Apache-2.0
// Trajectories as rows of pieces: making them, asking them.

#include "traj/traj.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

ap_traj *ap__traj_new(int n, int pieces, size_t numbers, double **coefficient, ap_error *error) {
  size_t head = sizeof(ap_traj) + (size_t)pieces * sizeof(ap_piece);
  ap_traj *t = numbers < SIZE_MAX / 16 ? malloc(head + numbers * sizeof(double)) : NULL;
  if (!t) {
    ap__fail(error, AP_E_MEMORY, 0, "no memory for a trajectory of %d coordinates", n);
    return NULL;
  }
  *t = (ap_traj){.n = n, .count = pieces};
  *coefficient = (double *)(void *)&t->piece[pieces];
  return t;
}

void ap_traj_free(ap_traj *traj) { free(traj); }

int ap_traj_n(const ap_traj *traj) { return traj->n; }

double ap_traj_duration(const ap_traj *traj) { return traj->duration; }

// ---- asking ------------------------------------------------------------------------------------

// Horner's scheme for the polynomial and its two derivatives.
void ap__polynomial_at(const double *c, double t, double x[3]) {
  double q = 0, v = 0, a = 0;
  for (int k = AP__POWERS - 1; k >= 0; k--) {
    a = a * t + 2 * v;
    v = v * t + q;
    q = q * t + c[k];
  }
  x[0] = q, x[1] = v, x[2] = a;
}

// sin and cos of l x from those of (l - 1) x by the addition theorem, l up to a few dozen.
static void fourier_at(const ap_piece *p, const double *c, double t, double x[3]) {
  double w = p->frequency, s1 = sin(w * t), c1 = cos(w * t), s = 0, k = 1;
  x[0] = c[0], x[1] = x[2] = 0;
  for (int l = 1; l <= p->harmonics; l++) {
    double next = s * c1 + k * s1, lw = l * w, sine = c[2 * l - 1], cosine = c[2 * l];
    k = k * c1 - s * s1, s = next;
    x[0] += sine * s + cosine * k;
    x[1] += lw * (sine * k - cosine * s);
    x[2] -= lw * lw * (sine * s + cosine * k);
  }
}

void ap__piece_of(const ap_piece *p, int j, double s, double x[3]) {
  const double *c = p->coefficient + (size_t)j * (size_t)p->stride;
  if (p->kind == PIECE_POLYNOMIAL)
    ap__polynomial_at(c, s, x);
  else
    fourier_at(p, c, p->phase + s, x);
}

// d q(s(t)) / dt = q' s',  d2 q(s(t)) / dt2 = q'' s'^2 + q' s''.
void ap__piece_at(const ap_piece *p, int j, double t, double x[3]) {
  if (!p->along) {
    ap__piece_of(p, j, t, x);
    return;
  }
  const double rate = p->way[1] + 2 * p->way[2] * t;
  ap__piece_of(p, j, p->way[0] + (p->way[1] + p->way[2] * t) * t, x);
  x[2] = x[2] * rate * rate + x[1] * 2 * p->way[2];
  x[1] *= rate;
}

// The piece of time t, by halving; the first or the last for times outside.
static const ap_piece *piece_of(const ap_traj *traj, double t) {
  int low = 0, high = traj->count - 1;
  while (low < high) {
    int middle = low + (high - low + 1) / 2;
    if (traj->piece[middle].start <= t)
      low = middle;
    else
      high = middle - 1;
  }
  return &traj->piece[low];
}

void ap_traj_at(const ap_traj *traj, double t, double *q, double *v, double *a) {
  bool rests = t < 0 || t > traj->duration;
  const ap_piece *p = piece_of(traj, t);
  double within = fmin(fmax(t - p->start, 0), p->duration);
  for (int j = 0; j < traj->n; j++) {
    double x[3];
    ap__piece_at(p, j, within, x);
    if (q) q[j] = x[0];
    if (v) v[j] = rests ? 0 : x[1];
    if (a) a[j] = rests ? 0 : x[2];
  }
}

// ---- making ------------------------------------------------------------------------------------

static bool all_finite(const double *x, size_t n) {
  for (size_t k = 0; x && k < n; k++)
    if (!isfinite(x[k])) return false;
  return true;
}

static ap_status check_time(double x, const char *what, ap_error *error) {
  if (x > 0 && isfinite(x)) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "a trajectory's %s is %g s (it must be positive and finite)", what, x);
}

ap_status ap_traj_fourier(const ap_fourier_def *def, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  if (def->n < 1 || def->harmonics < 1)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a Fourier series has %d coordinates and %d harmonics (at "
                      "least one of each is needed)",
                      def->n, def->harmonics);
  ap_status status = check_time(def->period, "period", error);
  if (!status) status = check_time(def->duration, "duration", error);
  if (status) return status;
  size_t n = (size_t)def->n, h = (size_t)def->harmonics, stride = 2 * h + 1;
  if (!all_finite(def->centre, n) || !all_finite(def->sine, n * h) ||
      !all_finite(def->cosine, n * h))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a coefficient of a Fourier series is not a finite number");
  double *c;
  ap_traj *t = ap__traj_new(def->n, 1, n * stride, &c, error);
  if (!t) return AP_E_MEMORY;
  t->duration = def->duration;
  t->piece[0] = (ap_piece){.kind = PIECE_FOURIER,
                           .duration = def->duration,
                           .frequency = 2 * acos(-1.0) / def->period,
                           .harmonics = def->harmonics,
                           .stride = (int)stride,
                           .coefficient = c};
  for (size_t j = 0; j < n; j++) {
    *c++ = def->centre[j];
    for (size_t l = 0; l < h; l++) *c++ = def->sine[j * h + l], *c++ = def->cosine[j * h + l];
  }
  *traj = t;
  return AP_OK;
}

static double entry(const double *x, int j) { return x ? x[j] : 0; }

void ap__quintic(double c[AP__POWERS], double T, const double p[3], const double e[3]) {
  double T2 = T * T, T3 = T2 * T;
  double q = e[0] - p[0] - p[1] * T - p[2] * T2 / 2; // what is left for the higher powers
  double v = e[1] - p[1] - p[2] * T, a = e[2] - p[2];
  c[0] = p[0], c[1] = p[1], c[2] = p[2] / 2;
  c[3] = (10 * q - 4 * v * T + a * T2 / 2) / T3;
  c[4] = (-15 * q + 7 * v * T - a * T2) / (T3 * T);
  c[5] = (6 * q - 3 * v * T + a * T2 / 2) / (T3 * T2);
}

static bool state_finite(const ap_traj_state *s, int n) {
  return all_finite(s->q, (size_t)n) && all_finite(s->v, (size_t)n) && all_finite(s->a, (size_t)n);
}

ap_status ap_traj_quintic(int n, const ap_traj_state *from, const ap_traj_state *to,
                          double duration, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  if (n < 1)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a trajectory has %d coordinates (at least one is needed)", n);
  ap_status status = check_time(duration, "duration", error);
  if (status) return status;
  if (!state_finite(from, n) || !state_finite(to, n))
    return AP__REFUSE(error, AP_E_ARG, 0, "an end of a trajectory is not made of finite numbers");
  double *c;
  ap_traj *t = ap__traj_new(n, 1, (size_t)n * AP__POWERS, &c, error);
  if (!t) return AP_E_MEMORY;
  t->duration = duration;
  t->piece[0] = (ap_piece){
      .kind = PIECE_POLYNOMIAL, .duration = duration, .stride = AP__POWERS, .coefficient = c};
  for (int j = 0; j < n; j++, c += AP__POWERS) {
    const double p[3] = {from->q[j], entry(from->v, j), entry(from->a, j)};
    const double e[3] = {to->q[j], entry(to->v, j), entry(to->a, j)};
    ap__quintic(c, duration, p, e);
  }
  *traj = t;
  return AP_OK;
}

// ---- one after the other -----------------------------------------------------------------------

static size_t numbers_of(const ap_traj *t) {
  size_t sum = 0;
  for (int k = 0; k < t->count; k++) sum += (size_t)t->n * (size_t)t->piece[k].stride;
  return sum;
}

// Whether b begins where a ends.
static ap_status check_meeting(const ap_traj *a, const ap_traj *b, int part, ap_error *error) {
  if (a->n != b->n)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "part %d of a trajectory has %d coordinates, the one before %d", part + 1,
                      b->n, a->n);
  const ap_piece *last = &a->piece[a->count - 1];
  for (int j = 0; j < a->n; j++) {
    double end[3], start[3];
    ap__piece_at(last, j, last->duration, end);
    ap__piece_at(&b->piece[0], j, 0, start);
    if (!(fabs(end[0] - start[0]) <= 1e-9 * (1 + fabs(end[0]))))
      return AP__REFUSE(
          error, AP_E_ARG, 0,
          "part %d of a trajectory begins at %.9g in coordinate %d (the part before ends at %.9g)",
          part + 1, start[0], j + 1, end[0]);
  }
  return AP_OK;
}

ap_status ap_traj_chain(const ap_traj *const *parts, int count, ap_traj **traj, ap_error *error) {
  *traj = NULL;
  if (count < 1)
    return AP__REFUSE(error, AP_E_ARG, 0, "a trajectory has no parts (at least one is needed)");
  int pieces = 0;
  size_t numbers = 0;
  for (int k = 0; k < count; k++) {
    ap_status status = k > 0 ? check_meeting(parts[k - 1], parts[k], k, error) : AP_OK;
    if (status) return status;
    pieces += parts[k]->count;
    numbers += numbers_of(parts[k]);
  }
  double *c;
  ap_traj *t = ap__traj_new(parts[0]->n, pieces, numbers, &c, error);
  if (!t) return AP_E_MEMORY;
  ap_piece *to = t->piece;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < parts[k]->count; i++, to++) {
      size_t size = (size_t)t->n * (size_t)parts[k]->piece[i].stride;
      *to = parts[k]->piece[i];
      to->start += t->duration;
      memcpy(c, to->coefficient, size * sizeof *c);
      to->coefficient = c;
      c += size;
    }
    t->duration += parts[k]->duration;
  }
  *traj = t;
  return AP_OK;
}
