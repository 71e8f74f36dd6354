// SPDX-License-Identifier: Apache-2.0
// Methods of Model that compute a quantity of one state or of many.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "threads.h"

// Those that the library computes for many states side by side, and those that it does not.
#define EACH_BATCHED(X)           \
  X(inverse_dynamics)             \
  X(forward_dynamics)             \
  X(bias)                         \
  X(gravity)                      \
  X(inertia)                      \
  X(inverse_dynamics_derivatives) \
  X(forward_dynamics_derivatives) \
  X(regressor)                    \
  X(pose)                         \
  X(jacobian)
#define EACH_SINGLE(X)   \
  X(inertia_inverse)     \
  X(coriolis)            \
  X(kinetic_energy)      \
  X(potential_energy)    \
  X(elastic_energy)      \
  X(velocity)            \
  X(acceleration)        \
  X(jacobian_dot_v)      \
  X(centre_of_mass)      \
  X(centroidal_momentum) \
  X(centroidal_matrix)   \
  X(integrate)           \
  X(difference)          \
  X(normalize)

enum {
#define NUMBER(q) QUANTITY_##q,
  EACH_BATCHED(NUMBER) EACH_SINGLE(NUMBER)
#undef NUMBER
      QUANTITIES
};

// What a call asks for, as the kernels see it.
typedef struct request {
  const ap_model *model;
  int quantity;
  int inputs, outputs;
  const void *in[MOST_INPUTS];
  void *out[MOST_OUTPUTS];
  size_t in_width[MOST_INPUTS], out_width[MOST_OUTPUTS];
  size_t entries; // of all of them together
  int frame;
  ap_reference reference;
  const ap_wrench *wrench_f64;
  const ap_wrench_f32 *wrench_f32;
  int nwrench;
  ap_status *status; // [n] or NULL
} request;

#define R          double
#define F(name)    name
#define NAME(name) name##_f64
#define WORK       ap_work
#define BATCH      ap_batch
#include "quantity.inc"
#undef R
#undef F
#undef NAME
#undef WORK
#undef BATCH
#define R          float
#define F(name)    name##_f32
#define NAME(name) name##_f32
#define WORK       ap_work_f32
#define BATCH      ap_batch_f32
#include "quantity.inc"

// ---- what each quantity takes and gives --------------------------------------------------------

// Of an input or output: one letter for the shape of one state.
//   q [nq]  v, a, t [nv]  M [nv, nv]  s a number  R [3, 3]  p [3]  6 [6]  J [6, nv]  K regressor
typedef struct signature {
  const char *name;
  const char *in;  // also the names of the arguments: t is tau, 0 and 1 are q0 and q1
  const char *out; // "" after a blank: what in has of arguments that may be missing is zeros
  bool frame;      // takes a frame
  bool reference;  // and axes
  bool wrenches;   // takes external wrenches
} signature;

static const signature signatures[QUANTITIES] = {
    [QUANTITY_inverse_dynamics] = {.name = "inverse_dynamics",
                                   .in = "qva",
                                   .out = "v",
                                   .wrenches = true},
    [QUANTITY_forward_dynamics] = {.name = "forward_dynamics",
                                   .in = "qvt",
                                   .out = "v",
                                   .wrenches = true},
    [QUANTITY_bias] = {.name = "bias", .in = "qv", .out = "v"},
    [QUANTITY_gravity] = {.name = "gravity", .in = "q", .out = "v"},
    [QUANTITY_inertia] = {.name = "inertia", .in = "q", .out = "M"},
    [QUANTITY_inertia_inverse] = {.name = "inertia_inverse", .in = "q", .out = "M"},
    [QUANTITY_coriolis] = {.name = "coriolis", .in = "qv", .out = "M"},
    [QUANTITY_kinetic_energy] = {.name = "kinetic_energy", .in = "qv", .out = "s"},
    [QUANTITY_potential_energy] = {.name = "potential_energy", .in = "q", .out = "s"},
    [QUANTITY_elastic_energy] = {.name = "elastic_energy", .in = "q", .out = "s"},
    [QUANTITY_inverse_dynamics_derivatives] = {.name = "inverse_dynamics_derivatives",
                                               .in = "qva",
                                               .out = "MMM",
                                               .wrenches = true},
    [QUANTITY_forward_dynamics_derivatives] = {.name = "forward_dynamics_derivatives",
                                               .in = "qvt",
                                               .out = "MMM",
                                               .wrenches = true},
    [QUANTITY_regressor] = {.name = "regressor", .in = "qva", .out = "K"},
    [QUANTITY_pose] = {.name = "pose", .in = "q", .out = "Rp", .frame = true},
    [QUANTITY_jacobian] =
        {.name = "jacobian", .in = "q", .out = "J", .frame = true, .reference = true},
    [QUANTITY_velocity] =
        {.name = "velocity", .in = "qv", .out = "6", .frame = true, .reference = true},
    [QUANTITY_acceleration] =
        {.name = "acceleration", .in = "qva", .out = "6", .frame = true, .reference = true},
    [QUANTITY_jacobian_dot_v] =
        {.name = "jacobian_dot_v", .in = "qv", .out = "6", .frame = true, .reference = true},
    [QUANTITY_centre_of_mass] = {.name = "centre_of_mass", .in = "q", .out = "p"},
    [QUANTITY_centroidal_momentum] = {.name = "centroidal_momentum", .in = "qv", .out = "6"},
    [QUANTITY_centroidal_matrix] = {.name = "centroidal_matrix", .in = "q", .out = "J"},
    [QUANTITY_integrate] = {.name = "integrate", .in = "qv", .out = "q"},
    [QUANTITY_difference] = {.name = "difference", .in = "01", .out = "v"},
    [QUANTITY_normalize] = {.name = "normalize", .in = "q", .out = "q"},
};

// The arguments of each, as sort_arguments() takes them, and which is which.
typedef struct parameters {
  const char *names[MOST_INPUTS + 5];
  int inputs, frame, reference, wrenches, out;
} parameters;
static parameters prepared[QUANTITIES];

void prepare_quantities(void) {
  for (int k = 0; k < QUANTITIES; k++) {
    const signature *s = &signatures[k];
    parameters *p = &prepared[k];
    int n = 0;
    for (; s->in[n]; n++) p->names[n] = input_name(s->in[n]);
    p->inputs = p->frame = n;
    if (s->frame) p->names[n++] = "frame";
    p->reference = n;
    if (s->reference) p->names[n++] = "reference";
    p->wrenches = n;
    if (s->wrenches) p->names[n++] = "wrenches";
    p->out = n;
    p->names[n++] = "out";
    p->names[n] = NULL;
  }
}

static shape shape_of(const ap_model *m, char letter) {
  int nv = ap_nv(m);
  switch (letter) {
    case 'q':
    case '0':
    case '1': return (shape){1, {ap_nq(m)}};
    case 'M': return (shape){2, {nv, nv}};
    case 's': return (shape){0, {0}};
    case 'R': return (shape){2, {3, 3}};
    case 'p': return (shape){1, {3}};
    case '6': return (shape){1, {6}};
    case 'J': return (shape){2, {6, nv}};
    case 'K': return (shape){2, {nv, 10 * ap_moving_bodies(m)}};
    default: return (shape){1, {nv}};
  }
}

// ---- one call ----------------------------------------------------------------------------------

typedef struct computation {
  Model *model;
  const signature *s;
  call c;
  ap_wrench *wrenches;
  ap_wrench_f32 *wrenches_f32;
  request r;
} computation;

static void end_computation(computation *p) {
  call_end(&p->c);
  free(p->wrenches);
  free(p->wrenches_f32);
  free(p->r.status);
}

static bool read_arrays(computation *p, PyObject *const *value, PyObject *out) {
  const ap_model *m = p->model->base.model;
  request *r = &p->r;
  shape in[MOST_INPUTS], result[MOST_OUTPUTS];
  for (; p->s->in[r->inputs]; r->inputs++) in[r->inputs] = shape_of(m, p->s->in[r->inputs]);
  for (; p->s->out[r->outputs]; r->outputs++)
    result[r->outputs] = shape_of(m, p->s->out[r->outputs]);
  p->c.in_place =
      r->quantity == QUANTITY_inverse_dynamics || r->quantity == QUANTITY_forward_dynamics;
  if (!call_inputs(&p->c, r->inputs, value, prepared[r->quantity].names, in) ||
      !call_outputs(&p->c, out, r->outputs, result))
    return false;
  for (int i = 0; i < r->inputs; i++) {
    r->in[i] = array_data(&p->c.in[i]);
    r->entries += r->in_width[i] = (size_t)shape_entries(in[i]);
  }
  for (int i = 0; i < r->outputs; i++) {
    r->out[i] = array_data(&p->c.out[i]);
    r->entries += r->out_width[i] = (size_t)shape_entries(result[i]);
  }
  return true;
}

// ---- frames, axes, wrenches --------------------------------------------------------------------

static bool read_reference(PyObject *from, ap_reference *reference) {
  static const char *const name[] = {"local", "world", "mixed"};
  for (int i = 0; i < 3 && PyUnicode_Check(from); i++)
    if (PyUnicode_CompareWithASCIIString(from, name[i]) == 0) {
      *reference = (ap_reference)i;
      return true;
    }
  PyErr_Format(PyExc_ValueError, "reference must be 'local', 'world' or 'mixed', not %R", from);
  return false;
}

// A tuple (frame, force, moment[, reference]).
static bool read_wrench(const Base *m, PyObject *from, ap_wrench *w) {
  Py_ssize_t n = PyTuple_Check(from) ? PyTuple_Size(from) : 0;
  if (n < 3 || n > 4) {
    PyErr_Format(PyExc_TypeError,
                 "a wrench is a tuple (frame, force, moment) or (frame, force, moment, reference), "
                 "not %R",
                 from);
    return false;
  }
  w->reference = AP_LOCAL;
  w->frame = read_frame(m, PyTuple_GetItem(from, 0));
  return w->frame >= 0 && read_numbers(PyTuple_GetItem(from, 1), "force", 3, w->force) &&
         read_numbers(PyTuple_GetItem(from, 2), "moment", 3, w->moment) &&
         (n == 3 || read_reference(PyTuple_GetItem(from, 3), &w->reference));
}

static void to_single(const ap_wrench *w, ap_wrench_f32 *single) {
  single->frame = w->frame;
  single->reference = w->reference;
  for (int i = 0; i < 3; i++) {
    single->force[i] = (float)w->force[i];
    single->moment[i] = (float)w->moment[i];
  }
}

static bool read_wrenches(computation *p, PyObject *from) {
  if (!from || from == Py_None) return true;
  Py_ssize_t n = PySequence_Size(from);
  if (n < 0) return false;
  p->wrenches = calloc((size_t)n + 1, sizeof *p->wrenches);
  p->wrenches_f32 = calloc((size_t)n + 1, sizeof *p->wrenches_f32);
  if (!p->wrenches || !p->wrenches_f32) return PyErr_NoMemory(), false;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(from, i);
    bool read = item && read_wrench(&p->model->base, item, &p->wrenches[i]);
    Py_XDECREF(item);
    if (!read) return false;
    to_single(&p->wrenches[i], &p->wrenches_f32[i]);
  }
  p->r.wrench_f64 = p->wrenches;
  p->r.wrench_f32 = p->wrenches_f32;
  p->r.nwrench = (int)n;
  return true;
}

// ---- computing ---------------------------------------------------------------------------------

// Numbers read and written between two looks for signals: of some ns each, up to 20. Larger blocks
// are faster, compiled code in columns above all.
enum { ENTRIES_AT_ONCE = 40000000 };

static ap_status compute_block(const void *context, slot *s, bool single, ap_states block,
                               long_work *work) {
  (void)work;
  const request *r = context;
  return single ? compute_states_f32(r, s->work_f32, s->batch_f32, block)
                : compute_states_f64(r, s->work, s->batch, block);
}

static ap_status compute_one(computation *p) {
  bool single = p->c.in[0].single;
  slot *s = take_slot(p->model, single, false);
  if (!s) return AP_E_MEMORY;
  const request *r = &p->r;
  ap_status status = single ? one_of_rows_f32(r, s->work_f32, 0) : one_of_rows_f64(r, s->work, 0);
  give_slot(p->model, s);
  return status;
}

static PyObject *compute(computation *p) {
  size_t n = array_states(&p->c.in[0]);
  bool one = p->c.in[0].leading == 0 && !p->c.columns;
  if (!one && n > 0 && !(p->r.status = calloc(n, sizeof *p->r.status))) return PyErr_NoMemory();
  ap_status status = AP_OK;
  if (one)
    status = compute_one(p);
  else if (n > 0 &&
           !compute_in_threads(p->model, p->c.in[0].single,
                               ap_all_states(n, p->c.columns ? AP_COLUMNS : AP_ROWS),
                               ENTRIES_AT_ONCE / (p->r.entries + 1), compute_block, &p->r, &status))
    return NULL;
  return status == AP_OK ? call_result(&p->c)
                         : refuse_states(&p->c, p->model->base.model, status, p->r.status);
}

// ---- methods -----------------------------------------------------------------------------------

static bool read_call(computation *p, PyObject *const *args, Py_ssize_t nargs, PyObject *keywords) {
  const signature *s = p->s;
  const parameters *of = &prepared[p->r.quantity];
  PyObject *value[MOST_INPUTS + 5];
  if (!sort_arguments(s->name, of->names, of->wrenches, of->reference, args, nargs, keywords,
                      value))
    return false;
  if (s->frame && (p->r.frame = read_frame(&p->model->base, value[of->frame])) < 0) return false;
  p->r.reference = AP_LOCAL;
  if (s->reference && value[of->reference] &&
      !read_reference(value[of->reference], &p->r.reference))
    return false;
  return (!s->wrenches || read_wrenches(p, value[of->wrenches])) &&
         read_arrays(p, value, value[of->out]);
}

static PyObject *call_quantity(PyObject *self, int quantity, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *keywords) {
  computation p; // its arrays are not zeroed, which would take a while
  p.model = (Model *)self;
  p.s = &signatures[quantity];
  p.c.inputs = p.c.outputs = 0;
  p.wrenches = NULL;
  p.wrenches_f32 = NULL;
  p.r = (request){.model = p.model->base.model, .quantity = quantity};
  PyObject *result = read_call(&p, args, nargs, keywords) ? compute(&p) : NULL;
  end_computation(&p);
  return result;
}

#define METHOD(q)                                                                      \
  static PyObject *method_##q(PyObject *self, PyObject *const *args, Py_ssize_t nargs, \
                              PyObject *keywords) {                                    \
    return call_quantity(self, QUANTITY_##q, args, nargs, keywords);                   \
  }
EACH_BATCHED(METHOD)
EACH_SINGLE(METHOD)
#undef METHOD

#define ENTRY(q, arguments, about)                                              \
  {                                                                             \
#q, (PyCFunction)(void (*)(void))method_##q, METH_FASTCALL | METH_KEYWORDS, \
        #q "($self, " arguments ")\n--\n\n" about                               \
  }

const PyMethodDef quantity_methods[] = {
    ENTRY(inverse_dynamics, "q, v, a, *, wrenches=None, out=None",
          "Joint forces that give the acceleration a in the state (q, v): M(q) a + h(q, v).\n\n"
          "q: (nq,) or (n, nq), rad or m\nv, a: (nv,) or (n, nv)\n"
          "wrenches: external wrenches, tuples (frame, force, moment[, reference]), N and N m, "
          "'local' unless said\n"
          "Returns tau: (nv,) or (n, nv), N m or N."),
    ENTRY(forward_dynamics, "q, v, tau, *, wrenches=None, out=None",
          "The acceleration that the joint forces tau cause in the state (q, v).\n\n"
          "wrenches: external wrenches as in inverse_dynamics()\n"
          "Raises SingularError where the inertia matrix is singular.\n"
          "Returns a: (nv,) or (n, nv), rad/s2 or m/s2."),
    ENTRY(bias, "q, v, *, out=None",
          "h(q, v): the joint forces at a = 0, gravity included, N m or N."),
    ENTRY(gravity, "q, *, out=None",
          "The joint forces at v = a = 0, N m or N; with friction on those of springs and gravity "
          "compensation too."),
    ENTRY(inertia, "q, *, out=None",
          "The inertia matrix M(q): (nv, nv) or (n, nv, nv), kg m2 or kg."),
    ENTRY(inertia_inverse, "q, *, out=None",
          "The inverse of the inertia matrix, (nv, nv), 1/(kg m2) or 1/kg; SingularError where "
          "there is "
          "none."),
    ENTRY(coriolis, "q, v, *, out=None",
          "The Coriolis matrix C(q, v) with h = C v + gravity and dM/dt - 2 C skew-symmetric, N m "
          "s or N s."),
    ENTRY(kinetic_energy, "q, v, *, out=None",
          "Kinetic energy, J; with friction on it includes the rotors."),
    ENTRY(
        potential_energy, "q, *, out=None",
        "Potential energy of gravity, J; zero at the height of the ground's origin. With friction "
        "on it includes the springs."),
    ENTRY(elastic_energy, "q, *, out=None", "Energy of the springs, J; 0 unless friction is on."),
    ENTRY(inverse_dynamics_derivatives, "q, v, a, *, wrenches=None, out=None",
          "The derivatives (dtau_dq, dtau_dv, dtau_da), nv x nv each; SI units.\n\n"
          "wrenches: external wrenches as in inverse_dynamics()\n"
          "dtau_dq is along the degrees of freedom: as integrate() moves q."),
    ENTRY(forward_dynamics_derivatives, "q, v, tau, *, wrenches=None, out=None",
          "The derivatives (da_dq, da_dv, da_dtau), nv x nv each; SI units.\n\n"
          "wrenches: external wrenches as in inverse_dynamics()"),
    ENTRY(regressor, "q, v, a, *, out=None",
          "The matrix K with tau = K p: nv rows, ten columns for each moving body.\n\n"
          "p is inertial_parameters(): m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz."),
    ENTRY(pose, "q, frame, *, out=None",
          "The pose (R, p) of a frame in the ground: rotation matrix, and position in m."),
    ENTRY(jacobian, "q, frame, reference='local', *, out=None",
          "The Jacobian of a frame, 6 x nv: rows linear, then angular.\n\n"
          "reference: 'local' (axes and origin of the frame), 'world' (axes and origin of the "
          "ground), or 'mixed' (axes of the ground, origin of the frame: Pinocchio's "
          "LOCAL_WORLD_ALIGNED)"),
    ENTRY(velocity, "q, v, frame, reference='local', *, out=None",
          "The velocity of a frame, (6,): linear, then angular, m/s and rad/s.\n\nreference: as in "
          "jacobian()"),
    ENTRY(acceleration, "q, v, a, frame, reference='local', *, out=None",
          "The acceleration of a frame without gravity, (6,), the time derivative of velocity(): "
          "m/s2 and "
          "rad/s2.\n\nreference: as in jacobian()"),
    ENTRY(jacobian_dot_v, "q, v, frame, reference='local', *, out=None",
          "dJ/dt v of a frame, (6,): acceleration() at a = 0, m/s2 and rad/s2.\n\nreference: as in "
          "jacobian()"),
    ENTRY(centre_of_mass, "q, *, out=None",
          "The centre of mass of all that moves, in the ground, (3,), m."),
    ENTRY(centroidal_momentum, "q, v, *, out=None",
          "Momentum about the centre of mass: linear, then angular, kg m/s and kg m2/s."),
    ENTRY(centroidal_matrix, "q, *, out=None",
          "The matrix A, (6, nv), with centroidal_momentum = A v; SI units."),
    ENTRY(integrate, "q, v, *, out=None",
          "q moved along v for one unit of time; quaternions stay of length one."),
    ENTRY(difference, "q0, q1, *, out=None", "The v with integrate(q0, v) = q1, (nv,), rad or m."),
    ENTRY(normalize, "q, *, out=None", "q with every quaternion scaled to length one."),
    {NULL, NULL, 0, NULL}};
