// SPDX-License-Identifier: Apache-2.0
// For each point, with impulses x along the normal, y_k >= 0 along the sides' directions d_k and a
// speed l of sliding,
//
//   0 <= x   |  u_n >= 0
//   0 <= y_k |  d_k . u_t + l >= 0
//   0 <= l   |  mu x - sum y_k >= 0
//
// where of each pair one vanishes. A point whose direction of sliding is given has x alone, its
// friction being part of the column.
//
// Lemke's method adds an auxiliary variable to all rows, large enough that the others can be zero,
// and goes from vertex to vertex, always taking in the partner of what went out, until the
// auxiliary one goes out.

#include "impact/polygon.h"

#include <math.h>
#include <string.h>

enum { SIDES = 12, PER_POINT = SIDES + 2 };
enum { NORMAL, SIDE, SPEED };

static const double FLAT = 1e-11;  // a smaller pivot is rounding
static const double APART = 1e-12; // constants are moved by less than this, so that none are equal
static const double TURN = 0.26;   // rad, of the first side: no wall's axes have it

void ap__polygon_take(ap_arena *arena, int n, ap_polygon *o) {
  size_t m = (size_t)(n < AP_POLYGON_MOST ? n : AP_POLYGON_MOST) * PER_POINT;
  o->table = AP_TAKE(arena, double, m *(m + 2));
  o->basic = AP_TAKE(arena, int, m);
  o->other = AP_TAKE(arena, int, m + 1);
  o->row = AP_TAKE(arena, double, 3 * m);
  o->col = AP_TAKE(arena, double, 3 * m);
  o->point = AP_TAKE(arena, int, m);
  o->kind = AP_TAKE(arena, int, m);
}

static void add_variable(ap_polygon *o, int *m, int i, int kind, const double row[3],
                         const double col[3]) {
  o->point[*m] = i;
  o->kind[*m] = kind;
  memcpy(o->row + 3 * *m, row, 3 * sizeof *row);
  memcpy(o->col + 3 * *m, col, 3 * sizeof *col);
  ++*m;
}

// The angle of a side: evenly spread at first, and where friction is known to be near a direction
// four across each other and the rest around it.
static double angle_of(int side, int pass, const double p[3]) {
  enum { ACROSS = 4, HALF = (SIDES - ACROSS) / 2 };
  const double whole = 6.28318530717958647693;
  if (pass == 0 || (p[1] == 0 && p[2] == 0)) return TURN + side * (whole / SIDES);
  double middle = atan2(p[2], p[1]), spread = 2 * whole / SIDES * pow(0.25, pass - 1);
  if (side < ACROSS) return middle + side * (whole / ACROSS);
  int place = side - ACROSS - HALF;
  return middle + spread * (place < 0 ? place : place + 1) / HALF;
}

// The variables; their number.
static int list_variables(ap_polygon *o, int pass, const double *p) {
  static const double normal[3] = {1, 0, 0}, none[3] = {0, 0, 0};
  int m = 0;
  for (int i = 0; i < o->n; i++) {
    double mu = o->mu[i], given[2] = {0, 0};
    if (o->keep && !o->keep[i]) continue;
    if (o->way) memcpy(given, o->way + 2 * i, sizeof given);
    double along[3] = {1, -mu * given[0], -mu * given[1]};
    add_variable(o, &m, i, NORMAL, normal, along);
    if (!(mu > 0) || given[0] != 0 || given[1] != 0) continue;
    for (int k = 0; k < SIDES; k++) {
      double angle = angle_of(k, pass, p + 3 * i);
      double side[3] = {0, cos(angle), sin(angle)};
      add_variable(o, &m, i, SIDE, side, side);
    }
    add_variable(o, &m, i, SPEED, none, none);
  }
  return m;
}

// What a unit of variable c does in row r; W in units of w.
static double entry(const ap_polygon *o, int r, int c, double w) {
  int i = o->point[r], j = o->point[c];
  if (o->kind[r] == SPEED || o->kind[c] == SPEED) {
    if (i != j) return 0;
    if (o->kind[r] == SPEED) return o->kind[c] == NORMAL ? o->mu[i] : o->kind[c] == SIDE ? -1 : 0;
    return o->kind[r] == SIDE ? 1 : 0;
  }
  double sum = 0;
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      sum += o->row[3 * r + k] * o->W[(3 * i + k) * 3 * o->n + 3 * j + l] * o->col[3 * c + l];
  return sum / w;
}

// The table at the start: basic are the m slacks, numbered from m on; the auxiliary is 2 m.
static void fill(ap_polygon *o, int m, double w, double size) {
  for (int r = 0; r < m; r++) {
    double *T = o->table + r * (m + 2), constant = 0;
    for (int c = 0; c < m; c++) T[c] = entry(o, r, c, w);
    T[m] = 1;
    for (int k = 0; k < 3; k++) constant += o->row[3 * r + k] * o->b[3 * o->point[r] + k];
    T[m + 1] = constant / size + APART * (r + 1) / m;
    o->basic[r] = m + r;
    o->other[r] = r;
  }
  o->other[m] = 2 * m;
}

// Basic variable r and the other one c change places.
static void exchange(ap_polygon *o, int m, int r, int c) {
  double *pivot = o->table + r * (m + 2), by = 1 / pivot[c];
  for (int j = 0; j < m + 2; j++) pivot[j] *= -by;
  pivot[c] = by;
  for (int i = 0; i < m; i++) {
    double *T = o->table + i * (m + 2), part = T[c];
    if (i == r || part == 0) continue;
    T[c] = 0;
    for (int j = 0; j < m + 2; j++) T[j] += part * pivot[j];
  }
  int kept = o->basic[r];
  o->basic[r] = o->other[c];
  o->other[c] = kept;
}

// The basic variable that reaches zero first while the other one c grows; -1: none does.
static int first_out(const ap_polygon *o, int m, int c) {
  int first = -1;
  double least = INFINITY;
  for (int r = 0; r < m; r++) {
    const double *T = o->table + r * (m + 2);
    if (!(T[c] < -FLAT)) continue;
    double reach = fmax(T[m + 1], 0) / -T[c];
    if (reach < least || (reach == least && o->basic[r] == 2 * m)) least = reach, first = r;
  }
  return first;
}

// From vertex to vertex until the auxiliary variable is out.
static bool walk(ap_polygon *o, int m) {
  int r = 0, c = m;
  for (int i = 1; i < m; i++)
    if (o->table[i * (m + 2) + m + 1] < o->table[r * (m + 2) + m + 1]) r = i;
  if (o->table[r * (m + 2) + m + 1] >= 0) return true;
  for (int step = 0; step < 40 * m; step++) {
    int out = o->basic[r];
    exchange(o, m, r, c);
    if (out == 2 * m) return true;
    int partner = out < m ? out + m : out - m;
    for (c = 0; o->other[c] != partner;) c++;
    r = first_out(o, m, c);
    if (r < 0) return false;
  }
  return false;
}

bool ap__polygon_solve(ap_polygon *o, int pass, double *p) {
  double w = 0, size = 0;
  if (o->n < 1 || o->n > AP_POLYGON_MOST) return false;
  for (int r = 0; r < 3 * o->n; r++) {
    w = fmax(w, o->W[r * 3 * o->n + r]);
    size = fmax(size, fabs(o->b[r]));
  }
  if (!(w > 0 && size > 0 && w < INFINITY && size < INFINITY)) return false;
  int m = list_variables(o, pass, p);
  if (m == 0) return false;
  for (int r = 0; r < 3 * o->n; r++) p[r] = 0;
  fill(o, m, w, size);
  if (!walk(o, m)) return false;
  for (int r = 0; r < m; r++) {
    int j = o->basic[r];
    if (j >= m || o->kind[j] == SPEED) continue;
    double x = fmax(o->table[r * (m + 2) + m + 1], 0) * size / w;
    for (int k = 0; k < 3; k++) p[3 * o->point[j] + k] += o->col[3 * j + k] * x;
  }
  return true;
}
