// Every method in every arithmetic, by name.

#include <appell/research.h>

#include <string.h>

#include "base/arena.h"
#include "dyn/study.h"
#include "model/frozen.h"
#include "num/f128.h"

static const struct {
  ap_method method;
  study_method which;
} methods[] = {
    {{"gibbs-tensor", AP_INVERSE,
      "Gibbs-Appell recursion in tensor form (Mata et al. 2002, section 4.1)"},
     STUDY_DEFAULT},
    {{"gibbs", AP_FORWARD, "gibbs-cholesky, or articulated-body where paths are long"},
     STUDY_DEFAULT},
    {{"gibbs-cholesky", AP_FORWARD,
      "bias and Gibbs Hessian, factorised along the tree (Mata et al. 2002, section 4.2)"},
     STUDY_FACTORIZED},
    {{"articulated-body", AP_FORWARD,
      "articulated bodies in link frames (Featherstone 1983); no mimic joints"},
     STUDY_ARTICULATED},
    {{"gibbs-hessian", AP_INERTIA, "Hessian of the Gibbs function (Provenzano et al. 2002)"},
     STUDY_DEFAULT},
    {{"gibbs-tensor", AP_BIAS, "Gibbs-Appell recursion in tensor form with a = 0"}, STUDY_DEFAULT},
    {{"gibbs-tensor", AP_GRAVITY, "Gibbs-Appell recursion in tensor form with v = a = 0"},
     STUDY_DEFAULT},
    {{"bodies", AP_ENERGY, "sum over the bodies, seen from the ground"}, STUDY_DEFAULT},
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
  static const char *const names[] = {"inverse", "forward", "inertia", "bias", "gravity", "energy"};
  return what <= AP_ENERGY ? names[what] : "unknown";
}

const char *ap_arithmetic_name(ap_arithmetic arithmetic) {
  static const char *const names[] = {"f64", "f32", "f128", "count"};
  return arithmetic <= AP_COUNT ? names[arithmetic] : "unknown";
}

// The largest matrix whose entries an int can count.
enum { MOST_INERTIA = 46340 };

int ap_columns_in(const ap_model *m, ap_quantity what) {
  switch (what) {
    case AP_INVERSE:
    case AP_FORWARD: return m->nq + 2 * m->nv;
    case AP_BIAS:
    case AP_ENERGY: return m->nq + m->nv;
    case AP_INERTIA:
    case AP_GRAVITY: return m->nq;
  }
  return 0;
}

int ap_columns_out(const ap_model *m, ap_quantity what) {
  if (what == AP_ENERGY) return 2;
  if (what == AP_INERTIA && m->nv > MOST_INERTIA) return 0;
  return what == AP_INERTIA ? m->nv * m->nv : m->nv;
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
  ap_status status = s->ops->eval(s->work, method->what, methods[i].which, in, out);
  if (count) *count = s->count;
  return status;
}
