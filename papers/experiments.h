// SPDX-License-Identifier: Apache-2.0
// The experiments that the papers are made of; each adds its items to a report.

#ifndef PAPERS_EXPERIMENTS_H
#define PAPERS_EXPERIMENTS_H

#include <appell/model.h>

#include "papers.h"

// ---- general_robot.c ---------------------------------------------------------------------------

/// Geometry of a serial robot made for counting and for errors.
typedef enum general_geometry {
  GENERAL_GEOMETRY, ///< every length, angle and inertia differs from 0 and 1
  ALPHA1_ZERO,      ///< the same with the first axis along the base's z, gravity along it
  SPECIAL_GEOMETRY  ///< right angles and zero offsets, as industrial arms have them
} general_geometry;

enum { GENERAL_MOST = 32 };

/// A serial robot of n revolute joints (1 .. GENERAL_MOST) in modified Denavit-Hartenberg frames;
/// *def points into bodies[n] and to constant names.
void general_robot(int n, general_geometry geometry, ap_body_def *bodies, ap_robot_def *def);

// ---- counts.c: operations counted by running the code ------------------------------------------

ap_status counts_mata2002(report *r, ap_error *error);       ///< Tables 1-4
ap_status counts_provenzano2002(report *r, ap_error *error); ///< Table 1
ap_status counts_valera2003(report *r, ap_error *error);     ///< Tables 2-3

/// Parameters of shafei2018; those up to SHAFEI_EXPERIMENT make another experiment of it.
enum {
  SHAFEI_GRAVITY,
  SHAFEI_RADIUS,
  SHAFEI_RESTITUTION,
  SHAFEI_START,
  SHAFEI_EXPERIMENT,
  SHAFEI_TOLERANCE = SHAFEI_EXPERIMENT,
  SHAFEI_WINDOW,
  SHAFEI_LINKS,
  SHAFEI_BRANCHES
};

// ---- shafei_counts.c ---------------------------------------------------------------------------

/// Table 1, Figs. 12 and 13: operations for trees.
ap_status counts_shafei2018(const paper_options *options, report *r, ap_error *error);

// ---- single_precision.c ------------------------------------------------------------------------

/// Ascher's two bodies: Table 5 and Fig. 2 of Mata et al. 2002, every forward method.
ap_status two_bodies(const paper_options *options, report *r, ap_error *error);
/// Errors of every method in single precision: puma600, ascher2, a chain of 30 joints.
ap_status single_precision(report *r, ap_error *error);

/// Parameters of the papers with a straight line; Mata et al. also give a speed.
enum { LINE_DURATION, MATA_SPEED };

// ---- lines.c: the PUMA's straight lines --------------------------------------------------------

ap_status lines_mata2002(const paper_options *options, report *r, ap_error *error);
ap_status lines_provenzano2002(const paper_options *options, report *r, ap_error *error);
ap_status lines_valera2003(const paper_options *options, report *r, ap_error *error);

#endif
