// SPDX-License-Identifier: Apache-2.0
// The rack of a control scenario.

#include <math.h>
#include <string.h>

#include "ctrl/control.h"
#include "ctrl/ctrl.h"

static bool fail(ap__control_reader *r, const char *key, const char *what) {
  int line = ap__line_of(r->yaml.root, key);
  return ap__yaml_fail(&r->yaml, line, "%s: %s", key, what);
}

static bool read_imperfections(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_rack *h = &r->head.rack;
  double *viscous = ap__control_room(r), *coulomb = ap__control_room(r),
         *rotor = ap__control_room(r), *stiction = ap__control_room(r);
  if (!viscous || !coulomb || !rotor || !stiction) return false;
  for (int j = 0; j < c->n; j++) stiction[j] = 1;
  if (!ap__control_vector(r, "viscous", h->viscous, viscous) ||
      !ap__control_vector(r, "coulomb", h->coulomb, coulomb) ||
      !ap__control_vector(r, "stiction", h->stiction, stiction) ||
      !ap__control_vector(r, "rotor", h->rotor, rotor))
    return false;
  for (int j = 0; j < c->n; j++) {
    if (!(viscous[j] >= 0 && coulomb[j] >= 0 && rotor[j] >= 0 && stiction[j] >= 1))
      return fail(r, "rack", "a friction or rotor is negative, or stiction below 1");
    if (!(fabs(c->start[j]) <= 1e3))
      return fail(r, "rack", "start: beyond 1e3 rad (angles are in radians)");
    c->imperfection[j] = (ap_joint_imperfection){viscous[j], coulomb[j], stiction[j], rotor[j]};
  }
  return true;
}

static bool read_simulated(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_rack *h = &r->head.rack;
  c->sim = h->sim;
  c->sim.model = c->true_model, c->sim.axis = c->axis, c->sim.imperfection = c->imperfection,
  c->sim.q = c->start;
  if (c->sim.watchdog < 0) c->sim.watchdog = fmax(0.02, 5 / r->head.rate);
  c->sim.spread = h->spread, c->sim.payload = h->payload;
  memcpy(c->sim.payload_com, h->payload_com, sizeof h->payload_com);
  if (!ap__control_whole(h->seed, 0, 9e15))
    return fail(r, "rack", "seed: not a whole number between 0 and 9e15");
  if (!ap__control_whole(h->output_bits, 1, 32) || !ap__control_whole(h->input_bits, 1, 32))
    return fail(r, "rack", "output_bits and input_bits are whole numbers between 1 and 32");
  c->sim.seed = (uint64_t)h->seed;
  c->sim.output_bits = (int)h->output_bits, c->sim.input_bits = (int)h->input_bits;
  c->sim.payload_body =
      h->payload_link ? ap_find_body(c->true_model, h->payload_link) : ap_nbody(c->true_model) - 1;
  if (c->sim.payload_body < 1) return fail(r, "rack", "payload_link: the robot has no such link");
  if (c->sim.latency * r->head.rate >= AP__RACK_DELAYS)
    return fail(r, "rack", "latency: longer than 255 periods");
  ap_error own = {0};
  return !ap__sim_rack_check(&c->sim, &own) || fail(r, "rack", own.text);
}

static ap_comedi_channel channel(const double x[4]) {
  int k[4];
  for (int i = 0; i < 4; i++) k[i] = (int)fmin(fmax(x[i], -1), 1e6);
  return (ap_comedi_channel){k[0], k[1], k[2], k[3]};
}

static bool read_devices(ap__control_reader *r) {
  const ap__node *n = r->head.rack.devices;
  int count = 0;
  if (!n || n->kind != AP__LIST || n->length > 4 || n->length < 1)
    return fail(r, "rack", "devices: Comedi needs a list of 1 to 4 devices");
  for (const ap__node *i = n->first; i; i = i->next)
    if (!ap__yaml_text(&r->yaml, "devices", i, &r->control->cards.device[count++])) return false;
  return true;
}

static bool read_cards(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_rack *h = &r->head.rack;
  c->comedi = true;
  c->cards.axes = c->n;
  if (!c->realtime) return fail(r, "rack", "cards need time: real");
  if (r->naxis != c->n) return fail(r, "rack", "cards need axes with their channels");
  for (int k = 0; k < c->n; k++) {
    const ap__control_axis *a = &r->axis[k];
    int j = ap__control_joint(r, 0, a->joint);
    if (a->axis.encoder != AP_ENCODER_INCREMENTAL || a->axis.drive != AP_DRIVE_VOLT)
      return fail(r, "axes", "cards take volts and have incremental encoders");
    c->wire[j] = (ap_comedi_axis){channel(a->potentiometer), channel(a->encoder), channel(a->index),
                                  channel(a->thermo), channel(a->output)};
  }
  c->cards.axis = c->wire;
  c->cards.tool[0] = channel(h->tool1), c->cards.tool[1] = channel(h->tool2);
  c->cards.brake = channel(h->brakes);
  return read_devices(r);
}

// Drives take the place of cards; the watchdog's default is that of the simulated rack.
static bool read_bus(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_rack *h = &r->head.rack;
  const double watchdog = h->sim.watchdog < 0 ? fmax(0.02, 5 / r->head.rate) : h->sim.watchdog;
  c->canopen = true;
  c->interface = h->interface;
  if (!c->realtime) return fail(r, "rack", "drives need time: real");
  if (r->naxis != c->n) return fail(r, "rack", "drives need axes with their nodes");
  if (!ap__control_whole(h->host, 1, 127) || !ap__control_whole(h->lost, 1, 1000))
    return fail(r, "rack", "host is a whole number from 1 to 127, lost one from 1 to 1000");
  c->bus = ap_default_cia402();
  c->bus.axes = c->n, c->bus.axis = c->axis, c->bus.node = c->node;
  c->bus.period = 1 / r->head.rate, c->bus.bitrate = h->bitrate;
  c->bus.host = (int)h->host, c->bus.lost = (int)h->lost;
  c->bus.heartbeat = h->heartbeat, c->bus.watchdog = watchdog;
  c->bus.stop = h->stop ? AP_CIA402_QUICK_STOP : AP_CIA402_DISABLE_VOLTAGE;
  for (int k = 0; k < c->n; k++) {
    const ap__control_axis *a = &r->axis[k];
    if (!ap__control_whole(a->node, 1, 127))
      return fail(r, "axes", "node: missing, or not a whole number from 1 to 127");
    c->node[ap__control_joint(r, 0, a->joint)] =
        (ap_cia402_axis){(int)a->node, a->reverse, a->rated_torque};
  }
  ap_error own = {0};
  return !ap__cia402_check(&c->bus, &own) || fail(r, "rack", own.text);
}

static bool read_fault(ap__control_reader *r) {
  ap_control *c = r->control;
  const ap__control_fault *h = &r->head.fault;
  if (h->kind == AP_FAULT_NONE) return true;
  int axis = h->joint ? ap__control_joint(r, ap__line_of(r->yaml.root, "fault"), h->joint) : 0;
  if (axis < 0) return false;
  c->fault = (ap_rack_fault){(ap_rack_fault_kind)h->kind, axis, h->at, h->amount};
  c->faulty = true;
  return (!c->comedi && !c->canopen) || fail(r, "fault", "only a simulated rack takes this key");
}

bool ap__control_read_rack(ap__control_reader *r) {
  static bool (*const kinds[])(ap__control_reader *) = {read_simulated, read_cards, read_bus};
  return read_imperfections(r) && kinds[r->head.rack.kind](r) && read_fault(r);
}
