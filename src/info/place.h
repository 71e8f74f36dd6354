// Where a frame stands in another one.

#ifndef APPELL_INFO_PLACE_H
#define APPELL_INFO_PLACE_H

#include <appell/model.h>

// x in the outer frame = R x + p, R row-major.
typedef struct ap__place {
  double R[9], p[3];
} ap__place;

// A frame on another one's place.
ap__place ap__place_none(void);
// By xyz and roll, pitch, yaw as in URDF.
ap__place ap__place_rpy(const double xyz[3], const double rpy[3]);
// Of a link on a fixed joint in the frame of its parent.
ap__place ap__place_fixed(const ap_placement *placement);
// Of a frame that stands at inner in a frame that stands at outer.
ap__place ap__place_join(const ap__place *outer, const ap__place *inner);
// Its roll, pitch and yaw; yaw is 0 where pitch is a right angle.
void ap__place_angles(const ap__place *place, double rpy[3]);

#endif
