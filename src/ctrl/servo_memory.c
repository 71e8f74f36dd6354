// SPDX-License-Identifier: Apache-2.0
// The memory of a run: arrays for any number of axes, and the records of its ring.

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "ctrl/servo.h"
#include "file/robot.h"

static double *vector(ap_arena *a, int n) { return AP_TAKE(a, double, n); }

static void lay_record(ap_arena *a, int n, ap_servo_record *r) {
  double **const vectors[] = {&r->q,        &r->v,        &r->qd,
                              &r->vd,       &r->ad,       &r->tau,
                              &r->residual, &r->external, &r->output.command};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) *vectors[k] = vector(a, n);
  void *input = ap__take(a, 1, ap_rack_input_size(n), _Alignof(double));
  if (input) ap_rack_input_init(&r->input, n, input);
}

static void lay_out(ap_servo *s, ap_arena *a, int n, int ring) {
#define PLACE(name) s->name = vector(a, n);
  AP__SERVO_VECTORS(PLACE)
#undef PLACE
  s->inertia = AP_TAKE(a, double, (size_t)n *(size_t)n);
  s->stay = AP_TAKE(a, ap__stay, n);
  s->torque_row = AP_TAKE(a, int, n);
  s->path = ap__take(a, (size_t)n, sizeof *s->path, _Alignof(double));
  void *input = ap__take(a, 1, ap_rack_input_size(n), _Alignof(double));
  if (input) ap_rack_input_init(&s->read, n, input);
  lay_record(a, n, &s->record);
  lay_record(a, n, &s->taken);
  s->ring.record = AP_TAKE(a, ap_servo_record, ring);
  ap_servo_record none;
  for (int k = 0; k < ring; k++) lay_record(a, n, s->ring.record ? &s->ring.record[k] : &none);
}

ap_status ap__servo_allocate(ap_servo *s, int axes, int ring, ap_error *error) {
  ap_arena a = ap__arena(NULL);
  lay_out(s, &a, axes, ring);
  const size_t size = ap__arena_size(&a);
  s->memory = size ? malloc(size) : NULL;
  if (!s->memory) return ap__no_memory(error);
  memset(s->memory, 0, size); // written once: present
  a = ap__arena(s->memory);
  lay_out(s, &a, axes, ring);
  s->ring.mask = (size_t)ring - 1, s->ring.axes = axes;
  s->n = axes;
  return AP_OK;
}

void ap__servo_release(ap_servo *s) {
  free(s->memory);
  free(s->observer_memory);
  free(s->feeler_memory);
}

void ap__record_copy(int axes, const ap_servo_record *from, ap_servo_record *to) {
  const ap_servo_record own = *to;
  *to = *from;
  double *const into[] = {own.q,  own.v,   own.qd,       own.vd,
                          own.ad, own.tau, own.residual, own.external};
  double **const at[] = {&to->q,  &to->v,   &to->qd,       &to->vd,
                         &to->ad, &to->tau, &to->residual, &to->external};
  for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
    memcpy(into[k], *at[k], (size_t)axes * sizeof(double));
    *at[k] = into[k];
  }
  to->input = own.input, to->output = own.output;
  ap_rack_input_copy(axes, &from->input, &to->input);
  ap_rack_output_copy(axes, &from->output, &to->output);
}
