/// @file page.h
/// What a report is made of: a log, and the scenario and robot that it belongs to where they are
/// known. The document that goes into the page is described in docs/report.md.

#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <appell/control.h>
#include <appell/scenario.h>

#include "ui/json.h"

/// Rows of a log, thinned out evenly where they are too many, as the page has them, and among them,
/// when these are known, two samples for each event.
typedef struct cli_rows {
  int columns;  ///< without t, those that were added here at the end
  int logged;   ///< of them, those of the log
  bool counted; ///< a column with the number of impacts stands behind all others
  double *time; ///< [samples]
  float *value; ///< [samples][columns + counted]
  long samples; ///< rows, and states at events
  long rows;    ///< kept
  long total;   ///< in the log
  long every;   ///< row in the log that was kept
  long most;    ///< rows to be kept, about
  double start, end;
  double closing;          ///< largest of the column; NAN: there is none
  double energy[2];        ///< kinetic, potential and elastic at the first row and the last; NAN
  double *square, *errors; ///< by joint of a control run: sums of squares, and largest, of q - qd
  long squares;            ///< rows in the sums
} cli_rows;

/// A column of the rows whose value events tell, too.
typedef struct cli_told {
  int column;        ///< of the rows, from 0 behind t
  int before, after; ///< among the numbers of an event
} cli_told;

/// An event as a jump of the rows: all its touches together.
typedef struct cli_jump {
  double t;
  double lost; ///< J
  int rests;   ///< points that came to rest, less those that left
  bool impact;
} cli_jump;

/// The events of a log, where it has their states.
typedef struct cli_jumps {
  int number, lost, joint; ///< places among the numbers of an event; -1: it has none
  bool *of_state;          ///< [event_columns] is it a part of the state?
  cli_told *told;          ///< [ntold]; none: the log has no states
  int ntold;
  cli_jump *jump; ///< [n]
  float *value;   ///< [n][2][ntold]: just before and just after
  long n, room;
  double last;  ///< number of the last event
  long dropped; ///< events that were too many
} cli_jumps;

/// A run to report.
typedef struct cli_run {
  const char *path;          ///< of the log
  const char *scenario_path; ///< what was given by --scenario; NULL: the log's own
  ap_log_reader *log;
  const ap_log_about *about;
  ap_scenario *scenario; ///< NULL: unknown, or a control run
  ap_control *control;   ///< NULL: unknown, or no control run
  const char *text;      ///< of the scenario; NULL: unknown
  char *robot_file;      ///< what meshes are looked for from; NULL: nothing
  const ap_robot *robot; ///< NULL: unknown
  const ap_model *model;
  const ap_mechanism *mechanism;
  const ap_scene *scene;
  const ap_column *known; ///< [nknown] columns as the scenario's run has them, with units
  int nknown;
  bool replays; ///< the log has the coordinates of the model
  cli_rows rows;
  cli_jumps jumps;
  long events, impacts; ///< in the log
  size_t mesh_bytes;    ///< in the page so far
  struct cli_remark *warning;
  int warnings;
} cli_run;

/// A warning in the page; told: also on standard error when the page is there.
typedef struct cli_remark {
  char *text;
  bool told;
} cli_remark;

/// Note a warning for the page and for standard error. At most 4 KiB.
void cli_run_warn(cli_run *run, const char *format, ...) CLI_PRINTF(2, 3);

/// Read all rows. Reports what is wrong and returns a status other than CLI_OK.
int cli_rows_read(cli_run *run);
void cli_rows_free(cli_rows *rows);
/// The column of the rows that has this name, t being 0; -1: there is none.
int cli_find_column(const cli_run *run, const char *name);
/// "rows", "columns", "time", "data" of the document.
void cli_rows_write(const cli_run *run, cli_json *json);
/// "events" of the document, noting their states for the rows. Reports what is wrong and returns a
/// status other than CLI_OK.
int cli_events_write(cli_run *run, cli_json *json);

/// Find out what events tell of the state: CLI_OK, or CLI_FAILED after saying why, as below.
int cli_jumps_plan(cli_run *run);
/// Note an event, or another touch of the last one.
int cli_jumps_note(cli_run *run, const ap_logged_event *event);
/// Put two samples for each event among the rows: just before and just after.
int cli_jumps_merge(cli_run *run);
void cli_jumps_free(cli_jumps *jumps);

/// Does the log have the coordinates of the model, in their places behind t?
bool cli_model_matches(const cli_run *run);
/// "model", "walls", "points", "closures" of the document.
int cli_model_write(cli_run *run, cli_json *json);

/// The page with an empty place for the document, closed by a zero; NULL: built without.
const char *cli_page_html(void);

#endif
