// SPDX-License-Identifier: Apache-2.0
// What a link would have by its shapes or its length.

#ifndef AP_LINT_SHAPE_H
#define AP_LINT_SHAPE_H

#include "lint/examine.h"

// The inertia of a link's one solid shape, or of the box around its shapes, with the link's mass
// and centre of mass. False: nothing is known of its shape.
bool ap__lint_of_shape(const lint_robot *robot, const lint_link *link, lint_inertia *x);
// The same, or where there are no shapes that of a rod as long as the link; `of` says in words what
// it is of. False: nobody knows how long the link is.
bool ap__lint_plausible(const lint_robot *robot, const lint_link *link, lint_inertia *x,
                        const char **of);
// Does the link move by itself, other than by being fixed to one that moves?
bool ap__lint_moves(const lint_robot *robot, int link);
bool ap__lint_is_power_of_ten(double x);
// Is its tensor a power of ten times the unit matrix, or its mass without inertia one?
bool ap__lint_is_placeholder(const lint_link *link);

#endif
