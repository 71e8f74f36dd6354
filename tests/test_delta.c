// Delta robots in closed form: the general recipe as oracle for any geometry and every branch, both
// directions of kinematics, limits.

#include "test.h"

#include <appell/delta.h>

#include "closed_form.h"

static _Alignas(16) unsigned char memory[4096];

enum { BRANCHES = 8 };

static const ap_delta *make(const ap_delta_def *def) {
  ap_error error;
  const ap_delta *d = ap_delta_init(def, memory, sizeof memory, &error);
  if (!d) printf("%s\n", error.text);
  CHECK(d != NULL);
  return d;
}

static closed_form say(const ap_delta *d, const double *q, const double *v, const double *a) {
  closed_form c = {.n = 3};
  memcpy(c.q, q, sizeof c.q), memcpy(c.v, v, sizeof c.v), memcpy(c.a, a, sizeof c.a);
  CHECK_OK(ap_delta_matrices(d, q, v, c.M, c.C, c.G, c.J_act, NULL));
  CHECK_OK(ap_delta_forces(d, q, v, a, c.Q, NULL));
  CHECK_OK(ap_delta_inverse_dynamics(d, q, v, a, c.tau, NULL));
  CHECK_OK(ap_delta_forward_dynamics(d, q, v, c.tau, c.back, NULL));
  CHECK_OK(ap_delta_energy(d, q, v, &c.kinetic, &c.potential, NULL));
  return c;
}

// ---- robots of any geometry --------------------------------------------------------------------

// A few point masses, so that no entry of the inertia is zero.
static ap_delta_rod random_rod(rng *r, double length) {
  enum { POINTS = 4 };
  double m[POINTS], p[POINTS][3];
  ap_delta_rod rod = {0};
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
    l->arm = (ap_delta_arm){.mass = rng_uniform(r, 0.2, 2), .inertia = rng_uniform(r, 0, 0.1)};
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
  body[0].inertia[0] = body[0].inertia[3] = body[0].inertia[5] = l->arm.inertia;
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
  ap_robot_def tree = {.bodies = body, .nbody = COUNT(body)};
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

static closed_joints joints_of(const ap_delta *d, const closed_form *c) {
  ap_delta_motion m;
  closed_joints j = {.nv = 9};
  CHECK_OK(ap_delta_inverse_kinematics(d, c->q, c->v, c->a, &m, NULL));
  for (int i = 0; i < 3; i++) {
    double *x = j.x + 3 * i, *xd = j.xd + 3 * i, *xdd = j.xdd + 3 * i;
    x[0] = m.theta[i], x[1] = m.beta[i] - m.theta[i], x[2] = m.chi[i];
    xd[0] = m.thetad[i], xd[1] = m.betad[i] - m.thetad[i], xd[2] = m.chid[i];
    xdd[0] = m.thetadd[i], xdd[1] = m.betadd[i] - m.thetadd[i], xdd[2] = m.chidd[i];
    j.x[9 + i] = c->q[i];
  }
  j.x[15] = 1;
  return j;
}

static bool regular(const ap_delta *d, const double *q) {
  ap_delta_margin m;
  if (ap_delta_margins(d, q, &m) != AP_OK || m.sigma < 0.2) return false;
  for (int i = 0; i < 3; i++)
    if (fabs(m.serial[i]) < 0.2) return false;
  return true;
}

// A regular state of a random robot. False where none was found.
static bool random_state(rng *r, const ap_delta *d, double *q, double *v, double *a) {
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
    const ap_delta *d = make(&def);
    double q[3], v[3], a[3];
    if (!random_state(&r, d, q, v, a)) continue;
    test_context("robot %d", n);
    rig g = general(&def);
    closed_form c = say(d, q, v, a);
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
    const ap_delta *d = make(&def);
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
      closed_form c = say(d, q, v, a);
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
    const ap_delta *d = make(&def);
    double q[3], v[3], a[3];
    ap_delta_motion m, back;
    ap_delta_margin margin;
    ap_delta_end end, other;
    if (!random_state(&r, d, q, v, a)) continue;
    test_context("robot %d", n);
    CHECK_OK(ap_delta_inverse_kinematics(d, q, v, a, &m, &margin));
    const int assembly = margin.parallel > 0 ? 1 : -1;
    CHECK_OK(ap_delta_forward_kinematics(d, m.theta, m.thetad, m.thetadd, assembly, &end));
    CHECK_WITHIN(end.q, q, 3, 1e-13);
    CHECK_WITHIN(end.v, v, 3, 1e-12);
    CHECK_WITHIN(end.a, a, 3, 1e-11 * (1 + test_norm(m.thetadd, 3)));
    for (int i = 0; i < 3; i++) CHECK_EQ_INT(end.branch[i], def.limb[i].branch);
    // The other place: the same angles on the branches that it names.
    CHECK_OK(ap_delta_forward_kinematics(d, m.theta, NULL, NULL, -assembly, &other));
    CHECK(other.v[0] == 0 && other.a[2] == 0);
    for (int i = 0; i < 3; i++) def.limb[i].branch = other.branch[i] < 0 ? -1 : 1;
    d = make(&def);
    if (!regular(d, other.q)) continue;
    CHECK_OK(ap_delta_inverse_kinematics(d, other.q, NULL, NULL, &back, &margin));
    CHECK_WITHIN(back.theta, m.theta, 3, 1e-12);
    CHECK(margin.parallel * assembly < 0);
    done++;
  }
  CHECK(done > 50);
}

// The usual assembly is -1 with the limbs in the order of their angles.
TEST(platform_below_the_knees) {
  ap_delta_def def = ap_default_delta();
  const ap_delta *d = make(&def);
  ap_delta_end end;
  const double theta[3] = {0.1, 0.1, 0.1};
  CHECK_OK(ap_delta_forward_kinematics(d, theta, NULL, NULL, -1, &end));
  CHECK_WITHIN(end.q, ((double[3]){0, 0, end.q[2]}), 2, 1e-14);
  const double out = 0.12 + 0.524 * cos(0.1), down = 0.524 * sin(0.1);
  CHECK_CLOSE(end.q[2], -down - sqrt(1.244 * 1.244 - out * out), 1e-14);
  for (int i = 0; i < 3; i++) CHECK_EQ_INT(end.branch[i], 1);
}

// ---- limits ------------------------------------------------------------------------------------

// Every function at q gives that status and leaves its outputs as they were. Inverse dynamics alone
// minds a parallel singularity.
static void check_refused(const ap_delta *d, const double *q, const double *v, ap_status want) {
  double out[4][9], was[4][9];
  ap_delta_motion m, m_was;
  ap_delta_margin margin;
  memset(out, 0x5a, sizeof out), memset(was, 0x5a, sizeof was);
  memset(&m, 0x5a, sizeof m), memset(&m_was, 0x5a, sizeof m_was);
  CHECK_STATUS(ap_delta_inverse_dynamics(d, q, v, NULL, out[0], &margin), want);
  CHECK_EQ_INT(margin.status, want);
  CHECK(!memcmp(out, was, sizeof out));
  if (want == AP_E_SINGULAR_PARALLEL) return;
  CHECK_STATUS(ap_delta_inverse_kinematics(d, q, v, NULL, &m, NULL), want);
  CHECK_STATUS(ap_delta_matrices(d, q, v, out[0], out[1], out[2], out[3], NULL), want);
  CHECK_STATUS(ap_delta_forces(d, q, v, NULL, out[0], NULL), want);
  CHECK_STATUS(ap_delta_forward_dynamics(d, q, v, (double[]){1, 2, 3}, out[0], NULL), want);
  CHECK_STATUS(ap_delta_energy(d, q, v, out[0], out[1], NULL), want);
  CHECK(!memcmp(out, was, sizeof out) && !memcmp(&m, &m_was, sizeof m));
}

static bool no_nan(const ap_delta_margin *m) {
  double sum = m->parallel + m->sigma + m->level;
  for (int i = 0; i < 3; i++) sum += m->serial[i];
  return !isnan(sum) && !isnan(m->reach[0]) && !isnan(m->reach[1]) && !isnan(m->reach[2]);
}

TEST(limits_have_their_own_statuses) {
  ap_delta_def def = ap_default_delta();
  const ap_delta *d = make(&def);
  ap_delta_margin margin;
  ap_error error;
  const double far[] = {0, 0, -1.8}, beside[] = {0, 1.3, -0.3}, huge[] = {1e200, -1e300, 1e300};
  const double bad[] = {0, 0, INFINITY}, in[] = {0.1, 0, -0.9};
  // Limb 0 stretched straight down: x = base - platform, z = -(arm + rods).
  const double stretched[] = {0.12, 0, -1.768};
  CHECK_STATUS(ap_delta_margins(d, far, &margin), AP_E_UNREACHABLE);
  CHECK_CLOSE(margin.reach[0], 0.524 + 1.244 - hypot(0.12, 1.8), 1e-15);
  CHECK_STATUS(ap_delta_explain(d, &margin, &error), AP_E_UNREACHABLE);
  CHECK_HAS(error.text, "limb 0 does not reach the platform by 0.036 m");
  CHECK_STATUS(ap_delta_margins(d, beside, &margin), AP_E_UNREACHABLE);
  CHECK_EQ_INT(margin.limb, 0);
  CHECK_CLOSE(margin.reach[0], 1.244 - 1.3, 1e-15);
  check_refused(d, far, NULL, AP_E_UNREACHABLE);
  check_refused(d, beside, NULL, AP_E_UNREACHABLE);
  check_refused(d, huge, NULL, AP_E_UNREACHABLE);
  CHECK_STATUS(ap_delta_margins(d, huge, &margin), AP_E_UNREACHABLE);
  CHECK(no_nan(&margin));
  check_refused(d, bad, NULL, AP_E_ARG);
  check_refused(d, in, bad, AP_E_ARG);
  // The others reach it when their rods are longer.
  def.limb[1].rod_length = def.limb[2].rod_length = 1.5;
  d = make(&def);
  check_refused(d, stretched, NULL, AP_E_SINGULAR_SERIAL);
  CHECK_STATUS(ap_delta_margins(d, stretched, &margin), AP_E_SINGULAR_SERIAL);
  CHECK_EQ_INT(margin.limb, 0);
  CHECK_STATUS(ap_delta_explain(d, &margin, &error), AP_E_SINGULAR_SERIAL);
  CHECK_HAS(error.text, "limb 0 is stretched or folded");
}

// Rods in one plane: arms outward and level, rods as long as from knee to platform.
TEST(parallel_singularity) {
  ap_delta_def def = ap_default_delta();
  for (int i = 0; i < 3; i++) def.limb[i].arm_length = 0.5, def.limb[i].rod_length = 0.62;
  const ap_delta *d = make(&def);
  const double level[] = {0, 0, 0}, zero[] = {0, 0, 0}, in[] = {0.1, 0, -0.3};
  ap_delta_margin margin;
  ap_delta_end end, was;
  ap_error error;
  double a[3] = {7, 7, 7};
  memset(&end, 0x5a, sizeof end), memset(&was, 0x5a, sizeof was);
  CHECK_STATUS(ap_delta_forward_kinematics(d, zero, NULL, NULL, -1, &end), AP_E_SINGULAR_PARALLEL);
  // The limbs are folded there, which comes first.
  CHECK_STATUS(ap_delta_margins(d, level, &margin), AP_E_SINGULAR_SERIAL);
  // Arms straight down: the knees in the plane of the platform, the rods across the arms.
  for (int i = 0; i < 3; i++) def.limb[i].rod_length = 0.12;
  d = make(&def);
  const double below[] = {0, 0, -0.5};
  check_refused(d, below, NULL, AP_E_SINGULAR_PARALLEL);
  CHECK_STATUS(ap_delta_margins(d, below, &margin), AP_E_SINGULAR_PARALLEL);
  CHECK(fabs(margin.parallel) < 1e-15 && margin.sigma < 1e-15);
  CHECK_STATUS(ap_delta_explain(d, &margin, &error), AP_E_SINGULAR_PARALLEL);
  CHECK_HAS(error.text, "parallel singularity");
  CHECK_OK(ap_delta_forward_dynamics(d, below, NULL, (double[]){1, -1, 2}, a, NULL));
  CHECK(isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]));
  // Knees far apart, and knees in one place.
  const double apart[] = {0, 0, 0};
  CHECK_STATUS(ap_delta_forward_kinematics(d, apart, NULL, NULL, -1, &end), AP_E_UNREACHABLE);
  for (int i = 0; i < 3; i++) def.limb[i].base = def.limb[i].platform;
  d = make(&def);
  const double down = acos(0), together[] = {down, down, down};
  CHECK_STATUS(ap_delta_forward_kinematics(d, together, NULL, NULL, -1, &end),
               AP_E_SINGULAR_PARALLEL);
  CHECK_STATUS(ap_delta_forward_kinematics(d, in, NULL, NULL, 2, &end), AP_E_ARG);
  CHECK_STATUS(ap_delta_forward_kinematics(d, in, NULL, (double[]){0, NAN, 0}, 1, &end), AP_E_ARG);
  CHECK(!memcmp(&end, &was, sizeof end));
}

TEST(near_singularities_nothing_is_nan) {
  for (int b = 0; b < BRANCHES; b++) {
    ap_delta_def def = ap_default_delta();
    for (int i = 0; i < 3; i++) def.limb[i].branch = b >> i & 1 ? -1 : 1;
    const ap_delta *d = make(&def);
    const double v[] = {0.3, -0.2, 0.1}, a[] = {1, 2, 3},
                 lowest = sqrt(1.768 * 1.768 - 0.12 * 0.12);
    const double edge[][3] = {
        {0, 0, -lowest}, {0, 1.244, 0}, {0, 0, 0}, {0.12, 0.5, -0.7}, {0.12, 0, -0.72}};
    for (int e = 0; e < COUNT(edge); e++)
      for (double step = 1e-1; step > 1e-18; step /= 10)
        for (int side = 0; side < 8; side++) {
          double q[3], tau[3] = {7, 7, 7}, end[3] = {7, 7, 7};
          ap_delta_margin margin;
          for (int k = 0; k < 3; k++) q[k] = edge[e][k] + (side >> k & 1 ? step : -step);
          ap_status status = ap_delta_inverse_dynamics(d, q, v, a, tau, &margin);
          CHECK(no_nan(&margin));
          for (int k = 0; k < 3; k++) CHECK(status == AP_OK ? isfinite(tau[k]) : tau[k] == 7);
          CHECK(status == AP_OK || status == AP_E_UNREACHABLE || status == AP_E_SINGULAR_SERIAL ||
                status == AP_E_SINGULAR_PARALLEL);
          status = ap_delta_forward_dynamics(d, q, v, a, end, NULL);
          for (int k = 0; k < 3; k++) CHECK(status == AP_OK ? isfinite(end[k]) : end[k] == 7);
        }
  }
}

TEST(massless_robots_have_no_acceleration) {
  ap_delta_def def = ap_default_delta();
  for (int i = 0; i < 3; i++) {
    def.limb[i].arm = (ap_delta_arm){0};
    def.limb[i].rod = (ap_delta_rod){0};
  }
  def.platform = 0;
  const ap_delta *d = make(&def);
  const double q[] = {0.02, 0.1, -0.9}, fast[] = {1e200, 0, 0};
  double a[3] = {7, 7, 7};
  ap_delta_margin margin;
  ap_error error;
  CHECK_STATUS(ap_delta_forward_dynamics(d, q, NULL, q, a, &margin), AP_E_SINGULAR);
  CHECK(a[0] == 7 && margin.status == AP_E_SINGULAR);
  CHECK_STATUS(ap_delta_explain(d, &margin, &error), AP_E_SINGULAR);
  CHECK_HAS(error.text, "give the limbs or the platform a mass");
  def = ap_default_delta();
  d = make(&def);
  CHECK_STATUS(ap_delta_inverse_dynamics(d, q, fast, NULL, a, &margin), AP_E_ARG);
  CHECK_STATUS(ap_delta_explain(d, &margin, &error), AP_E_ARG);
  CHECK_STATUS(ap_delta_energy(d, q, fast, a, NULL, NULL), AP_E_ARG);
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
  REFUSED(def.limb[1].arm.inertia = -1, "arm of limb 1: inertia is -1");
  REFUSED(def.limb[1].arm.com[2] = NAN, "arm of limb 1: centre of mass must be finite");
  REFUSED(def.limb[2].rod.mass = NAN, "rod of limb 2: mass is nan");
  REFUSED(def.limb[2].rod.com[0] = NAN, "rod of limb 2: centre of mass and inertia must be finite");
  REFUSED(def.limb[2].rod.inertia[0] = 1, "rod of limb 2: no body has this inertia");
  REFUSED(def.limb[2].rod.inertia[3] = 0, "rod of limb 2: no body has this inertia");
  REFUSED(def.platform = -1, "mass of the platform is -1");
  REFUSED(def.gravity[0] = NAN, "gravity must be finite");
  REFUSED(def.least_serial = 0, "least_serial is 0");
  REFUSED(def.least_parallel = 1, "least_parallel is 1");
  ap_delta_def def = ap_default_delta();
  ap_error error;
  CHECK(ap_delta_init(&def, memory, ap_delta_size() - 1, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_MEMORY);
  CHECK(ap_delta_init(&def, NULL, sizeof memory, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_ARG);
  const ap_delta *d = ap_delta_init(&def, memory + 1, ap_delta_size(), NULL);
  CHECK(d && ap_delta_definition(d)->platform == def.platform);
}
