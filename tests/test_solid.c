// SPDX-License-Identifier: Apache-2.0
// What meshes and simple shapes weigh: closed formulas, random points, numbers of MuJoCo 3.14.

#include <math.h>

#include "file/solid.h"
#include "num/eigen3.h"
#include "rng.h"
#include "test.h"

static const double pi = 3.14159265358979323846, one[3] = {1, 1, 1};

static ap__mesh mesh_of(const char *obj) {
  ap__mesh m;
  ap_error error = {0};
  CHECK_OK(ap__mesh_read(&m, "obj", obj, strlen(obj), &error));
  return m;
}

static void check_solid(const ap__solid *got, const ap__solid *want, double bound) {
  const double size = fabs(want->mass), length = cbrt(size);
  CHECK_CLOSE(got->mass, want->mass, bound * size);
  CHECK_WITHIN(got->com, want->com, 3, bound * (length + fabs(want->com[0])));
  CHECK_WITHIN(got->inertia, want->inertia, 6, bound * size * length * length);
}

// ---- exactly -----------------------------------------------------------------------------------

#define BOX                                                                              \
  "v -1 -2 -3\nv 1 -2 -3\nv 1 2 -3\nv -1 2 -3\nv -1 -2 3\nv 1 -2 3\nv 1 2 3\nv -1 2 3\n" \
  "f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\nf 4 3 2 1\n"

TEST(a_box_of_triangles_is_a_box) {
  ap__mesh m = mesh_of(BOX);
  const double scale[][3] = {{1, 1, 1}, {0.5, 3, 0.25}, {-1, 1, 2}, {-1, -2, -3}};
  for (int i = 0; i < 4; i++) {
    const double *s = scale[i];
    const double half[3] = {fabs(s[0]), 2 * fabs(s[1]), 3 * fabs(s[2])};
    const ap__solid box = ap__simple_solid(AP__BOX, half, false), got = ap__mesh_solid(&m, s);
    check_solid(&got, &box, 1e-14);
    CHECK_CLOSE(got.mass, 8 * half[0] * half[1] * half[2], 1e-12);
  }
  ap__mesh_free(&m);
}

// The covariance of a tetrahedron is (sum of v v^T) / 20 about its centre.
TEST(a_tetrahedron_far_from_the_origin_has_its_own_formula) {
  const double v[4][3] = {{10, 20, 30}, {11, 20, 30.5}, {10, 23, 30}, {9, 20.5, 32}};
  ap__mesh m = {0};
  ap__solid want = {.mass = 0};
  double P[3][3] = {{0}};
  for (int i = 0; i < 4; i++) {
    CHECK(ap__mesh_add_vertex(&m, v[i]));
    for (int k = 0; k < 3; k++) want.com[k] += v[i][k] / 4;
  }
  CHECK(ap__mesh_add_face(&m, 0, 2, 1) && ap__mesh_add_face(&m, 0, 1, 3) &&
        ap__mesh_add_face(&m, 0, 3, 2) && ap__mesh_add_face(&m, 1, 2, 3));
  want.mass = (1 * (3 * 2 - 0 * 0.5) - 0 + 0.5 * (0 * 0.5 - 3 * -1)) / 6;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 9; k++)
      P[k / 3][k % 3] +=
          want.mass / 20 * (v[i][k / 3] - want.com[k / 3]) * (v[i][k % 3] - want.com[k % 3]);
  const double I[6] = {P[1][1] + P[2][2], -P[0][1], -P[0][2],
                       P[0][0] + P[2][2], -P[1][2], P[0][0] + P[1][1]};
  memcpy(want.inertia, I, sizeof I);
  const ap__solid got = ap__mesh_solid(&m, one);
  check_solid(&got, &want, 1e-13);
  // Inside out it is negative.
  for (int f = 0; f < 4; f++) {
    const int t = m.face[3 * f];
    m.face[3 * f] = m.face[3 * f + 1];
    m.face[3 * f + 1] = t;
  }
  CHECK_CLOSE(ap__mesh_solid(&m, one).mass, -want.mass, 1e-13);
  ap__mesh_free(&m);
}

// A sphere of n rows of triangles.
static ap__mesh sphere(int n) {
  ap__mesh m = {0};
  for (int i = 0; i <= n; i++)
    for (int k = 0; k < 2 * n; k++) {
      const double a = pi * i / n, b = pi * k / n;
      CHECK(ap__mesh_add_vertex(&m, (double[]){sin(a) * cos(b), sin(a) * sin(b), cos(a)}));
    }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 2 * n; k++) {
      const int a = 2 * n * i + k, b = 2 * n * i + (k + 1) % (2 * n);
      CHECK(ap__mesh_add_face(&m, a, a + 2 * n, b) &&
            ap__mesh_add_face(&m, b, a + 2 * n, b + 2 * n));
    }
  return m;
}

TEST(spheres_of_triangles_come_near_with_the_square_of_the_edge) {
  const ap__solid ball = ap__simple_solid(AP__SPHERE, one, false);
  double error[3];
  for (int i = 0; i < 3; i++) {
    ap__mesh m = sphere(20 << i);
    const ap__solid s = ap__mesh_solid(&m, one);
    error[i] = 1 - s.inertia[0] / ball.inertia[0];
    ap__mesh_free(&m);
  }
  CHECK(error[2] > 0 && error[2] < 4e-3);
  CHECK_CLOSE(error[0] / error[1], 4, 0.05);
  CHECK_CLOSE(error[1] / error[2], 4, 0.02);
}

// ---- by random points --------------------------------------------------------------------------

static bool is_in(ap__simple shape, const double s[3], const double p[3]) {
  const double across = p[0] * p[0] + p[1] * p[1], out = fmax(fabs(p[2]) - s[1], 0);
  switch (shape) {
    case AP__SPHERE: return across + p[2] * p[2] < s[0] * s[0];
    case AP__CAPSULE: return across + out * out < s[0] * s[0];
    case AP__CYLINDER: return across < s[0] * s[0] && fabs(p[2]) < s[1];
    case AP__ELLIPSOID:
      return p[0] * p[0] / (s[0] * s[0]) + p[1] * p[1] / (s[1] * s[1]) +
                 p[2] * p[2] / (s[2] * s[2]) <
             1;
    case AP__BOX: break;
  }
  return fabs(p[0]) < s[0] && fabs(p[1]) < s[1] && fabs(p[2]) < s[2];
}

// 400000 points in a cube of side 2: the volume is right to 8 sqrt(p (1 - p) / n), below 0.007.
TEST(random_points_in_simple_shapes_weigh_the_same) {
  rng r = rng_seed(17);
  const double size[3] = {0.4, 0.5, 0.6};
  for (int shape = AP__SPHERE; shape <= AP__BOX; shape++) {
    ap__solid sum = {.mass = 0};
    for (int i = 0; i < 400000; i++) {
      const double p[3] = {rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1), rng_uniform(&r, -1, 1)};
      if (!is_in((ap__simple)shape, size, p)) continue;
      const double w = 8 / 4e5;
      sum.mass += w;
      sum.inertia[0] += w * (p[1] * p[1] + p[2] * p[2]);
      sum.inertia[3] += w * (p[0] * p[0] + p[2] * p[2]);
      sum.inertia[5] += w * (p[0] * p[0] + p[1] * p[1]);
    }
    const ap__solid got = ap__simple_solid((ap__simple)shape, size, false);
    CHECK_CLOSE(got.mass, sum.mass, 0.02);
    CHECK_WITHIN(got.inertia, sum.inertia, 6, 0.01);
  }
}

// A shell is what a solid gains where its surface moves out: (solid(s + e) - solid(s - e)) / 2e. An
// ellipsoid's does not move out evenly: MuJoCo's layer does not either, so that its inertia per
// mass is compared.
TEST(shells_are_derivatives_of_solids) {
  const double size[3] = {0.4, 0.5, 0.6}, e = 1e-5;
  for (int shape = AP__SPHERE; shape <= AP__BOX; shape++) {
    const bool round = shape == AP__CAPSULE; // grows by its radius alone
    double in[3], out[3];
    for (int k = 0; k < 3; k++) {
      in[k] = size[k] - (round && k == 1 ? 0 : e);
      out[k] = size[k] + (round && k == 1 ? 0 : e);
    }
    const ap__solid a = ap__simple_solid((ap__simple)shape, in, false);
    ap__solid b = ap__simple_solid((ap__simple)shape, out, false);
    const ap__solid shell = ap__simple_solid((ap__simple)shape, size, true);
    b.mass = (b.mass - a.mass) / (2 * e);
    for (int k = 0; k < 6; k++) b.inertia[k] = (b.inertia[k] - a.inertia[k]) / (2 * e);
    if (shape == AP__ELLIPSOID) {
      CHECK_CLOSE(shell.mass, 3.125275338247298, 0.034); // Thomsen: within 1.1 %
      ap__solid_scale(&b, shell.mass / b.mass);
      CHECK_WITHIN(shell.inertia, b.inertia, 6, 1e-5);
      continue;
    }
    CHECK_CLOSE(shell.mass, b.mass, 1e-8);
    CHECK_WITHIN(shell.inertia, b.inertia, 6, 1e-8);
  }
}

TEST(bodies_put_together_are_one_body) {
  const double half[3] = {0.5, 0.25, 0.2}, whole[3] = {1, 0.25, 0.2},
               R[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
  const double turned[3] = {0.25, 0.5, 0.2};
  ap__solid left = ap__simple_solid(AP__BOX, half, false);
  ap__solid right = ap__simple_solid(AP__BOX, turned, false);
  const ap__solid want = ap__simple_solid(AP__BOX, whole, false);
  left.com[0] = -0.5;
  ap__solid_move(&right, R, (double[]){0.5, 0, 0});
  ap__solid_add(&left, &right);
  check_solid(&left, &want, 1e-15);
  ap__solid nothing = {.mass = 0};
  ap__solid_add(&left, &nothing);
  check_solid(&left, &want, 1e-15);
}

// ---- MuJoCo ------------------------------------------------------------------------------------

// A house with a notch in its long side and a sloping roof.
static const char house[] =
    "o house\n"
    "v 0 0 0\n"
    "v 2 0 0\n"
    "v 2 1 0\n"
    "v 1.25 1 0\n"
    "v 1.25 0.5 0\n"
    "v 0.75 0.5 0\n"
    "v 0.75 1 0\n"
    "v 0 1 0\n"
    "v 0 0 1\n"
    "v 2 0 1.5\n"
    "v 2 1 1.5\n"
    "v 1.25 1 1.3125\n"
    "v 1.25 0.5 1.3125\n"
    "v 0.75 0.5 1.1875\n"
    "v 0.75 1 1.1875\n"
    "v 0 1 1\n"
    "f 8 7 6 1\n"
    "f 6 5 2 1\n"
    "f 5 4 3 2\n"
    "f 9 10 13 14\n"
    "f 10 11 12 13\n"
    "f 9 14 15 16\n"
    "f 1 2 10 9\n"
    "f 2 3 11 10\n"
    "f 3 4 12 11\n"
    "f 4 5 13 12\n"
    "f 5 6 14 13\n"
    "f 6 7 15 14\n"
    "f 7 8 16 15\n"
    "f 8 1 9 16\n";

// Read with scale, refpos="0.1 -0.2 0.05" refquat="0.5 0.1 -0.7 0.2" by MuJoCo 3.14: mass of
// density 1, mesh_pos, mesh_quat, body_inertia, and geom_size of fitted spheres, capsules,
// ellipsoids, cylinders and boxes by the box of inertia and by the bounding box, and where the
// latter are.
static const struct {
  ap__mesh_rule rule;
  double scale[3], mass, pos[3], quat[4], moment[3], by_inertia[5][3], by_bounds[5][3], place[3];
} mujoco[] = {
    {AP__MESH_LEGACY,
     {1, 1, 1},
     2.3930459766662415,
     {0.26792794843848683, 0.047680621620825508, -1.2915155149053157},
     {0.72272334116382686, -0.12712749257155254, 0.21856584684406866, 0.64322511095478963},
     {1.1500233100159558, 1.0357626438800658, 0.49752128584375721},
     {{0.71269800296543251, 0, 0},
      {0.55469506898984977, 0.75135633642167343, 0},
      {0.49013668254285309, 0.61925345543684640, 1.0287038709165983},
      {0.55469506898984977, 1.0287038709165983, 0},
      {0.49013668254285309, 0.61925345543684640, 1.0287038709165983}},
     {{1.1279958365252547, 0, 0},
      {0.73597781463299694, 0.39201802189225776, 0},
      {0.50215947895883273, 0.73597781463299694, 1.1279958365252547},
      {0.73597781463299694, 1.1279958365252547, 0},
      {0.50215947895883273, 0.73597781463299694, 1.1279958365252547}},
     {0.20909357217585184, 0.091816236524545819, -1.2556383863189193}},
    {AP__MESH_LEGACY,
     {0.5, -2, 0.75},
     1.7947720607800410,
     {0.13399225035569876, -0.095184404556816579, -0.96897666755373424},
     {0.81853204767281607, 0.57220747104915548, 0.039234066771928519, -0.032320040417890869},
     {1.2974526785162854, 1.1720839314878677, 0.24054243102265216},
     {{0.74271397332574640, 0, 0},
      {0.43162942538162341, 1.1490683565231810, 0},
      {0.31025415664840916, 0.55300469411483766, 1.3648830692139926},
      {0.43162942538162341, 1.3648830692139926, 0},
      {0.31025415664840916, 0.55300469411483766, 1.3648830692139926}},
     {{2.1492794785103531, 0, 0},
      {0.78101467406555947, 1.3682648044447936, 0},
      {0.40598995706518715, 0.78101467406555947, 2.1492794785103531},
      {0.78101467406555947, 2.1492794785103531, 0},
      {0.40598995706518715, 0.78101467406555947, 2.1492794785103531}},
     {0.087353364190237023, -0.12956824550878082, -0.94823920744876455}},
    {AP__MESH_EXACT,
     {1, 1, 1},
     2.1875000000000000,
     {0.26447973176612410, 0.027156796262808713, -1.2899440551537062},
     {0.72458556506054994, -0.12370512173348260, 0.21735697005960458, 0.64220615796588087},
     {1.1248451512603534, 1.0136094827930096, 0.47013986677594088},
     {{0.73235238831583638, 0, 0},
      {0.56374187990201152, 0.78770246519248044, 0},
      {0.49609045141288277, 0.63139330839114038, 1.0695734051434862},
      {0.56374187990201152, 1.0695734051434862, 0},
      {0.49609045141288277, 0.63139330839114038, 1.0695734051434862}},
     {{1.1289804207302032, 0, 0},
      {0.73792806411976497, 0.39105235661043825, 0},
      {0.50990314779677304, 0.73792806411976497, 1.1289804207302032},
      {0.73792806411976497, 1.1289804207302032, 0},
      {0.50990314779677304, 0.73792806411976497, 1.1289804207302032}},
     {0.21341545981281868, 0.091755371303412533, -1.2554194541421317}},
    {AP__MESH_EXACT,
     {0.5, -2, 0.75},
     1.6406249999999991,
     {0.13223986588306214, -0.054313592525617460, -0.96745804136528013},
     {0.82240146625373722, 0.56640255214556390, 0.041112003287964029, -0.033967343321882677},
     {1.2478664167597069, 1.1264930203697456, 0.23080092134364735},
     {{0.76122699310211983, 0, 0},
      {0.44187175308017190, 1.1790015966059297, 0},
      {0.31630368764021499, 0.56743981852012881, 1.3999374731460157},
      {0.44187175308017190, 1.3999374731460157, 0},
      {0.31630368764021499, 0.56743981852012881, 1.3999374731460157}},
     {{2.1465726596722989, 0, 0},
      {0.78212678160558680, 1.3644458780667121, 0},
      {0.40809303176324302, 0.78212678160558680, 2.1465726596722989},
      {0.78212678160558680, 2.1465726596722989, 0},
      {0.40809303176324302, 0.78212678160558680, 2.1465726596722989}},
     {0.089187868710904533, -0.13030862408796948, -0.95000844054182576}},
    {AP__MESH_CONVEX,
     {1, 1, 1},
     2.4999999999999987,
     {0.26919831223628704, 0.062447257383966046, -1.2993670886075948},
     {0.72165929902187709, -0.13108218675469394, 0.21621626438712668, 0.64441899682220583},
     {1.1736111111111112, 1.0520129408080787, 0.53826483696969862},
     {{0.71180287059985436, 0, 0},
      {0.56460999839628379, 0.72388361580885330, 0},
      {0.50000000000000000, 0.62921999679256757, 1.0061886150069952},
      {0.56460999839628379, 1.0061886150069952, 0},
      {0.50000000000000000, 0.62921999679256757, 1.0061886150069952}},
     {{1.1321702304355998, 0, 0},
      {0.73417056995398222, 0.39799966048161761, 0},
      {0.50000000007649004, 0.73417056995398222, 1.1321702304355998},
      {0.73417056995398222, 1.1321702304355998, 0},
      {0.50000000007649004, 0.73417056995398222, 1.1321702304355998}},
     {0.19959813566068729, 0.092163677028818336, -1.2563978281854575}},
    {AP__MESH_SHELL,
     {1, 1, 1},
     12.303858711207726,
     {0.27045342941056194, 0.051743557454128071, -1.2971586774196504},
     {0.72127114372139134, -0.13819333326812111, 0.20808222416058536, 0.64604359594648686},
     {8.2307484748599773, 7.3905543296815184, 4.2423128197798015},
     {{0.86966549554562611, 0, 0},
      {0.71559109793439868, 0.82001874180088152, 0},
      {0.64402049931817085, 0.78716169655062651, 1.1778142907680809},
      {0.71559109793439868, 1.1778142907680809, 0},
      {0.64402049931817085, 0.78716169655062651, 1.1778142907680809}},
     {{1.1447255006631512, 0, 0},
      {0.73189184321596001, 0.41283365744719114, 0},
      {0.50412028485342208, 0.73189184321596001, 1.1447255006631512},
      {0.73189184321596001, 1.1447255006631512, 0},
      {0.50412028485342208, 0.73189184321596001, 1.1447255006631512}},
     {0.17819693454688221, 0.092826659380542909, -1.2588117268331789}},
    {AP__MESH_SHELL,
     {0.5, -2, 0.75},
     11.883242174426208,
     {0.13959942092991887, -0.11808792957172350, -0.97005858636477915},
     {0.81308790895694238, 0.58028247234207042, 0.028942409857431899, -0.036368138696483886},
     {12.091398642285951, 11.088582609566840, 2.4359020113829302},
     {{0.90077574465326649, 0, 0},
      {0.54207658332249720, 1.3471357756535565, 0},
      {0.42531850534603866, 0.65883466129895585, 1.6181740673148051},
      {0.54207658332249720, 1.6181740673148051, 0},
      {0.42531850534603866, 0.65883466129895585, 1.6181740673148051}},
     {{2.1560714164341932, 0, 0},
      {0.77962910744552749, 1.3764423089886657, 0},
      {0.42977255461902453, 0.77962910744552749, 2.1560714164341932},
      {0.77962910744552749, 2.1560714164341932, 0},
      {0.42977255461902453, 0.77962910744552749, 2.1560714164341932}},
     {0.082945006466340399, -0.12636451590058598, -0.94624886808120667}},
};

static ap__mesh_use use_of(ap__mesh_rule rule, const double scale[3]) {
  ap__mesh_use use = {rule, {1, 1, 1}, {0.1, -0.2, 0.05}, {0.5, 0.1, -0.7, 0.2}};
  memcpy(use.scale, scale, sizeof use.scale);
  return use;
}

static void check_fit(const ap__mesh_compiled *c, bool aabb, const double want[5][3],
                      const double place[3]) {
  static const int sizes[5] = {1, 2, 3, 2, 3};
  for (int k = 0; k < 5; k++) {
    double size[3], pos[3], quat[4];
    ap__mesh_fit(c, (ap__simple)k, aabb, 1, size, pos, quat);
    CHECK_WITHIN(size, want[k], sizes[k], 1e-12);
    CHECK_WITHIN(pos, place, 3, 1e-12);
    ap__mesh_fit(c, (ap__simple)k, aabb, 2.5, size, pos, quat);
    CHECK_CLOSE(size[0], 2.5 * want[k][0], 1e-12);
  }
}

TEST(every_rule_gives_what_mujoco_gives) {
  ap__mesh m = mesh_of(house);
  for (size_t i = 0; i < sizeof mujoco / sizeof mujoco[0]; i++) {
    const ap__mesh_use use = use_of(mujoco[i].rule, mujoco[i].scale);
    ap__mesh_compiled c;
    ap_error error = {0};
    CHECK_OK(ap__mesh_compile(&m, &use, &c, &error));
    CHECK_CLOSE(c.volume, mujoco[i].mass, 1e-12);
    CHECK_WITHIN(c.pos, mujoco[i].pos, 3, 1e-12);
    const double sign = c.quat[0] * mujoco[i].quat[0] < 0 ? -1 : 1;
    for (int k = 0; k < 4; k++) CHECK_CLOSE(sign * c.quat[k], mujoco[i].quat[k], 1e-12);
    const ap__solid s = ap__compiled_solid(&c);
    double moment[3];
    ap__eigen3(s.inertia, moment);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(moment[2 - k], mujoco[i].moment[k], 1e-11);
    check_fit(&c, false, mujoco[i].by_inertia, mujoco[i].pos);
    check_fit(&c, true, mujoco[i].by_bounds, mujoco[i].place);
  }
  ap__mesh_free(&m);
}

// The same house with octagons below and above, of which MuJoCo's reader loses some triangles.
TEST(polygons_are_cut_with_the_mistakes_of_mujoco) {
  char text[1000];
  const char *faces = strstr(house, "f 8 7 6 1"), *walls = strstr(house, "f 1 2 10 9");
  snprintf(text, sizeof text, "%.*sf 8 7 6 5 4 3 2 1\nf 9 10 11 12 13 14 15 16\n%s",
           (int)(faces - house), house, walls);
  ap__mesh m = mesh_of(text);
  static const double mass[] = {2.3259008458999553, 2.1198363735122174, 2.4999999999999991,
                                11.991358711207726};
  for (int rule = AP__MESH_LEGACY; rule <= AP__MESH_SHELL; rule++) {
    const ap__mesh_use use = use_of((ap__mesh_rule)rule, one);
    ap__mesh_compiled c;
    ap_error error = {0};
    CHECK_OK(ap__mesh_compile(&m, &use, &c, &error));
    CHECK_CLOSE(c.volume, mass[rule], 1e-13);
  }
  CHECK_EQ_INT(m.nface, 28);
  CHECK_EQ_INT(m.nmujoco, 26);
  CHECK_CLOSE(ap__mesh_solid(&m, one).mass, 2.1875, 1e-14); // what is right
  ap__mesh_free(&m);
}

// MuJoCo refuses a mirrored mesh with the rule "convex"; its hull weighs the same as that of the
// mirrored points.
TEST(a_mirrored_hull_is_the_hull_of_the_mirrored_points) {
  ap__mesh m = mesh_of(house), n = {0};
  ap__mesh_compiled a, b;
  ap_error error = {0};
  ap__mesh_use use = ap__default_mesh_use();
  use.rule = AP__MESH_CONVEX;
  for (int i = 0; i < m.nvertex; i++) {
    const double *v = m.vertex + 3 * i;
    CHECK(ap__mesh_add_vertex(&n, (double[]){v[0] * 0.5, v[1] * -2, v[2] * 0.75}));
  }
  CHECK_OK(ap__mesh_compile(&n, &use, &b, &error)); // points alone
  memcpy(use.scale, (double[]){0.5, -2, 0.75}, sizeof use.scale);
  CHECK_OK(ap__mesh_compile(&m, &use, &a, &error));
  CHECK_CLOSE(a.volume, b.volume, 1e-14);
  CHECK_WITHIN(a.pos, b.pos, 3, 1e-14);
  CHECK_WITHIN(a.box, b.box, 3, 1e-14);
  ap__mesh_free(&m);
  ap__mesh_free(&n);
}

TEST(what_mujoco_refuses_is_refused) {
  static const struct {
    ap__mesh_rule rule;
    const char *obj, *says;
  } bad[] = {
      {AP__MESH_LEGACY, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "3 vertices"},
      {AP__MESH_LEGACY, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n", "volume is below"},
      {AP__MESH_SHELL, "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\n", "area is below"},
      {AP__MESH_CONVEX, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n", "in one plane"},
      {AP__MESH_EXACT, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n", "oriented"},
      {AP__MESH_EXACT, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n",
       "negative"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ap__mesh m = mesh_of(bad[i].obj);
    ap__mesh_use use = ap__default_mesh_use();
    ap__mesh_compiled c;
    ap_error error = {0};
    use.rule = bad[i].rule;
    CHECK_STATUS(ap__mesh_compile(&m, &use, &c, &error), AP_E_UNSUPPORTED);
    CHECK_HAS(error.text, bad[i].says);
    use.scale[1] = NAN;
    CHECK_STATUS(ap__mesh_compile(&m, &use, &c, &error), AP_E_UNSUPPORTED);
    ap__mesh_free(&m);
  }
}
