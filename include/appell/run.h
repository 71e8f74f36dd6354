// SPDX-License-Identifier: Apache-2.0
/// @file run.h
/// Runs: the simulation of a scenario, a controller on its robot, or a log, behind one interface. A
/// run has columns with units, advances from row to row, reports events, and can be recorded; its
/// log can become a report. Part of libappell-tools; allocates.
///
///     ap_run *run;
///     ap_error error;
///     if (ap_run_open("models/ball.yaml", NULL, &run, &error) == AP_OK &&
///         ap_run_record(run, "ball.csv", &error) == AP_OK)
///       ap_run_all(run, NULL, NULL, &error);

#ifndef APPELL_RUN_H
#define APPELL_RUN_H

#include <appell/control.h>
#include <appell/json.h>
#include <appell/scenario.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A run. Owns its memory; free it with ap_run_free().
typedef struct ap_run ap_run;

/// Kinds of runs.
typedef enum ap_run_kind {
  AP_RUN_ANY,        ///< detected from the file
  AP_RUN_SIMULATION, ///< of a scenario (docs/scenarios.md)
  AP_RUN_CONTROL,    ///< of a control scenario (docs/control.md)
  AP_RUN_LOG         ///< a log of either, which is read back (docs/logs.md)
} ap_run_kind;

/// How to open a run.
typedef struct ap_run_options {
  ap_run_kind kind;           ///< AP_RUN_ANY: detected from the file
  ap_control_options control; ///< of a control scenario
  /// As if the scenario had the keys `lock`, `root` and `tip`, which it must not have then: they
  /// are added to its text, which is copied into the log. NULL: only what the scenario has.
  const ap_reduction_def *part;
} ap_run_options;

/// Open a scenario, a control scenario or a log; options NULL means all zero. On failure *run is
/// NULL, and *error has the line and says what is wrong and what would be right.
AP_API ap_status ap_run_open(const char *path, const ap_run_options *options, ap_run **run,
                             ap_error *error);
/// Free a run and everything it handed out; NULL is allowed. A controller that runs is stopped
/// first; of a log that is not finished the .part stays.
AP_API void ap_run_free(ap_run *run);

/// What it is: never AP_RUN_ANY.
AP_API ap_run_kind ap_run_kind_of(const ap_run *run);
/// The robot; NULL for a log without a scenario, or whose robot file is missing.
AP_API const ap_model *ap_run_model(const ap_run *run);
/// The scenario of a simulation or its log; NULL: there is none.
AP_API const ap_scenario *ap_run_scenario(const ap_run *run);
/// The control scenario of a control run or its log; NULL: there is none.
AP_API const ap_control *ap_run_control(const ap_run *run);
/// Warning i, from 0, with its line in the file or 0: of robot and scenario, or of a log and its
/// report. NULL past the last.
AP_API const char *ap_run_warning(const ap_run *run, int i, int *line);

/// The columns of its rows, "t" first, and in *n their number.
AP_API const ap_column *ap_run_columns(const ap_run *run, int *n);
/// The columns of the numbers of its events.
AP_API const ap_column *ap_run_event_columns(const ap_run *run, int *n);
/// The column of the rows that has this name; -1: there is none.
AP_API int ap_run_find(const ap_run *run, const char *name);

/// Times of a simulation, s: start, end, and between rows. Zeros for other runs.
AP_API void ap_run_times(const ap_run *run, double *start, double *end, double *step);
/// Let a simulation end at another time, with another time between rows, before it starts. AP_E_ARG
/// for a time that is not behind the start, and for a step that is not positive.
AP_API ap_status ap_run_set_times(ap_run *run, double end, double step, ap_error *error);
/// Compute with functions of the robot, or of the mechanism's tree, that were compiled
/// (ap_compile()), where they fit, see ap_work_use(); NULL: with the general ones. For a simulation
/// or a controller that has not started, AP_E_ARG for other runs. They must live as long as the
/// run. Where the scenario has friction, compile with friction.
AP_API ap_status ap_run_use(ap_run *run, const ap_functions *functions, ap_error *error);
/// Feed a control run, before it starts, with the inputs of this log of all its phases instead of
/// its rack. Errors are those of the log.
AP_API ap_status ap_run_replay(ap_run *run, const char *log, ap_error *error);
/// Take this scenario, or control scenario, for the one of a log, not what the log says.
AP_API ap_status ap_run_set_scenario(ap_run *run, const char *path, ap_error *error);

/// Is told an event. touch is what a simulation knows of it, NULL in other runs. Both are valid
/// during the call.
typedef void ap_run_tell(void *context, const ap_logged_event *event, const ap_event *touch);
/// Be told of events from now on: those up to a row before ap_run_step() returns with the row.
AP_API void ap_run_on_event(ap_run *run, ap_run_tell *tell, void *context);

/// Make ready to step; what follows does it by itself. Makes a simulation, or rack and controller,
/// and finds out whether they can start.
AP_API ap_status ap_run_start(ap_run *run, ap_error *error);
/// Go to the next row; the first call gives the first. *end is set behind the last, and there is no
/// row then. A control run by the clock goes on in a thread of its own from the first call on; the
/// call waits for its next period.
AP_API ap_status ap_run_step(ap_run *run, bool *end, ap_error *error);
/// The numbers of the row that was stepped to, one for each column; NULL: there is none.
AP_API const double *ap_run_row(const ap_run *run);
/// Called after every row, with the part that is done, 0 to 1, or negative where nobody knows.
/// False ends the stepping.
typedef bool ap_run_watch(void *context, const ap_run *run, double part);
/// Step to the end and finish the log. watch may be NULL. Where it returns false the log is flushed
/// and stays a .part.
AP_API ap_status ap_run_all(ap_run *run, ap_run_watch *watch, void *context, ap_error *error);

/// The simulation, once started: for its remark and its evaluations. NULL in other runs.
AP_API const ap_sim *ap_run_sim(const ap_run *run);
/// The state of a simulation at its row; NULL in other runs.
AP_API const ap_sim_state *ap_run_state(const ap_run *run);
/// The control loop, once started, for a stop, for its result and remarks. NULL in other runs.
AP_API ap_servo *ap_run_servo(const ap_run *run);
/// Of a controller that was fed with a log: outputs that differ from the log's, and those that are
/// missing. -1: of none.
AP_API long ap_run_differing(const ap_run *run);

// ---- logs --------------------------------------------------------------------------------------

/// Record all rows and events from the start on to RUN.csv or RUN.h5 (ap_log): call it before the
/// first step. A run that cannot start leaves no log. Logs are flushed every half a second.
/// A log that cannot be written ends a simulation; a controller goes on, and the end says so.
AP_API ap_status ap_run_record(ap_run *run, const char *path, ap_error *error);
/// Complete the log and give it its name. AP_OK where nothing is recorded.
AP_API ap_status ap_run_finish(ap_run *run, ap_error *error);
/// Why the log could not be written; its status is AP_OK while all is well.
AP_API const ap_error *ap_run_log_error(const ap_run *run);
/// Why a reference on standard input could not be read any further, which stops a controller like
/// one that does not arrive; known after the last step. Its status is AP_OK while all is well.
AP_API const ap_error *ap_run_reference_error(const ap_run *run);

// ---- reports -----------------------------------------------------------------------------------

/// How a report is made. Begin with ap_default_report() and change what differs.
typedef struct ap_report_options {
  const char *title; ///< NULL: the scenario's name
  long rows;         ///< kept at most, evenly spread: 200000
  /// Folder whose meshes may go into the page besides those of the robot's own folder or package
  /// (docs/report.md); NULL: none.
  const char *meshes;
  const char *page; ///< HTML in which the document is put into the element with id="run"; NULL: the
                    ///< document alone, as JSON: ap_report_page()
  /// Logs that the run is compared with on the same page: their robots as ghosts, their curves over
  /// its own; NULL: none.
  ap_run *const *others;
  int nother;      ///< how many they are, 0 to 15: 0
  unsigned cookie; ///< ap_default_report() sets it
} ap_report_options;
/// The defaults named above.
AP_API ap_report_options ap_default_report(void);
/// The page that the library carries (docs/report.md), without a document.
AP_API const char *ap_report_page(void);
/// Make the report of a log; options NULL means the defaults. Reads it, and the others, from the
/// beginning. AP_E_ARG for a run that is no log: record it, and open that. Of several logs an error
/// names the one that it is in.
AP_API ap_status ap_run_report(ap_run *run, const ap_report_options *options, ap_write *write,
                               void *context, ap_error *error);
/// The same into a file, which appears only when it is complete.
AP_API ap_status ap_run_report_file(ap_run *run, const ap_report_options *options, const char *path,
                                    ap_error *error);

#ifdef __cplusplus
}
#endif

#endif
