// SPDX-License-Identifier: Apache-2.0
// Walls as implicit surfaces. In the wall's own frame u (first semi-axis, across, axis; origin at
// the centre) every kind has a gap c(u), written so that nothing is singular anywhere a point of a
// robot may get: not at the centre of a ball, not on the axis of a torus.
//
// Quadrics: semi-axes a_i (the one along the axis of a circle, a cylinder or an ellipse is
// infinite), D = diag(1 / a_i^2), A the longest finite semi-axis. With
//   N = u'Du - 1,  w = 1 + u'Eu,  E = D (A^2 D - 1) >= 0,  c = A N / (2 sqrt w)
// w is 1 or more everywhere, and on the surface, where u'Du = 1, w = A^2 u'D^2u. The gradient there
// is A Du / sqrt w, of length 1. Equal semi-axes R have E = 0 and c = (u'u - R^2) / (2 R).
//
// Torus: ring radius R, tube radius r < R, rho^2 = u_0^2 + u_1^2. With
//   s = u'u + R^2 - r^2 >= R^2 - r^2 > 0,  m = 4 R^2 rho^2,  c = (s - m / s) / (4 r)
// s - 2 R rho = (rho - R)^2 + u_2^2 - r^2 is zero on the surface, so s^2 - m is, and the gradient
// there is 2 s grad(s - 2 R rho) / (4 r s), of length 1.

#include "impact/surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "num/vec3.h"

// Lengths between these leave room for every product on the way to a Hessian.
#define LONGEST  1e9
#define SHORTEST 1e-9
// Coefficients of friction along and across x differ by this factor at most.
#define ANISOTROPY 1e3
// Of walls that move: rad/s and Hz at most, rad at most.
#define FASTEST  1e5
#define FURTHEST 1e3
// Sine of the angle between x and axis below which the direction of x is mostly rounding.
#define PARALLEL 1e-6

typedef struct layout {
  ap_surface *surface;
  char *name;
  double *points, *second, *scratch;
  ap_face *face;
} layout;

ap_wall ap_default_wall(void) {
  return (ap_wall){.name = "wall",
                   .kind = AP_WALL_PLANE,
                   .axis = {0.0, 0.0, 1.0},
                   .x = {1.0, 0.0, 0.0},
                   .motion = {.to = INFINITY},
                   .cookie = AP_COOKIE};
}

// ---- the check ---------------------------------------------------------------------------------

static const char *name_of(const ap_wall *wall) { return wall->name != NULL ? wall->name : "wall"; }

typedef struct check {
  const ap_wall *wall;
  ap_error *error;
} check;

AP_PRINTF(2, 3)
static bool refuse(const check *c, const char *format, ...) {
  char reason[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  const char *name = name_of(c->wall);
  ap__fail(c->error, AP_E_ARG, 0, "wall \"%.*s\": %s", ap__shown(name), name, reason);
  return false;
}

static bool check_vector(const check *c, const char *field, const double v[3], double most) {
  for (int i = 0; i < 3; i++) {
    if (!isfinite(v[i]))
      return refuse(c, "%s[%d] is %g (it must be a finite number)", field, i, v[i]);
    if (fabs(v[i]) > most)
      return refuse(c, "%s[%d] is %g m (it must be between %g and %g m)", field, i, v[i], -most,
                    most);
  }
  return true;
}

// What the entries of size are called, by kind; NULL where they don't count.
static const char *const size_names[][3] = {
    [AP_WALL_PLANE] = {NULL, NULL, NULL},
    [AP_WALL_CIRCLE] = {"the radius", NULL, NULL},
    [AP_WALL_ELLIPSE] = {"the semi-axis along x", "the semi-axis across x", NULL},
    [AP_WALL_CYLINDER] = {"the radius", NULL, NULL},
    [AP_WALL_SPHERE] = {"the radius", NULL, NULL},
    [AP_WALL_ELLIPSOID] = {"the semi-axis along x", "the semi-axis across x and axis",
                           "the semi-axis along the axis"},
    [AP_WALL_TORUS] = {"the radius of the ring", "the radius of the tube", NULL},
    [AP_WALL_PROFILE] = {NULL, NULL, NULL},
    [AP_WALL_DISC] = {"the radius", NULL, NULL},
    [AP_WALL_RECTANGLE] = {"the length along x", "the length across x", NULL},
    [AP_WALL_BOX] = {"the length along x", "the length across x and axis",
                     "the length along the axis"},
    [AP_WALL_CAPPED_CYLINDER] = {"the radius", "the length", NULL},
    [AP_WALL_CONE] = {"the radius", "the length", NULL},
    [AP_WALL_STAIRS] = {"the height of a step", "the length of a step", NULL},
    [AP_WALL_HEIGHT_FIELD] = {"the distance of heights along x", "the distance of heights across x",
                              NULL}};

// Steps at most.
enum { MOST_STEPS = 1000 };

static bool check_sizes(const check *c) {
  const ap_wall *w = c->wall;
  for (int i = 0; i < 3; i++) {
    const char *what = size_names[w->kind][i];
    if (what == NULL || (w->size[i] >= SHORTEST && w->size[i] <= LONGEST)) continue;
    return refuse(c, "%s, size[%d], is %g m (it must be between %g and %g m)", what, i, w->size[i],
                  SHORTEST, LONGEST);
  }
  if (w->kind == AP_WALL_TORUS && !(w->size[1] < w->size[0]))
    return refuse(c,
                  "the radius of the tube, size[1], is %g m (it must be smaller than the radius of "
                  "the ring, size[0], which is %g m)",
                  w->size[1], w->size[0]);
  if (w->kind == AP_WALL_CONE && !(w->size[2] >= 0.0 && w->size[2] <= LONGEST))
    return refuse(c, "the radius of the other end, size[2], is %g m (it must be from 0 to %g m)",
                  w->size[2], LONGEST);
  if (w->kind == AP_WALL_STAIRS && !(w->count >= 1 && w->count <= MOST_STEPS))
    return refuse(c, "it has %d steps (it must have 1 to %d)", w->count, MOST_STEPS);
  return true;
}

static bool check_heights(const check *c) {
  const ap_wall *w = c->wall;
  if (w->points == NULL) return refuse(c, "it has no heights (points is NULL)");
  if (w->count < 2 || w->npoint < 2 * w->count || w->npoint % w->count != 0)
    return refuse(c, "it has %d heights in rows of %d (it needs 2 or more full rows of 2 or more)",
                  w->npoint, w->count);
  if (w->npoint > AP_FACES_MOST)
    return refuse(c, "it has %d heights (at most %d)", w->npoint, AP_FACES_MOST);
  for (int i = 0; i < w->npoint; i++)
    if (!(fabs(w->points[i]) <= LONGEST))
      return refuse(c, "height %d of row %d is %g m (it must be between %g and %g m)",
                    i % w->count + 1, i / w->count + 1, w->points[i], -LONGEST, LONGEST);
  return true;
}

static bool check_points(const check *c) {
  const ap_wall *w = c->wall;
  if (w->npoint < 2) return refuse(c, "its profile has %d points (it needs 2 or more)", w->npoint);
  if (w->points == NULL) return refuse(c, "points is NULL although npoint is %d", w->npoint);
  for (int i = 0; i < w->npoint; i++) {
    const double *point = w->points + 2 * (size_t)i;
    for (int k = 0; k < 2; k++) {
      if (fabs(point[k]) <= LONGEST) continue;
      return refuse(c, "%s of point %d of its profile is %g m (it must be between %g and %g m)",
                    k == 0 ? "x" : "the height", i + 1, point[k], -LONGEST, LONGEST);
    }
    if (i == 0 || point[0] - point[-2] >= SHORTEST) continue;
    return refuse(c,
                  "x of point %d of its profile is %.10g m after %.10g m (x must increase from "
                  "point to point by at least %g m)",
                  i + 1, point[0], point[-2], SHORTEST);
  }
  return true;
}

static bool check_coefficients(const check *c) {
  const ap_wall *w = c->wall;
  if (!(w->restitution >= 0.0 && w->restitution <= 1.0))
    return refuse(c, "restitution is %g (it must be between 0 and 1)", w->restitution);
  if (!(w->friction >= 0.0 && w->friction <= AP__MOST_FRICTION))
    return refuse(c, "friction is %g (it must be from 0 to %g)", w->friction, AP__MOST_FRICTION);
  if (w->friction_across != 0.0 &&
      !(w->friction_across >= w->friction / ANISOTROPY && w->friction > 0.0 &&
        w->friction_across <= w->friction * ANISOTROPY))
    return refuse(c,
                  "friction_across is %g and friction %g (both must be positive, and one at most "
                  "%g times the other, or friction_across 0 for the same)",
                  w->friction_across, w->friction, ANISOTROPY);
  if (!(w->restitution_speed >= 0.0 && isfinite(w->restitution_speed)))
    return refuse(c, "restitution_speed is %g m/s (it must be zero or a positive finite number)",
                  w->restitution_speed);
  if (!(w->rolling_friction >= 0.0 && w->rolling_friction <= AP__MOST_TURNING))
    return refuse(c, "rolling_friction is %g m (it must be from 0 to %g)", w->rolling_friction,
                  AP__MOST_TURNING);
  if (!(w->spinning_friction >= 0.0 && w->spinning_friction <= AP__MOST_TURNING))
    return refuse(c, "spinning_friction is %g m (it must be from 0 to %g)", w->spinning_friction,
                  AP__MOST_TURNING);
  if (w->static_friction != 0.0 &&
      !(w->static_friction >= w->friction && isfinite(w->static_friction))) {
    return refuse(c,
                  "static_friction is %g (it must be a finite number, at least friction, which is "
                  "%g, or 0 for the same)",
                  w->static_friction, w->friction);
  }
  if (w->static_friction > AP__MOST_FRICTION)
    return refuse(c, "static_friction is %g (at most %g)", w->static_friction, AP__MOST_FRICTION);
  return true;
}

// What kinds without an inside are called.
static const char *const open_kinds[] = {
    [AP_WALL_PLANE] = "plane",      [AP_WALL_PROFILE] = "profile",
    [AP_WALL_DISC] = "disc",        [AP_WALL_RECTANGLE] = "rectangle",
    [AP_WALL_STAIRS] = "staircase", [AP_WALL_HEIGHT_FIELD] = "height field"};

// Numbers that describe how a wall moves, and what its surface carries.
static bool check_motion(const check *c) {
  const ap_wall *w = c->wall;
  const ap_wall_motion *m = &w->motion;
  const double one[] = {m->spin, m->swing, m->frequency, m->phase, m->from};
  for (int k = 0; k < 5; k++)
    if (!isfinite(one[k])) return refuse(c, "a number of its motion is not finite");
  if (!(fabs(m->swing) <= FURTHEST && fabs(m->phase) <= FURTHEST))
    return refuse(c, "motion: swing is %g rad and phase %g rad (at most %g rad)", m->swing,
                  m->phase, FURTHEST);
  double rate = fabs(m->spin) + 6.283185307179586 * fabs(m->frequency * m->swing);
  if (!(fabs(m->frequency) <= FASTEST && rate <= FASTEST))
    return refuse(c,
                  "motion: it turns at up to %g rad/s, with a frequency of %g Hz (at most %g rad/s "
                  "and Hz)",
                  rate, m->frequency, FASTEST);
  if (!(m->to > m->from))
    return refuse(c, "its motion ends at %g s (it must end after it begins, at %g s)", m->to,
                  m->from);
  const double *belt = w->surface_velocity;
  bool carries = belt[0] != 0 || belt[1] != 0 || belt[2] != 0;
  if (carries && w->kind != AP_WALL_PLANE && w->kind != AP_WALL_DISC &&
      w->kind != AP_WALL_RECTANGLE)
    return refuse(c, "surface_velocity is for planes, discs and rectangles (let the wall spin)");
  return check_vector(c, "motion.velocity", m->velocity, LONGEST) &&
         check_vector(c, "motion.amplitude", m->amplitude, LONGEST) &&
         check_vector(c, "motion.axis", m->axis, INFINITY) &&
         check_vector(c, "motion.pivot", m->pivot, LONGEST) &&
         check_vector(c, "surface_velocity", belt, LONGEST);
}

static bool check_wall(const check *c) {
  const ap_wall *w = c->wall;
  // An enum may be unsigned; as unsigned int no value is below the first kind.
  if ((unsigned)w->kind > AP_WALL_HEIGHT_FIELD)
    return refuse(c, "kind is %d (it must be one of ap_wall_kind, %d to %d)", (int)w->kind,
                  (int)AP_WALL_PLANE, (int)AP_WALL_HEIGHT_FIELD);
  const char *open = open_kinds[w->kind];
  if (w->inside && open)
    return refuse(c, "inside is true, but a %s has no inside (%s)", open,
                  w->kind == AP_WALL_PROFILE
                      ? "reverse its axis and the sign of the heights"
                      : "reverse its axis, which points into the free region");
  return check_vector(c, "centre", w->centre, LONGEST) &&
         check_vector(c, "axis", w->axis, INFINITY) && check_vector(c, "x", w->x, INFINITY) &&
         check_sizes(c) && (w->kind != AP_WALL_PROFILE || check_points(c)) &&
         (w->kind != AP_WALL_HEIGHT_FIELD || check_heights(c)) && check_coefficients(c) &&
         check_motion(c);
}

// ---- the frame ---------------------------------------------------------------------------------

// Unit vector along v, which may be very long or short; false where v is zero.
static bool direction(const double v[3], double unit[3]) {
  double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
  if (most == 0.0) return false;
  for (int i = 0; i < 3; i++) unit[i] = v[i] / most;
  double length = norm3(unit);
  for (int i = 0; i < 3; i++) unit[i] /= length;
  return true;
}

// The unit vector across the unit vector axis nearest to v; false where v is along it.
static bool unit_across(const double axis[3], const double v[3], double unit[3]) {
  double d[3], part[3];
  if (!direction(v, d)) return false;
  double along = dot3(axis, d);
  for (int i = 0; i < 3; i++) part[i] = d[i] - along * axis[i];
  if (dot3(part, part) < PARALLEL * PARALLEL) return false;
  return direction(part, unit);
}

// A unit vector across the unit vector axis: that unit vector of the world which has the smallest
// part along the axis (it is at least 54 degrees off), less this part.
static void any_across(const double axis[3], double unit[3]) {
  int least = fabs(axis[0]) <= fabs(axis[1]) ? 0 : 1;
  if (fabs(axis[2]) < fabs(axis[least])) least = 2;
  double length = sqrt(1.0 - axis[least] * axis[least]);
  for (int i = 0; i < 3; i++) unit[i] = ((i == least ? 1.0 : 0.0) - axis[least] * axis[i]) / length;
}

static bool make_frame(const check *c, double frame[3][3]) {
  const ap_wall *w = c->wall;
  double *x = frame[0], *y = frame[1], *z = frame[2];
  if (!direction(w->axis, z))
    return refuse(c, "axis is 0 0 0 (it must be a direction, such as 0 0 1)");
  if (!unit_across(z, w->x, x)) {
    bool turned = w->kind == AP_WALL_ELLIPSE || w->kind == AP_WALL_ELLIPSOID ||
                  w->kind == AP_WALL_PROFILE || w->kind == AP_WALL_RECTANGLE ||
                  w->kind == AP_WALL_BOX || w->kind == AP_WALL_STAIRS ||
                  w->kind == AP_WALL_HEIGHT_FIELD;
    if (turned || w->friction_across > 0)
      return refuse(c, "x, %g %g %g, is parallel to the axis %g %g %g (choose another direction)",
                    w->x[0], w->x[1], w->x[2], w->axis[0], w->axis[1], w->axis[2]);
    any_across(z, x); // the other kinds are round about the axis
  }
  y[0] = z[1] * x[2] - z[2] * x[1];
  y[1] = z[2] * x[0] - z[0] * x[2];
  y[2] = z[0] * x[1] - z[1] * x[0];
  return true;
}

// ---- memory ------------------------------------------------------------------------------------

static layout lay_out(const ap_wall *wall, ap_arena *arena) {
  size_t n = wall->kind == AP_WALL_PROFILE && wall->npoint > 0 ? (size_t)wall->npoint : 0;
  size_t heights =
      wall->kind == AP_WALL_HEIGHT_FIELD && wall->npoint > 0 ? (size_t)wall->npoint : 0;
  layout l;
  l.surface = AP_TAKE(arena, ap_surface, 1);
  l.face = AP_TAKE(arena, ap_face, (size_t)ap__faces_count(wall));
  l.points = AP_TAKE(arena, double, 2 * n + heights);
  l.second = AP_TAKE(arena, double, n);
  l.scratch = AP_TAKE(arena, double, n);
  l.name = AP_TAKE(arena, char, strlen(name_of(wall)) + 1);
  return l;
}

size_t ap_surface_size(const ap_wall *wall) {
  if (wall == NULL) return 0;
  ap_arena arena = ap__arena(NULL);
  lay_out(wall, &arena);
  return ap__arena_size(&arena);
}

// Semi-axes, A and E.
static void prepare_quadric(ap_surface *s) {
  const double *size = s->wall.size;
  double R = size[0];
  switch (s->wall.kind) {
    case AP_WALL_ELLIPSOID: memcpy(s->semi, size, sizeof s->semi); break;
    case AP_WALL_SPHERE: memcpy(s->semi, (double[]){R, R, R}, sizeof s->semi); break;
    case AP_WALL_ELLIPSE: memcpy(s->semi, (double[]){R, size[1], INFINITY}, sizeof s->semi); break;
    default: memcpy(s->semi, (double[]){R, R, INFINITY}, sizeof s->semi); break;
  }
  for (int i = 0; i < 3; i++)
    if (isfinite(s->semi[i])) s->longest = fmax(s->longest, s->semi[i]);
  for (int i = 0; i < 3; i++) {
    double ratio = s->longest / s->semi[i];
    double d = 1.0 / s->semi[i]; // zero along the axis of an endless one
    s->E[i] = d * d * (ratio - 1.0) * (ratio + 1.0);
  }
}

static void prepare_faces(ap_surface *s, const ap_wall *wall, const layout *l) {
  if (wall->kind == AP_WALL_HEIGHT_FIELD) {
    memcpy(l->points, wall->points, (size_t)wall->npoint * sizeof(double));
    s->wall.points = l->points;
    s->wall.npoint = wall->npoint;
  }
  s->face = l->face;
  s->nface = ap__faces_count(wall);
  s->convex = ap__faces_convex(wall);
  s->sign = 1.0; // the faces have theirs
  ap__faces_make(wall, l->points, s->face);
}

static bool check_all(const ap_wall *wall, double frame[3][3], ap_error *error) {
  check c = {wall, error};
  return AP_STARTS_FROM(ap_default_wall, wall, error) && check_wall(&c) && make_frame(&c, frame);
}

bool ap__surface_check(const ap_wall *wall, ap_error *error) {
  double frame[3][3];
  return check_all(wall, frame, error);
}

ap_surface *ap_surface_init(const ap_wall *wall, void *mem, size_t size, ap_error *error) {
  if (error != NULL) *error = (ap_error){.status = AP_OK};
  if (wall == NULL) {
    ap__fail(error, AP_E_ARG, 0, "no wall was given");
    return NULL;
  }
  double frame[3][3];
  if (!check_all(wall, frame, error)) return NULL;
  size_t needed = ap_surface_size(wall);
  if (mem == NULL || needed == 0 || size < needed) {
    const char *name = name_of(wall);
    ap__fail(error, AP_E_MEMORY, 0, "wall \"%.*s\": needs %zu bytes, got %zu", ap__shown(name),
             name, needed, mem == NULL ? 0 : size);
    return NULL;
  }
  memset(mem, 0, needed); // equal walls give equal bytes, padding included
  ap_arena arena = ap__arena(mem);
  layout l = lay_out(wall, &arena);
  ap_surface *s = l.surface;
  s->wall = *wall;
  memcpy(s->frame, frame, sizeof frame);
  // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): an arena with memory hands it out
  memcpy(l.name, name_of(wall), strlen(name_of(wall)) + 1);
  s->wall.name = l.name;
  s->wall.points = NULL;
  s->wall.npoint = 0;
  s->sign = wall->inside ? -1.0 : 1.0;
  if (wall->kind == AP_WALL_PROFILE) {
    memcpy(l.points, wall->points, 2 * (size_t)wall->npoint * sizeof(double));
    ap__profile_solve(l.points, wall->npoint, l.second, l.scratch);
    double most[3];
    s->profile = (ap_profile){l.points, l.second, wall->npoint, 0};
    ap__profile_most(&s->profile, -INFINITY, INFINITY, most);
    s->profile.steepest = most[0];
    s->wall.points = l.points;
    s->wall.npoint = wall->npoint;
  } else if (wall->kind >= AP_WALL_DISC) {
    prepare_faces(s, wall, &l);
  } else if (wall->kind != AP_WALL_PLANE && wall->kind != AP_WALL_TORUS) {
    prepare_quadric(s);
  }
  return s;
}

const ap_wall *ap_surface_wall(const ap_surface *s) { return &s->wall; }

// ---- the gap, in the wall's frame --------------------------------------------------------------

// Place of entry (i, j), i <= j, among xx xy xz yy yz zz.
static int entry(int i, int j) { return i * (5 - i) / 2 + j; }

// A N / (2 sqrt w)
static void quadric_gap(const ap_surface *s, const double u[3], ap_gap *g) {
  double D[3], dN[3], dw[3]; // dw: gradient of w over w, so that nothing overflows far away
  double N = -1.0, w = 1.0;
  for (int i = 0; i < 3; i++) {
    double part = u[i] / s->semi[i];
    D[i] = 1.0 / s->semi[i] / s->semi[i];
    dN[i] = 2.0 * part / s->semi[i];
    N += part * part;
    w += s->E[i] * u[i] * u[i];
  }
  for (int i = 0; i < 3; i++) dw[i] = 2.0 * s->E[i] * u[i] / w;
  double f = 0.5 * s->longest / sqrt(w);
  g->c = f * N;
  for (int i = 0; i < 3; i++) {
    g->gradient[i] = f * (dN[i] - 0.5 * N * dw[i]);
    for (int j = i; j < 3; j++) {
      double h = 0.75 * N * dw[i] * dw[j] - 0.5 * (dN[i] * dw[j] + dw[i] * dN[j]);
      if (i == j) h += 2.0 * D[i] - N * s->E[i] / w;
      g->hessian[entry(i, j)] = f * h;
    }
  }
}

// (s - m / s) / (4 r)
static void torus_gap(const ap_surface *surface, const double u[3], ap_gap *g) {
  double R = surface->wall.size[0], r = surface->wall.size[1];
  double rho2 = u[0] * u[0] + u[1] * u[1], rho = sqrt(rho2);
  double s = rho2 + u[2] * u[2] + (R - r) * (R + r);
  // (s^2 - m) / (4 r s) in factors: the first is small near the surface, and rounded as such.
  double first = (rho - R) * (rho - R) + u[2] * u[2] - r * r;
  g->c = first / (4.0 * r) * (1.0 + 2.0 * R * rho / s);
  double m = 2.0 * R * rho / s * (2.0 * R * rho / s); // m / s^2
  double k = 4.0 * R * R / s;
  double ds[3], dm[3], dmds[3]; // grad s / 2, grad m / (2 s), and what both make of grad (m / s)
  for (int i = 0; i < 3; i++) {
    ds[i] = u[i];
    dm[i] = i < 2 ? k * u[i] : 0.0;
    dmds[i] = dm[i] - m * ds[i];
    g->gradient[i] = (ds[i] - dmds[i]) / (2.0 * r);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      // Hessian of (s - m / s) / 2
      double h = 2.0 / s * (dmds[i] * ds[j] + ds[i] * dmds[j]);
      if (i == j) h += 1.0 + m - (i < 2 ? k : 0.0);
      g->hessian[entry(i, j)] = h / (2.0 * r);
    }
  }
}

// c = u_1 - f(u_0)
static void profile_gap(const ap_surface *s, const double u[3], ap_gap *g) {
  double f[3];
  ap__profile_at(&s->profile, u[0], f);
  *g = (ap_gap){.c = u[1] - f[0], .gradient = {-f[1], 1.0, 0.0}, .hessian = {-f[2]}};
}

static void to_own(const ap_surface *s, const double p[3], double u[3]) {
  double from[3];
  for (int i = 0; i < 3; i++) from[i] = p[i] - s->wall.centre[i];
  for (int i = 0; i < 3; i++) u[i] = dot3(s->frame[i], from);
}

// To the world: F' g and F' H F, the rows of F being the unit vectors of u.
static void to_world(const ap_surface *s, const ap_gap *g, ap_gap *gap) {
  const double *h = g->hessian;
  double H[3][3] = {{h[0], h[1], h[2]}, {h[1], h[3], h[4]}, {h[2], h[4], h[5]}}, HF[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      HF[i][j] = H[i][0] * s->frame[0][j] + H[i][1] * s->frame[1][j] + H[i][2] * s->frame[2][j];
  gap->c = s->sign * g->c;
  for (int i = 0; i < 3; i++) {
    const double column[3] = {s->frame[0][i], s->frame[1][i], s->frame[2][i]};
    gap->gradient[i] = s->sign * dot3(column, g->gradient);
    for (int j = i; j < 3; j++) {
      const double other[3] = {HF[0][j], HF[1][j], HF[2][j]};
      gap->hessian[entry(i, j)] = s->sign * dot3(column, other);
    }
  }
}

static void plane_gap(const ap_surface *s, const double p[3], ap_gap *gap) {
  double from[3];
  for (int i = 0; i < 3; i++) from[i] = p[i] - s->wall.centre[i];
  *gap = (ap_gap){.c = s->sign * dot3(s->frame[2], from)};
  for (int i = 0; i < 3; i++) gap->gradient[i] = s->sign * s->frame[2][i];
}

void ap_surface_gap(const ap_surface *s, const double p[3], ap_gap *gap) {
  double u[3];
  ap_gap g;
  if (s->nface == 0 && s->wall.kind == AP_WALL_PLANE) {
    plane_gap(s, p, gap);
    return;
  }
  to_own(s, p, u);
  if (s->nface > 0)
    ap__faces_gap(&s->wall, s->face, u, &g);
  else if (s->wall.kind == AP_WALL_TORUS)
    torus_gap(s, u, &g);
  else if (s->wall.kind == AP_WALL_PROFILE)
    profile_gap(s, u, &g);
  else
    quadric_gap(s, u, &g);
  to_world(s, &g, gap);
}

void ap__surface_face_gap(const ap_surface *s, int face, const double p[3], ap_gap *gap) {
  if (s->nface == 0) {
    ap_surface_gap(s, p, gap);
    return;
  }
  double u[3];
  ap_gap g;
  to_own(s, p, u);
  ap__face_value(&s->face[face], u, &g);
  to_world(s, &g, gap);
}

double ap__surface_within(const ap_surface *s, int face, const double p[3]) {
  double u[3];
  if (s->nface == 0) return INFINITY;
  to_own(s, p, u);
  return ap__face_within(&s->face[face], u);
}

void ap__surface_along(const ap_surface *s, const double R[3][3], const double n[3],
                       double along[3]) {
  double x[3];
  for (int axis = 0; axis < 3; axis += 2) {
    for (int k = 0; k < 3; k++) x[k] = R ? dot3(R[k], s->frame[axis]) : s->frame[axis][k];
    if (unit_across(n, x, along)) return;
  }
  any_across(n, along);
}
