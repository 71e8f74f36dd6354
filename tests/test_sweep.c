// SPDX-License-Identifier: Apache-2.0
// Sweeps: designs that any trial can be computed from alone, trials that are what a single run
// gives, folders that any division of the work fills with the same bytes, summaries against their
// definitions.

#include <appell/batch.h>
#include <appell/file.h>
#include <appell/run.h>
#include <appell/sweep.h>
#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

#include "manual.h"
#include "sweep/chunk.h"
#include "sweep/design.h"
#include "sweep/random.h"
#include "sweep/study.h"
#include "temporary_folder.h"

// ---- random numbers ----------------------------------------------------------------------------

// The known answers that the authors of Philox publish with Random123.
TEST(philox_gives_the_published_answers) {
  static const uint32_t counter[3][4] = {{0, 0, 0, 0},
                                         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                                         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
  static const uint32_t key[3][2] = {{0, 0}, {0xffffffff, 0xffffffff}, {0xa4093822, 0x299f31d0}};
  static const uint32_t answer[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
  for (int k = 0; k < 3; k++) {
    const ap__philox b = ap__philox_block(counter[k], key[k]);
    CHECK(memcmp(b.word, answer[k], sizeof b.word) == 0);
  }
}

TEST(places_are_a_permutation) {
  for (uint64_t n = 1; n < 300; n += n < 20 ? 1 : 37) {
    char seen[300] = {0};
    int moved = 0;
    for (uint64_t i = 0; i < n; i++) {
      const uint64_t at = ap__random_place(7, 3, i, n);
      if (!CHECK(at < n && !seen[at])) return;
      seen[at] = 1;
      moved += at != i;
    }
    CHECK(n < 20 || moved > (int)n / 2);
  }
  CHECK(ap__random_place(7, 3, 5, 1ull << 40) != ap__random_place(7, 4, 5, 1ull << 40));
}

// libm is the oracle; its errors are below one unit of the last place.
TEST(functions_are_those_of_libm) {
  uint64_t state = 5;
  for (int k = 0; k < 20000; k++) {
    const double u = ap__random_unit(state, 1, (uint64_t)k), x = ldexp(u, k % 600 - 300);
    CHECK_CLOSE(ap__log(x) / log(x), 1, 4e-15);
    CHECK_CLOSE(ap__exp(log(x)) / exp(log(x)), 1, 1e-15);
    const double q = ap__normal_quantile(u);
    CHECK_CLOSE(0.5 * erfc(-q / sqrt(2)) / u, 1, 2e-14);
  }
  CHECK_CLOSE(ap__normal_quantile(1e-12), -7.034483825301131, 1e-14);
  CHECK(ap__normal_quantile(0.5) == 0);
}

// ---- Sobol sequences ---------------------------------------------------------------------------

// The first points of two dimensions, as everybody prints them in the order of the Gray code.
TEST(sobol_points_are_the_published_ones) {
  static const double points[8][2] = {{0, 0},         {0.5, 0.5},     {0.75, 0.25},
                                      {0.25, 0.75},   {0.375, 0.375}, {0.875, 0.875},
                                      {0.625, 0.125}, {0.125, 0.625}};
  for (int d = 0; d < 2; d++) {
    ap__sobol s;
    ap__sobol_init_plain(&s, d);
    for (uint64_t i = 0; i < 8; i++)
      CHECK(ldexp((double)ap__sobol_bits(&s, i ^ i >> 1), -52) == points[i][d]);
  }
}

// Every dimension has one of 2^k successive points in each of 2^k equal parts, scrambled or not;
// the first two have one in every box of that size.
TEST(sobol_points_are_stratified) {
  enum { K = 8, N = 1 << K };
  for (int d = 0; d < AP__SOBOL_DIMENSIONS; d++) {
    ap__sobol s;
    ap__sobol_init(&s, d, 11);
    for (uint64_t block = 0; block < 3; block++) {
      char seen[N] = {0};
      for (uint64_t i = 0; i < N; i++) {
        const int at = (int)(ap__sobol_unit(&s, block * N + i) * N);
        CHECK(!seen[at]);
        seen[at] = 1;
      }
    }
  }
  ap__sobol a, b;
  ap__sobol_init(&a, 0, 4);
  ap__sobol_init(&b, 1, 4);
  for (int k = 0; k <= K; k++) {
    char seen[N] = {0};
    for (uint64_t i = 0; i < N; i++) {
      const int x = (int)(ap__sobol_unit(&a, i) * (1 << k)),
                y = (int)(ap__sobol_unit(&b, i) * (1 << (K - k)));
      CHECK(!seen[x << (K - k) | y]);
      seen[x << (K - k) | y] = 1;
    }
  }
}

// ---- designs -----------------------------------------------------------------------------------

TEST(latin_samples_fill_every_part_once) {
  enum { N = 777 };
  ap__parameter p[2] = {{.distribution = AP__UNIFORM, .a = 0, .b = 1},
                        {.distribution = AP__UNIFORM, .a = 0, .b = 1}};
  ap__design d = {.kind = AP__LATIN, .parameter = p, .n = 2, .seed = 3, .samples = N};
  CHECK(ap__design_init(&d));
  for (int k = 0; k < 2; k++) {
    char seen[N] = {0};
    double x[N];
    ap__design_column(&d, k, 0, N, x, 1);
    for (int i = 0; i < N; i++) {
      CHECK(!seen[(int)(x[i] * N)]);
      seen[(int)(x[i] * N)] = 1;
    }
  }
  ap__design_free(&d);
}

// Every combination of grids with every sample, and a column does not depend on where it begins.
TEST(grids_are_crossed) {
  static const double one[] = {1, 2, 3}, two[] = {10, 20};
  ap__parameter p[3] = {{.distribution = AP__GRID, .value = one, .values = 3},
                        {.distribution = AP__UNIFORM, .a = 0, .b = 1},
                        {.distribution = AP__GRID, .value = two, .values = 2}};
  ap__design d = {.parameter = p, .n = 3, .seed = 9, .samples = 4};
  double x[3][24], again;
  CHECK(ap__design_init(&d));
  CHECK_EQ_INT((long)d.trials, 24);
  for (int k = 0; k < 3; k++) ap__design_column(&d, k, 0, 24, x[k], 1);
  for (int i = 0; i < 24; i++) {
    CHECK(x[0][i] == one[i % 3]);
    CHECK(x[2][i] == two[i / 3 % 2]);
    CHECK(x[1][i] == x[1][i / 6 * 6]);
    for (int k = 0; k < 3; k++) {
      ap__design_column(&d, k, (uint64_t)i, 1, &again, 1);
      CHECK(again == x[k][i]);
    }
  }
  ap__design_free(&d);
}

// Moments of the distributions by 4096 points of a Sobol sequence, which are off by 1e-3 at most.
TEST(distributions_have_their_moments) {
  static const double values[] = {1, 5, 6};
  enum { N = 4096 };
  const struct {
    ap__parameter p;
    double mean, variance;
  } c[] = {{{.distribution = AP__UNIFORM, .a = -1, .b = 3}, 1, 16.0 / 12},
           {{.distribution = AP__NORMAL, .a = 2, .b = 0.5}, 2, 0.25},
           {{.distribution = AP__LOGNORMAL, .a = 2, .b = 0.3},
            2 * exp(0.045),
            4 * exp(0.09) * (exp(0.09) - 1)},
           {{.distribution = AP__LOGUNIFORM, .a = 1, .b = 4},
            3 / log(4),
            7.5 / log(4) - 9 / (log(4) * log(4))},
           {{.distribution = AP__TRIANGULAR, .a = 0, .b = 1, .c = 4}, 5.0 / 3, 13.0 / 18},
           {{.distribution = AP__CHOSEN, .value = values, .values = 3}, 4, 14.0 / 3}};
  for (size_t k = 0; k < sizeof c / sizeof c[0]; k++) {
    ap__design d = {.kind = AP__SOBOL, .parameter = &c[k].p, .n = 1, .seed = 1, .samples = N};
    double x[N], mean = 0, variance = 0;
    CHECK(ap__design_init(&d));
    ap__design_column(&d, 0, 0, N, x, 1);
    for (uint64_t i = 1; i < N; i += 97) {
      double alone;
      ap__design_column(&d, 0, i, 1, &alone, 1);
      CHECK(alone == x[i]);
    }
    for (int i = 0; i < N; i++) mean += x[i] / N;
    for (int i = 0; i < N; i++) variance += (x[i] - mean) * (x[i] - mean) / N;
    CHECK_CLOSE(mean, c[k].mean, 2e-3);
    CHECK_CLOSE(variance, c[k].variance, 1e-2);
    ap__design_free(&d);
  }
}

// ---- studies -----------------------------------------------------------------------------------

static char here[PATH_MAX];

// Write a text to STUDY.yaml of the folder and read it.
static ap_status read_text(const char *text, ap_sweep **sweep, ap_error *error) {
  FILE *f = fopen(in_folder("study.yaml"), "w");
  if (!CHECK(f)) return AP_E_FILE;
  fputs(text, f);
  fclose(f);
  return ap_sweep_read(in_folder("study.yaml"), sweep, error);
}

static void empty_folder(const char *path) {
  DIR *d = opendir(path);
  for (const struct dirent *e; d && (e = readdir(d));) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    if (e->d_name[0] != '.' || strlen(e->d_name) > 2) remove(name);
  }
  if (d) closedir(d);
}

// The folder and, where there is one, that of a sweep in it.
static void remove_all(void) {
  empty_folder(in_folder("work"));
  rmdir(in_folder("work"));
  empty_folder(folder);
  remove_folder_of(0, NULL);
}

#define OPENING  "appell-study: 1\n"
#define PENDULUM OPENING "eval: {model: ascher2, quantity: inverse}\n"
#define ANGLE    "parameters:\n  - {key: q.joint1, uniform: [0, 1]}\n"
#define TORQUE   "outcomes:\n  - {column: tau.joint1}\n...\n"

TEST(bad_studies_get_one_line) {
  static const struct {
    const char *text, *says;
    int line;
  } bad[] = {
      {OPENING ANGLE TORQUE, "no trials to run", 1},
      {PENDULUM "parameters: []\n" TORQUE, "empty", 3},
      {PENDULUM "parameters:\n  - {key: q.joint9, uniform: [0, 1]}\n" TORQUE, "did you mean", 4},
      {PENDULUM "parameters:\n  - {key: q.joint1}\n" TORQUE, "no distribution", 4},
      {PENDULUM "parameters:\n  - {key: q.joint1, grid: []}\n" TORQUE, "no values", 4},
      {PENDULUM "parameters:\n  - {key: q.joint1, range: [0, 1, 0]}\n" TORQUE, "whole number", 4},
      {PENDULUM "parameters:\n  - {key: q.joint1, uniform: [1, 0]}\n" TORQUE, "below", 4},
      {PENDULUM "parameters:\n  - {key: q.joint1, uniform: [0, 1], grid: [1]}\n" TORQUE,
       "two distributions", 4},
      {PENDULUM "trials: 1e18\n" ANGLE TORQUE, "too many trials", 3},
      {PENDULUM "trials: 0\n" ANGLE TORQUE, "whole number from 1", 3},
      {PENDULUM "trials: 1.5\n" ANGLE TORQUE, "whole number from 1", 3},
      {PENDULUM "seed: -1\n" ANGLE TORQUE, "seed", 3},
      {PENDULUM "design: lhs\n" ANGLE TORQUE, "latin", 3},
      {PENDULUM "trials: 5\nparameters:\n  - {key: q.joint1, grid: [1]}\n" TORQUE, "grids", 3},
      {PENDULUM ANGLE "outcomes:\n  - {column: tau.joint7}\n...\n", "no column", 6},
      {PENDULUM ANGLE "outcomes:\n  - {column: tau.*}\n...\n", "columns", 6},
      {PENDULUM ANGLE "outcomes:\n  - {event: impact}\n...\n", "no events", 6},
      {PENDULUM ANGLE "outcomes:\n  - {take: last}\n...\n", "neither", 6},
      {PENDULUM "parameters:\n  - {key: robot.link9.mass, uniform: [1, 2]}\n" TORQUE,
       "no link or joint", 4},
      {PENDULUM "parameters:\n  - {key: robot.link1.weight, uniform: [1, 2]}\n" TORQUE,
       "mass, density", 4},
      {OPENING "eval: {model: ascher3, quantity: inverse}\n" ANGLE TORQUE, "model: ascher3", 2},
      {OPENING "eval: {model: ascher2, quantity: speed}\n" ANGLE TORQUE, "quantity", 2},
      {OPENING "run: nothing.yaml\n" ANGLE TORQUE, "run: nothing.yaml", 2},
  };
  make_folder();
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    ap_sweep *s;
    ap_error error = {0};
    test_context("study %d", (int)k);
    CHECK(read_text(bad[k].text, &s, &error) != AP_OK);
    CHECK(s == NULL);
    CHECK_HAS(error.text, bad[k].says);
    CHECK_EQ_INT(error.line, bad[k].line);
    ap_sweep_free(s);
  }
  test_context("%s", "");
  remove_all();
}

TEST(the_manual_shows_every_key) { manual_shows("docs/sweep.md", ap__study_keys); }

// ---- trials ------------------------------------------------------------------------------------

// What single trials give, in the order of the trials.
static double *single_trials(const ap_sweep *s, int outcomes) {
  const long n = (long)ap_sweep_trials(s);
  double *y = malloc((size_t)(n * outcomes) * sizeof *y);
  for (long i = 0; y && i < n; i++) CHECK_OK(ap_sweep_trial(s, i, NULL, y + i * outcomes, NULL));
  return y;
}

static int up(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// A summary against single trials, which are not computed in lanes, sorted.
TEST(summaries_are_what_trials_say) {
  enum { N = 3000, OUTCOMES = 2 };
  ap_sweep *s;
  ap_error error = {0};
  ap_sweep_summary *u;
  make_folder();
  CHECK_OK(read_text(OPENING "eval: {model: puma600, quantity: inverse}\n"
                             "trials: 3000\ndesign: latin\nchunk: 700\nparameters:\n"
                             "  - {key: q.joint2, normal: [0, 1]}\n"
                             "  - {key: v.joint1, uniform: [-2, 2]}\noutcomes:\n"
                             "  - {name: torque, column: tau.joint2}\n"
                             "  - {name: all, column: tau.*, take: rms, worst: smallest}\n...\n",
                     &s, &error));
  CHECK_OK(ap_sweep_run(s, in_folder("work"), NULL, NULL, &error));
  CHECK_OK(ap_sweep_summarize(in_folder("work"), &u, &error));
  double *y = single_trials(s, OUTCOMES);
  for (int k = 0; y && u && k < OUTCOMES; k++) {
    const ap_sweep_outcome_summary *o = &u->outcome[k];
    double sorted[N], mean = 0, squares = 0;
    for (int i = 0; i < N; i++) mean += (sorted[i] = y[i * OUTCOMES + k]) / N;
    for (int i = 0; i < N; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    CHECK(y[o->worst[0] * OUTCOMES + k] == o->worst_value[0]);
    qsort(sorted, N, sizeof *sorted, up);
    CHECK_EQ_INT(o->count, N);
    CHECK(o->least == sorted[0] && o->most == sorted[N - 1]);
    CHECK(o->worst_value[0] == sorted[k ? 0 : N - 1]);
    CHECK_CLOSE(o->mean, mean, 1e-12 * fabs(sorted[N - 1]));
    CHECK_CLOSE(o->deviation, sqrt(squares / (N - 1)), 1e-10);
    for (int r = 0; r < AP_SWEEP_QUANTILES; r++)
      CHECK(o->quantile[r] == sorted[(int)ceil(ap_sweep_quantile[r] * N) - 1]);
    long long all = 0;
    for (int b = 0; b < AP_SWEEP_BINS; b++) all += o->histogram[b];
    CHECK_EQ_INT(all, N);
  }
  free(y);
  ap_sweep_summary_free(u);
  ap_sweep_free(s);
  remove_all();
}

// Kinetic energy m v^2 / 2 of a point: with m uniform in 1 .. 3 and v in 0 .. 2 the indices follow
// from E m = 2, V m = 1/3, E w = 2/3, V w = 16/45, w = v^2/2. Blocks: 2048, errors about 1e-2.
TEST(sobol_indices_of_a_product) {
  static const double first[] = {0.0877193, 0.8421053}, total[] = {0.1578947, 0.9122807};
  char text[PATH_MAX + 400];
  ap_sweep *s;
  ap_error error = {0};
  ap_sweep_summary *u = NULL;
  make_folder();
  snprintf(text, sizeof text,
           OPENING
           "eval: {model: %s/models/point.yaml, quantity: energy}\n"
           "trials: 2048\ndesign: saltelli\nparameters:\n"
           "  - {name: m, key: robot.ball.mass, uniform: [1, 3]}\n"
           "  - {name: v, key: v.height, uniform: [0, 2]}\n"
           "outcomes:\n  - {column: kinetic}\n...\n",
           here);
  CHECK_OK(read_text(text, &s, &error));
  CHECK_OK(ap_sweep_run(s, in_folder("work"), NULL, NULL, &error));
  CHECK_OK(ap_sweep_summarize(in_folder("work"), &u, &error));
  if (u) {
    CHECK_NEAR(u->outcome[0].influence[0], first, 2, 2e-2);
    CHECK_NEAR(u->outcome[0].influence[1], total, 2, 2e-2);
    CHECK_CLOSE(u->outcome[0].mean, 4.0 / 3, 2e-3);
  }
  double value[2], energy;
  CHECK_OK(ap_sweep_values(s, 77, value));
  CHECK_OK(ap_sweep_trial(s, 77, NULL, &energy, &error));
  CHECK_CLOSE(energy, value[0] * value[1] * value[1] / 2, 1e-15 * 6);
  ap_sweep_summary_free(u);
  ap_sweep_free(s);
  remove_all();
}

// Morris' effects of a linear function are its slopes, all alike: tau of a point is m (a + g).
TEST(morris_effects_of_a_linear_function) {
  char text[PATH_MAX + 400];
  ap_sweep *s;
  ap_error error = {0};
  ap_sweep_summary *u = NULL;
  make_folder();
  snprintf(text, sizeof text,
           OPENING
           "eval: {model: %s/models/point.yaml, quantity: inverse}\n"
           "trials: 20\ndesign: morris\nparameters:\n"
           "  - {key: q.height, uniform: [0, 1]}\n  - {key: a.height, uniform: [-2, 2]}\n"
           "outcomes:\n  - {column: tau.height}\n...\n",
           here);
  CHECK_OK(read_text(text, &s, &error));
  CHECK_OK(ap_sweep_run(s, in_folder("work"), NULL, NULL, &error));
  CHECK_OK(ap_sweep_summarize(in_folder("work"), &u, &error));
  double value[2], tau;
  ap_sweep_values(s, 0, value);
  CHECK_OK(ap_sweep_trial(s, 0, NULL, &tau, &error));
  const double slope = 4 * tau / (value[1] + 9.81);
  if (u) {
    CHECK_CLOSE(u->outcome[0].influence[0][0], 0, 1e-12);
    CHECK_CLOSE(u->outcome[0].influence[0][1], slope, 1e-12 * slope);
    CHECK_CLOSE(u->outcome[0].influence[1][1], slope, 1e-12 * slope);
    CHECK_CLOSE(u->outcome[0].influence[2][1], 0, 1e-6 * slope);
  }
  ap_sweep_summary_free(u);
  ap_sweep_free(s);
  remove_all();
}

// A falling point after 100 steps of 0.01 s by semi-implicit Euler: v = -g t, q = -g h^2 n (n+1)/2.
TEST(rollouts_are_taken_of_their_rows) {
  char text[PATH_MAX + 500];
  ap_sweep *s;
  ap_error error = {0};
  double y[3];
  make_folder();
  snprintf(text, sizeof text,
           OPENING
           "rollout: {model: %s/models/point.yaml, dt: 0.01, steps: 100, every: 10}\n"
           "trials: 300\nparameters:\n  - {key: v.height, uniform: [0, 1]}\noutcomes:\n"
           "  - {column: q.height}\n  - {name: end, column: t, take: most}\n"
           "  - {column: v.height, take: first}\n...\n",
           here);
  CHECK_OK(read_text(text, &s, &error));
  for (int trial = 0; trial < 300; trial += 99) {
    double v;
    ap_sweep_values(s, trial, &v);
    CHECK_OK(ap_sweep_trial(s, trial, NULL, y, &error));
    CHECK_CLOSE(y[0], v - 9.81 * 1e-4 * 5050, 1e-12);
    CHECK_CLOSE(y[1], 1, 1e-12);
    CHECK(y[2] == v);
  }
  ap_sweep_free(s);
  remove_all();
}

// A trial of a run is the run of a scenario with its numbers written in by hand.
TEST(trials_of_runs_are_runs) {
  char text[PATH_MAX + 600];
  ap_sweep *s;
  ap_error error = {0};
  ap_run *run = NULL;
  double value[3], y[3], last = 0, most = -INFINITY;
  make_folder();
  snprintf(text, sizeof text,
           OPENING
           "run: %s/models/ball.yaml\ntrials: 3\nparameters:\n"
           "  - {name: t, key: duration, uniform: [1, 2]}\n"
           "  - {name: e, key: walls.floor.restitution, relative: true, uniform: [0.5, 1]}\n"
           "  - {name: h, key: start.height, choice: [0.5, 0.6]}\noutcomes:\n"
           "  - {column: kinetic, take: most}\n  - {column: potential}\n"
           "  - {event: impact, number: impulse, take: first}\n...\n",
           here);
  CHECK_OK(read_text(text, &s, &error));
  CHECK_OK(ap_sweep_values(s, 2, value));
  CHECK_OK(ap_sweep_trial(s, 2, NULL, y, &error));
  FILE *f = fopen(in_folder("hand.yaml"), "w");
  if (CHECK(f)) {
    fprintf(f,
            "appell-scenario: 1\nrobot: %s/models/point.yaml\nwalls:\n"
            "  - {name: floor, kind: plane, normal: [0, 0, 1], restitution: %.17g}\n"
            "contacts: [ball]\nstart: {height: %.17g}\nduration: %.17g\noutput_step: 0.02\n...\n",
            here, 0.5 * value[1], value[2], value[0]);
    fclose(f);
  }
  CHECK_OK(ap_run_open(in_folder("hand.yaml"), NULL, &run, &error));
  for (bool end = false; run && ap_run_step(run, &end, &error) == AP_OK && !end;) {
    const double *row = ap_run_row(run);
    most = fmax(most, row[ap_run_find(run, "kinetic")]);
    last = row[ap_run_find(run, "potential")];
  }
  CHECK(y[0] == most && y[1] == last);
  CHECK_CLOSE(y[2], (1 + 0.5 * value[1]) * sqrt(2 * 9.81 * value[2]), 1e-9);
  ap_run_free(run);
  ap_sweep_free(s);
  remove_all();
}

// ---- folders -----------------------------------------------------------------------------------

// All bytes of the chunks of a folder.
static uint64_t digest_of(const char *path, int chunks) {
  uint64_t sum = 1;
  for (int c = 0; c < chunks; c++) {
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/chunk-%06d.bin", path, c);
    FILE *f = fopen(name, "rb");
    if (!CHECK(f)) return 0;
    for (int byte; (byte = fgetc(f)) != EOF;) sum = (sum ^ (uint64_t)byte) * 0x100000001b3u;
    fclose(f);
  }
  return sum;
}

TEST(parts_fill_a_folder_with_the_same_bytes) {
  ap_sweep *s, *other;
  ap_error error = {0};
  uint64_t wanted = 0;
  make_folder();
  CHECK_OK(read_text(PENDULUM "trials: 1000\nchunk: 90\n" ANGLE TORQUE, &s, &error));
  for (int n = 1; n <= 20; n = n == 1 ? 2 : n == 2 ? 7 : n + 13) {
    ap_sweep_options o = ap_default_sweep();
    o.parts = n;
    o.threads = n == 2 ? 3 : 1;
    long long all = 0;
    for (int k = n; k >= 1; k--) {
      long long fresh;
      o.part = k;
      if (k == n) CHECK(!ap_sweep_complete(s, in_folder("work")));
      CHECK_OK(ap_sweep_run(s, in_folder("work"), &o, &fresh, &error));
      all += fresh;
      CHECK_OK(ap_sweep_run(s, in_folder("work"), &o, &fresh, &error));
      CHECK_EQ_INT(fresh, 0);
    }
    CHECK_EQ_INT(all, 1000);
    CHECK(ap_sweep_complete(s, in_folder("work")));
    const uint64_t digest = digest_of(in_folder("work"), 12);
    if (n == 1) wanted = digest;
    CHECK(digest == wanted);
    if (n < 20) empty_folder(in_folder("work"));
  }
  // what is damaged or missing is told, and computed again
  FILE *f = fopen(in_folder("work/chunk-000003.bin"), "r+b");
  if (CHECK(f)) {
    fseek(f, 300, SEEK_SET);
    fputc(77, f);
    fclose(f);
  }
  CHECK_STATUS(ap_sweep_merge(in_folder("work"), in_folder("all.h5"), &error), AP_E_FILE);
  CHECK_HAS(error.text, "chunk-000003.bin");
  remove(in_folder("work/chunk-000003.bin"));
  ap_sweep_summary *u;
  CHECK_STATUS(ap_sweep_summarize(in_folder("work"), &u, &error), AP_E_FILE);
  CHECK_HAS(error.text, "1 of 12 chunks");
  long long fresh;
  CHECK_OK(ap_sweep_run(s, in_folder("work"), NULL, &fresh, &error));
  CHECK_EQ_INT(fresh, 90);
  CHECK(digest_of(in_folder("work"), 12) == wanted);
  // another study keeps out, and leaves all as it was
  CHECK_OK(read_text(PENDULUM "trials: 1000\nchunk: 90\nseed: 2\n" ANGLE TORQUE, &other, &error));
  CHECK_STATUS(ap_sweep_run(other, in_folder("work"), NULL, NULL, &error), AP_E_FILE);
  CHECK_HAS(error.text, "another study");
  CHECK(digest_of(in_folder("work"), 12) == wanted);
  ap_sweep_free(other);
  // two at once: the same trials are refused, others are not
  int lock, second;
  CHECK_OK(ap__folder_claim(s, in_folder("work"), 0, 6, &lock, &error));
  CHECK_STATUS(ap__folder_claim(s, in_folder("work"), 5, 7, &second, &error), AP_E_FILE);
  CHECK_HAS(error.text, "another sweep is at work");
  CHECK_OK(ap__folder_claim(s, in_folder("work"), 6, 12, &second, &error));
  close(lock);
  close(second);
  ap_sweep_free(s);
  remove_all();
}

// A version that is not this one.
TEST(folders_of_other_versions_are_refused) {
  ap_sweep *s;
  ap_error error = {0};
  make_folder();
  CHECK_OK(read_text(PENDULUM "trials: 10\n" ANGLE TORQUE, &s, &error));
  CHECK_OK(ap_sweep_run(s, in_folder("work"), NULL, NULL, &error));
  const struct {
    const char *line, *says;
  } other[] = {{"version 0.0.1", "appell 0.0.1"}, {"family strange", "strange"}};
  for (int k = 0; k < 2; k++) {
    size_t length;
    char *text = file_text(in_folder("work/sweep.txt"), &length), *old = text ? strdup(text) : NULL;
    FILE *f = fopen(in_folder("work/sweep.txt"), "w");
    if (!CHECK(text && old && f)) return;
    const char *at = strstr(text, k ? "family" : "version"), *end = strchr(at, '\n');
    fprintf(f, "%.*s%s%s", (int)(at - text), text, other[k].line, end);
    fclose(f);
    CHECK_STATUS(ap_sweep_run(s, in_folder("work"), NULL, NULL, &error), AP_E_FILE);
    CHECK_HAS(error.text, other[k].says);
    CHECK_STATUS(ap_sweep_merge(in_folder("work"), in_folder("all.h5"), &error),
                 strstr(error.text, "HDF5") ? AP_E_UNSUPPORTED : AP_E_FILE);
    f = fopen(in_folder("work/sweep.txt"), "w");
    if (f) fputs(old, f), fclose(f);
    free(old);
    free(text);
  }
  CHECK_OK(ap_sweep_run(s, in_folder("work"), NULL, NULL, &error));
  ap_sweep_free(s);
  remove_all();
}

__attribute__((constructor)) static void remember_here(void) {
  if (!getcwd(here, sizeof here)) abort();
}
