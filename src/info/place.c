#include "info/place.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

ap__place ap__place_none(void) { return (ap__place){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}; }

// Turn by an angle about axis 0, 1 or 2 of the frame itself: R <- R Raxis(angle).
static void turn(ap__place *place, int axis, double angle) {
  const double c = cos(angle), s = sin(angle);
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  for (int row = 0; row < 9; row += 3) {
    const double x = place->R[row + j], y = place->R[row + k];
    place->R[row + j] = c * x + s * y;
    place->R[row + k] = c * y - s * x;
  }
}

// Move along the axes of the frame itself: p <- p + R (x, y, z).
static void move(ap__place *place, double x, double y, double z) {
  for (int k = 0; k < 3; k++) {
    const double *row = place->R + 3 * (size_t)k;
    place->p[k] += row[0] * x + row[1] * y + row[2] * z;
  }
}

ap__place ap__place_rpy(const double xyz[3], const double rpy[3]) {
  ap__place place = ap__place_none();
  move(&place, xyz[0], xyz[1], xyz[2]);
  for (int axis = 2; axis >= 0; axis--) turn(&place, axis, rpy[axis]);
  return place;
}

ap__place ap__place_fixed(const ap_placement *x) {
  ap__place place = ap__place_none();
  switch (x->kind) {
    case AP_PLACE_RPY: return ap__place_rpy(x->xyz, x->rpy);
    case AP_PLACE_MATRIX:
      memcpy(place.p, x->xyz, sizeof place.p);
      memcpy(place.R, x->matrix, sizeof place.R);
      break;
    case AP_DH_MODIFIED:
    case AP_DH_VALERA:
      turn(&place, 0, x->alpha);
      move(&place, x->a, 0, 0);
      turn(&place, 2, x->theta);
      move(&place, 0, 0, x->kind == AP_DH_VALERA ? -x->d : x->d);
      break;
    case AP_DH_STANDARD:
      turn(&place, 2, x->theta);
      move(&place, x->a, 0, x->d);
      turn(&place, 0, x->alpha);
      break;
  }
  return place;
}

ap__place ap__place_join(const ap__place *outer, const ap__place *inner) {
  ap__place place = *outer;
  move(&place, inner->p[0], inner->p[1], inner->p[2]);
  for (int row = 0; row < 9; row += 3)
    for (int k = 0; k < 3; k++)
      place.R[row + k] = outer->R[row] * inner->R[k] + outer->R[row + 1] * inner->R[3 + k] +
                         outer->R[row + 2] * inner->R[6 + k];
  return place;
}

void ap__place_angles(const ap__place *place, double rpy[3]) {
  const double *R = place->R;
  const double c = hypot(R[0], R[3]);
  const bool upright = c < 1e-12; // nothing but rounding
  // 0 - x, because -x would be a zero with a sign
  rpy[0] = upright ? atan2(0 - R[5], R[4]) : atan2(R[7], R[8]);
  rpy[1] = atan2(0 - R[6], c);
  rpy[2] = upright ? 0 : atan2(R[3], R[0]);
}
