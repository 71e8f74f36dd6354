// SPDX-License-Identifier: Apache-2.0
// Friction that is Coulomb's and limits that act, as laws with closed forms: slides stop where they
// must, brakes hold, static friction lets go at its limit, stops throw back or hold.

#include <appell/sim.h>

#include "small_runs.h"

// ---- slides ------------------------------------------------------------------------------------

// A point on a plane with a slope: a is gravity along it (less than friction, mu g), the speed v0
// at the start across. With phi the angle between velocity and slope, u = tan(phi / 2), k = mu g /
// a:
//   dv/dt = a cos phi - mu g,  dphi/dt = -a sin phi / v   give   v = v0 u^k / sin phi,
// and integrals over u from 0 to 1 the end of the slide.
typedef struct slide {
  double t, down, across;
} slide;

static slide slide_end(double v0, double a, double friction) {
  double k = friction / a;
  return (slide){v0 / a * k / (k * k - 1), v0 * v0 / (4 * a * (k * k - 1)),
                 v0 * v0 / (2 * a) * (1 / (2 * k - 1) + 1 / (2 * k + 1))};
}

// The closed form against v' = g - mu g_n v / |v| in long double, by the classical Runge-Kutta
// method in steps that shrink with what is left.
TEST(the_closed_form_of_a_slide) {
  for (int turn = 0; turn < 4; turn++) {
    static const double a[] = {3.8, 0.7, 4.2, 2};
    slide want = slide_end(0.3, a[turn], 4.5);
    long double x[4] = {0, 0, 0, 0.3L}, t = 0, k[4][4], y[4];
    while (want.t - t > 1e-9L * want.t) {
      long double h = (want.t - t) / 1000;
      for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 4; i++)
          y[i] = x[i] + (s == 0 ? 0 : s == 3 ? h : h / 2) * (s ? k[s - 1][i] : 0);
        long double v = hypotl(y[2], y[3]);
        k[s][0] = y[2], k[s][1] = y[3];
        k[s][2] = a[turn] - 4.5L * y[2] / v, k[s][3] = -4.5L * y[3] / v;
      }
      for (int i = 0; i < 4; i++) x[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
      t += h;
    }
    test_context("slope %g", a[turn]);
    CHECK_CLOSE((double)x[0], want.down, 1e-8 * want.down);
    CHECK_CLOSE((double)x[1], want.across, 1e-8 * want.across);
    CHECK_CLOSE((double)hypotl(x[2], x[3]), 0, 1e-7);
  }
}

static ap_wall rough_floor(double friction, double holds) {
  ap_wall w = ap_default_wall();
  w.friction = friction, w.static_friction = holds;
  return w;
}

// The run keeps 1e-10 m/s and m in each of some hundred steps; a slide of 1 mm/s is 1e-7 m long.
TEST(slides_stop_where_they_must) {
  static const double speed[] = {1e-3, 0.01, 0.02, 0.3, 1}, a[] = {3.8, 1.1}, step[] = {0.01, 5};
  for (int k = 0; k < 5; k++)
    for (int g = 0; g < 2; g++)
      for (int o = 0; o < 2; o++) {
        slide want = slide_end(speed[k], a[g], 4.5);
        ap_wall floor = rough_floor(0.5, 0);
        ap_scene scene = law_scene(law_point(1, -a[g], 0, -9), &floor, 1);
        test_context("%g m/s, slope %g, output step %g", speed[k], a[g], step[o]);
        if (!law_run_scene(&scene, (double[]){0, 0, 0}, (double[]){0, speed[k], 0}, 5, step[o]))
          return;
        CHECK_CLOSE(told.q[0], -want.down, 1e-6 * want.down + 1e-10);
        CHECK_CLOSE(told.q[1], want.across, 1e-6 * want.across + 1e-10);
        CHECK_CLOSE(law_event(AP_EVENT_STICK, 0)->t, want.t, 1e-6 * want.t + 1e-9);
        CHECK_WITHIN(told.v, ((double[]){0, 0, 0}), 3, 1e-12);
      }
}

// Straight on a level floor: v^2 / (2 mu g).
TEST(straight_slides_stop_where_they_must) {
  for (double speed = 1e-4; speed < 20; speed *= 7) {
    double way = speed * speed / (2 * 0.3 * 9.81), time = speed / (0.3 * 9.81);
    ap_wall floor = rough_floor(0.3, 0);
    ap_scene scene = law_scene(law_point(2, 0, 0, -9.81), &floor, 1);
    test_context("%g m/s", speed);
    if (!law_run_scene(&scene, (double[]){0, 0, 0}, (double[]){0.6 * speed, 0.8 * speed, 0}, 10,
                       0.1))
      return;
    CHECK_CLOSE(told.q[0], 0.6 * way, 1e-8 * way + 1e-11);
    CHECK_CLOSE(told.q[1], 0.8 * way, 1e-8 * way + 1e-11);
    CHECK_CLOSE(law_event(AP_EVENT_STICK, 0)->t, time, 1e-8 * time + 1e-11);
    CHECK_CLOSE(told.end.dissipated, speed * speed, 1e-9 * speed * speed + 1e-12);
  }
}

// ---- joints that hold --------------------------------------------------------------------------

static ap_body_def arm(double coulomb, double stiction) {
  ap_body_def b = ap_default_body();
  b.joint = AP_REVOLUTE, b.mass = 1, b.com[0] = 0.5;
  b.axis[1] = 1, b.axis[2] = 0;
  b.inertia[0] = b.inertia[3] = b.inertia[5] = 0.01;
  b.coulomb = coulomb, b.stiction = stiction;
  return b;
}

// No force, and the end of a run that asks too often.
static ap_status count_calls(void *context, double t, const double *q, const double *v,
                             double *tau) {
  long *calls = context;
  (void)t, (void)q, (void)v, (void)tau;
  return ++*calls > 20000 ? AP_E_NO_CONVERGENCE : AP_OK;
}

// A level arm whose weight is 4.905 N m, on a brake that can take more: ten minutes without moving,
// without effort and without losing energy.
TEST(a_brake_holds) {
  static const struct {
    double coulomb, stiction;
  } brake[] = {{10, 0}, {1000, 0}, {4.906, 0}, {1, 10}, {0, 5}, {4.9, 4.91}};
  for (int k = 0; k < 6; k++) {
    ap_body_def b = arm(brake[k].coulomb, brake[k].stiction);
    ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, -9.81}), NULL, 0);
    long calls = 0;
    scene.force = count_calls, scene.context = &calls, scene.nforce_time = 0;
    test_context("coulomb %g, stiction %g", brake[k].coulomb, brake[k].stiction);
    if (!law_run_scene(&scene, (double[]){0}, (double[]){0}, 600, 1)) continue;
    CHECK_CLOSE(told.q[0], 0, 1e-9);
    CHECK_CLOSE(told.v[0], 0, 1e-12);
    CHECK_CLOSE(told.end.dissipated, 0, 1e-9);
    CHECK(told.evaluations < 10000);
  }
}

// Less than the load: constant acceleration, whatever is missing. More, but moving: it stops.
TEST(a_slide_with_coulomb_friction) {
  static const double part[] = {0.5, 0.99, 0.9999, 1.0001, 1.5};
  for (int k = 0; k < 5; k++) {
    double load = 2 * 9.81, a = 9.81 * (1 - part[k]), v0 = a < 0 ? 0.3 : 0;
    ap_body_def b = law_slide(2);
    b.coulomb = part[k] * load;
    ap_scene scene = law_scene(law_model(&b, 1, (double[]){9.81, 0, 0}), NULL, 0);
    test_context("friction of %g of the load", part[k]);
    double t = 3, stop = a < 0 ? -v0 / a : INFINITY, until = fmin(t, stop);
    if (!law_run_scene(&scene, (double[]){0}, (double[]){v0}, t, 0.1)) return;
    double way = v0 * until + a * until * until / 2;
    CHECK_CLOSE(told.q[0], way, 1e-8);
    CHECK_CLOSE(told.v[0], v0 + a * until, 1e-8);
    CHECK_CLOSE(told.end.dissipated, b.coulomb * way, 1e-7);
  }
}

// The friction turns with the velocity: a mass on a spring loses coulomb 4 / stiffness in a swing.
TEST(a_spring_swings_out_under_dry_friction) {
  double k = 100, m = 1, c = 2, x = 0.51, shift = c / k, half = PI * sqrt(m / k);
  ap_body_def b = law_slide(m);
  b.coulomb = c;
  ap_joint_spring spring = {.v = 0, .stiffness = k};
  ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, 0}), NULL, 0);
  scene.spring = &spring, scene.nspring = 1;
  int turns = 0;
  while (x > shift) x -= 2 * shift, turns++; // it turns at -x, x, ... until the spring is too weak
  if (!law_run_scene(&scene, (double[]){0.51}, (double[]){0}, (turns + 3) * half, 0.01)) return;
  CHECK_CLOSE(fabs(told.q[0]), fabs(x), 1e-8);
  CHECK_CLOSE(told.v[0], 0, 1e-12);
}

// ---- letting go --------------------------------------------------------------------------------

typedef struct ramp {
  int v;
  double rate;
} ramp;

static ap_status push_ramp(void *context, double t, const double *q, const double *v, double *tau) {
  const ramp *r = context;
  (void)q, (void)v;
  tau[r->v] += r->rate * t;
  return AP_OK;
}

// From when the ramp r t has come to `holds`, m a = r t - slides.
static void check_breakaway(double m, double r, double holds, double slides, double t) {
  double from = holds / r, s = t - from, over = holds - slides;
  CHECK_CLOSE(law_event(AP_EVENT_SLIP, 0)->t, from, 1e-9);
  CHECK_CLOSE(told.v[0], (r * s * s / 2 + over * s) / m, 1e-8);
  CHECK_CLOSE(told.q[0], (r * s * s * s / 6 + over * s * s / 2) / m, 1e-8);
  CHECK_CLOSE(told.end.dissipated, slides * told.q[0], 1e-8 * (1 + slides));
}

TEST(a_joint_lets_go_at_its_stiction) {
  static const double holds[] = {0, 3, 7.7};
  for (int k = 0; k < 3; k++) {
    double slides = 2, limit = fmax(holds[k], slides);
    ramp r = {0, 1.7};
    ap_body_def b = law_slide(1.4);
    b.coulomb = slides, b.stiction = holds[k];
    ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, 0}), NULL, 0);
    scene.force = push_ramp, scene.context = &r, scene.nforce_time = 0;
    test_context("stiction %g", holds[k]);
    if (!law_run_scene(&scene, (double[]){0}, (double[]){0}, limit / 1.7 + 1, 0.1)) return;
    check_breakaway(1.4, 1.7, limit, slides, limit / 1.7 + 1);
    CHECK_EQ_INT(law_event(AP_EVENT_SLIP, 0)->joint, 0);
  }
}

TEST(a_block_lets_go_at_its_static_friction) {
  static const double holds[] = {0, 0.5, 0.9};
  for (int k = 0; k < 3; k++) {
    double m = 1.4, weight = m * 9.81, mu = 0.3, limit = fmax(mu, holds[k]) * weight;
    ramp r = {0, 2.3};
    ap_wall floor = rough_floor(mu, holds[k]);
    ap_scene scene = law_scene(law_point(m, 0, 0, -9.81), &floor, 1);
    scene.force = push_ramp, scene.context = &r, scene.nforce_time = 0;
    test_context("static friction %g", holds[k]);
    if (!law_run_scene(&scene, (double[]){0, 0, 0}, (double[]){0, 0, 0}, limit / 2.3 + 1, 0.1))
      return;
    check_breakaway(m, 2.3, limit, mu * weight, limit / 2.3 + 1);
  }
}

// On a slope between both angles of friction a block stays if it rests, and goes on if it moves.
TEST(a_slope_between_two_frictions) {
  double slope = 0.4, g = 9.81, a = g * (sin(slope) - 0.3 * cos(slope));
  for (int moves = 0; moves < 2; moves++) {
    ap_wall floor = rough_floor(0.3, 0.5); // tan 0.4 is 0.42
    ap_scene scene = law_scene(law_point(1, g * sin(slope), 0, -g * cos(slope)), &floor, 1);
    test_context("moves: %d", moves);
    if (!law_run_scene(&scene, (double[]){0, 0, 0}, (double[]){0.01 * moves, 0, 0}, 2, 0.1)) return;
    CHECK_CLOSE(told.q[0], moves ? 0.02 + a * 2 : 0, 1e-8);
    CHECK_CLOSE(told.v[0], moves ? 0.01 + a * 2 : 0, 1e-8);
  }
}

// ---- stops -------------------------------------------------------------------------------------

static const ap_model *limited(double mass, double g, double coulomb) {
  ap_body_def b = law_slide(mass);
  b.lower = -0.2, b.upper = 0.7, b.coulomb = coulomb;
  return law_model(&b, 1, (double[]){g, 0, 0});
}

// Thrown at its upper limit, back to the lower one, and so on: each time e as fast. Restitution 0
// is what stops have where nothing is said.
TEST(stops_throw_back) {
  for (int e = -1; e < 3; e++) {
    double rebound = e < 0 ? 0 : 0.5 * e, v = 3, t = 0.7 / v, m = 1.2;
    ap_joint_stop stop = {.v = 0, .restitution = rebound};
    ap_scene scene = law_scene(limited(m, 0, 0), NULL, 0);
    scene.stop = &stop, scene.nstop = e >= 0;
    test_context("restitution %g, %s", rebound, e < 0 ? "not said" : "said");
    if (!law_run_scene(&scene, (double[]){0}, (double[]){v}, 4, 0.037)) return;
    for (int k = 0; t < 4 && (k == 0 || rebound > 0); k++) {
      const ap_event *met = law_event(AP_EVENT_IMPACT, k);
      bool upper = k % 2 == 0;
      CHECK_EQ_INT(met->joint, 0);
      CHECK(met->point == -1 && met->wall == -1);
      CHECK_CLOSE(met->t, t, 1e-10);
      CHECK_CLOSE(met->position[0], upper ? 0.7 : -0.2, 1e-12);
      CHECK_CLOSE(met->before[0], upper ? v : -v, 1e-10);
      CHECK_CLOSE(met->after[0], upper ? -rebound * v : rebound * v, 1e-10);
      CHECK_CLOSE(met->impulse[0], (upper ? -1 : 1) * m * v * (1 + rebound), 1e-9);
      v *= rebound;
      t += rebound > 0 ? 0.9 / v : INFINITY;
    }
    CHECK_CLOSE(told.end.lost, m / 2 * (9 - v * v), 1e-9);
    CHECK_CLOSE(fabs(told.v[0]), v, 1e-10);
    if (rebound == 0) CHECK_CLOSE(told.q[0], 0.7, 1e-12);
  }
}

// It falls onto its stop, bounces e as long each time, rests there, and is lifted off by a force.
TEST(a_joint_rests_on_its_stop) {
  for (int e = 0; e < 3; e++) {
    double g = 9.81, rebound = 0.3 * e, fall = sqrt(2 * 0.5 / g), m = 2;
    double rest = fall * (1 + rebound) / (1 - rebound), leaves = 4;
    ramp r = {0, -m * g / leaves};
    ap_joint_stop stop = {.v = 0, .restitution = rebound};
    ap_scene scene = law_scene(limited(m, g, 0), NULL, 0);
    scene.stop = &stop, scene.nstop = 1;
    test_context("restitution %g", rebound);
    if (!law_run_scene(&scene, (double[]){0.2}, (double[]){0}, rest + 1, 0.1)) return;
    CHECK_CLOSE(law_event(AP_EVENT_CONTACT, 0)->t, rest, 1e-8);
    CHECK_CLOSE(told.q[0], 0.7, 1e-12);
    CHECK_CLOSE(told.v[0], 0, 1e-12);
    CHECK_CLOSE(told.end.lost, m * g * 0.5, 1e-8);
    scene.force = push_ramp, scene.context = &r, scene.nforce_time = 0;
    if (!law_run_scene(&scene, (double[]){0.7}, (double[]){0}, leaves + 0.5, 0.1)) return;
    CHECK_CLOSE(law_event(AP_EVENT_LIFTOFF, 0)->t, leaves, 1e-8);
    CHECK_CLOSE(told.q[0], 0.7 - g / leaves * 0.125 / 6, 1e-8);
  }
}

// A mass at an elastic stop: as deep as v sqrt(m / k), out after half a period with the same speed.
TEST(elastic_stops_give_back) {
  for (double k = 1e2; k < 2e6; k *= 100) {
    double m = 1.2, v = 3, w = sqrt(k / m), in = 0.7 / v, out = in + PI / w;
    ap_joint_stop stop = {.v = 0, .stiffness = k};
    ap_scene scene = law_scene(limited(m, 0, 0), NULL, 0);
    scene.stop = &stop, scene.nstop = 1;
    test_context("stiffness %g", k);
    if (!law_run_scene(&scene, (double[]){0}, (double[]){v}, in + PI / 2 / w, 0.01)) return;
    CHECK_CLOSE(told.q[0], 0.7 + v / w, 1e-8);
    CHECK_CLOSE(told.v[0], 0, 1e-8 * v * w);
    CHECK_CLOSE(told.end.elastic, m * v * v / 2, 1e-7);
    if (!law_run_scene(&scene, (double[]){0}, (double[]){v}, out + 0.1, 0.01)) return;
    CHECK_CLOSE(told.v[0], -v, 1e-8);
    CHECK_CLOSE(told.q[0], 0.7 - 0.1 * v, 1e-8);
    CHECK(told.end.lost == 0);
  }
}

// With a damper in it: x'' = -(k x + d x') / m until that would pull, the time at which
// tan(w t) is 2 z sqrt(1 - z^2) / (2 z^2 - 1); z = d / (2 sqrt(k m)).
TEST(damped_stops_never_pull) {
  double m = 1.2, v = 3, k = 1000, z = 0.2, n = sqrt(k / m), w = n * sqrt(1 - z * z);
  ap_joint_stop stop = {.v = 0, .stiffness = k, .damping = 2 * z * sqrt(k * m)};
  ap_scene scene = law_scene(limited(m, 0, 0), NULL, 0);
  scene.stop = &stop, scene.nstop = 1;
  double t = atan2(2 * z * sqrt(1 - z * z), 2 * z * z - 1) / w, decay = v * exp(-z * n * t);
  double x = decay / w * sin(w * t), speed = decay * (cos(w * t) - z * n / w * sin(w * t));
  CHECK_CLOSE(k * x + stop.damping * speed, 0, 1e-9); // the closed form is what it should be
  CHECK(x > 0 && speed < 0);
  if (!law_run_scene(&scene, (double[]){0}, (double[]){v}, 0.7 / v + t + 0.1, 0.01)) return;
  CHECK_CLOSE(told.v[0], speed, 1e-8);
  CHECK_CLOSE(told.q[0], 0.7 + x + 0.1 * speed, 1e-8);
  CHECK_CLOSE(told.end.dissipated + told.end.lost,
              m / 2 * (v * v - speed * speed) - told.end.elastic, 1e-8);
}

TEST(limits_can_be_turned_off) {
  ap_scene scene = law_scene(limited(1, 0, 0), NULL, 0);
  scene.limits = false;
  if (!law_run_scene(&scene, (double[]){0}, (double[]){3}, 2, 0.1)) return;
  CHECK_EQ_INT(told.n, 0);
  CHECK_CLOSE(told.q[0], 6, 1e-10);
}

// An arm falls onto the limit of a revolute joint: the speed is that of its height.
TEST(an_arm_falls_onto_its_limit) {
  ap_body_def b = arm(0, 0);
  b.upper = 1.1, b.lower = -1;
  ap_joint_stop stop = {.v = 0, .restitution = 0.4};
  ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, -9.81}), NULL, 0);
  scene.stop = &stop, scene.nstop = 1;
  if (!law_run_scene(&scene, (double[]){0}, (double[]){0}, 0.9, 0.1)) return;
  const ap_event *met = law_event(AP_EVENT_IMPACT, 0);
  double I = 0.26, speed = sqrt(2 * 9.81 * 0.5 * sin(1.1) / I);
  CHECK_CLOSE(met->before[0], speed, 1e-8);
  CHECK_CLOSE(met->after[0], -0.4 * speed, 1e-8);
  CHECK_CLOSE(met->lost, I / 2 * speed * speed * 0.84, 1e-8);
  CHECK_CLOSE(met->position[0], 1.1, 1e-10);
}

// A brake acts against the new velocity after an impact has turned it: falls at g - c / m, rises
// against g + c / m, and all that is lost is told by the events.
TEST(rebounds_keep_their_speed_under_joint_friction) {
  static const double coulomb[] = {0, 1e-9, 0.5, 4};
  for (int k = 0; k < 4; k++) {
    double m = 1, g = 9.81, c = coulomb[k], e = 0.6, h = 1, sum = 0;
    ap_body_def b = law_slide(m);
    b.axis[0] = 0, b.axis[2] = 1, b.lower = 0, b.coulomb = c;
    ap_joint_stop stop = {.v = 0, .restitution = e};
    ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, -g}), NULL, 0);
    scene.stop = &stop, scene.nstop = 1;
    test_context("Coulomb friction %g", c);
    if (!law_run_scene(&scene, (double[]){h}, (double[]){0}, 4, 0.1)) return;
    for (int i = 0; i < 4; i++) {
      double speed = sqrt(2 * (g - c / m) * h);
      CHECK_CLOSE(law_event(AP_EVENT_IMPACT, i)->before[0], -speed, 1e-8);
      CHECK_CLOSE(law_event(AP_EVENT_IMPACT, i)->after[0], e * speed, 1e-8);
      h = e * speed * e * speed / (2 * (g + c / m));
    }
    for (int i = 0; i < told.n; i++) sum += told.event[i].lost;
    CHECK_CLOSE(told.end.lost, sum, 1e-9);
  }
}

// A block on a wall that slopes, pushed by a ramp, slips: it does not leave and come back.
TEST(a_block_slips_on_a_slope) {
  double slope = 0.26, m = 2, rate = 20, g = 9.81;
  ramp r = {0, rate};
  ap_wall wall = rough_floor(0.4, 0.6);
  wall.axis[0] = -sin(slope), wall.axis[2] = cos(slope);
  ap_scene scene = law_scene(law_point(m, 0, 0, -g), &wall, 1);
  scene.force = push_ramp, scene.context = &r, scene.nforce_time = 0;
  if (!law_run_scene(&scene, (double[]){0, 0, 0}, (double[]){0, 0, 0}, 1.5, 0.1)) return;
  // Uphill: F cos - m g sin = mu (m g cos + F sin).
  double push = m * g * (sin(slope) + 0.6 * cos(slope)) / (cos(slope) - 0.6 * sin(slope));
  CHECK_CLOSE(law_event(AP_EVENT_SLIP, 0)->t, push / rate, 1e-9);
  CHECK_EQ_INT(law_count(AP_EVENT_LIFTOFF), 0);
  CHECK_EQ_INT(law_count(AP_EVENT_IMPACT), 0);
}

// ---- scales ------------------------------------------------------------------------------------

// A mass between two stops a micrometre apart: elastic, it goes on for ever.
TEST(tight_play_keeps_its_energy) {
  static const double play[] = {1e-3, 1e-6, 1e-7};
  for (int k = 0; k < 3; k++) {
    ap_body_def b = law_slide(1);
    b.lower = 0, b.upper = play[k];
    ap_joint_stop stop = {.v = 0, .restitution = 1};
    ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, 0}), NULL, 0);
    scene.stop = &stop, scene.nstop = 1;
    test_context("play %g", play[k]);
    if (!law_run_scene(&scene, (double[]){play[k] / 2}, (double[]){1}, 100 * play[k], play[k]))
      return;
    CHECK_CLOSE(fabs(told.v[0]), 1, 1e-10);
    CHECK_CLOSE(told.end.lost, 0, 1e-12);
  }
}

// However close above its floor, or within `depth` inside, a point starts: it soon slides along it.
TEST(points_close_to_a_wall_cost_little) {
  static const double height[] = {1e-6, 1e-8, 1e-10, 1e-12, 0, -1e-13, -1e-10};
  for (int k = 0; k < 7; k++) {
    ap_wall floor = ap_default_wall();
    ap_scene scene = law_scene(law_point(1, 0, 0, -10), &floor, 1);
    test_context("height %g", height[k]);
    if (!law_run_scene(&scene, (double[]){0, 0, height[k]}, (double[]){1, 0, 0}, 0.6, 0.1)) return;
    CHECK_CLOSE(told.q[0], 0.6, 1e-9);
    CHECK_CLOSE(told.q[2], 0, 1e-12);
    CHECK(told.evaluations < 1000);
  }
}

// Bounces do not depend on what the clock shows, but for the rounding of time.
TEST(the_clock_does_not_matter) {
  for (int k = 0; k <= 8; k += 2) {
    double t = k ? pow(10, k) : 0;
    ap_wall floor = ap_default_wall();
    floor.restitution = 0.5;
    ap_scene scene = law_scene(law_point(1, 0, 0, -10), &floor, 1);
    ap_sim *sim = NULL;
    ap_sim_state s;
    test_context("from %g s", t);
    told = (law_run){0};
    if (!CHECK_OK(ap_sim_create(&scene, &sim, NULL))) return;
    ap_sim_on_event(sim, law_listen, &told);
    CHECK_OK(ap_sim_start(sim, t, (double[]){0, 0, 1}, (double[]){0, 0, 0}, NULL));
    CHECK_OK(ap_sim_advance(sim, t + 3, NULL));
    CHECK_OK(ap_sim_now(sim, &s, NULL));
    double rounding = 1e-9 + 64 * DBL_EPSILON * t;
    CHECK(law_count(AP_EVENT_IMPACT) >= 5);
    for (int i = 0; i < 4; i++)
      CHECK_CLOSE(law_event(AP_EVENT_IMPACT, i)->t - t, sqrt(0.2) * (3 - pow(2, 1 - i)), rounding);
    CHECK_CLOSE(s.lost, 10, 1e3 * rounding);
    CHECK_CLOSE(s.closing, 0, 1e3 * rounding);
    ap_sim_free(sim);
  }
}

// A robot whose inertia matrix is singular has no motion, with and without walls: a status.
TEST(a_massless_robot_is_refused) {
  ap_body_def b = law_slide(0);
  ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, 0}), NULL, 0);
  ap_sim *sim = NULL;
  ap_sim_state s;
  ap_error error = {0};
  CHECK_OK(ap_sim_create(&scene, &sim, &error));
  ap_status status = ap_sim_start(sim, 0, (double[]){0}, (double[]){0}, &error);
  if (!status) status = ap_sim_now(sim, &s, &error);
  CHECK_STATUS(status, AP_E_SINGULAR);
  CHECK_HAS(error.text, "moves no mass");
  ap_sim_free(sim);
}

// A pulse through fixed steps: the force at the beginning of a step does work on the mean velocity.
static ap_status burst(void *context, double t, const double *q, const double *v, double *tau) {
  (void)context, (void)q, (void)v;
  tau[0] += t >= 0.5 && t < 0.5005 ? 2000 : 0;
  return AP_OK;
}

TEST(work_of_pulses_in_fixed_steps) {
  static const double times[2] = {0.5, 0.5005};
  for (int k = 0; k < 2; k++) {
    ap_body_def b = law_slide(1);
    ap_scene scene = law_scene(law_model(&b, 1, (double[]){0, 0, 0}), NULL, 0);
    scene.force = burst, scene.force_time = times, scene.nforce_time = 2;
    scene.stepping = k ? AP_FIXED_EULER : AP_FIXED_RK4;
    test_context("%s", k ? "Euler" : "RK4");
    if (!law_run_scene(&scene, (double[]){0}, (double[]){0}, 1, 0.1)) return;
    CHECK_CLOSE(told.v[0], 1, 1e-9);
    CHECK_CLOSE(told.end.work, 0.5, 1e-9);
  }
}
