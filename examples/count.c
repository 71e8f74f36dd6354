// SPDX-License-Identifier: Apache-2.0
// What a state of the PUMA 600 costs: every method of inverse dynamics, of the inertia matrix and
// of forward dynamics counts its own operations, beside the formulas that Mata et al. (2002) print
// for n joints with general parameters. The PUMA has right angles and zeros, which cost nothing.

#include <appell/appell.h>
#include <appell/research.h>
#include <stdio.h>

static unsigned char model_memory[8192], study_memory[262144];

static const ap_quantity quantities[] = {AP_INVERSE, AP_INERTIA, AP_FORWARD};

// The operations of one method in one state; false where it cannot be computed.
static bool count_method(const ap_model *m, ap_study *s, const ap_method *method, ap_count *count) {
  double in[3 * 6], out[6 * 6];
  if (ap_nq(m) != 6 || ap_nv(m) != 6) return false;
  for (int k = 0; k < 3 * 6; k++) in[k] = 0.1 * (k + 1);
  return ap_study_eval(s, method, in, out, count) == AP_OK;
}

int main(void) {
  ap_model *m = ap_model_init(ap_builtin("puma600"), model_memory, sizeof model_memory, NULL);
  ap_study *s = m ? ap_study_init(m, AP_COUNT, study_memory, sizeof study_memory) : NULL;
  if (!s) return fprintf(stderr, "not enough memory\n"), 1;
  for (size_t k = 0; k < sizeof quantities / sizeof quantities[0]; k++) {
    for (int i = 0; ap_method_at(i); i++) {
      const ap_method *method = ap_method_at(i);
      ap_count c;
      if (method->what != quantities[k]) continue;
      if (!count_method(m, s, method, &c)) return fprintf(stderr, "%s failed\n", method->name), 1;
      printf("%-8s %-34s %5ld mul %5ld add %3ld div %3ld sincos\n", ap_quantity_name(method->what),
             method->name, c.mul, c.add, c.div, c.sincos);
    }
  }
  const int n = ap_nv(m);
  printf("printed  inverse: 96n - 101 = %d mul, 84n - 100 = %d add\n", 96 * n - 101, 84 * n - 100);
  printf("printed  inertia: 11.5n^2 + 19.5n - 49 = %g mul, 8.5n^2 + 31.5n - 69 = %g add\n",
         11.5 * n * n + 19.5 * n - 49, 8.5 * n * n + 31.5 * n - 69);
  return 0;
}
