// SPDX-License-Identifier: Apache-2.0
// Elements and attributes of URDF that are unknown or not used.

#ifndef AP_LINT_TAGS_H
#define AP_LINT_TAGS_H

#include "lint/examine.h"

void ap__lint_tags(lint *l);

#endif
