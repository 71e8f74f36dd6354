// SPDX-License-Identifier: Apache-2.0
// External functions as C: the programs, and around each what CasADi's loader asks for. Arguments
// and their order are those of CasADi 3.6 (casadi/core/external.cpp, function_internal.cpp).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/casadi.h"

// ---- arguments and results ---------------------------------------------------------------------

enum { MOST_SLOTS = 2 * AP_MOST_ARRAYS, WORD = 64 };

// One argument or result.
typedef struct slot {
  char name[WORD];
  int rows, columns;
  int place; // among the program's arrays; -1: not read, or nothing but zeros
  int block; // of a result: that of the program; -1: only zeros
} slot;

typedef struct slots {
  slot of[MOST_SLOTS];
  int count, places;
} slots;

static void add_slot(slots *s, const char *before, const char *name, int rows, int columns,
                     bool read) {
  slot *x = &s->of[s->count++];
  *x = (slot){.rows = rows, .columns = columns, .place = read ? s->places++ : -1, .block = -1};
  snprintf(x->name, sizeof x->name, "%.10s%.53s", before, name);
}

static void add_inputs(slots *s, const ap_ext_function *f, const char *before, bool read) {
  for (int k = 0; k < f->inputs; k++)
    add_slot(s, before, f->input[k].name, f->input[k].size, 1, read);
}
static void add_outputs(slots *s, const ap_ext_function *f, const char *before, bool read) {
  for (int k = 0; k < f->outputs; k++)
    add_slot(s, before, f->output[k].name, f->output[k].size / f->columns[k], f->columns[k], read);
}

// CasADi hands the results of a function on to its derivatives ("out_..."); ours don't read them.
static void list_arguments(const ap_ext_function *f, ap_external kind, slots *s) {
  *s = (slots){0};
  add_inputs(s, f, "", true);
  if (kind == AP_EXT_VALUE) return;
  add_outputs(s, f, "out_", false);
  if (kind == AP_EXT_FORWARD) add_inputs(s, f, "fwd_", true);
  if (kind < AP_EXT_ADJOINT) return;
  add_outputs(s, f, "adj_", true);
  if (kind == AP_EXT_ADJOINT) return;
  add_inputs(s, f, "out_adj_", false);
  if (kind == AP_EXT_ADJ_JACOBIAN) return;
  add_inputs(s, f, "fwd_", true);
  add_outputs(s, f, "fwd_out_", false);
  add_outputs(s, f, "fwd_adj_", true);
}

// Matrices of derivatives, for each row array one by each argument that a derivative is taken by.
static void list_matrices(const slots *row, const slots *by, slots *s) {
  int blocks = 0;
  for (int k = 0; k < row->count; k++)
    for (int i = 0; i < by->count; i++) {
      char name[WORD]; // arrays have names of a few letters
      const slot *x = &by->of[i];
      snprintf(name, sizeof name, "%.25s_%.25s", row->of[k].name, x->name);
      add_slot(s, "jac_", name, row->of[k].rows * row->of[k].columns, x->rows * x->columns, false);
      if (x->place >= 0) s->of[s->count - 1].block = blocks++;
    }
}

static void list_results(const ap_ext_function *f, const ap_ext_program *e, slots *s) {
  slots row = {0}, by;
  *s = (slots){0};
  const bool gradient = e->kind >= AP_EXT_ADJOINT;
  const char *before = e->kind == AP_EXT_FORWARD       ? "fwd_"
                       : e->kind == AP_EXT_ADJ_FORWARD ? "fwd_adj_"
                       : gradient                      ? "adj_"
                                                       : "";
  (gradient ? add_inputs : add_outputs)(&row, f, before, true);
  if (e->kind == AP_EXT_JACOBIAN || e->kind == AP_EXT_ADJ_JACOBIAN) {
    list_arguments(f, gradient ? AP_EXT_ADJOINT : AP_EXT_VALUE, &by);
    list_matrices(&row, &by, s);
  } else {
    *s = row;
    for (int k = 0; k < s->count; k++) s->of[k].block = k;
  }
  for (int k = 0; k < s->count; k++)
    s->of[k].place = s->of[k].block < 0 ? -1 : e->place[s->of[k].block];
}

// ---- sparsity ----------------------------------------------------------------------------------

// Patterns that were written before, one list behind the other: length, then numbers.
typedef struct patterns {
  int *number;
  size_t count, room;
  int lists;
  bool failed;
} patterns;

static void add_number(patterns *p, int x) {
  if (p->count == p->room) {
    size_t room = p->room ? 2 * p->room : 1024;
    int *number = realloc(p->number, room * sizeof *number);
    p->failed = p->failed || !number;
    if (!number) return;
    p->number = number, p->room = room;
  }
  p->number[p->count++] = x;
}

// Rows, columns, where each column begins, the rows of its entries. kept NULL: none is, or all.
static void add_pattern(patterns *p, int rows, int columns, const bool *kept, bool all) {
  const size_t length = p->count;
  int nonzero = 0;
  add_number(p, 0);
  add_number(p, rows), add_number(p, columns), add_number(p, 0);
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows; i++) nonzero += kept ? kept[j * rows + i] : all;
    add_number(p, nonzero);
  }
  for (int k = 0; k < rows * columns; k++)
    if (kept ? kept[k] : all) add_number(p, k % rows);
  if (!p->failed) p->number[length] = (int)(p->count - length - 1);
}

// The number of the list that begins at `from`, the earliest that is equal.
static int find_list(const patterns *p, size_t from) {
  int list = 0;
  const size_t size = (size_t)p->number[from] + 1;
  for (size_t at = 0; at < from; at += (size_t)p->number[at] + 1, list++)
    if (memcmp(p->number + at, p->number + from, size * sizeof *p->number) == 0) return list;
  return list;
}

// Its number; where it is new, it is written.
static int put_pattern(ap__text *t, const ap_unit *u, patterns *p, int rows, int columns,
                       const bool *kept, bool all) {
  const size_t from = p->count;
  if (p->failed) return 0;
  add_pattern(p, rows, columns, kept, all);
  if (p->failed) return 0;
  const int list = find_list(p, from);
  if (list < p->lists) {
    p->count = from;
    return list;
  }
  p->lists++;
  ap__text_add(t, "static const casadi_int %s_pattern%d[] = {", u->name, list);
  for (size_t k = from + 1; k < p->count; k++)
    ap__text_add(t, "%s%s%d", k > from + 1 ? "," : "", (k - from) % 24 == 0 ? "\n  " : " ",
                 p->number[k]);
  put(t, "};\n");
  return list;
}

// ---- functions ---------------------------------------------------------------------------------

static const char *const prefix[AP_EXTERNALS] = {[AP_EXT_VALUE] = "",
                                                 [AP_EXT_JACOBIAN] = "jac_",
                                                 [AP_EXT_FORWARD] = "fwd1_",
                                                 [AP_EXT_ADJOINT] = "adj1_",
                                                 [AP_EXT_ADJ_JACOBIAN] = "jac_adj1_",
                                                 [AP_EXT_ADJ_FORWARD] = "fwd1_adj1_"};

// What is seen from outside, of any function f with so many arguments, results and numbers of work.
// There is no memory to manage.
static const char macros[] =
    "\n"
    "/* What CasADi asks of a function besides its value. */\n"
    "#if defined _WIN32 || defined __CYGWIN__\n"
    "#define $N_EXPORT __declspec(dllexport)\n"
    "#elif defined __GNUC__\n"
    "#define $N_EXPORT __attribute__((visibility(\"default\")))\n"
    "#else\n"
    "#define $N_EXPORT\n"
    "#endif\n"
    "#define $N_EXTERNAL(f, inputs, outputs, numbers)                                        \\\n"
    "  $N_EXPORT casadi_int f##_n_in(void) { return inputs; }                                \\\n"
    "  $N_EXPORT casadi_int f##_n_out(void) { return outputs; }                              \\\n"
    "  $N_EXPORT casadi_real f##_default_in(casadi_int i) { return (void)i, 0; }             \\\n"
    "  $N_EXPORT const char *f##_name_in(casadi_int i) {                                     \\\n"
    "    return i >= 0 && i < inputs ? f##_word_in[i] : 0;                                   \\\n"
    "  }                                                                                     \\\n"
    "  $N_EXPORT const char *f##_name_out(casadi_int i) {                                    \\\n"
    "    return i >= 0 && i < outputs ? f##_word_out[i] : 0;                                 \\\n"
    "  }                                                                                     \\\n"
    "  $N_EXPORT const casadi_int *f##_sparsity_in(casadi_int i) {                           \\\n"
    "    return i >= 0 && i < inputs ? f##_pattern_in[i] : 0;                                \\\n"
    "  }                                                                                     \\\n"
    "  $N_EXPORT const casadi_int *f##_sparsity_out(casadi_int i) {                          \\\n"
    "    return i >= 0 && i < outputs ? f##_pattern_out[i] : 0;                              \\\n"
    "  }                                                                                     \\\n"
    "  $N_EXPORT int f##_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw,     \\\n"
    "                         casadi_int *sz_w) {                                            \\\n"
    "    if (sz_arg) *sz_arg = inputs;                                                       \\\n"
    "    if (sz_res) *sz_res = outputs;                                                      \\\n"
    "    if (sz_iw) *sz_iw = 0;                                                              \\\n"
    "    if (sz_w) *sz_w = numbers;                                                          \\\n"
    "    return 0;                                                                           \\\n"
    "  }                                                                                     \\\n"
    "  $N_EXPORT int f##_alloc_mem(void) { return 0; }                                       \\\n"
    "  $N_EXPORT int f##_init_mem(int mem) { return (void)mem, 0; }                          \\\n"
    "  $N_EXPORT void f##_free_mem(int mem) { (void)mem; }                                   \\\n"
    "  $N_EXPORT int f##_checkout(void) { return 0; }                                        \\\n"
    "  $N_EXPORT void f##_release(int mem) { (void)mem; }                                    \\\n"
    "  $N_EXPORT void f##_incref(void) {}                                                    \\\n"
    "  $N_EXPORT void f##_decref(void) {}\n"
    "\n";

static const char declaration[] =
    "#ifndef casadi_real\n"
    "#define casadi_real double\n"
    "#endif\n"
    "#ifndef casadi_int /* acados compiles with -Dcasadi_int=int */\n"
    "#define casadi_int long long int\n"
    "#endif\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n"
    "/* f itself, which returns 0, or not 0 where the inertia matrix is singular, and leaves its\n"
    "   results then; arguments that are NULL are zero, results that are NULL are not wanted. */\n"
    "#define $N_DECLARE(f)                                                                      "
    "\\\n"
    "  int f(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem); "
    "\\\n"
    "  casadi_int f##_n_in(void);                                                               "
    "\\\n"
    "  casadi_int f##_n_out(void);                                                              "
    "\\\n"
    "  casadi_real f##_default_in(casadi_int i);                                                "
    "\\\n"
    "  const char *f##_name_in(casadi_int i);                                                   "
    "\\\n"
    "  const char *f##_name_out(casadi_int i);                                                  "
    "\\\n"
    "  const casadi_int *f##_sparsity_in(casadi_int i);                                         "
    "\\\n"
    "  const casadi_int *f##_sparsity_out(casadi_int i);                                        "
    "\\\n"
    "  int f##_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w); "
    "\\\n"
    "  int f##_alloc_mem(void);                                                                 "
    "\\\n"
    "  int f##_init_mem(int mem);                                                               "
    "\\\n"
    "  void f##_free_mem(int mem);                                                              "
    "\\\n"
    "  int f##_checkout(void);                                                                  "
    "\\\n"
    "  void f##_release(int mem);                                                               "
    "\\\n"
    "  void f##_incref(void);                                                                   "
    "\\\n"
    "  void f##_decref(void)\n"
    "\n";

static void put_symbol(ap__text *t, const ap_unit *u, const ap_ext_function *f, ap_external kind) {
  ap__text_add(t, "%s%s_%s", prefix[kind], u->name, f->name);
}

// "static const TYPE f_WORD[] = {...": what follows are the entries.
static void put_table(ap__text *t, const ap_unit *u, const ap_ext_function *f, ap_external kind,
                      const char *type, const char *word) {
  ap__text_add(t, "static const %s *const ", type);
  put_symbol(t, u, f, kind);
  ap__text_add(t, "_%s[] = {", word);
}

static void put_words(ap__text *t, const slots *s) {
  for (int k = 0; k < s->count; k++) ap__text_add(t, "%s\"%s\"", k ? ", " : "", s->of[k].name);
  put(t, "};\n");
}

static void put_lists(ap__text *t, const ap_unit *u, const int *list, int count) {
  for (int k = 0; k < count; k++)
    ap__text_add(t, "%s%s_pattern%d", k ? ", " : "", u->name, list[k]);
  put(t, "};\n");
}

static void put_tables(ap__text *t, const ap_unit *u, const ap_ext_function *f,
                       const ap_ext_program *e, const slots *in, const slots *out, patterns *p) {
  int list_in[MOST_SLOTS] = {0}, list_out[MOST_SLOTS] = {0};
  const bool *kept = e->kept;
  for (int k = 0; k < in->count; k++)
    list_in[k] = put_pattern(t, u, p, in->of[k].rows, in->of[k].columns, NULL, true);
  for (int k = 0; k < out->count; k++) {
    const slot *s = &out->of[k];
    list_out[k] = put_pattern(t, u, p, s->rows, s->columns, s->block < 0 ? NULL : kept, false);
    if (s->block >= 0) kept += s->rows * s->columns;
  }
  put_table(t, u, f, e->kind, "char", "word_in"), put_words(t, in);
  put_table(t, u, f, e->kind, "char", "word_out"), put_words(t, out);
  put_table(t, u, f, e->kind, "casadi_int", "pattern_in"), put_lists(t, u, list_in, in->count);
  put_table(t, u, f, e->kind, "casadi_int", "pattern_out"), put_lists(t, u, list_out, out->count);
}

// The call of the program, with zeros for arguments and work for results that are not there.
static void put_call(ap__text *t, const ap_unit *u, const ap_program *p, const char *name,
                     const slots *in, const slots *out) {
  int work = 0;
  put(t, "  (void)arg, (void)res, (void)iw, (void)w, (void)mem;\n");
  ap__text_add(t, "  %s%s_%s(", p->pivots > 0 ? "return " : "", u->name, name);
  const char *comma = "";
  for (int k = 0; k < in->count; k++, comma = ", ")
    if (in->of[k].place >= 0)
      ap__text_add(t, "%sarg[%d] ? arg[%d] : %s_zeros", comma, k, k, u->name);
  for (int k = 0; k < out->count; k++) {
    if (out->of[k].place < 0) continue;
    ap__text_add(t, ", res[%d] ? res[%d] : w + %d", k, k, work);
    work += p->output[out->of[k].place].size;
  }
  put(t, p->pivots > 0 ? ");\n}\n" : ");\n  return 0;\n}\n");
}

static void put_external(ap__text *t, const ap_unit *u, const ap_ext_function *f,
                         const ap_ext_program *e, const char *name, patterns *p) {
  slots in, out;
  list_arguments(f, e->kind, &in);
  list_results(f, e, &out);
  put(t, "\n");
  put_tables(t, u, f, e, &in, &out, p);
  ap__text_add(t, "%s_EXTERNAL(", u->name);
  put_symbol(t, u, f, e->kind);
  ap__text_add(t, ", %d, %d, %d)\n%s_EXPORT int ", in.count, out.count, e->p.values, u->name);
  put_symbol(t, u, f, e->kind);
  put(t,
      "(const casadi_real **arg, casadi_real **res, casadi_int *iw, casadi_real *w, int mem) "
      "{\n");
  put_call(t, u, &e->p, name, &in, &out);
}

static int longest_argument(const ap_ext_set *set) {
  int most = 1;
  for (int k = 0; k < set->programs; k++)
    for (int i = 0; i < set->program[k].p.inputs; i++)
      if (set->program[k].p.input[i].size > most) most = set->program[k].p.input[i].size;
  return most;
}

void ap__put_casadi_source(ap__text *t, const ap_unit *u, const ap_ext_set *set) {
  patterns p = {0};
  ap__put_c_source(t, u);
  ap__put_text(t, u, macros, "", "");
  ap__text_add(t, "static const casadi_real %s_zeros[%d] = {0};\n", u->name, longest_argument(set));
  for (int k = 0; k < set->functions; k++)
    for (int kind = 0; kind < set->kinds; kind++) {
      const int part = set->function[k].first + kind;
      put_external(t, u, &set->function[k], &set->program[part], u->part_name[part], &p);
    }
  t->failed = t->failed || p.failed;
  free(p.number);
}

void ap__put_casadi_header(ap__text *t, const ap_unit *u, const ap_ext_set *set) {
  ap__put_banner(t, u, ".h");
  ap__text_add(t, "#ifndef APPELL_GENERATED_%s_H\n#define APPELL_GENERATED_%s_H\n\n", u->name,
               u->name);
  ap__put_text(t, u, declaration, "", "");
  ap__text_add(t, "enum { %s_NQ = %d, %s_NV = %d };\n\n", u->name, u->nq, u->name, u->nv);
  for (int k = 0; k < set->functions; k++)
    for (int kind = 0; kind < set->kinds; kind++) {
      ap__text_add(t, "%s_DECLARE(", u->name);
      put_symbol(t, u, &set->function[k], (ap_external)kind);
      put(t, ");\n");
    }
  ap__text_add(t, "\n#undef %s_DECLARE\n", u->name);
  put(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
