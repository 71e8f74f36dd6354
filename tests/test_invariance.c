// SPDX-License-Identifier: Apache-2.0
// What a robot does must not depend on how it is written down: numbering of bodies, choice of link
// frames, links split by fixed joints, DH tables or frames, a planar joint or three simple ones,
// parameters changed in the work or in the definition. Bounds as in test_dynamics.c; both sides
// round, and rewriting rounds the definition once more, hence the factor 4.

#include <appell/dyn.h>
#include <appell/kin.h>

#include "models.h"
#include "oracle.h"

enum { MATRIX = ROBOT_V * ROBOT_V };

static oracle newton;
static test_robot other;
static double M1[MATRIX], M2[MATRIX];

static double bound_of(const test_robot *r, const motion *s) {
  double tau[ROBOT_V];
  oracle_init(&newton, &r->def);
  oracle_inverse(&newton, s->q, s->v, s->a, NULL, 0, tau);
  return 4 * oracle_bound(&newton, DBL_EPSILON);
}

static double matrix_bound_of(const test_robot *r, const motion *s) {
  oracle_init(&newton, &r->def);
  oracle_inertia(&newton, s->q, M2);
  return 4 * oracle_bound(&newton, DBL_EPSILON);
}

// Two robots with the same coordinates have the same forces and inertia.
static void check_same(const test_robot *r, const test_robot *t, const motion *s) {
  double tau[ROBOT_V], want[ROBOT_V];
  int nv = ap_nv(r->m);
  if (!CHECK_EQ_INT(ap_nv(t->m), nv) || !CHECK_EQ_INT(ap_nq(t->m), ap_nq(r->m))) return;
  ap_inverse_dynamics(r->m, r->w, s->q, s->v, s->a, want);
  ap_inverse_dynamics(t->m, t->w, s->q, s->v, s->a, tau);
  CHECK_WITHIN(tau, want, nv, bound_of(r, s));
  double bound = matrix_bound_of(r, s);
  ap_inertia_matrix(r->m, r->w, s->q, M1);
  ap_inertia_matrix(t->m, t->w, s->q, M2);
  CHECK_WITHIN(M2, M1, nv * nv, bound);
}

// ---- rewriting a definition --------------------------------------------------------------------

static void store_vector(o_vec x, double *y) {
  for (int i = 0; i < 3; i++) y[i] = (double)x.x[i];
}

static void store_place(o_pose X, ap_placement *place) {
  place->kind = AP_PLACE_MATRIX;
  store_vector(X.p, place->xyz);
  for (int i = 0; i < 9; i++) place->matrix[i] = (double)X.R.m[i / 3][i % 3];
}

static void store_inertia(o_mat I, double *inertia) {
  inertia[0] = (double)I.m[0][0];
  inertia[1] = (double)I.m[0][1];
  inertia[2] = (double)I.m[0][2];
  inertia[3] = (double)I.m[1][1];
  inertia[4] = (double)I.m[1][2];
  inertia[5] = (double)I.m[2][2];
}

static o_pose inverse_of(o_pose X) {
  o_mat T = o_transpose(X.R);
  return (o_pose){T, o_scale(-1, o_apply(T, X.p))};
}

// Re-express mass properties: the link frame they are given in has pose X in the new one.
static void move_inertia(o_pose X, ap_body_def *b) {
  o_mat I = o_inertia(b, X.R);
  store_vector(o_add(X.p, o_apply(X.R, o_load(b->com))), b->com);
  store_inertia(I, b->inertia);
  memset(b->inertia_rpy, 0, sizeof b->inertia_rpy);
}

// Add the mass properties of b to a's; both in the same frame, tensors in link axes.
static void join_inertia(const ap_body_def *b, ap_body_def *a) {
  num m = (num)a->mass + b->mass;
  if (!(m > 0)) return;
  o_vec ca = o_load(a->com), cb = o_load(b->com);
  o_vec c = o_scale(1 / m, o_add(o_scale(a->mass, ca), o_scale(b->mass, cb)));
  o_mat I = o_inertia(a, o_one), J = o_inertia(b, o_one);
  for (int k = 0; k < 2; k++) {
    o_vec d = o_sub(k ? cb : ca, c);
    num mk = k ? b->mass : a->mass;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        I.m[i][j] += mk * ((i == j ? o_dot(d, d) : 0) - d.x[i] * d.x[j]) + (k ? J.m[i][j] : 0);
  }
  a->mass = (double)m;
  store_vector(c, a->com);
  store_inertia(I, a->inertia);
  memset(a->inertia_rpy, 0, sizeof a->inertia_rpy);
}

// Every joint placed by a matrix; link frames of standard DH go to the joint's own moving frame.
static void make_plain(test_robot *r) {
  o_pose after[ROBOT_BODIES + 1] = {{o_one, {{0, 0, 0}}}};
  for (int k = 0; k < r->def.nbody; k++) {
    ap_body_def *b = &r->body[k];
    after[k + 1] = o_after(&b->place);
    o_pose place = o_compose(after[b->parent], o_before(&b->place));
    store_vector(o_axis(b), b->axis);
    store_place(place, &b->place);
    move_inertia(after[k + 1], b);
  }
  r->def.nframe = 0;
}

// ---- laws --------------------------------------------------------------------------------------

TEST(dh_tables_and_frames_agree) {
  FOR_EACH_MODEL (r) {
    robot_copy(&other, r);
    make_plain(&other);
    if (robot_make(&other))
      FOR_EACH_STATE (r, s, 2) check_same(r, &other, &s);
    robot_free(&other);
  }
}

// The chain of standard DH is the chain of modified DH whose alpha and a are those of the link
// before, with mass properties moved by Tx(a) Rx(alpha).
TEST(standard_and_modified_dh_agree) {
  static test_robot r;
  robot_recipe recipe = {"standard DH", 7, 0, R_AND_P, 1 << AP_DH_STANDARD, false, 0, 0};
  rng random = rng_seed(21);
  random_robot(&random, &recipe, &r);
  r.def.nframe = 0;
  robot_copy(&other, &r);
  for (int k = 0; k < 7; k++) {
    ap_body_def *b = &other.body[k];
    o_pose behind =
        o_compose(o_shift(o_v(b->place.a, 0, 0)), o_rotate(0, (num)r.body[k].place.alpha));
    move_inertia(behind, b);
    b->place.kind = AP_DH_MODIFIED;
    b->place.alpha = k ? r.body[k - 1].place.alpha : 0;
    b->place.a = k ? r.body[k - 1].place.a : 0;
  }
  if (robot_make(&r) && robot_make(&other))
    FOR_EACH_STATE (&r, s, 5) check_same(&r, &other, &s);
  robot_free(&r);
  robot_free(&other);
}

TEST(valera_is_modified_dh_with_d_reversed) {
  static test_robot r;
  double tau[ROBOT_V], want[ROBOT_V];
  robot_recipe recipe = {"Valera", 7, 0, R_AND_P, 1 << AP_DH_VALERA, false, 0, 0};
  rng random = rng_seed(22);
  random_robot(&random, &recipe, &r);
  robot_copy(&other, &r);
  for (int k = 0; k < 7; k++) {
    other.body[k].place.kind = AP_DH_MODIFIED;
    other.body[k].place.d *= -1;
  }
  if (robot_make(&r) && robot_make(&other))
    FOR_EACH_STATE (&r, s, 5) {
      ap_inverse_dynamics(r.m, r.w, s.q, s.v, s.a, want);
      ap_inverse_dynamics(other.m, other.w, s.q, s.v, s.a, tau);
      CHECK_BITS(tau, want, 7);
    }
  robot_free(&r);
  robot_free(&other);
}

// A rigid change of body k's link frame that leaves the joint what it is: any rotation; any shift
// for a sliding or fixed joint, a shift along the axis for a turning one. None for joints whose v
// is given in the body frame.
static o_pose random_change(rng *random, const ap_body_def *b) {
  double quaternion[4], shift[3];
  num x[4];
  random_direction(random, 4, quaternion);
  random_vector(random, 0.3, shift);
  for (int i = 0; i < 4; i++) x[i] = quaternion[i];
  o_pose E = {o_quaternion(x), o_load(shift)};
  if (b->joint == AP_REVOLUTE) E.p = o_scale(shift[0], o_axis(b));
  if (b->joint == AP_PLANAR || b->joint == AP_SPHERICAL || b->joint == AP_FREE)
    E = o_shift(o_v(0, 0, 0));
  return E;
}

TEST(choice_of_link_frames_does_not_matter) {
  rng random = rng_seed(23);
  FOR_EACH_MODEL (r) {
    o_pose E[ROBOT_BODIES + 1] = {{o_one, {{0, 0, 0}}}};
    robot_copy(&other, r);
    make_plain(&other);
    for (int k = 0; k < r->def.nbody; k++) {
      ap_body_def *b = &other.body[k];
      E[k + 1] = random_change(&random, b);
      o_pose place = o_compose(inverse_of(E[b->parent]), o_before(&b->place));
      store_vector(o_apply(o_transpose(E[k + 1].R), o_axis(b)), b->axis);
      store_place(o_compose(place, E[k + 1]), &b->place);
      move_inertia(inverse_of(E[k + 1]), b);
    }
    if (robot_make(&other))
      FOR_EACH_STATE (r, s, 2) check_same(r, &other, &s);
    robot_free(&other);
  }
}

// A random order of the bodies with parents before children: order[new] = old, both from 0.
static void random_order(rng *random, const test_robot *r, int *order) {
  bool placed[ROBOT_BODIES + 1] = {true};
  for (int count = 0; count < r->def.nbody;) {
    int k = rng_int(random, 0, r->def.nbody - 1);
    if (placed[k + 1] || !placed[r->body[k].parent]) continue;
    placed[k + 1] = true;
    order[count++] = k;
  }
}

static void renumber(const test_robot *r, const int *order, test_robot *t) {
  int number[ROBOT_BODIES + 1] = {0};
  robot_copy(t, r);
  for (int k = 0; k < r->def.nbody; k++) number[order[k] + 1] = k + 1;
  for (int k = 0; k < r->def.nbody; k++) {
    t->body[k] = r->body[order[k]];
    t->body[k].parent = number[t->body[k].parent];
    t->body[k].mimic = number[t->body[k].mimic];
  }
  for (int k = 0; k < t->def.nframe; k++) t->frame[k].body = number[t->frame[k].body];
}

// Entry of r's v that entry i of t's is, matched by the names of bodies.
static void match_velocities(const test_robot *t, const test_robot *r, int *from) {
  for (int i = 1; i < ap_nbody(t->m); i++) {
    int k = ap_find_body(r->m, ap_body(t->m, i)->name);
    for (int j = 0; j < ap_joint_nv(t->m, i); j++)
      from[ap_joint_v(t->m, i) + j] = ap_joint_v(r->m, k) + j;
  }
}

static void match_state(const test_robot *t, const test_robot *r, const motion *s, motion *out) {
  for (int i = 1; i < ap_nbody(t->m); i++) {
    int k = ap_find_body(r->m, ap_body(t->m, i)->name);
    if (ap_joint_nq(t->m, i) == 0) continue;
    memcpy(out->q + ap_joint_q(t->m, i), s->q + ap_joint_q(r->m, k),
           (size_t)ap_joint_nq(t->m, i) * sizeof(double));
    for (int j = 0; j < ap_joint_nv(t->m, i); j++) {
      out->v[ap_joint_v(t->m, i) + j] = s->v[ap_joint_v(r->m, k) + j];
      out->a[ap_joint_v(t->m, i) + j] = s->a[ap_joint_v(r->m, k) + j];
    }
  }
}

TEST(numbering_of_bodies_does_not_matter) {
  double tau[ROBOT_V], want[ROBOT_V], moved[ROBOT_V];
  rng random = rng_seed(24);
  FOR_EACH_MODEL (r) {
    int order[ROBOT_BODIES] = {0}, from[ROBOT_V] = {0}, nv = ap_nv(r->m);
    random_order(&random, r, order);
    renumber(r, order, &other);
    if (robot_make(&other))
      FOR_EACH_STATE (r, s, 2) {
        motion s2 = s;
        match_velocities(&other, r, from);
        match_state(&other, r, &s, &s2);
        ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, want);
        ap_inverse_dynamics(other.m, other.w, s2.q, s2.v, s2.a, tau);
        for (int i = 0; i < nv; i++) moved[i] = want[from[i]];
        CHECK_WITHIN(tau, moved, nv, bound_of(r, &s));
        double bound = matrix_bound_of(r, &s);
        ap_inertia_matrix(r->m, r->w, s.q, M1);
        ap_inertia_matrix(other.m, other.w, s2.q, M2);
        for (int i = 0; i < nv * nv; i++)
          CHECK_CLOSE(M2[i], M1[from[i / nv] * nv + from[i % nv]], bound);
      }
    robot_free(&other);
  }
}

// Take the fixed links out: mass properties to the parent, children re-hung. Plain placements.
static void merge_fixed_links(test_robot *r) {
  o_pose at[ROBOT_BODIES + 1] = {{o_one, {{0, 0, 0}}}}; // link frame in the frame of its mover
  int number[ROBOT_BODIES + 1] = {0}, count = 0;        // of its mover in the new numbering
  for (int k = 0; k < r->def.nbody; k++) {
    ap_body_def b = r->body[k];
    o_pose place = o_compose(at[b.parent], o_before(&b.place));
    b.parent = number[b.parent];
    if (b.joint == AP_FIXED) {
      at[k + 1] = place;
      number[k + 1] = b.parent;
      move_inertia(place, &b);
      if (b.parent) join_inertia(&b, &r->body[b.parent - 1]);
      continue;
    }
    store_place(place, &b.place);
    at[k + 1] = o_shift(o_v(0, 0, 0));
    r->body[count++] = b;
    number[k + 1] = count;
  }
  r->def.nbody = count;
  for (int k = 0; k < count; k++)
    if (r->body[k].mimic) r->body[k].mimic = number[r->body[k].mimic];
}

TEST(fixed_joints_only_split_links) {
  FOR_EACH_MODEL (r) {
    robot_copy(&other, r);
    make_plain(&other);
    merge_fixed_links(&other);
    if (robot_make(&other))
      FOR_EACH_STATE (r, s, 2) check_same(r, &other, &s);
    robot_free(&other);
  }
}

// What the model says a moving body weighs is what this file's own merging finds.
TEST(merged_inertia_is_told) {
  FOR_EACH_MODEL (r) {
    double mass, com[3], inertia[6];
    robot_copy(&other, r);
    for (int k = 0; k < other.def.nbody; k++) other.body[k].mimic = 0;
    make_plain(&other);
    merge_fixed_links(&other);
    int moving = 0;
    for (int i = 1; i < ap_nbody(r->m); i++) {
      if (r->body[i - 1].joint == AP_FIXED) continue;
      CHECK_EQ_INT(ap_body_mover(r->m, i), i);
      ap_body_def b = other.body[moving++];
      move_inertia(inverse_of(o_after(&r->body[i - 1].place)), &b); // back to the user's frame
      ap_merged_inertia(r->m, i, &mass, com, inertia);
      CHECK_CLOSE(mass, b.mass, 32 * DBL_EPSILON * b.mass);
      // Centres lie within 30 links of at most 1 m of each other; nothing has no centre.
      if (mass > 0) CHECK_WITHIN(com, b.com, 3, 32 * DBL_EPSILON * 30);
      CHECK_WITHIN(inertia, b.inertia, 6, 32 * DBL_EPSILON * 30 * (1 + b.mass));
    }
  }
}

// Replace planar joints by two sliding joints and a turning one, with massless links between.
static void split_planar(const test_robot *r, test_robot *t) {
  int number[ROBOT_BODIES + 1] = {0}, count = 0;
  robot_clear(t, r->label, 0);
  memcpy(t->def.gravity, r->def.gravity, sizeof t->def.gravity);
  for (int k = 0; k < r->def.nbody; k++) {
    ap_body_def b = r->body[k];
    b.parent = number[b.parent];
    b.mimic = number[b.mimic];
    if (b.joint == AP_PLANAR) {
      o_pose place = o_before(&b.place);
      o_mat S = o_tilt(o_axis(&b));
      for (int i = 0; i < 2; i++) {
        ap_body_def slide = ap_default_body();
        slide.joint = AP_PRISMATIC;
        slide.parent = i ? count : b.parent;
        slide.name = body_name(ROBOT_BODIES + i); // renamed below
        store_vector(o_column(S, i), slide.axis);
        store_place(i ? o_shift(o_v(0, 0, 0)) : place, &slide.place);
        t->body[count++] = slide;
      }
      b.joint = AP_REVOLUTE;
      b.parent = count;
      store_place(o_shift(o_v(0, 0, 0)), &b.place);
    }
    t->body[count++] = b;
    number[k + 1] = count;
  }
  t->def.nbody = count;
  for (int k = 0; k < count; k++) t->body[k].name = body_name(k + 1);
}

TEST(planar_joint_is_two_slides_and_a_turn) {
  FOR_EACH_MODEL (r) {
    int planar = 0, mimics = 0;
    for (int k = 0; k < r->def.nbody; k++) {
      planar += r->body[k].joint == AP_PLANAR;
      mimics += r->body[k].mimic != 0;
    }
    if (!planar || mimics || r->def.nbody + 2 * planar > ROBOT_BODIES) continue;
    split_planar(r, &other);
    if (robot_make(&other))
      FOR_EACH_STATE (r, s, 3) check_same(r, &other, &s);
    robot_free(&other);
  }
}

// Two chains that share only the ground, numbered alternately, are two chains.
TEST(a_tree_of_chains_is_its_chains) {
  static test_robot chain[2];
  double tau[ROBOT_V], want[ROBOT_V];
  robot_recipe recipe = {"chain", 6, 0, R_AND_P, ANY_PLACE, false, 0, 0};
  rng random = rng_seed(25);
  robot_clear(&other, "two chains", 12);
  for (int c = 0; c < 2; c++) {
    random_robot(&random, &recipe, &chain[c]);
    memcpy(chain[c].def.gravity, chain[0].def.gravity, sizeof other.def.gravity);
    memcpy(other.def.gravity, chain[0].def.gravity, sizeof other.def.gravity);
    for (int k = 0; k < 6; k++) {
      ap_body_def *b = &other.body[2 * k + c];
      *b = chain[c].body[k];
      b->name = body_name(2 * k + c + 1);
      b->parent = k ? 2 * k + c - 1 : 0;
    }
    if (!robot_make(&chain[c])) return;
  }
  if (robot_make(&other))
    FOR_EACH_STATE (&other, s, 5) {
      ap_inverse_dynamics(other.m, other.w, s.q, s.v, s.a, tau);
      ap_inertia_matrix(other.m, other.w, s.q, M1);
      for (int c = 0; c < 2; c++) {
        motion part = s;
        for (int k = 0; k < 6; k++) {
          part.q[k] = s.q[2 * k + c];
          part.v[k] = s.v[2 * k + c];
          part.a[k] = s.a[2 * k + c];
        }
        ap_inverse_dynamics(chain[c].m, chain[c].w, part.q, part.v, part.a, want);
        for (int k = 0; k < 6; k++)
          CHECK_CLOSE(tau[2 * k + c], want[k], bound_of(&chain[c], &part));
        ap_inertia_matrix(chain[c].m, chain[c].w, part.q, M2);
        for (int k = 0; k < 36; k++) {
          int i = 2 * (k / 6) + c, j = 2 * (k % 6) + c;
          CHECK_CLOSE(M1[i * 12 + j], M2[k], 4 * DBL_EPSILON * test_norm(M2, 36));
          CHECK(M1[i * 12 + 2 * (k % 6) + 1 - c] == 0); // chains don't feel each other
        }
      }
    }
  for (int c = 0; c < 2; c++) robot_free(&chain[c]);
  robot_free(&other);
}

// ---- parameters changed at run time ------------------------------------------------------------

static void set_link(ap_body_def *b, double mass, const double *com, const double *inertia) {
  b->mass = mass;
  memcpy(b->com, com, sizeof b->com);
  memcpy(b->inertia, inertia, sizeof b->inertia);
  memset(b->inertia_rpy, 0, sizeof b->inertia_rpy);
}

TEST(inertia_set_at_run_time_is_a_rebuilt_model) {
  rng random = rng_seed(26);
  FOR_EACH_MODEL (r) {
    double mass, com[3], inertia[6], before[ROBOT_V], after[ROBOT_V];
    robot_copy(&other, r);
    motion first = motion_first(r);
    ap_inverse_dynamics(r->m, r->w, first.q, first.v, first.a, before);
    for (int i = 1; i < ap_nbody(r->m); i += 2) {
      random_inertia(&random, &mass, com, inertia);
      CHECK_OK(ap_set_inertia(r->m, r->w, i, mass, com, inertia));
      set_link(&other.body[i - 1], mass, com, inertia);
    }
    if (robot_make(&other))
      FOR_EACH_STATE (&other, s, 2) check_same(&other, r, &s);
    ap_reset_inertia(r->m, r->w);
    ap_inverse_dynamics(r->m, r->w, first.q, first.v, first.a, after);
    CHECK_BITS(after, before, ap_nv(r->m));
    robot_free(&other);
  }
}

TEST(payload_is_part_of_its_link) {
  rng random = rng_seed(27);
  FOR_EACH_MODEL (r) {
    double before[ROBOT_V], after[ROBOT_V];
    static const double none[6] = {0};
    motion first = motion_first(r);
    ap_inverse_dynamics(r->m, r->w, first.q, first.v, first.a, before);
    robot_copy(&other, r);
    for (int i = 1; i < ap_nbody(r->m); i += 3) {
      ap_body_def load = ap_default_body();
      for (int k = 0; k < 2; k++) { // the second call replaces the first
        random_inertia(&random, &load.mass, load.com, load.inertia);
        CHECK_OK(ap_set_payload(r->m, r->w, i, load.mass, load.com, load.inertia));
      }
      join_inertia(&load, &other.body[i - 1]);
    }
    if (robot_make(&other))
      FOR_EACH_STATE (&other, s, 2) check_same(&other, r, &s);
    for (int i = 1; i < ap_nbody(r->m); i += 3)
      CHECK_OK(ap_set_payload(r->m, r->w, i, 0, none, none));
    ap_inverse_dynamics(r->m, r->w, first.q, first.v, first.a, after);
    CHECK_BITS(after, before, ap_nv(r->m));
    robot_free(&other);
  }
}

TEST(bad_payloads_change_nothing) {
  static const double com[3] = {0}, inertia[6] = {0}, bad[3] = {0, NAN, 0};
  FOR_EACH_MODEL (r) {
    double before[ROBOT_V], after[ROBOT_V];
    motion s = motion_first(r);
    if (ap_nbody(r->m) < 2) continue;
    ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, before);
    CHECK_STATUS(ap_set_inertia(r->m, r->w, 1, -1, com, inertia), AP_E_ARG);
    CHECK_STATUS(ap_set_inertia(r->m, r->w, 1, INFINITY, com, inertia), AP_E_ARG);
    CHECK_STATUS(ap_set_inertia(r->m, r->w, 1, 1, bad, inertia), AP_E_ARG);
    CHECK_STATUS(ap_set_inertia(r->m, r->w, 0, 1, com, inertia), AP_E_ARG);
    CHECK_STATUS(ap_set_inertia(r->m, r->w, ap_nbody(r->m), 1, com, inertia), AP_E_ARG);
    CHECK_STATUS(ap_set_payload(r->m, r->w, 1, -1, com, inertia), AP_E_ARG);
    CHECK_STATUS(ap_set_payload(r->m, r->w, 1, 1, bad, inertia), AP_E_ARG);
    ap_inverse_dynamics(r->m, r->w, s.q, s.v, s.a, after);
    CHECK_BITS(after, before, ap_nv(r->m));
  }
}

// ---- far from the origin -----------------------------------------------------------------------

// 2^27 m, which is 1.3e8; positions are multiples of 2^-20 m, so that both sums are exact.
#define FAR_AWAY 0x1p27

enum { FAR_FRAMES = 6 * (ROBOT_BODIES + 1 + ROBOT_FRAMES) };

// What does not change with the place of a robot in free flight.
typedef struct still {
  double bias[ROBOT_V], Cv[ROBOT_V], a[ROBOT_V], tau[ROBOT_V];
  double acc[2 * FAR_FRAMES], vel[2 * FAR_FRAMES], dot[2 * FAR_FRAMES];
  double momentum[6], centroidal[6 * ROBOT_V], J[6 * ROBOT_V], com_vel[3], com_acc[3];
} still;

static void measure(const test_robot *r, const motion *s, still *x) {
  int nv = ap_nv(r->m);
  memset(x, 0, sizeof *x);
  ap_bias(r->m, r->w, s->q, s->v, x->bias);
  ap_inverse_dynamics(r->m, r->w, s->q, s->v, s->a, x->tau);
  ap_coriolis_matrix(r->m, r->w, s->q, s->v, M1);
  dense_apply(M1, s->v, nv, nv, x->Cv);
  CHECK_OK(ap_forward_dynamics(r->m, r->w, s->q, s->v, s->a, x->a));
  ap_kinematics(r->m, r->w, s->q, s->v, s->a);
  for (int f = 0; f < ap_nframe(r->m); f++)
    for (int k = 0; k < 2; k++) {
      ap_reference ref = k ? AP_LOCAL : AP_MIXED;
      CHECK_OK(ap_frame_velocity(r->m, r->w, f, ref, x->vel + 12 * f + 6 * k));
      CHECK_OK(ap_frame_acceleration(r->m, r->w, f, ref, x->acc + 12 * f + 6 * k));
      CHECK_OK(ap_frame_jacobian_dot_v(r->m, r->w, f, ref, x->dot + 12 * f + 6 * k));
    }
  CHECK_OK(ap_frame_jacobian(r->m, r->w, ap_nframe(r->m) - 1, AP_MIXED, x->J));
  ap_centroidal_momentum(r->m, r->w, x->momentum);
  ap_centroidal_matrix(r->m, r->w, x->centroidal);
  ap_centre_of_mass(r->m, r->w, NULL, x->com_vel, x->com_acc);
}

// Only body 1 hangs on the ground, by a free joint.
static bool flies(const test_robot *r) {
  for (int k = 1; k < r->def.nbody; k++)
    if (r->body[k].parent == 0) return false;
  return r->def.nbody > 0 && r->body[0].joint == AP_FREE;
}

#define SAME(field) CHECK_NEAR(away.field, here.field, (int)(sizeof here.field / 8), 1e-13)

TEST(far_from_the_origin_no_digit_is_lost) {
  static still here, away;
  int flying = 0;
  FOR_EACH_MODEL (r) {
    if (!flies(r)) continue;
    flying++;
    FOR_EACH_STATE (r, s, 3) {
      for (int i = 0; i < 3; i++) s.q[i] = round(s.q[i] * 0x1p20) * 0x1p-20;
      measure(r, &s, &here);
      for (int i = 0; i < 3; i++) s.q[i] += FAR_AWAY;
      measure(r, &s, &away);
      SAME(bias), SAME(tau), SAME(Cv), SAME(a), SAME(acc), SAME(vel), SAME(dot), SAME(J);
      SAME(momentum), SAME(centroidal), SAME(com_vel), SAME(com_acc);
    }
  }
  CHECK(flying > 5);
}
