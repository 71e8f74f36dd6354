// SPDX-License-Identifier: Apache-2.0
/// @file mujoco.h
/// Robots in MuJoCo, for measuring and for comparing.

#ifndef CLI_PEERS_MUJOCO_H
#define CLI_PEERS_MUJOCO_H

#include <mujoco/mujoco.h>

#include "peers/peer.h"

/// An XML text as a model; NULL and why not in error.
mjModel *cli_mujoco_parse(const char *xml, char *error, int size);
/// The model of links that turn or slide: place[k] is the number of link k's coordinate there; its
/// joint has that number and its body the next. NULL: MuJoCo does not take it.
mjModel *cli_mujoco_model(const cli_links *links, int *place, char *error, int size);

#endif
