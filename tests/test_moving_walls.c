// SPDX-License-Identifier: Apache-2.0
// Walls that move: what they do to a point, and their work, against values solved by hand.

#include <math.h>

#include "particle.h"

// All kinds of steps, with what their energies err by.
static const struct {
  ap_stepping stepping;
  double time, energy;
} steps[] = {{AP_ADAPTIVE, 1e-9, 1e-9}, {AP_FIXED_RK4, 1e-6, 1e-6}, {AP_FIXED_EULER, 2e-3, 0.05}};

// A belt takes a point along: it slides for v / (mu g) and v^2 / (2 mu g), then it sticks. The belt
// does the work m v^2, of which friction takes half.
TEST(conveyor) {
  double speed = 1.5, mu = 0.4, stops = speed / (mu * G);
  ap_wall belt = ap_default_wall();
  belt.friction = mu;
  belt.surface_velocity[0] = speed;
  for (int k = 0; k < 3; k++) {
    test_context("steps %d", k);
    ap_scene scene = scene_of(&belt, 1);
    scene.stepping = steps[k].stepping;
    ap_sim_state s = run(&scene, (double[3]){0}, (double[3]){0}, 1);
    is_event(1, AP_EVENT_STICK, stops, steps[k].time);
    CHECK_EQ_INT(told.n, 2);
    CHECK_CLOSE(s.v[0], speed, 1e-9);
    CHECK_CLOSE(s.q[0], speed * stops / 2 + speed * (1 - stops), k < 2 ? 1e-6 : 1e-2);
    CHECK_CLOSE(s.work, speed * speed, k < 2 ? 1e-6 : 0.05);
    CHECK_CLOSE(s.dissipated + s.lost, speed * speed / 2, k < 2 ? 1e-6 : 0.05);
    CHECK_CLOSE(s.closing, 0, steps[k].energy);
  }
}

// A lift that rises by 2 A between rests: the force is m (g + z''), its work m g 2 A.
TEST(lift) {
  double A = 0.5, f = 0.25;
  ap_wall lift = ap_default_wall();
  lift.kind = AP_WALL_RECTANGLE, lift.size[0] = lift.size[1] = 1;
  lift.centre[2] = A;
  lift.motion.amplitude[2] = A, lift.motion.frequency = f, lift.motion.phase = -PI / 2;
  lift.motion.from = 1, lift.motion.to = 3;
  for (int k = 0; k < 3; k++) {
    test_context("steps %d", k);
    ap_scene scene = scene_of(&lift, 1);
    scene.stepping = steps[k].stepping;
    for (int i = 1; i < 8; i++) {
      double t = 0.5 * i, angle = 2 * PI * f * (t - 1) - PI / 2;
      bool moves = t >= 1 && t < 3;
      ap_sim_state s = run(&scene, (double[3]){0}, (double[3]){0}, t);
      ap_contact_state c = {0};
      CHECK_EQ_INT(ap_sim_contacts(told.sim, &c, 1), 1);
      double z = t < 1 ? 0 : t >= 3 ? 2 * A : A + A * sin(angle);
      double push = moves ? -A * 4 * PI * PI * f * f * sin(angle) : 0;
      CHECK_CLOSE(s.q[2], z, 1e-10);
      CHECK_CLOSE(c.force[2], G + push, 1e-8);
      CHECK_CLOSE(s.closing, 0, k == 0 ? 1e-9 : k == 1 ? 1e-6 : 0.05);
      if (t >= 3) CHECK_CLOSE(s.work, G * 2 * A, k == 0 ? 1e-8 : k == 1 ? 1e-6 : 0.05);
    }
  }
}

// A lift that starts at once throws: with restitution e the point leaves with (1 + e) times its
// speed, and the lift does m v^2 (1 + e) in no time.
TEST(a_jump_of_the_wall_is_an_impact) {
  double speed = 2, e = 0.5;
  ap_wall lift = ap_default_wall();
  lift.restitution = e;
  lift.motion.velocity[2] = speed, lift.motion.from = 0.5;
  ap_scene scene = scene_of(&lift, 1);
  ap_sim_state s = run(&scene, (double[3]){0}, (double[3]){0}, 0.6);
  is_event(1, AP_EVENT_IMPACT, 0.5, 1e-12);
  CHECK_CLOSE(told.event[1].after[2], (1 + e) * speed, 1e-12);
  CHECK_CLOSE(s.v[2], (1 + e) * speed - G * 0.1, 1e-9);
  CHECK_CLOSE(s.work, (1 + e) * speed * speed, 1e-9);
  CHECK_CLOSE(s.lost, (1 - e * e) * speed * speed / 2, 1e-9);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  // a lift that falls away at once leaves the point behind
  lift.motion.velocity[2] = -speed;
  s = run(&scene, (double[3]){0}, (double[3]){0}, 0.6);
  is_event(1, AP_EVENT_LIFTOFF, 0.5, 1e-12);
  CHECK_CLOSE(s.q[2], -G * 0.01 / 2, 1e-9);
}

// A plate that shakes: the point leaves when the plate's acceleration passes -g, flies on a
// parabola, and is met again where that crosses the plate.
TEST(shaking_plate_throws) {
  double A = 0.05, f = 3, w = 2 * PI * f, leaves = asin(G / (A * w * w)) / w;
  ap_wall plate = ap_default_wall();
  plate.motion.amplitude[2] = A, plate.motion.frequency = f;
  ap_scene scene = scene_of(&plate, 1);
  double q[3] = {0}, v[3] = {0, 0, A * w};
  ap_sim_state s = run(&scene, q, v, 0.3);
  is_event(1, AP_EVENT_LIFTOFF, leaves, 1e-8);
  double z = A * sin(w * leaves), u = A * w * cos(w * leaves), low = leaves + 0.01, high = 0.3;
  for (int k = 0; k < 200; k++) {
    double t = 0.5 * (low + high), d = t - leaves;
    bool above = z + u * d - G * d * d / 2 > A * sin(w * t);
    *(above ? &low : &high) = t;
  }
  is_event(2, AP_EVENT_IMPACT, low, 1e-8);
  CHECK_CLOSE(s.closing, 0, 1e-9);
}

// On a turntable a point that sticks is carried round; friction is what turns it, m w^2 r, and
// slips where mu g is less.
TEST(turntable) {
  double rate = 2, r = 0.6;
  ap_wall disc = ap_default_wall();
  disc.kind = AP_WALL_DISC, disc.size[0] = 1;
  disc.friction = 0.5;
  disc.motion.spin = rate;
  ap_scene scene = scene_of(&disc, 1);
  ap_sim_state s = run(&scene, (double[3]){r, 0, 0}, (double[3]){0, rate * r, 0}, 1);
  ap_contact_state c = {0};
  CHECK_EQ_INT(ap_sim_contacts(told.sim, &c, 1), 1);
  CHECK(c.sticks);
  CHECK_CLOSE(s.q[0], r * cos(rate), 1e-8);
  CHECK_CLOSE(s.q[1], r * sin(rate), 1e-8);
  CHECK_CLOSE(hypot(c.force[0], c.force[1]), rate * rate * r, 1e-8);
  CHECK_CLOSE(s.closing, 0, 1e-9);
  disc.friction = 0.2; // below w^2 r / g = 0.245
  s = run(&scene, (double[3]){r, 0, 0}, (double[3]){0, rate * r, 0}, 3);
  CHECK(told.n > 1 && told.event[told.n - 1].kind == AP_EVENT_LIFTOFF); // over the rim
  CHECK_CLOSE(s.closing, 0, 1e-8);
}

// A racket, a thin box on an arm that turns, hits a point that stands: at w r for a ball of mass 1
// with restitution 1 it leaves with 2 w r.
TEST(racket) {
  static const double none[3] = {0, 0, 0};
  ap_wall racket = ap_default_wall();
  racket.kind = AP_WALL_BOX;
  racket.size[0] = 0.2, racket.size[1] = 1e-4, racket.size[2] = 0.3;
  racket.centre[0] = 1;
  racket.restitution = 1;
  racket.motion.spin = 20, racket.motion.pivot[0] = -1;
  ap_scene scene = scene_of(&racket, 1);
  scene.gravity = none;
  double angle = 1, half = asin(0.5e-4);
  ap_sim_state s = run(&scene, (double[3]){cos(angle), sin(angle), 0.1}, (double[3]){0}, 0.06);
  is_event(0, AP_EVENT_IMPACT, (angle - half) / 20, 1e-10);
  CHECK_EQ_INT(told.n, 1);
  CHECK_CLOSE(hypot(s.v[0], s.v[1]), 2 * 20 * sqrt(1 - 0.25e-8), 1e-8);
  CHECK_CLOSE(s.work, s.kinetic, 1e-9 * s.kinetic);
}

static void refused(const ap_wall *wall, const char *why) {
  static unsigned char room[4096];
  ap_error error = {0};
  CHECK(ap_surface_init(wall, room, sizeof room, &error) == NULL);
  if (!CHECK(strstr(error.text, why) != NULL)) printf("  %s\n", error.text);
}

TEST(bad_motions_are_refused) {
  ap_wall w = ap_default_wall();
  w.motion.spin = INFINITY;
  refused(&w, "a number of its motion is not finite");
  w.motion.spin = 0, w.motion.from = 2, w.motion.to = 1;
  refused(&w, "its motion ends at 1 s (it must end after it begins, at 2 s)");
  w.motion.to = 3, w.motion.velocity[1] = NAN;
  refused(&w, "motion.velocity[1] is nan");
  w.motion.velocity[1] = 0, w.kind = AP_WALL_SPHERE, w.size[0] = 1, w.surface_velocity[0] = 1;
  refused(&w, "surface_velocity is for planes, discs and rectangles");
  w.surface_velocity[0] = 0, w.motion.spin = 1e6; // a search of events would not end
  refused(&w, "it turns at up to 1e+06 rad/s");
  w.motion.spin = 0, w.motion.swing = 1e308;
  refused(&w, "swing is 1e+308 rad");
  w.motion.swing = 0, w.motion.frequency = -1e9;
  refused(&w, "with a frequency of -1e+09 Hz");
}
