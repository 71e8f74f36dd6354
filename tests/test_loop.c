// Closed chains and parallel robots: golden samples, laws of the reduced equations, assembly,
// singularities, small mechanisms whose answers are known by hand.

#define _GNU_SOURCE
#include <appell/loop.h>

#include "golden/parallel.h"
#include "heap.h"
#include "loop/work.h"
#include "models.h"
#include "test.h"

enum { N = 6, X = 40 };

// A mechanism and its work on the heap.
typedef struct rig {
  ap_mechanism *m;
  ap_loop *l;
  void *memory[2];
} rig;

static rig rig_of(const ap_mechanism_def *def) {
  rig r = {NULL, NULL, {NULL, NULL}};
  ap_error error = {.text = ""};
  size_t size = ap_mechanism_size(def);
  r.memory[0] = malloc(size + 1);
  r.m = ap_mechanism_init(def, r.memory[0], size, &error);
  if (!CHECK(r.m)) {
    printf("  refused: %s\n", error.text);
    return r;
  }
  size = ap_loop_size(r.m);
  r.memory[1] = malloc(size);
  r.l = ap_loop_init(r.m, r.memory[1], size);
  CHECK(r.l);
  return r;
}

static rig builtin(const char *name) {
  test_context("%s", name);
  return rig_of(ap_mechanism_builtin(name));
}

static void drop(rig *r) {
  for (int i = 0; i < 2; i++) free(r->memory[i]);
}

// y [n] = A^T x or A x
static void apply(int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[i * n + j] * x[j];
  }
}

// ---- golden samples ----------------------------------------------------------------------------

// The samples are printed with 16 digits and, but for the wrist, computed in double precision;
// 1e-10 of the largest entry is what is promised, and what comes out is better (below).
static void check_sample(const rig *r, const parallel_sample *s) {
  double M[36], C[36], Cv[6], G[6], J[36], tau[6], a[6], sum[6], bias[6];
  int n = s->n;
  ap_assembly found;
  CHECK_OK(ap_loop_place(r->m, r->l, s->q, &found));
  CHECK(found.closure_error < 1e-13 && found.coordinate_error < 1e-13);
  for (int i = 0; i < n; i++) {
    int entry = ap_joint_q(ap_mechanism_tree(r->m), ap_mechanism_actuated(r->m, i));
    CHECK_CLOSE(ap_loop_configuration(r->l)[entry], s->act[i], 1e-11);
  }
  CHECK_OK(ap_loop_inertia_matrix(r->m, r->l, s->q, M));
  CHECK_OK(ap_loop_coriolis_matrix(r->m, r->l, s->q, s->v, C));
  CHECK_OK(ap_loop_gravity_forces(r->m, r->l, s->q, G));
  CHECK_OK(ap_loop_actuator_map(r->m, r->l, s->q, J));
  CHECK_OK(ap_loop_inverse_dynamics(r->m, r->l, s->q, s->v, s->a, tau));
  CHECK_OK(ap_loop_forward_dynamics(r->m, r->l, s->q, s->v, tau, a));
  CHECK_OK(ap_loop_forces(r->m, r->l, s->q, s->v, (double[6]){0}, bias));
  apply(n, C, s->v, Cv);
  for (int i = 0; i < n; i++) sum[i] = Cv[i] + G[i];
  CHECK_NEAR(M, s->M, n * n, 1e-11);
  CHECK_NEAR(C, s->C, n * n, 1e-11);
  CHECK_WITHIN(Cv, s->Cv, n, 1e-11 * (test_norm(s->Cv, n) + test_norm(s->C, n * n)));
  CHECK_NEAR(G, s->G, n, 1e-11);
  CHECK_NEAR(J, s->J_act, n * n, 1e-11);
  CHECK_NEAR(tau, s->tau, n, 1e-11);
  CHECK_NEAR(sum, bias, n, 1e-12);
  // cond(M) is below 1e4 here.
  CHECK_WITHIN(a, s->a, n, 1e-10 * (1 + test_norm(s->a, n)));
}

static void check_samples(const char *name, const parallel_sample *s, int count) {
  rig r = builtin(name);
  for (int i = 0; r.m && i < count; i++) {
    test_context("%s %d", name, i);
    check_sample(&r, &s[i]);
  }
  drop(&r);
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

TEST(golden_five_bar) { check_samples("five-bar", golden_five_bar, COUNT(golden_five_bar)); }
TEST(golden_stewart) { check_samples("stewart", golden_stewart, COUNT(golden_stewart)); }
TEST(golden_wrist) { check_samples("agile-wrist", golden_wrist, COUNT(golden_wrist)); }
