// SPDX-License-Identifier: Apache-2.0
// Delta robots in closed form: the general recipe as oracle for any geometry and every branch, both
// directions of kinematics, limits.

#include "test.h"

#include <appell/delta.h>

#include "closed_form.h"

static _Alignas(16) unsigned char memory[8192];

enum { BRANCHES = 8 };

static const ap_parallel *make(const ap_delta_def *def) {
  ap_error error;
  const ap_parallel *d = ap_delta_init(def, memory, sizeof memory, &error);
  if (!d) printf("%s\n", error.text);
  CHECK(d != NULL);
  return d;
}

// ---- robots of any geometry --------------------------------------------------------------------

// A few point masses, so that no entry of the inertia is zero.
static ap_parallel_link random_rod(rng *r, double length) {
  enum { POINTS = 4 };
  double m[POINTS], p[POINTS][3];
  ap_parallel_link rod = {0};
  for (int n = 0; n < POINTS; n++) {
    m[n] = rng_uniform(r, 0.02, 0.1);
    p[n][0] = rng_uniform(r, 0, length);
    p[n][1] = rng_uniform(r, -0.1, 0.1), p[n][2] = rng_uniform(r, -0.1, 0.1);
    rod.mass += m[n];
    for (int k = 0; k < 3; k++) rod.com[k] += m[n] * p[n][k];
  }
  for (int k = 0; k < 3; k++) rod.com[k] /= rod.mass;
  for (int n = 0; n < POINTS; n++) {
    const double x = p[n][0] - rod.com[0], y = p[n][1] - rod.com[1], z = p[n][2] - rod.com[2];
    const double I[6] = {y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y};
    for (int k = 0; k < 6; k++) rod.inertia[k] += m[n] * I[k];
  }
  return rod;
}

static ap_delta_def random_robot(rng *r) {
  ap_delta_def def = ap_default_delta();
  for (int i = 0; i < 3; i++) {
    ap_delta_limb *l = &def.limb[i];
    l->angle += rng_uniform(r, -0.4, 0.4);
    l->base = rng_uniform(r, 0.1, 0.3);
    l->platform = rng_uniform(r, 0.03, 0.1);
    l->arm_length = rng_uniform(r, 0.3, 0.6);
    l->rod_length = rng_uniform(r, 0.8, 1.3);
    l->branch = rng_chance(r, 0.5) ? 1 : -1;
    l->arm = (ap_parallel_link){.mass = rng_uniform(r, 0.2, 2)};
    l->arm.inertia[0] = l->arm.inertia[3] = l->arm.inertia[5] = rng_uniform(r, 0, 0.1);
    for (int k = 0; k < 3; k++) l->arm.com[k] = rng_uniform(r, -0.1, 0.3);
    l->rod = random_rod(r, l->rod_length);
    l->rotor = rng_chance(r, 0.5) ? 0 : rng_uniform(r, 0, 0.1);
    def.gravity[i] = rng_uniform(r, -10, 10);
  }
  def.platform = rng_chance(r, 0.2) ? 0 : rng_uniform(r, 0, 2);
  return def;
}

// ---- the general recipe ------------------------------------------------------------------------

static const char *const limb_names[3][5] = {{"arm0", "knee0", "rods0", "ball0", "level0"},
                                             {"arm1", "knee1", "rods1", "ball1", "level1"},
                                             {"arm2", "knee2", "rods2", "ball2", "level2"}};

static void limb_bodies(const ap_delta_limb *l, int i, ap_body_def body[3]) {
  for (int k = 0; k < 3; k++) {
    body[k] = ap_default_body();
    body[k].name = limb_names[i][k];
    body[k].joint = AP_REVOLUTE;
    body[k].parent = k == 0 ? 0 : 3 * i + k;
    if (k < 2) body[k].axis[1] = 1, body[k].axis[2] = 0;
  }
  body[0].place.xyz[0] = l->base * cos(l->angle), body[0].place.xyz[1] = l->base * sin(l->angle);
  body[0].place.rpy[2] = l->angle;
  body[0].mass = l->arm.mass;
  memcpy(body[0].com, l->arm.com, sizeof body[0].com);
  memcpy(body[0].inertia, l->arm.inertia, sizeof body[0].inertia);
  body[0].rotor_inertia = l->rotor;
  body[1].place.xyz[0] = l->arm_length;
  body[2].mass = 2 * l->rod.mass;
  memcpy(body[2].com, l->rod.com, sizeof body[2].com);
  for (int k = 0; k < 6; k++) body[2].inertia[k] = 2 * l->rod.inertia[k];
}

// The rods' end in the platform, and the motor's axis parallel to that of the platform.
static void limb_closures(const ap_delta_limb *l, int i, ap_closure_def c[2]) {
  const double x = cos(l->angle), y = sin(l->angle);
  c[0] = c[1] = ap_default_closure();
  c[0].name = limb_names[i][3], c[0].body[0] = 3 * i + 3, c[0].body[1] = 10;
  c[0].at[0][0] = l->rod_length, c[0].at[1][0] = x * l->platform, c[0].at[1][1] = y * l->platform;
  c[1].name = limb_names[i][4], c[1].kind = AP_CLOSE_AXIS;
  c[1].body[0] = 3 * i + 1, c[1].body[1] = 10;
  c[1].axis[0][1] = 1, c[1].axis[0][2] = 0;
  c[1].axis[1][0] = -y, c[1].axis[1][1] = x, c[1].axis[1][2] = 0;
}

// The same robot as a tree with closures; rotors take part as friction does.
static rig general(const ap_delta_def *def) {
  const int actuated[] = {1, 4, 7};
  const ap_coordinate_def s[] = {{"x", AP_COORDINATE_POSITION, 10, {0, 0, 0}, {1, 0, 0}},
                                 {"y", AP_COORDINATE_POSITION, 10, {0, 0, 0}, {0, 1, 0}},
                                 {"z", AP_COORDINATE_POSITION, 10, {0, 0, 0}, {0, 0, 1}}};
  ap_body_def body[10];
  ap_closure_def closure[6];
  for (int i = 0; i < 3; i++) {
    limb_bodies(&def->limb[i], i, body + 3 * i);
    limb_closures(&def->limb[i], i, closure + 2 * i);
  }
  body[9] = ap_default_body();
  body[9].name = "platform", body[9].joint = AP_FREE, body[9].mass = def->platform;
  body[9].inertia[0] = body[9].inertia[3] = body[9].inertia[5] = 1e-3; // it does not turn
  ap_robot_def tree = {.bodies = body, .nbody = COUNT(body), .cookie = AP_COOKIE};
  memcpy(tree.gravity, def->gravity, sizeof tree.gravity);
  rig r = rig_of(&(ap_mechanism_def){.robot = &tree,
                                     .closures = closure,
                                     .nclosure = COUNT(closure),
                                     .coordinates = s,
                                     .ncoordinate = COUNT(s),
                                     .actuated = actuated,
                                     .nactuated = COUNT(actuated)});
  if (r.l) ap_set_friction(ap_mechanism_tree(r.m), ap_loop_work(r.l), true);
  return r;
}

static closed_joints joints_of(const ap_parallel *d, const closed_form *c) {
  const closed_motion m = closed_inverse(d, c->q, c->v, c->a);
  const double *from[] = {m.y, m.yd, m.ydd};
  closed_joints j = {.nv = 9};
  double *to[] = {j.x, j.xd, j.xdd};
  for (int i = 0; i < 3; i++) {
    for (int n = 0; n < 3; n++) {
      to[n][3 * i] = from[n][i], to[n][3 * i + 1] = from[n][3 + i] - from[n][i];
      to[n][3 * i + 2] = from[n][6 + i];
    }
    j.x[9 + i] = c->q[i];
  }
  j.x[15] = 1;
  return j;
}

static bool regular(const ap_parallel *d, const double *q) {
  ap_parallel_margin m;
  if (ap_parallel_margins(d, q, &m) != AP_OK || m.sigma < 0.2) return false;
  for (int i = 0; i < 3; i++)
    if (fabs(m.serial[i]) < 0.2) return false;
  return true;
}

// A regular state of a random robot. False where none was found.
static bool random_state(rng *r, const ap_parallel *d, double *q, double *v, double *a) {
  for (int tries = 0; tries < 100; tries++) {
    q[0] = rng_uniform(r, -0.4, 0.4), q[1] = rng_uniform(r, -0.4, 0.4);
    q[2] = (rng_chance(r, 0.2) ? 1 : -1) * rng_uniform(r, 0.3, 1.3);
    for (int k = 0; k < 3; k++) v[k] = rng_uniform(r, -2, 2), a[k] = rng_uniform(r, -10, 10);
    if (regular(d, q)) return true;
  }
  return false;
}

TEST(any_geometry_is_as_by_the_general_recipe) {
  rng r = rng_seed(81);
  int seen[BRANCHES] = {0};
  for (int n = 0; n < 300; n++) {
    ap_delta_def def = random_robot(&r);
    const ap_parallel *d = make(&def);
    double q[3], v[3], a[3];
    if (!random_state(&r, d, q, v, a)) continue;
    test_context("robot %d", n);
    rig g = general(&def);
    closed_form c = closed_say(d, q, v, a);
    closed_joints j = joints_of(d, &c);
    CHECK_OK(ap_loop_set_guess(g.m, g.l, j.x));
    check_closed_form(&g, &c);
    check_closed_joints(&g, &c, &j);
    drop(&g);
    seen[(def.limb[0].branch < 0) + 2 * (def.limb[1].branch < 0) + 4 * (def.limb[2].branch < 0)]++;
  }
  for (int b = 0; b < BRANCHES; b++) CHECK(seen[b] >= 10);
}

// The branches are those that ap_mechanism_builtin_branch() starts on.
TEST(branches_of_the_built_in_one) {
  rng r = rng_seed(82);
  rig g = builtin("delta");
  for (int b = 0; g.m && b < BRANCHES; b++) {
    char branch[4] = "+++";
    ap_delta_def def = ap_default_delta();
    for (int i = 0; i < 3; i++)
      if (b >> i & 1) branch[i] = '-', def.limb[i].branch = -1;
    const ap_parallel *d = make(&def);
    test_context("branch %s", branch);
    for (int n = 0; n < 30; n++) {
      double q[3], v[3], a[3], x[16];
      for (int k = 0; k < 3; k++) {
        q[k] = (k == 2 ? -0.9 : 0) + rng_uniform(&r, -0.15, 0.15);
        v[k] = rng_uniform(&r, -1, 1), a[k] = rng_uniform(&r, -5, 5);
      }
      CHECK_OK(ap_mechanism_builtin_branch("delta", branch, x));
      CHECK_OK(ap_loop_set_guess(g.m, g.l, x));
      if (!regular(d, q)) continue;
      closed_form c = closed_say(d, q, v, a);
      check_closed_form(&g, &c);
    }
  }
  drop(&g);
}

// ---- both directions ---------------------------------------------------------------------------

TEST(motors_lead_back_to_the_platform) {
  rng r = rng_seed(83);
  int done = 0;
  for (int n = 0; n < 300; n++) {
    ap_delta_def def = random_robot(&r);
    const ap_parallel *d = make(&def);
    double q[3], v[3], a[3];
    ap_error error;
    closed_end end, other;
    if (!random_state(&r, d, q, v, a)) continue;
    test_context("robot %d", n);
    closed_motion m = closed_inverse(d, q, v, a);
    const int assembly = closed_margins(d, q, &error).parallel > 0 ? 1 : -1;
    CHECK_OK(closed_forward(d, &m, assembly, &end));
    CHECK_WITHIN(end.q, q, 3, 1e-13);
    CHECK_WITHIN(end.v, v, 3, 1e-12);
    CHECK_WITHIN(end.a, a, 3, 1e-11 * (1 + test_norm(m.ydd, 3)));
    for (int i = 0; i < 3; i++) CHECK_EQ_INT(end.branch[i], def.limb[i].branch);
    // The other place: the same angles on the branches that it names.
    closed_motion rest = {.y = {m.y[0], m.y[1], m.y[2]}};
    CHECK_OK(closed_forward(d, &rest, -assembly, &other));
    CHECK(other.v[0] == 0 && other.a[2] == 0);
    for (int i = 0; i < 3; i++) def.limb[i].branch = other.branch[i] < 0 ? -1 : 1;
    d = make(&def);
    if (!regular(d, other.q)) continue;
    CHECK_WITHIN(closed_inverse(d, other.q, NULL, NULL).y, m.y, 3, 1e-12);
    CHECK(closed_margins(d, other.q, &error).parallel * assembly < 0);
    done++;
  }
  CHECK(done > 50);
}

// The usual assembly is -1 with the limbs in the order of their angles.
TEST(platform_below_the_knees) {
  ap_delta_def def = ap_default_delta();
  const ap_parallel *d = make(&def);
  closed_end end;
  const closed_motion m = {.y = {0.1, 0.1, 0.1}};
  CHECK_OK(closed_forward(d, &m, -1, &end));
  CHECK_WITHIN(end.q, ((double[3]){0, 0, end.q[2]}), 2, 1e-14);
  const double out = 0.12 + 0.524 * cos(0.1), down = 0.524 * sin(0.1);
  CHECK_CLOSE(end.q[2], -down - sqrt(1.244 * 1.244 - out * out), 1e-14);
  for (int i = 0; i < 3; i++) CHECK_EQ_INT(end.branch[i], 1);
}

// ---- limits ------------------------------------------------------------------------------------

TEST(limits_have_their_own_statuses) {
  ap_delta_def def = ap_default_delta();
  const ap_parallel *d = make(&def);
  ap_parallel_margin margin;
  ap_error error;
  const double far[] = {0, 0, -1.8}, beside[] = {0, 1.3, -0.3}, huge[] = {1e200, -1e300, 1e300};
  const double bad[] = {0, 0, INFINITY}, in[] = {0.1, 0, -0.9};
  // Limb 0 stretched straight down: x = base - platform, z = -(arm + rods).
  const double stretched[] = {0.12, 0, -1.768};
  margin = closed_margins(d, far, &error);
  CHECK_STATUS(margin.status, AP_E_UNREACHABLE);
  CHECK_CLOSE(margin.reach[0], 0.524 + 1.244 - hypot(0.12, 1.8), 1e-15);
  CHECK_HAS(error.text, "the pose is out of reach of limb 0 by 0.036 m");
  margin = closed_margins(d, beside, &error);
  CHECK_STATUS(margin.status, AP_E_UNREACHABLE);
  CHECK_EQ_INT(margin.limb, 0);
  CHECK_CLOSE(margin.reach[0], 1.244 - 1.3, 1e-15);
  closed_check_refused(d, far, NULL, AP_E_UNREACHABLE);
  closed_check_refused(d, beside, NULL, AP_E_UNREACHABLE);
  closed_check_refused(d, huge, NULL, AP_E_UNREACHABLE);
  CHECK_STATUS(closed_margins(d, huge, &error).status, AP_E_UNREACHABLE);
  closed_check_refused(d, bad, NULL, AP_E_ARG);
  closed_check_refused(d, in, bad, AP_E_ARG);
  // The others reach it when their rods are longer.
  def.limb[1].rod_length = def.limb[2].rod_length = 1.5;
  d = make(&def);
  closed_check_refused(d, stretched, NULL, AP_E_SINGULAR_SERIAL);
  margin = closed_margins(d, stretched, &error);
  CHECK_STATUS(margin.status, AP_E_SINGULAR_SERIAL);
  CHECK_EQ_INT(margin.limb, 0);
  CHECK_HAS(error.text, "limb 0 is stretched or folded");
}

// Rods in one plane: arms outward and level, rods as long as from knee to platform.
TEST(parallel_singularity) {
  ap_delta_def def = ap_default_delta();
  for (int i = 0; i < 3; i++) def.limb[i].arm_length = 0.5, def.limb[i].rod_length = 0.62;
  const ap_parallel *d = make(&def);
  const double level[] = {0, 0, 0};
  const closed_motion zero = {{0}, {0}, {0}}, in = {.y = {0.1, 0, -0.3}};
  const closed_motion bad = {.y = {0.1, 0, -0.3}, .ydd = {0, NAN, 0}};
  closed_end end, was;
  ap_error error;
  double a[3] = {7, 7, 7};
  memset(&end, 0x5a, sizeof end), memset(&was, 0x5a, sizeof was);
  CHECK_STATUS(closed_forward(d, &zero, -1, &end), AP_E_SINGULAR_PARALLEL);
  // The limbs are folded there, which comes first.
  CHECK_STATUS(closed_margins(d, level, &error).status, AP_E_SINGULAR_SERIAL);
  // Arms straight down: the knees in the plane of the platform, the rods across the arms.
  for (int i = 0; i < 3; i++) def.limb[i].rod_length = 0.12;
  d = make(&def);
  const double below[] = {0, 0, -0.5};
  closed_check_refused(d, below, NULL, AP_E_SINGULAR_PARALLEL);
  ap_parallel_margin margin = closed_margins(d, below, &error);
  CHECK_STATUS(margin.status, AP_E_SINGULAR_PARALLEL);
  CHECK(fabs(margin.parallel) < 1e-15 && margin.sigma < 1e-15);
  CHECK_HAS(error.text, "parallel singularity");
  CHECK_OK(ap_parallel_forward_dynamics(d, below, NULL, (double[]){1, -1, 2}, a));
  CHECK(isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]));
  // Knees far apart, and knees in one place.
  CHECK_STATUS(closed_forward(d, &zero, -1, &end), AP_E_UNREACHABLE);
  for (int i = 0; i < 3; i++) def.limb[i].base = def.limb[i].platform;
  d = make(&def);
  const double down = acos(0);
  const closed_motion together = {.y = {down, down, down}};
  CHECK_STATUS(closed_forward(d, &together, -1, &end), AP_E_SINGULAR_PARALLEL);
  CHECK_STATUS(closed_forward(d, &in, 2, &end), AP_E_ARG);
  CHECK_STATUS(closed_forward(d, &bad, 1, &end), AP_E_ARG);
  CHECK(!memcmp(&end, &was, sizeof end));
}

TEST(near_singularities_nothing_is_nan) {
  for (int b = 0; b < BRANCHES; b++) {
    ap_delta_def def = ap_default_delta();
    for (int i = 0; i < 3; i++) def.limb[i].branch = b >> i & 1 ? -1 : 1;
    const ap_parallel *d = make(&def);
    const double v[] = {0.3, -0.2, 0.1}, a[] = {1, 2, 3},
                 lowest = sqrt(1.768 * 1.768 - 0.12 * 0.12);
    const double edge[][3] = {
        {0, 0, -lowest}, {0, 1.244, 0}, {0, 0, 0}, {0.12, 0.5, -0.7}, {0.12, 0, -0.72}};
    for (int e = 0; e < COUNT(edge); e++)
      for (double step = 1e-1; step > 1e-18; step /= 10)
        for (int side = 0; side < 8; side++) {
          double q[3], tau[3] = {7, 7, 7}, end[3] = {7, 7, 7};
          ap_error error;
          for (int k = 0; k < 3; k++) q[k] = edge[e][k] + (side >> k & 1 ? step : -step);
          closed_margins(d, q, &error);
          ap_status status = ap_parallel_inverse_dynamics(d, q, v, a, tau);
          for (int k = 0; k < 3; k++) CHECK(status == AP_OK ? isfinite(tau[k]) : tau[k] == 7);
          CHECK(status == AP_OK || status == AP_E_UNREACHABLE || status == AP_E_SINGULAR_SERIAL ||
                status == AP_E_SINGULAR_PARALLEL);
          status = ap_parallel_forward_dynamics(d, q, v, a, end);
          for (int k = 0; k < 3; k++) CHECK(status == AP_OK ? isfinite(end[k]) : end[k] == 7);
        }
  }
}

TEST(massless_robots_have_no_acceleration) {
  ap_delta_def def = ap_default_delta();
  for (int i = 0; i < 3; i++) {
    def.limb[i].arm = def.limb[i].rod = (ap_parallel_link){0};
  }
  def.platform = 0;
  const ap_parallel *d = make(&def);
  const double q[] = {0.02, 0.1, -0.9}, fast[] = {1e200, 0, 0};
  double a[3] = {7, 7, 7};
  ap_error error;
  CHECK_STATUS(ap_parallel_forward_dynamics(d, q, NULL, q, a), AP_E_SINGULAR);
  CHECK(a[0] == 7);
  ap_parallel_explain(d, q, AP_E_SINGULAR, &error);
  CHECK_HAS(error.text, "give the links a mass");
  def = ap_default_delta();
  d = make(&def);
  CHECK_STATUS(ap_parallel_inverse_dynamics(d, q, fast, NULL, a), AP_E_ARG);
  ap_parallel_explain(d, q, AP_E_ARG, &error);
  CHECK_HAS(error.text, "not finite, or too large");
  CHECK_STATUS(ap_parallel_energy(d, q, fast, a, NULL), AP_E_ARG);
  CHECK(a[0] == 7);
}

#define REFUSED(change, says)                                          \
  do {                                                                 \
    ap_delta_def def = ap_default_delta();                             \
    ap_error error;                                                    \
    change;                                                            \
    CHECK(ap_delta_init(&def, memory, sizeof memory, &error) == NULL); \
    CHECK_HAS(error.text, says);                                       \
  } while (0)

TEST(wrong_definitions_are_refused) {
  REFUSED(def.limb[1].arm_length = 0, "limb 1: arm_length is 0, must be 1e-09 to 1e+09");
  REFUSED(def.limb[0].rod_length = NAN, "limb 0: rod_length is nan");
  REFUSED(def.limb[2].angle = INFINITY, "limb 2: angle is inf");
  REFUSED(def.limb[2].base = NAN, "limb 2: base is nan");
  REFUSED(def.limb[2].platform = NAN, "limb 2: platform is nan");
  REFUSED(def.limb[0].branch = 2, "limb 0: branch is 2, must be 1 or -1");
  REFUSED(def.limb[0].rotor = -1, "limb 0: rotor is -1");
  REFUSED(def.limb[0].arm.mass = -1, "arm of limb 0: mass is -1");
  REFUSED(def.limb[1].arm.inertia[3] = -1,
          "arm of limb 1: this inertia is impossible for a body of 1.2 kg");
  REFUSED(def.limb[1].arm.com[2] = NAN, "arm of limb 1: com is nan");
  REFUSED(def.limb[2].rod.mass = NAN, "rod of limb 2: mass is nan");
  REFUSED(def.limb[2].rod.com[0] = NAN, "rod of limb 2: com is nan");
  REFUSED(def.limb[2].rod.inertia[1] = NAN, "rod of limb 2: inertia is nan");
  REFUSED(def.limb[2].rod.inertia[0] = 1,
          "rod of limb 2: this inertia is impossible for a body of 0.15 kg");
  REFUSED(def.limb[2].rod.inertia[3] = 0,
          "rod of limb 2: this inertia is impossible for a body of 0.15 kg");
  REFUSED(def.platform = -1, "mass of the platform is -1");
  REFUSED(def.gravity[0] = NAN, "gravity is nan");
  REFUSED(def.least_serial = 0, "least_serial is 0");
  REFUSED(def.least_parallel = 1, "least_parallel is 1");
  ap_delta_def def = ap_default_delta();
  ap_error error;
  CHECK(ap_delta_init(&def, memory, ap_parallel_size() - 1, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_MEMORY);
  CHECK(ap_delta_init(&def, NULL, sizeof memory, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_ARG);
  const ap_parallel *d = ap_delta_init(&def, memory + 1, ap_parallel_size(), NULL);
  CHECK(d && ap_parallel_n(d) == 3);
}
