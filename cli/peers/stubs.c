// SPDX-License-Identifier: Apache-2.0
// In the place of peers that were not found.

#include "peers/peer.h"

#ifndef CLI_HAVE_KDL
cli_peer cli_peer_kdl(const cli_links *links) {
  (void)links;
  return (cli_peer){.peer = {.name = "kdl"}};
}
#endif

#ifndef CLI_HAVE_MUJOCO
cli_peer cli_peer_mujoco(const cli_links *links) {
  (void)links;
  return (cli_peer){.peer = {.name = "mujoco"}};
}
#endif

#if defined CLI_HAVE_KDL && defined CLI_HAVE_MUJOCO
typedef int cli_no_peer_is_missing;
#endif
