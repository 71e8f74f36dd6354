/// @file page.h
/// What a report is made of: a log, and the scenario and robot that it belongs to where they are
/// known. The document that goes into the page is described in docs/report.md.

#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <appell/control.h>
#include <appell/scenario.h>

#include "json.h"

/// Rows of a log, thinned out evenly where they are too many, as the page has them.
typedef struct cli_rows {
  int columns;  ///< without t, those that were added here at the end
  int logged;   ///< of them, those of the log
  double *time; ///< [rows]
  float *value; ///< [rows][columns]
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
/// "rows", "columns", "time", "data" of the document.
void cli_rows_write(const cli_run *run, cli_json *json);
/// "events" of the document. Reports what is wrong and returns a status other than CLI_OK.
int cli_events_write(cli_run *run, cli_json *json);

/// Does the log have the coordinates of the model, in their places behind t?
bool cli_model_matches(const cli_run *run);
/// "model", "walls", "points", "closures" of the document.
int cli_model_write(cli_run *run, cli_json *json);

/// The page with an empty place for the document, closed by a zero; NULL: built without.
const char *cli_page_html(void);

#endif
