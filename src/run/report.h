// SPDX-License-Identifier: Apache-2.0
// What a report is made of: a log, and the scenario and robot that it belongs to where they are
// known. The document that goes into the page is described in docs/report.md.

#ifndef AP_RUN_REPORT_H
#define AP_RUN_REPORT_H

#include "file/json.h"
#include "run/run.h"

// Rows of a log, thinned out evenly where they are too many, as the page has them, and among them,
// when these are known, two samples for each event.
typedef struct ap__report_rows {
  int columns;  // without t, those that were added here at the end
  int logged;   // of them, those of the log
  bool counted; // a column with the number of impacts stands behind all others
  double *time; // [samples]
  float *value; // [samples][columns + counted]
  long samples; // rows, and states at events
  long rows;    // kept
  long total;   // in the log
  long every;   // row in the log that was kept
  long most;    // rows to be kept, about
  double start, end;
  double closing;          // largest of the column; NAN: there is none
  double energy[2];        // kinetic, potential and elastic at the first row and the last; NAN
  double *square, *errors; // by joint of a control run: sums of squares, and largest, of q - qd
  long squares;            // rows in the sums
} ap__report_rows;

// A column of the rows whose value events tell, too.
typedef struct ap__told {
  int column;        // of the rows, from 0 behind t
  int before, after; // among the numbers of an event
} ap__told;

// An event as a jump of the rows: all its touches together.
typedef struct ap__jump {
  double t;
  double lost; // J
  int rests;   // points that came to rest, less those that left
  bool impact;
} ap__jump;

// The events of a log, where it has their states.
typedef struct ap__report_jumps {
  int number, lost, joint; // places among the numbers of an event; -1: it has none
  bool *of_state;          // [event_columns] is it a part of the state?
  ap__told *told;          // [ntold]; none: the log has no states
  int ntold;
  ap__jump *jump; // [n]
  float *value;   // [n][2][ntold]: just before and just after
  long n, room;
  double last;  // number of the last event
  long dropped; // events that were too many
} ap__report_jumps;

// A report on its way.
typedef struct ap__report {
  ap_run *run;
  const ap_report_options *options;
  const ap_log_about *about;
  const ap_model *model;         // NULL: unknown
  const ap_mechanism *mechanism; // NULL: none
  const ap_scene *scene;         // NULL: none
  ap__report_rows rows;
  ap__report_jumps jumps;
  long events, impacts; // in the log
  size_t mesh_bytes;    // in the page so far
  ap_error *error;      // of what returns a status
} ap__report;

// Note a warning for the page and for the caller.
#define ap__report_warn(report, ...) ap__log_run_warn((report)->run, true, __VA_ARGS__)

// Read all rows.
ap_status ap__report_rows_read(ap__report *report);
void ap__report_rows_free(ap__report_rows *rows);
// "rows", "columns", "time", "data" of the document.
void ap__report_rows_write(const ap__report *report, ap_json *json);
// "events" of the document, noting their states for the rows.
ap_status ap__report_events(ap__report *report, ap_json *json);

// Find out what events tell of the state.
ap_status ap__report_jumps_plan(ap__report *report);
// Note an event, or another touch of the last one.
ap_status ap__report_jumps_note(ap__report *report, const ap_logged_event *event);
// Put two samples for each event among the rows: just before and just after.
ap_status ap__report_jumps_merge(ap__report *report);
void ap__report_jumps_free(ap__report_jumps *jumps);

// "model", "walls", "points", "closures" of the document.
ap_status ap__report_model(ap__report *report, ap_json *json);

#endif
