// The kernels in the tape arithmetic, run once for one model.

#include "kin/text_tape.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "codegen/program.h"
#include "codegen/regroup.h"
#include "dyn/text.inc"
#include "dyn/compared.inc"
#include "codegen/gibbs_base.inc"

#define OWN_FRAMES         false
#define PACKED_REAL        double
#define PARAM(ctx, x)      r_param(ctx, x)
#define OFFLINE(ctx, x)    ((void)(ctx), (x))
#define MERGE_INERTIA      ap__merge_inertia_f64
#define ARITHMETIC_EPSILON DBL_EPSILON

// Entries that are nothing but rounding beside the largest of their vector or tensor are zero.
static void clean(double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  for (int k = 0; k < n; k++)
    if (fabs(x[k]) < 2 * DBL_EPSILON * most) x[k] = 0;
}

TEXT void pack_for_work(const ap_model *m, WORK *w) {
  memcpy(w->packed_body, m->packed_body, sizeof *m->packed_body * (size_t)m->nbody);
  for (int i = 0; i < m->nbody; i++) {
    clean(w->packed_body[i].s, 3);
    clean(w->packed_body[i].com, 3);
    clean(w->packed_body[i].inertia, 6);
  }
  w->packed_frame = m->packed_frame;
}

#include "dyn/setup.inc"
#include "kin/coordinates.inc"
#include "dyn/equations.inc"

static const KERNELS kernels = KERNEL_TABLE("tape");

// A model on its way onto a tape.
typedef struct recorder {
  const ap_model *m;
  void *memory; // of the work
  WORK *w;
  ap_lumps *lumps; // [nbody]
  base_body *base; // [nbody]
  bool regroup;
} recorder;

static void close_recorder(recorder *r) {
  free(r->memory);
  free(r->lumps);
  free(r->base);
}

// The regrouped parameters in the place of the model's own, for inverse dynamics and inertia.
static void set_base(recorder *r, ap_tape *t) {
  WORK *w = r->w;
  ap__lumps_of(r->m, r->lumps);
  ap__regroup(r->m, r->lumps);
  for (int i = 0; i < w->nbody; i++) {
    ap_lumps *x = &r->lumps[i];
    clean(x->moment, 3);
    clean(x->inertia, 6);
    body *b = &w->body[i];
    b->mass = b->composite_mass = r_param(t, x->mass);
    b->c = constant3(t, x->moment);
    b->E = constant_sym(t, x->inertia);
    r->base[i] = (base_body){b->mass, b->c, euler_tensor(b->E)};
    if (b->type == AP_REVOLUTE) r->base[i].J.zz = r_const(0);
  }
  add_composites(w);
}

static bool open_recorder(recorder *r, const ap_model *m, bool regroup, ap_tape *t) {
  size_t size = work_size(m, false), n = (size_t)m->nbody;
  *r = (recorder){.m = m, .regroup = regroup};
  r->memory = size ? malloc(size) : NULL;
  r->lumps = malloc(n * sizeof *r->lumps);
  r->base = malloc(n * sizeof *r->base);
  if (!r->memory || !r->lumps || !r->base) return false;
  r->w = work_init(m, false, r->memory, size, t);
  r->w->kernels = &kernels;
  if (regroup) set_base(r, t);
  return true;
}

// ---- functions ---------------------------------------------------------------------------------

// v and a may be NULL for zeros.
static void record_inverse(recorder *r, const real *q, const real *v, const real *a, real *tau) {
  WORK *w = r->w;
  if (!r->regroup) {
    inverse(w, q, v, a, NULL, tau);
    return;
  }
  bool mimic = model_has_mimic(r->m);
  q = expand_q(w, q), v = expand_v(w, v, w->v), a = expand_v(w, a, w->a);
  gibbs_base_inverse(w, r->base, q, v, a, mimic ? w->tau : tau);
  if (mimic) contract_columns(w, 1, w->tau, tau);
}

// By the factorised inertia matrix; what tells whether it is singular goes into pivot.
static void record_forward(recorder *r, const real *q, const real *v, const real *tau, real *a,
                           real *pivot) {
  WORK *w = r->w;
  int n = r->m->nv;
  record_inverse(r, q, v, NULL, w->x);
  inertia(w, q, w->L);
  for (int k = 0; k < n; k++) pivot[2 * k] = w->L[k * n + k];
  factorize(n, elimination(w), w->L);
  for (int k = 0; k < n; k++) pivot[2 * k + 1] = w->L[k * n + k];
  for (int k = 0; k < n; k++) a[k] = r_sub(tau[k], w->x[k]);
  solve(n, elimination(w), w->L, a);
}

static void record_jacobian(recorder *r, int frame, const real *q, real *J) {
  WORK *w = r->w;
  bool mimic = model_has_mimic(r->m);
  see_from_ground(w, expand_q(w, q), NULL, NULL);
  frame_jacobian(w, frame, AP_MIXED, mimic ? w->jacobian : J);
  if (mimic) contract_columns(w, 6, w->jacobian, J);
}

static void run_kernels(recorder *r, ap_program *p, const real *in) {
  const real *q = in, *v = q + r->m->nq, *a = v + r->m->nv;
  real *out = p->value;
  switch (p->function) {
    case AP_GEN_INVERSE: record_inverse(r, q, v, a, out); break;
    case AP_GEN_INERTIA: inertia(r->w, q, out); break;
    case AP_GEN_BIAS: record_inverse(r, q, v, NULL, out); break;
    case AP_GEN_GRAVITY: record_inverse(r, q, NULL, NULL, out); break;
    case AP_GEN_FORWARD: record_forward(r, q, v, a, out, out + p->values); break;
    case AP_GEN_JACOBIAN: record_jacobian(r, p->frame, q, out); break;
    case AP_FUNCTIONS: break;
  }
}

// The arrays of a function, as its prototype has them.
static void set_arrays(const ap_model *m, ap_program *p) {
  int nq = m->nq, nv = m->nv;
  ap_array q = {"q", nq}, v = {"v", nv}, a = {"a", nv}, tau = {"tau", nv};
  p->input[0] = q, p->input[1] = v;
  p->outputs = 1, p->output[0] = tau;
  switch (p->function) {
    case AP_GEN_INVERSE: p->inputs = 3, p->input[2] = a, p->in_place = true; break;
    case AP_GEN_INERTIA: p->inputs = 1, p->output[0] = (ap_array){"M", nv * nv}; break;
    case AP_GEN_BIAS: p->inputs = 2; break;
    case AP_GEN_GRAVITY: p->inputs = 1; break;
    case AP_GEN_FORWARD:
      p->inputs = 3, p->input[2] = tau, p->output[0] = a;
      p->in_place = true, p->pivots = nv;
      break;
    case AP_GEN_JACOBIAN: p->inputs = 1, p->output[0] = (ap_array){"J", 6 * nv}; break;
    case AP_FUNCTIONS: break;
  }
  for (int k = 0; k < p->outputs; k++) p->values += p->output[k].size;
}

// All inputs of a program, one array after the other.
static real *record_inputs(ap_program *p) {
  int count = 0;
  for (int k = 0; k < p->inputs; k++) count += p->input[k].size;
  real *in = malloc(((size_t)count + 1) * sizeof *in);
  for (int k = 0, n = 0; in && k < p->inputs; k++)
    for (int i = 0; i < p->input[k].size; i++) in[n++] = ap__tape_input(&p->tape, k, i);
  return in;
}

void ap__program_free(ap_program *p) {
  ap__tape_close(&p->tape);
  free(p->value);
}

ap_status ap__record(const ap_model *m, ap_function function, int frame, bool regroup,
                     ap_program *p, ap_error *error) {
  *p = (ap_program){.function = function, .frame = frame};
  set_arrays(m, p);
  recorder r = {0};
  real *in = NULL;
  p->value = malloc(((size_t)ap__program_values(p) + 1) * sizeof *p->value);
  bool fits = p->value && ap__tape_open(&p->tape);
  fits = fits && (in = record_inputs(p)) && open_recorder(&r, m, regroup, &p->tape);
  if (fits) run_kernels(&r, p, in);
  fits = fits && !p->tape.failed;
  close_recorder(&r);
  free(in);
  if (fits) return AP_OK;
  ap__program_free(p);
  ap__fail(error, AP_E_MEMORY, 0, "%s", ap_status_text(AP_E_MEMORY));
  return AP_E_MEMORY;
}
