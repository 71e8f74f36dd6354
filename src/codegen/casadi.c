// SPDX-License-Identifier: Apache-2.0
// Which programs a function of a robot gives: itself, its derivatives in one direction and in all,
// backwards, and those of the gradient.

#include "codegen/casadi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "codegen/derive.h"
#include "codegen/symbol.h"
#include "model/frozen.h"

// ---- derived programs --------------------------------------------------------------------------

// Names of what has none of its own: parameters of functions that nothing else sees.
static const char *const in_name[AP_MOST_ARRAYS] = {"in0",  "in1",  "in2",  "in3", "in4",  "in5",
                                                    "in6",  "in7",  "in8",  "in9", "in10", "in11",
                                                    "in12", "in13", "in14", "in15"};
static const char *const out_name[AP_MOST_ARRAYS] = {
    "out0", "out1", "out2",  "out3",  "out4",  "out5",  "out6",  "out7",
    "out8", "out9", "out10", "out11", "out12", "out13", "out14", "out15"};

static int entries(const ap_array *array, int arrays) {
  int sum = 0;
  for (int k = 0; k < arrays; k++) sum += array[k].size;
  return sum;
}

// All entries of the inputs from `first` on.
static void list_inputs(ap_program *p, int first, real *in) {
  for (int k = first; k < p->inputs; k++)
    for (int i = 0; i < p->input[k].size; i++) *in++ = ap__tape_input(&p->tape, k, i);
}

// Further inputs of the sizes of these arrays.
static void add_inputs(ap_program *p, const ap_array *like, int arrays) {
  for (int k = 0; k < arrays; k++, p->inputs++)
    p->input[p->inputs] = (ap_array){in_name[p->inputs], like[k].size};
}

// Other values, of which the program has `values`, in arrays of the sizes of these.
static void set_values(ap_program *p, real *value, const ap_array *like, int arrays) {
  free(p->value);
  p->value = value, p->values = entries(like, arrays), p->outputs = arrays;
  for (int k = 0; k < arrays; k++) p->output[k] = (ap_array){out_name[k], like[k].size};
  p->in_place = false;
}

// The derivative in a direction, which becomes further inputs.
static bool derive_along(ap_program *p) {
  const int n = entries(p->input, p->inputs), first = p->inputs;
  ap_array like[AP_MOST_ARRAYS];
  memcpy(like, p->output, sizeof like);
  real *x = calloc(2 * (size_t)n + 1, sizeof *x);
  real *out = calloc((size_t)p->values + 1, sizeof *out);
  ap_seed *seed = calloc((size_t)n + 1, sizeof *seed);
  bool fits = x && out && seed;
  if (fits) {
    list_inputs(p, 0, x);
    add_inputs(p, p->input, first);
    list_inputs(p, first, x + n);
    for (int k = 0; k < n; k++) seed[k] = (ap_seed){x[k], x[n + k]};
    fits = ap__derive(&p->tape, p->values, p->value, n, seed, out);
  }
  if (fits)
    set_values(p, out, like, p->outputs);
  else
    free(out);
  free(x);
  free(seed);
  return fits;
}

// The gradient of its outputs, weighed with further inputs.
static bool derive_back(ap_program *p) {
  const int n = entries(p->input, p->inputs), first = p->inputs;
  real *x = calloc((size_t)n + (size_t)p->values + 1, sizeof *x);
  real *out = calloc((size_t)n + 1, sizeof *out);
  bool fits = x && out;
  if (fits) {
    list_inputs(p, 0, x);
    add_inputs(p, p->output, p->outputs);
    list_inputs(p, first, x + n);
    fits = ap__adjoin(&p->tape, p->values, p->value, x + n, n, x, out);
  }
  if (fits)
    set_values(p, out, p->input, first);
  else
    free(out);
  free(x);
  return fits;
}

// Column `j` of `columns`, `value` being the derivatives of all outputs, to where it belongs: a
// block for each output and each input, column-major.
static void put_column(const ap_program *p, int j, const real *value, real *out) {
  int input = 0;
  const int n = entries(p->input, p->inputs);
  while (j >= p->input[input].size) j -= p->input[input++].size;
  const int before = entries(p->input, input);
  for (int k = 0; k < p->outputs; k++) {
    const int rows = p->output[k].size;
    memcpy(out + rows * (before + j), value, (size_t)rows * sizeof *value);
    value += rows, out += rows * n;
  }
}

// Derivatives by all inputs. Those of a gradient by what it is the gradient by are symmetric: row i
// and column j are taken from column i where that comes first.
static bool derive_all(ap_program *p, bool gradient) {
  const size_t n = (size_t)entries(p->input, p->inputs), rows = (size_t)p->values;
  ap_array like[AP_MOST_ARRAYS];
  int arrays = 0;
  real *x = calloc(n + 1, sizeof *x), *d = calloc(n * rows + 1, sizeof *d);
  real *out = calloc(n * rows + 1, sizeof *out);
  bool fits = x && d && out;
  if (fits) list_inputs(p, 0, x);
  for (size_t j = 0; fits && j < n; j++) {
    ap_seed seed = {x[j], r_const(1)};
    fits = ap__derive(&p->tape, p->values, p->value, 1, &seed, d + j * rows);
    for (size_t i = 0; gradient && i < j && i < rows && j < rows; i++)
      d[j * rows + i] = d[i * rows + j];
    if (fits) put_column(p, (int)j, d + j * rows, out);
  }
  for (int k = 0; k < p->outputs; k++)
    for (int i = 0; i < p->inputs; i++) like[arrays++].size = p->output[k].size * p->input[i].size;
  if (fits)
    set_values(p, out, like, arrays);
  else
    free(out);
  free(x);
  free(d);
  return fits;
}

// ---- zeros -------------------------------------------------------------------------------------

static bool is_zero(real x) { return x.node == 0 && x.v == 0; }

// Matrices of derivatives are written without their zeros; what has none left is no output.
static bool leave_zeros_out(ap_ext_program *e, bool sparse) {
  ap_program *p = &e->p;
  const int probes = ap__program_values(p) - p->values;
  int from = 0, to = 0, outputs = 0;
  e->kept = calloc((size_t)p->values + 1, sizeof *e->kept);
  if (!e->kept) return false;
  for (int k = 0; k < p->outputs; k++) {
    const int begin = to;
    for (int i = 0; i < p->output[k].size; i++, from++) {
      e->kept[from] = !sparse || !is_zero(p->value[from]);
      if (e->kept[from]) p->value[to++] = p->value[from];
    }
    e->place[k] = to > begin ? outputs : -1;
    if (to > begin) p->output[outputs++] = (ap_array){p->output[k].name, to - begin};
  }
  for (int k = 0; k < probes; k++) p->value[to + k] = p->value[p->values + k];
  p->values = to, p->outputs = outputs;
  return true;
}

// ---- functions ---------------------------------------------------------------------------------

unsigned ap__casadi_functions(bool parallel) {
  return parallel ? ap__parallel_functions() : ap__parallel_functions() | 1u << AP_GEN_KINEMATICS;
}

// What all programs of one function are made of.
typedef struct source {
  const ap_model *m;
  const ap_parallel *parallel;
  ap_recording how;
} source;

// R and p of one frame, R column-major as everything here; J is not asked for.
static void keep_pose(ap_program *p) {
  real R[9];
  memcpy(R, p->value, sizeof R);
  for (int k = 0; k < 9; k++) p->value[k] = R[k % 3 * 3 + k / 3];
  p->outputs = 2, p->values = 12;
}

static ap_status record_plain(const source *s, ap_program *p, ap_error *error) {
  ap_status status = s->m ? ap__record(s->m, &s->how, p, error)
                          : ap__record_parallel(s->parallel, s->how.function, p, error);
  if (!status && s->how.function == AP_GEN_KINEMATICS) keep_pose(p);
  return status;
}

// From matrices that lie row by row, each of rows x columns.
static bool turn_columns(ap_program *p, int rows) {
  real *value = malloc(((size_t)p->values + 1) * sizeof *value), *to = value;
  const real *from = p->value;
  if (!value) return false;
  for (int k = 0; k < p->outputs; k++) {
    const int columns = p->output[k].size / rows;
    for (int i = 0; i < p->output[k].size; i++) to[i] = from[i % rows * columns + i / rows];
    from += p->output[k].size, to += p->output[k].size;
  }
  memcpy(p->value, value, (size_t)p->values * sizeof *value);
  free(value);
  return true;
}

// Derivatives for which the library has kernels: along degrees of freedom, which are the numbers
// where there is no quaternion. They come simplified.
static bool has_kernels(const source *s, ap_external kind) {
  return kind == AP_EXT_JACOBIAN && s->m && s->m->nq == s->m->nv &&
         (s->how.function == AP_GEN_INVERSE || s->how.function == AP_GEN_FORWARD);
}

static ap_status record_by_kernels(const source *s, ap_program *p, ap_error *error) {
  ap_recording how = s->how;
  how.function =
      how.function == AP_GEN_INVERSE ? AP_GEN_INVERSE_DERIVATIVES : AP_GEN_FORWARD_DERIVATIVES;
  ap_status status = ap__record_shortest(s->m, NULL, &how, p, error);
  if (status || turn_columns(p, s->m->nv)) return status;
  ap__program_free(p);
  return ap__no_memory(error);
}

static ap_status record_forward(const source *s, ap_external kind, ap_program *p, ap_error *error) {
  static const int function[AP_EXTERNALS] = {[AP_EXT_JACOBIAN] = AP_FORWARD_JACOBIAN,
                                             [AP_EXT_FORWARD] = AP_FORWARD_ALONG,
                                             [AP_EXT_ADJOINT] = AP_FORWARD_ADJOINT,
                                             [AP_EXT_ADJ_JACOBIAN] = AP_FORWARD_HESSIAN,
                                             [AP_EXT_ADJ_FORWARD] = AP_FORWARD_TWICE};
  ap_recording how = s->how;
  how.function = function[kind];
  return ap__record(s->m, &how, p, error);
}

static ap_status record_derived(const source *s, ap_external kind, ap_program *p, ap_error *error) {
  ap_status status = record_plain(s, p, error);
  if (status) return status;
  bool fits = true;
  const bool gradient = kind >= AP_EXT_ADJOINT;
  if (gradient) fits = derive_back(p);
  if (kind == AP_EXT_FORWARD || kind == AP_EXT_ADJ_FORWARD) fits = fits && derive_along(p);
  if (kind == AP_EXT_JACOBIAN || kind == AP_EXT_ADJ_JACOBIAN)
    fits = fits && derive_all(p, gradient);
  if (fits) return AP_OK;
  ap__program_free(p);
  return ap__no_memory(error);
}

static ap_status record_kind(source *s, ap_external kind, ap_program *p, ap_error *error) {
  if (kind == AP_EXT_VALUE && s->how.function != AP_GEN_KINEMATICS)
    return ap__record_shortest(s->m, s->parallel, &s->how, p, error);
  if (has_kernels(s, kind)) return record_by_kernels(s, p, error);
  ap_status status = s->m && s->how.function == AP_GEN_FORWARD && kind != AP_EXT_VALUE
                         ? record_forward(s, kind, p, error)
                         : record_derived(s, kind, p, error);
  if (status || ap__simplify(p)) return status;
  ap__program_free(p);
  return ap__no_memory(error);
}

// Rows and columns of the outputs, before zeros are left out.
static void set_blocks(const ap_ext_function *f, ap_ext_program *e) {
  const bool gradient = e->kind >= AP_EXT_ADJOINT;
  const ap_array *row = gradient ? f->input : f->output;
  const int rows = gradient ? f->inputs : f->outputs;
  e->blocks = 0;
  for (int k = 0; k < rows; k++) {
    if (e->kind != AP_EXT_JACOBIAN && e->kind != AP_EXT_ADJ_JACOBIAN) {
      e->columns[e->blocks] = gradient ? 1 : f->columns[k];
      e->rows[e->blocks] = row[k].size / e->columns[e->blocks];
      e->blocks++;
      continue;
    }
    for (int i = 0; i < f->inputs + (gradient ? f->outputs : 0); i++, e->blocks++) {
      e->rows[e->blocks] = row[k].size;
      e->columns[e->blocks] = i < f->inputs ? f->input[i].size : f->output[i - f->inputs].size;
    }
  }
}

static ap_status add_program(source *s, const ap_ext_function *f, ap_external kind, ap_ext_set *set,
                             ap_error *error) {
  ap_ext_program *e = &set->program[set->programs];
  *e = (ap_ext_program){.kind = kind};
  source fresh = *s; // recording in the shorter way changes it
  ap_status status = record_kind(&fresh, kind, &e->p, error);
  if (status) return status;
  set->programs++;
  set_blocks(f, e);
  bool sparse = kind == AP_EXT_JACOBIAN || kind == AP_EXT_ADJ_JACOBIAN;
  return leave_zeros_out(e, sparse) ? AP_OK : ap__no_memory(error);
}

// Its arrays are those of its own program; a matrix has as many columns as rows.
static void describe(const source *s, const ap_program *p, ap_ext_function *f) {
  f->inputs = p->inputs, f->outputs = p->outputs;
  memcpy(f->input, p->input, sizeof f->input);
  memcpy(f->output, p->output, sizeof f->output);
  for (int k = 0; k < f->outputs; k++) f->columns[k] = 1;
  const int n = s->m ? s->m->nv : ap_parallel_n(s->parallel);
  if (s->how.function == AP_GEN_INERTIA) f->columns[0] = n;
  if (s->how.function == AP_GEN_KINEMATICS) f->columns[0] = 3;
}

static char *function_name(const source *s, int frame) {
  char symbol[AP_SYMBOL_ROOM], name[AP_SYMBOL_ROOM + 16];
  if (s->how.function == AP_COORDINATE_RATES) return strdup("rate");
  if (s->how.function != AP_GEN_KINEMATICS)
    return strdup(ap_function_name((ap_function)s->how.function));
  ap__frame_symbol(ap_frame_name(s->m, frame), symbol);
  snprintf(name, sizeof name, "frame_%s_pose", symbol);
  return strdup(name);
}

// frame: of a pose.
static ap_status add_function(source *s, const int *frame, ap_ext_set *set, ap_error *error) {
  ap_ext_function *f = &set->function[set->functions];
  *f = (ap_ext_function){.name = function_name(s, *frame), .first = set->programs};
  if (!f->name) return ap__no_memory(error);
  set->functions++;
  s->how.frames = frame, s->how.nframes = 1;
  ap_program p;
  ap_status status = record_plain(s, &p, error);
  if (status) return status;
  describe(s, &p, f);
  ap__program_free(&p);
  for (int kind = 0; !status && kind < set->kinds; kind++)
    status = add_program(s, f, (ap_external)kind, set, error);
  return status;
}

ap_status ap__record_externals(const ap_model *m, const ap_parallel *parallel,
                               const ap_generate_options *options, const ap_recording *how,
                               ap_ext_set *set, ap_error *error) {
  static const int kinds[] = {AP_EXT_VALUE + 1, AP_EXT_ADJOINT + 1, AP_EXTERNALS};
  const size_t most = AP_FUNCTIONS + 1 + (size_t)how->nframes;
  *set = (ap_ext_set){.kinds = kinds[options->order]};
  set->function = calloc(most, sizeof *set->function);
  set->program = calloc(most * AP_EXTERNALS, sizeof *set->program);
  ap_status status = set->function && set->program ? AP_OK : ap__no_memory(error);
  for (int f = 0; !status && f < AP_FUNCTIONS; f++) {
    if (!(options->functions >> f & 1)) continue;
    static const int none = 0;
    source s = {m, parallel, *how};
    s.how.function = f;
    for (int k = 0; !status && k < (f == AP_GEN_KINEMATICS ? how->nframes : 1); k++)
      status = add_function(&s, f == AP_GEN_KINEMATICS ? how->frames + k : &none, set, error);
    s.how.function = AP_COORDINATE_RATES; // which a differential equation needs besides
    if (!status && m && f == AP_GEN_FORWARD) status = add_function(&s, &none, set, error);
  }
  if (status) ap__free_externals(set);
  return status;
}

void ap__free_externals(ap_ext_set *set) {
  for (int k = 0; set->function && k < set->functions; k++) free(set->function[k].name);
  for (int k = 0; set->program && k < set->programs; k++)
    ap__program_free(&set->program[k].p), free(set->program[k].kept);
  free(set->function);
  free(set->program);
  *set = (ap_ext_set){0};
}
