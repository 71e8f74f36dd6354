// SPDX-License-Identifier: Apache-2.0
// Many contacts: balls in a box. bench/balls.c has all hundred of them.

#include "balls.h"

#include <appell/scenario.h>
#include <string.h>

#include "test.h"

// The deepest overlap of two balls, or of a ball and the box, m.
static double overlap(const balls *b, const double *q) {
  double deepest = -INFINITY;
  for (int i = 0; i < b->n; i++) {
    const double *p = q + 7 * i;
    deepest = fmax(deepest, BALLS_RADIUS - p[2]);
    for (int k = 0; k < 2; k++) deepest = fmax(deepest, fabs(p[k]) + BALLS_RADIUS - BALLS_BOX / 2);
    for (int j = 0; j < i; j++) {
      const double *o = q + 7 * j;
      deepest =
          fmax(deepest, 2 * BALLS_RADIUS - hypot(hypot(p[0] - o[0], p[1] - o[1]), p[2] - o[2]));
    }
  }
  return deepest;
}

// The rate of the momentum of all balls less what box and gravity do: what balls do to each other
// cancels. With v in the axes of a body, which turns, v' = R (a + w x v).
static double momentum_error(const balls *b, ap_sim *sim, const ap_sim_state *s) {
  static ap_contact_state contact[600];
  int n = ap_sim_contacts(sim, contact, 600);
  double sum[3] = {0, 0, b->n * BALLS_MASS * 9.81}, size = sum[2];
  for (int i = 0; i < b->n; i++) {
    const double *x = s->q + 7 * i + 3, *v = s->v + 6 * i, *w = v + 3, *a = s->a + 6 * i;
    double u[3] = {a[0] + w[1] * v[2] - w[2] * v[1], a[1] + w[2] * v[0] - w[0] * v[2],
                   a[2] + w[0] * v[1] - w[1] * v[0]};
    double c[3] = {x[1] * u[2] - x[2] * u[1] + x[3] * u[0], x[2] * u[0] - x[0] * u[2] + x[3] * u[1],
                   x[0] * u[1] - x[1] * u[0] + x[3] * u[2]};
    double d[3] = {x[1] * c[2] - x[2] * c[1], x[2] * c[0] - x[0] * c[2], x[0] * c[1] - x[1] * c[0]};
    for (int k = 0; k < 3; k++) sum[k] += BALLS_MASS * (u[k] + 2 * d[k]);
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3 && contact[i].wall == 0; k++) sum[k] -= contact[i].force[k];
  return fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / size;
}

// Forces push, and are inside their cones.
static bool forces_are_lawful(const balls *b, ap_sim *sim, const ap_sim_state *s) {
  static ap_contact_state contact[600];
  int n = ap_sim_contacts(sim, contact, 600);
  bool good = n == s->contacts;
  for (int i = 0; i < n; i++) {
    const ap_contact_state *c = &contact[i];
    const double *p = s->q + 7 * c->point;
    double away = 0;
    for (int k = 0; k < 3; k++) away += c->force[k] * (p[k] - c->position[k]) / BALLS_RADIUS;
    good = good && away >= -1e-6 * b->n && (!c->sticks || c->margin >= -1e-6 * b->n);
  }
  return good;
}

static void drop(int n, balls_kind kind, double seconds, int contacts) {
  static balls b;
  ap_sim *sim = NULL;
  ap_sim_state s;
  ap_error error = {0};
  if (!CHECK(balls_make(n, &kind, &b))) return;
  ap_scene scene = balls_scene(&b);
  bool good = CHECK_OK(ap_sim_create(&scene, &sim, &error)) &&
              CHECK_OK(ap_sim_start(sim, 0, b.q, b.v, &error)) &&
              CHECK_OK(ap_sim_now(sim, &s, NULL));
  double energy = good ? s.kinetic + s.potential : 0;
  for (int k = 1; k <= 10 && good; k++) {
    test_context("t = %g", seconds * k / 10);
    good = CHECK_OK(ap_sim_advance(sim, seconds * k / 10, &error)) &&
           CHECK_OK(ap_sim_now(sim, &s, NULL));
    if (!good) {
      printf("  %s\n", error.text);
      break;
    }
    CHECK(overlap(&b, s.q) <= 1e-8);
    CHECK(fabs(s.closing) <= 1e-9 * energy);
    CHECK(momentum_error(&b, sim, &s) <= 1e-9);
    CHECK(forces_are_lawful(&b, sim, &s));
  }
  if (good) CHECK(s.contacts >= contacts);
  ap_sim_free(sim);
  balls_free(&b);
}

// Islands of balls on the floor join as the upper ones fall between them. Without friction 50 of
// them, with it fewer: sliding and rolling have many more events.
TEST(balls_without_friction) {
  drop(getenv("APPELL_TEST_EFFORT") ? 35 : 50, (balls_kind){.restitution = 0.2}, 0.25,
       30); // sanitizers take longer
}
TEST(balls_with_friction) { drop(28, (balls_kind){.friction = 0.3}, 0.2, 25); }

// The force of the box on all balls, N.
static void force_of_box(ap_sim *sim, double sum[3]) {
  static ap_contact_state contact[600];
  int n = ap_sim_contacts(sim, contact, 600);
  sum[0] = sum[1] = sum[2] = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3 && contact[i].wall == 0; k++) sum[k] += contact[i].force[k];
}

// Balls with friction come to rest: a layer, and one that falls onto it, in a box that is lined. At
// rest nothing moves any more, the box bears the weight of all, and energy is accounted for.
TEST(balls_come_to_rest) {
  static balls b;
  static double q[7 * BALLS_MOST];
  const balls_kind kind = {.friction = 0.3, .rolling = 5e-4, .spinning = 5e-4};
  ap_sim *sim = NULL;
  ap_sim_state s;
  ap_error error = {0};
  if (!CHECK(balls_make(26, &kind, &b))) return;
  ap_scene scene = balls_scene(&b);
  bool good = CHECK_OK(ap_sim_create(&scene, &sim, &error)) &&
              CHECK_OK(ap_sim_start(sim, 0, b.q, b.v, &error)) &&
              CHECK_OK(ap_sim_now(sim, &s, NULL));
  double energy = good ? s.kinetic + s.potential : 0, weight = b.n * BALLS_MASS * 9.81, sum[3];
  good = good && CHECK_OK(ap_sim_advance(sim, 3, &error)) && CHECK_OK(ap_sim_now(sim, &s, NULL));
  if (good) {
    for (int i = 0; i < 6 * b.n; i++) CHECK(fabs(s.v[i]) <= 1e-9);
    CHECK(overlap(&b, s.q) <= 1e-8);
    CHECK(fabs(s.closing) <= 1e-9 * energy);
    CHECK(forces_are_lawful(&b, sim, &s));
    force_of_box(sim, sum);
    CHECK(fabs(sum[0]) <= 1e-9 * weight && fabs(sum[1]) <= 1e-9 * weight);
    CHECK(fabs(sum[2] - weight) <= 1e-9 * weight);
    memcpy(q, s.q, 7 * (size_t)b.n * sizeof *q);
    good = CHECK_OK(ap_sim_advance(sim, 60, &error)) && CHECK_OK(ap_sim_now(sim, &s, NULL));
    for (int i = 0; i < 7 * b.n && good; i++) CHECK(fabs(s.q[i] - q[i]) <= 1e-8);
  }
  if (!good) printf("  %s\n", error.text);
  ap_sim_free(sim);
  balls_free(&b);
}

// Contacts beyond the limit of a scene are refused, in one line.
TEST(too_many_contacts) {
  static balls b;
  ap_sim *sim = NULL;
  ap_error error = {0};
  if (!CHECK(balls_make(10, &(balls_kind){0}, &b))) return;
  ap_scene scene = balls_scene(&b);
  scene.most_contacts = 0;
  CHECK_STATUS(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK(strstr(error.text, "most_contacts"));
  scene.most_contacts = 9;
  if (CHECK_OK(ap_sim_create(&scene, &sim, &error)) &&
      CHECK_OK(ap_sim_start(sim, 0, b.q, b.v, NULL))) {
    CHECK_STATUS(ap_sim_advance(sim, 0.3, &error), AP_E_UNSUPPORTED);
    CHECK(strstr(error.text, "more than 9 contacts") && strstr(error.text, "most_contacts"));
  }
  ap_sim_free(sim);
  balls_free(&b);
}

// The file has the same balls.
TEST(the_file_of_a_hundred_balls) {
  static balls b;
  ap_error error = {0};
  ap_scenario *scenario = NULL;
  if (!CHECK(balls_make(BALLS_MOST, &(balls_kind){0}, &b))) return;
  if (CHECK_OK(ap_scenario_read("models/hundred_balls.yaml", &scenario, &error))) {
    CHECK_EQ_INT(ap_scenario_scene(scenario)->most_contacts, balls_scene(&b).most_contacts);
    CHECK_EQ_INT(ap_scenario_scene(scenario)->npoint, BALLS_MOST);
    CHECK_BITS(ap_scenario_q(scenario), b.q, 7 * BALLS_MOST);
  }
  ap_scenario_free(scenario);
  balls_free(&b);
}
