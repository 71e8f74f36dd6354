// SPDX-License-Identifier: Apache-2.0
// Distances between points and segments.

#ifndef AP_NUM_SEGMENTS_H
#define AP_NUM_SEGMENTS_H

#include "num/vec3.h"

// Square of the distance between the points a + s u and b + t w.
static inline double square_between(const double a[3], const double u[3], double s,
                                    const double b[3], const double w[3], double t) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const double d = a[i] + s * u[i] - b[i] - t * w[i];
    sum += d * d;
  }
  return sum;
}

// Square of the distance from the point p to the segment b + t w, 0 <= t <= 1.
static inline double square_to_segment(const double p[3], const double b[3], const double w[3]) {
  const double to[3] = {p[0] - b[0], p[1] - b[1], p[2] - b[2]}, zero[3] = {0};
  const double length = dot3(w, w), along = dot3(to, w);
  const double t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
  return square_between(p, zero, 0, b, w, t);
}

// Distance between the segments a0 a1 and b0 b1, each of any length. The nearest points are an end
// of one of them and a point of the other, or the feet of the common perpendicular: the least of
// all five is right also for segments that are almost parallel, where the feet are not.
static inline double segment_distance(const double a0[3], const double a1[3], const double b0[3],
                                      const double b1[3]) {
  double u[3], w[3], r[3];
  for (int i = 0; i < 3; i++) u[i] = a1[i] - a0[i], w[i] = b1[i] - b0[i], r[i] = b0[i] - a0[i];
  double least = fmin(square_to_segment(a0, b0, w), square_to_segment(a1, b0, w));
  least = fmin(least, fmin(square_to_segment(b0, a0, u), square_to_segment(b1, a0, u)));
  const double uu = dot3(u, u), uw = dot3(u, w), ww = dot3(w, w), ur = dot3(u, r), wr = dot3(w, r);
  const double d = uu * ww - uw * uw;
  if (d > 0) {
    const double s = (ur * ww - wr * uw) / d, t = (ur * uw - wr * uu) / d;
    if (s > 0 && s < 1 && t > 0 && t < 1) least = fmin(least, square_between(a0, u, s, b0, w, t));
  }
  return sqrt(least);
}

#endif
