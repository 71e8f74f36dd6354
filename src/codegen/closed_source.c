// SPDX-License-Identifier: Apache-2.0
// A mechanism as C: the text of closed_text.c with the numbers of one mechanism, functions of one
// state and of many, and the header.

#include <float.h>
#include <string.h>

#include "codegen/closed.h"
#include "loop/mechanism.h"
#include "loop/work.h"
#include "model/frozen.h"
#include "num/singular.h"

// ---- functions ---------------------------------------------------------------------------------

enum {
  FORCED = AP_CLOSED_PLACE | AP_CLOSED_PRODUCTS | AP_CLOSED_FORCES,
  DRIVEN = FORCED | AP_CLOSED_ACT,
  MASSIVE = AP_CLOSED_PLACE | AP_CLOSED_PRODUCTS | AP_CLOSED_MASS,
  SOLVED = FORCED | MASSIVE | AP_CLOSED_SOLVE
};

// Arrays by letters: q v a of the coordinates, t of the actuators; M n * n, A nact * n, B n * nact,
// R p J of the frames.
typedef struct closed_function {
  int function, parts;
  const char *in, *out; // letters
  const char *name[6];  // of the arrays
} closed_function;

static const closed_function functions[] = {
    {AP_GEN_INVERSE, DRIVEN | AP_CLOSED_INVERSE, "qva", "t", {"q", "v", "a", "tau"}},
    {AP_GEN_INERTIA, MASSIVE | AP_CLOSED_INERTIA, "q", "M", {"q", "M"}},
    {AP_GEN_BIAS, DRIVEN | AP_CLOSED_BIAS, "qv", "t", {"q", "v", "tau"}},
    {AP_GEN_GRAVITY, DRIVEN | AP_CLOSED_GRAVITY, "q", "t", {"q", "tau"}},
    {AP_GEN_FORWARD, SOLVED | AP_CLOSED_FORWARD, "qvt", "q", {"q", "v", "tau", "a"}},
    {AP_GEN_INVERSE_DERIVATIVES,
     DRIVEN | AP_CLOSED_SLOPES | AP_CLOSED_DINVERSE,
     "qva",
     "AAA",
     {"q", "v", "a", "dtau_dq", "dtau_dv", "dtau_da"}},
    {AP_GEN_FORWARD_DERIVATIVES,
     SOLVED | AP_CLOSED_SLOPES | AP_CLOSED_DFORWARD,
     "qvt",
     "MMB",
     {"q", "v", "tau", "da_dq", "da_dv", "da_dtau"}},
    {AP_GEN_KINEMATICS, AP_CLOSED_PLACE | AP_CLOSED_KINEMATICS, "q", "RpJ", {"q", "R", "p", "J"}}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

unsigned ap__closed_functions(void) {
  unsigned bits = 0;
  for (int k = 0; k < FUNCTIONS; k++) bits |= 1u << functions[k].function;
  return bits;
}

int ap__closed_parts(int function) {
  for (int k = 0; k < FUNCTIONS; k++)
    if (functions[k].function == function) return functions[k].parts;
  return 0;
}

static bool is_wanted(const ap_unit *u, const closed_function *f) {
  return u->options->functions >> f->function & 1;
}

static int size_of(const ap_unit *u, char letter) {
  const int n = u->mechanism->n, nact = u->mechanism->nact;
  switch (letter) {
    case 't': return nact;
    case 'M': return n * n;
    case 'A':
    case 'B': return n * nact;
    case 'R': return 9 * u->nframes;
    case 'p': return 3 * u->nframes;
    case 'J': return 6 * n * u->nframes;
    default: return n;
  }
}

// "const R *q, R *tau", each name followed by `behind` where types are left out.
static void put_arrays(ap__text *t, const ap_unit *u, const closed_function *f, bool types,
                       const char *behind, int from) {
  const int inputs = (int)strlen(f->in), count = inputs + (int)strlen(f->out);
  for (int k = from; k < count; k++) {
    if (k > from) put(t, ", ");
    if (types)
      ap__text_add(t, "%s%s *%s", k < inputs ? "const " : "", ap__scalar(u), f->name[k]);
    else
      ap__text_add(t, "%s%s", f->name[k], behind);
  }
}

// The beginning of one of its three functions.
static void put_head(ap__text *t, const ap_unit *u, const closed_function *f, const char *ending,
                     const char *first) {
  ap__text_add(t, "int %s_%s%s(%s", u->name, ap_function_name((ap_function)f->function), ending,
               first);
  put_arrays(t, u, f, true, "", 0);
  put(t, ")");
}

static const char *first_of_from(const ap_unit *u) {
  return ap__is_single(u) ? "float *x, " : "double *x, ";
}

// ---- numbers -----------------------------------------------------------------------------------

static void put_integers(ap__text *t, const ap_unit *u, const char *name, int n, const int *x) {
  ap__text_add(t, "static const int %s_%s[] = {", u->name, name);
  for (int k = 0; k < n; k++) ap__text_add(t, "%s%d", k > 0 ? ", " : "", x[k]);
  put(t, n > 0 ? "};\n" : "0};\n");
}

// 1 where a coordinate is an angle that comes round, 2 where it is a pitch.
static void put_angles(ap__text *t, const ap_unit *u) {
  const ap_mechanism *m = u->mechanism;
  ap__text_add(t, "static const int %s_ANGLE[] = {", u->name);
  for (int k = 0; k < m->n; k++) {
    const ap_coordinate_kind kind = m->measure[k].def.kind;
    ap__text_add(t, "%s%d", k > 0 ? ", " : "",
                 kind == AP_COORDINATE_PITCH ? 2
                 : kind >= AP_COORDINATE_YAW ? 1
                                             : 0);
  }
  put(t, "};\n");
}

static void put_quaternions(ap__text *t, const ap_unit *u) {
  const ap_model *m = u->m;
  ap__text_add(t, "static const int %s_QUATERNION[] = {", u->name);
  for (int i = 1; i < ap_nbody(m); i++)
    if (ap_joint_nq(m, i) > ap_joint_nv(m, i))
      ap__text_add(t, "%d, ", ap_joint_q(m, i) + ap_joint_nq(m, i) - 4);
  put(t, "-1};\n");
}

static void put_reals(ap__text *t, const ap_unit *u, const char *name, int n, const double *x) {
  ap__text_add(t, "static const %s %s_%s[] = {", ap__scalar(u), u->name, name);
  for (int k = 0; k < n; k++) {
    ap__text_add(t, "%s(%s)", k > 0 ? ", " : "", ap__scalar(u));
    ap__text_numbers(t, &x[k], 1, "");
  }
  put(t, "};\n");
}

// What counts as zero, as in src/loop/assemble.c; in float as much as its rounding asks for. Where
// K is nearly singular, x is uncertain by the root of EXACT: hence SERIAL_NEAR.
static void put_tolerances(ap__text *t, const ap_unit *u) {
  static const struct {
    const char *name;
    double f64, f32;
  } of[] = {{"REACH", 0.2, 0.2},
            {"RANK", 1e-11, 1e-5},
            {"EXACT", 3e-14, 3e-7},
            {"CLOSED", 1e-11, 1e-5},
            {"CONSISTENT", 1e-7, 1e-3},
            {"LEAST_STEP", 1e-13, 1e-6},
            {"SETTLED", 1e-12, 1e-5},
            {"LEAST_MU", 1e-14, 1e-8},
            {"SERIAL_NEAR", AP_SERIAL_NEAR, 1e-3},
            {"PARALLEL_NEAR", AP_PARALLEL_NEAR, 1e-4},
            {"ACTUATOR_RANK", 1e-13, 1e-6},
            {"SINGULAR_MASS", AP_SINGULAR_ULPS * DBL_EPSILON, AP_SINGULAR_ULPS * FLT_EPSILON}};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++)
    ap__text_add(t, "#define %s_%s ((%s)%.17g)\n", u->name, of[k].name, ap__scalar(u),
                 ap__is_single(u) ? of[k].f32 : of[k].f64);
}

static void put_numbers(ap__text *t, const ap_unit *u, int parts) {
  const ap_mechanism *m = u->mechanism;
  put(t, "\n/* ---- the mechanism: sizes and what it begins with ---- */\n\n");
  ap__text_add(t,
               "enum { NX = %d, NV = %d, N = %d, NACT = %d, NROW = %d, ROWS = NROW + N, "
               "FRAMES = %d };\n",
               m->nx, m->nv, m->n, m->nact, m->nrow, u->nframes);
  put_tolerances(t, u);
  put_angles(t, u);
  put_quaternions(t, u);
  put_integers(t, u, "ACTUATED", m->nact, m->actuated_column);
  put_reals(t, u, "START", m->nx, m->guess);
  if (!(parts & AP_CLOSED_SOLVE)) return;
  ap__text_add(t, "static const %s %s_PROBE[] = {", ap__scalar(u), u->name);
  for (int k = 0; k < m->n; k++)
    ap__text_add(t, "%s(%s)%.17g", k > 0 ? ", " : "", ap__scalar(u), ap__probe_entry(k));
  put(t, "};\n");
}

// ---- the source --------------------------------------------------------------------------------

static void put_functions(ap__text *t, const ap_unit *u, const closed_function *f) {
  const char *name = ap_function_name((ap_function)f->function);
  put(t, "\n");
  put_head(t, u, f, "_from", first_of_from(u));
  ap__text_add(t, " {\n  %s_work w;\n  int status = %s_place(&w, x, q);\n", u->name, u->name);
  ap__text_add(t, "  if (!status) status = %s_compute_%s(&w, ", u->name, name);
  put_arrays(t, u, f, false, "", 1);
  put(t, ");\n  if (!status) memcpy(x, w.x, sizeof w.x);\n  return status;\n}\n");
  put_head(t, u, f, "", "");
  ap__text_add(t, " {\n  %s x[NX];\n  memcpy(x, %s_START, sizeof x);\n", ap__scalar(u), u->name);
  ap__text_add(t, "  return %s_%s_from(x, ", u->name, name);
  put_arrays(t, u, f, false, "", 0);
  put(t, ");\n}\n");
}

// One state after the other, each from the start: entry j of state k is at [j * n + k].
static void put_batch(ap__text *t, const ap_unit *u, const closed_function *f) {
  const int inputs = (int)strlen(f->in), outputs = (int)strlen(f->out);
  put_head(t, u, f, "_batch", "size_t n, ");
  put(t, " {\n  size_t j, k;\n  int failed = 0;\n");
  for (int i = 0; i < inputs + outputs; i++)
    ap__text_add(t, "  %s one_%s[%d];\n", ap__scalar(u), f->name[i],
                 size_of(u, i < inputs ? f->in[i] : f->out[i - inputs]));
  put(t, "  for (k = 0; k < n; k++) {\n    int status;\n");
  for (int i = 0; i < inputs; i++)
    ap__text_add(t, "    for (j = 0; j < %d; j++) one_%s[j] = %s[j * n + k];\n",
                 size_of(u, f->in[i]), f->name[i], f->name[i]);
  ap__text_add(t, "    status = %s_%s(", u->name, ap_function_name((ap_function)f->function));
  for (int i = 0; i < inputs + outputs; i++)
    ap__text_add(t, "%sone_%s", i > 0 ? ", " : "", f->name[i]);
  put(t, ");\n    if (status) failed = status;\n");
  for (int i = 0; i < outputs; i++)
    ap__text_add(t, "    for (j = 0; !status && j < %d; j++) %s[j * n + k] = one_%s[j];\n",
                 size_of(u, f->out[i]), f->name[inputs + i], f->name[inputs + i]);
  put(t, "  }\n  return failed;\n}\n");
}

void ap__put_closed_source(ap__text *t, const ap_unit *u) {
  int parts = AP_CLOSED_PLACE;
  for (int k = 0; k < FUNCTIONS; k++)
    if (is_wanted(u, &functions[k])) parts |= functions[k].parts;
  put_numbers(t, u, parts);
  for (int k = 0; ap__closed_text[k].text; k++)
    if (ap__closed_text[k].part & parts) ap__put_text(t, u, ap__closed_text[k].text, "", "");
  ap__text_add(t, "\n/* ---- what others call ---- */\n\n");
  ap__put_text(t, u,
               "void $N_start($R *x) { memcpy(x, $N_START, sizeof $N_START); }\n"
               "int $N_configuration(const $R *q, $R *x) {\n"
               "  $N_work w;\n"
               "  const int status = $N_place(&w, x, q);\n"
               "  if (!status || status == $N_SINGULAR_SERIAL) memcpy(x, w.x, sizeof w.x);\n"
               "  return status;\n"
               "}\n",
               "", "");
  for (int k = 0; k < FUNCTIONS; k++) {
    if (!is_wanted(u, &functions[k])) continue;
    put_functions(t, u, &functions[k]);
    if (u->many) put_batch(t, u, &functions[k]);
  }
}

// ---- the header --------------------------------------------------------------------------------

static const char conventions[] =
    " *\n"
    " * SI units; matrices are row-major. q, v and a are the independent coordinates with their\n"
    " * rates, tau the efforts of the actuators, x the configuration of the tree, whose loops are\n"
    " * closed by Newton's method. Each function returns 0, or a number below and leaves its\n"
    " * outputs as they were. It begins at the mechanism's own start ($N_start()), so that the\n"
    " * result depends on its arguments alone; $N_..._from() begins at x, such as that of the\n"
    " * last call, which keeps the branch and takes fewer steps, and leaves the configuration\n"
    " * that it found there. $N_..._batch() computes one state after the other, entry j of state\n"
    " * k at [j*n + k], and returns the last number that was not 0. J are Jacobians [linear;\n"
    " * angular] of the frames' origins in ground axes, by v. Outputs may be inputs.\n"
    " */\n\n";

void ap__put_closed_banner(ap__text *t, const ap_unit *u, const char *ending) {
  const ap_mechanism *m = u->mechanism;
  ap__text_add(t, "/* %s%s: dynamics of the mechanism '", u->name, ending);
  ap__put_plain(t, m->name);
  ap__text_add(t, "', generated by appell %s.\n", ap_version());
  put(t, " * It belongs to whoever had it generated.\n *\n");
  ap__text_add(t, " * model %016llx, gravity ", (unsigned long long)ap__hash_of_model(u->m));
  ap__text_numbers(t, u->m->gravity, 3, " ");
  ap__text_add(t, " m/s2, %s\n", ap__scalar(u));
  put(t, u->options->friction
             ? " * With joint friction, springs, gravity compensation and rotors.\n"
             : " * Rigid bodies alone: no friction, no springs, no rotors.\n");
  ap__text_add(t, " * A tree of %d degrees of freedom with %d closures of %d rows.\n", m->nv,
               m->nclosing, m->nrow);
  put(t, " *\n *    q  coordinate\n");
  for (int k = 0; k < m->n; k++) {
    ap__text_add(t, " *  %3d  ", k);
    ap__put_plain(t, m->measure[k].def.name);
    put(t, "\n");
  }
  put(t, " *\n *  tau  actuator\n");
  for (int k = 0; k < m->nact; k++) {
    ap__text_add(t, " *  %3d  ", k);
    ap__put_plain(t, ap_mechanism_actuator_name(m, k));
    put(t, "\n");
  }
  ap__put_text(t, u, conventions, "", "");
}

static const char statuses[] =
    "/* what functions return */\n"
    "enum {\n"
    "  $N_BAD_NUMBER = 1,        /* a number is not finite, or a result would not be */\n"
    "  $N_UNREACHABLE = 2,       /* the loops cannot be closed at that q */\n"
    "  $N_SINGULAR_SERIAL = 3,   /* q does not determine the rates of the mechanism here */\n"
    "  $N_SINGULAR_PARALLEL = 4, /* the actuators do not hold it here */\n"
    "  $N_SINGULAR = 5,          /* its inertia matrix is singular */\n"
    "  $N_BAD_MODEL = 6          /* it has fewer degrees of freedom than coordinates */\n"
    "};\n"
    "\n"
    "/* where searches begin */\n"
    "void $N_start($R *x);\n"
    "/* the configuration at q; x: where the search begins, and what it found */\n"
    "int $N_configuration(const $R *q, $R *x);\n";

void ap__put_closed_header(ap__text *t, const ap_unit *u) {
  const ap_mechanism *m = u->mechanism;
  ap__put_closed_banner(t, u, ".h");
  ap__text_add(t, "#ifndef APPELL_GENERATED_%s_H\n#define APPELL_GENERATED_%s_H\n\n", u->name,
               u->name);
  put(t, "#include <stddef.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  ap__text_add(t, "enum { %s_NQ = %d, %s_NV = %d, %s_NACT = %d, %s_NX = %d };\n", u->name, m->n,
               u->name, m->n, u->name, m->nact, u->name, m->nx);
  ap__put_text(t, u, statuses, "", "");
  for (int k = 0; k < FUNCTIONS; k++) {
    const closed_function *f = &functions[k];
    if (!is_wanted(u, f)) continue;
    put(t, "\n");
    if (f->function == AP_GEN_KINEMATICS) ap__put_frames(t, u);
    put_head(t, u, f, "", ""), put(t, ";\n");
    put_head(t, u, f, "_from", first_of_from(u)), put(t, ";\n");
    if (u->many) put_head(t, u, f, "_batch", "size_t n, "), put(t, ";\n");
  }
  put(t, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
