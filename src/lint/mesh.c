// SPDX-License-Identifier: Apache-2.0
#include "lint/mesh.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "file/number.h"

static void add_point(mesh_extent *e, const double p[3]) {
  for (int i = 0; i < 3; i++) {
    if (e->points == 0 || p[i] < e->low[i]) e->low[i] = p[i];
    if (e->points == 0 || p[i] > e->high[i]) e->high[i] = p[i];
  }
  e->points++;
}

// The tetrahedron that a triangle makes with the origin.
static void add_triangle(mesh_extent *e, double p[3][3]) {
  for (int k = 0; k < 3; k++) add_point(e, p[k]);
  const double *a = p[0], *b = p[1], *c = p[2];
  e->volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
               6;
}

static double float_at(const unsigned char *bytes) {
  uint32_t u = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
               (uint32_t)bytes[3] << 24;
  float x;
  memcpy(&x, &u, sizeof x);
  return (double)x;
}

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

// 80 bytes of anything, a count, then 50 bytes for each triangle: normal, three points, two more.
static bool binary_stl(const char *text, size_t length, mesh_extent *e) {
  const unsigned char *bytes = (const unsigned char *)text;
  if (length < STL_HEAD) return false;
  size_t n = (size_t)bytes[80] | (size_t)bytes[81] << 8 | (size_t)bytes[82] << 16 |
             (size_t)bytes[83] << 24;
  if (n == 0 || n > (length - STL_HEAD) / STL_TRIANGLE) return false;
  for (size_t i = 0; i < n; i++) {
    double p[3][3];
    for (int k = 0; k < 9; k++)
      p[k / 3][k % 3] = float_at(bytes + STL_HEAD + STL_TRIANGLE * i + 12 + 4 * (size_t)k);
    for (int k = 0; k < 9; k++)
      if (!isfinite(p[k / 3][k % 3])) return false;
    add_triangle(e, p);
  }
  return true;
}

// Three numbers with blanks before each; what follows them, NULL where they are not there.
static const char *read_point(const char *s, double p[3]) {
  for (int i = 0; i < 3; i++) {
    while (*s == ' ' || *s == '\t') s++;
    if (ap__parse_double(s, &s, &p[i]) != AP__NUMBER) return NULL;
  }
  return s;
}

static bool text_stl(const char *text, mesh_extent *e) {
  double p[3][3];
  int k = 0;
  for (const char *s = text; (s = strstr(s, "vertex")) != NULL;) {
    s += 6;
    if (!read_point(s, p[k])) return false;
    if (++k < 3) continue;
    add_triangle(e, p);
    k = 0;
  }
  return e->points > 0;
}

static bool obj(const char *text, mesh_extent *e) {
  for (const char *s = text; s; s = strchr(s, '\n')) {
    double p[3];
    while (*s == '\n' || *s == '\r' || *s == ' ') s++;
    if (s[0] == 'v' && (s[1] == ' ' || s[1] == '\t') && read_point(s + 1, p)) add_point(e, p);
  }
  return e->points > 0;
}

static bool ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  if (n < m) return false;
  for (size_t i = 0; i < m; i++)
    if ((name[n - m + i] | 0x20) != ending[i] && name[n - m + i] != ending[i]) return false;
  return true;
}

bool ap__mesh_measure(const char *name, const char *text, size_t length, mesh_extent *extent) {
  *extent = (mesh_extent){.points = 0};
  if (ends_in(name, ".obj")) return obj(text, extent);
  if (!ends_in(name, ".stl")) return false;
  if (binary_stl(text, length, extent)) return true;
  *extent = (mesh_extent){.points = 0};
  return length > 5 && memcmp(text, "solid", 5) == 0 && text_stl(text, extent);
}
