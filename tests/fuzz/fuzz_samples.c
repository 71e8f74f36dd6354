// SPDX-License-Identifier: Apache-2.0
// Any bytes as the log that `appell identify` reads: an error, or samples of finite numbers; then
// states to identify from, or an error.

#include <appell/file.h>
#include <appell/ident.h>
#include <math.h>
#include <string.h>

#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_samples(const ap_samples *x, int nq, int nv) {
  fuzz_expect(x->n >= 0 && x->t && x->q && x->tau);
  for (int i = 0; i < x->n; i++) {
    fuzz_expect(isfinite(x->t[i]));
    for (int j = 0; j < nq; j++) fuzz_expect(isfinite(x->q[i * nq + j]));
    for (int j = 0; j < nv; j++) fuzz_expect(isfinite(x->tau[i * nv + j]));
    for (int j = 0; j < nv && x->v; j++) fuzz_expect(isfinite(x->v[i * nv + j]));
    for (int j = 0; j < nv && x->a; j++) fuzz_expect(isfinite(x->a[i * nv + j]));
  }
}

// A robot with a joint of one coordinate and one of several; made once.
static const ap_ident *make_ident(void) {
  static ap_ident *ident;
  static ap_robot *robot;
  static ap_model *model;
  if (ident) return ident;
  const ap_read_options options = {.floating = true};
  fuzz_expect(ap_robot_builtin("ascher2", &options, &robot, NULL) == AP_OK);
  fuzz_expect(ap_robot_model(robot, &model, NULL) == AP_OK);
  fuzz_expect(ap_ident_create(model, &(ap_ident_options){.viscous = true}, &ident, NULL) == AP_OK);
  return ident;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ap_ident *ident = make_ident();
  char path[FUZZ_PATH];
  ap_samples *samples = NULL;
  ap_dataset *states = NULL;
  ap_error error = {0};
  ap_status status = ap_samples_read(ident, fuzz_file(data, size, ".csv", path), &samples, &error);
  fuzz_expect((status == AP_OK) == (samples != NULL));
  const bool lines = (size < 8 || memcmp(data, "\x89HDF\r\n\x1a\n", 8) != 0) && // HDF5 has none,
                     (size < 1 || data[0] != 0x93);                             // nor has .npy
  fuzz_expect(samples || (error.status == status && error.text[0] && (!lines || error.line >= 1)));
  if (samples) {
    check_samples(samples, 9, 8);
    for (int k = 0; k < 2; k++) {
      ap_prepare_options prepare = ap_default_prepare();
      prepare.always = k == 1;
      error = (ap_error){0};
      status = ap_dataset_prepare(ident, samples, &prepare, &states, &error);
      fuzz_expect((status == AP_OK) == (states != NULL) && (states || error.text[0]));
      ap_dataset_free(states);
      states = NULL;
    }
  }
  ap_samples_free(samples);
  return 0;
}
