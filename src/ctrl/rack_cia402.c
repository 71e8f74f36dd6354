// SPDX-License-Identifier: Apache-2.0
// CiA 402 drives as a rack: process data with every period.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctrl/cia402.h"
#include "ctrl/ctrl.h"
#include "file/robot.h"

ap_cia402_def ap_default_cia402(void) {
  return (ap_cia402_def){.file = -1,
                         .period = 2e-3,
                         .bitrate = 1e6,
                         .host = 126,
                         .heartbeat = 0.05,
                         .watchdog = 0.02,
                         .lost = 3,
                         .cookie = AP_COOKIE};
}

ap__cia402_state ap__cia402_state_of(uint16_t word) {
  static const struct {
    uint16_t mask, value;
    ap__cia402_state state;
  } known[] = {{0x4F, 0x00, AP__CIA402_NOT_READY},      {0x4F, 0x40, AP__CIA402_DISABLED},
               {0x6F, 0x21, AP__CIA402_READY},          {0x6F, 0x23, AP__CIA402_SWITCHED_ON},
               {0x6F, 0x27, AP__CIA402_ENABLED},        {0x6F, 0x07, AP__CIA402_QUICK_STOPPING},
               {0x4F, 0x0F, AP__CIA402_FAULT_REACTION}, {0x4F, 0x08, AP__CIA402_FAULT}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
    if ((word & known[k].mask) == known[k].value) return known[k].state;
  return AP__CIA402_UNKNOWN;
}

static const char *state_text(ap__cia402_state state) {
  switch (state) {
#define STATE_TEXT(code, text) \
  case code: return text;
    AP__CIA402_STATES(STATE_TEXT)
#undef STATE_TEXT
  }
  return "";
}

void ap__cia402_trouble(ap__cia402_bus *b, int axis, const char *format, ...) {
  if (b->trouble[0]) return;
  int n = 0;
  if (axis >= 0)
    n = snprintf(b->trouble, sizeof b->trouble, "axis %d, node %d: ", axis + 1,
                 b->drive[axis].node);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(b->trouble + n, sizeof b->trouble - (size_t)n, format, arguments);
  va_end(arguments);
}

// ---- frames that arrive ------------------------------------------------------------------------

static bool is_enabled(const ap__cia402_drive *d) {
  return ap__cia402_state_of(d->statusword) == AP__CIA402_ENABLED;
}

static void take_first(ap__cia402_drive *d, const ap__can_frame *f) {
  if (f->length != 8) return;
  const uint32_t position = ap__can_get(f->data + 2, 4);
  d->statusword = (uint16_t)ap__can_get(f->data, 2);
  if (d->unanswered > 0) d->way = (int32_t)(position - (uint32_t)d->position) / d->unanswered;
  d->position = (int32_t)position;
  d->actual = (int16_t)ap__can_get(f->data + 6, 2);
  d->unanswered = 0;
}

// The mode counts while the drive is enabled: before, it may still be the one of before.
static void take_second(ap__cia402_drive *d, const ap__can_frame *f) {
  if (f->length != 3) return;
  const uint16_t error = (uint16_t)ap__can_get(f->data + 1, 2);
  d->mode = f->data[0] < 128 ? f->data[0] : f->data[0] - 256; // INTEGER8
  d->mode_wrong = is_enabled(d) && d->mode != AP__CIA402_CST;
  d->mode_unseen = 0;
  if (error) d->error = error;
}

// Emergencies of the class 4xxxh are about temperatures; code 0 takes all back.
static void take_emergency(ap__cia402_drive *d, const ap__can_frame *f) {
  if (f->length != 8) return;
  const uint16_t code = (uint16_t)ap__can_get(f->data, 2);
  if (code) d->error = code;
  d->hot = code ? d->hot || code >> 12 == 4 : false;
}

static void take_heartbeat(ap__cia402_drive *d, const ap__can_frame *f, double t) {
  if (f->length != 1) return;
  d->state_nmt = f->data[0] & 0x7F;
  d->heard = t;
}

static void take(ap__cia402_bus *b, const ap__can_frame *f, double t) {
  if (f->id & AP__CAN_ERROR && f->id & AP__CAN_BUS_OFF) b->down = true;
  if (f->id & (AP__CAN_ERROR | AP__CAN_REMOTE | AP__CAN_EXTENDED)) return;
  const int axis = b->axis_of[f->id & 0x7Fu];
  if (axis < 0) return;
  ap__cia402_drive *d = &b->drive[axis];
  switch (f->id & 0x780u) {
    case AP__CAN_TPDO1: take_first(d, f); break;
    case AP__CAN_TPDO2: take_second(d, f); break;
    case AP__CAN_EMERGENCY: take_emergency(d, f); break;
    case AP__CAN_HEARTBEAT: take_heartbeat(d, f, t); break;
    default: break;
  }
}

bool ap__cia402_receive(ap__cia402_bus *b, double t) {
  const int most = 64 + 16 * b->def.axes; // what a bus can carry in some periods
  for (int k = 0; k < most; k++) {
    ap__can_frame f;
    const ap__can_state state = ap__can_receive(b->def.file, &f);
    if (state == AP__CAN_FRAME) take(b, &f, t);
    b->down = b->down || state == AP__CAN_DOWN;
    if (b->down) ap__cia402_trouble(b, -1, "the CAN bus is off, or its interface is down");
    if (b->down) return false;
    if (state == AP__CAN_NONE) return true;
  }
  ap__cia402_trouble(b, -1, "more than %d frames in a period: something floods the bus", most);
  return false;
}

// ---- reading -----------------------------------------------------------------------------------

// Whether a drive must be switched off for a reason of its own.
static bool is_faulty(ap__cia402_bus *b, int axis, double t) {
  ap__cia402_drive *d = &b->drive[axis];
  const ap__cia402_state state = ap__cia402_state_of(d->statusword);
  const double patience = 2 * b->def.heartbeat;
  if (d->heard < 0) d->heard = t; // it has been started just now
  if (state == AP__CIA402_FAULT || state == AP__CIA402_FAULT_REACTION)
    ap__cia402_trouble(b, axis, "the drive has a fault, error code %04Xh", (unsigned)d->error);
  else if (d->state_nmt != AP__NODE_OPERATIONAL)
    ap__cia402_trouble(b, axis,
                       d->state_nmt == AP__NODE_BOOTED ? "the drive has started anew"
                                                       : "the drive is not operational any more");
  else if (t - d->heard > patience)
    ap__cia402_trouble(b, axis, "no heartbeat for %d ms", (int)(1e3 * (t - d->heard)));
  else if (d->mode_wrong)
    ap__cia402_trouble(b, axis, "the drive is in mode %d, not %d", d->mode, AP__CIA402_CST);
  else
    return false;
  return true;
}

static uint32_t status_of(ap__cia402_bus *b, int axis, double t) {
  const ap__cia402_drive *d = &b->drive[axis];
  const ap__cia402_state state = ap__cia402_state_of(d->statusword);
  uint32_t status = AP_AXIS_REPORTS | AP_AXIS_INDEXED;
  if (is_faulty(b, axis, t)) return status | AP_AXIS_FAULT;
  if (state == AP__CIA402_READY || state == AP__CIA402_SWITCHED_ON || state == AP__CIA402_ENABLED)
    status |= AP_AXIS_READY;
  if (state == AP__CIA402_ENABLED) status |= AP_AXIS_ENABLED;
  if (state == AP__CIA402_QUICK_STOPPING) status |= AP_AXIS_QUICK_STOP;
  if (d->statusword & 0x0880u) status |= AP_AXIS_WARNING; // warning, internal limit
  if (d->hot) status |= AP_AXIS_HOT;
  return status;
}

// A drive that was enabled and has left that state by itself.
static void note_state(ap__cia402_bus *b, int axis) {
  ap__cia402_drive *d = &b->drive[axis];
  if (d->was_enabled && b->driven && !is_enabled(d))
    ap__cia402_trouble(b, axis, "the drive is %s (statusword %04Xh)",
                       state_text(ap__cia402_state_of(d->statusword)), (unsigned)d->statusword);
  d->was_enabled = d->was_enabled || is_enabled(d);
}

static bool answers(ap__cia402_bus *b, int axis) {
  const ap__cia402_drive *d = &b->drive[axis];
  if (d->unanswered >= b->def.lost)
    ap__cia402_trouble(b, axis, "no answer to SYNC for %d periods", d->unanswered);
  else if (d->mode_unseen >= (b->def.lost + 1) * b->mode_every)
    ap__cia402_trouble(b, axis, "its mode was not sent for %d periods", d->mode_unseen);
  else
    return true;
  return false;
}

static ap_status bus_read(void *context, double t, ap_rack_input *in) {
  ap__cia402_bus *b = context;
  bool good = ap__cia402_receive(b, t);
  for (int j = 0; j < b->def.axes; j++) {
    const ap__cia402_drive *d = &b->drive[j];
    // Where an answer is lost the motor goes on as it did, for less than `lost` periods.
    const uint32_t position = (uint32_t)d->position + (uint32_t)d->way * (uint32_t)d->unanswered;
    in->status[j] = status_of(b, j, t);
    note_state(b, j);
    in->encoder[j] = (int32_t)(d->reverse ? 0u - position : position);
    in->torque[j] = d->sensor ? (d->reverse ? -d->torque : d->torque) * d->actual : 0;
    in->potentiometer[j] = 0, in->index[j] = 0;
    good = answers(b, j) && good;
  }
  return good ? AP_OK : AP_E_FILE;
}

// ---- writing -----------------------------------------------------------------------------------

bool ap__cia402_command(ap__cia402_bus *b, int axis, uint16_t controlword, int16_t torque) {
  ap__can_frame f = {.id = (uint32_t)(AP__CAN_RPDO1 + b->drive[axis].node), .length = 4};
  ap__can_put(f.data, 2, controlword);
  ap__can_put(f.data + 2, 2, (uint16_t)torque);
  return ap__can_send(b->def.file, &f);
}

bool ap__cia402_sync(ap__cia402_bus *b) {
  const ap__can_frame f = {.id = AP__CAN_SYNC};
  for (int j = 0; j < b->def.axes; j++) b->drive[j].unanswered++, b->drive[j].mode_unseen++;
  return ap__can_send(b->def.file, &f);
}

// The way to "operation enabled", a state at a time. From a fault or a quick stop none leads there.
static uint16_t towards_enabled(const ap__cia402_drive *d) {
  switch (ap__cia402_state_of(d->statusword)) {
    case AP__CIA402_DISABLED: return AP__CIA402_SHUTDOWN;
    case AP__CIA402_READY: return AP__CIA402_SWITCH_ON;
    case AP__CIA402_SWITCHED_ON:
    case AP__CIA402_ENABLED: return AP__CIA402_OPERATE;
    case AP__CIA402_QUICK_STOPPING: return AP__CIA402_QUICK;
    default: return AP__CIA402_CUT;
  }
}

static uint16_t stop_word(const ap__cia402_bus *b) {
  return b->def.stop == AP_CIA402_QUICK_STOP ? AP__CIA402_QUICK : AP__CIA402_CUT;
}

// Brakes with torques: "disable operation", a drive holds until its brake does.
static uint16_t controlword(const ap__cia402_bus *b, const ap__cia402_drive *d, bool brakes,
                            bool cut) {
  if (b->stopped) return stop_word(b);
  if (cut) return AP__CIA402_CUT; // not released yet
  return brakes ? AP__CIA402_SWITCH_ON : towards_enabled(d);
}

static int16_t thousandths(const ap__cia402_drive *d, double command) {
  const double x = nearbyint(fmin(fmax(command, -d->largest), d->largest) * d->permille);
  return (int16_t)(d->reverse ? -x : x);
}

static bool beat(ap__cia402_bus *b, double t) {
  ap__can_frame f = {.id = (uint32_t)(AP__CAN_HEARTBEAT + b->def.host), .length = 1};
  f.data[0] = AP__NODE_OPERATIONAL;
  if (b->def.watchdog <= 0 || t - b->beaten < b->def.watchdog / 4) return true;
  b->beaten = t;
  return ap__can_send(b->def.file, &f);
}

static ap_status bus_write(void *context, double t, const ap_rack_output *out) {
  ap__cia402_bus *b = context;
  bool zero = true, good = true;
  for (int j = 0; j < b->def.axes; j++) zero = zero && out->command[j] == 0;
  const bool cut = out->brakes && zero;
  b->stopped = b->stopped || (cut && b->released);
  b->released = b->released || !out->brakes;
  b->driven = !out->brakes && !b->stopped;
  for (int j = 0; j < b->def.axes; j++) {
    const ap__cia402_drive *d = &b->drive[j];
    const uint16_t word = controlword(b, d, out->brakes, cut);
    const int16_t torque = word == AP__CIA402_OPERATE ? thousandths(d, out->command[j]) : 0;
    good = ap__cia402_command(b, j, word, torque) && good;
  }
  good = ap__cia402_sync(b) && good;
  good = beat(b, t) && good;
  if (!good) ap__cia402_trouble(b, -1, "the CAN bus takes no frames: no node acknowledges them");
  return good ? AP_OK : AP_E_FILE;
}

// ---- the end -----------------------------------------------------------------------------------

static bool none_brakes(const ap__cia402_bus *b) {
  for (int j = 0; j < b->def.axes; j++) {
    const ap__cia402_state state = ap__cia402_state_of(b->drive[j].statusword);
    if (state == AP__CIA402_ENABLED || state == AP__CIA402_QUICK_STOPPING) return false;
  }
  return true;
}

static void command_all(ap__cia402_bus *b, uint16_t word) {
  for (int j = 0; j < b->def.axes; j++) ap__cia402_command(b, j, word, 0);
  ap__cia402_sync(b);
}

// Drives that brake by themselves get the time for it. Whatever they did, the power is off then; a
// frame may be lost, so they are told twice.
static void stop_drives(ap__cia402_bus *b) {
  const ap__can_clock *clock = b->clock;
  static const double most = 2; // s
  const double until = clock->now(clock->context) + most;
  bool rest = b->def.stop != AP_CIA402_QUICK_STOP;
  while (!rest && clock->now(clock->context) < until) {
    command_all(b, AP__CIA402_QUICK);
    b->beaten = -INFINITY;
    beat(b, 0);
    clock->wait(clock->context, b->def.file, b->def.period);
    rest = !ap__cia402_receive(b, 0) || none_brakes(b);
  }
  for (int k = 0; k < 2; k++) command_all(b, AP__CIA402_CUT);
  ap__cia402_manage(b, AP__NMT_PREOPERATIONAL);
}

static void bus_close(void *context) {
  ap__cia402_bus *b = context;
  if (b->started) stop_drives(b);
  if (b->def.file >= 0) close(b->def.file);
  free(b->drive);
  free(b);
}

static const char *bus_trouble(const void *context) {
  return ((const ap__cia402_bus *)context)->trouble;
}

// ---- opening -----------------------------------------------------------------------------------

// Bits of a frame at most: stuffed, with the pause behind it.
static double frame_bits(int bytes) { return 8 * bytes + 47 + floor((33 + 8 * bytes) / 4.0); }

static int mode_every(const ap_cia402_def *d) {
  return (int)fmin(fmax(nearbyint(0.02 / d->period), 1), 240);
}

// Those of a period: commands, answers, SYNC and heartbeat.
static double period_bits(const ap_cia402_def *d) {
  return d->axes * (frame_bits(4) + frame_bits(8) + frame_bits(3) / mode_every(d)) + frame_bits(0) +
         frame_bits(1);
}

static ap_status check_axes(const ap_cia402_def *d, ap_error *error) {
  bool used[AP__CAN_NODES] = {false};
  used[d->host] = true;
  for (int j = 0; j < d->axes; j++) {
    const int node = d->node[j].node;
    const ap_axis *a = &d->axis[j];
    const char *wrong = NULL;
    if (ap__axis_check(a, j, error)) return AP_E_ARG;
    if (a->encoder != AP_ENCODER_ABSOLUTE) wrong = "its encoder must be an absolute one";
    if (a->drive == AP_DRIVE_VOLT) wrong = "it takes amperes or torque, not volts";
    if (node < 1 || node >= AP__CAN_NODES) wrong = "its node is not between 1 and 127";
    if (!wrong && used[node]) wrong = "its node is used twice";
    if (!(d->node[j].rated_torque >= 0 && isfinite(d->node[j].rated_torque)))
      wrong = "its rated torque is negative";
    if (wrong) return AP__REFUSE(error, AP_E_ARG, 0, "axis %d: %s", j + 1, wrong);
    used[node] = true;
  }
  return AP_OK;
}

ap_status ap__cia402_check(const ap_cia402_def *d, ap_error *error) {
  const char *wrong = NULL;
  if (!AP_STARTS_FROM(ap_default_cia402, d, error)) return AP_E_ARG;
  if (d->axes < 1 || d->axes >= AP__CAN_NODES - 1)
    return AP__REFUSE(error, AP_E_ARG, 0, "a rack with %d axes (1 to 126 nodes)", d->axes);
  if (!(d->period >= 2.5e-4 && d->period <= 0.1))
    wrong = "the period of drives is not between 0.25 and 100 ms";
  if (d->host < 1 || d->host >= AP__CAN_NODES) wrong = "host is not between 1 and 127";
  if (!(d->heartbeat >= d->period && d->heartbeat >= 1e-3 && d->heartbeat <= 60))
    wrong = "heartbeat is shorter than a period or longer than 60 s";
  if (!(d->watchdog == 0 || (d->watchdog >= 4 * d->period && d->watchdog <= 60)))
    wrong = "watchdog is shorter than 4 periods or longer than 60 s";
  if (d->lost < 1 || d->lost > 1000) wrong = "lost is not between 1 and 1000";
  if (wrong) return AP__REFUSE(error, AP_E_ARG, 0, "%s", wrong);
  const double takes = period_bits(d) / d->bitrate;
  if (!(takes > 0 && takes <= 0.9 * d->period))
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "the frames of %d axes take %.4g ms at %.4g bit/s, a period is %.4g ms (at "
                      "most 90 %% of it; lower the rate, or use more buses)",
                      d->axes, 1e3 * takes, d->bitrate, 1e3 * d->period);
  return check_axes(d, error);
}

static void prepare(ap__cia402_bus *b, const ap_cia402_def *def) {
  b->def = *def, b->beaten = -INFINITY, b->mode_every = mode_every(def);
  for (int k = 0; k < AP__CAN_NODES; k++) b->axis_of[k] = -1;
  for (int j = 0; j < def->axes; j++) {
    b->axis_of[def->node[j].node] = j;
    b->drive[j] = (ap__cia402_drive){.node = def->node[j].node,
                                     .reverse = def->node[j].reverse,
                                     .heard = -1,
                                     .mode = AP__CIA402_CST};
  }
}

ap_status ap__rack_cia402(const ap_cia402_def *def, const ap__can_clock *clock, ap_rack *rack,
                          ap_error *error) {
  *rack = (ap_rack){0};
  ap_status status = ap__cia402_check(def, error);
  ap__cia402_bus *b = status ? NULL : calloc(1, sizeof *b);
  if (b) b->drive = calloc((size_t)def->axes, sizeof *b->drive);
  if (!b || !b->drive) {
    if (def->file >= 0) close(def->file);
    free(b);
    return status ? status : ap__no_memory(error);
  }
  prepare(b, def);
  b->clock = clock;
  status = ap__cia402_start(b, error);
  if (status) {
    bus_close(b);
    return status;
  }
  *rack = (ap_rack){.context = b,
                    .axes = def->axes,
                    .read = bus_read,
                    .write = bus_write,
                    .close = bus_close,
                    .trouble = bus_trouble};
  return AP_OK;
}

ap_status ap_rack_cia402(const ap_cia402_def *def, ap_rack *rack, ap_error *error) {
  return ap__rack_cia402(def, &ap__can_real_clock, rack, error);
}
