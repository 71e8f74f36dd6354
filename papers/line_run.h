// SPDX-License-Identifier: Apache-2.0
// The PUMA driven along a line by the torques of the prescribed motion, integrated over time, and
// how far it strays.

#ifndef PAPERS_LINE_RUN_H
#define PAPERS_LINE_RUN_H

#include "line.h"

/// Room for outputs every 0.1 s of the longest line, its start included.
enum { OUTPUTS_MOST = 96 };

/// How the integrator goes along a line. What it takes for its first step it guesses from the
/// motion, and the steps after it follow; the papers' "interval of 0.1 s" can be read in each way.
typedef enum run_mode {
  ONE_RUN,   ///< in one go
  RESTARTED, ///< afresh at every output, from what was reached
  STEPPED,   ///< likewise, with 0.1 s given as the first step
  RUN_MODES
} run_mode;

/// Name of a mode for a person.
const char *run_mode_name(run_mode mode);

/// What is simulated. Torques come from the line at the integrator's own times; nothing corrects.
typedef struct run_plan {
  const straight_line *line;
  int branch;
  const ap_method *forward; ///< forward dynamics
  run_mode mode;
} run_plan;

/// What came out, every 0.1 s and at the end.
typedef struct line_run {
  int outputs;
  double t[OUTPUTS_MOST];
  double q[OUTPUTS_MOST][LINE_JOINTS], v[OUTPUTS_MOST][LINE_JOINTS], a[OUTPUTS_MOST][LINE_JOINTS];
  long evaluations; ///< of the forward dynamics, by the integrator
  double seconds;   ///< from start to end, torques included
} line_run;

/// Relative and absolute tolerance of the integrator.
#define LINE_TOLERANCE 1e-6

/// Simulate: Dormand-Prince 5(4).
ap_status simulate_line(const puma *p, const run_plan *plan, line_run *run, ap_error *error);

/// A derivative of the motion: position, velocity, acceleration.
enum { LINE_DERIVATIVES = 3 };

/// Size of an error over the outputs.
typedef struct stray {
  double max, mean, last;
} stray;

/// Errors against the prescribed motion, for position, velocity and acceleration.
typedef struct line_errors {
  stray joint[LINE_DERIVATIVES];   ///< |difference|, over joints and outputs; rad, rad/s, rad/s2
  stray tool[LINE_DERIVATIVES];    ///< length of the difference of the vectors; m, m/s, m/s2
  stray modulus[LINE_DERIVATIVES]; ///< |difference of the lengths of the vectors|; m, m/s, m/s2
  double of_joint[LINE_DERIVATIVES][LINE_JOINTS]; ///< mean |difference| of each joint
} line_errors;

ap_status errors_of_run(const puma *p, const run_plan *plan, const line_run *run, line_errors *e,
                        ap_error *error);
/// Length of the difference between the wrist centre and the line at output k.
double tool_error_at(const puma *p, const run_plan *plan, const line_run *run, int k);
/// Largest distance between the wrist centres of two runs of the same line.
double distance_of_runs(const puma *p, const line_run *one, const line_run *other);

/// By how much the worst small deviation of [q; v] at the start has grown at the end of the line:
/// the largest singular value of the transition matrix of the equations linearised about the
/// prescribed motion.
ap_status line_growth(const puma *p, const straight_line *l, int branch, double *growth,
                      ap_error *error);

/// Seconds on a clock that only goes forward.
double clock_seconds(void);
/// The middle one of n numbers, which are put in order.
double median(double *x, int n);

#endif
