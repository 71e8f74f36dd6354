// SPDX-License-Identifier: Apache-2.0
// Walls for the judge of the simulator: the gap of docs/impacts.md written once more, in long
// double and from the formulas alone, and how far a point may move for certain without crossing a
// surface. Nothing here calls the library.

#ifndef AP_TESTS_BRUTE_FORCE_WALLS_H
#define AP_TESTS_BRUTE_FORCE_WALLS_H

#include <appell/impact.h>

#include "test.h"

typedef long double ld;

enum { BRUTE_PROFILE = 12, BRUTE_HEIGHTS = 144 };

typedef struct brute_wall {
  ap_wall_kind kind;
  ld centre[3], e[3][3]; // axes of the wall's frame: along x, across, along the axis
  ld size[3], sign;      // sign: -1 where the inside is free
  ld restitution, friction;
  ld thin; // m: the least thickness; of planes and profiles the size of a scene
  int n;   // points of a profile
  ld x[BRUTE_PROFILE], y[BRUTE_PROFILE], bend[BRUTE_PROFILE]; // bend: second derivatives
  ld steep; // largest slope of a profile or a height field
  int rows; // of a height field, with n heights each
  ld height[BRUTE_HEIGHTS];
  ld slope; // of a cone
} brute_wall;

static inline ld dot3(const ld *a, const ld *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static inline ld norm3(const ld *a) { return sqrtl(dot3(a, a)); }

static inline void cross3(const ld *a, const ld *b, ld *c) {
  ld x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
  c[0] = x, c[1] = y, c[2] = z;
}

// ---- profiles ----------------------------------------------------------------------------------

// Natural spline: the second derivatives at the points solve a tridiagonal system (Thomas).
static inline void brute_spline(brute_wall *w) {
  ld up[BRUTE_PROFILE] = {0};
  w->bend[0] = w->bend[w->n - 1] = 0;
  for (int i = 1; i < w->n - 1; i++) {
    ld h = w->x[i] - w->x[i - 1], k = w->x[i + 1] - w->x[i];
    ld right = 6 * ((w->y[i + 1] - w->y[i]) / k - (w->y[i] - w->y[i - 1]) / h);
    ld pivot = 2 * (h + k) - h * up[i - 1];
    up[i] = k / pivot;
    w->bend[i] = (right - h * w->bend[i - 1]) / pivot;
  }
  for (int i = w->n - 2; i > 0; i--) w->bend[i] -= up[i] * w->bend[i + 1];
}

// Height at x and the slope there; straight beyond the ends.
static inline ld brute_height(const brute_wall *w, ld x, ld *slope) {
  int i = 0;
  while (i < w->n - 2 && x > w->x[i + 1]) i++;
  ld at = x < w->x[0] ? w->x[0] : x > w->x[w->n - 1] ? w->x[w->n - 1] : x;
  ld h = w->x[i + 1] - w->x[i], b = (at - w->x[i]) / h, a = 1 - b;
  *slope = (w->y[i + 1] - w->y[i]) / h +
           h / 6 * ((3 * b * b - 1) * w->bend[i + 1] - (3 * a * a - 1) * w->bend[i]);
  return a * w->y[i] + b * w->y[i + 1] +
         h * h / 6 * ((a * a * a - a) * w->bend[i] + (b * b * b - b) * w->bend[i + 1]) +
         (x - at) * *slope;
}

// The slope is a quadratic in every piece: largest at the ends or where the bend changes sign.
static inline ld brute_steepest(const brute_wall *w) {
  ld steep = 0, slope;
  for (int i = 0; i < w->n; i++) {
    brute_height(w, w->x[i], &slope);
    steep = fmaxl(steep, fabsl(slope));
    if (i + 1 == w->n || w->bend[i] * w->bend[i + 1] >= 0) continue;
    ld part = w->bend[i] / (w->bend[i] - w->bend[i + 1]);
    brute_height(w, w->x[i] + part * (w->x[i + 1] - w->x[i]), &slope);
    steep = fmaxl(steep, fabsl(slope));
  }
  return steep;
}

// ---- any wall ----------------------------------------------------------------------------------

static inline void brute_frame(brute_wall *w, const ap_wall *from) {
  for (int k = 0; k < 3; k++)
    w->centre[k] = from->centre[k], w->e[2][k] = from->axis[k], w->e[0][k] = from->x[k];
  ld length = norm3(w->e[2]);
  for (int k = 0; k < 3; k++) w->e[2][k] /= length;
  ld along = dot3(w->e[0], w->e[2]);
  for (int k = 0; k < 3; k++) w->e[0][k] -= along * w->e[2][k];
  length = norm3(w->e[0]);
  for (int k = 0; k < 3; k++) w->e[0][k] /= length;
  cross3(w->e[2], w->e[0], w->e[1]);
}

static inline int brute_axes(const brute_wall *w) { return w->kind == AP_WALL_ELLIPSE ? 2 : 3; }

// The radius of a cone falls by `slope` per metre; the steps of stairs, the heights of a field.
static inline void brute_edges(brute_wall *w, const ap_wall *from) {
  w->n = from->count;
  if (w->kind == AP_WALL_BOX) w->thin = fminl(w->size[0], fminl(w->size[1], w->size[2]));
  if (w->kind == AP_WALL_CAPPED_CYLINDER) w->thin = fminl(w->size[0], w->size[1]);
  if (w->kind == AP_WALL_CONE) {
    w->slope = (w->size[0] - w->size[2]) / w->size[1];
    w->thin = fminl(w->size[1], fminl(w->size[0], w->size[2]));
  }
  if (w->kind != AP_WALL_HEIGHT_FIELD) return;
  w->rows = from->npoint / from->count;
  for (int k = 0; k < from->npoint; k++) w->height[k] = from->points[k];
  for (int j = 0; j + 1 < w->rows; j++)
    for (int i = 0; i + 1 < w->n; i++) {
      const ld *h = &w->height[j * w->n + i];
      ld x = fmaxl(fabsl(h[1] - h[0]), fabsl(h[w->n + 1] - h[w->n])) / w->size[0];
      ld y = fmaxl(fabsl(h[w->n] - h[0]), fabsl(h[w->n + 1] - h[1])) / w->size[1];
      w->steep = fmaxl(w->steep, hypotl(x, y));
    }
}

// The height of a field, whose cells are cut from their first corner to the last; g: c's gradient.
static inline ld brute_field(const brute_wall *w, const ld *u, ld *g) {
  ld x = u[0] / w->size[0], y = u[1] / w->size[1];
  int i = (int)floorl(x), j = (int)floorl(y);
  i = i < 0 ? 0 : i > w->n - 2 ? w->n - 2 : i;
  j = j < 0 ? 0 : j > w->rows - 2 ? w->rows - 2 : j;
  const ld *h = &w->height[j * w->n + i];
  x -= i, y -= j;
  ld dx = y > x ? h[w->n + 1] - h[w->n] : h[1] - h[0];
  ld dy = y > x ? h[w->n] - h[0] : h[w->n + 1] - h[1];
  g[0] = -dx / w->size[0], g[1] = -dy / w->size[1], g[2] = 1;
  return u[2] - h[0] - dx * x - dy * y;
}

// Walls with edges: how far out of each face, the farthest of which counts in a solid.
static inline ld brute_edged(const brute_wall *w, const ld *u, ld *g) {
  ld out[3] = {0}, rho = hypotl(u[0], u[1]);
  int most = 0;
  if (w->kind == AP_WALL_BOX) {
    for (int k = 0; k < 3; k++) out[k] = fabsl(u[k]) - w->size[k] / 2;
    for (int k = 1; k < 3; k++)
      if (out[k] > out[most]) most = k;
    g[most] = u[most] > 0 ? 1 : -1;
    return out[most];
  }
  if (w->kind == AP_WALL_STAIRS) {
    ld c = INFINITY;
    for (int i = 0; i < w->n; i++) {
      ld riser = i * w->size[1] - u[0], tread = u[1] - (i + 1) * w->size[0];
      if (fmaxl(riser, tread) >= c) continue;
      c = fmaxl(riser, tread);
      g[0] = riser > tread ? -1 : 0, g[1] = riser > tread ? 0 : 1;
    }
    return c;
  }
  ld k = w->slope, s = sqrtl(1 + k * k), from = w->kind == AP_WALL_CONE ? 0 : -w->size[1] / 2;
  out[0] = (rho - (w->size[0] - k * u[2])) / s;
  out[1] = from - u[2];
  out[2] = u[2] - from - w->size[1];
  for (int i = 1; i < 3; i++)
    if (out[i] > out[most]) most = i;
  if (most == 0)
    g[0] = u[0] / rho / s, g[1] = u[1] / rho / s, g[2] = k / s;
  else
    g[2] = most == 1 ? -1 : 1;
  return out[most];
}

static inline brute_wall brute_wall_of(const ap_wall *from) {
  brute_wall w = {.kind = from->kind,
                  .sign = from->inside ? -1 : 1,
                  .restitution = from->restitution,
                  .friction = from->friction,
                  .thin = 0.01L};
  brute_frame(&w, from);
  for (int k = 0; k < 3; k++) w.size[k] = from->size[k];
  if (w.kind == AP_WALL_PROFILE) {
    w.n = from->npoint;
    for (int k = 0; k < w.n; k++) w.x[k] = from->points[2 * k], w.y[k] = from->points[2 * k + 1];
    brute_spline(&w);
    w.steep = brute_steepest(&w);
  } else if (w.kind == AP_WALL_TORUS) {
    w.thin = fminl(w.size[1], w.size[0] - w.size[1]);
  } else if (w.kind == AP_WALL_ELLIPSE || w.kind == AP_WALL_ELLIPSOID) {
    w.thin = fminl(w.size[0], w.size[1]);
    if (w.kind == AP_WALL_ELLIPSOID) w.thin = fminl(w.thin, w.size[2]);
  } else if (w.kind >= AP_WALL_DISC) {
    brute_edges(&w, from);
  } else if (w.kind != AP_WALL_PLANE) {
    w.thin = w.size[0];
  }
  w.thin = fminl(w.thin, 0.05L);
  return w;
}

static inline void brute_local(const brute_wall *w, const ld *p, ld u[3]) {
  ld from[3] = {p[0] - w->centre[0], p[1] - w->centre[1], p[2] - w->centre[2]};
  for (int k = 0; k < 3; k++) u[k] = dot3(w->e[k], from);
}

// Ellipse and ellipsoid: c = A N / (2 sqrt w), and g its gradient in the wall's frame.
static inline ld brute_ellipsoid(const brute_wall *w, const ld *u, ld *g) {
  int n = brute_axes(w);
  ld A = 0, N = -1, W = 1;
  for (int k = 0; k < n; k++) A = fmaxl(A, w->size[k]);
  for (int k = 0; k < n; k++) {
    ld a = w->size[k], part = u[k] / a * (u[k] / a);
    N += part;
    W += (A * A / (a * a) - 1) * part;
  }
  for (int k = 0; k < n; k++) {
    ld a = w->size[k], d = u[k] / (a * a);
    g[k] = A * d / sqrtl(W) - A * N / (2 * W * sqrtl(W)) * (A * A / (a * a) - 1) * d;
  }
  return A * N / (2 * sqrtl(W));
}

// c of a point, and its gradient (NULL: not asked for), world axes.
static inline ld brute_gap(const brute_wall *w, const ld *p, ld *gradient) {
  ld u[3], g[3] = {0, 0, 0}, c = 0, R = w->size[0], slope;
  brute_local(w, p, u);
  ld across = u[0] * u[0] + u[1] * u[1], square = across + u[2] * u[2];
  switch (w->kind) {
    case AP_WALL_PLANE: c = u[2], g[2] = 1; break;
    case AP_WALL_CIRCLE:
    case AP_WALL_CYLINDER:
      c = (across - R * R) / (2 * R);
      g[0] = u[0] / R, g[1] = u[1] / R;
      break;
    case AP_WALL_SPHERE:
      c = (square - R * R) / (2 * R);
      for (int k = 0; k < 3; k++) g[k] = u[k] / R;
      break;
    case AP_WALL_ELLIPSE:
    case AP_WALL_ELLIPSOID: c = brute_ellipsoid(w, u, g); break;
    case AP_WALL_TORUS: {
      ld r = w->size[1], s = square + R * R - r * r, turn = 4 * R * R * across;
      c = (s - turn / s) / (4 * r);
      for (int k = 0; k < 3; k++)
        g[k] = (2 * u[k] * (1 + turn / (s * s)) - (k < 2 ? 8 * R * R * u[k] / s : 0)) / (4 * r);
      break;
    }
    case AP_WALL_PROFILE:
      c = u[1] - brute_height(w, u[0], &slope);
      g[0] = -slope, g[1] = 1;
      break;
    case AP_WALL_HEIGHT_FIELD: c = brute_field(w, u, g); break;
    default: c = brute_edged(w, u, g); break;
  }
  if (gradient)
    for (int k = 0; k < 3; k++)
      gradient[k] = w->sign * (g[0] * w->e[0][k] + g[1] * w->e[1][k] + g[2] * w->e[2][k]);
  return w->sign * c;
}

static inline void brute_normal(const brute_wall *w, const ld *p, ld n[3]) {
  brute_gap(w, p, n);
  ld length = norm3(n);
  for (int k = 0; k < 3; k++) n[k] /= length;
}

// A length that is never more than the distance of p from the surface, on either side.
// Ellipsoids: sqrt(sum (u / a)^2) grows by at most 1 / min a per metre; and what is outside the
// box around it is at least as far as the box. Profiles: the height changes by at most |f'| per
// metre, so that the distance is at least that of a cone of that slope.
static inline ld brute_clear(const brute_wall *w, const ld *p) {
  ld u[3];
  brute_local(w, p, u);
  ld rho = sqrtl(u[0] * u[0] + u[1] * u[1]), slope;
  switch (w->kind) {
    case AP_WALL_PLANE: return fabsl(u[2]);
    case AP_WALL_CIRCLE:
    case AP_WALL_CYLINDER: return fabsl(rho - w->size[0]);
    case AP_WALL_SPHERE: return fabsl(norm3(u) - w->size[0]);
    case AP_WALL_TORUS: return fabsl(hypotl(rho - w->size[0], u[2]) - w->size[1]);
    case AP_WALL_PROFILE:
      return fabsl(u[1] - brute_height(w, u[0], &slope)) / sqrtl(1 + w->steep * w->steep);
    case AP_WALL_ELLIPSE:
    case AP_WALL_ELLIPSOID: break;
    case AP_WALL_HEIGHT_FIELD:
      return fabsl(brute_field(w, u, (ld[3]){0})) / sqrtl(1 + w->steep * w->steep);
    default: return fabsl(brute_edged(w, u, (ld[3]){0}));
  }
  ld k2 = 0, least = w->size[0], box = 0;
  for (int k = 0; k < brute_axes(w); k++) {
    ld out = fmaxl(0, fabsl(u[k]) - w->size[k]);
    k2 += u[k] / w->size[k] * (u[k] / w->size[k]);
    least = fminl(least, w->size[k]);
    box += out * out;
  }
  return fmaxl(least * fabsl(sqrtl(k2) - 1), sqrtl(box));
}

#endif
