// SPDX-License-Identifier: Apache-2.0
// Cards that Comedi drives, against cards that are not there: the functions of libcomedi are
// replaced by those below, which stand between the rack and a simulated arm.

#include <appell/file.h>
#include <appell/servo.h>

#include "test.h"

#ifndef AP_HAVE_COMEDI

TEST(a_build_without_comedi_says_so) {
  ap_rack rack;
  ap_error error = {0};
  CHECK(ap_rack_comedi(&(ap_comedi_def){.axes = 1}, &rack, &error) == AP_E_UNSUPPORTED);
  CHECK_HAS(error.text, "libcomedi-dev");
}

TEST(cards) { test_skip("built without Comedi (scripts/setup)"); }

#else

#include <comedilib.h>

enum { N = 6, AI = 0, AO, DI, DO, COUNTERS, CURRENT, SUBDEVICES, BITS = 4096, COUNTS = 1 << 16 };

// The card: what it measures and puts out. A simulated arm where `arm` is set.
static struct card {
  lsampl_t in[N], out[N], count[N];
  unsigned index[N], thermo[N], bits[3]; // bits put out: two of the tool, one of the brakes
  int opened, closed, reads, writes;
  bool unplugged, mute; // no answer at all; reads work, writes do not
  int directions[2][16];
  ap_rack *arm;
  ap_rack_input measured;
  double t;
  int32_t indices[N];
  double room[8 * N];
} card;

struct comedi_t_struct {
  int number;
};
static comedi_t device = {0};
static comedi_range volts = {-10, 10, UNIT_volt}, five = {0, 5, UNIT_volt},
                    amperes = {0, 20, UNIT_mA};

comedi_t *comedi_open(const char *name) {
  if (strcmp(name, "/dev/comedi0") != 0) return NULL;
  card.opened++;
  return &device;
}
int comedi_close(comedi_t *d) { return d == &device ? (card.closed++, 0) : -1; }
int comedi_errno(void) { return 19; }
const char *comedi_strerror(int number) { return number == 19 ? "No such device" : "?"; }
enum comedi_oor_behavior comedi_set_global_oor_behavior(enum comedi_oor_behavior b) { return b; }
int comedi_get_n_subdevices(comedi_t *d) { return d ? SUBDEVICES : -1; }
int comedi_get_subdevice_type(comedi_t *d, unsigned s) {
  static const int types[] = {COMEDI_SUBD_AI,  COMEDI_SUBD_AO,      COMEDI_SUBD_DI,
                              COMEDI_SUBD_DIO, COMEDI_SUBD_COUNTER, COMEDI_SUBD_AI};
  return d && s < SUBDEVICES ? types[s] : -1;
}
int comedi_get_n_channels(comedi_t *d, unsigned s) { return d && s < SUBDEVICES ? 2 * N : -1; }
lsampl_t comedi_get_maxdata(comedi_t *d, unsigned s, unsigned channel) {
  (void)d, (void)channel;
  return s == COUNTERS ? COUNTS - 1 : BITS - 1;
}
comedi_range *comedi_get_range(comedi_t *d, unsigned s, unsigned channel, unsigned range) {
  (void)d, (void)channel;
  if (range > 1) return NULL;
  return s == CURRENT ? &amperes : range ? &five : &volts;
}
double comedi_to_phys(lsampl_t x, comedi_range *r, lsampl_t most) {
  return r->min + (r->max - r->min) * x / most;
}
lsampl_t comedi_from_phys(double x, comedi_range *r, lsampl_t most) {
  return (lsampl_t)nearbyint((x - r->min) / (r->max - r->min) * most);
}

// The first reading of a period moves the arm by one.
static void move_on(void) {
  card.reads++;
  if (!card.arm) return;
  CHECK_OK(card.arm->read(card.arm->context, card.t, &card.measured));
  card.t += 1e-3;
  for (int j = 0; j < N; j++) {
    const bool has = card.measured.status[j] & AP_AXIS_INDEXED;
    card.index[j] = has && card.measured.index[j] != card.indices[j];
    if (has) card.indices[j] = card.measured.index[j];
    card.in[j] = comedi_from_phys(card.measured.potentiometer[j], &five, BITS - 1);
    card.count[j] = (lsampl_t)((card.measured.encoder[j] + (1 << 30)) % COUNTS);
  }
}

int comedi_data_read(comedi_t *d, unsigned s, unsigned c, unsigned range, unsigned a, lsampl_t *x) {
  (void)range, (void)a;
  if (!d || card.unplugged || c >= N) return -1;
  if (s == AI && c == 0) move_on();
  *x = s == AI ? card.in[c] : card.count[c];
  return 1;
}
int comedi_data_write(comedi_t *d, unsigned s, unsigned c, unsigned range, unsigned a, lsampl_t x) {
  (void)range, (void)a;
  if (!d || card.unplugged || card.mute || s != AO || c >= N) return -1;
  card.out[c] = x;
  card.writes++;
  return 1;
}
int comedi_dio_config(comedi_t *d, unsigned s, unsigned c, unsigned direction) {
  if (!d || c >= 2 * N || (s == DI && direction != COMEDI_INPUT)) return -1;
  card.directions[s == DO][c] = (int)direction;
  return 0;
}
int comedi_dio_read(comedi_t *d, unsigned s, unsigned c, unsigned *bit) {
  if (!d || card.unplugged || s != DI) return -1;
  *bit = c < N ? card.index[c] : card.thermo[c - N];
  return 1;
}
// The bit of the brakes is written last when they open: then the outputs of a period are complete.
static void act(void) {
  if (!card.arm) return;
  ap_rack_output out = {.brakes = !card.bits[2], .tools = card.bits[0] | card.bits[1] << 1};
  double command[N];
  out.command = command;
  for (int j = 0; j < N; j++) command[j] = comedi_to_phys(card.out[j], &volts, BITS - 1);
  CHECK_OK(card.arm->write(card.arm->context, card.t - 1e-3, &out));
}
int comedi_dio_write(comedi_t *d, unsigned s, unsigned c, unsigned bit) {
  if (!d || card.unplugged || card.mute || s != DO || c > 2) return -1;
  card.bits[c] = bit;
  if (c == 2) act();
  return 1;
}

static ap_comedi_axis wires[N]; // of the last wired()

static ap_comedi_def wired(void) {
  ap_comedi_def d = {.device = {"/dev/comedi0"}, .axes = N, .axis = wires};
  for (int j = 0; j < N; j++)
    wires[j] = (ap_comedi_axis){
        {0, AI, j, 1}, {0, COUNTERS, j, 0}, {0, DI, j, 0}, {0, DI, N + j, 0}, {0, AO, j, 0}};
  d.tool[0] = (ap_comedi_channel){0, DO, 0, 0}, d.tool[1] = (ap_comedi_channel){0, DO, 1, 0};
  d.brake = (ap_comedi_channel){0, DO, 2, 0};
  return d;
}

static ap_rack open_cards(void) {
  ap_rack rack;
  ap_error error = {0};
  const ap_comedi_def d = wired();
  memset(&card, 0, sizeof card);
  CHECK_OK(ap_rack_comedi(&d, &rack, &error));
  return rack;
}

TEST(numbers_of_the_card_are_volts_and_counts) {
  ap_rack rack = open_cards();
  double room[8 * N];
  ap_rack_input in;
  ap_rack_input_init(&in, N, room);
  card.in[0] = 0, card.in[1] = BITS - 1, card.in[2] = BITS / 2;
  card.thermo[4] = 1;
  CHECK_OK(rack.read(rack.context, 0, &in));
  CHECK(in.potentiometer[0] == 0 && in.potentiometer[1] == 5);
  CHECK(fabs(in.potentiometer[2] - 2.5) < 5.0 / BITS);
  CHECK(in.status[4] == AP_AXIS_HOT && in.status[3] == 0 && in.encoder[3] == 0);
  ap_rack_output out = {.command = (double[N]){-10, 10, 0, 99, -99, 5}, .tools = 2};
  CHECK_OK(rack.write(rack.context, 0, &out));
  CHECK(card.out[0] == 0 && card.out[1] == BITS - 1 && card.out[3] == BITS - 1 && card.out[4] == 0);
  CHECK(abs((int)card.out[2] - BITS / 2) <= 1 &&
        card.out[5] == (lsampl_t)nearbyint(0.75 * (BITS - 1)));
  CHECK(card.bits[0] == 0 && card.bits[1] == 1 && card.bits[2] == 1); // brakes released
  CHECK(card.directions[0][0] == COMEDI_INPUT && card.directions[1][2] == COMEDI_OUTPUT);
  ap_rack_close(&rack);
  CHECK(card.bits[2] == 0 && abs((int)card.out[1] - BITS / 2) <= 1); // held, no torque
  CHECK(card.opened == card.closed);
}

// A counter of 16 bits goes round; the rack's does not, and an index pulse is latched once.
TEST(counters_wrap_and_pulses_are_latched) {
  ap_rack rack = open_cards();
  double room[8 * N];
  ap_rack_input in;
  ap_rack_input_init(&in, N, room);
  int32_t true_count = 0;
  for (int k = 0; k < 2000; k++) {
    true_count += k < 1000 ? 331 : -977;
    card.count[2] = (lsampl_t)(((int64_t)true_count + 331 * (int64_t)COUNTS) % COUNTS);
    card.index[2] = k >= 500 && k < 503;
    CHECK_OK(rack.read(rack.context, k * 1e-3, &in));
    CHECK_EQ_INT(in.encoder[2], true_count - 331); // from where it was first read
    CHECK((in.status[2] & AP_AXIS_INDEXED) == (k >= 500));
    if (k >= 500) CHECK_EQ_INT(in.index[2], 500 * 331);
  }
  ap_rack_close(&rack);
}

static void refused(ap_comedi_def d, ap_status status, const char *what) {
  ap_rack rack;
  ap_error error = {0};
  memset(&card, 0, sizeof card);
  CHECK(ap_rack_comedi(&d, &rack, &error) == status);
  CHECK_HAS(error.text, what);
  CHECK(!rack.read && card.opened == card.closed); // nothing stays open
}

TEST(channels_that_are_not_there_are_refused) {
  ap_comedi_def d = wired();
  d.device[0] = "/dev/comedi7", refused(d, AP_E_FILE, "No such device");
  d = wired(), d.axes = 0, refused(d, AP_E_ARG, "0 axes");
  d = wired(), wires[3].potentiometer.channel = 99, refused(d, AP_E_ARG, "axis 4: no such channel");
  d = wired(), wires[0].potentiometer.range = 2, refused(d, AP_E_ARG, "analog input in volts");
  d = wired(), wires[0].potentiometer.subdevice = CURRENT, refused(d, AP_E_ARG, "in volts");
  d = wired(), wires[1].output.subdevice = AI, refused(d, AP_E_ARG, "an analog output");
  d = wired(), wires[5].encoder.subdevice = DI,
  refused(d, AP_E_ARG, "axis 6: no such channel for the encoder");
  d = wired(), wires[0].index.subdevice = AO, refused(d, AP_E_ARG, "index pulse");
  d = wired(), wires[0].thermo.device = 2, refused(d, AP_E_ARG, "thermo");
  d = wired(), d.brake.subdevice = DI, refused(d, AP_E_ARG, "brakes (a digital output)");
}

TEST(a_card_that_does_not_answer_is_an_error) {
  ap_rack rack = open_cards();
  double room[8 * N];
  ap_rack_input in;
  ap_rack_input_init(&in, N, room);
  double command[N] = {0};
  ap_rack_output out = {.command = command, .brakes = false};
  CHECK_OK(rack.read(rack.context, 0, &in));
  card.unplugged = true;
  CHECK(rack.read(rack.context, 1e-3, &in) == AP_E_FILE);
  CHECK(rack.write(rack.context, 1e-3, &out) == AP_E_FILE);
  card.unplugged = false, card.mute = true;
  CHECK_OK(rack.read(rack.context, 2e-3, &in));
  CHECK(rack.write(rack.context, 2e-3, &out) == AP_E_FILE);
  ap_rack_close(&rack);
  CHECK(card.opened == card.closed);
}

// ---- a whole run -------------------------------------------------------------------------------

typedef struct arm {
  ap_robot *robot;
  ap_model *model;
  ap_axis axis[N];
  ap_rack plant, cards;
  ap_traj *reference;
  void *memory;
  ap_servo *servo;
} arm;

static void begin(arm *a) {
  static const double gear[N] = {62.6, 107.8, 53.7, 76.0, 71.9, 76.7};
  static const double torque[N] = {100, 190, 90, 24, 20, 21};
  static const double from[N] = {0.1, -0.1, 0.1, 0, 0.1, 0},
                      to[N] = {0.5, -0.6, 0.5, 0.4, -0.4, 0.5};
  ap_error error = {0};
  *a = (arm){0};
  a->cards = open_cards();
  CHECK_OK(ap_robot_read("models/puma600_drives.yaml", &(ap_read_options){0}, &a->robot, &error));
  CHECK_OK(ap_robot_model(a->robot, &a->model, &error));
  for (int j = 0; j < N; j++) {
    a->axis[j] = ap_default_axis();
    a->axis[j].gear = gear[j], a->axis[j].index_at = 0.01 * (j + 1);
    a->axis[j].torque_per_volt = torque[j] / 10;
  }
  ap_sim_rack_def sim = ap_default_sim_rack();
  sim.model = a->model, sim.axis = a->axis, sim.q = from, sim.pot_bow = 0;
  CHECK_OK(ap_rack_simulated(&sim, &a->plant, &error));
  card.arm = &a->plant;
  ap_rack_input_init(&card.measured, N, card.room);
  const ap_traj_state first = {from, NULL, NULL}, last = {to, NULL, NULL};
  CHECK_OK(ap_traj_quintic(N, &first, &last, 1, &a->reference, &error));
  ap_ctrl_def ctrl = ap_default_ctrl();
  ctrl.model = a->model, ctrl.torque = torque;
  a->memory = malloc(ap_ctrl_size(a->model));
  ap_servo_def def = ap_default_servo();
  def.ctrl = ap_ctrl_init(&ctrl, a->memory, ap_ctrl_size(a->model), &error);
  def.rack = &a->cards, def.axis = a->axis, def.reference = a->reference, def.ring = 64;
  CHECK_OK(ap_servo_create(&def, &a->servo, &error));
}

static const ap_servo_result *run(arm *a, long unplug) {
  ap_servo_record r;
  for (long k = 0; ap_servo_step(a->servo); k++) {
    while (ap_servo_take(a->servo, &r)) continue;
    if (k == unplug) card.unplugged = true;
  }
  return ap_servo_result_of(a->servo);
}

static void end(arm *a) {
  ap_servo_free(a->servo);
  ap_rack_close(&a->cards);
  card.arm = NULL;
  ap_rack_close(&a->plant);
  ap_traj_free(a->reference);
  free(a->memory);
  ap_model_free(a->model);
  ap_robot_free(a->robot);
}

TEST(an_arm_behind_cards_homes_and_tracks) {
  arm a;
  begin(&a);
  const ap_servo_result *x = run(&a, -1);
  CHECK_STR(ap_stop_name(x->stop), "done");
  double q[N];
  ap_rack_truth(&a.plant, q, NULL, NULL);
  static const double to[N] = {0.5, -0.6, 0.5, 0.4, -0.4, 0.5};
  for (int j = 0; j < N; j++) {
    CHECK(x->most[j] < 5e-3);
    // A pulse is seen in the period after it: homing moves by less than 20 counts in one.
    CHECK(fabs(q[j] - to[j]) < 20 * ap_axis_count(&a.axis[j]) + 1e-3);
  }
  CHECK(card.bits[2] == 0); // held
  end(&a);
}

TEST(a_card_unplugged_under_way_ends_the_run) {
  arm a;
  begin(&a);
  const ap_servo_result *x = run(&a, 3000);
  CHECK_STR(ap_stop_name(x->stop), "io");
  CHECK(fabs(x->stop_t - 3.001) < 1e-9); // the period that first gets no answer
  CHECK(x->phase == AP_PHASE_SAFE);
  card.unplugged = false; // its watchdog is not ours; when it is back it is closed properly
  end(&a);
  CHECK(card.bits[2] == 0);
}

#endif
