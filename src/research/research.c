// SPDX-License-Identifier: Apache-2.0
// Every method in every arithmetic, by name.

#include <appell/research.h>

#include <string.h>

#include "base/arena.h"
#include "research/study.h"
#include "model/frozen.h"
#include "research/f128.h"

typedef struct {
  ap_method method;
  study_method by;
} method_row;

#define SIMPLE_JOINTS "only revolute and prismatic joints"
#define REAL_FACTORS  "no body with a negative moment of inertia"
#define NO_MIMIC      "no mimic joints"

#define ABOUT_GIBBS_4X4 \
  "Gibbs-Appell, 4x4 transformations and 3x3 rotations, branch by branch (Shafei, Shafei 2018)"
#define ABOUT_LAGRANGE_4X4 "recursive Lagrange with 4x4 matrices (Hollerbach 1980)"

// Every recursion gives the inverse dynamics and, with a = 0, the bias.
#define RECURSIONS(X)                                                                              \
  X("gibbs-tensor", BY_GIBBS_TENSOR, "Gibbs-Appell recursion in tensor form (Mata et al. 2002)",   \
    NULL)                                                                                          \
  X("gibbs-vector", BY_GIBBS_VECTOR, "Gibbs-Appell recursion in vector form (Valera et al. 2003)", \
    NULL)                                                                                          \
  X("newton-euler", BY_NEWTON_EULER, "Newton-Euler recursion (Luh, Walker, Paul 1980)", NULL)      \
  X("newton-euler-tensor", BY_NEWTON_EULER_TENSOR,                                                 \
    "Newton-Euler in tensor form, augmented bodies (Balafoutis, Patel 1991)", NULL)                \
  X("kane", BY_KANE, "Kane's equations (Angeles, Ma, Rojas 1989)", NULL)                           \
  X("lagrange", BY_LAGRANGE, "recursive Lagrange with 3x3 matrices (Hollerbach 1980)",             \
    SIMPLE_JOINTS)                                                                                 \
  X("gibbs-4x4", BY_GIBBS_4X4, ABOUT_GIBBS_4X4, NULL)                                              \
  X("lagrange-4x4", BY_LAGRANGE_4X4, ABOUT_LAGRANGE_4X4, NULL)
#define AS_INVERSE(name, how, about, needs) {{name, AP_INVERSE, about, needs}, {.inverse = how}},
#define AS_BIAS(name, how, about, needs)    {{name, AP_BIAS, about, needs}, {.inverse = how}},

// The forward dynamics of an inertia matrix and the bias that its authors use.
#define BY_MATRIX(name, bias, inertia, about, needs)                     \
  {{name "-cholesky", AP_FORWARD, about ", Cholesky", needs},            \
   {bias, inertia, FORWARD_BY_CHOLESKY}},                                \
  {                                                                      \
    {name "-gauss-jordan", AP_FORWARD, about ", Gauss-Jordan", needs}, { \
      bias, inertia, FORWARD_BY_GAUSS_JORDAN                             \
    }                                                                    \
  }

static const method_row methods[] = {
    RECURSIONS(AS_INVERSE) RECURSIONS(AS_BIAS)

        {{"gibbs", AP_INERTIA, "the library's own: gibbs-hessian-root", NULL},
         {.inertia = INERTIA_BY_DEFAULT}},
    {{"gibbs-hessian", AP_INERTIA, "Hessian of the Gibbs function (Provenzano et al. 2002)", NULL},
     {.inertia = BY_GIBBS_HESSIAN}},
    {{"gibbs-hessian-root", AP_INERTIA, "Hessian of the Gibbs function, in the root's axes", NULL},
     {.inertia = BY_GIBBS_HESSIAN_ROOT}},
    {{"gibbs-hessian-loads", AP_INERTIA,
      "Hessian of the Gibbs function, its loads carried in link frames", NULL},
     {.inertia = BY_GIBBS_HESSIAN_LOADS}},
    {{"composite-body", AP_INERTIA,
      "composite bodies about their centres of mass (Walker, Orin 1982)", NULL},
     {.inertia = BY_COMPOSITE_BODY}},
    {{"composite-body-origin", AP_INERTIA,
      "composite bodies about the joints' origins (Walker, Orin 1982, as Featherstone 1987)", NULL},
     {.inertia = BY_COMPOSITE_BODY_ORIGIN}},
    {{"orthogonal-complement", AP_INERTIA, "natural orthogonal complement (Angeles, Ma 1988)",
      REAL_FACTORS},
     {.inertia = BY_ORTHOGONAL_COMPLEMENT}},
    {{"gibbs-4x4", AP_INERTIA, ABOUT_GIBBS_4X4, NULL}, {.inertia = INERTIA_BY_GIBBS_4X4}},
    {{"lagrange-4x4", AP_INERTIA, ABOUT_LAGRANGE_4X4, NULL}, {.inertia = INERTIA_BY_LAGRANGE_4X4}},

    {{"gibbs", AP_FORWARD, "gibbs-ltdl, or articulated-body where paths are long", NULL},
     {.forward = FORWARD_BY_DEFAULT}},
    {{"gibbs-ltdl", AP_FORWARD, "gibbs-tensor bias, gibbs-hessian, L^T D L along the tree", NULL},
     {BY_GIBBS_TENSOR, BY_GIBBS_HESSIAN, FORWARD_BY_LTDL}},
    BY_MATRIX("gibbs", BY_GIBBS_TENSOR, BY_GIBBS_HESSIAN, "gibbs-tensor bias, gibbs-hessian", NULL),
    BY_MATRIX("composite-body", BY_NEWTON_EULER, BY_COMPOSITE_BODY,
              "newton-euler bias, composite-body", NULL),
    BY_MATRIX("composite-body-origin", BY_NEWTON_EULER, BY_COMPOSITE_BODY_ORIGIN,
              "newton-euler bias, composite-body-origin", NULL),
    BY_MATRIX("orthogonal-complement", BY_KANE, BY_ORTHOGONAL_COMPLEMENT,
              "kane bias, orthogonal-complement", REAL_FACTORS),
    {{"gibbs-4x4", AP_FORWARD, "gibbs-4x4 bias and inertia matrix, Cholesky", NULL},
     {BY_GIBBS_4X4, INERTIA_BY_GIBBS_4X4, FORWARD_BY_CHOLESKY}},
    {{"lagrange-4x4", AP_FORWARD, "lagrange-4x4 bias and inertia matrix, Cholesky", NULL},
     {BY_LAGRANGE_4X4, INERTIA_BY_LAGRANGE_4X4, FORWARD_BY_CHOLESKY}},
    {{"articulated-body", AP_FORWARD, "articulated bodies in link frames (Featherstone 1983)",
      NO_MIMIC},
     {.forward = FORWARD_BY_ARTICULATED_BODY}},
    {{"articulated-body-world", AP_FORWARD,
      "articulated bodies about the world's origin (Featherstone 1983)", NO_MIMIC},
     {.forward = FORWARD_BY_ARTICULATED_BODY_WORLD}},

    {{"gibbs-tensor", AP_GRAVITY, "Gibbs-Appell recursion in tensor form with v = a = 0", NULL},
     {.inverse = BY_GIBBS_TENSOR}},
    {{"bodies", AP_ENERGY, "sum over the bodies, seen from the ground", NULL}, {0}},
    {{"derivatives", AP_INVERSE_DERIVATIVES, "analytic, of the Gibbs function's derivative", NULL},
     {0}},
    {{"derivatives", AP_FORWARD_DERIVATIVES, "those of the inverse dynamics, L^T D L", NULL}, {0}},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

const ap_method *ap_method_at(int i) { return i >= 0 && i < METHODS ? &methods[i].method : NULL; }

const ap_method *ap_find_method(ap_quantity what, const char *name) {
  for (int i = 0; i < METHODS; i++)
    if (methods[i].method.what == what && (!name || strcmp(methods[i].method.name, name) == 0))
      return &methods[i].method;
  return NULL;
}

const char *ap_quantity_name(ap_quantity what) {
  static const char *const names[] = {"inverse", "forward", "inertia",  "bias",
                                      "gravity", "energy",  "dinverse", "dforward"};
  return what <= AP_FORWARD_DERIVATIVES ? names[what] : "unknown";
}

const char *ap_arithmetic_name(ap_arithmetic arithmetic) {
  static const char *const names[] = {"f64", "f32", "f128", "count"};
  return arithmetic <= AP_COUNT ? names[arithmetic] : "unknown";
}

// The largest matrix whose entries an int can count, and the largest three.
enum { MOST_INERTIA = 46340, MOST_DERIVATIVES = 26754 };

int ap_columns_in(const ap_model *m, ap_quantity what) {
  switch (what) {
    case AP_INVERSE:
    case AP_FORWARD:
    case AP_INVERSE_DERIVATIVES:
    case AP_FORWARD_DERIVATIVES: return m->nq + 2 * m->nv;
    case AP_BIAS:
    case AP_ENERGY: return m->nq + m->nv;
    case AP_INERTIA:
    case AP_GRAVITY: return m->nq;
  }
  return 0;
}

int ap_columns_out(const ap_model *m, ap_quantity what) {
  switch (what) {
    case AP_INERTIA: return m->nv > MOST_INERTIA ? 0 : m->nv * m->nv;
    case AP_INVERSE_DERIVATIVES:
    case AP_FORWARD_DERIVATIVES: return m->nv > MOST_DERIVATIVES ? 0 : 3 * m->nv * m->nv;
    case AP_ENERGY: return 2;
    case AP_INVERSE:
    case AP_FORWARD:
    case AP_BIAS:
    case AP_GRAVITY: break;
  }
  return m->nv;
}

struct ap_study {
  const ap_model *model;
  const study_ops *ops;
  void *work;
  ap_count count;
};

static const study_ops *ops_of(ap_arithmetic arithmetic) {
  switch (arithmetic) {
    case AP_F64: return &ap__study_f64;
    case AP_F32: return &ap__study_f32;
    case AP_F128:
#ifdef AP_HAVE_F128
      return &ap__study_f128;
#else
      return NULL;
#endif
    case AP_COUNT: return &ap__study_count;
  }
  return NULL;
}

size_t ap_study_size(const ap_model *m, ap_arithmetic arithmetic) {
  const study_ops *ops = ops_of(arithmetic);
  size_t room = ops ? ops->size(m) : 0;
  if (room == 0) return 0;
  ap_arena a = ap__arena(NULL);
  AP_TAKE_ALIGNED(&a, ap_study, 1);
  ap__take(&a, room, 1, AP_ARENA_ALIGN);
  return ap__arena_size(&a);
}

ap_study *ap_study_init(const ap_model *m, ap_arithmetic arithmetic, void *mem, size_t size) {
  const study_ops *ops = ops_of(arithmetic);
  size_t needed = ap_study_size(m, arithmetic);
  if (!ops || !mem || needed == 0 || size < needed) return NULL;
  ap_arena a = ap__arena(mem);
  ap_study *s = AP_TAKE_ALIGNED(&a, ap_study, 1);
  size_t room = ops->size(m);
  void *work = ap__take(&a, room, 1, AP_ARENA_ALIGN);
  *s = (ap_study){.model = m, .ops = ops};
  s->work = ops->init(m, work, room, &s->count);
  return s;
}

void ap_study_set_friction(ap_study *s, bool on) { s->ops->set_friction(s->work, on); }

void ap_study_set_gravity(ap_study *s, const double gravity[3]) {
  s->ops->set_gravity(s->work, gravity);
}

ap_status ap_study_eval(ap_study *s, const ap_method *method, const double *in, double *out,
                        ap_count *count) {
  if (!method) return AP_E_ARG;
  int i = 0;
  while (i < METHODS && &methods[i].method != method) i++;
  if (i == METHODS) return AP_E_ARG;
  if (ap_columns_out(s->model, method->what) == 0 && s->model->nv > 0) return AP_E_UNSUPPORTED;
  s->count = (ap_count){0};
  ap_status status = s->ops->eval(s->work, method->what, methods[i].by, in, out);
  if (count) *count = s->count;
  return status;
}

void ap_study_regressor(ap_study *s, const double *in, double *K, ap_count *count) {
  s->count = (ap_count){0};
  s->ops->regressor(s->work, in, K);
  if (count) *count = s->count;
}
