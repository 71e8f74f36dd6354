// SPDX-License-Identifier: Apache-2.0
// What a simulation records of an event: the touch, and the state just before and just after.
// The events are made by hand, so that joints are among them. CSV and HDF5 say the same.

#include <math.h>

#include "temporary_folder.h"
#include "run/run.h"

enum { NUMBERS = 100, WORD = 64, EVENTS = 3 };

static void remove_folder(void) {
  static const char *const names[] = {"run.csv", "run.events.csv", "run.scenario.yaml", "run.h5"};
  remove_folder_of((int)(sizeof names / sizeof names[0]), names);
}

// A point at a wall, a joint at its stop, a joint that its own friction holds.
static void make_events(const ap_scene *scene, const double *q, const double *before,
                        const double *after, ap_event *event) {
  const int last = ap_nv(scene->model) - 1;
  event[0] = (ap_event){.number = 1,
                        .kind = AP_EVENT_IMPACT,
                        .t = 0.25,
                        .joint = -1,
                        .normal = {0, 0.6, 0.8},
                        .impulse = {0, 3, 4},
                        .lost = 0.1};
  event[1] = (ap_event){.number = 2,
                        .kind = AP_EVENT_IMPACT,
                        .t = 0.5,
                        .point = -1,
                        .wall = -1,
                        .joint = last,
                        .position = {q[0]},
                        .before = {before[last]},
                        .after = {after[last]},
                        .impulse = {-1.0 / 3}};
  event[2] = event[1];
  event[2].number = 3;
  event[2].kind = AP_EVENT_STICK;
  event[2].impulse[0] = 0;
  for (int k = 0; k < EVENTS; k++) {
    event[k].q = q;
    event[k].v_before = before;
    event[k].v_after = after;
  }
}

static void write_events(const char *name, const char *scenario, const ap_event *event) {
  ap_run *run = NULL;
  if (!CHECK_OK(ap_run_open(scenario, NULL, &run, NULL))) return;
  CHECK_OK(ap_run_record(run, in_folder(name), NULL));
  for (int k = 0; k < EVENTS; k++) ap__simulation_event(run, &event[k]);
  CHECK_OK(ap_run_finish(run, NULL));
  ap_run_free(run);
}

// The number in a column of an event; NAN where there is none of that name.
static double number_in(const ap_log_about *about, const double *numbers, const char *group,
                        const char *name) {
  char column[2 * WORD];
  snprintf(column, sizeof column, "%s%s%s", group, name[0] ? "." : "", name);
  for (int k = 0; k < about->event_columns; k++)
    if (strcmp(about->event_column[k].name, column) == 0) return numbers[k];
  return NAN;
}

// The columns of a state are those of the rows, with "_after" for what jumps.
static void check_state(const ap_log_about *about, const ap_event *e, const double *numbers) {
  int q = 0, v = 0;
  for (int k = 1; k < about->columns; k++) {
    const char *name = about->column[k].name;
    if (strncmp(name, "q.", 2) == 0) {
      CHECK(number_in(about, numbers, "q", name + 2) == e->q[q++]);
    } else if (strncmp(name, "v.", 2) == 0) {
      CHECK(number_in(about, numbers, "v", name + 2) == e->v_before[v]);
      CHECK(number_in(about, numbers, "v_after", name + 2) == e->v_after[v++]);
    } else if (strncmp(name, "coordinate.", 11) == 0) {
      CHECK(isfinite(number_in(about, numbers, "coordinate", name + 11)));
      // After is half of before with the opposite sign, and so are all that depend on it linearly.
      const double before = number_in(about, numbers, "rate", name + 11);
      const double after = number_in(about, numbers, "rate_after", name + 11);
      CHECK(fabs(after + 0.5 * before) <= 1e-15 * fabs(before));
    }
  }
  const double before = number_in(about, numbers, "kinetic", "");
  CHECK(before > 0 && isfinite(number_in(about, numbers, "potential", "")));
  CHECK(fabs(number_in(about, numbers, "kinetic_after", "") - before / 4) < 1e-12 * before);
}

static void check_events(const char *name, const ap_scene *scene, const ap_event *event) {
  ap_log_reader *r = NULL;
  if (!CHECK_OK(ap_log_open(in_folder(name), &r, NULL))) return;
  const ap_log_about *about = ap_log_describe(r);
  const int first_v = 1 + ap_nq(scene->model), nv = ap_nv(scene->model);
  const char *joint = about->column[first_v + nv - 1].name + strlen("v.");
  const char *const wall[EVENTS] = {scene->wall[0].name, "stop", ""};
  const double impulse[EVENTS] = {5, 1.0 / 3, 0};
  bool end = false;
  for (int k = 0; k < EVENTS; k++) {
    ap_logged_event e;
    if (!CHECK_OK(ap_log_next_event(r, &e, &end, NULL)) || !CHECK(!end)) break;
    CHECK(e.t == event[k].t);
    CHECK_STR(e.event, ap_event_name(event[k].kind));
    CHECK_STR(e.wall, wall[k]);
    if (k > 0)
      CHECK_STR(e.point, joint);
    else
      CHECK_HAS(e.point, "/");
    CHECK(number_in(about, e.numbers, "joint", "") == event[k].joint);
    CHECK(number_in(about, e.numbers, "impulse", "") == impulse[k]);
    CHECK(number_in(about, e.numbers, "before", "x") == event[k].before[0]);
    check_state(about, &event[k], e.numbers);
  }
  CHECK_OK(ap_log_next_event(r, &(ap_logged_event){0}, &end, NULL));
  CHECK(end);
  ap_log_close(r);
}

#ifdef AP_HAVE_HDF5
// Every number of every event is in both logs, to the last bit.
static void check_same(const char *one, const char *other) {
  ap_log_reader *a = NULL, *b = NULL;
  ap_logged_event x, y;
  bool end = false;
  if (!CHECK_OK(ap_log_open(in_folder(one), &a, NULL)) ||
      !CHECK_OK(ap_log_open(in_folder(other), &b, NULL)))
    return;
  const ap_log_about *about = ap_log_describe(a);
  CHECK_EQ_INT(ap_log_describe(b)->event_columns, about->event_columns);
  for (int k = 0; k < EVENTS; k++) {
    CHECK_OK(ap_log_next_event(a, &x, &end, NULL));
    CHECK_OK(ap_log_next_event(b, &y, &end, NULL));
    for (int i = 0; i < about->event_columns; i++)
      CHECK(x.numbers[i] ==
            number_in(ap_log_describe(b), y.numbers, about->event_column[i].name, ""));
  }
  ap_log_close(a);
  ap_log_close(b);
}
#endif

TEST(events_tell_the_state_before_and_after) {
  static const char *const files[] = {"models/double_pendulum_in_ellipse.yaml",
                                      "models/four_bar_at_wall.yaml", "models/stewart_drop.yaml"};
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    ap_scenario *scenario = NULL;
    ap_event event[EVENTS];
    double before[NUMBERS], after[NUMBERS];
    test_context("%s", files[k]);
    if (!CHECK_OK(ap_scenario_read(files[k], &scenario, NULL))) continue;
    const ap_scene *scene = ap_scenario_scene(scenario);
    for (int i = 0; i < ap_nv(scene->model); i++) {
      before[i] = 1 / (1.5 + i);
      after[i] = -0.5 * before[i];
    }
    make_events(scene, ap_scenario_q(scenario), before, after, event);
    make_folder();
    write_events("run.csv", files[k], event);
    check_events("run.csv", scene, event);
#ifdef AP_HAVE_HDF5
    write_events("run.h5", files[k], event);
    check_events("run.h5", scene, event);
    check_same("run.csv", "run.h5");
#else
    if (k == 0) test_skip("built without HDF5 (scripts/setup)");
#endif
    remove_folder();
    ap_scenario_free(scenario);
  }
  test_context("%s", "");
}
