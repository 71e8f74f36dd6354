// SPDX-License-Identifier: Apache-2.0
// What all racks share, and the replay of a log.

#include <appell/rack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/robot.h"

void ap_rack_close(ap_rack *rack) {
  if (rack->close) rack->close(rack->context);
  *rack = (ap_rack){0};
}

ap_axis ap_default_axis(void) {
  return (ap_axis){.lines = 250,
                   .gear = 1,
                   .pot_volt = 2.5,
                   .pot_gain = 0.8,
                   .torque_per_volt = 1,
                   .cookie = AP_COOKIE};
}

double ap_axis_pitch(const ap_axis *axis) { return 2 * acos(-1.0) / axis->gear; }

double ap_axis_count(const ap_axis *axis) { return ap_axis_pitch(axis) / (4 * axis->lines); }

double ap_axis_potentiometer(const ap_axis *axis, double volt) {
  return (volt - axis->pot_volt) / axis->pot_gain;
}

ap_status ap_axis_home(const ap_axis *axis, double potentiometer, int32_t count, int32_t index,
                       double *zero) {
  double resolution = ap_axis_count(axis), pitch = ap_axis_pitch(axis);
  double pulse = potentiometer + ((double)index - (double)count) * resolution;
  double nearest = axis->index_at + pitch * nearbyint((pulse - axis->index_at) / pitch);
  if (!(fabs(nearest - pulse) <= 0.25 * pitch)) return AP_E_NO_CONVERGENCE;
  *zero = nearest - (double)index * resolution;
  return AP_OK;
}

// ---- replay ------------------------------------------------------------------------------------

typedef struct replay {
  int axes;
  const ap_rack_input *input;
  const ap_rack_output *output;
  long n, reads, writes, differing;
} replay;

static ap_status replay_read(void *context, double t, ap_rack_input *input) {
  replay *r = context;
  (void)t;
  if (r->reads >= r->n) return AP_E_FILE;
  *input = r->input[r->reads++];
  return input->failed ? AP_E_FILE : AP_OK;
}

static ap_status replay_write(void *context, double t, const ap_rack_output *output) {
  replay *r = context;
  (void)t;
  if (r->writes >= r->n) return AP_E_FILE;
  const ap_rack_output *was = &r->output[r->writes++];
  bool same = was->tools == output->tools && was->brakes == output->brakes &&
              memcmp(was->volt, output->volt, (size_t)r->axes * sizeof(double)) == 0;
  if (!same) r->differing++;
  return was->failed ? AP_E_FILE : AP_OK;
}

ap_status ap_rack_replay(int axes, const ap_rack_input *input, const ap_rack_output *output, long n,
                         ap_rack *rack, ap_error *error) {
  *rack = (ap_rack){0};
  if (axes < 1 || axes > AP_RACK_AXES)
    return AP__REFUSE(error, AP_E_ARG, 0, "a rack with %d axes (1 to %d)", axes, AP_RACK_AXES);
  replay *r = malloc(sizeof *r);
  if (!r) return ap__no_memory(error);
  *r = (replay){.axes = axes, .input = input, .output = output, .n = n};
  *rack = (ap_rack){
      .context = r, .axes = axes, .read = replay_read, .write = replay_write, .close = free};
  return AP_OK;
}

long ap_rack_differing(const ap_rack *rack) {
  return rack->read == replay_read ? ((const replay *)rack->context)->differing : 0;
}
