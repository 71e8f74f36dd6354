// SPDX-License-Identifier: Apache-2.0
// Simulated drives of CiA 402 on one end of a pair of sockets, on the other end of which a rack
// believes to be on a CAN bus. They move a simulated arm: object dictionary, network management,
// PDOs as they were mapped, heartbeats both ways, the state machine; and what can go wrong.

#ifndef APPELL_TESTS_CIA402_DRIVES_H
#define APPELL_TESTS_CIA402_DRIVES_H

#include <math.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ctrl/cia402.h"
#include "test.h"

enum { DRIVES = 6, OBJECTS = 96, QUICK_PERIODS = 40, HOLD_PERIODS = 30 };

typedef struct object {
  int index, sub, bytes;
  uint32_t value;
} object;

typedef struct drive {
  int node, nmt;
  ap__cia402_state state;
  object object[OBJECTS];
  int objects;
  uint16_t controlword, error;
  int16_t torque, actual; // thousandths of the rated torque
  int32_t position, before;
  int mode, syncs, stopping, holding;
  double beat, heard; // s: of its own last heartbeat and of the controller's
  bool watching;      // it has heard the controller once
} drive;

// What goes wrong with drive `which` from a time on.
typedef enum mischief {
  FINE,
  FAULT_STATE,    // it has a fault, with an emergency of code `number`
  NO_HEARTBEAT,   // its heartbeat fails, all else goes on
  OTHER_MODE,     // it is in mode `number`
  SILENT,         // no answer to SYNC any more
  LOSES,          // `number` answers are lost, once
  SHORT_FRAMES,   // its answers are too short
  GARBAGE,        // frames of all kinds that mean nothing, besides
  FLOOD,          // thousands of them
  RESTARTS,       // it boots anew
  WARMER,         // an emergency of excess temperature, without a fault
  LEAVES,         // it leaves "operation enabled" by itself
  STRANGE_STATUS, // a statusword of no state
  JUMPS,          // its position is off by `number`
  BUS_OFF,        // an error frame says so
  UNPLUGGED       // the interface goes down
} mischief;

typedef struct drives {
  int file, n;
  drive drive[DRIVES];
  ap_rack *arm;
  ap_rack_input in;
  ap_rack_output out;
  double room[16 * DRIVES], gear, rated; // N m of the motors
  double t, clock, period;
  int abort_index;
  uint32_t abort_code;
  bool mute, never_enabled, fault_stays;
  bool deaf, reverse; // SYNC does not reach them; motors turn against their joints
  bool left;          // the other end was closed, with frames that it did not read
  mischief kind;
  int which, number;
  double at;
} drives;

static void drives_send(drives *s, uint32_t id, int length, const uint8_t *data) {
  ap__can_frame f = {.id = id, .length = (uint8_t)length};
  memcpy(f.data, data, (size_t)(length > 8 ? 8 : length));
  (void)!send(s->file, &f, sizeof f, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// ---- object dictionary -------------------------------------------------------------------------

static object *drive_object(drive *d, int index, int sub) {
  for (int k = 0; k < d->objects; k++)
    if (d->object[k].index == index && d->object[k].sub == sub) return &d->object[k];
  return NULL;
}

static void drive_add(drive *d, int index, int sub, int bytes, uint32_t value) {
  d->object[d->objects++] = (object){index, sub, bytes, value};
}

static uint32_t drive_value(drive *d, int index, int sub) {
  const object *o = drive_object(d, index, sub);
  return o ? o->value : 0;
}

static uint16_t drive_status(const drive *d) {
  static const uint16_t words[] = {
      [AP__CIA402_NOT_READY] = 0x0200,      [AP__CIA402_DISABLED] = 0x0250,
      [AP__CIA402_READY] = 0x0231,          [AP__CIA402_SWITCHED_ON] = 0x0233,
      [AP__CIA402_ENABLED] = 0x1237,        [AP__CIA402_QUICK_STOPPING] = 0x0217,
      [AP__CIA402_FAULT_REACTION] = 0x021F, [AP__CIA402_FAULT] = 0x0218};
  return words[d->state];
}

// Those that measure or show something.
static void drive_refresh(drive *d) {
  const struct {
    int index;
    uint32_t value;
  } live[] = {{0x6041, drive_status(d)},
              {0x603F, d->error},
              {0x6061, (uint32_t)d->mode & 0xFFu},
              {0x6064, (uint32_t)d->position},
              {0x6077, (uint16_t)d->actual}};
  for (size_t k = 0; k < sizeof live / sizeof live[0]; k++)
    drive_object(d, live[k].index, 0)->value = live[k].value;
}

static void drive_fill(drive *d, int node, double rated) {
  *d = (drive){.node = node, .nmt = 127, .state = AP__CIA402_DISABLED, .beat = -1};
  drive_add(d, 0x1000, 0, 4, 0x00020192);
  drive_add(d, 0x6502, 0, 4, 1u << 9 | 1u << 7);
  drive_add(d, 0x6076, 0, 4, (uint32_t)(1e3 * rated));
  static const int plain[][2] = {{0x6040, 2}, {0x6041, 2}, {0x603F, 2}, {0x6060, 1}, {0x6061, 1},
                                 {0x6064, 4}, {0x6071, 2}, {0x6077, 2}, {0x1006, 4}, {0x1017, 2},
                                 {0x6007, 2}, {0x605A, 2}, {0x605E, 2}};
  for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++)
    drive_add(d, plain[k][0], 0, plain[k][1], 0);
  drive_add(d, 0x1016, 1, 4, 0);
  drive_add(d, 0x60C2, 1, 1, 1);
  drive_add(d, 0x60C2, 2, 1, 0xFD);
  for (int k = 0; k < 2; k++)
    for (int way = 0; way < 2; way++) {
      const int at = way ? 0x1800 : 0x1400;
      drive_add(d, at + k, 1, 4, (uint32_t)((way ? 0x180 : 0x200) + 0x100 * k + node));
      drive_add(d, at + k, 2, 1, 255);
      for (int sub = 0; sub < 5; sub++) drive_add(d, at + 0x200 + k, sub, sub ? 4 : 1, 0);
    }
}

// A PDO is mapped while it is off, and its objects while their number is 0.
static uint32_t drive_forbids(drive *d, int index, int sub) {
  if (!(index >= 0x1400 && index < 0x1C00)) return 0;
  if (d->nmt != 127) return 0x08000022u;
  const int communication = index & ~0x200;
  const bool off = drive_value(d, communication, 1) >> 31;
  if (index != communication && !off) return 0x06010000u;
  return index != communication && sub > 0 && drive_value(d, index, 0) != 0 ? 0x06010000u : 0;
}

static void drive_serve(drives *s, drive *d, const ap__can_frame *f) {
  const int index = (int)ap__can_get(f->data + 1, 2), sub = f->data[3];
  object *o = drive_object(d, index, sub);
  const bool reads = f->data[0] == 0x40;
  const int bytes = 4 - (f->data[0] >> 2 & 3);
  uint8_t answer[8] = {0};
  uint32_t code = o ? 0 : 0x06020000u;
  if (!code && !reads && bytes != o->bytes) code = 0x06070010u;
  if (!code && !reads) code = drive_forbids(d, index, sub);
  if (index == s->abort_index) code = s->abort_code;
  drive_refresh(d);
  memcpy(answer + 1, f->data + 1, 3);
  if (code) {
    answer[0] = 0x80;
    ap__can_put(answer + 4, 4, code);
  } else if (reads) {
    answer[0] = (uint8_t)(0x43 | (4 - o->bytes) << 2);
    ap__can_put(answer + 4, o->bytes, o->value);
  } else {
    answer[0] = 0x60;
    o->value = ap__can_get(f->data + 4, bytes);
    if (index == 0x6060) d->mode = (int8_t)o->value;
    if (index == 0x6040 && o->value & 0x80 && d->state == AP__CIA402_FAULT && !s->fault_stays)
      d->state = AP__CIA402_DISABLED, d->error = 0;
  }
  drives_send(s, (uint32_t)(AP__CAN_SDO_ANSWER + d->node), 8, answer);
}

// ---- states ------------------------------------------------------------------------------------

static void drive_obey(const drives *s, drive *d) {
  const unsigned c = d->controlword;
  const ap__cia402_state was = d->state;
  if (was == AP__CIA402_FAULT || was == AP__CIA402_FAULT_REACTION) return;
  if (!(c & 2)) {
    d->state = AP__CIA402_DISABLED;
  } else if (!(c & 4)) {
    if (was == AP__CIA402_ENABLED) d->state = AP__CIA402_QUICK_STOPPING, d->stopping = 0;
    if (was == AP__CIA402_READY || was == AP__CIA402_SWITCHED_ON) d->state = AP__CIA402_DISABLED;
  } else if (!(c & 1)) {
    if (was != AP__CIA402_QUICK_STOPPING) d->state = AP__CIA402_READY;
  } else if (!(c & 8)) {
    if (was == AP__CIA402_READY || was == AP__CIA402_ENABLED) d->state = AP__CIA402_SWITCHED_ON;
    d->holding = was == AP__CIA402_ENABLED ? HOLD_PERIODS : d->holding;
  } else if (was == AP__CIA402_SWITCHED_ON && !s->never_enabled) {
    d->state = AP__CIA402_ENABLED;
  }
}

// Torque that it gives, thousandths. Whose operation was disabled holds until its brake does.
static int16_t drive_gives(drive *d) {
  if (d->state == AP__CIA402_ENABLED) return d->torque;
  if (d->state == AP__CIA402_SWITCHED_ON && d->holding > 0 && d->holding--) return d->actual;
  if (d->state != AP__CIA402_QUICK_STOPPING) return 0;
  if (++d->stopping > QUICK_PERIODS) d->state = AP__CIA402_DISABLED;
  return (int16_t)fmin(fmax(-2 * (double)(d->position - d->before), -1000), 1000);
}

// The controller is not heard any more: as 6007h says.
static void drive_watch(drive *d, double t) {
  const uint32_t watch = drive_value(d, 0x1016, 1);
  if (!d->watching || !watch || t - d->heard <= 1e-3 * (watch & 0xFFFFu)) return;
  d->error = 0x8130;
  if (d->state == AP__CIA402_ENABLED) d->state = AP__CIA402_FAULT;
}

static void drive_fault(drives *s, drive *d, int code) {
  uint8_t emergency[8] = {0};
  ap__can_put(emergency, 2, (uint32_t)code);
  d->state = AP__CIA402_FAULT, d->error = (uint16_t)code;
  drives_send(s, (uint32_t)(AP__CAN_EMERGENCY + d->node), 8, emergency);
}

// ---- process data ------------------------------------------------------------------------------

static void drive_take(drive *d, const ap__can_frame *f) {
  int at = 0;
  for (int k = 1; k <= (int)drive_value(d, 0x1600, 0); k++) {
    const uint32_t map = drive_value(d, 0x1600, k);
    const int bytes = (int)(map & 0xFF) / 8;
    if (at + bytes > f->length) return;
    const uint32_t value = ap__can_get(f->data + at, bytes);
    if (map >> 16 == 0x6040) d->controlword = (uint16_t)value;
    if (map >> 16 == 0x6071) d->torque = (int16_t)value;
    at += bytes;
  }
}

static bool misbehaves(const drives *s, const drive *d, mischief kind) {
  return s->kind == kind && d == &s->drive[s->which] && s->t >= s->at - 1e-9;
}

static void drive_answer(drives *s, drive *d, int which) {
  const int mapping = 0x1A00 + which, communication = 0x1800 + which;
  const uint32_t id = drive_value(d, communication, 1);
  const int type = (int)drive_value(d, communication, 2);
  uint8_t data[8] = {0};
  int at = 0;
  if (id >> 31 || type < 1 || type > 240 || d->syncs % type) return;
  drive_refresh(d);
  if (misbehaves(s, d, STRANGE_STATUS)) drive_object(d, 0x6041, 0)->value = 0x0026;
  if (misbehaves(s, d, JUMPS)) drive_object(d, 0x6064, 0)->value += (uint32_t)s->number;
  for (int k = 1; k <= (int)drive_value(d, mapping, 0); k++) {
    const uint32_t map = drive_value(d, mapping, k);
    const int bytes = (int)(map & 0xFF) / 8;
    ap__can_put(data + at, bytes, drive_value(d, (int)(map >> 16), (int)(map >> 8 & 0xFF)));
    at += bytes;
  }
  if (which == 0 && misbehaves(s, d, SILENT)) return;
  if (which == 0 && misbehaves(s, d, LOSES) && s->number-- > 0) return;
  if (misbehaves(s, d, SHORT_FRAMES)) at--;
  drives_send(s, id & 0x7FF, at, data);
}

// ---- what goes wrong ---------------------------------------------------------------------------

static void drives_garbage(drives *s, int frames) {
  static const uint32_t ids[] = {0x7FF,      0x181,      0x281,      0x701,      0x081,
                                 0x40000181, 0x80000181, 0x9FFFFFFF, 0x20000001, 0x581};
  for (int k = 0; k < frames; k++) {
    const uint32_t id = ids[k % 10];
    const bool ours = id < 0x700 && id != 0x581;
    const uint8_t data[8] = {0x55, (uint8_t)k, 0xFF, 0, 0x80, 0x7F, 1, 2};
    drives_send(s, id, ours ? k % 2 : 8, data);
  }
  (void)!send(s->file, "no frame", 8, MSG_DONTWAIT | MSG_NOSIGNAL);
  const ap__can_frame long_one = {.id = 0x181, .length = 200};
  (void)!send(s->file, &long_one, sizeof long_one, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void drives_misbehave(drives *s) {
  drive *d = &s->drive[s->which];
  const uint8_t none[8] = {0}, warm[8] = {0x10, 0x42}, bus_off[8] = {0};
  if (s->kind == FINE || s->t < s->at - 1e-9) return;
  const bool first = s->t < s->at + s->period - 1e-9;
  if (s->kind == FAULT_STATE && first) drive_fault(s, d, s->number);
  if (s->kind == OTHER_MODE) d->mode = s->number;
  if (s->kind == GARBAGE) drives_garbage(s, 20);
  if (s->kind == FLOOD) drives_garbage(s, 1000);
  if (s->kind == WARMER && first) drives_send(s, (uint32_t)(AP__CAN_EMERGENCY + d->node), 8, warm);
  if (s->kind == LEAVES && first) d->state = AP__CIA402_SWITCHED_ON, d->controlword = 0;
  if (s->kind == BUS_OFF) drives_send(s, AP__CAN_ERROR | AP__CAN_BUS_OFF, 8, bus_off);
  if (s->kind == RESTARTS && first) {
    d->nmt = 127, d->state = AP__CIA402_DISABLED;
    drives_send(s, (uint32_t)(AP__CAN_HEARTBEAT + d->node), 1, none);
  }
  if (s->kind == UNPLUGGED && s->file >= 0) {
    close(s->file);
    s->file = -1;
  }
}

// ---- all of them -------------------------------------------------------------------------------

// The moment of SYNC: measure, act on what has come since the last one, answer.
static void drives_sync(drives *s) {
  CHECK_OK(s->arm->read(s->arm->context, s->t, &s->in));
  drives_misbehave(s);
  bool free = false;
  for (int j = 0; j < s->n; j++) {
    drive *d = &s->drive[j];
    d->before = d->position, d->position = (s->reverse ? -1 : 1) * s->in.encoder[j];
    if (d->nmt == AP__NODE_OPERATIONAL && !misbehaves(s, d, LEAVES)) drive_obey(s, d);
    drive_watch(d, s->t);
    d->actual = drive_gives(d);
    s->out.command[j] = (s->reverse ? -1 : 1) * d->actual * s->rated * s->gear / 1000;
    free = free || d->state == AP__CIA402_ENABLED || d->state == AP__CIA402_QUICK_STOPPING;
    d->syncs++;
    for (int k = 0; k < 2 && d->nmt == AP__NODE_OPERATIONAL; k++) drive_answer(s, d, k);
  }
  s->out.brakes = !free;
  CHECK_OK(s->arm->write(s->arm->context, s->t, &s->out));
  s->t += s->period;
}

static void drives_beat(drives *s) {
  for (int j = 0; j < s->n; j++) {
    drive *d = &s->drive[j];
    const double every = 1e-3 * drive_value(d, 0x1017, 0);
    if (!(every > 0) || s->t - d->beat < every - 1e-9 || misbehaves(s, d, NO_HEARTBEAT)) continue;
    const uint8_t state = (uint8_t)d->nmt;
    d->beat = s->t;
    drives_send(s, (uint32_t)(AP__CAN_HEARTBEAT + d->node), 1, &state);
  }
}

static void drives_manage(drives *s, const ap__can_frame *f) {
  for (int j = 0; j < s->n; j++) {
    if (f->data[1] != 0 && f->data[1] != s->drive[j].node) continue;
    if (f->data[0] == AP__NMT_START) s->drive[j].nmt = AP__NODE_OPERATIONAL;
    if (f->data[0] == AP__NMT_PREOPERATIONAL) {
      s->drive[j].nmt = 127;
      if (s->drive[j].state == AP__CIA402_ENABLED) s->drive[j].state = AP__CIA402_DISABLED;
    }
  }
}

// All frames that have come; how many.
static int drives_pump(drives *s) {
  ap__can_frame f;
  int count = 0;
  for (; s->file >= 0; count++) {
    const ap__can_state state = ap__can_receive(s->file, &f);
    const bool again = state == AP__CAN_DOWN && !s->left;
    s->left = s->left || again;
    if (state != AP__CAN_FRAME && !again) break;
    if (s->mute || again) continue;
    if (f.id == AP__CAN_NMT) drives_manage(s, &f);
    if (f.id == AP__CAN_SYNC && !s->deaf) drives_sync(s);
    for (int j = 0; j < s->n; j++) {
      drive *d = &s->drive[j];
      if (f.id == (uint32_t)(AP__CAN_SDO + d->node)) drive_serve(s, d, &f);
      if (f.id == (drive_value(d, 0x1400, 1) & 0x800007FFu) && d->nmt == AP__NODE_OPERATIONAL)
        drive_take(d, &f);
      if (f.id == (uint32_t)AP__CAN_HEARTBEAT + (drive_value(d, 0x1016, 1) >> 16))
        d->heard = s->t, d->watching = true;
    }
  }
  if (!s->mute && s->file >= 0) drives_beat(s);
  return count;
}

static double drives_now(void *context) { return ((drives *)context)->clock; }

static void drives_wait(void *context, int file, double seconds) {
  drives *s = context;
  (void)file;
  s->clock += drives_pump(s) > 0 ? 1e-4 : seconds;
}

// Drives that move an arm; the other end of their bus.
static int drives_open(drives *s, int n, ap_rack *arm, double period, double gear, double rated) {
  int end[2];
  if (!CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, end) == 0)) return -1;
  *s = (drives){.file = end[1], .n = n, .arm = arm, .period = period, .gear = gear, .rated = rated};
  ap_rack_input_init(&s->in, n, s->room);
  ap_rack_output_init(&s->out, n, s->room + 8 * (ptrdiff_t)n);
  for (int j = 0; j < n; j++) drive_fill(&s->drive[j], j + 1, rated);
  return end[0];
}

#endif
