// SPDX-License-Identifier: Apache-2.0
// Time of the dynamics of the built-in mechanisms by the general recipe, and by the closed forms of
// those that have one: a motion in steps of 1 ms, so that the general recipe assembles the
// mechanism anew from the last configuration in each call. Each figure is the least mean of ten
// calls in a row, in microseconds; both ways take turns in one run, and the ratio is that of the
// two figures.

#include <appell/loop.h>
#include <appell/parallel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 30, STEPS = 200, STRETCH = 10, N = 6 };

typedef enum task { PLACE, INVERSE, INVERSE_THERE, FORWARD, MATRICES, TASKS } task;
static const char *const names[] = {"place", "inverse dynamics", "the same, placed already",
                                    "forward", "M, C, G"};

typedef struct state {
  double q[N], v[N], a[N];
} state;

// One way to compute a mechanism.
typedef struct way {
  ap_status (*call)(const struct way *w, task what, const state *s);
  ap_mechanism *m;
  ap_loop *l;
  const ap_parallel *closed;
} way;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

// ---- the ways ----------------------------------------------------------------------------------

static ap_status general(const way *w, task what, const state *s) {
  double out[N], M[N * N];
  ap_status status = AP_OK;
  switch (what) {
    case PLACE: return ap_loop_place(w->m, w->l, s->q, NULL);
    case FORWARD: return ap_loop_forward_dynamics(w->m, w->l, s->q, s->v, s->a, out);
    case MATRICES:
      status = ap_loop_inertia_matrix(w->m, w->l, s->q, M);
      if (!status) status = ap_loop_coriolis_matrix(w->m, w->l, s->q, s->v, M);
      if (!status) status = ap_loop_gravity_forces(w->m, w->l, s->q, out);
      return status;
    default: return ap_loop_inverse_dynamics(w->m, w->l, s->q, s->v, s->a, out);
  }
}

static ap_status closed(const way *w, task what, const state *s) {
  double out[9], M[9], C[9];
  switch (what) {
    case PLACE: return ap_parallel_inverse_kinematics(w->closed, s->q, NULL, NULL, out, NULL, NULL);
    case FORWARD: return ap_parallel_forward_dynamics(w->closed, s->q, s->v, s->a, out);
    case MATRICES: return ap_parallel_matrices(w->closed, s->q, s->v, M, C, out, NULL);
    default: return ap_parallel_inverse_dynamics(w->closed, s->q, s->v, s->a, out);
  }
}

// ---- measuring ---------------------------------------------------------------------------------

// A smooth motion about the mechanism's first configuration.
static void motion(const double *middle, int n, double t, state *s) {
  for (int i = 0; i < n; i++) {
    double size = 0.03 + 0.005 * i, w = 2 + 0.3 * i;
    s->q[i] = middle[i] + size * sin(w * t);
    s->v[i] = size * w * cos(w * t);
    s->a[i] = -size * w * w * sin(w * t);
  }
}

// Lowers *least to the best mean of this run; false where a call fails.
static bool measure(const way *w, task what, const state *s, double *least) {
  if (w->call(w, PLACE, &s[0])) return false;
  double start = now();
  for (int i = 0; i < STEPS; i++) {
    if (w->call(w, what, &s[what == INVERSE_THERE ? 0 : i + 1])) return false;
    if (i % STRETCH != STRETCH - 1) continue;
    double end = now();
    *least = fmin(*least, (end - start) / STRETCH);
    start = end;
  }
  return true;
}

// Both ways by turns, in rows "what | general | closed | ratio".
static bool compare(const char *name, const way *both, const state *s) {
  for (task what = PLACE; what < TASKS; what++) {
    double least[2] = {INFINITY, INFINITY};
    for (int run = 0; run < RUNS; run++)
      for (int k = 0; k < 2; k++)
        if (both[k].call && !measure(&both[k], what, s, &least[k])) return false;
    printf("| %s | %s | %.1f |", name, names[what], least[0]);
    if (both[1].call)
      printf(" %.3f | %.0f |\n", least[1], least[0] / least[1]);
    else
      printf(" | |\n");
  }
  return true;
}

static bool mechanism(const char *name) {
  static unsigned char room[16384];
  static state s[STEPS + 1];
  const ap_mechanism_def *def = ap_mechanism_builtin(name);
  size_t size = ap_mechanism_size(def);
  void *memory = malloc(size), *work = NULL;
  double middle[N];
  bool done = false;
  way both[2] = {{.call = general}, {.call = NULL}};
  both[1].closed = ap_parallel_builtin(name, NULL, room, sizeof room);
  if (both[1].closed) both[1].call = closed;
  both[0].m = memory ? ap_mechanism_init(def, memory, size, NULL) : NULL;
  if (both[0].m) {
    size = ap_loop_size(both[0].m);
    work = malloc(size);
    both[0].l = work ? ap_loop_init(both[0].m, work, size) : NULL;
  }
  if (both[0].l) {
    ap_loop_errors(both[0].m, both[0].l, ap_mechanism_guess(both[0].m), NULL, middle);
    for (int i = 0; i <= STEPS; i++) motion(middle, ap_mechanism_n(both[0].m), 1e-3 * i, &s[i]);
    done = compare(name, both, s);
  }
  free(work);
  free(memory);
  return done;
}

int main(void) {
  printf("| mechanism | what | general | closed form | ratio |\n|---|---|---|---|---|\n");
  for (int i = 0; ap_mechanism_builtin_name(i); i++)
    if (!mechanism(ap_mechanism_builtin_name(i))) return 1;
  return 0;
}
