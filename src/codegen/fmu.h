// SPDX-License-Identifier: Apache-2.0
// What an FMU is made of.

#ifndef AP_CODEGEN_FMU_H
#define AP_CODEGEN_FMU_H

#include <appell/codegen.h>
#include <appell/sim.h>

#include "codegen/symbol.h"
#include "file/columns.h"
#include "file/text.h"

/// The functions of FMI 3.0, in pieces up to a NULL, of the FMU of a tree, of closed chains, and of
/// a scene.
extern const char *const ap__fmu_of_tree[], *const ap__fmu_of_closed_chain[],
                                                *const ap__fmu_of_scene[];

/// A robot on its way into an FMU.
typedef struct ap_fmu_parts {
  const ap_model *m;
  const ap_mechanism *mechanism; // of which m is the tree; else NULL
  const ap_scene *scene;         // that the simulator runs inside the FMU; else NULL
  int nq, nv, nu;                // states and inputs
  const ap_fmu_options *options;
  ap_code *code;        // of its dynamics; NULL with a scene
  ap__text definitions; // of the scene, as C
  char symbol[AP_SYMBOL_ROOM];
  const char *name;  // the model identifier
  char token[72];    // by which the description and the code know each other
  ap__columns state; // q, then v
  ap__columns input; // tau
  double *start;     // [nq + nv]
  const double *at;  // of a mechanism: configuration of the tree where it begins
} ap_fmu_parts;

/// What an FMU of a scene has besides states and inputs: names and units of outputs, up to a NULL.
extern const char *const ap__fmu_outputs[][2];

/// The FMU of these parts, of which it takes all that open_parts() of fmu.c makes.
ap_status ap__make_fmu(ap_fmu_parts f, ap_fmu **fmu, ap_error *error);

/// modelDescription.xml, buildDescription.xml and terminalsAndIcons.xml.
void ap__put_model_description(ap__text *t, const ap_fmu_parts *f);
void ap__put_build_description(ap__text *t, const ap_fmu_parts *f);
void ap__put_terminals(ap__text *t, const ap_fmu_parts *f);

/// The source files compiled to a shared library, whose bytes are put into *binary.
/// AP_E_UNSUPPORTED or AP_E_FILE where that cannot be done here.
ap_status ap__compile_fmu(const ap_fmu_parts *f, const char *source, ap__text *binary,
                          ap_error *error);

#endif
