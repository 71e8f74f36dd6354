// SPDX-License-Identifier: Apache-2.0
// Measured errors of the dynamics in double and in single precision, as the Markdown tables of
// docs/accuracy.md:  accuracy_dynamics [states per robot, default 1000]
//
// Reference: the same text compiled for binary128. An error is the largest over the entries of a
// result, divided by the largest entry of the exact result; printed is the largest over the states.
// States are random and exactly representable in single precision: angles in +-pi, distances in
// +-0.5 m, velocities in +-2, accelerations in +-5, forces in +-10 (SI units), quaternions over all
// orientations.

#include <appell/appell.h>
#include <appell/research.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  uint64_t state;
} generator;

static uint64_t next(generator *g) { // splitmix64
  uint64_t z = (g->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double uniform(generator *g, double size) {
  return (double)(float)(size * (2 * ((double)(next(g) >> 11) * 0x1p-53) - 1));
}

static void random_quaternion(generator *g, double *x) {
  double square;
  do {
    square = 0;
    for (int k = 0; k < 4; k++) x[k] = uniform(g, 1), square += x[k] * x[k];
  } while (square < 0.1 || square > 1); // inside the ball every direction is alike
  for (int k = 0; k < 4; k++) x[k] = (double)(float)(x[k] / sqrt(square));
}

static void random_joint(generator *g, ap_joint_type type, double *q) {
  static const double pi = 3.14159265358979323846;
  switch (type) {
    case AP_FIXED: break;
    case AP_REVOLUTE: q[0] = uniform(g, pi); break;
    case AP_PRISMATIC: q[0] = uniform(g, 0.5); break;
    case AP_SPHERICAL: random_quaternion(g, q); break;
    case AP_PLANAR: q[0] = uniform(g, 0.5), q[1] = uniform(g, 0.5), q[2] = uniform(g, pi); break;
    case AP_FREE:
      for (int k = 0; k < 3; k++) q[k] = uniform(g, 0.5);
      random_quaternion(g, q + 3);
      break;
  }
}

// ---- one robot ---------------------------------------------------------------------------------

enum { COLUMNS = 7, ARITHMETICS = 3 };

// The quantities of the tables and how each is computed.
static const struct {
  const char *title;
  ap_quantity what;
  const char *method;
} columns[COLUMNS] = {
    {"inverse", AP_INVERSE, NULL},
    {"bias", AP_BIAS, NULL},
    {"gravity", AP_GRAVITY, NULL},
    {"inertia", AP_INERTIA, NULL},
    {"energy", AP_ENERGY, NULL},
    {"forward, Cholesky", AP_FORWARD, "gibbs-cholesky"},
    {"forward, articulated", AP_FORWARD, "articulated-body"},
};
static const ap_arithmetic arithmetics[ARITHMETICS] = {AP_F128, AP_F64, AP_F32};

typedef struct {
  const char *name;
  double condition;                   // of M, largest
  double error[ARITHMETICS][COLUMNS]; // largest; of the reference unused
} outcome;

typedef struct {
  const ap_model *m;
  ap_work *w;
  ap_study *study[ARITHMETICS];
  double *in, *out[ARITHMETICS], *M, *Minv;
} bench;

// Memory for one robot at a time.
static _Alignas(64) unsigned char pool[1 << 20];
static size_t taken;

static void *room(size_t size) {
  void *memory = pool + taken;
  taken += (size + 63) / 64 * 64;
  if (taken <= sizeof pool) return memory;
  fprintf(stderr, "accuracy_dynamics: a robot takes more than %zu bytes\n", sizeof pool);
  exit(1);
}

static double *numbers(int n) { return room((size_t)n * sizeof(double)); }

static bench prepare(const ap_robot_def *def) {
  bench b;
  taken = 0;
  size_t size = ap_model_size(def);
  b.m = ap_model_init(def, room(size), size, NULL);
  size = ap_work_size(b.m);
  b.w = ap_work_init(b.m, room(size), size);
  int nv = ap_nv(b.m), widest = nv * nv > 2 ? nv * nv : 2;
  for (int k = 0; k < ARITHMETICS; k++) {
    size = ap_study_size(b.m, arithmetics[k]);
    b.study[k] = ap_study_init(b.m, arithmetics[k], room(size), size);
    b.out[k] = numbers(widest);
  }
  b.in = numbers(ap_nq(b.m) + 2 * nv);
  b.M = numbers(nv * nv), b.Minv = numbers(nv * nv);
  return b;
}

// q, v and a third vector: accelerations, or forces.
static void random_state(const bench *b, generator *g, double third) {
  int nq = ap_nq(b->m), nv = ap_nv(b->m);
  for (int i = 1; i < ap_nbody(b->m); i++)
    if (ap_joint_nq(b->m, i) > 0)
      random_joint(g, ap_body(b->m, i)->joint, b->in + ap_joint_q(b->m, i));
  for (int k = 0; k < nv; k++) b->in[nq + k] = uniform(g, 2);
  for (int k = 0; k < nv; k++) b->in[nq + nv + k] = uniform(g, third);
}

static double relative_error(const double *got, const double *want, int n) {
  double error = 0, size = 0;
  for (int k = 0; k < n; k++) {
    double e = fabs(got[k] - want[k]);
    error = isnan(e) ? HUGE_VAL : fmax(error, e);
    size = fmax(size, fabs(want[k]));
  }
  return size > 0 ? error / size : error;
}

// The largest sum of absolute values in a column.
static double norm(const double *A, int n) {
  double largest = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(A[i * n + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

static double condition(const bench *b) {
  int nv = ap_nv(b->m);
  ap_inertia_matrix(b->m, b->w, b->in, b->M);
  if (ap_inverse_inertia_matrix(b->m, b->w, b->in, b->Minv) != AP_OK) return HUGE_VAL;
  return norm(b->M, nv) * norm(b->Minv, nv);
}

static void measure(bench *b, generator *g, int column, outcome *o) {
  ap_quantity what = columns[column].what;
  const ap_method *method = ap_find_method(what, columns[column].method);
  random_state(b, g, what == AP_FORWARD ? 10 : 5);
  if (what == AP_FORWARD) o->condition = fmax(o->condition, condition(b));
  for (int k = 0; k < ARITHMETICS; k++)
    if (ap_study_eval(b->study[k], method, b->in, b->out[k], NULL) != AP_OK) b->out[k][0] = NAN;
  for (int k = 1; k < ARITHMETICS; k++) {
    double e = relative_error(b->out[k], b->out[0], ap_columns_out(b->m, what));
    o->error[k][column] = fmax(o->error[k][column], e);
  }
}

// ---- tables ------------------------------------------------------------------------------------

static void print_table(int k, const outcome *outcomes, int n) {
  printf("%s against f128:\n\n| robot |", ap_arithmetic_name(arithmetics[k]));
  for (int c = 0; c < COLUMNS; c++) printf(" %s |", columns[c].title);
  printf("\n|---|");
  for (int c = 0; c < COLUMNS; c++) printf("---|");
  printf("\n");
  for (int i = 0; i < n; i++) {
    printf("| %s |", outcomes[i].name);
    for (int c = 0; c < COLUMNS; c++) printf(" %.1e |", outcomes[i].error[k][c]);
    printf("\n");
  }
  printf("\n");
}

int main(int argc, char **argv) {
  enum { MOST = 32 };
  static outcome outcomes[MOST];
  long states = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
  int n = 0;
  generator g = {2023};
  if (states <= 0) {
    fprintf(stderr, "usage: accuracy_dynamics [states per robot]\n");
    return 2;
  }
  for (; n < MOST && ap_builtin_name(n); n++) {
    bench b = prepare(ap_builtin(ap_builtin_name(n)));
    if (!b.study[0]) {
      puts("no binary128 here, so no reference to measure against");
      return 0;
    }
    outcomes[n].name = ap_builtin_name(n);
    for (int c = 0; c < COLUMNS; c++)
      for (long k = 0; k < states; k++) measure(&b, &g, c, &outcomes[n]);
  }
  for (int k = 1; k < ARITHMETICS; k++) print_table(k, outcomes, n);
  printf("Largest condition number of the inertia matrix met (1-norm):\n\n| robot | cond(M) |\n");
  printf("|---|---|\n");
  for (int i = 0; i < n; i++) printf("| %s | %.1e |\n", outcomes[i].name, outcomes[i].condition);
  return 0;
}
