// SPDX-License-Identifier: Apache-2.0
// A printed table of operation counts, and what comes out when its methods run.

#ifndef PAPERS_COUNT_TABLE_H
#define PAPERS_COUNT_TABLE_H

#include "survey.h"

/// Begins the note of an entry for which the paper prints a formula and not its value at n = 6.
#define FORMULA_AT_SIX "printed formula at n = 6"

/// One line of a printed table.
typedef struct counted {
  const char *name;   ///< as the paper calls it
  const char *method; ///< ours
  ap_quantity what;
  unsigned steps; ///< of the method: bit k for step k; 0: the whole method
  /// As printed: a formula in n, or a number other than 0, which holds for n = 6 alone; NULL: none.
  const char *multiplications, *additions;
  const char *note;         ///< the reading taken, why the numbers differ; NULL: nothing to say
  const char *of_additions; ///< the same for additions; NULL: as for multiplications
} counted;

/// Count every entry; surveys has as many places as there are entries.
ap_status count_entries(const counted *entry, int entries, survey *surveys, ap_error *error);
/// Add rows at n = 6, a remark with the formula of each, and details for every other robot to the
/// item that was begun last.
void show_entries(report *r, const counted *entry, const survey *surveys, int entries);
/// Both, in memory of its own.
ap_status count_table(report *r, const counted *entry, int entries, ap_error *error);
/// A remark that says how everything is counted.
void how_counted(report *r);

#endif
