// SPDX-License-Identifier: Apache-2.0
// Spherical parallel robots in maximal coordinates: each of the seven bodies is free, each of the
// nine revolute joints is five equations with multipliers. Slow, and with nothing of the library's
// dynamics in it, hence a judge of it.
//
// The platform leads: its rotation says where the robot is. Six of the 45 equations depend on
// others.

#ifndef PAPERS_MAXIMAL_H
#define PAPERS_MAXIMAL_H

#include <appell/wrist.h>

enum { MAXIMAL_BODIES = 7, MAXIMAL_JOINTS = 9, MAXIMAL_DRIVEN = 3 };

typedef struct maximal_body {
  double mass;       ///< kg
  double inertia[9]; ///< about the centre of mass, the body's axes, kg m2
} maximal_body;

/// A revolute joint between two bodies. Points from the bodies' centres of mass, in their axes.
typedef struct maximal_joint {
  int a, b;                    ///< the bodies; a = -1: the ground
  double point_a[3];           ///< m
  double point_b[3];           ///< the same point, in b
  double axis_a[3], axis_b[3]; ///< unit vectors
} maximal_joint;

typedef struct maximal_system {
  maximal_body body[MAXIMAL_BODIES];
  maximal_joint joint[MAXIMAL_JOINTS]; ///< the first MAXIMAL_DRIVEN have motors
  int platform;                        ///< the body that leads
  double gravity[3];                   ///< m/s2
} maximal_system;

/// State of a body: centre of mass, rotation to the world row by row, velocity of the centre of
/// mass, angular velocity; all in world components. A system's state is an array of these.
typedef struct maximal_state {
  double x[3], R[9], v[3], w[3];
} maximal_state;

/// Accelerations, world components.
typedef struct maximal_rate {
  double v[3], w[3];
} maximal_rate;

/// The wrist of def as seven bodies and nine joints, bodies 2 i and 2 i + 1 the links of limb i.
void maximal_wrist(const ap_wrist_def *def, maximal_system *system);
/// A state of it: the platform turned by q, at rest, and the links by about theta and psi. Joints
/// need not close; maximal_close() closes them.
void maximal_wrist_state(const ap_wrist_def *def, const double q[3], const double theta[3],
                         const double psi[3], maximal_state *state);

/// Largest residual of the joints' equations: m, and sines of angles.
double maximal_gap(const maximal_system *system, const maximal_state *state);
/// Move every body but the platform so that the joints close, by Newton's method; returns
/// maximal_gap() then.
double maximal_close(const maximal_system *system, maximal_state *state);
/// Velocities of all bodies that go with angular velocity omega of the platform.
void maximal_move(const maximal_system *system, const double omega[3], maximal_state *state);
/// Torques of the motors that give the platform the angular acceleration alpha, by way of the
/// multipliers of all joints; rate (may be NULL) are the accelerations of all bodies. Returns the
/// largest residual of the equations of motion.
double maximal_torques(const maximal_system *system, const maximal_state *state,
                       const double alpha[3], double tau[MAXIMAL_DRIVEN], maximal_rate *rate);
/// Accelerations of all bodies under torques of the motors.
void maximal_accelerations(const maximal_system *system, const maximal_state *state,
                           const double tau[MAXIMAL_DRIVEN], maximal_rate *rate);
/// Rate of joint j's angle, and its acceleration where rate is not NULL.
void maximal_joint_rate(const maximal_system *system, const maximal_state *state,
                        const maximal_rate *rate, int j, double *speed, double *acceleration);
/// Kinetic and potential energy, J.
void maximal_energy(const maximal_system *system, const maximal_state *state, double *kinetic,
                    double *potential);

/// Torques at a time and state.
typedef void maximal_motors(void *context, double t, const maximal_state *state,
                            double tau[MAXIMAL_DRIVEN]);
/// One step of the classical Runge-Kutta method from t to t + dt, then every body but the platform
/// is put back on the joints' equations. Returns the gap before that, the drift of the step.
double maximal_step(const maximal_system *system, maximal_motors *motors, void *context, double t,
                    double dt, maximal_state *state);

#endif
