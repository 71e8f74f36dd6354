// SPDX-License-Identifier: Apache-2.0
/// @file excite.h
/// What `appell excite` lets a robot do: which joints move how far and fast, what they keep clear
/// of.

#ifndef CLI_EXCITE_H
#define CLI_EXCITE_H

#include <appell/ident.h>

#include "load.h"
#include "ui/output.h"

enum {
  EXCITE_OUTPUT,
  EXCITE_PERIOD,
  EXCITE_HARMONICS,
  EXCITE_RATE,
  EXCITE_VELOCITY,
  EXCITE_ACCELERATION,
  EXCITE_FRICTION,
  EXCITE_ROTOR,
  EXCITE_JOINTS,
  EXCITE_RANGE,
  EXCITE_SPEED,
  EXCITE_MARGIN,
  EXCITE_FLOOR,
  EXCITE_BOX,
  EXCITE_FRAME,
  EXCITE_CLEARANCE,
  EXCITE_NO_SELF,
  EXCITE_RADIUS,
  EXCITE_MESHES,
  EXCITE_EFFORT,
  EXCITE_SEED,
  EXCITE_IGNORE_MIMIC,
  EXCITE_IGNORE_LOOPS,
  EXCITE_JSON,
  EXCITE_PLOT
};

/// Arrays that the options point to, and the obstacles. All zero is empty.
typedef struct excite_scene {
  double *number; ///< [4 nv] lower, upper, scales of velocity and acceleration
  bool *rests;    ///< [nv]
  ap_capsule *capsules;
  int ncapsules;
  ap_clearance *clearance;
  ap_clearance_def def;
} excite_scene;

/// Read the options about joints and obstacles into *o. Reports what is wrong and returns a status
/// other than CLI_OK. To be freed in any case.
int excite_scene_read(const cli_model *model, const cli_arguments *a, ap_excite_options *o,
                      excite_scene *scene);
void excite_scene_free(excite_scene *scene);
/// What was kept clear of, and how far it is: for people, and as members of an open JSON object.
void excite_scene_print(cli_out *out, const ap_model *m, const excite_scene *scene,
                        const ap_excitation *found);
void excite_scene_json(ap_json *j, const ap_model *m, const excite_scene *scene,
                       const ap_excitation *found);

/// Draw a motion against the limits of the joints.
int excite_draw(const ap_model *m, ap_work *w, const ap_traj *t, const char *path);

#endif
