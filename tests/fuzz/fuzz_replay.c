// SPDX-License-Identifier: Apache-2.0
// Any bytes as the log that `appell control --replay` reads: one line of an error, or inputs that a
// controller can be fed with.

#include <string.h>

#include "fuzz_file.h"
#include "run/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scenario[] =
    "appell-control: 1\nrobot: ascher2\naxes: [{joint: joint1}, {joint: joint2}]\n"
    "reference: {kind: hold, to: 0.1}\n...\n";

static void step_through(ap_control *c, const ap__replay *r) {
  ap_servo *servo = NULL;
  ap_servo_record record;
  ap_error error = {0};
  if (ap_control_open_replay(c, r->input, r->output, r->n, &servo, &error) != AP_OK) {
    fuzz_expect(error.text[0]);
    return;
  }
  for (long k = 0; k < r->n && ap_servo_step_at(servo, r->period[k]); k++)
    while (ap_servo_take(servo, &record)) continue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  ap_control *c = NULL;
  ap__replay *r = NULL;
  ap_error error = {0};
  fuzz_expect(ap_control_parse(scenario, strlen(scenario), NULL, NULL, &c, NULL) == AP_OK);
  const ap_status status =
      ap__replay_read(fuzz_file(data, size, ".csv", path), ap_control_model(c), &r, &error);
  fuzz_expect((status == AP_OK) == (r != NULL));
  fuzz_expect(r || (error.status == status && error.text[0] && error.line >= 0));
  if (r) {
    fuzz_expect(r->n > 0 && r->requested < r->n);
    for (long k = 1; k < r->n; k++) fuzz_expect(r->period[k] > r->period[k - 1]);
    step_through(c, r);
  }
  ap_control_free(c);
  ap__replay_free(r);
  return 0;
}
