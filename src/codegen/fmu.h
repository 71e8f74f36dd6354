// SPDX-License-Identifier: Apache-2.0
// What an FMU is made of.

#ifndef AP_CODEGEN_FMU_H
#define AP_CODEGEN_FMU_H

#include <appell/codegen.h>

#include "file/columns.h"
#include "file/text.h"

/// The functions of FMI 3.0, in pieces up to a NULL: types; the model, of trees or of closed
/// chains; the rest.
extern const char *const ap__fmu_head[], *const ap__fmu_tree[], *const ap__fmu_closed[],
                                                                    *const ap__fmu_text[];

/// A robot on its way into an FMU.
typedef struct ap_fmu_parts {
  const ap_model *m;
  const ap_mechanism *mechanism; // of which m is the tree; else NULL
  int nq, nv, nu;                // states and inputs
  const ap_fmu_options *options;
  ap_code *code;     // of its dynamics
  const char *name;  // the model identifier
  char token[72];    // by which the description and the code know each other
  ap__columns state; // q, then v
  ap__columns input; // tau
  double *start;     // [nq + nv]
  const double *at;  // of a mechanism: configuration of the tree where it begins
} ap_fmu_parts;

/// modelDescription.xml, buildDescription.xml and terminalsAndIcons.xml.
void ap__put_model_description(ap__text *t, const ap_fmu_parts *f);
void ap__put_build_description(ap__text *t, const ap_fmu_parts *f);
void ap__put_terminals(ap__text *t, const ap_fmu_parts *f);

/// The source files compiled to a shared library, whose bytes are put into *binary.
/// AP_E_UNSUPPORTED or AP_E_FILE where that cannot be done here.
ap_status ap__compile_fmu(const ap_fmu_parts *f, const char *source, ap__text *binary,
                          ap_error *error);

#endif
