// SPDX-License-Identifier: Apache-2.0
// clang-format off
/// @file appell.h
/// All headers, in the order in which a program needs them. This header includes the core.
///
/// libappell, the core: needs libm only, uses no heap
///
/// | header  | what it is about                                                                   |
/// |---------|------------------------------------------------------------------------------------|
/// | base.h  | status codes, the error record                                                     |
/// | model.h | define a robot, check it, freeze it; lock joints, take a part of a robot           |
/// | work.h  | the memory that algorithms work in, in parts; payload, gravity, friction, own code |
/// | kin.h   | poses, velocities, Jacobians, inverse kinematics                                   |
/// | dyn.h   | inverse and forward dynamics, inertia and Coriolis matrices, derivatives, energy   |
/// | batch.h | the same for many states at once, rollouts                                         |
/// | ddp.h   | optimal control, and model-predictive control in a loop                            |
///
/// Functions for double have plain names; their versions for float end in _f32.
///
/// libappell-research: research.h, every method in every arithmetic, by name; counted operations
///
/// libappell-tools: most of it allocates
///
/// | header                        | what it is about                                             |
/// |-------------------------------|--------------------------------------------------------------|
/// | file.h, json.h                | robot files, state files, logs; writing JSON                 |
/// | lint.h                        | mistakes in a robot file, and fixes                          |
/// | weigh.h                       | inertias of links from their shapes and meshes               |
/// | info.h                        | what a robot contains                                        |
/// | mechanism.h, loop.h           | closed chains: their definition, their dynamics              |
/// | parallel.h, wrist.h,          | parallel robots in closed form, and three kinds of them      |
/// | five_bar.h, delta.h           |                                                              |
/// | convex.h                      | distance between convex shapes, bounds for motion            |
/// | impact.h                      | walls, and the change of velocities in an impact             |
/// | sim.h, scenario.h             | motion over time, and files that describe it                 |
/// | traj.h, clearance.h           | trajectories, distances that a robot keeps on them           |
/// | topp.h                        | the fastest motion along a path                              |
/// | ctrl.h, servo.h, rack.h,      | controllers, the loop that runs them, its inputs and         |
/// | control.h                     | outputs, and files that describe all of it                   |
/// | feed_forward.h                | compensation for torque-controlled arms, external torques    |
/// | run.h                         | simulations, control runs and logs by one interface; reports |
/// | view.h                        | the live page of a robot                                     |
/// | sweep.h                       | many runs or states, with parameters that differ             |
/// | ident.h                       | parameters from measurements                                 |
/// | drive_gains.h                 | torques for each unit of motor current, from a known load    |
/// | codegen.h                     | one robot as C or CUDA, also compiled while a program runs   |
/// | eval.h, compare.h, bench.h    | a quantity for many states; comparison of methods; speed     |
/// | plot.h                        | figures                                                      |

// clang-format on

#ifndef APPELL_H
#define APPELL_H

#include <appell/base.h>
#include <appell/batch.h>
#include <appell/ddp.h>
#include <appell/dyn.h>
#include <appell/kin.h>
#include <appell/model.h>
#include <appell/work.h>

#endif
