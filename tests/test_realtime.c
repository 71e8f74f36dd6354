// SPDX-License-Identifier: Apache-2.0
// What makes the core usable in a control loop: after start-up it allocates nothing, touches
// nothing but the memory it was given, and its results depend on nothing but its arguments.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // syscall(), for mmap() of heap.h
#endif

#include <appell/batch.h>
#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/research.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>

#include "heap.h"
#include "models.h"

// ---- every function that takes a work ----------------------------------------------------------

enum { RESULTS = 1 << 18 };

typedef struct results {
  double x[RESULTS];
  int n;
} results;

// Room for n more results.
static double *room(results *r, int n) {
  double *x = r->x + r->n;
  if (r->n + n > RESULTS) abort();
  r->n += n;
  return x;
}

static void dynamics_of(const ap_model *m, ap_work *w, const motion *s, results *out) {
  int nv = ap_nv(m);
  ap_wrench wrench = {.frame = ap_nframe(m) - 1, .reference = AP_MIXED, .force = {1, 2, 3}};
  double *tau = room(out, nv);
  ap_inverse_dynamics(m, w, s->q, s->v, s->a, tau);
  ap_inverse_dynamics_ext(m, w, s->q, s->v, s->a, &wrench, 1, room(out, nv));
  ap_bias(m, w, s->q, s->v, room(out, nv));
  ap_gravity_forces(m, w, s->q, room(out, nv));
  ap_inertia_matrix(m, w, s->q, room(out, nv * nv));
  CHECK_OK(ap_inverse_inertia_matrix(m, w, s->q, room(out, nv * nv)));
  CHECK_OK(ap_forward_dynamics(m, w, s->q, s->v, tau, room(out, nv)));
  CHECK_OK(ap_forward_dynamics_ext(m, w, s->q, s->v, tau, &wrench, 1, room(out, nv)));
  ap_coriolis_matrix(m, w, s->q, s->v, room(out, nv * nv));
  ap_regressor(m, w, s->q, s->v, s->a, room(out, nv * 10 * ap_moving_bodies(m)));
  ap_inertial_parameters(m, w, room(out, 10 * ap_moving_bodies(m)));
  *room(out, 1) = ap_kinetic_energy(m, w, s->q, s->v);
  *room(out, 1) = ap_potential_energy(m, w, s->q);
}

static void kinematics_of(const ap_model *m, ap_work *w, const motion *s, results *out) {
  ap_kinematics(m, w, s->q, s->v, s->a);
  for (int f = 0; f < ap_nframe(m); f += 5) {
    double *R = room(out, 9);
    ap_frame_pose(m, w, f, R, room(out, 3));
    for (int ref = 0; ref < 3; ref++) {
      ap_frame_velocity(m, w, f, (ap_reference)ref, room(out, 6));
      ap_frame_acceleration(m, w, f, (ap_reference)ref, room(out, 6));
      ap_frame_jacobian(m, w, f, (ap_reference)ref, room(out, 6 * ap_nv(m)));
      ap_frame_jacobian_dot_v(m, w, f, (ap_reference)ref, room(out, 6));
    }
  }
  double *com = room(out, 9), *R = room(out, 9), *p = room(out, 3), *q = room(out, ap_nq(m));
  // Of a robot without moving mass the centre is undefined; so are its numbers.
  if (ap_centre_of_mass(m, w, com, com + 3, com + 6) > 0) {
    ap_centroidal_momentum(m, w, room(out, 6));
    ap_centroidal_matrix(m, w, room(out, 6 * ap_nv(m)));
  } else {
    memset(com, 0, 9 * sizeof *com);
  }
  ap_integrate(m, s->q, s->v, q);
  ap_difference(m, s->q, q, room(out, ap_nv(m)));
  CHECK_OK(ap_normalize(m, q));
  ap_ik_options options = ap_default_ik();
  options.iterations = 3;
  ap_ik_result result;
  ap_kinematics(m, w, s->q, NULL, NULL);
  ap_frame_pose(m, w, ap_nframe(m) - 1, R, p);
  ap_inverse_kinematics(m, w, ap_nframe(m) - 1, R, p, &options, q, &result);
}

static void changes_of(const ap_model *m, ap_work *w, const motion *s, results *out) {
  static const double gravity[3] = {1, 2, 3}, com[3] = {0.1, 0, 0},
                      inertia[6] = {0.1, 0, 0, 0.1, 0, 0.1};
  int last = ap_nbody(m) - 1;
  ap_set_gravity(m, w, gravity);
  ap_set_friction(m, w, true);
  if (last > 0) {
    CHECK_OK(ap_set_inertia(m, w, last, 1, com, inertia));
    CHECK_OK(ap_set_payload(m, w, last, 1, com, inertia));
  }
  dynamics_of(m, w, s, out);
  kinematics_of(m, w, s, out);
  if (last > 0) CHECK_OK(ap_set_payload(m, w, last, 0, com, inertia));
  ap_reset_inertia(m, w);
  ap_set_friction(m, w, false);
  ap_set_gravity(m, w, ap_gravity(m));
  dynamics_of(m, w, s, out);
}

static void everything(const ap_model *m, ap_work *w, const motion *s, results *out) {
  out->n = 0;
  dynamics_of(m, w, s, out);
  kinematics_of(m, w, s, out);
  changes_of(m, w, s, out);
}

// The twins in float; results kept as doubles.
static void keep(results *out, const float *x, int n) {
  double *y = room(out, n);
  for (int i = 0; i < n; i++) y[i] = x[i];
}

static void single_dynamics(const ap_model *m, ap_work_f32 *w, const float *q, const float *v,
                            const float *a, results *out) {
  static float x[ROBOT_V * ROBOT_V], tau[ROBOT_V];
  int nv = ap_nv(m);
  ap_wrench_f32 wrench = {ap_nframe(m) - 1, AP_MIXED, {1, 2, 3}, {0, 0, 0}};
  ap_inverse_dynamics_f32(m, w, q, v, a, tau);
  keep(out, tau, nv);
  ap_inverse_dynamics_ext_f32(m, w, q, v, a, &wrench, 1, x);
  keep(out, x, nv);
  ap_bias_f32(m, w, q, v, x);
  keep(out, x, nv);
  ap_gravity_forces_f32(m, w, q, x);
  keep(out, x, nv);
  ap_inertia_matrix_f32(m, w, q, x);
  keep(out, x, nv * nv);
  // In float a matrix may be singular to working precision; then nothing is written.
  if (ap_inverse_inertia_matrix_f32(m, w, q, x) == AP_OK) keep(out, x, nv * nv);
  if (ap_forward_dynamics_f32(m, w, q, v, tau, x) == AP_OK) keep(out, x, nv);
  if (ap_forward_dynamics_ext_f32(m, w, q, v, tau, &wrench, 1, x) == AP_OK) keep(out, x, nv);
  ap_coriolis_matrix_f32(m, w, q, v, x);
  keep(out, x, nv * nv);
  ap_inertial_parameters_f32(m, w, x);
  keep(out, x, 10 * ap_moving_bodies(m));
  x[0] = ap_kinetic_energy_f32(m, w, q, v);
  x[1] = ap_potential_energy_f32(m, w, q);
  keep(out, x, 2);
}

static void single_kinematics(const ap_model *m, ap_work_f32 *w, const float *q, const float *v,
                              const float *a, results *out) {
  static float x[6 * ROBOT_V];
  ap_kinematics_f32(m, w, q, v, a);
  for (int k = 0; k < 3 * ap_nframe(m); k += 7) {
    ap_frame_pose_f32(m, w, k / 3, x, x + 9);
    keep(out, x, 12);
    ap_frame_velocity_f32(m, w, k / 3, (ap_reference)(k % 3), x);
    ap_frame_acceleration_f32(m, w, k / 3, (ap_reference)(k % 3), x + 6);
    ap_frame_jacobian_dot_v_f32(m, w, k / 3, (ap_reference)(k % 3), x + 12);
    keep(out, x, 18);
    ap_frame_jacobian_f32(m, w, k / 3, (ap_reference)(k % 3), x);
    keep(out, x, 6 * ap_nv(m));
  }
  if (ap_centre_of_mass_f32(m, w, x, x + 3, x + 6) > 0) {
    keep(out, x, 9);
    ap_centroidal_momentum_f32(m, w, x);
    keep(out, x, 6);
    ap_centroidal_matrix_f32(m, w, x);
    keep(out, x, 6 * ap_nv(m));
  }
}

static void everything_single(const ap_model *m, ap_work_f32 *w, const motion *s, results *out) {
  float q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
  static const float com[3] = {0.1F, 0, 0}, inertia[6] = {0.1F, 0, 0, 0.1F, 0, 0.1F};
  out->n = 0;
  for (int i = 0; i < ap_nq(m); i++) q[i] = (float)s->q[i];
  for (int i = 0; i < ap_nv(m); i++) v[i] = (float)s->v[i];
  for (int i = 0; i < ap_nv(m); i++) a[i] = (float)s->a[i];
  single_dynamics(m, w, q, v, a, out);
  single_kinematics(m, w, q, v, a, out);
  ap_set_friction_f32(m, w, true);
  ap_set_gravity_f32(m, w, com);
  if (ap_nbody(m) > 1) {
    CHECK_OK(ap_set_inertia_f32(m, w, 1, 1, com, inertia));
    CHECK_OK(ap_set_payload_f32(m, w, 1, 1, com, inertia));
  }
  single_dynamics(m, w, q, v, a, out);
  if (ap_nbody(m) > 1) CHECK_OK(ap_set_payload_f32(m, w, 1, 0, com, inertia));
  ap_reset_inertia_f32(m, w);
  ap_set_friction_f32(m, w, false);
}

// Every method of a study on a state.
static void everything_studied(const ap_model *m, ap_study *study, const motion *s, results *out) {
  static double in[ROBOT_Q + 2 * ROBOT_V];
  size_t nq = (size_t)ap_nq(m), nv = (size_t)ap_nv(m);
  out->n = 0;
  memcpy(in, s->q, nq * sizeof *in);
  memcpy(in + nq, s->v, nv * sizeof *in);
  memcpy(in + nq + nv, s->a, nv * sizeof *in);
  for (int i = 0; ap_method_at(i); i++) {
    ap_count count;
    double *x = room(out, ap_columns_out(m, ap_method_at(i)->what));
    memset(x, 0, sizeof *x * (size_t)ap_columns_out(m, ap_method_at(i)->what));
    ap_study_eval(study, ap_method_at(i), in, x, &count);
  }
}

// ---- laws --------------------------------------------------------------------------------------

static results first, second;

TEST(the_heap_counts) {
  install_heap();
  armed = true;
  allocations = 0;
  call_free(call_malloc(100));
  armed = false;
  CHECK_EQ_INT(allocations, 2);
}

TEST(nothing_is_allocated) {
  install_heap();
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 2) {
      size_t model_size = ap_model_size(&r->def), work_size = ap_work_size(r->m);
      void *model_memory = malloc(model_size), *work_memory = malloc(work_size);
      ap_error error;
      allocations = 0;
      armed = true;
      ap_model *m = ap_model_init(&r->def, model_memory, model_size, &error);
      ap_work *w = m ? ap_work_init(m, work_memory, work_size) : NULL;
      if (w) everything(m, w, &s, &first);
      armed = false;
      CHECK(w);
      CHECK_EQ_INT(allocations, 0);
      free(model_memory);
      free(work_memory);
    }
}

TEST(nothing_is_allocated_in_float) {
  install_heap();
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      size_t size = ap_work_size_f32(r->m);
      void *memory = malloc(size);
      allocations = 0;
      armed = true;
      ap_work_f32 *w = ap_work_init_f32(r->m, memory, size);
      if (w) everything_single(r->m, w, &s, &first);
      armed = false;
      CHECK(w);
      CHECK_EQ_INT(allocations, 0);
      free(memory);
    }
}

// Every function of a batch on a few copies of a state.
static void everything_at_once(const ap_model *m, ap_batch *b, const ap_work *w, const motion *s) {
  enum { COPIES = 3 };
  static double in[3][COPIES * ROBOT_Q], out[3][COPIES * ROBOT_V * ROBOT_V];
  int nq = ap_nq(m), nv = ap_nv(m);
  for (int k = 0; k < COPIES; k++) {
    memcpy(in[0] + k * nq, s->q, sizeof(double) * (size_t)nq);
    memcpy(in[1] + k * nv, s->v, sizeof(double) * (size_t)nv);
    memcpy(in[2] + k * nv, s->a, sizeof(double) * (size_t)nv);
  }
  ap_states all = ap_all_states(COPIES, AP_ROWS);
  CHECK_OK(ap_batch_use_settings(m, b, w));
  CHECK_OK(ap_batch_inverse_dynamics(m, b, all, in[0], in[1], in[2], out[0]));
  CHECK_OK(ap_batch_inertia_matrix(m, b, all, in[0], out[0]));
  CHECK_OK(ap_batch_forward_dynamics(m, b, all, in[0], in[1], in[2], out[0], NULL));
  CHECK_OK(ap_batch_forward_kinematics(m, b, all, in[0], &(int){0}, 1, AP_WORLD, out[1], out[2],
                                       out[0]));
  CHECK_OK(ap_batch_inverse_dynamics_derivatives(m, b, all, in[0], in[1], in[2], out[0], out[1],
                                                 out[2]));
  CHECK_OK(ap_batch_forward_dynamics_derivatives(m, b, all, in[0], in[1], in[2], out[0], out[1],
                                                 out[2], NULL));
  ap_rollout r = ap_default_rollout();
  r.integrator = AP_RK4, r.steps = 2, r.every = 1, r.record_q = out[0], r.record_v = out[1];
  r.kp = in[2], r.target_q = out[2];
  memcpy(out[2], in[0], sizeof in[0]);
  CHECK_OK(ap_batch_rollout(m, b, all, &r, in[0], in[1], NULL));
}

TEST(nothing_is_allocated_by_a_batch) {
  install_heap();
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      if (ap_nv(r->m) > 40) continue;
      size_t size = ap_batch_size(r->m);
      void *memory = malloc(size);
      allocations = 0;
      armed = true;
      ap_batch *b = ap_batch_init(r->m, memory, size);
      if (b) everything_at_once(r->m, b, r->w, &s);
      armed = false;
      CHECK(b);
      CHECK_EQ_INT(allocations, 0);
      free(memory);
    }
}

TEST(nothing_is_allocated_by_a_study) {
  install_heap();
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      for (int arithmetic = AP_F64; arithmetic <= AP_COUNT; arithmetic++) {
        size_t size = ap_study_size(r->m, (ap_arithmetic)arithmetic);
        void *memory = malloc(size);
        allocations = 0;
        armed = true;
        ap_study *study = ap_study_init(r->m, (ap_arithmetic)arithmetic, memory, size);
        if (study) everything_studied(r->m, study, &s, &first);
        armed = false;
        CHECK(study);
        CHECK_EQ_INT(allocations, 0);
        free(memory);
      }
    }
}

TEST(the_environment_is_left_alone) {
  char before[128];
  snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      errno = 4242;
      everything(r->m, r->w, &s, &first);
      CHECK_EQ_INT(errno, 4242);
      CHECK_EQ_INT(fegetround(), FE_TONEAREST);
    }
  CHECK_STR(setlocale(LC_ALL, NULL), before);
}

// Model and work anywhere, in memory full of anything: the same bits, and not a byte outside.
enum { GUARD = 256 };

static unsigned char *guarded(size_t size, int shift, int fill) {
  unsigned char *memory = malloc(size + 2 * GUARD);
  memset(memory, 0x5a, size + 2 * GUARD);
  memset(memory + GUARD - shift, fill, size);
  return memory;
}

static bool guard_holds(const unsigned char *memory, size_t size, int shift) {
  size_t end = GUARD - (size_t)shift + size;
  for (size_t i = 0; i < size + 2 * GUARD; i++) {
    if (i == GUARD - (size_t)shift) i = end;
    if (memory[i] != 0x5a) return false;
  }
  return true;
}

TEST(memory_may_be_anywhere_and_dirty) {
  static const int shifts[] = {0, 1, 8, 16, 63}, fills[] = {0x00, 0xff, 0x7f, 0xa5, 0x01};
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      everything(r->m, r->w, &s, &first);
      for (int k = 0; k < 5; k++) {
        size_t model_size = ap_model_size(&r->def), work_size = ap_work_size(r->m);
        unsigned char *model_memory = guarded(model_size, shifts[k], fills[k]);
        unsigned char *work_memory = guarded(work_size, shifts[4 - k], fills[k]);
        ap_model *m = ap_model_init(&r->def, model_memory + GUARD - shifts[k], model_size, NULL);
        ap_work *w = m ? ap_work_init(m, work_memory + GUARD - shifts[4 - k], work_size) : NULL;
        memset(&second, 0x77, sizeof second);
        if (CHECK(w)) {
          everything(m, w, &s, &second);
          CHECK_EQ_INT(second.n, first.n);
          CHECK_BITS(second.x, first.x, first.n);
        }
        CHECK(guard_holds(model_memory, model_size, shifts[k]));
        CHECK(guard_holds(work_memory, work_size, shifts[4 - k]));
        free(model_memory);
        free(work_memory);
      }
    }
}

TEST(memory_in_float_may_be_anywhere_and_dirty) {
  static const int fills[] = {0x00, 0xff, 0x7f, 0xa5};
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      for (int k = 0; k < 4; k++) {
        results *out = k ? &second : &first;
        size_t size = ap_work_size_f32(r->m);
        unsigned char *memory = guarded(size, 5 * k, fills[k]);
        ap_work_f32 *w = ap_work_init_f32(r->m, memory + GUARD - 5 * k, size);
        if (CHECK(w)) everything_single(r->m, w, &s, out);
        CHECK_EQ_INT(out->n, first.n);
        CHECK_BITS(out->x, first.x, first.n);
        CHECK(guard_holds(memory, size, 5 * k));
        free(memory);
      }
    }
}

TEST(memory_of_a_study_may_be_anywhere_and_dirty) {
  static const int fills[] = {0x00, 0xff, 0x7f, 0xa5};
  FOR_EACH_MODEL (r)
    FOR_EACH_STATE (r, s, 1) {
      for (int k = 0; k < 16; k++) {
        ap_arithmetic arithmetic = (ap_arithmetic)(k / 4);
        results *out = k % 4 ? &second : &first;
        int shift = 5 * (k % 4);
        size_t size = ap_study_size(r->m, arithmetic);
        unsigned char *memory = guarded(size, shift, fills[k % 4]);
        ap_study *study = ap_study_init(r->m, arithmetic, memory + GUARD - shift, size);
        if (CHECK(study)) everything_studied(r->m, study, &s, out);
        CHECK_EQ_INT(out->n, first.n);
        CHECK_BITS(out->x, first.x, first.n);
        CHECK(guard_holds(memory, size, shift));
        free(memory);
      }
    }
}

TEST(memory_too_small_is_refused) {
  FOR_EACH_MODEL (r) {
    size_t model_size = ap_model_size(&r->def), work_size = ap_work_size(r->m);
    size_t less = work_size > 128 ? work_size - 128 : 0; // beyond any alignment's slack
    unsigned char *memory = guarded(model_size + work_size, 0, 0);
    ap_error error = {AP_OK, 0, ""};
    CHECK(!ap_work_init(r->m, memory + GUARD, less));
    CHECK(!ap_work_init(r->m, memory + GUARD, 0));
    less = model_size > 128 ? model_size - 128 : 0;
    CHECK(!ap_model_init(&r->def, memory + GUARD, less, &error));
    CHECK_EQ_INT(error.status, AP_E_MEMORY);
    free(memory);
  }
}

// The order of calls leaves no trace: asking for something else in between changes nothing.
TEST(calls_do_not_depend_on_calls_before) {
  FOR_EACH_MODEL (r) {
    double before[ROBOT_V], after[ROBOT_V];
    motion other = motion_first(r);
    motion_next(r, &other);
    FOR_EACH_STATE (r, s, 1) {
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, before);
      everything(r->m, r->w, &other, &first);
      ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, after);
      CHECK_BITS(after, before, ap_nv(r->m));
    }
  }
}
