// SPDX-License-Identifier: Apache-2.0
// The PUMA 600 whose wrist centre follows a straight line: the motion that is asked for, and the
// torques that give it, at any time.

#ifndef PAPERS_LINE_H
#define PAPERS_LINE_H

#include <appell/dyn.h>
#include <appell/research.h>

enum { LINE_JOINTS = 6, LINE_BRANCHES = 8 };

/// A torque below this, in N m, is a zero with its rounding: those of this arm reach 100 N m.
#define LINE_ROUNDING 1e-12

/// The arm with everything that its computations need. Made by puma_make().
typedef struct puma {
  ap_model *m;
  ap_work *w;
  ap_study *study; ///< AP_F64
  ap_puma_geometry geometry;
  void *memory[3];
} puma;

ap_status puma_make(puma *p, ap_error *error);
/// Also right for a puma that was zero or could not be made.
void puma_free(puma *p);
/// A method by name (NULL: the default one). AP_E_NOT_FOUND where the library has none of that
/// name.
ap_status find_method(ap_quantity what, const char *name, const ap_method **method,
                      ap_error *error);

/// A straight line at constant speed, the orientation of frame 6 constant.
typedef struct straight_line {
  const char *name; ///< for messages
  double start[3], end[3];
  double duration;
  double zyz[3]; ///< degrees: R = Rz Ry Rz
} straight_line;

extern const straight_line mata2002_in_5s;          ///< as the paper's end point and time say
extern const straight_line mata2002_at_100mm_per_s; ///< the same line at the speed that it says
extern const straight_line provenzano2002_line, valera2003_line;

/// The signs of a branch as the papers' postures are told apart: shoulder, elbow, wrist,
/// "(1,1,-1)". branch 0 .. LINE_BRANCHES - 1.
const char *branch_name(int branch);

double line_length(const straight_line *l);
/// Position and velocity of the wrist centre at time t; outside 0 .. duration the line goes on.
void line_tool(const straight_line *l, double t, double position[3], double velocity[3]);

/// State, acceleration and torques at one time.
typedef struct motion {
  double q[LINE_JOINTS]; ///< in (-pi, pi]
  double v[LINE_JOINTS], a[LINE_JOINTS], tau[LINE_JOINTS];
} motion;

/// The motion on a branch of the inverse kinematics. AP_E_UNREACHABLE where the line leaves the
/// workspace, AP_E_SINGULAR where the velocity of the tool does not determine that of the joints.
ap_status line_motion(const puma *p, const straight_line *l, int branch, double t, motion *x);
/// The same, with *error naming line, branch and time on failure.
ap_status line_motion_or_say(const puma *p, const straight_line *l, int branch, double t, motion *x,
                             ap_error *error);
/// Say in *error what happened where on a line; returns the status.
ap_status line_fail(ap_error *error, ap_status status, const straight_line *l, int branch,
                    double t);

/// Position, velocity and acceleration of the wrist centre in a state; tool[3 * derivative + axis].
void tool_of(const puma *p, const double *q, const double *v, const double *a, double tool[9]);

#endif
