/// @file place.h
/// Where a frame stands in another one.

#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <appell/model.h>

/// x in the outer frame = R x + p, R row-major.
typedef struct cli_place {
  double R[9], p[3];
} cli_place;

/// A frame on another one's place.
cli_place cli_place_none(void);
/// By xyz and roll, pitch, yaw as in URDF.
cli_place cli_place_rpy(const double xyz[3], const double rpy[3]);
/// Of a link on a fixed joint in the frame of its parent.
cli_place cli_place_fixed(const ap_placement *placement);
/// Of a frame that stands at inner in a frame that stands at outer.
cli_place cli_place_join(const cli_place *outer, const cli_place *inner);
/// Its roll, pitch and yaw; yaw is 0 where pitch is a right angle.
void cli_place_angles(const cli_place *place, double rpy[3]);

#endif
