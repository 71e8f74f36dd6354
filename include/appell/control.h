// SPDX-License-Identifier: Apache-2.0
/// @file control.h
/// Control scenarios: robot, rack, controller, reference, guards, read from YAML and made into a
/// run. Part of libappell-tools; allocates.

#ifndef APPELL_CONTROL_H
#define APPELL_CONTROL_H

#include <appell/file.h>
#include <appell/servo.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A control scenario read from a file. Owns its memory; free it with ap_control_free().
typedef struct ap_control ap_control;

/// What takes the place of something in the file; NULL and false: nothing does.
typedef struct ap_control_options {
  const char *robot; ///< a file or built-in name: what the controller believes the robot to be;
                     ///< the simulated robot stays that of the scenario
  const char
      *reference; ///< a CSV or HDF5 file: the reference; "-": a stream, see ap_control_stream()
  bool run_alone; ///< the log has AP_PHASE_RUN alone
} ap_control_options;

/// Read and check a control scenario (docs/control.md); options NULL means none. On failure
/// *control is NULL, and *error has the line and says what is wrong and what would be right.
AP_API ap_status ap_control_read(const char *path, const ap_control_options *options,
                                 ap_control **control, ap_error *error);
/// The same from memory; folder is where files that it names are looked for (NULL: here).
AP_API ap_status ap_control_parse(const char *text, size_t length, const char *folder,
                                  const ap_control_options *options, ap_control **control,
                                  ap_error *error);
/// Free a scenario and everything it handed out; NULL is allowed.
AP_API void ap_control_free(ap_control *control);

/// Its name, never NULL.
AP_API const char *ap_control_name(const ap_control *control);
/// The text of the file, closed by a zero, for logs.
AP_API const char *ap_control_text(const ap_control *control);
/// The robot that the controller believes in.
AP_API const ap_model *ap_control_model(const ap_control *control);
/// The robot that is simulated, or the one that the controller believes in where none is; as read.
AP_API const ap_robot *ap_control_robot(const ap_control *control);
/// The file that it was read from; NULL for a built-in robot.
AP_API const char *ap_control_file(const ap_control *control);
/// The reference; NULL where it is streamed.
AP_API const ap_traj *ap_control_reference(const ap_control *control);
/// The stream that the reference comes from, to be fed by one thread of the caller's; NULL: none.
/// An ap_run whose options name "-" feeds it from standard input.
AP_API ap_stream *ap_control_stream(const ap_control *control);
/// Whether it runs by the clock, and then how it asks for real time.
AP_API bool ap_control_realtime(const ap_control *control, ap_realtime *realtime);
/// Whether its log has AP_PHASE_RUN alone.
AP_API bool ap_control_logs_run_alone(const ap_control *control);
/// Whether a log that cannot be written any more, as on a full disk, stops the run.
AP_API bool ap_control_needs_log(const ap_control *control);
/// When the simulated fault begins, s; INFINITY where there is none.
AP_API double ap_control_fault_at(const ap_control *control);
/// Warning i, from 0, of a robot file; NULL past the last.
AP_API const ap_error *ap_control_warning(const ap_control *control, int i);

/// Let the controller compute with compiled functions of the robot, where they fit, see
/// ap_work_use(), before it is opened; they must live as long as the scenario. NULL: the general
/// ones.
AP_API void ap_control_use(ap_control *control, const ap_functions *functions);
/// Make rack, controller and run, once; they live as long as the scenario.
AP_API ap_status ap_control_open(ap_control *control, ap_servo **servo, ap_error *error);
/// The same with the inputs of a log instead of the scenario's rack; see ap_rack_replay().
AP_API ap_status ap_control_open_replay(ap_control *control, const ap_rack_input *input,
                                        const ap_rack_output *output, long n, ap_servo **servo,
                                        ap_error *error);
/// The rack of an open scenario.
AP_API ap_rack *ap_control_rack(ap_control *control);
/// What went wrong with it first; see ap_rack_trouble().
AP_API const char *ap_control_trouble(const ap_control *control);

#ifdef __cplusplus
}
#endif

#endif
