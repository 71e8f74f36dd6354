// SPDX-License-Identifier: Apache-2.0
// CiA 402 drives as a rack: start-up, a run, stops, and everything that may go wrong on the bus.

#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for heap.h
#endif

#include <appell/control.h>

#include "cia402_drives.h"
#include "ctrl/control.h"
#include "ctrl/servo.h"
#include "heap.h"

static const double gear = 101, rated = 1.2;

#define AXIS(joint)                                                   \
  "  - {joint: " joint                                                \
  ", sensor: absolute, counts: 65536, turns: 101, gear: 101, drive: " \
  "torque}\n"
static const char scenario[] =
    "appell-control: 1\nrobot: models/control/ur10_arm.yaml\nrate: 500\n"
    "reference: {kind: quintic, from: [0, -1, 1.2, -0.6, 0.5, 0],\n"
    "            to: [0.4, -1.3, 0.9, -0.2, 0.8, 0.4], time: 1}\n"
    "duration: 1.1\nring: 64\n"
    "rack: {start: [0, -1, 1.2, -0.6, 0.5, 0], spread: 0.05, brake_close: 0.05, step: 1e-3}\n"
    "axes:\n" AXIS("shoulder_pan") AXIS("shoulder_lift") AXIS("elbow") AXIS("wrist_1")
        AXIS("wrist_2") AXIS("wrist_3") "...\n";

typedef struct bed {
  ap_control *control;
  ap_servo *servo;
  ap_rack arm;
  drives s;
  ap_cia402_axis node[DRIVES];
  ap_cia402_def def;
  ap__can_clock clock;
  ap_error error;
} bed;

// An arm with its drives, and a bus to them that no rack has opened yet.
static bool open_bed(bed *b) {
  *b = (bed){.clock = {.now = drives_now, .wait = drives_wait}};
  bool good = CHECK_OK(ap_control_parse(scenario, sizeof scenario - 1, NULL, NULL, &b->control,
                                        &b->error)) &&
              CHECK_OK(ap_control_open(b->control, &b->servo, &b->error));
  if (!good) {
    printf("%d: %s\n", b->error.line, b->error.text);
    return false;
  }
  b->arm = b->control->rack;
  b->control->rack = (ap_rack){.axes = DRIVES};
  b->clock.context = &b->s;
  b->def = ap_default_cia402();
  b->def.file = drives_open(&b->s, DRIVES, &b->arm, 2e-3, gear, rated);
  b->def.axes = DRIVES, b->def.axis = b->control->axis, b->def.node = b->node;
  for (int j = 0; j < DRIVES; j++) b->node[j] = (ap_cia402_axis){.node = j + 1};
  return true;
}

static ap_status start(bed *b) {
  return ap__rack_cia402(&b->def, &b->clock, &b->control->rack, &b->error);
}

static bool step(bed *b) {
  ap_servo_record r;
  const bool more = ap_servo_step(b->servo);
  while (ap_servo_take(b->servo, &r)) continue;
  drives_pump(&b->s);
  return more;
}

static const ap_servo_result *run(bed *b) {
  while (step(b)) continue;
  const ap_servo_result *x = ap_servo_result_of(b->servo);
  test_context("%s, axis %d at %.3f s: %g, limit %g: %s", ap_stop_name(x->stop), x->stop_axis,
               x->stop_t, x->stop_value, x->stop_limit, ap_rack_trouble(&b->control->rack));
  return x;
}

static void drop(bed *b) {
  ap_rack_close(&b->control->rack);
  b->control->rack = b->arm;
  if (b->s.file >= 0) close(b->s.file);
  ap_control_free(b->control);
}

// ---- start-up ----------------------------------------------------------------------------------

TEST(start_up_configures_the_drives) {
  bed b;
  if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
  static const struct {
    int index, sub;
    uint32_t value;
  } wanted[] = {{0x1400, 1, 0x203},
                {0x1400, 2, 1},
                {0x1600, 0, 2},
                {0x1600, 1, 0x60400010},
                {0x1600, 2, 0x60710010},
                {0x1800, 1, 0x40000183},
                {0x1800, 2, 1},
                {0x1A00, 0, 3},
                {0x1A00, 1, 0x60410010},
                {0x1A00, 2, 0x60640020},
                {0x1A00, 3, 0x60770010},
                {0x1801, 1, 0x40000283},
                {0x1801, 2, 10},
                {0x1A01, 0, 2},
                {0x1A01, 1, 0x60610008},
                {0x1A01, 2, 0x603F0010},
                {0x1401, 1, 0x80000303},
                {0x6060, 0, 10},
                {0x60C2, 1, 2},
                {0x60C2, 2, 0xFD},
                {0x1006, 0, 2000},
                {0x1017, 0, 50},
                {0x1016, 1, 126u << 16 | 20},
                {0x6007, 0, 2},
                {0x605E, 0, 0}};
  for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
    test_context("%04X:%d", (unsigned)wanted[k].index, wanted[k].sub);
    CHECK(drive_value(&b.s.drive[2], wanted[k].index, wanted[k].sub) == wanted[k].value);
  }
  for (int j = 0; j < DRIVES; j++) CHECK_EQ_INT(b.s.drive[j].nmt, AP__NODE_OPERATIONAL);
  drop(&b);
}

TEST(periods_of_all_lengths_are_written_as_they_are) {
  static const struct {
    double period;
    uint32_t number, power;
  } known[] = {{4e-3, 4, 0xFD}, {2.5e-3, 25, 0xFC}, {0.1, 100, 0xFD}, {1.25e-2, 125, 0xFC}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    bed b;
    if (!open_bed(&b)) return;
    b.def.period = known[k].period, b.def.watchdog = b.def.heartbeat = 0.5;
    if (!CHECK_OK(start(&b))) return;
    CHECK(drive_value(&b.s.drive[0], 0x60C2, 1) == known[k].number);
    CHECK(drive_value(&b.s.drive[0], 0x60C2, 2) == known[k].power);
    drop(&b);
  }
}

// A drive that is not what it should be is refused with its number and the reason.
static void refuses(bed *b, const char *text) {
  const ap_status status = start(b);
  CHECK(status == AP_E_FILE || status == AP_E_ARG);
  CHECK_HAS(b->error.text, text);
  drop(b);
}

TEST(drives_that_do_not_fit_are_refused) {
  static const struct {
    int index; // with this value, or this code of an abort
    uint32_t value, code;
    const char *text;
  } known[] = {
      {0x1000, 0x191, 0, "axis 1, node 1: its profile is 401"},
      {0x6502, 0x80, 0, "no mode \"cyclic synchronous torque\" (6502h is 00000080h)"},
      {0x6076, 0, 0, "knows no rated torque"},
      {0x6076, 60, 0, "the largest command is 54.46 times the rated torque of the motor, 0.06 N m"},
      {0x1A00, 0, 0x06040042, "object 1A00h: the mapping is too long (06040042h)"},
      {0x6060, 0, 0x06090030, "object 6060h: the value is out of range"},
      {0x1016, 0, 0x06020000, "object 1016h: there is no such object"},
      {0x6041, 0, 0x08000022, "not in the drive's present state"}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    bed b;
    if (!open_bed(&b)) return;
    test_context("%04X", (unsigned)known[k].index);
    if (known[k].code)
      b.s.abort_index = known[k].index, b.s.abort_code = known[k].code;
    else
      drive_object(&b.s.drive[0], known[k].index, 0)->value = known[k].value;
    refuses(&b, known[k].text);
  }
}

TEST(optional_objects_may_be_missing) {
  static const int optional[] = {0x6502, 0x60C2, 0x1006, 0x6007, 0x605E};
  for (size_t k = 0; k < sizeof optional / sizeof optional[0]; k++) {
    bed b;
    if (!open_bed(&b)) return;
    b.s.abort_index = optional[k], b.s.abort_code = AP__SDO_NO_OBJECT;
    CHECK_OK(start(&b));
    drop(&b);
  }
}

TEST(a_bus_without_answers_is_told) {
  bed b;
  if (!open_bed(&b)) return;
  b.s.mute = true;
  refuses(&b, "axis 1, node 1: object 1000h: no answer (check power, wiring, bit rate and node");
  if (!open_bed(&b)) return;
  b.s.deaf = true;
  refuses(&b,
          "axis 1, node 1: started, but it does not answer to SYNC (expected its status, "
          "position and torque in frame 181h)");
  if (!open_bed(&b)) return;
  close(b.s.file);
  b.s.file = -1;
  refuses(&b, "the bus takes no frames");
}

TEST(what_cannot_be_is_refused_before_a_drive_is_asked) {
  static const struct {
    const char *text;
  } known[] = {{"axis 2: its node is used twice"},
               {"axis 1: its node is not between 1 and 127"},
               {"the frames of 6 axes take 1.525 ms at 1e+06 bit/s, a period is 1 ms"},
               {"axis 1: it takes amperes or torque, not volts"},
               {"axis 1: its encoder must be an absolute one"},
               {"watchdog is shorter than 4 periods"},
               {"heartbeat is shorter than a period"},
               {"1 to 126 nodes"}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    bed b;
    if (!open_bed(&b)) return;
    if (k == 0) b.node[1].node = 1;
    if (k == 1) b.node[0].node = 128;
    if (k == 2) b.def.period = 1e-3;
    if (k == 3) b.control->axis[0].drive = AP_DRIVE_VOLT;
    if (k == 4) b.control->axis[0].encoder = AP_ENCODER_INCREMENTAL;
    if (k == 5) b.def.watchdog = 1e-3;
    if (k == 6) b.def.heartbeat = 1e-3;
    if (k == 7) b.def.axes = 0;
    refuses(&b, known[k].text);
  }
}

TEST(a_fault_of_before_is_reset_and_one_that_stays_is_told) {
  bed b;
  if (!open_bed(&b)) return;
  b.s.drive[1].state = AP__CIA402_FAULT, b.s.drive[1].error = 0x8130;
  CHECK_OK(start(&b));
  CHECK(b.s.drive[1].state == AP__CIA402_DISABLED);
  drop(&b);
  if (!open_bed(&b)) return;
  b.s.drive[1].state = AP__CIA402_FAULT, b.s.drive[1].error = 0x7305, b.s.fault_stays = true;
  refuses(&b, "axis 2, node 2: the drive has a fault that stays, error code 7305h");
}

TEST(an_interface_that_is_not_there_is_told) {
  int file = 0;
  ap_error error = {0};
  const ap_status status = ap_can_open("no-such-can", &file, &error);
  CHECK(status == AP_E_FILE || status == AP_E_UNSUPPORTED);
  CHECK(file == -1);
  CHECK_HAS(error.text, "no-such-can: ");
}

// ---- runs --------------------------------------------------------------------------------------

static void check_done(bed *b) {
  const ap_servo_result *x = run(b);
  CHECK_STR(ap_stop_name(x->stop), "done");
  for (int j = 0; j < DRIVES; j++) CHECK(x->most[j] < 0.02);
}

// From "switch on disabled" to "operation enabled", a run without an allocation, and off again.
TEST(a_run_moves_the_arm) {
  bed b;
  install_heap();
  if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
  allocations = 0, armed = true;
  check_done(&b);
  armed = false;
  CHECK_EQ_INT(allocations, 0);
  CHECK_STR(ap_rack_trouble(&b.control->rack), "");
  for (int j = 0; j < DRIVES; j++) CHECK(b.s.drive[j].state == AP__CIA402_DISABLED);
  ap_rack_close(&b.control->rack);
  drives_pump(&b.s);
  for (int j = 0; j < DRIVES; j++) CHECK_EQ_INT(b.s.drive[j].nmt, 127);
  drop(&b);
}

// No torque before a drive is enabled; the states come in their order.
TEST(drives_are_enabled_step_by_step) {
  static const ap__cia402_state order[] = {AP__CIA402_DISABLED, AP__CIA402_READY,
                                           AP__CIA402_SWITCHED_ON, AP__CIA402_ENABLED};
  bed b;
  if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
  int at = 0;
  for (int k = 0; k < 20; k++) {
    CHECK(step(&b));
    const drive *d = &b.s.drive[3];
    while (at < 3 && d->state != order[at]) at++;
    CHECK(d->state == order[at]);
    if (d->state != AP__CIA402_ENABLED) CHECK(d->torque == 0);
  }
  CHECK_EQ_INT(at, 3);
  drop(&b);
}

TEST(drives_that_turn_the_other_way_do_so) {
  bed b;
  if (!open_bed(&b)) return;
  for (int j = 0; j < DRIVES; j++) b.node[j].reverse = true;
  b.s.reverse = true;
  CHECK_OK(start(&b));
  check_done(&b);
  drop(&b);
}

// Commands in amperes and in newton metres are the same thousandths of the rated torque.
TEST(commands_are_parts_of_the_rated_torque) {
  for (int k = 0; k < 3; k++) {
    bed b;
    double in_room[8 * DRIVES], out_room[DRIVES];
    ap_rack_input in;
    ap_rack_output out;
    if (!open_bed(&b)) return;
    ap_rack_input_init(&in, DRIVES, in_room);
    ap_rack_output_init(&out, DRIVES, out_room);
    ap_axis *a = &b.control->axis[0];
    if (k == 1) a->drive = AP_DRIVE_CURRENT, a->torque_constant = 0.06, a->largest = 40;
    if (k == 2) b.node[0].rated_torque = 0.6;
    a->torque_sensor = true;
    CHECK_OK(start(&b));
    ap_rack *r = &b.control->rack;
    out.command[0] = k == 1 ? 0.3 / 0.06 : 0.3 * gear; // a quarter of 1.2 N m
    for (int i = 0; i < 6; i++) {
      CHECK_OK(r->read(r->context, i * 2e-3, &in));
      CHECK_OK(r->write(r->context, i * 2e-3, &out));
      drives_pump(&b.s);
    }
    CHECK_EQ_INT(b.s.drive[0].torque, k == 2 ? 500 : 250);
    CHECK_OK(r->read(r->context, 0.012, &in));
    CHECK(fabs(in.torque[0] - 0.3 * gear) < 1e-9);
    CHECK(in.status[0] & AP_AXIS_ENABLED);
    CHECK_EQ_INT(in.encoder[0], b.s.drive[0].position);
    out.command[0] = 1e9; // cut
    CHECK_OK(r->write(r->context, 0.012, &out));
    drives_pump(&b.s);
    const double most = a->largest * (k == 1 ? 0.06 : 1 / gear) / (k == 2 ? 0.6 : 1.2);
    CHECK_EQ_INT(b.s.drive[0].torque, (int)nearbyint(1000 * most));
    drop(&b);
  }
}

// ---- what goes wrong ---------------------------------------------------------------------------

TEST(every_trouble_leads_to_its_stop) {
  static const struct {
    mischief kind;
    int number;
    const char *stop;
    int axis;
    double within; // s
    const char *text;
  } known[] = {
      {FAULT_STATE, 0x7305, "drive", 2, 0.006,
       "axis 3, node 3: the drive has a fault, error code 7305h"},
      {NO_HEARTBEAT, 0, "drive", 2, 0.16, "axis 3, node 3: no heartbeat for 1"},
      {OTHER_MODE, 8, "drive", 2, 0.026, "axis 3, node 3: the drive is in mode 8, not 10"},
      {SILENT, 0, "io", -1, 0.01, "axis 3, node 3: no answer to SYNC for 3 periods"},
      {LOSES, 3, "io", -1, 0.01, "axis 3, node 3: no answer to SYNC for 3 periods"},
      {SHORT_FRAMES, 0, "io", -1, 0.01, "axis 3, node 3: no answer to SYNC for 3 periods"},
      {FLOOD, 0, "io", -1, 0.006, "more than 160 frames in a period: something floods the bus"},
      {RESTARTS, 0, "drive", 2, 0.006, "axis 3, node 3: the drive has started anew"},
      {WARMER, 0, "thermo", 2, 0.006, ""},
      {LEAVES, 0, "drive", 2, 0.006, "axis 3, node 3: the drive is switched on (statusword 0233h)"},
      {STRANGE_STATUS, 0, "drive", 2, 0.006,
       "axis 3, node 3: the drive is in no state of CiA 402 (statusword 0026h)"},
      {JUMPS, 400000, "encoder_jump", 2, 0.006, ""},
      {BUS_OFF, 0, "io", -1, 0.006, "the CAN bus is off, or its interface is down"},
      {UNPLUGGED, 0, "io", -1, 0.006, "the CAN bus is off, or its interface is down"}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    bed b;
    if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
    b.s.kind = known[k].kind, b.s.number = known[k].number, b.s.which = 2, b.s.at = 0.5;
    const ap_servo_result *x = run(&b);
    CHECK_STR(ap_stop_name(x->stop), known[k].stop);
    CHECK_EQ_INT(x->stop_axis, known[k].axis);
    CHECK(x->stop_t >= 0.5 && x->stop_t <= 0.5 + known[k].within + 1e-9);
    CHECK(known[k].kind == WARMER || x->category == 0);
    CHECK_HAS(ap_rack_trouble(&b.control->rack), known[k].text);
    if (!*known[k].text) CHECK_STR(ap_rack_trouble(&b.control->rack), "");
    // Whoever can still be reached has no torque.
    for (int j = 0; j < DRIVES && b.s.file >= 0; j++)
      CHECK(b.s.drive[j].state != AP__CIA402_ENABLED || (known[k].kind == LEAVES && j == 2));
    drop(&b);
  }
}

// Frames that mean nothing, and a few that are lost, stop nothing.
TEST(garbage_and_single_losses_are_borne) {
  static const mischief kinds[] = {GARBAGE, LOSES};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    bed b;
    if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
    b.s.kind = kinds[k], b.s.number = 2, b.s.which = 0, b.s.at = 0.5;
    check_done(&b);
    CHECK_STR(ap_rack_trouble(&b.control->rack), "");
    drop(&b);
  }
}

TEST(drives_that_never_get_enabled_stop_the_run) {
  bed b;
  if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
  b.s.never_enabled = true;
  const ap_servo_result *x = run(&b);
  CHECK_STR(ap_stop_name(x->stop), "drive");
  CHECK(x->run_began < 0 && x->stop_t > 0.99 && x->stop_t < 1.1);
  drop(&b);
}

// A controller that is gone: the drives switch themselves off, and a later start resets them.
TEST(drives_miss_their_controller) {
  bed b;
  if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
  while (b.s.t < 0.5 && step(&b)) continue;
  for (int j = 0; j < DRIVES; j++) {
    CHECK(b.s.drive[j].state == AP__CIA402_ENABLED && b.s.drive[j].watching);
    drive_watch(&b.s.drive[j], b.s.drive[j].heard + 0.0199);
    CHECK(b.s.drive[j].state == AP__CIA402_ENABLED);
    drive_watch(&b.s.drive[j], b.s.drive[j].heard + 0.0201);
    CHECK(b.s.drive[j].state == AP__CIA402_FAULT);
  }
  drop(&b);
}

// Brought to rest under control, and then held by drives that close their brakes.
TEST(a_stop_that_is_asked_for_ends_with_the_drives_holding_their_brakes) {
  bed b;
  if (!open_bed(&b) || !CHECK_OK(start(&b))) return;
  bool held = false;
  for (bool more = true; more;) {
    if (b.s.t > 0.5) ap_servo_request_stop(b.servo);
    more = step(&b);
    held = held || b.s.drive[0].state == AP__CIA402_SWITCHED_ON;
    if (b.s.t < 0.5) held = false;
  }
  const ap_servo_result *x = run(&b);
  CHECK_STR(ap_stop_name(x->stop), "request");
  CHECK_EQ_INT(x->category, 1);
  CHECK(held);
  for (int j = 0; j < DRIVES; j++) CHECK(b.s.drive[j].state == AP__CIA402_DISABLED);
  drop(&b);
}

// Drives that are to brake by themselves get the time for it when the rack is closed.
TEST(a_quick_stop_is_awaited) {
  bed b;
  if (!open_bed(&b)) return;
  b.def.stop = AP_CIA402_QUICK_STOP;
  CHECK_OK(start(&b));
  CHECK(drive_value(&b.s.drive[0], 0x605A, 0) == 2 && drive_value(&b.s.drive[0], 0x6007, 0) == 3 &&
        drive_value(&b.s.drive[0], 0x605E, 0) == 2);
  b.s.kind = JUMPS, b.s.which = 1, b.s.at = 0.6, b.s.number = 400000;
  const ap_servo_result *x = run(&b);
  CHECK_STR(ap_stop_name(x->stop), "encoder_jump");
  for (int j = 0; j < DRIVES; j++) CHECK(b.s.drive[j].state == AP__CIA402_QUICK_STOPPING);
  const double before = b.s.t;
  ap_rack_close(&b.control->rack);
  drives_pump(&b.s);
  CHECK(b.s.t - before > 0.5 * QUICK_PERIODS * 2e-3);
  for (int j = 0; j < DRIVES; j++)
    CHECK(b.s.drive[j].state == AP__CIA402_DISABLED && b.s.drive[j].nmt == 127);
  drop(&b);
}

// ---- scenarios ---------------------------------------------------------------------------------

static ap_status parse(const char *head, const char *axis, ap_control **c, ap_error *error) {
  char text[2000];
  int n =
      snprintf(text, sizeof text,
               "appell-control: 1\nrobot: models/control/ur10_arm.yaml\n"
               "lock: {elbow: 0, wrist_1: 0, wrist_2: 0, wrist_3: 0}\n"
               "reference: {kind: hold, to: 0}\n%s\naxes:\n"
               "  - {joint: shoulder_lift, node: 7, %s}\n"
               "  - {joint: shoulder_pan, reverse: true, rated_torque: 2.5, node: 9, %s}\n...\n",
               head, axis, axis);
  return ap_control_parse(text, (size_t)n, NULL, NULL, c, error);
}

#define TURNS "sensor: absolute, turns: 101, gear: 101, drive: torque"

TEST(a_scenario_names_the_drives) {
  ap_control *c = NULL;
  ap_servo *s = NULL;
  ap_error error = {0};
  CHECK_OK(
      parse("time: real\nrate: 400\nrack: {kind: cia402, interface: no-such-can, stop: quick_stop, "
            "lost: 5, host: 3, heartbeat: 0.1}",
            TURNS, &c, &error));
  if (!c) return;
  CHECK(c->bus.axes == 2 && c->node[0].node == 9 && c->node[1].node == 7);
  CHECK(c->node[0].reverse && !c->node[1].reverse && c->node[0].rated_torque == 2.5);
  CHECK(c->bus.period == 1 / 400.0 && c->bus.lost == 5 && c->bus.host == 3);
  CHECK(c->bus.heartbeat == 0.1 && c->bus.watchdog == 0.02 && c->bus.bitrate == 1e6);
  CHECK(c->bus.stop == AP_CIA402_QUICK_STOP);
  const ap_status status = ap_control_open(c, &s, &error);
  CHECK(status == AP_E_FILE || status == AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, "no-such-can: ");
  CHECK_STR(ap_control_trouble(c), "");
  ap_control_free(c);
}

TEST(a_scenario_whose_drives_cannot_be_is_refused) {
  static const struct {
    const char *head, *axis, *text;
    int line;
  } known[] = {
      {"rack: {kind: cia402}", TURNS, "rack: drives need time: real", 5},
      {"time: real\nrack: {kind: cia402}", TURNS ", node: 0",
       "axes: node: missing, or not a whole number from 1 to 127", 0},
      {"time: real\nrack: {kind: cia402, bitrate: 125000}", TURNS,
       "the frames of 2 axes take 4.708 ms at 1.25e+05 bit/s, a period is 1 ms", 6},
      {"time: real\nrack: {kind: cia402}", "drive: torque, gear: 101",
       "axis 1: its encoder must be", 6},
      {"time: real\nrack: {kind: cia402, host: 9}", TURNS, "axis 1: its node is used twice", 6},
      {"time: real\nrack: {kind: cia402, lost: 0.5}", TURNS, "lost one from 1 to 1000", 6},
      {"time: real\nrack: {kind: cia402}\nfault: {kind: read, at: 1}", TURNS,
       "only a simulated rack takes this key", 7}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    ap_control *c = NULL;
    ap_error error = {0};
    test_context("%d", (int)k);
    if (k == 1) { // a joint without a node
      static const char text[] =
          "appell-control: 1\nrobot: models/control/ur10_arm.yaml\n"
          "lock: {elbow: 0, wrist_1: 0, wrist_2: 0, wrist_3: 0, shoulder_pan: 0}\n"
          "reference: {kind: hold, to: 0}\ntime: real\nrack: {kind: cia402}\n"
          "axes: [{joint: shoulder_lift, " TURNS "}]\n...\n";
      CHECK(ap_control_parse(text, sizeof text - 1, NULL, NULL, &c, &error) != AP_OK);
    } else {
      CHECK(parse(known[k].head, known[k].axis, &c, &error) != AP_OK);
      CHECK_EQ_INT(error.line, known[k].line);
    }
    CHECK_HAS(error.text, known[k].text);
    CHECK(c == NULL);
  }
}
