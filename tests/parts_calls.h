// SPDX-License-Identifier: Apache-2.0
// Every function that needs a part of a work, for one precision: test_parts.c defines F(name),
// FLOAT, WORK, PART and WRENCH and includes this once for each. A call says which parts it needs,
// and how many numbers it writes; one without a status returns AP_OK.

typedef struct F(arguments) {
  const ap_model *m;
  WORK *w;
  FLOAT q[ROBOT_Q], v[ROBOT_V], a[ROBOT_V];
} F(arguments);

#define CALL(name) static ap_status F(call_##name)(F(arguments) * x, FLOAT * out)
#define STATE      x->m, x->w, x->q, x->v
#define PULL                                                                  \
  &(WRENCH) {                                                                 \
    .frame = ap_nframe(x->m) - 1, .reference = AP_MIXED, .force = { 1, 2, 3 } \
  }

static FLOAT *F(further)(F(arguments) * x, FLOAT *out, int k) {
  return out + k * ap_nv(x->m) * ap_nv(x->m);
}

CALL(inverse) { return F(ap_inverse_dynamics)(STATE, x->a, out), AP_OK; }
CALL(inverse_ext) { return F(ap_inverse_dynamics_ext)(STATE, x->a, PULL, 1, out); }
CALL(bias) { return F(ap_bias)(STATE, out), AP_OK; }
CALL(gravity) { return F(ap_gravity_forces)(x->m, x->w, x->q, out), AP_OK; }
CALL(passive) { return F(ap_passive_forces)(x->m, x->w, x->q, out), AP_OK; }
CALL(inertia) { return F(ap_inertia_matrix)(x->m, x->w, x->q, out), AP_OK; }
CALL(inverse_inertia) { return F(ap_inverse_inertia_matrix)(x->m, x->w, x->q, out); }
CALL(forward) { return F(ap_forward_dynamics)(STATE, x->a, out); }
CALL(forward_ext) { return F(ap_forward_dynamics_ext)(STATE, x->a, PULL, 1, out); }
CALL(dinverse) {
  return F(ap_inverse_dynamics_derivatives)(STATE, x->a, out, F(further)(x, out, 1),
                                            F(further)(x, out, 2));
}
CALL(dinverse_ext) {
  return F(ap_inverse_dynamics_derivatives_ext)(STATE, x->a, PULL, 1, out, F(further)(x, out, 1),
                                                F(further)(x, out, 2));
}
CALL(dforward) {
  return F(ap_forward_dynamics_derivatives)(STATE, x->a, out, F(further)(x, out, 1),
                                            F(further)(x, out, 2));
}
CALL(dforward_ext) {
  return F(ap_forward_dynamics_derivatives_ext)(STATE, x->a, PULL, 1, out, F(further)(x, out, 1),
                                                F(further)(x, out, 2));
}
CALL(coriolis) { return F(ap_coriolis_matrix)(STATE, out), AP_OK; }
CALL(regressor) { return F(ap_regressor)(STATE, x->a, out), AP_OK; }
CALL(parameters) { return F(ap_inertial_parameters)(x->m, x->w, out), AP_OK; }
CALL(kinetic) { return *out = F(ap_kinetic_energy)(STATE), AP_OK; }
CALL(potential) { return *out = F(ap_potential_energy)(x->m, x->w, x->q), AP_OK; }

#define LAST x->m, x->w, ap_nframe(x->m) - 1
static void F(look)(F(arguments) * x) { F(ap_kinematics)(STATE, x->a); }
CALL(pose) { return F(look)(x), F(ap_frame_pose)(LAST, out, out + 9); }
CALL(velocity) { return F(look)(x), F(ap_frame_velocity)(LAST, AP_MIXED, out); }
CALL(acceleration) { return F(look)(x), F(ap_frame_acceleration)(LAST, AP_MIXED, out); }
CALL(jacobian) { return F(look)(x), F(ap_frame_jacobian)(LAST, AP_MIXED, out); }
CALL(jacobian_dot) { return F(look)(x), F(ap_frame_jacobian_dot_v)(LAST, AP_MIXED, out); }
CALL(centre) {
  F(look)(x);
  out[9] = F(ap_centre_of_mass)(x->m, x->w, out, out + 3, out + 6);
  return AP_OK;
}
CALL(momentum) { return F(look)(x), F(ap_centroidal_momentum)(x->m, x->w, out), AP_OK; }
CALL(centroidal) { return F(look)(x), F(ap_centroidal_matrix)(x->m, x->w, out), AP_OK; }

CALL(payload) {
  (void)out;
  ap_status status = F(ap_set_payload)(x->m, x->w, 1, 1, NULL, NULL);
  return F(ap_reset_inertia)(x->m, x->w), status;
}
CALL(other_inertia) {
  (void)out;
  ap_status status = F(ap_set_inertia)(x->m, x->w, 1, 1, NULL, NULL);
  return F(ap_reset_inertia)(x->m, x->w), status;
}

typedef struct F(call) {
  const char *name;
  unsigned needs;
  ap_status (*call)(F(arguments) * x, FLOAT *out);
  int numbers, per_nv, per_nv2, per_body, per_nv_body; // how many it writes, as a sum
} F(call);

static const F(call) F(calls)[] = {
    {"inverse", INVERSE, F(call_inverse), 0, 1, 0, 0, 0},
    {"inverse_ext", INVERSE | FRAMES, F(call_inverse_ext), 0, 1, 0, 0, 0},
    {"bias", INVERSE, F(call_bias), 0, 1, 0, 0, 0},
    {"gravity", GRAVITY, F(call_gravity), 0, 1, 0, 0, 0},
    {"passive", PASSIVE, F(call_passive), 0, 1, 0, 0, 0},
    {"inertia", INERTIA, F(call_inertia), 0, 0, 1, 0, 0},
    {"inverse inertia", SOLVER, F(call_inverse_inertia), 0, 0, 1, 0, 0},
    {"forward", SOLVER, F(call_forward), 0, 1, 0, 0, 0},
    {"forward_ext", SOLVER | FRAMES, F(call_forward_ext), 0, 1, 0, 0, 0},
    {"dinverse", DERIVATIVES, F(call_dinverse), 0, 0, 3, 0, 0},
    {"dinverse_ext", DERIVATIVES | FRAMES, F(call_dinverse_ext), 0, 0, 3, 0, 0},
    {"dforward", DERIVATIVES | SOLVER, F(call_dforward), 0, 0, 3, 0, 0},
    {"dforward_ext", DERIVATIVES | SOLVER | FRAMES, F(call_dforward_ext), 0, 0, 3, 0, 0},
    {"coriolis", CORIOLIS, F(call_coriolis), 0, 0, 1, 0, 0},
    {"regressor", REGRESSOR, F(call_regressor), 0, 0, 0, 0, 10},
    {"parameters", FRAMES, F(call_parameters), 0, 0, 0, 10, 0},
    {"kinetic", FRAMES, F(call_kinetic), 1, 0, 0, 0, 0},
    {"potential", FRAMES, F(call_potential), 1, 0, 0, 0, 0},
    {"pose", FRAMES, F(call_pose), 12, 0, 0, 0, 0},
    {"velocity", FRAMES, F(call_velocity), 6, 0, 0, 0, 0},
    {"acceleration", FRAMES, F(call_acceleration), 6, 0, 0, 0, 0},
    {"jacobian", FRAMES, F(call_jacobian), 0, 6, 0, 0, 0},
    {"jacobian_dot_v", FRAMES, F(call_jacobian_dot), 6, 0, 0, 0, 0},
    {"centre of mass", FRAMES, F(call_centre), 10, 0, 0, 0, 0},
    {"momentum", FRAMES, F(call_momentum), 6, 0, 0, 0, 0},
    {"centroidal", FRAMES, F(call_centroidal), 0, 6, 0, 0, 0},
    {"payload", CHANGES, F(call_payload), 0, 0, 0, 0, 0},
    {"other inertia", CHANGES, F(call_other_inertia), 0, 0, 0, 0, 0},
};

static void F(compare)(F(arguments) * x, WORK *whole, unsigned has) {
  static FLOAT expected[NUMBERS], got[NUMBERS];
  const int nv = ap_nv(x->m), bodies = ap_moving_bodies(x->m);
  WORK *few = x->w;
  for (size_t k = 0; k < sizeof F(calls) / sizeof *F(calls); k++) {
    const F(call) *c = &F(calls)[k];
    int n = c->numbers + c->per_nv * nv + c->per_nv2 * nv * nv + c->per_body * bodies +
            c->per_nv_body * nv * bodies;
    for (int i = 0; i < n; i++) expected[i] = got[i] = 7;
    x->w = whole;
    ap_status status = c->call(x, expected);
    x->w = few;
    ap_status own = c->call(x, got);
    test_context("%s, parts %x", c->name, has);
    if ((c->needs & ~has) == 0) {
      CHECK_STATUS(own, status);
      CHECK_BITS(got, expected, n);
    } else {
      int missing = 0; // NaN, or as they were where there is a status
      for (int i = 0; i < n; i++) missing += own == AP_OK ? isnan(got[i]) != 0 : got[i] == (FLOAT)7;
      CHECK_EQ_INT(missing, n);
      CHECK(own == AP_E_UNSUPPORTED || (own == AP_OK && n > 0) || nv == 0);
    }
  }
}

// The work with some parts, in memory of exactly its size between guards.
static void F(try_parts)(const test_robot *r, const motion *s, const PART *const *parts,
                         unsigned has) {
  static F(arguments) x;
  size_t size = F(ap_work_size_for)(r->m, parts), all = F(ap_work_size)(r->m);
  unsigned char *memory = malloc(size + 2 * GUARD), *rest = malloc(all);
  memset(memory, 0xA5, size + 2 * GUARD);
  CHECK(F(ap_work_init_for)(r->m, parts, memory + GUARD, size - 1) == NULL);
  x.m = r->m;
  x.w = F(ap_work_init_for)(r->m, parts, memory + GUARD, size);
  WORK *whole = F(ap_work_init)(r->m, rest, all);
  for (int i = 0; i < ap_nq(r->m); i++) x.q[i] = (FLOAT)s->q[i];
  for (int i = 0; i < ap_nv(r->m); i++) x.v[i] = (FLOAT)s->v[i], x.a[i] = (FLOAT)s->a[i];
  if (CHECK(x.w) && CHECK(whole)) F(compare)(&x, whole, has);
  test_context("%s, parts %x", r->label, has);
  CHECK(size <= all);
  int touched = 0;
  for (int i = 0; i < GUARD; i++)
    touched += memory[i] != 0xA5, touched += memory[GUARD + size + (size_t)i] != 0xA5;
  CHECK_EQ_INT(touched, 0);
  free(memory);
  free(rest);
}

#undef CALL
#undef STATE
#undef PULL
#undef LAST
