// SPDX-License-Identifier: Apache-2.0
// Coefficients by pairs of materials, restitution that falls with speed, friction that is not the
// same in all directions.

#include <math.h>

#include "particle.h"

// The pair of materials counts, in any order; without one the wall's own coefficients do.
TEST(materials_by_pairs) {
  ap_wall wall = ap_default_wall();
  const char *of[1] = {"rubber"};
  const ap_material_pair pair[2] = {{.one = "steel", .other = "steel", .restitution = 0.2},
                                    {.one = "rubber", .other = "steel", .restitution = 0.8}};
  wall.restitution = 0.5, wall.material = "steel";
  ap_scene scene = scene_of(&wall, 1);
  scene.material = pair, scene.nmaterial = 2, scene.point_material = of;
  static const char *const names[] = {"rubber", "steel", "glass", NULL};
  static const double e[] = {0.8, 0.2, 0.5, 0.5};
  for (int k = 0; k < 4; k++) {
    of[0] = names[k];
    run(&scene, (double[3]){0, 0, 1}, (double[3]){0}, 0.5);
    if (CHECK(told.n > 0)) CHECK_CLOSE(told.event[0].after[2], e[k] * sqrt(2 * G), 1e-9);
  }
}

// e (u0 / u)^(1/4) above u0, e below it.
TEST(restitution_falls_with_speed) {
  ap_wall wall = ap_default_wall();
  wall.restitution = 0.9, wall.restitution_speed = 2;
  ap_scene scene = scene_of(&wall, 1);
  double last = 1;
  for (double u = 0.5; u < 100; u *= 2) {
    run(&scene, (double[3]){0, 0, 0.01}, (double[3]){0, 0, -u}, 0.021);
    double hit = sqrt(u * u + 2 * G * 0.01), e = hit > 2 ? 0.9 * pow(2 / hit, 0.25) : 0.9;
    if (!CHECK(told.n > 0)) continue;
    CHECK_CLOSE(told.event[0].after[2], e * hit, 1e-8 * hit);
    CHECK(e <= last);
    last = e;
  }
}

// A point that slides has the friction of largest dissipation, m g (a^2 cos, b^2 sin) / |(a cos, b
// sin)| against its direction; and one that sticks stays inside the ellipse.
TEST(friction_has_an_ellipse) {
  double a = 0.5, b = 0.2;
  ap_wall wall = ap_default_wall();
  wall.friction = a, wall.friction_across = b;
  ap_scene scene = scene_of(&wall, 1);
  for (int k = 0; k < 12; k++) {
    double angle = k * PI / 6, c = cos(angle), s = sin(angle), size = hypot(a * c, b * s);
    test_context("direction %d", k);
    ap_sim_state state = run(&scene, (double[3]){0}, (double[3]){3 * c, 3 * s, 0}, 0);
    CHECK_CLOSE(state.a[0], -G * a * a * c / size, 1e-9);
    CHECK_CLOSE(state.a[1], -G * b * b * s / size, 1e-9);
    state = run(&scene, (double[3]){0}, (double[3]){3 * c, 3 * s, 0}, 3);
    CHECK_CLOSE(hypot(state.v[0], state.v[1]), 0, 1e-9);
    CHECK_CLOSE(state.closing, 0, 1e-8);
    // a slope that the friction just holds, and one that it does not
    double hold = 1 / hypot(c / a, s / b);
    for (int more = -1; more <= 1; more += 2) {
      double part = hold * (1 + 1e-3 * more), g[3] = {G * part * c, G * part * s, -G};
      ap_scene slope = scene;
      slope.gravity = g;
      state = run(&slope, (double[3]){0}, (double[3]){0}, 0.5);
      CHECK_EQ_INT(hypot(state.q[0], state.q[1]) > 1e-6, more > 0);
    }
  }
}

// In an impact the impulse is in the ellipse, against the sliding that is left, and takes energy.
TEST(impacts_have_an_ellipse) {
  double a = 0.5, b = 0.2;
  ap_wall wall = ap_default_wall();
  wall.friction = a, wall.friction_across = b;
  wall.x[0] = 0.6, wall.x[1] = 0.8;
  ap_scene scene = scene_of(&wall, 1);
  for (int k = 0; k < 12; k++) {
    double angle = k * PI / 6 + 0.1, v[3] = {8 * cos(angle), 8 * sin(angle), -2};
    run(&scene, (double[3]){0}, v, 0);
    if (!CHECK(told.n > 0)) continue;
    const ap_event *e = &told.event[0];
    double px = 0.6 * e->impulse[0] + 0.8 * e->impulse[1];
    double py = -0.8 * e->impulse[0] + 0.6 * e->impulse[1];
    double ux = 0.6 * e->after[0] + 0.8 * e->after[1], uy = -0.8 * e->after[0] + 0.6 * e->after[1];
    CHECK_CLOSE(hypot(px / a, py / b), e->impulse[2], 1e-10);
    CHECK_CLOSE(px * b * b * uy - py * a * a * ux, 0, 1e-9);
    CHECK(px * ux + py * uy < 0 && e->lost > 0);
    for (int i = 0; i < 3; i++) CHECK_CLOSE(e->after[i], v[i] + e->impulse[i], 1e-10);
  }
}

TEST(bad_coefficients_are_refused) {
  ap_wall wall = ap_default_wall();
  ap_material_pair pair = {.one = "steel", .other = "steel", .restitution = 2};
  ap_scene scene = scene_of(&wall, 1);
  ap_sim *sim = NULL;
  ap_error error = {0};
  scene.material = &pair, scene.nmaterial = 1;
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK(strstr(error.text, "restitution is 2 (it must be between 0 and 1)") != NULL);
  pair.restitution = 0, pair.friction_across = 0.3;
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK(strstr(error.text, "friction_across is 0.3 and friction 0") != NULL);
  static const double far[2][2] = {{0.3, 1e9}, {1e-308, 0.3}};
  for (int k = 0; k < 2; k++) { // their quotient is not one that friction can be solved with
    pair.friction = far[k][0], pair.friction_across = far[k][1];
    CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
    CHECK(strstr(error.text, "one at most 1000 times the other") != NULL);
  }
  pair.friction_across = 0, pair.static_friction = 1e308;
  CHECK_EQ_INT(ap_sim_create(&scene, &sim, &error), AP_E_ARG);
  CHECK(strstr(error.text, "static_friction is 1e+308 (at most 1e+09)") != NULL);
}
