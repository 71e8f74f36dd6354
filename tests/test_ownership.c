// SPDX-License-Identifier: Apache-2.0
// A debug build stops where a work, a batch or a loop is used with a model that is not its own.

#include <appell/appell.h>
#include <appell/impact.h>
#include <appell/loop.h>
#include <appell/traj.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

enum { MEMORY = 1 << 17 };

// Two equal robots, with what works for the first.
typedef struct twins {
  ap_model *own, *other;
  ap_work *work;
  ap_batch *batch;
  ap_mechanism *closed, *other_closed;
  ap_loop *loop;
} twins;

static twins t;
static double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, v[6], out[36];

static void use_dynamics(const ap_model *m) { ap_gravity_forces(m, t.work, q, out); }
static void use_kinematics(const ap_model *m) { ap_kinematics(m, t.work, q, v, v); }
static void use_payload(const ap_model *m) { ap_set_payload(m, t.work, 6, 0, NULL, NULL); }

static void use_search(const ap_model *m) {
  ap_ik_options options = ap_default_ik();
  double p[3] = {0.2, 0.2, 0.2};
  options.position_only = true;
  ap_inverse_kinematics(m, t.work, 6, NULL, p, &options, q, NULL);
}

static void use_line(const ap_model *m) {
  ap_line_def line = {.frame = 6, .speed = 1, .acceleration = 1, .guess = q};
  ap_traj *way = NULL;
  ap_kinematics(t.own, t.work, q, NULL, NULL);
  ap_frame_pose(t.own, t.work, 6, line.R, line.from);
  memcpy(line.to, line.from, sizeof line.to);
  line.to[2] += 0.01;
  ap_traj_line(m, t.work, &line, &way, NULL);
  ap_traj_free(way);
}

static void use_impact(const ap_model *m) {
  double speed[6] = {0, 1, 0, 0, 0, 0};
  ap_touch touch = {.body = 6, .normal = {0, 0, 1}};
  void *scratch = malloc(ap_impact_scratch(t.own, 1));
  ap_impact(m, t.work, q, speed, 1, &touch, scratch, NULL);
  free(scratch);
}

static void use_batch(const ap_model *m) {
  ap_batch_gravity_forces(m, t.batch, ap_all_states(1, AP_ROWS), q, out);
}

static void use_rollout(const ap_model *m) {
  ap_rollout r = ap_default_rollout();
  ap_batch_rollout(m, t.batch, ap_all_states(1, AP_ROWS), &r, q, v, NULL);
}

static void use_loop(const ap_model *m) {
  double rates[8] = {0}, place[2] = {0, 0.42};
  const ap_mechanism *closed = m == t.own ? t.closed : t.other_closed;
  ap_loop_begin(closed, t.loop, NULL, place);
  ap_loop_rates(closed, t.loop, ap_loop_configuration(t.loop), rates, rates + 4);
}

// How a program ends that does this with that model: the signal, 0 for none.
static int end_of(void (*use)(const ap_model *m), const ap_model *m) {
  int status = -1;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (m != t.own && !freopen("/dev/null", "w", stderr)) _exit(1);
    signal(SIGABRT, SIG_DFL);
    use(m);
    _exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? -1 : 0;
}

static bool start(void) {
  static unsigned char memory[6][MEMORY];
  const ap_mechanism_def *closed = ap_mechanism_builtin("five-bar");
  t.own = ap_model_init(ap_builtin("puma600"), memory[0], MEMORY, NULL);
  t.other = ap_model_init(ap_builtin("puma600"), memory[1], MEMORY, NULL);
  t.closed = ap_mechanism_init(closed, memory[2], MEMORY, NULL);
  t.other_closed = ap_mechanism_init(closed, memory[3], MEMORY, NULL);
  if (!CHECK(t.own && t.other && t.closed && t.other_closed)) return false;
  t.work = ap_work_init(t.own, memory[4], MEMORY);
  t.loop = ap_loop_init(t.closed, memory[5], MEMORY);
  t.batch = ap_batch_init(t.own, malloc(ap_batch_size(t.own)), ap_batch_size(t.own));
  return CHECK(t.work && t.loop && t.batch);
}

TEST(each_work_belongs_to_one_model) {
  static void (*const uses[])(const ap_model *) = {use_dynamics, use_kinematics, use_payload,
                                                   use_search,   use_line,       use_impact,
                                                   use_batch,    use_rollout,    use_loop};
  if (!start()) return;
  for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
    test_context("use %zu", k);
    CHECK_EQ_INT(end_of(uses[k], t.own), 0);
#ifndef NDEBUG
    CHECK_EQ_INT(end_of(uses[k], t.other), SIGABRT);
#endif
  }
#ifdef NDEBUG
  test_skip("a release build does not look whose work it is (-DCMAKE_BUILD_TYPE=Debug)");
#endif
}
