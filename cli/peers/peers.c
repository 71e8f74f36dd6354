// SPDX-License-Identifier: Apache-2.0
#include "peers/referee.h"

#ifndef CLI_HAVE_KDL
#define cli_peer_kdl    NULL
#define cli_referee_kdl NULL
#endif
#ifndef CLI_HAVE_MUJOCO
#define cli_peer_mujoco    NULL
#define cli_referee_mujoco NULL
#endif
#ifndef CLI_HAVE_PINOCCHIO
#define cli_peer_pinocchio NULL
#endif
#ifndef CLI_HAVE_RBDL
#define cli_peer_rbdl NULL
#endif

const cli_peer_kind cli_peers[CLI_PEERS] = {{"pinocchio", "Pinocchio", cli_peer_pinocchio},
                                            {"rbdl", "RBDL", cli_peer_rbdl},
                                            {"mujoco", "MuJoCo", cli_peer_mujoco},
                                            {"kdl", "KDL", cli_peer_kdl}};

const cli_referee_kind cli_referees[CLI_REFEREES] = {{"mujoco", cli_referee_mujoco},
                                                     {"kdl", cli_referee_kdl}};
