// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets for robot files share.

#ifndef AP_FUZZ_ROBOT_H
#define AP_FUZZ_ROBOT_H

#include <appell/loop.h>
#include <stdlib.h>

#include "file/text.h"
#include "fuzz_file.h"

// What was read can be written, or is refused with a reason; what was written can be read.
static inline void fuzz_write(const ap_robot *robot, const char *format, bool must_read) {
  ap_error error = {0};
  ap__text text = {0};
  ap_robot *back = NULL;
  ap_status status = format[0] == 'u'   ? ap__urdf_write(robot, &text, &error)
                     : format[0] == 'm' ? ap__mjcf_write(robot, "", &text, NULL, NULL, &error)
                                        : ap__yaml_write(robot, &text, &error);
  fuzz_expect(status == AP_OK || (status == AP_E_UNSUPPORTED && error.text[0]));
  if (status == AP_OK) {
    status = ap_robot_parse(text.text, text.length, format, NULL, &back, &error);
    fuzz_expect(status == AP_OK || !must_read);
    if (must_read) {
      const ap_mechanism_def *was = ap_robot_mechanism(robot), *is = ap_robot_mechanism(back);
      fuzz_expect(ap_robot_definition(back)->nbody == ap_robot_definition(robot)->nbody);
      fuzz_expect(!was == !is);
      fuzz_expect(!was || (was->nclosure == is->nclosure && was->ncoordinate == is->ncoordinate &&
                           was->nactuated == is->nactuated && was->nbranch == is->nbranch));
    }
    ap_robot_free(back);
  }
  ap__text_free(&text);
}

// A mechanism that was built is closed from its guess, where that is cheap: it ends in any case.
static inline void fuzz_close(const ap_mechanism *m) {
  ap_assembly found;
  if (ap_nv(ap_mechanism_tree(m)) > 30 || ap_mechanism_nrow(m) > 60) return;
  ap_loop *l = ap_loop_make(m);
  double *q = calloc((size_t)ap_mechanism_n(m), sizeof *q);
  if (l && q) {
    ap_status status = ap_loop_place(m, l, q, &found);
    fuzz_expect(found.closure_error >= 0 && found.coordinate_error >= 0);
    fuzz_expect(status == AP_OK || status == AP_E_UNREACHABLE || status == AP_E_SINGULAR_SERIAL ||
                status == AP_E_MODEL);
  }
  free(q);
  ap_loop_free(l);
}

static inline void fuzz_robot(const char *text, size_t size, const char *format) {
  for (int k = 0; k < 4; k++) {
    ap_read_options options = {.floating = k & 1, .ignore_mimic = (k & 2) != 0};
    ap_error error = {0};
    ap_robot *robot = NULL;
    ap_status status = ap_robot_parse(text, size, format, &options, &robot, &error);
    fuzz_expect((status == AP_OK) == (robot != NULL));
    if (status != AP_OK) {
      fuzz_expect(error.status == status && error.text[0]);
      fuzz_expect(error.line >= 1 || status == AP_E_ARG);
      if (k == 0) return;
      continue;
    }
    ap_model *model = NULL;
    ap_mechanism *mechanism = NULL;
    status = ap_robot_mechanism(robot) ? ap_mechanism_make(robot, &mechanism, &error)
                                       : ap_robot_model(robot, &model, &error);
    fuzz_expect((status == AP_OK) == (model || mechanism));
    fuzz_expect(status == AP_OK || error.text[0]);
    if (mechanism) fuzz_close(mechanism);
    if (k == 0 && (model || mechanism)) {
      fuzz_write(robot, "yaml", true);
      fuzz_write(robot, "urdf", false);
      fuzz_write(robot, "mjcf", false);
    }
    ap_model_free(model);
    ap_mechanism_free(mechanism);
    ap_robot_free(robot);
  }
}

#endif
