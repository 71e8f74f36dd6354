// SPDX-License-Identifier: Apache-2.0
// Any bytes as a control scenario: an error with its line, or a scenario whose reference is finite
// and which a simulated rack can run. The files that it names are not looked for here: the folder
// does not exist.

#include <appell/control.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "ctrl/control.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PERIODS = 20 };

static void check_reference(const ap_control *c) {
  const ap_traj *reference = ap_control_reference(c);
  const int n = ap_traj_n(reference);
  double *q = malloc(3 * (size_t)n * sizeof *q), *v = q + n, *a = v + n;
  fuzz_expect(n == ap_nv(ap_control_model(c)) && q);
  fuzz_expect(isfinite(ap_traj_duration(reference)) && ap_traj_duration(reference) >= 0);
  for (int k = 0; k <= 4; k++) {
    ap_traj_at(reference, ap_traj_duration(reference) * k / 4, q, v, a);
    for (int j = 0; j < n; j++) fuzz_expect(isfinite(q[j]) && isfinite(v[j]) && isfinite(a[j]));
  }
  free(q);
}

// Some periods of a simulated run: no promise but that they end, and what is sent is finite.
static void check_run(ap_control *c) {
  ap_servo *servo = NULL;
  ap_servo_record record;
  ap_error error = {0};
  ap_status status = ap_control_open(c, &servo, &error);
  fuzz_expect(status == AP_OK || error.text[0]);
  for (int k = 0; status == AP_OK && k < PERIODS && ap_servo_step(servo); k++) {
    while (ap_servo_take(servo, &record))
      for (int j = 0; j < c->n; j++) fuzz_expect(isfinite(record.output.command[j]));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ap_control *c = NULL;
  ap_error error = {0};
  ap_status status = ap_control_parse((const char *)data, size, "/nonexistent", NULL, &c, &error);
  fuzz_expect((status == AP_OK) == (c != NULL));
  if (c) {
    if (ap_control_reference(c)) check_reference(c);
    if (!c->comedi) check_run(c);
  } else {
    fuzz_expect(error.status == status && error.text[0] && error.line >= 1);
  }
  ap_control_free(c);
  return 0;
}
