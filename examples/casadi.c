// SPDX-License-Identifier: Apache-2.0
// External functions as CasADi and acados call them, in two optimal control problems: the swing-up
// of a pendulum, and one step of model predictive control of an arm of seven axes. Both are solved
// by Newton's method on the controls, with gradients from adj1_f and exact Hessian-vector products
// from fwd1_f and fwd1_adj1_f. The code is generated, compiled by cc and loaded here; with CasADi
// it would be casadi.external('NAME_forward_dynamics', './NAME.so').

#include <appell/codegen.h>
#include <appell/dyn.h>
#include <dlfcn.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 7, STEPS = 120 };

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the robot ---------------------------------------------------------------------------------

typedef int external(const double **arg, double **res, long long *iw, double *w, int mem);

typedef struct robot {
  int n;
  external *f, *forward, *adjoint, *twice; // forward dynamics: a, and what is derived of it
  void *library;
  const ap_model *m;
} robot;

static external *find(const robot *r, const char *name) {
  void *symbol = dlsym(r->library, name);
  external *f;
  memcpy(&f, &symbol, sizeof f);
  return f;
}

extern char **environ;

// cc with these words; true: it did what it was asked.
static bool compile(const char *source, const char *object) {
  char *const words[] = {"cc", "-O1",          "-fPIC", "-shared", (char *)source,
                         "-o", (char *)object, "-lm",   NULL};
  pid_t child;
  int status = 1;
  if (posix_spawnp(&child, "cc", NULL, NULL, words, environ) != 0) return false;
  return waitpid(child, &status, 0) == child && status == 0;
}

// Writes, compiles and loads the functions of a robot that is called "arm".
static bool load(const ap_robot_def *def, robot *r) {
  static unsigned char memory[16384];
  static const char *const ending[] = {"c", "h", "so"};
  char folder[] = "/tmp/appell-casadi-XXXXXX", path[3][64];
  ap_generate_options options = ap_default_generate();
  options.target = AP_TARGET_CASADI, options.name = "arm";
  options.functions = 1u << AP_GEN_FORWARD;
  ap_model *m = ap_model_init(def, memory, sizeof memory, NULL);
  ap_code *code = NULL;
  if (!m || ap_generate(m, &options, &code, NULL) != AP_OK || !mkdtemp(folder)) return false;
  for (int k = 0; k < 3; k++) {
    snprintf(path[k], sizeof path[k], "%s/arm.%s", folder, ending[k]);
    FILE *file = k < 2 ? fopen(path[k], "w") : NULL;
    if (file) fputs(k ? ap_code_header(code) : ap_code_source(code), file), fclose(file);
  }
  ap_code_free(code);
  const double start = seconds();
  if (compile(path[0], path[2])) printf("compiled in %.1f s\n", seconds() - start);
  *r = (robot){.n = ap_nv(m), .m = m, .library = dlopen(path[2], RTLD_NOW)};
  for (int k = 0; k < 3; k++) unlink(path[k]);
  rmdir(folder);
  if (!r->library) return false;
  r->f = find(r, "arm_forward_dynamics"), r->forward = find(r, "fwd1_arm_forward_dynamics");
  r->adjoint = find(r, "adj1_arm_forward_dynamics");
  r->twice = find(r, "fwd1_adj1_arm_forward_dynamics");
  return r->f && r->forward && r->adjoint && r->twice;
}

// ---- the problem -------------------------------------------------------------------------------

// The cost is the sum over all steps of h (u.u weight_u + (q - goal)^2 weight_q + v.v weight_v) /
// 2, and of (q - goal)^2 end_q / 2 + v.v end_v / 2 in the end; v += h a, then q += h v.
typedef struct problem {
  robot r;
  int steps;
  double damping; // added to the Hessian where its curvature is negative or steps are too long
  double h, weight_u, weight_q, weight_v, end_q, end_v, q0[MOST], v0[MOST], goal[MOST];
  double u[STEPS][MOST], q[STEPS + 1][MOST], v[STEPS + 1][MOST], w[STEPS][MOST]; // w: adjoint of a
} problem;

static double square(int n, const double *x, const double *from) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] - (from ? from[i] : 0)) * (x[i] - (from ? from[i] : 0));
  return sum;
}

static double simulate(problem *p) {
  const int n = p->r.n;
  double cost = 0, a[MOST];
  memcpy(p->q[0], p->q0, sizeof p->q0), memcpy(p->v[0], p->v0, sizeof p->v0);
  for (int k = 0; k < p->steps; k++) {
    const double *arg[3] = {p->q[k], p->v[k], p->u[k]};
    if (p->r.f(arg, (double *[]){a}, NULL, NULL, 0)) return INFINITY;
    cost += p->h / 2 *
            (p->weight_u * square(n, p->u[k], NULL) + p->weight_q * square(n, p->q[k], p->goal) +
             p->weight_v * square(n, p->v[k], NULL));
    for (int i = 0; i < n; i++) p->v[k + 1][i] = p->v[k][i] + p->h * a[i];
    for (int i = 0; i < n; i++) p->q[k + 1][i] = p->q[k][i] + p->h * p->v[k + 1][i];
  }
  return cost + p->end_q / 2 * square(n, p->q[p->steps], p->goal) +
         p->end_v / 2 * square(n, p->v[p->steps], NULL);
}

// The gradient by the controls: the adjoint of the motion, from the end to the beginning.
static void differentiate(problem *p, double g[STEPS][MOST]) {
  const int n = p->r.n, end = p->steps;
  double by_q[MOST], by_v[MOST], gq[MOST], gv[MOST], gu[MOST];
  for (int i = 0; i < n; i++) {
    by_q[i] = p->end_q * (p->q[end][i] - p->goal[i]);
    by_v[i] = p->end_v * p->v[end][i];
  }
  for (int k = end - 1; k >= 0; k--) {
    for (int i = 0; i < n; i++) by_v[i] += p->h * by_q[i], p->w[k][i] = p->h * by_v[i];
    const double *arg[5] = {p->q[k], p->v[k], p->u[k], NULL, p->w[k]};
    p->r.adjoint(arg, (double *[]){gq, gv, gu}, NULL, NULL, 0);
    for (int i = 0; i < n; i++) {
      g[k][i] = gu[i] + p->h * p->weight_u * p->u[k][i];
      by_q[i] += gq[i] + p->h * p->weight_q * (p->q[k][i] - p->goal[i]);
      by_v[i] += gv[i] + p->h * p->weight_v * p->v[k][i];
    }
  }
}

// The derivative of the gradient along d: the motion's, then the adjoint's.
static void differentiate_twice(const problem *p, double d[STEPS][MOST], double Hd[STEPS][MOST]) {
  const int n = p->r.n, end = p->steps;
  static double dq[STEPS + 1][MOST], dv[STEPS + 1][MOST];
  double da[MOST], by_q[MOST], by_v[MOST], w[MOST], gq[MOST], gv[MOST], gu[MOST];
  memset(dq[0], 0, sizeof dq[0]), memset(dv[0], 0, sizeof dv[0]);
  for (int k = 0; k < end; k++) {
    const double *arg[7] = {p->q[k], p->v[k], p->u[k], NULL, dq[k], dv[k], d[k]};
    p->r.forward(arg, (double *[]){da}, NULL, NULL, 0);
    for (int i = 0; i < n; i++) dv[k + 1][i] = dv[k][i] + p->h * da[i];
    for (int i = 0; i < n; i++) dq[k + 1][i] = dq[k][i] + p->h * dv[k + 1][i];
  }
  for (int i = 0; i < n; i++) by_q[i] = p->end_q * dq[end][i], by_v[i] = p->end_v * dv[end][i];
  for (int k = end - 1; k >= 0; k--) {
    for (int i = 0; i < n; i++) by_v[i] += p->h * by_q[i], w[i] = p->h * by_v[i];
    const double *arg[13] = {p->q[k], p->v[k], p->u[k], NULL, p->w[k], NULL, NULL,
                             NULL,    dq[k],   dv[k],   d[k], NULL,    w};
    p->r.twice(arg, (double *[]){gq, gv, gu}, NULL, NULL, 0);
    for (int i = 0; i < n; i++) {
      Hd[k][i] = gu[i] + p->h * p->weight_u * d[k][i];
      by_q[i] += gq[i] + p->h * p->weight_q * dq[k][i];
      by_v[i] += gv[i] + p->h * p->weight_v * dv[k][i];
    }
  }
}

// ---- Newton's method ---------------------------------------------------------------------------

static double dot(const problem *p, double a[STEPS][MOST], double b[STEPS][MOST]) {
  double sum = 0;
  for (int k = 0; k < p->steps * p->r.n; k++)
    sum += a[k / p->r.n][k % p->r.n] * b[k / p->r.n][k % p->r.n];
  return sum;
}

static void add(const problem *p, double s, double x[STEPS][MOST], double to[STEPS][MOST]) {
  for (int k = 0; k < p->steps; k++)
    for (int i = 0; i < p->r.n; i++) to[k][i] += s * x[k][i];
}

// (H + damping) step = -g by conjugate gradients; false where the curvature is negative.
static bool solve(const problem *p, double damping, double g[STEPS][MOST],
                  double step[STEPS][MOST]) {
  static double r[STEPS][MOST], d[STEPS][MOST], Hd[STEPS][MOST];
  memset(step, 0, sizeof r), memset(r, 0, sizeof r), add(p, -1, g, r), memcpy(d, r, sizeof d);
  double rr = dot(p, r, r), first = rr;
  for (int k = 0; k < 2 * p->steps * p->r.n && rr > 1e-8 * first; k++) {
    differentiate_twice(p, d, Hd);
    add(p, damping, d, Hd);
    const double curvature = dot(p, d, Hd), before = rr;
    if (curvature <= 0) return false;
    add(p, rr / curvature, d, step), add(p, -rr / curvature, Hd, r);
    rr = dot(p, r, r);
    for (int i = 0; i < p->steps * MOST; i++)
      d[i / MOST][i % MOST] = r[i / MOST][i % MOST] + rr / before * d[i / MOST][i % MOST];
  }
  return true;
}

// One iteration, with more damping until the cost falls: true while it gets better.
static bool improve(problem *p, double *cost) {
  static double g[STEPS][MOST], step[STEPS][MOST], from[STEPS][MOST];
  memset(g, 0, sizeof g);
  differentiate(p, g);
  memcpy(from, p->u, sizeof from);
  while (p->damping < 1e6) {
    const double damping = p->damping;
    p->damping = fmax(1e-4, 4 * damping); // the next one, unless this is enough
    if (!solve(p, damping, g, step)) continue;
    add(p, 1, step, p->u);
    const double now = simulate(p), fall = *cost - now;
    if (fall >= -0.1 * dot(p, g, step)) {
      *cost = now, p->damping = damping > 1e-4 ? damping / 8 : 0;
      return fall > 1e-6 * now;
    }
    memcpy(p->u, from, sizeof from), simulate(p);
  }
  return false;
}

static problem p;

static int swing_up(void) {
  ap_body_def rod = ap_default_body();
  rod.name = "rod", rod.joint = AP_REVOLUTE;
  rod.axis[0] = rod.axis[2] = 0, rod.axis[1] = 1;
  rod.mass = 1, rod.com[2] = -0.5; // hangs at q = 0
  ap_robot_def def = ap_default_robot();
  def.bodies = &rod, def.nbody = 1;
  p = (problem){.steps = STEPS, .h = 0.015, .weight_u = 1, .end_q = 200, .end_v = 20};
  if (!load(&def, &p.r)) return 1;
  p.goal[0] = acos(-1);
  for (int k = 0; k < p.steps; k++) p.u[k][0] = sin(0.06 * k); // a push to begin with
  int iterations = 1;
  double cost = simulate(&p), start = seconds(), most = 0;
  while (improve(&p, &cost) && iterations < 200) iterations++;
  for (int k = 0; k < p.steps; k++) most = fmax(most, fabs(p.u[k][0]));
  printf("swing-up: %d iterations in %.1f ms, cost %.3f\n", iterations, 1e3 * (seconds() - start),
         cost);
  printf(
      "it ends %.4f rad from upright at %.4f rad/s; the largest torque is %.2f N m, %.2f of what "
      "holds it level\n",
      fabs(p.q[p.steps][0] - p.goal[0]), fabs(p.v[p.steps][0]), most, most / (9.81 * 0.5));
  return !(fabs(p.q[p.steps][0] - p.goal[0]) < 0.1);
}

// The fastest of many calls.
static double nanoseconds(external *f, const double **arg, double *const *res) {
  double least = INFINITY;
  for (int k = 0; k < 100; k++) {
    const double start = seconds();
    for (int i = 0; i < 100; i++) f(arg, (double **)res, NULL, NULL, 0);
    least = fmin(least, (seconds() - start) / 100);
  }
  return 1e9 * least;
}

// What the functions cost; all arguments are there, in CasADi's order.
static void measure(const robot *r) {
  static const char *const name[] = {"", "jac_", "fwd1_", "adj1_", "fwd1_adj1_", "jac_adj1_"};
  static double x[13][MOST], result[15][4 * MOST * MOST];
  const double *arg[13];
  double *res[15];
  for (int i = 0; i < 13; i++) arg[i] = x[i];
  for (int i = 0; i < 15; i++) res[i] = result[i];
  for (int i = 0; i < 13 * MOST; i++) x[i / MOST][i % MOST] = sin(1 + i);
  for (int k = 0; k < 6; k++) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "%sarm_forward_dynamics", name[k]);
    external *f = find(r, symbol);
    if (f) printf("%-32s %5.0f ns\n", symbol, nanoseconds(f, arg, res));
  }
}

static int control_arm(void) {
  static ap_body_def link[7];
  static const char *const name[7] = {"1", "2", "3", "4", "5", "6", "7"};
  static const double mass[7] = {4, 4, 3, 2.7, 1.7, 1.8, 0.3};
  static const double height[7] = {0.16, 0.2, 0.2, 0.22, 0.18, 0.22, 0.08};
  for (int i = 0; i < 7; i++) { // a column of joints, about z and y in turn
    link[i] = ap_default_body();
    link[i].name = name[i], link[i].parent = i, link[i].joint = AP_REVOLUTE;
    link[i].axis[0] = 0, link[i].axis[1] = i % 2, link[i].axis[2] = 1 - i % 2;
    link[i].place.xyz[2] = height[i], link[i].mass = mass[i], link[i].com[2] = 0.1;
    link[i].inertia[0] = link[i].inertia[3] = 0.04, link[i].inertia[5] = 0.02;
  }
  ap_robot_def def = ap_default_robot();
  def.bodies = link, def.nbody = 7;
  p = (problem){.steps = 20, .h = 0.005, .weight_u = 1e-3, .weight_q = 100, .weight_v = 1};
  p.end_q = 200, p.end_v = 2;
  if (!load(&def, &p.r)) return 1;
  measure(&p.r);
  for (int i = 0; i < 7; i++) p.q0[i] = 0.5 * sin(1 + i), p.goal[i] = p.q0[i] + 0.2 * cos(2 * i);
  const size_t size = ap_work_size(p.r.m);
  void *memory = malloc(size);
  ap_work *w = ap_work_init(p.r.m, memory, size);
  for (int k = 0; w && k < p.steps; k++) ap_gravity_forces(p.r.m, w, p.q0, p.u[k]);
  free(memory);
  double cost = simulate(&p);
  const double held = cost;
  for (int k = 0; k < 50; k++) // as in the steps before: the controls of the last one
    if (!improve(&p, &cost)) break;
  p.q0[1] += 0.01, p.v0[2] += 0.05; // what was measured now
  double before = simulate(&p), start = seconds();
  cost = before;
  improve(&p, &cost);
  printf(
      "arm: cost %.3f held by gravity compensation, %.4f measured, %.4f after one step of control "
      "in %.1f ms\n",
      held, before, cost, 1e3 * (seconds() - start));
  return !(cost < before);
}

int main(void) {
  if (swing_up() || control_arm()) return fprintf(stderr, "no compiler cc, or no solution\n"), 1;
  return 0;
}
