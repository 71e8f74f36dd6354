// Vectors and tensors of three-space in double.

#ifndef AP_LOOP_WRIST_VECTOR_H
#define AP_LOOP_WRIST_VECTOR_H

#include <math.h>
#include <stdbool.h>

typedef struct vec3 {
  double x, y, z;
} vec3;
typedef struct mat3 {
  vec3 x, y, z; // columns
} mat3;
typedef struct sym3 {
  double xx, xy, xz, yy, yz, zz;
} sym3;

static inline vec3 vec3_of(const double *a) { return (vec3){a[0], a[1], a[2]}; }
static inline vec3 add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 scale(double k, vec3 a) { return (vec3){k * a.x, k * a.y, k * a.z}; }
// a + k b
static inline vec3 add_scaled(vec3 a, double k, vec3 b) {
  return (vec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
static inline double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 cross(vec3 a, vec3 b) {
  return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec3 apply(mat3 A, vec3 b) {
  return (vec3){A.x.x * b.x + A.y.x * b.y + A.z.x * b.z, A.x.y * b.x + A.y.y * b.y + A.z.y * b.z,
                A.x.z * b.x + A.y.z * b.y + A.z.z * b.z};
}
// A^T b
static inline vec3 apply_transposed(mat3 A, vec3 b) {
  return (vec3){dot(A.x, b), dot(A.y, b), dot(A.z, b)};
}
static inline vec3 stretch(const sym3 *S, vec3 b) {
  return (vec3){S->xx * b.x + S->xy * b.y + S->xz * b.z, S->xy * b.x + S->yy * b.y + S->yz * b.z,
                S->xz * b.x + S->yz * b.y + S->zz * b.z};
}
static inline mat3 mat3_sum(mat3 A, mat3 B) {
  return (mat3){add(A.x, B.x), add(A.y, B.y), add(A.z, B.z)};
}
// A B
static inline mat3 product(mat3 A, mat3 B) {
  return (mat3){apply(A, B.x), apply(A, B.y), apply(A, B.z)};
}
// A^T B
static inline mat3 product_transposed(mat3 A, mat3 B) {
  return (mat3){apply_transposed(A, B.x), apply_transposed(A, B.y), apply_transposed(A, B.z)};
}
// A + a b^T
static inline void add_outer(mat3 *A, vec3 a, vec3 b) {
  A->x = add_scaled(A->x, b.x, a);
  A->y = add_scaled(A->y, b.y, a);
  A->z = add_scaled(A->z, b.z, a);
}
static inline void store(double *out, vec3 a) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}
// Row-major.
static inline void store_mat3(double *out, mat3 A) {
  const vec3 column[3] = {A.x, A.y, A.z};
  for (int j = 0; j < 3; j++) {
    out[j] = column[j].x;
    out[3 + j] = column[j].y;
    out[6 + j] = column[j].z;
  }
}
static inline bool is_finite(vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

#endif
