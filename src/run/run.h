// SPDX-License-Identifier: Apache-2.0
// A run inside: what all kinds share, and what each kind has besides.

#ifndef AP_RUN_RUN_H
#define AP_RUN_RUN_H

#include <appell/run.h>
#include <pthread.h>

#include "ctrl/servo.h"
#include "file/columns.h"
#include "file/source.h"
#include "run/set_points.h"

// ---- kinds -------------------------------------------------------------------------------------

// What a simulation has: see ap__simulation_event().
typedef struct ap__simulation {
  double start, end, step;
  long outputs, next; // rows behind the first, and the row that comes next
  ap_sim *sim;
  ap_sim_state state;
  void *memory; // of work and loop
  ap_work *work;
  ap_loop *loop; // NULL: no mechanism
  ap_contact_state *contact;
  int contacts;       // room for them
  const char **point; // LINK/POINT for every point
} ap__simulation;

// The inputs and outputs of a log, for a replay.
typedef struct ap__replay {
  ap_rack_input *input;   // [n]
  ap_rack_output *output; // [n]
  ap__fed *fed;           // [n] references, for those that were streamed
  long *period;           // [n], growing
  ap__pool pool;          // of the arrays in them
  long n, room;
  long requested; // the first row with a stop that was asked for; -1: none
} ap__replay;

typedef struct ap__control_run {
  ap_servo *servo;
  ap_servo_record record; // of the row
  ap__replay *replay;     // NULL: none
  long replayed;          // rows of it so far
  bool run_alone, by_clock, running, no_more;
  ap_realtime realtime;
  pthread_t thread;
  ap__set_points *set_points; // NULL: the reference does not come from standard input
  ap_phase phase;             // of the record before
  bool begun;
} ap__control_run;

// A warning of a report; told: also to the caller.
typedef struct ap__warning {
  const char *text;
  bool told;
} ap__warning;

typedef struct ap__log_run {
  ap_log_reader *reader;
  const char *text;       // of the scenario; NULL: unknown
  const char *robot_file; // what meshes are looked for from; NULL: nothing
  const ap_robot *robot;  // NULL: unknown
  const ap_mechanism *mechanism;
  bool replays; // the log has the coordinates of the model
  ap_logged_event event;
  bool has_event, no_events;
  ap__warning *warning;
  int warnings, own; // own: those of the log, not of a report
  bool failed;       // no memory for one
} ap__log_run;

// What the kinds do. Each says in *error what is wrong.
typedef struct ap__run_source {
  ap_status (*start)(ap_run *run, ap_error *error);
  // The next row to run->rows.row, with events told on the way.
  ap_status (*step)(ap_run *run, bool *end, ap_error *error);
  double (*part)(const ap_run *run);
  void (*release)(ap_run *run);
} ap__run_source;

struct ap_run {
  ap_run_kind kind;
  const ap__run_source *source;
  ap__pool pool; // of texts
  const char *path;
  const char *text;           // in the place of that of the file; NULL: the file's
  const ap__robot_edit *edit; // of its robot; NULL: none
  ap_scenario *scenario;
  ap_control *control;
  const ap_model *model;    // NULL: unknown
  const ap_scene *scene;    // NULL: no simulation, or unknown
  const ap_functions *code; // that a simulation computes with
  ap__columns rows, events;
  int longest_word; // of an event
  bool started, stepped, at_row;
  ap_run_tell *tell;
  void *context;
  ap_log *log;
  ap_error log_error, reference_error;
  double flushed; // s by the clock
  ap__simulation simulation;
  ap__control_run controller;
  ap__log_run recorded;
};

// A scenario or a control scenario by its first key; AP_RUN_LOG: neither.
ap_run_kind ap__kind_of_text(const char *text);

// ap_run_open() of a scenario or control scenario, with this text in the place of what its file
// has, and a change of its robot (NULL: none). Both must live until it returns.
ap_status ap__run_open_text(const char *path, const char *text, const ap__robot_edit *edit,
                            const ap_run_options *options, ap_run **run, ap_error *error);

// Open the kinds: run has its path, and is freed by the caller on failure.
ap_status ap__simulation_open(ap_run *run, const ap_run_options *options, ap_error *error);
ap_status ap__control_run_open(ap_run *run, const ap_run_options *options, ap_error *error);
ap_status ap__log_run_open(ap_run *run, ap_error *error);

// Read the scenario, or control scenario, at its path, with the keys that options->part stands for.
ap_status ap__run_read(ap_run *run, const ap_run_options *options, ap_error *error);
// The same of a text; files that it names are looked for beside this one, and must be below the
// folder `within` (NULL: anywhere). options: of a control scenario, or NULL.
ap_status ap__run_parse(ap_run *run, ap_run_kind kind, const char *text, const char *file,
                        const char *within, const ap_control_options *options, ap_error *error);
// Could a log with the text `logged` be of a run of this scenario? The text is the same, except for
// the keys that options->part stands for.
bool ap__is_logged(const char *scenario, const char *logged);

// The columns of a scenario's run.
void ap__simulation_columns(const ap_scenario *scenario, ap__columns *rows, ap__columns *events);
void ap__control_columns(ap__columns *rows, const ap_model *m);
// Tell and record an event of a simulation.
void ap__simulation_event(void *run, const ap_event *event);
// Tell and record an event of any kind.
void ap__run_event(ap_run *run, const ap_logged_event *event, const ap_event *touch);
// Flush the log where that is due.
void ap__run_flush(ap_run *run);

// The inputs and outputs of a log of this robot. On failure there is none.
ap_status ap__replay_read(const char *path, const ap_model *m, ap__replay **replay,
                          ap_error *error);
void ap__replay_free(ap__replay *replay);

// Read a log from its beginning again, and forget the warnings of its report.
ap_status ap__log_run_rewind(ap_run *run, ap_error *error);
// Note a warning for the page, and for the caller where it is told. At most 4 KiB.
void ap__log_run_warn(ap_run *run, bool told, const char *format, ...) AP_PRINTF(3, 4);

#endif
