// SPDX-License-Identifier: Apache-2.0
// What a page needs to draw a robot and to say what weighs: links with their joints, as in a
// report; their masses; what shapes say these should be.

#include <appell/weigh.h>
#include <stdlib.h>

#include "js.h"
#include "num/rpy.h"
#include "run/report.h"

// The "model" and "closures" of a report's document.
JS(js_drawing) int js_drawing(const js_robot *r) {
  const ap_report_options options = ap_default_report();
  ap_run *run = calloc(1, sizeof *run);
  if (!run) return (int)js_fail(AP_E_MEMORY);
  run->recorded.robot = r->robot;
  ap__report report = {.run = run,
                       .options = &options,
                       .model = r->model,
                       .mechanism = r->mechanism,
                       .error = &js_failure};
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '{');
  const ap_status status = ap__report_model(&report, &json);
  ap_json_close(&json, '}');
  ap__pool_free(&run->pool);
  free(run->recorded.warning);
  free(run);
  return status == AP_OK ? (int)js_end_text() : (int)status;
}

static void mass_json(ap_json *json, const char *key, double mass, const double com[3],
                      const double inertia[6]) {
  ap_json_open(json, key, '{');
  ap_json_number(json, "mass", mass);
  ap_json_numbers(json, "com", com, 3);
  ap_json_numbers(json, "inertia", inertia, 6);
  ap_json_close(json, '}');
}

// R I R^T with the angles of an inertia: the same tensor in link axes.
static void turned_inertia(const ap_body_def *def, double inertia[6]) {
  const double *a = def->inertia_rpy, *i = def->inertia;
  if (a[0] == 0 && a[1] == 0 && a[2] == 0) {
    for (int k = 0; k < 6; k++) inertia[k] = i[k];
    return;
  }
  double R[9], B[9] = {0};
  const double I[9] = {i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]};
  ap__matrix_of_rpy(a, R);
  for (int m = 0; m < 9; m++)
    for (int k = 0; k < 3; k++) B[m] += R[m / 3 * 3 + k] * I[3 * k + m % 3];
  for (int m = 0, row = 0; row < 3; row++)
    for (int column = row; column < 3; column++, m++)
      inertia[m] = B[3 * row] * R[3 * column] + B[3 * row + 1] * R[3 * column + 1] +
                   B[3 * row + 2] * R[3 * column + 2];
}

// Every link: its mass properties in its own frame, and the number of the link that moves it.
JS(js_links) int js_links(const js_robot *r) {
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '[');
  for (int i = 1; i < ap_nbody(r->model); i++) {
    const ap_body_def *def = ap_body(r->model, i);
    double inertia[6];
    turned_inertia(def, inertia);
    ap_json_open(&json, NULL, '{');
    ap_json_string(&json, "name", def->name);
    ap_json_integer(&json, "mover", ap_body_mover(r->model, i));
    mass_json(&json, "own", def->mass, def->com, inertia);
    ap_json_close(&json, '}');
  }
  ap_json_close(&json, ']');
  return (int)js_end_text();
}

static void weighed_json(ap_json *json, const ap_weighed *w) {
  ap_json_open(json, NULL, '{');
  ap_json_string(json, "link", w->link);
  ap_json_string(json, "reason", w->reason);
  ap_json_bool(json, "done", w->done);
  ap_json_string(json, "problem", w->problem);
  ap_json_string(json, "remark", w->remark);
  mass_json(json, "before", w->before.mass, w->before.com, w->before.inertia);
  mass_json(json, "after", w->after.mass, w->after.com, w->after.inertia);
  ap_json_close(json, '}');
}

// What shapes say of links whose inertia is missing or suspicious in a URDF file; text is the file
// with these inertias, where there are any.
JS(js_weigh) int js_weigh(const char *path) {
  const ap_weigh_options options = {0};
  ap_weighing *weighing;
  ap_error ignored;
  char *text = NULL;
  const ap_status status = ap_weigh_file(path, &options, &weighing, &js_failure);
  if (status != AP_OK) return (int)status;
  ap_json json = js_begin_json();
  ap_json_open(&json, NULL, '{');
  ap_json_open(&json, "links", '[');
  for (int i = 0; i < ap_weighing_links(weighing); i++)
    weighed_json(&json, ap_weighing_link(weighing, i));
  ap_json_close(&json, ']');
  if (ap_weighing_text(weighing, path, &text, &ignored) == AP_OK)
    ap_json_string(&json, "text", text);
  ap_json_close(&json, '}');
  free(text);
  ap_weighing_free(weighing);
  return (int)js_end_text();
}
