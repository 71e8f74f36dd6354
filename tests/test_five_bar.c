// SPDX-License-Identifier: Apache-2.0
// Five-bar robots in closed form: golden samples, the general recipe as oracle for any geometry and
// every branch, both directions of kinematics, limits.

#include "test.h"

#include <appell/five_bar.h>

#include "closed_form.h"
#include "golden/parallel.h"

static _Alignas(16) unsigned char memory[8192];

static const ap_parallel *make(const ap_five_bar_def *def) {
  ap_error error;
  const ap_parallel *f = ap_five_bar_init(def, memory, sizeof memory, &error);
  if (!f) printf("%s\n", error.text);
  CHECK(f != NULL);
  return f;
}

// ---- golden samples ----------------------------------------------------------------------------

// The samples were computed in double precision by two formulations that agree to 1.5e-14.
TEST(golden_samples) {
  ap_five_bar_def def = ap_default_five_bar();
  const ap_parallel *f = make(&def);
  for (int i = 0; i < COUNT(golden_five_bar); i++) {
    const parallel_sample *s = &golden_five_bar[i];
    const double tol = 1e-12;
    double Cv[2];
    test_context("sample %d", i);
    closed_form c = closed_say(f, s->q, s->v, s->a);
    closed_motion m = closed_inverse(f, s->q, s->v, s->a);
    apply(2, c.C, s->v, Cv);
    CHECK_NEAR(m.y, s->act, 2, tol);
    CHECK_NEAR(c.M, s->M, 4, tol);
    CHECK_NEAR(c.C, s->C, 4, tol);
    CHECK_WITHIN(Cv, s->Cv, 2, tol * (test_norm(s->Cv, 2) + test_norm(s->C, 4)));
    CHECK_NEAR(c.G, s->G, 2, tol);
    CHECK_NEAR(c.J_act, s->J_act, 4, tol);
    CHECK_NEAR(c.tau, s->tau, 2, tol);
    CHECK_WITHIN(c.back, s->a, 2, 1e-11 * (1 + test_norm(s->a, 2)));
  }
}

// ---- the general recipe ------------------------------------------------------------------------

static ap_parallel_link random_link(rng *r, double length) {
  ap_parallel_link l = {.mass = rng_uniform(r, 0.1, 1),
                        .com = {rng_uniform(r, 0, length), rng_uniform(r, -0.1, 0.1)}};
  l.inertia[0] = l.inertia[3] = l.inertia[5] = rng_uniform(r, 1e-4, 1e-2);
  return l;
}

static ap_five_bar_def random_robot(rng *r) {
  ap_five_bar_def def = ap_default_five_bar();
  for (int i = 0; i < 2; i++) {
    ap_five_bar_limb *a = &def.limb[i];
    a->motor[0] = (i == 0 ? -1 : 1) * rng_uniform(r, 0, 0.2);
    a->motor[1] = rng_uniform(r, -0.1, 0.1);
    a->arm_length = rng_uniform(r, 0.15, 0.4);
    a->rod_length = rng_uniform(r, 0.15, 0.4);
    a->branch = rng_chance(r, 0.5) ? 1 : -1;
    a->arm = random_link(r, a->arm_length);
    a->rod = random_link(r, a->rod_length);
    a->rotor = rng_chance(r, 0.5) ? 0 : rng_uniform(r, 0, 0.01);
    def.gravity[i] = rng_uniform(r, -10, 10);
  }
  def.load = rng_chance(r, 0.2) ? 0 : rng_uniform(r, 0, 1);
  return def;
}

static ap_body_def link_body(const char *name, int parent, double x, double y,
                             const ap_parallel_link *l) {
  ap_body_def b = ap_default_body();
  b.name = name, b.parent = parent, b.joint = AP_REVOLUTE;
  b.place.xyz[0] = x, b.place.xyz[1] = y;
  b.mass = l->mass, b.com[0] = l->com[0], b.com[1] = l->com[1];
  memcpy(b.inertia, l->inertia, sizeof b.inertia);
  return b;
}

// The same robot as a tree with one closure; rotors take part as friction does.
static rig general(const ap_five_bar_def *def) {
  const ap_five_bar_limb *a = def->limb;
  const int actuated[] = {1, 3};
  ap_body_def body[] = {
      link_body("arm0", 0, a[0].motor[0], a[0].motor[1], &a[0].arm),
      link_body("rod0", 1, a[0].arm_length, 0, &a[0].rod),
      link_body("arm1", 0, a[1].motor[0], a[1].motor[1], &a[1].arm),
      link_body("rod1", 3, a[1].arm_length, 0, &a[1].rod),
      ap_default_body(),
  };
  body[0].rotor_inertia = a[0].rotor, body[2].rotor_inertia = a[1].rotor;
  body[4].name = "load", body[4].parent = 4, body[4].mass = def->load;
  body[4].place.xyz[0] = a[1].rod_length;
  ap_robot_def tree = {.bodies = body, .nbody = COUNT(body), .cookie = AP_COOKIE};
  tree.gravity[0] = def->gravity[0], tree.gravity[1] = def->gravity[1];
  ap_closure_def P = ap_default_closure();
  P.name = "P", P.body[0] = 2, P.body[1] = 4;
  P.at[0][0] = a[0].rod_length, P.at[1][0] = a[1].rod_length;
  const ap_coordinate_def s[] = {
      {"x", AP_COORDINATE_POSITION, 2, {a[0].rod_length, 0, 0}, {1, 0, 0}},
      {"y", AP_COORDINATE_POSITION, 2, {a[0].rod_length, 0, 0}, {0, 1, 0}}};
  rig r = rig_of(&(ap_mechanism_def){.robot = &tree,
                                     .closures = &P,
                                     .nclosure = 1,
                                     .coordinates = s,
                                     .ncoordinate = 2,
                                     .actuated = actuated,
                                     .nactuated = 2});
  if (r.l) ap_set_friction(ap_mechanism_tree(r.m), ap_loop_work(r.l), true);
  return r;
}

static closed_joints joints_of(const ap_parallel *f, const closed_form *c) {
  closed_motion m = closed_inverse(f, c->q, c->v, c->a);
  closed_joints j = {.nv = 4};
  for (int i = 0; i < 2; i++) {
    j.x[2 * i] = m.y[i], j.x[2 * i + 1] = m.y[2 + i] - m.y[i];
    j.xd[2 * i] = m.yd[i], j.xd[2 * i + 1] = m.yd[2 + i] - m.yd[i];
    j.xdd[2 * i] = m.ydd[i], j.xdd[2 * i + 1] = m.ydd[2 + i] - m.ydd[i];
  }
  return j;
}

static bool regular(const ap_parallel *f, const double *q) {
  ap_parallel_margin m;
  return ap_parallel_margins(f, q, &m) == AP_OK && fabs(m.serial[0]) > 0.2 &&
         fabs(m.serial[1]) > 0.2 && m.sigma > 0.2;
}

// A regular state of a random robot. False where none was found.
static bool random_state(rng *r, const ap_parallel *f, double *q, double *v, double *a) {
  for (int tries = 0; tries < 100; tries++) {
    for (int k = 0; k < 2; k++) {
      q[k] = rng_uniform(r, -0.6, 0.6);
      v[k] = rng_uniform(r, -2, 2);
      a[k] = rng_uniform(r, -10, 10);
    }
    if (regular(f, q)) return true;
  }
  return false;
}

TEST(any_geometry_is_as_by_the_general_recipe) {
  rng r = rng_seed(71);
  int seen[4] = {0};
  for (int n = 0; n < 300; n++) {
    ap_five_bar_def def = random_robot(&r);
    const ap_parallel *f = make(&def);
    double q[2], v[2], a[2];
    if (!random_state(&r, f, q, v, a)) continue;
    test_context("robot %d", n);
    rig g = general(&def);
    closed_form c = closed_say(f, q, v, a);
    closed_joints j = joints_of(f, &c);
    CHECK_OK(ap_loop_set_guess(g.m, g.l, j.x));
    check_closed_form(&g, &c);
    check_closed_joints(&g, &c, &j);
    drop(&g);
    seen[(def.limb[0].branch < 0) + 2 * (def.limb[1].branch < 0)]++;
  }
  for (int b = 0; b < 4; b++) CHECK(seen[b] >= 20);
}

// The branches are those that ap_mechanism_builtin_branch() starts on.
TEST(branches_of_the_built_in_one) {
  rng r = rng_seed(72);
  rig g = builtin("five-bar");
  for (int b = 0; g.m && b < 4; b++) {
    const char branch[] = {b & 1 ? '-' : '+', b & 2 ? '-' : '+', '\0'};
    ap_five_bar_def def = ap_default_five_bar();
    for (int i = 0; i < 2; i++) def.limb[i].branch = branch[i] == '-' ? -1 : 1;
    const ap_parallel *f = make(&def);
    test_context("branch %s", branch);
    for (int n = 0; n < 50; n++) {
      double x[4];
      const double q[2] = {rng_uniform(&r, -0.05, 0.05), rng_uniform(&r, 0.38, 0.46)};
      const double v[2] = {rng_uniform(&r, -1, 1), 1}, a[2] = {rng_uniform(&r, -5, 5), 1};
      CHECK_OK(ap_mechanism_builtin_branch("five-bar", branch, x));
      CHECK_OK(ap_loop_set_guess(g.m, g.l, x));
      if (!regular(f, q)) continue;
      closed_form c = closed_say(f, q, v, a);
      check_closed_form(&g, &c);
    }
  }
  drop(&g);
}

// ---- both directions ---------------------------------------------------------------------------

TEST(motors_lead_back_to_the_end) {
  rng r = rng_seed(73);
  int done = 0;
  for (int n = 0; n < 300; n++) {
    ap_five_bar_def def = random_robot(&r);
    const ap_parallel *f = make(&def);
    double q[2], v[2], a[2];
    ap_error error;
    closed_end end, other;
    if (!random_state(&r, f, q, v, a)) continue;
    test_context("robot %d", n);
    closed_motion m = closed_inverse(f, q, v, a);
    const int assembly = closed_margins(f, q, &error).parallel > 0 ? 1 : -1;
    CHECK_OK(closed_forward(f, &m, assembly, &end));
    CHECK_WITHIN(end.q, q, 2, 1e-13);
    CHECK_WITHIN(end.v, v, 2, 1e-12);
    CHECK_WITHIN(end.a, a, 2, 1e-11 * (1 + test_norm(m.ydd, 2)));
    for (int i = 0; i < 2; i++) CHECK_EQ_INT(end.branch[i], def.limb[i].branch);
    // The other end: the same angles on the branches that it names.
    closed_motion rest = {.y = {m.y[0], m.y[1]}};
    CHECK_OK(closed_forward(f, &rest, -assembly, &other));
    CHECK(other.v[0] == 0 && other.a[1] == 0);
    if (!other.branch[0] || !other.branch[1]) continue;
    for (int i = 0; i < 2; i++) def.limb[i].branch = other.branch[i];
    f = make(&def);
    if (!regular(f, other.q)) continue;
    CHECK_WITHIN(closed_inverse(f, other.q, NULL, NULL).y, m.y, 2, 1e-12);
    CHECK(closed_margins(f, other.q, &error).parallel * assembly < 0);
    done++;
  }
  CHECK(done > 50);
}

// ---- limits ------------------------------------------------------------------------------------

TEST(limits_have_their_own_statuses) {
  ap_five_bar_def def = ap_default_five_bar();
  const ap_parallel *f = make(&def);
  ap_parallel_margin margin;
  ap_error error;
  const double far[] = {0, 0.7}, huge[] = {1e200, -1e300}, bad[] = {NAN, 0}, in[] = {0, 0.42};
  const double stretched[] = {0.5, 0}; // 0.6 from the left motor
  const double middle[] = {0, 0};
  margin = closed_margins(f, far, &error);
  CHECK_STATUS(margin.status, AP_E_UNREACHABLE);
  CHECK(margin.reach[0] < 0 && fabs(margin.reach[0] - (0.6 - hypot(0.1, 0.7))) < 1e-15);
  CHECK_HAS(error.text, "the pose is out of reach of limb 0 by 0.107 m");
  closed_check_refused(f, far, NULL, AP_E_UNREACHABLE);
  closed_check_refused(f, huge, NULL, AP_E_UNREACHABLE);
  CHECK_STATUS(closed_margins(f, huge, &error).status, AP_E_UNREACHABLE);
  closed_check_refused(f, bad, NULL, AP_E_ARG);
  closed_check_refused(f, in, bad, AP_E_ARG);
  closed_check_refused(f, stretched, NULL, AP_E_SINGULAR_SERIAL);
  margin = closed_margins(f, stretched, &error);
  CHECK_STATUS(margin.status, AP_E_SINGULAR_SERIAL);
  CHECK_EQ_INT(margin.limb, 0);
  CHECK_HAS(error.text, "limb 0 is stretched or folded");
  // P in the middle between the motors: on equal branches one limb is the other turned by half a
  // turn about P, and the rods are in line.
  def.limb[0].motor[0] = -0.2, def.limb[1].motor[0] = 0.2;
  def.limb[0].branch = def.limb[1].branch = 1;
  f = make(&def);
  closed_check_refused(f, middle, NULL, AP_E_SINGULAR_PARALLEL);
  CHECK_STATUS(closed_margins(f, middle, &error).status, AP_E_SINGULAR_PARALLEL);
  CHECK_HAS(error.text, "parallel singularity");
  double a[2] = {7, 7};
  const double fast[] = {1e200, 1e200}; // its square is no number
  CHECK_STATUS(ap_parallel_inverse_dynamics(f, in, fast, NULL, a), AP_E_ARG);
  CHECK_STATUS(ap_parallel_forward_dynamics(f, in, fast, in, a), AP_E_ARG);
  CHECK_STATUS(ap_parallel_energy(f, in, fast, a, NULL), AP_E_ARG);
  CHECK(a[0] == 7 && a[1] == 7);
  CHECK_OK(ap_parallel_forward_dynamics(f, middle, NULL, (double[]){1, -1}, a));
  CHECK(isfinite(a[0]) && isfinite(a[1]));
}

TEST(near_singularities_nothing_is_nan) {
  for (int b = 0; b < 4; b++) {
    ap_five_bar_def def = ap_default_five_bar();
    for (int i = 0; i < 2; i++) def.limb[i].branch = b >> i & 1 ? -1 : 1;
    const ap_parallel *f = make(&def);
    const double v[2] = {0.3, -0.2}, a[2] = {1, 2};
    const double edge[][2] = {{0.5, 0}, {0, sqrt(0.36 - 0.01)}, {0, 0}, {-0.1, 0.1}, {-0.1, 0}};
    for (int e = 0; e < COUNT(edge); e++)
      for (double step = 1e-1; step > 1e-18; step /= 10)
        for (int side = 0; side < 4; side++) {
          const double q[2] = {edge[e][0] + (side & 1 ? step : -step),
                               edge[e][1] + (side & 2 ? step : -step)};
          double tau[2] = {7, 7};
          ap_error error;
          closed_margins(f, q, &error);
          ap_status status = ap_parallel_inverse_dynamics(f, q, v, a, tau);
          CHECK(status == AP_OK ? isfinite(tau[0]) && isfinite(tau[1]) : tau[0] == 7);
          CHECK(status == AP_OK || status == AP_E_UNREACHABLE || status == AP_E_SINGULAR_SERIAL ||
                status == AP_E_SINGULAR_PARALLEL);
        }
  }
}

TEST(motors_that_lead_nowhere) {
  ap_five_bar_def def = ap_default_five_bar();
  def.limb[1].motor[0] = 0.3;
  const ap_parallel *f = make(&def);
  closed_end end, was;
  memset(&end, 0x5a, sizeof end), memset(&was, 0x5a, sizeof was);
  const double pi = 3.14159265358979323846;
  const closed_motion apart = {.y = {pi, 0}};
  CHECK_STATUS(closed_forward(f, &apart, 1, &end), AP_E_UNREACHABLE);
  // Elbows as far apart as both rods are long: cos(angle) 0.25 = (0.7 - 0.4) / 2.
  const double angle = acos(0.6);
  const closed_motion line = {.y = {pi - angle, angle}};
  CHECK_STATUS(closed_forward(f, &line, 1, &end), AP_E_SINGULAR_PARALLEL);
  const closed_motion in = {.y = {2, 1}}, bad = {.y = {2, 1}, .yd = {NAN}};
  const closed_motion fast = {.y = {2, 1}, .yd = {1e200}};
  CHECK_STATUS(closed_forward(f, &in, 0, &end), AP_E_ARG);
  CHECK_STATUS(closed_forward(f, &bad, 1, &end), AP_E_ARG);
  CHECK_STATUS(closed_forward(f, &fast, 1, &end), AP_E_ARG);
  CHECK(!memcmp(&end, &was, sizeof end));
}

TEST(massless_robots_have_no_acceleration) {
  ap_five_bar_def def = ap_default_five_bar();
  for (int i = 0; i < 2; i++) def.limb[i].arm = def.limb[i].rod = (ap_parallel_link){0};
  def.load = 0;
  const ap_parallel *f = make(&def);
  const double q[] = {0.02, 0.42};
  double a[2] = {7, 7};
  ap_error error;
  CHECK_STATUS(ap_parallel_forward_dynamics(f, q, NULL, q, a), AP_E_SINGULAR);
  CHECK(a[0] == 7);
  ap_parallel_explain(f, q, AP_E_SINGULAR, &error);
  CHECK_HAS(error.text, "give the links a mass");
}

#define REFUSED(change, says)                                             \
  do {                                                                    \
    ap_five_bar_def def = ap_default_five_bar();                          \
    ap_error error;                                                       \
    change;                                                               \
    CHECK(ap_five_bar_init(&def, memory, sizeof memory, &error) == NULL); \
    CHECK_HAS(error.text, says);                                          \
  } while (0)

TEST(wrong_definitions_are_refused) {
  REFUSED(def.limb[1].arm_length = 0, "limb 1: arm_length is 0, must be 1e-09 to 1e+09");
  REFUSED(def.limb[0].rod_length = NAN, "limb 0: rod_length is nan");
  REFUSED(def.limb[0].branch = 0, "limb 0: branch is 0, must be 1 or -1");
  REFUSED(def.limb[0].rod.mass = -1, "rod of limb 0: mass is -1");
  REFUSED(def.limb[1].arm.inertia[5] = -1,
          "arm of limb 1: this inertia is impossible for a body of 0.5 kg");
  REFUSED(def.limb[1].rod.com[1] = INFINITY, "rod of limb 1: com is inf");
  REFUSED(def.limb[1].motor[1] = NAN, "limb 1: motor is nan");
  REFUSED(def.limb[0].rotor = -1, "limb 0: rotor is -1");
  REFUSED(def.load = -1, "load is -1");
  REFUSED(def.gravity[0] = NAN, "gravity is nan");
  REFUSED(def.least_serial = 0, "least_serial is 0");
  REFUSED(def.least_parallel = 1, "least_parallel is 1");
  ap_five_bar_def def = ap_default_five_bar();
  ap_error error;
  CHECK(ap_five_bar_init(&def, memory, ap_parallel_size() - 1, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_MEMORY);
  CHECK(ap_five_bar_init(NULL, memory, sizeof memory, &error) == NULL);
  CHECK_EQ_INT(error.status, AP_E_ARG);
  const ap_parallel *f = ap_five_bar_init(&def, memory + 1, ap_parallel_size(), NULL);
  CHECK(f && ap_parallel_n(f) == 2);
}
