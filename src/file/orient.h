// SPDX-License-Identifier: Apache-2.0
// On which side of a plane is a point? The sign is exact.

#ifndef AP_FILE_ORIENT_H
#define AP_FILE_ORIENT_H

// Six times the volume of the tetrahedron a b c d; positive where a b c turn counterclockwise seen
// from the side on which d is not. Its sign is right, and it is 0 only for points in one plane,
// where coordinates are between 1e-45 and 2^30 (or 0) in size; its value is approximate.
double ap__orient(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
