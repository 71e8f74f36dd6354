// SPDX-License-Identifier: Apache-2.0
/// @file threads.h
/// Many states in several threads, without the interpreter's lock.

#ifndef APPELL_PYTHON_THREADS_H
#define APPELL_PYTHON_THREADS_H

#include "core.h"

/// How many threads a call uses at most.
extern int most_threads;

/// Computes a part of the states in a slot of its own.
typedef ap_status part_function(const void *context, slot *s, bool single, ap_states part);

/// Compute all states; the interpreter's lock is held on entry and given up meanwhile. Returns
/// AP_OK, or the status of a part that failed.
ap_status compute_in_threads(Model *m, bool single, ap_states all, part_function *compute,
                             const void *context);

#endif
