// SPDX-License-Identifier: Apache-2.0
// The functions of codegen.h: which programs are recorded, and what they are called.

#include <appell/codegen.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/casadi.h"
#include "codegen/closed.h"
#include "codegen/cuda_source.h"
#include "codegen/regroup.h"
#include "codegen/symbol.h"
#include "loop/parallel.h"
#include "model/frozen.h"

struct ap_code {
  char name[AP_SYMBOL_ROOM];
  ap__text source, header;
  unsigned functions;
  ap_target target;
  ap_count count[AP_FUNCTIONS];
};

static const char *const function_names[AP_RECORDED] = {
    [AP_GEN_INVERSE] = "inverse_dynamics",
    [AP_GEN_INERTIA] = "inertia_matrix",
    [AP_GEN_BIAS] = "bias",
    [AP_GEN_GRAVITY] = "gravity",
    [AP_GEN_FORWARD] = "forward_dynamics",
    [AP_GEN_JACOBIAN] = "jacobian",
    [AP_GEN_INVERSE_DERIVATIVES] = "inverse_dynamics_derivatives",
    [AP_GEN_FORWARD_DERIVATIVES] = "forward_dynamics_derivatives",
    [AP_GEN_REGRESSOR] = "regressor",
    [AP_GEN_INTEGRATE] = "integrate",
    [AP_GEN_DIFFERENCE] = "difference",
    [AP_GEN_KINEMATICS] = "forward_kinematics",
    [AP_ROLLOUT_FORCES] = "rollout_forces",
    [AP_ROLLOUT_STEP] = "rollout_step"};

const char *ap_function_name(ap_function function) {
  return (unsigned)function < AP_FUNCTIONS ? function_names[function] : NULL;
}

ap_generate_options ap_default_generate(void) {
  return (ap_generate_options){.arithmetic = AP_F64,
                               .functions = (1u << AP_FUNCTIONS) - 1,
                               .batch = true,
                               .regroup = true,
                               .order = 2,
                               .cookie = AP_COOKIE};
}

// ---- names -------------------------------------------------------------------------------------

static ap_status choose_name(const char *own, const char *wanted, char *name, ap_error *error) {
  ap__robot_symbol(wanted ? wanted : own, name);
  if (!wanted || strcmp(name, wanted) == 0) return AP_OK;
  return AP__REFUSE(error, AP_E_ARG, 0,
                    "'%.*s' cannot begin the names of C functions and files (a letter, then "
                    "letters, digits and single '_', at most %d in all, as in '%s')",
                    ap__shown(wanted), wanted, AP_SYMBOL_MOST, name);
}

// ---- programs ----------------------------------------------------------------------------------

typedef struct generation {
  const ap_model *m; // NULL: parallel
  const ap_parallel *parallel;
  const ap_mechanism *mechanism; // of which m is the tree
  const ap_generate_options *options;
  ap_program *part;
  char **name;
  int parts, entries;
  int regrouped; // inertial parameters that were moved
  int *frames, nframes;
  int inertia;    // the way to the inertia matrix
  bool many;      // of a mechanism: functions of many states
  ap_ext_set set; // of the target casadi; has the programs, then
} generation;

static void close_generation(generation *g) {
  for (int k = 0; k < g->parts; k++) {
    if (!g->set.program) ap__program_free(&g->part[k]);
    free(g->name[k]);
  }
  ap__free_externals(&g->set);
  free(g->part);
  free(g->name);
  free(g->frames);
}

static char *jacobian_name(const generation *g, int frame) {
  char text[AP_SYMBOL_ROOM], name[AP_SYMBOL_ROOM + 16];
  ap__frame_symbol(ap_frame_name(g->m, frame), text);
  snprintf(name, sizeof name, "jacobian_%s", text);
  return strdup(name);
}

static ap_status record_simplified(const ap_model *m, const ap_recording *how, ap_program *p,
                                   ap_error *error) {
  ap_status status = ap__record(m, how, p, error);
  if (status || ap__simplify(p)) return status;
  ap__program_free(p);
  return ap__no_memory(error);
}

// What there are several ways to is recorded all of them, and the cheapest is kept. Of forward
// dynamics and derivatives that is the first on arms, the second on long trees.
static bool has_second_way(const ap_model *m, int function) {
  return function == AP_GEN_INVERSE_DERIVATIVES || function == AP_GEN_FORWARD_DERIVATIVES ||
         (function == AP_GEN_FORWARD && !model_has_mimic(m));
}

// What a program costs, in operations. False: no memory. Values that are alive at once are stored
// and read again: with 5 operations for each, the way chosen is the faster one for chains of 6 to
// 12 joints, quadrupeds and humanoids. For derivatives the number of operations tells more.
enum { OPERATIONS_A_VALUE = 5 };
static bool weigh(const ap_program *p, int *cost) {
  ap_plan plan;
  *cost = ap__program_nodes(p);
  if (p->function != AP_GEN_INERTIA && p->function != AP_GEN_FORWARD) return true;
  if (!ap__plan(p, NULL, false, &plan)) return false;
  *cost += OPERATIONS_A_VALUE * plan.live;
  ap__plan_free(&plan);
  return true;
}

// Replaces p where this way is shorter.
static ap_status record_if_shorter(const ap_model *m, const ap_recording *how, ap_program *p,
                                   bool *shorter, ap_error *error) {
  ap_program other;
  int cost, cost_of_other;
  ap_status status = record_simplified(m, how, &other, error);
  if (!status && !(weigh(p, &cost) && weigh(&other, &cost_of_other))) {
    ap__program_free(&other);
    status = ap__no_memory(error);
  }
  if (status) {
    ap__program_free(p);
    return status;
  }
  *shorter = cost_of_other < cost;
  ap_program longer = *shorter ? *p : other;
  if (*shorter) *p = other;
  ap__program_free(&longer);
  return AP_OK;
}

static ap_status record_shorter(const ap_model *m, ap_recording *how, ap_program *p,
                                ap_error *error) {
  bool shorter;
  ap_status status = record_simplified(m, how, p, error);
  how->second = true;
  return status ? status : record_if_shorter(m, how, p, &shorter, error);
}

// Which way to the inertia matrix is the shortest for this robot.
static ap_status choose_inertia(generation *g, ap_error *error) {
  ap_recording how = {.function = AP_GEN_INERTIA, .regroup = g->options->regroup};
  ap_program p;
  ap_status status = record_simplified(g->m, &how, &p, error);
  for (how.inertia = 1; !status && how.inertia < AP_INERTIA_WAYS; how.inertia++) {
    bool shorter = false;
    status = record_if_shorter(g->m, &how, &p, &shorter, error);
    if (shorter) g->inertia = how.inertia;
  }
  if (!status) ap__program_free(&p);
  return status;
}

ap_status ap__record_shortest(const ap_model *m, const ap_parallel *parallel, ap_recording *how,
                              ap_program *p, ap_error *error) {
  if (m)
    return has_second_way(m, how->function) ? record_shorter(m, how, p, error)
                                            : record_simplified(m, how, p, error);
  ap_status status = ap__record_parallel(parallel, how->function, p, error);
  if (status || ap__simplify(p)) return status;
  ap__program_free(p);
  return ap__no_memory(error);
}

static ap_status add_part(generation *g, int function, int frame, ap_error *error) {
  ap_program *p = &g->part[g->parts];
  ap_recording how = {.function = function,
                      .frame = frame,
                      .frames = g->frames,
                      .nframes = g->nframes,
                      .inertia = g->inertia,
                      .regroup = g->options->regroup,
                      .friction = g->options->friction};
  char *name =
      function == AP_GEN_JACOBIAN ? jacobian_name(g, frame) : strdup(function_names[function]);
  if (!name) return ap__no_memory(error);
  ap_status status = ap__record_shortest(g->m, g->parallel, &how, p, error);
  if (status)
    free(name);
  else
    g->name[g->parts++] = name;
  return status;
}

// Links that nothing hangs on, and named frames, as far as they move.
static bool is_end_point(const ap_model *m, int frame) {
  int link = frame < m->nlink ? frame : m->frame[frame - m->nlink].body;
  if (m->mover[link] == 0) return false;
  for (int i = 1; frame < m->nlink && i < m->nlink; i++)
    if (m->link[i].parent == frame) return false;
  return true;
}

static ap_status choose_frames(generation *g, ap_error *error) {
  const ap_generate_options *o = g->options;
  int most = o->nframes > g->m->nframe ? o->nframes : g->m->nframe;
  g->frames = malloc((size_t)most * sizeof *g->frames);
  if (!g->frames) return ap__no_memory(error);
  for (int k = 0; k < o->nframes; k++) {
    int frame = o->frames[k];
    if (!is_frame(g->m, frame))
      return AP__REFUSE(error, AP_E_ARG, 0, "%d is no frame: 0 to %d are", frame, g->m->nframe - 1);
    for (int j = 0; j < k; j++)
      if (g->frames[j] == frame)
        return AP__REFUSE(error, AP_E_ARG, 0, "the frame '%s' is asked for twice",
                          ap_frame_name(g->m, frame));
    g->frames[g->nframes++] = frame;
  }
  for (int frame = 0; o->nframes == 0 && frame < g->m->nframe; frame++)
    if (is_end_point(g->m, frame)) g->frames[g->nframes++] = frame;
  return AP_OK;
}

// How many inertial parameters regrouping moves.
static ap_status count_regrouped(generation *g, ap_error *error) {
  ap_lumps *lumps = malloc((size_t)g->m->nbody * sizeof *lumps);
  if (!lumps) return ap__no_memory(error);
  ap__lumps_of(g->m, lumps);
  g->regrouped = g->options->regroup ? ap__regroup(g->m, lumps) : 0;
  free(lumps);
  return AP_OK;
}

static bool is_wanted(const generation *g, int function) {
  const ap_generate_options *o = g->options;
  if (function < AP_FUNCTIONS) return o->functions >> function & 1;
  return g->m && o->target == AP_TARGET_CUDA && o->functions >> AP_GEN_FORWARD & 1;
}

static ap_status add_parts(generation *g, ap_error *error) {
  size_t room = (size_t)AP_RECORDED + (size_t)(g->m ? g->m->nframe : 0);
  g->part = calloc(room, sizeof *g->part);
  g->name = calloc(room, sizeof *g->name);
  if (!g->part || !g->name) return ap__no_memory(error);
  for (int f = 0; f < AP_RECORDED; f++) {
    if (f == AP_FUNCTIONS) g->entries = g->parts;
    if (!is_wanted(g, f)) continue;
    bool jacobian = f == AP_GEN_JACOBIAN;
    for (int k = 0; k < (jacobian ? g->nframes : 1); k++) {
      ap_status status = add_part(g, f, jacobian ? g->frames[k] : 0, error);
      if (status) return status;
    }
  }
  return AP_OK;
}

// The programs that a mechanism is made of.
static ap_status add_closed(generation *g, ap_error *error) {
  static const struct {
    int needed; // by these parts of the text
    int closed; // program of closures, or -1 and
    int function;
    const char *name;
  } of[] = {{AP_CLOSED_PLACE, AP_CLOSURE_VALUES, 0, "closure_values"},
            {AP_CLOSED_PLACE, AP_CLOSURE_JACOBIAN, 0, "closure_jacobian"},
            {AP_CLOSED_FORCES, AP_CLOSURE_BIAS, 0, "closure_bias"},
            {AP_CLOSED_SLOPES, AP_CLOSURE_TURN, 0, "closure_turn"},
            {AP_CLOSED_SLOPES, AP_CLOSURE_CHANGE, 0, "closure_change"},
            {AP_CLOSED_PLACE, -1, AP_GEN_INTEGRATE, "tree_integrate"},
            {AP_CLOSED_FORCES, -1, AP_GEN_INVERSE, "tree_inverse_dynamics"},
            {AP_CLOSED_MASS, -1, AP_GEN_INERTIA, "tree_inertia_matrix"},
            {AP_CLOSED_SLOPES, -1, AP_GEN_INVERSE_DERIVATIVES, "tree_inverse_dynamics_derivatives"},
            {AP_CLOSED_KINEMATICS, -1, AP_GEN_KINEMATICS, "tree_forward_kinematics"}};
  const int count = sizeof of / sizeof *of;
  int needed = AP_CLOSED_PLACE;
  for (int f = 0; f < AP_FUNCTIONS; f++)
    if (is_wanted(g, f)) needed |= ap__closed_parts(f);
  g->part = calloc((size_t)count, sizeof *g->part);
  g->name = calloc((size_t)count, sizeof *g->name);
  if (!g->part || !g->name) return ap__no_memory(error);
  for (int k = 0; k < count; k++) {
    if (!(of[k].needed & needed)) continue;
    ap_recording how = {.function = of[k].function,
                        .frames = g->frames,
                        .nframes = g->nframes,
                        .inertia = g->inertia,
                        .regroup = g->options->regroup,
                        .friction = g->options->friction};
    ap_program *p = &g->part[g->parts];
    char *name = strdup(of[k].name);
    if (!name) return ap__no_memory(error);
    ap_status status =
        of[k].closed >= 0
            ? ap__record_closed(g->mechanism, (ap_closed_program)of[k].closed, p, error)
            : ap__record_shortest(g->m, NULL, &how, p, error);
    if (status) {
      free(name);
      return status;
    }
    g->name[g->parts++] = name;
  }
  return AP_OK;
}

// The programs of external functions; their names begin with what they compute.
static ap_status add_externals(generation *g, ap_error *error) {
  static const char *const word[AP_EXTERNALS] = {"value", "jac", "fwd", "adj", "hess", "hvp"};
  const ap_recording how = {.frames = g->frames,
                            .nframes = g->nframes,
                            .inertia = g->inertia,
                            .regroup = g->options->regroup,
                            .friction = g->options->friction};
  ap_status status = ap__record_externals(g->m, g->parallel, g->options, &how, &g->set, error);
  if (status) return status;
  g->part = calloc((size_t)g->set.programs + 1, sizeof *g->part);
  g->name = calloc((size_t)g->set.programs + 1, sizeof *g->name);
  if (!g->part || !g->name) return ap__no_memory(error);
  for (int k = 0; k < g->set.programs; k++) {
    const ap_ext_program *e = &g->set.program[k];
    const char *of = g->set.function[k / g->set.kinds].name;
    const size_t size = strlen(of) + 16;
    g->part[k] = e->p;
    g->name[k] = malloc(size);
    if (!g->name[k]) return ap__no_memory(error);
    snprintf(g->name[k], size, "%s_%s", word[e->kind], of);
    g->parts++;
  }
  return AP_OK;
}

static bool has_number(const ap_generate_options *o, double x) {
  return fabs(x) <= (o->arithmetic == AP_F32 ? (double)FLT_MAX : DBL_MAX);
}

// A robot whose numbers are too large or too small gives constants that are none, and so does an
// inertia matrix that is singular wherever the robot is.
static ap_status check_numbers(const generation *g, ap_error *error) {
  bool good = true;
  const ap_program *p = g->part;
  for (int k = 0; k < g->parts && good; k++) {
    p = &g->part[k];
    for (int i = 1; i < p->tape.count; i++)
      good = good && has_number(g->options, p->tape.node[i].k);
    for (int i = 0; i < ap__program_values(p); i++)
      good = good && (p->value[i].node || has_number(g->options, p->value[i].v));
  }
  if (good) return AP_OK;
  return AP__REFUSE(
      error, AP_E_UNSUPPORTED, 0,
      "%s cannot be generated: the robot's numbers are too large or too small, or its inertia "
      "matrix is singular, so that a constant is none in %s (masses, lengths and inertias in "
      "SI units, and none without mass where forward dynamics is asked for)",
      function_names[p->function < AP_RECORDED ? p->function : AP_GEN_FORWARD],
      g->options->arithmetic == AP_F32 ? "float" : "double");
}

static ap_status check_options(const ap_generate_options *o, ap_error *error) {
  if (!AP_STARTS_FROM(ap_default_generate, o, error)) return AP_E_ARG;
  if (o->arithmetic != AP_F64 && o->arithmetic != AP_F32)
    return AP__REFUSE(error, AP_E_ARG, 0, "code is generated in f64 or f32 only");
  if (o->functions == 0 || o->functions >> AP_FUNCTIONS)
    return AP__REFUSE(error, AP_E_ARG, 0, "there is no such function to generate");
  if (o->target != AP_TARGET_C && o->target != AP_TARGET_CUDA && o->target != AP_TARGET_CASADI)
    return AP__REFUSE(error, AP_E_ARG, 0, "code is generated as C, CUDA or for CasADi only");
  if (o->order < 0 || o->order > 2)
    return AP__REFUSE(error, AP_E_ARG, 0, "derivatives are of order 0, 1 or 2");
  if (o->target == AP_TARGET_CASADI && o->arithmetic != AP_F64)
    return AP__REFUSE(error, AP_E_ARG, 0, "CasADi's numbers are double: f64 only");
  return AP_OK;
}

// The functions that there are for CasADi, of those asked for, one state at a time.
static ap_status adapt_to_casadi(bool parallel, ap_generate_options *o, ap_error *error) {
  if (o->target != AP_TARGET_CASADI) return AP_OK;
  const unsigned possible = o->functions & ap__casadi_functions(parallel);
  o->batch = false;
  if (possible != o->functions && o->functions != ap_default_generate().functions)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "for CasADi there are inverse_dynamics, inertia_matrix, bias, gravity, "
                      "forward_dynamics and forward_kinematics only, with their derivatives");
  o->functions = possible;
  return AP_OK;
}

static void add_operations(const ap_count *of, ap_count *sum) {
  sum->mul += of->mul, sum->add += of->add, sum->div += of->div;
  sum->sqrt += of->sqrt, sum->sincos += of->sincos;
}

static ap_status write_code(const generation *g, ap_code *code, ap_error *error) {
  const bool casadi = g->options->target == AP_TARGET_CASADI;
  for (int k = 0; k < (casadi ? g->parts : g->entries); k += casadi ? g->set.kinds : 1)
    if (g->part[k].function < AP_FUNCTIONS && !g->mechanism)
      add_operations(&g->part[k].operations, &code->count[g->part[k].function]);
  ap_unit u = {.m = g->m,
               .parallel = g->parallel,
               .nq = g->m ? ap_nq(g->m) : ap_parallel_n(g->parallel),
               .nv = g->m ? ap_nv(g->m) : ap_parallel_n(g->parallel),
               .mechanism = g->mechanism,
               .many = g->many,
               .qualifier = casadi || g->mechanism ? "static " : "",
               .part_qualifier = "\nstatic $N_PART ",
               .lengths = {250, 100},
               .pairs = g->options->arithmetic == AP_F64,
               .inlined = "static inline",
               .restricted = "restrict ",
               .options = g->options,
               .name = code->name,
               .part = g->part,
               .part_name = (const char **)g->name,
               .parts = g->parts,
               .entries = g->entries,
               .regrouped = g->regrouped,
               .frames = g->frames,
               .nframes = g->nframes,
               .count = code->count};
  if (g->options->target == AP_TARGET_CUDA) {
    ap__put_cuda_source(&code->source, &u);
    ap__put_cuda_header(&code->header, &u);
  } else if (casadi) {
    ap__put_casadi_source(&code->source, &u, &g->set);
    ap__put_casadi_header(&code->header, &u, &g->set);
  } else if (g->mechanism) {
    ap__put_c_source(&code->source, &u);
    ap__put_closed_source(&code->source, &u);
    ap__put_closed_header(&code->header, &u);
  } else {
    ap__put_c_source(&code->source, &u);
    ap__put_c_header(&code->header, &u);
  }
  return code->source.failed || code->header.failed ? ap__no_memory(error) : AP_OK;
}

// `own`: the robot's name.
static ap_status generate(generation *g, const char *own, ap_code **code, ap_error *error) {
  ap_code *c = calloc(1, sizeof *c);
  if (!c) return ap__no_memory(error);
  c->functions = g->options->functions;
  c->target = g->options->target;
  ap_status status = choose_name(own, g->options->name, c->name, error);
  if (!status && g->m) status = choose_frames(g, error);
  if (!status && g->m) status = count_regrouped(g, error);
  if (!status && g->m) status = choose_inertia(g, error);
  if (!status)
    status = g->mechanism                             ? add_closed(g, error)
             : g->options->target == AP_TARGET_CASADI ? add_externals(g, error)
                                                      : add_parts(g, error);
  if (!status) status = check_numbers(g, error);
  if (!status) status = write_code(g, c, error);
  close_generation(g);
  if (status)
    ap_code_free(c);
  else
    *code = c;
  return status;
}

ap_status ap_generate(const ap_model *m, const ap_generate_options *options, ap_code **code,
                      ap_error *error) {
  ap_generate_options possible = *options;
  *code = NULL;
  ap_status status = check_options(options, error);
  if (!status) status = adapt_to_casadi(false, &possible, error);
  if (status) return status;
  if (m->nv == 0)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0, "the robot has no joint that moves");
  return generate(&(generation){.m = m, .options = &possible}, ap_model_name(m), code, error);
}

ap_status ap_generate_parallel(const ap_parallel *r, const ap_generate_options *options,
                               ap_code **code, ap_error *error) {
  ap_generate_options possible = *options;
  *code = NULL;
  possible.functions &= ap__parallel_functions();
  possible.batch = options->batch && options->target != AP_TARGET_CASADI;
  ap_status status = check_options(&possible, error);
  if (status) return status;
  if (options->friction) return AP__REFUSE(error, AP_E_ARG, 0, "a closed form has no friction");
  if (possible.functions != options->functions &&
      options->functions != ap_default_generate().functions)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a closed form has no more functions than inverse_dynamics, inertia_matrix, "
                      "bias, gravity and forward_dynamics");
  static const char *const own[] = {[WRIST] = "wrist", [FIVE_BAR] = "five_bar", [DELTA] = "delta"};
  return generate(&(generation){.parallel = r, .options = &possible}, own[r->kind], code, error);
}

// What a mechanism has not: functions that are none of it, and those that its actuators are too few
// for.
static ap_status check_mechanism(const ap_mechanism *m, ap_generate_options *o, ap_error *error) {
  const unsigned asked = o->functions, all = ap_default_generate().functions;
  const unsigned driven = 1u << AP_GEN_INVERSE | 1u << AP_GEN_BIAS | 1u << AP_GEN_GRAVITY |
                          1u << AP_GEN_INVERSE_DERIVATIVES;
  const bool short_of = ap_mechanism_nact(m) < ap_mechanism_n(m);
  if (o->target != AP_TARGET_C)
    return AP__REFUSE(error, AP_E_UNSUPPORTED, 0,
                      "a robot with closed chains is generated as C only");
  if (asked != all && asked & ~ap__closed_functions())
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "a robot with closed chains has no more functions than inverse_dynamics, "
                      "inertia_matrix, bias, gravity, forward_dynamics, forward_kinematics and "
                      "the derivatives");
  if (asked != all && short_of && asked & driven)
    return AP__REFUSE(error, AP_E_ARG, 0,
                      "%d actuators cannot produce the forces on %d coordinates "
                      "(forward_dynamics, inertia_matrix and forward_kinematics still work)",
                      ap_mechanism_nact(m), ap_mechanism_n(m));
  o->functions &= ap__closed_functions();
  if (short_of) o->functions &= ~driven;
  return AP_OK;
}

ap_status ap_generate_mechanism(const ap_mechanism *m, const ap_generate_options *options,
                                ap_code **code, ap_error *error) {
  ap_generate_options possible = *options;
  *code = NULL;
  ap_status status = check_options(options, error);
  if (!status) status = check_mechanism(m, &possible, error);
  if (status) return status;
  possible.batch = false; // of its programs
  generation g = {
      .m = ap_mechanism_tree(m), .mechanism = m, .options = &possible, .many = options->batch};
  status = generate(&g, ap_mechanism_name(m), code, error);
  if (!status) (*code)->functions = 0; // how often its programs run is not known
  return status;
}

const char *ap_code_ending(const ap_code *code, bool header) {
  if (code->target == AP_TARGET_CUDA) return header ? ".cuh" : ".cu";
  return header ? ".h" : ".c";
}
const char *ap_code_name(const ap_code *code) { return code->name; }
const char *ap_code_source(const ap_code *code) { return code->source.text; }
const char *ap_code_header(const ap_code *code) { return code->header.text; }

ap_status ap_code_count(const ap_code *code, ap_function function, ap_count *count) {
  if (!ap_function_name(function) || !(code->functions >> function & 1)) return AP_E_ARG;
  *count = code->count[function];
  return AP_OK;
}

void ap_code_free(ap_code *code) {
  if (!code) return;
  ap__text_free(&code->source);
  ap__text_free(&code->header);
  free(code);
}
