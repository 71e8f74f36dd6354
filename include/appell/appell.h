/// @file appell.h
/// The map of Appell's core, in the order in which a program meets it.
///
/// 1. base.h      status codes, the error record
/// 2. model.h     define a robot, check it, freeze it
/// 3. work.h      the memory that algorithms work in; payload, gravity, friction
/// 4. kin.h       poses, velocities, Jacobians, inverse kinematics
/// 5. dyn.h       inverse and forward dynamics, inertia and Coriolis matrices, energy
/// 6. batch.h     the same for many states at once, rollouts
/// 7. research.h  every method in every arithmetic, by name; counted operations
///
/// Functions in double have plain names, their twins in single precision end in _f32.
///
/// The headers of libappell-tools are not included here, because most of them allocate and the core
/// does not: file.h reads and writes robot files and logs, loop.h is about closed chains
/// (mechanism.h has the structs that define them, which file.h reads), wrist.h, five_bar.h and
/// delta.h about three kinds of them in closed form, impact.h about walls, sim.h and scenario.h
/// about motion over time, run.h opens, records and reports runs, json.h writes JSON, traj.h about
/// trajectories, ident.h about parameters from measurements, plot.h draws, lint.h finds what is
/// wrong in a robot file, info.h says what a model contains, eval.h computes a quantity of many
/// states, compare.h runs every method side by side, bench.h measures speed.

#ifndef APPELL_H
#define APPELL_H

#include <appell/base.h>
#include <appell/batch.h>
#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/model.h>
#include <appell/research.h>
#include <appell/work.h>

#endif
