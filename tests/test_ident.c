// SPDX-License-Identifier: Apache-2.0
// Base parameters, reduction and estimation.

#include <appell/ident.h>

#include "identify.h"

// ---- base parameters ---------------------------------------------------------------------------

static void check_count(const char *name, ap_ident_options options, int want) {
  arm a;
  if (arm_builtin(&a, name, options)) {
    ap_base *svd = NULL;
    double kept, dropped;
    CHECK_EQ_INT(ap_base_count(a.base), want);
    ap_base_gap(a.base, &kept, &dropped);
    CHECK(kept > 1e-5 && dropped < 1e-12);
    CHECK_OK(ap_base_find(a.id, AP_BASE_SVD, &svd, &a.error));
    if (svd) CHECK_EQ_INT(ap_base_count(svd), want);
    ap_base_free(svd);
  }
  arm_free(&a);
}

TEST(counts_of_base_parameters) {
  const ap_ident_options none = {0}, rotor = {.rotor = true};
  check_count("puma600", none, 36);
  check_count("puma600", rotor, 40);
  check_count("stanford", none, 33);
}

// Robots from files, where there are some: the fingers of the Panda are fixed.
static void check_file(const char *folder, const char *file, ap_ident_options options, int want) {
  char path[4096];
  ap_robot *read = NULL, *robot = NULL;
  ap_error error = {.text = ""};
  snprintf(path, sizeof path, "%s/%s", folder, file);
  if (!CHECK_OK(ap_robot_read(path, NULL, &read, &error))) return;
  ap_robot_def def = *ap_robot_definition(read);
  ap_body_def *body = malloc((size_t)def.nbody * sizeof *body);
  for (int i = 0; i < def.nbody; i++) {
    body[i] = def.bodies[i];
    if (!strstr(body[i].name, "finger")) continue;
    body[i].joint = AP_FIXED, body[i].mimic = 0;
    body[i].viscous = body[i].coulomb = body[i].rotor_inertia = 0;
  }
  def.bodies = body;
  CHECK_OK(ap_robot_from_definition(&def, &robot, &error));
  arm a;
  test_context("%s", file);
  if (arm_of(&a, robot, options)) CHECK_EQ_INT(ap_base_count(a.base), want);
  arm_free(&a), ap_robot_free(read), free(body);
}

TEST(counts_of_robots_from_files) {
  const char *folder = getenv("APPELL_ROBOTS");
  const ap_ident_options none = {0}, rotor = {.rotor = true};
  if (!folder) {
    test_skip("APPELL_ROBOTS names no folder of robots (docs/setup.md)");
    return;
  }
  check_file(folder, "ur5_robot.urdf", none, 36);
  check_file(folder, "panda.urdf", none, 43);
  check_file(folder, "panda.urdf", rotor, 48);
}

// Parameters that have the same base parameters give the same forces, whatever the motion, and the
// base parameters are the coefficients of their leaders' columns alone.
static void check_meaning(const char *name, ap_base_method method) {
  arm a;
  rng r = rng_seed(3);
  if (!arm_builtin(&a, name, all_drives)) return;
  ap_base *base = NULL;
  CHECK_OK(ap_base_find(a.id, method, &base, &a.error));
  int np = ap_ident_count(a.id), n = base ? ap_base_count(base) : 0, nv = ap_nv(a.m);
  double p[MOST_P], b[MOST_P], only[MOST_P] = {0};
  for (int k = 0; k < np; k++) p[k] = rng_uniform(&r, -1, 1);
  if (base) ap_base_values(base, p, b);
  for (int k = 0; k < n; k++) {
    only[ap_base_leader(base, k)] = b[k];
    CHECK_CLOSE(ap_base_factor(base, k, ap_base_leader(base, k)), 1, 0);
  }
  wave w = random_wave(&r, nv);
  for (int k = 0; base && k < 20; k++) {
    double q[MOST_V], v[MOST_V], acc[MOST_V], one[MOST_V], other[MOST_V];
    wave_at(&w, nv, 0.3 * k, q, v, acc);
    forces(&a, p, q, v, acc, one);
    forces(&a, only, q, v, acc, other);
    CHECK_NEAR(other, one, nv, 1e-11); // the factors are as exact as the pivots are large: 1e-5
  }
  ap_base_free(base);
  arm_free(&a);
}

TEST(base_parameters_say_everything) {
  check_meaning("puma600", AP_BASE_QR);
  check_meaning("puma600", AP_BASE_SVD);
  check_meaning("stanford", AP_BASE_QR);
  check_meaning("scara", AP_BASE_SVD);
}

TEST(base_parameters_have_names) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  char text[4096];
  bool joined = false;
  for (int k = 0; k < ap_base_count(a.base); k++) {
    ap_base_text(a.id, a.base, k, text, sizeof text);
    const char *leader = ap_ident_name(a.id, ap_base_leader(a.base, k));
    CHECK(strncmp(text, leader, strlen(leader)) == 0);
    joined = joined || strstr(text, " + ") != NULL;
  }
  CHECK(joined);
  ap_base_text(a.id, a.base, 0, text, 4);
  CHECK_EQ_INT((int)strlen(text), 3);
  CHECK(ap_ident_name(a.id, ap_ident_count(a.id)) == NULL);
  arm_free(&a);
}

static double length_of(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * x[k];
  return sqrt(sum);
}

// ---- estimation --------------------------------------------------------------------------------

// Without noise every method finds what the forces were made of: 1e-8 of the largest base parameter
// in its unit, and the forces of another motion.
TEST(every_method_recovers_the_parameters_without_noise) {
  const char *names[] = {"puma600", "stanford"};
  for (int which = 0; which < 2; which++) {
    arm a;
    if (!arm_builtin(&a, names[which], all_drives)) return;
    rng r = rng_seed(11);
    double p[MOST_P], want[MOST_P];
    hidden_parameters(&r, &a, p);
    ap_base_values(a.base, p, want);
    ap_reduction *red = NULL;
    CHECK_OK(ap_reduction_create(a.id, 5, &red, &a.error));
    wave w = random_wave(&r, ap_nv(a.m));
    take_in(red, &a, &w, p, 2000, NULL, NULL);
    for (int method = 0; method < AP_FIT_METHODS; method++) {
      ap_fit *fit = fit_by(&a, red, (ap_fit_method)method);
      if (!fit) continue;
      CHECK_NEAR(fit->value, want, fit->n, 1e-8);
      for (int k = 0; k < fit->n; k++)
        if (fabs(want[k]) > 1e-3) CHECK_CLOSE(fit->value[k] / want[k], 1, 1e-8);
      CHECK(fit->condition > 1 && fit->condition < 100);
      if (method == AP_FIT_CONSISTENT) CHECK(ap_ident_physical(a.id, fit->parameter));
      ap_fit_free(fit);
    }
    ap_reduction_free(red);
    arm_free(&a);
  }
}

// With noise of 1 % of each joint's force (rms): on a fresh motion the prediction is within 1 % of
// the rms of the true forces, and every true base parameter within four deviations of its estimate.
// Methods that weight all joints alike leave the small forces of the wrist to chance, so theirs are
// taken together; the others promise it joint by joint. Ridge regression is biased on purpose; what
// cross-validation chooses must be small enough not to show. Seeds are fixed: 46 parameters of six
// fits at four deviations would fail by chance once in 60 runs.
TEST(noise_of_one_percent) {
  for (unsigned seed = 1; seed <= 3; seed++) {
    arm a;
    if (!arm_builtin(&a, "puma600", all_drives)) return;
    rng r = rng_seed(seed);
    int nv = ap_nv(a.m);
    double p[MOST_P], want[MOST_P], noise[MOST_V], force[MOST_V], error[MOST_V];
    hidden_parameters(&r, &a, p);
    ap_base_values(a.base, p, want);
    wave w = random_wave(&r, nv), fresh = random_wave(&r, nv);
    ap_reduction *red = NULL, *test = NULL;
    CHECK_OK(ap_reduction_create(a.id, 1, &test, &a.error));
    take_in(test, &a, &w, p, 3000, NULL, NULL);
    ap_reduction_force_rms(test, noise);
    for (int j = 0; j < nv; j++) noise[j] *= 0.01;
    ap_reduction_free(test);
    CHECK_OK(ap_reduction_create(a.id, 5, &red, &a.error));
    CHECK_OK(ap_reduction_create(a.id, 1, &test, &a.error));
    take_in(red, &a, &w, p, 3000, noise, &r);
    take_in(test, &a, &fresh, p, 500, NULL, NULL);
    ap_reduction_force_rms(test, force);
    for (int method = 0; method < AP_FIT_METHODS; method++) {
      ap_fit *fit = fit_by(&a, red, (ap_fit_method)method);
      if (!fit) continue;
      double worst = 0;
      for (int k = 0; k < fit->n; k++)
        worst = fmax(worst, fabs(fit->value[k] - want[k]) / fit->deviation[k]);
      CHECK(worst <= 4);
      ap_reduction_error_rms(test, fit->parameter, error);
      CHECK(length_of(error, nv) < 0.01 * length_of(force, nv));
      // 3000 residuals show their deviation to 1.3 %; six times that
      for (int j = 0; method >= AP_FIT_WEIGHTED && j < nv; j++)
        CHECK_CLOSE(fit->noise[j] / noise[j], 1, 0.08);
      if (method == AP_FIT_CONSISTENT) CHECK(ap_ident_physical(a.id, fit->parameter));
      ap_fit_free(fit);
    }
    ap_reduction_free(red), ap_reduction_free(test);
    arm_free(&a);
  }
}

// Errors in units of their deviations have the mean square one, whatever weights the method uses
// and however much the noise differs from joint to joint: 20 logs with 52 parameters each.
// Parameters of one log are correlated, so the mean is taken to be as sure as that of 200 numbers:
// one part in ten, four times that.
TEST(deviations_are_those_of_the_errors) {
  const ap_fit_method methods[] = {AP_FIT_QR, AP_FIT_PINV, AP_FIT_WEIGHTED};
  const double noise[MOST_V] = {0.5, 0.3, 0.02, 0.2, 0.01, 0.05};
  double sum[3] = {0, 0, 0};
  int count = 0;
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(31);
  for (int turn = 0; turn < 20; turn++) {
    double p[MOST_P], want[MOST_P];
    hidden_parameters(&r, &a, p);
    ap_base_values(a.base, p, want);
    wave w = random_wave(&r, 6);
    ap_reduction *red = NULL;
    CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
    take_in(red, &a, &w, p, 500, noise, &r);
    for (int k = 0; k < 3; k++) {
      ap_fit *fit = fit_by(&a, red, methods[k]);
      for (int i = 0; fit && i < fit->n; i++)
        sum[k] += pow((fit->value[i] - want[i]) / fit->deviation[i], 2);
      count += k == 0 && fit ? fit->n : 0;
      ap_fit_free(fit);
    }
    ap_reduction_free(red);
  }
  for (int k = 0; k < 3; k++) {
    test_context("%s", ap_fit_method_name(methods[k]));
    CHECK_CLOSE(sum[k] / count, 1, 0.4);
  }
  arm_free(&a);
}

// ---- physical parameters -----------------------------------------------------------------------

// Whatever the noise, the consistent fit is of bodies, and a model takes it.
TEST(consistent_fits_are_physical) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(5);
  double p[MOST_P], noise[MOST_V];
  for (int turn = 0; turn < 6; turn++) {
    hidden_parameters(&r, &a, p);
    ap_reduction *red = NULL;
    CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
    wave w = random_wave(&r, ap_nv(a.m));
    for (int j = 0; j < ap_nv(a.m); j++) noise[j] = pow(10, turn - 3); // up to 100 N m
    take_in(red, &a, &w, p, 60, noise, &r);
    ap_fit *fit = fit_by(&a, red, AP_FIT_CONSISTENT), *plain = fit_by(&a, red, AP_FIT_WEIGHTED);
    if (fit && plain) {
      ap_robot_def def = *ap_robot_definition(a.robot);
      ap_body_def body[16];
      CHECK(ap_ident_physical(a.id, fit->parameter));
      CHECK_OK(ap_ident_apply(a.id, fit->parameter, body));
      def.bodies = body;
      size_t size = ap_model_size(&def);
      void *memory = malloc(size);
      ap_model *m = ap_model_init(&def, memory, size, &a.error);
      CHECK(m != NULL);
      for (int k = 0; m && k < ap_model_remarks(m); k++)
        CHECK(ap_model_remark(m, k).kind == AP_REMARK_GYRATION);
      free(memory);
      if (turn >= 4) { // least squares alone has long left what bodies can be
        CHECK(!ap_ident_physical(a.id, plain->parameter));
        CHECK_STATUS(ap_ident_apply(a.id, plain->parameter, body), AP_E_ARG);
      }
    }
    ap_fit_free(fit), ap_fit_free(plain), ap_reduction_free(red);
  }
  arm_free(&a);
}

// A model made of fitted parameters has their forces: friction and rotors too.
TEST(applied_parameters_give_the_forces) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(8);
  double p[MOST_P];
  hidden_parameters(&r, &a, p);
  ap_robot_def def = *ap_robot_definition(a.robot);
  ap_body_def body[16];
  CHECK_OK(ap_ident_apply(a.id, p, body));
  def.bodies = body;
  size_t size = ap_model_size(&def);
  void *memory = malloc(size);
  ap_model *m = ap_model_init(&def, memory, size, &a.error);
  size_t work = m ? ap_work_size(m) : 0;
  void *room = malloc(work + 1);
  ap_work *w = m ? ap_work_init(m, room, work) : NULL;
  wave motion = random_wave(&r, 6);
  if (CHECK(w)) ap_set_friction(m, w, true);
  for (int k = 0; w && k < 10; k++) {
    double q[6], v[6], acc[6], tau[6], want[6];
    wave_at(&motion, 6, k, q, v, acc);
    forces(&a, p, q, v, acc, want);
    ap_inverse_dynamics(m, w, q, v, acc, tau);
    CHECK_NEAR(tau, want, 6, 1e-12);
  }
  free(memory), free(room), arm_free(&a);
}

// Static friction cannot be seen in forces: it stays, but never below what sliding was found to
// take.
TEST(applied_parameters_keep_static_friction) {
  ap_robot *robot = NULL;
  if (!CHECK_OK(ap_robot_builtin("puma600", NULL, &robot, NULL))) return;
  ap_robot_def def = *ap_robot_definition(robot);
  ap_body_def body[16];
  memcpy(body, def.bodies, (size_t)def.nbody * sizeof *body);
  body[0].stiction = 1e3, body[1].stiction = 1e-9;
  def.bodies = body;
  ap_robot *rough = NULL;
  CHECK_OK(ap_robot_from_definition(&def, &rough, NULL));
  ap_robot_free(robot);
  arm a;
  if (!rough || !arm_of(&a, rough, all_drives)) return;
  rng r = rng_seed(9);
  double p[MOST_P];
  hidden_parameters(&r, &a, p);
  CHECK_OK(ap_ident_apply(a.id, p, body));
  CHECK(body[0].stiction == 1e3 && body[1].stiction == body[1].coulomb && body[2].stiction == 0);
  CHECK(body[0].coulomb > 0 && body[1].coulomb > 1e-9);
  arm_free(&a);
}

// ---- what cannot be done -----------------------------------------------------------------------

TEST(says_what_the_motion_hides) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(2);
  double p[MOST_P];
  hidden_parameters(&r, &a, p);
  wave w = random_wave(&r, 6);
  for (int k = 0; k < 3; k++) w.amplitude[5][k] = 0; // the last joint stands still
  ap_reduction *red = NULL;
  ap_fit *fit = NULL;
  CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
  take_in(red, &a, &w, p, 1000, NULL, NULL);
  CHECK_STATUS(ap_fit_make(red, a.base, AP_FIT_QR, NULL, &fit, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "does not excite");
  ap_reduction_free(red);
  CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
  take_in(red, &a, &w, p, 5, NULL, NULL);
  CHECK_STATUS(ap_fit_make(red, a.base, AP_FIT_QR, NULL, &fit, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "too few");
  ap_reduction_free(red);
  CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
  w = random_wave(&r, 6);
  take_in(red, &a, &w, p, 500, NULL, NULL);
  CHECK_STATUS(ap_fit_make(red, a.base, AP_FIT_RIDGE, NULL, &fit, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "folds");
  ap_reduction_free(red);
  CHECK_STATUS(ap_reduction_create(a.id, 0, &red, &a.error), AP_E_ARG);
  arm_free(&a);
}

// ---- springs -----------------------------------------------------------------------------------

// The PUMA with springs in two joints, some weight held up: both are known, or the stiffness is
// looked for and found; what is applied to the model gives the measured forces.
static void find_springs(bool stiffness) {
  ap_robot *robot = NULL;
  if (!CHECK_OK(ap_robot_builtin("puma600", NULL, &robot, NULL))) return;
  ap_robot_def def = *ap_robot_definition(robot);
  ap_body_def body[16];
  memcpy(body, def.bodies, (size_t)def.nbody * sizeof *body);
  body[1].stiffness = 30, body[1].rest[0] = 0.4, body[2].stiffness = 8;
  body[2].gravity_compensation = 0.5;
  def.bodies = body;
  ap_robot *sprung = NULL;
  CHECK_OK(ap_robot_from_definition(&def, &sprung, NULL));
  ap_robot_free(robot);
  arm a;
  if (!sprung || !arm_of(&a, sprung, (ap_ident_options){.stiffness = stiffness})) return;
  rng r = rng_seed(5);
  size_t size = ap_work_size(a.m);
  void *memory = malloc(size);
  ap_work *w = ap_work_init(a.m, memory, size);
  ap_set_friction(a.m, w, true);
  wave motion = random_wave(&r, 6);
  ap_reduction *red = NULL;
  CHECK_OK(ap_reduction_create(a.id, 1, &red, &a.error));
  for (int k = 0; k < 2000; k++) {
    double q[6], v[6], acc[6], tau[6];
    wave_at(&motion, 6, 0.01 * k, q, v, acc);
    ap_inverse_dynamics(a.m, w, q, v, acc, tau);
    for (int j = 0; j < 6; j++) { // of rigid bodies and springs alone
      const ap_body_def *b = ap_body(a.m, j + 1);
      tau[j] -= b->viscous * v[j] + b->coulomb * ((v[j] > 0) - (v[j] < 0)) +
                b->gear_ratio * b->gear_ratio * b->rotor_inertia * acc[j];
    }
    ap_reduction_add(red, q, v, acc, tau);
  }
  ap_fit *fit = fit_by(&a, red, AP_FIT_QR);
  double p[MOST_P], value[MOST_P];
  ap_ident_nominal(a.id, p);
  ap_base_values(a.base, p, value);
  for (int k = 0; fit && k < ap_base_count(a.base); k++)
    CHECK_CLOSE(fit->value[k], value[k], 1e-8 * (1 + fabs(value[k])));
  int found = 0;
  for (int k = 0; k < ap_ident_count(a.id); k++)
    found += strstr(ap_ident_name(a.id, k), ".stiffness") && p[k] > 0;
  CHECK_EQ_INT(found, stiffness ? 2 : 0);
  ap_fit_free(fit), ap_reduction_free(red), arm_free(&a);
  free(memory);
}

TEST(springs_are_known_or_found) {
  find_springs(false);
  find_springs(true);
}
