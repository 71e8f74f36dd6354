// SPDX-License-Identifier: Apache-2.0
// The dynamics of one robot on a GPU: values compared with those of the processor, then times.
//
//   bench [RESULTS.json]
//   bench --once           launches every function a few times on few states, for a profiler
//
// Everything is measured on arrays that are on the device. Rates count states, bytes are those that
// must move: every input that the outputs depend on once, every output once. Times are medians of REPEATS launches, each
// between two events.

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cpu_f32.h"
#include "cpu_f64.h"
#include "gpu_f32.cuh"
#include "gpu_f64.cuh"
#include "model.h"

#ifndef FMAD
#define FMAD "false"
#endif

static int REPEATS = 25, WARM_UP = 5;
static const size_t CHECKED = 20000;

static void ok(cudaError_t status, const char *what) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "bench: %s: %s\n", what, cudaGetErrorString(status));
  exit(1);
}

// ---- the functions of both arithmetics ---------------------------------------------------------

template <typename real>
struct robot;

#define ROBOT(real, suffix)                                                                        \
  template <>                                                                                      \
  struct robot<real> {                                                                             \
    static constexpr int nq = gpu_##suffix##_NQ, nv = gpu_##suffix##_NV;                           \
    static constexpr const char *name = #suffix;                                                   \
    typedef gpu_##suffix##_rollout rollout;                                                        \
    static cudaError_t inverse(size_t n, const real *q, const real *v, const real *a, real *out) { \
      return gpu_##suffix##_inverse_dynamics_launch(n, q, v, a, out, 0);                           \
    }                                                                                              \
    static cudaError_t inertia(size_t n, const real *q, const real *, const real *, real *out) {   \
      return gpu_##suffix##_inertia_matrix_launch(n, q, out, 0);                                   \
    }                                                                                              \
    static cudaError_t forward(size_t n, const real *q, const real *v, const real *a, real *out) { \
      return gpu_##suffix##_forward_dynamics_launch(n, q, v, a, out, nullptr, 0);                  \
    }                                                                                              \
    static void cpu_inverse(const real *q, const real *v, const real *a, real *out) {              \
      cpu_##suffix##_inverse_dynamics(q, v, a, out);                                               \
    }                                                                                              \
    static void cpu_inertia(const real *q, const real *, const real *, real *out) {                \
      cpu_##suffix##_inertia_matrix(q, out);                                                       \
    }                                                                                              \
    static void cpu_integrate(const real *q, const real *v, real *out) {                           \
      cpu_##suffix##_integrate(q, v, out);                                                         \
    }                                                                                              \
    static void cpu_difference(const real *q, const real *to, real *out) {                         \
      cpu_##suffix##_difference(q, to, out);                                                       \
    }                                                                                              \
    static void cpu_forward(const real *q, const real *v, const real *a, real *out) {              \
      cpu_##suffix##_forward_dynamics(q, v, a, out);                                               \
    }                                                                                              \
    static cudaError_t d_inverse(size_t n, const real *q, const real *v, const real *a,            \
                                 real *out) {                                                      \
      return gpu_##suffix##_inverse_dynamics_derivatives_launch(                                   \
          n, q, v, a, out, out + n * nv * nv, out + 2 * n * nv * nv, 0);                           \
    }                                                                                              \
    static cudaError_t d_forward(size_t n, const real *q, const real *v, const real *a,            \
                                 real *out) {                                                      \
      return gpu_##suffix##_forward_dynamics_derivatives_launch(                                   \
          n, q, v, a, out, out + n * nv * nv, out + 2 * n * nv * nv, nullptr, 0);                  \
    }                                                                                              \
    static void cpu_d_inverse(const real *q, const real *v, const real *a, real *out) {            \
      cpu_##suffix##_inverse_dynamics_derivatives(q, v, a, out, out + nv * nv, out + 2 * nv * nv); \
    }                                                                                              \
    static void cpu_d_forward(const real *q, const real *v, const real *a, real *out) {            \
      cpu_##suffix##_forward_dynamics_derivatives(q, v, a, out, out + nv * nv, out + 2 * nv * nv); \
    }                                                                                              \
    typedef gpu_##suffix##_pipe pipe;                                                              \
    static cudaError_t open(pipe *p, size_t states) {                                              \
      return gpu_##suffix##_pipe_open(p, states);                                                  \
    }                                                                                              \
    static void close(pipe *p) { gpu_##suffix##_pipe_close(p); }                                   \
    static cudaError_t forward_pipe(pipe *p, size_t n, const real *q, const real *v,               \
                                    const real *tau, real *out) {                                  \
      return gpu_##suffix##_forward_dynamics_pipe(p, n, q, v, tau, out, nullptr);                  \
    }                                                                                              \
    static cudaError_t roll(size_t n, const rollout &r, real *q, real *v) {                        \
      return gpu_##suffix##_rollout_launch(n, &r, q, v, nullptr, 0);                               \
    }                                                                                              \
  };
ROBOT(double, f64)
ROBOT(float, f32)

// ---- results -----------------------------------------------------------------------------------

struct result {
  std::string what, real;
  double ms, p10, p90; // of a launch
  double states;       // evaluations or steps per launch
  double bytes;        // that must move per launch; 0: not limited by memory
  double moving;       // ms that a kernel takes which does nothing else than that; 0: not measured
};

static std::vector<result> results;
static double copy_bandwidth; // bytes/s, read and written

static result timed(const std::string &what, const std::string &real, double states, double bytes,
                    const std::function<cudaError_t()> &launch) {
  cudaEvent_t from, to;
  ok(cudaEventCreate(&from), "event"), ok(cudaEventCreate(&to), "event");
  std::vector<float> times;
  for (int k = 0; k < REPEATS + WARM_UP; k++) {
    float ms;
    ok(cudaEventRecord(from), "event");
    ok(launch(), what.c_str());
    ok(cudaEventRecord(to), "event");
    ok(cudaEventSynchronize(to), what.c_str());
    ok(cudaEventElapsedTime(&ms, from, to), "event");
    if (k >= WARM_UP) times.push_back(ms);
  }
  std::sort(times.begin(), times.end());
  ok(cudaEventDestroy(from), "event"), ok(cudaEventDestroy(to), "event");
  return {what,   real, times[REPEATS / 2], times[REPEATS / 10], times[REPEATS - 1 - REPEATS / 10],
          states, bytes, 0};
}

static void report(const result &r) {
  results.push_back(r);
  double rate = r.states / (r.ms * 1e-3), speed = r.bytes / (r.ms * 1e-3);
  printf("%-28s %-4s %9.3f ms  [%7.3f, %7.3f]  %8.3f G/s", r.what.c_str(), r.real.c_str(), r.ms,
         r.p10, r.p90, rate * 1e-9);
  if (r.bytes > 0)
    printf("  %7.3f TB/s  %5.1f %% of copy", speed * 1e-12, 100 * speed / copy_bandwidth);
  if (r.moving > 0) printf("  %5.1f %% of moving", 100 * r.moving / r.ms);
  printf("\n");
  fflush(stdout);
}

// ---- arrays ------------------------------------------------------------------------------------

template <typename real>
struct device {
  real *p = nullptr;
  explicit device(size_t count) { ok(cudaMalloc(&p, count * sizeof(real)), "memory"); }
  ~device() { cudaFree(p); }
  device(const device &) = delete;
  device &operator=(const device &) = delete;
};

// Numbers between -size and size that every machine makes alike; device memory is filled block by
// block with the same ones.
template <typename real>
static std::vector<real> numbers(size_t count, double size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<real> x(count);
  for (real &y : x) y = (real)(((double)(random() >> 11) * 0x1p-53 * 2 - 1) * size);
  return x;
}

// Configurations: a free base, where there is one, comes first, and its quaternion has length one.
template <typename real>
static std::vector<real> configurations(size_t n, double size, unsigned seed) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  static_assert(nq == nv || nq == nv + 1, "quaternions of a free base alone are covered");
  std::vector<real> q = numbers<real>(n * nq, size, seed);
  for (size_t k = 0; nq > nv && k < n; k++) {
    double length = 0;
    for (int j = 3; j < 7; j++) length += (double)q[j * n + k] * (double)q[j * n + k];
    for (int j = 3; j < 7; j++) q[j * n + k] = (real)((double)q[j * n + k] / std::sqrt(length));
  }
  return q;
}

template <typename real>
static void fill(real *to, size_t count, const std::vector<real> &from) {
  for (size_t k = 0; k < count; k += from.size())
    ok(cudaMemcpy(to + k, from.data(), std::min(from.size(), count - k) * sizeof(real),
                  cudaMemcpyHostToDevice),
       "copy");
}

// ---- values ------------------------------------------------------------------------------------

struct difference {
  double worst = 0; // relative to the largest entry of a state
  size_t equal = 0, all = 0;
};

template <typename real>
static void add_difference(difference &d, const real *cpu, const real *gpu, size_t stride, int n) {
  double size = 0, off = 0;
  for (int j = 0; j < n; j++) {
    size = std::max(size, std::fabs((double)cpu[j]));
    double x = std::fabs((double)cpu[j] - (double)gpu[j * stride]);
    off = x <= off ? off : x; // a NaN counts
    d.equal += std::memcmp(&cpu[j], &gpu[j * stride], sizeof(real)) == 0;
    d.all++;
  }
  double relative = size > 0 ? off / size : off;
  d.worst = relative <= d.worst ? d.worst : relative;
}

static bool judge(const char *what, const char *real, const difference &d, double bound) {
  bool good = d.worst <= bound;
  printf("%-28s %-4s largest difference %.1e (allowed %.0e), %.2f %% of the numbers equal%s\n",
         what, real, d.worst, bound, 100.0 * (double)d.equal / (double)d.all,
         good ? "" : "  WRONG");
  return good;
}

template <typename real>
static bool compare(const char *what, int size, double bound,
                    cudaError_t (*gpu)(size_t, const real *, const real *, const real *, real *),
                    void (*cpu)(const real *, const real *, const real *, real *),
                    size_t n = CHECKED) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  std::vector<real> q = configurations<real>(n, 3.2, 1), v = numbers<real>(n * nv, 2, 2),
                    a = numbers<real>(n * nv, 5, 3), out(n * size), one(size);
  for (size_t k = n * (nq - 1); k < n * nq; k += 1000) q[k] = (real)1e7; // reduced another way
  device<real> dq(n * nq), dv(n * nv), da(n * nv), dout(n * size);
  fill(dq.p, n * nq, q), fill(dv.p, n * nv, v), fill(da.p, n * nv, a);
  ok(cudaMemset(dout.p, 0, out.size() * sizeof(real)), what); // a singular state leaves its outputs
  ok(gpu(n, dq.p, dv.p, da.p, dout.p), what);
  ok(cudaMemcpy(out.data(), dout.p, out.size() * sizeof(real), cudaMemcpyDeviceToHost), what);
  difference d;
  std::vector<real> x(nq + 2 * nv);
  for (size_t k = 0; k < n; k++) {
    for (int j = 0; j < nq; j++) x[j] = q[j * n + k];
    for (int j = 0; j < nv; j++) x[nq + j] = v[j * n + k], x[nq + nv + j] = a[j * n + k];
    std::fill(one.begin(), one.end(), (real)0);
    cpu(x.data(), x.data() + nq, x.data() + nq + nv, one.data());
    add_difference(d, one.data(), out.data() + k, n, size);
  }
  return judge(what, robot<real>::name, d, bound);
}

// A controller that no robot finds too stiff: its gains are as large as its inertias.
template <typename real>
static typename robot<real>::rollout rollout(int steps, const real *target) {
  const int nv = robot<real>::nv;
  typename robot<real>::rollout r = {};
  r.steps = steps, r.dt = (real)1e-3, r.pd = 1, r.target_q = target;
  std::vector<real> zero(robot<real>::nq), M(nv * nv);
  if (robot<real>::nq > nv) zero[6] = 1;
  robot<real>::cpu_inertia(zero.data(), zero.data(), zero.data(), M.data());
  for (int j = 0; j < nv; j++) r.kp[j] = 100 * M[j * nv + j], r.kd[j] = 20 * M[j * nv + j];
  return r;
}

// The same steps one state at a time.
template <typename real>
static void cpu_rollout(const typename robot<real>::rollout &r, const real *target, real *q,
                        real *v) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  std::vector<real> a(nv), along(nv), next(nq);
  for (int step = 0; step < r.steps; step++) {
    robot<real>::cpu_difference(q, target, along.data());
    for (int j = 0; j < nv; j++)
      a[j] = ((real)0 + r.kp[j] * along[j]) + r.kd[j] * ((real)0 - v[j]);
    robot<real>::cpu_forward(q, v, a.data(), a.data());
    for (int j = 0; j < nv; j++) v[j] += r.dt * a[j], along[j] = r.dt * v[j];
    robot<real>::cpu_integrate(q, along.data(), next.data());
    std::copy(next.begin(), next.end(), q);
  }
}

template <typename real>
static bool compare_rollout(double bound) {
  const size_t n = 2000;
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  std::vector<real> q = configurations<real>(n, 3.2, 1), v = numbers<real>(n * nv, 2, 2),
                    target = numbers<real>(n * nq, 1, 4), q2 = q, v2 = v;
  device<real> dq(n * nq), dv(n * nv), dt(n * nq);
  fill(dq.p, n * nq, q), fill(dv.p, n * nv, v), fill(dt.p, n * nq, target);
  typename robot<real>::rollout r = rollout<real>(100, dt.p);
  ok(robot<real>::roll(n, r, dq.p, dv.p), "rollout");
  ok(cudaMemcpy(q2.data(), dq.p, q2.size() * sizeof(real), cudaMemcpyDeviceToHost), "rollout");
  difference d;
  std::vector<real> x(nq), u(nv), goal(nq);
  for (size_t k = 0; k < n; k++) {
    for (int j = 0; j < nq; j++) x[j] = q[j * n + k], goal[j] = target[j * n + k];
    for (int j = 0; j < nv; j++) u[j] = v[j * n + k];
    cpu_rollout<real>(r, goal.data(), x.data(), u.data());
    add_difference(d, x.data(), q2.data() + k, n, nq);
  }
  return judge("rollout, 100 steps", robot<real>::name, d, bound);
}

// Both compute the same operations in the same order; where products are fused, or an angle is far
// away, they differ by rounding, which the inertia matrix (condition up to 1e4) amplifies.
template <typename real>
static bool compare_all(double epsilon) {
  const int nv = robot<real>::nv;
  bool good =
      compare<real>("inverse", nv, 1e3 * epsilon, robot<real>::inverse, robot<real>::cpu_inverse);
  good &= compare<real>("inverse, odd count", nv, 1e3 * epsilon, robot<real>::inverse,
                        robot<real>::cpu_inverse, CHECKED - 1);
  good &= compare<real>("inertia", nv * nv, 1e3 * epsilon, robot<real>::inertia,
                        robot<real>::cpu_inertia);
  good &=
      compare<real>("forward", nv, 1e5 * epsilon, robot<real>::forward, robot<real>::cpu_forward);
  good &= compare<real>("d inverse", 3 * nv * nv, 1e3 * epsilon, robot<real>::d_inverse,
                        robot<real>::cpu_d_inverse);
  good &= compare<real>("d forward", 3 * nv * nv, 1e5 * epsilon, robot<real>::d_forward,
                        robot<real>::cpu_d_forward);
  return compare_rollout<real>(1e5 * epsilon) && good;
}

// ---- times -------------------------------------------------------------------------------------

static __global__ void copy_kernel(size_t n, const double2 *from, double2 *to) {
  size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) to[k] = from[k];
}

// The faster of the driver's copy and a plain kernel.
static void time_copies(void) {
  const size_t bytes = (size_t)1 << 31, n = bytes / sizeof(double2);
  device<char> from(bytes), to(bytes);
  ok(cudaMemset(from.p, 1, bytes), "memory");
  result a = timed("copy by cudaMemcpy", "", (double)n, 2.0 * (double)bytes,
                   [&] { return cudaMemcpyAsync(to.p, from.p, bytes, cudaMemcpyDeviceToDevice); });
  result b = timed("copy by a kernel", "", (double)n, 2.0 * (double)bytes, [&] {
    copy_kernel<<<(unsigned)(n / 256), 256>>>(n, (const double2 *)from.p, (double2 *)to.p);
    return cudaGetLastError();
  });
  copy_bandwidth = 2.0 * (double)bytes / (std::min(a.ms, b.ms) * 1e-3);
  report(a), report(b);
}

// Independent fused products, as many to a thread as hide what one takes.
template <typename real>
static __global__ void fma_kernel(real x, real *out) {
  real y[8];
  for (int i = 0; i < 8; i++) y[i] = (real)(threadIdx.x + i);
  for (int k = 0; k < 512; k++)
#pragma unroll
    for (int i = 0; i < 8; i++) y[i] = fma(y[i], x, x);
  real sum = 0;
  for (int i = 0; i < 8; i++) sum += y[i];
  if (sum == (real)-1) *out = sum;
}

// What the arithmetic can do: a fused product, a product or a sum counts one.
template <typename real>
static void time_arithmetic(void) {
  device<real> out(1);
  const unsigned blocks = 132 * 64, threads = 256;
  report(timed("fused products", robot<real>::name, (double)blocks * threads * 512 * 8, 0, [&] {
    fma_kernel<real><<<blocks, threads>>>((real)0.5, out.p);
    return cudaGetLastError();
  }));
}

// How many of the inputs, from the first up to `inputs`, the outputs of a function depend on.
template <typename real>
static int read(int inputs, int outputs,
                void (*cpu)(const real *, const real *, const real *, real *)) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  int count = 0;
  std::vector<real> x = configurations<real>(1, 1, 7), rest = numbers<real>(2 * nv, 1, 8);
  x.insert(x.end(), rest.begin(), rest.end());
  std::vector<real> out(outputs), other(outputs);
  cpu(x.data(), x.data() + nq, x.data() + nq + nv, out.data());
  for (int j = 0; j < inputs; j++) {
    const real kept = x[j];
    x[j] += (real)0.25;
    cpu(x.data(), x.data() + nq, x.data() + nq + nv, other.data());
    x[j] = kept;
    count += std::memcmp(out.data(), other.data(), outputs * sizeof(real)) != 0;
  }
  return count;
}

// The bytes of a function without its operations: so many entries of every state are read, and so
// many written, sixteen bytes at a time.
static __global__ void move_kernel(size_t n, int reads, int writes, const uint4 *from, uint4 *to) {
  const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  uint4 x = {1, 2, 3, 4};
#pragma unroll 8
  for (int j = 0; j < reads; j++) {
    const uint4 y = __ldcs(from + j * n + k);
    x.x ^= y.x, x.y ^= y.y, x.z ^= y.z, x.w ^= y.w;
  }
#pragma unroll 8
  for (int j = 0; j < writes; j++) __stcs(to + j * n + k, x);
}

// Inputs of n states lie one behind the other. Reports a function and what moves its bytes alone.
template <typename real>
static void report_with_moving(const char *what, size_t n, int reads, int writes, const real *from,
                               real *to, const std::function<cudaError_t()> &launch) {
  const size_t wide = n * sizeof(real) / sizeof(uint4);
  result r = timed(what, robot<real>::name, (double)n,
                   (double)n * sizeof(real) * (reads + writes), launch);
  r.moving = timed(what, robot<real>::name, 0, 0, [&] {
               move_kernel<<<(unsigned)((wide + 255) / 256), 256>>>(
                   wide, reads, writes, (const uint4 *)from, (uint4 *)to);
               return cudaGetLastError();
             }).ms;
  report(r);
}

template <typename real>
static void time_functions(size_t n) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  const int inputs = nq + 2 * nv, matrix = nv * nv;
  size_t m = n; // states of derivatives, which write much
  while (3.0 * (double)(m * matrix * sizeof(real)) > 9e9) m /= 2;
  device<real> in(n * inputs), out(std::max(n, 3 * m) * matrix);
  real *q = in.p, *v = q + n * nq, *a = v + n * nv;
  fill(q, n * nq, configurations<real>(n, 3.1, 1));
  fill(v, n * nv, numbers<real>(1 << 20, 2, 2));
  fill(a, n * nv, numbers<real>(1 << 20, 5, 3));
  report_with_moving("inverse dynamics", n, read<real>(inputs, nv, robot<real>::cpu_inverse), nv, q,
                     out.p, [&] { return robot<real>::inverse(n, q, v, a, out.p); });
  report_with_moving("inertia matrix", n, read<real>(nq, matrix, robot<real>::cpu_inertia), matrix,
                     q, out.p, [&] { return robot<real>::inertia(n, q, v, a, out.p); });
  report_with_moving("forward dynamics", n, read<real>(inputs, nv, robot<real>::cpu_forward), nv, q,
                     out.p, [&] { return robot<real>::forward(n, q, v, a, out.p); });
  fill(q, m * nq, configurations<real>(m, 3.1, 1));
  report_with_moving("d inverse", m, read<real>(inputs, 3 * matrix, robot<real>::cpu_d_inverse),
                     3 * matrix, q, out.p,
                     [&] { return robot<real>::d_inverse(m, q, v, a, out.p); });
  report_with_moving("d forward", m, read<real>(inputs, 3 * matrix, robot<real>::cpu_d_forward),
                     3 * matrix, q, out.p,
                     [&] { return robot<real>::d_forward(m, q, v, a, out.p); });
}

template <typename real>
static void time_rollouts(size_t n, int steps) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  device<real> q(n * nq), v(n * nv), target(n * nq);
  fill(q.p, n * nq, configurations<real>(n, 3.1, 1));
  fill(v.p, n * nv, numbers<real>(1 << 20, 2, 2));
  fill(target.p, n * nq, configurations<real>(n, 1, 4));
  typename robot<real>::rollout r = rollout<real>(steps, target.p);
  report(timed("rollout steps, PD", robot<real>::name, (double)n * steps, 0,
               [&] { return robot<real>::roll(n, r, q.p, v.p); }));
  r.pd = 0, r.dt = (real)1e-4;
  fill(q.p, n * nq, configurations<real>(n, 3.1, 1));
  fill(v.p, n * nv, numbers<real>(1 << 20, 0.1, 2));
  report(timed("rollout steps, no control", robot<real>::name, (double)n * steps, 0,
               [&] { return robot<real>::roll(n, r, q.p, v.p); }));
}

// ---- arrays of the host ------------------------------------------------------------------------

template <typename real>
struct locked {
  real *p = nullptr;
  explicit locked(size_t count) { ok(cudaMallocHost(&p, count * sizeof(real)), "memory"); }
  ~locked() { cudaFreeHost(p); }
  locked(const locked &) = delete;
  locked &operator=(const locked &) = delete;
};

// Forward dynamics of states in the host's memory, compared with those on the device; bytes are
// those of the way in, which is the longer one, and are related to a copy that way alone.
template <typename real>
static bool time_pipe(void) {
  const int nq = robot<real>::nq, nv = robot<real>::nv;
  const size_t n = ((size_t)1 << 22) + 77, in = n * (nq + 2 * nv);
  locked<real> host(in), out(n * nv), again(n * nv);
  real *q = host.p, *v = q + n * nq, *tau = v + n * nv;
  const std::vector<real> states = configurations<real>(n, 3.1, 1), rest = numbers<real>(n, 2, 2);
  std::copy(states.begin(), states.end(), q);
  for (int j = 0; j < 2 * nv; j++) std::copy(rest.begin(), rest.end(), v + j * n);
  device<real> there(in), result(n * nv);
  const auto copy = timed("copy to the device", robot<real>::name, (double)n, (double)in * sizeof(real), [&] {
    return cudaMemcpyAsync(there.p, host.p, in * sizeof(real), cudaMemcpyHostToDevice);
  });
  ok(robot<real>::forward(n, there.p, there.p + n * nq, there.p + n * (nq + nv), result.p), "forward");
  ok(cudaMemcpy(again.p, result.p, n * nv * sizeof(real), cudaMemcpyDeviceToHost), "copy");
  typename robot<real>::pipe pipe;
  ok(robot<real>::open(&pipe, (size_t)1 << 17), "pipe");
  double best = 1e9, apart = 1e9, copies = 1e9;
  cudaStream_t way[2];
  for (cudaStream_t &w : way) ok(cudaStreamCreate(&w), "stream");
  for (int k = 0; k < 7; k++) {
    auto before = std::chrono::steady_clock::now();
    ok(cudaMemcpyAsync(there.p, host.p, in * sizeof(real), cudaMemcpyHostToDevice, way[0]), "copy");
    ok(cudaMemcpyAsync(out.p, result.p, n * nv * sizeof(real), cudaMemcpyDeviceToHost, way[1]), "copy");
    for (cudaStream_t &w : way) ok(cudaStreamSynchronize(w), "copy");
    auto start = std::chrono::steady_clock::now();
    copies = std::min(copies, std::chrono::duration<double, std::milli>(start - before).count());
    ok(robot<real>::forward_pipe(&pipe, n, q, v, tau, out.p), "pipe");
    auto middle = std::chrono::steady_clock::now();
    ok(cudaMemcpy(there.p, host.p, in * sizeof(real), cudaMemcpyHostToDevice), "copy");
    ok(robot<real>::forward(n, there.p, there.p + n * nq, there.p + n * (nq + nv), result.p), "forward");
    ok(cudaMemcpy(again.p, result.p, n * nv * sizeof(real), cudaMemcpyDeviceToHost), "copy");
    auto end = std::chrono::steady_clock::now();
    best = std::min(best, std::chrono::duration<double, std::milli>(middle - start).count());
    apart = std::min(apart, std::chrono::duration<double, std::milli>(end - middle).count());
  }
  robot<real>::close(&pipe);
  for (cudaStream_t &w : way) ok(cudaStreamDestroy(w), "stream");
  const bool equal = std::memcmp(out.p, again.p, n * nv * sizeof(real)) == 0;
  report({"forward, host, overlapped", robot<real>::name, best, best, best, (double)n, 0, 0});
  report({"forward, host, one by one", robot<real>::name, apart, apart, apart, (double)n, 0, 0});
  report({"copy to the device", robot<real>::name, copy.ms, copy.p10, copy.p90, (double)n, 0, 0});
  report({"copies both ways at once", robot<real>::name, copies, copies, copies, (double)n, 0, 0});
  printf("  %.0f %% of the copy to the device, %.0f %% of both copies at once%s\n",
         100 * copy.ms / best, 100 * copies / best, equal ? "" : "; values DIFFER");
  return equal;
}

// ---- main --------------------------------------------------------------------------------------

static bool write_results(const char *path, const cudaDeviceProp &gpu) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  int driver = 0, runtime = 0, clock = 0;
  cudaDriverGetVersion(&driver), cudaRuntimeGetVersion(&runtime);
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  fprintf(f,
          "{\"machine\": {\"gpu\": \"%s\", \"multiprocessors\": %d, \"clock_MHz\": %d, "
          "\"memory_GiB\": %.0f, \"driver\": %d, \"runtime\": %d, \"fmad\": %s},\n"
          " \"model\": \"%s\",\n \"copy_bytes_per_s\": %.4g,\n \"rows\": [",
          gpu.name, gpu.multiProcessorCount, clock / 1000, (double)gpu.totalGlobalMem / (1 << 30),
          driver, runtime, FMAD, MODEL, copy_bandwidth);
  for (size_t k = 0; k < results.size(); k++) {
    const result &r = results[k];
    fprintf(
        f,
        "%s\n  {\"what\": \"%s\", \"real\": \"%s\", \"ms\": %.5g, \"p10\": %.5g, \"p90\": %.5g, "
        "\"per_s\": %.5g",
        k ? "," : "", r.what.c_str(), r.real.c_str(), r.ms, r.p10, r.p90, r.states / (r.ms * 1e-3));
    if (r.bytes > 0)
      fprintf(f, ", \"bytes_per_s\": %.5g, \"of_copy\": %.4f", r.bytes / (r.ms * 1e-3),
              r.bytes / (r.ms * 1e-3) / copy_bandwidth);
    if (r.moving > 0) fprintf(f, ", \"of_moving\": %.4f", r.moving / r.ms);
    fprintf(f, "}");
  }
  fprintf(f, "]}\n");
  return fclose(f) == 0;
}

template <typename real>
static void launch_once(void) {
  time_functions<real>((size_t)1 << 18);
  time_rollouts<real>((size_t)1 << 17, 20);
}

int main(int argc, char **argv) {
  cudaDeviceProp gpu;
  ok(cudaGetDeviceProperties(&gpu, 0), "no GPU");
  printf("%s, %d multiprocessors; %s; products fused: %s\n\n", gpu.name, gpu.multiProcessorCount,
         MODEL, FMAD);
  if (argc > 1 && strcmp(argv[1], "--once") == 0) {
    REPEATS = 1, WARM_UP = 0, copy_bandwidth = 1;
    launch_once<double>();
    launch_once<float>();
    return 0;
  }
  bool good = compare_all<double>(2.2e-16);
  good = compare_all<float>(1.2e-7) && good;
  if (!good) {
    fprintf(stderr, "bench: the values of GPU and processor differ\n");
    return 1;
  }
  printf("\n");
  time_copies();
  time_arithmetic<double>();
  time_arithmetic<float>();
  time_functions<double>((size_t)1 << 24);
  time_functions<float>((size_t)1 << 24);
  time_rollouts<double>((size_t)1 << 20, 100);
  time_rollouts<float>((size_t)1 << 20, 100);
  good = time_pipe<double>();
  good = time_pipe<float>() && good;
  if (argc > 1 && !write_results(argv[1], gpu)) {
    fprintf(stderr, "bench: cannot write '%s'\n", argv[1]);
    return 1;
  }
  return good ? 0 : 1;
}
