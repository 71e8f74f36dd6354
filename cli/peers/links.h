// SPDX-License-Identifier: Apache-2.0
/// @file links.h
/// A model as other libraries want it, see peer.h.

#ifndef CLI_LINKS_H
#define CLI_LINKS_H

#include <appell/model.h>

#include "peers/peer.h"

/// Fill in the links of a model, which are to be freed. No links where some joint is neither free
/// nor of one coordinate, or has none of its own, or memory is short.
void cli_links_of(const ap_model *m, cli_links *links);
void cli_links_free(cli_links *links);

/// Turn R and place p of a frame (R1, p1) as another one (R0, p0) sees it.
void cli_relative_pose(const double R0[9], const double p0[3], const double R1[9],
                       const double p1[3], double R[9], double p[3]);

#endif
