// SPDX-License-Identifier: Apache-2.0
// Cards that Comedi drives.

#include <appell/rack.h>

#include "file/robot.h"

#ifndef AP_HAVE_COMEDI

ap_status ap_rack_comedi(const ap_comedi_def *def, ap_rack *rack, ap_error *error) {
  (void)def;
  *rack = (ap_rack){0};
  return AP__REFUSE(
      error, AP_E_UNSUPPORTED, 0,
      "this library was built without Comedi (install libcomedi-dev and build again)");
}

#else

#include <comedilib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 4 };

typedef struct analog {
  comedi_range range;
  lsampl_t most;
} analog;

typedef struct cards {
  ap_comedi_def def;
  comedi_t *device[DEVICES];
  struct card_axis {
    ap_comedi_axis wire;
    analog potentiometer, output;
    lsampl_t counts, last; // largest count, count read last
    int32_t total, index;
    unsigned high; // level of the index pulses when read last
    bool indexed;
  } * axis;     // [axes]
  double *zero; // [axes] commands of the end
  bool started;
} cards;

static comedi_t *device_of(const cards *c, const ap_comedi_channel *ch) {
  return c->device[ch->device];
}

// ---- reading -----------------------------------------------------------------------------------

static bool read_volt(cards *c, int j, double *volt) {
  const ap_comedi_channel *ch = &c->axis[j].wire.potentiometer;
  lsampl_t x;
  if (comedi_data_read(device_of(c, ch), (unsigned)ch->subdevice, (unsigned)ch->channel,
                       (unsigned)ch->range, AREF_GROUND, &x) < 0)
    return false;
  *volt = comedi_to_phys(x, &c->axis[j].potentiometer.range, c->axis[j].potentiometer.most);
  return true;
}

static bool read_bit(const cards *c, const ap_comedi_channel *ch, unsigned *bit) {
  *bit = 0;
  return ch->subdevice < 0 || comedi_dio_read(device_of(c, ch), (unsigned)ch->subdevice,
                                              (unsigned)ch->channel, bit) >= 0;
}

// Counters wrap; the nearer way round is the one that was gone.
static bool read_count(cards *c, int j) {
  const ap_comedi_channel *ch = &c->axis[j].wire.encoder;
  lsampl_t x;
  if (comedi_data_read(device_of(c, ch), (unsigned)ch->subdevice, (unsigned)ch->channel, 0, 0, &x) <
      0)
    return false;
  int64_t wrap = (int64_t)c->axis[j].counts + 1, moved = (int64_t)x - (int64_t)c->axis[j].last;
  if (moved > wrap / 2) moved -= wrap;
  if (moved < -wrap / 2) moved += wrap;
  if (c->started) c->axis[j].total += (int32_t)moved;
  c->axis[j].last = x;
  return true;
}

static ap_status cards_read(void *context, double t, ap_rack_input *input) {
  cards *c = context;
  (void)t;
  for (int j = 0; j < c->def.axes; j++) {
    unsigned pulse, hot;
    if (!read_volt(c, j, &input->potentiometer[j]) || !read_count(c, j) ||
        !read_bit(c, &c->axis[j].wire.index, &pulse) || !read_bit(c, &c->axis[j].wire.thermo, &hot))
      return AP_E_FILE;
    if (c->started && pulse && !c->axis[j].high)
      c->axis[j].index = c->axis[j].total, c->axis[j].indexed = true;
    c->axis[j].high = pulse;
    input->encoder[j] = c->axis[j].total;
    input->index[j] = c->axis[j].index;
    input->status[j] = (c->axis[j].indexed ? AP_AXIS_INDEXED : 0u) | (hot ? AP_AXIS_HOT : 0u);
    input->torque[j] = 0;
  }
  c->started = true;
  return AP_OK;
}

// ---- writing -----------------------------------------------------------------------------------

static bool write_bit(const cards *c, const ap_comedi_channel *ch, unsigned bit) {
  return ch->subdevice < 0 || comedi_dio_write(device_of(c, ch), (unsigned)ch->subdevice,
                                               (unsigned)ch->channel, bit) >= 0;
}

static bool write_volt(cards *c, int j, double volt) {
  const ap_comedi_channel *ch = &c->axis[j].wire.output;
  analog *a = &c->axis[j].output;
  double v = fmin(fmax(volt, a->range.min), a->range.max);
  return comedi_data_write(device_of(c, ch), (unsigned)ch->subdevice, (unsigned)ch->channel,
                           (unsigned)ch->range, AREF_GROUND,
                           comedi_from_phys(v, &a->range, a->most)) >= 0;
}

static ap_status cards_write(void *context, double t, const ap_rack_output *output) {
  cards *c = context;
  bool good = true;
  (void)t;
  // Brakes first when they close, last when they open: the motors always hold what they should.
  if (output->brakes) good = write_bit(c, &c->def.brake, 0);
  for (int j = 0; j < c->def.axes; j++) good = write_volt(c, j, output->command[j]) && good;
  for (int k = 0; k < AP_RACK_TOOLS; k++)
    good = write_bit(c, &c->def.tool[k], output->tools >> k & 1) && good;
  if (!output->brakes) good = write_bit(c, &c->def.brake, 1) && good;
  return good ? AP_OK : AP_E_FILE;
}

static void cards_close(void *context) {
  cards *c = context;
  if (c->started && c->axis && c->zero)
    cards_write(c, 0, &(ap_rack_output){.command = c->zero, .brakes = true});
  for (int k = 0; k < DEVICES; k++)
    if (c->device[k]) comedi_close(c->device[k]);
  free(c->axis);
  free(c->zero);
  free(c);
}

// ---- opening -----------------------------------------------------------------------------------

// Whether there is such a channel, of a subdevice of one of these types.
static bool exists(const cards *c, const ap_comedi_channel *ch, int type, int or_type) {
  if (ch->device < 0 || ch->device >= DEVICES || !c->device[ch->device]) return false;
  comedi_t *d = c->device[ch->device];
  if (ch->subdevice < 0 || ch->subdevice >= comedi_get_n_subdevices(d)) return false;
  const int is = comedi_get_subdevice_type(d, (unsigned)ch->subdevice);
  return (is == type || is == or_type) && ch->channel >= 0 &&
         ch->channel < comedi_get_n_channels(d, (unsigned)ch->subdevice);
}

static bool prepare_analog(const cards *c, const ap_comedi_channel *ch, int type, analog *a) {
  if (!exists(c, ch, type, type) || ch->range < 0) return false;
  comedi_t *d = device_of(c, ch);
  comedi_range *range =
      comedi_get_range(d, (unsigned)ch->subdevice, (unsigned)ch->channel, (unsigned)ch->range);
  a->most = comedi_get_maxdata(d, (unsigned)ch->subdevice, (unsigned)ch->channel);
  if (range) a->range = *range;
  return range && range->unit == UNIT_volt && range->max > range->min && a->most;
}

static bool prepare_bit(const cards *c, const ap_comedi_channel *ch, unsigned direction) {
  return ch->subdevice < 0 ||
         (exists(c, ch, COMEDI_SUBD_DIO,
                 direction == COMEDI_INPUT ? COMEDI_SUBD_DI : COMEDI_SUBD_DO) &&
          comedi_dio_config(device_of(c, ch), (unsigned)ch->subdevice, (unsigned)ch->channel,
                            direction) >= 0);
}

static bool prepare_counter(cards *c, int j) {
  const ap_comedi_channel *ch = &c->axis[j].wire.encoder;
  if (!exists(c, ch, COMEDI_SUBD_COUNTER, COMEDI_SUBD_COUNTER)) return false;
  c->axis[j].counts =
      comedi_get_maxdata(device_of(c, ch), (unsigned)ch->subdevice, (unsigned)ch->channel);
  return c->axis[j].counts > 0;
}

static ap_status prepare(cards *c, ap_error *error) {
  comedi_set_global_oor_behavior(COMEDI_OOR_NUMBER);
  const char *wrong = NULL;
  int axis = 0;
  for (int j = 0; j < c->def.axes && !wrong; j++) {
    axis = j + 1;
    if (!prepare_analog(c, &c->axis[j].wire.potentiometer, COMEDI_SUBD_AI,
                        &c->axis[j].potentiometer))
      wrong = "potentiometer (an analog input in volts)";
    if (!prepare_analog(c, &c->axis[j].wire.output, COMEDI_SUBD_AO, &c->axis[j].output))
      wrong = "output (an analog output in volts)";
    if (!prepare_counter(c, j)) wrong = "encoder (a counter)";
    if (!prepare_bit(c, &c->axis[j].wire.index, COMEDI_INPUT))
      wrong = "index pulse (a digital input)";
    if (!prepare_bit(c, &c->axis[j].wire.thermo, COMEDI_INPUT))
      wrong = "thermo signal (a digital input)";
  }
  for (int k = 0; k < AP_RACK_TOOLS && !wrong; k++)
    if (!prepare_bit(c, &c->def.tool[k], COMEDI_OUTPUT))
      wrong = "tools (digital outputs)", axis = 0;
  if (!wrong && !prepare_bit(c, &c->def.brake, COMEDI_OUTPUT))
    wrong = "brakes (a digital output)", axis = 0;
  if (!wrong) return AP_OK;
  char of[24] = "";
  if (axis > 0) snprintf(of, sizeof of, "axis %d: ", axis);
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "%sno such channel for the %s; comedi_board_info lists them", of, wrong);
}

static ap_status open_cards(cards *c, ap_error *error) {
  for (int k = 0; k < DEVICES && c->def.device[k]; k++) {
    c->device[k] = comedi_open(c->def.device[k]);
    if (!c->device[k])
      return AP__REFUSE(error, AP_E_FILE, 0, "%.*s: %s (expected a device configured for Comedi)",
                        ap__shown(c->def.device[k]), c->def.device[k],
                        comedi_strerror(comedi_errno()));
  }
  return prepare(c, error);
}

ap_status ap_rack_comedi(const ap_comedi_def *def, ap_rack *rack, ap_error *error) {
  *rack = (ap_rack){0};
  if (def->axes < 1)
    return AP__REFUSE(error, AP_E_ARG, 0, "a rack with %d axes (at least 1)", def->axes);
  cards *c = calloc(1, sizeof *c);
  if (!c) return ap__no_memory(error);
  c->def = *def;
  c->axis = calloc((size_t)def->axes, sizeof *c->axis);
  c->zero = calloc((size_t)def->axes, sizeof *c->zero);
  if (!c->axis || !c->zero) {
    cards_close(c);
    return ap__no_memory(error);
  }
  for (int j = 0; j < def->axes; j++) c->axis[j].wire = def->axis[j];
  ap_status status = open_cards(c, error);
  if (status) {
    cards_close(c);
    return status;
  }
  *rack = (ap_rack){.context = c,
                    .axes = def->axes,
                    .read = cards_read,
                    .write = cards_write,
                    .close = cards_close};
  return AP_OK;
}

#endif
