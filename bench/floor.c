// SPDX-License-Identifier: Apache-2.0
// The least that a function of one state can take, counted on the tape that generated code is
// written from, as a Markdown table.
//
//   floor [MODEL...]          a built-in name or a robot file, '+' before it for a free base, or
//                             chain6: a chain of so many joints without zeros in its geometry
//   floor -g [MODEL...]       the library's functions for any robot instead
//
// Operations are additions, products, fused products and divisions; angles, of which sine and
// cosine are taken, are counted apart. A core does two operations a cycle, one by one or in
// vectors, hence the column *by ports* for code without vectors, and a quarter of that with all of
// them in vectors of 16 bytes filled to the last. *By the chain* is the longest path from an input
// to an output, whatever is done beside it. Both are cycles, and ns at the clock of this core,
// which a chain of integer multiplications of three cycles each tells.
//
// With -g: what the functions for any robot compute for one state, by the counting arithmetic (a
// fused product is a product and a sum, structural zeros are free), how long they take, the first
// decile of many samples, and the share of the core's peak that they reach. The peak is products
// and sums, each rounded, in its widest vectors; fused products can reach twice that.

#include <appell/bench.h>
#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>
#include <appell/research.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "codegen/program.h"

// Cycles from operands to result on processors of today. The sine and cosine of an angle: reduced
// in four steps, two polynomials of six and seven, and what puts them together; two angles at a
// time in one vector.
enum { LATENCY = 4, LATENCY_DIV = 14, LATENCY_SQRT = 18, LATENCY_SIN = 48, OPS_ANGLE = 13 };

typedef struct floor_of {
  int operations, angles;
  double ports, chain; // cycles
} floor_of;

static double latency(ap_op op) {
  switch (op) {
    case AP_OP_INPUT:
    case AP_OP_NUMBER: return 0;
    case AP_OP_SIN:
    case AP_OP_COS:
    case AP_OP_ANGLE: return LATENCY_SIN;
    case AP_OP_DIV:
    case AP_OP_DIV_CONST: return LATENCY_DIV;
    case AP_OP_SQRT: return LATENCY_SQRT;
    case AP_OP_ADD:
    case AP_OP_ADD_CONST:
    case AP_OP_MUL:
    case AP_OP_MUL_CONST:
    case AP_OP_FMA:
    case AP_OP_SIGN:
    case AP_OP_MAX:
    case AP_OP_PICK: break;
  }
  return LATENCY;
}

// Whether this node is the first to take the sine or cosine of its angle.
static bool takes_angle(const ap_program *p, int k) {
  const ap_node *node = p->tape.node;
  if (node[k].op == AP_OP_ANGLE) return true;
  for (int i = k - 1; i > 0; i--)
    if ((node[i].op == AP_OP_SIN || node[i].op == AP_OP_COS) && node[i].a == node[k].a)
      return false;
  return true;
}

static floor_of floor_of_program(const ap_program *p) {
  floor_of f = {0};
  const int n = ap__program_nodes(p);
  double *at = calloc((size_t)n, sizeof *at);
  if (!at) abort();
  for (int k = 1; k < n; k++) {
    const ap_node *node = &p->tape.node[k];
    for (int i = 0; i < ap__operands(node); i++) at[k] = fmax(at[k], at[abs(ap__operand(node, i))]);
    at[k] += latency(node->op);
    f.chain = fmax(f.chain, at[k]);
    if (latency(node->op) == LATENCY_SIN)
      f.angles += takes_angle(p, k);
    else if (node->op != AP_OP_INPUT && node->op != AP_OP_NUMBER)
      f.operations++;
  }
  free(at);
  f.ports = (f.operations + OPS_ANGLE * f.angles) / 2.0;
  return f;
}

typedef double vector __attribute__((vector_size(64)));
enum { STATES = 240, LANES = sizeof(vector) / sizeof(double) };

// Zeros in the order in which a batch stores its results, in the widest vectors there are.
#if defined __x86_64__ && !defined __clang__
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static void
store_zeros(size_t size, double *out) {
  for (size_t s = 0; s < STATES; s += LANES)
    for (size_t at = s; at < size; at += STATES) *(volatile vector *)(out + at) = (vector){0};
}

// The results of a program of so many entries, ns a state.
static double time_of_stores(int entries) {
  const size_t size = (size_t)entries * STATES;
  double *out = aligned_alloc(sizeof(vector), size * sizeof *out), best = INFINITY;
  if (!out) abort();
  for (int round = 0; round < 200; round++) {
    double start = now();
    store_zeros(size, out);
    best = fmin(best, (now() - start) / STATES);
  }
  free(out);
  return best;
}

static void print_function(const ap_model *m, ap_function function, const char *name, double ns) {
  floor_of best = {.ports = INFINITY}, chain = {.chain = INFINITY};
  ap_error error;
  int entries = 0;
  for (int way = 0; way < 2 * AP_INERTIA_WAYS; way++) {
    const ap_recording how = {
        .function = (int)function, .inertia = way / 2, .second = way % 2 == 1};
    ap_program p;
    if (ap__record(m, &how, &p, &error) != AP_OK) continue;
    entries = p.values;
    if (ap__simplify(&p) && ap__fuse(&p)) {
      floor_of f = floor_of_program(&p);
      if (f.ports < best.ports) best = f;
      if (f.chain < chain.chain) chain = f;
    }
    ap__program_free(&p);
  }
  printf("| %s | %d | %d | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f |\n", name, best.operations,
         best.angles, best.ports, best.ports * ns, best.ports * ns / 4, chain.chain,
         chain.chain * ns, time_of_stores(entries));
}

static ap_model *model_of(const char *name) {
  const ap_read_options options = {.floating = *name == '+'};
  int joints;
  if (sscanf(name, "chain%d", &joints) == 1) return ap_bench_chain(joints);
  if (*name == '+') name++;
  ap_robot *r;
  ap_model *m = NULL;
  ap_error error;
  ap_status status = ap_builtin(name) ? ap_robot_builtin(name, &options, &r, &error)
                                      : ap_robot_read(name, &options, &r, &error);
  if (status == AP_OK) status = ap_robot_model(r, &m, &error);
  if (status != AP_OK) fprintf(stderr, "%s: %s\n", name, error.text);
  ap_robot_free(r);
  return m;
}

// ---- functions for any robot -------------------------------------------------------------------

typedef struct sample {
  const ap_model *m;
  ap_work *w;
  int nq, nv;
  double *in, *out; // q, v, and a or tau; the results
} sample;

static void *memory(size_t size) {
  void *p = calloc(1, size);
  if (!p) abort();
  return p;
}

static void compute(const sample *s, ap_quantity what) {
  const double *q = s->in, *v = q + s->nq, *x = v + s->nv;
  double *o = s->out;
  const size_t n = (size_t)s->nv * (size_t)s->nv;
  switch (what) {
    case AP_INVERSE: ap_inverse_dynamics(s->m, s->w, q, v, x, o); break;
    case AP_INERTIA: ap_inertia_matrix(s->m, s->w, q, o); break;
    case AP_FORWARD: ap_forward_dynamics(s->m, s->w, q, v, x, o); break;
    case AP_INVERSE_DERIVATIVES:
      ap_inverse_dynamics_derivatives(s->m, s->w, q, v, x, o, o + n, o + 2 * n);
      break;
    default: ap_forward_dynamics_derivatives(s->m, s->w, q, v, x, o, o + n, o + 2 * n);
  }
}

static double time_of(const sample *s, ap_quantity what) {
  enum { SAMPLES = 1001, CALLS = 16 };
  static double ns[SAMPLES];
  for (int k = 0; k < SAMPLES; k++) {
    const double start = now();
    for (int i = 0; i < CALLS; i++) compute(s, what);
    ns[k] = (now() - start) / CALLS;
  }
  qsort(ns, SAMPLES, sizeof *ns, by_size);
  return ns[SAMPLES / 10];
}

static void print_general(const sample *s, ap_quantity what, double peak) {
  const size_t size = ap_study_size(s->m, AP_COUNT);
  void *mem = memory(size);
  ap_study *counting = ap_study_init(s->m, AP_COUNT, mem, size);
  ap_count c = {0};
  if (ap_study_eval(counting, ap_find_method(what, NULL), s->in, s->out, &c) == AP_OK) {
    const double operations = (double)(c.mul + c.add), ns = time_of(s, what);
    printf("| %s | %.0f | %.0f | %.0f | %.1f | %.1f | %.0f %% |\n", ap_quantity_name(what),
           (double)c.mul, (double)c.add, ns, operations / ns, operations / peak,
           100 * operations / (ns * peak));
  }
  free(mem);
}

// Between -1 and 1, the same every time.
static double number(void) {
  static uint64_t seed = 1;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static bool print_any_robot(const char *name) {
  ap_model *m = model_of(name);
  if (!m) return false;
  const size_t size = ap_work_size(m), nv = (size_t)ap_nv(m), nq = (size_t)ap_nq(m);
  void *mem = memory(size);
  sample s = {.m = m, .w = ap_work_init(m, mem, size), .nq = (int)nq, .nv = (int)nv};
  s.in = memory((nq + 2 * nv) * sizeof *s.in), s.out = memory(3 * nv * nv * sizeof *s.out);
  for (size_t k = 0; k < 2 * nv; k++) s.in[nq + k] = number();
  ap_neutral(m, s.in);
  ap_integrate(m, s.in, s.in + nq, s.in);
  const double peak = ap_bench_peak();
  printf("\n%s, %d degrees of freedom, peak %.1f operations a ns, %.2f GHz\n\n", name, s.nv, peak,
         3 / multiplication());
  puts(
      "| function | products | sums | ns | operations a ns | ns at the peak | of the peak |\n"
      "|---|---|---|---|---|---|---|");
  static const ap_quantity all[] = {AP_INVERSE, AP_INERTIA, AP_FORWARD, AP_INVERSE_DERIVATIVES,
                                    AP_FORWARD_DERIVATIVES};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) print_general(&s, all[k], peak);
  free(mem), free(s.in), free(s.out);
  ap_model_free(m);
  return true;
}

// ---- generated code ----------------------------------------------------------------------------

static bool print_robot(const char *name) {
  ap_model *m = model_of(name);
  if (!m) return false;
  const double ns = multiplication() / 3;
  printf("\n%s, %d degrees of freedom, %.2f GHz\n\n", name, ap_nv(m), 1 / ns);
  puts(
      "| function | operations | angles | by ports, cycles | ns | ns in vectors | by the chain, "
      "cycles | ns | results of a batch |\n|---|---|---|---|---|---|---|---|---|");
  print_function(m, AP_GEN_INVERSE, "inverse", ns);
  print_function(m, AP_GEN_INERTIA, "inertia", ns);
  print_function(m, AP_GEN_FORWARD, "forward", ns);
  print_function(m, AP_GEN_INVERSE_DERIVATIVES, "d inverse", ns);
  print_function(m, AP_GEN_FORWARD_DERIVATIVES, "d forward", ns);
  ap_model_free(m);
  return true;
}

int main(int count, char **name) {
  const bool any = count > 1 && strcmp(name[1], "-g") == 0;
  bool (*print)(const char *) = any ? print_any_robot : print_robot;
  bool good = true;
  if (count < 2 + any) good = print("puma600") && print("chain6");
  for (int k = 1 + any; k < count; k++) good = print(name[k]) && good;
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
