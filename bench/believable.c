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
// Third table: the same noise in currents, whose gains are found with a load of a tenth of the
// robot's mass on the last body in a second log, its mass alone being known: the share of gains and
// of base parameters within 1.96 deviations, the mean relative error and the largest deviation of a
// gain.

#include <appell/drive_gains.h>
#include <appell/file.h>
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

// ---- gains -------------------------------------------------------------------------------------

static double gain_of(int j) { return (j % 2 ? -20 : 30) + j; }

// Currents, with the load where there is one; its parameters are looked for but for the mass.
static ap_dataset *currents(study *s, const double *load, double time) {
  ap_prepare_options how = ap_default_prepare();
  ap_error error = {.text = ""};
  ap_dataset *states = NULL;
  double *W = room(s->nv * s->np), *tau = room(STATES * s->nv), *t = room(STATES), *e = room(s->nv);
  double keep = time > 0 ? exp(-step / time) : 0;
  for (int j = 0; j < s->nv; j++) e[j] = normal();
  for (int i = 0; i < STATES; i++) {
    int at = i * s->nv;
    t[i] = step * i;
    ap_ident_rows(s->id, s->q + at, s->v + at, s->a + at, W);
    for (int j = 0; j < s->nv; j++) {
      e[j] = keep * e[j] + sqrt(1 - keep * keep) * normal();
      double force = s->tau[at + j] + 0.02 * s->rms[j] * e[j];
      for (int k = 0; load && k < 10; k++)
        force += W[j * s->np + 10 * (s->bodies - 1) + k] * load[k];
      tau[at + j] = force / gain_of(j);
    }
  }
  const ap_samples samples = {.n = STATES, .t = t, .q = s->q, .v = s->v, .a = s->a, .tau = tau};
  how.currents = true;
  if (ap_dataset_prepare(s->id, &samples, &how, &states, &error))
    printf("%s: %s\n", s->name, error.text);
  free(W), free(tau), free(t), free(e);
  return states;
}

static void show_gains(study *s, double time) {
  double mass = 0, inside = 0, count = 0, base = 0, parameters = 0, off = 0, worst = 0;
  for (int i = 0; i < s->bodies; i++) mass += 0.1 * s->truth[10 * i];
  const double load[10] = {mass, 0.02 * mass,  0, 0.1 * mass,  0.012 * mass, 0,
                           0,    0.012 * mass, 0, 0.002 * mass};
  const char *last = ap_ident_name(s->id, 10 * (s->bodies - 1));
  char link[64] = "";
  snprintf(link, sizeof link, "%.*s", (int)(strrchr(last, '.') - last), last);
  const ap_known_load known = {.link = link, .mass = mass};
  ap_drive_gain_options o = ap_default_drive_gains();
  o.load = &known;
  for (unsigned draw = 0; draw < DRAWS; draw++) {
    ap_drive_gains *g = NULL;
    ap_error error = {.text = ""};
    seed = 5000 + draw;
    ap_dataset *bare = currents(s, NULL, time), *loaded = currents(s, load, time);
    if (ap_drive_gains_find(s->id, s->base, bare, loaded, &o, &g, &error))
      printf("%s: %s\n", s->name, error.text);
    for (int j = 0; g && j < s->nv; j++, count++) {
      double x = g->gain[j] / gain_of(j) - 1, deviation = g->deviation[j] / fabs(gain_of(j));
      inside += fabs(x) <= 1.96 * deviation, off += x, worst = fmax(worst, deviation);
    }
    for (int k = 0; g && k < g->n; k++, parameters++)
      base += fabs(g->value[k] - s->value[k]) <= 1.96 * g->base_deviation[k];
    ap_drive_gains_free(g), ap_dataset_free(bare), ap_dataset_free(loaded);
  }
  printf("%-18s %8g %10.1f %14.1f %14.2g %18.2g\n", s->name, time, 100 * inside / count,
         100 * base / parameters, off / count, worst);
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
  printf("\n%-18s %8s %10s %14s %14s %18s\n", "gains", "time, s", "coverage %", "parameters %",
         "mean error", "largest deviation");
  for (int k = 0; k < n; k++) {
    if (study_make(&s, names[k]))
      for (int turn = 0; turn < 2; turn++) show_gains(&s, turn ? correlation : 0);
    study_free(&s);
  }
  return 0;
}
