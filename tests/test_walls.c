// SPDX-License-Identifier: Apache-2.0
// Walls: the gap and its derivatives, distances, rigid motions, profiles, and every refusal.

#include <appell/impact.h>

#include "test.h"

enum { KINDS = AP_WALL_PROFILE + 1, POINTS = 7 };

static const char *const kind_names[KINDS] = {"plane",  "circle",    "ellipse", "cylinder",
                                              "sphere", "ellipsoid", "torus",   "profile"};

// A wall, its points and the surface made of it.
typedef struct fixture {
  ap_wall wall;
  double points[2 * POINTS];
  _Alignas(64) unsigned char memory[4096];
  ap_surface *s;
} fixture;

static bool make(fixture *f) {
  ap_error error;
  f->wall.points = f->points;
  size_t size = ap_surface_size(&f->wall);
  f->s = NULL;
  if (!CHECK(size > 0 && size <= sizeof f->memory)) return false;
  f->s = ap_surface_init(&f->wall, f->memory, size, &error);
  if (!f->s) printf("refused: %s\n", error.text);
  return CHECK(f->s);
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void random_vector(rng *r, double size, double v[3]) {
  for (int i = 0; i < 3; i++) v[i] = rng_uniform(r, -size, size);
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise(double v[3]) {
  double length = sqrt(dot(v, v));
  for (int i = 0; i < 3; i++) v[i] /= length;
}

// The unit vectors of the wall's frame: along x, across, along the axis.
static void frame_of(const ap_wall *w, double F[3][3]) {
  memcpy(F[2], w->axis, sizeof F[2]);
  normalise(F[2]);
  cross(F[2], w->x, F[1]);
  normalise(F[1]);
  cross(F[1], F[2], F[0]);
}

// From the wall's frame to the world, and back.
static void to_world(const ap_wall *w, const double u[3], double p[3]) {
  double F[3][3];
  frame_of(w, F);
  for (int i = 0; i < 3; i++)
    p[i] = w->centre[i] + F[0][i] * u[0] + F[1][i] * u[1] + F[2][i] * u[2];
}

static void to_wall(const ap_wall *w, const double p[3], double u[3]) {
  double F[3][3], from[3];
  frame_of(w, F);
  for (int i = 0; i < 3; i++) from[i] = p[i] - w->centre[i];
  for (int i = 0; i < 3; i++) u[i] = dot(F[i], from);
}

static bool has_inside(int kind) { return kind != AP_WALL_PLANE && kind != AP_WALL_PROFILE; }

// A wall of the kind somewhere in space, with sizes from 0.3 to 3 m.
static void random_wall(rng *r, int kind, bool inside, fixture *f) {
  ap_wall *w = &f->wall;
  *w = ap_default_wall();
  w->name = kind_names[kind];
  w->kind = (ap_wall_kind)kind;
  w->inside = inside;
  random_vector(r, 2, w->centre);
  do {
    random_vector(r, 2, w->axis);
    random_vector(r, 2, w->x);
    double c = dot(w->axis, w->x);
    if (dot(w->axis, w->axis) * dot(w->x, w->x) - c * c > 0.01) break;
  } while (true);
  for (int i = 0; i < 3; i++) w->size[i] = rng_uniform(r, 0.3, 3);
  if (kind == AP_WALL_TORUS) w->size[1] = w->size[0] * rng_uniform(r, 0.1, 0.9);
  double x = rng_uniform(r, -3, -2);
  for (int i = 0; i < POINTS; i++) {
    f->points[2 * i] = x;
    f->points[2 * i + 1] = rng_uniform(r, -0.5, 0.5);
    x += rng_uniform(r, 0.4, 1.5);
  }
  w->npoint = kind == AP_WALL_PROFILE ? POINTS : 0;
}

#define FOR_EACH_WALL(r, f, times)                                                              \
  for (int kind_ = 0; kind_ < KINDS; kind_++)                                                   \
    for (int inside_ = 0; inside_ <= (has_inside(kind_) ? 1 : 0); inside_++)                    \
      for (int time_ = 0; time_ < (times); time_++)                                             \
        if (random_wall((r), kind_, inside_ == 1, (f)),                                         \
            test_context("%s %s %d", kind_names[kind_], inside_ ? "inside" : "outside", time_), \
            make(f))

// Derivative along direction i of f at p by central differences of eighth order.
static double differences(double (*f)(const ap_surface *, const double *, int), const ap_surface *s,
                          const double p[3], int i, int what, double h) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double sum = 0;
  for (int k = 1; k <= 4; k++) {
    double after[3] = {p[0], p[1], p[2]}, before[3] = {p[0], p[1], p[2]};
    after[i] += k * h;
    before[i] -= k * h;
    sum += weight[k - 1] * (f(s, after, what) - f(s, before, what));
  }
  return sum / h;
}

static double gap_c(const ap_surface *s, const double p[3], int what) {
  ap_gap g;
  (void)what;
  ap_surface_gap(s, p, &g);
  return g.c;
}

static double gap_gradient(const ap_surface *s, const double p[3], int what) {
  ap_gap g;
  ap_surface_gap(s, p, &g);
  return g.gradient[what];
}

// A knot of a profile lies within the differences' reach: f''' jumps there, and they are no longer
// of eighth order.
static bool near_knot(const fixture *f, const double p[3], double reach) {
  if (f->wall.kind != AP_WALL_PROFILE) return false;
  double u[3];
  to_wall(&f->wall, p, u);
  for (int i = 0; i < POINTS; i++) {
    if (fabs(u[0] - f->points[2 * i]) < reach) return true;
  }
  return false;
}

// With h = 2e-3 of a length l over which c bends (0.03 m at least: the tube of a small torus), the
// differences are off by (h / l)^8, 1e-9 at worst, and by rounding, 1e-15 / h.
TEST(derivatives_are_those_of_the_gap) {
  rng r = rng_seed(1);
  fixture f;
  const double h = 2e-3;
  FOR_EACH_WALL(&r, &f, 40) {
    for (int k = 0; k < 20; k++) {
      double p[3], gradient[3], hessian[6];
      random_vector(&r, 5, p);
      if (near_knot(&f, p, 5 * h)) continue;
      ap_gap g;
      ap_surface_gap(f.s, p, &g);
      for (int i = 0, e = 0; i < 3; i++) {
        gradient[i] = differences(gap_c, f.s, p, i, 0, h);
        for (int j = i; j < 3; j++) hessian[e++] = differences(gap_gradient, f.s, p, i, j, h);
      }
      CHECK_WITHIN(g.gradient, gradient, 3, 1e-8 * (1 + test_norm(gradient, 3)));
      CHECK_WITHIN(g.hessian, hessian, 6, 1e-8 * (1 + test_norm(hessian, 6)));
    }
  }
}

// ---- where the surface is ----------------------------------------------------------------------

// Height of the profile over u_0, and its slope.
static double height(const fixture *f, double x, double *slope) {
  double p[3], F[3][3];
  ap_gap g;
  frame_of(&f->wall, F);
  to_world(&f->wall, (double[]){x, 0, 0}, p);
  ap_surface_gap(f->s, p, &g);
  *slope = -dot(F[0], g.gradient);
  return -g.c;
}

// A random point of the surface and the normal that leaves the wall's body there (the plane's axis,
// up for a profile), both in the wall's frame.
static void random_place(rng *r, const fixture *f, double u[3], double n[3]) {
  const double *a = f->wall.size;
  double t = rng_uniform(r, -3.14, 3.14), z = rng_uniform(r, -3, 3), slope;
  double phi = rng_uniform(r, -3.14, 3.14);
  double b[3] = {a[0], a[0], a[0]};
  switch (f->wall.kind) {
    case AP_WALL_PLANE:
      memcpy(u, (double[]){z, t, 0}, 3 * sizeof *u);
      memcpy(n, (double[]){0, 0, 1}, 3 * sizeof *n);
      break;
    case AP_WALL_TORUS:
      memcpy(n, (double[]){cos(t) * cos(phi), sin(t) * cos(phi), sin(phi)}, 3 * sizeof *n);
      for (int i = 0; i < 3; i++) u[i] = a[1] * n[i];
      u[0] += a[0] * cos(t);
      u[1] += a[0] * sin(t);
      break;
    case AP_WALL_PROFILE:
      memcpy(u, (double[]){z, height(f, z, &slope), t}, 3 * sizeof *u);
      memcpy(n, (double[]){-slope, 1, 0}, 3 * sizeof *n);
      break;
    case AP_WALL_CIRCLE:
    case AP_WALL_CYLINDER:
    case AP_WALL_ELLIPSE:
      if (f->wall.kind == AP_WALL_ELLIPSE) b[1] = a[1];
      memcpy(u, (double[]){b[0] * cos(t), b[1] * sin(t), z}, 3 * sizeof *u);
      memcpy(n, (double[]){cos(t) / b[0], sin(t) / b[1], 0}, 3 * sizeof *n);
      break;
    case AP_WALL_SPHERE:
    case AP_WALL_ELLIPSOID:
      if (f->wall.kind == AP_WALL_ELLIPSOID) memcpy(b, a, sizeof b);
      memcpy(n, (double[]){cos(t) * cos(phi), sin(t) * cos(phi), sin(phi)}, 3 * sizeof *n);
      for (int i = 0; i < 3; i++) u[i] = b[i] * n[i];
      for (int i = 0; i < 3; i++) n[i] /= b[i];
      break;
    default: break; // walls with edges: test_edges.c, test_brute_force.c
  }
  normalise(n);
}

// Along the normal c = |g| d + c_nn d^2 / 2 and |gradient| = |g| + c_nn d, so that c / |gradient|
// misses d by c_nn d^2 / (2 |g|), |g| >= 1, and c_nn is at most three times the Hessian's largest
// entry; a tenth is for the third order.
TEST(the_gap_is_the_distance_to_first_order) {
  rng r = rng_seed(2);
  fixture f;
  FOR_EACH_WALL(&r, &f, 40) {
    double out = f.wall.inside ? -1 : 1;
    for (int k = 0; k < 20; k++) {
      double u[3], n[3], p[3];
      ap_gap on, off;
      random_place(&r, &f, u, n);
      to_world(&f.wall, u, p);
      ap_surface_gap(f.s, p, &on);
      double length = sqrt(dot(on.gradient, on.gradient));
      CHECK_CLOSE(on.c, 0, 1e-13);
      if (f.wall.kind == AP_WALL_PROFILE)
        CHECK_CLOSE(length, 1 / n[1], 1e-11 * length);
      else
        CHECK_CLOSE(length, 1, 1e-11);
      for (int side = -1; side <= 1; side += 2) {
        double d = side * 1e-5, v[3];
        for (int i = 0; i < 3; i++) v[i] = u[i] + out * d * n[i];
        to_world(&f.wall, v, p);
        ap_surface_gap(f.s, p, &off);
        CHECK_CLOSE(off.c / sqrt(dot(off.gradient, off.gradient)), d,
                    1.6 * test_norm(on.hessian, 6) * d * d + 1e-13);
      }
    }
  }
}

// What the point's coordinates say without c: outside the body of the wall.
static bool outside(const fixture *f, const double u[3]) {
  const double *a = f->wall.size;
  double rho = sqrt(u[0] * u[0] + u[1] * u[1]), slope;
  double x = u[0] / a[0], y = u[1] / a[1], z = u[2] / a[2];
  switch (f->wall.kind) {
    case AP_WALL_PLANE: return u[2] > 0;
    case AP_WALL_CIRCLE:
    case AP_WALL_CYLINDER: return rho > a[0];
    case AP_WALL_ELLIPSE: return x * x + y * y > 1;
    case AP_WALL_SPHERE: return rho * rho + u[2] * u[2] > a[0] * a[0];
    case AP_WALL_ELLIPSOID: return x * x + y * y + z * z > 1;
    case AP_WALL_TORUS: return (rho - a[0]) * (rho - a[0]) + u[2] * u[2] > a[1] * a[1];
    case AP_WALL_PROFILE: return u[1] > height(f, u[0], &slope);
    default: break;
  }
  return false;
}

TEST(the_sign_tells_the_side) {
  rng r = rng_seed(3);
  fixture f;
  FOR_EACH_WALL(&r, &f, 20) {
    for (int k = 0; k < 200; k++) {
      double p[3], u[3];
      random_vector(&r, 4, p);
      to_wall(&f.wall, p, u);
      ap_gap g;
      ap_surface_gap(f.s, p, &g);
      if (fabs(g.c) < 1e-12) continue;
      CHECK((g.c > 0) == (outside(&f, u) != f.wall.inside));
    }
  }
}

static bool gap_is_finite(const ap_gap *g) {
  double sum = fabs(g->c);
  for (int i = 0; i < 3; i++) sum += fabs(g->gradient[i]);
  for (int i = 0; i < 6; i++) sum += fabs(g->hessian[i]);
  return isfinite(sum);
}

// Centre, axis, the middle of the torus' tube, far away.
TEST(nothing_is_singular) {
  rng r = rng_seed(4);
  fixture f;
  FOR_EACH_WALL(&r, &f, 10) {
    const double special[][3] = {{0, 0, 0},        {0, 0, 1},       {0, 0, -1e-160},
                                 {1e-160, 0, 0},   {0, 1e-9, 0},    {0, f.wall.size[0], 0},
                                 {1e9, -1e9, 1e9}, {1e60, 1e60, 0}, {0, 0, 1e60}};
    for (size_t k = 0; k < sizeof special / sizeof *special; k++) {
      ap_gap g;
      double p[3];
      to_world(&f.wall, special[k], p);
      ap_surface_gap(f.s, p, &g);
      CHECK(gap_is_finite(&g));
    }
  }
}

TEST(the_extremes_of_size_are_finite) {
  const double sizes[][3] = {{1e-9, 1e9, 1}, {1e9, 1e-9, 1e-9}, {1e9, 1e9, 1e-9}};
  for (int kind = 0; kind < KINDS; kind++) {
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      fixture f = {.points = {-1e9, 1e9, -1e9 + 1e-6, -1e9, 1e9, 1e9}};
      f.wall = ap_default_wall();
      f.wall.kind = (ap_wall_kind)kind;
      f.wall.npoint = 3;
      memcpy(f.wall.size, sizes[k], sizeof sizes[k]);
      if (kind == AP_WALL_TORUS) memcpy(f.wall.size, (double[]){1e9, 1e-9, 0}, sizeof sizes[k]);
      test_context("%s %zu", kind_names[kind], k);
      if (!make(&f)) continue;
      const double at[][3] = {{0, 0, 0}, {1e-9, 0, 0}, {1, 2, 3}, {1e9, 1e9, 1e9}, {-1e9, 0, 1e9}};
      for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        ap_gap g;
        ap_surface_gap(f.s, at[i], &g);
        CHECK(gap_is_finite(&g));
      }
    }
  }
}

// The forms that the header promises, at places where they are easy.
TEST(the_gap_is_what_the_header_says) {
  fixture f = {.wall = ap_default_wall()};
  ap_gap g;
  if (!make(&f)) return;
  ap_surface_gap(f.s, (double[]){1, 2, 0.25}, &g);
  CHECK(g.c == 0.25 && g.gradient[0] == 0 && g.gradient[1] == 0 && g.gradient[2] == 1);
  CHECK(test_norm(g.hessian, 6) == 0);
  f.wall.kind = AP_WALL_CIRCLE;
  f.wall.size[0] = 2.5;
  f.wall.inside = true;
  if (!make(&f)) return;
  ap_surface_gap(f.s, (double[]){0, 0, 7}, &g);
  CHECK(g.c == 1.25 && test_norm(g.gradient, 3) == 0);
  ap_surface_gap(f.s, (double[]){0, 2.5, 7}, &g);
  CHECK(g.c == 0);
  CHECK_WITHIN(g.gradient, ((double[]){0, -1, 0}), 3, 1e-15);
  CHECK_WITHIN(g.hessian, ((double[]){-0.4, 0, 0, -0.4, 0, 0}), 6, 1e-15);
  f.wall.kind = AP_WALL_TORUS;
  f.wall.inside = false;
  f.wall.size[0] = 2;
  f.wall.size[1] = 1;
  if (!make(&f)) return;
  ap_surface_gap(f.s, (double[]){0, 0, 1}, &g); // s = 4, m = 0
  CHECK_CLOSE(g.c, 1, 1e-15);
  ap_surface_gap(f.s, (double[]){0, 2, 0}, &g); // s = 7, m = 64
  CHECK_CLOSE(g.c, (7 - 64.0 / 7) / 4, 1e-15);
  f.wall.kind = AP_WALL_ELLIPSE;
  if (!make(&f)) return;
  ap_surface_gap(f.s, (double[]){2, 1, 5}, &g); // N = 1, w = 1 + 3 * 1, A = 2
  CHECK_CLOSE(g.c, 0.5, 1e-15);
}

// ---- placement ---------------------------------------------------------------------------------

static void rotate(double Q[3][3], const double v[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = dot(Q[i], v);
}

static void full(const double h[6], double H[3][3]) {
  const double all[9] = {h[0], h[1], h[2], h[1], h[3], h[4], h[2], h[4], h[5]};
  memcpy(H, all, sizeof all);
}

// The bound: the frame is normalised from directions that may be 10 / 144 rad apart, and the
// torus' Hessian is of the order of 1 / (tube's radius), 30 / m.
TEST(rigid_motions_move_gap_and_derivatives) {
  rng r = rng_seed(5);
  fixture f;
  FOR_EACH_WALL(&r, &f, 40) {
    double Q[3][3], t[3];
    ap_wall turn = ap_default_wall();
    random_vector(&r, 1, turn.axis);
    cross(turn.axis, (double[]){0.3, -0.2, 0.9}, turn.x);
    frame_of(&turn, Q);
    random_vector(&r, 2, t);
    fixture moved = f;
    rotate(Q, f.wall.centre, moved.wall.centre);
    for (int i = 0; i < 3; i++) moved.wall.centre[i] += t[i];
    rotate(Q, f.wall.axis, moved.wall.axis);
    rotate(Q, f.wall.x, moved.wall.x);
    for (int i = 0; i < 3; i++) moved.wall.x[i] += 0.7 * moved.wall.axis[i]; // does not count
    for (int i = 0; i < 3; i++) moved.wall.axis[i] *= 3e200;
    if (!make(&moved)) continue;
    for (int k = 0; k < 10; k++) {
      double p[3], q[3], gradient[3], H[3][3], M[3][3], QH[3][3];
      ap_gap g, m;
      random_vector(&r, 4, p);
      rotate(Q, p, q);
      for (int i = 0; i < 3; i++) q[i] += t[i];
      ap_surface_gap(f.s, p, &g);
      ap_surface_gap(moved.s, q, &m);
      rotate(Q, g.gradient, gradient);
      CHECK_CLOSE(m.c, g.c, 1e-11 * (1 + fabs(g.c)));
      CHECK_WITHIN(m.gradient, gradient, 3, 1e-11 * (1 + test_norm(gradient, 3)));
      full(g.hessian, H);
      full(m.hessian, M);
      for (int i = 0; i < 3; i++) rotate(Q, H[i], QH[i]); // H Q'
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
          double want = Q[i][0] * QH[0][j] + Q[i][1] * QH[1][j] + Q[i][2] * QH[2][j];
          CHECK_CLOSE(M[i][j], want, 1e-10 * (1 + test_norm(g.hessian, 6)));
        }
      }
    }
  }
}

// ---- profiles ----------------------------------------------------------------------------------

// Height, slope and second derivative of a profile in the default place.
static void profile_at(const fixture *f, double x, double out[3]) {
  ap_gap g;
  ap_surface_gap(f->s, (double[]){x, 0, 0}, &g);
  out[0] = -g.c;
  out[1] = -g.gradient[0];
  out[2] = -g.hessian[0];
}

static void random_profile(rng *r, fixture *f) {
  random_wall(r, AP_WALL_PROFILE, false, f);
  for (int i = 0; i < 3; i++) f->wall.centre[i] = 0;
  memcpy(f->wall.axis, (double[]){0, 0, 1}, sizeof f->wall.axis);
  memcpy(f->wall.x, (double[]){1, 0, 0}, sizeof f->wall.x);
}

// Through the points, f, f', f'' continuous, f'' linear between points and zero at the ends: there
// is one such function, the natural spline.
TEST(profile_is_the_natural_spline) {
  rng r = rng_seed(6);
  fixture f;
  for (int k = 0; k < 200; k++) {
    random_profile(&r, &f);
    f.wall.npoint = rng_int(&r, 2, POINTS);
    test_context("profile %d", k);
    if (!make(&f)) return;
    for (int i = 0; i < f.wall.npoint; i++) {
      double x = f.points[2 * i], at[3], left[3], right[3], tiny = 1e-9;
      profile_at(&f, x, at);
      CHECK(at[0] == f.points[2 * i + 1]);
      profile_at(&f, x - tiny, left);
      profile_at(&f, x + tiny, right);
      // Derivatives are below 1e3 here (heights of 1 m over 0.4 m, four times over).
      CHECK_WITHIN(left, at, 3, 1e3 * tiny);
      CHECK_WITHIN(right, at, 3, 1e3 * tiny);
      if (i == 0 || i == f.wall.npoint - 1) CHECK(at[2] == 0);
      if (i + 1 == f.wall.npoint) continue;
      double next[3], middle[3], end = f.points[2 * i + 2];
      profile_at(&f, end, next);
      profile_at(&f, (x + end) / 2, middle);
      CHECK_CLOSE(middle[2], (at[2] + next[2]) / 2, 1e-12 * (1 + fabs(at[2]) + fabs(next[2])));
      // Simpson's rule is exact for f', a parabola: the height that the slope adds up to.
      CHECK_CLOSE((end - x) / 6 * (at[1] + 4 * middle[1] + next[1]), next[0] - at[0], 1e-12);
    }
  }
}

TEST(profile_goes_on_straight) {
  rng r = rng_seed(7);
  fixture f;
  for (int k = 0; k < 50; k++) {
    random_profile(&r, &f);
    if (!make(&f)) return;
    for (int side = 0; side < 2; side++) {
      double x = f.points[side ? 2 * POINTS - 2 : 0], at[3], out[3];
      double far = (side ? 1 : -1) * rng_uniform(&r, 0, 20);
      profile_at(&f, x, at);
      profile_at(&f, x + far, out);
      CHECK_WITHIN(out, ((double[]){at[0] + at[1] * far, at[1], 0}), 3, 1e-13 * (1 + fabs(far)));
    }
  }
}

// A straight line through points of it; two points are one too.
TEST(profile_of_a_line_is_the_line) {
  fixture f = {.wall = ap_default_wall()};
  f.wall.kind = AP_WALL_PROFILE;
  for (int n = 2; n <= POINTS; n++) {
    for (int i = 0; i < n; i++) {
      f.points[2 * i] = i * i;
      f.points[2 * i + 1] = 1 - 0.5 * i * i;
    }
    f.wall.npoint = n;
    if (!make(&f)) return;
    for (double x = -5; x < 50; x += 0.37) {
      double at[3];
      profile_at(&f, x, at);
      CHECK_WITHIN(at, ((double[]){1 - 0.5 * x, -0.5, 0}), 3, 1e-13);
    }
  }
}

// The ground in space: z up, its profile over x.
TEST(profile_stands_up_with_axis_minus_y) {
  fixture f = {.wall = ap_default_wall(), .points = {0, 0, 1, 1}};
  f.wall.kind = AP_WALL_PROFILE;
  f.wall.npoint = 2;
  memcpy(f.wall.axis, (double[]){0, -1, 0}, sizeof f.wall.axis);
  if (!make(&f)) return;
  ap_gap g;
  ap_surface_gap(f.s, (double[]){0.5, 3, 2}, &g);
  CHECK_CLOSE(g.c, 1.5, 1e-15);
  CHECK_WITHIN(g.gradient, ((double[]){-1, 0, 1}), 3, 1e-15);
}

// ---- memory and refusals -----------------------------------------------------------------------

TEST(surface_keeps_name_and_points_for_itself) {
  rng r = rng_seed(8);
  fixture f;
  random_profile(&r, &f);
  char name[] = "hill";
  f.wall.name = name;
  f.wall.points = f.points;
  size_t size = ap_surface_size(&f.wall);
  for (size_t shift = 0; shift < 64; shift += 7) {
    memset(f.memory, 0xA5, sizeof f.memory);
    f.s = ap_surface_init(&f.wall, f.memory + shift, size, NULL);
    if (!CHECK(f.s)) return;
    CHECK(f.memory[shift + size] == 0xA5);
  }
  double before[3], after[3], first = f.points[0];
  profile_at(&f, 0.3, before);
  for (int i = 0; i < 2 * POINTS; i++) f.points[i] = NAN;
  name[0] = 'p';
  profile_at(&f, 0.3, after);
  CHECK_BITS(before, after, 3);
  const ap_wall *wall = ap_surface_wall(f.s);
  CHECK_STR(wall->name, "hill");
  CHECK(wall->points[0] == first);
  CHECK_EQ_INT(wall->npoint, POINTS);
  CHECK_EQ_INT(wall->kind, AP_WALL_PROFILE);
}

TEST(too_little_memory_is_said) {
  ap_wall wall = ap_default_wall();
  unsigned char memory[4096];
  ap_error error;
  size_t size = ap_surface_size(&wall);
  CHECK(ap_surface_init(&wall, memory, size - 1, &error) == NULL);
  CHECK_STATUS(error.status, AP_E_MEMORY);
  char want[100];
  snprintf(want, sizeof want, "wall \"wall\": needs %zu bytes, got %zu", size, size - 1);
  CHECK_STR(error.text, want);
  CHECK(ap_surface_init(&wall, NULL, size, &error) == NULL);
  CHECK_STATUS(error.status, AP_E_MEMORY);
  CHECK(ap_surface_init(NULL, memory, sizeof memory, &error) == NULL);
  CHECK_STATUS(error.status, AP_E_ARG);
  CHECK_STR(error.text, "no wall was given");
  CHECK(ap_surface_size(NULL) == 0);
  wall.name = NULL;
  ap_surface *s = ap_surface_init(&wall, memory, sizeof memory, &error);
  if (!CHECK(s)) return;
  CHECK_STATUS(error.status, AP_OK);
  CHECK_STR(ap_surface_wall(s)->name, "wall");
}

// Init refuses the wall with this text after its name.
static void refused(const ap_wall *wall, const char *text, int line) {
  unsigned char memory[4096];
  ap_error error;
  test_context("line %d", line);
  CHECK(ap_surface_size(wall) <= sizeof memory);
  CHECK(ap_surface_init(wall, memory, sizeof memory, &error) == NULL);
  CHECK_STATUS(error.status, AP_E_ARG);
  CHECK_EQ_INT(error.line, 0);
  if (!CHECK(strncmp(error.text, "wall \"ring\": ", 13) == 0)) return;
  CHECK_STR(error.text + 13, text);
}

// A wall of the kind named "ring" with one member changed, and the refusal of it.
#define REFUSED(wall_kind, member, value, text) \
  do {                                          \
    ap_wall w_ = valid(wall_kind);              \
    w_.member = (value);                        \
    refused(&w_, (text), __LINE__);             \
  } while (0)

static ap_wall valid(ap_wall_kind kind) {
  static const double points[] = {0, 0, 1, 0.5, 2, 0};
  ap_wall w = ap_default_wall();
  w.name = "ring";
  w.kind = kind;
  for (int i = 0; i < 3; i++) w.size[i] = 3 - i;
  w.points = points;
  w.npoint = 3;
  return w;
}

TEST(numbers_that_are_none_are_refused) {
  REFUSED(AP_WALL_PLANE, centre[1], NAN, "centre[1] is nan (it must be a finite number)");
  REFUSED(AP_WALL_PLANE, centre[2], 2e9,
          "centre[2] is 2e+09 m (it must be between -1e+09 and 1e+09 m)");
  REFUSED(AP_WALL_PLANE, axis[0], INFINITY, "axis[0] is inf (it must be a finite number)");
  REFUSED(AP_WALL_PLANE, x[2], -INFINITY, "x[2] is -inf (it must be a finite number)");
  REFUSED(AP_WALL_PLANE, kind, (ap_wall_kind)15,
          "kind is 15 (it must be one of ap_wall_kind, 0 to 14)");
  REFUSED(AP_WALL_PLANE, restitution, 1.5, "restitution is 1.5 (it must be between 0 and 1)");
  REFUSED(AP_WALL_PLANE, restitution, -0.1, "restitution is -0.1 (it must be between 0 and 1)");
  REFUSED(AP_WALL_PLANE, restitution, NAN, "restitution is nan (it must be between 0 and 1)");
  REFUSED(AP_WALL_PLANE, static_friction, -0.1,
          "static_friction is -0.1 (it must be a finite number, at least friction, which is 0, or "
          "0 for the same)");
  REFUSED(AP_WALL_PLANE, static_friction, INFINITY,
          "static_friction is inf (it must be a finite number, at least friction, which is 0, or 0 "
          "for the same)");
  REFUSED(AP_WALL_PLANE, friction, -1, "friction is -1 (it must be from 0 to 1e+09)");
  REFUSED(AP_WALL_PLANE, friction, INFINITY, "friction is inf (it must be from 0 to 1e+09)");
}

TEST(sizes_that_are_none_are_refused) {
  REFUSED(AP_WALL_CIRCLE, size[0], 0,
          "the radius, size[0], is 0 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_CYLINDER, size[0], -1,
          "the radius, size[0], is -1 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_SPHERE, size[0], NAN,
          "the radius, size[0], is nan m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_ELLIPSE, size[0], INFINITY,
          "the semi-axis along x, size[0], is inf m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_ELLIPSE, size[1], -2,
          "the semi-axis across x, size[1], is -2 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(
      AP_WALL_ELLIPSOID, size[1], 0,
      "the semi-axis across x and axis, size[1], is 0 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_ELLIPSOID, size[2], 0,
          "the semi-axis along the axis, size[2], is 0 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_TORUS, size[0], 0,
          "the radius of the ring, size[0], is 0 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(AP_WALL_TORUS, size[1], 0,
          "the radius of the tube, size[1], is 0 m (it must be between 1e-09 and 1e+09 m)");
  REFUSED(
      AP_WALL_TORUS, size[1], 3,
      "the radius of the tube, size[1], is 3 m (it must be smaller than the radius of the ring, "
      "size[0], which is 3 m)");
}

TEST(directions_that_are_none_are_refused) {
  for (int kind = 0; kind < KINDS; kind++) {
    REFUSED((ap_wall_kind)kind, axis[2], 0,
            "axis is 0 0 0 (it must be a direction, such as 0 0 1)");
    ap_wall w = valid((ap_wall_kind)kind);
    memcpy(w.x, (double[]){0, 0, -2}, sizeof w.x);
    if (kind == AP_WALL_ELLIPSE || kind == AP_WALL_ELLIPSOID || kind == AP_WALL_PROFILE) {
      refused(&w, "x, 0 0 -2, is parallel to the axis 0 0 1 (choose another direction)", __LINE__);
      REFUSED((ap_wall_kind)kind, x[0], 0,
              "x, 0 0 0, is parallel to the axis 0 0 1 (choose another direction)");
      continue;
    }
    // Round about the axis: x does not count, zero included.
    fixture f = {.wall = w}, g = {.wall = valid((ap_wall_kind)kind)};
    w.x[2] = 0;
    fixture z = {.wall = w};
    if (!make(&f) || !make(&g) || !make(&z)) continue;
    ap_gap a, b, c;
    const double p[3] = {0.3, -0.4, 0.5};
    ap_surface_gap(f.s, p, &a);
    ap_surface_gap(g.s, p, &b);
    ap_surface_gap(z.s, p, &c);
    CHECK_CLOSE(a.c, b.c, 1e-14);
    CHECK_WITHIN(a.gradient, b.gradient, 3, 1e-14);
    CHECK_WITHIN(a.hessian, b.hessian, 6, 1e-14);
    CHECK_CLOSE(c.c, b.c, 1e-14);
  }
}

TEST(inside_of_what_has_none_is_refused) {
  REFUSED(AP_WALL_PLANE, inside, true,
          "inside is true, but a plane has no inside (reverse its axis, which points into the free "
          "region)");
  REFUSED(
      AP_WALL_PROFILE, inside, true,
      "inside is true, but a profile has no inside (reverse its axis and the sign of the heights)");
}

TEST(profiles_that_are_none_are_refused) {
  REFUSED(AP_WALL_PROFILE, npoint, 1, "its profile has 1 points (it needs 2 or more)");
  REFUSED(AP_WALL_PROFILE, npoint, -3, "its profile has -3 points (it needs 2 or more)");
  REFUSED(AP_WALL_PROFILE, points, NULL, "points is NULL although npoint is 3");
  REFUSED(AP_WALL_PROFILE, points, ((const double[]){0, 0, 1, 0, 1, 2}),
          "x of point 3 of its profile is 1 m after 1 m (x must increase from point to point by at "
          "least 1e-09 m)");
  REFUSED(AP_WALL_PROFILE, points, ((const double[]){0, 0, -1, 0, 1, 2}),
          "x of point 2 of its profile is -1 m after 0 m (x must increase from point to point by "
          "at least 1e-09 m)");
  REFUSED(AP_WALL_PROFILE, points, ((const double[]){0, 0, NAN, 0, 1, 2}),
          "x of point 2 of its profile is nan m (it must be between -1e+09 and 1e+09 m)");
  REFUSED(AP_WALL_PROFILE, points, ((const double[]){0, 0, 1, 0, 2, INFINITY}),
          "the height of point 3 of its profile is inf m (it must be between -1e+09 and 1e+09 m)");
}

// A long name does not push the reason out of the message.
TEST(long_names_are_cut) {
  ap_wall w = valid(AP_WALL_SPHERE);
  char name[2000];
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = 0;
  w.name = name;
  w.size[0] = -1;
  ap_error error;
  unsigned char memory[64];
  CHECK(ap_surface_init(&w, memory, sizeof memory, &error) == NULL);
  CHECK_HAS(error.text, "nnn\": the radius, size[0], is -1 m");
}
