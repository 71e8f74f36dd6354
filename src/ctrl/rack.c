// SPDX-License-Identifier: Apache-2.0
// What all racks share, and the replay of a log.

#include <appell/rack.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctrl/ctrl.h"
#include "file/robot.h"

const char *ap_fault_name(ap_rack_fault_kind kind) {
  switch (kind) {
#define FAULT_NAME(code, name, text) \
  case code: return name;
    AP_FAULT_LIST(FAULT_NAME)
#undef FAULT_NAME
  }
  return "";
}

void ap_rack_close(ap_rack *rack) {
  if (rack->close) rack->close(rack->context);
  *rack = (ap_rack){0};
}

const char *ap_rack_trouble(const ap_rack *rack) {
  return rack->trouble ? rack->trouble(rack->context) : "";
}

ap_axis ap_default_axis(void) {
  return (ap_axis){.lines = 250,
                   .counts = 1048576,
                   .turns = 1,
                   .gear = 1,
                   .pot_volt = 2.5,
                   .pot_gain = 0.8,
                   .torque_per_volt = 1,
                   .torque_constant = 0.1,
                   .largest = 10,
                   .cookie = AP_COOKIE};
}

double ap_axis_pitch(const ap_axis *axis) { return 2 * acos(-1.0) / axis->gear; }

double ap_axis_count(const ap_axis *axis) {
  const bool absolute = axis->encoder == AP_ENCODER_ABSOLUTE;
  return ap_axis_pitch(axis) / (absolute ? axis->counts : 4 * axis->lines);
}

double ap_axis_gain(const ap_axis *axis) {
  if (axis->drive == AP_DRIVE_TORQUE) return 1;
  return axis->drive == AP_DRIVE_CURRENT ? axis->torque_constant * axis->gear
                                         : axis->torque_per_volt;
}

double ap_axis_unwrap(const ap_axis *axis, int32_t reading, double near) {
  const double all = axis->counts * axis->turns;
  return reading + all * nearbyint((near - reading) / all);
}

ap_status ap__axis_check(const ap_axis *a, int j, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_axis, a, error)) return AP_E_ARG;
  const char *wrong = NULL;
  const bool absolute = a->encoder == AP_ENCODER_ABSOLUTE;
  if (!(a->gear > 0 && isfinite(a->gear) && isfinite(a->index_at)))
    wrong = "gear is not positive, or index_at not finite";
  if (!absolute && !(a->lines > 0 && isfinite(a->lines))) wrong = "lines is not positive";
  if (!absolute && !(fabs(a->pot_gain) > 0 && isfinite(a->pot_gain + a->pot_volt)))
    wrong = "the potentiometer's gain is zero or not finite";
  if (absolute && !(a->counts >= 1 && a->turns >= 1 && a->counts * a->turns <= 4294967296.0))
    wrong = "counts or turns is below 1, or their product above 4294967296 (32 bits)";
  if (!(ap_axis_gain(a) > 0 && isfinite(ap_axis_gain(a))))
    wrong = "torque_per_volt or torque_constant is not positive";
  if (!(a->largest > 0 && isfinite(a->largest))) wrong = "the largest command is not positive";
  if (!wrong) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0, "axis %d: %s", j + 1, wrong);
}

// ---- inputs and outputs ------------------------------------------------------------------------

size_t ap_rack_input_size(int axes) {
  return (size_t)axes * (2 * sizeof(double) + 2 * sizeof(int32_t) + sizeof(uint32_t));
}

size_t ap_rack_output_size(int axes) { return (size_t)axes * sizeof(double); }

void ap_rack_input_init(ap_rack_input *input, int axes, void *mem) {
  memset(mem, 0, ap_rack_input_size(axes));
  *input = (ap_rack_input){.potentiometer = mem};
  input->torque = input->potentiometer + axes;
  input->encoder = (int32_t *)(input->torque + axes);
  input->index = input->encoder + axes;
  input->status = (uint32_t *)(input->index + axes);
}

void ap_rack_output_init(ap_rack_output *output, int axes, void *mem) {
  memset(mem, 0, ap_rack_output_size(axes));
  *output = (ap_rack_output){.command = mem};
}

void ap_rack_input_copy(int axes, const ap_rack_input *from, ap_rack_input *to) {
  const size_t n = (size_t)axes;
  memcpy(to->potentiometer, from->potentiometer, n * sizeof(double));
  memcpy(to->torque, from->torque, n * sizeof(double));
  memcpy(to->encoder, from->encoder, n * sizeof(int32_t));
  memcpy(to->index, from->index, n * sizeof(int32_t));
  memcpy(to->status, from->status, n * sizeof(uint32_t));
  to->late = from->late, to->failed = from->failed;
}

void ap_rack_output_copy(int axes, const ap_rack_output *from, ap_rack_output *to) {
  memcpy(to->command, from->command, (size_t)axes * sizeof(double));
  to->tools = from->tools, to->brakes = from->brakes, to->failed = from->failed;
}

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
  ap_rack_input_copy(r->axes, &r->input[r->reads++], input);
  return input->failed ? AP_E_FILE : AP_OK;
}

static ap_status replay_write(void *context, double t, const ap_rack_output *output) {
  replay *r = context;
  (void)t;
  if (r->writes >= r->n) return AP_E_FILE;
  const ap_rack_output *was = &r->output[r->writes++];
  bool same = was->tools == output->tools && was->brakes == output->brakes &&
              memcmp(was->command, output->command, (size_t)r->axes * sizeof(double)) == 0;
  if (!same) r->differing++;
  return was->failed ? AP_E_FILE : AP_OK;
}

ap_status ap_rack_replay(int axes, const ap_rack_input *input, const ap_rack_output *output, long n,
                         ap_rack *rack, ap_error *error) {
  *rack = (ap_rack){0};
  if (axes < 1) return AP__REFUSE(error, AP_E_ARG, 0, "a rack with %d axes (at least 1)", axes);
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
