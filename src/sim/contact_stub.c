// In place of contacts that last, until they are there.

#include "sim/contact.h"

#define WEAK __attribute__((weak))

WEAK size_t ap__contact_scratch(const ap_model *m, int n) {
  (void)m, (void)n;
  return 64;
}

WEAK ap_status ap__contact_modes(const ap_model *m, ap_work *w, const double *q, const double *v,
                                 const double *tau, int n, ap_resting *resting, bool *keep,
                                 void *scratch) {
  (void)m, (void)w, (void)q, (void)v, (void)tau, (void)n, (void)resting, (void)scratch;
  for (int i = 0; i < n; i++) keep[i] = false;
  return AP_E_UNSUPPORTED;
}

WEAK ap_status ap__contact_accelerations(const ap_model *m, ap_work *w, const double *q,
                                         const double *v, const double *tau, int n,
                                         ap_resting *resting, double *a, void *scratch) {
  (void)m, (void)w, (void)q, (void)v, (void)tau, (void)n, (void)resting, (void)a, (void)scratch;
  return AP_E_UNSUPPORTED;
}

WEAK ap_status ap__contact_project(const ap_model *m, ap_work *w, double *q, double *v, int n,
                                   const ap_resting *resting, void *scratch, double *lost) {
  (void)m, (void)w, (void)q, (void)v, (void)n, (void)resting, (void)scratch, (void)lost;
  return AP_E_UNSUPPORTED;
}
