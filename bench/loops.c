// Time of the dynamics of the built-in mechanisms by the general recipe: a motion in steps of 1 ms,
// so that each call assembles the mechanism anew from the last configuration. Each figure is the
// least mean of ten calls in a row, in microseconds.

#include <appell/loop.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 30, STEPS = 200, STRETCH = 10, N = 6 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

// A smooth motion about the mechanism's first configuration.
static void motion(const double *middle, int n, double t, double *q, double *v, double *a) {
  for (int i = 0; i < n; i++) {
    double size = 0.03 + 0.005 * i, w = 2 + 0.3 * i;
    q[i] = middle[i] + size * sin(w * t);
    v[i] = size * w * cos(w * t);
    a[i] = -size * w * w * sin(w * t);
  }
}

typedef enum task { PLACE, INVERSE, INVERSE_THERE, FORWARD, MATRICES } task;

static ap_status call(task what, const ap_mechanism *m, ap_loop *l, const double *q,
                      const double *v, const double *a) {
  double out[N], M[N * N];
  ap_status status = AP_OK;
  switch (what) {
    case PLACE: return ap_loop_place(m, l, q, NULL);
    case INVERSE:
    case INVERSE_THERE: return ap_loop_inverse_dynamics(m, l, q, v, a, out);
    case FORWARD: return ap_loop_forward_dynamics(m, l, q, v, a, out);
    case MATRICES:
      status = ap_loop_inertia_matrix(m, l, q, M);
      if (!status) status = ap_loop_coriolis_matrix(m, l, q, v, M);
      if (!status) status = ap_loop_gravity_forces(m, l, q, out);
  }
  return status;
}

static double measure(task what, const ap_mechanism *m, ap_loop *l, const double *middle) {
  double least = INFINITY, q[N], v[N], a[N];
  for (int run = 0; run < RUNS; run++) {
    motion(middle, ap_mechanism_n(m), 0, q, v, a);
    if (ap_loop_place(m, l, q, NULL)) return NAN;
    double start = now();
    for (int i = 0; i < STEPS; i++) {
      if (what != INVERSE_THERE) motion(middle, ap_mechanism_n(m), 1e-3 * (i + 1), q, v, a);
      if (call(what, m, l, q, v, a)) return NAN;
      if (i % STRETCH != STRETCH - 1) continue;
      double end = now();
      least = fmin(least, (end - start) / STRETCH);
      start = end;
    }
  }
  return least;
}

int main(void) {
  printf(
      "| mechanism | place | inverse dynamics | the same, placed already | forward | M, C, G |\n"
      "|---|---|---|---|---|---|\n");
  for (int i = 0; ap_mechanism_builtin_name(i); i++) {
    const ap_mechanism_def *def = ap_mechanism_builtin(ap_mechanism_builtin_name(i));
    size_t size = ap_mechanism_size(def);
    void *memory = malloc(size);
    ap_mechanism *m = ap_mechanism_init(def, memory, size, NULL);
    if (!m) return 1;
    size = ap_loop_size(m);
    void *work = malloc(size);
    ap_loop *l = ap_loop_init(m, work, size);
    double middle[N];
    if (!l) return 1;
    ap_loop_errors(m, l, ap_mechanism_guess(m), NULL, middle);
    printf("| %s |", ap_mechanism_name(m));
    for (task what = PLACE; what <= MATRICES; what++)
      printf(" %.1f |", measure(what, m, l, middle));
    printf("\n");
    free(work);
    free(memory);
  }
  return 0;
}
