// SPDX-License-Identifier: Apache-2.0
// What MuJoCo makes of a mesh, step by step as it does, so that its numbers come out.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "file/mesh_formats.h"
#include "file/mesh_solid.h"
#include "num/vec3.h"

static const double least = 1e-15; // areas and volumes below are none, in m2 and m3

typedef struct compiler {
  const ap__mesh_use *use;
  double *vertex; // [3 n], moved, turned and scaled
  int n;
  const int *face; // whose volume or area counts
  int nface;
  const int *surface; // the mesh's own faces
  int nsurface;
  int *hull;    // of the vertices; NULL: not needed
  bool swapped; // faces are seen from inside, because the mesh is mirrored
  ap_error *error;
} compiler;

ap__mesh_use ap__default_mesh_use(void) {
  return (ap__mesh_use){
      .rule = AP__MESH_LEGACY, .scale = {1, 1, 1}, .refpos = {0, 0, 0}, .refquat = {1, 0, 0, 0}};
}

static ap_status refuse(const compiler *c, const char *why) {
  return AP__REFUSE(c->error, AP_E_UNSUPPORTED, 0, "%s", why);
}

// ---- quaternions, w x y z ----------------------------------------------------------------------

static void matrix_of(const double q[4], double R[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double all[9] = {
      w * w + x * x - y * y - z * z, 2 * (x * y - w * z),           2 * (x * z + w * y),
      2 * (x * y + w * z),           w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
      2 * (x * z - w * y),           2 * (y * z + w * x),           w * w - x * x - y * y + z * z};
  memcpy(R, all, sizeof all);
}

static void normalise(double q[4]) {
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
}

// q = q r
static void turn_further(double q[4], const double r[4]) {
  const double out[4] = {q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3],
                         q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2],
                         q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1],
                         q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0]};
  memcpy(q, out, sizeof out);
  normalise(q);
}

// y = R^T x
static void turn_back(const double R[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

// ---- principal axes ----------------------------------------------------------------------------

// D = R^T M R for the rotation of q.
static void turned_tensor(const double M[9], const double q[4], double D[9]) {
  double R[9], MR[9];
  matrix_of(q, R);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      MR[3 * i + j] = M[3 * i] * R[j] + M[3 * i + 1] * R[3 + j] + M[3 * i + 2] * R[6 + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      D[3 * i + j] = R[i] * MR[j] + R[3 + i] * MR[3 + j] + R[6 + i] * MR[6 + j];
}

// Jacobi's rotation about `axis` that makes entry (i, j) of D zero.
static void jacobi(const double D[9], int i, int j, int axis, double r[4]) {
  const double tau = (D[4 * j] - D[4 * i]) / (2 * D[3 * i + j]);
  const double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
  const double c = 1 / sqrt(1 + t * t), s = fabs(t) * c / sqrt(2 * (1 + c));
  r[0] = r[1] = r[2] = r[3] = 0;
  r[axis + 1] = (tau >= 0) == (axis == 1) ? s : -s;
  r[0] = sqrt(1 - s * s);
}

// The largest moment first; those that differ by less than 1e-12 of it are left as they are.
static void sort_moments(double moment[3], double q[4]) {
  for (int pass = 0; pass < 3; pass++) {
    const int k = pass % 2;
    if (moment[k] + 1e-12 >= moment[k + 1]) continue;
    const double t = moment[k], quarter = sqrt(0.5);
    double r[4] = {quarter, 0, 0, 0};
    moment[k] = moment[k + 1];
    moment[k + 1] = t;
    r[(k + 2) % 3 + 1] = quarter;
    turn_further(q, r);
  }
}

// Moments and axes of a tensor. What is left of its products where MuJoCo ends the iteration, below
// 1e-7 of the largest moment, is dropped.
static void principal(const double I[6], double moment[3], double q[4]) {
  double M[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, D[9], r[4], size = 0;
  for (int i = 0; i < 9; i++) size = fmax(size, fabs(M[i]));
  for (int i = 0; i < 9 && size > 0; i++) M[i] /= size;
  q[0] = 1;
  q[1] = q[2] = q[3] = 0;
  for (int pass = 0; pass < 500; pass++) {
    turned_tensor(M, q, D);
    for (int i = 0; i < 3; i++) moment[i] = D[4 * i];
    const double xy = fabs(D[1]), xz = fabs(D[2]), yz = fabs(D[5]);
    const int i = (xy > xz && xy > yz) || xz > yz ? 0 : 1, j = xy > xz && xy > yz ? 1 : 2;
    if (fabs(D[3 * i + j]) < 1e-7) break;
    jacobi(D, i, j, 3 - i - j, r);
    turn_further(q, r);
  }
  sort_moments(moment, q);
  for (int i = 0; i < 3; i++) moment[i] *= size;
}

// ---- steps -------------------------------------------------------------------------------------

static const double *at(const compiler *c, int i) { return c->vertex + 3 * (size_t)i; }

// Corners of face i, counterclockwise seen from outside.
static void corners(const compiler *c, const int *face, int i, const double *p[3]) {
  const int *f = face + 3 * (size_t)i;
  p[0] = at(c, f[0]);
  p[1] = at(c, f[c->swapped ? 2 : 1]);
  p[2] = at(c, f[c->swapped ? 1 : 2]);
}

typedef struct half_edge {
  int from, to;
} half_edge;

static int by_from(const void *a, const void *b) {
  const half_edge *x = a, *y = b;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

// Of a consistent surface no edge is run through twice in one direction. Faces below 3e-8 m2, as
// the file has them, are not looked at.
static ap_status check_orientation(const compiler *c) {
  half_edge *all = malloc((3 * (size_t)c->nsurface + 1) * sizeof *all);
  size_t n = 0;
  int bad = -1;
  if (!all) return ap__no_memory(c->error);
  for (int i = 0; i < c->nsurface; i++) {
    const int *f = c->surface + 3 * (size_t)i;
    double centre[3], normal[3];
    if (ap__triangle(at(c, f[0]), at(c, f[1]), at(c, f[2]), centre, normal) <= sqrt(least))
      continue;
    for (int k = 0; k < 3; k++) all[n++] = (half_edge){f[k], f[(k + 1) % 3]};
  }
  qsort(all, n, sizeof *all, by_from);
  for (size_t i = 1; i < n && bad < 0; i++)
    if (by_from(&all[i - 1], &all[i]) == 0) bad = (int)i;
  const half_edge edge = bad < 0 ? (half_edge){0, 0} : all[bad];
  free(all);
  if (bad < 0) return AP_OK;
  return AP__REFUSE(c->error, AP_E_UNSUPPORTED, 0,
                    "faces at vertices %d and %d are not oriented alike, so that the mesh has no "
                    "exact volume (inertia=\"convex\" or \"shell\")",
                    edge.from + 1, edge.to + 1);
}

static ap_status check_use(const compiler *c) {
  double sum = 0, length = 0;
  for (int i = 0; i < 3; i++) sum += c->use->scale[i] + c->use->refpos[i];
  for (int i = 0; i < 4; i++) length += c->use->refquat[i] * c->use->refquat[i];
  if (!isfinite(sum) || !isfinite(length)) return refuse(c, "scale, refpos or refquat not finite");
  return length > 0 ? AP_OK : refuse(c, "refquat is zero (a rotation)");
}

// Vertices as floats, and the faces that count.
static ap_status take_mesh(compiler *c, const ap__mesh *mesh) {
  c->n = mesh->nvertex;
  if (c->n < 4)
    return AP__REFUSE(c->error, AP_E_UNSUPPORTED, 0, "%d vertices (a mesh needs four)", c->n);
  c->vertex = calloc(3 * (size_t)c->n, sizeof *c->vertex);
  if (!c->vertex) return ap__no_memory(c->error);
  for (size_t i = 0; i < 3 * (size_t)c->n; i++) c->vertex[i] = (double)(float)mesh->vertex[i];
  c->face = c->surface = mesh->face;
  c->nface = c->nsurface = mesh->first_object ? mesh->first_object : mesh->nface;
  if (mesh->mujoco) {
    c->face = c->surface = mesh->mujoco;
    c->nface = c->nsurface = mesh->nmujoco;
  }
  if (c->use->rule == AP__MESH_EXACT) {
    const ap_status status = check_orientation(c);
    if (status) return status;
  }
  if (c->use->rule != AP__MESH_CONVEX && mesh->nface > 0) return AP_OK;
  int *hull, nface;
  const ap_status status = ap__convex_hull(c->vertex, c->n, &hull, &nface, c->error);
  c->face = c->hull = hull;
  c->nface = nface;
  if (mesh->nface == 0) {
    c->surface = c->hull;
    c->nsurface = c->nface;
  }
  return status;
}

static void transform(compiler *c) {
  double q[4], R[9];
  const double *scale = c->use->scale;
  memcpy(q, c->use->refquat, sizeof q);
  normalise(q);
  matrix_of(q, R);
  for (int k = 0; k < c->n; k++) {
    double *v = c->vertex + 3 * (size_t)k, moved[3];
    for (int i = 0; i < 3; i++) moved[i] = v[i] - c->use->refpos[i];
    turn_back(R, moved, v);
    for (int i = 0; i < 3; i++) v[i] *= scale[i];
  }
  c->swapped = scale[0] * scale[1] * scale[2] <= 0;
}

// The centre of the surface, of which the area is returned.
static double centre_of_surface(const compiler *c, double middle[3]) {
  double total = 0;
  middle[0] = middle[1] = middle[2] = 0;
  for (int f = 0; f < c->nsurface; f++) {
    const double *p[3];
    double centre[3], normal[3];
    corners(c, c->surface, f, p);
    const double area = ap__triangle(p[0], p[1], p[2], centre, normal);
    for (int i = 0; i < 3; i++) middle[i] += area * centre[i];
    total += area;
  }
  for (int i = 0; i < 3 && total >= least; i++) middle[i] /= total;
  return total;
}

// Volume of the pyramid from a face to a point; area for a shell.
static double weigh(const compiler *c, const double *p[3], const double from[3], double centre[3]) {
  double normal[3], out[3];
  const double area = ap__triangle(p[0], p[1], p[2], centre, normal);
  if (c->use->rule == AP__MESH_SHELL) return area;
  for (int i = 0; i < 3; i++) out[i] = centre[i] - from[i];
  const double volume = dot3(out, normal) * area / 3;
  return c->use->rule == AP__MESH_LEGACY ? fabs(volume) : volume;
}

static ap_status find_com(const compiler *c, const double middle[3], double com[3]) {
  double total = 0;
  com[0] = com[1] = com[2] = 0;
  for (int f = 0; f < c->nface; f++) {
    const double *p[3];
    double centre[3];
    corners(c, c->face, f, p);
    const double volume = weigh(c, p, middle, centre);
    total += volume;
    for (int i = 0; i < 3; i++) com[i] += volume * (centre[i] * 3 / 4 + middle[i] / 4);
  }
  if (total < 0)
    return refuse(c,
                  "the volume is negative: faces are inside out (turn the mesh's faces, or "
                  "inertia=\"convex\")");
  if (!(total >= least))
    return refuse(c, "the volume is below 1e-15 m3 (inertia=\"shell\" for a thin mesh)");
  for (int i = 0; i < 3; i++) com[i] /= total;
  return AP_OK;
}

// About the centre of mass. Volumes are found anew from there.
static double find_inertia(const compiler *c, const double com[3], double I[6]) {
  const double origin[3] = {0, 0, 0}, parts = c->use->rule == AP__MESH_SHELL ? 12 : 20;
  double total = 0, P[6] = {0};
  for (int f = 0; f < c->nface; f++) {
    const double *p[3];
    double x[3][3], centre[3];
    corners(c, c->face, f, p);
    for (int k = 0; k < 3; k++) {
      for (int i = 0; i < 3; i++) x[k][i] = p[k][i] - com[i];
      p[k] = x[k];
    }
    const double volume = weigh(c, p, origin, centre);
    total += volume;
    ap__triangle_moments(x[0], x[1], x[2], volume, parts, P);
  }
  ap__moments_to_inertia(P, I);
  return total;
}

static ap_status find_box(const compiler *c, const double moment[3], ap__mesh_compiled *out) {
  if (!(moment[2] > 0)) return refuse(c, "an inertia that is not positive");
  for (int i = 0; i < 3; i++) {
    const double other = moment[(i + 1) % 3] + moment[(i + 2) % 3];
    if (other < moment[i] * (1 - 1e-6) - 1e-9)
      return refuse(c, "an inertia that breaks the triangle inequality");
    out->box[i] = 0.5 * sqrt(6 * (other - moment[i]) / out->volume);
    if (!isfinite(out->box[i])) return refuse(c, "an inertia that no box has");
  }
  return AP_OK;
}

static void find_bounds(const compiler *c, ap__mesh_compiled *out) {
  double R[9];
  matrix_of(out->quat, R);
  for (int k = 0; k < c->n; k++) {
    double moved[3], p[3];
    for (int i = 0; i < 3; i++) moved[i] = at(c, k)[i] - out->pos[i];
    turn_back(R, moved, p);
    for (int i = 0; i < 3; i++) {
      out->low[i] = k ? fmin(out->low[i], p[i]) : p[i];
      out->high[i] = k ? fmax(out->high[i], p[i]) : p[i];
    }
  }
}

static ap_status weigh_all(compiler *c, ap__mesh_compiled *out) {
  double middle[3], I[6], moment[3];
  transform(c);
  if (!(centre_of_surface(c, middle) >= least)) return refuse(c, "the area is below 1e-15 m2");
  ap_status status = find_com(c, middle, out->pos);
  if (status) return status;
  out->volume = find_inertia(c, out->pos, I);
  principal(I, moment, out->quat);
  status = find_box(c, moment, out);
  if (!status) find_bounds(c, out);
  return status;
}

ap_status ap__mesh_compile(const ap__mesh *mesh, const ap__mesh_use *use, ap__mesh_compiled *out,
                           ap_error *error) {
  compiler c = {.use = use, .error = error};
  *out = (ap__mesh_compiled){.quat = {1, 0, 0, 0}};
  ap_status status = check_use(&c);
  if (!status) status = take_mesh(&c, mesh);
  if (!status) status = weigh_all(&c, out);
  free(c.vertex);
  free(c.hull);
  return status;
}

// ---- geoms -------------------------------------------------------------------------------------

ap__solid ap__compiled_solid(const ap__mesh_compiled *mesh) {
  const double a = mesh->box[0], b = mesh->box[1], c = mesh->box[2], m = mesh->volume / 3;
  ap__solid s = {
      .mass = mesh->volume,
      .inertia = {m * (b * b + c * c), 0, 0, m * (a * a + c * c), 0, m * (a * a + b * b)}};
  double R[9];
  matrix_of(mesh->quat, R);
  ap__solid_move(&s, R, mesh->pos);
  return s;
}

void ap__mesh_fit(const ap__mesh_compiled *mesh, ap__simple shape, bool aabb, double fitscale,
                  double size[3], double pos[3], double quat[4]) {
  double half[3], centre[3] = {0, 0, 0}, R[9];
  for (int i = 0; i < 3; i++) {
    if (aabb) centre[i] = (mesh->low[i] + mesh->high[i]) / 2;
    half[i] = aabb ? mesh->high[i] - centre[i] : mesh->box[i];
  }
  memcpy(size, half, sizeof half);
  if (shape == AP__SPHERE) size[0] = (half[0] + half[1] + half[2]) / 3;
  if (shape == AP__SPHERE && aabb) size[0] = fmax(fmax(half[0], half[1]), half[2]);
  if (shape == AP__CAPSULE || shape == AP__CYLINDER) {
    size[0] = aabb ? fmax(half[0], half[1]) : (half[0] + half[1]) / 2;
    size[1] = half[2];
  }
  if (shape == AP__CAPSULE) size[1] = aabb ? half[2] - size[0] : fmax(0, half[2] - size[0] / 2);
  for (int i = 0; i < 3; i++) size[i] *= fitscale;
  matrix_of(mesh->quat, R);
  turn3(R, centre, pos);
  for (int i = 0; i < 3; i++) pos[i] += mesh->pos[i];
  memcpy(quat, mesh->quat, sizeof mesh->quat);
}
