// SPDX-License-Identifier: Apache-2.0
// Distance of convex shapes against brute force: random pairs, needles and plates, sizes from 1e-6
// to 1e6 m, far from the origin, exactly touching, parallel, deep inside each other.

#include <appell/convex.h>

#include "convex_oracle.h"
#include "test.h"

// A shape with the points that its core is the hull of.
typedef struct sample {
  ap_convex shape;
  ap_hull *hull;
  double point[ORACLE_POINTS][3], radius;
  int n;
} sample;

static double power(rng *r, double low, double high) { return pow(10, rng_uniform(r, low, high)); }

static double normal(rng *r) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += rng_uniform(r, -0.5, 0.5);
  return sum;
}

static void unit(double x[3]) {
  const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  for (int i = 0; i < 3; i++) x[i] /= length;
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// A rotation, or one of the 24 that map axes to axes.
static void turn(rng *r, bool straight, double R[9]) {
  double x[3] = {0}, y[3] = {0}, z[3];
  if (straight) {
    const int k = rng_int(r, 0, 2);
    x[k] = rng_chance(r, 0.5) ? 1 : -1;
    y[(k + rng_int(r, 1, 2)) % 3] = rng_chance(r, 0.5) ? 1 : -1;
  } else {
    double t[3];
    for (int i = 0; i < 3; i++) {
      x[i] = normal(r);
      t[i] = normal(r);
    }
    unit(x);
    cross(x, t, y);
    unit(y);
  }
  cross(x, y, z);
  for (int i = 0; i < 3; i++) {
    R[3 * i] = x[i];
    R[3 * i + 1] = y[i];
    R[3 * i + 2] = z[i];
  }
}

static void sample_box(rng *r, double size, double aspect, sample *s) {
  double sides[3];
  for (int i = 0; i < 3; i++)
    sides[i] = size * (rng_chance(r, 0.5) ? aspect : 1) * rng_uniform(r, 0.5, 1);
  CHECK_OK(ap_convex_box(sides, &s->shape, NULL));
  s->n = 8;
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 3; k++) s->point[i][k] = i >> k & 1 ? sides[k] / 2 : -sides[k] / 2;
}

static void sample_hull(rng *r, double size, double aspect, sample *s) {
  ap_error error;
  double scale[3], middle[3];
  for (int k = 0; k < 3; k++) {
    scale[k] = size * (rng_chance(r, 0.5) ? aspect : 1);
    middle[k] = rng_chance(r, 0.3) ? size * rng_uniform(r, -3, 3) : 0;
  }
  const bool grid = rng_chance(r, 0.3); // coplanar and double points
  do {
    s->n = rng_int(r, grid ? 7 : 4, 9);
    for (int i = 0; i < s->n; i++)
      for (int k = 0; k < 3; k++)
        s->point[i][k] =
            middle[k] + scale[k] * (grid ? rng_int(r, -1, 1) : rng_uniform(r, -1, 1)) / 2;
  } while (ap_hull_make(s->point[0], s->n, &s->hull, &error));
  s->shape = ap_convex_of_hull(s->hull);
}

static sample draw(rng *r, double size, double aspect) {
  sample s = {.n = 1};
  switch (rng_int(r, 0, 5)) {
    case 0:
      s.radius = size * rng_uniform(r, 0.1, 1);
      CHECK_OK(ap_convex_sphere(s.radius, &s.shape, NULL));
      break;
    case 1:
      s.radius = size * aspect * rng_uniform(r, 0.1, 1);
      s.n = 2;
      s.point[1][2] = size * rng_uniform(r, 0.1, 1);
      s.point[0][2] = -s.point[1][2];
      CHECK_OK(ap_convex_capsule(s.radius, 2 * s.point[1][2], &s.shape, NULL));
      break;
    case 2:
    case 3: sample_box(r, size, aspect, &s); break;
    default: sample_hull(r, size, aspect, &s); break;
  }
  return s;
}

static oracle look(const sample *a, const ap_pose *pa, const sample *b, const ap_pose *pb,
                   double *gap) {
  oracle o;
  double d = 0;
  oracle_place(a->point, a->n, pa, pa->p, &o.a);
  oracle_place(b->point, b->n, pb, pa->p, &o.b);
  for (int k = 0; k < 3; k++) d = fmax(d, fabs(pb->p[k] - pa->p[k]));
  o.size = a->shape.reach + b->shape.reach + d;
  for (int k = 0; k < 3; k++) o.size += fabs(a->shape.centre[k]) + fabs(b->shape.centre[k]);
  *gap = (double)(oracle_gap(&o) - a->radius - b->radius);
  return o;
}

// What the points and the normal must be, whatever the gap.
static void check_points(const sample *s, const ap_pose *p, const double on[3], const double at[3],
                         const double n[3], double sign, double size, double far) {
  double most = -INFINITY, x[3], along = 0;
  for (int k = 0; k < 3; k++) {
    x[k] = 0;
    for (int j = 0; j < 3; j++) x[k] += p->R[3 * k + j] * on[j];
    along += sign * n[k] * x[k];
    CHECK_CLOSE(at[k], x[k] + p->p[k], 1e-12 * size + 1e-15 * far);
  }
  for (int i = 0; i < s->n; i++) {
    double h = s->radius;
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++) h += sign * n[k] * p->R[3 * k + j] * s->point[i][j];
    most = fmax(most, h);
  }
  CHECK_CLOSE(along, most, 1e-11 * size); // it is in the supporting plane
}

static double worst_error, worst_bracket, worst_points;

static void check_pair(const sample *a, const ap_pose *pa, const sample *b, const ap_pose *pb) {
  ap_closest c;
  double gap, off = 0;
  const oracle o = look(a, pa, b, pb, &gap);
  if (!CHECK_OK(ap_convex_distance(&a->shape, pa, &b->shape, pb, &c))) return;
  CHECK_CLOSE(c.distance, gap, 1e-12 * o.size);
  CHECK(gap >= c.distance - c.rounding);
  CHECK(gap <= c.distance + c.error);
  CHECK_CLOSE(
      sqrt(c.normal[0] * c.normal[0] + c.normal[1] * c.normal[1] + c.normal[2] * c.normal[2]), 1,
      1e-14);
  CHECK(c.error <= 1e-12 * o.size);
  worst_error = fmax(worst_error, fabs(c.distance - gap) / o.size);
  worst_bracket = fmax(worst_bracket, c.error / o.size);
  const double far = fabs(pa->p[0]) + fabs(pa->p[1]) + fabs(pa->p[2]);
  for (int k = 0; k < 3; k++)
    off = fmax(off, fabs(c.point_b[k] - c.point_a[k] - c.distance * c.normal[k]));
  // Along the shapes the points are as good as the square root of the distance at best.
  CHECK(off <= 1e-7 * o.size + 1e-15 * far);
  worst_points = fmax(worst_points, (off - 1e-15 * far) / o.size);
  check_points(a, pa, c.on_a, c.point_a, c.normal, 1, o.size, far);
  check_points(b, pb, c.on_b, c.point_b, c.normal, -1, o.size, far);
}

// Move B along the normal, so that the gap becomes `wanted`.
static void shift(const sample *a, const ap_pose *pa, const sample *b, ap_pose *pb, double wanted) {
  double gap;
  const oracle o = look(a, pa, b, pb, &gap);
  for (int k = 0; k < 3; k++) pb->p[k] += (wanted - gap) * (double)o.n[k];
}

static long pairs(void) {
  const char *text = getenv("APPELL_TEST_PAIRS");
  return text ? strtol(text, NULL, 10) : 20000L * test_effort() / 3;
}

TEST(random_pairs_against_brute_force) {
  for (long i = 0, n = pairs(); i < n; i++) {
    rng r = rng_seed((uint64_t)i);
    test_context("pair %ld", i);
    const double size = power(&r, -6, 6), most = rng_chance(&r, 0.5) ? 0 : -6;
    sample a = draw(&r, size, power(&r, most, 0)), b = draw(&r, size, power(&r, most, 0));
    const bool straight = rng_chance(&r, 0.3);
    const double far = rng_chance(&r, 0.2) ? 1e8 : rng_chance(&r, 0.5) ? size : 0;
    ap_pose pa, pb;
    turn(&r, straight, pa.R);
    turn(&r, straight, pb.R);
    for (int k = 0; k < 3; k++) {
      pa.p[k] = far * rng_uniform(&r, -1, 1);
      pb.p[k] = pa.p[k] + (rng_chance(&r, 0.3) ? 0 : size * rng_uniform(&r, -1.5, 1.5));
    }
    if (rng_chance(&r, 0.1)) memcpy(pb.R, pa.R, sizeof pb.R);
    const double wanted[] = {0,     1e-15, -1e-15, 1e-12, -1e-12, 1e-9,
                             -1e-9, 1e-6,  -1e-6,  1e-3,  -1e-3};
    if (rng_chance(&r, 0.5)) shift(&a, &pa, &b, &pb, size * wanted[rng_int(&r, 0, 10)]);
    check_pair(&a, &pa, &b, &pb);
    ap_hull_free(a.hull);
    ap_hull_free(b.hull);
  }
  printf("  worst of size: distance %.2g, bracket %.2g, points %.2g\n", worst_error, worst_bracket,
         worst_points);
}

// ---- features, patches, motion -----------------------------------------------------------------

static ap_pose at(double x, double y, double z) {
  ap_pose p = ap_pose_identity();
  p.p[0] = x;
  p.p[1] = y;
  p.p[2] = z;
  return p;
}

// Where a pair of features determines a distance, it is that of the shapes.
TEST(features_have_the_distance_of_their_shapes) {
  int counted = 0;
  for (int i = 0; i < 2000; i++) {
    rng r = rng_seed(7000000u + (uint64_t)i);
    test_context("pair %d", i);
    sample a = draw(&r, 1, 1), b = draw(&r, 1, 1);
    ap_pose pa, pb;
    ap_closest c;
    double distance, n[3];
    turn(&r, false, pa.R);
    turn(&r, false, pb.R);
    for (int k = 0; k < 3; k++) {
      pa.p[k] = rng_uniform(&r, -1, 1);
      pb.p[k] = rng_uniform(&r, -1, 1);
    }
    CHECK_OK(ap_convex_distance(&a.shape, &pa, &b.shape, &pb, &c));
    const ap_status status =
        ap_feature_gap(&a.shape, &pa, c.a, &b.shape, &pb, c.b, c.normal, &distance, n);
    if (!status && (a.n > 2 || b.n > 2)) {
      counted++;
      CHECK_CLOSE(distance, c.distance, 1e-13);
      CHECK_WITHIN(n, c.normal, 3, 1e-7);
    }
    ap_hull_free(a.hull);
    ap_hull_free(b.hull);
  }
  CHECK(counted > 1200);
}

TEST(a_box_on_a_floor_has_four_points) {
  ap_convex box, floor = ap_convex_half_space();
  ap_closest c;
  ap_patch patch;
  const ap_pose ground = at(0, 0, 0), up = at(5, 6, 0.4);
  CHECK_OK(ap_convex_box((double[]){2, 4, 0.6}, &box, NULL));
  CHECK_OK(ap_convex_distance(&floor, &ground, &box, &up, &c));
  CHECK_CLOSE(c.distance, 0.1, 1e-15);
  CHECK_WITHIN(c.normal, ((double[]){0, 0, 1}), 3, 0);
  CHECK_OK(ap_contact_patch(&floor, &ground, &box, &up, &c, AP_PATCH_TOLERANCE, &patch));
  CHECK_EQ_INT(patch.n, 4);
  for (int i = 0; i < patch.n; i++) {
    CHECK_CLOSE(fabs(patch.point[i][0] - 5), 1, 1e-15);
    CHECK_CLOSE(fabs(patch.point[i][1] - 6), 2, 1e-15);
    CHECK_CLOSE(patch.point[i][2], 0.05, 1e-15);
  }
  CHECK_OK(ap_convex_distance(&box, &up, &floor, &ground, &c)); // exchanged
  CHECK_CLOSE(c.distance, 0.1, 1e-15);
  CHECK_WITHIN(c.normal, ((double[]){0, 0, -1}), 3, 0);
  CHECK_STATUS(ap_convex_distance(&floor, &ground, &floor, &up, &c), AP_E_UNSUPPORTED);
}

TEST(patches_are_what_faces_and_edges_share) {
  ap_convex box, rod, tin;
  ap_closest c;
  ap_patch patch;
  const ap_pose here = at(0, 0, 0), above = at(1, 1, 2);
  CHECK_OK(ap_convex_box((double[]){2, 2, 2}, &box, NULL));
  CHECK_OK(ap_convex_distance(&box, &here, &box, &above, &c));
  CHECK_CLOSE(c.distance, 0, 1e-15);
  CHECK_OK(ap_contact_patch(&box, &here, &box, &above, &c, AP_PATCH_TOLERANCE, &patch));
  CHECK_EQ_INT(patch.n, 4); // the square from (0, 0) to (1, 1)
  for (int i = 0; i < patch.n; i++)
    for (int k = 0; k < 2; k++) CHECK_CLOSE(fabs(patch.point[i][k] - 0.5), 0.5, 1e-8);
  // A capsule along x reaches over the box's edge: two points, 3 m of it on the box, not 10.
  CHECK_OK(ap_convex_capsule(0.25, 10, &rod, NULL));
  ap_pose lying = {{0, 0, 1, 0, 1, 0, -1, 0, 0}, {4, 0.5, 1.25}};
  CHECK_OK(ap_convex_distance(&box, &here, &rod, &lying, &c));
  CHECK_CLOSE(c.distance, 0, 1e-15);
  CHECK_OK(ap_contact_patch(&box, &here, &rod, &lying, &c, AP_PATCH_TOLERANCE, &patch));
  CHECK_EQ_INT(patch.n, 2);
  CHECK_CLOSE(fabs(patch.point[0][0] - patch.point[1][0]), 2, 1e-8);
  // A tin stands on the box, and lies on it.
  CHECK_OK(ap_convex_cylinder(0.5, 3, &tin, NULL));
  const ap_pose standing = at(0, 0, 2.5);
  CHECK_OK(ap_convex_distance(&box, &here, &tin, &standing, &c));
  CHECK_CLOSE(c.distance, 0, 1e-14);
  CHECK_OK(ap_contact_patch(&box, &here, &tin, &standing, &c, AP_PATCH_TOLERANCE, &patch));
  CHECK_EQ_INT(patch.n, 4);
  lying.p[0] = 0;
  lying.p[2] = 1.5;
  CHECK_OK(ap_convex_distance(&box, &here, &tin, &lying, &c));
  CHECK_CLOSE(c.distance, 0, 1e-14);
  CHECK_OK(ap_contact_patch(&box, &here, &tin, &lying, &c, AP_PATCH_TOLERANCE, &patch));
  CHECK_EQ_INT(patch.n, 2);
  CHECK_CLOSE(fabs(patch.point[0][0] - patch.point[1][0]), 2, 1e-8);
}

// A cylinder lies between prisms with 64 sides inside and around it; with spheres and half-spaces
// the value is known.
TEST(cylinders_are_between_prisms) {
  const double pi = 3.14159265358979323846;
  double widest = 0;
  for (int i = 0; i < 200; i++) {
    rng r = rng_seed(9000000u + (uint64_t)i);
    test_context("cylinder %d", i);
    const double radius = rng_uniform(&r, 0.1, 1), length = rng_uniform(&r, 0.1, 2);
    double in[128][3], out[128][3];
    for (int k = 0; k < 128; k++) {
      const double angle = k / 2 * pi / 32, z = k & 1 ? length / 2 : -length / 2;
      const double x[3] = {radius * cos(angle), radius * sin(angle), z};
      for (int m = 0; m < 3; m++) {
        in[k][m] = x[m];
        out[k][m] = m < 2 ? x[m] / cos(pi / 64) : z;
      }
    }
    ap_hull *inner, *outer;
    ap_convex tin;
    CHECK_OK(ap_convex_cylinder(radius, length, &tin, NULL));
    if (!CHECK_OK(ap_hull_make(in[0], 128, &inner, NULL)) ||
        !CHECK_OK(ap_hull_make(out[0], 128, &outer, NULL)))
      return;
    const ap_convex low = ap_convex_of_hull(outer), high = ap_convex_of_hull(inner);
    sample b = draw(&r, 1, 1);
    if (i % 4 == 0) b.shape = tin;
    ap_pose pa, pb;
    ap_closest c, least, most;
    turn(&r, i % 5 == 0, pa.R);
    turn(&r, i % 5 == 0, pb.R);
    for (int k = 0; k < 3; k++) {
      pa.p[k] = 0;
      pb.p[k] = rng_uniform(&r, -1.5, 1.5);
    }
    CHECK_OK(ap_convex_distance(&tin, &pa, &b.shape, &pb, &c));
    CHECK_OK(ap_convex_distance(&low, &pa, i % 4 ? &b.shape : &low, &pb, &least));
    CHECK_OK(ap_convex_distance(&high, &pa, i % 4 ? &b.shape : &high, &pb, &most));
    CHECK(c.distance >= least.distance - c.error);
    CHECK(c.distance <= most.distance + 1e-12);
    if (c.distance > 1e-6) CHECK(c.error <= 1e-8);
    widest = fmax(widest, c.error);
    ap_hull_free(inner);
    ap_hull_free(outer);
    ap_hull_free(b.hull);
  }
  printf("  largest error of a cylinder: %.2g m\n", widest);
  CHECK(widest < 1e-3);
}

// Random motions in small steps: the bound over the whole time is below the gap at each of them.
TEST(no_motion_falls_below_its_bound) {
  double tightest = INFINITY;
  for (int i = 0; i < 500; i++) {
    rng r = rng_seed(8000000u + (uint64_t)i);
    test_context("motion %d", i);
    sample a = draw(&r, 1, 1), b = draw(&r, 1, 1);
    ap_pose pa, pb;
    ap_closest c;
    ap_relative_motion motion = {.dv = 0};
    double bound, axis[3], rate = i % 3 ? rng_uniform(&r, 0, 5) : 0, dt = power(&r, -3, 0);
    turn(&r, false, pa.R);
    turn(&r, false, pb.R);
    for (int k = 0; k < 3; k++) {
      pa.p[k] = rng_uniform(&r, -1, 1);
      pb.p[k] = rng_uniform(&r, -3, 3);
      axis[k] = normal(&r);
    }
    unit(axis);
    double v[3], w[3];
    for (int k = 0; k < 3; k++) {
      v[k] = rng_uniform(&r, -2, 2);
      w[k] = rate * axis[k];
    }
    motion = ap_relative_motion_of(&pa, (double[3]){0}, (double[3]){0}, &pb, v, w);
    CHECK_OK(ap_convex_distance(&a.shape, &pa, &b.shape, &pb, &c));
    CHECK_OK(ap_closest_bound(&c, &pa, &b.shape, &pb, &motion, dt, &bound));
    for (int step = 1; step <= 20; step++) {
      const double t = dt * step / 20, angle = rate * t, s = sin(angle), h = 1 - cos(angle);
      const double *x = axis;
      const ap_pose turned = {{1 - h * (x[1] * x[1] + x[2] * x[2]), h * x[0] * x[1] - s * x[2],
                               h * x[0] * x[2] + s * x[1], h * x[0] * x[1] + s * x[2],
                               1 - h * (x[0] * x[0] + x[2] * x[2]), h * x[1] * x[2] - s * x[0],
                               h * x[0] * x[2] - s * x[1], h * x[1] * x[2] + s * x[0],
                               1 - h * (x[0] * x[0] + x[1] * x[1])},
                              {0}};
      ap_pose now = ap_pose_compose(&turned, &pb);
      ap_closest later;
      for (int k = 0; k < 3; k++) now.p[k] = pb.p[k] + t * v[k];
      CHECK_OK(ap_convex_distance(&a.shape, &pa, &b.shape, &now, &later));
      CHECK(later.distance + later.error >= bound);
      if (rate == 0) tightest = fmin(tightest, later.distance - bound);
    }
    ap_hull_free(a.hull);
    ap_hull_free(b.hull);
  }
  CHECK(tightest < 1e-10); // a translation along the normal is followed exactly
}

// ---- what is refused ---------------------------------------------------------------------------

TEST(bad_shapes_get_one_line) {
  static const struct {
    int n;
    double point[12];
    const char *says;
  } bad[] = {{3, {0, 0, 0, 1, 0, 0, 0, 1, 0}, "3 points (a hull needs four)"},
             {4, {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, "at one place"},
             {4, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, "on one line"},
             {4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, "in one plane"},
             {4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-14}, "in one plane within"},
             {4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN}, "point 3 has the coordinate nan"},
             {4, {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1e9}, "point 3 has the coordinate 1e+09"}};
  ap_error error;
  ap_hull *hull;
  ap_convex shape;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK_STATUS(ap_hull_make(bad[i].point, bad[i].n, &hull, &error), AP_E_ARG);
    CHECK_HAS(error.text, bad[i].says);
    CHECK_EQ_INT(error.status, AP_E_ARG);
    CHECK(!hull);
  }
  CHECK_STATUS(ap_convex_sphere(0, &shape, &error), AP_E_ARG);
  CHECK_STR(error.text, "sphere: radius 0 m (a number from 1e-13 to 1e+08)");
  CHECK_STATUS(ap_convex_capsule(-1, 1, &shape, &error), AP_E_ARG);
  CHECK_STATUS(ap_convex_capsule(1, NAN, &shape, &error), AP_E_ARG);
  CHECK_STATUS(ap_convex_cylinder(1, 0, &shape, &error), AP_E_ARG);
  CHECK_STATUS(ap_convex_box((double[]){1, INFINITY, 1}, &shape, &error), AP_E_ARG);
  CHECK_OK(ap_convex_capsule(1, 0, &shape, NULL));
  ap_pose bad_pose = ap_pose_identity();
  ap_closest c;
  bad_pose.R[4] = NAN;
  CHECK_STATUS(ap_convex_distance(&shape, &bad_pose, &shape, &bad_pose, &c), AP_E_ARG);
}

TEST(a_cube_of_points_has_six_faces) {
  double point[27][3];
  ap_hull *hull;
  int corners, edges, faces, corner[2], face[2];
  double n[3], offset;
  for (int i = 0; i < 27; i++)
    for (int k = 0; k < 3; k++) point[i][k] = (i / (k == 0 ? 1 : k == 1 ? 3 : 9)) % 3 - 1;
  if (!CHECK_OK(ap_hull_make(point[0], 27, &hull, NULL))) return;
  ap_hull_counts(hull, &corners, &edges, &faces);
  CHECK_EQ_INT(corners, 8);
  CHECK_EQ_INT(edges, 12);
  CHECK_EQ_INT(faces, 6);
  for (int i = 0; i < faces; i++) {
    CHECK_OK(ap_hull_face(hull, i, n, &offset));
    CHECK_CLOSE(offset, 1, 1e-15);
  }
  CHECK_OK(ap_hull_edge(hull, 11, corner, face));
  CHECK(face[0] != face[1]);
  CHECK_STATUS(ap_hull_edge(hull, 12, corner, face), AP_E_ARG);
  CHECK(!ap_hull_corner(hull, 8));
  ap_hull_free(hull);
}
