// SPDX-License-Identifier: Apache-2.0
// `appell identify --gains`: what motor currents are worth, found before anything else.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "identify.h"
#include "ui/values.h"

// ---- the command line --------------------------------------------------------------------------

// LINK=KG, LINK=KG,X,Y,Z or LINK=KG,X,Y,Z,IXX,IXY,IXZ,IYY,IYZ,IZZ.
static int parse_load(const char *value, cli_gain_wish *w) {
  double number[10];
  int n = 0;
  const char *equals = strrchr(value, '='), *at = equals;
  while (at && n < 10) {
    char word[64];
    const size_t length = strcspn(at + 1, ",");
    if (length >= sizeof word) break;
    memcpy(word, at + 1, length), word[length] = 0;
    if (!cli_read_number(word, &number[n])) break;
    n++;
    at += 1 + length;
    if (!*at) break;
  }
  if (!equals || equals == value || *at || (n != 1 && n != 4 && n != 10) ||
      (size_t)(equals - value) >= sizeof w->link)
    return cli_usage("identify",
                     "--load '%s' (LINK=KG, with its centre of mass LINK=KG,X,Y,Z, and with its "
                     "inertia about it six numbers more)",
                     value);
  memcpy(w->link, value, (size_t)(equals - value)), w->link[equals - value] = 0;
  for (int k = 0; k < 3 && n > 1; k++) w->centre[k] = number[1 + k];
  for (int k = 0; k < 6 && n > 4; k++) w->inertia[k] = number[4 + k];
  w->load = (ap_known_load){.link = w->link,
                            .mass = number[0],
                            .centre = n > 1 ? w->centre : NULL,
                            .inertia = n > 4 ? w->inertia : NULL};
  return CLI_OK;
}

int cli_parse_gains(const char *gains, const char *load, const char *loaded, cli_gain_wish *w) {
  *w = (cli_gain_wish){.wanted = gains != NULL, .loaded = loaded};
  if (!gains && (load || loaded))
    return cli_usage("identify", "%s needs --gains, which looks for gains of currents",
                     load ? "--load" : "--loaded");
  if (!load != !loaded)
    return cli_usage("identify", "%s (the logs that carry a load, and what is known of it)",
                     load ? "--load needs --loaded" : "--loaded needs --load");
  return load ? parse_load(load, w) : CLI_OK;
}

// ---- finding -----------------------------------------------------------------------------------

int cli_identify_read_loaded(cli_identification *f, const cli_log_options *o,
                             const cli_gain_wish *w) {
  int status = CLI_OK;
  char *list = w->loaded ? strdup(w->loaded) : NULL, *rest = NULL;
  if (w->loaded && !list) return cli_no_memory();
  f->loaded_paths = list; // messages name them to the end
  for (char *path = list ? strtok_r(list, ",", &rest) : NULL; path && status == CLI_OK;
       path = strtok_r(NULL, ",", &rest))
    status = cli_identify_read(f, o, path, &f->loaded);
  return status;
}

int cli_identify_gains(cli_identification *f, const cli_gain_wish *w, double total_mass,
                       double reject, ap_base_method method) {
  ap_drive_gain_options o = ap_default_drive_gains();
  ap_error error = {0};
  o.load = w->load.link ? &w->load : NULL;
  o.total_mass = total_mass, o.reject = reject;
  error.status = ap_drive_gains_settle(f->ident, method, &f->base, f->data.states, f->loaded.states,
                                       &o, &f->gains, &error);
  if (error.status == AP_OK) return CLI_OK;
  return cli_fail(error.status == AP_E_MEMORY ? CLI_FAILED : CLI_BAD, f->data.path, 0, "%s",
                  error.text);
}

// ---- using -------------------------------------------------------------------------------------

static ap_status apply(cli_identification *f, bool loaded, cli_log_data *data) {
  return data->states ? ap_drive_gains_apply(f->gains, f->ident, loaded, data->states) : AP_OK;
}

// Delays of forces that are gain times current; the load is a part of the robot here.
static int doubt_delays(cli_identification *f, const cli_log_options *o) {
  cli_log_options as_forces = *o;
  int status = CLI_OK;
  as_forces.prepare.currents = false;
  for (int i = 0; i < f->nkept && status == CLI_OK; i++) {
    ap_samples *s = f->kept[i].samples;
    const int nv = f->gains->nv;
    for (int k = 0; k < s->n * nv; k++)
      s->tau[k] = f->gains->sure[k % nv] ? s->tau[k] * f->gains->gain[k % nv] : NAN;
    if (f->gains->identifiable == nv)
      status = cli_identify_doubt_delay(f, &as_forces, f->kept[i].path, s);
  }
  return status;
}

int cli_identify_apply_gains(cli_identification *f, const cli_log_options *o) {
  const int doubts = doubt_delays(f, o);
  if (doubts != CLI_OK) return doubts;
  ap_status status = apply(f, false, &f->data);
  if (status == AP_OK) status = apply(f, true, &f->loaded);
  if (status == AP_OK) status = apply(f, false, &f->validation);
  if (status == AP_OK && f->loaded.states)
    status = ap_dataset_append(f->data.states, f->loaded.states);
  if (status != AP_OK) return cli_no_memory();
  f->data.logs += f->loaded.logs;
  f->data.samples += f->loaded.samples;
  f->data.duration += f->loaded.duration;
  return CLI_OK;
}

int cli_identify_widen(cli_identification *f) {
  for (int k = 0; k < AP_FIT_METHODS; k++)
    if (f->fit[k] && ap_drive_gains_widen(f->gains, f->fit[k]) != AP_OK) return cli_no_memory();
  return CLI_OK;
}

void cli_identify_free_gains(cli_identification *f) {
  ap_drive_gains_free(f->gains);
  for (int k = 0; k < f->nkept; k++) ap_samples_free(f->kept[k].samples);
  free(f->kept);
  free(f->loaded_paths);
}
