// SPDX-License-Identifier: Apache-2.0
#include "sim/round_edges.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"
#include "sim/jet.h"
#include "sim/rims.h"

// ---- a pair ------------------------------------------------------------------------------------

static void take_edge(const ap_solid *a, int i, ap_edges_kind kind, const double origin[3],
                      const double axes[3][3], const ap_round *r, ap_edges *e) {
  const solid_edge *ea = &a->edge[i];
  *e = (ap_edges){.kind = kind,
                  .round = r,
                  .length = {ea->length, ea->length * AP__ROUND_FLAT},
                  .faces_a = ea->face[0] >= 0 || ea->face[1] >= 0,
                  .endless = ea->endless,
                  .radius = a->radius,
                  .own = a->radius};
  for (int k = 0; k < 2; k++) memcpy(e->a[k], a->corner[ea->corner[k]], sizeof e->a[k]);
  memcpy(e->origin, origin, sizeof e->origin);
  memcpy(e->axes, axes, sizeof e->axes);
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < 3; c++) e->beside_a[k][c] = e->a[0][c] + ea->length * ea->inward[k][c];
}

void ap__round_cross(const ap_solid *a, int i, const ap_round_rim *rim, ap_round *r, ap_edges *e) {
  *r = (ap_round){.radius = rim->radius};
  memcpy(r->arc, rim->arc, sizeof r->arc);
  take_edge(a, i, AP__EDGES_CROSS, rim->centre, rim->axes, r, e);
}

void ap__round_level(const ap_solid *a, int i, const ap_round_rim *rim, double root, double side,
                     ap_round *r, ap_edges *e) {
  *r = (ap_round){.radius = rim->radius, .root = root, .side = side};
  memcpy(r->arc, rim->arc, sizeof r->arc);
  take_edge(a, i, AP__EDGES_LEVEL, rim->centre, rim->axes, r, e);
}

void ap__round_near(const ap_solid *a, int i, const ap_round_rim *rim, bool beside, ap_round *r,
                    ap_edges *e) {
  *r = (ap_round){.radius = rim->radius, .beside = beside};
  memcpy(r->arc, rim->arc, sizeof r->arc);
  take_edge(a, i, AP__EDGES_NEAR, rim->centre, rim->axes, r, e);
}

void ap__round_cone(const ap_solid *a, int i, const double centre[3], const double axes[3][3],
                    double radius, double slope, double from, double to, ap_round *r, ap_edges *e) {
  *r = (ap_round){.radius = fmax(radius - slope * from, radius - slope * to),
                  .from = from,
                  .to = to,
                  .at0 = radius,
                  .slope = slope,
                  .w = sqrt(1 + slope * slope)};
  take_edge(a, i, AP__EDGES_CONE, centre, axes, r, e);
}

double ap__round_outward(const ap_round_rim *rim) { return rim->arc[1][0] == 0 ? 1 : -1; }

// A rim and a plane with the normal n.
static void take_rim(const ap_round_rim *rim, int pair, const double n[3], ap_round *r,
                     ap_edges *e) {
  const double *z = rim->axes[2];
  *e = (ap_edges){.kind = pair == 0 ? AP__EDGES_FACE : AP__EDGES_BEARS,
                  .round = r,
                  .length = {rim->radius, rim->radius * AP__RIM_FLAT},
                  .faces_a = true}; // steps are asked for
  int place = pair == 0 || pair >= AP__RIM_PUT ? 0 : pair - 1;
  double angle = 2 * 3.14159265358979323846 / AP__RIM_POINTS * place;
  for (int k = 0; k < 3; k++) {
    e->a[0][k] = rim->centre[k];
    e->a[1][k] = rim->radius * z[k];
    double out = rim->radius * (cos(angle) * rim->axes[0][k] + sin(angle) * rim->axes[1][k]);
    for (int s = 0; s < 2; s++) e->beside_a[s][k] = rim->centre[k] + (pair == 0 ? 0 : out);
  }
  ap__edges_axes(n, e->axes);
  *r = (ap_round){.radius = rim->radius, .outward = ap__round_outward(rim)};
  memcpy(r->arc, rim->arc, sizeof r->arc);
}

void ap__round_end(const ap_round_rim *end, const ap_round_rim *rim, int pair, ap_round *r,
                   ap_edges *e) {
  double n[3];
  for (int k = 0; k < 3; k++) n[k] = ap__round_outward(end) * end->axes[2][k];
  take_rim(rim, pair, n, r, e);
  memcpy(e->origin, end->centre, sizeof e->origin);
  r->disc = end->radius;
}

void ap__round_face(const ap_solid *a, int face, const ap_round_rim *rim, int pair, double (*in)[3],
                    ap_round *r, ap_edges *e) {
  const double *n = a->face[face].n;
  take_rim(rim, pair, n, r, e);
  for (int k = 0; k < 3; k++) e->origin[k] = a->face[face].offset * n[k];
  r->in = (const double(*)[3])in;
  for (int k = 0; k < a->nedge; k++)
    for (int side = 0; side < 2; side++) {
      const solid_edge *edge = &a->edge[k];
      if (edge->face[side] != face) continue;
      double *to = in[r->nside++];
      for (int c = 0; c < 2; c++) to[c] = dot3(e->axes[c], edge->inward[side]);
      const double *at = a->corner[edge->corner[0]];
      to[2] = dot3(edge->inward[side], e->origin) - dot3(edge->inward[side], at);
    }
}

// Limits are, in this order: along the edge (2), of the arc (2), which of the two ways it is, or
// that a capsule is flat (1), not along the tangent (1), of the faces beside; of a cone: along the
// edge (2), the ends of the cone (2), not along its side (1), of the faces; of a face: of the arc
// (2), flat or not (1), its sides.
int ap__round_limits(const ap_edges *e) {
  if (e->kind == AP__EDGES_FACE || e->kind == AP__EDGES_BEARS)
    return 3 + e->round->nside + (e->round->disc > 0);
  if (e->kind == AP__EDGES_NEAR) return 5 + e->round->beside;
  return (e->kind == AP__EDGES_CONE ? 5 : 6) + 2 * e->faces_a;
}

// ---- jets --------------------------------------------------------------------------------------

static jet scaled(double a, jet f) { return jet_mix(a, f, 0, f); }
static jet minus(jet f, jet g) { return jet_mix(1, f, -1, g); }
static jet plus(jet f, jet g) { return jet_mix(1, f, 1, g); }
static jet plane_dot(const jet a[2], const jet b[2]) {
  return plus(jet_times(a[0], b[0]), jet_times(a[1], b[1]));
}
static double jet_most(jet f) { return -jet_least(scaled(-1, f)); }

// All that F and G of an edge are made of: F over the gap, of which only the derivatives in the
// middle are known; the place of contact of the core times `over`, and the normal up to a positive
// factor.
typedef struct parts {
  bool known, none; // of F; none: it does not touch all along
  jet a[3], D[3];
  jet Q, P, E;  // of a rim
  jet root;     // of E
  jet A, B, La; // of a cone
  jet F, slope, place[3], over, N[3];
  double steep; // the least slope where F = 0
} parts;

static void read_ends(const ap_edges *e, const ap_edges_way *way, parts *s) {
  for (int k = 0; k < 3; k++) {
    s->a[k] = jet_part(e->axes[k], e->origin, &way->end[0]);
    s->D[k] = minus(jet_part(e->axes[k], e->origin, &way->end[1]), s->a[k]);
  }
  s->Q = plane_dot(s->D, s->D);
}

// Whether both ends are on one side of the plane all along, or the edge passes the rim. A capsule
// is flat or not.
static bool passes(const ap_edges *e, const parts *s) {
  jet b = plus(s->a[2], s->D[2]);
  if (jet_most(s->E) < 0) return true;
  if (e->radius > 0)
    return jet_least(jet_times(s->D[2], s->D[2])) > 16 * e->length[1] * e->length[1];
  if (e->endless) return false;
  return (jet_least(s->a[2]) > 0 && jet_least(b) > 0) || (jet_most(s->a[2]) < 0 && jet_most(b) < 0);
}

// What of D_z^2 or E / R^2 is too little for a normal.
static double too_little(const ap_edges *e) {
  double none = e->length[0] * AP__EDGES_PARALLEL;
  return 0.5 * none * none;
}

static void add_crossing(const ap_edges *e, parts *s) {
  double R = e->round->radius, l = e->length[0], none = too_little(e);
  jet square = jet_times(s->D[2], s->D[2]), Y[2];
  double low = jet_least(square);
  s->none = (square.r > 0 && passes(e, s)) || square.M[0] < none;
  s->known = !s->none && low > 0.25 * none;
  for (int k = 0; k < 2; k++)
    Y[k] = minus(jet_times(s->a[k], s->D[2]), jet_times(s->a[2], s->D[k]));
  s->F = scaled(1 / (2 * R * l * l), jet_mix(1, plane_dot(Y, Y), -R * R, square));
  for (int k = 0; k < 2; k++) s->N[k] = jet_times(s->D[2], Y[k]);
  s->N[2] = scaled(-1, plane_dot(s->D, Y));
  for (int k = 0; k < 2; k++) s->place[k] = s->N[k];
  s->place[2] = jet_number(0, square.r);
  s->over = square;
  if (!s->known) return;
  jet size = plus(plane_dot(s->N, s->N), jet_times(s->N[2], s->N[2]));
  s->slope = scaled(1 / (R * l * l), jet_root(size, size.c[0]));
  s->steep = low / (l * l); // |N| = R |D_z| |(D_z, D.X / R)| where F = 0
}

static void add_level(const ap_edges *e, parts *s) {
  const ap_round *r = e->round;
  double R = r->radius, l = e->length[0], none = R * R * too_little(e), low = jet_least(s->E);
  s->none = (s->E.r > 0 && passes(e, s)) || jet_most(s->E) < none;
  s->known = !s->none && low > 0.25 * none;
  if (!s->known) return;
  s->root = jet_root(s->E, low);
  jet part = jet_mix(r->root, s->root, -1, s->P); // Q times the part of the edge
  jet up = plus(jet_times(s->Q, s->a[2]), jet_times(part, s->D[2]));
  jet height = jet_mix(r->side, up, -e->radius, s->Q);
  s->F = scaled(1 / (R * l * l * l), jet_times(height, s->root));
  for (int k = 0; k < 2; k++) {
    s->place[k] = plus(jet_times(s->a[k], s->Q), jet_times(part, s->D[k]));
    s->N[k] = scaled(-r->side * r->root, jet_times(s->D[2], s->place[k]));
  }
  s->place[2] = up;
  s->over = s->Q;
  s->N[2] = scaled(r->side, jet_times(s->root, s->Q));
  jet size = jet_mix(1, jet_times(s->D[2], s->D[2]), 1 / (R * R), s->E);
  s->slope = scaled(1 / (l * l * l), jet_times(s->Q, jet_root(size, size.c[0])));
  s->steep = sqrt(low) / (2 * R * l); // Q > l^2 / 2 where the limits hold
}

static void add_cone(const ap_edges *e, parts *s) {
  const ap_round *r = e->round;
  double k = r->slope, l = e->length[0], none = l * l * AP__EDGES_PARALLEL;
  s->La = jet_mix(r->at0, jet_number(1, s->Q.r), -k, s->a[2]);
  s->A = jet_mix(1, s->Q, -k * k, jet_times(s->D[2], s->D[2]));
  s->B = jet_mix(1, s->P, k, jet_times(s->La, s->D[2]));
  jet C = minus(plane_dot(s->a, s->a), jet_times(s->La, s->La));
  s->none = jet_most(s->A) < none;
  s->known = jet_least(s->A) > 0.25 * none;
  s->F =
      scaled(1 / (2 * r->w * l * l * r->radius), minus(jet_times(s->A, C), jet_times(s->B, s->B)));
  for (int c = 0; c < 3; c++)
    s->place[c] = minus(jet_times(s->a[c], s->A), jet_times(s->B, s->D[c]));
  s->over = s->A;
  jet radius = jet_mix(1, jet_times(s->A, s->La), k, jet_times(s->B, s->D[2]));
  for (int c = 0; c < 2; c++) s->N[c] = s->place[c];
  s->N[2] = scaled(k, radius);
  s->slope = scaled(1 / (l * l * r->radius), radius);
  double least = fmin(r->at0 - k * r->from, r->at0 - k * r->to) / r->radius;
  s->steep = fmax(jet_least(s->slope), jet_least(s->A) / (l * l) * least);
}

static parts parts_of(const ap_edges *e, const ap_edges_way *way) {
  parts s = {.known = false};
  read_ends(e, way, &s);
  s.P = plane_dot(s.a, s.D);
  if (e->kind == AP__EDGES_CONE) {
    add_cone(e, &s);
    return s;
  }
  double R = e->round->radius;
  jet from = jet_mix(1, plane_dot(s.a, s.a), -R * R, jet_number(1, s.Q.r));
  s.E = minus(jet_times(s.P, s.P), jet_times(s.Q, from));
  if (e->kind == AP__EDGES_CROSS)
    add_crossing(e, &s);
  else
    add_level(e, &s);
  return s;
}

// ---- a face and a rim --------------------------------------------------------------------------

typedef struct face_parts {
  jet c[3], D[3]; // of the centre, and R times the axis
  jet square;     // |D|^2 along x and y
  jet root;       // of it
  bool known, flat;
} face_parts;

static double flat_square(const ap_edges *e) {
  double flat = e->length[1];
  return flat * flat;
}

static face_parts face_of(const ap_edges *e, const ap_edges_way *way) {
  static const double none[3] = {0};
  face_parts s;
  for (int k = 0; k < 3; k++) {
    s.c[k] = jet_part(e->axes[k], e->origin, &way->end[0]);
    s.D[k] = jet_part(e->axes[k], none, &way->end[1]);
  }
  s.square = plane_dot(s.D, s.D);
  double low = jet_least(s.square);
  s.flat = s.square.M[0] < flat_square(e);
  s.known = !s.flat && low > 0.25 * flat_square(e);
  s.root = s.known ? jet_root(s.square, low) : jet_number(0, s.square.r);
  return s;
}

// How far the normal, along the radius and z, is from an end of the arc.
static jet arc_limit(const double arc[2][2], int end, jet radial, jet up) {
  const double *n = arc[end], sign = end ? -1 : 1;
  return jet_mix(sign * n[0], up, -sign * n[1], radial);
}

// How far a place is inside of a flat end; of the lowest place times the root of |D|^2 over R.
static jet disc_limit(const ap_edges *e, const ap_edges_way *way, const face_parts *s) {
  double disc = e->round->disc, R = e->round->radius, half = 0.5 / disc;
  jet whole = jet_number(disc * disc, s->square.r);
  if (e->kind == AP__EDGES_BEARS) {
    jet x[2];
    for (int k = 0; k < 2; k++) x[k] = jet_part(e->axes[k], e->origin, &way->step[0]);
    return jet_mix(half, whole, -half, plane_dot(x, x));
  }
  jet square = plus(plane_dot(s->c, s->c), jet_times(s->D[2], s->D[2]));
  jet across = jet_times(s->D[2], plane_dot(s->c, s->D));
  return jet_mix(half / R, jet_times(minus(whole, square), s->root), -1 / (disc * R), across);
}

static jet face_limit_of(const ap_edges *e, const ap_edges_way *way, const face_parts *s,
                         int limit) {
  const ap_round *r = e->round;
  bool bears = e->kind == AP__EDGES_BEARS;
  if (limit == 2) { // as of sim/rims.c
    double flat = (bears ? 4 : 1) * flat_square(e), half = (bears ? -0.5 : 0.5) / sqrt(flat);
    return jet_mix(half, s->square, -half * flat, jet_number(1, s->square.r));
  }
  if (limit < 2 && bears) return scaled(-r->outward, s->D[2]);
  if (limit < 2) return arc_limit(r->arc, limit, s->root, scaled(-1, s->D[2]));
  if (r->disc > 0) return disc_limit(e, way, s);
  const double *in = r->in[limit - 3];
  jet from = jet_number(in[2], s->square.r);
  if (bears) {
    jet x = jet_part(e->axes[0], e->origin, &way->step[0]);
    jet y = jet_part(e->axes[1], e->origin, &way->step[0]);
    return plus(from, jet_mix(in[0], x, in[1], y));
  }
  jet off = plus(from, jet_mix(in[0], s->c[0], in[1], s->c[1]));
  jet out = jet_times(s->D[2], jet_mix(in[0], s->D[0], in[1], s->D[1]));
  return jet_mix(1 / r->radius, jet_times(off, s->root), 1 / r->radius, out);
}

static bool of_face(const ap_edges *e) {
  return e->kind == AP__EDGES_FACE || e->kind == AP__EDGES_BEARS;
}

// ---- as of edges.h -----------------------------------------------------------------------------

static void set(jet f, ap_gap_bound *g) {
  memcpy(g->f, f.c, sizeof g->f);
  g->third = f.M[3];
  g->steep = g->slope = 1;
}

bool ap__round_bound(const ap_edges *e, const ap_edges_way *way, ap_gap_bound *g, bool *none) {
  if (e->kind == AP__EDGES_NEAR) return ap__near_bound(e, way, g, none);
  if (e->kind == AP__EDGES_BEARS) {
    *none = false;
    set(jet_part(e->axes[2], e->origin, &way->step[0]), g);
    return true;
  }
  if (of_face(e)) {
    face_parts s = face_of(e, way);
    *none = s.flat;
    if (s.known) set(minus(s.c[2], s.root), g);
    return s.known;
  }
  parts s = parts_of(e, way);
  *none = s.none;
  if (!s.known) return false;
  set(s.F, g);
  g->slope = s.slope.c[0];
  g->steep = fmin(1, s.steep);
  return true;
}

jet ap__round_flat(const ap_edges *e, jet up, bool flat) {
  double high = (flat ? 2 : 1) * e->length[1], half = (flat ? -0.5 : 0.5) / high;
  return jet_mix(half, jet_times(up, up), -half * high * high, jet_number(1, up.r));
}

// That an edge has a normal, as a length that falls fast: it ceases to touch well before the normal
// is lost. Of a rim with m^2 = D_z^2 + E / R^2, of a cone with A.
static jet aside(const ap_edges *e, const parts *s) {
  double l = e->length[0], R = e->round->radius, none = l * AP__ROUND_TANGENT;
  jet half = jet_number(l / 2, s->Q.r);
  if (e->kind == AP__EDGES_CONE) return jet_mix(1 / (2 * l * AP__EDGES_PARALLEL), s->A, -1, half);
  jet square = jet_mix(1, jet_times(s->D[2], s->D[2]), 1 / (R * R), s->E);
  return jet_mix(l / (2 * none * none), square, -1, half);
}

static jet limit_of(const ap_edges *e, const ap_edges_way *way, const parts *s, int limit) {
  const ap_round *r = e->round;
  double l = e->length[0], R = r->radius;
  bool cone = e->kind == AP__EDGES_CONE, cross = e->kind == AP__EDGES_CROSS;
  if (limit < 2 && e->endless) return jet_number(l, s->Q.r);
  if (limit < 2) {
    jet part, whole;
    if (cone)
      part = scaled(-1 / l, s->B), whole = scaled(1 / l, s->A);
    else if (cross)
      part = scaled(-1 / l, jet_times(s->a[2], s->D[2])),
      whole = scaled(1 / l, jet_times(s->D[2], s->D[2]));
    else
      part = jet_mix(r->root / l, s->root, -1 / l, s->P), whole = scaled(1 / l, s->Q);
    return limit == 0 ? part : minus(whole, part);
  }
  if (limit < 4 && cone) {
    double sign = limit == 2 ? 1 : -1, end = limit == 2 ? r->from : r->to;
    return scaled(sign / (l * l), jet_mix(1, s->place[2], -end, s->A));
  }
  if (limit < 4) {
    jet radial =
        cross ? scaled(1 / l, jet_times(s->D[2], s->D[2])) : scaled(-r->side * r->root, s->D[2]);
    jet up = cross ? scaled(1 / (R * l), s->N[2]) : scaled(r->side / R, s->root);
    return arc_limit(r->arc, limit - 2, radial, up);
  }
  if (limit == 4 && e->radius > 0 && !cone) { // of a capsule: flat
    return ap__round_flat(e, s->D[2], true);
  }
  if (limit == 4 && !cone) {
    double sign = cross ? 1 : -1;
    return jet_mix(sign / l, jet_times(s->D[2], s->D[2]), -sign / (R * R * l), s->E);
  }
  if (limit == (cone ? 4 : 5)) return aside(e, s);
  const ap_way *step = &way->step[(limit - (cone ? 5 : 6)) % 2];
  jet sum = jet_number(0, s->Q.r);
  for (int c = 0; c < 3; c++) {
    jet t = minus(jet_part(e->axes[c], e->origin, step), s->a[c]);
    sum = plus(sum, jet_times(s->N[c], t));
  }
  return scaled(1 / (R * l * l * (e->kind == AP__EDGES_LEVEL ? l : 1)), sum);
}

void ap__round_limit_bound(const ap_edges *e, const ap_edges_way *way, int limit, double beyond,
                           ap_gap_bound *g) {
  if (e->kind == AP__EDGES_NEAR) {
    ap__near_limit_bound(e, way, limit, g);
    g->f[0] += beyond;
    return;
  }
  if (of_face(e)) {
    face_parts s = face_of(e, way);
    bool needs = e->kind == AP__EDGES_FACE && limit != 2;
    set(needs && !s.known ? jet_number(0, s.square.r) : face_limit_of(e, way, &s, limit), g);
    g->f[0] += beyond;
    return;
  }
  parts s = parts_of(e, way);
  const double l = e->length[0];
  bool needs = e->kind == AP__EDGES_LEVEL && limit != 4 && limit != 5;
  jet f = needs && !s.known ? jet_number(0, s.Q.r) : limit_of(e, way, &s, limit);
  bool along = limit < (e->kind == AP__EDGES_CONE ? 4 : 2);
  jet slope = along && s.known ? scaled(1 / (l * l), s.over) : jet_number(1, s.Q.r);
  set(jet_mix(1, f, beyond, slope), g);
}

// Distances at a place; the slope of a limit is that of its length.
double ap__round_within(const ap_edges *e, const ap_edges_way *way) {
  double least = INFINITY;
  if (e->kind == AP__EDGES_NEAR) return ap__near_within(e, way);
  if (of_face(e)) {
    face_parts s = face_of(e, way);
    double scale = s.known ? e->round->radius / s.root.c[0] : 1;
    if (e->kind == AP__EDGES_FACE && !s.known) return -INFINITY;
    for (int k = 0; k < ap__round_limits(e); k++) {
      bool side = k > 2 && e->kind == AP__EDGES_FACE;
      least = fmin(least, (side ? scale : 1) * face_limit_of(e, way, &s, k).c[0]);
    }
    return least;
  }
  parts s = parts_of(e, way);
  double l = e->length[0];
  if (!s.known) return -INFINITY;
  for (int k = 0; k < ap__round_limits(e); k++) {
    bool cone = e->kind == AP__EDGES_CONE, level = e->kind == AP__EDGES_LEVEL;
    double scale = s.slope.c[0] > 0 ? 1 / s.slope.c[0] : 1; // of normals
    if (k < (cone ? 4 : 2)) scale = l * l / s.over.c[0];
    if (k < 4 && k > 1 && level) scale *= s.over.c[0] / (l * l);
    if (k == 4 || (k == 5 && !cone)) scale = 1;
    least = fmin(least, scale * limit_of(e, way, &s, k).c[0]);
  }
  return least;
}

// f / g and its derivative
static void quotient(jet f, jet g, double out[2]) {
  out[0] = f.c[0] / g.c[0];
  out[1] = (f.c[1] - out[0] * g.c[1]) / g.c[0];
}

static void face_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place) {
  face_parts s = face_of(e, way);
  const ap_way *from = e->kind == AP__EDGES_BEARS ? &way->step[0] : &way->end[0];
  jet height = jet_part(e->axes[2], e->origin, from);
  double x[3][2] = {{0}};
  *place = (ap_edges_place){
      .distance = height.c[0], .rate = height.c[1], .bend = height.c[2], .slope = 1};
  memcpy(place->normal, e->axes[2], sizeof place->normal);
  memcpy(place->point, from->p, sizeof place->point);
  memcpy(place->moves, from->v, sizeof place->moves);
  if (e->kind == AP__EDGES_BEARS || !s.known) return;
  for (int k = 0; k < 2; k++) quotient(jet_times(s.D[2], s.D[k]), s.root, x[k]);
  x[2][0] = -s.root.c[0], x[2][1] = -s.root.c[1];
  place->distance += x[2][0];
  place->rate += x[2][1];
  place->bend -= s.root.c[2];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) {
      place->point[k] += x[c][0] * e->axes[c][k];
      place->moves[k] += x[c][1] * e->axes[c][k];
    }
}

void ap__round_place(const ap_edges *e, const ap_edges_way *way, ap_edges_place *place) {
  if (e->kind == AP__EDGES_NEAR) {
    ap__near_place(e, way, place);
    return;
  }
  if (of_face(e)) {
    face_place(e, way, place);
    return;
  }
  parts s = parts_of(e, way);
  *place = (ap_edges_place){.distance = INFINITY};
  if (!s.known || !(s.slope.c[0] > 0) || !(s.over.c[0] > 0)) return;
  jet size = plus(plane_dot(s.N, s.N), jet_times(s.N[2], s.N[2]));
  if (!(size.c[0] > 0)) return;
  jet length = jet_root(size, size.c[0]);
  double gap = s.F.c[0] / s.slope.c[0], rate = (s.F.c[1] - gap * s.slope.c[1]) / s.slope.c[0];
  place->distance = gap;
  place->rate = rate;
  place->bend = (s.F.c[2] - 2 * rate * s.slope.c[1] - gap * s.slope.c[2]) / s.slope.c[0];
  place->slope = s.slope.c[0];
  for (int c = 0; c < 3; c++) {
    double n[2], x[2];
    quotient(s.N[c], length, n);
    quotient(s.place[c], s.over, x);
    for (int k = 0; k < 3; k++) {
      const double axis = e->axes[c][k];
      place->normal[k] += n[0] * axis;
      place->turns[k] += n[1] * axis;
      place->point[k] += (x[0] - e->own * n[0]) * axis;
      place->moves[k] += (x[1] - e->own * n[1]) * axis;
    }
  }
  for (int k = 0; k < 3; k++) place->point[k] += e->origin[k];
}
