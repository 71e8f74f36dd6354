/// @file record.h
/// What a run writes: a row at each output time, and its events.
///
/// Columns of the rows: t; q.JOINT, v.JOINT, tau.JOINT, where a joint with several entries has one
/// column for each, v.root_joint.wx; the energies kinetic, potential, elastic, work, dissipated,
/// lost, and closing, by which their account does not close; work_of.JOINT; contacts, the number of
/// points at rest on walls, and where there are walls force.POINT.x, .y, .z on each point; of a
/// mechanism coordinate.NAME, rate.NAME, closure and drift, the errors of its closures.
///
/// Columns of the events: what happened at a point or joint, then the state just before and just
/// after: q, v and v_after by joint, kinetic, kinetic_after, potential, and of a mechanism
/// coordinate, rate and rate_after by name.

#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include <appell/scenario.h>

#include "ui/message.h"

/// Columns, and room for the numbers of a line of them.
typedef struct cli_columns {
  ap_column *column;
  char **name; ///< of the columns
  int n, room;
  double *row;
} cli_columns;

/// The columns of a run and its log, which may be none.
typedef struct cli_record {
  const ap_model *model;
  const ap_scene *scene;
  const char *path; ///< of the log; NULL: none
  ap_log *log;
  cli_columns rows, events;
  void *memory; ///< of work and loop
  ap_work *work;
  ap_loop *loop; ///< NULL: no mechanism
  ap_contact_state *contact;
  int contacts; ///< room for them
  char **point; ///< LINK/POINT for every point
  bool no_memory;
  ap_error error; ///< of the first write that failed
} cli_record;

/// Start the log path (NULL: none, the columns alone) of a scenario, which was read of that file;
/// reports what is wrong and returns a status other than CLI_OK. Close it in either case.
int cli_record_open(cli_record *record, const char *path, const ap_scenario *scenario,
                    const char *scenario_file);
/// Write the state as a row. AP_OK, or what went wrong, also in record->error.
ap_status cli_record_row(cli_record *record, const ap_sim *sim, const ap_sim_state *state);
void cli_record_event(cli_record *record, const ap_event *event);
ap_status cli_record_flush(cli_record *record);
/// Complete the log: CLI_OK, or CLI_FAILED after saying why.
int cli_record_finish(cli_record *record);
void cli_record_close(cli_record *record);

#endif
