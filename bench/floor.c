// SPDX-License-Identifier: Apache-2.0
// The least that a function can take on this core, beside the time that it takes.
//
//   floor [MODEL...]          a built-in name or a robot file, '+' before it for a free base, or
//                             chain6: a chain of so many joints without zeros in its geometry
//   floor -r MODEL            lines 'WHAT PATH floor NS' for bench/goals/table
//
// Two bounds, the larger of which is the floor:
//
// - by operations. A core does so many products in a ns, each with a sum or without, in vectors
//   filled to the last. The functions for any robot are counted by the counting arithmetic
//   (structural zeros are free, every sum that can be is fused with a product), generated code on
//   the tape that it is written from, in the way that has the fewest. Functions of generated code
//   for one state have vectors of 16 bytes, all others the widest of the core.
// - by the chain: the longest path of operations from an input to an output, each waiting for the
//   one before, as if everything beside it took no time. It is that of the tape: the one text in
//   its order for any robot, the shortest of all recorded ways for generated code.
//
// What a batch takes at least is the first bound, or the time to store its results. Rates and
// latencies are measured here (core_rates.h). Not counted: loads, moves between lanes, integers.
// Beside the floor stands what the operations would take in vectors of 16 bytes and one by one. Of
// generated code, `without pairs` has sines and cosines in vectors of 16 bytes and all else one by
// one: the floor of functions in which no pairs were found.

#include <appell/bench.h>
#include <appell/codegen.h>
#include <appell/dyn.h>
#include <appell/file.h>
#include <appell/kin.h>
#include <appell/research.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/program.h"
#include "core_rates.h"
#include "ends.h"

// The sine and cosine of an angle together, as num/sincos_core.inc writes them: products, those of
// which a sum follows being one, and sums; and the longest chain, towards the sine.
enum { ANGLE_PRODUCTS = 20, ANGLE_SUMS = 3, ANGLE_FMA = 6, ANGLE_MUL = 2, ANGLE_ADD = 1 };

// What a function does. Sums are those that no product is fused with.
typedef struct work_of {
  double products, sums, angles;
  double chain; // ns
} work_of;

typedef struct function {
  ap_function generated;
  ap_quantity quantity;
  const char *name, *brief;
} function;
static const function functions[] = {
    {AP_GEN_INVERSE, AP_INVERSE, "inverse", "ID"},
    {AP_GEN_INERTIA, AP_INERTIA, "inertia", "M"},
    {AP_GEN_FORWARD, AP_FORWARD, "forward", "FD"},
    {AP_GEN_INVERSE_DERIVATIVES, AP_INVERSE_DERIVATIVES, "d inverse", "dID"},
    {AP_GEN_FORWARD_DERIVATIVES, AP_FORWARD_DERIVATIVES, "d forward", "dFD"}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
// Poses and Jacobians of the end effectors; those of generated code are functions of their own.
static const function kinematics = {AP_GEN_KINEMATICS, AP_INVERSE, "kinematics", "FK+J"};

// ---- chains and operations of a tape ------------------------------------------------------------

static double latency(const latencies *l, ap_op op) {
  switch (op) {
    case AP_OP_INPUT:
    case AP_OP_NUMBER: return 0;
    case AP_OP_SIN:
    case AP_OP_COS: return ANGLE_FMA * l->fma + ANGLE_MUL * l->mul + ANGLE_ADD * l->add;
    case AP_OP_DIV:
    case AP_OP_DIV_CONST: return l->div;
    case AP_OP_SQRT: return l->sqrt;
    case AP_OP_MUL:
    case AP_OP_MUL_CONST: return l->mul;
    case AP_OP_FMA: return l->fma;
    case AP_OP_ADD:
    case AP_OP_ADD_CONST:
    case AP_OP_SIGN:
    case AP_OP_MAX:
    case AP_OP_ANGLE:
    case AP_OP_PICK: break;
  }
  return l->add;
}

static bool is_product(ap_op op) { return op == AP_OP_MUL || op == AP_OP_MUL_CONST; }

// Whether this node is the first to take the sine or cosine of its angle.
static bool takes_angle(const ap_program *p, int k) {
  const ap_node *node = p->tape.node;
  for (int i = k - 1; i > 0; i--)
    if ((node[i].op == AP_OP_SIN || node[i].op == AP_OP_COS) && node[i].a == node[k].a)
      return false;
  return true;
}

// When the operands of every node are there, and its result. A sum of a product is one operation,
// if that is sooner: where the tape leaves open what is fused, the kernels may have chosen either.
static void times_of_nodes(const ap_program *p, const latencies *l, double *ready, double *at) {
  for (int k = 1; k < p->tape.count; k++) {
    const ap_node *node = &p->tape.node[k];
    double fused = 0;
    ready[k] = 0;
    for (int i = 0; i < ap__operands(node); i++) {
      const int from = abs(ap__operand(node, i));
      const bool product = is_product(p->tape.node[from].op);
      ready[k] = fmax(ready[k], at[from]);
      fused = fmax(fused, product ? ready[from] : at[from]);
    }
    at[k] = ready[k] + latency(l, node->op);
    if (node->op == AP_OP_ADD || node->op == AP_OP_ADD_CONST) at[k] = fmin(at[k], fused + l->fma);
  }
}

// Of what the first `values` outputs need.
static work_of work_of_program(const ap_program *p, const latencies *l) {
  work_of w = {0};
  const int n = p->tape.count;
  double *ready = calloc((size_t)n, sizeof *ready), *at = calloc((size_t)n, sizeof *at);
  if (!ready || !at) abort();
  times_of_nodes(p, l, ready, at);
  for (int k = 0; k < p->values; k++) w.chain = fmax(w.chain, at[abs(p->value[k].node)]);
  for (int k = 1; k < ap__program_nodes(p); k++) {
    const ap_op op = p->tape.node[k].op;
    if (op == AP_OP_SIN || op == AP_OP_COS)
      w.angles += takes_angle(p, k);
    else if (op == AP_OP_ADD || op == AP_OP_ADD_CONST || op == AP_OP_MAX)
      w.sums++;
    else if (op != AP_OP_INPUT && op != AP_OP_NUMBER)
      w.products++;
  }
  free(ready), free(at);
  return w;
}

// ns by operations.
static double time_of_operations(const work_of *w, rates r) {
  const double products = w->products + ANGLE_PRODUCTS * w->angles;
  const double all = products + w->sums + ANGLE_SUMS * w->angles;
  return fmax(products / r.products, all / r.mixed);
}

// ---- batches -----------------------------------------------------------------------------------

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

// ---- generated code ----------------------------------------------------------------------------

// The least of all ways, operations and chain each, simplified as it is written; or the text as it
// stands for any robot, in the ways that it goes. Derivatives are those of the library's recursion
// there, forward dynamics either.
static work_of least_work(const ap_model *m, const core *c, ap_function what, bool any_robot) {
  work_of best = {.products = INFINITY, .chain = INFINITY};
  const bool derivatives = what == AP_GEN_INVERSE_DERIVATIVES || what == AP_GEN_FORWARD_DERIVATIVES;
  double least = INFINITY, chain = INFINITY;
  int end[MAX_ENDS], ends = ends_of(m, end);
  for (int way = 0; way < 2 * AP_INERTIA_WAYS; way++) {
    const ap_recording how = {.function = (int)what,
                              .frames = end,
                              .nframes = ends,
                              .inertia = way / 2,
                              .second = way % 2 == 1,
                              .regroup = !any_robot};
    ap_program p;
    ap_error error;
    if (any_robot && derivatives && !how.second) continue;
    if (ap__record(m, &how, &p, &error) != AP_OK) continue;
    if (any_robot || (ap__simplify(&p) && ap__fuse(&p))) {
      const work_of w = work_of_program(&p, &c->after);
      const double time = time_of_operations(&w, c->short_vectors);
      chain = fmin(chain, w.chain);
      if (time < least) best = w, least = time;
    }
    ap__program_free(&p);
  }
  best.chain = chain;
  return best;
}

static ap_model *model_of(const char *name) {
  const ap_read_options options = {.floating = *name == '+'};
  char *end = NULL;
  const long joints = strncmp(name, "chain", 5) == 0 ? strtol(name + 5, &end, 10) : 0;
  if (joints > 0 && joints < 1000 && *end == '\0') return ap_bench_chain((int)joints);
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
  void *memory; // of w
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
  enum { TIMES = 1001, CALLS = 16 };
  static double ns[TIMES];
  for (int k = 0; k < TIMES; k++) {
    const double start = now();
    for (int i = 0; i < CALLS; i++) compute(s, what);
    ns[k] = (now() - start) / CALLS;
  }
  qsort(ns, TIMES, sizeof *ns, by_size);
  return ns[TIMES / 10];
}

// What a function for any robot does, by the counting arithmetic: a fused product is a product and
// a sum there, and at best every sum is part of one. The chain is that of the text on a tape, which
// long derivatives are too long for: they cannot be sooner than the accelerations they are of.
enum { MOST_TAPED = 24 };
static work_of work_for_any(const sample *s, const core *c, const function *f) {
  if (f == &kinematics) { // which the counting arithmetic has no method for
    work_of w = least_work(s->m, c, f->generated, true);
    w.sums = fmax(0, w.sums - w.products);
    return w;
  }
  const size_t size = ap_study_size(s->m, AP_COUNT);
  void *mem = memory(size);
  ap_study *counting = ap_study_init(s->m, AP_COUNT, mem, size);
  ap_count n = {0};
  if (ap_study_eval(counting, ap_find_method(f->quantity, NULL), s->in, s->out, &n) != AP_OK)
    abort();
  const ap_function taped =
      s->nv > MOST_TAPED && f->quantity == AP_FORWARD_DERIVATIVES   ? AP_GEN_FORWARD
      : s->nv > MOST_TAPED && f->quantity == AP_INVERSE_DERIVATIVES ? AP_GEN_INVERSE
                                                                    : f->generated;
  const work_of on_tape = least_work(s->m, c, taped, true);
  free(mem);
  return (work_of){.products = (double)n.mul,
                   .sums = fmax(0, (double)n.add - (double)n.mul),
                   .angles = on_tape.angles,
                   .chain = on_tape.chain};
}

// Between -1 and 1, the same every time.
static double number(void) {
  static uint64_t seed = 1;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) * 0x1p-52 - 1;
}

static sample open_sample(const ap_model *m) {
  const size_t size = ap_work_size(m), nv = (size_t)ap_nv(m), nq = (size_t)ap_nq(m);
  sample s = {.m = m, .memory = memory(size), .nq = (int)nq, .nv = (int)nv};
  s.w = ap_work_init(m, s.memory, size);
  s.in = memory((nq + 2 * nv) * sizeof *s.in), s.out = memory(3 * nv * nv * sizeof *s.out);
  for (size_t k = 0; k < 2 * nv; k++) s.in[nq + k] = number();
  ap_neutral(m, s.in);
  ap_integrate(m, s.in, s.in + nq, s.in);
  return s;
}

static int results_of(const sample *s, const function *f) {
  const int n = s->nv;
  return f->quantity == AP_INVERSE || f->quantity == AP_FORWARD ? n
         : f->quantity == AP_INERTIA                            ? n * n
                                                                : 3 * n * n;
}

// ---- tables ------------------------------------------------------------------------------------

// Of the functions for any robot, with the time that they take.
static void print_any_robot(const sample *s, const core *c, const function *f) {
  const work_of w = work_for_any(s, c, f);
  const double operations = time_of_operations(&w, c->widest), ns = time_of(s, f->quantity);
  const double least = fmax(operations, w.chain);
  const double by_two = time_of_operations(&w, c->short_vectors);
  printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f %% |\n", f->name, w.products,
         w.angles, operations, by_two, 2 * by_two, w.chain, ns, 100 * least / ns);
}

// Of generated code.
static void print_generated(const sample *s, const core *c, const function *f) {
  const work_of w = least_work(s->m, c, f->generated, false);
  const work_of apart = {.products = 2 * w.products, .sums = 2 * w.sums, .angles = w.angles};
  printf("| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f | %.1f |\n", f->name, w.products,
         w.sums, w.angles, time_of_operations(&w, c->short_vectors),
         time_of_operations(&apart, c->short_vectors), w.chain, time_of_operations(&w, c->widest),
         time_of_stores(results_of(s, f)));
}

enum { MOST_GENERATED = 40 };

static void print_tables(const sample *s, const core *c, const char *name) {
  const double cycle = multiplication() / 3;
  printf("\n%s, %d degrees of freedom, %.2f GHz\n\n", name, s->nv, 1 / cycle);
  puts(
      "| for any robot | products | angles | by operations, ns | in 16 bytes | one by one | by the "
      "chain | takes | floor of that |\n|---|---|---|---|---|---|---|---|---|");
  for (int k = 0; k < FUNCTIONS; k++) print_any_robot(s, c, &functions[k]);
  if (s->nv > MOST_GENERATED) return;
  puts(
      "\n| generated | products | sums | angles | by operations, ns | without pairs | by the chain "
      "| "
      "a batch by operations | by its results |\n|---|---|---|---|---|---|---|---|---|");
  for (int k = 0; k < FUNCTIONS; k++) print_generated(s, c, &functions[k]);
}

// As bench/goals/table takes them.
static void print_rows(const sample *s, const core *c) {
  for (int k = 0; k < FUNCTIONS; k++) {
    const function *f = &functions[k];
    const double stores = time_of_stores(results_of(s, f));
    const work_of any = work_for_any(s, c, f);
    const double in_lanes = time_of_operations(&any, c->widest);
    printf("%s general floor %.2f\n", f->brief, fmax(in_lanes, any.chain));
    printf("%s lanes floor %.2f\n", f->brief, fmax(in_lanes, stores));
    if (s->nv > MOST_GENERATED) continue;
    const work_of own = least_work(s->m, c, f->generated, false);
    printf("%s generated floor %.2f\n", f->brief,
           fmax(time_of_operations(&own, c->short_vectors), own.chain));
    printf("%s batch floor %.2f\n", f->brief, fmax(time_of_operations(&own, c->widest), stores));
  }
  const work_of poses = work_for_any(s, c, &kinematics);
  printf("%s general floor %.2f\n", kinematics.brief,
         fmax(time_of_operations(&poses, c->widest), poses.chain));
}

static bool print_robot(const char *name, const core *c, bool rows) {
  ap_model *m = model_of(name);
  if (!m) return false;
  sample s = open_sample(m);
  if (rows)
    print_rows(&s, c);
  else
    print_tables(&s, c, name);
  free(s.memory), free(s.in), free(s.out);
  ap_model_free(m);
  return true;
}

int main(int count, char **name) {
  const bool rows = count > 1 && strcmp(name[1], "-r") == 0;
  const core c = core_here();
  const double cycle = multiplication() / 3;
  bool good = true;
  if (!rows)
    printf(
        "A sum takes %.1f cycles, a product %.1f, a fused one %.1f, a division %.1f; products a "
        "cycle: %.1f in 16 bytes, %.1f in the widest vectors, and beside sums %.1f and %.1f\n",
        c.after.add / cycle, c.after.mul / cycle, c.after.fma / cycle, c.after.div / cycle,
        c.short_vectors.products * cycle, c.widest.products * cycle, c.short_vectors.mixed * cycle,
        c.widest.mixed * cycle);
  if (count < 2 + rows) good = print_robot("puma600", &c, rows) && print_robot("chain6", &c, rows);
  for (int k = 1 + rows; k < count; k++) good = print_robot(name[k], &c, rows) && good;
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
