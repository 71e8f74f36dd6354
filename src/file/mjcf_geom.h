// SPDX-License-Identifier: Apache-2.0
// MJCF: geoms, what they are and what they weigh.

#ifndef AP_FILE_MJCF_GEOM_H
#define AP_FILE_MJCF_GEOM_H

#include "file/mjcf_mesh.h"

typedef enum mjcf_geom_type {
  MJCF_PLANE,
  MJCF_HFIELD,
  MJCF_SPHERE,
  MJCF_CAPSULE,
  MJCF_ELLIPSOID,
  MJCF_CYLINDER,
  MJCF_BOX,
  MJCF_MESH_GEOM,
  MJCF_SDF
} mjcf_geom_type;

typedef struct mjcf_geom {
  mjcf_geom_type type;
  double size[3];  // half sizes, as MuJoCo has them
  mjcf_pose place; // in the body's frame
  mjcf_mesh *mesh; // NULL: none
} mjcf_geom;

// Type, size and place as written; a shape that is fitted to a mesh has no size yet. False: it is
// wrong.
bool ap__mjcf_read_geom(mjcf *m, const mjcf_item *item, mjcf_geom *geom);
// Its mass in the body's frame, and its principal axes; false: it has none, or the reading ends.
bool ap__mjcf_weigh(mjcf *m, const mjcf_item *item, ap__solid *solid, mjcf_pose *axes);

#endif
