// SPDX-License-Identifier: Apache-2.0
#include "sim/corner_limits.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/jet.h"

int ap__corner_limits(const ap_solid *solid, int corner, const ap_face *face) {
  int n = 0;
  if (!solid || !face || !(face->tube > 0 || face->round > 0)) return 0;
  for (int k = 0; k < solid->nedge; k++)
    n += solid->edge[k].corner[0] == corner || solid->edge[k].corner[1] == corner;
  return n;
}

const double *ap__corner_other(const ap_solid *solid, int corner, int k) {
  for (int i = 0; i < solid->nedge; i++) {
    const int *end = solid->edge[i].corner;
    if ((end[0] == corner || end[1] == corner) && k-- == 0)
      return solid->corner[end[0] == corner ? end[1] : end[0]];
  }
  return solid->corner[corner];
}

static jet dot(const jet *a, const jet *b, int n) {
  jet sum = jet_times(a[0], b[0]);
  for (int k = 1; k < n; k++) sum = jet_mix(1, sum, 1, jet_times(a[k], b[k]));
  return sum;
}

static jet along(const double n[3], const jet x[3]) {
  jet sum = jet_mix(n[0], x[0], n[1], x[1]);
  return jet_mix(1, sum, n[2], x[2]);
}

void ap__corner_bound(const ap_surface *s, const ap_face *face, const ap_way *corner,
                      const ap_way *other, ap_gap_bound *g) {
  jet x[3], D[3], G;
  for (int k = 0; k < 3; k++) {
    x[k] = jet_part(s->frame[k], s->wall.centre, corner);
    D[k] = jet_mix(1, jet_part(s->frame[k], s->wall.centre, other), -1, x[k]);
    bool from = face->ring > 0 || face->tube > 0;
    if (from) x[k] = jet_mix(1, x[k], -face->c[k], jet_number(1, x[k].r));
  }
  *g = (ap_gap_bound){.third = INFINITY, .steep = 1, .slope = 1};
  if (face->tube > 0 && !(face->ring > 0)) {
    jet across = jet_times(along(face->n, D), along(face->n, x));
    G = jet_mix(1 / face->tube, dot(D, x, 3), -1 / face->tube, across);
  } else {
    jet square = dot(x, x, 2), P = dot(D, x, 2);
    double low = square.r > 0 ? jet_least(square) : square.c[0];
    if (!(low > 0)) return; // on the axis nothing is known: the face is not there
    jet rho = jet_root(square, low);
    if (face->ring > 0) {
      double scale = 1 / (face->ring * face->tube);
      jet up = jet_mix(1, P, 1, jet_times(D[2], x[2]));
      G = jet_mix(scale, jet_times(up, rho), -scale * face->ring, P);
    } else {
      double k = face->slope, scale = face->sign / (face->round * sqrt(1 + k * k));
      G = jet_mix(scale, P, scale * k, jet_times(D[2], rho));
    }
  }
  memcpy(g->f, G.c, sizeof g->f);
  g->third = G.M[3];
}
