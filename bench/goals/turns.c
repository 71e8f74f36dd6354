// SPDX-License-Identifier: Apache-2.0
// Two builds of Appell and the libraries it is compared with, on one robot and the same states, in
// one process on one core: values first, then times in turns of some 60 us. bench/goals/table runs
// it. Prints lines 'WHAT PATH WHO NS' with the first decile of the turns.
//
//   turns SECONDS ROBOT OLD NEW [OTHER.so...]     ROBOT with '+' before it for a free base
//   turns ROBOT                                   the names of its end effectors, with commas
//
// OLD and NEW are folders with subject.so (subject.c linked with that build) and, where code was
// generated, gen.so with the functions gen_..., and gen_kinematics and gen_kinematics_batch, which
// give R of all end effectors in turn, then p, then Jacobians. OLD may be '-': no build. OTHER.so
// has some of these functions from another generator; WHO is its name without '.so'.

#include <appell/file.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "peers/links.h"
#include "subject.h"

enum { MOST_STATES = 128, LEAST_STATES = 16, MOST_WAYS = 32, MOST_TURNS = 4001, LEAST_TURNS = 15 };
enum { BUILDS = 2, MOST_OTHERS = 8, OLD = 0, NEW = 1 };
enum { GENERAL_PEERS = 2 }; // the first: Pinocchio and RBDL, which the goals are about
static const double turn_ns = 60e3, bytes_of_results = 1 << 20;

static const char *const names[QUANTITIES] = {"ID", "M", "FD", "dID", "dFD", "FK+J"};
static const char *const functions[QUANTITIES] = {"inverse_dynamics",
                                                  "inertia_matrix",
                                                  "forward_dynamics",
                                                  "inverse_dynamics_derivatives",
                                                  "forward_dynamics_derivatives",
                                                  "kinematics"};
static const ap_quantity quantity[] = {AP_INVERSE, AP_INERTIA, AP_FORWARD, AP_INVERSE_DERIVATIVES,
                                       AP_FORWARD_DERIVATIVES};

typedef void generated(void);

// A build, or code of another generator.
typedef struct build {
  char who[32];
  const subject *s; // NULL: only generated code, or nothing
  void *own;
  generated *gen[QUANTITIES], *gen_batch[QUANTITIES]; // NULL: not generated
} build;

typedef struct robot {
  build build[BUILDS + MOST_OTHERS];
  int builds;
  cli_peer peer[GENERAL_PEERS];
  int nq, nv, ends;
  size_t n;                    // states
  double *q, *v, *a, *tau;     // one state after the other
  double *bq, *bv, *ba, *btau; // entry by entry
  double *out, *exact;
} robot;

// A way of computing all states, one after the other or together.
typedef struct way {
  const char *path, *who;
  const build *b;
  const cli_peer *peer;
  bool is_generated, columns;
  int repeats;
  double turn[MOST_TURNS];
} way;

static void *memory(size_t count) {
  void *p = aligned_alloc(64, (count * sizeof(double) + 63) / 64 * 64);
  if (!p) exit(1);
  return memset(p, 0, count * sizeof(double));
}

// ---- one state, all states ---------------------------------------------------------------------

static size_t entries(const robot *r, int what) {
  const size_t n = (size_t)r->nv;
  if (what == KINEMATICS) return (size_t)r->ends * (12 + 6 * n);
  return what == ID || what == FD ? n : what == M ? n * n : 3 * n * n;
}

static void call_generated(const robot *r, int what, generated *f, const double *q, const double *v,
                           const double *x, double *out) {
  const size_t n = (size_t)r->nv * (size_t)r->nv;
  if (what == M || what == KINEMATICS)
    ((void (*)(const double *, double *))f)(q, out);
  else if (what == ID || what == FD)
    ((void (*)(const double *, const double *, const double *, double *))f)(q, v, x, out);
  else
    ((void (*)(const double *, const double *, const double *, double *, double *, double *))f)(
        q, v, x, out, out + n, out + 2 * n);
}

static void call_batch(const robot *r, int what, generated *f) {
  const double *q = r->bq, *v = r->bv, *x = what == FD || what == DFD ? r->btau : r->ba;
  const size_t n = (size_t)r->nv * (size_t)r->nv * r->n;
  double *out = r->out;
  if (what == M || what == KINEMATICS)
    ((void (*)(size_t, const double *, double *))f)(r->n, q, out);
  else if (what == ID || what == FD)
    ((void (*)(size_t, const double *, const double *, const double *, double *))f)(r->n, q, v, x,
                                                                                    out);
  else
    ((void (*)(size_t, const double *, const double *, const double *, double *, double *,
               double *))f)(r->n, q, v, x, out, out + n, out + 2 * n);
}

static void call_one(const robot *r, const way *w, int what, size_t k, double *out) {
  const double *q = r->q + k * (size_t)r->nq, *v = r->v + k * (size_t)r->nv;
  const double *x = (what == FD || what == DFD ? r->tau : r->a) + k * (size_t)r->nv;
  if (w->peer && what == KINEMATICS)
    w->peer->kinematics(w->peer->peer.own, q, out);
  else if (w->peer)
    w->peer->peer.run(w->peer->peer.own, quantity[what], q, v, x, out);
  else if (w->is_generated)
    call_generated(r, what, w->b->gen[what], q, v, x, out ? out : r->out);
  else
    w->b->s->one(w->b->own, what, q, v, x, out ? out : r->out);
}

static void call_all(const robot *r, const way *w, int what) {
  if (w->columns && w->is_generated) {
    call_batch(r, what, w->b->gen_batch[what]);
  } else if (w->columns) {
    const double *x = what == FD || what == DFD ? r->btau : r->ba;
    w->b->s->many(w->b->own, what, r->n, r->bq, r->bv, x, r->out);
  } else {
    for (size_t k = 0; k < r->n; k++) call_one(r, w, what, k, NULL);
  }
}

// ---- values ------------------------------------------------------------------------------------

// The place of entry j of the kinematics of one state in the order of generated code.
static size_t generated_entry(const robot *r, size_t j) {
  const size_t own = 12 + 6 * (size_t)r->nv, end = j / own, i = j % own, ends = (size_t)r->ends;
  if (i < 9) return end * 9 + i;
  if (i < 12) return ends * 9 + end * 3 + i - 9;
  return ends * 12 + end * (own - 12) + i - 12;
}

// Largest difference to the exact results, relative to the largest of these.
static double difference(const robot *r, const way *w, int what) {
  const size_t n = entries(r, what);
  double most = 0, off = 0;
  if (w->columns) call_all(r, w, what);
  for (size_t k = 0; k < r->n; k++) {
    if (!w->columns) call_one(r, w, what, k, r->out);
    for (size_t j = 0; j < n; j++) {
      const size_t i = w->is_generated && what == KINEMATICS ? generated_entry(r, j) : j;
      const double exact = r->exact[k * n + j], x = r->out[w->columns ? i * r->n + k : i];
      most = fmax(most, fabs(exact));
      off = fabs(x - exact) <= off ? off : fabs(x - exact);
    }
  }
  return off / most;
}

// Long chains are ill-conditioned: solving loses digits.
static void compare(const robot *r, const way *w, int what) {
  const double bound = what == FD || what == DFD ? 1e-6 : 1e-9;
  const double off = difference(r, w, what);
  if (off <= bound) return;
  fprintf(stderr, "turns: %s by %s of %s differs by %.1e (at most %.0e is allowed)\n", names[what],
          w->path, w->who, off, bound);
  exit(1);
}

// ---- times -------------------------------------------------------------------------------------

static double time_turn(const robot *r, const way *w, int what) {
  const double start = now();
  for (int k = 0; k < w->repeats; k++) call_all(r, w, what);
  return (now() - start) / ((double)w->repeats * (double)r->n);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const robot *r, way *ways, int n, int what, double seconds) {
  int turns = 0;
  for (int k = 0; k < n; k++) {
    way *w = &ways[k];
    w->repeats = 1;
    double best = INFINITY;
    for (int i = 0; i < 5; i++) best = fmin(best, time_turn(r, w, what) * (double)r->n);
    w->repeats = best < turn_ns ? (int)(turn_ns / best) + 1 : 1;
  }
  const double end = now() + seconds * 1e9;
  while (turns < MOST_TURNS && (turns < LEAST_TURNS || now() < end)) {
    for (int k = 0; k < n; k++) ways[k].turn[turns] = time_turn(r, &ways[k], what);
    turns++;
  }
  for (int k = 0; k < n; k++) {
    qsort(ways[k].turn, (size_t)turns, sizeof(double), by_value);
    printf("%s %s %s %.2f\n", names[what], ways[k].path, ways[k].who, ways[k].turn[turns / 10]);
  }
  fflush(stdout);
}

// ---- ways --------------------------------------------------------------------------------------

static int list_ways(const robot *r, int what, way *ways) {
  int n = 0;
  for (int k = 0; k < GENERAL_PEERS; k++) {
    const cli_peer *p = &r->peer[k];
    if (!p->peer.own) continue;
    if (what == KINEMATICS ? p->kinematics != NULL : p->peer.computes >> quantity[what] & 1)
      ways[n++] = (way){.path = "general", .who = cli_peers[k].path, .peer = p};
  }
  for (int k = 0; k < r->builds; k++) {
    const build *b = &r->build[k];
    if (b->s) ways[n++] = (way){.path = "general", .who = b->who, .b = b};
    if (b->gen[what])
      ways[n++] = (way){.path = "generated", .who = b->who, .b = b, .is_generated = true};
    if (b->gen_batch[what])
      ways[n++] =
          (way){.path = "batch", .who = b->who, .b = b, .is_generated = true, .columns = true};
    if (b->s && what != KINEMATICS)
      ways[n++] = (way){.path = "lanes", .who = b->who, .b = b, .columns = true};
  }
  return n;
}

static void run(const robot *r, int what, double seconds) {
  static way ways[MOST_WAYS];
  const int n = list_ways(r, what, ways);
  const way new_one = {.path = "general", .who = "new", .b = &r->build[NEW]};
  const size_t size = entries(r, what);
  for (size_t k = 0; k < r->n; k++) call_one(r, &new_one, what, k, r->exact + k * size);
  for (int k = 0; k < n; k++) compare(r, &ways[k], what);
  measure(r, ways, n, what, seconds);
}

// ---- opening -----------------------------------------------------------------------------------

static void *open_library(const char *folder, const char *file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void find_generated(build *b, void *library) {
  for (int k = 0; library && k < QUANTITIES; k++) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "gen_%s", functions[k]);
    *(void **)&b->gen[k] = dlsym(library, symbol);
    snprintf(symbol, sizeof symbol, "gen_%s_batch", functions[k]);
    *(void **)&b->gen_batch[k] = dlsym(library, symbol);
  }
}

static build open_build(const char *who, const char *folder, const char *name, bool floating) {
  build b = {0};
  if (strcmp(folder, "-") == 0) return b;
  snprintf(b.who, sizeof b.who, "%s", who);
  void *library = open_library(folder, "subject.so");
  b.s = library ? dlsym(library, "the_subject") : NULL;
  if (!b.s) {
    fprintf(stderr, "turns: %s\n", dlerror());
    exit(1);
  }
  b.own = b.s->open(name, floating);
  find_generated(&b, open_library(folder, "gen.so"));
  return b;
}

static build open_other(const char *path) {
  build b = {0};
  const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
  snprintf(b.who, sizeof b.who, "%.*s", (int)strcspn(file, "."), file);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "turns: %s\n", dlerror());
    exit(1);
  }
  find_generated(&b, library);
  return b;
}

static ap_model *read_model(const char *name, bool floating) {
  const ap_read_options options = {.floating = floating};
  ap_robot *from;
  ap_model *m;
  ap_error error;
  ap_status status = ap_builtin(name) ? ap_robot_builtin(name, &options, &from, &error)
                                      : ap_robot_read(name, &options, &from, &error);
  if (status != AP_OK || ap_robot_model(from, &m, &error) != AP_OK) exit(1);
  ap_robot_free(from);
  return m;
}

static void open_peers(robot *r, const char *name, bool floating) {
  cli_links links;
  cli_links_of(read_model(name, floating), &links);
  for (int k = 0; k < GENERAL_PEERS; k++)
    if (links.n > 0 && cli_peers[k].open) r->peer[k] = cli_peers[k].open(&links);
}

static void transpose(const double *rows, size_t n, int width, double *columns) {
  for (size_t k = 0; k < n; k++)
    for (int j = 0; j < width; j++)
      columns[(size_t)j * n + k] = rows[k * (size_t)width + (size_t)j];
}

static void draw_states(robot *r) {
  const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
  const double fit = bytes_of_results / (3.0 * (double)(nv * nv) * sizeof(double));
  r->n = fit > MOST_STATES ? MOST_STATES : fit < LEAST_STATES ? LEAST_STATES : (size_t)fit / 8 * 8;
  r->q = memory(r->n * nq), r->bq = memory(r->n * nq);
  r->v = memory(r->n * nv), r->bv = memory(r->n * nv);
  r->a = memory(r->n * nv), r->ba = memory(r->n * nv);
  r->tau = memory(r->n * nv), r->btau = memory(r->n * nv);
  // generated kinematics may have several frames for an end
  const size_t most = r->n * (3 * nv * nv + 64 * (12 + 6 * nv));
  r->out = memory(most), r->exact = memory(most);
  const build *b = &r->build[NEW];
  for (size_t k = 0; k < r->n; k++)
    b->s->draw(b->own, r->q + k * nq, r->v + k * nv, r->a + k * nv, r->tau + k * nv);
  transpose(r->q, r->n, r->nq, r->bq), transpose(r->v, r->n, r->nv, r->bv);
  transpose(r->a, r->n, r->nv, r->ba), transpose(r->tau, r->n, r->nv, r->btau);
}

// Bodies that carry no other moving one, as subject.c has them.
static void print_ends(const char *name, bool floating) {
  const ap_model *m = read_model(name, floating);
  const int n = ap_moving_bodies(m);
  const char *comma = "";
  for (int k = 0; k < n; k++) {
    const int of = ap_moving_body(m, k);
    bool carries = false;
    for (int i = 0; i < n; i++)
      carries = carries || ap_body_mover(m, ap_body(m, ap_moving_body(m, i))->parent) == of;
    if (carries) continue;
    printf("%s%s", comma, ap_body(m, of)->name);
    comma = ",";
  }
  printf("\n");
}

int main(int argc, char **argv) {
  if (argc != 2 && (argc < 5 || argc > 5 + MOST_OTHERS)) {
    fprintf(stderr, "usage: turns SECONDS ROBOT OLD NEW [OTHER.so...]\n       turns ROBOT\n");
    return 2;
  }
  const char *plus_name = argv[argc == 2 ? 1 : 2];
  const bool floating = plus_name[0] == '+';
  const char *name = plus_name + floating;
  if (argc == 2) {
    print_ends(name, floating);
    return 0;
  }
  robot r = {.builds = BUILDS};
  ap_bench_pin();
  r.build[OLD] = open_build("old", argv[3], name, floating);
  r.build[NEW] = open_build("new", argv[4], name, floating);
  if (!r.build[NEW].s) {
    fprintf(stderr, "turns: there must be a NEW build\n");
    return 2;
  }
  for (int k = 5; k < argc; k++) r.build[r.builds++] = open_other(argv[k]);
  r.build[NEW].s->sizes(r.build[NEW].own, &r.nq, &r.nv, &r.ends);
  open_peers(&r, name, floating);
  draw_states(&r);
  for (int what = 0; what < QUANTITIES; what++) run(&r, what, strtod(argv[1], NULL));
  return 0;
}
