// SPDX-License-Identifier: Apache-2.0
// Abedloo, Molaei and Taghirad 2014: the closed form of the Agile Wrist against a simulator in
// maximal coordinates.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "abedloo_figures.h"
#include "abedloo_run.h"
#include "papers.h"

#define DEGREES (180 / WRIST_PI)

enum { STEPS = WRIST_STEPS_MOST, BRANCH_STEPS = 500 };

enum { GAIN, RATE_GAIN, AMPLITUDE };
static const paper_parameter parameters[] = {
    [GAIN] = {"gain", "N m/rad", 200, 1, 1e4, false,
              "of the controller, by the angle; the paper prints none"},
    [RATE_GAIN] = {"rate_gain", "N m s/rad", 1, 0.01, 100, false,
                   "of the controller, by the rate; the paper prints none"},
    [AMPLITUDE] = {"amplitude", "", 1, 0.1, 1.5, false,
                   "of the trajectory, times the paper's 10, 30 and 20 deg"},
    {0}};

/// Largest differences between simulator and closed form over a run, and sizes.
typedef struct wrist_errors {
  double angle, rate, acceleration, tau, energy, power;
  double most_tau, away; ///< away: of the platform's angles from equation 52
} wrist_errors;

/// Open loop, with longer and with half as long steps.
typedef struct open_loop {
  double deviation[2];
} open_loop;

/// What was found on one branch.
typedef struct finding {
  char name[16]; ///< "branch +++"
  wrist_errors errors;
  wrist_laws laws;
  wrist_distance distance;
  open_loop start; ///< the first half second
} finding;

typedef struct study {
  const char *plots;
  report *r;
  ap_error *error;
  wrist_gains gains;
  double amplitude;
  finding of[WRIST_BRANCHES];
  open_loop parts, second; ///< of branch +++: all half seconds, the worst; the first second
  wrist_run *run;
} study;

// ---- runs --------------------------------------------------------------------------------------

static void widen(double *most, double a, double b) { *most = fmax(*most, fabs(a - b)); }

static wrist_errors errors_of(const wrist_run *run) {
  wrist_errors e = {0};
  for (int k = 0; k < run->samples; k++) {
    const wrist_sample *s = &run->sample[k];
    for (int i = 0; i < WRIST_ANGLES; i++) {
      widen(&e.angle, remainder(s->angle[0][i] - s->angle[1][i], 2 * WRIST_PI), 0);
      widen(&e.rate, s->rate[0][i], s->rate[1][i]);
      widen(&e.acceleration, s->acceleration[0][i], s->acceleration[1][i]);
    }
    for (int i = 0; i < 3; i++) {
      widen(&e.tau, s->tau[0][i], s->tau[1][i]);
      widen(&e.most_tau, s->tau[0][i], 0);
      widen(&e.away, s->q[i], s->wanted[i]);
    }
    widen(&e.energy, s->energy[0], s->energy[1]);
    widen(&e.power, s->power[0], s->power[1]);
  }
  return e;
}

// The worse of what is there and this stretch, in its steps and in twice as many.
static ap_status add_open_loop(const wrist_lab *l, wrist_stretch stretch, open_loop *o,
                               ap_error *error) {
  for (int n = 0; n < 2; n++) {
    double deviation;
    ap_status status = wrist_open_loop(l, stretch, &deviation, error);
    if (status != AP_OK) return status;
    o->deviation[n] = fmax(o->deviation[n], deviation);
    stretch.steps *= 2;
  }
  return AP_OK;
}

// What is run on branch +++ alone, and the figures of it.
static ap_status study_first(study *s, const wrist_lab *l) {
  ap_status status = wrist_drive(l, s->gains, STEPS, s->run, s->error);
  if (status == AP_OK && s->plots) status = wrist_figures(s->run, s->plots, s->error);
  for (int k = 0; k < 8 && status == AP_OK; k++)
    status = add_open_loop(l, (wrist_stretch){0.5 * k, 0.5 * k + 0.5, 50}, &s->parts, s->error);
  if (status == AP_OK) status = add_open_loop(l, (wrist_stretch){0, 1, 100}, &s->second, s->error);
  return status;
}

static ap_status study_branch(study *s, int branch, wrist_run *run) {
  finding *f = &s->of[branch];
  wrist_lab l;
  char sign[3];
  for (int i = 0; i < 3; i++) sign[i] = branch >> i & 1 ? '-' : '+';
  snprintf(f->name, sizeof f->name, "branch %.3s", sign);
  ap_status status = wrist_make(branch, s->amplitude, &l, s->error);
  if (status == AP_OK)
    status =
        branch == 0 ? study_first(s, &l) : wrist_drive(&l, s->gains, BRANCH_STEPS, run, s->error);
  if (status == AP_OK) f->errors = errors_of(branch == 0 ? s->run : run);
  if (status == AP_OK) status = wrist_check_laws(&l, &f->laws, s->error);
  if (status == AP_OK) status = wrist_measure_distance(&l, &f->distance, s->error);
  if (status == AP_OK) status = add_open_loop(&l, (wrist_stretch){0, 0.5, 50}, &f->start, s->error);
  wrist_free(&l);
  return status;
}

static ap_status study_all(study *s) {
  wrist_run *run = malloc(sizeof *run);
  s->run = malloc(sizeof *s->run);
  ap_status status = AP_OK;
  if (!run || !s->run) {
    *s->error = (ap_error){.status = status = AP_E_MEMORY};
    snprintf(s->error->text, sizeof s->error->text, "no memory for runs of the wrist");
  }
  for (int branch = 0; branch < WRIST_BRANCHES && status == AP_OK; branch++)
    status = study_branch(s, branch, run);
  free(run);
  return status;
}

// ---- rows --------------------------------------------------------------------------------------

/// A quantity of a finding: a row of branch +++, a detail of each other one.
typedef struct quantity {
  const char *name, *unit;
  double printed;
  double (*of)(const finding *f);
  const char *note;
  int digits; ///< 0: as many as it takes
} quantity;

// What cannot be (NAN) has no row.
static void report_quantities(study *s, const quantity *list, int n) {
  for (int b = 0; b < WRIST_BRANCHES; b++)
    for (int k = 0; k < n; k++) {
      const quantity *x = &list[k];
      const double ours = x->of(&s->of[b]);
      if (isnan(ours)) continue;
      if (b == 0)
        report_row(s->r, x->name, x->unit, x->printed, ours, x->note);
      else
        report_detail(s->r, s->of[b].name, x->name, x->unit, x->printed, ours, x->note);
      report_digits(s->r, x->digits);
    }
}

// ---- section IV --------------------------------------------------------------------------------

#define LINKS "1.378 kg/m are printed, the length is that of the assumed arc"

static void report_wrist(study *s) {
  const ap_wrist_def def = ap_agile_wrist();
  const ap_wrist_limb *l = &def.limb[0];
  report *r = s->r;
  report_item(r, "Section IV", "the Agile Wrist, as printed and as assumed");
  report_remark(r,
                "The paper leaves open, and is taken here: links are uniform thin arcs about O; "
                "their radius is %g m; the centre of mass of the platform is at (0, 0, %g) m; its "
                "inertia is about O; all limbs have the branch + unless another is named. Hence "
                "the paper's torque curves cannot come out again; what can is how closely a "
                "simulator and the closed form agree.",
                l->first.mass / (1.378 * l->alpha1), def.platform.com[2]);
  report_remark(r, "The equations are run with their errata corrected (docs/theory.md).");
  report_row(r, "gamma", "deg", NAN, l->gamma * DEGREES, "printed as acos(sqrt(3)/3)");
  report_row(r, "beta", "deg", NAN, l->beta * DEGREES, "printed as asin(sqrt(3)/3)");
  report_row(r, "alpha1", "deg", 80, l->alpha1 * DEGREES, NULL);
  report_row(r, "alpha2", "deg", 70, l->alpha2 * DEGREES, NULL);
  report_row(r, "mass of the first link", "kg", NAN, l->first.mass, LINKS);
  report_row(r, "mass of the second link", "kg", NAN, l->second.mass, LINKS);
  report_row(r, "mass of the platform", "kg", 1.351, def.platform.mass, NULL);
  report_row(r, "inertia of the platform, xx and yy", "kg m2", 38.29e-4, def.platform.inertia[0],
             NULL);
  report_row(r, "inertia of the platform, zz", "kg m2", 4.5e-4, def.platform.inertia[5], NULL);
}

// ---- equation 52 -------------------------------------------------------------------------------

static double least_angle(const finding *f) { return f->distance.angle[0] * DEGREES; }
static double most_angle(const finding *f) { return f->distance.angle[1] * DEGREES; }
static double serial(const finding *f) { return f->distance.serial * DEGREES; }
static double serial_at(const finding *f) { return f->distance.serial_at; }
static double least_serial(const finding *f) { return f->distance.h; }
static double parallel(const finding *f) { return f->distance.parallel; }
static double sigma(const finding *f) { return f->distance.sigma; }
static double sigma_at(const finding *f) { return f->distance.sigma_at; }
static double cos_q1(const finding *f) { return f->distance.cos_q1; }
static double until_serial(const finding *f) { return f->distance.until_serial; }
static double until_parallel(const finding *f) { return f->distance.until_parallel; }

static void report_distances(study *s) {
  static const quantity list[] = {
      {"least angle between u and v", "deg", NAN, least_angle, "a limb is folded at 10 deg", 0},
      {"largest angle between u and v", "deg", NAN, most_angle, "a limb is stretched at 150 deg",
       0},
      {"serial: least angle that is left", "deg", NAN, serial, NULL, 0},
      {"serial: time of it", "s", NAN, serial_at, NULL, 0},
      {"serial: least |h|", "", NAN, least_serial, NULL, 0},
      {"serial: amplitudes that meet it, times", "", NAN, until_serial, NULL, 5},
      {"parallel: least |det| of unit vectors", "", NAN, parallel, NULL, 0},
      {"parallel: least singular value", "", NAN, sigma, NULL, 0},
      {"parallel: time of it", "s", NAN, sigma_at, NULL, 0},
      {"parallel: amplitudes that meet it, times", "", NAN, until_parallel, NULL, 5},
      {"Euler angles: least cosine of the second", "", NAN, cos_q1, NULL, 0}};
  report_item(s->r, "Equation 52", "the trajectory, and how far it is from singular poses");
  report_remark(s->r,
                "Amplitudes of %g, %g and %g deg at pi, pi/2 and 3 pi/2 rad/s, in radians and with "
                "a cosine in the velocity, where 'con' is printed. The paper does not speak of "
                "singularities. The serial kind, h = 0, and the parallel kind, det [p_11 p_12 "
                "p_13] = 0, are told apart.",
                10 * s->amplitude, 30 * s->amplitude, 20 * s->amplitude);
  report_remark(s->r,
                "Branches of --all without amplitudes for the parallel kind meet the serial "
                "kind first.");
  report_quantities(s, list, sizeof list / sizeof *list);
}

// ---- Figs. 4 to 7 ------------------------------------------------------------------------------

static double away(const finding *f) { return f->errors.away; }
static double most_tau(const finding *f) { return f->errors.most_tau; }
static double tau_error(const finding *f) { return f->errors.tau; }
static double angle_error(const finding *f) { return f->errors.angle; }
static double rate_error(const finding *f) { return f->errors.rate; }
static double acceleration_error(const finding *f) { return f->errors.acceleration; }

static void report_simulator(study *s) {
  report_item(s->r, "Fig. 4", "the simulator and its controller");
  report_remark(s->r,
                "In place of SimMechanics: seven free bodies and nine revolute joints of five "
                "equations each with multipliers, nothing of the closed form in them, classical "
                "Runge-Kutta steps of %g ms. 'High gain' is all that the paper says of its PD "
                "controller. Here each motor has one, towards the angle that belongs to equation "
                "52, without feedforward, for %g s from a start on the trajectory.",
                1e3 * WRIST_END / STEPS, WRIST_END);
  report_row(s->r, "gain of the angle", "N m/rad", NAN, s->gains.p, "chosen here");
  report_row(s->r, "gain of the rate", "N m s/rad", NAN, s->gains.d, "chosen here");
  report_row(s->r, "largest gap of the joints before correction", "", NAN, s->run->drift,
             "m or rad; each step ends with the joints closed");
  report_digits(s->r, 2);
}

#define ORDER "the paper tells an order of magnitude"

static void report_verification(study *s) {
  static const quantity trajectory[] = {
      {"platform, largest distance from equation 52", "rad", NAN, away,
       "of the controller: no error of the closed form, which gets the motion that came out", 0},
      {"joints, largest difference", "rad", 1e-7, angle_error, ORDER, 2}};
  static const quantity torques[] = {
      {"largest torque", "N m", NAN, most_tau, NULL, 0},
      {"largest difference", "N m", 1e-5, tau_error, ORDER, 2},
  };
  static const quantity kinematics[] = {
      {"position, largest difference", "rad", 1e-7, angle_error, ORDER, 2},
      {"velocity, largest difference", "rad/s", 1e-6, rate_error, ORDER, 2},
      {"acceleration, largest difference", "rad/s2", 1e-5, acceleration_error, ORDER, 2}};
  report_item(s->r, "Fig. 5", "trajectory of simulator and model");
  report_remark(s->r,
                "The model is given the simulator's platform, angles, rates and "
                "accelerations, and returns those of the joints: motors and elbows.");
  report_quantities(s, trajectory, sizeof trajectory / sizeof *trajectory);
  report_item(s->r, "Fig. 6", "torques of simulator and model");
  report_remark(s->r,
                "The controller's torques beside those that the model finds for the motion "
                "that they make.");
  report_quantities(s, torques, sizeof torques / sizeof *torques);
  report_item(s->r, "Fig. 7", "joint variables of the simulator less those of the model");
  report_remark(s->r,
                "Over all six joints. Both sides are evaluated at the same states, so that "
                "rounding alone is left; where the paper's errors come from it does not "
                "say.");
  report_quantities(s, kinematics, sizeof kinematics / sizeof *kinematics);
}

// ---- laws --------------------------------------------------------------------------------------

static double asymmetry(const finding *f) { return f->laws.asymmetry; }
static double least_eigenvalue(const finding *f) { return f->laws.least_eigenvalue; }
static double our_skew(const finding *f) { return f->laws.skew[0]; }
static double paper_skew(const finding *f) { return f->laws.skew[1]; }
static double coriolis_apart(const finding *f) { return f->laws.apart; }
static double coriolis_size(const finding *f) { return f->laws.size; }
static double balance(const finding *f) { return f->laws.balance; }
static double turnover(const finding *f) { return f->laws.turnover; }
static double energy_error(const finding *f) { return f->errors.energy; }
static double power_error(const finding *f) { return f->errors.power; }

static void report_laws(study *s) {
  static const quantity matrices[] = {
      {"largest |M - M^T|", "kg m2", NAN, asymmetry, NULL, 2},
      {"least eigenvalue of M", "kg m2", NAN, least_eigenvalue, NULL, 0},
      {"largest |X + X^T|, X = M' - 2C, our C", "N m s", NAN, our_skew,
       "M' by differences of M of order 8", 2},
      {"largest |X + X^T|, X = M' - 2C, the paper's C", "N m s", NAN, paper_skew,
       "equations 21, 47 and 48 as printed: not skew", 0},
      {"largest |C v|", "N m", NAN, coriolis_size, NULL, 0},
      {"largest |C v - C v|, our C and the paper's", "N m", NAN, coriolis_apart,
       "the forces are the same", 2},
  };
  static const quantity energy[] = {
      {"largest change of energy", "J", NAN, turnover, NULL, 0},
      {"largest change of energy less work of the motors", "J", NAN, balance,
       "work by Gauss's three points every 10 ms", 2},
      {"energy, simulator less model, largest", "J", NAN, energy_error, NULL, 2},
      {"power of the simulator's motors less Q . v of the model, largest", "W", NAN, power_error,
       NULL, 2},
  };
  report_item(s->r, "Equation 21", "laws of the matrices along the trajectory");
  report_remark(s->r,
                "The paper proves and prints nothing of them. Controllers need M symmetric "
                "and positive definite and M' - 2C skew.");
  report_quantities(s, matrices, sizeof matrices / sizeof *matrices);
  report_item(s->r, "Equation 49", "energy");
  report_remark(s->r,
                "The first two rows along equation 52, the others along the simulator's "
                "motion.");
  report_quantities(s, energy, sizeof energy / sizeof *energy);
}

// ---- open loop ---------------------------------------------------------------------------------

static void report_pair(report *r, const char *narrowed, const open_loop *o, const double step[2]) {
  for (int n = 0; n < 2; n++) {
    char name[64];
    snprintf(name, sizeof name, "deviation, steps of %g ms", step[n]);
    if (narrowed[0] == 'b')
      report_detail(r, narrowed, name, "rad", NAN, o->deviation[n], NULL);
    else
      report_narrowed_row(r, narrowed, name, "rad", NAN, o->deviation[n], NULL);
  }
  const double ratio = o->deviation[0] / o->deviation[1];
  static const char note[] = "16 where all of the deviation is the integrator's, of order 4";
  if (narrowed[0] == 'b')
    report_detail(r, narrowed, "ratio of the two", "", NAN, ratio, note);
  else
    report_narrowed_row(r, narrowed, "ratio of the two", "", NAN, ratio, note);
}

static void report_open_loop(study *s) {
  const double step[2] = {10, 5};
  report_item(s->r, "Open loop", "the simulator driven by the model's torques alone");
  report_remark(s->r,
                "Not in the paper. No controller: a wrong torque would not be corrected. The "
                "deviation is the angle between the platform and where equation 52 wants it, at "
                "the end. The platform stands above O like a pendulum on its head, so that what "
                "deviates grows, here %.0f-fold from 0.5 s to 1 s; over 4 s no arithmetic of 16 "
                "digits holds it. So each half second starts on the trajectory again.",
                s->second.deviation[0] / s->of[0].start.deviation[0]);
  report_pair(s->r, "eight half seconds, the worst", &s->parts, step);
  report_pair(s->r, "first second at once", &s->second, step);
  for (int b = 1; b < WRIST_BRANCHES; b++) {
    char narrowed[48];
    snprintf(narrowed, sizeof narrowed, "%s, first half second", s->of[b].name);
    report_pair(s->r, narrowed, &s->of[b].start, step);
  }
}

// ---- the paper ---------------------------------------------------------------------------------

static ap_status run(const paper_options *options, report *r, ap_error *error) {
  *error = (ap_error){0};
  const paper *p = &paper_abedloo2014;
  study s = {.plots = options ? options->plots : NULL,
             .r = r,
             .error = error,
             .gains = {paper_value(p, options, GAIN), paper_value(p, options, RATE_GAIN)},
             .amplitude = paper_value(p, options, AMPLITUDE)};
  char changed[128];
  report_wrist(&s);
  paper_is_changed(p, options, paper_parameters(p), changed, sizeof changed);
  report_changed(r, changed);
  ap_status status = study_all(&s);
  if (status == AP_OK) {
    report_distances(&s);
    report_simulator(&s);
    report_verification(&s);
    report_laws(&s);
    report_open_loop(&s);
  }
  report_changed(r, "");
  free(s.run);
  return status;
}

const paper paper_abedloo2014 = {
    "abedloo2014",
    "Closed-form dynamic formulation of spherical parallel manipulators by Gibbs-Appell method",
    "E. Abedloo, A. Molaei, H. D. Taghirad, 2014",
    run,
    parameters,
};
