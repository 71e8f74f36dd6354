// SPDX-License-Identifier: Apache-2.0
// Kernels give the same bits whatever instruction set they were compiled for, in each of the two
// families: that of fused products and that of products rounded apart. The families differ by
// rounding.

#include <appell/dyn.h>
#include <appell/kin.h>

#include <inttypes.h>
#include <string.h>

#include "base/isa.h"
#include "dyn/builds.h"
#include "models.h"

enum { BITS_MOST = 12 * ROBOT_V * ROBOT_V };

// A work of a build, and all that it gives for a state.
typedef struct built {
  void *memory;
  ap_work *w;
  double x[BITS_MOST];
  int n, statuses;
} built;

static double *room(built *b, int n) {
  double *x = b->x + b->n;
  CHECK(b->n + n <= BITS_MOST);
  for (int k = 0; k < n; k++) x[k] = 0; // what a singular state leaves alone
  b->n += n;
  return x;
}

static void evaluate(const ap_model *m, const motion *s, built *b) {
  int nv = ap_nv(m), square = nv * nv;
  ap_work *w = b->w;
  b->n = 0;
  ap_inverse_dynamics(m, w, s->q, s->v, s->a, room(b, nv));
  ap_bias(m, w, s->q, s->v, room(b, nv));
  ap_gravity_forces(m, w, s->q, room(b, nv));
  ap_inertia_matrix(m, w, s->q, room(b, square));
  b->statuses = (int)ap_forward_dynamics(m, w, s->q, s->v, s->a, room(b, nv));
  double *D = room(b, 6 * square);
  CHECK_OK(ap_inverse_dynamics_derivatives(m, w, s->q, s->v, s->a, D, D + square, D + 2 * square));
  D += 3 * square;
  b->statuses +=
      (int)ap_forward_dynamics_derivatives(m, w, s->q, s->v, s->a, D, D + square, D + 2 * square);
  ap_coriolis_matrix(m, w, s->q, s->v, room(b, square));
  ap_kinematics(m, w, s->q, s->v, s->a);
  for (int ref = 0; ref < 3; ref++)
    CHECK_OK(ap_frame_jacobian(m, w, ap_nframe(m) - 1, (ap_reference)ref, room(b, 6 * nv)));
  CHECK_OK(ap_frame_acceleration(m, w, ap_nframe(m) - 1, AP_WORLD, room(b, 6)));
}

static bool is_fused(const built *b) { return strstr(ap_work_isa(b->w), "fused") != NULL; }

static void check_alike(const built *b, const built *first) {
  CHECK(b->n == first->n && b->statuses == first->statuses);
  if (is_fused(b) == is_fused(first))
    CHECK_BITS(b->x, first->x, b->n);
  else if (first->statuses == AP_OK)
    CHECK_NEAR(b->x, first->x, b->n, 1e-7); // the condition of M times some roundings
}

TEST(instruction_sets_of_a_family_give_the_same_bits) {
  static built by[AP_BUILDS];
  FOR_EACH_MODEL (r) {
    for (int k = 0; k < AP_BUILDS; k++) {
      by[k].memory = runs_build(k) ? malloc(ap_work_size(r->m)) : NULL;
      if (by[k].memory) by[k].w = ap__work_init_build(r->m, by[k].memory, ap_work_size(r->m), k);
    }
    FOR_EACH_STATE (r, s, 4) {
      for (int k = 0; k < AP_BUILDS; k++)
        if (by[k].memory) evaluate(r->m, &s, &by[k]);
      for (int k = 1; k < AP_BUILDS; k++)
        for (int j = 0; by[k].memory && j < k; j++)
          if (by[j].memory) check_alike(&by[k], &by[j]);
    }
    for (int k = 0; k < AP_BUILDS; k++) free(by[k].memory);
  }
}

// The name says which family it is; whatever fuses in double does so in float.
TEST(work_names_its_family) {
  static const char *const name[] = {"base", "v3", "v4"};
  FOR_EACH_MODEL (r) {
    for (int k = 0; k < AP_BUILDS; k++) {
      if (!runs_build(k)) continue;
      void *memory = malloc(ap_work_size(r->m)), *single = malloc(ap_work_size_f32(r->m));
      ap_work *w = ap__work_init_build(r->m, memory, ap_work_size(r->m), k);
      ap_work_f32 *w32 = ap__work_init_build_f32(r->m, single, ap_work_size_f32(r->m), k);
      const char *isa = ap_work_isa(w), *isa32 = ap_work_isa_f32(w32);
      CHECK(strncmp(isa, name[k], strlen(name[k])) == 0);
      CHECK(k == AP_BUILD_BASE || strstr(isa, " fused"));
      CHECK(!strstr(isa, " fused") || strcmp(isa, isa32) == 0);
      free(memory);
      free(single);
    }
    break;
  }
}

// These are the bits of gcc and clang, on x86-64 and AArch64: for every built-in robot made of
// numbers that no libm has touched, a few states.
static uint64_t fingerprint(const ap_model *m, int build) {
  static built b;
  uint64_t hash = 0;
  rng r = rng_seed(18);
  motion s;
  b.memory = malloc(ap_work_size(m));
  b.w = ap__work_init_build(m, b.memory, ap_work_size(m), build);
  for (int k = 0; k < 20; k++) {
    for (int j = 0; j < ap_nq(m); j++) s.q[j] = rng_uniform(&r, -3, 3);
    for (int j = 0; j < ap_nv(m); j++) s.v[j] = rng_uniform(&r, -3, 3);
    for (int j = 0; j < ap_nv(m); j++) s.a[j] = rng_uniform(&r, -3, 3);
    evaluate(m, &s, &b);
    for (int i = 0; i < b.n; i++) {
      uint64_t bits;
      double x = b.x[i] + 0.0; // -0 is 0
      memcpy(&bits, &x, sizeof bits);
      hash = (hash ^ bits) * 0x100000001b3u;
    }
  }
  free(b.memory);
  return hash;
}

TEST(fingerprints_of_both_families) {
  static const struct {
    const char *robot;
    uint64_t apart, fused;
  } want[] = {{"puma600", 0x310279bea930ab20, 0x820deb152e237f33},
              {"stanford", 0xcdea87db68125680, 0xcb2a28683d8080b5},
              {"quadruped", 0xe7346915e39581a7, 0xadf5f87437866e94}};
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    static _Alignas(64) unsigned char memory[1 << 18];
    const ap_model *m = ap_model_init(ap_builtin(want[k].robot), memory, sizeof memory, NULL);
    for (int build = 0; CHECK(m) && build < AP_BUILDS; build++) {
      if (!runs_build(build)) continue;
      void *work = malloc(ap_work_size(m));
      bool fused =
          strstr(ap_work_isa(ap__work_init_build(m, work, ap_work_size(m), build)), "fused");
      uint64_t hash = fingerprint(m, build);
      test_context("%s, build %d: %016" PRIx64, want[k].robot, build, hash);
      CHECK(hash == (fused ? want[k].fused : want[k].apart));
      free(work);
    }
  }
}
