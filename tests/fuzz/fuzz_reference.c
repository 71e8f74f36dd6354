// SPDX-License-Identifier: Apache-2.0
// Any bytes as the CSV file of a reference, `appell control --reference`: an error, or a
// trajectory that is finite.

#include <appell/control.h>
#include <math.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scenario[] =
    "appell-control: 1\nrobot: ascher2\naxes: [{joint: joint1}, {joint: joint2}]\n"
    "reference: {kind: hold, to: 0.1}\n...\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[FUZZ_PATH];
  const ap_control_options options = {.reference = fuzz_file(data, size, ".csv", path)};
  ap_control *c = NULL;
  ap_error error = {0};
  ap_status status = ap_control_parse(scenario, strlen(scenario), NULL, &options, &c, &error);
  fuzz_expect((status == AP_OK) == (c != NULL));
  if (c) {
    const ap_traj *reference = ap_control_reference(c);
    const double duration = ap_traj_duration(reference);
    double q[2], v[2], a[2];
    fuzz_expect(ap_traj_n(reference) == 2 && isfinite(duration) && duration > 0);
    for (int k = 0; k <= 8; k++) {
      ap_traj_at(reference, duration * k / 8, q, v, a);
      fuzz_expect(isfinite(q[0]) && isfinite(q[1]) && isfinite(v[0]) && isfinite(a[1]));
    }
  } else {
    fuzz_expect(error.status == status && error.text[0]);
  }
  ap_control_free(c);
  return 0;
}
