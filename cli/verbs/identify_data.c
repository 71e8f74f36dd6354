// SPDX-License-Identifier: Apache-2.0
// The logs that `appell identify` works on, and what is doubtful about them.

#include <stdlib.h>
#include <string.h>

#include "identify.h"

// ---- doubts ------------------------------------------------------------------------------------

static void keep_doubts(ap_doubts *all, const ap_doubts *more) {
  for (int k = 0; k < more->count && all->count < AP_DOUBTS; k++)
    all->doubt[all->count++] = more->doubt[k];
}

int cli_identify_doubt(cli_identification *f, const char *path, const ap_doubts *doubts,
                       bool trust) {
  const ap_doubt *grave = NULL;
  for (int k = doubts->count - 1; k >= 0; k--)
    if (doubts->doubt[k].grave) grave = &doubts->doubt[k];
  for (int k = 0; k < doubts->count; k++)
    if (trust || &doubts->doubt[k] != grave) cli_warn(path, 0, doubts->doubt[k].text);
  keep_doubts(&f->doubts, doubts);
  if (!grave || trust) return CLI_OK;
  return cli_fail(CLI_BAD, path, 0,
                  "the log contradicts the robot: %s (--trust goes on regardless)", grave->text);
}

// ---- reading -----------------------------------------------------------------------------------

// Whether the log of a run tells of impacts, or of points that rest on walls.
static bool has_contacts(const char *path) {
  ap_log_reader *log = NULL;
  if (ap_log_open(path, &log, NULL) != AP_OK) return false; // not of a run: nothing is told
  const ap_log_about *about = ap_log_describe(log);
  ap_logged_event event;
  bool found = false, end = false;
  while (!found && ap_log_next_event(log, &event, &end, NULL) == AP_OK && !end)
    found = strcmp(event.event, "impact") == 0 || strcmp(event.event, "contact") == 0;
  int column = 0;
  while (column < about->columns && strcmp(about->column[column].name, "contacts") != 0) column++;
  double *row = column < about->columns ? malloc((size_t)about->columns * sizeof *row) : NULL;
  ap_log_allow_any(log);
  while (row && !found && ap_log_next(log, row, &end, NULL) == AP_OK && !end)
    found = row[column] > 0;
  free(row);
  ap_log_close(log);
  return found;
}

int cli_identify_doubt_delay(cli_identification *f, const cli_log_options *o, const char *path,
                             const ap_samples *samples) {
  ap_doubts doubts = {.count = 0};
  ap_error error = {0};
  double delay, deviation;
  error.status =
      ap_doubt_delay(f->ident, samples, &o->prepare, &delay, &deviation, &doubts, &error);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, path, 0, "%s", error.text);
  return cli_identify_doubt(f, path, &doubts, o->trust);
}

// What the samples themselves say against the robot.
static int doubt_samples(cli_identification *f, const cli_log_options *o, const char *path,
                         const ap_samples *samples) {
  ap_doubts doubts = {.count = 0};
  ap_error error = {0};
  error.status = ap_doubt_samples(f->ident, samples, &o->prepare, &doubts, &error);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, path, 0, "%s", error.text);
  const bool grave = ap_doubts_grave(&doubts);
  const int status = cli_identify_doubt(f, path, &doubts, o->trust);
  return status != CLI_OK || grave || o->prepare.currents
             ? status
             : cli_identify_doubt_delay(f, o, path, samples);
}

// Samples with currents are looked at again when gains are known.
static int keep_samples(cli_identification *f, const char *path, ap_samples *samples) {
  struct cli_kept_log *kept = realloc(f->kept, ((size_t)f->nkept + 1) * sizeof *kept);
  if (!kept) return ap_samples_free(samples), cli_no_memory();
  f->kept = kept;
  f->kept[f->nkept++] = (struct cli_kept_log){path, samples};
  return CLI_OK;
}

static int bad_log(const char *path, const ap_error *error) {
  return cli_fail(error->status == AP_E_MEMORY ? CLI_FAILED : CLI_BAD, path, error->line, "%s",
                  error->text);
}

int cli_identify_read(cli_identification *f, const cli_log_options *o, const char *path,
                      cli_log_data *data) {
  ap_error error = {0};
  ap_samples *samples = NULL;
  ap_dataset *states = NULL;
  error.status =
      ap_samples_read_as(f->ident, path, o->columns, o->prepare.at_rest, &samples, &error);
  if (error.status != AP_OK) return bad_log(path, &error);
  if (has_contacts(path))
    cli_warn(path, 0,
             "the log has impacts or contacts, whose forces are not in the model (leave out the "
             "rows around them)");
  data->path = path;
  data->logs++;
  data->samples += samples->n;
  if (samples->n > 1) data->duration += samples->t[samples->n - 1] - samples->t[0];
  error.status = ap_dataset_prepare(f->ident, samples, &o->prepare, &states, &error);
  int status = CLI_OK;
  // a log that cannot be prepared may be one in other units: say that first
  if (error.status == AP_OK || error.line == 0) status = doubt_samples(f, o, path, samples);
  if (status == CLI_OK && error.status != AP_OK) status = bad_log(path, &error);
  if (status == CLI_OK && o->prepare.currents)
    status = keep_samples(f, path, samples);
  else
    ap_samples_free(samples);
  if (status == CLI_OK && data->states) {
    if (ap_dataset_append(data->states, states) != AP_OK) status = cli_no_memory();
    ap_dataset_free(states);
  } else if (status == CLI_OK) {
    data->states = states;
  } else {
    ap_dataset_free(states);
  }
  return status;
}

// ---- after reading -----------------------------------------------------------------------------

int cli_identify_doubt_states(cli_identification *f, const cli_log_options *o) {
  ap_doubts doubts = {.count = 0};
  ap_error error = {0};
  error.status = ap_doubt_states(f->ident, f->data.states, &doubts, &error);
  if (error.status != AP_OK) return cli_fail(CLI_FAILED, f->data.path, 0, "%s", error.text);
  return cli_identify_doubt(f, f->data.path, &doubts, o->trust);
}

int cli_identify_doubt_fit(cli_identification *f) {
  const ap_fit *fit = f->fit[AP_FIT_CONSISTENT] ? f->fit[AP_FIT_CONSISTENT] : f->fit[f->method];
  ap_doubts doubts = {.count = 0};
  if (ap_doubt_fit(f->ident, f->data.reduction, fit, &doubts) != AP_OK) return cli_no_memory();
  return cli_identify_doubt(f, f->data.path, &doubts, true);
}
