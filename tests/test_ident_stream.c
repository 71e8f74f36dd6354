// Memory of a reduction: a hundred thousand rows take no more than the first ten thousand.

#include <appell/ident.h>
#include <sys/resource.h>

#include "identify.h"

// Largest resident size so far, kB.
static long peak(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : -1;
}

// AddressSanitizer keeps what was freed.
#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREED = true };
#else
enum { KEEPS_FREED = false };
#endif

// 25000 states of a robot with four joints. What is left of the forces shows that none was lost:
// the noise is known, and its deviation is found to 1 / sqrt(2 * 25000) = 0.45 %, six times that.
TEST(many_rows_in_constant_memory) {
  arm a;
  if (!arm_builtin(&a, "scara", all_drives)) return;
  rng r = rng_seed(1);
  double p[MOST_P], want[MOST_P];
  const double noise[MOST_V] = {0.5, 0.2, 0.1, 0.05};
  hidden_parameters(&r, &a, p);
  ap_base_values(a.base, p, want);
  ap_reduction *red = NULL;
  CHECK_OK(ap_reduction_create(a.id, 5, &red, &a.error));
  wave w = random_wave(&r, 4);
  take_in(red, &a, &w, p, 2500, noise, &r);
  ap_fit_free(fit_by(&a, red, AP_FIT_WEIGHTED));
  long before = peak();
  for (int part = 0; part < 9; part++) {
    w = random_wave(&r, 4);
    take_in(red, &a, &w, p, 2500, noise, &r);
  }
  ap_fit *fit = fit_by(&a, red, AP_FIT_WEIGHTED);
  CHECK(peak() - before < 1024 || KEEPS_FREED); // 1 MB; the rows would be 30
  long rows = 0;
  for (int j = 0; j < 4; j++) rows += ap_reduction_rows(red, j, NULL);
  CHECK_EQ_INT((int)rows, 100000);
  for (int j = 0; fit && j < 4; j++) CHECK_CLOSE(fit->noise[j] / noise[j], 1, 0.027);
  for (int k = 0; fit && k < fit->n; k++)
    CHECK(fabs(fit->value[k] - want[k]) <= 4 * fit->deviation[k]);
  ap_fit_free(fit), ap_reduction_free(red), arm_free(&a);
}
