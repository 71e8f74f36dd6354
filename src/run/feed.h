// SPDX-License-Identifier: Apache-2.0
// Set points from standard input.

#ifndef AP_RUN_FEED_H
#define AP_RUN_FEED_H

#include <appell/model.h>
#include <appell/stream.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct ap__feed ap__feed;

// NULL: no memory.
ap__feed *ap__feed_new(ap_stream *stream, const ap_model *m);
void ap__feed_free(ap__feed *feed);
// Put points until the stream reaches beyond t (s of the run), waiting for the input. False: a line
// is wrong.
bool ap__feed_until(ap__feed *feed, double t);
// Put points from a thread of its own.
bool ap__feed_start(ap__feed *feed);
// End that thread.
void ap__feed_join(ap__feed *feed);
// What was wrong with a line, if something was. Not while the thread runs.
const ap_error *ap__feed_error(const ap__feed *feed);

#endif
