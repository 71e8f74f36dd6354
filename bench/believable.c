// SPDX-License-Identifier: Apache-2.0
// What identification says about a robot that is known: masses, and coverage of intervals.
//
//     build/bench/believable [ROBOT...]      files or built-in names; three built-in ones by
//     default
//
// The true robot has masses and inertias off those of the file by up to 30 %, friction, and rotors.
// The log is of a motion with three sines per joint, 20 s at 100 Hz.
//
// First table: forces without noise. How many masses are marked identifiable, the worst of them,
// the worst of the others, each relative to the truth, and the worst without a prior (sigma = 700).
// Second table: 30 draws of noise of 2 % of the forces, white and with a correlation time of 0.1 s:
// the share of base parameters within 1.96 deviations of the truth, also with deviations that take
// the noise for white; and of standard parameters of the consistent fit.

#include <appell/file.h>
#include <appell/ident.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 2000, DRAWS = 30, WAVES = 3 };
static const double step = 0.01, correlation = 0.1;

static unsigned long long seed;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static double normal(void) {
  double sum = -6;
  for (int k = 0; k < 12; k++) sum += uniform(0, 1);
  return sum;
}

typedef struct study {
  const char *name;
  ap_robot *robot;
  ap_model *m;
  ap_ident *id;
  ap_base *base;
  int nv, np, bodies;
  double *truth, *value;   // [np], [n]
  double *q, *v, *a, *tau; // [STATES * nv]
  double *rms;             // [nv]
} study;

static double *room(int count) { return calloc((size_t)count + 1, sizeof(double)); }

// Bodies scaled and their centres moved a little; rotors and friction of a size that shows.
static void choose_truth(study *s) {
  ap_ident_nominal(s->id, s->truth);
  for (int i = 0; i < 10 * s->bodies; i += 10) {
    double factor = uniform(0.7, 1.3);
    for (int k = 0; k < 10; k++) s->truth[i + k] *= factor;
  }
  for (int k = 10 * s->bodies; k < s->np; k++) {
    bool rotor = strstr(ap_ident_name(s->id, k), ".rotor") != NULL;
    s->truth[k] = rotor && s->truth[k] > 0 ? s->truth[k] * uniform(0.7, 1.3) : uniform(0.1, 1);
  }
  ap_base_values(s->base, s->truth, s->value);
}

static void move(study *s) {
  double *W = room(s->nv * s->np);
  for (int j = 0; j < s->nv; j++)
    for (int k = 0; k < WAVES; k++) {
      double x = uniform(0.2, 0.6), f = uniform(1, 5), phase = uniform(0, 6.28);
      for (int i = 0; i < STATES; i++) {
        int at = i * s->nv + j;
        double angle = f * step * i + phase;
        s->q[at] += x * sin(angle), s->v[at] += x * f * cos(angle);
        s->a[at] -= x * f * f * sin(angle);
      }
    }
  for (int i = 0; W && i < STATES; i++) {
    int at = i * s->nv;
    ap_ident_rows(s->id, s->q + at, s->v + at, s->a + at, W);
    for (int j = 0; j < s->nv; j++) {
      for (int k = 0; k < s->np; k++) s->tau[at + j] += W[j * s->np + k] * s->truth[k];
      s->rms[j] += s->tau[at + j] * s->tau[at + j] / STATES;
    }
  }
  for (int j = 0; j < s->nv; j++) s->rms[j] = sqrt(s->rms[j]);
  free(W);
}

static bool study_make(study *s, const char *name) {
  const ap_ident_options look_for = {.rotor = true, .viscous = true, .coulomb = true};
  ap_error error = {.text = ""};
  *s = (study){.name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name};
  ap_status status = ap_robot_builtin(name, NULL, &s->robot, &error);
  if (status) status = ap_robot_read(name, NULL, &s->robot, &error);
  if (!status) status = ap_robot_model(s->robot, &s->m, &error);
  if (!status) status = ap_ident_create(s->m, &look_for, &s->id, &error);
  if (!status) status = ap_base_find(s->id, AP_BASE_QR, &s->base, &error);
  if (status || ap_nq(s->m) != ap_nv(s->m)) {
    printf("%s: %s\n", name, status ? error.text : "not only simple joints");
    return false;
  }
  s->nv = ap_nv(s->m), s->np = ap_ident_count(s->id), s->bodies = ap_moving_bodies(s->m);
  s->truth = room(s->np), s->value = room(s->np), s->rms = room(s->nv);
  s->q = room(STATES * s->nv), s->v = room(STATES * s->nv), s->a = room(STATES * s->nv);
  s->tau = room(STATES * s->nv);
  seed = 7;
  choose_truth(s);
  move(s);
  return true;
}

static void study_free(study *s) {
  free(s->truth), free(s->value), free(s->rms), free(s->q), free(s->v), free(s->a), free(s->tau);
  ap_base_free(s->base), ap_ident_free(s->id), ap_model_free(s->m), ap_robot_free(s->robot);
}

// A fit with noise of a part of each joint's force, correlated over `time` seconds (0: white).
static ap_fit *fit_of(study *s, ap_fit_method method, double noise, double time, double prior,
                      unsigned draw) {
  ap_reduction *r = NULL;
  ap_fit *fit = NULL;
  ap_fit_options options = ap_default_fit();
  ap_error error = {.text = ""};
  double *e = room(s->nv), *tau = room(s->nv), keep = time > 0 ? exp(-step / time) : 0;
  options.prior = prior;
  seed = 1000 + draw;
  for (int j = 0; j < s->nv; j++) e[j] = normal();
  ap_status status = ap_reduction_create(s->id, 1, &r, &error);
  for (int i = 0; !status && i < STATES; i++) {
    int at = i * s->nv;
    for (int j = 0; j < s->nv; j++) {
      e[j] = keep * e[j] + sqrt(1 - keep * keep) * normal();
      tau[j] = s->tau[at + j] + noise * s->rms[j] * e[j];
    }
    ap_reduction_add(r, s->q + at, s->v + at, s->a + at, tau);
  }
  if (!status) status = ap_fit_make(r, s->base, method, &options, &fit, &error);
  if (status) printf("%s: %s\n", s->name, error.text);
  ap_reduction_free(r), free(e), free(tau);
  return fit;
}

// ---- masses ------------------------------------------------------------------------------------

static void show_masses(study *s, bool all) {
  ap_fit *fit = fit_of(s, AP_FIT_CONSISTENT, 0, 0, 0, 0);
  ap_fit *free_fit = fit_of(s, AP_FIT_CONSISTENT, 0, 0, 700, 0);
  int sure = 0, rotors = 0, sure_rotors = 0;
  double worst[3] = {0, 0, 0}, worst_rotor = 0;
  for (int i = 0; fit && free_fit && i < s->bodies; i++) {
    double want = s->truth[10 * i], off = fit->parameter[10 * i] / want - 1;
    bool known = ap_fit_identifiable(fit, 10 * i);
    sure += known;
    worst[!known] = fmax(worst[!known], fabs(off));
    worst[2] = fmax(worst[2], fabs(free_fit->parameter[10 * i] / want - 1));
    if (all)
      printf("  %-28s true %8.4f found %8.4f +- %-8.2g by forces %5.1f %%  %-16s no prior %8.4f\n",
             ap_ident_name(s->id, 10 * i), want, fit->parameter[10 * i],
             fit->parameter_deviation[10 * i], 100 * fit->determined[10 * i],
             known ? "identifiable" : "not identifiable", free_fit->parameter[10 * i]);
  }
  for (int k = 10 * s->bodies; fit && k < s->np; k++) {
    if (!strstr(ap_ident_name(s->id, k), ".rotor")) continue;
    rotors++;
    if (!ap_fit_identifiable(fit, k)) continue;
    sure_rotors++;
    worst_rotor = fmax(worst_rotor, fabs(fit->parameter[k] / s->truth[k] - 1));
  }
  if (fit && free_fit)
    printf("%-18s %7.3g %4d of %-3d %9.2g %9.2g %9.3g %6d of %-3d %9.2g\n", s->name, fit->prior,
           sure, s->bodies, worst[0], worst[1], worst[2], sure_rotors, rotors, worst_rotor);
  ap_fit_free(fit), ap_fit_free(free_fit);
}

// ---- coverage ----------------------------------------------------------------------------------

static void show_coverage(study *s, double time) {
  double inside = 0, white = 0, standard = 0, count = 0, parameters = 0, inflation = 0, masses = 0;
  for (unsigned draw = 0; draw < DRAWS; draw++) {
    ap_fit *fit = fit_of(s, AP_FIT_WEIGHTED, 0.02, time, 0, draw);
    ap_fit *whole = fit_of(s, AP_FIT_CONSISTENT, 0.02, time, 0, draw);
    for (int k = 0; fit && k < fit->n; k++) {
      double off = fabs(fit->value[k] - s->value[k]);
      inside += off <= 1.96 * fit->deviation[k], count++;
      white += off <= 1.96 * fit->deviation[k] / sqrt(fit->inflation);
    }
    inflation += fit ? fit->inflation / DRAWS : 0;
    for (int k = 0; whole && k < s->np; k++) {
      double off = fabs(whole->parameter[k] - s->truth[k]);
      standard += off <= 1.96 * whole->parameter_deviation[k], parameters++;
      if (k < 10 * s->bodies && k % 10 == 0 && ap_fit_identifiable(whole, k))
        masses = fmax(masses, off / s->truth[k]);
    }
    ap_fit_free(fit), ap_fit_free(whole);
  }
  printf("%-18s %8g %10.1f %14.1f %10.3g %16.1f %12.2g\n", s->name, time, 100 * inside / count,
         100 * white / count, inflation, 100 * standard / parameters, masses);
}

int main(int argc, char **argv) {
  static char *const builtin[] = {"puma600", "stanford", "scara"};
  char *const *names = argc > 1 ? argv + 1 : builtin;
  int n = argc > 1 ? argc - 1 : 3;
  bool all = n > 1 && strcmp(names[0], "-v") == 0;
  if (all) names++, n--;
  study s;
  printf("%-18s %7s %-11s %9s %9s %9s %-13s %9s\n", "without noise", "prior", "sure masses",
         "worst", "others", "no prior", "  sure rotors", "worst");
  for (int k = 0; k < n; k++) {
    if (study_make(&s, names[k])) show_masses(&s, all);
    study_free(&s);
  }
  printf("\n%-18s %8s %10s %14s %10s %16s %12s\n", "noise of 2 %", "time, s", "coverage %",
         "if white %", "inflation", "standard %", "sure masses");
  for (int k = 0; k < n; k++) {
    if (study_make(&s, names[k]))
      for (int turn = 0; turn < 2; turn++) show_coverage(&s, turn ? correlation : 0);
    study_free(&s);
  }
  return 0;
}
