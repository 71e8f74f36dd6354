// SPDX-License-Identifier: Apache-2.0
/// @file stream.h
/// References that are streamed at run time: a queue of set points from one thread to a control
/// loop, without locks, and their interpolation. Part of libappell-tools; after ap_stream_init()
/// nothing allocates, locks or waits.
///
/// A set point has a time (s, increasing; the first one is the beginning of the run), positions,
/// and maybe velocities and accelerations; all points of a stream have the same. Between two
/// points:
///
/// | points have | interpolation                                                               |
/// |-------------|-----------------------------------------------------------------------------|
/// | q, v, a     | polynomial of degree five with all of them                                  |
/// | q, v        | cubic with both; the acceleration jumps at points                           |
/// | q           | cubic with the velocities (q[k+1] - q[k-1]) / (t[k+1] - t[k-1]); 0 at both  |
/// |             | ends. It needs a point more ahead                                           |

#ifndef APPELL_STREAM_H
#define APPELL_STREAM_H

#include <appell/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A stream. One thread puts, one other takes.
typedef struct ap_stream ap_stream;
/// Bytes that ap_stream_init() needs for n coordinates and so many points, a power of two.
AP_API size_t ap_stream_size(int n, int points);
/// Make a stream in mem. NULL, with *error filled: memory too small, a number that cannot be.
AP_API ap_stream *ap_stream_init(int n, int points, void *mem, size_t size, ap_error *error);
/// Coordinates of a point.
AP_API int ap_stream_n(const ap_stream *stream);

/// Add a point; v and a may be NULL. AP_E_MEMORY: the queue is full, try again later. AP_E_ARG,
/// with nothing added: numbers that are not finite, a time not after the last, or v or a where the
/// first point had none, or the other way round, or after the end.
AP_API ap_status ap_stream_put(ap_stream *stream, double t, const double *q, const double *v,
                               const double *a);
/// No more points come: after the last one its position is held; a run that has none stops.
AP_API void ap_stream_end(ap_stream *stream);

/// What a stream has to say about a time.
typedef enum ap_stream_state {
  AP_STREAM_EMPTY,   ///< the first point has not arrived
  AP_STREAM_FOLLOWS, ///< between points
  AP_STREAM_STARVES, ///< the point that is needed has not arrived
  AP_STREAM_ENDED    ///< after the last point
} ap_stream_state;
/// The reference at t (s since the first point, not before that of the last call). Outputs [n] are
/// set in AP_STREAM_FOLLOWS and AP_STREAM_ENDED alone. For the thread that takes.
AP_API ap_stream_state ap_stream_at(ap_stream *stream, double t, double *q, double *v, double *a);

#ifdef __cplusplus
}
#endif

#endif
