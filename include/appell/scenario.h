// SPDX-License-Identifier: Apache-2.0
/// @file scenario.h
/// Scenario files: a robot, walls, a start and a duration, read from YAML. Part of libappell-tools;
/// allocates.

#ifndef APPELL_SCENARIO_H
#define APPELL_SCENARIO_H

#include <appell/file.h>
#include <appell/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scenario read from a file: everything that a run needs. Owns its memory; free it with
/// ap_scenario_free().
typedef struct ap_scenario ap_scenario;

/// Read and check a scenario file (docs/scenarios.md). On failure *scenario is NULL, and *error has
/// the line and says what is wrong and what would be right. Files that the scenario names are
/// looked for beside it; an error in one has the line where the scenario names it, and that file's
/// own line in its text.
AP_API ap_status ap_scenario_read(const char *path, ap_scenario **scenario, ap_error *error);
/// The same from memory; folder is where files that it names are looked for (NULL: here).
AP_API ap_status ap_scenario_parse(const char *text, size_t length, const char *folder,
                                   ap_scenario **scenario, ap_error *error);
/// Free a scenario and everything it handed out; NULL is allowed.
AP_API void ap_scenario_free(ap_scenario *scenario);

/// Its name, never NULL.
AP_API const char *ap_scenario_name(const ap_scenario *scenario);
/// File i, from 0, that the scenario names and that was read: robot, forces. NULL past the last.
AP_API const char *ap_scenario_file(const ap_scenario *scenario, int i);
/// The robot as it was read.
AP_API const ap_robot *ap_scenario_robot(const ap_scenario *scenario);
/// The robot as a mechanism, where it has closed chains; NULL: it is a tree.
AP_API const ap_mechanism *ap_scenario_mechanism(const ap_scenario *scenario);
/// The robot's model; of a mechanism, that of its tree.
AP_API const ap_model *ap_scenario_model(const ap_scenario *scenario);
/// The scene, for ap_sim_create(). Its points and walls all have names, for logs.
AP_API const ap_scene *ap_scenario_scene(const ap_scenario *scenario);
/// Start: q [nq].
AP_API const double *ap_scenario_q(const ap_scenario *scenario);
/// Start: v [nv].
AP_API const double *ap_scenario_v(const ap_scenario *scenario);
/// Times: start, end (later), and the step between outputs, s.
AP_API void ap_scenario_times(const ap_scenario *scenario, double *start, double *end,
                              double *step);
/// The text of the file, closed by a zero, for logs.
AP_API const char *ap_scenario_text(const ap_scenario *scenario);
/// Warning i, from 0, of the robot file or of the scenario, with its line in the scenario; NULL
/// past the last.
AP_API const ap_error *ap_scenario_warning(const ap_scenario *scenario, int i);

#ifdef __cplusplus
}
#endif

#endif
