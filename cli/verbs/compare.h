// SPDX-License-Identifier: Apache-2.0
/// @file compare.h
/// Another program on the same robot: what differs, and which numbers of the file explain it.

#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include <stdint.h>

#include "load.h"
#include "peers/referee.h"

/// What is compared, for every degree of freedom.
typedef enum cli_term { CLI_TERM_GRAVITY, CLI_TERM_CORIOLIS, CLI_TERM_INERTIA, CLI_TERMS } cli_term;

/// One term of a degree of freedom in both: the largest value over the states, the largest
/// difference, and what that counts against: the largest value of any term there.
typedef struct cli_gap {
  double value, difference, scale;
} cli_gap;

/// A number of the file that the two understand differently.
typedef struct cli_finding {
  int body;              ///< that it belongs to, 0: to the whole robot
  const char *attribute; ///< "mass", "com", "inertia", "place", "axis", ...
  int line;              ///< in the file, 0: unknown
  int count;             ///< how many numbers
  double ours[6], theirs[6];
  bool left_out; ///< the whole link is, in the other program
} cli_finding;

enum { CLI_MOST_FINDINGS = 200 };

typedef struct cli_dispute {
  const cli_model *model;
  const cli_referee *other;
  double tolerance; ///< relative to the largest value of a term
  int states;
  uint64_t seed;
  cli_gap *gap;         ///< [nv * CLI_TERMS]
  double *frame;        ///< [nbody] largest distance of link frames, m; negative: not compared
  double *turn;         ///< [nbody] largest angle between them, rad
  cli_other_body *body; ///< [nbody] moving ones, as the other has them
  double mass[2];       ///< of all that moves: here, there
  double before, after; ///< largest relative difference, and what the findings leave of it
  cli_finding finding[CLI_MOST_FINDINGS];
  int findings;
  double *memory; ///< of one state
  void *work_memory;
  ap_work *work;
} cli_dispute;

/// Do two values differ by more than the tolerance?
bool cli_differs(const cli_dispute *d, cli_gap gap);
/// Compare in random states. False: no memory.
bool cli_dispute_compare(cli_dispute *d);
/// What differs once the other's inertias and gravity are taken over, as cli_dispute::before; NAN:
/// no memory.
double cli_dispute_again(cli_dispute *d);
/// Look for the numbers that explain what was found, and compare once more with those of the other.
void cli_dispute_explain(cli_dispute *d);
void cli_dispute_free(cli_dispute *d);

/// Compare a model with what a program that is installed has of it, and print it. CLI_FAILED where
/// they disagree.
int cli_compare_against(const cli_model *model, const char *program, int states, uint64_t seed,
                        double tolerance, bool json);

#endif
