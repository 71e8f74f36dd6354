// SPDX-License-Identifier: Apache-2.0
// A scene as C source.

#ifndef AP_CODEGEN_FMU_SCENE_SOURCE_H
#define AP_CODEGEN_FMU_SCENE_SOURCE_H

#include <appell/sim.h>

#include "file/text.h"

/// Definitions ROBOT, MECHANISM (NULL of a tree), POINT, SHAPE, HAS_SHAPE, HULL_OF, CORNERS,
/// CORNER_COUNT, CONSTANT, TABLE, PLACE and SCENE, with the numbers NPOINT and NHULL and room for
/// both. SCENE has neither model nor points nor forces. The force of the scene, where there is one,
/// is a scenario's. m is the robot, of a mechanism its tree.
void ap__put_scene(ap__text *t, const ap_scene *s, const ap_model *m);

#endif
