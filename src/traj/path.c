// SPDX-License-Identifier: Apache-2.0
// Paths through points, by the length of the lines between them.

#include <appell/topp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traj/traj.h"

enum { MOST_POINTS = 1000000 };

static double distance(int n, const double *a, const double *b) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum = hypot(sum, b[j] - a[j]);
  return sum;
}

static ap_status check(int n, int points, const double *q, ap_error *error) {
  if (n < 1)
    return AP__REFUSE(error, AP_E_ARG, 0, "a path has %d coordinates (at least one is needed)", n);
  if (points < 2 || points > MOST_POINTS)
    return AP__REFUSE(error, AP_E_ARG, 0, "a path has %d point%s (2 to %d are possible)", points,
                      points == 1 ? "" : "s", MOST_POINTS);
  for (size_t k = 0; k < (size_t)n * (size_t)points; k++)
    if (!isfinite(q[k]))
      return AP__REFUSE(error, AP_E_ARG, 0, "coordinate %zu of point %zu is not a finite number",
                        k % (size_t)n + 1, k / (size_t)n + 1);
  for (int i = 0; i + 1 < points; i++) {
    const double *a = q + (size_t)i * (size_t)n, d = distance(n, a, a + n);
    if (d > 0 && isfinite(d)) continue;
    return AP__REFUSE(error, AP_E_ARG, 0, "points %d and %d are %s (a path needs different ones)",
                      i + 1, i + 2, d > 0 ? "too far apart" : "equal");
  }
  return AP_OK;
}

// Second derivatives M of the natural cubic spline at the inner points:
//   h0 M0 + 2 (h0 + h1) M1 + h1 M2 = 6 ((q2 - q1) / h1 - (q1 - q0) / h0),  0 at both ends.
// Diagonally dominant, so elimination needs no pivots. f is room for the eliminated diagonal.
static void curvature(int n, int points, const double *q, const double *h, double *M, double *f) {
  M[0] = M[points - 1] = 0;
  f[0] = 0;
  for (int i = 1; i + 1 < points; i++) {
    const double *p = q + (size_t)i * (size_t)n;
    const double d = 2 * (h[i - 1] + h[i]) - h[i - 1] * f[i - 1];
    const double r = 6 * ((p[n] - p[0]) / h[i] - (p[0] - p[-n]) / h[i - 1]);
    f[i] = h[i] / d;
    M[i] = (r - h[i - 1] * M[i - 1]) / d;
  }
  for (int i = points - 2; i > 0; i--) M[i] -= f[i] * M[i + 1];
}

static void fit(int n, int points, const double *q, int j, const double *h, const double *M,
                double *c) {
  for (int i = 0; i + 1 < points; i++) {
    const double *p = q + (size_t)i * (size_t)n + j;
    double *to = c + ((size_t)i * (size_t)n + (size_t)j) * AP__POWERS;
    to[0] = p[0];
    to[1] = (p[n] - p[0]) / h[i] - h[i] * (2 * M[i] + M[i + 1]) / 6;
    to[2] = M[i] / 2;
    to[3] = (M[i + 1] - M[i]) / (6 * h[i]);
  }
}

ap_status ap_traj_path(int n, int points, const double *q, ap_path_kind kind, ap_traj **path,
                       ap_error *error) {
  *path = NULL;
  ap_status status = check(n, points, q, error);
  if (status) return status;
  const size_t numbers = (size_t)n * (size_t)(points - 1) * AP__POWERS;
  double *room = calloc(3 * (size_t)points + 1, sizeof *room), *c;
  ap_traj *t = room ? ap__traj_new(n, points - 1, numbers, &c, error) : NULL;
  if (t) {
    double *h = room, *M = h + points, *f = M + points;
    memset(c, 0, numbers * sizeof *c);
    for (int i = 0; i + 1 < points; i++) {
      const double *a = q + (size_t)i * (size_t)n;
      h[i] = distance(n, a, a + n);
      t->piece[i] = (ap_piece){.kind = PIECE_POLYNOMIAL,
                               .start = t->duration,
                               .duration = h[i],
                               .stride = AP__POWERS,
                               .coefficient = c + (size_t)i * (size_t)n * AP__POWERS};
      t->duration += h[i];
    }
    for (int j = 0; j < n; j++) {
      if (kind == AP_PATH_SPLINE) curvature(n, points, q + j, h, M, f);
      fit(n, points, q, j, h, M, c);
    }
  }
  free(room);
  *path = t;
  return t ? AP_OK : ap__no_memory(error);
}
