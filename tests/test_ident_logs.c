// SPDX-License-Identifier: Apache-2.0
// From raw logs to parameters: filter, differentiation, uneven samples, outliers; and excitation.

#include <appell/ident.h>
#include <unistd.h>

#include "identify.h"

// ---- filter ------------------------------------------------------------------------------------

// The gain of both passes together at frequency f is 1 / (1 + (tan(pi f / rate) / tan(pi fc /
// rate))^(2 order)), and there is no phase. Away from the ends the rest of the start has died out.
TEST(filter_has_the_gain_of_butterworth) {
  enum { N = 4000 };
  static double x[2 * N];
  const double rate = 500, cutoff = 20, pi = acos(-1.0);
  for (int order = 1; order <= 8; order++) {
    for (double f = 2; f < 100; f *= 2.1) {
      test_context("order %d, %g Hz", order, f);
      for (int i = 0; i < N; i++) x[2 * i] = sin(2 * pi * f * i / rate), x[2 * i + 1] = 7;
      CHECK_OK(ap_filter_zero_phase(x, N, 2, rate, cutoff, order));
      double gain = 1 / (1 + pow(tan(pi * f / rate) / tan(pi * cutoff / rate), 2 * order));
      for (int i = N / 2; i < N / 2 + 50; i++)
        CHECK_CLOSE(x[2 * i], gain * sin(2 * pi * f * i / rate), 1e-9);
      CHECK(x[1] == 7 && x[2 * N - 1] == 7);
    }
  }
}

// A straight line goes through unchanged, to its very ends, whatever the cutoff.
TEST(filter_leaves_lines_alone) {
  double x[300], want[300];
  for (int i = 0; i < 300; i++) x[i] = want[i] = 3 - 0.2 * i;
  for (int order = 1; order <= 8; order++) CHECK_OK(ap_filter_zero_phase(x, 300, 1, 100, 7, order));
  CHECK_WITHIN(x, want, 300, 1e-8); // eight times 1e-9 of the size of the numbers
}

TEST(filter_refuses) {
  double x[10] = {0};
  CHECK_STATUS(ap_filter_zero_phase(x, 10, 1, 100, 50, 4), AP_E_ARG);
  CHECK_STATUS(ap_filter_zero_phase(x, 10, 1, 100, NAN, 4), AP_E_ARG);
  CHECK_STATUS(ap_filter_zero_phase(x, 10, 1, 100, 10, 9), AP_E_ARG);
  CHECK_STATUS(ap_filter_zero_phase(x, 1, 1, 100, 10, 2), AP_E_ARG);
}

// ---- logs --------------------------------------------------------------------------------------

// A log of a slow motion (up to 1 Hz) at 500 Hz for 40 s.
enum { SAMPLES = 20000 };

typedef struct record {
  ap_samples x;
  double p[MOST_P], want[MOST_P];
  wave w;
} record;

static void make_record(record *l, const arm *a, rng *r, double jitter) {
  int n = ap_nv(a->m);
  size_t size = SAMPLES * (size_t)n * sizeof(double);
  l->x = (ap_samples){.n = SAMPLES,
                      .t = malloc(SAMPLES * sizeof(double)),
                      .q = malloc(size),
                      .v = malloc(size),
                      .a = malloc(size),
                      .tau = malloc(size)};
  hidden_parameters(r, a, l->p);
  ap_base_values(a->base, l->p, l->want);
  l->w = random_wave(r, n);
  for (int i = 0; i < SAMPLES; i++) {
    size_t at = (size_t)(i * n);
    l->x.t[i] = 0.002 * (i + jitter * rng_uniform(r, -0.5, 0.5));
    wave_at(&l->w, n, l->x.t[i], l->x.q + at, l->x.v + at, l->x.a + at);
    forces(a, l->p, l->x.q + at, l->x.v + at, l->x.a + at, l->x.tau + at);
  }
}

static void free_record(record *l) {
  free(l->x.t), free(l->x.q), free(l->x.v), free(l->x.a), free(l->x.tau);
}

static void drop_rates(record *l) {
  free(l->x.v), free(l->x.a);
  l->x.v = l->x.a = NULL;
}

// v and a out of q alone, evenly sampled and not: the wave has up to 6 rad/s, so the filter (10 Hz,
// fourth order twice) changes it by (6 / 62.8)^8 = 7e-9 of its size, 36 m in rad/s2, and seven
// points 2 ms apart differentiate to less than that. Uneven samples are interpolated to (h w)^4 =
// 2e-8 of 1 rad, which differentiation within the filter's band makes 2e-6 rad/s and 1e-4 rad/s2.
// The ends reach inside: a jump of the second derivative by 50 rad/s2 fades by e^-2.4 in a tenth of
// a second.
static void check_rates(double jitter, double bound_v, double bound_a) {
  arm a;
  if (!arm_builtin(&a, "puma600", (ap_ident_options){0})) return;
  rng r = rng_seed(4);
  record l;
  make_record(&l, &a, &r, jitter);
  drop_rates(&l);
  ap_dataset *s = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error));
  double start = l.x.t[0], step = (l.x.t[SAMPLES - 1] - start) / (SAMPLES - 1);
  for (int i = 0; s && i < ap_dataset_count(s); i++) {
    const double *q, *v, *acc, *tau;
    double want[3][6];
    ap_dataset_at(s, i, &q, &v, &acc, &tau);
    // the first kept sample lies four cutoff periods (200 samples) and three more from the start
    wave_at(&l.w, 6, start + step * (203 + 25 * i), want[0], want[1], want[2]);
    bool inside = i > 12 && i < ap_dataset_count(s) - 12;
    CHECK_WITHIN(q, want[0], 6, 1e-6);
    CHECK_WITHIN(v, want[1], 6, inside ? bound_v : 1e-4);
    CHECK_WITHIN(acc, want[2], 6, inside ? bound_a : 3e-3);
  }
  CHECK(s && ap_dataset_count(s) == (SAMPLES - 406 - 1) / 25 + 1);
  ap_dataset_free(s), free_record(&l), arm_free(&a);
}

TEST(rates_from_positions) { check_rates(0, 1e-6, 5e-6); }

TEST(rates_from_uneven_samples) { check_rates(0.8, 1e-5, 1e-3); }

// Noise of 1e-5 rad (an encoder) and 1 % of force: base parameters within four deviations, and the
// prediction of noiseless forces within 1 %.
TEST(parameters_from_a_raw_log) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(21);
  record l;
  make_record(&l, &a, &r, 0);
  int n = ap_nv(a.m);
  double rms[MOST_V] = {0}, error[MOST_V], force[MOST_V];
  for (int i = 0; i < SAMPLES * n; i++) rms[i % n] += l.x.tau[i] * l.x.tau[i] / SAMPLES;
  for (int i = 0; i < SAMPLES * n; i++) {
    l.x.q[i] += 1e-5 * rng_normal(&r);
    l.x.tau[i] += 0.01 * sqrt(rms[i % n]) * rng_normal(&r);
  }
  drop_rates(&l);
  ap_dataset *s = NULL;
  ap_reduction *red = NULL, *test = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error));
  if (s && CHECK_OK(ap_dataset_reduce(s, a.id, a.base, 5, 5, &red, &a.error))) {
    ap_fit *fit = fit_by(&a, red, AP_FIT_CONSISTENT);
    wave fresh = random_wave(&r, n);
    CHECK_OK(ap_reduction_create(a.id, 1, &test, &a.error));
    take_in(test, &a, &fresh, l.p, 500, NULL, NULL);
    double worst = 0;
    for (int k = 0; fit && k < fit->n; k++)
      worst = fmax(worst, fabs(fit->value[k] - l.want[k]) / fit->deviation[k]);
    ap_reduction_force_rms(test, force);
    if (fit) ap_reduction_error_rms(test, fit->parameter, error);
    CHECK(worst <= 4);
    for (int j = 0; fit && j < n; j++) CHECK(error[j] < 0.01 * force[j]);
    if (fit) CHECK(ap_ident_physical(a.id, fit->parameter));
    ap_fit_free(fit);
  }
  ap_reduction_free(red), ap_reduction_free(test), ap_dataset_free(s), free_record(&l);
  arm_free(&a);
}

// One state in a hundred has a force that is wrong by its rms and more: left to themselves they
// spoil the fit, rejected they don't.
TEST(outliers_are_left_out) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(22);
  record l;
  make_record(&l, &a, &r, 0);
  int n = ap_nv(a.m), gross = 0;
  double rms[MOST_V] = {0}, worst[2] = {0, 0};
  for (int i = 0; i < SAMPLES * n; i++) rms[i % n] += l.x.tau[i] * l.x.tau[i] / SAMPLES;
  for (int i = 0; i < SAMPLES * n; i++) {
    l.x.tau[i] += 0.01 * sqrt(rms[i % n]) * rng_normal(&r);
    if (i / n % 100 != 37 || i % n != i / n / 100 % n) continue;
    l.x.tau[i] += rng_uniform(&r, 1, 4) * sqrt(rms[i % n]);
    gross++;
  }
  l.x.n = SAMPLES / 4; // as many as the test needs
  gross /= 4;
  ap_dataset *s = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error));
  for (int turn = 0; s && turn < 2; turn++) {
    ap_reduction *red = NULL;
    CHECK_OK(ap_dataset_reduce(s, a.id, a.base, 1, turn == 0 ? 0 : 5, &red, &a.error));
    ap_fit *fit = red ? fit_by(&a, red, AP_FIT_WEIGHTED) : NULL;
    long out = 0, left = 0;
    for (int k = 0; fit && k < fit->n; k++) {
      double error = fabs(fit->value[k] - l.want[k]);
      worst[turn] = fmax(worst[turn], error / (fabs(l.want[k]) + 1));
      if (turn == 1) CHECK(error <= 4 * fit->deviation[k]);
    }
    for (int j = 0; red && j < n; j++) ap_reduction_rows(red, j, &left), out += left;
    CHECK_EQ_INT((int)out, turn == 0 ? 0 : gross);
    ap_fit_free(fit), ap_reduction_free(red);
  }
  CHECK(worst[0] > 5 * worst[1]);
  ap_dataset_free(s), free_record(&l), arm_free(&a);
}

// The largest difference of a force between two lists of states, relative to the largest force.
static double apart(const ap_dataset *s, const ap_dataset *t, int n) {
  double most = 0, size = 0;
  for (int i = 0; i < ap_dataset_count(s); i++) {
    const double *q, *v, *a, *tau, *other;
    ap_dataset_at(s, i, &q, &v, &a, &tau);
    ap_dataset_at(t, i, &q, &v, &a, &other);
    for (int j = 0; j < n; j++)
      if (isfinite(tau[j]) && isfinite(other[j]))
        most = fmax(most, fabs(tau[j] - other[j])), size = fmax(size, fabs(tau[j]));
  }
  return most / size;
}

// Numbers of a raw log that are wildly wrong are found, every one, and what takes their place is as
// good as what was there: within 1e-3 of the largest force, where the filter alone is off by 10
// times that. Nothing of a clean log is touched.
TEST(spikes_are_replaced) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(23);
  record l;
  make_record(&l, &a, &r, 0);
  drop_rates(&l);
  const int n = ap_nv(a.m);
  ap_dataset *clean = NULL, *mended = NULL, *spoilt = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &clean, &a.error));
  CHECK_EQ_INT((int)ap_dataset_spikes(clean), 0);
  int wrong = 0;
  for (int i = 20; i < SAMPLES; i += 50, wrong += 2) {
    l.x.tau[i * n + i / 50 % n] += rng_uniform(&r, 300, 500);
    l.x.q[(i + 17) * n + i / 50 % n] -= rng_uniform(&r, 1, 2);
  }
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &mended, &a.error));
  ap_prepare_options none = ap_default_prepare();
  none.spikes = 0;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, &none, &spoilt, &a.error));
  if (clean && mended && spoilt) {
    CHECK_EQ_INT((int)ap_dataset_spikes(mended), wrong);
    CHECK(apart(clean, mended, n) < 1e-3);
    CHECK(apart(clean, spoilt, n) > 1e-2);
  }
  ap_dataset_free(clean), ap_dataset_free(mended), ap_dataset_free(spoilt);
  free_record(&l), arm_free(&a);
}

// Nothing is filtered across a gap: every state is one of the motion, as if each part were a log of
// its own, and a part that is too short for the filter is left out and counted.
TEST(gaps_part_a_log) {
  arm a;
  if (!arm_builtin(&a, "puma600", (ap_ident_options){0})) return;
  rng r = rng_seed(24);
  record l;
  make_record(&l, &a, &r, 0);
  drop_rates(&l);
  const double start = l.x.t[0];
  for (int i = 6000; i < SAMPLES; i++) l.x.t[i] += 1;   // 12 s, then
  for (int i = 6300; i < SAMPLES; i++) l.x.t[i] += 0.2; // 0.6 s, then the rest
  for (int i = 6000; i < SAMPLES; i++) {
    double v[6], acc[6];
    wave_at(&l.w, 6, l.x.t[i], l.x.q + 6 * i, v, acc);
  }
  ap_dataset *s = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error));
  CHECK_EQ_INT(s ? ap_dataset_gaps(s) : -1, 2);
  CHECK_EQ_INT(s ? (int)ap_dataset_unused(s) : -1, 300);
  const int first = (6000 - 406 - 1) / 25 + 1, second = (SAMPLES - 6300 - 406 - 1) / 25 + 1;
  CHECK_EQ_INT(s ? ap_dataset_count(s) : 0, first + second);
  for (int i = 0; s && i < first + second; i++) {
    const double *q, *v, *acc, *tau;
    double want[3][6],
        at = i < first ? 0.002 * (203 + 25 * i) : 1.2 + 0.002 * (6300 + 203 + 25 * (i - first));
    ap_dataset_at(s, i, &q, &v, &acc, &tau);
    wave_at(&l.w, 6, start + at, want[0], want[1], want[2]);
    CHECK_WITHIN(q, want[0], 6, 1e-6);
    CHECK_WITHIN(v, want[1], 6, 1e-4); // as at any other end, see check_rates()
    CHECK_WITHIN(acc, want[2], 6, 3e-3);
  }
  ap_dataset_free(s), free_record(&l), arm_free(&a);
}

// Spikes of an encoder that are small next to a step of the motion, and so no outliers among the
// samples around them, leave the cubic through their neighbours: accelerations stay those of the
// clean log, to 1e-3 rad/s2 of several.
TEST(small_spikes_of_positions) {
  arm a;
  if (!arm_builtin(&a, "puma600", (ap_ident_options){0})) return;
  rng r = rng_seed(25);
  record l;
  make_record(&l, &a, &r, 0);
  drop_rates(&l);
  ap_dataset *clean = NULL, *mended = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &clean, &a.error));
  int wrong = 0;
  for (int i = 20; i + 20 < SAMPLES; i += 40, wrong++)
    l.x.q[i * 6 + i / 40 % 6] += wrong % 2 ? 2e-3 : -2e-3;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &mended, &a.error));
  CHECK_EQ_INT(mended ? (int)ap_dataset_spikes(mended) : 0, wrong);
  for (int i = 0; clean && mended && i < ap_dataset_count(clean); i++) {
    const double *q[2], *v[2], *acc[2], *tau[2];
    ap_dataset_at(clean, i, &q[0], &v[0], &acc[0], &tau[0]);
    ap_dataset_at(mended, i, &q[1], &v[1], &acc[1], &tau[1]);
    CHECK_WITHIN(acc[0], acc[1], 6, 1e-3);
  }
  ap_dataset_free(clean), ap_dataset_free(mended), free_record(&l), arm_free(&a);
}

// What is no log is refused with the number of the sample.
TEST(logs_are_checked) {
  arm a;
  if (!arm_builtin(&a, "puma600", all_drives)) return;
  rng r = rng_seed(1);
  record l;
  make_record(&l, &a, &r, 0);
  ap_dataset *s = NULL;
  double keep = l.x.t[700];
  l.x.t[700] = l.x.t[699];
  CHECK_STATUS(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error), AP_E_ARG);
  CHECK_EQ_INT(a.error.line, 701);
  CHECK_HAS(a.error.text, "must increase");
  l.x.t[700] = keep, l.x.tau[6 * 30 + 2] = NAN;
  CHECK_STATUS(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error), AP_E_ARG);
  CHECK_EQ_INT(a.error.line, 31);
  l.x.tau[6 * 30 + 2] = 0;
  l.x.n = 15;
  CHECK_STATUS(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "too few");
  l.x.n = 300;
  drop_rates(&l);
  CHECK_STATUS(ap_dataset_prepare(a.id, &l.x, NULL, &s, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "too few for a filter");
  ap_prepare_options o = ap_default_prepare();
  o.cutoff = 300;
  CHECK_STATUS(ap_dataset_prepare(a.id, &l.x, &o, &s, &a.error), AP_E_ARG);
  CHECK_HAS(a.error.text, "cutoff");
  free_record(&l), arm_free(&a);
}

// Files with bytes changed, cut and doubled: read or refused with a line, never anything else.
TEST(broken_files_are_refused) {
  arm a;
  if (!arm_builtin(&a, "scara", (ap_ident_options){0})) return;
  char path[64] = "/tmp/appell-log-XXXXXX", text[2048];
  const int file = mkstemp(path);
  rng r = rng_seed(9);
  int length = snprintf(text, sizeof text,
                        "t, q.shoulder,q.elbow,q.stroke,\"q.roll\",tau.shoulder,"
                        "tau.elbow,tau.stroke,tau.roll,note\n");
  for (int k = 0; k < 20; k++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "%d,0.1,0.2,0.3,0.4,1,2,3,-4e-2,%d\n", k, k);
  int taken = 0, refused = 0;
  for (int turn = 0; file >= 0 && turn < 2000; turn++) {
    char broken[2048];
    memcpy(broken, text, (size_t)length);
    for (int k = 0; k < turn % 4; k++)
      broken[rng_int(&r, 0, length - 1)] = "\0,.e-\"\n\r#x9 "[rng_int(&r, 0, 11)];
    size_t size = turn % 7 == 6 ? (size_t)rng_int(&r, 0, length) : (size_t)length;
    CHECK(ftruncate(file, 0) == 0 && pwrite(file, broken, size, 0) == (ssize_t)size);
    ap_samples *samples = NULL;
    ap_error error = {.text = ""};
    ap_status status = ap_samples_read(a.id, path, &samples, &error);
    if (turn == 0) CHECK_OK(status);
    CHECK((status == AP_OK) == (samples != NULL));
    CHECK(status == AP_OK || (status == AP_E_SYNTAX && error.line > 0 && error.text[0]));
    if (status)
      refused++;
    else
      taken++;
    for (int i = 0; samples && i < samples->n; i++) CHECK(isfinite(samples->tau[4 * i + 3]));
    ap_samples_free(samples);
  }
  CHECK(taken > 100 && refused > 100);
  remove(path);
  arm_free(&a);
}

// An encoder that counts modulo a turn: the same states as without.
TEST(angles_are_unwrapped) {
  arm a;
  if (!arm_builtin(&a, "puma600", (ap_ident_options){0})) return;
  rng r = rng_seed(6);
  record l;
  make_record(&l, &a, &r, 0);
  drop_rates(&l);
  l.x.n = 2000;
  ap_dataset *plain = NULL, *wrapped = NULL;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &plain, &a.error));
  const double turn = 2 * acos(-1.0), first = l.x.q[0];
  for (int i = 0; i < 6 * l.x.n; i += 6) // the first joint, shown from its own start to a turn on
    if (l.x.q[i] < first) l.x.q[i] += turn;
  CHECK_OK(ap_dataset_prepare(a.id, &l.x, NULL, &wrapped, &a.error));
  for (int i = 0; plain && wrapped && i < ap_dataset_count(plain); i++) {
    const double *q[2], *v[2], *acc[2], *tau[2];
    ap_dataset_at(plain, i, &q[0], &v[0], &acc[0], &tau[0]);
    ap_dataset_at(wrapped, i, &q[1], &v[1], &acc[1], &tau[1]);
    CHECK_WITHIN(q[0], q[1], 6, 1e-12);
    CHECK_WITHIN(acc[0], acc[1], 6, 1e-9);
  }
  ap_dataset_free(plain), ap_dataset_free(wrapped), free_record(&l), arm_free(&a);
}

// ---- excitation --------------------------------------------------------------------------------

static ap_traj *excited(arm *a, const ap_excite_options *o, ap_excitation *found) {
  ap_traj *t = NULL;
  if (!CHECK_OK(ap_excite(a->id, a->base, o, &t, found, &a->error)))
    printf("  %s\n", a->error.text);
  return t;
}

// A Stanford arm with limits on everything: kept, from rest to rest, and far better than chance.
TEST(excitation_keeps_to_its_limits) {
  ap_robot *builtin = NULL, *robot = NULL;
  ap_error error;
  arm a;
  CHECK_OK(ap_robot_builtin("stanford", NULL, &builtin, &error));
  ap_robot_def def = *ap_robot_definition(builtin);
  ap_body_def body[16];
  double low[6], high[6], speed[6], force[6], acceleration[6];
  for (int j = 0; j < 6; j++) {
    body[j] = def.bodies[j];
    low[j] = body[j].lower = -1 + 0.1 * j, high[j] = body[j].upper = 1.2 - 0.1 * j;
    speed[j] = body[j].velocity_limit = 1 + 0.2 * j;
    force[j] = body[j].effort_limit = j == 2 ? 90 : j < 3 ? 120 : 4;
    acceleration[j] = 6;
  }
  def.bodies = body;
  CHECK_OK(ap_robot_from_definition(&def, &robot, &error));
  ap_robot_free(builtin);
  if (!arm_of(&a, robot, (ap_ident_options){0})) return;
  ap_excite_options o = ap_default_excite();
  ap_excitation found = {0};
  o.evaluations = 1200, o.acceleration = 6;
  ap_traj *t = excited(&a, &o, &found);
  if (t) {
    ap_traj_limits limits = {low, high, speed, acceleration};
    CHECK_OK(ap_traj_check(t, &limits, NULL, &error));
    CHECK(found.torque_use > 0 && found.torque_use <= 0.95);
    CHECK(found.criterion > found.first + 3); // a thousand times the determinant
    double q[6], v[6], acc[6], start[12], end[12], tau[6];
    const double zero[12] = {0};
    ap_traj_at(t, 0, NULL, start, start + 6);
    ap_traj_at(t, ap_traj_duration(t), NULL, end, end + 6);
    CHECK_WITHIN(start, zero, 12, 1e-12);
    CHECK_WITHIN(end, zero, 12, 1e-10);
    double p[MOST_P];
    ap_ident_nominal(a.id, p);
    for (int k = 0; k <= 1000; k++) {
      ap_traj_at(t, 0.01 * k, q, v, acc);
      forces(&a, p, q, v, acc, tau);
      for (int j = 0; j < 6; j++) CHECK(fabs(tau[j]) <= force[j]);
    }
  }
  ap_traj_free(t), arm_free(&a);
}

static bool until_300(void *context, int done) {
  *(int *)context = done;
  return done < 300;
}

// The same as a search of so many evaluations.
TEST(excitation_is_ended_by_progress) {
  arm a;
  if (!arm_builtin(&a, "puma600", (ap_ident_options){0})) return;
  int done = 0;
  ap_excite_options o = ap_default_excite();
  ap_excitation found[2] = {{0}};
  o.progress = until_300, o.context = &done;
  ap_traj *t[2] = {excited(&a, &o, &found[0]), NULL};
  CHECK(done >= 300 && done < 1000);
  o = ap_default_excite(), o.evaluations = done;
  t[1] = excited(&a, &o, &found[1]);
  CHECK_BITS(&found[0].criterion, &found[1].criterion, 1);
  ap_traj_free(t[0]), ap_traj_free(t[1]), arm_free(&a);
}

TEST(excitation_refuses) {
  arm a;
  if (!arm_builtin(&a, "puma600", (ap_ident_options){0})) return;
  ap_traj *t = NULL;
  ap_excite_options o = ap_default_excite();
  o.harmonics = 1;
  CHECK_STATUS(ap_excite(a.id, a.base, &o, &t, NULL, &a.error), AP_E_ARG);
  o = ap_default_excite(), o.period = NAN;
  CHECK_STATUS(ap_excite(a.id, a.base, &o, &t, NULL, &a.error), AP_E_ARG);
  arm_free(&a);
  if (!arm_builtin(&a, "quadruped", (ap_ident_options){0})) return;
  CHECK_STATUS(ap_excite(a.id, a.base, NULL, &t, NULL, &a.error), AP_E_UNSUPPORTED);
  CHECK_HAS(a.error.text, "one degree of freedom");
  arm_free(&a);
}
