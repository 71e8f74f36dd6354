// SPDX-License-Identifier: Apache-2.0
// What a trajectory is made of. Constructors ask for one with ap__traj_new() and fill its pieces.

#ifndef AP_TRAJ_TRAJ_H
#define AP_TRAJ_TRAJ_H

#include <appell/traj.h>

#include "file/robot.h"

typedef enum { PIECE_POLYNOMIAL, PIECE_FOURIER } piece_kind;

// Coefficients of one coordinate: of a polynomial in the time since the start of the piece, lowest
// power first, AP__POWERS of them; of a Fourier series the centre, then sine and cosine of each
// harmonic in turn.
enum { AP__POWERS = 6 };

typedef struct ap_piece {
  piece_kind kind;
  double start, duration;
  double phase;     // Fourier: time since the series began, at the start of the piece
  double frequency; // Fourier: rad/s
  int harmonics;    // Fourier
  int stride;       // coefficients of one coordinate
  bool along;       // the piece is a part of a path: its coefficients are those of a function of s,
  double way[3];    // and t after its start, s is way[0] + way[1] t + way[2] t^2,
  double length;    // which stays within 0 .. length
  const double *coefficient;
} ap_piece;

struct ap_traj {
  int n, count;
  double duration;
  ap_piece piece[];
};

// A trajectory of n coordinates with room for `numbers` coefficients, where *coefficient points.
// NULL, with *error filled, without memory.
ap_traj *ap__traj_new(int n, int pieces, size_t numbers, double **coefficient, ap_error *error);

// Position, velocity, acceleration of coordinate j of a piece, t after its start; of a part of a
// path, position and derivatives by the time.
void ap__piece_at(const ap_piece *p, int j, double t, double x[3]);

// c0 + c1 t + ... + c5 t^5 whose position, velocity and acceleration are p at 0 and e at T.
void ap__quintic(double c[AP__POWERS], double T, const double p[3], const double e[3]);

// Position and its derivatives by s, as if s were the time, of a piece that is no part of a path.
void ap__piece_of(const ap_piece *p, int j, double s, double x[3]);

// A way of some length from rest to rest with a trapezoid, or triangle, of speed: its times (s).
typedef struct ap__profile {
  double rise, cruise, acceleration;
} ap__profile;
void ap__trapezoid(double length, double speed, double acceleration, ap__profile *p);

// A polynomial and its two derivatives at t.
void ap__polynomial_at(const double *c, double t, double x[3]);

#endif
