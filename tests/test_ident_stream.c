// SPDX-License-Identifier: Apache-2.0
// Long logs: memory of a reduction (a hundred thousand rows take no more than the first ten
// thousand), and outliers.

#include <appell/ident.h>
#include <sys/resource.h>

#include "identify.h"
#include "sanitized.h"

// Largest resident size so far, kB.
static long peak(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

// 25000 states of a robot with four joints. What is left of the forces shows that none was lost:
// the noise is known, and its deviation is found to 1 / sqrt(2 * 25000) = 0.45 %, six times that.
TEST(many_rows_in_constant_memory) {
  arm a;
  if (!arm_builtin(&a, "scara", all_drives)) return;
  rng r = rng_seed(1);
  double p[MOST_P], want[MOST_P];
  const double noise[MOST_V] = {0.5, 0.2, 0.1, 0.05};
  hidden_parameters(&r, &a, p);
  ap_base_values(a.base, p, want);
  ap_reduction *red = NULL;
  CHECK_OK(ap_reduction_create(a.id, 5, &red, &a.error));
  wave w = random_wave(&r, 4);
  take_in(red, &a, &w, p, 2500, noise, &r);
  ap_fit_free(fit_by(&a, red, AP_FIT_WEIGHTED));
  long before = peak();
  for (int part = 0; part < 9; part++) {
    w = random_wave(&r, 4);
    take_in(red, &a, &w, p, 2500, noise, &r);
  }
  ap_fit *fit = fit_by(&a, red, AP_FIT_WEIGHTED);
  CHECK(peak() - before < 1024 || SANITIZED); // 1 MB; the rows would be 30
  long rows = 0;
  for (int j = 0; j < 4; j++) rows += ap_reduction_rows(red, j, NULL);
  CHECK_EQ_INT((int)rows, 100000);
  for (int j = 0; fit && j < 4; j++) CHECK_CLOSE(fit->noise[j] / noise[j], 1, 0.027);
  for (int k = 0; fit && k < fit->n; k++)
    CHECK(fabs(fit->value[k] - want[k]) <= 4 * fit->deviation[k]);
  ap_fit_free(fit), ap_reduction_free(red), arm_free(&a);
}

// ---- long logs ---------------------------------------------------------------------------------

enum { LONG = 50000, N = 2 };

// Of a robot with two joints. The second one moves in `shown` states in the middle alone; 0: in
// all.
typedef struct long_log {
  double t[LONG], q[LONG * N], v[LONG * N], a[LONG * N], tau[LONG * N];
  double p[MOST_P], want[MOST_P];
} long_log;

static void make_log(long_log *l, const arm *a, rng *r, int shown) {
  wave w = random_wave(r, N);
  hidden_parameters(r, a, l->p);
  ap_base_values(a->base, l->p, l->want);
  for (int k = 0; k < LONG; k++) {
    double *q = l->q + N * k, *v = l->v + N * k, *acc = l->a + N * k;
    l->t[k] = 0.01 * k;
    wave_at(&w, N, l->t[k], q, v, acc);
    if (shown > 0 && abs(k - LONG / 2) > shown / 2) q[1] = v[1] = acc[1] = 0;
    forces(a, l->p, q, v, acc, l->tau + N * k);
    for (int j = 0; j < N; j++) l->tau[N * k + j] += 0.01 * rng_normal(r);
  }
}

static ap_dataset *states_of(const arm *a, long_log *l) {
  ap_samples x = {.n = LONG, .t = l->t, .q = l->q, .v = l->v, .a = l->a, .tau = l->tau};
  ap_dataset *s = NULL;
  CHECK_OK(ap_dataset_prepare(a->id, &x, NULL, &s, NULL));
  return s;
}

static void check_long(arm *a, long_log *l, const ap_dataset *s, int gross) {
  ap_reduction *red = NULL;
  CHECK_OK(ap_dataset_reduce(s, a->id, a->base, 5, 5, &red, &a->error));
  ap_fit *fit = red ? fit_by(a, red, AP_FIT_WEIGHTED) : NULL;
  for (int k = 0; fit && k < fit->n; k++)
    CHECK(fabs(fit->value[k] - l->want[k]) <= 4 * fit->deviation[k]);
  long out = 0, rows = 0, left;
  for (int j = 0; red && j < N; j++) rows += ap_reduction_rows(red, j, &left), out += left;
  CHECK_EQ_INT((int)out, gross);
  CHECK_EQ_INT((int)(rows + out), N * LONG);
  ap_fit_free(fit), ap_reduction_free(red);
}

// The first fit sees a part of the states, the last one all: outliers are found to the last one.
// The noise ends at six deviations and passes five only once in a million times.
TEST(outliers_of_long_logs) {
  arm a;
  long_log *l = malloc(sizeof *l);
  if (!arm_builtin(&a, "ascher2", all_drives)) return;
  rng r = rng_seed(4);
  make_log(l, &a, &r, 0);
  int gross = 0;
  for (int k = 13; k < N * LONG; k += 101, gross++) l->tau[k] += rng_uniform(&r, 1, 50);
  ap_dataset *s = states_of(&a, l);
  if (s) check_long(&a, l, s, gross);
  ap_dataset_free(s), free(l), arm_free(&a);
}

// Parameters that a few states in fifty thousand show: the part that the first fit sees is then not
// enough, and all are taken.
TEST(parameters_that_few_states_show) {
  arm a;
  long_log *l = malloc(sizeof *l);
  if (!arm_builtin(&a, "ascher2", all_drives)) return;
  rng r = rng_seed(5);
  make_log(l, &a, &r, 4);
  ap_dataset *s = states_of(&a, l);
  if (s) check_long(&a, l, s, 0);
  ap_dataset_free(s), free(l), arm_free(&a);
}

TEST(samples_of_a_dataset) {
  arm a;
  long_log *l = malloc(sizeof *l);
  if (!arm_builtin(&a, "ascher2", all_drives)) return;
  rng r = rng_seed(6);
  make_log(l, &a, &r, 0);
  ap_dataset *s = states_of(&a, l);
  const int counts[] = {0, 1, 777, LONG, LONG + 1};
  for (int k = 0; s && k < 5; k++) {
    ap_dataset *few = ap_dataset_sample(s, counts[k]);
    int count = counts[k] < LONG ? counts[k] : LONG, at = 0;
    CHECK_EQ_INT(ap_dataset_count(few), count);
    for (int i = 0; i < count; i++, at++) { // states of the log, in its order, each part once
      const double *x[4];
      ap_dataset_at(few, i, &x[0], &x[1], &x[2], &x[3]);
      while (at < LONG && memcmp(x[3], l->tau + N * at, N * sizeof *x[3]) != 0) at++;
      CHECK(at >= (long long)LONG * i / count && at < (long long)LONG * (i + 1) / count);
    }
    ap_dataset_free(few);
  }
  ap_dataset_free(s), free(l), arm_free(&a);
}
