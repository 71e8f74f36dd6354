// SPDX-License-Identifier: Apache-2.0
// What the doctor asks of libappell-research: its rule "single-precision" compares float with the
// best arithmetic there is. That library has every method in every arithmetic, 2 MB of WebAssembly;
// here the library's own functions answer, in float and in double. There is no binary128.

#include <appell/dyn.h>
#include <appell/research.h>

#include <stdint.h>

struct ap_study {
  const ap_model *m;
  ap_work *w;       // NULL: in float
  ap_work_f32 *f32; // NULL: in double
  float *x;         // [nq + 4 nv] of float: a state and its result
};

static const ap_method methods[] = {{.name = "gibbs-appell", .what = AP_INVERSE, .about = ""},
                                    {.name = "gibbs-appell", .what = AP_FORWARD, .about = ""}};

const ap_method *ap_find_method(ap_quantity what, const char *name) {
  (void)name;
  return what == AP_INVERSE ? &methods[0] : what == AP_FORWARD ? &methods[1] : NULL;
}

static size_t floats(const ap_model *m) {
  return (size_t)(ap_nq(m) + 4 * ap_nv(m) + 4) * sizeof(float);
}

size_t ap_study_size(const ap_model *m, ap_arithmetic arithmetic) {
  if (arithmetic == AP_F64) return sizeof(ap_study) + 16 + floats(m) + ap_work_size(m);
  if (arithmetic == AP_F32) return sizeof(ap_study) + 16 + floats(m) + ap_work_size_f32(m);
  return 0;
}

ap_study *ap_study_init(const ap_model *m, ap_arithmetic arithmetic, void *mem, size_t size) {
  if (size == 0 || size < ap_study_size(m, arithmetic)) return NULL;
  ap_study *s = (ap_study *)(((uintptr_t)mem + 15) & ~(uintptr_t)15);
  unsigned char *behind = (unsigned char *)(s + 1) + floats(m);
  const size_t left = size - (size_t)(behind - (unsigned char *)mem);
  *s = (ap_study){.m = m, .x = (float *)(s + 1)};
  if (arithmetic == AP_F64) s->w = ap_work_init(m, behind, left);
  if (arithmetic == AP_F32) s->f32 = ap_work_init_f32(m, behind, left);
  return s->w || s->f32 ? s : NULL;
}

static ap_status in_float(ap_study *s, ap_quantity what, const double *in, double *out) {
  const int nq = ap_nq(s->m), nv = ap_nv(s->m), n = nq + 2 * nv;
  float *q = s->x, *v = q + nq, *a = v + nv, *y = a + nv;
  ap_status status = AP_OK;
  for (int i = 0; i < n; i++) q[i] = (float)in[i];
  if (what == AP_INVERSE)
    ap_inverse_dynamics_f32(s->m, s->f32, q, v, a, y);
  else
    status = ap_forward_dynamics_f32(s->m, s->f32, q, v, a, y);
  for (int i = 0; i < nv && status == AP_OK; i++) out[i] = (double)y[i];
  return status;
}

ap_status ap_study_eval(ap_study *s, const ap_method *method, const double *in, double *out,
                        ap_count *count) {
  (void)count;
  if (s->f32) return in_float(s, method->what, in, out);
  const double *v = in + ap_nq(s->m), *a = v + ap_nv(s->m);
  if (method->what == AP_FORWARD) return ap_forward_dynamics(s->m, s->w, in, v, a, out);
  ap_inverse_dynamics(s->m, s->w, in, v, a, out);
  return AP_OK;
}
