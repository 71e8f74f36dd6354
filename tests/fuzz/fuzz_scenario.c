// SPDX-License-Identifier: Apache-2.0
// Any bytes as a scenario file: an error with its line, or a scenario in which everything is finite
// and named. The files that it names are not looked for here: the folder does not exist.

#include <appell/scenario.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds) {
  if (!holds) abort();
}

static void check_finite(const double *x, int n) {
  for (int i = 0; i < n; i++) expect(isfinite(x[i]));
}

static void check_scene(const ap_scenario *s) {
  const ap_scene *scene = ap_scenario_scene(s);
  int nv = ap_nv(scene->model);
  check_finite(ap_scenario_q(s), ap_nq(scene->model));
  check_finite(ap_scenario_v(s), nv);
  for (int i = 0; i < scene->nwall; i++) expect(scene->wall[i].name != NULL);
  for (int i = 0; i < scene->npoint; i++)
    expect(scene->point[i].name && scene->point[i].body > 0 &&
           scene->point[i].body < ap_nbody(scene->model));
  for (int i = 0; i < scene->nspring; i++)
    expect(scene->spring[i].v >= 0 && scene->spring[i].v < nv);
  for (int i = 0; i < scene->nstop; i++)
    expect(scene->stop[i].v >= 0 && scene->stop[i].v < nv && scene->limits);
  for (int i = 0; i < scene->nload; i++) expect(scene->load[i].body > 0);
  double start, end, step;
  ap_scenario_times(s, &start, &end, &step);
  expect(isfinite(start) && end > start && step > 0);
  for (int i = 0; i < scene->nforce_time; i++)
    expect(scene->force_time[i] > (i ? scene->force_time[i - 1] : start) &&
           scene->force_time[i] < end);
  double *tau = calloc((size_t)nv, sizeof *tau);
  if (tau && scene->force)
    expect(scene->force(scene->context, start, ap_scenario_q(s), ap_scenario_v(s), tau) == AP_OK);
  if (tau) check_finite(tau, nv);
  free(tau);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ap_scenario *s = NULL;
  ap_error error = {0};
  ap_status status = ap_scenario_parse((const char *)data, size, "/nonexistent", &s, &error);
  expect((status == AP_OK) == (s != NULL));
  if (s)
    check_scene(s);
  else
    expect(error.status == status && error.text[0] && error.line >= 1);
  ap_scenario_free(s);
  return 0;
}
