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

static void kinematics(const ap_wrist *w, const state *s) {
  ap_wrist_motion m;
  ap_wrist_kinematics(w, s->q, s->v, s->a, &m, NULL);
  sink += m.theta[0];
}

static void inverse(const ap_wrist *w, const state *s) {
  double tau[3];
  ap_wrist_inverse_dynamics(w, s->q, s->v, s->a, tau, NULL);
  sink += tau[0];
}

static void inverse_with_margins(const ap_wrist *w, const state *s) {
  ap_wrist_margin margin;
  double tau[3];
  ap_wrist_inverse_dynamics(w, s->q, s->v, s->a, tau, &margin);
  sink += tau[0] + margin.sigma;
}

static void forward(const ap_wrist *w, const state *s) {
  double a[3];
  ap_wrist_forward_dynamics(w, s->q, s->v, s->tau, a, NULL);
  sink += a[0];
}

static void matrices(const ap_wrist *w, const state *s) {
  double M[9], C[9], G[3], J[9];
  ap_wrist_matrices(w, s->q, s->v, M, C, G, J, NULL);
  sink += M[0] + C[0] + G[0] + J[0];
}

static void measure(const char *name, void (*call)(const ap_wrist *, const state *),
                    const ap_wrist *w) {
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
  const ap_wrist *w = ap_wrist_init(&def, memory, sizeof memory, &error);
  if (!w) return fprintf(stderr, "%s\n", error.text), 1;
  for (int k = 0; k < STATES; k++) {
    state *s = &states[k];
    double t = 4. * k / STATES;
    for (int i = 0; i < 3; i++) {
      s->q[i] = amplitude[i] * sin(rate[i] * t);
      s->v[i] = amplitude[i] * rate[i] * cos(rate[i] * t);
      s->a[i] = -rate[i] * rate[i] * s->q[i];
    }
    if (ap_wrist_inverse_dynamics(w, s->q, s->v, s->a, s->tau, NULL)) return 1;
  }
  printf("| agile-wrist | ns |\n|---|---|\n");
  measure("kinematics", kinematics, w);
  measure("inverse dynamics", inverse, w);
  measure("inverse dynamics with margins", inverse_with_margins, w);
  measure("forward dynamics", forward, w);
  measure("M, C, G and J_act", matrices, w);
  return isfinite(sink) ? 0 : 1;
}
