/// @file control_log.h
/// What a run of the control loop writes: a row for each period, an event for each change of phase.
///
/// Columns of the rows: t; q.JOINT, v.JOINT (measured), tau.JOINT (sent), qd.JOINT, vd.JOINT,
/// ad.JOINT (reference), volt.JOINT; potentiometer.JOINT, encoder.JOINT, index.JOINT, indexed,
/// thermo, late (inputs as read); brakes, tools; period, phase, stop and stop_axis, compute.

#ifndef CLI_CONTROL_LOG_H
#define CLI_CONTROL_LOG_H

#include <appell/control.h>

#include "ui/message.h"

/// A log on its way; may be none.
typedef struct cli_control_log {
  const ap_model *model;
  const char *path; ///< NULL: none
  bool run_alone;   ///< rows of the reference alone
  ap_log *log;
  ap_column *column;
  int columns;
  double *row;
  ap_phase phase; ///< of the record written last
  bool begun;
  long rows;
  ap_error error; ///< of the first write that failed
} cli_control_log;

/// Start the log path (NULL: none) of a scenario, which was read of that file; reports what is
/// wrong and returns a status other than CLI_OK. Close it in either case.
int cli_control_log_open(cli_control_log *log, const char *path, const ap_control *control,
                         const char *scenario_file);
void cli_control_log_write(cli_control_log *log, const ap_servo_record *record);
void cli_control_log_flush(cli_control_log *log);
/// Complete the log: CLI_OK, or CLI_FAILED after saying why.
int cli_control_log_finish(cli_control_log *log);
void cli_control_log_close(cli_control_log *log);

/// The name of joint j.
const char *cli_control_joint(const ap_model *m, int j);

/// The inputs and outputs of a log of all phases, for a replay. Reports what is wrong and returns a
/// status other than CLI_OK. The caller frees the arrays.
int cli_control_log_read(const char *path, const ap_model *model, ap_rack_input **input,
                         ap_rack_output **output, long **period, long *requested, long *n);

#endif
