// kin.h in single precision.

#include "kin/text_f32.h"

#include "kin/coordinates.inc"

#define F(name) name##_f32
#define FLOAT   float
#include "kin/api.inc"

#include "kin/quaternion.h"
#include "kin/manifold_api.inc"
