// SPDX-License-Identifier: Apache-2.0
// Start-up of CiA 402 drives: what they are, their PDOs and their watch over the controller, by
// SDO, while they are pre-operational; then they are started.

#include <math.h>
#include <string.h>

#include "ctrl/cia402.h"
#include "file/robot.h"

// A value in the object dictionary. What is optional may be missing in a drive.
typedef struct setting {
  int index, sub, bytes;
  uint32_t value;
  bool optional;
} setting;

enum { MOST_SETTINGS = 48 };
#define PDO_OFF   0x80000000u // of an identifier: the PDO does not exist
#define PDO_PLAIN 0x40000000u // and cannot be asked for

// An object in a PDO: index, sub-index, bits.
static uint32_t mapped(int index, int bits) { return (uint32_t)index << 16 | (uint32_t)bits; }

typedef struct pdo {
  int communication, mapping, type; // type: the PDO comes or counts with every so manieth SYNC
  uint32_t id;
  uint32_t object[3];
  int objects;
} pdo;

// A PDO is changed while it is off.
static int add_pdo(setting *s, const pdo *p) {
  int n = 0;
  s[n++] = (setting){p->communication, 1, 4, p->id | PDO_OFF, false};
  s[n++] = (setting){p->communication, 2, 1, (uint32_t)p->type, false};
  s[n++] = (setting){p->mapping, 0, 1, 0, false};
  for (int k = 0; k < p->objects; k++)
    s[n++] = (setting){p->mapping, k + 1, 4, p->object[k], false};
  s[n++] = (setting){p->mapping, 0, 1, (uint32_t)p->objects, false};
  s[n++] = (setting){p->communication, 1, 4, p->id, false};
  return n;
}

static int add_pdos(setting *s, uint32_t node, int mode_every) {
  const pdo in = {.communication = 0x1400,
                  .mapping = 0x1600,
                  .type = 1,
                  .id = AP__CAN_RPDO1 + node,
                  .object = {mapped(0x6040, 16), mapped(0x6071, 16)},
                  .objects = 2};
  const pdo out = {.communication = 0x1800,
                   .mapping = 0x1A00,
                   .type = 1,
                   .id = (AP__CAN_TPDO1 + node) | PDO_PLAIN,
                   .object = {mapped(0x6041, 16), mapped(0x6064, 32), mapped(0x6077, 16)},
                   .objects = 3};
  const pdo slow = {.communication = 0x1801,
                    .mapping = 0x1A01,
                    .type = mode_every,
                    .id = (AP__CAN_TPDO2 + node) | PDO_PLAIN,
                    .object = {mapped(0x6061, 8), mapped(0x603F, 16)},
                    .objects = 2};
  int n = add_pdo(s, &in);
  n += add_pdo(s + n, &out);
  n += add_pdo(s + n, &slow);
  // Those that a drive may have besides.
  for (int k = 1; k < 4; k++)
    s[n++] =
        (setting){0x1400 + k, 1, 4, PDO_OFF | (AP__CAN_RPDO1 + 0x100 * (uint32_t)k + node), true};
  for (int k = 2; k < 4; k++)
    s[n++] =
        (setting){0x1800 + k, 1, 4, PDO_OFF | (AP__CAN_TPDO1 + 0x100 * (uint32_t)k + node), true};
  return n;
}

static uint32_t milliseconds(double s) { return (uint32_t)fmax(nearbyint(1e3 * s), 1); }

// The period as a number up to 255 and a power of ten.
static int add_period(setting *s, double period) {
  int power = -3;
  double x = 1e3 * period;
  while (power > -6 && fabs(x - nearbyint(x)) > 1e-6 * x && 10 * x <= 255) x *= 10, power--;
  s[0] = (setting){0x60C2, 1, 1, (uint32_t)fmin(fmax(nearbyint(x), 1), 255), true};
  s[1] = (setting){0x60C2, 2, 1, (uint32_t)power & 0xFFu, true};
  s[2] = (setting){0x1006, 0, 4, (uint32_t)nearbyint(1e6 * period), true};
  return 3;
}

static int list_settings(const ap__cia402_bus *b, int node, setting *s) {
  const ap_cia402_def *d = &b->def;
  const bool quick = d->stop == AP_CIA402_QUICK_STOP;
  int n = add_pdos(s, (uint32_t)node, b->mode_every);
  n += add_period(s + n, d->period);
  s[n++] = (setting){0x6060, 0, 1, AP__CIA402_CST, false};
  s[n++] = (setting){0x1017, 0, 2, milliseconds(d->heartbeat), false};
  const uint32_t watch = (uint32_t)d->host << 16 | milliseconds(d->watchdog);
  s[n++] = (setting){0x1016, 1, 4, d->watchdog > 0 ? watch : 0, !(d->watchdog > 0)};
  s[n++] = (setting){0x6007, 0, 2, quick ? 3 : 2, true}; // the controller is gone
  s[n++] = (setting){0x605E, 0, 2, quick ? 2 : 0, true}; // a fault
  if (quick) s[n++] = (setting){0x605A, 0, 2, 2, true};  // brake, then switch off
  return n;
}

// ---- one drive ---------------------------------------------------------------------------------

static ap_status refuse(ap_error *error, const ap__cia402_bus *b, int axis, int index,
                        uint32_t code) {
  return AP__REFUSE(error, AP_E_FILE, 0, "axis %d, node %d: object %04Xh: %s (%08Xh)", axis + 1,
                    b->drive[axis].node, (unsigned)index, ap__sdo_text(code), (unsigned)code);
}

void ap__cia402_manage(const ap__cia402_bus *b, int command) {
  for (int axis = 0; axis < b->def.axes; axis++) {
    ap__can_frame f = {.id = AP__CAN_NMT, .length = 2};
    f.data[0] = (uint8_t)command, f.data[1] = (uint8_t)b->drive[axis].node;
    ap__can_send(b->def.file, &f);
  }
}

// It must be a drive that has the mode.
static ap_status identify(ap__cia402_bus *b, const ap__sdo *sdo, int axis, ap_error *error) {
  const int node = b->drive[axis].node;
  uint32_t type = 0, modes = 0;
  uint32_t code = ap__sdo_read(sdo, node, 0x1000, 0, &type);
  if (code) return refuse(error, b, axis, 0x1000, code);
  if ((type & 0xFFFFu) != 402)
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "axis %d, node %d: its profile is %d (expected a drive of "
                      "CiA 402)",
                      axis + 1, node, (int)(type & 0xFFFFu));
  code = ap__sdo_read(sdo, node, 0x6502, 0, &modes);
  if (code == 0 && !(modes >> (AP__CIA402_CST - 1) & 1u))
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "axis %d, node %d: the drive has no mode \"cyclic "
                      "synchronous torque\" (6502h is %08Xh)",
                      axis + 1, node, (unsigned)modes);
  return code == 0 || code == AP__SDO_NO_OBJECT ? AP_OK : refuse(error, b, axis, 0x6502, code);
}

// Commands are thousandths of the motor's rated torque.
static ap_status scale(ap__cia402_bus *b, const ap__sdo *sdo, int axis, ap_error *error) {
  ap__cia402_drive *d = &b->drive[axis];
  const ap_axis *a = &b->def.axis[axis];
  double rated = b->def.node[axis].rated_torque;
  uint32_t millis = 0;
  if (!(rated > 0)) {
    const uint32_t code = ap__sdo_read(sdo, d->node, 0x6076, 0, &millis);
    if (code) return refuse(error, b, axis, 0x6076, code);
    rated = 1e-3 * millis;
  }
  if (!(rated > 0))
    return AP__REFUSE(error, AP_E_FILE, 0,
                      "axis %d, node %d: the drive knows no rated torque of its "
                      "motor (6076h is 0; give rated_torque)",
                      axis + 1, d->node);
  const double motor = a->drive == AP_DRIVE_CURRENT ? a->torque_constant : 1 / a->gear;
  d->permille = 1000 * motor / rated;
  d->torque = rated * a->gear / 1000;
  d->largest = a->largest, d->sensor = a->torque_sensor;
  if (d->largest * d->permille <= 32767) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "axis %d, node %d: the largest command is %.4g times the rated "
                    "torque of the motor, %.4g N m (at most 32.767; see largest, gear and "
                    "rated_torque)",
                    axis + 1, d->node, d->largest * d->permille / 1000, rated);
}

// A fault of before, as of a controller that went away, is reset. One that stays is told.
static ap_status reset(ap__cia402_bus *b, const ap__sdo *sdo, int axis, ap_error *error) {
  static const uint32_t words[] = {AP__CIA402_CUT, AP__CIA402_RESET_FAULT, AP__CIA402_CUT};
  const int node = b->drive[axis].node;
  uint32_t status = 0, why = 0;
  uint32_t code = ap__sdo_read(sdo, node, 0x6041, 0, &status);
  for (int k = 0; k < 3 && !code; k++) code = ap__sdo_write(sdo, node, 0x6040, 0, 2, words[k]);
  if (code) return refuse(error, b, axis, 0x6040, code);
  const double until = b->clock->now(b->clock->context) + 0.1;
  for (;;) {
    code = ap__sdo_read(sdo, node, 0x6041, 0, &status);
    if (code) return refuse(error, b, axis, 0x6041, code);
    const ap__cia402_state state = ap__cia402_state_of((uint16_t)status);
    if (state != AP__CIA402_FAULT && state != AP__CIA402_FAULT_REACTION) return AP_OK;
    if (b->clock->now(b->clock->context) > until) break;
    b->clock->wait(b->clock->context, b->def.file, 0.01);
  }
  ap__sdo_read(sdo, node, 0x603F, 0, &why);
  return AP__REFUSE(error, AP_E_FILE, 0,
                    "axis %d, node %d: the drive has a fault that stays, error "
                    "code %04Xh",
                    axis + 1, node, (unsigned)why);
}

static ap_status configure(ap__cia402_bus *b, const ap__sdo *sdo, int axis, ap_error *error) {
  setting list[MOST_SETTINGS];
  const int node = b->drive[axis].node, n = list_settings(b, node, list);
  for (int k = 0; k < n; k++) {
    const setting *s = &list[k];
    const uint32_t code = ap__sdo_write(sdo, node, s->index, s->sub, s->bytes, s->value);
    const bool silent = code == AP__SDO_SILENT || code == AP__SDO_DOWN;
    if (code && (!s->optional || silent)) return refuse(error, b, axis, s->index, code);
  }
  return AP_OK;
}

// ---- all of them -------------------------------------------------------------------------------

// One SYNC, and every drive answers with its state.
static ap_status first_answers(ap__cia402_bus *b, ap_error *error) {
  const ap__can_clock *clock = b->clock;
  for (int axis = 0; axis < b->def.axes; axis++) {
    b->drive[axis].unanswered = 0;
    ap__cia402_command(b, axis, AP__CIA402_CUT, 0);
  }
  ap__cia402_sync(b);
  const double until = clock->now(clock->context) + 0.2;
  for (;;) {
    int silent = -1;
    if (!ap__cia402_receive(b, 0)) return AP__REFUSE(error, AP_E_FILE, 0, "%s", b->trouble);
    for (int axis = b->def.axes - 1; axis >= 0; axis--)
      if (b->drive[axis].unanswered > 0) silent = axis;
    if (silent < 0) return AP_OK;
    const double rest = until - clock->now(clock->context);
    if (rest <= 0)
      return AP__REFUSE(error, AP_E_FILE, 0,
                        "axis %d, node %d: started, but it does not answer to "
                        "SYNC (expected its status, position and torque in frame %03Xh)",
                        silent + 1, b->drive[silent].node,
                        (unsigned)(AP__CAN_TPDO1 + b->drive[silent].node));
    clock->wait(clock->context, b->def.file, rest);
  }
}

ap_status ap__cia402_start(ap__cia402_bus *b, ap_error *error) {
  const ap__sdo sdo = {.file = b->def.file, .clock = b->clock};
  ap__cia402_manage(b, AP__NMT_PREOPERATIONAL);
  for (int axis = 0; axis < b->def.axes; axis++) {
    ap_status status = identify(b, &sdo, axis, error);
    if (!status) status = scale(b, &sdo, axis, error);
    if (!status) status = reset(b, &sdo, axis, error);
    if (!status) status = configure(b, &sdo, axis, error);
    if (status) return status;
  }
  ap__cia402_manage(b, AP__NMT_START);
  b->started = true;
  const ap_status status = first_answers(b, error);
  // Heartbeats of before are out of date.
  for (int axis = 0; axis < b->def.axes; axis++)
    b->drive[axis].state_nmt = AP__NODE_OPERATIONAL, b->drive[axis].heard = -1,
    b->drive[axis].way = 0;
  return status;
}
