// SPDX-License-Identifier: Apache-2.0
// Impacts of closed chains.

#ifndef AP_IMPACT_CLOSED_CHAIN_H
#define AP_IMPACT_CLOSED_CHAIN_H

#include <appell/impact.h>

#include "loop/closed_chain.h"

// As ap_impact() with the scratch of the tree, in place x where the closures hold: what jumps are
// the rates that they allow. Fails as ap__closed_at() does, too.
ap_status ap__impact_closed(ap_closed *c, const double *x, double *xd, int n, ap_touch *touch,
                            void *scratch, ap_impact_result *result);

#endif
