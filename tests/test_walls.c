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
  double axis[3], x[3], from[3], length = sqrt(dot(f->wall.axis, f->wall.axis));
  for (int i = 0; i < 3; i++) axis[i] = f->wall.axis[i] / length;
  double along = dot(axis, f->wall.x);
  for (int i = 0; i < 3; i++) x[i] = f->wall.x[i] - along * axis[i];
  for (int i = 0; i < 3; i++) from[i] = p[i] - f->wall.centre[i];
  double u = dot(from, x) / sqrt(dot(x, x));
  for (int i = 0; i < POINTS; i++) {
    if (fabs(u - f->points[2 * i]) < reach) return true;
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
