// SPDX-License-Identifier: Apache-2.0
// The simulator against brute force: thousands of thin, fast, spinning and grazing scenes whose
// motion is known in closed form, judged by the samples of brute_force.h. No touch is missed, none
// is invented; time, place, velocities before and after an impact are those of the law; the ledger
// of energies closes; and how often a run is asked for its state changes nothing.
//
// A flight is judged from the state that the simulator tells after the event before it, so that an
// error does not grow from bounce to bounce, and every event is a test of its own.
//
// The variable APPELL_SCENES says how many scenes of each family are run ("20000"), or which
// ("17-17").

#include <appell/sim.h>

#include "brute_force_scenes.h"

enum { TOLD = 64, JUDGED = 5 };

// Of the size of the scene. A start and constant velocities are exact in the integration of points,
// fans and rotors, and parabolas are, to rounding; what is left is where an event is put, to the
// tolerance of the run, 1e-10. Free bodies and pendulums err by about that in every step; a turn
// takes some ten steps.
#define PLACE 1e-10
// Paths that come so close to a wall, or go so deep, may be told either way: twenty times what the
// simulator promises to find, 1e-9, as its own measure of the scene is not ours.
#define BAND 2e-8
// Below that a touch has no impulse: a tenth of what the simulator says, its measure not being
// ours.
#define GRAZE 1e-11
// Velocities, of the fastest; the ledger, of the largest energy.
#define VELOCITY 1e-8
#define LEDGER   1e-9

typedef struct told_event {
  ap_event event;
  double q[7], v[6], lost;
} told_event;

typedef struct run_record {
  ap_sim *sim;
  int n, nq, nv;
  told_event told[TOLD];
  double energy;      // largest
  double start;       // at the start
  ap_sim_state state; // at the end
  double q[7], v[6];
} run_record;

// ---- runs --------------------------------------------------------------------------------------

static void look(run_record *run, ap_sim_state *s) {
  if (!CHECK_OK(ap_sim_now(run->sim, s, NULL))) return;
  run->energy = fmax(run->energy, fmax(s->kinetic, fabs(s->potential)));
}

static void listen(void *context, const ap_event *event) {
  run_record *run = context;
  ap_sim_state s = {0};
  if (run->n == TOLD) return;
  told_event *t = &run->told[run->n++];
  t->event = *event;
  look(run, &s);
  memcpy(t->q, s.q, (size_t)run->nq * sizeof *t->q);
  memcpy(t->v, s.v, (size_t)run->nv * sizeof *t->v);
  t->lost = s.lost;
}

// Run a scene, asked for its state every `step`. False where it failed.
static bool simulate(const brute_scene *s, double step, run_record *run) {
  ap_scene scene = ap_default_scene();
  ap_error error = {0};
  scene.model = s->robot.m;
  scene.wall = s->wall, scene.nwall = s->nwall;
  scene.point = &s->point, scene.npoint = 1;
  *run = (run_record){.nq = ap_nq(s->robot.m), .nv = ap_nv(s->robot.m)};
  ap_status status = ap_sim_create(&scene, &run->sim, &error);
  ap_sim_state now = {0};
  if (!status) {
    ap_sim_on_event(run->sim, listen, run);
    status = ap_sim_start(run->sim, 0, s->q, s->v, &error);
  }
  if (!status) look(run, &now);
  run->start = now.kinetic + now.potential;
  for (long k = 1; !status && now.t < s->duration; k++) {
    status = ap_sim_advance(run->sim, fmin((double)k * step, s->duration), &error);
    if (!status) look(run, &now);
  }
  if (!CHECK_OK(status)) printf("  %s\n", error.text);
  run->state = now;
  if (!status) memcpy(run->q, now.q, (size_t)run->nq * sizeof *run->q);
  if (!status) memcpy(run->v, now.v, (size_t)run->nv * sizeof *run->v);
  ap_sim_free(run->sim);
  return status == AP_OK;
}

// ---- one event ---------------------------------------------------------------------------------

// More about a check that has failed, where that is printed.
#define EXPLAIN(...) (test_now.failed <= TEST_PRINTED ? printf("  " __VA_ARGS__) : 0)

typedef struct verdict {
  brute_scene *s;
  const run_record *run;
  ld since; // time of the state that the flight starts from
  brute_forecast f;
  ld place, band; // m
} verdict;

static void begin_flight(verdict *j, double t, const double *q, const double *v, int leaving) {
  brute_scene *s = j->s;
  j->since = t;
  brute_launch(&s->motion, q, v, s->duration - j->since);
  ld turns = s->motion.kind == BRUTE_FREE ? s->motion.turn * s->duration : 0;
  j->place = PLACE * s->scale;
  if (s->motion.kind == BRUTE_FREE) j->place *= 10 + 20 * turns;
  if (s->motion.kind == BRUTE_CHAIN) j->place *= 100;
  j->band = fmaxl(BAND * s->scale, 5 * j->place);
  j->f = brute_foresee(&s->motion, s->nwall, s->judge, leaving, j->band, s->duration - j->since);
}

// How much the normal turns within rounding of where the point is: a foil's edge is sharp.
static ld normal_doubt(const brute_wall *w, const ld *p, ld size) {
  ld n[3], other[3], most = 0;
  brute_normal(w, p, n);
  for (int k = 0; k < 3; k++) {
    ld at[3] = {p[0], p[1], p[2]};
    at[k] += size;
    brute_normal(w, at, other);
    for (int i = 0; i < 3; i++) most = fmaxl(most, fabsl(other[i] - n[i]));
  }
  return most;
}

// Velocities as the judge has them: those of a free body along the world's axes.
static void world_velocities(const brute_motion *m, const double *q, const double *v, ld *out) {
  for (int k = 0; k < 6; k++) out[k] = v[k];
  if (m->kind != BRUTE_FREE) return;
  double R[9];
  rotation_of_quaternion(q + 3, R);
  for (int k = 0; k < 3; k++) {
    out[k] = (ld)R[3 * k] * v[0] + (ld)R[3 * k + 1] * v[1] + (ld)R[3 * k + 2] * v[2];
    out[3 + k] = (ld)R[3 * k] * v[3] + (ld)R[3 * k + 1] * v[4] + (ld)R[3 * k + 2] * v[5];
  }
}

// The law: without friction the impulse along the normal that makes u of it -e u; a point mass with
// friction loses tangential velocity, too, as much as the cone allows, all of it times 1 + e.
static void velocities_after(const brute_motion *m, const brute_wall *w, ld t, const ld *n, ld *v) {
  ld p[3], pd[3], change[6], along[3], slip = 0;
  brute_at(m, t, p, pd);
  ld W = brute_response(m, t, n, v, change), u = dot3(pd, n);
  int nv = m->kind == BRUTE_CHAIN ? m->n : (int[]){3, 1, 2, 6}[m->kind];
  for (int k = 0; k < nv; k++) v[k] -= (1 + w->restitution) * u / W * change[k];
  if (m->kind != BRUTE_POINT || w->friction <= 0) return;
  for (int k = 0; k < 3; k++) along[k] = pd[k] - u * n[k];
  slip = norm3(along);
  ld part = slip > 0 ? fminl(w->friction * fabsl(u) / slip, 1) : 0;
  for (int k = 0; k < 3; k++) v[k] -= (1 + w->restitution) * part * along[k];
}

static void check_law(const verdict *j, const told_event *t) {
  const brute_motion *m = &j->s->motion;
  const brute_wall *w = &j->s->judge[t->event.wall];
  ld at[3], p[3], pd[3], n[3], want[6] = {0}, got[6], dt = t->event.t - j->since, fastest = 0;
  for (int k = 0; k < 3; k++) at[k] = t->event.position[k];
  brute_at(m, dt, p, pd);
  brute_normal(w, at, n);
  ld doubt = normal_doubt(w, at, 4e-16L * j->s->scale + 1e-17L);
  for (int k = 0; k < 3; k++) {
    CHECK_CLOSE((double)(at[k] - p[k]), 0, (double)j->place);
    CHECK_CLOSE(t->event.normal[k], (double)n[k], 1e-9 + 4 * (double)doubt);
    CHECK_CLOSE(t->event.before[k], (double)pd[k], VELOCITY * (double)m->speed);
  }
  // The normal of an exact path at most `place` away turns by that much more.
  doubt += normal_doubt(w, at, j->place);
  velocities_after(m, w, dt, n, want);
  world_velocities(m, t->q, t->v, got);
  for (int k = 0; k < j->run->nv; k++)
    fastest = fmaxl(fastest, fmaxl(fabsl(want[k]), fabsl(m->v[k])));
  for (int k = 0; k < j->run->nv; k++)
    CHECK_CLOSE((double)got[k], (double)want[k], (double)(fastest * (10 * VELOCITY + 8 * doubt)));
  double in = 0, out = 0;
  for (int k = 0; k < 3; k++)
    in += t->event.before[k] * t->event.normal[k], out += t->event.after[k] * t->event.normal[k];
  CHECK_CLOSE(out, -(double)w->restitution * in, VELOCITY * (double)m->speed);
}

// ---- a run -------------------------------------------------------------------------------------

// The time of a clear hit, to the place over the normal velocity there and the last digits of t.
static ld time_bound(const verdict *j) {
  ld p[3], pd[3], n[3];
  brute_at(&j->s->motion, j->f.t, p, pd);
  brute_normal(&j->s->judge[j->f.wall], p, n);
  return j->place / fabsl(dot3(pd, n)) + 1e-15L * j->s->duration;
}

// An event in a flight: where and when one may be. False: there is nothing more to be judged.
static bool check_touch(const verdict *j, const told_event *t) {
  const ap_event *e = &t->event;
  ld dt = e->t - j->since, p[3], pd[3];
  if (!CHECK(e->point == 0 && e->joint < 0 && e->wall >= 0 && e->wall < j->s->nwall)) return false;
  brute_at(&j->s->motion, dt, p, pd);
  ld c = brute_gap(&j->s->judge[e->wall], p, NULL);
  bool hit = j->f.wall == e->wall && fabsl(dt - j->f.t) <= time_bound(j);
  if (hit) return CHECK(e->kind != AP_EVENT_GRAZE);
  // else one that may be told either way
  ld nearest = INFINITY, depth = 0;
  for (int k = 0; k < j->f.n; k++) {
    const brute_maybe *maybe = &j->f.maybe[k];
    if (maybe->wall != e->wall || fabsl(maybe->t - dt) >= nearest) continue;
    nearest = fabsl(maybe->t - dt), depth = -maybe->c;
  }
  bool late = j->f.wall >= 0 && dt > j->f.t;
  if (!CHECK(nearest < INFINITY && fabsl(c) <= j->band && !late)) {
    EXPLAIN("%s with wall %d told at %.15g, gap %.3Lg; judge: wall %d at %.15Lg, %d near touches\n",
            ap_event_name(e->kind), e->wall, e->t, c, j->f.wall, j->since + j->f.t, j->f.n);
    return false;
  }
  bool exact = j->s->motion.kind <= BRUTE_ROTOR;
  if (e->kind == AP_EVENT_IMPACT && exact && !CHECK(depth > GRAZE * j->s->scale))
    EXPLAIN("impact with wall %d at %.15g, where the path is %.3Lg m deep\n", e->wall, e->t, depth);
  return true;
}

static void check_graze(const verdict *j, const told_event *t) {
  static const double none[3] = {0, 0, 0};
  CHECK_BITS(t->event.impulse, none, 3);
  CHECK_WITHIN(t->event.after, t->event.before, 3, 1e-15 * (double)j->s->motion.speed);
}

// What is left when all events are told: no hit, and the end of the flight.
static void check_end(const verdict *j) {
  const brute_motion *m = &j->s->motion;
  ld p[3], pd[3], left = j->s->duration - j->since;
  bool missed = j->f.wall >= 0 && j->f.t < left - time_bound(j);
  if (!CHECK(!missed))
    EXPLAIN("no event; judge: wall %d at %.15Lg\n", j->f.wall, j->since + j->f.t);
  if (missed || m->kind >= BRUTE_FREE) return;
  brute_at(m, left, p, pd);
  for (int k = 0; k < 3 && m->kind == BRUTE_POINT; k++)
    CHECK_CLOSE(j->run->q[k], (double)p[k], (double)j->place);
  for (int k = 0; k < 2 && k < j->run->nv && m->kind != BRUTE_POINT; k++)
    CHECK_CLOSE(j->run->q[k], (double)(m->q[k] + m->v[k] * left), 1e-9);
}

static void check_energy(const brute_scene *s, const run_record *run) {
  double most = run->energy, sum = 0;
  bool touched = false;
  for (int k = 0; k < run->n; k++) {
    const ap_event *e = &run->told[k].event;
    if (k == 0 || e->number != run->told[k - 1].event.number) sum += e->lost;
    if (e->kind != AP_EVENT_GRAZE) touched = true;
  }
  CHECK_CLOSE(run->state.closing, 0, LEDGER * most);
  if (run->n < TOLD) CHECK_CLOSE(run->state.lost, sum, LEDGER * most);
  if (touched) return;
  CHECK(run->state.lost == 0 && run->state.dissipated == 0);
  CHECK_CLOSE(run->state.kinetic + run->state.potential, run->start, LEDGER * most);
  (void)s;
}

// The events of a run, one flight after the other. Returns how many were judged; *unsure where the
// judge gave up.
static int judge(brute_scene *s, const run_record *run, bool *unsure) {
  verdict j = {.s = s, .run = run};
  begin_flight(&j, 0, s->q, s->v, -1);
  for (int k = 0; k < run->n; k++) {
    const told_event *t = &run->told[k];
    if ((*unsure = j.f.unsure) || k == JUDGED) return k;
    if (t->event.kind > AP_EVENT_CONTACT || !check_touch(&j, t)) return k;
    if (t->event.kind == AP_EVENT_GRAZE) {
      check_graze(&j, t);
      continue;
    }
    check_law(&j, t);
    // Without a rebound the point may stay.
    if (t->event.kind == AP_EVENT_CONTACT || s->judge[t->event.wall].restitution == 0) return k + 1;
    begin_flight(&j, t->event.t, t->q, t->v, t->event.wall);
  }
  *unsure = j.f.unsure;
  if (!j.f.unsure) check_end(&j);
  return run->n;
}

// ---- families ----------------------------------------------------------------------------------

typedef struct family_count {
  long scenes, events, unsure, hits, failed;
} family_count;

static brute_scene scene_now; // large
static run_record run_now;

static void range(unsigned long scenes, unsigned long *from, unsigned long *to) {
  const char *chosen = getenv("APPELL_SCENES");
  char *rest = NULL;
  *from = 1, *to = scenes;
  if (chosen) *to = strtoul(chosen, &rest, 10);
  if (rest && *rest == '-') *from = *to, *to = strtoul(rest + 1, NULL, 10);
}

static void run_family(brute_kind kind, brute_lay lay, unsigned long scenes, family_count *count) {
  unsigned long from, to;
  range(scenes, &from, &to);
  for (unsigned long seed = from; seed <= to; seed++) {
    brute_scene *s = &scene_now;
    long failed = test_now.failed;
    test_context("seed %lu, robot %d, walls %d", seed, kind, lay);
    if (make_scene(s, seed, kind, lay) && simulate(s, s->duration, &run_now)) {
      bool unsure = false;
      int n = judge(s, &run_now, &unsure);
      check_energy(s, &run_now);
      count->scenes++;
      count->events += n;
      count->hits += n > 0;
      count->unsure += unsure;
    }
    count->failed += test_now.failed > failed;
    robot_free(&s->robot);
  }
}

// Most scenes have an event, and the judge gives up on few: else it would judge nothing.
static void check_counts(const family_count *count) {
  test_context("%ld scenes, %ld wrong; %ld events, %ld scenes with one, %ld unsure", count->scenes,
               count->failed, count->events, count->hits, count->unsure);
  if (getenv("APPELL_SCENES") || count->failed) printf("%s\n", test_now.context);
  CHECK(count->unsure <= 1 + count->scenes / 50);
  if (!getenv("APPELL_SCENES")) CHECK(2 * count->hits >= count->scenes);
}

static void run_lay(brute_lay lay, const int scenes[5]) {
  family_count count = {0};
  for (int kind = BRUTE_POINT; kind <= BRUTE_CHAIN; kind++)
    if (scenes[kind])
      run_family((brute_kind)kind, lay, (unsigned long)(scenes[kind] * test_effort() / 3), &count);
  check_counts(&count);
}

// points, fans, rotors, free bodies, pendulums
TEST(thin_walls_are_hit) { run_lay(LAY_THIN, (int[]){800, 300, 200, 100, 40}); }
TEST(solid_walls_are_hit) { run_lay(LAY_ACROSS, (int[]){300, 200, 200, 100, 60}); }
TEST(profiles_are_hit) { run_lay(LAY_GROUND, (int[]){300, 100, 100, 50, 40}); }
TEST(walls_with_edges_are_hit) { run_lay(LAY_EDGES, (int[]){1000, 500, 300, 160, 40}); }
TEST(rooms_hold) { run_lay(LAY_ROOM, (int[]){200, 60, 60, 30, 10}); }
TEST(stairs_and_fields_are_hit) { run_lay(LAY_FIELD, (int[]){200, 60, 40, 20, 10}); }
TEST(cavities_hold) { run_lay(LAY_AROUND, (int[]){400, 100, 100, 50, 20}); }

// Tangential within 1e-6 m: what is deeper than the band is an impact, what is not as deep as the
// promise is none, and takes nothing.
TEST(grazing_is_told_by_its_depth) {
  family_count count = {0};
  static const int scenes[] = {600, 300, 200, 50, 40};
  for (int kind = BRUTE_POINT; kind <= BRUTE_CHAIN; kind++)
    run_family((brute_kind)kind, LAY_GRAZE, (unsigned long)scenes[kind], &count);
  check_counts(&count);
}

// ---- output steps ------------------------------------------------------------------------------

static bool same_events(const run_record *a, const run_record *b) {
  if (!CHECK_EQ_INT(b->n, a->n)) return false;
  for (int k = 0; k < a->n; k++) {
    const ap_event *x = &a->told[k].event, *y = &b->told[k].event;
    if (!CHECK_EQ_INT(y->kind, x->kind) || !CHECK_EQ_INT(y->wall, x->wall)) return false;
    if (!CHECK_BITS(&y->t, &x->t, 1) || !CHECK_BITS(y->impulse, x->impulse, 3)) return false;
  }
  return CHECK_BITS(b->q, a->q, a->nq) && CHECK_BITS(b->v, a->v, a->nv);
}

// The steps of a run follow from its tolerance and its events, not from who looks on.
TEST(output_steps_change_nothing) {
  static run_record first;
  unsigned long from, to;
  range(8, &from, &to);
  for (int kind = BRUTE_POINT; kind <= BRUTE_CHAIN; kind++)
    for (int lay = LAY_THIN; lay <= LAY_GROUND; lay++)
      for (unsigned long seed = from; seed <= to; seed++) {
        brute_scene *s = &scene_now;
        test_context("seed %lu, robot %d, walls %d", seed, kind, lay);
        bool same = make_scene(s, seed, (brute_kind)kind, (brute_lay)lay) &&
                    simulate(s, s->duration, &first);
        static const double part[] = {1e-3, 1e-2, 0.037, 0.3};
        for (int k = 0; k < 4 && same; k++)
          same = simulate(s, part[k] * s->duration, &run_now) && same_events(&first, &run_now);
        robot_free(&s->robot);
      }
}

// ---- the judge itself --------------------------------------------------------------------------

// Gradients are those of differences, and of length 1 where the surface is (but for profiles); no
// point is closer to a surface than what is called clear: the path straight to a root is not
// shorter.
TEST(the_judge_knows_walls) {
  rng r = rng_seed(1);
  for (int turn = 0; turn < 2000; turn++) {
    brute_scene *s = &scene_now;
    memset(s->wall, 0, sizeof s->wall);
    brute_lay lay = (brute_lay)(turn % 2 ? LAY_ACROSS : LAY_GROUND);
    s->motion.kind = BRUTE_POINT, s->duration = 1;
    random_direction(&r, 3, s->v);
    brute_launch(&s->motion, s->q, s->v, 1);
    make_wall(&r, s, 0, lay);
    brute_wall w = brute_wall_of(&s->wall[0]);
    test_context("turn %d, kind %d", turn, w.kind);
    double from[3], way[3];
    random_vector(&r, 2, from);
    random_direction(&r, 3, way);
    ld p[3] = {from[0], from[1], from[2]}, at[3], g[3], h = 1e-5L, slope = 0;
    brute_gap(&w, p, g);
    for (int k = 0; k < 3; k++) at[k] = p[k] + h * way[k];
    slope = brute_gap(&w, at, NULL);
    for (int k = 0; k < 3; k++) at[k] = p[k] - h * way[k];
    slope = (slope - brute_gap(&w, at, NULL)) / (2 * h);
    ld along = g[0] * way[0] + g[1] * way[1] + g[2] * way[2];
    // differences err by h^2 times third derivatives, some thousand for the smallest sizes
    CHECK_CLOSE((double)slope, (double)along, 1e-6 * (1 + (double)norm3(g)));
    ld clear = brute_clear(&w, p), c = brute_gap(&w, p, NULL);
    for (int k = 0; k < 100; k++) {
      for (int i = 0; i < 3; i++) at[i] = p[i] + 0.01L * k * clear * way[i];
      CHECK(brute_gap(&w, at, NULL) * c >= 0);
    }
  }
}

static double foreseen(brute_scene *s, brute_forecast *f) {
  for (int k = 0; k < s->nwall; k++) s->judge[k] = brute_wall_of(&s->wall[k]);
  brute_launch(&s->motion, s->q, s->v, s->duration);
  *f = brute_foresee(&s->motion, s->nwall, s->judge, -1, BAND, s->duration);
  CHECK(!f->unsure);
  return (double)f->t;
}

// Foils of all thicknesses at 30 m/s, a torus at 200 m/s, a fan at a plane, and by how much a
// straight path misses or enters a sphere.
TEST(the_judge_finds_what_is_known) {
  brute_scene *s = &scene_now;
  brute_forecast f;
  memset(s, 0, sizeof *s);
  s->nwall = 1, s->wall[0] = ap_default_wall();
  s->motion.mass = 1, s->duration = 0.06;
  s->q[0] = 4, s->v[0] = 30;
  s->wall[0].kind = AP_WALL_ELLIPSOID, s->wall[0].centre[0] = 5;
  for (double thick = 1e-6; thick < 0.5; thick *= 3) {
    s->wall[0].size[0] = thick, s->wall[0].size[1] = s->wall[0].size[2] = 1;
    CHECK_CLOSE(foreseen(s, &f), (1 - thick) / 30, 1e-17);
    CHECK_EQ_INT(f.wall, 0);
  }
  s->wall[0] = ap_default_wall();
  s->wall[0].kind = AP_WALL_TORUS, s->wall[0].size[0] = 1, s->wall[0].size[1] = 0.2;
  s->q[0] = -3.74, s->q[1] = 0.03, s->q[2] = -0.08, s->v[0] = 200;
  double rho = 1 + sqrt(0.04 - 0.0064), x = -sqrt(rho * rho - 0.0009);
  CHECK_CLOSE(foreseen(s, &f), (x + 3.74) / 200, 1e-17);
  s->wall[0].kind = AP_WALL_SPHERE, s->v[0] = 1, s->q[1] = 0, s->duration = 6;
  for (int k = 0; k < 14; k++) {
    double deep = (k % 2 ? -1 : 1) * pow(10, k / 2 - 12);
    s->q[2] = 1 - deep;
    ld depth = (1 - (ld)s->q[2] * s->q[2]) / 2, in = sqrtl(fmaxl(0, 2 * depth));
    foreseen(s, &f);
    CHECK_EQ_INT(f.wall, depth > BAND ? 0 : -1);
    CHECK_EQ_INT(f.n, fabsl(depth) < BAND);
    if (f.n) CHECK_CLOSE((double)f.maybe[0].c, (double)-depth, 1e-18);
    if (f.wall == 0) CHECK_CLOSE((double)f.t, (double)(3.74L - in), 1e-15);
  }
  s->motion.kind = BRUTE_FAN, s->motion.axis[2] = 1, s->motion.at[0] = 1;
  s->wall[0] = ap_default_wall();
  s->wall[0].centre[0] = 0.9, s->wall[0].axis[0] = -1, s->wall[0].axis[2] = 0;
  s->q[0] = 0.5, s->v[0] = 5, s->duration = 3;
  CHECK_CLOSE(foreseen(s, &f), (2 * PI - acos(0.9) - 0.5) / 5, 1e-14);
}

// A pendulum at half the step is the same to 1e-10 m, and keeps its energy; a rod of one link
// swings through the bottom with the speed of its height.
TEST(the_judge_swings_pendulums) {
  for (unsigned long seed = 1; seed <= 20; seed++) {
    brute_scene *s = &scene_now;
    test_context("seed %lu", seed);
    if (!make_scene(s, seed, BRUTE_CHAIN, LAY_ACROSS)) continue;
    robot_free(&s->robot);
    brute_motion *m = &s->motion;
    ld y[2 * BRUTE_LINKS], end[2 * BRUTE_LINKS];
    memcpy(y, m->state[0], sizeof y);
    for (int k = 0; k < 6000; k++) brute_rk4(m, y, BRUTE_STEP / 2, y);
    brute_chain_state(m, 0.3L, end);
    for (int k = 0; k < 2 * m->n; k++) CHECK_CLOSE((double)end[k], (double)y[k], 1e-10);
    ld energy[2];
    for (int k = 0; k < 2; k++) {
      const ld *at = k ? end : m->state[0];
      energy[k] = 0;
      for (int i = 0; i < m->n; i++) {
        for (int j = 0; j < m->n; j++)
          energy[k] += brute_lever(m, i, j) * cosl(at[i] - at[j]) * at[m->n + i] * at[m->n + j] / 2;
        for (int j = i; j < m->n; j++)
          energy[k] -= 9.81 * m->rod[j] * (j == i ? m->com[i] : m->length[i]) * cosl(at[i]);
      }
    }
    CHECK_CLOSE((double)energy[1], (double)energy[0], 1e-10);
  }
}
