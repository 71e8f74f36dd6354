// SPDX-License-Identifier: Apache-2.0
// Time per call of the Agile Wrist's closed form along the trajectory of Abedloo et al. (2014).
// Each time is the least of many runs.

#include <appell/wrist.h>

#include <math.h>
#include <stdio.h>

#include "clock.h"

enum { STATES = 256, RUNS = 2000 };

typedef struct state {
  double q[3], v[3], a[3], tau[3];
} state;

static state states[STATES];
static double sink;

static void kinematics(const ap_parallel *w, const state *s) {
  double y[6], yd[6], ydd[6];
  ap_parallel_inverse_kinematics(w, s->q, s->v, s->a, y, yd, ydd);
  sink += y[0];
}

static void inverse(const ap_parallel *w, const state *s) {
  double tau[3];
  ap_parallel_inverse_dynamics(w, s->q, s->v, s->a, tau);
  sink += tau[0];
}

static void inverse_f32(const ap_parallel *w, const state *s) {
  float q[3], v[3], a[3], tau[3];
  for (int i = 0; i < 3; i++) q[i] = (float)s->q[i], v[i] = (float)s->v[i], a[i] = (float)s->a[i];
  ap_parallel_inverse_dynamics_f32(w, q, v, a, tau);
  sink += (double)tau[0];
}

static void margins(const ap_parallel *w, const state *s) {
  ap_parallel_margin margin;
  ap_parallel_margins(w, s->q, &margin);
  sink += margin.sigma;
}

static void forward(const ap_parallel *w, const state *s) {
  double a[3];
  ap_parallel_forward_dynamics(w, s->q, s->v, s->tau, a);
  sink += a[0];
}

static void matrices(const ap_parallel *w, const state *s) {
  double M[9], C[9], G[3], J[9];
  ap_parallel_matrices(w, s->q, s->v, M, C, G, J);
  sink += M[0] + C[0] + G[0] + J[0];
}

static void measure(const char *name, void (*call)(const ap_parallel *, const state *),
                    const ap_parallel *w) {
  double least = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    double t = now();
    for (int k = 0; k < STATES; k++) call(w, &states[k]);
    least = fmin(least, (now() - t) / STATES);
  }
  printf("| %s | %.0f |\n", name, least);
}

int main(void) {
  static unsigned char memory[16384];
  const double pi = 3.14159265358979323846;
  const double amplitude[3] = {pi / 18, pi / 6, pi / 9}, rate[3] = {pi, pi / 2, 3 * pi / 2};
  ap_wrist_def def = ap_agile_wrist();
  ap_error error;
  const ap_parallel *w = ap_wrist_init(&def, memory, sizeof memory, &error);
  if (!w) return fprintf(stderr, "%s\n", error.text), 1;
  for (int k = 0; k < STATES; k++) {
    state *s = &states[k];
    double t = 4. * k / STATES;
    for (int i = 0; i < 3; i++) {
      s->q[i] = amplitude[i] * sin(rate[i] * t);
      s->v[i] = amplitude[i] * rate[i] * cos(rate[i] * t);
      s->a[i] = -rate[i] * rate[i] * s->q[i];
    }
    if (ap_parallel_inverse_dynamics(w, s->q, s->v, s->a, s->tau)) return 1;
  }
  printf("| agile-wrist | ns |\n|---|---|\n");
  measure("kinematics", kinematics, w);
  measure("inverse dynamics", inverse, w);
  measure("inverse dynamics in float", inverse_f32, w);
  measure("margins", margins, w);
  measure("forward dynamics", forward, w);
  measure("M, C, G and J_act", matrices, w);
  return isfinite(sink) ? 0 : 1;
}
