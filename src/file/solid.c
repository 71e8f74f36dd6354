// SPDX-License-Identifier: Apache-2.0
// Rigid bodies put together, and those of simple shape.

#include "file/solid.h"

#include <math.h>
#include <string.h>

#include "num/vec3.h"

static const double pi = 3.14159265358979323846;

void ap__solid_scale(ap__solid *s, double factor) {
  s->mass *= factor;
  for (int i = 0; i < 6; i++) s->inertia[i] *= factor;
}

// I + m (|c|^2 1 - c c^T)
static void shift(double I[6], double mass, const double c[3]) {
  const double square = dot3(c, c);
  I[0] += mass * (square - c[0] * c[0]);
  I[1] -= mass * c[0] * c[1];
  I[2] -= mass * c[0] * c[2];
  I[3] += mass * (square - c[1] * c[1]);
  I[4] -= mass * c[1] * c[2];
  I[5] += mass * (square - c[2] * c[2]);
}

void ap__solid_move(ap__solid *s, const double R[9], const double p[3]) {
  const double *I = s->inertia, M[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
  double com[3], RM[9], turned[9];
  turn3(R, s->com, com);
  for (int i = 0; i < 3; i++) {
    s->com[i] = com[i] + p[i];
    for (int j = 0; j < 3; j++)
      RM[3 * i + j] = R[3 * i] * M[j] + R[3 * i + 1] * M[3 + j] + R[3 * i + 2] * M[6 + j];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) turned[3 * i + j] = dot3(RM + 3 * i, R + 3 * j);
  const double out[6] = {turned[0], (turned[1] + turned[3]) / 2, (turned[2] + turned[6]) / 2,
                         turned[4], (turned[5] + turned[7]) / 2, turned[8]};
  memcpy(s->inertia, out, sizeof out);
}

void ap__solid_add(ap__solid *sum, const ap__solid *s) {
  const double mass = sum->mass + s->mass;
  double com[3], a[3], b[3];
  for (int i = 0; i < 3; i++) {
    com[i] = mass == 0 ? sum->com[i] : (sum->mass * sum->com[i] + s->mass * s->com[i]) / mass;
    a[i] = sum->com[i] - com[i];
    b[i] = s->com[i] - com[i];
  }
  shift(sum->inertia, sum->mass, a);
  shift(sum->inertia, s->mass, b);
  for (int i = 0; i < 6; i++) sum->inertia[i] += s->inertia[i];
  sum->mass = mass;
  memcpy(sum->com, com, sizeof com);
}

// ---- simple shapes -----------------------------------------------------------------------------

static ap__solid diagonal(double mass, double x, double y, double z) {
  return (ap__solid){.mass = mass, .inertia = {mass * x, 0, 0, mass * y, 0, mass * z}};
}

static ap__solid ellipsoid(double a, double b, double c) {
  return diagonal(4 * pi / 3 * a * b * c, (b * b + c * c) / 5, (a * a + c * c) / 5,
                  (a * a + b * b) / 5);
}

// MuJoCo's layer is 1e-6 thick, whatever the size; its mass is that of the area.
static ap__solid ellipsoid_shell(const double s[3]) {
  static const double p = 1.6075, thickness = 1e-6; // of Thomsen's formula
  const double mean = (pow(s[0] * s[1], p) + pow(s[1] * s[2], p) + pow(s[2] * s[0], p)) / 3;
  ap__solid in = ellipsoid(s[0], s[1], s[2]);
  ap__solid out = ellipsoid(s[0] + thickness, s[1] + thickness, s[2] + thickness);
  out.mass -= in.mass;
  for (int i = 0; i < 6; i++) out.inertia[i] -= in.inertia[i];
  if (out.mass > 0) ap__solid_scale(&out, 4 * pi * pow(mean, 1 / p) / out.mass);
  return out;
}

static ap__solid cylinder(double r, double half, bool shell) {
  const double height = 2 * half;
  if (!shell)
    return diagonal(pi * r * r * height, (3 * r * r + height * height) / 12,
                    (3 * r * r + height * height) / 12, r * r / 2);
  const double across = (6 * r * r + height * height) / 12;
  return diagonal(2 * pi * r * height, across, across, r * r);
}

// The cylinder's shell with its two disks.
static ap__solid closed_cylinder(double r, double half) {
  ap__solid sum = cylinder(r, half, true);
  for (int end = -1; end <= 1; end += 2) {
    ap__solid disk = diagonal(pi * r * r, r * r / 4, r * r / 4, r * r / 2);
    disk.com[2] = end * half;
    ap__solid_add(&sum, &disk);
  }
  return sum;
}

// A cylinder and two half spheres, whose centres of mass are 3/8 (of a shell 1/2) of the radius
// out.
static ap__solid capsule(double r, double half, bool shell) {
  ap__solid sum = cylinder(r, half, shell);
  const double out = shell ? r / 2 : 3 * r / 8, round = shell ? 2 * r * r / 3 : 2 * r * r / 5;
  for (int end = -1; end <= 1; end += 2) {
    ap__solid cap = diagonal(shell ? 2 * pi * r * r : 2 * pi / 3 * r * r * r, round - out * out,
                             round - out * out, round);
    cap.com[2] = end * (half + out);
    ap__solid_add(&sum, &cap);
  }
  return sum;
}

static ap__solid box_shell(const double h[3]) {
  ap__solid sum = {0};
  for (int i = 0; i < 3; i++)
    for (int end = -1; end <= 1; end += 2) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      double moment[3];
      moment[i] = (h[j] * h[j] + h[k] * h[k]) / 3;
      moment[j] = h[k] * h[k] / 3;
      moment[k] = h[j] * h[j] / 3;
      ap__solid side = diagonal(4 * h[j] * h[k], moment[0], moment[1], moment[2]);
      side.com[i] = end * h[i];
      ap__solid_add(&sum, &side);
    }
  return sum;
}

ap__solid ap__simple_solid(ap__simple shape, const double size[3], bool shell) {
  const double r = size[0], *s = size;
  const double round = r * r * (shell ? 2.0 / 3 : 2.0 / 5);
  switch (shape) {
    case AP__SPHERE:
      return diagonal(shell ? 4 * pi * r * r : 4 * pi / 3 * r * r * r, round, round, round);
    case AP__CAPSULE: return capsule(r, s[1], shell);
    case AP__ELLIPSOID: return shell ? ellipsoid_shell(s) : ellipsoid(s[0], s[1], s[2]);
    case AP__CYLINDER: return shell ? closed_cylinder(r, s[1]) : cylinder(r, s[1], false);
    case AP__BOX: break;
  }
  if (shell) return box_shell(s);
  return diagonal(8 * s[0] * s[1] * s[2], (s[1] * s[1] + s[2] * s[2]) / 3,
                  (s[0] * s[0] + s[2] * s[2]) / 3, (s[0] * s[0] + s[1] * s[1]) / 3);
}
