// Steps in time on the device: the configuration manifold of src/kin/manifold.inc, and rollouts.

#include <stdio.h>

#include "codegen/cuda_source.h"
#include "model/frozen.h"

// ---- the manifold ------------------------------------------------------------------------------

static const char turn_text[] =
    "\n"
    "static __device__ __forceinline__ void $N_cross(const $R *a, const $R *b, $R *c) {\n"
    "  const $R x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];\n"
    "  c[2] = a[0] * b[1] - a[1] * b[0], c[0] = x, c[1] = y;\n"
    "}\n"
    "static __device__ __forceinline__ $R $N_dot(const $R *a, const $R *b) {\n"
    "  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];\n"
    "}\n"
    "\n"
    "/* c = a b, quaternions x y z w; c is neither. */\n"
    "static __device__ __forceinline__ void $N_product(const $R *a, const $R *b, $R *c) {\n"
    "  $N_cross(a, b, c);\n"
    "  for (int k = 0; k < 3; k++) c[k] += a[3] * b[k] + b[3] * a[k];\n"
    "  c[3] = a[3] * b[3] - $N_dot(a, b);\n"
    "}\n"
    "\n"
    "/* q exp(w), of length one: rounding does not pile up over many steps. */\n"
    "static __device__ __forceinline__ void $N_turn($R *q, const $R *w) {\n"
    "  const $R x = $N_dot(w, w), t = sqrt$f(x);\n"
    "  $R e[4], s, r[4];\n"
    "  sincos$f(t / 2, &s, &e[3]);\n"
    "  const $R k = x < ($R)1e-7 ? ($R)0.5 - x / 48 : s / t;\n"
    "  for (int i = 0; i < 3; i++) e[i] = k * w[i];\n"
    "  $N_product(q, e, r);\n"
    "  const $R size = sqrt$f($N_dot(r, r) + r[3] * r[3]);\n"
    "  for (int i = 0; i < 4; i++) q[i] = r[i] / size;\n"
    "}\n"
    "\n"
    "/* The turn from one quaternion to another in the frame of the first, the shortest. */\n"
    "static __device__ __forceinline__ void $N_apart(const $R *from, const $R *to, $R *w) {\n"
    "  const $R back[4] = {-from[0], -from[1], -from[2], from[3]};\n"
    "  $R d[4];\n"
    "  $N_product(back, to, d);\n"
    "  const $R sign = d[3] < 0 ? -1 : 1, s = sqrt$f($N_dot(d, d)), c = sign * d[3];\n"
    "  const $R k = s < ($R)1e-9 * c ? 2 / c : 2 * atan2$f(s, c) / s;\n"
    "  for (int i = 0; i < 3; i++) w[i] = sign * k * d[i];\n"
    "}\n";

static const char screw_text[] =
    "\n"
    "/* v + a w x v + b w x (w x v) */\n"
    "static __device__ __forceinline__ void $N_along(const $R *w, $R a, $R b, const $R *v, $R *d) "
    "{\n"
    "  $R u[3], y[3];\n"
    "  $N_cross(w, v, u), $N_cross(w, u, y);\n"
    "  for (int k = 0; k < 3; k++) d[k] = v[k] + (a * u[k] + b * y[k]);\n"
    "}\n"
    "/* R(q) d, or back where sign is -1 */\n"
    "static __device__ __forceinline__ void $N_rotate(const $R *q, $R sign, $R *d) {\n"
    "  const $R k = 2 / ($N_dot(q, q) + q[3] * q[3]);\n"
    "  $R u[3], y[3];\n"
    "  $N_cross(q, d, u), $N_cross(q, u, y);\n"
    "  for (int i = 0; i < 3; i++) d[i] += k * (sign * q[3] * u[i] + y[i]);\n"
    "}\n"
    "\n"
    "/* A free body along the screw of its body twist v = [linear; angular], and the twist "
    "between\n"
    "   two poses; series where the angle is small. */\n"
    "static __device__ __forceinline__ void $N_screw($R *q, const $R *v) {\n"
    "  const $R *w = v + 3, x = $N_dot(w, w), t = sqrt$f(x);\n"
    "  $R s, c, d[3], a = ($R)0.5 - x / 24 * (1 - x / 30 * (1 - x / 56 * (1 - x / 90)));\n"
    "  $R b = ($R)(1.0 / 6) - x / 120 * (1 - x / 42 * (1 - x / 72));\n"
    "  sincos$f(t / 2, &s, &c);\n"
    "  if (!(x < ($R)0.01)) a = 2 * s * s / x, b = (t - 2 * s * c) / (x * t);\n"
    "  $N_along(w, a, b, v, d);\n"
    "  $N_rotate(q + 3, 1, d);\n"
    "  for (int k = 0; k < 3; k++) q[k] += d[k];\n"
    "  $N_turn(q + 3, w);\n"
    "}\n"
    "static __device__ __forceinline__ void $N_twist(const $R *q, const $R *to, $R *v) {\n"
    "  $R *w = v + 3, d[3] = {to[0] - q[0], to[1] - q[1], to[2] - q[2]}, s, c;\n"
    "  $N_apart(q + 3, to + 3, w);\n"
    "  $N_rotate(q + 3, -1, d);\n"
    "  const $R x = $N_dot(w, w), h = sqrt$f(x) / 2;\n"
    "  $R b = ($R)(1.0 / 12) + x / 720 * (1 + x / 42 * (1 + x / 40));\n"
    "  sincos$f(h, &s, &c);\n"
    "  if (!(x < ($R)0.01)) b = (1 - h * c / s) / x;\n"
    "  $N_along(w, ($R)-0.5, b, d, v);\n"
    "}\n";

static bool has_joint(const ap_model *m, ap_joint_type type) {
  for (int i = 1; i < m->nbody; i++)
    if (m->joint[i].type == type) return true;
  return false;
}

// A line for every joint: that of its type, or for each of its coordinates `plain`.
static void put_joints(ap__text *t, const ap_unit *u, const char *turn, const char *screw,
                       const char *plain) {
  for (int i = 1; i < u->m->nbody; i++) {
    const ap_joint *j = &u->m->joint[i];
    if (j->leader) continue; // a follower has no coordinates
    bool whole = j->type == AP_SPHERICAL || j->type == AP_FREE;
    const char *line = j->type == AP_SPHERICAL ? turn : j->type == AP_FREE ? screw : plain;
    for (int k = 0; k < (whole ? 1 : j->nq); k++) {
      char q[16], v[16];
      snprintf(q, sizeof q, "%d", j->q + k), snprintf(v, sizeof v, "%d", j->v + k);
      ap__put_template(t, line, (const ap_word[]){{'N', u->name}, {'q', q}, {'v', v}, {0}});
    }
  }
}

void ap__put_cuda_manifold(ap__text *t, const ap_unit *u) {
  bool screws = has_joint(u->m, AP_FREE);
  if (screws || has_joint(u->m, AP_SPHERICAL)) ap__put_text(t, u, turn_text, "", "");
  if (screws) ap__put_text(t, u, screw_text, "", "");
  ap__put_text(
      t, u,
      "\n"
      "/* q moved along v for a unit of time; coordinates that are no quaternion: q + v. */\n"
      "static __device__ __forceinline__ void $N_integrate($R *q, const $R *v) {\n",
      "", "");
  put_joints(t, u, "  $N_turn(q + $q, v + $v);\n", "  $N_screw(q + $q, v + $v);\n",
             "  q[$q] += v[$v];\n");
  ap__put_text(t, u,
               "}\n"
               "/* The v that moves q to another configuration. */\n"
               "static __device__ __forceinline__ void $N_difference(const $R *q, const $R *to, $R "
               "*v) {\n",
               "", "");
  put_joints(t, u, "  $N_apart(q + $q, to + $q, v + $v);\n",
             "  $N_twist(q + $q, to + $q, v + $v);\n", "  v[$v] = to[$q] - q[$q];\n");
  ap__put_text(t, u, "}\n", "", "");
}

// ---- rollouts ----------------------------------------------------------------------------------

bool ap__has_rollout(const ap_unit *u) {
  for (int k = 0; k < u->parts; k++)
    if (u->part[k].function == AP_GEN_FORWARD) return true;
  return false;
}

static const char header_text[] =
    "\n"
    "/* n robots through many steps of length dt, s, each by v += dt a(q, v), then q moved along\n"
    "   dt v. Joint forces are held through a step: tau, and where pd is not 0 also\n"
    "   kp (target_q - q) + kd (target_v - v), for quaternions the shortest turn between them.\n"
    "   Arrays over states are on the device; NULL: zeros, and target_q: q = 0 with quaternions\n"
    "   0 0 0 1. */\n"
    "typedef struct $N_rollout {\n"
    "  int steps, pd;\n"
    "  $R dt;\n"
    "  const $R *tau, *target_q, *target_v;\n"
    "  $R kp[$N_NV], kd[$N_NV];\n"
    "} $N_rollout;\n"
    "\n"
    "/* Moves q and v. A state whose inertia matrix becomes singular stays as it was before that\n"
    "   step; singular (NULL: not wanted) then has 1 for it, otherwise 0. */\n"
    "cudaError_t $N_rollout_launch(size_t n, const $N_rollout *r, $R *q, $R *v, int *singular,\n"
    "                              cudaStream_t stream);\n";

void ap__put_cuda_rollout_header(ap__text *t, const ap_unit *u) {
  ap__put_text(t, u, header_text, "", "");
}

static const char load_text[] =
    "\n"
    "/* A state's entries, or zeros. */\n"
    "template <int rows>\n"
    "static __device__ __forceinline__ void $N_load_or_0(size_t n, size_t k, const $R *from, $R "
    "*to) {\n"
    "#pragma unroll\n"
    "  for (int j = 0; j < rows; j++) to[j] = from ? from[j * n + k] : 0;\n"
    "}\n"
    "\n"
    "static __device__ __forceinline__ void $N_load_target(size_t n, size_t k, const $R *from, $R "
    "*q) {\n"
    "  $N_load_or_0<$N_NQ>(n, k, from, q);\n";

static const char kernel_text[] =
    "}\n"
    "\n"
    "template <bool pd>\n"
    "static __global__ void __launch_bounds__($N_BLOCK)\n"
    "$N_rollout_kernel(size_t n, const $N_rollout r, $R *q, $R *v, int *singular) {\n"
    "  const size_t k = $N_thread();\n"
    "  if (k >= n) return;\n"
    "  $R x[1][$N_NQ], u[1][$N_NV], tau[$N_NV], p[$N_NQ], d[$N_NV];\n"
    "  $N_load<1>(n, q + k, x);\n"
    "  $N_load<1>(n, v + k, u);\n"
    "  $N_load_or_0<$N_NV>(n, k, r.tau, tau);\n"
    "  if (pd) {\n"
    "    $N_load_target(n, k, r.target_q, p);\n"
    "    $N_load_or_0<$N_NV>(n, k, r.target_v, d);\n"
    "  }\n"
    "  int failed = 0;\n"
    "#pragma unroll 1\n"
    "  for (int step = 0; step < r.steps; step++) {\n"
    "    $R a[$N_NV], along[$N_NV];\n"
    "    if (pd) $N_difference(x[0], p, along);\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < $N_NV; j++)\n"
    "      a[j] = pd ? (tau[j] + r.kp[j] * along[j]) + r.kd[j] * (d[j] - u[0][j]) : tau[j];\n"
    "    failed = $N_forward_dynamics(x[0], u[0], a, a);\n"
    "    if (failed) break;\n"
    "#pragma unroll\n"
    "    for (int j = 0; j < $N_NV; j++) {\n"
    "      u[0][j] += r.dt * a[j];\n"
    "      along[j] = r.dt * u[0][j];\n"
    "    }\n"
    "    $N_integrate(x[0], along);\n"
    "  }\n"
    "  $N_store<1>(n, x, q + k);\n"
    "  $N_store<1>(n, u, v + k);\n"
    "  if (singular) singular[k] = failed;\n"
    "}\n"
    "\n"
    "extern \"C\" cudaError_t $N_rollout_launch(size_t n, const $N_rollout *r, $R *q, $R *v,\n"
    "                                         int *singular, cudaStream_t stream) {\n"
    "  if (n == 0) return cudaSuccess;\n"
    "  if (r->pd)\n"
    "    $N_rollout_kernel<true><<<$N_blocks(n), $N_BLOCK, 0, stream>>>(n, *r, q, v, singular);\n"
    "  else\n"
    "    $N_rollout_kernel<false><<<$N_blocks(n), $N_BLOCK, 0, stream>>>(n, *r, q, v, singular);\n"
    "  return cudaGetLastError();\n"
    "}\n";

void ap__put_cuda_rollout(ap__text *t, const ap_unit *u) {
  ap__put_text(t, u, load_text, "", "");
  for (int i = 1; i < u->m->nbody; i++) {
    const ap_joint *j = &u->m->joint[i];
    if (!j->leader && (j->type == AP_SPHERICAL || j->type == AP_FREE))
      ap__text_add(t, "  if (!from) q[%d] = 1;\n", j->q + j->nq - 1);
  }
  ap__put_text(t, u, kernel_text, "", "");
}
