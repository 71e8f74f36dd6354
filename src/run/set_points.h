// SPDX-License-Identifier: Apache-2.0
// Set points from standard input.

#ifndef AP_RUN_SET_POINTS_H
#define AP_RUN_SET_POINTS_H

#include <appell/model.h>
#include <appell/stream.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct ap__set_points ap__set_points;

// NULL: no memory.
ap__set_points *ap__set_points_new(ap_stream *stream, const ap_model *m);
void ap__set_points_free(ap__set_points *points);
// Put points until the stream reaches beyond t (s of the run), waiting for the input. False: a line
// is wrong.
bool ap__set_points_until(ap__set_points *points, double t);
// Put points from a thread of its own.
bool ap__set_points_start(ap__set_points *points);
// End that thread.
void ap__set_points_join(ap__set_points *points);
// What was wrong with a line, if something was. Not while the thread runs.
const ap_error *ap__set_points_error(const ap__set_points *points);

#endif
