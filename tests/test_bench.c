// SPDX-License-Identifier: Apache-2.0
// Speeds and comparisons as records: rows are complete, and a way that computes something else is
// found out before it is timed.

#include <appell/bench.h>
#include <appell/compare.h>
#include <appell/dyn.h>
#include <appell/file.h>

#include "test.h"

// A tree with two degrees of freedom, and a work for the peers below.
typedef struct rig {
  ap_robot *robot;
  ap_model *m;
  void *memory;
  ap_work *w;
} rig;

static rig open_rig(const char *name) {
  rig r = {0};
  CHECK_OK(ap_robot_builtin(name, NULL, &r.robot, NULL));
  CHECK_OK(ap_robot_model(r.robot, &r.m, NULL));
  r.memory = malloc(ap_work_size(r.m));
  r.w = ap_work_init(r.m, r.memory, ap_work_size(r.m));
  return r;
}

static void close_rig(rig *r) {
  free(r->memory);
  ap_model_free(r->m);
  ap_robot_free(r->robot);
}

// ---- speeds ------------------------------------------------------------------------------------

static void run_right(void *own, ap_quantity what, const double *q, const double *v,
                      const double *x, double *out) {
  const rig *r = own;
  double tau[2];
  (void)what;
  ap_inverse_dynamics(r->m, r->w, q, v, x, out ? out : tau);
}

static void run_wrong(void *own, ap_quantity what, const double *q, const double *v,
                      const double *x, double *out) {
  run_right(own, what, q, v, x, out);
  if (out) out[1] *= 1 + 1e-9;
}

static ap_bench_options quick(void) {
  ap_bench_options o = ap_default_bench();
  o.seconds = 1e-4;
  o.no_generated = true;
  return o;
}

TEST(every_way_has_a_row) {
  rig r = open_rig("ascher2");
  ap_bench_options o = quick();
  ap_bench b;
  if (CHECK_OK(ap_bench_run(r.m, &o, &b, NULL))) {
    CHECK_EQ_INT(b.rows, 20); // five quantities, two ways, two arithmetics
    for (int k = 0; k < AP_BENCH_QUANTITIES; k++) {
      for (int i = 0; i < 4; i++) {
        const ap_bench_row *row = ap_bench_find(&b, ap_bench_quantity(k),
                                                i % 2 ? "general" : "batch", i / 2 ? "f64" : "f32");
        if (!CHECK(row)) continue;
        CHECK(0 < row->p10 && row->p10 <= row->ns && row->ns <= row->p90);
        CHECK(i % 2 ? row->loop > 0 : row->loop == 0);
      }
      CHECK(b.operations[k] == 0);
    }
    CHECK(!ap_bench_find(&b, AP_INVERSE, "generated", "f64"));
    ap_bench_free(&b);
  }
  close_rig(&r);
}

TEST(code_of_too_many_operations_is_not_compiled) {
  rig r = open_rig("ascher2");
  ap_bench_options o = quick();
  ap_bench b;
  o.no_generated = false;
  o.most_operations = 10;
  if (CHECK_OK(ap_bench_run(r.m, &o, &b, NULL))) {
    CHECK(b.too_many);
    CHECK(b.operations[0] > 10);
    CHECK_EQ_INT(b.rows, 20);
    ap_bench_free(&b);
  }
  close_rig(&r);
}

TEST(a_peer_is_measured_where_its_values_are_ours) {
  rig r = open_rig("ascher2");
  const ap_peer peer[] = {
      {.name = "same", .computes = 1u << AP_INVERSE, .own = &r, .run = run_right},
      {.name = "absent", .computes = 1u << AP_INVERSE, .run = run_wrong}};
  ap_bench_options o = quick();
  ap_bench b;
  o.peer = peer, o.peers = 2;
  if (CHECK_OK(ap_bench_run(r.m, &o, &b, NULL))) {
    CHECK_EQ_INT(b.rows, 21);
    CHECK(ap_bench_find(&b, AP_INVERSE, "same", "f64"));
    CHECK(!ap_bench_find(&b, AP_FORWARD, "same", "f64"));
    ap_bench_free(&b);
  }
  close_rig(&r);
}

TEST(a_peer_with_other_values_is_an_error) {
  rig r = open_rig("ascher2");
  const ap_peer peer = {.name = "odd", .computes = 1u << AP_INVERSE, .own = &r, .run = run_wrong};
  ap_bench_options o = quick();
  ap_bench b;
  ap_error e = {0};
  o.peer = &peer, o.peers = 1;
  CHECK(ap_bench_run(r.m, &o, &b, &e) == AP_E_NO_CONVERGENCE);
  CHECK(strstr(e.text, "inverse by odd in f64 differs"));
  CHECK(!b.row);
  close_rig(&r);
}

TEST(a_chain_has_as_many_joints_as_asked_for) {
  for (int n = 1; n < 30; n += 7) {
    ap_model *m = ap_bench_chain(n);
    if (CHECK(m)) CHECK_EQ_INT(ap_nv(m), n);
    ap_model_free(m);
  }
}

// ---- comparisons -------------------------------------------------------------------------------

static ap_compare_options few(int states) {
  ap_compare_options o = ap_default_compare();
  o.states = states;
  return o;
}

static int steps;

static void count_steps(void *context, double done, const char *step) {
  double *last = context;
  CHECK(*last <= done && done <= 1);
  CHECK(step[0]);
  *last = done;
  steps++;
}

TEST(a_comparison_has_every_method_and_the_counts_of_the_code) {
  rig r = open_rig("puma600");
  double last = 0, in[18], out[36];
  ap_compare_options o = few(2);
  ap_comparison c;
  o.progress = count_steps, o.context = &last;
  const size_t size = ap_study_size(r.m, AP_COUNT);
  void *memory = malloc(size);
  ap_study *s = ap_study_init(r.m, AP_COUNT, memory, size);
  for (int k = 0; k < 18; k++) in[k] = 0.1 * (k + 1);
  if (CHECK_OK(ap_compare(r.m, &o, &c, NULL))) {
    int methods = 0, trials = 0;
    for (int i = 0; ap_method_at(i); i++)
      for (int k = 0; k < o.quantities; k++) methods += ap_method_at(i)->what == o.what[k];
    CHECK_EQ_INT(c.trials, methods);
    CHECK_EQ_INT(c.states, 2);
    for (int k = 0; k < c.trials; k++) {
      ap_count count;
      if (!ap_trial_was_run(&c.trial[k], NULL, 0)) continue;
      trials++;
      CHECK_OK(ap_study_eval(s, c.trial[k].method, in, out, &count));
      CHECK(count.mul == c.trial[k].count.mul && count.add == c.trial[k].count.add);
      CHECK(c.trial[k].ns > 0 && c.trial[k].error > 0 && c.trial[k].error < 1e-2);
    }
    CHECK(trials > 10 && steps >= methods);
    ap_comparison_free(&c);
  }
  free(memory);
  close_rig(&r);
}

TEST(errors_of_a_comparison_hang_on_the_seed_alone) {
  rig r = open_rig("ascher2");
  const ap_quantity what = AP_FORWARD;
  double error[3];
  for (int run = 0; run < 3; run++) {
    ap_compare_options o = few(20);
    ap_comparison c;
    o.what = &what, o.quantities = 1;
    o.seed = run < 2 ? 1 : 2;
    if (!CHECK_OK(ap_compare(r.m, &o, &c, NULL))) break;
    error[run] = c.trial[0].error;
    ap_comparison_free(&c);
  }
  CHECK(error[0] == error[1] && error[0] != error[2]);
  close_rig(&r);
}

TEST(methods_that_do_not_cover_a_model_say_why) {
  rig r = open_rig("quadruped");
  ap_compare_options o = few(1);
  ap_comparison c;
  int absent = 0;
  if (CHECK_OK(ap_compare(r.m, &o, &c, NULL))) {
    for (int k = 0; k < c.trials; k++) {
      char why[128] = "";
      if (ap_trial_was_run(&c.trial[k], why, sizeof why)) continue;
      absent++;
      CHECK(why[0]);
    }
    CHECK(absent > 0);
    ap_comparison_free(&c);
  }
  close_rig(&r);
}

TEST(a_model_without_motion_is_refused) {
  ap_robot_def def = ap_default_robot();
  ap_body_def body = ap_default_body();
  ap_robot *robot = NULL;
  ap_model *m = NULL;
  ap_comparison c;
  ap_bench b;
  ap_error e = {0};
  body.name = "block", body.joint = AP_FIXED, body.mass = 1;
  def.name = "block", def.bodies = &body, def.nbody = 1;
  CHECK_OK(ap_robot_from_definition(&def, &robot, &e));
  CHECK_OK(ap_robot_model(robot, &m, &e));
  CHECK(ap_compare(m, NULL, &c, &e) == AP_E_MODEL);
  CHECK(strstr(e.text, "nothing moves"));
  CHECK(ap_bench_run(m, NULL, &b, &e) == AP_E_MODEL);
  ap_model_free(m);
  ap_robot_free(robot);
}
